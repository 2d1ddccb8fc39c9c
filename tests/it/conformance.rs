//! The list of *plain* vectors: their result follows from the template of the model alone, and from no ruling of ours.
//! `conformance/README.md` has the criterion in words, and `conformance/plain.txt` the list. It is made here:
//! `EXPECTED=write cargo test --all-features --test it conformance::` writes it anew.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::{Value, json};
use toolstream::check::{Ended, hold};
use toolstream::{CompleteCall, Dialect, Event, Message, Parser, Tool, ToolUse, render::CallRef};

use crate::support::expected;

#[test]
fn the_list_of_plain_vectors_is_up_to_date() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors");
    let mut files: Vec<_> = folder.read_dir().unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    let mut now = String::new();
    let mut seen = BTreeSet::new();
    for file in files {
        for line in std::fs::read_to_string(file).unwrap().lines() {
            let vector: Value = serde_json::from_str(line).expect("a vector");
            let id = vector["id"].as_str().expect("an id");
            assert!(seen.insert(id.to_string()), "two vectors are called {id}");
            if let Some(form) = plain(&vector) {
                now += &format!("{id} {form}\n");
            }
        }
    }
    expected::compare_file("conformance/plain.txt", &now);
}

/// The criterion, applied to texts made for it: `(form, dialect, text)`. A text without a form is not plain.
#[test]
fn only_what_a_template_writes_is_plain() {
    let call = "<tool_call>\n{\"name\": \"read\", \"arguments\": {\"path\": \"a\"}}\n</tool_call>";
    let quoting = call.replace("\"a\"", "\"</tool_call>\"");
    let first = "<tool_call>\n{\"arguments\": {\"path\": \"a\"}, \"name\": \"read\"}\n</tool_call>";
    let keyed = |between: &str| {
        let parts = [
            "<tool_call>read",
            "<arg_key>path</arg_key>",
            "<arg_value>a</arg_value>",
            "</tool_call>",
        ];
        parts.join(between)
    };
    let tagged = |path: &str| {
        format!(
            "<tool_call>\n<function=read>\n<parameter=path>\n{path}\n</parameter>\n</function>\n</tool_call>"
        )
    };
    for (form, dialect, text) in [
        (Some("hermes"), "hermes", call),
        (
            Some("hermes"),
            "hermes",
            &format!("<think>\nHm, 3 < 4?\n</think>\n\nI look.\n{call}\n{call}"),
        ),
        (Some("qwen3-coder"), "qwen3-coder", &tagged("a")),
        (Some("glm"), "glm", &keyed("\n")),
        (Some("glm:inline"), "glm", &keyed("")),
        (None, "hermes", "Only text."),
        (None, "hermes", &quoting),
        (None, "hermes", first),
        (None, "hermes", &call.replace(": ", ":  ")),
        (None, "hermes", &format!("<think>Hm.\n{call}")),
        (None, "hermes", &format!("<tool_call>\n{call}")),
        (
            None,
            "harmony",
            "<|start|>assistant to=functions.read<|channel|>commentary json<|message|>{\"path\": \"a\"}<|call|>",
        ),
        (None, "pythonic", "I look.\n[read(path=\"a\")]"),
        (Some("pythonic"), "pythonic", "[read(path=\"a\")]"),
        (None, "hermes", &format!("{call} Done.")),
        (None, "hermes", &format!("I look. {call}\nAnd: {call}")),
        (None, "hermes", &format!("```\n{call}\n```")),
        (None, "hermes", &format!("<think>Hm.</thinking>{call}")),
        (None, "hermes", &format!("A <b>{call}")),
        (None, "hermes", call.strip_suffix("</tool_call>").unwrap()),
        (None, "hermes", &call.replace("read", "unknown")),
        (None, "hermes", &call.replace("path", "other")),
        (None, "hermes", &call.replace("\"a\"", "7")),
        (None, "hermes", &call.replace("\"a\"", "\"a \"")),
        (None, "hermes", &call.replace("\"a\"", "\"null\"")),
        (None, "qwen3-coder", &tagged("a</parameter> b")),
    ] {
        let tools = json!([{"name": "read", "parameters": {"type": "object", "required": ["path"], "properties": {"path": {"type": "string"}}}}]);
        let vector = json!({"id": "x", "dialect": dialect, "tools": tools, "input": text,
            "config": {"tool_limit": null}, "expect": {"text": "", "calls": []}});
        assert_eq!(plain(&vector).as_deref(), form, "{dialect}: {text}");
    }
}

