//! P5, the line: whether a line begins with a keyword.
//!
//! ```text
//! keyword-line := lead word close? blanks colon close?       (crate::dialect::lines has the details)
//! fence-line   := up to 3 blanks, three back-ticks, an info word or nothing, line end
//! ```
//! Both are pure functions of the line's beginning, which is short and held while it is undecided:
//! no state to carry. Text ends here: [`Found::More`], or a decision if the stream ends, too.

use crate::dialect::lines::{LineSpec, Role};
use crate::options::{Fences, Options};
use crate::tables::PartNumber;

/// Longest lead of a keyword line, in bytes.
pub(crate) const LEAD: usize = 32;
/// Longest run of blanks, or of what may stand between two words, in bytes.
const BLANKS: usize = 16;
/// Most digits behind a word.
const DIGITS: usize = 4;
/// Longest fence line, in bytes.
pub(crate) const FENCE: usize = 128;

/// What a line begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// Nothing that counts.
    No,
    /// What is there may yet become something.
    More,
    /// A keyword line up to its close: `len` bytes.
    Keyword { role: Role, len: usize },
}

/// A fence line, or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FenceLine {
    No,
    More,
    /// With its line end `len` bytes; `bare`: without an info word.
    Fence {
        bare: bool,
        len: usize,
    },
}

/// The keywords of a dialect, split into words.
#[derive(Clone, Debug)]
pub(crate) struct LineTable {
    pub spec: LineSpec,
    /// Which of the parser's dialects it is.
    pub part: PartNumber,
    keywords: Vec<Keyword>,
    /// A back-tick before the word makes it quoted.
    quote: bool,
    /// By byte: whether a keyword line can begin with it.
    first: Box<[bool]>,
}

/// A keyword, split into words.
#[derive(Clone, Debug)]
struct Keyword {
    words: Vec<String>,
    role: Role,
    /// Its first letter, in lower case: most lines are answered by one look at theirs.
    first: u8,
}

impl LineTable {
    /// The keywords of the spec; those for the answer replaced, if the options say so.
    pub fn new(spec: &LineSpec, options: &Options, part: PartNumber) -> LineTable {
        let answers = options.answer_keywords.as_deref();
        let own = spec.keywords.iter().map(|keyword| (&*keyword.words, keyword.role));
        let own = own.filter(|(_, role)| answers.is_none() || *role != Role::Answer);
        let answers = answers.unwrap_or_default().iter().map(|words| (&**words, Role::Answer));
        let split = |words: &str| words.split_whitespace().map(String::from).collect::<Vec<_>>();
        let keyword = |(words, role): (&str, Role)| {
            let first = words.bytes().find(|byte| !byte.is_ascii_whitespace())?;
            Some(Keyword { words: split(words), role, first: first.to_ascii_lowercase() })
        };
        let keywords: Vec<_> = own.chain(answers).filter_map(keyword).collect();
        let mut first = vec![false; 256];
        (0..=u8::MAX).filter(|byte| is_lead(*byte)).for_each(|byte| first[byte as usize] = true);
        for keyword in &keywords {
            first[keyword.first as usize] = true;
            first[keyword.first.to_ascii_uppercase() as usize] = true;
        }
        LineTable {
            spec: spec.clone(),
            part,
            quote: options.fences == Fences::Quote,
            keywords,
            first: first.into(),
        }
    }

    /// A glance at the beginning of a line: surely neither keyword nor fence.
    #[inline]
    pub fn is_dull(&self, line: &str) -> bool {
        match line.as_bytes().first() {
            None => false,
            Some(&byte) if !self.first[byte as usize] => true,
            Some(&byte) => {
                let may_fence = is_blank(byte) || byte == b'`';
                self.keyword(line, false) == Found::No
                    && !(may_fence && fence_line(line, false) != FenceLine::No)
            }
        }
    }

