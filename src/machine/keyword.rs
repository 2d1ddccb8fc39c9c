//! How a line begins with a keyword.
//!
//! ```text
//! keyword-line := lead word [close] blanks colon [close]
//! lead  := up to 32 of: space, tab, * _ # > `       the run of * _ ` at its end is the decoration
//! close := the decoration in reverse order, once: before the colon or directly after it
//! word  := a keyword, ASCII case-insensitive; between its words up to 16 of space, tab, _ and -, or
//!          nothing; after each word up to 16 blanks and up to 4 digits may stand
//! colon := ":" or U+FF1A
//! ```
//! A handful of numbers, moved by one character at a time. The close after the colon is not read here:
//! whoever goes on after the colon takes it off, if it comes.

/// Longest lead of a keyword line, in bytes.
pub(crate) const LEAD: u8 = 32;
/// Longest run of blanks, or of what may stand between two words, in bytes.
const BLANKS: u8 = 16;
/// Most digits after a word.
const DIGITS: u8 = 4;

/// How much of a keyword line has been read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct KeywordState {
    phase: Phase,
    /// Bytes of the lead.
    pub lead: u8,
    /// Bytes of the decoration at its end.
    pub decoration: u8,
    /// The number of the present word.
    word: u8,
    /// Bytes of the present word, run, or close.
    read: u8,
    /// The decoration was closed before the colon.
    pub closed: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Phase {
    #[default]
    Lead,
    Word,
    Blanks,
    Digits,
    Between,
    Close,
    BeforeColon,
}

/// What a character did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Taken {
    More,
    /// It was the colon.
    Whole,
    No,
}

impl KeywordState {
    /// At a line of which the first `blanks` were read already.
    pub fn after(blanks: u8) -> KeywordState {
        KeywordState { lead: blanks.min(LEAD + 1), ..KeywordState::default() }
    }

    /// How many letters of the keyword have been read, at most 255; all of them once a word is whole.
    pub fn letters(&self) -> u8 {
        match self.phase {
            Phase::Lead => 0,
            Phase::Word if self.word == 0 => self.read,
            _ => u8::MAX,
        }
    }

    /// Takes the next character. `decoration`: the bytes of the decoration.
    pub fn take(
        &mut self,
        next: &[u8],
        words: &[Box<str>],
        decoration: impl Fn(u8) -> Option<u8>,
    ) -> Taken {
        let byte = if let [byte] = *next { byte } else { 0 };
        loop {
            match self.phase {
                Phase::Lead if is_lead(byte) && self.lead < LEAD => {
                    self.lead += 1;
                    self.decoration = if is_decoration(byte) { self.decoration + 1 } else { 0 };
                    return Taken::More;
                }
                Phase::Lead if is_lead(byte) || self.lead > LEAD => return Taken::No,
                Phase::Lead => self.enter(Phase::Word),
                Phase::Word => return self.letter(next, words[self.word as usize].as_bytes()),
                Phase::Blanks if is_blank(byte) && self.read < BLANKS => return self.counted(),
                Phase::Blanks => self.enter(Phase::Digits),
                Phase::Digits if byte.is_ascii_digit() && self.read < DIGITS => {
                    return self.counted();
                }
                Phase::Digits if (self.word as usize) + 1 < words.len() => {
                    self.enter(Phase::Between)
                }
                Phase::Digits => self.enter(Phase::Close),
                Phase::Between
                    if (is_blank(byte) || matches!(byte, b'_' | b'-')) && self.read < BLANKS =>
                {
                    return self.counted();
                }
                Phase::Between => {
                    self.word += 1;
                    self.enter(Phase::Word);
                }
                Phase::Close => {
                    let wanted = self.decoration.checked_sub(self.read + 1).and_then(&decoration);
                    if wanted == Some(byte) {
                        self.read += 1;
                        if self.read == self.decoration {
                            self.closed = true;
                            self.enter(Phase::BeforeColon);
                        }
                        return Taken::More;
                    }
                    if self.read > 0 {
                        return Taken::No;
                    }
                    self.enter(Phase::BeforeColon);
                }
                Phase::BeforeColon if is_blank(byte) && self.read < BLANKS => {
                    return self.counted();
                }
                Phase::BeforeColon => {
                    let colon = next == b":" || next == "\u{FF1A}".as_bytes();
                    return if colon { Taken::Whole } else { Taken::No };
                }
            }
        }
    }

