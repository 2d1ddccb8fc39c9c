//! The providers by their names.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::error::{BuildError, UnknownName};

/// A provider of model streams.
///
/// ```
/// use toolstream::native::Provider;
///
/// assert_eq!("OpenAI_chat".parse(), Ok(Provider::OpenAiChat));
/// assert!("claude".parse::<Provider>().is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "&'static str", try_from = "String")]
#[non_exhaustive]
pub enum Provider {
    /// `openai-chat`: chat completions, of OpenAI and of all who imitate them.
    OpenAiChat,
    /// `openai-responses`: OpenAI's Responses.
    OpenAiResponses,
    /// `anthropic`: Anthropic's Messages.
    Anthropic,
    /// `gemini`: Google's `streamGenerateContent`.
    Gemini,
}

impl Provider {
    /// All providers.
    pub const ALL: &'static [Provider] =
        &[Provider::OpenAiChat, Provider::OpenAiResponses, Provider::Anthropic, Provider::Gemini];

    /// Returns the name in vectors and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Provider::OpenAiChat => "openai-chat",
            Provider::OpenAiResponses => "openai-responses",
            Provider::Anthropic => "anthropic",
            Provider::Gemini => "gemini",
        }
    }

    fn by_name(name: &str) -> Result<Provider, BuildError> {
        let small = name.to_ascii_lowercase().replace('_', "-");
        let found = Provider::ALL.iter().find(|provider| provider.name() == small);
        found.copied().ok_or_else(|| {
            let known = Provider::ALL.iter().map(|provider| provider.name()).collect();
            UnknownName::new("provider", name, known).into()
        })
    }
}

/// Finds a provider by its name. Case does not matter, and `_` counts as `-`.
impl FromStr for Provider {
    type Err = BuildError;

    fn from_str(name: &str) -> Result<Provider, BuildError> {
        Provider::by_name(name)
    }
}

impl TryFrom<String> for Provider {
    type Error = BuildError;

    fn try_from(name: String) -> Result<Provider, BuildError> {
        Provider::by_name(&name)
    }
}

impl From<Provider> for &'static str {
    fn from(provider: Provider) -> &'static str {
        provider.name()
    }
}

impl fmt::Display for Provider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
