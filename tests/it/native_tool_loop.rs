//! The agent's loop over the providers' own tools: one conversation in the words of each provider.

use serde_json::{Value, json};
use toolstream::native::{Provider, Reader};
use toolstream::policy::{Choice, Step, ToolLoop};
use toolstream::{Dialect, Param, Parser, Tool, tools::Type};

fn tools() -> [Tool; 2] {
    [Tool::new("read").param(Param::required("path").with(Type::String)), Tool::new("list")]
}

fn agent(provider: Provider, config: Value) -> ToolLoop {
    let reader = Reader::builder(provider).tools(tools()).build().unwrap();
    ToolLoop::from_json(reader, &config).unwrap()
}

/// A call of an answer: its id, its tool, its arguments as text.
type Call = (&'static str, &'static str, &'static str);

/// A whole answer with this text and these calls.
fn answer(provider: Provider, text: &str, calls: &[Call]) -> Value {
    let parsed = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    let called = !calls.is_empty();
    match provider {
        Provider::OpenAiChat => {
            let calls = calls.iter().map(|(id, name, arguments)| {
                json!({"id": id, "type": "function",
                    "function": {"name": name, "arguments": arguments}})
            });
            let message = json!({"role": "assistant", "content": text,
                "reasoning_content": "Hm.", "tool_calls": calls.collect::<Vec<_>>()});
            let reason = if called { "tool_calls" } else { "stop" };
            json!({"choices": [{"message": message, "finish_reason": reason}]})
        }
        Provider::OpenAiResponses => {
            let mut output = vec![json!({"type": "reasoning", "id": "rs_1",
                "encrypted_content": "c2VjcmV0", "summary": []})];
            output.push(json!({"type": "message", "id": "msg_1", "role": "assistant",
                "content": [{"type": "output_text", "text": text}]}));
            output.extend(calls.iter().map(|(id, name, arguments)| {
                json!({"type": "function_call", "id": format!("fc_{id}"), "call_id": id,
                    "name": name, "arguments": arguments, "status": "completed"})
            }));
            json!({"object": "response", "status": "completed", "output": output})
        }
        Provider::Anthropic => {
            let mut content = vec![
                json!({"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}),
                json!({"type": "text", "text": text}),
            ];
            content.extend(calls.iter().map(|(id, name, arguments)| {
                json!({"type": "tool_use", "id": id, "name": name, "input": parsed(arguments)})
            }));
            let reason = if called { "tool_use" } else { "end_turn" };
            json!({"type": "message", "stop_reason": reason, "content": content})
        }
        Provider::Gemini => {
            let mut parts = vec![json!({"text": text})];
            parts.extend(calls.iter().map(|(_, name, arguments)| {
                json!({"functionCall": {"name": name, "args": parsed(arguments)},
                    "thoughtSignature": "c2ln"})
            }));
            json!({"candidates": [{"content": {"role": "model", "parts": parts},
                "finishReason": "STOP"}]})
        }
        _ => unreachable!("a provider without a test"),
    }
}

/// The model gives this answer, whole, and the loop decides.
fn says(agent: &mut ToolLoop, answer: &Value) -> Step {
    assert!(matches!(agent.step(), Step::CallModel { .. }), "{:?}", agent.step());
    agent.reply().feed(&answer.to_string()).for_each(drop);
    agent.reply().finish().for_each(drop);
    let step = agent.step();
    calls_are_answered(agent);
    step
}

const TWO: [Call; 2] = [("id_1", "read", "{\"path\":\"a\"}"), ("id_2", "list", "{}")];

/// Checks a demand of these APIs: the result of each call stands right behind the turn of the call, once. While the tools run,
/// there are no results yet.
#[track_caller]
fn calls_are_answered(agent: &mut ToolLoop) {
    let runs = matches!(agent.step(), Step::RunTools(_));
    let (mut open, mut seen): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    let items = agent.messages().iter().flat_map(|message| {
        let inside = ["content", "parts", "tool_calls"].map(|key| message[key].as_array());
        std::iter::once(message).chain(inside.into_iter().flatten().flatten())
    });
    for item in items {
        let kind = item["type"].as_str().unwrap_or_default();
        let id = |key: &str| item[key].as_str().unwrap().to_string();
        if kind == "function_call" || kind == "custom_tool_call" {
            open.push(id("call_id"));
        } else if kind == "tool_use" || kind == "function" {
            open.push(id("id"));
        } else if let Some(name) = item["functionCall"]["name"].as_str() {
            open.push(name.to_string());
        } else if kind == "function_call_output" || kind == "custom_tool_call_output" {
            seen.push(id("call_id"));
        } else if kind == "tool_result" {
            seen.push(id("tool_use_id"));
        } else if item["role"] == "tool" {
            seen.push(id("tool_call_id"));
        } else if let Some(name) = item["functionResponse"]["name"].as_str() {
            seen.push(name.to_string());
        } else if item["role"] == "user" && item["content"].is_string() {
            assert_eq!(open, seen, "before {item} in {:#?}", agent.messages());
        }
    }
    assert!(open.starts_with(&seen) && (runs || open == seen), "{:#?}", agent.messages());
}

fn each(test: impl Fn(Provider)) {
    Provider::ALL.iter().for_each(|provider| test(*provider));
}

/// The model's own turn as it was sent, with signatures and encrypted reasoning.
fn turn(provider: Provider, answer: &Value) -> Value {
    match provider {
        Provider::OpenAiChat => answer["choices"][0]["message"].clone(),
        Provider::OpenAiResponses => answer["output"].clone(),
        Provider::Anthropic => json!({"role": "assistant", "content": answer["content"]}),
        _ => answer["candidates"][0]["content"].clone(),
    }
}

#[test]
fn two_calls_their_results_and_an_answer() {
    each(|provider| {
        let mut agent = agent(provider, json!({"instructions": "You are terse."}));
        agent.user("Please read a.");
        let first = answer(provider, "I look.", &TWO);
        let Step::RunTools(calls) = says(&mut agent, &first) else { panic!("{provider}") };
        assert_eq!((&*calls[0].1.name, &calls[0].1.arguments["path"]), ("read", &json!("a")));
        // The order of the results is not that of the calls.
        agent.tool_result(calls[1].0, "a, b").unwrap();
        agent.tool_result(calls[0].0, Err::<String, _>("no such file")).unwrap();
        calls_are_answered(&mut agent);

        let said = agent.messages()[2..].to_vec();
        let own = turn(provider, &first);
        let (turn, results) = match own.as_array() {
            Some(items) => (Value::from(&said[..items.len()]), &said[items.len()..]),
            None => (said[0].clone(), &said[1..]),
        };
        assert_eq!(turn, own, "{provider}");
        let expected = match provider {
            Provider::OpenAiChat => json!([
                {"role": "tool", "tool_call_id": "id_1", "content": "Error: no such file"},
                {"role": "tool", "tool_call_id": "id_2", "content": "a, b"}]),
            Provider::OpenAiResponses => json!([
                {"type": "function_call_output", "call_id": "id_1", "output": "Error: no such file"},
                {"type": "function_call_output", "call_id": "id_2", "output": "a, b"}]),
            Provider::Anthropic => json!([{"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "id_1", "content": "no such file",
                    "is_error": true},
                {"type": "tool_result", "tool_use_id": "id_2", "content": "a, b"}]}]),
            _ => json!([{"role": "user", "parts": [
                {"functionResponse": {"name": "read", "response": {"error": "no such file"}}},
                {"functionResponse": {"name": "list", "response": {"output": "a, b"}}}]}]),
        };
        assert_eq!(Value::from(results), expected, "{provider}");

        let step = says(&mut agent, &answer(provider, "It is not there.", &[]));
        assert_eq!(step, Step::Done(Some("It is not there.".into())), "{provider}");
    });
}

#[test]
fn a_request_has_all_but_the_hosts_own_keys() {
    each(|provider| {
        let mut agent = agent(provider, json!({"instructions": "You are terse."}));
        agent.user("Please read a.");
        let request = agent.request();
        let tools = &tools().map(|tool| tool.to_request(provider));
        let expected = match provider {
            Provider::OpenAiChat => json!({"messages": [
                {"role": "system", "content": "You are terse."},
                {"role": "user", "content": "Please read a."}], "tools": tools}),
            Provider::OpenAiResponses => json!({"instructions": "You are terse.",
                "input": [{"role": "user", "content": "Please read a."}], "tools": tools}),
            Provider::Anthropic => json!({"system": "You are terse.",
                "messages": [{"role": "user", "content": "Please read a."}], "tools": tools}),
            _ => json!({"systemInstruction": {"parts": [{"text": "You are terse."}]},
                "contents": [{"role": "user", "parts": [{"text": "Please read a."}]}],
                "tools": [{"functionDeclarations": tools}]}),
        };
        assert_eq!(request, expected, "{provider}");
    });
    let bare =
        ToolLoop::from_json(Reader::builder(Provider::Anthropic).build().unwrap(), &json!({}));
    assert_eq!(bare.unwrap().request(), json!({"messages": []}), "nothing that nobody said");
}

#[test]
fn a_call_that_may_not_run_is_answered_before_the_correction() {
    let cut = json!({"choices": [{"delta": {"tool_calls": [{"index": 0, "id": "id_1",
        "function": {"name": "read", "arguments": "{\"path\": \"a"}}]}}]});
    let mut agent = agent(Provider::OpenAiChat, json!({}));
    agent.user("Please read a.");
    says(&mut agent, &cut);
    let said = agent.messages();
    assert_eq!(said[2]["tool_call_id"], "id_1", "{said:#?}");
    assert!(said[2]["content"].as_str().unwrap().starts_with("Error: The call of 'read'"));
    assert_eq!(said[3]["role"], "user");
    assert!(matches!(agent.step(), Step::CallModel { .. }));
}

#[test]
fn one_call_of_two_is_cut_off() {
    let mut agent = agent(Provider::Anthropic, json!({}));
    agent.user("Please read a.");
    for event in [
        json!({"type": "content_block_start", "index": 0,
            "content_block": {"type": "tool_use", "id": "t1", "name": "list", "input": {}}}),
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "content_block_start", "index": 1,
            "content_block": {"type": "tool_use", "id": "t2", "name": "read", "input": {}}}),
        json!({"type": "content_block_delta", "index": 1,
            "delta": {"type": "input_json_delta", "partial_json": "{\"pa"}}),
    ] {
        agent.reply().feed(&event.to_string()).for_each(drop);
    }
    agent.reply().finish_cut().for_each(drop);
    let Step::RunTools(calls) = agent.step() else { panic!("{:?}", agent.step()) };
    assert_eq!(calls.len(), 1, "the one that closed");
    agent.tool_result(calls[0].0, "a").unwrap();
    let results = &agent.messages().last().unwrap()["content"];
    let ids = [&results[0]["tool_use_id"], &results[1]["tool_use_id"]];
    assert_eq!(ids, ["t1", "t2"], "{results}");
    assert!(results[1]["is_error"] == true && results.as_array().unwrap().len() == 2);
    calls_are_answered(&mut agent);
}

