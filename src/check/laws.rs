//! Checks the laws: [`hold`] and its parts.

use std::fmt;
use std::str::FromStr;

#[cfg(feature = "check")]
use serde_json::Value;

use crate::error::{BuildError, UnknownName};
use crate::event::{Event, OpaqueOf, Status, ToolUse};
#[cfg(feature = "check")]
use crate::options::json::{JsonError, shape};
use crate::options::{TextAtCalls, bounds};
use crate::parser::Parser;

/// Error of a law that does not hold: a sentence with the cut and the difference.
///
/// ```
/// use toolstream::check::{Broken, Ended, every_cut, hold};
/// use toolstream::{Dialect, Parser};
///
/// let parser = Parser::builder(Dialect::HERMES).build()?;
/// let text = "Is a < b? <tool_call>";
/// let held: Result<_, Broken> = hold(&parser, text, &every_cut(text.len()), Ended::Stop);
/// if let Err(broken) = held {
///     panic!("{broken}"); // "law of split broken, cut at [3]: …"
/// }
/// # Ok::<(), toolstream::BuildError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken {
    /// `split`, `conservation`, `shape`, `bounded`.
    law: &'static str,
    /// The offsets at which the text was cut.
    cuts: Vec<usize>,
    /// The finding.
    finding: String,
}

/// The number of cuts that the message names: there is one a byte, at worst.
const SHOWN: usize = 8;

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = &self.cuts[..self.cuts.len().min(SHOWN)];
        let rest = match self.cuts.len() - shown.len() {
            0 => String::new(),
            rest => format!(" and {rest} more"),
        };
        write!(f, "law of {} broken, cut at {shown:?}{rest}: {}", self.law, self.finding)
    }
}

impl std::error::Error for Broken {}

/// Returns the cuts of a text of this length: whole, byte by byte, and in two at every byte. Each cut is a list of
/// the offsets at which a new chunk begins, ascending.
///
/// ```
/// assert_eq!(toolstream::check::every_cut(3), [vec![], vec![1, 2], vec![1], vec![2]]);
/// ```
pub fn every_cut(len: usize) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new(), (1..len).collect()];
    all.extend((1..len).map(|at| vec![at]));
    all
}

/// Joins neighbouring slices of one kind.
///
/// [`hold`] compares events in this form.
///
/// ```
/// use toolstream::check::join;
/// use toolstream::{Dialect, Event, Parser};
///
/// let mut parser = Parser::builder(Dialect::HERMES).build()?;
/// let mut events = Vec::new();
/// for chunk in ["Is a", " < b?"] {
///     events.extend(parser.feed(chunk).map(|event| event.map(String::from)));
/// }
/// assert_eq!(events.len(), 2);
/// assert_eq!(join(events), [Event::TextContent("Is a < b?".to_string())]);
/// # Ok::<(), toolstream::BuildError>(())
/// ```
pub fn join<S: AsRef<str>>(events: impl IntoIterator<Item = Event<S>>) -> Vec<Event<String>> {
    let mut joined: Vec<Event<String>> = Vec::new();
    for event in events {
        let event = event.map(|slice| slice.as_ref().to_string());
        match (joined.last_mut().and_then(slice_mut), event.slice()) {
            (Some((kind, slice)), Some(more)) if kind == std::mem::discriminant(&event) => {
                slice.push_str(more);
            }
            _ => joined.push(event),
        }
    }
    joined
}

type SliceKind = std::mem::Discriminant<Event<String>>;

fn slice_mut(event: &mut Event<String>) -> Option<(SliceKind, &mut String)> {
    let kind = std::mem::discriminant(event);
    match event {
        Event::TextContent(slice)
        | Event::Reasoning(slice)
        | Event::Markup(slice)
        | Event::ToolUse(ToolUse::ParamDelta(slice) | ToolUse::ArgumentsDelta(slice)) => {
            Some((kind, slice))
        }
        _ => None,
    }
}

