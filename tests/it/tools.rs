//! Tools in every shape in which clients declare them, read and written.

use serde_json::{Value, json};
use toolstream::native::Provider;
use toolstream::{Dialect, Parser, Tool, tools::Type};

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {"path": {"type": "string", "description": "Where."}, "line": {"type": "integer"}},
        "required": ["path"],
    })
}

fn declared_with(key: &str) -> Value {
    json!({"name": "read", "description": "Reads.", key: schema()})
}

/// Checks the tool that every shape must lead to.
fn assert_is_read(tool: &Tool, from: &Value) {
    let params: Vec<_> =
        tool.params.iter().map(|of| (&*of.name, of.required, &*of.types)).collect();
    let wanted = [("path", true, &[Type::String][..]), ("line", false, &[Type::Integer])];
    assert_eq!(params, wanted, "{from}");
    assert_eq!((&*tool.name, tool.description.as_deref()), ("read", Some("Reads.")), "{from}");
    assert_eq!(tool.schema.as_deref(), Some(&schema()), "{from}");
}

#[test]
#[cfg_attr(not(feature = "preserve_order"), ignore = "holds an order")]
fn every_shape_is_read() {
    let plain = declared_with("parameters");
    let with = |mut of: Value, more: Value| {
        let more = more.as_object().expect("an object").clone();
        of.as_object_mut().expect("an object").extend(more);
        of
    };
    let shapes = [
        plain.clone(),
        json!({"type": "function", "function": plain}),
        json!({"type": "function", "function": with(plain.clone(), json!({"strict": true}))}),
        with(plain.clone(), json!({"type": "function", "strict": true})),
        with(declared_with("input_schema"), json!({"cache_control": {"type": "ephemeral"}})),
        with(declared_with("input_schema"), json!({"type": "custom"})),
        with(
            declared_with("inputSchema"),
            json!({"title": "Read", "annotations": {}, "outputSchema": {}, "_meta": {}, "icons": []}),
        ),
        with(declared_with("parametersJsonSchema"), json!({"behavior": "BLOCKING"})),
        declared_with("parameters_json_schema"),
        json!({"functionDeclarations": [plain]}),
        json!({"function_declarations": [declared_with("parametersJsonSchema")]}),
        // An unknown key next to a schema is allowed, and so is a null schema next to a real one.
        with(plain.clone(), json!({"acme": 1})),
        with(declared_with("input_schema"), json!({"parameters": null})),
    ];
    for shape in &shapes {
        assert_is_read(&Tool::from_json(shape).expect("a tool"), shape);
    }
    let list = Tool::list_from_json(&Value::from(shapes.to_vec())).expect("tools");
    assert_eq!(list.len(), shapes.len());
    list.iter().zip(&shapes).for_each(|(tool, shape)| assert_is_read(tool, shape));
}

/// The order of `serde_json`'s sorted map, in a tool that is read, in its prompt, and in calls that are read and written.
#[test]
#[cfg(not(feature = "preserve_order"))]
fn without_preserve_order_names_are_sorted() {
    let tool = Tool::from_json(&declared_with("parameters")).expect("a tool");
    let params: Vec<&str> = tool.params.iter().map(|param| &*param.name).collect();
    assert_eq!(params, ["line", "path"]);
    assert_eq!(
        tool.to_request(Provider::Anthropic).to_string(),
        "{\"description\":\"Reads.\",\"input_schema\":{\"properties\":{\"line\":{\"type\":\"integer\"},\
         \"path\":{\"description\":\"Where.\",\"type\":\"string\"}},\"required\":[\"path\"],\
         \"type\":\"object\"},\"name\":\"read\"}"
    );
    for (dialect, text) in [
        (Dialect::CLINE, "<read>\n<path>7</path>\n<line>8</line>\n</read>"),
        (
            Dialect::HERMES,
            "<tool_call>\n{\"name\": \"read\", \"arguments\": {\"path\": \"7\", \"line\": 8}}\n</tool_call>",
        ),
    ] {
        let parser = Parser::builder(dialect).tool(tool.clone()).build().expect("a parser");
        let is_sorted = |text: &str, names: [&str; 2]| {
            let [line, path] = names.map(|name| text.find(name).expect("it is there"));
            assert!(line < path, "{text}");
        };
        is_sorted(&parser.system_prompt(), ["line", "path"]);
        let message = parser.parse(text);
        let input = message.calls().next().expect("a call").input();
        assert_eq!(Value::from(input.clone()).to_string(), "{\"line\":8,\"path\":\"7\"}");
        is_sorted(&parser.render_call("read", input).expect("a call"), ["8", "7"]);
    }
}

