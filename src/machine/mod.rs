//! The machine: model text in, events out, whatever the dialect.
//!
//! ```text
//! stream    := ( text | reasoning | section | call )*
//! section   := opener junk ( call junk )* closer
//! call      := opener junk ( parameter junk )* closer
//! parameter := opener value closer
//! ```
//! What an opener or a closer looks like, what must follow it and what it does is data
//! ([`crate::dialect::spec`]). The machine knows five *states* (what is payload, which rules
//! count) and one way to read: [`scan`] finds the head of a marker in the payload, [`pattern`]
//! reads the marker and what confirms it, and then the marker acts or is payload.
//!
//! Bytes are *held* only from the first byte of a possible marker on. Confirming is looking ahead:
//! it emits nothing, and whatever it decides, reading goes on behind the marker (or behind its
//! first byte, if it is payload). So no byte is examined more than a few times, and no event is
//! ever taken back.
//!
//! Chunk ends here: `Feed::release` lets go what can no longer be part of a marker and keeps the
//! rest. Stream ends here: `Feed::settle` decides what is held and ends what is open.
//!
//! A body that is no list of tags (JSON, lines) is one more state with a file of its own here.

mod act;
mod body;
mod call;
mod candidate;
mod end;
pub(crate) mod fence;
pub(crate) mod glance;
mod input;
pub(crate) mod json;
pub(crate) mod keyword;
mod lines;
pub(crate) mod pattern;
mod payload;
pub(crate) mod scan;
pub(crate) mod step;
pub(crate) mod view;
#[cfg(test)]
mod work;

use crate::dialect::spec::{Only, Rule};
use crate::limit::Limit;
use crate::options::{Fences, Start};
use crate::sink::Sink;
use crate::tables::{PartNumber, StateTable, Tables};
use body::Body;
use call::{Call, Section};
use candidate::{Candidate, Verdict};
use fence::Fence;
use lines::Lines;
use scan::ScanState;
use view::View;

/// What the payload is, and which rules count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Text,
    Reasoning,
    /// In a section, outside a call.
    Section,
    /// In a call, between parameters.
    Call,
    Value,
    /// In a JSON body.
    Body,
    /// In a thought, which a keyword line began.
    Thought,
    /// In the answer, which a keyword line began.
    Answer,
    /// Behind the name of a call, before the line with its input.
    Name,
    /// Behind the keyword of an input, before its first byte.
    Input,
    /// The same for an input without a call.
    Orphan,
    /// In a plain input.
    Plain,
    /// Behind a JSON input, on its line.
    Tail,
    /// Behind an invented result: nothing counts any more.
    Invented,
}

/// How a stream ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// The model ended it.
    Model,
    /// It was cut: more would have come.
    Cut,
}

/// What text or reasoning stands behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Line {
    /// Only blanks since the stream or the line began.
    Start,
    /// Markup, immediately.
    Markup,
    Middle,
}

/// All that has to survive a cut. A plain value: a clone is a snapshot.
#[derive(Clone, Debug)]
pub(crate) struct Machine {
    state: State,
    /// How much of a marker's head the text read so far ends with.
    scan: ScanState,
    candidate: Candidate,
    /// Bytes that may yet be part of a marker; all of them have been read.
    held: String,
    /// Stream offset of the first held byte.
    base: usize,
    /// What the text stands behind.
    line: Line,
    /// Nothing but white space has come yet.
    pristine: bool,
    /// Rejected openers whose closers have not come.
    rejected: [u8; 2],
    fence: Fence,
    section: Section,
    call: Call,
    /// A call has ended, with nothing but white space and markup since.
    behind_call: bool,
    /// What reasoning tags, or an input without a call, interrupted.
    interrupted: State,
    lines: Lines,
    /// The JSON body that is open.
    pub body: Body,
    /// A `cut_opener` was reported.
    cut: bool,
    /// Bytes examined, once for each rule that looked: the work done, for growth tests.
    examined: usize,
}

impl Machine {
    pub fn new(tables: &Tables) -> Self {
        let outside = match tables.options.implicit_thought && tables.lines.is_some() {
            true => State::Thought,
            false => State::Text,
        };
        let state = match tables.options.start {
            Start::Text => outside,
            Start::Reasoning => State::Reasoning,
        };
        let mut machine = Machine {
            state,
            scan: ScanState::default(),
            candidate: Candidate::default(),
            held: String::new(),
            base: 0,
            line: Line::Start,
            pristine: true,
            rejected: [0; 2],
            fence: Fence::default(),
            section: Section::default(),
            call: Call::default(),
            behind_call: false,
            interrupted: outside,
            lines: Lines::new(tables),
            body: Body::default(),
            cut: false,
            examined: 0,
        };
        machine.enter(tables, state);
        machine
    }

