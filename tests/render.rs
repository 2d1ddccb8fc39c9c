//! `render_call`: what it writes reads back as the same call, or it refuses.
#![cfg(feature = "json")]

use std::cell::Cell;
use std::ops::Range;

use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use serde_json::{Map, Value, json};
use toolstream::{
    Block, Builder, CallsInReasoning, Dialect, Fences, Message, Options, Param, Parser,
    RenderError, Start, Tool, ToolResult, Type, ValueWhitespace,
};

fn builder(dialect: Dialect) -> Builder {
    let write = Tool::new("write")
        .param(Param::required("path").with(Type::String))
        .param(Param::optional("mode").with(Type::Integer).with(Type::Null))
        .param(Param::optional("share").with(Type::Number))
        .param(Param::optional("tags").with(Type::Array))
        .param(Param::optional("any"));
    Parser::builder(dialect).tool(write).tool(Tool::new("list"))
}

fn parser(dialect: Dialect) -> Parser {
    builder(dialect).build().expect("a parser")
}

fn render(parser: &Parser, name: &str, arguments: Value) -> Result<String, RenderError> {
    parser.render_call(name, arguments.as_object().expect("an object"))
}

fn refused(parser: &Parser, name: &str, arguments: Value) -> String {
    render(parser, name, arguments).expect_err("a refusal").to_string()
}

#[test]
fn each_dialect_has_its_form() {
    let hermes = "<tool_call>\n{\"name\": \"write\", \"arguments\": {\"mode\": 420, \"path\": \
                  \"a\\n\\\"b\\\"\", \"tags\": [\"x\", {\"y\": null, \"z\": []}]}}\n</tool_call>";
    let forms = [
        (
            Dialect::CLINE,
            "<write>\n<mode>420</mode>\n<path>a\n\"b\"</path>\n\
             <tags>[\"x\", {\"y\": null, \"z\": []}]</tags>\n</write>",
        ),
        (
            Dialect::CODE_ASSISTANT,
            "<tool:write>\n<param:mode>420</param:mode>\n<param:path>\na\n\"b\"\n</param:path>\n\
             <param:tags>[\"x\", {\"y\": null, \"z\": []}]</param:tags>\n</tool:write>",
        ),
        (
            Dialect::INVOKE,
            "<function_calls>\n<invoke name=\"write\">\n<parameter name=\"mode\">420</parameter>\n\
             <parameter name=\"path\">a\n\"b\"</parameter>\n<parameter name=\"tags\">\
             [\"x\", {\"y\": null, \"z\": []}]</parameter>\n</invoke>\n</function_calls>",
        ),
        (Dialect::HERMES, hermes),
        (Dialect::TOOL_CALL, hermes),
        (
            Dialect::QWEN3_CODER,
            "<tool_call>\n<function=write>\n<parameter=mode>\n420\n</parameter>\n<parameter=path>\n\
             a\n\"b\"\n</parameter>\n<parameter=tags>\n[\"x\", {\"y\": null, \"z\": []}]\n\
             </parameter>\n</function>\n</tool_call>",
        ),
        (
            Dialect::GLM,
            "<tool_call>write\n<arg_key>mode</arg_key>\n<arg_value>420</arg_value>\n\
             <arg_key>path</arg_key>\n<arg_value>a\n\"b\"</arg_value>\n<arg_key>tags</arg_key>\n\
             <arg_value>[\"x\", {\"y\": null, \"z\": []}]</arg_value>\n</tool_call>",
        ),
    ];
    let arguments = json!({"path": "a\n\"b\"", "mode": 420, "tags": ["x", {"y": null, "z": []}]});
    for (dialect, form) in forms {
        assert_eq!(render(&parser(dialect), "write", arguments.clone()).as_deref(), Ok(form));
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
        assert_eq!(render(&parser(dialect), "list", json!({})).as_deref(), Ok(form));
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
            "<tool_call></tool_call>",
            "<parameter=path>",
            "\n<parameter=x>\n</arg_key>",
            "<|im_end|><think>",
            "{\"name\": \"list\", \"arguments\": {}}",
            "\u{0}\u{1b}\u{2028}🦀",
            "null",
            "12",
        ] {
            let call = render(&parser(dialect), "write", json!({"path": value}));
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
        (&qwen, "a</parameter>\n<parameter=mode>\n1"),
        (&qwen, "a</function></tool_call>"),
        (&qwen, "a\n<parameter=mode>\n1"),
        (&glm, "a</arg_value><arg_key>mode"),
        (&glm, "a</arg_value></tool_call>"),
    ] {
        let error = refused(parser, "write", json!({"path": value}));
        assert!(error.contains("`path`") || error.contains("around it"), "{value:?}: {error}");
        assert!(render(&self::parser(Dialect::HERMES), "write", json!({"path": value})).is_ok());
    }
}