    /// Takes the letters of the word that come next, all in one go; gives how many they are.
    pub fn take_letters(&mut self, bytes: &[u8], words: &[Box<str>]) -> usize {
        let begins = self.phase == Phase::Lead && self.lead <= LEAD;
        if !(begins && !is_lead(bytes[0]) || self.phase == Phase::Word) {
            return 0;
        }
        let word = words[self.word as usize].as_bytes();
        let rest = &word[if begins { 0 } else { self.read as usize }..];
        let letter =
            |(known, byte): &(&u8, &u8)| known.is_ascii() && known.eq_ignore_ascii_case(byte);
        let same = rest.iter().zip(bytes).take_while(letter).count();
        if same > 0 {
            if begins {
                self.enter(Phase::Word);
            }
            self.read += same as u8;
            if same == rest.len() {
                self.enter(Phase::Blanks);
            }
        }
        same
    }

    /// The next character of a word.
    fn letter(&mut self, next: &[u8], word: &[u8]) -> Taken {
        let end = self.read as usize + next.len();
        let known = word.get(self.read as usize..end);
        if !known.is_some_and(|known| known.eq_ignore_ascii_case(next)) {
            return Taken::No;
        }
        self.read = end as u8;
        if end == word.len() {
            self.enter(Phase::Blanks);
        }
        Taken::More
    }

    fn enter(&mut self, phase: Phase) {
        (self.phase, self.read) = (phase, 0);
    }

    fn counted(&mut self) -> Taken {
        self.read += 1;
        Taken::More
    }
}

/// A keyword as it is compared: its words, in lower case.
pub(crate) fn words(text: &str) -> Box<[Box<str>]> {
    text.split_ascii_whitespace().map(|word| word.to_ascii_lowercase().into()).collect()
}

/// Whether a line begins with one of these keywords.
pub(crate) fn begins_line<'a>(
    line: &str,
    mut keywords: impl Iterator<Item = &'a Box<[Box<str>]>>,
) -> bool {
    keywords.any(|words| line_len(line, words).is_some())
}

/// How many bytes of the line this keyword takes, up to its colon.
fn line_len(line: &str, words: &[Box<str>]) -> Option<usize> {
    let mut state = KeywordState::default();
    for (at, c) in line.char_indices() {
        let end = at + c.len_utf8();
        let (lead, decoration) = (state.lead as usize, state.decoration as usize);
        let close = |at: u8| line.as_bytes().get(lead - decoration + at as usize).copied();
        match state.take(&line.as_bytes()[at..end], words, close) {
            Taken::More => {}
            Taken::Whole => return Some(end),
            Taken::No => return None,
        }
    }
    None
}

/// The first two bytes of keywords, by byte, in either case: most lines have others.
#[derive(Clone, Debug)]
pub(crate) struct Letters([[bool; 256]; 2]);

impl Default for Letters {
    fn default() -> Letters {
        Letters([[false; 256]; 2])
    }
}

impl Letters {
    pub fn add(&mut self, words: &[Box<str>]) {
        let word = words.first().map_or(&[][..], |word| word.as_bytes());
        for (set, at) in self.0.iter_mut().zip(0..) {
            match word.get(at) {
                Some(byte) => {
                    set[*byte as usize] = true;
                    set[byte.to_ascii_uppercase() as usize] = true;
                }
                None => set.fill(true),
            }
        }
    }

    /// Whether one may begin like this.
    #[inline]
    pub fn fit(&self, text: &[u8]) -> bool {
        let fits = |at: usize| text.get(at).is_none_or(|byte| self.0[at][*byte as usize]);
        fits(0) && fits(1)
    }
}

/// What stands after the lead of a line, if a keyword may.
#[inline]
pub(crate) fn after_lead(line: &[u8]) -> Option<&[u8]> {
    let most = LEAD as usize + 1;
    let lead = line.iter().take(most).take_while(|byte| is_lead(**byte)).count();
    (lead < most).then_some(&line[lead..])
}

/// Whether a line that goes on like this after its lead may begin with this keyword.
pub(crate) fn may_begin(words: &[Box<str>], line: &[u8]) -> bool {
    let word = words.first().map_or(&[][..], |word| word.as_bytes());
    word.iter().zip(line).all(|(known, byte)| known.eq_ignore_ascii_case(byte))
}

/// The bytes that a line with a keyword can begin with.
pub(crate) fn first_bytes(words: &[Box<str>], first: &mut [bool]) {
    (0..=u8::MAX).filter(|byte| is_lead(*byte)).for_each(|byte| first[byte as usize] = true);
    if let Some(&letter) = words.first().and_then(|word| word.as_bytes().first()) {
        first[letter as usize] = true;
        first[letter.to_ascii_uppercase() as usize] = true;
    }
}

