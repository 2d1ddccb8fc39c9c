//! Whether a [`DialectSpec`] makes sense. What a host wrote is checked when a parser is built, so that
//! nothing in it can fail while a model writes.
//!
//! It finds what the machine could not read: markers without a beginning, kinds that are not there,
//! actions in a state that they do not belong to, rules that would go round in a circle. It does not
//! judge whether the grammar is a good one.

use std::fmt::Display;

use super::mistake::{Mistake, Result, State};
use super::spec::{
    Action, At, AtEnd, DialectSpec, Flags, Gives, Known, Literals, Name, Named, Of, Pattern, Piece,
    Place, Rule, Scope, Text, ToolLine, What,
};
use super::{circle, dead};
use crate::error::BuildProblem;
use crate::options::bounds;

/// Most kinds of each state: a parser numbers those of two dialects in a byte.
const KINDS: usize = 100;
/// Most rules of a state: two dialects share text and reasoning, and have a bit for each rule.
const RULES: usize = 62;
/// Most pieces of a pattern, and most ways that its alternatives can be chosen.
const PIECES: usize = 40;
const WAYS: usize = 256;
/// Most pieces of all rules of a state, for each way: two dialects have a number of 16 bits for each, and
/// text may be in reasoning, too.
const STEPS: usize = 1 << 13;
/// Most pieces of the rules of any other state, which dialects do not share.
const OWN_STEPS: usize = 1 << 14;
/// Most ways to write a keyword, and most words of one.
const WRITTEN: usize = 32;
const WORDS: usize = 8;

/// Most words before a text: a match has a bit for each, and one for the text.
const UNTIL_WORDS: usize = 15;

fn demand(holds: bool, what: impl FnOnce() -> String) -> Result {
    if holds { Ok(()) } else { Err(Mistake { place: String::new(), what: what() }) }
}

/// The same in words that are always these.
fn must(holds: bool, what: &str) -> Result {
    demand(holds, || what.to_string())
}

trait Within {
    /// The same, in a part of this name.
    fn within(self, part: impl Display) -> Self;
}

