//! Grammars for constrained decoding, as texts. `benches/guidance` runs them.

use serde_json::{Value, json};
use toolstream::{
    Dialect, Param, Parser, Tool,
    grammar::{Format, ToolChoice},
    options::{Fences, Options, Start},
    tools::Type,
};

fn parser(dialect: &Dialect) -> Parser {
    let write = Tool::new("write")
        .param(Param::required("path").with(Type::String))
        .param(Param::optional("mode").with(Type::Integer));
    Parser::builder(dialect).tools([write, Tool::new("list")]).build().expect("a parser")
}

/// The dialects without a grammar, each with the reason.
const NONE: &[(&str, &str)] = &[
    ("react", "its messages are lines, or begin in headers"),
    ("harmony", "its messages are lines, or begin in headers"),
    ("gemma4", "its values are literals of its own"),
    ("minimax-m3", "its values are elements"),
    ("llama3-json", "its calls have no marker of their own"),
    ("pythonic", "its values are literals of its own"),
    ("lfm2", "its values are literals of its own"),
    ("olmo3", "its values are literals of its own"),
    ("cohere-cofl", "its values are elements"),
    ("functionary", "its messages are lines, or begin in headers"),
    ("code-assistant-caret", "its values are written in two ways"),
    ("functiongemma", "its values are literals of its own"),
    ("minicpm5", "its values are written in two ways"),
    ("beam", "its messages are lines, or begin in headers"),
    ("bare-json", "its calls have no marker of their own"),
];

#[test]
fn what_has_no_grammar_says_why() {
    let none = Dialect::ALL.iter().filter_map(|dialect| {
        let error = parser(dialect).grammar(Format::Lark).err()?;
        let told = error.to_string();
        let begin = format!("{} has no grammar of this format: ", dialect.name());
        Some((dialect.name(), told.strip_prefix(&begin).expect(&told).to_string()))
    });
    let none: Vec<(&str, String)> = none.collect();
    let none: Vec<(&str, &str)> = none.iter().map(|(name, what)| (*name, &**what)).collect();
    assert_eq!(none, NONE);

    let build = |dialect: Dialect| Parser::builder(dialect).tool(Tool::new("list"));
    let both = build(Dialect::HERMES.and(Dialect::GLM)).build().unwrap();
    let error = both.grammar(Format::Lark).unwrap_err().to_string();
    assert_eq!(
        error,
        "hermes+glm has no grammar of this format: several dialects are several grammars"
    );
    let mut options = Options::default();
    options.fences = Fences::Quote;
    let quote = build(Dialect::HERMES).options(options).build().unwrap();
    assert!(quote.grammar(Format::Lark).unwrap_err().to_string().contains("fences = quote"));
}

