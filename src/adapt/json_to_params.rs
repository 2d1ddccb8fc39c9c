//! [`JsonToParams`]: JSON arguments in, parameters out.
//!
//! ```text
//! text := BOM? object  |  ws "null" ws  |  ws       object: see `crate::json::grammar`
//! ```
//! Chunk ends here: the state is a few bytes and the key, number or word that is being read. Stream
//! ends here: the parser has sent `End`.

use crate::event::{Cause, Diagnostic, DiagnosticKind, Event, Status, ToolUse, TypeHint};
use crate::json::grammar::Grammar;
use crate::json::lexer::Token;
use crate::json::unescape::Unescape;
use crate::marker::Marker;
use crate::options::bounds;
use crate::repair::Repair;
use crate::sink::Sink;

/// A sink that turns JSON arguments into parameters: `ArgumentsDelta` becomes `ParamStart`,
/// `ParamDelta` and `ParamEnd` for each member of the object, while it is being written.
///
/// A string comes decoded, with the hint [`TypeHint::String`]: escapes are resolved and surrogate pairs
/// joined over any cut, and half of a pair is U+FFFD. Any other value comes as the JSON text of the model,
/// with the hint [`TypeHint::Json`]. Text without escapes passes as slices, uncopied. Only half an escape and
/// the open key, number or word are kept back.
///
/// The adapter owns the next sink, because it remembers data from one feed to the next;
/// [`JsonToParams::into_sink`] returns it. A sink that must stay elsewhere goes in as a closure. One adapter
/// reads one message. Calls with parameters pass unchanged, like all other events. The bytes of JSON's own
/// grammar leave nowhere, so behind the adapter the slices do not tile the input any more (law 2). Offsets
/// are still those of the stream.
///
/// ```
/// use toolstream::adapt::JsonToParams;
/// use toolstream::{Event, ToolUse};
///
/// let mut screen = String::new();
/// let mut params = JsonToParams::new(|event: Event<&str>| match event {
///     Event::ToolUse(ToolUse::ParamStart { name, .. }) => screen.push_str(&format!("[{name}] ")),
///     Event::ToolUse(ToolUse::ParamDelta(text)) => screen.push_str(text),
///     _ => {}
/// });
/// params.push(Event::ToolUse(ToolUse::Start { index: 0, name: "write", id: None, at: 0, dialect: 0 }));
/// // The chunks end inside an escape and inside a surrogate pair.
/// for chunk in [r#"{"text": "one\"#, r#"ntwo \ud83e"#, r#"\udd80", "mode": 420}"#] {
///     params.push(Event::ToolUse(ToolUse::ArgumentsDelta(chunk)));
/// }
/// assert_eq!(screen, "[text] one\ntwo 🦀[mode] 420");
/// ```
///
/// # Malformed arguments
///
/// * **Not quite JSON** is read where [`repair`](crate::repair) reads it: other quotes, names as
///   keys, comments, trailing commas, raw control characters, unknown escapes, one closer too many,
///   also inside arrays and objects. All of these are allowed, independent of the parser's
///   [`Options::repairs`](crate::options::Options::repairs) say.
/// * **No arguments** and **`null`** are no parameters.
/// * **No object, or text that breaks off or goes wrong**: the text up to there stands, the open parameter ends with
///   `closed: false`, and the rest gives nothing. A call whose markup closed ends as `Incomplete` with the
///   diagnostic `malformed_arguments`.
/// * **A key longer than [`bounds::NAME`]** names no parameter: its member is left out, with the diagnostic
///   `limit_exceeded`, and the call ends as `Incomplete`. A number of more than 2,048 bytes cannot be read.
/// * **A plain ReAct input** that no parameter takes is not JSON: a [`ParamsToJson`](super::ParamsToJson) in
///   front of this adapter reads it.
/// * **A key that comes twice** is a parameter that comes twice; the last one wins, as everywhere.
///
/// `End{Complete}` behind this adapter means that the parameters are all of the arguments. `Message` decides
/// which calls may run, and needs the arguments themselves.
#[derive(Clone, Debug)]
pub struct JsonToParams<S> {
    /// Bytes that came in slices.
    position: usize,
    members: Members,
    sink: S,
}

impl<S: Sink> JsonToParams<S> {
    /// An adapter in front of this sink.
    pub fn new(sink: S) -> Self {
        JsonToParams { position: 0, members: Members::default(), sink }
    }

    /// Takes the next event.
    pub fn push<T: AsRef<str>>(&mut self, event: Event<T>) {
        self.event(event.as_str());
    }

