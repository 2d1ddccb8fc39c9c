//! The machine: model text in, events out, whatever the dialect.
//!
//! ```text
//! stream    := ( text | reasoning | section | call )*
//! section   := opener junk ( call junk )* closer
//! call      := opener junk ( parameter junk | body )* closer
//! parameter := opener value closer
//! ```
//! What an opener or a closer looks like, what must follow it and what it does is data
//! ([`crate::dialect::spec`]). The machine knows six *states* (what is payload, which rules count) and
//! one way to read: a byte that may begin a marker is found in the payload, a [`pending`] match reads
//! the marker and what confirms it, and then the marker acts ([`action`]) or is payload.
//!
//! Bytes are *held* only from the first byte of a possible marker on. Confirming is looking ahead: it
//! emits nothing, and whatever it decides, reading goes on after the marker (or after its first byte, if
//! it is payload). So no byte is examined more than a few times, and no event is ever taken back.
//!
//! Chunk ends here: `Feed::release` lets go what can no longer be part of a marker and keeps the rest.
//! Stream ends here: `Feed::settle` decides what is held and ends what is open.

mod action;
mod body;
pub(crate) mod call;
mod emit;
mod end;
mod explain;
pub(crate) mod fast_path;
pub(crate) mod fence;
pub(crate) mod first_bytes;
pub(crate) mod grammar;
pub(crate) mod ids;
pub(crate) mod infer;
pub(crate) mod json;
pub(crate) mod keyword;
pub(crate) mod known;
mod learn;
pub(crate) mod names;
mod outcome;
pub(crate) mod pattern;
mod pending;
mod scan;
pub(crate) mod table;
pub(crate) mod tables;
pub(crate) mod tool_name;
pub(crate) mod tools;
pub(crate) mod trial;
pub(crate) mod view;
pub(crate) mod whole;
mod word;
#[cfg(test)]
mod work;

use std::ops::Range;

use crate::dialect::spec::{Between, Chars, Flags, Place};
use crate::event::{Cause, Status};
use crate::limit::Limit;
use crate::machine::grammar::Grammar;
use crate::machine::tables::Tables;
use crate::options::{Fences, Start, bounds};
use crate::sink::Sink;
use body::Body;
use call::{NO_OPENER, OpenCall};
use fence::Fence;
use grammar::{BEGINNING, REASONING, TEXT};
use outcome::OPENER_KINDS;
use pattern::Around;
use pending::{MatchVerdict, Pending};
use scan::LinesAhead;
use table::{Begins, Table};
use view::View;
use whole::Whole;

/// What the payload is, and which rules count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Text or reasoning.
    Prose,
    /// Between calls, in a header, or in the rest of a line.
    Section,
    /// In a call, between its parameters.
    Call,
    /// In the value of a parameter.
    Value,
    /// In a body of literals.
    Body,
    /// After what the model invents: nothing counts any more.
    Rest,
}

/// What is asked of what comes next. At the start of a chunk it says how to read on, at the chunk's end what must
/// wait, at the stream's end what is undecided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// In a pending match.
    Matching,
    /// At the first byte of a value, where a line break is no value.
    ValueStart,
    /// After a keyword line, whose decoration may be closed.
    Decoration,
    /// At the start of a state, whose rules have not been asked.
    StateStart,
    Body,
    /// Between calls or parameters, where not everything may stand.
    Between,
    /// In payload, or in what may be anything.
    Payload,
}

/// How a stream ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// The model ended it.
    Model,
    /// It was cut: more would have come.
    Cut,
}

/// What shows what became of a marker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Proof {
    /// The text, or that the model ended it there.
    Text,
    /// Nothing but the end of a stream that was cut; or the marker is half a header. What it ends may not run.
    CutEnd,
}

impl Proof {
    /// What a call comes to that ends by it.
    fn status(self) -> Status {
        match self {
            Proof::Text => Status::Complete,
            Proof::CutEnd => Status::Incomplete(Cause::EndOfStream),
        }
    }
}

/// Where in its line the next byte stands, when all before it has left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Line {
    /// It is the first.
    Start,
    /// Only blanks came, of text or reasoning.
    Blank,
    /// Right after markup, or what is no text.
    Markup,
    Middle,
}

