//! The cursor: a place in the text from a marker's first byte on, and the primitives of readers.
//!
//! ```text
//! reader := fn(&mut Cursor) -> Step<T>          Ok: it stands here | No: it does not | More: the text ends first
//! ```
//! The law of a reader: it is a pure function of the text from the marker's first byte, of the declared tools and
//! options, and of the state. An answer other than [`More`] holds for every continuation of the text. So no cut can
//! change a result. A marker cut in two:
//!
//! ```text
//! held "<tool_c", chunk "all>"    literal("<tool_call>")  ->  More, with the hint that "all>" is waited for
//! held "<tool_call>"              literal("<tool_call>")  ->  Ok
//! ```
//! At the end of a chunk the answer is `More`, and a [`Wait`] has the bytes that change nothing. At the end of the
//! stream [`Cursor::way`] goes on with the next alternative and notes that half a marker stands here;
//! [`Cursor::follow`] says whether the end confirms a marker.

mod ways;

use smallvec::SmallVec;

use crate::event::DiagnosticKind;
use crate::options::bounds;
use crate::read::names::Names;
use crate::read::wait::Wait;

pub(crate) use crate::read::class::Class;
pub(crate) use crate::read::notes::{End, Half, Notes, Special, Way};

pub(crate) use Stuck::{More, No};

/// The reason why a reader did not come to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stuck {
    /// The text ends before the answer is known.
    More,
    /// The marker does not stand here.
    No,
}

pub(crate) type Step<T> = Result<T, Stuck>;

/// A place in the text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cursor<'a> {
    text: &'a str,
    pub pos: usize,
    /// The place behind the `<` of the open tag; 0: no tag is open.
    tag: usize,
    notes: &'a Notes<'a>,
}

impl<'a> Cursor<'a> {
    #[inline]
    pub fn new(text: &'a str, pos: usize, notes: &'a Notes<'a>) -> Cursor<'a> {
        Cursor { text, pos, tag: 0, notes }
    }

    #[inline]
    pub fn rest(&self) -> &'a str {
        &self.text[self.pos..]
    }