/// An error in the format of each API.
fn overloaded(provider: Provider) -> Value {
    match provider {
        Provider::OpenAiChat => json!({"error": {"message": "Busy.", "type": "server_error"}}),
        Provider::OpenAiResponses => json!({"type": "response.failed", "response": {
            "status": "failed", "error": {"code": "server_error", "message": "Busy."}}}),
        Provider::Anthropic => {
            json!({"type": "error", "error": {"type": "overloaded_error", "message": "Busy."}})
        }
        _ => json!({"error": {"code": 503, "status": "UNAVAILABLE", "message": "Busy."}}),
    }
}

/// The first half of an answer: some text.
fn half(provider: Provider) -> Value {
    match provider {
        Provider::OpenAiChat => json!({"choices": [{"index": 0, "delta": {"content": "I sh"}}]}),
        Provider::OpenAiResponses => {
            json!({"type": "response.output_text.delta", "output_index": 0, "delta": "I sh"})
        }
        Provider::Anthropic => json!({"type": "content_block_start", "index": 0,
            "content_block": {"type": "text", "text": "I sh"}}),
        _ => json!({"candidates": [{"content": {"parts": [{"text": "I sh"}]}}]}),
    }
}

/// The model does not hear of a provider's error, and the error counts as no answer.
#[test]
fn an_error_of_the_providers_is_not_the_models() {
    each(|provider| {
        let mut agent = agent(provider, json!({"max_iterations": 1}));
        agent.user("Please read a.");
        let before = agent.request();
        for (parts, discard) in [(vec![], false), (vec![half(provider)], true), (vec![], false)] {
            for part in parts.iter().chain([&overloaded(provider)]) {
                agent.reply().feed(&part.to_string()).for_each(drop);
            }
            agent.reply().finish().for_each(drop);
            let Step::Failed(error) = agent.step() else {
                panic!("{provider}: {:?}", agent.step())
            };
            assert_eq!(error.message.as_deref(), Some("Busy."), "{provider}");

            // A host that waits may be another process by then.
            let stored = agent.snapshot();
            agent.restore(&stored).unwrap();
            assert_eq!(agent.step(), Step::Failed(error), "{provider}");
            agent.retry();
            let again = Step::CallModel { discard_visible_text: discard };
            assert_eq!((agent.step(), agent.request()), (again, before.clone()), "{provider}");
        }
        let step = says(&mut agent, &answer(provider, "Yes.", &[]));
        assert_eq!(step, Step::Done(Some("Yes.".into())), "{provider}");
        agent.retry();
        assert_eq!(agent.step(), step, "out of turn");
    });
}

