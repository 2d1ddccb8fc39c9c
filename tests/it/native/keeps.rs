//! Items that must go back to a provider, and facts about its answer.

use super::*;

/// The events of a fresh reader, whose shape is checked, and the message that collects them.
fn read(provider: Provider, input: &[Value]) -> (Vec<Event<String>>, Message) {
    let mut reader = reader(provider);
    let found = events(&mut reader, input);
    check::has_shape(&found).unwrap_or_else(|what| panic!("{what}: {found:?}"));
    let collected = message(&reader, &found);
    (found, collected)
}

fn turn(provider: Provider, input: &[Value]) -> Value {
    read(provider, input).1.to_request(provider)
}

fn start(index: usize, block: &Value) -> Value {
    json!({"type": "content_block_start", "index": index, "content_block": block})
}

fn delta(index: usize, delta: &Value) -> Value {
    json!({"type": "content_block_delta", "index": index, "delta": delta})
}

fn thinking(index: usize, text: &str, signature: &[&str]) -> Vec<Value> {
    let mut events = vec![
        start(index, &json!({"type": "thinking", "thinking": "", "signature": ""})),
        delta(index, &json!({"type": "thinking_delta", "thinking": text})),
    ];
    let piece =
        |piece: &&str| delta(index, &json!({"type": "signature_delta", "signature": piece}));
    events.extend(signature.iter().map(piece));
    events.push(block_stop(index));
    events
}

fn anthropic_end(reason: &str) -> Value {
    json!({"type": "message_delta", "delta": {"stop_reason": reason}})
}

/// The content of an answer, and the stream with that content.
fn anthropic() -> (Value, Vec<Value>) {
    let search =
        json!({"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"q": "a"}});
    let found = json!({"type": "web_search_tool_result", "tool_use_id": "s1",
        "content": [{"type": "web_search_result", "encrypted_content": "e"}]});
    let content = json!([
        {"type": "thinking", "thinking": "One.", "signature": "sig1"},
        {"type": "thinking", "thinking": "Two.", "signature": "sig2"},
        {"type": "redacted_thinking", "data": "r"},
        search,
        found,
        {"type": "text", "text": "Now:"},
        {"type": "tool_use", "id": "c6", "name": "save", "input": {"file": "é"}},
    ]);
    let mut events = thinking(0, "One.", &["si", "g1"]);
    events.extend(thinking(1, "Two.", &["sig2"]));
    events.extend([start(2, &json!({"type": "redacted_thinking", "data": "r"})), block_stop(2)]);
    let mut begun = search.clone();
    begun["input"] = json!({});
    events.extend([start(3, &begun), block_delta(3, "{\"q\": "), block_delta(3, "\"a\"}")]);
    events.extend([block_stop(3), start(4, &found), block_stop(4)]);
    events.extend([start(5, &json!({"type": "text", "text": "Now:"})), block_stop(5)]);
    events.extend([block(6), block_delta(6, "{\"file\": \"é\"}"), block_stop(6)]);
    events.push(anthropic_end("tool_use"));
    (content, events)
}

#[test]
fn anthropic_gets_its_turn_back() {
    let (content, stream) = anthropic();
    let wanted = json!({"role": "assistant", "content": content});
    let (_, collected) = read(Provider::Anthropic, &stream);
    assert_eq!(collected.to_request(Provider::Anthropic), wanted);
    assert_eq!((collected.reasoning(), collected.ended()), ("One.Two.".into(), Ending::ToolUse));

    // The same answer without streaming.
    let whole = json!({"type": "message", "role": "assistant", "id": "m", "content": content,
        "stop_reason": "tool_use", "usage": {"input_tokens": 1}});
    let (_, again) = read(Provider::Anthropic, &[whole]);
    assert_eq!(again.to_request(Provider::Anthropic), wanted);
    assert_eq!((again.text(), again.ended()), ("Now:".into(), Ending::ToolUse));
    assert!(kinds(&again).is_empty(), "{:?}", kinds(&again));
}

#[test]
fn thoughts_without_a_whole_signature_do_not_go_back() {
    let unsigned = [thinking(0, "One.", &[]), vec![anthropic_end("end_turn")]].concat();
    assert_eq!(turn(Provider::Anthropic, &unsigned)["content"], json!([]));
    let mut cut = thinking(0, "One.", &["half"]);
    cut.pop();
    assert_eq!(turn(Provider::Anthropic, &cut)["content"], json!([]));
    // Thoughts without text, but with a signature.
    let hidden = [thinking(0, "", &["sig"]), vec![anthropic_end("end_turn")]].concat();
    let signed = json!([{"type": "thinking", "thinking": "", "signature": "sig"}]);
    assert_eq!(turn(Provider::Anthropic, &hidden)["content"], signed);
}

/// An item that comes while a call is open waits for the call's end, like text.
#[test]
fn a_signature_during_a_call_waits() {
    let input = [
        block(0),
        block_delta(0, "{\"file\""),
        start(1, &json!({"type": "redacted_thinking", "data": "r"})),
        block_stop(1),
        block_delta(0, ": 1}"),
        block_stop(0),
        anthropic_end("tool_use"),
    ];
    let (found, collected) = read(Provider::Anthropic, &input);
    let is_opaque = |event: &Event<String>| matches!(event, Event::Opaque { .. });
    assert_eq!(found.iter().position(is_opaque), Some(found.len() - 1));
    assert!(matches!(collected.blocks(), [Block::Call(_), Block::Opaque(_)]));
}

fn gemini(parts: &Value, reason: Option<&str>) -> Value {
    json!({"candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": reason}]})
}

