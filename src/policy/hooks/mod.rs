//! Hooks: what stands around one call of a tool or a skill.
//!
//! [`Hooks::before`] runs the pre hooks and says whether the tool runs, and with which arguments;
//! [`Hooks::after`] runs the post hooks on its result. In between the host does as it likes: an
//! async host just awaits its tool there, so no async wrapper is needed.
//!
//! ```
//! use serde_json::{Value, json};
//! use toolstream::Tool;
//! use toolstream::policy::Hooks;
//! use toolstream::policy::hooks::{Call, Outcome, HookDecision};
//!
//! async fn read_file(arguments: &Value) -> Result<Value, std::io::Error> {
//!     Ok(json!({"path": arguments["path"], "text": "…"}))
//! }
//!
//! async fn run(hooks: &Hooks, call: Call) -> Outcome {
//!     match hooks.before(call) {
//!         HookDecision::Run(running) => {
//!             let result = read_file(running.call().arguments()).await;
//!             hooks.after(running, result)
//!         }
//!         HookDecision::Done(outcome) => outcome, // blocked, or answered by a hook
//!     }
//! }
//! # let hooks = Hooks::standard(vec![Tool::new("read_file")], ["finalize_write"])?;
//! # let future = run(&hooks, Call::new("read_file", json!({"path": "a.rs"})));
//! # let outcome = std::pin::pin!(future)
//! #     .poll(&mut std::task::Context::from_waker(std::task::Waker::noop()));
//! # let std::task::Poll::Ready(outcome) = outcome else { panic!() };
//! # assert_eq!(outcome.result.content["path"], "a.rs");
//! # use std::future::Future;
//! # Ok::<(), toolstream::policy::PolicyError>(())
//! ```
//!
//! # What happens to a call
//!
//! 1. Arguments that are text are read by [`repair`](crate::repair). What cannot be read, and what
//!    is no object, is blocked before any hook; it never becomes `{}`.
//! 2. Pre hooks, in the order of registration. Each may change the arguments; the next one, the
//!    tool and the post hooks see the changed ones. One may block the call or answer it; then later
//!    pre hooks and the tool are left out.
//! 3. The tool. Its error is a result too.
//! 4. Post hooks, in the order of registration, each on the result of the one before; also on
//!    blocked results and errors, for an error's text may hold what must be cut or cleaned.
//! 5. A hook that fails is reported as `NAME: message` in [`Report::diagnostics`]. It is left
//!    out; if it is [`closed`](Hook::closed), the call does not run, or its result is withheld.
//!
//! # Hooks of your own
//!
//! Closures and anything that implements [`PreHook`] or [`PostHook`]:
//!
//! ```
//! use serde_json::json;
//! use toolstream::ToolResult;
//! use toolstream::policy::Hooks;
//! use toolstream::policy::hooks::{Call, CallType, Hook, Pre};
//!
//! let hooks = Hooks::new()
//!     .with(
//!         Hook::pre("stay inside", |call: &Call| match call.arguments()["path"].as_str() {
//!             Some(path) if path.starts_with("..") => Ok(Pre::Block("Outside.".to_string())),
//!             Some(_) => Ok(Pre::Go),
//!             None => Err("no path".into()),
//!         })
//!         .tools(["read_file"])
//!         .closed(), // a call that it cannot check does not run
//!     )
//!     .with(Hook::post("sign", |call: &Call, result: &ToolResult| {
//!         Ok(Some(call.ok(json!([result.content, "by us"]))))
//!     })
//!     .on(CallType::Tool));
//!
//! let run = |arguments| {
//!     hooks.execute(Call::new("read_file", arguments), |call| call.ok("text")).result
//! };
//! assert_eq!(run(json!({"path": "a.rs"})).content, json!(["text", "by us"]));
//! assert_eq!(run(json!({"path": "../a"})).content, json!(["Outside.", "by us"]));
//! assert_eq!(run(json!({})).content[1], "by us");
//! ```
//!
//! # Built in
//!
//! [`BlockList`], [`ArgValidation`], [`TraceSanitization`], [`RepeatGuard`]: they look at every
//! call, tools and skills. [`Hooks::standard`] has the first three.

mod arg_validation;
mod block_list;
mod call;
mod fit;
mod from_json;
mod hook;
#[cfg(feature = "jsonschema")]
mod json_schema;
mod repeat_guard;
mod schema;
mod trace_sanitization;

use super::config::Result;
use crate::glob;
use crate::tool::Tool;
use crate::write::ToolResult;

pub use arg_validation::{ArgValidation, UnknownTools};
pub use block_list::BlockList;
pub use call::{Call, CallType, HookDecision, Outcome, Report, Running};
pub use hook::{Hook, HookError, PostHook, Pre, PreHook};
pub use repeat_guard::RepeatGuard;
pub use schema::{Problem, Schema};
pub use trace_sanitization::{TraceLimits, TraceSanitization};

