//! Turns the calls of providers into events in order.
//!
//! The assembler has at most one open call. Later events (text, the fragments of later calls) wait in a queue until that call has
//! ended: its JSON closed, its block ended, or the stream ended. Only the queue is bounded by an option, and
//! not by a constant. Beyond the bound, the call that all the others wait for is broken.

pub(super) mod text_calls;

use std::collections::VecDeque;
use std::sync::Arc;

use serde_json::Value;

use super::call::{BodyState, CallPhase, Closing, NativeCall, Repeat};
use crate::event::{
    Diagnostic, DiagnosticKind, Event, NATIVE, OpaqueOf, ToolLimitReached, ToolUse, TypeHint,
};
use crate::limit::LimitState;
use crate::options::bounds;
use crate::parser::tables::Tables;
use crate::sink::Sink;
use crate::tool::json::INPUT;
use text_calls::{TextCalls, TextInput};

/// The calls of a message, and the waiting events.
#[derive(Clone, Debug)]
pub(super) struct Assembler {
    pub tables: Arc<Tables>,
    pub limit: LimitState,
    /// The most bytes that may wait.
    pub most: usize,
    /// The bytes that wait.
    pub held: usize,
    calls: Vec<NativeCall>,
    queue: VecDeque<Queued>,
    open: Option<CallIndex>,
    /// The call whose name may come in pieces.
    guess: Option<CallIndex>,
    /// The reader of calls in the text, if the program asked for it.
    pub text: Option<Box<TextCalls>>,
    /// The number of calls that have started.
    pub named: usize,
    /// The number of calls that have a name and have not started.
    waiting: usize,
    /// A surplus call came: nothing that comes after it counts.
    surplus: bool,
    end_word: Option<Word>,
    error: bool,
    /// The stream is over.
    over: bool,
    /// The program reported a cut stream.
    broke_off: bool,
}

/// A call's number in order of appearance.
pub(super) type CallIndex = usize;

/// The provider's word about the message's end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word {
    Normal,
    Cut,
}

#[derive(Clone, Debug)]
enum Queued {
    Prose(ProseKind, String),
    Call(CallIndex),
    Opaque(OpaqueOf, String),
    /// The call that is one too many.
    Surplus {
        limit: usize,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ProseKind {
    Text,
    Reasoning,
}

/// The receiver of events: the assembler, with the sink that it fills.
pub(super) struct Output<'a> {
    pub state: &'a mut Assembler,
    pub sink: &'a mut dyn Sink,
}

impl Assembler {
    pub fn new(tables: Arc<Tables>, most: usize, text: Option<TextCalls>) -> Assembler {
        Assembler {
            limit: LimitState::new(&tables),
            tables,
            most,
            held: 0,
            calls: Vec::new(),
            queue: VecDeque::new(),
            open: None,
            guess: None,
            text: text.map(Box::new),
            named: 0,
            waiting: 0,
            surplus: false,
            end_word: None,
            error: false,
            over: false,
            broke_off: false,
        }
    }

    /// Whether the message counts as cut, as far as is known.
    pub fn is_cut(&self) -> bool {
        self.broke_off || self.error || self.end_word != Some(Word::Normal)
    }

    /// Whether a call in the text is open.
    fn in_text_call(&self) -> bool {
        self.text.as_ref().is_some_and(|text| text.in_call())
    }

    pub fn call(&self, call_index: CallIndex) -> &NativeCall {
        &self.calls[call_index]
    }

    /// Whether a declared tool's name begins like this.
    pub fn begins_a_name(&self, begin: &str) -> bool {
        self.tables.tools.iter().any(|tool| tool.name.starts_with(begin))
    }

    pub fn is_declared(&self, name: &str) -> bool {
        self.tables.tool_named(name).is_some()
    }

    /// Whether the next call may begin.
    fn may_end(&self, call_index: CallIndex) -> bool {
        let call = &self.calls[call_index];
        call.closing > Closing::Open
            || call.is_whole()
            // `{}` may still be dropped, unless the call can have nothing else.
            || call.is_empty_object() && self.takes_nothing(&call.name)
    }

