//! Configuration: its mistakes, its JSON, and its texts.

use std::fmt::Display;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use thiserror::Error;

use crate::dialect::template;
use crate::objects::Objects;
use crate::options::json::in_words;
use crate::tool::Tool;

/// Error of a guard, a validator, a hook or a loop that cannot be built, or does not take an argument.
///
/// [`Guard::from_json`](super::Guard::from_json) has an example.
///
/// ```
/// use serde_json::json;
/// use toolstream::policy::{Guard, PolicyError};
///
/// let error = Guard::from_json(&json!({"max_atempts": 2})).unwrap_err();
/// assert!(matches!(&error, PolicyError::InvalidConfig(text) if text.contains("max_atempts")), "{error}");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PolicyError {
    /// A configuration that makes no sense: a value that does not fit, an unknown key, a limit of 0, a
    /// pattern that is not a regular expression, a tool whose schema cannot be read. The text has the place, the
    /// mistake, and the expected value.
    #[error("{0}")]
    InvalidConfig(String),
    /// An argument that was not offered: a choice, the id of a call that waits for no result, a
    /// stored state that is none.
    #[error("{0}")]
    InvalidArgument(String),
}

pub(super) type Result<T> = std::result::Result<T, PolicyError>;

/// Makes the error of a configuration that makes no sense at this place.
pub(super) fn invalid(place: impl Display, what: impl Display) -> PolicyError {
    PolicyError::InvalidConfig(format!("{place}: {what}"))
}

/// Reads the value at this place. An error has its place in the value.
pub(crate) fn read<T: DeserializeOwned>(value: &Value, place: &str) -> Result<T> {
    serde_path_to_error::deserialize(Objects(value)).map_err(|error| {
        let path = error.path().to_string();
        let dot = if path.starts_with('[') { "" } else { "." };
        let place = if path == "." { place.to_string() } else { format!("{place}{dot}{path}") };
        invalid(place, in_words(&error.into_inner()))
    })
}

/// Refuses the name of an undeclared tool. A typing error in it would protect nothing, or demand a call that
/// no model can make.
pub(super) fn declared(name: &str, tools: &[Tool], place: impl Display) -> Result<()> {
    let known = || tools.iter().map(|tool| &*tool.name);
    if known().any(|tool| tool == name) {
        return Ok(());
    }
    let likeness = |tool: &str| strsim::jaro_winkler(name, tool);
    let nearest = known().max_by(|one, other| likeness(one).total_cmp(&likeness(other)));
    let hint = match nearest.filter(|tool| likeness(tool) > 0.7) {
        Some(tool) => format!(", did you mean `{tool}`?"),
        None => ": declare it to the parser".to_string(),
    };
    Err(invalid(place, format!("there is no tool `{name}`{hint}")))
}

/// Reads a stored state.
pub(super) fn restore<T: DeserializeOwned>(snapshot: &Value) -> Result<T> {
    read(snapshot, "snapshot").map_err(|error| {
        PolicyError::InvalidArgument(format!("the stored state cannot be restored: {error}"))
    })
}

/// A limit that must not be 0.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(try_from = "usize")]
pub(super) struct AtLeastOne(pub usize);

impl TryFrom<usize> for AtLeastOne {
    type Error = &'static str;

    fn try_from(limit: usize) -> std::result::Result<Self, Self::Error> {
        if limit == 0 { Err("0 is no limit: use 1 or more") } else { Ok(AtLeastOne(limit)) }
    }
}

/// Options and their defaults, as serde reads them.
macro_rules! options {
    ($name:ident { $($key:ident: $type:ty = $default:expr),+ $(,)? }) => {
        #[derive(Clone, Debug, serde::Deserialize)]
        #[serde(default, deny_unknown_fields)]
        pub(in crate::policy) struct $name {
            $(pub $key: $type,)+
        }

        impl Default for $name {
            fn default() -> Self {
                $name { $($key: $default,)+ }
            }
        }
    };
}

/// A struct of texts with their defaults.
macro_rules! texts {
    ($name:ident { $($key:ident: $text:expr),+ $(,)? }) => {
        $crate::policy::config::options!($name { $($key: String = $text.to_string(),)+ });
    };
}

pub(super) use {options, texts};

/// Puts the values in place of `{name}`, once.
pub(super) fn fill(text: &str, values: &[(&str, &dyn Display)]) -> String {
    template::fill(text, |hole| {
        let value = values.iter().find(|(name, _)| *name == hole);
        value.map(|(_, value)| value.to_string().into())
    })
}
