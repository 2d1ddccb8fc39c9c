//! From the text of a tag parameter to the JSON value of its schema.
//!
//! The first row that fits, in this order; nothing is guessed without a schema:
//!
//! | schema has | text, without white space around it | value |
//! |---|---|---|
//! | only string, or no type | any | the text, untouched |
//! | null | `null`; `None` where it is not a string | null |
//! | object, array | JSON of that type: strict, repaired, or escaped once more | it, flagged unless strict |
//! | string, too | anything else; with `const` or `enum`: one of its texts | the text |
//! | integer | `-?[0-9]+` in the range of i64 or u64 | the integer, exact |
//! | number | a JSON number | the number |
//! | boolean | `true`, `false` in any case | it |
//! | – | does not fit | the text, flagged |

use serde_json::{Number, Value};

use crate::dialect::literals::Literals;
use crate::event::{DiagnosticKind, TypeHint};
use crate::json::grammar::is_integer;
use crate::json::literal;
use crate::json::unescape::Unescape;
use crate::json::white::trim;
use crate::repair::{self, Repairs};
use crate::tool::Type;
use crate::tool::types::{ValueTypes, type_of};

/// Returns the value of `text` for a parameter of these types, and a diagnostic if it does not fit.
pub(crate) fn coerce(
    text: &str,
    types: &ValueTypes,
    repairs: Repairs,
) -> (Value, Option<DiagnosticKind>) {
    if types.is_text() {
        return (text.into(), None);
    }
    let bare = trim(text);
    if types.guess {
        return (guess(bare).unwrap_or_else(|| text.into()), None);
    }
    let string = types.string(text, bare);
    if types.has(Type::Null) && (bare == "null" || bare == "None" && string.is_none()) {
        return (Value::Null, None);
    }
    if let Some((value, strict)) = container(bare, types, repairs) {
        return (value, (!strict).then_some(DiagnosticKind::RepairedJson));
    }
    let value = string.map(Value::from).or_else(|| scalar(bare, types));
    match value {
        Some(value) => (value, None),
        None => (text.into(), Some(DiagnosticKind::TypeMismatch)),
    }
}

/// Returns the JSON value of `bare`, unless it is a string.
fn guess(bare: &str) -> Option<Value> {
    let value = integer(bare).or_else(|| number(bare));
    value.or_else(|| match bare.as_bytes().first()? {
        b'{' | b'[' | b't' | b'f' | b'n' => serde_json::from_str(bare).ok(),
        _ => None,
    })
}

/// Returns the object or list in `bare`, and whether it is strict JSON.
fn container(bare: &str, types: &ValueTypes, repairs: Repairs) -> Option<(Value, bool)> {
    let object = bare.starts_with('{') && types.has(Type::Object);
    let list = bare.starts_with('[') && types.has(Type::Array);
    if !object && !list {
        return None;
    }
    if let Ok((value, made)) = repair::value(bare, repairs) {
        return Some((value, made.is_empty()));
    }
    let text = Some(bare).filter(|bare| repairs == Repairs::Default && is_escaped(bare))?;
    repair::value(&unescaped(text), repairs).ok().map(|(value, _)| (value, false))
}

/// Whether the text may be JSON that was escaped once more, as the content of a string. If the first quote is
/// not escaped, it was not: `["C:\"]` is broken.
fn is_escaped(text: &str) -> bool {
    let quote = text.find(['"', '\'', '`']);
    text.contains('\\') && quote.is_none_or(|at| text[..at].ends_with('\\'))
}

/// Removes one level of backslash escapes.
fn unescaped(text: &str) -> String {
    let (mut unescape, mut out) = (Unescape::default(), String::new());
    unescape.read(text, b'"', &mut |piece| out.push_str(piece));
    unescape.end(&mut |piece| out.push_str(piece));
    out
}

