//! Values of parameters between tags or tokens.
//!
//! ```text
//! parameter := opener value closer
//! ```
//! A closer counts if a text that may stand behind it follows; otherwise it is value. At the end of a chunk a line
//! break that may be framing, or an undecided marker, is pending. At the end of the stream half a closer is markup,
//! and the call is incomplete.

use crate::event::DiagnosticKind;
use crate::family::Framing;
use crate::options::ValueWhitespace;
use crate::read::act::{Closer, InValue, Scope};
use crate::read::cursor::More;
use crate::read::feed::{Feed, Flow, Proof};
use crate::read::machine::{Machine, Setup, State};

impl Machine {
    /// Begins a value of this kind.
    pub fn begin_value(&mut self, kind: u8, t: &Setup<'_>) {
        let verbatim = t.options.value_whitespace == ValueWhitespace::Verbatim;
        let framing = self.grammar(t).family.framing(kind);
        self.framing = if verbatim && framing != Framing::White { Framing::None } else { framing };
        self.call.value_kind = kind;
        self.call.nothing_nested();
        self.call.at_value_start = self.framing == Framing::LineBreak;
        self.call.reported = false;
        self.call.long_white = false;
        self.is.all_arguments = false;
    }
}

impl Feed<'_, '_> {
    pub fn value(&mut self) -> Flow {
        if self.m.call.at_value_start && self.value_start() == Flow::Wait {
            return Flow::Wait;
        }
        let kind = self.m.call.value_kind;
        let family = &*self.grammar().family;
        let Some(at) = self.next_marker(family.value_scan(kind)) else { return self.all_read() };
        self.framed_payload(at);
        self.at = at;
        let mut c = self.cursor();
        let found = family.in_value(&self.look(), kind, &mut c);
        self.m.examined += c.pos - at;
        match found {
            Err(More) if !self.ended() => return self.wait(),
            Err(More) if self.half_is_markup() => {
                self.at = self.text.len();
                self.markup(self.at);
            }
            Err(_) => {
                self.tell_refused(at);
                self.m.is.holds_closer |= self.notes.own_closer();
                self.check_bounds(at);
                self.pass();
            }
            Ok(InValue::Suspect { doubtful }) => {
                self.tell_suspect(at, c.pos);
                self.m.is.holds_closer |= self.notes.own_closer();
                self.check_bounds(at);
                self.note(DiagnosticKind::SuspectMarker, at);
                self.m.is.doubtful |= doubtful;
                self.m.is.broken |= doubtful && self.strict();
                self.at = c.pos;
            }
            Ok(InValue::Nests { name, suspect }) => {
                if suspect {
                    self.note(DiagnosticKind::SuspectMarker, at);
                    self.m.is.doubtful = true;
                    self.m.is.broken |= self.strict();
                }
                if !self.m.call.nest(name) {
                    // Its closer would not be known.
                    self.m.is.broken = true;
                    self.tell(DiagnosticKind::LimitExceeded, at);
                }
                self.at = c.pos;
            }
            Ok(InValue::Unnests) => {
                self.m.call.unnest();
                self.at = c.pos;
            }
            Ok(InValue::Fence { opens }) => {
                self.m.is.text_fence = opens;
                self.at = c.pos;
            }
            Ok(InValue::Close(closer)) => self.close_value(closer, at, c.pos),
        }
        Flow::Go
    }

    /// Reads the first byte of a value: a line break there is framing. If a chunk ends behind CR, CR is pending.
    /// If the stream ends there, it is value.
    fn value_start(&mut self) -> Flow {
        let cr = usize::from(self.byte(self.from) == Some(b'\r'));
        let Some(next) = self.byte(self.from + cr) else {
            if !self.ended() {
                self.m.waits = Default::default();
                self.at = self.text.len();
                return Flow::Wait;
            }
            return Flow::Go;
        };
        self.m.call.at_value_start = false;
        if next == b'\n' {
            self.markup(self.from + cr + 1);
        }
        self.at = self.from;
        Flow::Go
    }

    fn close_value(&mut self, closer: Closer, start: usize, end: usize) {
        let Closer { scope, note, before, broken, then } = closer;
        self.tell_accepted(start, end);
        let proof = self.proof_of(note);
        if let Some(note) = note {
            self.note(note, start);
        }
        if self.framing() == Framing::Recovered && note.is_none() {
            // Behind its own closer the line break before it belongs to the value.
            self.payload(start);
        }
        self.markup(if before { start } else { end });
        let own = scope == Scope::Value;
        let by_text = proof == Proof::Text;
        self.m.is.broken |= broken;
        self.end_param(!broken && (own || by_text));
        if let Some(kind) = then {
            self.m.call.kind = kind;
        }
        match scope {
            Scope::Value => {
                self.enter(State::Call);
                self.m.at_start = then.is_some();
            }
            Scope::Call | Scope::Section => {
                self.m.state = State::Call;
                self.leave_section(scope);
                self.end_call(proof);
            }
        }
    }

    /// Ends the stream in a value, and with it its call.
    pub fn end_in_value(&mut self) {
        let kind = self.m.call.value_kind;
        let whole = self.grammar().family.is_whole_at_end(kind) && !self.cut();
        let end = self.text.len();
        if self.framing() == Framing::White {
            self.framed_payload(end);
            self.markup(end);
        }
        self.payload(end);
        self.end_param(whole);
        self.end_call(if whole { Proof::Text } else { Proof::CutEnd });
    }
}
