//! The entry points of the crate: [`Parser`] and its [`ParserBuilder`].

pub(crate) mod call_text;
pub(crate) mod diff_lines;
pub(crate) mod sanitize;
pub(crate) mod seldom;
mod setters;
pub(crate) mod splitter;
#[cfg(feature = "stream")]
pub mod stream;
pub(crate) mod tables;
pub(crate) mod tape;
pub(crate) mod utf8;
pub(crate) mod utf8_bytes;

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;

use crate::dialect::Dialect;
use crate::error::BuildError;
use crate::event::Payload;
use crate::event::{Diagnostic, DiagnosticKind, Event, ToolLimitReached};
use crate::limit::{Limit, LimitState};
use crate::next_call::{CallLimit, LimitBy, NextCall};
use crate::options::{LimitOn, Options, TextAtCalls};
use crate::parser::call_text::{CallText, CallTextState};
use crate::parser::diff_lines::{LineState, Lines};
use crate::parser::seldom::Seldom;
use crate::parser::tables::Tables;
#[cfg(feature = "json")]
use crate::parser::tape::Both;
use crate::parser::tape::{Events, SharedEvents, Tape};
use crate::parser::utf8::{Decoded, Partial};
use crate::parser::utf8_bytes::offset_in;
use crate::read::machine::Machine;
use crate::read::plain::Plain;
use crate::sink::Sink;
use crate::tool::Tool;

/// Streaming parser for one message of one model.
///
/// A parser is a plain value: `Send + Sync + Clone + Debug`. A clone in the middle of a stream is a snapshot. Clones
/// share their tables, so cloning a fresh parser for the next stream is cheap. A parser never fails on the output of
/// a model.
///
/// There are two interfaces. [`Parser::feed`] returns an iterator:
///
/// ```
/// use toolstream::{Dialect, Event, Param, Parser, Tool, ToolUse};
///
/// let mut parser = Parser::builder(Dialect::CLINE)
///     .tool(Tool::new("read_file").param(Param::required("path")))
///     .build()?;
///
/// let mut path = String::new();
/// // The second chunk ends inside a closing tag.
/// for chunk in ["Let me look.\n<read_file><path>src/ma", "in.rs</pa", "th></read_file>"] {
///     for event in parser.feed(chunk) {
///         if let Event::ToolUse(ToolUse::ParamDelta(piece)) = event {
///             path.push_str(piece);
///         }
///     }
/// }
/// for event in parser.finish() {
///     println!("{event:?}");
/// }
/// assert_eq!(path, "src/main.rs");
/// # Ok::<(), toolstream::BuildError>(())
/// ```
///
/// [`Parser::feed_into`] pushes into a [`Sink`], with no tape and no allocation.
#[derive(Clone)]
pub struct Parser {
    core: Core,
    tape: Tape,
}

/// The parser without its tape, as `feed_into` uses it.
#[derive(Clone)]
struct Core {
    tables: Arc<Tables>,
    machine: Machine,
    limit: LimitState,
    call_text: Seldom<CallTextState>,
    lines: LineState,
    partial: Partial,
    finished: bool,
    /// The path for the next chunk, if a look at its bytes is enough.
    fast_path: Option<Plain>,
}

impl Parser {
    /// Returns a builder for a parser of this dialect, with no tools and the default [`Options`].
    pub fn builder(dialect: impl Into<Dialect>) -> ParserBuilder {
        let dialect = dialect.into();
        ParserBuilder { dialect, tools: Vec::new(), options: Options::default(), limit_by: None }
    }

    /// Reads a chunk and returns its events. The chunk is consumed even if the iterator is dropped.
    ///
    /// After [`Parser::finish`], and after `ToolLimitReached`, chunks are ignored.
    #[inline]
    #[must_use = "the events of the chunk are in it; `feed_with` takes a closure, `Reply` collects"]
    pub fn feed<'a>(&'a mut self, chunk: &'a str) -> Events<'a> {
        if let Some(payload) = self.core.pass(chunk) {
            return self.tape.play_one(chunk, payload);
        }
        self.core.read(chunk, &mut self.tape.record(chunk));
        self.tape.play(chunk)
    }