/// The form in which a plain vector is written: the name of its dialect, perhaps with a colon and the name of the form.
fn plain(vector: &Value) -> Option<String> {
    let parser = parser(vector)?;
    let text = vector["input"].as_str().expect("an input");
    let complete = |call: &Value| call["status"].as_str().unwrap_or("complete") == "complete";
    if vector["expect"]["calls"].as_array().is_none_or(|calls| !calls.iter().all(complete)) {
        return None;
    }
    let events = hold(&parser, text, &[], Ended::Stop).unwrap_or_else(|broken| panic!("{broken}"));
    let mut message = parser.message();
    events.iter().for_each(|event| message.push(event.clone()));
    message.close();
    let is_plain = message.calls().next().is_some()
        && message.diagnostics().is_empty()
        && is_over(&events)
        && nothing_quotes_a_marker(&parser, &events)
        && message.calls().all(|call| fits(call, &vector["tools"]));
    let (form, head) = form(&parser, &message, text).filter(|_| is_plain)?;
    is_head(parser.dialect(), &events, head).then_some(form)
}

/// The parser of a vector. A vector with options has none, because a host of another parser could not set them.
fn parser(vector: &Value) -> Option<Parser> {
    let dialect = Dialect::ALL.iter().find(|dialect| dialect.name() == vector["dialect"])?;
    let config = vector["config"].as_object();
    if config.into_iter().flatten().any(|(key, value)| key != "tool_limit" || !value.is_null()) {
        return None;
    }
    let tools = vector["tools"].as_array().into_iter().flatten();
    let tools = tools.map(|tool| Tool::from_json(tool).expect("a tool"));
    Some(Parser::builder(dialect).tools(tools).tool_limit(None).build().expect("a parser"))
}

/// Dialects in which an answer with calls has nothing but calls. Reading them after text is a recovery.
const CALLS_ALONE: [&str; 3] = ["bare-json", "llama3-json", "pythonic"];

/// Dialects in which text stands between markers, as reasoning does.
const CHANNELS: [&str; 9] = [
    "beam",
    "cohere-cofl",
    "command-r",
    "functionary",
    "harmony",
    "inkling",
    "kimi-k3",
    "muse",
    "solar-open",
];

/// Whether the head of an answer is plain: at most one piece of reasoning, then at most one of text, each between its
/// markers, and no other marker.
fn is_head(dialect: &Dialect, events: &[Event<String>], head: &str) -> bool {
    let (mut order, mut tags, mut read) = (String::new(), Vec::new(), 0);
    for event in events {
        let Some(slice) = event.slice() else { continue };
        // The order of the kinds: a marker, reasoning, text.
        let kind = match event {
            _ if read >= head.len() => break,
            Event::Markup(_) => 'm',
            Event::Reasoning(_) => 'r',
            Event::TextContent(_) => 't',
            _ => return false,
        };
        read += slice.len();
        if kind == 'm' {
            tags.push(slice.trim());
        }
        if !(slice.trim().is_empty() || kind == 'm' && order.ends_with('m')) {
            order.push(kind);
        }
    }
    let orders: &[&str] = match dialect.name() {
        name if CHANNELS.contains(&name) => &["mrm", "mtm", "mrmtm"],
        name if CALLS_ALONE.contains(&name) => &[],
        _ => &["t", "mrm", "mrmt"],
    };
    (head.is_empty() || orders.contains(&&*order))
        && are_pairs(&tags)
        && !begins_with_the_prompt(events)
}

/// Whether an answer begins with the end of its prompt.
fn begins_with_the_prompt(events: &[Event<String>]) -> bool {
    matches!(events.first(), Some(Event::Markup(text)) if text.starts_with("<|start|>"))
}

/// Whether nothing follows the calls.
fn is_over(events: &[Event<String>]) -> bool {
    let after = events.iter().skip_while(|event| !matches!(event, Event::ToolUse(_)));
    !after.into_iter().any(|event| match event {
        Event::TextContent(text) | Event::Reasoning(text) => !text.trim().is_empty(),
        _ => false,
    })
}

