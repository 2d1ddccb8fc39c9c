//! The machine: model text in, events out, for every dialect.
//!
//! ```text
//! stream    := ( text | reasoning | section | call )*
//! section   := opener junk ( call junk )* closer
//! call      := opener junk ( parameter junk | object )* closer
//! parameter := opener value closer
//! ```
//! In each state the machine searches the next byte at which a marker may begin ([`crate::read::scan`]); all bytes
//! before it leave. The family's reader of the state reads the marker there, and its act is done ([`crate::read`]). An
//! undecided marker is pending, with a hint about the bytes that it waits for: a chunk that only continues the hint
//! is appended unread.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use crate::event::TypeHint;
use crate::family::texts::EachText;
use crate::family::{Family, Framing};
use crate::options::{Options, Start, bounds};
use crate::read::act::{CLOSED, IN_THOUGHT, OPEN, THOUGHT};
use crate::read::call::{NO_OPENER, OpenCall};
use crate::read::cursor::{End, Notes, Special};
use crate::read::feed::{Feed, Flow, Is, Line, Out};
use crate::read::fence::Fence;
use crate::read::object::Body;
use crate::read::prose::Prose;
use crate::read::scan::{Bytes, Scan};
use crate::read::tools::Tools;
use crate::read::trial::Trials;
use crate::read::wait::Waits;
use crate::read::whole::Whole;
use crate::sink::Sink;
use crate::tool::Tool;

/// The beginnings of markers in text and in reasoning.
#[derive(Clone, Debug)]
struct Scans {
    /// The scans of text, at the start of the message, and later if fewer markers are possible then.
    text: Scan,
    later: Option<Scan>,
    /// The scans of reasoning, where calls do not count in it, and where they do.
    reasoning: [Scan; 2],
}

impl Scans {
    /// The scans of several dialects.
    fn all(grammars: &[Arc<Grammar>]) -> Scans {
        let scans = || grammars.iter().map(|grammar| &grammar.scans);
        let fewer = scans().any(|scans| scans.later.is_some());
        let later = || scans().map(|scans| scans.later.as_ref().unwrap_or(&scans.text));
        Scans {
            text: Scan::all(scans().map(|scans| &scans.text)),
            later: fewer.then(|| Scan::all(later())),
            reasoning: [0, 1].map(|calls| Scan::all(scans().map(|scans| &scans.reasoning[calls]))),
        }
    }

    /// The beginnings of markers in text.
    #[inline]
    fn in_text(&self, is: &Is) -> &Scan {
        self.later.as_ref().filter(|_| !is.message_start).unwrap_or(&self.text)
    }
}

/// The dialects that a parser reads at once, in the order in which their markers are tried.
#[derive(Clone, Debug)]
pub(crate) struct Reads {
    pub grammars: Vec<Arc<Grammar>>,
    /// The beginnings of the markers of all dialects, if there are several.
    scans: Option<Box<Scans>>,
    // Whether the field of this name is set in any of the grammars.
    pub starts: bool,
    pub words: bool,
    pub lines: bool,
    pub steps: bool,
}

impl Reads {
    pub fn new(grammars: Vec<Arc<Grammar>>) -> Reads {
        let any = |is: fn(&Grammar) -> bool| grammars.iter().any(|grammar| is(grammar));
        let scans = (grammars.len() > 1).then(|| Box::new(Scans::all(&grammars)));
        Reads {
            starts: any(|grammar| grammar.starts),
            words: any(|grammar| grammar.words),
            lines: any(|grammar| grammar.lines),
            steps: any(|grammar| grammar.steps),
            scans,
            grammars,
        }
    }

    fn scans(&self) -> &Scans {
        self.scans.as_deref().unwrap_or(&self.grammars[0].scans)
    }
}

