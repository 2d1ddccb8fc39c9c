//! `adapt::EventWriter`, beyond the soup of `gateway.rs`: errors, usage, ids, whole messages.

use serde_json::{Value, json};
use toolstream::adapt::ReasoningKey;
use toolstream::adapt::{EventWriter, Protocol};
use toolstream::sse::Decoder;
use toolstream::{Dialect, Event, Parser, Tool, ToolUse};

use crate::support::expected;

const PROTOCOLS: [Protocol; 3] =
    [Protocol::OpenAiChat, Protocol::OpenAiResponses, Protocol::Anthropic];
const TEXT: &str = "<think>Hm.</think>I look.\n\
    <tool_call>{\"name\": \"list\", \"arguments\": {\"all\": true, \"big\": 12345678901234567890123}}\
    </tool_call>\n<tool_call>{\"name\": \"cut\", \"arguments\": {\"a\": ";

fn parser() -> Parser {
    Parser::builder(Dialect::HERMES).tool_limit(None).build().expect("a parser")
}

fn writer(protocol: Protocol) -> EventWriter {
    EventWriter::new(protocol, &parser(), "a1", "m")
}

fn written(mut writer: EventWriter) -> String {
    let mut parser = parser();
    parser.feed_into(TEXT, &mut writer);
    parser.finish_into(&mut writer);
    writer.finish();
    assert_eq!((writer.broken(), writer.made_up_ids()), (&[1][..], &[0, 1][..]));
    String::from_utf8(writer.take()).expect("text")
}

/// The data of each event.
fn data(sent: &str) -> Vec<Value> {
    let (mut decoder, mut all) = (Decoder::default(), Vec::new());
    decoder.feed(sent.as_bytes(), |data| all.extend(serde_json::from_slice::<Value>(data).ok()));
    all
}

#[test]
fn an_error_is_the_last_word() {
    for (protocol, place) in
        PROTOCOLS.into_iter().zip(["/error/message", "/response/error/message", "/error/message"])
    {
        let mut writer = writer(protocol);
        writer.push(Event::TextContent("So"));
        writer.fail("the model is gone");
        let sent = String::from_utf8(writer.take()).unwrap();
        assert_eq!(data(&sent).last().unwrap().pointer(place), Some(&json!("the model is gone")));
        writer.push(Event::TextContent("more"));
        writer.push_message(&parser().parse("more"));
        writer.finish();
        writer.fail("again");
        assert_eq!(writer.take(), b"", "{protocol:?}");
    }
}

/// Clients that split lines at Unicode's line breaks see each event whole, and values keep these characters.
#[test]
fn line_breaks_beyond_ascii_are_escaped() {
    const BREAKS: [char; 3] = ['\u{85}', '\u{2028}', '\u{2029}'];
    let text = "a\u{85}\u{2028}\u{2029}é\u{2027}\u{84}\u{2029}";
    for protocol in PROTOCOLS {
        for size in [1, 4, 100] {
            let mut writer = writer(protocol);
            let chars: Vec<char> = text.chars().collect();
            for piece in chars.chunks(size).map(String::from_iter) {
                writer.push(Event::TextContent(&piece));
            }
            writer.finish();
            let sent = String::from_utf8(writer.take()).unwrap();
            assert!(!sent.contains(BREAKS), "{protocol:?}: {sent:?}");
            let read = Value::from(data(&sent)).to_string();
            let count = |text: &str| text.matches(BREAKS).count();
            // Some protocols send the whole text once more at the end.
            assert!(count(&read) >= count(text) && count(&read) % count(text) == 0, "{read:?}");
        }
    }
}

/// A call whose end never comes is broken. No piece that is sent is empty.
#[test]
fn an_answer_that_stops_in_a_call() {
    for protocol in PROTOCOLS {
        let mut writer = writer(protocol);
        writer.push(Event::TextContent("So\n"));
        writer.push(Event::Reasoning("Hm."));
        writer.push(Event::TextContent("\nand"));
        let start = ToolUse::Start { index: 0, name: "f", id: None, at: 0, dialect: 0 };
        writer.push(Event::ToolUse(start));
        for piece in ["", "{\"a\": ", "", "1}"] {
            writer.push(Event::ToolUse(ToolUse::ArgumentsDelta(piece)));
        }
        assert_eq!(writer.broken(), &[0; 0], "{protocol:?}");
        writer.finish();
        assert_eq!(writer.broken(), &[0], "{protocol:?}");
        let sent = String::from_utf8(writer.take()).unwrap();
        for empty in ["\"delta\":\"\"", "\"partial_json\":\"\"", "{\"arguments\":\"\"}"] {
            assert!(!sent.contains(empty), "{sent}");
        }
        assert!(sent.contains("\\nand"), "{sent}");
    }
}

