//! The agent's loop as a value: parser, guard, validator, hooks and limits, joined.
//!
//! The host does what has an outside (ask the model, run a tool, show text, ask the user), the
//! loop says which of them is next. It holds the conversation, reads the answers, checks the
//! calls, and answers mistakes of the model's with corrections. No clock, no I/O, no async.
//!
//! ```
//! use toolstream::policy::ToolLoop;
//! use toolstream::policy::tool_loop::{LoopConfig, Step};
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
//! let mut agent = ToolLoop::new(parser, LoopConfig::default())?;
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
//!         Step::RunTools(calls) => {
//!             for pending in calls {
//!                 let path = &pending.call.arguments()["path"]; // checked by the hooks
//!                 let text = std::fs::read_to_string(path.as_str().unwrap_or_default());
//!                 agent.tool_result(pending.id, text)?;
//!             }
//!         }
//!         Step::AskUser(question) => agent.choice(question.options()[0])?,
//!         Step::Done { answer } => break answer,
//!         _ => {} // a call was blocked: for the screen
//!     }
//! };
//! assert_eq!(answer.unwrap(), "It is empty.");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What happens to an answer
//!
//! * **With calls that may run:** the validator looks at them, then all go through the hooks and,
//!   unless they block them, to the host, which may run them at once. When each has its result, all
//!   results go to the model in one user message, in the order of the calls, as the dialect writes
//!   them. After them stand the hooks' notes, and what was not run: a call above the tool limit, a
//!   call that was cut off.
//! * **Without:** the validator, then the guard decide: it is the answer ([`TextEnds`]), the model
//!   gets a correction, or the user is asked.
//! * **What was invented** (a tool's result, a step after the answer) is neither run nor kept in
//!   the conversation. All else that the model said is kept as it was, its reasoning too.
//!
//! A request begins with [`ToolLoop::user`]. With it, and with every [`ToolLoop::choice`], all
//! counts begin again.
//!
//! # The conversation
//!
//! [`ToolLoop::snapshot`] and [`ToolLoop::restore`] carry a loop over a restart;
//! [`LoopConfig::history`] takes up a conversation from elsewhere; [`ToolLoop::edit_history`] trims
//! it. The system prompt is the loop's own.
//!
//! # What it does not do
//!
//! It speaks the text dialects. A provider's native tool calls have messages of other shapes; read
//! them with [`native`](crate::native) and use guard, validator and hooks by themselves.

mod chat;
mod config;
mod decide;
mod step;

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::config::{PolicyError, Result, at_least_one, restore};
use super::hooks::{Outcome, Report, Running};
use super::{Choice, Guard, Hooks, Question, Validator};
use crate::message::Message;
use crate::message::reply::Reply;
use crate::parser::Parser;
use crate::parser::tape::Events;
use crate::write::ToolResult;

pub use chat::{ChatMessage, Role};
pub use config::{LoopConfig, LoopTexts, TextEnds};
pub use step::{CallId, PendingCall, Step};

use chat::ChatHistory;

/// The loop of one conversation; see the [module](self). A clone is a snapshot, but for what its
/// hooks count, which clones share.
///
/// What is said out of turn (a chunk where no answer is waited for) is ignored.
#[derive(Clone)]
pub struct ToolLoop {
    config: Arc<Config>,
    guard: Guard,
    validator: Option<Validator>,
    hooks: Hooks,
    memory: Memory,
    /// The answer that comes in.
    reply: Reply,
    last: Option<Message>,
}

/// What does not change.
#[derive(Debug)]
struct Config {
    /// A fresh one.
    parser: Parser,
    max_iterations: usize,
    text_ends: TextEnds,
    end_tool: Option<String>,
    conversation: String,
    messages: LoopTexts,
}

/// What is stored, beside what guard and validator store.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Memory {
    history: ChatHistory,
    model: Option<String>,
    /// What the user has said last.
    request: String,
    /// The tools that have succeeded since, each once.
    succeeded: Vec<String>,
    /// How often the model was asked since.
    iterations: usize,
    /// The number of the next call.
    next_call: u64,
    /// What came of the last answer's calls.
    outcomes: Vec<Outcome>,
    /// Calls that were blocked, of which the host has not heard.
    blocked: VecDeque<Outcome>,
    state: State,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum State {
    /// The model is to answer, or answers.
    Model { discard_visible_text: bool },
    /// It has answered, and nobody has looked at it yet.
    Answered,
    /// Tools run.
    Tools(Round),
    /// The user is asked.
    Asking(Question),
    /// The user has the word.
    Done { answer: Option<String> },
}