impl<T> Within for Result<T> {
    fn within(self, part: impl Display) -> Result<T> {
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
/// [`BuildProblem::Spec`].
pub(crate) fn check(spec: &DialectSpec) -> std::result::Result<(), BuildProblem> {
    find(spec).map_err(|Mistake { place, what }| {
        let dialect = spec.name.to_string();
        BuildProblem::Spec { dialect, place, what }
    })
}

fn find(spec: &DialectSpec) -> Result {
    let DialectSpec { prose, sections, calls, values, bodies, .. } = spec;
    must(prose.len() >= 2, "text and reasoning are two kinds: there must be both")
        .within("prose")?;
    let counts = [
        ("prose", prose.len()),
        ("sections", sections.len()),
        ("calls", calls.len()),
        ("values", values.len()),
        ("bodies", bodies.len()),
        ("keywords", spec.keywords.len()),
    ];
    for (name, count) in counts {
        at_most(KINDS, count).within(name)?;
    }
    must(!spec.name.is_empty(), "it is empty").within("name")?;
    place(spec, spec.entry).within("entry")?;
    let entry = matches!(spec.entry, Place::Prose(_) | Place::Section(_));
    must(entry, "a stream begins in prose or in a section").within("entry")?;
    if let Some(thought) = spec.thought {
        place(spec, Place::Prose(thought)).within("thought")?;
    }
    let raw = spec.raw.map_or(Ok(()), |raw| kind(raw, "values", values.len()));
    raw.within("raw")?;
    each(&spec.keywords, |keyword| {
        let some = must(!keyword.words.is_empty(), "there are none");
        some.and_then(|()| at_most(WRITTEN, keyword.words.len()))
            .and_then(|()| each(&keyword.words, |words| keyword_words(words)))
            .within(".words")
    })
    .within("keywords")?;
    each(&spec.boundary, |token| literal(token).map(|_| ())).within("boundary")?;
    let nests: Vec<&Text> = spec.nests.iter().flat_map(|(open, close)| [open, close]).collect();
    each(&nests, |text| literal(text).map(|_| ())).within("nests")?;
    if let Some((open, close)) = &spec.nests {
        let tags = open.contains('<') && close.contains("</");
        let what = "elements are tags, which end with `>`: their texts have `<` and `</`";
        must(tags, what).within("nests")?;
    }
    at_most(RULES, prose[0].rules.len() + prose[1].rules.len()).within("prose")?;
    let rules = |list: &[Rule], state| rules(spec, list, state).within(".rules");
    each(prose, |kind| rules(&kind.rules, State::Prose)).within("prose")?;
    each(sections, |kind| rules(&kind.rules, State::Section)).within("sections")?;
    each(calls, |kind| rules(&kind.rules, State::Call)).within("calls")?;
    each(values, |kind| rules(&kind.rules, State::Value)).within("values")?;
    each(bodies, |kind| {
        if let Some(Literals { quote, .. }) = kind.gives.literals() {
            let once = quote.bytes().skip(1).all(|byte| byte != quote.as_bytes()[0]);
            demand(once, || format!("the first character of `{quote}` comes in it again"))?;
        }
        kind.then.map_or(Ok(()), |then| after(spec, then)).within(".then")?;
        rules(&kind.rules, State::Body)
    })
    .within("bodies")?;
    circle::find(spec)?;
    dead::find(spec)
}

/// Whether the keywords that a host gives in place of the dialect's own can be read. A blank one is none.
///
/// # Errors
/// [`BuildProblem::AnswerKeyword`].
pub(crate) fn answer_keywords(keywords: &[String]) -> std::result::Result<(), BuildProblem> {
    let some = keywords.iter().filter(|keyword| keyword.split_ascii_whitespace().count() > 0);
    for (number, keyword) in some.enumerate() {
        at_most(WRITTEN, number + 1).and_then(|()| keyword_words(keyword)).map_err(|mistake| {
            BuildProblem::AnswerKeyword { keyword: keyword.clone(), what: mistake.what }
        })?;
    }
    Ok(())
}

fn keyword_words(words: &str) -> Result {
    let mut count = 0;
    for word in words.split_ascii_whitespace() {
        at_most(bounds::NAME, word.len())?;
        count += 1;
    }
    must(count > 0, "it is empty")?;
    at_most(WORDS, count)
}

fn rules(spec: &DialectSpec, rules: &[Rule], state: State) -> Result {
    at_most(RULES, rules.len())?;
    let steps = rules.iter().flat_map(|rule| {
        let marks = ways(spec, &rule.mark);
        let follow = rule.follow.iter().map(move |element| (marks * ways(spec, element), element));
        follow.chain([(marks, &rule.mark)])
    });
    let steps =
        steps.fold(0, |all: usize, (ways, pattern)| all.saturating_add(ways * pattern.len()));
    let most = if state == State::Prose { STEPS } else { OWN_STEPS };
    demand(steps <= most, || {
        format!("with all their alternatives they have {steps} pieces: there may be {most}")
    })?;
    each(rules, |rule| {
        let mark = mark(spec, &rule.mark).within(".mark")?;
        let word = rule.mark.first() == Some(&Piece::At(At::Word));
        must(!word || state == State::Prose, "it counts in text and reasoning alone")
            .within(".mark[0]")?;
        at_most(usize::from(u8::MAX), rule.follow.len()).within(".follow")?;
        for (number, element) in rule.follow.iter().enumerate() {
            // What ends in a text that is looked for counts from the marker's first byte.
            let from_mark = element.iter().any(|piece| matches!(piece, Piece::Until { .. }));
            let before = if from_mark { 0 } else { mark + bounds::WHITE_SPACE };
            let follow = pattern(spec, element, true).and_then(|len| is_short(before + len));
            follow.within(format_args!(".follow[{number}]"))?;
        }
        at_most(rule.mark.len(), rule.fixed.into()).within(".fixed")?;
        action(spec, rule, state)
    })
}

/// A marker is found by its literal beginning, or by the place where it stands.
fn mark(spec: &DialectSpec, mark: &Pattern) -> Result<usize> {
    let len = pattern(spec, mark, false)?;
    let places = [At::LineStart, At::Start, At::Quote, At::Word].map(Piece::At);
    let begins = !mark[0].texts().is_empty() || places.contains(&mark[0]);
    must(begins, "it must begin with a literal, or with the start of a line or a state")?;
    Ok(len)
}

/// Checks a pattern; gives the most bytes that it may have.
fn pattern(spec: &DialectSpec, pattern: &Pattern, follows: bool) -> Result<usize> {
    must(!pattern.is_empty(), "it is empty")?;
    at_most(PIECES, pattern.len())?;
    demand(ways(spec, pattern) <= WAYS, || format!("it can be written in more than {WAYS} ways"))?;
    let mut pieces = Vec::with_capacity(pattern.len());
    for (at, piece) in pattern.iter().enumerate() {
        let longest = self::piece(spec, pattern, at, follows)
            .and_then(|longest| ends(pattern, at).map(|()| longest))
            .within(format_args!("[{at}]"))?;
        pieces.push((piece, longest));
    }
    let len = bytes(pieces.into_iter());
    is_short(len)?;
    Ok(len)
}

/// The most bytes of a pattern whose pieces have at most these.
pub(super) fn bytes<'p>(pieces: impl Iterator<Item = (&'p Piece, usize)>) -> usize {
    let (mut in_tag, mut len, mut tag) = (false, 0, 0);
    for (piece, longest) in pieces {
        let last = |text: &Text| text.rfind(['<', '>']).map(|last| text.as_bytes()[last]);
        let last = piece.texts().first().and_then(last);
        match (piece, in_tag) {
            (Piece::Until { .. }, _) => (in_tag, tag, len) = (false, 0, longest),
            (_, true) => tag += longest,
            (_, false) => len += longest,
        }
        if let Some(last) = last {
            // A tag has a bound of its own.
            len += tag.min(bounds::TAG);
            (in_tag, tag) = (last == b'<', 0);
        }
    }
    len + tag.min(bounds::TAG)
}

