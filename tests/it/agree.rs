//! The adapters and `Message` agree on every call, however it is cut: on ReAct's inputs, and on arguments that are JSON in
//! the wire.

use crate::support::delta_writer::DeltaWriter;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Map, Value, json};
use toolstream::adapt::{JsonToParams, ParamsToJson};
use toolstream::repair::{self, Repairs};
use toolstream::{
    Block, Dialect, Ending, Event, Message, Parser, Sink, Status, Tool, ToolUse, options::Options,
    tools::TypeHint,
};

/// The parser for these tools, without a limit.
fn parser(dialect: Dialect, tools: &Value, options: &Value) -> Parser {
    let tools = tools.as_array().expect("a list").iter().map(|tool| Tool::from_json(tool).unwrap());
    let options = Options::from_json(options).unwrap();
    Parser::builder(dialect).tools(tools).options(options).tool_limit(None).build().unwrap()
}

/// A call of the events: its arguments, or the parameters in their place.
#[derive(Clone, Debug, Default, PartialEq)]
struct Told {
    arguments: String,
    params: Vec<(String, Option<TypeHint>, String, bool)>,
    complete: bool,
}

#[derive(Clone, Debug, Default)]
struct Record(Vec<Told>);

impl Sink for Record {
    fn event(&mut self, event: Event<&str>) {
        let Event::ToolUse(tool) = event else { return };
        if let ToolUse::Start { .. } = tool {
            return self.0.push(Told::default());
        }
        let call = self.0.last_mut().expect("a call is open");
        match tool {
            ToolUse::ParamStart { name, hint } => {
                call.params.push((name.to_string(), hint, String::new(), false));
            }
            ToolUse::ParamDelta(text) => call.params.last_mut().unwrap().2.push_str(text),
            ToolUse::ParamEnd { closed } => call.params.last_mut().unwrap().3 = closed,
            ToolUse::ArgumentsDelta(text) => call.arguments.push_str(text),
            ToolUse::End { status, .. } => call.complete = status == Status::Complete,
            _ => {}
        }
    }
}

/// Feeds the text in chunks of `size` bytes.
fn stream<S: Sink>(parser: &Parser, text: &str, size: usize, mut sink: S) -> S {
    let mut parser = parser.clone();
    let mut from = 0;
    for to in (1..=text.len()).filter(|to| text.is_char_boundary(*to)) {
        if to - from >= size || to == text.len() {
            parser.feed_into(&text[from..to], &mut sink);
            from = to;
        }
    }
    parser.finish_into(&mut sink);
    sink
}

/// Arguments of each call, and the finish reason, as an OpenAI client joins them.
fn client(parser: &Parser, text: &str, size: usize) -> (Vec<String>, &'static str) {
    let mut writer = stream(parser, text, size, DeltaWriter::new(parser));
    let mut calls: Vec<String> = Vec::new();
    for mut delta in writer.deltas() {
        let Value::Array(list) = delta["tool_calls"].take() else { continue };
        for call in list {
            calls.resize(
                calls.len().max(call["index"].as_u64().unwrap() as usize + 1),
                String::new(),
            );
            calls.last_mut().unwrap().push_str(call["function"]["arguments"].as_str().unwrap());
        }
    }
    (calls, writer.finish_reason())
}

/// Whether a client can read the arguments of all calls. In any case it must answer them.
fn reads(parser: &Parser, text: &str, size: usize) -> bool {
    let (calls, reason) = client(parser, text, size);
    assert_eq!(reason, "tool_calls", "{text}");
    calls.iter().all(|call| serde_json::from_str::<Map<String, Value>>(call).is_ok())
}

/// The parameters as an object.
fn object(call: &Told) -> Map<String, Value> {
    let value = |hint: &Option<TypeHint>, text: &str| match hint {
        Some(TypeHint::String) => text.into(),
        _ => {
            repair::arguments(&format!("{{\"v\":{text}\n}}"), Repairs::Default).unwrap().object["v"]
                .clone()
        }
    };
    call.params.iter().map(|(name, hint, text, _)| (name.clone(), value(hint, text))).collect()
}

