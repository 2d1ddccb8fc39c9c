//! The times at which calls leave, and the treatment of those that may not run: the options of
//! [`Deltas`](super::Deltas), which the writers share, and the calls that wait for them.

use std::str::FromStr;

use serde::{Serialize, Serializer};

use crate::error::{BuildError, UnknownName};
use crate::event::{Event, ToolUse};
use crate::message::IncompleteReason;

/// The treatment of a broken call, which the model ended and which may not run.
///
/// The answer never counts as truncated for it. Under [`Broken::Call`] the answer asks for a tool: the client answers
/// the call with an error, and the model tries again.
///
/// ```
/// use serde_json::Value;
/// use toolstream::adapt::{Broken, EventWriter, Protocol};
/// use toolstream::{Dialect, Parser};
///
/// let text = "Go. <tool_call>{\"name\": \"weather\", \"arguments\": {\"city\": }}</tool_call>";
/// for (broken, content, reason) in [
///     (Broken::Call, "Go. ", "tool_calls"),
///     (Broken::Text, "Go. <tool_call>{\"name\": \"weather\", \"arguments\": {\"city\": }}", "stop"),
///     (Broken::Hide, "Go. ", "stop"),
/// ] {
///     let mut parser = Parser::builder(Dialect::HERMES).build()?;
///     let writer = EventWriter::new(Protocol::OpenAiChat, &parser, "chatcmpl-1", "local");
///     let mut writer = writer.whole(true).broken_as(broken);
///     parser.feed_into(text, &mut writer);
///     parser.finish_into(&mut writer);
///     writer.finish();
///     let answer: Value = serde_json::from_slice(&writer.take())?;
///     let choice = &answer["choices"][0];
///     assert_eq!((&choice["message"]["content"], &choice["finish_reason"]), (&content.into(), &reason.into()));
///     assert_eq!(choice["broken_calls"][0]["reason"], "malformed_arguments");
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Broken {
    /// Sends the call with its readable arguments. Behind them stand a comma and an unmatched bracket (`{"city":,]`).
    /// No reader of JSON takes that for an object, not even one that closes open brackets. (Programs that repair
    /// anything do.)
    #[default]
    Call,
    /// Sends the call as text: from its opener to the place where its end was known, which in some dialects is in
    /// front of its closer. For a native call, and for a [`Message`](crate::Message), the text is the arguments. The
    /// decision comes before any part of a call leaves, so calls wait as in [`Calls::WhenWhole`].
    Text,
    /// Sends nothing. Calls wait as in [`Calls::WhenWhole`].
    Hide,
}

/// The time at which a call leaves.
///
/// ```
/// use toolstream::adapt::{Calls, Delta, Deltas};
/// use toolstream::{Dialect, Parser};
///
/// let mut parser = Parser::builder(Dialect::HERMES).build()?;
/// let mut deltas = Deltas::new(&parser).calls(Calls::WhenWhole);
/// let mut said = Vec::new();
/// for chunk in ["<tool_call>{\"name\": \"list\", \"argu", "ments\": {\"all\": tr", "ue}}</tool_call>"] {
///     parser.feed_into(chunk, &mut |event: toolstream::Event<&str>| {
///         deltas.push(event, &mut |delta| said.push(format!("{delta:?}")));
///     });
/// }
/// // It comes with the third chunk, all at once.
/// assert_eq!(said, [
///     "Call { index: 0, name: \"list\", id: None }",
///     "Arguments(\"{\\\"all\\\":true}\")",
///     "CallEnd { may_run: true, reason: None }",
/// ]);
/// # Ok::<(), toolstream::BuildError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Calls {
    /// Sends a call as soon as its name is known, and its arguments as they come. A truncated call has gone out as
    /// far as it came: a client that ignores how the answer ended may take it for more.
    #[default]
    AsTheyCome,
    /// Sends a call when it may run, all at once, and a broken one as [`Broken`] states. No part of a truncated call
    /// leaves.
    WhenWhole,
}

/// Whether the whole calls of a truncated message may run. A message is truncated if its ending is
/// [`Ending::Truncated`](crate::Ending). A message that stops right behind a call's closer lacks nothing, and is not.
///
/// ```
/// use toolstream::adapt::{EventWriter, OnCut, Protocol};
/// use toolstream::{Dialect, Parser};
///
/// let text = "<tool_call>{\"name\": \"list\", \"arguments\": {}}</tool_call>\nAnd th";
/// for (on_cut, sent) in [(OnCut::Keep, true), (OnCut::RefuseAll, false)] {
///     let mut parser = Parser::builder(Dialect::HERMES).build()?;
///     let mut writer = EventWriter::new(Protocol::Anthropic, &parser, "msg_1", "local").on_cut(on_cut);
///     parser.feed_into(text, &mut writer);
///     parser.finish_cut_into(&mut writer); // the connection broke
///     writer.finish();
///     assert_eq!(String::from_utf8(writer.take())?.contains("tool_use"), sent);
///     assert_eq!(writer.stop_reason(), "max_tokens");
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum OnCut {
    /// Whole calls may run.
    #[default]
    Keep,
    /// No call may run, since the rest of the answer is unknown. The first call, and everything behind it, waits for
    /// the end of the message, however much that is.
    RefuseAll,
}

