//! The slow twin: a parser of whole messages, written from the specification, to be read next to it. It looks ahead as far as it
//! likes, and need not be fast. The streaming machine must have the same events.
//!
//! `pieces.rs` and `fences.rs` recognise pieces that every dialect has, and `output.rs` writes the events. Each family has a
//! folder. A `grammar.rs` (or its parts) recognises pieces and has no state. A reader walks through the message, with a function
//! for each place of it.
//!
//! Where the specification allows two readings, the twin takes these:
//!
//! * **The end of the stream is a proof of its own** ([`Proof`](pieces::Proof)). A stream that was cut ([`Ended::Cut`]) is read
//!   like one that the model ended, byte by byte. But a call or a value that only the end proves is not complete. Such a call
//!   ends `Incomplete(EndOfStream)`, whatever else is wrong with it. A value whose own closer never came is not closed.
//! * **If the end of the stream would confirm a marker in its middle**, half is enough for a value's own closer, for
//!   `</function>` after `<function=NAME/>`, and for the wrapper's closer after a tail. Half a boundary token, or half an opener
//!   after a tail, is prose.
//! * **The tail** of `cline` is only the call's closer. The wrapper is neither part of it nor another call's opener. In a section
//!   of `invoke`, another section's opener counts as a call's opener.
//! * **`suspect_marker`** comes once a call, for the first such opener in it, and only for a well-formed one. Its key is compared
//!   trimmed.
//! * **An object that may go on** after its brace (common.md 8.7) is closed if the model ended there. It is open if the stream
//!   was cut, or if the quote of its next key has come.
//! * **A member without a value** is no member: `"arguments": }` breaks the call. So does a lone slash between members. Inside a
//!   member a slash is nothing. After a value without a comma only `"` begins a string, and an unquoted key must be one that
//!   repairs accept.
//! * **A body with a bad name**, cut by the end of the stream, is `malformed_call` and `cut_opener`.
//! * **A broken key** of `glm` (without a closer, empty, or too long) waits for its value like any other, so nothing in the value
//!   counts. The parameter has no name.
//! * **A value without its opener** may belong to a broken key, too. Behind such a key no line break is framing. The value's
//!   first tag is searched in 256 bytes, which must hold the whole tag. At the end of the stream the value begins if any text
//!   stands behind the key. An opener of a call in it that nothing confirms is data.
//! * **A second `<arg_key>` behind the first** with a key that is too long exceeds the limit, as a single one would.
//! * **A tool's name after `<tool:`** (`code-assistant`) may stand in single or double quotes, as in a shape of a host.
//! * **A key without its opener** may also stand behind an unknown tag.
//! * **`<parameter name=KEY>`** has exactly this text, and ends in `>`. `<function=NAME/>` may have quotes and white space where
//!   `<function=NAME>` may. After the object of a function, the same delimiters are dropped as after the object of a block.
//! * **A closer that is cut short** is the call's between parameters, behind a value's own closer, and behind a name. It is not
//!   the call's in a value, nor behind `NAME</arg_value>` or `</KEY>`.
//! * **Members that are the arguments** (in a call's object without an arguments key) make the object whole at its brace, so it
//!   does not go on. A member that is open where a closer ends the object is not read.
//! * **A JSON body is broken before its name** if nothing stood under a name's key by then, not even a bad name.
//! * **Closers behind a body** of functions or keys, or behind an object there, are those of this dialect. Each is reported.
//!   Behind a JSON body, each needs another closer behind it, the block's closer, or the end.
//! * **A block's whole opener** may have half a boundary token behind it at the end of the stream. With such tokens it is
//!   reported as `cut_opener`, even if the model ended, although it is text. With more than two of them it is plain text.
//! * **Half of a closer at the end of the stream**: the line break before it is markup, because the half may begin a closer that
//!   stands in place of the value's own.
//! * **ReAct**: one `:` or `,` is removed from the whole name line and from its first word, but not from the text before a
//!   bracket. Blanks after a name, however many, may belong to a longer name.

mod fences;
mod output;
mod pieces;
pub mod react;
mod tool_call;
mod xml;

use output::Output;
use toolstream::check::Ended;
use toolstream::{Event, Tool, options::Options};

/// The events of a whole message that ended like this, neighbouring slices of the same kind joined.
///
/// Panics only on the name of a dialect that it does not speak.
pub fn oracle(
    dialect: &str,
    tools: &[Tool],
    options: &Options,
    input: &str,
    ended: Ended,
) -> Vec<Event<String>> {
    let out = Output::new(input, options, ended);
    let out = match dialect {
        "cline" | "code-assistant" | "invoke" => xml::read(dialect, tools, out),
        "hermes" | "qwen3-coder" | "glm" | "tool-call" => tool_call::read(dialect, tools, out),
        "react" => react::read(tools, out),
        other => panic!("the oracle does not speak {other}"),
    };
    out.finished()
}
