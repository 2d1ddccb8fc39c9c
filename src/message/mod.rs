//! [`Message`]: the collector, for hosts that want the message rather than its events.
//!
//! Cline's content-block model: blocks in order, the last of them `partial` while the stream runs.
//! A call that may run and one that may not are different types, so that code that runs a tool
//! cannot be handed a cut-off call by mistake.

#[cfg(feature = "json")]
pub(crate) mod plain;
#[cfg(feature = "json")]
pub(crate) mod reply;

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::coerce::{self, ValueTypes};
use crate::dialect::spec::Framing;
use crate::event::{
    Cause, Diagnostic, DiagnosticKind, Event, NATIVE, OpaqueOf, Status, ToolLimitReached, ToolUse,
    TypeHint,
};
use crate::json::elements::{self, Elements, Wanted};
use crate::json::white::trim;
use crate::machine::tables::{PartNumber, Tables};
use crate::native::Provider;
use crate::options::Required;
use crate::options::json::{self, JsonError};
use crate::parser::Parser;
use crate::repair::{self, Repairs};
use crate::tool::{Param, Tool, Type};

/// A message as it is collected from the events of one parser.
///
/// ```
/// use toolstream::{Dialect, Ending, Param, Parser, Tool};
///
/// let mut parser = Parser::builder(Dialect::CLINE)
///     .tool(Tool::new("read_file").param(Param::required("path")))
///     .build()?;
/// let mut message = parser.message();
/// for chunk in ["Look:\n<read_file><path> a.rs", " </path></read_", "file>"] {
///     for event in parser.feed(chunk) {
///         message.push(event);
///     }
/// }
/// for event in parser.finish() {
///     message.push(event);
/// }
/// message.close();
///
/// let call = message.calls().next().unwrap();
/// assert_eq!((call.name(), &call.input()["path"]), ("read_file", &"a.rs".into()));
/// assert_eq!(message.ended(), Ending::ToolUse);
/// # Ok::<(), toolstream::BuildError>(())
/// ```
///
/// A [`Reply`](crate::Reply) is a parser and its message in one: less to write, nothing to forget.
///
/// As JSON it is what `toolstream parse --format message` prints, with the calls' parameters as they were
/// written (`params`), and it can be read back. Two messages are equal if they say the same.
#[derive(Clone)]
pub struct Message {
    /// By which arguments are read; none, if the message was read back from a log.
    tables: Option<Arc<Tables>>,
    /// How it ended, if it was read back.
    read_back: Option<Ending>,
    /// Its dialect has an answer marker.
    has_marker: bool,
    blocks: Vec<Block>,
    diagnostics: Vec<Diagnostic>,
    position: usize,
    limit: Option<ToolLimitReached>,
    /// A call was cut by the end of the stream, or an opener was, or the provider said so.
    truncated: bool,
    /// The dialect's answer marker came.
    answered: bool,
    /// Whose stream it comes from, if not from a text dialect.
    pub(crate) provider: Option<Provider>,
    /// The last block is whole: what follows is another one, also of the same kind.
    sealed: bool,
    /// Something stood in the open call that is no parameter.
    stray: bool,
}

/// A content block.
///
/// [`Message::blocks`] has them in order.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Block {
    /// Text for the user.
    Text(Prose),
    /// The model's reasoning.
    Reasoning(Prose),
    /// A call that may run: its markup closed and its arguments were read.
    Call(CompleteCall),
    /// A call that may not: still open, cut off, broken, or without the arguments it needs.
    Incomplete(IncompleteCall),
    /// What a provider wants back at this place, and what means nothing to anybody else: an encrypted
    /// thought, a search that it made itself. A JSON object, as it came.
    Opaque(Value),
}

/// Text or reasoning.
///
/// In [`Block::Text`] and [`Block::Reasoning`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Prose {
    /// The text so far.
    pub text: String,
    /// More may come.
    pub partial: bool,
    /// What its provider wants back with it: a signature, say. A JSON object.
    pub opaque: Option<Value>,
}

/// A call that may run. Only [`Message`] makes one.
#[derive(Clone, Debug, PartialEq)]
pub struct CompleteCall {
    pub(crate) parts: Parts,
    pub(crate) missing: Vec<String>,
}

/// A call that may not run.
///
/// [`Reply`](crate::Reply) has an example of one that was cut.
#[derive(Clone, Debug, PartialEq)]
pub struct IncompleteCall {
    pub(crate) parts: Parts,
    pub(crate) partial: bool,
    pub(crate) reason: IncompleteReason,
    pub(crate) problem: Option<ArgumentsProblem>,
}

