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
use super::lexer::{Lexer, Token};
use super::repair::{self, Repairs};
use super::syntax::{JSON, Syntax};
use super::unescape::Unescape;
use crate::json::white::{WHITE_SPACE, trim};
use crate::options::bounds;

/// The value of a literal. Words that are no literals are texts only where strings have a quote of
/// the syntax. `zeros`: in lists and objects zeros before a number are none of it.
pub(crate) fn value(text: &str, syntax: Syntax<'_>, zeros: bool) -> Option<Value> {
    let mut writer = Writer { syntax, zeros, ..Writer::new() };
    let mut lexer = Lexer::default();
    let text = trim(text);
    let mut at = 0;
    while at < text.len() {
        let (read, token) = lexer.next_of(&text[at..], syntax);
        at += read;
        if token != Token::MayEnd {
            writer.token(token)?;
        } else if writer.ends_string(&text[at..]) {
            lexer.string_ends();
            writer.token(Token::StringEnd)?;
        } else if lexer.string_goes_on(text.as_bytes().get(at).copied()) {
            writer.token(Token::Text(&text[at - 1..at]))?;
        }
    }
    if lexer.in_word() {
        writer.token(Token::WordEnd)?;
    } else if lexer.at_empty_string() {
        writer.token(Token::StringEnd)?;
    } else if !lexer.is_between() {
        return None;
    }
    if !writer.open.is_empty() {
        return None;
    }
    repair::value(&writer.json, Repairs::Default).ok().map(|(value, _)| value)
}

/// A literal that is one string, while it comes.
#[derive(Clone, Debug, Default)]
pub(crate) struct OpenString {
    lexer: Lexer,
    quote: u8,
    unescape: Unescape,
    /// The white space after a quote that may be the last one.
    white: usize,
    /// It has ended, or is no string.
    over: bool,
}

impl OpenString {
    /// Whether a literal that begins like this is a string.
    pub fn begins(text: &str, syntax: Syntax<'_>) -> bool {
        let quote = syntax.quote;
        text.starts_with(['"', '\'']) || !quote.is_empty() && text.starts_with(quote)
    }

    /// Reads on at `at` in the literal, and sends what is decoded. Gives how far that went: a quote that the
    /// literal's end would make the last one waits for what follows it.
    pub fn read(
        &mut self,
        text: &str,
        mut at: usize,
        syntax: Syntax<'_>,
        send: &mut impl FnMut(&str),
    ) -> usize {
        while at < text.len() && !self.over {
            let before = self.lexer;
            let (read, token) = self.lexer.next_of(&text[at..], syntax);
            let next = at + read;
            match token {
                Token::White => {}
                Token::StringStart(quote) => self.quote = quote,
                Token::Text(text) => self.unescape.read(text, self.quote, send),
                Token::MayEnd if trim(&text[next + self.white..]).is_empty() => {
                    (self.lexer, self.white) = (before, text.len() - next);
                    return at;
                }
                Token::MayEnd => {
                    self.white = 0;
                    if self.lexer.string_goes_on(text.as_bytes().get(next).copied()) {
                        self.unescape.read(&text[at..next], self.quote, send);
                    }
                }
                _ => self.over = true,
            }
            at = next;
        }
        text.len()
    }
}

