//! `text_at_calls = "trim"`: white space of text next to calls is markup, at every cut.

use crate::support::{inputs, samples};
use toolstream::check::{self, Ended, every_cut, join};
use toolstream::{Dialect, Event, Parser, ToolUse, options::TextAtCalls};

fn trims(parser: &Parser) -> Parser {
    parser.to_builder().text_at_calls(TextAtCalls::Trim).build().expect("the same parser")
}

fn events(parser: &Parser, text: &str) -> Vec<Event<String>> {
    let mut parser = parser.clone();
    let mut events = Vec::new();
    let mut take = |event: Event<&str>| events.push(event.map(String::from));
    parser.feed_into(text, &mut take);
    parser.finish_into(&mut take);
    join(events)
}

/// The text for the user, and the slices of all events, joined.
fn texts(events: &[Event<String>]) -> (String, String) {
    let text = |event: &Event<String>| match event {
        Event::TextContent(text) => Some(text.clone()),
        _ => None,
    };
    let slices = events.iter().filter_map(Event::slice).map(String::as_str);
    (events.iter().filter_map(text).collect(), slices.collect())
}

fn text_of(text: &str) -> String {
    let parser = Parser::builder(Dialect::HERMES).tool_limit(None).build().expect("a parser");
    let parser = trims(&parser);
    let cuts = every_cut(text.len());
    let events =
        check::hold(&parser, text, &cuts, Ended::Stop).unwrap_or_else(|broken| panic!("{broken}"));
    texts(&events).0
}

const CALL: &str = "<tool_call>\n{\"name\": \"list\", \"arguments\": {}}\n</tool_call>";

#[test]
fn white_space_next_to_calls_is_no_text() {
    assert_eq!(text_of(&format!("I look.\n\n{CALL}\n\nDone.")), "I look.Done.");
    assert_eq!(text_of(&format!("{CALL}\n\n{CALL}\n")), "");
    assert_eq!(text_of(&format!("  {CALL}")), "");
}

#[test]
fn white_space_elsewhere_stays() {
    assert_eq!(text_of("\n a \n\n b \n"), "\n a \n\n b \n");
    assert_eq!(text_of("a \n<think>b</think>\n c"), "a \n\n c");
    // Only the run next to the call is markup.
    assert_eq!(text_of(&format!("a \n b \n{CALL} \nc d ")), "a \n bc d ");
    // A rejected call is text, so white space next to it stays.
    assert_eq!(text_of("a \n<tool_call> b"), "a \n<tool_call> b");
    assert_eq!(text_of("a \n</tool_call>\n"), "a \n\n");
    // A longer run stays text, so held bytes are bounded.
    let long = "\n".repeat(2000);
    assert_eq!(text_of(&format!("a{long}{CALL}")), format!("a{long}"));
}

/// In every vector, the laws hold at every cut with both ends. The texts lack the white space next to calls, as a second reading
/// of the events finds it.
#[test]
fn every_vector_at_every_cut() {
    let (mut dropped, mut kept) = (0, 0);
    for dialect in Dialect::ALL {
        for sample in samples::vectors(dialect.name()).iter().step_by(inputs::every()) {
            let (parser, text) = (sample.parser(dialect), &sample.text);
            let trimmed = trims(&parser);
            for ended in [Ended::Stop, Ended::Cut] {
                let cuts = if text.len() < 250 {
                    every_cut(text.len())
                } else {
                    vec![(1..text.len()).collect()]
                };
                check::hold(&trimmed, text, &cuts, ended)
                    .unwrap_or_else(|broken| panic!("{dialect} {text:?}: {broken}"));
            }
            let (before, after) = (events(&parser, text), events(&trimmed, text));
            assert_eq!(texts(&after).1, texts(&before).1, "{dialect} {text:?}");
            let wanted = by_hand(&before);
            assert_eq!(texts(&after).0, wanted, "{dialect} {text:?}");
            match wanted == texts(&before).0 {
                true => kept += 1,
                false => dropped += 1,
            }
        }
    }
    let every = inputs::every();
    assert!(dropped > 500 / every && kept > 1_000 / every, "{dropped} {kept}");
}

/// The texts of a stream without white space next to calls, with the whole stream at hand.
fn by_hand(events: &[Event<String>]) -> String {
    let is_zero = |event: &&Event<String>| matches!(event, Event::Markup(_) | Event::Diagnostic(_));
    let mut text = String::new();
    for (at, event) in events.iter().enumerate() {
        let Event::TextContent(piece) = event else { continue };
        let mut piece = piece.as_str();
        let white = |c: char| [' ', '\t', '\r', '\n'].contains(&c);
        let behind = |event: Option<&Event<String>>| {
            matches!(event, Some(Event::ToolUse(ToolUse::End { .. })))
        };
        // A run of white space alone does not separate a text from the call.
        let before = events[..at].iter().rev().find(|event| {
            !is_zero(event) && !matches!(event, Event::TextContent(text) if text.chars().all(white))
        });
        if behind(before) {
            piece = piece.trim_start_matches(white);
        }
        let next = events[at + 1..].iter().find(|event| !is_zero(event));
        if matches!(next, Some(Event::ToolUse(ToolUse::Start { .. }) | Event::ToolLimitReached(_)))
        {
            piece = piece.trim_end_matches(white);
        }
        text.push_str(piece);
    }
    text
}
