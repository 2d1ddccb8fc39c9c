//! Response templates, as checkpoints have them: read into dialects, and written from our dialects.

use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::{Map, Value, json};
use toolstream::{
    Block, Dialect, Event, Message, Param, Parser, Tool, render::CallRef, tools::Type,
};

use crate::support::expected;

/// A call of a template whose opener has a group for the name.
fn named() -> Value {
    json!({"type": "function", "function": {"name": "{name}", "arguments": "{content}"}})
}

fn template(fields: Value) -> String {
    json!({"version": 1, "defaults": {"role": "assistant"}, "start_anchor": "<bot>", "fields": fields})
        .to_string()
}

/// The template of SmolLM and Qwen: an object in tags. The rest is text.
fn object_in_tags() -> Value {
    json!({
        "thinking": {"open_pattern": r"<think>\s*", "close": "</think>"},
        "tool_calls": {
            "open": "<tool_call>", "close": "</tool_call>", "repeats": true, "content": "json",
            "transform": {"type": "function", "function": "{content}"}
        },
        "content": {"close_pattern": r"(?:<\|im_end\|>|$)"}
    })
}

/// The template of Command: a list of objects, and every part in tokens of its own.
fn list_in_tokens() -> Value {
    json!({
        "content": {"open": "<|RESPONSE|>", "close": "<|/RESPONSE|>", "content": "text"},
        "thinking": {"open": "<|THINKING|>", "close": "<|/THINKING|>", "content": "text"},
        "tool_calls": {
            "open": "<|ACTION|>", "close": "<|/ACTION|>", "content": "json", "transform_each": true,
            "transform": {"type": "function",
                "function": {"name": "{tool_name}", "arguments": "{parameters}"}}
        }
    })
}

/// The template of gpt-oss: the recipient in a header.
fn header() -> Value {
    json!({
        "thinking": {"open": "<|channel|>analysis<|message|>", "close": "<|end|>"},
        "content": {"open": "<|channel|>final<|message|>", "close": ["<|end|>", "<|return|>"]},
        "tool_calls": {
            "open_pattern": r"<\|channel\|>commentary to=functions\.(?P<name>\w+).*?<\|message\|>",
            "close": "<|call|>", "repeats": true, "content": "json", "transform": named()
        }
    })
}

/// The template of Qwen-Coder: parameters in tags.
fn tags(tag: &str) -> Value {
    json!({
        "reasoning_content": {"open": "<think>", "close": "</think>"},
        "content": {"close": "<|im_end|>"},
        "tool_calls": {
            "open_pattern": r"<tool_call>\s*<function=(?P<name>[\w.\-]+)>",
            "close_pattern": r"\s*</function>\s*</tool_call>", "repeats": true,
            "content": "xml-inline",
            "content_args": {"tag_pattern": tag},
            "transform": named()
        }
    })
}

/// The template of GLM: keys and values side by side.
fn keyed() -> Value {
    json!({
        "content": {"close": "<|user|>"},
        "tool_calls": {
            "open_pattern": r"<tool_call>(?P<name>[^\n<]+)", "close": "</tool_call>", "repeats": true,
            "content": "xml-inline",
            "content_args": {"tag_pattern": r"<arg_key>(?P<key>.*?)</arg_key>\s*<arg_value>(?P<value>.*?)</arg_value>"},
            "transform": named()
        }
    })
}

/// The template of Gemma: literals.
fn literals() -> Value {
    json!({
        "thinking": {"open": "<|channel>thought\n", "close": "<channel|>"},
        "tool_calls": {
            "open_pattern": r"<\|tool_call>call:(?P<name>\w+)", "close": "<tool_call|>", "repeats": true,
            "content": "json",
            "content_args": {"unquoted_keys": true, "string_delims": [["<|\"|>", "<|\"|>"]]},
            "transform": named()
        },
        "content": {"close": ["<turn|>", "<eos>"]}
    })
}

