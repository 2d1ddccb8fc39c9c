//! Messages in envelopes: `harmony`, of gpt-oss, and `beam`. [`envelope`](crate::family::envelope) reads
//! them.

use super::facts::Facts;
use super::shape::{Or, Shape};
use super::template::{prompt, tools_prompt};

/// The common parts of both shapes.
fn shape() -> Shape {
    Shape {
        message: "<|start|>{header}<|message|>{body}<|end|>".into(),
        between: Some("".into()),
        results: "{result}{result}".into(),
        invented: Some("".into()),
        ..Shape::default()
    }
}

/// The dialect `harmony`.
pub(crate) fn harmony() -> Facts {
    Shape {
        name: "harmony".into(),
        about: "messages with a channel and a recipient: to=functions.NAME<|message|>{…}<|call|>"
            .into(),
        call: "<|start|>assistant to=functions.{name}<|channel|>commentary json<|message|>\
               {arguments}<|call|>"
            .into(),
        or: vec![Or::json(
            "<|start|>assistant<|channel|>commentary to=functions.{name} <|constrain|>json\
             <|message|>{arguments}<|call|>",
        )],
        result: "<|start|>functions.{name} to=assistant<|channel|>commentary<|message|>{content}\
                 <|end|>"
            .into(),
        prompt: Some(prompt(
            "\
# Tools

You can call functions. Each of these lines is one of them, as JSON with a JSON Schema of its \
parameters:
{tools}

A call is a message of its own in the channel `commentary`, with the function as its recipient and \
one JSON object with the arguments as its body:
{form}

The arguments must fit the schema, with every required one; a function without parameters gets {}. \
Quotes and line breaks in strings are escaped, as JSON has it.
{limit}

{example}",
        )),
        ..shape()
    }
    .facts()
}

/// The dialect `beam`. Names of tools have no prefix.
pub(crate) fn beam() -> Facts {
    Shape {
        name: "beam".into(),
        about: "messages to=NAME<|message|>, in them <rfl:parameter name=\"…\">".into(),
        call: "<|start|>assistant to={name}<|channel|>analysis <|constrain|>xml<|message|>\
               {arguments}<|call|>"
            .into(),
        argument: "<rfl:parameter name=\"{key}\">\n{value}\n</rfl:parameter>".into(),
        sorted: true,
        result: "<|start|>{name} to=assistant<|channel|>analysis<|message|>{content}<|end|>".into(),
        prompt: Some(tools_prompt!(
            "A call is a message of its own in the channel `analysis`, with the tool as its \
             recipient and one element for each parameter that you give:",
            "Give every required parameter. Write strings as they are, without quotes and \
             escapes; lists, objects, numbers and booleans as JSON."
        )),
        ..shape()
    }
    .facts()
}
