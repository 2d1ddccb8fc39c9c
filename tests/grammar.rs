//! Grammars for constrained decoding, as texts; `benches/guidance` runs them.
#![cfg(feature = "json")]

use serde_json::Value;
use toolstream::{Dialect, Format, Options, Param, Parser, Tool, Type};

fn parser(dialect: &Dialect) -> Parser {
    let write = Tool::new("write")
        .param(Param::required("path").with(Type::String))
        .param(Param::optional("mode").with(Type::Integer));
    Parser::builder(dialect).tools([write, Tool::new("list")]).build().expect("a parser")
}

/// The dialects that have none, and why.
const NONE: &[(&str, &str)] = &[
    ("react", "its messages are lines, or begin in headers"),
    ("harmony", "its messages are lines, or begin in headers"),
    ("gemma4", "its values are literals of its own"),
    ("minimax-m3", "its values are elements"),
    ("llama3-json", "its calls have no marker of their own"),
    ("pythonic", "its values are literals of its own"),
    ("lfm2", "its values are literals of its own"),
    ("cohere-cofl", "its values are elements"),
    ("functionary", "its messages are lines, or begin in headers"),
    ("code-assistant-caret", "its values are written in two ways"),
    ("functiongemma", "its values are literals of its own"),
    ("minicpm5", "its values are written in two ways"),
    ("beam", "its messages are lines, or begin in headers"),
];

#[test]
fn what_has_no_grammar_says_why() {
    let none = Dialect::ALL.iter().filter_map(|dialect| {
        let error = parser(dialect).grammar(Format::Lark).err()?;
        assert_eq!(error.dialect, dialect.name());
        Some((dialect.name(), error.what))
    });
    let none: Vec<(&str, String)> = none.collect();
    let none: Vec<(&str, &str)> = none.iter().map(|(name, what)| (*name, &**what)).collect();
    assert_eq!(none, NONE);

    let build = |dialect: Dialect| Parser::builder(dialect).tool(Tool::new("list"));
    let both = build(Dialect::HERMES.and(Dialect::GLM)).build().unwrap();
    let error = both.grammar(Format::Lark).unwrap_err().to_string();
    assert_eq!(error, "hermes+glm has no grammar of this format: two dialects are two grammars");
    let mut options = Options::default();
    options.quote_fences = true;
    let quote = build(Dialect::HERMES).options(options).build().unwrap();
    assert!(quote.grammar(Format::Lark).unwrap_err().what.contains("fences"));
    let kimi = parser(&Dialect::KIMI_K2).grammar(Format::StructuralTag).unwrap_err();
    assert_eq!(kimi.what, "its calls have ids, which are no literal");
}

/// A value is one token with its closer and what follows, and holds neither together.
#[test]
fn a_value_may_hold_its_closer() {
    let lark = parser(&Dialect::GLM).grammar(Format::Lark).unwrap();
    let line = |begin: &str| lark.lines().find(|line| line.starts_with(begin)).expect(begin);
    assert_eq!(line("start"), "start: call? TEXT?");
    assert_eq!(line("call:"), "call: call_0 | call_1");
    assert_eq!(line("call_0"), "call_0: HEAD_0 (OPEN_0_0 value_0_0)");
    assert_eq!(line("value_0_0"), "value_0_0: RAW_0_0_1 value_0_1 | RAW_0_0_END");
    assert_eq!(line("RAW_0_0_END"), r"RAW_0_0_END: VALUE_0_0 /<\/arg_value>\n<\/tool_call>/");
    assert!(line("VALUE_0_0").contains(r"<\/arg_value>[ \t\r\n]*<arg_key>"));
    assert_eq!(line("json_0_1"), r#"json_0_1: %json {"type":"integer"}"#);
    // Without a limit there are any number of calls.
    let parser =
        Parser::builder(Dialect::GLM).tool(Tool::new("list")).tool_limit(None).build().unwrap();
    assert!(parser.grammar(Format::Lark).unwrap().starts_with("start: call* TEXT?\n"));
}

#[test]
fn structural_tags_are_json() {
    let tag = parser(&Dialect::QWEN3_CODER).grammar(Format::StructuralTag).unwrap();
    let tag: Value = serde_json::from_str(&tag).unwrap();
    let format = &tag["format"];
    assert_eq!(format["triggers"], serde_json::json!(["<tool_call>\n<function="]));
    assert_eq!(format["stop_after_first"], true);
    let write = &format["tags"][0];
    assert_eq!(write["begin"], "<tool_call>\n<function=write>\n");
    assert_eq!(write["end"], "</function>\n</tool_call>");
    assert_eq!(write["content"]["elements"][0]["content"]["type"], "any_text");
    assert_eq!(write["content"]["elements"][1]["elements"][0]["content"]["type"], "json_schema");
    let hermes = parser(&Dialect::HERMES).grammar(Format::StructuralTag).unwrap();
    assert!(hermes.contains(r#""begin":"<tool_call>\n{\"name\": \"write\", \"arguments\": ""#));
}
