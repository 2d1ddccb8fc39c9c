//! How a loop is built: options, texts and their defaults.

use serde::Deserialize;

use crate::policy::config::{AtLeastOne, options, texts};
use crate::policy::guard::GuardConfig;
use crate::policy::validator::ValidatorConfig;

options!(LoopConfig {
    instructions: String = String::new(),
    calls: Option<Calls> = None,
    guard: GuardConfig = GuardConfig::default(),
    validator: Option<ValidatorConfig> = None,
    max_iterations: AtLeastOne = AtLeastOne(25),
    text_ends: Option<TextEnds> = None,
    end_tool: Option<String> = None,
    messages: LoopTexts = LoopTexts::default(),
});

/// The form of calls and results in the conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(in crate::policy) enum Calls {
    Text,
    Native,
}

/// The condition under which a text without a call ends the task.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(in crate::policy) enum TextEnds {
    Always,
    /// Once the request has the tools that it needs.
    AfterTool,
    Never,
}

texts!(LoopTexts {
    surplus: "{reason}. What you wrote after it was not run: send it again if it is still \
        needed. (Automatic message: do not answer it.)",
    not_run: "The call of '{tool}' was cut off or could not be read, so it was not run: send it \
        again if it is still needed. (Automatic message: do not answer it.)",
    go_on: "Go on with the task: call a tool, or end it in the way your instructions give. \
        (Automatic message: do not answer it.)",
    interrupted: "The call was not run: the user has said something else.",
    iterations: "The model has answered {count} times and is not done. Choose how to go on: \
        continue, or stop.",
    circles: "The model makes the same call of '{tool}' again and again. Choose how to go on: \
        continue, or stop.",
});
