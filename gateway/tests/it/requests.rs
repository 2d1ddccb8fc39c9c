//! The requests to the model's server, and the refused ones.

use serde_json::{Value, json};
use toolstream::{Dialect, Tool};

use toolstream_gateway::fields::{self, Part};

use crate::support::{
    ALL, CHAT, Gateway, MESSAGES, RESPONSES, Tokenizer, call, chat, in_time, request, said,
};

fn with(path: &str, fields: Value) -> Value {
    let mut request = request(path, false);
    request.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    request
}

#[tokio::test]
async fn the_clients_stop_stands_beside_the_dialects() {
    let tools = [Tool::new("weather")];
    let parser =
        toolstream::Parser::builder(Dialect::HERMES).tools(tools).tool_limit(None).build().unwrap();
    let own: Vec<Value> = parser.stop_sequences().into_iter().map(Value::from).collect();
    assert!(!own.is_empty());
    for (path, stop) in [
        (CHAT, json!({"stop": ["X"]})),
        (CHAT, json!({"stop": "X"})),
        (MESSAGES, json!({"stop_sequences": ["X"]})),
    ] {
        let gateway = Gateway::before([chat(["Hi."])]).await;
        gateway.json(path, &with(path, stop)).await;
        let stop = gateway.upstream.asked()[0]["stop"].clone();
        let stop = stop.as_array().unwrap();
        assert_eq!(stop[0], "X");
        assert_eq!(stop[1..], own);
    }
}

#[tokio::test]
async fn what_is_stored_elsewhere_is_refused_in_words() {
    let gateway = Gateway::before([]).await;
    for (path, fields, code) in [
        (MESSAGES, json!({"thread": {"type": "continue"}}), "/error/details/error_code"),
        (RESPONSES, json!({"previous_response_id": "resp_1"}), "/error/code"),
        (CHAT, json!({"n": 2}), "/error/code"),
    ] {
        let field = fields.as_object().unwrap().keys().next().unwrap().clone();
        let (status, answer) = gateway.json(path, &with(path, fields)).await;
        assert_eq!(status, 400);
        assert!(answer["error"]["message"].as_str().unwrap().contains(&field), "{answer}");
        let word = match &*field {
            // With these words a client sends its whole history by itself.
            "thread" => "thread_unsupported_request",
            "previous_response_id" => "previous_response_not_found",
            _ => "unsupported_parameter",
        };
        assert_eq!(answer.pointer(code), Some(&json!(word)), "{answer}");
    }
    assert!(gateway.upstream.asked().is_empty());
    assert_eq!(gateway.metric("refused_total").await, 3);
}

#[tokio::test]
async fn a_document_is_refused_and_an_image_passes() {
    let image = "data:image/png;base64,iVBORw0KGgo=";
    let parts = [
        (
            CHAT,
            json!({"type": "image_url", "image_url": {"url": image}}),
            json!({"type": "file", "file": {}}),
        ),
        (
            RESPONSES,
            json!({"type": "input_image", "image_url": image}),
            json!({"type": "input_file"}),
        ),
        (
            MESSAGES,
            json!({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}}),
            json!({"type": "document", "source": {}}),
        ),
    ];
    for (path, shown, refused) in parts {
        let list = if path == RESPONSES { "input" } else { "messages" };
        let gateway = Gateway::before([chat(["A dot."])]).await;
        let (status, answer) = gateway
            .json(path, &with(path, json!({list: [{"role": "user", "content": [refused]}]})))
            .await;
        assert!(status == 400 && answer.to_string().contains("send its text"), "{answer}");
        let (status, _) = gateway
            .json(path, &with(path, json!({list: [{"role": "user", "content": [shown]}]})))
            .await;
        assert_eq!(status, 200);
        assert!(gateway.upstream.asked()[0].to_string().contains(image), "{path}");
    }
}