/// The end of the stream.
///
/// An argument of [`hold`].
///
/// ```
/// use toolstream::check::{Ended, every_cut, hold};
/// use toolstream::{Dialect, Parser};
///
/// let parser = Parser::builder(Dialect::HERMES).build()?;
/// for ended in [Ended::Stop, Ended::Cut] {
///     hold(&parser, "a < b", &every_cut(5), ended).expect("the laws hold");
/// }
/// assert_eq!("cut".parse(), Ok(Ended::Cut));
/// # Ok::<(), toolstream::BuildError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ended {
    /// The model ended the stream: [`Parser::finish`].
    #[default]
    Stop,
    /// The stream was cut: [`Parser::finish_cut`].
    Cut,
}

#[cfg(feature = "check")]
impl Ended {
    /// Takes the key `ended` out of a configuration. The other keys are
    /// [`Options`](crate::options::Options). Without it the model ended the stream.
    ///
    /// # Errors
    /// [`JsonError`] for a value that is neither.
    pub(super) fn take_from(config: &mut Value) -> Result<Ended, JsonError> {
        let ended = config.as_object_mut().and_then(|config| config.remove("ended"));
        let Some(ended) = ended else { return Ok(Ended::Stop) };
        let named = ended.as_str().and_then(|name| name.parse().ok());
        named.ok_or_else(|| shape("config.ended", "\"stop\" or \"cut\""))
    }
}

/// `stop` or `cut`.
impl FromStr for Ended {
    type Err = BuildError;

    fn from_str(name: &str) -> Result<Ended, BuildError> {
        match name {
            "stop" => Ok(Ended::Stop),
            "cut" => Ok(Ended::Cut),
            _ => Err(UnknownName::new("ending", name, vec!["stop", "cut"]).into()),
        }
    }
}

/// Returns the events of a fresh parser for a text with these cuts, as they came.
///
/// # Errors
/// [`Broken`] if more bytes were pending than may be, or if slices and position disagree.
fn run(
    parser: &Parser,
    text: &[u8],
    cuts: &[usize],
    ended: Ended,
) -> Result<Vec<Event<String>>, Broken> {
    let mut parser = parser.clone();
    parser.reset();
    let mut events = Vec::new();
    let mut sliced = 0;
    let mut take = |event: Event<&str>| {
        sliced += event.slice().map_or(0, |slice| slice.len());
        events.push(event.map(String::from));
    };
    let mut from = 0;
    for to in cuts.iter().copied().chain([text.len()]) {
        parser.feed_bytes_into(&text[from..to], &mut take);
        from = to;
        let held = parser.held();
        let arguments = if parser.arguments_wait() { bounds::ARGUMENTS } else { 0 };
        let trims = parser.options().text_at_calls == TextAtCalls::Trim;
        let most = bounds::HELD + arguments + if trims { 2 * bounds::CALL_TEXT } else { 0 };
        if held > most {
            let finding = format!("{held} bytes are held after byte {to}");
            return Err(Broken { law: "bounded", cuts: cuts.to_vec(), finding });
        }
    }
    match ended {
        Ended::Stop => parser.finish_into(&mut take),
        Ended::Cut => parser.finish_cut_into(&mut take),
    }
    if sliced != parser.position() {
        let finding = format!("{sliced} bytes in slices, but position {}", parser.position());
        return Err(Broken { law: "conservation", cuts: cuts.to_vec(), finding });
    }
    Ok(events)
}

/// Checks all laws for a text and these cuts of it, if the stream ends like this. The other cuts are compared with
/// the first; without a cut only the whole text is checked. Returns the events, [joined](join).
///
/// [`check`](crate::check) has an example.
///
/// # Errors
/// For the first law that does not hold.
pub fn hold(
    parser: &Parser,
    text: &str,
    cuts: &[Vec<usize>],
    ended: Ended,
) -> Result<Vec<Event<String>>, Broken> {
    let mut expected: Option<Vec<Event<String>>> = None;
    let whole = [Vec::new()];
    for cuts in if cuts.is_empty() { &whole } else { cuts } {
        let broken = |law, finding| Broken { law, cuts: cuts.to_vec(), finding };
        let events = run(parser, text.as_bytes(), cuts, ended)?;
        conserves(text, &events).map_err(|finding| broken("conservation", finding))?;
        has_shape(&events).map_err(|finding| broken("shape", finding))?;
        let events = join(events);
        match &expected {
            None => expected = Some(events),
            Some(expected) if *expected == events => {}
            Some(expected) => {
                let at = expected.iter().zip(&events).take_while(|(a, b)| a == b).count();
                let (one, other) = (expected.get(at), events.get(at));
                return Err(broken("split", format!("event {at} is {other:?}, else {one:?}")));
            }
        }
    }
    Ok(expected.unwrap_or_default())
}