    /// Reads a chunk.
    pub fn feed<S: Sink>(&mut self, tables: &Tables, chunk: &str, out: &mut Limit<'_, S>) {
        if chunk.is_empty() || out.raised() {
            return;
        }
        self.run(tables, chunk, None, out);
    }

    /// The stream is over.
    pub fn finish<S: Sink>(&mut self, tables: &Tables, cut: bool, out: &mut Limit<'_, S>) {
        if !out.raised() {
            self.run(tables, "", Some(if cut { End::Cut } else { End::Model }), out);
        }
    }

    /// Stream offset behind the last byte that was fed.
    pub fn read_so_far(&self) -> usize {
        self.base + self.held.len()
    }

    pub fn examined(&self) -> usize {
        self.examined
    }

    pub fn held(&self) -> usize {
        self.held.len()
    }

    fn run<S: Sink>(
        &mut self,
        tables: &Tables,
        chunk: &str,
        ended: Option<End>,
        out: &mut Limit<'_, S>,
    ) {
        let mut held = std::mem::take(&mut self.held);
        let view = View { held: &held, chunk, base: self.base };
        let (end, cut) = (ended.is_some(), ended == Some(End::Cut));
        let mut feed = Feed { at: held.len(), end, cut, ..Feed::new(self, tables, view, out) };
        feed.read();
        while end && feed.settle() {
            feed.read();
        }
        feed.release();
        // Behind the limit nothing is kept: it can never leave.
        let left = if feed.out.raised() { feed.view.len() } else { feed.from };
        self.base += left;
        self.candidate.start = self.candidate.start.saturating_sub(left);
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

    fn table<'t>(&self, tables: &'t Tables) -> &'t StateTable {
        match self.state {
            State::Text | State::Thought => &tables.text,
            State::Reasoning => &tables.reasoning,
            State::Section => &tables.sections[self.section.kind as usize].state,
            State::Call => &tables.calls[self.call.kind as usize],
            State::Value => &tables.values[self.call.value_kind as usize].state,
            State::Body => &tables.bodies[self.body_part(tables) as usize],
            State::Answer
            | State::Name
            | State::Input
            | State::Orphan
            | State::Plain
            | State::Tail
            | State::Invented => &tables.nothing,
        }
    }

    /// The dialect that the open section, and the JSON body in it, belongs to.
    fn body_part(&self, tables: &Tables) -> PartNumber {
        match &tables.lines {
            Some(lines) if self.body.is_line() => lines.part,
            _ => tables.sections[self.section.kind as usize].part,
        }
    }

    fn enter(&mut self, tables: &Tables, state: State) {
        self.state = state;
        self.scan = self.table(tables).scanner.start();
    }
}

/// Where a marker stands.
#[derive(Clone, Copy, Debug)]
struct Here {
    quoted: bool,
    mid_line: bool,
    pristine: bool,
    clean: bool,
    section: bool,
    section_start: bool,
    line_start: bool,
    wants_more: bool,
    behind_call: bool,
    call_start: bool,
    named: bool,
    waiting: bool,
    suspected: bool,
}

impl Here {
    fn counts(self, rule: &Rule) -> bool {
        !self.quoted
            && match rule.only {
                Only::Anywhere => true,
                Only::LineStart => !self.mid_line,
                Only::StreamStart => self.pristine,
                Only::CleanValue => self.clean,
                Only::CleanLine => self.clean && self.line_start && self.wants_more,
                Only::BehindCall => self.behind_call,
                Only::CallStart => self.call_start,
                Only::Named => self.named,
                Only::InSection => self.section,
                Only::SectionStart => self.section_start,
                Only::BareCall => !self.section,
                Only::CleanInSection => self.clean && self.section,
                Only::CleanBare => self.clean && !self.section,
                Only::Waiting => self.waiting,
                Only::Unsuspected => !self.suspected,
            }
    }
}

/// One feed: the machine, its tables, the text and where the events go.
struct Feed<'a, 'l, S> {
    machine: &'a mut Machine,
    tables: &'a Tables,
    view: View<'a>,
    out: &'a mut Limit<'l, S>,
    /// View offset of the first byte that has not left.
    from: usize,
    /// View offset of the next byte to read.
    at: usize,
    /// The stream ends with the view.
    end: bool,
    /// It does, and it was cut there: nothing that only the end confirms is complete.
    cut: bool,
    /// View offset of the next line that may do something, if there is one before `looked`.
    next_line: Option<usize>,
    looked: usize,
}

impl<'a, 'l, S: Sink> Feed<'a, 'l, S> {
    fn new(
        machine: &'a mut Machine,
        tables: &'a Tables,
        view: View<'a>,
        out: &'a mut Limit<'l, S>,
    ) -> Self {
        let (from, at, end, cut, next_line, looked) = (0, 0, false, false, None, 0);
        Feed { machine, tables, view, out, from, at, end, cut, next_line, looked }
    }

