//! [`EventWriter`]: writes the events of one message as the body of an answer, in the protocol of the client.
//!
//! A protocol is four functions over the items of an answer (a piece of text, of reasoning, a call): an item begins,
//! continues and ends, and a frame surrounds all items. This module decides on the items, once for all protocols.

mod anthropic;
mod chat;
mod frames;
mod responses;
mod template;

use std::fmt;
use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::ReasoningKey;
use super::calls::{Broken, BrokenCall, Calls, OnCut};
use super::delta::{Delta, Deltas};
use crate::event::Event;
use crate::message::{IncompleteReason, Message};
use crate::native;
use crate::parser::Parser;
use crate::parser::tables::Tables;
use crate::sink::Sink;
use crate::tool::Namespace;
use crate::tool::json::INPUT;
use frames::Frames;
use template::{Does, Template};

/// Protocol of a client.
///
/// ```
/// use toolstream::adapt::{EventWriter, Protocol};
/// use toolstream::{Dialect, Parser};
///
/// let parser = Parser::builder(Dialect::HERMES).build()?;
/// // A gateway learns with the request which protocol its client speaks.
/// let protocol = match "/v1/messages" {
///     "/v1/messages" => Protocol::Anthropic,
///     "/v1/responses" => Protocol::OpenAiResponses,
///     _ => Protocol::OpenAiChat,
/// };
/// let writer = EventWriter::new(protocol, &parser, "msg_1", "local");
/// # Ok::<(), toolstream::BuildError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Protocol {
    /// OpenAI's chat completions, `POST /v1/chat/completions`: the protocol of most clients.
    OpenAiChat,
    /// OpenAI's Responses, `POST /v1/responses`: the protocol of Codex. A call is a `function_call`. A call of a tool
    /// that was declared as `custom` ([`Tool::free_text`](crate::Tool::free_text)) is a `custom_tool_call`, whose
    /// `input` comes when it is whole.
    OpenAiResponses,
    /// Anthropic's Messages, `POST /v1/messages`: the protocol of Claude Code.
    Anthropic,
}

impl Protocol {
    fn wire(self) -> &'static Wire {
        match self {
            Protocol::OpenAiChat => &chat::WIRE,
            Protocol::Anthropic => &anthropic::WIRE,
            Protocol::OpenAiResponses => &responses::WIRE,
        }
    }
}

