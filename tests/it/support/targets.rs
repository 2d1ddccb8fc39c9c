//! Further bodies of fuzz targets, each of which asserts an equality: calls there and back, a provider's stream at any cut,
//! shapes, deltas, and the arguments of an open call. `loops.rs` has the body for the policy.
#![allow(dead_code, reason = "a fuzz target runs one of them")]

use std::ops::Range;

use serde_json::{Map, Value, json};
use toolstream::check::{Ended, every_cut, has_shape, hold, join};
use toolstream::native::{Provider, Reader};
use toolstream::sse::Decoder;
use toolstream::{Dialect, Event, Message, Parser, Tool, render::CallRef};

use super::soup::{self, Choices};
use super::{calls, gateway, markers, partial};

/// The joined deltas of calls are those of `Message`, in three protocols, or are reported broken. The calls are whole or damaged,
/// in every dialect.
pub fn deltas(data: &[u8]) {
    let case = soup::raw(data).unwrap_or_else(|| calls::damaged_in(Dialect::ALL, data));
    gateway::check(&case.parser(), &case.text, &case.cuts, case.ended);
}

/// Each look at the arguments of an open call is the beginning of the next look, and of the final arguments.
pub fn partial_values(data: &[u8]) {
    let case = soup::raw(data).unwrap_or_else(|| match data.split_first() {
        Some((form, data)) if form % 2 == 1 => calls::damaged_in(Dialect::ALL, data),
        _ => soup::case(data),
    });
    let bytes: Vec<Range<usize>> = (0..case.text.len()).map(|at| at..at + 1).collect();
    let cut = case.ended == Ended::Cut;
    let (looks, message) = partial::looks(&case.parser(), &case.text, &bytes, cut);
    assert_eq!(partial::broken(&looks, &message), None, "{case:#?}");
}

/// Shapes that are spoilt: those of the page `shapes`.
const SHAPES: [&str; 5] = [
    r#"{"name": "lines", "call": "@@call {name}@@\n{arguments}@@end@@", "argument": "{key}={value}\n"}"#,
    r#"{"name": "tag", "call": "<call name=\"{name}\">{arguments}</call>"}"#,
    r#"{"name": "fence", "section": "```tool_calls\n[{calls}]\n```", "call": "{\"name\": {name}, \"arguments\": {arguments}}"}"#,
    r#"{"name": "use", "call": "<use tool=\"{name}\"{arguments}/>", "argument": " {key}=\"{value}\""}"#,
    r#"{"name": "attributes", "call": "<do id=\"{id}\" name=\"{name}\">{arguments}</do>",
        "argument": "<arg name=\"{key}\" type=\"{type}\">{value}</arg>", "tokens": ["<do"]}"#,
];
/// Pieces that are put into their texts.
const BITS: [&str; 28] = [
    "{name}",
    "{key}",
    "{value}",
    "{arguments}",
    "{calls}",
    "{id}",
    "{type}",
    "<",
    ">",
    "\n",
    " ",
    "\"",
    "[",
    "]",
    "/",
    "x",
    "é",
    "\"é",
    "<é>",
    "«!",
    "]é",
    "<|a|>",
    "=",
    "{",
    "}",
    "@@",
    "```",
    "</call>",
];

/// A spoilt shape is refused with the name of a field, or becomes a dialect that obeys the laws, in linear time.
pub fn shape(data: &[u8]) {
    let mut choices = Choices::new(data);
    let mut shape: Value = serde_json::from_str(choices.of(&SHAPES)).expect("a shape");
    for _ in 0..=choices.below(4) {
        spoil_shape(&mut shape, &mut choices);
    }
    let dialect = match Dialect::from_json(&shape.to_string()) {
        Ok(dialect) => dialect,
        Err(error) => {
            let error = error.to_string();
            let names = |key: &String| {
                error.starts_with(key.as_str()) || error.contains(&format!("`{key}`"))
            };
            let lacks = ["name: it is empty", "call: it is empty"];
            return assert!(
                shape.as_object().expect("a shape").keys().any(names)
                    || lacks.iter().any(|lack| error.starts_with(lack)),
                "{error}: {shape}"
            );
        }
    };
    let parser = Parser::builder(&dialect).tools(soup::tools()).build();
    let parser = parser.unwrap_or_else(|error| panic!("{error}: {shape}"));
    let names = ["read", "path", "x"].map(String::from);
    let bits = BITS.iter().map(|bit| bit.to_string()).chain(names);
    let pieces: Vec<String> = markers::of(&dialect).into_iter().chain(bits).collect();
    let text: String =
        (0..choices.below(24)).map(|_| &*pieces[choices.below(pieces.len())]).collect();
    if let Err(broken) = hold(&parser, &text, &every_cut(text.len()), Ended::Stop) {
        panic!("{broken}\n{text:?}\n{shape}");
    }
    is_linear(&parser, &text);
}