pub(crate) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

fn is_decoration(byte: u8) -> bool {
    matches!(byte, b'*' | b'_' | b'`')
}

fn is_lead(byte: u8) -> bool {
    LEADS[byte as usize]
}

/// What a lead is made of, by byte: it is asked of each line.
const LEADS: [bool; 256] = {
    let (mut leads, mut at, all) = ([false; 256], 0, b" \t*_`#>");
    while at < all.len() {
        leads[all[at] as usize] = true;
        at += 1;
    }
    leads
};

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str, keyword: &str) -> Option<usize> {
        line_len(line, &words(keyword))
    }

    #[test]
    fn keyword_lines() {
        for (line, keyword) in [
            ("Thought:", "Thought"),
            ("### thought 12:", "Thought"),
            ("> **Action**:", "Action"),
            ("**Action:", "Action"),
            ("_Action_:", "Action"),
            ("_Action_Input_:", "Action Input"),
            ("Action 2 Input 2:", "Action Input"),
            ("actioninput\u{FF1A}", "Action Input"),
        ] {
            assert_eq!(read(line, keyword), Some(line.len()), "{line}");
        }
        for line in [
            "Actionable",
            "Thoughtful:",
            "- Action:",
            "the Action:",
            "Action 12345:",
            "Action x:",
            "**Action*:",
        ] {
            assert_eq!(read(line, "Action"), None, "{line}");
        }
        let long = format!("{}Action:", " ".repeat(33));
        assert_eq!((read(&long, "Action"), read(&long[1..], "Action")), (None, Some(39)));
    }

    /// After a word blanks may stand twice, 16 at most: before a number and after it, or before the next word.
    #[test]
    fn so_many_blanks() {
        let run = |sign: &str| sign.repeat(16);
        for (line, keyword, longer) in [
            (format!("Action{}{}:", run(" "), run(" ")), "Action", " "),
            (format!("Action{}1{}:", run(" "), run(" ")), "Action", " "),
            (format!("Action1{}:", run(" ")), "Action", " "),
            (format!("Action{}{}Input:", run(" "), run(" ")), "Action Input", " "),
            (format!("Action{}1{}Input:", run(" "), run("_")), "Action Input", "_"),
        ] {
            assert_eq!(read(&line, keyword), Some(line.len()), "{line}");
            let longer = line.replacen(longer, &longer.repeat(2), 1);
            assert_eq!(read(&longer, keyword), None, "{longer}");
        }
    }

    /// Blanks that were read before belong to the lead, and too many refuse the line.
    #[test]
    fn a_line_that_has_begun() {
        let keyword = words("Action Input");
        let none = |_: u8| None;
        for (blanks, taken) in
            [(0, Taken::More), (32, Taken::More), (33, Taken::No), (40, Taken::No)]
        {
            let mut state = KeywordState::after(blanks);
            assert_eq!(state.take_letters(b"ac", &keyword), if taken == Taken::No { 0 } else { 2 });
            let mut state = KeywordState::after(blanks);
            assert_eq!(state.take(b"a", &keyword, none), taken, "{blanks}");
        }
        let mut state = KeywordState::after(3);
        assert_eq!((state.lead, state.letters()), (3, 0));
        assert_eq!((state.take_letters(b"ACTx", &keyword), state.letters()), (3, 3));
        for byte in *b"ion in" {
            assert_eq!(state.take(&[byte], &keyword, none), Taken::More);
        }
        assert_eq!(state.letters(), u8::MAX);
    }

    /// What is asked before a line is read: it may say yes where the line does not, and never the other way round.
    #[test]
    fn what_may_begin() {
        let mut letters = Letters::default();
        letters.add(&words("Action"));
        letters.add(&words("Go"));
        let texts = ["ac", "AC", "go", "a", "", "gc", "ag", "cc", "ax", "xc"];
        let fit: Vec<&str> =
            texts.into_iter().filter(|text| letters.fit(text.as_bytes())).collect();
        assert_eq!(fit, ["ac", "AC", "go", "a", "", "gc"]);
        letters.add(&words("A"));
        assert!(letters.fit(b"ax") && !letters.fit(b"xc"));
        assert_eq!(after_lead(b"> **Action"), Some(&b"Action"[..]));
        let long = [b' '; LEAD as usize + 1];
        assert_eq!((after_lead(&long), after_lead(&long[1..])), (None, Some(&b""[..])));
        assert!(may_begin(&words("Action Input"), b"actION in"));
        assert!(may_begin(&words("Action"), b"ac") && !may_begin(&words("Action"), b"ax"));
    }
}