/// Writes an answer for a client, streamed or whole, from the events of one message of any dialect or provider. Feed
/// events, and send the result of [`EventWriter::take`], for every [protocol](Protocol).
///
/// ```
/// use toolstream::adapt::{EventWriter, Protocol};
/// use toolstream::{Dialect, Parser};
///
/// let mut parser = Parser::builder(Dialect::HERMES).build()?;
/// let mut writer = EventWriter::new(Protocol::Anthropic, &parser, "msg_1", "local");
///
/// let mut sent = Vec::new();
/// // The first chunk ends inside the opener.
/// for chunk in ["Go:<tool_c", "all>{\"name\": \"list\", \"arguments\": {}}</tool_call>"] {
///     parser.feed_into(chunk, &mut writer);
///     sent.extend(writer.take());
/// }
/// parser.finish_into(&mut writer);
/// writer.finish();
/// sent.extend(writer.take());
///
/// let sent = String::from_utf8(sent)?;
/// let events: Vec<&str> = sent.lines().filter_map(|line| line.strip_prefix("event: ")).collect();
/// assert_eq!(events, [
///     "message_start",
///     "content_block_start", "content_block_delta", "content_block_stop",
///     "content_block_start", "content_block_delta", "content_block_delta", "content_block_stop",
///     "message_delta", "message_stop",
/// ]);
/// assert!(sent.contains(r#""id":"call_msg_1_0","name":"list""#), "{sent}");
/// assert_eq!((writer.stop_reason(), writer.made_up_ids()), ("tool_use", &[0][..]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # All protocols
///
/// * **Arguments** are a JSON object if the call may run, and never read as one if it may not.
/// * **A truncated call** was sent as far as it came: the beginning of an object. The stop reason is that of a
///   truncated answer, and clients must not run such a call. A whole answer leaves the call out, or, in Responses,
///   marks it as `incomplete`. [`EventWriter::calls`] leaves it out of streams, too.
/// * **A broken call**, which the model ended, is sent with its readable arguments and, behind them and outside of
///   their strings, a comma and an unmatched bracket: `{"city":,]`. No reader takes that for an object, so agents
///   answer the call with an error, and the model tries again. The stop reason is that of an answer with calls.
///   [`EventWriter::broken_as`] hides the call, or sends it as text. There are two
///   exceptions. Anthropic's `input` must be an object, so a whole `input` (in whole answers and with
///   [`Calls::WhenWhole`]) is Anthropic's own `{"INVALID_JSON": "{\"city\":,]"}`; in a stream, the helpers of its
///   clients raise an error for half an object. The text of a `custom_tool_call` is left out, for any text may run;
///   the call is `incomplete`.
/// * **The reason of a broken call** stands beside the stop reason, where no client sends it back: `"broken_calls":
///   [{"index": 0, "name": "weather", "reason": "malformed_arguments"}]`. It is in the last `choices`, in
///   `message_delta` or the whole message, or in the last `response`. Answers without such calls do not have it.
///   [`EventWriter::broken_calls`] returns it.
/// * **Ids**: a call keeps the id that the model wrote before it. Every protocol demands an id: your program's
///   function makes the others ([`EventWriter::ids`]), and [`EventWriter::made_up_ids`] lists them.
/// * **A tool of a namespace** ([`Tool::namespace`](crate::Tool::namespace)) has its own name again, with the `namespace` beside
///   it, in Responses and in chats; Anthropic's clients have no namespaces.
/// * **White space** that only shows where a call or reasoning stood is left out: there are no blocks of blank text
///   between two calls.
/// * **The surplus call** of a tool limit is left out.
///
/// A writer writes one answer. The arguments' bound limits the held bytes (1 MiB, [`EventWriter::hold`]), with three
/// exceptions: a whole answer, Responses, whose last event repeats all of it, and [`OnCut::RefuseAll`].
pub struct EventWriter {
    protocol: Protocol,
    deltas: Deltas,
    answer: Answer,
    frames: Frames,
}

/// The answer so far, and the facts about it.
struct Answer {
    head: Head,
    whole: bool,
    /// Calls come all at once.
    at_once: bool,
    ids: Box<dyn FnMut(usize) -> String + Send>,
    made_up: Vec<usize>,
    /// The tools.
    tables: Option<Arc<Tables>>,
    /// The last item may be open. Their text is kept if it is repeated later.
    items: Vec<Item>,
    open: bool,
    /// The number of calls among the items.
    calls: usize,
    ended: bool,
    /// The frames in which an item of each kind begins, continues and ends, once they were written.
    templates: [[Option<Template>; 4]; 3],
}

/// The parts around an answer.
struct Head {
    id: String,
    model: String,
    created: u64,
    reasoning: ReasoningKey,
    usage: Option<Usage>,
    /// Written at the end.
    broken: Vec<BrokenCall>,
}

#[derive(Clone, Copy)]
struct Usage {
    input: u64,
    output: u64,
}

/// An error in the protocol's words.
#[derive(Clone, Copy)]
struct Failure<'a> {
    kind: &'a str,
    code: Option<&'a str>,
    message: &'a str,
}

/// A part of an answer, in the order of the message.
struct Item {
    kind: Kind,
    /// Its text, or the arguments of the call, if it is kept.
    text: String,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Open,
    /// Whole; a call may run.
    Whole,
    /// A call that the model ended, and that may not run.
    Broken,
    /// A call in which the stream ended.
    Cut,
}

enum Kind {
    Text,
    Reasoning,
    /// A call. For a tool that takes free text, the protocol gets the text when it is whole.
    Call {
        /// Among the calls of the answer, from 0.
        number: usize,
        name: String,
        /// The client declared it in this namespace, under this name.
        namespace: Option<String>,
        id: String,
        free_text: bool,
    },
}

/// End of an answer; each protocol has its own word for it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stop {
    Cut,
    Calls,
    Turn,
}

