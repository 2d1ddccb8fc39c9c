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

/// What a character did to a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// It goes on.
    Live,
    /// The last piece is whole.
    Whole,
    /// The last piece was whole before this character, which was not read.
    WholeBefore,
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

    /// Reads the character whose bytes are `next`, `at` bytes behind the marker's first byte.
    pub fn step(&mut self, next: &[u8], at: usize, around: &Surroundings<'_>) -> Step {
        let pieces = self.pieces(around);
        // Every element of a follow set stands behind white space.
        if self.in_follow() && self.piece == 0 && self.read == 0 && is_white(next) {
            let most = self.mark as usize + bounds::WHITE_SPACE;
            return if at >= most { Step::TooLong } else { Step::Live };
        }
        if self.tag > 0 && at + 2 - self.tag as usize > bounds::TAG {
            return Step::TooLong;
        }
        loop {
            let Some(piece) = pieces.get(self.piece as usize) else { return Step::WholeBefore };
            match self.read_piece(piece, next, at, around) {
                Read::More => return Step::Live,
                Read::Done => {
                    self.advance();
                    let whole = self.piece as usize == pieces.len();
                    return if whole { Step::Whole } else { Step::Live };
                }
                Read::Pass => self.advance(),
                Read::Fail => return Step::Dead,
                Read::TooLong => return Step::TooLong,
            }
        }
    }

    /// Whether the run may go on with a character that begins with this byte: surely not if it
    /// knows the next byte and it is another.
    pub fn may_read(&self, byte: u8, around: &Surroundings<'_>) -> bool {
        let rule = &around.rules[self.rule as usize];
        let known = match rule.mark.get(self.piece as usize) {
            Some(Piece::Lit(text)) => text,
            Some(Piece::CallName) => around.call_name,
            Some(Piece::ParamName) => around.param_name,
            _ => return true,
        };
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

    fn advance(&mut self) {
        self.piece += 1;
        self.read = 0;
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
            Piece::Lit(text) => self.known(text, next, at),
            Piece::CallName => self.known(around.call_name, next, at),
            Piece::ParamName => self.known(around.param_name, next, at),
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
            Piece::End => Read::Fail,
        }
    }

    /// A text that is known beforehand.
    fn known(&mut self, text: &str, next: &[u8], at: usize) -> Read {
        let rest = &text.as_bytes()[self.read as usize..];
        if !rest.starts_with(next) {
            return Read::Fail;
        }
        match next {
            b"<" => self.tag = at as u16 + 1,
            b">" => self.tag = 0,
            _ => {}
        }
        self.read += next.len() as u16;
        if rest.len() == next.len() { Read::Done } else { Read::More }
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
    fn class(&mut self, class: fn(&[u8]) -> bool, next: &[u8], at: usize) -> Read {
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
        self.slices(name).iter().all(|part| part.trim().is_empty())
    }

    fn is(&self, name: Stretch, known: &str) -> bool {
        let [head, tail] = self.slices(name);
        known.strip_prefix(head) == Some(tail)
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