/// What is wrong with a call's arguments, and where in them.
///
/// ```
/// use toolstream::{Block, Dialect, Parser};
///
/// let parser = Parser::builder(Dialect::HERMES).build()?;
/// let message = parser.parse(r#"<tool_call>{"name": "f", "arguments": {"path" 1}}</tool_call>"#);
/// let Block::Incomplete(call) = &message.blocks()[0] else { panic!() };
/// let problem = call.problem().unwrap();
/// assert_eq!((problem.line, problem.column), (1, 9));
/// # Ok::<(), toolstream::BuildError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ArgumentsProblem {
    /// The line of [`IncompleteCall::raw`], from 1.
    pub line: usize,
    /// The character in this line, from 1, at which it could not be read on.
    pub column: usize,
    /// What is wrong.
    pub what: String,
}

impl ArgumentsProblem {
    fn of(raw: &str, error: &repair::ArgumentsError) -> ArgumentsProblem {
        let read = raw.get(..error.at).unwrap_or(raw);
        let line = read.rfind('\n').map_or(read, |at| &read[at + 1..]);
        ArgumentsProblem {
            line: read.matches('\n').count() + 1,
            column: line.chars().count() + 1,
            what: error.to_string(),
        }
    }
}

/// `…: line 1, column 9`
impl fmt::Display for ArgumentsProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: line {}, column {}", self.what, self.line, self.column)
    }
}

/// Why a call may not run.
///
/// More reasons may come: a `match` needs a `_` arm.
///
/// [`IncompleteCall::reason`] says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum IncompleteReason {
    /// The stream ended in it, or has not left it yet.
    Cut,
    /// Its markup is broken, or needed a recovery that [`Recoveries::Strict`] refuses.
    ///
    /// [`Recoveries::Strict`]: crate::Recoveries::Strict
    Broken,
    /// Its arguments cannot be read.
    MalformedArguments,
    /// It has no arguments, or not all, though its tool requires some.
    MissingArguments,
}

impl IncompleteReason {
    /// `cut`, `broken`, `malformed_arguments`, `missing_arguments`.
    pub fn as_str(self) -> &'static str {
        match self {
            IncompleteReason::Cut => "cut",
            IncompleteReason::Broken => "broken",
            IncompleteReason::MalformedArguments => "malformed_arguments",
            IncompleteReason::MissingArguments => "missing_arguments",
        }
    }

    fn of(cause: Cause) -> IncompleteReason {
        match cause {
            Cause::EndOfStream => IncompleteReason::Cut,
            Cause::Broken => IncompleteReason::Broken,
        }
    }
}

/// A parameter as the model wrote it.
///
/// [`CompleteCall::params`] has them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RawParam {
    /// The name as written.
    pub name: String,
    /// The value as written, less the dialect's framing.
    pub value: String,
    /// What the wire says of the value's type, where the dialect does. It wins over the schema.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<TypeHint>,
    /// Whether its closer came.
    pub closed: bool,
    pub(crate) at: usize,
}

impl RawParam {
    /// Whether this is a value whose key the model forgot. (A member of a JSON object may have an
    /// empty one; such a parameter has a hint.)
    pub(crate) fn lacks_key(name: &str, hint: Option<TypeHint>) -> bool {
        name.is_empty() && hint.is_none()
    }
}

/// What both kinds of calls have.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Parts {
    pub index: usize,
    /// Which of the parser's dialects wrote it.
    pub dialect: usize,
    pub id: Option<String>,
    pub name: String,
    pub params: Vec<RawParam>,
    pub raw: Option<String>,
    pub input: Map<String, Value>,
    pub range: Range<usize>,
    pub opaque: Option<Value>,
}

/// How a message ended, whatever the provider said. Of several the first of: `ToolLimitReached`,
/// `Truncated`, `ToolUse`, `Stop`. So there may be calls to run with each of the first three:
/// [`Message::has_calls`] says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Ending {
    /// A surplus call began.
    ToolLimitReached,
    /// The stream ended inside a call or its opener, was cut, or has not left a call yet.
    Truncated,
    /// There is a complete call.
    ToolUse,
    /// Nothing but text and reasoning, or calls that were refused.
    Stop,
}

impl Ending {
    /// `tool_use`, `stop`, `truncated`, `tool_limit_reached`.
    pub fn as_str(self) -> &'static str {
        match self {
            Ending::ToolUse => "tool_use",
            Ending::Stop => "stop",
            Ending::Truncated => "truncated",
            Ending::ToolLimitReached => "tool_limit_reached",
        }
    }
}

