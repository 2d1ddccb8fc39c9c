//! The reading of a marker and of what follows it: a [`Run`] over a [`Pattern`].
//!
//! A run is a handful of numbers, moved by one character at a time, so it survives any cut.
//! Every piece is decided by the next character alone; a piece that may end passes the character
//! on to the next one. Chunk ends here: the run stays where it is. Stream ends here: the rule's
//! `at_end` says what the run comes to.

#[cfg(doc)]
use crate::dialect::spec::Pattern;
use crate::dialect::spec::{Piece, Rule};
use crate::machine::view::View;
use crate::names::{Names, Range};
use crate::options::bounds;
use crate::tables::{PartNumber, Tables};

/// No tool, or one that the host did not declare.
pub(crate) const UNKNOWN: u16 = u16::MAX;

/// A stretch of the candidate's bytes: offset from its first byte, length.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Stretch {
    pub at: u16,
    pub len: u16,
}

/// One rule being read. Offsets count from the first byte of the marker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    pub rule: u8,
    /// The dialect that the rule belongs to.
    pub part: PartNumber,
    /// Which element of the follow set is being read; `None`: the marker itself.
    alternative: Option<u8>,
    piece: u8,
    /// Bytes read of the present piece.
    read: u16,
    /// The quote of the present attribute value; NUL: bare.
    quote: u8,
    /// Where the present tag began, plus one; 0: in no tag.
    tag: u16,
    range: Range,
    /// The marker's length, once it is whole.
    pub mark: u16,
    /// What the marker captured.
    pub name: Stretch,
    /// What the present alternative captured.
    inner: Stretch,
    /// The tool that `Declared` and `Fresh` ask about: the captured one, or that of the open call.
    pub tool: u16,
    /// Whether [`Piece::Slash`] found one.
    pub slash: bool,
}

/// What a run has come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// It goes on.
    Live,
    /// The last piece is whole.
    Whole,
    /// It does not fit.
    Dead,
    /// It would fit, but a bound of [`bounds`] is crossed.
    TooLong,
}

/// What runs ask about the call they stand in.
pub(crate) struct Surroundings<'a> {
    pub tables: &'a Tables,
    pub rules: &'a [Rule],
    pub view: View<'a>,
    /// View offset of the marker's first byte.
    pub start: usize,
    pub call_name: &'a str,
    pub param_name: &'a str,
    /// The declared parameters that were given.
    pub given: &'a [bool],
}

impl Run {
    pub fn new(rule: usize, part: PartNumber) -> Self {
        Run {
            rule: rule as u8,
            part,
            alternative: None,
            piece: 0,
            read: 0,
            quote: 0,
            tag: 0,
            range: Range::default(),
            mark: 0,
            name: Stretch::default(),
            inner: Stretch::default(),
            tool: UNKNOWN,
            slash: false,
        }
    }

    /// The run inside a call of this tool, unless it has met the name of another.
    pub fn in_call(self, tool: u16) -> Self {
        Run { tool: if self.tool == UNKNOWN { tool } else { self.tool }, ..self }
    }

    /// The run with its marker whole, `mark` bytes long.
    pub fn ending(self, mark: usize) -> Self {
        Run { mark: mark as u16, ..self }
    }

    /// The run over element `alternative` of the follow set, behind the whole marker.
    pub fn follow(self, alternative: usize) -> Self {
        Run { alternative: Some(alternative as u8), piece: 0, read: 0, tag: 0, ..self }
    }

    /// Whether the first `pieces` of the marker are whole.
    pub fn has_read(&self, pieces: usize) -> bool {
        self.in_follow() || self.piece as usize >= pieces
    }

    pub fn in_follow(&self) -> bool {
        self.alternative.is_some()
    }

