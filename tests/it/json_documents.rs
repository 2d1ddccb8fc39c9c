//! JSON that is the answer: documents as users ask agents for them. The declared tools have names that occur as keys and values
//! there. Every document is text, byte for byte, at every cut.

use serde_json::{Value, json};
use toolstream::check::{self, Ended};
use toolstream::{Dialect, Event, Param, Parser, Tool, tools::Type};

/// The number of documents.
const DOCUMENTS: u64 = 360;

/// Words in the documents, and the names of the tools.
const NAMES: &[&str] =
    &["build", "ring", "name", "send_mail", "scripts", "list", "read", "type", "get_user", "log"];

/// Numbers that look random and are equal in each run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % count
    }

    fn name(&mut self) -> &'static str {
        NAMES[self.below(NAMES.len())]
    }

    fn word(&mut self) -> String {
        let words = [
            "a {brace} and a ]",
            "say \"name\": \"ring\"",
            "two\nlines",
            "C:\\new\\",
            "naïve ☃ 🦀",
            "{\"name\": \"ring\", \"arguments\": {}}",
            "```json",
            "1.0.0",
            "",
        ];
        words[self.below(words.len())].to_string()
    }

    /// A call inside a document.
    fn call(&mut self) -> Value {
        json!({"name": self.name(), "arguments": {"path": self.word()}})
    }
}

fn package(dice: &mut Dice) -> Value {
    json!({
        "name": dice.name(),
        "version": format!("{}.{}.0", dice.below(9), dice.below(9)),
        "description": dice.word(),
        "type": "module",
        "scripts": {"build": "tsc -p .", "test": dice.word(), "list": "ls {src,lib}"},
        "args": {"path": dice.name()},
        "files": ["dist", dice.name()],
        "dependencies": {"ring": "^1.0.0", "left-pad": "~0.1"},
        "private": dice.below(2) == 1,
    })
}

fn schema(dice: &mut Dice) -> Value {
    let property = |kind: &str, about: String| json!({"type": kind, "description": about});
    let whole = json!({
        "type": "object",
        "properties": {
            "name": property("string", dice.word()),
            "arguments": property("object", dice.word()),
            (dice.name()): {"enum": [dice.name(), null, 7]},
        },
        "required": ["name"],
        "additionalProperties": false,
    });
    match dice.below(3) {
        0 => whole,
        // A declaration as a model repeats it, and as the host of an agent would print it.
        1 => json!({"name": dice.name(), "description": dice.word(), "parameters": whole}),
        _ => json!({"type": "function", "function": {"name": dice.name(), "parameters": whole}}),
    }
}

fn answer(dice: &mut Dice) -> Value {
    let calls = json!([{"id": "call_1", "type": "function", "function": dice.call()}]);
    match dice.below(4) {
        0 => {
            json!({"id": "chatcmpl-1", "choices": [{"index": 0, "message": {"tool_calls": calls}}]})
        }
        1 => json!({"data": [dice.call(), dice.call()], "next": null, "count": dice.below(100)}),
        2 => {
            json!([{"id": dice.below(100), "name": dice.name(), "title": dice.word()}, dice.call()])
        }
        _ => {
            json!({"error": {"type": dice.name(), "message": dice.word(), "input": {}}, "ok": false})
        }
    }
}

fn notebook(dice: &mut Dice) -> Value {
    let cell = |dice: &mut Dice| {
        json!({
            "cell_type": "code",
            "execution_count": dice.below(50),
            "source": ["import json\n", dice.word(), "\n"],
            "outputs": [{"name": "stdout", "output_type": "stream", "text": [dice.word()]}, dice.call()],
        })
    };
    json!({"cells": [cell(dice), cell(dice)], "metadata": {"kernelspec": dice.call()}, "nbformat": 4})
}

fn api(dice: &mut Dice) -> Value {
    json!({
        "openapi": "3.1.0",
        "info": {"title": dice.word(), "version": "1"},
        "paths": {
            "/users/{id}": {
                "get": {
                    "operationId": dice.name(),
                    "parameters": [{"name": "id", "in": "path", "schema": {"type": "integer"}}],
                    "responses": {"200": {"description": dice.word(), "example": dice.call()}},
                },
            },
        },
    })
}

