//! The configurations of streams, and texts for the model in a parser's dialect.

use serde_json::{Map, Value, json};
use toolstream as ts;
use toolstream::native::{self, Provider};
use toolstream::options::Options;
use wasm_bindgen::prelude::*;

use crate::ask::{Ask, limit};
use crate::stream::{RawStream, Source};
use crate::told::Told;
use crate::{js_error, list, named, read};

/// The options that a reader has.
const OF_READERS: [&str; 5] = ["tool_limit", "chaining_tools", "types", "required", "repairs"];

/// A parser that has read nothing: its configuration, which writes. Its streams read.
#[wasm_bindgen]
pub struct RawParser {
    parser: ts::Parser,
    told: Told,
}

#[wasm_bindgen]
impl RawParser {
    /// `dialect` is a name, or a shape as a JSON object; `tools` and `options` are JSON; `limit_by` is a
    /// function that is asked for each call.
    #[wasm_bindgen(constructor)]
    pub fn new(
        dialect: &str,
        tools: &str,
        options: &str,
        limit_by: Option<Ask>,
    ) -> Result<RawParser, JsError> {
        let dialect = named(dialect)?;
        let (told, options) = told_and_options(options)?;
        let mut builder = ts::Parser::builder(dialect).tools(tools_of(tools)?).options(options);
        if let Some(ask) = limit_by {
            builder = builder.limit_by(limit(ask));
        }
        Ok(RawParser { parser: builder.build().map_err(js_error)?, told })
    }

    /// A stream that has read nothing.
    pub fn stream(&self) -> RawStream {
        RawStream::new(Source::Text(self.parser.clone()), self.told)
    }

    /// A stream of a provider's events, in whose text this parser reads calls.
    #[wasm_bindgen(js_name = readerStream)]
    pub fn reader_stream(
        &self,
        provider: &str,
        tools: &str,
        options: &str,
        limit_by: Option<Ask>,
    ) -> Result<RawStream, JsError> {
        reader(provider, tools, options, Some(self.parser.clone()), limit_by)
    }

    #[wasm_bindgen(js_name = systemPrompt)]
    pub fn system_prompt(&self) -> String {
        self.parser.system_prompt()
    }

    #[wasm_bindgen(js_name = stopSequences)]
    pub fn stop_sequences(&self) -> Vec<String> {
        self.parser.stop_sequences().into_iter().map(String::from).collect()
    }

    /// A grammar of all that the model may write. `tool_choice` is JSON, as a request has it.
    pub fn grammar(&self, format: &str, tool_choice: &str) -> Result<String, JsError> {
        self.parser.grammar_for(format_of(format)?, &choice(tool_choice)?).map_err(js_error)
    }

    /// The grammars that begin behind an opener of calls.
    #[wasm_bindgen(js_name = callGrammars)]
    pub fn call_grammars(&self, format: &str, tool_choice: &str) -> Result<String, JsError> {
        let (format, choice) = (format_of(format)?, choice(tool_choice)?);
        let grammars = self.parser.call_grammars(format, &choice).map_err(js_error)?;
        Ok(list(grammars.into_iter().map(|of| {
            let ts::grammar::CallGrammar { opener, tools, grammar, .. } = of;
            json!({"opener": opener, "tools": tools, "grammar": grammar})
        })))
    }

    /// A call as the dialect writes it.
    #[wasm_bindgen(js_name = renderCall)]
    pub fn render_call(&self, name: &str, arguments: &str) -> Result<String, JsError> {
        let arguments: Map<String, Value> = serde_json::from_str(arguments).map_err(js_error)?;
        self.parser.render_call(name, &arguments).map_err(js_error)
    }

    /// The user message with the results of calls, in their order.
    #[wasm_bindgen(js_name = renderResults)]
    pub fn render_results(&self, results: &str) -> Result<String, JsError> {
        let results: Vec<ts::render::ToolResult> =
            serde_json::from_str(results).map_err(js_error)?;
        self.parser.render_results(&results).map_err(js_error)
    }

    /// The messages of an OpenAI chat without calls and `tool` roles.
    #[wasm_bindgen(js_name = renderHistory)]
    pub fn render_history(&self, messages: &str) -> Result<String, JsError> {
        let messages: Vec<Value> = serde_json::from_str(messages).map_err(js_error)?;
        Ok(Value::from(self.parser.render_history(&messages).map_err(js_error)?).to_string())
    }

    #[wasm_bindgen(js_name = renderChat)]
    pub fn render_chat(&self, messages: &str, system: &str) -> Result<String, JsError> {
        let messages: Vec<Value> = serde_json::from_str(messages).map_err(js_error)?;
        let written = self.parser.render_chat(&read(system)?, &messages).map_err(js_error)?;
        Ok(Value::from(written).to_string())
    }

    /// A text of somebody else's, in which the dialect's markers are broken up.
    pub fn neutralise(&self, text: &str) -> String {
        self.parser.neutralise(text).into_owned()
    }
}

/// A stream of a provider's events.
#[wasm_bindgen(js_name = readerStream)]
pub fn reader_stream(
    provider: &str,
    tools: &str,
    options: &str,
    limit_by: Option<Ask>,
) -> Result<RawStream, JsError> {
    reader(provider, tools, options, None, limit_by)
}

fn reader(
    provider: &str,
    tools: &str,
    options: &str,
    text_calls: Option<ts::Parser>,
    limit_by: Option<Ask>,
) -> Result<RawStream, JsError> {
    let provider: Provider = provider.parse().map_err(js_error)?;
    let mut builder = native::Reader::builder(provider).tools(tools_of(tools)?);
    if let Some(parser) = text_calls {
        builder = builder.text_calls(parser);
    }
    if let Some(ask) = limit_by {
        builder = builder.limit_by(limit(ask));
    }
    let mut options = read(options)?;
    let told = Told::take(&mut options)?;
    let keys: Vec<String> = options.as_object().into_iter().flat_map(Map::keys).cloned().collect();
    let Options { tool_limit, chaining_tools, types, required, repairs, .. } =
        Options::from_json(&options).map_err(js_error)?;
    for key in &keys {
        // The others are the text parser's own.
        builder = match key.as_str() {
            "tool_limit" => builder.tool_limit(tool_limit),
            "chaining_tools" => builder.chaining_tools(chaining_tools.clone()),
            "types" => builder.types(types),
            "required" => builder.required(required),
            "repairs" => builder.repairs(repairs),
            _ => {
                let known = OF_READERS.join(", ");
                let what = format!("a reader has no option `{key}`: its options are {known}");
                return Err(JsError::new(&what));
            }
        };
    }
    Ok(RawStream::new(Source::Native(builder.build().map_err(js_error)?), told))
}

fn tools_of(json: &str) -> Result<Vec<ts::Tool>, JsError> {
    ts::Tool::list_from_json(&read(json)?).map_err(js_error)
}

fn told_and_options(json: &str) -> Result<(Told, Options), JsError> {
    let mut options = read(json)?;
    let told = Told::take(&mut options)?;
    Ok((told, Options::from_json(&options).map_err(js_error)?))
}

fn format_of(name: &str) -> Result<ts::grammar::Format, JsError> {
    match name {
        "lark" => Ok(ts::grammar::Format::Lark),
        "structural_tag" => Ok(ts::grammar::Format::StructuralTag),
        _ => {
            let what = format!("unknown format `{name}`: use one of lark, structural_tag");
            Err(JsError::new(&what))
        }
    }
}

fn choice(json: &str) -> Result<ts::grammar::ToolChoice, JsError> {
    ts::grammar::ToolChoice::from_json(&read(json)?).map_err(js_error)
}