#[test]
fn refused_types() {
    for dialect in [Dialect::QWEN3_CODER, Dialect::GLM] {
        for arguments in [
            json!({"path": 1}),
            json!({"path": null}),
            json!({"mode": "1"}),
            json!({"mode": 1.0}),
            json!({"tags": "[]"}),
            json!({"any": 1}),
            json!({"other": true}),
        ] {
            let key = arguments.as_object().and_then(|map| map.keys().next()).expect("a key");
            let error = refused(&parser(dialect), "write", arguments.clone());
            assert!(error.contains(&format!("argument `{key}` would")), "{error}");
            assert!(render(&parser(Dialect::HERMES), "write", arguments).is_ok());
        }
        // What the schema does not know is no harm where it comes back.
        for arguments in [json!({"mode": "high"}), json!({"any": "1"}), json!({"other": "true"})] {
            assert!(render(&parser(dialect), "write", arguments.clone()).is_ok(), "{arguments}");
            assert!(render(&parser(dialect), "unknown", arguments).is_ok());
        }
    }
}

#[test]
fn refused_names_and_keys() {
    let long = "x".repeat(129);
    for dialect in [Dialect::HERMES, Dialect::QWEN3_CODER, Dialect::GLM] {
        for name in ["", &long] {
            refused(&parser(dialect), name, json!({"path": "a"}));
        }
        if dialect != Dialect::HERMES {
            for name in [" write", "wri\nte", "<b>"] {
                refused(&parser(dialect), name, json!({"path": "a"}));
            }
            for key in ["", " path", "pa<th", &long] {
                refused(&parser(dialect), "write", json!({key: "a"}));
            }
        }
    }
    let error = refused(&parser(Dialect::GLM), "write", json!({}));
    assert!(error.contains("may not run (missing_arguments)"), "{error}");
}

/// A tool of each kind of line break and list.
fn editor(dialect: Dialect) -> Parser {
    let tools = Tool::list_from_json(
        r#"[{"name": "edit", "parameters": {"properties": {
            "content": {"type": "string"}, "path": {"type": "string"},
            "names": {"type": "array", "items": {"type": "string"}},
            "lines": {"type": "array", "items": {"type": "integer"}},
            "line": {"type": "integer"},
            "data": {"type": "array"}
        }}}]"#,
    );
    Parser::builder(dialect).tools(tools.expect("tools")).build().expect("a parser")
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
    for short in [" a", "a\n", "\u{a0}a"] {
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
        // `line` is a parameter of its own.
        (json!({"lines": [1, 2]}), "<param:lines>1</param:lines>\n<param:lines>2</param:lines>\n"),
        (json!({"data": ["x", "y"]}), "<param:data>x</param:data>\n<param:data>y</param:data>\n"),
        // Without a type of their own, numbers would come back as text.
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
    ];
    for (dialect, form) in forms {
        assert_eq!(dialect.render_results(&results), form);
        assert_eq!(parser(dialect).render_results(&results), form);
        assert_eq!(dialect.render_results(&[]), "");
    }
}

