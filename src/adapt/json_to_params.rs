//! [`JsonToParams`]: JSON arguments in, parameters out.
//!
//! One pass over the text, by this grammar, which is that of [`repair`](crate::repair) without
//! fences and without objects in strings (`trivia` may stand between any two tokens):
//!
//! ```text
//! text   := BOM? object ( "}" | "]" )?  |  ws "null" ws  |  ws
//! object := "{" ( member ( "," member )* ","? )? "}"
//! member := ( string | name ) ":" value
//! value  := string | object | list | word
//! list   := "[" ( value ( "," value )* ","? )? "]"
//! word   := a number, true, false, null, True, False, None
//! trivia := ws | "//" to the line end | "/*" to "*/"
//! ```
//! Chunk ends here: the state is a few bytes and the key, number or word that is being read. Stream
//! ends here: the parser has sent `End`.

use serde_json::Number;

use super::comment::{Comment, Said};
use super::quoted::Quoted;
use crate::event::{Cause, Diagnostic, DiagnosticKind, Event, Status, ToolUse, TypeHint};
use crate::options::bounds;
use crate::repair::{MAX_DEPTH, WORDS};
use crate::sink::Sink;
use crate::white::is_white;

/// A sink that turns JSON arguments into parameters: `ArgumentsDelta` becomes `ParamStart`,
/// `ParamDelta` and `ParamEnd` for each member of the object, while it is being written.
///
/// A string comes decoded, with the hint [`TypeHint::String`]: escapes are resolved and surrogate
/// pairs joined over any cut, and half of a pair is U+FFFD. Any other value comes as the JSON text
/// that the model wrote, with the hint [`TypeHint::Json`]. Text without escapes passes as slices,
/// uncopied, and nothing is held but half an escape and the key, number or word that is being read.
///
/// It owns the sink behind it, because it has to remember things from one feed to the next;
/// [`JsonToParams::sink_mut`] reaches it. A sink that must stay elsewhere goes in as a closure. One
/// adapter reads one message. Calls that speak parameters pass unchanged, like all other events;
/// the bytes of JSON's own grammar go nowhere, so behind the adapter the slices do not tile the
/// input any more (law 2). Offsets are still those of the stream.
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
/// # What it makes of odd arguments
///
/// * **Not quite JSON** is read where [`repair`](crate::repair) reads it: other quotes, names as
///   keys, comments, trailing commas, raw control characters, unknown escapes, one closer too many,
///   also inside arrays and objects. All of these are allowed, whatever the parser's
///   [`Options::repairs`](crate::Options::repairs) say.
/// * **No arguments** and **`null`** are no parameters.
/// * **No object, or text that breaks off or goes wrong**: what was read up to there stands, the
///   open parameter ends with `closed: false`, the rest gives nothing, and a call that closed all
///   the same ends as `Incomplete` with the diagnostic `malformed_arguments`.
/// * **A key that is longer than [`bounds::NAME`]** names no parameter: its member is left out, with
///   the diagnostic `limit_exceeded`, and the call ends as `Incomplete`. A number of more than 2,048
///   bytes cannot be read.
/// * **A plain ReAct input** that no parameter takes is no JSON: a
///   [`ParamsToJson`](super::ParamsToJson) in front of this adapter reads it.
/// * **A key that comes twice** is a parameter that comes twice; the last one wins, as everywhere.
///
/// `End{Complete}` behind this adapter means: the parameters are all there is in the arguments.
/// Which calls may run is for `Message` to say, which wants the arguments themselves.
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

    /// The sink behind.
    pub fn sink(&self) -> &S {
        &self.sink
    }

    /// The sink behind, to take out what it has gathered.
    pub fn sink_mut(&mut self) -> &mut S {
        &mut self.sink
    }

    /// The sink behind, and the end of the adapter.
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
            Event::ToolUse(ToolUse::End { status }) => {
                let status = self.members.end(status, self.position, sink);
                sink.event(Event::ToolUse(ToolUse::End { status }));
            }
            Event::ToolUse(ToolUse::Start { index, .. }) => {
                self.members.reset(index);
                sink.event(event);
            }
            _ => sink.event(event),
        }
        self.position += event.slice().map_or(0, |slice| slice.len());
    }
}