/// The template of Inkling: an author may stand before the kind of a block.
fn author() -> Value {
    let open = |kind: &str| format!(r"(?:<\|model\|>)?<\|{kind}\|>");
    json!({
        "thinking": {"open_pattern": open("thinking"), "close": "<|over|>", "repeats": true, "join": ""},
        "content": {"open_pattern": open("text"), "close": "<|over|>", "repeats": true, "join": ""},
        "tool_calls": {
            "open_pattern": open("tool"), "close": "<|over|>", "repeats": true, "content": "json",
            "transform": {"type": "function",
                "function": {"name": "{content.name}", "arguments": "{content.args}"}}
        }
    })
}

/// A parameter on each line.
fn lines() -> Value {
    json!({
        "content": {"close": "<eot>"},
        "tool_calls": {
            "open_pattern": r"<run (?P<name>\w+)>", "close": "</run>", "content": "kv-lines",
            "content_args": {"kv_sep": "="}, "transform": named()
        }
    })
}

/// Reasoning at the beginning of a message, and no text outside of fields.
fn from_the_start() -> Value {
    json!({
        "thinking": {"open_pattern": r"(?:^|<think>\s*)", "close": "</think>"},
        "content": {"open": "<response>\n", "close_pattern": r"\n?</response>"},
        "tool_calls": {
            "open": "<tool_call>", "close": "</tool_call>", "repeats": true, "content": "json",
            "transform": {"type": "function", "function": "{content}"}
        }
    })
}

fn tools() -> [Tool; 2] {
    let write = Tool::new("write")
        .param(Param::required("path").with(Type::String))
        .param(Param::optional("mode").with(Type::Integer));
    [write, Tool::new("list")]
}

fn parser(dialect: &Dialect) -> Parser {
    Parser::builder(dialect)
        .tools(tools())
        .tool_limit(None)
        .build()
        .expect("a dialect that can be read")
}

fn loaded(fields: Value) -> Parser {
    let spec = Dialect::from_response_template(&template(fields)).expect("a template");
    parser(&spec)
}

/// Text, reasoning and calls, and the names of calls that may not run.
fn parts(message: &Message) -> Value {
    let (mut text, mut reasoning) = (String::new(), String::new());
    let (mut calls, mut incomplete) = (Vec::new(), Vec::new());
    for block in message.blocks() {
        match block {
            Block::Text(part) => text += &part.text,
            Block::Reasoning(part) => reasoning += &part.text,
            Block::Call(call) => calls.push(json!([call.name(), call.input()])),
            Block::Incomplete(call) => incomplete.push(json!(call.name())),
            _ => unreachable!("a block of another kind"),
        }
    }
    json!([text, reasoning, calls, incomplete])
}

/// Reads a text whole, and cut in two at every character.
fn read(parser: &Parser, text: &str) -> Value {
    let whole = parts(&parser.parse(text));
    for cut in (0..=text.len()).filter(|cut| text.is_char_boundary(*cut)) {
        let mut parser = parser.clone();
        let mut message = parser.message();
        let mut take = |event: Event<&str>| message.push(event);
        parser.feed_into(&text[..cut], &mut take);
        parser.feed_into(&text[cut..], &mut take);
        parser.finish_into(&mut take);
        message.close();
        assert_eq!(parts(&message), whole, "cut at {cut}: {text:?}");
    }
    whole
}