#[test]
fn usage_is_told_where_the_protocol_tells_it() {
    for (protocol, place) in PROTOCOLS.into_iter().zip([
        "/usage/completion_tokens",
        "/response/usage/output_tokens",
        "/usage/output_tokens",
    ]) {
        for whole in [false, true] {
            let mut writer = writer(protocol).whole(whole);
            writer.push(Event::TextContent("So"));
            writer.usage(3, 14);
            writer.finish();
            let sent = String::from_utf8(writer.take()).unwrap();
            let all = if whole { vec![serde_json::from_str(&sent).unwrap()] } else { data(&sent) };
            let place = if whole { place.trim_start_matches("/response") } else { place };
            let told = all.iter().any(|event| event.pointer(place) == Some(&json!(14)));
            assert!(told, "{protocol:?}: {sent}");
        }
    }
}

/// Reasoning without a key is left out in every protocol, and a number keeps all its digits.
#[test]
fn what_is_told_of_reasoning_and_numbers() {
    for protocol in PROTOCOLS {
        for whole in [false, true] {
            let sent = written(writer(protocol).whole(whole));
            assert!(sent.contains("Hm.") && sent.contains("12345678901234567890123"), "{sent}");
            let sent = written(writer(protocol).whole(whole).reasoning_key(ReasoningKey::None));
            assert!(!sent.contains("Hm.") && sent.contains("I look."), "{sent}");
        }
    }
}

/// A message is written like its events, except for the length of broken arguments.
#[test]
fn a_message_is_as_good_as_its_events() {
    let message = parser().parse(&TEXT.replace(", \"big\": 12345678901234567890123", ""));
    for protocol in PROTOCOLS {
        let mut of_message = writer(protocol).whole(true).ids(|index| format!("id{index}"));
        of_message.push_message(&message);
        of_message.finish();
        assert_eq!((of_message.broken(), of_message.made_up_ids()), (&[1][..], &[0, 1][..]));
        let told: Value = serde_json::from_slice(&of_message.take()).unwrap();
        let of_events = written(writer(protocol).whole(true).ids(|index| format!("id{index}")));
        let of_events = of_events.replace(",\\\"big\\\":12345678901234567890123", "");
        let of_events = of_events.replace(",\"big\":12345678901234567890123", "");
        // Only Responses shows the broken call.
        let of_events = of_events.replace("{\\\"a\\\":", "{");
        assert_eq!(told, serde_json::from_str::<Value>(&of_events).unwrap(), "{protocol:?}");
    }
}

/// If two calls have the same id, it is the first call's.
#[test]
fn no_id_comes_twice() {
    let call = "functions.list:0<|tool_call_argument_begin|>{}<|tool_call_end|>";
    let begin = "<|tool_call_begin|>";
    let text =
        format!("<|tool_calls_section_begin|>{begin}{call}{begin}{call}<|tool_calls_section_end|>");
    let mut parser = Parser::builder(Dialect::KIMI_K2).tool_limit(None).build().unwrap();
    let mut writer = EventWriter::new(Protocol::OpenAiChat, &parser, "a1", "m").whole(true);
    parser.feed_into(&text, &mut writer);
    parser.finish_into(&mut writer);
    writer.finish();
    let answer: Value = serde_json::from_slice(&writer.take()).unwrap();
    let ids = [0, 1].map(|at| &answer["choices"][0]["message"]["tool_calls"][at]["id"]);
    assert_eq!(
        (ids, writer.made_up_ids()),
        ([&json!("functions.list:0"), &json!("call_a1_1")], &[1][..])
    );
}

