//! The arguments object of a call, written while its parameters come.
//!
//! A value's time to leave is decided at the start of its parameter:
//!
//! | value | leaves |
//! |---|---|
//! | its schema has only strings or no type; the wire says `string` | while it comes, escaped |
//! | its schema has strings, too, and it does not begin like another | as soon as that is clear |
//! | its schema has another type; the wire says `json` or `literal` | at its close, read |
//! | its schema is a list and no string, or it gives an element of one | at `End`: more may come |
//! | it comes first, and may be all arguments of the call | at `End`, or when another one comes |
//!
//! Waiting bytes are bounded; a call that would need more is broken. Arguments that come as JSON pass, or are
//! read as they come.
//!
//! At `End` it is decided whether the call may run, in the same way as `Message` decides it: a call that it
//! refuses ends as `Incomplete` here.
//!
//! At the end of a chunk sent fragments stand. At the end of the stream the parser has sent `End`.

use std::sync::Arc;

use serde_json::Value;
use smallvec::SmallVec;

use super::text::{Text, escape, escaped};
use super::valid::{Said, Valid};
use crate::dialect;
use crate::event::{Cause, Diagnostic, DiagnosticKind, Event, Status, ToolUse, TypeHint};
use crate::json::coerce;
use crate::json::fit;
use crate::json::white::trim;
use crate::message::plain;
use crate::message::{ArgumentsReader, RawParam, ReadArguments, ReadAs};
use crate::options::{Required, Types};
use crate::parser::tables::Tables;
use crate::read::ids::PartNumber;
use crate::repair::Repairs;
use crate::sink::Sink;
use crate::tool::Tool;
use crate::tool::types::ValueTypes;

/// Writes the arguments of one call after the other.
#[derive(Clone, Debug)]
pub(super) struct Fragments {
    pub tables: Option<Arc<Tables>>,
    pub hold: usize,
    /// The treatment of arguments that come as JSON.
    pub json: JsonArguments,
    /// Bytes that came in slices.
    position: usize,
    call: OpenCall,
    /// A fragment that is being put together.
    fragment: String,
}

/// The treatment of arguments that come as JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum JsonArguments {
    /// Passed on unread, whatever they hold.
    Unread,
    /// Passed on as written; the end of the call decides whether it may run.
    Verbatim,
    /// Read, and written anew as valid JSON.
    Valid,
}

/// The call that is open, or was last.
#[derive(Clone, Debug, Default)]
struct OpenCall {
    index: usize,
    at: usize,
    /// The number of its tool, if it is declared.
    tool: Option<u16>,
    /// The number of the parser's dialect that the call is written in.
    part: PartNumber,
    /// The call has arguments as JSON.
    speaks_json: bool,
    /// The reader of the arguments, if they are to be read.
    read: Option<Valid>,
    /// The object has started.
    started: bool,
    /// A string of the object has started, and has not ended.
    in_string: bool,
    /// The seal of arguments that came as JSON and are over ([`Valid::seal`]).
    seal: &'static str,
    /// A value was cut off: nothing may follow it.
    cut: bool,
    /// A value is of a type that its schema does not name.
    mistyped: bool,
    /// The call holds text that is not a parameter.
    unexpected: bool,
    /// The tool's parameters that were given.
    given: SmallVec<[u16; 8]>,
    open: Option<OpenParam>,
    /// The first parameter, while it may be all arguments: until another one comes.
    only: Option<RawParam>,
    lists: Vec<(String, Vec<RawParam>)>,
    /// The bytes in `lists`.
    in_lists: usize,
}

/// The open parameter.
#[derive(Clone, Debug)]
enum OpenParam {
    /// A value that is sent piece by piece.
    Text { text: Text, at: usize },
    /// A value that is read when it is complete.
    Whole { param: RawParam, kind: ReadAs },
}

/// The cost of a piece of a list beside its bytes: many empty pieces must not be free.
const PIECE: usize = 32;

impl Fragments {
    pub fn new(tables: Option<Arc<Tables>>) -> Fragments {
        let (position, call, fragment) = Default::default();
        let (hold, json) = (super::HELD, JsonArguments::Unread);
        Fragments { tables, hold, json, position, call, fragment }
    }

