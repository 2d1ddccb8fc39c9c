//! Messages in envelopes, whose headers say what they are.
//!
//! ```text
//! message := START? HEADER MESSAGE BODY END
//! ```
//! The prompt ends in START and the author, so a stream begins in a header. Of its words two count, wherever they
//! stand: a recipient (`to=NAME`) other than the author makes the message a call, and the word of reasoning after its
//! token (the channel) makes it that; all others are text. Of several channels the last one counts. Behind a channel's
//! word stand recipients, words of contents and tokens alone, and behind another token anything up to the next one; with
//! anything else there it is no header, and the message begins behind the channel's word. Other texts that are no header
//! are text. A header that the stream cuts, or the end of its message, is markup, if one of its tokens or the
//! recipient's marker stands in it. After a call a header of somebody else to the author is a result that was invented.
//!
//! The body of a call is a JSON object, which ends by itself, or nothing, or else all of it is the parameter `input`; or
//! it is arguments one by one. The end of a message is a stop token: the end of the stream will do.

use super::argument::Argument;
use super::derive::{add, owned};
use super::grammar::boxed;
use super::notation::{self, Part, around};
use super::{Shape, Wrong};
use crate::dialect::bracket::{between, call, cuts, garbage, mismatched, next_param, value};
use crate::dialect::build::{LETTERS, one, rule, start, until};
use crate::dialect::spec::{
    At, AtEnd, Between, BodyKind, CallKind, Chars, DialectSpec, Flags, Framing, Gives, Known, Name,
    Named, Pattern, Piece, Place, ProseKind, Rule, Run, Scope, SectionKind, Text, ValueKind, WS,
    What,
};
use crate::event::DiagnosticKind;
use crate::family::envelope;
use crate::pattern;

/// The words of headers that models write: roles, channels, and what a message holds.
const ROLES: &[&str] = &["assistant", "user", "system", "developer", "tool"];
const CHANNELS: &[&str] = &["analysis", "commentary", "final"];
const CONTENTS: &[&str] = &["json", "code", "text", "xml"];

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

