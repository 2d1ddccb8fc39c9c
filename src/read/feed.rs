//! The text of one feed: pending bytes and chunk in one piece, and how its bytes leave.

use crate::event::{Diagnostic, DiagnosticKind, Event, ToolUse};
use crate::family::{Framing, Look, SectionFacts};
use crate::limit::Limit;
use crate::options::{Fences, Recoveries, bounds};
use crate::parser::call_text::CallText;
use crate::parser::diff_lines::Lines as DiffLines;
use crate::read::act::{ANSWER, OPEN};
use crate::read::cursor::{Class, Cursor, End, Half, Note, Notes, WHITE};
use crate::read::first_bytes::Next;
use crate::read::line_starts::Lines;
use crate::read::machine::{Grammar, Machine, Setup, State};
use crate::read::scan::Scan;
use crate::read::wait::{Wait, Waits};
use crate::read::word::ends_in_word;
use crate::sink::Sink;

/// The layers behind the machine. The sink is dynamic: the machine is compiled once.
pub(crate) type Out<'a> = Limit<'a, CallText<'a, DiffLines<'a, dyn Sink + 'a>>>;

/// The place of the next byte in its line, when all bytes before it have left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// The next byte is the first of its line.
    Start,
    /// Only blanks came, as text or reasoning.
    Blank,
    /// Right behind markup, or behind payload other than text.
    Markup,
    Middle,
}

/// Flags beside the state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Is {
    /// Nothing but white space has come since the stream began, and no markup.
    pub stream_start: bool,
    /// Nothing but white space, markup and reasoning has come.
    pub message_start: bool,
    /// A call has come, with nothing but white space and markup since.
    pub after_call: bool,
    /// A call without its section has come, with only white space since: the section's closer is owed.
    pub owed: bool,
    pub in_section: bool,
    /// The section has no call yet.
    pub section_start: bool,
    /// A bracket stands around the objects of the section.
    pub bracket: bool,
    /// An object has closed, but its arguments may follow.
    pub waiting: bool,
    /// Only white space has come since the opener of the call.
    pub call_start: bool,
    /// The name of the next parameter has come, but not its value.
    pub named: bool,
    /// The value holds its own closer as data. Behind an object: a surplus brace has come.
    pub holds_closer: bool,
    /// The call is incomplete, however it ends.
    pub broken: bool,
    /// A suspect marker was reported in this call.
    pub suspected: bool,
    /// The call may not be one.
    pub doubtful: bool,
    /// The text of an object that was tried and is no call leaves.
    pub whole: bool,
    /// In a code fence of the text, or of a value in a dialect of lines.
    pub text_fence: bool,
    /// In a dialect of lines: a step has come, though perhaps no call; a code fence stands around the present
    /// step.
    pub stepped: bool,
    pub wrapped: bool,
    /// The section stands in a thought. The thought goes on behind it.
    pub in_thought: bool,
    /// The open value is the whole input of the call, and no parameter.
    pub all_arguments: bool,
    /// In reasoning in which no call counts.
    pub sealed: bool,
}

/// Whether there is more to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flow {
    Go,
    /// The text ends here, or in an undecided marker.
    Wait,
}

/// The reading of one feed.
pub(crate) struct Feed<'a, 'o> {
    pub m: &'a mut Machine,
    pub t: &'a Setup<'a>,
    pub text: &'a str,
    /// The first byte that has not left.
    pub from: usize,
    /// The next byte to read.
    pub at: usize,
    pub notes: &'a Notes<'a>,
    pub out: &'a mut Out<'o>,
    /// The stream ended in half a marker between parameters.
    pub half: bool,
}

/// The proof that a marker counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Proof {
    /// The text, or the end of the stream by the model.
    Text,
    /// Only the end of a stream that was cut. A call that depends on it may not run.
    CutEnd,
}

