//! Views of the events: a file for each way to print them.

mod answer;
mod lines;
mod openai;
mod out;
mod refused;
mod screen;

use std::io::{self, IsTerminal, Write};

use anstream::ColorChoice;
use clap::ValueEnum;
use serde_json::Value;
use toolstream::adapt::{self, Broken, Calls, EventWriter, OnCut, Protocol};
use toolstream::native::Reader;
use toolstream::{Event, Message, Parser, diagnostic::Marker};

use answer::Answer;
use lines::Lines;
use openai::Deltas;
use out::Out;
pub use out::stdout;
use refused::Refused;
use screen::Screen;
pub use screen::{harmless, harmless_lines};

#[derive(Clone, Copy, ValueEnum)]
pub enum Format {
    /// A JSON object a line for each event, as it happens
    Events,
    /// A JSON object for the whole message, with the arguments read
    Message,
    /// The visible text; on a terminal with reasoning and calls in colour
    Text,
    /// OpenAI's chat stream: one choice with its delta a line, arguments as fragments
    Openai,
    /// Anthropic's Messages: the stream for Claude Code
    Anthropic,
    /// OpenAI's Responses: the stream for Codex
    Responses,
    /// JSON objects, one a line, for calls that may not run and for openers of declared tools that did not count: the
    /// place and the reason of each
    Refused,
    /// A text for the model about the mistakes in its calls; nothing if there are none
    Correction,
    /// The visible text alone, on a terminal too
    #[value(skip)]
    Visible,
}

/// Whether to print in colour.
#[derive(Clone, Copy, ValueEnum)]
pub enum Color {
    /// In colour on a terminal, unless `NO_COLOR` or `TERM=dumb` forbids it
    Auto,
    Always,
    Never,
}

impl Color {
    pub fn choice(self) -> ColorChoice {
        match self {
            Color::Auto => ColorChoice::Auto,
            Color::Always => ColorChoice::Always,
            Color::Never => ColorChoice::Never,
        }
    }
}

impl Format {
    /// Whether the format shows why markers did not count.
    pub fn explains(self) -> bool {
        matches!(self, Format::Refused | Format::Correction)
    }

    fn is_answer(self) -> bool {
        matches!(self, Format::Openai | Format::Anthropic | Format::Responses)
    }
}

/// Options of calls as a client is sent them: for the formats `openai`, `anthropic` and `responses`.
#[derive(clap::Args, Clone, Copy, Default)]
pub struct Answering {
    /// Treatment of a call that may not run: sent with arguments that are no JSON, as text, or not at all; with
    /// --format openai, anthropic or responses [default: call]
    #[arg(long, value_name = "call|text|hide")]
    broken: Option<Broken>,
    /// Time at which a call is sent: while it comes, or once it may run [default: as_they_come]
    #[arg(long, value_name = "as_they_come|when_whole")]
    calls: Option<Calls>,
    /// Whether whole calls of a truncated answer are sent [default: keep]
    #[arg(long, value_name = "keep|refuse_all")]
    on_cut: Option<OnCut>,
}

impl Answering {
    /// A flag that changes nothing is a mistake.
    pub fn check(&self, format: Option<Format>) -> crate::failure::Result<()> {
        let given = self.broken.is_some() || self.calls.is_some() || self.on_cut.is_some();
        if given && !format.is_some_and(Format::is_answer) {
            let text = "--broken, --calls and --on-cut decide about the stream of a client: use them with --format openai, \
                        anthropic or responses";
            return Err(crate::failure::Failure::BadInput(text.to_string()));
        }
        Ok(())
    }
}

/// The format of the output, and the file if there are several.
pub struct Show<'f> {
    pub answering: Answering,
    pub format: Option<Format>,
    pub color: Option<Color>,
    pub file: Option<&'f str>,
}

/// The source of the events: it knows the tools.
pub enum Source<'s> {
    Parser(&'s Parser),
    Reader(&'s Reader),
}

impl Source<'_> {
    fn message(&self) -> Message {
        match self {
            Source::Parser(parser) => parser.message(),
            Source::Reader(reader) => reader.message(),
        }
    }

    fn deltas(&self, answering: &Answering) -> adapt::Deltas {
        let deltas = match self {
            Source::Parser(parser) => adapt::Deltas::new(parser),
            Source::Reader(reader) => adapt::Deltas::for_reader(reader),
        };
        let Answering { broken, calls, on_cut } = *answering;
        let deltas = deltas.broken_as(broken.unwrap_or_default());
        deltas.calls(calls.unwrap_or_default()).on_cut(on_cut.unwrap_or_default())
    }

    fn answer(&self, protocol: Protocol, id: &str, answering: &Answering) -> EventWriter {
        let writer = match self {
            Source::Parser(parser) => EventWriter::new(protocol, parser, id, "toolstream"),
            Source::Reader(reader) => EventWriter::for_reader(protocol, reader, id, "toolstream"),
        };
        let Answering { broken, calls, on_cut } = *answering;
        let writer = writer.broken_as(broken.unwrap_or_default());
        writer.calls(calls.unwrap_or_default()).on_cut(on_cut.unwrap_or_default())
    }
}

