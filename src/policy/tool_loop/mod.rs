//! The agent's loop as a value: joins parser, guard, validator, hooks and limits.

mod config;
mod conversation;
mod decide;
mod step;

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::config::{PolicyError, Result, declared, read, restore};
use super::decision::{Choice, Objection};
use super::guard::Guard;
use super::hooks::{CallOutcome, Hooks, Running};
use super::validator::Validator;
use crate::json::white::trim;
use crate::message::Message;
use crate::message::reply::Reply;
use crate::native::ProviderError;
use crate::write::ToolResult;

pub use step::{CallId, Step};

use config::LoopConfig;
use conversation::{Conversation, Form};

/// Loop of one conversation of an agent: joins a parser or a provider's reader, guard, validator, hooks and limits.
///
/// Your program does the work outside (it asks the model, runs a tool, shows text, asks the user), and the loop names
/// the next step. It holds the conversation, reads the answers, checks the calls, and answers the model's mistakes
/// with corrections. No clock, no I/O, no async.
///
/// ```
/// use serde_json::json;
/// use toolstream::policy::{Step, ToolLoop};
/// use toolstream::{Dialect, Event, Param, Parser, Tool};
///
/// # fn model(request: serde_json::Value) -> &'static [&'static str] {
/// #     match request["messages"].as_array().unwrap().len() {
/// #         2 => &["Thought: I look.\nAction: re", "ad\nAction Input: {\"path\": \"a.rs\"}\nObs"],
/// #         _ => &["Thought: I see.\nFinal Answer: It is", " empty."],
/// #     }
/// # }
/// let read = Tool::new("read").describe("Reads a file.").param(Param::required("path"));
/// let parser = Parser::builder(Dialect::REACT).tool(read).build()?;
/// let mut agent = ToolLoop::from_json(parser, &json!({"instructions": "Be brief."}))?;
/// agent.user("What is in a.rs?");
/// let answer = loop {
///     match agent.step() {
///         Step::CallModel { .. } => {
///             // Your program adds the rest: `"model"`, `"stream": true`, …
///             for chunk in model(agent.request()) {
///                 for event in agent.reply().feed(chunk) {
///                     if let Event::TextContent(text) = event { print!("{text}") }
///                 }
///                 if agent.reply().is_over() { break } // the rest does not count
///             }
///             // `finish_cut` after an error, or if the provider says that it was too long.
///             for event in agent.reply().finish() { /* the last of the text */ }
///         }
///         Step::RunTools(calls) => {
///             for (id, call) in calls {
///                 let path = &call.arguments["path"]; // checked by the hooks
///                 let text = std::fs::read_to_string(path.as_str().unwrap_or_default());
///                 agent.tool_result(id, text)?;
///             }
///         }
///         Step::AskUser(question) => agent.choice(question.options()[0])?,
///         Step::Done(answer) => break answer,
///         _ => {} // a call was blocked: for the screen
///     }
/// };
/// assert_eq!(answer.unwrap(), "It is empty.");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # The way of an answer
///
/// * **With calls that may run:** the validator checks them, then all go through the hooks and, unless blocked, to
///   your program, which may run them at once. When each call has its result, all results go to the model in one user
///   message, in the order of the calls, as the dialect writes them. Behind them stand the hooks' notes, and notes on
///   calls that did not run: one above the tool limit, or a truncated one.
/// * **Without such calls:** the text is the answer, unless the configuration is stricter (`text_ends`, `end_tool`, a
///   `validator`) or the text has an unreadable call. Then the model gets a correction, or the user is asked.
/// * **Invented text** (a tool's result, a step after the answer) neither runs nor stays in the conversation.
///   Everything else that the model wrote stays as it was, its reasoning too.
///
/// A request begins with [`ToolLoop::user`]. With it, and with every [`ToolLoop::choice`], all counts begin again.
/// Input out of turn (a chunk while no answer is expected) is ignored.
///
/// # The conversation
///
/// [`ToolLoop::snapshot`] and [`ToolLoop::restore`] carry a loop over a restart. [`ToolLoop::edit_history`] takes a
/// conversation from elsewhere, or trims it. The system prompt is the loop's own. A clone is a snapshot, except for
/// the counts of its hooks, which clones share. So an unused loop is the pattern for those of all conversations, each
/// a clone with its own [name](ToolLoop::in_conversation).
///
/// # A provider's own tools
///
/// With a [`Reader`](crate::native::Reader) in the parser's place the reply is fed the provider's events,
/// and the conversation is that of its API: the model's turns with their signatures and encrypted
/// reasoning ([`Message::to_request`]), each call with its result ([`Provider::results`]). All else is the
/// same.
///
/// ```
/// use serde_json::json;
/// use toolstream::native::{Provider, Reader};
/// use toolstream::policy::{Step, ToolLoop};
/// use toolstream::{Param, Tool};
///
/// let read = Tool::new("read").describe("Reads a file.").param(Param::required("path"));
/// let reader = Reader::builder(Provider::Anthropic).tool(read).build()?;
/// let mut agent = ToolLoop::from_json(reader, &json!({"instructions": "Be brief."}))?;
/// agent.user(json!([
///     {"type": "image", "source": {"type": "url", "url": "https://example.org/a.png"}},
///     {"type": "text", "text": "Which file is it?", "cache_control": {"type": "ephemeral"}},
/// ]));
/// assert_eq!(agent.step(), Step::CallModel { discard_visible_text: false });
/// assert_eq!(agent.request()["system"], "Be brief.");
/// assert_eq!(agent.request()["tools"][0]["name"], "read");
///
/// let answer = json!({"type": "message", "stop_reason": "tool_use", "content": [
///     {"type": "thinking", "thinking": "Look.", "signature": "c2ln"},
///     {"type": "tool_use", "id": "toolu_1", "name": "read", "input": {"path": "a.rs"}}]});
/// agent.reply().feed(&answer.to_string()).for_each(drop);
/// agent.reply().finish().for_each(drop);
/// let Step::RunTools(calls) = agent.step() else { panic!() };
/// agent.tool_result(calls[0].0, "fn main() {}")?;
///
/// assert_eq!(agent.messages()[2]["content"], answer["content"]);
/// assert_eq!(agent.messages()[3]["content"][0]["tool_use_id"], "toolu_1");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// A server that leaves its model's calls in the text is read by a reader with
/// [`text_calls`](crate::native::ReaderBuilder::text_calls). If the prompt describes the tools to the model, as with
/// a parser, the option `calls` is `"text"`; if the server describes them, calls and results are the API's.
///
/// [`Provider::results`]: crate::native::Provider::results
#[derive(Clone)]
pub struct ToolLoop {
    config: Arc<LoopConfig>,
    /// An empty one.
    pattern: Reply,
    form: Form,
    conversation: String,
    guard: Guard,
    validator: Option<Validator>,
    hooks: Hooks,
    memory: Memory,
    /// The answer that arrives; at other times one that takes nothing.
    reply: Reply,
    last: Option<Message>,
}

