//! Hooks around a call of a tool or a skill.

mod arg_validation;
mod built_in;
mod call;
mod fit;
mod hook;
#[cfg(feature = "jsonschema")]
mod json_schema;
mod repeat_guard;
mod schema;
mod trace_sanitization;

use std::ops::ControlFlow;

use super::Validator;
use super::config::Result;
use crate::glob;
use crate::tool::Tool;
use crate::write::ToolResult;

pub use call::{Call, CallOutcome, Report, Running};
pub use hook::{Hook, Pre};

use built_in::BlockList;
use trace_sanitization::TraceSanitization;

/// The hooks around a call of a tool or a skill, for all conversations. Clones share their hooks, and so the hooks'
/// counts.
///
/// [`Hooks::before`] runs the pre hooks, and returns whether the tool runs and with which arguments. [`Hooks::after`]
/// runs the post hooks on its result. Between the two, your program is free: an async program just awaits its tool,
/// so no async wrapper is needed.
///
/// ```
/// use std::ops::ControlFlow;
///
/// use serde_json::{Value, json};
/// use toolstream::Tool;
/// use toolstream::policy::{Call, CallOutcome, Hooks, Validator};
///
/// async fn read_file(arguments: &Value) -> Result<Value, std::io::Error> {
///     Ok(json!({"path": arguments["path"], "text": "…"}))
/// }
///
/// async fn run(hooks: &Hooks, call: Call) -> CallOutcome {
///     match hooks.before(call) {
///         ControlFlow::Continue(running) => {
///             let result = read_file(&running.call().arguments).await;
///             hooks.after(running, result)
///         }
///         ControlFlow::Break(outcome) => outcome, // blocked, or answered by a hook
///     }
/// }
/// # let hooks = Hooks::standard(vec![Tool::new("read_file")], &Validator::default())?;
/// # let future = run(&hooks, Call::new("read_file", json!({"path": "a.rs"})));
/// # let outcome = std::pin::pin!(future)
/// #     .poll(&mut std::task::Context::from_waker(std::task::Waker::noop()));
/// # let std::task::Poll::Ready(outcome) = outcome else { panic!() };
/// # assert_eq!(outcome.result.content["path"], "a.rs");
/// # use std::future::Future;
/// # Ok::<(), toolstream::policy::PolicyError>(())
/// ```
///
/// # The way of a call
///
/// 1. Arguments that are text are read by [`repair`](crate::repair). Unreadable arguments, and those that are not an
///    object, are blocked before any hook; they never become `{}`.
/// 2. Pre hooks run in the order of registration. Each may change the arguments; the next hook, the tool and the post
///    hooks see the changed ones. A hook may block the call or answer it; then later pre hooks and the tool do not run.
/// 3. The tool runs. Its error is a result, too.
/// 4. Post hooks run in the order of registration, each on the result of the one before. They also run on blocked
///    results and errors, for an error's text may hold data to cut or clean.
/// 5. A hook that fails is reported as `NAME: message` in [`Report::diagnostics`]. It is left
///    out; if it is [`closed`](Hook::closed), the call does not run, or its result is withheld.
///
/// # Hooks of your own
///
/// Closures before or after the tool:
///
/// ```
/// use serde_json::json;
/// use toolstream::policy::{Call, Hook, Hooks, Pre};
///
/// let hooks = Hooks::default()
///     .with(
///         Hook::pre("stay inside", |call, _| match call.arguments["path"].as_str() {
///             Some(path) if path.starts_with("..") => Ok(Pre::Done(call.error("Outside."))),
///             Some(_) => Ok(Pre::Go),
///             None => Err("no path".into()),
///         })
///         .tools(["read_file"])
///         .closed(), // a call that it cannot check does not run
///     )
///     .with(Hook::post("sign", |call, result, _| {
///         Ok(Some(call.ok(json!([result.content, "by us"]))))
///     }));
///
/// let run = |arguments| {
///     hooks.execute(Call::new("read_file", arguments), |call| call.ok("text")).result
/// };
/// assert_eq!(run(json!({"path": "a.rs"})).content, json!(["text", "by us"]));
/// assert_eq!(run(json!({"path": "../a"})).content, json!(["Outside.", "by us"]));
/// assert_eq!(run(json!({})).content[1], "by us");
/// ```
///
/// The built-in hooks are in [`Hook::from_json`]; [`Hooks::standard`] has three of them.
#[derive(Clone, Debug, Default)]
pub struct Hooks {
    hooks: Vec<Hook>,
    skill_tools: Vec<String>,
}

