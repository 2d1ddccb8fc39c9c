//! Whether a value has a type of its parameter's schema. Only this file decides it, for `Message` and for
//! writers of arguments that come in pieces.
//!
//! The text of a tag parameter becomes a value of the right type, or is reported ([`coerce`]). A value that
//! has a type already, by JSON, a literal or the wire, stays as it is, and is reported here. In both cases,
//! the items of a list or an object are not checked.

use serde_json::Value;

use super::coerce::{self, coerce};
use crate::event::DiagnosticKind;
use crate::json::repairs::Repairs;
use crate::options::Types;
use crate::tool::Type;
use crate::tool::types::ValueTypes;

/// Whether the value is of one of these types. `1.0` is an integer, as in JSON Schema.
pub(crate) fn fits(value: &Value, types: &ValueTypes) -> bool {
    is_of(value, &types.types)
}

/// Whether a value has one of these types. An empty list allows any.
pub(crate) fn is_of(value: &Value, types: &[Type]) -> bool {
    let whole = || value.as_f64().is_some_and(|number| number.fract() == 0.0);
    types.is_empty() || coerce::is_of(value, types) || types.contains(&Type::Integer) && whole()
}

/// Checks a member of arguments that came as JSON. Under `Types::Coerce` a text of a wanted type is read as
/// that type.
pub(crate) fn member(
    value: Value,
    types: &ValueTypes,
    types_option: Types,
    repairs: Repairs,
) -> (Value, Option<DiagnosticKind>) {
    if fits(&value, types) {
        return (value, None);
    }
    match &value {
        Value::String(text) if types_option == Types::Coerce => coerce(text, types, repairs),
        _ => (value, Some(DiagnosticKind::TypeMismatch)),
    }
}
