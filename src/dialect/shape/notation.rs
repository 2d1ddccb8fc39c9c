//! Texts with holes, as a shape has them: `<call name="{name}">`. A text gives both the marker that is read
//! ([`Mark`]) and the text that is written.

use super::Wrong;
use crate::dialect::Text;
use crate::dialect::template::named_hole;
use crate::family::written::mark::{Known, Mark, Name, Of, Piece};
use crate::read::class::Class;

/// A part of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Text(String),
    /// White space, as it is written. A reader does not need it.
    White(String),
    /// A hole with this name.
    Hole(String),
}

/// Splits a text into parts. These holes may stand in it.
///
/// # Errors
/// A name in braces that is none of these holes.
pub(super) fn parts(text: &str, holes: &[&str]) -> Result<Vec<Part>, String> {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let hole = named_hole(rest);
        let len = if let Some(name) = hole {
            if !holes.contains(&name) {
                let known: Vec<String> = holes.iter().map(|hole| format!("`{{{hole}}}`")).collect();
                return Err(format!("`{{{name}}}` is not a hole here: use {}", known.join(", ")));
            }
            parts.push(Part::Hole(name.to_string()));
            name.len() + 2
        } else {
            let white = first.is_ascii_whitespace();
            let more = |at: usize, c: char| {
                c.is_ascii_whitespace() != white || at > 0 && named_hole(&rest[at..]).is_some()
            };
            let len = rest.char_indices().find(|(at, c)| more(*at, *c));
            let len = len.map_or(rest.len(), |(at, _)| at);
            let part = rest[..len].to_string();
            parts.push(if white { Part::White(part) } else { Part::Text(part) });
            len
        };
        rest = &rest[len..];
    }
    Ok(parts)
}

/// Returns the parts before and after a hole.
///
/// # Errors
/// A hole that is missing, or there twice.
pub(super) fn around(parts: &[Part], name: &str, field: &str) -> Result<[Vec<Part>; 2], Wrong> {
    let is = |part: &Part| matches!(part, Part::Hole(hole) if hole == name);
    if parts.iter().filter(|part| is(part)).count() != 1 {
        return Err(Wrong::new(field, format!("`{{{name}}}` must be in `{}` once", text(parts))));
    }
    let at = parts.iter().position(is).unwrap_or(0);
    Ok([parts[..at].to_vec(), parts[at + 1..].to_vec()])
}

/// Returns the parts of a text without white space, with a text for each tag and token.
pub(super) fn solid(text: &str, holes: &[&str]) -> Option<Vec<Part>> {
    let parts = in_tags(&parts(text, holes).ok()?).into_iter();
    Some(parts.filter(|part| !matches!(part, Part::White(_))).collect())
}

/// Returns the text of a part.
pub(super) fn single_text(part: &Part) -> Option<Text> {
    match part {
        Part::Text(text) => Some(Text::Owned(text.clone())),
        _ => None,
    }
}

/// Returns the text of these parts.
pub(super) fn text(parts: &[Part]) -> String {
    let part = |part: &Part| match part {
        Part::Text(text) | Part::White(text) => text.clone(),
        Part::Hole(name) => format!("{{{name}}}"),
    };
    parts.iter().map(part).collect()
}

/// Returns the parts without white space at both ends.
pub(super) fn trimmed(parts: &[Part]) -> &[Part] {
    let white = |part: &Part| matches!(part, Part::White(_));
    let from = parts.iter().position(|part| !white(part)).unwrap_or(parts.len());
    let to = parts.iter().rposition(|part| !white(part)).map_or(from, |last| last + 1);
    &parts[from..to]
}

/// Returns the marker that a reader reads for these parts: `name` gives the kind of name for each hole, and
/// white space may be missing.
pub(super) fn pattern(parts: &[Part], name: &dyn Fn(&str) -> Name) -> Mark {
    spaced(parts, true, name)
}

/// Returns the marker of these parts. `may`: white space that is not written may stand around names, too.
pub(super) fn spaced(parts: &[Part], may: bool, name: &dyn Fn(&str) -> Name) -> Mark {
    let parts = in_tags(trimmed(parts));
    let mut pattern = Mark::new();
    for (at, part) in parts.iter().enumerate() {
        let before = at.checked_sub(1).map(|before| &parts[before]);
        let gap =
            before.is_some_and(|before| is_gap(before, part) && (may || are_texts(before, part)));
        if gap {
            pattern.push(Piece::White);
        }
        match part {
            Part::Hole(hole) if hole == WORD => pattern.push(Piece::Word),
            Part::White(_) => pattern.push(Piece::White),
            Part::Text(text) => {
                // The quotes around a name belong to it: the name may also stand without them.
                let mut text = text.as_str();
                if is_quoted_hole(&parts, at + 1) {
                    text = text.strip_suffix('"').unwrap_or(text);
                }
                if at > 0 && is_quoted_hole(&parts, at - 1) {
                    text = text.strip_prefix('"').unwrap_or(text);
                }
                if !text.is_empty() {
                    pattern.push(Piece::Text(text.into()));
                }
            }
            Part::Hole(hole) => {
                let name = name(hole);
                let in_quotes = is_quoted_hole(&parts, at);
                let class = if in_quotes { Class::Bare } else { name.class };
                let next = match parts.get(at + 1) {
                    Some(Part::Text(text)) => text.chars().nth(usize::from(in_quotes)),
                    _ => None,
                };
                // A name takes all characters that it can, except the one that follows it.
                let next = next.and_then(|next| u8::try_from(next).ok()).filter(u8::is_ascii);
                let up_to = next.filter(|next| class.has_byte(*next));
                let quoted = name.quoted || in_quotes;
                pattern.push(Piece::Name(Name { class, up_to, quoted, ..name }));
            }
        }
    }
    pattern
}