#[test]
fn templates_are_read() {
    let write = |path: &str| json!(["write", {"path": path}]);
    let tagged = r"<parameter=(?P<key>[\w.\-]+)>\n?(?P<value>.*?)\n?</parameter>";
    let trimmed = r"<parameter=(?P<key>\w+)>\s*(?P<value>.*?)\s*</parameter>";
    let none = json!([]);
    for (fields, text, expected) in [
        (
            object_in_tags(),
            "<think>\nHm.</think>So: <tool_call>\n{\"name\": \"write\", \"arguments\": {\"path\": \"é</tool_call>\"}}\n\
             </tool_call><tool_call>{\"name\": \"list\", \"arguments\": {}}</tool_call><|im_end|>",
            json!(["So: ", "Hm.", [write("é</tool_call>"), ["list", {}]], none]),
        ),
        // An opener without a call is text. A call in reasoning is reasoning.
        (
            object_in_tags(),
            "<think>{<tool_call>{\"name\": \"list\"}</tool_call></think>Use <tool_call> for it.",
            json!([
                "Use <tool_call> for it.",
                "{<tool_call>{\"name\": \"list\"}</tool_call>",
                [],
                none
            ]),
        ),
        (
            list_in_tokens(),
            "<|THINKING|>I think.<|/THINKING|>lost<|ACTION|>[\n {\"tool_call_id\": \"0\", \"tool_name\": \"write\", \
             \"parameters\": {\"path\": \"]\"}},\n {\"tool_name\": \"list\", \"parameters\": {}}\n]<|/ACTION|>\
             <|RESPONSE|>So: ]<|/RESPONSE|><|END|>",
            json!(["So: ]", "I think.", [write("]"), ["list", {}]], none]),
        ),
        (
            header(),
            "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>commentary to=functions.write \
             <|constrain|>json<|message|>{\"path\": \"a<|call|>\"}<|call|><|start|>assistant<|channel|>final<|message|>So.\
             <|return|>",
            json!(["So.", "Hm.", [write("a<|call|>")], none]),
        ),
        (
            tags(tagged),
            "So: <tool_call>\n<function=write>\n<parameter=path>\n a </parameter> b\n</parameter>\n<parameter=mode>\n\
             7\n</parameter>\n</function>\n</tool_call><|im_end|>",
            json!(["So: ", "", [["write", {"path": " a </parameter> b", "mode": 7}]], none]),
        ),
        (
            tags(trimmed),
            "<tool_call><function=write><parameter=path>\n\n a\n \n</parameter></function></tool_call>",
            json!(["", "", [write("a")], none]),
        ),
        (
            keyed(),
            "<tool_call>write\n<arg_key>path</arg_key>\n<arg_value> a</arg_value>b\n</arg_value>\n\
             <arg_key>mode</arg_key><arg_value>3</arg_value>\n</tool_call><|user|>",
            json!(["", "", [["write", {"path": " a</arg_value>b\n", "mode": 3}]], none]),
        ),
        (
            literals(),
            "<|channel>thought\nHm.<channel|><|tool_call>call:write{path:<|\"|>}<tool_call|>\"<|\"|>,mode:5}<tool_call|><turn|>",
            json!(["", "Hm.", [["write", {"path": "}<tool_call|>\"", "mode": 5}]], none]),
        ),
        (
            author(),
            "<|thinking|>Hm.<|over|><|model|><|text|>So: <|over|><|model|><|tool|>{\"name\": \"list\", \"args\": {}}<|over|>",
            json!(["So: ", "Hm.", [["list", {}]], none]),
        ),
        (
            lines(),
            "So: <run write>\npath = a=b \n\n mode=4\n</run><run list></run><eot>",
            json!(["So: ", "", [["write", {"path": "a=b", "mode": 4}], ["list", {}]], none]),
        ),
        (
            from_the_start(),
            "Hm.</think><response>\nSo.\n</response><tool_call>{\"name\": \"list\", \"arguments\": {}}</tool_call>\n</s>",
            json!(["So.", "Hm.", [["list", {}]], none]),
        ),
        // A call that is cut off does not run.
        (
            tags(tagged),
            "<tool_call><function=write><parameter=path>a",
            json!(["", "", [], ["write"]]),
        ),
    ] {
        let name = fields.to_string();
        assert_eq!(read(&loaded(fields), text), expected, "{name}\n{text}");
    }
}

