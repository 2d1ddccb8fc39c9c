//! Lines between carets: `code-assistant-caret`, a prompt format of the tool `code-assistant`.
//!
//! ```text
//! call  := "^^^" NAME eol ( param | other )* "^^^" eol               eol := blanks, line break
//! param := KEY ":" line eol
//!        | KEY ":" "[" eol ( element eol )* "]" eol
//!        | KEY "---" eol raw line-break "---" KEY eol
//! NAME  := a declared name | ASCII letters, digits and "_"           KEY := no blank, no colon
//! ```
//! No shape: the same signs open and close, and three kinds of lines are arguments.
//!
//! * Each of these begins a line. Openers and closers of calls begin it without blanks.
//! * Blanks round a KEY and round a line are no value. Blank lines in a list are no elements.
//! * The closer of a list or a raw value is confirmed by a parameter, the closer of the call or the end.
//! * Exception to the recovery of forgotten closers: `^^^` in a raw value is always data.

use std::borrow::Cow::Borrowed;

use super::facts::Facts;
use super::template::{ArgumentsForm, CallForm, LINES, PARAM, ParamForm, PromptForm, Template};
use super::xml::code_assistant_template;

/// The dialect `code-assistant-caret`.
pub(crate) fn caret() -> Facts {
    let about = "lines between carets: ^^^read_file, path: …, content --- … --- content, ^^^";
    Facts::new("code-assistant-caret", about, template())
}

/// The template of written calls, results and prompt.
fn template() -> Template {
    Template {
        prompt: PromptForm {
            text: Borrowed(
                "\
# Tools

You have tools to do your work with. {limit}

## How a call is written

Three carets and the name of the tool begin a call, three carets end it. Each has a line of its own:

{form}

- Instead of tool_name and the names of the parameters, write the names from the list below, \
exactly as they stand there.
- A value of one line stands after its name and a colon. Several lines stand on lines of their \
own, as they are, after the name and three dashes; three dashes and the name end them.
- A list is written with `[` after the colon, one element on each line, and `]` on a line of its own. \
Objects are written as JSON on one line.
- Give every required parameter. Leave out an optional one that you do not need.
- Nothing else stands between the carets, and no code fence around them.

## The tools

{tools}",
            ),
            ..code_assistant_template().prompt
        },
        call: CallForm {
            open: Borrowed("^^^{name}\n"),
            arguments: ArgumentsForm::Params(ParamForm {
                open: Borrowed("{key} ---\n"),
                close: Borrowed("\n--- {key}\n"),
                line: Some([Borrowed("{key}: "), Borrowed("\n")]),
                list: Some([Borrowed("{key}: [\n"), Borrowed("\n"), Borrowed("]\n")]),
                ..PARAM
            }),
            close: Borrowed("^^^"),
            ..LINES
        },
        ..code_assistant_template()
    }
}