/// The grammar of a dialect: a family, and the markers beside calls.
#[derive(Debug)]
pub(crate) struct Grammar {
    pub prose: Prose,
    pub family: Box<dyn Family>,
    scans: Scans,
    /// The first bytes of the markers beside calls.
    pub beside: Bytes,
    /// Some markers stand only where text begins.
    pub starts: bool,
    /// A member of an object may hold the call's id.
    pub ids: bool,
    /// Names stand in attributes, with entities.
    pub entities: bool,
    pub hints: Vec<(Box<str>, TypeHint)>,
    /// A hint counts only if the schema of its parameter leaves the type open.
    pub hints_yield: bool,
    /// A parameter that is a list may be given one element at a time, under the singular of its name.
    pub singulars: bool,
    /// Markers in text may begin with the name of a declared tool.
    pub words: bool,
    /// A message with markup of its own begins behind a call: a stream that is cut there lacks something.
    pub messages: bool,
    /// A list of calls may be repeated: the name of its first call is kept.
    pub repeats: bool,
    /// Markers begin lines ([`Family::lines`]).
    pub lines: bool,
    /// Keywords of lines begin thoughts, steps and the answer. No call has a closer.
    pub steps: bool,
    /// The kind of the values of raw parameters, and their names. The options may name more.
    pub raw: Option<(u8, Vec<Box<str>>)>,
    /// The names of tags in its markers, collected once they are needed.
    tags: OnceLock<Vec<Box<str>>>,
}

impl Grammar {
    pub fn new(prose: Prose, family: Box<dyn Family>) -> Grammar {
        let scan = |texts: &[Box<str>]| Scan::from_texts(texts.iter().map(|text| text.as_bytes()));
        let thoughts = scan(&prose.close).and(&scan(&prose.open)).and(&scan(&prose.finals));
        let sealed = prose.sealed.as_ref().map_or(&[][..], |tags| tags);
        let thoughts = thoughts.and(&scan(sealed));
        let thoughts =
            family.prose_scan().map_or_else(|| thoughts.clone(), |own| thoughts.and(own));
        let own = thoughts.and(&scan(&prose.tokens)).and(&scan(&prose.invented));
        let own = own.and(&scan(&prose.marks));
        let text = own.and(family.text_scan());
        let later = family.later_scan().map(|scan| own.and(scan));
        let calls = thoughts.and(family.reasoning_scan());
        let starts = family.starts_text();
        Grammar {
            starts,
            beside: own.first(),
            prose,
            family,
            scans: Scans { text, later, reasoning: [thoughts, calls] },
            ids: false,
            entities: false,
            hints: Vec::new(),
            hints_yield: false,
            singulars: false,
            words: false,
            messages: false,
            repeats: false,
            lines: false,
            steps: false,
            raw: None,
            tags: OnceLock::new(),
        }
    }
}

impl Grammar {
    /// The beginnings of its markers: in text, or in reasoning where calls count or not.
    pub fn scan(&self, is: &Is, reasoning: bool, calls: bool) -> &Scan {
        if reasoning { &self.scans.reasoning[usize::from(calls)] } else { self.scans.in_text(is) }
    }

    /// Whether a text of its markers is a tag of this name. The names are collected once.
    pub fn has_tag(&self, name: &str) -> bool {
        let collect = || {
            let mut tags: Vec<Box<str>> = Vec::new();
            self.texts(&mut |text| {
                let inside = text.strip_prefix('<').and_then(|text| text.strip_suffix('>'));
                tags.extend(inside.map(|inside| inside.strip_prefix('/').unwrap_or(inside).into()));
            });
            tags
        };
        self.tags.get_or_init(collect).iter().any(|tag| **tag == *name)
    }

    /// Returns the openers and closers of reasoning.
    pub fn reasoning(&self) -> [&[Box<str>]; 2] {
        self.family.reasoning().unwrap_or([&self.prose.open, &self.prose.close])
    }

    /// Calls `each` with the texts of its markers.
    pub fn texts(&self, each: &mut dyn FnMut(&str)) {
        self.prose.clone().each_text(&mut |text| each(text));
        self.family.own_texts(each);
        // A copy with unchanged texts.
        self.family.renamed(&mut |text| each(text));
    }

    /// Whether this text stands in a marker of the family's own grammar.
    pub fn owns(&self, text: &str) -> bool {
        let (mut own, mut others) = (Vec::new(), Vec::new());
        self.family.own_texts(&mut |of| own.push(of.to_string()));
        self.family.renamed(&mut |of| others.push(of.to_string()));
        own.retain(|own| own.contains(text));
        own.iter().any(|own| !others.iter().any(|of| of.contains(&**own) || own.contains(&**of)))
    }

