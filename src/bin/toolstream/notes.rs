//! Notes on places in a text: diagnostics, markers, and whether a call may run.

use serde::Serialize;
use toolstream::{Block, Event, Message, ToolUse, diagnostic::Marker};

/// The subject of a note.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum About {
    /// A call that may run.
    Call,
    /// A call that may not.
    BadCall,
    /// A diagnostic.
    Diagnostic,
    /// Bytes that begin like a marker and do not count.
    Refused,
    /// A marker that counts.
    Marker,
}

/// A sentence about a place.
#[derive(Debug, Serialize)]
pub struct Note {
    /// Byte offset in the text.
    pub at: usize,
    pub about: About,
    pub says: String,
}

/// The text of a stream, its message, and the notes on it, as a sink.
pub struct Notes {
    pub text: String,
    pub message: Message,
    pub list: Vec<Note>,
    /// Markers that count are noted, too.
    all: bool,
}

impl Notes {
    /// `message` is still empty.
    pub fn new(message: Message, all: bool) -> Notes {
        Notes { text: String::new(), message, list: Vec::new(), all }
    }

    /// Takes the next event.
    pub fn event(&mut self, event: Event<&str>) {
        self.message.push(event);
        if let Some(slice) = event.slice() {
            self.text.push_str(slice);
        }
        match event {
            Event::ToolUse(ToolUse::End { .. }) => self.call_ended(),
            Event::Diagnostic(about) => {
                let says = format!("! {} at {}", about.kind.as_str(), about.at);
                self.note(about.at, About::Diagnostic, says);
            }
            Event::ToolLimitReached(reached) => {
                let says = format!("! the tool limit ends the stream at {}", reached.at);
                self.note(reached.at, About::Diagnostic, says);
            }
            _ => {}
        }
    }

    /// Takes the next marker.
    pub fn marker(&mut self, marker: &Marker<'_>) {
        let about = if marker.refused.is_some() { About::Refused } else { About::Marker };
        if about == About::Refused || self.all {
            self.note(marker.at, about, format!("↳ {marker}"));
        }
    }

    fn call_ended(&mut self) {
        let (about, says) = match self.message.blocks().last() {
            Some(Block::Call(call)) => (About::Call, format!("✓ {}: may run", call.name())),
            Some(Block::Incomplete(call)) => {
                (About::BadCall, format!("✗ {}: may not run: {}", call.name(), call.reason()))
            }
            _ => return,
        };
        // It belongs to the line of its last byte.
        self.note(self.text.len().saturating_sub(1), about, says);
    }

    fn note(&mut self, at: usize, about: About, says: String) {
        self.list.push(Note { at, about, says });
    }
}
