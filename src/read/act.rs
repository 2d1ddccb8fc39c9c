//! Acts: the answers of a family's readers. They are done in [`prose`](super::prose), [`section`](super::section),
//! [`call`](super::call) and [`value`](super::value).

use crate::event::DiagnosticKind;
use crate::read::cursor::Note;
use crate::read::ids::UNKNOWN;

/// The kind of openers and closers of sections. A closer of this kind cancels a rejected opener of it.
pub(crate) const SECTIONS: u8 = 1;
/// The kind of openers and closers of calls.
pub(crate) const CALLS: u8 = 0;

/// Kinds of messages: none is open; one of text or reasoning is.
pub(crate) const CLOSED: u8 = 0;
pub(crate) const OPEN: u8 = 1;
// A family numbers its own kinds from 2 on. The machine knows these kinds of messages, which steps make:
/// A thought: reasoning without tags.
pub(crate) const THOUGHT: u8 = 252;
/// Reasoning in tags within a thought. The thought goes on behind it.
pub(crate) const IN_THOUGHT: u8 = 253;
/// The answer: text in which no call counts, and no tags of reasoning.
pub(crate) const ANSWER: u8 = 254;

/// The place that an opener opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// Between calls, in a section of this kind.
    Section(u8),
    /// A call of this kind.
    Call(u8),
    /// An object; the last byte of the marker is its brace.
    Body(u8),
}

/// The opener of a call, of a section, or of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Opener<'t> {
    pub place: Place,
    pub name: &'t str,
    pub tool: u16,
    pub id: Option<&'t str>,
    /// The suffix of the call's tags, kept for its other tags; empty if they have none.
    pub element: &'t str,
    pub note: Note,
    /// The section of the call has no opener: its closer is owed.
    pub owed: bool,
    /// The opener also ends the call.
    pub whole: bool,
    /// The place begins before the opener, and the opener is read again.
    pub before: bool,
}

impl<'t> Opener<'t> {
    pub fn new(place: Place) -> Opener<'t> {
        Opener {
            place,
            name: "",
            tool: UNKNOWN,
            id: None,
            element: "",
            note: None,
            owed: false,
            whole: false,
            before: false,
        }
    }

    pub fn named(self, name: &'t str, tool: u16) -> Opener<'t> {
        Opener { name, tool, ..self }
    }

    pub fn note(self, note: DiagnosticKind) -> Opener<'t> {
        Opener { note: Some(note), ..self }
    }
}

/// A marker in text or in reasoning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InText<'t> {
    Open(Opener<'t>),
    /// Markup.
    Mark(Note),
    /// A closer of a section: owed to the call before it, or an orphan.
    Closer(u8),
    /// An orphan closer, even if a closer is owed.
    Orphan(u8),
    /// The token that ends a call behind its closer: markup if the closer of the call's section is owed, else an orphan closer.
    CallEnd,
    /// A parameter's closer: markup, if no opener was rejected.
    StrayCloser,
    /// A result that the model invents. Nothing counts behind it.
    Rest(DiagnosticKind),
    /// A message of this kind begins, or a message has ended.
    Message {
        kind: u8,
        reasoning: bool,
        note: Note,
    },
    /// Payload that looks like a marker.
    Data(Note),
    /// A line of back-ticks that opens or closes a code fence: text.
    Fence {
        opens: bool,
    },
    /// A code fence around a step opens or closes: markup.
    Wrap {
        opens: bool,
    },
    /// A step that calls no tool: text follows.
    NoCall(DiagnosticKind),
    /// Reasoning opens, or closes.
    Think,
    EndThink,
}

/// A marker between calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InSection<'t> {
    Open(Opener<'t>),
    /// A bracket around the objects.
    Bracket,
    /// A surplus brace.
    Brace,
    Mark(Note),
    /// The beginning of a malformed call, which does not count as a call of the section. An object of this
    /// kind may follow.
    Malformed(Option<u8>),
    Close(Note),
    /// The end of the section: a message of this kind goes on, or none.
    Message {
        kind: u8,
        note: Note,
    },
    /// The end of a call without a section, behind its object. The closer of its section is owed.
    Over {
        note: Note,
        before: bool,
    },
}

/// A marker between parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InCall<'t> {
    /// The opener of a parameter, whose value is of this kind.
    Param { kind: u8, name: &'t str, hint: Option<&'t str>, note: Note },
    /// The name of a parameter whose value has an opener of its own. `broken`: it is not a name.
    Key { name: &'t str, hint: Option<&'t str>, note: Note, broken: bool },
    /// The opener of a value. `before`: it was forgotten, and the value begins here.
    Value { kind: u8, note: Note, before: bool },
    /// The type of the value whose name came before.
    Hint(&'t str),
    /// An object with all arguments.
    Object(u8),
    /// The whole input of the call begins here, as text: a value of this kind. `fenced`: with a code fence.
    Input { kind: u8, fenced: bool },
    /// The next declared parameter that was not given yet begins here, with a value of this kind.
    Next { kind: u8 },
    /// The call goes on as one of this kind.
    Then(u8),
    /// The call ended before this text, without its closer: it is broken.
    Lost,
    /// The closer of the call, or of more.
    Close { scope: Scope, note: Note, before: bool },
    /// Markup.
    Mark,
    /// Text that is not a parameter. It is reported once a run.
    Stray(DiagnosticKind),
}

/// The places that a closer closes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    Value,
    Call,
    Section,
}

/// A marker in a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InValue<'t> {
    Close(Closer),
    /// Data that looks like a marker, reported once a call. `quotes`: the opener of a call.
    Suspect {
        doubtful: bool,
    },
    /// An element of the value begins, with this name if the family needs it; or an element ends. Both are
    /// data.
    Nests {
        name: &'t str,
        suspect: bool,
    },
    Unnests,
    /// A line of back-ticks that opens or closes a code fence: data.
    Fence {
        opens: bool,
    },
}

/// The end of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Closer {
    pub scope: Scope,
    pub note: Note,
    /// The value ends before the marker, which is read again.
    pub before: bool,
    /// The call is not whole.
    pub broken: bool,
    /// The call goes on between its parameters, as a call of this kind.
    pub then: Option<u8>,
}

impl Closer {
    /// The value's own closer.
    pub const OWN: Closer =
        Closer { scope: Scope::Value, note: None, before: false, broken: false, then: None };
    /// The closer of the call. The closer of the value was forgotten.
    pub const BOTH: Closer =
        Closer { scope: Scope::Call, note: Some(DiagnosticKind::MissingCloser), ..Closer::OWN };
    /// The value ends before the marker that stands here.
    pub const BEFORE: Closer = Closer { before: true, scope: Scope::Value, ..Closer::BOTH };

    pub const fn note(self, note: DiagnosticKind) -> Closer {
        Closer { note: Some(note), ..self }
    }
}
