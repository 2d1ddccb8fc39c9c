//! How a guard is built: options, texts and their defaults.

use serde_json::Value;

use super::Guard;
use crate::policy::config::{Fields, Result, at_least_one};
use crate::policy::glob;
use crate::policy::texts::Texts;

/// What ends a row of mistakes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ResetOn {
    /// A tool's success.
    #[default]
    Success,
    /// The call itself, too: for hosts that do not report results.
    Use,
}

/// What a [`Guard`] is built from.
#[derive(Clone, Debug)]
pub struct Builder {
    pub(super) enabled: bool,
    pub(super) mistake_limit: usize,
    messages: Vec<(String, String)>,
    models: Vec<(String, bool)>,
    pub(super) reset_on: ResetOn,
    pub(super) count_tool_errors: bool,
}

impl Default for Config {
    fn default() -> Self {
        Config { options: Builder::default(), texts: Texts::new(TEXTS) }
    }
}

impl Default for Builder {
    fn default() -> Self {
        Builder {
            enabled: true,
            mistake_limit: 3,
            messages: Vec::new(),
            models: Vec::new(),
            reset_on: ResetOn::default(),
            count_tool_errors: false,
        }
    }
}

impl Builder {
    /// Whether it looks at all; default `true`. Switched off it accepts every text.
    #[must_use]
    pub fn enabled(mut self, enabled: bool) -> Self {
        self.enabled = enabled;
        self
    }

    /// At which mistake in a row the user is asked; default 3, that is, after two corrections.
    #[must_use]
    pub fn mistake_limit(mut self, limit: usize) -> Self {
        self.mistake_limit = limit;
        self
    }

    /// A text in place of the default of this name.
    #[must_use]
    pub fn message(mut self, name: impl Into<String>, text: impl Into<String>) -> Self {
        self.messages.push((name.into(), text.into()));
        self
    }

    /// Switches it on or off for models of this name, in which `*` is any characters and case does
    /// not count. The first that fits decides, over [`enabled`](Builder::enabled).
    #[must_use]
    pub fn model(mut self, name: impl AsRef<str>, enabled: bool) -> Self {
        self.models.push((name.as_ref().to_lowercase(), enabled));
        self
    }

    /// What ends a row of mistakes; default: success.
    #[must_use]
    pub fn reset_on(mut self, reset_on: ResetOn) -> Self {
        self.reset_on = reset_on;
        self
    }

    /// Whether a tool's failure is a mistake, too; default `false`.
    #[must_use]
    pub fn count_tool_errors(mut self, count: bool) -> Self {
        self.count_tool_errors = count;
        self
    }

    /// The guard.
    ///
    /// # Errors
    /// A limit of 0, a text of an unknown name.
    pub fn build(mut self) -> Result<Guard> {
        at_least_one("mistake_limit", self.mistake_limit)?;
        let mut texts = Texts::new(TEXTS);
        texts.replace(std::mem::take(&mut self.messages))?;
        Ok(Guard::new(Config { options: self, texts }))
    }

    pub(super) fn from_json(config: &Value) -> Result<Builder> {
        let keys =
            &["enabled", "mistake_limit", "messages", "models", "reset_on", "count_tool_errors"];
        let fields = Fields::of(config, "config", keys)?;
        let default = Builder::default();
        let reset_on = [("success", ResetOn::Success), ("use", ResetOn::Use)];
        let mut builder = Builder {
            enabled: fields.bool("enabled")?.unwrap_or(default.enabled),
            mistake_limit: fields.number("mistake_limit")?.unwrap_or(default.mistake_limit),
            messages: fields.messages()?,
            models: Vec::new(),
            reset_on: fields.choice("reset_on", &reset_on)?.unwrap_or_default(),
            count_tool_errors: fields.bool("count_tool_errors")?.unwrap_or_default(),
        };
        for (at, model) in fields.list("models")?.iter().enumerate() {
            let model = Fields::of(model, format!("models[{at}]"), &["match", "enabled"])?;
            let name = model.required("match", model.text("match")?)?;
            builder = builder.model(name, model.required("enabled", model.bool("enabled")?)?);
        }
        Ok(builder)
    }
}

/// What the guards of all conversations share.
#[derive(Debug)]
pub(super) struct Config {
    pub options: Builder,
    pub texts: Texts,
}

impl Config {
    /// Whether it looks at the turns of this model.
    pub fn guards(&self, model: Option<&str>) -> bool {
        let Builder { models, enabled, .. } = &self.options;
        let Some(model) = model.filter(|_| !models.is_empty()) else { return *enabled };
        let model = model.to_lowercase();
        let decides = models.iter().find(|(pattern, _)| glob::matches(pattern, &model));
        decides.map_or(*enabled, |(_, enabled)| *enabled)
    }
}

const TEXTS: &[(&str, &str)] = &[
    (
        "no_tools_used",
        "Your last reply did not use any tool. If the task is not finished, call one tool now; do \
         not describe the step, do it. If it is finished, end it in the way your instructions \
         give. (Automatic message: do not answer it.)",
    ),
    (
        "empty_response",
        "Your last reply was empty. Continue with the task: call one tool, or end the task in the \
         way your instructions give. (Automatic message: do not answer it.)",
    ),
    (
        "malformed_tool_call",
        "Your last reply contained a tool call that could not be read: {detail}. Send the whole \
         call again in the required format. (Automatic message: do not answer it.)",
    ),
    (
        "truncated_call",
        "Your last reply was cut off inside the call of '{tool}', so nothing was run. Send the \
         call again; if it is long, split the work into smaller calls. (Automatic message: do not \
         answer it.)",
    ),
    (
        "truncated_text",
        "Your last reply was cut off before it was complete. Continue, and keep each reply \
         shorter. (Automatic message: do not answer it.)",
    ),
    (
        "escalate",
        "The model failed {count} times in a row to use a tool. Choose how to go on: continue, \
         switch the model, or adjust the instructions.",
    ),
];
