//! The XML dialects: `cline`, `code-assistant`.
//!
//! It looks like XML and is none: no entities, no CDATA, no comments, attributes only where the
//! grammar shows them, names are case-sensitive. In the grammars `ws` is white space, `junk` is
//! anything that is no marker there.

mod cline;
mod code_assistant;

pub(super) use cline::cline;
pub(super) use code_assistant::{code_assistant, template as code_assistant_template};

use std::borrow::Cow::Borrowed;

use crate::dialect::template::{LIMITS, Placeholders, PromptForm};

/// This section, with the tools in words, each with an example of its own.
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