/// Reads the members of one object.
#[derive(Clone, Debug, Default)]
struct Members {
    /// The call's.
    index: usize,
    place: Place,
    /// How many objects and lists are open. A member's value that is one of these begins with the
    /// second.
    depth: usize,
    /// For each of them, whether it is an object; the innermost has the lowest bit.
    objects: u128,
    /// Where in the present piece the text begins that was not sent yet of such a value.
    unsent: usize,
    key: String,
    word: String,
    /// The member's key is too long: it is read, and nothing is said of it.
    silent: bool,
    /// Something is left out.
    broken: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Between(Want),
    Comment(Comment, Want),
    /// In `null` or after it: so many of its letters were read.
    Null(usize),
    Key(Quoted),
    /// In a key without quotes.
    Name,
    String(Quoted),
    Word,
    /// After what cannot be read.
    Lost,
}

impl Default for Place {
    fn default() -> Self {
        Place::Between(Want::Start)
    }
}

/// What may come between two tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Want {
    /// A byte order mark, or what `Arguments` wants.
    Start,
    /// An object or `null`.
    Arguments,
    Object,
    /// A member, or the object's end.
    Member,
    Colon,
    Value,
    /// A value, or the list's end.
    Item,
    /// A comma, or the end of the object or list.
    Comma,
    /// Nothing.
    Nothing {
        /// But one closer too many.
        closer: bool,
    },
}

/// A piece of the arguments.
#[derive(Clone, Copy)]
struct Piece<'t> {
    text: &'t str,
    /// How far it was read.
    read: usize,
    /// The byte of the stream at which it stands.
    at: usize,
}

impl<'t> Piece<'t> {
    fn rest(self) -> &'t str {
        &self.text[self.read..]
    }

    fn first(self) -> u8 {
        self.text.as_bytes()[self.read]
    }

    fn offset(self) -> usize {
        self.at + self.read
    }
}

impl Members {
    fn reset(&mut self, index: usize) {
        let (mut key, mut word) = (std::mem::take(&mut self.key), std::mem::take(&mut self.word));
        key.clear();
        word.clear();
        *self = Members { index, key, word, ..Members::default() };
    }

    /// Reads a piece of the arguments, which stands at byte `at` of the stream.
    fn read(&mut self, text: &str, at: usize, sink: &mut impl Sink) {
        self.unsent = 0;
        let mut piece = Piece { text, read: 0, at };
        while piece.read < text.len() {
            piece.read += self.step(piece, sink);
        }
        self.send(piece, sink);
    }

    /// The call is over. Returns what its status is, seen from here.
    fn end(&mut self, status: Status, at: usize, sink: &mut impl Sink) -> Status {
        let whole = match self.place {
            Place::Between(Want::Start | Want::Arguments | Want::Nothing { .. }) => true,
            Place::Comment(Comment::Line, Want::Nothing { .. }) => true,
            Place::Null(letters) => letters == NULL.len(),
            _ => false,
        };
        if self.is_in_value() {
            self.say(ToolUse::ParamEnd { closed: false }, sink);
        }
        let lost = std::mem::replace(&mut self.place, Place::Lost) == Place::Lost;
        if !status.is_complete() || whole && !self.broken {
            return status;
        }
        if !whole && !lost {
            self.flag(DiagnosticKind::MalformedArguments, at, sink);
        }
        Status::Incomplete(Cause::Broken)
    }

    /// Whether the value of a member is open.
    fn is_in_value(&self) -> bool {
        self.depth > 1 || matches!(self.place, Place::String(_) | Place::Word)
    }

    /// Reads at least a byte, or goes to another place that will.
    fn step(&mut self, piece: Piece<'_>, sink: &mut impl Sink) -> usize {
        match self.place {
            Place::Between(want) => self.between(want, piece, sink),
            Place::Comment(comment, want) => self.comment(comment, want, piece, sink),
            Place::Null(letters) => self.null(letters, piece, sink),
            Place::Key(quoted) => self.key(quoted, piece.rest()),
            Place::Name => self.name(piece.rest()),
            Place::String(quoted) => self.string(quoted, piece.rest(), sink),
            Place::Word => self.word(piece, sink),
            Place::Lost => piece.rest().len(),
        }
    }

    fn go(&mut self, place: Place, read: usize) -> usize {
        self.place = place;
        read
    }

    // Between tokens.

