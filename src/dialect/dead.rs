//! What of a table can never count: a kind of a state that nothing opens, and a rule that one before it always
//! beats. Both are mistakes of whoever wrote the table, and cost time where a parser is built.
//!
//! Of rules only that is found which their markers show; that no text has both is not looked for.

use super::mistake::{Mistake, Result, State};
use super::spec::{DialectSpec, Flags, Pattern, Piece, Place, Rule, What};

/// Finds the first kind that nothing opens, or else the first rule that never counts.
pub(super) fn find(spec: &DialectSpec) -> Result {
    let opened = opened(spec);
    for (state, kind, rules) in kinds(spec) {
        let place = format!("{}[{kind}]", state.list());
        if !opened.contains(&(state, kind)) {
            let what = "nothing opens it: no rule leads here".into();
            return Err(Mistake { place, what });
        }
        let beaten = (1..rules.len()).find_map(|number| {
            let by = rules[..number].iter().position(|first| beats(first, &rules[number]))?;
            Some((number, by))
        });
        if let Some((number, by)) = beaten {
            let what = format!("it never counts: whatever it fits, `rules[{by}]` fits first");
            return Err(Mistake { place: format!("{place}.rules[{number}]"), what });
        }
    }
    Ok(())
}

/// All kinds of a table, and the rules of each.
pub(super) fn kinds(spec: &DialectSpec) -> Vec<(State, usize, &[Rule])> {
    let mut all: Vec<(State, usize, &[Rule])> = Vec::new();
    let DialectSpec { prose, sections, calls, values, bodies, .. } = spec;
    all.extend(prose.iter().enumerate().map(|(at, kind)| (State::Prose, at, &*kind.rules)));
    all.extend(sections.iter().enumerate().map(|(at, kind)| (State::Section, at, &*kind.rules)));
    all.extend(calls.iter().enumerate().map(|(at, kind)| (State::Call, at, &*kind.rules)));
    all.extend(values.iter().enumerate().map(|(at, kind)| (State::Value, at, &*kind.rules)));
    all.extend(bodies.iter().enumerate().map(|(at, kind)| (State::Body, at, &*kind.rules)));
    all
}

/// The kinds that a stream can come to: from where it begins, by what opens and what follows.
fn opened(spec: &DialectSpec) -> Vec<(State, usize)> {
    let all = kinds(spec);
    // Text and reasoning are opened by the options, too, and so are these.
    let mut left = vec![(State::Prose, 0), (State::Prose, 1), of(spec.entry)];
    left.extend(spec.thought.map(|thought| of(Place::Prose(thought))));
    left.extend(spec.raw.map(|raw| (State::Value, usize::from(raw))));
    let mut opened = Vec::new();
    while let Some(kind) = left.pop() {
        if opened.contains(&kind) {
            continue;
        }
        opened.push(kind);
        let rules = all.iter().find(|(state, at, _)| (*state, *at) == kind);
        for rule in rules.into_iter().flat_map(|(.., rules)| *rules) {
            left.extend(rule.action.then.map(of));
            match rule.action.what {
                What::Open(place) => left.push(of(place)),
                What::Param(value, _) => left.push((State::Value, usize::from(value))),
                _ => {}
            }
        }
        let body = (kind.0 == State::Body).then(|| spec.bodies.get(kind.1)).flatten();
        left.extend(body.and_then(|body| body.then).map(of));
    }
    opened
}

/// What opens as this.
pub(super) fn of(place: Place) -> (State, usize) {
    match place {
        Place::Prose(kind) => (State::Prose, kind.into()),
        Place::Section(kind) => (State::Section, kind.into()),
        Place::Call(kind) => (State::Call, kind.into()),
        Place::Body(kind) => (State::Body, kind.into()),
    }
}

/// Whether the first of two rules counts wherever the second would, and no later.
fn beats(first: &Rule, second: &Rule) -> bool {
    // Half a marker, and one that comes to nothing, may mean more in the second.
    let ends = first.at_end == second.at_end && first.fixed == second.fixed;
    let flags = second.needs.has(first.needs) && second.not.has(first.not);
    // In a string only rules that need it count.
    let in_string = first.needs.has(Flags::IN_STRING) == second.needs.has(Flags::IN_STRING);
    let noise = second.noise || !first.noise;
    ends && flags && in_string && noise && {
        if first.follow.is_empty() {
            begins(&first.mark, &second.mark)
        } else {
            let follows = |element: &Pattern| first.follow.iter().any(|of| begins(of, element));
            first.mark == second.mark
                && !second.follow.is_empty()
                && second.follow.iter().all(follows)
        }
    }
}

/// Whether what fits the second pattern always begins with what fits the first.
fn begins(first: &Pattern, second: &Pattern) -> bool {
    let Some((last, before)) = first.split_last() else { return false };
    if second.len() < first.len() {
        return false;
    }
    let same = before.iter().zip(second).all(|(one, other)| covers(one, other));
    same && begins_piece(last, &second[before.len()])
}

/// The same of a last piece: a text may go on.
fn begins_piece(first: &Piece, second: &Piece) -> bool {
    match (first.texts(), second.texts()) {
        ([], _) | (_, []) => covers(first, second),
        (first, second) => second.iter().all(|text| first.iter().any(|of| text.starts_with(&**of))),
    }
}

/// Whether the first piece fits, and takes the same, wherever the second does.
fn covers(first: &Piece, second: &Piece) -> bool {
    match (first.texts(), second.texts()) {
        ([], _) | (_, []) => first == second,
        (first, second) => second.iter().all(|text| first.contains(text)),
    }
}
