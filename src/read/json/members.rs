//! The members of an object that lacks the key of its arguments: perhaps they are the arguments.

use std::ops::Range;

use super::key::Key;
use crate::json::lexer::{Lexer, Token};
use crate::json::unescape::Unescape;

/// A member that is none of a call's: its key, and where its value stands.
pub(crate) type Member = (String, Range<usize>);

/// The members that are none of a call's, from the first byte of the first one's value up to the end of the call's
/// object. `None`, if one is an object that would have to be entered.
pub(crate) fn others(first: &str, text: &str) -> Option<Vec<Member>> {
    let mut reader = Reader { key: first.to_string(), ..Reader::default() };
    let (mut lexer, mut at) = (Lexer::default(), 0);
    while at < text.len() {
        let (read, token) = lexer.next_of(&text[at..], crate::json::syntax::JSON);
        reader.token(token, at, at + read)?;
        at += read;
    }
    if lexer.in_word() && !reader.in_key {
        reader.value_ends(text.len());
    }
    Some(reader.found)
}

/// The text that has been read.
#[derive(Default)]
struct Reader {
    found: Vec<Member>,
    key: String,
    unescape: Unescape,
    quote: u8,
    /// A key is read, or looked for.
    in_key: bool,
    /// Where the value began that is read.
    value: Option<usize>,
    /// Brackets that it opened.
    depth: usize,
}

impl Reader {
    fn token(&mut self, token: Token<'_>, at: usize, end: usize) -> Option<()> {
        if self.in_key {
            return self.key(token);
        }
        match token {
            Token::Open(_) | Token::StringStart(_) | Token::Word(_) if self.value.is_none() => {
                self.value = Some(at);
                let opens = matches!(token, Token::Open(_));
                self.depth = usize::from(opens);
                if opens && self.key == "function" {
                    return None;
                }
            }
            Token::Open(_) => self.depth += 1,
            Token::Close(_) if self.depth > 0 => {
                self.depth -= 1;
                self.value_ends(end);
            }
            Token::StringEnd => self.value_ends(end),
            Token::WordEnd => self.value_ends(at),
            _ => {}
        }
        Some(())
    }

    fn value_ends(&mut self, end: usize) {
        let Some(start) = self.value.filter(|_| self.depth == 0) else { return };
        let key = std::mem::take(&mut self.key);
        if Key::of(&key).is_other() {
            self.found.push((key, start..end));
        }
        (self.value, self.in_key) = (None, true);
    }

    fn key(&mut self, token: Token<'_>) -> Option<()> {
        let Reader { key, unescape, quote, .. } = self;
        match token {
            Token::StringStart(of) => {
                (*quote, *unescape) = (of, Unescape::default());
                key.clear();
            }
            Token::Text(text) => unescape.read(text, *quote, &mut |piece| key.push_str(piece)),
            Token::StringEnd => unescape.end(&mut |piece| key.push_str(piece)),
            Token::Word(word) => key.push_str(word),
            Token::Comma => key.clear(),
            Token::Colon => self.in_key = false,
            _ => {}
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_of_an_object() {
        for (text, found) in [
            (r#""Oslo", "days": 3, "id": "x", "name": "f"}"#, Some("city=\"Oslo\" days=3")),
            (r#"{"a": [1, "}"]}, 'é' : null }"#, Some("city={\"a\": [1, \"}\"]} é=null")),
            (r#""Oslo" "d\u0061ys": [] , type: "x"}, "index": 0}"#, Some("city=\"Oslo\" days=[]")),
            (r#""", "function": "f", "x": ''}"#, Some("city=\"\" x=''")),
            (r#"1, "function": {"name": "f"}}"#, None),
            ("1", Some("city=1")),
            ("1, \"d", Some("city=1")),
        ] {
            let read = others("city", text).map(|members| {
                let member = |(key, at): &Member| format!("{key}={}", &text[at.clone()]);
                members.iter().map(member).collect::<Vec<_>>().join(" ")
            });
            assert_eq!(read.as_deref(), found, "{text}");
        }
    }
}
