//! `muse`: a section is a message to a tool.
//!
//! ```text
//! message := ( "<|start|>" ws "assistant" )? ( ws "to=" ws RECIPIENT )? ws "<|message|>" BODY END
//! END     := "<|eom|>" | "<|eot|>"
//! ```
//! RECIPIENT says what the message is: `self` and `developer` make it reasoning, `user`, `commentary`
//! or none text, and any other a section of `invoke` with `atem:` in its tags. END or the next header with
//! `<|start|>` ends a message wherever it stands: in a value, too, and then the call is broken. Half a header
//! at the end of the stream is markup. The tags with `atem:` are no tokens: in a value the next call of the
//! same message is data, and is told (`suspect_marker`). The opener of a declared parameter that the call lacks ends
//! a value all the same.

use std::borrow::Cow::Borrowed;

use super::facts::Facts;
use super::shape::Shape;
use super::template::CallForm;
use crate::options::CallsInReasoning;

/// The dialect `muse`.
pub(in crate::dialect) fn muse() -> Facts {
    let mut facts = Shape {
        name: "muse".into(),
        about: "messages with headers; in those to a tool <atem:invoke name=\"…\">".into(),
        section: "<atem:function_calls>\n{calls}\n</atem:function_calls>".into(),
        call: "<atem:invoke name=\"{name}\">\n{arguments}</atem:invoke>".into(),
        argument: "<atem:parameter name=\"{key}\">{value}</atem:parameter>\n".into(),
        // Headers say what is reasoning: what a call in it would be is no question.
        calls_in_reasoning: Some(CallsInReasoning::Ignore),
        result: "<|start|>tool {name}<|message|><tool_output name=\"{name}\">\n{content}\n\
                 </tool_output><|eot|>"
            .into(),
        results: "{result}{result}".into(),
        ..Shape::default()
    }
    .facts();
    facts.template.call = CallForm {
        section_open: Borrowed(""),
        open: Borrowed(
            "<|start|>assistant to={name}<|message|><atem:function_calls>\n\
             <atem:invoke name=\"{name}\">\n",
        ),
        close: Borrowed("</atem:invoke>\n</atem:function_calls>"),
        between: Borrowed("<|eom|>"),
        section_close: Borrowed("<|eot|>"),
        ..facts.template.call
    };
    facts
}
