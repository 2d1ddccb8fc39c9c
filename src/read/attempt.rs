//! An object that may be a call, and may be the answer: it is read until that is decided, and held for so
//! long.
//!
//! ```text
//! object := "{" member*          as in `super::json`
//! name:  the first name key of the object names a declared tool; no tools declared: it has a name and a
//!        key for arguments
//! keys:  the same, and up to the arguments no other key than those of a call; the arguments are an
//!        object, a string or null, and no declaration of the tool; or there are none, and the object
//!        has ended, of a tool that requires nothing
//! ```
//! Nothing is kept but states: chunk ends here, it stays where it is. Stream ends here: [`super::pending`]
//! asks whether what came may have become a call. What is decided is decided by the byte, so wherever
//! the text is cut, as much of it has been read.

use super::json::{Json, Stop};
use super::open_call::Captured;
use crate::json::lexer::{Lexer, Token};
use crate::json::syntax::JSON;
use crate::json::white::WHITE_SPACE;
use crate::options::bounds;
use crate::read::ids::UNKNOWN;
use crate::read::tools::Tools;

/// What an object has come to.
/// The proof that an object is a call, where it may as well be the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trial {
    /// Its name: that of a declared tool. Where none is declared, any, if there is a key for arguments.
    Name,
    /// Its name, that of a declared tool, and its keys: none but those of a call, up to its arguments.
    Keys,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Verdict {
    #[default]
    Open,
    Call,
    NoCall,
}

/// One of them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reader {
    /// Bytes read after the brace.
    pub read: usize,
    pub verdict: Verdict,
    json: Json,
    captured: Captured,
    /// The tool, once it is named; else [`UNKNOWN`].
    pub tool: u16,
    named: bool,
    arguments: Arguments,
}

/// What is known of the arguments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Arguments {
    /// They have not begun.
    #[default]
    None,
    /// In their first member.
    Object(Declaration),
    /// In a word, so much of which is that of `null`.
    Word(u8),
    /// They may be those of a call.
    Fit,
    /// They begin as a declaration of parameters does: they fit a tool that has one called `type`.
    Declare,
}

const NULL: &str = "null";

impl Reader {
    /// Behind its brace.
    pub fn begin(&mut self, trial: Trial) {
        let mut captured = std::mem::take(&mut self.captured);
        captured.reset();
        let json = Json::after_brace(trial == Trial::Keys);
        *self = Reader { json, captured, tool: UNKNOWN, ..Reader::default() };
    }

    /// Whether the object may have become a call, if its name is whole and known.
    pub fn may_be_call(&self) -> bool {
        self.json.key_may_fit()
    }

    /// Reads on, to where it is decided or the text ends.
    pub fn read_on(&mut self, text: &str, trial: Trial, tools: &Tools, examined: &mut usize) {
        let mut most = (bounds::ARGUMENTS - self.read).min(text.len());
        while !text.is_char_boundary(most) {
            most -= 1;
        }
        let (text, whole) = (&text[..most], most == text.len());
        let mut at = 0;
        self.look_into(text);
        while self.verdict == Verdict::Open && at < text.len() {
            let (read, stop) = self.json.read(&text[at..], JSON, &mut self.captured, examined);
            if let Arguments::Word(same) = &mut self.arguments {
                for byte in text[at..at + read].bytes() {
                    let fits = NULL.as_bytes().get(*same as usize) == Some(&byte);
                    *same = if fits { *same + 1 } else { u8::MAX };
                }
            }
            at += read;
            self.verdict = self.decide(stop, &text[at..], trial, tools);
        }
        self.read += at;
        // Beyond the bound it is text.
        if self.verdict == Verdict::Open && !whole {
            self.verdict = Verdict::NoCall;
        }
    }

    /// What the scanner stopped at comes to; `rest` comes next.
    fn decide(&mut self, stop: Stop, rest: &str, trial: Trial, tools: &Tools) -> Verdict {
        match stop {
            Stop::Name => self.take_name(tools),
            Stop::Arguments => self.take_arguments(rest),
            Stop::ArgumentsEnd => self.end_arguments(),
            Stop::Marker => self.json.pass(),
            // Quotes are asked about in other literals alone.
            Stop::Noticed
            | Stop::Body
            | Stop::End
            | Stop::Duplicate
            | Stop::Id
            | Stop::Other
            | Stop::Quote
            | Stop::Bare => {}
        }
        match trial {
            _ if self.json.has_no_name() => Verdict::NoCall,
            Trial::Name => self.by_name(stop, tools),
            Trial::Keys => self.by_keys(stop, tools),
        }
    }

