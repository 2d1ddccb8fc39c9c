//! Configuration: what can be wrong with it, and how it is read from JSON.

use serde::de::DeserializeOwned;
use serde_json::Value;
use thiserror::Error;

/// Why a guard, a validator, a hook or a loop cannot be built, or does not take an argument.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PolicyError {
    /// JSON that is no configuration: an unknown key, a value that does not fit.
    #[error("{place}: {what}")]
    Config {
        /// Where: `config.mistake_limit`, `config.patterns[1].tools`, …
        place: String,
        /// What is wrong, and what belongs there.
        what: String,
    },
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

pub(super) type Result<T> = std::result::Result<T, PolicyError>;

/// A limit that must not be 0.
pub(super) fn at_least_one(option: &'static str, limit: usize) -> Result<()> {
    if limit == 0 { Err(PolicyError::ZeroLimit { option }) } else { Ok(()) }
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
        PolicyError::Config { place, what: error.into_inner().to_string() }
    })
}

/// Reads a stored state.
pub(super) fn restore<T: DeserializeOwned>(snapshot: &Value) -> Result<T> {
    read(snapshot, "snapshot").map_err(|error| PolicyError::Snapshot { reason: error.to_string() })
}

/// The names of an enum's variants: `ALL`, `as_str` and `FromStr`.
macro_rules! names {
    ($of:ident { $($variant:ident: $name:literal),+ $(,)? }) => {
        impl $of {
            /// All of them.
            pub const ALL: &'static [$of] = &[$($of::$variant),+];

            /// The name in configurations, reports and vectors.
            pub fn as_str(self) -> &'static str {
                match self {
                    $($of::$variant => $name),+
                }
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
