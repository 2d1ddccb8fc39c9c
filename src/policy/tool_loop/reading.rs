//! The model's answer while it comes in.

use crate::event::{DiagnosticKind, Event, ToolLimitReached};
use crate::message::{Block, Message};
use crate::parser::Parser;
use crate::tape::Events;

/// A parser, the message it makes, and the text.
#[derive(Clone, Debug)]
pub(super) struct Reading {
    parser: Parser,
    pub message: Message,
    raw: String,
}

impl Reading {
    pub fn new(parser: Parser) -> Reading {
        let message = parser.message();
        Reading { parser, message, raw: String::new() }
    }

    /// Nothing is read.
    pub fn over(mut parser: Parser) -> Reading {
        let _ = parser.finish_cut();
        Reading::new(parser)
    }

    pub fn feed<'a>(&'a mut self, text: &'a str) -> Events<'a> {
        let events = self.parser.feed(text);
        take(&mut self.message, &mut self.raw, events.clone());
        events
    }

    /// The stream is over. If it was cut, what would end only because the stream does is incomplete;
    /// but a stream that was over anyway may be cut wherever the host likes.
    pub fn finish(&mut self, cut: bool) -> Events<'_> {
        let events = match cut && !self.is_over() {
            true => self.parser.finish_cut(),
            false => self.parser.finish(),
        };
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

    /// The names of the calls that did not run.
    pub fn incomplete(&self) -> impl Iterator<Item = &str> {
        self.message.blocks().iter().filter_map(|block| match block {
            Block::Incomplete(call) => Some(call.name()),
            _ => None,
        })
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
