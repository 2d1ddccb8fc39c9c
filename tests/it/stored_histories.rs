//! Histories as agents stored them, with parts that a chat of texts cannot express. Each can be written in every dialect,
//! with every option.

use serde_json::{Value, json};
use toolstream::{
    Dialect, Param, Parser, ParserBuilder, Tool,
    options::{Attachments, HostedCalls, LateSystem, Options, Results, UnwritableCalls},
    tools::Type,
};

use crate::support::inputs;

fn builder(dialect: &Dialect) -> ParserBuilder {
    let read = Tool::new("read")
        .param(Param::required("path").with(Type::String))
        .param(Param::optional("line").with(Type::Integer));
    Parser::builder(dialect).tools([read, Tool::new("list")]).tool_limit(None)
}

fn hermes() -> ParserBuilder {
    builder(&Dialect::HERMES)
}

fn render(parser: ParserBuilder, history: &[Value]) -> Vec<Value> {
    parser.build().expect("a parser").render_history(history).expect("a history")
}

const PNG: &str = "data:image/png;base64,AA==";

fn user(content: impl Into<Value>) -> Value {
    json!({"role": "user", "content": content.into()})
}

fn assistant(content: impl Into<Value>) -> Value {
    json!({"role": "assistant", "content": content.into()})
}

fn item(role: &str, kind: &str, text: &str) -> Value {
    json!({"type": "message", "role": role, "content": [{"type": kind, "text": text}]})
}

fn chat_call(id: &str, name: &str, arguments: &str) -> Value {
    json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments}})
}

fn function_call(id: &str, name: &str, arguments: &str) -> Value {
    json!({"type": "function_call", "id": "fc_1", "call_id": id, "name": name, "arguments": arguments})
}

fn output(id: &str, output: impl Into<Value>) -> Value {
    json!({"type": "function_call_output", "call_id": id, "output": output.into()})
}

fn tool_use(id: &str, input: Value) -> Value {
    json!({"type": "tool_use", "id": id, "name": "read", "input": input})
}

fn tool_result(id: &str, content: Value) -> Value {
    json!({"type": "tool_result", "tool_use_id": id, "content": content})
}

fn image_in_a_result() -> Vec<Value> {
    let source = json!({"type": "base64", "media_type": "image/png", "data": "AA=="});
    let page = json!({"type": "text", "text": "It is a picture."});
    vec![
        user("Look."),
        assistant(json!([tool_use("t", json!({"path": "a.png"}))])),
        user(json!([tool_result("t", json!([page, {"type": "image", "source": source}]))])),
    ]
}

fn documents() -> Vec<Value> {
    let pdf = json!({"type": "base64", "media_type": "application/pdf", "data": "AA=="});
    let plain = json!({"type": "text", "media_type": "text/plain", "data": "of text"});
    let blocks = json!({"type": "content", "content": [{"type": "text", "text": "of blocks"}]});
    let results = json!([
        {"type": "document", "title": "a.pdf", "source": pdf},
        {"type": "document", "source": plain},
        {"type": "document", "title": "b", "source": blocks},
        {"type": "document", "source": {"type": "url", "url": "https://x/c.pdf"}},
        {"type": "tool_reference", "tool_name": "read"},
        {"type": "search_result", "title": "T", "source": "https://x", "content": [{"type": "text", "text": "found"}]},
        {"type": "resource", "resource": {"uri": "file:///r", "text": "resource"}},
        {"type": "resource_link", "uri": "file:///l"},
        {"type": "image", "data": "AA==", "mimeType": "image/jpeg"},
        {"type": "never_heard_of", "level": 3},
    ]);
    let also = json!({"type": "document", "title": "d.pdf", "source": {"type": "base64",
        "media_type": "application/pdf", "data": "AA=="}});
    vec![
        user("Read."),
        assistant(json!([tool_use("t", json!({"path": "a.pdf"}))])),
        user(json!([tool_result("t", results), also])),
    ]
}

fn view_image() -> Vec<Value> {
    vec![
        item("developer", "input_text", "You are an agent."),
        item("developer", "input_text", "Sandbox: none."),
        item("user", "input_text", "Look."),
        function_call("c", "read", "{\"path\":\"a.png\"}"),
        output("c", json!([{"type": "input_image", "image_url": PNG, "detail": "auto"}])),
        item("developer", "input_text", "Now be brief."),
        item("user", "input_text", "Well?"),
    ]
}

