//! The text of a parameter becomes the same value in `Message` and in [`ParamsToJson`].

use serde_json::{Map, Value, json};
use toolstream::adapt::ParamsToJson;
use toolstream::check::every_cut;
use toolstream::{
    Block, Dialect, Event, Message, Param, Parser, Status, Tool, ToolUse, calls::IncompleteReason,
    diagnostic::DiagnosticKind as Kind, options::Options, tools::Type,
};

const TAGS: [Dialect; 5] =
    [Dialect::CLINE, Dialect::CODE_ASSISTANT, Dialect::INVOKE, Dialect::QWEN3_CODER, Dialect::GLM];

/// The tool `f` with this JSON Schema of its parameters.
fn tool(schema: Value) -> Tool {
    Tool::from_json(&json!({"name": "f", "parameters": schema})).expect("a good schema")
}

fn parser(dialect: impl Into<Dialect>, tool: Tool) -> Parser {
    Parser::builder(dialect).tool(tool).build().expect("a well named tool")
}

/// A call of `f` with these parameters, each unchanged.
fn wire(dialect: &Dialect, params: &[(&str, &str)]) -> String {
    let (open, close) = match dialect.name() {
        "cline" => ("<f>", "</f>"),
        "code-assistant" => ("<tool:f>", "</tool:f>"),
        "qwen3-coder" => ("<tool_call><function=f>", "</function></tool_call>"),
        "glm" => ("<tool_call>f", "</tool_call>"),
        _ => ("<function_calls><invoke name=\"f\">", "</invoke></function_calls>"),
    };
    let param = |(name, value): &(&str, &str)| match dialect.name() {
        "cline" => format!("<{name}>{value}</{name}>"),
        "code-assistant" => format!("<param:{name}>{value}</param:{name}>"),
        "qwen3-coder" => format!("<parameter={name}>{value}</parameter>"),
        "glm" => format!("<arg_key>{name}</arg_key><arg_value>{value}</arg_value>"),
        _ => format!("<parameter name=\"{name}\">{value}</parameter>"),
    };
    format!("{open}{}{close}", params.iter().map(param).collect::<String>())
}

/// The result of [`ParamsToJson`] for a text: the arguments of its only call, whether it is complete, and the diagnostics.
fn adapted(parser: &Parser, text: &str, cuts: &[usize]) -> (String, bool, Vec<Kind>) {
    let (mut arguments, mut complete, mut found) = (String::new(), false, Vec::new());
    let mut adapter = ParamsToJson::new(parser, |event: Event<&str>| match event {
        Event::ToolUse(ToolUse::ArgumentsDelta(fragment)) => arguments.push_str(fragment),
        Event::ToolUse(ToolUse::End { status, .. }) => complete = status == Status::Complete,
        Event::Diagnostic(diagnostic) => found.push(diagnostic.kind),
        _ => {}
    });
    let mut parser = parser.clone();
    let ends = cuts.iter().copied().chain([text.len()]);
    let mut from = 0;
    for to in ends.filter(|to| text.is_char_boundary(*to)) {
        parser.feed_into(&text[from..to], &mut adapter);
        from = to;
    }
    parser.finish_into(&mut adapter);
    drop(adapter);
    found.sort();
    (arguments, complete, found)
}

fn kinds(message: &Message) -> Vec<Kind> {
    let mut kinds: Vec<Kind> = message.diagnostics().iter().map(|found| found.kind).collect();
    kinds.sort();
    kinds
}

/// The arguments of the only call in `text`, which is complete, and the diagnostics. The adapter has the same at every cut.
fn read(parser: &Parser, text: &str) -> (Map<String, Value>, Vec<Kind>) {
    let message = parser.parse(text);
    let [Block::Call(call)] = message.blocks() else { panic!("{:?}", message.blocks()) };
    for cuts in every_cut(text.len()) {
        let (arguments, complete, found) = adapted(parser, text, &cuts);
        let arguments: Map<String, Value> = serde_json::from_str(&arguments)
            .unwrap_or_else(|error| panic!("{error}: {arguments} of {text}"));
        assert_eq!((&arguments, complete), (call.input(), true), "{text} cut at {cuts:?}");
        assert_eq!(found, kinds(&message), "{text} cut at {cuts:?}");
    }
    (call.input().clone(), kinds(&message))
}

