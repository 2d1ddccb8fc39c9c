//! `dots`: `<dots_function_call>` is the section; or JSON objects stand in it, as in `hermes`.

use std::borrow::Cow::Borrowed;

use super::{Invoke, OBJECT, PROMPT, plain};
use crate::dialect::parts::opener;
use crate::dialect::spec::{DialectSpec, Gives, Place};
use crate::dialect::template::{CallForm, Template, results, stop};
use crate::dialect::tool_call;
use crate::pattern;

/// The dialect `dots`.
pub(in crate::dialect) fn dots() -> DialectSpec {
    const OPEN: &str = "<dots_function_call>";
    let dots = Invoke {
        open: &[OPEN],
        close: &["</dots_function_call>"],
        boundary: &["<|endofassistant|>", "<|im_end|>"],
        ..plain::TAGS
    };
    let about = "<dots_function_call>, a section of <invoke name=\"…\"> or of JSON objects";
    let mut spec = dots.dialect("dots", about, template());
    let objects = opener(pattern![OPEN], 1, &tool_call::json());
    spec.prose[0].rules.insert(1, objects.open(Place::Section(spec.sections.len() as u8)));
    spec.sections.push(tool_call::objects(OBJECT, &tool_call::members(), dots.close));
    spec.bodies.push(tool_call::body(Gives::Call, None, dots.close));
    spec
}

/// How it is written.
fn template() -> Template {
    Template {
        prompt: PROMPT,
        call: CallForm {
            section_open: Borrowed("<dots_function_call>\n"),
            section_close: Borrowed("\n</dots_function_call>"),
            ..plain::template().call
        },
        result: results(
            "<dots_function_response>\n{content}\n</dots_function_response>",
            "<dots_function_response>\nError: {content}\n</dots_function_response>",
            "\n",
        ),
        stop: stop(&[Borrowed("</dots_function_call>")], &[Borrowed("<dots_function_response>")]),
    }
}
