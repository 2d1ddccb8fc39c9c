//! Relatives of `invoke`: how their calls and results are written, and types in the wire.

use serde_json::{Value, json};
use toolstream::adapt::ParamsToJson;
use toolstream::{Dialect, Event, Param, Parser, Tool, render::ToolResult, tools::Type};

fn parser(dialect: Dialect) -> Parser {
    let write = Tool::from_json(&json!({"name": "write", "parameters": {
        "type": "object",
        "properties": {
            "path": {"type": "string"},
            "rate": {"type": "integer"},
            "tags": {"type": "array", "items": {"type": "string"}},
        },
    }}));
    let list = Tool::new("list").param(Param::optional("all").with(Type::Boolean));
    Parser::builder(dialect).tools([write.unwrap(), list]).build().expect("a parser")
}

#[test]
fn calls_have_the_form_of_the_dialect() {
    let arguments = json!({"path": "a\n\"b\"", "rate": 420, "tags": ["x"]});
    let dsml = "<｜DSML｜tool_calls>\n<｜DSML｜invoke name=\"write\">\n\
         <｜DSML｜parameter name=\"path\" string=\"true\">a\n\"b\"</｜DSML｜parameter>\n\
         <｜DSML｜parameter name=\"rate\" string=\"false\">420</｜DSML｜parameter>\n\
         <｜DSML｜parameter name=\"tags\" string=\"false\">[\"x\"]</｜DSML｜parameter>\n\
         </｜DSML｜invoke>\n</｜DSML｜tool_calls>";
    let gcml = dsml.replace("DSML", "GCML");
    let params = "<parameter name=\"path\">a\n\"b\"</parameter>\n\
         <parameter name=\"rate\">420</parameter>\n<parameter name=\"tags\">[\"x\"]</parameter>\n";
    let invoke = format!("<invoke name=\"write\">\n{params}</invoke>");
    let forms = [
        (Dialect::DEEPSEEK_DSML, dsml.to_string()),
        (Dialect::GIGACHAT35, gcml),
        (Dialect::MINIMAX_M2, format!("<minimax:tool_call>\n{invoke}\n</minimax:tool_call>")),
        (Dialect::DOTS, format!("<dots_function_call>\n{invoke}\n</dots_function_call>")),
        (
            Dialect::STEP3,
            format!(
                "<｜tool_calls_begin｜>\n<｜tool_call_begin｜>function<｜tool_sep｜>{}\
                 <｜tool_call_end｜>\n<｜tool_calls_end｜>",
                invoke.replace('<', "<steptml:").replace("<steptml:/", "</steptml:")
            ),
        ),
        (
            Dialect::KIMI_K3,
            "<|open|>tools<|sep|><|open|>call tool=\"write\" index=\"1\"<|sep|>\
             <|open|>argument key=\"path\" type=\"string\"<|sep|>a\n\"b\"<|close|>argument<|sep|>\
             <|open|>argument key=\"rate\" type=\"number\"<|sep|>420<|close|>argument<|sep|>\
             <|open|>argument key=\"tags\" type=\"array\"<|sep|>[\"x\"]<|close|>argument<|sep|>\
             <|close|>call<|sep|><|close|>tools<|sep|>"
                .to_string(),
        ),
        (
            Dialect::MINICPM5,
            "<function name=\"write\"><param name=\"path\"><![CDATA[a\n\"b\"]]></param>\
             <param name=\"rate\">420</param><param name=\"tags\">[\"x\"]</param></function>"
                .to_string(),
        ),
        (
            Dialect::MINIMAX_M3,
            "~<tool_call>\n~<invoke name=\"write\">~<path>a\n\"b\"~</path>~<rate>420~</rate>\
             ~<tags>~<item>x~</item>~</tags>~</invoke>\n~</tool_call>"
                .replace('~', "]<]minimax[>["),
        ),
        (
            Dialect::COHERE_COFL,
            "<cofl:tool_calls>\n<cofl:tool_call id=\"0\" name=\"write\">\
             <cofl:tool_param name=\"path\" string=\"true\">a\n\"b\"</cofl:tool_param>\
             <cofl:tool_param name=\"rate\" string=\"false\">420</cofl:tool_param>\
             <cofl:tool_param name=\"tags\" string=\"false\">[\"x\"]</cofl:tool_param>\
             </cofl:tool_call>\n</cofl:tool_calls>"
                .to_string(),
        ),
    ];
    for (dialect, form) in forms {
        let call = parser(dialect.clone()).render_call("write", arguments.as_object().unwrap());
        assert_eq!(call, Ok(form), "{dialect}");
    }
}

