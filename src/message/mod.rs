//! The collector: [`Message`], for programs that want the message rather than its events.
//!
//! The model is that of Cline: content blocks in order, the last one `partial` while the stream runs. Calls that may
//! run and calls that may not are different types, so a program that runs tools cannot receive a truncated call by
//! mistake.

mod arguments;
mod block;
pub(crate) mod calls;
mod partial;
pub(crate) mod plain;
mod read_as;
pub(crate) mod refused;
pub(crate) mod reply;
mod verbatim;

use std::fmt;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Map, Value};

pub(crate) use arguments::{ArgumentsReader, ReadArguments};
pub(crate) use block::Parts;
pub use block::{
    ArgumentsProblem, Block, CompleteCall, IncompleteCall, IncompleteReason, Prose, RawParam,
};
pub use partial::PartialCall;
pub(crate) use read_as::ReadAs;
pub use refused::RefusedCall;

use crate::event::{
    Cause, Diagnostic, DiagnosticKind, Event, NATIVE, OpaqueOf, Status, ToolLimitReached, ToolUse,
};
use crate::options::{Required, Types};
use crate::parser::Parser;
use crate::parser::tables::Tables;
use crate::provider::Provider;
use crate::read::ids::PartNumber;
use crate::repair;
use partial::View;
use refused::Explained;

/// Message collected from the events of one parser.
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
/// A [`Reply`](crate::Reply) joins a parser and its message, with less code.
///
/// In JSON, a message is the output of `toolstream parse --format message`, with the calls' parameters as they were
/// written (`params`). It can be read back. Two messages are equal if all their data is equal.
#[derive(Clone)]
pub struct Message {
    /// The tables for reading arguments; none, if the message was read back from a log.
    tables: Option<Arc<Tables>>,
    /// The ending, if the message was read back.
    read_back: Option<Ending>,
    /// The dialect has an answer marker.
    has_marker: bool,
    blocks: Vec<Block>,
    diagnostics: Vec<Diagnostic>,
    /// Diagnostics of calls that have not ended, kept apart so that ending a call searches no others.
    of_open: Vec<Diagnostic>,
    position: usize,
    limit: Option<ToolLimitReached>,
    /// The end of the stream cut a call or an opener, or the provider said so.
    truncated: bool,
    /// The dialect's answer marker came.
    answered: bool,
    /// The provider of the stream, if it is not text dialect's.
    pub(crate) provider: Option<Provider>,
    /// The last block is whole: a next one is another block, also of the same kind.
    sealed: bool,
    /// The open call holds text that is not a parameter.
    unexpected: bool,
    /// The arguments of the open call so far, once a caller has asked for them.
    view: Option<Box<View>>,
    /// Notes taken from markers, for a program that asks for them.
    explained: Option<Box<Explained>>,
}

/// The end of a message, independent of the provider's word for it. The first of these counts: `ToolLimitReached`,
/// `Truncated`, `ToolUse`, `Stop`. So a message with any of the first three may have calls to run: see
/// [`Message::has_calls`].
///
/// ```
/// use toolstream::{Dialect, Ending, Parser};
///
/// let parser = Parser::builder(Dialect::HERMES).build()?;
/// assert_eq!(parser.parse("Done.").ended(), Ending::Stop);
/// let call = r#"<tool_call>{"name": "list", "arguments": {}}</tool_call>"#;
/// assert_eq!(parser.parse(call).ended(), Ending::ToolUse);
/// assert_eq!(parser.parse(&call[..30]).ended(), Ending::Truncated);
/// assert_eq!(parser.parse(&call.repeat(2)).ended(), Ending::ToolLimitReached);
/// # Ok::<(), toolstream::BuildError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Ending {
    /// A surplus call began.
    ToolLimitReached,
    /// The stream ended inside a call or its opener, was cut, or is still inside a call.
    Truncated,
    /// The message has a complete call.
    ToolUse,
    /// The message has nothing but text and reasoning, or calls that were refused.
    Stop,
}

impl Ending {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Ending::ToolUse => "tool_use",
            Ending::Stop => "stop",
            Ending::Truncated => "truncated",
            Ending::ToolLimitReached => "tool_limit_reached",
        }
    }
}

/// `tool_use`, `stop`, `truncated`, `tool_limit_reached`.
impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Parser {
    /// Returns an empty message for the events of this parser.
    pub fn message(&self) -> Message {
        Message::new(Arc::clone(self.tables()))
    }

    /// Parses a whole text with a fresh parser of this kind: one `feed`, one `finish`. There is no second parser for
    /// finished messages.
    pub fn parse(&self, text: &str) -> Message {
        let mut parser = self.clone();
        parser.reset();
        let mut message = parser.message();
        parser.feed_into(text, &mut message);
        parser.finish_into(&mut message);
        message.close();
        message
    }
}

