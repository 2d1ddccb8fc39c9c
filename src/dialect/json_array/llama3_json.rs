//! `llama3-json`: the whole message is an object, several joined by `; `, or a list of them; or these, a
//! call in Python's syntax or code stand after `<|python_tag|>`, anywhere ([`PythonTag`]). There is no CLOSE.
//!
//! At the start of the message an object counts if its name is that of a declared tool: else it is the
//! answer ([`Tried`]). `<function=N>{…}</function>` counts anywhere. In the form `xlam` a message may
//! begin with reasoning, and the objects may stand in a fence, after `[TOOL_CALLS]` or `<tool_call>`.
//! No shape: what may be the whole message, code, and calls in Python's syntax each have rules of where they stand.

use std::borrow::Cow::{self, Borrowed};

use super::{CALL_BODY, HEADER, OBJECTS, with_header, written};
use crate::dialect::answer::{Fences, Tried};
use crate::dialect::bracket::{body, opener};
use crate::dialect::build::{one_of, rule};
use crate::dialect::prose::{Reasoning, prose_with, think};
use crate::dialect::python_tag::PythonTag;
use crate::dialect::pythonic::LITERALS;
use crate::dialect::shape::{Shape, texts};
use crate::dialect::spec::{DialectSpec, Flags, Gives, Input, Name, Place, Rule, Trial, WS};
use crate::dialect::template::{Template, stop};
use crate::dialect::tool_call::{self, members};
use crate::options::CallsInReasoning;
use crate::pattern;

const BOUNDARY: &[&str] = &["<|eot_id|>", "<|eom_id|>", "<|end_of_text|>", "<|eot|>"];

/// Objects at the start of the message: their sections and bodies come after those of the family.
const TRIED: Tried = Tried {
    trial: Trial::Name,
    gives: Gives::Call,
    tags: Cow::Borrowed(&[]),
    fences: Fences::No,
    wrapped: false,
    section: 2,
    body: 2,
};

/// The dialect `llama3-json`.
pub(in crate::dialect) fn llama3_json() -> DialectSpec {
    dialect("llama3-json", TRIED, Vec::new(), Reasoning::default())
}

/// Its form `xlam`.
pub(in crate::dialect) fn llama3_json_xlam() -> DialectSpec {
    let start = Flags::MESSAGE_START;
    let tags = Cow::Borrowed(&[[Borrowed("<tool_call>"), Borrowed("</tool_call>")]][..]);
    let tried = Tried { tags, fences: Fences::Alone, ..TRIED };
    let more = [
        tried.fenced(start),
        tried.tagged(start, 1),
        vec![tried.after(pattern!["[TOOL_CALLS]"], start)],
    ];
    dialect("llama3-json:xlam", tried, more.concat(), think())
}

fn dialect(
    name: &'static str,
    tried: Tried,
    leads: Vec<Rule>,
    reasoning: Reasoning,
) -> DialectSpec {
    let bodies = tried.body + tried.bodies().len() as u8;
    let objects = Place::Section(OBJECTS);
    let tag = PythonTag { boundary: BOUNDARY, objects, call: 1, value: 0, body: bodies };
    let function = pattern!["<function=", WS, Name::tool(), WS, ">"];
    let function = opener(function, 0, &[pattern!["{", WS, one_of("\"}")]]);
    let mut more = [tried.plain(Flags::MESSAGE_START), leads].concat();
    more.extend(tag.text());
    more.push(function.open(Place::Call(HEADER)));
    for rule in &mut more {
        rule.not = rule.not | Flags::WHOLE;
    }
    let about = "the whole message is {\"name\": …, \"parameters\": {…}}";
    more.push(rule(pattern![BOUNDARY]));
    let spec = DialectSpec {
        calls_in_reasoning: CallsInReasoning::Extract,
        prose: prose_with(more, reasoning),
        sections: vec![tool_call::objects(CALL_BODY, &members(), None)],
        bodies: vec![body(Gives::Call, None, None)],
        boundary: texts(BOUNDARY),
        ..DialectSpec::new(name, about, template())
    };
    let mut spec = with_header(spec, Some("</function>"));
    spec.sections.extend(tried.sections());
    spec.bodies.extend(tried.bodies());
    spec.calls.extend(tag.calls());
    spec.values.push(tag.value());
    spec.bodies.push(tag.body(LITERALS));
    DialectSpec { input: Input("code".into()), ..spec }
}

/// Between a content and the calls behind it: an object counts at the message's start alone.
const AFTER_TEXT: &str = "\n<|python_tag|>";

/// How it is written: results are messages of the role `ipython`.
fn template() -> Template {
    let mut template = Shape {
        between: Some("; ".into()),
        stop: Some(stop(&[], &[Borrowed("<|start_header_id|>")])),
        ..written("{\"name\": {name}, \"parameters\": {arguments}}")
    }
    .template();
    template.call.after_text = Borrowed(AFTER_TEXT);
    template
}
