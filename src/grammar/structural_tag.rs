//! A structural tag, as `xgrammar` reads it.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::marks::{Marks, Thought, WHITE, escaped};
use super::{Argument, Call, Content, INDEX, Message};

pub(super) fn grammar(message: &Message<'_>) -> String {
    let Message { tables, calls, thought, .. } = message;
    let most = tables.options.tool_limit.map_or(json!(-1), |most| json!(most));
    let [text, after] =
        [Marks::in_text(tables), Marks::after(tables, &calls[0])].map(|marks| any_text(&marks));
    let calls: Vec<Value> = calls.iter().map(|of| call(of, &of.open)).collect();
    let call = sequence(vec![json!({"type": "or", "elements": calls}), after]);
    let least = u8::from(message.must_call());
    let calls = json!({"type": "repeat", "min": least, "max": most, "content": call});
    let rest = if message.may_call() { vec![text, calls] } else { vec![text] };
    let all = thought.iter().map(block).chain(rest).collect();
    json!({"type": "structural_tag", "format": sequence(all)}).to_string()
}

/// A block of reasoning.
fn block(thought: &Thought) -> Value {
    let texts = |texts: &[String]| -> Vec<Value> {
        let text = |text: &String| json!({"type": "const_string", "value": text});
        let all: Vec<Value> = texts.iter().map(text).collect();
        if all.is_empty() { all } else { vec![json!({"type": "or", "elements": all})] }
    };
    let text = json!({"type": "any_text", "excludes": thought.excludes});
    let block = sequence([texts(&thought.open), vec![text], texts(&thought.close)].concat());
    if thought.must_come { block } else { json!({"type": "optional", "content": block}) }
}

/// Returns the grammar of the text behind the opener of these calls, up to the end of a call.
pub(super) fn behind_opener(calls: &[Call<'_>]) -> String {
    let calls: Vec<Value> = calls.iter().map(|of| call(of, of.behind_opener())).collect();
    json!({"type": "structural_tag", "format": {"type": "or", "elements": calls}}).to_string()
}

fn call(call: &Call<'_>, open: &str) -> Value {
    let values = call.values.iter().map(argument);
    let all = fixed(open).into_iter().chain(values).chain(fixed(&call.close));
    sequence(all.collect())
}

fn argument(argument: &Argument) -> Value {
    let content = match &argument.content {
        Content::Json(schema) => json!({"type": "json_schema", "json_schema": schema}),
        Content::Text(marks) => any_text(marks),
    };
    let [open, close] = argument.around.each_ref().map(|text| fixed(text));
    let all = sequence([open, vec![content], close].concat());
    if argument.required { all } else { json!({"type": "optional", "content": all}) }
}

fn sequence(elements: Vec<Value>) -> Value {
    json!({"type": "sequence", "elements": elements})
}

/// Writes a tag for texts without these.
fn any_text(marks: &Marks) -> Value {
    let begins = &marks.begins;
    let text = json!({"type": "any_text", "excludes": begins});
    if marks.first.is_empty() {
        return text;
    }
    // The first character that is not white space stands apart from the rest: no marker begins with it.
    let markers = begins.iter().filter_map(|text| text.chars().next());
    let first: BTreeSet<char> = marks.first.chars().chain(markers).collect();
    let first = escaped(&String::from_iter(first));
    let regex = |pattern: &str| json!({"type": "regex", "pattern": pattern});
    let begin = regex(&format!(r"{WHITE}[^ \t\r\n{first}]"));
    json!({"type": "or", "elements": [regex(WHITE), sequence(vec![begin, text])]})
}

/// A text that may hold the index of a call.
fn fixed(text: &str) -> Vec<Value> {
    let texts = text.split(INDEX).enumerate().flat_map(|(at, text)| {
        let index = (at > 0).then(|| json!({"type": "regex", "pattern": "[0-9]{1,3}"}));
        let text = (!text.is_empty()).then(|| json!({"type": "const_string", "value": text}));
        [index, text]
    });
    texts.flatten().collect()
}
