//! A structural tag, as `xgrammar` reads it.

use serde_json::{Value, json};

use super::marks::Marks;
use super::{Argument, Call, Content, INDEX};
use crate::machine::tables::Tables;

pub(super) fn grammar(tables: &Tables, calls: &[Call]) -> String {
    let most = tables.options.tool_limit.map_or(json!(-1), |most| json!(most));
    let text = any_text(&Marks::in_text(tables));
    let calls: Vec<Value> = calls.iter().map(call).collect();
    let call = sequence(vec![json!({"type": "or", "elements": calls}), text.clone()]);
    let calls = json!({"type": "repeat", "min": 0, "max": most, "content": call});
    json!({"type": "structural_tag", "format": sequence(vec![text, calls])}).to_string()
}

fn call(call: &Call) -> Value {
    let values = call.values.iter().map(argument);
    let all = fixed(&call.open).into_iter().chain(values).chain(fixed(&call.close));
    sequence(all.collect())
}

fn argument(argument: &Argument) -> Value {
    let content = match &argument.content {
        Content::Json(schema) => json!({"type": "json_schema", "json_schema": schema}),
        Content::Text(marks) => any_text(marks),
    };
    let [open, close] = [&argument.open, &argument.close].map(|text| fixed(text));
    let all = sequence([open, vec![content], close].concat());
    if argument.required { all } else { json!({"type": "optional", "content": all}) }
}

fn sequence(elements: Vec<Value>) -> Value {
    json!({"type": "sequence", "elements": elements})
}

fn any_text(marks: &Marks) -> Value {
    json!({"type": "any_text", "excludes": marks.begins})
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
