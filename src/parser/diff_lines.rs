//! The layer that delivers search/replace lines whole.
//!
//! A diff parameter holds blocks between delimiter lines. A screen that shows the file while it is written must not
//! see half such a line. So from a line's start on, bytes that may still become a delimiter line are pending until
//! its line break or the first byte that rules it out, at most [`bounds::DIFF_LINE`] bytes. The line is data like
//! any other: only the moment of delivery changes.
//!
//! ```text
//! line := char char char char* ( " " ( "SEARCH" | "REPLACE" ) )? blank* CR? LF    all chars alike
//! char := "<" | "=" | ">" | "-" | "+"
//! ```
//! At the end of a chunk a line that may still become one is pending. At the end of the stream or the value
//! the next event is not a delta, and the pending bytes leave before it.

use crate::event::Payload;
use crate::event::{Event, ToolUse};
use crate::marker::Marker;
use crate::options::bounds;
use crate::parser::seldom::Seldom;
use crate::sink::Sink;

/// State that survives between two feeds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct LineState {
    /// The stream is in the value of a diff parameter.
    pub inside: bool,
    /// The next byte is the first of its line (and nothing is pending).
    line_start: bool,
    held: Seldom<String>,
}

impl LineState {
    /// The pending line.
    pub fn held(&self) -> &str {
        self.held.get().map_or("", String::as_str)
    }

    /// Whether a chunk of such payload may pass without a look at it.
    pub fn passes(&self, payload: Payload) -> bool {
        !(self.inside && payload == Payload::Param)
    }
}

/// The layer, for the time of one feed.
pub(crate) struct Lines<'a, S: ?Sized> {
    pub state: &'a mut LineState,
    /// Names of the diff parameters.
    pub params: &'a [String],
    pub sink: &'a mut S,
}

impl<S: Sink + ?Sized> Sink for Lines<'_, S> {
    #[inline(always)]
    fn event(&mut self, event: Event<&str>) {
        if !self.params.is_empty() {
            match event {
                Event::ToolUse(ToolUse::ParamStart { name, .. }) => {
                    self.state.inside = self.params.iter().any(|param| param == name);
                    self.state.line_start = true;
                }
                Event::ToolUse(ToolUse::ParamDelta(text)) if self.state.inside => {
                    return self.delta(text);
                }
                _ => self.flush(),
            }
        }
        self.sink.event(event);
    }

    #[inline(always)]
    fn wants_markers(&self) -> bool {
        self.sink.wants_markers()
    }

    fn marker(&mut self, marker: &Marker<'_>) {
        self.sink.marker(marker);
    }
}

impl<S: Sink + ?Sized> Lines<'_, S> {
    fn delta(&mut self, text: &str) {
        let text = if self.state.held().is_empty() { text } else { self.resume(text) };
        if text.is_empty() {
            return;
        }
        let last = match memchr::memrchr(b'\n', text.as_bytes()) {
            Some(at) => at + 1,
            None if self.state.line_start => 0,
            None => text.len(),
        };
        let (before, tail) = text.split_at(last);
        self.state.line_start = tail.is_empty() && text.ends_with('\n');
        if !tail.is_empty() && can_become(tail) {
            self.send(before);
            self.state.held.get_mut().push_str(tail);
        } else {
            self.send(text);
        }
    }

    /// Adds to the pending line until it is decided. Returns the rest of `text`.
    fn resume<'t>(&mut self, text: &'t str) -> &'t str {
        for (at, next) in text.char_indices() {
            if next != '\n' && !can_become_with(self.state.held.get_mut(), next) {
                self.state.line_start = false;
                self.flush();
                return &text[at..];
            }
            if next == '\n' {
                self.state.held.get_mut().push(next);
                self.state.line_start = true;
                self.flush();
                return &text[at + 1..];
            }
        }
        ""
    }

    fn flush(&mut self) {
        if !self.state.held().is_empty() {
            let mut held = std::mem::take(self.state.held.get_mut());
            self.send(&held);
            held.clear();
            *self.state.held.get_mut() = held;
        }
    }

    fn send(&mut self, text: &str) {
        if !text.is_empty() {
            self.sink.event(Event::ToolUse(ToolUse::ParamDelta(text)));
        }
    }
}

/// Appends `next` if the line can still become one with it.
fn can_become_with(line: &mut String, next: char) -> bool {
    line.push(next);
    let can = can_become(line);
    if !can {
        line.pop();
    }
    can
}

/// Whether `line`, which has no line break yet, can become a search/replace line.
fn can_become(line: &str) -> bool {
    if line.len() >= bounds::DIFF_LINE {
        return false;
    }
    let Some(character) = line.chars().next().filter(|character| "<=>-+".contains(*character))
    else {
        return false;
    };
    let rest = line.trim_start_matches(character);
    if rest.is_empty() {
        return true;
    }
    if line.len() - rest.len() < 3 {
        return false;
    }
    let line = rest.strip_suffix('\r').unwrap_or(rest).trim_end_matches([' ', '\t']);
    let word = line.strip_prefix(' ').unwrap_or(line);
    word.is_empty()
        || line.len() > word.len() && ["SEARCH", "REPLACE"].contains(&word)
        || rest.len() == line.len()
            && line.len() > word.len()
            && ["SEARCH", "REPLACE"].iter().any(|whole| whole.starts_with(word))
}
