//! `mistral`: OPEN is `[TOOL_CALLS]`, there is no CLOSE.
//!
//! ```text
//! call := "[TOOL_CALLS]" ws NAME ws ( "[CALL_ID]" ws ID ws )? ( "[ARGS]" ws )? object
//!       | NAME "[TOOL_CALLS]" ws ( "[ARGS]" ws )? object
//! ```
//! These count, too; the second, a mistake, where NAME is declared and a word of its own. Reasoning stands in `<think>` or `[THINK]`.

use std::borrow::Cow::Borrowed;

use super::{ARGS, CALL_ID, HEADER, OBJECT_CALL, with_header, written};
use crate::dialect::build::{prefixed, rule};
use crate::dialect::parts::{opener, reasoning};
use crate::dialect::shape::{Shape, texts};
use crate::dialect::spec::{
    At, AtEnd, Chars, DialectSpec, Known, Name, Piece, Place, Rule, Run, WS,
};
use crate::dialect::template::{CallForm, ResultForm, Template, list, object, results, stop};
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
    let shape = Shape {
        name: "mistral".into(),
        about: "[TOOL_CALLS]NAME[ARGS]{…}, or [TOOL_CALLS] and a list of JSON calls".into(),
        section: "[TOOL_CALLS]{calls}".into(),
        call: OBJECT_CALL.into(),
        // Nine letters and digits.
        id: "toolcall{index}".into(),
        tokens: texts(&["</s>"]),
        also_rules: vec![named, before, doubled],
        ..Shape::default()
    };
    let spec = shape.built_in().with_reasoning(reasoning("[THINK]", "[/THINK]"));
    with_header(DialectSpec { ids: true, template: template(), ..spec }, &[])
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
fn template() -> Template {
    written(
        object("[TOOL_CALLS]{name}[ARGS]", ""),
        results(
            "[TOOL_RESULTS]{content}[/TOOL_RESULTS]",
            "[TOOL_RESULTS]Error: {content}[/TOOL_RESULTS]",
            "",
        ),
        stop(&[], &[Borrowed("[TOOL_RESULTS]")]),
    )
}

/// A list of objects with their ids.
pub(in crate::dialect) fn with_ids() -> CallForm {
    CallForm { close: Borrowed(", \"id\": \"{id}\"}"), ..list("[TOOL_CALLS] [", "]") }
}

/// Of Mistral's models until 2024.
pub(in crate::dialect) fn mistral_v3() -> Template {
    Template {
        call: with_ids(),
        result: results(
            "[TOOL_RESULTS] {\"content\": {json}, \"call_id\": \"{id}\"}[/TOOL_RESULTS]",
            "[TOOL_RESULTS] {\"content\": {json}, \"call_id\": \"{id}\"}[/TOOL_RESULTS]",
            "",
        ),
        ..template()
    }
}

/// Results with the ids of their calls.
pub(in crate::dialect) fn results_by_id() -> ResultForm {
    results(
        "[TOOL_RESULTS]{id}[TOOL_CONTENT]{content}[/TOOL_RESULTS]",
        "[TOOL_RESULTS]{id}[TOOL_CONTENT]Error: {content}[/TOOL_RESULTS]",
        "",
    )
}

/// Of Mistral's models until early in 2025.
pub(in crate::dialect) fn mistral_v7() -> Template {
    Template { call: with_ids(), result: results_by_id(), ..template() }
}

/// Of Mistral's models until the middle of 2025.
pub(in crate::dialect) fn mistral_v11() -> Template {
    Template {
        call: object("[TOOL_CALLS]{name}[CALL_ID]{id}[ARGS]", ""),
        result: results_by_id(),
        ..template()
    }
}
