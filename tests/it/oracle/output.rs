//! Events that the twin has written, and its position in the message.

use super::fences::Fences;
use super::pieces::{Call, Proof, is_plain_tag, is_space, line_break_at_end};
use toolstream::check::{Ended, join};
use toolstream::{
    Event, Status, Tool, ToolLimitReached, ToolUse,
    diagnostic::{Cause, Diagnostic, DiagnosticKind as Kind},
    options::{LimitOn, Options, ReasoningTags, Recoveries},
};

pub struct Output<'a> {
    pub input: &'a str,
    pub options: &'a Options,
    ended: Ended,
    pub events: Vec<Event<String>>,
    /// All bytes before this offset have left in a slice.
    pub position: usize,
    /// The end of the last piece of markup, or of the last call.
    after_markup: usize,
    /// The number of calls that have started.
    pub calls: usize,
    in_call: bool,
    /// Whether a call and everything around it have closed, with nothing but white space and markup since.
    pub after_call: bool,
    fences: Fences,
    /// Whether `ToolLimitReached` was written. Nothing follows it.
    pub limit_reached: bool,
}

impl<'a> Output<'a> {
    pub fn new(input: &'a str, options: &'a Options, ended: Ended) -> Self {
        Output {
            input,
            options,
            ended,
            events: Vec::new(),
            position: 0,
            after_markup: 0,
            calls: 0,
            in_call: false,
            after_call: false,
            fences: Fences::new(),
            limit_reached: false,
        }
    }

    /// Returns all events with the report about the stream's end, neighbouring slices joined.
    pub fn finished(mut self) -> Vec<Event<String>> {
        if self.is_cut() && !self.limit_reached && !self.after_call {
            self.diagnose(Kind::CutStream, self.input.len());
        }
        join(self.events)
    }

    /// Whether the stream was cut, so that its end proves nothing.
    pub fn is_cut(&self) -> bool {
        self.ended == Ended::Cut
    }

    pub fn rest_is_open(&self) -> bool {
        !self.limit_reached && self.position < self.input.len()
    }

    /// The end of the character at the position.
    pub fn next_char_end(&self) -> usize {
        let next = self.input[self.position..].chars().next();
        self.position + next.map_or(0, char::len_utf8)
    }

    /// Whether a reasoning tag at `at` opens: at the start of a line (the stream's start is one), or right after markup or a
    /// call.
    pub fn reasoning_may_open(&self, at: usize) -> bool {
        let line = self.input[..at].trim_end_matches([' ', '\t']);
        let begins = at == self.after_markup || line.is_empty() || line.ends_with('\n');
        begins || self.options.reasoning_tags == ReasoningTags::Anywhere
    }

    /// Whether the next text is Markdown code, in which markers are text.
    pub fn is_quoted(&mut self) -> bool {
        self.options.fences == toolstream::options::Fences::Quote && self.fences.quoted()
    }

    // ---- slices: each writes the bytes from the position to `end` ----

    fn slice(&mut self, end: usize, event: fn(String) -> Event<String>) {
        if self.position < end {
            self.events.push(event(self.input[self.position..end].to_string()));
            self.position = end;
        }
    }

    pub fn markup(&mut self, end: usize) {
        self.slice(end, Event::Markup);
        self.after_markup = self.position;
    }

    /// Writes a reasoning tag, up to `end`.
    pub fn reasoning_opens(&mut self, end: usize) {
        self.markup(end);
        self.after_call = false;
    }

    pub fn reasoning(&mut self, end: usize) {
        self.slice(end, Event::Reasoning);
    }

    /// Writes visible text, up to the byte that exceeds the limit, if `text_after_tool` is set.
    pub fn text(&mut self, end: usize) {
        for c in self.input[self.position..end].chars() {
            let counts = self.options.limit_on == LimitOn::TextAfterTool && !is_space(c);
            if counts && self.is_surplus(self.position) {
                return;
            }
            self.fences.text(c);
            self.after_call &= is_space(c);
            self.slice(self.position + c.len_utf8(), Event::TextContent);
        }
    }

    pub fn value(&mut self, end: usize) {
        self.slice(end, |value| Event::ToolUse(ToolUse::ParamDelta(value)));
    }

    pub fn arguments(&mut self, end: usize) {
        self.slice(end, |value| Event::ToolUse(ToolUse::ArgumentsDelta(value)));
    }

    /// Writes text between two markers of a call that is not a marker itself: markup.
    pub fn junk_in_call(&mut self, end: usize) {
        let junk = &self.input[self.position..end];
        let first = end - junk.trim_start_matches(is_space).len();
        if first < end {
            let is_tag = is_plain_tag(&self.input[..end], first);
            self.diagnose(if is_tag { Kind::UnknownParameter } else { Kind::StrayText }, first);
        }
        self.markup(end);
    }

    /// Ends the open value before the closer that stands at `closer..end` (half a closer, if not `closed`). If the value is
    /// framed, the line break before the closer is not its own.
    pub fn value_end(&mut self, closer: usize, end: usize, framed: bool, closed: bool) {
        let value = &self.input[self.position..closer];
        self.value(closer - if framed { line_break_at_end(value) } else { 0 });
        self.markup(end);
        self.tool_use(ToolUse::ParamEnd { closed });
    }