/// Compares each adapter with the message, in chunks of every size.
fn agree(parser: &Parser, text: &str) -> Message {
    let message = parser.parse(text);
    let calls: Vec<&Block> = message
        .blocks()
        .iter()
        .filter(|block| matches!(block, Block::Call(_) | Block::Incomplete(_)))
        .collect();
    let inputs: Vec<Option<Value>> = calls
        .iter()
        .map(|block| match block {
            Block::Call(call) => Some(Value::Object(call.input().clone())),
            _ => None,
        })
        .collect();
    for size in 1..=text.len() {
        let what = format!("{text:?} in chunks of {size}");
        let json = stream(parser, text, size, ParamsToJson::new(parser, Record::default()));
        let (arguments, reason) = client(parser, text, size);
        let json = json.into_sink().0;
        assert_eq!((json.len(), arguments.len()), (calls.len(), calls.len()), "{what}");
        for ((told, sent), input) in json.iter().zip(&arguments).zip(&inputs) {
            assert!(told.params.is_empty(), "{what}");
            // Arguments that are JSON in the wire are the model's own text, even if they need a repair. A client gets JSON.
            let read = repair::arguments(&told.arguments, Repairs::Default).map(|read| read.object);
            assert_eq!(&serde_json::from_str(sent).ok(), input, "{what}: {sent}");
            match input {
                Some(input) => {
                    assert!(told.complete, "{what}: {sent}");
                    assert_eq!(
                        read.ok().map(Value::Object).as_ref(),
                        Some(input),
                        "{what}: {sent}"
                    );
                }
                None => assert!(!told.complete || read.is_err(), "{what}: {sent}"),
            }
        }
        let expected = match (message.ended() == Ending::Truncated, inputs.is_empty()) {
            (true, _) => "length",
            (false, false) => "tool_calls",
            (false, true) => "stop",
        };
        assert_eq!(reason, expected, "{what}");
        screens_agree(parser, text, size, &inputs, &what);
    }
    message
}

/// A screen after [`JsonToParams`], with and without [`ParamsToJson`] before it.
fn screens_agree(parser: &Parser, text: &str, size: usize, inputs: &[Option<Value>], what: &str) {
    let direct = stream(parser, text, size, JsonToParams::new(Record::default())).into_sink().0;
    let through = JsonToParams::new(Record::default());
    let through = stream(parser, text, size, ParamsToJson::new(parser, through));
    let through = through.into_sink().into_sink().0;
    for ((direct, through), input) in direct.iter().zip(&through).zip(inputs) {
        let Some(input) = input else {
            assert!(!through.complete, "{what}: {through:?}");
            continue;
        };
        assert!(through.complete, "{what}: {through:?}");
        assert_eq!(&Value::Object(object(through)), input, "{what}");
        if direct.params.iter().all(|(_, hint, ..)| hint.is_some()) && direct.complete {
            assert_eq!(&Value::Object(object(direct)), input, "{what}");
        }
    }
    let mut after = parser.message();
    let screen = JsonToParams::new(|event: Event<&str>| after.push(event));
    drop(stream(parser, text, size, screen));
    let mut after = after.calls().map(|call| Value::Object(call.input().clone()));
    for (_, input) in direct.iter().zip(inputs).filter(|(direct, _)| direct.complete) {
        assert_eq!(&after.next(), input, "{what}");
    }
    let back = ParamsToJson::new(parser, Record::default());
    let back = stream(parser, text, size, JsonToParams::new(back)).into_sink().into_sink().0;
    for (told, input) in back.iter().zip(inputs) {
        match input {
            Some(input) if told.complete => {
                let read: Value = serde_json::from_str(&told.arguments).unwrap();
                assert_eq!(&read, input, "{what}");
            }
            Some(_) => {}
            None => assert!(!told.complete, "{what}: {}", told.arguments),
        }
    }
}

fn tools() -> Value {
    json!([
        {"name": "read", "parameters": {
            "type": "object", "required": ["path"],
            "properties": {"path": {"type": "string"}, "line": {"type": "integer"}},
        }},
        {"name": "wait", "parameters": {
            "type": "object", "required": ["seconds"],
            "properties": {"seconds": {"type": ["number", "boolean"]}},
        }},
        {"name": "list", "parameters": {"type": "object", "properties": {}}},
        {"name": "move", "parameters": {
            "type": "object", "required": ["from", "to"],
            "properties": {"from": {"type": "string"}, "to": {"type": "string"}},
        }},
        {"name": "find", "parameters": {
            "type": "object",
            "properties": {"where": {"type": "string"}, "what": {"type": "string"}},
        }},
        {"name": "put", "parameters": {
            "type": "object", "required": ["list"],
            "properties": {"list": {"type": "array", "items": {"type": "integer"}}},
        }},
    ])
}