    /// Reads a chunk that is one whole special token of the model's tokenizer.
    ///
    /// For a program that knows token ids. It names the texts of the special tokens ([`Options::special_tokens`]); a
    /// marker that holds such a text counts only where the token came through this method. The same characters in a
    /// plain chunk are text about the token. A token that is in no marker is a chunk like any other, and so is every
    /// token if none was named.
    ///
    /// ```
    /// use toolstream::{Dialect, Event, Parser, options::Options};
    ///
    /// let mut options = Options::default();
    /// options.special_tokens = vec!["<tool_call>".to_string()];
    /// let mut parser = Parser::builder(Dialect::HERMES).options(options).build()?;
    /// let mut text = String::new();
    /// let mut take = |event: Event<&str>| match event {
    ///     Event::TextContent(piece) => text.push_str(piece),
    ///     _ => {}
    /// };
    /// parser.feed("A call: <tool_call>{\"name\": \"f\"}\n").for_each(&mut take);
    /// parser.feed_special("<tool_call>").for_each(&mut take);
    /// parser.feed("{\"name\": \"f\", \"arguments\": {}}</tool_call>").for_each(&mut take);
    /// parser.finish().for_each(&mut take);
    /// assert_eq!(text, "A call: <tool_call>{\"name\": \"f\"}\n");
    /// # Ok::<(), toolstream::BuildError>(())
    /// ```
    pub fn feed_special<'a>(&'a mut self, token: &'a str) -> Events<'a> {
        self.core.read_special(token, &mut self.tape.record(token));
        self.tape.play(token)
    }

    /// Reads a chunk of bytes, which may be cut inside a character or hold invalid UTF-8.
    ///
    /// Up to 3 bytes are held. Each invalid sequence becomes one U+FFFD and a diagnostic `invalid_utf8`. Offsets
    /// count the bytes of the decoded text.
    ///
    /// ```
    /// use toolstream::{Dialect, Event, Parser};
    ///
    /// let mut parser = Parser::builder(Dialect::HERMES).build()?;
    /// assert_eq!(parser.feed_bytes(b"caf\xc3").last(), Some(Event::TextContent("caf")));
    /// assert_eq!(parser.feed_bytes(b"\xa9").last(), Some(Event::TextContent("é")));
    /// # Ok::<(), toolstream::BuildError>(())
    /// ```
    #[must_use = "the events of the chunk are in it"]
    pub fn feed_bytes<'a>(&'a mut self, chunk: &'a [u8]) -> Events<'a> {
        if let Some(text) = self.core.as_text(chunk) {
            return self.feed(text);
        }
        let text = longest_text(chunk);
        self.core.feed_bytes(chunk, &mut self.tape.record(text));
        self.tape.play(text)
    }

