//! `render_call` writes a call that reads back equal, or refuses it.

use serde_json::{Value, json};
use toolstream::{
    Dialect, Param, Parser, ParserBuilder, Tool,
    options::{CallsInReasoning, Options, Start, ValueWhitespace},
    render::{CallRef, RenderError, ToolResult},
    tools::Type,
};

fn builder(dialect: impl Into<Dialect>) -> ParserBuilder {
    let write = Tool::new("write")
        .param(Param::required("path").with(Type::String))
        .param(Param::optional("rate").with(Type::Integer).with(Type::Null))
        .param(Param::optional("share").with(Type::Number))
        .param(Param::optional("tags").with(Type::Array))
        .param(Param::optional("any"));
    Parser::builder(dialect).tool(write).tool(Tool::new("list"))
}

fn parser(dialect: impl Into<Dialect>) -> Parser {
    builder(dialect).build().expect("a parser")
}

fn render(parser: &Parser, name: &str, arguments: Value) -> Result<String, RenderError> {
    parser.render_call(name, arguments.as_object().expect("an object"))
}

fn refused(parser: &Parser, name: &str, arguments: Value) -> String {
    render(parser, name, arguments).expect_err("a refusal").to_string()
}

/// The error of a result is one line in a sentence, with line breaks of any system.
#[test]
fn an_error_in_a_sentence_is_one_line() {
    let error = ToolResult::error("read", "one\r\n two \rthree\n\n\rfour\n");
    let written = Dialect::CODE_ASSISTANT.render_results(&[error]);
    assert!(written.contains("read failed: one two three four - correct"), "{written:?}");
}

#[test]
fn each_dialect_has_its_form() {
    let hermes = "<tool_call>\n{\"name\": \"write\", \"arguments\": {\"path\": \
                  \"a\\n\\\"b\\\"\", \"rate\": 420, \"tags\": [\"x\", {\"y\": null, \"z\": []}]}}\n</tool_call>";
    let forms = [
        (
            Dialect::CLINE,
            "<write>\n<path>a\n\"b\"</path>\n<rate>420</rate>\n\
             <tags>[\"x\", {\"y\": null, \"z\": []}]</tags>\n</write>",
        ),
        (
            Dialect::CODE_ASSISTANT,
            "<tool:write>\n<param:path>\na\n\"b\"\n</param:path>\n<param:rate>420</param:rate>\n\
             <param:tags>[\"x\", {\"y\": null, \"z\": []}]</param:tags>\n</tool:write>",
        ),
        (
            Dialect::INVOKE,
            "<function_calls>\n<invoke name=\"write\">\n<parameter name=\"path\">a\n\"b\"</parameter>\n\
             <parameter name=\"rate\">420</parameter>\n<parameter name=\"tags\">\
             [\"x\", {\"y\": null, \"z\": []}]</parameter>\n</invoke>\n</function_calls>",
        ),
        (Dialect::HERMES, hermes),
        (Dialect::TOOL_CALL, hermes),
        (
            Dialect::QWEN3_CODER,
            "<tool_call>\n<function=write>\n<parameter=path>\na\n\"b\"\n</parameter>\n\
             <parameter=rate>\n420\n</parameter>\n<parameter=tags>\n[\"x\", {\"y\": null, \"z\": []}]\n\
             </parameter>\n</function>\n</tool_call>",
        ),
        (
            Dialect::GLM,
            "<tool_call>write\n<arg_key>path</arg_key>\n\
             <arg_value>a\n\"b\"</arg_value>\n<arg_key>rate</arg_key>\n\
             <arg_value>420</arg_value>\n<arg_key>tags</arg_key>\n\
             <arg_value>[\"x\", {\"y\": null, \"z\": []}]</arg_value>\n</tool_call>",
        ),
    ];
    let arguments = json!({"path": "a\n\"b\"", "rate": 420, "tags": ["x", {"y": null, "z": []}]});
    let json = hermes.strip_prefix("<tool_call>\n{\"name\": \"write\", \"arguments\": ");
    let json = json.and_then(|json| json.strip_suffix("}\n</tool_call>")).expect("the arguments");
    for (dialect, before, after) in [
        (Dialect::MISTRAL, "[TOOL_CALLS]write[ARGS]", ""),
        (Dialect::LLAMA3_JSON, "{\"name\": \"write\", \"parameters\": ", "}"),
        (
            Dialect::COMMAND_R,
            "<|START_ACTION|>[\n    {\"tool_call_id\": \"0\", \"tool_name\": \"write\", \"parameters\": ",
            "}\n]<|END_ACTION|>",
        ),
        (Dialect::GRANITE, "<|tool_call|>[{\"name\": \"write\", \"arguments\": ", "}]"),
        (Dialect::PHI4, "<|tool_call|>[{\"name\": \"write\", \"arguments\": ", "}]<|/tool_call|>"),
        (
            Dialect::JSON_ARRAY,
            "<tool_calls>[{\"name\": \"write\", \"arguments\": ",
            "}]</tool_calls>",
        ),
        (Dialect::FUNCTIONARY, ">>>write\n", ""),
        (Dialect::GIGACHAT3, "<|function_call|>{\"name\": \"write\", \"arguments\": ", "}"),
        (Dialect::APRIEL, "<tool_calls>[{\"name\": \"write\", \"arguments\": ", "}]</tool_calls>"),
        (
            Dialect::INKLING,
            "<|message_model|>write<|content_invoke_tool_json|>{\"name\": \"write\", \"args\": ",
            "}<|end_message|>",
        ),
    ] {
        let form = [before, json, after].concat();
        assert_eq!(
            render(&parser(dialect.clone()), "write", arguments.clone()),
            Ok(form),
            "{dialect:?}"
        );
    }
    for (dialect, form) in forms {
        assert_eq!(render(&parser(&dialect), "write", arguments.clone()).as_deref(), Ok(form));
    }
}