    /// What the line at the beginning of `text` begins with. `end`: nothing follows the text.
    pub fn keyword(&self, text: &str, end: bool) -> Found {
        let bytes = text.as_bytes();
        let lead = bytes.iter().take(LEAD + 1).take_while(|byte| is_lead(**byte)).count();
        if lead > LEAD || lead == bytes.len() {
            return if lead > LEAD || end { Found::No } else { Found::More };
        }
        if self.quote && bytes[..lead].contains(&b'`') {
            return Found::No;
        }
        let line = Line::new(bytes, lead);
        let first = bytes[lead].to_ascii_lowercase();
        let mut found = Found::No;
        for keyword in self.keywords.iter().filter(|keyword| keyword.first == first) {
            match line.read(&keyword.words, &self.spec, end) {
                Read::Whole(len) => return Found::Keyword { role: keyword.role, len: lead + len },
                Read::Short if !end => found = Found::More,
                Read::Short | Read::No => {}
            }
        }
        found
    }

    /// Whether the text is the beginning of a keyword line of this role, with at least so many
    /// letters, or all of one but its colon.
    pub fn is_cut(&self, text: &str, role: Role, letters: usize) -> bool {
        let lead = text.bytes().take_while(|byte| is_lead(*byte)).count();
        let word = text[lead..].bytes().take_while(u8::is_ascii_alphabetic).count();
        let half = |keyword: &Keyword| {
            let line = Line::new(text.as_bytes(), lead);
            keyword.role == role && line.read(&keyword.words, &self.spec, false) == Read::Short
        };
        let quoted = self.quote && text[..lead].contains('`');
        word >= letters && lead <= LEAD && !quoted && self.keywords.iter().any(half)
    }
}

/// A line behind its lead.
struct Line<'a> {
    rest: &'a [u8],
    decoration: &'a [u8],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Read {
    No,
    /// The text ends where it may go on.
    Short,
    /// This many bytes.
    Whole(usize),
}

