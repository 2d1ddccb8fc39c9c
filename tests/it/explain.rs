//! Reasons why a marker counted or did not: [`Marker`] at every cut, and its sentence.

use std::collections::HashSet;
use std::fmt::Write as _;

use toolstream::check::join;
use toolstream::{
    Dialect, Event, Parser, Sink,
    diagnostic::{Marker, Refused},
};

use crate::support::{expected, inputs, samples};

/// Events and markers of a stream.
#[derive(Default)]
struct Told {
    events: Vec<Event<String>>,
    /// Offset, sentence, whether it counts.
    markers: Vec<(usize, String, bool)>,
    /// The kind of each marker that does not count: its role, and the reason of the refusal.
    kinds: Vec<String>,
}

impl Sink for Told {
    fn event(&mut self, event: Event<&str>) {
        self.events.push(event.map(String::from));
    }

    fn wants_markers(&self) -> bool {
        true
    }

    fn marker(&mut self, marker: &Marker<'_>) {
        assert!(!marker.text.is_empty(), "{marker:?}");
        self.markers.push((marker.at, marker.to_string(), marker.refused.is_none()));
        if let Some(refused) = &marker.refused {
            let why = match refused {
                Refused::Next { expected, .. } => format!("next: {expected}"),
                other => format!("{other:?}"),
            };
            self.kinds.push(format!("{}, {why}", marker.role));
        }
    }
}

/// Output for a text in chunks of `size` bytes.
fn told(parser: &Parser, text: &str, size: usize) -> Told {
    let (mut parser, mut told) = (parser.clone(), Told::default());
    for chunk in text.as_bytes().chunks(size) {
        parser.feed_bytes_into(chunk, &mut told);
    }
    parser.finish_into(&mut told);
    told
}

/// A sink that wants markers gets the same events, in every vector and in some soup.
#[test]
fn to_be_told_changes_no_event() {
    let (mut counted, mut refused) = (0, 0);
    for dialect in Dialect::ALL {
        let vectors = samples::vectors(dialect.name());
        let soup: Vec<_> = (0..20).map(|seed| samples::soup(&vectors, seed)).collect();
        for sample in vectors.iter().chain(&soup) {
            let (mut parser, text) = (sample.parser(dialect), &sample.text);
            let whole = told(&parser, text, usize::MAX);
            let mut plain = Vec::new();
            for chunk in inputs::pieces(text, 3) {
                plain.extend(parser.feed(chunk).map(|event| event.map(String::from)));
            }
            plain.extend(parser.finish().map(|event| event.map(String::from)));
            assert_eq!(join(whole.events), join(plain), "{dialect}: {text:?}");
            counted += whole.markers.iter().filter(|(_, _, counts)| *counts).count();
            refused += whole.markers.iter().filter(|(_, _, counts)| !counts).count();
        }
    }
    assert!(counted > 10_000 && refused > 1_000, "{counted} {refused}");
}

/// In chunks of `size` bytes, every vector has the events and markers of the whole text.
fn no_cut_changes_what_is_told(size: usize) {
    for dialect in Dialect::ALL {
        for sample in samples::vectors(dialect.name()).iter().step_by(inputs::every()) {
            let (parser, text) = (sample.parser(dialect), &sample.text);
            let [whole, cut] = [usize::MAX, size].map(|size| told(&parser, text, size));
            assert_eq!(join(cut.events), join(whole.events), "{dialect} {size}: {text:?}");
            assert_eq!(cut.markers, whole.markers, "{dialect} {size}: {text:?}");
        }
    }
}

#[test]
fn in_single_bytes() {
    no_cut_changes_what_is_told(1);
}

#[test]
fn in_chunks_of_two_and_three_bytes() {
    no_cut_changes_what_is_told(2);
    no_cut_changes_what_is_told(3);
}

#[test]
fn in_chunks_of_five_and_sixteen_bytes() {
    no_cut_changes_what_is_told(5);
    no_cut_changes_what_is_told(16);
}

/// A sentence for each kind of marker that does not count, once for each dialect: where it stands, how far it was read, and
/// what refused it. `EXPECTED=write` writes the file anew; read the changes before you commit them.
#[test]
fn what_is_told() {
    let mut lines = String::new();
    for dialect in Dialect::ALL {
        let mut known = HashSet::new();
        for sample in samples::vectors(dialect.name()) {
            let told = told(&sample.parser(dialect), &sample.text, usize::MAX);
            let refused = told.markers.into_iter().filter(|(_, _, counts)| !counts);
            for ((at, sentence, _), kind) in refused.zip(told.kinds) {
                if known.insert(kind) {
                    writeln!(lines, "{dialect} {at}: {sentence}").expect("a string takes all");
                }
            }
        }
    }
    expected::compare("explained.txt", &lines);
}
