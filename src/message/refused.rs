//! Why calls of a message may not run, and why openers of calls did not count, in words for the model that wrote
//! them.
//!
//! The message knows its calls. Only markers show which marker stood in place of a closer, and which text began like a
//! call ([`Sink::marker`]): they are taken under `explain_refused`
//! ([`Options::explain_refused`](crate::options::Options::explain_refused)). Sentences are made when they are needed, except for
//! openers that name a declared tool.

use std::collections::HashMap;
use std::fmt;
use std::ops::Range;

use serde_json::Value;

use super::arguments::ArgumentsReader;
use super::block::{ArgumentsProblem, Block, IncompleteCall, IncompleteReason, Parts};
use super::{Message, is_open};
use crate::dialect::template::{ArgumentsForm, Template, call_hole, fill, param_hole};
use crate::event::{Diagnostic, DiagnosticKind, Event, ToolUse};
use crate::json::white::{WHITE_SPACE, trim};
use crate::marker::{Marker, Refused};
use crate::parser::tables::Tables;
use crate::read::ids::PartNumber;
use crate::sink::Sink;
use crate::tool::types::type_of;
use crate::tool::{Param, Type};

/// A call that cannot be read.
pub(crate) const MALFORMED_CALL: &str = "Your last reply contained a tool call that could not be read: {detail}. Send the whole call again in the \
     required format. (Automatic message: do not answer it.)";
/// A call that was cut off.
pub(crate) const TRUNCATED_CALL: &str = "Your last reply was cut off inside the call of '{tool}', so nothing was run. Send the call again; if it is \
     long, split the work into smaller calls. (Automatic message: do not answer it.)";

/// A call that may not run, or something that began like one and did not count.
///
/// [`Message::refused`] has them.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RefusedCall {
    /// The place in the stream, in bytes: that of the call, or of the opener that did not count.
    pub range: Range<usize>,
    /// The tool's name, where it is known.
    pub name: Option<String>,
    /// The number of the incomplete call in the message; `None` where none began.
    pub index: Option<usize>,
    /// The reason: a sentence without its full stop, "`</parameter>` is missing before `</invoke>`".
    pub why: String,
}

/// "`read`: `</parameter>` is missing before `</invoke>`"
impl fmt::Display for RefusedCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.name {
            Some(name) => write!(f, "`{name}`: {}", self.why),
            None => f.write_str(&self.why),
        }
    }
}

/// The most openers that are kept: no model reads more reasons.
const OPENERS: usize = 100;

/// Notes taken from markers, under `explain_refused`.
#[derive(Clone, Debug, Default)]
pub(super) struct Explained {
    /// Openers that did not count, and name a declared tool.
    openers: Vec<RefusedCall>,
    /// The last marker that counts.
    marker: Option<(usize, String)>,
    /// Recoveries in calls: the diagnostic, the marker at its place, and the open parameter.
    recoveries: Vec<Recovery>,
    in_param: bool,
}

#[derive(Clone, Debug)]
struct Recovery {
    found: Diagnostic,
    marker: Option<String>,
    param: Option<String>,
}

impl Explained {
    /// Removes all notes.
    pub fn clear(&mut self) {
        *self = Explained::default();
    }

    /// Takes an event before the message does. `call`: the open one.
    pub fn event(&mut self, event: &Event<&str>, call: Option<&Parts>) {
        match event {
            Event::ToolUse(ToolUse::ParamStart { .. }) => self.in_param = true,
            Event::ToolUse(ToolUse::ParamEnd { .. } | ToolUse::Start { .. }) => {
                self.in_param = false;
            }
            Event::Diagnostic(found) if found.call.is_some() && rank(found.kind).is_some() => {
                let here = |(at, _): &&(usize, String)| *at == found.at;
                let param = call.and_then(|call| call.params.last()).filter(|_| self.in_param);
                self.recoveries.push(Recovery {
                    found: *found,
                    marker: self.marker.as_ref().filter(here).map(|(_, text)| text.clone()),
                    param: param.map(|param| param.name.clone()),
                });
            }
            _ => {}
        }
    }

    /// Finds the recovery that a diagnostic of a call reports. Recoveries are sorted by their calls.
    fn recovery(&self, found: &Diagnostic) -> Option<&Recovery> {
        let from = self.recoveries.partition_point(|recovery| recovery.found.call < found.call);
        let own = self.recoveries[from..].iter();
        own.take_while(|own| own.found.call == found.call).find(|own| own.found == *found)
    }

