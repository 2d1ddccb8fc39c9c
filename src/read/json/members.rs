//! The members of an object without a key of arguments: they may be the arguments.

use std::ops::Range;

use super::key::Key;
use crate::json::lexer::{Lexer, Token};
use crate::json::unescape::Unescape;

/// A member whose key is not a call's: its key, and the place of its value.
pub(crate) type Member = (String, Range<usize>);

/// Returns the members whose keys are not a call's, from the first byte of the first value up to the end of the
/// call's object. `None`: one of them is an object that would have to be entered.
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

/// The reader of the text.
#[derive(Default)]
struct Reader {
    found: Vec<Member>,
    key: String,
    unescape: Unescape,
    quote: u8,
    /// In a key, or before one.
    in_key: bool,
    /// The beginning of the open value.
    value: Option<usize>,
    /// The open brackets of the value.
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
        if Key::new(&key).is_other() {
            self.found.push((key, start..end));
        }
        self.value = None;
        self.in_key = true;
    }

    fn key(&mut self, token: Token<'_>) -> Option<()> {
        let Reader { key, unescape, quote, .. } = self;
        match token {
            Token::StringStart(of) => {
                *quote = of;
                *unescape = Unescape::default();
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
