//! A header, from behind its START up to the token of its message.
//!
//! ```text
//! header     := words ( to words )? MESSAGE
//!             | before CHANNEL ws word contents MESSAGE      before: anything but START, ends and MESSAGE
//! contents   := ( "json" | "code" | "text" | "xml" | to | CONSTRAIN any | CHANNEL word )*
//! to         := "to=" NAME                                   a call is to somebody but the author
//! unfinished := header without MESSAGE, up to an end of its message or the next START
//! ```
//! The end of each part of a header is searched once ([`Parts::header`]); each reader goes on from there.

use super::parts::{Parts, text_of_dialect, until};
use crate::family::Look;
use crate::options::bounds;
use crate::read::cursor::{Class, Cursor, More, No, Step};

/// The most bytes of a word in a header.
const WORD: usize = 128;

/// A tool, as a header names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Called<'t> {
    pub name: &'t str,
    pub tool: u16,
}

/// The place of a call's recipient in its header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Recipient {
    /// The header has no channel.
    Alone,
    BeforeChannel,
    /// Behind the word of the channel; right behind the channel's token; behind the token of a type.
    BehindChannel,
    InChannel,
    BehindType,
}

const RECIPIENTS: [Recipient; 5] = [
    Recipient::Alone,
    Recipient::BeforeChannel,
    Recipient::BehindChannel,
    Recipient::InChannel,
    Recipient::BehindType,
];

/// The marker that ends a header before its message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Instead {
    /// The end of a message.
    End,
    /// The START of the next header.
    Next,
}

/// A header, with the places of its first tokens and of its recipient, if they come before the header ends.
#[derive(Debug)]
pub(super) struct Header<'f, 't> {
    pub p: &'f Parts,
    /// The place where its marker begins.
    pub start: usize,
    pub message: Step<Cursor<'t>>,
    pub channel: Step<Cursor<'t>>,
    pub to: Step<Cursor<'t>>,
}