const CALL: Ending = Ending::ToolUse;
const REFUSED: Ending = Ending::Stop;
const CUT: Ending = Ending::Truncated;

#[test]
fn react() {
    let parser = parser(Dialect::REACT, &tools(), &json!({}));
    for (text, inputs, finish) in [
        // A JSON input.
        (
            "Thought: so\nAction: read\nAction Input: {\"path\": \"a.rs\", \"line\": 3}\n",
            vec![json!({"path": "a.rs", "line": 3})],
            CALL,
        ),
        (
            "Action: read\nAction Input: ```json\n{\"path\": \"}\\n\"}\n```\nObservation: no",
            vec![json!({"path": "}\n"})],
            CALL,
        ),
        ("Action: read\nAction Input: {'path': `é`,}", vec![json!({"path": "é"})], CALL),
        ("Action: read({\"path\": \"a\"})", vec![json!({"path": "a"})], CALL),
        ("Action: read\nAction Input: {\"path\": oops}", vec![], REFUSED),
        ("Action: read\nAction Input: {\"path\": [1 2]}", vec![], REFUSED),
        ("Action: read\nAction Input: {\"path\": \"a", vec![], CUT),
        // Plain text.
        ("Action: read\nAction Input: src/a b.rs \n", vec![json!({"path": "src/a b.rs"})], CALL),
        ("Action: read\nAction Input: \"a \\\"b\\\"\"", vec![json!({"path": "a \"b\""})], CALL),
        ("Action: read\nAction Input: [1]", vec![json!({"path": "[1]"})], CALL),
        ("Action: wait\nAction Input: 2.5\nObservation:", vec![json!({"seconds": 2.5})], CALL),
        ("Action: wait\nAction Input: True", vec![json!({"seconds": true})], CALL),
        ("Action: wait\nAction Input: a bit", vec![json!({"seconds": "a bit"})], CALL),
        ("Action: put\nAction Input: [1, 2]", vec![json!({"list": [1, 2]})], CALL),
        ("Action: put\nAction Input: [1, 2,]", vec![json!({"list": "[1, 2,]"})], CALL),
        ("Action: wait\nAction Input: \"{\\\"seconds\\\": 1}\"", vec![json!({"seconds": 1})], CALL),
        ("Action: move\nAction Input: a to b", vec![], REFUSED),
        ("Action: move\nAction Input:\n\n", vec![], CUT),
        ("Action: move\nAction Input:\nObservation: moved", vec![], REFUSED),
        ("Action: find\nAction Input: None", vec![json!({})], CALL),
        ("Action: find\nAction Input: something", vec![], REFUSED),
        ("Action: list\nAction Input: all", vec![json!({})], CALL),
        ("Action: list\n", vec![json!({})], CALL),
        ("Action: other\nAction Input: any thing", vec![json!({"input": "any thing"})], CALL),
        // The notation of the paper.
        ("Action: read[src/a.rs]\n", vec![json!({"path": "src/a.rs"})], CALL),
        ("Action: wait[3]", vec![json!({"seconds": 3})], CALL),
        ("Action: read[a] and b]", vec![json!({"path": "a] and b"})], CALL),
        ("Action: read[src", vec![], CUT),
        ("Action: find[]\n", vec![json!({})], CALL),
        // Several calls in a row.
        (
            "Action: wait[3]\nAction: read\nAction Input: {\"path\": \"a\"}\nAction: read\nAction Input: b",
            vec![json!({"seconds": 3}), json!({"path": "a"}), json!({"path": "b"})],
            CALL,
        ),
    ] {
        let message = agree(&parser, text);
        let read: Vec<_> =
            message.calls().map(|call| Value::Object(call.input().clone())).collect();
        assert_eq!((read, message.ended()), (inputs, finish), "{text}");
    }
}

