//! Text and reasoning.
//!
//! ```text
//! stream    := ( text | reasoning | section | call )*
//! reasoning := OPEN … CLOSE          the opener at the start of a line, or right behind markup; the closer anywhere
//! ```
//! Openers are tried first, of every dialect in order, then markers beside calls. At the end of a chunk an undecided
//! marker is pending. At the end of the stream half a marker is text; `cut_opener` if it is a call's.

use crate::event::{DiagnosticKind, Event};
use crate::family::Look;
use crate::one_of;
use crate::options::{Fences, ReasoningTags};
use crate::read::act::{
    ANSWER, CALLS, CLOSED, IN_THOUGHT, InText, OPEN, Opener, Place, SECTIONS, THOUGHT,
};
use crate::read::call::NO_OPENER;
use crate::read::cursor::{Cursor, Half, More, No, Step, WHITE, Way};
use crate::read::feed::{Feed, Flow, Line};
use crate::read::machine::{Grammar, State};
use crate::sink::Sink;

/// The least bytes of a call's opener that are a cut opener.
const CUT_OPENER: usize = 3;

const INVENTED: Way = Half::NONE.role("result that the model invents");
const MARK: Way = Half::NONE.role("markup in text");
const TOKEN: Way = Half::NONE.role("stop token");
const OPENS: Way = Half::NONE.role("opener of reasoning");
const CLOSES: Way = Half::NONE.role("closer of reasoning");

/// The markers that may stand in text beside calls.
#[derive(Clone, Debug, Default)]
pub(crate) struct Prose {
    /// The openers and closers of reasoning; any closer closes any opener.
    pub open: Vec<Box<str>>,
    pub close: Vec<Box<str>>,
    /// Reasoning opens anywhere, not only at the start of a line.
    pub anywhere: bool,
    /// Stop tokens. Of two that begin alike the longer one comes first.
    pub tokens: Vec<Box<str>>,
    /// The beginnings of results that the model invents.
    pub invented: Vec<Box<str>>,
    /// Markup in text.
    pub marks: Vec<Box<str>>,
    /// Markup in text that closes reasoning.
    pub finals: Vec<Box<str>>,
    /// Opener and closer of reasoning in which no call counts.
    pub sealed: Option<[Box<str>; 2]>,
}

/// A marker in text, or at the end of reasoning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Found<'t> {
    /// A marker of the dialect's family or its prose.
    Of(InText<'t>),
    Think,
    EndThink,
    /// The opener of reasoning in which no call counts.
    Seal,
}

/// The numbers of the bits that are set.
fn bits(mut set: u64) -> impl Iterator<Item = u8> {
    std::iter::from_fn(move || {
        let lowest = set.trailing_zeros() as u8;
        set &= set.wrapping_sub(1);
        (lowest < 64).then_some(lowest)
    })
}

