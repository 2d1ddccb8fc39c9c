//! Lines: keyword lines, code fence lines, and what stands on the next line that is not blank.
//! Nothing in this file has a state.
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

/// Which keyword.
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
    /// After its line break.
    pub end: usize,
}

/// The input as lines.
#[derive(Clone, Copy, Debug)]
pub struct Lines<'a> {
    pub input: &'a str,
    /// `None`: the dialect's own.
    pub answers: Option<&'a [String]>,
    /// `fences = quote`: no keyword line has a back-tick before its word.
    pub quote: bool,
}

impl<'a> Lines<'a> {
    /// Before the line break of the line that `at` is in (a CR before it belongs to the line).
    pub fn end(&self, at: usize) -> usize {
        self.input[at..].find('\n').map_or(self.input.len(), |len| at + len)
    }

    /// After it.
    pub fn next(&self, at: usize) -> usize {
        self.input.len().min(self.end(at) + 1)
    }

    /// The start of the line that `at` is in, but not before `first`.
    pub fn start(&self, at: usize, first: usize) -> usize {
        self.input[first..at].rfind('\n').map_or(first, |lf| first + lf + 1)
    }

    /// The keyword line that begins at `at`: its keyword and where it ends.
    pub fn keyword(&self, at: usize) -> Option<(Keyword, usize)> {
        let own = NAMES.iter().map(|(keyword, name)| (*keyword, *name));
        let answers = self.answers.unwrap_or_default().iter().map(|name| &**name);
        let answers = answers.chain(self.answers.is_none().then_some("Final Answer"));
        let answers = answers.map(|name| (Keyword::Answer, name));
        own.chain(answers).find_map(|(keyword, name)| Some((keyword, self.line(at, name).ok()?)))
    }

    /// Whether the stream ends in a keyword line of this name, which has this many letters at
    /// least.
    pub fn is_cut(&self, at: usize, name: &str, letters: usize) -> bool {
        let word = self.input[at..].trim_start_matches(is_lead);
        let found = word.chars().take_while(char::is_ascii_alphabetic).count();
        self.is_open(at, name) && found >= letters
    }

    /// Whether the stream ends before it is known if this is a keyword line of this name.
    pub fn is_open(&self, at: usize, name: &str) -> bool {
        self.line(at, name) == Err(Miss::Cut)
    }

    /// Whether the next line that is not blank begins with one of these keywords. It must be near,
    /// and this line not too long.
    pub fn followed_by(&self, at: usize, keywords: &[Keyword]) -> bool {
        self.end(at) - at <= HELD && self.next_begins(at, keywords)
    }

    /// The same, however long this line is.
    pub fn next_begins(&self, at: usize, keywords: &[Keyword]) -> bool {
        let end = self.end(at);
        let next = skip_spaces(self.input, end);
        let near = next.saturating_sub(self.next(at)) <= HELD;
        let found = self.keyword(self.start(next, end));
        near && found.is_some_and(|(keyword, _)| keywords.contains(&keyword))
    }

    /// After blank lines, none of them longer than what is held: the start of the first line that
    /// is not blank.
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

    /// A fence line without an info word: it can close.
    pub fn bare_fence(&self, at: usize) -> Option<Fence<'a>> {
        self.fence(at).filter(|fence| fence.info.is_empty())
    }

    /// A keyword line of this name: gives its end.
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

/// The characters from `at` on that are such, at most `most` of them (all are ASCII).
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