    fn takes_nothing(&self, name: &str) -> bool {
        let tool = self.tables.tool(name);
        tool.is_some_and(|tool| tool.schema.is_some() && tool.params.is_empty())
    }
}

/// The events of the providers.
impl Output<'_> {
    pub fn text(&mut self, text: &str) {
        self.prose(ProseKind::Text, text);
    }

    pub fn reasoning(&mut self, text: &str) {
        self.prose(ProseKind::Reasoning, text);
    }

    pub fn diagnostic(&mut self, kind: DiagnosticKind) {
        let at = self.state.limit.passed;
        self.emit(Event::Diagnostic(Diagnostic::new(kind, at)));
    }

    /// Emits a diagnostic about a call. It has the index of the call if the call has a name.
    fn problem(&mut self, call_index: CallIndex, kind: DiagnosticKind) {
        let diagnostic = Diagnostic::new(kind, self.state.limit.passed);
        let index = self.state.calls[call_index].index;
        let about = index.map_or(diagnostic, |index| diagnostic.in_call(index));
        self.emit(Event::Diagnostic(about));
    }

    pub fn set_end(&mut self, word: Word) {
        self.state.end_word = Some(word);
    }

    pub fn error(&mut self) {
        self.state.error = true;
        self.diagnostic(DiagnosticKind::ProviderError);
    }

    /// Emits data that goes back to the provider with the text or the reasoning before it, or by itself: a JSON
    /// object.
    pub fn opaque(&mut self, of: OpaqueOf, json: &Value) {
        // Text with calls in it is not the text that the provider means.
        let no_block = of == OpaqueOf::Text && self.state.text.is_some();
        if self.state.surplus || no_block {
            return;
        }
        let json = json.to_string();
        self.make_way();
        if self.state.open.is_none() && !self.state.in_text_call() {
            return self.emit(Event::Opaque { of, json: &json });
        }
        self.state.held += json.len();
        self.state.queue.push_back(Queued::Opaque(of, json));
        self.bound();
    }

    /// Keeps the data that goes back with the call; earlier data is replaced.
    pub fn call_opaque(&mut self, call_index: CallIndex, json: &Value) {
        let call = &mut self.state.calls[call_index];
        if !matches!(call.phase, CallPhase::Ended | CallPhase::Dead) {
            call.opaque = Some(json.to_string());
        }
    }

    /// Begins a call whose name has not come yet.
    pub fn begin(&mut self, id: Option<&str>) -> CallIndex {
        self.state.calls.push(NativeCall::new(id));
        self.state.calls.len() - 1
    }

    /// Marks its arguments as free text. Must be called before any of them comes.
    pub fn free_text(&mut self, call_index: CallIndex) {
        self.state.calls[call_index].free_text = true;
    }

    /// Takes the call's id; the first one counts.
    pub fn id(&mut self, call_index: CallIndex, id: &str) {
        let call = &mut self.state.calls[call_index];
        if call.id.is_none() && call.phase != CallPhase::Ended {
            call.id = Some(id.to_string());
            // No id inside a parameter.
            call.late_id = call.phase == CallPhase::Open && call.free_text;
            if call.phase == CallPhase::Open && !call.free_text {
                self.emit(Event::ToolUse(ToolUse::Id(id)));
            }
        }
    }

    /// Takes the call's whole name.
    pub fn name(&mut self, call_index: CallIndex, name: &str) {
        if matches!(self.state.calls[call_index].phase, CallPhase::Unnamed | CallPhase::Guess) {
            self.state.calls[call_index].name = name.to_string();
            self.named(call_index);
        }
    }

    /// Takes the call's name so far. It is whole once it is a tool's name, or no beginning of one, or once
    /// anything else follows.
    pub fn begin_name(&mut self, call_index: CallIndex, name: &str) {
        if self.state.is_declared(name) || !self.state.begins_a_name(name) {
            return self.name(call_index, name);
        }
        if self.state.guess != Some(call_index) {
            self.end_guess();
        }
        let call = &mut self.state.calls[call_index];
        call.name = name.to_string();
        call.phase = CallPhase::Guess;
        self.state.guess = Some(call_index);
    }

