//! The tool limit: the layer between the machine and the sink that ends the stream at the first
//! byte of a surplus call.
//!
//! The machine asks before it opens a call ([`Limit::may_open`]), so that nothing of a surplus
//! call is in any slice. Text after the last allowed call is looked at only if the host wants it
//! (`Options::limit_on`). It counts the calls, so it also says which one a diagnostic is about.

use crate::event::Payload;
use crate::event::{Event, ToolLimitReached, ToolUse};
use crate::json::white::WHITE_SPACE;
use crate::marker::Marker;
use crate::sink::Sink;

/// What has to be remembered between two feeds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct LimitState {
    /// How many calls are allowed; 0: any number.
    most: u32,
    /// Calls that started.
    pub calls: u32,
    /// Bytes that went by in slices.
    pub passed: usize,
    /// Where the surplus call begins, once the limit was raised.
    surplus_at: usize,
    pub raised: bool,
    /// A call is open: the last one that started.
    pub in_call: bool,
}

impl LimitState {
    pub fn new(most: Option<usize>) -> LimitState {
        // A message of so many calls has no limit.
        let most = most.and_then(|most| u32::try_from(most).ok()).unwrap_or(0);
        LimitState { most, ..LimitState::default() }
    }

    /// How many calls are allowed, if there is a limit.
    pub fn most(&self) -> Option<usize> {
        (self.most > 0).then_some(self.most as usize)
    }

    /// The surplus call, once the limit was raised.
    pub fn surplus(&self) -> Option<ToolLimitReached> {
        let limit = self.most().filter(|_| self.raised)?;
        Some(ToolLimitReached { limit, at: self.surplus_at })
    }

    pub fn raise(&mut self, at: usize) {
        (self.raised, self.surplus_at) = (true, at);
    }

    /// The limit, if so many calls have started.
    fn reached(&self) -> Option<usize> {
        self.most().filter(|most| self.calls as usize >= *most)
    }

    /// Whether a chunk of such payload may go by without a look at it.
    pub fn passes(&self, payload: Payload, on_text: bool) -> bool {
        let ends_text = on_text && self.reached().is_some();
        !(self.raised || ends_text && payload == Payload::Text)
    }

    /// A chunk has gone by.
    pub fn pass(&mut self, len: usize) {
        self.passed += len;
    }
}

/// The layer, for the time of one feed.
pub(crate) struct Limit<'a, S> {
    pub state: &'a mut LimitState,
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
        let surplus = self.state.reached().is_some();
        if surplus {
            self.raise(at);
        }
        !surplus
    }

    pub fn raised(&self) -> bool {
        self.state.raised
    }

    fn raise(&mut self, at: usize) {
        self.state.raise(at);
        if let Some(reached) = self.state.surplus() {
            self.sink.event(Event::ToolLimitReached(reached));
        }
    }

    /// Text after the last allowed call: white space passes, the first other byte is surplus.
    fn text_after_tool(&mut self, text: &str) {
        let white = text.len() - text.trim_start_matches(WHITE_SPACE).len();
        if white > 0 {
            self.state.passed += white;
            self.sink.event(Event::TextContent(&text[..white]));
        }
        if white < text.len() {
            self.raise(self.state.passed);
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
            Event::ToolUse(ToolUse::Start { .. }) => {
                self.state.calls += 1;
                self.state.in_call = true;
            }
            Event::ToolUse(ToolUse::End { .. }) => self.state.in_call = false,
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
