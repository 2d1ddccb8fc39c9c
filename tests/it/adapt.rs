//! Adapters: the events that they write. No cut changes them.

use crate::support::delta_writer::{DeltaWriter, choice};
use async_openai::types::chat as openai_types;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::{Map, Value, json};
use toolstream::adapt::{JsonToParams, ParamsToJson};
use toolstream::check::{Ended, every_cut, join};
use toolstream::repair::{self, ArgumentsErrorKind, Repair, Repairs};
use toolstream::{
    Block, Dialect, Event, Parser, Sink, Status, Tool, ToolUse,
    diagnostic::{Cause, Diagnostic, DiagnosticKind, Marker},
    options::{Options, Required},
    tools::TypeHint,
};

use crate::support::gateway;
use crate::support::soup::Cuts;

type Events = Vec<Event<String>>;

// Helpers of the tests.

/// `text` in pieces, each cut moved back to the start of its character.
fn pieces<'t>(text: &'t str, cuts: &Cuts) -> Vec<&'t str> {
    let mut ends: Vec<usize> = cuts.iter().copied().filter(|at| *at < text.len()).collect();
    ends.iter_mut().for_each(|at| {
        while !text.is_char_boundary(*at) {
            *at -= 1;
        }
    });
    ends.push(text.len());
    let mut from = 0;
    let piece = |to| {
        let piece = &text[from..to];
        from = to;
        piece
    };
    ends.into_iter().map(piece).filter(|piece| !piece.is_empty()).collect()
}

/// A sink that keeps all its events.
#[derive(Clone, Debug, Default)]
struct Record(Events);

impl Sink for Record {
    fn event(&mut self, event: Event<&str>) {
        self.0.push(event.map(String::from));
    }
}

/// Events behind [`ParamsToJson`], unjoined.
fn to_json(parser: &Parser, text: &str, cuts: &Cuts, hold: usize) -> Events {
    let mut parser = parser.clone();
    let mut adapter = ParamsToJson::new(&parser, Record::default()).hold(hold);
    for piece in pieces(text, cuts) {
        parser.feed_into(piece, &mut adapter);
        assert!(adapter.held() <= hold.saturating_add(5), "{} bytes are held", adapter.held());
    }
    parser.finish_into(&mut adapter);
    adapter.into_sink().0
}

/// Events of one call with these arguments.
fn call(arguments: &str, cuts: &Cuts, status: Status) -> Events {
    let start = ToolUse::Start { index: 0, name: "f".to_string(), id: None, at: 0, dialect: 0 };
    let piece = |piece: &str| Event::ToolUse(ToolUse::ArgumentsDelta(piece.to_string()));
    let mut events = vec![Event::ToolUse(start)];
    events.extend(pieces(arguments, cuts).into_iter().map(piece));
    events.push(Event::ToolUse(ToolUse::End { status, at: 0 }));
    events
}

/// Events behind [`JsonToParams`], joined.
fn to_params(events: &Events) -> Events {
    let mut adapter = JsonToParams::new(Record::default());
    events.iter().for_each(|event| adapter.push(event.as_str()));
    let out = adapter.into_sink().0;
    assert!(out.iter().all(|event| event.slice().is_none_or(|slice| !slice.is_empty())));
    join(out)
}

/// A call of the events.
#[derive(Clone, Debug, Default, PartialEq)]
struct Told {
    name: String,
    arguments: String,
    params: Vec<Param>,
    status: Option<Status>,
}

#[derive(Clone, Debug, PartialEq)]
struct Param {
    name: String,
    hint: Option<TypeHint>,
    value: String,
    closed: Option<bool>,
}

/// The calls of the events. Panics if the law of shape is broken.
fn told(events: &Events) -> Vec<Told> {
    let mut calls: Vec<Told> = Vec::new();
    for event in events {
        let Event::ToolUse(tool) = event else { continue };
        if let ToolUse::Start { name, .. } = tool {
            assert!(calls.last().is_none_or(|call| call.status.is_some()));
            calls.push(Told { name: name.clone(), ..Told::default() });
            continue;
        }
        let call = calls.last_mut().expect("a call is open");
        assert!(call.status.is_none(), "the call is open");
        let open = call.params.last_mut().filter(|param| param.closed.is_none());
        match (tool, open) {
            (ToolUse::ParamStart { name, hint }, None) => {
                let (name, value) = (name.clone(), String::new());
                call.params.push(Param { name, hint: *hint, value, closed: None });
            }
            (ToolUse::ParamDelta(piece), Some(open)) => open.value.push_str(piece),
            (ToolUse::ParamEnd { closed }, Some(open)) => open.closed = Some(*closed),
            (ToolUse::ArgumentsDelta(piece), None) => call.arguments.push_str(piece),
            (ToolUse::End { status, .. }, None) => call.status = Some(*status),
            (ToolUse::Id(_), _) => {}
            _ => panic!("{tool:?} is out of place in {events:?}"),
        }
    }
    assert!(calls.last().is_none_or(|call| call.status.is_some()), "a call is left open");
    calls
}

fn kinds(events: &Events) -> Vec<DiagnosticKind> {
    let kind = |event: &Event<String>| match event {
        Event::Diagnostic(found) => Some(found.kind),
        _ => None,
    };
    events.iter().filter_map(kind).collect()
}

/// Whether only the end of an object is missing, or the end of a string and of its object.
fn is_prefix(json: &str) -> bool {
    let ends = ["", "}", "\"}"];
    let read = |end| serde_json::from_str::<Map<String, Value>>(&format!("{json}{end}")).is_ok();
    json.is_empty() || ends.iter().skip(1).any(read)
}

fn tool(name: &str, properties: Value) -> Tool {
    let schema = json!({"type": "object", "properties": properties});
    Tool::from_json(&json!({"name": name, "parameters": schema})).expect("a good schema")
}

fn parser(dialect: impl Into<Dialect>, tools: &[Tool]) -> Parser {
    let builder = Parser::builder(dialect).tools(tools.iter().cloned()).tool_limit(None);
    builder.build().expect("well named tools")
}

// From parameters to JSON.

fn decoding(entities: bool) -> Options {
    let mut options = Options::default();
    options.decode_entities = entities;
    options
}

fn edit() -> Tool {
    tool(
        "edit",
        json!({
            "text": {"type": "string"},
            "count": {"type": "integer"},
            "ratio": {"type": "number"},
            "deep": {"type": "boolean"},
            "items": {"type": "array"},
            "paths": {"type": "array", "items": {"type": "string"}},
            "sizes": {"type": "array", "items": {"type": ["integer", "null"]}},
            "content": {"type": "string"},
            "maybe": {"type": ["string", "null"]},
        }),
    )
}

/// `value` as a parameter in each dialect's way.
fn param(dialect: &Dialect, name: &str, value: &str) -> String {
    match dialect.name() {
        "cline" => format!("<{name}>{value}</{name}>"),
        "code-assistant" => format!("<param:{name}>{value}</param:{name}>"),
        "qwen3-coder" => format!("<parameter={name}>{value}</parameter>"),
        "glm" => format!("<arg_key>{name}</arg_key>\n<arg_value>{value}</arg_value>"),
        _ => format!("<parameter name=\"{name}\">{value}</parameter>"),
    }
}

fn wire(dialect: &Dialect, tool: &str, params: &[(&str, &str)]) -> String {
    let params: String =
        params.iter().map(|(name, value)| param(dialect, name, value) + "\n").collect();
    match dialect.name() {
        "cline" => format!("<{tool}>\n{params}</{tool}>"),
        "code-assistant" => format!("<tool:{tool}>\n{params}</tool:{tool}>"),
        "qwen3-coder" => format!("<tool_call>\n<function={tool}>{params}</function></tool_call>"),
        "glm" => format!("<tool_call>{tool}\n{params}</tool_call>"),
        _ => format!("<function_calls><invoke name=\"{tool}\">{params}</invoke></function_calls>"),
    }
}

/// The arguments and the diagnostics of the only call in `text`, at every cut.
fn arguments(parser: &Parser, text: &str, hold: usize) -> (String, Vec<DiagnosticKind>) {
    let whole = join(to_json(parser, text, &Vec::new(), hold));
    for cuts in every_cut(text.len()) {
        assert_eq!(join(to_json(parser, text, &cuts, hold)), whole, "cut at {cuts:?}");
    }
    let calls = told(&whole);
    assert_eq!(calls.len(), 1, "{text}");
    assert!(calls[0].params.is_empty(), "parameters came through");
    (calls[0].arguments.clone(), kinds(&whole))
}