    /// Reads `text`, which stands `at` bytes behind the marker's first byte, up to where the run is
    /// decided; gives how many bytes that took.
    pub fn read(&mut self, text: &str, at: usize, around: &Surroundings<'_>) -> (usize, Step) {
        let pieces = self.pieces(around);
        let bytes = text.as_bytes();
        let mut read = 0;
        while read < bytes.len() {
            let Some(piece) = pieces.get(self.piece as usize) else { return (read, Step::Whole) };
            // Every element of a follow set stands behind white space.
            if self.in_follow()
                && self.piece == 0
                && self.read == 0
                && is_white(&bytes[read..=read])
            {
                if at + read >= self.mark as usize + bounds::WHITE_SPACE {
                    return (read, Step::TooLong);
                }
                read += 1;
                continue;
            }
            let (taken, outcome) = match self.known(piece, around) {
                Some(known) => self.read_known(known, &bytes[read..], at + read),
                None => self.read_char(piece, &bytes[read..], at + read, around),
            };
            read += taken;
            match outcome {
                Read::More => {}
                Read::Done | Read::Pass => {
                    self.piece += 1;
                    self.read = 0;
                    if self.piece as usize == pieces.len() {
                        return (read, Step::Whole);
                    }
                }
                Read::Fail => return (read, Step::Dead),
                Read::TooLong => return (read, Step::TooLong),
            }
        }
        (read, Step::Live)
    }

    /// The text of a piece that is known beforehand.
    #[inline]
    fn known<'s>(&self, piece: &'s Piece, around: &Surroundings<'s>) -> Option<&'s str> {
        match piece {
            Piece::Lit(text) => Some(text),
            Piece::CallName => Some(around.call_name),
            Piece::ParamName => Some(around.param_name),
            _ => None,
        }
    }

    /// A text that is known beforehand, as much of it as has come.
    fn read_known(&mut self, known: &str, bytes: &[u8], at: usize) -> (usize, Read) {
        let rest = &known.as_bytes()[self.read as usize..];
        if rest.is_empty() {
            return (0, Read::Fail);
        }
        for (read, (&byte, &known)) in bytes.iter().zip(rest).enumerate() {
            if self.tag_too_long(at + read) && is_char_start(byte) {
                return (read, Read::TooLong);
            }
            match byte {
                _ if byte != known => return (read, Read::Fail),
                b'<' => self.tag = (at + read) as u16 + 1,
                b'>' => self.tag = 0,
                _ => {}
            }
        }
        let read = rest.len().min(bytes.len());
        self.read += read as u16;
        (read, if read == rest.len() { Read::Done } else { Read::More })
    }

    /// One character.
    fn read_char(
        &mut self,
        piece: &Piece,
        bytes: &[u8],
        at: usize,
        around: &Surroundings<'_>,
    ) -> (usize, Read) {
        if self.tag_too_long(at) {
            return (0, Read::TooLong);
        }
        let next = &bytes[..char_len(bytes[0])];
        let read = self.read_piece(piece, next, at, around);
        (if let Read::More | Read::Done = read { next.len() } else { 0 }, read)
    }

    #[inline]
    fn tag_too_long(&self, at: usize) -> bool {
        self.tag > 0 && at + 2 - self.tag as usize > bounds::TAG
    }

    /// Whether the marker is whole.
    pub fn is_whole(&self, rule: &Rule) -> bool {
        self.in_follow() || self.piece as usize == rule.mark.len()
    }

    /// Whether the run may go on with a character that begins with this byte: surely not if it
    /// knows the next byte and it is another.
    pub fn may_read(&self, byte: u8, around: &Surroundings<'_>) -> bool {
        let rule = &around.rules[self.rule as usize];
        let piece = rule.mark.get(self.piece as usize);
        let Some(known) = piece.and_then(|piece| self.known(piece, around)) else { return true };
        known.as_bytes().get(self.read as usize) == Some(&byte)
    }

