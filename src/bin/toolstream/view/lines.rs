//! Events as NDJSON: the form that scripts read. Its names are fixed; they are those of
//! `Event`'s `Serialize`.

use std::io::{self, Write};

use toolstream::Event;

use super::{Out, View, stdout};

pub struct Lines(Out);

impl Lines {
    pub fn new() -> Lines {
        Lines(stdout())
    }
}

impl View for Lines {
    fn event(&mut self, event: Event<&str>) -> io::Result<()> {
        // Scripts know no such line; `answered` is in the message.
        if event == Event::AnswerStart {
            return Ok(());
        }
        serde_json::to_writer(&mut self.0, &event)?;
        self.0.write_all(b"\n")
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}