macro_rules! call_accessors {
    ($of:ty, |$call:ident| $parts:expr) => {
        impl $of {
            /// The call's number in the message, from 0.
            pub fn index(&self) -> usize {
                let $call = self;
                $parts.index
            }

            /// The wire's own id, where the dialect has one.
            pub fn id(&self) -> Option<&str> {
                let $call = self;
                $parts.id.as_deref()
            }

            /// The tool's name.
            pub fn name(&self) -> &str {
                let $call = self;
                &$parts.name
            }

            /// The arguments, coerced by the tool's schema. Of a call that was cut, those
            /// parameters that were closed; of one that is still open, none yet.
            pub fn input(&self) -> &Map<String, Value> {
                let $call = self;
                &$parts.input
            }

            /// The parameters as the model wrote them, in order, the open one too.
            pub fn params(&self) -> &[RawParam] {
                let $call = self;
                &$parts.params
            }

            /// What its provider wants back with it: a JSON object.
            pub fn opaque(&self) -> Option<&Value> {
                let $call = self;
                $parts.opaque.as_ref()
            }

            /// The arguments as the model wrote them, where the dialect speaks JSON.
            pub fn raw(&self) -> Option<&str> {
                let $call = self;
                $parts.raw.as_deref()
            }

            /// Where the call stands in the stream, in bytes: from its opener (of its section's,
            /// for the first call of a section) to after its closer.
            pub fn range(&self) -> Range<usize> {
                let $call = self;
                $parts.range.clone()
            }
        }
    };
}

call_accessors!(CompleteCall, |call| call.parts);
call_accessors!(IncompleteCall, |call| call.parts);

impl CompleteCall {
    /// The parameters that its tool requires and that it does not have, in the order of the schema.
    /// A tool without them may still run; [`Required::Strict`](crate::Required::Strict) refuses it.
    pub fn missing(&self) -> &[String] {
        &self.missing
    }

    /// The arguments as a type of the host's own.
    ///
    /// ```
    /// use toolstream::{Dialect, Parser};
    ///
    /// #[derive(serde::Deserialize)]
    /// struct Show { line: u32 }
    ///
    /// let parser = Parser::builder(Dialect::HERMES).build()?;
    /// let parse = |arguments: &str| {
    ///     let text = format!(r#"<tool_call>{{"name": "show", "arguments": {arguments}}}</tool_call>"#);
    ///     parser.parse(&text).calls().next().unwrap().parse::<Show>()
    /// };
    /// assert_eq!(parse(r#"{"line": 7}"#)?.line, 7);
    /// let error = parse(r#"{"line": "x"}"#).err().unwrap();
    /// assert_eq!(error.to_string(), r#"line: invalid type: string "x", expected u32"#);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`JsonError::Arguments`]: what serde says, with the place.
    pub fn parse<'a, T: Deserialize<'a>>(&'a self) -> Result<T, JsonError> {
        json::parse(&self.parts.input)
    }

    /// The arguments, without a copy.
    #[must_use]
    pub fn into_input(self) -> Map<String, Value> {
        self.parts.input
    }
}

impl IncompleteCall {
    /// The stream is still inside this call.
    pub fn partial(&self) -> bool {
        self.partial
    }

    /// Why it may not run. Of several the first: what was found in its arguments, then whether the
    /// stream ended in it, then that it is broken. [`IncompleteReason::Cut`] while it is partial.
    pub fn reason(&self) -> IncompleteReason {
        self.reason
    }

    /// What is wrong with its arguments, and where, if they are
    /// [malformed](IncompleteReason::MalformedArguments) JSON.
    pub fn problem(&self) -> Option<&ArgumentsProblem> {
        self.problem.as_ref()
    }
}

impl Parser {
    /// An empty message for the events of this parser.
    pub fn message(&self) -> Message {
        Message::new(Arc::clone(self.tables()))
    }

    /// The message that a fresh parser of this kind makes of a whole text: one `feed`, one
    /// `finish`. There is no second parser for finished messages.
    pub fn parse(&self, text: &str) -> Message {
        let mut parser = self.clone();
        parser.reset();
        let mut message = parser.message();
        parser.feed_into(text, &mut |event: Event<&str>| message.push(event));
        parser.finish_into(&mut |event: Event<&str>| message.push(event));
        message.close();
        message
    }
}

