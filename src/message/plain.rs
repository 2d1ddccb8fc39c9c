//! Plain text inputs: the input of a ReAct call that is not a JSON object.
//!
//! The events carry it as written. Only here it is trimmed, taken out of its quotes and read by the tool's
//! schema. Nothing is guessed: with a text that no parameter can take, the call may not run.

use serde_json::{Map, Value};

use crate::dialect::Text;
use crate::event::DiagnosticKind;
use crate::json::coerce;
use crate::json::white::trim;
use crate::message::RawParam;
use crate::repair::{self, Repair, Repairs};
use crate::tool::Tool;
use crate::tool::types::ValueTypes;

/// The arguments, if the call may run, and their diagnostic.
pub(crate) type Plain = (Option<Map<String, Value>>, Option<DiagnosticKind>);

/// Reads the input of a call of `tool`, if it is declared: `param` if it was given to a parameter, or else
/// `raw`, if there was any.
pub(crate) fn read(
    no_input: &[Text],
    tool: Option<&Tool>,
    param: Option<(&RawParam, &ValueTypes)>,
    raw: Option<&str>,
    repairs: Repairs,
) -> Plain {
    let text = trim(param.map(|(param, _)| &*param.value).or(raw).unwrap_or_default());
    let optional = tool.is_some_and(Tool::requires_nothing);
    if text.is_empty() {
        let missing = Some(DiagnosticKind::MissingArguments).filter(|_| !optional);
        return (optional.then(Map::new), missing);
    }
    if optional && no_input.iter().any(|word| word.eq_ignore_ascii_case(text)) {
        return (Some(Map::new()), None);
    }
    if tool.is_some_and(|tool| tool.params.is_empty()) {
        return (Some(Map::new()), Some(DiagnosticKind::IgnoredInput));
    }
    if let Some(object) = quoted_object(text, repairs) {
        return (Some(object), Some(DiagnosticKind::RepairedJson));
    }
    match param {
        Some((param, types)) => {
            // A type counts only if the text is exactly a value of it: nothing in the text is repaired.
            let (value, problem) = coerce::coerce(&unquoted(text), types, Repairs::None);
            (Some(Map::from_iter([(param.name.clone(), value)])), problem)
        }
        None => (None, Some(DiagnosticKind::MalformedArguments)),
    }
}

/// The object in a JSON string that holds one.
fn quoted_object(text: &str, repairs: Repairs) -> Option<Map<String, Value>> {
    let read = text.starts_with('"').then(|| repair::arguments(text, repairs).ok())??;
    read.repairs.contains(&Repair::DoubleEncoded).then_some(read.object)
}

/// Without one pair of quotes around the whole, if the whole is one quoted string.
fn unquoted(text: &str) -> String {
    let inside = |quote: char| {
        let inside = text.strip_prefix(quote)?.strip_suffix(quote)?;
        (!inside.contains(quote)).then(|| inside.to_string())
    };
    let json = || serde_json::from_str(text).ok();
    json().or_else(|| inside('"')).or_else(|| inside('\'')).unwrap_or_else(|| text.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_pair_of_quotes_goes() {
        for (text, expected) in [
            ("\"a b\"", "a b"),
            ("\"a \\\"b\\\"\"", "a \"b\""),
            ("\"C:\\Projects\"", "C:\\Projects"),
            ("'it'", "it"),
            ("'it's'", "'it's'"),
            ("\"a\" = \"b\"", "\"a\" = \"b\""),
            ("\"", "\""),
            ("3", "3"),
        ] {
            assert_eq!(unquoted(text), expected);
        }
    }
}
