//! The soup's pieces of a dialect, made of its own table: each of its markers with the soup's names in
//! it, and what its calls are written with. A new dialect has its pieces from the day it has a table.

use std::sync::LazyLock;

use toolstream::Dialect;
use toolstream::spec::{At, Chars, DialectSpec, Name, Of, Piece, Ref, Rule, Run};

use super::inputs;

/// The names that a marker is filled in with.
const TOOLS: [&str; 4] = ["read", "write", "edits", "other"];
const PARAMS: [&str; 4] = ["path", "content", "paths", "other"];

/// What bodies of JSON and of literals are made of, whatever stands around them.
const BODIES: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    ",",
    ":",
    "'",
    "\\",
    "null",
    "12",
    "\"name\": \"read\"",
    "\"arguments\": ",
    "\"parameters\": {",
    "\"path\"",
    "{\"path\": \"a\"}",
    "{\"name\": \"read\", \"arguments\": {\"path\": \"a\"}}",
    "path=\"a\"",
    "path:",
    "read",
];

/// The pieces of every dialect, made when they are first asked for.
pub fn all() -> &'static [(Dialect, Vec<String>)] {
    static ALL: LazyLock<Vec<(Dialect, Vec<String>)>> = LazyLock::new(|| {
        Dialect::ALL.iter().map(|dialect| (dialect.clone(), pieces(dialect))).collect()
    });
    &ALL
}

fn pieces(dialect: &Dialect) -> Vec<String> {
    let spec = dialect.spec();
    let mut pieces: Vec<String> = BODIES.iter().map(|piece| piece.to_string()).collect();
    for rule in rules(spec) {
        for pattern in [&rule.mark].into_iter().chain(&rule.follow) {
            pieces.extend((0..most_ways(pattern)).map(|way| filled(pattern, way)));
            pieces.extend(pattern.iter().flat_map(halves));
        }
    }
    for (tool, param) in TOOLS.iter().zip(PARAMS) {
        pieces.extend(inputs::parts(dialect, tool, param));
        pieces.push(inputs::call(dialect, tool, &[(param, "a")]));
    }
    pieces.push(inputs::call(dialect, "write", &[("path", "a"), ("content", "b")]));
    pieces.retain(|piece| !piece.is_empty());
    pieces.sort();
    pieces.dedup();
    assert!(pieces.len() > 20, "{} has no markers", dialect.name());
    pieces
}

fn rules(spec: &DialectSpec) -> Vec<&Rule> {
    let prose = spec.prose.iter().flat_map(|kind| &kind.rules);
    let sections = spec.sections.iter().flat_map(|kind| &kind.rules);
    let calls = spec.calls.iter().flat_map(|kind| &kind.rules);
    let values = spec.values.iter().flat_map(|kind| &kind.rules);
    let bodies = spec.bodies.iter().flat_map(|kind| &kind.rules);
    prose.chain(sections).chain(calls).chain(values).chain(bodies).collect()
}

/// How often a pattern is filled in, so that each of its texts and names comes.
fn most_ways(pattern: &[Piece]) -> usize {
    let ways = |piece: &Piece| match piece {
        Piece::Any(texts) => texts.len(),
        Piece::Name(_) | Piece::Ref(_) => TOOLS.len(),
        Piece::Run(_) => 2,
        _ => 1,
    };
    pattern.iter().map(ways).max().unwrap_or_default()
}

fn filled(pattern: &[Piece], way: usize) -> String {
    let piece = |piece: &Piece| match piece {
        Piece::Lit(text) => text.to_string(),
        Piece::Any(texts) => texts[way % texts.len()].to_string(),
        Piece::Run(run) => sample(run, way),
        Piece::Until { to, .. } => format!("x{to}"),
        Piece::Name(name) => named(name, way),
        Piece::Ref(Ref::Param) => PARAMS[way % PARAMS.len()].to_string(),
        Piece::Ref(_) => TOOLS[way % TOOLS.len()].to_string(),
        Piece::At(At::LineStart | At::LineEnd) => "\n".to_string(),
        _ => String::new(),
    };
    pattern.iter().map(piece).collect()
}

fn named(name: &Name, way: usize) -> String {
    let bare = match name.of {
        Of::Param => PARAMS[way % PARAMS.len()].to_string(),
        Of::ToolId => format!("{}:{way}", TOOLS[way % TOOLS.len()]),
        Of::Id => format!("id{way}"),
        Of::Hint => ["true", "string", "false", "["][way % 4].to_string(),
        _ => TOOLS[way % TOOLS.len()].to_string(),
    };
    let bare = name.prefix.to_string() + &bare;
    match name.quoted.is_some() && way < 3 {
        true => format!("\"{bare}\""),
        false => bare,
    }
}

/// The shortest run, or one that is a little longer.
fn sample(run: &Run, way: usize) -> String {
    let known = [' ', '\n', 'a', '_', '0', '>', ':'];
    let character = known.into_iter().find(|next| Chars::has(run.chars, *next)).unwrap_or('a');
    character.to_string().repeat(usize::from(run.min.min(64)) + way % 2)
}

/// The texts of a piece without their ends: a marker that is cut, or one of another length.
fn halves(piece: &Piece) -> Vec<String> {
    let half = |text: &str| text.chars().take(text.chars().count() / 2 + 1).collect();
    match piece {
        Piece::Lit(text) => vec![half(text)],
        Piece::Any(texts) => texts.iter().map(|text| half(text)).collect(),
        Piece::Until { to, .. } => vec![half(to)],
        _ => Vec::new(),
    }
}
