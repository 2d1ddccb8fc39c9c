//! `system_prompt`: the text for a model is true and complete.

use serde_json::{Value, json};
use toolstream::{Dialect, Param, Parser, Tool, tools::Type};

use crate::support::expected;

/// Tools with everything that a prompt has to tell.
fn tools() -> Vec<Tool> {
    let tools = json!([
        {"name": "read_file", "description": "Reads one file.\nGives its text.", "parameters": {
            "type": "object",
            "properties": {
                "path": {"type": "string", "description": "Where the file is."},
                "start": {"type": ["integer", "null"], "minimum": 1, "description": "First line."},
            },
            "required": ["path"],
        }},
        {"name": "search", "description": "Searches all files.", "parameters": {
            "type": "object",
            "properties": {
                "content": {"type": "string", "description": "What to look for."},
                "mode": {"enum": ["regex", "word"], "default": "word"},
                "names": {"type": "array", "items": {"type": "string"}},
                "edits": {"type": "array", "items": {"$ref": "#/$defs/edit"}},
                "share": {"type": "number"},
                "deep": {"type": "boolean"},
            },
            "required": ["content", "mode", "names", "edits", "share", "deep"],
            "$defs": {"edit": {
                "type": "object",
                "properties": {
                    "line": {"type": "integer", "description": "Which line."},
                    "text": {"type": "string"},
                },
                "required": ["line"],
            }},
        }},
        {"name": "stop"},
    ]);
    Tool::list_from_json(&tools).expect("tools")
}

fn prompt(dialect: impl Into<Dialect>, limit: Option<usize>) -> String {
    let parser = Parser::builder(dialect).tools(tools()).tool_limit(limit).build();
    parser.expect("a parser").system_prompt()
}

/// Lists of lists, down to the last level that a prompt shows.
#[test]
fn lists_of_lists() {
    let mut schema = json!({"type": "integer"});
    let mut told = Vec::new();
    for _ in 0..6 {
        schema = json!({"type": "array", "items": schema});
        let tools = json!([{"name": "f", "parameters": {"properties": {"p": schema}}}]);
        let tools = Tool::list_from_json(&tools).expect("a tool");
        let parser = Parser::builder(Dialect::CLINE).tools(tools).build().expect("a parser");
        let prompt = parser.system_prompt();
        let line =
            prompt.lines().find_map(|line| line.strip_prefix("- p (")).expect("the parameter");
        told.push(line.split(',').next().unwrap_or_default().to_string());
    }
    let list = |deep: usize, of: &str| "array of ".repeat(deep) + of;
    let most = list(4, "array");
    let all: Vec<String> = (1..5).map(|deep| list(deep, "integer")).collect();
    assert_eq!((&told[..4], &told[4..]), (&all[..], &[most.clone(), most][..]));
}

#[test]
fn every_tool_is_told_with_all_that_it_takes() {
    for dialect in Dialect::ALL {
        let prompt = prompt(dialect, Some(1));
        for part in [
            "read_file",
            "search",
            "stop",
            "Reads one file.",
            "Gives its text.",
            "Searches all files.",
            "Where the file is.",
            "First line.",
            "What to look for.",
            "Which line.",
            "\"regex\"",
            "\"word\"",
            "integer",
            "number",
            "boolean",
            "array",
            "null",
            "required",
        ] {
            assert!(prompt.contains(part), "{dialect:?} without {part:?}:\n{prompt}");
        }
        assert!(!prompt.contains("  \n") && !prompt.contains("\n\n\n"), "{prompt}");
        assert_eq!(prompt.trim(), prompt);
        // No hole is left in the prompt.
        for hole in ["{tools}", "{form}", "{limit}", "{example}", "{call}", "{name}", "{schema}"] {
            assert!(!prompt.contains(hole), "{dialect:?}: {hole}");
        }
    }
}