    /// Reads a chunk as [`Parser::feed_bytes`] does, and returns events that own their slices. The slices are shares
    /// of `chunk`, so they can outlive this call and cross threads. Only held bytes and names are copied.
    #[must_use = "the events of the chunk are in it"]
    pub fn feed_shared(&mut self, chunk: &Bytes) -> SharedEvents<'_> {
        let text = longest_text(chunk);
        let from = offset_in(chunk, text).unwrap_or_default();
        self.core.feed_bytes(chunk, &mut self.tape.record(text));
        SharedEvents::new(&self.tape, chunk.slice(from..from + text.len()))
    }

    /// Ends the message: decides pending markers and ends open calls. The model ended its message.
    ///
    /// Only for a stream that came whole. After a lost connection, or if the server stopped the model (finish reason
    /// `length`), call [`Parser::finish_cut`]: the missing text could have changed a call that looks whole.
    #[must_use = "the last events are in it: what was held, the ends of calls"]
    pub fn finish(&mut self) -> Events<'_> {
        self.core.finish(false, &mut self.tape.record(""));
        self.tape.play("")
    }

    /// Ends a stream that was cut: connection lost, finish reason `length`, an error in its midst.
    ///
    /// Decides and ends as [`Parser::finish`] does, but a call is not complete if only the end of the stream would
    /// confirm it. A call is complete if its own closer came or its JSON balanced. The diagnostic `cut_stream` is
    /// reported and the message is truncated, with two exceptions: the limit was raised before, or the stream ends in
    /// the closer of a call (and of its section, if it has one).
    ///
    /// ```
    /// use toolstream::{Dialect, Param, Parser, Tool};
    ///
    /// let mut parser = Parser::builder(Dialect::REACT)
    ///     .tool(Tool::new("shell").param(Param::required("command")))
    ///     .build()?;
    /// let text = "Action: shell\nAction Input: rm -rf /";
    /// # #[cfg(feature = "json")] {
    /// // Had the model ended here, this would be the command.
    /// assert_eq!(parser.parse(text).calls().count(), 1);
    ///
    /// let mut message = parser.message();
    /// parser.feed(text).for_each(|event| message.push(event));
    /// parser.finish_cut().for_each(|event| message.push(event));
    /// assert_eq!(message.calls().count(), 0);
    /// # }
    /// # Ok::<(), toolstream::BuildError>(())
    /// ```
    #[must_use = "the last events are in it: what was held, the ends of calls"]
    pub fn finish_cut(&mut self) -> Events<'_> {
        self.core.finish(true, &mut self.tape.record(""));
        self.tape.play("")
    }

    /// Reads a chunk and pushes its events into `sink`.
    #[inline]
    pub fn feed_into<S: Sink>(&mut self, chunk: &str, sink: &mut S) {
        self.core.feed(chunk, sink);
    }

    /// Does the work of [`Parser::feed_bytes`] for a sink.
    pub fn feed_bytes_into<S: Sink>(&mut self, chunk: &[u8], sink: &mut S) {
        match self.core.as_text(chunk) {
            Some(text) => self.core.feed(text, sink),
            None => self.core.feed_bytes(chunk, sink),
        }
    }

    /// Does the work of [`Parser::feed_special`] for a sink.
    pub fn feed_special_into<S: Sink>(&mut self, token: &str, sink: &mut S) {
        self.core.read_special(token, sink);
    }

    /// Does the work of [`Parser::feed_into`] for a closure, whose type is inferred.
    ///
    /// ```
    /// use toolstream::{Dialect, Event, Parser};
    ///
    /// let mut parser = Parser::builder(Dialect::HERMES).build()?;
    /// let mut text = String::new();
    /// parser.feed_with("2 < 3", |event| {
    ///     if let Event::TextContent(piece) = event {
    ///         text.push_str(piece);
    ///     }
    /// });
    /// assert_eq!(text, "2 < 3");
    /// # Ok::<(), toolstream::BuildError>(())
    /// ```
    pub fn feed_with(&mut self, chunk: &str, mut take: impl FnMut(Event<&str>)) {
        self.feed_into(chunk, &mut take);
    }

    /// Does the work of [`Parser::finish`] for a sink.
    pub fn finish_into<S: Sink>(&mut self, sink: &mut S) {
        self.core.finish(false, sink);
    }

    /// Does the work of [`Parser::finish_cut`] for a sink.
    pub fn finish_cut_into<S: Sink>(&mut self, sink: &mut S) {
        self.core.finish(true, sink);
    }

    /// Resets the parser to a fresh one and keeps its memory: for the next of many streams.
    pub fn reset(&mut self) {
        self.core.reset();
    }

    /// Returns the number of bytes that have left in slices. Pending bytes are not counted.
    pub fn position(&self) -> usize {
        self.core.limit.passed - self.core.held_by_layers()
    }

    /// Returns the number of pending bytes: they may be part of a marker, of a character, or of a
    /// search/replace line. At most [`bounds::HELD`](crate::options::bounds::HELD), or
    /// [`bounds::ARGUMENTS`](crate::options::bounds::ARGUMENTS) where JSON has a call's arguments before its name.
    pub fn held(&self) -> usize {
        self.core.held_by_layers() + self.core.partial.len() + self.core.machine.held()
    }

    /// Returns the amount of work: bytes examined, each counted once for every look. It grows only with the
    /// stream; for tests of growth.
    #[doc(hidden)]
    pub fn examined(&self) -> usize {
        self.core.machine.examined
    }

    /// Returns the surplus call as an error, if the limit was raised: for `parser.limit_reached()?` in a stream loop.
    ///
    /// # Errors
    /// [`ToolLimitReached`], once the event of that name has gone out.
    pub fn limit_reached(&self) -> Result<(), ToolLimitReached> {
        self.core.limit.surplus().map_or(Ok(()), Err)
    }

    /// Returns the dialect.
    ///
    /// ```
    /// use toolstream::{Dialect, Parser, Tool};
    ///
    /// let parser = Parser::builder(Dialect::HERMES).tool(Tool::new("list")).tool_limit(3).build()?;
    /// assert_eq!((parser.dialect(), &*parser.tools()[0].name), (&Dialect::HERMES, "list"));
    /// assert_eq!(parser.options().tool_limit, Some(3));
    /// # Ok::<(), toolstream::BuildError>(())
    /// ```
    pub fn dialect(&self) -> &Dialect {
        &self.core.tables.dialect
    }

    /// Returns the declared tools, in the order of their declaration.
    pub fn tools(&self) -> &[Tool] {
        &self.core.tables.tools
    }

    /// Returns the options of the parser.
    pub fn options(&self) -> &Options {
        &self.core.tables.options
    }

    /// Returns a builder with this parser's dialect, tools and options, to add a change: the tools of a new MCP
    /// server, for example.
    pub fn to_builder(&self) -> ParserBuilder {
        ParserBuilder {
            dialect: self.core.tables.dialect.clone(),
            tools: self.core.tables.tools.clone(),
            options: self.core.tables.options.clone(),
            limit_by: self.core.tables.limit_by.clone(),
        }
    }

    /// Reads a chunk of bytes, and pushes its events into a sink, too.
    #[cfg(feature = "json")]
    pub(crate) fn feed_both<'a, S: Sink>(
        &'a mut self,
        chunk: &'a [u8],
        sink: &mut S,
    ) -> Events<'a> {
        let text = self.core.as_text(chunk).unwrap_or_else(|| longest_text(chunk));
        let mut both = Both { tape: self.tape.record(text), sink };
        match self.core.as_text(chunk) {
            Some(text) => self.core.read(text, &mut both),
            None => self.core.feed_bytes(chunk, &mut both),
        }
        self.tape.play(text)
    }

    /// Ends the stream, and pushes the events into a sink, too.
    #[cfg(feature = "json")]
    pub(crate) fn finish_both<S: Sink>(&mut self, cut: bool, sink: &mut S) -> Events<'_> {
        self.core.finish(cut, &mut Both { tape: self.tape.record(""), sink });
        self.tape.play("")
    }

    /// Whether arguments are pending that came before their call's name.
    #[cfg(feature = "json")]
    pub(crate) fn arguments_wait(&self) -> bool {
        self.core.machine.holds_json()
    }

    /// Whether a call is open.
    #[cfg(feature = "json")]
    pub(crate) fn in_call(&self) -> bool {
        self.core.limit.in_call
    }

    /// Counts calls of the message that started elsewhere. The last of them has this name.
    #[cfg(feature = "json")]
    pub(crate) fn count_calls(&mut self, calls: usize, previous: Option<&str>) {
        self.core.limit.goes_on(calls, previous);
    }

    /// Returns the name of the last call, if names limit calls.
    #[cfg(feature = "json")]
    pub(crate) fn last_call(&self) -> Option<&str> {
        self.core.limit.previous()
    }

    pub(crate) fn tables(&self) -> &Arc<Tables> {
        &self.core.tables
    }

    /// Returns a fresh parser of this kind without a limit.
    pub(crate) fn unlimited(&self) -> Parser {
        let mut parser = Parser::new(Arc::clone(&self.core.tables));
        parser.core.limit = LimitState::default();
        parser
    }

    /// Makes a fresh parser with these tables.
    #[cfg(feature = "json")]
    pub(crate) fn of_tables(tables: Arc<Tables>) -> Parser {
        Parser::new(tables)
    }

    fn new(tables: Arc<Tables>) -> Parser {
        Parser { core: Core::new(tables), tape: Tape::default() }
    }
}