#[test]
fn one_element_may_hold_several() {
    let both = json!({"functionDeclarations": [declared_with("parameters"), {"name": "stop"}]});
    let tools = Tool::list_from_json(&json!([both, {"name": "go"}])).expect("tools");
    let names: Vec<&str> = tools.iter().map(|tool| &*tool.name).collect();
    assert_eq!(names, ["read", "stop", "go"]);
    let told = Tool::from_json(&both).expect_err("two").to_string();
    assert!(told.starts_with("tool must be one declaration"), "{told}");
}

#[test]
fn without_a_schema_every_key_is_known() {
    for tool in [
        json!({"name": "list"}),
        json!({"name": "list", "parameters": null}),
        json!({"name": "list", "title": "List", "annotations": {}, "outputSchema": {}, "_meta": {}}),
        json!({"name": "list", "cache_control": {}, "type": "custom", "input_schema": {}}),
        json!({"type": "function", "strict": true, "function": {"name": "list", "strict": false}}),
        json!({"name": "list", "x-acme": 1}),
    ] {
        let read = Tool::from_json(&tool).unwrap_or_else(|error| panic!("{tool}: {error}"));
        assert!(read.params.is_empty(), "{tool}");
    }
    let unknown = [
        (json!({"name": "list", "paramters": {}}), "tool", &["paramters"][..]),
        (
            json!({"name": "list", "inputschema": {}, "vendor": 1}),
            "tool",
            &["inputschema", "vendor"],
        ),
        (
            json!({"type": "function", "function": {"name": "a", "arguments": {}}}),
            "tool",
            &["arguments"],
        ),
        (json!({"type": "function", "schema": {}, "function": {"name": "a"}}), "tool", &["schema"]),
        (
            json!({"functionDeclarations": [{"name": "a", "params": {}}]}),
            "tool.functionDeclarations[0]",
            &["params"],
        ),
    ];
    for (tool, at, named) in unknown {
        let error = Tool::from_json(&tool).expect_err("no schema");
        let told = error.to_string();
        let (unknown, known) = error.unknown_key().expect(&told);
        assert_eq!((error.place(), unknown), (Some(at), named[0]));
        let keys = format!("unknown keys ({})", named.join(", "));
        assert!(told.contains(&keys) && known.contains(&"inputSchema"), "{told}");
    }
}

#[test]
fn a_schema_that_is_none_is_told_by_its_own_key() {
    let tools = json!([{"name": "a"}, {"name": "b", "inputSchema": "path"}]);
    let told = Tool::list_from_json(&tools).expect_err("no schema").to_string();
    assert_eq!(told, "tools[1].inputSchema must be a JSON Schema object");
}

/// A custom tool takes free text: its calls have the one parameter `input`.
#[test]
fn custom_tools_take_their_input() {
    for tool in [
        json!({"type": "custom", "name": "patch", "format": {"type": "text"}}),
        json!({"type": "custom", "custom": {"name": "patch", "description": "Patches."}}),
    ] {
        let tool = Tool::from_json(&tool).expect("a tool");
        assert_eq!((&*tool.name, &*tool.params[0].name), ("patch", "input"));
        assert!(tool.params[0].required && tool.params.len() == 1);
    }
}