#[test]
fn react_with_demands() {
    let inside = "\"{\\\"line\\\": 1}\"";
    for (options, input, expected) in [
        (json!({"required": "strict"}), "{\"path\": \"a\"}", Some(json!({"path": "a"}))),
        (json!({"required": "strict"}), "{\"line\": 1}", None),
        (json!({"required": "strict"}), "a", Some(json!({"path": "a"}))),
        (json!({"required": "strict"}), inside, None),
        (json!({"required": "report"}), inside, Some(json!({"line": 1}))),
        (json!({"repairs": "none"}), inside, Some(json!({"path": "{\"line\": 1}"}))),
        (json!({"repairs": "none"}), "{'path': 'a'}", None),
    ] {
        let parser = parser(Dialect::REACT, &tools(), &options);
        let text = format!("Action: read\nAction Input: {input}");
        let message = parser.parse(&text);
        let read = message.calls().next().map(|call| Value::Object(call.input().clone()));
        assert_eq!(read, expected, "{options} {text}");
        for size in 1..=text.len() {
            assert_eq!(reads(&parser, &text, size), expected.is_some(), "{options} {text}");
        }
    }
}

/// A call of `name` with these arguments, as `hermes` writes it.
fn hermes(name: &str, arguments: &str) -> String {
    format!("<tool_call>{{\"name\": \"{name}\", \"arguments\": {arguments}}}</tool_call>")
}

#[test]
fn json_arguments() {
    let parser = parser(Dialect::HERMES, &tools(), &json!({}));
    for (name, arguments, input) in [
        ("read", "{\"path\": \"a\"}", Some(json!({"path": "a"}))),
        ("read", "{'path': \"1\", line: True,}", Some(json!({"path": "1", "line": true}))),
        ("read", "{\"path\": oops}", None),
        ("read", "{\"path\": [oops]}", None),
        ("read", "{\"path\": {\"a\": [1 2]}}", None),
        ("read", "[1]", None),
        ("read", "\"a\"", None),
        ("read", "7", None),
        ("read", "null", None),
        ("list", "null", Some(json!({}))),
        ("list", "{}", Some(json!({}))),
    ] {
        let text = hermes(name, arguments);
        let message = parser.parse(&text);
        let read = message.calls().next().map(|call| Value::Object(call.input().clone()));
        assert_eq!(read, input, "{text}");
        for size in 1..=text.len() {
            let expected = input.is_some();
            assert_eq!(reads(&parser, &text, size), expected, "{text} in chunks of {size}");
        }
        // `null` means no arguments. The reader of the call judges that.
        if arguments != "null" {
            agree(&parser, &text);
        }
    }
    // Arguments inside a JSON string are read by `Message`, and leave as the model wrote them.
    let text = hermes("read", "\"{\\\"path\\\": 1}\"");
    assert_eq!(parser.parse(&text).ended(), CALL);
    assert_eq!(client(&parser, &text, 7).1, "tool_calls");
    // No arguments at all.
    let none = "<tool_call>{\"name\": \"NAME\"}</tool_call>";
    for (name, finish, runs) in [("read", REFUSED, false), ("list", CALL, true)] {
        let message = agree(&parser, &none.replace("NAME", name));
        assert_eq!(message.ended(), finish);
        assert_eq!(reads(&parser, &none.replace("NAME", name), 5), runs);
    }
}

#[test]
fn one_broken_call_is_enough() {
    let parser = parser(Dialect::HERMES, &tools(), &json!({}));
    let (good, bad) = (hermes("read", "{\"path\": \"a\"}"), hermes("read", "{\"path\": oops}"));
    for text in [format!("{good}{bad}"), format!("{bad}{good}")] {
        assert_eq!(agree(&parser, &text).calls().count(), 1);
        assert!(!reads(&parser, &text, 9), "{text}");
    }
    assert!(reads(&parser, &format!("{good}{good}"), 9));
}