/// The layers behind the machine.
type Layers<'a, S> = Limit<'a, CallText<'a, Lines<'a, S>>>;

impl Core {
    fn new(tables: Arc<Tables>) -> Core {
        Core {
            machine: Machine::new(&tables.setup()),
            limit: LimitState::new(&tables),
            tables,
            call_text: Seldom::default(),
            lines: LineState::default(),
            partial: Partial::default(),
            finished: false,
            fast_path: None,
        }
    }

    /// Resets every field; each is named, so that none is forgotten.
    fn reset(&mut self) {
        let Core { tables, machine, limit, call_text, lines, partial, finished, fast_path } = self;
        machine.reset(&tables.setup());
        *limit = LimitState::new(tables);
        *call_text = Seldom::default();
        *lines = LineState::default();
        *partial = Partial::default();
        *finished = false;
        *fast_path = None;
    }

    #[inline]
    fn feed<S: Sink>(&mut self, chunk: &str, sink: &mut S) {
        let passed = if sink.wants_markers() { None } else { self.pass(chunk) };
        match passed {
            Some(payload) => sink.event(payload.event(chunk)),
            None => self.read(chunk, sink),
        }
    }

    /// Reads a chunk in full.
    fn read<S: Sink>(&mut self, chunk: &str, sink: &mut S) {
        if self.partial.take() {
            self.invalid(sink);
        }
        if !self.finished {
            let (machine, tables, out) = self.parts(sink);
            machine.feed(&tables.setup(), chunk, &mut out.erased());
            self.look_ahead();
        }
    }