#[test]
#[cfg_attr(not(feature = "preserve_order"), ignore = "holds an order")]
fn schemas_in_words() {
    let words = "\
Parameters:
- content (string, required): What to look for.
- mode (\"regex\" or \"word\", required): Default: \"word\".
- names (array of string, required)
- edits (array of object, required)
  - line (integer, required): Which line.
  - text (string, optional)
- share (number, required)
- deep (boolean, required)
Usage:
";
    for dialect in [Dialect::CLINE, Dialect::CODE_ASSISTANT] {
        let prompt = prompt(dialect, Some(1));
        assert!(prompt.contains(words), "{prompt}");
        assert!(prompt.contains("- path (string, required): Where the file is.\n"));
        assert!(prompt.contains("- start (integer or null, optional): First line. Minimum: 1.\n"));
        assert!(prompt.contains("### stop\nParameters: none\nUsage:\n"));
    }
    assert!(prompt(Dialect::CODE_ASSISTANT, Some(1)).contains("repeat the parameter"));
}

/// Objects are shown four levels deep. Deeper objects have only their type.
#[test]
fn deep_schemas_are_told_in_part() {
    let nest = |inner: Value, name: &str| json!({"type": "object", "properties": {name: inner}});
    let schema = ["e", "d", "c", "b", "a"].into_iter().fold(json!({"type": "string"}), nest);
    let tools = json!([{"name": "grow", "parameters": schema}]);
    let tools = Tool::list_from_json(&tools).expect("tools");
    let prompt = Dialect::CLINE.system_prompt(&tools).expect("a prompt");
    let words = "\
Parameters:
- a (object, optional)
  - b (object, optional)
    - c (object, optional)
      - d (object, optional)
Usage:
";
    assert!(prompt.contains(words), "{prompt}");
}

#[test]
fn names_of_python_s_types_in_words() {
    let tools = json!([{"name": "grow", "parameters": {
        "properties": {"count": {"type": "int"}, "what": {"type": "any"}, "all": {"type": "list"}},
        "required": ["what"],
    }}]);
    let tools = Tool::list_from_json(&tools).expect("tools");
    let prompt = Dialect::CLINE.system_prompt(&tools).expect("a prompt");
    for told in [
        "- count (integer, optional)",
        "- what (any, required)",
        "- all (array, optional)",
        "<what>what here</what>",
    ] {
        assert!(prompt.contains(told), "{prompt}");
    }
}

#[test]
fn a_schema_that_holds_itself_ends() {
    let tools = json!([{"name": "grow", "parameters": {
        "properties": {"tree": {"$ref": "#/$defs/tree"}, "twin": {"$ref": "#/$defs/twin"}},
        "required": ["tree", "twin"],
        "$defs": {
            "tree": {"type": "object", "required": ["left"], "properties": {
                "left": {"$ref": "#/$defs/tree"}, "all": {"type": "array", "items": {"$ref": "#/$defs/tree"}},
            }},
            "twin": {"anyOf": [{"$ref": "#/$defs/twin"}, {"allOf": [{"$ref": "#/$defs/twin"}]}]},
        },
    }}]);
    let tools = Tool::list_from_json(&tools).expect("tools");
    for dialect in Dialect::ALL {
        let prompt = dialect.system_prompt(&tools).expect("a prompt");
        assert!(prompt.contains("tree") && prompt.len() < 10_000, "{prompt}");
    }
}

#[test]
fn json_schemas_are_json() {
    let schema = tools()[1].schema.clone().expect("a schema");
    let find = |dialect: Dialect, before: &str, after: &str| -> Value {
        let prompt = prompt(dialect, Some(1));
        let line = prompt.lines().find(|line| line.contains("Searches all")).expect("a line");
        let line = line.strip_prefix(before).and_then(|line| line.strip_suffix(after));
        serde_json::from_str(line.expect("a form")).expect("JSON")
    };
    let declared =
        json!({"name": "search", "description": "Searches all files.", "parameters": *schema});
    assert_eq!(find(Dialect::INVOKE, "<function>", "</function>"), declared);
    for dialect in [Dialect::HERMES, Dialect::GLM, Dialect::TOOL_CALL] {
        assert_eq!(find(dialect, "", ""), json!({"type": "function", "function": declared}));
    }
    let qwen = prompt(Dialect::QWEN3_CODER, Some(1));
    let elements = "\
<parameter>
<name>path</name>
<type>string</type>
<description>Where the file is.</description>
</parameter>
<parameter>
<name>start</name>
<type>[\"integer\", \"null\"]</type>
<description>First line.</description>
<minimum>1</minimum>
</parameter>
<required>[\"path\"]</required>
</parameters>
</function>
";
    assert!(qwen.contains(elements), "{qwen}");
}

/// The texts behind the words that introduce an example, up to an empty line.
fn examples(prompt: &str) -> Vec<&str> {
    let intro = if prompt.contains("\nUsage:\n") { "\nUsage:\n" } else { "\nFor example:\n" };
    let after = prompt.split(intro).skip(1);
    after.map(|text| text.split("\n\n").next().unwrap_or_default()).collect()
}

#[test]
fn examples_are_what_they_seem() {
    for dialect in Dialect::ALL {
        let table = dialect.written_form();
        let tool = table["template"]["prompt"]["tool"].as_str().expect("a form of a tool");
        let in_words = tool.contains("{example}");
        let prompt = prompt(dialect, Some(1));
        let examples = examples(&prompt);
        assert_eq!(examples.len(), if in_words { 3 } else { 1 }, "{prompt}");
        for (example, tool) in examples.iter().zip(tools()) {
            let parser = Parser::builder(dialect).tools(tools()).build().expect("a parser");
            let message = parser.parse(example);
            let call = message.calls().next().expect("a call");
            assert_eq!((call.name(), message.blocks().len()), (&*tool.name, 1), "{example}");
            assert_eq!(message.diagnostics(), [], "{dialect:?} {example}");
            let required = tool.params.iter().filter(|param| param.required);
            let mut names: Vec<&str> = required.map(|param| &*param.name).collect();
            let mut given: Vec<&str> = call.input().keys().map(|key| &**key).collect();
            names.sort();
            given.sort();
            assert_eq!(given, names, "{example}");
        }
    }
}

#[test]
fn examples_fit_the_schema() {
    let one = [tools()[1].clone()];
    for dialect in Dialect::ALL {
        let prompt = dialect.system_prompt(&one).expect("a prompt");
        let parser = Parser::builder(dialect).tools(one.clone()).build().expect("a parser");
        let message = parser.parse(examples(&prompt)[0]);
        let call = message.calls().next().expect("a call");
        let input = json!({
            "content": "content here",
            "mode": "word",
            "names": ["first name here", "second name here"],
            "edits": [{"line": 1}],
            "share": 1.5,
            "deep": true,
        });
        assert_eq!(Value::Object(call.input().clone()), input, "{dialect:?}");
    }
}

/// An example that would teach another call is left out.
#[test]
fn an_example_that_cannot_be_written_is_left_out() {
    let tool = json!([{"name": "t", "parameters": {
        "properties": {"p": {"enum": [" a"]}}, "required": ["p"],
    }}]);
    let tools = Tool::list_from_json(&tool).expect("tools");
    let cline = Dialect::CLINE.system_prompt(&tools).expect("a prompt");
    assert!(cline.ends_with("Parameters:\n- p (\" a\", required)"), "{cline}");
    let glm = Dialect::GLM.system_prompt(&tools).expect("a prompt");
    assert!(glm.contains("<arg_value> a</arg_value>"), "{glm}");
}

#[test]
fn one_tool_per_message_only_where_that_is_the_limit() {
    for dialect in Dialect::ALL {
        let says = |limit| {
            let prompt = prompt(dialect, limit).to_lowercase();
            ["one tool per message", "one tool per reply"].iter().any(|rule| prompt.contains(rule))
        };
        assert!(says(Some(1)) && !says(Some(3)) && !says(None), "{dialect:?}");
        assert!(prompt(dialect, Some(3)).contains('3'), "{dialect:?}");
        assert_eq!(dialect.system_prompt(&tools()).expect("a prompt"), prompt(dialect, Some(1)));
    }
}

/// Models copy a tag that looks like a name. So every tag is the form's, or a declared name.
#[test]
fn cline_shows_no_tag_that_could_be_taken_for_a_name() {
    let prompt = prompt(Dialect::CLINE, Some(1));
    let form = ["tool_name", "parameter1_name", "parameter2_name"];
    let declared = tools();
    for piece in prompt.split('<').skip(1) {
        let (name, _) = piece.split_once('>').expect("a tag");
        let name = name.trim_start_matches('/');
        let mut params = declared.iter().flat_map(|tool| &tool.params);
        let known = form.contains(&name)
            || declared.iter().any(|tool| tool.name == name)
            || params.any(|param| param.name == name);
        assert!(known && !name.contains("actual"), "<{name}>");
    }
    // The form is no call of any tool, for the parser either.
    let parser = Parser::builder(Dialect::CLINE).tools(declared).tool_limit(None).build().unwrap();
    let names: Vec<String> = parser.parse(&prompt).calls().map(|call| call.name().into()).collect();
    assert_eq!(names, ["read_file", "search", "stop"]);
}

#[test]
fn forms_hold_the_markers_of_the_dialect() {
    for (dialect, form) in [
        (
            Dialect::CLINE,
            "\n<tool_name>\n<parameter1_name>value1</parameter1_name>\n<parameter2_name>value2, \
             possibly\nseveral lines</parameter2_name>\n</tool_name>\n",
        ),
        (
            Dialect::CODE_ASSISTANT,
            "\n<tool:tool_name>\n<param:parameter1_name>value1</param:parameter1_name>\n\
             <param:parameter2_name>\nvalue2, possibly\nseveral lines\n</param:parameter2_name>\n\
             </tool:tool_name>\n",
        ),
        (
            Dialect::INVOKE,
            "\n<function_calls>\n<invoke name=\"$TOOL_NAME\">\n<parameter name=\"$PARAMETER_NAME\">\
             $PARAMETER_VALUE</parameter>\n</invoke>\n</function_calls>\n",
        ),
        (
            Dialect::HERMES,
            "\n<tool_call>\n{\"name\": \"tool_name\", \"arguments\": {\"parameter_name\": \
             \"value\"}}\n</tool_call>\n",
        ),
        (
            Dialect::QWEN3_CODER,
            "\n<tool_call>\n<function=tool_name>\n<parameter=parameter_1>\nvalue 1\n</parameter>\n\
             <parameter=parameter_2>\nvalue 2,\npossibly\nseveral lines\n</parameter>\n\
             </function>\n</tool_call>\n",
        ),
        (
            Dialect::GLM,
            "\n<tool_call>tool_name\n<arg_key>key_1</arg_key>\n<arg_value>value 1</arg_value>\n\
             <arg_key>key_2</arg_key>\n<arg_value>value 2</arg_value>\n</tool_call>\n",
        ),
    ] {
        assert!(prompt(&dialect, Some(1)).contains(form), "{dialect:?}");
    }
}

#[test]
#[cfg_attr(not(feature = "preserve_order"), ignore = "holds an order")]
fn tools_without_a_schema() {
    let tool = Tool::new("greet")
        .describe("Says hello.")
        .param(Param::required("who").with(Type::String).describe("Whom to greet."))
        .param(Param::optional("loud").with(Type::Boolean).with(Type::Null))
        .param(Param::optional("any"));
    let cline = Dialect::CLINE.system_prompt(std::slice::from_ref(&tool)).expect("a prompt");
    assert!(cline.contains(
        "Says hello.\nParameters:\n- who (string, required): Whom to greet.\n\
         - loud (boolean or null, optional)\n- any (any, optional)\nUsage:\n"
    ));
    let hermes = Dialect::HERMES.system_prompt(&[tool]).expect("a prompt");
    let line = hermes.lines().find(|line| line.contains("greet")).expect("a line");
    let declared: Value = serde_json::from_str(line).expect("JSON");
    let schema = json!({
        "type": "object",
        "properties": {
            "who": {"type": "string", "description": "Whom to greet."},
            "loud": {"type": ["boolean", "null"]},
            "any": {},
        },
        "required": ["who"],
    });
    assert_eq!(declared["function"]["parameters"], schema);
}

#[test]
fn no_tools_no_prompt() {
    for dialect in Dialect::ALL {
        assert_eq!(dialect.system_prompt(&[]).as_deref(), Ok(""));
    }
    let twice = [Tool::new("a"), Tool::new("a")];
    let error = Dialect::CLINE.system_prompt(&twice).unwrap_err();
    assert!(error.to_string().starts_with("the tool `a` is declared twice"), "{error}");
}

/// A shape without placeholders for names and values shows default ones.
#[test]
fn a_form_has_placeholders_of_its_own() {
    let call = "<tool_call>\n{\"name\": {name}, \"arguments\": {arguments}}\n</tool_call>";
    let shape = json!({"name": "mine", "call": call, "prompt": {"text": "{form}"}});
    let dialect = Dialect::from_json(&shape.to_string()).unwrap();
    let parser = Parser::builder(dialect).tool(Tool::new("list")).build().unwrap();
    let form = "<tool_call>\n{\"name\": \"tool_name\", \"arguments\": {\"parameter_name\": \"value\"}}\n\
                </tool_call>";
    assert_eq!(parser.system_prompt(), form);
}

/// The prompt of each dialect and each of its forms, and its stop sequences, for one call a message and for any number of calls.
/// `EXPECTED=write` writes the file anew; read the changes before you commit them.
#[test]
#[cfg_attr(not(feature = "preserve_order"), ignore = "holds an order")]
fn what_is_told() {
    let tools = Tool::list_from_json(&json!([
        {"name": "write", "description": "Writes a file.", "parameters": {"type": "object",
            "required": ["path"], "properties": {"path": {"type": "string"},
            "tags": {"type": "array", "items": {"type": "string"}}}}},
        {"name": "list"},
    ]));
    let tools = tools.expect("two tools");
    let all = Dialect::ALL.iter().flat_map(|of| std::iter::once(of.clone()).chain(of.forms()));
    let mut text = String::new();
    for dialect in all {
        let builder = Parser::builder(&dialect).tools(tools.clone());
        let [one, any] = [Some(1), None]
            .map(|limit| builder.clone().tool_limit(limit).build().expect("a parser"));
        let stops = [&one, &any].map(|parser| format!("{:?}", parser.stop_sequences()));
        text += &format!("==== {dialect}\none call: {}\nany: {}\n", stops[0], stops[1]);
        let [one, any] = [one, any].map(|parser| parser.system_prompt());
        text += &format!("{one}\n");
        // The other prompt is shown by the lines that differ.
        let other = any.lines().filter(|line| !one.lines().any(|known| known == *line));
        other.for_each(|line| text += &format!("any: {line}\n"));
    }
    expected::compare("prompts.txt", &text);
}