fn cut_call() -> Vec<Value> {
    vec![
        user("Go."),
        json!({"role": "assistant", "content": "I read.", "tool_calls": [
            chat_call("a", "read", "{\"path\":\"x\"}"), chat_call("b", "read", "{\"path\":\"y")]}),
        json!({"role": "tool", "tool_call_id": "a", "content": "one"}),
        json!({"role": "tool", "tool_call_id": "b", "content": "failed to parse arguments"}),
        json!({"role": "assistant", "content": null, "tool_calls": [chat_call("c", "read", "{")]}),
        user("Go on."),
        json!({"role": "assistant", "content": "", "tool_calls": [
            {"id": "d", "type": "function"}, {"id": "e", "function": {"name": "list", "arguments": [1]}},
            "oops", chat_call("f", "never_declared", "{\"a\": {\"b\": 1}}")]}),
    ]
}

fn cut_item() -> Vec<Value> {
    let mut cut = function_call("c", "read", "{\"path\": \"a</path></read></parameter>");
    cut["status"] = "incomplete".into();
    vec![item("user", "input_text", "Go."), cut, output("c", "aborted")]
}

fn local_shell() -> Vec<Value> {
    let action = json!({"type": "exec", "command": ["ls", "-l"], "timeout_ms": null});
    vec![
        item("user", "input_text", "Go."),
        json!({"type": "local_shell_call", "id": "ls_1", "call_id": "c", "status": "completed", "action": action}),
        output("c", "a.rs"),
        json!({"type": "computer_call", "call_id": "d", "action": {"type": "screenshot"}}),
        json!({"type": "computer_call_output", "call_id": "d",
            "output": {"type": "computer_screenshot", "image_url": PNG}}),
        json!({"type": "tool_search_call", "call_id": "e", "execution": "client", "arguments": {"query": "mail"}}),
        json!({"type": "tool_search_output", "call_id": "e", "execution": "client", "tools": [{"type": "namespace"}]}),
    ]
}

fn provider_items() -> Vec<Value> {
    vec![
        item("user", "input_text", "Weather?"),
        json!({"type": "item_reference", "id": "msg_1"}),
        json!({"id": "msg_2"}),
        json!({"type": "reasoning", "id": "rs", "summary": [], "encrypted_content": "gAAA"}),
        json!({"type": "web_search_call", "id": "ws", "status": "completed", "action": {"type": "search",
            "query": "weather<|im_end|>"}}),
        json!({"type": "image_generation_call", "id": "ig", "result": "A".repeat(10_000)}),
        json!({"type": "compaction", "encrypted_content": "gAAA"}),
        json!({"type": "additional_tools", "role": "developer", "tools": [{"type": "custom", "name": "exec"}]}),
        json!({"type": "never_heard_of", "level": 3}),
        item("assistant", "output_text", "Rain."),
    ]
}

fn server_tools() -> Vec<Value> {
    let found = json!([{"type": "web_search_result", "title": "Rain <tool_call>", "url": "https://x",
        "encrypted_content": "gAAA"}]);
    vec![
        user("Weather?"),
        assistant(json!([
            {"type": "thinking", "thinking": "Hm.", "signature": "x"},
            {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"query": "weather"}},
            {"type": "web_search_tool_result", "tool_use_id": "s", "content": found},
            {"type": "text", "text": "Rain.", "citations": []},
            {"type": "image", "source": {"type": "url", "url": "https://x/a.png"}},
        ])),
    ]
}

fn old_chat() -> Vec<Value> {
    let image = json!({"type": "image_url", "image_url": {"url": PNG}});
    vec![
        json!({"role": "system", "content": [{"type": "text", "text": "Be"}, {"type": "text", "text": "brief."}]}),
        user(json!([image, {"type": "file", "file": {"filename": "a.pdf", "file_data": "x"}}])),
        json!({"role": "assistant", "content": null, "function_call": {"name": "list", "arguments": "{}"}}),
        json!({"role": "function", "name": "list", "content": "a.rs"}),
        json!({"role": "assistant", "content": [{"type": "refusal", "refusal": "No."}], "tool_calls": [
            {"id": "c", "type": "custom", "custom": {"name": "list", "input": "x"}}, chat_call("", "list", "{}")]}),
        json!({"role": "tool", "content": {"count": 3}}),
        json!({"role": "tool", "content": [image, "text", 7]}),
        json!({"role": "system", "content": "Now be kind."}),
        user("Go on."),
    ]
}

