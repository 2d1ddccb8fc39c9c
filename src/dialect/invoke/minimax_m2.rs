//! `minimax-m2`: the sections of `invoke`, written as MiniMax's. Values are verbatim.

use std::borrow::Cow::Borrowed;

use super::{Invoke, PROMPT, plain};
use crate::dialect::spec::{DialectSpec, Framing};
use crate::dialect::template::{CallForm, PromptForm, Template, results, stop};

/// The dialect `minimax-m2`.
pub(in crate::dialect) fn minimax_m2() -> DialectSpec {
    let minimax =
        Invoke { boundary: &["[e~[", "]~b]", "]~!b["], framing: Framing::None, ..plain::TAGS };
    let about = "<minimax:tool_call>, a section of <invoke name=\"…\">, values verbatim";
    minimax.dialect("minimax-m2", about, template())
}

/// How it is written, and `invoke` in MiniMax's section.
fn template() -> Template {
    Template {
        prompt: PromptForm { tool: Borrowed("<tool>{tool}</tool>"), ..PROMPT },
        call: CallForm {
            section_open: Borrowed("<minimax:tool_call>\n"),
            section_close: Borrowed("\n</minimax:tool_call>"),
            ..plain::template().call
        },
        result: results(
            "<response>{content}</response>",
            "<response>Error: {content}</response>",
            "\n",
        ),
        stop: stop(&[Borrowed("</minimax:tool_call>")], &[]),
    }
}
