//! Whether a [`DialectSpec`] makes sense. What a host wrote is checked when a parser is built, so that
//! nothing in it can fail while a model writes.
//!
//! It finds what the machine could not read: markers without a beginning, kinds that are not there,
//! actions in a state that they do not belong to. It does not judge whether the grammar is a good one.

use std::fmt::Display;

use super::spec::{Act, DialectSpec, Only, Pattern, Piece, Rule};
use crate::error::BuildError;
use crate::options::bounds;

/// Most kinds of sections, of calls and of values: a parser numbers those of two dialects in a byte.
const KINDS: usize = 100;
/// Most rules of a state, and elements of a follow set. They are numbered in a byte, too.
const RULES: usize = 255;
/// Most rules of text and reasoning, which two dialects share, with the tags that count there.
const SHARED_RULES: usize = 127;
/// Most pieces of a pattern.
const PIECES: usize = 32;

/// Where a mistake is, and what. Both are put into words only if there is one.
struct Mistake {
    place: String,
    what: String,
}

type Result = std::result::Result<(), Mistake>;

fn demand(holds: bool, what: impl FnOnce() -> String) -> Result {
    match holds {
        true => Ok(()),
        false => Err(Mistake { place: String::new(), what: what() }),
    }
}

trait Within {
    /// The same, in a part of this name.
    fn within(self, part: impl Display) -> Self;
}

impl Within for Result {
    fn within(self, part: impl Display) -> Result {
        self.map_err(|Mistake { place, what }| Mistake { place: format!("{part}{place}"), what })
    }
}

/// Checks each item of a list.
fn each<T>(items: &[T], check: impl Fn(&T) -> Result) -> Result {
    let numbered = |(at, item)| check(item).within(format_args!("[{at}]"));
    items.iter().enumerate().try_for_each(numbered)
}

/// Finds the first mistake.
///
/// # Errors
/// [`BuildError::Spec`].
pub(crate) fn check(spec: &DialectSpec) -> std::result::Result<(), BuildError> {
    find(spec).map_err(|Mistake { place, what }| {
        let dialect = spec.name.to_string();
        BuildError::Spec { dialect, place, what }
    })
}

fn find(spec: &DialectSpec) -> Result {
    let tags = [
        ("reasoning_openers", &spec.reasoning_openers),
        ("reasoning_closers", &spec.reasoning_closers),
        ("boundary", &spec.boundary),
    ];
    for (name, list) in tags {
        each(list, |tag| literal(tag)).within(name)?;
    }
    let (sections, calls, values) = (spec.sections.len(), spec.calls.len(), spec.values.len());
    for (name, count) in [("sections", sections), ("calls", calls), ("values", values)] {
        at_most(KINDS, count).within(name)?;
    }
    let raw = spec.raw.map_or(Ok(()), |raw| kind(raw, "values", values));
    raw.within("raw")?;

    let tags: usize = tags.iter().map(|(_, list)| list.len()).sum();
    at_most(SHARED_RULES, spec.text.len() + tags).within("text")?;
    let rules = |list: &[Rule], state| rules(spec, list, state);
    rules(&spec.text, State::Text).within("text")?;
    each(&spec.sections, |kind| rules(&kind.rules, State::Section).within(".rules"))
        .within("sections")?;
    each(&spec.calls, |list| rules(list, State::Call)).within("calls")?;
    each(&spec.values, |kind| rules(&kind.rules, State::Value).within(".rules"))
        .within("values")?;
    rules(&spec.body, State::Body).within("body")
}

fn rules(spec: &DialectSpec, rules: &[Rule], state: State) -> Result {
    at_most(RULES, rules.len())?;
    each(rules, |rule| {
        mark(&rule.mark).within(".mark")?;
        at_most(RULES, rule.follow.len())
            .and_then(|()| each(&rule.follow, pattern))
            .within(".follow")?;
        at_most(rule.mark.len(), rule.fixed).within(".fixed")?;
        act(spec, rule, state).within(".act")
    })
}

/// A marker is found by its literal beginning.
fn mark(mark: &Pattern) -> Result {
    pattern(mark)?;
    demand(matches!(mark.first(), Some(Piece::Lit(_) | Piece::Tool)), || {
        "it must begin with a literal or with the name of a declared tool".to_string()
    })
}

fn pattern(pattern: &Pattern) -> Result {
    demand(!pattern.is_empty(), || "it is empty".to_string())?;
    at_most(PIECES, pattern.len())?;
    let mut in_tag = false;
    for (at, piece) in pattern.iter().enumerate() {
        let holds = match piece {
            Piece::Lit(text) => {
                let last = text.rfind(['<', '>']).map(|last| &text[last..=last]);
                in_tag = last.map_or(in_tag, |last| last == "<");
                literal(text)
            }
            Piece::Rest => demand(in_tag, || "outside a tag it has no end".to_string()),
            _ => Ok(()),
        };
        holds.within(format_args!("[{at}]"))?;
    }
    let literals = pattern.iter().map(|piece| match piece {
        Piece::Lit(text) => text.len(),
        _ => 0,
    });
    not_too_long(literals.sum())
}