/// Whether each tag before the calls is closed by its own closer: `<think>` is not closed by `</thinking>`.
fn are_pairs(tags: &[&str]) -> bool {
    tags.windows(2).all(|pair| match (pair[0].strip_prefix('<'), pair[1].strip_prefix("</")) {
        (Some(open), Some(close)) => open == close,
        _ => true,
    })
}

/// Whether prose has no characters of markers, and no value holds a marker.
fn nothing_quotes_a_marker(parser: &Parser, events: &[Event<String>]) -> bool {
    let marks = marks(parser.dialect());
    let quotes = |text: &str| marks.iter().any(|mark| text.contains(mark));
    events.iter().all(|event| match event {
        Event::TextContent(text) | Event::Reasoning(text) => {
            !text.contains(['{', '}', '[', ']', '|', '`', '^', '\u{ff5c}'])
                && !text.replace(" < ", " ").contains('<')
                && !quotes(text)
        }
        Event::ToolUse(ToolUse::ParamDelta(text) | ToolUse::ArgumentsDelta(text)) => !quotes(text),
        _ => true,
    })
}

/// The texts that the markers of a dialect are made of, and texts that may begin a bare call.
fn marks(dialect: &Dialect) -> Vec<String> {
    let own = dialect.markers().into_iter().map(|text| text.trim().to_string());
    let own = own.filter(|text| text.len() > 2);
    own.chain(["<think", "</think", "{\"name"].map(String::from)).collect()
}

/// Whether the tool is declared, and its schema accepts the arguments and gives them a single meaning.
fn fits(call: &CompleteCall, tools: &Value) -> bool {
    let tool = tools.as_array().into_iter().flatten().find(|tool| tool["name"] == call.name());
    let Some(schema) = tool.map(|tool| &tool["parameters"]) else { return false };
    let arguments = Value::Object(call.input().clone());
    schema.is_object()
        && is_name(call.name())
        && call.id() != Some("")
        && jsonschema::validator_for(schema).is_ok_and(|schema| schema.is_valid(&arguments))
        && call.input().iter().all(|(name, value)| {
            is_name(name) && schema["properties"][name]["type"].is_string() && is_clean(value)
        })
}

/// Whether the word is a name in every notation of calls.
fn is_name(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    (1..=64).contains(&name.len())
        && name.chars().all(plain)
        && !name.starts_with(|c: char| c.is_ascii_digit())
}

/// Whether all parsers read the strings alike. That excludes white space at the ends, control characters, texts that resemble a
/// token, and literals of another type.
fn is_clean(value: &Value) -> bool {
    match value {
        Value::String(text) => {
            let literal =
                ["None", "True", "False"].iter().any(|word| text.eq_ignore_ascii_case(word))
                    || serde_json::from_str::<Value>(text).is_ok();
            text.trim() == text
                && !literal
                && !["<|", "|>"].iter().any(|token| text.contains(token))
                && !text.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\t'))
        }
        Value::Array(items) => items.iter().all(is_clean),
        Value::Object(keys) => keys.values().all(is_clean),
        _ => true,
    }
}

/// The form in which the calls stand at the end of the text, character by character: the dialect's own, or another. Returns
/// the text before them, too.
fn form<'t>(parser: &Parser, message: &Message, text: &'t str) -> Option<(String, &'t str)> {
    let calls: Vec<CallRef<'_>> = message.calls().map(CallRef::from).collect();
    let without: Vec<CallRef<'_>> = calls.iter().map(|call| call.with_id(None)).collect();
    let dialect = parser.dialect();
    let forms = [dialect.clone()].into_iter().chain(dialect.forms());
    let mut names = forms.filter_map(|form| {
        let name = form.to_string();
        let tools = parser.tools().iter().cloned();
        let parser = Parser::builder(form).tools(tools).build().expect("a parser");
        let head = |calls: &[CallRef<'_>]| {
            let written = parser.render_calls(calls).ok()?;
            text.trim_end().strip_suffix(written.trim())
        };
        head(&calls).or_else(|| head(&without)).map(|head| (name, head))
    });
    names.next()
}