impl Message {
    fn new(tables: Arc<Tables>) -> Message {
        Message {
            has_marker: tables.grammar.lines_part.is_some(),
            tables: Some(tables),
            read_back: None,
            blocks: Vec::new(),
            diagnostics: Vec::new(),
            position: 0,
            limit: None,
            truncated: false,
            answered: false,
            provider: None,
            sealed: false,
            stray: false,
        }
    }

    /// An empty message for the events of a [`native::Reader`](crate::native::Reader).
    pub(crate) fn of_provider(tables: Arc<Tables>, provider: Provider) -> Message {
        Message { provider: Some(provider), ..Message::new(tables) }
    }

    /// Takes the next event.
    pub fn push<S: AsRef<str>>(&mut self, event: Event<S>) {
        self.take(event.as_str());
    }

    /// The stream is over, and the events of [`Parser::finish`] were taken: nothing is partial.
    pub fn close(&mut self) {
        self.end_prose();
    }

    /// The blocks so far, in order.
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// The calls that may run, in order.
    pub fn calls(&self) -> impl Iterator<Item = &CompleteCall> {
        self.blocks.iter().filter_map(|block| match block {
            Block::Call(call) => Some(call),
            _ => None,
        })
    }

    /// Whether there is a call that may run, however the message ended.
    pub fn has_calls(&self) -> bool {
        self.calls().next().is_some()
    }

    /// The visible text, joined.
    pub fn text(&self) -> String {
        self.joined(|block| match block {
            Block::Text(prose) => Some(prose),
            _ => None,
        })
    }

    /// The reasoning, joined.
    pub fn reasoning(&self) -> String {
        self.joined(|block| match block {
            Block::Reasoning(prose) => Some(prose),
            _ => None,
        })
    }

    /// What was noticed, by the parser and in the arguments.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// How many bytes of the stream have come in slices.
    pub fn position(&self) -> usize {
        self.position
    }

    /// How the message ended. (`finish` in the JSON.)
    pub fn ended(&self) -> Ending {
        let is_open = |block: &Block| matches!(block, Block::Incomplete(call) if call.partial);
        if let Some(ended) = self.read_back {
            ended
        } else if self.limit.is_some() {
            Ending::ToolLimitReached
        } else if self.truncated || self.blocks.last().is_some_and(is_open) {
            Ending::Truncated
        } else if self.has_calls() {
            Ending::ToolUse
        } else {
            Ending::Stop
        }
    }

    /// Whether the dialect's answer marker began the answer (ReAct's `Final Answer:`).
    pub fn answered(&self) -> bool {
        self.answered
    }

    /// The message as one JSON object, as `toolstream parse --format message` prints it: as it is
    /// serialized, but without the calls' `params`, whose values are in `input`, too.
    ///
    /// For a log that is read back serialize the message itself (`serde_json::to_writer(out,
    /// &message)`): that loses nothing, and makes no copy of it.
    pub fn to_json(&self) -> Value {
        let mut message = serde_json::to_value(self).unwrap_or_default();
        let blocks = message["content"].as_array_mut().into_iter().flatten();
        for block in blocks.filter_map(Value::as_object_mut) {
            block.retain(|key, _| key != "params" && key != "dialect");
        }
        message
    }

    /// Whether its dialect, or one of its dialects, is one of lines: those have an answer marker.
    pub(crate) fn speaks_lines(&self) -> bool {
        self.has_marker
    }

    /// A message of which a log says this. It takes no more events.
    pub(crate) fn read_back(
        blocks: Vec<Block>,
        diagnostics: Vec<Diagnostic>,
        position: usize,
        ended: Ending,
        answered: Option<bool>,
    ) -> Message {
        Message {
            tables: None,
            read_back: Some(ended),
            has_marker: answered.is_some(),
            blocks,
            diagnostics,
            position,
            limit: None,
            truncated: false,
            answered: answered.unwrap_or_default(),
            provider: None,
            sealed: false,
            stray: false,
        }
    }

    fn joined(&self, prose: impl Fn(&Block) -> Option<&Prose>) -> String {
        self.blocks.iter().filter_map(prose).map(|prose| &*prose.text).collect()
    }

    fn take(&mut self, event: Event<&str>) {
        if self.read_back.is_some() {
            return;
        }
        match event {
            Event::TextContent(text) => self.prose(text, Block::Text),
            Event::Reasoning(text) => self.prose(text, Block::Reasoning),
            Event::ToolUse(tool) => self.tool_use(tool),
            Event::Markup(_) => self.end_prose(),
            Event::AnswerStart => self.answered = true,
            Event::Opaque { of, json } => self.opaque(of, json),
            Event::ToolLimitReached(limit) => self.limit = Some(limit),
            Event::Diagnostic(diagnostic) => {
                self.truncated |= diagnostic.kind.is_cut();
                self.stray |= diagnostic.kind.is_stray();
                self.diagnostics.push(diagnostic);
            }
        }
        self.position += event.slice().map_or(0, |slice| slice.len());
    }