impl<'a> Feed<'a, '_> {
    pub fn ended(&self) -> bool {
        self.notes.end != End::No
    }

    pub fn cut(&self) -> bool {
        self.notes.end == End::Cut
    }

    /// Returns the proof by the end of the stream.
    pub fn end_proof(&self) -> Proof {
        if self.cut() { Proof::CutEnd } else { Proof::Text }
    }

    /// Returns the proof of the marker that was just read.
    pub fn proof(&self) -> Proof {
        if self.notes.by_end() { self.end_proof() } else { Proof::Text }
    }

    /// Returns the proof of a marker with this note. Half a header proves nothing: a call that depends on it
    /// may not run.
    pub fn proof_of(&self, note: Note) -> Proof {
        if note == Some(DiagnosticKind::CutOpener) { Proof::CutEnd } else { self.proof() }
    }

    #[inline]
    pub fn bytes(&self) -> &'a [u8] {
        self.text.as_bytes()
    }

    pub fn byte(&self, at: usize) -> Option<u8> {
        self.bytes().get(at).copied()
    }

    /// Returns the stream offset of a place in the text.
    pub fn offset(&self, at: usize) -> usize {
        self.m.base + at
    }

    /// Returns a cursor at the next byte to read.
    #[inline]
    pub fn cursor(&self) -> Cursor<'a> {
        self.notes.clear();
        Cursor::new(self.text, self.at, self.notes)
    }

    /// Returns the dialect of the open section, call or object.
    #[inline]
    pub fn grammar(&self) -> &'a Grammar {
        self.m.grammar(self.t)
    }

    #[inline]
    pub fn look(&self) -> Look<'_> {
        self.look_of(self.m.part)
    }

    /// Returns the look for the dialect of this number. The kind of a message that another dialect has opened is left
    /// out.
    #[inline]
    pub fn look_of(&self, part: u8) -> Look<'_> {
        let message = match self.m.message_part == part {
            true => self.m.message,
            // A stream begins like one of the first dialect.
            false if self.t.reads.grammars[usize::from(part)].family.begins_in_header() => OPEN,
            false if self.m.message == ANSWER => ANSWER,
            false => self.m.message.min(OPEN),
        };
        Look {
            tools: self.t.tools,
            call: &self.m.call,
            is: &self.m.is,
            reasoning: self.m.state == State::Reasoning,
            calls: self.m.counts_calls(self.t),
            line_start: self.is_line_start(self.at),
            value_start: self.m.at_start && self.at == self.from,
            message,
            begins_line: self.begins_line(self.at),
            quotes: self.t.options.fences == Fences::Quote,
            tries_from: self.m.whole.as_ref().map_or(0, |whole| whole.no_trial_before()),
            json: &self.m.body.json,
            list: self.t.list,
            options: self.t.options,
        }
    }

    /// Waits for the next chunk: the reader is undecided, and the remaining bytes are pending.
    #[inline]
    pub fn wait(&mut self) -> Flow {
        self.m.waits = self.notes.waits();
        self.m.at_marker = true;
        Flow::Wait
    }

    /// Finds the next place where a marker may begin: right here, if one was undecided.
    #[inline]
    pub fn next_marker(&mut self, scan: &Scan) -> Option<usize> {
        let waited = std::mem::take(&mut self.m.at_marker);
        if self.t.reads.lines {
            return self.next_in_lines(scan, waited);
        }
        if waited {
            return Some(self.at);
        }
        let found = scan.find(self.bytes(), self.at, |byte| self.m.may_name(self.t, byte));
        self.m.examined += found.map_or(self.text.len(), |at| at + 1) - self.at;
        found
    }

    /// Finds the next place where a marker may begin, in a dialect whose markers also begin lines. `waited`:
    /// the marker here was undecided.
    fn next_in_lines(&mut self, scan: &Scan, waited: bool) -> Option<usize> {
        let (text, from) = (self.bytes(), self.at);
        let start = self.m.at_start && from == self.from;
        let names = |byte| self.m.may_name(self.t, byte);
        let found = match self.m.lines(self.t, start) {
            _ if waited && !self.is_line_start(from) => Some(from),
            None => scan.find(text, from, names),
            Some(lines) => {
                let begins = |at: usize| lines.fit(&text[at..]);
                match self.is_line_start(from) && begins(from) {
                    true => Some(from),
                    false if lines.starts.at_start_only => scan.find(text, from, names),
                    false => scan.find_in_lines(text, from, names, begins),
                }
            }
        };
        self.m.examined += found.map_or(text.len(), |at| at + 1) - from;
        found
    }

    /// Ends the text: all bytes have been read.
    pub fn all_read(&mut self) -> Flow {
        self.m.waits = Default::default();
        self.at = self.text.len();
        Flow::Wait
    }

    // How bytes leave.

    /// Emits all bytes before `to` as payload of the present state.
    #[inline]
    pub fn payload(&mut self, to: usize) {
        if to <= self.from {
            return;
        }
        let slice = &self.text[self.from..to];
        match self.m.state {
            State::Text | State::Reasoning => self.prose_slice(slice),
            State::Section if !self.grammar().family.section(self.m.section).junk => {
                self.out.event(Event::Markup(slice));
            }
            State::Section | State::Call => self.junk(slice),
            State::Value if self.m.is.all_arguments => {
                self.out.event(Event::ToolUse(ToolUse::ArgumentsDelta(slice)));
            }
            State::Value => {
                self.m.at_start = false;
                self.out.event(Event::ToolUse(ToolUse::ParamDelta(slice)));
            }
            State::Body => self.body_slice(slice),
            State::Rest => self.out.event(Event::Markup(slice)),
        }
        self.from = to;
        self.m.note_end(slice);
    }

    #[inline]
    fn prose_slice(&mut self, slice: &str) {
        let reasoning = self.m.state == State::Reasoning;
        if self.m.is.whole {
            self.whole_text(slice);
        }
        let is = &mut self.m.is;
        let watched = is.stream_start || is.after_call || is.owed || is.message_start && !reasoning;
        if watched && !slice.bytes().all(|byte| Class::White.has_byte(byte)) {
            is.stream_start = false;
            is.after_call = false;
            is.owed = false;
            // A thought may stand before the message: text behind it still begins the message.
            is.message_start &= reasoning;
        }
        if reasoning {
            return self.out.event(Event::Reasoning(slice));
        }
        if self.t.options.fences == Fences::Quote {
            self.m.fence.read(slice);
        }
        self.out.event(Event::TextContent(slice));
    }

    /// Emits text of an object that is not a call, or behind its end.
    fn whole_text(&mut self, slice: &str) {
        let at = self.m.base + self.from;
        let Some(whole) = &mut self.m.whole else { return };
        if let Some(end) = whole.read(slice, at) {
            whole.end(end);
            self.m.is.whole = false;
        }
    }

    /// Emits text between parameters as markup, with a diagnostic for the first word of a run.
    fn junk(&mut self, slice: &str) {
        let facts = match self.m.state {
            State::Section => self.grammar().family.section(self.m.section),
            _ => SectionFacts::CALLS,
        };
        let quiet = facts.quiet;
        let may_stand = |byte: u8| Class::White.has_byte(byte) || facts.between.contains(&byte);
        let white = slice.bytes().position(|byte| !may_stand(byte)).unwrap_or(slice.len());
        if white == slice.len() || self.m.call.reported || quiet {
            return self.out.event(Event::Markup(slice));
        }
        // The diagnostic stands right before the word, wherever the stream is cut.
        let (before, word) = slice.split_at(white);
        if !before.is_empty() {
            self.out.event(Event::Markup(before));
        }
        self.report_once(DiagnosticKind::StrayText, self.from + white);
        self.out.event(Event::Markup(word));
    }

    /// Emits all bytes before `to` that have not left as markup.
    #[inline]
    pub fn markup(&mut self, to: usize) {
        if to > self.from {
            let slice = &self.text[self.from..to];
            self.out.event(Event::Markup(slice));
            self.m.note_end(slice);
            self.from = to;
        }
        self.m.fence.end_run();
        if std::mem::take(&mut self.m.is.whole) {
            let end = self.offset(to);
            if let Some(whole) = &mut self.m.whole {
                whole.end(end);
            }
        }
        self.m.begins_after_markup();
        self.m.is.stream_start = false;
        self.at = self.at.max(self.from);
    }

    /// Enters this state. Reading goes on at the first byte that has not left.
    #[inline]
    pub fn enter(&mut self, state: State) {
        let in_value = self.m.state == State::Value;
        self.m.state = state;
        self.m.at_marker = false;
        self.at = self.from;
        // A call that goes on behind a value began long ago.
        self.m.at_start = !(in_value && state == State::Call);
    }

    /// Whether a line begins at `at`.
    pub fn is_line_start(&self, at: usize) -> bool {
        match at > self.from {
            true => self.byte(at - 1) == Some(b'\n'),
            false => self.m.line == Line::Start,
        }
    }

    /// Whether text or reasoning begins a line at `at`, behind blanks alone, or stands right behind markup.
    fn begins_line(&self, at: usize) -> bool {
        let before = &self.bytes()[self.from..at];
        match before.iter().rposition(|byte| !matches!(byte, b' ' | b'\t')) {
            Some(last) => before[last] == b'\n',
            None if before.is_empty() => self.m.line != Line::Middle,
            None => matches!(self.m.line, Line::Start | Line::Blank),
        }
    }

    /// Passes the next byte as payload, with the rest of its character: no marker begins there.
    #[inline]
    pub fn pass(&mut self) {
        self.at += self.text[self.at..].chars().next().map_or(0, char::len_utf8);
    }

    // Framing.

    pub fn framing(&self) -> Framing {
        match self.m.state {
            State::Value => self.m.framing,
            _ => Framing::None,
        }
    }

    /// Emits all bytes before `to`, except a line break at its end that may be framing.
    #[inline]
    pub fn framed_payload(&mut self, to: usize) {
        if self.framing() == Framing::White {
            self.payload_in_white(to);
        } else if to > self.from {
            self.payload(to - self.framing_before(to));
        }
    }

    /// Emits all bytes before `to`, where all white space at the end of a value is framing. A run that is too long for that is
    /// payload, however much more of it comes.
    fn payload_in_white(&mut self, to: usize) {
        if to <= self.from {
            return;
        }
        let value = self.text[self.from..to].trim_end_matches(WHITE).len();
        let run = to - self.from - value;
        let long = run > bounds::WHITE_SPACE || value == 0 && self.m.call.long_white;
        self.payload(if long { to } else { self.from + value });
        self.m.call.long_white = long;
    }

    /// Returns the length of the line break before `to` that may be framing.
    #[inline]
    fn framing_before(&self, to: usize) -> usize {
        if self.framing() == Framing::None || self.byte(to - 1) != Some(b'\n') {
            return 0;
        }
        let cr = to - self.from > 1 && self.byte(to - 2) == Some(b'\r');
        1 + usize::from(cr)
    }

    /// Ends the chunk: bytes that can no longer be part of a marker leave.
    pub fn release(&mut self) {
        match self.m.state {
            State::Body => self.release_body(),
            State::Section => self.release_section(),
            State::Value if self.framing() == Framing::White => {
                self.payload_in_white(self.text.len());
                // More white space changes nothing, as long as it may be framing.
                let held = self.text.len() - self.from;
                if held > 0 {
                    let most = (bounds::WHITE_SPACE - held) as u16;
                    let scan = self.grammar().family.value_scan(self.m.call.value_kind);
                    // A line break that may begin a marker must reach its reader.
                    let ends_line = scan.begins_with(b'\n');
                    let class = if ends_line { Class::Blank } else { Class::White };
                    self.m.waits = Waits::default().and(Wait::Run(class, most));
                }
            }
            State::Value => {
                let end = self.text.len();
                let framed = self.framing() != Framing::None;
                // The line feed of this line break may come with the next chunk.
                let cr = framed && end > self.from && self.byte(end - 1) == Some(b'\r');
                self.framed_payload(end - usize::from(cr));
            }
            _ => self.payload(self.text.len()),
        }
    }

    // Diagnostics.

    /// Reports a diagnostic. `at` is a place in the text.
    pub fn tell(&mut self, kind: DiagnosticKind, at: usize) {
        self.out.event(Event::Diagnostic(Diagnostic::new(kind, self.m.base + at)));
    }

    /// Reports a run of junk once.
    pub fn report_once(&mut self, kind: DiagnosticKind, at: usize) {
        self.m.is.call_start = false;
        if !std::mem::replace(&mut self.m.call.reported, true) {
            self.tell(kind, at);
        }
    }

    /// Reports the diagnostic of a marker. A recovery breaks the call under `Recoveries::Strict`. Suspect markers are
    /// reported once a call.
    pub fn note(&mut self, kind: DiagnosticKind, at: usize) {
        if kind == DiagnosticKind::SuspectMarker
            && std::mem::replace(&mut self.m.is.suspected, true)
        {
            return;
        }
        self.tell(kind, at);
        self.recovers(kind);
    }

    pub fn recovers(&mut self, kind: DiagnosticKind) {
        let recovery = matches!(
            kind,
            DiagnosticKind::MissingCloser
                | DiagnosticKind::MismatchedCloser
                | DiagnosticKind::MalformedTag
                | DiagnosticKind::MissingOpener
        );
        self.m.is.broken |= recovery && self.strict();
    }

    pub fn strict(&self) -> bool {
        self.t.options.recoveries == Recoveries::Strict
    }

    /// Breaks the open call, if one of its markers crossed a bound and no other marker stands here.
    pub fn check_bounds(&mut self, start: usize) {
        if self.notes.long() && matches!(self.m.state, State::Call | State::Value) {
            self.m.is.broken = true;
            self.tell(DiagnosticKind::LimitExceeded, start);
        }
    }

    pub fn cut_opener(&mut self, at: usize) {
        if !std::mem::replace(&mut self.m.cut, true) {
            self.tell(DiagnosticKind::CutOpener, at);
        }
    }

    /// Whether the stream ends in half a marker that is markup, because the payload there is not shown to the user.
    pub fn half_is_markup(&self) -> bool {
        self.notes.half().has(Half::MARK)
    }
}

