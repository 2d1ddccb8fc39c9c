//! The machine against its slow twin: the same events, whatever the text.
#![cfg(feature = "json")]

mod oracle;
mod support;

use support::soup::{self, Case};
use toolstream::check::laws::{self, join};
use toolstream::{DiagnosticKind, Event};

/// The events without diagnostics, and the kinds of those, sorted: a twin that looks ahead may
/// notice a thing earlier.
fn split(events: Vec<Event<String>>) -> (Vec<Event<String>>, Vec<DiagnosticKind>) {
    let mut kinds = Vec::new();
    let rest = events.into_iter().filter(|event| match event {
        Event::Diagnostic(diagnostic) => {
            kinds.push(diagnostic.kind);
            false
        }
        _ => true,
    });
    let rest = join(rest);
    kinds.sort();
    (rest, kinds)
}

fn agree(case: &Case) {
    let events = laws::run(&case.parser(), case.text.as_bytes(), &case.cuts)
        .unwrap_or_else(|broken| panic!("{broken}, in {case:#?}"));
    let twin = oracle::oracle(case.dialect.name(), &case.tools, &case.options, &case.text);
    let (events, kinds) = split(events);
    let (twin, twin_kinds) = split(twin);
    let at = events.iter().zip(&twin).take_while(|(a, b)| a == b).count();
    assert!(
        events == twin,
        "event {at} is {:?}, the twin says {:?}, in {case:#?}",
        events.get(at),
        twin.get(at)
    );
    assert_eq!(kinds, twin_kinds, "diagnostics, in {case:#?}");
}

#[test]
fn agrees_on_soup() {
    let rounds: u64 = std::env::var("TWIN_ROUNDS").map_or(4_000, |n| n.parse().expect("a number"));
    for seed in 0..rounds {
        agree(&soup::case(&soup::seeded(seed, 12 + seed as usize % 80)));
    }
}