impl Stop {
    fn new(deltas: &Deltas) -> Stop {
        match (deltas.is_cut(), deltas.expects_results()) {
            (true, _) => Stop::Cut,
            (false, true) => Stop::Calls,
            (false, false) => Stop::Turn,
        }
    }
}

impl EventWriter {
    /// Makes a writer for the events of this parser; `id` and `model` are the answer's.
    pub fn new(protocol: Protocol, parser: &Parser, id: &str, model: &str) -> Self {
        EventWriter::with_deltas(protocol, Deltas::new(parser), id, model)
    }

    /// Makes a writer for the events of this reader of a provider's stream.
    pub fn for_reader(protocol: Protocol, reader: &native::Reader, id: &str, model: &str) -> Self {
        EventWriter::with_deltas(protocol, Deltas::for_reader(reader), id, model)
    }

    /// Makes a writer for events of another origin: without schemas, all parameters are strings.
    pub fn untyped(protocol: Protocol, id: &str, model: &str) -> Self {
        EventWriter::with_deltas(protocol, Deltas::untyped(), id, model)
    }

    fn with_deltas(protocol: Protocol, deltas: Deltas, id: &str, model: &str) -> Self {
        let made_of = id.to_string();
        let (id, model) = (id.to_string(), model.to_string());
        let (reasoning, broken) = (ReasoningKey::default(), Vec::new());
        let head = Head { id, model, created: 0, reasoning, usage: None, broken };
        let ids = Box::new(move |index| format!("call_{made_of}_{index}"));
        let tables = deltas.tables().cloned();
        let answer = Answer {
            head,
            whole: false,
            at_once: false,
            ids,
            made_up: Vec::new(),
            tables,
            items: Vec::new(),
            open: false,
            calls: 0,
            ended: false,
            templates: Default::default(),
        };
        EventWriter { protocol, deltas, answer, frames: Frames::default() }
    }

    /// Writes one JSON object at the end, for a request without a stream. Default: a stream.
    #[must_use]
    pub fn whole(mut self, whole: bool) -> Self {
        self.answer.whole = whole;
        self
    }

    /// Sets the time at which the answer began, in seconds since 1970. Default: 0. Anthropic's protocol has no such
    /// time.
    #[must_use]
    pub fn created(mut self, seconds: u64) -> Self {
        self.answer.head.created = seconds;
        self
    }

    /// Sets the function that makes an id for a call without one, from its index in the message. Default:
    /// `call_`, the id of the answer, `_` and the index, so that no name comes twice in a conversation.
    #[must_use]
    pub fn ids(mut self, ids: impl FnMut(usize) -> String + Send + 'static) -> Self {
        self.answer.ids = Box::new(ids);
        self
    }

    /// Sets whether reasoning is sent, and in chat completions under which names. Default: [`ReasoningKey::Content`];
    /// [`ReasoningKey::None`] leaves it out in all protocols.
    #[must_use]
    pub fn reasoning_key(mut self, key: ReasoningKey) -> Self {
        self.answer.head.reasoning = key;
        self
    }

    /// Sets how many bytes of a call's arguments may wait. A call that needs more is broken. Default: 1 MiB.
    #[must_use]
    pub fn hold(mut self, bytes: usize) -> Self {
        self.deltas = self.deltas.hold(bytes);
        self
    }

    /// Sets how a broken call, which the model ended, reaches the client. Default: [`Broken::Call`].
    #[must_use]
    pub fn broken_as(mut self, broken: Broken) -> Self {
        self.deltas = self.deltas.broken_as(broken);
        self
    }

    /// Sets when a call is sent. Default: [`Calls::AsTheyCome`].
    #[must_use]
    pub fn calls(mut self, calls: Calls) -> Self {
        self.deltas = self.deltas.calls(calls);
        self
    }

    /// Sets whether the whole calls of a cut message may run. Default: [`OnCut::Keep`].
    #[must_use]
    pub fn on_cut(mut self, on_cut: OnCut) -> Self {
        self.deltas = self.deltas.on_cut(on_cut);
        self
    }

    /// Sets the number of tokens that were read and written, as far as it is known. The next event with such numbers
    /// has them; chat completions have them at the end.
    pub fn usage(&mut self, input: u64, output: u64) {
        self.answer.head.usage = Some(Usage { input, output });
    }

