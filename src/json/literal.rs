//! Literals of a dialect's own kind, as the JSON that they say.
//!
//! ```text
//! string := "…"  '…'  and those of the syntax       word := JSON's, Python's, or a text
//! list   := "[" … "]"  |  "(" … ")"  |  "{" … "}" without a colon (a set)
//! object := "{" key ( ":" | "=" ) value … "}"
//! ```
//! A comma may come last, as in Python.

use serde_json::Value;

use super::grammar::scalar;
use super::lexer::{Lexer, Syntax, Token};
use super::repair::{self, Repairs};
use super::unescape::Unescape;
use crate::json::white::trim;

/// The value of a literal. Words that are no literals are texts only where strings have a quote of
/// the syntax.
pub(crate) fn value(text: &str, syntax: Syntax<'_>) -> Option<Value> {
    let mut writer = Writer { syntax, ..Writer::new() };
    let mut lexer = Lexer::default();
    let text = trim(text);
    let mut at = 0;
    while at < text.len() {
        let (read, token) = lexer.next_of(&text[at..], syntax);
        writer.token(token, &text[at..at + read])?;
        at += read;
    }
    if lexer.in_word() {
        writer.token(Token::WordEnd, "")?;
    } else if lexer.may_have_ended() || lexer.at_empty_string() {
        writer.token(Token::StringEnd, "")?;
    } else if !lexer.is_between() {
        return None;
    }
    if !writer.open.is_empty() {
        return None;
    }
    repair::value(&writer.json, Repairs::Default).ok().map(|(value, _)| value)
}

/// Writes the tokens as JSON.
struct Writer<'s> {
    syntax: Syntax<'s>,
    json: String,
    open: Vec<OpenContainer>,
    /// The string or word that is being read.
    text: String,
    /// What may be the end of it.
    may_end: String,
    quote: u8,
    unescape: Unescape,
}

/// An open bracket.
struct OpenContainer {
    bracket: u8,
    /// Where it stands in the JSON.
    at: usize,
    has_keys: bool,
}

impl<'s> Writer<'s> {
    fn new() -> Writer<'s> {
        Writer {
            syntax: super::lexer::JSON,
            json: String::new(),
            open: Vec::new(),
            text: String::new(),
            may_end: String::new(),
            quote: 0,
            unescape: Unescape::default(),
        }
    }

    fn token(&mut self, token: Token<'_>, written: &str) -> Option<()> {
        match token {
            Token::White => {}
            Token::Open(bracket) => {
                self.open.push(OpenContainer { bracket, at: self.json.len(), has_keys: false });
                self.json.push(if bracket == b'{' { '{' } else { '[' });
            }
            Token::Close(bracket) => self.close(bracket)?,
            Token::Comma => self.json.push(','),
            Token::Colon => {
                self.open.last_mut()?.has_keys = true;
                self.json.push(':');
            }
            Token::StringStart(quote) => (self.quote, self.unescape) = (quote, Unescape::default()),
            Token::MayEnd => self.may_end.push_str(written),
            Token::Text(text) => {
                let Writer { text: out, may_end, unescape, quote, .. } = self;
                out.push_str(may_end);
                may_end.clear();
                unescape.read(text, *quote, &mut |piece| out.push_str(piece));
            }
            Token::StringEnd => {
                let out = &mut self.text;
                self.unescape.end(&mut |piece| out.push_str(piece));
                self.may_end.clear();
                self.write_text();
            }
            Token::Word(word) => self.text.push_str(word),
            Token::WordEnd => match scalar(&self.text) {
                Some(value) => {
                    self.json.push_str(&value.to_string());
                    self.text.clear();
                }
                // A key may be one, and what is none is a mistake.
                None if self.syntax.quote.is_empty() => {
                    self.json.push_str(&std::mem::take(&mut self.text));
                }
                None => self.write_text(),
            },
            Token::Comment | Token::NoComment | Token::Stop => return None,
        }
        Some(())
    }

    fn close(&mut self, bracket: u8) -> Option<()> {
        let OpenContainer { bracket: opener, at, has_keys } = self.open.pop()?;
        if !matches!([opener, bracket], [b'{', b'}'] | [b'[', b']'] | [b'(', b')']) {
            return None;
        }
        let is_set = self.syntax.python && !has_keys && self.json.len() > at + 1;
        let is_object = bracket == b'}' && !is_set;
        if bracket == b'}' && is_set {
            self.json.replace_range(at..=at, "[");
        }
        self.json.push(if is_object { '}' } else { ']' });
        Some(())
    }

    fn write_text(&mut self) {
        self.json.push_str(&Value::from(std::mem::take(&mut self.text)).to_string());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const PYTHON: Syntax<'static> =
        Syntax { quote: "", python: true, unescaped: true, comments: false };
    const QUOTED: Syntax<'static> =
        Syntax { quote: "<|\"|>", python: false, unescaped: false, comments: false };

    #[test]
    fn of_python() {
        for (text, expected) in [
            ("True", Some(json!(true))),
            (" -2.5 ", Some(json!(-2.5))),
            ("(1, 'a', None,)", Some(json!([1, "a", null]))),
            ("{1, 2}", Some(json!([1, 2]))),
            ("{}", Some(json!({}))),
            ("{'a': {\"b\": [()]}}", Some(json!({"a": {"b": [[]]}}))),
            (r"'it\'s'", Some(json!("it's"))),
            ("'it's (done)'", Some(json!("it's (done)"))),
            ("['it's', 'b' , 'c' d']", Some(json!(["it's", "b", "c' d"]))),
            ("'''a 'b' c'''", Some(json!("a 'b' c"))),
            ("\"\"", Some(json!(""))),
            ("''", Some(json!(""))),
            ("\"a\nb\"", Some(json!("a\nb"))),
            ("red", None),
            ("[1)", None),
            ("\"open", None),
            ("f(1)", None),
            ("\"a\" + \"b\"", None),
        ] {
            assert_eq!(value(text, PYTHON), expected, "{text}");
        }
    }

    #[test]
    fn with_a_quote_of_their_own() {
        for (text, expected) in [
            ("<|\"|>a \\n } \"b\" <| <|\"|>", Some(json!("a \\n } \"b\" <| "))),
            ("{k:<|\"|>v<|\"|>,<|\"|>l<|\"|>:[x,2]}", Some(json!({"k": "v", "l": ["x", 2]}))),
            ("02139", Some(json!("02139"))),
            ("\"a\\tb\"", Some(json!("a\tb"))),
            ("{a}", None),
            ("<|\"|>open", None),
        ] {
            assert_eq!(value(text, QUOTED), expected, "{text}");
        }
    }
}
