//! How a host writes a dialect: [`Wire`], all data.
//!
//! The grammar says what a model's text means; this says what goes *to* the model: the section of
//! the system prompt, a call as the model would have written it, the results of calls, and the stop
//! sequences. The structures are those that the model families were trained on, the sentences are
//! our own.
//!
//! Every text is a *template*: `{name}` and its like are *holes*, filled once, and what fills them
//! is not looked at again. A name in braces that is no hole of the template stays as it is, and so
//! do all other braces. A line of a prompt template that is one hole and comes out empty goes.
//!
//! ```
//! use toolstream::wire;
//!
//! // A checkpoint that was trained on other tags: the prompt, the calls and the results follow.
//! let wire = wire::HERMES.renamed("tool_call>", "longcat_tool_call>");
//! assert_eq!(wire.call.close, "}\n</longcat_tool_call>");
//! assert_eq!(wire.stop.behind_call[0], "</longcat_tool_call>");
//! ```

mod header;
mod react;
mod tool_call;
mod xml;

use std::borrow::Cow::{self, Borrowed};

pub use header::KIMI_K2;
pub use react::REACT;
pub use tool_call::{GLM, HERMES, QWEN3_CODER, TOOL_CALL};
pub use xml::{CLINE, CODE_ASSISTANT, INVOKE, MINIMAX};

/// A text of a table: borrowed in a `const`, owned where a host makes its own.
pub type Text = Cow<'static, str>;

/// How a host writes a dialect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wire {
    /// The section of the system prompt.
    pub prompt: PromptForm,
    /// A call, for the history that goes back to the model.
    pub call: CallForm,
    /// The results of calls.
    pub result: ResultForm,
    /// The stop sequences.
    pub stop: StopForm,
}

/// A section of the system prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromptForm {
    /// The section. Holes: `{tools}`, `{names}` (of the tools, joined by commas), `{form}` (a call
    /// with `placeholders`), `{example}` (of one tool), `{limit}` (one of `limits`).
    pub text: Text,
    /// One tool of `{tools}`. Holes: `{name}`, `{description}`, `{parameters}` (a list in words),
    /// `{elements}` (as `<parameter>` elements), `{schema}` (JSON Schema), `{tool}` (a JSON object
    /// of name, description and schema), `{example}` (of this tool).
    pub tool: Text,
    /// Between two tools.
    pub between: Text,
    /// A worked example. Hole: `{call}`.
    pub example: Text,
    /// What stands for names and values in `{form}`.
    pub placeholders: Placeholders,
    /// How many calls a message may hold.
    pub limits: Limits,
}

/// What stands for names and values where a form is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placeholders {
    /// For the tool's name.
    pub name: Text,
    /// For parameters and their values.
    pub params: Cow<'static, [(Text, Text)]>,
}

/// What a prompt says of the number of calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// With a limit of 1.
    pub one: Text,
    /// With another limit. Hole: `{most}`.
    pub some: Text,
    /// Without a limit.
    pub any: Text,
}

/// How a call is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallForm {
    /// Before the arguments. Holes: `{name}`, `{json_name}`, the name as a JSON string, and `{id}`.
    pub open: Text,
    /// The arguments.
    pub arguments: ArgumentsForm,
    /// Behind the arguments. Holes as in `open`.
    pub close: Text,
}

/// How the arguments of a call are written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArgumentsForm {
    /// As one JSON object on one line.
    Json,
    /// One by one: strings raw, everything else as JSON.
    Params(ParamForm),
}

/// How a parameter is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParamForm {
    /// Before the value. Hole: `{key}`.
    pub open: Text,
    /// Behind the value. Hole: `{key}`.
    pub close: Text,
    /// Which of the dialect's kinds of values a parameter is that is none of its raw ones.
    pub kind: u8,
    /// Which values stand on lines of their own, in kinds whose line breaks are framing.
    pub line_breaks: LineBreaks,
}

/// Which values get a line break at both ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineBreaks {
    /// All.
    Always,
    /// Those that hold a line break.
    WithLines,
    /// Those that begin or end with one.
    AtEnds,
}

