//! The grammar of JSON with repairs, over any cut.
//!
//! ```text
//! text   := value ( "}" | "]" )?                                one closer too many
//! value  := string | object | list | word
//! object := "{" ( member ( "," member )* ","? )? "}"
//! member := ( string | name ) ":" value
//! list   := "[" ( value ( "," value )* ","? )? "]"
//! word   := a number, true, false, null, True, False, None
//! ```
//! White space and comments may stand between any two tokens of the [lexer](super::lexer). Any other
//! deviation from JSON is noted as a [`Repair`]. At the end of a chunk some bytes of state and the open word
//! stay. At the end of the stream [`Grammar::end`] decides whether the text may end.

use serde::de::IgnoredAny;
use serde_json::{Number, Value};

use super::lexer::{Lexer, Token};
use super::repairs::{ArgumentsErrorKind, Repair};
use super::{begins_name, continues_name};
use crate::options::bounds;

type Read<T> = Result<T, ArgumentsErrorKind>;

#[derive(Clone, Debug, Default)]
pub(crate) struct Grammar {
    lexer: Lexer,
    want: Want,
    depth: usize,
    /// A bit for each open object or list: whether it is an object. The innermost has the lowest bit.
    objects: u128,
    is_key: bool,
    word: String,
    /// A bit for each repair that was needed.
    repairs: u16,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Want {
    #[default]
    Value,
    /// A member, or the object's end. `true`: a comma came before it.
    Member(bool),
    /// A value, or the list's end. `true`: a comma came before it.
    Item(bool),
    Colon,
    /// A comma, or the end of the object or list.
    Comma,
    /// The value is over. `true`: a surplus closer may follow.
    Nothing(bool),
}

impl Grammar {
    /// Returns the next token of `text`, which is not empty, and its length.
    pub fn next<'t>(&mut self, text: &'t str) -> Read<(usize, Token<'t>)> {
        let begins = self.lexer.is_between();
        let (read, token) = self.lexer.next(text);
        match token {
            Token::White => {}
            Token::Comment => self.note(Repair::Comment),
            Token::Open(byte) => self.open(byte == b'{')?,
            Token::Close(byte) => self.close(byte == b'}')?,
            Token::Comma if self.want == Want::Comma => self.want = self.element(true),
            Token::Colon if self.want == Want::Colon => self.want = Want::Value,
            Token::StringStart(quote) => {
                self.begin()?;
                self.note_if(quote != b'"', Repair::Quotes);
            }
            Token::Text(_) => self.note_if(self.lexer.in_triple(), Repair::Quotes),
            Token::StringEnd => self.token_ends(),
            Token::Word(word) => {
                if begins {
                    self.begin()?;
                    self.word.clear();
                    let python = word.starts_with(|c: char| c.is_ascii_uppercase());
                    self.note_if(self.is_key, Repair::UnquotedKey);
                    self.note_if(!self.is_key && python, Repair::PythonLiteral);
                }
                let word = self.piece_of_word(word)?;
                return Ok((word.len(), Token::Word(word)));
            }
            Token::WordEnd if self.is_key || scalar(&self.word).is_some() => self.token_ends(),
            _ => return Err(ArgumentsErrorKind::Malformed),
        }
        Ok((read, token))
    }