/// All that has to survive a cut. A plain value: a clone is a snapshot.
#[derive(Clone, Debug)]
pub(crate) struct Machine {
    state: State,
    /// The kind of prose.
    prose: u8,
    /// The kind of prose that follows reasoning, a section or a call.
    back: u8,
    /// What holds, as far as it does not follow from the other fields.
    flags: Flags,
    pending: Pending,
    /// Bytes that may yet be part of a marker; all of them have been read.
    held: String,
    /// Stream offset of the first held byte.
    base: usize,
    /// Where special tokens begin and end in the stream, as far as a marker may ask for them; nothing in
    /// most streams.
    #[allow(clippy::box_collection, reason = "a parser is smaller")]
    special: Option<Box<Vec<Range<usize>>>>,
    /// Where in its line the next byte that leaves stands.
    line: Line,
    /// The next byte that leaves may go on with a word (where a marker may begin with one).
    in_word: bool,
    /// The rules that begin at the start of the state have not been asked.
    at_start: bool,
    /// What closes the decoration of the keyword line that has just ended.
    close: Close,
    /// By dialect and kind: rejected openers whose closers have not come.
    rejected: [[u8; OPENER_KINDS]; 2],
    /// The same of openers of reasoning.
    rejected_thoughts: [u8; 2],
    fence: Fence,
    /// The text that is an object or a list which was tried and is no call.
    whole: Option<Box<Whole>>,
    /// Which of the dialects' sections is open, if one is.
    section: u8,
    /// Stream offset of the section's opener, until its first call has started; then [`NO_OPENER`].
    unused: usize,
    call: OpenCall,
    /// The body that is open.
    pub body: Body,
    /// A `cut_opener` was reported.
    cut: bool,
    /// Bytes examined, once for each match that looked: the work done, for growth tests.
    examined: usize,
}

/// What closes the decoration of a keyword line, after its colon: so many characters, of two bits each.
// No `u64`: a parser is smaller.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Close {
    bits: [u8; 8],
    len: u8,
}

impl Close {
    const SIGNS: &[u8] = b"*_`";

    /// Of these characters, in the order in which they come.
    fn of(signs: impl Iterator<Item = Option<u8>>) -> Close {
        let (mut bits, mut len) = (0_u64, 0);
        for sign in signs {
            let code = Close::SIGNS.iter().position(|known| Some(*known) == sign).unwrap_or(3);
            bits |= (code as u64) << (2 * len);
            len += 1;
        }
        Close { bits: bits.to_le_bytes(), len }
    }

    fn signs(self) -> impl Iterator<Item = Option<u8>> {
        let bits = u64::from_le_bytes(self.bits);
        (0..self.len).map(move |at| Close::SIGNS.get((bits >> (2 * at) & 3) as usize).copied())
    }
}

impl Machine {
    pub fn new(tables: &Tables) -> Self {
        let grammar = &tables.grammar;
        let thought = grammar.thought.filter(|_| tables.options.implicit_thought);
        let entry = match (tables.options.start, thought) {
            (Start::Reasoning, _) => Place::Prose(REASONING),
            (Start::Text, Some(thought)) => Place::Prose(thought),
            (Start::Text, None) => grammar.place(tables.dialect.spec().entry),
        };
        let mut flags = Flags::STREAM_START | Flags::MESSAGE_START;
        flags.set(Flags::FENCES_QUOTE, tables.options.fences == Fences::Quote);
        let mut machine = Machine {
            state: State::Prose,
            prose: TEXT,
            back: thought.unwrap_or(TEXT),
            flags,
            pending: Pending::default(),
            held: String::new(),
            base: 0,
            special: None,
            line: Line::Start,
            in_word: false,
            at_start: false,
            close: Close::default(),
            rejected: [[0; OPENER_KINDS]; 2],
            rejected_thoughts: [0; 2],
            fence: Fence::default(),
            whole: None,
            section: 0,
            unused: NO_OPENER,
            call: OpenCall::none(),
            body: Body::default(),
            cut: false,
            examined: 0,
        };
        match entry {
            Place::Prose(kind) => machine.prose = kind,
            Place::Section(kind) => {
                (machine.state, machine.section) = (State::Section, kind);
            }
            // No stream begins in the middle of a call.
            Place::Call(_) | Place::Body(_) => {}
        }
        machine.at_start = machine.table(grammar).begins_at(Begins::State);
        machine
    }