/// The value of `text` for a parameter of this schema, and its diagnostic.
fn value(schema: &Value, text: &str) -> (Value, Option<Kind>) {
    let tool = tool(json!({"type": "object", "properties": {"v": schema}, "$defs": defs()}));
    // Of the dialects with tags, this one leaves the text unchanged.
    let (mut input, kinds) =
        read(&parser(Dialect::GLM, tool), &wire(&Dialect::GLM, &[("v", text)]));
    assert!(kinds.len() < 2, "{kinds:?}");
    (input.remove("v").expect("the value"), kinds.first().copied())
}

fn defs() -> Value {
    json!({
        "whole": {"type": "integer"},
        "again": {"$ref": "#/$defs/whole"},
        "pair": {"type": "array", "items": {"$ref": "#/$defs/again"}},
        "endless": {"anyOf": [{"$ref": "#/$defs/endless"}, {"type": "boolean"}]},
    })
}

const FITS: Option<Kind> = None;
const MISMATCH: Option<Kind> = Some(Kind::TypeMismatch);
const REPAIRED: Option<Kind> = Some(Kind::RepairedJson);

#[test]
fn rows_of_the_table_in_their_order() {
    let all = json!(["null", "boolean", "integer", "number", "string", "array", "object"]);
    for (types, text, expected, found) in [
        // Only a string, or no type: the text is unchanged.
        (json!("string"), " null\n", json!(" null\n"), FITS),
        (json!([]), "3", json!("3"), FITS),
        (json!("thing"), "3", json!("3"), FITS),
        // null
        (json!(["null", "integer"]), " null\t", Value::Null, FITS),
        (json!(["null", "integer"]), "None", Value::Null, FITS),
        (json!(["null", "integer"]), "none", json!("none"), MISMATCH),
        (json!(["null", "integer"]), "NULL", json!("NULL"), MISMATCH),
        (json!(["null", "string"]), "null", Value::Null, FITS),
        (json!(["null", "string"]), "None", json!("None"), FITS),
        (json!("integer"), "None", json!("None"), MISMATCH),
        // object, array
        (json!("object"), " {\"b\": 1, \"a\": 2} ", json!({"b": 1, "a": 2}), FITS),
        (json!("object"), "{b: 1,}", json!({"b": 1}), REPAIRED),
        (json!("object"), "[1]", json!("[1]"), MISMATCH),
        (json!("object"), "{\"b\": oops}", json!("{\"b\": oops}"), MISMATCH),
        (json!("array"), "{\"a\": 1}", json!("{\"a\": 1}"), MISMATCH),
        (json!(["object", "array"]), "[{}]", json!([{}]), FITS),
        (json!(["array", "string"]), "['a']", json!(["a"]), REPAIRED),
        (json!(["array", "string"]), "[a]", json!("[a]"), FITS),
        // string, too
        (json!(["string", "integer"]), "3", json!("3"), FITS),
        (all.clone(), " true ", json!(" true "), FITS),
        (all.clone(), "null", Value::Null, FITS),
        (all, "[3]", json!([3]), FITS),
        // integer
        (json!("integer"), " -7\r\n", json!(-7), FITS),
        (json!("integer"), "007", json!(7), FITS),
        (json!("integer"), "18446744073709551615", json!(u64::MAX), FITS),
        (json!("integer"), "-9223372036854775808", json!(i64::MIN), FITS),
        (json!("integer"), "18446744073709551616", json!("18446744073709551616"), MISMATCH),
        (json!("integer"), "+7", json!("+7"), MISMATCH),
        (json!("integer"), "1.0", json!("1.0"), MISMATCH),
        (json!("integer"), "-", json!("-"), MISMATCH),
        // A value that does not fit a type is tried with the next.
        (json!(["integer", "number"]), "18446744073709551616", json!(18446744073709551616.0), FITS),
        (json!(["integer", "number"]), "1.5", json!(1.5), FITS),
        (json!(["number", "boolean"]), "true", json!(true), FITS),
        (json!(["integer", "boolean"]), " FALSE ", json!(false), FITS),
        (json!(["integer", "number", "boolean"]), "yes", json!("yes"), MISMATCH),
        // number
        (json!("number"), "3", json!(3), FITS),
        (json!("number"), "-1.5e3", json!(-1500.0), FITS),
        (json!("number"), "1e999", json!("1e999"), MISMATCH),
        (json!("number"), ".5", json!(".5"), MISMATCH),
        (json!("number"), "", json!(""), MISMATCH),
        // boolean
        (json!("boolean"), "tRuE", json!(true), FITS),
        (json!("boolean"), "1", json!("1"), MISMATCH),
    ] {
        let read = value(&json!({"type": types}), text);
        assert_eq!(read, (expected, found), "{types}: {text}");
    }
}