    fn read_special<S: Sink>(&mut self, token: &str, sink: &mut S) {
        if self.partial.take() {
            self.invalid(sink);
        }
        if self.tables.options.special_tokens.iter().any(|special| special == token) {
            self.machine.special_comes(token.len());
        }
        self.read(token, sink);
    }

    /// Emits a chunk that is payload from end to end, and returns its kind.
    #[inline]
    fn pass(&mut self, chunk: &str) -> Option<Payload> {
        let path = self.fast_path?;
        if !self.machine.pass(&self.tables.setup(), path, chunk) {
            return None;
        }
        self.limit.pass(chunk, path.payload);
        Some(path.payload)
    }

    /// Returns the chunk as text, if neither end is cut inside a character.
    #[inline]
    fn as_text<'c>(&self, chunk: &'c [u8]) -> Option<&'c str> {
        if self.partial.len() > 0 { None } else { std::str::from_utf8(chunk).ok() }
    }

    fn feed_bytes<S: Sink>(&mut self, chunk: &[u8], sink: &mut S) {
        let mut partial = std::mem::take(&mut self.partial);
        partial.decode(chunk, |piece| match piece {
            Decoded::Text(text) => self.feed(text, sink),
            Decoded::Char(whole) => self.feed(whole.encode_utf8(&mut [0; 4]), sink),
            Decoded::Invalid => self.invalid(sink),
        });
        self.partial = partial;
        if self.partial.len() > 0 {
            self.look_ahead();
        }
    }

    fn finish<S: Sink>(&mut self, cut: bool, sink: &mut S) {
        if self.partial.take() {
            self.invalid(sink);
        }
        if !std::mem::replace(&mut self.finished, true) {
            let (machine, tables, out) = self.parts(sink);
            // After a call's own closer nothing is missing, whoever ended the stream.
            let cut_short = cut && !machine.is_after_call(&tables.setup());
            machine.finish(&tables.setup(), cut, &mut out.erased());
            let (machine, _, mut out) = self.parts(sink);
            out.sink.finish();
            if cut_short {
                let (kind, at) = (DiagnosticKind::CutStream, machine.read_so_far());
                out.event(Event::Diagnostic(Diagnostic::new(kind, at)));
            }
            self.look_ahead();
        }
    }

    /// Returns the number of bytes that have left the machine and are pending behind it.
    fn held_by_layers(&self) -> usize {
        self.lines.held().len() + self.call_text.get().map_or(0, CallTextState::held)
    }

    /// Finds the path for the next chunk after a chunk that was read in full. Each layer answers for itself.
    fn look_ahead(&mut self) {
        let on_text = self.tables.options.limit_on == LimitOn::TextAfterTool;
        let trims = self.call_text.get();
        self.fast_path = self.machine.plain(&self.tables.setup()).filter(|path| {
            self.partial.len() == 0
                && !self.finished
                && self.limit.passes(path.payload, on_text)
                && trims.is_none_or(|trims| trims.passes(path.payload))
                && self.lines.passes(path.payload)
        });
    }

    fn invalid<S: Sink>(&mut self, sink: &mut S) {
        if self.finished {
            return;
        }
        let (machine, tables, mut out) = self.parts(sink);
        let kind = DiagnosticKind::InvalidUtf8;
        out.event(Event::Diagnostic(Diagnostic::new(kind, machine.read_so_far())));
        machine.feed(&tables.setup(), "\u{FFFD}", &mut out.erased());
        self.look_ahead();
    }

    /// Returns the machine and the layers behind it.
    #[inline]
    fn parts<'a, S: Sink>(
        &'a mut self,
        sink: &'a mut S,
    ) -> (&'a mut Machine, &'a Tables, Layers<'a, S>) {
        let tables = &*self.tables;
        let lines = Lines { state: &mut self.lines, params: &tables.diff_params, sink };
        let trims = tables.options.text_at_calls == TextAtCalls::Trim;
        let call_text = CallText { state: trims.then(|| self.call_text.get_mut()), sink: lines };
        let out = Limit {
            state: &mut self.limit,
            tables,
            on_text: tables.options.limit_on == LimitOn::TextAfterTool,
            sink: call_text,
        };
        (&mut self.machine, tables, out)
    }
}

