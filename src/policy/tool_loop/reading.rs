//! The model's answer while it comes in.

use crate::event::{DiagnosticKind, Event, ToolLimitReached};
use crate::message::{Block, CompleteCall, Message};
use crate::parser::Parser;
use crate::policy::guard::Turn;
use crate::tape::Events;

/// A parser, the message it makes, and the text.
#[derive(Clone, Debug)]
pub(super) struct Reading {
    parser: Parser,
    pub message: Message,
    raw: String,
    /// How many calls were complete before the stream's end.
    closed: usize,
}

impl Reading {
    pub fn new(parser: Parser) -> Reading {
        let message = parser.message();
        Reading { parser, message, raw: String::new(), closed: 0 }
    }

    /// Nothing is read.
    pub fn over(mut parser: Parser) -> Reading {
        let _ = parser.finish();
        Reading::new(parser)
    }

    pub fn feed<'a>(&'a mut self, text: &'a str) -> Events<'a> {
        let events = self.parser.feed(text);
        take(&mut self.message, &mut self.raw, events.clone());
        events
    }

    pub fn finish(&mut self) -> Events<'_> {
        self.closed = self.message.calls().count();
        let events = self.parser.finish();
        take(&mut self.message, &mut self.raw, events.clone());
        self.message.close();
        events
    }

    /// Whether nothing that comes can count any more.
    pub fn is_over(&self) -> bool {
        self.surplus().is_some() || self.invented().is_some()
    }

    /// The surplus call, if there is one.
    pub fn surplus(&self) -> Option<ToolLimitReached> {
        self.parser.limit_reached().err()
    }

    /// What the model has said, up to where it began to invent.
    pub fn said(&self) -> &str {
        self.raw.get(..self.invented().unwrap_or(self.raw.len())).unwrap_or(&self.raw)
    }

    /// The calls that may run. If the stream broke off, what ended there only because the stream
    /// did (ReAct's plain input) may not.
    pub fn calls(&self, cut: bool) -> Vec<&CompleteCall> {
        let most = if cut { self.closed } else { usize::MAX };
        self.message.calls().take(most).collect()
    }

    /// The turn, for the guard.
    pub fn turn(&self, cut: bool) -> Turn<'_> {
        let mut turn = Turn::from(&self.message);
        if cut {
            turn.truncated = true;
            turn.incomplete.extend(turn.calls.drain(self.closed.min(turn.calls.len())..));
        }
        turn
    }

    /// The names of the calls that did not run.
    pub fn incomplete(&self, cut: bool) -> Vec<&str> {
        let open = self.message.blocks().iter().filter_map(|block| match block {
            Block::Incomplete(call) => Some(call.name()),
            _ => None,
        });
        let late = self.message.calls().skip(if cut { self.closed } else { usize::MAX });
        open.chain(late.map(CompleteCall::name)).collect()
    }

    /// Where a result, a step or an answer begins that the model has made up.
    fn invented(&self) -> Option<usize> {
        use DiagnosticKind::{AnswerAfterAction, FabricatedResult, FabricatedStep};
        let kinds = [AnswerAfterAction, FabricatedResult, FabricatedStep];
        let found = self.message.diagnostics().iter().find(|found| kinds.contains(&found.kind));
        found.map(|found| found.at)
    }
}

fn take<'a>(message: &mut Message, raw: &mut String, events: impl Iterator<Item = Event<&'a str>>) {
    for event in events {
        raw.push_str(event.slice().copied().unwrap_or_default());
        message.push(event);
    }
}