#[test]
fn gemini_gets_its_parts_back() {
    let parts = json!([
        {"text": "Hm.", "thought": true, "thoughtSignature": "t"},
        {"text": "a"},
        {"text": "b", "thoughtSignature": "s"},
        {"text": "c"},
        {"functionCall": {"id": "1", "name": "save", "args": {"file": "x"}}, "thoughtSignature": "f"},
        {"functionCall": {"name": "list", "args": {}}},
        {"inlineData": {"mimeType": "image/png", "data": "AA=="}, "thoughtSignature": "i"},
        {"text": "", "thoughtSignature": "end"},
    ]);
    let wanted = json!({"role": "model", "parts": parts});
    let mut stream: Vec<Value> =
        parts.as_array().unwrap().iter().map(|part| gemini(&json!([part]), None)).collect();
    stream.push(gemini(&json!([]), Some("STOP")));
    assert_eq!(turn(Provider::Gemini, &stream), wanted);
    assert_eq!(turn(Provider::Gemini, &[gemini(&parts, Some("STOP"))]), wanted);
    // A signature without a text belongs to an empty text.
    let alone =
        turn(Provider::Gemini, &[gemini(&json!([{"thoughtSignature": "s"}]), Some("STOP"))]);
    assert_eq!(alone["parts"], json!([{"text": "", "thoughtSignature": "s"}]));
    // Thoughts without a signature are for people. This stream is a single list.
    let thought = gemini(&json!([{"text": "Hm.", "thought": true}, {"text": "a"}]), None);
    let end = gemini(&json!([{"text": "a"}]), Some("STOP"));
    assert_eq!(turn(Provider::Gemini, &[json!([thought, end])])["parts"], json!([{"text": "aa"}]));
}

/// A call in pieces has its signature on one of them.
#[test]
fn gemini_signs_calls_in_pieces() {
    let piece = json!([{"jsonPath": "$.file", "stringValue": "x"}]);
    let begin =
        json!([{"functionCall": {"name": "save", "willContinue": true}, "thoughtSignature": "s"}]);
    let input = [
        gemini(&begin, None),
        gemini(&json!([{"functionCall": {"partialArgs": piece, "willContinue": true}}]), None),
        gemini(&json!([{"functionCall": {}}]), Some("STOP")),
    ];
    let part =
        json!({"functionCall": {"name": "save", "args": {"file": "x"}}, "thoughtSignature": "s"});
    assert_eq!(turn(Provider::Gemini, &input)["parts"], json!([part]));
}

fn responses_items() -> Vec<Value> {
    vec![
        json!({"type": "reasoning", "id": "rs", "summary": [{"type": "summary_text", "text": "Hm."}],
            "encrypted_content": "e"}),
        json!({"type": "web_search_call", "id": "ws", "status": "completed"}),
        json!({"type": "message", "id": "msg", "role": "assistant", "status": "completed", "phase": "commentary",
            "content": [{"type": "output_text", "text": "Now:", "annotations": []}]}),
        json!({"type": "function_call", "id": "f0", "call_id": "c0", "name": "save",
            "arguments": "{\"file\":  1}", "status": "completed"}),
        json!({"type": "custom_tool_call", "id": "f1", "call_id": "c1", "name": "list", "input": "all"}),
    ]
}