    fn between(&mut self, want: Want, piece: Piece<'_>, sink: &mut impl Sink) -> usize {
        use Want::{Arguments, Colon, Comma, Item, Member, Nothing, Object, Start, Value};
        let rest = piece.rest();
        let white = rest.len() - rest.trim_start_matches(is_white).len();
        if white > 0 {
            return self.go(Place::Between(if want == Start { Arguments } else { want }), white);
        }
        let first = piece.first();
        match (want, first) {
            (Start, _) if rest.starts_with(BYTE_ORDER_MARK) => {
                self.go(Place::Between(Object), BYTE_ORDER_MARK.len_utf8())
            }
            (Start | Arguments, b'n') => self.go(Place::Null(0), 0),
            (Start | Arguments, b'/') => self.go(Place::Comment(Comment::Slash, Object), 1),
            (_, b'/') => self.go(Place::Comment(Comment::Slash, want), 1),
            (Start | Arguments | Object, b'{') => self.enter(first),
            (Member | Comma, b'}') if self.is_in_object() => self.leave(piece, sink),
            (Item | Comma, b']') if !self.is_in_object() => self.leave(piece, sink),
            (Member, _) if Quoted::opens(first) => {
                self.open_key(Place::Key(Quoted::open(first)), 1)
            }
            (Member, _) if rest.starts_with(begins_name) => self.open_key(Place::Name, 0),
            (Colon, b':') => self.go(Place::Between(Value), 1),
            (Value | Item, _) => self.value(piece, sink),
            (Comma, b',') if self.is_in_object() => self.go(Place::Between(Member), 1),
            (Comma, b',') => self.go(Place::Between(Item), 1),
            (Nothing { closer: true }, b'}' | b']') => {
                self.go(Place::Between(Nothing { closer: false }), 1)
            }
            _ => self.lose(piece, sink),
        }
    }

    fn comment(
        &mut self,
        mut comment: Comment,
        want: Want,
        piece: Piece<'_>,
        sink: &mut impl Sink,
    ) -> usize {
        match comment.read(piece.rest()) {
            Some(Said::Over(read)) => self.go(Place::Between(want), read),
            Some(Said::NoComment) => self.lose(piece, sink),
            None => self.go(Place::Comment(comment, want), piece.rest().len()),
        }
    }

    fn null(&mut self, letters: usize, piece: Piece<'_>, sink: &mut impl Sink) -> usize {
        match NULL.as_bytes().get(letters) {
            Some(letter) if *letter == piece.first() => self.go(Place::Null(letters + 1), 1),
            None if is_white(piece.first().into()) => 1,
            _ => self.lose(piece, sink),
        }
    }

    /// Nothing that follows can be read.
    fn lose(&mut self, piece: Piece<'_>, sink: &mut impl Sink) -> usize {
        self.send(piece, sink);
        if self.is_in_value() {
            self.say(ToolUse::ParamEnd { closed: false }, sink);
        }
        self.flag(DiagnosticKind::MalformedArguments, piece.offset(), sink);
        self.depth = 0;
        self.go(Place::Lost, piece.rest().len())
    }

    // Objects and lists.

    fn is_in_object(&self) -> bool {
        self.objects & 1 == 1
    }

    fn enter(&mut self, opener: u8) -> usize {
        let object = opener == b'{';
        self.depth += 1;
        self.objects = self.objects << 1 | u128::from(object);
        self.go(Place::Between(if object { Want::Member } else { Want::Item }), 1)
    }

    fn leave(&mut self, piece: Piece<'_>, sink: &mut impl Sink) -> usize {
        if self.depth == 2 {
            self.send(Piece { read: piece.read + 1, ..piece }, sink);
        }
        self.depth -= 1;
        self.objects >>= 1;
        match self.depth {
            0 => self.go(Place::Between(Want::Nothing { closer: true }), 1),
            _ => self.close(1, sink),
        }
    }

    /// Sends what was read of a value that is an object or a list.
    fn send(&mut self, piece: Piece<'_>, sink: &mut impl Sink) {
        let text = &piece.text[self.unsent..piece.read];
        if self.depth > 1 && !text.is_empty() {
            self.unsent = piece.read;
            self.say(ToolUse::ParamDelta(text), sink);
        }
    }

    // Keys.

    fn open_key(&mut self, place: Place, read: usize) -> usize {
        if self.depth == 1 {
            self.key.clear();
        }
        self.go(place, read)
    }

    fn key(&mut self, mut quoted: Quoted, rest: &str) -> usize {
        let mut key = Some(&mut self.key).filter(|_| self.depth == 1);
        let mut send = |piece: &str| key.iter_mut().for_each(|key| add(key, piece));
        match quoted.read(rest, &mut send) {
            Some(read) => self.go(Place::Between(Want::Colon), read),
            None => self.go(Place::Key(quoted), rest.len()),
        }
    }

