//! Configuration: what can be wrong with it, and how it is read from JSON.

use serde_json::{Map, Value};
use thiserror::Error;

/// Why a guard, a validator or a hook cannot be built, or does not take an argument.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PolicyError {
    /// A limit of 0.
    #[error("`{option}` is 0: use 1 or more")]
    ZeroLimit {
        /// The option.
        option: &'static str,
    },
    /// A pattern that is no regular expression, or too large a one.
    #[error("the pattern `{pattern}` cannot be used ({reason}): correct it")]
    Pattern {
        /// The pattern.
        pattern: String,
        /// What the regex compiler said.
        reason: String,
    },
    /// A text that there is none of.
    #[error("unknown text `{name}`: the texts are {}", known.join(", "))]
    UnknownText {
        /// The name.
        name: String,
        /// The names there are.
        known: Vec<&'static str>,
    },
    /// A hook that there is none of.
    #[error("unknown hook `{name}`: the hooks are {}", known.join(", "))]
    UnknownHook {
        /// The name.
        name: String,
        /// The names there are.
        known: &'static [&'static str],
    },
    /// The repeat guard would stop before it warns, or warn at the first call.
    #[error("warn_at {warn_at} and stop_at {stop_at} do not fit: 2 <= warn_at < stop_at")]
    RepeatLimits {
        /// At which call in a row it warns.
        warn_at: usize,
        /// At which call in a row it stops.
        stop_at: usize,
    },
    /// A tool's declaration or its schema that cannot be read.
    #[error("the tools cannot be used ({reason}): correct the declaration")]
    Tools {
        /// What is wrong.
        reason: String,
    },
    /// A key that no option has.
    #[error("unknown option `{key}` in {place}: the options are {}", known.join(", "))]
    UnknownOption {
        /// Where: `config`, `patterns[1]`, …
        place: String,
        /// The key.
        key: String,
        /// The keys there are.
        known: &'static [&'static str],
    },
    /// A value that does not fit its key.
    #[error("{place} must be {expected}")]
    Shape {
        /// Where: `config.mistake_limit`, …
        place: String,
        /// What belongs there.
        expected: String,
    },
    /// A choice that was not offered.
    #[error("`{choice}` was not offered: choose one of {}", offered.join(", "))]
    NotOffered {
        /// The choice.
        choice: String,
        /// What is offered.
        offered: &'static [&'static str],
    },
    /// A stored state that is none.
    #[error("the stored state cannot be restored: {reason}")]
    Snapshot {
        /// What is wrong.
        reason: String,
    },
}

impl PolicyError {
    /// `invalid_argument` for what was asked, `invalid_config` for what was built.
    pub fn code(&self) -> &'static str {
        match self {
            PolicyError::NotOffered { .. } | PolicyError::Snapshot { .. } => "invalid_argument",
            _ => "invalid_config",
        }
    }
}

pub(super) type Result<T> = std::result::Result<T, PolicyError>;

/// A limit that must not be 0.
pub(super) fn at_least_one(option: &'static str, limit: usize) -> Result<usize> {
    match limit {
        0 => Err(PolicyError::ZeroLimit { option }),
        limit => Ok(limit),
    }
}

/// The choice of this name.
pub(super) fn offered<T: Copy>(name: &str, choices: &[T], names: &'static [&str]) -> Result<T> {
    let at = names.iter().position(|offered| *offered == name);
    at.map(|at| choices[at])
        .ok_or_else(|| PolicyError::NotOffered { choice: name.to_string(), offered: names })
}

/// A JSON object of options, all of them known. What is absent is `None`.
pub(super) struct Fields<'v> {
    place: String,
    members: &'v Map<String, Value>,
}

impl<'v> Fields<'v> {
    pub fn of(
        value: &'v Value,
        place: impl Into<String>,
        known: &'static [&'static str],
    ) -> Result<Self> {
        let place = place.into();
        let members = value.as_object().ok_or_else(|| PolicyError::Shape {
            place: place.clone(),
            expected: "an object".to_string(),
        })?;
        match members.keys().find(|key| !known.contains(&key.as_str())) {
            Some(key) => Err(PolicyError::UnknownOption { place, key: key.clone(), known }),
            None => Ok(Fields { place, members }),
        }
    }

    pub fn bool(&self, key: &str) -> Result<Option<bool>> {
        self.read(key, "true or false", Value::as_bool)
    }

    /// 0 is a number here; who builds with it refuses it.
    pub fn number(&self, key: &str) -> Result<Option<usize>> {
        let number = |value: &Value| value.as_u64().and_then(|n| usize::try_from(n).ok());
        self.read(key, "a whole number", number)
    }

    pub fn text(&self, key: &str) -> Result<Option<&'v str>> {
        self.read(key, "a string", Value::as_str)
    }

    pub fn names(&self, key: &str) -> Result<Option<Vec<String>>> {
        let name = |name: &Value| name.as_str().map(String::from);
        let names = |value: &'v Value| value.as_array()?.iter().map(name).collect();
        self.read(key, "a list of names", names)
    }

    /// Empty if it is absent.
    pub fn list(&self, key: &str) -> Result<&'v [Value]> {
        let list = self.read(key, "a list", |value| value.as_array().map(Vec::as_slice))?;
        Ok(list.unwrap_or_default())
    }

    /// Names and texts of `messages`.
    pub fn messages(&self) -> Result<Vec<(String, String)>> {
        let text = |(name, text): (&String, &Value)| Some((name.clone(), text.as_str()?.into()));
        let texts = |value: &'v Value| value.as_object()?.iter().map(text).collect();
        Ok(self.read("messages", "an object of texts", texts)?.unwrap_or_default())
    }

    pub fn choice<T: Copy>(&self, key: &str, choices: &[(&str, T)]) -> Result<Option<T>> {
        let names: Vec<_> = choices.iter().map(|(name, _)| format!("\"{name}\"")).collect();
        let chosen = |value: &Value| {
            choices.iter().find(|(name, _)| value == name).map(|(_, choice)| *choice)
        };
        self.read(key, &names.join(" or "), chosen)
    }

    /// What must be there.
    pub fn required<T>(&self, key: &str, read: Option<T>) -> Result<T> {
        read.ok_or_else(|| self.shape(key, "given"))
    }

    pub fn get(&self, key: &str) -> Option<&'v Value> {
        self.members.get(key)
    }

    fn read<T>(
        &self,
        key: &str,
        expected: &str,
        read: impl Fn(&'v Value) -> Option<T>,
    ) -> Result<Option<T>> {
        let read = |value| read(value).ok_or_else(|| self.shape(key, expected));
        self.get(key).map(read).transpose()
    }

    fn shape(&self, key: &str, expected: &str) -> PolicyError {
        let place = format!("{}.{key}", self.place);
        PolicyError::Shape { place, expected: expected.to_string() }
    }
}