    // ---- events without a width ----

    pub fn diagnose(&mut self, kind: Kind, at: usize) {
        let of_section = kind == Kind::MissingCloser && at == self.input.len();
        if of_section
            || matches!(kind, Kind::CutOpener | Kind::FabricatedResult | Kind::MalformedCall)
        {
            self.after_call = false;
        }
        let about = Diagnostic::new(kind, at);
        let open = self.calls.checked_sub(1).filter(|_| self.in_call);
        let about = open.map_or(about, |index| about.in_call(index));
        self.events.push(Event::Diagnostic(about));
    }

    pub fn tool_use(&mut self, event: ToolUse<String>) {
        self.events.push(Event::ToolUse(event));
    }

    /// Begins a call. `at` is the offset for `Start`. `is_unknown`: tools were declared, but not this one.
    pub fn start(&mut self, name: &str, at: usize, is_unknown: bool) {
        let (index, name) = (self.calls, name.to_string());
        self.tool_use(ToolUse::Start { index, name, id: None, at, dialect: 0 });
        self.calls += 1;
        self.in_call = true;
        if is_unknown {
            self.diagnose(Kind::UnknownTool, self.position);
        }
    }

    /// Begins a call of tags.
    pub fn start_call<'t>(&mut self, name: &'t str, tools: &'t [Tool], at: usize) -> Call<'t> {
        let tool = tools.iter().find(|tool| tool.name == name);
        self.start(name, at, tool.is_none() && !tools.is_empty());
        Call::new(name, tool)
    }

    pub fn end(&mut self, status: Status) {
        // A line break at the end of the call's markup does not belong to the call. A call that was cut has no closer.
        let is_cut = status == Status::Incomplete(Cause::EndOfStream);
        let markup =
            self.events.iter().rev().take_while(|event| !matches!(event, Event::ToolUse(_)));
        let slices: Vec<&str> = markup.filter_map(Event::slice).map(String::as_str).collect();
        let closer: String = slices.into_iter().rev().collect();
        let line_break = if is_cut { 0 } else { line_break_at_end(&closer) };
        let at = self.position - line_break;
        self.tool_use(ToolUse::End { status, at });
        self.after_call = !is_cut;
        (self.in_call, self.after_markup) = (false, self.position);
    }

    /// Ends the call. `proof` proves that its body is over.
    pub fn end_call(&mut self, call: &Call, proof: Proof) {
        let refused = call.recovered && self.options.recoveries == Recoveries::Strict;
        match call.broken || refused {
            true if self.proves(proof) => self.end(Status::Incomplete(Cause::Broken)),
            _ => self.end_whole(proof),
        }
    }

    /// Ends a call in which nothing can be wrong.
    pub fn end_whole(&mut self, proof: Proof) {
        match self.proves(proof) {
            true => self.end(Status::Complete),
            false => self.end_cut(),
        }
    }

    /// Ends a call because the stream ended inside it.
    pub fn end_cut(&mut self) {
        self.end(Status::Incomplete(Cause::EndOfStream));
    }

    /// Whether this is proof enough. The end of a stream that was cut is not.
    pub fn proves(&self, proof: Proof) -> bool {
        proof == Proof::Text || !self.is_cut()
    }

    pub fn recover(&mut self, call: &mut Call, kind: Kind, at: usize) {
        call.recovered = true;
        self.diagnose(kind, at);
    }

    /// Reports data in a value that looks as if a closer were forgotten, once a call.
    pub fn suspect(&mut self, call: &mut Call, at: usize) {
        if !std::mem::replace(&mut call.suspect, true) {
            self.diagnose(Kind::SuspectMarker, at);
        }
    }

    pub fn break_call(&mut self, call: &mut Call, kind: Kind, at: usize) {
        call.broken = true;
        self.diagnose(kind, at);
    }

    /// Ends the message in a section, in half a marker.
    pub fn half_marker(&mut self) {
        self.markup(self.input.len());
        self.after_call = false;
    }

    /// Asks the tool limit about a call that begins at `at`. A surplus call ends the message.
    pub fn is_surplus(&mut self, at: usize) -> bool {
        match self.options.tool_limit {
            Some(limit) if self.calls >= limit => {
                self.events.push(Event::ToolLimitReached(ToolLimitReached::new(limit, at)));
                self.limit_reached = true;
            }
            _ => {}
        }
        self.limit_reached
    }

    /// Reports that the message ended in a possible opener of a call. That needs at least three bytes of the opener. With fewer,
    /// `or_else` is reported, if there is one.
    pub fn diagnose_cut_opener(&mut self, at: usize, or_else: Option<Kind>) {
        if self.limit_reached {
            return;
        }
        let kind = if self.input.len() - at >= 3 { Some(Kind::CutOpener) } else { or_else };
        if let Some(kind) = kind {
            self.diagnose(kind, at);
        }
    }
}