    fn prose(&mut self, text: &str, block: fn(Prose) -> Block) {
        let fresh = block(Prose { text: String::new(), partial: true, opaque: None });
        if std::mem::take(&mut self.sealed) || !self.ends_in(&fresh) {
            self.end_prose();
            self.blocks.push(fresh);
        }
        if let Some(Block::Text(prose) | Block::Reasoning(prose)) = self.blocks.last_mut() {
            prose.text.push_str(text);
            prose.partial = true;
        }
    }

    /// Whether the last block is of this kind.
    fn ends_in(&self, kind: &Block) -> bool {
        let same = |last: &Block| std::mem::discriminant(last) == std::mem::discriminant(kind);
        self.blocks.last().is_some_and(same)
    }

    fn opaque(&mut self, of: OpaqueOf, json: &str) {
        // Not the model's text: the provider's own, or a host's.
        let Ok(value) = serde_json::from_str::<Value>(json) else { return };
        match (of, self.blocks.last_mut()) {
            (OpaqueOf::Text, _) => self.seal(value, Block::Text),
            (OpaqueOf::Reasoning, _) => self.seal(value, Block::Reasoning),
            (OpaqueOf::Call, Some(Block::Incomplete(call))) if call.partial => {
                call.parts.opaque = Some(value);
            }
            (OpaqueOf::Call, _) => {}
            (OpaqueOf::Item, _) => {
                self.end_prose();
                self.blocks.push(Block::Opaque(value));
            }
        }
    }

    /// The last block is whole, and this belongs to it.
    fn seal(&mut self, value: Value, block: fn(Prose) -> Block) {
        if value.as_object().is_some_and(|value| !value.is_empty()) {
            self.prose("", block);
            if let Some(Block::Text(prose) | Block::Reasoning(prose)) = self.blocks.last_mut() {
                prose.opaque = Some(value);
            }
        }
        self.end_prose();
        let fresh = block(Prose { text: String::new(), partial: false, opaque: None });
        self.sealed = self.ends_in(&fresh);
    }

    fn end_prose(&mut self) {
        if let Some(Block::Text(prose) | Block::Reasoning(prose)) = self.blocks.last_mut() {
            prose.partial = false;
        }
    }

    fn tool_use(&mut self, event: ToolUse<&str>) {
        let at = self.position;
        if let ToolUse::Start { index, name, id, at, dialect } = event {
            self.end_prose();
            let parts = Parts {
                index,
                dialect,
                id: id.map(String::from),
                name: name.to_string(),
                params: Vec::new(),
                raw: None,
                input: Map::new(),
                range: at..at,
                opaque: None,
            };
            let reason = IncompleteReason::Cut;
            self.stray = false;
            let call = IncompleteCall { parts, partial: true, reason, problem: None };
            return self.blocks.push(Block::Incomplete(call));
        }
        let Some(Block::Incomplete(call)) = self.blocks.last_mut() else { return };
        let parts = &mut call.parts;
        match event {
            ToolUse::Id(id) => parts.id = Some(id.to_string()),
            ToolUse::ParamStart { name, hint } => parts.params.push(RawParam {
                name: name.to_string(),
                value: String::new(),
                hint,
                closed: false,
                at,
            }),
            ToolUse::ParamDelta(text) => {
                if let Some(param) = parts.params.last_mut() {
                    param.value.push_str(text);
                }
            }
            ToolUse::ParamEnd { closed } => {
                if let Some(param) = parts.params.last_mut() {
                    param.closed = closed;
                }
            }
            ToolUse::ArgumentsDelta(text) => parts.raw.get_or_insert_default().push_str(text),
            ToolUse::End { status } => self.end_call(status),
            ToolUse::Start { .. } => {}
        }
    }

