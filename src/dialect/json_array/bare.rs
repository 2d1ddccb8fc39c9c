//! JSON of models that follow no form: `bare-json`, and `wrapped-json`, in which a bare object is text.
//!
//! ```text
//! calls := OBJECT … in a lead, or without one         see dialect/answer.rs
//!        | TAG ws NAME ws object ws CLOSER? | "```tool" NAME line-end object ws "```"?      of a declared tool
//!        | "{" … "tool_calls" ":" "[" OBJECT ( "," OBJECT )* "]" … "}"      at the message's start, bare-json alone
//! ```
//! A name before its object is confirmed by the first quote of the object, or by its end. The last line of the
//! grammar is a message in OpenAI's form. Its content beside the calls is markup, and is reported: it is a JSON
//! string, not text as it stands. Members before its calls are few and short: they are pending until the first call
//! shows their owner.

use super::OBJECT_CALL;
use crate::dialect::facts::Facts;
use crate::dialect::shape::Shape;
use crate::dialect::template::tools_prompt;
use crate::options::CallsInReasoning;

/// `bare-json`: an object of a declared tool is a call, bare, in a fence or in tags.
pub(in crate::dialect) fn bare_json() -> Facts {
    Shape {
        name: "bare-json".into(),
        about: "{\"name\": …, \"arguments\": {…}} of a declared tool, bare, in a fence or in tags"
            .into(),
        call: OBJECT_CALL.into(),
        prompt: Some(tools_prompt!(
            "To call a tool, write one JSON object on a line of its own, with its name and its arguments and \
             nothing round it:",
            "The arguments are one JSON object that fits the schema, with every required one in it; of a tool \
             without parameters it is {}. In its strings, quotes and line breaks are escaped."
        )),
        ..shape()
    }
    .facts()
}

/// `wrapped-json`: `bare-json` with something around each object, so that no example is a call.
pub(in crate::dialect) fn wrapped_json() -> Facts {
    Shape {
        name: "wrapped-json".into(),
        about: "<tool_call>{\"name\": …, \"arguments\": {…}}</tool_call> of a declared tool, also in other tags"
            .into(),
        call: format!("<tool_call>\n{OBJECT_CALL}\n</tool_call>").into(),
        ..shape()
    }
    .facts()
}

fn shape() -> Shape {
    Shape {
        calls_in_reasoning: Some(CallsInReasoning::Ignore),
        result: "Result of {name}:\n{content}".into(),
        invented: Some("".into()),
        ..Shape::default()
    }
}
