//! The events of a parser: [`Event`] and its parts.
//!
//! An event is generic over its slice type: `Event<&str>` comes out of `feed`,
//! `Event<Utf8Bytes>` out of `feed_shared`, and [`Event::map`] turns one into another.

use std::fmt;

/// An event of the stream: a slice of it, or a fact about the slices around it.
///
/// Five events carry a slice of the input: `TextContent`, `Reasoning`, `Markup`,
/// `ToolUse(ParamDelta)` and `ToolUse(ArgumentsDelta)`. Joined in order, their slices are the
/// input, byte for byte (law 2). All other events are zero-width.
///
/// With the feature `serde` it is `Serialize`, as the object that `toolstream parse --format events`
/// prints: `{"type":"text_content","text":…}`, `{"type":"tool_start","index":0,"name":…,"id":null}`,
/// `{"type":"opaque","of":"reasoning","json":"{…}"}`, … The command line prints all but `{"type":"answer_start"}`. An event is not
/// `Deserialize`: the object leaves out fields that only `Message` needs, so an event could not come back equal.
///
/// ```
/// use toolstream::Event;
///
/// let event = Event::TextContent("hello");
/// assert_eq!(event.slice(), Some(&"hello"));
/// assert_eq!(event.map(str::len), Event::TextContent(5));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Event<S> {
    /// Text for the user.
    TextContent(S),
    /// The model's reasoning, without its tags.
    Reasoning(S),
    /// An event of a tool call.
    ToolUse(ToolUse<S>),
    /// Bytes of the dialect's own grammar: tags, line breaks of the frame, words where only tags count. Never for the
    /// user, and never in text.
    Markup(S),
    /// The dialect's answer marker came: the text that follows is the answer (ReAct's
    /// `Final Answer:`). At most once.
    AnswerStart,
    /// Data that a provider wants back with the next request, such as a signature or an encrypted item. Nobody else
    /// reads it. Zero-width; only `native` emits it.
    ///
    /// `Message` keeps it at its place and gives it back in `Message::to_request`.
    Opaque {
        /// The part of the message to which the data belongs.
        of: OpaqueOf,
        /// The data, as the text of a JSON object.
        json: S,
    },
    /// A surplus tool call begins; the last event of the stream.
    ToolLimitReached(ToolLimitReached),
    /// A finding about the stream. It never changes the meaning of another event.
    Diagnostic(Diagnostic),
}

/// The part of a message to which an [`Event::Opaque`] belongs.
///
/// ```
/// use serde_json::json;
/// use toolstream::native::{Provider, Reader};
/// use toolstream::{Event, diagnostic::OpaqueOf};
///
/// let mut reader = Reader::builder(Provider::Anthropic).build()?;
/// let event = json!({"type": "message", "stop_reason": "end_turn", "content": [
///     {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}]});
/// let signed = |event| matches!(event, Event::Opaque { of: OpaqueOf::Reasoning, .. });
/// assert!(reader.feed_value(&event).any(signed));
/// # Ok::<(), toolstream::BuildError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum OpaqueOf {
    /// The text before the data, which is then complete: text behind it is another part of the message. Without a text
    /// before it, the data belongs to an empty one. `{}` only ends the text.
    Text,
    /// The reasoning before the data, in the same way.
    Reasoning,
    /// The open call.
    Call,
    /// Nothing: the data is a part of the message by itself.
    Item,
}

impl OpaqueOf {
    /// Returns the word in NDJSON and in vectors: `text`, `reasoning`, `call` or `item`.
    pub fn as_str(self) -> &'static str {
        match self {
            OpaqueOf::Text => "text",
            OpaqueOf::Reasoning => "reasoning",
            OpaqueOf::Call => "call",
            OpaqueOf::Item => "item",
        }
    }
}