impl<'a> Feed<'a, '_> {
    /// Reads text or reasoning up to the next marker.
    pub fn prose(&mut self) -> Flow {
        let scan = match self.m.state {
            State::Text => self.t.text_scan(&self.m.is),
            _ => self.t.reasoning_scan(self.m.counts_calls(self.t)),
        };
        if std::mem::take(&mut self.m.at_start) && self.t.reads.starts {
            if let Some(flow) = self.text_start() {
                return flow;
            }
        }
        let waited = self.m.at_marker;
        let found = self.next_marker(scan);
        // A line that waited, and begins no keyword after all, may still begin with a tool's name.
        let waits_on = waited && found == Some(self.at);
        let word = match self.t.reads.words && !waits_on {
            true => self.word_before(found.unwrap_or(self.text.len()), found.is_some()),
            false => None,
        };
        let Some(at) = word.or(found) else { return self.all_read() };
        self.at = at;
        if !self.may_begin(self.bytes()[at]) {
            self.pass();
            return Flow::Go;
        }
        self.payload(at);
        if self.out.raised() {
            return Flow::Wait;
        }
        if self.t.options.fences == Fences::Quote
            && self.m.state == State::Text
            && !self.t.reads.steps
            && self.m.fence.quotes()
        {
            return self.quoted();
        }
        self.prose_marker()
    }

    /// Reads the first byte of text or reasoning. If the chunk ends in an undecided marker, the marker is pending and
    /// tried again. `None`: no marker stands here that may only stand here.
    fn text_start(&mut self) -> Option<Flow> {
        let text = self.m.state == State::Text;
        if text && self.t.options.fences == Fences::Quote && self.m.fence.quotes() {
            return None;
        }
        let start = self.at;
        let mut c = self.cursor();
        let found = self.first_in_text(&mut c);
        self.m.examined += c.pos - start;
        let end = c.pos;
        self.m.at_marker = false;
        match found {
            Ok(act) => {
                self.act_in_text(act, start, end);
                return Some(Flow::Go);
            }
            Err(More) if !self.ended() => {
                self.wait();
                self.m.at_start = true;
                self.m.at_marker = false;
                return Some(Flow::Wait);
            }
            Err(_) => {}
        }
        let half = self.notes.half();
        let come = self.text[start..].trim_start_matches(WHITE);
        if half.has(Half::MARK) {
            self.markup(self.text.len());
        }
        if half.has(Half::OPENER) && come.len() >= CUT_OPENER {
            self.cut_opener(start);
        }
        half.has(Half::MARK).then_some(Flow::Go)
    }

    /// Passes text in Markdown code, where nothing counts. A sink that asks hears of texts that look like
    /// markers.
    fn quoted(&mut self) -> Flow {
        if self.notes.diagnosis.is_some() {
            let mut c = self.cursor();
            match self.marker_in_text(&mut c) {
                Ok(_) => self.tell_place(self.at, c.pos, "it stands in Markdown code"),
                Err(More) if !self.ended() => return self.wait(),
                Err(_) => {}
            }
        }
        self.pass();
        Flow::Go
    }

    fn prose_marker(&mut self) -> Flow {
        let start = self.at;
        let mut c = self.cursor();
        let found = self.marker_in_text(&mut c);
        self.m.examined += c.pos - start;
        let end = c.pos;
        if found == Err(More) && !self.ended() {
            return self.wait();
        }
        match found {
            Err(stuck) => {
                self.tell_refused(start);
                self.count_rejected();
                self.is_whole_text(start);
                self.pass();
                if stuck == More && self.is_cut_opener(start) {
                    // An opener that begins a line is reported before the line, any other behind its first
                    // sign.
                    let lines = self.part(self.notes.part.get()).lines;
                    let line = lines && self.is_line_start(start);
                    self.payload(if line { start } else { self.at });
                    self.cut_opener(start);
                }
            }
            Ok(Found::Think) => self.think(start, end),
            Ok(Found::Seal) => self.seal(start, end),
            Ok(Found::Of(InText::EndThink) | Found::EndThink) => self.end_think(start, end),
            Ok(Found::Of(act)) => self.act_in_text(act, start, end),
        }
        Flow::Go
    }

    /// Whether a marker of one of the dialects may begin with this byte.
    fn may_begin(&self, byte: u8) -> bool {
        let may_begin = |part| {
            let grammar = self.part(part);
            !grammar.family.asks_before()
                || grammar.beside.has(byte)
                || grammar.family.may_begin(&self.look_of(part), byte)
        };
        self.parts().any(may_begin)
    }

    /// Returns the numbers of the dialects.
    fn parts(&self) -> std::ops::Range<u8> {
        0..self.t.reads.grammars.len() as u8
    }

    fn part(&self, part: u8) -> &'a Grammar {
        &self.t.reads.grammars[usize::from(part)]
    }

    /// Reads a marker that stands only where text begins, of the first dialect that has it.
    fn first_in_text<'t>(&self, c: &mut Cursor<'t>) -> Step<InText<'t>> {
        let (start, mut stuck) = (*c, No);
        for part in self.parts().filter(|part| self.part(*part).starts && !self.is_in_others(*part))
        {
            *c = start;
            match self.part(part).family.at_text_start(&self.look_of(part), c) {
                Err(No) => {}
                Err(More) if self.ended() => stuck = More,
                found => {
                    self.notes.part.set(part);
                    return found;
                }
            }
        }
        Err(stuck)
    }

    /// Whether a message is open that another dialect began, behind a header or without one. Otherwise two dialects of headers
    /// would take the same text from each other forever.
    fn is_in_others(&self, part: u8) -> bool {
        let owner = self.m.message_part;
        owner != part && self.m.message > OPEN && self.part(owner).family.begins_in_header()
    }

    /// The dialects whose markers may begin here, as far as their first bytes say: a bit for each. Markers of lines and of words
    /// have no first bytes, so their dialects are always asked. A dialect that Markdown code quotes is not.
    fn asked_here(&self, calls: bool) -> u64 {
        let reasoning = self.m.state == State::Reasoning;
        let is_asked = |part: &u8| {
            let grammar = self.part(*part);
            let scan = grammar.scan(&self.m.is, reasoning, calls);
            let names = |byte| self.m.may_name(self.t, byte);
            let may_stand = || scan.may_stand(self.bytes(), self.at, names);
            !self.is_quoted(*part) && (grammar.lines || grammar.words || may_stand())
        };
        self.parts().filter(is_asked).fold(0, |all, part| all | 1 << part)
    }

    /// Reads the first marker that stands here.
    fn marker_in_text<'t>(&self, c: &mut Cursor<'t>) -> Step<Found<'t>> {
        let start = *c;
        let sealed = self.grammar().prose.sealed.as_ref().filter(|_| self.m.is.sealed);
        if let Some([_, close]) = sealed {
            let closes = c.way(CLOSES, |c| c.literal(close))?;
            return closes.map_or_else(|| c.none(), |()| Ok(Found::EndThink));
        }
        let (mut look, mut half) = (self.look_of(0), None);
        let (calls, several) = (look.calls, self.parts().len() > 1);
        let asked = if several { self.asked_here(calls) } else { u64::from(!self.is_quoted(0)) };
        for part in bits(if calls { asked } else { 0 }) {
            if several {
                look = self.look_of(part);
            }
            match self.part(part).family.in_text(&look, c) {
                Err(No) => {}
                // At the end of the stream another dialect may still read the text whole. If none does, the
                // first one that ended inside it decides the meaning of half a marker.
                Err(More) if self.ended() => half = half.or(Some(part)),
                found => {
                    self.notes.part.set(part);
                    return found.map(Found::Of);
                }
            }
            *c = start;
        }
        self.notes.part.set(half.unwrap_or(0));
        for part in bits(asked) {
            if several {
                look = self.look_of(part);
            }
            if let Some(found) = self.beside_calls(part, &look, c)? {
                self.notes.part.set(part);
                return Ok(found);
            }
        }
        c.none()
    }

    /// Whether Markdown code quotes the markers of this dialect. A dialect of lines decides this itself. So each dialect is asked
    /// if one of lines is among them.
    fn is_quoted(&self, part: u8) -> bool {
        self.t.reads.steps
            && self.t.options.fences == Fences::Quote
            && self.m.state == State::Text
            && !self.part(part).steps
            && self.m.fence.quotes()
    }

    /// Reads a marker of this dialect that stands in text beside calls.
    fn beside_calls<'t>(
        &self,
        part: u8,
        look: &Look<'_>,
        c: &mut Cursor<'t>,
    ) -> Step<Option<Found<'t>>> {
        let grammar = self.part(part);
        if let Some(found) = grammar.family.in_prose(look, c)? {
            return Ok(Some(Found::Of(found)));
        }
        if self.tags_are_text(grammar) {
            return Ok(None);
        }
        let prose = &grammar.prose;
        if !look.reasoning {
            let after_call = self.m.is.after_call;
            if after_call && c.way(INVENTED, |c| c.any(&prose.invented))?.is_some() {
                return Ok(Some(Found::Of(InText::Rest(DiagnosticKind::FabricatedResult))));
            }
            if c.way(TOKEN, |c| c.any(&prose.tokens))?.is_some() {
                return Ok(Some(Found::Of(InText::Mark(None))));
            }
            if c.way(MARK, |c| c.any(&prose.marks))?.is_some() {
                return Ok(Some(Found::Of(InText::Mark(None))));
            }
        }
        let opens = match self.m.is_in_tags() {
            true => self.m.is.stream_start,
            // In a dialect of keywords, an opener in the middle of a line rejects nothing.
            false => !grammar.steps || self.thinks_here(grammar),
        };
        if opens && c.way(OPENS, |c| c.any(&prose.open))?.is_some() {
            return Ok(Some(Found::Think));
        }
        if let Some([open, _]) = prose.sealed.as_ref().filter(|_| opens) {
            if c.way(OPENS, |c| c.literal(open))?.is_some() {
                return Ok(Some(Found::Seal));
            }
        }
        if c.way(CLOSES, |c| c.any(&prose.close))?.is_some() {
            return Ok(Some(Found::EndThink));
        }
        if c.way(MARK, |c| c.any(&prose.finals))?.is_some() {
            return Ok(Some(if look.reasoning {
                Found::EndThink
            } else {
                Found::Of(InText::Mark(None))
            }));
        }
        match look.calls {
            true => Ok(grammar.family.late_in_text(look, c)?.map(Found::Of)),
            false => Ok(None),
        }
    }

    /// Whether tags of reasoning are text: in the answer, and in a code fence that quotes.
    fn tags_are_text(&self, grammar: &Grammar) -> bool {
        let quotes = grammar.steps && self.t.options.fences == Fences::Quote;
        let quoted = quotes && self.m.is.text_fence && !self.m.is_in_tags();
        quoted || self.m.message == ANSWER && self.m.state == State::Text
    }

    /// Whether the stream ends in an opener that begins at `start`, with enough bytes to report it.
    fn is_cut_opener(&self, start: usize) -> bool {
        let half = self.notes.half();
        let begins = match half.has(Half::OPENER) {
            true => Some(start),
            false => self.notes.tried().filter(|_| half.has(Half::TRIED)),
        };
        begins.is_some_and(|begins| self.text.len() - begins >= CUT_OPENER)
    }

    /// Makes the object that was tried at `start`, if there is one, text up to its end.
    fn is_whole_text(&mut self, start: usize) {
        let Some(object) = self.notes.tried() else { return };
        let [from, start] = [object, start].map(|at| self.offset(at));
        let trials = self.notes.trials.borrow();
        let to = trials.as_ref().map_or(start, |trials| trials.read_to().max(start));
        self.m.whole.get_or_insert_default().begin(from, to);
        self.m.is.whole = true;
    }

    /// Takes a line of back-ticks. Calls could have begun with it.
    fn fence(&mut self, opens: bool, start: usize, end: usize) {
        self.m.is.text_fence = opens;
        self.is_whole_text(start);
        self.at = end;
        if self.ended() && self.notes.tried().is_some() && self.is_cut_opener(start) {
            self.cut_opener(start);
        }
    }

    /// Counts rejected openers: their closers are text, too. Rejected openers in reasoning do not count.
    fn count_rejected(&mut self) {
        if self.m.state == State::Text {
            for (kind, rejected) in self.m.rejected.iter_mut().enumerate() {
                *rejected = rejected.saturating_add(self.notes.rejected() >> kind & 1);
            }
        }
    }

    fn act_in_text(&mut self, act: InText<'_>, start: usize, end: usize) {
        let data = match act {
            // A closer whose opener was rejected is text like the opener: prose that mentions a pair of tags
            // keeps both.
            InText::Closer(kind) => self.m.rejected[usize::from(kind)] > 0 && !self.m.is.owed,
            InText::Orphan(kind) => self.m.rejected[usize::from(kind)] > 0,
            InText::StrayCloser => self.m.rejected != [0; 2],
            InText::CallEnd => self.m.rejected[usize::from(CALLS)] > 0 && !self.m.is.owed,
            InText::Data(_) => true,
            _ => false,
        };
        match data {
            true => self.tell_data(start, end),
            false => self.tell_accepted(start, end),
        }
        // A closer is owed only until anything else comes: then a later closer is an orphan.
        self.m.is.owed &= matches!(act, InText::Closer(_) | InText::CallEnd);
        match act {
            InText::Open(opener) => self.open_in_text(opener, start, end),
            InText::Mark(note) => {
                if let Some(note) = note {
                    self.note(note, start);
                }
                self.markup(end);
                self.enter(self.m.state);
            }
            InText::Data(note) => {
                self.count_rejected();
                if let Some(note) = note {
                    self.note(note, start);
                }
                self.at = end;
            }
            InText::Rest(note) => {
                self.note(note, start);
                self.markup(end);
                self.enter(State::Rest);
            }
            InText::Closer(kind) | InText::Orphan(kind) => self.closer_in_text(kind, start, end),
            InText::CallEnd if self.m.is.owed => {
                self.markup(end);
                self.enter(self.m.state);
            }
            InText::CallEnd => self.closer_in_text(CALLS, start, end),
            InText::StrayCloser if self.m.rejected == [0; 2] => self.orphan(start, end),
            InText::StrayCloser => self.at = end,
            InText::Fence { opens } => self.fence(opens, start, end),
            InText::Message { kind, reasoning, note } => {
                if let Some(note) = note {
                    self.note(note, start);
                }
                self.markup(end);
                self.m.message = kind;
                self.m.message_part = self.notes.part.get();
                self.m.is.after_call &= kind == CLOSED;
                self.enter(if reasoning { State::Reasoning } else { State::Text });
                self.behind_keyword();
                if kind == ANSWER {
                    self.out.event(Event::AnswerStart);
                }
            }
            InText::NoCall(note) => {
                self.note(note, start);
                self.markup(end);
                self.m.message = OPEN;
                self.m.is.after_call = false;
                self.m.is.stepped = true;
                self.enter(State::Text);
                self.behind_keyword();
            }
            InText::Wrap { opens } => {
                self.m.is.wrapped = opens;
                self.markup(end);
                self.enter(self.m.state);
            }
            InText::Think => self.opens_reasoning(end),
            InText::EndThink => self.end_think(start, end),
        }
    }

    fn open_in_text(&mut self, opener: Opener<'_>, start: usize, end: usize) {
        self.m.part = self.notes.part.get();
        match opener.place {
            Place::Section(kind) => {
                if let Some(note) = opener.note {
                    self.note(note, start);
                }
                let calls = self.grammar().family.section(kind).calls;
                if calls && !self.out.may_open(self.offset(start)) {
                    return;
                }
                let is = &mut self.m.is;
                is.in_section = calls;
                is.section_start = calls;
                is.bracket = false;
                self.m.call.reported = false;
                self.m.is.in_thought = !calls && self.m.message == THOUGHT;
                if !self.m.is.in_thought {
                    self.message_behind(CLOSED);
                }
                self.m.is.owed |= opener.owed;
                self.m.unused = if calls { self.offset(start) } else { NO_OPENER };
                self.m.section = kind;
                self.markup(if opener.before { start } else { end });
                self.enter(State::Section);
            }
            Place::Call(_) => {
                self.message_behind(OPEN);
                self.open_call(opener, start, end);
            }
            Place::Body(kind) => {
                self.open_body(kind, start, end - 1);
                self.skip_call(opener.tool);
            }
        }
    }

    /// Sets the kind of the message that goes on behind a call or section. A message that another dialect has opened stays open;
    /// a thought or an answer ends.
    fn message_behind(&mut self, kind: u8) {
        let m = &mut self.m;
        match m.message {
            _ if m.message_part == m.part => m.message = kind,
            CLOSED => (m.message, m.message_part) = (kind, m.part),
            THOUGHT.. => m.message = OPEN,
            _ => {}
        }
    }

    /// Takes an orphan closer: it is text if a rejected opener cancels it.
    fn closer_in_text(&mut self, kind: u8, start: usize, end: usize) {
        if kind == SECTIONS && std::mem::take(&mut self.m.is.owed) {
            self.markup(end);
            return self.enter(self.m.state);
        }
        self.m.is.owed = false;
        let rejected = &mut self.m.rejected[usize::from(kind)];
        if *rejected > 0 {
            *rejected -= 1;
            self.at = end;
            return;
        }
        self.orphan(start, end);
    }

    fn orphan(&mut self, start: usize, end: usize) {
        self.tell(DiagnosticKind::OrphanCloser, start);
        self.markup(end);
        self.enter(self.m.state);
    }

    /// Whether reasoning may open here.
    fn thinks_here(&self, grammar: &Grammar) -> bool {
        grammar.prose.anywhere
            || self.t.options.reasoning_tags == ReasoningTags::Anywhere
            || self.m.line != Line::Middle
    }

    /// Takes the opener of reasoning. In the middle of a line it is text.
    fn think(&mut self, start: usize, end: usize) {
        if self.m.is_in_tags() || self.thinks_here(self.part(self.notes.part.get())) {
            self.tell_accepted(start, end);
            self.opens_reasoning(end);
        } else {
            self.m.is.owed = false;
            self.tell_place(start, end, "it does not begin a line");
            self.count_rejected();
            self.m.rejected_thoughts = self.m.rejected_thoughts.saturating_add(1);
            self.at = end;
        }
    }

    /// Takes the opener of reasoning in which no call counts: it counts anywhere.
    fn seal(&mut self, start: usize, end: usize) {
        self.tell_accepted(start, end);
        self.m.is.sealed = true;
        self.m.part = self.notes.part.get();
        self.opens_reasoning(end);
    }

    /// Opens reasoning, or goes on with it.
    fn opens_reasoning(&mut self, end: usize) {
        if self.m.state == State::Text {
            self.m.is.owed = false;
            self.m.is.after_call = false;
        }
        if self.m.state == State::Reasoning && self.m.message == THOUGHT {
            self.m.message = IN_THOUGHT;
        }
        self.markup(end);
        self.enter(State::Reasoning);
    }

    fn end_think(&mut self, start: usize, end: usize) {
        self.m.is.sealed = false;
        if self.m.is_in_tags() {
            self.tell_accepted(start, end);
            self.markup(end);
            self.begins_line_behind_tag();
            if self.m.message == IN_THOUGHT {
                self.m.message = THOUGHT;
                return self.enter(State::Reasoning);
            }
            return self.enter(State::Text);
        }
        self.m.is.owed = false;
        if self.m.rejected_thoughts > 0 {
            self.tell_data(start, end);
            self.m.rejected_thoughts -= 1;
            self.at = end;
        } else {
            self.tell_accepted(start, end);
            self.orphan(start, end);
            self.begins_line_behind_tag();
        }
    }

    /// Begins a line behind the closer of reasoning, if lines count.
    fn begins_line_behind_tag(&mut self) {
        if self.t.reads.lines {
            self.m.line = Line::Start;
        }
    }

    /// Goes on with the line behind the keyword of a line.
    fn behind_keyword(&mut self) {
        let steps = self.part(self.notes.part.get()).steps;
        if steps && self.m.line != Line::Start {
            self.m.line = Line::Middle;
        }
    }

    /// Closes the section: text goes on.
    pub fn close_section(&mut self) {
        self.m.unused = NO_OPENER;
        self.m.is.in_section = false;
        self.m.is.section_start = false;
        // Calls in the middle of a thought do not end it.
        let in_thought = std::mem::take(&mut self.m.is.in_thought);
        self.enter(if in_thought { State::Reasoning } else { State::Text });
    }
}

/// Reads white space and stop tokens up to the end of the stream, behind a whole opener. `untyped`: nobody types the
/// opener, so it is a cut opener however the stream ended.
pub(crate) fn cut_opener(c: &mut Cursor<'_>, untyped: bool, stops: &[Box<str>]) -> Step<()> {
    let counts = untyped || c.cut();
    c.follow(counts, |c| {
        one_of!(c;
            |c| if counts || !c.ended() { c.at_end() } else { c.white().and(Err(No)) },
            |c| {
                c.white()?;
                c.any(stops)?;
                let end = |c: &mut Cursor<'_>| match c.at_end() {
                    Ok(()) if !counts => Err(More),
                    end => end,
                };
                one_of!(c; end, |c| {
                    c.white()?;
                    c.any(stops)?;
                    end(c)
                })
            },
        )
    })
}