    /// Returns the grammar with other texts, if its family allows that. `names` renames those of parameters and
    /// types.
    pub fn renamed(
        &self,
        texts: &mut dyn FnMut(&mut Box<str>),
        names: &mut dyn FnMut(&mut Box<str>),
    ) -> Option<Grammar> {
        let mut prose = self.prose.clone();
        prose.each_text(texts);
        let mut hints = self.hints.clone();
        hints.iter_mut().for_each(|(text, _)| names(text));
        let mut raw = self.raw.clone();
        raw.iter_mut().for_each(|(_, params)| params.each_text(names));
        Some(Grammar {
            ids: self.ids,
            entities: self.entities,
            hints,
            hints_yield: self.hints_yield,
            singulars: self.singulars,
            words: self.words,
            messages: self.messages,
            repeats: self.repeats,
            lines: self.lines,
            steps: self.steps,
            raw,
            ..Grammar::new(prose, self.family.renamed(texts)?)
        })
    }
}

/// Everything about a parser that does not change while it reads.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Setup<'a> {
    pub reads: &'a Reads,
    pub tools: &'a Tools,
    pub list: &'a [Tool],
    pub options: &'a Options,
    /// Calls in reasoning count.
    pub extract: bool,
}

impl<'a> Setup<'a> {
    /// Returns the beginnings of the markers of text.
    #[inline]
    pub fn text_scan(&self, is: &Is) -> &'a Scan {
        self.reads.scans().in_text(is)
    }

    /// Returns the beginnings of the markers of reasoning. `calls`: calls count in it.
    #[inline]
    pub fn reasoning_scan(&self, calls: bool) -> &'a Scan {
        &self.reads.scans().reasoning[usize::from(calls)]
    }
}

/// The state: the kind of the payload, and the markers that count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    Text,
    Reasoning,
    /// Between calls.
    Section,
    /// In a call, between its parameters.
    Call,
    /// In the value of a parameter.
    Value,
    /// In an object.
    Body,
    /// Behind an invented result: nothing counts any more.
    Rest,
}

/// Everything that has to survive a cut. A plain value: a clone is a snapshot.
#[derive(Clone, Debug)]
pub(crate) struct Machine {
    pub state: State,
    /// The kind of the open section.
    pub section: u8,
    /// The kind of the open message, in a dialect with messages, and the number of its dialect.
    pub message: u8,
    pub message_part: u8,
    /// The number of the dialect whose call, section or object is open; in text, the dialect of the last one.
    pub part: u8,
    pub is: Is,
    /// At the first byte of the state.
    pub at_start: bool,
    held: String,
    /// The place in it where reading goes on.
    mark: usize,
    /// The places of special tokens in the stream, as far as a marker may ask for them.
    #[allow(clippy::box_collection, reason = "a parser is smaller")]
    special: Option<Box<Vec<Range<usize>>>>,
    pub waits: Waits,
    /// An undecided marker begins there.
    pub at_marker: bool,
    /// Stream offset of the first byte that has not left.
    pub base: usize,
    pub line: Line,
    /// The next byte that leaves may go on with a word. This is noted if markers may begin with a word.
    pub in_word: bool,
    pub words: bool,
    /// The numbers of rejected openers whose closers have not come, by kind, and of those of reasoning.
    pub rejected: [u8; 2],
    pub rejected_thoughts: u8,
    pub fence: Fence,
    /// The objects that are tried.
    trials: Option<Box<Trials>>,
    pub whole: Option<Box<Whole>>,
    /// Stream offset of the section's opener, until its first call has started.
    pub unused: usize,
    pub call: OpenCall,
    /// The white space of the open value that belongs to the dialect.
    pub framing: Framing,
    pub body: Body,
    /// A `cut_opener` was reported.
    pub cut: bool,
    /// Bytes given to readers, for growth tests.
    pub examined: usize,
}

/// Drops the first bytes of a text.
#[inline]
fn drop_front(text: &mut String, bytes: usize) {
    if bytes == text.len() {
        text.clear();
    } else if bytes > 0 {
        text.drain(..bytes);
    }
}

/// The bytes of a chunk that are appended to the pending bytes before these are read again.
const STEP: usize = 4096;