/// A session that began with another model goes on: what it attached then, and what a tool returned, becomes words.
#[tokio::test]
async fn a_document_of_the_past_ends_no_session() {
    let file = json!({"type": "file", "file": {"filename": "é.pdf", "file_data": ""}});
    let document =
        json!({"type": "document", "title": "é.pdf", "source": {"type": "base64", "data": ""}});
    let question = json!({"role": "user", "content": "And now?"});
    let answered = json!({"role": "assistant", "content": "Two pages."});
    let call = json!({"role": "assistant", "tool_calls": [{"id": "c1", "type": "function",
        "function": {"name": "weather", "arguments": "{}"}}]});
    let histories = [
        (CHAT, json!([{"role": "user", "content": [file]}, answered, question])),
        (
            CHAT,
            json!([{"role": "user", "content": "Go."}, call,
            {"role": "tool", "tool_call_id": "c1", "content": [file]}]),
        ),
        (MESSAGES, json!([{"role": "user", "content": [document]}, answered, question])),
        (
            RESPONSES,
            json!([
                {"role": "user", "content": [{"type": "input_file", "filename": "é.pdf"}]}, answered, question,
            ]),
        ),
    ];
    for (path, history) in histories {
        let list = if path == RESPONSES { "input" } else { "messages" };
        let gateway = Gateway::before([chat(["Well."])]).await;
        let (status, answer) = gateway.json(path, &with(path, json!({list: history}))).await;
        assert_eq!(status, 200, "{path}: {answer}");
        assert!(gateway.upstream.asked()[0].to_string().contains("é.pdf"), "{path}");
    }
}

/// Said in the prompt, and checked in the answer.
#[tokio::test]
async fn tool_choice_is_kept() {
    let one = |path| match path {
        CHAT => json!({"tool_choice": {"type": "function", "function": {"name": "weather"}}}),
        RESPONSES => json!({"tool_choice": {"type": "function", "name": "weather"}}),
        _ => json!({"tool_choice": {"type": "tool", "name": "weather"}}),
    };
    for path in ALL {
        let gateway = Gateway::before([chat([&*call("Oslo")]), chat(["No."])]).await;
        let (status, answer) = gateway.json(path, &with(path, one(path))).await;
        assert_eq!((status.as_u16(), said(path, &answer).calls.len()), (200, 1), "{answer}");
        let asked = gateway.upstream.asked();
        assert!(
            asked[0]["messages"][0]["content"]
                .as_str()
                .unwrap()
                .contains("Answer with a call of the tool `weather`")
        );
        let (status, answer) = gateway.json(path, &with(path, one(path))).await;
        assert!(status == 502 && answer.to_string().contains("tool_choice"), "{answer}");
    }
    let none = json!({"tool_choice": "none"});
    let gateway = Gateway::before([chat(["Well. ", &call("Oslo")])]).await;
    let (_, answer) = gateway.json(CHAT, &with(CHAT, none)).await;
    let said = said(CHAT, &answer);
    assert_eq!(
        (said.text.trim_end(), said.calls.len(), &*said.end),
        ("Well.", 0, "stop"),
        "{answer}"
    );
    let unknown = json!({"tool_choice": {"type": "function", "function": {"name": "nothing"}}});
    assert_eq!(gateway.json(CHAT, &with(CHAT, unknown)).await.0, 400);
}

#[tokio::test]
async fn a_grammar_goes_where_one_is_taken() {
    for (server, key) in [("vllm", "/structured_outputs/structural_tag"), ("llama-cpp", "/grammar")]
    {
        let options = ["--model", "qwen3-8b", "--grammar", server];
        let gateway = Gateway::with(&options, [chat([&*call("Oslo")]), chat(["Hi."])]).await;
        gateway.json(CHAT, &with(CHAT, json!({"tool_choice": "required"}))).await;
        gateway.json(CHAT, &request(CHAT, false)).await;
        let asked = gateway.upstream.asked();
        assert!(
            asked[0].pointer(key).unwrap().as_str().unwrap().contains("weather"),
            "{}",
            asked[0]
        );
        assert!(asked[1].pointer(key).is_none(), "only where the client chooses");
    }
}