/// Checks that a text many times over is that many times the work, and no more.
fn is_linear(parser: &Parser, text: &str) {
    const TIMES: usize = 16;
    // The most looks at a byte: each reader of a state may look at it, each time that a marker is rejected.
    const EACH: usize = 200;
    let mut parser = parser.clone();
    parser.feed_with(&text.repeat(TIMES), |_| {});
    parser.finish_into(&mut |_: Event<&str>| {});
    let most = EACH * (text.len() * TIMES + 512);
    assert!(
        parser.examined() <= most,
        "{} bytes of {} examined, of {text:?}",
        parser.examined(),
        text.len() * TIMES
    );
}

fn spoil_shape(shape: &mut Value, choices: &mut Choices<'_>) {
    const KEYS: [&str; 6] = ["call", "argument", "section", "result", "tokens", "name"];
    let keys = shape.as_object_mut().expect("a shape");
    let key = choices.of(&KEYS);
    match choices.below(6) {
        0 => drop(keys.remove(key)),
        1 => drop(keys.insert(
            key.to_string(),
            choices.of(&[json!(null), json!(7), json!([]), json!(["<|a|>"])]),
        )),
        _ => {
            let mut text = keys.get(key).and_then(Value::as_str).unwrap_or_default().to_string();
            let places: Vec<usize> =
                text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
            let from = places[choices.below(places.len())];
            let to = places[choices.below(places.len())];
            let (from, to) = (from.min(to), from.max(to).min(from.min(to) + choices.below(4)));
            let to = places.iter().copied().find(|at| *at >= to).unwrap_or(text.len());
            text.replace_range(from..to, choices.of(&BITS));
            keys.insert(key.to_string(), if key == "tokens" { json!([text]) } else { json!(text) });
        }
    }
}

/// The events of a provider's stream are equal at every cut of its bytes, and have their shape. The stream is spoilt.
pub fn native(data: &[u8]) {
    static STREAMS: std::sync::LazyLock<Vec<(Provider, Vec<Value>)>> =
        std::sync::LazyLock::new(|| {
            let lines = include_str!("../../vectors/native.jsonl").lines();
            let stream = |line: &str| {
                let line: Value = serde_json::from_str(line).expect("a vector");
                let provider = line["provider"].as_str()?.parse().ok()?;
                Some((provider, line["input"].as_array()?.clone()))
            };
            lines.filter_map(stream).collect()
        });
    let mut choices = Choices::new(data);
    let (provider, events) = &STREAMS[choices.below(STREAMS.len())];
    let mut events = Value::Array(events.clone());
    let other = Value::Array(STREAMS[choices.below(STREAMS.len())].1.clone());
    let cut_bytes = soup::cut_bytes(&mut choices);
    for _ in 0..choices.below(6) {
        spoil_json(&mut events, &other, &mut choices);
    }
    let mut sent = Vec::new();
    for event in events.as_array().into_iter().flatten() {
        let end = choices.of(&["\n\n", "\r\n\r\n", "\n: keep\n\n", "\nid: 7\n\n", "\r\r"]);
        sent.extend(format!("data: {event}{end}").into_bytes());
    }
    let reader = Reader::builder(*provider).tools(soup::tools()).build().expect("a reader");
    let whole = received(&reader, &sent, &[]);
    has_shape(&whole).unwrap_or_else(|what| panic!("{what}: {whole:#?}"));
    for cuts in [soup::cuts(&cut_bytes, sent.len()), (1..sent.len()).collect()] {
        assert_eq!(received(&reader, &sent, &cuts), whole, "{provider:?} cut at {cuts:?}");
    }
}

fn received(reader: &Reader, sent: &[u8], cuts: &[usize]) -> Vec<Event<String>> {
    let (mut reader, mut decoder, mut events) = (reader.clone(), Decoder::default(), Vec::new());
    let mut take = |event: Event<&str>| events.push(event.map(String::from));
    let mut from = 0;
    for to in cuts.iter().copied().chain([sent.len()]) {
        decoder.feed(&sent[from..to], |data| reader.feed_into(data, &mut take));
        from = to;
    }
    decoder.finish(|data| reader.feed_into(data, &mut take));
    reader.finish_into(&mut take);
    join(events)
}