/// The ways of an option, each by its name: in JSON, in Python and on the command line.
macro_rules! by_name {
    ($($option:ty, $kind:literal: { $($name:literal => $way:expr),* $(,)? })*) => {$(
        /// Reads the name.
        impl FromStr for $option {
            type Err = BuildError;

            fn from_str(name: &str) -> Result<Self, BuildError> {
                match name {
                    $($name => Ok($way),)*
                    _ => {
                        Err(UnknownName::new($kind, name, vec![$($name),*]).into())
                    }
                }
            }
        }
    )*};
}

by_name! {
    Broken, "form of broken calls": {
        "call" => Broken::Call, "text" => Broken::Text, "hide" => Broken::Hide,
    }
    Calls, "way of calls": {
        "as_they_come" => Calls::AsTheyCome, "when_whole" => Calls::WhenWhole,
    }
    OnCut, "way on a cut": { "keep" => OnCut::Keep, "refuse_all" => OnCut::RefuseAll }
}

/// Call that may not run though the model ended it, with the reason.
///
/// ```
/// use toolstream::adapt::{Delta, Deltas};
/// use toolstream::{Dialect, Parser, calls::IncompleteReason};
///
/// let mut parser = Parser::builder(Dialect::HERMES).build()?;
/// let mut deltas = Deltas::new(&parser);
/// // The cut is in the name of the tool.
/// for chunk in ["<tool_call>{\"name\": \"wea", "ther\", \"arguments\": {\"city\": }}</tool_call>"] {
///     parser.feed(chunk).for_each(|event| deltas.push(event, &mut |_| {}));
/// }
/// let [broken] = deltas.broken_calls() else { panic!() };
/// assert_eq!((&*broken.name, broken.reason), ("weather", IncompleteReason::MalformedArguments));
/// # Ok::<(), toolstream::BuildError>(())
/// ```
///
/// The writers send it beside the finish reason:
/// `{"index": 0, "name": "weather", "reason": "malformed_arguments"}`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct BrokenCall {
    /// The call's number in the message, from 0.
    pub index: usize,
    /// The tool, as the model names it.
    pub name: String,
    /// The reason for which it may not run.
    #[serde(serialize_with = "in_words")]
    pub reason: IncompleteReason,
}

fn in_words<S: Serializer>(reason: &IncompleteReason, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(reason.as_str())
}

/// The options of a [`Deltas`](super::Deltas).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Settings {
    pub broken: Broken,
    pub calls: Calls,
    pub on_cut: OnCut,
}

impl Settings {
    /// Whether a call leaves at its end, or later.
    pub fn waits(self) -> bool {
        self.calls == Calls::WhenWhole || self.broken != Broken::Call || self.waits_for_all()
    }

    /// Whether all from the first call on leaves at the end of the message.
    pub fn waits_for_all(self) -> bool {
        self.on_cut == OnCut::RefuseAll
    }
}

/// End of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    MayRun,
    Broken(IncompleteReason),
    /// The stream ended in it.
    Cut,
}

/// A part of the answer that waits.
#[derive(Clone, Debug)]
pub(super) enum Part {
    Content(String),
    Reasoning(String),
    Call(Box<Waiting>),
}

/// A call that has not left yet.
#[derive(Clone, Debug)]
pub(super) struct Waiting {
    pub index: usize,
    pub name: String,
    pub id: Option<String>,
    pub arguments: String,
    /// The call as the model wrote it, kept under [`Broken::Text`].
    pub text: String,
    /// The white space in front of it, which belongs to a text only if the call becomes one.
    pub white: Option<String>,
    /// Its arguments exceeded the bound: it is broken.
    pub full: bool,
    /// Its text exceeded the bound: it is broken, and the beginning of its text has left.
    pub spilt: bool,
    /// The end of the call, once it has ended.
    pub end: Option<End>,
}

/// The text of the call that is open, or may begin: kept if a broken call is sent as text.
#[derive(Clone, Debug, Default)]
pub(super) struct Source {
    /// Bytes that came in slices.
    position: usize,
    /// The markup that came last.
    markup: String,
}

impl Source {
    /// The call that begins at this byte, as far as it came.
    pub fn from(&mut self, at: usize, most: usize) -> String {
        let begin = self.position - self.markup.len();
        let opener = self.markup.get(at.saturating_sub(begin)..).unwrap_or_default();
        let opener = opener.get(tail(opener, most)..).unwrap_or_default().to_string();
        self.markup.clear();
        opener
    }

    /// Takes the next event. Returns its piece of the open call.
    pub fn see<'e>(&mut self, event: &Event<&'e str>, in_call: bool, most: usize) -> &'e str {
        let slice = event.slice().copied().unwrap_or_default();
        self.position += slice.len();
        match event {
            Event::Markup(_)
            | Event::ToolUse(ToolUse::ParamDelta(_) | ToolUse::ArgumentsDelta(_))
                if in_call =>
            {
                return slice;
            }
            Event::Markup(_) => {
                self.markup.push_str(slice);
                // More than is looked at, so that little is moved about.
                if self.markup.len() > most.saturating_mul(2).saturating_add(4) {
                    self.markup.drain(..tail(&self.markup, most));
                }
            }
            _ if slice.is_empty() => {}
            _ => self.markup.clear(),
        }
        ""
    }
}

/// Returns the offset of the last `most` bytes of a text, moved on to a character.
fn tail(text: &str, most: usize) -> usize {
    let from = text.len().saturating_sub(most);
    (from..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len())
}