#[test]
fn calls_before_an_error_run() {
    each(|provider| {
        // The other providers confirm a call only with the end of the answer.
        let whole = matches!(provider, Provider::Anthropic | Provider::Gemini);
        let mut agent = agent(provider, json!({}));
        agent.user("Please list.");
        let call = match provider {
            Provider::OpenAiChat => vec![json!({"choices": [{"delta": {"tool_calls": [{"index": 0,
                "id": "id_1", "function": {"name": "list", "arguments": "{}"}}]}}]})],
            Provider::OpenAiResponses => vec![json!({"type": "response.output_item.added",
                "output_index": 0, "item": {"type": "function_call", "id": "fc_1",
                "call_id": "id_1", "name": "list", "arguments": ""}})],
            Provider::Anthropic => vec![
                json!({"type": "content_block_start", "index": 0, "content_block":
                    {"type": "tool_use", "id": "id_1", "name": "list", "input": {}}}),
                json!({"type": "content_block_stop", "index": 0}),
            ],
            _ => vec![json!({"candidates": [{"content": {"parts": [
                {"functionCall": {"name": "list", "args": {}}}]}}]})],
        };
        for part in call.iter().chain([&overloaded(provider)]) {
            agent.reply().feed(&part.to_string()).for_each(drop);
        }
        agent.reply().finish().for_each(drop);
        assert_eq!(matches!(agent.step(), Step::RunTools(_)), whole, "{provider}");
        assert_eq!(matches!(agent.step(), Step::Failed(_)), !whole, "{provider}");
    });
}