#[test]
fn stop_sequences_leave_the_call_whole() {
    for &dialect in Dialect::ALL {
        let stops = dialect.stop_sequences();
        assert!(stops.len() <= 4, "{dialect:?}");
        let call = render(&parser(dialect), "write", json!({"path": "a", "mode": 1})).unwrap();
        for stop in &stops {
            let cut = call.find(stop).map_or(&*call, |at| &call[..at]);
            let message = parser(dialect).parse(cut);
            assert_eq!(message.calls().count(), 1, "{dialect:?} {stop:?}: {cut:?}");
        }
        // With more than one call, none of them may end the stream behind the first.
        let several = builder(dialect).tool_limit(None).build().unwrap();
        let cuts = several.stop_sequences().iter().any(|stop| call.contains(stop));
        assert!(!cuts, "{dialect:?}");
        assert_eq!(parser(dialect).stop_sequences(), stops);
    }
}

#[test]
fn options_are_heard() {
    let qwen = builder(Dialect::QWEN3_CODER);
    // Where line breaks stay in values, none is written round them.
    let verbatim = qwen.clone().value_whitespace(ValueWhitespace::Verbatim).build().unwrap();
    let call = render(&verbatim, "write", json!({"path": "a\n"})).unwrap();
    assert!(call.contains("<parameter=path>a\n</parameter>\n"), "{call}");
    // With entities every value can be written.
    let entities = qwen.clone().decode_entities(true).build().unwrap();
    let call = render(&entities, "write", json!({"path": "&lt;</parameter></function>"})).unwrap();
    assert!(call.contains("\n&amp;lt;&lt;/parameter>&lt;/function>\n"), "{call}");
    // A call stands behind the reasoning, and one in mid-stream changes nothing.
    let options = qwen.start(Start::Reasoning).calls_in_reasoning(CallsInReasoning::Ignore);
    let mut reasoning = options.build().unwrap();
    reasoning.feed("hm <tool_call>");
    let call = render(&reasoning, "write", json!({"path": "a"})).unwrap();
    let message = reasoning.parse(&format!("hm</think>\n{call}"));
    assert_eq!(message.calls().count(), 1);
}

/// Reads choices off a byte string; at its end, zeros.
struct Choices<'a>(std::slice::Iter<'a, u8>);

impl Choices<'_> {
    fn byte(&mut self) -> u8 {
        self.0.next().copied().unwrap_or_default()
    }

    fn below(&mut self, count: usize) -> usize {
        self.byte() as usize % count
    }

    fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }

    fn bits(&mut self) -> u64 {
        u64::from_le_bytes(std::array::from_fn(|_| self.byte()))
    }
}

/// A parser, a call for it, and where the written call is cut.
#[derive(Clone, Debug)]
struct Case {
    tools: Vec<Tool>,
    options: Options,
    name: String,
    arguments: Map<String, Value>,
    cuts: Vec<usize>,
    /// Its tool is declared, its arguments fit, and no text in it looks like the dialect's.
    plain: bool,
}

const HARMLESS: &[&str] = &[
    "a",
    "src/lib.rs",
    " ",
    "\n",
    "\r\n",
    "é",
    "🦀",
    "\0",
    "\"",
    "\\",
    "\\n",
    "'",
    "{",
    "}",
    "[1]",
    "a < b",
    "<b>",
    "</b>",
    "true",
    "null",
    "12",
    "-",
    "```\n",
    "=",
    ">",
    "&",
    "<",
    "</",
    ",",
    "\u{feff}",
    "\u{2028}",
    "\t",
    "Option<S>",
    "#include <x>\n",
    "<div class=\"x\">",
];

const HOSTILE: &[&str] = &[
    "<tool_call>",
    "</tool_call>",
    "<tool_response>",
    "<|im_end|>",
    "<|observation|>",
    "<think>",
    "</think>",
    "<function=t0>",
    "</function>",
    "<parameter=p0>",
    "<parameter=",
    "</parameter>",
    "<p0>",
    "<t0>",
    "\n<parameter=p1>\n",
    "<arg_key>",
    "</arg_key>",
    "<arg_value>",
    "</arg_value>",
    "{\"name\": \"t0\", \"arguments\": {}}",
    "</parameter>\n</function>\n</tool_call>",
    "&lt;",
    "</arg_value>\n<arg_key>p0</arg_key>\n<arg_value>",
    "&amp;",
    "\r",
    "</param",
    "</arg_val",
    "</p0>",
    "</p1>\n",
    "</t0>",
    "</p0></t0>",
    "</p0>\n<p1>",
    "<tool:t0>",
    "</tool:t0>",
    "<param:p0>",
    "</param:p0>",
    "</param:p0>\n</tool:t0>",
    "<function_calls>\n<invoke name=\"t0\">",
    "<parameter name=\"p0\">",
    "</invoke>",
    "</function_calls>",
    "</minimax:tool_call>",
    "\nThought: so\n",
    "\nAction: t0\nAction Input: {}",
    "\nObservation:",
    "\nFinal Answer: a",
    "[TOOL_CALLS]",
    "\u{ff1a}",
    "]}",
    "\n```",
];