    /// Takes the next event. Behind the end of the answer nothing is written.
    pub fn push<S: AsRef<str>>(&mut self, event: Event<S>) {
        let EventWriter { protocol, deltas, answer, frames } = self;
        if answer.ended {
            return;
        }
        answer.start(*protocol, deltas.holds_calls(), frames);
        deltas.push(event, &mut |delta| answer.delta(*protocol, delta, frames));
    }

    /// Takes a whole message, in place of its events.
    pub fn push_message(&mut self, message: &Message) {
        let EventWriter { protocol, deltas, answer, frames } = self;
        if answer.ended {
            return;
        }
        answer.start(*protocol, deltas.holds_calls(), frames);
        deltas.push_message(message, &mut |delta| answer.delta(*protocol, delta, frames));
    }

    /// Ends the answer, after the events of [`Parser::finish`]. An open call was cut.
    pub fn finish(&mut self) {
        let EventWriter { protocol, deltas, answer, frames } = self;
        if std::mem::replace(&mut answer.ended, true) {
            return;
        }
        answer.start(*protocol, deltas.holds_calls(), frames);
        deltas.finish(&mut |delta| answer.delta(*protocol, delta, frames));
        answer.close(*protocol, State::Whole, frames);
        let stop = Stop::new(deltas);
        answer.head.broken = deltas.broken_calls().to_vec();
        match (protocol, answer.whole) {
            (Protocol::OpenAiChat, false) => chat::end(&answer.head, stop, frames),
            (Protocol::OpenAiChat, true) => chat::whole(&answer.head, &answer.items, stop, frames),
            (Protocol::Anthropic, false) => anthropic::end(&answer.head, stop, frames),
            (Protocol::Anthropic, true) => {
                anthropic::whole(&answer.head, &answer.items, stop, frames);
            }
            (Protocol::OpenAiResponses, streams) => {
                responses::end(&answer.head, &answer.items, stop, !streams, frames);
            }
        }
    }

    /// Ends the answer with an error of the server, in the words of the protocol: the client raises an exception.
    /// Nothing is written after it.
    pub fn fail(&mut self, message: &str) {
        let kind = match self.protocol {
            Protocol::Anthropic => "api_error",
            Protocol::OpenAiChat | Protocol::OpenAiResponses => "server_error",
        };
        self.fail_as(kind, None, message);
    }

    /// Ends the answer with an error of this kind. Clients decide by the kind whether to repeat the request. `kind` is
    /// the protocol's word for it (`rate_limit_error`). `code` is the closer word of OpenAI's protocols
    /// (`context_length_exceeded`); Responses have only the code, or the kind if there is no code.
    ///
    /// ```
    /// use toolstream::adapt::{EventWriter, Protocol};
    ///
    /// let mut writer = EventWriter::untyped(Protocol::Anthropic, "msg_1", "local");
    /// writer.fail_as("overloaded_error", None, "Later, please.");
    /// let sent = String::from_utf8(writer.take())?;
    /// assert!(sent.starts_with("event: error\n") && sent.contains(r#""type":"overloaded_error""#), "{sent}");
    /// # Ok::<(), std::string::FromUtf8Error>(())
    /// ```
    pub fn fail_as(&mut self, kind: &str, code: Option<&str>, message: &str) {
        let EventWriter { protocol, answer, frames, .. } = self;
        if std::mem::replace(&mut answer.ended, true) {
            return;
        }
        let (whole, failure) = (answer.whole, Failure { kind, code, message });
        match protocol {
            Protocol::OpenAiChat => chat::fail(&failure, whole, frames),
            Protocol::Anthropic => anthropic::fail(&failure, whole, frames),
            Protocol::OpenAiResponses => {
                responses::fail(&answer.head, &answer.items, &failure, whole, frames);
            }
        }
    }