impl<'t> Header<'_, 't> {
    /// Whether the token of the channel has come.
    pub fn has_channel(&self) -> bool {
        self.channel.is_ok()
    }

    /// Whether a recipient stands before all tokens.
    pub fn has_recipient(&self) -> bool {
        self.to.is_ok()
    }

    fn to_channel(&self, c: &mut Cursor<'t>) -> Step<()> {
        *c = self.channel?;
        Ok(())
    }

    /// Reads the whole header, whoever its message is for.
    pub fn whole(&self, c: &mut Cursor<'t>) -> Step<()> {
        c.either(
            |c| {
                *c = self.message?;
                Ok(())
            },
            |c| {
                self.to_channel(c)?;
                self.p.behind_channel(self.start, c)
            },
        )
    }

    // Calls.

    /// Reads up to the name of the recipient.
    fn to_name(&self, of: Recipient, c: &mut Cursor<'t>) -> Step<()> {
        let Parts { t, .. } = self.p;
        match of {
            Recipient::Alone | Recipient::BeforeChannel => {
                *c = self.to?;
                Ok(())
            }
            Recipient::BehindChannel => {
                self.to_channel(c)?;
                word_behind(c, 1)?;
                self.p.all.until(self.start, &t.to, c)
            }
            Recipient::InChannel => {
                self.to_channel(c)?;
                c.white()?;
                c.literal(&t.to)
            }
            Recipient::BehindType => {
                self.to_channel(c)?;
                word_behind(c, 1)?;
                first_of(&t.constrain, c, |token, c| {
                    self.p.contents.until(self.start, token, c)?;
                    c.until(self.start, &t.to, &self.p.lead)
                })
            }
        }
    }

    /// Reads the header of a call.
    fn called(&self, look: &Look<'_>, of: Recipient, c: &mut Cursor<'t>) -> Step<Called<'t>> {
        let Parts { t, all, .. } = self.p;
        self.to_name(of, c)?;
        let text = c.run(Class::Name, 1, t.prefix.len() + bounds::NAME)?;
        let called = self.p.named(look, text)?;
        match of {
            Recipient::Alone => c.until(self.start, &t.message, &self.p.before_message)?,
            Recipient::BeforeChannel => {
                until(self.start, &t.channel, &self.p.before_channel, c)?;
                word_behind(c, 0)?;
                all.until(self.start, &t.message, c)?;
            }
            _ => all.until(self.start, &t.message, c)?,
        }
        Ok(called)
    }

    /// Reads the header of a call: the first place with a recipient counts.
    pub fn call(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<Called<'t>> {
        first_of(RECIPIENTS, c, |of, c| self.called(look, of, c))
    }

    /// Reads half of such a header at the end of the stream, with everything before the name.
    pub fn half_call(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<()> {
        let start = *c;
        first_of(RECIPIENTS, c, |of, c| {
            let whole = |c: &mut Cursor<'t>| {
                *c = start;
                self.called(look, of, c).map(|_| ())
            };
            half(c, |c| self.to_name(of, c), whole)
        })
    }

    // Reasoning.

    /// Reads the header of reasoning.
    pub fn thinks(&self, c: &mut Cursor<'t>) -> Step<()> {
        let Parts { t, typed, .. } = self.p;
        c.either(
            |c| {
                self.to_reasoning(c)?;
                typed.until(self.start, &t.message, c)
            },
            |c| {
                c.white()?;
                text_of_dialect(&t.thinks, c)?;
                c.white()?;
                c.literal(&t.message)
            },
        )
    }

    /// Reads a header up to the word of reasoning.
    pub fn to_reasoning(&self, c: &mut Cursor<'t>) -> Step<()> {
        self.to_channel(c)?;
        c.white()?;
        text_of_dialect(&self.p.t.thinks, c)?;
        word_ends(c)
    }

    /// Reads a channel that another one follows: the later one counts.
    pub fn first_channel(&self, c: &mut Cursor<'t>) -> Step<()> {
        self.to_channel(c)?;
        word_behind(c, 0)?;
        c.follow(false, |c| {
            c.white()?;
            self.p.typed.until(self.start, &self.p.t.channel, c)
        })
    }

    /// After a call: reads a header of another author to the model.
    pub fn invented(&self, c: &mut Cursor<'t>) -> Step<()> {
        let Parts { t, .. } = self.p;
        c.white()?;
        let name = c.run(Class::Name, 1, bounds::NAME)?;
        if t.author.is_empty() || *name == *t.author {
            return Err(No);
        }
        c.white()?;
        c.literal(&t.to)?;
        c.literal(&t.author)?;
        match Class::Name.run(c.rest(), 4) {
            0 if c.rest().is_empty() => c.more(),
            0 => Ok(()),
            _ => Err(No),
        }
    }

    // Headers that do not come to their message.

    /// Reads a header with a recipient that ends before its message.
    pub fn unfinished_call(&self, c: &mut Cursor<'t>) -> Step<Instead> {
        let ways = [Self::without_channel, Self::before_channel, Self::behind_channel];
        first_of(ways, c, |read, c| read(self, c))
    }

    /// Reads a header's recipient, and words.
    fn without_channel(&self, c: &mut Cursor<'t>) -> Step<Instead> {
        let Parts { t, words, lead, .. } = self.p;
        c.until(self.start, &t.to, lead)?;
        word(c, 0)?;
        words.until(self.start, &lead[0], c)?;
        self.instead(c)
    }

    /// Reads a header's recipient, and then its channel.
    fn before_channel(&self, c: &mut Cursor<'t>) -> Step<Instead> {
        let Parts { t, words, lead, .. } = self.p;
        c.until(self.start, &t.to, lead)?;
        word(c, 0)?;
        words.until(self.start, &t.channel, c)?;
        word_behind(c, 0)?;
        self.tail(c)
    }

    /// Reads a header's channel, and then its recipient.
    fn behind_channel(&self, c: &mut Cursor<'t>) -> Step<Instead> {
        let Parts { t, contents, .. } = self.p;
        self.to_channel(c)?;
        word_behind(c, 1)?;
        contents.until(self.start, &t.to, c)?;
        word(c, 0)?;
        self.tail(c)
    }

    /// Reads a header without a recipient that ends before its message.
    pub fn unfinished(&self, c: &mut Cursor<'t>) -> Step<Instead> {
        let ways = [Self::words, Self::word_and_words, Self::words_and_type, Self::channel];
        first_of(ways, c, |read, c| read(self, c))
    }

    fn words(&self, c: &mut Cursor<'t>) -> Step<Instead> {
        let Parts { words, lead, .. } = self.p;
        words.until(self.start, &lead[0], c)?;
        self.instead(c)
    }

    /// Reads a header whose first word is unknown.
    fn word_and_words(&self, c: &mut Cursor<'t>) -> Step<Instead> {
        word_behind(c, 1)?;
        self.words(c)
    }

    fn words_and_type(&self, c: &mut Cursor<'t>) -> Step<Instead> {
        first_of(&self.p.t.constrain, c, |token, c| {
            self.p.words.until(self.start, token, c)?;
            self.instead_of_type(c)
        })
    }

    fn channel(&self, c: &mut Cursor<'t>) -> Step<Instead> {
        self.to_channel(c)?;
        word_behind(c, 0)?;
        self.tail(c)
    }

    /// Reads the marker that stands behind a channel in place of the message.
    fn tail(&self, c: &mut Cursor<'t>) -> Step<Instead> {
        let Parts { t, contents, .. } = self.p;
        c.either(
            |c| {
                first_of(&t.constrain, c, |token, c| {
                    contents.until(self.start, token, c)?;
                    self.instead_of_type(c)
                })
            },
            |c| {
                contents.until(self.start, &self.p.lead[0], c)?;
                self.instead(c)
            },
        )
    }

    /// Reads the marker that stands in place of the message behind the token of a type. Any text may stand before
    /// it.
    fn instead_of_type(&self, c: &mut Cursor<'t>) -> Step<Instead> {
        c.until(self.start, &self.p.lead[0], &[])?;
        self.instead(c)
    }

    fn instead(&self, c: &mut Cursor<'t>) -> Step<Instead> {
        c.either(
            |c| c.any(&self.p.ends).map(|()| Instead::End),
            |c| c.literal(&self.p.next).map(|()| Instead::Next),
        )
    }

    /// Reads the beginning of something that turns out to be no header: a channel's token, with a word or
    /// without.
    pub fn to_word(&self, c: &mut Cursor<'t>) -> Step<()> {
        self.to_channel(c)?;
        let token = *c;
        match word_behind(c, 1) {
            Err(No) => {
                *c = token;
                Ok(())
            }
            read => read,
        }
    }

    /// Reads a token of a header alone, with letters behind it.
    pub fn token(&self, c: &mut Cursor<'t>) -> Step<()> {
        c.any(&self.p.headers)?;
        letters(c)
    }

    /// Reads half a header at the end of the stream, with its channel's token.
    pub fn half_channel(&self, c: &mut Cursor<'t>) -> Step<()> {
        half(c, |c| self.to_channel(c), |c| self.p.behind_channel(self.start, c))
    }

    /// Reads any half of a header at the end of the stream.
    pub fn half(&self, c: &mut Cursor<'t>) -> Step<()> {
        half(c, |_| Ok(()), |c| self.whole(c))
    }
}