/// Constructs of regular expressions, in openers of reasoning and of calls.
#[test]
fn expressions_are_read() {
    let think = |open: &str| {
        let mut fields = lines();
        fields["thinking"] = json!({"open_pattern": open, "close": "</think>"});
        fields
    };
    let run = |open: &str| {
        let mut fields = lines();
        fields["tool_calls"]["open_pattern"] = json!(open);
        fields
    };
    let thought = json!(["So.", "Hm.", [], []]);
    let call = json!(["", "", [["list", {}]], []]);
    let parts = "(?:<a>)?(?:<b>)?(?:<c>)?(?:<d>)?(?:<e>)?";
    for (fields, text, expected) in [
        // A character beyond ASCII may be missing.
        (think("<é?think>"), "<éthink>Hm.</think>So.", &thought),
        (think("<é?think>"), "<think>Hm.</think>So.", &thought),
        // The optional parts have as many ways as are allowed.
        (run(&format!(r"<run (?P<name>\w+)>{parts}")), "<run list><a><c><d></run>", &call),
        (run(&format!(r"<run (?P<name>\w+)>{parts}")), "<run list></run>", &call),
        // A hyphen at the end of a class stands for itself.
        (run(r"<run (?P<name>[\w.-]+)>"), "<run list></run>", &call),
    ] {
        let name = fields.to_string();
        assert_eq!(read(&loaded(fields), text), *expected, "{name}\n{text}");
    }
    let hyphen = loaded(run(r"<run (?P<name>[\w.-]+)>"));
    let message = hyphen.parse("<run a-b></run>");
    assert_eq!(message.calls().map(|call| call.name()).collect::<Vec<_>>(), ["a-b"]);
}

/// A template is written, too, and a call that a host writes reads back.
#[test]
fn what_is_read_can_be_written() {
    let tag = r"<parameter=(?P<key>[\w.\-]+)>\n?(?P<value>.*?)\n?</parameter>";
    for fields in [
        object_in_tags(),
        list_in_tokens(),
        header(),
        tags(tag),
        keyed(),
        literals(),
        author(),
        lines(),
    ] {
        let name = fields.to_string();
        let parser = loaded(fields);
        let arguments = json!({"path": "a <b> {c} é", "mode": 7});
        let text = parser.render_call("write", arguments.as_object().unwrap());
        let text = text.unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(read(&parser, &text), json!(["", "", [["write", arguments]], []]), "{text}");
    }
}

