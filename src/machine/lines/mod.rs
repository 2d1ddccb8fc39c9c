//! Dialects of keyword lines in the stream: what a line does in the section it stands in.
//!
//! ```text
//! text, thought, answer, plain input    payload, up to a line that does something
//! name      behind a call's name: white space, then a line with the input, or the call ends
//! input     behind the input's keyword: white space, then JSON or plain text, or nothing
//! orphan    the same for an input without a call: all of it is markup
//! tail      behind JSON: the rest of the line is markup
//! ```
//! A line is *held* from its first byte while it may do something, and judged again when more of it
//! has come: its beginning is short. Chunk ends here: a line that is undecided is held, with at most
//! 256 bytes of white space before it if they may frame a value. Stream ends here: what is held is
//! judged as if a line that is no keyword's stood behind it.

mod call;

use super::keyword::{FENCE, FenceLine, Found, LineTable, fence_line, is_lead};
use super::step::{Followed, Step, Then, Until, half_a_line, line_followed_by, step, white_space};
use super::{Feed, Line, State};
use crate::dialect::lines::{After, LineAct, LineRule, LineSection, Role};
use crate::dialect::spec::CALL;
use crate::event::{Cause, DiagnosticKind, Event, Status};
use crate::options::{CallsInReasoning, Fences, bounds};
use crate::sink::Sink;
use crate::tables::Tables;

/// Longest stretch that a line may need to be decided, in bytes: two keyword lines, a name line and
/// two runs of white space.
const STRETCH: usize = 1280;
/// What is counted as examined of a line that is decided, in bytes.
const FIRST: usize = 64;
/// A stop sequence that was cut has at least this many letters.
const CUT_WORD: usize = 3;

/// What has to be remembered between two lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Lines {
    /// The next byte is the first of a line.
    pub at_start: bool,
    /// A line is held, undecided. It begins this many bytes behind the first held one.
    pub open: bool,
    start: u16,
    /// It is judged again when this comes, or when it is longer than `most`.
    until: Until,
    seen: u16,
    most: u16,
    /// A fence wraps the present step.
    wrapped: bool,
    /// In a fence that wraps nothing: in some sections nothing in it is a keyword.
    pub fence: bool,
    /// The same inside a plain input.
    inner: bool,
    /// The closing fence of a JSON input may come.
    fenced: bool,
    /// The line begins in its middle: no keyword, but perhaps a fence.
    mid: bool,
    /// An action has come, though perhaps no call.
    stepped: bool,
    /// The plain input is in brackets.
    brackets: bool,
    /// The tail of the line has its diagnostic.
    stray: bool,
    /// The back-ticks that the tail of the line ends with, up to three.
    ticks: u8,
    /// The run of white space is too long to frame a value.
    pub long: bool,
    /// The plain input is a parameter's value.
    pub param: bool,
}

impl State {
    /// Whether lines count in it.
    pub fn has_lines(self, tables: &Tables) -> bool {
        // A line in a reasoning block counts only where the host says so.
        let extract = tables.options.calls_in_reasoning == Some(CallsInReasoning::Extract);
        match self {
            State::Text | State::Thought | State::Answer | State::Plain => true,
            State::Reasoning => extract,
            _ => self.is_between_lines(),
        }
    }

    /// Whether all that is read in it are lines.
    pub fn is_between_lines(self) -> bool {
        matches!(self, State::Name | State::Input | State::Orphan | State::Tail)
    }
}

impl Lines {
    pub fn new(tables: &Tables) -> Lines {
        Lines { at_start: tables.lines.is_some(), ..Lines::default() }
    }

    /// Neither at the start of a line nor in one that is held.
    pub fn in_middle(&self) -> bool {
        !self.open && !self.at_start
    }
}

/// What becomes of a line.
enum Judged {
    Payload,
    More(Until, usize),
    Done,
}

impl<S: Sink> Feed<'_, '_, S> {
    /// Whether lines count in the present state.
    #[inline]
    pub fn reads_lines(&self) -> bool {
        self.tables.lines.is_some() && self.machine.state.has_lines(self.tables)
    }