impl Message {
    fn new(tables: Arc<Tables>) -> Message {
        let has_marker = tables.reads.lines;
        Message {
            has_marker,
            explained: tables.options.explain_refused.then(Box::default),
            tables: Some(tables),
            read_back: None,
            blocks: Vec::new(),
            diagnostics: Vec::new(),
            of_open: Vec::new(),
            position: 0,
            limit: None,
            truncated: false,
            answered: false,
            provider: None,
            sealed: false,
            unexpected: false,
            view: None,
        }
    }

    /// Returns an empty message for the events of a [`native::Reader`](crate::native::Reader).
    pub(crate) fn of_provider(tables: Arc<Tables>, provider: Provider) -> Message {
        Message { provider: Some(provider), ..Message::new(tables) }
    }

    /// Takes the next event.
    pub fn push<S: AsRef<str>>(&mut self, event: Event<S>) {
        self.take(event.as_str());
    }

    /// Ends the message: nothing is partial any more. Call it after the events of [`Parser::finish`]. If the stream
    /// was dropped before, an open call is truncated.
    pub fn close(&mut self) {
        self.end_prose();
        if self.blocks.last().filter(is_open).is_some() {
            self.end_call(Status::Incomplete(Cause::EndOfStream), self.position);
        }
    }

    /// Returns the blocks so far, in order.
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// Returns the calls that may run, in order.
    pub fn calls(&self) -> impl Iterator<Item = &CompleteCall> {
        self.blocks.iter().filter_map(|block| match block {
            Block::Call(call) => Some(call),
            _ => None,
        })
    }

    /// Returns the calls that may not run, in order.
    #[cfg(feature = "policy")]
    pub(crate) fn incomplete_calls(&self) -> impl Iterator<Item = &IncompleteCall> {
        self.blocks.iter().filter_map(|block| match block {
            Block::Incomplete(call) => Some(call),
            _ => None,
        })
    }

    /// Whether a call may run, however the message ended.
    pub fn has_calls(&self) -> bool {
        self.calls().next().is_some()
    }

    /// Returns the visible text, joined.
    pub fn text(&self) -> String {
        self.joined(|block| match block {
            Block::Text(prose) => Some(prose),
            _ => None,
        })
    }

    /// Returns the reasoning, joined.
    pub fn reasoning(&self) -> String {
        self.joined(|block| match block {
            Block::Reasoning(prose) => Some(prose),
            _ => None,
        })
    }