impl fmt::Debug for Parser {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Parser")
            .field("dialect", &self.core.tables.dialect)
            .field("position", &self.position())
            .field("machine", &self.core.machine)
            .finish_non_exhaustive()
    }
}

/// Returns the first stretch of valid UTF-8 behind the possible rest of a cut character.
fn longest_text(chunk: &[u8]) -> &str {
    let ends_cut = |byte: &u8| (0x80..0xC0).contains(byte);
    let from = chunk.iter().take(3).take_while(|byte| ends_cut(byte)).count();
    // Not `utf8_chunks`, which looks at every byte: this looks at words of ASCII.
    match std::str::from_utf8(&chunk[from..]) {
        Ok(text) => text,
        Err(error) => {
            let valid = &chunk[from..from + error.valid_up_to()];
            std::str::from_utf8(valid).unwrap_or_default()
        }
    }
}

/// Builder of a [`Parser`].
///
/// ```
/// use toolstream::{Dialect, Param, Parser, Tool};
///
/// let read = Tool::new("read").param(Param::required("path"));
/// let parser = Parser::builder(Dialect::CLINE).tool(read).tool_limit(None).build()?;
/// # Ok::<(), toolstream::BuildError>(())
/// ```
#[derive(Clone, Debug)]
#[must_use = "it builds nothing before `build`"]
pub struct ParserBuilder {
    dialect: Dialect,
    tools: Vec<Tool>,
    pub(crate) options: Options,
    pub(crate) limit_by: Option<LimitBy>,
}

