//! Texts that a text or a value must not hold, taken from the markers of a table. They are approximated from above,
//! by texts where possible: a larger set is no mistake, and a lexer stays small.

use std::collections::HashSet;

use super::Call;
use crate::dialect::spec::{
    At, Between, Chars, Flags, Known, Of, Pattern, Piece, Place, Ref, Rule, Scope, What,
};
use crate::dialect::written::{section_closers, texts};
use crate::event::DiagnosticKind;
use crate::machine::grammar::REASONING;
use crate::machine::tables::Tables;
use crate::options::Start;
use crate::tool::Tool;

/// White space in any number, and as much of it as no value holds after a closer: in a value too much of
/// it breaks a call, and how much is not worth the states that counting takes.
pub(super) const WHITE: &str = r"[ \t\r\n]*";
const TOO_MUCH: &str = r"[ \t\r\n]{4}";
const ANYTHING: &str = "(?s:.*)";

/// Markers that a text must not hold: all markers of text, or all that end a value.
pub(super) struct Marks<'a> {
    tables: &'a Tables,
    /// Whose value it is, its parameter, and its kind.
    value: Option<(&'a Tool, &'a str, u8)>,
    /// The characters with which a text must not begin, after white space.
    pub first: String,
}

impl<'a> Marks<'a> {
    pub fn in_text(tables: &'a Tables) -> Marks<'a> {
        Marks { tables, value: None, first: String::new() }
    }

    pub fn in_value(tables: &'a Tables, tool: &'a Tool, key: &'a str, kind: u8) -> Marks<'a> {
        Marks { tables, value: Some((tool, key, kind)), first: String::new() }
    }

    /// Returns the markers of text after a call. If nothing has closed its section, the markers of a section count
    /// there, above all another call.
    pub fn after(tables: &'a Tables, call: &Call<'_>) -> Marks<'a> {
        let spec = tables.spec(0);
        let open = !section_closers(spec).any(|text| call.close.ends_with(text));
        let counts = |c: &char| {
            open && spec.sections.iter().any(|section| {
                let mut marks = section.rules.iter().flat_map(|rule| texts(&rule.mark));
                matches!(section.between, Between::Only(chars) if chars.has(*c))
                    || marks.any(|text| text.starts_with(*c))
            })
        };
        Marks { first: ('!'..='~').filter(counts).collect(), ..Marks::in_text(tables) }
    }

    /// Returns the first texts of the markers.
    pub fn begins(&self) -> Vec<String> {
        beginnings(self.rules().flat_map(|rule| self.begin(&rule.mark)))
    }

    /// Returns the markers as a regular expression.
    pub fn expression(&self) -> String {
        match self.value {
            Some(_) => one_of(self.ends().into_iter()),
            None => one_of(self.begins().iter().map(|text| escaped(text))),
        }
    }

    fn rules(&self) -> impl Iterator<Item = &Rule> {
        let spec = self.tables.spec(0);
        let value = self.value.map(|(_, _, kind)| &spec.values[kind as usize].rules);
        let ends =
            move |rule: &&Rule| value.is_none() || matches!(rule.action.what, What::Close(_));
        value.unwrap_or(&spec.prose[0].rules).iter().filter(ends)
    }

    /// Beginnings of a marker: from the first piece that is fixed up to the first text of its own, which the name of a
    /// parameter is not, or to the next piece that is not fixed.
    fn begin(&self, mark: &Pattern) -> Vec<String> {
        let mut all = vec![String::new()];
        let open = |piece: &&Piece| matches!(piece, Piece::At(_)) || self.fixed(piece).is_none();
        for piece in mark.iter().skip_while(open) {
            let Some(next) = self.fixed(piece) else { break };
            let with = |text: String| next.iter().map(move |next| text.clone() + next);
            all = all.into_iter().flat_map(with).collect();
            let own = !matches!(piece, Piece::Ref(_));
            if matches!(piece, Piece::Any(_)) || own && next[0].len() > 2 {
                break;
            }
        }
        all
    }

    /// Returns the ends of a value, each with all its possible successors. A marker that holds anything is
    /// represented by its first text: expressions of several such markers are more states than a lexer takes.
    fn ends(&self) -> Vec<String> {
        let mut ends: Vec<(String, Vec<String>)> = Vec::new();
        for rule in self.rules() {
            let (mark, follow) = self.end(rule);
            match ends.iter_mut().find(|(known, _)| *known == mark) {
                None => ends.push((mark, follow)),
                Some((_, known)) if known.is_empty() || follow.is_empty() => known.clear(),
                Some((_, known)) => known.extend(follow),
            }
        }
        // What ends a value by itself does so after another marker, too.
        let alone = |mark: &String| ends.iter().any(|(end, after)| end == mark && after.is_empty());
        // A longer marker that begins with such a one ends nothing more.
        let is_longer = |mark: &str| {
            let shorter = |(end, after): &(String, Vec<String>)| {
                after.is_empty() && end.len() < mark.len() && mark.starts_with(&**end)
            };
            ends.iter().any(shorter)
        };
        let end = |(mark, follow): &(String, Vec<String>)| match &follow[..] {
            [] => mark.clone(),
            _ => {
                let follow = follow.iter().filter(|text| !alone(text)).cloned();
                let follow = one_of(follow.chain([TOO_MUCH.into()]));
                format!("{mark}{WHITE}{follow}")
            }
        };
        ends.iter().filter(|(mark, _)| !is_longer(mark)).map(end).collect()
    }

    /// The marker of such a rule and what may follow it, one of which must, if there is any.
    fn end(&self, rule: &Rule) -> (String, Vec<String>) {
        let mark = self.whole(&rule.mark);
        let begins = self.begin(&rule.mark);
        if mark.contains(ANYTHING) && begins.iter().all(|text| text.len() > 2) {
            return (one_of(begins.iter().map(|text| escaped(text))), Vec::new());
        }
        // No value holds a token that breaks its call, nor a key in the head of a token: with what may follow them they
        // would be more states than a lexer takes.
        let head = |piece: &Piece| piece.texts().iter().any(|text| text.len() > 2);
        let named = rule.action.note == Some(DiagnosticKind::MismatchedCloser);
        let in_head = named && rule.mark.first().is_some_and(head);
        if rule.action.sets.has(Flags::BROKEN) || in_head {
            return (mark, Vec::new());
        }
        let follow = rule.follow.iter().filter(|follow| !follow.contains(&Piece::At(At::End)));
        let follow = follow.map(|follow| {
            let texts = self.begin(follow);
            // A text that is long enough says all, if nothing but white space may stand before it.
            let first = follow.iter().find(|piece| !matches!(piece, Piece::At(_) | Piece::Run(_)));
            let known = first.is_some_and(|piece| self.fixed(piece).is_some());
            match known && texts.iter().all(|text| text.len() >= 3) {
                true => one_of(texts.iter().map(|text| escaped(text))),
                false => self.whole(follow),
            }
        });
        (mark, follow.collect())
    }

    fn whole(&self, mark: &Pattern) -> String {
        mark.iter().map(|piece| self.piece(piece)).collect()
    }

    fn piece(&self, piece: &Piece) -> String {
        match (self.fixed(piece), piece) {
            (Some(texts), _) => one_of(texts.iter().map(|text| escaped(text))),
            (None, Piece::Run(run)) if run.chars == Chars::WHITE => WHITE.into(),
            (None, Piece::Name(name)) if name.quoted.is_none() => class(name.chars) + "*",
            _ => ANYTHING.into(),
        }
    }

    /// The texts that may stand for a piece, if they are known.
    fn fixed(&self, piece: &Piece) -> Option<Vec<String>> {
        let Marks { tables, value, .. } = self;
        let params = || value.iter().flat_map(|(tool, ..)| &tool.params);
        match (piece, value) {
            (Piece::Lit(text), _) => Some(vec![text.to_string()]),
            (Piece::Any(texts), _) => Some(texts.iter().map(|text| text.to_string()).collect()),
            (Piece::At(_), _) => Some(vec![String::new()]),
            (Piece::Ref(Ref::Call), Some((tool, ..))) => Some(vec![tool.name.clone()]),
            (Piece::Ref(Ref::Param), Some((_, key, _))) => Some(vec![key.to_string()]),
            (Piece::Name(name), _) if name.quoted.is_none() && name.prefix.is_empty() => {
                match (name.of, name.known) {
                    (_, Known::Any | Known::Undeclared) => None,
                    (Of::Tool, _) => Some(tables.tools.iter().map(|of| of.name.clone()).collect()),
                    (Of::Param, _) => Some(params().map(|of| of.name.clone()).collect()),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

/// The reasoning with which a message may begin.
pub(super) struct Thought {
    /// The message begins in it.
    pub must_come: bool,
    pub blocks: Vec<Block>,
}

/// The writing of a block of reasoning. No `open`: the message begins inside.
pub(super) struct Block {
    pub open: Vec<String>,
    pub close: Vec<String>,
    /// The texts that it must not hold: its closers, and the markers of text.
    pub excludes: Vec<String>,
}

impl Thought {
    pub fn of(tables: &Tables) -> Option<Thought> {
        let spec = tables.spec(0);
        let kind = |kind: u8, open: Vec<String>| {
            let rules = &spec.prose[kind as usize].rules;
            let closes = |rule: &&Rule| {
                matches!(rule.action.what, What::Close(Scope::Prose)) && rule.follow.is_empty()
            };
            let close = rules.iter().filter(closes).flat_map(|rule| whole_texts(&rule.mark));
            let close: Vec<String> = close.map(String::from).collect();
            let marks = Marks::in_text(tables);
            let begins = rules.iter().flat_map(|rule| marks.begin(&rule.mark));
            let excludes = beginnings(begins.chain(marks.begins()));
            (!close.is_empty()).then_some(Block { open, close, excludes })
        };
        let must_come = tables.options.start == Start::Reasoning;
        let blocks: Vec<Block> = if must_come {
            kind(REASONING, Vec::new()).into_iter().collect()
        } else {
            let opens = |rule: &Rule| match rule.action.what {
                What::Open(Place::Prose(of)) if begins_message(rule) => {
                    let open: Vec<_> = whole_texts(&rule.mark).map(String::from).collect();
                    (spec.prose[of as usize].reasoning && !open.is_empty()).then_some((of, open))
                }
                _ => None,
            };
            let openers = spec.prose[0].rules.iter().filter_map(opens);
            openers.filter_map(|(of, open)| kind(of, open)).collect()
        };
        (!blocks.is_empty()).then_some(Thought { must_come, blocks })
    }
}

/// Whether an opener counts as the first thing in a message, whatever follows.
fn begins_message(rule: &Rule) -> bool {
    let start = Flags::STREAM_START | Flags::MESSAGE_START | Flags::LINE_START | Flags::BLOCK_START;
    rule.follow.is_empty()
        && !rule.action.before
        && rule.needs.without(start) == Flags::NONE
        && !rule.not.has_any(start)
}

/// The texts that are all of a marker.
fn whole_texts(mark: &Pattern) -> impl Iterator<Item = &str> {
    let rest = mark.iter().filter(|piece| !matches!(piece, Piece::At(_))).count();
    texts(mark).filter(move |_| rest == 1)
}

/// Joins these expressions, each stated once: lexers have bounds.
pub(super) fn one_of(ways: impl Iterator<Item = String>) -> String {
    let mut known = HashSet::new();
    let ways = ways.filter(|way| known.insert(way.clone()));
    format!("(?:{})", Vec::from_iter(ways).join("|"))
}

/// Writes a class of characters. Beyond ASCII it has all or nothing: letters alone are too much for a lexer.
fn class(chars: Chars) -> String {
    let ascii: String = ('\0'..'\u{80}').filter(|c| chars.has(*c)).collect();
    let beyond = if chars.has('é') { r"\u{80}-\u{10ffff}" } else { "" };
    format!("[{}{beyond}]", escaped(&ascii))
}

/// A text as an expression of itself.
pub(super) fn escaped(text: &str) -> String {
    let one = |c: char| match c {
        '\n' => r"\n".into(),
        c if c.is_ascii_control() => format!(r"\x{:02x}", u32::from(c)),
        c if r"\.+*?()|[]{}^$#&-~/".contains(c) => format!(r"\{c}"),
        c => c.to_string(),
    };
    text.chars().map(one).collect()
}

/// Sorts the texts, and drops those that begin with another one.
fn beginnings(texts: impl Iterator<Item = String>) -> Vec<String> {
    let mut texts: Vec<String> = texts.collect();
    texts.sort();
    texts.dedup_by(|longer, text| longer.starts_with(&**text));
    texts
}