/// In how many ways the alternatives of a pattern can be chosen, as far as they are counted.
fn ways(spec: &DialectSpec, pattern: &Pattern) -> usize {
    let of = |piece: &Piece| match piece {
        Piece::Keyword(number) => {
            spec.keywords.get(*number as usize).map_or(1, |keyword| keyword.words.len())
        }
        piece => piece.texts().len().max(1),
    };
    pattern.iter().fold(1, |ways, piece| ways.saturating_mul(of(piece)).min(WAYS + 1))
}

fn is_short(len: usize) -> Result {
    let most = bounds::HELD;
    demand(len <= most, || format!("it may have {len} bytes: at most {most} are held"))
}

/// A piece takes all the characters that it can: what begins with one of them never comes after it.
fn ends(pattern: &Pattern, at: usize) -> Result {
    let chars = match &pattern[at] {
        Piece::Run(run) if run.min < run.max => run.chars,
        // One that must be declared ends where no declared one goes on.
        Piece::Name(name) if name.quoted.is_none() && name.known == Known::Any => name.chars,
        _ => return Ok(()),
    };
    let next = pattern[at + 1..].iter().find(|piece| !matches!(piece, Piece::At(_)));
    let texts = next.map_or(&[][..], Piece::texts);
    let takes = |text: &&Text| text.starts_with(|first| chars.has(first));
    let taken = texts.iter().find(takes);
    let some = texts.iter().any(|text| !takes(&text));
    demand(some || taken.is_none(), || {
        let text = taken.map_or("", |text| text);
        format!(
            "it takes the first character of `{text}`, which therefore never comes after it: leave \
             that character out of what it takes"
        )
    })
}

