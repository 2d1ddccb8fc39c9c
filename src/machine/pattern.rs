//! One way to read a marker and what follows it: a [`Match`] over the steps of a [`Table`].
//!
//! A match is a handful of numbers, moved by one character at a time, so it survives any cut. Every
//! step is decided by the next character alone; one that may end passes the character on to the next
//! step. Chunk ends here: the match stays where it is. Stream ends here: the rule's `at_end` says what
//! it comes to ([`super::pending`]).

mod around;
mod name;
pub(super) mod tool_line;

use super::keyword::{KeywordState, Taken};
use super::table::{Node, PatternStep, Tag, Until, each, same_bytes};
use crate::dialect::spec::{Chars, Ref, Run};
use crate::json::white::is_white_byte;
use crate::machine::ids::UNKNOWN;
use crate::machine::names::Range;
use crate::options::bounds;
pub(crate) use around::{Around, Asked};

/// A stretch of a marker's bytes: offset from its first byte, length.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Stretch {
    pub at: u16,
    pub len: u16,
}

impl Stretch {
    pub fn is_empty(self) -> bool {
        self.len == 0
    }
}

/// A marker that is being read. Offsets count from its first byte.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Match {
    pub node: u16,
    /// The next byte.
    pub at: u16,
    /// Bytes read of the present step.
    pub read: u16,
    /// The marker's length, once it is whole.
    pub mark: Option<u16>,
    /// The quote round the present name; NUL: none.
    quote: u8,
    /// Where the present tag began, plus one; 0: in no tag.
    tag: u16,
    range: Range,
    /// The name of the tool or the parameter.
    pub name: Stretch,
    pub id: Stretch,
    /// Of a parameter: its type. Of a call: the element that its opener captured.
    pub extra: Stretch,
    /// The name of the last element.
    pub element: Stretch,
    /// The tool that is named, or that of the open call.
    pub tool: u16,
    /// A keyword, once it is whole; of white space after the marker: how much of it stands on the
    /// present line.
    pub keyword: KeywordState,
    /// Where the keyword's line begins.
    pub line_at: u16,
    /// A line feed stands in the white space after the marker, or right before that: what is ahead, where nothing has
    /// left.
    pub line: bool,
    /// The tool's name is the last thing in the stream, and could have gone on.
    pub cut_name: bool,
}

/// What came of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StepOutcome {
    /// It goes on.
    Live,
    /// It is whole.
    Whole,
    /// It does not fit.
    Dead,
    /// It would fit, but a bound of [`bounds`] is crossed.
    TooLong,
}

impl Match {
    /// Before the first step, in a call of this tool.
    pub fn new(node: u16, tool: u16) -> Match {
        Match { node, tool, ..Match::default() }
    }

    /// The present literal is whole, and the next byte says what comes of it.
    pub fn waits(&self, node: &Node) -> bool {
        let whole = |text: &str| text.len() == self.read as usize;
        !node.decides && matches!(&node.step, PatternStep::Lit(text) if whole(text))
    }

    pub fn in_follow(&self) -> bool {
        self.mark.is_some()
    }

    /// The same, with the marker whole here if it was not before.
    pub fn marked(&self) -> Match {
        self.ending(self.at.into())
    }

    /// The same, with the marker whole at `end`, unless it was before.
    pub fn ending(&self, end: usize) -> Match {
        let mut next = *self;
        next.mark.get_or_insert(end as u16);
        next
    }

    /// At a step of which nothing will come.
    pub fn unread(self, node: u16) -> Match {
        Match { node, read: 0, ..self }
    }

    /// The same, at the beginning of another step.
    pub fn entering(mut self, number: u16, around: &Around<'_>) -> Match {
        self.enter(number, &around.table.nodes[number as usize], around);
        self
    }

    /// Goes on at the beginning of another step.
    pub fn enter(&mut self, number: u16, node: &Node, around: &Around<'_>) {
        (self.node, self.read, self.quote) = (number, 0, 0);
        match node.step {
            PatternStep::Follow if self.mark.is_none() => {
                self.mark = Some(self.at);
                self.tag = 0;
                self.line = around.is_line_start(self.at);
                self.keyword = KeywordState::default();
            }
            PatternStep::Keyword(_) => {
                self.line_at = self.at.saturating_sub(u16::from(self.keyword.lead));
                self.keyword = KeywordState::after(self.keyword.lead);
            }
            _ => {}
        }
    }