#[test]
fn the_object_as_it_is_written() {
    use DiagnosticKind::{DuplicateParameter, RepairedJson, TypeMismatch};
    let cline = parser(Dialect::CLINE, &[edit()]);
    let assistant = parser(Dialect::CODE_ASSISTANT, &[edit()]);
    let invoke = parser(Dialect::INVOKE, &[edit()]);
    for (parser, dialect, params, expected, found) in [
        (&cline, Dialect::CLINE, vec![], "{}", vec![]),
        (&cline, Dialect::CLINE, vec![("text", " \n a \n b \n ")], r#"{"text":"a \n b"}"#, vec![]),
        (&cline, Dialect::CLINE, vec![("text", " \n ")], r#"{"text":""}"#, vec![]),
        (&cline, Dialect::CLINE, vec![("content", "\n  a \n")], r#"{"content":"  a "}"#, vec![]),
        (
            &cline,
            Dialect::CLINE,
            vec![("count", " 3 "), ("ratio", "1.50"), ("deep", "True")],
            r#"{"count":3,"ratio":1.50,"deep":true}"#,
            vec![],
        ),
        (
            &invoke,
            Dialect::INVOKE,
            vec![("count", "007"), ("count", "-0"), ("count", "three")],
            r#"{"count":7,"count":0,"count":"three"}"#,
            vec![DuplicateParameter, DuplicateParameter, TypeMismatch],
        ),
        (
            &invoke,
            Dialect::INVOKE,
            vec![("items", " [1.10, {\"b\": 1, \"a\": 2}]\n"), ("count", "1")],
            r#"{"count":1,"items":[1.10, {"b": 1, "a": 2}]}"#,
            vec![],
        ),
        (
            &invoke,
            Dialect::INVOKE,
            vec![("items", "{1}")],
            r#"{"items":"{1}"}"#,
            vec![TypeMismatch],
        ),
        (
            &invoke,
            Dialect::INVOKE,
            vec![
                ("items", "{1}"),
                ("items", " [1.10, {\"b\": 1, \"a\": 2}]\n"),
                ("items", "['a',]"),
            ],
            match cfg!(feature = "preserve_order") {
                true => r#"{"items":["{1}",1.1,{"b":1,"a":2},"a"]}"#,
                false => r#"{"items":["{1}",1.1,{"a":2,"b":1},"a"]}"#,
            },
            vec![DuplicateParameter, DuplicateParameter, RepairedJson],
        ),
        (
            &invoke,
            Dialect::INVOKE,
            vec![("maybe", " null "), ("maybe", " nil "), ("other", "é\u{1}")],
            r#"{"maybe":null,"maybe":" nil ","other":"é\u0001"}"#,
            vec![DuplicateParameter],
        ),
        (
            &assistant,
            Dialect::CODE_ASSISTANT,
            vec![("path", "a"), ("size", "1"), ("text", "x"), ("paths", "[b]"), ("size", "null")],
            r#"{"text":"x","paths":["a","[b]"],"sizes":[1,null]}"#,
            vec![],
        ),
        (
            &assistant,
            Dialect::CODE_ASSISTANT,
            vec![("paths", " [\"a\", \"b\"] ")],
            r#"{"paths":["a", "b"]}"#,
            vec![],
        ),
        (
            &assistant,
            Dialect::CODE_ASSISTANT,
            vec![("sizes", "[7,]")],
            r#"{"sizes":[7]}"#,
            vec![RepairedJson],
        ),
    ] {
        let text = wire(&dialect, "edit", &params);
        let (json, mut kinds) = arguments(parser, &text, usize::MAX);
        kinds.retain(|kind| *kind != DiagnosticKind::UnknownParameter);
        kinds.sort();
        assert_eq!((&*json, kinds), (expected, found), "{text}");
    }
}

#[test]
fn entities_are_decoded_while_the_value_comes() {
    let builder = Parser::builder(Dialect::CLINE).tool(edit()).options(decoding(true));
    let parser = builder.build().unwrap();
    let text = wire(
        &Dialect::CLINE,
        "edit",
        &[
            ("text", " &lt;a&gt; &amp;lt; &quo "),
            ("content", "&apos;&#39;&quot;&am"),
            ("count", "3"),
        ],
    );
    let expected = r#"{"text":"<a> &lt; &quo","content":"''\"&am","count":3}"#;
    assert_eq!(arguments(&parser, &text, usize::MAX), (expected.to_string(), vec![]));
}

#[test]
fn strings_leave_while_they_come() {
    let mut parser = parser(Dialect::CLINE, &[edit()]);
    let mut seen = String::new();
    let mut adapter = ParamsToJson::new(&parser, |event: Event<&str>| {
        if let Event::ToolUse(ToolUse::ArgumentsDelta(fragment)) = event {
            seen.push_str(fragment);
        }
    });
    parser.feed_into("<edit><text> one\n", &mut adapter);
    parser.feed_into(" two", &mut adapter);
    assert_eq!(adapter.held(), 0);
    drop(adapter);
    assert_eq!(seen, "{\"text\":\"one\\n two");
}

#[test]
fn a_string_that_may_be_null_leaves_when_it_cannot_be() {
    let parser = parser(Dialect::INVOKE, &[edit()]);
    // A value's first 256 bytes decide. A character that crosses this bound is not looked at.
    let [across, within] = [255, 254].map(|blanks| " ".repeat(blanks) + "\u{e9}");
    for (value, held) in [
        (" nu", 3),
        (" nul!", 0),
        ("null ", 5),
        ("nulls", 0),
        ("{", 0),
        (" ", 1),
        (" \u{a0}", 0),
        (&*across, 257),
        (&*within, 0),
    ] {
        let mut parser = parser.clone();
        let mut adapter = ParamsToJson::new(&parser, |_: Event<&str>| {});
        let open = "<function_calls><invoke name=\"edit\"><parameter name=\"maybe\">";
        for piece in pieces(&(open.to_string() + value), &(1..400).collect()) {
            parser.feed_into(piece, &mut adapter);
        }
        assert_eq!(adapter.held(), held, "{value}");
    }
}

#[test]
fn what_is_held_has_a_bound() {
    use DiagnosticKind::LimitExceeded;
    let invoke = parser(Dialect::INVOKE, &[edit()]);
    let assistant = parser(Dialect::CODE_ASSISTANT, &[edit()]);
    let cline = parser(Dialect::CLINE, &[edit()]);
    for (parser, dialect, hold, params, expected, found) in [
        (&invoke, Dialect::INVOKE, 36, vec![("items", "[10]")], r#"{"items":[10]}"#, vec![]),
        (
            &invoke,
            Dialect::INVOKE,
            35,
            vec![("items", "[10]"), ("count", "1")],
            "",
            vec![LimitExceeded],
        ),
        (
            &invoke,
            Dialect::INVOKE,
            0,
            vec![("text", "long"), ("count", "1")],
            r#"{"text":"long""#,
            vec![LimitExceeded],
        ),
        (
            &assistant,
            Dialect::CODE_ASSISTANT,
            70,
            vec![("path", "a"), ("path", "bc"), ("path", "d")],
            "",
            vec![LimitExceeded],
        ),
        (
            &assistant,
            Dialect::CODE_ASSISTANT,
            40,
            vec![("size", "12345678"), ("size", "")],
            "",
            vec![LimitExceeded],
        ),
        (&invoke, Dialect::INVOKE, 3, vec![("maybe", "nullify")], "", vec![LimitExceeded]),
        (
            &invoke,
            Dialect::INVOKE,
            3,
            vec![("maybe", "nil and void")],
            r#"{"maybe":"nil and void"}"#,
            vec![],
        ),
        (&cline, Dialect::CLINE, 3, vec![("text", "a    b   ")], r#"{"text":"a    b"}"#, vec![]),
        (
            &cline,
            Dialect::CLINE,
            3,
            vec![("text", "a    ")],
            r#"{"text":"a    "#,
            vec![LimitExceeded],
        ),
        (&cline, Dialect::CLINE, 3, vec![("count", "  12345")], "", vec![LimitExceeded]),
    ] {
        let text = wire(&dialect, "edit", &params);
        let (json, mut kinds) = arguments(parser, &text, hold);
        kinds.retain(|kind| *kind != DiagnosticKind::DuplicateParameter);
        assert_eq!((&*json, kinds), (expected, found), "{text}");
    }
}

#[test]
fn a_cut_call_is_never_closed() {
    let parser = parser(Dialect::CLINE, &[edit()]);
    for (text, expected) in [
        ("<edit><text>a\"b", r#"{"text":"a\"b"#),
        ("<edit><count>1</count><text>a</te", r#"{"count":1,"text":"a"#),
        ("<edit><text>a</text><count>12", r#"{"text":"a""#),
        ("<edit><text>a</text>\n", r#"{"text":"a""#),
        ("<edit><items>[1]", ""),
    ] {
        assert_eq!(arguments(&parser, text, usize::MAX).0, expected, "{text}");
        assert!(is_prefix(expected));
    }
}

#[test]
fn complete_after_the_adapter_means_a_whole_object() {
    let start = Event::ToolUse(ToolUse::Start { index: 0, name: "f", id: None, at: 0, dialect: 0 });
    let open = |name| Event::ToolUse(ToolUse::ParamStart { name, hint: None });
    let delta = |text| Event::ToolUse(ToolUse::ParamDelta(text));
    let close = |closed| Event::ToolUse(ToolUse::ParamEnd { closed });
    let end = Event::ToolUse(ToolUse::End { status: Status::Complete, at: 0 });
    let broken = Status::Incomplete(Cause::Broken);
    for (events, expected, status) in [
        (vec![start, end], "{}", Status::Complete),
        (vec![start, open("a"), close(true), end], "{\"a\":\"\"}", Status::Complete),
        (vec![start, open("a"), delta("x"), close(false), end], "{\"a\":\"x", broken),
        (vec![start, open("a"), close(false), open("b"), close(true), end], "{\"a\":\"", broken),
        (vec![start, open("a"), end], "{\"a\":\"", broken),
        (vec![start, open("a"), open("b"), delta("x"), end], "{\"a\":\"", broken),
    ] {
        let mut adapter = ParamsToJson::untyped(Record::default());
        events.iter().for_each(|event| adapter.push(*event));
        let calls = told(&adapter.into_sink().0);
        assert_eq!((&*calls[0].arguments, calls[0].status), (expected, Some(status)));
    }
}

/// A value whose type stands in the wire needs no schema: JSON is read, and lines are a list.
#[test]
fn hinted_values_are_read_without_a_schema() {
    let start = Event::ToolUse(ToolUse::Start { index: 0, name: "f", id: None, at: 0, dialect: 0 });
    let end = Event::ToolUse(ToolUse::End { status: Status::Complete, at: 0 });
    for (hint, value, expected) in [
        (TypeHint::String, "[1]", r#"{"a":"[1]"}"#),
        (TypeHint::Json, "[1]", r#"{"a":[1]}"#),
        (TypeHint::Lines, "x\n\n y\n", r#"{"a":["x","y"]}"#),
    ] {
        let mut adapter = ParamsToJson::untyped(Record::default());
        let events: [Event<&str>; 5] = [
            start,
            Event::ToolUse(ToolUse::ParamStart { name: "a", hint: Some(hint) }),
            Event::ToolUse(ToolUse::ParamDelta(value)),
            Event::ToolUse(ToolUse::ParamEnd { closed: true }),
            end,
        ];
        events.iter().for_each(|event| adapter.push(*event));
        let events = adapter.into_sink().0;
        assert_eq!((&*told(&events)[0].arguments, kinds(&events)), (expected, vec![]));
    }
}

#[test]
fn missing_arguments_are_flagged() {
    let needy = Tool::new("needy").param(toolstream::Param::required("path"));
    let parser = parser(Dialect::INVOKE, &[needy, Tool::new("easy")]);
    for (name, found) in [("needy", vec![DiagnosticKind::MissingArguments]), ("easy", vec![])] {
        let text = wire(&Dialect::INVOKE, name, &[]);
        let expected = if found.is_empty() { "{}" } else { "" };
        assert_eq!(arguments(&parser, &text, usize::MAX), (expected.to_string(), found));
    }
}

/// A parameter that holds all arguments, alone or next to others, is read as `Message` reads it.
#[test]
fn one_parameter_may_hold_all_arguments() {
    let parser = parser(Dialect::QWEN3_CODER, &[edit()]);
    let object = r#"{"text": "é", "count": 2}"#;
    let ordered = match cfg!(feature = "preserve_order") {
        true => r#"{"text":"é","count":2}"#,
        false => r#"{"count":2,"text":"é"}"#,
    };
    for (params, expected) in [
        (vec![("args", object)], ordered),
        (vec![("args", "{'count': 2,}")], r#"{"count":2}"#),
        (vec![("args", "[1]")], r#"{"args":"[1]"}"#),
        (
            vec![("args", object), ("count", "2")],
            r#"{"args":"{\"text\": \"é\", \"count\": 2}","count":2}"#,
        ),
        (vec![("args", "{}"), ("args", "{}")], r#"{"args":"{}","args":"{}"}"#),
    ] {
        let text = wire(&Dialect::QWEN3_CODER, "edit", &params);
        let (json, kinds) = arguments(&parser, &text, usize::MAX);
        assert_eq!(json, expected);
        let message = parser.parse(&text);
        assert_eq!(strict(&json), Value::Object(message.calls().next().unwrap().input().clone()));
        let mut found: Vec<_> = message.diagnostics().iter().map(|found| found.kind).collect();
        found.sort();
        assert_eq!(
            kinds.iter().copied().collect::<std::collections::BTreeSet<_>>(),
            found.into_iter().collect()
        );
        gateway::check(&parser, &text, &vec![text.len() / 2], Ended::Stop);
    }
    let (json, kinds) =
        arguments(&parser, &wire(&Dialect::QWEN3_CODER, "edit", &[("args", object)]), 9);
    assert!(json.is_empty() && kinds.contains(&DiagnosticKind::LimitExceeded), "{json}");
}

/// List elements that came one by one keep the model's notation. A list among several pieces is written anew.
#[test]
fn elements_are_written_as_they_came() {
    let tool = tool("f", json!({"sizes": {"type": "array", "items": {"type": "number"}}}));
    let parser = parser(Dialect::INVOKE, &[tool]);
    for (pieces, expected) in [
        (vec!["1.50", " 20e1 "], r#"{"sizes":[1.50,20e1]}"#),
        (vec!["[1.50, 2]"], r#"{"sizes":[1.50, 2]}"#),
        (vec!["[1.50, 2]", "3.0"], r#"{"sizes":[1.5,2,3.0]}"#),
    ] {
        let params: Vec<_> = pieces.iter().map(|piece| ("sizes", *piece)).collect();
        let text = wire(&Dialect::INVOKE, "f", &params);
        assert_eq!(arguments(&parser, &text, usize::MAX).0, expected);
    }
}

/// A call of joined dialects is read by the dialect that wrote it.
#[test]
fn a_call_of_the_second_dialect_is_read_by_its_rules() {
    let tools = [edit()];
    for (dialect, text, expected) in [
        (
            Dialect::HERMES.and(Dialect::REACT),
            "Action: edit\nAction Input: {\"count\": 1}",
            r#"{"count": 1}"#,
        ),
        (
            Dialect::HERMES.and(Dialect::CODE_ASSISTANT),
            "<tool:edit>\n<param:size>1</param:size>\n</tool:edit>",
            r#"{"sizes":[1]}"#,
        ),
        (
            Dialect::CLINE.and(Dialect::INVOKE),
            "<function_calls><invoke name=\"edit\"><parameter name=\"text\"> a </parameter></invoke></function_calls>",
            r#"{"text":" a "}"#,
        ),
    ] {
        let parser = parser(dialect, &tools);
        assert_eq!(arguments(&parser, text, usize::MAX), (expected.to_string(), vec![]));
    }
}

/// A single parameter that holds all arguments is checked, too: a wrong type keeps the call from running.
#[test]
fn all_arguments_in_one_have_types() {
    let mut options = Options::default();
    options.types = toolstream::options::Types::Strict;
    let parser = parser(Dialect::QWEN3_CODER, &[edit()]).to_builder().options(options).build();
    let parser = parser.expect("the same tools");
    for (object, runs) in [(r#"{"count": 2}"#, true), (r#"{"count": "two"}"#, false)] {
        let text = wire(&Dialect::QWEN3_CODER, "edit", &[("args", object)]);
        let told = told(&to_json(&parser, &text, &Vec::new(), usize::MAX));
        assert_eq!(!told[0].arguments.is_empty(), runs, "{object}");
        assert_eq!(parser.parse(&text).calls().count() == 1, runs, "{object}");
    }
}

/// An input that is too big to be held is given up, and nothing behind it counts, in whatever chunks it comes.
#[test]
fn nothing_follows_what_was_given_up() {
    let parser = parser(Dialect::REACT, &[tool("brew_tea", json!({}))]);
    for text in [
        "```\nAction: brew_tea\nAction Input: a\n```sh\nls\n```\n```\nb",
        "Action: brew_tea\nAction Input: ab{}\n",
    ] {
        for hold in 0..8 {
            let whole = to_json(&parser, text, &Vec::new(), hold);
            for cut in 1..text.len() {
                let cut = to_json(&parser, text, &vec![cut], hold);
                assert_eq!(told(&cut)[0].arguments, told(&whole)[0].arguments, "{hold}: {text}");
            }
        }
        gateway::check(&parser, text, &vec![13, 28], Ended::Stop);
    }
}

/// A diagnostic that is found at the end of a call has the offset of the call's beginning.
#[test]
fn what_is_found_of_a_call_has_its_place() {
    let parser = parser(Dialect::QWEN3_CODER, &[edit()]);
    let text = wire(&Dialect::QWEN3_CODER, "edit", &[("args", r#"{"count": "two"}"#)]);
    let text = format!("Hello. {text}");
    let out = to_json(&parser, &text, &Vec::new(), usize::MAX);
    let places = |kind| {
        let at = |event: &Event<String>| match event {
            Event::Diagnostic(found) if found.kind == kind => Some(found.at),
            _ => None,
        };
        out.iter().filter_map(at).collect::<Vec<_>>()
    };
    assert_eq!(places(DiagnosticKind::TypeMismatch), [7]);
}

#[test]
fn a_wire_type_wins() {
    let cline = parser(Dialect::CLINE, &[edit()]);
    for (hint, value, expected, found) in [
        (TypeHint::String, " 3 ", "\" 3 \"", vec![]),
        (TypeHint::Json, " 3 ", "3", vec![DiagnosticKind::TypeMismatch]),
        (TypeHint::Json, "\"a\\u00e9\"", "\"a\\u00e9\"", vec![]),
        (TypeHint::Literal, "{'a': None}", "{\"a\":null}", vec![DiagnosticKind::TypeMismatch]),
        (TypeHint::Json, "[1", "\"[1\"", vec![DiagnosticKind::TypeMismatch]),
    ] {
        let mut adapter = ParamsToJson::new(&cline, Record::default());
        for event in [
            ToolUse::Start { index: 0, name: "edit", id: None, at: 0, dialect: 0 },
            ToolUse::ParamStart { name: "text", hint: Some(hint) },
            ToolUse::ParamDelta(value),
            ToolUse::ParamEnd { closed: true },
            ToolUse::End { status: Status::Complete, at: 0 },
        ] {
            adapter.push(Event::ToolUse(event));
        }
        let out = adapter.into_sink().0;
        assert_eq!(told(&out)[0].arguments, format!("{{\"text\":{expected}}}"));
        assert_eq!(kinds(&out), found);
    }
}

#[test]
fn arguments_pass_unchanged() {
    let events = call("{'a' : 1,} ", &vec![3], Status::Complete);
    let mut adapter = ParamsToJson::untyped(Record::default());
    events.iter().for_each(|event| adapter.push(event.as_str()));
    assert_eq!(adapter.into_sink().0, events);
}

#[test]
fn white_space_is_looked_at_once() {
    let mut parser = parser(Dialect::CLINE, &[edit()]);
    let mut adapter = ParamsToJson::new(&parser, |_: Event<&str>| {});
    parser.feed_into("<edit><text>a", &mut adapter);
    for _ in 0..1 << 20 {
        parser.feed_into(" ", &mut adapter);
    }
    assert_eq!(adapter.held(), 1 << 20);
    parser.feed_into(" ", &mut adapter);
    assert_eq!(adapter.held(), 0);
}

/// A parameter that may be all arguments is held until it has ended or cannot be all arguments. List elements are held
/// with their overhead, and the open element beside them.
#[test]
fn what_is_held_is_counted() {
    let parser = parser(Dialect::INVOKE, &[edit()]);
    let held = |params: &str| {
        let mut parser = parser.clone();
        let mut adapter = ParamsToJson::new(&parser, |_: Event<&str>| {});
        let open = "<function_calls><invoke name=\"edit\">";
        parser.feed_into(&(open.to_string() + params), &mut adapter);
        adapter.held()
    };
    let open = |name: &str, value: &str| format!("<parameter name=\"{name}\">{value}");
    let whole = |name: &str, value: &str| open(name, value) + "</parameter>";
    let all = |after: &str| whole("arguments", "{\"text\": 1}") + after;
    for (params, bytes) in [
        (open("arguments", "{\"text\": 1}!"), 12),
        (all("<"), 11),
        (all("\n</invok"), 11),
        (all(&open("items", "12!")), 3),
        (whole("items", "abc") + "<", 3),
        (whole("items", "abc") + &open("count", "12!"), 3 + 32 + 3),
        (whole("paths", "abc") + &whole("sizes", "a") + &open("count", "12!"), 3 + 32 + 1 + 32 + 3),
    ] {
        assert_eq!(held(&params), bytes, "{params}");
    }
    let mut adapter = ParamsToJson::new(&parser, |_: Event<&str>| {});
    for event in [
        ToolUse::Start { index: 0, name: "edit", id: None, at: 0, dialect: 0 },
        ToolUse::ParamStart { name: "arguments", hint: None },
        ToolUse::ParamDelta("{}"),
        ToolUse::ParamEnd { closed: true },
    ] {
        adapter.push(Event::ToolUse(event));
    }
    assert_eq!(adapter.held(), 2);
}

// From JSON to parameters.

/// The parameters, the status and the diagnostics of a call with these arguments, at every cut.
fn read(arguments: &str) -> (Vec<Param>, bool, Vec<DiagnosticKind>) {
    let whole = to_params(&call(arguments, &Vec::new(), Status::Complete));
    for cuts in every_cut(arguments.len()) {
        let events = to_params(&call(arguments, &cuts, Status::Complete));
        assert_eq!(events, whole, "{arguments} cut at {cuts:?}");
    }
    let call = told(&whole).remove(0);
    (call.params, call.status == Some(Status::Complete), kinds(&whole))
}

fn string(name: &str, value: &str) -> Param {
    let (name, value) = (name.to_string(), value.to_string());
    Param { name, hint: Some(TypeHint::String), value, closed: Some(true) }
}

fn raw(name: &str, value: &str) -> Param {
    Param { hint: Some(TypeHint::Json), ..string(name, value) }
}

fn cut(param: Param) -> Param {
    Param { closed: Some(false), ..param }
}

#[test]
fn members_as_they_are_written() {
    for (arguments, expected) in [
        ("", vec![]),
        (" \n", vec![]),
        ("null", vec![]),
        (" null ", vec![]),
        ("{}", vec![]),
        ("\u{FEFF} { } ", vec![]),
        (r#"{"a":"x","b":""}"#, vec![string("a", "x"), string("b", "")]),
        (
            r#"{"\u00e9\n": "\ud83e\udd80\ud83e", "": 1.50}"#,
            vec![string("é\n", "🦀\u{FFFD}"), raw("", "1.50")],
        ),
        (
            r#"{"a": [1, "]}\"", {"b": {}}] , "c": true,"d":{ } }"#,
            vec![raw("a", r#"[1, "]}\"", {"b": {}}]"#), raw("c", "true"), raw("d", "{ }")],
        ),
        (r#"{"a":1,"a":"2"}"#, vec![raw("a", "1"), string("a", "2")]),
        (
            "{a: 'it\"s', $b-1: None, `c`: \"\"\"d\"\"\",}}",
            vec![string("a", "it\"s"), raw("$b-1", "None"), string("c", "d")],
        ),
        (
            "/* { */ {// '\n\"a\" /**/ : // x\r [ ']' /* ] */, `]`, // ]\n \"\"\"]\"\"\" ] /***/ } // end",
            vec![raw("a", "[ ']' /* ] */, `]`, // ]\n \"\"\"]\"\"\" ]")],
        ),
        ("{\"a\":1/**/}", vec![raw("a", "1")]),
    ] {
        assert_eq!(read(arguments), (expected, true, vec![]), "{arguments}");
    }
}

#[test]
fn what_cannot_be_read_makes_the_call_incomplete() {
    for (arguments, expected) in [
        ("[1]", vec![]),
        ("\"{}\"", vec![]),
        ("nul", vec![]),
        ("nulls", vec![]),
        ("{", vec![]),
        ("{,}", vec![]),
        ("{\"a\"", vec![]),
        ("{\"a\" 1}", vec![]),
        ("{\"a\":", vec![]),
        ("{\"a\":é}", vec![]),
        ("{\"a\":\"x\\", vec![cut(string("a", "x"))]),
        ("{\"a\":\"\"", vec![cut(string("a", ""))]),
        ("{\"a\":\"x\" \"b\":1}", vec![string("a", "x")]),
        ("{\"a\":\"x\",,}", vec![string("a", "x")]),
        ("{\"a\":12", vec![cut(raw("a", "12"))]),
        ("{\"a\":1é}", vec![cut(raw("a", "1"))]),
        ("{\"a\": oops}", vec![cut(raw("a", "oops"))]),
        ("{\"a\":1e999}", vec![cut(raw("a", "1e999"))]),
        ("{\"a\":01}", vec![cut(raw("a", "01"))]),
        ("{\"a\":[1}", vec![cut(raw("a", "[1"))]),
        ("{\"a\":{\"b\":1]}", vec![cut(raw("a", "{\"b\":1"))]),
        ("{\"a\":1]", vec![raw("a", "1")]),
        ("{\"a\":[oops, 1]}", vec![cut(raw("a", "[oops"))]),
        ("{\"a\":[1 2]}", vec![cut(raw("a", "[1 "))]),
        ("{\"a\":[,]}", vec![cut(raw("a", "["))]),
        ("{\"a\":[1,,]}", vec![cut(raw("a", "[1,"))]),
        ("{\"a\":[don't]}", vec![cut(raw("a", "[don"))]),
        ("{\"a\":{1:2}}", vec![cut(raw("a", "{"))]),
        ("{\"a\":{\"b\"}}", vec![cut(raw("a", "{\"b\""))]),
        ("{\"a\":{\"b\":}}", vec![cut(raw("a", "{\"b\":"))]),
        ("{\"a\":[/x]}", vec![cut(raw("a", "[/"))]),
        ("null null", vec![]),
        ("null // n", vec![]),
        ("/**/ null", vec![]),
        ("/**/", vec![]),
        ("\u{FEFF}null", vec![]),
        (" \u{FEFF}{}", vec![]),
        ("{\"a\":[[1]", vec![cut(raw("a", "[[1]"))]),
        ("{\"a\":1} {", vec![raw("a", "1")]),
        ("{\"a\":1}}}", vec![raw("a", "1")]),
        ("{\"a\":1} /x", vec![raw("a", "1")]),
    ] {
        let found = vec![DiagnosticKind::MalformedArguments];
        assert_eq!(read(arguments), (expected, false, found), "{arguments}");
    }
}

#[test]
fn a_key_has_the_bound_of_a_name() {
    let (fits, long) = ("k".repeat(128), "é".repeat(65));
    let text = format!("{{\"{fits}\":1,\"{long}\":\"secret\",\"b\":2}}");
    let expected = vec![raw(&fits, "1"), raw("b", "2")];
    assert_eq!(read(&text), (expected, false, vec![DiagnosticKind::LimitExceeded]));
    // Keys without quotes are read, too: the bound of a number is no bound of a key.
    let text = format!("{{{}: 1, b: 2}}", "k".repeat(2049));
    let events = to_params(&call(&text, &Vec::new(), Status::Complete));
    assert_eq!(told(&events)[0].params, [raw("b", "2")]);
    assert_eq!(kinds(&events), [DiagnosticKind::LimitExceeded]);
}

/// Only `null` may stand in the place of the object. Anything else is reported at its offset.
#[test]
fn what_stands_in_the_place_of_the_object_is_told_where_it_begins() {
    for (arguments, at) in [
        ("true", 0),
        (" nulls", 5),
        ("nil ", 1),
        ("12", 0),
        ("/**/ null", 5),
        ("\u{FEFF}null", 3),
        // Only the end decides these.
        ("nul", 3),
        ("/**/", 4),
    ] {
        for cuts in every_cut(arguments.len()) {
            let events = to_params(&call(arguments, &cuts, Status::Complete));
            let found = events.iter().find_map(|event| match event {
                Event::Diagnostic(found) => Some((found.kind, found.at)),
                _ => None,
            });
            let expected = Some((DiagnosticKind::MalformedArguments, at));
            assert_eq!(found, expected, "{arguments} cut at {cuts:?}");
        }
    }
}

#[test]
fn offsets_are_those_of_the_stream() {
    let mut adapter = JsonToParams::new(Record::default());
    adapter.push(Event::TextContent("12345"));
    adapter.push(Event::ToolUse(ToolUse::Start {
        index: 0,
        name: "f",
        id: None,
        at: 5,
        dialect: 0,
    }));
    adapter.push(Event::Markup("67"));
    adapter.push(Event::ToolUse(ToolUse::ArgumentsDelta("{\"a\":")));
    adapter.push(Event::ToolUse(ToolUse::ArgumentsDelta(" 1 y")));
    let found = Diagnostic::new(DiagnosticKind::MalformedArguments, 15).in_call(0);
    assert_eq!(adapter.into_sink().0.last(), Some(&Event::Diagnostic(found)));
}

/// Mistakes of the first call do not count for the second. The end of a key decides about half a surrogate pair.
#[test]
fn each_call_begins_anew() {
    let mut adapter = JsonToParams::new(Record::default());
    for index in 0..2 {
        let start = ToolUse::Start { index, name: "f", id: None, at: 0, dialect: 0 };
        adapter.push(Event::ToolUse(start));
        adapter.push(Event::ToolUse(ToolUse::ArgumentsDelta("{\"a\\ud83d\": 1 y")));
    }
    let events = adapter.into_sink().0;
    let keys = events.iter().filter_map(|event| match event {
        Event::ToolUse(ToolUse::ParamStart { name, .. }) => Some(&**name),
        _ => None,
    });
    assert_eq!(keys.collect::<Vec<_>>(), ["a\u{FFFD}", "a\u{FFFD}"]);
    let found = events.iter().filter_map(|event| match event {
        Event::Diagnostic(found) => Some(found.call),
        _ => None,
    });
    assert_eq!(found.collect::<Vec<_>>(), [Some(0), Some(1)]);
}

/// Adapters pass markers to a sink that wants them, and do not ask for markers themselves.
#[test]
fn markers_are_asked_for_by_the_last_sink() {
    struct Markers(bool);
    impl Sink for Markers {
        fn event(&mut self, _: Event<&str>) {}

        fn wants_markers(&self) -> bool {
            self.0
        }
    }
    let parser = parser(Dialect::INVOKE, &[edit()]);
    for wants in [false, true] {
        assert_eq!(JsonToParams::new(Markers(wants)).wants_markers(), wants);
        assert_eq!(ParamsToJson::new(&parser, Markers(wants)).wants_markers(), wants);
    }
}

#[test]
fn plain_text_is_not_copied() {
    let text = r#"{"a": "plain é text", "b": [1, 2]}"#;
    let mut inside = 0;
    let mut adapter = JsonToParams::new(|event: Event<&str>| {
        if let Event::ToolUse(ToolUse::ParamDelta(piece)) = event {
            inside += usize::from(text.as_bytes().as_ptr_range().contains(&piece.as_ptr()));
        }
    });
    call(text, &Vec::new(), Status::Complete).iter().for_each(|event| match event {
        Event::ToolUse(ToolUse::ArgumentsDelta(_)) => {
            adapter.push(Event::ToolUse(ToolUse::ArgumentsDelta(text)));
        }
        event => adapter.push(event.as_str()),
    });
    drop(adapter);
    assert_eq!(inside, 2);
}

#[test]
fn once_warm_nothing_is_allocated() {
    let silent = |_: Event<&str>| {};
    let parser = parser(Dialect::INVOKE, &[edit()]);
    let start = ToolUse::Start { index: 0, name: "edit", id: None, at: 0, dialect: 0 };
    let open = ToolUse::ParamStart { name: "text", hint: None };
    let mut json = ParamsToJson::new(&parser, silent);
    for event in [start, open, ToolUse::ParamDelta("one\ntwo")] {
        json.push(Event::ToolUse(event));
    }
    let more = Event::ToolUse(ToolUse::ParamDelta("\"a\"\nb"));
    let counted = allocation_counter::measure(|| (0..100).for_each(|_| json.push(more)));
    assert_eq!(counted.count_total, 0);

    let mut params = JsonToParams::new(silent);
    let member = Event::ToolUse(ToolUse::ArgumentsDelta("\"key\": \"one\\ntwo\\u00e9\", "));
    params.push(Event::ToolUse(start));
    params.push(Event::ToolUse(ToolUse::ArgumentsDelta("{")));
    params.push(member);
    let counted = allocation_counter::measure(|| (0..100).for_each(|_| params.push(member)));
    assert_eq!(counted.count_total, 0);
}

// OpenAI's deltas.

/// Answer of a client that joins the chunks as the official clients do.
#[derive(Debug, Default, PartialEq)]
struct Client {
    content: String,
    calls: Vec<(String, String, String)>,
    finish: Option<openai_types::FinishReason>,
}

impl Client {
    fn take(&mut self, choice: Value) {
        let chunk = json!({
            "id": "chatcmpl-1",
            "object": "chat.completion.chunk",
            "created": 0,
            "model": "m",
            "choices": [choice],
        });
        let chunk: openai_types::CreateChatCompletionStreamResponse =
            serde_json::from_value(chunk).expect("a chunk as the protocol has it");
        for choice in chunk.choices {
            assert!(self.finish.is_none(), "nothing comes after the end");
            self.content.push_str(&choice.delta.content.unwrap_or_default());
            choice.delta.tool_calls.into_iter().flatten().for_each(|call| self.call(call));
            self.finish = choice.finish_reason;
        }
    }

    fn call(&mut self, call: openai_types::ChatCompletionMessageToolCallChunk) {
        let function = call.function.expect("every piece has a function");
        let index = call.index as usize;
        if index == self.calls.len() {
            assert_eq!(call.r#type, Some(openai_types::FunctionType::Function));
            let (id, name) = (call.id.expect("an id"), function.name.expect("a name"));
            self.calls.push((id, name, String::new()));
        } else {
            assert_eq!((index + 1, call.id, function.name), (self.calls.len(), None, None));
        }
        self.calls[index].2.push_str(&function.arguments.unwrap_or_default());
    }
}

/// Answer of a client that reads the deltas with the types of a client crate.
fn client(parser: &Parser, text: &str, cuts: &Cuts) -> Client {
    let (mut parser, mut client) = (parser.clone(), Client::default());
    let mut writer = DeltaWriter::new(&parser).ids(|index| format!("id-{index}"));
    for piece in pieces(text, cuts) {
        for event in parser.feed(piece) {
            writer.push(event).for_each(|delta| client.take(choice(delta, None)));
        }
    }
    parser.finish_into(&mut writer);
    writer.deltas().for_each(|delta| client.take(choice(delta, None)));
    client.take(choice(json!({}), Some(writer.finish_reason())));
    client
}

#[test]
fn a_client_reads_the_deltas() {
    use openai_types::FinishReason::{Length, Stop, ToolCalls};
    let parser = parser(Dialect::CLINE, &[edit(), Tool::new("list")]);
    let call = |at, name: &str, arguments: &str| {
        (format!("id-{at}"), name.to_string(), arguments.to_string())
    };
    for (text, content, calls, finish) in [
        ("<think>\nhm</think>Hello < you", "Hello < you", vec![], Stop),
        ("<edit><count>3</count></edit>", "", vec![call(0, "edit", r#"{"count":3}"#)], ToolCalls),
        (
            "a<list></list>b<edit><text> \"x\" </text></edit>c",
            "abc",
            vec![call(0, "list", "{}"), call(1, "edit", r#"{"text":"\"x\""}"#)],
            ToolCalls,
        ),
        (
            "<list></list><edit><content>half",
            "",
            vec![call(0, "list", "{}"), call(1, "edit", r#"{"content":"half"#)],
            Length,
        ),
        ("a <edi", "a <edi", vec![], Length),
    ] {
        for cuts in every_cut(text.len()) {
            let calls = calls.clone();
            let expected = Client { content: content.to_string(), calls, finish: Some(finish) };
            assert_eq!(client(&parser, text, &cuts), expected, "{text} cut at {cuts:?}");
        }
    }
}

#[test]
fn white_space_between_calls_and_before_the_answer_is_no_content() {
    let parser = parser(Dialect::CLINE, &[Tool::new("list")]);
    let long = " ".repeat(257);
    for (text, content) in [
        ("<think>\nhm</think>\n\nHello  you \n", "Hello  you \n"),
        (" \n<list></list>\n\n<list></list>\n", ""),
        ("I look.\n\n<list></list>\n<list></list>\nDone.", "I look.\n\n\nDone."),
        ("<list></list>\nDone. <list></list> \u{a0}", "Done.  \u{a0}"),
        (&*format!("<list></list>{long}<list></list>{long}a"), &*format!("{long}{long}a")),
        (&format!("{}a", &long[1..]), "a"),
    ] {
        for cuts in [Vec::new(), (1..text.len()).collect()] {
            assert_eq!(client(&parser, text, &cuts).content, content, "{text}");
        }
        gateway::check(&parser, text, &vec![text.len() / 2], Ended::Stop);
        let writer = DeltaWriter::new(&parser).verbatim_content();
        let (sent, _) = gateway::client(&parser, writer, text, &Vec::new(), Ended::Stop);
        assert_eq!(sent.content, parser.parse(text).text());
    }
}

#[test]
fn arguments_leave_while_they_come() {
    let mut parser = parser(Dialect::HERMES, &[]);
    let mut writer = DeltaWriter::new(&parser);
    let mut sent = String::new();
    for (chunk, so_far) in [
        ("<tool_call>{\"name\": \"f\", \"arguments\": { 'a", r#"{"a"#),
        ("b': 'it\\'s \"", r#"{"ab":"it's \""#),
        ("x", r#"{"ab":"it's \"x"#),
        ("', n: [Tr", r#"{"ab":"it's \"x","n":["#),
        ("ue, 1", r#"{"ab":"it's \"x","n":[true"#),
        ("2,],}", r#"{"ab":"it's \"x","n":[true,12]"#),
        ("}", r#"{"ab":"it's \"x","n":[true,12]}"#),
    ] {
        parser.feed_into(chunk, &mut writer);
        for delta in writer.deltas() {
            sent += delta["tool_calls"][0]["function"]["arguments"].as_str().unwrap();
        }
        assert_eq!(sent, so_far);
    }
}

#[test]
fn arguments_that_are_not_read_are_none() {
    let needy = Tool::new("needy").param(toolstream::Param::required("path"));
    let parser = parser(Dialect::HERMES, &[needy, Tool::new("f")]);
    for (name, arguments, sent, broken) in [
        ("f", r#"{"a": oops}"#, r#"{"a":,]"#, true),
        ("f", r#"{"a": [1, oops]}"#, r#"{"a":[1,}"#, true),
        ("f", r#"{"a": {"b": ["c": 1]}}"#, r#"{"a":{"b":["c",}"#, true),
        ("f", "[1]", "{,]", true),
        ("f", r#""text""#, "{,]", true),
        ("f", r#"{"a": 1} 2"#, r#"{"a":1,]"#, true),
        ("f", r#"{'a': "1", s: 'x',}"#, r#"{"a":"1","s":"x"}"#, false),
        ("f", r#""{\"a\": 1}""#, r#"{"a":1}"#, false),
        ("f", r#"{"a": 1, "a": 2}"#, r#"{"a":1,"a":2}"#, false),
        ("f", "null", "{}", false),
        ("needy", "null", "{,]", true),
        ("needy", "{}", "{}", false),
    ] {
        let text =
            format!("<tool_call>{{\"name\": \"{name}\", \"arguments\": {arguments}}}</tool_call>");
        gateway::check(&parser, &text, &vec![text.len() / 2], Ended::Stop);
        let (client, writer) =
            gateway::client(&parser, DeltaWriter::new(&parser), &text, &Vec::new(), Ended::Stop);
        assert_eq!(client.calls[0].1, sent, "{text}");
        assert_eq!(writer.broken(), if broken { &[0][..] } else { &[] }, "{text}");
    }
}

#[test]
fn a_word_that_is_too_long_breaks_its_call() {
    let parser = parser(Dialect::HERMES, &[]);
    for (member, sent, broken) in [
        ("\"a\": 1234", "{\"a\":1234}", false),
        ("\"a\": 12345", "{\"a\":,]", true),
        ("long: 1", "{\"long\":1}", false),
        ("longer: 1", "{,]", true),
        ("\"longer\": \"longer\"", "{\"longer\":\"longer\"}", false),
    ] {
        let text =
            format!("<tool_call>{{\"name\": \"f\", \"arguments\": {{{member}}}}}</tool_call>");
        for cuts in every_cut(text.len()) {
            let writer = DeltaWriter::new(&parser).hold(4);
            let (client, writer) = gateway::client(&parser, writer, &text, &cuts, Ended::Stop);
            assert_eq!((&*client.calls[0].1, writer.broken().len()), (sent, usize::from(broken)));
        }
    }
}

#[test]
fn strictly_every_required_argument_must_come() {
    let tool = Tool::from_json(&json!({"name": "f", "parameters": {"type": "object",
        "required": ["path", "line"], "properties": {"path": {}, "line": {}}}}));
    let builder = Parser::builder(Dialect::HERMES).tool(tool.unwrap());
    let mut strict = Options::default();
    strict.required = Required::Strict;
    let parser = builder.options(strict).build().unwrap();
    let long = "path".repeat(40);
    for (arguments, runs) in [
        ("{'path': 1, \"l\\u0069ne\": 2}".to_string(), true),
        ("{\"line\": 1, \"in\": {\"path\": 1}}".to_string(), false),
        (format!("{{\"line\": 1, \"{long}\": 1, \"\": \"path\"}}"), false),
    ] {
        let text =
            format!("<tool_call>{{\"name\": \"f\", \"arguments\": {arguments}}}</tool_call>");
        gateway::check(&parser, &text, &vec![text.len() / 2], Ended::Stop);
        assert_eq!(parser.parse(&text).calls().count() == 1, runs, "{text}");
    }
}

/// No chain of adapters makes a value of broken JSON.
#[test]
fn no_chain_of_adapters_guesses() {
    fn arguments(events: &Events) -> String {
        told(events).remove(0).arguments
    }
    for bad in ["oops", "[oops]", "{\"b\": oops}", "tru", "1.", "01", "'x", "NaN"] {
        let text = format!("{{\"a\": {bad}}}");
        for cuts in [Vec::new(), (1..text.len()).collect()] {
            let events = call(&text, &cuts, Status::Complete);
            let push = |sink: &mut dyn FnMut(Event<&str>)| {
                events.iter().for_each(|event| sink(event.as_str()));
            };
            let mut twice = JsonToParams::new(ParamsToJson::untyped(Record::default()));
            push(&mut |event| twice.push(event));
            let twice = twice.into_sink().into_sink().0;
            let mut again = JsonToParams::new(ParamsToJson::untyped(Record::default()));
            twice.iter().for_each(|event| again.push(event.as_str()));
            let again = again.into_sink().into_sink().0;
            let mut writer = DeltaWriter::untyped();
            let mut client = String::new();
            for event in events.iter().chain(&twice).chain(&again) {
                for delta in writer.push(event.as_str()) {
                    client += delta["tool_calls"][0]["function"]["arguments"].as_str().unwrap();
                }
            }
            for said in [&arguments(&twice), &arguments(&again), &client] {
                assert!(gateway::loads(said).is_none(), "{said}, of {text}");
                assert!(!said.contains("oops"), "{said}, of {text}");
            }
            assert_eq!(writer.broken().len(), 3, "{text}");
            assert_eq!(writer.finish_reason(), "tool_calls");
        }
    }
}

#[test]
fn ids_come_from_the_wire_or_the_host() {
    let start = |id| Event::ToolUse(ToolUse::Start { index: 1, name: "f", id, at: 0, dialect: 0 });
    let id =
        |id| DeltaWriter::untyped().push(start(id)).next().unwrap()["tool_calls"][0]["id"].take();
    assert_eq!(id(Some("functions.f:0")), "functions.f:0");
    assert_eq!(id(Some("")), "call_1");
    assert_eq!(id(None), "call_1");
    let mut writer = DeltaWriter::untyped();
    writer.push(start(None)).for_each(drop);
    assert_eq!(writer.push(Event::ToolUse(ToolUse::Id("late"))).count(), 0);
}

#[test]
fn deltas_that_were_not_taken_come_next() {
    let mut writer = DeltaWriter::untyped();
    drop(writer.push(Event::TextContent("a")));
    let deltas: Vec<Value> = writer.push(Event::Reasoning("b")).collect();
    assert_eq!(deltas, [json!({"content": "a"}), json!({"reasoning_content": "b"})]);
    assert_eq!(writer.finish_reason(), "stop");
}

#[test]
fn the_limit_ends_the_answer_normally() {
    let parser = parser(Dialect::CLINE, &[Tool::new("list")]).to_builder().tool_limit(1);
    let parser = parser.build().unwrap();
    let client = client(&parser, "<list></list> and <list></list>", &Vec::new());
    assert_eq!(client.content, "and ");
    assert_eq!(
        (client.calls.len(), client.finish),
        (1, Some(openai_types::FinishReason::ToolCalls))
    );
}

// Properties.

const VALUES: &[&str] = &[
    "a",
    "é",
    "🦀",
    " ",
    "\n",
    "\t",
    "\"",
    "\\",
    "\u{0}",
    "\u{2028}",
    "&lt;",
    "&amp;",
    "&",
    "lt;",
    "1",
    "-7",
    "0",
    ".5",
    "1e3",
    "true",
    "null",
    "[",
    "]",
    "{",
    "}",
    ",",
    ":",
    "'",
    "[1, 2.50]",
    "{\"a\": [null]}",
    "['x',]",
    "<",
    "</text>",
    "</content>",
    "</parameter>",
    "word ",
];

fn value() -> impl Strategy<Value = String> {
    prop_oneof![
        vec(select(VALUES), 0..8).prop_map(|pieces| pieces.concat()),
        select(VALUES).prop_map(|piece| format!(" {piece}\n")),
        any::<i64>().prop_map(|number| number.to_string()),
        any::<f64>().prop_map(|number| json!(number).to_string()),
        arguments_value().prop_map(|value| value.to_string()),
    ]
}

const NAMES: &[&str] =
    &["text", "content", "count", "items", "item", "paths", "path", "other", "arguments"];

const TYPES: &[&str] = &["string", "integer", "number", "boolean", "null", "array", "object"];

fn a_tool() -> impl Strategy<Value = Tool> {
    let types = vec(select(TYPES), 0..3);
    vec((select(NAMES), types.clone(), types), 0..7).prop_map(|params| {
        let property = |(name, types, items): (&str, Vec<&str>, Vec<&str>)| {
            (name.to_string(), json!({"type": types, "items": {"type": items}}))
        };
        tool("edit", Value::Object(params.into_iter().map(property).collect()))
    })
}

const SPEAK_PARAMS: &[Dialect] =
    &[Dialect::CLINE, Dialect::CODE_ASSISTANT, Dialect::INVOKE, Dialect::QWEN3_CODER, Dialect::GLM];

fn a_dialect() -> impl Strategy<Value = Dialect> {
    select(SPEAK_PARAMS)
}

fn cuts_of(indices: &[Index], len: usize) -> Cuts {
    let mut cuts: Cuts = indices.iter().map(|index| index.index(len.max(1))).collect();
    cuts.sort_unstable();
    cuts.dedup();
    cuts
}

/// Any JSON, not deep.
fn arguments_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        vec(select(VALUES), 0..6).prop_map(|pieces| pieces.concat().into()),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            vec((key(), inner), 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn key() -> impl Strategy<Value = String> {
    vec(select(VALUES), 0..4).prop_map(|pieces| pieces.concat())
}

fn object() -> impl Strategy<Value = Map<String, Value>> {
    vec((key(), arguments_value()), 0..5).prop_map(|members| members.into_iter().collect())
}

/// Writes JSON in one of its many notations.
struct Printer<'c> {
    choices: std::iter::Cycle<std::slice::Iter<'c, u8>>,
    /// Whether notations that need a repair are written, too.
    odd: bool,
    out: String,
}

impl Printer<'_> {
    fn print(value: &Value, choices: &[u8], odd: bool) -> String {
        let choices = if choices.is_empty() { &[0] } else { choices };
        let mut printer = Printer { choices: choices.iter().cycle(), odd, out: String::new() };
        printer.value(value);
        printer.out
    }

    fn choose(&mut self, among: u8) -> u8 {
        self.choices.next().map_or(0, |choice| choice % among)
    }

    fn value(&mut self, value: &Value) {
        match value {
            Value::String(text) => self.string(text),
            Value::Array(items) => self.list(["[", "]"], items.iter(), Self::value),
            Value::Object(members) => {
                self.list(["{", "}"], members.iter(), |this, (key, value)| {
                    this.string(key);
                    this.white();
                    this.out.push(':');
                    this.white();
                    this.value(value);
                })
            }
            Value::Bool(true) if self.odd && self.choose(3) == 0 => self.out.push_str("True"),
            Value::Null if self.odd && self.choose(3) == 0 => self.out.push_str("None"),
            _ => self.out.push_str(&value.to_string()),
        }
    }

    fn list<T>(
        &mut self,
        [open, close]: [&str; 2],
        items: impl ExactSizeIterator<Item = T>,
        print: fn(&mut Self, T),
    ) {
        self.out.push_str(open);
        let last = items.len();
        for (at, item) in items.enumerate() {
            self.white();
            print(self, item);
            self.white();
            if at + 1 < last || self.odd && self.choose(4) == 0 {
                self.out.push(',');
            }
        }
        self.white();
        self.out.push_str(close);
    }

    fn white(&mut self) {
        let all = [" ", "\n\t", "\r ", "", "", "", "/*'{*/", "//\"]\n"];
        let choice = self.choose(if self.odd { 8 } else { 6 });
        self.out.push_str(all[choice as usize]);
    }

    fn string(&mut self, text: &str) {
        let signs = ["\"", "'", "`", "\"\"\""];
        let sign = if self.odd { signs[self.choose(4) as usize] } else { "\"" };
        self.out.push_str(sign);
        for char in text.chars() {
            self.char(char, sign);
        }
        self.out.push_str(sign);
    }

    fn char(&mut self, char: char, sign: &str) {
        let choice = self.choose(5);
        if choice == 0 {
            let units = char.encode_utf16(&mut [0; 2]).to_vec();
            units.iter().for_each(|unit| self.out.push_str(&format!("\\u{unit:04X}")));
        } else if char == '"' || char == '\\' || sign.starts_with(char) {
            self.out.extend(['\\', char]);
        } else if char < ' ' && !(self.odd && choice == 1) {
            let json = json!(char).to_string();
            self.out.push_str(json.trim_matches('"'));
        } else {
            self.out.push(char);
        }
    }
}

/// The parameters as an object.
fn as_object(params: &[Param], read: impl Fn(&str) -> Value) -> Map<String, Value> {
    let member = |param: &Param| {
        let value = match param.hint {
            Some(TypeHint::String) => param.value.clone().into(),
            _ => read(&param.value),
        };
        (param.name.clone(), value)
    };
    params.iter().map(member).collect()
}

fn strict(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error} in {text}"))
}

fn lenient(text: &str) -> Value {
    let object = repair::arguments(&format!("{{\"v\":{text}\n}}"), Repairs::Default);
    object.unwrap_or_else(|error| panic!("{error} in {text}")).object["v"].clone()
}

/// Arguments behind [`JsonToParams`] and [`ParamsToJson`].
fn there_and_back(arguments: &str, cuts: &Cuts) -> String {
    let mut adapter = JsonToParams::new(ParamsToJson::untyped(Record::default()));
    call(arguments, cuts, Status::Complete).iter().for_each(|event| adapter.push(event.as_str()));
    told(&adapter.into_sink().into_sink().0).remove(0).arguments
}

proptest! {
    /// The fragments of an adapter and `Message` say the same arguments.
    #[test]
    fn fragments_say_what_a_message_reads(
        dialect in a_dialect(),
        a_tool in a_tool(),
        calls in vec(vec((select(NAMES), value()), 0..5), 1..3),
        lost in 0..40usize,
        cuts in vec(any::<Index>(), 0..6),
        decode: bool,
    ) {
        let parser = parser(&dialect, &[a_tool]).to_builder().options(decoding(decode));
        let parser = parser.tool_limit(None).build().unwrap();
        let wire = |params: &Vec<(&str, String)>| {
            let params: Vec<_> = params.iter().map(|(name, value)| (*name, &**value)).collect();
            wire(&dialect, "edit", &params)
        };
        let mut text = calls.iter().map(wire).collect::<Vec<_>>().join("\n");
        for _ in 20..lost {
            text.pop();
        }

        let message = parser.parse(&text);
        let events = join(to_json(&parser, &text, &Vec::new(), usize::MAX));
        let cut = join(to_json(&parser, &text, &cuts_of(&cuts, text.len()), usize::MAX));
        prop_assert_eq!(&cut, &events);
        let told = told(&events);
        let blocks = message.blocks().iter().filter_map(|block| match block {
            Block::Call(call) => Some((Some(call.input()), call.name())),
            Block::Incomplete(call) => Some((None, call.name())),
            _ => None,
        });
        let blocks: Vec<_> = blocks.collect();
        prop_assert_eq!(blocks.len(), told.len());
        for ((input, name), told) in blocks.into_iter().zip(told) {
            prop_assert_eq!(name, &told.name);
            match input {
                Some(input) => {
                    prop_assert_eq!(&strict(&told.arguments), &Value::Object(input.clone()));
                }
                None => prop_assert!(is_prefix(&told.arguments), "{}", told.arguments),
            }
        }
        let mut found = message.diagnostics().to_vec();
        let adapted = |event: &Event<String>| match event {
            Event::Diagnostic(found) => Some(*found),
            _ => None,
        };
        let mut adapted: Vec<_> = events.iter().filter_map(adapted).collect();
        // Of a call that was cut, `Message` has all arguments so far, and the adapter only the ones that had to leave.
        if message.blocks().iter().all(|block| !matches!(block, Block::Incomplete(_))) {
            found.sort_by_key(|found| (found.at, found.kind));
            adapted.sort_by_key(|found| (found.at, found.kind));
            prop_assert_eq!(found, adapted);
        }
    }

    /// With any bound the fragments are JSON, and no cut changes them.
    #[test]
    fn any_bound_will_do(
        dialect in a_dialect(),
        a_tool in a_tool(),
        params in vec((select(NAMES), value()), 0..6),
        hold in 0..80usize,
        cuts in vec(any::<Index>(), 0..6),
    ) {
        let parser = parser(&dialect, &[a_tool]);
        let params: Vec<_> = params.iter().map(|(name, value)| (*name, &**value)).collect();
        let text = wire(&dialect, "edit", &params);
        let events = join(to_json(&parser, &text, &Vec::new(), hold));
        prop_assert_eq!(&join(to_json(&parser, &text, &cuts_of(&cuts, text.len()), hold)), &events);
        prop_assert_eq!(&join(to_json(&parser, &text, &(1..text.len()).collect(), hold)), &events);
        for told in told(&events) {
            match told.status == Some(Status::Complete) {
                true => drop(strict(&told.arguments)),
                false => prop_assert!(is_prefix(&told.arguments)),
            }
        }
    }

    /// The parameters are the members that serde_json reads, however the object is written and cut.
    #[test]
    fn parameters_are_what_serde_reads(object in object(), choices in vec(any::<u8>(), 0..40)) {
        let text = Printer::print(&Value::Object(object), &choices, false);
        let expected: Map<String, Value> = serde_json::from_str(&text).unwrap();
        let (params, complete, found) = read(&text);
        prop_assert!(complete && found.is_empty());
        prop_assert_eq!(as_object(&params, strict), expected);
    }

    /// Arguments that need a repair are read as the repair reads them. Broken arguments are incomplete.
    #[test]
    fn parameters_are_what_a_repair_reads(
        object in object(),
        choices in vec(any::<u8>(), 1..40),
        wound in prop::option::of((any::<Index>(), 0..9usize, select(VALUES))),
        cuts in vec(any::<Index>(), 0..6),
    ) {
        let mut text = Printer::print(&Value::Object(object), &choices, true);
        if let Some((at, lost, piece)) = wound {
            let ends: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
            let at = at.index(ends.len());
            let to = ends.get(at + lost).copied().unwrap_or(text.len());
            text.replace_range(ends[at]..to, piece);
        }
        let events = to_params(&call(&text, &Vec::new(), Status::Complete));
        let cut = to_params(&call(&text, &cuts_of(&cuts, text.len()), Status::Complete));
        prop_assert_eq!(&cut, &events);
        let told = told(&events).remove(0);
        let complete = told.status == Some(Status::Complete);
        match repair::arguments(&text, Repairs::Default) {
            Ok(read) if read.repairs.iter().any(|made| {
                matches!(made, Repair::Fence | Repair::DoubleEncoded)
            }) => {}
            Ok(read) => {
                prop_assert!(complete, "{}", text);
                prop_assert_eq!(as_object(&told.params, lenient), read.object, "{}", text);
            }
            // No arguments at all.
            Err(error) if error.kind == ArgumentsErrorKind::Empty || text.trim() == "null" => {}
            Err(_) => prop_assert!(!complete, "{}", text),
        }
    }

    #[test]
    fn arguments_come_back(
        object in object(),
        choices in vec(any::<u8>(), 0..40),
        cuts in vec(any::<Index>(), 0..6),
    ) {
        let text = Printer::print(&Value::Object(object), &choices, false);
        let back = there_and_back(&text, &cuts_of(&cuts, text.len()));
        prop_assert_eq!(strict(&back), strict(&text), "{}", back);
        prop_assert_eq!(&there_and_back(&text, &(1..text.len()).collect()), &back);
        prop_assert_eq!(there_and_back(&back, &Vec::new()), back);
    }

    #[test]
    fn parameters_come_back(
        params in vec((select(NAMES), value()), 0..5),
        cuts in vec(any::<Index>(), 0..6),
    ) {
        let mut parser = parser(Dialect::INVOKE, &[]);
        let params: Vec<_> = params.iter().map(|(name, value)| (*name, &**value)).collect();
        let text = wire(&Dialect::INVOKE, "edit", &params);
        let mut straight = Record::default();
        let mut same = parser.clone();
        same.feed_into(&text, &mut straight);
        same.finish_into(&mut straight);
        let mut adapter = ParamsToJson::new(&parser, JsonToParams::new(Record::default()));
        for piece in pieces(&text, &cuts_of(&cuts, text.len())) {
            parser.feed_into(piece, &mut adapter);
        }
        parser.finish_into(&mut adapter);
        straight.0.iter_mut().for_each(|event| {
            if let Event::ToolUse(ToolUse::ParamStart { hint, .. }) = event {
                *hint = Some(TypeHint::String);
            }
        });
        let back = adapter.into_sink().into_sink().0;
        prop_assert_eq!(told(&back), told(&straight.0));
    }

    /// In a dialect of JSON arguments, a screen and a client have the arguments that `Message` reads. A client that wants
    /// the model's own text has it.
    #[test]
    fn arguments_reach_a_screen_and_a_client(
        object in object(),
        choices in vec(any::<u8>(), 0..40),
        cuts in vec(any::<Index>(), 0..6),
    ) {
        let arguments = Printer::print(&Value::Object(object), &choices, false);
        let text = format!("<tool_call>{{\"name\":\"f\",\"arguments\":{arguments}}}</tool_call>");
        let cuts = cuts_of(&cuts, text.len());
        let parser = parser(Dialect::HERMES, &[]);
        let message = parser.parse(&text);
        let input = message.calls().next().expect("a call").input();

        let (mut same, mut screen) = (parser.clone(), JsonToParams::new(Record::default()));
        for piece in pieces(&text, &cuts) {
            same.feed_into(piece, &mut screen);
        }
        same.finish_into(&mut screen);
        let shown = told(&screen.into_sink().0).remove(0);
        prop_assert_eq!(shown.status, Some(Status::Complete));
        prop_assert_eq!(&as_object(&shown.params, strict), input);

        let sent = client(&parser, &text, &cuts);
        prop_assert_eq!(&strict(&sent.calls[0].2), &Value::Object(input.clone()));
        let writer = DeltaWriter::new(&parser).verbatim_arguments();
        let (sent, _) = gateway::client(&parser, writer, &text, &cuts, Ended::Stop);
        prop_assert_eq!(&sent.calls[0].1, &arguments);
    }

    /// A client of the deltas has the text and the calls of the message.
    #[test]
    fn a_client_has_what_a_message_has(
        dialect in a_dialect(),
        a_tool in a_tool(),
        params in vec((select(NAMES), value()), 0..5),
        cuts in vec(any::<Index>(), 0..6),
    ) {
        let parser = parser(&dialect, &[a_tool]);
        let params: Vec<_> = params.iter().map(|(name, value)| (*name, &**value)).collect();
        let text = format!("I edit.\n{}\nDone.", wire(&dialect, "edit", &params));
        gateway::check(&parser, &text, &cuts_of(&cuts, text.len()), Ended::Stop);
    }
}

/// In ReAct, an undeclared tool without input does not run, for a client as for `Message`.
#[test]
fn a_line_without_input_runs_declared_tools_alone() {
    let text = "Action: clock\nAction Input:\nThought: x";
    for (tools, sent) in [(vec![], "{,]"), (vec![Tool::new("clock")], "{}")] {
        let parser = Parser::builder(Dialect::REACT).tools(tools).build().unwrap();
        gateway::check(&parser, text, &vec![text.len() / 2], Ended::Stop);
        let writer = DeltaWriter::new(&parser);
        let (client, _) = gateway::client(&parser, writer, text, &Vec::new(), Ended::Stop);
        assert_eq!(client.calls, [("clock".to_string(), sent.to_string())]);
    }
}

/// Keeps the markers that a sink behind an adapter gets.
#[derive(Default)]
struct Markers(Vec<String>);

impl Sink for Markers {
    fn event(&mut self, _: Event<&str>) {}

    fn wants_markers(&self) -> bool {
        true
    }

    fn marker(&mut self, marker: &Marker<'_>) {
        self.0.push(marker.to_string());
    }
}

fn feed(parser: &Parser, text: &str, sink: &mut impl Sink) {
    let mut parser = parser.clone();
    parser.feed_into(text, sink);
    parser.finish_into(sink);
}

#[test]
fn markers_pass_through() {
    let text =
        "<tool_call>{\"name\": \"read\", \"arguments\": {}}</tool_call> and <tool_call> in prose";
    let parser = Parser::builder(Dialect::HERMES).tool_limit(None).build().unwrap();
    let mut direct = Markers::default();
    let mut json = ParamsToJson::new(&parser, Markers::default());
    let mut params = JsonToParams::new(Markers::default());
    feed(&parser, text, &mut direct);
    feed(&parser, text, &mut json);
    feed(&parser, text, &mut params);
    assert!(direct.0.len() > 2, "{:?}", direct.0);
    assert_eq!(json.into_sink().0, direct.0);
    assert_eq!(params.into_sink().0, direct.0);
}