/// By `--dialect`, by the request's model, by the server's only model, or not at all.
#[tokio::test]
async fn the_dialect_is_told() {
    let react = "Thought: I look.\nAction: weather\nAction Input: {\"city\": \"Oslo\"}\n";
    let gateway =
        Gateway::with(&["--model", "my-own", "--dialect", "react"], [chat([react])]).await;
    let (_, answer) = gateway.json(CHAT, &request(CHAT, false)).await;
    assert_eq!(said(CHAT, &answer).calls.len(), 1, "{answer}");
    // A model of no known family is told ReAct. It may still write a call as it was trained to.
    let mistral = "[TOOL_CALLS]weather[ARGS]{\"city\": \"Oslo\"}";
    for written in [react, &*call("Oslo"), mistral] {
        let line = ["--model", "my-own", "--dialect", "any"];
        let gateway = Gateway::with(&line, [chat([written])]).await;
        let (_, answer) = gateway.json(CHAT, &request(CHAT, false)).await;
        assert_eq!(said(CHAT, &answer).calls.len(), 1, "{written}: {answer}");
        assert!(gateway.upstream.asked()[0]["messages"].to_string().contains("Action Input"));
    }
    let gateway = Gateway::with(
        &["--model", "my-own", "--dialect", "react+hermes"],
        [chat([&*call("Oslo")])],
    )
    .await;
    let (_, answer) = gateway.json(CHAT, &request(CHAT, false)).await;
    assert_eq!(said(CHAT, &answer).calls.len(), 1, "{answer}");
    let gateway = Gateway::with(&[], [chat([&*call("Oslo")])]).await;
    let (_, answer) = gateway.json(CHAT, &request(CHAT, false)).await;
    assert_eq!(
        (said(CHAT, &answer).calls.len(), &answer["model"]),
        (1, &json!("some-model")),
        "{answer}"
    );
    assert_eq!(gateway.upstream.asked()[0]["model"], "qwen3-8b", "the only one there is");
}

/// The server's list decides which model is asked. Its shape is OpenAI's or that of Ollama.
#[tokio::test]
async fn the_servers_list_of_models_is_read() {
    let several = json!({"data": [{"id": "qwen3-8b"}, {"id": "glm-4.5"}]});
    let glm =
        "<tool_call>weather\n<arg_key>city</arg_key>\n<arg_value>Oslo</arg_value>\n</tool_call>";
    for (models, named, asks, says) in [
        // Several, or no list: the model that the client names.
        (Some(several.clone()), "glm-4.5", "glm-4.5", glm),
        (Some(several), "qwen3-8b", "qwen3-8b", &*call("Oslo")),
        (None, "glm-4.5", "glm-4.5", glm),
        // One: that.
        (Some(json!({"models": [{"name": "glm-4.5"}]})), "gpt-5", "glm-4.5", glm),
        (Some(json!({"models": ["glm-4.5"]})), "gpt-5", "glm-4.5", glm),
    ] {
        let gateway = Gateway::with(&[], [chat([says])]).await;
        gateway.upstream.lists(models);
        let (_, answer) = gateway.json(CHAT, &with(CHAT, json!({"model": named}))).await;
        assert_eq!(said(CHAT, &answer).calls.len(), 1, "{answer}");
        assert_eq!(gateway.upstream.asked()[0]["model"], asks);
    }
    // A name that tells nothing, from the client; and a server without a list.
    let gateway = Gateway::with(&[], []).await;
    gateway.upstream.lists(None);
    let (status, answer) = gateway.json(CHAT, &with(CHAT, json!({"model": "my-own"}))).await;
    assert!(status == 400 && answer.to_string().contains("--dialect"), "{answer}");
    let response = gateway.get("/v1/models").await;
    assert_eq!(response.status(), 502);
    assert!(in_time(response.text()).await.unwrap().contains("--model NAME"));
}

#[tokio::test]
async fn an_answer_has_at_most_so_many_tokens() {
    let options = ["--model", "qwen3-8b", "--max-tokens", "4096"];
    for (path, field) in [
        (CHAT, "max_completion_tokens"),
        (RESPONSES, "max_output_tokens"),
        (MESSAGES, "max_tokens"),
    ] {
        let gateway = Gateway::with(&options, [chat(["Hi."]), chat(["Hi."])]).await;
        for asked in [32_000, 50] {
            gateway.json(path, &with(path, json!({field: asked}))).await;
        }
        let asked = gateway.upstream.asked();
        assert_eq!((&asked[0]["max_tokens"], &asked[1]["max_tokens"]), (&json!(4096), &json!(50)));
    }
}

