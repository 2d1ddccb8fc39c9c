//! Whether a call's arguments are JSON to the letter, with nothing to repair or to coerce. Then they need not be
//! read into values to be written on.
//!
//! "No" is always right: then they are read. The test is for the form that models write nearly always.

use memchr::memchr2;
use serde::de::IgnoredAny;
use smallvec::SmallVec;

use crate::json::{fit, grammar};
use crate::tool::{Param, Tool, Type};

/// The levels that are looked at.
const LEVELS: usize = 4;
/// The members of an object whose names are compared.
const MEMBERS: usize = 32;
/// Digits of an integer that is one in every reading.
const DIGITS: usize = 15;

/// Whether these arguments of a call of `tool` are read exactly as they stand, without a diagnostic.
pub(super) fn stands(raw: &str, tool: Option<&Tool>) -> bool {
    let params = tool.map(|tool| &*tool.params).unwrap_or_default();
    let mut scan = Scan { text: raw, at: 0 };
    let Some(names) = scan.object(params, LEVELS) else { return false };
    let is_missing = |param: &Param| param.required && !names.contains(&&*param.name);
    scan.white();
    scan.at == raw.len() && !params.iter().any(is_missing)
}

/// A scan over JSON that has one reading. It gives up at the first byte that may be read in another way. A reader of
/// JSON into nothing (`serde_json`'s `RawValue`) gives the same answer with four times the instructions; a reader into
/// values takes four to six times as long, and the [document](crate::json::document) of repairs 11 to 25 times.
struct Scan<'t> {
    text: &'t str,
    at: usize,
}

/// Each once: of two of one name readers take the first, the last, or neither.
type Names<'t> = SmallVec<[&'t str; 8]>;

impl<'t> Scan<'t> {
    fn object(&mut self, params: &[Param], levels: usize) -> Option<Names<'t>> {
        let mut names = Names::new();
        self.takes(b'{')?;
        self.white();
        if self.takes(b'}').is_some() {
            return Some(names);
        }
        loop {
            let (name, has_escapes) = self.string()?;
            if has_escapes || names.len() == MEMBERS || names.contains(&name) {
                return None;
            }
            names.push(name);
            self.white();
            self.takes(b':')?;
            self.white();
            let param = params.iter().find(|param| param.name == name);
            self.value(param.map(|param| &*param.types).unwrap_or_default(), levels)?;
            if self.ends(b'}')? {
                return Some(names);
            }
        }
    }

    fn list(&mut self, levels: usize) -> Option<()> {
        self.takes(b'[')?;
        self.white();
        if self.takes(b']').is_some() {
            return Some(());
        }
        loop {
            self.value(&[], levels)?;
            if self.ends(b']')? {
                return Some(());
            }
        }
    }

    /// Reads on behind an element, and returns whether it was the last one.
    fn ends(&mut self, closer: u8) -> Option<bool> {
        self.white();
        if self.takes(closer).is_some() {
            return Some(true);
        }
        self.takes(b',')?;
        self.white();
        Some(false)
    }

    /// A value that is of one of these types.
    fn value(&mut self, types: &[Type], levels: usize) -> Option<()> {
        let of = match self.byte()? {
            b'"' => self.string().map(|_| Type::String),
            b'{' => self.object(&[], levels.checked_sub(1)?).map(|_| Type::Object),
            b'[' => self.list(levels.checked_sub(1)?).map(|()| Type::Array),
            b't' => self.word("true").map(|()| Type::Boolean),
            b'f' => self.word("false").map(|()| Type::Boolean),
            b'n' => self.word("null").map(|()| Type::Null),
            _ => return self.number(types),
        }?;
        (types.is_empty() || types.contains(&of)).then_some(())
    }

    fn number(&mut self, types: &[Type]) -> Option<()> {
        let rest = &self.text[self.at..];
        let is_of_one =
            |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'+' | b'-' | b'.' | b'e' | b'E');
        let text = &rest[..rest.bytes().take_while(is_of_one).count()];
        self.at += text.len();
        let digits = text.bytes().all(|byte| byte.is_ascii_digit());
        if digits && (1..=DIGITS).contains(&text.len()) && (text == "0" || !text.starts_with('0')) {
            let fits = |of| types.contains(&of);
            return (types.is_empty() || fits(Type::Integer) || fits(Type::Number)).then_some(());
        }
        serde_json::from_str::<IgnoredAny>(text).ok()?;
        grammar::scalar(text).filter(|value| fit::is_of(value, types)).map(drop)
    }

    /// Reads a string. Returns the text between its quotes, and whether it has escapes. A string with an escape that may
    /// be half of a surrogate pair is refused.
    fn string(&mut self) -> Option<(&'t str, bool)> {
        self.takes(b'"')?;
        let (from, bytes) = (self.at, self.text.as_bytes());
        let mut has_escapes = false;
        loop {
            self.at += memchr2(b'"', b'\\', &bytes[self.at..])?;
            if bytes[self.at] == b'"' {
                break;
            }
            has_escapes = true;
            self.at += match bytes.get(self.at + 1)? {
                b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => 2,
                b'u' => is_a_char(bytes.get(self.at + 2..self.at + 6)?).then_some(6)?,
                _ => return None,
            };
        }
        let text = &self.text[from..self.at];
        self.at += 1;
        // Over all bytes, without an early exit: so it is done 16 bytes at a time.
        let controls = text.bytes().fold(false, |found, byte| found | (byte < b' '));
        (!controls).then_some((text, has_escapes))
    }

    fn word(&mut self, word: &str) -> Option<()> {
        self.text[self.at..].starts_with(word).then(|| self.at += word.len())
    }

    fn white(&mut self) {
        while matches!(self.byte(), Some(b' ' | b'\n' | b'\r' | b'\t')) {
            self.at += 1;
        }
    }

    fn takes(&mut self, byte: u8) -> Option<()> {
        (self.byte()? == byte).then(|| self.at += 1)
    }

    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }
}

