//! The parts that written forms of several dialects share.

use std::borrow::Cow::Borrowed;

use super::{
    ArgumentsForm, CallForm, Limits, LineBreaks, ParamForm, Placeholders, PromptForm, ResultForm,
    StopForm, Text,
};

/// The usual sentences about the number of calls.
pub(in crate::dialect) const LIMITS: Limits = Limits {
    one: Borrowed(
        "Use one tool per message: write its call as the last thing in the message, then stop and \
         wait. The result comes in the next user message; decide on the next step only when you \
         have read it.",
    ),
    some: Borrowed(
        "You may call up to {most} tools in a message: write the calls one after the other as the \
         last thing in the message, then stop and wait. The results come in the next user message, \
         in the same order.",
    ),
    any: Borrowed(
        "You may call several tools in a message: write the calls one after the other as the last \
         thing in the message, then stop and wait. The results come in the next user message, in \
         the same order.",
    ),
};

/// The tools as JSON lines, as chat templates write them.
pub(in crate::dialect) const JSON_LINE: &str = "{\"type\": \"function\", \"function\": {tool}}";

/// A section of the prompt, with the tools as JSON lines and an example.
pub(in crate::dialect) const fn prompt(text: &'static str) -> PromptForm {
    PromptForm {
        text: Borrowed(text),
        tool: Borrowed(JSON_LINE),
        between: Borrowed("\n"),
        example: Borrowed("For example:\n{call}"),
        placeholders: Placeholders {
            name: Borrowed("tool_name"),
            params: Borrowed(&[(Borrowed("parameter_name"), Borrowed("value"))]),
        },
        limits: LIMITS,
    }
}

/// The usual section of a prompt: the tools, the form of a call, and the form of its values. The tools stand between
/// tags, or each on a line.
macro_rules! tools_prompt {
    (tags, $call:literal, $values:literal) => {
        $crate::dialect::template::tools_prompt!(
            "You can call tools. Each line between these tags is one of them, as JSON with a JSON \
             Schema of its parameters:\n<tools>\n{tools}\n</tools>",
            $call,
            $values
        )
    };
    ($call:literal, $values:literal) => {
        $crate::dialect::template::tools_prompt!(
            "You can call tools. Each of these lines is one of them, as JSON with a JSON Schema of \
             its parameters:\n{tools}",
            $call,
            $values
        )
    };
    ($tools:literal, $call:literal, $values:literal) => {
        $crate::dialect::template::prompt(concat!(
            "# Tools\n\n",
            $tools,
            "\n\n",
            $call,
            "\n{form}\n\n",
            $values,
            "\n{limit}\n\n{example}"
        ))
    };
}
pub(in crate::dialect) use tools_prompt;

/// Calls with nothing between them, to build on.
pub(in crate::dialect) const CALL: CallForm = CallForm {
    section_open: Borrowed(""),
    open: Borrowed(""),
    arguments: ArgumentsForm::Json,
    close: Borrowed(""),
    between: Borrowed(""),
    section_close: Borrowed(""),
    after_text: Borrowed(""),
};

/// Calls that stand on lines of their own.
pub(in crate::dialect) const LINES: CallForm = CallForm { between: Borrowed("\n"), ..CALL };

/// Parameters with nothing around their values, to build on.
pub(in crate::dialect) const PARAM: ParamForm = ParamForm {
    open: Borrowed(""),
    close: Borrowed(""),
    between: Borrowed(""),
    line: None,
    list: None,
    line_breaks: LineBreaks::AtEnds,
    quotes: None,
    sorted: false,
    items: Borrowed(""),
};

/// Results in one text, with `between` between two of them.
pub(in crate::dialect) const fn results(
    ok: &'static str,
    error: &'static str,
    between: &'static str,
) -> ResultForm {
    ResultForm {
        open: Borrowed(""),
        ok: Borrowed(ok),
        error: Borrowed(error),
        between: Borrowed(between),
        close: Borrowed(""),
    }
}

/// No stop sequences.
pub(in crate::dialect) const NO_STOP: StopForm =
    StopForm { after_call: Borrowed(&[]), invented: Borrowed(&[]) };

/// The stop sequences: texts after a call, and texts with which a model begins to invent.
pub(in crate::dialect) const fn stop(
    after_call: &'static [Text],
    invented: &'static [Text],
) -> StopForm {
    StopForm { after_call: Borrowed(after_call), invented: Borrowed(invented) }
}