/// Writes the tokens as JSON.
struct Writer<'s> {
    syntax: Syntax<'s>,
    json: String,
    open: Vec<OpenContainer>,
    /// The string or word that is being read.
    text: String,
    /// A value or a key has ended, and neither a comma nor a colon came.
    after_value: bool,
    zeros: bool,
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
            syntax: JSON,
            json: String::new(),
            open: Vec::new(),
            text: String::new(),
            after_value: false,
            zeros: false,
            quote: 0,
            unescape: Unescape::default(),
        }
    }

    /// Whether a quote ends its string, by what stands after it: as the rules of a body say, and that
    /// of a value alone at its end.
    fn ends_string(&self, rest: &str) -> bool {
        let after = |text: &'_ str, at: usize| {
            let white = text[at..].len() - text[at..].trim_start_matches(WHITE_SPACE).len();
            (white <= bounds::WHITE_SPACE).then_some(at + white)
        };
        let Some(open) = self.open.last() else { return rest.is_empty() };
        let Some(at) = after(rest, 0) else { return false };
        let next = rest.as_bytes().get(at).copied();
        let further = next.and_then(|_| after(rest, at + 1)).map(|at| &rest[at..]);
        let closes = |rest: &str| rest.starts_with([')', ']', '}']);
        match (next, further) {
            (Some(b','), Some(rest)) => begins_literal(rest) || closes(rest),
            (Some(b':'), Some(rest)) => open.bracket == b'{' && begins_literal(rest),
            (Some(byte), Some(rest)) if byte == closing(open.bracket) => {
                rest.is_empty() || rest.starts_with(',') || closes(rest)
            }
            _ => false,
        }
    }

    fn token(&mut self, token: Token<'_>) -> Option<()> {
        let begins = match token {
            Token::Open(_) | Token::StringStart(_) => true,
            Token::Word(_) => self.text.is_empty(),
            _ => false,
        };
        if begins && std::mem::replace(&mut self.after_value, true) {
            // Nothing stands between two values but a comma.
            return None;
        }
        self.after_value &= !matches!(token, Token::Open(_) | Token::Comma | Token::Colon);
        self.after_value |= matches!(token, Token::Close(_));
        match token {
            Token::White | Token::MayEnd => {}
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
            Token::Text(text) => {
                let Writer { text: out, unescape, quote, .. } = self;
                unescape.read(text, *quote, &mut |piece| out.push_str(piece));
            }
            Token::StringEnd => {
                let out = &mut self.text;
                self.unescape.end(&mut |piece| out.push_str(piece));
                self.write_text();
            }
            Token::Word(word) => self.text.push_str(word),
            Token::WordEnd => match self.scalar() {
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

    /// What a word says, if it is no text.
    fn scalar(&self) -> Option<Value> {
        let zeros = self.zeros && !self.open.is_empty();
        let number = || without_zeros(&self.text).and_then(|text| scalar(&text));
        scalar(&self.text).or_else(|| if zeros { number() } else { None })
    }

    fn close(&mut self, bracket: u8) -> Option<()> {
        let OpenContainer { bracket: opener, at, has_keys } = self.open.pop()?;
        if closing(opener) != bracket {
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

fn closing(bracket: u8) -> u8 {
    match bracket {
        b'[' => b']',
        b'(' => b')',
        _ => b'}',
    }
}

/// Whether a string, a bracket, a number or one of the words begins here.
fn begins_literal(text: &str) -> bool {
    let words = ["True", "False", "None", "true", "false", "null"];
    let word = |word: &&str| {
        let rest = text.strip_prefix(*word);
        rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
    };
    text.starts_with(['"', '\'', '[', '(', '{', '-', '+', '.'])
        || text.starts_with(|c: char| c.is_ascii_digit())
        || words.iter().any(word)
}

/// A number without the zeros before it, if some stand there.
pub(crate) fn without_zeros(text: &str) -> Option<String> {
    let (sign, digits) = text.split_at(usize::from(text.starts_with('-')));
    let rest = digits.trim_start_matches('0');
    let zero = if rest.starts_with(|c: char| c.is_ascii_digit()) { "" } else { "0" };
    let is_more = digits.len() > rest.len() + zero.len();
    is_more.then(|| format!("{sign}{zero}{rest}"))
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
            ("\"a\" + \"b\"", Some(json!("a\" + \"b"))),
            ("['a' + 'b']", Some(json!(["a' + 'b"]))),
            ("'''say 'a''''", Some(json!("say 'a'"))),
            ("''a' b'", Some(json!("'a' b"))),
            ("['a', then 'b', 'c']", Some(json!(["a', then 'b", "c"]))),
            ("[x['a'], 1]", None),
            // `]` and a comma after the quote: the list's own end may stand there.
            ("['x['a'], 1', 2]", None),
            ("['a', True_b', None2', 'c']", Some(json!(["a', True_b', None2", "c"]))),
            ("[1 2]", None),
            ("{'k': 'a': b', 'm': 1}", Some(json!({"k": "a': b", "m": 1}))),
        ] {
            assert_eq!(value(text, PYTHON, false), expected, "{text}");
        }
    }

    /// Prefix by prefix it says what the whole says, as far as that is certain.
    #[test]
    fn a_string_while_it_comes() {
        for (text, syntax, expected) in [
            (r"'it\'s'", PYTHON, "it's"),
            ("'it's (done)'", PYTHON, "it's (done)"),
            ("'say 'a' '", PYTHON, "say 'a' "),
            ("'it' is'   ", PYTHON, "it' is"),
            ("'it'é'", PYTHON, "it'é"),
            ("'''a 'b' c'''", PYTHON, "a 'b' c"),
            ("'' a' b'", PYTHON, "' a' b"),
            ("<|\"|>a\\n <| b<|\"|>", QUOTED, "a\\n <| b"),
        ] {
            assert_eq!(value(text, syntax, false), Some(json!(expected)), "{text}");
            let (mut open, mut at, mut said) = (OpenString::default(), 0, String::new());
            for end in (1..=text.len()).filter(|end| text.is_char_boundary(*end)) {
                at = open.read(&text[..end], at, syntax, &mut |piece| said.push_str(piece));
                assert!(expected.starts_with(&said), "{said} of {}", &text[..end]);
            }
            assert_eq!(said, expected, "{text}");
        }
    }

    #[test]
    fn what_begins_like_a_string() {
        let begins = |text| (OpenString::begins(text, PYTHON), OpenString::begins(text, QUOTED));
        assert_eq!(begins("'a"), (true, true));
        assert_eq!(begins("<|\"|>a"), (false, true));
        assert_eq!(begins("<|a"), (false, false));
        assert_eq!(begins("1"), (false, false));
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
            assert_eq!(value(text, QUOTED, true), expected, "{text}");
        }
    }
}
