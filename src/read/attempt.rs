//! An object that may be a call, or the answer: it is pending until that is decided.
//!
//! ```text
//! object := "{" member*          as in `super::json`
//! name:  the first name key of the object names a declared tool; no tools declared: it has a name and a
//!        key for arguments
//! keys:  the same, and up to the arguments no other key than those of a call; the arguments are an
//!        object, a string or null, and no declaration of the tool; or there are none, and the object
//!        has ended, of a tool that requires nothing
//! ```
//! Only states are kept. At the end of a chunk the reader stays where it is. At the end of the stream
//! [`super::trial`] asks whether the object may have become a call. Each byte is decided by itself, so the
//! number of bytes read does not depend on the cuts.

use super::json::{Json, Stop};
use super::open_call::Captured;
use crate::json::lexer::{Lexer, Token};
use crate::json::syntax::JSON;
use crate::json::white::WHITE_SPACE;
use crate::options::bounds;
use crate::read::ids::UNKNOWN;
use crate::read::tools::Tools;

/// The proof that an object is a call, and not the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trial {
    /// Its name, which is a declared tool's. If none is declared, any name with a key for arguments.
    Name,
    /// Its name, which is a declared tool's, and its keys: only those of a call, up to its arguments.
    Keys,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Verdict {
    #[default]
    Open,
    Call,
    NoCall,
}

/// The reader of an object.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reader {
    /// Bytes read after the brace.
    pub read: usize,
    pub verdict: Verdict,
    json: Json,
    captured: Captured,
    /// The tool, once its name has come; else [`UNKNOWN`].
    pub tool: u16,
    named: bool,
    arguments: Arguments,
}

/// The state of the arguments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Arguments {
    /// Before their first byte.
    #[default]
    None,
    /// In their first member.
    Object(Declaration),
    /// In a word, with the number of its bytes that are those of `null`.
    Word(u8),
    /// Possible arguments of a call.
    Fit,
    /// Possible parameters of a declaration: as arguments they fit only a tool with a parameter called `type`.
    Declare,
}

const NULL: &str = "null";

impl Reader {
    /// Begins behind the brace of an object.
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

    /// Reads on, until it is decided or the text ends.
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
        // Beyond the bound the object is text.
        if self.verdict == Verdict::Open && !whole {
            self.verdict = Verdict::NoCall;
        }
    }

    /// Decides where the scanner stopped. `rest`: the text behind.
    fn decide(&mut self, stop: Stop, rest: &str, trial: Trial, tools: &Tools) -> Verdict {
        match stop {
            Stop::Name => self.take_name(tools),
            Stop::Arguments => self.take_arguments(rest),
            Stop::ArgumentsEnd => self.end_arguments(),
            Stop::Marker => self.json.pass(),
            // Only other literals ask about quotes.
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
        self.named = true;
        self.tool = tools.number([name, ""]);
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

    /// Begins the arguments, before their first byte.
    fn take_arguments(&mut self, rest: &str) {
        self.arguments = match rest.as_bytes().first() {
            Some(b'{') => Arguments::Object(Declaration::default()),
            Some(b'"' | b'\'' | b'`') => Arguments::Fit,
            Some(b'[') => Arguments::Word(u8::MAX),
            _ => Arguments::Word(0),
        };
        self.look_into(rest);
    }

    /// Reads the first member of an object of arguments.
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

/// The reader that decides whether an object begins with `"type": "object"`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Declaration {
    lexer: Lexer,
    place: Place,
    /// The number of matching bytes of the key or the value; more than all of them: it is another text.
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
    /// Reads on in an object. Returns the decision, once it is known.
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