impl Machine {
    pub fn new(t: &Setup<'_>) -> Machine {
        let steps = t.reads.grammars.iter().position(|grammar| grammar.steps);
        let thought = steps.is_some() && t.options.implicit_thought;
        let (state, message) = match (t.options.start, thought) {
            (Start::Reasoning, false) => (State::Reasoning, OPEN),
            (Start::Reasoning, true) => (State::Reasoning, IN_THOUGHT),
            (Start::Text, false) => (State::Text, CLOSED),
            (Start::Text, true) => (State::Reasoning, THOUGHT),
        };
        Machine {
            state,
            section: 0,
            message,
            message_part: if thought { steps.unwrap_or(0) as u8 } else { 0 },
            part: 0,
            is: Is { stream_start: true, message_start: true, ..Is::default() },
            at_start: true,
            held: String::new(),
            mark: 0,
            special: None,
            waits: Waits::default(),
            at_marker: false,
            base: 0,
            line: Line::Start,
            in_word: false,
            words: t.reads.words,
            rejected: [0; 2],
            rejected_thoughts: 0,
            fence: Fence::default(),
            trials: None,
            whole: None,
            unused: NO_OPENER,
            call: OpenCall::none(),
            framing: Framing::None,
            body: Body::default(),
            cut: false,
            examined: 0,
        }
    }

    /// Resets the machine, and keeps the buffers that most streams need.
    pub fn reset(&mut self, t: &Setup<'_>) {
        let Machine { mut held, mut call, .. } = std::mem::replace(self, Machine::new(t));
        // A buffer that one long marker made larger would stay with every later stream.
        if held.capacity() <= bounds::HELD {
            held.clear();
            self.held = held;
        }
        call.reset();
        self.call = call;
    }

    /// Whether an object is pending that may be a call, or arguments whose call has no name yet.
    #[cfg(feature = "json")]
    pub fn holds_json(&self) -> bool {
        let held = self.base + 1..=self.read_so_far();
        let tries = |trials: &Trials| trials.last_at().is_some_and(|at| held.contains(&at));
        self.body.keeps() || self.at_marker && self.trials.as_deref().is_some_and(tries)
    }

    pub fn held(&self) -> usize {
        self.held.len()
    }

    /// Returns the stream offset after the last byte that was fed.
    pub fn read_so_far(&self) -> usize {
        self.base + self.held.len()
    }

    /// Whether a call and everything around it have closed, with only white space and markup since, and
    /// nothing pending. In a dialect of steps no call has a closer, and in a dialect of messages another
    /// message begins.
    pub fn is_after_call(&self, t: &Setup<'_>) -> bool {
        let closed = self.state == State::Text && self.is.after_call;
        let grammar = self.grammar(t);
        closed && self.held.is_empty() && !grammar.steps && !grammar.messages
    }