impl<'a> Line<'a> {
    /// The run of signs at the end of the lead is the decoration.
    fn new(bytes: &'a [u8], lead: usize) -> Line<'a> {
        let signs = bytes[..lead].iter().rev().take_while(|byte| is_decoration(**byte)).count();
        Line { rest: &bytes[lead..], decoration: &bytes[lead - signs..lead] }
    }

    fn read(&self, words: &[String], spec: &LineSpec, end: bool) -> Read {
        let mut at = 0;
        for (number, word) in words.iter().enumerate() {
            if number > 0 {
                at += run(&self.rest[at..], BLANKS, |byte| {
                    is_blank(byte) || matches!(byte, b'_' | b'-')
                });
            }
            let rest = &self.rest[at..];
            let there = rest.len().min(word.len());
            if !rest[..there].eq_ignore_ascii_case(&word.as_bytes()[..there]) {
                return Read::No;
            }
            at += there;
            if there < word.len() {
                return Read::Short;
            }
            at += run(&self.rest[at..], BLANKS, is_blank);
            at += run(&self.rest[at..], DIGITS, |byte| byte.is_ascii_digit());
        }
        let closed = match self.close(at) {
            Read::Whole(len) => len,
            Read::Short => return Read::Short,
            Read::No => 0,
        };
        at += closed;
        at += run(&self.rest[at..], BLANKS, is_blank);
        if at == self.rest.len() {
            return Read::Short;
        }
        let colon =
            |colon: &&std::borrow::Cow<'_, str>| self.rest[at..].starts_with(colon.as_bytes());
        let Some(colon) = spec.colons.iter().find(colon) else { return Read::No };
        at += colon.len();
        match self.close(at) {
            Read::Short if closed == 0 && !end => Read::Short,
            Read::Whole(len) if closed == 0 => Read::Whole(at + len),
            _ => Read::Whole(at),
        }
    }

    /// The decoration in reverse order.
    fn close(&self, at: usize) -> Read {
        let close = self.decoration.iter().rev();
        let same = close.zip(&self.rest[at..]).take_while(|(one, other)| one == other).count();
        match self.decoration.len() {
            0 => Read::No,
            len if same == len => Read::Whole(len),
            _ if at + same == self.rest.len() => Read::Short,
            _ => Read::No,
        }
    }
}

/// Whether the line at the beginning of `text` is a code fence. `end`: nothing follows the text.
pub(crate) fn fence_line(text: &str, end: bool) -> FenceLine {
    let bytes = text.as_bytes();
    let blanks = run(bytes, 3, is_blank);
    let ticks = run(&bytes[blanks..], 3, |byte| byte == b'`');
    let info = blanks + ticks;
    if ticks < 3 {
        let more = info == bytes.len() && !end;
        return if more { FenceLine::More } else { FenceLine::No };
    }
    let line = memchr::memchr(b'\n', &bytes[..bytes.len().min(FENCE + 1)]);
    let word = text[info..line.unwrap_or(bytes.len())].trim_matches([' ', '\t', '\r']);
    if word.contains(['`', ' ', '\t', '\r']) {
        return FenceLine::No;
    }
    match line {
        Some(line) => FenceLine::Fence { bare: word.is_empty(), len: line + 1 },
        None if bytes.len() > FENCE => FenceLine::No,
        None if end => FenceLine::Fence { bare: word.is_empty(), len: bytes.len() },
        None => FenceLine::More,
    }
}

/// How many bytes of a class stand at the beginning, at most `most`.
fn run(bytes: &[u8], most: usize, class: impl Fn(u8) -> bool) -> usize {
    bytes.iter().take(most).take_while(|byte| class(**byte)).count()
}

pub(crate) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

fn is_decoration(byte: u8) -> bool {
    matches!(byte, b'*' | b'_' | b'`')
}

pub(crate) fn is_lead(byte: u8) -> bool {
    is_blank(byte) || is_decoration(byte) || matches!(byte, b'#' | b'>')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::react::LINES;

    fn found(text: &str) -> Found {
        LineTable::new(&LINES, &Options::default(), 0).keyword(text, false)
    }

    #[test]
    fn keyword_lines() {
        let whole = [
            ("Thought:", Role::Thought),
            ("### thought 12:", Role::Thought),
            ("> **Action**:", Role::Action),
            ("**Action:**", Role::Action),
            ("_Action_:", Role::Action),
            ("_Action_Input_:", Role::Input),
            ("Action 2 Input 2:", Role::Input),
            ("actioninput\u{FF1A}", Role::Input),
        ];
        for (line, role) in whole {
            assert_eq!(found(line), Found::Keyword { role, len: line.len() }, "{line}");
            // What closes a decoration may yet come, or not.
            for (cut, _) in line.char_indices().filter(|(cut, _)| !line[..*cut].contains(':')) {
                assert_eq!(found(&line[..cut]), Found::More, "{}", &line[..cut]);
            }
        }
        for line in
            ["Actionable", "Thoughtful:", "- Action:", "the Action:", "Action 12345:", "Action x:"]
        {
            assert_eq!(found(line), Found::No, "{line}");
        }
    }

    #[test]
    fn the_decoration_closes_once() {
        let len = |text| match found(text) {
            Found::Keyword { len, .. } => len,
            other => panic!("{other:?}"),
        };
        assert_eq!(len("Final Answer: **Paris**"), "Final Answer:".len());
        assert_eq!(len("**Action:* x"), "**Action:".len());
        assert_eq!(len("**Action**:** x"), "**Action**:".len());
        assert_eq!(found("**Action:*"), Found::More);
    }

    #[test]
    fn fence_lines() {
        let fence = |bare, len| FenceLine::Fence { bare, len };
        assert_eq!(fence_line("```\nx", false), fence(true, 4));
        assert_eq!(fence_line("  ```json \r\n", false), fence(false, 12));
        assert_eq!(fence_line("```json", false), FenceLine::More);
        assert_eq!(fence_line("```json", true), fence(false, 7));
        assert_eq!(fence_line("```two words\n", false), FenceLine::No);
        assert_eq!(fence_line("    ```\n", false), FenceLine::No);
        assert_eq!(fence_line("``x", false), FenceLine::No);
    }
}
