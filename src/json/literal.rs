//! Literals of a dialect as JSON.
//!
//! ```text
//! string := "…"  '…'  and those of the syntax       word := JSON's, Python's, or a text
//! In Python's syntax `r"…"` has no escapes, and `f"…"` is a string if no brace stands in it; `+7` is a number.
//! list   := "[" … "]"  |  "(" … ")"  |  "{" … "}" without a colon (a set)
//! object := "{" key ( ":" | "=" ) value … "}"
//! ```
//! A comma may come last, as in Python.

use serde_json::Value;

use super::bare::{Ahead, Around, Bare};
use super::grammar::scalar;
use super::lexer::{Lexer, PREFIXES, Token};
use super::repair::{self, Repairs};
use super::syntax::{JSON, Syntax};
use super::unescape::Unescape;
use crate::json::white::{WHITE_SPACE, trim};
use crate::options::bounds;

/// Returns the value of a literal. Words that are no literals are text only if strings have a quote of the syntax.
/// `zeros`: in lists and objects zeros before a number are ignored. If strings have a quote of the syntax, keys may
/// hold blanks, and the comma before a key that `is_key` knows may be missing behind a string or a bracket.
pub(crate) fn value(
    text: &str,
    syntax: Syntax<'_>,
    zeros: bool,
    is_key: &dyn Fn(&str) -> bool,
) -> Option<Value> {
    let mut writer = Writer { syntax, zeros, is_key, ..Writer::new() };
    let mut lexer = Lexer::default();
    let text = trim(text);
    let mut at = 0;
    while at < text.len() {
        let before = lexer;
        let (read, token) = lexer.next_of(&text[at..], syntax);
        let begins = before.is_between() && matches!(token, Token::Word(_));
        if let Some(end) = writer.unopened(&before, begins, text, at) {
            lexer = before;
            lexer.unopened_ends();
            writer.text.push_str(&text[at..end - syntax.quote.len()]);
            writer.unopened_ends()?;
            at = end;
            continue;
        }
        writer.blanks(token, &text[at..at + read]);
        at += read;
        if token != Token::MayEnd {
            writer.string = lexer;
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
    /// The string has ended, or the literal is no string.
    over: bool,
}

impl OpenString {
    /// Whether a literal that begins like this is a string.
    pub fn begins(text: &str, syntax: Syntax<'_>) -> bool {
        let quote = syntax.quote;
        text.starts_with(['"', '\'']) || !quote.is_empty() && text.starts_with(quote)
    }

    /// Reads on at `at` in the literal, and sends decoded text. Returns how far it went: a quote that would
    /// be the last one at the literal's end waits for more.
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
                    self.lexer = before;
                    self.white = text.len() - next;
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
    /// The open string or word.
    text: String,
    /// A value or a key has ended, and no comma or colon came.
    after_value: bool,
    zeros: bool,
    quote: u8,
    unescape: Unescape,
    /// The lexer before the string.
    string: Lexer,
    /// The last value was a string, or had brackets.
    closed: bool,
    /// The key that was read last.
    key: Option<OpenKey>,
    /// The text behind words, as far as it was looked at.
    ahead: Ahead,
    is_key: &'s dyn Fn(&str) -> bool,
}

/// A key whose colon has not come.
struct OpenKey {
    /// Its place in the JSON.
    at: usize,
    text: String,
    /// The key has no quotes: the text behind it may continue it.
    is_word: bool,
    /// No comma stands before it.
    lacks_comma: bool,
}

/// An open bracket.
struct OpenContainer {
    bracket: u8,
    /// Its place in the JSON.
    at: usize,
    has_keys: bool,
    /// The key of its last member has come, with its colon.
    in_value: bool,
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
            string: Lexer::default(),
            closed: false,
            key: None,
            ahead: Ahead::default(),
            is_key: &|_| false,
        }
    }

    /// Whether a quote ends its string, by the text behind it: like the family of a body, and for a value
    /// alone at its end.
    fn ends_string(&self, rest: &str) -> bool {
        let after = |text: &'_ str, at: usize| {
            let white = text[at..].len() - text[at..].trim_start_matches(WHITE_SPACE).len();
            (white <= bounds::WHITE_SPACE).then_some(at + white)
        };
        let Some(open) = self.open.last() else { return rest.is_empty() };
        let Some(at) = after(rest, 0) else { return false };
        let next = rest.as_bytes().get(at).copied();
        // Only a sign of one byte decides: no character begins behind the first byte of a letter.
        let is_sign = next.is_some_and(|byte| byte.is_ascii());
        let further = is_sign.then(|| after(rest, at + 1)).flatten().map(|at| &rest[at..]);
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
            // A word was read right before the string.
            Token::StringStart(_) => std::mem::take(&mut self.text).is_empty(),
            Token::Open(_) => true,
            Token::Word(_) => self.text.is_empty(),
            _ => false,
        };
        if begins && std::mem::replace(&mut self.after_value, true) {
            // Only a comma stands between two values.
            self.goes_on(token)?;
        }
        self.after_value &= !matches!(token, Token::Open(_) | Token::Comma | Token::Colon);
        self.after_value |= matches!(token, Token::Close(_));
        match token {
            Token::White | Token::MayEnd | Token::Stray => {}
            // A quote that opens no string.
            Token::Comment if !self.syntax.quote.is_empty() => {}
            Token::Open(bracket) => {
                self.open.push(OpenContainer {
                    bracket,
                    at: self.json.len(),
                    has_keys: false,
                    in_value: false,
                });
                self.json.push(if bracket == b'{' { '{' } else { '[' });
            }
            Token::Close(bracket) => self.close(bracket)?,
            Token::Comma => {
                if let Some(open) = self.open.last_mut() {
                    open.in_value = false;
                }
                self.json.push(',');
            }
            Token::Colon => {
                self.key_ends()?;
                let open = self.open.last_mut()?;
                open.has_keys = true;
                open.in_value = true;
                self.json.push(':');
            }
            Token::StringStart(quote) => (self.quote, self.unescape) = (quote, Unescape::default()),
            Token::Text(text) => {
                let Writer { text: out, unescape, quote, string, .. } = self;
                if string.is_format() && text.contains('{') {
                    return None;
                }
                if string.is_raw() {
                    out.push_str(text);
                    return Some(());
                }
                unescape.read(text, *quote, &mut |piece| out.push_str(piece));
            }
            Token::StringEnd => {
                let out = &mut self.text;
                self.unescape.end(&mut |piece| out.push_str(piece));
                self.closed = true;
                self.key_begins(false);
                self.write_text();
            }
            Token::Word(word) => self.text.push_str(word),
            Token::WordEnd => {
                self.closed = false;
                self.key_begins(true);
                self.word_ends();
            }
            Token::Comment | Token::NoComment | Token::Stop => return None,
        }
        Some(())
    }

    /// Ends a word.
    fn word_ends(&mut self) {
        match self.scalar() {
            Some(value) => {
                self.json.push_str(&value.to_string());
                self.text.clear();
            }
            // A key may be such a word. Any other is a mistake.
            None if self.syntax.quote.is_empty() => {
                self.json.push_str(&std::mem::take(&mut self.text));
            }
            None => self.write_text(),
        }
    }

    /// Takes the text that was just read as the member's key, if the member has none yet.
    fn key_begins(&mut self, is_word: bool) {
        let own = !self.syntax.quote.is_empty();
        let in_key = self.open.last().is_some_and(|open| open.bracket == b'{' && !open.in_value);
        if !(own && in_key) {
            return;
        }
        let lacks_comma = self.key.take().is_some_and(|key| key.lacks_comma);
        let (at, text) = (self.json.len(), self.text.clone());
        self.key = Some(OpenKey { at, text, is_word, lacks_comma });
    }

    /// Takes white space behind a key without quotes, which may go on after it.
    fn blanks(&mut self, token: Token<'_>, text: &str) {
        let blank = token == Token::White && !text.contains(['\n', '\r']);
        match &mut self.key {
            Some(key) if blank => key.text.push_str(text),
            Some(key) if token == Token::White => key.is_word = false,
            _ => {}
        }
    }

    /// Begins a value or a key behind one: more of the key, or a key whose comma is missing.
    fn goes_on(&mut self, token: Token<'_>) -> Option<()> {
        let is_word = matches!(token, Token::Word(_));
        if let Some(key) = self.key.as_mut().filter(|key| is_word && key.is_word) {
            self.json.truncate(key.at);
            self.text = std::mem::take(&mut key.text);
            return Some(());
        }
        let own = !self.syntax.quote.is_empty();
        let open = self.open.last_mut().filter(|open| own && open.bracket == b'{' && open.in_value);
        let is_key = is_word || matches!(token, Token::StringStart(1..));
        let open = open.filter(|_| self.closed && is_key)?;
        open.in_value = false;
        self.json.push(',');
        let at = self.json.len();
        self.key = Some(OpenKey { at, text: String::new(), is_word: false, lacks_comma: true });
        Some(())
    }

    /// At a word in a bracket: returns the end of the word, if it is a string without its opening quote.
    fn unopened(&mut self, lexer: &Lexer, begins: bool, text: &str, at: usize) -> Option<usize> {
        let Syntax { quote, .. } = self.syntax;
        let bracket = self.open.last().filter(|_| begins && !quote.is_empty())?.bracket;
        if bracket == b'{' && !lexer.is_after_colon() {
            return None;
        }
        let around = Around {
            text: [text, ""],
            base: 0,
            over: true,
            quote,
            closing: closing(bracket),
            nested: true,
            ends: &[],
            is_key: &|_| true,
        };
        self.ahead.begin(at, self.open.len() as u32);
        match self.ahead.look(&around) {
            Ok(Bare::Unopened(end)) => Some(end),
            _ => None,
        }
    }

    /// Ends such a string.
    fn unopened_ends(&mut self) -> Option<()> {
        if std::mem::replace(&mut self.after_value, true) {
            return None;
        }
        self.closed = true;
        self.write_text();
        Some(())
    }

    /// Takes the colon of a key. A key whose comma is missing must be known.
    fn key_ends(&mut self) -> Option<()> {
        let Some(key) = self.key.take() else { return Some(()) };
        (!key.lacks_comma || (self.is_key)(trim(&key.text))).then_some(())
    }

    /// Returns the value of a word, unless it is text.
    fn scalar(&self) -> Option<Value> {
        let unsigned = self.text.strip_prefix('+').filter(|_| self.syntax.python);
        let digit = |text: &&str| text.starts_with(|c: char| c.is_ascii_digit());
        if let Some(number) = unsigned.filter(digit) {
            return scalar(number);
        }
        let zeros = self.zeros && !self.open.is_empty();
        let number = || without_zeros(&self.text).and_then(|text| scalar(&text));
        scalar(&self.text).or_else(|| if zeros { number() } else { None })
    }

    fn close(&mut self, bracket: u8) -> Option<()> {
        let OpenContainer { bracket: opener, at, has_keys, .. } = self.open.pop()?;
        self.closed = true;
        if self.key.take().is_some_and(|key| key.lacks_comma) || closing(opener) != bracket {
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
    let string = text.trim_start_matches(|c| PREFIXES.contains(c));
    if text.len() - string.len() <= 2 && string.starts_with(['"', '\'']) {
        return true;
    }
    let words = ["True", "False", "None", "true", "false", "null"];
    let word = |word: &&str| {
        let rest = text.strip_prefix(*word);
        rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
    };
    text.starts_with(['"', '\'', '[', '(', '{', '-', '+', '.'])
        || text.starts_with(|c: char| c.is_ascii_digit())
        || words.iter().any(word)
}

/// Returns a number without the zeros before it, if there are any.
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

    const COMMENTLESS: Syntax<'static> = Syntax { comments: false, ..JSON };
    const PYTHON: Syntax<'static> =
        Syntax { quote: "", python: true, unescaped: true, ..COMMENTLESS };
    const QUOTED: Syntax<'static> = Syntax { quote: "<|\"|>", ..COMMENTLESS };

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
            ("+7", Some(json!(7))),
            ("[+7, -1, +1.5e3]", Some(json!([7, -1, 1500.0]))),
            ("+", None),
            ("+-7", None),
            (r"r'\d\'é'", Some(json!("\\d\\'é"))),
            (r"f'a\tb'", Some(json!("a\tb"))),
            ("f'a{b}'", None),
            ("[f'{b}']", None),
            ("fr'a'", Some(json!("a"))),
            ("frr'a'", None),
            ("{'k': r'''a 'b' c'''}", Some(json!({"k": "a 'b' c"}))),
            ("['it's', r'b' , F\"c\"]", Some(json!(["it's", "b", "c"]))),
            ("rust", None),
            ("{'k': 'a': b', 'm': 1}", Some(json!({"k": "a': b", "m": 1}))),
        ] {
            assert_eq!(value(text, PYTHON, false, &|_| false), expected, "{text}");
        }
    }

    /// Each prefix gives the same text as the whole, as far as it is certain.
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
            assert_eq!(value(text, syntax, false, &|_| false), Some(json!(expected)), "{text}");
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

    /// A quote with characters beyond ASCII is read by characters, and so is a text that begins like it.
    #[test]
    fn with_a_quote_beyond_ascii() {
        for quote in ["«!", "<é>", "｜"] {
            let syntax = Syntax { quote, ..COMMENTLESS };
            for inner in ["", "£ü", "<è", "<éü", "｝ü", "«é", "a « b"] {
                let text = format!("{{é:{quote}{inner}{quote},k:£5}}");
                let expected = (!inner.contains(quote)).then(|| json!({"é": inner, "k": "£5"}));
                assert_eq!(value(&text, syntax, false, &|_| false), expected, "{text}");
            }
        }
    }

    #[test]
    fn with_a_quote_of_their_own() {
        for (text, expected) in [
            ("<|\"|>a \\n } \"b\" <| <|\"|>", Some(json!("a \\n } \"b\" <| "))),
            ("{k:<|\"|>v<|\"|>,<|\"|>l<|\"|>:[x,2]}", Some(json!({"k": "v", "l": ["x", 2]}))),
            ("02139", Some(json!("02139"))),
            ("[+7]", Some(json!(["+7"]))),
            ("\"a\\tb\"", Some(json!("a\tb"))),
            ("{a}", None),
            ("<|\"|>open", None),
        ] {
            assert_eq!(value(text, QUOTED, true, &|_| false), expected, "{text}");
        }
    }
}