    fn marker(&mut self, marker: &Marker<'_>, tables: &Tables) {
        let Some(refused) = &marker.refused else {
            self.marker = Some((marker.at, trim(marker.text).to_string()));
            return;
        };
        if self.openers.len() == OPENERS {
            return;
        }
        let Some(name) = opens_call(marker.role).then(|| named(tables, marker.text)).flatten()
        else {
            return;
        };
        // If an option makes the markers text, no call was meant.
        let Some(why) = words(trim(marker.text), refused) else { return };
        let range = marker.at..marker.at + marker.text.len();
        // An opener in parts is refused as a whole, and then its last part alone.
        if self.openers.last().is_some_and(|last| range.start < last.range.end) {
            return;
        }
        self.openers.push(RefusedCall { range, name: Some(name.to_string()), index: None, why });
    }
}

/// Whether a marker of this role would have begun a call.
fn opens_call(role: &str) -> bool {
    let begins = role.contains("opener") || role.contains("a call");
    let ends = ["closer", "end of", "argument", "reasoning"];
    begins && !ends.iter().any(|word| role.contains(word))
}

/// Finds the declared tool that an opener names.
fn named<'t>(tables: &'t Tables, opener: &str) -> Option<&'t str> {
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    let stands = |name: &&str| {
        opener.match_indices(*name).any(|(at, _)| {
            let (before, behind) = (&opener[..at], &opener[at + name.len()..]);
            !before.ends_with(is_word) && !behind.starts_with(is_word)
        })
    };
    let names = tables.tools.iter().map(|tool| &*tool.name).filter(|name| !name.is_empty());
    // `read_file` holds `read`, too.
    names.filter(stands).max_by_key(|name| name.len())
}

/// Returns the reason of an opener that did not count, without the parser's own words.
fn words(opener: &str, refused: &Refused) -> Option<String> {
    match refused {
        Refused::Next { found, expected, .. } => {
            Some(format!("behind `{opener}` comes `{}` and not {expected}", found.escape_debug()))
        }
        Refused::End { expected } => {
            Some(format!("the reply ends behind `{opener}`, before {expected}"))
        }
        Refused::Place(place) if place.contains("reasoning") || place.contains("code") => None,
        Refused::Place(place) => Some(format!("`{opener}` does not count there: {place}")),
        Refused::Payload => Some(format!("`{opener}` does not begin a call there")),
    }
}

/// Ranks a diagnostic as the cause of its broken call: the least is the likeliest. `None`: it breaks no call.
fn rank(kind: DiagnosticKind) -> Option<u8> {
    use DiagnosticKind as Kind;
    match kind {
        Kind::LimitExceeded => Some(0),
        Kind::MissingCloser | Kind::MismatchedCloser | Kind::MalformedTag | Kind::RepairedJson => {
            Some(1)
        }
        // The section's opener is the least important mistake of a call.
        Kind::MissingOpener => Some(2),
        Kind::SuspectMarker => Some(3),
        Kind::StrayText | Kind::ArgumentsMismatch => Some(4),
        _ => None,
    }
}

/// Reads notes out of the diagnostics of a message from a log.
pub(super) fn restore_broken_by(blocks: &mut [Block], diagnostics: &[Diagnostic]) {
    let mut of_calls: HashMap<usize, Vec<Diagnostic>> = HashMap::new();
    for found in diagnostics {
        if let Some(index) = found.call {
            of_calls.entry(index).or_default().push(*found);
        }
    }
    for block in blocks {
        if let Block::Incomplete(call) = block {
            let own = of_calls.get(&call.index()).map(Vec::as_slice).unwrap_or_default();
            call.broken_by = broken_by(own, call.reason);
        }
    }
}

/// Finds the diagnostic that explains this reason of an incomplete call, among the call's own.
pub(super) fn broken_by(own: &[Diagnostic], reason: IncompleteReason) -> Option<Diagnostic> {
    let of = |kind| own.iter().find(|found| found.kind == kind).copied();
    match reason {
        IncompleteReason::Cut => None,
        IncompleteReason::Broken => {
            let ranked = own.iter().filter_map(|found| Some((rank(found.kind)?, *found)));
            // Of equal ranks the first counts: later mistakes often follow from it.
            ranked.min_by_key(|(rank, _)| *rank).map(|(_, found)| found)
        }
        IncompleteReason::MalformedArguments => of(DiagnosticKind::MalformedArguments),
        IncompleteReason::MissingArguments => of(DiagnosticKind::MissingArguments),
        IncompleteReason::TypeMismatch => of(DiagnosticKind::TypeMismatch),
    }
}

