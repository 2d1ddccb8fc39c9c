//! Functionary 3.2: messages with a recipient on a line of its own.
//!
//! ```text
//! stream  := ( ">>>"? header body | text ) ( ">>>" header body )*
//! header  := ( "all" | NAME ) line-break
//! body    := text, to "all" | object, the arguments | anything else, one parameter
//! ```
//! The model's output begins inside a header. If it does not, everything is text from its first byte: a first
//! line that is neither `all` nor a declared name is a header only if the next one begins with `{`. Later, `>>>`
//! and a whole header count at the start of a line and right after a call. A header to `all` or to a declared
//! tool also counts in the middle of a line. A body for a tool that is not an object is its parameter `code`,
//! verbatim, and a stop token is its closer. No shape: only the name on a line shows that it is a header.

use super::facts::Facts;
use super::json_array::written;

/// The dialect `functionary`. Results are messages of the role `tool`.
pub(crate) fn functionary() -> Facts {
    let about = "recipients on lines of their own: >>>NAME, and the arguments as JSON";
    let template = written(">>>{name}\n{arguments}").template();
    Facts { input: "code".into(), ..Facts::new("functionary", about, template) }
}
