//! Headers of messages: the parts that their readers share.

use super::Texts;
use super::words::Words;
use crate::family::Look;
use crate::one_of;
use crate::options::bounds;
use crate::read::cursor::{Class, Cursor, More, No, Step};

/// The words of headers that models write: roles, channels, and what a message holds.
const ROLES: [&str; 5] = ["assistant", "user", "system", "developer", "tool"];
const CHANNELS: [&str; 3] = ["analysis", "commentary", "final"];
const CONTENTS: [&str; 4] = ["json", "code", "text", "xml"];

/// How long a word of a header may be.
const WORD: usize = 128;

/// The texts of headers, and the words that may stand in their parts.
#[derive(Debug)]
pub(super) struct Parts {
    pub t: Texts,
    /// What may not stand in a header: START, the ends of messages, and the channel's token, that of the message, both.
    before_message: Vec<Box<str>>,
    before_channel: Vec<Box<str>>,
    before_to: Vec<Box<str>>,
    lead: Vec<Box<str>>,
    /// The tokens of headers, and the ends of messages, without what all of them begin with.
    tokens: Vec<Box<str>>,
    ends: Vec<Box<str>>,
    next: Box<str>,
    /// All words of headers, and those without recipients.
    words: Words,
    no_recipients: Words,
    /// The words behind a channel's; with other tokens; with further channels, too.
    contents: Words,
    typed: Words,
    all: Words,
    channels: Vec<Box<str>>,
}

impl Parts {
    pub fn new(t: &Texts) -> Parts {
        let texts = |more: &[&Box<str>]| -> Vec<Box<str>> {
            let others = [&t.start].into_iter().chain(&t.ends);
            others.chain(more.iter().copied()).cloned().collect()
        };
        let signs = t.start.find(|c: char| c.is_alphanumeric()).unwrap_or(0);
        let lead = &t.start[..signs];
        let without = |texts: &[&Box<str>]| -> Vec<Box<str>> {
            texts.iter().filter_map(|text| text.strip_prefix(lead)).map(Box::from).collect()
        };
        let to = [&*t.to];
        let own = [&*t.thinks].into_iter().filter(|word| !CHANNELS.contains(word));
        let channels: Vec<&str> = CHANNELS.into_iter().chain(own).collect();
        let author = [&*t.author].into_iter().filter(|word| !ROLES.contains(word));
        let words = || channels.iter().copied().chain(ROLES).chain(CONTENTS).chain(author.clone());
        let contents = || Words::new(CONTENTS.into_iter().chain(to));
        let typed = || contents().and_tokens([&*t.constrain]);
        Parts {
            before_message: texts(&[&t.channel]),
            before_channel: texts(&[&t.message]),
            before_to: texts(&[&t.channel, &t.message]),
            lead: vec![lead.into()],
            tokens: without(&[&t.start, &t.channel, &t.constrain, &t.message]),
            ends: without(&t.ends.iter().collect::<Vec<_>>()),
            next: without(&[&t.start]).pop().unwrap_or_default(),
            words: Words::new(words().chain(to)),
            no_recipients: Words::new(words()),
            contents: contents(),
            typed: typed(),
            all: typed().and(channels.iter().map(|word| format!("{}{word}", t.channel))),
            channels: channels.iter().copied().map(Box::from).collect(),
            t: t.clone(),
        }
    }

    /// A header that begins here. Its marker begins at `start`.
    pub fn header<'f, 't>(&'f self, start: usize, c: &Cursor<'t>) -> Header<'f, 't> {
        let until = |to: &str, unless: &[Box<str>]| {
            let mut c = *c;
            c.until(start, to, unless).map(|()| c)
        };
        Header {
            p: self,
            start,
            message: until(&self.t.message, &self.before_message),
            channel: until(&self.t.channel, &self.before_channel),
            to: until(&self.t.to, &self.before_to),
        }
    }

    fn lead(&self) -> &str {
        &self.lead[0]
    }

    /// A token of a header behind nothing but its words.
    pub fn is_ahead(&self, c: &mut Cursor<'_>) -> Step<()> {
        self.words.until(c.pos, self.lead(), c)?;
        c.any(&self.tokens)
    }