fn scalar(bare: &str, types: &ValueTypes) -> Option<Value> {
    let read = |of: Type, read: fn(&str) -> Option<Value>| {
        if types.has(of) { read(bare) } else { None }
    };
    read(Type::Integer, integer)
        .or_else(|| read(Type::Number, number))
        .or_else(|| read(Type::Boolean, boolean))
}

/// Returns the list of the lines of `text` that are not blank, each read as one of `items`, and a diagnostic
/// if a line does not fit.
fn lines(text: &str, items: &ValueTypes, repairs: Repairs) -> (Value, Option<DiagnosticKind>) {
    let elements = text.split('\n').map(trim).filter(|line| !line.is_empty());
    let (list, problems): (Vec<_>, Vec<_>) =
        elements.map(|line| coerce(line, items, repairs)).unzip();
    (list.into(), problems.into_iter().flatten().next())
}

/// Returns the value of a literal. `is_key`: whether the tool's schema has this key, at any depth. A word or number is text, if
/// only text fits the schema.
pub(crate) fn literal(
    text: &str,
    literals: &Literals,
    types: &ValueTypes,
    items: &ValueTypes,
    repairs: Repairs,
    is_key: &dyn Fn(&str) -> bool,
) -> (Value, Option<DiagnosticKind>) {
    let bare = trim(text);
    let has_quote = !literals.quote.is_empty();
    let is_number = types.has(Type::Integer) || types.has(Type::Number);
    if is_number && !types.has(Type::String) {
        let number = literal::without_zeros(bare).and_then(|bare| scalar(&bare, types));
        if let Some(number) = number {
            return (number, None);
        }
    }
    let zeros = has_quote && !items.has(Type::String);
    let read = literal::value(bare, literals.syntax(), zeros, is_key);
    if has_quote && bare.starts_with(&*literals.quote) {
        return match read {
            Some(Value::String(text)) if literals.by_schema => coerce(&text, types, repairs),
            Some(value) => (value, None),
            None => (text.into(), Some(DiagnosticKind::TypeMismatch)),
        };
    }
    if has_quote && bare.ends_with(&*literals.quote) {
        // The quote that opens it is missing.
        let text = &bare[..bare.len() - literals.quote.len()];
        return if literals.by_schema { coerce(text, types, repairs) } else { (text.into(), None) };
    }
    let is_typed = !types.types.is_empty();
    let is_word = has_quote && !bare.starts_with(['"', '\'', '`', '{', '[']);
    match read {
        Some(value) if is_word && types.has(Type::String) && !fits(&value, types) => {
            (bare.into(), None)
        }
        // A word that is not a literal is text.
        Some(value) if is_word && value.is_string() && is_typed && !fits(&value, types) => {
            (value, Some(DiagnosticKind::TypeMismatch))
        }
        Some(value) => (value, None),
        None => (text.into(), Some(DiagnosticKind::TypeMismatch)),
    }
}

/// Whether a value is of one of these types.
pub(crate) fn fits(value: &Value, types: &ValueTypes) -> bool {
    is_of(value, &types.types)
}

pub(crate) fn is_of(value: &Value, types: &[Type]) -> bool {
    types.contains(&type_of(value)) || value.is_number() && types.contains(&Type::Number)
}

/// Returns the value of `text` whose type is on the wire. Lines are each one of `items`.
pub(crate) fn hinted(
    text: &str,
    hint: TypeHint,
    items: &ValueTypes,
    repairs: Repairs,
) -> (Value, Option<DiagnosticKind>) {
    match hint {
        TypeHint::String => (text.into(), None),
        TypeHint::Lines => lines(text, items, repairs),
        TypeHint::Json | TypeHint::Literal => json(text, repairs),
    }
}

/// Returns the value of `text` that is JSON by the wire, strict or repaired, and a diagnostic if it is not
/// JSON.
pub(crate) fn json(text: &str, repairs: Repairs) -> (Value, Option<DiagnosticKind>) {
    match repair::value(text, repairs) {
        Ok((value, made)) => (value, (!made.is_empty()).then_some(DiagnosticKind::RepairedJson)),
        Err(_) => (text.into(), Some(DiagnosticKind::TypeMismatch)),
    }
}

