//! The JSON of events and messages. Scripts rely on it.

use serde_json::json;
use toolstream::{
    Dialect, Ending, Event, Param, Parser, Status, Tool, ToolLimitReached, ToolUse,
    diagnostic::{Cause, Diagnostic, DiagnosticKind},
    events::Utf8Bytes,
    tools::TypeHint,
};

fn line(event: &impl serde::Serialize) -> String {
    serde_json::to_string(event).unwrap()
}

#[test]
fn every_event() {
    let limit = ToolLimitReached::new(1, 9);
    let diagnostic = Diagnostic::new(DiagnosticKind::StrayText, 3);
    let start = |id| ToolUse::Start { index: 2, name: "read", id, at: 7, dialect: 1 };
    let incomplete = Status::Incomplete(Cause::Broken);
    for (event, expected) in [
        (Event::TextContent("é\n\"\\\u{1}"), r#"{"type":"text_content","text":"é\n\"\\\u0001"}"#),
        (Event::Reasoning("a"), r#"{"type":"reasoning","text":"a"}"#),
        (Event::Markup("<a>"), r#"{"type":"markup","text":"<a>"}"#),
        (Event::AnswerStart, r#"{"type":"answer_start"}"#),
        (Event::ToolLimitReached(limit), r#"{"type":"tool_limit_reached","at":9,"limit":1}"#),
        (
            Event::Diagnostic(diagnostic),
            r#"{"type":"diagnostic","kind":"stray_text","at":3,"call":null}"#,
        ),
        (
            Event::Diagnostic(diagnostic.in_call(1)),
            r#"{"type":"diagnostic","kind":"stray_text","at":3,"call":1}"#,
        ),
        (
            Event::ToolUse(start(Some("c1"))),
            r#"{"type":"tool_start","index":2,"name":"read","id":"c1"}"#,
        ),
        (Event::ToolUse(start(None)), r#"{"type":"tool_start","index":2,"name":"read","id":null}"#),
        (Event::ToolUse(ToolUse::Id("c1")), r#"{"type":"tool_id","id":"c1"}"#),
        (
            Event::ToolUse(ToolUse::ParamStart { name: "p", hint: None }),
            r#"{"type":"param_start","name":"p","hint":null}"#,
        ),
        (
            Event::ToolUse(ToolUse::ParamStart { name: "p", hint: Some(TypeHint::Json) }),
            r#"{"type":"param_start","name":"p","hint":"json"}"#,
        ),
        (Event::ToolUse(ToolUse::ParamDelta("v")), r#"{"type":"param_delta","text":"v"}"#),
        (
            Event::ToolUse(ToolUse::ParamEnd { closed: false }),
            r#"{"type":"param_end","closed":false}"#,
        ),
        (Event::ToolUse(ToolUse::ArgumentsDelta("{")), r#"{"type":"arguments_delta","text":"{"}"#),
        (
            Event::ToolUse(ToolUse::End { status: Status::Complete, at: 0 }),
            r#"{"type":"tool_end","status":"complete"}"#,
        ),
        (
            Event::ToolUse(ToolUse::End { status: incomplete, at: 0 }),
            r#"{"type":"tool_end","status":"incomplete"}"#,
        ),
    ] {
        assert_eq!(line(&event), expected);
        assert_eq!(line(&event.map(String::from)), expected, "a String's");
        assert_eq!(line(&event.map(Utf8Bytes::from)), expected, "a share's");
        if let Event::ToolUse(tool) = event {
            assert_eq!(line(&tool), expected, "alone");
        }
    }
    assert_eq!(line(&diagnostic), r#"{"kind":"stray_text","at":3}"#);
    assert_eq!(line(&diagnostic.in_call(1)), r#"{"kind":"stray_text","at":3,"call":1}"#);
    assert_eq!(line(&limit), r#"{"at":9,"limit":1}"#);
    assert_eq!(line(&(Status::Complete, incomplete)), r#"["complete","incomplete"]"#);
}

#[test]
fn every_block() {
    let read = Tool::new("read").param(Param::required("path")).param(Param::required("line"));
    let parser = Parser::builder(Dialect::INVOKE).tool(read).tool_limit(None).build().unwrap();
    let open = "<function_calls><invoke name=\"read\">";
    let param = "<parameter name=\"path\">a</parameter>";
    let close = "</invoke></function_calls>";
    let text = format!("<think>hm</think>So: {open}{param}{close}{open}{close}");
    let message = parser.parse(&text);
    assert_eq!(
        line(&message),
        [
            r#"{"content":[{"type":"reasoning","text":"hm"},{"type":"text","text":"So: "},"#,
            r#"{"type":"tool_use","index":0,"id":null,"name":"read","input":{"path":"a"},"#,
            r#""raw":null,"status":"complete","start":21,"end":102,"missing":["line"],"params":[{"name":"path","value":"a","closed":true,"at":57}]},"#,
            r#"{"type":"tool_use","index":1,"id":null,"name":"read","input":{},"raw":null,"#,
            r#""status":"incomplete","start":119,"end":164,"reason":"missing_arguments"}],"#,
            r#""finish":"tool_use","diagnostics":[{"kind":"missing_arguments","at":119,"call":1}],"#,
            r#""position":181}"#,
        ]
        .concat()
    );
    let react = Parser::builder(Dialect::REACT).build().unwrap();
    let message = react.parse("Final Answer: 7");
    assert_eq!(
        line(&message),
        r#"{"content":[{"type":"text","text":" 7"}],"finish":"stop","diagnostics":[],"position":15,"answered":true}"#
    );
}

/// Writing a message makes no copy of it. The stream is invalid from end to end, so each byte has a diagnostic.
#[test]
fn a_message_is_written_without_a_copy_of_it() {
    const LEN: u64 = 1 << 16;
    let mut parser = Parser::builder(Dialect::HERMES).build().unwrap();
    let mut message = parser.message();
    parser.feed_bytes(&[0xFF; LEN as usize]).for_each(|event| message.push(event));
    assert_eq!(message.diagnostics().len() as u64, LEN);

    let write = || serde_json::to_writer(std::io::sink(), &message).unwrap();
    let written = allocation_counter::measure(write);
    assert!(written.bytes_total < 1024, "{} bytes", written.bytes_total);

    let copied = allocation_counter::measure(|| drop(message.to_json()));
    let each = copied.bytes_max / LEN;
    // A sorted map has room for eleven members from its first one on.
    let most = if cfg!(feature = "preserve_order") { 512 } else { 1024 };
    assert!(each < most, "{each} bytes a diagnostic");
}

#[test]
fn a_message_is_its_to_json() {
    let tool = Tool::new("read_file").param(Param::required("path"));
    let parser = Parser::builder(Dialect::CLINE).tool(tool).build().unwrap();
    let message = parser.parse("Hi </think><read_file><path>a</path></read_file>");
    let mut whole = serde_json::to_value(&message).unwrap();
    assert_eq!(whole["content"], json!(message.blocks()));
    let call = whole["content"][1].as_object_mut().unwrap();
    let params = call.remove("params").unwrap();
    assert_eq!(params[0]["value"], "a", "as it was written");
    assert_eq!(whole, message.to_json());
    assert_eq!(json!(message.diagnostics()), message.to_json()["diagnostics"]);
    assert_eq!(json!(message.ended()), message.to_json()["finish"]);
    assert_eq!(json!(Ending::Truncated), json!("truncated"));
}

#[test]
fn a_dialect_is_its_name() {
    let both = Dialect::REACT.and(Dialect::TOOL_CALL);
    assert_eq!(
        serde_json::to_value([&Dialect::GLM, &both]).unwrap(),
        json!(["glm", "react+tool-call"])
    );
    let read = json!(["GLM", "react+Tool_Call", "react+tool-call+cline"]);
    let read: Vec<Dialect> = serde_json::from_value(read).unwrap();
    assert_eq!(read, [Dialect::GLM, both.clone(), both.and(Dialect::CLINE)]);
    let unknown = serde_json::from_value::<Dialect>(json!("klein")).unwrap_err();
    assert!(unknown.to_string().starts_with("unknown dialect `klein`: use one of cline, "));

    let own = Dialect::GLM.renamed("mine", &[("arg_key", "key")]).unwrap();
    for (dialect, name) in [(own.clone(), "mine"), (Dialect::REACT.and(own), "react+mine")] {
        assert_eq!(
            serde_json::to_value(dialect).unwrap_err().to_string(),
            format!(
                "the dialect `{name}` is not built in, so its name does not say what it is: write \
                 the JSON that it was made of"
            )
        );
    }
}
