//! How a loop is built: options, texts and their defaults.

use serde::Deserialize;

use super::chat::ChatMessage;
use crate::policy::{Guard, Hooks, Validator};

/// When a text without a call ends the task.
///
/// Whatever is chosen, a dialect's own answer marker (ReAct's `Final Answer:`) ends it, and a
/// [`Validator`] that misses a tool keeps it from ending.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TextEnds {
    /// Always: the model may answer without any tool.
    Always,
    /// Once the request has what it needs: one of the tools that the validator demands, if it
    /// demands any; without a validator any tool that has succeeded. The default of the dialects
    /// that have no answer marker.
    AfterTool,
    /// Never; the default of dialects with an answer marker, and with [`LoopConfig::end_tool`].
    Never,
}

/// What a [`ToolLoop`](super::ToolLoop) is built from, beside its parser.
#[derive(Clone, Debug)]
pub struct LoopConfig {
    /// What the system prompt says before the tools; default: nothing.
    pub instructions: String,
    /// The guard; default: [`Guard::default`].
    pub guard: Guard,
    /// The validator; default: none.
    pub validator: Option<Validator>,
    /// The hooks; default: [`Hooks::standard`] with the parser's tools and those that the
    /// validator blocks. (They cut results at 20000 characters.)
    pub hooks: Option<Hooks>,
    /// After how many answers to one request the user is asked; default 25.
    pub max_iterations: usize,
    /// When a text ends the task; default: what suits the dialect, see [`TextEnds`].
    pub text_ends: Option<TextEnds>,
    /// A tool that ends the task: its result, if it is no error, is the answer.
    pub end_tool: Option<String>,
    /// The conversation's name for validator and hooks, which count by it; default: one without a
    /// name.
    pub conversation: String,
    /// A conversation to go on with, from elsewhere; default: none. A system message in it is left
    /// out: the loop writes its own.
    pub history: Vec<ChatMessage>,
    /// The texts.
    pub messages: LoopTexts,
}

/// What the loop says. Those of guard, validator and hooks are theirs.
///
/// In a [`LoopConfig`].
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LoopTexts {
    /// For the model, after the results: the tool limit was reached; `{reason}`.
    pub surplus: String,
    /// For the model, after the results: another call was cut off; `{tool}`.
    pub not_run: String,
    /// For the model: the user chose to continue.
    pub go_on: String,
    /// For the model: the result of a call before which the user spoke.
    pub interrupted: String,
    /// For the user: the model was asked too often; `{count}`.
    pub iterations: String,
    /// For the user: the model makes the same call again and again; `{tool}`.
    pub circles: String,
}

impl Default for LoopConfig {
    fn default() -> Self {
        LoopConfig {
            instructions: String::new(),
            guard: Guard::default(),
            validator: None,
            hooks: None,
            max_iterations: 25,
            text_ends: None,
            end_tool: None,
            conversation: String::new(),
            history: Vec::new(),
            messages: LoopTexts::default(),
        }
    }
}

impl Default for LoopTexts {
    fn default() -> Self {
        LoopTexts {
            surplus: "{reason}. What you wrote behind it was not run: send it again if it is \
                still needed. (Automatic message: do not answer it.)"
                .into(),
            not_run: "The call of '{tool}' was cut off or could not be read, so it was not run: \
                send it again if it is still needed. (Automatic message: do not answer it.)"
                .into(),
            go_on: "Go on with the task: call a tool, or end it in the way your instructions \
                give. (Automatic message: do not answer it.)"
                .into(),
            interrupted: "The call was not run: the user has said something else.".into(),
            iterations: "The model has answered {count} times and is not done. Choose how to go \
                on: continue, or stop."
                .into(),
            circles: "The model makes the same call of '{tool}' again and again. Choose how to \
                go on: continue, or stop."
                .into(),
        }
    }
}
