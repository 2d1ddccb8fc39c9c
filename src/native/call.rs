//! A call of a provider's stream: its arguments so far, and the part of them that may leave.
//!
//! ```text
//! text := ws* placeholder? body tail        placeholder := "null" | "{}", a fragment of its own
//! tail := ws* "}"? ws* (body ws* "}"?)? ws*  ignored; anything else belongs to the text
//! ```
//! The whole text is kept until the message ends, because only so a repetition can be told from a
//! contradiction.

use serde_json::Value;

use crate::event::{Cause, DiagnosticKind, Status};
use crate::json::lexer::{Lexer, Token};
use crate::options::bounds;
use crate::repair::{self, ArgumentsErrorKind, Repairs};

/// A call, named or not yet.
#[derive(Clone, Debug, Default)]
pub(super) struct NativeCall {
    pub phase: CallPhase,
    /// Its number among the calls of the message, once it has a name.
    pub index: Option<usize>,
    pub name: String,
    pub id: Option<String>,
    /// The id came when the call's one parameter was open.
    pub late_id: bool,
    /// The arguments are no JSON but the text of one parameter (a custom tool's).
    pub free_text: bool,
    pub closing: Closing,
    /// The provider announced more.
    pub owed: bool,
    /// Data that goes back to the provider with the call.
    pub opaque: Option<String>,
    /// The diagnostic for which the call must not run, whatever its arguments are.
    pub broken: Option<DiagnosticKind>,
    /// The bytes of the call that count as pending.
    pub held: usize,
    /// The whole text, without a placeholder that was dropped.
    text: String,
    /// Up to where the text went out.
    sent: usize,
    /// The text is more than white space.
    started: bool,
    /// The text is a placeholder so far, `null` or `{}` in one fragment: it waits.
    placeholder: bool,
    scan: Scan,
    /// `{}` came twice.
    doubled: bool,
    /// The length of the text at the call's `End`.
    settled: usize,
    /// The text as a value, once it had to be compared.
    parsed: Option<Value>,
}

/// Phase of a call on its way out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum CallPhase {
    /// No name came yet.
    #[default]
    Unnamed,
    /// Its name may be the first piece of a longer one.
    Guess,
    /// Its name is whole; an earlier call is still open.
    Waiting,
    /// Its `Start` went out.
    Open,
    /// Its `End` went out.
    Ended,
    /// The call emits no event any more, or ever.
    Dead,
}

/// The provider's word about the call's end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Closing {
    /// The provider has not ended it.
    #[default]
    Open,
    /// The call is over, but the provider may repeat or contradict it.
    Closed,
    /// The call is over for good.
    Final,
}

/// State of the arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BodyState {
    /// No arguments came, or `null`.
    Empty,
    Open,
    Closed,
}

/// The verdict on a repetition of the whole arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Repeat<'t> {
    /// The repetition equals the arguments.
    Same,
    /// The repetition begins with the arguments, and this text follows.
    Rest(&'t str),
    /// The repetition differs.
    Other,
}

/// The reading of the body.
#[derive(Clone, Debug, Default)]
enum Scan {
    /// Its first byte did not come.
    #[default]
    Before,
    /// The arguments are read up to this byte, at this depth of brackets.
    At(usize, Lexer, usize),
    /// The object ends before this byte.
    End(usize),
    /// The arguments begin like nothing with a visible end.
    Shapeless,
}

impl NativeCall {
    pub fn new(id: Option<&str>) -> NativeCall {
        NativeCall { id: id.map(String::from), ..NativeCall::default() }
    }

    /// Takes a fragment of the arguments.
    pub fn push(&mut self, fragment: &str) {
        if self.phase == CallPhase::Ended && self.text.len() > 2 * self.settled + bounds::ARGUMENTS
        {
            // It is longer than a repetition can be: the bytes so far are enough to report it.
            return;
        }
        self.parsed = None;
        if self.free_text {
            return self.text.push_str(fragment);
        }
        let blank = bare(fragment).is_empty();
        if self.placeholder && !blank {
            self.end_placeholder(fragment);
        }
        let first = !self.started && !blank;
        self.started |= !blank;
        self.text.push_str(fragment);
        if first && self.phase != CallPhase::Ended {
            self.placeholder = matches!(bare(&self.text), "null" | "{}");
        }
        if self.started {
            self.scan();
        }
    }