/// A registry of hooks, for all conversations. Clones share their hooks, and so what those count.
///
/// [The page](self#hooks-of-your-own) has an example.
#[derive(Clone, Debug, Default)]
pub struct Hooks {
    hooks: Vec<Hook>,
    skill_tools: Vec<String>,
}

impl Hooks {
    /// No hooks.
    pub fn new() -> Self {
        Hooks::default()
    }

    /// What every host should have: a [`BlockList`] (give it the tools that the validator blocks,
    /// [`Validator::blocked_tools`](super::Validator::blocked_tools)), [`ArgValidation`] by the
    /// declared tools, [`TraceSanitization`].
    ///
    /// # Errors
    /// What [`ArgValidation::new`] refuses.
    pub fn standard(
        tools: Vec<Tool>,
        blocked: impl IntoIterator<Item = impl Into<String>>,
    ) -> Result<Self> {
        Ok(Hooks::new()
            .with(BlockList::new(blocked))
            .with(ArgValidation::new(tools)?)
            .with(TraceSanitization::default()))
    }

    /// One more hook, after the others.
    #[must_use]
    pub fn with(mut self, hook: impl Into<Hook>) -> Self {
        self.hooks.push(hook.into());
        self
    }

    /// One more hook, before the others: the [`RepeatGuard`]'s place.
    #[must_use]
    pub fn with_first(mut self, hook: impl Into<Hook>) -> Self {
        self.hooks.insert(0, hook.into());
        self
    }

    /// Names of calls that are skills, in which `*` is any characters. Without the host's word
    /// ([`Call::of_type`]) every other call is a tool's.
    #[must_use]
    pub fn skill_tools(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.skill_tools.extend(names.into_iter().map(Into::into));
        self
    }

    /// The hooks, in the order of registration.
    pub fn hooks(&self) -> &[Hook] {
        &self.hooks
    }

    /// Runs the pre hooks: the tool is to run, or the call is done. Then the post hooks have run,
    /// too.
    pub fn before(&self, mut call: Call) -> HookDecision {
        let skill = || self.skill_tools.iter().any(|name| glob::matches(name, call.name()));
        if call.call_type.is_none() {
            call.call_type = Some(if skill() { CallType::Skill } else { CallType::Tool });
        }
        let mut report = Report::default();
        let answer = match call.problem() {
            Some(problem) => Some(call.error(problem)),
            None => self.pre_hooks(&mut call, &mut report),
        };
        match answer {
            Some(result) => HookDecision::Done(self.post_hooks(call, result, report)),
            None => HookDecision::Run(Running { call, report }),
        }
    }

    /// Runs the post hooks on what the tool gave. A `Result` will do: its error is an error for the
    /// model.
    pub fn after(&self, running: Running, result: impl Into<ToolResult>) -> Outcome {
        let Running { call, mut report } = running;
        report.tool_ran = true;
        self.post_hooks(call, result.into(), report)
    }

    /// [`before`](Hooks::before), the tool, [`after`](Hooks::after).
    pub fn execute(&self, call: Call, tool: impl FnOnce(&Call) -> ToolResult) -> Outcome {
        match self.before(call) {
            HookDecision::Run(running) => {
                let result = tool(running.call());
                self.after(running, result)
            }
            HookDecision::Done(outcome) => outcome,
        }
    }

    /// The conversation begins again, or is over: what the hooks have counted for it goes.
    pub fn forget(&self, conversation: &str) {
        self.hooks.iter().filter_map(|hook| hook.pre.as_ref()).for_each(|pre| {
            pre.forget(conversation);
        });
    }

    /// The result of a call that does not run.
    fn pre_hooks(&self, call: &mut Call, report: &mut Report) -> Option<ToolResult> {
        for hook in &self.hooks {
            let Some(pre) = hook.pre.as_ref().filter(|_| hook.sees(call)) else { continue };
            let failure = match pre.before(call, report) {
                Ok(Pre::Go) => continue,
                Ok(Pre::Arguments(arguments)) if arguments.is_object() => {
                    call.arguments = arguments;
                    continue;
                }
                Ok(Pre::Arguments(_)) => "the arguments it gave are no JSON object".to_string(),
                Ok(Pre::Block(text)) => return Some(call.error(text)),
                Ok(Pre::Answer(content)) => return Some(call.ok(content)),
                Err(error) => error.to_string(),
            };
            let name = hook.name();
            report.diagnostics.push(format!("{name}: {failure}"));
            if hook.closed {
                let text = format!("The hook '{name}' failed, so the call was not run.");
                return Some(call.error(text));
            }
        }
        None
    }

    fn post_hooks(&self, call: Call, mut result: ToolResult, mut report: Report) -> Outcome {
        for hook in &self.hooks {
            let Some(post) = hook.post.as_ref().filter(|_| hook.sees(&call)) else { continue };
            let name = hook.name();
            match post.after(&call, &result, &mut report) {
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
        // Whose result it is does not depend on who made it.
        result.name = call.name().to_string();
        result.id = call.id().map(String::from);
        Outcome { call, result, report }
    }
}
