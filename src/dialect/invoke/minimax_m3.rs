//! `minimax-m3`: `]<]minimax[>[` before every tag. A parameter's tag is its name, and elements nest in
//! its value. The form of `minimax-m2` is read, too.

use std::borrow::Cow::Borrowed;

use super::{Invoke, Nest, PROMPT, plain};
use crate::dialect::parts::{prose_with, reasoning};
use crate::dialect::spec::{DialectSpec, Flags, Framing, Place, Rule, Scope, What};
use crate::dialect::template::{
    ArgumentsForm, CALL, CallForm, PARAM, ParamForm, PromptForm, Template, results, stop,
};

const TAGS: Invoke = Invoke {
    open: &["]<]minimax[>[<tool_call>"],
    close: &["]<]minimax[>[</tool_call>"],
    invoke: &["]<]minimax[>[<invoke"],
    end_invoke: &["]<]minimax[>[</invoke>"],
    param: &[],
    end_param: &[],
    boundary: &["[e~[", "]~b]", "]~!b["],
    framing: Framing::None,
    nests: Some(Nest { open: "]<]minimax[>[<", close: "]<]minimax[>[</", typed: None }),
    special: Some(&[]),
    ..plain::TAGS
};

/// The form of MiniMax M2, in its section alone.
const M2: Invoke = Invoke {
    open: &["<minimax:tool_call>"],
    close: &["</minimax:tool_call>"],
    bare: None,
    boundary: TAGS.boundary,
    framing: Framing::None,
    ..plain::TAGS
};

/// The dialect `minimax-m3`.
pub(in crate::dialect) fn minimax_m3() -> DialectSpec {
    let about = "]<]minimax[>[<tool_call>, parameters as elements, which nest";
    let spec = TAGS.dialect("minimax-m3", about, template());
    let text = prose_with(TAGS.text(), reasoning("<mm:think>", "</mm:think>"));
    let m2 = M2.dialect("minimax-m2", about, Template::default());
    // Its calls without a section are text, and so are the closers of them.
    let section = |rule: &Rule| {
        matches!(rule.action.what, What::Open(Place::Section(_)) | What::Orphan(Scope::Section))
    };
    let mut opens: Vec<Rule> = M2.text().into_iter().filter(section).collect();
    for orphan in opens.iter_mut().filter(|rule| rule.follow.is_empty()) {
        orphan.not = Flags::REASONING;
    }
    DialectSpec { prose: text, ..spec }.also(m2, opens)
}

/// How it is written.
fn template() -> Template {
    Template {
        prompt: PromptForm { tool: Borrowed("<tool>{tool}</tool>"), ..PROMPT },
        call: CallForm {
            section_open: Borrowed("]<]minimax[>[<tool_call>\n"),
            open: Borrowed("]<]minimax[>[<invoke name=\"{name}\">"),
            arguments: ArgumentsForm::Params(ParamForm {
                open: Borrowed("]<]minimax[>[<{key}>"),
                close: Borrowed("]<]minimax[>[</{key}>"),
                items: Borrowed("item"),
                ..PARAM
            }),
            close: Borrowed("]<]minimax[>[</invoke>\n"),
            section_close: Borrowed("]<]minimax[>[</tool_call>"),
            ..CALL
        },
        result: results(
            "<response>{content}</response>",
            "<response>Error: {content}</response>",
            "\n",
        ),
        stop: stop(&[Borrowed("]<]minimax[>[</tool_call>")], &[]),
    }
}
