//! `gigachat3`: OPEN is `function call<|role_sep|>` or `<|function_call|>`, before an object; there is no
//! CLOSE.

use std::borrow::Cow::Borrowed;

use super::{Arrays, written};
use crate::dialect::spec::DialectSpec;
use crate::dialect::template::{Template, object, results, stop};
use crate::dialect::tool_call;
use crate::pattern;

/// The dialect `gigachat3`.
pub(in crate::dialect) fn gigachat3() -> DialectSpec {
    let open = vec![pattern!["function call<|role_sep|>"], pattern!["<|function_call|>"]];
    let arrays = Arrays {
        begin: tool_call::object(),
        tokens: &["<|function_call|>"],
        boundary: &["<|message_sep|>", "</s>"],
        ..Arrays::new(open, &[])
    };
    let about = "<|function_call|>{\"name\": …, \"arguments\": {…}}";
    arrays.dialect(DialectSpec::new("gigachat3", about, template()))
}

/// How it is written.
fn template() -> Template {
    written(
        object("<|function_call|>{\"name\": {json_name}, \"arguments\": ", "}"),
        results(
            "function result<|role_sep|>\n{content}<|message_sep|>\n\n",
            "function result<|role_sep|>\nError: {content}<|message_sep|>\n\n",
            "",
        ),
        stop(&[], &[Borrowed("function result<|role_sep|>")]),
    )
}

/// Of GigaChat 3: a call is a message of a role of its own.
pub(in crate::dialect) fn gigachat3_role() -> Template {
    Template {
        call: object("function call<|role_sep|>\n{\"name\": {json_name}, \"arguments\": ", "}"),
        ..template()
    }
}
