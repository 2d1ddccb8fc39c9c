//! toolstream for JavaScript. Strings cross the border, and lists of events and deltas as JSON.
//!
//! `index.js` makes objects of them, and keeps half a surrogate pair back.

mod ask;

use std::fmt::Display;
use std::str::FromStr;

use ask::{Ask, Asked};
use serde::Serialize;
use serde_json::{Map, Value, json};
use toolstream as ts;
use toolstream::adapt::{Broken, Calls, Delta, Deltas, OnCut};
use wasm_bindgen::prelude::*;

fn js_error(error: impl Display) -> JsError {
    JsError::new(&error.to_string())
}

fn read(json: &str) -> Result<Value, JsError> {
    serde_json::from_str(json).map_err(js_error)
}

/// The dialect of a name, or of a shape as a JSON object.
fn named(dialect: &str) -> Result<ts::Dialect, JsError> {
    match dialect.starts_with('{') {
        true => Ok(ts::Dialect::from_json(dialect).map_err(js_error)?),
        false => ts::Dialect::by_name(dialect).map_err(js_error),
    }
}

/// Options of a writer for calls: the treatment of broken calls, the time at which calls leave, and their
/// treatment on a cut.
#[derive(Clone, Copy, Default)]
struct Told {
    broken: Broken,
    calls: Calls,
    on_cut: OnCut,
}

impl Told {
    /// Takes its keys out of a parser's options, which do not have them.
    fn take(options: &mut Value) -> Result<Told, JsError> {
        Ok(Told {
            broken: way(options, "broken")?,
            calls: way(options, "calls")?,
            on_cut: way(options, "on_cut")?,
        })
    }
}

fn way<T: FromStr<Err: Display> + Default>(options: &mut Value, key: &str) -> Result<T, JsError> {
    match options.as_object_mut().and_then(|options| options.remove(key)) {
        None => Ok(T::default()),
        Some(Value::String(name)) => name.parse().map_err(js_error),
        Some(_) => Err(JsError::new(&format!("`{key}` must be a string"))),
    }
}