/// The stored state, beside that of guard and validator.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Memory {
    conversation: Conversation,
    model: Option<String>,
    /// The user's last message.
    request: String,
    /// The tools that have succeeded since, each once.
    succeeded: Vec<String>,
    /// The number of answers of the model since.
    iterations: usize,
    /// The number of the next call.
    next_call: u64,
    /// The outcomes of the last answer's calls.
    outcomes: Vec<CallOutcome>,
    /// Blocked calls that were not yet returned as steps.
    blocked: VecDeque<CallOutcome>,
    state: LoopState,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum LoopState {
    /// The model should answer, or answers, or has answered (the reply has ended), and the answer was not
    /// examined yet.
    Model { discard_visible_text: bool },
    /// The provider sent an error.
    Failed { error: ProviderError, discard_visible_text: bool },
    /// Tools run.
    Tools(Round),
    /// The user is asked.
    Asking(Objection),
    /// The loop waits for the user, after this answer of the model.
    Done(Option<String>),
}

impl Default for LoopState {
    fn default() -> Self {
        LoopState::Done(None)
    }
}

/// The calls of one answer.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Round {
    calls: Vec<(CallId, Progress)>,
    /// Notes that the model reads after the results.
    notes: Vec<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Progress {
    Runs(Running),
    Done(CallOutcome),
}

