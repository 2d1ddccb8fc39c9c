//! Answers in the three protocols, streamed and whole, as the provider's reader reads them. They are compared with a client of
//! the deltas.

use serde_json::{Map, Value};
use toolstream::adapt::{EventWriter, Protocol};
use toolstream::check::Ended;
use toolstream::native::{Provider, Reader};
use toolstream::repair::Repairs;
use toolstream::sse::Decoder;
use toolstream::{Block, Ending, Event, Message, Parser};

use super::gateway::{Client, is_sealed, loads};
use super::soup::Cuts;

const PROTOCOLS: [(Protocol, Provider); 3] = [
    (Protocol::OpenAiChat, Provider::OpenAiChat),
    (Protocol::OpenAiResponses, Provider::OpenAiResponses),
    (Protocol::Anthropic, Provider::Anthropic),
];

/// In every protocol, the answer says what the client was told.
pub fn check(parser: &Parser, text: &str, cuts: &Cuts, ended: Ended, client: &Client) {
    for (protocol, provider) in PROTOCOLS {
        let new =
            || EventWriter::new(protocol, parser, "a1", "m").ids(|index| format!("id{index}"));
        let streamed = written(parser, new(), text, cuts, ended);
        agrees(&read(provider, &streamed), client, |_| true);
        let whole = written(parser, new().whole(true), text, cuts, ended);
        let whole: Value = serde_json::from_slice(&whole).expect("one object");
        let whole = read(provider, format!("data: {whole}\n\n").as_bytes());
        // In a whole answer, only Responses shows a call that was cut.
        let responses = protocol == Protocol::OpenAiResponses;
        agrees(&whole, client, |text| responses || loads(text).is_some() || is_sealed(text));
    }
}

/// All bytes that are sent for the text in these pieces.
fn written(
    parser: &Parser,
    mut writer: EventWriter,
    text: &str,
    cuts: &Cuts,
    ended: Ended,
) -> Vec<u8> {
    let (mut parser, mut from, mut sent) = (parser.clone(), 0, Vec::new());
    for to in cuts.iter().copied().chain([text.len()]) {
        parser.feed_bytes(&text.as_bytes()[from..to]).for_each(|event| writer.push(event));
        sent.extend(writer.take());
        from = to;
    }
    match ended {
        Ended::Stop => parser.finish_into(&mut writer),
        Ended::Cut => parser.finish_cut_into(&mut writer),
    }
    writer.finish();
    sent.extend(writer.take());
    sent
}

fn read(provider: Provider, sent: &[u8]) -> Message {
    let mut reader = Reader::builder(provider).repairs(Repairs::None).build().expect("a reader");
    let (mut message, mut decoder) = (reader.message(), Decoder::default());
    let mut take = |event: Event<&str>| message.push(event);
    decoder.feed(sent, |data| reader.feed_into(data, &mut take));
    decoder.finish(|data| reader.feed_into(data, &mut take));
    reader.finish_into(&mut take);
    message.close();
    message
}

/// Checks that the message equals the client's answer. `is_told` says by its arguments whether a call is in the message.
fn agrees(message: &Message, client: &Client, is_told: impl Fn(&str) -> bool) {
    assert_eq!(message.text(), client.content);
    assert_eq!(message.reasoning(), client.reasoning);
    let cut = client.finish.as_deref() == Some("length");
    assert_eq!(message.ended() == Ending::Truncated, cut, "{message:?}");
    // Our reader does not trust empty arguments in an answer that was cut.
    let trusted = |input: &Map<String, Value>| !(cut && input.is_empty());
    let call = |block: &Block| match block {
        Block::Call(call) => {
            // This key is all of a broken call's input where the input must be an object.
            let broken = call.input().contains_key("INVALID_JSON");
            let input = Some(call.input().clone()).filter(|input| !broken && trusted(input));
            Some((call.name().to_string(), input))
        }
        Block::Incomplete(call) => Some((call.name().to_string(), None)),
        _ => None,
    };
    let calls: Vec<_> = message.blocks().iter().filter_map(call).collect();
    let had = client.calls.iter().filter(|(_, arguments)| is_told(arguments));
    let had = had.map(|(name, arguments)| (name.clone(), loads(arguments)));
    let had: Vec<_> = had.map(|(name, input)| (name, input.filter(trusted))).collect();
    assert_eq!(calls, had);
}