    pub fn event(&mut self, event: Event<&str>, sink: &mut impl Sink) {
        match event {
            Event::ToolUse(tool) => self.tool_use(tool, sink),
            Event::Diagnostic(found) => {
                self.call.unexpected |= found.kind.is_unexpected();
                sink.event(event);
            }
            _ => sink.event(event),
        }
        self.position += event.slice().map_or(0, |slice| slice.len());
    }

    pub fn held(&self) -> usize {
        self.call.read.as_ref().map_or(0, Valid::held)
            + self.call.in_lists
            + self.call.only.as_ref().map_or(0, |param| param.value.len())
            + match &self.call.open {
                Some(OpenParam::Text { text, .. }) => text.held(),
                Some(OpenParam::Whole { param, .. }) => param.value.len(),
                None => 0,
            }
    }

    fn tool_use(&mut self, event: ToolUse<&str>, sink: &mut impl Sink) {
        match event {
            ToolUse::Start { index, name, at, dialect, .. } => {
                let tables = self.tables.as_deref();
                let tool = tables.and_then(|tables| tables.tool_named(name));
                let part = dialect as PartNumber;
                self.call = OpenCall { index, at, tool, part, ..OpenCall::default() };
                sink.event(Event::ToolUse(event));
            }
            ToolUse::ParamStart { name, hint } => self.open(name, hint, sink),
            ToolUse::ParamDelta(piece) => self.delta(piece, sink),
            ToolUse::ParamEnd { closed } => self.close(closed, sink),
            ToolUse::End { status, at } => self.end(status, at, sink),
            // Behind an input that was given up, nothing may follow.
            ToolUse::ArgumentsDelta(_) if self.call.cut && !self.call.speaks_json => {}
            ToolUse::ArgumentsDelta(piece) if self.is_plain(piece) => {
                if self.call.open.is_none() {
                    self.open_whole("", None, ReadAs::Plain);
                }
                self.delta(piece, sink);
            }
            ToolUse::ArgumentsDelta(piece) => {
                self.call.speaks_json = true;
                if self.json != JsonArguments::Valid {
                    sink.event(Event::ToolUse(event));
                }
                if self.json != JsonArguments::Unread {
                    self.arguments(piece, sink);
                }
            }
            ToolUse::Id(_) => sink.event(Event::ToolUse(event)),
        }
    }

    // The arguments that come as JSON.

    fn arguments(&mut self, piece: &str, sink: &mut impl Sink) {
        if self.call.cut {
            return;
        }
        let mut valid = self.call.read.take().unwrap_or_else(|| self.valid());
        self.fragment.clear();
        self.call.cut = valid.read(piece, &mut self.fragment).is_err();
        self.call.read = Some(valid);
        self.send_valid(sink);
    }

    fn valid(&self) -> Valid {
        let tool = self.tool();
        let missing = match tool {
            Some(tool) if self.strict_required() => {
                let required = tool.params.iter().filter(|param| param.required);
                required.map(|param| param.name.clone()).collect()
            }
            _ => Vec::new(),
        };
        let how = self.tables.as_deref().map(|tables| tables.options.types).unwrap_or_default();
        let types = tool.map(|tool| tool.params.iter().filter(|param| !param.types.is_empty()));
        let types = types.into_iter().flatten();
        let types = types.map(|param| (param.name.clone(), ValueTypes::from(param)));
        Valid::new(self.repairs(), self.hold, missing).typed(types.collect(), how)
    }

    fn send_valid(&mut self, sink: &mut impl Sink) {
        if self.json == JsonArguments::Valid && !self.fragment.is_empty() {
            send(&self.fragment, sink);
        }
    }

    /// Takes the end of the call's markup. Returns the reason if the call may not run.
    fn arguments_end(&mut self, sink: &mut impl Sink) -> Option<DiagnosticKind> {
        let mut valid = self.call.read.take()?;
        self.call.seal = valid.seal();
        self.fragment.clear();
        match valid.end(&mut self.fragment) {
            Ok(Said::Object) if valid.is_missing_members() => {
                return Some(DiagnosticKind::MissingArguments);
            }
            Ok(Said::Object) => {
                for _ in 0..valid.mismatches() {
                    self.flag(DiagnosticKind::TypeMismatch, self.call.at, sink);
                }
                self.call.mistyped = valid.mismatches() > 0;
                if self.call.mistyped && self.strict_types() {
                    return None;
                }
                self.fragment.push('}');
            }
            Ok(Said::Nothing) => {
                let tool = self.tool();
                let absent = ReadArguments::absent(tool, self.call.unexpected);
                if absent.refused {
                    return absent.problems.first().copied();
                }
                self.fragment.push_str("{}");
            }
            Err(_) => return Some(DiagnosticKind::MalformedArguments),
        }
        self.send_valid(sink);
        None
    }

