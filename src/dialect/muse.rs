//! `muse`: a section is a message to a tool.
//!
//! ```text
//! message := ( "<|start|>" ws "assistant" )? ( ws "to=" ws RECIPIENT )? ws "<|message|>" BODY END
//! END     := "<|eom|>" | "<|eot|>"
//! ```
//! The message depends on RECIPIENT: reasoning for `self` and `developer`, text for `user`, `commentary` or none,
//! and a section of `invoke` with `atem:` in its tags for any other. END, or the next header with `<|start|>`, ends
//! a message wherever it stands. In a value it breaks the call. Half a header at the end of the stream is markup.
//! The tags with `atem:` are no tokens: in a value the next call of the same message is data, and is reported
//! (`suspect_marker`). But the opener of a declared parameter that the call lacks ends a value.

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
        // Headers mark the reasoning, so no call can be in it.
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