/// The view of this format.
pub fn open(show: &Show<'_>, of: &Source<'_>) -> io::Result<Box<dyn View>> {
    let terminal = io::stdout().is_terminal();
    let default = if terminal { Format::Text } else { Format::Events };
    let choice = show.color.map_or(ColorChoice::Auto, Color::choice);
    let rich = terminal || matches!(show.color, Some(Color::Always));
    Ok(match show.format.unwrap_or(default) {
        Format::Events => Box::new(Lines::new(show.file)),
        Format::Message => Box::new(Whole::new(of.message(), terminal, show.file)),
        Format::Openai => Box::new(Deltas::new(of.deltas(&show.answering), show.file)),
        Format::Anthropic => {
            let answer = of.answer(Protocol::Anthropic, "msg_0", &show.answering);
            Box::new(Answer::new(answer, show.file)?)
        }
        Format::Responses => {
            let answer = of.answer(Protocol::OpenAiResponses, "resp_0", &show.answering);
            Box::new(Answer::new(answer, show.file)?)
        }
        Format::Refused => Box::new(Refused::new(of.message(), false, show.file)),
        Format::Correction => Box::new(Refused::new(of.message(), true, show.file)),
        Format::Text if rich => Box::new(Screen::new(of.message(), choice, show.file)?),
        Format::Text | Format::Visible => Box::new(Plain::new(show.file)?),
    })
}

/// Writes a line above the output of one of several files, as `head` does.
fn heading(file: &str) -> String {
    format!("==> {file} <==\n")
}

/// A way to print events. Between two chunks everything that is known must be on its way.
pub trait View {
    fn event(&mut self, event: Event<&str>) -> io::Result<()>;

    /// Returns whether the view takes markers.
    fn wants_markers(&self) -> bool {
        false
    }

    fn marker(&mut self, _: &Marker<'_>) {}

    /// The chunk is over.
    fn flush(&mut self) -> io::Result<()>;

    /// The stream is over.
    fn end(&mut self) -> io::Result<()> {
        self.flush()
    }
}

/// Stdout flushes every line, which is too often within a chunk and too seldom after it.
/// The visible text: byte for byte, but for control characters on a terminal.
pub struct Plain {
    out: Out,
    /// There are several files: each begins on a line of its own.
    several: bool,
    at_line_start: bool,
}

impl Plain {
    pub fn new(file: Option<&str>) -> io::Result<Plain> {
        let mut out = stdout();
        if let Some(file) = file {
            out.write_all(heading(file).as_bytes())?;
        }
        Ok(Plain { out, several: file.is_some(), at_line_start: true })
    }
}

impl View for Plain {
    fn event(&mut self, event: Event<&str>) -> io::Result<()> {
        let Event::TextContent(text) = event else { return Ok(()) };
        self.at_line_start = text.ends_with('\n');
        self.out.write_all(text.as_bytes())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    fn end(&mut self) -> io::Result<()> {
        if self.several && !self.at_line_start {
            self.out.write_all(b"\n")?;
        }
        self.flush()
    }
}

/// View of a JSON object at the end.
pub struct Whole {
    message: Message,
    pretty: bool,
    file: Option<String>,
}

impl Whole {
    pub fn new(message: Message, pretty: bool, file: Option<&str>) -> Whole {
        Whole { message, pretty, file: file.map(String::from) }
    }
}

impl View for Whole {
    fn event(&mut self, event: Event<&str>) -> io::Result<()> {
        self.message.push(event);
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn end(&mut self) -> io::Result<()> {
        self.message.close();
        let mut out = stdout();
        out.json(self.file.as_deref(), &self.message.to_json(), self.pretty)?;
        out.flush()
    }
}

/// Prints an answer of a command as JSON: on several lines on a terminal.
pub fn print_json(value: &Value) -> io::Result<()> {
    let mut out = stdout();
    out.json(None, value, io::stdout().is_terminal())?;
    out.flush()
}

#[cfg(test)]
pub mod tests {
    use std::cell::RefCell;
    use std::rc::Rc;

    use toolstream::diagnostic::DiagnosticKind;

    use super::*;
    use crate::output::Output;

    /// A view that keeps its events.
    #[derive(Clone, Default)]
    pub struct Noted(Rc<RefCell<Vec<Event<String>>>>);

    impl Noted {
        /// Returns a view, and an output over it.
        pub fn output() -> (Noted, Output) {
            let noted = Noted::default();
            (noted.clone(), Output::new(Box::new(noted)))
        }

        /// The visible text.
        pub fn text(&self) -> String {
            let text = |event: &Event<String>| match event {
                Event::TextContent(text) => Some(text.clone()),
                _ => None,
            };
            self.0.borrow().iter().filter_map(text).collect()
        }

        pub fn kinds(&self) -> Vec<DiagnosticKind> {
            let kind = |event: &Event<String>| match event {
                Event::Diagnostic(diagnostic) => Some(diagnostic.kind),
                _ => None,
            };
            self.0.borrow().iter().filter_map(kind).collect()
        }
    }

    impl View for Noted {
        fn event(&mut self, event: Event<&str>) -> io::Result<()> {
            self.0.borrow_mut().push(event.map(String::from));
            Ok(())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
}
