//! The agent's loop as a value: parser, guard, validator, hooks and limits, joined.
//!
//! The host does what has an outside (ask the model, run a tool, show text, ask the user), the
//! loop says which of them is next. It holds the conversation, reads the answers, checks the
//! calls, and answers mistakes of the model's with corrections. No clock, no I/O, no async.
//!
//! ```
//! use toolstream::policy::{ToolLoop, tool_loop::Step};
//! use toolstream::{Dialect, Event, Param, Parser, Tool};
//!
//! # fn model(messages: &[toolstream::policy::tool_loop::ChatMessage]) -> &'static [&'static str] {
//! #     match messages.len() {
//! #         2 => &["Thought: I look.\nAction: re", "ad\nAction Input: {\"path\": \"a.rs\"}\nObs"],
//! #         _ => &["Thought: I see.\nFinal Answer: It is", " empty."],
//! #     }
//! # }
//! let read = Tool::new("read").describe("Reads a file.").param(Param::required("path"));
//! let parser = Parser::builder(Dialect::REACT).tool(read).build()?;
//! let mut agent = ToolLoop::builder(parser).build()?;
//! agent.user("What is in a.rs?");
//! let answer = loop {
//!     match agent.step() {
//!         Step::CallModel { .. } => {
//!             for chunk in model(agent.messages()) {
//!                 for event in agent.chunk(chunk) {
//!                     if let Event::TextContent(text) = event { print!("{text}") }
//!                 }
//!                 if agent.answer_is_over() { break } // the rest does not count
//!             }
//!             // `cut_answer` after an error, or if the provider says that it was too long.
//!             for event in agent.end_of_answer() { /* the last of the text */ }
//!         }
//!         Step::RunTool(call) => agent.tool_result(std::fs::read_to_string(
//!             call.arguments()["path"].as_str().unwrap_or_default(), // checked by the hooks
//!         )),
//!         Step::AskUser(question) => agent.choice(question.options[0])?,
//!         Step::Done { answer } => break answer,
//!     }
//! };
//! assert_eq!(answer.unwrap(), "It is empty.");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What happens to an answer
//!
//! * **With calls that may run:** the validator looks at them, then each in order goes through the
//!   hooks and, unless they block it, to the host. All results go to the model in one user
//!   message, as the dialect writes them. Behind them stand the hooks' notes, and what was not
//!   run: a call above the tool limit, a call that was cut off.
//! * **Without:** the validator, then the guard decide: it is the answer ([`TextEnds`]), the model
//!   gets a correction, or the user is asked.
//! * **What was invented** (a tool's result, a step behind the answer) is neither run nor kept in
//!   the conversation. All else that the model said is kept as it was, its reasoning too.
//!
//! A request begins with [`ToolLoop::user`]. With it, and with every [`ToolLoop::choice`], all
//! counts begin again.
//!
//! # The texts
//!
//! | name | for |
//! |---|---|
//! | `surplus` | the model, behind the results: the tool limit was reached; `{reason}` |
//! | `not_run` | the model, behind the results: another call was cut off; `{tool}` |
//! | `go_on` | the model: the user chose to continue |
//! | `interrupted` | the model: the result of a call before which the user spoke |
//! | `iterations` | the user; `{count}` |
//! | `circles` | the user; `{tool}` |
//!
//! Those of guard, validator and hooks are theirs.
//!
//! # What it does not do
//!
//! It speaks the text dialects. A provider's native tool calls have messages of other shapes; read
//! them with [`native`](crate::native) and use guard, validator and hooks by themselves.

mod builder;
mod chat;
mod decide;
mod reading;
mod step;

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use super::config::{PolicyError, Result};
use super::hooks::{Call, Outcome, Running, ToolResult};
use super::{Guard, Hooks, Validator};
use crate::parser::Parser;
use crate::tape::Events;

pub use builder::{Builder, MAX_ITERATIONS, TextEnds};
pub use chat::{ChatMessage, Role};
pub use step::{About, Question, Step};

use builder::Config;
use chat::History;
use reading::Reading;

/// The loop of one conversation; see the [module](self). A clone is a snapshot, but for what its
/// hooks count, which clones share.
///
/// What is said out of turn (a tool's result where none is waited for) is ignored.
#[derive(Clone, Debug)]
pub struct ToolLoop {
    config: Arc<Config>,
    guard: Guard,
    validator: Option<Validator>,
    hooks: Hooks,
    model: Option<String>,
    history: History,
    /// What the user has said last.
    request: String,
    /// The tools that have succeeded since, each once.
    succeeded: Vec<String>,
    /// How often the model was asked since.
    iterations: usize,
    reading: Reading,
    outcomes: Vec<Outcome>,
    state: State,
}

#[derive(Clone, Debug)]
enum State {
    /// The model is to answer, or answers.
    Model {
        discard_visible_text: bool,
    },
    /// It has answered, and nobody has looked at it yet.
    Answered,
    /// A tool runs.
    Tool(Box<Waiting>),
    Asking(Question),
    Done {
        answer: Option<String>,
    },
}

/// A call whose tool runs, and the calls behind it.
#[derive(Clone, Debug)]
struct Waiting {
    running: Running,
    round: Round,
}

/// The calls of one answer.
#[derive(Clone, Debug, Default)]
struct Round {
    /// Those that are not done.
    calls: VecDeque<Call>,
    /// Those of the validator's, with their errors.
    blocked: BTreeMap<String, String>,
    /// What the model reads behind the results.
    notes: Vec<String>,
    /// What the user is asked afterwards.
    question: Option<Question>,
    /// What the end tool has said.
    answer: Option<String>,
}

