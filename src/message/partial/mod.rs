//! [`PartialCall`]: the arguments of a call while the model writes them.
//!
//! The value of an open call is kept between calls of `partial_call`, and each call reads only the bytes since the
//! previous one. A visible value stays: no end of the stream can take back the visible part.
//!
//! | value | is visible |
//! |---|---|
//! | a text by its schema, by its markup, or by its beginning | as far as it came |
//! | JSON: all arguments, or a value that can be nothing else | closed members, the open string so far |
//! | a string in another literal | as far as it came |
//! | a number or a word, a text of an `enum`, other literals, nested elements | when it is over |
//! | a list in several parameters | from its second piece on; its first while it comes, if it is JSON |
//! | a value that may be all arguments of the call | when another parameter comes |
//!
//! The reader of finished calls reads a complete value, so no value changes its type at the end.

mod open_json;
mod shown;

use std::borrow::Cow;
use std::collections::HashMap;

use serde::Deserialize;
use serde_json::{Map, Value};

use self::open_json::OpenJson;
use self::shown::Shown;
use super::arguments::ArgumentsReader;
use super::block::{IncompleteCall, Parts, RawParam};
use crate::dialect::Text;
use crate::dialect::literals::Literals;
use crate::json::document::Document;
use crate::json::members::take;
use crate::json::tree::stands_before_the_last;
use crate::options::json::{self, JsonError};
use crate::parser::tables::Tables;
use crate::read::ids::PartNumber;

/// The open call, and its arguments so far.
///
/// [`Message::partial_call`](crate::Message::partial_call) returns it.
///
/// ```
/// use toolstream::{Dialect, Event, Parser, Tool};
///
/// #[derive(serde::Deserialize, Default)]
/// #[serde(default)]
/// struct Edit<'a> { path: &'a str, line: Option<u32>, text: &'a str }
///
/// let edit = Tool::from_json(&serde_json::json!({"name": "edit", "parameters": {"properties":
///     {"path": {"type": "string"}, "line": {"type": "integer"}, "text": {"type": "string"}}}}))?;
/// let mut parser = Parser::builder(Dialect::QWEN3_CODER).tool(edit).build()?;
/// let mut message = parser.message();
/// let mut seen = Vec::new();
/// for chunk in [
///     "<tool_call>\n<function=edit>\n<parameter=path>\nsrc/li",
///     "b.rs\n</parameter>\n<parameter=line>\n1",
///     "2\n</parameter>\n<parameter=text>\nfn ",
/// ] {
///     parser.feed(chunk).for_each(|event: Event<&str>| message.push(event));
///     let call = message.partial_call().unwrap();
///     let Edit { path, line, text } = call.parse()?;
///     seen.push(format!("{path} {line:?} {text:?}, path done: {}", call.is_done("/path")));
/// }
/// assert_eq!(seen, [
///     "src/li None \"\", path done: false",
///     "src/lib.rs None \"\", path done: true", // 1 may be the beginning of 12
///     "src/lib.rs Some(12) \"fn \", path done: true",
/// ]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct PartialCall<'m> {
    pub(super) call: &'m IncompleteCall,
    pub(super) view: &'m View,
}

impl<'m> PartialCall<'m> {
    /// Returns the call as the message has it: its number, its id, and its raw parameters.
    pub fn call(&self) -> &'m IncompleteCall {
        self.call
    }

    /// Returns the tool's name.
    pub fn name(&self) -> &'m str {
        self.call.name()
    }

    /// Returns the arguments so far, typed by the tool's schema: closed values, and the beginning of an open
    /// string. A number, a word, a key or an escape is there once it is whole, and so is a text of an `enum`.
    ///
    /// Values that are there stay, up to the finished call: strings and lists grow, members come, all other
    /// values are final. The model can take back three things: a key that it writes a second time (the last one
    /// counts), a malformed list or object in a tag (it becomes text, with
    /// [`TypeMismatch`](crate::diagnostic::DiagnosticKind::TypeMismatch)), and a call that is never finished.
    pub fn input(&self) -> &'m Map<String, Value> {
        &self.view.input
    }

    /// Reads the arguments so far as a type of yours, in which every value that may be missing has a default:
    /// `#[serde(default)]`. A `&str` or a `Cow` borrows from the message; everything else is built anew, so the cost
    /// grows with the arguments.
    ///
    /// # Errors
    /// [`JsonError`] with serde's message and the place.
    pub fn parse<T: Deserialize<'m>>(&self) -> Result<T, JsonError> {
        json::parse(&self.view.input)
    }

    /// Returns a number that grows when a member changes that is not the last one of its object: the model wrote a key
    /// a second time, or a list got another piece behind other members. While the number stays, a look that remembers
    /// the arguments has to compare only the last known member of each object and the members behind it. (In the order
    /// of the model, which members have with the feature `preserve_order`.)
    pub fn revisions(&self) -> usize {
        self.view.revisions
    }

    /// Whether a value is complete, at any depth: `/path`, `/edits/0/text`. (A JSON pointer: `~1` stands for
    /// `/` in a key, `~0` for `~`.) The arguments as a whole are never over, because then the call is no longer
    /// open.
    ///
    /// A caller may never see that the last value of a call is over: its end and the call's can come in one chunk.
    /// Where a closing tag counts only with the text behind it (`qwen3-coder`, `cline`), they come with the same
    /// byte. A screen that shows a growing value therefore takes its rest from the finished call, once there is no
    /// partial one any more.
    pub fn is_done(&self, pointer: &str) -> bool {
        self.view.is_done(pointer).unwrap_or(false)
    }
}