fn done(at: usize, item: &Value) -> Value {
    json!({"type": "response.output_item.done", "output_index": at, "item": item})
}

fn completed(items: &[Value]) -> Value {
    json!({"type": "response.completed", "response": {"status": "completed", "output": items}})
}

#[test]
fn responses_get_their_items_back() {
    let items = responses_items();
    let said = [
        json!({"type": "response.reasoning_summary_text.delta", "item_id": "rs", "delta": "Hm."}),
        json!({"type": "response.output_text.delta", "item_id": "msg", "delta": "Now:"}),
    ];
    let stream = [
        said[0].clone(),
        done(0, &items[0]),
        done(1, &items[1]),
        said[1].clone(),
        done(2, &items[2]),
        done(3, &items[3]),
        done(4, &items[4]),
        completed(&items),
    ];
    let (_, collected) = read(Provider::OpenAiResponses, &stream);
    assert_eq!(collected.to_request(Provider::OpenAiResponses), Value::from(items.clone()));
    assert_eq!((collected.text(), collected.reasoning()), ("Now:".into(), "Hm.".into()));

    let whole = json!({"object": "response", "id": "r", "status": "completed", "output": items, "error": null});
    let (_, again) = read(Provider::OpenAiResponses, std::slice::from_ref(&whole));
    assert_eq!(again.to_request(Provider::OpenAiResponses), Value::from(items.clone()));
    assert_eq!((again.text(), again.reasoning()), ("Now:".into(), "Hm.".into()));
    assert_eq!((again.ended(), kinds(&again)), (Ending::ToolUse, vec![]));
    let mut cut = whole;
    cut["status"] = "incomplete".into();
    assert_eq!(read(Provider::OpenAiResponses, &[cut]).1.ended(), Ending::Truncated);

    // The events of the items were lost, and the end has the items.
    let lost = [said[0].clone(), said[1].clone(), completed(&items)];
    let last = turn(Provider::OpenAiResponses, &lost);
    assert_eq!(last.as_array().unwrap().iter().filter(|item| item["id"] == "rs").count(), 1);
}

/// A server that stores nothing and encrypts nothing cannot find its thoughts again.
#[test]
fn what_nobody_stores_is_not_referred_to() {
    let mut items = responses_items();
    items[0].as_object_mut().unwrap().remove("encrypted_content");
    let created =
        json!({"type": "response.created", "response": {"status": "in_progress", "store": false}});
    let stream = [created, done(0, &items[0]), done(3, &items[3]), completed(&[])];
    let mut call = items[3].clone();
    call.as_object_mut().unwrap().remove("id");
    assert_eq!(turn(Provider::OpenAiResponses, &stream), json!([call]));
    // A server that stores its thoughts can find them.
    assert_eq!(turn(Provider::OpenAiResponses, &stream[1..]), json!([items[0], items[3]]));
}

fn chat_message(message: &Value, reason: &str) -> Value {
    json!({"object": "chat.completion", "id": "x", "choices": [{"index": 0, "message": message, "finish_reason": reason}]})
}

#[test]
fn chat_responses_that_were_not_streamed() {
    let call = |id: &str, arguments: &str| json!({"id": id, "type": "function", "function": {"name": "save", "arguments": arguments}});
    let mut signed = call("a", "{\"file\":  1}");
    signed["extra_content"] = json!({"google": {"thought_signature": "s"}});
    // The ids are equal, as on some servers.
    let message = json!({"role": "assistant", "content": "Now:", "reasoning_content": "Hm.",
        "tool_calls": [signed, call("a", "{\"file\": 2}")]});
    let whole = chat_message(&message, "tool_calls");
    let (_, collected) = read(Provider::OpenAiChat, std::slice::from_ref(&whole));
    assert_eq!(collected.to_request(Provider::OpenAiChat), message);
    assert_eq!((collected.ended(), kinds(&collected)), (Ending::ToolUse, vec![]));
    let cut = chat_message(&json!({"content": "Now"}), "length");
    assert_eq!(read(Provider::OpenAiChat, &[cut]).1.ended(), Ending::Truncated);

    // After a stream, a whole message is a repetition.
    let chunk = json!({"choices": [{"delta": {"content": "Now:"}}]});
    assert_eq!(read(Provider::OpenAiChat, &[chunk, whole]).1.text(), "Now:");

    let entry = json!({"index": 0, "id": "a", "function": {"name": "list", "arguments": "{}"},
        "extra_content": {"google": {"thought_signature": "s"}}});
    let streamed = [json!({"choices": [{"delta": {"tool_calls": [entry]}}]}), chat_end()];
    let back = turn(Provider::OpenAiChat, &streamed);
    assert_eq!(back["tool_calls"][0]["extra_content"]["google"]["thought_signature"], "s");
    assert_eq!(back["content"], Value::Null);
}

