//! Checks of any list of events: the laws that hold without a parser, and the message.

use toolstream::check::{Ended, has_shape};
use toolstream::{
    Event, Message, Parser, Status, ToolUse,
    diagnostic::{Cause, DiagnosticKind as Kind},
};

/// Collects events into the message of a parser, whoever made them.
pub fn message(parser: &Parser, events: Vec<Event<String>>) -> Message {
    let mut message = parser.message();
    events.into_iter().for_each(|event| message.push(event));
    message.close();
    message
}

/// The slices tile the input. Calls and parameters open and close in turn. A diagnostic names the call that is open at its place.
/// Only a cut stream reports the cut at its end, unless it ends with an ended call.
pub fn keep_the_laws(events: &[Event<String>], input: &str, ended: Ended) -> Result<(), String> {
    let slices: String = events.iter().filter_map(Event::slice).map(String::as_str).collect();
    let limit = match events.last() {
        Some(Event::ToolLimitReached(reached)) => Some(reached.at),
        _ => None,
    };
    if slices != input[..limit.unwrap_or(input.len())] {
        return Err(format!("the slices are {slices:?}"));
    }
    has_shape(events)?;
    let mut open = None;
    for event in events {
        match event {
            Event::ToolUse(ToolUse::Start { index, .. }) => open = Some(*index),
            Event::ToolUse(ToolUse::End { .. }) => open = None,
            Event::Diagnostic(diagnostic) if diagnostic.call != open => {
                return Err(format!("{diagnostic:?} is about another call than {open:?}"));
            }
            _ => {}
        }
    }
    let cuts = events.iter().filter(|event| says_cut(event)).count();
    let expected = usize::from(ended == Ended::Cut && limit.is_none());
    let is_last = cuts == 0 || events.last().is_some_and(says_cut);
    if (cuts == expected || cuts == 0 && ends_with_call(events)) && is_last {
        Ok(())
    } else {
        Err("cut_stream is not as it should be".into())
    }
}

/// Whether only white space and markup follow the last call, which the end of the stream did not cut.
fn ends_with_call(events: &[Event<String>]) -> bool {
    let nothing = |event: &&Event<String>| match event {
        Event::Markup(_) | Event::Diagnostic(_) => true,
        Event::TextContent(text) => text.trim().is_empty(),
        _ => false,
    };
    let last = events.iter().rev().find(|event| !nothing(event));
    let Some(Event::ToolUse(ToolUse::End { status, .. })) = last else { return false };
    *status != Status::Incomplete(Cause::EndOfStream)
}

fn says_cut(event: &Event<String>) -> bool {
    matches!(event, Event::Diagnostic(found) if found.kind == Kind::CutStream)
}
