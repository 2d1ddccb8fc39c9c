//! [`JsonToParams`]: JSON arguments in, parameters out.
//!
//! One pass over the text, by this grammar, which is that of [`repair`](crate::repair) without
//! fences and without objects in strings (`trivia` may stand between any two tokens):
//!
//! ```text
//! text   := BOM? ( object ( "}" | "]" )? | "null" )?
//! object := "{" ( member ( "," member )* ","? )? "}"
//! member := ( string | name ) ":" ( string | nested | word )
//! nested := "{" or "[", up to where its depth is 0 again, whichever closer comes
//! word   := [A-Za-z0-9+-.]+
//! trivia := ws | "//" to the line end | "/*" to "*/"
//! ```
//! Chunk ends here: the state is a few bytes and the key that is being read. Stream ends here: the
//! parser has sent `End`.

use super::nested::{Comment, Nested, Said};
use super::quoted::Quoted;
use crate::event::{Cause, Diagnostic, DiagnosticKind, Event, Status, ToolUse, TypeHint};
use crate::options::bounds;
use crate::sink::Sink;

/// A sink that turns JSON arguments into parameters: `ArgumentsDelta` becomes `ParamStart`,
/// `ParamDelta` and `ParamEnd` for each member of the object, while it is being written.
///
/// A string comes decoded, with the hint [`TypeHint::String`]: escapes are resolved and surrogate
/// pairs joined over any cut, and half of a pair is U+FFFD. Any other value comes as the JSON text
/// that the model wrote, with the hint [`TypeHint::Json`]. Text without escapes passes as slices,
/// uncopied, and nothing is held but half an escape and the key that is being read.
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
///   keys, comments, trailing commas, raw control characters, unknown escapes, one closer too many.
///   Words and what is inside arrays and objects are not looked at: they are for whoever parses
///   them.
/// * **No arguments** and **`null`** are no parameters.
/// * **No object, or text that breaks off or goes wrong**: what was read up to there stands, the
///   open parameter ends with `closed: false`, the rest gives nothing, and a call that closed all
///   the same ends as `Incomplete` with the diagnostic `malformed_arguments`.
/// * **A key that is longer than [`bounds::NAME`]** names no parameter: its member is left out, with
///   the diagnostic `limit_exceeded`, and the call ends as `Incomplete`.
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
            Event::ToolUse(ToolUse::Start { .. }) => {
                self.members.reset();
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
    place: Place,
    key: String,
    /// The member's key is too long: it is read, and nothing is said of it.
    silent: bool,
    /// Something is left out.
    broken: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Between(Want),
    Comment(Comment, Want),
    /// In `null`, behind so many of its letters.
    Null(usize),
    Key(Quoted),
    /// In a key without quotes.
    Name,
    String(Quoted),
    Nested(Nested),
    Word,
    /// Behind what cannot be read.
    Lost,
}

impl Default for Place {
    fn default() -> Self {
        Place::Between(Want::Object)
    }
}

/// What may come between two tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Want {
    Object,
    /// A member, or the object's end.
    Member,
    Colon,
    Value,
    /// A comma, or the object's end.
    Comma,
    /// Nothing.
    Nothing {
        /// But one closer too many.
        closer: bool,
    },
}

impl Members {
    fn reset(&mut self) {
        self.key.clear();
        (self.place, self.silent, self.broken) = Default::default();
    }

    /// Reads a piece of the arguments, which stands at byte `at` of the stream.
    fn read(&mut self, text: &str, at: usize, sink: &mut impl Sink) {
        let mut read = 0;
        while read < text.len() {
            read += self.step(&text[read..], at + read, sink);
        }
    }