/// Checks a piece; gives the most bytes that it may have.
fn piece(spec: &DialectSpec, pattern: &Pattern, at: usize, follows: bool) -> Result<usize> {
    let (first, last) = (at == 0, at + 1 == pattern.len());
    let before = at.checked_sub(1).map(|at| &pattern[at]);
    let (stands, what) = match &pattern[at] {
        Piece::At(At::LineStart) => (first, "it must be the first piece"),
        Piece::At(At::Start) => (first && !follows, "it must be the first piece of a marker"),
        Piece::At(At::Word) => (
            first && !follows && is_tool_and_text(&pattern[1..]),
            "it must be the first piece of a marker, before the name of a declared tool and a text",
        ),
        Piece::At(At::Quote) => (first && last && !follows, "it must be all of a marker"),
        Piece::At(At::End) | Piece::Object(_) => {
            (last && follows, "it must be the last piece of what follows")
        }
        Piece::NotNext(_) => (!first, "it cannot be the first piece"),
        Piece::Tool(_) => (!first && !follows, "it must stand in a marker, after its first piece"),
        Piece::Keyword(_) => {
            let begins = at == 1 && before == Some(&Piece::At(At::LineStart));
            (begins, "it must stand at the start of a line")
        }
        Piece::ToolLine(_) => {
            let after = matches!(before, Some(Piece::Keyword(_)));
            (after && last, "it must be the last piece, after a keyword")
        }
        _ => (true, ""),
    };
    must(stands, what)?;
    match &pattern[at] {
        Piece::Lit(text) => literal(text),
        Piece::Any(texts) => {
            must(!texts.is_empty(), "it has no texts")?;
            let mut longest = 0;
            for (number, text) in texts.iter().enumerate() {
                longest = longest.max(literal(text)?);
                let again = texts[..number].contains(text);
                demand(!again, || format!("`{text}` is there twice"))?;
            }
            Ok(longest)
        }
        Piece::Near(text) => {
            let last = text.chars().last().filter(|last| text.matches(*last).count() == 1);
            must(last.is_some(), "its last character must stand nowhere else in it")?;
            let most_of_one = 4;
            literal(text).map(|len| len + most_of_one)
        }
        Piece::Run(run) => {
            must(run.min <= run.max && run.max > 0, "it may have no length")?;
            at_most(bounds::TAG, run.max.into())?;
            Ok(run.max.into())
        }
        Piece::Until { to, unless, words, within } => {
            at_most(bounds::HEADER, (*within).into())?;
            unless.iter().chain(words).try_for_each(|text| literal(text).map(|_| ()))?;
            at_most(UNTIL_WORDS, words.len())?;
            // All that comes before it counts for the same bound.
            literal(to).map(|_| bounds::HEADER)
        }
        Piece::Name(name) => {
            let found = matches!(name.known, Known::Declared | Known::Fresh);
            let found = found && name.quoted.is_none() && !name.entities;
            must(!name.glued || found, "a name that is `glued` is declared, and without quotes")?;
            Ok(name.longest())
        }
        Piece::Tool(names) => {
            must(!names.is_empty(), "it has no names")?;
            each(names, |name| literal(name).map(|_| ())).map(|()| 0)
        }
        Piece::Keyword(number) => {
            kind(*number, "keywords", spec.keywords.len()).map(|()| bounds::NAME)
        }
        Piece::Ref(_) => Ok(bounds::NAME),
        Piece::ToolLine(_) => Ok(bounds::WHITE_SPACE + bounds::LINE),
        Piece::At(At::LineEnd) => Ok(bounds::WHITE_SPACE),
        // What is held for an object has a bound of its own.
        Piece::At(_) | Piece::NotNext(_) | Piece::Object(_) => Ok(0),
    }
}

fn literal(text: &str) -> Result<usize> {
    must(!text.is_empty(), "it is empty")?;
    at_most(bounds::TAG, text.len())?;
    Ok(text.len())
}

fn at_most(most: usize, count: usize) -> Result {
    demand(count <= most, || format!("{count} are too many: there may be {most}"))
}