#[test]
fn calls_without_arguments() {
    let forms = [
        (Dialect::CLINE, "<list>\n</list>"),
        (Dialect::CODE_ASSISTANT, "<tool:list>\n</tool:list>"),
        (Dialect::INVOKE, "<function_calls>\n<invoke name=\"list\">\n</invoke>\n</function_calls>"),
        (Dialect::HERMES, "<tool_call>\n{\"name\": \"list\", \"arguments\": {}}\n</tool_call>"),
        (Dialect::QWEN3_CODER, "<tool_call>\n<function=list>\n</function>\n</tool_call>"),
        (Dialect::GLM, "<tool_call>list\n</tool_call>"),
    ];
    for (dialect, form) in forms {
        assert_eq!(render(&parser(&dialect), "list", json!({})).as_deref(), Ok(form));
    }
}

#[test]
fn values_with_markers() {
    for dialect in [Dialect::HERMES, Dialect::QWEN3_CODER, Dialect::GLM] {
        for value in [
            "",
            "\n",
            "\n\na\r\n",
            " a ",
            "</parameter>",
            "</parameter> </arg_value> x",
            "a</function></tool_call>",
            "<tool_call></tool_call>",
            "<parameter=path>",
            "\n<parameter=x>\n</arg_key>",
            "<|im_end|><think>",
            "{\"name\": \"list\", \"arguments\": {}}",
            "\u{0}\u{1b}\u{2028}🦀",
            "null",
            "12",
        ] {
            let call = render(&parser(&dialect), "write", json!({"path": value}));
            assert!(call.is_ok(), "{dialect:?} {value:?} {call:?}");
        }
    }
}

#[test]
fn refused_values() {
    let qwen = parser(Dialect::QWEN3_CODER);
    assert_eq!(
        refused(&qwen, "write", json!({"path": "a</parameter>\n</function>"})),
        "qwen3-coder cannot carry this call of `write`, the argument `path` would read back \
         differently: change it, or show it to the model as text of your own"
    );
    let glm = parser(Dialect::GLM);
    for (parser, value) in [
        (&qwen, "a</parameter>\n<parameter=rate>\n1"),
        (&qwen, "a</function></tool_call><|im_end|>"),
        (&qwen, "a\n<parameter=rate>\n1"),
        (&glm, "a</arg_value><arg_key>rate"),
        (&glm, "a</arg_value></tool_call>"),
    ] {
        let error = refused(parser, "write", json!({"path": value}));
        let why = ["`path`", "around it", "may not run"];
        assert!(why.iter().any(|why| error.contains(why)), "{value:?}: {error}");
        assert!(render(&self::parser(Dialect::HERMES), "write", json!({"path": value})).is_ok());
    }
}