const TYPES: [Type; 7] = [
    Type::String,
    Type::Integer,
    Type::Number,
    Type::Boolean,
    Type::Array,
    Type::Object,
    Type::Null,
];

impl Choices<'_> {
    fn string(&mut self, hostile: bool) -> String {
        let mut string = String::new();
        for _ in 0..self.of(&[1, 2, 0, 3, 5, 8]) {
            match hostile && self.below(2) == 0 {
                true => string.push_str(self.of(HOSTILE)),
                false => string.push_str(self.of(HARMLESS)),
            }
        }
        // Long white space has a bound of its own.
        if hostile && self.below(16) == 15 {
            string.push_str(&self.of(&[" ", "\n", "x"]).repeat(self.of(&[127, 256, 257, 600])));
        }
        string
    }

    fn number(&mut self, hostile: bool) -> Value {
        match self.below(4) {
            0 => json!(f64::from(self.byte()) / 8.0),
            // Without its feature `float_roundtrip`, serde_json does not read back each of them.
            1 if hostile => Some(f64::from_bits(self.bits())).filter(|of| of.is_finite()).into(),
            _ => self.integer(),
        }
    }

    fn integer(&mut self) -> Value {
        match self.below(4) {
            0 => self.of(&[json!(u64::MAX), json!(i64::MIN)].each_ref()).clone(),
            1 => self.bits().into(),
            2 => (self.bits() as i64).into(),
            _ => self.byte().into(),
        }
    }

    fn value(&mut self, of: Type, deep: usize, hostile: bool) -> Value {
        let inner = |choices: &mut Self| {
            let of = choices.of(&TYPES[..if deep == 0 { 4 } else { 7 }]);
            choices.value(of, deep.saturating_sub(1), hostile)
        };
        let count = if matches!(of, Type::Array | Type::Object) { self.below(4) } else { 0 };
        match of {
            Type::Null => Value::Null,
            Type::Boolean => (self.byte() > 127).into(),
            Type::Integer => self.integer(),
            Type::Number => self.number(hostile),
            Type::String => self.string(hostile).into(),
            Type::Array => (0..count).map(|_| inner(self)).collect(),
            Type::Object => (0..count).map(|_| (self.string(hostile), inner(self))).collect(),
        }
    }

    fn case(&mut self) -> Case {
        let mut plain = true;
        let tool = |at: usize, choices: &mut Self| {
            let param = |at: usize| {
                let mut param = Param::optional(["p0", "p1", "p2s"][at]);
                param.required = choices.below(8) == 0;
                for _ in 0..choices.of(&[1, 1, 1, 2, 0]) {
                    param = param.with(choices.of(&TYPES));
                }
                param
            };
            let params = (0..3).map(param).collect::<Vec<_>>();
            params.into_iter().fold(Tool::new(format!("t{at}")), Tool::param)
        };
        let tools: Vec<Tool> = (0..1 + self.below(2)).map(|at| tool(at, self)).collect();
        let hostile = self.below(2) == 1;
        let mut options = Options::default();
        if hostile {
            options.start = self.of(&[Start::Text, Start::Text, Start::Reasoning]);
            options.calls_in_reasoning = self.of(&[None, Some(CallsInReasoning::Ignore)]);
            options.fences = self.of(&[Fences::Parse, Fences::Quote]);
            options.decode_entities = self.below(4) == 3;
            options.value_whitespace =
                self.of(&[ValueWhitespace::Default, ValueWhitespace::Verbatim]);
            options.tool_limit = self.of(&[Some(1), None]);
            if self.below(2) == 0 {
                options.raw_params.push("p0".to_string());
            }
        }
        let chosen = &tools[self.below(tools.len())];
        let mut arguments = Map::new();
        for param in &chosen.params {
            if param.required || self.below(4) > 0 {
                let of = if param.types.is_empty() { Type::String } else { self.of(&param.types) };
                arguments.insert(param.name.clone(), self.value(of, 2, hostile));
            }
            // One text may mean two things: that is for the schema to avoid.
            plain &= param.types.len() < 2;
        }
        let mut name = chosen.name.clone();
        if hostile {
            plain = false;
            for _ in 0..self.of(&[0, 0, 1, 2]) {
                let key = self.of(&["p0", "p1", "p2", "other", " p0", "a b", "\n"]).to_string();
                let key = if self.below(3) == 0 { self.string(true) } else { key };
                let of = self.of(&TYPES);
                arguments.insert(key, self.value(of, 3, true));
            }
            if self.below(8) == 7 {
                name = self.string(true);
            }
        }
        let cuts = (0..self.below(6)).map(|_| self.byte().into()).collect();
        Case { tools, options, name, arguments, cuts, plain }
    }
}