/// The name of a declared tool, as it stands among words, and a text.
fn is_tool_and_text(pattern: &[Piece]) -> bool {
    let [Piece::Name(name), Piece::Lit(_), ..] = pattern else { return false };
    let plain = name.quoted.is_none() && name.prefix.is_empty() && !name.entities && !name.glued;
    name.of == Of::Tool && name.known == Known::Declared && plain
}

fn kind(number: u8, list: &str, count: usize) -> Result {
    demand((number as usize) < count, || format!("`{list}` has no number {number}, only {count}"))
}

fn place(spec: &DialectSpec, place: Place) -> Result {
    match place {
        Place::Prose(number) => kind(number, "prose", spec.prose.len()),
        Place::Section(number) => kind(number, "sections", spec.sections.len()),
        Place::Call(number) => kind(number, "calls", spec.calls.len()),
        Place::Body(number) => kind(number, "bodies", spec.bodies.len()),
    }
}

/// What follows something that closed.
fn after(spec: &DialectSpec, then: Place) -> Result {
    let outside = matches!(then, Place::Prose(_) | Place::Section(_));
    must(outside, "only prose or a section can follow")?;
    place(spec, then)
}

/// The key of a rule that says what it does: one that is markup has none.
fn key(what: What) -> &'static str {
    match what {
        What::Open(_) => ".open",
        What::Param(..) => ".param",
        What::Close(_) => ".close",
        What::Orphan(_) => ".orphan",
        What::Name | What::Unexpected | What::Pass | What::Reject | What::Rest => ".does",
        What::Mark => "",
    }
}

fn action(spec: &DialectSpec, rule: &Rule, state: State) -> Result {
    let Action { what, before, then, .. } = rule.action;
    let list = state.list();
    // What belongs to no call may stand in text.
    let skips = |number: u8| {
        let body = spec.bodies.get(number as usize);
        body.is_some_and(|body| matches!(body.gives, Gives::NoParams(_)))
    };
    let in_text =
        matches!(what, What::Open(Place::Body(number)) if state == State::Prose && skips(number));
    demand(in_text || fits(what, state), || match what {
        What::Mark => format!("a rule of `{list}` must do something"),
        _ => format!("no rule of `{list}` does this"),
    })
    .within(key(what))?;
    let closes = matches!(what, What::Close(_));
    let acts = closes || matches!(what, What::Open(_) | What::Param(..));
    must(!before || acts, "only what opens or closes can come before its marker")
        .within(".before")?;
    if let Some(then) = then {
        must(closes, "only a rule that closes has a state that follows")
            .and_then(|()| match (what, then) {
                (What::Close(Scope::Value), Place::Call(_)) => place(spec, then),
                _ => after(spec, then),
            })
            .within(".then")?;
    }
    acts_well(spec, rule, state).within(key(what))
}

/// Whether a rule has what its action needs, and leads where there is something.
fn acts_well(spec: &DialectSpec, rule: &Rule, state: State) -> Result {
    let Action { what, before, .. } = rule.action;
    let names = |of: fn(&Name) -> bool| {
        rule.mark.iter().any(|piece| matches!(piece, Piece::Name(name) if of(name)))
    };
    let line = |piece: &Piece| {
        let named = [ToolLine::Alone, ToolLine::Paren, ToolLine::Bracket, ToolLine::Any];
        matches!(piece, Piece::ToolLine(line) if named.contains(line))
    };
    let given = |piece: &Piece| line(piece) || matches!(piece, Piece::Tool(_));
    let names_tool =
        names(|name| matches!(name.of, Of::Tool | Of::ToolId)) || rule.mark.iter().any(given);
    let names_param = names(|name| name.of == Of::Param);
    let names_type = names(|name| name.of == Of::Hint);
    let (holds, mistake) = match what {
        What::Open(Place::Call(_)) if state != State::Call => {
            (names_tool && !before, "its marker must name a tool")
        }
        What::Open(Place::Body(number)) => return body(spec, rule, number, state),
        What::Param(_, Named::Captured) => (names_param, "its marker names no parameter"),
        What::Param(..) if names_type => (false, "the type is for a rule that does `name`"),
        What::Param(_, Named::Remembered) => {
            (rule.needs.has(Flags::NAMED), "its rule must need the flag `named`")
        }
        What::Name => {
            let broken = rule.action.sets.has(Flags::BROKEN);
            (names_param || names_type || broken, "its marker names nothing")
        }
        _ => (true, ""),
    };
    must(holds, mistake)?;
    match what {
        What::Open(opens) => place(spec, opens),
        What::Param(number, _) => kind(number, "values", spec.values.len()),
        _ => Ok(()),
    }
}

