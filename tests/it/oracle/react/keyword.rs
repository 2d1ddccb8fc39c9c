//! Lines: keyword lines, lines of code fences, and the next line that is not blank. Nothing in this file has a state.
//!
//! ```text
//! keyword-line = lead word [close] *WSP colon [close]
//! lead  = up to 32 of: space, tab, * _ # > `         the run of * _ ` at its end: the decoration
//! close = the decoration in reverse order, once: before the colon or directly after it
//! word  = one word, or more with up to 16 of space, tab, _ and - between two of them; after each
//!         up to 16 spaces or tabs, then up to 4 digits
//! colon = ":" or U+FF1A
//! fence = up to 3 spaces or tabs, "```", at most an info word, the line's end
//! ```

use super::super::pieces::{Miss, Seen, any, is_space, literal, skip_spaces};

/// The kind of a keyword.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keyword {
    Thought,
    Action,
    ActionInput,
    Observation,
    Question,
    Answer,
}

const NAMES: [(Keyword, &str); 5] = [
    (Keyword::Thought, "Thought"),
    (Keyword::Action, "Action"),
    (Keyword::ActionInput, "Action Input"),
    (Keyword::Observation, "Observation"),
    (Keyword::Question, "Question"),
];

/// The longest line, and the longest run of white space, that a decision waits for.
pub const HELD: usize = 256;

/// A code fence line.
#[derive(Clone, Copy, Debug)]
pub struct Fence<'a> {
    pub info: &'a str,
    /// The offset behind its line break.
    pub end: usize,
}

/// The input as lines.
#[derive(Clone, Copy, Debug)]
pub struct Lines<'a> {
    pub input: &'a str,
    /// The host's keywords of an answer. `None`: the dialect's own.
    pub answers: Option<&'a [String]>,
    /// Whether `fences = quote`: then no keyword line has a back-tick before its word.
    pub quote: bool,
}

impl<'a> Lines<'a> {
    /// Returns the end of the line at `at`, before its line break. (A CR before the line break belongs to the line.)
    pub fn end(&self, at: usize) -> usize {
        self.input[at..].find('\n').map_or(self.input.len(), |len| at + len)
    }

    /// Returns the offset behind the line's break.
    pub fn next(&self, at: usize) -> usize {
        self.input.len().min(self.end(at) + 1)
    }

    /// Returns the start of the line at `at`, but not before `first`.
    pub fn start(&self, at: usize, first: usize) -> usize {
        self.input[first..at].rfind('\n').map_or(first, |lf| first + lf + 1)
    }

    /// Reads a keyword line at `at`. Returns its keyword and its end.
    pub fn keyword(&self, at: usize) -> Option<(Keyword, usize)> {
        let own = NAMES.iter().map(|(keyword, name)| (*keyword, *name));
        let answers = self.answers.unwrap_or_default().iter().map(|name| &**name);
        let answers = answers.chain(self.answers.is_none().then_some("Final Answer"));
        let answers = answers.map(|name| (Keyword::Answer, name));
        own.chain(answers).find_map(|(keyword, name)| Some((keyword, self.line(at, name).ok()?)))
    }

    /// Whether the stream ends in a keyword line of this name, of which at least this many letters have come.
    pub fn is_cut(&self, at: usize, name: &str, letters: usize) -> bool {
        let word = self.input[at..].trim_start_matches(is_lead);
        let found = word.chars().take_while(char::is_ascii_alphabetic).count();
        self.is_open(at, name) && found >= letters
    }

    /// Whether the stream ends before this is known to be a keyword line of this name.
    pub fn is_open(&self, at: usize, name: &str) -> bool {
        self.line(at, name) == Err(Miss::Cut)
    }

    /// Whether the next line that is not blank begins with one of these keywords. That line must be near, and this line not too
    /// long.
    pub fn followed_by(&self, at: usize, keywords: &[Keyword]) -> bool {
        self.end(at) - at <= HELD && self.next_begins(at, keywords)
    }