/// Another provider gets only parts that every provider understands.
#[test]
fn another_provider_gets_no_signatures() {
    let (_, stream) = anthropic();
    let (_, collected) = read(Provider::Anthropic, &stream);
    let call = json!({"name": "save", "arguments": "{\"file\": \"é\"}"});
    assert_eq!(
        collected.to_request(Provider::OpenAiChat),
        json!({"role": "assistant", "content": "Now:",
            "tool_calls": [{"id": "c6", "type": "function", "function": call}]}),
    );
    assert_eq!(
        collected.to_request(Provider::Gemini)["parts"],
        json!([{"text": "Now:"}, {"functionCall": {"id": "c6", "name": "save", "args": {"file": "é"}}}]),
    );
    assert_eq!(
        collected.to_request(Provider::OpenAiResponses),
        json!([
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Now:"}]},
            {"type": "function_call", "call_id": "c6", "name": "save", "arguments": "{\"file\": \"é\"}"},
        ]),
    );
    // Calls of Gemini need no ids, but calls of other providers do.
    let call = json!([{"functionCall": {"name": "list", "args": {}}, "thoughtSignature": "s"}, {"text": " "}]);
    let (_, collected) = read(Provider::Gemini, &[gemini(&call, Some("STOP"))]);
    let tool_use = json!({"type": "tool_use", "id": "call_0", "name": "list", "input": {}});
    assert_eq!(collected.to_request(Provider::Anthropic)["content"], json!([tool_use]));
    // A signed text of Gemini is a text, and an empty one is no message.
    let parts = json!([
        {"text": "a", "thoughtSignature": "s"},
        {"functionCall": {"id": "1", "name": "list", "args": {}}},
        {"text": "", "thoughtSignature": "end"},
    ]);
    let (_, collected) = read(Provider::Gemini, &[gemini(&parts, Some("STOP"))]);
    assert_eq!(
        collected.to_request(Provider::OpenAiResponses),
        json!([
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "a"}]},
            {"type": "function_call", "call_id": "1", "name": "list", "arguments": "{}"},
        ]),
    );
}

/// A logged message may hold an empty text. It becomes no part.
#[test]
fn an_empty_text_of_a_logged_message_is_no_part() {
    let (_, message) = read(Provider::Gemini, &[gemini(&json!([{"text": "a"}]), Some("STOP"))]);
    let mut logged = message.to_json();
    logged["content"] = json!([{"type": "text", "text": ""}, {"type": "text", "text": "a"}]);
    let message: Message = serde_json::from_value(logged).unwrap();
    assert_eq!(message.to_request(Provider::Gemini)["parts"], json!([{"text": "a"}]));
}

/// Only the text of a custom tool goes back as free text. A dialect's parameter called `input` goes back as any parameter.
#[test]
fn a_parameter_called_input_is_no_free_text() {
    use toolstream::{Dialect, Parser};
    let tool = Tool::new("f");
    for (dialect, text) in [
        (Dialect::CLINE, "<f>\n<input>x</input>\n</f>"),
        (Dialect::CODE_ASSISTANT, "<tool:f>\n<param:input>x</param:input>\n</tool:f>"),
    ] {
        let parser =
            Parser::builder(dialect).tool(tool.clone().param(toolstream::Param::optional("input")));
        let message = parser.build().unwrap().parse(text);
        let item = &message.to_request(Provider::OpenAiResponses)[0];
        assert_eq!(
            (&item["type"], &item["arguments"]),
            (&json!("function_call"), &json!("{\"input\":\"x\"}"))
        );
    }
}

/// A refusal is reported once, in any number of pieces.
#[test]
fn a_refusal_is_told_once() {
    for pieces in [&["No."][..], &["N", "o."]] {
        let deltas = pieces.iter().map(|piece| json!({"choices": [{"delta": {"refusal": piece}}]}));
        let events: Vec<Value> = deltas.chain([chat_end()]).collect();
        let (_, message) = read(Provider::OpenAiChat, &events);
        assert_eq!((kinds(&message), &*message.text()), (vec!["refusal"], "No."));
    }
}