impl ToolLoop {
    /// A builder for a loop whose model speaks this parser's dialect and has its tools.
    pub fn builder(parser: Parser) -> Builder {
        Builder::new(parser)
    }

    /// What to do next. It stays the same until it is done.
    pub fn step(&mut self) -> Step {
        self.settle();
        match &self.state {
            State::Model { discard_visible_text } => {
                Step::CallModel { discard_visible_text: *discard_visible_text }
            }
            State::Tool(waiting) => Step::RunTool(waiting.running.call().clone()),
            State::Asking(question) => Step::AskUser(question.clone()),
            State::Done { answer } => Step::Done { answer: answer.clone() },
            State::Answered => Step::Done { answer: None }, // settled above
        }
    }

    /// The conversation so far, for the model. The system prompt is the first of it; of a user's
    /// messages in a row there is one.
    pub fn messages(&self) -> &[ChatMessage] {
        self.history.messages()
    }

    /// Where the provider may stop the stream: [`Parser::stop_sequences`].
    pub fn stop_sequences(&self) -> Vec<&str> {
        self.config.parser.stop_sequences()
    }

    /// What came of the last answer's calls so far, in order: for a screen, the blocked ones, and
    /// what the hooks have to report.
    pub fn outcomes(&self) -> &[Outcome] {
        &self.outcomes
    }

    /// Which model answers, for a guard that knows models by name.
    pub fn set_model(&mut self, name: impl Into<String>) {
        self.model = Some(name.into());
    }

    /// The user says something: a request begins. Whatever was under way ends; calls that have no
    /// result yet get one that says so.
    pub fn user(&mut self, text: impl Into<String>) {
        self.settle();
        self.interrupt();
        self.request = text.into();
        self.succeeded.clear();
        self.forget();
        self.history.say(Role::User, self.request.clone());
        self.call_model(false);
    }

    /// The model says something. The events are for the screen; drop them, and nothing is lost.
    pub fn chunk<'a>(&'a mut self, text: &'a str) -> Events<'a> {
        self.reading.feed(text)
    }

    /// Whether the host should stop reading: a surplus call began, or the model invents a tool's
    /// result. What still comes does not count.
    pub fn answer_is_over(&self) -> bool {
        self.reading.is_over()
    }

    /// The model has ended its answer. The events are the last ones for the screen.
    ///
    /// Only for an answer that came whole; every other one ends with [`ToolLoop::cut_answer`], also
    /// after an error of the connection.
    pub fn end_of_answer(&mut self) -> Events<'_> {
        self.end(false)
    }

    /// The answer was cut: the connection was lost, or the provider says that it was too long
    /// (finish reason `length`). A call that only the end of the stream would end does not run
    /// ([`Parser::finish_cut`]).
    ///
    /// Where the answer was over before ([`ToolLoop::answer_is_over`]) both endings are the same.
    pub fn cut_answer(&mut self) -> Events<'_> {
        self.end(true)
    }

    /// What the tool gave. A `Result` will do: its error is an error for the model.
    pub fn tool_result(&mut self, result: impl Into<ToolResult>) {
        match std::mem::replace(&mut self.state, State::Done { answer: None }) {
            State::Tool(waiting) => {
                let Waiting { running, mut round } = *waiting;
                let outcome = self.hooks.after(running, result.into());
                self.take(outcome, &mut round);
                self.next_call(round);
            }
            other => self.state = other,
        }
    }

    /// What the user has chosen of [`Question::options`]. After `continue` and `switch_model` the
    /// model goes on, after the others the user has the word.
    ///
    /// # Errors
    /// [`PolicyError::NotOffered`]; then nothing changes.
    pub fn choice(&mut self, choice: &str) -> Result<()> {
        self.settle();
        let State::Asking(question) = &self.state else { return Ok(()) };
        let offered = question.options;
        if !offered.contains(&choice) {
            return Err(PolicyError::NotOffered { choice: choice.to_string(), offered });
        }
        self.forget();
        if !Question::goes_on(choice) {
            self.state = State::Done { answer: None };
            return Ok(());
        }
        if self.history.model_was_last() {
            self.history.say(Role::User, self.config.text("go_on", &[]));
        }
        self.call_model(false);
        Ok(())
    }

    fn end(&mut self, cut: bool) -> Events<'_> {
        if let State::Model { .. } = self.state {
            self.state = State::Answered;
        }
        self.reading.finish(cut)
    }

    /// Looks at an answer that is there.
    fn settle(&mut self) {
        if let State::Answered = self.state {
            let fresh = Reading::over(self.config.parser.clone());
            let reading = std::mem::replace(&mut self.reading, fresh);
            self.decide(&reading);
        }
    }

    /// All counts begin again.
    fn forget(&mut self) {
        let conversation = &self.config.conversation;
        self.iterations = 0;
        self.guard.reset();
        self.hooks.forget(conversation);
        if let Some(validator) = &mut self.validator {
            validator.forget(conversation);
        }
    }

    /// Ends what is under way.
    fn interrupt(&mut self) {
        match std::mem::replace(&mut self.state, State::Done { answer: None }) {
            State::Model { .. } => {
                self.history.say(Role::Assistant, self.reading.said().to_string());
            }
            State::Tool(waiting) => {
                let Waiting { running, mut round } = *waiting;
                let rest = std::mem::take(&mut round.calls);
                for call in std::iter::once(running.call().clone()).chain(rest) {
                    let result = ToolResult::error(self.config.text("interrupted", &[]));
                    self.outcomes.push(Outcome { call, result, report: Default::default() });
                }
                self.send_results(&round);
            }
            _ => {}
        }
    }
}
