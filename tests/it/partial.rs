//! The arguments of an open call: at every cut of every vector, they are the beginning of the final arguments.

use std::ops::Range;

use serde_json::{Value, json};

use toolstream::native::{Provider, Reader};
use toolstream::{Dialect, Event, Param, Parser, Tool, ToolUse, options::Options, tools::Type};

use crate::support::partial::{broken, look, looks};
use crate::support::soup::{self, Choices};
use crate::support::{expected, inputs};

/// Checks the law for a text at every cut.
fn hold(parser: &Parser, text: &str, cut: bool) -> Result<(), String> {
    let bytes: Vec<Range<usize>> = (0..text.len()).map(|at| at..at + 1).collect();
    let (every, message) = looks(parser, text, &bytes, cut);
    if let Some(what) = broken(&every, &message) {
        return Err(what);
    }
    for at in 1..text.len() {
        let (mut parser, mut message) = (parser.clone(), parser.message());
        parser.feed_bytes(&text.as_bytes()[..at]).for_each(|event| message.push(event));
        let once = look(&mut message);
        if once != every[at - 1] {
            return Err(format!("at {at} {once:?}, bytewise {:?}", every[at - 1]));
        }
    }
    Ok(())
}

fn vectors(file: &str) -> Vec<Value> {
    let path = format!("{}/tests/vectors/{file}.jsonl", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).expect("a vector file");
    text.lines().map(|line| serde_json::from_str(line).expect("a vector")).collect()
}

fn tools(vector: &Value) -> Vec<Tool> {
    let tools = vector["tools"].as_array().into_iter().flatten();
    tools.map(|tool| Tool::from_json(tool).expect("a tool")).collect()
}

/// The options of a vector, and whether its stream is cut.
fn options(vector: &Value) -> (Options, bool) {
    let mut config = vector.get("config").cloned().unwrap_or_else(|| json!({}));
    let ended = config.as_object_mut().and_then(|config| config.remove("ended"));
    (Options::from_json(&config).expect("options"), ended == Some("cut".into()))
}

#[test]
fn every_vector_at_every_cut() {
    let mut failed = Vec::new();
    let files = Dialect::ALL.iter().map(|dialect| dialect.name()).chain(["types"]);
    for vector in files.flat_map(vectors).step_by(inputs::every()) {
        let Some(dialect) = vector["dialect"].as_str() else { continue };
        let (options, cut) = options(&vector);
        let dialect = Dialect::by_name(dialect).expect("a dialect");
        let parser = Parser::builder(dialect).tools(tools(&vector)).options(options).build();
        let text = vector["input"].as_str().expect("a text");
        if let Err(what) = hold(&parser.expect("a parser"), text, cut) {
            failed.push(format!("{}: {what}\n   {text:?}", vector["id"]));
        }
    }
    assert!(failed.is_empty(), "{} failed:\n{}", failed.len(), failed.join("\n"));
}

/// A repeated key opens again, even if the text goes wrong right behind it. (Fuzzing found this.)
#[test]
fn a_key_that_comes_again() {
    let tool = Tool::new("set").param(Param::optional("a").with(Type::Array));
    let parser = Parser::builder(Dialect::HERMES).tool(tool).build().unwrap();
    for second in ["\"a\"> 2", "\"a\": 2", "\"a\""] {
        let call = format!("{{\"name\": \"set\", \"arguments\": {{\"a\": 1, {second}}}}}");
        hold(&parser, &format!("<tool_call>{call}</tool_call>"), false).unwrap();
    }
}