    fn name(&mut self, rest: &str) -> usize {
        let over = rest.find(|sign| !continues_name(sign));
        let read = over.unwrap_or(rest.len());
        if self.depth == 1 {
            add(&mut self.key, &rest[..read]);
        }
        self.go(over.map_or(Place::Name, |_| Place::Between(Want::Colon)), read)
    }

    // Values.

    fn value(&mut self, piece: Piece<'_>, sink: &mut impl Sink) -> usize {
        match piece.first() {
            b'{' | b'[' if self.depth == MAX_DEPTH => self.lose(piece, sink),
            opener @ (b'{' | b'[') => {
                self.open(TypeHint::Json, piece, sink);
                self.enter(opener)
            }
            quote if Quoted::opens(quote) => {
                self.open(TypeHint::String, piece, sink);
                self.go(Place::String(Quoted::open(quote)), 1)
            }
            byte if in_word(byte) => {
                self.open(TypeHint::Json, piece, sink);
                self.word.clear();
                self.go(Place::Word, 0)
            }
            _ => self.lose(piece, sink),
        }
    }

    /// A value begins; if it is a member's, that is the parameter.
    fn open(&mut self, hint: TypeHint, piece: Piece<'_>, sink: &mut impl Sink) {
        if self.depth > 1 {
            return;
        }
        self.unsent = piece.read;
        self.silent = self.key.len() > bounds::NAME;
        if self.silent {
            self.broken = true;
            self.flag(DiagnosticKind::LimitExceeded, piece.offset(), sink);
        } else {
            let (name, hint) = (&*self.key, Some(hint));
            sink.event(Event::ToolUse(ToolUse::ParamStart { name, hint }));
        }
    }

    fn string(&mut self, mut quoted: Quoted, rest: &str, sink: &mut impl Sink) -> usize {
        let mut send = |piece: &str| {
            if self.depth == 1 {
                self.say(ToolUse::ParamDelta(piece), sink);
            }
        };
        match quoted.read(rest, &mut send) {
            Some(read) => self.close(read, sink),
            None => self.go(Place::String(quoted), rest.len()),
        }
    }

    fn word(&mut self, piece: Piece<'_>, sink: &mut impl Sink) -> usize {
        let rest = piece.rest();
        let over = rest.bytes().position(|byte| !in_word(byte));
        let read = over.unwrap_or(rest.len()).min(WORD - self.word.len());
        if read > 0 {
            self.word.push_str(&rest[..read]);
            if self.depth == 1 {
                self.say(ToolUse::ParamDelta(&rest[..read]), sink);
            }
            return read;
        }
        match piece.first() {
            b',' | b'}' | b']' | b'/' | b' ' | b'\t' | b'\r' | b'\n' if is_word(&self.word) => {
                self.close(0, sink)
            }
            _ => self.lose(piece, sink),
        }
    }

    /// A value is over; if it was a member's, so is the parameter.
    fn close(&mut self, read: usize, sink: &mut impl Sink) -> usize {
        if self.depth == 1 {
            self.say(ToolUse::ParamEnd { closed: true }, sink);
        }
        self.go(Place::Between(Want::Comma), read)
    }

    fn say(&self, event: ToolUse<&str>, sink: &mut impl Sink) {
        if !self.silent {
            sink.event(Event::ToolUse(event));
        }
    }

    fn flag(&self, kind: DiagnosticKind, at: usize, sink: &mut impl Sink) {
        sink.event(Event::Diagnostic(Diagnostic::new(kind, at).in_call(self.index)));
    }
}

const NULL: &str = "null";

const BYTE_ORDER_MARK: char = '\u{FEFF}';

/// The longest number that is read: more than any `f64` has digits.
const WORD: usize = 2048;

/// Adds to a key; of one that is too long only that is remembered.
fn add(key: &mut String, piece: &str) {
    let room = (bounds::NAME + 1).saturating_sub(key.len());
    match piece.len() <= room {
        true => key.push_str(piece),
        false => key.extend(std::iter::repeat_n('_', room)),
    }
}

fn begins_name(sign: char) -> bool {
    sign.is_alphabetic() || sign == '_' || sign == '$'
}

fn continues_name(sign: char) -> bool {
    begins_name(sign) || sign.is_ascii_digit() || sign == '-'
}

fn in_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.')
}

fn is_word(word: &str) -> bool {
    WORDS.iter().any(|(known, _)| *known == word) || serde_json::from_str::<Number>(word).is_ok()
}