/// These APIs demand a result for every call, and refuse arguments that are no JSON.
#[test]
fn calls_that_may_not_run_go_back_too() {
    let input = [named(0), entry(0, "{\"file\": 1, \"body\": oops"), chat_end()];
    let (_, collected) = read(Provider::OpenAiChat, &input);
    assert!(matches!(collected.blocks(), [Block::Incomplete(_)]));
    let back = collected.to_request(Provider::OpenAiChat);
    let arguments = back["tool_calls"][0]["function"]["arguments"].as_str().expect("text");
    assert!(serde_json::from_str::<Value>(arguments).is_ok(), "{arguments}");
}

#[test]
fn the_json_of_a_message_has_what_goes_back() {
    let (_, stream) = anthropic();
    let (found, collected) = read(Provider::Anthropic, &stream);
    let content = collected.to_json()["content"].clone();
    assert_eq!(
        content[0],
        json!({"type": "reasoning", "text": "One.", "opaque": {"signature": "sig1"}})
    );
    assert_eq!(
        content[2],
        json!({"type": "opaque", "opaque": {"type": "redacted_thinking", "data": "r"}})
    );
    let event =
        found.iter().find(|event| matches!(event, Event::Opaque { .. })).expect("a signature");
    let wanted = json!({"type": "opaque", "of": "reasoning", "json": "{\"signature\":\"sig1\"}"});
    assert_eq!(serde_json::to_value(event).expect("JSON"), wanted);
}

/// Nothing of a surplus call is kept, and nothing behind it.
#[test]
fn nothing_is_kept_of_what_the_limit_cut() {
    let mut reader = Reader::builder(Provider::Gemini).tool_limit(1).build().unwrap();
    let call = json!({"functionCall": {"name": "list", "args": {}}, "thoughtSignature": "s"});
    let parts =
        json!([call, call, {"inlineData": {"data": "A"}}, {"text": "b", "thoughtSignature": "t"}]);
    let found = events(&mut reader, &[gemini(&parts, Some("STOP"))]);
    assert_eq!(found.iter().filter(|event| matches!(event, Event::Opaque { .. })).count(), 1);
    check::has_shape(&found).unwrap();
}