#[test]
fn what_cannot_be_read_names_its_field() {
    let changed = |pointer: &str, value: Value| {
        let mut template: Value =
            serde_json::from_str(&template(tags(r"<p=(?P<key>\w+)>(?P<value>.*?)</p>"))).unwrap();
        let (parent, key) = pointer.rsplit_once('/').unwrap();
        template.pointer_mut(parent).unwrap()[key] = value;
        let read = Dialect::from_response_template(&template.to_string());
        read.expect_err(pointer).to_string()
    };
    let calls = "/fields/tool_calls";
    let at = |key: &str| format!("{calls}/{key}");
    let of_each = |transform: Value| json!({"open": "<c>", "close": "</c>", "content": "json", "transform_each": true, "transform": transform});
    for (pointer, value, expected) in [
        ("/version".into(), json!(2), "version: 1 is"),
        ("/feilds".into(), json!(2), "feilds: unknown: use version,"),
        (
            "/fields/citations".into(),
            json!({"open": "<c>"}),
            "fields.citations: no part of a message",
        ),
        (
            "/fields/content".into(),
            json!({"content": "int"}),
            "fields.content.content: text and reasoning",
        ),
        (
            "/fields/content".into(),
            json!({"open": "", "close": "x"}),
            "fields.content.open: must not be empty",
        ),
        (
            "/fields/reasoning_content".into(),
            json!({"close": "x"}),
            "fields.reasoning_content.open: only `content`",
        ),
        (
            "/fields".into(),
            json!({"content": {}, "reasoning_content": {"close": "x"}}),
            "fields.reasoning_content.open: only `content`",
        ),
        (at("opne"), json!("x"), "fields.tool_calls.opne: unknown: use open,"),
        (at("open"), json!("x"), "fields.tool_calls.open: and open_pattern: one of the two"),
        (
            at("open_pattern"),
            json!(r"<f=(?P<name>\w+)(?!x)"),
            "fields.tool_calls.open_pattern: a group `(?!`",
        ),
        (
            at("open_pattern"),
            json!("<f>"),
            "fields.tool_calls.open_pattern: it has no group `name`",
        ),
        (
            at("open_pattern"),
            json!(r"(?P<name>\w+)<f>"),
            "fields.tool_calls.open_pattern: a marker begins with a text",
        ),
        (
            at("close_pattern"),
            json!(r"</f>\w+x"),
            "fields.tool_calls.close_pattern: the end of a run is",
        ),
        (
            at("open_pattern"),
            json!(r"<f=(?P<name>\w+)x>"),
            "fields.tool_calls.open_pattern: the end of a run is",
        ),
        (
            at("open_pattern"),
            json!(r"<f=(?P<name>\w+)>é+"),
            "fields.tool_calls.open_pattern: a repeated `é`",
        ),
        (
            at("open_pattern"),
            json!(format!(r"<f=(?P<name>\w+)>{}", "(?:<x>)?".repeat(6))),
            "fields.tool_calls.open_pattern: more than 32 ways",
        ),
        // In each item of a list, `content` is a member.
        (
            calls.into(),
            of_each(json!({"name": "{name}", "arguments": "{content}"})),
            "fields.tool_calls.transform: an object that is a call has its name under",
        ),
        (
            calls.into(),
            of_each(json!({"type": "function", "kind": "{kind}", "function": "{content}"})),
            "fields.tool_calls.transform.kind: no part",
        ),
        (at("content"), json!("yaml"), "fields.tool_calls.content: `yaml`: a call is `json`"),
        (
            at("transform"),
            json!({"name": "{name}", "arguments": "{content}", "kind": "{k}"}),
            "fields.tool_calls.transform.kind: no part",
        ),
        (
            at("content_args"),
            json!({"tag_pattern": "<p>(?P<value>[^<]+)</p>"}),
            "fields.tool_calls.content_args.tag_pattern: the group `value` is `.*?`",
        ),
        (
            at("content_args"),
            json!({"tag_pattern": "x", "merge_duplicates": true}),
            "fields.tool_calls.content_args.merge_duplicates",
        ),
    ] {
        let error = changed(&pointer, value);
        assert!(error.starts_with(expected), "{pointer}: {error}");
    }
    assert!(Dialect::from_response_template("{").is_err());
}

/// The template of each dialect on a line, or the reason why it has none. `EXPECTED=write` writes the file anew; read the
/// changes, and run `transformers` on them.
#[test]
fn what_is_written() {
    let mut lines = String::new();
    for dialect in Dialect::ALL {
        let line = match dialect.to_response_template("<bot>") {
            Ok(template) => template.to_string(),
            Err(error) => error.to_string(),
        };
        lines += &format!("{dialect}: {line}\n");
    }
    if cfg!(feature = "preserve_order") {
        expected::compare("response_templates.txt", &lines);
    }
    let values = |lines: &str| -> Vec<(String, Value)> {
        let parts = lines.lines().map(|line| line.split_once(": ").expect("a dialect"));
        let value = |text: &str| serde_json::from_str(text).unwrap_or_else(|_| text.into());
        parts.map(|(dialect, text)| (dialect.to_string(), value(text))).collect()
    };
    assert_eq!(values(&lines), values(include_str!("../expected/response_templates.txt")));
}