    /// Takes the bytes to send now: UTF-8, whole events. Empty if there is nothing to send.
    pub fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.frames.bytes)
    }

    /// Returns the `content-type` of the answer: `text/event-stream`, or `application/json` for a whole one.
    pub fn content_type(&self) -> &'static str {
        if self.answer.whole { "application/json" } else { "text/event-stream" }
    }

    /// Returns the calls that must not run, by their index, as [`Deltas::broken`].
    pub fn broken(&self) -> &[usize] {
        self.deltas.broken()
    }

    /// Returns the calls that the model ended and that may not run, with the reasons, as [`Deltas::broken_calls`].
    pub fn broken_calls(&self) -> &[BrokenCall] {
        self.deltas.broken_calls()
    }

    /// Returns the calls that came without an id, by their index.
    pub fn made_up_ids(&self) -> &[usize] {
        &self.answer.made_up
    }

    /// Returns how the answer ended, in the protocol's words, once it has ended.
    pub fn stop_reason(&self) -> &'static str {
        let stop = Stop::new(&self.deltas);
        match self.protocol {
            Protocol::OpenAiChat => chat::reason(stop),
            Protocol::Anthropic => anthropic::reason(stop),
            Protocol::OpenAiResponses => responses::status(stop),
        }
    }
}

impl Sink for EventWriter {
    fn event(&mut self, event: Event<&str>) {
        self.push(event);
    }
}

impl fmt::Debug for EventWriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventWriter")
            .field("protocol", &self.protocol)
            .field("deltas", &self.deltas)
            .finish_non_exhaustive()
    }
}

impl Answer {
    fn start(&mut self, protocol: Protocol, at_once: bool, frames: &mut Frames) {
        self.at_once = at_once;
        if self.whole || frames.begun {
            return;
        }
        frames.begun = true;
        match protocol {
            Protocol::OpenAiChat => chat::start(&self.head, frames),
            Protocol::Anthropic => anthropic::start(&self.head, frames),
            Protocol::OpenAiResponses => responses::start(&self.head, frames),
        }
    }

    fn delta(&mut self, protocol: Protocol, delta: Delta<'_>, frames: &mut Frames) {
        match delta {
            Delta::Content(text) => {
                if !self.is_open(|kind| matches!(kind, Kind::Text)) {
                    self.open(protocol, Kind::Text, frames);
                }
                self.write_piece(protocol, text, frames);
            }
            Delta::Reasoning(_) if self.head.reasoning == ReasoningKey::None => {}
            Delta::Reasoning(text) => {
                if !self.is_open(|kind| matches!(kind, Kind::Reasoning)) {
                    self.open(protocol, Kind::Reasoning, frames);
                }
                self.write_piece(protocol, text, frames);
            }
            Delta::Call { index, name, id } => {
                let id = id.map_or_else(|| self.made_up(index), String::from);
                let kind = self.call(protocol, name, id);
                self.calls += 1;
                self.open(protocol, kind, frames);
            }
            // The end of the call decides whether the input has to be wrapped: here it must be an object.
            Delta::Arguments(all) if self.at_once && protocol == Protocol::Anthropic => {
                self.items.last_mut().iter_mut().for_each(|item| item.text.push_str(all));
            }
            Delta::Arguments(fragment) => self.write_piece(protocol, fragment, frames),
            Delta::CallEnd { reason, .. } => {
                let state = match reason {
                    None => State::Whole,
                    Some(IncompleteReason::Cut) => State::Cut,
                    Some(_) => State::Broken,
                };
                if protocol == Protocol::Anthropic && (self.at_once || self.whole) {
                    self.input(state, frames);
                }
                self.close(protocol, state, frames);
            }
        }
    }

    /// Makes a call under the name and namespace by which the client declared the tool.
    fn call(&self, protocol: Protocol, name: &str, id: String) -> Kind {
        let tool = self.tables.as_ref().and_then(|tables| tables.tool(name));
        let takes_text = tool.is_some_and(|tool| tool.free_text);
        let free_text = protocol == Protocol::OpenAiResponses && takes_text;
        let number = self.calls;
        // Anthropic's protocol has no namespaces.
        let namespace = tool.and_then(|tool| tool.namespace.clone());
        match namespace.filter(|_| protocol != Protocol::Anthropic) {
            Some(Namespace { name: namespace, tool: name }) => {
                Kind::Call { number, name, namespace: Some(namespace), id, free_text }
            }
            None => Kind::Call { number, name: name.to_string(), namespace: None, id, free_text },
        }
    }

