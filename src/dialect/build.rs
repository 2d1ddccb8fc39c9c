//! Rules and patterns as tables write them: [`rule`] and its methods, [`pattern!`](crate::pattern).

use super::spec::{
    Action, At, AtEnd, Chars, DialectSpec, Flags, Known, Name, Named, Of, Pattern, Piece, Place,
    Ref, Rule, Run, Scope, Text, ToolLine, Trial, What,
};
use crate::event::DiagnosticKind;

impl DialectSpec {
    /// The same dialect, which also reads what these rules of text open, in the states of another table.
    pub(crate) fn also(mut self, mut other: DialectSpec, text: Vec<Rule>) -> DialectSpec {
        let DialectSpec { sections, calls, values, bodies, .. } = &self;
        let counts = [sections.len(), calls.len(), values.len(), bodies.len()];
        let [section, call, value, body] = counts.map(|count| count as u8);
        let place = |place: Place| match place {
            Place::Prose(_) => place,
            Place::Section(kind) => Place::Section(section + kind),
            Place::Call(kind) => Place::Call(call + kind),
            Place::Body(kind) => Place::Body(body + kind),
        };
        let moved = |rule: &mut Rule| {
            rule.action.what = match rule.action.what {
                What::Open(opens) => What::Open(place(opens)),
                What::Param(kind, named) => What::Param(value + kind, named),
                what => what,
            };
            rule.action.then = rule.action.then.map(place);
        };
        other.prose[0].rules = text;
        other.rules_mut().for_each(moved);
        let mut text = std::mem::take(&mut other.prose[0].rules);
        text.append(&mut self.prose[0].rules);
        self.prose[0].rules = text;
        other.bodies.iter_mut().for_each(|body| body.then = body.then.map(place));
        self.sections.extend(other.sections);
        self.calls.extend(other.calls);
        self.values.extend(other.values);
        self.bodies.extend(other.bodies);
        self
    }
}

/// A [`Pattern`]: pieces in a row, texts as literals.
macro_rules! pattern {
    ($($piece:expr),* $(,)?) => { vec![$($crate::dialect::spec::Piece::from($piece.clone())),*] };
}

pub(crate) use pattern;

/// A rule that does nothing yet: its marker counts by itself and anywhere, and is markup.
pub(crate) fn rule(mark: Pattern) -> Rule {
    Rule {
        mark,
        follow: Vec::new(),
        needs: Flags::NONE,
        not: Flags::NONE,
        at_end: AtEnd::Payload,
        fixed: 0,
        noise: false,
        action: Action::default(),
    }
}

/// The same at the start of a state.
pub(crate) fn start(mark: Pattern) -> Rule {
    rule([pattern![At::Start], mark].concat())
}

/// Anything up to a text.
pub(crate) fn until(to: impl Into<Text>, unless: &[impl Into<Text> + Clone]) -> Piece {
    let unless = unless.iter().cloned().map(Into::into).collect();
    Piece::Until { to: to.into(), unless, words: Vec::new(), within: 0 }
}

impl Rule {
    /// What may come after the marker, each after white space.
    #[must_use]
    pub fn follow(mut self, follow: impl IntoIterator<Item = Pattern>) -> Rule {
        self.follow.extend(follow);
        self
    }

    /// It counts where all of these hold.
    #[must_use]
    pub fn needs(mut self, flags: Flags) -> Rule {
        self.needs = self.needs | flags;
        self
    }

    /// It does not count where one of these holds.
    #[must_use]
    pub fn not(mut self, flags: Flags) -> Rule {
        self.not = self.not | flags;
        self
    }

    /// What the end of the stream decides.
    #[must_use]
    pub fn at_end(mut self, at_end: AtEnd) -> Rule {
        self.at_end = at_end;
        self
    }

    /// So many pieces make it a rejected opener, or enough of one.
    #[must_use]
    pub fn fixed(mut self, pieces: u8) -> Rule {
        self.fixed = pieces;
        self
    }

    /// It is no marker of a well-formed call.
    #[must_use]
    pub fn noise(mut self) -> Rule {
        self.noise = true;
        self
    }

    /// What is reported.
    #[must_use]
    pub fn note(mut self, note: DiagnosticKind) -> Rule {
        self.action.note = Some(note);
        self
    }

    /// What holds from here on.
    #[must_use]
    pub fn sets(mut self, flags: Flags) -> Rule {
        self.action.sets = self.action.sets | flags;
        self
    }

    /// What no longer holds.
    #[must_use]
    pub fn clears(mut self, flags: Flags) -> Rule {
        self.action.clears = self.action.clears | flags;
        self
    }

    /// It acts before the marker, which is read again in the state that follows.
    #[must_use]
    pub fn before(mut self) -> Rule {
        self.action.before = true;
        self
    }

    /// The state that follows.
    #[must_use]
    pub fn then(mut self, place: Place) -> Rule {
        self.action.then = Some(place);
        self
    }

    /// What it does.
    #[must_use]
    pub fn does(mut self, what: What) -> Rule {
        self.action.what = what;
        self
    }

