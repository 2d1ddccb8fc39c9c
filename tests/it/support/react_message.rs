//! A collector of the twin's events: it decides about plain inputs, about calls that may run, and about the end of the message.
//! The result is JSON, in the form of a vector's `expect`.

use crate::oracle::react::input::one_parameter;
use serde_json::{Map, Value, json};
use toolstream::repair::{self, Repairs};
use toolstream::{
    Event, Status, Tool, ToolUse,
    diagnostic::{Cause, DiagnosticKind as Kind},
    options::Options,
    tools::Type,
};

/// A call of the events.
#[derive(Default)]
struct Call {
    name: String,
    /// The text of its input.
    raw: Option<String>,
    is_parameter: bool,
}

/// The arguments of a call that may run, or the known arguments of a call that may not.
type Read = Result<Map<String, Value>, Map<String, Value>>;

struct Collector<'a> {
    tools: &'a [Tool],
    repairs: Repairs,
    kinds: Vec<Kind>,
}

/// The message of these events: `text`, `reasoning`, `calls`, `finish`, `diagnostics`.
pub fn message(tools: &[Tool], options: &Options, events: &[Event<String>]) -> Value {
    let mut collector = Collector { tools, repairs: options.repairs, kinds: Vec::new() };
    let (mut text, mut reasoning) = (String::new(), String::new());
    let (mut calls, mut open) = (Vec::new(), Call::default());
    let (mut limited, mut truncated) = (false, false);
    for event in events {
        match event {
            Event::TextContent(more) => text.push_str(more),
            Event::Reasoning(more) => reasoning.push_str(more),
            Event::Diagnostic(diagnostic) => collector.kinds.push(diagnostic.kind),
            Event::ToolLimitReached(_) => limited = true,
            Event::ToolUse(ToolUse::Start { name, .. }) => {
                open = Call { name: name.clone(), ..Call::default() };
            }
            Event::ToolUse(ToolUse::ParamDelta(more)) => {
                open.is_parameter = true;
                open.raw.get_or_insert_default().push_str(more);
            }
            Event::ToolUse(ToolUse::ArgumentsDelta(more)) => {
                open.raw.get_or_insert_default().push_str(more);
            }
            Event::ToolUse(ToolUse::End { status, .. }) => {
                truncated |= *status == Status::Incomplete(Cause::EndOfStream);
                calls.push(collector.call(&open, *status));
            }
            _ => {}
        }
    }
    let runs = calls.iter().any(|call| call["status"] == "complete");
    let finish = match (limited, truncated, runs) {
        (true, ..) => "tool_limit_reached",
        (_, true, _) => "truncated",
        (_, _, true) => "tool_use",
        _ => "stop",
    };
    let kinds: Vec<_> = collector.kinds.iter().map(|kind| kind.as_str()).collect();
    json!({"text": text, "reasoning": reasoning, "calls": calls, "finish": finish,
           "diagnostics": kinds})
}