    /// Writes a call's whole input, in Anthropic's protocol: it must be an object.
    fn input(&mut self, state: State, frames: &mut Frames) {
        let Some(item) = self.items.last_mut() else { return };
        let mut arguments = std::mem::take(&mut item.text);
        if state == State::Broken {
            arguments = json!({"INVALID_JSON": arguments}).to_string();
        }
        self.write_piece(Protocol::Anthropic, &arguments, frames);
    }

    fn made_up(&mut self, index: usize) -> String {
        self.made_up.push(index);
        (self.ids)(index)
    }

    fn is_open(&self, is: impl Fn(&Kind) -> bool) -> bool {
        self.open && self.items.last().is_some_and(|item| is(&item.kind))
    }

    fn open(&mut self, protocol: Protocol, kind: Kind, frames: &mut Frames) {
        self.close(protocol, State::Whole, frames);
        self.items.push(Item { kind, text: String::new(), state: State::Open });
        self.open = true;
        self.tell(protocol, Does::Begin, "", frames);
    }

    fn write_piece(&mut self, protocol: Protocol, piece: &str, frames: &mut Frames) {
        // Responses repeat the text at the end of an item and of the answer; a whole answer needs it, too.
        if self.whole || protocol == Protocol::OpenAiResponses {
            self.items.last_mut().iter_mut().for_each(|item| item.text.push_str(piece));
        }
        self.tell(protocol, Does::GoOn, piece, frames);
    }

    fn close(&mut self, protocol: Protocol, state: State, frames: &mut Frames) {
        if !std::mem::take(&mut self.open) {
            return;
        }
        if let Some(item) = self.items.last_mut() {
            item.state = state;
            if state == State::Whole && matches!(item.kind, Kind::Call { free_text: true, .. }) {
                item.text = free_text(&item.text);
            }
        }
        self.tell(protocol, Does::End, "", frames);
    }

    /// Writes the step of the last item, in a stream.
    fn tell(&mut self, protocol: Protocol, does: Does, piece: &str, frames: &mut Frames) {
        let Answer { head, items, templates, whole: false, .. } = self else { return };
        let Some((item, before)) = items.split_last() else { return };
        let place = Place { head, item, number: before.len() };
        let wire = protocol.wire();
        let (known, number) = match item.kind {
            Kind::Text => (0, place.number),
            Kind::Reasoning => (1, place.number),
            Kind::Call { free_text: true, .. } => (2, place.number),
            Kind::Call { number, .. } if protocol == Protocol::OpenAiChat => (3, number),
            Kind::Call { .. } => (3, place.number),
        };
        // The end of a call that may not run looks different, and so does a call of a namespace.
        let in_namespace = matches!(&item.kind, Kind::Call { namespace: Some(_), .. });
        let is_plain = match does {
            Does::Begin => !in_namespace,
            Does::GoOn => true,
            Does::End => item.state == State::Whole && !in_namespace,
        };
        if !is_plain {
            return does.write(wire, &place, piece, frames);
        }
        let template = &mut templates[does as usize][known];
        if template.is_none() {
            *template = Template::find(does, wire, head, &item.kind);
        }
        match template {
            Some(template) if item.state == State::Whole => {
                template.write(item, number, &item.text, frames)
            }
            Some(template) => template.write(item, number, piece, frames),
            None => does.write(wire, &place, piece, frames),
        }
    }
}

/// Returns the text of a call of a tool that takes free text. Other arguments are sent as they are.
fn free_text(arguments: &str) -> String {
    let object: Result<Map<String, Value>, _> = serde_json::from_str(arguments);
    match object.ok().and_then(|mut object| object.remove(INPUT)) {
        Some(Value::String(text)) => text,
        _ => arguments.to_string(),
    }
}

/// The way in which a protocol streams an item.
struct Wire {
    open: fn(&Place<'_>, &mut Frames),
    write_piece: fn(&Place<'_>, &str, &mut Frames),
    close: fn(&Place<'_>, &mut Frames),
}

/// An item in its answer.
struct Place<'a> {
    head: &'a Head,
    item: &'a Item,
    /// The item's number, from 0.
    number: usize,
}
