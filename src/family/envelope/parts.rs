//! The texts and the words of headers, and readers for headers that a message may hold.

use super::Texts;
use super::header::{Called, Header, half, word, word_ends};
use super::words::Words;
use crate::family::Look;
use crate::one_of;
use crate::options::bounds;
use crate::read::cursor::{Cursor, No, Step};

/// The words of headers that models write: roles, channels, and types of content.
const ROLES: [&str; 5] = ["assistant", "user", "system", "developer", "tool"];
const CHANNELS: [&str; 3] = ["analysis", "commentary", "final"];
pub(super) const CONTENTS: [&str; 4] = ["json", "code", "text", "xml"];

/// The texts of headers, and the words that may stand in their parts.
#[derive(Debug)]
pub(super) struct Parts {
    pub t: Texts,
    /// Texts that no header holds before a part: before the token of its message START, ends of messages and the channel's token;
    /// before the channel's token the message's token instead; before a recipient both.
    pub before_message: Vec<Box<str>>,
    pub before_channel: Vec<Box<str>>,
    before_to: Vec<Box<str>>,
    /// The common beginning of all tokens.
    pub lead: [Box<str>; 1],
    /// The tokens of headers and the ends of messages, without their common beginning.
    tokens: Vec<Box<str>>,
    /// The tokens of headers alone, as they are.
    pub headers: Vec<Box<str>>,
    pub ends: Vec<Box<str>>,
    pub next: Box<str>,
    /// All words of headers, and those without recipients.
    pub words: Words,
    no_recipients: Words,
    /// The words behind a channel's word; with other tokens; with further channels, too.
    pub contents: Words,
    pub typed: Words,
    pub all: Words,
    channels: Vec<Box<str>>,
}

/// Reads a text of the dialect. A text that the dialect lacks is never there.
pub(super) fn text_of_dialect(text: &str, c: &mut Cursor<'_>) -> Step<()> {
    if text.is_empty() { Err(No) } else { c.literal(text) }
}

/// Reads anything up to this text, unless one of the others comes before it.
pub(super) fn until(start: usize, to: &str, unless: &[Box<str>], c: &mut Cursor<'_>) -> Step<()> {
    if to.is_empty() { Err(No) } else { c.until(start, to, unless) }
}

impl Parts {
    pub fn new(t: &Texts) -> Parts {
        let texts = |more: &[&str]| -> Vec<Box<str>> {
            let others = [&*t.start].into_iter().chain(t.ends.iter().map(|end| &**end));
            let all = others.chain(more.iter().copied()).filter(|text| !text.is_empty());
            all.map(Box::from).collect()
        };
        let signs = t.start.find(|c: char| c.is_alphanumeric()).unwrap_or(0);
        let lead = &t.start[..signs];
        let without = |texts: &[&str]| -> Vec<Box<str>> {
            texts.iter().filter_map(|text| text.strip_prefix(lead)).map(Box::from).collect()
        };
        let to = [&*t.to];
        let is_new = |word: &&str, known: &[&str]| !word.is_empty() && !known.contains(word);
        let own = [&*t.thinks].into_iter().filter(|word| is_new(word, &CHANNELS));
        let channels: Vec<&str> = CHANNELS.into_iter().chain(own).collect();
        let again = channels.iter().filter(|_| !t.channel.is_empty());
        let again = again.map(|word| format!("{}{word}", t.channel));
        let types: Vec<&str> = t.constrain.iter().map(|token| &**token).collect();
        let author = [&*t.author].into_iter().filter(|word| is_new(word, &ROLES));
        let words = || channels.iter().copied().chain(ROLES).chain(CONTENTS).chain(author.clone());
        let contents = || Words::new(CONTENTS.into_iter().chain(to));
        let typed = || contents().and_tokens(types.iter().copied());
        let tokens = [&t.channel].into_iter().chain(&t.constrain).chain([&t.message]);
        Parts {
            before_message: texts(&[&t.channel]),
            before_channel: texts(&[&t.message]),
            before_to: texts(&[&t.channel, &t.message]),
            lead: [lead.into()],
            tokens: without(&[&[&*t.start, &t.channel], &types[..], &[&t.message]].concat()),
            headers: tokens.filter(|token| !token.is_empty()).cloned().collect(),
            ends: without(&t.ends.iter().map(|end| &**end).collect::<Vec<_>>()),
            next: without(&[&t.start]).pop().unwrap_or_default(),
            words: Words::new(words().chain(to)),
            no_recipients: Words::new(words()),
            contents: contents(),
            typed: typed(),
            all: typed().and(again),
            channels: channels.iter().copied().map(Box::from).collect(),
            t: t.clone(),
        }
    }