    /// As new, with the buffers that most streams need. What a marker is held in has rarely grown large; if it
    /// has, it goes.
    pub fn reset(&mut self, tables: &Tables) {
        let Machine { mut held, mut call, .. } = std::mem::replace(self, Machine::new(tables));
        if held.capacity() <= bounds::HELD {
            held.clear();
            self.held = held;
        }
        call.reset();
        self.call = call;
    }

    /// Reads a chunk.
    pub fn feed<S: Sink>(&mut self, tables: &Tables, chunk: &str, out: &mut Limit<'_, S>) {
        if chunk.is_empty() || out.raised() {
            return;
        }
        // In the middle of a marker most small chunks are some more of its text.
        let table = self.table(&tables.grammar);
        let goes_on = match self.pending.begun {
            Some(place) => {
                let came = self.held.len() - self.pending.start();
                tables.known.goes_on(table.number, place, came, chunk.as_bytes())
            }
            None => self.pending.goes_on(table, chunk.as_bytes()),
        };
        if goes_on {
            self.held.push_str(chunk);
            self.examined += chunk.len();
            return;
        }
        self.run(tables, chunk, None, out);
    }

    /// The next bytes, so many, are a special token.
    pub fn special_comes(&mut self, len: usize) {
        let at = self.read_so_far();
        self.special.get_or_insert_default().push(at..at + len);
    }

    /// The stream is over; `cut`: more would have come.
    pub fn finish<S: Sink>(&mut self, tables: &Tables, cut: bool, out: &mut Limit<'_, S>) {
        if !out.raised() {
            self.run(tables, "", Some(if cut { End::Cut } else { End::Model }), out);
        }
    }

    /// Stream offset after the last byte that was fed.
    pub fn read_so_far(&self) -> usize {
        self.base + self.held.len()
    }

    pub fn examined(&self) -> usize {
        self.examined
    }

    /// An object is held that may be a call, or arguments whose call has no name yet.
    #[cfg(feature = "json")]
    pub fn holds_json(&self) -> bool {
        self.body.keeps() || self.pending.tries()
    }

    pub fn held(&self) -> usize {
        self.held.len()
    }

    /// A call and all round it have closed, nothing but white space and markup has come since, and nothing
    /// is undecided. In a dialect of lines no call has a closer.
    pub fn is_after_call(&self, grammar: &Grammar) -> bool {
        let closed = self.state == State::Prose && self.flags.has(Flags::AFTER_CALL);
        closed && self.held.is_empty() && grammar.lines_part != Some(self.call.part)
    }

    fn run<S: Sink>(
        &mut self,
        tables: &Tables,
        chunk: &str,
        end: Option<End>,
        out: &mut Limit<'_, S>,
    ) {
        let mut held = std::mem::take(&mut self.held);
        let view = View { held: &held, chunk, base: self.base };
        let at = held.len();
        let grammar = &tables.grammar;
        let mut feed = Feed {
            machine: self,
            tables,
            grammar,
            view,
            out,
            from: 0,
            at,
            end,
            half: false,
            lines: LinesAhead::default(),
            line_tried: None,
            word_tried: None,
            told: 0,
        };
        feed.read();
        while end.is_some() && feed.settle() {
            feed.read();
        }
        feed.release();
        // After the limit nothing is kept: it can never leave.
        let left = if feed.out.raised() { feed.view.len() } else { feed.from };
        self.base += left;
        self.pending.shift(left);
        if let Some(special) = &mut self.special {
            special.retain(|token| token.end > self.base);
        }
        match left.checked_sub(held.len()) {
            None => {
                held.drain(..left);
                held.push_str(chunk);
            }
            Some(left) => {
                held.clear();
                held.push_str(&chunk[left..]);
            }
        }
        self.held = held;
    }