fn cases() -> impl Strategy<Value = Case> {
    let data = proptest::collection::vec(any::<u8>(), 20..160);
    data.prop_map(|data| Choices(data.iter()).case())
}

/// What a parser makes of a text that is cut like this, characters too.
fn stream(parser: &Parser, text: &str, cuts: &[usize]) -> Message {
    let mut parser = parser.clone();
    let mut message = parser.message();
    let mut at: Vec<usize> = cuts.iter().map(|cut| cut * text.len() / 256).collect();
    at.extend([0, text.len()]);
    at.sort_unstable();
    let ranges = at.windows(2).map(|pair| Range { start: pair[0], end: pair[1] });
    for range in ranges {
        for event in parser.feed_bytes(&text.as_bytes()[range]) {
            message.push(event);
        }
    }
    for event in parser.finish() {
        message.push(event);
    }
    message.close();
    message
}

/// What may close a value of the dialect, or begin something else in it; `None`: any text is data.
fn closers(dialect: Dialect) -> Option<&'static [&'static str]> {
    match dialect.name() {
        "hermes" | "tool-call" | "react" => None,
        "cline" => Some(&["</p", "</t"]),
        "code-assistant" => Some(&["</p", "</t"]),
        "invoke" => Some(&["</p", "</invoke>"]),
        "qwen3-coder" => Some(&["</parameter>", "</function>", "</tool_call>", "<parameter="]),
        "glm" => Some(&["</arg_value>", "</tool_call>"]),
        other => panic!("say here what closes a value of {other}"),
    }
}

/// Whether nothing speaks against a call: it is plain, or all its arguments are declared texts
/// without what might close them.
fn must_be_carried(case: &Case, dialect: Dialect) -> bool {
    let Some(tool) = case.tools.iter().find(|tool| tool.name == case.name) else { return false };
    // `cline` trims what is not raw.
    let trimmed = |text: &str| dialect != Dialect::CLINE || text == text.trim();
    if !case.arguments.values().filter_map(Value::as_str).all(trimmed) {
        return false;
    }
    let is_text = |key: &str| {
        let param = tool.params.iter().find(|param| param.name == key);
        param.is_some_and(|param| param.types.iter().all(|of| *of == Type::String))
    };
    let closers = closers(dialect).unwrap_or_default();
    let harmless = |text: &str| !closers.iter().any(|closer| text.contains(closer));
    let mut arguments = case.arguments.iter();
    let texts = arguments.all(|(key, value)| is_text(key) && value.as_str().is_some_and(harmless));
    case.plain || texts && (tool.requires_nothing() || !case.arguments.is_empty())
}

