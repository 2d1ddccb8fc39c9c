//! [`Router`]: native tool calls or a dialect, for a provider and a model.

use std::collections::BTreeMap;
use std::str::FromStr;

use super::models::{ModelMatch, family_of};
use crate::dialect::Dialect;
use crate::error::BuildError;
use crate::glob;

/// Decides how a model learns its tools: through the provider's own API, or as text in a dialect.
///
/// The first of these decides: your configuration for the model, for the provider, for everything; native tools if
/// the provider has them; the dialect that the model was trained on ([`Dialect::for_model`]); ReAct, which any model
/// can follow.
///
/// ```
/// use toolstream::{Dialect, model::Router};
///
/// let router = Router::default();
/// let route = router.route("anthropic", "claude-sonnet-4-5", None);
/// assert!(route.text.is_none());
/// let route = router.route("ollama", "qwen3:8b", None);
/// assert_eq!(route.text.unwrap().dialect, Dialect::HERMES);
/// assert_eq!(route.reason, "the model was trained on it");
/// ```
///
/// A router is a configuration: read it with serde (feature `json`) from YAML, JSON or TOML. An unknown key and an
/// unknown format are errors.
///
/// | key | default | |
/// |---|---|---|
/// | `tool_format` | `auto` | for every model: `auto`, `native`, or a dialect's name |
/// | `providers` | none | a format for each provider, by its name in any case |
/// | `models` | none | a format for each model; `*` matches any text, case does not matter, the longest matching pattern decides |
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
use toolstream::{Dialect, model::Router};

let router: Router = serde_json::from_str(r#"{"models": {"local/*": "hermes"}}"#)?;
let route = router.route("vllm", "local/my-model", Some(true));
assert_eq!(route.text.unwrap().dialect, Dialect::HERMES);
# Ok::<(), serde_json::Error>(())
```"##
)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Router {
    /// The format for all other models.
    pub tool_format: ToolFormat,
    /// The formats by provider.
    pub providers: BTreeMap<String, ToolFormat>,
    /// The formats by model.
    pub models: BTreeMap<String, ToolFormat>,
}

#[cfg(feature = "json")]
impl<'de> serde::Deserialize<'de> for Router {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Router, D::Error> {
        #[derive(serde::Deserialize)]
        #[serde(remote = "Router", default = "Router::default", deny_unknown_fields)]
        struct Keys {
            tool_format: ToolFormat,
            providers: BTreeMap<String, ToolFormat>,
            models: BTreeMap<String, ToolFormat>,
        }

        Keys::deserialize(crate::objects::Objects(from))
    }
}

/// A format in a configuration: `auto`, `native`, or the name of a dialect.
///
/// ```
/// use toolstream::{Dialect, model::ToolFormat};
///
/// assert_eq!("react".parse(), Ok(ToolFormat::Text(Dialect::REACT)));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "json", derive(serde::Deserialize))]
#[cfg_attr(feature = "json", serde(try_from = "String"))]
#[non_exhaustive]
pub enum ToolFormat {
    /// The more general setting decides.
    #[default]
    Auto,
    /// Tools go through the provider's API.
    Native,
    /// Tools go as text, in this dialect.
    Text(Dialect),
}

/// Result of [`Router::route`].
///
/// ```
/// use toolstream::{Dialect, model::Router};
///
/// let route = Router::default().route("vllm", "qwen3-coder-30b", None);
/// let known = route.text.expect("no native tools are known of");
/// assert_eq!((known.dialect, route.reason), (Dialect::QWEN3_CODER, "the model was trained on it"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Route {
    /// The dialect of the tools as text, with the facts about the model; `None`: the provider's own API. `start` is
    /// always the one of the model's family. So is the white space, if the dialect is the family's own.
    pub text: Option<ModelMatch>,
    /// The reason, in words, for a log: `the provider has tools of its own`.
    pub reason: &'static str,
}

const MODEL: &str = "the configuration says so of the model";
const PROVIDER: &str = "the configuration says so of the provider";
const DEFAULT: &str = "the configuration says so of everything";
const NATIVE: &str = "the provider has tools of its own";
const FAMILY: &str = "the model was trained on it";
const FALLBACK: &str = "nothing is known of the model, and any model can follow it";

/// Providers whose own API has tools for all of their models, by the beginning of their name.
const PROVIDERS: [&str; 6] = ["openai", "azure", "anthropic", "gemini", "google", "vertex"];

impl Router {
    /// Returns the route for a model of a provider. `native`: whether the provider has tool calls of its own for this
    /// model; `None`: its name decides (OpenAI, Anthropic and Google's Gemini have them).
    pub fn route(&self, provider: &str, model: &str, native: Option<bool>) -> Route {
        let (dialect, reason) = self.dialect(provider, model, native);
        let known = |dialect| match family_of(model) {
            Some(family) => family.as_match(&dialect),
            None => ModelMatch::unknown(dialect),
        };
        Route { text: dialect.map(known), reason }
    }

    /// Returns the dialect, or none for the provider's own tools, and the reason.
    fn dialect(
        &self,
        provider: &str,
        model: &str,
        native: Option<bool>,
    ) -> (Option<Dialect>, &'static str) {
        match self.setting_of(provider, model) {
            (ToolFormat::Native, reason) => return (None, reason),
            (ToolFormat::Text(dialect), reason) => return (Some(dialect.clone()), reason),
            (ToolFormat::Auto, _) => {}
        }
        if native.unwrap_or_else(|| has_native(provider)) {
            return (None, NATIVE);
        }
        match Dialect::for_model(model) {
            Some(found) => (Some(found.dialect), FAMILY),
            // Any model can follow it.
            None => (Some(Dialect::REACT), FALLBACK),
        }
    }

    /// Returns the format of the configuration: the more specific one counts, also if it is `auto`.
    fn setting_of(&self, provider: &str, model: &str) -> (&ToolFormat, &'static str) {
        let fits =
            self.models.iter().filter(|(pattern, _)| glob::matches_in_any_case(pattern, model));
        let model = fits.max_by_key(|(pattern, _)| pattern.replace('*', "").len());
        let mut providers = self.providers.iter();
        let provider = providers.find(|(name, _)| name.eq_ignore_ascii_case(provider));
        match (model, provider) {
            (Some((_, format)), _) => (format, MODEL),
            (None, Some((_, format))) => (format, PROVIDER),
            (None, None) => (&self.tool_format, DEFAULT),
        }
    }
}

fn has_native(provider: &str) -> bool {
    let provider = provider.to_lowercase();
    let known = |name: &str| {
        let rest = provider.strip_prefix(name);
        rest.is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
    };
    PROVIDERS.iter().any(|name| known(name))
}

impl FromStr for ToolFormat {
    type Err = BuildError;

    fn from_str(name: &str) -> Result<Self, BuildError> {
        Ok(match name {
            "auto" => ToolFormat::Auto,
            "native" => ToolFormat::Native,
            _ => ToolFormat::Text(Dialect::by_name(name).map_err(BuildError::of_tool_format)?),
        })
    }
}

impl TryFrom<String> for ToolFormat {
    type Error = BuildError;

    fn try_from(name: String) -> Result<Self, BuildError> {
        name.parse()
    }
}
