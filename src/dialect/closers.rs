//! Rules that follow from a whole table: sections that hold nothing, closers where nothing is open, and openers at the end of
//! the stream.

use super::build::rule;
use super::spec::{
    At, AtEnd, DialectSpec, Flags, Of, Pattern, Piece, Place, Rule, Scope, SectionKind, Text, WS,
    What,
};
use crate::event::DiagnosticKind;
use crate::pattern;

/// In text: sections that hold nothing are markup, in which calls stand in lists also those that hold an empty list. Of
/// dialects whose openers nobody types.
pub(super) fn with_empty_sections(mut spec: DialectSpec, listed: bool) -> DialectSpec {
    let list = pattern!["[", WS, "]"];
    let mut rules = Vec::new();
    for opener in &spec.prose[0].rules {
        let What::Open(Place::Section(number)) = opener.action.what else { continue };
        let section = &spec.sections[usize::from(number)];
        // One that counts by itself is read before its closer is.
        if !section.calls || opener.action.before || opener.follow.is_empty() {
            continue;
        }
        let closers = section.rules.iter().filter(|rule| {
            let closes = rule.action.what == What::Close(Scope::Section) && !rule.action.before;
            closes && rule.action.note.is_none() && !rule.mark[0].texts().is_empty()
        });
        let mut ends: Vec<&Pattern> = closers.map(|closer| &closer.mark).collect();
        ends.dedup();
        for end in ends {
            rules.push([&*opener.mark, &[WS], end].concat());
            if listed {
                rules.push([&*opener.mark, &[WS], &list, &[WS], end].concat());
            }
        }
    }
    rules.dedup();
    spec.prose[0].rules.extend(rules.into_iter().map(|mark| rule(mark).noise()));
    spec
}

/// In text: an opener of a section or a call behind which nothing but white space and stop tokens comes to the end of
/// the stream is markup. In dialects whose openers nobody types (`special`) however the stream ended, else where it was
/// cut.
pub(super) fn with_cut_openers(mut spec: DialectSpec, special: bool) -> DialectSpec {
    let is_cut = |rule: &Rule| rule.action.note == Some(DiagnosticKind::CutOpener);
    let rules = &mut spec.prose[0].rules;
    rules.retain(|rule| !is_cut(rule));
    let mut openers: Vec<Pattern> = Vec::new();
    for rule in rules.iter().filter(|rule| opens_call(rule)) {
        let opener = tag_of(&rule.mark);
        let texts = opener.first().map_or(&[][..], Piece::texts);
        let stops = opener.is_empty()
            || opener.len() == 1 && texts.iter().all(|text| spec.boundary.contains(text));
        if !stops && !openers.contains(&opener) {
            openers.push(opener);
        }
    }
    let at_end = if special { AtEnd::Confirm } else { AtEnd::Cut };
    let mut ends = vec![pattern![At::End]];
    if !spec.boundary.is_empty() {
        let tokens = Piece::from(spec.boundary.clone());
        ends.push(vec![tokens.clone(), At::End.into()]);
        ends.push(vec![tokens.clone(), WS, tokens, At::End.into()]);
    }
    let cut = |opener: Pattern| {
        let cut = rule(opener).follow(ends.clone()).noise().at_end(at_end);
        cut.note(DiagnosticKind::CutOpener)
    };
    rules.extend(openers.into_iter().map(cut));
    spec
}

fn opens_call(rule: &Rule) -> bool {
    let opens =
        matches!(rule.action.what, What::Open(Place::Section(_) | Place::Call(_) | Place::Body(_)));
    opens && !rule.action.before
}

