//! The soup's pieces of a dialect, made of its own table: each of its markers with the soup's names in
//! it, and what its calls are written with. A new dialect has its pieces from the day it has a table.

use std::sync::LazyLock;

use serde_json::Value;
use toolstream::Dialect;

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

/// The markers of a dialect alone, each with one name in it.
pub fn of(dialect: &Dialect) -> Vec<String> {
    let table = table(dialect);
    let marks = rules(&table).into_iter().map(|rule| filled(&rule["mark"], 0));
    let mut marks: Vec<String> = marks.filter(|mark| !mark.is_empty()).collect();
    marks.sort();
    marks.dedup();
    marks
}

fn pieces(dialect: &Dialect) -> Vec<String> {
    let table = table(dialect);
    let mut pieces: Vec<String> = BODIES.iter().map(|piece| piece.to_string()).collect();
    for rule in rules(&table) {
        for pattern in [&rule["mark"]].into_iter().chain(list(&rule["follow"])) {
            pieces.extend((0..most_ways(pattern)).map(|way| filled(pattern, way)));
            pieces.extend(list(pattern).iter().flat_map(halves));
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

/// A dialect's table: `toolstream::tables` says what its keys mean.
pub fn table(dialect: &Dialect) -> Value {
    serde_json::to_value(dialect.spec()).expect("a table is JSON")
}

/// The items of a list, which is left out where there are none.
pub fn list(of: &Value) -> &[Value] {
    of.as_array().map_or(&[], Vec::as_slice)
}

fn rules(table: &Value) -> Vec<&Value> {
    let kinds = ["prose", "sections", "calls", "values", "bodies"];
    let kinds = kinds.into_iter().flat_map(|kinds| list(&table[kinds]));
    kinds.flat_map(|kind| list(&kind["rules"])).collect()
}

/// The texts that a piece may be, where it is one of a few.
pub fn texts(piece: &Value) -> Vec<&str> {
    let texts = [piece].into_iter().chain(list(&piece["any"]));
    texts.filter_map(Value::as_str).collect()
}

/// The key that says what a piece is: `text` for a text.
pub fn kind(piece: &Value) -> &'static str {
    let kinds = [
        "any",
        "run",
        "until",
        "near",
        "name",
        "ref",
        "at",
        "not_next",
        "tool",
        "object",
        "keyword",
        "tool_line",
    ];
    kinds.into_iter().find(|kind| piece.get(kind).is_some()).unwrap_or("text")
}

/// Whether a character is of a class.
pub fn has(class: &Value, c: char) -> bool {
    match class.as_str() {
        Some("white") => " \t\r\n".contains(c),
        Some("blank") => " \t".contains(c),
        Some("letters") => c.is_ascii_alphabetic(),
        Some("name") => c.is_alphanumeric() || "_.-/:+@$".contains(c),
        Some("word") => c.is_ascii_alphanumeric() || "_.-".contains(c),
        Some("bare") => !" \t\r\n<>\"'/".contains(c),
        Some("quoted") => !"<\n".contains(c),
        other => {
            assert_eq!(other, None, "a class of this name");
            let listed = |key: &str| class[key].as_str().map(|list| list.contains(c));
            let letter = !c.is_ascii() && c.is_alphanumeric();
            let and = listed("letters_and").map(|listed| listed || letter);
            let except = listed("except").map(|listed| !listed);
            listed("only").or(and).or(except).expect("a class of characters")
        }
    }
}

/// How often a pattern is filled in, so that each of its texts and names comes.
fn most_ways(pattern: &Value) -> usize {
    let ways = |piece: &Value| match kind(piece) {
        "any" => texts(piece).len(),
        "name" | "ref" => TOOLS.len(),
        "run" => 2,
        "object" => 3,
        _ => 1,
    };
    list(pattern).iter().map(ways).max().unwrap_or_default()
}

fn filled(pattern: &Value, way: usize) -> String {
    let piece = |piece: &Value| match kind(piece) {
        "text" | "any" => {
            let texts = texts(piece);
            texts[way % texts.len()].to_string()
        }
        "run" => sample(piece, way),
        "near" => {
            let text = piece["near"].as_str().expect("a text");
            let wrong = way % (text.chars().count() - 1);
            text.chars().enumerate().filter(|(at, _)| *at != wrong).map(|(_, c)| c).collect()
        }
        "until" => format!("x{}", piece["until"].as_str().expect("a text")),
        "name" => named(piece, way),
        "ref" if piece["ref"] == "param" => PARAMS[way % PARAMS.len()].to_string(),
        "ref" => TOOLS[way % TOOLS.len()].to_string(),
        "object" => {
            let tool = TOOLS[way % TOOLS.len()];
            let objects = [
                format!("{{\"name\": \"{tool}\", \"arguments\": {{}}}}"),
                format!("[{{\"name\": \"{tool}\"}}]"),
                format!("{{\"name\": \"{tool}\", \"version\": 1"),
            ];
            objects[way % objects.len()].clone()
        }
        "at" if piece["at"] == "line_start" || piece["at"] == "line_end" => "\n".to_string(),
        _ => String::new(),
    };
    list(pattern).iter().map(piece).collect()
}

fn named(name: &Value, way: usize) -> String {
    let bare = match name["name"].as_str() {
        Some("param") => PARAMS[way % PARAMS.len()].to_string(),
        Some("tool_id") => format!("{}:{way}", TOOLS[way % TOOLS.len()]),
        Some("id") => format!("id{way}"),
        Some("hint") => ["true", "string", "false", "["][way % 4].to_string(),
        _ => TOOLS[way % TOOLS.len()].to_string(),
    };
    let bare = name["prefix"].as_str().unwrap_or_default().to_string() + &bare;
    match name.get("quoted").is_some() && way < 3 {
        true => format!("\"{bare}\""),
        false => bare,
    }
}

/// The shortest run, or one that is a little longer.
fn sample(run: &Value, way: usize) -> String {
    let known = [' ', '\n', 'a', '_', '0', '>', ':'];
    let character = known.into_iter().find(|next| has(&run["run"], *next)).unwrap_or('a');
    let min = run["min"].as_u64().unwrap_or_default().min(64) as usize;
    character.to_string().repeat(min + way % 2)
}

/// The texts of a piece without their ends: a marker that is cut, or one of another length.
fn halves(piece: &Value) -> Vec<String> {
    let half = |text: &str| text.chars().take(text.chars().count() / 2 + 1).collect();
    texts(piece).into_iter().chain(piece["until"].as_str()).map(half).collect()
}