    /// Returns the header that begins here. Its marker begins at `start`.
    pub fn header<'f, 't>(&'f self, start: usize, c: &Cursor<'t>) -> Header<'f, 't> {
        let until = |to: &str, unless: &[Box<str>]| {
            let mut c = *c;
            until(start, to, unless, &mut c).map(|()| c)
        };
        Header {
            p: self,
            start,
            message: until(&self.t.message, &self.before_message),
            // At the end of the stream, a channel that may still come has not begun.
            channel: until(&self.t.channel, &self.before_channel)
                .map_err(|stuck| if c.ended() { No } else { stuck }),
            to: until(&self.t.to, &self.before_to),
        }
    }

    /// Returns the tool that a recipient names. A message to its author is no call.
    pub fn named<'t>(&self, look: &Look<'_>, to: &'t str) -> Step<Called<'t>> {
        let Texts { author, prefix, .. } = &self.t;
        let name = to.strip_prefix(&**prefix).filter(|name| !name.is_empty()).unwrap_or(to);
        if to.is_empty() || *to == **author || name.len() > bounds::NAME {
            return Err(No);
        }
        Ok(Called { name, tool: look.tools.number([name, ""]) })
    }

    /// Reads words of a header up to one of its tokens.
    pub fn is_ahead(&self, c: &mut Cursor<'_>) -> Step<()> {
        self.words.until(c.pos, &self.lead[0], c)?;
        c.any(&self.tokens)
    }

    /// Reads half a header with a recipient and no token yet.
    pub fn half_recipient(&self, c: &mut Cursor<'_>) -> Step<()> {
        let start = c.pos;
        half(
            c,
            |c| self.no_recipients.until(start, &self.t.to, c),
            |c| {
                word(c, 0)?;
                self.words.until(start, &self.lead[0], c)?;
                c.any(&self.tokens)
            },
        )
    }

    // The next header in a message.

    /// Reads a whole header, with START or its channel's token.
    pub fn next_header(&self, start: usize, c: &mut Cursor<'_>) -> Step<()> {
        one_of!(c;
            |c| {
                c.literal(&self.t.start)?;
                self.header(start, c).whole(c)
            },
            |c| self.headless(start, c),
        )
    }

    /// Reads a header whose START is missing.
    pub fn headless(&self, start: usize, c: &mut Cursor<'_>) -> Step<()> {
        text_of_dialect(&self.t.channel, c)?;
        self.behind_channel(start, c)
    }

    /// Reads half of such a header at the end of the stream, with its first token.
    pub fn half_header(&self, start: usize, c: &mut Cursor<'_>) -> Step<()> {
        let before = *c;
        half(
            c,
            |c| c.either(|c| c.literal(&self.t.start), |c| text_of_dialect(&self.t.channel, c)),
            |c| {
                *c = before;
                self.next_header(start, c)
            },
        )
    }

    /// Reads the beginning of a header up to its channel's word. The rest may show that it is not a header.
    pub fn next_channel(&self, start: usize, c: &mut Cursor<'_>) -> Step<()> {
        c.literal(&self.t.start)?;
        c.white()?;
        word(c, 0)?;
        self.words.until(start, &self.t.channel, c)?;
        c.white()?;
        c.any(&self.channels)?;
        word_ends(c)
    }

    /// Reads the rest of a header behind its channel's token.
    pub fn behind_channel(&self, start: usize, c: &mut Cursor<'_>) -> Step<()> {
        c.either(
            |c| {
                c.white()?;
                word(c, 1)?;
                self.all.until(start, &self.t.message, c)
            },
            |c| self.all.until(start, &self.t.message, c),
        )
    }
}