    /// The call's markup is over: now its arguments are read, and it is decided whether it may run.
    fn end_call(&mut self, status: Status) {
        let Some(tables) = &self.tables else { return };
        let Some(Block::Incomplete(mut call)) = self.blocks.pop() else { return };
        call.parts.range.end = self.position;
        self.truncated |= status == Status::Incomplete(Cause::EndOfStream);
        let tool = tables.tools.iter().find(|tool| tool.name == call.parts.name);
        let part = call.parts.dialect as PartNumber;
        let reader = Reader { tables, tool, part };
        let mut found = Vec::new();
        let read = reader.arguments(&mut call.parts, self.stray, &mut found);
        // A provider's custom tool: its one parameter is all that it says.
        if let (NATIVE, [only]) = (call.parts.dialect, &*call.parts.params) {
            call.parts.raw = Some(only.value.clone());
        }
        let missing = reader.missing(&read.input);
        let mut problems = read.problems;
        let strict = tables.options.required == Required::Strict;
        let repairs = tables.options.repairs;
        if strict && !missing.is_empty() && !read.refused {
            problems.push(DiagnosticKind::MissingArguments);
        }
        let (at, index) = (call.parts.range.start, call.parts.index);
        if status.is_complete() {
            found.extend(problems.into_iter().map(|kind| Diagnostic::new(kind, at)));
        }
        self.diagnostics.extend(found.into_iter().map(|diagnostic| diagnostic.in_call(index)));
        let own = self.diagnostics.iter().filter(|diagnostic| diagnostic.call == Some(index));
        let reported = own.map(|diagnostic| diagnostic.kind).find_map(|kind| match kind {
            DiagnosticKind::MalformedArguments => Some(IncompleteReason::MalformedArguments),
            DiagnosticKind::MissingArguments => Some(IncompleteReason::MissingArguments),
            _ => None,
        });
        let reason = match status {
            Status::Complete => reported,
            Status::Incomplete(cause) => reported.or(Some(IncompleteReason::of(cause))),
        };
        if reason == Some(IncompleteReason::MalformedArguments) {
            let raw = call.parts.raw.as_deref().unwrap_or_default();
            let error = repair::arguments(raw, repairs).err();
            call.problem = error.map(|error| ArgumentsProblem::of(raw, &error));
        } else {
            call.parts.input = read.input;
        }
        self.blocks.push(match reason {
            None => Block::Call(CompleteCall { parts: call.parts, missing }),
            Some(reason) => Block::Incomplete(IncompleteCall { reason, partial: false, ..call }),
        });
    }
}

impl PartialEq for Message {
    fn eq(&self, other: &Message) -> bool {
        self.blocks == other.blocks
            && self.diagnostics == other.diagnostics
            && self.position == other.position
            && self.ended() == other.ended()
            && (self.has_marker, self.answered) == (other.has_marker, other.answered)
    }
}

/// Without the parser's tables, which are long.
impl fmt::Debug for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Message")
            .field("blocks", &self.blocks)
            .field("ended", &self.ended())
            .field("diagnostics", &self.diagnostics)
            .field("position", &self.position)
            .field("answered", &self.answered)
            .finish_non_exhaustive()
    }
}

/// Reads the parameters of a call by its tool's schema.
pub(crate) struct Reader<'a> {
    pub tables: &'a Tables,
    pub tool: Option<&'a Tool>,
    /// Which of the parser's dialects wrote the call.
    pub part: PartNumber,
}

/// What came of a call's arguments.
#[derive(Default)]
pub(crate) struct Arguments {
    pub input: Map<String, Value>,
    pub problems: Vec<DiagnosticKind>,
    /// The call may not run.
    pub refused: bool,
}

impl Arguments {
    /// Those that the model wrote as JSON.
    pub fn of_json(raw: &str, repairs: Repairs) -> Arguments {
        match repair::arguments(raw, repairs) {
            Ok(read) => {
                let repaired = !read.repairs.is_empty();
                let problems = repaired.then_some(DiagnosticKind::RepairedJson);
                let problems = problems.into_iter().collect();
                Arguments { input: read.object, problems, refused: false }
            }
            Err(error) => Arguments {
                input: error.closed,
                problems: vec![DiagnosticKind::MalformedArguments],
                refused: true,
            },
        }
    }

    /// Of a call that gave none: right for a tool that requires nothing, unless something stood
    /// there that was to be some.
    pub fn absent(tool: Option<&Tool>, unexpected: bool) -> Arguments {
        let required = tool.is_some_and(|tool| !tool.requires_nothing());
        let malformed = unexpected.then_some(DiagnosticKind::MalformedArguments);
        let missing = required.then_some(DiagnosticKind::MissingArguments);
        let problems = malformed.into_iter().chain(missing).collect();
        Arguments { problems, refused: unexpected || required, ..Arguments::default() }
    }
}

