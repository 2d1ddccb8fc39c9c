//! Options from JSON, as programs and the command line have them, and the errors of such JSON.

use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};
use thiserror::Error;

use crate::json::repairs::Repairs;
use crate::options::{
    Attachments, CallsInReasoning, Fences, HostedCalls, LateSystem, LimitOn, Options,
    ReasoningTags, Recoveries, Required, Results, Start, TextAtCalls, Types, UnwritableCalls,
    ValueWhitespace,
};

/// Error of JSON that cannot be read: a sentence with the place.
///
/// [`Options::from_json`](crate::options::Options::from_json), [`Tool::from_json`](crate::Tool::from_json) and
/// [`CompleteCall::parse`](crate::CompleteCall::parse) return it. Its `source` is `serde_json`'s own error, with line
/// and column, if the text is not JSON.
///
/// ```
/// use serde_json::json;
/// use toolstream::options::Options;
///
/// let error = Options::from_json(&json!({"tool_limit": "two"})).unwrap_err();
/// assert_eq!(error.place(), Some("config.tool_limit"));
/// assert!(error.to_string().starts_with("config.tool_limit must be a whole number"));
///
/// let error = Options::from_json(&json!({"tool_limt": 2})).unwrap_err();
/// let (unknown, known) = error.unknown_key().unwrap();
/// assert!(unknown == "tool_limt" && known.contains(&"tool_limit"));
/// ```
#[derive(Debug, Error)]
#[error(transparent)]
pub struct JsonError(#[from] JsonProblem);

impl JsonError {
    /// Returns the place of the mistake: `tools[2].name`, `config.tool_limit`, `position.line`. `None` for text that
    /// is no JSON.
    pub fn place(&self) -> Option<&str> {
        match &self.0 {
            JsonProblem::Syntax(_) => None,
            JsonProblem::Shape { place, .. }
            | JsonProblem::Spec { place, .. }
            | JsonProblem::Arguments { place, .. }
            | JsonProblem::UnknownKeys { place, .. } => Some(place),
            JsonProblem::UnknownOption { .. } => Some("config"),
        }
    }

    /// Returns the unknown key and the known ones, if that is the mistake: for a suggestion.
    pub fn unknown_key(&self) -> Option<(&str, &'static [&'static str])> {
        match &self.0 {
            JsonProblem::UnknownKeys { keys, known, .. } => Some((keys.first()?, known)),
            JsonProblem::UnknownOption { key, known } => Some((key, known)),
            _ => None,
        }
    }
}

impl From<serde_json::Error> for JsonError {
    fn from(error: serde_json::Error) -> JsonError {
        JsonProblem::Syntax(error).into()
    }
}

#[derive(Debug, Error)]
pub(crate) enum JsonProblem {
    /// The text is not JSON.
    #[error("not valid JSON: {0}")]
    Syntax(#[from] serde_json::Error),
    /// The JSON at this place has another type or value than expected.
    #[error("{place} must be {expected}")]
    Shape {
        /// The place: `tools[2].name`, `config.tool_limit`, …
        place: String,
        /// The expected value.
        expected: &'static str,
    },
    /// A shape with a mistake in this place.
    #[error("{place}: {problem}")]
    Spec {
        /// The place: `or[0].call`.
        place: String,
        /// The mistake, with line and column.
        problem: String,
    },
    /// Arguments of a call that do not fit the type of the program.
    #[error("{place}: {problem}")]
    Arguments {
        /// The place: `position.line`; `arguments` for all of them.
        place: String,
        /// The mistake.
        problem: String,
    },
    /// A tool without a schema, but with unknown keys: one of them may be the schema.
    #[error(
        "{place} has no schema of its parameters, but unknown keys ({}): the schema stands under one \
         of {}",
        keys.join(", "),
        known.join(", ")
    )]
    UnknownKeys {
        /// The place: `tools[2]`.
        place: String,
        /// The keys.
        keys: Vec<String>,
        /// The keys that a schema may have.
        known: &'static [&'static str],
    },
    /// A key that no option has.
    #[error("unknown option `{key}`: the options are {}", known.join(", "))]
    UnknownOption {
        /// The key.
        key: String,
        /// The known keys.
        known: &'static [&'static str],
    },
}

/// The keys that [`Options::from_json`] knows.
const OPTIONS: &[&str] = &[
    "tool_limit",
    "chaining_tools",
    "limit_on",
    "start",
    "calls_in_reasoning",
    "reasoning_tags",
    "fences",
    "decode_entities",
    "raw_params",
    "diff_params",
    "value_whitespace",
    "text_at_calls",
    "implicit_thought",
    "answer_keywords",
    "special_tokens",
    "recoveries",
    "required",
    "explain_refused",
    "repairs",
    "types",
    "results",
    "attachments",
    "unwritable_calls",
    "hosted_calls",
    "late_system",
];

