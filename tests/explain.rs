//! Why a marker counted or did not: [`Marker`] at every cut, and what it says.
#![cfg(feature = "json")]

mod support;

use support::tables;
use toolstream::check::join;
use toolstream::{Dialect, Event, Marker, Parser, Sink};

/// What a stream says, and of its markers.
#[derive(Default)]
struct Told {
    events: Vec<Event<String>>,
    /// Offset, sentence, whether it counts.
    markers: Vec<(usize, String, bool)>,
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
    }
}

/// What is told of a text in chunks of so many bytes.
fn told(parser: &Parser, text: &str, size: usize) -> Told {
    let (mut parser, mut told) = (parser.clone(), Told::default());
    for chunk in text.as_bytes().chunks(size) {
        parser.feed_bytes_into(chunk, &mut told);
    }
    parser.finish_into(&mut told);
    told
}

/// Over every vector: to be told changes no event, and no cut changes what is told.
#[test]
fn no_cut_changes_what_is_told() {
    let (mut counted, mut refused) = (0, 0);
    for dialect in Dialect::ALL {
        for sample in tables::vectors(dialect.name()) {
            let (mut parser, text) = (sample.parser(dialect), &sample.text);
            let whole = told(&parser, text, usize::MAX);
            for size in [1, 2, 3, 5, 16] {
                let cut = told(&parser, text, size);
                assert_eq!(
                    join(cut.events),
                    join(whole.events.clone()),
                    "{dialect} {size}: {text:?}"
                );
                assert_eq!(cut.markers, whole.markers, "{dialect} {size}: {text:?}");
            }
            let mut plain: Vec<_> =
                parser.feed(text).map(|event| event.map(String::from)).collect();
            plain.extend(parser.finish().map(|event| event.map(String::from)));
            assert_eq!(join(whole.events), join(plain), "{dialect}: {text:?}");
            counted += whole.markers.iter().filter(|(_, _, counts)| *counts).count();
            refused += whole.markers.iter().filter(|(_, _, counts)| !counts).count();
        }
    }
    assert!(counted > 10_000 && refused > 1_000, "{counted} {refused}");
}