/// The calls of one answer.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Round {
    calls: Vec<(CallId, Progress)>,
    /// What the model reads after the results.
    notes: Vec<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Progress {
    Runs(Running),
    Done(Outcome),
}

impl ToolLoop {
    /// A loop before the first request, whose model speaks this parser's dialect and has its tools.
    ///
    /// # Errors
    /// A limit of 0, an end tool that the parser does not declare.
    pub fn new(mut parser: Parser, config: LoopConfig) -> Result<ToolLoop> {
        at_least_one("max_iterations", config.max_iterations)?;
        parser.reset();
        let tables = Arc::clone(parser.tables());
        if let Some(name) = config.end_tool.as_ref() {
            if !tables.tools.iter().any(|tool| tool.name == *name) {
                let what = format!("there is no tool `{name}`: declare it to the parser");
                return Err(PolicyError::config("end_tool", what));
            }
        }
        let blocked = config.validator.as_ref().map_or(&[][..], Validator::blocked_tools);
        let hooks = match config.hooks {
            Some(hooks) => hooks,
            None => Hooks::standard(tables.tools.clone(), blocked)?,
        };
        let marked = tables.grammar.lines_part.is_some() || config.end_tool.is_some();
        let suits = if marked { TextEnds::Never } else { TextEnds::AfterTool };
        let prompt = [config.instructions, parser.system_prompt()];
        let prompt: Vec<_> = prompt.into_iter().filter(|part| !part.trim().is_empty()).collect();
        let memory = Memory {
            history: ChatHistory::new(Some(&prompt.join("\n\n")), config.history),
            model: None,
            request: String::new(),
            succeeded: Vec::new(),
            iterations: 0,
            next_call: 0,
            outcomes: Vec::new(),
            blocked: VecDeque::new(),
            state: State::Done { answer: None },
        };
        Ok(ToolLoop {
            guard: config.guard,
            validator: config.validator,
            hooks,
            memory,
            reply: no_reply(&parser),
            last: None,
            config: Arc::new(Config {
                parser,
                max_iterations: config.max_iterations,
                text_ends: config.text_ends.unwrap_or(suits),
                end_tool: config.end_tool,
                conversation: config.conversation,
                messages: config.messages,
            }),
        })
    }

    /// What to do next. It stays the same until it is done; a blocked call alone is said once.
    pub fn step(&mut self) -> Step {
        self.settle();
        if let Some(outcome) = self.memory.blocked.pop_front() {
            return Step::Blocked(Box::new(outcome));
        }
        match &self.memory.state {
            State::Model { discard_visible_text } => {
                Step::CallModel { discard_visible_text: *discard_visible_text }
            }
            State::Tools(round) => Step::RunTools(round.pending()),
            State::Asking(question) => Step::AskUser(question.clone()),
            State::Done { answer } => Step::Done { answer: answer.clone() },
            State::Answered => Step::Done { answer: None }, // settled above
        }
    }

    /// The conversation so far, for the model. The system prompt is the first of it; of a user's
    /// messages in a row there is one.
    pub fn messages(&self) -> &[ChatMessage] {
        self.memory.history.messages()
    }

    /// Changes the conversation, to shorten it for example. The system prompt is not in it.
    pub fn edit_history(&mut self, edit: impl FnOnce(&mut Vec<ChatMessage>)) {
        self.settle();
        let system = self.memory.history.system().map(String::from);
        let mut messages = self.messages().to_vec();
        messages.retain(|message| message.role != Role::System);
        edit(&mut messages);
        self.memory.history = ChatHistory::new(system.as_deref(), messages);
    }