impl Machine {
    /// Returns the lines that may begin a marker in the present state. `start`: at the first byte of the
    /// state.
    pub fn lines<'t>(&self, t: &Setup<'t>, start: bool) -> Option<Lines<'t>> {
        let kind = match self.state {
            State::Call => self.call.kind,
            State::Value => self.call.value_kind,
            _ => 0,
        };
        let of = |grammar: &'t Grammar| {
            let family = &*grammar.family;
            let starts = family.lines(t.options, self.state, kind)?;
            Some(Lines { starts, family, options: t.options, others: &[] })
        };
        let grammars = &t.reads.grammars;
        let lines = match self.state {
            State::Text | State::Reasoning if grammars.len() > 1 => {
                let part = grammars.iter().position(|part| of(part).is_some())?;
                Some(Lines { others: &grammars[part + 1..], ..of(&grammars[part])? })
            }
            State::Text | State::Reasoning => of(&grammars[0]),
            _ => of(self.grammar(t)),
        };
        lines.filter(|lines| start || !lines.starts.at_start_only)
    }

    /// Whether a declared name that counts in the present state begins with this byte.
    #[inline]
    pub fn may_name(&self, t: &Setup<'_>, byte: u8) -> bool {
        let in_value = self.state == State::Value;
        t.tools.first[usize::from(byte)]
            || in_value && t.tools.params(self.call.tool).may_begin(Next::new(Some(byte)))
    }

    /// Notes the last text that has left, as payload of the present state or as markup.
    #[inline]
    pub fn note_end(&mut self, slice: &str) {
        self.line = match slice.as_bytes().last() {
            Some(b'\n') => Line::Start,
            _ if !matches!(self.state, State::Text | State::Reasoning) => Line::Markup,
            Some(b' ' | b'\t') => self.line_after_blank(slice),
            _ => Line::Middle,
        };
        if self.words {
            self.in_word = ends_in_word(slice);
        }
    }

    fn line_after_blank(&self, slice: &str) -> Line {
        match (slice.bytes().rfind(|byte| !matches!(byte, b' ' | b'\t')), self.line) {
            (Some(b'\n'), _) | (None, Line::Start | Line::Blank) => Line::Blank,
            _ => Line::Middle,
        }
    }

    /// Notes that the next byte stands right behind markup or a call.
    pub fn begins_after_markup(&mut self) {
        if self.line != Line::Start {
            self.line = Line::Markup;
        }
    }
}
