//! Assembly of calls: names in pieces, late ids, bytes that wait and for how long.

use super::*;

fn chat(delta: Value) -> Value {
    json!({"choices": [{"delta": delta}]})
}

fn chat_name(index: usize, name: &str) -> Value {
    chat(json!({"tool_calls": [{"index": index, "function": {"name": name}}]}))
}

/// The names of the calls that started, in order.
fn names(found: &[Event<String>]) -> Vec<String> {
    let name = |event: &'_ Event<String>| match event {
        Event::ToolUse(ToolUse::Start { name, .. }) => Some(name.to_string()),
        _ => None,
    };
    found.iter().filter_map(name).collect()
}

/// A name that might go on ends where the next call's name begins, even if that name might go on, too.
#[test]
fn two_names_that_might_go_on() {
    let input = [chat_name(0, "sa"), chat_name(1, "sav"), chat_end()];
    let found = events(&mut reader(Provider::OpenAiChat), &input);
    assert_eq!(names(&found), ["sa", "sav"]);
    let input = [chat_name(0, "sa"), chat_name(1, "sa"), chat_name(1, "ve"), chat_end()];
    let found = events(&mut reader(Provider::OpenAiChat), &input);
    assert_eq!(names(&found), ["sa", "save"]);
}

/// The id of a custom tool that comes inside its parameter leaves behind the parameter.
#[test]
fn a_late_id_of_free_text() {
    let item = |more: Value| {
        let mut item = json!({"type": "custom_tool_call", "id": "f0", "name": "save"});
        more.as_object().expect("members").iter().for_each(|(k, v)| item[k] = v.clone());
        item
    };
    let input = [
        json!({"type": "response.output_item.added", "output_index": 0, "item": item(json!({}))}),
        json!({"type": "response.custom_tool_call_input.delta", "item_id": "f0", "delta": "a"}),
        json!({"type": "response.output_item.done", "output_index": 0,
            "item": item(json!({"call_id": "call_9", "input": "a"}))}),
        json!({"type": "response.completed", "response": {"output": []}}),
    ];
    let mut reader = reader(Provider::OpenAiResponses);
    let found = events(&mut reader, &input);
    let call: Vec<Event<String>> =
        found.iter().filter(|event| matches!(event, Event::ToolUse(_))).cloned().collect();
    let [Event::ToolUse(ToolUse::Start { id: None, .. }), .., end, id, last] = &call[..] else {
        panic!("{call:?}")
    };
    assert_eq!(end, &Event::ToolUse(ToolUse::ParamEnd { closed: true }));
    assert_eq!(id, &Event::ToolUse(ToolUse::Id("call_9".to_string())));
    assert!(matches!(last, Event::ToolUse(ToolUse::End { .. })), "{last:?}");
    let message = message(&reader, &found);
    assert_eq!(message.calls().next().expect("a call").id(), Some("call_9"));
}

/// `{}` is all that a call of a tool without parameters can say, so nothing waits for more of it.
#[test]
fn a_tool_without_parameters_is_not_waited_for() {
    let now = json!({"name": "now", "parameters": {"type": "object", "properties": {}}});
    let begun = |tool: Value| {
        let tool = Tool::from_json(&tool).expect("a tool");
        let mut reader = Reader::builder(Provider::OpenAiChat).tool(tool).build().expect("one");
        let function = json!({"name": "now", "arguments": "{}"});
        let call = chat(json!({"tool_calls": [{"index": 0, "function": function}]}));
        assert_eq!(reader.feed_value(&call).count(), 1, "its start");
        let text = chat(json!({"content": "Now:"}));
        let left = reader.feed_value(&text).last() == Some(Event::TextContent("Now:"));
        (left, reader.held())
    };
    assert_eq!(begun(now.clone()), (true, 0));
    let mut more = now;
    more["parameters"]["properties"]["zone"] = json!({"type": "string"});
    assert_eq!(begun(more), (false, 4), "`{{}}` may be a placeholder");
}

/// Events after the limit do not count, so they cannot fill the room of the admitted call.
#[test]
fn text_after_the_limit_breaks_no_call() {
    let mut reader =
        Reader::builder(Provider::OpenAiChat).tool_limit(1).hold(8).build().expect("a reader");
    let input = [
        named(0),
        entry(0, "{\"file\": "),
        named(1),
        chat(json!({"content": "more than eight bytes"})),
        entry(0, "1}"),
        chat_end(),
    ];
    let found = events(&mut reader, &input);
    let message = message(&reader, &found);
    assert_eq!((kinds(&message), message.calls().count()), (vec![], 1));
    assert_eq!(message.ended(), Ending::ToolLimitReached);
}

/// Arguments without a name are held within the bound of all held bytes.
#[test]
fn what_waits_for_a_name_is_bounded_by_the_hold() {
    let mut reader = Reader::builder(Provider::OpenAiChat).hold(1000).build().expect("a reader");
    let mut found = Vec::new();
    for _ in 0..20 {
        let chunk = entry(0, &"x".repeat(100));
        found.extend(reader.feed_value(&chunk).map(|event| event.map(String::from)));
        assert!(reader.held() <= 1000, "{} bytes are held", reader.held());
    }
    assert_eq!(kinds(&message(&reader, &found)), ["limit_exceeded", "malformed_call"]);
}