    /// Reads the present step on in `bytes`, which come next and are some, up to where the step is
    /// decided; gives how many of them were looked at.
    #[inline]
    pub fn step(&mut self, node: &Node, bytes: &[u8], around: &Around<'_>) -> (usize, StepOutcome) {
        let known = match &node.step {
            PatternStep::Lit(text) => &**text,
            PatternStep::Follow => return self.step_white(bytes),
            PatternStep::Ref(
                of @ (Ref::Call | Ref::Param | Ref::Nested | Ref::Bracket | Ref::First),
            ) => around.known(*of),
            PatternStep::Tool(names) => return (0, self.take_tool(names, around)),
            step => return self.step_chars(step, bytes, around),
        };
        let rest = &known[self.read as usize..];
        if self.is_long_tag(rest.len()) || same_bytes(rest.as_bytes(), bytes) < rest.len() {
            return self.step_known(rest.as_bytes(), bytes);
        }
        // All of it has come, and no bound is near.
        let tag = if self.read == 0 && node.tag != Tag::Goes { node.tag } else { Tag::of(rest) };
        self.note_tag(tag);
        (self.read, self.at) = (self.read + rest.len() as u16, self.at + rest.len() as u16);
        (rest.len(), StepOutcome::Whole)
    }

    /// All of a literal, if it comes next and no bound is near: most steps are that.
    #[inline(always)]
    pub fn literal(&mut self, node: &Node, bytes: &[u8]) -> Option<usize> {
        let PatternStep::Lit(text) = &node.step else { return None };
        let text = text.as_bytes();
        let fits = self.read == 0 && !self.is_long_tag(text.len());
        if !fits || bytes.len() < text.len() || same_bytes(text, bytes) < text.len() {
            return None;
        }
        self.note_tag(node.tag);
        (self.read, self.at) = (text.len() as u16, self.at + text.len() as u16);
        Some(text.len())
    }

    /// Whether the bytes that come next are the literal's, which goes on after them, and no bound is near.
    pub fn is_within_literal(&self, node: &Node, bytes: &[u8]) -> bool {
        let PatternStep::Lit(text) = &node.step else { return false };
        let rest = &text.as_bytes()[self.read as usize..];
        let more = rest.len() > bytes.len() && !self.is_long_tag(bytes.len());
        more && same_bytes(rest, bytes) == bytes.len()
    }

    /// They are read.
    pub fn goes_on(&mut self, bytes: &[u8]) {
        let last = bytes.iter().rposition(|byte| matches!(byte, b'<' | b'>'));
        self.note_tag(last.map_or(Tag::Goes, |at| match bytes[at] {
            b'<' => Tag::Begins(at as u16),
            _ => Tag::Ends,
        }));
        (self.read, self.at) = (self.read + bytes.len() as u16, self.at + bytes.len() as u16);
    }

    /// Whether the open tag is too long with so many bytes more.
    #[inline(always)]
    fn is_long_tag(&self, more: usize) -> bool {
        self.tag > 0 && self.at as usize + 2 + more - self.tag as usize > bounds::TAG
    }

    /// What a text that comes next makes of the open tag.
    #[inline(always)]
    fn note_tag(&mut self, tag: Tag) {
        match tag {
            Tag::Goes => {}
            Tag::Begins(after) => self.tag = self.at + after + 1,
            Tag::Ends => self.tag = 0,
        }
    }

    /// White space between the marker and what follows it, as much of it as has come.
    fn step_white(&mut self, bytes: &[u8]) -> (usize, StepOutcome) {
        let white = bytes.iter().take_while(|byte| is_white_byte(**byte)).count();
        let most = bounds::WHITE_SPACE - self.read as usize;
        for &byte in &bytes[..white.min(most)] {
            match byte {
                b'\n' => (self.line, self.keyword) = (true, KeywordState::default()),
                // A CR is white space before a line break alone.
                b'\r' => self.keyword.lead = u8::MAX,
                _ => self.keyword.lead = self.keyword.lead.saturating_add(1),
            }
        }
        if white > most {
            return (most, StepOutcome::TooLong);
        }
        (self.read, self.at) = (self.read + white as u16, self.at + white as u16);
        let live = white == bytes.len();
        (white, if live { StepOutcome::Live } else { StepOutcome::Whole })
    }

