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

use crate::dialect::template::Placeholders;

/// A tool in words, with an example of its own.
const TOOL: &str = "\
### {name}
{description}
Parameters:{parameters}
{example}";

/// What stands in a form that is shown with tags.
const NAMES: Placeholders = Placeholders {
    name: Borrowed("tool_name"),
    params: Borrowed(&[
        (Borrowed("parameter1_name"), Borrowed("value1")),
        (Borrowed("parameter2_name"), Borrowed("value2, possibly\nseveral lines")),
    ]),
};