    /// A fragment follows the placeholder.
    fn end_placeholder(&mut self, fragment: &str) {
        self.placeholder = false;
        if bare(fragment).starts_with('{') {
            self.doubled |= bare(&self.text) == "{}" && bare(fragment) == "{}";
            self.text.clear();
            self.started = false;
            self.scan = Scan::Before;
        }
    }

    fn scan(&mut self) {
        if let Scan::Before = self.scan {
            let begin = self.text.len() - self.text.trim_start_matches(is_white).len();
            self.scan = match self.text.as_bytes().get(begin) {
                Some(b'{' | b'"') => Scan::At(begin, Lexer::default(), 0),
                _ => Scan::Shapeless,
            };
        }
        while let Scan::At(at, lexer, depth) = &mut self.scan {
            if *at == self.text.len() {
                return;
            }
            let (read, token) = lexer.next(&self.text[*at..]);
            *at += read;
            match token {
                Token::Open(_) => *depth += 1,
                Token::Close(_) => *depth = depth.saturating_sub(1),
                Token::StringEnd => {}
                _ => continue,
            }
            if *depth == 0 {
                self.scan = Scan::End(*at);
            }
        }
    }

    /// Takes the arguments that may leave and have not. They count as sent.
    pub fn take_ready(&mut self) -> &str {
        let to = match self.scan {
            _ if self.free_text => self.text.len(),
            _ if self.placeholder || !self.started => self.sent,
            Scan::End(end) => end,
            _ => self.text.len(),
        };
        let from = self.sent;
        self.sent = to.max(from);
        &self.text[from..self.sent]
    }

    pub fn body(&self) -> BodyState {
        match self.scan {
            _ if !self.started || self.is_nothing() => BodyState::Empty,
            Scan::End(_) => BodyState::Closed,
            _ => BodyState::Open,
        }
    }

    /// Whether the arguments are whole by themselves. A placeholder may still be dropped.
    pub fn is_whole(&self) -> bool {
        !self.free_text && !self.placeholder && matches!(self.scan, Scan::End(_))
    }

    /// Whether the arguments are `{}` so far, and may be dropped.
    pub fn is_empty_object(&self) -> bool {
        self.placeholder && matches!(self.scan, Scan::End(_))
    }

    /// Returns the number of bytes that came.
    pub fn len(&self) -> usize {
        self.text.len()
    }

    /// Whether the last byte of the body came: bytes behind it are pending.
    pub fn in_tail(&self) -> bool {
        self.is_whole()
    }

    /// Drops the bytes that came.
    pub fn forget(&mut self) {
        self.phase = CallPhase::Dead;
        self.text = String::new();
        self.parsed = None;
    }

    /// Ends the call. Returns its status, and the mistake in its arguments. `cut`: more of it might have
    /// come.
    pub fn settle(&mut self, cut: bool) -> (Status, Option<DiagnosticKind>) {
        let waits = std::mem::take(&mut self.placeholder);
        self.settled = self.text.len();
        let at_the_end = (Status::Incomplete(Cause::EndOfStream), None);
        let cut = self.owed || cut;
        let nothing = self.is_nothing();
        let (status, problem) = match self.scan {
            _ if self.free_text && cut => at_the_end,
            _ if self.free_text => (Status::Complete, None),
            // The arguments in place of a placeholder did not come.
            _ if (nothing || waits) && cut => {
                (at_the_end.0, Some(DiagnosticKind::MissingArguments))
            }
            _ if nothing => (Status::Complete, None),
            Scan::End(end) => (Status::Complete, self.settle_tail(end)),
            _ if self.owed || is_open(&self.text) => at_the_end,
            _ => (Status::Complete, None),
        };
        if self.broken.is_some() {
            return (Status::Incomplete(Cause::Broken), problem);
        }
        (status, problem)
    }

    /// Decides about a tail. If it is not a repetition, it belongs to the text, and makes the text unreadable.
    fn settle_tail(&mut self, end: usize) -> Option<DiagnosticKind> {
        let repeats = std::mem::take(&mut self.doubled);
        match tail(&self.text, end) {
            Tail::Copy => Some(DiagnosticKind::TrailingArguments),
            Tail::Nothing => repeats.then_some(DiagnosticKind::TrailingArguments),
            Tail::Other => {
                self.scan = Scan::Shapeless;
                None
            }
        }
    }

