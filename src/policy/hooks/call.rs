//! A call on its way through the hooks, and what comes of it.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::message::CompleteCall;
use crate::options::json::{self, JsonError};
use crate::policy::config::names;
use crate::repair::{self, ArgumentsErrorKind, Repairs};
use crate::write::ToolResult;

/// A call.
///
/// [`ArgValidation`](super::ArgValidation) has an example.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Call {
    name: String,
    id: Option<String>,
    pub(super) arguments: Value,
    pub(super) call_type: Option<CallType>,
    conversation: String,
    /// Why the arguments' text cannot be read. The hooks have heard of it before a call is stored.
    #[serde(skip)]
    unreadable: Option<ArgumentsErrorKind>,
}

/// Whether a call is a tool's or a skill's. Both go the same way; hooks may be for one of them.
///
/// [`Hook::on`](super::Hook::on) asks for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CallType {
    /// Of a tool.
    Tool,
    /// Of a skill.
    Skill,
}

names!(CallType { Tool: "tool", Skill: "skill" });

impl Call {
    /// A call with these arguments, which should be an object.
    pub fn new(name: impl Into<String>, arguments: impl Into<Value>) -> Self {
        Call {
            name: name.into(),
            id: None,
            arguments: arguments.into(),
            call_type: None,
            conversation: String::new(),
            unreadable: None,
        }
    }

    /// A call whose arguments are text, as a provider has them; they are read by
    /// [`repair::arguments`]. Text that cannot be read stays what it is, and the call will not run.
    pub fn raw(name: impl Into<String>, arguments: &str) -> Self {
        match repair::arguments(arguments, Repairs::Default) {
            Ok(read) => Call::new(name, read.object),
            Err(error) => Call { unreadable: Some(error.kind), ..Call::new(name, arguments) },
        }
    }

    /// What the host knows better than [`Hooks::skill_tools`](super::Hooks::skill_tools).
    #[must_use]
    pub fn of_type(mut self, call_type: CallType) -> Self {
        self.call_type = Some(call_type);
        self
    }

    /// The conversation that the call is part of, for hooks that count; default: one without a
    /// name.
    #[must_use]
    pub fn in_conversation(mut self, conversation: impl Into<String>) -> Self {
        self.conversation = conversation.into();
        self
    }

    /// The tool's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The id, if the call came with one.
    pub fn id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    /// The arguments, as the hooks so far have left them. An object for pre hooks and the tool; a
    /// post hook may also see what kept the call from running, the text for example.
    pub fn arguments(&self) -> &Value {
        &self.arguments
    }

    /// The arguments as a type of the host's own.
    ///
    /// # Errors
    /// What serde says, with the place: `line: invalid type: string "x", expected u32`.
    pub fn parse<'a, T: Deserialize<'a>>(&'a self) -> Result<T, JsonError> {
        json::parse(&self.arguments)
    }

    /// The arguments, without a copy.
    #[must_use]
    pub fn into_input(self) -> Value {
        self.arguments
    }

    /// Whose call it is.
    pub fn call_type(&self) -> CallType {
        self.call_type.unwrap_or(CallType::Tool)
    }

    /// The conversation's name.
    pub fn conversation(&self) -> &str {
        &self.conversation
    }

    /// A result of this call.
    pub fn ok(&self, content: impl Into<Value>) -> ToolResult {
        ToolResult::ok(self.name.as_str(), content).with_id(self.id())
    }

    /// An error in place of this call's result, in words for the model.
    pub fn error(&self, text: impl Into<String>) -> ToolResult {
        ToolResult::error(self.name.as_str(), text.into()).with_id(self.id())
    }

    /// What keeps the call from running before any hook has seen it.
    pub(super) fn problem(&self) -> Option<String> {
        let name = &self.name;
        match self.unreadable {
            Some(kind) if kind != ArgumentsErrorKind::NotAnObject => Some(format!(
                "The arguments of '{name}' could not be read: {}. Send the call again with valid \
                 JSON.",
                kind.as_str()
            )),
            None if self.arguments.is_object() => None,
            _ => Some(format!("The arguments of '{name}' are not a JSON object.")),
        }
    }
}

impl From<&CompleteCall> for Call {
    fn from(call: &CompleteCall) -> Self {
        let id = call.id().map(String::from);
        Call { id, ..Call::new(call.name(), call.input().clone()) }
    }
}

/// What [`Hooks::before`](super::Hooks::before) decides.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum HookDecision {
    /// Run the tool, then call [`Hooks::after`](super::Hooks::after).
    Run(Running),
    /// The call is done without the tool: blocked, or answered by a hook.
    Done(Outcome),
}

/// A call whose tool is to run now.
///
/// In a [`HookDecision::Run`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Running {
    pub(super) call: Call,
    pub(super) report: Report,
}

impl Running {
    /// The call, with the arguments to run it with.
    pub fn call(&self) -> &Call {
        &self.call
    }

    /// What the pre hooks have to say; whether to warn, for example.
    pub fn report(&self) -> &Report {
        &self.report
    }
}

/// What came of a call.
///
/// [`Hooks::execute`](super::Hooks::execute) gives it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Outcome {
    /// The call, with the arguments as the hooks have left them.
    pub call: Call,
    /// The result for the model.
    pub result: ToolResult,
    /// What the hooks have to say beside it.
    pub report: Report,
}

impl Outcome {
    /// Whether the tool was kept from running, by an error or by a result in place of its own.
    pub fn is_blocked(&self) -> bool {
        !self.report.tool_ran
    }
}

/// What hooks say beside the result. Every hook may write into it.
///
/// In an [`Outcome`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Report {
    /// The hooks that failed: `NAME: message`.
    pub diagnostics: Vec<String>,
    /// The tool has run; so the result of the first post hook is its own.
    pub tool_ran: bool,
    /// Something of the result was cut ([`TraceSanitization`](super::TraceSanitization)).
    pub truncated: bool,
    /// How often this call was made in a row ([`RepeatGuard`](super::RepeatGuard)).
    pub repeats: Option<usize>,
    /// It was made too often.
    pub warn: bool,
    /// A note for the model, to be sent beside the result.
    pub note: Option<String>,
    /// Ask the user: the model goes in circles.
    pub escalate: bool,
}