/// A name that is not asked for, and a word.
const NAME: Run = Run { chars: Chars::NAME, min: 0, max: 128 };
const WORD: Run = Run { min: 1, ..NAME };
/// What no name goes on with: `analysis` is another channel than `analysis_2`.
const WORD_END: Piece = Piece::NotNext(Chars::NAME);
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

    /// Returns the texts of the messages for readers. `None`: arguments stand one by one, or headers do not have two tokens
    /// of their own, without which the family would not go on.
    pub fn texts(&self) -> Option<envelope::Texts> {
        let token = |number: usize| self.tokens.get(number).map(boxed).unwrap_or_default();
        let is_read = self.argument.is_none() && self.tokens.len() == 2;
        is_read.then(|| envelope::Texts {
            start: boxed(&self.start),
            message: boxed(&self.message),
            ends: self.ends.iter().map(boxed).collect(),
            channel: token(0),
            constrain: token(1),
            thinks: self.thinks.as_ref().map(boxed).unwrap_or_default(),
            author: boxed(&self.author),
            to: boxed(&self.to),
            prefix: boxed(&self.prefix),
            argument: None,
        })
    }

    fn end(&self) -> Pattern {
        pattern![self.ends]
    }

    /// What ends no header.
    fn others(&self) -> Vec<Text> {
        [std::slice::from_ref(&self.start), &*self.ends].concat()
    }

    fn channel(&self) -> Option<Text> {
        self.tokens.first().cloned()
    }

    /// The words that may stand behind the token of a channel.
    fn channels(&self) -> Vec<Text> {
        let own = self.thinks.iter().filter(|word| !CHANNELS.contains(&&***word)).cloned();
        CHANNELS.iter().copied().map(Text::from).chain(own).collect()
    }

    /// Nothing but words of headers up to this text, and recipients, if `to`.
    fn words_until(&self, text: &Text, to: bool) -> Piece {
        let author = Some(&self.author).filter(|word| !word.is_empty());
        let own = author.filter(|word| !ROLES.contains(&&***word)).cloned();
        let to = to.then(|| self.to.clone());
        let words = [ROLES, CONTENTS].concat().into_iter().map(Text::from);
        let words = self.channels().into_iter().chain(words).chain(own).chain(to);
        Piece::Until { to: text.clone(), unless: Vec::new(), words: words.collect(), within: 0 }
    }

    /// Nothing but what may stand behind a channel's word up to this text: recipients, words of contents, and, if
    /// `tokens`, all tokens but the channel's; with `channels` that one, too.
    fn contents_until(&self, text: &Text, tokens: bool, channels: bool) -> Piece {
        let mut words: Vec<Text> = CONTENTS.iter().copied().map(Text::from).collect();
        words.push(self.to.clone());
        if let (true, Some((channel, others))) = (tokens, self.tokens.split_first()) {
            words.extend(others.iter().map(|token| owned(format!("{token}…"))));
            let again = self.channels().into_iter().filter(|_| channels);
            words.extend(again.map(|word| owned(format!("{channel}{word}"))));
        }
        Piece::Until { to: text.clone(), unless: Vec::new(), words, within: 0 }
    }

    /// These texts without the signs with which all tokens begin, if they begin so.
    fn without_lead<'t>(&self, texts: impl IntoIterator<Item = &'t Text>) -> Vec<Text> {
        texts.into_iter().filter_map(|text| text.strip_prefix(&*self.lead)).map(owned).collect()
    }

    /// A header up to the end of its first channel's token.
    fn to_channel(&self, channel: &Text) -> Piece {
        until(channel.clone(), &[self.others(), vec![self.message.clone()]].concat())
    }

    /// A header without a channel's token up to this text.
    fn plain_until(&self, text: &Text, unless: &[Text]) -> Piece {
        let tokens = self.tokens.first().into_iter().chain(unless);
        until(text.clone(), &[self.others(), tokens.cloned().collect()].concat())
    }

    /// Whole headers, whoever their message is for.
    fn headers(&self) -> Vec<Pattern> {
        let mut headers = vec![pattern![self.plain_until(&self.message, &[])]];
        if let Some(channel) = self.channel() {
            let (to_channel, rest) = (self.to_channel(&channel), self.behind_channel());
            headers.extend(rest.map(|rest| [pattern![to_channel], rest].concat()));
        }
        headers
    }

    /// The parts of a whole header behind its first channel's token.
    fn behind_channel(&self) -> [Pattern; 2] {
        let rest = self.contents_until(&self.message, true, true);
        [pattern![WS, WORD, rest], pattern![rest]]
    }

    /// Whole headers of calls.
    fn calls(&self) -> Vec<Pattern> {
        let recipient = Name::tool().prefix(self.prefix.clone());
        let not = Some(self.author.clone()).filter(|author| !author.is_empty());
        let recipient = Name { not: not.into_iter().collect(), ..recipient };
        let to = self.plain_until(&self.to, std::slice::from_ref(&self.message));
        let plain = self.plain_until(&self.message, &[]);
        let mut calls = vec![pattern![to, recipient, plain]];
        let Some(channel) = self.channel() else { return calls };
        let to_channel = self.to_channel(&channel);
        let rest = self.contents_until(&self.message, true, true);
        let behind = self.contents_until(&self.to, true, true);
        calls.extend([
            pattern![to, recipient, to_channel, WS, NAME, rest],
            pattern![to_channel, WS, WORD, behind, recipient, rest],
            pattern![to_channel, WS, self.to, recipient, rest],
        ]);
        for token in &self.tokens[1..] {
            let token = self.contents_until(token, false, false);
            let to = until(self.to.clone(), std::slice::from_ref(&self.lead));
            calls.push(pattern![to_channel, WS, WORD, token, to, recipient, rest]);
        }
        calls
    }

    /// Headers that end before their message begins, at one of these texts: with a recipient, and without.
    fn unfinished(&self, ends: &[Text]) -> [Vec<Pattern>; 2] {
        let (lead, ends) = (&self.lead, ends.to_vec());
        let to = until(self.to.clone(), std::slice::from_ref(lead));
        let more = |texts: &[Text]| -> Vec<Pattern> {
            let up_to = |text: &Text| self.contents_until(text, false, false);
            let tokens = texts.iter().map(|token| {
                pattern![up_to(token), until(lead.clone(), std::slice::from_ref(lead)), ends]
            });
            tokens.chain([pattern![up_to(lead), ends]]).collect()
        };
        let (channel, others) = match self.tokens.split_first() {
            Some((channel, others)) => (Some(channel), others),
            None => (None, &[][..]),
        };
        let after = |before: &Pattern| {
            let behind = more(others).into_iter();
            behind.map(|behind| [&**before, &behind].concat()).collect::<Vec<Pattern>>()
        };
        let mut with = vec![pattern![to, NAME, self.words_until(lead, true), ends]];
        let mut without = vec![
            pattern![self.words_until(lead, true), ends],
            pattern![WS, WORD, self.words_until(lead, true), ends],
        ];
        without.extend(others.iter().map(|token| {
            let token = self.words_until(token, true);
            pattern![token, until(lead.clone(), std::slice::from_ref(lead)), ends]
        }));
        if let Some(channel) = channel {
            let to_channel = self.to_channel(channel);
            with.extend(after(&pattern![to, NAME, self.words_until(channel, true), WS, NAME]));
            let behind = self.contents_until(&self.to, false, false);
            with.extend(after(&pattern![to_channel, WS, WORD, behind, NAME]));
            without.extend(after(&pattern![to_channel, WS, NAME]));
        }
        [with, without]
    }

    /// The first token of a header, which opens it, and the same where the stream ends right after it.
    fn started(&self) -> [Rule; 2] {
        let opens = start(pattern![self.start]).follow([pattern![NO_WHITE]]).open(STARTED);
        [opens, cut(pattern![At::Start, self.start, WS, NO_WHITE], 2)]
    }

    /// Before a header. What is none is text, from its first byte.
    fn before_header(&self, header: Place, between: Chars) -> SectionKind {
        let tokens = [std::slice::from_ref(&self.start), &*self.tokens].concat();
        let tokens = self.without_lead(tokens.iter().chain([&self.message]));
        let first = pattern![self.words_until(&self.lead, true), tokens];
        let recipient = pattern![At::Start, self.words_until(&self.to, false), NAME];
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
        let mut rules = self.started().to_vec();
        rules.extend(self.invented());
        rules.push(start(self.end()).open(NEXT));
        rules.extend(self.calls().into_iter().map(|call| start(call).open(Place::Call(0))));
        rules.extend(self.reasoning(place));
        rules.extend(self.headers().into_iter().map(|header| start(header).open(TEXT)));
        rules.extend(self.cut_short());
        rules.extend(self.cut_header(place));
        rules.extend(self.no_header());
        // A token alone is no text.
        let tokens = [&*self.tokens, std::slice::from_ref(&self.message)].concat();
        rules.push(start(pattern![tokens, LETTERS]).note(DiagnosticKind::MalformedTag));
        between(rules)
    }

    /// After a call, the header of somebody else to the author.
    fn invented(&self) -> Option<Rule> {
        let author = Some(self.author.clone()).filter(|author| !author.is_empty())?;
        let name = Name { not: vec![author.clone()], ..Name::tool() };
        let invented = start(pattern![WS, name, WS, self.to, author, WORD_END]).noise();
        let invented = invented.needs(Flags::CALLED).does(What::Rest);
        Some(invented.note(DiagnosticKind::FabricatedResult))
    }

    /// A channel that is not the last one, and the header of reasoning.
    fn reasoning(&self, place: Place) -> Vec<Rule> {
        let Some(channel) = self.channel() else { return Vec::new() };
        let to_channel = self.to_channel(&channel);
        let next = pattern![self.contents_until(&channel, true, false)];
        let again = start(pattern![to_channel, WS, NAME]).noise().follow([next]).open(place);
        let Some(word) = self.thinks.clone() else { return vec![again] };
        let rest = self.contents_until(&self.message, true, false);
        vec![
            start(pattern![to_channel, WS, word, WORD_END, rest]).open(REASONING),
            start(pattern![WS, word, WS, self.message]).open(REASONING),
            again,
        ]
    }

    /// A header that the end of a message, or the next header, cuts short.
    fn cut_short(&self) -> Vec<Rule> {
        let ends = self.without_lead(&self.ends);
        let next = self.without_lead([&self.start]);
        let mut rules = Vec::new();
        for (ends, place) in [(ends, NEXT), (next, STARTED)] {
            if ends.is_empty() {
                continue;
            }
            let [with, without] = self.unfinished(&ends);
            let rule = |mark: Pattern| start(mark).noise().open(place);
            let with = with.into_iter().map(|mark| rule(mark).note(DiagnosticKind::MalformedCall));
            rules.extend(with);
            let without = without.into_iter();
            rules.extend(without.map(|mark| rule(mark).note(DiagnosticKind::MalformedTag)));
        }
        rules
    }

    /// A header that the end of the stream cuts.
    fn cut_header(&self, place: Place) -> Vec<Rule> {
        let cut_in = |mark: Pattern, pieces: u8| cut([pattern![At::Start], mark].concat(), pieces);
        let channel = self.headers().into_iter();
        if place == STARTED {
            return channel.map(|header| cut_in(header, 1)).collect();
        }
        let channel = channel.skip(1).map(|header| match place {
            // The first header is half in every stream that ends before its first message.
            FIRST_HEADER => cut_in(header, 2).note(DiagnosticKind::MalformedTag),
            _ => cut_in(header, 2),
        });
        // A call's is known by what stands before its recipient.
        let recipients = self.calls().into_iter().map(|call| {
            let name = call.iter().position(|piece| matches!(piece, Piece::Name(_)));
            cut_in(call, 1 + name.unwrap_or(0) as u8)
        });
        recipients.chain(channel).collect()
    }

    /// Text that begins as a header and goes on as none: the message begins behind the word of its channel.
    fn no_header(&self) -> Vec<Rule> {
        let Some(channel) = self.channel() else { return Vec::new() };
        let to_channel = self.to_channel(&channel);
        let rule = |mark: Pattern| start(mark).noise().note(DiagnosticKind::MalformedTag);
        let reasoning = self.thinks.iter().cloned();
        let reasoning = reasoning.map(|word| pattern![to_channel, WS, word, WORD_END]);
        let mut rules: Vec<Rule> = reasoning.map(|mark| rule(mark).open(REASONING)).collect();
        rules.push(rule(pattern![to_channel, WS, WORD]).open(TEXT));
        rules.push(rule(pattern![to_channel]).open(TEXT));
        rules
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
    fn next_headers(&self) -> Vec<Pattern> {
        let plain = self.plain_until(&self.message, &[]);
        let mut headers = vec![pattern![self.start, plain]];
        if let Some(channel) = self.channel() {
            for rest in self.behind_channel() {
                let started = pattern![self.start, self.to_channel(&channel)];
                headers.push([started, rest.clone()].concat());
                headers.push([pattern![channel], rest].concat());
            }
        }
        headers
    }

    /// The beginning of a header in a message, up to its channel's word: what follows may be none.
    fn next_channel(&self) -> Option<Pattern> {
        let channel = self.channel()?;
        let words = self.words_until(&channel, true);
        Some(pattern![self.start, WS, NAME, words, WS, self.channels(), WORD_END])
    }

    fn after_object(&self) -> SectionKind {
        let mut rules = self.started().to_vec();
        rules.push(start(self.end()).open(NEXT));
        if let Some(channel) = self.channel() {
            for rest in self.behind_channel() {
                let channel = [pattern![At::Start, channel], rest].concat();
                rules.extend([rule(channel.clone()).before().open(HEADER), cut(channel, 2)]);
            }
        }
        rules.extend(garbage());
        let lost = start(Vec::new()).noise().close(Scope::Section);
        rules.push(lost.note(DiagnosticKind::MissingCloser));
        between(rules)
    }

    /// The ends of a message: its end token, the next header, and half of that at the end of the stream.
    fn over(&self, scope: Scope, before: &Pattern) -> Vec<Rule> {
        let after = |mark: Pattern| [&**before, &mark].concat();
        let pieces = before.len() as u8 + 1;
        let next = |header: Pattern| {
            let next = rule(after(header)).noise().before().close(scope).then(HEADER);
            next.note(DiagnosticKind::MissingCloser)
        };
        // In prose half a header is just that.
        let half = |header: Pattern| match scope {
            Scope::Prose => cut(after(header), pieces),
            scope => cut(after(header), pieces).noise().close(scope),
        };
        let headers = self.next_headers();
        let mut rules = vec![rule(after(self.end())).close(scope).then(NEXT)];
        rules.extend(headers.iter().cloned().map(next));
        rules.extend(headers.into_iter().map(half));
        rules.extend(self.next_channel().map(next));
        rules
    }

    /// Arguments as an object, or as they are.
    fn object(&self) -> (CallKind, ValueKind, BodyKind) {
        // What ends an empty body; the end of the stream does, too, also in half of it.
        let mut over = self.over(Scope::Call, &pattern![At::Start, WS]);
        let end = over.remove(0).noise().at_end(AtEnd::Prefix).fixed(1);
        // After white space: a longer run of it is text like any other.
        let mut rules = vec![start(pattern![WS, "{"]).noise().open(Place::Body(0)), end];
        rules.extend(over);
        rules.push(start(Vec::new()).does(What::Param(0, Named::Input)));
        let next = self.next_headers().into_iter().chain(self.next_channel());
        let next = next.map(|next| cuts(next, &[]).note(DiagnosticKind::MissingCloser));
        let ends = [cuts(self.end(), &[])].into_iter().chain(next);
        (
            call(rules),
            value(Framing::None, self.over(Scope::Call, &Vec::new())),
            BodyKind { gives: Gives::Arguments, rules: ends.collect(), then: Some(AFTER_OBJECT) },
        )
    }

    /// Arguments one by one.
    fn one_by_one(&self, argument: &Argument) -> (CallKind, ValueKind) {
        let next = self.next_headers().into_iter().chain(self.next_channel());
        let follow: Vec<Pattern> = [argument.next(), self.end()].into_iter().chain(next).collect();
        // The closer was forgotten: the next parameter begins.
        let next_param = next_param(argument.first(Known::Fresh));
        let own_name = argument.own_names().into_iter().map(|mark| mismatched(mark, &follow));
        // A message that ends in a value ends the call, too, and the value is not whole.
        let mut over = self.over(Scope::Call, &Vec::new());
        let param = rule(argument.mark()).param(0);
        let rules = [vec![param], over.clone()].concat();
        over[0].action.note = Some(DiagnosticKind::MissingCloser);
        let half = |rule: &Rule| rule.action.note == Some(DiagnosticKind::CutOpener);
        for broken in over.iter_mut().filter(|rule| !half(rule)) {
            broken.action.sets = broken.action.sets | Flags::BROKEN;
        }
        let mut values = vec![argument.closer(&follow)];
        values.extend(own_name);
        values.push(next_param);
        values.extend(over);
        values.extend(argument.suspects());
        (call(rules), value(argument.framing, values))
    }

    pub fn dialect(&self) -> Result<DialectSpec, Wrong> {
        // Text or reasoning, up to the end of its message.
        let prose = |reasoning: bool| {
            let rules = self.over(Scope::Prose, &Vec::new());
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