impl Message {
    /// Returns the calls that may not run, and openers and calls that did not count, in the order of the stream,
    /// each with the reason in a sentence.
    ///
    /// Beside the incomplete calls there are calls without a name, and openers that the stream's end cut. With
    /// [`explain_refused`](crate::options::Options::explain_refused) there is also each opener that did not count although it names a
    /// declared tool (the first hundred of them), and the sentences name the marker that stood where another one is missing. For
    /// that the message needs the markers. A [`Reply`](crate::Reply) and [`Parser::parse`](crate::Parser::parse) provide them; a
    /// program that fills a message by hand passes it to [`Parser::feed_into`](crate::Parser::feed_into) as the sink. It costs
    /// next to nothing in the dialects of `<tool_call>` and their kin. In the others each chunk is read in full, as for a sink
    /// that [`wants_markers`](Sink::wants_markers): prose with many `<` costs up to a hundred times as much.
    ///
    /// ```
    /// use toolstream::{Dialect, Param, Parser, Tool, options::Recoveries};
    ///
    /// let parser = Parser::builder(Dialect::INVOKE)
    ///     .tool(Tool::new("read").param(Param::required("path")))
    ///     .recoveries(Recoveries::Strict)
    ///     .explain_refused(true)
    ///     .build()?;
    /// let message = parser.parse("<invoke name=\"read\"><parameter name=\"path\">a.rs</invoke>");
    /// let [refused] = &message.refused()[..] else { panic!("{:?}", message.refused()) };
    /// assert_eq!(refused.name.as_deref(), Some("read"));
    /// assert_eq!(refused.why, "`</parameter>` is missing before `</invoke>`");
    /// # Ok::<(), toolstream::BuildError>(())
    /// ```
    pub fn refused(&self) -> Vec<RefusedCall> {
        let incomplete = self.blocks.iter().filter_map(|block| match block {
            Block::Incomplete(call) if !call.partial => Some(self.refused_call(call)),
            _ => None,
        });
        let nameless = self.diagnostics.iter().filter_map(nameless);
        let openers = self.explained.iter().flat_map(|explained| explained.openers.iter().cloned());
        let mut refused: Vec<_> = incomplete.chain(nameless).chain(openers).collect();
        refused.sort_by_key(|refused| refused.range.start);
        refused
    }

    /// Returns the text that tells the model the mistakes in its calls, in the words of the guard
    /// ([`policy::Guard`](https://docs.rs/toolstream) also has a text for a turn without a call). `None` if there were
    /// no mistakes.
    ///
    /// An opener that did not count is mentioned only if the message has no call that may run: prose may speak of
    /// tags.
    ///
    /// ```
    /// use toolstream::{Dialect, Param, Parser, Tool, options::Required};
    ///
    /// let read = Tool::new("read").param(Param::required("path"));
    /// let parser = Parser::builder(Dialect::HERMES).tool(read).required(Required::Strict).build()?;
    /// let message = parser.parse(r#"<tool_call>{"name": "read", "arguments": {}}</tool_call>"#);
    /// assert_eq!(message.correction().as_deref(), Some(
    ///     "Your last reply contained a tool call that could not be read: `read`: it lacks the required argument \
    ///      `path`. Send the whole call again in the required format. (Automatic message: do not answer it.)"));
    /// assert_eq!(parser.parse("Hello.").correction(), None);
    /// # Ok::<(), toolstream::BuildError>(())
    /// ```
    pub fn correction(&self) -> Option<String> {
        let mut refused = self.refused();
        if self.has_calls() {
            refused.retain(|refused| refused.index.is_some());
        }
        let only = |refused: &[RefusedCall]| match refused {
            [one] => one.index.zip(one.name.clone()).filter(|(index, _)| self.was_cut(*index)),
            _ => None,
        };
        match only(&refused) {
            _ if refused.is_empty() => None,
            Some((_, tool)) if !self.has_calls() => Some(TRUNCATED_CALL.replace("{tool}", &tool)),
            _ => {
                let all: Vec<_> = refused.iter().map(RefusedCall::to_string).collect();
                Some(MALFORMED_CALL.replace("{detail}", &all.join("; ")))
            }
        }
    }

