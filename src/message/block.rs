//! The parts of a message: [`Block`], and a call in both of its types, one that may run and one that may not.

use std::fmt;
use std::ops::Range;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::event::{Cause, Diagnostic, TypeHint};
use crate::options::json::{self, JsonError};
use crate::repair;

/// Content block of a message.
///
/// [`Message::blocks`](crate::Message::blocks) returns them in order.
///
/// ```
/// use toolstream::{Block, Dialect, Parser};
///
/// let parser = Parser::builder(Dialect::HERMES).build()?;
/// let message = parser.parse("<think>Hm.</think>I look.\n<tool_call>{\"name\": \"li");
/// for block in message.blocks() {
///     match block {
///         Block::Text(prose) => assert_eq!(prose.text, "I look.\n"),
///         Block::Reasoning(prose) => assert_eq!(prose.text, "Hm."),
///         Block::Call(call) => println!("run {} with {:?}", call.name(), call.input()),
///         Block::Incomplete(call) => println!("{} may not run: {}", call.name(), call.reason()),
///         _ => {}
///     }
/// }
/// assert_eq!(message.calls().count(), 0);
/// # Ok::<(), toolstream::BuildError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Block {
    /// Text for the user.
    Text(Prose),
    /// The model's reasoning.
    Reasoning(Prose),
    /// A call that may run: its markup closed, and its arguments were read.
    Call(CompleteCall),
    /// A call that may not run: still open, truncated, broken, or without the arguments that it needs.
    Incomplete(IncompleteCall),
    /// Data that a provider wants back at this place, such as an encrypted thought or a search of its own. A JSON
    /// object, as it came.
    Opaque(Value),
}

/// Text or reasoning.
///
/// The content of [`Block::Text`] and [`Block::Reasoning`].
///
/// ```
/// use toolstream::{Block, Dialect, Parser};
///
/// let mut reply = Parser::builder(Dialect::HERMES).build()?.reply();
/// reply.feed("I lo").for_each(drop);
/// let [Block::Text(prose)] = reply.message().blocks() else { panic!() };
/// assert!(prose.text == "I lo" && prose.partial);
/// # Ok::<(), toolstream::BuildError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Prose {
    /// The text so far.
    pub text: String,
    /// More may come.
    pub partial: bool,
    /// Data that the provider wants back with the block: a signature, for example. A JSON object.
    pub opaque: Option<Value>,
}

/// Call that may run. Only [`Message`](crate::Message) makes one.
#[derive(Clone, Debug, PartialEq)]
pub struct CompleteCall {
    pub(crate) parts: Parts,
    pub(crate) missing: Vec<String>,
}

/// Call that may not run.
///
/// [`Reply`](crate::Reply) has an example of a truncated one.
///
/// ```
/// use toolstream::{Block, Dialect, Parser, calls::IncompleteReason};
///
/// let parser = Parser::builder(Dialect::HERMES).build()?;
/// let mut reply = parser.reply();
/// reply.feed("<tool_call>{\"name\": \"list\", \"argu").for_each(drop);
/// reply.finish_cut().for_each(drop);
/// let [Block::Incomplete(call)] = reply.message().blocks() else { panic!() };
/// assert_eq!((call.name(), call.reason()), ("list", IncompleteReason::Cut));
/// # Ok::<(), toolstream::BuildError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct IncompleteCall {
    pub(crate) parts: Parts,
    pub(crate) partial: bool,
    pub(crate) reason: IncompleteReason,
    pub(crate) problem: Option<ArgumentsProblem>,
    pub(crate) broken_by: Option<Diagnostic>,
}

/// A mistake in a call's arguments, with its place.
///
/// ```
/// use toolstream::{Block, Dialect, Parser};
///
/// let parser = Parser::builder(Dialect::HERMES).build()?;
/// let message = parser.parse(r#"<tool_call>{"name": "f", "arguments": {"path" 1}}</tool_call>"#);
/// let Block::Incomplete(call) = &message.blocks()[0] else { panic!() };
/// let problem = call.problem().unwrap();
/// assert_eq!((problem.line, problem.column), (1, 9));
/// # Ok::<(), toolstream::BuildError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ArgumentsProblem {
    /// The line of [`IncompleteCall::raw`], from 1.
    pub line: usize,
    /// The character in this line, from 1, at which reading stopped.
    pub column: usize,
    /// A description of the mistake.
    pub what: String,
}