/// Whether these four digits are no half of a surrogate pair.
fn is_a_char(digits: &[u8]) -> bool {
    digits.iter().all(u8::is_ascii_hexdigit) && !matches!(digits[0], b'd' | b'D')
}

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use super::*;

    /// Whether a text without a tool [`stands`], by a JSON reader: it is valid, and equal when it is read again.
    fn is_plain(text: &str) -> bool {
        let Ok(value) = serde_json::from_str::<serde_json::Value>(text) else { return false };
        value.is_object() && serde_json::from_str::<&RawValue>(text).is_ok()
    }

    #[test]
    fn what_stands_is_json_to_the_letter() {
        let stand = [
            r#"{}"#,
            "{ \"a\" : [ ] , \"b\":{ } }\n",
            r#"{"path": "src/ä.rs", "text": "a\n\"b\" \\ \u00e9\/", "line": 12}"#,
            r#"{"a": [1, 0, -1, 2.5, 1e3, true, false, null, ["x"], {"y": [[]]}]}"#,
            r#"{"n": 123456789012345}"#,
        ];
        for text in stand {
            assert!(stands(text, None) && is_plain(text), "{text}");
            // Whichever byte is removed or added: it never takes a text for JSON that is not.
            for at in (0..text.len()).filter(|at| text.is_char_boundary(*at)) {
                let (before, after) = text.split_at(at);
                let next = after.chars().next().map_or(0, char::len_utf8);
                let less = before.to_string() + &after[next..];
                assert!(!stands(&less, None) || is_plain(&less), "{less}");
                for byte in "{}[]\",:\\u0aten-+.e \n\u{1}\u{7f}é".chars() {
                    let more = format!("{before}{byte}{after}");
                    assert!(!stands(&more, None) || is_plain(&more), "{more}");
                    let other = format!("{before}{byte}{}", &after[next..]);
                    assert!(!stands(&other, None) || is_plain(&other), "{other}");
                }
            }
        }
    }

    #[test]
    fn what_may_be_read_otherwise_does_not() {
        for text in [
            "",
            " {}",
            "[]",
            "{}}",
            r#"{"a": 1, "a": 2}"#,
            r#"{"a\n": 1}"#,
            r#"{"a": "\ud83e"}"#,
            r#"{"a": "\u12"}"#,
            r#"{"a": "\x"}"#,
            "{\"a\": \"b\nc\"}",
            r#"{"a": 01}"#,
            r#"{"a": 1,}"#,
            r#"{"a": [1,]}"#,
            r#"{"a" 1}"#,
            r#"{"a": nul}"#,
            r#"{"a": [[[[[]]]]]}"#,
        ] {
            assert!(!stands(text, None), "{text}");
        }
    }
}