#[test]
fn refused_types() {
    for dialect in [Dialect::QWEN3_CODER, Dialect::GLM] {
        for arguments in [
            json!({"path": 1}),
            json!({"path": null}),
            json!({"rate": "1"}),
            json!({"rate": 1.0}),
            json!({"tags": "[]"}),
            json!({"any": 1}),
            json!({"other": true}),
        ] {
            let key = arguments.as_object().and_then(|map| map.keys().next()).expect("a key");
            let error = refused(&parser(&dialect), "write", arguments.clone());
            assert!(error.contains(&format!("argument `{key}` would")), "{error}");
            assert!(render(&parser(Dialect::HERMES), "write", arguments).is_ok());
        }
        // Values that the schema does not know are allowed if they read back equal.
        for arguments in [json!({"rate": "high"}), json!({"any": "1"}), json!({"other": "true"})] {
            assert!(render(&parser(&dialect), "write", arguments.clone()).is_ok(), "{arguments}");
            assert!(render(&parser(&dialect), "unknown", arguments).is_ok());
        }
    }
}

/// A reader takes a blank id for none.
#[test]
fn refused_ids() {
    let arguments = json!({"path": "a"});
    let call = CallRef::new("write", arguments.as_object().unwrap());
    let render = |dialect: Dialect, id| {
        let rendered = parser(dialect).render_calls(&[call.with_id(Some(id))]);
        rendered.map_err(|error| error.to_string())
    };
    assert!(render(Dialect::COMMAND_R, "7").unwrap().contains("\"tool_call_id\": \"7\""));
    let error = render(Dialect::COMMAND_R, " ").unwrap_err();
    assert!(error.contains("its id would read back differently"), "{error}");
    // A dialect that writes no id loses none.
    assert!(render(Dialect::GLM, " ").is_ok());
}

#[test]
fn refused_names_and_keys() {
    let long = "x".repeat(129);
    for dialect in [Dialect::HERMES, Dialect::QWEN3_CODER, Dialect::GLM] {
        for name in ["", &long] {
            refused(&parser(&dialect), name, json!({"path": "a"}));
        }
        if dialect != Dialect::HERMES {
            for name in [" write", "wri\nte", "<b>"] {
                refused(&parser(&dialect), name, json!({"path": "a"}));
            }
            for key in ["", " path", "pa<th", &long] {
                refused(&parser(&dialect), "write", json!({key: "a"}));
            }
        }
    }
    let error = refused(&parser(Dialect::GLM), "write", json!({}));
    assert!(error.contains("may not run (missing_arguments)"), "{error}");
}

/// A parser of a tool with line breaks and lists of each kind.
fn editor(dialect: Dialect) -> Parser {
    let tool = Tool::from_json(&json!({"name": "edit", "parameters": {"properties": {
        "content": {"type": "string"}, "path": {"type": "string"},
        "names": {"type": "array", "items": {"type": "string"}},
        "lines": {"type": "array", "items": {"type": "integer"}},
        "line": {"type": "integer"},
        "data": {"type": "array"}
    }}}));
    Parser::builder(dialect).tool(tool.expect("a tool")).build().expect("a parser")
}

fn params(parser: &Parser, arguments: Value) -> String {
    let call = render(parser, "edit", arguments).expect("a call");
    let (_, inside) = call.split_once("edit>\n").expect("an opener");
    let (inside, _) = inside.rsplit_once("</").expect("a closer");
    inside.to_string()
}