    /// The call is over. Returns what its status is, seen from here.
    fn end(&mut self, status: Status, at: usize, sink: &mut impl Sink) -> Status {
        let (whole, open) = match self.place {
            Place::Between(Want::Object | Want::Nothing { .. }) => (true, false),
            Place::Comment(Comment::Line, Want::Nothing { .. }) => (true, false),
            Place::Null(letters) => (letters == NULL.len(), false),
            Place::String(_) | Place::Nested(_) | Place::Word => (false, true),
            _ => (false, false),
        };
        if open {
            self.say(ToolUse::ParamEnd { closed: false }, sink);
        }
        let lost = std::mem::replace(&mut self.place, Place::Lost) == Place::Lost;
        if !status.is_complete() || whole && !self.broken {
            return status;
        }
        if !whole && !lost {
            flag(DiagnosticKind::MalformedArguments, at, sink);
        }
        Status::Incomplete(Cause::Broken)
    }

    /// Reads at least a byte of `rest`, or goes to another place that will.
    fn step(&mut self, rest: &str, at: usize, sink: &mut impl Sink) -> usize {
        match self.place {
            Place::Between(want) => self.between(want, rest, at, sink),
            Place::Comment(comment, want) => self.comment(comment, want, rest, at, sink),
            Place::Null(letters) => self.null(letters, rest, at, sink),
            Place::Key(quoted) => self.key(quoted, rest),
            Place::Name => self.name(rest),
            Place::String(quoted) => self.string(quoted, rest, sink),
            Place::Nested(nested) => self.nested(nested, rest, sink),
            Place::Word => self.word(rest, at, sink),
            Place::Lost => rest.len(),
        }
    }

    fn go(&mut self, place: Place, read: usize) -> usize {
        self.place = place;
        read
    }

    // Between tokens.

    fn between(&mut self, want: Want, rest: &str, at: usize, sink: &mut impl Sink) -> usize {
        use Want::{Colon, Comma, Member, Nothing, Object, Value};
        let white = rest.len() - rest.trim_start_matches(WHITE_SPACE).len();
        if white > 0 {
            return white;
        }
        let first = rest.as_bytes()[0];
        match (want, first) {
            (_, b'/') => self.go(Place::Comment(Comment::Slash, want), 1),
            (Object, b'{') => self.go(Place::Between(Member), 1),
            (Object, b'n') => self.go(Place::Null(0), 0),
            (Object, _) if rest.starts_with(BYTE_ORDER_MARK) => BYTE_ORDER_MARK.len_utf8(),
            (Member | Comma, b'}') => self.go(Place::Between(Nothing { closer: true }), 1),
            (Member, _) if Quoted::opens(first) => {
                self.open_key(Place::Key(Quoted::open(first)), 1)
            }
            (Member, _) if rest.starts_with(begins_name) => self.open_key(Place::Name, 0),
            (Colon, b':') => self.go(Place::Between(Value), 1),
            (Value, _) => self.value(rest, at, sink),
            (Comma, b',') => self.go(Place::Between(Member), 1),
            (Nothing { closer: true }, b'}' | b']') => {
                self.go(Place::Between(Nothing { closer: false }), 1)
            }
            _ => self.lose(at, rest, sink),
        }
    }

    fn comment(
        &mut self,
        mut comment: Comment,
        want: Want,
        rest: &str,
        at: usize,
        sink: &mut impl Sink,
    ) -> usize {
        match comment.read(rest) {
            Some(Said::Over(read)) => self.go(Place::Between(want), read),
            Some(Said::NoComment) => self.lose(at, rest, sink),
            None => self.go(Place::Comment(comment, want), rest.len()),
        }
    }

    fn null(&mut self, letters: usize, rest: &str, at: usize, sink: &mut impl Sink) -> usize {
        match NULL.as_bytes().get(letters) {
            Some(letter) if *letter == rest.as_bytes()[0] => self.go(Place::Null(letters + 1), 1),
            Some(_) => self.lose(at, rest, sink),
            None => self.go(Place::Between(Want::Nothing { closer: false }), 0),
        }
    }

    /// Nothing that follows can be read.
    fn lose(&mut self, at: usize, rest: &str, sink: &mut impl Sink) -> usize {
        flag(DiagnosticKind::MalformedArguments, at, sink);
        self.go(Place::Lost, rest.len())
    }

