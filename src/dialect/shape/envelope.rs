//! Messages in envelopes, whose headers say what they are.
//!
//! ```text
//! message := START? HEADER MESSAGE BODY END
//! ```
//! The prompt ends in START and the author, so a stream begins in a header. Of its words two count, wherever they
//! stand: a recipient (`to=NAME`) other than the author makes the message a call, and the word of reasoning after its
//! token makes it that; all others are text. What is no header is text. A header that the stream cuts, or the end of its
//! message, is markup, if one of its tokens or the recipient's marker stands in it.
//!
//! The body of a call is a JSON object, which ends by itself, or nothing, or else all of it is the parameter `input`; or
//! it is arguments one by one. The end of a message is a stop token: the end of the stream will do.

use super::argument::Argument;
use super::derive::{add, owned};
use super::notation::{self, Part, around};
use super::{Shape, Wrong};
use crate::dialect::bracket::{between, call, cuts, garbage, next_line, value};
use crate::dialect::build::{LETTERS, one, rule, start, until};
use crate::dialect::spec::{
    Action, At, AtEnd, Between, BodyKind, CallKind, Chars, DialectSpec, Flags, Framing, Gives,
    Known, Name, Named, Pattern, Piece, Place, ProseKind, Rule, Run, Scope, SectionKind, Text,
    ValueKind, WS, What,
};
use crate::event::DiagnosticKind;
use crate::pattern;

/// The words of headers that models write: roles, channels, and what a message holds.
const WORDS: &[&str] = &[
    "assistant",
    "user",
    "system",
    "developer",
    "tool",
    "analysis",
    "commentary",
    "final",
    "json",
    "code",
    "text",
    "xml",
];

/// The kinds, as the table numbers them. Where the stream begins, and after the end of a message:
const FIRST: Place = Place::Section(0);
const NEXT: Place = Place::Section(1);
/// In a header that is one, up to its first token: that of the stream's first message, that of a later one.
const FIRST_HEADER: Place = Place::Section(2);
const HEADER: Place = Place::Section(3);
/// After its START.
const STARTED: Place = Place::Section(4);
pub(in crate::dialect) const AFTER_OBJECT: Place = Place::Section(5);
pub(in crate::dialect) const TEXT: Place = Place::Prose(0);
const REASONING: Place = Place::Prose(1);

/// A name that is not asked for.
const NAME: Run = Run { chars: Chars::NAME, min: 0, max: 128 };
/// What no name goes on with: `analysis` is another channel than `analysis_2`.
const WORD_END: Run = Run {
    chars: Chars::except("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_.-/:+@$"),
    min: 1,
    max: 1,
};
pub(in crate::dialect) const NO_WHITE: Run = one(Chars::NO_WHITE);

/// What a shape says of them.
pub(super) struct Envelope<'a> {
    shape: &'a Shape,
    /// Before a header, after it, and after a message.
    start: Text,
    message: Text,
    ends: Vec<Text>,
    /// What all tokens begin with, and those that stand in headers: that before the word of reasoning is the first.
    lead: Text,
    tokens: Vec<Text>,
    /// The word that makes a message reasoning.
    thinks: Option<Text>,
    /// Who writes the messages, what stands before a recipient, and what of that is cut off.
    author: Text,
    to: Text,
    prefix: Text,
    argument: Option<Argument>,
}