#[test]
fn cline_frames_raw_values_alone() {
    let cline = editor(Dialect::CLINE);
    for (value, told) in [
        ("a", "<content>\na\n</content>\n"),
        ("", "<content>\n\n</content>\n"),
        ("\n a\n", "<content>\n\n a\n\n</content>\n"),
        ("a\r", "<content>\na\r</content>\n"),
    ] {
        assert_eq!(params(&cline, json!({"content": value})), told);
    }
    assert_eq!(params(&cline, json!({"path": "a b\nc"})), "<path>a b\nc</path>\n");
    // Other blanks are part of the value, and come back.
    assert_eq!(
        params(&cline, json!({"path": "\u{a0}a\u{3000}"})),
        "<path>\u{a0}a\u{3000}</path>\n"
    );
    for short in [" a", "a\n", "\ta"] {
        let error = refused(&cline, "edit", json!({"path": short}));
        assert!(error.contains("argument `path` would read back differently"), "{error}");
    }
    refused(&cline, "edit", json!({"content": "a</content></edit>"}));
    refused(&cline, "edit", json!({"content": "a</content><path>b"}));
    refused(&cline, "edit", json!({"other": "a"}));
}

#[test]
fn code_assistant_repeats_lists() {
    let assistant = editor(Dialect::CODE_ASSISTANT);
    for (arguments, told) in [
        (
            json!({"names": ["a", "b\nc"]}),
            "<param:name>a</param:name>\n<param:name>\nb\nc\n</param:name>\n",
        ),
        (json!({"names": ["a"]}), "<param:name>a</param:name>\n"),
        (json!({"names": []}), "<param:names>[]</param:names>\n"),
        (json!({"names": ["[1]"]}), "<param:names>[\"[1]\"]</param:names>\n"),
        // `line` is another parameter, so it is not the singular of `lines`.
        (json!({"lines": [1, 2]}), "<param:lines>1</param:lines>\n<param:lines>2</param:lines>\n"),
        (json!({"data": ["x", "y"]}), "<param:data>x</param:data>\n<param:data>y</param:data>\n"),
        // Without a type for the elements, numbers would come back as text.
        (json!({"data": [1, "y"]}), "<param:data>[1, \"y\"]</param:data>\n"),
        (json!({"path": "\na"}), "<param:path>\n\na\n</param:path>\n"),
    ] {
        assert_eq!(params(&assistant, arguments.clone()), told, "{arguments}");
    }
    refused(&assistant, "edit", json!({"name": "a"}));
}

#[test]
fn invoke_frames_line_breaks_at_the_ends() {
    let invoke = editor(Dialect::INVOKE);
    for (value, told) in [
        ("a\nb", "a\nb"),
        ("\na", "\n\na\n"),
        ("a\n", "\na\n\n"),
        ("\r\n", "\n\r\n\n"),
        ("a\r", "a\r"),
    ] {
        let call = render(&invoke, "edit", json!({"path": value})).expect("a call");
        assert!(
            call.contains(&format!("<parameter name=\"path\">{told}</parameter>\n")),
            "{call:?}"
        );
    }
    refused(&invoke, "edit", json!({"a\"b'c": "a"}));
}

#[test]
fn results_have_the_form_of_the_dialect() {
    let results = [ToolResult::ok("a", "1\n{name}"), ToolResult::error("b", "no\r\n  file\n")];
    let responses = "<tool_response>\n1\n{name}\n</tool_response>\n\
                     <tool_response>\nError: no\r\n  file\n\n</tool_response>";
    let forms = [
        (
            Dialect::CLINE,
            "[a] Result:\n1\n{name}\n\n[b] Result: the tool failed.\n<error>\nno\r\n  file\n\n</error>",
        ),
        (
            Dialect::CODE_ASSISTANT,
            "1\n{name}\n\nTool error: b failed: no file - correct the call, or the cause, and try \
             again.",
        ),
        (
            Dialect::INVOKE,
            "<function_results>\n<result>\n<tool_name>a</tool_name>\n<stdout>\n1\n{name}\n\
             </stdout>\n</result>\n<error>\nno\r\n  file\n\n</error>\n</function_results>",
        ),
        (Dialect::HERMES, responses),
        (Dialect::QWEN3_CODER, responses),
        (Dialect::GLM, responses),
        (Dialect::TOOL_CALL, responses),
        (
            Dialect::MISTRAL,
            "[TOOL_RESULTS]1\n{name}[/TOOL_RESULTS][TOOL_RESULTS]Error: no\r\n  file\n[/TOOL_RESULTS]",
        ),
        (Dialect::LLAMA3_JSON, "1\n{name}\nError: no\r\n  file\n"),
        (
            Dialect::COMMAND_R,
            "<|START_TOOL_RESULT|>[\n    {\n        \"tool_call_id\": \"0\",\n        \"results\": {\n            \
             \"0\": \"1\\n{name}\"\n        },\n        \"is_error\": null\n    },\n    {\n        \
             \"tool_call_id\": \"1\",\n        \"results\": {\n            \"0\": \"no\\r\\n  file\\n\"\n        \
             },\n        \"is_error\": true\n    }\n]<|END_TOOL_RESULT|>",
        ),
        (Dialect::PHI4, "<|tool_response|>1\n{name}<|tool_response|>Error: no\r\n  file\n"),
        (
            Dialect::GIGACHAT3,
            "function result<|role_sep|>\n1\n{name}<|message_sep|>\n\n\
             function result<|role_sep|>\nError: no\r\n  file\n<|message_sep|>\n\n",
        ),
    ];
    for (dialect, form) in forms {
        assert_eq!(dialect.render_results(&results), form);
        assert_eq!(parser(&dialect).render_results(&results).unwrap(), form);
        assert_eq!(dialect.render_results(&[]), "");
    }
}