#[test]
fn names_of_python_s_types() {
    for (name, text, expected) in [
        ("int", "3", json!(3)),
        ("float", "2.5", json!(2.5)),
        ("bool", "True", json!(true)),
        ("str", "3", json!("3")),
        ("dict", "{\"a\": 1}", json!({"a": 1})),
        ("list", "[1]", json!([1])),
        ("tuple", "[1]", json!([1])),
        ("none", "None", Value::Null),
        // All types, with string among them.
        ("any", "3", json!("3")),
        ("any", "[3]", json!([3])),
        ("any", "{}", json!({})),
        ("any", "null", Value::Null),
        ("any", "None", json!("None")),
    ] {
        assert_eq!(value(&json!({"type": name}), text), (expected, FITS), "{name}: {text}");
    }
    assert_eq!(value(&json!({"type": ["int", "none"]}), "null"), (Value::Null, FITS));
    assert_eq!(value(&json!({"type": "Int"}), "3"), (json!("3"), FITS), "no name of a type");
}

#[test]
fn texts_of_const_and_enum_alone_are_strings() {
    let auto = json!({"anyOf": [{"const": "auto"}, {"type": "integer"}]});
    let levels = json!({"enum": ["low", "high", 3]});
    let typed = json!({"type": ["string", "boolean"], "enum": ["on", "off", true]});
    let nullable = json!({"enum": ["on", null]});
    let named = json!({"enum": ["None", null]});
    let open = json!({"anyOf": [{"const": "auto"}, {"type": "string"}, {"type": "integer"}]});
    for (schema, text, expected, found) in [
        (&auto, "42", json!(42), FITS),
        (&auto, "auto", json!("auto"), FITS),
        (&auto, " auto\n", json!("auto"), FITS),
        (&auto, "Auto", json!("Auto"), MISMATCH),
        (&levels, "high", json!("high"), FITS),
        (&levels, "3", json!(3), FITS),
        (&levels, "medium", json!("medium"), MISMATCH),
        (&typed, "on", json!("on"), FITS),
        (&typed, "TRUE", json!(true), FITS),
        (&nullable, "null", Value::Null, FITS),
        (&nullable, "None", Value::Null, FITS),
        (&named, "None", json!("None"), FITS),
        (&open, "42", json!("42"), FITS),
        // A `const` gives a type by itself.
        (&json!({"const": 5}), "5", json!(5), FITS),
        (&json!({"const": true}), "True", json!(true), FITS),
        (&json!({"const": null}), "null", Value::Null, FITS),
        (&json!({"const": [1]}), "[1]", json!([1]), FITS),
        (&json!({"const": 1.5}), "1.5", json!(1.5), FITS),
        // Only strings: any text, unchanged.
        (&json!({"enum": ["a", "b"]}), " c", json!(" c"), FITS),
        (&json!({"type": "string", "enum": ["1"]}), "2", json!("2"), FITS),
    ] {
        assert_eq!(value(schema, text), (expected, found), "{schema}: {text}");
    }
}