impl Hooks {
    /// Makes the standard hooks: `block_list` (of the tools that the validator blocks), `arg_validation` by the
    /// declared tools, `trace_sanitization`.
    ///
    /// # Errors
    /// The errors of [`Hook::arg_validation`], and an error for an undeclared tool that the validator names.
    pub fn standard(tools: Vec<Tool>, validator: &Validator) -> Result<Self> {
        validator.names_only(&tools, "validator")?;
        let tools_blocked = validator.blocked_tools().iter().cloned().collect();
        let block_list = BlockList { tools: tools_blocked, ..BlockList::default() };
        Ok(Hooks::default()
            .with(block_list.hook())
            .with(Hook::arg_validation(tools)?)
            .with(TraceSanitization::default().hook()))
    }

    /// Adds a hook behind the others.
    #[must_use]
    pub fn with(mut self, hook: Hook) -> Self {
        self.hooks.push(hook);
        self
    }

    /// Adds a hook before the others: the place of a `repeat_guard`.
    #[must_use]
    pub fn with_first(mut self, hook: Hook) -> Self {
        self.hooks.insert(0, hook);
        self
    }

    /// Sets the names of calls that are skills, in which `*` is any characters. Unless your program sets
    /// [`Call::skill`], every other call is a tool's.
    #[must_use]
    pub fn skill_tools(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.skill_tools.extend(names.into_iter().map(Into::into));
        self
    }

    /// Runs the pre hooks, and returns whether the tool runs or the call is done. In the second case the post hooks
    /// have run, too.
    pub fn before(&self, mut call: Call) -> ControlFlow<CallOutcome, Running> {
        if call.skill.is_none() {
            let skills = &mut self.skill_tools.iter();
            call.skill = Some(skills.any(|name| glob::matches(name, &call.name)));
        }
        let mut report = Report::default();
        let done = call.read().or_else(|| self.pre_hooks(&mut call, &mut report));
        match done {
            Some(result) => ControlFlow::Break(self.post_hooks(call, result, report)),
            None => ControlFlow::Continue(Running { call, report }),
        }
    }

    /// Runs the post hooks on the tool's result. The result may be a `Result`: its error is an error for the model.
    pub fn after(&self, running: Running, result: impl Into<ToolResult>) -> CallOutcome {
        let Running { call, mut report } = running;
        report.tool_ran = true;
        self.post_hooks(call, result.into(), report)
    }

    /// Runs [`before`](Hooks::before), the tool, and [`after`](Hooks::after).
    pub fn execute<R: Into<ToolResult>>(
        &self,
        call: Call,
        tool: impl FnOnce(&Call) -> R,
    ) -> CallOutcome {
        match self.before(call) {
            ControlFlow::Continue(running) => {
                let result = tool(running.call());
                self.after(running, result)
            }
            ControlFlow::Break(outcome) => outcome,
        }
    }

    /// Removes the hooks' counts of a conversation that begins again, or is over.
    pub fn forget(&self, conversation: &str) {
        self.hooks.iter().filter_map(|hook| hook.forget.as_ref()).for_each(|forget| {
            forget(conversation);
        });
    }

    /// Returns the result of a call that does not run.
    fn pre_hooks(&self, call: &mut Call, report: &mut Report) -> Option<ToolResult> {
        for hook in &self.hooks {
            let Some(pre) = hook.pre.as_ref().filter(|_| hook.sees(call)) else { continue };
            let failure = match pre(call, report) {
                Ok(Pre::Go) => continue,
                Ok(Pre::Arguments(arguments)) if arguments.is_object() => {
                    call.arguments = arguments;
                    continue;
                }
                Ok(Pre::Arguments(_)) => "the arguments it gave are no JSON object".to_string(),
                Ok(Pre::Done(result)) => return Some(result),
                Err(error) => error.to_string(),
            };
            let name = &hook.name;
            report.diagnostics.push(format!("{name}: {failure}"));
            if hook.closed {
                let text = format!("The hook '{name}' failed, so the call was not run.");
                return Some(call.error(text));
            }
        }
        None
    }

    fn post_hooks(&self, call: Call, mut result: ToolResult, mut report: Report) -> CallOutcome {
        for hook in &self.hooks {
            let Some(post) = hook.post.as_ref().filter(|_| hook.sees(&call)) else { continue };
            let name = &hook.name;
            match post(&call, &result, &mut report) {
                Ok(Some(changed)) => result = changed,
                Ok(None) => {}
                Err(error) => {
                    report.diagnostics.push(format!("{name}: {error}"));
                    if hook.closed {
                        let text =
                            format!("The result was withheld because the hook '{name}' failed.");
                        result = call.error(text);
                    }
                }
            }
        }
        // The owner of a result does not depend on its maker.
        result.name.clone_from(&call.name);
        result.id.clone_from(&call.id);
        CallOutcome { call, result, report }
    }
}
