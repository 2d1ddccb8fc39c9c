//! Whether rules that take no byte lead round in a circle: a parser would go round with it, for ever.
//!
//! Of each kind of a state it is asked where such rules may lead. From a table without a circle one kind after
//! the other can be taken away that leads to none of those that are left.

use super::dead;
use super::mistake::{Mistake, Result, State};
use super::spec::{
    At, Between, DialectSpec, Flags, Piece, Place, Rule, Scope, SectionKind, Text, What,
};

/// A kind of a state that a rule can lead to without taking a byte, and whether it begins there: a call goes on
/// after a value.
type Node = (State, u8, bool);

fn begins(place: Place) -> Node {
    let (state, kind) = dead::of(place);
    (state, kind as u8, true)
}

/// Finds a kind from which rules that take no byte lead back to it.
pub(super) fn find(spec: &DialectSpec) -> Result {
    let nodes = dead::kinds(spec).into_iter().map(|(state, kind, _)| (state, kind as u8));
    let nodes = nodes.flat_map(|(state, kind)| [(state, kind, true), (state, kind, false)]);
    let mut left: Vec<Node> = nodes.collect();
    // Nodes from which nothing is reached go, until none is left.
    loop {
        let before = left.len();
        let goes_on = |node: &Node| steps(spec, *node).iter().any(|next| left.contains(next));
        left = left.iter().copied().filter(goes_on).collect();
        if left.is_empty() {
            return Ok(());
        }
        if left.len() == before {
            let (state, kind, _) = left[0];
            let list = state.list();
            let place = format!("{list}[{kind}].rules");
            let what = "rules that act before their markers lead back here in a circle".into();
            return Err(Mistake { place, what });
        }
    }
}

/// Whether a section that begins before this marker is sure to take some of it. Where not everything may
/// stand, a section that knows nothing of it would end there.
fn takes(section: &SectionKind, opener: &Rule) -> bool {
    let begins = opener.mark.iter().find(|piece| !matches!(piece, Piece::At(_)));
    let always = |rule: &Rule| {
        // What holds at its start.
        let needs =
            if section.calls { rule.needs.without(Flags::SECTION_START) } else { rule.needs };
        let not = rule.not.without(Flags::BRACKET | Flags::WAITING);
        let free = rule.follow.is_empty() && (needs | not) == Flags::NONE;
        free && rule.mark.len() == 1 && rule.mark.first() == begins
    };
    matches!(section.between, Between::Junk(_)) || section.rules.iter().any(always)
}

/// Where the rules of a kind lead that take no byte.
fn steps(spec: &DialectSpec, (state, number, at_start): Node) -> Vec<Node> {
    let number = number as usize;
    let rules = match state {
        State::Prose => &spec.prose[number].rules,
        State::Section => &spec.sections[number].rules,
        State::Call => &spec.calls[number].rules,
        State::Value => &spec.values[number].rules,
        State::Body => return after_body(spec, number),
    };
    let all = |state: State, count: usize| (0..count).map(move |kind| (state, kind as u8, true));
    let prose = || all(State::Prose, spec.prose.len());
    let sections = || all(State::Section, spec.sections.len());
    let mut next = Vec::new();
    // What may not stand between parameters ends the call before it; of sections `takes` knows.
    if state == State::Call && matches!(spec.calls[number].between, Between::Only(_)) {
        next.extend(prose().chain(sections()));
    }
    for rule in rules {
        let begins_state = rule.mark.first() == Some(&Piece::At(At::Start));
        let takes_some = !rule.action.before && !taken(rule).iter().all(may_be_nothing);
        if takes_some || begins_state && !at_start {
            continue;
        }
        match (rule.action.what, rule.action.then) {
            (_, Some(then)) => next.push(begins(then)),
            (What::Open(place), _) => {
                next.push(begins(place));
                let takes = match place {
                    Place::Section(kind) => takes(&spec.sections[kind as usize], rule),
                    _ => true,
                };
                if state == State::Prose && rule.action.before && !takes {
                    next.push((state, number as u8, true));
                }
            }
            (What::Param(kind, _), _) => next.push((State::Value, kind, true)),
            // A call goes on after a value: it does not begin.
            (What::Close(Scope::Value), _) => {
                let calls = all(State::Call, spec.calls.len());
                next.extend(calls.map(|(state, kind, _)| (state, kind, false)));
            }
            (What::Close(Scope::Call), _) => next.extend(prose().chain(sections())),
            (What::Close(Scope::Section | Scope::Prose), _) => next.extend(prose()),
            (
                What::Mark
                | What::Pass
                | What::Reject
                | What::Unexpected
                | What::Name
                | What::Orphan(_),
                _,
            ) => {
                next.push((state, number as u8, true));
            }
            (What::Close(Scope::Body | Scope::String) | What::Rest, _) => {}
        }
    }
    next
}