impl ToolLoop {
    /// Makes a loop before the first request. This [`Parser`](crate::Parser) or [`Reader`](crate::native::Reader)
    /// reads the model, and has the tools.
    ///
    /// | key | default | |
    /// |---|---|---|
    /// | `instructions` | `""` | the system prompt before the tools |
    /// | `calls` | `"text"` with a parser, `"native"` with a reader | the form of calls and results in the conversation: text of the dialect, which the system prompt explains, or the API's own |
    /// | `guard` | `{}` | as [`Guard::from_json`] |
    /// | `validator` | none | as [`Validator::from_json`] |
    /// | `max_iterations` | 25 | after how many answers to one request the user is asked |
    /// | `text_ends` | `"always"` | when a text without a call ends the task, see below |
    /// | `end_tool` | none | a tool that ends the task: its result, if it is not an error, is the answer |
    /// | `messages` | | the texts |
    ///
    /// `text_ends` is one of three words. With `"always"` a text without a call is the answer; a blank or truncated
    /// one counts as with `"after_tool"`. With `"after_tool"` it is the answer once the request has what it needs:
    /// one of the tools that the validator demands, if it demands any; without a validator any tool that has
    /// succeeded. With `"never"` only the answer marker of a dialect (ReAct's `Final Answer:`) and the `end_tool` end
    /// the task. The default is `"always"`, and `"never"` with an `end_tool`, which is another way to end. In each
    /// case an answer marker ends the task, and a validator that misses a tool keeps it from ending.
    ///
    /// The texts for the model are:
    /// * `surplus` (the tool limit was reached: `{reason}`) and `not_run` (a call of `{tool}` was cut off), both after the
    ///   results;
    /// * `go_on` (the user chose to continue) and `interrupted` (the result of a call before which the user spoke).
    ///
    /// The texts for the user are `iterations` (the model was asked `{count}` times) and `circles` (equal calls of
    /// `{tool}` again and again).
    ///
    /// # Errors
    /// For an unknown key, a value that does not fit its key, a limit of 0, and an error of [`Validator::from_json`].
    /// For an end tool, a blocked tool or a tool of a pattern that is not declared. For a value of `calls` that the
    /// source of the model's answers cannot have.
    pub fn from_json(reads: impl Into<Reply>, config: &Value) -> Result<ToolLoop> {
        let mut config: LoopConfig = read(config, "config")?;
        let pattern = reads.into().fresh();
        let form = Form::from_source(pattern.source(), config.calls)?;
        let tools = &pattern.source().tables().tools;
        if let Some(name) = &config.end_tool {
            declared(name, tools, "config.end_tool")?;
        }
        let guard = Guard::new(std::mem::take(&mut config.guard));
        let validator = config.validator.take().map(Validator::new);
        let blocking = validator.clone().unwrap_or_default();
        blocking.names_only(tools, "config.validator")?;
        let hooks = Hooks::standard(tools.clone(), &blocking)?;
        let mut memory = Memory::default();
        memory.conversation.instruct(std::mem::take(&mut config.instructions));
        if let Some(parser) = form.parser(pattern.source()) {
            memory.conversation.instruct(parser.system_prompt());
        }
        Ok(ToolLoop {
            config: Arc::new(config),
            conversation: String::new(),
            guard,
            validator,
            hooks,
            memory,
            reply: no_reply(&pattern),
            pattern,
            form,
            last: None,
        })
    }

