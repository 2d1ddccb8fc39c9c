//! Lines that begin with keywords, and lines of code fences.
//!
//! ```text
//! keyword-line := lead word [close] blanks colon [close]
//! lead  := up to 32 of: space, tab, * _ # > `       the run of * _ ` at its end is the decoration
//! close := the decoration in reverse order, once: before the colon or right behind it
//! word  := a keyword, ASCII case-insensitive; between its words up to 16 of space, tab, _ and -, or nothing; behind
//!          each word up to 16 blanks and up to 4 digits may stand
//! colon := ":" or U+FF1A
//! fence := up to 3 blanks "```" blanks word? blanks line-end
//! ```

use super::React;
use crate::family::Look;
use crate::options::{Options, bounds};
use crate::read::cursor::{Class, Cursor, Half, More, No, Step, Way};
use crate::read::wait::Wait;

/// Longest lead of a line with a keyword, in bytes.
const LEAD: usize = 32;
/// Longest run of blanks, or of the text between two words, in bytes.
const BLANKS: usize = 16;
/// Most digits behind a word.
const DIGITS: usize = 4;
/// Longest info word of a code fence, and longest run of blanks on either side of it, in bytes.
pub(super) const INFO: usize = 120;

/// The keywords of lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keyword {
    Thought,
    Action,
    Input,
    Observation,
    Question,
    Answer,
}

impl Keyword {
    /// The role of a line in text that begins with it.
    pub fn role(self) -> Way {
        Half::NONE.role(match self {
            Keyword::Thought => "opener of reasoning",
            Keyword::Action => "opener of a call",
            Keyword::Input => "opener of an input without a call",
            Keyword::Observation => "result that the model invents",
            Keyword::Question => "markup",
            Keyword::Answer => "opener of the answer",
        })
    }

    /// Whether a step begins with it: a thought or a call.
    pub fn is_step(self) -> bool {
        matches!(self, Keyword::Thought | Keyword::Action)
    }
}

/// A keyword at the beginning of a line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found<'t> {
    pub keyword: Keyword,
    /// The decoration of the keyword, if it was not closed before the colon.
    open: &'t str,
}

impl Found<'_> {
    /// Behind the colon: reads the closer of the decoration, if all of it is there.
    pub fn close(&self, c: &mut Cursor<'_>) -> Step<()> {
        let start = c.pos;
        for sign in self.open.bytes().rev() {
            match c.byte_of(&[sign]) {
                Err(More) if !c.ended() => return Err(More),
                Err(_) => {
                    c.pos = start;
                    break;
                }
                Ok(_) => {}
            }
        }
        Ok(())
    }
}