fn without_its_beginning() -> Vec<Value> {
    vec![
        json!({"role": "tool", "tool_call_id": "gone", "content": "two </tool_response>"}),
        json!({"role": "assistant", "content": "So.", "tool_calls": [chat_call("a", "list", "{}")]}),
        json!({"role": "tool", "tool_call_id": "a", "content": "one"}),
        json!({"role": "tool", "tool_call_id": "a", "content": "one again"}),
        user("Go on."),
        output("a", json!([{"type": "input_text", "text": "late"}])),
        json!({"role": "tool", "content": 3}),
    ]
}

fn stored() -> [(&'static str, Vec<Value>); 10] {
    [
        ("image", image_in_a_result()),
        ("documents", documents()),
        ("view_image", view_image()),
        ("cut call", cut_call()),
        ("cut item", cut_item()),
        ("local shell", local_shell()),
        ("provider items", provider_items()),
        ("server tools", server_tools()),
        ("old chat", old_chat()),
        ("beginning", without_its_beginning()),
    ]
}

/// All combinations of the options of a history, but for `results`.
fn choices() -> Vec<Options> {
    let mut choices = Vec::new();
    for attachments in [Attachments::Images, Attachments::All, Attachments::None] {
        for calls in [UnwritableCalls::Text, UnwritableCalls::Note] {
            for hosted in [HostedCalls::Say, HostedCalls::LeaveOut] {
                for late in [LateSystem::First, LateSystem::User, LateSystem::Keep] {
                    let mut options = Options::default();
                    options.tool_limit = None;
                    options.attachments = attachments;
                    options.unwritable_calls = calls;
                    options.hosted_calls = hosted;
                    options.late_system = late;
                    choices.push(options);
                }
            }
        }
    }
    choices
}

/// Checks that the chat fits any server of texts and images.
fn assert_is_plain(written: &[Value], options: &Options, place: &str) {
    let (attachments, late) = (options.attachments, options.late_system);
    assert!(!written.is_empty(), "{place}");
    for (at, message) in written.iter().enumerate() {
        let role = message["role"].as_str().expect("a role");
        assert!(["system", "user", "assistant"].contains(&role), "{place}: {message}");
        assert!(role != "system" || at == 0 || late == LateSystem::Keep, "{place}: {message}");
        assert!(message.get("tool_calls").is_none(), "{place}: {message}");
        let next = written.get(at + 1);
        assert!(next.is_none_or(|next| role == "assistant" || next["role"] != role), "{place}");
        for part in message["content"].as_array().into_iter().flatten() {
            let kind = part["type"].as_str().expect("a kind");
            let (is_text, is_user) = (kind == "text", role == "user");
            let fits = match attachments {
                Attachments::None => is_text,
                _ => is_text || is_user && ["image_url", "file"].contains(&kind),
            };
            assert!(fits, "{place}: {part}");
        }
        let is_content = message["content"].is_string() || message["content"].is_array();
        assert!(is_content, "{place}: {message}");
    }
}

/// Every dialect in each of its forms, and two that are joined.
fn dialects() -> Vec<Dialect> {
    let forms = Dialect::ALL.iter().flat_map(Dialect::forms);
    let joined = Dialect::REACT.and(&Dialect::HERMES);
    Dialect::ALL.iter().cloned().chain(forms).chain([joined]).collect()
}

/// Whether the words of a system stand where the option wants them.
fn system_is_in_its_place(history: &[Value], written: &[Value], late: LateSystem) -> bool {
    let is_system = |message: &Value| {
        let is_message = message.get("type").is_none_or(|kind| kind == "message");
        is_message && (message["role"] == "system" || message["role"] == "developer")
    };
    let is_late = history.iter().skip_while(|message| is_system(message)).any(is_system);
    let later = written.iter().skip(1).filter(|message| is_system(message)).count();
    later == usize::from(is_late && late == LateSystem::Keep)
}

/// By default each dialect is tried with only some of the options, and all dialects together with all of them.
#[test]
fn every_stored_history_can_be_written() {
    let choices = choices();
    let every = inputs::every().min(choices.len());
    for (at, dialect) in dialects().into_iter().enumerate() {
        for options in choices.iter().skip(at % every).step_by(every) {
            let parser = builder(&dialect).options(options.clone()).build().expect("a parser");
            for (name, history) in stored() {
                let place = format!("{dialect}, {name}, {:?}", options.late_system);
                let written = parser.render_history(&history);
                let written = written.unwrap_or_else(|error| panic!("{place}: {error}"));
                assert_is_plain(&written, options, &place);
                assert!(
                    system_is_in_its_place(&history, &written, options.late_system),
                    "{place}: {written:#?}"
                );
            }
        }
    }
}

#[test]
fn an_image_stands_in_the_message_of_its_result() {
    let image = json!({"type": "image_url", "image_url": {"url": PNG}});
    let result = "<tool_response>\nIt is a picture.\n[image]\n</tool_response>";
    let written = render(hermes(), &image_in_a_result());
    assert_eq!(written[2], user(json!([{"type": "text", "text": result}, image])));
    let blind = render(hermes().attachments(Attachments::None), &image_in_a_result());
    assert_eq!(blind[2], user(result));
    let written = render(hermes(), &view_image());
    assert_eq!(written[3]["content"][1], image);
    assert_eq!(written[3]["content"][2]["text"], "Well?");
}

#[test]
fn documents_are_said_or_attached() {
    let said = "<tool_response>\n[document: a.pdf]\nof text\n[document: b]\nof blocks\n[document: https://x/c.pdf]\n\
                [tool: read]\nT\nhttps://x\nfoundresource\n[document: file:///l]\n[image]\n[never_heard_of: {\"level\":3}]\n\
                </tool_response>";
    let image = json!({"type": "image_url", "image_url": {"url": "data:image/jpeg;base64,AA=="}});
    let written = render(hermes(), &documents());
    let text = |text: &str| json!({"type": "text", "text": text});
    assert_eq!(written[2]["content"], json!([text(said), image, text("[document: d.pdf]")]));

    let written = render(hermes().attachments(Attachments::All), &documents());
    let file = |name| {
        json!({"type": "file", "file": {"filename": name,
            "file_data": "data:application/pdf;base64,AA=="}})
    };
    assert_eq!(written[2]["content"], json!([text(said), file("a.pdf"), image, file("d.pdf")]));

    // Attachments of a chat's own user are left to the server.
    let own = json!([{"type": "file", "file": {"filename": "a.pdf"}}, {"type": "video_url"}]);
    assert_eq!(render(hermes(), &[user(own.clone())]), [user(own.clone())]);
    let written = render(hermes().attachments(Attachments::None), &[user(own)]);
    assert_eq!(written[0]["content"][0], text("[document: a.pdf]"));
    let input = json!([{"type": "input_file", "filename": "b.txt", "file_data": "data:,x"}]);
    let written = render(hermes(), &[item("user", "input_text", "See."), user(input.clone())]);
    assert_eq!(written, [user("See.\n\n[document: b.txt]")]);
    let written = render(hermes().attachments(Attachments::All), &[user(input)]);
    assert_eq!(written[0]["content"][0]["file"]["file_data"], "data:,x");
}

#[test]
fn a_cut_call_is_written_as_it_was_or_left_out() {
    let history = cut_call();
    let written = render(hermes(), &history);
    let call = |arguments| {
        format!("<tool_call>\n{{\"name\": \"read\", \"arguments\": {arguments}}}\n</tool_call>")
    };
    let [whole, cut] = [call("{\"path\": \"x\"}"), call("{\"path\":\"y")];
    assert_eq!(written[1]["content"], format!("I read.\n{whole}\n{cut}"));
    let failed = "<tool_response>\nfailed to parse arguments\n</tool_response>";
    assert_eq!(written[2]["content"], format!("<tool_response>\none\n</tool_response>\n{failed}"));
    assert_eq!(written[3]["content"], call("{"));
    let odd = written[5]["content"].as_str().expect("text");
    assert!(odd.contains("\"arguments\": [1]") && odd.ends_with("\n\"oops\""), "{odd}");

    let written = render(hermes().unwritable_calls(UnwritableCalls::Note), &history);
    assert_eq!(written[1]["content"], format!("I read.\n{whole}"));
    let note = "[The call of read could not be written here. Its arguments were: {\"path\":\"y]";
    let noted = format!("<tool_response>\n{note}\nfailed to parse arguments\n</tool_response>");
    let results = format!("<tool_response>\none\n</tool_response>\n{noted}\n\nGo on.");
    // A turn that has only such a call is gone.
    assert_eq!(written[2], user(results));

    // A call that reads back as another call cannot be written.
    let arguments = json!({"path": "a</path></read>"}).to_string();
    let history = [
        json!({"role": "assistant", "content": "So.", "tool_calls": [chat_call("a", "read", &arguments)]}),
        json!({"role": "tool", "tool_call_id": "a", "content": "one"}),
    ];
    let written = render(builder(&Dialect::CLINE), &history);
    let text = written[0]["content"].as_str().expect("text");
    assert!(text.starts_with("So.\n<read>\n<path>a</path></read></path>"), "{text}");
    let noted = builder(&Dialect::CLINE).unwritable_calls(UnwritableCalls::Note);
    let written = render(noted, &history);
    assert_eq!(written[0], assistant("So."));
    let text = written[1]["content"].as_str().expect("text");
    assert!(text.contains("[The call of read could not be written here."), "{text}");
}

#[test]
fn what_a_provider_ran_is_said_or_left_out() {
    let written = render(hermes(), &provider_items());
    assert_eq!(
        written[1],
        assistant(
            "[item_reference]\n[item_reference]\n\
             [web_search_call: {\"action\":{\"query\":\"weather<␛|im_end|>\"}}]\n\
             [image_generation_call: {\"result\":\"…\"}]\n[compaction]\n\
             [never_heard_of: {\"level\":3}]\nRain."
        )
    );
    let written = render(hermes().hosted_calls(HostedCalls::LeaveOut), &provider_items());
    assert_eq!(written[1], assistant("Rain."));

    let written = render(hermes(), &server_tools());
    let [name, input] = ["\"name\":\"web_search\"", "\"input\":{\"query\":\"weather\"}"];
    let used = match cfg!(feature = "preserve_order") {
        true => format!("{name},{input}"),
        false => format!("{input},{name}"),
    };
    let said = "[server_tool_use: {USED}]\n\
                [web_search_tool_result: {\"content\":[{\"title\":\"Rain <␛tool_call>\",\"url\":\"https://x\"}]}]\n\
                Rain.\n[image]"
        .replace("USED", &used);
    let turn =
        |said: &str| json!({"role": "assistant", "content": said, "reasoning_content": "Hm."});
    assert_eq!(written[1], turn(&said));
    let written = render(hermes().hosted_calls(HostedCalls::LeaveOut), &server_tools());
    assert_eq!(written[1], turn("Rain.\n[image]"));

    let written = render(hermes(), &local_shell());
    assert_eq!(
        written[1],
        assistant("[local_shell_call: {\"action\":{\"command\":[\"ls\",\"-l\"]}}]")
    );
    assert_eq!(written[2], user("Result of local_shell_call:\na.rs"));
    assert_eq!(written[4]["content"][0]["text"], "Result of computer_call:\n[image]");
    assert_eq!(written[4]["content"][1]["image_url"]["url"], PNG);
    assert_eq!(
        written[6],
        user("Result of tool_search_call:\n[tool_search_output: {\"execution\":\"client\"}]")
    );
    let written = render(hermes().hosted_calls(HostedCalls::LeaveOut), &local_shell());
    assert_eq!(written, [user("Go.")]);

    // A long text is cut, but not inside of JSON.
    let long = json!({"type": "code_interpreter_call", "code": "x = '\u{e9}' ".repeat(1000)});
    let written = render(hermes(), &[long]);
    let text = written[0]["content"].as_str().expect("text");
    assert!(text.len() < 2100 && text.ends_with("…\"}]"), "{text}");
}

/// A provider's findings may quote a page, so they do not count as the assistant's words.
#[test]
fn what_a_provider_found_is_not_the_assistants() {
    let refuses = hermes().results(Results::Refuse).build().expect("a parser");
    let error = refuses.render_history(&server_tools()).expect_err("a marker").to_string();
    assert!(error.starts_with("messages[1] holds `<tool_call>`"), "{error}");
    let verbatim = render(hermes().results(Results::Verbatim), &server_tools());
    assert!(verbatim[1]["content"].as_str().is_some_and(|said| said.contains("Rain <tool_call>")));
}

#[test]
fn the_system_speaks_where_templates_listen() {
    let system = |content: &str| json!({"role": "system", "content": content});
    let written = render(hermes(), &view_image());
    assert_eq!(written[0], system("You are an agent.\n\nSandbox: none.\n\nNow be brief."));
    let written = render(hermes().late_system(LateSystem::User), &view_image());
    assert_eq!(written[0], system("You are an agent.\n\nSandbox: none."));
    assert_eq!(written[3]["content"][2]["text"], "Now be brief.");
    assert_eq!(written[3]["content"][3]["text"], "Well?");
    let written = render(hermes().late_system(LateSystem::Keep), &view_image());
    assert_eq!(written[4], system("Now be brief."));

    let written = render(hermes(), &old_chat());
    assert_eq!(written[0], system("Be\n\nbrief.\n\nNow be kind."));
    // A system message that comes late moves to the front, even if none stands there.
    let developer = json!({"role": "developer", "content": "Be brief."});
    let written = render(hermes(), &[user("Hi."), developer.clone(), developer.clone()]);
    assert_eq!(written, [system("Be brief.\n\nBe brief."), user("Hi.")]);
    // The host's words may hold markers, because they explain them to the model.
    let host = json!({"role": "developer", "content": "Write <tool_call>."});
    let written = render(hermes().late_system(LateSystem::User), &[user("Hi."), host]);
    assert_eq!(written, [user("Hi.\n\nWrite <tool_call>.")]);
}

#[test]
fn results_find_their_calls() {
    let written = render(hermes(), &without_its_beginning());
    assert_eq!(written[0], user("Result of gone:\ntwo <␛/tool_response>"));
    assert_eq!(
        written[2],
        user(
            "<tool_response>\none\n</tool_response>\n\nResult of list:\none again\n\nGo on.\n\n\
             Result of list:\nlate\n\nResult:\n3"
        )
    );
    let written = render(builder(&Dialect::KIMI_K2), &old_chat());
    let text = |at: usize| written[at]["content"].as_str().expect("text").to_string();
    assert!(text(2).contains("functions.list:0<|tool_call_argument_begin|>{}"), "{}", text(2));
    assert!(text(3).contains("## Return of functions.list:0\na.rs"), "{}", text(3));
    assert!(text(4).starts_with("No.\n") && text(4).contains("{\"input\": \"x\"}"), "{}", text(4));
    let results = written[5]["content"][0]["text"].as_str().expect("text");
    assert!(results.contains("## Return of functions.list:1\n{\"count\":3}"), "{results}");
    assert!(results.contains("## Return of functions.list:2\n[image]\ntext7"), "{results}");
}

/// An error has the index of the client's own message, whatever was written before it.
#[test]
fn an_error_has_the_clients_index() {
    let parser = hermes().build().expect("a parser");
    for (at, odd) in [json!("text"), json!(3), json!([]), Value::Null].into_iter().enumerate() {
        let mut history = vec![user("Hi."); at];
        history.push(odd);
        let told = format!("messages[{at}] must be an object: a message, or an item of Responses");
        let error = parser.render_history(&history).expect_err(&told);
        assert_eq!(error.to_string(), told);
        let error = parser.render_chat(&json!("Be brief."), &history).expect_err(&told);
        assert_eq!(error.to_string(), told);
    }
}

#[test]
fn a_request_is_one_chat() {
    let parser = hermes().build().expect("a parser");
    let prompt = parser.system_prompt();
    let blocks = json!([{"type": "text", "text": "A."}, {"type": "text", "text": "B."}]);
    let late = json!({"role": "developer", "content": "C."});
    let written = parser.render_chat(&blocks, &[user("Hi."), late]).expect("a chat");
    let between = if prompt.ends_with('\n') { "\n" } else { "\n\n" };
    let system = format!("{prompt}{between}A.\n\nB.\n\nC.");
    assert_eq!(written, [json!({"role": "system", "content": system}), user("Hi.")]);
    let bare = Parser::builder(Dialect::HERMES).build().expect("a parser");
    for nothing in [Value::Null, json!("")] {
        assert_eq!(bare.render_chat(&nothing, &[user("Hi.")]), Ok(vec![user("Hi.")]));
    }
}
