//! `granite` and `phi4`.
//!
//! | | OPEN | CLOSE |
//! |---|---|---|
//! | `granite` | `<tool_call>` `<\|tool_call\|>` | `</tool_call>` |
//! | `phi4` | `functools` before `[`, `<\|tool_call\|>` | `<\|/tool_call\|>` |
//!
//! In `granite` the body may stand in a fence.

use std::borrow::Cow::Borrowed;

use super::{Arrays, OBJECTS, PLAIN, markup, written};
use crate::dialect::build::prefixed;
use crate::dialect::parts::{opener, think};
use crate::dialect::spec::{DialectSpec, Place, WS};
use crate::dialect::template::{NO_STOP, Template, list, results, stop};
use crate::dialect::tool_call;
use crate::pattern;

/// The dialect `granite`.
pub(in crate::dialect) fn granite() -> DialectSpec {
    let arrays = Arrays {
        begin: tool_call::json(),
        more: vec![markup(&["<response>", "</response>"])],
        reasoning: think(),
        ..Arrays::new(vec![pattern!["<|tool_call|>"], pattern!["<tool_call>"]], &["</tool_call>"])
    };
    let about = "<|tool_call|>[{\"name\": …, \"arguments\": {…}}]";
    let spec = DialectSpec::new("granite", about, granite_template());
    DialectSpec { stripped: true, ..arrays.dialect(spec) }
}

/// The dialect `phi4`.
pub(in crate::dialect) fn phi4() -> DialectSpec {
    let list = prefixed(pattern!["[", WS], &tool_call::object());
    let word = opener(pattern!["functools"], 0, &list).open(Place::Section(OBJECTS));
    let arrays = Arrays {
        more: vec![word],
        reasoning: think(),
        ..Arrays::new(vec![pattern!["<|tool_call|>"]], &["<|/tool_call|>"])
    };
    let about = "functools[{\"name\": …, \"arguments\": {…}}]";
    let spec = DialectSpec::new("phi4", about, phi4_template());
    DialectSpec { stripped: true, ..arrays.dialect(spec) }
}

/// How `granite` is written: results are messages of the role `tool_response`.
fn granite_template() -> Template {
    written(list("<|tool_call|>[", "]"), PLAIN, NO_STOP)
}

/// How `phi4` is written.
fn phi4_template() -> Template {
    written(
        list("<|tool_call|>[", "]<|/tool_call|>"),
        results("<|tool_response|>{content}", "<|tool_response|>Error: {content}", ""),
        stop(&[Borrowed("<|/tool_call|>")], &[Borrowed("<|tool_response|>")]),
    )
}

/// Of ERNIE 4.5.
pub(in crate::dialect) fn ernie() -> Template {
    Template { call: tool_call::hermes_template().call, ..granite_template() }
}
