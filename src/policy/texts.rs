//! Texts with placeholders.

use std::fmt::Display;

use crate::dialect::template;

/// Puts the values in place of `{name}`, once.
pub(super) fn fill(text: &str, values: &[(&str, &dyn Display)]) -> String {
    template::fill(text, |hole| {
        let value = values.iter().find(|(name, _)| *name == hole);
        value.map(|(_, value)| value.to_string().into())
    })
}