    /// Returns the diagnostic for input behind the call's `End`.
    pub fn late(&self) -> Option<DiagnosticKind> {
        if self.phase != CallPhase::Ended || bare(&self.text[self.settled..]).is_empty() {
            return None;
        }
        match self.scan {
            Scan::End(end) if end <= self.settled => match tail(&self.text, end) {
                Tail::Nothing => None,
                Tail::Copy => Some(DiagnosticKind::TrailingArguments),
                Tail::Other => Some(DiagnosticKind::MalformedArguments),
            },
            _ => Some(DiagnosticKind::MalformedArguments),
        }
    }

    /// Compares the text with the provider's whole text.
    pub fn compare<'t>(&mut self, whole: &'t str) -> Repeat<'t> {
        // Nothing repeats nothing: some servers leave it out.
        let says_nothing = whole.is_empty() || !self.free_text && bare(whole).is_empty();
        if says_nothing || self.text == whole {
            return Repeat::Same;
        }
        if self.free_text {
            return whole.strip_prefix(&*self.text).map_or(Repeat::Other, Repeat::Rest);
        }
        if !self.started || self.placeholder && bare(whole).starts_with('{') {
            return Repeat::Rest(whole);
        }
        if let Some(rest) = whole.strip_prefix(&*self.text) {
            return Repeat::Rest(rest);
        }
        let body = if let Scan::End(end) = self.scan { &self.text[..end] } else { "" };
        if body == whole || self.is_same_json(whole) { Repeat::Same } else { Repeat::Other }
    }

    fn is_same_json(&mut self, whole: &str) -> bool {
        if self.parsed.is_none() {
            let end = if let Scan::End(end) = self.scan { end } else { self.text.len() };
            self.parsed = serde_json::from_str(&self.text[..end]).ok();
        }
        self.parsed.is_some() && serde_json::from_str(whole).ok() == self.parsed
    }

    fn is_nothing(&self) -> bool {
        !self.started || self.text.len() <= NOTHING && bare(&self.text) == "null"
    }
}

/// The white space around `null` that is examined: with more of it, no program wrote the `null`.
const NOTHING: usize = 64;

enum Tail {
    Nothing,
    Copy,
    Other,
}

fn tail(text: &str, end: usize) -> Tail {
    let (body, tail) = text.split_at(end);
    let (body, tail) = (bare(body), bare(tail));
    let after_brace = tail.strip_prefix('}').map(bare);
    let copy = after_brace.unwrap_or(tail);
    let stripped = if after_brace.is_none() { copy.strip_suffix('}').map(bare) } else { None };
    if copy.is_empty() {
        Tail::Nothing
    } else if is_copy(copy, body) || stripped.is_some_and(|copy| is_copy(copy, body)) {
        Tail::Copy
    } else {
        Tail::Other
    }
}

fn is_copy(copy: &str, body: &str) -> bool {
    let value = |text| serde_json::from_str::<Value>(text).ok();
    copy == body || value(copy).is_some_and(|copy| Some(copy) == value(body))
}

/// Whether the text ends inside its value, whichever repairs are allowed.
fn is_open(text: &str) -> bool {
    let read = repair::arguments(text, Repairs::Default);
    read.is_err_and(|error| error.kind == ArgumentsErrorKind::Truncated)
}

/// Returns a body without white space and a byte order mark around it.
fn bare(text: &str) -> &str {
    text.trim_matches(is_white)
}

