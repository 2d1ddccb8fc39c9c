//! [`ParamsToJson`]: parameters in, JSON argument fragments out.

use std::sync::Arc;

use super::fragments::Fragments;
use crate::event::Event;
#[cfg(doc)]
use crate::event::TypeHint;
use crate::marker::Marker;
use crate::parser::Parser;
use crate::sink::Sink;

/// A sink that turns parameters into `ArgumentsDelta` fragments, which joined are one JSON object.
///
/// It owns the sink after it, because it has to remember things from one feed to the next: so the
/// stream loop has one object to feed into, and [`ParamsToJson::into_sink`] gives it back. A sink that must stay elsewhere goes in as a closure, `|event: Event<&str>| …`.
/// One adapter reads one message.
///
/// `ParamStart`, `ParamDelta` and `ParamEnd` go in and never come out; the fragments come out in
/// their place, and everything else passes. Calls that already speak arguments pass unchanged. A
/// fragment is JSON text, no slice of the input: after the adapter the slices do not tile the
/// input any more (law 2), and offsets are still those of the stream.
///
/// ```
/// use toolstream::adapt::ParamsToJson;
/// use toolstream::{Dialect, Event, Param, Parser, Tool, ToolUse, Type};
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
/// # What the object says
///
/// What `Message::input` says: values are read by the tool's schema, trimmed and decoded as the
/// dialect and the options have it, and what reading finds (`type_mismatch`, `repaired_json`) goes
/// out as a diagnostic in front of the value. A value whose wire has a type ([`TypeHint`]) is of
/// that type and taken verbatim. Numbers, arrays and objects are the model's own text where that
/// is JSON, so that no digit and no order is lost.
///
/// * **A parameter that comes twice** is a member that comes twice, because the first one may be
///   out already. RFC 8259 leaves open what that means; `Message`, `serde_json::Value`, JavaScript,
///   Python and Go take the last one. The parser has sent `duplicate_parameter`.
/// * **A list** (of a schema with an array and no string) may come in pieces, one parameter each: it
///   is one member, which leaves at the call's end.
/// * **A call that `Message` refuses** is never closed, and ends as `Incomplete`: one without any
///   arguments whose tool requires some (`missing_arguments`) or in which something stood that is no
///   parameter (`malformed_arguments`), and, with
///   [`Required::Strict`](crate::Required::Strict), one that lacks a required parameter.
/// * **A call without arguments** is `{}` otherwise.
/// * **A call that is cut off** is a prefix of a JSON object and never closed: strings stay open,
///   a value that had to be read whole does not start. A fragment is never taken back.
///
/// `End{Complete}` of a call that spoke parameters means: the fragments are one whole JSON object.
///
/// # What is held
///
/// Values that have to be read whole, lists, and white space that may have to be trimmed: at most
/// [`ParamsToJson::hold`] bytes in all. A value that does not fit is not sent, and the call ends as
/// `Incomplete`, with `limit_exceeded`. A run of white space that does not fit goes out, and if it ends
/// the value and should have been trimmed, the call ends so, too.
#[derive(Clone, Debug)]
pub struct ParamsToJson<S> {
    fragments: Fragments,
    sink: S,
}

impl<S: Sink> ParamsToJson<S> {
    /// An adapter for the events of this parser, which reads values as `Message` does.
    pub fn new(parser: &Parser, sink: S) -> Self {
        ParamsToJson { fragments: Fragments::new(Some(Arc::clone(parser.tables()))), sink }
    }

    /// An adapter for events that come from no parser: without schemas, every value is a string,
    /// except where the wire's [`TypeHint`] says more.
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

    /// How many bytes may be held. Default 1 MiB; with 0 no call may have a
    /// value that is no string.
    #[must_use]
    pub fn hold(mut self, bytes: usize) -> Self {
        self.fragments.hold = bytes;
        self
    }

    /// Takes the next event.
    pub fn push<T: AsRef<str>>(&mut self, event: Event<T>) {
        self.fragments.event(event.as_str(), &mut self.sink);
    }

    /// How many bytes are held at present.
    pub fn held(&self) -> usize {
        self.fragments.held()
    }

    /// The next sink, and the end of the adapter.
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