    /// The first opener that did not count, though it names a declared tool.
    #[cfg(feature = "policy")]
    pub(crate) fn refused_opener(&self) -> Option<&RefusedCall> {
        self.explained.as_ref()?.openers.first()
    }

    fn was_cut(&self, index: usize) -> bool {
        self.blocks.iter().any(|block| match block {
            Block::Incomplete(call) => {
                call.index() == index && call.reason == IncompleteReason::Cut
            }
            _ => false,
        })
    }

    fn refused_call(&self, call: &IncompleteCall) -> RefusedCall {
        RefusedCall {
            range: call.range(),
            name: Some(call.name().to_string()),
            index: Some(call.index()),
            why: self.why(call),
        }
    }

    fn why(&self, call: &IncompleteCall) -> String {
        match call.reason {
            IncompleteReason::Cut => self.why_cut(call),
            IncompleteReason::Broken => self.why_broken(call),
            IncompleteReason::MalformedArguments => match &call.problem {
                Some(ArgumentsProblem { line, column, .. }) => {
                    format!("its arguments are not valid JSON (line {line}, column {column})")
                }
                None => "its arguments cannot be read".to_string(),
            },
            IncompleteReason::MissingArguments => self.why_missing(call),
            IncompleteReason::TypeMismatch => self.why_mistyped(call),
        }
    }

    fn why_cut(&self, call: &IncompleteCall) -> String {
        let open = call.params().last().filter(|param| !param.closed);
        match (open, self.closer(&call.parts, open.map(|param| &*param.name))) {
            (_, Some(closer)) => format!("the reply ends before its `{closer}`"),
            (Some(param), None) => format!("the reply ends in the value of `{}`", param.name),
            (None, None) => "the reply ends inside of it".to_string(),
        }
    }

    fn why_broken(&self, call: &IncompleteCall) -> String {
        let Some(found) = call.broken_by else { return "its markup is broken".to_string() };
        let recovery = self.explained.as_ref().and_then(|explained| explained.recovery(&found));
        let marker = recovery.and_then(|recovery| recovery.marker.as_deref());
        let closer =
            recovery.and_then(|recovery| self.closer(&call.parts, recovery.param.as_deref()));
        match (found.kind, closer, marker) {
            (DiagnosticKind::MissingCloser, Some(closer), Some(marker)) => {
                format!("`{closer}` is missing before `{marker}`")
            }
            (DiagnosticKind::MissingCloser, Some(closer), None) => format!("`{closer}` is missing"),
            (DiagnosticKind::MissingCloser, None, Some(marker)) => {
                format!("a closer is missing before `{marker}`")
            }
            (DiagnosticKind::MismatchedCloser, Some(closer), Some(marker)) => {
                format!("`{marker}` stands where `{closer}` should")
            }
            (DiagnosticKind::MalformedTag, _, Some(marker)) => {
                format!("`{marker}` is not quite a tag of the format")
            }
            (DiagnosticKind::MissingOpener, ..) => match self.opener(&call.parts) {
                Some(opener) => format!("`{opener}` is missing before it"),
                None => "its opener is missing".to_string(),
            },
            (DiagnosticKind::SuspectMarker, _, Some(marker)) => {
                format!("a value holds `{marker}`: perhaps its own closer is missing")
            }
            (kind, ..) => plainly(kind).to_string(),
        }
    }

    fn why_missing(&self, call: &IncompleteCall) -> String {
        let missing = self.reader(&call.parts).map(|reader| reader.missing(call.input()));
        match missing.as_deref() {
            None | Some([]) => "it has none of the arguments it needs".to_string(),
            Some([one]) => format!("it lacks the required argument `{one}`"),
            Some([some @ .., last]) => {
                format!("it lacks the required arguments `{}` and `{last}`", some.join("`, `"))
            }
        }
    }

    fn why_mistyped(&self, call: &IncompleteCall) -> String {
        let tool = self.reader(&call.parts).and_then(|reader| reader.tool());
        let params = tool.map(|tool| &*tool.params).unwrap_or_default();
        let wrong = params.iter().find_map(|param| {
            let value = call.input().get(&param.name)?;
            (!fits(param, value)).then_some((param, value))
        });
        match wrong {
            None => "an argument is not of the type that it must have".to_string(),
            Some((param, value)) => {
                let types: Vec<_> = param.types.iter().map(|of| of.as_str()).collect();
                let (must, is) = (types.join(" or "), type_of(value).as_str());
                format!(
                    "`{}` must be of the type {must} and is a value of the type {is}",
                    param.name
                )
            }
        }
    }

