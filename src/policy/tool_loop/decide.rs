//! What becomes of an answer: the way through validator, guard and hooks.

use super::builder::TextEnds;
use super::chat::Role;
use super::reading::Reading;
use super::step::{About, Question};
use super::{Round, State, ToolLoop, Waiting};
use crate::options::LimitOn;
use crate::policy::guard::{Decision, Turn};
use crate::policy::hooks::{self, Call, Outcome, Report, ToolResult};
use crate::policy::validator::{Action, Request, Verdict};
use crate::render;

impl ToolLoop {
    /// Looks at a whole answer.
    pub(super) fn decide(&mut self, reading: &Reading) {
        self.history.say(Role::Assistant, reading.said().to_string());
        self.outcomes.clear();
        let calls: Vec<Call> = reading.message.calls().map(Call::from).collect();
        match calls.is_empty() {
            true => self.without_call(&Turn::from(&reading.message), reading.message.text()),
            false => self.with_calls(calls, reading),
        }
    }

    fn without_call(&mut self, turn: &Turn<'_>, text: String) {
        // A call that went wrong is for the guard, which can say what was wrong with it.
        let broken = turn.truncated || !turn.incomplete.is_empty() || turn.detail.is_some();
        let visible = !turn.text.trim().is_empty();
        let verdict = if broken { None } else { self.validate(&[]) };
        if verdict.is_some_and(|verdict| self.rejects(verdict.action, visible)) {
            return;
        }
        let requires_tool = self.requires_tool();
        let turn = Turn { requires_tool, model: self.model.as_deref(), ..turn.clone() };
        match self.guard.turn(&turn) {
            Decision::Proceed | Decision::Accept => {
                self.state = State::Done { answer: Some(text.trim().to_string()) };
            }
            Decision::Retry { message, discard_visible_text, .. } => {
                self.correct(message, discard_visible_text);
            }
            Decision::Escalate(escalation) => self.state = State::Asking(escalation.into()),
        }
    }

    fn with_calls(&mut self, calls: Vec<Call>, reading: &Reading) {
        let names: Vec<&str> = calls.iter().map(Call::name).collect();
        let mut round = Round::default();
        if let Some(verdict) = self.validate(&names) {
            if self.rejects(verdict.action, !reading.message.text().trim().is_empty()) {
                return;
            }
            round.blocked = verdict.blocked;
        }
        // A guard may take the call alone for the end of a row of mistakes.
        self.guard.turn(&Turn { model: self.model.as_deref(), ..Turn::calls(names) });
        let options = &self.config.parser.tables().options;
        for tool in reading.incomplete() {
            round.notes.push(self.config.text("not_run", &[("tool", &tool)]));
        }
        if let (Some(reason), LimitOn::ToolStart) = (reading.surplus(), options.limit_on) {
            round.notes.push(self.config.text("surplus", &[("reason", &reason)]));
        }
        round.calls = calls
            .into_iter()
            .map(|call| call.in_conversation(self.config.conversation.as_str()))
            .collect();
        self.next_call(round);
    }

    /// The calls up to the next one whose tool is to run; behind the last, the results.
    pub(super) fn next_call(&mut self, mut round: Round) {
        while let Some(call) = round.calls.pop_front() {
            if let Some(text) = round.blocked.get(call.name()) {
                let (result, report) = (ToolResult::error(text), Report::default());
                self.take(Outcome { call, result, report }, &mut round);
                continue;
            }
            match self.hooks.before(call) {
                hooks::Step::Done(outcome) => self.take(outcome, &mut round),
                hooks::Step::Run(running) => {
                    self.state = State::Tool(Box::new(Waiting { running, round }));
                    return;
                }
            }
        }
        self.send_results(&round);
        match (round.answer, round.question) {
            (Some(answer), _) => self.state = State::Done { answer: Some(answer) },
            (None, Some(question)) => self.state = State::Asking(question),
            (None, None) => self.call_model(false),
        }
    }