    /// Returns the dialect of the open section, call or object.
    #[inline]
    pub fn grammar<'t>(&self, t: &Setup<'t>) -> &'t Grammar {
        &t.reads.grammars[usize::from(self.part)]
    }

    /// Whether this is reasoning in tags, or reasoning that the stream began with.
    pub fn is_in_tags(&self) -> bool {
        self.state == State::Reasoning && self.message != THOUGHT
    }

    /// Whether calls count here: in a thought as in text; in reasoning if an option says so.
    pub fn counts_calls(&self, t: &Setup<'_>) -> bool {
        !self.is_in_tags() || t.extract
    }

    /// Returns how often the call or its section has ended before this stream offset.
    pub fn ends_before(&mut self, at: usize) -> u8 {
        self.call.ends_before(at)
    }

    /// Reads a chunk.
    pub fn feed(&mut self, t: &Setup<'_>, chunk: &str, out: &mut Out<'_>) {
        if chunk.is_empty() || out.raised() {
            return;
        }
        if self.held.is_empty() {
            let left = self.run(t, chunk, End::No, out);
            self.held.push_str(&chunk[left..]);
            return;
        }
        if self.waits.extends(chunk.as_bytes()) {
            self.held.push_str(chunk);
            self.examined += chunk.len();
            return;
        }
        // Reading the pending object again for each chunk would take quadratic time.
        if self.tries_on(t, chunk) {
            self.held.push_str(chunk);
            return;
        }
        let mut held = std::mem::take(&mut self.held);
        if chunk.len() <= STEP {
            held.push_str(chunk);
            let left = self.run(t, &held, End::No, out);
            drop_front(&mut held, left);
            self.held = held;
            return;
        }
        self.feed_long(t, held, chunk, out);
    }

    /// Whether a tried object goes on with a chunk that decides nothing.
    fn tries_on(&mut self, t: &Setup<'_>, chunk: &str) -> bool {
        let Some(trials) = self.trials.as_mut().filter(|_| self.waits.is_object()) else {
            return false;
        };
        let goes_on = trials.goes_on(chunk, t.tools);
        self.examined += std::mem::take(&mut trials.examined);
        goes_on
    }

    /// Reads a chunk piece by piece, until all pending bytes have left; then the rest of it where it is.
    fn feed_long(&mut self, t: &Setup<'_>, mut held: String, chunk: &str, out: &mut Out<'_>) {
        let mut rest = chunk;
        while !held.is_empty() && !rest.is_empty() {
            let to = (STEP.min(rest.len())..).find(|at| rest.is_char_boundary(*at));
            let (piece, behind) = rest.split_at(to.unwrap_or(rest.len()));
            let before = held.len();
            held.push_str(piece);
            let left = self.run(t, &held, End::No, out);
            rest = behind;
            // All earlier bytes have left: the rest is read where it is, without a copy of the whole chunk.
            if left >= before && !behind.is_empty() {
                rest = &chunk[chunk.len() - behind.len() - (held.len() - left)..];
                held.clear();
            } else {
                drop_front(&mut held, left);
            }
        }
        if held.is_empty() && !rest.is_empty() {
            let left = self.run(t, rest, End::No, out);
            held.push_str(&rest[left..]);
        }
        self.held = held;
    }

    /// Notes that the next `len` bytes are a special token.
    pub fn special_comes(&mut self, len: usize) {
        let at = self.read_so_far();
        self.special.get_or_insert_default().push(at..at + len);
    }

    /// Ends the stream. `cut`: it was truncated.
    pub fn finish(&mut self, t: &Setup<'_>, cut: bool, out: &mut Out<'_>) {
        if !out.raised() {
            let held = std::mem::take(&mut self.held);
            self.run(t, &held, if cut { End::Cut } else { End::Stop }, out);
        }
    }

    /// Reads the text. Returns how much of it has left.
    fn run(&mut self, t: &Setup<'_>, text: &str, end: End, out: &mut Out<'_>) -> usize {
        let tells = out.wants_markers();
        if t.options.special_tokens.is_empty() {
            let left = self.read(t, text, &mut Notes::new(end, None, tells), out);
            self.base += left;
            return left;
        }
        let came = self.special.take();
        let special = Special {
            texts: &t.options.special_tokens,
            came: came.as_ref().map_or(&[], |came| came.as_slice()),
            base: self.base,
        };
        let left = self.read(t, text, &mut Notes::new(end, Some(special), tells), out);
        self.special = came;
        self.base += left;
        if let Some(special) = &mut self.special {
            special.retain(|token| token.end > self.base);
        }
        left
    }

    fn read(
        &mut self,
        t: &Setup<'_>,
        text: &str,
        notes: &mut Notes<'_>,
        out: &mut Out<'_>,
    ) -> usize {
        notes.base = self.base;
        notes.trials = self.trials.take().into();
        let left = self.read_with(t, text, notes, out);
        self.trials = notes.trials.take();
        if let Some(trials) = &mut self.trials {
            self.examined += std::mem::take(&mut trials.examined);
        }
        left
    }

    fn read_with<'a>(
        &'a mut self,
        t: &'a Setup<'a>,
        text: &'a str,
        notes: &'a Notes<'a>,
        out: &'a mut Out<'_>,
    ) -> usize {
        let (at, end) = (self.mark, notes.end);
        let mut feed = Feed { m: self, t, text, from: 0, at, notes, out, half: false };
        let mut waits = false;
        while feed.at < text.len() && !feed.out.raised() && !waits {
            waits = feed.step() == Flow::Wait && feed.at < text.len();
        }
        if feed.out.raised() {
            // Behind the limit nothing is kept: it can never leave.
            return text.len();
        }
        match end {
            _ if waits => {}
            End::No => feed.release(),
            End::Stop | End::Cut => feed.close(),
        }
        let (left, at) = (feed.from, feed.at);
        feed.m.mark = at - left;
        left
    }
}

impl Feed<'_, '_> {
    #[inline]
    fn step(&mut self) -> Flow {
        match self.m.state {
            State::Text | State::Reasoning => self.prose(),
            State::Section => self.section(),
            State::Call => self.between_params(),
            State::Value => self.value(),
            State::Body => self.body(),
            State::Rest => self.all_read(),
        }
    }

    /// Ends the state at the end of the stream, when everything has been read.
    fn close(&mut self) {
        match self.m.state {
            State::Text | State::Reasoning | State::Rest => self.payload(self.text.len()),
            State::Section => self.end_in_section(),
            State::Call => {
                self.payload(self.text.len());
                self.end_in_call();
            }
            State::Value => self.end_in_value(),
            State::Body => self.end_in_body(),
        }
    }
}