/// Returns an error of `serde_json` in words for people who write JSON: whole numbers instead of a type of
/// Rust.
pub(crate) fn in_words(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let Some((before, wanted)) = text.rsplit_once(", expected ") else { return text };
    let end = wanted.find(' ').unwrap_or(wanted.len());
    let words = match &wanted[..end] {
        "usize" | "u64" | "u32" | "u16" | "u8" => "a whole number of 0 or more",
        "isize" | "i64" | "i32" | "i16" | "i8" => "a whole number",
        "f64" | "f32" => "a number",
        "bool" => "true or false",
        _ => return text,
    };
    format!("{before}, expected {words}{}", &wanted[end..])
}

/// Reads a call's arguments as a type of the program.
pub(crate) fn parse<'a, T: Deserialize<'a>>(
    arguments: impl Deserializer<'a, Error = serde_json::Error>,
) -> Result<T, JsonError> {
    serde_path_to_error::deserialize(arguments).map_err(|error| {
        let place = match error.path().to_string() {
            path if path == "." => "arguments".to_string(),
            path => path,
        };
        JsonProblem::Arguments { place, problem: in_words(&error.into_inner()) }.into()
    })
}

pub(crate) fn shape(place: impl Into<String>, expected: &'static str) -> JsonError {
    JsonProblem::Shape { place: place.into(), expected }.into()
}

impl Options {
    /// Reads options from a JSON object, with the keys and values of the [table](Options). An absent key keeps its
    /// default.
    ///
    /// # Errors
    /// [`JsonError`] for an unknown key, and for a value that does not fit its key.
    ///
    /// ```
    /// use toolstream::options::{Fences, Options};
    ///
    /// let options = Options::from_json(&serde_json::json!({"tool_limit": null, "fences": "quote"}))?;
    /// assert_eq!((options.tool_limit, options.fences), (None, Fences::Quote));
    /// # Ok::<(), toolstream::JsonError>(())
    /// ```
    pub fn from_json(config: &Value) -> Result<Options, JsonError> {
        let config: &Map<_, _> =
            config.as_object().ok_or_else(|| shape("config", "an object of options"))?;
        let mut options = Options::default();
        for (key, value) in config {
            options.set(key, value)?;
        }
        Ok(options)
    }

    fn set(&mut self, key: &str, value: &Value) -> Result<(), JsonError> {
        match key {
            "tool_limit" => self.tool_limit = read_limit(value)?,
            "chaining_tools" => self.chaining_tools = read_names(key, value)?,
            "limit_on" => self.limit_on = choose(key, value)?,
            "start" => self.start = choose(key, value)?,
            "calls_in_reasoning" => self.calls_in_reasoning = Some(choose(key, value)?),
            "reasoning_tags" => self.reasoning_tags = choose(key, value)?,
            "fences" => self.fences = choose(key, value)?,
            "value_whitespace" => self.value_whitespace = choose(key, value)?,
            "text_at_calls" => self.text_at_calls = choose(key, value)?,
            "types" => self.types = choose(key, value)?,
            "repairs" => self.repairs = choose(key, value)?,
            "results" => self.results = choose(key, value)?,
            "attachments" => self.attachments = choose(key, value)?,
            "unwritable_calls" => self.unwritable_calls = choose(key, value)?,
            "hosted_calls" => self.hosted_calls = choose(key, value)?,
            "late_system" => self.late_system = choose(key, value)?,
            "recoveries" => self.recoveries = choose(key, value)?,
            "required" => self.required = choose(key, value)?,
            "decode_entities" => self.decode_entities = read_bool(key, value)?,
            "explain_refused" => self.explain_refused = read_bool(key, value)?,
            "implicit_thought" => self.implicit_thought = read_bool(key, value)?,
            "answer_keywords" => self.answer_keywords = Some(read_names(key, value)?),
            "special_tokens" => self.special_tokens = read_names(key, value)?,
            "raw_params" => self.raw_params = read_names(key, value)?,
            "diff_params" => self.diff_params = Some(read_names(key, value)?),
            _ => {
                return Err(
                    JsonProblem::UnknownOption { key: key.to_string(), known: OPTIONS }.into()
                );
            }
        }
        Ok(())
    }
}

/// An option with named values.
trait Choice: Copy + 'static {
    /// The values, each with its name in JSON.
    const WAYS: &'static [(&'static str, Self)];
    /// The names, as they stand in an error.
    const EXPECTED: &'static str;
}

