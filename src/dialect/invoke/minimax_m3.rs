//! `minimax-m3`: `]<]minimax[>[` before every tag. A parameter's tag is its name, and elements nest in
//! its value.

use std::borrow::Cow::Borrowed;

use super::{Invoke, Nest, PROMPT, plain};
use crate::dialect::parts::{prose_with, reasoning};
use crate::dialect::spec::{DialectSpec, Framing};
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

/// The dialect `minimax-m3`.
pub(in crate::dialect) fn minimax_m3() -> DialectSpec {
    let about = "]<]minimax[>[<tool_call>, parameters as elements, which nest";
    let spec = TAGS.dialect("minimax-m3", about, template());
    let text = prose_with(TAGS.text(), reasoning("<mm:think>", "</mm:think>"));
    DialectSpec { prose: text, ..spec }
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