/// An event of a tool call. Every `Start` is followed by exactly one `End`, and the events of two calls are never
/// mixed, so only `Start` names its call.
///
/// An [`Event::ToolUse`]; [`Parser`](crate::Parser) has an example.
///
/// ```
/// use toolstream::{Dialect, Event, Param, Parser, Tool, ToolUse};
///
/// let read = Tool::new("read").param(Param::required("path"));
/// let mut parser = Parser::builder(Dialect::CLINE).tool(read).build()?;
/// let mut said = Vec::new();
/// for chunk in ["<read><path>a.", "rs</path></read>"] {
///     for event in parser.feed(chunk) {
///         if let Event::ToolUse(tool_use) = event {
///             said.push(match tool_use {
///                 ToolUse::Start { name, .. } => format!("call {name}"),
///                 ToolUse::ParamStart { name, .. } => format!("parameter {name}"),
///                 ToolUse::ParamDelta(piece) => format!("piece {piece}"),
///                 ToolUse::ParamEnd { closed } => format!("closed {closed}"),
///                 other => format!("{other:?}"),
///             });
///         }
///     }
/// }
/// assert_eq!(said, ["call read", "parameter path", "piece a.", "piece rs", "closed true",
///     "End { status: Complete, at: 30 }"]);
/// # Ok::<(), toolstream::BuildError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ToolUse<S> {
    /// A call begins. The name is sent here, once and whole.
    Start {
        /// The call's number in this stream, from 0.
        index: usize,
        /// The tool's name as the model wrote it.
        name: S,
        /// The wire's own id, where the dialect has one in front.
        id: Option<S>,
        /// Byte offset of the first byte of the call's opener (of the opener of its section or
        /// block, for the first call in it).
        at: usize,
        /// The number of the parser's dialect that the call is written in, from 0. For a provider's own form, as
        /// `native` reads it, 64: more than a parser has dialects.
        dialect: usize,
    },
    /// The wire's own id, where the dialect names it late. At most once, before `End`.
    Id(S),
    /// A parameter begins.
    ParamStart {
        /// The parameter's name as the model wrote it.
        name: S,
        /// The type of the value, where the dialect writes one.
        hint: Option<TypeHint>,
    },
    /// A piece of the open parameter's value, as the model wrote it.
    ParamDelta(S),
    /// The open parameter ends.
    ParamEnd {
        /// `false` if the stream or the call ended before the value's closer.
        closed: bool,
    },
    /// A piece of the call's arguments, as raw JSON text.
    ArgumentsDelta(S),
    /// The call ends.
    End {
        /// Whether the call's markup closed.
        status: Status,
        /// Byte offset after the call's last byte. A closer of the block or section around it (`</tool_call>` in
        /// `hermes`) does not belong to the call, and neither does a line break that its own closer took with it.
        at: usize,
    },
}

/// Type of a value as the dialect's wire format states it ([`ToolUse::ParamStart`]).
///
/// ```
/// use toolstream::{Dialect, Event, Parser, ToolUse, tools::TypeHint};
///
/// // This dialect says of each parameter whether it is a string.
/// let mut parser = Parser::builder(Dialect::DEEPSEEK_DSML).build()?;
/// let text = "<｜DSML｜tool_calls>\n<｜DSML｜invoke name=\"f\">\n\
///     <｜DSML｜parameter name=\"n\" string=\"false\">1</｜DSML｜parameter>\n";
/// let hints: Vec<_> = parser.feed(text).filter_map(|event| match event {
///     Event::ToolUse(ToolUse::ParamStart { hint, .. }) => hint,
///     _ => None,
/// }).collect();
/// assert_eq!(hints, [TypeHint::Json]);
/// # Ok::<(), toolstream::BuildError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TypeHint {
    /// The value is the text itself.
    String,
    /// The value is JSON.
    Json,
    /// The value is a literal of the dialect's own kind.
    Literal,
    /// The value is a list: an element on each line, without white space around it. A blank line is no
    /// element.
    Lines,
}

impl TypeHint {
    #[cfg(feature = "serde")]
    pub(crate) const ALL: &'static [TypeHint] =
        &[TypeHint::String, TypeHint::Json, TypeHint::Literal, TypeHint::Lines];

    /// Returns the word in NDJSON and in vectors: `string`, `json`, `literal` or `lines`.
    pub fn as_str(self) -> &'static str {
        match self {
            TypeHint::String => "string",
            TypeHint::Json => "json",
            TypeHint::Literal => "literal",
            TypeHint::Lines => "lines",
        }
    }
}

/// The [`ToolUse::Start::dialect`] of a provider's own calls. A parser has fewer dialects.
#[cfg(feature = "json")]
pub(crate) const NATIVE: usize = crate::dialect::MOST;

/// How a call ended ([`ToolUse::End`]).
///
/// `Complete` says that the markup closed. Whether the call may *run* is for
/// `Message` to say (feature `json`), after it has read the arguments.
///
/// ```
/// use toolstream::{Dialect, Event, Parser, Status, ToolUse};
///
/// let mut parser = Parser::builder(Dialect::CLINE).tool(toolstream::Tool::new("list")).build()?;
/// let mut ended = None;
/// for chunk in ["<list></li", "st>"] {
///     for event in parser.feed(chunk) {
///         if let Event::ToolUse(ToolUse::End { status, .. }) = event { ended = Some(status) }
///     }
/// }
/// assert_eq!(ended, Some(Status::Complete));
/// # Ok::<(), toolstream::BuildError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    /// The call's markup closed.
    Complete,
    /// The markup did not close; the call must not run.
    Incomplete(Cause),
}