/// Returns the Python interpreter, if it has `transformers`. `TOOLSTREAM_PYTHON` names another interpreter.
fn python() -> Option<String> {
    let python = std::env::var("TOOLSTREAM_PYTHON").unwrap_or_else(|_| "python3".into());
    let import = ["-c", "import transformers.utils.chat_parsing"];
    let found = Command::new(&python).args(import).stderr(Stdio::null()).status();
    found.is_ok_and(|status| status.success()).then_some(python)
}

/// The dialects that no template can express, each with its error.
const BEYOND: &[(&str, &str)] = &[
    ("cline", "tag_names: a call known by a declared name alone cannot be expressed"),
    ("react", "keywords: lines and their keywords cannot be expressed"),
    ("harmony", "entry: messages that begin in a header cannot be expressed"),
    ("minimax-m3", "nests: values of elements cannot be expressed"),
    ("llama3-json", "template.call.open: calls without a marker of their own cannot be expressed"),
    ("pythonic", "template.call.arguments: Python's literals cannot be expressed"),
    ("lfm2", "template.call.arguments: Python's literals cannot be expressed"),
    ("olmo3", "template.call.arguments: Python's literals cannot be expressed"),
    ("cohere-cofl", "nests: values of elements cannot be expressed"),
    ("kimi-k3", "entry: messages whose parts have openers cannot be expressed"),
    ("functionary", "entry: messages that begin in a header cannot be expressed"),
    ("code-assistant-caret", "keywords: lines and their keywords cannot be expressed"),
    ("muse", "entry: messages whose parts have openers cannot be expressed"),
    ("beam", "entry: messages that begin in a header cannot be expressed"),
    ("bare-json", "template.call.open: calls without a marker of their own cannot be expressed"),
];

/// Texts as each dialect writes them: prose, reasoning, calls, and values that hold markers.
fn texts(parser: &Parser) -> Vec<String> {
    let write = |arguments: Value| {
        let call = parser.render_call("write", arguments.as_object().unwrap());
        call.unwrap_or_else(|error| panic!("{error}"))
    };
    let plain = write(json!({"path": "src/a <b> é.rs", "mode": 7}));
    let lines = write(json!({"path": "fn main() {\n    \"x\";\n}"}));
    let [first, last] = [json!({"path": "a"}), json!({"path": "b", "mode": 1})];
    let [first, last] = [&first, &last].map(|arguments| arguments.as_object().unwrap());
    let calls = [("list", &Map::new()), ("write", first), ("write", last)];
    let calls = calls.map(|(name, arguments)| CallRef::new(name, arguments));
    let calls = parser.render_calls(&calls).unwrap_or_else(|error| panic!("{error}"));
    let marker = write(json!({"path": "</parameter> </param> </arg_value> }"}));
    vec![
        "Only text.".into(),
        format!("So:\n{plain}"),
        format!("{lines}\n{plain}"),
        format!("So: {marker}"),
        write(json!({"path": ""})),
        format!("So: {calls}"),
    ]
}

/// Reasoning of dialects whose opener is more than a text.
const THOUGHTS: &[(&str, &str)] = &[
    ("kimi-k3", "<|open|>think<|sep|>Hm, {1}.<|close|>think<|sep|><|open|>response<|sep|>So: "),
    ("muse", "<|start|>assistant to=self<|message|>Hm, {1}.<|eom|>"),
];

/// Reasoning of a template, as a model writes it before a text.
fn thought(dialect: &Dialect, thinking: &Value) -> Option<String> {
    let [open, close] = ["open", "close"].map(|key| thinking[key][0].as_str());
    let own = THOUGHTS.iter().find(|(name, _)| *name == dialect.name());
    match (open, close) {
        (Some(open), Some(close)) => Some(format!("{open}Hm, {{1}}.{close}So: ")),
        _ if thinking.is_null() => None,
        _ => Some(own.unwrap_or_else(|| panic!("no thought of {dialect}")).1.to_string()),
    }
}

