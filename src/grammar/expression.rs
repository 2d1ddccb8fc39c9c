//! Regular expressions of the markers of a table, and of the texts of its form.

use crate::dialect::spec::{
    At, Chars, DialectSpec, Known, Name, Of, Pattern, Piece, Ref, Rule, What,
};
use crate::dialect::template::attribute;
use crate::tool::Tool;

/// White space in any number, and so much that it is no part of a value after a closer: more than counts there breaks a call.
const WHITE: &str = r"[ \t\r\n]*";
const TOO_MUCH: &str = r"[ \t\r\n]{8}";

/// A text as an expression of itself.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '\n' => out += r"\n",
            '\r' => out += r"\r",
            '\t' => out += r"\t",
            '<' | '>' | '"' | '\'' | '=' | ':' | ' ' | '_' | ',' | '`' => out.push(c),
            c if c.is_ascii_punctuation() => out.extend(['\\', c]),
            c => out.push(c),
        }
    }
    out
}

/// A text of the form, with what stands for its holes.
pub(super) fn filled(text: &str, hole: impl Fn(&str) -> Option<String>) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        out += &escaped(before);
        let named = after.split_once('}').and_then(|(name, rest)| Some((hole(name)?, rest)));
        rest = match named {
            Some((found, rest)) => {
                out += &found;
                rest
            }
            None => {
                out += r"\{";
                after
            }
        };
    }
    out + &escaped(rest)
}

/// The holes of a call of this tool. Any number is the index of an id.
pub(super) fn call_hole(spec: &DialectSpec, name: &str) -> impl Fn(&str) -> Option<String> {
    move |hole| match hole {
        "name" => Some(escaped(name)),
        "name_attribute" => Some(escaped(&attribute(name))),
        "json_name" => Some(escaped(&serde_json::Value::from(name).to_string())),
        "index" | "number" => Some("[0-9]{1,3}".into()),
        "id" => Some(filled(&spec.id, |hole| match hole {
            "name" => Some(escaped(name)),
            "index" => Some("[0-9]{1,3}".into()),
            _ => None,
        })),
        _ => None,
    }
}

/// The holes of a parameter.
pub(super) fn param_hole<'a>(key: &'a str, of: &'a str) -> impl Fn(&str) -> Option<String> + 'a {
    move |hole| match hole {
        "key" => Some(escaped(key)),
        "key_attribute" => Some(escaped(&attribute(key))),
        "type" => Some(escaped(if of == "integer" { "number" } else { of })),
        "whole_type" => Some(escaped(of)),
        "is_string" => Some((of == "string").to_string()),
        _ => None,
    }
}

/// What names may stand in a marker: those of the tools, of the open call and of its open parameter.
pub(super) struct Names<'a> {
    pub tools: &'a [Tool],
    pub call: Option<(&'a Tool, &'a str)>,
}

impl Names<'_> {
    /// What must not come in text: all that is a marker there.
    pub fn in_text(&self, spec: &DialectSpec) -> String {
        let marks = spec.prose[0].rules.iter().map(|rule| self.begin(&rule.mark));
        any_of(marks)
    }

    /// What must not come in a value: all that ends one, with what must follow it.
    pub fn in_value(&self, rules: &[Rule]) -> String {
        let ends = rules.iter().filter(|rule| matches!(rule.action.what, What::Close(_)));
        any_of(ends.flat_map(|rule| self.end(rule)))
    }

    fn end(&self, rule: &Rule) -> Vec<String> {
        let mark = self.pattern(&rule.mark);
        if rule.follow.is_empty() {
            return vec![mark];
        }
        let follow = rule.follow.iter().filter(|follow| !follow.contains(&Piece::At(At::End)));
        let mut ends: Vec<String> =
            follow.map(|follow| format!("{mark}{WHITE}{}", self.begin(follow))).collect();
        ends.push(mark + TOO_MUCH);
        ends
    }

    fn pattern(&self, pattern: &Pattern) -> String {
        pattern.iter().map(|piece| self.piece(piece)).collect()
    }

    /// Up to the first text of its own: what begins like a marker must not come either, and what a lexer
    /// has to know stays small.
    fn begin(&self, pattern: &Pattern) -> String {
        let own = |piece: &Piece| match piece {
            Piece::Lit(text) => text.len() > 2,
            piece => matches!(piece, Piece::Any(_)),
        };
        let end = pattern.iter().position(own).map_or(pattern.len(), |at| at + 1);
        pattern[..end].iter().map(|piece| self.piece(piece)).collect()
    }

    fn piece(&self, piece: &Piece) -> String {
        match piece {
            Piece::Lit(text) => escaped(text),
            Piece::Any(texts) => one_of(texts.iter().map(|text| escaped(text))),
            Piece::Run(run) => match (run.min, run.max) {
                (1, 1) => class(run.chars),
                (0, _) => class(run.chars) + "*",
                _ => class(run.chars) + "+",
            },
            Piece::Until { to, .. } => format!("(?s:.*){}", escaped(to)),
            Piece::Name(name) => self.name(name),
            Piece::Ref(of) => match (of, self.call) {
                (Ref::Call, Some((tool, _))) => escaped(&tool.name),
                (Ref::Param, Some((_, key))) => escaped(key),
                _ => class(Chars::NAME) + "+",
            },
            Piece::At(_) | Piece::Keyword(_) | Piece::ToolLine(_) => String::new(),
        }
    }

    fn name(&self, name: &Name) -> String {
        let declared: Vec<String> = match (name.known, name.of, self.call) {
            (Known::Any | Known::Undeclared, ..) => Vec::new(),
            (_, Of::Param, Some((tool, _))) => {
                tool.params.iter().map(|param| escaped(&param.name)).collect()
            }
            (_, Of::Tool, _) => self.tools.iter().map(|tool| escaped(&tool.name)).collect(),
            _ => Vec::new(),
        };
        let many = if name.optional { "*" } else { "+" };
        let text = if declared.is_empty() {
            class(name.chars) + many
        } else {
            one_of(declared.into_iter())
        };
        let text = format!("(?:{})?{text}", escaped(&name.prefix));
        match name.quoted {
            Some(chars) => format!(r#"(?:{text}|"{0}{many}"|'{0}{many}')"#, class(chars)),
            None => text,
        }
    }
}

fn one_of(ways: impl Iterator<Item = String>) -> String {
    let ways: Vec<String> = ways.collect();
    format!("(?:{})", ways.join("|"))
}

/// One of these, whatever comes after it: what begins with another one is said by that.
fn any_of(ways: impl Iterator<Item = String>) -> String {
    let mut all: Vec<String> = ways.filter(|way| !way.is_empty()).collect();
    all.sort();
    all.dedup_by(|longer, way| {
        longer.strip_prefix(&**way).is_some_and(|rest| !rest.starts_with(['*', '+', '?', '{']))
    });
    one_of(all.into_iter())
}

fn class(chars: Chars) -> String {
    let list = |has: bool| -> String {
        let ascii = (0..0x80_u8).map(char::from).filter(|c| chars.has(*c) == has);
        ascii.map(|c| format!(r"\x{:02x}", u32::from(c))).collect()
    };
    // Of what lies beyond ASCII all or nothing: letters alone are too much for a lexer, and more that
    // must not come is no mistake.
    if !chars.has('é') {
        return format!("[{}]", list(true));
    }
    let excluded = list(false);
    if excluded.is_empty() { "(?s:.)".into() } else { format!("[^{excluded}]") }
}