    /// Returns the open call and its arguments so far: for a screen that shows a form or a file while the model
    /// writes it. `None` between calls, and once the message is over.
    ///
    /// Each call costs only the changes since the previous one, so a program may ask after every chunk. A program that
    /// never asks pays nothing.
    pub fn partial_call(&mut self) -> Option<PartialCall<'_>> {
        let tables = self.tables.as_ref()?;
        let Some(Block::Incomplete(call)) = self.blocks.last().filter(is_open) else { return None };
        let view = self.view.get_or_insert_with(|| Box::new(View::new(call, tables)));
        view.update(call, tables);
        Some(PartialCall { call, view })
    }

    /// Returns the diagnostics of the parser and of the arguments.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// Returns the number of bytes of the stream that came in slices.
    pub fn position(&self) -> usize {
        self.position
    }

    /// Returns how the message ended. (`finish` in the JSON.)
    pub fn ended(&self) -> Ending {
        if let Some(ended) = self.read_back {
            ended
        } else if self.limit.is_some() {
            Ending::ToolLimitReached
        } else if self.truncated || self.blocks.last().filter(is_open).is_some() {
            Ending::Truncated
        } else if self.has_calls() {
            Ending::ToolUse
        } else {
            Ending::Stop
        }
    }

    /// Returns the surplus call, if one began.
    #[cfg(feature = "policy")]
    pub(crate) fn limit_reached(&self) -> Option<ToolLimitReached> {
        self.limit
    }

    /// Whether the dialect's answer marker began the answer (ReAct's `Final Answer:`).
    pub fn answered(&self) -> bool {
        self.answered
    }

    /// Returns the message as one JSON object, as `toolstream parse --format message` prints it: the serialized
    /// message without the calls' `params`, whose values are in `input`, too.
    ///
    /// For a log that is read back, serialize the message itself (`serde_json::to_writer(out, &message)`): it loses
    /// nothing and makes no copy.
    pub fn to_json(&self) -> Value {
        let mut message = serde_json::to_value(self).unwrap_or_default();
        let blocks = message["content"].as_array_mut().into_iter().flatten();
        for block in blocks.filter_map(Value::as_object_mut) {
            block.retain(|key, _| key != "params" && key != "dialect");
        }
        message
    }

    /// Whether a dialect of the message is one of lines: those have an answer marker.
    pub(crate) fn speaks_lines(&self) -> bool {
        self.has_marker
    }

    /// Makes a message from the data of a log. It takes no more events.
    pub(crate) fn read_back(
        mut blocks: Vec<Block>,
        diagnostics: Vec<Diagnostic>,
        position: usize,
        ended: Ending,
        answered: Option<bool>,
    ) -> Message {
        refused::restore_broken_by(&mut blocks, &diagnostics);
        Message {
            tables: None,
            read_back: Some(ended),
            has_marker: answered.is_some(),
            blocks,
            diagnostics,
            of_open: Vec::new(),
            position,
            limit: None,
            truncated: false,
            answered: answered.unwrap_or_default(),
            provider: None,
            sealed: false,
            unexpected: false,
            view: None,
            explained: None,
        }
    }

    /// Resets the message to a fresh one and keeps its memory.
    fn clear(&mut self) {
        self.blocks.clear();
        self.diagnostics.clear();
        self.of_open.clear();
        self.position = 0;
        self.limit = None;
        self.view = None;
        self.explained.iter_mut().for_each(|explained| explained.clear());
        (self.truncated, self.answered, self.sealed, self.unexpected) =
            (false, false, false, false);
    }

    fn joined(&self, prose: impl Fn(&Block) -> Option<&Prose>) -> String {
        self.blocks.iter().filter_map(prose).map(|prose| &*prose.text).collect()
    }

    fn take(&mut self, event: Event<&str>) {
        if self.read_back.is_some() {
            return;
        }
        if let Some(explained) = &mut self.explained {
            let call = self.blocks.last().and_then(|block| match block {
                Block::Incomplete(call) if call.partial => Some(&call.parts),
                _ => None,
            });
            explained.event(&event, call);
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
                self.unexpected |= diagnostic.kind.is_unexpected();
                self.diagnostics.push(diagnostic);
                self.of_open.extend(diagnostic.call.map(|_| diagnostic));
            }
        }
        self.position += event.slice().map_or(0, |slice| slice.len());
    }

    fn prose(&mut self, text: &str, block: fn(Prose) -> Block) {
        let fresh = block(Prose { text: String::new(), partial: true, opaque: None });
        // Data of the provider belongs to the text before it, so later text begins a block of its own.
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
        // The JSON is the provider's or the program's, not the model's, so a mistake in it is not reported.
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

    /// Ends the last block, and gives it this data.
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
            self.unexpected = false;
            self.view = None;
            let (problem, broken_by) = (None, None);
            let call = IncompleteCall { parts, partial: true, reason, problem, broken_by };
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
            ToolUse::End { status, at } => self.end_call(status, at),
            ToolUse::Start { .. } => {}
        }
    }

    /// Ends the call's markup: its arguments are read, and it is decided whether it may run.
    fn end_call(&mut self, status: Status, at: usize) {
        let Some(tables) = &self.tables else { return };
        let Some(Block::Incomplete(mut call)) = self.blocks.pop() else { return };
        self.view = None;
        // Events of an adapter, or of the program, may lack it.
        call.parts.range.end = at.max(call.parts.range.start);
        self.truncated |= status == Status::Incomplete(Cause::EndOfStream);
        let tool = tables.tool_named(&call.parts.name);
        let part = call.parts.dialect as PartNumber;
        let reader = ArgumentsReader { tables, tool, part };
        let mut found = Vec::new();
        let read = reader.arguments(&mut call.parts, self.unexpected, &mut found);
        // A provider's custom tool: its one parameter is its whole input.
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
        let mut own: Vec<Diagnostic> = Vec::new();
        // Diagnostics of later calls may have come before the end of this one.
        self.of_open.retain(|diagnostic| {
            own.extend(Some(*diagnostic).filter(|own| own.call == Some(index)));
            diagnostic.call > Some(index)
        });
        let found = found.into_iter().map(|diagnostic| diagnostic.in_call(index));
        own.extend(found.inspect(|diagnostic| self.diagnostics.push(*diagnostic)));
        // The parser may have reported one of these before the end of the call.
        let reported = own.iter().find_map(|diagnostic| match diagnostic.kind {
            DiagnosticKind::MalformedArguments => Some(IncompleteReason::MalformedArguments),
            DiagnosticKind::MissingArguments => Some(IncompleteReason::MissingArguments),
            _ => None,
        });
        let is_mistyped = |found: &Diagnostic| found.kind == DiagnosticKind::TypeMismatch;
        let mistyped = tables.options.types == Types::Strict && own.iter().any(is_mistyped);
        let reason = match status {
            Status::Complete => reported.or(mistyped.then_some(IncompleteReason::TypeMismatch)),
            Status::Incomplete(cause) => reported.or(Some(IncompleteReason::new(cause))),
        };
        if reason == Some(IncompleteReason::MalformedArguments) {
            let raw = call.parts.raw.as_deref().unwrap_or_default();
            let error = repair::arguments(raw, repairs).err();
            call.problem = error.map(|error| ArgumentsProblem::new(raw, &error));
        } else {
            call.parts.input = read.input;
        }
        self.blocks.push(match reason {
            None => Block::Call(CompleteCall { parts: call.parts, missing }),
            Some(reason) => {
                let broken_by = refused::broken_by(&own, reason);
                Block::Incomplete(IncompleteCall { reason, broken_by, partial: false, ..call })
            }
        });
    }
}

/// Whether the stream is still inside this call.
fn is_open(block: &&Block) -> bool {
    matches!(block, Block::Incomplete(call) if call.partial)
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

/// Prints the message without the parser's tables, which are long.
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