    // The parameters.

    fn open(&mut self, name: &str, hint: Option<TypeHint>, sink: &mut impl Sink) {
        if self.call.open.is_some() {
            self.close(false, sink);
        }
        self.not_all(sink);
        if self.call.cut || RawParam::lacks_key(name, hint) {
            return;
        }
        if let Some(number) = self.declared(name).filter(|of| !self.call.given.contains(of)) {
            self.call.given.push(number);
        }
        if self.lines().is_some() && hint.is_none() {
            return self.open_whole(name, hint, ReadAs::Plain);
        }
        let at = self.position;
        let reader = self.tables.as_deref().map(|tables| reader(tables, &self.call));
        // Only the first parameter may be the object of all arguments.
        let first = !self.call.started && self.call.lists.is_empty();
        let kind = if first {
            ReadAs::new(name, hint, reader)
        } else {
            ReadAs::of_value(name, hint, reader)
        };
        let Some(kind) = kind else {
            self.text_fits(name, hint, at, sink);
            return self.open_text(name, self.text(name, hint), at, sink);
        };
        let fits = !matches!(kind, ReadAs::Piece(_)) || self.room() >= PIECE;
        self.open_whole(name, hint, kind);
        if !fits {
            self.give_up(sink);
        }
    }

    /// The number of the tool's parameter that this one is, or gives an element of.
    fn declared(&self, name: &str) -> Option<u16> {
        self.tables.as_deref()?.param_number(self.call.part, self.call.tool?, name)
    }

    fn open_whole(&mut self, name: &str, hint: Option<TypeHint>, kind: ReadAs) {
        let (name, value, at) = (name.to_string(), String::new(), self.position);
        let param = RawParam { name, value, hint, closed: true, at };
        self.call.open = Some(OpenParam::Whole { param, kind });
    }

    /// The dialect of lines that wrote the call.
    fn lines(&self) -> Option<&[dialect::Text]> {
        self.tables.as_ref()?.facts(self.call.part).no_input.as_deref()
    }

    /// Whether arguments that begin, or go on, like this are plain text.
    fn is_plain(&self, piece: &str) -> bool {
        !self.call.speaks_json
            && self.lines().is_some()
            && (self.call.open.is_some() || !piece.starts_with('{'))
    }

    fn delta(&mut self, piece: &str, sink: &mut impl Sink) {
        let room = self.room();
        match &mut self.call.open {
            Some(OpenParam::Text { text, .. }) => {
                let fragment = &mut self.fragment;
                text.push(piece, room, &mut |piece| send(escaped(piece, fragment), sink));
            }
            Some(OpenParam::Whole { param, kind }) if kind.is_text(&param.value, piece, room) => {
                self.become_text(sink);
                self.delta(piece, sink);
            }
            Some(OpenParam::Whole { param, .. }) if param.value.len() + piece.len() <= room => {
                param.value.push_str(piece);
            }
            Some(OpenParam::Whole { .. }) => self.give_up(sink),
            None => {}
        }
    }

    fn close(&mut self, closed: bool, sink: &mut impl Sink) {
        let open = self.call.open.take();
        self.call.cut |= !closed;
        match open.filter(|_| closed) {
            Some(OpenParam::Text { text, at }) => self.close_text(text, at, sink),
            Some(OpenParam::Whole { param, kind: ReadAs::Piece(list) }) => self.piece(list, param),
            Some(OpenParam::Whole { param, kind: ReadAs::Plain }) => self.plain(&param, sink),
            Some(OpenParam::Whole { param, kind: ReadAs::All }) => self.call.only = Some(param),
            Some(OpenParam::Whole { param, .. }) => self.value(&param, sink),
            None => {}
        }
    }