    /// This opens.
    #[must_use]
    pub fn open(self, place: Place) -> Rule {
        self.does(What::Open(place))
    }

    /// This closes.
    #[must_use]
    pub fn close(self, scope: Scope) -> Rule {
        self.does(What::Close(scope))
    }

    /// A parameter begins, named by the marker.
    #[must_use]
    pub fn param(self, kind: u8) -> Rule {
        self.does(What::Param(kind, Named::Captured))
    }
}

impl From<&'static str> for Piece {
    fn from(text: &'static str) -> Piece {
        Piece::Lit(Text::Borrowed(text))
    }
}

impl From<&[&'static str]> for Piece {
    fn from(texts: &[&'static str]) -> Piece {
        Piece::Any(texts.iter().map(|text| (*text).into()).collect())
    }
}

impl From<Text> for Piece {
    fn from(text: Text) -> Piece {
        Piece::Lit(text)
    }
}

impl From<Vec<Text>> for Piece {
    fn from(mut texts: Vec<Text>) -> Piece {
        match (texts.pop(), texts.is_empty()) {
            (Some(text), true) => Piece::Lit(text),
            (last, _) => Piece::Any(texts.into_iter().chain(last).collect()),
        }
    }
}

impl From<String> for Piece {
    fn from(text: String) -> Piece {
        Piece::Lit(Text::Owned(text))
    }
}

macro_rules! pieces {
    ($($of:ident => $piece:ident),*) => {
        $(impl From<$of> for Piece {
            fn from(of: $of) -> Piece {
                Piece::$piece(of)
            }
        })*
    };
}

pieces!(Name => Name, Ref => Ref, At => At, Run => Run, Trial => Object, ToolLine => ToolLine);

/// Names as the built-in dialects write them.
impl Name {
    const fn of(of: Of, chars: Chars) -> Name {
        Name {
            of,
            chars,
            quoted: None,
            known: Known::Any,
            prefix: Text::Borrowed(""),
            optional: false,
            not: Vec::new(),
            entities: false,
            word: false,
            glued: false,
        }
    }

    /// A tool's name.
    pub const fn tool() -> Name {
        Name::of(Of::Tool, Chars::NAME)
    }

    /// A tool's name with an index, which is the call's id.
    pub const fn tool_id() -> Name {
        Name::of(Of::ToolId, Chars::NAME)
    }

    /// A parameter's name.
    pub const fn param() -> Name {
        Name::of(Of::Param, Chars::NAME)
    }

    /// The name of an element: ASCII letters, digits and `_ . -`.
    pub const fn element() -> Name {
        Name::of(Of::Element, Chars::WORD)
    }

    /// The call's id.
    pub const fn id() -> Name {
        Name::of(Of::Id, Chars::NAME)
    }

    /// The type of the value that follows.
    pub const fn hint() -> Name {
        Name::of(Of::Hint, Chars::WORD)
    }

    /// Made of these characters.
    #[must_use]
    pub fn chars(self, chars: Chars) -> Name {
        Name { chars, ..self }
    }

    /// Perhaps in quotes, made of the same characters.
    #[must_use]
    pub fn maybe_quoted(self) -> Name {
        Name { quoted: Some(self.chars), ..self }
    }

    /// The value of an attribute: in quotes, or a bare word.
    #[must_use]
    pub fn attribute(self) -> Name {
        Name { chars: Chars::BARE, quoted: Some(Chars::QUOTED), ..self }
    }

    /// What follows may stand right behind it.
    #[must_use]
    pub fn glued(self) -> Name {
        Name { glued: true, ..self }
    }

    /// Perhaps nothing.
    #[must_use]
    pub fn optional(self) -> Name {
        Name { optional: true, ..self }
    }

    /// The most bytes that it has with its prefix and its index.
    pub(crate) fn longest(&self) -> usize {
        const INDEX: usize = ":18446744073709551615".len();
        let index = if self.of == Of::ToolId { INDEX } else { 0 };
        self.prefix.len() + crate::bounds::NAME + index
    }

    /// Without this at its beginning, where it is there.
    #[must_use]
    pub fn prefix(self, prefix: impl Into<Text>) -> Name {
        Name { prefix: prefix.into(), ..self }
    }

    /// Only these names fit.
    #[must_use]
    pub fn known(self, known: Known) -> Name {
        Name { known, ..self }
    }
}

/// A run of ASCII letters, possibly none.
pub(crate) const LETTERS: Run = Run { chars: Chars::LETTERS, min: 0, max: 128 };

/// One of these characters.
pub(crate) const fn one(chars: Chars) -> Run {
    Run { chars, min: 1, max: 1 }
}

/// The same of a list.
pub(crate) const fn one_of(list: &str) -> Run {
    one(Chars::only(list))
}

/// The elements of a follow set, each after `before`.
pub(crate) fn prefixed(before: Pattern, follow: &[Pattern]) -> Vec<Pattern> {
    follow.iter().map(|element| [&*before, element].concat()).collect()
}