    /// Half a header with a recipient, in which no token has come.
    pub fn half_recipient(&self, c: &mut Cursor<'_>) -> Step<()> {
        let start = c.pos;
        half(
            c,
            |c| self.no_recipients.until(start, &self.t.to, c),
            |c| {
                word(c, 0)?;
                self.words.until(start, self.lead(), c)?;
                c.any(&self.tokens)
            },
        )
    }

    // The next header in a message.

    /// A whole header, with START or its channel's token.
    pub fn next_header(&self, start: usize, c: &mut Cursor<'_>) -> Step<()> {
        one_of!(c;
            |c| {
                c.literal(&self.t.start)?;
                self.header(start, c).plain().map(|_| ())
            },
            |c| {
                c.literal(&self.t.start)?;
                let header = self.header(start, c);
                *c = header.channel?;
                self.behind_channel(start, c)
            },
            |c| self.from_channel(start, c),
        )
    }

    /// A header whose START is missing.
    pub fn from_channel(&self, start: usize, c: &mut Cursor<'_>) -> Step<()> {
        c.literal(&self.t.channel)?;
        self.behind_channel(start, c)
    }

    /// Half of such a header at the end of the stream, with its first token.
    pub fn half_header(&self, start: usize, c: &mut Cursor<'_>) -> Step<()> {
        let before = *c;
        let first = [&*self.t.start, &*self.t.channel];
        half(
            c,
            |c| c.any(&first),
            |c| {
                *c = before;
                self.next_header(start, c)
            },
        )
    }

    /// The beginning of a header up to its channel's word: what follows may be none.
    pub fn next_channel(&self, start: usize, c: &mut Cursor<'_>) -> Step<()> {
        c.literal(&self.t.start)?;
        c.white()?;
        word(c, 0)?;
        self.words.until(start, &self.t.channel, c)?;
        c.white()?;
        c.any(&self.channels)?;
        word_ends(c)
    }
}

impl Parts {
    /// The rest of a header behind its channel's token.
    fn behind_channel(&self, start: usize, c: &mut Cursor<'_>) -> Step<()> {
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

/// A tool, as a header names it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Called<'t> {
    pub name: &'t str,
    pub tool: u16,
}

/// Where the recipient of a call stands in a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Recipient {
    /// No channel stands in the header.
    Alone,
    BeforeChannel,
    /// Behind the word of the channel; right behind its token; behind the token of a type.
    BehindChannel,
    InChannel,
    BehindType,
}

pub(super) const RECIPIENTS: [Recipient; 5] = [
    Recipient::Alone,
    Recipient::BeforeChannel,
    Recipient::BehindChannel,
    Recipient::InChannel,
    Recipient::BehindType,
];

/// What follows a header that has not come to its message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Instead {
    /// The end of a message.
    End,
    /// The next header, whose START has come.
    Next,
}

/// A header: up to where its first tokens and its recipient stand, if they do before all that ends it.
#[derive(Debug)]
pub(super) struct Header<'f, 't> {
    p: &'f Parts,
    start: usize,
    message: Step<Cursor<'t>>,
    channel: Step<Cursor<'t>>,
    to: Step<Cursor<'t>>,
}