/// Whether a text is this call for the parser, at these cuts.
fn reads_back(
    parser: &Parser,
    text: &str,
    (name, arguments): (&str, &Map<String, Value>),
    cuts: &[usize],
) -> Result<(), String> {
    let message = stream(parser, text, cuts);
    let [Block::Call(read)] = message.blocks() else {
        return Err(format!("{text:?} is {:?}", message.blocks()));
    };
    match (read.name(), read.input()) == (name, arguments) && message.position() == text.len() {
        true => Ok(()),
        false => Err(format!("{text:?} is {} {:?}", read.name(), read.input())),
    }
}

/// Many calls: each reads back equal at its cuts, or it is refused and there may be a reason.
fn reads_back_or_is_refused(dialect: Dialect) {
    let config = ProptestConfig::with_cases(4_000);
    let mut runner = TestRunner::new(ProptestConfig { failure_persistence: None, ..config });
    let [plain, hostile, refused] = [(); 3].map(|()| Cell::new(0));
    let one_more = |of: &Cell<usize>| of.set(of.get() + 1);
    let result = runner.run(&cases(), |case| {
        let builder = Parser::builder(dialect).tools(case.tools.clone());
        let parser = builder.options(case.options.clone()).build().expect("well named tools");
        let call = match parser.render_call(&case.name, &case.arguments) {
            Ok(call) => call,
            Err(error) => {
                one_more(&refused);
                prop_assert!(!must_be_carried(&case, dialect), "{error}");
                return Ok(());
            }
        };
        one_more(if case.plain { &plain } else { &hostile });
        let thought = if case.options.start == Start::Reasoning { "</think>" } else { "" };
        let text = thought.to_string() + &call;
        let read = reads_back(&parser, &text, (&case.name, &case.arguments), &case.cuts);
        read.map_err(TestCaseError::fail)
    });
    if let Err(broken) = result {
        panic!("{dialect:?}: {broken}");
    }
    // Both ends were met: refusing everything cannot pass, nor can refusing nothing.
    let met = [plain, hostile, refused].map(Cell::into_inner);
    assert!(met[0] > 500 && met[1] > 300 && met[2] > 10, "{dialect:?}: {met:?}");
}

#[test]
fn every_dialect_reads_back_or_refuses() {
    Dialect::ALL.iter().copied().for_each(reads_back_or_is_refused);
}

/// A check that cannot fail is none: what a broken renderer might write.
#[test]
fn broken_texts_do_not_read_back() {
    let arguments = json!({"path": "a.rs", "mode": 1});
    for &dialect in Dialect::ALL {
        let parser = parser(dialect);
        let call = render(&parser, "write", arguments.clone()).expect("a call");
        let value = call.find("a.rs").expect("the value");
        let read = |text: &str| {
            reads_back(&parser, text, ("write", arguments.as_object().expect("an object")), &[128])
        };
        assert_eq!(read(&call), Ok(()), "{dialect:?}");
        for broken in [
            call.replace("a.rs", "a.rs b"),
            call.replace("a.rs", "a.r"),
            call.replace("write", "list"),
            call.replace("mode", "share"),
            call.replace("path", "pat"),
            call.replace('1', "2"),
            call[..value].to_string(),
            format!("x {call}"),
            format!("{call} x"),
            format!("{call}\n{call}"),
            String::new(),
        ] {
            assert!(read(&broken).is_err(), "{dialect:?} {broken:?}");
        }
    }
}

/// A value of 1 MiB, made of what hurts and of what does not.
#[test]
fn big_values_read_back() {
    let unit: String = HARMLESS.iter().chain(HOSTILE).copied().collect();
    let plain: String = HARMLESS.concat();
    for &dialect in Dialect::ALL {
        let parser = parser(dialect);
        for unit in [&unit, &plain] {
            let value = format!("a{}z", unit.repeat((1 << 20) / unit.len() + 1));
            let arguments = json!({"path": value});
            let arguments = arguments.as_object().expect("an object");
            match parser.render_call("write", arguments) {
                Ok(call) => {
                    let cuts = [0, 1, 100, 128, 255];
                    assert_eq!(reads_back(&parser, &call, ("write", arguments), &cuts), Ok(()));
                }
                Err(_) => assert!(closers(dialect).is_some() && unit != &plain, "{dialect:?}"),
            }
        }
    }
}