/// The arguments of the open call, as of the last call of `partial_call`.
#[derive(Clone, Debug, Default)]
pub(super) struct View {
    input: Map<String, Value>,
    /// The number of the call's tool, if it is declared.
    tool: Option<u16>,
    /// The parameter that is read, and how many bytes of it were; of arguments that are JSON, of these.
    at: usize,
    read: usize,
    shown: Shown,
    /// The lists that came in pieces, by name: the first piece of each, and the number of pieces.
    lists: HashMap<String, (usize, usize)>,
    /// The open parameter, or the list to which it adds a piece.
    open: Option<String>,
    /// See [`PartialCall::revisions`].
    revisions: usize,
}

impl View {
    pub fn new(call: &IncompleteCall, tables: &Tables) -> View {
        let tool = tables.tool_named(&call.parts.name);
        View { tool, ..View::default() }
    }

    /// Reads the bytes since the last call of `partial_call`.
    pub fn update(&mut self, call: &IncompleteCall, tables: &Tables) {
        let (parts, tool) = (&call.parts, self.tool);
        let reader = ArgumentsReader { tables, tool, part: parts.dialect as PartNumber };
        match (&parts.raw, reader.lines(parts)) {
            (Some(_), Some(_)) => {}
            (Some(raw), None) => self.arguments(raw, reader),
            (None, Some(lines)) => self.plain(&parts.params, lines, reader),
            (None, None) => self.params(parts, reader),
        }
    }

    /// Arguments that are JSON.
    fn arguments(&mut self, raw: &str, reader: ArgumentsReader<'_>) {
        if self.read == raw.len() {
            return;
        }
        let document = || Document::arguments(reader.tables.options.repairs);
        let mut json = match std::mem::take(&mut self.shown) {
            Shown::Json(json) => json,
            _ => Box::new(OpenJson::new(document())),
        };
        let shown = Value::Object(std::mem::take(&mut self.input));
        if let Some(Value::Object(input)) = json.read(&raw[self.read..], shown, reader, None) {
            self.input = input;
        }
        self.revisions += usize::from(json.take_revised());
        self.read = raw.len();
        self.shown = Shown::Json(json);
    }

    /// The input of a call of a dialect of lines.
    fn plain(&mut self, params: &[RawParam], no_input: &[Text], reader: ArgumentsReader<'_>) {
        let Some(param) = params.first().filter(|_| self.at == 0) else { return };
        let types = reader.types(&param.name);
        if let Shown::Unknown = self.shown {
            self.shown = Shown::of_plain(param, &types, no_input, reader);
        }
        self.grow(param, &param.name, reader);
        if param.closed {
            let read = reader.plain(no_input, Some((param, &types)), None);
            self.input = read.input;
            self.revisions += 1;
            self.at = 1;
            self.open = None;
        }
    }

    fn params(&mut self, parts: &Parts, reader: ArgumentsReader<'_>) {
        while let Some(param) = parts.params.get(self.at) {
            let last = self.at + 1 == parts.params.len();
            let alone = last && self.at == 0;
            if alone && reader.may_hold_all(&param.name, param.hint) {
                return;
            }
            if !RawParam::lacks_key(&param.name, param.hint) {
                self.param(param, &parts.params, reader);
            }
            if last && !param.closed {
                return;
            }
            self.at += 1;
            self.read = 0;
            self.shown = Shown::Unknown;
            self.open = None;
        }
    }