/// Late fragments of a call that has ended are kept only while they may be a repetition.
#[test]
fn what_comes_after_a_call_is_not_kept_for_ever() {
    const CHUNK: usize = 16 * 1024;
    let mut reader = reader(Provider::OpenAiChat);
    let before = [named(0), entry(0, "{\"file\": 1}"), named(1), entry(1, "{\"file\": 2}")];
    before.iter().for_each(|event| reader.feed_value_into(event, &mut |_: Event<&str>| {}));
    let late = entry(0, &" ".repeat(CHUNK));
    let most = allocation_counter::measure(|| {
        for _ in 0..1000 {
            reader.feed_value_into(&late, &mut |_: Event<&str>| {});
        }
    });
    // A buffer that grows is copied, so it needs twice its size, and half as much again.
    let bound = 4 * (64 * 1024 + 2 * CHUNK) as u64;
    assert!(most.bytes_max <= bound, "{} bytes of {} are kept", most.bytes_max, 1000 * CHUNK);
}

/// Long arguments that are repeated in fragments are recognised.
#[test]
fn long_arguments_that_are_said_again_are_known() {
    let text = json!({"file": "x".repeat(70_000)}).to_string();
    let (half, rest) = text.split_at(68_000);
    let before = [named(0), entry(0, &text), named(1), entry(1, "{\"file\": 2}")];
    let again = [entry(0, half), entry(0, rest), chat_end()];
    let mut reader = reader(Provider::OpenAiChat);
    let found = events(&mut reader, &[&before[..], &again].concat());
    assert_eq!(kinds(&message(&reader, &found)), ["trailing_arguments"]);
}

/// After a contradiction the call takes no more arguments, even if a later event continues the fragments.
#[test]
fn a_call_that_was_contradicted_takes_nothing_more() {
    let whole = |arguments: &str| {
        json!({"type": "response.function_call_arguments.done", "item_id": "f0", "output_index": 0,
            "arguments": arguments})
    };
    let input = [
        item(0),
        item_delta(0, "{\"file\": \"a"),
        whole("{\"file\": 1}"),
        whole("{\"file\": \"ab\"}"),
    ];
    let found = events(&mut reader(Provider::OpenAiResponses), &input);
    let arguments = found.iter().filter_map(|event| match event {
        Event::ToolUse(toolstream::ToolUse::ArgumentsDelta(text)) => Some(&**text),
        _ => None,
    });
    assert_eq!(arguments.collect::<String>(), "{\"file\": \"a");
}

/// The arguments of each call of these events, or `None` if it may not run.
fn calls_of_responses(events: &[Value]) -> Vec<Option<Value>> {
    let mut reader = Reader::builder(Provider::OpenAiResponses).build().expect("a reader");
    let mut message = reader.message();
    for event in events {
        reader.feed_value(event).for_each(|event| message.push(event));
    }
    reader.finish().for_each(|event| message.push(event));
    let input = |block: &Block| match block {
        Block::Call(call) => Some(Some(call.input().clone().into())),
        Block::Incomplete(_) => Some(None),
        _ => None,
    };
    message.blocks().iter().filter_map(input).collect()
}

fn responses_call(id: &str, n: u64) -> Value {
    json!({"type": "function_call", "id": id, "call_id": "one", "name": "f", "status": "completed",
        "arguments": format!("{{\"n\": {n}}}")})
}

/// Two calls may have one id, because a model that makes its own ids may repeat one.
#[test]
fn two_calls_of_one_id_are_two() {
    let output = [responses_call("a", 1), responses_call("b", 2)];
    let both = [Some(json!({"n": 1})), Some(json!({"n": 2}))];
    let response = json!({"object": "response", "status": "completed", "output": output});
    assert_eq!(calls_of_responses(std::slice::from_ref(&response)), both);

    let streamed = |kind: &str, at: u64, item: &Value| json!({"type": format!("response.output_item.{kind}"), "output_index": at, "item": item});
    let mut events = Vec::new();
    for (at, item) in (0..).zip(&output) {
        let mut empty = item.clone();
        empty["arguments"] = "".into();
        events.extend([streamed("added", at, &empty), streamed("done", at, item)]);
    }
    events.push(json!({"type": "response.completed", "response": response}));
    assert_eq!(calls_of_responses(&events), both);
}

/// A proxy may give an item another id at the end. The item is still the same call.
#[test]
fn a_call_whose_item_has_another_id_in_the_end_is_one() {
    let added = json!({"type": "response.output_item.added", "output_index": 0, "item": responses_call("a", 1)});
    let response = json!({"status": "completed", "output": [responses_call("other", 1)]});
    let completed = json!({"type": "response.completed", "response": response});
    assert_eq!(calls_of_responses(&[added, completed]), [Some(json!({"n": 1}))]);
}

/// A part of the text leaves once: by its deltas, or by its end if no delta came. Parts differ by kind, item and place.
#[test]
fn parts_of_a_text() {
    let part = |step: &str, (kind, item, output, number): (&str, &str, u64, u64), text: &str| {
        let key = if step == "delta" { "delta" } else { kind.trim_start_matches("output_") };
        json!({"type": format!("response.{kind}.{step}"), "item_id": item, "output_index": output,
            "content_index": number, key: text})
    };
    let one = ("output_text", "m", 0, 0);
    for other in [
        ("refusal", "m", 0, 0),
        ("output_text", "n", 0, 0),
        ("output_text", "m", 1, 0),
        ("output_text", "m", 0, 1),
    ] {
        let said = |events: &[Value]| {
            let mut reader = Reader::builder(Provider::OpenAiResponses).build().expect("a reader");
            let mut message = reader.message();
            for event in events {
                reader.feed_value(event).for_each(|event| message.push(event));
            }
            message.text()
        };
        let ends = [part("done", one, "a"), part("done", other, "b")];
        let both = [part("delta", one, "a"), part("delta", other, "b")];
        assert_eq!(said(&[&both[..], &ends].concat()), "ab", "{other:?}");
        assert_eq!(said(&[&both[..1], &ends].concat()), "ab", "{other:?}");
        assert_eq!(said(&[&both[1..], &ends].concat()), "ba", "{other:?}");
        assert_eq!(said(&ends), "ab", "{other:?}");
    }
}