/// A body begins with the brace at the end of its marker, which it takes itself.
fn body(spec: &DialectSpec, rule: &Rule, number: u8, state: State) -> Result {
    kind(number, "bodies", spec.bodies.len())?;
    let resumes = rule.needs.has(Flags::WAITING);
    let gives = &spec.bodies[number as usize].gives;
    let python = gives.literals().is_some_and(|literals| literals.python);
    let quoted = gives.literals().is_some_and(|literals| !literals.quote.is_empty());
    let opens = if python { '(' } else { '{' };
    let ends = |text: &Text| text.ends_with(opens) || quoted && text.ends_with('(');
    let brace = matches!(rule.mark.last(), Some(Piece::Lit(text)) if ends(text));
    let comma = matches!(rule.mark.first(), Some(Piece::Lit(text)) if text == ",");
    must(!rule.action.before, "it cannot come before its marker")?;
    must(resumes || rule.at_end != AtEnd::Prefix, "it cannot begin with half a marker")?;
    let ends = || format!("its marker must end with `{opens}`");
    demand(if resumes { comma } else { brace }, ends)?;
    let (gives, states): (_, &[State]) = match gives {
        Gives::Call => ("call", &[State::Section]),
        Gives::OnlyCall => ("only_call", &[State::Section]),
        Gives::Arguments => ("arguments", &[State::Call, State::Section]),
        Gives::Nothing => ("nothing", &[State::Section]),
        Gives::Params(_) => ("params", &[State::Call]),
        Gives::NoParams(_) => ("no_params", &[State::Prose, State::Section]),
    };
    let fits = states.contains(&state);
    let list = state.list();
    demand(fits, || format!("a body that gives `{gives}` does not belong in `{list}`"))
}

/// The states in which an action means something.
fn fits(what: What, state: State) -> bool {
    use State::{Body, Call, Prose, Section, Value};
    let states: &[State] = match what {
        What::Open(Place::Prose(_)) => &[Prose, Section],
        What::Open(Place::Section(_)) => &[Prose, Section],
        What::Open(Place::Call(_)) => &[Prose, Section, Call],
        What::Open(Place::Body(_)) => &[Section, Call],
        What::Param(..) | What::Name | What::Unexpected => &[Call],
        What::Close(Scope::Value) => &[Value],
        What::Close(Scope::Body | Scope::String) => &[Body],
        What::Close(Scope::Call) => &[Value, Call],
        What::Close(Scope::Section) => &[Value, Call, Section],
        What::Close(Scope::Prose) => &[Prose],
        What::Orphan(_) => &[Prose],
        What::Rest => &[Prose, Section],
        What::Mark => &[Prose, Section, Call],
        What::Pass => &[Prose, Value],
        What::Reject => &[Prose],
    };
    states.contains(&state)
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::dialect::built_in::TABLES;
    use crate::dialect::forms::FORMS;

    /// They are not checked when a parser is built.
    #[test]
    fn our_own_tables() {
        let forms = FORMS.iter().filter_map(|form| form.table.as_deref());
        for spec in TABLES.iter().map(|table| &**table).chain(forms) {
            assert!(check(spec).is_ok(), "{}: {:?}", spec.name, check(spec));
        }
    }
}