/// Why a call is [`Status::Incomplete`].
///
/// ```
/// use toolstream::{Dialect, Event, Parser, Status, ToolUse, diagnostic::Cause};
///
/// let mut parser = Parser::builder(Dialect::HERMES).build()?;
/// parser.feed("<tool_call>{\"name\": \"list\", \"argu").for_each(drop);
/// let cut = |event| matches!(event,
///     Event::ToolUse(ToolUse::End { status: Status::Incomplete(Cause::EndOfStream), .. }));
/// assert!(parser.finish_cut().any(cut));
/// # Ok::<(), toolstream::BuildError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Cause {
    /// The stream ended inside the call.
    EndOfStream,
    /// The call's markup is broken (a constant bound was crossed, see [`crate::options::bounds`]).
    Broken,
}

impl Status {
    /// Whether this is [`Status::Complete`].
    #[cfg(feature = "serde")]
    pub(crate) fn is_complete(self) -> bool {
        self == Status::Complete
    }
}

/// Surplus call of a message: its place, and the limit.
///
/// `ToolLimitReached` is an event, and also an error, so that a stream callback can return it with `?`:
///
/// ```
/// use toolstream::ToolLimitReached;
///
/// let error = ToolLimitReached::new(1, 120);
/// assert_eq!(error.to_string(), "Tool limit reached - only one tool per message allowed");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct ToolLimitReached {
    /// The number of calls that a message may hold; where your program decided by name, the number that it has.
    pub limit: usize,
    /// Byte offset at which the surplus begins: that of the call's opener, or of the text. No slice holds a part of the
    /// surplus, with one exception: if the name decided and stands in the call's body, the opener has left as markup.
    pub at: usize,
}

impl ToolLimitReached {
    /// Makes the event of a limit that was raised at this byte offset.
    #[must_use]
    pub const fn new(limit: usize, at: usize) -> ToolLimitReached {
        ToolLimitReached { limit, at }
    }
}

impl fmt::Display for ToolLimitReached {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.limit {
            0 => f.write_str("Tool limit reached - this tool may not be called here"),
            1 => f.write_str("Tool limit reached - only one tool per message allowed"),
            n => write!(f, "Tool limit reached - only {n} tools per message allowed"),
        }
    }
}

impl std::error::Error for ToolLimitReached {}

/// Finding about the stream, with its kind and place. An [`Event::Diagnostic`]; `Message::diagnostics` has all of a
/// message.
///
/// ```
/// use toolstream::{Dialect, Event, Parser, Tool, diagnostic::DiagnosticKind};
///
/// let mut parser = Parser::builder(Dialect::HERMES).tool(Tool::new("list")).build()?;
/// let mut found = None;
/// for chunk in ["Hi. <tool_call>{\"name\": \"lis", "s\", \"arguments\": {}}</tool_call>"] {
///     for event in parser.feed(chunk) {
///         if let Event::Diagnostic(diagnostic) = event { found = Some(diagnostic) }
///     }
/// }
/// let found = found.unwrap();
/// assert_eq!((found.kind, found.at, found.call), (DiagnosticKind::UnknownTool, 15, Some(0)));
/// assert_eq!(found.to_string(), "unknown_tool at byte 15 (call 0)");
/// # Ok::<(), toolstream::BuildError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Diagnostic {
    /// The kind of the finding.
    pub kind: DiagnosticKind,
    /// Byte offset of the finding.
    pub at: usize,
    /// The index of the call that the finding is about, if any.
    pub call: Option<usize>,
}

impl Diagnostic {
    /// Makes a diagnostic about no call.
    pub const fn new(kind: DiagnosticKind, at: usize) -> Diagnostic {
        Diagnostic { kind, at, call: None }
    }

    /// Assigns the diagnostic to the call of this index.
    #[must_use]
    pub const fn in_call(self, index: usize) -> Diagnostic {
        Diagnostic { call: Some(index), ..self }
    }
}

/// `unknown_tool at byte 12 (call 0)`
impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {}", self.kind, self.at)?;
        match self.call {
            Some(call) => write!(f, " (call {call})"),
            None => Ok(()),
        }
    }
}