#[test]
fn envelopes() {
    let envelope = |provider, input: &[Value]| {
        let mut reader = reader(provider);
        for event in input {
            reader.feed_value(event);
        }
        serde_json::to_value(reader.envelope()).expect("JSON")
    };
    let of = |id: &str, reason: &str, counts: [u64; 4]| {
        let [input, output, cached, reasoning] = counts;
        let reasoning = (reasoning > 0).then_some(reasoning);
        json!([id, "m", reason, input, output, cached, reasoning, null])
    };
    let flat = |found: Value| {
        let usage = &found["usage"];
        json!([
            found["id"],
            found["model"],
            found["stop_reason"],
            usage["input"],
            usage["output"],
            usage["cached"],
            usage["reasoning"],
            found["error"]
        ])
    };
    let usage = json!({"prompt_tokens": 9, "completion_tokens": 5, "total_tokens": 14,
        "prompt_tokens_details": {"cached_tokens": 4}, "completion_tokens_details": {"reasoning_tokens": 2}});
    let found = envelope(
        Provider::OpenAiChat,
        &[
            json!({"id": "x", "model": "m", "choices": [{"index": 1, "finish_reason": "length"}]}),
            json!({"id": "x", "model": "m", "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}),
            json!({"choices": [], "usage": usage}),
        ],
    );
    assert_eq!(found["usage"]["raw"], usage);
    assert_eq!(flat(found), of("x", "stop", [9, 5, 4, 2]));

    let usage = json!({"input_tokens": 9, "output_tokens": 5, "input_tokens_details": {"cached_tokens": 4},
        "output_tokens_details": {"reasoning_tokens": 2}});
    let response = |status: &str, more: &Value| {
        let mut response = json!({"id": "x", "model": "m", "status": status, "error": null});
        response.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        response
    };
    let created =
        json!({"type": "response.created", "response": response("in_progress", &json!({}))});
    let more = json!({"usage": usage, "incomplete_details": {"reason": "max_output_tokens"}});
    let end = json!({"type": "response.incomplete", "response": response("incomplete", &more)});
    assert_eq!(
        flat(envelope(Provider::OpenAiResponses, std::slice::from_ref(&created)))[2],
        Value::Null
    );
    let found = flat(envelope(Provider::OpenAiResponses, &[created, end]));
    assert_eq!(found, of("x", "max_output_tokens", [9, 5, 4, 2]));
    let mut whole = response("completed", &json!({"usage": usage, "output": []}));
    whole["object"] = "response".into();
    assert_eq!(
        flat(envelope(Provider::OpenAiResponses, &[whole])),
        of("x", "completed", [9, 5, 4, 2])
    );

    let usage = json!({"input_tokens": 2, "cache_read_input_tokens": 4, "cache_creation_input_tokens": 3,
        "output_tokens": 1});
    let begin = json!({"id": "x", "model": "m", "usage": usage, "stop_reason": null});
    let mut end = anthropic_end("end_turn");
    end["usage"] = json!({"output_tokens": 5});
    let stream = [json!({"type": "message_start", "message": begin}), end];
    assert_eq!(flat(envelope(Provider::Anthropic, &stream)), of("x", "end_turn", [9, 5, 4, 0]));

    let mut last = gemini(&json!([]), Some("MAX_TOKENS"));
    last["responseId"] = "x".into();
    last["modelVersion"] = "m".into();
    last["usageMetadata"] = json!({"promptTokenCount": 9, "candidatesTokenCount": 3, "thoughtsTokenCount": 2,
        "cachedContentTokenCount": 4});
    assert_eq!(flat(envelope(Provider::Gemini, &[last])), of("x", "MAX_TOKENS", [9, 5, 4, 2]));
    let blocked = json!({"promptFeedback": {"blockReason": "SAFETY"}});
    assert_eq!(envelope(Provider::Gemini, &[blocked])["stop_reason"], "SAFETY");
}

#[test]
fn errors_say_what_they_are() {
    let failed = json!({"type": "response.failed",
        "response": {"status": "failed", "error": {"code": "server_error", "message": "Sorry."}}});
    for (provider, event, told) in [
        (
            Provider::OpenAiChat,
            json!({"error": {"message": "Too long.", "type": "invalid_request_error", "param": null,
                "code": "context_length_exceeded"}}),
            [Some("invalid_request_error"), Some("context_length_exceeded"), Some("Too long.")],
        ),
        (
            Provider::OpenAiChat,
            json!({"error": "no such model"}),
            [None, None, Some("no such model")],
        ),
        (
            Provider::OpenAiChat,
            json!({"object": "error", "message": "Bad.", "type": "BadRequestError", "code": 400}),
            [Some("BadRequestError"), Some("400"), Some("Bad.")],
        ),
        (
            Provider::Anthropic,
            json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}),
            [Some("overloaded_error"), None, Some("Overloaded")],
        ),
        (
            Provider::Gemini,
            json!({"error": {"code": 429, "message": "Slow down.", "status": "RESOURCE_EXHAUSTED"}}),
            [Some("RESOURCE_EXHAUSTED"), Some("429"), Some("Slow down.")],
        ),
        (Provider::OpenAiResponses, failed, [None, Some("server_error"), Some("Sorry.")]),
        (
            Provider::OpenAiResponses,
            json!({"type": "error", "code": "rate_limit_exceeded", "message": "Wait.", "param": null}),
            [None, Some("rate_limit_exceeded"), Some("Wait.")],
        ),
    ] {
        let mut reader = reader(provider);
        let found = events(&mut reader, std::slice::from_ref(&event));
        assert_eq!(message(&reader, &found).ended(), Ending::Truncated);
        let count = kinds(&message(&reader, &found))
            .iter()
            .filter(|kind| **kind == "provider_error")
            .count();
        assert_eq!(count, 1, "{event}");
        let error = reader.envelope().error.clone().expect("an error");
        let found = [error.kind.as_deref(), error.code.as_deref(), error.message.as_deref()];
        assert_eq!(found, told, "{event}");
    }
    // An error that is not JSON is shown unchanged, until an error in words comes.
    let mut reader = reader(Provider::Anthropic);
    reader.feed("<html>502 Bad Gateway</html>");
    assert_eq!(reader.envelope().error.as_ref().unwrap().raw, "<html>502 Bad Gateway</html>");
    reader.feed(r#"{"type": "error", "error": {"type": "api_error", "message": "Oh."}}"#);
    assert_eq!(reader.envelope().error.as_ref().unwrap().message.as_deref(), Some("Oh."));
    // A later error that follows from the first says less.
    reader.feed(r#"{"type": "error", "error": {"type": "api_error", "message": "Again."}}"#);
    assert_eq!(reader.envelope().error.as_ref().unwrap().message.as_deref(), Some("Oh."));
    reader.reset();
    assert!(reader.envelope().error.is_none());
}

#[test]
fn events_of_another_provider_are_told() {
    let samples = [
        (Provider::OpenAiChat, json!({"choices": [{"delta": {"content": "a"}}]})),
        (Provider::OpenAiChat, chat_message(&json!({"content": "a"}), "stop")),
        (Provider::OpenAiResponses, json!({"type": "response.output_text.delta", "delta": "a"})),
        (
            Provider::OpenAiResponses,
            json!({"object": "response", "status": "completed", "output": []}),
        ),
        (Provider::Anthropic, json!({"type": "message_start", "message": {"usage": {}}})),
        (
            Provider::Anthropic,
            json!({"type": "message_delta", "delta": {}, "usage": {"output_tokens": 1}}),
        ),
        (Provider::Anthropic, json!({"type": "message", "content": [], "usage": {}})),
        (Provider::Gemini, gemini(&json!([{"text": "a"}]), None)),
    ];
    for provider in Provider::ALL {
        for (of, sample) in &samples {
            let mut reader = reader(*provider);
            let found = events(&mut reader, &[sample.clone(), sample.clone()]);
            let collected = message(&reader, &found);
            let told = kinds(&collected).iter().filter(|kind| **kind == "foreign_event").count();
            assert_eq!(told, usize::from(of != provider), "{provider}: {sample}");
            if of != provider {
                assert_eq!(
                    (collected.text(), collected.ended()),
                    (String::new(), Ending::Truncated)
                );
            }
        }
    }
    // A new event, or an event of no provider, is not taken for another provider's.
    for (provider, event) in [
        (Provider::Anthropic, json!({"type": "content_block_glow", "index": 0})),
        (Provider::OpenAiResponses, json!({"type": "response.glow.delta"})),
        (Provider::OpenAiResponses, json!({"type": "keepalive"})),
        (Provider::OpenAiChat, json!({"type": "ping"})),
        (Provider::OpenAiChat, json!({"object": "chat.completion.chunk", "id": "x"})),
        (Provider::OpenAiChat, json!({"usage": {"prompt_tokens": 1}})),
        (Provider::Gemini, json!({"usageMetadata": {}})),
    ] {
        let found = read(provider, std::slice::from_ref(&event)).1;
        assert_eq!(kinds(&found), ["cut_stream"], "{event}");
    }
}

/// Extra content of a call in chat completions goes back with the call.
#[test]
fn a_chat_request_with_reasoning_has_what_hangs_on_its_calls() {
    use toolstream::adapt::ReasoningKey;
    let extra = json!({"google": {"thought_signature": "c2ln"}});
    let call = json!({"index": 0, "id": "c1", "type": "function", "extra_content": extra,
        "function": {"name": "read", "arguments": "{}"}});
    let chunk = json!({"choices": [{"index": 0, "delta": {"tool_calls": [call]}}]});
    let end = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]});
    let (_, message) = read(Provider::OpenAiChat, &[chunk, end]);
    let turn = message.to_chat_request(ReasoningKey::Reasoning);
    assert_eq!(turn["tool_calls"][0]["id"], "c1");
    assert_eq!(turn["tool_calls"][0]["extra_content"], extra);
}

/// No results make no message. Gemini takes an object unchanged, and anything else as `output`.
#[test]
fn results_as_each_provider_wants_them() {
    use toolstream::render::ToolResult;
    for provider in
        [Provider::OpenAiChat, Provider::OpenAiResponses, Provider::Anthropic, Provider::Gemini]
    {
        assert_eq!(provider.results(&[]), Vec::<Value>::new(), "{provider:?}");
    }
    for (content, response) in [
        (json!({"lines": 3}), json!({"lines": 3})),
        (json!("a.rs"), json!({"output": "a.rs"})),
        (json!([1]), json!({"output": [1]})),
    ] {
        let written = Provider::Gemini.results(&[ToolResult::ok("list", content)]);
        assert_eq!(written[0]["parts"][0]["functionResponse"]["response"], response);
    }
}