/// The input of a custom tool is sent unchanged, once it is whole. Half an input never looks like a whole one.
#[test]
fn free_text_for_a_custom_tool() {
    let tool = Tool::from_json(&json!({"type": "custom", "name": "patch"})).unwrap();
    let patch = "*** Begin\n+ \"a\" \\u00e9 Zo\u{eb}\n*** End";
    let input = json!({"input": patch});
    let text = format!("<tool_call>{{\"name\": \"patch\", \"arguments\": {input}}}</tool_call>");
    let parser = Parser::builder(Dialect::HERMES).tool(tool).build().unwrap();
    let sent = |text: &str, cut: usize, whole| {
        let (mut parser, protocol) = (parser.clone(), Protocol::OpenAiResponses);
        let mut writer = EventWriter::new(protocol, &parser, "a1", "m").whole(whole);
        for chunk in [&text[..cut], &text[cut..]] {
            parser.feed_into(chunk, &mut writer);
        }
        parser.finish_into(&mut writer);
        writer.finish();
        String::from_utf8(writer.take()).unwrap()
    };
    let item = |input: &str, status: &str| {
        json!({"type": "custom_tool_call", "id": "ctc_a1_0", "status": status, "input": input,
            "call_id": "call_a1_0", "name": "patch"})
    };
    for cut in text.char_indices().map(|(at, _)| at) {
        let events = data(&sent(&text, cut, false));
        let of = |kind: &str| events.iter().find(|event| event["type"] == kind).cloned().unwrap();
        assert_eq!(of("response.output_item.added")["item"], item("", "in_progress"));
        assert_eq!(of("response.custom_tool_call_input.delta")["delta"], patch);
        assert_eq!(of("response.custom_tool_call_input.done")["input"], patch);
        assert_eq!(of("response.output_item.done")["item"], item(patch, "completed"));
        assert_eq!(
            of("response.completed")["response"]["output"],
            json!([item(patch, "completed")])
        );
        let whole: Value = serde_json::from_str(&sent(&text, cut, true)).unwrap();
        assert_eq!(whole["output"], json!([item(patch, "completed")]));
    }
    let half = &text[..text.len() / 2];
    let events = data(&sent(half, 0, false));
    assert!(events.iter().all(|event| !event["type"].as_str().unwrap().contains("custom_tool")));
    let last = &events.last().unwrap()["response"];
    assert_eq!(
        (&last["status"], &last["output"]),
        (&json!("incomplete"), &json!([item("", "incomplete")]))
    );

    // An empty text is sent, too, once it is whole.
    let call = json!({"name": "patch", "arguments": {"input": ""}});
    let events = data(&sent(&format!("<tool_call>{call}</tool_call>"), 0, false));
    let of = |kind: &str| events.iter().find(|event| event["type"] == kind).cloned().unwrap();
    assert_eq!(of("response.custom_tool_call_input.done")["input"], "");
    assert_eq!(of("response.output_item.done")["item"], item("", "completed"));

    // Arguments in the place of the one text are sent unchanged.
    let other = text.replace("\"input\"", "\"text\"");
    let whole: Value = serde_json::from_str(&sent(&other, 0, true)).unwrap();
    let input: Value = serde_json::from_str(whole["output"][0]["input"].as_str().unwrap()).unwrap();
    assert_eq!(input, json!({"text": patch}));

    // After an error in the middle no half of the text is sent either. Other protocols have no such calls.
    let mut writer = EventWriter::new(Protocol::OpenAiResponses, &parser, "a1", "m");
    parser.clone().feed_into(half, &mut writer);
    writer.fail("gone");
    let events = data(&String::from_utf8(writer.take()).unwrap());
    assert_eq!(events.last().unwrap()["response"]["output"], json!([item("", "incomplete")]));
    let mut chat = EventWriter::new(Protocol::OpenAiChat, &parser, "a1", "m").whole(true);
    chat.push_message(&parser.parse(&text));
    chat.finish();
    let answer: Value = serde_json::from_slice(&chat.take()).unwrap();
    let function = &answer["choices"][0]["message"]["tool_calls"][0]["function"];
    assert_eq!(function["arguments"], json!({"input": patch}).to_string());
}

/// The reason of the end in the words of each protocol: the answer asks for a tool, is over, or was cut.
#[test]
fn why_it_ended() {
    let call = "<tool_call>{\"name\": \"list\", \"arguments\": {}}</tool_call>";
    let words = [
        (call, false, ["tool_calls", "completed", "tool_use"]),
        ("Hi", false, ["stop", "completed", "end_turn"]),
        ("Hi", true, ["length", "incomplete", "max_tokens"]),
    ];
    for (text, cut, words) in words {
        for (protocol, word) in PROTOCOLS.into_iter().zip(words) {
            let (mut parser, mut writer) = (parser(), writer(protocol));
            parser.feed_into(text, &mut writer);
            if cut {
                parser.finish_cut_into(&mut writer);
            } else {
                parser.finish_into(&mut writer);
            }
            writer.finish();
            assert_eq!(writer.stop_reason(), word, "{protocol:?}: {text}");
        }
    }
}

/// All bytes that are sent for one answer, in each protocol, as a stream and whole. `EXPECTED=write` writes the files
/// anew; read the changes before you commit them.
#[test]
fn what_is_sent() {
    for (protocol, name) in PROTOCOLS.into_iter().zip(["chat", "responses", "anthropic"]) {
        for (whole, kind) in [(false, "sse"), (true, "json")] {
            let mut parser = parser();
            let mut writer = writer(protocol).whole(whole);
            let content_type = if whole { "application/json" } else { "text/event-stream" };
            assert_eq!(writer.content_type(), content_type);
            for chunk in TEXT.as_bytes().chunks(7) {
                parser.feed_bytes_into(chunk, &mut writer);
            }
            parser.finish_into(&mut writer);
            writer.usage(3, 14);
            writer.finish();
            let sent = String::from_utf8(writer.take()).unwrap();
            expected::compare(&format!("answers/{name}.{kind}"), &sent);
        }
    }
}