fn literal(text: &str) -> Result {
    demand(!text.is_empty(), || "it is empty".to_string())?;
    not_too_long(text.len())
}

fn not_too_long(bytes: usize) -> Result {
    let most = bounds::TAG;
    demand(bytes <= most, || format!("its {bytes} bytes are too many: at most {most} are read"))
}

fn at_most(most: usize, count: usize) -> Result {
    demand(count <= most, || format!("{count} of them are too many: there may be {most}"))
}

fn kind(number: u8, list: &str, count: usize) -> Result {
    demand((number as usize) < count, || format!("`{list}` has no number {number}, only {count}"))
}

/// The states that have rules of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Text,
    Section,
    Call,
    Value,
    Body,
}

/// The states in which an action means something.
fn states(act: Act) -> &'static [State] {
    match act {
        Act::OpenSection(_)
        | Act::SpareOpener
        | Act::Reject
        | Act::Fabricate
        | Act::OpenReasoning
        | Act::OrphanCall
        | Act::OrphanSection
        | Act::OrphanReasoning => &[State::Text],
        Act::Markup => &[State::Text, State::Section, State::Call],
        Act::OpenCall(_) => &[State::Text, State::Section],
        Act::OpenObject
        | Act::ResumeBody
        | Act::SectionGoesOn(_)
        | Act::SectionGoesOnBefore(_)
        | Act::WholeCall
        | Act::CloseSection => &[State::Section],
        Act::OpenParam(_)
        | Act::OpenOddParam(_)
        | Act::NameParam
        | Act::OpenValue(_)
        | Act::OpenArguments(_)
        | Act::BrokenKey
        | Act::Stray(_)
        | Act::CloseCall
        | Act::EndCall
        | Act::EndBlock => &[State::Call],
        Act::CloseValue
        | Act::CloseValueMismatched
        | Act::CloseBoth
        | Act::CloseAll
        | Act::EndValue
        | Act::Suspect => &[State::Value],
        Act::EndBody => &[State::Body],
        // The closers of reasoning stand in a list of their own.
        Act::CloseReasoning => &[],
    }
}

fn act(spec: &DialectSpec, rule: &Rule, state: State) -> Result {
    let act = rule.act;
    demand(states(act).contains(&state), || format!("`{act:?}` does not belong here"))?;
    let (sections, calls, values) = (spec.sections.len(), spec.calls.len(), spec.values.len());
    match act {
        Act::OpenSection(number)
        | Act::OpenArguments(number)
        | Act::SectionGoesOn(number)
        | Act::SectionGoesOnBefore(number) => kind(number, "sections", sections)?,
        Act::OpenCall(opening) => kind(opening.kind, "calls", calls)?,
        Act::WholeCall => kind(0, "calls", calls)?,
        Act::OpenParam(number) | Act::OpenOddParam(number) | Act::OpenValue(number) => {
            kind(number, "values", values)?;
        }
        _ => {}
    }
    let names = |piece: fn(&Piece) -> bool| rule.mark.iter().any(piece);
    let (holds, what) = match act {
        Act::OpenCall(_) | Act::WholeCall => (names(names_tool), "its marker names no tool"),
        Act::OpenParam(_) | Act::OpenOddParam(_) | Act::NameParam => {
            (names(names_param), "its marker names no parameter")
        }
        Act::OpenValue(_) => (rule.only == Only::Named, "it must be `Only::Named`"),
        Act::ResumeBody => {
            let comma = matches!(&*rule.mark, [Piece::Lit(text)] if text == ",");
            (comma && rule.only == Only::Waiting, "it is for a comma, and must be `Only::Waiting`")
        }
        Act::Suspect => {
            let ascii = |piece: &Piece| matches!(piece, Piece::Lit(text) if text.is_ascii());
            (rule.mark.first().is_some_and(ascii), "its marker must begin with ASCII characters")
        }
        // It leaves the marker to the next section, which must not pass it on, too.
        Act::SectionGoesOnBefore(number) => {
            let passes_on = |rule: &Rule| matches!(rule.act, Act::SectionGoesOnBefore(_));
            let next = &spec.sections[number as usize].rules;
            (!next.iter().any(passes_on), "a section that does the same cannot be the next one")
        }
        _ => (true, ""),
    };
    demand(holds, || what.to_string())
}

fn names_tool(piece: &Piece) -> bool {
    matches!(
        piece,
        Piece::Tool
            | Piece::ToolName
            | Piece::QuotedToolName
            | Piece::QuotedTool
            | Piece::ToolAttr
            | Piece::KnownToolAttr
    )
}

fn names_param(piece: &Piece) -> bool {
    matches!(
        piece,
        Piece::Name
            | Piece::Word
            | Piece::Declared
            | Piece::Fresh
            | Piece::Undeclared
            | Piece::QuotedKey
            | Piece::Key
            | Piece::Attr
    )
}
