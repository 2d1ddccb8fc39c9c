//! Between calls.
//!
//! ```text
//! section := opener ( ws call )* ws closer
//! ```
//! Only white space, and text that the kind of section allows, may stand between calls. Anything else ends the
//! section, and is text. At the end of a chunk white space leaves, and an undecided marker is pending. At the
//! end of the stream the section's closer is missing; if no call has begun in it, its opener was cut.

use crate::event::DiagnosticKind;
use crate::options::bounds;
use crate::read::act::{InSection, Opener, Place};
use crate::read::call::NO_OPENER;
use crate::read::cursor::{Class, Half, More, WHITE};
use crate::read::feed::{Feed, Flow, Proof};
use crate::read::machine::State;

/// The most often that sections may end before the same byte.
const CIRCLE: u8 = 8;

impl Feed<'_, '_> {
    pub fn section(&mut self) -> Flow {
        let facts = self.grammar().family.section(self.m.section);
        if facts.junk {
            let Some(at) = self.next_in_junk(facts.lines) else { return self.all_read() };
            self.payload(at);
            self.at = at;
            return self.marker_in_section();
        }
        let white = match facts.white {
            true => Class::White.run(&self.text[self.at..], self.text.len()),
            false => 0,
        };
        self.m.examined += white;
        self.at += white;
        self.white_in_section(white);
        if self.at == self.text.len() {
            return self.all_read();
        }
        self.marker_in_section()
    }

    /// Finds the next place in junk where a marker may begin: where the junk began, at a line, or at a byte
    /// of the scan.
    fn next_in_junk(&mut self, lines: bool) -> Option<usize> {
        let scan = self.grammar().family.call_scan(self.m.section);
        if !lines {
            return self.next_marker(scan);
        }
        let from = self.at;
        let begins = std::mem::take(&mut self.m.at_start) || self.m.at_marker;
        if begins || self.is_line_start(from) {
            self.m.at_marker = false;
            return (from < self.text.len()).then_some(from);
        }
        // The scan finds line feeds, too: a line is searched only once.
        let names = |byte| self.m.may_name(self.t, byte);
        let found = scan.find(self.bytes(), from, names);
        self.m.examined += found.map_or(self.text.len(), |at| at + 1) - from;
        match found? {
            feed if self.bytes()[feed] == b'\n' => {
                Some(feed + 1).filter(|at| *at < self.text.len())
            }
            marker => Some(marker),
        }
    }

    fn marker_in_section(&mut self) -> Flow {
        let start = self.at;
        let mut c = self.cursor();
        let found = self.grammar().family.in_section(&self.look(), self.m.section, &mut c);
        self.m.examined += c.pos - start;
        let end = c.pos;
        match found {
            Err(More) if !self.ended() => return self.wait(),
            Err(More) => self.half_in_section(start),
            Err(_) => {
                self.tell_refused(start);
                self.nothing_in_section();
            }
            Ok(act) => self.act_in_section(act, start, end),
        }
        Flow::Go
    }

    /// Emits white space. In a section without a closer, it may belong to the text behind it, and is pending as far as
    /// white space may be.
    fn white_in_section(&mut self, white: usize) {
        let closes = self.grammar().family.section(self.m.section).takes_white();
        let long = self.at - self.from > bounds::WHITE_SPACE || self.m.call.long_white;
        self.m.call.long_white = !closes && white > 0 && long;
        if white > 0 && (closes || long) {
            self.payload(self.at);
        }
    }

    /// Ends the chunk between calls.
    pub fn release_section(&mut self) {
        let closes = self.grammar().family.section(self.m.section).takes_white();
        let read = &self.text[self.from..];
        let held = if closes { read } else { read.trim_end_matches(WHITE) };
        self.payload(self.from + held.len());
    }

    /// Ends the stream in half a marker.
    fn half_in_section(&mut self, start: usize) {
        let half = self.notes.half();
        let end = self.text.len();
        if self.m.is.waiting {
            // If anything else has begun, the object has closed.
            self.at = start;
            let proof = if half.has(Half::RESUMES) { self.end_proof() } else { Proof::Text };
            self.end_waiting(proof);
            self.at = end;
            return self.markup(end);
        }
        if !half.has(Half::MARK) {
            self.nothing_in_section();
        } else {
            self.payload(start);
            self.at = end;
            self.markup(end);
        }
        let come = self.text[start..].trim_start_matches(WHITE);
        if half.has(Half::OPENER) && come.len() >= 3 {
            self.cut_opener(start);
        }
    }