    /// Returns the treatment of a value's text, if the value is text.
    fn text(&self, name: &str, hint: Option<TypeHint>) -> Text {
        let tables = self.tables.as_deref();
        tables.map(|tables| reader(tables, &self.call).open_text(name, hint)).unwrap_or_default()
    }

    fn room(&self) -> usize {
        let piece =
            matches!(&self.call.open, Some(OpenParam::Whole { kind: ReadAs::Piece(_), .. }));
        self.hold.saturating_sub(self.call.in_lists + if piece { PIECE } else { 0 })
    }

    // Values that are sent piece by piece.

    fn open_text(&mut self, name: &str, text: Text, at: usize, sink: &mut impl Sink) {
        self.call.open = Some(OpenParam::Text { text, at });
        self.key(name);
        self.fragment.push('"');
        self.call.in_string = true;
        send(&self.fragment, sink);
    }

    /// Reports a text whose markup has a type that the schema does not allow. Without a type in the markup, the schema
    /// decided that the value is text.
    fn text_fits(&mut self, name: &str, hint: Option<TypeHint>, at: usize, sink: &mut impl Sink) {
        let Some(tables) = self.tables.as_deref().filter(|_| hint.is_some()) else { return };
        if !fit::fits(&Value::from(""), &reader(tables, &self.call).types(name)) {
            self.call.mistyped = true;
            self.flag(DiagnosticKind::TypeMismatch, at, sink);
        }
    }

    fn close_text(&mut self, mut text: Text, at: usize, sink: &mut impl Sink) {
        let (room, fragment) = (self.room(), &mut self.fragment);
        if text.close(room, &mut |piece| send(escaped(piece, fragment), sink)) {
            // The white space that has left should have been trimmed.
            self.flag(DiagnosticKind::LimitExceeded, at, sink);
            self.call.cut = true;
            return;
        }
        self.call.in_string = false;
        send("\"", sink);
    }

    /// Ends a value that is too long to be read whole.
    fn give_up(&mut self, sink: &mut impl Sink) {
        if let Some(OpenParam::Whole { param, .. }) = self.call.open.take() {
            self.flag(DiagnosticKind::LimitExceeded, param.at, sink);
        }
        self.call.cut = true;
    }

    /// Sends a value as a string that should have been read whole.
    fn become_text(&mut self, sink: &mut impl Sink) {
        let Some(OpenParam::Whole { param, .. }) = self.call.open.take() else { return };
        self.open_text(&param.name, self.text(&param.name, param.hint), param.at, sink);
        if !param.value.is_empty() {
            self.delta(&param.value, sink);
        }
    }

    // Values that are read when they are complete.

    fn value(&mut self, param: &RawParam, sink: &mut impl Sink) {
        let mut found = Vec::new();
        let (value, text) = if let Some(tables) = self.tables.as_deref() {
            let reader = reader(tables, &self.call);
            let value = reader.value(param, &reader.types(&param.name), &mut found);
            (value, reader.text(param))
        } else {
            // Without a schema, a value is read whole only if its wire has a type.
            let hint = param.hint.unwrap_or(TypeHint::Json);
            let any = ValueTypes::default();
            let (value, problem) = coerce::hinted(&param.value, hint, &any, self.repairs());
            found.extend(problem.map(|kind| Diagnostic::new(kind, param.at)));
            (value, param.value.clone())
        };
        self.key(&param.name);
        write(&value, &text, &mut self.fragment);
        self.send_read(&found, sink);
    }

    /// Writes the first parameter as an ordinary one: another one came, or its value is not an object of arguments.
    fn not_all(&mut self, sink: &mut impl Sink) {
        let Some(param) = self.call.only.take() else { return };
        let reader = self.tables.as_deref().map(|tables| reader(tables, &self.call));
        match ReadAs::of_value(&param.name, param.hint, reader) {
            Some(kind) => self.call.open = Some(OpenParam::Whole { param, kind }),
            None => {
                self.text_fits(&param.name, param.hint, param.at, sink);
                let text = self.text(&param.name, param.hint);
                self.open_text(&param.name, text, param.at, sink);
                self.delta(&param.value, sink);
            }
        }
        self.close(true, sink);
    }