    /// Takes a piece of the call's arguments.
    pub fn fragment(&mut self, call_index: CallIndex, fragment: &str) {
        if fragment.is_empty() {
            return;
        }
        match self.state.calls[call_index].phase {
            CallPhase::Guess => self.named(call_index),
            CallPhase::Unnamed if self.is_too_much(call_index, fragment) => {
                return self.give_up(call_index);
            }
            _ => {}
        }
        let call = &mut self.state.calls[call_index];
        if call.phase == CallPhase::Dead {
            return;
        }
        call.push(fragment);
        let streams = call.phase == CallPhase::Open && !call.in_tail();
        if !streams && call.phase != CallPhase::Ended {
            call.held += fragment.len();
            self.state.held += fragment.len();
        }
        if self.state.open == Some(call_index) {
            self.flow(call_index);
            self.pump();
        }
        self.bound();
    }

    /// Takes the whole arguments, some or all of which may have come before.
    pub fn whole(&mut self, call_index: CallIndex, whole: &str) {
        let call = &mut self.state.calls[call_index];
        if call.broken.is_some() || call.phase == CallPhase::Dead {
            return;
        }
        match call.compare(whole) {
            Repeat::Same => {}
            Repeat::Rest(rest) => self.fragment(call_index, rest),
            Repeat::Other => self.breaks(call_index, DiagnosticKind::ArgumentsMismatch),
        }
    }

    /// Marks a call that must not run.
    pub fn breaks(&mut self, call_index: CallIndex, why: DiagnosticKind) {
        let call = &mut self.state.calls[call_index];
        let known = call.broken.replace(why).is_some();
        // A waiting call is reported once it has its index.
        if !known && call.phase != CallPhase::Waiting {
            self.problem(call_index, why);
        }
    }

    /// Notes whether the provider still owes a part of the call.
    pub fn owed(&mut self, call_index: CallIndex, owed: bool) {
        self.state.calls[call_index].owed = owed;
    }

    pub fn close(&mut self, call_index: CallIndex, closing: Closing) {
        let call = &mut self.state.calls[call_index];
        call.closing = closing.max(call.closing);
        self.pump();
    }

    pub fn body(&self, call_index: CallIndex) -> BodyState {
        self.state.calls[call_index].body()
    }

    /// Notes that the stream was cut, even if the provider ended it.
    pub fn breaks_off(&mut self) {
        self.state.broke_off = true;
    }

    /// Ends the stream.
    pub fn finish(&mut self) {
        self.state.over = true;
        self.end_guess();
        while let Some(call_index) = self.state.open {
            self.end(call_index);
            self.pump();
        }
        // After the open calls: the text behind them had to wait for their ends.
        self.text_calls(TextInput::Finish { cut: self.state.is_cut() });
        self.pump();
        for call_index in 0..self.state.calls.len() {
            let call = &self.state.calls[call_index];
            let unnamed = call.phase == CallPhase::Unnamed;
            let found = if unnamed { Some(DiagnosticKind::MalformedCall) } else { call.late() };
            if let Some(kind) = found {
                self.problem(call_index, kind);
            }
            if unnamed {
                self.let_go(call_index);
            }
        }
        if self.state.broke_off || self.state.end_word != Some(Word::Normal) {
            self.diagnostic(DiagnosticKind::CutStream);
        }
    }
}