/// Fields that no client sends, and fields that the server refuses.
#[tokio::test]
async fn the_host_adds_and_removes_fields() {
    let fields =
        r#"{"skip_special_tokens": false, "chat_template_kwargs": null, "temperature": 0.5}"#;
    let options = ["--model", "qwen3-8b", "--body", fields];
    for path in ALL {
        let gateway = Gateway::with(&options, [chat(["Hi."])]).await;
        let sent = json!({"thinking": {"type": "enabled"}, "chat_template_kwargs": {"a": 1}, "temperature": 1});
        gateway.json(path, &with(path, sent)).await;
        let asked = &gateway.upstream.asked()[0];
        assert_eq!(
            (&asked["skip_special_tokens"], &asked["temperature"]),
            (&json!(false), &json!(0.5))
        );
        assert!(asked.get("chat_template_kwargs").is_none(), "{asked}");
    }
}

/// Codex declares the tools of some models in an item of the input, in namespaces.
#[tokio::test]
async fn tools_in_an_item_of_the_input() {
    let weather = request(RESPONSES, false)["tools"][0].clone();
    let exec = json!({"type": "custom", "name": "exec", "description": "Runs JavaScript."});
    let tools = json!([{"type": "namespace", "name": "functions", "description": "", "tools": [weather, exec]}]);
    let input = json!([{"type": "additional_tools", "role": "developer", "tools": tools},
        {"role": "user", "content": "How is the weather in Oslo?"}]);
    let gateway = Gateway::before([chat([&*call("Oslo")])]).await;
    let (status, answer) =
        gateway.json(RESPONSES, &with(RESPONSES, json!({"tools": null, "input": input}))).await;
    assert_eq!(status, 200, "{answer}");
    let messages = gateway.upstream.asked()[0]["messages"].clone();
    let roles: Vec<_> = messages.as_array().unwrap().iter().map(|turn| &turn["role"]).collect();
    assert_eq!(roles, ["system", "user"], "{messages:#}");
    assert!(messages[0].to_string().contains("Runs JavaScript."), "{messages:#}");
    let said = said(RESPONSES, &answer);
    assert_eq!((said.calls.len(), &*said.calls[0].0), (1, "weather"), "{answer}");
}

