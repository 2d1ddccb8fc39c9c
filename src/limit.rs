//! The tool limit: the layer between the machine and the sink that ends the stream at the first
//! byte of a surplus call.
//!
//! The machine asks before it opens a call ([`Limit::may_open`]), so that no slice holds a part of a call beyond the
//! number. The function of your program wants the call's name ([`NextCall`]), which a JSON body states late. It is
//! asked when the call starts; the bytes of the opener before that have left as markup. Text behind the last allowed
//! call is checked only with `Options::limit_on`. The layer counts the calls, so it also adds their index to
//! diagnostics.

use crate::event::Payload;
use crate::event::{Cause, Event, Status, ToolLimitReached, ToolUse};
use crate::json::white::WHITE_SPACE;
use crate::marker::Marker;
use crate::next_call::{CallLimit, NextCall, may_chain};
use crate::options::Options;
use crate::parser::call_text::CallText;
use crate::parser::diff_lines::Lines;
use crate::parser::seldom::Seldom;
use crate::parser::tables::Tables;
use crate::sink::Sink;

/// State of the limit between two feeds. The numbers of calls are small types, to keep a parser small.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct LimitState {
    /// The number of allowed calls; 0: any number.
    most: u32,
    /// The number of calls that started.
    pub calls: u32,
    /// The number of bytes that left in slices.
    pub passed: usize,
    /// The surplus call, once the limit was raised: its place, and the limit.
    surplus_at: usize,
    surplus_limit: u32,
    raised: bool,
    /// Names decide, too: that of the open or last call is kept.
    by_name: bool,
    /// A call is open: the last one that started.
    pub in_call: bool,
    /// Line break at the end of the markup.
    closer: Closer,
    previous: Seldom<Option<String>>,
}

/// The end of a call's markup, for the line break that a closer needs and that is not a part of the call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Closer {
    #[default]
    Other,
    /// `\r`, which may begin a line break.
    Return,
    /// `\n`
    Line,
    /// `\r\n`
    ReturnLine,
}

impl Closer {
    fn goes_on(&mut self, markup: &str) {
        *self = match (*self, markup.as_bytes()) {
            (_, []) => *self,
            (_, [.., b'\r', b'\n']) | (Closer::Return, [b'\n']) => Closer::ReturnLine,
            (_, [.., b'\n']) => Closer::Line,
            (_, [.., b'\r']) => Closer::Return,
            _ => Closer::Other,
        };
    }

    /// Returns the length of the line break at the end.
    fn line_break(self) -> usize {
        match self {
            Closer::ReturnLine => 2,
            Closer::Line => 1,
            Closer::Other | Closer::Return => 0,
        }
    }
}

impl LimitState {
    pub fn new(tables: &Tables) -> LimitState {
        let by_name = decides_by_name(tables);
        // A message with so many calls has no limit.
        let most = number(&tables.options, by_name).and_then(|most| u32::try_from(most).ok());
        LimitState { most: most.unwrap_or(0), by_name, ..LimitState::default() }
    }

    pub fn raised(&self) -> bool {
        self.raised
    }

    /// Whether your program stops the call of this name and index.
    fn is_stopped(&self, tables: &Tables, index: usize, name: &str) -> bool {
        if !self.by_name {
            return false;
        }
        let call = NextCall { index, name, previous: self.previous() };
        let asked = tables.limit_by.as_ref().map_or(CallLimit::Allow, |host| host.ask(call));
        asked == CallLimit::Stop || !may_chain(&tables.options.chaining_tools, call)
    }

    /// Whether a call of this name may open at this index. The name is kept for the next call.
    pub fn may_follow(&mut self, tables: &Tables, index: usize, name: &str) -> bool {
        let may = !self.is_stopped(tables, index, name);
        if may && self.by_name && self.previous() != Some(name) {
            *self.previous.get_mut() = Some(name.to_string());
        }
        may
    }

    /// Returns the name of the last call, where names decide.
    pub fn previous(&self) -> Option<&str> {
        self.previous.get()?.as_deref()
    }

    /// Counts calls that came elsewhere in the message; the last one has this name.
    #[cfg(feature = "json")]
    pub fn goes_on(&mut self, calls: usize, previous: Option<&str>) {
        self.calls = u32::try_from(calls).unwrap_or(u32::MAX);
        if self.by_name && self.previous() != previous {
            *self.previous.get_mut() = previous.map(String::from);
        }
    }

    /// Returns the number of allowed calls, if there is a limit.
    pub fn most(&self) -> Option<usize> {
        (self.most > 0).then_some(self.most as usize)
    }

    /// Returns the surplus call, once the limit was raised.
    pub fn surplus(&self) -> Option<ToolLimitReached> {
        let limit = self.surplus_limit as usize;
        self.raised.then(|| ToolLimitReached::new(limit, self.surplus_at))
    }

    pub fn raise(&mut self, reached: ToolLimitReached) {
        self.surplus_limit = u32::try_from(reached.limit).unwrap_or(u32::MAX);
        self.raised = true;
        self.surplus_at = reached.at;
    }

    /// Returns the limit, if so many calls have started.
    fn reached(&self) -> Option<usize> {
        self.most().filter(|most| self.calls as usize >= *most)
    }

