//! `gemma4` and `functiongemma`: literals between tokens. [`literals`](crate::family::literals) reads them.
//!
//! ```text
//! call   := OPEN ws ( "call"? ":" )? NAME ws "("? object ")"? ws CLOSE?
//! object := "{" ( key ":" value ( "," key ":" value )* )? "}"         key := words | string
//!         | "(" the same, also with "=" for ":" ")"
//! value  := string | object | "[" … "]" | word
//! string := QUOTE … QUOTE without escapes  |  "…"
//! ```
//! A comma may be missing behind a string or a bracket, before a declared key ([`bare`](crate::json::bare),
//! `repaired_json`). So may the opening quote of a string of at most 1 KiB, if a key or a closing bracket follows its
//! closing quote. The members of the object are the parameters. The closer may be missing: servers eat stop tokens.

use std::borrow::Cow::Borrowed;

use super::facts::Facts;
use super::shape::Shape;
use super::template::{LiteralForm, stop, tools_prompt};

/// The common parts of both shapes.
fn shape(quote: &'static str) -> Shape {
    let separated =
        LiteralForm { separator: ":".into(), between: ",".into(), ..LiteralForm::default() };
    Shape {
        literals: Some(LiteralForm { quote: quote.into(), ..separated }),
        between: Some("".into()),
        results: "{result}{result}".into(),
        invented: Some("".into()),
        ..Shape::default()
    }
}

/// The dialect `gemma4`.
pub(crate) fn gemma4() -> Facts {
    let mut shape = Shape {
        name: "gemma4".into(),
        about: "literals between tokens: <|tool_call>call:NAME{key:<|\"|>…<|\"|>}<tool_call|>"
            .into(),
        call: "<|tool_call>call:{name}{{arguments}}<tool_call|>".into(),
        reasoning: Some("<|channel>thought{reasoning}<channel|>".into()),
        result: "<|tool_response>response:{name}{value:<|\"|>{content}<|\"|>}<tool_response|>"
            .into(),
        stop: Some(stop(&[Borrowed("<tool_call|>")], &[Borrowed("<|tool_response>")])),
        ..shape("<|\"|>")
    };
    shape.literals.iter_mut().for_each(|literals| literals.sorted = true);
    shape.facts()
}

/// The dialect `functiongemma`. Its template writes each value as a string.
pub(crate) fn functiongemma() -> Facts {
    const RESPONSE: &str = "<start_function_response>";
    let mut shape = Shape {
        name: "functiongemma".into(),
        about: "the same with words: <start_function_call>call:NAME{key:<escape>…<escape>}".into(),
        call: "<start_function_call>call:{name}{{arguments}}<end_function_call>".into(),
        reasoning: Some("".into()),
        prompt: Some(tools_prompt!(
            "To call a tool, write its name and its arguments in this form:",
            "Every value stands between two <escape>: strings as they are, lists, objects, \
             numbers and booleans as JSON. Give every required argument."
        )),
        result: "<start_function_response>response:{name}{value:<escape>{content}<escape>}\
                 <end_function_response>"
            .into(),
        stop: Some(stop(&[Borrowed("<end_function_call>")], &[Borrowed(RESPONSE)])),
        ..shape("<escape>")
    };
    shape.literals.iter_mut().for_each(|literals| literals.strings = true);
    shape.facts()
}
