//! `deepseek-v3`, `deepseek-v31`: one table, two ways to write.
//!
//! ```text
//! header := NAME SEP | word SEP NAME      ( "```" letters )?, and then a fence after the object, too
//! ```

use std::borrow::Cow::Borrowed;

use super::PROMPT;
use crate::dialect::parts::opener;
use crate::dialect::shape::calls::CALLS;
use crate::dialect::shape::{Or, Shape, texts};
use crate::dialect::spec::{DialectSpec, Flags, Name, Piece, Place, WS};
use crate::dialect::template::{CallForm, stop};
use crate::pattern;

/// The dialects `deepseek-v3` and `deepseek-v31`.
fn deepseek(name: &'static str, about: &'static str) -> DialectSpec {
    let shape = Shape {
        name: name.into(),
        about: about.into(),
        section: "<｜tool▁calls▁begin｜>{calls}<｜tool▁calls▁end｜>".into(),
        call: "<｜tool▁call▁begin｜>{name}<｜tool▁sep｜>{arguments}<｜tool▁call▁end｜>".into(),
        or: vec![Or::json(
            "<｜tool▁call▁begin｜>{word}<｜tool▁sep｜>{name}\n```json\n{arguments}\n\
             ```<｜tool▁call▁end｜>",
        )],
        between: Some("".into()),
        tokens: texts(&["<｜end▁of▁sentence｜>", "<｜User｜>", "<｜Assistant｜>"]),
        special: true,
        prompt: Some(PROMPT),
        result: "<｜tool▁output▁begin｜>{content}<｜tool▁output▁end｜>".into(),
        results: "<｜tool▁outputs▁begin｜>{result}{result}<｜tool▁outputs▁end｜>".into(),
        stop: Some(stop(&[], &[Borrowed("<｜tool▁outputs▁begin｜>")])),
        ..Shape::default()
    };
    let mut spec = shape.built_in();
    // A tool of that name is called by its object alone: before a fence or nothing the word names none.
    for rule in spec.rules_mut() {
        if let Some(Piece::Name(name)) = rule.mark.get_mut(2) {
            name.not.push("function".into());
        }
    }
    let whole = pattern!["<｜tool▁call▁begin｜>", WS, Name::tool(), WS, "<｜tool▁sep｜>"];
    let confirms = [pattern!["{"]];
    let bare = opener(whole.clone(), 1, &confirms).not(Flags::REASONING).sets(Flags::OWED);
    spec.prose[0].rules.insert(1, bare.before().open(Place::Section(CALLS)));
    let call = opener(whole, 0, &confirms).open(Place::Call(0));
    spec.sections[CALLS as usize].rules.insert(0, call);
    spec
}

/// The dialect `deepseek-v3`.
pub(in crate::dialect) fn deepseek_v3() -> DialectSpec {
    let about = "<｜tool▁call▁begin｜>function<｜tool▁sep｜>NAME and a fenced JSON object";
    let mut spec = deepseek("deepseek-v3", about);
    spec.template.call = CallForm {
        open: Borrowed("<｜tool▁call▁begin｜>function<｜tool▁sep｜>{name}\n```json\n"),
        close: Borrowed("\n```<｜tool▁call▁end｜>"),
        between: Borrowed("\n"),
        ..spec.template.call
    };
    spec
}

/// The dialect `deepseek-v31`.
pub(in crate::dialect) fn deepseek_v31() -> DialectSpec {
    deepseek("deepseek-v31", "<｜tool▁call▁begin｜>NAME<｜tool▁sep｜>{…}<｜tool▁call▁end｜>")
}