    fn pieces<'r>(&self, around: &Surroundings<'r>) -> &'r [Piece] {
        let rule = &around.rules[self.rule as usize];
        match self.alternative {
            None => &rule.mark,
            Some(alternative) => &rule.follow[alternative as usize],
        }
    }

    /// Whether the present piece stands in a tag, and the next one does, too.
    fn stays_in_tag(&self, around: &Surroundings<'_>) -> bool {
        let next = self.pieces(around).get(self.piece as usize + 1);
        let opens = |next: &Piece| matches!(next, Piece::Lit(text) if text.starts_with('<'));
        self.tag > 0 && !next.is_some_and(opens)
    }

    fn read_piece(
        &mut self,
        piece: &Piece,
        next: &[u8],
        at: usize,
        around: &Surroundings<'_>,
    ) -> Read {
        let tables = around.tables;
        match piece {
            // Known beforehand: they are read as a whole.
            Piece::Lit(_) | Piece::CallName | Piece::ParamName => Read::Fail,
            Piece::Captured => self.repeated(self.name, next, around),
            Piece::Same => self.repeated(self.inner, next, around),
            Piece::Ws => match is_white(next) {
                // Inside a tag the tag's own bound counts.
                true if self.stays_in_tag(around) => Read::More,
                true => self.more(next, bounds::WHITE_SPACE),
                false => Read::Pass,
            },
            Piece::Words => match next {
                b"<" => Read::Pass,
                _ => match self.more(next, bounds::WORDS) {
                    Read::TooLong => Read::Fail,
                    read => read,
                },
            },
            Piece::Rest => match next {
                b"<" => Read::Fail,
                b">" => Read::Pass,
                _ => Read::More,
            },
            Piece::Slash => match next {
                b"/" => {
                    self.slash = true;
                    Read::Done
                }
                _ => Read::Pass,
            },
            Piece::Name => self.class(is_name, next, at),
            Piece::Word => self.class(is_word, next, at),
            Piece::ToolName => {
                let read = self.class(is_name, next, at);
                self.names_tool(read, around)
            }
            Piece::Undeclared => self.undeclared(next, at, around),
            Piece::Tool => match self.one_of(&tables.tool_names, next, at) {
                Ok(read) => read,
                Err(tool) => {
                    self.tool = tool;
                    Read::Pass
                }
            },
            Piece::Declared => match self.one_of(tables.param_names(self.tool), next, at) {
                Ok(read) => read,
                Err(_) => Read::Pass,
            },
            Piece::Fresh => self.fresh(next, at, around),
            Piece::QuotedToolName => {
                let read = self.in_quotes(next, at, |run| run.class(is_name, next, at));
                self.names_tool(read, around)
            }
            Piece::QuotedTool => {
                let names = &tables.tool_names;
                let known = |run: &mut Run| run.one_of(names, next, at).unwrap_or(Read::Pass);
                let read = self.in_quotes(next, at, known);
                match self.names_tool(read, around) {
                    Read::Done | Read::Pass if self.tool == UNKNOWN => Read::Fail,
                    read => read,
                }
            }
            Piece::QuotedKey => {
                match self.in_quotes(next, at, |run| run.class(is_key, next, at)) {
                    // Blanks alone are no key.
                    Read::Done | Read::Pass if around.is_blank(self.captured()) => Read::Fail,
                    read => read,
                }
            }
            Piece::Key => match next {
                b"<" => {
                    self.capture(at);
                    Read::Pass
                }
                _ => self.more(next, bounds::NAME),
            },
            Piece::LineBreak => match (self.read, next) {
                (_, b"\n") => Read::Done,
                (0, b"\r") => self.more(next, 1),
                _ => Read::Fail,
            },
            Piece::OneOf(all) => {
                let fits = all.bytes().any(|one| next == [one]);
                if fits { Read::Done } else { Read::Fail }
            }
            Piece::Letters => match next {
                [byte] if byte.is_ascii_alphabetic() => self.more(next, bounds::NAME),
                _ => Read::Pass,
            },
            Piece::IfKnown => match self.tool != UNKNOWN || tables.tools.is_empty() {
                true => Read::Pass,
                false => Read::Fail,
            },
            Piece::Attr => self.attribute(next, at, |run| run.more(next, bounds::NAME)),
            Piece::ToolAttr => {
                let read = self.attribute(next, at, |run| run.more(next, bounds::NAME));
                self.names_tool(read, around)
            }
            Piece::KnownToolAttr => {
                let names = &tables.tool_names;
                let known = |run: &mut Run| run.one_of(names, next, at).unwrap_or(Read::Fail);
                let read = self.attribute(next, at, known);
                match self.names_tool(read, around) {
                    Read::Done | Read::Pass if self.tool == UNKNOWN => Read::Fail,
                    read => read,
                }
            }
            Piece::Boundary => {
                let names = &tables.boundaries[self.part as usize];
                let read = self.one_of(names, next, at).unwrap_or(Read::Pass);
                // No token is the beginning of another.
                let whole = names.exact(self.range, self.read as usize).is_some();
                if let (Read::More, true) = (&read, whole) { Read::Done } else { read }
            }
            Piece::CallKey => self.one_of(&tables.call_keys, next, at).unwrap_or(Read::Pass),
            Piece::End => Read::Fail,
        }
    }

    /// What the end of the stream makes of the run, in an element of its rule's follow set.
    pub fn has_begun(&self) -> bool {
        self.in_follow() && (self.piece > 0 || self.read > 0)
    }

    /// Whether the end of the stream is named in the element that is being read.
    pub fn may_end(&self, rule: &Rule) -> bool {
        let element = self.alternative.map(|alternative| &rule.follow[alternative as usize]);
        element.is_some_and(|element| element.contains(&Piece::End))
    }

    /// A name that stands earlier in the same candidate.
    fn repeated(&mut self, name: Stretch, next: &[u8], around: &Surroundings<'_>) -> Read {
        let at = around.start + (name.at + self.read) as usize;
        let same = next.iter().zip(at..).all(|(&byte, at)| around.view.byte(at) == Some(byte));
        if !same || self.read + next.len() as u16 > name.len {
            return Read::Fail;
        }
        self.read += next.len() as u16;
        if self.read == name.len { Read::Done } else { Read::More }
    }

    fn more(&mut self, next: &[u8], most: usize) -> Read {
        self.read += next.len() as u16;
        if self.read as usize > most { Read::TooLong } else { Read::More }
    }

    /// A run of characters of one class, at least one.
    fn class(&mut self, class: impl Fn(&[u8]) -> bool, next: &[u8], at: usize) -> Read {
        if class(next) {
            return self.more(next, bounds::NAME);
        }
        if self.read == 0 {
            return Read::Fail;
        }
        self.capture(at);
        Read::Pass
    }

    /// `"…"`, `'…'` or neither round what `inside` reads.
    fn in_quotes(&mut self, next: &[u8], at: usize, inside: impl FnOnce(&mut Run) -> Read) -> Read {
        match (self.read, self.quote, next) {
            (0, 0, b"\"" | b"'") => {
                self.quote = next[0];
                Read::More
            }
            (1.., quote, _) if quote != 0 && next == [quote] => {
                self.capture(at);
                self.quote = 0;
                Read::Done
            }
            (_, quote, _) => match inside(self) {
                // Inside quotes only the quote may end it.
                Read::Pass if quote != 0 => Read::Fail,
                read => read,
            },
        }
    }

    /// The tool that a whole name names.
    fn names_tool(&mut self, read: Read, around: &Surroundings<'_>) -> Read {
        if let Read::Done | Read::Pass = read {
            self.tool = around.tables.tool_number(around.slices(self.captured()));
        }
        read
    }

    fn undeclared(&mut self, next: &[u8], at: usize, around: &Surroundings<'_>) -> Read {
        if is_word(next) {
            return self.more(next, bounds::NAME);
        }
        if self.read == 0 {
            return Read::Fail;
        }
        let name = self.capture(at);
        let declared = around.tables.param_names(self.tool);
        let known = declared.iter().any(|known| around.is(name, known));
        if known { Read::Fail } else { Read::Pass }
    }

    /// One of the given names; `Err` with its number where it ends before `next`.
    fn one_of(&mut self, names: &Names, next: &[u8], at: usize) -> Result<Read, u16> {
        let range = if self.read == 0 { names.all() } else { self.range };
        let read = self.read as usize;
        if let Some(range) = names.narrow(range, read, next) {
            self.range = range;
            return Ok(self.more(next, bounds::NAME));
        }
        match names.exact(range, read) {
            Some(id) if read > 0 => {
                self.capture(at);
                Err(id)
            }
            _ => Ok(Read::Fail),
        }
    }

    fn fresh(&mut self, next: &[u8], at: usize, around: &Surroundings<'_>) -> Read {
        let names = around.tables.param_names(self.tool);
        let given = |id: u16| around.given.get(id as usize).is_some_and(|given| *given);
        match self.one_of(names, next, at) {
            Ok(Read::More) if names.ids(self.range).all(given) => Read::Fail,
            Ok(read) => read,
            Err(id) if given(id) => Read::Fail,
            Err(_) => Read::Pass,
        }
    }

    /// `"…"`, `'…'` (neither `<` nor a line break in it) or a bare word; `inside` reads the
    /// characters between the quotes.
    fn attribute(&mut self, next: &[u8], at: usize, inside: impl FnOnce(&mut Run) -> Read) -> Read {
        if let (0, 0, b"\"" | b"'") = (self.read, self.quote, next) {
            self.quote = next[0];
            return Read::More;
        }
        let quoted = self.quote != 0;
        let ends = match quoted {
            true => next == [self.quote],
            false => is_white(next) || matches!(next, b">" | b"/"),
        };
        if ends && self.read > 0 {
            self.capture(at);
            self.quote = 0;
            return if quoted { Read::Done } else { Read::Pass };
        }
        let banned: &[&[u8]] = if quoted { &[b"<", b"\n"] } else { &[b"<", b"\"", b"'"] };
        if ends || banned.contains(&next) { Read::Fail } else { inside(self) }
    }

    /// What was captured last.
    fn captured(&self) -> Stretch {
        if self.in_follow() { self.inner } else { self.name }
    }

    /// Notes the name that ends before `at`.
    fn capture(&mut self, at: usize) -> Stretch {
        let name = Stretch { at: at as u16 - self.read, len: self.read };
        match self.in_follow() {
            true => self.inner = name,
            false => self.name = name,
        }
        name
    }
}