/// Parts that a chat server reads go on, and the table has each.
#[tokio::test]
async fn each_part_does_what_its_row_says() {
    for (kind, part) in fields::PARTS {
        let sent = json!([{"role": "user", "content": [{"type": kind, "text": "x",
            "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="},
            "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}}]}]);
        let path = match *kind {
            "input_text" | "input_image" | "input_file" => RESPONSES,
            "image" | "document" => MESSAGES,
            _ => CHAT,
        };
        let list = if path == RESPONSES { "input" } else { "messages" };
        let gateway = Gateway::before([chat(["Hi."])]).await;
        let (status, answer) = gateway.json(path, &with(path, json!({list: sent}))).await;
        match part {
            Part::Goes => assert_eq!(status, 200, "{kind}: {answer}"),
            Part::Refused => {
                assert!(
                    status == 400 && answer.to_string().contains("send its text"),
                    "{kind}: {answer}"
                );
            }
        }
    }
}

#[tokio::test]
async fn models_health_and_counts() {
    let gateway = Gateway::with(&[], []).await;
    let list: Value = gateway.get("/v1/models").await.json().await.unwrap();
    assert_eq!((&list["object"], &list["data"][0]["id"]), (&json!("list"), &json!("qwen3-8b")));
    let asked =
        gateway.client().get(gateway.at("/v1/models")).header("anthropic-version", "2023-06-01");
    let list: Value = in_time(asked.send()).await.unwrap().json().await.unwrap();
    assert_eq!((&list["data"][0]["type"], &list["has_more"]), (&json!("model"), &json!(false)));
    assert_eq!(gateway.get("/health").await.status(), 200);
    let response = gateway.post("/v1/messages/count_tokens", &request(MESSAGES, false)).await;
    assert_eq!(response.headers()["x-toolstream-tokens"], "estimate");
    let counted: Value = response.json().await.unwrap();
    assert!(counted["input_tokens"].as_u64().unwrap() > 50, "{counted}");
}

/// vLLM counts messages with the chat template; llama.cpp a text, and nothing of a request that has none.
#[tokio::test]
async fn tokens_are_counted_by_the_server() {
    let vllm: Tokenizer = |asked| match asked["messages"].is_array() {
        true => (200, json!({"count": 4321, "max_model_len": 8192, "tokens": [1, 2]})),
        false => (400, json!({"error": {"message": "Field required: prompt"}})),
    };
    let llama_cpp: Tokenizer = |asked| {
        let words = asked["content"].as_str().unwrap_or_default().split_whitespace();
        (200, json!({"tokens": words.map(str::len).collect::<Vec<_>>()}))
    };
    let other: Tokenizer = |_| (200, json!({"unknown": true}));
    for (tokenizer, asks, how) in
        [(vllm, 1, "counted"), (llama_cpp, 2, "counted"), (other, 2, "estimate")]
    {
        for tools in ["prompt", "template"] {
            let gateway = Gateway::with(&["--model", "qwen3-8b", "--tools", tools], []).await;
            gateway.upstream.tokenizes(tokenizer);
            let response =
                gateway.post("/v1/messages/count_tokens", &request(MESSAGES, false)).await;
            assert_eq!(response.headers()["x-toolstream-tokens"], how);
            let tokens = response.json::<Value>().await.unwrap()["input_tokens"].as_u64().unwrap();
            let counted = gateway.upstream.counted();
            assert_eq!(counted.len(), asks, "{counted:#?}");
            assert_eq!(counted[0]["model"], "qwen3-8b");
            match asks {
                1 => assert_eq!(tokens, 4321),
                _ if how == "estimate" => assert!(tokens > 5, "{tokens}"),
                _ => {
                    let content = counted[1]["content"].as_str().unwrap();
                    assert_eq!(tokens, content.split_whitespace().count() as u64);
                }
            }
            // The tools count, in either way.
            assert!(
                counted.iter().all(|asked| asked.to_string().contains("required")),
                "{counted:#?}"
            );
            assert_eq!(counted[0]["tools"].is_array(), tools == "template");
        }
    }
}

/// The bytes of an image are no text of it. Calls and empty contents count as they are.
#[tokio::test]
async fn an_image_counts_as_one() {
    let image = json!({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "é".repeat(500_000)}});
    let call = json!({"type": "tool_use", "id": "a", "name": "weather", "input": {"city": "Oslo"}});
    let history = json!([{"role": "user", "content": [{"type": "text", "text": "Look."}, image]},
        {"role": "assistant", "content": [call]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "rain"}]}]);
    for tools in ["prompt", "template"] {
        let gateway = Gateway::with(&["--model", "qwen3-8b", "--tools", tools], []).await;
        let asked = with(MESSAGES, json!({"messages": history}));
        let counted: Value =
            gateway.post("/v1/messages/count_tokens", &asked).await.json().await.unwrap();
        let tokens = counted["input_tokens"].as_u64().unwrap();
        assert!((1_000..2_000).contains(&tokens), "{tokens}");
        let text = gateway.upstream.counted()[1]["content"].as_str().unwrap().to_string();
        assert!(text.contains("Oslo") && !text.contains("éé") && !text.contains("null"), "{text}");
    }
}

#[tokio::test]
async fn the_key_goes_to_the_server_and_the_clients_does_not() {
    // It is set wherever tests run.
    let variable = "CARGO_PKG_NAME";
    let gateway =
        Gateway::with(&["--model", "qwen3-8b", "--api-key-env", variable], [chat(["Hi."])]).await;
    let asked = gateway
        .client()
        .post(gateway.at(CHAT))
        .bearer_auth("the-clients")
        .json(&request(CHAT, false));
    assert_eq!(in_time(asked.send()).await.unwrap().status(), 200);
    let key = std::env::var(variable).unwrap();
    assert_eq!(gateway.upstream.keys(), [Some(format!("Bearer {key}"))]);
}