impl ParserBuilder {
    /// Declares a tool.
    pub fn tool(mut self, tool: Tool) -> Self {
        self.tools.push(tool);
        self
    }

    /// Declares several tools.
    pub fn tools(mut self, tools: impl IntoIterator<Item = Tool>) -> Self {
        self.tools.extend(tools);
        self
    }

    /// Replaces all options. Each option also has its own method, named after its key.
    ///
    /// ```
    /// use toolstream::{Dialect, Parser, options::{Fences, Options}};
    ///
    /// let mut options = Options::default();
    /// options.fences = Fences::Quote;
    /// let parser = Parser::builder(Dialect::HERMES).options(options).tool_limit(None).build()?;
    /// # Ok::<(), toolstream::BuildError>(())
    /// ```
    pub fn options(mut self, options: Options) -> Self {
        self.options = options;
        self
    }

    /// Asks `ask` before each call whether it may open. With [`CallLimit::Stop`] the stream ends at the call's
    /// opener, as at the [`tool_limit`](ParserBuilder::tool_limit): [`ToolLimitReached`] is the last event, and no
    /// event is about the call. A JSON body names the call late. The bytes before the name have then left as markup,
    /// and [`Reply::said`](crate::Reply::said) takes them back for the history. A number beside `ask` counts, too,
    /// except the default of 1; [`system_prompt`](Parser::system_prompt) goes by the number alone.
    ///
    /// For an agent whose reading tools may follow each other in a message. `ask` is called once for each call, in
    /// the order of the stream; an answer that depends on more than `call` differs between clones.
    ///
    /// ```
    /// use toolstream::{Dialect, Parser, calls::CallLimit};
    ///
    /// let reads = |name: &str| name == "read";
    /// let parser = Parser::builder(Dialect::HERMES)
    ///     .limit_by(move |call| match call.previous {
    ///         Some(previous) if !(reads(previous) && reads(call.name)) => CallLimit::Stop,
    ///         _ => CallLimit::Allow,
    ///     })
    ///     .build()?;
    /// # #[cfg(feature = "json")] {
    /// let call = |name: &str| format!(r#"<tool_call>{{"name": "{name}", "arguments": {{}}}}</tool_call>"#);
    /// let message = parser.parse(&[call("read"), call("read"), call("write")].concat());
    /// assert_eq!(message.calls().count(), 2);
    /// assert_eq!(message.ended(), toolstream::Ending::ToolLimitReached);
    /// # }
    /// # Ok::<(), toolstream::BuildError>(())
    /// ```
    pub fn limit_by(
        mut self,
        ask: impl Fn(NextCall<'_>) -> CallLimit + Send + Sync + 'static,
    ) -> Self {
        self.limit_by = Some(LimitBy::new(ask));
        self
    }

    /// Builds the parser.
    ///
    /// # Errors
    /// [`BuildError`] for a configuration without sense:
    /// * a limit of 0;
    /// * a name that is empty, too long, declared twice, or no tag of the dialect;
    /// * no tools for a dialect that knows a call by their names alone (`cline`);
    /// * more joined dialects than a parser reads.
    pub fn build(self) -> Result<Parser, BuildError> {
        let mut tables = Tables::new(self.dialect, self.tools, self.options)?;
        tables.limit_by = self.limit_by;
        Ok(Parser::new(Arc::new(tables)))
    }
}