    /// Returns the only parameter, if it is all of the arguments.
    fn all_in_one(&mut self) -> Option<ReadArguments> {
        let reader = reader(self.tables.as_deref()?, &self.call);
        let read = reader.all_in_one(self.call.only.as_slice())?;
        self.call.only = None;
        Some(read)
    }

    /// Reads the plain text input of a call, which gives all of its arguments.
    fn plain(&mut self, param: &RawParam, sink: &mut impl Sink) {
        let Some((tables, lines)) = self.tables.as_deref().zip(self.lines()) else { return };
        let reader = reader(tables, &self.call);
        let types = reader.types(&param.name);
        let given = (!param.name.is_empty()).then_some((param, &types));
        let read = reader.plain(lines, given, Some(&*param.value));
        self.call.speaks_json = self.send_all(read, sink);
        self.call.cut |= !self.call.speaks_json;
    }

    fn piece(&mut self, list: String, param: RawParam) {
        self.call.in_lists += param.value.len() + PIECE;
        match self.call.lists.iter_mut().find(|(name, _)| *name == list) {
            Some((_, pieces)) => pieces.push(param),
            None => self.call.lists.push((list, vec![param])),
        }
    }

    fn list(&mut self, name: &str, pieces: &[RawParam], sink: &mut impl Sink) {
        let Some(tables) = self.tables.clone() else { return };
        let (reader, mut found) = (reader(&tables, &self.call), Vec::new());
        let value = reader.list(name, &pieces.iter().collect::<Vec<_>>(), &mut found);
        let texts: Vec<String> = pieces.iter().map(|piece| reader.text(piece)).collect();
        self.key(name);
        // The model's own text of a number keeps its digits; parsed and printed again it might lose some.
        match (&value, &*texts) {
            (_, [only]) if is(&value, only) => self.fragment.push_str(trim(only)),
            (Value::Array(values), _) if values.len() == texts.len() => {
                for (at, (value, text)) in values.iter().zip(&texts).enumerate() {
                    self.fragment.push(if at == 0 { '[' } else { ',' });
                    write(value, text, &mut self.fragment);
                }
                self.fragment.push(']');
            }
            _ => self.fragment.push_str(&value.to_string()),
        }
        self.send_read(&found, sink);
    }

    /// Sends the fragment, and the diagnostics of the value before it.
    fn send_read(&mut self, found: &[Diagnostic], sink: &mut impl Sink) {
        found.iter().for_each(|found| self.flag(found.kind, found.at, sink));
        self.call.mistyped |= found.iter().any(|found| found.kind == DiagnosticKind::TypeMismatch);
        send(&self.fragment, sink);
    }

    // The object.

    /// Begins a fragment with the text before a member's value.
    fn key(&mut self, name: &str) {
        self.fragment.clear();
        self.fragment.push_str(if self.call.started { ",\"" } else { "{\"" });
        self.call.started = true;
        escape(name, &mut self.fragment);
        self.fragment.push_str("\":");
    }

    fn end(&mut self, status: Status, at: usize, sink: &mut impl Sink) {
        if let Some(open) = &self.call.open {
            // Plain arguments have no end of their own.
            let plain = matches!(open, OpenParam::Whole { kind: ReadAs::Plain, .. });
            self.close(plain && status.is_complete(), sink);
        }
        let mut status = status;
        if status.is_complete() && !self.completes(sink) {
            status = Status::Incomplete(Cause::Broken);
        }
        if status == Status::Incomplete(Cause::Broken) && self.json != JsonArguments::Unread {
            send(self.seal(), sink);
        }
        self.call = OpenCall::default();
        sink.event(Event::ToolUse(ToolUse::End { status, at }));
    }