impl React {
    /// Reads one of these keywords, up to its colon.
    pub(super) fn keyword<'t>(
        &self,
        look: &Look<'_>,
        counts: impl Fn(Keyword) -> bool,
        c: &mut Cursor<'t>,
    ) -> Step<Found<'t>> {
        let decoration = lead(look.quotes, c)?;
        let (behind, first) = (*c, c.peek()?);
        let begins = |words: &str| {
            let letter = words.trim_ascii_start().bytes().next();
            c.is_explained() || letter.is_none_or(|letter| letter.eq_ignore_ascii_case(&first))
        };
        let mut stuck = No;
        for (keyword, words) in self.spelled(look.options) {
            if !begins(words) || !counts(keyword) {
                continue;
            }
            let mut at = behind;
            match keyword_words(words, decoration, &mut at) {
                Err(No) => {}
                Err(More) => stuck = More,
                Ok(open) => {
                    *c = at;
                    return Ok(Found { keyword, open });
                }
            }
        }
        if stuck == More { behind.more() } else { Err(No) }
    }

    /// Reads white space, and a line that begins with one of these keywords.
    pub(super) fn follows(
        &self,
        look: &Look<'_>,
        counts: impl Fn(Keyword) -> bool,
        c: &mut Cursor<'_>,
    ) -> Step<()> {
        let start = c.pos;
        let white = c.run(Class::White, 0, bounds::WHITE_SPACE)?;
        c.pos = start + white.rfind('\n').map_or(0, |feed| feed + 1);
        self.keyword(look, counts, c).map(|_| ())
    }

    /// Reads a line in which the end of the stream cuts the stop word of results.
    pub(super) fn half_stop_word(&self, look: &Look<'_>, c: &mut Cursor<'_>) -> Step<()> {
        if !c.ended() {
            return Err(No);
        }
        let begins = c.ahead(|c| {
            lead(look.quotes, c)?;
            if c.bytes().len() < HALF { Err(No) } else { Ok(()) }
        });
        begins?;
        let word = c.ahead(|c| self.keyword(look, |of| of == Keyword::Observation, c));
        if word.is_ok() || word.is_err_and(|stuck| stuck == No) {
            return Err(No);
        }
        c.pos += c.rest().len();
        c.or_end(|c| c.more())
    }

    /// Whether something stands behind the lead of a line.
    pub(super) fn has_letters(&self, look: &Look<'_>, c: &Cursor<'_>) -> bool {
        c.ahead(|c| lead(look.quotes, c)).is_ok()
    }

    /// Returns the keywords in their spellings: the dialect's, and those of the options for the answer.
    fn spelled<'a>(&'a self, options: &'a Options) -> impl Iterator<Item = (Keyword, &'a str)> {
        let asked = options.answer_keywords.as_deref();
        let own = if asked.is_some() { &self.keywords[..self.answers] } else { &self.keywords };
        let asked = asked.unwrap_or_default().iter();
        let own = own.iter().map(|(keyword, words)| (*keyword, &**words));
        own.chain(asked.map(|words| (Keyword::Answer, &**words)))
    }

    /// Whether a line that goes on like this may be a marker, as far as its lead and four letters show.
    pub(super) fn may_begin_line(&self, options: &Options, line: &[u8]) -> bool {
        let of_lead = |byte: &&u8| self.lines[0].asks(**byte);
        let lead = line.iter().take(LEAD + 1).take_while(of_lead).count();
        let ticks = line[..lead.min(4)].contains(&b'`');
        let rest = &line[lead..];
        let begins = |words: &String| {
            let letters = words.bytes().filter(|byte| !byte.is_ascii_whitespace()).zip(rest);
            letters.take(2).all(|(known, byte)| known.eq_ignore_ascii_case(byte))
        };
        self.lines[0].fit(rest, || false)
            || rest.is_empty()
            || ticks
            || options.answer_keywords.iter().flatten().any(begins)
    }
}

/// The least bytes of a stop word that show it.
const HALF: usize = 3;

/// The characters that may stand before a keyword.
pub(super) const LEADS: [u8; 7] = *b" \t*_`#>";

fn is_lead(byte: u8) -> bool {
    LEADS.contains(&byte)
}

/// Reads the text before a keyword. Returns the decoration at its end.
fn lead<'t>(quotes: bool, c: &mut Cursor<'t>) -> Step<&'t str> {
    let lead = c.bytes().iter().take(LEAD + 1).take_while(|byte| is_lead(**byte)).count();
    if lead > LEAD || quotes && c.bytes()[..lead].contains(&b'`') {
        return Err(No);
    }
    let start = c.pos;
    c.pos += lead;
    c.peek()?;
    let lead = c.since(start);
    Ok(&lead[lead.trim_end_matches(['*', '_', '`']).len()..])
}

/// Skips at most so many bytes of a class. Something comes behind them.
fn skip(c: &mut Cursor<'_>, most: usize, fits: fn(u8) -> bool) -> Step<u8> {
    c.pos += c.bytes().iter().take(most).take_while(|byte| fits(**byte)).count();
    c.peek()
}