    /// What came of a call, for those who count.
    pub(super) fn take(&mut self, outcome: Outcome, round: &mut Round) {
        let (name, ok) = (outcome.call.name(), !outcome.result.is_error);
        let conversation = &self.config.conversation;
        if let Some(validator) = &mut self.validator {
            match ok {
                true => validator.tool_success(conversation),
                false => validator.tool_failure(conversation),
            }
        }
        if ok && !self.succeeded.iter().any(|tool| tool == name) {
            self.succeeded.push(name.to_string());
        }
        if ok && self.config.end_tool.as_deref() == Some(name) {
            round.answer = Some(text_of(&outcome.result));
        }
        if outcome.report.escalate {
            let notice = self.config.text("circles", &[("tool", &name)]);
            let question = Question { about: About::Circles, notice, options: Question::GO_ON };
            round.question.get_or_insert(question);
        }
        if let Some(escalation) = self.guard.tool_result(ok) {
            round.question.get_or_insert(escalation.into());
        }
        round.notes.extend(outcome.report.note.clone());
        self.outcomes.push(outcome);
    }

    /// The results as one message for the model.
    pub(super) fn send_results(&mut self, round: &Round) {
        let result = |outcome: &Outcome| {
            let call = &outcome.call;
            let result = render::ToolResult::ok(call.name(), text_of(&outcome.result));
            let mut result = result.with_id(call.id());
            result.is_error = outcome.result.is_error;
            result
        };
        let results: Vec<_> = self.outcomes.iter().map(result).collect();
        self.history.say(Role::User, self.config.parser.render_results(&results));
        for note in &round.notes {
            self.history.say(Role::User, note.clone());
        }
    }

    /// Asks the model, unless it was asked too often.
    pub(super) fn call_model(&mut self, discard_visible_text: bool) {
        let count = self.iterations;
        if count >= self.config.max_iterations {
            let notice = self.config.text("iterations", &[("count", &count)]);
            let (about, options) = (About::Iterations, Question::GO_ON);
            self.state = State::Asking(Question { about, notice, options });
            return;
        }
        self.iterations += 1;
        self.reading = Reading::new(self.config.parser.clone());
        self.state = State::Model { discard_visible_text };
    }

    fn correct(&mut self, message: String, discard_visible_text: bool) {
        self.history.say(Role::User, message);
        self.call_model(discard_visible_text);
    }

    /// The validator's word on an answer with these calls. What has succeeded for this request
    /// already counts, too.
    fn validate(&mut self, calls: &[&str]) -> Option<Verdict> {
        let validator = self.validator.as_mut()?;
        let mut request = Request::new(&self.config.conversation, &self.request);
        let before = self.succeeded.iter().map(String::as_str);
        request.calls = before.chain(calls.iter().copied()).collect();
        Some(validator.validate(&request))
    }

    /// Whether the validator stops here.
    fn rejects(&mut self, action: Action, visible: bool) -> bool {
        match action {
            Action::Proceed | Action::Block => return false,
            Action::Retry { message, .. } => self.correct(message, visible),
            Action::Escalate { notice, options, .. } => {
                self.state = State::Asking(Question { about: About::NoTool, notice, options });
            }
        }
        true
    }

    /// Whether an answer without a call is a mistake.
    fn requires_tool(&self) -> bool {
        match self.config.text_ends {
            TextEnds::Always => false,
            TextEnds::Never => true,
            TextEnds::AfterTool if !self.succeeded.is_empty() => false,
            TextEnds::AfterTool => self.validator.as_ref().is_none_or(|validator| {
                let request = Request::new(&self.config.conversation, &self.request);
                validator.infer(&request).requires_tool
            }),
        }
    }
}

/// A text as it is, all else as JSON.
fn text_of(result: &ToolResult) -> String {
    result.content.as_str().map_or_else(|| result.content.to_string(), String::from)
}