    /// The first of these tools that is declared is called, whatever comes next.
    fn take_tool(&mut self, names: &[Box<str>], around: &Around<'_>) -> StepOutcome {
        let mut numbers = names.iter().map(|name| around.tools.number([name, ""]));
        match numbers.find(|number| *number != UNKNOWN) {
            Some(number) => {
                self.tool = number;
                StepOutcome::Whole
            }
            None => StepOutcome::Dead,
        }
    }

    /// The rest of a text that is known beforehand, as much of it as has come.
    #[inline(never)]
    fn step_known(&mut self, rest: &[u8], bytes: &[u8]) -> (usize, StepOutcome) {
        for (read, (&byte, &known)) in bytes.iter().zip(rest).enumerate() {
            let at = self.at + read as u16;
            if self.tag > 0
                && at as usize + 2 - self.tag as usize > bounds::TAG
                && byte & 0xC0 != 0x80
            {
                return (read, StepOutcome::TooLong);
            }
            match byte {
                _ if byte != known => return (read, StepOutcome::Dead),
                b'<' => self.tag = at + 1,
                b'>' => self.tag = 0,
                _ => {}
            }
        }
        let read = rest.len().min(bytes.len());
        self.read += read as u16;
        self.at += read as u16;
        (read, if read == rest.len() { StepOutcome::Whole } else { StepOutcome::Live })
    }

    /// A step whose text is not known beforehand.
    #[inline(never)]
    fn step_chars(
        &mut self,
        step: &PatternStep,
        bytes: &[u8],
        around: &Around<'_>,
    ) -> (usize, StepOutcome) {
        let mut read = match step {
            _ if self.passes(step, bytes[0]) => return (0, StepOutcome::Whole),
            PatternStep::Name(name) => match self.name_run(name, bytes, around) {
                (read, true) => {
                    let is_name = self.is_whole(name, around) && self.capture(name, around);
                    return (read, if is_name { StepOutcome::Whole } else { StepOutcome::Dead });
                }
                (read, false) => read,
            },
            PatternStep::Keyword(words) if self.tag == 0 => {
                let letters = self.keyword.take_letters(bytes, words);
                self.skip(letters)
            }
            PatternStep::Until(until) => self.skip(until.run(self.within_bounds(bytes))),
            PatternStep::Run { run, within }
                if !self.is_long_line() && !self.is_free(run, *within) =>
            {
                let most = run.max.saturating_sub(self.read);
                let bytes = self.within_bounds(bytes);
                let bytes = &bytes[..bytes.len().min(most.saturating_sub(1).into())];
                let fits = |byte: &&u8| byte.is_ascii() && run.chars.fits(&[**byte]);
                self.skip(bytes.iter().take_while(fits).count())
            }
            _ => 0,
        };
        while read < bytes.len() {
            let next = &bytes[read..read + char_len(bytes[read])];
            if self.tag > 0 && self.at as usize + 2 - self.tag as usize > bounds::TAG {
                return (read, StepOutcome::TooLong);
            }
            let outcome = match self.take(step, next, around) {
                taken @ (Read::More | Read::Done) => {
                    read += next.len();
                    self.at += next.len() as u16;
                    if let Read::More = taken {
                        continue;
                    }
                    StepOutcome::Whole
                }
                Read::Pass => StepOutcome::Whole,
                Read::Fail => StepOutcome::Dead,
                Read::TooLong => StepOutcome::TooLong,
            };
            return (read, outcome);
        }
        match step {
            PatternStep::Name(name) if !self.may_be_id(name, around) => (read, StepOutcome::Dead),
            _ => (read, StepOutcome::Live),
        }
    }