/// Tools that the client's provider runs are left out, because a gateway's model cannot call them.
#[test]
fn tools_of_a_request() {
    let (tools, left_out) = Tool::from_request(&json!([
        {"type": "function", "name": "a", "parameters": {"type": "object"}},
        {"type": "function", "function": {"name": "b"}},
        {"type": "custom", "name": "c", "format": {"type": "text"}},
        {"name": "d", "input_schema": {"type": "object"}},
        {"type": "custom", "name": "e", "input_schema": {"type": "object"}},
        {"type": "web_search"},
        {"type": "local_shell"},
        {"type": "mcp", "server_label": "s", "server_url": "u"},
        {"type": "web_search_20250305", "name": "web_search", "max_uses": 3},
        {"googleSearch": {}},
        {"functionDeclarations": [{"name": "f"}, {"name": "g"}], "codeExecution": {}},
    ]))
    .expect("tools");
    let names: Vec<&str> = tools.iter().map(|tool| &*tool.name).collect();
    assert_eq!(names, ["a", "b", "c", "d", "e", "f", "g"]);
    let free: Vec<&str> =
        tools.iter().filter(|tool| tool.free_text).map(|tool| &*tool.name).collect();
    assert_eq!(free, ["c"]);
    let known = [
        "web_search",
        "local_shell",
        "mcp",
        "web_search_20250305",
        "googleSearch",
        "codeExecution",
    ];
    assert_eq!(left_out, known);

    assert_eq!(Tool::from_request(&Value::Null).unwrap(), (vec![], vec![]));
    let wrong = [
        (json!({}), "tools must be an array of tools"),
        (json!([{"type": "web_search"}, {"type": "function"}]), "tools[1].name must be a string"),
        (json!(["a"]), "tools[0].name must be a string"),
        (json!([{}]), "tools[0].name must be a string"),
    ];
    for (tools, told) in wrong {
        assert_eq!(Tool::from_request(&tools).unwrap_err().to_string(), told);
    }

    // The tool is declared to a provider as the client declared it.
    let custom = json!({"type": "custom", "name": "c"});
    let tool = Tool::from_json(&custom).unwrap();
    assert_eq!(tool.to_request(Provider::OpenAiResponses), custom);
}

#[test]
#[cfg_attr(not(feature = "preserve_order"), ignore = "holds an order")]
fn types_in_capitals_are_those_of_json_schema() {
    let tool = json!({"name": "f", "parameters": {
        "type": "OBJECT",
        "properties": {
            // A parameter may have any name and any value.
            "type": {"type": "STRING", "nullable": true, "enum": ["STRING"]},
            "rows": {"type": "ARRAY", "items": {"type": "OBJECT", "properties": {"n": {"type": "NUMBER"}}}},
            "own": {"type": "string", "nullable": true},
            "any": {"anyOf": [{"type": "BOOLEAN"}, {"type": "INTEGER"}]},
        },
    }});
    let tool = Tool::from_json(&tool).expect("a tool");
    let schema = json!({
        "type": "object",
        "properties": {
            "type": {"type": ["string", "null"], "enum": ["STRING"]},
            "rows": {"type": "array", "items": {"type": "object", "properties": {"n": {"type": "number"}}}},
            "own": {"type": "string", "nullable": true},
            "any": {"anyOf": [{"type": "boolean"}, {"type": "integer"}]},
        },
    });
    assert_eq!(tool.schema.as_deref(), Some(&schema));
    assert_eq!(tool.params[1].types, [Type::Array]);
    assert_eq!(tool.params[3].types, [Type::Boolean, Type::Integer]);
}

/// A tool that is written for one API looks like a client's declaration, and reads back.
#[test]
fn what_is_written_reads_back() {
    let tool = Tool::from_json(&declared_with("parameters")).expect("a tool");
    let written = [
        (
            tool.to_request(Provider::OpenAiChat),
            json!({"type": "function", "function": declared_with("parameters")}),
        ),
        (
            tool.to_request(Provider::OpenAiResponses),
            json!({"type": "function", "name": "read", "description": "Reads.", "parameters": schema()}),
        ),
        (tool.to_request(Provider::Anthropic), declared_with("input_schema")),
        (tool.to_request(Provider::Gemini), declared_with("parametersJsonSchema")),
    ];
    for (written, wanted) in written {
        assert_eq!(written, wanted);
        assert_eq!(Tool::from_json(&written).expect("a tool"), tool);
    }
    // The APIs demand an object, even if the client gave none.
    let bare = json!({"name": "f", "parameters": {"properties": {}}});
    let bare = Tool::from_json(&bare).expect("a tool");
    assert_eq!(
        bare.to_request(Provider::Anthropic)["input_schema"],
        json!({"properties": {}, "type": "object"})
    );
    let none = Tool::new("f").to_request(Provider::Anthropic);
    assert_eq!(none, json!({"name": "f", "input_schema": {"type": "object", "properties": {}}}));
}