#[test]
fn references_are_followed() {
    let endless = json!({"$ref": "#/$defs/endless"});
    for (schema, text, expected, found) in [
        (json!({"$ref": "#/$defs/again"}), "7", json!(7), FITS),
        (json!({"allOf": [{"$ref": "#/$defs/whole"}]}), "7", json!(7), FITS),
        (
            json!({"oneOf": [{"type": "null"}, {"$ref": "#/$defs/again"}]}),
            "None",
            json!(null),
            FITS,
        ),
        (endless.clone(), "true", json!(true), FITS),
        (endless, "7", json!("7"), MISMATCH),
        // The reference leads out of this document, or nowhere.
        (json!({"$ref": "https://example.com/#/$defs/whole"}), "7", json!("7"), FITS),
        (json!({"$ref": "#/$defs/nothing"}), "7", json!("7"), FITS),
    ] {
        assert_eq!(value(&schema, text), (expected, found), "{schema}: {text}");
    }
}

#[test]
fn references_are_followed_so_deep_and_no_deeper() {
    for (deep, expected) in [(32, json!(7)), (33, json!("7"))] {
        let mut defs = Map::new();
        for at in 1..deep {
            defs.insert(format!("d{at}"), json!({"$ref": format!("#/$defs/d{}", at + 1)}));
        }
        defs.insert(format!("d{deep}"), json!({"type": "integer"}));
        let properties = json!({"v": {"$ref": "#/$defs/d1"}});
        let schema = json!({"type": "object", "properties": properties, "$defs": defs});
        let parser = parser(Dialect::GLM, tool(schema));
        let (input, _) = read(&parser, &wire(&Dialect::GLM, &[("v", "7")]));
        assert_eq!(input["v"], expected, "{deep} references");
    }
}

