//! The slow twin: a parser for whole messages, written from the specification and to be read
//! beside it. It looks ahead as far as it likes and is in no hurry; the streaming machine must say
//! the same as it does.
//!
//! `pieces.rs` and `fences.rs` know what stands at an offset in every dialect, `output.rs` gives
//! out events. Each family has a folder: a `grammar.rs` (or what it is made of) that recognises its
//! pieces and has no state, and a reader that walks through the message, a function for each place
//! it can be in.
//!
//! Where the specification leaves two readings, the twin's are:
//!
//! * **The end of the stream is a proof of its own** ([`Proof`](pieces::Proof)). A stream that was
//!   cut ([`Ended::Cut`]) is read like one that the model ended, byte by byte; only what nothing but
//!   the end proves is not complete: the call ends `Incomplete(EndOfStream)`, whatever else is wrong
//!   with it, and a value whose own closer never came is not closed.
//! * **Of a marker that the end of the stream would confirm in its middle** half is enough for a
//!   value's own closer, for `</function>` after `<function=NAME/>` and for the wrapper's closer
//!   after a tail; half a boundary token or half an opener after a tail is prose.
//! * **The tail** of `cline` is the call's closer alone: its wrapper is neither part of it nor another
//!   call's opener. In a section of `invoke` another section's opener counts as one.
//! * **`suspect_marker`** comes once a call, for the first such opener in it, and only for one that
//!   is written as the grammar has it; its key is compared trimmed.
//! * **An object that may go on** after its brace (common.md 8.7) is closed if the model ended there,
//!   open if the stream was cut, and open if the quote of its next key has come.
//! * **A member without a value** is none: `"arguments": }` breaks the call. So does a lone slash
//!   between members; inside one it is nothing. After a value without a comma only `"` begins a
//!   string, and an unquoted key is what repairs call one.
//! * **A body whose name is none**, cut by the end of the stream, is `malformed_call` and `cut_opener`.
//! * **A broken key** of `glm` (no closer, nothing in it, too long) waits for its value like any other,
//!   so that nothing in the value counts; the parameter has no name.
//! * **A value without its opener** may belong to a broken key, too, behind which no line break is framing.
//!   Its first tag is looked for in 256 bytes, tags that are whole in them. At the end of the stream it begins
//!   if any text stands behind the key; an opener of a call in it that nothing confirms is data.
//! * **A second `<arg_key>` behind the first** whose key is too long is the limit's, as one alone would be.
//! * **A tool's name after `<tool:`** (`code-assistant`) may stand in quotes, single or double, as in a shape of a host.
//! * **A key without its opener** may also stand behind a tag that is nobody's.
//! * **`<parameter name=KEY>`** is that text and no other, and ends in `>`; `<function=NAME/>` may have
//!   quotes and white space where `<function=NAME>` may. After the object of a function the same
//!   delimiters are dropped as after that of a block.
//! * **A closer that is cut short** is the call's between parameters, behind a value's own closer and behind a name,
//!   not where it stands in a value, nor behind `NAME</arg_value>` or `</KEY>`.
//! * **Members that are the arguments** (a call's object without their key) make it whole at its brace: it does not go
//!   on. One that is open where a closer ends the object is not read.
//! * **A JSON body is broken before its name** if nothing was read under a name's key by then, be it no name.
//! * **Closers behind a body** of functions or keys, objects too, are those of this dialect; each is told. Behind a
//!   JSON body each needs another one, the block's closer or the end behind it.
//! * **A block's whole opener** may have half a boundary token behind it at the end, and with such tokens it is told as
//!   `cut_opener` if the model ended, too, though it is text.
//! * **Half of a closer at the end of the stream**: the line break before it is markup, as it may be half of what
//!   stands in place of the value's own closer.
//! * **ReAct**: one `:` or `,` goes from the whole name line and from its first word, not from what
//!   stands before a bracket. Blanks after a name may be those of a longer one, however many.

mod fences;
mod output;
mod pieces;
pub mod react;
mod tool_call;
mod xml;

use output::Output;
use toolstream::check::Ended;
use toolstream::{Event, Options, Tool};

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
