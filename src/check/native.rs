//! Vectors of a provider's stream: its events, fed as values and as JSON text.

use serde_json::Value;

use super::expect::{compare, options};
use super::laws::{self, Ended};
use crate::event::Event;
use crate::message::Message;
use crate::native::{Provider, Reader};
use crate::tool::Tool;

/// Runs a vector.
///
/// # Errors
/// The difference, or the mistake in the vector.
pub(super) fn check(vector: &Value, provider: Provider) -> Result<(), String> {
    let (reader, ended) = reader(vector, provider)?;
    let input = vector.get("input").and_then(Value::as_array).ok_or("it has no list of events")?;

    let as_values = run(&reader, ended, |reader, sink| {
        input
            .iter()
            .for_each(|event| reader.feed_value_into(event, &mut |event: Event<&str>| sink(event)));
    });
    let as_text = run(&reader, ended, |reader, sink| {
        for event in input {
            reader.feed_into(event.to_string(), &mut |event: Event<&str>| sink(event));
        }
        reader.feed_into("[DONE]", &mut |event: Event<&str>| sink(event));
    });
    if as_values.0 != as_text.0 {
        return Err("events from values and from JSON text differ".to_string());
    }
    laws::has_shape(&as_values.0).map_err(|what| format!("law of shape broken: {what}"))?;
    let slices: usize = as_values.0.iter().filter_map(Event::slice).map(String::len).sum();
    if slices != as_values.1.position() {
        return Err(format!("{slices} bytes in slices, but position {}", as_values.1.position()));
    }
    let expect = vector.get("expect").and_then(Value::as_object);
    compare(expect.ok_or("it expects nothing")?, &as_values.1)
}

/// Returns the reader of a vector, and the end of its stream. There is no limit unless the vector has one.
fn reader(vector: &Value, provider: Provider) -> Result<(Reader, Ended), String> {
    let tools = vector.get("tools").and_then(Value::as_array).into_iter().flatten();
    let tools: Result<Vec<Tool>, _> = tools.map(Tool::from_json).collect();
    let (options, ended) = options(vector, None)?;
    let reader = Reader::builder(provider)
        .tools(tools.map_err(|error| error.to_string())?)
        .tool_limit(options.tool_limit)
        .repairs(options.repairs)
        .build();
    Ok((reader.map_err(|error| error.to_string())?, ended))
}

/// Returns the events of a fresh reader for this input.
fn run(
    reader: &Reader,
    ended: Ended,
    feed: impl FnOnce(&mut Reader, &mut dyn FnMut(Event<&str>)),
) -> (Vec<Event<String>>, Message) {
    let mut reader = reader.clone();
    reader.reset();
    let mut message = reader.message();
    let mut events = Vec::new();
    let mut take = |event: Event<&str>| {
        message.push(event);
        events.push(event.map(String::from));
    };
    feed(&mut reader, &mut take);
    match ended {
        Ended::Stop => reader.finish_into(&mut take),
        Ended::Cut => reader.finish_cut_into(&mut take),
    }
    message.close();
    (events, message)
}