impl Collector<'_> {
    fn call(&mut self, call: &Call, status: Status) -> Value {
        let closed = status == Status::Complete;
        let (arguments, runs) = match self.arguments(call, closed) {
            Ok(arguments) => (arguments, closed),
            Err(arguments) => (arguments, false),
        };
        let status = if runs { "complete" } else { "incomplete" };
        json!({"name": call.name, "arguments": arguments, "raw": call.raw, "status": status})
    }

    fn arguments(&mut self, call: &Call, closed: bool) -> Read {
        let tool = self.tools.iter().find(|tool| tool.name == call.name);
        let nothing_needed =
            tool.is_some_and(|tool| !tool.params.iter().any(|param| param.required));
        let Some(raw) = &call.raw else {
            if closed && !nothing_needed {
                self.kinds.push(Kind::MissingArguments);
            }
            return if nothing_needed { Ok(Map::new()) } else { Err(Map::new()) };
        };
        let text = raw.trim_matches([' ', '\t', '\r', '\n']);
        let is_json = text.starts_with('{') && !call.is_parameter;
        if !closed && is_json {
            return Err(repair::arguments(text, self.repairs)
                .err()
                .map_or(Map::new(), |e| e.closed));
        }
        if !closed {
            return Err(Map::new());
        }
        if !is_json && nothing_needed && says_nothing(text) {
            return Ok(Map::new());
        }
        if !is_json && tool.is_some_and(|tool| tool.params.is_empty()) {
            self.kinds.push(Kind::IgnoredInput);
            return Ok(Map::new());
        }
        if is_json || text.starts_with('"') {
            if let Ok(read) = repair::arguments(text, self.repairs) {
                if !read.repairs.is_empty() {
                    self.kinds.push(Kind::RepairedJson);
                }
                let params = tool.map(|tool| &*tool.params).unwrap_or_default().iter();
                let given = params.filter_map(|of| Some((read.object.get(&of.name)?, &of.types)));
                let wrong = given.filter(|(value, types)| !is_of(value, types)).count();
                self.kinds.extend(vec![Kind::TypeMismatch; wrong]);
                return Ok(read.object);
            }
        }
        let Some(name) = one_parameter(tool).filter(|_| !is_json) else {
            self.kinds.push(Kind::MalformedArguments);
            return Err(Map::new());
        };
        let types = tool.and_then(|tool| tool.params.iter().find(|param| param.name == name));
        let value = self.typed(&unquoted(text), types.map_or(&[], |param| &param.types));
        Ok(Map::from_iter([(name.to_string(), value)]))
    }

    /// Reads the value by the schema's types.
    fn typed(&mut self, text: &str, types: &[Type]) -> Value {
        if types.iter().all(|of| *of == Type::String) {
            return text.into();
        }
        let read: Value = match &*text.to_ascii_lowercase() {
            "true" => true.into(),
            "false" => false.into(),
            _ => serde_json::from_str(text).unwrap_or_else(|_| text.into()),
        };
        let of = match &read {
            Value::Null => Type::Null,
            Value::Bool(_) => Type::Boolean,
            Value::Number(number) if number.is_f64() => Type::Number,
            Value::Number(_) if types.contains(&Type::Number) => Type::Number,
            Value::Number(_) => Type::Integer,
            Value::String(_) => Type::String,
            Value::Array(_) => Type::Array,
            Value::Object(_) => Type::Object,
        };
        let container = [Type::Null, Type::Array, Type::Object].contains(&of);
        let is_text = types.contains(&Type::String);
        if types.contains(&of) && (container || !is_text) {
            return read;
        }
        if !is_text {
            self.kinds.push(Kind::TypeMismatch);
        }
        text.into()
    }
}

/// Whether a value has one of these types.
fn is_of(value: &Value, types: &[Type]) -> bool {
    let whole = value.as_f64().is_some_and(|number| number.fract() == 0.0);
    let is = |of: &Type| match of {
        Type::Null => value.is_null(),
        Type::Boolean => value.is_boolean(),
        Type::Integer => whole,
        Type::Number => value.is_number(),
        Type::String => value.is_string(),
        Type::Array => value.is_array(),
        Type::Object => value.is_object(),
    };
    types.is_empty() || types.iter().any(is)
}

fn says_nothing(text: &str) -> bool {
    let said = text.to_ascii_lowercase();
    ["none", "n/a", "null", "no input", "no arguments", "()"].contains(&&*said)
}

/// Removes one pair of outer quotes, if the whole text is one quoted string.
fn unquoted(text: &str) -> String {
    if text.starts_with('"') {
        if let Ok(decoded) = serde_json::from_str(text) {
            return decoded;
        }
    }
    let inside = ['"', '\''].iter().find_map(|quote| {
        let inside = text.strip_prefix(*quote)?.strip_suffix(*quote)?;
        if inside.contains(*quote) { None } else { Some(inside) }
    });
    inside.unwrap_or(text).to_string()
}