impl Choice for LimitOn {
    const WAYS: &[(&str, LimitOn)] =
        &[("tool_start", LimitOn::ToolStart), ("text_after_tool", LimitOn::TextAfterTool)];
    const EXPECTED: &str = "\"tool_start\" or \"text_after_tool\"";
}

impl Choice for Start {
    const WAYS: &[(&str, Start)] = &[("text", Start::Text), ("reasoning", Start::Reasoning)];
    const EXPECTED: &str = "\"text\" or \"reasoning\"";
}

impl Choice for CallsInReasoning {
    const WAYS: &[(&str, CallsInReasoning)] =
        &[("ignore", CallsInReasoning::Ignore), ("extract", CallsInReasoning::Extract)];
    const EXPECTED: &str = "\"ignore\" or \"extract\"";
}

impl Choice for Fences {
    const WAYS: &[(&str, Fences)] = &[("parse", Fences::Parse), ("quote", Fences::Quote)];
    const EXPECTED: &str = "\"parse\" or \"quote\"";
}

impl Choice for ReasoningTags {
    const WAYS: &[(&str, ReasoningTags)] =
        &[("line_start", ReasoningTags::LineStart), ("anywhere", ReasoningTags::Anywhere)];
    const EXPECTED: &str = "\"line_start\" or \"anywhere\"";
}

impl Choice for ValueWhitespace {
    const WAYS: &[(&str, ValueWhitespace)] =
        &[("default", ValueWhitespace::Default), ("verbatim", ValueWhitespace::Verbatim)];
    const EXPECTED: &str = "\"default\" or \"verbatim\"";
}

impl Choice for TextAtCalls {
    const WAYS: &[(&str, TextAtCalls)] =
        &[("keep", TextAtCalls::Keep), ("trim", TextAtCalls::Trim)];
    const EXPECTED: &str = "\"keep\" or \"trim\"";
}

impl Choice for Types {
    const WAYS: &[(&str, Types)] = &[
        ("report", Types::Report),
        ("strict", Types::Strict),
        ("coerce", Types::Coerce),
        ("guess", Types::Guess),
    ];
    const EXPECTED: &str = "\"report\", \"strict\", \"coerce\" or \"guess\"";
}

impl Choice for Results {
    const WAYS: &[(&str, Results)] = &[
        ("neutralise", Results::Neutralise),
        ("refuse", Results::Refuse),
        ("verbatim", Results::Verbatim),
    ];
    const EXPECTED: &str = "\"neutralise\", \"refuse\" or \"verbatim\"";
}

impl Choice for Attachments {
    const WAYS: &[(&str, Attachments)] =
        &[("images", Attachments::Images), ("all", Attachments::All), ("none", Attachments::None)];
    const EXPECTED: &str = "\"images\", \"all\" or \"none\"";
}

impl Choice for UnwritableCalls {
    const WAYS: &[(&str, UnwritableCalls)] =
        &[("text", UnwritableCalls::Text), ("note", UnwritableCalls::Note)];
    const EXPECTED: &str = "\"text\" or \"note\"";
}

impl Choice for HostedCalls {
    const WAYS: &[(&str, HostedCalls)] =
        &[("say", HostedCalls::Say), ("leave_out", HostedCalls::LeaveOut)];
    const EXPECTED: &str = "\"say\" or \"leave_out\"";
}

impl Choice for LateSystem {
    const WAYS: &[(&str, LateSystem)] =
        &[("first", LateSystem::First), ("user", LateSystem::User), ("keep", LateSystem::Keep)];
    const EXPECTED: &str = "\"first\", \"user\" or \"keep\"";
}

impl Choice for Repairs {
    const WAYS: &[(&str, Repairs)] = &[("default", Repairs::Default), ("none", Repairs::None)];
    const EXPECTED: &str = "\"default\" or \"none\"";
}

impl Choice for Recoveries {
    const WAYS: &[(&str, Recoveries)] =
        &[("lenient", Recoveries::Lenient), ("strict", Recoveries::Strict)];
    const EXPECTED: &str = "\"lenient\" or \"strict\"";
}

impl Choice for Required {
    const WAYS: &[(&str, Required)] = &[("report", Required::Report), ("strict", Required::Strict)];
    const EXPECTED: &str = "\"report\" or \"strict\"";
}

/// 0 is a number here; the builder refuses it with its own error.
fn read_limit(value: &Value) -> Result<Option<usize>, JsonError> {
    if value.is_null() {
        return Ok(None);
    }
    let limit = value.as_u64().and_then(|limit| usize::try_from(limit).ok());
    limit.map(Some).ok_or_else(|| shape("config.tool_limit", "a whole number from 1 on, or null"))
}