    fn reader(&self, call: &Parts) -> Option<ArgumentsReader<'_>> {
        let tables = self.tables.as_deref()?;
        let tool = tables.tool_named(&call.name);
        let part = call.dialect as PartNumber;
        // A provider's own calls are no dialect's.
        (call.dialect < crate::event::NATIVE)
            .then_some(ArgumentsReader { tables, tool, part })
            .or(Some(ArgumentsReader { tables, tool, part: 0 }))
    }

    /// Returns the template of the call's dialect.
    fn template(&self, call: &Parts) -> Option<&Template> {
        let tables = self.tables.as_deref()?;
        match call.dialect {
            0 => Some(tables.dialect.template()),
            crate::event::NATIVE => None,
            part => Some(&tables.facts(part as PartNumber).template),
        }
    }

    /// Returns the closer of the parameter of this name; without one, the closer of the call.
    fn closer(&self, call: &Parts, param: Option<&str>) -> Option<String> {
        let form = &self.template(call)?.call;
        let closer = match (param, &form.arguments) {
            (Some(key), ArgumentsForm::Params(form)) => {
                fill(&form.close, param_hole(key, "string"))
            }
            (Some(_), _) => return None,
            (None, _) => {
                let close = if trim_body(&form.close).is_empty() {
                    &form.section_close
                } else {
                    &form.close
                };
                fill(close, call_hole(&call.name, "", ["0", "1"]))
            }
        };
        Some(trim_body(&closer).to_string()).filter(|closer| !closer.is_empty())
    }

    /// Returns the opener of the section of a call.
    fn opener(&self, call: &Parts) -> Option<String> {
        let form = &self.template(call)?.call;
        let opener =
            if trim(&form.section_open).is_empty() { &form.open } else { &form.section_open };
        let first = trim(opener).split(['\n', '{']).next().map(trim)?;
        Some(first.to_string()).filter(|opener| !opener.is_empty())
    }
}

/// A closer without the brackets of the arguments before it.
fn trim_body(closer: &str) -> &str {
    trim(closer.trim_start_matches(|c| WHITE_SPACE.contains(&c) || matches!(c, '}' | ']' | ')')))
}

/// Whether a value is of a type that its parameter's schema names.
fn fits(param: &Param, value: &Value) -> bool {
    let is = type_of(value);
    let fits = |of: &Type| *of == is || (*of, is) == (Type::Number, Type::Integer);
    param.types.is_empty() || param.types.iter().any(fits)
}

/// A call that began and has no name.
fn nameless(found: &Diagnostic) -> Option<RefusedCall> {
    let why = match found.kind {
        DiagnosticKind::MalformedCall => "the call was not well formed, or names no tool",
        DiagnosticKind::MissingActionName => "its action names no tool",
        DiagnosticKind::CutOpener => "the reply ends inside of a call's opener",
        _ => return None,
    };
    let range = found.at..found.at;
    let refused = RefusedCall { range, name: None, index: None, why: why.to_string() };
    found.call.is_none().then_some(refused)
}

/// Returns the words for a diagnostic that broke a call, if no marker says more.
fn plainly(kind: DiagnosticKind) -> &'static str {
    match kind {
        DiagnosticKind::LimitExceeded => "a name or a tag in it is too long",
        DiagnosticKind::MissingCloser => "a closer is missing",
        DiagnosticKind::MismatchedCloser => "a closer has another name than its opener",
        DiagnosticKind::MalformedTag => "a tag is not quite one of the format",
        DiagnosticKind::RepairedJson => "its arguments are not valid JSON",
        DiagnosticKind::SuspectMarker => {
            "a value holds a marker: perhaps its own closer is missing"
        }
        DiagnosticKind::StrayText => "words stand between its arguments",
        _ => "its markup is broken",
    }
}

/// Takes the events and, under `explain_refused`, the markers.
impl Sink for Message {
    fn event(&mut self, event: Event<&str>) {
        self.push(event);
    }

    fn wants_markers(&self) -> bool {
        self.explained.is_some()
    }

    fn marker(&mut self, marker: &Marker<'_>) {
        // Inside a call a refused marker is data, or the call reports it.
        let in_call = self.blocks.last().filter(is_open).is_some();
        let refused = marker.refused.is_some();
        if let (Some(explained), Some(tables), false) =
            (&mut self.explained, &self.tables, in_call && refused)
        {
            explained.marker(marker, tables);
        }
    }
}
