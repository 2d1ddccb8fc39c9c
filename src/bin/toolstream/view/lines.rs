//! Events as NDJSON: the form that scripts read. Its names are fixed; they are those of
//! `Event`'s `Serialize`.

use std::io::{self, Write};

use toolstream::Event;

use super::{Out, View, stdout};

pub struct Lines {
    out: Out,
    file: Option<String>,
}

impl Lines {
    pub fn new(file: Option<&str>) -> Lines {
        Lines { out: stdout(), file: file.map(String::from) }
    }
}

impl View for Lines {
    fn event(&mut self, event: Event<&str>) -> io::Result<()> {
        // Scripts know no such line; `answered` is in the message.
        if event == Event::AnswerStart {
            return Ok(());
        }
        self.out.json(self.file.as_deref(), &event, false)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