    /// What is asked next.
    #[inline(always)]
    fn step(&self, grammar: &Grammar) -> Step {
        match self.state {
            _ if self.pending.active => Step::Matching,
            _ if self.call.at_value_start => Step::ValueStart,
            _ if self.close.len > 0 => Step::Decoration,
            _ if self.at_start => Step::StateStart,
            State::Body => Step::Body,
            State::Section | State::Call if self.between_chars(grammar).is_some() => Step::Between,
            _ => Step::Payload,
        }
    }

    /// What may stand between calls or parameters, if not everything may.
    fn between_chars(&self, grammar: &Grammar) -> Option<Chars> {
        let between = match self.state {
            State::Section => &grammar.sections[self.section as usize].between,
            State::Call => &grammar.calls[self.call.kind as usize].between,
            _ => return None,
        };
        match between {
            Between::Only(chars) => Some(*chars),
            Between::Junk(_) => None,
        }
    }

    #[inline(always)]
    fn table<'t>(&self, grammar: &'t Grammar) -> &'t Table {
        match self.state {
            State::Prose => &grammar.prose[self.prose as usize].table,
            State::Section => &grammar.sections[self.section as usize].table,
            State::Call => &grammar.calls[self.call.kind as usize].table,
            State::Value => &grammar.values[self.call.value_kind as usize].table,
            State::Body => &grammar.bodies[self.body.kind as usize].table,
            State::Rest => &grammar.nothing,
        }
    }

    /// What text is searched for: the markers that may yet count.
    #[inline(always)]
    fn searched<'t>(&self, grammar: &'t Grammar) -> &'t Table {
        if self.state == State::Prose && !self.flags.has_any(BEGINNING) {
            if let Some(later) = &grammar.prose[self.prose as usize].later {
                return later;
            }
        }
        self.table(grammar)
    }
}

/// One feed: the machine, what it is made from, the text and where the events go.
struct Feed<'a, 'l, S> {
    machine: &'a mut Machine,
    tables: &'a Tables,
    grammar: &'a Grammar,
    view: View<'a>,
    out: &'a mut Limit<'l, S>,
    /// View offset of the first byte that has not left.
    from: usize,
    /// View offset of the next byte to read.
    at: usize,
    /// The stream ends with the view.
    end: Option<End>,
    /// It ended in the middle of a marker.
    half: bool,
    lines: LinesAhead,
    /// View offset of a line that was tried, and with which no marker begins.
    line_tried: Option<usize>,
    /// View offset of a word with which none begins.
    word_tried: Option<usize>,
    /// View offset up to which it was told why no marker counts ([`explain`]).
    told: usize,
}

