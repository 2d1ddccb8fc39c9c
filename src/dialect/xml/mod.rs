//! The XML dialects: `cline`, `code-assistant`.
//!
//! They look like XML but are not: no entities, no CDATA, no comments. Attributes stand only where the
//! grammar shows them, and names are case-sensitive. In the grammars `ws` is white space, and `junk` is
//! anything that is not a marker there.

mod cline;
mod code_assistant;

pub(super) use cline::cline;
pub(super) use code_assistant::{code_assistant, template as code_assistant_template};

use std::borrow::Cow::Borrowed;

use crate::dialect::template::{LIMITS, Placeholders, PromptForm};

/// A section of the prompt, with the tools in words, each with an example of its own.
const fn in_words(text: &'static str) -> PromptForm {
    PromptForm {
        text: Borrowed(text),
        tool: Borrowed("### {name}\n{description}\nParameters:{parameters}\n{example}"),
        between: Borrowed("\n\n"),
        example: Borrowed("Usage:\n{call}"),
        placeholders: Placeholders {
            name: Borrowed("tool_name"),
            params: Borrowed(&[
                (Borrowed("parameter1_name"), Borrowed("value1")),
                (Borrowed("parameter2_name"), Borrowed("value2, possibly\nseveral lines")),
            ]),
        },
        limits: LIMITS,
    }
}