/// A value is one token together with its closer and the text behind it, and holds no such pair itself.
#[test]
fn a_value_may_hold_its_closer() {
    let lark = parser(&Dialect::GLM).grammar(Format::Lark).unwrap();
    let line = |begin: &str| lark.lines().find(|line| line.starts_with(begin)).expect(begin);
    assert_eq!(line("start"), "start: THOUGHT? (TEXT? | call AFTER?)");
    assert_eq!(line("call:"), "call: CALL_0 values_0 | CALL_1 values_1");
    assert_eq!(line("CALL_0:"), r"CALL_0: TEXT /<tool_call>write\n/");
    assert_eq!(line("values_0"), r"values_0: /<arg_key>path<\/arg_key>\n<arg_value>/ value_0_0");
    assert_eq!(line("value_0_0"), "value_0_0: VALUE_12 value_0_1 | VALUE_13");
    assert_eq!(line("VALUE_13"), r"VALUE_13: TEXT_0_0 /<\/arg_value>\n<\/tool_call>/");
    assert!(line("TEXT_0_0").contains(r"<\/arg_value>[ \t\r\n]*(?:<\/tool_c|<arg_key|<tool_ca|"));
    assert_eq!(line("json_0_1"), r#"json_0_1: %json {"type":"integer"}"#);
    // Without a limit there is any number of calls.
    let parser =
        Parser::builder(Dialect::GLM).tool(Tool::new("list")).tool_limit(None).build().unwrap();
    assert!(
        parser
            .grammar(Format::Lark)
            .unwrap()
            .starts_with("start: THOUGHT? (TEXT? | call next* AFTER?)\n")
    );
}

/// If nothing closes the section of a call, an object after the call would be another call.
#[test]
#[cfg_attr(not(feature = "preserve_order"), ignore = "holds an order")]
fn text_after_a_call_begins_no_other_one() {
    let [granite, phi4] = [Dialect::GRANITE, Dialect::PHI4].map(|dialect| parser(&dialect));
    let after = |parser: &Parser| {
        let lark = parser.grammar(Format::Lark).unwrap();
        let after = lark.lines().find_map(|line| line.strip_prefix("AFTER: ")).expect("AFTER");
        let text = lark.lines().find_map(|line| line.strip_prefix("TEXT: ")).expect("TEXT");
        after.strip_prefix(text).expect("it is a text").to_string()
    };
    assert_eq!(after(&granite), r" & ~/[ \t\r\n]*[,;\]`\{\}](?s:.*)/");
    assert_eq!(after(&phi4), "", "its closer does");
    let tag = granite.grammar(Format::StructuralTag).unwrap();
    let begin = r#"{"type":"regex","pattern":"[ \\t\\r\\n]*[^ \\t\\r\\n,;<\\]`\\{\\}]"}"#;
    assert!(tag.contains(begin), "{tag}");
}

#[test]
fn structural_tags_are_json() {
    let tag = |parser: &Parser| -> Value {
        let tag = parser.grammar(Format::StructuralTag).expect("a tag");
        serde_json::from_str::<Value>(&tag).expect("JSON")["format"]["elements"].take()
    };
    let fixed = |text: &str| json!({"type": "const_string", "value": text});
    let format = tag(&parser(&Dialect::QWEN3_CODER));
    assert_eq!(format[0]["type"], "optional", "reasoning: {format}");
    // Text excludes markers.
    assert_eq!(format[1]["type"], "any_text");
    for marker in ["<tool_call>", "<function=", "</tool_call>", "<think>"] {
        assert!(format[1]["excludes"].as_array().unwrap().contains(&json!(marker)), "{format}");
    }
    assert_eq!((&format[2]["min"], &format[2]["max"]), (&json!(0), &json!(1)));
    let [call, text] = [0, 1].map(|at| &format[2]["content"]["elements"][at]);
    assert_eq!(text, &format[1]);
    let write = &call["elements"][0]["elements"];
    assert_eq!(write[0], fixed("<tool_call>\n<function=write>\n"));
    assert_eq!(write[1]["elements"][1]["type"], "any_text");
    let mode = json!([
        fixed("<parameter=mode>\n"),
        {"type": "json_schema", "json_schema": {"type": "integer"}},
        fixed("\n</parameter>\n"),
    ]);
    assert_eq!(write[2]["type"], "optional");
    assert_eq!(write[2]["content"]["elements"], mode);
    assert_eq!(write[3], fixed("</function>\n</tool_call>"));
    // An id has any number, and without a limit there is any number of calls.
    let list = Parser::builder(Dialect::KIMI_K2).tool(Tool::new("list")).tool_limit(None);
    let kimi = tag(&list.build().expect("a parser"));
    assert_eq!(kimi[2]["max"], -1);
    let list = &kimi[2]["content"]["elements"][0]["elements"][0]["elements"];
    let begin = "<|tool_calls_section_begin|><|tool_call_begin|>functions.list:";
    assert_eq!(list[0], fixed(begin));
    assert_eq!(list[1], json!({"type": "regex", "pattern": "[0-9]{1,3}"}));
    assert_eq!(list[2], fixed("<|tool_call_argument_begin|>"));
}

/// A form of a dialect has a grammar of its own.
#[test]
fn a_form_is_written_as_it_is() {
    let inline = parser(&Dialect::by_name("glm:inline").expect("a form"));
    let lark = inline.grammar(Format::Lark).unwrap();
    assert!(lark.contains("<tool_call>write/\n"), "{lark}");
}

fn start_of(parser: &Parser, choice: &ToolChoice) -> String {
    let lark = parser.grammar_for(Format::Lark, choice).expect("a grammar");
    lark.lines().next().expect("a line").to_string()
}

/// The grammar allows only calls that the choice of a request allows.
#[test]
fn a_choice_is_kept() {
    let hermes = parser(&Dialect::HERMES);
    let write = ToolChoice::Tool("write".to_string());
    assert_eq!(start_of(&hermes, &ToolChoice::Required), "start: THOUGHT? call AFTER?");
    assert_eq!(start_of(&hermes, &ToolChoice::None), "start: THOUGHT? TEXT?");
    assert_eq!(start_of(&hermes, &write), "start: THOUGHT? call AFTER?");
    let lark = hermes.grammar_for(Format::Lark, &write).unwrap();
    assert!(lark.contains("write") && !lark.contains("list"), "{lark}");
    let lark = hermes.grammar_for(Format::Lark, &ToolChoice::None).unwrap();
    assert_eq!(lark.lines().count(), 3, "{lark}");

    let tag = |choice| -> Value {
        let tag = hermes.grammar_for(Format::StructuralTag, choice).expect("a tag");
        serde_json::from_str::<Value>(&tag).expect("JSON")["format"]["elements"].take()
    };
    assert_eq!(tag(&ToolChoice::Required)[2]["min"], 1);
    assert_eq!(tag(&ToolChoice::None).as_array().unwrap().len(), 2, "reasoning and text");
    let calls = &tag(&write)[2]["content"]["elements"][0]["elements"];
    assert_eq!(calls.as_array().unwrap().len(), 1, "{calls}");

    let unknown = ToolChoice::Tool("wrote".to_string());
    let error = hermes.grammar_for(Format::Lark, &unknown).unwrap_err();
    assert!(error.to_string().contains("`wrote`"), "{error}");
}

/// A message that begins in reasoning has the rest of it first. A dialect without reasoning has none in its grammar.
#[test]
fn reasoning_comes_first() {
    let tools = || Tool::new("list");
    let inside = Parser::builder(Dialect::HERMES).tool(tools()).start(Start::Reasoning);
    let inside = inside.build().unwrap();
    assert_eq!(start_of(&inside, &ToolChoice::Auto), "start: THOUGHT (TEXT? | call AFTER?)");
    let lark = inside.grammar(Format::Lark).unwrap();
    let thought = lark.lines().find(|line| line.starts_with("THOUGHT:")).unwrap();
    assert!(thought.ends_with(r"/(?:<\/think>|<\/thinking>)/)"), "{thought}");
    // Reasoning excludes calls and its own closer.
    for marker in [r"<tool_call>", r"<\/think"] {
        assert!(thought.contains(&format!("|{marker}")), "{thought}");
    }
    let without = Parser::builder(Dialect::GIGACHAT3).tool(tools()).build().unwrap();
    assert_eq!(start_of(&without, &ToolChoice::Auto), "start: TEXT? | call AFTER?");
}

#[test]
fn a_choice_that_is_none_is_refused() {
    for json in [json!("sometimes"), json!({"type": "tool"}), json!(7), json!({"name": "f"})] {
        let error = ToolChoice::from_json(&json).unwrap_err();
        assert_eq!(error.place(), Some("tool_choice"), "{json}");
    }
    assert_eq!(ToolChoice::from_json(&Value::Null).unwrap(), ToolChoice::Auto);
    assert_eq!(ToolChoice::from_json(&json!({"type": "none"})).unwrap(), ToolChoice::None);
}

/// All texts that a structural tag allows, with one text for each value.
fn texts_of_tag(format: &Value) -> Vec<String> {
    let elements = || format["elements"].as_array().expect("elements").iter().map(texts_of_tag);
    match format["type"].as_str().expect("a type") {
        "const_string" => vec![format["value"].as_str().expect("a text").to_string()],
        "regex" => vec!["7".to_string()],
        "any_text" => vec!["a <b> 1".to_string()],
        "json_schema" => vec![value_of(&format["json_schema"])],
        "optional" => [vec![String::new()], texts_of_tag(&format["content"])].concat(),
        "or" => elements().flatten().collect(),
        "sequence" => elements().fold(vec![String::new()], |all, next| joined(&all, &next)),
        other => panic!("{other} is not known here"),
    }
}

fn joined(all: &[String], next: &[String]) -> Vec<String> {
    all.iter().flat_map(|text| next.iter().map(move |next| text.clone() + next)).collect()
}

/// A value that fits a schema.
fn value_of(schema: &Value) -> String {
    match schema["type"].as_str() {
        Some("integer") => "7".to_string(),
        Some("object") if schema["properties"].get("path").is_some() => {
            json!({"path": "a \"b\"", "mode": 7}).to_string()
        }
        Some("object") => "{}".to_string(),
        other => panic!("{other:?} is not known here"),
    }
}

/// All texts that a grammar of calls in Lark allows, with one text for each value.
fn texts_of_lark(lark: &str, rule: &str) -> Vec<String> {
    let line = lark.lines().find_map(|line| line.strip_prefix(rule)?.strip_prefix(": "));
    let line = line.unwrap_or_else(|| panic!("{rule} is no rule of {lark}"));
    if let Some(schema) = line.strip_prefix("%json ") {
        return vec![value_of(&serde_json::from_str(schema).expect("a schema"))];
    }
    if rule.starts_with("TEXT_") {
        return vec!["a <b> 1".to_string()];
    }
    ways_of_lark(lark, line)
}

fn ways_of_lark(lark: &str, line: &str) -> Vec<String> {
    // The ways behind a value stand in brackets, and nothing stands behind them.
    if let Some((value, ways)) =
        line.split_once(" (").filter(|(value, _)| !value.contains(['/', '|']))
    {
        let ways = ways.strip_suffix(')').expect("a bracket that ends");
        return joined(&texts_of_lark(lark, value), &ways_of_lark(lark, ways));
    }
    let way = |way: &str| {
        let (mut all, mut rest) = (vec![String::new()], way);
        while !rest.is_empty() {
            let (next, after) = match rest.strip_prefix('/') {
                Some(_) => {
                    let end = rest.replace(r"\/", "__")[1..].find('/').expect("it ends") + 1;
                    (vec![text_of_expression(&rest[1..end])], &rest[end + 1..])
                }
                None if rest.starts_with("\"\"") => (vec![String::new()], &rest[2..]),
                None => {
                    let end = rest.find(' ').unwrap_or(rest.len());
                    (texts_of_lark(lark, &rest[..end]), &rest[end..])
                }
            };
            all = joined(&all, &next);
            rest = after.trim_start();
        }
        all
    };
    line.split(" | ").flat_map(way).collect()
}

/// The text of an expression that matches a fixed text.
fn text_of_expression(expression: &str) -> String {
    let (mut text, mut rest) = (String::new(), expression.replace("[0-9]{1,3}", "7"));
    while let Some(c) = rest.chars().next() {
        let taken = match rest.chars().nth(1).filter(|_| c == '\\') {
            Some('n') => ('\n', 2),
            Some(escaped) => (escaped, 2),
            None => (c, c.len_utf8()),
        };
        text.push(taken.0);
        rest.drain(..taken.1);
    }
    text
}

/// An opener with any text of its grammar is one complete call, and every tool has a grammar.
#[test]
fn a_call_goes_on_behind_its_opener() {
    let mut openers = Vec::new();
    for dialect in Dialect::ALL.iter().flat_map(|of| std::iter::once(of.clone()).chain(of.forms()))
    {
        let parser = parser(&dialect);
        let Ok(tags) = parser.call_grammars(Format::StructuralTag, &ToolChoice::Auto) else {
            assert!(parser.grammar(Format::Lark).is_err(), "{dialect}");
            continue;
        };
        let larks = parser.call_grammars(Format::Lark, &ToolChoice::Auto).expect("grammars");
        let tools: Vec<_> = tags.iter().flat_map(|of| &of.tools).collect();
        assert_eq!(tools, ["write", "list"], "{dialect}");
        for (tag, lark) in tags.iter().zip(&larks) {
            let format: Value = serde_json::from_str(&tag.grammar).expect("JSON");
            let mut texts = texts_of_tag(&format["format"]);
            texts.extend(texts_of_lark(&lark.grammar, "start"));
            for text in &texts {
                for lead in ["", "So:\n"] {
                    let message = parser.parse(&format!("{lead}{}{text}", tag.opener));
                    let told = message.diagnostics();
                    let called: Vec<_> = message.calls().map(|call| call.name()).collect();
                    assert_eq!(called.len(), 1, "{dialect}: {text:?} {told:?}");
                    assert!(tag.tools.iter().any(|tool| tool == called[0]), "{dialect}");
                    assert!(message.calls().all(|call| call.missing().is_empty()), "{text:?}");
                    // In dialects with headers, text without a header is reported.
                    assert!(told.is_empty() || !lead.is_empty(), "{dialect}: {text:?} {told:?}");
                }
            }
        }
        openers.push((
            dialect.to_string(),
            tags.iter().map(|of| of.opener.clone()).collect::<Vec<_>>(),
        ));
    }
    let of = |name: &str| -> Vec<String> {
        openers.iter().find(|(dialect, _)| dialect == name).map(|(_, of)| of.clone()).expect(name)
    };
    assert_eq!(of("hermes"), ["<tool_call>"]);
    assert_eq!(of("kimi-k2"), ["<|tool_calls_section_begin|>"]);
    assert_eq!(of("mistral"), ["[TOOL_CALLS]"]);
    assert_eq!(of("cline"), ["<write>", "<list>"]);
    for (dialect, openers) in &openers {
        for opener in openers {
            assert!(opener.ends_with(['>', ']']) && !opener.contains('\n'), "{dialect}: {opener}");
        }
    }
}

#[test]
fn a_choice_is_kept_behind_an_opener() {
    let hermes = parser(&Dialect::HERMES);
    let write = ToolChoice::Tool("write".to_string());
    let grammars = hermes.call_grammars(Format::Lark, &write).unwrap();
    assert_eq!(grammars[0].tools, ["write"]);
    assert!(!grammars[0].grammar.contains("list"));
    assert!(hermes.call_grammars(Format::Lark, &ToolChoice::None).unwrap().is_empty());
    let unknown = ToolChoice::Tool("wrote".to_string());
    assert!(hermes.call_grammars(Format::Lark, &unknown).is_err());
}