#[test]
fn json_that_was_escaped_once_more() {
    let list = json!({"type": "array"});
    let either = json!({"type": ["object", "string"]});
    for (schema, text, expected, found) in [
        (&list, r#"[{\"a\": 1}]"#, json!([{"a": 1}]), REPAIRED),
        (&list, r#"[\"x\", \"it's\"]"#, json!(["x", "it's"]), REPAIRED),
        (&list, r#" [\n  1,\n  2\n] "#, json!([1, 2]), REPAIRED),
        (&list, r#"[\"a \\\"b\\\"\"]"#, json!(["a \"b\""]), REPAIRED),
        (&list, r#"[\"a\",]"#, json!(["a"]), REPAIRED),
        (&list, r#"[\'a\']"#, json!(["a"]), REPAIRED),
        (&either, r#"{\"a\": \"é\"}"#, json!({"a": "é"}), REPAIRED),
        // Only one level is removed, and only if the text is broken with it.
        (&list, r#"[\\\"a\\\"]"#, json!(r#"[\\\"a\\\"]"#), MISMATCH),
        (&list, r#"["a\\nb"]"#, json!(["a\\nb"]), FITS),
        (&either, r#"{\"a\": 1"#, json!(r#"{\"a\": 1"#), FITS),
        // The quote is not escaped, because the backslash belongs to a path.
        (&list, r#"["C:\"]"#, json!(r#"["C:\"]"#), MISMATCH),
        (&list, r"['C:\']", json!(r"['C:\']"), MISMATCH),
    ] {
        assert_eq!(value(schema, text), (expected, found), "{schema}: {text}");
    }
}

#[test]
fn a_host_that_wants_no_repairs_gets_none() {
    let schema = json!({"type": "object", "properties": {"v": {"type": "array"}}});
    let options = Options::from_json(&json!({"repairs": "none"})).unwrap();
    let parser = Parser::builder(Dialect::GLM).tool(tool(schema)).options(options).build().unwrap();
    for text in ["[1,]", r#"[\"a\"]"#] {
        let (input, kinds) = read(&parser, &wire(&Dialect::GLM, &[("v", text)]));
        assert_eq!((&input["v"], kinds), (&json!(text), vec![Kind::TypeMismatch]));
    }
}

#[test]
fn types_that_were_declared_by_hand() {
    let tool = Tool::new("f")
        .param(Param::optional("level").with(Type::Number).with(Type::Boolean))
        .param(Param::optional("names").with(Type::Array));
    let (input, kinds) = read(
        &parser(Dialect::INVOKE, tool),
        &wire(&Dialect::INVOKE, &[("level", "true"), ("names", "1"), ("names", "[2]")]),
    );
    assert_eq!(Value::Object(input), json!({"level": true, "names": ["1", 2]}));
    assert_eq!(kinds, [Kind::DuplicateParameter]);
}

// Lists.

fn lists() -> Tool {
    tool(json!({
        "type": "object",
        "properties": {
            "sizes": {"type": "array", "items": {"type": "integer"}},
            "names": {"type": "array", "items": {"type": "string"}},
            "bare": {"type": "array"},
            "rows": {"type": "array", "items": {"type": "array"}},
            "far": {"anyOf": [{"type": "null"}, {"$ref": "#/$defs/pair"}]},
            "modes": {"type": "array", "items": {"enum": ["auto", 1]}},
            "either": {"type": ["array", "string"]},
            "plain": {"type": "string"},
        },
        "$defs": defs(),
    }))
}

#[test]
fn a_list_may_come_in_pieces() {
    let twice = |more: &[Kind]| {
        let mut kinds = more.to_vec();
        kinds.push(Kind::DuplicateParameter);
        kinds.sort();
        kinds
    };
    for dialect in TAGS.into_iter().filter(|dialect| *dialect != Dialect::CODE_ASSISTANT) {
        let parser = parser(&dialect, lists());
        for (params, expected, kinds) in [
            (vec![("sizes", "[1]")], json!({"sizes": [1]}), vec![]),
            (vec![("sizes", "1")], json!({"sizes": "1"}), vec![Kind::TypeMismatch]),
            (vec![("sizes", "1"), ("sizes", "2")], json!({"sizes": [1, 2]}), twice(&[])),
            (
                vec![("sizes", "1"), ("sizes", "two")],
                json!({"sizes": [1, "two"]}),
                twice(&[Kind::TypeMismatch]),
            ),
            (
                vec![("names", "red"), ("names", "[\"blue\", \"grey\"]")],
                json!({"names": ["red", "blue", "grey"]}),
                twice(&[]),
            ),
            (vec![("names", "[]"), ("names", "[]")], json!({"names": []}), twice(&[])),
            // The elements are JSON already, so `items` does not read them.
            (vec![("sizes", "['1',]"), ("sizes", "2")], json!({"sizes": ["1", 2]}), {
                twice(&[Kind::RepairedJson])
            }),
            (vec![("bare", "1"), ("bare", "{}")], json!({"bare": ["1", "{}"]}), twice(&[])),
            (vec![("rows", "[1]"), ("rows", "[2]")], json!({"rows": [[1], [2]]}), twice(&[])),
            (vec![("far", "3"), ("far", "4")], json!({"far": [3, 4]}), twice(&[])),
            (vec![("far", "null")], json!({"far": null}), vec![]),
            (vec![("modes", "auto"), ("modes", "1")], json!({"modes": ["auto", 1]}), twice(&[])),
            // This is no list, or perhaps none. The last value wins.
            (vec![("either", "a"), ("either", "b")], json!({"either": "b"}), twice(&[])),
            (vec![("plain", "a"), ("plain", "[b]")], json!({"plain": "[b]"}), twice(&[])),
        ] {
            let text = wire(&dialect, &params);
            let (input, found) = read(&parser, &text);
            assert_eq!((Value::Object(input), found), (expected, kinds), "{text}");
        }
    }
}

#[test]
#[cfg_attr(not(feature = "preserve_order"), ignore = "holds an order")]
fn arguments_stand_where_they_came_first() {
    let parser = parser(Dialect::INVOKE, lists());
    let text = wire(&Dialect::INVOKE, &[("sizes", "1"), ("plain", "a"), ("sizes", "2")]);
    let message = parser.parse(&text);
    let call = message.calls().next().expect("a call");
    assert_eq!(call.input().keys().collect::<Vec<_>>(), ["sizes", "plain"]);
}

#[test]
fn code_assistant_has_a_rule_of_its_own() {
    let parser = parser(Dialect::CODE_ASSISTANT, lists());
    for (params, expected) in [
        (vec![("size", "1"), ("sizes", "2")], json!({"sizes": [1, 2]})),
        (vec![("name", "a")], json!({"names": ["a"]})),
        (vec![("names", "[\"a\", \"b\"]")], json!({"names": ["a", "b"]})),
        (vec![("names", r#"[\"a\"]"#)], json!({"names": ["a"]})),
        (vec![("name", "a"), ("name", "[\"b\"]")], json!({"names": ["a", "[\"b\"]"]})),
        (vec![("either", "a"), ("either", "b")], json!({"either": ["a", "b"]})),
        (vec![("far", "3"), ("far", "4")], json!({"far": [3, 4]})),
    ] {
        let text = wire(&Dialect::CODE_ASSISTANT, &params);
        assert_eq!(Value::Object(read(&parser, &text).0), expected, "{text}");
    }
}

// White space is four characters.

const BLANKS: [&str; 6] = ["\u{a0}", "\u{3000}", "\u{2003}", "\u{b}", "\u{c}", "\u{85}"];

#[test]
fn other_blanks_are_part_of_the_value() {
    let schema = json!({"type": "object", "properties": {
        "text": {"type": "string"},
        "number": {"type": "integer"},
        "nothing": {"type": "null"},
        "list": {"type": "array"},
        "level": {"enum": ["low", 3]},
    }});
    for blank in BLANKS {
        let around = |text: &str| format!("{blank}{text}{blank}");
        let texts = ["x", "7", "null", "[1]", "low"].map(around);
        let names = ["text", "number", "nothing", "list", "level"];
        for dialect in TAGS {
            let parser = parser(&dialect, tool(schema.clone()));
            for (name, text) in names.iter().zip(&texts) {
                let (input, kinds) = read(&parser, &wire(&dialect, &[(name, text)]));
                let elements = dialect == Dialect::CODE_ASSISTANT && *name == "list";
                let expected = if elements { json!([text]) } else { json!(text) };
                assert_eq!(input[*name], expected, "{dialect:?}: {text:?}");
                assert_eq!(kinds.is_empty(), *name == "text" || elements, "{text:?}");
            }
        }
    }
}

#[test]
fn other_blanks_are_part_of_a_plain_input() {
    let number = tool(json!({"type": "object", "properties": {"n": {"type": "integer"}}}));
    let parser = parser(Dialect::REACT, number);
    for blank in BLANKS {
        let text = format!("Action: f\nAction Input: {blank}7{blank}");
        let expected = json!({ "n": format!("{blank}7{blank}") });
        let (input, kinds) = read(&parser, &text);
        assert_eq!((Value::Object(input), kinds), (expected, vec![Kind::TypeMismatch]), "{text:?}");
        // An input of such blanks is not empty, either.
        let (input, _) = read(&parser, &format!("Action: f\nAction Input: {blank}"));
        assert_eq!(Value::Object(input), json!({ "n": blank }));
    }
    assert_eq!(read(&parser, "Action: f\nAction Input: \t7 \r\n").0["n"], 7);
}

// Calls that may not run.

/// The only call in `text`, which is incomplete: its input, the reason, and the adapter's arguments.
fn refused(parser: &Parser, text: &str) -> (Value, IncompleteReason, String) {
    let message = parser.parse(text);
    let [Block::Incomplete(call)] = message.blocks() else { panic!("{:?}", message.blocks()) };
    let (arguments, complete, _) = adapted(parser, text, &[]);
    assert!(!complete, "{text}: {arguments}");
    for cuts in every_cut(text.len()) {
        let (cut, complete, _) = adapted(parser, text, &cuts);
        assert_eq!((&cut, complete), (&arguments, false), "{text} cut at {cuts:?}");
    }
    (Value::Object(call.input().clone()), call.reason(), arguments)
}

#[test]
fn half_a_value_is_not_in_the_input() {
    let schema = json!({"type": "object", "properties": {
        "path": {"type": "string"}, "content": {"type": "string"}, "sizes": {"type": "array"},
    }});
    for dialect in TAGS {
        let parser = parser(&dialect, tool(schema.clone()));
        let whole = wire(&dialect, &[("path", "a"), ("sizes", "[1]"), ("content", "half of it")]);
        let cut = &whole[..whole.find(" of it").unwrap()];
        let (input, reason, arguments) = refused(&parser, cut);
        assert_eq!(input, json!({"path": "a", "sizes": [1]}), "{cut}");
        assert_eq!(reason, IncompleteReason::Cut);
        // The adapter would write the list at the end of the call.
        assert_eq!(arguments, "{\"path\":\"a\",\"content\":\"half", "{cut}");
    }
}

#[test]
fn a_value_without_its_key_is_no_argument() {
    let parser = parser(Dialect::GLM, tool(json!({"type": "object", "properties": {"a": {}}})));
    let text = wire(&Dialect::GLM, &[("a", "1"), ("", "2")]);
    let (input, reason, arguments) = refused(&parser, &text);
    assert_eq!((input, reason), (json!({"a": "1"}), IncompleteReason::Broken));
    assert_eq!(arguments, "{\"a\":\"1\"");
}

#[test]
fn a_call_without_its_arguments_is_never_an_empty_object() {
    use IncompleteReason::{MalformedArguments, MissingArguments};
    let needy =
        || tool(json!({"type": "object", "required": ["path"], "properties": {"path": {}}}));
    let easy = || tool(json!({"type": "object", "properties": {"path": {}}}));
    for dialect in TAGS.into_iter().filter(|dialect| *dialect != Dialect::CLINE) {
        let empty = wire(&dialect, &[]);
        let missing = refused(&parser(&dialect, needy()), &empty);
        assert_eq!(missing, (json!({}), MissingArguments, String::new()), "{empty}");
        assert_eq!(read(&parser(&dialect, easy()), &empty).0, Map::new(), "{empty}");
    }
    for dialect in [Dialect::INVOKE, Dialect::QWEN3_CODER] {
        let empty = wire(&dialect, &[]);
        let (open, close) = empty.split_at(empty.find("</").unwrap());
        let text = format!("{open}<path>a</path>{close}");
        for tool in [needy(), easy()] {
            let malformed = refused(&parser(&dialect, tool), &text);
            assert_eq!(malformed, (json!({}), MalformedArguments, String::new()), "{text}");
        }
    }
}

#[test]
fn a_required_parameter_may_be_demanded() {
    let schema = json!({
        "type": "object",
        "required": ["path", "sizes"],
        "properties": {"path": {"type": "string"}, "sizes": {"type": "array"}},
    });
    let strict = Options::from_json(&json!({"required": "strict"})).unwrap();
    for dialect in TAGS {
        let lax = parser(&dialect, tool(schema.clone()));
        let strict = lax.to_builder().options(strict.clone()).build().unwrap();
        let text = wire(&dialect, &[("path", "a")]);
        assert_eq!(Value::Object(read(&lax, &text).0), json!({"path": "a"}));
        let (input, reason, arguments) = refused(&strict, &text);
        assert_eq!((input, reason), (json!({"path": "a"}), IncompleteReason::MissingArguments));
        assert_eq!(arguments, "{\"path\":\"a\"", "never closed");
        let all = wire(&dialect, &[("path", "a"), ("sizes", "[1]")]);
        assert_eq!(Value::Object(read(&strict, &all).0), json!({"path": "a", "sizes": [1]}));
    }
    // An element counts as its list.
    let strict = parser(Dialect::CODE_ASSISTANT, tool(schema)).to_builder().options(strict);
    let text = wire(&Dialect::CODE_ASSISTANT, &[("path", "a"), ("size", "1")]);
    assert_eq!(read(&strict.build().unwrap(), &text).0["sizes"], json!(["1"]));
}