#[test]
fn what_a_parser_refuses_a_client_does_not_run() {
    for (options, arguments, complete) in [
        (json!({"repairs": "none"}), "{'path': 1}", false),
        (json!({"repairs": "none"}), "{\"path\": 1}", true),
        (json!({"required": "strict"}), "{\"line\": 1}", false),
        (json!({"required": "report"}), "{\"line\": 1}", true),
    ] {
        let parser = parser(Dialect::HERMES, &tools(), &options);
        let text = hermes("read", arguments);
        assert_eq!(reads(&parser, &text, 4), complete, "{options} {text}");
        assert_eq!(parser.parse(&text).calls().count() == 1, complete, "{options} {text}");
    }
    // A writer without a parser agrees, too.
    for (arguments, runs) in [("{\"a\": oops}", false), ("{'a': 1}", true)] {
        let mut writer = DeltaWriter::untyped();
        let start = ToolUse::Start { index: 0, name: "f", id: None, at: 0, dialect: 0 };
        let end = ToolUse::End { status: Status::Complete, at: 0 };
        for tool in [start, ToolUse::ArgumentsDelta(arguments), end] {
            writer.push(Event::ToolUse(tool)).for_each(drop);
        }
        assert_eq!(writer.finish_reason(), "tool_calls", "{arguments}");
        assert_eq!(writer.broken().is_empty(), runs, "{arguments}");
    }
}

#[test]
fn as_deep_as_a_message_reads() {
    for (levels, reads) in [(128, true), (129, false)] {
        let value = "[".repeat(levels - 1) + &"]".repeat(levels - 1);
        let arguments = format!("{{\"a\":{value}}}");
        assert_eq!(repair::arguments(&arguments, Repairs::Default).is_ok(), reads);
        assert_eq!(through(&arguments, 7).complete, reads, "{levels} levels");
    }
}

#[test]
fn numbers_have_a_bound() {
    for (digits, reads) in [(300, true), (309, true), (310, false)] {
        let arguments = format!("{{\"a\":{}}}", "1".repeat(digits));
        assert_eq!(repair::arguments(&arguments, Repairs::Default).is_ok(), reads);
        assert_eq!(through(&arguments, 100).complete, reads, "{digits} digits");
    }
    for (digits, reads) in [(2046, true), (2047, false)] {
        let text = format!("{{\"a\":0.{}}}", "1".repeat(digits));
        for size in [1, 1000, text.len()] {
            let told = through(&text, size);
            assert_eq!((told.complete, told.params[0].2.len()), (reads, 2048));
            assert_eq!(told.params[0].3, reads);
        }
    }
}

/// A call with these arguments, in chunks of `size` characters, after [`JsonToParams`].
fn through(arguments: &str, size: usize) -> Told {
    let mut adapter = JsonToParams::new(Record::default());
    let start = ToolUse::Start { index: 0, name: "f", id: None, at: 0, dialect: 0 };
    adapter.push(Event::ToolUse(start));
    let mut chars: Vec<char> = arguments.chars().collect();
    while !chars.is_empty() {
        let piece: String = chars.drain(..size.min(chars.len())).collect();
        adapter.push(Event::ToolUse(ToolUse::ArgumentsDelta(piece)));
    }
    adapter.push(Event::ToolUse(ToolUse::<&str>::End { status: Status::Complete, at: 0 }));
    adapter.into_sink().0.remove(0)
}

const TOKENS: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    " ",
    "\n",
    "\"a\"",
    "'b'",
    "`c`",
    "\"\"\"d\"\"\"",
    "\"",
    "'",
    "key",
    "$k-1",
    "1",
    "-",
    "0",
    ".5",
    "e3",
    "1.5",
    "true",
    "True",
    "None",
    "null",
    "nul",
    "oops",
    "//",
    "/*",
    "*/",
    "/",
    "\\",
    "\\\"",
    "é",
    "\u{a0}",
    "\"k\":",
    ",1",
    "[1",
    "]}",
    "{\"n\":",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    /// From any text that resembles JSON, exactly the values that a repair reads come through.
    #[test]
    fn what_comes_through_is_what_a_repair_reads(
        tokens in vec(select(TOKENS), 0..12),
        frame in any::<bool>(),
    ) {
        let mut text = tokens.concat();
        if frame {
            text = format!("{{\"a\": {text}}}");
        }
        let told = through(&text, usize::MAX);
        prop_assert_eq!(&through(&text, 1), &told, "{}", text);
        let nothing = text.trim_matches([' ', '\n']);
        match repair::arguments(&text, Repairs::Default) {
            // An object in a string is not searched for.
            Ok(read) if nothing.starts_with('"') => drop(read),
            Ok(read) => {
                prop_assert!(told.complete, "{}", text);
                prop_assert_eq!(object(&told), read.object, "{}", text);
            }
            Err(_) => prop_assert_eq!(told.complete, matches!(nothing, "" | "null"), "{}", text),
        }
    }
}
