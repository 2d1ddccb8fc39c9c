//! `mistral`: OPEN is `[TOOL_CALLS]`, there is no CLOSE.
//!
//! ```text
//! call := "[TOOL_CALLS]" ws NAME ws ( "[CALL_ID]" ws ID ws )? ( "[ARGS]" ws )? object
//!       | NAME "[TOOL_CALLS]" ws ( "[ARGS]" ws )? object
//! ```
//! These count, too; the second, a mistake, where NAME is declared and a word of its own. Reasoning stands in `<think>` or `[THINK]`.

use std::borrow::Cow::Borrowed;

use super::{ARGS, CALL_ID, HEADER, OBJECT_CALL, with_header, written};
use crate::dialect::bracket::{invented, opener};
use crate::dialect::build::{prefixed, rule};
use crate::dialect::closers::with_cut_openers;
use crate::dialect::prose::reasoning_between;
use crate::dialect::shape::{Shape, texts};
use crate::dialect::spec::{
    At, AtEnd, Chars, DialectSpec, Flags, Known, Name, Piece, Place, ProseKind, Rule, Run, Scope,
    WS, What,
};
use crate::dialect::template::{Template, stop};
use crate::dialect::tool_call::plain_json;
use crate::event::DiagnosticKind;
use crate::pattern;

/// The dialect `mistral`.
pub(in crate::dialect) fn mistral() -> DialectSpec {
    const OPEN: &str = "[TOOL_CALLS]";
    let id = pattern![CALL_ID, WS, Name::id(), WS];
    let object = [pattern!["{"], pattern![ARGS, WS, "{"]];
    let follow = [object.to_vec(), prefixed(id, &object)].concat();
    let named = opener(pattern![OPEN, WS, Name::tool()], 0, &follow).open(Place::Call(HEADER));
    // What begins a call, whole: before it a second token is markup.
    let begin = [plain_json(), prefixed(pattern![Name::tool(), WS], &follow)].concat();
    // All of it is held: the white space after the first is half of what may stand elsewhere.
    let white = Run { chars: Chars::WHITE, min: 0, max: 128 };
    let doubled = opener(pattern![OPEN, white], 1, &prefixed(pattern![OPEN, WS], &begin));
    let before = named_before(OPEN);
    let empty = rule(pattern![OPEN, WS, "[", WS, "]"]).noise();
    let shape = Shape {
        name: "mistral".into(),
        about: "[TOOL_CALLS]NAME[ARGS]{…}, or [TOOL_CALLS] and a list of JSON calls".into(),
        section: "[TOOL_CALLS]{calls}".into(),
        call: OBJECT_CALL.into(),
        // Nine letters and digits.
        id: "toolcall{index}".into(),
        tokens: texts(&["</s>"]),
        also_rules: vec![named, before, doubled, invented(pattern!["[TOOL_RESULTS]"]), empty],
        ..Shape::default()
    };
    let spec = with_think(with_cut_openers(shape.built_in(), true));
    with_header(DialectSpec { ids: true, template: form().template(), ..spec }, None)
}

/// Reasoning between `[THINK]` and `[/THINK]`, too, in which no call counts; one that the prompt opened ends there as well.
fn with_think(spec: DialectSpec) -> DialectSpec {
    const THOUGHT: Place = Place::Prose(2);
    let [open, close] = [pattern!["[THINK]"], pattern!["[/THINK]"]];
    let [in_text, mut in_reasoning] = reasoning_between(open.clone(), close.clone());
    in_reasoning.pop();
    in_reasoning.push(rule(open.clone()).needs(Flags::STREAM_START).open(THOUGHT));
    let mut spec = spec.with_reasoning([in_text, in_reasoning]);
    for opens in spec.prose[0].rules.iter_mut().filter(|rule| rule.mark == open) {
        opens.action.what = What::Open(THOUGHT);
    }
    let ends = rule(close).close(Scope::Prose).then(Place::Prose(0));
    spec.prose.push(ProseKind { reasoning: true, answer: false, rules: vec![ends] });
    spec
}

/// The name stands before the token, and after it an object of arguments: not one that names a tool itself,
/// by a first key `name` that is no parameter of this one.
fn named_before(open: &'static str) -> Rule {
    let text = Chars::except("\"");
    let other = Name { not: vec!["name".into()], optional: true, ..Name::param().chars(text) };
    let follow = [
        pattern![ARGS, WS, "{"],
        pattern!["{", WS, Piece::NotNext(Chars::WHITE.and("\""))],
        pattern!["{", WS, "\"", other, "\""],
        pattern!["{", WS, "\"", Name::param().known(Known::Declared), "\""],
    ];
    // Half of it is a word of the text.
    let named = rule(pattern![At::Word, Name::tool().known(Known::Declared), open]).noise();
    let named = named.follow(follow).at_end(AtEnd::Prefix).fixed(3);
    named.note(DiagnosticKind::MalformedTag).open(Place::Call(HEADER))
}

/// How it is written, as its templates write it from v13 on, without ids.
fn form() -> Shape {
    Shape {
        result: "[TOOL_RESULTS]{content}[/TOOL_RESULTS]".into(),
        results: "{result}{result}".into(),
        stop: Some(stop(&[], &[Borrowed("[TOOL_RESULTS]")])),
        ..written("[TOOL_CALLS]{name}[ARGS]{arguments}")
    }
}

/// The same with a list of objects with their ids.
fn with_ids() -> Shape {
    Shape {
        section: "[TOOL_CALLS] [{calls}]".into(),
        call: "{\"name\": {name}, \"arguments\": {arguments}, \"id\": \"{id}\"}".into(),
        between: None,
        ..form()
    }
}

/// Of Mistral's models until 2024.
pub(in crate::dialect) fn mistral_v3() -> Template {
    const RESULT: &str =
        "[TOOL_RESULTS] {\"content\": {json}, \"call_id\": \"{id}\"}[/TOOL_RESULTS]";
    Shape { result: RESULT.into(), ..with_ids() }.template()
}

/// Results with the ids of their calls.
const BY_ID: &str = "[TOOL_RESULTS]{id}[TOOL_CONTENT]{content}[/TOOL_RESULTS]";

/// Of Mistral's models until early in 2025.
pub(in crate::dialect) fn mistral_v7() -> Template {
    Shape { result: BY_ID.into(), ..with_ids() }.template()
}

/// Of Mistral's models until the middle of 2025.
pub(in crate::dialect) fn mistral_v11() -> Template {
    let call = "[TOOL_CALLS]{name}[CALL_ID]{id}[ARGS]{arguments}".into();
    Shape { call, result: BY_ID.into(), ..form() }.template()
}