/// The way out.
impl Output<'_> {
    pub fn emit(&mut self, event: Event<&str>) {
        if !self.state.limit.raised() {
            self.state.limit.passed += event.slice().map_or(0, |slice| slice.len());
            self.sink.event(event);
        }
    }

    fn emit_prose(&mut self, kind: ProseKind, text: &str) {
        match kind {
            ProseKind::Text if self.state.text.is_some() => self.text_calls(TextInput::Feed(text)),
            ProseKind::Text => self.emit(Event::TextContent(text)),
            ProseKind::Reasoning => self.emit(Event::Reasoning(text)),
        }
    }

    fn prose(&mut self, kind: ProseKind, text: &str) {
        if text.is_empty() || self.state.surplus {
            return;
        }
        self.make_way();
        let waits = kind == ProseKind::Reasoning && self.state.in_text_call();
        if self.state.open.is_none() && !waits {
            self.emit_prose(kind, text);
            return self.pump();
        }
        self.state.held += text.len();
        match self.state.queue.back_mut() {
            Some(Queued::Prose(last, waiting)) if *last == kind => waiting.push_str(text),
            _ => self.state.queue.push_back(Queued::Prose(kind, text.to_string())),
        }
        self.bound();
    }

    /// Ends the open call, if it may end, before another event.
    fn make_way(&mut self) {
        if let Some(call_index) =
            self.state.open.filter(|call_index| self.state.may_end(*call_index))
        {
            self.end(call_index);
            self.pump();
        }
    }

    /// Queues a call whose name is complete.
    fn named(&mut self, call_index: CallIndex) {
        match self.state.guess {
            Some(guess) if guess == call_index => self.state.guess = None,
            // Calls come in order: once another call has its name, no more of the guessed one will come.
            _ => self.end_guess(),
        }
        if self.state.surplus {
            return self.let_go(call_index);
        }
        if let Some(limit) = self.stopped_at(call_index) {
            self.state.surplus = true;
            self.let_go(call_index);
            self.state.queue.push_back(Queued::Surplus { limit });
        } else {
            self.state.calls[call_index].phase = CallPhase::Waiting;
            self.state.waiting += 1;
            self.state.queue.push_back(Queued::Call(call_index));
        }
        self.pump();
    }

    /// Returns the limit, if this call is a surplus one.
    fn stopped_at(&mut self, call_index: CallIndex) -> Option<usize> {
        let Assembler { limit, tables, calls, named, waiting, .. } = &mut *self.state;
        let before = *named + *waiting;
        match limit.most().filter(|most| before >= *most) {
            Some(most) => Some(most),
            None => (!limit.may_follow(tables, before, &calls[call_index].name)).then_some(before),
        }
    }

    /// Ends a name of which more might have come.
    fn end_guess(&mut self) {
        if let Some(call_index) = self.state.guess.take() {
            self.named(call_index);
        }
    }

    /// Sends events that need not wait any longer.
    fn pump(&mut self) {
        loop {
            if let Some(call_index) = self.state.open {
                let wanted = !self.state.queue.is_empty() && self.state.may_end(call_index);
                if !wanted && self.state.calls[call_index].closing != Closing::Final {
                    return;
                }
                self.end(call_index);
            }
            let Some(item) = self.next_item() else { return };
            match item {
                Queued::Call(call_index) => self.start(call_index),
                Queued::Surplus { limit } => self.surplus(limit),
                Queued::Opaque(of, json) => {
                    self.state.held -= json.len();
                    self.emit(Event::Opaque { of, json: &json });
                }
                Queued::Prose(kind, text) => {
                    self.state.held -= text.len();
                    self.emit_prose(kind, &text);
                }
            }
        }
    }

    /// Returns the next waiting item. In a call in the text, more of the text comes first; a native call ends it.
    fn next_item(&mut self) -> Option<Queued> {
        if self.state.in_text_call() {
            let queue = &mut self.state.queue;
            let waits = |item: &Queued| {
                matches!(item, Queued::Prose(ProseKind::Reasoning, _) | Queued::Opaque(..))
            };
            // Reasoning in the middle of a call would cut it in two, so it waits for the end of the call.
            let at = queue.iter().position(|item| !waits(item))?;
            if let Queued::Prose(..) = queue[at] {
                return queue.remove(at);
            }
            self.text_calls(TextInput::Interrupt);
        }
        self.state.queue.pop_front()
    }

    fn start(&mut self, call_index: CallIndex) {
        self.text_calls(TextInput::Interrupt);
        let at = self.state.limit.passed;
        self.state.open = Some(call_index);
        let index = self.state.named;
        self.state.named += 1;
        self.state.waiting -= 1;
        let call = &mut self.state.calls[call_index];
        call.phase = CallPhase::Open;
        call.index = Some(index);
        self.state.held -= std::mem::take(&mut call.held);
        let (name, id, free_text) = (call.name.clone(), call.id.clone(), call.free_text);
        self.emit(Event::ToolUse(ToolUse::Start {
            index,
            name: &name,
            id: id.as_deref(),
            at,
            dialect: NATIVE,
        }));
        if !self.state.tables.tools.is_empty() && !self.state.is_declared(&name) {
            self.problem(call_index, DiagnosticKind::UnknownTool);
        }
        if let Some(kind) = self.state.calls[call_index].broken {
            self.problem(call_index, kind);
        }
        if free_text {
            let hint = Some(TypeHint::String);
            self.emit(Event::ToolUse(ToolUse::ParamStart { name: INPUT, hint }));
        }
        self.flow(call_index);
    }

    /// Sends the pending part of the open call.
    fn flow(&mut self, call_index: CallIndex) {
        let Assembler { calls, limit, .. } = &mut *self.state;
        let free_text = calls[call_index].free_text;
        let ready = calls[call_index].take_ready();
        if ready.is_empty() || limit.raised() {
            return;
        }
        limit.passed += ready.len();
        self.sink.event(Event::ToolUse(if free_text {
            ToolUse::ParamDelta(ready)
        } else {
            ToolUse::ArgumentsDelta(ready)
        }));
    }

    fn end(&mut self, call_index: CallIndex) {
        // A call that had ended before the stream did was not cut with it.
        let cut = self.state.over && self.state.is_cut() && !self.state.may_end(call_index);
        let (status, problem) = self.state.calls[call_index].settle(cut);
        self.flow(call_index);
        if let Some(kind) = problem {
            self.problem(call_index, kind);
        }
        if self.state.calls[call_index].free_text {
            self.emit(Event::ToolUse(ToolUse::ParamEnd { closed: status.is_complete() }));
        }
        if std::mem::take(&mut self.state.calls[call_index].late_id) {
            let id = self.state.calls[call_index].id.clone().unwrap_or_default();
            self.emit(Event::ToolUse(ToolUse::Id(&id)));
        }
        if let Some(json) = self.state.calls[call_index].opaque.take() {
            self.emit(Event::Opaque { of: OpaqueOf::Call, json: &json });
        }
        let at = self.state.limit.passed;
        self.emit(Event::ToolUse(ToolUse::End { status, at }));
        let call = &mut self.state.calls[call_index];
        call.phase = CallPhase::Ended;
        self.state.held -= std::mem::take(&mut call.held);
        self.state.open = None;
    }

    fn surplus(&mut self, limit: usize) {
        self.text_calls(TextInput::Interrupt);
        self.raise(ToolLimitReached { limit, at: self.state.limit.passed });
    }

    /// Emits the last event.
    pub fn raise(&mut self, reached: ToolLimitReached) {
        self.emit(Event::ToolLimitReached(reached));
        self.state.limit.raise(reached);
    }

    /// Checks the bound: if too much waits, the call that it waits for is broken.
    fn bound(&mut self) {
        while let Some(call_index) = self.state.open.filter(|_| self.state.held > self.state.most) {
            self.breaks(call_index, DiagnosticKind::LimitExceeded);
            self.end(call_index);
            // Later fragments of this call would fill the queue again.
            self.state.calls[call_index].forget();
            self.pump();
        }
        if self.state.held > self.state.most && self.state.in_text_call() {
            let (kind, at) = (DiagnosticKind::LimitExceeded, self.state.limit.passed);
            self.emit(Event::Diagnostic(Diagnostic::new(kind, at).in_call(self.state.named - 1)));
            self.text_calls(TextInput::Interrupt);
            self.pump();
        }
    }

    /// Whether the arguments exceed the bound for a call without a name.
    fn is_too_much(&self, call_index: CallIndex, fragment: &str) -> bool {
        let nothing_else = self.state.queue.is_empty();
        self.state.calls[call_index].len() + fragment.len() > bounds::ARGUMENTS
            || nothing_else && self.state.held + fragment.len() > self.state.most
    }

    fn give_up(&mut self, call_index: CallIndex) {
        self.let_go(call_index);
        self.diagnostic(DiagnosticKind::LimitExceeded);
        self.diagnostic(DiagnosticKind::MalformedCall);
    }

    fn let_go(&mut self, call_index: CallIndex) {
        let call = &mut self.state.calls[call_index];
        self.state.held -= std::mem::take(&mut call.held);
        call.forget();
    }
}