macro_rules! diagnostic_kinds {
    ($($(#[$doc:meta])* $variant:ident = $name:literal,)*) => {
        /// The kinds of a [`Diagnostic`].
        ///
        /// ```
        /// use toolstream::diagnostic::DiagnosticKind;
        ///
        /// assert_eq!(DiagnosticKind::MissingCloser.as_str(), "missing_closer");
        /// assert!(DiagnosticKind::ALL.contains(&DiagnosticKind::UnknownTool));
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum DiagnosticKind { $($(#[$doc])* $variant,)* }

        impl DiagnosticKind {
            /// All kinds.
            pub const ALL: &'static [DiagnosticKind] = &[$(DiagnosticKind::$variant,)*];

            /// The kind's name in NDJSON and in vectors: `unknown_tool`, …
            pub fn as_str(self) -> &'static str {
                match self { $(DiagnosticKind::$variant => $name,)* }
            }
        }
    };
}

diagnostic_kinds! {
    /// A call of a tool that was not declared, though tools were.
    UnknownTool = "unknown_tool",
    /// A parameter that the tool does not declare.
    UnknownParameter = "unknown_parameter",
    /// A parameter that was given before; the last one wins.
    DuplicateParameter = "duplicate_parameter",
    /// A value that does not fit its schema; the value stays a string.
    TypeMismatch = "type_mismatch",
    /// Arguments that needed a repair to be read.
    RepairedJson = "repaired_json",
    /// Arguments that cannot be read.
    MalformedArguments = "malformed_arguments",
    /// A call without any argument, of a tool that requires some.
    MissingArguments = "missing_arguments",
    /// A call body that names no tool.
    MalformedCall = "malformed_call",
    /// A malformed tag that was read all the same.
    MalformedTag = "malformed_tag",
    /// A call without the opener of its section.
    MissingOpener = "missing_opener",
    /// A closer that was forgotten, where the grammar shows that the call ended.
    MissingCloser = "missing_closer",
    /// A closer with a wrong name.
    MismatchedCloser = "mismatched_closer",
    /// A closer without an opener.
    OrphanCloser = "orphan_closer",
    /// Words where only tags count.
    StrayText = "stray_text",
    /// A value holds a well-formed opener of a parameter that its call declares and lacks: perhaps
    /// the value's own closer was forgotten.
    SuspectMarker = "suspect_marker",
    /// The stream ended inside a call's opener.
    CutOpener = "cut_opener",
    /// A tool result that the model invented.
    FabricatedResult = "fabricated_result",
    /// A tool's name that was found by its arguments.
    InferredName = "inferred_name",
    /// A name, a tag or a run of white space that is longer than its bound.
    LimitExceeded = "limit_exceeded",
    /// Bytes that are no UTF-8; each sequence became one U+FFFD.
    InvalidUtf8 = "invalid_utf8",
    /// ReAct: a step or a question that the model invented after its answer.
    FabricatedStep = "fabricated_step",
    /// ReAct: an answer after a call, which the model gave without waiting for the result.
    AnswerAfterAction = "answer_after_action",
    /// ReAct: an action whose line says that no tool is called.
    NoAction = "no_action",
    /// ReAct: an action's input without an action's name.
    MissingActionName = "missing_action_name",
    /// ReAct: the stream ends in the beginning of a stop sequence.
    CutStopWord = "cut_stop_word",
    /// ReAct: input for a tool that takes none.
    IgnoredInput = "ignored_input",
    /// A provider repeated the whole arguments after their end; the repetition is ignored.
    TrailingArguments = "trailing_arguments",
    /// The provider's whole text at the end differs from the streamed one.
    ArgumentsMismatch = "arguments_mismatch",
    /// The model refused; its words are text.
    Refusal = "refusal",
    /// A provider sent an error, or an event that cannot be read.
    ProviderError = "provider_error",
    /// An event of another provider than the stream's. Reported once.
    ForeignEvent = "foreign_event",
    /// The stream was cut. Either your program said so ([`Parser::finish_cut`](crate::Parser::finish_cut)) and the stream did
    /// not end with a closed call, or the provider said so, or its stream ended without a word about the end.
    CutStream = "cut_stream",
}

impl DiagnosticKind {
    /// Whether the kind is about text between the parameters of a call.
    #[cfg(feature = "json")]
    pub(crate) fn is_unexpected(self) -> bool {
        matches!(self, DiagnosticKind::StrayText | DiagnosticKind::UnknownParameter)
    }

    /// Whether the kind is about a missing end of the message.
    #[cfg(feature = "json")]
    pub(crate) fn is_cut(self) -> bool {
        use DiagnosticKind::{CutOpener, CutStream, ProviderError};
        matches!(self, CutOpener | CutStream | ProviderError)
    }
}

impl fmt::Display for DiagnosticKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The payload of a chunk without any marker: one event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Payload {
    Text,
    Reasoning,
    Param,
    Arguments,
    Markup,
}

impl Payload {
    #[inline]
    pub fn event(self, slice: &str) -> Event<&str> {
        match self {
            Payload::Text => Event::TextContent(slice),
            Payload::Reasoning => Event::Reasoning(slice),
            Payload::Param => Event::ToolUse(ToolUse::ParamDelta(slice)),
            Payload::Arguments => Event::ToolUse(ToolUse::ArgumentsDelta(slice)),
            Payload::Markup => Event::Markup(slice),
        }
    }
}

impl<S> Event<S> {
    /// Replaces every slice by `f(slice)`.
    pub fn map<T>(self, mut f: impl FnMut(S) -> T) -> Event<T> {
        match self {
            Event::TextContent(s) => Event::TextContent(f(s)),
            Event::Reasoning(s) => Event::Reasoning(f(s)),
            Event::ToolUse(tool) => Event::ToolUse(tool.map(f)),
            Event::Markup(s) => Event::Markup(f(s)),
            Event::AnswerStart => Event::AnswerStart,
            Event::Opaque { of, json } => Event::Opaque { of, json: f(json) },
            Event::ToolLimitReached(limit) => Event::ToolLimitReached(limit),
            Event::Diagnostic(diagnostic) => Event::Diagnostic(diagnostic),
        }
    }

    /// Returns the slice of the input that the event carries; `None` for a zero-width event (names and ids are no slices
    /// of the input: their bytes leave as `Markup`).
    pub fn slice(&self) -> Option<&S> {
        match self {
            Event::TextContent(s)
            | Event::Reasoning(s)
            | Event::Markup(s)
            | Event::ToolUse(ToolUse::ParamDelta(s) | ToolUse::ArgumentsDelta(s)) => Some(s),
            _ => None,
        }
    }
}

impl<S: AsRef<str>> Event<S> {
    /// Borrows the event's slices as `&str`.
    pub fn as_str(&self) -> Event<&str> {
        match self {
            Event::TextContent(s) => Event::TextContent(s.as_ref()),
            Event::Reasoning(s) => Event::Reasoning(s.as_ref()),
            Event::ToolUse(tool) => Event::ToolUse(tool.as_str()),
            Event::Markup(s) => Event::Markup(s.as_ref()),
            Event::AnswerStart => Event::AnswerStart,
            Event::Opaque { of, json } => Event::Opaque { of: *of, json: json.as_ref() },
            Event::ToolLimitReached(limit) => Event::ToolLimitReached(*limit),
            Event::Diagnostic(diagnostic) => Event::Diagnostic(*diagnostic),
        }
    }
}

impl<S> ToolUse<S> {
    /// Replaces every slice by `f(slice)`.
    pub fn map<T>(self, mut f: impl FnMut(S) -> T) -> ToolUse<T> {
        match self {
            ToolUse::Start { index, name, id, at, dialect } => {
                ToolUse::Start { index, name: f(name), id: id.map(f), at, dialect }
            }
            ToolUse::Id(id) => ToolUse::Id(f(id)),
            ToolUse::ParamStart { name, hint } => ToolUse::ParamStart { name: f(name), hint },
            ToolUse::ParamDelta(s) => ToolUse::ParamDelta(f(s)),
            ToolUse::ParamEnd { closed } => ToolUse::ParamEnd { closed },
            ToolUse::ArgumentsDelta(s) => ToolUse::ArgumentsDelta(f(s)),
            ToolUse::End { status, at } => ToolUse::End { status, at },
        }
    }
}

impl<S: AsRef<str>> ToolUse<S> {
    pub(crate) fn as_str(&self) -> ToolUse<&str> {
        match self {
            ToolUse::Start { index, name, id, at, dialect } => ToolUse::Start {
                index: *index,
                name: name.as_ref(),
                id: id.as_ref().map(AsRef::as_ref),
                at: *at,
                dialect: *dialect,
            },
            ToolUse::Id(id) => ToolUse::Id(id.as_ref()),
            ToolUse::ParamStart { name, hint } => {
                ToolUse::ParamStart { name: name.as_ref(), hint: *hint }
            }
            ToolUse::ParamDelta(s) => ToolUse::ParamDelta(s.as_ref()),
            ToolUse::ParamEnd { closed } => ToolUse::ParamEnd { closed: *closed },
            ToolUse::ArgumentsDelta(s) => ToolUse::ArgumentsDelta(s.as_ref()),
            ToolUse::End { status, at } => ToolUse::End { status: *status, at: *at },
        }
    }
}