impl<'a, S: Sink> Feed<'a, '_, S> {
    /// Reads to the end of the view, or to the limit.
    fn read(&mut self) {
        while self.at < self.view.len() && !self.out.raised() {
            match self.machine.step(self.grammar) {
                Step::Matching => self.confirm(),
                Step::ValueStart => self.value_start(),
                Step::Decoration => self.close_decoration(),
                Step::StateStart => self.state_start(),
                Step::Body => self.body(),
                Step::Between => self.between(),
                Step::Payload => self.scan(),
            }
        }
    }

    fn cut(&self) -> bool {
        self.end == Some(End::Cut)
    }

    #[inline(always)]
    fn table(&self) -> &'a Table {
        self.machine.table(self.grammar)
    }

    /// The pending match, and what it asks about where it stands.
    fn pending(&mut self) -> (&mut Pending, Around<'_>) {
        let between = self.between_chars().is_some();
        let at_line_start = self.is_line_start(self.machine.pending.start());
        let table = self.table();
        let tried = self.machine.whole.as_ref().map_or(0, |whole| whole.no_trial_before());
        let Machine { call, pending, state, prose, special, body, .. } = &mut *self.machine;
        let around = Around {
            grammar: self.grammar,
            tools: &self.tables.names,
            table,
            view: self.view,
            text: self.view.part(self.at).as_bytes(),
            text_at: self.at - pending.start(),
            start: pending.start(),
            at_line_start,
            call,
            special: special.as_deref().map_or(&[], Vec::as_slice),
            quotes: self.tables.options.fences == Fences::Quote,
            in_reasoning: (*state, *prose) == (State::Prose, REASONING),
            between,
            tried,
            json: &body.json,
            examined: Default::default(),
            asked: Default::default(),
        };
        (pending, around)
    }

    /// A marker may begin at `start`: all before it leaves, and the rules that begin like this are taken
    /// up.
    fn begin(&mut self, begins: Begins, start: usize) {
        self.emit_before(start);
        self.at = start;
        let table = self.table();
        let counts = table.counting(self.here(start));
        let machine = &mut *self.machine;
        machine.pending.begin(table, begins, counts, start, machine.call.tool);
        self.confirm();
    }

    /// What stands before a possible marker leaves.
    fn emit_before(&mut self, to: usize) {
        match self.machine.state {
            State::Value | State::Section => self.framed_payload(to),
            State::Body => {}
            _ => self.payload(to),
        }
    }

    /// In a pending match: read on until its rules are decided.
    fn confirm(&mut self) {
        let start = self.machine.pending.start();
        // Whether a special token came as one is no byte of a marker: with such tokens each marker is read.
        let finds = self.end.is_none() && self.tables.options.special_tokens.is_empty();
        // In the library's own tests every other marker is read, so that both ways are seen to come to the same.
        #[cfg(test)]
        let finds = finds && (self.view.base + start) % 2 == 0;
        let known = &self.tables.known;
        let (pending, around) = self.pending();
        let len = around.text.len();
        let found = finds.then(|| pending.find(known, &around)).flatten();
        let (examined, verdict) = found.unwrap_or_else(|| pending.read(&around));
        self.machine.examined += examined;
        #[cfg(test)]
        if found.is_some() {
            self.assert_found(verdict);
        }
        if verdict == MatchVerdict::Again {
            self.at = start;
            return self.confirm();
        }
        self.at += len;
        if verdict == MatchVerdict::Open {
            return;
        }
        match self.machine.pending.found() {
            None => self.reject(Proof::Text),
            Some(marker) => {
                if found.is_none() {
                    self.get_to_know();
                }
                self.accept(&marker, Proof::Text);
            }
        }
    }

    /// What holds at `start`, where all before it has left that can.
    fn here(&mut self, start: usize) -> Flags {
        let line = self.is_line_start(start);
        let machine = &mut *self.machine;
        let mut here = machine.flags;
        match machine.state {
            State::Prose => {
                let line = machine.line != Line::Middle;
                here.set(Flags::LINE_START, line);
                here.set(Flags::BLOCK_START, line || machine.flags.has(Flags::AFTER_CALL));
                here.set(Flags::REASONING, machine.prose == REASONING);
                let thinking = self.grammar.prose[machine.prose as usize].reasoning;
                here.set(Flags::THINKING, thinking);
                here.set(Flags::QUOTED, self.is_quoted());
            }
            State::Value => {
                here.set(Flags::LINE_START, line);
                here.set(Flags::NESTED, machine.call.is_nested());
            }
            State::Body => {
                let json = &machine.body.json;
                here.set(Flags::LINE_START, line);
                here.set(Flags::IN_STRING, json.in_string());
                here.set(Flags::NESTED, json.is_nested());
                here.set(Flags::HOLDS_CLOSER, json.holds_quote());
                here.set(Flags::OPENED, json.opened_more());
                here.set(Flags::IN_DICT, json.closing() == "}");
            }
            _ => here.set(Flags::LINE_START, line),
        }
        here
    }

    /// Whether a line begins at `at`.
    fn is_line_start(&self, at: usize) -> bool {
        match at > self.from {
            true => self.view.byte(at - 1) == Some(b'\n'),
            false => self.machine.line == Line::Start,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decorations() {
        let signs = [Some(b'_'), Some(b'*'), Some(b'`'), Some(b'_'), None, Some(b'`')];
        assert!(Close::of(signs.into_iter()).signs().eq(signs));
        let most = [Some(b'`'); keyword::LEAD as usize];
        assert!(Close::of(most.into_iter()).signs().eq(most));
    }
}