    // Keys.

    fn open_key(&mut self, place: Place, read: usize) -> usize {
        self.key.clear();
        self.go(place, read)
    }

    fn key(&mut self, mut quoted: Quoted, rest: &str) -> usize {
        let key = &mut self.key;
        match quoted.read(rest, &mut |piece| add(key, piece)) {
            Some(read) => self.go(Place::Between(Want::Colon), read),
            None => self.go(Place::Key(quoted), rest.len()),
        }
    }

    fn name(&mut self, rest: &str) -> usize {
        let over = rest.find(|sign| !continues_name(sign));
        let read = over.unwrap_or(rest.len());
        add(&mut self.key, &rest[..read]);
        self.go(over.map_or(Place::Name, |_| Place::Between(Want::Colon)), read)
    }

    // Values.

    fn value(&mut self, rest: &str, at: usize, sink: &mut impl Sink) -> usize {
        let first = rest.as_bytes()[0];
        let (place, hint, read) = match first {
            _ if Quoted::opens(first) => (Place::String(Quoted::open(first)), TypeHint::String, 1),
            b'{' | b'[' => (Place::Nested(Nested::default()), TypeHint::Json, 0),
            _ => (Place::Word, TypeHint::Json, 0),
        };
        if place == Place::Word && !in_word(first) {
            return self.lose(at, rest, sink);
        }
        self.silent = self.key.len() > bounds::NAME;
        if self.silent {
            self.broken = true;
            flag(DiagnosticKind::LimitExceeded, at, sink);
        } else {
            let (name, hint) = (&*self.key, Some(hint));
            sink.event(Event::ToolUse(ToolUse::ParamStart { name, hint }));
        }
        self.go(place, read)
    }

    fn string(&mut self, mut quoted: Quoted, rest: &str, sink: &mut impl Sink) -> usize {
        match quoted.read(rest, &mut |piece| self.say(ToolUse::ParamDelta(piece), sink)) {
            Some(read) => self.close(read, sink),
            None => self.go(Place::String(quoted), rest.len()),
        }
    }

    fn nested(&mut self, mut nested: Nested, rest: &str, sink: &mut impl Sink) -> usize {
        let over = nested.read(rest);
        let read = over.unwrap_or(rest.len());
        self.say(ToolUse::ParamDelta(&rest[..read]), sink);
        match over {
            Some(_) => self.close(read, sink),
            None => self.go(Place::Nested(nested), read),
        }
    }

    fn word(&mut self, rest: &str, at: usize, sink: &mut impl Sink) -> usize {
        let over = rest.bytes().position(|byte| !in_word(byte));
        let read = over.unwrap_or(rest.len());
        if read > 0 {
            self.say(ToolUse::ParamDelta(&rest[..read]), sink);
        }
        let Some(next) = over.map(|over| rest.as_bytes()[over]) else { return read };
        if matches!(next, b',' | b'}' | b'/') || WHITE_SPACE.contains(&next.into()) {
            return self.close(read, sink);
        }
        self.say(ToolUse::ParamEnd { closed: false }, sink);
        self.lose(at + read, rest, sink)
    }

    fn close(&mut self, read: usize, sink: &mut impl Sink) -> usize {
        self.say(ToolUse::ParamEnd { closed: true }, sink);
        self.go(Place::Between(Want::Comma), read)
    }

    fn say(&self, event: ToolUse<&str>, sink: &mut impl Sink) {
        if !self.silent {
            sink.event(Event::ToolUse(event));
        }
    }
}

const NULL: &str = "null";

const BYTE_ORDER_MARK: char = '\u{FEFF}';

/// White space as JSON has it.
const WHITE_SPACE: [char; 4] = [' ', '\t', '\n', '\r'];

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

fn flag(kind: DiagnosticKind, at: usize, sink: &mut impl Sink) {
    sink.event(Event::Diagnostic(Diagnostic::new(kind, at)));
}
