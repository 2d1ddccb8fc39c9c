//! A text that should be one JSON value, read over any cut: its [grammar](super::grammar), and the texts that
//! models put around it.
//!
//! ```text
//! text  := BOM? ws fence? value delimiter* ws
//! fence := three or more ` or ~, then a word or nothing      the same closes it again
//! ```
//! The value may also be a string that holds such a text with an object in it. At the end of a chunk the
//! state of the grammar stays, and one more document in a string. At the end of the stream:
//! [`Document::end`].

use super::grammar::Grammar;
use super::lexer::Token;
use super::unescape::Unescape;
use crate::json::repairs::{ArgumentsErrorKind, Repair, Repairs};
use crate::json::white::is_white;

type Read<T> = Result<T, ArgumentsErrorKind>;

/// A part of the value. If the text has a mistake, the parts before it may already have come out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part<'t> {
    /// `{` or `[`.
    Open(u8),
    /// `}` or `]`.
    Close(u8),
    /// A string or a key begins.
    StringStart,
    /// A piece of it, decoded.
    Text(&'t str),
    StringEnd {
        key: bool,
    },
    /// A number or word, as written. [`scalar`](super::grammar::scalar) has a value for it.
    Word(&'t str),
}

#[derive(Clone, Debug)]
pub(crate) struct Document {
    allowed: Repairs,
    /// The most bytes of a number or word.
    most: usize,
    /// Only an object counts. No part of another value comes out.
    wants_object: bool,
    /// A string that is the whole value may hold the object.
    unwraps: bool,
    at: At,
    /// Bytes that were read, and bytes that were read before the open word.
    read: usize,
    whole: usize,
    /// The character of the fence around the value, if it has one.
    fence: Option<char>,
    grammar: Grammar,
    outermost: Outermost,
    /// The open string, and its quote.
    unescape: Unescape,
    quote: u8,
    /// The text in that string, as long as it may be a document.
    inner: Option<Box<Document>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum At {
    Start,
    White,
    /// A number of the fence's characters, before the value.
    Run(char, usize),
    /// In the fence's line: its characters, blanks, or a word.
    Opened(char),
    Blank,
    Info,
    Value,
    /// In the fence's closing line, or behind it.
    Closing(char),
    Closed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outermost {
    Unknown,
    Object,
    String,
    Null,
    Other,
}

/// The least characters of a code fence.
const FENCE: usize = 3;

const BYTE_ORDER_MARK: char = '\u{feff}';

impl Document {
    /// Makes a reader of any value.
    pub fn value(allowed: Repairs) -> Document {
        Document {
            allowed,
            most: usize::MAX,
            wants_object: false,
            unwraps: false,
            at: At::Start,
            read: 0,
            whole: 0,
            fence: None,
            grammar: Grammar::default(),
            outermost: Outermost::Unknown,
            unescape: Unescape::default(),
            quote: 0,
            inner: None,
        }
    }

    /// Makes a reader of an object, or of a string that holds an object.
    pub fn arguments(allowed: Repairs) -> Document {
        Document { wants_object: true, unwraps: true, ..Document::value(allowed) }
    }

    /// Bounds the bytes of a word: a longer one is malformed.
    pub fn hold(self, most: usize) -> Document {
        Document { most, ..self }
    }

    /// Reads a piece of the text.
    pub fn read(&mut self, text: &str, send: &mut impl FnMut(Part<'_>)) -> Read<()> {
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            // If a repair is not allowed, a long piece must not emit more than a short one.
            let most = match self.allowed {
                Repairs::Default => rest.len(),
                Repairs::None => first.len_utf8(),
            };
            let read = self.step(&rest[..most], send)?;
            self.check_repairs()?;
            rest = &rest[read..];
            self.read += read;
            if self.held() == 0 {
                self.whole = self.read;
            }
        }
        Ok(())
    }

    /// Ends the text.
    pub fn end(&mut self, send: &mut impl FnMut(Part<'_>)) -> Read<()> {
        match self.at {
            At::Start | At::White => return Err(ArgumentsErrorKind::Empty),
            At::Run(delimiter, count) => self.run_ends(delimiter, count, send)?,
            _ => {}
        }
        if let Some(token) = self.grammar.end()? {
            self.token(token, 0, send);
            self.check_repairs()?;
        }
        if self.wants_object && self.outermost != Outermost::Object {
            Err(ArgumentsErrorKind::NotAnObject)
        } else {
            Ok(())
        }
    }

    /// Ends the text after two quotes, which are an empty string unless a third follows.
    pub fn end_empty_string(&mut self, send: &mut impl FnMut(Part<'_>)) {
        if self.grammar.at_empty_string() {
            self.token(Token::StringEnd, self.grammar.depth(), send);
        }
    }

    /// Returns the place of the error: at a meaningless word, its start.
    pub fn position(&self) -> usize {
        self.whole
    }

    /// Whether the value is a string, or an object in one.
    pub fn is_in_string(&self) -> bool {
        self.outermost == Outermost::String || self.inner.is_some()
    }

    /// Whether the text was `null` and nothing else.
    pub fn is_null(&self) -> bool {
        self.outermost == Outermost::Null && self.grammar.repairs() == 0
    }

    /// Returns the number of bytes that no part has brought out yet.
    pub fn held(&self) -> usize {
        self.grammar.held() + self.inner.as_ref().map_or(0, |inner| inner.held())
    }

    /// Returns the repairs that were needed, in the order of the reports.
    pub fn repairs(&self) -> impl Iterator<Item = Repair> + use<> {
        let needed = self.grammar.repairs();
        Repair::ALL.into_iter().filter(move |repair| needed & (1 << *repair as u16) != 0)
    }

    fn check_repairs(&self) -> Read<()> {
        if self.allowed == Repairs::None && self.grammar.repairs() != 0 {
            Err(ArgumentsErrorKind::Malformed)
        } else {
            Ok(())
        }
    }

    /// Reads a part of the text. Returns its length.
    fn step(&mut self, rest: &str, send: &mut impl FnMut(Part<'_>)) -> Read<usize> {
        match self.at {
            At::Start if rest.starts_with(BYTE_ORDER_MARK) => {
                self.grammar.note(Repair::Bom);
                self.go(At::White, BYTE_ORDER_MARK.len_utf8())
            }
            At::Start => self.go(At::White, 0),
            At::White => match rest.trim_start_matches(is_white).chars().next() {
                Some(delimiter @ ('`' | '~')) => self.skip(rest, is_white, At::Run(delimiter, 0)),
                _ => self.skip(rest, is_white, At::Value),
            },
            At::Run(delimiter, count) => self.run(delimiter, count, rest, send),
            At::Opened(delimiter) => self.skip(rest, |c| c == delimiter, At::Blank),
            At::Blank => {
                let blank = |c| c == ' ' || c == '\t';
                let word =
                    rest.trim_start_matches(blank).starts_with(|c: char| c.is_ascii_alphabetic());
                self.skip(rest, blank, if word { At::Info } else { At::Value })
            }
            // The value may begin in the fence's own line, so only a word is skipped there.
            At::Info => {
                self.skip(rest, |c| c.is_ascii_alphanumeric() || "_-+.".contains(c), At::Value)
            }
            At::Value => self.step_of_value(rest, send),
            At::Closing(delimiter) => self.skip(rest, |c| c == delimiter, At::Closed),
            At::Closed => {
                if rest.starts_with(is_white) {
                    self.skip(rest, is_white, At::Closed)
                } else {
                    Err(ArgumentsErrorKind::Malformed)
                }
            }
        }
    }

    fn go(&mut self, at: At, read: usize) -> Read<usize> {
        self.at = at;
        Ok(read)
    }

    /// Skips characters for which `skipped` holds. If anything follows them, goes on at `then`.
    fn skip(&mut self, rest: &str, skipped: impl Fn(char) -> bool, then: At) -> Read<usize> {
        let left = rest.trim_start_matches(skipped).len();
        if left > 0 {
            self.at = then;
        }
        Ok(rest.len() - left)
    }

    /// Reads characters that may be a fence, or may begin a string in back-ticks.
    fn run(
        &mut self,
        delimiter: char,
        count: usize,
        rest: &str,
        send: &mut impl FnMut(Part<'_>),
    ) -> Read<usize> {
        let more = rest.chars().take_while(|c| *c == delimiter).count();
        self.at = At::Run(delimiter, count + more);
        if count + more < FENCE {
            if more < rest.len() {
                self.run_ends(delimiter, count + more, send)?;
            }
            return Ok(more);
        }
        // A fence around nothing is no fence: its closing line is no string in back-ticks.
        if self.fence.replace(delimiter).is_some() {
            return Err(ArgumentsErrorKind::Malformed);
        }
        self.grammar.note(Repair::Fence);
        self.go(At::Opened(delimiter), more)
    }

    /// Ends a run that is too short for a fence: its characters belong to the value.
    fn run_ends(
        &mut self,
        delimiter: char,
        count: usize,
        send: &mut impl FnMut(Part<'_>),
    ) -> Read<()> {
        self.at = At::Value;
        let delimiters = if delimiter == '`' { "``" } else { "~~" };
        let mut rest = &delimiters[..count];
        while !rest.is_empty() {
            rest = &rest[self.next(rest, send)?..];
            self.check_repairs()?;
        }
        Ok(())
    }

    fn step_of_value(&mut self, rest: &str, send: &mut impl FnMut(Part<'_>)) -> Read<usize> {
        let fence = self.fence.filter(|delimiter| rest.starts_with(*delimiter));
        match fence.zip(self.grammar.is_outside()) {
            // The closing line may itself be cut short.
            Some((delimiter, true)) => self.go(At::Closing(delimiter), 0),
            Some((delimiter, false)) => self.go(At::Run(delimiter, 0), 0),
            None => self.next(rest, send),
        }
    }

    /// Reads a token.
    fn next(&mut self, rest: &str, send: &mut impl FnMut(Part<'_>)) -> Read<usize> {
        let depth = self.grammar.depth();
        let (read, token) = self.grammar.next(rest)?;
        if self.grammar.held() > self.most {
            return Err(ArgumentsErrorKind::Malformed);
        }
        self.token(token, depth, send);
        Ok(read)
    }

    /// Takes a token. `depth`: the depth before it.
    fn token(&mut self, token: Token<'_>, depth: usize, send: &mut impl FnMut(Part<'_>)) {
        let key = self.grammar.is_key();
        match token {
            Token::Open(byte) => {
                let object = if byte == b'{' { Outermost::Object } else { Outermost::Other };
                self.outermost(depth, object);
                self.send(Part::Open(byte), send);
            }
            Token::Close(byte) if depth > 0 => self.send(Part::Close(byte), send),
            Token::StringStart(quote) => {
                self.outermost(depth, Outermost::String);
                self.quote = quote;
                self.unescape = Unescape::default();
                if depth == 0 && self.unwraps && quote == b'"' {
                    let inner = Document::arguments(Repairs::Default).hold(self.most);
                    self.inner = Some(Box::new(Document { unwraps: false, ..inner }));
                }
                self.send(Part::StringStart, send);
            }
            Token::Text(text) => {
                self.grammar.note_if(text.bytes().any(|byte| byte < b' '), Repair::RawControl);
                self.text(Some(text), send);
            }
            Token::StringEnd => {
                self.text(None, send);
                self.unwrap(send);
                self.send(Part::StringEnd { key }, send);
            }
            Token::WordEnd if key => {
                self.send(Part::StringStart, send);
                self.send(Part::Text(self.grammar.word()), send);
                self.send(Part::StringEnd { key }, send);
            }
            Token::WordEnd => {
                let null = self.grammar.word() == "null";
                self.outermost(depth, if null { Outermost::Null } else { Outermost::Other });
                if self.sends() {
                    send(Part::Word(self.grammar.word()));
                }
            }
            _ => {}
        }
    }

    fn outermost(&mut self, depth: usize, kind: Outermost) {
        if depth == 0 {
            self.outermost = kind;
        }
    }

    fn sends(&self) -> bool {
        !self.wants_object || self.outermost == Outermost::Object && self.inner.is_none()
    }

    fn send(&self, part: Part<'_>, send: &mut impl FnMut(Part<'_>)) {
        if self.sends() {
            send(part);
        }
    }

    /// Takes a piece of a string, or its end: for the document in it, or for the output.
    fn text(&mut self, text: Option<&str>, send: &mut impl FnMut(Part<'_>)) {
        // Only double quotes hold a document, and only single ones of them.
        let quotes = self.grammar.repairs() & (1 << Repair::Quotes as u16) != 0;
        let sends = self.sends();
        let (inner, unescape) = (&mut self.inner, &mut self.unescape);
        let mut decoded = |piece: &str| {
            if let Some(document) = inner {
                let lost = quotes || document.read(piece, send).is_err();
                if lost {
                    *inner = None;
                }
            } else if sends {
                send(Part::Text(piece));
            }
        };
        match text {
            Some(text) => unescape.read(text, self.quote, &mut decoded),
            None => unescape.end(&mut decoded),
        }
        self.grammar.note_if(self.unescape.bad_escape, Repair::BadEscape);
        self.grammar.note_if(self.unescape.lone_surrogate, Repair::LoneSurrogate);
    }

    /// Ends the string: if a document is in it, the document is the value.
    fn unwrap(&mut self, send: &mut impl FnMut(Part<'_>)) {
        let Some(inner) = &mut self.inner else { return };
        if inner.end(send).is_ok() {
            self.grammar.holds_object();
            inner.repairs().for_each(|repair| self.grammar.note(repair));
            self.outermost = Outermost::Object;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::tree::Tree;
    use serde_json::{Value, json};

    /// Reads a text in these pieces.
    fn read(mut document: Document, pieces: &[&str]) -> (Document, Read<Option<Value>>) {
        let mut tree = Tree::default();
        let read =
            pieces.iter().try_for_each(|piece| document.read(piece, &mut |part| tree.part(part)));
        let end = read.and_then(|()| document.end(&mut |part| tree.part(part)));
        let value = end.map(|()| tree.take_value());
        (document, value)
    }

    fn value(pieces: &[&str]) -> Read<Option<Value>> {
        read(Document::value(Repairs::Default), pieces).1
    }

    #[test]
    fn two_back_ticks_are_an_empty_string() {
        assert_eq!(value(&["``"]), Ok(Some(json!(""))));
        assert_eq!(value(&["`", "`"]), Ok(Some(json!(""))));
    }

    #[test]
    fn a_fence_in_a_string_of_a_fence_is_text() {
        let text = Ok(Some(json!("ab```c")));
        assert_eq!(value(&["```\n\"ab```c\"\n```"]), text);
        assert_eq!(value(&["```\n\"ab", "```c\"\n```"]), text);
    }

    #[test]
    fn a_brace_too_many_closes_nothing() {
        let mut parts = Vec::new();
        let mut document = Document::value(Repairs::Default);
        let read = document.read("{}}", &mut |part| parts.push(format!("{part:?}")));
        assert_eq!(read, Ok(()));
        assert_eq!(parts, ["Open(123)", "Close(125)"]);
    }

    #[test]
    fn an_object_in_a_string_is_in_one() {
        for (text, is_in_string) in
            [("\"{}\"", true), ("\"x", true), ("{\"a\": \"x\"}", false), ("'{}'", true)]
        {
            let (document, _) = read(Document::arguments(Repairs::Default), &[text]);
            assert_eq!(document.is_in_string(), is_in_string, "{text}");
        }
    }
}