fn are_texts(before: &Part, after: &Part) -> bool {
    matches!((before, after), (Part::Text(_), Part::Text(_)))
}

/// Whether the part at `at` is a hole with a quote on both sides.
fn is_quoted_hole(parts: &[Part], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|before| parts.get(before));
    matches!(parts.get(at), Some(Part::Hole(_)))
        && matches!(before, Some(Part::Text(text)) if text.ends_with('"'))
        && matches!(parts.get(at + 1), Some(Part::Text(text)) if text.starts_with('"'))
}

/// The hole for a word that names nothing.
pub(super) const WORD: &str = "word";

/// Splits texts so that each tag and token is a text of its own.
pub(super) fn in_tags(parts: &[Part]) -> Vec<Part> {
    let mut all = Vec::new();
    for part in parts {
        let Part::Text(mut rest) = part.clone() else {
            all.push(part.clone());
            continue;
        };
        let begins = |at: usize, text: &str| {
            let token = ["<|", "<｜"].iter().any(|token| text[at..].starts_with(token));
            at > 0 && (token || text[..at].ends_with('>') && text[at..].starts_with('<'))
        };
        while let Some(at) = rest.match_indices('<').map(|(at, _)| at).find(|at| begins(*at, &rest))
        {
            let next = rest.split_off(at);
            all.push(Part::Text(std::mem::replace(&mut rest, next)));
        }
        all.push(Part::Text(rest));
    }
    all
}

/// Whether white space that is not written may stand here: between two tags, and between a tag and a hole.
fn is_gap(before: &Part, after: &Part) -> bool {
    match (before, after) {
        (Part::Text(_), Part::Text(_)) => true,
        (Part::Text(tag), Part::Hole(_)) => tag.ends_with('>'),
        (Part::Hole(_), Part::Text(tag)) => tag.starts_with('<'),
        _ => false,
    }
}

/// Returns the tags of these parts, if they are nothing but tags.
pub(super) fn tags(parts: &[Part]) -> Option<Vec<Text>> {
    let tags = in_tags(parts).into_iter().filter(|part| !matches!(part, Part::White(_)));
    tags.map(|part| single_text(&part)).collect()
}

/// Returns the marker of a closer: a name in it is the name that was opened.
pub(super) fn closer(parts: &[Part]) -> Mark {
    let again = |piece| match piece {
        Piece::Name(Name { kind: Of::Param, .. }) => Piece::SameParam,
        Piece::Name(_) => Piece::SameTool,
        piece => piece,
    };
    pattern(parts, &|hole| name(hole, Known::Any)).into_iter().map(again).collect()
}

/// Returns the texts of a marker.
pub(super) fn texts(mark: &Mark) -> Vec<Box<str>> {
    let texts = |piece: &Piece| match piece {
        Piece::Text(text) => vec![text.clone()],
        Piece::Any(texts) => texts.clone(),
        _ => Vec::new(),
    };
    mark.iter().flat_map(texts).collect()
}

/// Returns the marker of one text.
pub(super) fn literal(text: &str) -> Mark {
    vec![Piece::Text(text.into())]
}

/// Returns the fixed part of the tokens that a tag begins with: `<｜DSML｜` of `<｜DSML｜parameter`, `<arg_key` of
/// `<arg_key>`. Signs alone give none.
pub(super) fn token_head(tag: &str) -> Option<String> {
    let word = tag.trim_end_matches(|c: char| !c.is_alphanumeric());
    let head = word.trim_end_matches(|c: char| c.is_ascii_alphanumeric() || c == '_').trim_end();
    let head = if head.contains(char::is_alphanumeric) { head } else { word };
    (!head.is_empty()).then(|| head.to_string())
}

/// Whether a text begins and ends like a tag.
pub(super) fn is_whole_tag(text: &str) -> bool {
    text.ends_with(['>', ']']) && is_tag(text)
}

pub(super) fn is_tag(text: &str) -> bool {
    text.starts_with(|c: char| !c.is_alphanumeric())
}

/// Returns a tool's name, a parameter's, or a call's id.
pub(super) fn name(hole: &str, known: Known) -> Name {
    match hole {
        "key" => Name { known, ..Name::new(Of::Param) },
        "id" => Name::new(Of::Id),
        _ => Name { known, quoted: true, ..Name::new(Of::Tool) },
    }
}