fn is_white(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(pieces: &[&str]) -> NativeCall {
        let mut call = NativeCall { phase: CallPhase::Open, ..NativeCall::default() };
        pieces.iter().for_each(|piece| call.push(piece));
        call
    }

    const WHOLE: (Status, Option<DiagnosticKind>) = (Status::Complete, None);
    const CUT: (Status, Option<DiagnosticKind>) = (Status::Incomplete(Cause::EndOfStream), None);
    const TWICE: (Status, Option<DiagnosticKind>) =
        (Status::Complete, Some(DiagnosticKind::TrailingArguments));

    /// Returns the pieces of the arguments, the parts that may leave, and the call's end by the model and by
    /// a cut.
    #[test]
    fn arguments_in_pieces() {
        use BodyState::{Closed, Empty, Open};
        let missing = (CUT.0, Some(DiagnosticKind::MissingArguments));
        for (pieces, ready, body, ended, cut) in [
            (&[][..], "", Empty, WHOLE, missing),
            (&[" "], "", Empty, WHOLE, missing),
            (&["null"], "", Empty, WHOLE, missing),
            (&["nu", "ll"], "null", Empty, WHOLE, missing),
            (&["{}"], "", Closed, WHOLE, missing),
            (&["{", "}"], "{}", Closed, WHOLE, WHOLE),
            (&["{}", " "], "", Closed, WHOLE, missing),
            (&["{}", "{}"], "", Closed, TWICE, missing),
            (&["null", "{}"], "", Closed, WHOLE, missing),
            (&["{}", "{\"a\": 1}"], "{\"a\": 1}", Closed, WHOLE, WHOLE),
            (&["{}", "{", "}"], "{}", Closed, WHOLE, WHOLE),
            (&["{\"a\": 1}", "{\"a\":1}"], "{\"a\": 1}", Closed, TWICE, TWICE),
            (&["{\"a\": 1}", " }"], "{\"a\": 1}", Closed, WHOLE, WHOLE),
            (&["{\"a\": "], "{\"a\": ", Open, CUT, CUT),
            (&["[1, 2]"], "[1, 2]", Open, WHOLE, WHOLE),
            (&["[1, "], "[1, ", Open, CUT, CUT),
        ] {
            let mut one = call(pieces);
            assert_eq!((one.body(), one.take_ready()), (body, ready), "{pieces:?}");
            let waits = pieces.contains(&"{}") && ready.is_empty();
            assert_eq!(one.is_empty_object(), waits, "{pieces:?}");
            assert_eq!(one.clone().settle(false), ended, "{pieces:?}");
            assert_eq!(one.settle(true), cut, "{pieces:?}");
        }
        // More is owed: the end of the stream is a cut.
        let mut owed = call(&["{\"a\": "]);
        owed.owed = true;
        assert_eq!(owed.settle(false), CUT);
        let mut free = NativeCall { free_text: true, ..NativeCall::default() };
        free.push("a text");
        assert_eq!((free.clone().settle(false), free.settle(true)), (WHOLE, CUT));
    }

    #[test]
    fn a_repetition_is_compared() {
        use Repeat::{Other, Rest, Same};
        for (pieces, whole, repeat) in [
            (&["{\"a\": 1}"][..], "", Same),
            (&["{\"a\": 1}"], " ", Same),
            (&["{\"a\": 1}"], "{\"a\": 1}", Same),
            (&["{\"a\": 1}"], "{\"a\":1}", Same),
            (&["{\"a\": 1}"], "{\"a\": 2}", Other),
            (&["{\"a\": "], "{\"a\": 1}", Rest("1}")),
            (&["{\"a\": "], "{\"b\": 1}", Other),
            (&[], "{\"a\": 1}", Rest("{\"a\": 1}")),
            (&["{}"], "{\"a\": 1}", Rest("{\"a\": 1}")),
            (&["{}"], "null", Other),
        ] {
            assert_eq!(call(pieces).compare(whole), repeat, "{pieces:?} {whole}");
        }
        let mut free = NativeCall { free_text: true, ..NativeCall::default() };
        free.push("a t");
        assert_eq!(free.compare(""), Same);
        assert_eq!((free.compare("a text"), free.compare(" ")), (Rest("ext"), Other));
    }

    /// Input behind the end: nothing new, a repetition, or a contradiction.
    #[test]
    fn too_late() {
        for (pieces, late, found) in [
            (&["{\"a\": 1}"][..], " ", None),
            (&["{\"a\": 1}"], "}", None),
            (&["{\"a\": 1}"], "{\"a\":1}", Some(DiagnosticKind::TrailingArguments)),
            (&["{\"a\": 1}"], "{\"a\":2}", Some(DiagnosticKind::MalformedArguments)),
            (&["{\"a\": "], "1}", Some(DiagnosticKind::MalformedArguments)),
        ] {
            let mut one = call(pieces);
            one.settle(false);
            assert_eq!(one.late(), None);
            one.phase = CallPhase::Ended;
            one.push(late);
            assert_eq!(one.late(), found, "{pieces:?} {late}");
        }
    }
}
