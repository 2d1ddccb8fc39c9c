//! Streams of the providers: the vectors, the laws on random fragments and random envelopes, the bounds, and the command line.

mod calls;
#[cfg(feature = "cli")]
mod command_line;
mod ends;
mod keeps;
mod text_calls;

use std::collections::HashMap;
use std::sync::OnceLock;

use proptest::prelude::*;
use serde_json::{Value, json};
use toolstream::check::{self, Vector, VectorOutcome, every_cut, join};
use toolstream::native::{Provider, Reader};
use toolstream::{Block, Ending, Event, Message, Param, Tool, ToolUse};

fn lines() -> Vec<Value> {
    let path = format!("{}/tests/vectors/native.jsonl", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).expect("the vectors");
    text.lines().map(|line| serde_json::from_str(line).expect("a vector")).collect()
}

#[test]
fn vectors() {
    let lines = lines();
    let run = |line: &Value| {
        let vector = Vector::from_line(&line.to_string()).expect("a vector");
        let outcome = vector.run(every_cut);
        (outcome != VectorOutcome::Passed).then(|| format!("{}: {outcome:?}", vector.id))
    };
    let failed: Vec<String> = lines.iter().filter_map(run).collect();
    assert!(failed.is_empty(), "{} failed:\n{}", failed.len(), failed.join("\n"));
    for provider in Provider::ALL {
        let of = lines.iter().filter(|line| line["provider"] == provider.name()).count();
        assert!(of >= 10, "{provider} has too few vectors");
    }
}

#[test]
fn a_vector_can_fail() {
    let mut line = lines().remove(0);
    line["expect"]["text"] = "something else".into();
    let outcome = Vector::from_line(&line.to_string()).expect("a vector").run(every_cut);
    assert!(matches!(outcome, VectorOutcome::Failed(_)), "{outcome:?}");
    line["provider"] = "nobody".into();
    let outcome = Vector::from_line(&line.to_string()).expect("a vector").run(every_cut);
    assert_eq!(outcome, VectorOutcome::Skipped("nobody".to_string()));
}

fn tools() -> Vec<Tool> {
    vec![
        Tool::new("save").param(Param::required("file")).param(Param::optional("body")),
        Tool::new("save_as").param(Param::required("file")),
        Tool::new("list"),
    ]
}

fn reader(provider: Provider) -> Reader {
    Reader::builder(provider).tools(tools()).build().expect("a reader")
}

fn events(reader: &mut Reader, input: &[Value]) -> Vec<Event<String>> {
    let mut events = Vec::new();
    for event in input {
        events.extend(reader.feed_value(event).map(|event| event.map(String::from)));
    }
    events.extend(reader.finish().map(|event| event.map(String::from)));
    let limited = events.iter().any(|event| matches!(event, Event::ToolLimitReached(_)));
    assert!(limited || reader.held() == 0, "{} bytes wait after the end", reader.held());
    events
}

fn message(reader: &Reader, events: &[Event<String>]) -> Message {
    let mut message = reader.message();
    events.iter().for_each(|event| message.push(event.as_str()));
    message.close();
    message
}

fn kinds(message: &Message) -> Vec<&'static str> {
    message.diagnostics().iter().map(|diagnostic| diagnostic.kind.as_str()).collect()
}

/// A text in pieces of at most these many characters each.
fn pieces(text: &str, sizes: &[usize]) -> Vec<String> {
    let (mut chars, mut sizes) = (text.chars().peekable(), sizes.iter().cycle());
    let mut pieces = Vec::new();
    while chars.peek().is_some() {
        pieces.push(chars.by_ref().take(sizes.next().copied().unwrap_or(1)).collect());
    }
    pieces
}

fn entry(index: usize, fragment: &str) -> Value {
    let entry = json!({"index": index, "function": {"arguments": fragment}});
    json!({"choices": [{"delta": {"tool_calls": [entry]}}]})
}

fn named(index: usize) -> Value {
    let entry = json!({"index": index, "id": format!("c{index}"), "function": {"name": "save"}});
    json!({"choices": [{"delta": {"tool_calls": [entry]}}]})
}

fn chat_end() -> Value {
    json!({"choices": [{"delta": {}, "finish_reason": "tool_calls"}]})
}

fn block(index: usize) -> Value {
    let block = json!({"type": "tool_use", "id": format!("c{index}"), "name": "save", "input": {}});
    json!({"type": "content_block_start", "index": index, "content_block": block})
}

fn block_delta(index: usize, fragment: &str) -> Value {
    let delta = json!({"type": "input_json_delta", "partial_json": fragment});
    json!({"type": "content_block_delta", "index": index, "delta": delta})
}

