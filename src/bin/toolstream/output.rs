//! The output of a message, and the reports and counts of its reading.

use std::io;
use std::process::ExitCode;

use toolstream::{
    Block, Ending, Event, Message, Sink, ToolUse,
    diagnostic::{DiagnosticKind, Marker},
};

use crate::failure::{BAD_INPUT, NO, say};
use crate::view::View;

/// The exit code of `--exit-status` for a message that is truncated.
const TRUNCATED: u8 = 3;
/// The exit code of `--exit-status` for a message with a call that may not run.
const INCOMPLETE: u8 = 4;

/// The view, and the notes for the end.
pub struct Output {
    view: Box<dyn View>,
    /// The message once more, if the exit code depends on it.
    message: Option<Message>,
    /// The file, if there are several.
    file: Option<String>,
    /// The number of invalid UTF-8 sequences of the input.
    invalid: usize,
    /// An event did not belong to the provider.
    pub foreign: bool,
    /// No tools were declared, and a value came whose type only a declaration could give.
    untyped: Option<bool>,
}

impl Output {
    pub fn new(view: Box<dyn View>) -> Output {
        Output { view, message: None, file: None, invalid: 0, foreign: false, untyped: None }
    }

    /// Reports the effect of declared tools.
    pub fn without_tools(self) -> Output {
        Output { untyped: Some(false), ..self }
    }

    /// Names this file in reports.
    pub fn of_file(self, file: Option<&str>) -> Output {
        Output { file: file.map(String::from), ..self }
    }

    /// [`Output::exit_code`] looks at this message, which is still empty.
    pub fn watch(self, message: Message) -> Output {
        Output { message: Some(message), ..self }
    }

    pub fn event(&mut self, event: Event<&str>) -> io::Result<()> {
        if let Event::Diagnostic(diagnostic) = &event {
            self.invalid += usize::from(diagnostic.kind == DiagnosticKind::InvalidUtf8);
            self.foreign |= diagnostic.kind == DiagnosticKind::ForeignEvent;
        }
        if let (Some(untyped), Event::ToolUse(ToolUse::ParamStart { hint: None, .. })) =
            (&mut self.untyped, &event)
        {
            *untyped = true;
        }
        if let Some(message) = &mut self.message {
            message.push(event);
        }
        self.view.event(event)
    }

    /// Returns a sink for a parser; its result has the errors of writing.
    pub fn sink(&mut self) -> Taken<'_> {
        Taken { out: self, result: Ok(()) }
    }

    pub fn flush(&mut self) -> io::Result<()> {
        self.view.flush()
    }

    pub fn end(&mut self) -> io::Result<()> {
        if let Some(message) = &mut self.message {
            message.close();
        }
        self.view.end()?;
        if self.invalid > 0 {
            let count = self.invalid;
            self.say(&format!(
                "warning: not all is valid UTF-8; sequences read as U+FFFD: {count}"
            ));
        }
        if self.untyped == Some(true) {
            self.say(
                "note: no tools are declared, so each value stays text (7 is \"7\") and any name \
                 is a tool's; --tools FILE reads values by their schemas",
            );
        }
        Ok(())
    }

    pub fn say(&self, what: &str) {
        match &self.file {
            Some(file) => say(&format!("{file}: {what}")),
            None => say(what),
        }
    }

    /// Returns the exit code; 0 if it was not asked for.
    pub fn exit_code(&self) -> u8 {
        self.message.as_ref().map_or(0, exit_code)
    }
}

/// The output while a parser pushes into it.
pub struct Taken<'o> {
    out: &'o mut Output,
    pub result: io::Result<()>,
}

impl Sink for Taken<'_> {
    fn event(&mut self, event: Event<&str>) {
        if self.result.is_ok() {
            self.result = self.out.event(event);
        }
    }

    fn wants_markers(&self) -> bool {
        self.out.view.wants_markers()
    }

    fn marker(&mut self, marker: &Marker<'_>) {
        self.out.view.marker(marker);
    }
}

/// The exit code that `--exit-status` has for a message.
pub fn exit_code(message: &Message) -> u8 {
    let incomplete = |block: &Block| matches!(block, Block::Incomplete(_));
    match message.ended() {
        Ending::Truncated => TRUNCATED,
        _ if message.blocks().iter().any(incomplete) => INCOMPLETE,
        _ => 0,
    }
}

/// The exit code of several messages: the code of the first message that is not as it should be. A message
/// that could not be read at all has priority.
#[derive(Default)]
pub struct Codes(u8);

impl Codes {
    pub fn add(&mut self, code: u8) {
        let failed = |code| code == NO || code == BAD_INPUT;
        if self.0 == 0 || (failed(code) && !failed(self.0)) {
            self.0 = code;
        }
    }

    pub fn code(&self) -> u8 {
        self.0
    }

    pub fn exit(self) -> ExitCode {
        ExitCode::from(self.0)
    }
}
