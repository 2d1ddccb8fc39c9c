//! A call on its way through the hooks, and its outcome.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::message::CompleteCall;
use crate::options::json::{self, JsonError};
use crate::repair::{self, ArgumentsErrorKind, Repairs};
use crate::write::ToolResult;

/// Call of a message ([`Call::from`]), or of your program.
///
/// [`Hooks`](super::Hooks) has an example.
///
/// ```
/// use serde_json::json;
/// use toolstream::policy::Call;
///
/// let call = Call::new("read", json!({"path": "a.rs"}));
/// let (path,) = (call.arguments["path"].as_str().unwrap(),);
/// assert_eq!(call.ok(format!("text of {path}")).name, "read");
/// assert!(call.error("no such file").is_error);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Call {
    /// The tool's name.
    pub name: String,
    /// The id, if the call came with one.
    pub id: Option<String>,
    /// The arguments, as the hooks so far have left them. Pre hooks and the tool get an object. A post hook may also
    /// see the data that kept the call from running, the text for example.
    pub arguments: Value,
    /// Whether the call is that of a skill and not of a tool; both go the same way, and hooks may be for one of them.
    /// `None`: the name decides ([`Hooks::skill_tools`](super::Hooks::skill_tools)), before any hook sees the call.
    pub skill: Option<bool>,
    /// The conversation of the call, for hooks that count; default: no name.
    pub conversation: String,
}

impl Call {
    /// Makes a call with these arguments: an object, or its text as a provider has it, which is read by
    /// [`repair::arguments`] (unreadable text stays, and the call will not run).
    pub fn new(name: impl Into<String>, arguments: impl Into<Value>) -> Self {
        Call {
            name: name.into(),
            id: None,
            arguments: arguments.into(),
            skill: None,
            conversation: String::new(),
        }
    }

    /// Reads the arguments as a type of yours.
    ///
    /// # Errors
    /// The error of serde, with the place: `line: invalid type: string "x", expected a whole number of 0 or more`.
    pub fn parse<'a, T: Deserialize<'a>>(&'a self) -> Result<T, JsonError> {
        json::parse(&self.arguments)
    }

    /// Makes a result of this call.
    pub fn ok(&self, content: impl Into<Value>) -> ToolResult {
        ToolResult::ok(self.name.as_str(), content).with_id(self.id.as_deref())
    }

    /// Makes an error in place of this call's result, in words for the model.
    pub fn error(&self, text: impl Into<String>) -> ToolResult {
        ToolResult::error(self.name.as_str(), text.into()).with_id(self.id.as_deref())
    }

    /// Reads arguments that are text. Returns the reason that keeps the call from running: an error for the model.
    pub(super) fn read(&mut self) -> Option<ToolResult> {
        let name = &self.name;
        if let Value::String(text) = &self.arguments {
            match repair::arguments(text, Repairs::Default) {
                Ok(read) => self.arguments = read.object.into(),
                Err(error) if error.kind == ArgumentsErrorKind::NotAnObject => {}
                Err(error) => {
                    return Some(self.error(format!(
                        "The arguments of '{name}' could not be read: {}. Send the call again with \
                         valid JSON.",
                        error.kind.as_str()
                    )));
                }
            }
        }
        let not_an_object =
            || self.error(format!("The arguments of '{name}' are not a JSON object."));
        (!self.arguments.is_object()).then(not_an_object)
    }
}

impl From<&CompleteCall> for Call {
    fn from(call: &CompleteCall) -> Self {
        let id = call.id().map(String::from);
        Call { id, ..Call::new(call.name(), call.input().clone()) }
    }
}

/// Call whose tool runs now.
///
/// [`Hooks::before`](super::Hooks::before) returns it.
///
/// ```
/// use std::ops::ControlFlow;
/// use serde_json::json;
/// use toolstream::policy::{Call, Hooks};
///
/// let hooks = Hooks::default();
/// let ControlFlow::Continue(running) = hooks.before(Call::new("list", json!({}))) else { panic!() };
/// // The tool may take its time here.
/// let result = format!("what {} gave", running.call().name);
/// assert_eq!(hooks.after(running, result).result.content, "what list gave");
/// # Ok::<(), toolstream::policy::PolicyError>(())
/// ```
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Running {
    pub(in crate::policy) call: Call,
    pub(super) report: Report,
}

impl Running {
    /// Returns the call, with the arguments for the tool.
    pub fn call(&self) -> &Call {
        &self.call
    }

    /// Returns the report of the pre hooks: a note to the model, for example.
    pub fn report(&self) -> &Report {
        &self.report
    }
}

/// Outcome of a call.
///
/// [`Hooks::execute`](super::Hooks::execute) returns it.
///
/// ```
/// use serde_json::json;
/// use toolstream::Tool;
/// use toolstream::policy::{Call, Hooks, Validator};
///
/// let hooks = Hooks::standard(vec![Tool::new("list")], &Validator::default())?;
/// let outcome = hooks.execute(Call::new("list", json!({})), |_| Ok::<_, String>("a.rs"));
/// assert_eq!((&outcome.result.content, outcome.report.tool_ran), (&json!("a.rs"), true));
/// # Ok::<(), toolstream::policy::PolicyError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CallOutcome {
    /// The call, with the arguments as the hooks have left them.
    pub call: Call,
    /// The result for the model.
    pub result: ToolResult,
    /// The report of the hooks beside the result.
    pub report: Report,
}

impl CallOutcome {
    /// Makes the outcome of a call that no hook has seen: an error, in words for the model.
    pub(in crate::policy) fn not_run(call: Call, text: &str) -> CallOutcome {
        CallOutcome { result: call.error(text), call, report: Report::default() }
    }
}

/// Report of the hooks beside the result. Every hook may write into it.
///
/// A field of a [`CallOutcome`].
///
/// ```
/// use serde_json::json;
/// use toolstream::Tool;
/// use toolstream::policy::{Call, Hooks, Validator};
///
/// let hooks = Hooks::standard(vec![Tool::new("list")], &Validator::default())?;
/// let outcome = hooks.execute(Call::new("lost", json!({})), |_| Ok::<_, String>("a.rs"));
/// assert!(!outcome.report.tool_ran && outcome.result.is_error); // it is not declared
/// # Ok::<(), toolstream::policy::PolicyError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Report {
    /// The hooks that failed: `NAME: message`.
    pub diagnostics: Vec<String>,
    /// Whether the tool has run; then the result of the first post hook is its own. Otherwise the call was blocked,
    /// or answered by a hook.
    pub tool_ran: bool,
    /// Whether a part of the result was cut (`trace_sanitization`).
    pub truncated: bool,
    /// The number of equal calls in a row (`repeat_guard`).
    pub repeats: Option<usize>,
    /// A note for the model, to send beside the result; `repeat_guard` has one where it warns.
    pub note: Option<String>,
    /// Whether to ask the user: the model goes in circles.
    pub escalate: bool,
}
