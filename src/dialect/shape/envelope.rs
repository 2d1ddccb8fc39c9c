//! Messages in envelopes, whose headers name their kinds.
//!
//! ```text
//! message := START? HEADER MESSAGE BODY END
//! ```
//! The prompt ends in START and the author, so a stream begins in a header. Two words of a header count, wherever they
//! stand. A recipient (`to=NAME`) other than the author makes the message a call, and the word of reasoning behind its
//! token (the channel) makes it reasoning. All other messages are text. Of several channels the last one counts. Behind
//! a channel's word only recipients, words of contents and tokens may stand, and behind another token anything up to the
//! next token. With anything else there it is not a header, and the message begins behind the channel's word. Other
//! texts that are no header are text. A header that the stream or the end of its message cuts is markup, if it has
//! one of its tokens or the recipient's marker. After a call, a header of another author to the model is an invented
//! result.
//!
//! The body of a call is a JSON object, which ends by itself, or nothing, or arguments one by one. Any other body is the
//! parameter `input`. The end of a message is a stop token: the end of the stream will do.

use super::argument::Argument;
use super::derive::{add, owned};
use super::grammar::boxed;
use super::notation::{self, Part, around};
use super::{Shape, Wrong};
use crate::dialect::Text;
use crate::family::envelope;
use crate::read::class::Class;

/// The parts of an envelope's shape.
pub(super) struct Envelope<'a> {
    shape: &'a Shape,
    /// The texts before a header, behind it, and behind a message.
    start: Text,
    message: Text,
    ends: Vec<Text>,
    /// The signs that all tokens begin with, and the tokens of headers. The first is the one before the word of
    /// reasoning.
    lead: Text,
    tokens: Vec<Text>,
    /// The word that makes a message reasoning.
    thinks: Option<Text>,
    /// The author of the model's messages, the text before a recipient, and the part of a recipient that is
    /// cut off.
    author: Text,
    to: Text,
    prefix: Text,
    argument: Option<Argument>,
}

impl<'a> Envelope<'a> {
    pub fn from_shape(shape: &'a Shape) -> Result<Envelope<'a>, Wrong> {
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
            last.split_at(last.rfind(|c| !Class::Name.has(c)).map_or(0, |at| at + 1));
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
            argument: Argument::new(shape)?,
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

    /// Adds the tokens of a header, and returns the word behind the first of them that has one.
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

    /// Returns the texts of the messages for readers.
    pub fn texts(&self) -> Result<envelope::Texts, Wrong> {
        let (channel, types) = match self.tokens.split_first() {
            Some((channel, types)) => (boxed(channel), types),
            None => Default::default(),
        };
        if types.len() > envelope::MOST_TYPES {
            let what = format!(
                "in `{}`: {} tokens stand in its headers, {} too many",
                self.shape.call,
                types.len() + 1,
                types.len() - envelope::MOST_TYPES,
            );
            return Err(Wrong::new("call", what));
        }
        let argument = self.argument.as_ref().map(|argument| envelope::Argument {
            marks: argument.texts(true, true),
            named: argument.own_names(),
        });
        Ok(envelope::Texts {
            start: boxed(&self.start),
            message: boxed(&self.message),
            ends: self.ends.iter().map(boxed).collect(),
            channel,
            constrain: types.iter().map(boxed).collect(),
            thinks: self.thinks.as_ref().map(boxed).unwrap_or_default(),
            author: boxed(&self.author),
            to: boxed(&self.to),
            prefix: boxed(&self.prefix),
            argument,
            stripped: false,
        })
    }
}