/// Returns an integer in the range of i64 or u64. If the program has turned on `serde_json`'s
/// `arbitrary_precision`, it may have any length, and is never a float.
pub(crate) fn integer(text: &str) -> Option<Value> {
    let text = Some(text).filter(|text| is_integer(text))?;
    let signed = text.parse::<i64>().map(Value::from);
    let short = signed.or_else(|_| text.parse::<u64>().map(Value::from)).ok();
    let long = || serde_json::from_str::<Number>(text).ok().filter(|number| !number.is_f64());
    short.or_else(|| long().map(Value::Number))
}

/// Returns a number that is finite as a float, however `serde_json` keeps it.
fn number(text: &str) -> Option<Value> {
    let number = serde_json::from_str::<Number>(text).ok();
    number.filter(|number| number.as_f64().is_some_and(f64::is_finite)).map(Value::Number)
}

fn boolean(text: &str) -> Option<Value> {
    let says = |word| text.eq_ignore_ascii_case(word);
    if says("true") || says("false") { Some(says("true").into()) } else { None }
}

/// Decodes `&lt; &gt; &quot; &apos; &#39;` and last `&amp;`, once.
pub(crate) fn decode_entities(text: &str) -> String {
    let decoded = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&#39;", "'")]
        .iter()
        .fold(text.to_string(), |text, (entity, character)| text.replace(entity, character));
    decoded.replace("&amp;", "&")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// Reads a literal of a dialect with this quote, or in Python's notation without one, by a schema.
    fn read(quote: &'static str, schema: Value, text: &str) -> String {
        let literals = Literals { quote: quote.into(), by_schema: true, ..Literals::default() };
        let types = ValueTypes::from_schema(&schema, &schema);
        let items = ValueTypes::of_items(&schema, &schema).unwrap_or_default();
        let (value, note) = literal(text, &literals, &types, &items, Repairs::Default, &|_| false);
        format!("{value} {note:?}")
    }

    #[test]
    fn literals_by_schema() {
        const QUOTE: &str = "<|\"|>";
        let list = |of: &str| json!({"type": "array", "items": {"type": of}});
        for (quote, schema, text, value) in [
            (QUOTE, json!({"type": "integer"}), "007", "7 None"),
            (QUOTE, json!({"type": ["integer", "string"]}), "007", "\"007\" None"),
            (QUOTE, json!({}), "007", "\"007\" None"),
            (QUOTE, json!({"type": "string"}), "7", "\"7\" None"),
            ("", json!({"type": "string"}), "7", "7 None"),
            (QUOTE, json!({"type": "string"}), "\"7\"", "\"7\" None"),
            (QUOTE, json!({"type": "string"}), "[7]", "[7] None"),
            (QUOTE, json!({"type": ["string", "integer"]}), "7", "7 None"),
            (QUOTE, json!({"type": "integer"}), "seven", "\"seven\" Some(TypeMismatch)"),
            (QUOTE, json!({}), "seven", "\"seven\" None"),
            (QUOTE, json!({"type": "integer"}), "\"seven\"", "\"seven\" None"),
            ("", json!({"type": "integer"}), "'seven'", "\"seven\" None"),
            (QUOTE, json!({"type": "boolean"}), "7", "7 None"),
            (QUOTE, json!({"type": "integer"}), "<|\"|>7<|\"|>", "7 None"),
            (QUOTE, list("string"), "[a,7]", "[\"a\",7] None"),
            (QUOTE, list("string"), "[007]", "[\"007\"] None"),
            (QUOTE, list("integer"), "[007]", "[7] None"),
            ("", list("integer"), "[007]", "\"[007]\" Some(TypeMismatch)"),
            (QUOTE, json!({"type": "number"}), "1e999", "\"1e999\" Some(TypeMismatch)"),
        ] {
            assert_eq!(read(quote, schema.clone(), text), value, "{quote} {schema} {text}");
        }
    }
}