/// An answer is cut in a call again and again, and the user lets the model go on. Then the call has a result.
#[test]
fn a_cut_call_is_answered_before_the_model_goes_on() {
    each(|provider| {
        let cut = match provider {
            Provider::OpenAiChat => {
                vec![json!({"choices": [{"index": 0, "finish_reason": "length", "delta":
                {"tool_calls": [{"index": 0, "id": "id_1", "function": {"name": "list", "arguments": "{"}}]}}]})]
            }
            Provider::OpenAiResponses => vec![
                json!({"type": "response.output_item.added", "output_index": 0, "item": {"type":
                    "function_call", "id": "fc_1", "call_id": "id_1", "name": "list", "arguments": ""}}),
                json!({"type": "response.incomplete", "response": {"id": "r", "output": []}}),
            ],
            Provider::Anthropic => vec![
                json!({"type": "content_block_start", "index": 0, "content_block":
                    {"type": "tool_use", "id": "id_1", "name": "list", "input": {}}}),
                json!({"type": "message_delta", "delta": {"stop_reason": "max_tokens"}}),
            ],
            _ => vec![
                json!({"candidates": [{"content": {"parts": [{"functionCall": {"name": "list"}}]},
                "finishReason": "MAX_TOKENS"}]}),
            ],
        };
        let mut agent = agent(provider, json!({"max_iterations": 5}));
        agent.user("What is hére?");
        for _ in 0..9 {
            match agent.step() {
                Step::CallModel { .. } => {
                    cut.iter()
                        .for_each(|part| agent.reply().feed(&part.to_string()).for_each(drop));
                    agent.reply().finish().for_each(drop);
                }
                Step::RunTools(_) => return,
                _ => break,
            }
        }
        assert!(matches!(agent.step(), Step::AskUser(_)), "{provider}: {:?}", agent.step());
        agent.choice(Choice::Continue).unwrap();
        assert!(matches!(agent.step(), Step::CallModel { .. }), "{provider}");
        calls_are_answered(&mut agent);
    });
}

#[test]
fn a_connection_that_broke_is_asked_again() {
    each(|provider| {
        let mut agent = agent(provider, json!({}));
        agent.user("Please read a.");
        let before = agent.request();
        agent.reply().feed(&half(provider).to_string()).for_each(drop);
        agent.retry();
        assert_eq!(agent.step(), Step::CallModel { discard_visible_text: true }, "{provider}");
        assert_eq!((agent.request(), agent.reply().message().text()), (before, String::new()));
        // A user who does not want to wait goes on with the next words.
        agent.reply().feed(&overloaded(provider).to_string()).for_each(drop);
        agent.reply().finish().for_each(drop);
        assert!(matches!(agent.step(), Step::Failed(_)));
        agent.user("Or b.");
        assert!(matches!(agent.step(), Step::CallModel { discard_visible_text: false }));
        let users = agent.messages().iter().filter(|message| message["role"] == "user").count();
        assert_eq!(users, if provider == Provider::OpenAiResponses { 2 } else { 1 }, "{provider}");
    });
}

