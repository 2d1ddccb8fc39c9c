//! OpenAI's chat stream: one `choices` entry a line, arguments as fragments.

use std::io::{self, Write};

use serde_json::{Value, json};
use toolstream::Event;
use toolstream::adapt::openai::{self, DeltaWriter};

use super::{Out, View, stdout};

pub struct Deltas {
    writer: DeltaWriter,
    out: Out,
}

impl Deltas {
    pub fn new(writer: DeltaWriter) -> Deltas {
        Deltas { writer, out: stdout() }
    }
}

impl View for Deltas {
    fn event(&mut self, event: Event<&str>) -> io::Result<()> {
        let deltas: Vec<Value> = self.writer.push(event).collect();
        deltas
            .into_iter()
            .try_for_each(|delta| writeln!(self.out, "{}", openai::choice(delta, None)))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    fn end(&mut self) -> io::Result<()> {
        let reason = self.writer.finish_reason();
        writeln!(self.out, "{}", openai::choice(json!({}), Some(reason)))?;
        self.flush()
    }
}
