//! [`Router`]: native tool calls or which dialect, for a provider and a model.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use super::models::{ModelMatch, family_of};
use crate::dialect::Dialect;
use crate::error::UnknownName;
use crate::glob;
use crate::options::{Start, ValueWhitespace};

/// Says how a model is told its tools: through the provider's own API, or as text in a dialect.
///
/// In this order, and the first that says something decides: the host's word on the model, on the
/// provider, on everything ([`RouterConfig`]); native tools where the provider has them; the
/// dialect that the model was trained on ([`Dialect::for_model`]); ReAct, which any model can
/// follow.
///
/// ```
/// use toolstream::{Dialect, NativeTools, Router, ToolFormat};
///
/// let router = Router::default();
/// let route = router.route("anthropic", "claude-sonnet-4-5", NativeTools::Unknown);
/// assert_eq!(route.format, ToolFormat::Native);
/// let route = router.route("ollama", "qwen3:8b", NativeTools::Unknown);
/// assert_eq!(route.format, ToolFormat::Text(Dialect::HERMES));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Router {
    config: RouterConfig,
}

/// What the host wants, with serde (feature `json`) from its YAML, JSON or TOML. A key that is none
/// of these, and a format that nobody knows, are errors.
///
/// | key | default | |
/// |---|---|---|
/// | `tool_format` | `auto` | for every model: `auto`, `native`, or a dialect's name |
/// | `providers` | none | a format for each provider, by its name in any case |
/// | `models` | none | a format for each model; `*` stands for anything, case does not matter, the longest pattern that fits decides |
///
/// ```yaml
/// tool_format: auto
/// providers:
///   ollama: react
/// models:
///   "qwen/qwen3-coder*": qwen3-coder
///   "gpt-5*": native
/// ```
#[cfg_attr(
    feature = "json",
    doc = r##"
```
use toolstream::{Dialect, NativeTools, Router, RouterConfig, ToolFormat};

let config: RouterConfig = serde_json::from_str(r#"{"models": {"local/*": "hermes"}}"#)?;
let route = Router::new(config).route("vllm", "local/my-model", NativeTools::Yes);
assert_eq!(route.format, ToolFormat::Text(Dialect::HERMES));
# Ok::<(), serde_json::Error>(())
```"##
)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "json", derive(serde::Deserialize))]
#[cfg_attr(feature = "json", serde(deny_unknown_fields, default))]
pub struct RouterConfig {
    /// For every model that nothing else is said of.
    pub tool_format: FormatChoice,
    /// By provider.
    pub providers: BTreeMap<String, FormatChoice>,
    /// By model.
    pub models: BTreeMap<String, FormatChoice>,
}

/// What a host writes for a format: `auto`, `native`, or the name of a dialect.
///
/// In a [`RouterConfig`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "json", derive(serde::Deserialize))]
#[cfg_attr(feature = "json", serde(try_from = "String"))]
#[non_exhaustive]
pub enum FormatChoice {
    /// As if nothing was said, here and in what is more general.
    #[default]
    Auto,
    /// This one.
    Format(ToolFormat),
}

/// How a model is told its tools.
///
/// In a [`Route`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ToolFormat {
    /// Through the provider's API.
    Native,
    /// As text.
    Text(Dialect),
}

/// Whether the provider offers tool calls of its own for this model.
///
/// [`Router::route`] asks for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum NativeTools {
    /// The provider's name says it: OpenAI, Anthropic and Google's Gemini do.
    #[default]
    Unknown,
    /// It does.
    Yes,
    /// It does not.
    No,
}

/// What [`Router::route`] found.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Route {
    /// How the model is told its tools.
    pub format: ToolFormat,
    /// Where the stream of a text dialect begins, by the model's family and whatever its dialect.
    /// Where the host has the rendered prompt, [`Start::of_prompt`] knows better.
    pub start: Start,
    /// Whether white space at the ends of values belongs to them, by the model's family if the dialect
    /// is that of the family.
    pub value_whitespace: ValueWhitespace,
    /// What decided.
    pub reason: RouteReason,
}

/// What decided a [`Route`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RouteReason {
    /// The host's word on the model.
    Model,
    /// The host's word on the provider.
    Provider,
    /// The host's word on everything.
    Default,
    /// The provider has native tools.
    Native,
    /// The dialect that the model was trained on.
    Family,
    /// Nothing is known of the model.
    Fallback,
}