/// What of a marker is taken: all but the brace of a body that it opens, which is the body's own.
fn taken(rule: &Rule) -> &[Piece] {
    match (rule.action.what, &*rule.mark) {
        (What::Open(Place::Body(_)), [before @ .., Piece::Lit(brace)]) if brace.len() == 1 => {
            before
        }
        (_, mark) => mark,
    }
}

/// Where a body leads that ends before its own first byte.
fn after_body(spec: &DialectSpec, number: usize) -> Vec<Node> {
    let body = &spec.bodies[number];
    let is_brace = |text: &Text| text.starts_with(['{', '(']);
    let ends_at_once = |rule: &&Rule| {
        rule.action.before
            && match rule.mark.iter().find(|piece| !may_be_nothing(piece)).map(Piece::texts) {
                None | Some([]) => true,
                Some(texts) => texts.iter().any(is_brace),
            }
    };
    let ends = body.rules.iter().filter(ends_at_once);
    let all = |state: State, count: usize| (0..count).map(move |kind| (state, kind as u8, true));
    let anywhere =
        || all(State::Prose, spec.prose.len()).chain(all(State::Section, spec.sections.len()));
    ends.flat_map(|rule| match rule.action.then.or(body.then) {
        Some(then @ (Place::Prose(_) | Place::Section(_))) => vec![begins(then)],
        _ => anywhere().collect(),
    })
    .collect()
}

/// Whether the piece fits where it takes no byte. A name that is repeated may be none.
fn may_be_nothing(piece: &Piece) -> bool {
    match piece {
        Piece::At(at) => *at != At::LineEnd,
        Piece::NotNext(_) | Piece::Tool(_) => true,
        Piece::Ref(_) => true,
        Piece::Name(name) => name.optional,
        Piece::Run(run) => run.min == 0,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::find;
    use crate::dialect::build::rule;
    use crate::dialect::spec::{
        Between, BodyKind, Chars, DialectSpec, Gives, Place, Rule, Scope, SectionKind,
    };
    use crate::dialect::template::Template;
    use crate::pattern;

    /// A section that begins before its first call must be sure to take what it began for.
    #[test]
    fn a_section_takes_what_it_begins_before() {
        let spec = |rules: Vec<Rule>, between| {
            let mut spec = DialectSpec::new("own", "", Template::default());
            spec.prose[0].rules.push(rule(pattern!["<a>"]).before().open(Place::Section(0)));
            spec.sections.push(SectionKind { rules, between, calls: true });
            spec
        };
        let white = Between::Only(Chars::WHITE);
        let follows = rule(pattern!["<a>"]).follow([pattern!["x"]]);
        assert!(find(&spec(vec![rule(pattern!["<a>"])], white.clone())).is_ok());
        assert!(find(&spec(Vec::new(), Between::Junk(Chars::WHITE))).is_ok());
        assert!(find(&spec(Vec::new(), white.clone())).is_err());
        assert!(find(&spec(vec![follows], white)).is_err());
    }

    /// A body takes its own brace. One that ends before that leads back to where it was opened.
    #[test]
    fn a_body_takes_its_brace() {
        let of = |open, end: Rule, then| {
            let mut spec = DialectSpec::new("own", "", Template::default());
            spec.prose[0].rules.push(rule(pattern!["<a>"]).open(Place::Section(0)));
            let rules = vec![rule(open).open(Place::Body(0))];
            let between = Between::Only(Chars::WHITE);
            spec.sections.push(SectionKind { rules, between, calls: true });
            spec.bodies.push(BodyKind { gives: Gives::Call, rules: vec![end], then });
            spec
        };
        let ends = |end| rule(end).before().close(Scope::Body);
        let spec = |open, end| of(open, ends(end), None);
        assert!(find(&spec(pattern!["{"], pattern!["</a>"])).is_ok());
        assert!(find(&spec(pattern!["<b>{"], pattern!["{"])).is_ok(), "it takes `<b>` each time");
        assert!(find(&spec(pattern!["{"], pattern!["{"])).is_err());
        assert!(find(&spec(pattern!["{"], pattern![&["</a>", "{"][..]])).is_err());
        // Where it leads to prose, that goes on.
        let (open, prose) = (|| pattern!["{"], Place::Prose(0));
        assert!(find(&of(open(), ends(open()).then(prose), None)).is_ok());
        assert!(find(&of(open(), ends(open()), Some(prose))).is_ok());
        assert!(find(&of(open(), ends(open()), Some(Place::Section(0)))).is_err());
    }
}