fn read_bool(key: &str, value: &Value) -> Result<bool, JsonError> {
    value.as_bool().ok_or_else(|| shape(format!("config.{key}"), "true or false"))
}

fn read_names(key: &str, value: &Value) -> Result<Vec<String>, JsonError> {
    let wrong = || shape(format!("config.{key}"), "a list of names");
    let list = value.as_array().ok_or_else(wrong)?;
    list.iter().map(|name| name.as_str().map(String::from).ok_or_else(wrong)).collect()
}

fn choose<T: Choice>(key: &str, value: &Value) -> Result<T, JsonError> {
    let chosen = T::WAYS.iter().find(|(name, _)| value.as_str() == Some(name));
    chosen.map(|(_, way)| *way).ok_or_else(|| shape(format!("config.{key}"), T::EXPECTED))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::json;

    use super::*;
    use crate::options::Types;

    /// Returns each key, with a value that is not the default.
    fn each_key() -> Value {
        json!({
            "tool_limit": 2, "chaining_tools": ["e"], "explain_refused": true, "text_at_calls": "trim", "limit_on": "text_after_tool", "start": "reasoning",
            "calls_in_reasoning": "extract", "reasoning_tags": "anywhere", "fences": "quote", "decode_entities": true,
            "raw_params": ["a"], "diff_params": ["b"], "value_whitespace": "verbatim",
            "implicit_thought": true, "answer_keywords": ["c"], "special_tokens": ["d"],
            "recoveries": "strict", "required": "strict", "repairs": "none", "types": "coerce",
            "results": "refuse", "attachments": "all", "unwritable_calls": "note",
            "hosted_calls": "leave_out", "late_system": "user",
        })
    }

    /// The keys of the error message, of the table in [`Options`] and of the reader are equal. Each changes a field
    /// of its own.
    #[test]
    fn every_key_is_said_and_changes_a_field() {
        let keys = each_key();
        let keys = keys.as_object().unwrap();
        let known: BTreeSet<_> = OPTIONS.iter().copied().collect();
        assert_eq!(keys.keys().map(String::as_str).collect::<BTreeSet<_>>(), known);
        let rows = include_str!("mod.rs").lines().filter_map(|line| line.strip_prefix("/// | `"));
        let said: BTreeSet<_> = rows.filter_map(|row| row.split('`').next()).collect();
        assert_eq!(said, known);
        let alone = |(key, value): (&String, &Value)| Options::from_json(&json!({key: value}));
        let mut read: Vec<_> = keys.iter().map(|one| alone(one).unwrap()).collect();
        read.push(Options::default());
        for (number, one) in read.iter().enumerate() {
            assert!(
                !read[..number].contains(one),
                "one key does nothing, or what another one does"
            );
        }
    }

    /// A new field needs a key: this does not compile without it.
    #[test]
    fn every_field_has_a_key() {
        let names = |name: &str| vec![name.to_string()];
        let Options {
            tool_limit,
            chaining_tools,
            text_at_calls,
            explain_refused,
            limit_on,
            start,
            calls_in_reasoning,
            fences,
            decode_entities,
            raw_params,
            diff_params,
            value_whitespace,
            implicit_thought,
            answer_keywords,
            special_tokens,
            reasoning_tags,
            recoveries,
            required,
            types,
            repairs,
            results,
            attachments,
            unwritable_calls,
            hosted_calls,
            late_system,
        } = Options::from_json(&each_key()).unwrap();
        assert_eq!((tool_limit, start), (Some(2), Start::Reasoning));
        assert_eq!(calls_in_reasoning, Some(CallsInReasoning::Extract));
        assert_eq!((types, repairs), (Types::Coerce, Repairs::None));
        assert_eq!((results, attachments), (Results::Refuse, Attachments::All));
        assert_eq!(unwritable_calls, UnwritableCalls::Note);
        assert_eq!((hosted_calls, late_system), (HostedCalls::LeaveOut, LateSystem::User));
        assert_eq!((raw_params, diff_params), (names("a"), Some(names("b"))));
        assert_eq!((answer_keywords, special_tokens), (Some(names("c")), names("d")));
        assert!(decode_entities && implicit_thought && explain_refused);
        assert_eq!((chaining_tools, text_at_calls), (names("e"), TextAtCalls::Trim));
        assert_eq!((limit_on, fences), (LimitOn::TextAfterTool, Fences::Quote));
        assert_eq!(reasoning_tags, ReasoningTags::Anywhere);
        assert_eq!(value_whitespace, ValueWhitespace::Verbatim);
        assert_eq!((recoveries, required), (Recoveries::Strict, Required::Strict));
    }
}