/// A parser, its message, and the deltas once they are needed.
#[wasm_bindgen]
pub struct RawParser {
    parser: ts::Parser,
    message: ts::Message,
    deltas: Option<Deltas>,
    told: Told,
    /// The function of `limit_by`, as long as the parser lives.
    _asked: Option<Asked>,
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
        let tools = ts::Tool::list_from_json(&read(tools)?).map_err(js_error)?;
        let mut options = read(options)?;
        let as_told = Told::take(&mut options)?;
        let options = ts::options::Options::from_json(&options).map_err(js_error)?;
        let mut builder = ts::Parser::builder(dialect).tools(tools).options(options);
        let asked = limit_by.map(Asked::new);
        if let Some(asked) = &asked {
            builder = builder.limit_by(asked.limit());
        }
        let parser = builder.build().map_err(js_error)?;
        let message = parser.message();
        Ok(RawParser { message, parser, deltas: None, told: as_told, _asked: asked })
    }

    /// The events of a chunk.
    pub fn feed(&mut self, chunk: &str) -> String {
        self.read_events(Read::Chunk(chunk))
    }

    /// The events of a chunk in UTF-8, which may end inside a character.
    #[wasm_bindgen(js_name = feedBytes)]
    pub fn feed_bytes(&mut self, chunk: &[u8]) -> String {
        self.read_events(Read::Bytes(chunk))
    }

    /// The events of the end of the stream: the model ended, or the stream was cut.
    pub fn finish(&mut self, cut: bool) -> String {
        let told = self.read_events(if cut { Read::Cut } else { Read::End });
        self.message.close();
        told
    }

    /// The deltas of a chunk.
    #[wasm_bindgen(js_name = feedDeltas)]
    pub fn feed_deltas(&mut self, chunk: &str) -> String {
        self.read_deltas(Read::Chunk(chunk))
    }

    /// The deltas of the end of the stream.
    #[wasm_bindgen(js_name = finishDeltas)]
    pub fn finish_deltas(&mut self, cut: bool) -> String {
        let told = self.read_deltas(if cut { Read::Cut } else { Read::End });
        self.message.close();
        told
    }

    /// The message so far.
    pub fn message(&self) -> String {
        self.message.to_json().to_string()
    }

    /// Why calls may not run, in the order of the stream.
    pub fn refused(&self) -> String {
        let mut list = List::default();
        for ts::calls::RefusedCall { range, name, index, why, .. } in self.message.refused() {
            let (start, end) = (range.start, range.end);
            list.push(
                &json!({"start": start, "end": end, "name": name, "index": index, "why": why}),
            );
        }
        list.end()
    }

    /// The text that tells the model what was wrong with its calls.
    pub fn correction(&self) -> Option<String> {
        self.message.correction()
    }

    /// The calls of the deltas that the model ended and that may not run.
    #[wasm_bindgen(js_name = brokenCalls)]
    pub fn broken_calls(&self) -> String {
        let mut list = List::default();
        let calls = self.deltas.iter().flat_map(Deltas::broken_calls);
        calls.for_each(|call| list.push(call));
        list.end()
    }

    /// The open call with its arguments so far, or `null`.
    #[wasm_bindgen(js_name = partialCall)]
    pub fn partial_call(&mut self) -> String {
        let call = self.message.partial_call();
        call.map_or(Value::Null, |call| json!({"name": call.name(), "input": call.input()}))
            .to_string()
    }

    /// How many bytes of UTF-8 are held.
    pub fn held(&self) -> usize {
        self.parser.held()
    }

    /// As when it was built.
    pub fn reset(&mut self) {
        self.parser.reset();
        (self.message, self.deltas) = (self.parser.message(), None);
    }

    #[wasm_bindgen(js_name = systemPrompt)]
    pub fn system_prompt(&self) -> String {
        self.parser.system_prompt()
    }

    #[wasm_bindgen(js_name = stopSequences)]
    pub fn stop_sequences(&self) -> Vec<String> {
        self.parser.stop_sequences().into_iter().map(String::from).collect()
    }

    /// The grammars that begin behind an opener of calls. `tool_choice` is JSON, as a request has it.
    #[wasm_bindgen(js_name = callGrammars)]
    pub fn call_grammars(&self, format: &str, tool_choice: &str) -> Result<String, JsError> {
        let format = match format {
            "lark" => ts::grammar::Format::Lark,
            "structural_tag" => ts::grammar::Format::StructuralTag,
            _ => {
                let what = format!("unknown format `{format}`: use one of lark, structural_tag");
                return Err(JsError::new(&what));
            }
        };
        let choice = ts::grammar::ToolChoice::from_json(&read(tool_choice)?).map_err(js_error)?;
        let mut list = List::default();
        let grammars = self.parser.call_grammars(format, &choice).map_err(js_error)?;
        for ts::grammar::CallGrammar { opener, tools, grammar, .. } in grammars {
            list.push(&json!({"opener": opener, "tools": tools, "grammar": grammar}));
        }
        Ok(list.end())
    }

    /// A call as the dialect writes it.
    #[wasm_bindgen(js_name = renderCall)]
    pub fn render_call(&self, name: &str, arguments: &str) -> Result<String, JsError> {
        let arguments: Map<String, Value> = serde_json::from_str(arguments).map_err(js_error)?;
        self.parser.render_call(name, &arguments).map_err(js_error)
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
        let system: Value = serde_json::from_str(system).map_err(js_error)?;
        let written = self.parser.render_chat(&system, &messages).map_err(js_error)?;
        Ok(Value::from(written).to_string())
    }
}

