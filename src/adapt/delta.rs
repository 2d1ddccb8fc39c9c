//! [`Deltas`]: the parts of an answer to a client, for every protocol.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;

use serde_json::Value;

use super::calls::{Broken, BrokenCall, Calls, End, OnCut, Part, Settings, Source, Waiting};
use super::fragments::{Fragments, JsonArguments};
use crate::event::{Cause, DiagnosticKind, Event, Status, ToolUse};
use crate::json::white::WHITE_SPACE;
use crate::message::{Block, Ending, IncompleteReason, Message, Parts};
use crate::native;
use crate::options::{Types, bounds};
use crate::parser::Parser;
use crate::parser::tables::Tables;
use crate::sink::Sink;

/// A piece of an answer for a client. It borrows from its event.
///
/// ```
/// use toolstream::adapt::{Delta, Deltas};
/// use toolstream::{Dialect, Parser};
///
/// let mut parser = Parser::builder(Dialect::HERMES).build()?;
/// let mut deltas = Deltas::new(&parser);
/// let mut screen = String::new();
/// // The second chunk ends inside the opener of a call.
/// for chunk in ["I lo", "ok.\n<tool_c"] {
///     for event in parser.feed(chunk) {
///         deltas.push(event, &mut |delta| match delta {
///             Delta::Content(text) => screen.push_str(text),
///             Delta::Call { name, .. } => screen.push_str(name),
///             _ => {}
///         });
///     }
/// }
/// assert_eq!(screen, "I look.\n"); // a marker that may become one waits
/// # Ok::<(), toolstream::BuildError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Delta<'a> {
    /// Visible text, without white space that only shows where a call or reasoning stood.
    Content(&'a str),
    /// Reasoning, as it comes.
    Reasoning(&'a str),
    /// A call begins. All deltas up to its end belong to it.
    Call {
        /// The call's number in the message, from 0. Numbers of surplus calls are left out.
        index: usize,
        /// The tool, as the model names it.
        name: &'a str,
        /// The id that the model wrote before the call, if no earlier call of this message had it:
        /// models repeat theirs, and to a client the same id is the same call.
        id: Option<&'a str>,
    },
    /// A fragment of the open call's arguments, as JSON. Joined, the fragments are a valid object if the call may
    /// run. A truncated call has the beginning of an object. A broken call has a comma and an unmatched bracket
    /// behind that beginning, outside its strings, so that no reader takes the arguments for an object.
    Arguments(&'a str),
    /// The open call ends.
    CallEnd {
        /// Whether the call is whole. If not, its arguments are no JSON.
        may_run: bool,
        /// The reason for which the call may not run; [`IncompleteReason::Cut`] if the stream ended in it.
        reason: Option<IncompleteReason>,
    },
}

/// Makes [`Delta`]s of the events of one message, of any dialect or provider: the common part of the writers of all
/// protocols, for another protocol.
///
/// ```
/// use toolstream::adapt::{Delta, Deltas};
/// use toolstream::{Dialect, Parser};
///
/// let mut parser = Parser::builder(Dialect::HERMES).build()?;
/// let mut deltas = Deltas::new(&parser);
///
/// let mut sent = Vec::new();
/// // The first chunk ends inside the opener, the second in the arguments.
/// for chunk in ["Go:\n<tool_c", "all>{\"name\": \"list\", \"arguments\": {\"a", "ll\": 1}}</tool_call>"] {
///     for event in parser.feed(chunk) {
///         deltas.push(event, &mut |delta| sent.push(format!("{delta:?}")));
///     }
/// }
/// for event in parser.finish() {
///     deltas.push(event, &mut |delta| sent.push(format!("{delta:?}")));
/// }
/// assert_eq!(sent, [
///     "Content(\"Go:\\n\")",
///     "Call { index: 0, name: \"list\", id: None }",
///     "Arguments(\"{\\\"a\")",
///     "Arguments(\"ll\\\":1\")",
///     "Arguments(\"}\")",
///     "CallEnd { may_run: true, reason: None }",
/// ]);
/// assert!(deltas.has_calls() && !deltas.is_cut());
/// # Ok::<(), toolstream::BuildError>(())
/// ```
///
/// * **Arguments**: parameters become the members of an object, with the types of the tool's schema; arguments that are
///   nearly JSON are repaired ([`repair`](crate::repair)). Both leave while they come: strings piece by piece, numbers
///   and words at their ends, the last brace at the call's end. Values of a schema with other types than string wait
///   until they are whole, within the bound of [`Deltas::hold`].
/// * **A truncated call** has gone out as far as it came, and nothing takes that back. [`Deltas::calls`] makes calls
///   wait until they may run.
/// * **A broken call** is sent with its readable arguments, followed by a comma and an unmatched bracket.
///   [`Deltas::broken_as`] is the other way.
/// * **White space** that only shows where a call or reasoning stood is left out: in front of the first text, between
///   two calls, after the last one. A run of more than 256 bytes is not held.
/// * **The surplus call** of a tool limit is in no delta.
#[derive(Clone, Debug)]
pub struct Deltas {
    fragments: Fragments,
    sent: Sent,
}

impl Deltas {
    /// Makes deltas of the events of this parser.
    pub fn new(parser: &Parser) -> Self {
        Deltas::with_fragments(Fragments::new(Some(Arc::clone(parser.tables()))))
    }

    /// Makes deltas of the events of this reader of a provider's stream.
    pub fn for_reader(reader: &native::Reader) -> Self {
        Deltas::with_fragments(Fragments::new(Some(Arc::clone(reader.tables()))))
    }

    /// Makes deltas of events of another origin: without schemas, all parameters are strings.
    pub fn untyped() -> Self {
        Deltas::with_fragments(Fragments::new(None))
    }

    fn with_fragments(mut fragments: Fragments) -> Self {
        fragments.json = JsonArguments::Valid;
        let options = fragments.tables.as_deref().map(|tables| &tables.options);
        let strict = options.is_some_and(|options| options.types == Types::Strict);
        let sent = Sent { strict, hold: fragments.hold, ..Sent::default() };
        Deltas { fragments, sent }
    }

    /// Sends arguments that the model wrote as JSON, or as nearly JSON, as they come. Call it before the first event.
    ///
    /// By default they are written anew: the result is a JSON object if the call may run, and never reads as one if
    /// it may not. The model's own text may need a repair, and that of a truncated call may look whole: only
    /// [`Deltas::broken`] and the end of the answer show it. Behind the arguments of a broken call stand a comma and a
    /// bracket here, too.
    #[must_use]
    pub fn verbatim_arguments(mut self) -> Self {
        self.fragments.json = JsonArguments::Verbatim;
        self
    }

    /// Sends all visible text as it is, also white space next to calls.
    #[must_use]
    pub fn verbatim_content(mut self) -> Self {
        self.sent.content.verbatim = true;
        self
    }

    /// Sets how many bytes of a call's arguments may wait. A call that needs more is broken. Default: 1 MiB.
    #[must_use]
    pub fn hold(mut self, bytes: usize) -> Self {
        self.fragments.hold = bytes;
        self.sent.hold = bytes;
        self
    }

    /// Sets how a broken call reaches the client. Default: [`Broken::Call`].
    #[must_use]
    pub fn broken_as(mut self, broken: Broken) -> Self {
        self.sent.settings.broken = broken;
        self
    }

    /// Sets when a call is sent. Default: [`Calls::AsTheyCome`].
    #[must_use]
    pub fn calls(mut self, calls: Calls) -> Self {
        self.sent.settings.calls = calls;
        self
    }

    /// Sets whether the whole calls of a cut message may run. Default: [`OnCut::Keep`]. Under
    /// [`OnCut::RefuseAll`] calls leave with [`Deltas::finish`].
    #[must_use]
    pub fn on_cut(mut self, on_cut: OnCut) -> Self {
        self.sent.settings.on_cut = on_cut;
        self
    }

    /// Takes the next event, and passes on its deltas: none, one or a few.
    pub fn push<S: AsRef<str>>(&mut self, event: Event<S>, take: &mut impl FnMut(Delta<'_>)) {
        let Deltas { fragments, sent } = self;
        let (event, mut telling) = (event.as_str(), Telling { sent, take });
        if telling.sent.settings.broken == Broken::Text {
            telling.source(&event);
        }
        fragments.event(event, &mut telling);
    }

    /// Takes a whole message, in place of its events, to its end. A call that may not run has no arguments, except as
    /// text.
    pub fn push_message(&mut self, message: &Message, take: &mut impl FnMut(Delta<'_>)) {
        self.sent.cut |= message.ended() == Ending::Truncated;
        let mut telling = Telling { sent: &mut self.sent, take };
        for block in message.blocks() {
            match block {
                Block::Text(prose) => telling.event(Event::TextContent(&prose.text)),
                Block::Reasoning(prose) => telling.event(Event::Reasoning(&prose.text)),
                Block::Call(call) => telling.whole(&call.parts, End::MayRun),
                Block::Incomplete(call) => {
                    let end = match call.reason {
                        IncompleteReason::Cut => End::Cut,
                        reason => End::Broken(reason),
                    };
                    telling.whole(&call.parts, end);
                }
                Block::Opaque(_) => {}
            }
        }
        telling.settle();
    }

    /// Ends the answer: the deltas that waited for it leave. A call that is still open was cut.
    pub fn finish(&mut self, take: &mut impl FnMut(Delta<'_>)) {
        let mut telling = Telling { sent: &mut self.sent, take };
        if telling.sent.open {
            telling.end(End::Cut);
        }
        telling.settle();
    }

    /// Returns the calls that must not run, by their index: those that are [`Block::Incomplete`](crate::Block) in
    /// [`Message`](crate::Message), and those that exceed the bound of held bytes. Under [`OnCut::RefuseAll`] also
    /// all calls of a truncated message. A call is among them once it has ended, under `RefuseAll` once the message
    /// has.
    pub fn broken(&self) -> &[usize] {
        &self.sent.broken
    }

    /// Returns the broken calls that the model ended, with their reasons, also those that were not sent.
    pub fn broken_calls(&self) -> &[BrokenCall] {
        &self.sent.broken_calls
    }

    /// Whether calls are sent when they are over, all at once.
    pub(super) fn holds_calls(&self) -> bool {
        self.sent.settings.waits()
    }

    /// Returns the tables of the parser or reader that emits the events.
    pub(super) fn tables(&self) -> Option<&Arc<Tables>> {
        self.fragments.tables.as_ref()
    }

    /// Whether a call may run.
    pub fn has_calls(&self) -> bool {
        self.sent.complete
    }

    /// Whether the client got a call to answer: one that may run, or a broken one. An answer that was not
    /// [cut](Deltas::is_cut) then asks for tools; otherwise it is over.
    pub fn expects_results(&self) -> bool {
        self.sent.complete || self.sent.sent_broken
    }

    /// Whether the answer is truncated: the stream was cut, or ended inside a call or its opener. Ask after the
    /// events of [`Parser::finish`].
    pub fn is_cut(&self) -> bool {
        self.sent.cut
    }
}

/// The state of the sent answer.
#[derive(Clone, Debug, Default)]
struct Sent {
    content: Content,
    /// The index of the open call, or of the last one.
    index: usize,
    open: bool,
    /// The open call has sent a part of its arguments.
    arguments: bool,
    /// A call was complete.
    complete: bool,
    /// The stream was cut, or a call's opener was.
    cut: bool,
    broken: Vec<usize>,
    broken_calls: Vec<BrokenCall>,
    /// A broken call was sent as a call.
    sent_broken: bool,
    /// The ids of the calls.
    ids: HashSet<String>,
    settings: Settings,
    /// A value of the wrong type breaks its call.
    strict: bool,
    /// The bytes of a call that may wait.
    hold: usize,
    /// The tool of the call that is open, or was last.
    name: String,
    /// The reason why the open call may not run, once it is known.
    found: Option<IncompleteReason>,
    waiting: Vec<Part>,
    source: Source,
}

/// The sink after the parameters: from here on there are arguments only.
struct Telling<'d, F> {
    sent: &'d mut Sent,
    take: &'d mut F,
}

impl<F: FnMut(Delta<'_>)> Sink for Telling<'_, F> {
    fn event(&mut self, event: Event<&str>) {
        match event {
            Event::TextContent(text) => self.content(text),
            Event::Reasoning(text) => {
                self.sent.content.pause();
                if !text.is_empty() {
                    self.tell(Delta::Reasoning(text));
                }
            }
            Event::ToolUse(tool) => self.tool_use(tool),
            Event::Diagnostic(found) => {
                self.sent.cut |= found.kind.is_cut();
                if found.call == Some(self.sent.index) {
                    self.found(found.kind);
                }
            }
            Event::Markup(_)
            | Event::AnswerStart
            | Event::Opaque { .. }
            | Event::ToolLimitReached(_) => {}
        }
    }
}

impl<F: FnMut(Delta<'_>)> Telling<'_, F> {
    fn content(&mut self, text: &str) {
        let text = self.sent.content.text(text);
        if !text.is_empty() {
            self.tell(Delta::Content(&text));
        }
    }

    /// Sends text or reasoning, behind waiting pieces.
    fn tell(&mut self, delta: Delta<'_>) {
        // Text behind a call that waits must not overtake it.
        if self.sent.waiting.is_empty() {
            return (self.take)(delta);
        }
        match (delta, self.sent.waiting.last_mut()) {
            (Delta::Content(text), Some(Part::Content(last)))
            | (Delta::Reasoning(text), Some(Part::Reasoning(last))) => last.push_str(text),
            (Delta::Content(text), _) => self.sent.waiting.push(Part::Content(text.into())),
            (Delta::Reasoning(text), _) => self.sent.waiting.push(Part::Reasoning(text.into())),
            _ => {}
        }
    }

    /// Keeps the text of a call that may have to be sent as text.
    fn source(&mut self, event: &Event<&str>) {
        let Sent { content, source, waiting, open, hold, settings, .. } = &mut *self.sent;
        let piece = source.see(event, *open, *hold);
        let Some(Part::Call(call)) = waiting.last_mut().filter(|_| !piece.is_empty()) else {
            return;
        };
        let fits = settings.waits_for_all() || call.text.len() + piece.len() <= *hold;
        if !call.spilt && fits {
            return call.text.push_str(piece);
        }
        // Beyond the bound the call cannot run any more, so its text need not wait.
        let text = std::mem::take(&mut call.text) + piece;
        if !std::mem::replace(&mut call.spilt, true) {
            content.held = call.white.take();
        }
        self.as_text(&text);
    }

    /// Sends the text of a call that may not run, ahead of waiting pieces.
    fn as_text(&mut self, text: &str) {
        let text = self.sent.content.text(text);
        if !text.is_empty() {
            (self.take)(Delta::Content(&text));
        }
    }

    fn tool_use(&mut self, event: ToolUse<&str>) {
        match event {
            ToolUse::Start { index, name, id, at, .. } => self.start(index, name, id, at),
            ToolUse::ArgumentsDelta(fragment) if !fragment.is_empty() => self.arguments(fragment),
            ToolUse::End { status, .. } => {
                let sent = &self.sent;
                self.end(match status {
                    Status::Complete => End::MayRun,
                    Status::Incomplete(Cause::EndOfStream) => End::Cut,
                    Status::Incomplete(_) => {
                        End::Broken(sent.found.unwrap_or(IncompleteReason::Broken))
                    }
                });
            }
            _ => {}
        }
    }

    fn start(&mut self, index: usize, name: &str, id: Option<&str>, at: usize) {
        let sent = &mut *self.sent;
        let white = sent.content.call();
        sent.index = index;
        sent.open = true;
        sent.arguments = false;
        sent.found = None;
        sent.name.clear();
        sent.name.push_str(name);
        let id = id.filter(|id| !id.is_empty() && sent.ids.insert(id.to_string()));
        if !sent.settings.waits() {
            return (self.take)(Delta::Call { index, name, id });
        }
        let text = sent.source.from(at, sent.hold);
        sent.waiting.push(Part::Call(Box::new(Waiting {
            index,
            name: name.to_string(),
            id: id.map(String::from),
            arguments: String::new(),
            text,
            white,
            full: false,
            spilt: false,
            end: None,
        })));
    }

    fn arguments(&mut self, fragment: &str) {
        let sent = &mut *self.sent;
        sent.arguments = true;
        if !sent.settings.waits() {
            return (self.take)(Delta::Arguments(fragment));
        }
        let Some(Part::Call(call)) = sent.waiting.last_mut() else { return };
        if call.arguments.len() + fragment.len() <= sent.hold {
            call.arguments.push_str(fragment);
        } else {
            call.full = true;
        }
    }

    /// A call of a whole message.
    fn whole(&mut self, call: &Parts, end: End) {
        self.start(call.index, &call.name, call.id.as_deref(), 0);
        if let Some(Part::Call(waiting)) = self.sent.waiting.last_mut() {
            let params = || call.params.iter().map(|param| &*param.value).collect::<Vec<_>>();
            waiting.text = call.raw.clone().unwrap_or_else(|| params().join("\n"));
        }
        match end {
            End::MayRun => self.arguments(&Value::Object(call.input.clone()).to_string()),
            End::Broken(_) => self.arguments("{,]"),
            End::Cut => {}
        }
        self.end(end);
    }

    /// Notes a diagnostic of the open call, or of the last one.
    fn found(&mut self, kind: DiagnosticKind) {
        let reason = match kind {
            DiagnosticKind::MalformedArguments => IncompleteReason::MalformedArguments,
            DiagnosticKind::MissingArguments => IncompleteReason::MissingArguments,
            DiagnosticKind::TypeMismatch if self.sent.strict => IncompleteReason::TypeMismatch,
            _ => return,
        };
        let found = &mut self.sent.found;
        // The first reason counts, but a wrong type only if there is no other.
        if found.is_none_or(|found| found == IncompleteReason::TypeMismatch) {
            *found = Some(reason);
        }
    }

    fn end(&mut self, end: End) {
        let sent = &mut *self.sent;
        sent.open = false;
        sent.cut |= end == End::Cut;
        if !sent.settings.waits() {
            // No arguments at all are an empty object to many clients.
            if end != End::MayRun && !sent.arguments {
                (self.take)(Delta::Arguments("{"));
            }
            let name = if let End::Broken(_) = end { sent.name.clone() } else { String::new() };
            let index = sent.index;
            return self.ended(index, name, end);
        }
        if let Some(Part::Call(call)) = sent.waiting.last_mut() {
            let no_room = call.full || call.spilt;
            if no_room {
                "{,]".clone_into(&mut call.arguments);
            }
            call.end = Some(match end {
                End::MayRun if no_room => End::Broken(IncompleteReason::Broken),
                end => end,
            });
        }
        if !sent.settings.waits_for_all() {
            self.settle();
        }
    }

    /// Sends all parts that have waited.
    fn settle(&mut self) {
        for part in std::mem::take(&mut self.sent.waiting) {
            match part {
                Part::Content(text) => (self.take)(Delta::Content(&text)),
                Part::Reasoning(text) => (self.take)(Delta::Reasoning(&text)),
                Part::Call(call) => self.settled(*call),
            }
        }
    }

    fn settled(&mut self, call: Waiting) {
        let settings = self.sent.settings;
        let end = match call.end.unwrap_or(End::Cut) {
            // Under `RefuseAll` one cut keeps every call of the message from running.
            End::MayRun if settings.waits_for_all() && self.sent.cut => End::Cut,
            end => end,
        };
        let told = match end {
            End::MayRun => true,
            End::Broken(_) => settings.broken == Broken::Call,
            End::Cut => false,
        };
        if told {
            (self.take)(Delta::Call {
                index: call.index,
                name: &call.name,
                id: call.id.as_deref(),
            });
            (self.take)(Delta::Arguments(&call.arguments));
            return self.ended(call.index, call.name, end);
        }
        self.count(call.index, call.name, end);
        if settings.broken == Broken::Text && !call.spilt {
            self.sent.content.held = call.white;
            self.as_text(&call.text);
        }
    }

    /// Tells the end of a call.
    fn ended(&mut self, index: usize, name: String, end: End) {
        self.count(index, name, end);
        let (may_run, reason) = match end {
            End::MayRun => (true, None),
            End::Broken(reason) => (false, Some(reason)),
            End::Cut => (false, Some(IncompleteReason::Cut)),
        };
        self.sent.sent_broken |= matches!(end, End::Broken(_));
        (self.take)(Delta::CallEnd { may_run, reason });
    }

    fn count(&mut self, index: usize, name: String, end: End) {
        let sent = &mut *self.sent;
        sent.complete |= end == End::MayRun;
        if end != End::MayRun {
            sent.broken.push(index);
        }
        if let End::Broken(reason) = end {
            sent.broken_calls.push(BrokenCall { index, name, reason });
        }
    }
}

/// The visible text, less white space that shows nothing but where something else stood.
#[derive(Clone, Debug)]
struct Content {
    verbatim: bool,
    /// White space that may have to go: nothing else came since the beginning, a call or reasoning.
    held: Option<String>,
    /// A visible character has come.
    started: bool,
}

impl Default for Content {
    fn default() -> Self {
        Content { verbatim: false, held: Some(String::new()), started: false }
    }
}

impl Content {
    /// Returns the part of the text that is sent.
    fn text<'t>(&mut self, text: &'t str) -> Cow<'t, str> {
        let Some(mut held) = self.held.take().filter(|_| !self.verbatim) else {
            return text.into();
        };
        let bare = text.trim_start_matches(WHITE_SPACE);
        held.push_str(&text[..text.len() - bare.len()]);
        // A longer run is more than the trace of a marker, and cannot wait.
        let fits = held.len() <= bounds::WHITE_SPACE;
        if bare.is_empty() && fits {
            self.held = Some(held);
            return "".into();
        }
        if std::mem::replace(&mut self.started, true) || !fits {
            (held + bare).into()
        } else {
            bare.into()
        }
    }

    /// Reasoning comes.
    fn pause(&mut self) {
        self.held.get_or_insert_default();
    }

    /// Takes a call. Returns the white space in front of it, which is not shown.
    fn call(&mut self) -> Option<String> {
        self.held.replace(String::new())
    }
}
