//! The choices of your program: [`Options`], with their defaults.
//!
//! Each option is a decision on which the field disagrees. The default is right for an agent that runs one tool per
//! message.

pub mod bounds;
mod choices;
#[cfg(feature = "json")]
mod history;
#[cfg(feature = "json")]
pub(crate) mod json;

use std::fmt;

pub use choices::{
    CallsInReasoning, Fences, LimitOn, ReasoningTags, Recoveries, Required, TextAtCalls,
    ValueWhitespace,
};
#[cfg(feature = "json")]
pub use choices::{Results, Types};
#[cfg(feature = "json")]
pub use history::{Attachments, HostedCalls, LateSystem, UnwritableCalls};

#[cfg(doc)]
use crate::event::ToolLimitReached;

/// The choices of a parser. `Options::default()` is right for most agents; change its fields and hand
/// it to [`ParserBuilder::options`](crate::ParserBuilder::options), or read it from a configuration file
/// (`Options::from_json`).
///
/// | field, and its key in JSON | its values in JSON | default | the other choice |
/// |---|---|---|---|
/// | `tool_limit` | a number or `null` | `Some(1)` | `None`: unlimited; `Some(0)` is refused by the builder |
/// | `chaining_tools` | a list of names | empty | tools whose calls may follow each other; a call of any other tool comes alone |
/// | `limit_on` | `"tool_start"`, `"text_after_tool"` | [`LimitOn::ToolStart`]: the opener of a surplus call | also the first visible text after the last call |
/// | `start` | `"text"`, `"reasoning"` | [`Start::Text`] | the prompt left a reasoning block open |
/// | `calls_in_reasoning` | `"ignore"`, `"extract"` | the dialect's (XML: `Ignore`) | a call ends the reasoning |
/// | `reasoning_tags` | `"line_start"`, `"anywhere"` | [`ReasoningTags::LineStart`] | `<think>` opens reasoning in the middle of a line, too |
/// | `fences` | `"parse"`, `"quote"` | [`Fences::Parse`] | markers in Markdown code are text |
/// | `decode_entities` | `true`, `false` | `false` | `Message` decodes `&lt;` and its kin, once |
/// | `raw_params` | a list of names | empty | parameters that `cline` reads as raw, beside its own three |
/// | `diff_params` | a list of names | the dialect's (`cline`: `diff`) | parameters that hold search/replace blocks |
/// | `value_whitespace` | `"default"`, `"verbatim"` | [`ValueWhitespace::Default`] | values keep every byte |
/// | `text_at_calls` | `"keep"`, `"trim"` | [`TextAtCalls::Keep`] | white space of text next to calls is markup |
/// | `implicit_thought` | `true`, `false` | `false` | ReAct: the stream begins in a thought |
/// | `answer_keywords` | a list of words | the dialect's (`react`: `Final Answer`) | ReAct: other beginnings of an answer |
/// | `special_tokens` | a list of texts | empty | the texts that count as markers only where [`Parser::feed_special`](crate::Parser::feed_special) brings it |
/// | `recoveries` | `"lenient"`, `"strict"` | [`Recoveries::Lenient`] | a call that needed a recovery is incomplete |
/// | `required` | `"report"`, `"strict"` | [`Required::Report`] | a call that lacks a required parameter is incomplete |
/// | `explain_refused` | `true`, `false` | `false` | `Message` collects why openers of calls did not count, for `Message::refused` |
/// | `types` (feature `json`) | `"report"`, `"strict"`, `"coerce"`, `"guess"` | [`Types::Report`] | a call with a value of a wrong type is incomplete; or JSON texts are read by their schema; or values without a schema are read as the JSON that they are |
/// | `results` (feature `json`) | `"neutralise"`, `"refuse"`, `"verbatim"` | [`Results::Neutralise`] | a result that quotes a marker of the dialect is an error; or goes to the model as it is |
/// | `attachments` (feature `json`) | `"images"`, `"all"`, `"none"` | [`Attachments::Images`] | documents of a history go on as parts, too; or images become words as well |
/// | `unwritable_calls` (feature `json`) | `"text"`, `"note"` | [`UnwritableCalls::Text`] | a call of a history that is not JSON is left out, and its result mentions that |
/// | `hosted_calls` (feature `json`) | `"say"`, `"leave_out"` | [`HostedCalls::Say`] | a history leaves out the tools that its provider ran |
/// | `late_system` (feature `json`) | `"first"`, `"user"`, `"keep"` | [`LateSystem::First`] | a late system message of a history becomes the user's; or stays where it is |
/// | `repairs` (feature `json`) | `"default"`, `"none"` | `Repairs::Default` | JSON values are read strictly or not at all |
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Options {
    /// The number of calls that one message may hold.
    pub tool_limit: Option<usize>,
    /// The tools whose calls may follow each other in one message. Empty: any.
    pub chaining_tools: Vec<String>,
    /// The event that raises [`ToolLimitReached`].
    pub limit_on: LimitOn,
    /// The state in which the stream begins.
    pub start: Start,
    /// The treatment of a call inside reasoning. `None`: that of the dialect.
    pub calls_in_reasoning: Option<CallsInReasoning>,
    /// The places where `<think>` and `<thinking>` open reasoning.
    pub reasoning_tags: ReasoningTags,
    /// The treatment of markers in Markdown code.
    pub fences: Fences,
    /// Whether `Message` decodes the five XML entities in values.
    pub decode_entities: bool,
    /// Names of further raw parameters (`cline`).
    pub raw_params: Vec<String>,
    /// Names of parameters that hold search/replace blocks, whose marker lines are delivered
    /// whole. `None`: the dialect's own list.
    pub diff_params: Option<Vec<String>>,
    /// The treatment of white space at the ends of a value.
    pub value_whitespace: ValueWhitespace,
    /// Whether white space of text next to calls is kept.
    pub text_at_calls: TextAtCalls,
    /// Whether the stream begins in a thought, because the prompt ended in `Thought:` (ReAct).
    pub implicit_thought: bool,
    /// The keywords that begin the answer (ReAct), each of one word or more. They are compared
    /// without regard to ASCII case, and between two words may stand white space, `_`, `-` or
    /// nothing. `None`: the dialect's own.
    pub answer_keywords: Option<Vec<String>>,
    /// The texts of the tokenizer's special tokens, for a program that knows token ids. A marker that holds such a
    /// text counts only where the token came through [`Parser::feed_special`](crate::Parser::feed_special). The same
    /// characters as text are text.
    pub special_tokens: Vec<String>,
    /// The status of a call that needed a recovery.
    pub recoveries: Recoveries,
    /// The status of a call that lacks some of its required arguments.
    pub required: Required,
    /// Whether `Message` collects the reasons, in words, for which openers of calls did not count.
    pub explain_refused: bool,
    /// The treatment of a value whose type the schema does not allow.
    #[cfg(feature = "json")]
    pub types: Types,
    /// Whether `Message` repairs JSON that is not quite JSON.
    #[cfg(feature = "json")]
    pub repairs: crate::json::repairs::Repairs,
    /// The treatment of markers in results and in users' messages, where these are written for the model.
    #[cfg(feature = "json")]
    pub results: Results,
    /// The images and documents of a history that go on to the model as such.
    #[cfg(feature = "json")]
    pub attachments: Attachments,
    /// The writing of a history's call that the dialect cannot write.
    #[cfg(feature = "json")]
    pub unwritable_calls: UnwritableCalls,
    /// The writing of a history's hosted calls, which a provider or a client ran by itself.
    #[cfg(feature = "json")]
    pub hosted_calls: HostedCalls,
    /// The place of a history's late system message.
    #[cfg(feature = "json")]
    pub late_system: LateSystem,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            tool_limit: Some(1),
            chaining_tools: Vec::new(),
            limit_on: LimitOn::default(),
            start: Start::default(),
            calls_in_reasoning: None,
            reasoning_tags: ReasoningTags::default(),
            fences: Fences::default(),
            decode_entities: false,
            raw_params: Vec::new(),
            diff_params: None,
            value_whitespace: ValueWhitespace::default(),
            text_at_calls: TextAtCalls::default(),
            implicit_thought: false,
            answer_keywords: None,
            special_tokens: Vec::new(),
            recoveries: Recoveries::default(),
            required: Required::default(),
            explain_refused: false,
            #[cfg(feature = "json")]
            types: Types::default(),
            #[cfg(feature = "json")]
            repairs: crate::json::repairs::Repairs::default(),
            #[cfg(feature = "json")]
            results: Results::default(),
            #[cfg(feature = "json")]
            attachments: Attachments::default(),
            #[cfg(feature = "json")]
            unwritable_calls: UnwritableCalls::default(),
            #[cfg(feature = "json")]
            hosted_calls: HostedCalls::default(),
            #[cfg(feature = "json")]
            late_system: LateSystem::default(),
        }
    }
}

/// The state in which the stream begins.
///
/// One of the [`Options`]; [`Start::of_prompt`] has an example.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Start {
    /// The stream begins in text.
    #[default]
    Text,
    /// The stream begins in reasoning: the prompt ended after the opening tag.
    Reasoning,
}

/// Its name in options and vectors: `text`, `reasoning`.
impl fmt::Display for Start {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Start::Text => "text",
            Start::Reasoning => "reasoning",
        })
    }
}
