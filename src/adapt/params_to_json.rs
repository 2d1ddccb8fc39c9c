//! [`ParamsToJson`]: parameters in, JSON argument fragments out.

use std::sync::Arc;

use super::fragments::Fragments;
use crate::event::Event;
#[cfg(doc)]
use crate::event::TypeHint;
use crate::marker::Marker;
use crate::parser::Parser;
use crate::sink::Sink;

/// Sink that turns parameters into `ArgumentsDelta` fragments, which joined are one JSON object.
///
/// The adapter owns the next sink, because it remembers data from one feed to the next. So the stream loop has one
/// object to feed, and [`ParamsToJson::into_sink`] returns the sink. A sink that must stay elsewhere goes in as a
/// closure, `|event: Event<&str>| …`. One adapter reads one message.
///
/// `ParamStart`, `ParamDelta` and `ParamEnd` go in, fragments come out in their place, and everything else passes.
/// Calls that already have arguments pass unchanged. A fragment is JSON text and no slice of the input: behind the
/// adapter the slices do not tile the input any more (law 2). Offsets are still those of the stream.
///
/// ```
/// use toolstream::adapt::ParamsToJson;
/// use toolstream::{Dialect, Event, Param, Parser, Tool, ToolUse, tools::Type};
///
/// let mut parser = Parser::builder(Dialect::INVOKE)
///     .tool(
///         Tool::new("write")
///             .param(Param::required("text").with(Type::String))
///             .param(Param::optional("mode").with(Type::Integer)),
///     )
///     .build()?;
///
/// let mut fragments = Vec::new();
/// let mut json = ParamsToJson::new(&parser, |event: Event<&str>| {
///     if let Event::ToolUse(ToolUse::ArgumentsDelta(fragment)) = event {
///         fragments.push(fragment.to_string());
///     }
/// });
/// // The chunks end inside a tag, inside the text and inside its closer.
/// for chunk in [
///     "<function_calls><invoke name=\"write\"><para",
///     "meter name=\"text\">say \"h",
///     "i\"</param",
///     "eter><parameter name=\"mode\"> 420 </parameter></invoke></function_calls>",
/// ] {
///     parser.feed_into(chunk, &mut json);
/// }
/// parser.finish_into(&mut json);
///
/// assert_eq!(
///     fragments,
///     ["{\"text\":\"", "say \\\"h", "i\\\"", "\"", ",\"mode\":420", "}"],
/// );
/// # Ok::<(), toolstream::BuildError>(())
/// ```
///
/// # The object
///
/// The object equals `Message::input`: values are read by the tool's schema, and trimmed and decoded by the dialect
/// and the options. Findings (`type_mismatch`, `repaired_json`) leave as diagnostics in front of the value. A value
/// whose wire has a type ([`TypeHint`]) is of that type and taken verbatim. Numbers, arrays and objects are the
/// model's own text if that is JSON, so that no digit and no order is lost.
///
/// * **A repeated parameter** is a repeated member, because the first one may have left. RFC 8259 leaves the meaning
///   open; `Message`, `serde_json::Value`, JavaScript, Python and Go take the last one. The parser has sent
///   `duplicate_parameter`.
/// * **A list** (of a schema with an array and no string) may come in pieces, one parameter each: the list is one
///   member, which leaves at the call's end.
/// * **A call that `Message` refuses** is never closed, and ends as `Incomplete`. Such a call has no arguments though
///   its tool requires some (`missing_arguments`), or other text between its parameters (`malformed_arguments`). With
///   [`Required::Strict`](crate::options::Required::Strict) it is also one that lacks a required parameter.
/// * **A call without arguments** is `{}` otherwise.
/// * **A truncated call** is a prefix of a JSON object and never closed: strings stay open, and a value that has to
///   be read whole does not start. A fragment is never taken back.
///
/// `End{Complete}` of a call with parameters means that the fragments are one whole JSON object.
///
/// # Memory
///
/// The adapter holds values that have to be read whole, lists, and white space that may have to be trimmed: at most
/// [`ParamsToJson::hold`] bytes in all. A larger value is not sent, and the call ends as `Incomplete`, with
/// `limit_exceeded`. A longer run of white space leaves; if it ends the value and should have been trimmed, the call
/// ends so, too.
#[derive(Clone, Debug)]
pub struct ParamsToJson<S> {
    fragments: Fragments,
    sink: S,
}

impl<S: Sink> ParamsToJson<S> {
    /// Makes an adapter for the events of this parser, which reads values as `Message` does.
    pub fn new(parser: &Parser, sink: S) -> Self {
        ParamsToJson { fragments: Fragments::new(Some(Arc::clone(parser.tables()))), sink }
    }

    /// Makes an adapter for events of another origin: without schemas, every value is a string, except where the
    /// wire's [`TypeHint`] has another type.
    ///
    /// ```
    /// use toolstream::adapt::{JsonToParams, ParamsToJson};
    /// use toolstream::{Event, ToolUse};
    ///
    /// let mut json = String::new();
    /// let back = ParamsToJson::untyped(|event: Event<&str>| {
    ///     if let Event::ToolUse(ToolUse::ArgumentsDelta(fragment)) = event {
    ///         json.push_str(fragment);
    ///     }
    /// });
    /// let mut there = JsonToParams::new(back);
    /// there.push(Event::ToolUse(ToolUse::Start { index: 0, name: "f", id: None, at: 0, dialect: 0 }));
    /// there.push(Event::ToolUse(ToolUse::ArgumentsDelta("{ \"a\": \"\\u00e9\", \"b\": 1.50 ")));
    /// assert_eq!(json, "{\"a\":\"é\",\"b\":1.50");
    /// ```
    pub fn untyped(sink: S) -> Self {
        ParamsToJson { fragments: Fragments::new(None), sink }
    }

    /// Sets how many bytes may wait. Default: 1 MiB; with 0 no call may have a value that is not a string.
    #[must_use]
    pub fn hold(mut self, bytes: usize) -> Self {
        self.fragments.hold = bytes;
        self
    }

    /// Takes the next event.
    pub fn push<T: AsRef<str>>(&mut self, event: Event<T>) {
        self.fragments.event(event.as_str(), &mut self.sink);
    }

    /// Returns the number of held bytes.
    pub fn held(&self) -> usize {
        self.fragments.held()
    }

    /// Returns the next sink, and ends the adapter.
    pub fn into_sink(self) -> S {
        self.sink
    }
}

impl<S: Sink> Sink for ParamsToJson<S> {
    fn event(&mut self, event: Event<&str>) {
        self.fragments.event(event, &mut self.sink);
    }

    fn wants_markers(&self) -> bool {
        self.sink.wants_markers()
    }

    fn marker(&mut self, marker: &Marker<'_>) {
        self.sink.marker(marker);
    }
}
