//! What becomes of the events: one way to print them a file.

mod lines;
mod openai;
mod screen;

use std::io::{self, BufWriter, StdoutLock, Write};

use toolstream::{Event, Message};

pub use lines::Lines;
pub use openai::Deltas;
pub use screen::Screen;

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
        let json = self.message.to_json();
        match self.pretty {
            true => writeln!(io::stdout(), "{json:#}"),
            false => writeln!(io::stdout(), "{json}"),
        }
    }
}
