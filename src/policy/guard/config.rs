//! How a guard is built: options, texts and their defaults.

use serde::Deserialize;

use crate::glob;

/// What a [`Guard`](super::Guard) is built from. `GuardConfig { mistake_limit: 2,
/// ..GuardConfig::default() }`, or JSON with these keys; what is absent keeps its default.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GuardConfig {
    /// Whether it looks at all; default `true`. Switched off it accepts every text.
    pub enabled: bool,
    /// At which mistake in a row the user is asked; default 3, that is, after two corrections.
    pub mistake_limit: usize,
    /// The texts.
    pub messages: GuardTexts,
    /// Models for which it is switched on or off; the first that fits decides, over `enabled`.
    pub models: Vec<ModelSwitch>,
    /// What ends a row of mistakes; default: success.
    pub reset_on: ResetOn,
    /// Whether a tool's failure is a mistake, too; default `false`.
    pub count_tool_errors: bool,
}

/// `{"match": "deepseek*", "enabled": true}`
///
/// In a [`GuardConfig`].
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ModelSwitch {
    /// The model's name, in which `*` is any characters and case does not count; `match` in JSON.
    #[serde(rename = "match")]
    pub pattern: String,
    /// Whether the guard looks at its turns.
    pub enabled: bool,
}

impl ModelSwitch {
    /// Switches the guard on or off for the models whose name fits.
    pub fn new(pattern: impl Into<String>, enabled: bool) -> Self {
        ModelSwitch { pattern: pattern.into(), enabled }
    }
}

/// What ends a row of mistakes.
///
/// In a [`GuardConfig`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ResetOn {
    /// A tool's success.
    #[default]
    Success,
    /// The call itself, too: for hosts that do not report results.
    Use,
}

/// What the guard says. In each text `{tool}` is the first call that cannot be read (nothing, if
/// there is none), `{detail}` what was wrong with it, `{count}` the number of mistakes in a row,
/// `{limit}` the limit.
///
/// In a [`GuardConfig`].
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GuardTexts {
    /// For the model: text and no call.
    pub no_tools_used: String,
    /// For the model: no text and no call.
    pub empty_response: String,
    /// For the model: a call that cannot be read.
    pub malformed_tool_call: String,
    /// For the model: cut off inside a call.
    pub truncated_call: String,
    /// For the model: cut off elsewhere.
    pub truncated_text: String,
    /// For the user.
    pub escalate: String,
}

impl Default for GuardConfig {
    fn default() -> Self {
        GuardConfig {
            enabled: true,
            mistake_limit: 3,
            messages: GuardTexts::default(),
            models: Vec::new(),
            reset_on: ResetOn::default(),
            count_tool_errors: false,
        }
    }
}

impl GuardConfig {
    /// Whether it looks at the turns of this model.
    pub(super) fn guards(&self, model: Option<&str>) -> bool {
        let fits = |switch: &&ModelSwitch| {
            model.is_some_and(|model| glob::matches_in_any_case(&switch.pattern, model))
        };
        self.models.iter().find(fits).map_or(self.enabled, |switch| switch.enabled)
    }
}

impl Default for GuardTexts {
    fn default() -> Self {
        GuardTexts {
            no_tools_used: "Your last reply did not use any tool. If the task is not finished, \
                call one tool now; do not describe the step, do it. If it is finished, end it in \
                the way your instructions give. (Automatic message: do not answer it.)"
                .into(),
            empty_response: "Your last reply was empty. Continue with the task: call one tool, or \
                end the task in the way your instructions give. (Automatic message: do not answer \
                it.)"
                .into(),
            malformed_tool_call: "Your last reply contained a tool call that could not be read: \
                {detail}. Send the whole call again in the required format. (Automatic message: \
                do not answer it.)"
                .into(),
            truncated_call: "Your last reply was cut off inside the call of '{tool}', so nothing \
                was run. Send the call again; if it is long, split the work into smaller calls. \
                (Automatic message: do not answer it.)"
                .into(),
            truncated_text: "Your last reply was cut off before it was complete. Continue, and \
                keep each reply shorter. (Automatic message: do not answer it.)"
                .into(),
            escalate: "The model failed {count} times in a row to use a tool. Choose how to go \
                on: continue, switch the model, or adjust the instructions."
                .into(),
        }
    }
}