/// The vectors' inputs, cut into pieces and joined at random. The message is looked at after each byte.
#[test]
fn soup_of_vectors() {
    let rounds: u64 = std::env::var("SOUP_ROUNDS").map_or(12, |n| n.parse().expect("a number"));
    for dialect in Dialect::ALL {
        let vectors = vectors(dialect.name());
        let inputs = vectors.iter().filter_map(|vector| vector["input"].as_str());
        let mut pieces: Vec<&str> = inputs
            .flat_map(|input| input.split_inclusive(['>', '\n', '"']).chain([input]))
            .collect();
        pieces.sort();
        pieces.dedup();
        for seed in 0..rounds {
            let data = soup::seeded(seed, 40);
            let mut choices = Choices::new(&data);
            let tools = tools(&vectors[choices.below(vectors.len())]);
            let limit = choices.of(&[None, Some(1)]);
            let parser = Parser::builder(dialect).tools(tools).tool_limit(limit).build();
            let cut = choices.one_in(2);
            let mut text = String::new();
            while choices.are_left() {
                text += pieces[(choices.below(256) * 256 + choices.below(256)) % pieces.len()];
            }
            let bytes: Vec<Range<usize>> = (0..text.len()).map(|at| at..at + 1).collect();
            let (looks, message) = looks(&parser.expect("a parser"), &text, &bytes, cut);
            let broken = broken(&looks, &message);
            assert_eq!(broken, None, "{dialect:?}, seed {seed}: {text:?}");
        }
    }
}

/// The events of a provider's stream, with the slices of arguments cut into characters.
fn native_events(vector: &Value, reader: &mut Reader) -> Vec<Event<String>> {
    let mut events = Vec::new();
    let mut take = |event: Event<&str>| match event {
        Event::ToolUse(ToolUse::ArgumentsDelta(text)) => {
            let one = |c: char| Event::ToolUse(ToolUse::ArgumentsDelta(c.to_string()));
            events.extend(text.chars().map(one));
        }
        event => events.push(event.map(String::from)),
    };
    for event in vector["input"].as_array().expect("events") {
        reader.feed_value_into(event, &mut take);
    }
    reader.finish_into(&mut take);
    events
}

#[test]
fn every_native_vector_at_every_cut() {
    let mut calls = 0;
    for vector in vectors("native") {
        let Ok(provider) = vector["provider"].as_str().unwrap_or_default().parse::<Provider>()
        else {
            continue;
        };
        let reader = Reader::builder(provider).tools(tools(&vector)).tool_limit(None).build();
        let mut reader = reader.expect("a reader");
        let events = native_events(&vector, &mut reader);
        let (mut message, mut seen) = (reader.message(), Vec::new());
        for (at, event) in events.iter().enumerate() {
            message.push(event.clone());
            seen.push(look(&mut message));
            let mut once = reader.message();
            events[..=at].iter().for_each(|event| once.push(event.clone()));
            assert_eq!(look(&mut once), seen[at], "{}", vector["id"]);
        }
        message.close();
        calls += message.calls().count();
        assert_eq!(broken(&seen, &message), None, "{}", vector["id"]);
    }
    assert!(calls > 20, "{calls}");
}

fn edit() -> Tool {
    let item = json!({"type": "object", "properties":
        {"what": {"type": "string"}, "state": {"enum": ["open", "done"]}, "n": {"type": "integer"}}});
    Tool::from_json(&json!({"name": "edit", "parameters": {"type": "object", "properties": {
        "path": {"type": "string"},
        "note": {"type": ["string", "null"]},
        "line": {"type": "integer"},
        "mode": {"type": "string", "enum": ["read", "write"]},
        "items": {"type": "array", "items": item},
        "where": {"type": "object"},
    }}}))
    .expect("a tool")
}

/// Checks the visible arguments behind a text, and the places that are done.
fn seen(dialect: Dialect, text: &str, expected: Value, done: &[&str]) {
    let mut parser = Parser::builder(dialect).tool(edit()).build().expect("a parser");
    let mut message = parser.message();
    parser.feed(text).for_each(|event| message.push(event));
    let mut look = look(&mut message).expect("an open call");
    assert_eq!(look.input, expected, "{text}");
    look.done.sort_by(|(one, _), (other, _)| one.cmp(other));
    let places: Vec<&str> = look.done.iter().map(|(place, _)| &**place).collect();
    assert_eq!(places, done, "{text}");
}