impl<'a> Envelope<'a> {
    pub fn of(shape: &'a Shape) -> Result<Envelope<'a>, Wrong> {
        let parts = shape.parts("message", &shape.message, &["header", "body"])?;
        let [start, rest] = around(&parts, "header", "message")?;
        let [message, end] = around(&rest, "body", "message")?;
        let each = [start, message, end].map(|parts| match &*parts {
            [Part::Text(text)] => Some(text.clone()),
            _ => None,
        });
        let wrong =
            |field: &str, what: &str, text: &str| Wrong::new(field, format!("in `{text}`: {what}"));
        let [Some(start), Some(message), Some(end)] = each else {
            let what = "one text stands before `{header}`, one before `{body}`, and one after it";
            return Err(wrong("message", what, &shape.message));
        };
        let is_sign = |c: char| !c.is_alphanumeric();
        let signs = |text: &str| text.find(|c| !is_sign(c)).unwrap_or(0);
        let lead = start[..signs(&start)].to_string();
        let trail = start[start.trim_end_matches(is_sign).len()..].to_string();
        if lead.is_empty() || trail.is_empty() || !message.starts_with(&lead) {
            let what = "its tokens begin and end with the same signs, as in `<|start|>`";
            return Err(wrong("message", what, &shape.message));
        }
        let parts = shape.parts("call", &shape.call, &["name", "arguments"])?;
        let [open, close] = around(&parts, "arguments", "call")?;
        let [head, _] = around(&open, "name", "call")?;
        let first = match head.first() {
            Some(Part::Text(text)) => text.strip_prefix(&*start),
            _ => None,
        };
        let last = match head.last() {
            Some(Part::Text(text)) => text.strip_prefix(&*start).unwrap_or(text),
            _ => "",
        };
        let (to, prefix) =
            last.split_at(last.rfind(|c| !Chars::NAME.has(c)).map_or(0, |at| at + 1));
        let (Some(author), false) = (first, to.is_empty()) else {
            let what =
                format!("it begins with `{start}`, and a sign like `=` stands before the name");
            return Err(wrong("call", &what, &shape.call));
        };
        let mut ends = vec![owned(end)];
        add(&mut ends, &notation::text(&close));
        shape.ends.iter().for_each(|end| add(&mut ends, end));
        let mut all = Envelope {
            shape,
            message: owned(message),
            ends,
            lead: owned(lead),
            tokens: Vec::new(),
            thinks: None,
            author: owned(if last == author { "" } else { author }),
            to: owned(to),
            prefix: owned(prefix),
            argument: Argument::of(shape)?,
            start: owned(start),
        };
        let reasoning = shape.reasoning.as_deref().unwrap_or_default();
        all.thinks =
            all.add_tokens(reasoning.split("{reasoning}").next().unwrap_or_default(), &trail);
        let calls = shape.or.iter().map(|or| &or.call);
        for call in [&shape.call].into_iter().chain(calls) {
            all.add_tokens(call.split("{arguments}").next().unwrap_or_default(), &trail);
        }
        Ok(all)
    }

    /// The tokens of a header are known from here on. The word after the first of them.
    fn add_tokens(&mut self, header: &str, trail: &str) -> Option<Text> {
        let mut word = None;
        for token in header.match_indices(&*self.lead).map(|(at, _)| &header[at..]) {
            let Some((name, rest)) = token.split_once(trail) else { continue };
            let token = owned(format!("{name}{trail}"));
            if [&self.start, &self.message].contains(&&token) {
                continue;
            }
            let after = rest.split(&*self.lead).next().unwrap_or_default().trim();
            word = word.or_else(|| (!after.is_empty()).then(|| owned(after)));
            if !self.tokens.contains(&token) {
                self.tokens.push(token);
            }
        }
        word
    }

    fn end(&self) -> Pattern {
        pattern![self.ends]
    }

    /// What ends no header.
    fn others(&self) -> Vec<Text> {
        [std::slice::from_ref(&self.start), &*self.ends].concat()
    }

    fn until_message(&self) -> Piece {
        until(self.message.clone(), &self.others())
    }

    fn channel(&self) -> Option<Text> {
        self.tokens.first().cloned()
    }

    /// Nothing but words of headers up to this text, and recipients, if `to`.
    fn words_until(&self, text: Text, to: bool) -> Piece {
        let to = to.then(|| self.to.clone()).into_iter();
        let own = [&self.author].into_iter().chain(&self.thinks).filter(|word| !word.is_empty());
        let own = own.filter(|word| !WORDS.contains(&&***word)).cloned();
        let words = WORDS.iter().copied().map(Text::from).chain(own).chain(to).collect();
        Piece::Until { to: text, unless: Vec::new(), words, within: 0 }
    }

    /// The first token of a header, which opens it, and the same where the stream ends right after it.
    fn started(&self) -> [Rule; 2] {
        let opens = start(pattern![self.start]).follow([pattern![NO_WHITE]]).open(STARTED);
        [opens, cut(pattern![At::Start, self.start, WS, NO_WHITE], 2)]
    }

    /// Before a header. What is none is text, from its first byte.
    fn before_header(&self, header: Place, between: Chars) -> SectionKind {
        let tokens = [std::slice::from_ref(&self.start), &*self.tokens].concat();
        let tokens = tokens.iter().chain([&self.message]);
        let tokens: Vec<Text> =
            tokens.filter_map(|token| token.strip_prefix(&*self.lead)).map(owned).collect();
        let first = pattern![self.words_until(self.lead.clone(), true), tokens];
        let recipient = pattern![At::Start, self.words_until(self.to.clone(), false), NAME];
        let recipient = [recipient, first.clone()].concat();
        let rules = vec![
            start(self.end()).open(NEXT),
            start(first).before().open(header),
            cut(recipient, 2),
            start(Vec::new()).open(TEXT),
        ];
        let rules = [self.started().to_vec(), rules].concat();
        SectionKind { rules, between: Between::Only(between), calls: false }
    }

    fn header(&self, place: Place) -> SectionKind {
        let before = [self.others(), vec![self.message.clone()]].concat();
        let to = until(self.to.clone(), &before);
        let channel = self.channel().map(|channel| until(channel, &before));
        let message = self.until_message();
        let next = pattern![self.others()];
        let recipient = Name::tool().prefix(self.prefix.clone());
        let not = Some(self.author.clone()).filter(|author| !author.is_empty());
        let recipient = Name { not: not.into_iter().collect(), ..recipient };
        let cut_in = |mark: Pattern, pieces: u8| cut([pattern![At::Start], mark].concat(), pieces);
        let cut_in_channel = match (place, &channel) {
            (STARTED, _) | (_, None) => cut_in(pattern![message], 1),
            (_, Some(channel)) => cut_in(pattern![channel, message], 2),
        };
        let mut rules = self.started().to_vec();
        rules.extend([
            start(self.end()).open(NEXT),
            start(pattern![to, recipient, message]).open(Place::Call(0)),
        ]);
        if let Some((word, channel)) = self.thinks.clone().zip(channel) {
            rules.extend([
                start(pattern![channel, WS, word, self.message]).open(REASONING),
                start(pattern![channel, WS, word, WORD_END, message]).open(REASONING),
                start(pattern![WS, word, WS, self.message]).open(REASONING),
            ]);
        }
        let follow = [self.channel().map(|channel| pattern![channel]), Some(next.clone())];
        let tokens = [&*self.tokens, std::slice::from_ref(&self.message)].concat();
        rules.extend([
            start(pattern![message]).open(TEXT),
            cut_in(pattern![to, message], 2),
            match place {
                // The first header is half in every stream that ends before its first message.
                FIRST_HEADER => Rule { action: Action::default(), ..cut_in_channel },
                _ => cut_in_channel,
            },
            // Parts of a header that the end of a message, or the next one, cuts short.
            start(pattern![WS, self.to, NAME])
                .noise()
                .follow(follow.clone().into_iter().flatten())
                .note(DiagnosticKind::MalformedCall),
            start(pattern![tokens, LETTERS]),
        ]);
        if place == STARTED && !self.author.is_empty() {
            let role = start(pattern![self.author]).noise().follow([pattern![self.to]]);
            rules.push(role.follow(follow.into_iter().flatten()));
        }
        between(rules)
    }

    /// Before a header, and in it; after an object.
    fn sections(&self) -> Vec<SectionKind> {
        let mut sections = vec![
            self.before_header(FIRST_HEADER, Chars::only("")),
            self.before_header(HEADER, Chars::WHITE),
        ];
        sections.extend([FIRST_HEADER, HEADER, STARTED].map(|place| self.header(place)));
        sections.extend(self.argument.is_none().then(|| self.after_object()));
        sections
    }

    /// The next header in a message: both its ends are there.
    fn next_header(&self) -> Pattern {
        let tokens: Vec<Text> = [self.start.clone()].into_iter().chain(self.channel()).collect();
        pattern![tokens, self.until_message()]
    }

    fn after_object(&self) -> SectionKind {
        let mut rules = self.started().to_vec();
        rules.push(start(self.end()).open(NEXT));
        if let Some(channel) = self.channel() {
            let channel = pattern![At::Start, channel, self.until_message()];
            rules.extend([rule(channel.clone()).before().open(HEADER), cut(channel, 2)]);
        }
        rules.extend(garbage());
        let lost = start(Vec::new()).noise().close(Scope::Section);
        rules.push(lost.note(DiagnosticKind::MissingCloser));
        between(rules)
    }

    /// What ends a message: its end, and the next header, also half of it at the end of the stream.
    fn over(&self, scope: Scope, before: Pattern) -> [Rule; 3] {
        let header = [before.clone(), self.next_header()].concat();
        let pieces = before.len() as u8 + 1;
        let end = rule([before, self.end()].concat()).close(scope).then(NEXT);
        let next = rule(header.clone()).noise().before().close(scope).then(HEADER);
        // In prose half a header is just that.
        let half = match scope {
            Scope::Prose => cut(header, pieces),
            scope => cut(header, pieces).noise().close(scope),
        };
        [end, next.note(DiagnosticKind::MissingCloser), half]
    }

    /// Arguments as an object, or as they are.
    fn object(&self) -> (CallKind, ValueKind, BodyKind) {
        // What ends an empty body; the end of the stream does, too, also in half of it.
        let [end, next, half] = self.over(Scope::Call, pattern![At::Start, WS]);
        let rules = vec![
            // After white space: a longer run of it is text like any other.
            start(pattern![WS, "{"]).noise().open(Place::Body(0)),
            end.noise().at_end(AtEnd::Prefix).fixed(1),
            next,
            half,
            start(Vec::new()).does(What::Param(0, Named::Input)),
        ];
        let next = cuts(self.next_header(), &[]).note(DiagnosticKind::MissingCloser);
        (
            call(rules),
            value(Framing::None, self.over(Scope::Call, Vec::new()).to_vec()),
            BodyKind {
                gives: Gives::Arguments,
                rules: vec![cuts(self.end(), &[]), next],
                then: Some(AFTER_OBJECT),
            },
        )
    }

    /// Arguments one by one.
    fn one_by_one(&self, argument: &Argument) -> (CallKind, ValueKind) {
        let follow = [argument.next(), self.end(), self.next_header()];
        // The closer was forgotten: the next parameter stands on a line of its own.
        let line = next_line(argument.first(Known::Fresh));
        // A message that ends in a value ends the call, too, and the value is not whole.
        let [end, next, half] = self.over(Scope::Call, Vec::new());
        let broken =
            [end.note(DiagnosticKind::MissingCloser), next].map(|rule| rule.sets(Flags::BROKEN));
        let own = [argument.closer(&follow), line];
        let param = rule(argument.mark()).param(0);
        let rules = [vec![param], self.over(Scope::Call, Vec::new()).to_vec()].concat();
        (call(rules), value(argument.framing, [&own[..], &broken, &[half]].concat()))
    }

    pub fn dialect(&self) -> Result<DialectSpec, Wrong> {
        // Text or reasoning, up to the end of its message.
        let prose = |reasoning: bool| {
            let rules = self.over(Scope::Prose, Vec::new()).to_vec();
            ProseKind { reasoning, answer: false, rules }
        };
        let (mut call, value, body) = match &self.argument {
            None => {
                let (call, value, body) = self.object();
                (call, ValueKind { whole_at_end: true, ..value }, Some(body))
            }
            Some(argument) => {
                let (call, value) = self.one_by_one(argument);
                (call, value, None)
            }
        };
        call.whole_at_end = true;
        let mut template = self.shape.written()?;
        if self.shape.stop.is_none() {
            // A call ends with its message, whose end may be cut off.
            template.stop.after_call = vec![owned(template.call.close.trim())].into();
        }
        let Shape { name, about, .. } = self.shape;
        Ok(DialectSpec {
            entry: FIRST,
            prose: vec![prose(false), prose(true)],
            sections: self.sections(),
            calls: vec![call],
            values: vec![value],
            bodies: body.into_iter().collect(),
            ..DialectSpec::new(name.clone(), about.clone(), template)
        })
    }
}

/// The stream ends in what looks like this: all of it is markup, if so many pieces are there.
fn cut(mark: Pattern, pieces: u8) -> Rule {
    rule(mark).at_end(AtEnd::Prefix).fixed(pieces).note(DiagnosticKind::CutOpener)
}
