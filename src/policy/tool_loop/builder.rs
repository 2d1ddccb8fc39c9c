//! How a loop is built: options, texts and their defaults.

use std::fmt::Display;
use std::sync::Arc;

use super::chat::History;
use super::reading::Reading;
use super::{State, ToolLoop};
use crate::parser::Parser;
use crate::policy::config::{PolicyError, Result, at_least_one};
use crate::policy::texts::Texts;
use crate::policy::{Guard, Hooks, Validator};

/// When a text without a call ends the task.
///
/// Whatever is chosen, a dialect's own answer marker (ReAct's `Final Answer:`) ends it, and a
/// [`Validator`] that misses a tool keeps it from ending.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TextEnds {
    /// Always: the model may answer without any tool.
    Always,
    /// Once the request has what it needs: one of the tools that the validator demands, if it
    /// demands any; without a validator any tool that has succeeded. The default of the dialects
    /// that have no answer marker.
    AfterTool,
    /// Never; the default of dialects with an answer marker, and with [`Builder::end_tool`].
    Never,
}

/// What a [`ToolLoop`] is built from.
#[derive(Clone, Debug)]
pub struct Builder {
    parser: Parser,
    instructions: String,
    guard: Guard,
    validator: Option<Validator>,
    hooks: Option<Hooks>,
    max_iterations: usize,
    text_ends: Option<TextEnds>,
    end_tool: Option<String>,
    conversation: String,
    messages: Vec<(String, String)>,
}

/// How many answers a request may take, if nobody says otherwise.
pub const MAX_ITERATIONS: usize = 25;

impl Builder {
    pub(super) fn new(parser: Parser) -> Builder {
        Builder {
            parser,
            instructions: String::new(),
            guard: Guard::default(),
            validator: None,
            hooks: None,
            max_iterations: MAX_ITERATIONS,
            text_ends: None,
            end_tool: None,
            conversation: String::new(),
            messages: Vec::new(),
        }
    }

    /// What the system prompt says before the tools; default: nothing.
    #[must_use]
    pub fn instructions(mut self, text: impl Into<String>) -> Self {
        self.instructions = text.into();
        self
    }

    /// The guard; default: [`Guard::default`].
    #[must_use]
    pub fn guard(mut self, guard: Guard) -> Self {
        self.guard = guard;
        self
    }

    /// The validator; default: none.
    #[must_use]
    pub fn validator(mut self, validator: Validator) -> Self {
        self.validator = Some(validator);
        self
    }

    /// The hooks; default: [`Hooks::standard`] with the parser's tools and those that the
    /// validator blocks.
    #[must_use]
    pub fn hooks(mut self, hooks: Hooks) -> Self {
        self.hooks = Some(hooks);
        self
    }

    /// After how many answers to one request the user is asked; default [`MAX_ITERATIONS`].
    #[must_use]
    pub fn max_iterations(mut self, answers: usize) -> Self {
        self.max_iterations = answers;
        self
    }

    /// When a text ends the task; default: what suits the dialect, see [`TextEnds`].
    #[must_use]
    pub fn text_ends(mut self, when: TextEnds) -> Self {
        self.text_ends = Some(when);
        self
    }

    /// A tool that ends the task: its result, if it is no error, is the answer.
    #[must_use]
    pub fn end_tool(mut self, name: impl Into<String>) -> Self {
        self.end_tool = Some(name.into());
        self
    }

    /// The conversation's name for validator and hooks, which count by it; default: one without a
    /// name.
    #[must_use]
    pub fn conversation(mut self, name: impl Into<String>) -> Self {
        self.conversation = name.into();
        self
    }

    /// A text in place of the default of this name. The names stand at the
    /// [module](super#the-texts).
    #[must_use]
    pub fn message(mut self, name: impl Into<String>, text: impl Into<String>) -> Self {
        self.messages.push((name.into(), text.into()));
        self
    }

    /// The loop, before the first request.
    ///
    /// # Errors
    /// A limit of 0, a text of an unknown name, an end tool that the parser does not declare.
    pub fn build(self) -> Result<ToolLoop> {
        at_least_one("max_iterations", self.max_iterations)?;
        let mut texts = Texts::new(TEXTS);
        texts.replace(self.messages)?;
        let mut parser = self.parser;
        parser.reset();
        let tables = Arc::clone(parser.tables());
        if let Some(name) = self.end_tool.as_ref() {
            if !tables.tools.iter().any(|tool| tool.name == *name) {
                let reason = format!("the end tool `{name}` is not among them");
                return Err(PolicyError::Tools { reason });
            }
        }
        let hooks = self.hooks.map_or_else(
            || {
                let blocked = self.validator.as_ref().map_or(&[][..], Validator::blocked_tools);
                Hooks::standard(tables.tools.clone(), blocked)
            },
            Ok,
        )?;
        let marked = tables.grammar.lines_part.is_some() || self.end_tool.is_some();
        let suits = if marked { TextEnds::Never } else { TextEnds::AfterTool };
        let prompt = [self.instructions, parser.system_prompt()];
        let prompt: Vec<_> = prompt.into_iter().filter(|part| !part.trim().is_empty()).collect();
        Ok(ToolLoop {
            history: History::new(prompt.join("\n\n")),
            reading: Reading::over(parser.clone()),
            guard: self.guard,
            validator: self.validator,
            hooks,
            model: None,
            request: String::new(),
            succeeded: Vec::new(),
            iterations: 0,
            outcomes: Vec::new(),
            state: State::Done { answer: None },
            config: Arc::new(Config {
                parser,
                max_iterations: self.max_iterations,
                text_ends: self.text_ends.unwrap_or(suits),
                end_tool: self.end_tool,
                conversation: self.conversation,
                texts,
            }),
        })
    }
}

/// What does not change.
#[derive(Debug)]
pub(super) struct Config {
    /// A fresh one.
    pub parser: Parser,
    pub max_iterations: usize,
    pub text_ends: TextEnds,
    pub end_tool: Option<String>,
    pub conversation: String,
    texts: Texts,
}

impl Config {
    pub fn text(&self, name: &str, values: &[(&str, &dyn Display)]) -> String {
        self.texts.fill(name, values)
    }
}

const TEXTS: &[(&str, &str)] = &[
    (
        "surplus",
        "{reason}. What you wrote behind it was not run: send it again if it is still needed. \
         (Automatic message: do not answer it.)",
    ),
    (
        "not_run",
        "The call of '{tool}' was cut off or could not be read, so it was not run: send it again \
         if it is still needed. (Automatic message: do not answer it.)",
    ),
    (
        "go_on",
        "Go on with the task: call a tool, or end it in the way your instructions give. \
         (Automatic message: do not answer it.)",
    ),
    ("interrupted", "The call was not run: the user has said something else."),
    (
        "iterations",
        "The model has answered {count} times and is not done. Choose how to go on: continue, or \
         stop.",
    ),
    (
        "circles",
        "The model makes the same call of '{tool}' again and again. Choose how to go on: \
         continue, or stop.",
    ),
];