    /// At the start of a line, or behind a keyword: what stands here is judged.
    pub fn line(&mut self) {
        let Some(table) = &self.tables.lines else { return };
        if self.machine.lines.open {
            self.at = self.from + self.machine.lines.start as usize;
            if !self.end && !self.has_news() {
                self.at = self.view.len();
                return;
            }
        }
        let mut room: Option<[u8; STRETCH]> = None;
        let text = self.view.stretch(self.at, &mut room);
        self.machine.lines.open = false;
        let judged = match self.machine.state {
            State::Name => self.behind_name(table, text),
            State::Input => self.behind_keyword(table, text),
            State::Orphan => self.orphan_input(table, text),
            State::Tail => self.tail(text),
            State::Plain if self.machine.lines.brackets && text.starts_with(']') => {
                match self.bracket(text) {
                    Judged::Payload => self.bracket_is_data(),
                    judged => judged,
                }
            }
            _ => self.section_line(table, text),
        };
        // A line is decided by its first word, mostly; one that is not is judged again.
        let looked_at = if let Judged::More(..) = judged { text.len() } else { FIRST };
        self.machine.examined += looked_at.min(text.len());
        match judged {
            Judged::Done => {}
            Judged::More(..) if text.len() == STRETCH || self.end => self.line_is_payload(),
            Judged::More(until, most) => self.hold_line(until, most, text.len()),
            Judged::Payload => self.line_is_payload(),
        }
    }

    fn line_is_payload(&mut self) {
        let lines = &mut self.machine.lines;
        (lines.at_start, lines.mid) = (false, false);
        self.resume(self.at);
    }

    /// All before the line leaves, the line is held.
    fn hold_line(&mut self, until: Until, most: usize, seen: usize) {
        self.line_payload(self.at);
        let lines = &mut self.machine.lines;
        lines.open = true;
        lines.start = (self.at - self.from) as u16;
        (lines.until, lines.seen, lines.most) = (until, seen as u16, most as u16);
        self.at = self.view.len();
    }

    /// Whether what came since the line was judged can decide it.
    fn has_news(&self) -> bool {
        let lines = &self.machine.lines;
        let seen = self.at + lines.seen as usize;
        if self.view.len() - self.at > lines.most as usize {
            return self.view.len() > seen;
        }
        let news: fn(u8) -> bool = match lines.until {
            Until::Any => |_| true,
            Until::LineEnd => |byte| matches!(byte, b'\n' | b'(' | b'[' | b'{'),
            Until::Word => |byte| !is_lead(byte),
            Until::NonWhite => |byte| !matches!(byte, b' ' | b'\t' | b'\r' | b'\n'),
        };
        self.view.slices(seen, self.view.len()).iter().any(|slice| slice.bytes().any(news))
    }

