//! What becomes of the events: one way to print them a file.

mod lines;
mod openai;
mod screen;

use std::io::{self, BufWriter, IsTerminal, StdoutLock, Write};

use clap::ValueEnum;
use toolstream::adapt::openai::DeltaWriter;
use toolstream::{Event, Message};

use lines::Lines;
use openai::Deltas;
use screen::Screen;

#[derive(Clone, Copy, ValueEnum)]
pub enum Format {
    /// One JSON object a line for each event, as it happens
    Events,
    /// One JSON object for the whole message, with the arguments read
    Message,
    /// The visible text; on a terminal with reasoning and calls in colour
    Text,
    /// OpenAI's chat stream: one choice with its delta a line, arguments as fragments
    Openai,
}

/// The view of this format; `message` and `deltas` are still empty.
pub fn open(format: Option<Format>, message: Message, deltas: DeltaWriter) -> Box<dyn View> {
    let terminal = io::stdout().is_terminal();
    let default = if terminal { Format::Text } else { Format::Events };
    match format.unwrap_or(default) {
        Format::Events => Box::new(Lines::new()),
        Format::Message => Box::new(Whole::new(message, terminal)),
        Format::Openai => Box::new(Deltas::new(deltas)),
        Format::Text if terminal => Box::new(Screen::new()),
        Format::Text => Box::new(Plain::new()),
    }
}

/// A way to print events. Between two chunks everything that is known must be on its way.
pub trait View {
    fn event(&mut self, event: Event<&str>) -> io::Result<()>;

    /// The chunk is over.
    fn flush(&mut self) -> io::Result<()>;

    /// The stream is over.
    fn end(&mut self) -> io::Result<()> {
        self.flush()
    }
}

/// Stdout flushes every line, which is too often within a chunk and too seldom behind it.
type Out = BufWriter<StdoutLock<'static>>;

fn stdout() -> Out {
    BufWriter::new(io::stdout().lock())
}

/// The visible text, byte for byte.
pub struct Plain(Out);

impl Plain {
    pub fn new() -> Plain {
        Plain(stdout())
    }
}

impl View for Plain {
    fn event(&mut self, event: Event<&str>) -> io::Result<()> {
        match event {
            Event::TextContent(text) => self.0.write_all(text.as_bytes()),
            _ => Ok(()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// One JSON object, at the end.
pub struct Whole {
    message: Message,
    pretty: bool,
}

impl Whole {
    pub fn new(message: Message, pretty: bool) -> Whole {
        Whole { message, pretty }
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
        let message = self.message.to_json();
        let mut out = stdout();
        if self.pretty {
            serde_json::to_writer_pretty(&mut out, &message)?;
        } else {
            serde_json::to_writer(&mut out, &message)?;
        }
        out.write_all(b"\n")?;
        out.flush()
    }
}

#[cfg(test)]
pub mod tests {
    use std::cell::RefCell;
    use std::rc::Rc;

    use toolstream::DiagnosticKind;

    use super::*;
    use crate::parse::Output;

    /// A view that keeps what it is shown.
    #[derive(Clone, Default)]
    pub struct Noted(Rc<RefCell<Vec<Event<String>>>>);

    impl Noted {
        /// One, and an output over it.
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
