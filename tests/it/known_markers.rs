//! Markers that any parser of the same tables has read before: what one comes to must not depend on that. (In debug
//! builds the machine compares each with what it reads; this holds what a release build says, too.)

use toolstream::{Dialect, Event, Parser};

use crate::support::inputs;

/// Whatever was read before, by clones of the same parser, a text gives what a parser gives that has read nothing.
fn is_as_alone(dialect: &Dialect, before: &[&str], text: &str) {
    let events = |mut parser: Parser| {
        let mut events: Vec<Event<String>> =
            parser.feed(text).map(|event| event.map(str::to_string)).collect();
        events.extend(parser.finish().map(|event| event.map(str::to_string)));
        events
    };
    let parser = inputs::parser(dialect);
    for _ in 0..3 {
        for text in before {
            let mut reader = parser.clone();
            reader.feed(text).for_each(drop);
            reader.finish().for_each(drop);
        }
    }
    assert_eq!(events(parser), events(inputs::parser(dialect)), "{dialect:?}, after {before:?}");
}

/// The same in two places, each way round: in debug builds every other marker is read though it is known, by where it
/// begins.
fn are_as_alone(dialect: &Dialect, [one, other]: [&str; 2]) {
    for line in ["", "\n"] {
        is_as_alone(dialect, &[one], &format!("{line}{other}"));
        is_as_alone(dialect, &[other], &format!("{line}{one}"));
    }
}

/// A tag in a value is suspect while its parameter may still come, and plain text once it was given.
#[test]
fn which_parameters_were_given() {
    let suspect =
        "<write_to_file>\n<path>a <diff> b</path>\n<content>c</content>\n</write_to_file>\n";
    let plain = "<write_to_file>\n<diff>d</diff>\n<path>a <diff> b</path>\n</write_to_file>\n";
    are_as_alone(&Dialect::CLINE, [suspect, plain]);
}

/// The closer of one parameter is text in the value of another.
#[test]
fn which_parameter_is_open() {
    let path = "<write_to_file>\n<path>a</path>\n<content>b</content>\n</write_to_file>\n";
    let content = "<write_to_file>\n<content>a</path>\n<content>b</content>\n</write_to_file>\n";
    are_as_alone(&Dialect::CLINE, [path, content]);
}

/// Every text that the benches and the memory tests know, after every other.
#[test]
fn every_text_after_every_other() {
    for dialect in Dialect::ALL {
        let mut texts: Vec<String> =
            inputs::hostile(dialect).iter().map(|hostile| hostile.text(300)).collect();
        texts.push(inputs::session(dialect));
        texts.push(inputs::write(dialect, "a few words"));
        let before: Vec<&str> = texts.iter().map(|text| &**text).collect();
        texts.iter().step_by(inputs::every()).for_each(|text| is_as_alone(dialect, &before, text));
    }
}