    fn param(&mut self, param: &RawParam, params: &[RawParam], reader: ArgumentsReader<'_>) {
        let list = reader.list_of(&param.name, param.hint);
        if let Shown::Unknown = self.shown {
            let started = list.is_some_and(|list| self.lists.contains_key(list));
            self.shown = if started { Shown::Whole } else { Shown::new(param, reader) };
        }
        let name = list.unwrap_or(&param.name);
        self.revisions += usize::from(stands_before_the_last(&self.input, name));
        self.grow(param, name, reader);
        match list {
            _ if !param.closed => {}
            Some(list) => self.piece(list, params, reader),
            None => {
                let value = reader.value(param, &reader.types(&param.name), &mut Vec::new());
                *slot(&mut self.input, &param.name) = value;
            }
        }
    }

    /// A piece of a list is over.
    fn piece(&mut self, list: &str, params: &[RawParam], reader: ArgumentsReader<'_>) {
        let piece = &params[self.at];
        let Some((first, count)) = self.lists.get_mut(list) else {
            if let Shown::Json(_) = self.shown {
                *slot(&mut self.input, list) = reader.list(list, &[piece], &mut Vec::new());
            }
            self.lists.insert(list.to_string(), (self.at, 1));
            return;
        };
        *count += 1;
        if *count == 2 {
            let pieces = [&params[*first], piece];
            *slot(&mut self.input, list) = reader.list(list, &pieces, &mut Vec::new());
        } else if let Some(Value::Array(items)) = self.input.get_mut(list) {
            let adds = reader.pieces_add(list, false);
            reader.piece(list, piece, adds, items, &mut Vec::new());
        }
    }

    /// Reads the new bytes of the open value, and shows it under this name.
    fn grow(&mut self, param: &RawParam, name: &str, reader: ArgumentsReader<'_>) {
        if self.open.is_none() {
            self.open = Some(name.to_string());
        }
        if matches!(self.shown, Shown::Unknown | Shown::Whole) {
            return;
        }
        let from = std::mem::replace(&mut self.read, param.value.len());
        let piece = &param.value[from..];
        let slot = slot(&mut self.input, name);
        if !matches!(self.shown, Shown::Json(_)) && (from == 0 || !slot.is_string()) {
            *slot = Value::from("");
        }
        let mut send = |text: &str| {
            if let Value::String(string) = slot {
                string.push_str(text);
            }
        };
        match &mut self.shown {
            Shown::Unknown | Shown::Whole => {}
            Shown::Text(text) => text.push(piece, usize::MAX, &mut send),
            Shown::Literal(literal) => {
                let syntax =
                    reader.tables.facts(reader.part).literals.as_ref().map(Literals::syntax);
                let read = |syntax| literal.read(&param.value, from, syntax, &mut send);
                self.read = syntax.map_or(param.value.len(), read);
            }
            Shown::Json(json) => {
                match json.read(piece, slot.take(), reader, Some(&param.name)) {
                    Some(value) => *slot = value,
                    None => drop(take(&mut self.input, name)),
                }
                self.revisions += usize::from(json.take_revised());
            }
        }
    }

    /// Returns the path from the outermost member to the open value: keys, and nothing for the last item of a list.
    fn path(&self) -> impl Iterator<Item = Option<&str>> {
        let json = match &self.shown {
            Shown::Json(json) => Some(json.path()),
            _ => None,
        };
        self.open.iter().map(|name| Some(&**name)).chain(json.into_iter().flatten())
    }

    /// Whether the value at this place is over; `None` if nothing is there.
    fn is_done(&self, pointer: &str) -> Option<bool> {
        let mut keys = pointer.strip_prefix('/')?.split('/').map(decoded);
        let mut open = self.path();
        let name = keys.next()?;
        let mut value = self.input.get(&*name)?;
        let mut is_open = open.next().is_some_and(|open| open == Some(&*name));
        let mut may_grow = self.lists.contains_key(&*name);
        for key in keys {
            may_grow = false;
            let open = open.next().filter(|_| is_open);
            (value, is_open) = match value {
                Value::Object(members) => (members.get(&*key)?, open == Some(Some(&*key))),
                Value::Array(items) => {
                    let at: usize = key.parse().ok()?;
                    (items.get(at)?, open == Some(None) && at + 1 == items.len())
                }
                _ => return None,
            };
        }
        Some(!(is_open || may_grow))
    }
}

/// The place of a member, which may be a new one.
fn slot<'m>(members: &'m mut Map<String, Value>, name: &str) -> &'m mut Value {
    if !members.contains_key(name) {
        members.insert(name.to_string(), Value::Null);
    }
    &mut members[name]
}

/// A key as it stands in a JSON pointer.
fn decoded(key: &str) -> Cow<'_, str> {
    if key.contains('~') { key.replace("~1", "/").replace("~0", "~").into() } else { key.into() }
}