/// A hole that was taken for a text, `\{name\}`. No model writes it.
fn hole_in(template: &Value) -> Option<String> {
    let text = template.to_string();
    let holes = text.split(r"\\{").skip(1).filter_map(|rest| rest.split_once(r"\\}"));
    let name = |name: &str| name.chars().all(|c| c.is_ascii_lowercase() || c == '_');
    holes.map(|(hole, _)| hole).find(|hole| !hole.is_empty() && name(hole)).map(Into::into)
}

/// `transformers` and our parser read the calls of each dialect alike.
#[test]
fn transformers_reads_our_dialects() {
    let mut beyond = Vec::new();
    let (mut cases, mut ours) = (Vec::new(), Vec::new());
    for dialect in Dialect::ALL {
        let template = match dialect.to_response_template("<bot>") {
            Ok(template) => template,
            Err(error) => {
                beyond.push((dialect.name(), error.to_string()));
                continue;
            }
        };
        assert_eq!(hole_in(&template), None, "{dialect}: a hole in {template}");
        let parser = parser(dialect);
        let think = thought(dialect, &template["fields"]["thinking"]);
        let mut texts = texts(&parser);
        // Of two lists of calls, a template keeps the last. A message has only one.
        if template["fields"]["tool_calls"]["transform_each"] == true {
            texts.remove(2);
        }
        texts.extend(think.map(|think| think + &texts[1][4..]));
        for text in texts {
            let message = parser.parse(&text);
            let expected = parts(&message);
            assert_eq!(expected[3], json!([]), "{}: {text}", dialect.name());
            ours.push((dialect.name(), text.clone(), expected));
            cases.push(json!({"template": template, "text": text, "tools": schemas()}));
        }
    }
    let said = |(name, error): &(&str, String)| format!("{name}: {error}");
    let beyond: Vec<String> = beyond.iter().map(said).collect();
    let expected: Vec<String> =
        BEYOND.iter().map(|(name, error)| format!("{name}: {error}")).collect();
    assert_eq!(beyond, expected);
    let Some(python) = python() else {
        eprintln!("no Python with `transformers` here: what it reads is left out");
        return;
    };
    let mut failed = Vec::new();
    for ((name, text, ours), theirs) in ours.iter().zip(run(&python, &cases)) {
        for theirs in theirs.as_array().expect("two readings") {
            let same = theirs[2] == ours[2]
                && [0, 1].iter().all(|at| {
                    let trimmed =
                        |value: &Value| value.as_str().map(|text| text.trim().to_string());
                    trimmed(&theirs[*at]) == trimmed(&ours[*at])
                });
            if !same {
                failed.push(format!("{name}: {text:?}\n  ours:   {ours}\n  theirs: {theirs}"));
            }
        }
    }
    eprintln!("{} texts of {} dialects", ours.len(), Dialect::ALL.len() - beyond.len());
    assert!(failed.is_empty(), "{} of {}\n{}", failed.len(), 2 * ours.len(), failed.join("\n"));
}

fn schemas() -> Value {
    let tool = |name: &str, properties: Value| {
        let parameters = json!({"type": "object", "properties": properties});
        json!({"type": "function", "function": {"name": name, "parameters": parameters}})
    };
    let write = json!({"path": {"type": "string"}, "mode": {"type": "integer"}});
    json!([tool("write", write), tool("list", json!({}))])
}

fn run(python: &str, cases: &[Value]) -> Vec<Value> {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/response_template.py");
    let mut child = Command::new(python)
        .arg(script)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("Python");
    let mut stdin = child.stdin.take().expect("stdin");
    stdin.write_all(json!(cases).to_string().as_bytes()).expect("the cases are read");
    drop(stdin);
    let output = child.wait_with_output().expect("Python");
    assert!(output.status.success(), "{script} failed");
    serde_json::from_slice(&output.stdout).expect("JSON")
}
