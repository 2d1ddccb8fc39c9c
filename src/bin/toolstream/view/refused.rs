//! The reasons why calls may not run, and why openers did not count: for a script, or in the words for the
//! model.

use std::io::{self, Write};

use serde_json::json;
use toolstream::{Event, Message, Sink, calls::RefusedCall, diagnostic::Marker};

use super::{View, stdout};

pub struct Refused {
    message: Message,
    /// The text is for the model.
    in_words: bool,
    file: Option<String>,
}

impl Refused {
    pub fn new(message: Message, in_words: bool, file: Option<&str>) -> Refused {
        Refused { message, in_words, file: file.map(String::from) }
    }
}

impl View for Refused {
    fn event(&mut self, event: Event<&str>) -> io::Result<()> {
        self.message.push(event);
        Ok(())
    }

    fn wants_markers(&self) -> bool {
        self.message.wants_markers()
    }

    fn marker(&mut self, marker: &Marker<'_>) {
        self.message.marker(marker);
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn end(&mut self) -> io::Result<()> {
        self.message.close();
        let (mut out, file) = (stdout(), self.file.as_deref());
        if self.in_words {
            if let Some(text) = self.message.correction() {
                match file {
                    Some(_) => out.json(file, &json!({"correction": text}), false)?,
                    None => writeln!(out, "{text}")?,
                }
            }
            return out.flush();
        }
        for RefusedCall { range, name, index, why, .. } in self.message.refused() {
            let (start, end) = (range.start, range.end);
            let object =
                json!({"start": start, "end": end, "name": name, "index": index, "why": why});
            out.json(file, &object, false)?;
        }
        out.flush()
    }
}
