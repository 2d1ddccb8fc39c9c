//! What a text or a value must not hold, taken from the markers of a table.

use crate::dialect::spec::{At, Chars, Known, Of, Pattern, Piece, Ref, Rule, What};
use crate::machine::tables::Tables;
use crate::tool::Tool;

/// White space in any number, and more of it than may stand after a closer in a value: too much of it
/// breaks a call.
const WHITE: &str = r"[ \t\r\n]*";
const TOO_MUCH: &str = r"[ \t\r\n]{8}";

/// What a text must not hold.
pub(super) struct Marks {
    /// As a regular expression; what ends a value only with what must follow it.
    pub expression: String,
    /// As the texts that it begins with.
    pub begins: Vec<String>,
}

impl Marks {
    /// All that is a marker in text.
    pub fn in_text(tables: &Tables) -> Marks {
        let names = Names { tools: &tables.tools, call: None };
        names.marks(tables.spec(0).prose[0].rules.iter(), |rule| {
            vec![names.expression(begin(&rule.mark))]
        })
    }

    /// All that ends this value.
    pub fn in_value(tables: &Tables, tool: &Tool, key: &str, kind: u8) -> Marks {
        let names = Names { tools: &tables.tools, call: Some((tool, key)) };
        let rules = tables.spec(0).values[kind as usize].rules.iter();
        let ends = rules.filter(|rule| matches!(rule.action.what, What::Close(_)));
        names.marks(ends, |rule| names.end(rule))
    }
}

/// What names may stand in a marker: those of the tools, of the open call and of its open parameter.
struct Names<'a> {
    tools: &'a [Tool],
    call: Option<(&'a Tool, &'a str)>,
}

impl Names<'_> {
    fn marks<'r>(
        &self,
        rules: impl Iterator<Item = &'r Rule> + Clone,
        expressions: impl Fn(&Rule) -> Vec<String>,
    ) -> Marks {
        Marks {
            expression: one_of(shortest(rules.clone().flat_map(expressions))),
            begins: shortest(rules.flat_map(|rule| self.texts(&rule.mark))),
        }
    }

    /// What ends a value, with each that may follow it.
    fn end(&self, rule: &Rule) -> Vec<String> {
        let mark = self.expression(&rule.mark);
        if rule.follow.is_empty() {
            return vec![mark];
        }
        let follow = rule.follow.iter().filter(|follow| !follow.contains(&Piece::At(At::End)));
        let ends = follow.map(|follow| format!("{mark}{WHITE}{}", self.expression(begin(follow))));
        ends.chain([format!("{mark}{TOO_MUCH}")]).collect()
    }

    /// The texts that a marker begins with, after white space, as far as they are fixed.
    fn texts(&self, mark: &Pattern) -> Vec<String> {
        let empty = |piece: &&Piece| match piece {
            Piece::Run(run) => run.min == 0,
            piece => matches!(piece, Piece::At(_)),
        };
        let fixed = begin(mark).iter().skip_while(empty).map(|piece| self.fixed(piece));
        fixed.take_while(|texts| !texts.is_empty()).fold(vec![String::new()], |all, next| {
            all.iter().flat_map(|text| next.iter().map(move |next| text.clone() + next)).collect()
        })
    }

    /// The texts that may stand for a piece, if they are known.
    fn fixed(&self, piece: &Piece) -> Vec<String> {
        match (piece, self.call) {
            (Piece::Lit(text), _) => vec![text.to_string()],
            (Piece::Any(texts), _) => texts.iter().map(|text| text.to_string()).collect(),
            (Piece::At(_) | Piece::Keyword(_) | Piece::ToolLine(_), _) => vec![String::new()],
            (Piece::Ref(Ref::Call), Some((tool, _))) => vec![tool.name.clone()],
            (Piece::Ref(Ref::Param), Some((_, key))) => vec![key.to_string()],
            (Piece::Name(name), call) if name.quoted.is_none() => {
                let params = call.iter().flat_map(|(tool, _)| &tool.params);
                let names: Vec<&String> = match (name.of, name.known) {
                    (_, Known::Any | Known::Undeclared) => Vec::new(),
                    (Of::Tool, _) => self.tools.iter().map(|tool| &tool.name).collect(),
                    (Of::Param, _) => params.map(|param| &param.name).collect(),
                    _ => Vec::new(),
                };
                let ways = |text| [String::clone(text), format!("{}{text}", name.prefix)];
                names.into_iter().flat_map(ways).collect()
            }
            _ => Vec::new(),
        }
    }

    fn expression<'p>(&self, mark: impl IntoIterator<Item = &'p Piece>) -> String {
        mark.into_iter().map(|piece| self.piece(piece)).collect()
    }

    fn piece(&self, piece: &Piece) -> String {
        let fixed = self.fixed(piece);
        match piece {
            _ if !fixed.is_empty() => one_of(fixed.iter().map(|text| escaped(text)).collect()),
            Piece::Run(run) if run.max == 1 => class(run.chars),
            Piece::Run(run) => class(run.chars) + if run.min == 0 { "*" } else { "+" },
            Piece::Until { to, .. } => format!("(?s:.*){}", escaped(to)),
            // In quotes, or not.
            Piece::Name(name) => {
                let chars = class(name.quoted.unwrap_or(name.chars));
                format!(r#"["']?{chars}{}["']?"#, if name.optional { "*" } else { "+" })
            }
            _ => class(Chars::NAME) + "+",
        }
    }
}

/// Up to the first text of its own: what begins like a marker must not come either, and what a lexer
/// has to know stays small.
fn begin(mark: &Pattern) -> &[Piece] {
    let own = |piece: &Piece| match piece {
        Piece::Lit(text) => text.len() > 2,
        piece => matches!(piece, Piece::Any(_)),
    };
    let end = mark.iter().position(own).map_or(mark.len(), |at| at + 1);
    &mark[..end]
}

/// One of these; what is empty is none, and what begins with another one is said by that.
fn shortest(all: impl Iterator<Item = String>) -> Vec<String> {
    let mut all: Vec<String> = all.filter(|text| !text.is_empty()).collect();
    all.sort();
    all.dedup_by(|longer, text| {
        longer.strip_prefix(&**text).is_some_and(|rest| !rest.starts_with(['*', '+', '?', '{']))
    });
    all
}

fn one_of(mut ways: Vec<String>) -> String {
    ways.dedup();
    if let [only] = &ways[..] { only.clone() } else { format!("(?:{})", ways.join("|")) }
}

fn class(chars: Chars) -> String {
    // Of what lies beyond ASCII all or nothing: letters alone are too much for a lexer, and more that
    // must not come is no mistake.
    let wide = chars.has('é');
    let ascii = (0..0x80_u8).filter(|byte| chars.has(char::from(*byte)) != wide);
    let list: String = ascii.map(|byte| format!(r"\x{byte:02x}")).collect();
    match (wide, list.is_empty()) {
        (true, true) => "(?s:.)".into(),
        (true, false) => format!("[^{list}]"),
        _ => format!("[{list}]"),
    }
}

/// A text as an expression of itself.
pub(super) fn escaped(text: &str) -> String {
    let one = |c: char| match c {
        '\n' => r"\n".into(),
        '\r' => r"\r".into(),
        '\t' => r"\t".into(),
        c if r"\.+*?()|[]{}^$#&-~/".contains(c) => format!(r"\{c}"),
        c => c.to_string(),
    };
    text.chars().map(one).collect()
}