#[test]
fn stop_sequences_leave_the_call_whole() {
    for dialect in Dialect::ALL {
        let stops = dialect.stop_sequences();
        assert!(stops.len() <= 4, "{dialect:?}");
        let call = render(&parser(dialect), "write", json!({"path": "a", "rate": 1})).unwrap();
        for stop in &stops {
            let cut = call.find(stop).map_or(&*call, |at| &call[..at]);
            let message = parser(dialect).parse(cut);
            assert_eq!(message.calls().count(), 1, "{dialect:?} {stop:?}: {cut:?}");
        }
        // If several calls are allowed, no stop sequence may end the stream after the first.
        let several = builder(dialect).tool_limit(None).build().unwrap();
        let cuts = several.stop_sequences().iter().any(|stop| call.contains(stop));
        assert!(!cuts, "{dialect:?}");
        assert_eq!(parser(dialect).stop_sequences(), stops);
    }
}

#[test]
fn options_are_heard() {
    let qwen = builder(Dialect::QWEN3_CODER);
    // If line breaks stay in values, none is written around them.
    let mut options = Options::default();
    options.value_whitespace = ValueWhitespace::Verbatim;
    let verbatim = qwen.clone().options(options).build().unwrap();
    let call = render(&verbatim, "write", json!({"path": "a\n"})).unwrap();
    assert!(call.contains("<parameter=path>a\n</parameter>\n"), "{call}");
    // With entities every value can be written.
    let mut options = Options::default();
    options.decode_entities = true;
    let entities = qwen.clone().options(options.clone()).build().unwrap();
    let call = render(&entities, "write", json!({"path": "&lt;</parameter></function>"})).unwrap();
    assert!(call.contains("\n&amp;lt;&lt;/parameter>&lt;/function>\n"), "{call}");
    // A dialect that can write the type of a value may leave it out. Then its values have entities, too.
    for dialect in [Dialect::CODE_ASSISTANT_CARET, Dialect::K2_HORIZON] {
        let parser = builder(dialect).options(options.clone()).build().unwrap();
        let call = render(&parser, "write", json!({"path": "&lt;"})).unwrap();
        assert!(call.contains("&amp;lt;"), "{call}");
    }
    // Values with a type in the wire have no entities.
    let parser = builder(Dialect::DEEPSEEK_DSML).options(options.clone()).build().unwrap();
    let call = render(&parser, "write", json!({"path": "&lt;"})).unwrap();
    assert!(call.contains(" string=\"true\">&lt;<"), "{call}");
    // A call stands after the reasoning, and rendering it in mid-stream changes nothing.
    let mut options = Options::default();
    options.calls_in_reasoning = Some(CallsInReasoning::Ignore);
    let mut reasoning = qwen.options(options).start(Start::Reasoning).build().unwrap();
    let _ = reasoning.feed("hm <tool_call>");
    let call = render(&reasoning, "write", json!({"path": "a"})).unwrap();
    let message = reasoning.parse(&format!("hm</think>\n{call}"));
    assert_eq!(message.calls().count(), 1);
}
