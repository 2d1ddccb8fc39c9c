//! `deepseek-v3`, `deepseek-v31`: one table, two ways to write.
//!
//! ```text
//! header := NAME SEP | word SEP NAME      ( "```" letters )?, and then a fence after the object, too
//! ```

use std::borrow::Cow::Borrowed;

use super::{CALLS, Markers, PROMPT};
use crate::dialect::parts::opener;
use crate::dialect::spec::{Chars, DialectSpec, Flags, Name, Place, Run, WS};
use crate::dialect::template::{CALL, CallForm, ResultForm, Template, stop};
use crate::pattern;

/// The dialects `deepseek-v3` and `deepseek-v31`.
fn deepseek(spec: DialectSpec) -> DialectSpec {
    const SEPARATOR: &str = "<｜tool▁sep｜>";
    let word = Run { chars: Chars::NAME, min: 1, max: crate::bounds::NAME as u16 };
    let markers = Markers {
        open: &["<｜tool▁calls▁begin｜>"],
        close: &["<｜tool▁calls▁end｜>"],
        begin: "<｜tool▁call▁begin｜>",
        end: &["<｜tool▁call▁end｜>"],
        header: vec![
            pattern![Name::tool().not(&["function"]), WS, SEPARATOR],
            pattern![word, WS, SEPARATOR, WS, Name::tool()],
        ],
        last: SEPARATOR,
        tokens: false,
        fenced: true,
        boundary: &["<｜end▁of▁sentence｜>", "<｜User｜>", "<｜Assistant｜>"],
    };
    let mut spec = markers.dialect(spec);
    // A tool of that name is called by its object alone: before a fence or nothing the word names none.
    let whole = pattern![markers.begin, WS, Name::tool(), WS, SEPARATOR];
    let confirms = [pattern!["{"]];
    let bare = opener(whole.clone(), 1, &confirms).not(Flags::REASONING).sets(Flags::OWED);
    spec.prose[0].rules.insert(1, bare.before().open(Place::Section(CALLS)));
    let call = opener(whole, 0, &confirms).open(Place::Call(0));
    spec.sections[CALLS as usize].rules.insert(0, call);
    spec
}

/// The dialect `deepseek-v3`.
pub(in crate::dialect) fn deepseek_v3() -> DialectSpec {
    deepseek(DialectSpec::new(
        "deepseek-v3",
        "<｜tool▁call▁begin｜>function<｜tool▁sep｜>NAME and a fenced JSON object",
        deepseek_v3_template(),
    ))
}

/// The dialect `deepseek-v31`.
pub(in crate::dialect) fn deepseek_v31() -> DialectSpec {
    deepseek(DialectSpec::new(
        "deepseek-v31",
        "<｜tool▁call▁begin｜>NAME<｜tool▁sep｜>{…}<｜tool▁call▁end｜>",
        deepseek_v31_template(),
    ))
}

/// How `deepseek-v3` is written.
fn deepseek_v3_template() -> Template {
    Template {
        call: CallForm {
            open: Borrowed("<｜tool▁call▁begin｜>function<｜tool▁sep｜>{name}\n```json\n"),
            close: Borrowed("\n```<｜tool▁call▁end｜>"),
            between: Borrowed("\n"),
            ..deepseek_v31_template().call
        },
        ..deepseek_v31_template()
    }
}

/// How `deepseek-v31` is written.
fn deepseek_v31_template() -> Template {
    Template {
        prompt: PROMPT,
        call: CallForm {
            section_open: Borrowed("<｜tool▁calls▁begin｜>"),
            open: Borrowed("<｜tool▁call▁begin｜>{name}<｜tool▁sep｜>"),
            close: Borrowed("<｜tool▁call▁end｜>"),
            section_close: Borrowed("<｜tool▁calls▁end｜>"),
            ..CALL
        },
        result: ResultForm {
            open: Borrowed("<｜tool▁outputs▁begin｜>"),
            ok: Borrowed("<｜tool▁output▁begin｜>{content}<｜tool▁output▁end｜>"),
            error: Borrowed("<｜tool▁output▁begin｜>Error: {content}<｜tool▁output▁end｜>"),
            between: Borrowed(""),
            close: Borrowed("<｜tool▁outputs▁end｜>"),
        },
        stop: stop(&[], &[Borrowed("<｜tool▁outputs▁begin｜>")]),
    }
}
