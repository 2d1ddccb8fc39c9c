//! JSON documents of every kind, in a call. Every byte string makes a document that is valid by RFC 8259.

use toolstream::{Dialect, options::bounds};

use super::soup::{self, Choices, Cuts};

/// A call whose arguments are the document.
#[derive(Clone, Debug)]
pub struct Document {
    pub dialect: Dialect,
    /// The document alone, without white space around it.
    pub json: String,
    pub text: String,
    pub cuts: Cuts,
    /// Whether it comes before the name and is more than can be held.
    pub waits_too_long: bool,
}

/// The tool's name in all documents.
pub const NAME: &str = "read";

const LATE_NAME: &str = ",\"name\":\"read\"";

/// Makes a document from a byte string.
pub fn document(data: &[u8]) -> Document {
    let mut choices = Choices::new(data);
    let form = choices.below(5);
    let cut_bytes = soup::cut_bytes(&mut choices);
    let [one, two] = [choices.of(WHITE), choices.of(WHITE)];
    let mut json = String::new();
    // After a name that stands alone, arguments are an object.
    match form == 4 || !choices.one_in(8) {
        true => object(&mut choices, &mut json, 0),
        false => value(&mut choices, &mut json, 0),
    }
    let (dialect, text) = match form {
        0 => (Dialect::HERMES, format!("{{\"name\":{one}\"{NAME}\",\"arguments\":{two}{json}}}")),
        1 => (Dialect::HERMES, format!("{{{one}\"arguments\"{two}:{json}{LATE_NAME}}}")),
        2 => (
            Dialect::TOOL_CALL,
            format!("[{{\"name\":\"{NAME}\",\"x\":{json},\"args\":{one}{json}{two}}}]"),
        ),
        3 => (
            Dialect::HERMES,
            format!("{{\"function\":{{\"name\":\"{NAME}\",\"input\":{one}{json}}}{two}}}"),
        ),
        // A glm object must confirm the name: a key, or nothing, follows its brace.
        _ => (Dialect::GLM, format!("{NAME}{one}{json}{two}")),
    };
    let text = format!("<tool_call>{text}</tool_call>");
    let cuts = soup::cuts(&cut_bytes, text.len());
    let waits_too_long = form == 1 && json.len() + LATE_NAME.len() > bounds::ARGUMENTS;
    Document { dialect, json, text, cuts, waits_too_long }
}

const WHITE: &[&str] = &["", "", "", " ", "\n", "\t", "\r\n", "  \n "];

/// Whole pieces of a string.
const PIECES: &[&str] = &[
    "",
    "a",
    "path",
    "name",
    "arguments",
    "\\\"",
    "\\\\",
    "\\/",
    "\\b\\f\\n\\r\\t",
    "\\u0000",
    "\\u00e9",
    "\\ud83e\\udd80",
    "\\uD83D\\uDC1D",
    "\\u003c",
    "é",
    "🦀",
    "\u{2028}\u{7f}",
    "</tool_call>",
    "<tool_call>",
    "<function=read>",
    "</arg_value>",
    "<",
    "'",
    "`",
    "//",
    "/*",
    "*/",
    "{",
    "}",
    "[]",
    ",:",
    "\\\\\\\"",
    "```",
];

const WORDS: &[&str] = &[
    "true",
    "false",
    "null",
    "0",
    "-0",
    "12",
    "-7",
    "1.0",
    "0.1",
    "-1.5e+3",
    "1E-7",
    "9007199254740993",
    "9223372036854775808",
    "18446744073709551615",
    "-9223372036854775808",
    "18446744073709551616",
    "123456789012345678901234567890",
    "3.141592653589793238462643383279",
    "5e-324",
    "1.7976931348623157e308",
];

/// The deepest level of nesting by choice. [`deep`] goes further.
const LEVELS: usize = 6;

fn value(choices: &mut Choices<'_>, out: &mut String, level: usize) {
    match choices.below(12) {
        0..=2 if level < LEVELS => object(choices, out, level),
        3 | 4 if level < LEVELS => array(choices, out, level),
        5 if level < LEVELS => deep(choices, out),
        6..=8 => string(choices, out),
        _ => out.push_str(choices.of(WORDS)),
    }
}

fn white(choices: &mut Choices<'_>, out: &mut String) {
    out.push_str(choices.of(WHITE));
}

fn object(choices: &mut Choices<'_>, out: &mut String, level: usize) {
    out.push('{');
    white(choices, out);
    for number in 0..choices.of(&[1, 2, 0, 3]) {
        if number > 0 {
            out.push(',');
            white(choices, out);
        }
        string(choices, out);
        white(choices, out);
        out.push(':');
        white(choices, out);
        value(choices, out, level + 1);
        white(choices, out);
    }
    out.push('}');
}

fn array(choices: &mut Choices<'_>, out: &mut String, level: usize) {
    out.push('[');
    white(choices, out);
    for number in 0..choices.of(&[1, 2, 0, 3]) {
        if number > 0 {
            out.push(',');
            white(choices, out);
        }
        value(choices, out, level + 1);
        white(choices, out);
    }
    out.push(']');
}

/// Writes deep values, within the depth that `serde_json` reads.
fn deep(choices: &mut Choices<'_>, out: &mut String) {
    let levels = choices.of(&[7, 30, 100]);
    let (open, close) = choices.of(&[("[", "]"), ("{\"\":", "}"), ("[{\"a\":[", "]}]")]);
    let times = levels / open.matches(['[', '{']).count();
    out.push_str(&open.repeat(times));
    out.push_str(choices.of(WORDS));
    out.push_str(&close.repeat(times));
}

fn string(choices: &mut Choices<'_>, out: &mut String) {
    out.push('"');
    for _ in 0..choices.of(&[1, 0, 2, 4]) {
        out.push_str(choices.of(PIECES));
    }
    if choices.one_in(16) {
        out.push_str(&"x".repeat(choices.of(&[100, 1_000, 20_000])));
    }
    out.push('"');
}
