//! Recognisers of pieces that several dialects have. Each looks at one offset of the whole input and says whether the piece
//! stands there. Nothing in this file has a state.

use toolstream::{Param, Tool, options::bounds};

/// Longest tag and longest run of white space after a marker, in bytes.
pub const TAG: usize = 512;
const WHITE_SPACE: usize = 256;

/// The end of a recognised piece, or the reason why there is none.
pub type Seen = Result<usize, Miss>;

/// The reason why a piece of grammar does not stand at an offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Miss {
    /// A byte rules it out.
    No,
    /// A bound rules it out.
    TooLong,
    /// The stream ends in the middle of a possible piece.
    Cut,
}

/// Proof that a marker counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proof {
    /// The text behind the marker.
    Text,
    /// Only the end of the stream.
    End,
}

impl Proof {
    /// The proof of a marker that the end of the stream confirms, even in the middle of its confirmation.
    pub fn of<T>(seen: Result<T, Miss>) -> Result<Proof, Miss> {
        match seen {
            Ok(_) => Ok(Proof::Text),
            Err(Miss::Cut) => Ok(Proof::End),
            Err(miss) => Err(miss),
        }
    }
}

/// Facts about the open call.
#[derive(Debug)]
pub struct Call<'a> {
    pub name: &'a str,
    /// The declared tool, if it is declared.
    pub tool: Option<&'a Tool>,
    /// The parameters that have begun, the open one included.
    pub given: Vec<&'a str>,
    /// Whether the call will end `Incomplete`: it crossed a bound, or its markup is beyond recovery.
    pub broken: bool,
    /// Whether it needed a recovery: for a forgotten closer, a closer with a wrong name, a malformed tag, or a missing opener.
    pub recovered: bool,
    /// Whether its opener was `<NAME>` in place of `<function=NAME>`.
    pub by_name: bool,
    /// Whether a `suspect_marker` was reported in it.
    pub suspect: bool,
}

impl<'a> Call<'a> {
    pub fn new(name: &'a str, tool: Option<&'a Tool>) -> Self {
        let (broken, recovered, by_name, suspect) = (false, false, false, false);
        Call { name, tool, given: Vec::new(), broken, recovered, by_name, suspect }
    }

    /// The parameters that its tool declares.
    pub fn declared(&self) -> impl Iterator<Item = &'a Param> + use<'a> {
        self.tool.into_iter().flat_map(|tool| &tool.params)
    }

    pub fn declares(&self, key: &str) -> bool {
        self.declared().any(|param| param.name == key)
    }

    /// Whether its tool declares a parameter of this name that was not yet given.
    pub fn lacks(&self, key: &str) -> bool {
        self.declares(key) && !self.given.contains(&key)
    }
}

pub fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\r' | '\n')
}

/// Characters of an undeclared element's name: `[A-Za-z0-9_.-]`.
pub fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || "_.-".contains(c)
}

/// `NAME` of common.md.
pub fn is_name(c: char) -> bool {
    c.is_alphanumeric() || "_.-/:+@$".contains(c)
}

/// The first reading of a place that matches, or the best reason why none does.
pub fn any<T>(readings: impl IntoIterator<Item = Result<T, Miss>>) -> Result<T, Miss> {
    let mut best = Miss::No;
    for reading in readings {
        match reading {
            Ok(found) => return Ok(found),
            Err(miss) => best = best.max(miss),
        }
    }
    Err(best)
}

/// Reads `text`, exactly.
pub fn literal(input: &str, at: usize, text: &str) -> Seen {
    let rest = &input[at..];
    if rest.starts_with(text) {
        Ok(at + text.len())
    } else if text.starts_with(rest) {
        Err(Miss::Cut)
    } else {
        Err(Miss::No)
    }
}

/// Reads one of these texts.
pub fn any_literal(input: &str, at: usize, texts: &[&str]) -> Seen {
    any(texts.iter().map(|text| literal(input, at, text)))
}

pub fn skip_spaces(input: &str, at: usize) -> usize {
    input.len() - input[at..].trim_start_matches(is_space).len()
}

/// Whether the text has only white space.
pub fn is_blank(text: &str) -> bool {
    text.trim_matches(is_space).is_empty()
}

/// Reads `ws` after a marker: at most 256 bytes.
pub fn ws(input: &str, at: usize) -> Seen {
    let end = skip_spaces(input, at);
    if end - at > WHITE_SPACE { Err(Miss::TooLong) } else { Ok(end) }
}

/// Reads a name of 1 to 128 bytes, up to a character that is not part of it. Returns its end.
pub fn name(input: &str, at: usize, of_name: impl Fn(char) -> bool) -> Seen {
    let mut end = at;
    for c in input[at..].chars() {
        if !of_name(c) {
            return if end == at { Err(Miss::No) } else { Ok(end) };
        }
        end += c.len_utf8();
        if end - at > bounds::NAME {
            return Err(Miss::TooLong);
        }
    }
    Err(Miss::Cut)
}

/// Reads `head NAME ">"`. Returns the name's end and the tag's end.
pub fn named_tag(
    input: &str,
    at: usize,
    head: &str,
    of_name: impl Fn(char) -> bool,
) -> Result<(usize, usize), Miss> {
    let stop = name(input, literal(input, at, head)?, of_name)?;
    Ok((stop, literal(input, stop, ">")?))
}

/// Whether a whole tag `<[A-Za-z0-9_.-]{1,128}>` stands here.
pub fn is_plain_tag(input: &str, at: usize) -> bool {
    plain_tag(input, at).is_some()
}

/// Reads a whole tag `<[A-Za-z0-9_.-]{1,128}>`. Returns its end.
pub fn plain_tag(input: &str, at: usize) -> Option<usize> {
    named_tag(input, at, "<", is_plain).ok().map(|(_, end)| end)
}

/// Reads `<think>` or `<thinking>`. With `</` as the head, reads either closer.
pub fn reasoning_tag(input: &str, head: &str, at: usize) -> Option<usize> {
    let tags = ["think>", "thinking>"];
    tags.iter().find_map(|tag| literal(input, at, &format!("{head}{tag}")).ok())
}

/// The offset of the first `<` from `at` on.
pub fn next_angle(input: &str, at: usize) -> Option<usize> {
    input[at..].find('<').map(|found| at + found)
}

/// The length of the line break that `text` begins with, or 0.
pub fn line_break_at_start(text: &str) -> usize {
    ["\r\n", "\n"].into_iter().find(|one| text.starts_with(one)).map_or(0, str::len)
}

/// The length of the line break that `text` ends with, or 0.
pub fn line_break_at_end(text: &str) -> usize {
    ["\r\n", "\n"].into_iter().find(|one| text.ends_with(one)).map_or(0, str::len)
}
