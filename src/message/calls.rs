//! [`CallReader`]: the calls of a message alone, for programs that write them on.

use std::ops::Range;

use super::{Block, Ending, IncompleteReason, Message, verbatim};
use crate::event::{Diagnostic, Event, Status, ToolUse};
use crate::json::white::trim;
use crate::parser::Parser;

/// Reads the calls of one stream as [`Message`] does, and returns each when it is over, with its arguments as JSON
/// text. For a column, a log or a queue of calls, which are written on and do not run here.
///
/// A reader agrees with a message, and keeps none of it. Text and reasoning pass by, and arguments that need no
/// change are passed on as the model wrote them. After [`CallReader::reset`] its memory serves the next stream. So
/// beside the parser it costs less than half of a message and its arguments as text.
///
/// ```
/// use toolstream::{Dialect, Ending, Parser, calls::{CallReader, ReadCall}};
///
/// let mut parser = Parser::builder(Dialect::HERMES).tool_limit(None).build()?;
/// let mut reader = CallReader::new(&parser);
/// let mut log = Vec::new();
/// let mut take = |call: ReadCall<'_>| log.push(format!("{} {}", call.name, call.arguments));
/// for chunk in ["Go.\n<tool_call>{\"name\": \"list\", \"argum", "ents\": {\"all\": true}}</tool_call>"] {
///     for event in parser.feed(chunk) {
///         reader.push(event, &mut take);
///     }
/// }
/// for event in parser.finish() {
///     reader.push(event, &mut take);
/// }
/// reader.close(&mut take);
/// assert_eq!(log, ["list {\"all\": true}"]);
/// assert_eq!(reader.ended(), Ending::ToolUse);
/// # Ok::<(), toolstream::BuildError>(())
/// ```
#[derive(Clone, Debug)]
pub struct CallReader {
    /// The open call and the diagnostics; calls that are over are not in it.
    message: Message,
    /// A call may run.
    has_calls: bool,
}

/// Call that is over.
///
/// [`CallReader`] returns them.
///
/// ```
/// use toolstream::{Dialect, Event, Parser, calls::{CallReader, IncompleteReason, ReadCall}};
///
/// let mut parser = Parser::builder(Dialect::HERMES).build()?;
/// let mut reader = CallReader::new(&parser);
/// let mut found = Vec::new();
/// let mut take = |call: ReadCall<'_>| found.push((call.name.to_string(), call.may_run()));
/// for event in parser.feed("<tool_call>{\"name\": \"list\", \"arguments\": {\"a\"") {
///     reader.push(event, &mut take);
/// }
/// for event in parser.finish_cut() {
///     reader.push(event, &mut take);
/// }
/// reader.close(&mut take);
/// assert_eq!(found, [("list".to_string(), false)]);
/// # Ok::<(), toolstream::BuildError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReadCall<'a> {
    /// The call's number in the message, from 0.
    pub index: usize,
    /// The tool's name.
    pub name: &'a str,
    /// The wire's own id, where the dialect has one.
    pub id: Option<&'a str>,
    /// The arguments as a JSON object, typed by the tool's schema, as in
    /// [`CompleteCall::input`](crate::CompleteCall::input). Numbers are the model's own text, and white space may be.
    /// A call that may not run has those arguments that were closed.
    pub arguments: &'a str,
    /// The reason for which the call may not run; `None`: it may.
    pub reason: Option<IncompleteReason>,
    /// The required parameters that the call lacks.
    pub missing: &'a [String],
    /// The place of the call in the stream, in bytes.
    pub range: Range<usize>,
}

impl ReadCall<'_> {
    /// Whether the call may run: its markup closed, its arguments were read, and nothing refuses it.
    pub fn may_run(&self) -> bool {
        self.reason.is_none()
    }
}

impl CallReader {
    /// Makes a reader for the events of this parser, or of another one of equal configuration.
    pub fn new(parser: &Parser) -> CallReader {
        CallReader { message: parser.message(), has_calls: false }
    }

    /// Takes the next event, and passes on the call that it ends, if any.
    pub fn push<S: AsRef<str>>(&mut self, event: Event<S>, take: &mut impl FnMut(ReadCall<'_>)) {
        let event = event.as_str();
        match event {
            // Prose and markup are not kept.
            Event::TextContent(text) | Event::Reasoning(text) | Event::Markup(text) => {
                self.message.position += text.len();
            }
            Event::ToolUse(ToolUse::End { status, at }) => self.end(status, at, take),
            event => self.message.take(event),
        }
    }

    /// Ends the stream. Call it after the events of [`Parser::finish`]. If the stream was dropped before, an open
    /// call is truncated, and passed on.
    pub fn close(&mut self, take: &mut impl FnMut(ReadCall<'_>)) {
        self.message.close();
        self.give(take);
    }

    /// Returns the diagnostics of the parser and of the arguments.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        self.message.diagnostics()
    }

    /// Returns how the message ended.
    pub fn ended(&self) -> Ending {
        match self.message.ended() {
            Ending::Stop if self.has_calls => Ending::ToolUse,
            ended => ended,
        }
    }

    /// Returns the number of bytes of the stream that came in slices.
    pub fn position(&self) -> usize {
        self.message.position()
    }

    /// Resets the reader for the next stream of a parser of equal configuration.
    pub fn reset(&mut self) {
        self.has_calls = false;
        self.message.clear();
    }

    fn end(&mut self, status: Status, at: usize, take: &mut impl FnMut(ReadCall<'_>)) {
        if !status.is_complete() || !self.is_verbatim() {
            self.message.end_call(status, at);
            return self.give(take);
        }
        let Some(Block::Incomplete(call)) = self.message.blocks.last() else { return };
        self.has_calls = true;
        take(ReadCall {
            index: call.index(),
            name: call.name(),
            id: call.id(),
            arguments: trim(call.raw().unwrap_or_default()),
            reason: None,
            missing: &[],
            range: call.range().start..at,
        });
        self.message.blocks.clear();
    }

    /// Whether the open call, whose markup closed, may run with its arguments as they stand.
    fn is_verbatim(&self) -> bool {
        let (Some(tables), Some(Block::Incomplete(call))) =
            (&self.message.tables, self.message.blocks.last())
        else {
            return false;
        };
        let index = Some(call.index());
        let tool = tables.tool(call.name());
        let is_quiet = self.message.of_open.iter().all(|found| found.call != index);
        is_quiet && call.raw().is_some_and(|raw| verbatim::stands(raw, tool))
    }

    /// Passes on the last call, if it was not passed on.
    fn give(&mut self, take: &mut impl FnMut(ReadCall<'_>)) {
        let Some(block) = self.message.blocks.pop() else { return };
        let (parts, reason, missing) = match &block {
            Block::Call(call) => (&call.parts, None, &*call.missing),
            Block::Incomplete(call) => (&call.parts, Some(call.reason), &[][..]),
            _ => return,
        };
        self.has_calls |= reason.is_none();
        let arguments = serde_json::to_string(&parts.input).unwrap_or_default();
        take(ReadCall {
            index: parts.index,
            name: &parts.name,
            id: parts.id.as_deref(),
            arguments: &arguments,
            reason,
            missing,
            range: parts.range.clone(),
        });
    }
}