    /// How much of `part` may be scanned before a line must be judged: at most to behind a line feed.
    #[inline]
    pub fn up_to_next_line<'v>(&mut self, part: &'v str) -> &'v str {
        let passed = self.next_line.is_some_and(|line| line <= self.at);
        if self.looked <= self.at || passed {
            self.looked = self.at + part.len();
            self.next_line = self.find_line(part).map(|line| self.at + line);
        }
        match self.next_line {
            Some(line) => &part[..part.len().min(line - self.at)],
            None => part,
        }
    }

    /// How far the next line that may do something is.
    fn find_line(&self, part: &str) -> Option<usize> {
        let table = self.tables.lines.as_ref()?;
        let begins = |line: usize| !table.is_dull(&part[line..]);
        if self.in_brackets() {
            let mut signs = memchr::memchr2_iter(b']', b'\n', part.as_bytes());
            let close = |at: &usize| part.as_bytes()[*at] == b']';
            return signs.find_map(|at| match close(&at) {
                true => Some(at),
                false => Some(at + 1).filter(|line| begins(*line)),
            });
        }
        let mut lines = memchr::memchr_iter(b'\n', part.as_bytes()).map(|feed| feed + 1);
        lines.find(|line| begins(*line))
    }

    fn in_brackets(&self) -> bool {
        self.machine.state == State::Plain && self.machine.lines.brackets
    }

    /// The scan has come to `at`: perhaps to a line.
    #[inline]
    pub fn meets_line(&mut self) {
        self.machine.lines.at_start = self.next_line == Some(self.at);
    }

    /// A line in one of the sections.
    fn section_line(&mut self, table: &LineTable, text: &str) -> Judged {
        if self.machine.lines.fenced {
            return self.behind_fenced(text);
        }
        if !self.is_quoted() {
            if self.end && self.is_cut_word(table, text) {
                return self.cut_word();
            }
            match table.keyword(text, self.end) {
                Found::More => return half_a_keyword(text),
                Found::Keyword { role, len } => return self.keyword(table, text, role, len),
                Found::No => {}
            }
        }
        if matches!(self.machine.state, State::Reasoning) {
            return Judged::Payload;
        }
        match fence_line(text, self.end) {
            FenceLine::No => Judged::Payload,
            FenceLine::More => Judged::More(Until::LineEnd, FENCE),
            FenceLine::Fence { bare, len } => self.fence(table, text, bare, len),
        }
    }

    /// Whether the line stands in a fence in which nothing is a keyword.
    fn is_quoted(&self) -> bool {
        let lines = &self.machine.lines;
        match self.machine.state {
            State::Plain => lines.inner,
            State::Answer => lines.fence,
            State::Text | State::Thought => {
                lines.fence && self.tables.options.fences == Fences::Quote
            }
            _ => false,
        }
    }

    /// Behind a JSON input in a fence, where its closing line may stand.
    fn behind_fenced(&mut self, text: &str) -> Judged {
        let white = white_space(text);
        let line = text[..white].rfind('\n').map_or(0, |feed| feed + 1);
        let near = white <= bounds::WHITE_SPACE;
        if near && white == text.len() && !self.end {
            return Judged::More(Until::NonWhite, bounds::WHITE_SPACE);
        }
        match fence_line(&text[line..], self.end) {
            FenceLine::More if near => return Judged::More(Until::LineEnd, line + FENCE),
            FenceLine::Fence { bare: true, len } if near => {
                self.machine.lines.fenced = false;
                return self.line_is_markup(line + len);
            }
            _ => {}
        }
        // It is none: the line is judged as any other.
        self.machine.lines.fenced = false;
        Judged::Done
    }

    /// A fence line: it may close the fence round a step, open one, or be payload.
    fn fence(&mut self, table: &LineTable, text: &str, bare: bool, len: usize) -> Judged {
        let plain = self.machine.state == State::Plain;
        let lines = &mut self.machine.lines;
        let open = if plain { &mut lines.inner } else { &mut lines.fence };
        if *open {
            *open = !bare;
            return Judged::Payload;
        }
        if bare && lines.wrapped {
            if plain {
                return self.plain_ends();
            }
            lines.wrapped = false;
            return self.line_is_markup(len);
        }
        let quote = self.tables.options.fences == Fences::Quote;
        if plain || quote || self.machine.state == State::Answer {
            *open = !lines.brackets || !plain;
            return Judged::Payload;
        }
        match line_followed_by(table, text, &table.spec.wrapped, self.end) {
            Followed::More(until, most) => Judged::More(until, most),
            Followed::No => {
                lines.fence = true;
                Judged::Payload
            }
            Followed::Yes(_) => {
                lines.wrapped = true;
                self.line_is_markup(len)
            }
        }
    }

    /// `len` bytes of the line are markup; the next one begins behind them.
    fn line_is_markup(&mut self, len: usize) -> Judged {
        self.line_payload(self.at);
        self.markup(self.at + len);
        self.next_is_line(self.machine.state);
        Judged::Done
    }

    /// A line begins at the first byte that has not left, in this state.
    fn next_is_line(&mut self, state: State) {
        self.enter(state);
        self.machine.lines.at_start = true;
        self.machine.lines.mid = false;
        self.machine.line = Line::Start;
    }

    fn rule<'t>(&self, table: &'t LineTable, role: Role) -> Option<&'t LineRule> {
        let section = match self.machine.state {
            State::Thought => LineSection::Thought,
            State::Answer => LineSection::Answer,
            State::Plain | State::Input => LineSection::Plain,
            State::Reasoning => LineSection::Reasoning,
            _ => LineSection::Text,
        };
        let called = self.machine.call.count > 0;
        table.spec.rules.iter().find(|rule| {
            let after = match rule.after {
                After::Any => true,
                After::Call => called,
                After::Step => called || self.machine.lines.stepped,
            };
            after && rule.role == role && rule.within.contains(&section)
        })
    }

    /// A keyword line whose close ends `len` bytes behind its first.
    fn keyword(&mut self, table: &LineTable, text: &str, role: Role, len: usize) -> Judged {
        let Some(rule) = self.rule(table, role) else { return Judged::Payload };
        if !rule.followed_by.is_empty() {
            match line_followed_by(table, text, &rule.followed_by, self.end) {
                Followed::More(until, most) => return Judged::More(until, most),
                Followed::No => return Judged::Payload,
                Followed::Yes(_) => {}
            }
        }
        match rule.act {
            LineAct::Thought => self.section_begins(State::Thought, len),
            LineAct::Answer => {
                self.section_begins(State::Answer, len);
                self.out.event(Event::AnswerStart);
            }
            LineAct::Step => return self.step(table, text, len),
            LineAct::Orphan => {
                self.machine.interrupted = self.machine.state;
                self.section_begins(State::Orphan, len);
            }
            LineAct::Markup => {
                let line = text.find('\n').map_or(text.len(), |feed| feed + 1);
                return self.line_is_markup(line);
            }
            LineAct::Cut(kind) => {
                self.line_payload(self.at);
                self.diagnose(kind, self.at);
                self.machine.lines.at_start = false;
                self.enter(State::Invented);
            }
            LineAct::End => return self.plain_ends(),
        }
        Judged::Done
    }

    fn section_begins(&mut self, state: State, len: usize) {
        self.line_payload(self.at);
        self.markup(self.at + len);
        let orphan = state == State::Orphan;
        (self.machine.lines.at_start, self.machine.lines.mid) = (orphan, orphan);
        self.machine.line = Line::Middle;
        self.enter(state);
    }

    /// An action: somebody is called, nobody, or it is prose.
    fn step(&mut self, table: &LineTable, text: &str, from: usize) -> Judged {
        let block = self.machine.state == State::Reasoning;
        let closers = if block { &*self.tables.spec(table.part).reasoning_closers } else { &[] };
        let judged = step(table, &self.tables.tool_names, closers, text, from, self.end);
        // Of a stream that was cut the end confirms nothing: the name may have gone on.
        let open = |len: usize| self.cut && len == text.len() && !text.ends_with('\n');
        let judged = match judged {
            Step::Call { len, then: Then::Line | Then::Cut, .. } | Step::NoCall { len }
                if self.ends_call() && open(len) =>
            {
                Step::Prose
            }
            judged => judged,
        };
        let (name, tool, len, then) = match judged {
            Step::More(until, most) => return Judged::More(until, most),
            Step::Prose => return Judged::Payload,
            Step::NoCall { .. } | Step::NoName { .. } if block => return Judged::Payload,
            Step::NoCall { len } => return self.no_call(DiagnosticKind::NoAction, len),
            Step::NoName { len } => return self.no_call(DiagnosticKind::MissingActionName, len),
            Step::Call { name, tool, len, then } => (name, tool, len, then),
        };
        if self.ends_call() {
            return self.plain_ends();
        }
        self.line_payload(self.at);
        let start = self.at;
        if !self.out.may_open(self.view.base + start) {
            return Judged::Done;
        }
        self.machine.call.name.clear();
        self.machine.call.name.push_str(name);
        self.start_call(tool, CALL, table.part, self.view.base + start);
        self.markup(start + len);
        self.machine.lines.stepped = true;
        self.machine.lines.brackets = then == Then::Brackets;
        match then {
            Then::Line => self.next_is_line(State::Name),
            Then::Cut => self.name_is_cut(),
            Then::Json => self.json_begins(true),
            Then::Brackets => self.input_begins(),
        }
        Judged::Done
    }

    fn no_call(&mut self, kind: DiagnosticKind, len: usize) -> Judged {
        if self.ends_call() {
            return self.plain_ends();
        }
        self.line_payload(self.at);
        self.diagnose(kind, self.at);
        self.markup(self.at + len);
        self.machine.lines.stepped = true;
        let state = match self.machine.state {
            State::Thought => State::Text,
            state => state,
        };
        self.next_is_line(state);
        Judged::Done
    }

    /// Whether the line ends a call that has its keyword, or its input.
    fn ends_call(&self) -> bool {
        matches!(self.machine.state, State::Plain | State::Input)
    }

    /// Before the line, the input and its call end; then the line is judged as text.
    fn plain_ends(&mut self) -> Judged {
        let status = match self.machine.lines.brackets {
            true => Status::Incomplete(Cause::Broken),
            false => Status::Complete,
        };
        self.value_ends(self.at, self.at, status);
        self.next_is_line(State::Text);
        Judged::Done
    }

    /// The input ends at `value`, less white space that may be framing; so does its call, at `to`.
    fn value_ends(&mut self, value: usize, to: usize, status: Status) {
        if self.machine.state == State::Plain {
            self.plain_payload(value);
            if std::mem::take(&mut self.machine.lines.param) {
                self.end_value(status.is_complete());
            }
        }
        self.markup(to);
        self.end_call(status);
    }

    /// The very last line is the beginning of a stop sequence: the server cut it.
    fn is_cut_word(&self, table: &LineTable, text: &str) -> bool {
        let called = self.machine.call.count > 0;
        called && !self.machine.lines.mid && table.is_cut(text, Role::Result, CUT_WORD)
    }

    fn cut_word(&mut self) -> Judged {
        let (at, end) = (self.at, self.view.len());
        let status = match self.machine.lines.brackets || self.cut {
            true => Status::Incomplete(Cause::EndOfStream),
            false => Status::Complete,
        };
        match self.machine.state {
            State::Plain | State::Input => self.value_ends(at, at, status),
            State::Name => self.end_call(status),
            _ => self.payload(at),
        }
        self.diagnose(DiagnosticKind::CutStopWord, at);
        self.markup(end);
        self.enter(State::Text);
        Judged::Done
    }

    /// What stands before a line leaves; of a plain input, white space at the end does not.
    pub fn line_payload(&mut self, to: usize) {
        if self.machine.state == State::Plain {
            self.plain_payload(to);
        } else {
            self.payload(to);
        }
    }

    /// The value up to `to` leaves, but for the white space at its end, if that is short enough to be
    /// framing.
    pub fn plain_payload(&mut self, to: usize) {
        let white = self.view.white_space_before(self.from, to);
        let long =
            to - white > bounds::WHITE_SPACE || self.machine.lines.long && white == self.from;
        self.machine.lines.long = long;
        self.payload(if long { to } else { white });
    }

    /// The stream ends in a state of lines.
    pub fn close_lines(&mut self) {
        let end = self.view.len();
        let status = match self.machine.lines.brackets || self.cut {
            true => Status::Incomplete(Cause::EndOfStream),
            false => Status::Complete,
        };
        match self.machine.state {
            State::Plain => self.value_ends(end, end, status),
            State::Input if self.machine.lines.brackets => self.value_ends(end, end, status),
            State::Name | State::Input => {
                self.markup(end);
                self.ends_behind_name();
            }
            _ => self.markup(end),
        }
    }

    /// The stream ends behind the name of a call, which has no input: one whose tool requires
    /// nothing needs none.
    fn ends_behind_name(&mut self) {
        let tool = self.tables.tools.get(self.machine.call.tool as usize);
        match tool.is_some_and(|tool| tool.requires_nothing()) {
            true if !self.cut => self.end_call(Status::Complete),
            _ => self.name_is_cut(),
        }
    }

    /// What was to stand behind the name of a call is cut off.
    pub(super) fn name_is_cut(&mut self) {
        if !self.cut {
            self.diagnose(DiagnosticKind::MissingArguments, self.from);
        }
        self.end_call(Status::Incomplete(Cause::EndOfStream));
    }
}

fn half_a_keyword(text: &str) -> Judged {
    let (until, most) = half_a_line(text, 0);
    Judged::More(until, most)
}