    /// All that the loop knows of the conversation as JSON, to be stored: its messages, its counts,
    /// and what it waits for. Not in it: the configuration, what hooks count, and the text of an
    /// answer that is still coming in.
    pub fn snapshot(&mut self) -> Value {
        self.settle();
        let validator = self.validator.as_ref().map(Validator::snapshot);
        json!({"loop": self.memory, "guard": self.guard.snapshot(), "validator": validator})
    }

    /// Takes up a stored conversation. An answer that was coming in is asked for again, tools that
    /// ran are to run again. The system prompt stays this loop's own.
    ///
    /// ```
    /// use toolstream::policy::ToolLoop;
    /// use toolstream::policy::tool_loop::{LoopConfig, Step};
    /// use toolstream::{Dialect, Parser, Tool};
    ///
    /// let parser = Parser::builder(Dialect::HERMES).tool(Tool::new("list")).build()?;
    /// let agent = || ToolLoop::new(parser.clone(), LoopConfig::default());
    /// let mut before = agent()?;
    /// before.user("What is here?");
    /// let stored = before.snapshot().to_string();
    ///
    /// let mut after = agent()?;
    /// after.restore(&serde_json::from_str(&stored)?)?;
    /// assert_eq!(after.step(), Step::CallModel { discard_visible_text: false });
    /// assert_eq!(after.messages(), before.messages());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`PolicyError::Snapshot`] if it is no state of a loop; then nothing changes.
    pub fn restore(&mut self, snapshot: &Value) -> Result<()> {
        let mut memory: Memory = restore(&snapshot["loop"])?;
        let (mut guard, mut validator) = (self.guard.clone(), self.validator.clone());
        guard.restore(&snapshot["guard"])?;
        // The conversation may come from a loop without a validator.
        if let Some(validator) = validator.as_mut().filter(|_| !snapshot["validator"].is_null()) {
            validator.restore(&snapshot["validator"])?;
        }
        let messages = memory.history.messages().to_vec();
        memory.history = ChatHistory::new(self.memory.history.system(), messages);
        self.reply = match memory.state {
            State::Model { .. } => self.config.parser.reply(),
            _ => no_reply(&self.config.parser),
        };
        (self.memory, self.guard, self.validator) = (memory, guard, validator);
        self.last = None;
        Ok(())
    }

    /// Where the provider may stop the stream: [`Parser::stop_sequences`].
    pub fn stop_sequences(&self) -> Vec<&str> {
        self.config.parser.stop_sequences()
    }

    /// The model's last whole answer, for logs: its diagnostics, where its calls stood. None before the
    /// first one, and after [`restore`](ToolLoop::restore).
    pub fn last_message(&self) -> Option<&Message> {
        self.last.as_ref()
    }

    /// What came of the calls of the last answer that had some, in their order: results, and what
    /// the hooks have to report. While tools run there are none.
    pub fn outcomes(&self) -> &[Outcome] {
        &self.memory.outcomes
    }

    /// Which model answers, for a guard that knows models by name.
    pub fn set_model(&mut self, name: impl Into<String>) {
        self.memory.model = Some(name.into());
    }

    /// The user says something: a request begins. Whatever was under way ends; calls that have no
    /// result yet get one that says so.
    pub fn user(&mut self, text: impl Into<String>) {
        self.settle();
        self.interrupt();
        self.memory.request = text.into();
        self.memory.succeeded.clear();
        self.forget();
        self.memory.history.say(Role::User, self.memory.request.clone());
        self.call_model(false);
    }

    /// The model says something. The events are for the screen; drop them, and nothing is lost.
    pub fn chunk<'a>(&'a mut self, text: &'a str) -> Events<'a> {
        self.reply.feed(text)
    }

    /// Whether the host should stop reading: a surplus call began, or the model invents a tool's
    /// result. What still comes does not count.
    pub fn answer_is_over(&self) -> bool {
        self.reply.is_over()
    }