    /// Whether a chunk of this payload may pass without a look at it.
    pub fn passes(&self, payload: Payload, on_text: bool) -> bool {
        let ends_text = on_text && self.reached().is_some();
        !(self.raised() || ends_text && payload == Payload::Text)
    }

    /// Counts a chunk of payload that passed.
    pub fn pass(&mut self, chunk: &str, payload: Payload) {
        self.passed += chunk.len();
        match payload {
            Payload::Markup => self.closer.goes_on(chunk),
            _ => self.closer = Closer::default(),
        }
    }
}

/// Returns the largest number of calls in a message, for any names; `None`: there is no limit.
pub(crate) fn most_calls(tables: &Tables) -> Option<usize> {
    number(&tables.options, decides_by_name(tables))
}

/// Whether more than a number limits the calls of a message.
fn decides_by_name(tables: &Tables) -> bool {
    tables.limit_by.is_some() || !tables.options.chaining_tools.is_empty()
}

/// Returns the number that limits calls. Where names decide, the default of 1 would leave nothing to decide.
fn number(options: &Options, by_name: bool) -> Option<usize> {
    options.tool_limit.filter(|most| !(by_name && *most == 1))
}

/// The layer, for the time of one feed.
pub(crate) struct Limit<'a, S> {
    pub state: &'a mut LimitState,
    pub tables: &'a Tables,
    pub on_text: bool,
    pub sink: S,
}

impl<S: Sink> Limit<'_, S> {
    /// Whether a call may open at byte `at` of the stream. If not, the stream ends here.
    pub fn may_open(&mut self, at: usize) -> bool {
        // The text before it may have been too much already.
        if self.raised() {
            return false;
        }
        let Some(limit) = self.state.reached() else { return true };
        self.raise(ToolLimitReached::new(limit, at));
        false
    }

    pub fn raised(&self) -> bool {
        self.state.raised()
    }

    fn raise(&mut self, reached: ToolLimitReached) {
        self.state.raise(reached);
        self.sink.event(Event::ToolLimitReached(reached));
    }

    /// Whether the call that starts may go on, by its name. If not, the stream ends at its opener.
    fn may_start(&mut self, name: &str, at: usize) -> bool {
        let calls = self.state.calls as usize;
        let may = self.state.may_follow(self.tables, calls, name);
        if !may {
            self.raise(ToolLimitReached::new(calls, at));
        }
        may
    }

    /// Checks text behind the last allowed call: white space passes, the first other byte is surplus.
    fn text_after_tool(&mut self, text: &str) {
        let white = text.len() - text.trim_start_matches(WHITE_SPACE).len();
        if white > 0 {
            self.state.passed += white;
            self.sink.event(Event::TextContent(&text[..white]));
        }
        if white < text.len() {
            let limit = self.state.reached().unwrap_or_default();
            self.raise(ToolLimitReached::new(limit, self.state.passed));
        }
    }
}

impl<'a, S: Sink> Limit<'a, CallText<'a, Lines<'a, S>>> {
    /// Puts the limit in front of a dynamic sink, so that the machine is compiled once.
    pub fn erased<'s>(self) -> Limit<'s, CallText<'s, Lines<'s, dyn Sink + 's>>>
    where
        'a: 's,
        S: 's,
    {
        let Limit { state, tables, on_text, sink: CallText { state: held, sink } } = self;
        let Lines { state: lines, params, sink } = sink;
        Limit {
            state,
            tables,
            on_text,
            sink: CallText { state: held, sink: Lines { state: lines, params, sink } },
        }
    }
}

impl<S: Sink> Sink for Limit<'_, S> {
    #[inline]
    fn event(&mut self, event: Event<&str>) {
        if self.raised() {
            return;
        }
        if let (Event::TextContent(text), true) = (event, self.on_text) {
            if self.state.reached().is_some() {
                return self.text_after_tool(text);
            }
        }
        match event {
            Event::ToolUse(ToolUse::Start { name, at, .. }) => {
                if !self.may_start(name, at) {
                    return;
                }
                self.state.calls += 1;
                self.state.in_call = true;
                self.state.closer = Closer::default();
            }
            Event::ToolUse(ToolUse::End { status, .. }) => {
                self.state.in_call = false;
                // A call that was cut has no closer.
                let is_cut = status == Status::Incomplete(Cause::EndOfStream);
                let closer = if is_cut { Closer::default() } else { self.state.closer };
                let at = self.state.passed - closer.line_break();
                return self.sink.event(Event::ToolUse(ToolUse::End { status, at }));
            }
            Event::Markup(slice) if self.state.in_call => self.state.closer.goes_on(slice),
            Event::ToolUse(_) => self.state.closer = Closer::default(),
            Event::Diagnostic(diagnostic) if self.state.in_call => {
                let about = diagnostic.in_call(self.state.calls as usize - 1);
                return self.sink.event(Event::Diagnostic(about));
            }
            _ => {}
        }
        self.state.passed += event.slice().map_or(0, |slice| slice.len());
        self.sink.event(event);
    }

    #[inline(always)]
    fn wants_markers(&self) -> bool {
        self.sink.wants_markers()
    }

    fn marker(&mut self, marker: &Marker<'_>) {
        if !self.raised() {
            self.sink.marker(marker);
        }
    }
}