/// In words: `the provider has tools of its own`.
impl fmt::Display for RouteReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            RouteReason::Model => "the configuration says so of the model",
            RouteReason::Provider => "the configuration says so of the provider",
            RouteReason::Default => "the configuration says so of everything",
            RouteReason::Native => "the provider has tools of its own",
            RouteReason::Family => "the model was trained on it",
            RouteReason::Fallback => "nothing is known of the model, and any model can follow it",
        })
    }
}

/// Providers whose own API has tools for all of their models, by the beginning of their name.
const NATIVE: [&str; 6] = ["openai", "azure", "anthropic", "gemini", "google", "vertex"];

impl Router {
    /// A router that heeds this configuration. `Router::default()` has none.
    pub fn new(config: RouterConfig) -> Router {
        Router { config }
    }

    /// The route for a model of a provider.
    pub fn route(&self, provider: &str, model: &str, native: NativeTools) -> Route {
        let (format, reason) = self.format(provider, model, native);
        match format.dialect().zip(family_of(model)) {
            Some((dialect, family)) => {
                let ModelMatch { dialect, start, value_whitespace } = family.told(dialect);
                Route { format: ToolFormat::Text(dialect), start, value_whitespace, reason }
            }
            None => {
                let value_whitespace = ValueWhitespace::Default;
                Route { format, start: Start::Text, value_whitespace, reason }
            }
        }
    }

    fn format(
        &self,
        provider: &str,
        model: &str,
        native: NativeTools,
    ) -> (ToolFormat, RouteReason) {
        if let Some(told) = self.config.told(provider, model) {
            return told;
        }
        if has_native(provider, native) {
            return (ToolFormat::Native, RouteReason::Native);
        }
        match Dialect::for_model(model) {
            Some(found) => (ToolFormat::Text(found.dialect), RouteReason::Family),
            // Any model can follow it.
            None => (ToolFormat::Text(Dialect::REACT), RouteReason::Fallback),
        }
    }
}

impl RouterConfig {
    /// What the host says, the more particular word first.
    fn told(&self, provider: &str, model: &str) -> Option<(ToolFormat, RouteReason)> {
        let fits =
            self.models.iter().filter(|(pattern, _)| glob::matches_in_any_case(pattern, model));
        let model = fits.max_by_key(|(pattern, _)| pattern.replace('*', "").len());
        let mut providers = self.providers.iter();
        let provider = providers.find(|(name, _)| name.eq_ignore_ascii_case(provider));
        let choices = [
            (model.map(|(_, choice)| choice), RouteReason::Model),
            (provider.map(|(_, choice)| choice), RouteReason::Provider),
            (Some(&self.tool_format), RouteReason::Default),
        ];
        // An `auto` that is more particular ends the search, too.
        let (choice, reason) = choices.into_iter().find_map(|(choice, of)| Some((choice?, of)))?;
        match choice {
            FormatChoice::Auto => None,
            FormatChoice::Format(format) => Some((format.clone(), reason)),
        }
    }
}

fn has_native(provider: &str, native: NativeTools) -> bool {
    match native {
        NativeTools::Yes => true,
        NativeTools::No => false,
        NativeTools::Unknown => {
            let provider = provider.to_lowercase();
            let known = |name: &str| {
                let rest = provider.strip_prefix(name);
                rest.is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
            };
            NATIVE.iter().any(|name| known(name))
        }
    }
}

impl ToolFormat {
    /// The dialect, if it is one.
    pub fn dialect(&self) -> Option<&Dialect> {
        match self {
            ToolFormat::Native => None,
            ToolFormat::Text(dialect) => Some(dialect),
        }
    }
}

impl fmt::Display for ToolFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ToolFormat::Native => f.write_str("native"),
            ToolFormat::Text(dialect) => dialect.fmt(f),
        }
    }
}

impl FromStr for FormatChoice {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, UnknownName> {
        Ok(match name {
            "auto" => FormatChoice::Auto,
            "native" => FormatChoice::Format(ToolFormat::Native),
            _ => FormatChoice::Format(ToolFormat::Text(Dialect::by_name(name).map_err(as_format)?)),
        })
    }
}

impl TryFrom<String> for FormatChoice {
    type Error = UnknownName;

    fn try_from(name: String) -> Result<Self, UnknownName> {
        name.parse()
    }
}

fn as_format(unknown: UnknownName) -> UnknownName {
    UnknownName { kind: "tool format", others: "auto, native, or ", ..unknown }
}