/// In CDATA a value may hold the closers of its dialect. A value that holds the end of CDATA is refused.
#[test]
fn cdata_carries_closers() {
    let parser = parser(Dialect::MINICPM5);
    for (value, fits) in [
        ("</param></function>", true),
        ("<![CDATA[x]]>", true),
        (" &amp; \n", true),
        ("a]]></param></function>", false),
        ("]]>", true),
    ] {
        let arguments = json!({"path": value, "rate": 1});
        let call = parser.render_call("write", arguments.as_object().unwrap());
        assert_eq!(call.is_ok(), fits, "{value:?}: {call:?}");
    }
}

#[test]
fn results_have_the_form_of_the_dialect() {
    let results = [ToolResult::ok("a", "1"), ToolResult::error("b", "no")];
    for (dialect, form) in [
        (
            Dialect::DEEPSEEK_DSML,
            "<tool_result>1</tool_result>\n<tool_result>Error: no</tool_result>",
        ),
        (Dialect::MINIMAX_M2, "<response>1</response>\n<response>Error: no</response>"),
        (
            Dialect::DOTS,
            "<dots_function_response>\n1\n</dots_function_response>\n\
             <dots_function_response>\nError: no\n</dots_function_response>",
        ),
        (
            Dialect::STEP3,
            "<｜tool_outputs_begin｜>\n<｜tool_output_begin｜>1<｜tool_output_end｜>\n\
             <｜tool_output_begin｜>Error: no<｜tool_output_end｜>\n<｜tool_outputs_end｜>",
        ),
        (
            Dialect::KIMI_K3,
            "<|open|>message role=\"tool\" tool=\"a\" index=\"1\"<|sep|>1<|close|>message<|sep|>\
             <|end_of_msg|><|open|>message role=\"tool\" tool=\"b\" index=\"2\"<|sep|>Error: no\
             <|close|>message<|sep|><|end_of_msg|>",
        ),
        (
            Dialect::MINICPM5,
            "<tool_response>\n1\n</tool_response>\n<tool_response>\nError: no\n</tool_response>",
        ),
        (Dialect::MINIMAX_M3, "<response>1</response>\n<response>Error: no</response>"),
        (
            Dialect::COHERE_COFL,
            "<cofl:tool_results>\n<cofl:tool_result id=\"0\" is_error=\"false\">\
             <cofl:tool_result_item index=\"0\">1</cofl:tool_result_item></cofl:tool_result>\n\
             <cofl:tool_result id=\"1\" is_error=\"true\"><cofl:tool_result_item index=\"0\">no\
             </cofl:tool_result_item></cofl:tool_result>\n</cofl:tool_results>",
        ),
    ] {
        assert_eq!(dialect.render_results(&results), form, "{dialect}");
    }
}

/// A name with characters that an attribute cannot hold is written with entities, and read back.
#[test]
fn names_in_attributes() {
    let tool = Tool::new("a&quot;\"b").param(Param::optional("x\"&").with(Type::String));
    let parser = Parser::builder(Dialect::KIMI_K3).tool(tool).build().unwrap();
    let call = parser.render_call("a&quot;\"b", json!({"x\"&": "&amp;"}).as_object().unwrap());
    let call = call.unwrap();
    assert!(call.contains("tool=\"a&amp;quot;&quot;b\"") && call.contains("key=\"x&quot;&amp;\""));
}

