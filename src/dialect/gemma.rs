//! `gemma4` and `functiongemma`: literals between tokens. Their rules follow from
//! [`literals`](super::shape).
//!
//! ```text
//! call   := OPEN ws ( "call"? ":" )? NAME ws "("? object ")"? ws CLOSE?
//! object := "{" ( key ":" value ( "," key ":" value )* )? "}"         key := words | string
//!         | "(" the same, also with "=" for ":" ")"
//! value  := string | object | "[" … "]" | word
//! string := QUOTE … QUOTE without escapes  |  "…"
//! ```
//! A comma may be missing behind a string or a bracket, before a key that is declared, and the opening quote of a string of
//! at most 1 KiB, where a key or a closing bracket follows the closing one ([`bare`](crate::json::bare)): `repaired_json`.
//! The members of the object are the parameters. The closer may be missing: stop tokens are eaten by servers.

use std::borrow::Cow::Borrowed;

use super::bracket::invented;
use super::build::rule;
use super::shape::{Shape, texts};
use super::spec::{DialectSpec, Flags};
use super::template::{LiteralForm, stop, tools_prompt};
use crate::pattern;

/// What both have.
fn shape(quote: &'static str) -> Shape {
    let separated =
        LiteralForm { separator: ":".into(), between: ",".into(), ..LiteralForm::default() };
    Shape {
        literals: Some(LiteralForm { quote: quote.into(), ..separated }),
        between: Some("".into()),
        results: "{result}{result}".into(),
        // It begins with a stop token.
        invented: Some("".into()),
        ..Shape::default()
    }
}

/// The dialect `gemma4`.
pub(crate) fn gemma4() -> DialectSpec {
    // What a channel begins with; a doubled one is markup.
    let doubled = rule(pattern!["<|channel>"]).follow([pattern!["<|channel>thought"]]);
    let mut shape = Shape {
        name: "gemma4".into(),
        about: "literals between tokens: <|tool_call>call:NAME{key:<|\"|>…<|\"|>}<tool_call|>"
            .into(),
        call: "<|tool_call>call:{name}{{arguments}}<tool_call|>".into(),
        reasoning: Some("<|channel>thought{reasoning}<channel|>".into()),
        tokens: texts(&["<|tool_response>", "<turn|>", "<|turn>", "<end_of_turn>", "<eos>"]),
        also_rules: vec![
            doubled.not(Flags::REASONING),
            invented(pattern!["<|tool_response>response:"]),
        ],
        result: "<|tool_response>response:{name}{value:<|\"|>{content}<|\"|>}<tool_response|>"
            .into(),
        stop: Some(stop(&[Borrowed("<tool_call|>")], &[Borrowed("<|tool_response>")])),
        ..shape("<|\"|>")
    };
    shape.literals.iter_mut().for_each(|literals| literals.sorted = true);
    shape.built_in()
}

/// The dialect `functiongemma`. Its template writes every value as a string.
pub(crate) fn functiongemma() -> DialectSpec {
    const RESPONSE: &str = "<start_function_response>";
    let mut shape = Shape {
        name: "functiongemma".into(),
        about: "the same with words: <start_function_call>call:NAME{key:<escape>…<escape>}".into(),
        call: "<start_function_call>call:{name}{{arguments}}<end_function_call>".into(),
        reasoning: Some("".into()),
        also_rules: vec![invented(pattern!["<start_function_response>response:"])],
        tokens: texts(&[RESPONSE, "<end_of_turn>", "<start_of_turn>", "<turn|>", "<eos>"]),
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
    shape.built_in()
}