    /// What of these bytes may be read without a look at the bounds of a header and of a tag: whole characters.
    fn within_bounds<'b>(&self, bytes: &'b [u8]) -> &'b [u8] {
        let header = bounds::HEADER - 1;
        let tag = if self.tag > 0 { bounds::TAG + self.tag as usize - 2 } else { header };
        let most = header.min(tag).saturating_sub(self.at as usize).min(bytes.len());
        let end =
            (0..=most).rev().find(|end| bytes.get(*end).is_none_or(|byte| byte & 0xC0 != 0x80));
        &bytes[..end.unwrap_or(0)]
    }

    /// So many bytes are the step's.
    fn skip(&mut self, bytes: usize) -> usize {
        (self.read, self.at) = (self.read + bytes as u16, self.at + bytes as u16);
        bytes
    }

    /// One character of a step that is not known beforehand.
    // Out of line: what it asks is asked for each character, and not before the first one.
    #[inline(never)]
    fn take(&mut self, step: &PatternStep, next: &[u8], around: &Around<'_>) -> Read {
        match step {
            // Read elsewhere, or nothing that a character stands for.
            PatternStep::Lit(_)
            | PatternStep::Ref(Ref::Call | Ref::Param | Ref::Nested | Ref::Bracket | Ref::First)
            | PatternStep::Special(_)
            | PatternStep::Follow
            | PatternStep::Tool(_)
            | PatternStep::Object(_)
            | PatternStep::End => Read::Fail,
            PatternStep::NotNext(chars) if chars.fits(next) => Read::Fail,
            PatternStep::NotNext(_) => Read::Pass,
            PatternStep::Ref(Ref::Marker) => self.repeated(self.name, next, around),
            PatternStep::Ref(Ref::Element) => self.repeated(self.element, next, around),
            PatternStep::LineStart if self.line => Read::Pass,
            PatternStep::LineStart => Read::Fail,
            PatternStep::LineEnd => match next {
                b"\n" => Read::Done,
                b" " | b"\t" | b"\r" => self.more(next, bounds::WHITE_SPACE),
                _ => Read::Fail,
            },
            PatternStep::Run { .. } if self.is_long_line() => Read::Fail,
            PatternStep::Run { run, within } => self.run(run, *within, next),
            PatternStep::Near(text) => self.near(text, next),
            PatternStep::Until(until) => self.until(until, next, around),
            PatternStep::Name(name) => self.name(name, next, around),
            PatternStep::Keyword(words) => self.keyword(words, next, around),
            PatternStep::ToolLine(form) => tool_line::take(self, *form, next, around),
        }
    }

    /// A keyword line that waits for what follows it is short.
    fn is_long_line(&self) -> bool {
        let keyword = self.mark.is_none() && self.keyword.letters() > 0;
        keyword && (self.at - self.line_at) as usize >= bounds::LINE
    }

    /// White space within a tag: the tag's own bound counts.
    fn is_free(&self, run: &Run, within: bool) -> bool {
        within && self.tag > 0 && self.read >= run.min && run.chars == Chars::WHITE
    }

    fn run(&mut self, run: &Run, within: bool, next: &[u8]) -> Read {
        if !run.chars.fits(next) {
            return if self.read < run.min { Read::Fail } else { Read::Pass };
        }
        if self.is_free(run, within) {
            return Read::More;
        }
        let white = run.chars == Chars::WHITE;
        if run.min == run.max && self.read as usize + next.len() >= run.max as usize {
            self.read = run.max;
            return Read::Done;
        }
        match self.more(next, run.max as usize) {
            Read::TooLong if !white => Read::Fail,
            read => read,
        }
    }

    /// One character more of a text that has one wrong. Of `range`, `lo` has a bit for each way in which that may be,
    /// and `hi` counts the characters that have come.
    fn near(&mut self, text: &str, next: &[u8]) -> Read {
        const RIGHT: u16 = 1;
        const OTHER: u16 = 2;
        const MISSING: u16 = 4;
        const TWICE: u16 = 8;
        let Range { lo, hi } = if self.read == 0 { Range { lo: RIGHT, hi: 0 } } else { self.range };
        let come = usize::from(hi);
        let is = |at: Option<usize>| {
            let expected = at.and_then(|at| text.chars().nth(at));
            expected.is_some_and(|c| c.encode_utf8(&mut [0; 4]).as_bytes() == next)
        };
        let (before, here, after) = (come.checked_sub(1), Some(come), Some(come + 1));
        let all = text.chars().count();
        let goes_on = [(OTHER, here), (MISSING, after), (TWICE, before)];
        let mut ways = 0;
        for (way, at) in goes_on {
            if lo & way != 0 && is(at) {
                ways |= way;
            }
        }
        match lo & RIGHT != 0 {
            true if is(here) => ways |= RIGHT,
            true => {
                // Its last character is right, so none but one before that is another one.
                ways |= if come + 1 < all { OTHER } else { 0 };
                ways |= if is(after) { MISSING } else { 0 };
                ways |= if is(before) { TWICE } else { 0 };
            }
            false => {}
        }
        self.read += next.len() as u16;
        self.range = Range { lo: ways, hi: hi + 1 };
        let come = come + 1;
        let ends = [(OTHER, all), (MISSING, all - 1), (TWICE, all + 1)];
        match ways {
            0 => Read::Fail,
            _ if ends.iter().any(|(way, len)| ways & way != 0 && come == *len) => {
                self.tag = 0;
                Read::Done
            }
            _ => Read::More,
        }
    }

    fn until(&mut self, until: &Until, next: &[u8], around: &Around<'_>) -> Read {
        let Until { to, unless, words, within, ends, .. } = until;
        if !words.is_empty() && !self.goes_on_in_words(until, next) {
            return Read::Fail;
        }
        let len = next.len() as u16;
        let (read, end) = (self.read + len, self.at + len);
        let ends_with = |text: &str| {
            let len = text.len() as u16;
            len <= read
                && text.bytes().rev().zip(1..).all(|(byte, at)| around.byte(end - at) == Some(byte))
        };
        let counts = |text: &str| ends_with(text) && around.is_as_it_came(text, end);
        // Most characters end none of them.
        let may_end = next.last().is_some_and(|last| ends[*last as usize]);
        if may_end && counts(to) {
            return Read::Done;
        }
        if may_end && unless.iter().any(|text| counts(text)) {
            return Read::Fail;
        }
        if (1..=read).contains(within) {
            return Read::Done;
        }
        if end as usize >= bounds::HEADER {
            return Read::TooLong;
        }
        self.more(next, bounds::HEADER)
    }

    /// Whether a character goes on with one of the words before a text, or with the text itself. Of
    /// `range`, `lo` is a bit for each that may be coming, and `hi` how much of it has.
    fn goes_on_in_words(&mut self, until: &Until, next: &[u8]) -> bool {
        const IN_NAME: u16 = u16::MAX;
        const AFTER_TOKEN: u16 = IN_NAME - 1;
        let Until { to, words, .. } = until;
        let (all, text) = (u16::MAX >> (15 - words.len()), 1 << words.len());
        let Range { lo, hi } = if self.read == 0 { Range { lo: all, hi: 0 } } else { self.range };
        let of = |set: u16| {
            let text = |bit: usize| words.get(bit).unwrap_or(to);
            each(set.into()).map(move |bit| (bit, text(bit)))
        };
        let whole = |set: u16, len: u16| of(set).find(|(_, text)| text.len() == len as usize);
        let narrow = |set: u16, at: u16| {
            let goes_on = of(set).filter(|(_, text)| match *next {
                [byte] => text.as_bytes().get(at as usize) == Some(&byte),
                _ => text.as_bytes().get(at as usize..).is_some_and(|rest| rest.starts_with(next)),
            });
            let lo = goes_on.fold(0, |set, (bit, _)| set | 1 << bit);
            Range { lo, hi: at.saturating_add(next.len() as u16) }
        };
        let may_end = hi == 0 || hi == IN_NAME || whole(lo & !text, hi).is_some();
        self.range = match narrow(lo, hi) {
            _ if hi == IN_NAME && Chars::NAME.fits(next) => Range { lo, hi },
            _ if hi == AFTER_TOKEN => match narrow(all, 0) {
                begins if of(lo).any(|(_, word)| word.as_bytes().starts_with(next)) => begins,
                _ => Range { lo, hi },
            },
            goes_on if hi != IN_NAME && goes_on.lo != 0 => {
                match whole(goes_on.lo & !text, goes_on.hi) {
                    Some(_) if next == b"=" => Range { lo: 0, hi: IN_NAME },
                    Some((bit, _)) if until.open & 1 << bit != 0 => {
                        Range { lo: 1 << bit, hi: AFTER_TOKEN }
                    }
                    _ => goes_on,
                }
            }
            _ if may_end && is_white_byte(next[0]) => Range { lo: all, hi: 0 },
            // A text that no word can go on with may stand right after one, and so may a token.
            _ if may_end && !Chars::NAME.fits(next) => narrow(all, 0),
            _ => return false,
        };
        self.range.lo != 0 || self.range.hi == IN_NAME
    }

    fn keyword(&mut self, words: &[Box<str>], next: &[u8], around: &Around<'_>) -> Read {
        if around.quotes && next == b"`" && self.keyword.letters() == 0 {
            return Read::Fail;
        }
        let decoration = self.decoration();
        let close = |at: u8| around.byte(decoration.at + u16::from(at));
        match self.keyword.take(next, words, close) {
            Taken::More => self.more(next, usize::MAX),
            Taken::Whole => Read::Done,
            Taken::No => Read::Fail,
        }
    }

    /// The decoration of the keyword's line.
    fn decoration(&self) -> Stretch {
        let KeywordState { lead, decoration, .. } = self.keyword;
        Stretch { at: self.line_at + u16::from(lead - decoration), len: decoration.into() }
    }

    /// A name that stands earlier in the same marker, or in the call's opener.
    fn repeated(&mut self, name: Stretch, next: &[u8], around: &Around<'_>) -> Read {
        let (same, len) = if name.is_empty() {
            let element = around.known(Ref::Element).as_bytes();
            let rest = element.get(self.read as usize..);
            (rest.is_some_and(|rest| rest.starts_with(next)), element.len())
        } else {
            let from = name.at + self.read;
            let same = next.iter().zip(from..).all(|(&byte, at)| around.byte(at) == Some(byte));
            (same, name.len as usize)
        };
        if len == self.read as usize {
            return Read::Pass;
        }
        if !same || self.read as usize + next.len() > len {
            return Read::Fail;
        }
        self.read += next.len() as u16;
        if self.read as usize == len { Read::Done } else { Read::More }
    }

    pub(super) fn more(&mut self, next: &[u8], most: usize) -> Read {
        self.read += next.len() as u16;
        if self.read as usize > most { Read::TooLong } else { Read::More }
    }

    /// Whether this byte is none of what may stand at a step, so that the steps after it begin with it.
    fn passes(&self, step: &PatternStep, byte: u8) -> bool {
        let white = match step {
            PatternStep::Run { run, .. } if run.min == 0 && !self.is_long_line() => run.chars,
            _ => return false,
        };
        let in_tag = self.tag == 0 || self.at as usize + 2 - self.tag as usize <= bounds::TAG;
        in_tag && byte.is_ascii() && !white.fits(&[byte])
    }

    /// The decoration that may be closed right after the marker, where a keyword line ends it.
    pub fn open_decoration(&self) -> Stretch {
        if self.keyword.closed { Stretch::default() } else { self.decoration() }
    }
}