    /// Whether the next near line that is not blank begins with one of these keywords, however long this line is.
    pub fn next_begins(&self, at: usize, keywords: &[Keyword]) -> bool {
        let end = self.end(at);
        let next = skip_spaces(self.input, end);
        let near = next.saturating_sub(self.next(at)) <= HELD;
        let found = self.keyword(self.start(next, end));
        near && found.is_some_and(|(keyword, _)| keywords.contains(&keyword))
    }

    /// Returns the start of the first line that is not blank, or that is longer than may be held.
    pub fn after_blank(&self, mut at: usize) -> usize {
        while at < self.input.len() {
            let blank = self.input[at..self.end(at)].trim_matches(is_space).is_empty();
            if !blank || self.end(at) - at > HELD {
                break;
            }
            at = self.next(at);
        }
        at
    }

    pub fn fence(&self, at: usize) -> Option<Fence<'a>> {
        let line = &self.input[at..self.end(at)];
        let ticks = line.trim_start_matches(is_blank);
        let after = ticks.strip_prefix("```")?;
        let gap = after.len() - after.trim_start_matches(is_blank).len();
        let info = after[gap..].trim_end_matches(is_space);
        let fits = gap.max(info.len()) <= 120
            && after.len() - gap - info.len() <= HELD
            && line.len() - ticks.len() <= 3;
        let is_word = !info.contains(|c| is_space(c) || "`<".contains(c));
        if fits && is_word { Some(Fence { info, end: self.next(at) }) } else { None }
    }

    /// Reads a fence line without an info word. It can close a fence.
    pub fn bare_fence(&self, at: usize) -> Option<Fence<'a>> {
        self.fence(at).filter(|fence| fence.info.is_empty())
    }

    /// Reads a keyword line of this name. Returns its end.
    fn line(&self, at: usize, name: &str) -> Seen {
        let lead = run(self.input, at, is_lead, usize::MAX);
        let decoration = |c: &char| "*_`".contains(*c);
        let close: String = lead.chars().rev().take_while(decoration).collect();
        if lead.len() > 32 || self.quote && lead.contains('`') {
            return Err(Miss::No);
        }
        let mut here = at + lead.len();
        for (nth, word) in name.split(is_separator).filter(|word| !word.is_empty()).enumerate() {
            if nth > 0 {
                here += run(self.input, here, is_separator, 16).len();
            }
            here = word_ignoring_case(self.input, here, word)?;
            here += run(self.input, here, is_blank, 16).len();
            here += run(self.input, here, |c| c.is_ascii_digit(), 4).len();
        }
        let mut closed = close.is_empty();
        match literal(self.input, here, &close) {
            Ok(end) if !closed => (here, closed) = (end, true),
            Err(Miss::Cut) => return Err(Miss::Cut),
            _ => {}
        }
        here += run(self.input, here, is_blank, 16).len();
        here = any([":", "\u{ff1a}"].map(|colon| literal(self.input, here, colon)))?;
        if closed { Ok(here) } else { Ok(literal(self.input, here, &close).unwrap_or(here)) }
    }
}

fn is_lead(c: char) -> bool {
    " \t*_#>`".contains(c)
}

fn is_blank(c: char) -> bool {
    " \t".contains(c)
}

fn is_separator(c: char) -> bool {
    " \t_-".contains(c)
}

/// Returns the characters of this kind from `at` on, at most `most` of them. (All of them are ASCII.)
fn run(input: &str, at: usize, such: fn(char) -> bool, most: usize) -> &str {
    let len = input[at..].chars().take(most).take_while(|c| such(*c)).count();
    &input[at..at + len]
}

fn word_ignoring_case(input: &str, at: usize, word: &str) -> Seen {
    let rest = &input[at..];
    match (rest.get(..word.len()), word.get(..rest.len())) {
        (Some(found), _) if found.eq_ignore_ascii_case(word) => Ok(at + word.len()),
        (None, Some(beginning)) if beginning.eq_ignore_ascii_case(rest) => Err(Miss::Cut),
        _ => Err(Miss::No),
    }
}