#[test]
fn a_user_who_speaks_first_leaves_no_call_without_a_result() {
    each(|provider| {
        let mut agent = agent(provider, json!({}));
        agent.user("Please read a.");
        let Step::RunTools(calls) = says(&mut agent, &answer(provider, "", &TWO)) else { panic!() };
        agent.tool_result(calls[0].0, "text of a").unwrap();
        agent.user("Stop.");
        calls_are_answered(&mut agent);
        assert!(agent.tool_result(calls[1].0, "late").is_err());

        // The user speaks while the model does.
        let event = answer(provider, "Well", &TWO[..1]);
        agent.reply().feed(&event.to_string()).for_each(drop);
        agent.user("Stop, I said.");
        calls_are_answered(&mut agent);
        let step = says(&mut agent, &answer(provider, "Yes.", &[]));
        assert_eq!(step, Step::Done(Some("Yes.".into())), "{provider}");
    });
}

#[test]
fn it_goes_on_after_a_restart_while_tools_run() {
    each(|provider| {
        let mut before = agent(provider, json!({"instructions": "Old."}));
        before.user("Please read a.");
        let Step::RunTools(calls) = says(&mut before, &answer(provider, "", &TWO)) else {
            panic!()
        };
        before.tool_result(calls[0].0, "text of a").unwrap();
        let stored = before.snapshot().to_string();

        let mut after = agent(provider, json!({"instructions": "New."}));
        after.restore(&serde_json::from_str(&stored).unwrap()).unwrap();
        assert_eq!(after.messages()[1..], before.messages()[1..]);
        let Step::RunTools(rest) = after.step() else { panic!() };
        assert_eq!(rest, calls[1..]);
        after.tool_result(rest[0].0, "a, b").unwrap();
        calls_are_answered(&mut after);
        assert!(matches!(after.step(), Step::CallModel { .. }), "{provider}");
    });
}

#[test]
fn calls_without_ids_get_those_of_the_request() {
    let mut agent = agent(Provider::OpenAiChat, json!({}));
    agent.user("Go.");
    let call = json!({"type": "function", "function": {"name": "list", "arguments": "{}"}});
    let message = json!({"role": "assistant", "content": null, "tool_calls": [call]});
    let answer = json!({"choices": [{"message": message, "finish_reason": "tool_calls"}]});
    let Step::RunTools(calls) = says(&mut agent, &answer) else { panic!() };
    agent.tool_result(calls[0].0, "a").unwrap();
    let said = agent.messages();
    assert_eq!(said[1]["tool_calls"][0]["id"], "call_0", "{said:#?}");
    assert_eq!(said[2], json!({"role": "tool", "tool_call_id": "call_0", "content": "a"}));
}

#[test]
fn free_text_for_a_custom_tool_is_answered_as_such() {
    let mut agent = agent(Provider::OpenAiResponses, json!({}));
    agent.user("Go.");
    let item = json!({"type": "custom_tool_call", "id": "ctc_1", "call_id": "id_1",
        "name": "patch", "input": "*** Begin", "status": "completed"});
    let answer = json!({"object": "response", "status": "completed", "output": [item]});
    says(&mut agent, &answer);
    let last = agent.messages().iter().find(|item| item["type"] == "custom_tool_call_output");
    assert_eq!(last.unwrap()["call_id"], "id_1", "{:#?}", agent.messages());
}

#[test]
fn content_that_is_no_string_is_kept() {
    let mut agent = agent(
        Provider::Anthropic,
        json!({
            "validator": {"patterns": [{"pattern": "a\\.png", "tools": ["read"]}], "require_expected": true},
        }),
    );
    let parts = json!([
        {"type": "image", "source": {"type": "url", "url": "https://example.org/a.png"}},
        {"type": "text", "text": "Read a.png.", "cache_control": {"type": "ephemeral"}},
    ]);
    agent.user(parts.clone());
    assert_eq!(agent.messages()[0]["content"], parts);
    // The validator reads the text of the message.
    let step = says(&mut agent, &answer(Provider::Anthropic, "No.", &[]));
    assert!(matches!(step, Step::CallModel { .. }), "{step:?}");
    // A correction behind text is another part, and so are the user's next words.
    let mut other = agent.clone();
    other.edit_history(|messages| messages.push(json!({"role": "user", "content": parts})));
    other.user("Well?");
    let last = other.messages().last().unwrap()["content"].as_array().unwrap();
    assert_eq!(last.len(), 3);
    assert_eq!(last[2], json!({"type": "text", "text": "Well?"}));
}