    /// Ends the text. Returns the token that ends with it, if the value needs no other.
    pub fn end(&mut self) -> Read<Option<Token<'static>>> {
        let in_value = self.lexer.in_word() && !self.is_key;
        if in_value && !may_begin_scalar(&self.word) {
            return Err(ArgumentsErrorKind::Malformed);
        }
        let whole_word = in_value && scalar(&self.word).is_some();
        match self.want {
            Want::Nothing(_) if self.lexer.may_end() => Ok(None),
            Want::Value if self.depth == 0 && whole_word => Ok(Some(Token::WordEnd)),
            Want::Value if self.depth == 0 && self.lexer.at_empty_string() => {
                Ok(Some(Token::StringEnd))
            }
            _ => Err(ArgumentsErrorKind::Truncated),
        }
    }

    /// Allows the text that may follow an object: the whole text is a string that holds one.
    pub fn holds_object(&mut self) {
        self.note(Repair::DoubleEncoded);
        self.want = Want::Nothing(true);
    }

    /// Whether the place is after two quotes, which are an empty string unless a third follows.
    pub fn at_empty_string(&self) -> bool {
        self.lexer.at_empty_string()
    }

    /// Returns the number of open objects and lists.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// Between two tokens outside of the value: whether the value is over.
    pub fn is_outside(&self) -> Option<bool> {
        let outside = self.depth == 0 && self.lexer.is_between();
        outside.then_some(matches!(self.want, Want::Nothing(_)))
    }

    /// Whether the open string or word, or the last one, is a key.
    pub fn is_key(&self) -> bool {
        self.is_key
    }

    /// Returns the open word, or the last one.
    pub fn word(&self) -> &str {
        &self.word
    }

    /// Returns the length of the open word.
    pub fn held(&self) -> usize {
        if self.lexer.in_word() { self.word.len() } else { 0 }
    }

    pub fn repairs(&self) -> u16 {
        self.repairs
    }

    pub fn note(&mut self, repair: Repair) {
        self.repairs |= 1 << repair as u16;
    }

    pub fn note_if(&mut self, needed: bool, repair: Repair) {
        if needed {
            self.note(repair);
        }
    }

    fn is_in_object(&self) -> bool {
        self.objects & 1 == 1
    }

    /// Returns the wanted token at the beginning of an object or list, or after a comma in it.
    fn element(&self, comma: bool) -> Want {
        if self.is_in_object() { Want::Member(comma) } else { Want::Item(comma) }
    }

    /// Begins a string or a word.
    fn begin(&mut self) -> Read<()> {
        self.is_key = matches!(self.want, Want::Member(_));
        match self.want {
            Want::Value | Want::Member(_) | Want::Item(_) => Ok(()),
            Want::Colon | Want::Comma | Want::Nothing(_) => Err(ArgumentsErrorKind::Malformed),
        }
    }

    fn token_ends(&mut self) {
        if self.is_key { self.want = Want::Colon } else { self.value_ends(false) }
    }

    fn value_ends(&mut self, container: bool) {
        self.want = if self.depth == 0 { Want::Nothing(container) } else { Want::Comma };
    }

    fn open(&mut self, object: bool) -> Read<()> {
        self.begin()?;
        if self.is_key {
            return Err(ArgumentsErrorKind::Malformed);
        }
        if self.depth == bounds::DEPTH {
            return Err(ArgumentsErrorKind::TooDeep);
        }
        self.depth += 1;
        self.objects = self.objects << 1 | u128::from(object);
        self.want = self.element(false);
        Ok(())
    }

    fn close(&mut self, object: bool) -> Read<()> {
        match self.want {
            Want::Nothing(true) => {
                self.note(Repair::ExtraCloser);
                self.want = Want::Nothing(false);
                return Ok(());
            }
            Want::Member(comma) | Want::Item(comma) if object == self.is_in_object() => {
                self.note_if(comma, Repair::TrailingComma);
            }
            Want::Comma if object == self.is_in_object() => {}
            _ => return Err(ArgumentsErrorKind::Malformed),
        }
        self.depth -= 1;
        self.objects >>= 1;
        self.is_key = false;
        self.value_ends(true);
        Ok(())
    }

    /// Returns the part of the text that belongs to a word here.
    fn piece_of_word<'t>(&mut self, text: &'t str) -> Read<&'t str> {
        let first = self.word.is_empty();
        let fits = |(at, c): (usize, char)| {
            if !self.is_key {
                c.is_ascii_alphanumeric() || "+-.".contains(c)
            } else if first && at == 0 {
                begins_name(c)
            } else {
                continues_name(c)
            }
        };
        match text.char_indices().find(|at| !fits(*at)).map_or(text.len(), |(at, _)| at) {
            0 => Err(ArgumentsErrorKind::Malformed),
            end => {
                self.word.push_str(&text[..end]);
                Ok(&text[..end])
            }
        }
    }
}

/// The words. Python's begin with a capital letter.
const WORDS: [(&str, Value); 6] = [
    ("true", Value::Bool(true)),
    ("false", Value::Bool(false)),
    ("null", Value::Null),
    ("True", Value::Bool(true)),
    ("False", Value::Bool(false)),
    ("None", Value::Null),
];

/// Returns the value of a word or number. Numbers come from the strict reader, so that both agree to the last
/// bit.
pub(crate) fn scalar(text: &str) -> Option<Value> {
    let word = WORDS.into_iter().find(|(word, _)| *word == text).map(|(_, value)| value);
    let number = || serde_json::from_str::<Number>(text).ok().filter(is_in_range);
    word.or_else(|| number().map(Value::Number))
}

/// Returns the value of a text that is JSON to the letter, as the strict reader reads it.
pub(crate) fn strict(text: &str) -> Option<Value> {
    serde_json::from_str(text).ok().filter(numbers_in_range)
}

fn numbers_in_range(value: &Value) -> bool {
    match value {
        Value::Number(number) => is_in_range(number),
        Value::Array(items) => items.iter().all(numbers_in_range),
        Value::Object(members) => members.values().all(numbers_in_range),
        _ => true,
    }
}

/// Whether a number is in range. The strict reader refuses a number beyond the largest double, unless the
/// program has turned on `serde_json`'s `arbitrary_precision`. Then integers may have any length, and other
/// numbers beyond it are refused here.
fn is_in_range(number: &Number) -> bool {
    number.as_f64().is_some_and(f64::is_finite) || is_integer(&number.to_string())
}

fn may_begin_scalar(text: &str) -> bool {
    // In any range: more digits, or an exponent, can bring it back.
    let is_number = |text: &str| serde_json::from_str::<IgnoredAny>(text).is_ok();
    let is_word = WORDS.iter().any(|(word, _)| word.starts_with(text));
    is_word || is_number(text) || is_number(&format!("{text}0"))
}

/// Whether a text is an integer, of any length.
pub(crate) fn is_integer(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}
