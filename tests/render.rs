//! `render_call`: what it writes reads back as the same call, or it refuses.
#![cfg(feature = "json")]

use std::cell::Cell;
use std::ops::Range;

use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use serde_json::{Map, Value, json};
use toolstream::{
    Block, Builder, CallsInReasoning, Dialect, Fences, Message, Options, Param, Parser,
    RenderError, Start, Tool, Type, ValueWhitespace,
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
        (&qwen, "a\r"),
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

#[test]
fn other_dialects_say_so() {
    let error = render(&parser(Dialect::CLINE), "list", json!({})).unwrap_err();
    assert_eq!(error, RenderError::NoForm { dialect: "cline" });
    assert_eq!(
        error.to_string(),
        "calls of cline cannot be rendered yet: write them yourself, or use one of hermes, \
         qwen3-coder, glm, tool-call"
    );
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
                let mut param = Param::optional(format!("p{at}"));
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
                let key = self.of(&["p0", "p1", "other", " p0", "a b", "\n"]).to_string();
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

/// Whether nothing speaks against a call: it is plain, or all its arguments are declared texts
/// without what might close them.
fn must_be_carried(case: &Case, closers: &[&str]) -> bool {
    let Some(tool) = case.tools.iter().find(|tool| tool.name == case.name) else { return false };
    let is_text = |key: &str| {
        let param = tool.params.iter().find(|param| param.name == key);
        param.is_some_and(|param| param.types.iter().all(|of| *of == Type::String))
    };
    let harmless =
        |text: &str| !text.ends_with('\r') && !closers.iter().any(|closer| text.contains(closer));
    let mut arguments = case.arguments.iter();
    let texts = arguments.all(|(key, value)| is_text(key) && value.as_str().is_some_and(harmless));
    case.plain || texts && (tool.requires_nothing() || !case.arguments.is_empty())
}

/// 10,000 calls: each reads back equal at its cuts, or it is refused and there may be a reason.
fn reads_back_or_is_refused(dialect: Dialect, closers: &[&str]) {
    let config = ProptestConfig::with_cases(10_000);
    let mut runner = TestRunner::new(ProptestConfig { failure_persistence: None, ..config });
    let [plain, hostile, refused] = [(); 3].map(|()| Cell::new(0));
    let one_more = |of: &Cell<usize>| of.set(of.get() + 1);
    let result = runner.run(&cases(), |case| {
        let builder = Parser::builder(dialect).tools(case.tools.clone());
        let parser = builder.options(case.options.clone()).build().expect("well named tools");
        one_more(if case.plain { &plain } else { &hostile });
        let call = match parser.render_call(&case.name, &case.arguments) {
            Ok(call) => call,
            Err(error) => {
                one_more(&refused);
                let differs = matches!(error, RenderError::ReadsBackDifferently { .. });
                prop_assert!(differs && !must_be_carried(&case, closers), "{error}");
                return Ok(());
            }
        };
        let thought = if case.options.start == Start::Reasoning { "</think>" } else { "" };
        let message = stream(&parser, &(thought.to_string() + &call), &case.cuts);
        let [Block::Call(read)] = message.blocks() else {
            return Err(TestCaseError::fail(format!("{call:?} is {:?}", message.blocks())));
        };
        prop_assert_eq!(read.name(), &case.name);
        prop_assert_eq!(read.input(), &case.arguments, "{:?}", call);
        prop_assert_eq!(message.position(), thought.len() + call.len());
        Ok(())
    });
    if let Err(broken) = result {
        panic!("{broken}");
    }
    // Both ends were met: refusing everything cannot pass, nor can refusing nothing.
    let [plain, hostile, refused] = [plain, hostile, refused].map(Cell::into_inner);
    assert!(plain > 1_000 && refused > 10 && refused * 2 < hostile, "{plain} {hostile} {refused}");
}

#[test]
fn hermes_reads_back_or_is_refused() {
    reads_back_or_is_refused(Dialect::HERMES, &[]);
}

#[test]
fn qwen3_coder_reads_back_or_is_refused() {
    let closers = ["</parameter>", "</function>", "</tool_call>", "<parameter="];
    reads_back_or_is_refused(Dialect::QWEN3_CODER, &closers);
}

#[test]
fn glm_reads_back_or_is_refused() {
    reads_back_or_is_refused(Dialect::GLM, &["</arg_value>", "</tool_call>"]);
}