/// The tag or the token that a marker begins with; nothing if it has none that is whole.
pub(super) fn tag_of(mark: &[Piece]) -> Pattern {
    let ends = |piece: &Piece| {
        let texts = piece.texts();
        !texts.is_empty() && texts.iter().all(|text| text.ends_with(['>', ']']))
    };
    let is_own = |piece: &Piece| match piece {
        Piece::Lit(_) | Piece::Any(_) | Piece::Run(_) => true,
        Piece::Name(name) => name.of == Of::Element,
        _ => false,
    };
    let own = mark.iter().take_while(|piece| is_own(piece)).count();
    // White space alone may stand behind it.
    let last =
        mark[..own].iter().rposition(|piece| !piece.texts().is_empty()).map_or(0, |at| at + 1);
    match mark[..last].last().filter(|piece| ends(piece)) {
        Some(_) if mark[0].texts().iter().any(|text| is_tag(text)) => mark[..last].to_vec(),
        _ => Pattern::new(),
    }
}

fn is_tag(text: &str) -> bool {
    text.starts_with(|c: char| !c.is_alphanumeric())
}

/// Whether a text is a tag or a token as a whole.
pub(super) fn is_whole_tag(text: &str) -> bool {
    text.ends_with(['>', ']']) && is_tag(text)
}

/// The closers of values, and those of calls.
fn closers(spec: &DialectSpec, scopes: &[Scope]) -> Vec<Text> {
    let values = spec.values.iter().flat_map(|kind| &kind.rules);
    let calls = spec.calls.iter().flat_map(|kind| &kind.rules);
    let mut closers: Vec<Text> = Vec::new();
    for rule in values.chain(calls) {
        let What::Close(scope) = rule.action.what else { continue };
        let own = scopes.contains(&scope) && !rule.action.before && rule.action.note.is_none();
        let [mark] = &*rule.mark else { continue };
        let texts = mark.texts().iter().filter(|_| own);
        for text in texts.filter(|text| is_whole_tag(text)) {
            if !closers.contains(text) && !spec.boundary.contains(text) {
                closers.push(text.clone());
            }
        }
    }
    closers
}

/// In text: closers of parameters are special tokens, and so markup, if no opener was rejected.
pub(super) fn with_stray_tokens(mut spec: DialectSpec) -> DialectSpec {
    let rules = closers(&spec, &[Scope::Value]).into_iter().map(|closer| stray(pattern![closer]));
    let rules: Vec<Rule> = rules.collect();
    spec.prose[0].rules.extend(rules);
    spec
}

/// The closer of a parameter in text.
pub(super) fn stray(closer: Pattern) -> Rule {
    rule(closer).noise().not(Flags::REASONING).does(What::Orphan(Scope::Value))
}

/// Between calls, and between the last one and the closer of its section: closers of what is not open are markup.
pub(super) fn with_stray_closers(mut spec: DialectSpec) -> DialectSpec {
    let closers = closers(&spec, &[Scope::Value, Scope::Call]);
    let has = |section: &SectionKind, closer: &Text| {
        section
            .rules
            .iter()
            .any(|rule| rule.mark.iter().any(|piece| piece.texts().contains(closer)))
    };
    for section in spec.sections.iter_mut().filter(|section| section.calls) {
        let stray: Vec<Text> =
            closers.iter().filter(|closer| !has(section, closer)).cloned().collect();
        let stray = stray
            .into_iter()
            .map(|closer| rule(pattern![closer]).noise().note(DiagnosticKind::OrphanCloser));
        section.rules.extend(stray);
    }
    spec
}

/// In text: a run of these closers that ends in an orphan closer of a call or a block is markup with it.
pub(super) fn runs_of_closers(end: &Text, orphan: bool) -> Rule {
    const CLOSERS: &[&str] = &["</parameter>", "</function>", "</arg_value>"];
    let words = CLOSERS.iter().copied().map(Text::from).collect();
    let run = Piece::Until { to: end.clone(), unless: Vec::new(), words, within: 0 };
    let run = rule(pattern![CLOSERS, run]).noise().not(Flags::REASONING);
    match orphan {
        true => run.does(What::Orphan(Scope::Section)),
        false => run.note(DiagnosticKind::OrphanCloser),
    }
}
