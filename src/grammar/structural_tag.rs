//! A structural tag, as `xgrammar` reads it.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::marks::{Marks, WHITE, escaped};
use super::{Argument, Call, Content, INDEX};
use crate::machine::tables::Tables;

pub(super) fn grammar(tables: &Tables, calls: &[Call<'_>]) -> String {
    let most = tables.options.tool_limit.map_or(json!(-1), |most| json!(most));
    let [text, after] =
        [Marks::in_text(tables), Marks::after(tables, &calls[0])].map(|marks| any_text(&marks));
    let calls: Vec<Value> = calls.iter().map(call).collect();
    let call = sequence(vec![json!({"type": "or", "elements": calls}), after]);
    let calls = json!({"type": "repeat", "min": 0, "max": most, "content": call});
    json!({"type": "structural_tag", "format": sequence(vec![text, calls])}).to_string()
}

fn call(call: &Call<'_>) -> Value {
    let values = call.values.iter().map(argument);
    let all = fixed(&call.open).into_iter().chain(values).chain(fixed(&call.close));
    sequence(all.collect())
}

fn argument(argument: &Argument<'_>) -> Value {
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

/// Any text that does not hold one of these.
fn any_text(marks: &Marks<'_>) -> Value {
    let begins = marks.begins();
    let text = json!({"type": "any_text", "excludes": begins});
    if marks.first.is_empty() {
        return text;
    }
    // The first character that is no white space stands apart from the rest: no marker begins with it.
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
