//! `cline`: Cline, Roo Code, Kilo Code and their heirs. The tags *are* the declared names.
//!
//! No shape: only the declared names mark the tags, and raw values end differently from others.
//!
//! ```text
//! call    := "<" TOOL ">" junk ( param junk )* "</" TOOL ">"
//! param   := "<" P ">" value "</" P ">"
//! anytag  := "<" ( a name that TOOL declares | [A-Za-z0-9_.-]{1,128} ) ">"
//! wrapper := "<function_calls>" ws, before a call's opener
//! ```
//! * `<TOOL>` counts if `ws anytag` or `ws </TOOL>` follows.
//! * `</P>` of a *raw* parameter (`content`, `diff`, `arguments`, and those of `raw_params`) counts before
//!   `ws </TOOL>`, before `ws <Q>` with Q declared and not yet given, and at the end of the stream. One small
//!   undeclared element may stand before the first two.
//! * `</P>` of any other parameter counts before `ws </TOOL>`, `ws anytag` and the end.
//! * `</TOOL>` in an open value counts at the very end of the stream, and before a confirmed opener.
//! * Any other closer in a value is data, and so is a whole call: `suspect_marker`, once a call.

use std::borrow::Cow::Borrowed;

use super::in_words;
use crate::dialect::facts::{Facts, Framing};
use crate::dialect::template::{
    ArgumentsForm, CallForm, LINES, LineBreaks, NO_STOP, PARAM, ParamForm, Template, results,
};
use crate::options::CallsInReasoning;

/// The dialect `cline`.
pub(in crate::dialect) fn cline() -> Facts {
    Facts {
        tag_names: true,
        calls_in_reasoning: CallsInReasoning::Ignore,
        framing: [Framing::Trimmed, Framing::LineBreak],
        diff_params: vec!["diff".into()],
        ..Facts::new(
            "cline",
            "declared names as tags: <read_file><path>…</path></read_file>",
            template(),
        )
    }
}

/// The template of written calls, results and prompt.
fn template() -> Template {
    Template {
        prompt: in_words(
            "\
# Tools

You have tools to do your work with. {limit}

## How a call is written

The name of the tool is a tag, and in it each parameter is a tag of its own:

{form}

- Instead of tool_name and the names of the parameters, write the names from the list below, \
exactly as they stand there.
- Write tags without attributes, the call outside of code fences, and values as they are: no \
escapes, no entities. Lists and objects are written as JSON.
- Give every required parameter. Leave out an optional one that you do not need.
- Between the tags of a call there is nothing but white space.

## The tools

{tools}",
        ),
        call: CallForm {
            open: Borrowed("<{name}>\n"),
            arguments: ArgumentsForm::Params(ParamForm {
                open: Borrowed("<{key}>"),
                close: Borrowed("</{key}>\n"),
                line_breaks: LineBreaks::Always,
                ..PARAM
            }),
            close: Borrowed("</{name}>"),
            ..LINES
        },
        result: results(
            "[{name}] Result:\n{content}",
            "[{name}] Result: the tool failed.\n<error>\n{content}\n</error>",
            "\n\n",
        ),
        stop: NO_STOP,
    }
}