    /// The next sink, and the end of the adapter.
    pub fn into_sink(self) -> S {
        self.sink
    }
}

impl<S: Sink> Sink for JsonToParams<S> {
    fn event(&mut self, event: Event<&str>) {
        let sink = &mut self.sink;
        match event {
            Event::ToolUse(ToolUse::ArgumentsDelta(text)) => {
                self.members.read(text, self.position, sink);
            }
            Event::ToolUse(ToolUse::End { status, at }) => {
                let status = self.members.end(status, self.position, sink);
                sink.event(Event::ToolUse(ToolUse::End { status, at }));
            }
            Event::ToolUse(ToolUse::Start { index, .. }) => {
                self.members.reset(index);
                sink.event(event);
            }
            _ => sink.event(event),
        }
        self.position += event.slice().map_or(0, |slice| slice.len());
    }

    fn wants_markers(&self) -> bool {
        self.sink.wants_markers()
    }

    fn marker(&mut self, marker: &Marker<'_>) {
        self.sink.marker(marker);
    }
}

/// Reads the members of one object.
#[derive(Clone, Debug, Default)]
struct Members {
    /// The call's.
    index: usize,
    grammar: Grammar,
    /// A token has come.
    started: bool,
    /// The bracket is that of an object.
    object: bool,
    /// The text is broken: reading has stopped.
    lost: bool,
    /// The place of unsent text in the present piece, in a value that is an object or a list.
    unsent: Option<usize>,
    key: String,
    /// The string that is being read, and its quote.
    unescape: Unescape,
    quote: u8,
    /// A parameter is open.
    open: bool,
    /// The member's key is too long: it is read and left out.
    silent: bool,
    /// A part of the arguments is left out.
    broken: bool,
}

/// A piece of the arguments.
#[derive(Clone, Copy)]
struct Unread<'t> {
    text: &'t str,
    /// The bytes of the piece that were read.
    read: usize,
    /// The byte offset of its place in the stream.
    at: usize,
}

impl Members {
    fn reset(&mut self, index: usize) {
        *self = Members { index, ..Members::default() };
    }

    /// Reads a piece of the arguments at byte `at` of the stream.
    fn read(&mut self, text: &str, at: usize, sink: &mut impl Sink) {
        self.unsent = self.unsent.map(|_| 0);
        let mut piece = Unread { text, read: 0, at };
        if !self.started && text.starts_with(BYTE_ORDER_MARK) {
            self.grammar.note(Repair::Bom);
            piece.read = BYTE_ORDER_MARK.len_utf8();
        }
        self.started |= !text.is_empty();
        while piece.read < text.len() && !self.lost {
            self.step(&mut piece, sink);
        }
        self.send_nested(piece, sink);
    }

    /// Ends the call. Returns its status, as this adapter sees it.
    fn end(&mut self, status: Status, at: usize, sink: &mut impl Sink) -> Status {
        let whole = if self.object {
            matches!(self.grammar.end(), Ok(None))
        } else {
            self.grammar.repairs() == 0 && matches!(self.grammar.word(), "" | "null")
        };
        if self.open {
            self.close(false, sink);
        }
        if !status.is_complete() || whole && !self.lost && !self.broken {
            return status;
        }
        if !whole && !self.lost {
            self.flag(DiagnosticKind::MalformedArguments, at, sink);
        }
        Status::Incomplete(Cause::Broken)
    }

    fn step(&mut self, piece: &mut Unread<'_>, sink: &mut impl Sink) {
        let depth = self.grammar.depth();
        let Ok((read, token)) = self.grammar.next(&piece.text[piece.read..]) else {
            return self.lose(*piece, sink);
        };
        match token {
            Token::Open(b'[') | Token::StringStart(_) if depth == 0 => {
                return self.lose(*piece, sink);
            }
            Token::Open(_) => {
                self.object = true;
                if depth == 1 {
                    self.unsent = Some(piece.read);
                    self.open(TypeHint::Json, *piece, sink);
                }
            }
            Token::Close(_) if depth == 2 => {
                self.send_nested(Unread { read: piece.read + read, ..*piece }, sink);
                self.unsent = None;
                self.close(true, sink);
            }
            _ if depth != 1 => {}
            _ if self.grammar.is_key() => self.key(token),
            _ => self.value(token, *piece, sink),
        }
        let fits = if let Token::Word(_) = token { self.fits(depth, read) } else { read };
        piece.read += fits;
        if fits < read {
            self.lose(*piece, sink);
        }
    }