fn block_stop(index: usize) -> Value {
    json!({"type": "content_block_stop", "index": index})
}

fn item(index: usize) -> Value {
    let item = json!({"type": "function_call", "id": format!("f{index}"), "name": "save",
        "call_id": format!("c{index}"), "arguments": ""});
    json!({"type": "response.output_item.added", "output_index": index, "item": item})
}

fn item_delta(index: usize, fragment: &str) -> Value {
    json!({"type": "response.function_call_arguments.delta", "item_id": format!("f{index}"),
        "output_index": index, "delta": fragment})
}

/// Arguments as models write them: an object, perhaps broken, perhaps with something behind it.
fn arguments() -> impl Strategy<Value = String> {
    let body =
        ("[a-z\"\\\\{}é🦀\n ]{0,12}", any::<bool>(), 0..40usize).prop_map(|(text, two, lost)| {
            let mut object = json!({"file": text});
            if two {
                object["body"] = json!({"deep": [1, text, null]});
            }
            let text = object.to_string();
            let kept = text.chars().count() - if lost < 8 { lost.min(7) } else { 0 };
            text.chars().take(kept).collect::<String>()
        });
    (body, 0..6usize).prop_map(|(body, after)| match after {
        0 => body.clone() + " \n",
        1 => body.clone() + "}",
        2 => body.clone() + "\n" + &body,
        3 => body.clone() + " {\"file\": 1}",
        _ => body,
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    // Split: joined, the arguments are the same for any fragments.
    #[test]
    fn fragments_may_be_cut_anywhere(
        arguments in arguments(),
        sizes in proptest::collection::vec(1..7usize, 1..6),
    ) {
        let whole = vec![arguments.clone()];
        let pieces = pieces(&arguments, &sizes);
        let chat = |pieces: &[String]| {
            let fragments = pieces.iter().map(|piece| entry(0, piece));
            let input: Vec<Value> = [named(0)].into_iter().chain(fragments).chain([chat_end()]).collect();
            join(events(&mut reader(Provider::OpenAiChat), &input))
        };
        prop_assert_eq!(chat(&pieces), chat(&whole));
        let blocks = |pieces: &[String]| {
            let fragments = pieces.iter().map(|piece| block_delta(0, piece));
            let input: Vec<Value> = [block(0)].into_iter().chain(fragments).chain([block_stop(0)]).collect();
            join(events(&mut reader(Provider::Anthropic), &input))
        };
        prop_assert_eq!(blocks(&pieces), blocks(&whole));
        let items = |pieces: &[String]| {
            let fragments = pieces.iter().map(|piece| item_delta(0, piece));
            let input: Vec<Value> = [item(0)].into_iter().chain(fragments).collect();
            join(events(&mut reader(Provider::OpenAiResponses), &input))
        };
        prop_assert_eq!(items(&pieces), items(&whole));
    }

    // Interleaved calls have the events of sequential ones.
    #[test]
    fn interleaving_changes_nothing(
        calls in proptest::collection::vec(
            ("[a-z\"\\\\é ]{0,9}", proptest::collection::vec(1..5usize, 1..4)), 2..5),
        order in proptest::collection::vec(any::<prop::sample::Index>(), 100),
    ) {
        let fragments: Vec<Vec<String>> = calls
            .iter()
            .map(|(text, sizes)| pieces(&json!({"file": text}).to_string(), sizes))
            .collect();
        type Delta = fn(usize, &str) -> Value;
        type Step = fn(usize) -> Value;
        let providers: [(Provider, Step, Delta, Option<Step>); 3] = [
            (Provider::OpenAiChat, named, entry, None),
            (Provider::Anthropic, block, block_delta, Some(block_stop)),
            (Provider::OpenAiResponses, item, item_delta, None),
        ];
        for (provider, begin, delta, end) in providers {
            let mut one_by_one = Vec::new();
            for (index, pieces) in fragments.iter().enumerate() {
                one_by_one.push(begin(index));
                one_by_one.extend(pieces.iter().map(|piece| delta(index, piece)));
                one_by_one.extend(end.map(|end| end(index)));
            }
            let mut mixed: Vec<Value> = (0..fragments.len()).map(begin).collect();
            let mut left: Vec<(usize, std::slice::Iter<'_, String>)> =
                fragments.iter().map(|pieces| pieces.iter()).enumerate().collect();
            for pick in order.iter().cycle() {
                let at = pick.index(left.len());
                let index = left[at].0;
                match left[at].1.next() {
                    Some(piece) => mixed.push(delta(index, piece)),
                    None => {
                        mixed.extend(end.map(|end| end(index)));
                        drop(left.remove(at));
                    }
                }
                if left.is_empty() {
                    break;
                }
            }
            let expected = join(events(&mut reader(provider), &one_by_one));
            prop_assert_eq!(join(events(&mut reader(provider), &mixed)), expected);
        }
    }
}

/// Replaces the `at`th value inside.
fn spoil(value: &mut Value, at: &mut usize, with: &Value) {
    if *at == 0 {
        *value = with.clone();
    }
    *at = at.wrapping_sub(1);
    match value {
        Value::Array(list) => list.iter_mut().for_each(|inner| spoil(inner, at, with)),
        Value::Object(object) => object.values_mut().for_each(|inner| spoil(inner, at, with)),
        _ => {}
    }
}

/// The events of all vectors, by provider.
fn vocabulary() -> &'static HashMap<String, Vec<Value>> {
    static VOCABULARY: OnceLock<HashMap<String, Vec<Value>>> = OnceLock::new();
    VOCABULARY.get_or_init(|| {
        let mut events: HashMap<String, Vec<Value>> = HashMap::new();
        for line in lines() {
            let provider = line["provider"].as_str().expect("a provider").to_string();
            let input = line["input"].as_array().expect("events");
            events.entry(provider).or_default().extend(input.iter().cloned());
        }
        events
    })
}

/// Events of the vectors in any order, some of them spoilt.
fn envelopes() -> impl Strategy<Value = (Provider, Vec<Value>)> {
    let spoilers = prop::sample::select(vec![
        json!(null),
        json!(""),
        json!("x"),
        json!(0),
        json!(-1),
        json!(1e300),
        json!([]),
        json!({}),
        json!([{}]),
        json!({"type": "error"}),
        json!("save"),
        json!("{"),
        json!("}"),
        json!("{\"a\":1}"),
        json!("$.a[]"),
        json!("$['a'][0].b"),
        json!(true),
        json!("null"),
    ]);
    let step = (any::<prop::sample::Index>(), 0..60usize, spoilers, any::<bool>());
    let steps = proptest::collection::vec(step, 1..20);
    (prop::sample::select(Provider::ALL), steps).prop_map(|(provider, steps)| {
        let all = &vocabulary()[provider.name()];
        let pick = |(index, mut at, with, spoilt): (prop::sample::Index, usize, Value, bool)| {
            let mut event = all[index.index(all.len())].clone();
            if spoilt {
                spoil(&mut event, &mut at, &with);
            }
            event
        };
        (provider, steps.into_iter().map(pick).collect())
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    // Infallible, shape, isolated, and one code path for values and text.
    #[test]
    fn any_envelopes(
        (provider, input) in envelopes(),
        limit in prop::option::of(1..3usize),
        hold in prop::sample::select(vec![0, 8, 1000]),
    ) {
        let mut fresh = Reader::builder(provider)
            .tools(tools()).tool_limit(limit).hold(hold).build().expect("a reader");
        let mut reader = fresh.clone();
        let found = events(&mut reader, &input);
        prop_assert_eq!(check::has_shape(&found), Ok(()));
        let slices: usize = found.iter().filter_map(Event::slice).map(String::len).sum();
        prop_assert_eq!(slices, reader.position());
        prop_assert_eq!(reader.limit_reached().is_err(),
            matches!(found.last(), Some(Event::ToolLimitReached(_))));
        let collected = message(&reader, &found);
        prop_assert_eq!(collected.position(), reader.position());

        let (before, after) = input.split_at(input.len() / 2);
        let mut found_again = Vec::new();
        for event in before {
            found_again.extend(fresh.feed(event.to_string()).map(|event| event.map(String::from)));
        }
        let mut snapshot = fresh.clone();
        let rest = events(&mut fresh, after);
        prop_assert_eq!(&events(&mut snapshot, after), &rest);
        found_again.extend(rest);
        prop_assert_eq!(&found_again, &found);

        fresh.reset();
        prop_assert_eq!(&events(&mut fresh, &input), &found);
    }
}

#[test]
fn data_that_is_no_event() {
    let mut reader = reader(Provider::OpenAiChat);
    for data in ["", " \n", "[DONE]", " [DONE]\r\n", "null", "3", "\"x\"", "[]", "{}"] {
        assert_eq!(reader.feed(data).count(), 0, "{data}");
    }
    let chunk = "\u{feff}{\"choices\": [{\"delta\": {\"content\": \"a\"}}]}\n";
    assert_eq!(reader.feed(chunk).collect::<Vec<_>>(), [Event::TextContent("a")]);
    let odd = |event: Event<&str>| match event {
        Event::Diagnostic(diagnostic) => diagnostic.kind.as_str(),
        _ => "",
    };
    assert_eq!(reader.feed("{\"choices\": [").map(odd).collect::<Vec<_>>(), ["provider_error"]);
    let bytes = b"{\"choices\": [{\"delta\": {\"content\": \"\xFF\"}}]}";
    let found: Vec<Event<&str>> = reader.feed(bytes).collect();
    assert_eq!(found[1], Event::TextContent("\u{FFFD}"));
    assert_eq!(odd(found[0]), "invalid_utf8");
    assert_eq!(reader.finish().map(odd).collect::<Vec<_>>(), ["cut_stream"]);
    assert_eq!(reader.finish().count() + reader.feed(chunk).count(), 0);
}

/// An event leaves at once if nothing is in its way.
#[test]
fn nothing_waits_without_need() {
    let mut reader = reader(Provider::OpenAiChat);
    let mut said =
        |event: Value| reader.feed_value(&event).map(|e| e.map(String::from)).collect::<Vec<_>>();
    let entry_of = |entry: Value| json!({"choices": [{"delta": {"tool_calls": [entry]}}]});
    // `save` is known as a tool, although `save_as` is a tool, too.
    let begun = said(entry_of(json!({"index": 0, "function": {"name": "save", "arguments": ""}})));
    assert!(matches!(&begun[..], [Event::ToolUse(ToolUse::Start { name, .. })] if name == "save"));
    let delta = |text: &str| vec![Event::ToolUse(ToolUse::ArgumentsDelta(text.to_string()))];
    assert_eq!(said(entry(0, "{\"fi")), delta("{\"fi"));
    assert_eq!(said(entry(0, "le\": 1}")), delta("le\": 1}"));
    // The next call ends this one, and streams.
    let next =
        said(entry_of(json!({"index": 1, "function": {"name": "list", "arguments": "{\"a"}})));
    assert_eq!(next.len(), 3, "{next:?}");
    assert_eq!(said(entry(1, "\": 2")), delta("\": 2"));

    let mut reader = self::reader(Provider::Anthropic);
    let stream = [block(0), block_delta(0, "{\"file\": 1}")];
    for event in &stream {
        reader.feed_value(event);
    }
    let end = reader.feed_value(&block_stop(0)).collect::<Vec<_>>();
    assert!(matches!(end[..], [Event::ToolUse(ToolUse::End { .. })]), "{end:?}");
}

#[test]
fn what_waits_is_bounded() {
    let mut reader =
        Reader::builder(Provider::OpenAiChat).tools(tools()).hold(1000).build().unwrap();
    let mut found = Vec::new();
    let mut input = vec![named(0), entry(0, "{\"file\": "), named(1)];
    input.extend((0..100).map(|_| entry(1, &" ".repeat(100))));
    input.extend([entry(1, "{\"file\": \"b\"}"), entry(0, "\"late\"}"), chat_end()]);
    for event in &input {
        found.extend(reader.feed_value(event).map(|event| event.map(String::from)));
        assert!(reader.held() <= 1000, "{} bytes are held", reader.held());
    }
    found.extend(reader.finish().map(|event| event.map(String::from)));
    let message = message(&reader, &found);
    assert_eq!(kinds(&message), ["limit_exceeded"]);
    // The call that the others waited for is broken, and the other one is whole.
    let runs: Vec<usize> = message.calls().map(|call| call.index()).collect();
    assert_eq!((runs, message.ended()), (vec![1], Ending::ToolUse));
    assert_eq!(check::has_shape(&found), Ok(()));
}

#[test]
fn a_name_is_not_waited_for_for_ever() {
    let mut reader = reader(Provider::OpenAiChat);
    let mut found = Vec::new();
    for _ in 0..100 {
        let chunk = entry(0, &"x".repeat(1024));
        found.extend(reader.feed_value(&chunk).map(|event| event.map(String::from)));
        assert!(reader.held() <= 64 * 1024);
    }
    found.extend(reader.finish().map(|event| event.map(String::from)));
    assert_eq!(
        kinds(&message(&reader, &found)),
        ["limit_exceeded", "malformed_call", "cut_stream"]
    );
}

/// The bounds of waiting bytes are exact: one byte more breaks the call.
#[test]
fn so_much_waits() {
    let broken = |reader: &mut Reader, event: &Value| {
        let exceeded = |event: Event<&str>| match event {
            Event::Diagnostic(found) => {
                found.kind == toolstream::diagnostic::DiagnosticKind::LimitExceeded
            }
            _ => false,
        };
        reader.feed_value(event).map(exceeded).fold(false, |any, exceeded| any | exceeded)
    };
    // Bytes that wait for an open call.
    let builder = || Reader::builder(Provider::OpenAiChat).tools(tools());
    let mut reader = builder().hold(1000).build().unwrap();
    for event in [named(0), entry(0, "{\"file\": "), named(1)] {
        assert!(!broken(&mut reader, &event));
    }
    let before = reader.held();
    assert!(!broken(&mut reader, &entry(1, &" ".repeat(1000 - before))));
    assert_eq!(reader.held(), 1000);
    assert!(broken(&mut reader, &entry(1, " ")));
    // Bytes that wait for a name, in one piece and in two.
    for (hold, most) in [(1 << 20, 64 << 10), (3000, 3000)] {
        for first in [most, most - 7] {
            let mut reader = builder().hold(hold).build().unwrap();
            assert!(!broken(&mut reader, &entry(0, &"x".repeat(first))));
            if first < most {
                assert!(!broken(&mut reader, &entry(0, &"x".repeat(most - first))));
            }
            assert_eq!(reader.held(), most);
            assert!(broken(&mut reader, &entry(0, "x")), "{hold}");
            let mut reader = builder().hold(hold).build().unwrap();
            assert!(broken(&mut reader, &entry(0, &"x".repeat(most + 1))), "{hold}");
        }
    }
}

/// An event that contradicts an ended call is reported, because the call cannot be taken back.
#[test]
fn too_late() {
    let mut reader = reader(Provider::OpenAiChat);
    let input = [
        named(0),
        entry(0, "{\"file\": 1}"),
        named(1),
        entry(1, "{\"file\": 2}"),
        entry(0, "{\"file\": 1}"),
        entry(1, "{\"file\": 2}"),
        chat_end(),
    ];
    let found = events(&mut reader, &input);
    let collected = message(&reader, &found);
    assert_eq!(kinds(&collected), ["trailing_arguments", "trailing_arguments"]);
    assert_eq!(collected.calls().count(), 2);

    reader.reset();
    let input = [
        named(0),
        entry(0, "{\"file\": 1}"),
        named(1),
        entry(1, "{}"),
        entry(0, "{\"file\": 3}"),
        chat_end(),
    ];
    let found = events(&mut reader, &input);
    let collected = message(&reader, &found);
    assert_eq!(kinds(&collected), ["malformed_arguments"]);
    assert_eq!(collected.diagnostics()[0].call, Some(0));
}

/// A megabyte in fragments of four bytes, then repeated many times. Quadratic work would not end.
#[test]
fn work_is_linear() {
    let text = json!({"file": "x".repeat(1 << 20)}).to_string();
    let mut reader = reader(Provider::OpenAiResponses);
    let mut count = 0;
    let mut take = |_: Event<&str>| count += 1;
    reader.feed_value_into(&item(0), &mut take);
    for fragment in text.as_bytes().chunks(4) {
        let fragment = std::str::from_utf8(fragment).unwrap();
        reader.feed_value_into(&item_delta(0, fragment), &mut take);
    }
    let done = json!({"type": "response.function_call_arguments.done", "item_id": "f0", "arguments": "{}"});
    (0..20_000).for_each(|_| reader.feed_value_into(&done, &mut take));
    reader.finish_into(&mut take);
    assert_eq!(count, 1 + text.len().div_ceil(4) + 3);
}

#[test]
fn openai_deltas_say_that_it_was_cut() {
    use crate::support::delta_writer::DeltaWriter;

    let reason = |end: Option<Value>| {
        let mut reader = reader(Provider::OpenAiChat);
        let mut writer = DeltaWriter::untyped();
        let input = [named(0), entry(0, "{\"file\": 1}")];
        input.iter().chain(&end).for_each(|event| reader.feed_value_into(event, &mut writer));
        reader.finish_into(&mut writer);
        writer.finish_reason()
    };
    assert_eq!(reason(Some(chat_end())), "tool_calls");
    assert_eq!(reason(None), "length");
}

/// A provider in a configuration file is its name.
#[test]
fn a_provider_is_its_name() {
    for provider in Provider::ALL {
        let json = json!(provider);
        assert_eq!(json, provider.name());
        assert_eq!(serde_json::from_value::<Provider>(json).unwrap(), *provider);
        assert_eq!(provider.name().to_uppercase().replace('-', "_").parse(), Ok(*provider));
    }
    let error = serde_json::from_value::<Provider>(json!("x")).unwrap_err();
    assert!(error.to_string().starts_with("unknown provider `x`: use one of openai-chat, "));
}