/// The next input.
enum Read<'c> {
    Chunk(&'c str),
    Bytes(&'c [u8]),
    End,
    Cut,
}

impl Read<'_> {
    /// Events and deltas share this, so that the machine is compiled once.
    fn by(self, parser: &mut ts::Parser, sink: &mut Both<'_>) {
        match self {
            Read::Chunk(chunk) => parser.feed_into(chunk, sink),
            Read::Bytes(chunk) => parser.feed_bytes_into(chunk, sink),
            Read::End => parser.finish_into(sink),
            Read::Cut => parser.finish_cut_into(sink),
        }
    }
}

/// Takes events for the message and for a function, and markers for the message alone.
struct Both<'b> {
    message: &'b mut ts::Message,
    each: &'b mut dyn FnMut(ts::Event<&str>),
}

impl ts::Sink for Both<'_> {
    fn event(&mut self, event: ts::Event<&str>) {
        self.message.push(event);
        (self.each)(event);
    }

    fn wants_markers(&self) -> bool {
        self.message.wants_markers()
    }

    fn marker(&mut self, marker: &ts::diagnostic::Marker<'_>) {
        self.message.marker(marker);
    }
}

impl RawParser {
    fn read_events(&mut self, next: Read<'_>) -> String {
        let mut list = List::default();
        let each = &mut |event: ts::Event<&str>| list.push(&event);
        next.by(&mut self.parser, &mut Both { message: &mut self.message, each });
        list.end()
    }

    fn read_deltas(&mut self, next: Read<'_>) -> String {
        let Told { broken, calls, on_cut } = self.told;
        let deltas = self.deltas.get_or_insert_with(|| {
            Deltas::new(&self.parser).broken_as(broken).calls(calls).on_cut(on_cut)
        });
        let mut list = List::default();
        let each = &mut |event: ts::Event<&str>| {
            deltas.push(event, &mut |delta| list.push(&delta_json(delta)));
        };
        next.by(&mut self.parser, &mut Both { message: &mut self.message, each });
        list.end()
    }
}

fn delta_json(delta: Delta<'_>) -> Value {
    match delta {
        Delta::Content(text) => json!({"type": "content", "text": text}),
        Delta::Reasoning(text) => json!({"type": "reasoning", "text": text}),
        Delta::Call { index, name, id } => {
            json!({"type": "call", "index": index, "name": name, "id": id})
        }
        Delta::Arguments(text) => json!({"type": "arguments", "text": text}),
        Delta::CallEnd { may_run, reason } => {
            let reason = reason.map(|reason| reason.to_string());
            json!({"type": "call_end", "may_run": may_run, "reason": reason})
        }
        _ => Value::Null,
    }
}

/// A JSON array that is written while it grows.
#[derive(Default)]
struct List(String);

impl List {
    fn push(&mut self, item: &impl Serialize) {
        if !self.0.is_empty() {
            self.0.push(',');
        }
        self.0 += &serde_json::to_string(item).unwrap_or_default();
    }

    fn end(self) -> String {
        format!("[{}]", self.0)
    }
}

/// The texts of a dialect's markers, or of a shape's.
#[wasm_bindgen]
pub fn markers(dialect: &str) -> Result<Vec<String>, JsError> {
    Ok(named(dialect)?.markers())
}

/// The names of the dialects.
#[wasm_bindgen]
pub fn dialects() -> Vec<String> {
    ts::Dialect::ALL.iter().map(|dialect| dialect.name().to_string()).collect()
}

/// The tools of a client's request that a parser takes, and the types of those that are left out, as JSON.
#[wasm_bindgen(js_name = splitTools)]
pub fn split_tools(tools: &str) -> Result<String, JsError> {
    let (tools, left_out) = ts::Tool::split_request(&read(tools)?);
    Ok(json!({"tools": tools, "leftOut": left_out}).to_string())
}

/// The dialect that a model writes.
#[wasm_bindgen(js_name = dialectOfModel)]
pub fn dialect_of_model(id: &str) -> Option<String> {
    ts::Dialect::for_model(id).map(|found| found.dialect.to_string())
}
