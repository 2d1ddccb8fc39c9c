//! Configuration: what can be wrong with it, and how it is read from JSON.

use serde::de::DeserializeOwned;
use serde_json::Value;
use thiserror::Error;

/// Why a guard, a validator, a hook or a loop cannot be built, or does not take an argument.
///
/// [`Guard::from_json`](super::Guard::from_json) has an example.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PolicyError {
    /// A configuration that makes no sense: a value that does not fit, an unknown key, a limit of 0, a
    /// pattern that is no regular expression, a tool whose schema cannot be read.
    #[error("{place}: {what}")]
    Config {
        /// Where: `config.mistake_limit`, `config.patterns[1].tools`, …, or the option's name.
        place: String,
        /// What is wrong, and what belongs there.
        what: String,
    },
    /// A choice that was not offered.
    #[error("`{choice}` was not offered: choose one of {}", offered.join(", "))]
    NotOffered {
        /// The choice.
        choice: String,
        /// What is offered.
        offered: Vec<&'static str>,
    },
    /// A result for a call that waits for none.
    #[error("no such call waits for a result: it has one, or the user has interrupted it")]
    NotPending,
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
            PolicyError::NotOffered { .. }
            | PolicyError::NotPending
            | PolicyError::Snapshot { .. } => "invalid_argument",
            _ => "invalid_config",
        }
    }
}

impl PolicyError {
    /// Of a configuration that makes no sense at this place.
    pub(super) fn config(place: impl Into<String>, what: impl Into<String>) -> PolicyError {
        PolicyError::Config { place: place.into(), what: what.into() }
    }
}

pub(super) type Result<T> = std::result::Result<T, PolicyError>;

/// A limit that must not be 0.
pub(super) fn at_least_one(option: &'static str, limit: usize) -> Result<()> {
    if limit == 0 {
        Err(PolicyError::config(option, "0 is no limit: use 1 or more"))
    } else {
        Ok(())
    }
}

/// Reads what stands at this place. An error says where in it.
pub(crate) fn read<T: DeserializeOwned>(value: &Value, place: &str) -> Result<T> {
    serde_path_to_error::deserialize(value).map_err(|error| {
        let path = error.path().to_string();
        let place = match &*path {
            "." => place.to_string(),
            path if path.starts_with('[') => format!("{place}{path}"),
            path => format!("{place}.{path}"),
        };
        PolicyError::config(place, error.into_inner().to_string())
    })
}

/// Reads a stored state.
pub(super) fn restore<T: DeserializeOwned>(snapshot: &Value) -> Result<T> {
    read(snapshot, "snapshot").map_err(|error| PolicyError::Snapshot { reason: error.to_string() })
}

/// The names of an enum's variants: `Display` and `FromStr`.
macro_rules! names {
    ($of:ident { $($variant:ident: $name:literal),+ $(,)? }) => {
        impl $of {
            /// All of them.
            pub(crate) const ALL: &'static [$of] = &[$($of::$variant),+];

            /// The name in configurations, reports and vectors.
            pub(crate) fn as_str(self) -> &'static str {
                match self {
                    $($of::$variant => $name),+
                }
            }
        }

        impl std::fmt::Display for $of {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl std::str::FromStr for $of {
            type Err = $crate::policy::PolicyError;

            fn from_str(name: &str) -> std::result::Result<$of, Self::Err> {
                let mut all = $of::ALL.iter().copied();
                all.find(|known| known.as_str() == name).ok_or_else(|| {
                    let offered = $of::ALL.iter().map(|known| known.as_str()).collect();
                    $crate::policy::PolicyError::NotOffered { choice: name.to_string(), offered }
                })
            }
        }
    };
}

pub(super) use names;