fn is_blank(byte: u8) -> bool {
    Class::Gap.has_byte(byte)
}

/// Reads the words of a keyword behind its lead, up to the colon. Returns the decoration, if it is still
/// open.
fn keyword_words<'t>(words: &str, decoration: &'t str, c: &mut Cursor<'t>) -> Step<&'t str> {
    for (number, word) in words.split_ascii_whitespace().enumerate() {
        if number > 0 {
            skip(c, BLANKS, |byte| is_blank(byte) || matches!(byte, b'_' | b'-'))?;
        }
        c.word(word)?;
        skip(c, BLANKS, is_blank)?;
        skip(c, DIGITS, |byte| byte.is_ascii_digit())?;
    }
    let mut open = decoration;
    if decoration.as_bytes().last() == Some(&c.peek()?) {
        for sign in decoration.bytes().rev() {
            c.byte_of(&[sign])?;
        }
        open = "";
    }
    skip(c, BLANKS, is_blank)?;
    // The first case is by far the most frequent.
    if c.peek()? == b':' {
        c.pos += 1;
    } else {
        c.any(&[":", "\u{FF1A}"])?;
    }
    Ok(open)
}

/// Reads the rest of a line and waits for its end. The line begins at `start`.
pub(super) fn whole(start: usize, c: &mut Cursor<'_>) -> Step<()> {
    let most = bounds::LINE.saturating_sub(c.pos - start);
    let come = c.bytes();
    match come.iter().take(most).position(|byte| *byte == b'\n') {
        Some(feed) => {
            c.pos += feed + 1;
            Ok(())
        }
        None if come.len() >= most => Err(No),
        None => c.wait(Wait::Run(Class::Line, (most - come.len() - 1) as u16)),
    }
}

/// Reads blanks up to the end of the line, or of the stream.
pub(super) fn end(c: &mut Cursor<'_>) -> Step<()> {
    let start = c.pos;
    c.or_end(|c| {
        c.run(Class::Blank, 0, bounds::LINE)?;
        c.literal("\n")
    })?;
    if c.ended() && !c.since(start).ends_with('\n') {
        c.pos += c.rest().len();
    }
    Ok(())
}

/// Skips blanks on either side of an info word.
pub(super) fn gap(c: &mut Cursor<'_>) -> Step<()> {
    let blanks = Class::Gap.run(c.rest(), INFO);
    if blanks > INFO {
        return Err(No);
    }
    c.pos += blanks;
    Ok(())
}

/// Reads the line that closes a code fence.
pub(super) fn closing_fence(c: &mut Cursor<'_>) -> Step<()> {
    ticks(c)?;
    end(c)
}

/// Reads the line of a code fence. Returns whether it may close a fence: it has no info word.
pub(super) fn fence(c: &mut Cursor<'_>) -> Step<bool> {
    ticks(c)?;
    let of_word = |byte: &&u8| !matches!(**byte, b'`' | b'<') && !Class::White.has_byte(**byte);
    let word = c.bytes().iter().take(INFO + 1).take_while(of_word).count();
    if word > INFO {
        return Err(No);
    }
    // (The word ends between characters: a line end or a blank stands behind it.)
    c.pos += word;
    end(c).map(|()| word == 0)
}

fn ticks(c: &mut Cursor<'_>) -> Step<()> {
    c.up_to(3, Class::Gap)?;
    c.literal("```")?;
    gap(c)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::cursor::{End, Notes};

    /// Returns the length of a keyword in a line, up to its colon.
    fn read(line: &str, keyword: &str) -> Option<usize> {
        let notes = Notes::new(End::No, None, false);
        let mut c = Cursor::new(line, 0, &notes);
        let decoration = lead(false, &mut c).ok()?;
        keyword_words(keyword, decoration, &mut c).ok()?;
        Some(c.pos)
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

    /// Behind a word blanks may stand twice, 16 at most: before a number and behind it, or before the next word.
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
}