impl ArgumentsProblem {
    pub(super) fn new(raw: &str, error: &repair::ArgumentsError) -> ArgumentsProblem {
        let read = raw.get(..error.at).unwrap_or(raw);
        let line = read.rfind('\n').map_or(read, |at| &read[at + 1..]);
        ArgumentsProblem {
            line: read.matches('\n').count() + 1,
            column: line.chars().count() + 1,
            what: error.to_string(),
        }
    }
}

/// `…: line 1, column 9`
impl fmt::Display for ArgumentsProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: line {}, column {}", self.what, self.line, self.column)
    }
}

/// The reason for which a call may not run.
///
/// More reasons may come: a `match` needs a `_` arm.
///
/// [`IncompleteCall::reason`] returns it.
///
/// ```
/// use toolstream::{Block, Dialect, Parser, calls::IncompleteReason};
///
/// let parser = Parser::builder(Dialect::HERMES).build()?;
/// let message = parser.parse(r#"<tool_call>{"name": "read", "arguments": {"path" 1}}</tool_call>"#);
/// let [Block::Incomplete(call)] = message.blocks() else { panic!() };
/// assert_eq!(call.reason(), IncompleteReason::MalformedArguments);
/// assert_eq!(call.reason().to_string(), "malformed_arguments");
/// # Ok::<(), toolstream::BuildError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum IncompleteReason {
    /// The stream ended in the call, or is still in it.
    Cut,
    /// The call's markup is broken, or needed a recovery that [`Recoveries::Strict`](crate::options::Recoveries::Strict)
    /// refuses.
    Broken,
    /// The call's arguments cannot be read.
    MalformedArguments,
    /// The call lacks all or some of the arguments that its tool requires.
    MissingArguments,
    /// A value is of a type that its schema does not allow, and [`Types::Strict`](crate::options::Types::Strict) refuses it.
    TypeMismatch,
}

/// `cut`, `broken`, `malformed_arguments`, `missing_arguments`, `type_mismatch`.
impl fmt::Display for IncompleteReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl IncompleteReason {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            IncompleteReason::Cut => "cut",
            IncompleteReason::Broken => "broken",
            IncompleteReason::MalformedArguments => "malformed_arguments",
            IncompleteReason::MissingArguments => "missing_arguments",
            IncompleteReason::TypeMismatch => "type_mismatch",
        }
    }

    pub(super) fn new(cause: Cause) -> IncompleteReason {
        match cause {
            Cause::EndOfStream => IncompleteReason::Cut,
            Cause::Broken => IncompleteReason::Broken,
        }
    }
}

/// Parameter as the model wrote it.
///
/// [`CompleteCall::params`] returns them.
///
/// ```
/// use toolstream::{Dialect, Param, Parser, Tool, tools::Type};
///
/// let show = Tool::new("show").param(Param::required("line").with(Type::Integer));
/// let parser = Parser::builder(Dialect::CLINE).tool(show).build()?;
/// let message = parser.parse("<show><line>7</line></show>");
/// let call = message.calls().next().unwrap();
/// // As the model wrote it, and as the schema reads it.
/// assert_eq!((&*call.params()[0].value, &call.input()["line"]), ("7", &7.into()));
/// # Ok::<(), toolstream::BuildError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RawParam {
    /// The name, as the model wrote it.
    pub name: String,
    /// The value, as the model wrote it, less the dialect's frame.
    pub value: String,
    /// The type of the value, where the dialect writes one. It wins over the schema.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<TypeHint>,
    /// Whether the value's closer came.
    pub closed: bool,
    pub(crate) at: usize,
}

impl RawParam {
    /// Whether the model forgot the key of the value. (A member of a JSON object may have an empty key; such a
    /// parameter has a hint.)
    pub(crate) fn lacks_key(name: &str, hint: Option<TypeHint>) -> bool {
        name.is_empty() && hint.is_none()
    }
}

/// The data of a call, complete or incomplete.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Parts {
    pub index: usize,
    /// The number of the parser's dialect that the call is written in.
    pub dialect: usize,
    pub id: Option<String>,
    pub name: String,
    pub params: Vec<RawParam>,
    pub raw: Option<String>,
    pub input: Map<String, Value>,
    pub range: Range<usize>,
    pub opaque: Option<Value>,
}