fn log_line(dice: &mut Dice) -> Value {
    let level = ["info", "warn"][dice.below(2)];
    match dice.below(3) {
        0 => {
            json!({"ts": dice.below(99999), "level": level, "tool": dice.name(), "input": {"path": "x"}})
        }
        1 => json!({"name": dice.name(), "level": level, "arguments": {"path": dice.word()}}),
        _ => json!({"event": dice.call(), "msg": dice.word()}),
    }
}

/// A document: one value, or several values, a line each.
fn document(dice: &mut Dice) -> (Value, String) {
    let kinds = [package, schema, answer, notebook, api, log_line];
    let kind = dice.below(kinds.len());
    let value = kinds[kind](dice);
    let text = match dice.below(2) {
        _ if kind == 5 => {
            let lines: Vec<_> = (0..4).map(|_| log_line(dice).to_string()).collect();
            format!("{value}\n{}", lines.join("\n"))
        }
        0 => value.to_string(),
        _ => serde_json::to_string_pretty(&value).expect("JSON"),
    };
    (value, text)
}

/// A parser with the tools of these names, each with a required parameter.
fn parser(dialect: &Dialect, named: impl Fn(&str) -> bool) -> Parser {
    let tool = |name: &&str| {
        Tool::new(*name)
            .param(Param::required("path").with(Type::String))
            .param(Param::optional("deep").with(Type::Boolean))
    };
    let tools: Vec<_> = NAMES.iter().filter(|name| named(name)).map(tool).collect();
    Parser::builder(dialect.clone()).tools(tools).tool_limit(None).build().expect("a parser")
}

/// Checks that all of `text` is text: whole, byte by byte and at random cuts.
fn is_text(parser: &Parser, text: &str, dice: &mut Dice, what: &str) {
    let mut some: Vec<usize> = (0..8).map(|_| 1 + dice.below(text.len() - 1)).collect();
    some.sort_unstable();
    some.dedup();
    let cuts = [vec![], (1..text.len()).collect(), some];
    let events = check::hold(parser, text, &cuts, Ended::Stop).expect("the laws hold");
    assert_eq!(events, [Event::TextContent(text.to_string())], "{what}: {text}");
}

/// Documents are text alone, after prose, and in a fence.
#[test]
#[cfg_attr(not(feature = "preserve_order"), ignore = "holds an order")]
fn documents_are_text_in_bare_json() {
    let mut dice = Dice(21);
    let dialects = ["bare-json", "hermes+bare-json"]
        .map(|name| (name, Dialect::by_name(name).expect("a dialect")));
    let parsers = dialects.map(|(name, dialect)| (name, parser(&dialect, |_| true)));
    for _ in 0..DOCUMENTS {
        let (_, document) = document(&mut dice);
        let texts = [
            document.clone(),
            format!("Here it is.\n{document}\nSay if it is not."),
            format!("```json\n{document}\n```\nThat is all."),
        ];
        for (name, parser) in &parsers {
            for text in &texts {
                is_text(parser, text, &mut dice, name);
            }
        }
    }
}

/// A document at the start of a message is text if it names no tool. After prose it is always text.
#[test]
fn documents_are_text_in_llama3_json() {
    let mut dice = Dice(3);
    for name in ["llama3-json", "llama3-json:xlam", "phi4:bare"] {
        let dialect = Dialect::by_name(name).expect("a dialect");
        let all = parser(&dialect, |_| true);
        for _ in 0..DOCUMENTS / 3 {
            let (value, document) = document(&mut dice);
            let first = value.get(0).unwrap_or(&value);
            // The value that may be the name. It may stand inside `function`.
            let first = first.get("function").unwrap_or(first);
            let named = |key: &&str| first.get(*key).and_then(Value::as_str);
            let called = ["name", "tool", "tool_name"].iter().find_map(named);
            is_text(&parser(&dialect, |name| Some(name) != called), &document, &mut dice, name);
            is_text(&all, &format!("Here it is.\n{document}"), &mut dice, name);
        }
    }
}