    /// Returns how many of the last `len` bytes of a word may stand there. Outside of the object, or in its place,
    /// only `null` may; and no `f64` needs endless digits.
    fn fits(&self, depth: usize, len: usize) -> usize {
        let word = self.grammar.word().as_bytes();
        let most = match depth {
            _ if self.grammar.is_key() => word.len(),
            0 if self.grammar.repairs() != 0 => 0,
            0 => word.iter().zip(b"null").take_while(|(byte, of)| byte == of).count(),
            _ => WORD,
        };
        len.min((most + len).saturating_sub(word.len()))
    }

    /// A token in a member's key, or between two.
    fn key(&mut self, token: Token<'_>) {
        let Members { key, unescape, quote, grammar, .. } = self;
        match token {
            Token::StringStart(start) => {
                *quote = start;
                *unescape = Unescape::default();
                key.clear();
            }
            Token::Text(text) => unescape.read(text, *quote, &mut |piece| add(key, piece)),
            Token::StringEnd => unescape.end(&mut |piece| add(key, piece)),
            Token::Word(word) => {
                if grammar.word().len() == word.len() {
                    key.clear();
                }
                add(key, word);
            }
            _ => {}
        }
    }

    /// A token of a member's value that is not an object or list.
    fn value(&mut self, token: Token<'_>, piece: Unread<'_>, sink: &mut impl Sink) {
        let (mut unescape, quote) = (self.unescape, self.quote);
        match token {
            Token::StringStart(quote) => {
                self.quote = quote;
                unescape = Unescape::default();
                self.open(TypeHint::String, piece, sink);
            }
            Token::Text(text) => unescape.read(text, quote, &mut |text| self.delta(text, sink)),
            Token::StringEnd => {
                unescape.end(&mut |text| self.delta(text, sink));
                self.close(true, sink);
            }
            Token::Word(word) => {
                if self.grammar.word().len() == word.len() {
                    self.open(TypeHint::Json, piece, sink);
                }
                self.delta(&word[..self.fits(1, word.len())], sink);
            }
            Token::WordEnd => self.close(true, sink),
            _ => {}
        }
        self.unescape = unescape;
    }

    /// Stops reading: the rest of the arguments is unreadable.
    fn lose(&mut self, piece: Unread<'_>, sink: &mut impl Sink) {
        self.send_nested(piece, sink);
        if self.open {
            self.close(false, sink);
        }
        self.flag(DiagnosticKind::MalformedArguments, piece.at + piece.read, sink);
        self.lost = true;
    }

    /// Sends the part of an object or a list that was read.
    fn send_nested(&mut self, piece: Unread<'_>, sink: &mut impl Sink) {
        if let Some(unsent) = &mut self.unsent {
            let text = &piece.text[std::mem::replace(unsent, piece.read)..piece.read];
            self.delta(text, sink);
        }
    }

    /// A parameter begins.
    fn open(&mut self, hint: TypeHint, piece: Unread<'_>, sink: &mut impl Sink) {
        self.open = true;
        self.silent = self.key.len() > bounds::NAME;
        if self.silent {
            self.broken = true;
            return self.flag(DiagnosticKind::LimitExceeded, piece.at + piece.read, sink);
        }
        let (name, hint) = (&*self.key, Some(hint));
        sink.event(Event::ToolUse(ToolUse::ParamStart { name, hint }));
    }

    fn close(&mut self, closed: bool, sink: &mut impl Sink) {
        self.open = false;
        if !self.silent {
            sink.event(Event::ToolUse(ToolUse::ParamEnd { closed }));
        }
    }

    fn delta(&self, text: &str, sink: &mut impl Sink) {
        if !self.silent && !text.is_empty() {
            sink.event(Event::ToolUse(ToolUse::ParamDelta(text)));
        }
    }

    fn flag(&self, kind: DiagnosticKind, at: usize, sink: &mut impl Sink) {
        sink.event(Event::Diagnostic(Diagnostic::new(kind, at).in_call(self.index)));
    }
}

const BYTE_ORDER_MARK: char = '\u{FEFF}';

/// The longest number that is read: more than any `f64` has digits.
const WORD: usize = 2048;

/// Adds to a key. Of a key that is too long, only this fact is remembered.
pub(super) fn add(key: &mut String, piece: &str) {
    let room = (bounds::NAME + 1).saturating_sub(key.len());
    if piece.len() <= room {
        key.push_str(piece)
    } else {
        key.extend(std::iter::repeat_n('_', room))
    }
}