macro_rules! call_accessors {
    ($of:ty, |$call:ident| $parts:expr) => {
        impl $of {
            /// Returns the call's number in the message, from 0.
            pub fn index(&self) -> usize {
                let $call = self;
                $parts.index
            }

            /// Returns the wire's own id, where the dialect has one.
            pub fn id(&self) -> Option<&str> {
                let $call = self;
                $parts.id.as_deref()
            }

            /// Returns the tool's name.
            pub fn name(&self) -> &str {
                let $call = self;
                &$parts.name
            }

            /// Returns the arguments, coerced by the tool's schema. A truncated call has the parameters that were
            /// closed, an open call none yet.
            pub fn input(&self) -> &Map<String, Value> {
                let $call = self;
                &$parts.input
            }

            /// Returns the parameters as the model wrote them, in order, the open one too.
            pub fn params(&self) -> &[RawParam] {
                let $call = self;
                &$parts.params
            }

            /// Returns the arguments as the model wrote them, where the dialect uses JSON.
            pub fn raw(&self) -> Option<&str> {
                let $call = self;
                $parts.raw.as_deref()
            }

            /// Returns the place of the call in the stream, in bytes: from its opener (that of its section, for the
            /// first call of a section) to the end of its closer.
            pub fn range(&self) -> Range<usize> {
                let $call = self;
                $parts.range.clone()
            }
        }
    };
}

call_accessors!(CompleteCall, |call| call.parts);
call_accessors!(IncompleteCall, |call| call.parts);

impl CompleteCall {
    /// Returns the required parameters that the call lacks, in the order of the schema. Such a call may still run;
    /// [`Required::Strict`](crate::options::Required::Strict) refuses it.
    pub fn missing(&self) -> &[String] {
        &self.missing
    }

    /// Reads the arguments as a type of yours.
    ///
    /// ```
    /// use toolstream::{Dialect, Parser};
    ///
    /// #[derive(serde::Deserialize)]
    /// struct Show { line: u32 }
    ///
    /// let parser = Parser::builder(Dialect::HERMES).build()?;
    /// let parse = |arguments: &str| {
    ///     let text = format!(r#"<tool_call>{{"name": "show", "arguments": {arguments}}}</tool_call>"#);
    ///     parser.parse(&text).calls().next().unwrap().parse::<Show>()
    /// };
    /// assert_eq!(parse(r#"{"line": 7}"#)?.line, 7);
    /// let error = parse(r#"{"line": "x"}"#).err().unwrap();
    /// assert_eq!(error.to_string(), r#"line: invalid type: string "x", expected a whole number of 0 or more"#);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`JsonError`] with serde's message and the place.
    pub fn parse<'a, T: Deserialize<'a>>(&'a self) -> Result<T, JsonError> {
        json::parse(&self.parts.input)
    }

    /// Returns the data that the provider wants back with the call: a JSON object.
    pub fn opaque(&self) -> Option<&Value> {
        self.parts.opaque.as_ref()
    }

    /// Returns the arguments, without a copy.
    #[must_use]
    pub fn into_input(self) -> Map<String, Value> {
        self.parts.input
    }
}

impl IncompleteCall {
    /// Whether the stream is still inside this call.
    pub fn partial(&self) -> bool {
        self.partial
    }

    /// Returns the reason for which the call may not run. The first of these counts: a mistake in its arguments, a
    /// stream that ended in it, broken markup. [`IncompleteReason::Cut`] while it is partial.
    pub fn reason(&self) -> IncompleteReason {
        self.reason
    }

    /// Returns the diagnostic for which the call may not run. With [`IncompleteReason::Broken`] it is the recovery
    /// that strict options refuse, or the bound that was crossed. `None` for a truncated call, and without a
    /// diagnostic. [`Message::refused`](crate::Message::refused) describes it in words.
    ///
    /// ```
    /// use toolstream::{
    ///     Block, Dialect, Param, Parser, Tool, diagnostic::DiagnosticKind, options::Recoveries,
    /// };
    ///
    /// let note = Tool::new("note").param(Param::required("title"));
    /// let parser = Parser::builder(Dialect::CLINE).tool(note).recoveries(Recoveries::Strict).build()?;
    /// let message = parser.parse("<note>\n<title>Oak list</note>");
    /// let Block::Incomplete(call) = &message.blocks()[0] else { panic!() };
    /// assert_eq!(call.broken_by().unwrap().kind, DiagnosticKind::MissingCloser);
    /// # Ok::<(), toolstream::BuildError>(())
    /// ```
    pub fn broken_by(&self) -> Option<&Diagnostic> {
        self.broken_by.as_ref()
    }

    /// Returns the mistake in the arguments and its place, if they are
    /// [malformed](IncompleteReason::MalformedArguments) JSON.
    pub fn problem(&self) -> Option<&ArgumentsProblem> {
        self.problem.as_ref()
    }
}