/// A loop over a server that leaves the calls in its text.
fn text_calls(provider: Provider, config: Value) -> Result<ToolLoop, String> {
    let parser = Parser::builder(Dialect::HERMES).tools(tools()).build().unwrap();
    let reader = Reader::builder(provider).text_calls(parser).build().unwrap();
    ToolLoop::from_json(reader, &config).map_err(|error| error.to_string())
}

#[test]
fn calls_in_a_servers_text() {
    let called = "I look.\n<tool_call>\n{\"name\": \"list\", \"arguments\": {}}\n</tool_call>";
    let chunk = |delta: Value, reason: Value| json!({"choices": [{"delta": delta, "finish_reason": reason}]});
    let answer = |agent: &mut ToolLoop| {
        agent.user("Go.");
        let (first, second) = called.split_at(20);
        for chunk in [
            chunk(json!({"reasoning_content": "Hm."}), json!(null)),
            chunk(json!({"content": first}), json!(null)),
            chunk(json!({"content": second}), json!(null)),
            chunk(json!({}), json!("stop")),
        ] {
            agent.reply().feed(&chunk.to_string()).for_each(drop);
        }
        agent.reply().finish().for_each(drop);
        let Step::RunTools(calls) = agent.step() else { panic!("{:?}", agent.step()) };
        agent.tool_result(calls[0].0, "a.rs").unwrap();
    };

    // With tools in the prompt, everything is text.
    let mut text = text_calls(Provider::OpenAiChat, json!({"calls": "text"})).unwrap();
    answer(&mut text);
    let said = text.messages();
    assert!(said[0]["content"].as_str().unwrap().contains("\"list\""), "the tools are told");
    assert_eq!(said[2], json!({"role": "assistant", "content": called}));
    let result = "<tool_response>\na.rs\n</tool_response>";
    assert_eq!(said[3], json!({"role": "user", "content": result}));
    assert!(text.request().get("tools").is_none());

    // With tools declared to the server, everything is in the words of the API.
    let mut native = text_calls(Provider::OpenAiChat, json!({})).unwrap();
    answer(&mut native);
    let said = native.messages();
    assert_eq!(said[1]["tool_calls"][0]["function"]["name"], "list", "{said:#?}");
    assert_eq!(said[1]["content"], "I look.\n");
    assert_eq!(said[2]["role"], "tool");
    assert_eq!(native.request()["tools"].as_array().unwrap().len(), 2);
    calls_are_answered(&mut native);

    // Another API.
    let gemini = text_calls(Provider::Gemini, json!({"calls": "text"})).unwrap();
    let system = &gemini.request()["systemInstruction"]["parts"][0]["text"];
    assert!(system.as_str().unwrap().contains("<tool_call>"));
}

#[test]
fn calls_that_what_reads_cannot_have() {
    let parser = Parser::builder(Dialect::HERMES).tools(tools()).build().unwrap();
    let error = ToolLoop::from_json(parser, &json!({"calls": "native"})).unwrap_err().to_string();
    assert!(error.contains("config.calls: a parser reads the calls of a text"), "{error}");
    let reader = Reader::builder(Provider::Gemini).tools(tools()).build().unwrap();
    let error = ToolLoop::from_json(reader, &json!({"calls": "text"})).unwrap_err().to_string();
    assert!(error.contains("give it a parser by `text_calls`"), "{error}");
}

#[test]
fn a_user_may_choose() {
    let mut agent = agent(Provider::Anthropic, json!({"max_iterations": 1}));
    agent.user("Please read a.");
    let first = answer(Provider::Anthropic, "", &TWO[1..]);
    let Step::RunTools(calls) = says(&mut agent, &first) else { panic!() };
    agent.tool_result(calls[0].0, "a").unwrap();
    let Step::AskUser(_) = agent.step() else { panic!("{:?}", agent.step()) };
    agent.choice(Choice::Continue).unwrap();
    assert!(matches!(agent.step(), Step::CallModel { .. }));
    calls_are_answered(&mut agent);
}
