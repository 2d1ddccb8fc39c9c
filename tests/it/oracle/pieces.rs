//! Pieces of grammar that more than one dialect has, as recognisers: each looks at one offset of
//! the whole input and says whether the piece stands there. Nothing in this file has a state.

use toolstream::{Param, Tool, bounds};

/// Longest tag and longest run of white space after a marker, in bytes.
pub const TAG: usize = 512;
const WHITE_SPACE: usize = 256;

/// Where a recognised piece ends, or why there is none.
pub type Seen = Result<usize, Miss>;

/// Why a piece of grammar does not stand at an offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Miss {
    /// A byte rules it out.
    No,
    /// A bound rules it out.
    TooLong,
    /// The stream ends before it is decided: what is there is a beginning of the piece.
    Cut,
}

/// What shows that a marker counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proof {
    /// What stands after it.
    Text,
    /// Only that the stream ends there.
    End,
}

impl Proof {
    /// Of a marker that the end of the stream confirms, also in the middle of what would.
    pub fn of<T>(seen: Result<T, Miss>) -> Result<Proof, Miss> {
        match seen {
            Ok(_) => Ok(Proof::Text),
            Err(Miss::Cut) => Ok(Proof::End),
            Err(miss) => Err(miss),
        }
    }
}

/// What has been read of the open call.
#[derive(Debug)]
pub struct Call<'a> {
    pub name: &'a str,
    /// `None`: not declared.
    pub tool: Option<&'a Tool>,
    /// The parameters that have begun, the open one included.
    pub given: Vec<&'a str>,
    /// It will end `Incomplete`: a bound was crossed, or its markup is beyond recovery.
    pub broken: bool,
    /// It needed a recovery: a closer forgotten or with a wrong name, a malformed tag, no opener.
    pub recovered: bool,
    /// Its opener was `<NAME>` for `<function=NAME>`.
    pub by_name: bool,
    /// A `suspect_marker` was said of it.
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

/// `[A-Za-z0-9_.-]`: the name of an element that nobody declared.
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

/// `text`, exactly.
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

/// One of them.
pub fn any_literal(input: &str, at: usize, texts: &[&str]) -> Seen {
    any(texts.iter().map(|text| literal(input, at, text)))
}

pub fn skip_spaces(input: &str, at: usize) -> usize {
    input.len() - input[at..].trim_start_matches(is_space).len()
}

/// Whether nothing but white space stands there.
pub fn is_blank(text: &str) -> bool {
    text.trim_matches(is_space).is_empty()
}

/// `ws` after a marker: at most 256 bytes.
pub fn ws(input: &str, at: usize) -> Seen {
    let end = skip_spaces(input, at);
    if end - at > WHITE_SPACE { Err(Miss::TooLong) } else { Ok(end) }
}

/// One or more characters of a name, at most 128 bytes, and what stops them: gives the end.
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

/// `head NAME ">"`: gives the name's end and the tag's.
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

/// The same: where it ends.
pub fn plain_tag(input: &str, at: usize) -> Option<usize> {
    named_tag(input, at, "<", is_plain).ok().map(|(_, end)| end)
}

/// `<think>` or `<thinking>`; with `</`, either closer.
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
