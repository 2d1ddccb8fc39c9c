//! OpenAI's chat stream: one `choices` entry a line, arguments as fragments.

use std::io::{self, Write};

use serde_json::{Value, json};
use toolstream::Event;
use toolstream::adapt::openai::{self, DeltaWriter};

use super::{Out, View, put_json, stdout};

pub struct Deltas {
    writer: DeltaWriter,
    out: Out,
    file: Option<String>,
}

impl Deltas {
    pub fn new(writer: DeltaWriter, file: Option<&str>) -> Deltas {
        Deltas { writer, out: stdout(), file: file.map(String::from) }
    }

    fn line(&mut self, choice: Value) -> io::Result<()> {
        put_json(&mut self.out, self.file.as_deref(), &choice, false)
    }
}

impl View for Deltas {
    fn event(&mut self, event: Event<&str>) -> io::Result<()> {
        let deltas: Vec<Value> = self.writer.push(event).collect();
        deltas.into_iter().try_for_each(|delta| self.line(openai::choice(delta, None)))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    fn end(&mut self) -> io::Result<()> {
        let reason = self.writer.finish_reason();
        self.line(openai::choice(json!({}), Some(reason)))?;
        self.flush()
    }
}