    #[inline]
    pub fn bytes(&self) -> &'a [u8] {
        &self.text.as_bytes()[self.pos..]
    }

    /// The text from `from` up to here.
    pub fn since(&self, from: usize) -> &'a str {
        &self.text[from..self.pos]
    }

    pub(super) fn notes(&self) -> &'a Notes<'a> {
        self.notes
    }

    pub fn ended(&self) -> bool {
        self.notes.end != End::No
    }

    /// Whether a sink asks why markers are refused.
    pub fn is_explained(&self) -> bool {
        self.notes.diagnosis.is_some()
    }

    pub fn cut(&self) -> bool {
        self.notes.end == End::Cut
    }

    // Answers.

    /// Waits: the text ends here, and any byte may decide.
    pub fn more<T>(&self) -> Step<T> {
        self.wait(Wait::Anything)
    }

    pub fn wait<T>(&self, wait: Wait) -> Step<T> {
        if !self.ended() {
            self.notes.waits.set(self.notes.waits.get().and(wait));
        }
        Err(More)
    }

    /// Rejects the marker: a bound is crossed.
    pub fn too_long<T>(&self) -> Step<T> {
        self.notes.long.set(true);
        Err(No)
    }

    /// Whether the open tag would be too long with so many more bytes.
    pub fn is_over_tag(&self, more: usize) -> bool {
        self.tag > 0 && self.pos + more + 1 - self.tag > bounds::TAG
    }

    // Primitives.

    #[inline]
    pub fn peek(&self) -> Step<u8> {
        match self.bytes().first() {
            Some(byte) => Ok(*byte),
            None => self.more(),
        }
    }

    /// Reads this text.
    #[inline(always)]
    pub fn literal(&mut self, text: &str) -> Step<()> {
        let (rest, text) = (self.bytes(), text.as_bytes());
        let same = rest.len().min(text.len());
        // Most texts differ in their last byte or their first.
        if same > 0 && (rest[same - 1] != text[same - 1] || rest[0] != text[0]) {
            return self.no(text);
        }
        self.literal_near(text, same)
    }

    /// Rejects, and notes that this text was expected.
    #[inline(always)]
    fn no<T>(&self, text: &[u8]) -> Step<T> {
        if let Some(diagnosis) = &self.notes.diagnosis {
            diagnosis.wanted_text(self.pos, text, self.bytes());
        }
        Err(No)
    }

    /// Notes the expected text, in words.
    #[inline(always)]
    pub(super) fn wants(&self, pos: usize, what: &str) {
        if let Some(diagnosis) = &self.notes.diagnosis {
            diagnosis.wanted(pos, what);
        }
    }

    #[inline(never)]
    fn literal_near(&mut self, text: &[u8], same: usize) -> Step<()> {
        if self.bytes()[..same] != text[..same] {
            return self.no(text);
        }
        if self.tag > 0 && self.is_long_tag(text) {
            return self.too_long();
        }
        if same < text.len() {
            self.no::<()>(text).ok();
            return self.wait(Wait::text(&text[same..]));
        }
        if self.notes.special.is_some() && !self.is_as_it_came(text, self.pos) {
            return Err(No);
        }
        self.pos += text.len();
        match text {
            [.., b'>'] => self.tag = 0,
            // The beginnings of most tags, without a search.
            [b'<'] => self.tag = self.pos,
            [b'<', b'/'] => self.tag = self.pos - 1,
            [b'<', rest @ ..] if !rest.contains(&b'>') => self.tag = self.pos - rest.len(),
            _ => self.note_tag(text),
        }
        Ok(())
    }

    /// Notes the last tag that begins or ends in a text that was read, if the text is not one whole tag.
    fn note_tag(&mut self, text: &[u8]) {
        let Some(at) = text.iter().rposition(|byte| matches!(byte, b'<' | b'>')) else { return };
        self.tag = if text[at] == b'<' { self.pos - text.len() + at + 1 } else { 0 };
    }

    /// Whether each special token in a text at `at` came as a token.
    #[inline(never)]
    pub fn is_as_it_came(&self, text: &[u8], at: usize) -> bool {
        let Some(special) = self.notes.special else { return true };
        let came = |token: &String| {
            let mut all = memchr::memmem::find_iter(text, token.as_bytes());
            all.all(|found| {
                let start = special.base + at + found;
                special.came.contains(&(start..start + token.len()))
            })
        };
        special.texts.iter().filter(|token| !token.is_empty()).all(came)
    }

    /// Whether the part of this text that has come makes the open tag too long.
    fn is_long_tag(&self, text: &[u8]) -> bool {
        let come = text.len().min(self.bytes().len());
        self.pos + come + 1 - self.tag > bounds::TAG
    }

    /// Reads this word in any case.
    pub fn word(&mut self, word: &str) -> Step<()> {
        let (come, word) = (self.bytes(), word.as_bytes());
        let both = come.len().min(word.len());
        let goes_on = come[..both].eq_ignore_ascii_case(&word[..both]);
        if goes_on && both == word.len() {
            self.pos += both;
            return Ok(());
        }
        if let Some(diagnosis) = &self.notes.diagnosis {
            let letter = |(known, byte): &(&u8, &u8)| known.eq_ignore_ascii_case(byte);
            let same = word.iter().zip(come).take_while(letter).count();
            diagnosis.wanted_text(self.pos + same, &word[same..], &[]);
        }
        if goes_on { self.more() } else { Err(No) }
    }

    /// Reads the first of these texts that stands here. Of two that begin alike the longer one comes first.
    #[inline]
    pub fn any<T: AsRef<str>>(&mut self, texts: &[T]) -> Step<()> {
        let mut stuck = No;
        for text in texts {
            // A longer text may still come.
            let wait = stuck == More && !self.ended();
            match self.literal(text.as_ref()) {
                Err(No) => {}
                Ok(()) if !wait => return Ok(()),
                _ => stuck = More,
            }
        }
        Err(stuck)
    }

    /// Reads one of these bytes.
    pub fn byte_of(&mut self, of: &[u8]) -> Step<u8> {
        let byte = self.peek()?;
        if !of.contains(&byte) {
            if let Some(diagnosis) = &self.notes.diagnosis {
                of.iter().for_each(|byte| diagnosis.wanted_text(self.pos, &[*byte], &[]));
            }
            return Err(No);
        }
        self.pos += 1;
        Ok(byte)
    }

    /// Reads any character but these.
    pub fn one_but(&mut self, none: &[u8]) -> Step<()> {
        let byte = self.peek()?;
        if none.contains(&byte) {
            return Err(No);
        }
        self.pos += self.rest().chars().next().map_or(0, char::len_utf8);
        Ok(())
    }

    /// Reads a text with one wrong character: a different one, a missing one, or a doubled one. Its last
    /// character is right.
    pub fn near(&mut self, text: &str) -> Step<()> {
        // The mistakes so far. Behind a mistake each way goes on like the text.
        let expected: SmallVec<[char; 64]> = text.chars().collect();
        let (all, mut right) = (expected.len(), true);
        let [mut other, mut missing, mut twice] = [false; 3];
        for (come, (at, c)) in self.rest().char_indices().enumerate() {
            let is = |at: usize| expected.get(at) == Some(&c);
            let again = come.checked_sub(1).is_some_and(is);
            (other, missing, twice) = (
                other && is(come) || right && !is(come) && come + 1 < all,
                missing && is(come + 1) || right && !is(come) && is(come + 1),
                twice && again || right && !is(come) && again,
            );
            right &= is(come);
            let come = come + 1;
            if other && come == all || missing && come + 1 == all || twice && come == all + 1 {
                self.pos += at + c.len_utf8();
                self.tag = 0;
                return Ok(());
            }
            if !(right || other || missing || twice) {
                return Err(No);
            }
        }
        self.more()
    }

    /// Reads at least `min` bytes of a class, up to something else.
    #[inline]
    pub fn run(&mut self, class: Class, min: usize, most: usize) -> Step<&'a str> {
        let tag = bounds::TAG + self.tag;
        let most = if self.tag > 0 { most.min(tag.saturating_sub(self.pos + 1)) } else { most };
        let len = class.run(self.rest(), most);
        if len > most {
            return self.too_long();
        }
        if self.pos + len == self.text.len() {
            self.wants(self.pos + len, class.words());
            return self.wait(Wait::Run(class, (most - len) as u16));
        }
        if len < min {
            self.wants(self.pos + len, class.words());
            return Err(No);
        }
        self.pos += len;
        Ok(self.since(self.pos - len))
    }

    /// Reads at least `min` bytes of a class, up to this byte, if there is one.
    pub fn run_up_to(
        &mut self,
        class: Class,
        end: Option<u8>,
        min: usize,
        most: usize,
    ) -> Step<&'a str> {
        let Some(end) = end else { return self.run(class, min, most) };
        let room =
            if self.tag > 0 { (bounds::TAG + self.tag).saturating_sub(self.pos + 1) } else { most };
        let most = most.min(room);
        let all = class.run(self.rest(), most);
        let found = memchr::memchr(end, &self.bytes()[..all.min(self.bytes().len())]);
        let len = found.unwrap_or(all);
        if len > most {
            return self.too_long();
        }
        if self.pos + len == self.text.len() {
            self.wants(self.pos + len, class.words());
            return self.more();
        }
        if len < min {
            self.wants(self.pos + len, class.words());
            return Err(No);
        }
        self.pos += len;
        Ok(self.since(self.pos - len))
    }

    /// Reads characters of a class, perhaps none. More than `most` are something else, and not too long a
    /// marker.
    pub fn up_to(&mut self, most: usize, class: Class) -> Step<()> {
        match class.run(self.rest(), most) > most {
            true => Err(No),
            false => self.run(class, 0, most).map(|_| ()),
        }
    }

    /// Reads white space, perhaps none, up to something else. Within a tag the bound of tags counts.
    #[inline]
    pub fn white(&mut self) -> Step<()> {
        match self.bytes() {
            // Most markers have no white space, or a line break.
            [next, ..] if !Class::White.has_byte(*next) => Ok(()),
            [_, next, ..] if self.tag == 0 && !Class::White.has_byte(*next) => {
                self.pos += 1;
                Ok(())
            }
            _ => self.long_white(),
        }
    }

    #[inline(never)]
    fn long_white(&mut self) -> Step<()> {
        let most = if self.tag > 0 { bounds::TAG } else { bounds::WHITE_SPACE };
        self.run(Class::White, 0, most).map(|_| ())
    }

    /// Reads anything up to this text, and with it, unless one of the others comes before it. The marker begins at
    /// `start`.
    pub fn until(&mut self, start: usize, to: &str, unless: &[Box<str>]) -> Step<()> {
        let from = self.pos;
        for (at, c) in self.rest().char_indices() {
            let end = from + at + c.len_utf8();
            let read = &self.text.as_bytes()[from..end];
            let ends = |text: &str| {
                let text = text.as_bytes();
                let may_end = text.last() == read.last();
                may_end && read.ends_with(text) && self.is_as_it_came(text, end - text.len())
            };
            if ends(to) {
                self.pos = end;
                self.tag = 0;
                return Ok(());
            }
            if unless.iter().any(|text| ends(text)) {
                return Err(No);
            }
            if end - start >= bounds::HEADER {
                return self.too_long();
            }
        }
        let ends = |text: &str| text.bytes().last().is_some_and(|byte| Class::Key.has_byte(byte));
        if ends(to) || unless.iter().any(|text| ends(text)) {
            return self.more();
        }
        let room = (start + bounds::HEADER).saturating_sub(self.text.len() + 1);
        self.wait(Wait::Run(Class::Key, room as u16))
    }

    /// Reads a line break.
    pub fn line_break(&mut self) -> Step<()> {
        self.any(&["\n", "\r\n"])
    }

    /// Reads blanks, perhaps none, and the line feed behind them.
    pub fn line_end(&mut self) -> Step<()> {
        self.up_to(bounds::WHITE_SPACE, Class::Blank)?;
        self.literal("\n")
    }

    /// Reads white space up to the end of the stream.
    pub fn at_end(&mut self) -> Step<()> {
        let white = self.white();
        self.wants(self.pos, "the end of the stream");
        white.and(Err(No)).or_else(|stuck: Stuck| match stuck {
            More if self.ended() => {
                self.notes.by_end.set(true);
                Ok(())
            }
            stuck => Err(stuck),
        })
    }

    /// Reads a name of any kind, perhaps in quotes. It is not blank.
    pub fn name(&mut self, class: Class, may_be_quoted: bool) -> Step<&'a str> {
        let quote = self.quote(may_be_quoted)?;
        let name = self.run(class, 1, bounds::NAME)?;
        self.unquote(quote)?;
        let may_be_blank = matches!(class, Class::Key | Class::NoTag);
        let blank = may_be_blank && name.trim_matches(WHITE).is_empty();
        if blank { Err(No) } else { Ok(name) }
    }

    /// Reads one of these names, or of those that fit: the longest that the text goes on with.
    pub fn known(
        &mut self,
        names: &Names,
        may_be_quoted: bool,
        fits: Option<&dyn Fn(u16) -> bool>,
    ) -> Step<(&'a str, u16)> {
        let quote = self.quote(may_be_quoted)?;
        let (len, found) = names.along(self.rest(), fits);
        let tag = self.tag > 0 && self.pos + len + 1 - self.tag > bounds::TAG;
        if tag {
            return self.too_long();
        }
        if len == self.bytes().len() && (found.goes_on || found.id.is_some()) {
            self.wants(self.pos + len, "a declared name");
            return match found.rest {
                Some(rest) if !rest.is_empty() => self.wait(Wait::text(rest.as_bytes())),
                _ => self.more(),
            };
        }
        let Some(id) = found.id else {
            self.wants(self.pos + len, "a declared name");
            return Err(No);
        };
        self.pos += len;
        let name = self.since(self.pos - len);
        self.unquote(quote)?;
        Ok((name, id))
    }

    fn quote(&mut self, may_be_quoted: bool) -> Step<Option<u8>> {
        if !may_be_quoted {
            return Ok(None);
        }
        let quote = Some(self.peek()?).filter(|byte| matches!(byte, b'"' | b'\''));
        self.pos += usize::from(quote.is_some());
        Ok(quote)
    }

    fn unquote(&mut self, quote: Option<u8>) -> Step<()> {
        let Some(quote) = quote else { return Ok(()) };
        if self.peek()? != quote {
            return Err(No);
        }
        self.pos += 1;
        Ok(())
    }
}

/// Reads the first of several texts ahead that stands here: any of them will do.
#[macro_export]
macro_rules! one_of {
    ($c:expr; $($read:expr),+ $(,)?) => {{
        let mut _stuck = $crate::read::cursor::No;
        'all: {
            $(match $c.ahead($read) {
                Ok(read) => break 'all Ok(read),
                Err($crate::read::cursor::More) => _stuck = $crate::read::cursor::More,
                Err($crate::read::cursor::No) => {}
            })+
            Err(_stuck)
        }
    }};
}

/// White space, as in the specification.
pub(crate) const WHITE: [char; 4] = [' ', '\t', '\r', '\n'];

/// The diagnostic of a marker, if it has one.
pub(crate) type Note = Option<DiagnosticKind>;
