//! The answer that a client of a protocol would be sent: its server-sent events.

use std::io::{self, Write};

use toolstream::Event;
use toolstream::adapt::EventWriter;

use super::{Out, View, heading, stdout};

pub struct Answer {
    writer: EventWriter,
    out: Out,
}

impl Answer {
    pub fn new(writer: EventWriter, file: Option<&str>) -> io::Result<Answer> {
        let mut out = stdout();
        if let Some(file) = file {
            out.write_all(heading(file).as_bytes())?;
        }
        Ok(Answer { writer, out })
    }
}

impl View for Answer {
    fn event(&mut self, event: Event<&str>) -> io::Result<()> {
        self.writer.push(event);
        self.out.write_all(&self.writer.take())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    fn end(&mut self) -> io::Result<()> {
        self.writer.finish();
        self.out.write_all(&self.writer.take())?;
        self.flush()
    }
}
