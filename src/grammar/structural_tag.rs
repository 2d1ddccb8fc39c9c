//! A structural tag, as `xgrammar` reads it.

use serde_json::{Value, json};

use super::{Arguments, Source, is_text, param_schema};
use crate::dialect::template::{ParamForm, attribute, fill};
use crate::tool::Tool;

pub(super) fn grammar(source: &Source, arguments: &Arguments) -> Result<String, &'static str> {
    let tables = source.parser.tables();
    let [open, close] = source.around();
    if [&open, &close].iter().any(|text| text.contains("{id}")) {
        return Err("its calls have ids, which are no literal");
    }
    let name = |text: &str, tool: &Tool| {
        fill(text, |hole| match hole {
            "name" => Some(tool.name.clone().into()),
            "name_attribute" => Some(attribute(&tool.name).into_owned().into()),
            "json_name" => Some(Value::from(&*tool.name).to_string().into()),
            _ => None,
        })
    };
    let tag = |tool: &Tool| {
        let content = match arguments {
            Arguments::Json => json!({"type": "json_schema", "json_schema": tool.json_schema()}),
            Arguments::Params(form) => params(form, tool),
        };
        let [begin, end] = [name(&open, tool), name(close.trim_end(), tool)];
        json!({"type": "tag", "begin": begin, "content": content, "end": end})
    };
    let tags: Vec<Value> = source.tools().iter().map(tag).collect();
    // What all calls begin with. Where nothing is, each opener by itself.
    let (fixed, _) =
        open.split_once("{name").or(open.split_once("{json_name")).unwrap_or((&open, ""));
    let triggers: Vec<Value> = match fixed.trim_end() {
        fixed if fixed.len() > 1 => vec![fixed.into()],
        _ => tags.iter().map(|tag| tag["begin"].clone()).collect(),
    };
    let format = json!({
        "type": "triggered_tags",
        "triggers": triggers,
        "tags": tags,
        "at_least_one": false,
        "stop_after_first": tables.options.tool_limit == Some(1),
    });
    Ok(json!({"type": "structural_tag", "format": format}).to_string())
}

/// Each parameter in its turn, the optional ones perhaps not.
fn params(form: &ParamForm, tool: &Tool) -> Value {
    let param = |(at, param): (usize, &crate::tool::Param)| {
        let text = is_text(&param.types);
        let of = if text { "string" } else { param.types[0].as_str() };
        let filled = |text: &str| {
            fill(text, |hole| match hole {
                "key" => Some(param.name.as_str().into()),
                "key_attribute" => Some(attribute(&param.name)),
                "type" => Some(if of == "integer" { "number" } else { of }.into()),
                "whole_type" => Some(of.into()),
                "is_string" => Some((of == "string").to_string().into()),
                _ => None,
            })
        };
        let content = if text {
            json!({"type": "any_text"})
        } else {
            json!({"type": "json_schema", "json_schema": param_schema(tool, at)})
        };
        let tag = json!({"type": "tag", "begin": filled(&form.open), "content": content, "end": filled(&form.close)});
        if param.required {
            tag
        } else {
            json!({"type": "or", "elements": [tag, {"type": "const_string", "value": ""}]})
        }
    };
    let elements: Vec<Value> = tool.params.iter().enumerate().map(param).collect();
    if elements.is_empty() {
        json!({"type": "const_string", "value": ""})
    } else {
        json!({"type": "sequence", "elements": elements})
    }
}