impl Reader<'_> {
    /// Reads the arguments of a call whose markup is over. `stray`: something stood in it that is no
    /// parameter.
    fn arguments(&self, parts: &mut Parts, stray: bool, found: &mut Vec<Diagnostic>) -> Arguments {
        let raw = parts.raw.as_deref();
        // Parameters that an adapter made of JSON say so.
        let json = raw.is_some_and(|raw| raw.starts_with('{'))
            || parts.params.iter().any(|param| param.hint.is_some());
        let lines = self.tables.lines(self.part).filter(|_| !json);
        if let Some(lines) = lines {
            let types = parts.params.first().map(|param| self.types(&param.name));
            let param = parts.params.first().zip(types.as_ref());
            let repairs = self.tables.options.repairs;
            let (input, problem) = plain::read(lines, self.tool, param, raw, repairs);
            let closed = parts.params.first().is_none_or(|param| param.closed);
            if let Some(param) = parts.params.first() {
                parts.raw = Some(param.value.clone());
            }
            let refused = input.is_none();
            let input = input.filter(|_| closed).unwrap_or_default();
            return Arguments { input, problems: problem.into_iter().collect(), refused };
        }
        match raw.filter(|raw| trim(raw) != "null") {
            None if parts.params.is_empty() => Arguments::absent(self.tool, stray),
            None => {
                let input = self.input(&parts.params, found);
                Arguments { input, ..Arguments::default() }
            }
            Some(raw) => Arguments::of_json(raw, self.tables.options.repairs),
        }
    }

    /// The required parameters that `input` lacks, in the order of the schema.
    pub fn missing(&self, input: &Map<String, Value>) -> Vec<String> {
        let params = self.tool.map(|tool| &*tool.params).unwrap_or_default();
        let absent =
            params.iter().filter(|param| param.required && !input.contains_key(&param.name));
        absent.map(|param| param.name.clone()).collect()
    }

    /// The arguments object: of each parameter the last value, of a list all of them. A parameter
    /// that was cut is not in it.
    pub fn input(&self, params: &[RawParam], found: &mut Vec<Diagnostic>) -> Map<String, Value> {
        let mut input = Map::new();
        let mut lists: Vec<(&str, Vec<&RawParam>)> = Vec::new();
        let given =
            |param: &&RawParam| param.closed && !RawParam::lacks_key(&param.name, param.hint);
        for param in params.iter().filter(given) {
            let Some(list) = self.list_of(&param.name, param.hint) else {
                let types = self.types(&param.name);
                input.insert(param.name.clone(), self.value(param, &types, found));
                continue;
            };
            match lists.iter_mut().find(|(name, _)| *name == list) {
                Some((_, pieces)) => pieces.push(param),
                None => {
                    lists.push((list, vec![param]));
                    // Its place among the arguments.
                    input.insert(list.to_string(), Value::Null);
                }
            }
        }
        for (name, pieces) in lists {
            input.insert(name.to_string(), self.list(name, &pieces, found));
        }
        input
    }

    /// The list that a parameter of this name gives a piece of: its own, where the schema is a list
    /// and no string, or the one that it is the singular of, where the dialect has that. A parameter
    /// whose type does not come from the wire was a member of a JSON object: it gives none.
    pub fn list_of<'n>(&'n self, name: &'n str, hint: Option<TypeHint>) -> Option<&'n str> {
        if hint.is_some() && self.tables.spec(self.part).hints.is_empty() {
            return None;
        }
        self.declared_list(name).or_else(|| self.types(name).is_list().then_some(name))
    }

    /// The value of a list of which these pieces came. A piece that is itself a list adds its
    /// elements; but where the dialect has elements of lists, only one that is alone does.
    pub fn list(&self, name: &str, pieces: &[&RawParam], found: &mut Vec<Diagnostic>) -> Value {
        let alone = pieces.len() == 1;
        let of_elements = self.declared_list(name).is_some();
        if let ([only], false) = (pieces, of_elements) {
            return self.value(only, &self.types(name), found);
        }
        let items = self.item_types(name);
        let adds = if of_elements { alone } else { !items.has(Type::Array) };
        let mut list = Vec::new();
        for piece in pieces {
            let elements = if adds { self.whole_list(piece, found) } else { None };
            match elements {
                Some(elements) => list.extend(elements),
                None => list.push(self.value(piece, &items, found)),
            }
        }
        list.into()
    }

    /// The elements of a piece that is itself a list.
    fn whole_list(&self, piece: &RawParam, found: &mut Vec<Diagnostic>) -> Option<Vec<Value>> {
        let read = self.coerce(piece, &Type::Array.into());
        if !read.0.is_array() {
            return None;
        }
        match flag(piece, read, found) {
            Value::Array(elements) => Some(elements),
            _ => None,
        }
    }

    pub fn value(
        &self,
        param: &RawParam,
        types: &ValueTypes,
        found: &mut Vec<Diagnostic>,
    ) -> Value {
        flag(param, self.coerce(param, types), found)
    }

    /// A value whose wire says what it is; taken verbatim, whatever the schema says.
    pub fn hinted(&self, param: &RawParam, hint: TypeHint) -> (Value, Option<DiagnosticKind>) {
        if matches!(hint, TypeHint::Json | TypeHint::Literal) {
            if let Some(read) = self.elements(param, &self.types(&param.name)) {
                return read;
            }
        }
        let literals = self.tables.literals(self.part).filter(|_| hint == TypeHint::Literal);
        match (hint, literals) {
            (TypeHint::String, _) => (Value::from(&*param.value), None),
            (_, Some(literals)) => {
                let types = self.types(&param.name);
                coerce::literal(&param.value, literals, &types, self.tables.options.repairs)
            }
            (TypeHint::Lines, _) => {
                let items = self.item_types(&param.name);
                coerce::lines(&param.value, &items, self.tables.options.repairs)
            }
            _ => coerce::json(&param.value, self.tables.options.repairs),
        }
    }

    fn coerce(&self, param: &RawParam, types: &ValueTypes) -> (Value, Option<DiagnosticKind>) {
        match param.hint {
            Some(hint) => self.hinted(param, hint),
            None => self.elements(param, types).unwrap_or_else(|| {
                coerce::coerce(&self.text(param), types, self.tables.options.repairs)
            }),
        }
    }

    /// Whether a value of these types may be nested elements.
    pub fn may_nest(&self, types: &ValueTypes) -> bool {
        self.tables.spec(self.part).nests.is_some() && elements::may_nest(types)
    }

    /// A value of nested elements, where the dialect has some and the value is no string.
    fn elements(
        &self,
        param: &RawParam,
        types: &ValueTypes,
    ) -> Option<(Value, Option<DiagnosticKind>)> {
        let (open, close) = self.tables.spec(self.part).nests.as_ref()?;
        if param.hint.is_none() && !elements::may_nest(types) {
            return None;
        }
        let root = self.tool.and_then(|tool| tool.schema.as_deref()).unwrap_or(&Value::Null);
        let elements = Elements {
            open,
            close,
            root,
            decode_entities: self.tables.options.decode_entities && param.hint.is_none(),
            repairs: self.tables.options.repairs,
        };
        let schema = elements::property(root, root, &param.name);
        elements.read(&param.value, &Wanted { types: types.clone(), schema, wire: "" })
    }

    /// The value's text: entities decoded and ends trimmed where that is asked for.
    pub fn text(&self, param: &RawParam) -> String {
        let text = if self.tables.options.decode_entities {
            coerce::decode_entities(&param.value)
        } else {
            param.value.clone()
        };
        if self.trims(&param.name) { trim(&text).to_string() } else { text }
    }

    /// Whether the dialect has the ends of this parameter's values trimmed.
    pub fn trims(&self, name: &str) -> bool {
        let first = self.tables.grammar.value(self.part, 0);
        let kind = self.tables.value_kind(self.part, name, first);
        self.tables.framing(kind) == Framing::Trimmed
    }

    /// The declared list that a parameter of this name is an element of.
    pub fn declared_list(&self, name: &str) -> Option<&str> {
        let tool = self.tables.tool_number([&self.tool?.name, ""]);
        let param = self.tables.param_number(self.part, tool, name)?;
        let declared = &self.tool?.params[param as usize].name;
        self.tables.is_list(self.part, tool, param).then_some(declared)
    }

    pub fn types(&self, name: &str) -> ValueTypes {
        let of =
            |param: &Param| ValueTypes { types: param.types.clone(), texts: param.texts.clone() };
        self.param(name).map(of).unwrap_or_default()
    }

    pub fn item_types(&self, name: &str) -> ValueTypes {
        let items = self.param(name).and_then(|param| param.items.as_deref());
        items.cloned().unwrap_or_default()
    }

    fn param(&self, name: &str) -> Option<&Param> {
        self.tool?.params.iter().find(|param| param.name == name)
    }
}

/// The value alone; what was wrong with it goes to the diagnostics.
fn flag(
    param: &RawParam,
    (value, problem): (Value, Option<DiagnosticKind>),
    found: &mut Vec<Diagnostic>,
) -> Value {
    found.extend(problem.map(|kind| Diagnostic::new(kind, param.at)));
    value
}
