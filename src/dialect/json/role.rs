//! What a rule is for, in words: that follows from where it stands, what it does, and what it reports.

use super::super::check::State;
use super::super::flags::Flags;
use super::super::spec::{DialectSpec, Gives, Place, Rule, Scope, What};
use crate::event::DiagnosticKind as Told;

impl DialectSpec {
    /// The role of a rule of this state.
    pub(super) fn role(&self, state: State, rule: &Rule) -> String {
        let told = rule.action.note;
        let lost = |of: &str| format!("lost closer of {of}");
        match rule.action.what {
            What::Open(place) => {
                let opened = self.opened(place);
                match told {
                    _ if rule.action.sets.has(Flags::OWED) => {
                        "call whose section's opener is lost".into()
                    }
                    Some(Told::MissingOpener) => format!("{opened} whose opener is lost"),
                    Some(Told::MissingCloser) if state == State::Section => lost("a call"),
                    Some(Told::MissingCloser) => lost(closed(scope(state))),
                    Some(Told::MalformedCall | Told::CutOpener) => {
                        format!("half an opener of {opened}")
                    }
                    _ => format!("opener of {opened}"),
                }
            }
            What::Param(..) => "opener of an argument".into(),
            What::Name => "name of an argument".into(),
            What::Close(_) if told == Some(Told::MismatchedCloser) => {
                "closer of an argument under another name".into()
            }
            What::Close(of) if state == State::Body && rule.action.before => {
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
            What::Mark => markup(rule).into(),
            What::Unexpected => "what does not belong here".into(),
            What::Pass if rule.action.sets.has(Flags::DOUBTFUL) => {
                "data that looks like a call".into()
            }
            What::Pass if rule.action.sets.has(Flags::SUSPECTED) => {
                "data that looks like a marker".into()
            }
            What::Pass => "data".into(),
            What::Reject => "text that looks like an opener".into(),
            What::Rest if told == Some(Told::FabricatedResult) => {
                "result that the model invents".into()
            }
            What::Rest => "end of what is read".into(),
        }
    }

    fn opened(&self, place: Place) -> &'static str {
        match place {
            Place::Prose(kind) => match self.prose.get(usize::from(kind)) {
                Some(prose) if prose.reasoning => "reasoning",
                _ => "text",
            },
            Place::Section(kind) => match self.sections.get(usize::from(kind)) {
                Some(section) if section.calls => "a section",
                _ => "what stands between",
            },
            Place::Call(_) => "a call",
            Place::Body(kind) => match self.bodies.get(usize::from(kind)).map(|body| &body.gives) {
                Some(Gives::Call | Gives::OnlyCall) => "a call that is an object",
                Some(Gives::Nothing | Gives::NoParams(_)) => "an object that is no call",
                _ => "the arguments",
            },
        }
    }
}

/// Markup of its own.
fn markup(rule: &Rule) -> &'static str {
    match rule.action.note {
        Some(Told::MalformedCall) => "half a call",
        Some(Told::CutOpener) => "half an opener at the end",
        Some(Told::RepairedJson) => "brace too many",
        _ if rule.needs.has(Flags::OWED) => "closer of a section whose opener is lost",
        _ if rule.needs.has(Flags::STREAM_START) => "opener that is there already",
        _ if rule.needs.has(Flags::STREAM_START) => "opener that is there already",
        _ if rule.needs.has(Flags::SECTION_START) => "what may stand before the first call",
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