/// The slices are the input; all of it, unless the limit ended the stream.
fn conserves(text: &str, events: &[Event<String>]) -> Result<(), String> {
    let joined: String = events.iter().filter_map(Event::slice).map(String::as_str).collect();
    let whole = match events.last() {
        Some(Event::ToolLimitReached(reached)) => ends_before(reached.at, joined.len(), events),
        _ => joined.len() == text.len(),
    };
    match text.starts_with(&joined) && whole {
        true => Ok(()),
        false => Err(format!("the slices are {joined:?}")),
    }
}

/// Whether the slices, with this length together, end where the surplus call begins. If the call was stopped by its
/// name, its opener may have left as markup.
fn ends_before(at: usize, len: usize, events: &[Event<String>]) -> bool {
    let markup = events.iter().rev().take_while(|event| !matches!(event, Event::ToolUse(_)));
    let markup = markup.map_while(|event| match event {
        Event::Markup(slice) => Some(slice.len()),
        event => event.slice().is_none().then_some(0),
    });
    at <= len && len - at <= markup.sum()
}

/// Checks the law of shape: calls and parameters open and close in turn, no text stands in a call, no slice is empty,
/// and nothing follows the limit.
///
/// # Errors
/// For the first event that is out of place.
///
/// [`hold`] checks it, too.
///
/// ```
/// use toolstream::check::{has_shape, join};
/// use toolstream::{Dialect, Parser};
///
/// let mut parser = Parser::builder(Dialect::HERMES).build()?;
/// let text = "<tool_call>{\"name\": \"list\", \"arguments\": {}}</tool_call>";
/// let events = join(parser.feed(text));
/// assert_eq!(has_shape(&events), Ok(()));
/// assert!(has_shape(&events[..events.len() - 2]).is_err()); // the call does not end
/// # Ok::<(), toolstream::BuildError>(())
/// ```
pub fn has_shape(events: &[Event<String>]) -> Result<(), String> {
    let mut call = None;
    let mut param = false;
    let mut next = 0;
    let mut answered = false;
    for (at, event) in events.iter().enumerate() {
        let fits = match event {
            Event::TextContent(_) | Event::Reasoning(_) => call.is_none(),
            Event::ToolLimitReached(_) => call.is_none() && at + 1 == events.len(),
            Event::Diagnostic(_) | Event::Markup(_) => true,
            Event::Opaque { of, .. } => !param && call.is_some() == (*of == OpaqueOf::Call),
            Event::AnswerStart => call.is_none() && !std::mem::replace(&mut answered, true),
            Event::ToolUse(tool) => match tool {
                ToolUse::Start { index, .. } => {
                    next += 1;
                    call.replace(*index).is_none() && *index + 1 == next
                }
                ToolUse::ParamStart { .. } => {
                    call.is_some() && !std::mem::replace(&mut param, true)
                }
                ToolUse::ParamDelta(_) => param,
                ToolUse::ParamEnd { .. } => std::mem::replace(&mut param, false),
                ToolUse::ArgumentsDelta(_) | ToolUse::Id(_) => call.is_some() && !param,
                ToolUse::End { status, .. } => {
                    let open = call.take().is_some() && !param;
                    let last = events[..at].iter().rev().find_map(closed);
                    open && !(last == Some(false) && *status == Status::Complete)
                }
            },
        };
        let empty = event.slice().is_some_and(|slice| slice.is_empty());
        if !fits || empty {
            return Err(format!("event {at}, {event:?}, is out of place"));
        }
    }
    if call.is_some() || param { Err("a call is left open".to_string()) } else { Ok(()) }
}

/// Whether the last parameter before an `End` was closed.
fn closed(event: &Event<String>) -> Option<bool> {
    match event {
        Event::ToolUse(ToolUse::ParamEnd { closed }) => Some(*closed),
        Event::ToolUse(ToolUse::Start { .. }) => Some(true),
        _ => None,
    }
}