    /// Decides where no marker begins: the text may stand here, or the section has ended before it.
    fn nothing_in_section(&mut self) {
        let facts = self.grammar().family.section(self.m.section);
        if facts.junk {
            return self.pass();
        }
        let byte = self.bytes()[self.at];
        if !self.m.is.waiting && facts.between.contains(&byte) {
            self.at += 1;
            return self.payload(self.at);
        }
        if self.m.is.waiting {
            self.at = self.from;
            return self.end_waiting(Proof::Text);
        }
        if self.m.ends_before(self.offset(self.at)) > CIRCLE {
            // Sections have ended too often before this byte: it is passed as payload.
            return self.pass();
        }
        if facts.closes {
            self.tell(DiagnosticKind::MissingCloser, self.from);
        }
        self.close_section();
    }

    fn act_in_section(&mut self, act: InSection<'_>, start: usize, end: usize) {
        self.tell_accepted(start, end);
        let proof = self.proof();
        self.payload(start);
        match act {
            InSection::Open(opener) => match opener.place {
                Place::Call(_) => {
                    let facts = self.grammar().family.section(self.m.section);
                    self.m.section = facts.behind_call.unwrap_or(self.m.section);
                    self.open_call(opener, start, end);
                }
                Place::Body(kind) => {
                    self.open_body(kind, start, end - 1);
                    self.name_body(opener.id);
                    self.skip_call(opener.tool);
                }
                Place::Section(kind) => self.go_on_with(opener, kind, start, end),
            },
            InSection::Bracket => {
                self.m.is.bracket = true;
                self.markup(end);
                self.enter(State::Section);
            }
            InSection::Brace => {
                if !std::mem::replace(&mut self.m.is.holds_closer, true) {
                    self.note(DiagnosticKind::RepairedJson, start);
                }
                self.markup(end);
                self.enter(State::Section);
            }
            InSection::Mark(note) => {
                if let Some(note) = note {
                    self.note(note, start);
                }
                self.markup(end);
                self.enter(State::Section);
            }
            InSection::Malformed(object) => {
                self.m.is.section_start = false;
                self.note(DiagnosticKind::MalformedCall, start);
                match object {
                    Some(kind) => self.open_body(kind, start, end - 1),
                    None => {
                        self.markup(end);
                        self.enter(State::Section);
                    }
                }
            }
            InSection::Over { note, before } => {
                if let Some(note) = note {
                    self.note(note, start);
                }
                self.markup(if before { start } else { end });
                self.close_section();
                self.m.is.owed = true;
            }
            InSection::Message { kind, note } => {
                if let Some(note) = note {
                    self.note(note, start);
                }
                self.markup(end);
                self.m.message = kind;
                self.close_section();
            }
            InSection::Close(note) => {
                if let Some(note) = note {
                    self.note(note, start);
                }
                self.at = start;
                self.end_waiting(proof);
                // Its closer is no longer owed.
                self.m.is.owed &= end == start;
                self.markup(end);
                self.close_section();
            }
        }
    }

    /// Goes on with another kind of section.
    fn go_on_with(&mut self, opener: Opener<'_>, kind: u8, start: usize, end: usize) {
        let proof = self.proof();
        if let Some(note) = opener.note {
            self.note(note, start);
            self.m.is.section_start &= note != DiagnosticKind::MalformedCall;
        }
        self.at = start;
        self.end_waiting(proof);
        if self.grammar().family.section(kind).behind_call.is_some() {
            // The opener of a call in it has begun.
            if !self.may_open(start) {
                return;
            }
            let (unused, at) = (self.m.unused, self.offset(start));
            self.m.unused = if unused == NO_OPENER { at } else { unused };
            self.m.is.section_start = true;
            self.m.is.bracket = false;
        }
        self.m.section = kind;
        self.markup(if opener.before { start } else { end });
        self.enter(State::Section);
    }

    /// Ends the stream between calls.
    pub fn end_in_section(&mut self) {
        self.payload(self.text.len());
        self.end_waiting(self.end_proof());
        let family = &self.grammar().family;
        let facts = family.section(self.m.section);
        if self.m.unused != NO_OPENER && self.m.is.section_start {
            self.cut_opener(self.text.len());
        } else if facts.closes && facts.calls && !family.is_stripped() && !self.m.cut {
            self.tell(DiagnosticKind::MissingCloser, self.text.len());
        }
    }
}