    /// Reads to the end of the view, or to the limit.
    fn read(&mut self) {
        while self.at < self.view.len() && !self.out.raised() {
            if self.machine.candidate.active {
                self.confirm();
            } else if self.machine.call.at_value_start {
                self.value_start();
            } else if self.machine.state == State::Body {
                self.body();
            } else if self.at_line() {
                self.line();
            } else if self.is_between() {
                self.between();
            } else {
                self.scan();
            }
        }
    }

    /// At the start of a line that may do something, or behind a keyword.
    #[inline]
    fn at_line(&self) -> bool {
        (self.machine.lines.at_start || self.machine.lines.open) && self.reads_lines()
    }

    /// In payload: look for the head of a marker.
    #[inline]
    fn scan(&mut self) {
        let part = self.view.part(self.at);
        let lines = self.reads_lines();
        let part = if lines { self.up_to_next_line(part) } else { part };
        self.machine.examined += part.len();
        let table = self.machine.table(self.tables);
        let mut read = 0;
        while let Some(head) = table.scanner.find(&mut self.machine.scan, &part.as_bytes()[read..])
        {
            read += head.end;
            let len = table.scanner.head(head.index).len();
            if self.may_go_on(table, head.index, self.at + read - len, &part[read..]) {
                let end = self.at + read;
                self.machine.examined -= part.len() - read;
                return self.begin(head.index, end - len, end);
            }
            self.machine.scan = table.scanner.start();
        }
        self.at += part.len();
        if lines {
            self.meets_line();
        }
    }

    /// A glance at the character behind a head: most closing tags in a value are not its own.
    #[inline]
    fn may_go_on(&self, table: &StateTable, head: usize, start: usize, behind: &str) -> bool {
        let begun = &table.begun[head];
        let Some(&next) = behind.as_bytes().first().filter(|_| begun.quiet) else { return true };
        let call = &self.machine.call;
        let around = call.surroundings(self.tables, &table.rules, self.view, start);
        begun.runs.iter().any(|run| run.may_read(next, &around))
    }

    /// Behind a head: all before it leaves, and the rules that it may begin are taken up.
    fn begin(&mut self, head: usize, start: usize, end: usize) {
        self.payload(start - self.line_break_before(start));
        self.at = end;
        let here = self.here(start);
        let table = self.machine.table(self.tables);
        let Machine { candidate, call, .. } = &mut *self.machine;
        let begun = &table.begun[head];
        let rules = &table.rules;
        let verdict =
            candidate.begin(start, end, call.tool, begun, rules, |rule| here.counts(rule));
        self.decide(verdict);
    }

    /// A byte that may begin a marker: all rules of the state are taken up before it.
    fn begin_any(&mut self) {
        let here = self.here(self.at);
        let table = self.machine.table(self.tables);
        let Machine { candidate, call, .. } = &mut *self.machine;
        let (at, rules) = (self.at, &table.rules);
        let verdict =
            candidate.begin(at, at, call.tool, &table.fresh, rules, |rule| here.counts(rule));
        self.decide(verdict);
    }

    /// What decides which rules count at `start`, where all before it has left that can.
    fn here(&mut self, start: usize) -> Here {
        let machine = &mut *self.machine;
        let text = matches!(machine.state, State::Text | State::Thought);
        let fences = text && self.tables.options.fences == Fences::Quote;
        Here {
            quoted: fences
                && match self.tables.lines {
                    Some(_) => machine.lines.fence,
                    None => machine.fence.quotes(),
                },
            mid_line: machine.line == Line::Middle,
            pristine: machine.pristine,
            clean: !machine.call.own_closer,
            section: machine.section.open,
            section_start: !machine.section.begun,
            // A line break that may be framing has not left.
            line_start: start > self.from || machine.call.line_start,
            wants_more: machine.call.given.contains(&false),
            behind_call: machine.behind_call,
            call_start: !machine.call.begun,
            named: machine.call.named,
            waiting: machine.body.waits,
            suspected: machine.call.suspected,
        }
    }

    /// In a candidate: read on until its rules are decided.
    fn confirm(&mut self) {
        let part = self.view.part(self.at);
        let table = self.machine.table(self.tables);
        let Machine { candidate, call, examined, .. } = &mut *self.machine;
        let around = call.surroundings(self.tables, &table.rules, self.view, candidate.start);
        let (read, verdict) = candidate.read(part, self.at - around.start, &around);
        *examined += read;
        self.at += part.len();
        self.decide(verdict);
    }

    fn decide(&mut self, verdict: Verdict) {
        match verdict {
            Verdict::Open => {}
            Verdict::Accept(run) => self.accept(run),
            Verdict::Reject => self.reject(),
        }
    }
}