    /// The model has ended its answer. The events are the last ones for the screen.
    ///
    /// Only for an answer that came whole; every other one ends with [`ToolLoop::cut_answer`], also
    /// after an error of the connection.
    pub fn end_of_answer(&mut self) -> Events<'_> {
        self.answered();
        self.reply.finish()
    }

    /// The answer was cut: the connection was lost, or the provider says that it was too long
    /// (finish reason `length`). A call that only the end of the stream would end does not run
    /// ([`Parser::finish_cut`]).
    ///
    /// Where the answer was over before ([`ToolLoop::answer_is_over`]) both endings are the same.
    pub fn cut_answer(&mut self) -> Events<'_> {
        self.answered();
        self.reply.finish_cut()
    }

    /// What the tool of this call gave. A `Result` will do: its error is an error for the model.
    ///
    /// # Errors
    /// [`PolicyError::NotPending`] if the call has a result already: the user interrupted it, for
    /// example, and this one comes late. Nothing changes.
    pub fn tool_result(&mut self, id: CallId, result: impl Into<ToolResult>) -> Result<()> {
        let State::Tools(round) = &mut self.memory.state else {
            return Err(PolicyError::NotPending);
        };
        let mut calls = round.calls.iter_mut().map(|(call, progress)| (*call, progress));
        match calls.find(|(call, _)| *call == id) {
            Some((_, progress @ Progress::Runs(_))) => {
                let Progress::Runs(running) = progress.clone() else { return Ok(()) };
                *progress = Progress::Done(self.hooks.after(running, result));
            }
            _ => return Err(PolicyError::NotPending),
        }
        self.end_round();
        Ok(())
    }

    /// What the user has chosen of [`Question::options`]. After `Continue` and `SwitchModel` the
    /// model goes on, after the others the user has the word.
    ///
    /// # Errors
    /// [`PolicyError::NotOffered`]; then nothing changes.
    pub fn choice(&mut self, choice: Choice) -> Result<()> {
        self.settle();
        let State::Asking(question) = &self.memory.state else { return Ok(()) };
        choice.one_of(question.options())?;
        self.forget();
        if !matches!(choice, Choice::Continue | Choice::SwitchModel) {
            self.memory.state = State::Done { answer: None };
            return Ok(());
        }
        if self.memory.history.model_was_last() {
            self.memory.history.say(Role::User, self.config.messages.go_on.clone());
        }
        self.call_model(false);
        Ok(())
    }

    fn answered(&mut self) {
        if let State::Model { .. } = self.memory.state {
            self.memory.state = State::Answered;
        }
    }

    /// Looks at an answer that is there.
    fn settle(&mut self) {
        if let State::Answered = self.memory.state {
            let reply = std::mem::replace(&mut self.reply, no_reply(&self.config.parser));
            self.decide(&reply);
            self.last = Some(reply.into_message());
        }
    }

    /// All counts begin again.
    fn forget(&mut self) {
        let conversation = &self.config.conversation;
        self.memory.iterations = 0;
        self.guard.reset();
        self.hooks.forget(conversation);
        if let Some(validator) = &mut self.validator {
            validator.forget(conversation);
        }
    }

    /// Ends what is under way.
    fn interrupt(&mut self) {
        match std::mem::replace(&mut self.memory.state, State::Done { answer: None }) {
            State::Model { .. } => {
                let said = self.reply.said().to_string();
                self.memory.history.say(Role::Assistant, said);
            }
            State::Tools(round) => {
                for (_, progress) in round.calls {
                    self.memory.outcomes.push(match progress {
                        Progress::Done(outcome) => outcome,
                        Progress::Runs(running) => {
                            let call = running.call().clone();
                            let result = call.error(self.config.messages.interrupted.as_str());
                            Outcome { call, result, report: Report::default() }
                        }
                    });
                }
                self.send_results(&round.notes);
            }
            _ => {}
        }
    }
}

/// A reply that takes nothing.
fn no_reply(parser: &Parser) -> Reply {
    let mut reply = parser.reply();
    reply.finish().for_each(drop);
    reply
}

impl Round {
    /// The calls whose tools run.
    fn pending(&self) -> Vec<PendingCall> {
        let pending = |(id, progress): &(CallId, Progress)| match progress {
            Progress::Runs(running) => Some(PendingCall { id: *id, call: running.call().clone() }),
            Progress::Done(_) => None,
        };
        self.calls.iter().filter_map(pending).collect()
    }
}

/// Without the parser's tables, which are long.
impl fmt::Debug for ToolLoop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolLoop")
            .field("memory", &self.memory)
            .field("guard", &self.guard.snapshot())
            .finish_non_exhaustive()
    }
}