/// What a character did to a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Read {
    /// Taken; more may come.
    More,
    /// Taken; the step is whole.
    Done,
    /// Not taken; the step was whole before it.
    Pass,
    Fail,
    TooLong,
}

/// How many bytes the character has that begins with this one.
pub(super) fn char_len(first: u8) -> usize {
    match first {
        ..0x80 => 1,
        0x80..0xE0 => 2,
        0xE0..0xF0 => 3,
        0xF0.. => 4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A chunk within a literal is read as it is byte by byte, wherever tags begin and end in it; one that completes
    /// the literal is not within it.
    #[test]
    fn a_chunk_within_a_literal() {
        let text = "<a>b<c>d<e";
        let bytes = text.as_bytes();
        let mut node = Node::default();
        node.step = PatternStep::Lit(text.into());
        for from in 1..bytes.len() {
            for to in from + 1..=bytes.len() {
                let mut read = Match::default();
                read.step_known(bytes, &bytes[..from]);
                let (mut one, chunk) = (read, &bytes[from..to]);
                assert_eq!(one.is_within_literal(&node, chunk), to < bytes.len());
                one.goes_on(chunk);
                read.step_known(&bytes[from..], chunk);
                assert_eq!(one, read, "{:?}", &text[from..to]);
            }
        }
    }
}