/// Reads the first of several forms of a marker that stands here.
pub(super) fn first_of<'t, W, T>(
    ways: impl IntoIterator<Item = W>,
    c: &mut Cursor<'t>,
    read: impl Fn(W, &mut Cursor<'t>) -> Step<T>,
) -> Step<T> {
    let (start, mut stuck) = (*c, No);
    for way in ways {
        *c = start;
        match read(way, c) {
            Err(No) => {}
            Err(More) if c.ended() => stuck = More,
            found => return found,
        }
    }
    Err(stuck)
}

/// Reads a word of a header.
pub(super) fn word(c: &mut Cursor<'_>, least: usize) -> Step<()> {
    if Class::Name.run(c.rest(), WORD) > WORD {
        return Err(No);
    }
    c.run(Class::Name, least, WORD).map(|_| ())
}

/// Reads white space, and a word.
fn word_behind(c: &mut Cursor<'_>, least: usize) -> Step<()> {
    c.white()?;
    word(c, least)
}

/// Checks that no word goes on here.
pub(super) fn word_ends(c: &mut Cursor<'_>) -> Step<()> {
    c.or_end(|c| match Class::Name.run(c.rest(), 4) {
        0 if c.rest().is_empty() => c.more(),
        0 => Ok(()),
        _ => Err(No),
    })
}

/// Reads letters up to something else, or to the end of the stream.
fn letters(c: &mut Cursor<'_>) -> Step<()> {
    let len = Class::Letters.run(c.rest(), WORD);
    if c.ended() && len == c.rest().len() {
        c.pos += len;
        return c.or_end(|c| c.more());
    }
    c.run(Class::Letters, 0, WORD).map(|_| ())
}

/// Reads half a marker at the end of the stream: at least its first part, and perhaps some of the rest.
pub(super) fn half<'t>(
    c: &mut Cursor<'t>,
    first: impl FnOnce(&mut Cursor<'t>) -> Step<()>,
    rest: impl FnOnce(&mut Cursor<'t>) -> Step<()>,
) -> Step<()> {
    first(c)?;
    c.or_end(|c| {
        rest(c)?;
        Err::<(), _>(No)
    })?;
    c.pos += c.rest().len();
    Ok(())
}