    /// Seals the arguments of a broken call, so that no client reads them as an object.
    fn seal(&self) -> &'static str {
        match (&self.call.read, self.call.seal) {
            (Some(valid), _) => valid.seal(),
            // A comma before a bracket reads as no object in any JSON reader, also in lenient ones.
            (None, "") if self.call.in_string => "\",]",
            (None, "") if self.call.started || self.call.speaks_json => ",]",
            (None, "") => "{,]",
            (None, seal) => seal,
        }
    }

    /// Takes the end of the call's markup: sends the rest of its arguments, unless it may not run.
    fn completes(&mut self, sink: &mut impl Sink) -> bool {
        if self.call.cut {
            if self.call.read.is_some() {
                self.flag(DiagnosticKind::MalformedArguments, self.call.at, sink);
            }
            return false;
        }
        if let Some(read) = self.all_in_one() {
            return self.send_all(read, sink);
        }
        self.not_all(sink);
        let problems = if self.call.speaks_json {
            self.arguments_end(sink).into_iter().collect()
        } else {
            self.problems()
        };
        problems.iter().for_each(|kind| self.flag(*kind, self.call.at, sink));
        if !problems.is_empty() || self.call.mistyped && self.strict_types() {
            return false;
        }
        if !self.call.speaks_json {
            for (name, pieces) in std::mem::take(&mut self.call.lists) {
                self.list(&name, &pieces, sink);
            }
            // A list may be the value that does not fit.
            if self.call.mistyped && self.strict_types() {
                return false;
            }
            send(if self.call.started { "}" } else { "{}" }, sink);
        }
        true
    }

    /// Sends all arguments at once, unless the call may not run.
    fn send_all(&mut self, read: ReadArguments, sink: &mut impl Sink) -> bool {
        let Some(tables) = self.tables.clone() else { return false };
        let reader = reader(&tables, &self.call);
        let strict = tables.options.required == Required::Strict && !read.refused;
        let lacks = strict && !reader.missing(&read.input).is_empty();
        let mistyped = self.strict_types() && read.is_mistyped();
        let runs = !(lacks || mistyped || read.refused);
        let missing = lacks.then_some(DiagnosticKind::MissingArguments);
        let found = read.problems.into_iter().chain(missing);
        found.for_each(|kind| self.flag(kind, self.call.at, sink));
        if runs {
            send(&Value::Object(read.input).to_string(), sink);
        }
        runs
    }

    /// Returns the diagnostics for which `Message` refuses a call with parameters.
    fn problems(&self) -> Vec<DiagnosticKind> {
        let tool = self.tool();
        if !self.call.started && self.call.lists.is_empty() {
            // A line without input: right only for a declared tool that requires nothing.
            if let Some(lines) = self.lines() {
                let (input, problem) = plain::read(lines, tool, None, None, self.repairs());
                return problem.filter(|_| input.is_none()).into_iter().collect();
            }
            let absent = ReadArguments::absent(tool, self.call.unexpected);
            if absent.refused {
                return absent.problems;
            }
        }
        let params = tool.map(|tool| &*tool.params).unwrap_or_default().iter().enumerate();
        let mut required = params.filter(|(_, param)| param.required);
        let strict = self.strict_required();
        let missing = strict && required.any(|(at, _)| !self.call.given.contains(&(at as u16)));
        missing.then_some(DiagnosticKind::MissingArguments).into_iter().collect()
    }

    /// The call's tool, if it is declared.
    fn tool(&self) -> Option<&Tool> {
        reader(self.tables.as_deref()?, &self.call).tool()
    }

    fn repairs(&self) -> Repairs {
        self.tables.as_deref().map(|tables| tables.options.repairs).unwrap_or_default()
    }

    fn strict_types(&self) -> bool {
        self.tables.as_deref().is_some_and(|tables| tables.options.types == Types::Strict)
    }

    fn strict_required(&self) -> bool {
        self.tables.as_deref().is_some_and(|tables| tables.options.required == Required::Strict)
    }

    fn flag(&self, kind: DiagnosticKind, at: usize, sink: &mut impl Sink) {
        sink.event(Event::Diagnostic(Diagnostic::new(kind, at).in_call(self.call.index)));
    }
}

fn reader<'t>(tables: &'t Tables, call: &OpenCall) -> ArgumentsReader<'t> {
    ArgumentsReader { tables, tool: call.tool, part: call.part }
}

fn send(fragment: &str, sink: &mut impl Sink) {
    sink.event(Event::ToolUse(ToolUse::ArgumentsDelta(fragment)));
}

/// Writes the value: the model's own text, if that is JSON.
fn write(value: &Value, text: &str, into: &mut String) {
    if is(value, text) { into.push_str(trim(text)) } else { into.push_str(&value.to_string()) }
}

/// Whether the text is this value's JSON.
fn is(value: &Value, text: &str) -> bool {
    serde_json::from_str::<Value>(trim(text)).is_ok_and(|read| read == *value)
}
