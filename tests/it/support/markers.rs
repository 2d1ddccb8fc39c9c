//! Pieces of a dialect for the soup: the texts of its markers with the soup's names behind them, halves of them, and parts of its
//! calls. A new dialect has its pieces from its first day.

use std::sync::LazyLock;

use toolstream::Dialect;

use super::inputs;

/// The names that stand behind a marker.
const TOOLS: [&str; 4] = ["read", "write", "edits", "other"];
const PARAMS: [&str; 4] = ["path", "content", "paths", "other"];

/// Pieces of bodies of JSON and of literals, for any frame.
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

/// The pieces of every dialect, made at their first use.
pub fn all() -> &'static [(Dialect, Vec<String>)] {
    static ALL: LazyLock<Vec<(Dialect, Vec<String>)>> = LazyLock::new(|| {
        Dialect::ALL.iter().map(|dialect| (dialect.clone(), pieces(dialect))).collect()
    });
    &ALL
}

/// The texts of a dialect's markers, with a name where one belongs to the marker.
pub fn of(dialect: &Dialect) -> Vec<String> {
    dialect.markers()
}

fn pieces(dialect: &Dialect) -> Vec<String> {
    let mut pieces: Vec<String> = BODIES.iter().map(|piece| piece.to_string()).collect();
    for (at, text) in dialect.markers().into_iter().enumerate() {
        let (tool, param) = (TOOLS[at % TOOLS.len()], PARAMS[at % PARAMS.len()]);
        pieces.extend([tool, param].map(|name| format!("{text}{name}")));
        pieces.extend(halves(&text));
        pieces.push(text);
    }
    for (tool, param) in TOOLS.iter().zip(PARAMS) {
        pieces.extend([tool, param].map(|name| format!("</{name}>")));
        pieces.extend([format!("<{param}>"), format!(" name=\"{param}\">"), format!("={tool}>")]);
        pieces.extend(
            [" id=\"1\"", " string=\"true\"", " type=\"string\"", ">", "\n", " "].map(String::from),
        );
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

/// Half of a text, and half of a tag with its `>`: a marker of another length.
fn halves(text: &str) -> Vec<String> {
    let half: String = text.chars().take(text.chars().count() / 2 + 1).collect();
    let tag = text.starts_with('<').then(|| format!("{}>", half.trim_end_matches('>')));
    [half].into_iter().chain(tag).collect()
}