impl<'t> Header<'_, 't> {
    /// The token of the channel has come.
    pub fn has_channel(&self) -> bool {
        self.channel.is_ok()
    }

    /// A recipient has begun before any token.
    pub fn has_recipient(&self) -> bool {
        self.to.is_ok()
    }

    /// The whole header without a channel.
    fn plain(&self) -> Step<Cursor<'t>> {
        self.message
    }

    fn to_channel(&self, c: &mut Cursor<'t>) -> Step<()> {
        *c = self.channel?;
        Ok(())
    }

    /// The whole header, whoever its message is for.
    pub fn whole(&self, c: &mut Cursor<'t>) -> Step<()> {
        c.either(
            |c| {
                *c = self.plain()?;
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
                c.white()?;
                word(c, 1)?;
                self.p.all.until(self.start, &t.to, c)
            }
            Recipient::InChannel => {
                self.to_channel(c)?;
                c.white()?;
                c.literal(&t.to)
            }
            Recipient::BehindType => {
                self.to_channel(c)?;
                c.white()?;
                word(c, 1)?;
                self.p.contents.until(self.start, &t.constrain, c)?;
                c.until(self.start, &t.to, &self.p.lead)
            }
        }
    }

    /// Reads the header of a call.
    fn called(&self, look: &Look<'_>, of: Recipient, c: &mut Cursor<'t>) -> Step<Called<'t>> {
        let Parts { t, all, .. } = self.p;
        self.to_name(of, c)?;
        let text = c.run(Class::Name, 1, t.prefix.len() + bounds::NAME)?;
        let name = text.strip_prefix(&*t.prefix).filter(|name| !name.is_empty()).unwrap_or(text);
        if *text == *t.author || name.len() > bounds::NAME {
            return Err(No);
        }
        let called = Called { name, tool: look.tools.number([name, ""]) };
        match of {
            Recipient::Alone => c.until(self.start, &t.message, &self.p.before_message)?,
            Recipient::BeforeChannel => {
                c.until(self.start, &t.channel, &self.p.before_channel)?;
                c.white()?;
                word(c, 0)?;
                all.until(self.start, &t.message, c)?;
            }
            _ => all.until(self.start, &t.message, c)?,
        }
        Ok(called)
    }

    /// The header of a call: the first place counts where a recipient stands.
    pub fn call(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<Called<'t>> {
        let (start, mut stuck) = (*c, No);
        for of in RECIPIENTS {
            *c = start;
            match self.called(look, of, c) {
                Err(No) => {}
                Err(More) if c.ended() => stuck = More,
                found => return found,
            }
        }
        Err(stuck)
    }

    /// Half of it at the end of the stream, with all that stands before the name.
    pub fn half_call(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<()> {
        let (start, mut stuck) = (*c, No);
        for of in RECIPIENTS {
            *c = start;
            let read = half(
                c,
                |c| self.to_name(of, c),
                |c| {
                    *c = start;
                    self.called(look, of, c).map(|_| ())
                },
            );
            match read {
                Err(No) => {}
                Err(More) if c.ended() => stuck = More,
                read => return read,
            }
        }
        Err(stuck)
    }

    // Reasoning.

    /// The header of reasoning.
    pub fn thinks(&self, c: &mut Cursor<'t>) -> Step<()> {
        let Parts { t, typed, .. } = self.p;
        c.either(
            |c| {
                self.thinks_at_least(c)?;
                typed.until(self.start, &t.message, c)
            },
            |c| {
                c.white()?;
                c.literal(&t.thinks)?;
                c.white()?;
                c.literal(&t.message)
            },
        )
    }

    /// The same up to the word of reasoning.
    pub fn thinks_at_least(&self, c: &mut Cursor<'t>) -> Step<()> {
        self.to_channel(c)?;
        c.white()?;
        c.literal(&self.p.t.thinks)?;
        word_ends(c)
    }

    /// A channel behind which another one comes: that counts.
    pub fn first_channel(&self, c: &mut Cursor<'t>) -> Step<()> {
        self.to_channel(c)?;
        c.white()?;
        word(c, 0)?;
        c.follow(false, |c| {
            c.white()?;
            self.p.typed.until(self.start, &self.p.t.channel, c)
        })
    }

    /// After a call: a header of somebody else to the author.
    pub fn invented(&self, c: &mut Cursor<'t>) -> Step<()> {
        let Parts { t, .. } = self.p;
        c.white()?;
        let name = c.run(Class::Name, 1, bounds::NAME)?;
        if *name == *t.author {
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

    /// A header with a recipient that ends before its message.
    pub fn unfinished_call(&self, c: &mut Cursor<'t>) -> Step<Instead> {
        let Parts { t, words, contents, lead, .. } = self.p;
        let before = *c;
        one_of_moved(
            c,
            [
                &|c| {
                    *c = before;
                    c.until(self.start, &t.to, lead)?;
                    word(c, 0)?;
                    words.until(self.start, self.p.lead(), c)?;
                    self.instead(c)
                },
                &|c| {
                    *c = before;
                    c.until(self.start, &t.to, lead)?;
                    word(c, 0)?;
                    words.until(self.start, &t.channel, c)?;
                    c.white()?;
                    word(c, 0)?;
                    self.tail(c)
                },
                &|c| {
                    self.to_channel(c)?;
                    c.white()?;
                    word(c, 1)?;
                    contents.until(self.start, &t.to, c)?;
                    word(c, 0)?;
                    self.tail(c)
                },
            ],
        )
    }

    /// One without a recipient.
    pub fn unfinished(&self, c: &mut Cursor<'t>) -> Step<Instead> {
        let Parts { words, .. } = self.p;
        one_of_moved(
            c,
            [
                &|c| {
                    words.until(self.start, self.p.lead(), c)?;
                    self.instead(c)
                },
                &|c| {
                    c.white()?;
                    word(c, 1)?;
                    words.until(self.start, self.p.lead(), c)?;
                    self.instead(c)
                },
                &|c| {
                    words.until(self.start, &self.p.t.constrain, c)?;
                    self.instead_of_type(c)
                },
                &|c| {
                    self.to_channel(c)?;
                    c.white()?;
                    word(c, 0)?;
                    self.tail(c)
                },
            ],
        )
    }

    /// What comes behind a channel in place of the message.
    fn tail(&self, c: &mut Cursor<'t>) -> Step<Instead> {
        let Parts { t, contents, .. } = self.p;
        c.either(
            |c| {
                contents.until(self.start, &t.constrain, c)?;
                self.instead_of_type(c)
            },
            |c| {
                contents.until(self.start, self.p.lead(), c)?;
                self.instead(c)
            },
        )
    }

    /// The same behind the token of a type, which anything may follow.
    fn instead_of_type(&self, c: &mut Cursor<'t>) -> Step<Instead> {
        c.until(self.start, self.p.lead(), &[])?;
        self.instead(c)
    }

    fn instead(&self, c: &mut Cursor<'t>) -> Step<Instead> {
        c.either(
            |c| c.any(&self.p.ends).map(|()| Instead::End),
            |c| c.literal(&self.p.next).map(|()| Instead::Next),
        )
    }

    /// The beginning of a header that goes on as none: its channel's token, with a word or without.
    pub fn no_header(&self, c: &mut Cursor<'t>) -> Step<()> {
        self.to_channel(c)?;
        let token = *c;
        match word_behind(c) {
            Err(No) => {
                *c = token;
                Ok(())
            }
            read => read,
        }
    }

    /// A token of a header alone, with letters behind it.
    pub fn token(&self, c: &mut Cursor<'t>) -> Step<()> {
        let Parts { t, .. } = self.p;
        c.any(&[&t.channel, &t.constrain, &t.message].map(|text| &**text))?;
        run_or_end(c, Class::Letters, 0)
    }

    /// Half a header at the end of the stream, with its channel's token.
    pub fn half_channel(&self, c: &mut Cursor<'t>) -> Step<()> {
        half(c, |c| self.to_channel(c), |c| self.p.behind_channel(self.start, c))
    }

    /// Half a header at the end of the stream, whatever of it has come.
    pub fn half(&self, c: &mut Cursor<'t>) -> Step<()> {
        half(c, |_| Ok(()), |c| self.whole(c))
    }
}

/// The first of these markers that stands here, and counts.
fn one_of_moved<'t, T, const N: usize>(
    c: &mut Cursor<'t>,
    all: [&dyn Fn(&mut Cursor<'t>) -> Step<T>; N],
) -> Step<T> {
    let (start, mut stuck) = (*c, No);
    for read in all {
        *c = start;
        match read(c) {
            Err(No) => {}
            Err(More) if c.ended() => stuck = More,
            found => return found,
        }
    }
    Err(stuck)
}

/// A word of a header.
fn word(c: &mut Cursor<'_>, least: usize) -> Step<()> {
    if Class::Name.run(c.rest(), WORD) > WORD {
        return Err(No);
    }
    c.run(Class::Name, least, WORD).map(|_| ())
}

/// A word behind white space.
fn word_behind(c: &mut Cursor<'_>) -> Step<()> {
    c.white()?;
    word(c, 1)
}

/// Here no word goes on.
fn word_ends(c: &mut Cursor<'_>) -> Step<()> {
    c.or_end(|c| match Class::Name.run(c.rest(), 4) {
        0 if c.rest().is_empty() => c.more(),
        0 => Ok(()),
        _ => Err(No),
    })
}

/// Characters of a class up to others, or to the end of the stream.
fn run_or_end(c: &mut Cursor<'_>, class: Class, least: usize) -> Step<()> {
    let rest = c.rest();
    let len = class.run(rest, WORD);
    if c.ended() && len == rest.len() && least <= len {
        c.pos += len;
        return c.or_end(|c| c.more());
    }
    c.run(class, least, WORD).map(|_| ())
}

/// Half a marker at the end of the stream: at least its first part, and perhaps some of the rest.
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
