//! What a rule is for, in words: that follows from where it stands, what it does, and what it reports.

use super::flags::Flags;
use super::mistake::State;
use super::spec::{Action, Gives, Scope, What};
#[cfg(feature = "json")]
use super::spec::{DialectSpec, Place, Rule};
use crate::event::DiagnosticKind as Told;

impl Action {
    /// The role of a rule of this state, which `needs` this. `opened`: what an opener opens.
    pub(crate) fn role(&self, state: State, needs: Flags, opened: &str) -> String {
        let told = self.note;
        let lost = |of: &str| format!("lost closer of {of}");
        match self.what {
            What::Open(_) => match told {
                _ if self.sets.has(Flags::OWED) => "call whose section's opener is lost".into(),
                Some(Told::MissingOpener) => format!("{opened} whose opener is lost"),
                Some(Told::MissingCloser) if state == State::Section => lost("a call"),
                Some(Told::MissingCloser) => lost(closed(scope(state))),
                Some(Told::MalformedCall | Told::CutOpener) => {
                    format!("half an opener of {opened}")
                }
                _ => format!("opener of {opened}"),
            },
            What::Param(..) => "opener of an argument".into(),
            What::Name => "name of an argument".into(),
            What::Close(_) if told == Some(Told::MismatchedCloser) => {
                "closer of an argument under another name".into()
            }
            What::Close(of) if state == State::Body && self.before => {
                format!("end of {} before its own", closed(of))
            }
            // A section of what stands after an object ends with what ends the call of that.
            What::Close(Scope::Section) if state == State::Section && told.is_some() => {
                lost("a call")
            }
            What::Close(of) if of != scope(state) || told == Some(Told::MissingCloser) => {
                lost(closed(scope(state)))
            }
            What::Close(of) => format!("closer of {}", closed(of)),
            What::Orphan(of) => format!("closer of {} that nothing opened", closed(of)),
            What::Mark => markup(told, needs).into(),
            What::Unexpected => "what does not belong here".into(),
            What::Pass if self.sets.has(Flags::DOUBTFUL) => "data that looks like a call".into(),
            What::Pass if self.sets.has(Flags::SUSPECTED) => "data that looks like a marker".into(),
            What::Pass => "data".into(),
            What::Reject => "text that looks like an opener".into(),
            What::Rest if told == Some(Told::FabricatedResult) => {
                "result that the model invents".into()
            }
            What::Rest => "end of what is read".into(),
        }
    }
}

#[cfg(feature = "json")]
impl DialectSpec {
    /// The role of a rule of this state.
    pub(super) fn role(&self, state: State, rule: &Rule) -> String {
        let opened = match rule.action.what {
            What::Open(place) => self.opened(place),
            _ => "",
        };
        rule.action.role(state, rule.needs, opened)
    }

    fn opened(&self, place: Place) -> &'static str {
        match place {
            Place::Prose(kind) => {
                opened_prose(self.prose.get(usize::from(kind)).is_some_and(|kind| kind.reasoning))
            }
            Place::Section(kind) => {
                opened_section(self.sections.get(usize::from(kind)).is_some_and(|kind| kind.calls))
            }
            Place::Call(_) => CALL,
            Place::Body(kind) => {
                opened_body(self.bodies.get(usize::from(kind)).map(|body| &body.gives))
            }
        }
    }
}

pub(crate) const CALL: &str = "a call";

pub(crate) fn opened_prose(reasoning: bool) -> &'static str {
    if reasoning { "reasoning" } else { "text" }
}

pub(crate) fn opened_section(calls: bool) -> &'static str {
    if calls { "a section" } else { "what stands between" }
}

pub(crate) fn opened_body(gives: Option<&Gives>) -> &'static str {
    match gives {
        Some(Gives::Call | Gives::OnlyCall) => "a call that is an object",
        Some(Gives::Nothing | Gives::NoParams(_)) => "an object that is no call",
        _ => "the arguments",
    }
}

/// Markup of its own.
fn markup(told: Option<Told>, needs: Flags) -> &'static str {
    match told {
        Some(Told::MalformedCall) => "half a call",
        Some(Told::CutOpener) => "half an opener at the end",
        Some(Told::RepairedJson) => "brace too many",
        _ if needs.has(Flags::OWED) => "closer of a section whose opener is lost",
        _ if needs.has(Flags::STREAM_START) => "opener that is there already",
        _ if needs.has(Flags::SECTION_START) => "what may stand before the first call",
        _ => "markup",
    }
}

/// What a state is of.
fn scope(state: State) -> Scope {
    match state {
        State::Prose => Scope::Prose,
        State::Section => Scope::Section,
        State::Call => Scope::Call,
        State::Value => Scope::Value,
        State::Body => Scope::Body,
    }
}

fn closed(scope: Scope) -> &'static str {
    match scope {
        Scope::Value => "an argument",
        Scope::Body => "an object",
        Scope::String => "a string",
        Scope::Call => "a call",
        Scope::Section => "a section",
        Scope::Prose => "reasoning or a message",
    }
}
