//! `adapt::EventWriter`, beside what the soup of `gateway.rs` says of it: errors, usage, ids, whole messages.
#![cfg(feature = "json")]

use serde_json::{Value, json};
use toolstream::adapt::openai::ReasoningKey;
use toolstream::adapt::{EventWriter, Protocol};
use toolstream::sse::Decoder;
use toolstream::{Dialect, Event, Parser};

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

/// Reasoning under no name is left out everywhere, and a number keeps all its digits.
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

/// A message says what its events say, but for how far broken arguments came.
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
        // Responses alone tell the broken one.
        let of_events = of_events.replace("{\\\"a\\\":", "{");
        assert_eq!(told, serde_json::from_str::<Value>(&of_events).unwrap(), "{protocol:?}");
    }
}

/// An id that two calls have is the first one's.
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