/// The arguments in `Message`. The adapter must write the same for the text.
fn arguments(dialect: Dialect, text: &str) -> Value {
    let mut parser = parser(dialect);
    let (mut message, mut joined) = (parser.message(), String::new());
    let mut adapter = ParamsToJson::new(&parser.clone(), |event: Event<&str>| {
        if let Event::ToolUse(toolstream::ToolUse::ArgumentsDelta(text)) = event {
            joined.push_str(text);
        }
    });
    parser.feed_into(text, &mut |event: Event<&str>| {
        message.push(event);
        adapter.push(event);
    });
    let input = Value::Object(message.calls().next().expect("a call").input().clone());
    assert_eq!(serde_json::from_str::<Value>(&joined).unwrap(), input, "{joined}");
    input
}

/// Nested values are alike in `Message` and in the adapter, with a schema and without.
#[test]
fn elements_nest() {
    let body = "<path><x>1~</path>~<tags>~<item>a~</item>~<item>~</item>~</tags>\
                ~<rate>~</rate>~<other>~<k>~<item>1~</item>~</k>~<k>2~</k>~</other>~<tail> a ~</tail>";
    let text = format!("~<invoke name=\"write\">~{body}~</invoke>").replace('~', "]<]minimax[>[");
    let expected = json!({
        "path": "<x>1", "tags": ["a", ""], "rate": "", "other": {"k": [["1"], "2"]},
        "tail": " a ",
    });
    assert_eq!(arguments(Dialect::MINIMAX_M3, &text), expected);
    // Entities in the elements are the model's text, unless the host wants them decoded.
    let tags = "<tags>~<item>a &amp; b~</item>~</tags>";
    let text = format!("~<invoke name=\"write\">~{tags}~</invoke>").replace('~', "]<]minimax[>[");
    assert_eq!(arguments(Dialect::MINIMAX_M3, &text), json!({"tags": ["a &amp; b"]}));
    let value = |inside: &str, text: &str| format!("<cofl:value {inside}>{text}</cofl:value>");
    let list = value("name=\"tags\" type=\"list\"", &value("type=\"raw\"", "1"));
    let dict = value("name='x' type=dict", &value("name='&quot;' type='json'", "[1]"));
    let raw = value("name=\"path\" type=\"raw\"", "1");
    let text =
        format!("<cofl:tool_call id=\"0\" name=\"write\">{raw}{list}{dict}</cofl:tool_call>");
    let expected = json!({"path": "1", "tags": ["1"], "x": {"\"": [1]}});
    assert_eq!(arguments(Dialect::COHERE_COFL, &text), expected);
}

#[test]
fn types_on_the_wire_win() {
    let call = |params: &[(&str, &str, &str)]| {
        let param = |(key, kind, value): &(&str, &str, &str)| {
            format!("<｜DSML｜parameter name=\"{key}\"{kind}>{value}</｜DSML｜parameter>")
        };
        let params: String = params.iter().map(param).collect();
        let text = format!("<｜DSML｜invoke name=\"write\">{params}</｜DSML｜invoke>");
        arguments(Dialect::DEEPSEEK_DSML, &text)
    };
    let (text, json) = (" string=\"true\"", " string=\"false\"");
    assert_eq!(
        call(&[("rate", text, " 1"), ("path", json, "1")]),
        json!({"rate": " 1", "path": 1})
    );
    assert_eq!(
        call(&[("path", "", "null"), ("x", " string=\"\"", "y")]),
        json!({"path": null, "x": "y"})
    );
    // In a list in pieces, each piece has its own type.
    let pieces = [("tags", json, "[\"a\"]"), ("tags", text, "[b]"), ("tags", "", "3")];
    assert_eq!(call(&pieces), json!({"tags": ["a", "[b]", 3]}));
    assert_eq!(call(&pieces[1..2]), json!({"tags": "[b]"}));
}
