//! JSON objects between the markers of a model family.
//!
//! ```text
//! section := OPEN ws BODY ws CLOSE?        BODY := object ( ws object )* | "[" ( object ","? )* "]"
//! object  := {"name": N, "arguments": {…}}                                 see machine/json.rs
//! ```
//! OPEN counts if `ws` and an object, or a list with one, follow. The list, or each object by itself,
//! ends where its JSON does, so a CLOSE that a server stripped is not missed; where there is none, the white
//! space before text is that text's. What OPEN and CLOSE are, and what else there is, stands in the file of each
//! dialect: the shapes among them have the rules of `tool_call/`.

mod array;
mod bare;
mod lists;
mod llama3_json;
mod mistral;

pub(super) use array::{apertus, internlm, json_array, json_lines, nemotron};
pub(super) use bare::{bare_json, wrapped_json};
pub(super) use lists::{
    apriel, command_r, ernie, gigachat3, gigachat3_role, granite, phi4, phi4_bare,
};
pub(super) use llama3_json::{llama3_json, llama3_json_xlam};
pub(super) use mistral::{mistral, mistral_v3, mistral_v7, mistral_v11};

use super::bracket::{after_object, body, strict_call};
use crate::dialect::build::rule;
use crate::dialect::shape::Shape;
use crate::dialect::spec::{CallKind, DialectSpec, Flags, Gives, Name, Place, Rule, Scope, WS};
use crate::pattern;

/// The kinds, as the tables number them. Headers and their objects are there only where a rule opens one; a
/// dialect that has neither may number its own kinds of the same use from the same numbers.
const OBJECTS: u8 = 0;
const AFTER_ARGUMENTS: u8 = 1;
const BY_NAME: u8 = 1;
const CALL_BODY: u8 = 0;
const ARGUMENTS: u8 = 1;
const NAMED_ARGUMENTS: u8 = 1;
const HEADER: u8 = 0;
const NAMED: u8 = 0;

/// With calls that name their tool before their object, and that this closes, if something does.
fn with_header(mut spec: DialectSpec, close: Option<&'static str>) -> DialectSpec {
    let end = close.map(|close| rule(pattern![close]).close(Scope::Section));
    spec.sections.push(after_object(end.into_iter().collect()));
    spec.calls.push(header(ARGUMENTS));
    let close = close.map(|close| pattern![close]);
    spec.bodies.push(body(Gives::Arguments, Some(AFTER_ARGUMENTS), close));
    spec
}

/// Tokens that are markup in text.
fn markup(tokens: &'static [&'static str]) -> Rule {
    rule(pattern![tokens]).not(Flags::REASONING)
}

/// Between a tool's name and its arguments, an object that is a body of this kind.
fn header(kind: u8) -> CallKind {
    let rules = vec![
        rule(pattern![CALL_ID, WS, Name::id()]),
        rule(pattern![ARGS]),
        rule(pattern!["{"]).open(Place::Body(kind)),
        rule(pattern!["null"]).close(Scope::Call),
    ];
    strict_call(rules)
}

/// A call of most of them.
const OBJECT_CALL: &str = "{\"name\": {name}, \"arguments\": {arguments}}";

const CALL_ID: &str = "[CALL_ID]";
const ARGS: &str = "[ARGS]";

/// How a call is written where a table says what is read. Results are messages of a role of their own.
pub(super) fn written(call: &'static str) -> Shape {
    Shape {
        call: call.into(),
        between: Some("".into()),
        result: "{content}".into(),
        ..Shape::default()
    }
}