/// How results are written. Holes of `ok` and `error`: `{name}` of the tool, `{id}` of the call,
/// `{content}`, and `{line}`, the content on one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResultForm {
    /// Before the first result.
    pub open: Text,
    /// What a tool gave.
    pub ok: Text,
    /// What went wrong with a tool.
    pub error: Text,
    /// Between two results.
    pub between: Text,
    /// Behind the last result.
    pub close: Text,
}

/// Where a provider may stop the stream. At most 4 in all, and none that a call needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StopForm {
    /// What ends the stream behind its first call: only of use with a limit of 1.
    pub behind_call: Cow<'static, [Text]>,
    /// What a model writes where it begins to invent.
    pub invented: Cow<'static, [Text]>,
}

impl Wire {
    /// The same with other markers: `from` becomes `to` in every template and stop sequence.
    #[must_use]
    pub fn renamed(mut self, from: &str, to: &str) -> Wire {
        let Wire { prompt, call, result, stop } = &mut self;
        let mut texts = vec![&mut prompt.text, &mut prompt.tool, &mut prompt.example];
        texts.extend([&mut call.open, &mut call.close]);
        if let ArgumentsForm::Params(param) = &mut call.arguments {
            texts.extend([&mut param.open, &mut param.close]);
        }
        texts.extend([&mut result.open, &mut result.ok, &mut result.error, &mut result.close]);
        texts.extend(stop.behind_call.to_mut());
        texts.extend(stop.invented.to_mut());
        for text in texts {
            if text.contains(from) {
                *text = text.replace(from, to).into();
            }
        }
        self
    }
}

/// Fills the holes of a template. `hole` knows the names; what it does not know stays.
pub(crate) fn fill<'a>(template: &str, hole: impl Fn(&str) -> Option<Cow<'a, str>>) -> String {
    let mut filled = String::new();
    let mut rest = template;
    while let Some((before, behind)) = rest.split_once('{') {
        filled.push_str(before);
        let named = behind.split_once('}');
        rest = match named.and_then(|(name, rest)| Some((hole(name)?, rest))) {
            Some((text, behind_hole)) => {
                filled.push_str(&text);
                behind_hole
            }
            None => {
                filled.push('{');
                behind
            }
        };
    }
    filled + rest
}

/// What most prompts say of the number of calls.
const LIMITS: Limits = Limits {
    one: Borrowed(
        "Use one tool per message: write its call as the last thing in the message, then stop and \
         wait. The result comes in the next user message; decide on the next step only when you \
         have read it.",
    ),
    some: Borrowed(
        "You may call up to {most} tools in a message: write the calls one behind the other as the \
         last thing in the message, then stop and wait. The results come in the next user message, \
         in the same order.",
    ),
    any: Borrowed(
        "You may call several tools in a message: write the calls one behind the other as the last \
         thing in the message, then stop and wait. The results come in the next user message, in \
         the same order.",
    ),
};

const NO_STOP: StopForm = StopForm { behind_call: Borrowed(&[]), invented: Borrowed(&[]) };

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holes_are_filled_once() {
        let hole = |name: &str| match name {
            "name" => Some(Borrowed("{key}")),
            "key" => Some(Borrowed("K")),
            _ => None,
        };
        assert_eq!(
            fill("{\"name\": {name}, {x} {key}} { {}{", hole),
            "{\"name\": {key}, {x} K} { {}{"
        );
    }

    #[test]
    fn a_rename_reaches_every_text() {
        for (wire, from) in [
            (CLINE, "error>"),
            (CODE_ASSISTANT, "tool:{name}"),
            (CODE_ASSISTANT, "param:{key}"),
            (INVOKE, "function_calls>"),
            (INVOKE, "/parameter>"),
            (HERMES, "tool_call>"),
            (QWEN3_CODER, "function="),
            (GLM, "arg_value>"),
            (TOOL_CALL, "tool_response>"),
            (REACT, "Observation"),
        ] {
            assert!(format!("{wire:?}").contains(from), "{from}");
            assert!(!format!("{:?}", wire.renamed(from, "other")).contains(from), "{from}");
        }
    }
}
