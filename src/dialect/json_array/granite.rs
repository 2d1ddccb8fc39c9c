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
use crate::dialect::answer::{Fences, Tried};
use crate::dialect::build::prefixed;
use crate::dialect::parts::{opener, think};
use crate::dialect::spec::{DialectSpec, Flags, Gives, Place, Trial, WS};
use crate::dialect::template::{NO_STOP, Template, list, results, stop};
use crate::dialect::tool_call;
use crate::pattern;

/// The dialect `granite`.
pub(in crate::dialect) fn granite() -> DialectSpec {
    let arrays = Arrays {
        begin: tool_call::json(),
        more: vec![markup(&["<response>", "</response>"])],
        boundary: &["<|end_of_text|>", "<|start_of_role|>", "<|end_of_role|>"],
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
        boundary: &["<|end|>", "<|endoftext|>"],
        ..Arrays::new(vec![pattern!["<|tool_call|>"]], &["<|/tool_call|>"])
    };
    let about = "functools[{\"name\": …, \"arguments\": {…}}]";
    let spec = DialectSpec::new("phi4", about, phi4_template());
    DialectSpec { stripped: true, ..arrays.dialect(spec) }
}

/// Its form `bare`: at the start of the message also objects, or a list of them, without an opener.
pub(in crate::dialect) fn phi4_bare() -> DialectSpec {
    let mut spec = phi4();
    let tried = Tried {
        trial: Trial::Name,
        gives: Gives::Call,
        tags: &[],
        fences: Fences::No,
        section: spec.sections.len() as u8,
        body: spec.bodies.len() as u8,
    };
    spec.prose[0].rules.extend(tried.plain(Flags::MESSAGE_START));
    spec.sections.extend(tried.sections());
    spec.bodies.extend(tried.bodies());
    DialectSpec { name: "phi4:bare".into(), ..spec }
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