#[test]
fn tags_need_tools() {
    let pair = Dialect::CLINE.and(Dialect::HERMES);
    for dialect in [Dialect::CLINE, pair, Dialect::HERMES.and(Dialect::CLINE)] {
        let error = Parser::builder(&dialect).build().expect_err("no tools");
        assert!(error.needs_tools() && error.to_string().contains("and cline knows a call"));
        assert!(error.to_string().contains("declare the tools"), "{error}");
        assert!(Parser::builder(&dialect).tool(Tool::new("list")).build().is_ok());
    }
    for dialect in Dialect::ALL.iter().filter(|dialect| **dialect != Dialect::CLINE) {
        assert!(Parser::builder(dialect).build().is_ok(), "{dialect}");
    }
}

/// A list is read once. Builders of any dialect take it, and its schemas are not copied.
#[test]
fn a_list_serves_many_builders() {
    let list = json!([declared_with("parameters"), {"name": "list", "parameters": {}}]);
    let tools = Tool::list_from_json(&list).expect("tools");
    for dialect in Dialect::ALL {
        let builder = Parser::builder(dialect).tools(tools.iter().cloned());
        let parser = builder.clone().build().expect("a parser");
        let call = parser.render_call("read", json!({"path": "a", "line": 3}).as_object().unwrap());
        let message = builder.tool_limit(None).build().expect("a parser").parse(&call.unwrap());
        let calls: Vec<_> = message.calls().map(|call| call.input()["line"].clone()).collect();
        assert_eq!(calls, [json!(3)], "{dialect:?}");
    }
    let copy = tools.clone();
    let [read, copied] = [&tools, &copy].map(|tools| tools[0].schema.as_ref().expect("a schema"));
    assert!(std::sync::Arc::ptr_eq(read, copied));
}

/// A tool from a type has the fields in order and a schema without references. A type that is not an object is refused.
#[cfg(feature = "schemars")]
#[test]
fn a_type_is_a_tool() {
    #[derive(serde::Deserialize, schemars::JsonSchema, PartialEq, Debug)]
    #[serde(rename_all = "lowercase")]
    enum State {
        Open,
        Done,
    }
    /// A thing to do.
    #[derive(serde::Deserialize, schemars::JsonSchema, PartialEq, Debug)]
    struct Item {
        what: String,
        state: State,
    }
    #[derive(serde::Deserialize, schemars::JsonSchema)]
    struct Todos {
        /// The steps, in order.
        todos: Vec<Item>,
        count: u8,
        again: Option<Item>,
    }
    let tool = Tool::of::<Todos>("todos").expect("an object");
    let names: Vec<&str> = tool.params.iter().map(|param| &*param.name).collect();
    assert_eq!((&*tool.name, names), ("todos", vec!["todos", "count", "again"]));
    assert_eq!(tool.description, None);
    assert_eq!(tool.params[0].description.as_deref(), Some("The steps, in order."));
    let schema = tool.schema.as_deref().expect("a schema").to_string();
    assert!(!schema.contains("$ref") && !schema.contains("$schema"), "{schema}");

    let arguments = json!({"todos": [{"what": "a", "state": "done"}], "count": 1, "again": null});
    for dialect in [Dialect::HERMES, Dialect::GLM] {
        let parser = Parser::builder(dialect).tool(tool.clone()).build().expect("a parser");
        let call = parser.render_call("todos", arguments.as_object().unwrap()).expect("a call");
        let message = parser.parse(&call);
        let read: Todos = message.calls().next().expect("a call").parse().expect("its arguments");
        assert_eq!(read.todos, [Item { what: "a".into(), state: State::Done }]);
        assert_eq!((read.count, read.again), (1, None));
    }
    assert!(Tool::of::<u32>("number").is_err() && Tool::of::<Vec<String>>("list").is_err());
    assert!(Tool::of::<State>("state").is_err());
}

/// A name has at most 128 bytes, and the number of tools fits into two bytes.
#[test]
fn names_and_tools_have_bounds() {
    let build = |tools: Vec<Tool>| {
        let built = Parser::builder(Dialect::HERMES).tools(tools).build();
        built.map(drop).map_err(|error| error.to_string())
    };
    assert_eq!(build(vec![Tool::new("n".repeat(128))]), Ok(()));
    for len in [129, 130] {
        let error = build(vec![Tool::new("n".repeat(len))]).unwrap_err();
        assert!(error.contains("128"), "{error}");
    }
    let many = (0..65_535).map(|number| Tool::new(format!("t{number}"))).collect();
    let error = build(many).unwrap_err();
    assert!(error.contains("65535"), "{error}");
}