#[test]
fn json_is_seen_as_far_as_it_came() {
    let seen = |arguments: &str, expected: Value, done: &[&str]| {
        let call = r#"<tool_call>{"name": "edit", "arguments": "#;
        seen(Dialect::HERMES, &format!("{call}{arguments}"), expected, done);
    };
    seen("", json!({}), &[]);
    seen("{\"pa", json!({}), &[]);
    seen("{\"path\": \"a\\", json!({"path": "a"}), &[]);
    seen(r#"{"path": "a\ud83e"#, json!({"path": "a"}), &[]);
    seen(r#"{"path": "a\ud83e\udd80""#, json!({"path": "a🦀"}), &["/path"]);
    seen("{\"line\": 12", json!({}), &[]);
    seen("{\"line\": 12,", json!({"line": 12}), &["/line"]);
    seen("{\"mode\": \"rea", json!({}), &[]);
    seen("{\"mode\": \"read\"", json!({"mode": "read"}), &["/mode"]);
    seen(
        "{\"items\": [{\"what\": \"a\", \"n\": 1}, {\"what\": \"b/",
        json!({"items": [{"what": "a", "n": 1}, {"what": "b/"}]}),
        &["/items/0", "/items/0/n", "/items/0/what"],
    );
    seen(
        "{\"items\": [{\"what\": \"a\", \"state\": \"do",
        json!({"items": [{"what": "a"}]}),
        &["/items/0/what"],
    );
    seen(
        "{\"where\": {\"a/b~\": [1, 2]",
        json!({"where": {"a/b~": [1, 2]}}),
        &["/where/a~1b~0", "/where/a~1b~0/0", "/where/a~1b~0/1"],
    );
    // Arguments are visible as far as repairs can read them.
    seen("{path: 'it\\'s', line: 1", json!({"path": "it's"}), &["/path"]);
    seen("{\"path\": \"a\", \"note\" \"b\"", json!({"path": "a"}), &["/path"]);
    // The arguments in a string.
    seen(r#""{\"path\": \"a b"#, json!({"path": "a b"}), &[]);
}

#[test]
fn parameters_are_seen_as_far_as_they_came() {
    let seen = |params: &str, expected: Value, done: &[&str]| {
        let call = "<tool_call>\n<function=edit>\n";
        seen(Dialect::QWEN3_CODER, &format!("{call}{params}"), expected, done);
    };
    let param = |name: &str, value: &str| format!("<parameter={name}>\n{value}");
    let closed = |name: &str, value: &str| param(name, value) + "\n</parameter>\n";
    // The text behind a closer confirms it.
    let next = "<parameter=mode>\n";
    seen(&param("path", "12"), json!({"path": "12"}), &[]);
    seen(&(closed("path", "12") + next), json!({"path": "12"}), &["/path"]);
    seen(&param("line", "12"), json!({}), &[]);
    seen(&(closed("line", "12") + next), json!({"line": 12}), &["/line"]);
    seen(&param("mode", "read"), json!({}), &[]);
    seen(&param("note", "nul"), json!({}), &[]);
    seen(&param("note", "nulls"), json!({"note": "nulls"}), &[]);
    seen(&(closed("note", "null") + next), json!({"note": null}), &["/note"]);
    let items = "[{\"what\": \"a\"}, {\"what\": \"b";
    let first = ["/items/0", "/items/0/what"];
    seen(&param("items", items), json!({"items": [{"what": "a"}, {"what": "b"}]}), &first);
    // The list may have more pieces.
    let one = closed("items", "[{\"what\": \"a\"}]");
    seen(&(one.clone() + next), json!({"items": [{"what": "a"}]}), &first);
    let two = one + &closed("items", "{\"what\": \"b\"}");
    let both = ["/items/0", "/items/0/what", "/items/1", "/items/1/what"];
    seen(&(two + next), json!({"items": [{"what": "a"}, {"what": "b"}]}), &both);
    let where_ = closed("path", "a") + &param("where", "{\"x\": {\"y\": \"z");
    seen(&where_, json!({"path": "a", "where": {"x": {"y": "z"}}}), &["/path"]);
}

/// The text behind a number or a word may make a text of it: `12}`, `true]`.
#[test]
fn numbers_and_words_of_json_wait_for_their_closer() {
    let opener = "<｜DSML｜tool_calls>\n<｜DSML｜invoke name=\"edit\">\n";
    let param = |name: &str, value: &str| {
        format!("{opener}<｜DSML｜parameter name=\"{name}\" string=\"false\">{value}")
    };
    for value in ["1", "12", "-1.5e3", "12}", "true", "true]", "null", "nul"] {
        seen(Dialect::DEEPSEEK_DSML, &param("line", value), json!({}), &[]);
    }
    let begun = param("where", "{\"x\": [1, 2");
    seen(Dialect::DEEPSEEK_DSML, &begun, json!({"where": {"x": [1]}}), &["/where/x/0"]);
}

#[test]
fn an_undeclared_parameter_called_arguments_is_seen_beside_others() {
    let seen = |params: &str, expected: Value, done: &[&str]| {
        let call = "<tool_call>\n<function=edit>\n";
        seen(Dialect::QWEN3_CODER, &format!("{call}{params}"), expected, done);
    };
    let arguments = "<parameter=arguments>\n{\"path\": \"a\"}";
    let path = "<parameter=path>\nb";
    let close = "\n</parameter>\n";
    seen(arguments, json!({}), &[]);
    let both = json!({"arguments": "{\"path\": \"a\"}", "path": "b"});
    seen(&format!("{arguments}{close}{path}"), both.clone(), &["/arguments"]);
    seen(&format!("{path}{close}{arguments}"), both, &["/path"]);
}

/// If a list's singular feeds it, a list among its pieces is one element. So nothing of the first piece is visible.
#[test]
fn the_first_piece_of_a_list_with_a_singular_waits() {
    let call = "<tool:edit>\n<param:items>[{\"what\": \"a\"}, ";
    seen(Dialect::CODE_ASSISTANT, call, json!({}), &[]);
}

/// A value may begin like a type that its schema lacks, or like one of two types.
#[test]
fn how_a_value_begins_shows_less_than_its_schema() {
    for (types, value) in [
        (json!("object"), "[1, 2]"),
        (json!("integer"), "[1, 2]"),
        (json!("integer"), "{\"a\": 1}"),
        (json!(["array", "string", "null"]), "nulls"),
        (json!(["array", "string", "null"]), "[1, 2] and"),
        (json!(["object", "string"]), "{\"a\": 1} and"),
    ] {
        let tool = json!({"name": "f", "parameters": {"properties": {"a": {"type": types}}}});
        let tool = Tool::from_json(&tool).expect("a tool");
        let parser = Parser::builder(Dialect::QWEN3_CODER).tool(tool).build().expect("a parser");
        let call = "<tool_call>\n<function=f>\n<parameter=a>\n";
        let text = format!("{call}{value}\n</parameter>\n</function>\n</tool_call>");
        if let Err(what) = hold(&parser, &text, false) {
            panic!("{value} of type {types}: {what}");
        }
    }
}

/// A plain input is visible while it comes if it is a text in any case: not one of a few values, and not in quotes.
#[test]
fn how_a_plain_input_begins_shows_what_it_is() {
    for schema in [json!({"type": "string"}), json!({"type": "integer"}), json!({"enum": ["ls"]})] {
        let tool = json!({"name": "run", "parameters": {"properties": {"a": schema}}});
        let tool = Tool::from_json(&tool).expect("a tool");
        let parser = Parser::builder(Dialect::REACT).tool(tool).build().expect("a parser");
        for input in ["ls", "ls -l", "12", "\"ls\"", "'ls'", "\"ls\" -l", "none", "nonet"] {
            let text = format!("Action: run\nAction Input: {input}\n");
            if let Err(what) = hold(&parser, &text, false) {
                panic!("{input} of {schema}: {what}");
            }
        }
    }
}

/// A value behind too much white space waits for its end, whenever somebody looks.
#[test]
fn a_value_far_behind_white_space_waits() {
    let parser = Parser::builder(Dialect::QWEN3_CODER).tool(edit()).build().expect("a parser");
    let call = "<tool_call>\n<function=edit>\n<parameter=where>\n";
    for (blanks, is_seen) in [(254, true), (255, true), (256, false)] {
        let text = format!("{call}{}{{\"a\": 1, \"b\": 2", " ".repeat(blanks));
        hold(&parser, &text, true).unwrap_or_else(|what| panic!("{blanks}: {what}"));
        let expected = if is_seen { json!({"where": {"a": 1}}) } else { json!({}) };
        let done: &[&str] = if is_seen { &["/where/a"] } else { &[] };
        seen(Dialect::QWEN3_CODER, &text, expected, done);
    }
}

/// The plain input of a call of lines waits behind too much white space, too. There a word may mean that there is no input.
#[test]
fn a_plain_input_far_behind_white_space_waits() {
    let run = Tool::new("run").param(Param::optional("command").with(Type::String));
    let parser = Parser::builder(Dialect::REACT).tool(run).build().expect("a parser");
    let call = "Action: run\nAction Input:";
    for blanks in [255, 256, 257, 300] {
        for input in ["ls -l", "None", "Nonet"] {
            let blanks = " ".repeat(blanks);
            for text in [
                format!("{call}{blanks}{input}"),
                format!("{call} {input}{blanks}"),
                format!("{call} {input}{blanks}."),
            ] {
                hold(&parser, &text, false).unwrap_or_else(|what| panic!("{text}: {what}"));
            }
        }
    }
}

#[test]
fn other_literals_and_lines() {
    let call = "[edit(path='it\\'s', line=12, note=\"b";
    seen(
        Dialect::PYTHONIC,
        call,
        json!({"path": "it's", "line": 12, "note": "b"}),
        &["/line", "/path"],
    );
    let run = Tool::new("run").param(Param::required("command").with(Type::String));
    let mut parser = Parser::builder(Dialect::REACT).tool(run).build().expect("a parser");
    let mut message = parser.message();
    parser.feed("Action: run\nAction Input: ls -l \n").for_each(|event| message.push(event));
    let call = message.partial_call().expect("an open call");
    assert_eq!(Value::Object(call.input().clone()), json!({"command": "ls -l"}));
}

/// A text that becomes a value of another type is not visible before it is this value.
#[test]
fn coerced_members_wait() {
    let options = Options::from_json(&json!({"types": "coerce"})).expect("options");
    let parser = Parser::builder(Dialect::HERMES).tool(edit()).options(options).build();
    let mut parser = parser.expect("a parser");
    let mut message = parser.message();
    for (chunk, expected) in [
        ("<tool_call>{\"name\": \"edit\", \"arguments\": {\"line\": \"1", json!({})),
        ("2\", \"where\": {\"line\": \"3", json!({"line": 12, "where": {"line": "3"}})),
        ("\"}, \"path\": \"1", json!({"line": 12, "where": {"line": "3"}, "path": "1"})),
    ] {
        parser.feed(chunk).for_each(|event| message.push(event));
        let call = message.partial_call().expect("an open call");
        assert_eq!(Value::Object(call.input().clone()), expected);
    }
}

/// Before and behind a call, no call is partial.
#[test]
fn only_an_open_call_is_partial() {
    let mut parser = Parser::builder(Dialect::HERMES).tool(edit()).build().expect("a parser");
    let mut message = parser.message();
    assert!(message.partial_call().is_none());
    let text = "a <tool_call>{\"name\": \"edit\", \"arguments\": {}}</tool_call> b";
    for (chunk, open) in [(&text[..2], false), (&text[2..43], true), (&text[43..], false)] {
        parser.feed(chunk).for_each(|event| message.push(event));
        assert_eq!(message.partial_call().is_some(), open, "{chunk}");
    }
}

/// A line for each type of value in each dialect: how often the visible value changes, and where it does first and last.
/// `EXPECTED=write` writes the file anew; read the changes before you commit them.
#[test]
fn how_soon_values_are_seen() {
    let params = [
        ("text", json!({"type": "string"}), json!("nullx 'y' [z")),
        ("digits", json!({"type": "string"}), json!("12")),
        ("maybe", json!({"type": ["string", "null"]}), json!("nul and void")),
        ("none", json!({"type": ["string", "null"]}), json!(null)),
        ("count", json!({"type": "integer"}), json!(12)),
        ("list", json!({"type": "array", "items": {"type": "string"}}), json!(["a", "[b"])),
        ("either", json!({"type": ["string", "array"]}), json!(["a"])),
        ("words", json!({"type": ["string", "array"]}), json!("a {b")),
        ("object", json!({"type": "object"}), json!({"a": {"b": "c"}, "d": [1, "e"]})),
        ("loose", json!({"type": ["string", "object"]}), json!({"a": "b"})),
        ("any", json!({}), json!("a b")),
        ("choice", json!({"enum": ["one", "two", 3]}), json!("one")),
        ("number", json!({"enum": ["one", "two", 3]}), json!(3)),
        ("long", json!({"type": "string"}), json!(" ".repeat(260) + "a")),
    ];
    let mut lines = String::new();
    for dialect in Dialect::ALL {
        for (name, schema, value) in &params {
            let tool = json!({"name": "f", "parameters": {"properties": {*name: schema}}});
            let tool = Tool::from_json(&tool).expect("a tool");
            let parser = Parser::builder(dialect).tool(tool).build().expect("a parser");
            let arguments = serde_json::Map::from_iter([(name.to_string(), value.clone())]);
            let call = toolstream::render::CallRef::new("f", &arguments);
            let Ok(text) = parser.render_calls(&[call]) else {
                lines += &format!("{dialect} {name}: cannot be written\n");
                continue;
            };
            let bytes: Vec<Range<usize>> = (0..text.len()).map(|at| at..at + 1).collect();
            let (looks, _) = looks(&parser, &text, &bytes, false);
            let mut seen: Vec<(usize, String)> = Vec::new();
            for (at, look) in looks.into_iter().enumerate() {
                let Some(look) = look else { continue };
                let done: Vec<_> = look.done.iter().map(|(place, _)| &**place).collect();
                let shown = format!("{} {}", look.input, done.join(" "));
                if seen.last().is_none_or(|(_, last)| *last != shown) {
                    seen.push((at, shown));
                }
            }
            let [first, last] = [seen.get(1), seen.last()].map(|look| match look {
                Some((at, shown)) => format!("{at} {}", shown.replace(&" ".repeat(200), "…")),
                None => "never".to_string(),
            });
            lines += &format!("{dialect} {name}: {}, {first}, {last}\n", seen.len());
        }
    }
    expected::compare("partial.txt", &lines);
}

/// White space before a string is not part of the visible value, even if a host's own event has it.
#[test]
fn white_space_before_a_string_is_not_seen() {
    let parser = Parser::builder(Dialect::LFM2).tool(edit()).build().unwrap();
    let mut reply = parser.clone().reply();
    let mut message = parser.message();
    for event in reply.feed("<|tool_call_start|>[edit(path='a b") {
        message.push(match event {
            Event::ToolUse(ToolUse::ParamDelta("'a b")) => {
                Event::ToolUse(ToolUse::ParamDelta(" 'a b"))
            }
            event => event,
        });
    }
    let call = message.partial_call().unwrap();
    assert_eq!(call.input()["path"], "a b");
}