    fn take_name(&mut self, tools: &Tools) {
        let name = self.captured.name.trim_end_matches(WHITE_SPACE);
        if name.is_empty() || name.len() > bounds::NAME {
            return self.json.refuse_name();
        }
        (self.named, self.tool) = (true, tools.number([name, ""]));
    }

    fn by_name(&self, stop: Stop, tools: &Tools) -> Verdict {
        let any = tools.names.is_empty();
        if self.named && (self.tool != UNKNOWN || any && self.arguments != Arguments::None) {
            Verdict::Call
        } else if self.named && !any || stop == Stop::Body {
            Verdict::NoCall
        } else {
            Verdict::Open
        }
    }

    fn by_keys(&self, stop: Stop, tools: &Tools) -> Verdict {
        if self.json.junk || self.named && self.tool == UNKNOWN {
            return Verdict::NoCall;
        }
        let declares = || tools.params(self.tool).find(["type", ""]).is_none();
        match self.arguments {
            Arguments::Word(u8::MAX) => Verdict::NoCall,
            Arguments::Fit if self.named => Verdict::Call,
            Arguments::Declare if self.named && declares() => Verdict::NoCall,
            Arguments::Declare if self.named => Verdict::Call,
            Arguments::None if stop == Stop::Body => {
                let enough = self.named && self.json.lacks_arguments();
                let enough = enough && tools.requires_nothing(self.tool);
                if enough { Verdict::Call } else { Verdict::NoCall }
            }
            _ if stop == Stop::Body => Verdict::NoCall,
            _ => Verdict::Open,
        }
    }

    /// Before the first byte of the arguments.
    fn take_arguments(&mut self, rest: &str) {
        self.arguments = match rest.as_bytes().first() {
            Some(b'{') => Arguments::Object(Declaration::default()),
            Some(b'"' | b'\'' | b'`') => Arguments::Fit,
            Some(b'[') => Arguments::Word(u8::MAX),
            _ => Arguments::Word(0),
        };
        self.look_into(rest);
    }

    /// Reads the first member of arguments that are an object.
    fn look_into(&mut self, text: &str) {
        if let Arguments::Object(declaration) = &mut self.arguments {
            self.arguments = match declaration.read(text) {
                None => return,
                Some(true) => Arguments::Declare,
                Some(false) => Arguments::Fit,
            };
        }
    }

    fn end_arguments(&mut self) {
        if let Arguments::Word(same) = self.arguments {
            let null = same as usize == NULL.len();
            self.arguments = if null { Arguments::Fit } else { Arguments::Word(u8::MAX) };
        }
    }
}

/// Whether an object begins with `"type": "object"`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Declaration {
    lexer: Lexer,
    place: Place,
    /// So much of the key or of the value is the text that it must be; more than all: it is another.
    same: u8,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Place {
    /// Before the object's brace.
    #[default]
    Before,
    /// Before its first key, or in it.
    Key,
    Colon,
    /// Before the key's value, or in it.
    Value,
}

impl Declaration {
    /// Reads on in an object: whether it does, once that is known.
    fn read(&mut self, mut text: &str) -> Option<bool> {
        while !text.is_empty() {
            let (read, token) = self.lexer.next_of(text, JSON);
            text = &text[read..];
            let must_be = if self.place == Place::Value { "object" } else { "type" };
            match (self.place, token) {
                (_, Token::White | Token::Comment) => {}
                (Place::Before, Token::Open(_)) => self.place = Place::Key,
                (Place::Key | Place::Value, Token::StringStart(_)) => self.same = 0,
                (Place::Key | Place::Value, Token::Text(piece)) => self.compare(piece, must_be),
                (Place::Key, Token::Word(piece)) => self.compare(piece, must_be),
                (Place::Key, Token::StringEnd | Token::WordEnd) => {
                    if self.same as usize != must_be.len() {
                        return Some(false);
                    }
                    self.place = Place::Colon;
                }
                (Place::Colon, Token::Colon) => (self.place, self.same) = (Place::Value, 0),
                (Place::Value, Token::StringEnd) => {
                    return Some(self.same as usize == must_be.len());
                }
                _ => return Some(false),
            }
        }
        None
    }

    fn compare(&mut self, piece: &str, must_be: &str) {
        let rest = must_be.as_bytes().get(self.same as usize..).unwrap_or_default();
        let fits = rest.starts_with(piece.as_bytes());
        self.same = if fits { self.same + piece.len() as u8 } else { u8::MAX };
    }
}