/// Replaces a part of a value: by a part of another one, or by nothing.
fn spoil_json(value: &mut Value, other: &Value, choices: &mut Choices<'_>) {
    fn places(value: &Value, at: String, all: &mut Vec<String>) {
        match value {
            Value::Object(keys) => keys.iter().for_each(|(key, value)| {
                places(value, format!("{at}/{}", key.replace('~', "~0").replace('/', "~1")), all)
            }),
            Value::Array(items) => items
                .iter()
                .enumerate()
                .for_each(|(key, value)| places(value, format!("{at}/{key}"), all)),
            _ => {}
        }
        all.push(at);
    }
    let mut any = |of: &Value| {
        let mut all = Vec::new();
        places(of, String::new(), &mut all);
        let which = (choices.below(256) << 8 | choices.below(256)) % all.len();
        all.swap_remove(which)
    };
    let (place, donor) = (any(value), any(other));
    let part = value.pointer_mut(&place).expect("a place of it");
    match choices.below(6) {
        0 => *part = Value::Null,
        1 => *part = json!(choices.below(3)),
        2 => {
            *part = json!(choices.of(&["", "{", "}", "\"", "\\", "é", "tool_use", "stop", "read"]))
        }
        3 if part.is_array() => part.as_array_mut().expect("a list").reverse(),
        _ => *part = other.pointer(&donor).expect("a place of the other").clone(),
    }
}

/// Texts around calls: nothing that the dialect itself would write whole.
const AROUND: [&str; 20] = [
    "So.", " ", "\n", "\n\n", "a < b", "<b>", "</b>", "{", "}", "[", "]", "\"", "'", "`", "é🦀",
    "\\", "&lt;", "</", "<|", "-",
];

/// Written calls with text around them read back equal, or are refused.
pub fn round_trip(data: &[u8]) {
    let mut choices = Choices::new(data);
    let (dialect, pieces) = &markers::all()[choices.below(Dialect::ALL.len())];
    let cut_bytes = soup::cut_bytes(&mut choices);
    let tools = soup::tools();
    let builder = Parser::builder(dialect).tools(tools.clone()).tool_limit(None);
    let parser = builder.build().expect("the soup's tools are well named");
    let count = 1 + choices.below(2);
    let made: Vec<_> = (0..count).map(|_| made_call(&mut choices, &tools, pieces)).collect();
    let refs: Vec<CallRef<'_>> =
        made.iter().map(|(name, input)| CallRef::new(name, input)).collect();
    let Ok(written) = parser.render_calls(&refs) else { return };
    reads(&parser, &written, &cut_bytes, &made, dialect);
    let around = |choices: &mut Choices<'_>| -> String {
        (0..choices.below(5)).map(|_| choices.of(&AROUND)).collect()
    };
    // Text before or behind calls is tried where plain text may stand.
    let before = format!("{}So.\n\n", around(&mut choices));
    if is_read(&parser, &format!("So.\n\n{written}"), &made) && parser.sanitize(&before) == before {
        let text = format!("{before}{written}");
        let ambiguous = before.contains(['{', '[', '`', '<']);
        if !ambiguous {
            reads(&parser, &text, &cut_bytes, &made, dialect);
        }
    }
    let after = format!("\n\nSo. {}", around(&mut choices));
    if is_read(&parser, &format!("{written}\n\nSo."), &made)
        && !after.contains(['{', '[', '<', '`'])
    {
        reads(&parser, &format!("{written}{after}"), &cut_bytes, &made, dialect);
    }
}

type Made = (String, Map<String, Value>);

fn made_call(choices: &mut Choices<'_>, tools: &[Tool], pieces: &[String]) -> Made {
    let tool = choices.of(tools);
    let mut arguments = Map::new();
    for param in &tool.params {
        if !param.required && choices.one_in(2) {
            continue;
        }
        let text = |choices: &mut Choices<'_>| -> String {
            let piece = |choices: &mut Choices<'_>| match choices.one_in(3) {
                true => {
                    pieces[(choices.below(256) << 8 | choices.below(256)) % pieces.len()].clone()
                }
                false => choices.of(&AROUND).to_string(),
            };
            (0..choices.below(5)).map(|_| piece(choices)).collect()
        };
        let value = match param.name.as_str() {
            "paths" => json!([text(choices), {"deep": [1, null, text(choices)]}]),
            _ => json!(text(choices)),
        };
        arguments.insert(param.name.to_string(), value);
    }
    (tool.name.to_string(), arguments)
}

fn reads(parser: &Parser, text: &str, cut_bytes: &[usize], made: &[Made], dialect: &Dialect) {
    let cuts = [Vec::new(), soup::cuts(cut_bytes, text.len())];
    let events = hold(parser, text, &cuts, Ended::Stop)
        .unwrap_or_else(|broken| panic!("{broken}, in {text:?}"));
    let mut message = parser.message();
    events.into_iter().for_each(|event| message.push(event));
    message.close();
    assert_eq!(made_of(&message), made, "{dialect}: {text:?}");
}

fn is_read(parser: &Parser, text: &str, made: &[Made]) -> bool {
    made_of(&parser.parse(text)) == made
}

fn made_of(message: &Message) -> Vec<Made> {
    message.calls().map(|call| (call.name().to_string(), call.input().clone())).collect()
}
