//! Calls that a model writes into its text, because its server does not read them: the text passes through a
//! parser of its dialect before it leaves.
//!
//! Beside them the native calls are read as usual. Events of two calls are never mixed. While a call in the text is
//! open, reasoning waits. A native call ends an open call in the text, because no server begins one in the middle of
//! the model's text.

use crate::event::{Diagnostic, DiagnosticKind, Event, ToolLimitReached, ToolUse};
use crate::marker::{Marker, Refused};
use crate::options::Start;
use crate::parser::Parser;
use crate::sink::Sink;

use super::Output;

/// The parser of the text.
#[derive(Clone, Debug)]
pub(in crate::native) struct TextCalls {
    parser: Parser,
    /// A parser for the text after a native call.
    rest: Parser,
    /// The bytes that have left in slices of `parser`.
    passed: usize,
    answered: bool,
}

impl TextCalls {
    pub fn new(mut parser: Parser) -> TextCalls {
        parser.reset();
        let mut rest = parser.to_builder().start(Start::Text);
        rest.options.implicit_thought = false;
        // A parser that was built once can be built again.
        let rest = rest.build().unwrap_or_else(|_| parser.clone());
        TextCalls { parser, rest, passed: 0, answered: false }
    }

    pub fn parser(&self) -> &Parser {
        &self.parser
    }

    pub fn in_call(&self) -> bool {
        self.parser.in_call()
    }

    pub fn held(&self) -> usize {
        self.parser.held()
    }
}

/// The input of the parser.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::native) enum TextInput<'t> {
    Feed(&'t str),
    /// The stream is over; was it cut?
    Finish {
        cut: bool,
    },
    /// An event that ends open text.
    Interrupt,
}

impl Output<'_> {
    /// Reads text in which calls may be; none if there is no parser for them.
    pub fn text_calls(&mut self, input: TextInput<'_>) {
        let Some(mut text) = self.state.text.take() else { return };
        text.parser.count_calls(self.state.named, self.state.limit.previous());
        let TextCalls { parser, passed, answered, .. } = &mut *text;
        let mut events = FromText { output: self, passed, answered, input };
        match input {
            TextInput::Feed(text) => parser.feed_into(text, &mut events),
            TextInput::Finish { cut: false } => parser.finish_into(&mut events),
            TextInput::Finish { cut: true } | TextInput::Interrupt => {
                parser.finish_cut_into(&mut events)
            }
        }
        let previous = text.parser.last_call().map(String::from);
        self.state.limit.goes_on(self.state.named, previous.as_deref());
        if input == TextInput::Interrupt {
            text.parser = text.rest.clone();
            text.passed = 0;
        }
        self.state.text = Some(text);
    }
}

/// Takes the parser's events, as events of the whole message.
struct FromText<'a, 't> {
    output: &'a mut Output<'t>,
    passed: &'a mut usize,
    answered: &'a mut bool,
    input: TextInput<'a>,
}

impl FromText<'_, '_> {
    /// The parser counts the bytes of its text alone.
    fn at(&self, at: usize) -> usize {
        (self.output.state.limit.passed + at).saturating_sub(*self.passed)
    }

    /// Whether a diagnostic of the parser goes out: not if it only follows from the end of the parser's text, nor if the
    /// reader reports it itself.
    fn is_told(&self, kind: DiagnosticKind) -> bool {
        let interrupted = self.input == TextInput::Interrupt && kind == DiagnosticKind::CutOpener;
        kind != DiagnosticKind::CutStream && !interrupted
    }
}

impl Sink for FromText<'_, '_> {
    fn event(&mut self, event: Event<&str>) {
        let len = event.slice().map_or(0, |slice| slice.len());
        let event = match event {
            Event::ToolUse(ToolUse::Start { name, id, at, dialect, .. }) => {
                let (index, at) = (self.output.state.named, self.at(at));
                self.output.state.named += 1;
                Event::ToolUse(ToolUse::Start { index, name, id, at, dialect })
            }
            Event::ToolUse(ToolUse::End { status, at }) => {
                Event::ToolUse(ToolUse::End { status, at: self.at(at) })
            }
            Event::Diagnostic(found) if !self.is_told(found.kind) => return,
            Event::Diagnostic(found) => {
                Event::Diagnostic(Diagnostic { at: self.at(found.at), ..found })
            }
            Event::AnswerStart if std::mem::replace(self.answered, true) => return,
            Event::ToolLimitReached(limit) => {
                return self.output.raise(ToolLimitReached { at: self.at(limit.at), ..limit });
            }
            event => event,
        };
        self.output.emit(event);
        *self.passed += len;
    }

    fn wants_markers(&self) -> bool {
        self.output.sink.wants_markers()
    }

    fn marker(&mut self, marker: &Marker<'_>) {
        let refused = match &marker.refused {
            Some(Refused::Next { at, found, expected }) => {
                let (at, found, expected) = (self.at(*at), *found, expected.clone());
                Some(Refused::Next { at, found, expected })
            }
            refused => refused.clone(),
        };
        self.output.sink.marker(&Marker { at: self.at(marker.at), refused, ..*marker });
    }
}