    /// Replaces the hooks by others, made from the loop's own: [`Hooks::standard`] with the parser's tools and the
    /// blocked tools of the validator. (They cut results at 20000 characters.)
    ///
    /// ```
    /// use serde_json::json;
    /// use toolstream::policy::{Hook, ToolLoop};
    /// use toolstream::{Dialect, Parser, Tool};
    ///
    /// let parser = Parser::builder(Dialect::HERMES).tool(Tool::new("list")).build()?;
    /// let repeats = Hook::from_json(&json!({"hook": "repeat_guard"}))?;
    /// let agent = ToolLoop::from_json(parser, &json!({}))?
    ///     .with_hooks(|standard| standard.with_first(repeats));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_hooks(mut self, hooks: impl FnOnce(Hooks) -> Hooks) -> Self {
        self.hooks = hooks(self.hooks);
        self
    }

    /// Names the conversation, by which validator and hooks count; default: no name.
    #[must_use]
    pub fn in_conversation(mut self, name: impl Into<String>) -> Self {
        self.conversation = name.into();
        self
    }

    /// Returns the next step. It stays the same until it is done; only a blocked call is returned once.
    pub fn step(&mut self) -> Step {
        self.settle();
        if let Some(outcome) = self.memory.blocked.pop_front() {
            return Step::Blocked(Box::new(outcome));
        }
        match &self.memory.state {
            LoopState::Model { discard_visible_text } => {
                Step::CallModel { discard_visible_text: *discard_visible_text }
            }
            LoopState::Tools(round) => {
                let pending = |(id, progress): &(CallId, Progress)| match progress {
                    Progress::Runs(running) => Some((*id, running.call.clone())),
                    Progress::Done(_) => None,
                };
                Step::RunTools(round.calls.iter().filter_map(pending).collect())
            }
            LoopState::Failed { error, .. } => Step::Failed(error.clone()),
            LoopState::Asking(question) => Step::AskUser(question.clone()),
            LoopState::Done(answer) => Step::Done(answer.clone()),
        }
    }

    /// Returns the next request, in the words of its API: the conversation with its system prompt, the declared tools
    /// where calls are native, and the stop sequences. Your program adds the model's name, `stream`, a limit of
    /// tokens and the like.
    ///
    /// The request of a parser is for OpenAI's chat completions, which servers of such models speak; that of a reader
    /// is for its provider.
    pub fn request(&self) -> Value {
        let source = self.pattern.source();
        let tools = source.tables().tools.iter().filter(|_| self.form.native);
        let tools = tools.map(|tool| tool.to_request(self.form.api)).collect();
        self.memory.conversation.request(self.form, tools, &self.stop_sequences())
    }

    /// Returns the conversation so far, as in [`ToolLoop::request`]. The system prompt comes first, as `{"role":
    /// "system", "content": "…"}`, also for APIs that want it elsewhere; consecutive messages of a user are one.
    pub fn messages(&self) -> &[Value] {
        self.memory.conversation.messages()
    }

    /// Changes the conversation: shortens it, or takes one from elsewhere. The system prompt is not in it, and is
    /// left out if it is put there. Unknown data stays as it is.
    pub fn edit_history(&mut self, edit: impl FnOnce(&mut Vec<Value>)) {
        self.settle();
        self.memory.conversation.edit(edit);
    }

    /// Returns the state of the conversation as JSON, to be stored: its messages, its counts, and the awaited step.
    /// The configuration, the counts of hooks, and the text of an unfinished answer are not in it.
    pub fn snapshot(&mut self) -> Value {
        self.settle();
        let validator = self.validator.as_ref().map(Validator::snapshot);
        json!({"loop": self.memory, "guard": self.guard.snapshot(), "validator": validator})
    }

    /// Restores a stored conversation. An unfinished answer is requested again, and running tools run again. The
    /// system prompt stays this loop's own.
    ///
    /// ```
    /// use serde_json::json;
    /// use toolstream::policy::{Step, ToolLoop};
    /// use toolstream::{Dialect, Parser, Tool};
    ///
    /// let parser = Parser::builder(Dialect::HERMES).tool(Tool::new("list")).build()?;
    /// let agent = || ToolLoop::from_json(parser.clone(), &json!({}));
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
    /// For a value that is not a state of a loop; nothing changes then.
    pub fn restore(&mut self, snapshot: &Value) -> Result<()> {
        let mut memory: Memory = restore(&snapshot["loop"])?;
        let (mut guard, mut validator) = (self.guard.clone(), self.validator.clone());
        guard.restore(&snapshot["guard"])?;
        // The conversation may come from a loop without a validator.
        if let Some(validator) = validator.as_mut().filter(|_| !snapshot["validator"].is_null()) {
            validator.restore(&snapshot["validator"])?;
        }
        let stored = std::mem::replace(&mut memory.conversation, self.memory.conversation.clone());
        memory.conversation.restore(&stored);
        // Chunks of the answer were not stored: the model is asked again.
        self.reply = match memory.state {
            LoopState::Model { .. } => self.pattern.fresh(),
            _ => no_reply(&self.pattern),
        };
        self.memory = memory;
        self.guard = guard;
        self.validator = validator;
        self.last = None;
        Ok(())
    }

    /// Returns the stop sequences: [`Parser::stop_sequences`](crate::Parser::stop_sequences). None where calls are
    /// native.
    pub fn stop_sequences(&self) -> Vec<&str> {
        let parser = self.form.parser(self.pattern.source());
        parser.map(|parser| parser.stop_sequences()).unwrap_or_default()
    }

    /// Returns the model's last whole answer, for logs: its diagnostics, the places of its calls. It is this turn's
    /// as soon as [`ToolLoop::reply`] was ended. `None` before the first answer, and after
    /// [`restore`](ToolLoop::restore).
    pub fn last_message(&self) -> Option<&Message> {
        let ended = matches!(self.memory.state, LoopState::Model { .. }) && self.reply.has_ended();
        ended.then(|| self.reply.message()).or(self.last.as_ref())
    }

    /// Returns the outcomes of the last answer's calls, in their order: results, and the reports of the hooks. While
    /// tools run the list is empty.
    pub fn outcomes(&self) -> &[CallOutcome] {
        &self.memory.outcomes
    }

    /// Sets the model's name, for a guard that knows models by name.
    pub fn set_model(&mut self, name: impl Into<String>) {
        self.memory.model = Some(name.into());
    }

    /// Begins a request with the user's words. Work under way ends; calls without a result get one that says so.
    ///
    /// The content is text, or a list of parts as in the API: images, documents, marks for its cache. Parts are kept
    /// as they are.
    pub fn user(&mut self, content: impl Into<Value>) {
        self.settle();
        self.interrupt();
        let content = content.into();
        self.memory.request = text(&content);
        self.memory.succeeded.clear();
        self.forget();
        self.tell(content);
        self.call_model(false);
    }

    /// Returns the model's answer, while it arrives: feed it the chunks, and end it. Both return the events for the
    /// screen (a program may drop them). Once it [is over](Reply::is_over), stop reading: a surplus call began, or
    /// the model invents a tool's result.
    ///
    /// Over a parser, [`Reply::finish`] is only for an answer that came whole. Every other answer ends with
    /// [`Reply::finish_cut`], also after an error of the connection, or where the provider says that it was too long
    /// (finish reason `length`): a call that only the end of the stream would end does not run. Over a reader, the
    /// provider's own word decides at the end of the body ([`Reply::finish`]), and `finish_cut` is for an error that
    /// your program knows of. Where the answer was over before, both endings are the same.
    ///
    /// A request that failed, or whose connection broke, is no answer: call [`ToolLoop::retry`] instead of an end.
    /// (An answer that ends without content counts as an answer of the model, and the model is told that it was cut.)
    pub fn reply(&mut self) -> &mut Reply {
        &mut self.reply
    }

    /// Repeats the request: after [`Step::Failed`], or while an answer arrives, which is dropped. No part of that
    /// answer stays in the conversation, and it is not counted. At other times nothing happens.
    ///
    /// ```
    /// use serde_json::json;
    /// use toolstream::native::{Provider, Reader};
    /// use toolstream::policy::{Step, ToolLoop};
    ///
    /// let reader = Reader::builder(Provider::Anthropic).build()?;
    /// let mut agent = ToolLoop::from_json(reader, &json!({}))?;
    /// agent.user("Hello.");
    /// let overloaded = json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}});
    /// agent.reply().feed(&overloaded.to_string()).for_each(drop);
    /// agent.reply().finish().for_each(drop);
    ///
    /// let Step::Failed(error) = agent.step() else { panic!() };
    /// assert_eq!(error.kind.as_deref(), Some("overloaded_error"));
    /// // After a while:
    /// agent.retry();
    /// assert_eq!(agent.step(), Step::CallModel { discard_visible_text: false });
    /// assert_eq!(agent.messages().len(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn retry(&mut self) {
        self.settle();
        let discard_visible_text = match &self.memory.state {
            LoopState::Model { discard_visible_text } => {
                *discard_visible_text || !trim(&self.reply.message().text()).is_empty()
            }
            LoopState::Failed { discard_visible_text, .. } => *discard_visible_text,
            _ => return,
        };
        self.reply = self.pattern.fresh();
        self.memory.state = LoopState::Model { discard_visible_text };
    }

    /// Adds the result of this call. It may be text, JSON, or a `Result`, whose error is an error for the model.
    ///
    /// # Errors
    /// If the call already has a result: for example, the user interrupted it, and this result comes late. Nothing
    /// changes then.
    pub fn tool_result(&mut self, id: CallId, result: impl Into<ToolResult>) -> Result<()> {
        if let LoopState::Tools(round) = &mut self.memory.state {
            for (_, progress) in round.calls.iter_mut().filter(|(call, _)| *call == id) {
                if let Progress::Runs(running) = progress {
                    *progress = Progress::Done(self.hooks.after(running.clone(), result));
                    self.end_round();
                    return Ok(());
                }
            }
        }
        let problem =
            "no call with this id waits for a result: it has one, or the user interrupted it";
        Err(PolicyError::InvalidArgument(problem.to_string()))
    }

    /// Adds the user's choice of [`Objection::options`]. After `Continue` and `SwitchModel` the model continues,
    /// after the others the loop waits for the user.
    ///
    /// # Errors
    /// For a choice that was not offered; nothing changes then.
    pub fn choice(&mut self, choice: Choice) -> Result<()> {
        self.settle();
        let LoopState::Asking(question) = &self.memory.state else { return Ok(()) };
        choice.one_of(question.options())?;
        self.forget();
        if !matches!(choice, Choice::Continue | Choice::SwitchModel) {
            self.memory.state = LoopState::Done(None);
            return Ok(());
        }
        // Otherwise the request would end with the model's own message, and the model would have nothing to
        // answer.
        if self.memory.conversation.model_was_last() {
            self.tell(self.config.messages.go_on.as_str().into());
        }
        self.call_model(false);
        Ok(())
    }

    /// Decides about an answer that has ended.
    fn settle(&mut self) {
        if matches!(self.memory.state, LoopState::Model { .. }) && self.reply.has_ended() {
            let reply = std::mem::replace(&mut self.reply, no_reply(&self.pattern));
            self.decide(&reply);
            self.last = Some(reply.into_message());
        }
    }

    /// Resets all counts.
    fn forget(&mut self) {
        self.memory.iterations = 0;
        self.guard.reset();
        self.hooks.forget(&self.conversation);
        if let Some(validator) = &mut self.validator {
            validator.forget(&self.conversation);
        }
    }

    /// Ends the work under way.
    fn interrupt(&mut self) {
        match std::mem::take(&mut self.memory.state) {
            LoopState::Model { .. } => {
                if self.form.native {
                    // Its open calls end, so that they can be answered.
                    self.reply.finish_cut().for_each(drop);
                }
                self.memory.conversation.model(self.form, &self.reply);
            }
            LoopState::Tools(round) => {
                for (_, progress) in round.calls {
                    self.memory.outcomes.push(match progress {
                        Progress::Done(outcome) => outcome,
                        Progress::Runs(running) => {
                            CallOutcome::not_run(running.call, &self.config.messages.interrupted)
                        }
                    });
                }
                self.send_results(&round.notes);
            }
            _ => {}
        }
    }
}

/// Returns the text of the user's words: of the parts that have text.
fn text(content: &Value) -> String {
    match content {
        Value::Array(parts) => {
            let texts = parts.iter().filter_map(|part| part["text"].as_str());
            texts.collect::<Vec<_>>().join("\n")
        }
        content => content.as_str().unwrap_or_default().to_string(),
    }
}

/// Returns a reply that has ended: it takes no more chunks.
fn no_reply(pattern: &Reply) -> Reply {
    let mut reply = pattern.fresh();
    reply.finish().for_each(drop);
    reply
}

/// Prints the loop without the tables of its reader, which are long.
impl fmt::Debug for ToolLoop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolLoop")
            .field("memory", &self.memory)
            .field("guard", &self.guard.snapshot())
            .finish_non_exhaustive()
    }
}