/// What a character did to a piece.
enum Read {
    /// Taken; more may come.
    More,
    /// Taken; the piece is whole.
    Done,
    /// Not taken; the piece was whole before it.
    Pass,
    Fail,
    TooLong,
}

impl Surroundings<'_> {
    fn slices(&self, name: Stretch) -> [&str; 2] {
        let from = self.start + name.at as usize;
        self.view.slices(from, from + name.len as usize)
    }

    fn is_blank(&self, name: Stretch) -> bool {
        self.slices(name).iter().all(|part| part.bytes().all(|byte| is_white(&[byte])))
    }

    fn is(&self, name: Stretch, known: &str) -> bool {
        let [head, tail] = self.slices(name);
        known.strip_prefix(head) == Some(tail)
    }
}

fn is_char_start(byte: u8) -> bool {
    byte & 0xC0 != 0x80
}

/// How many bytes the character has that begins with this one.
fn char_len(first: u8) -> usize {
    match first {
        ..0x80 => 1,
        0x80..0xE0 => 2,
        0xE0..0xF0 => 3,
        0xF0.. => 4,
    }
}

fn is_white(next: &[u8]) -> bool {
    matches!(next, b" " | b"\t" | b"\r" | b"\n")
}

/// What a parameter's name of the `<tool_call>` family may hold.
fn is_key(next: &[u8]) -> bool {
    !matches!(next, b"<" | b">" | b"=" | b"\"" | b"'" | b"\n" | b"\r")
}

/// `[A-Za-z0-9_.-]`
fn is_word(next: &[u8]) -> bool {
    matches!(next, [byte] if byte.is_ascii_alphanumeric() || b"_.-".contains(byte))
}

/// `NAME` of spec/common.md.
fn is_name(next: &[u8]) -> bool {
    match next {
        [byte] => byte.is_ascii_alphanumeric() || b"_.-/:+@$".contains(byte),
        _ => std::str::from_utf8(next).is_ok_and(|text| text.chars().all(char::is_alphanumeric)),
    }
}
