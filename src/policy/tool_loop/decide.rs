//! The way of an answer through validator, guard and hooks.

use std::ops::ControlFlow;

use serde_json::Value;

use super::config::TextEnds;
use super::step::CallId;
use super::{LoopState, Progress, Round, ToolLoop};
use crate::json::white::trim;
use crate::message::reply::Reply;
use crate::options::{LimitOn, Results};
use crate::parser::Parser;
use crate::policy::config::fill;
use crate::policy::decision::{Decision, Objection, Reason};
use crate::policy::hooks::{Call, CallOutcome};
use crate::policy::turn::Turn;
use crate::policy::validator::{Request, Verdict};
use crate::write::ToolResult;

impl ToolLoop {
    /// Looks at a whole answer.
    pub(super) fn decide(&mut self, reply: &Reply) {
        let message = reply.message();
        let error = reply.envelope().and_then(|envelope| envelope.error.clone());
        if let Some(error) = error.filter(|_| !message.has_calls()) {
            let discard_visible_text = !trim(&message.text()).is_empty();
            self.memory.state = LoopState::Failed { error, discard_visible_text };
            return;
        }
        self.memory.conversation.model(self.form, reply);
        if message.has_calls() {
            self.with_calls(reply);
        } else {
            self.without_call(&Turn::from(message), message.text());
        }
    }

    fn without_call(&mut self, turn: &Turn<'_>, text: String) {
        // A broken call is for the guard, which can name the mistake.
        let broken = turn.truncated || turn.is_malformed();
        let verdict = if broken { None } else { self.validate(&[]) };
        if verdict.is_some_and(|verdict| self.rejects(verdict.decision, !turn.is_blank())) {
            return;
        }
        let is_answer = !turn.truncated && !turn.is_blank();
        let requires_tool = self.requires_tool(is_answer);
        let turn = Turn { requires_tool, model: self.memory.model.as_deref(), ..turn.clone() };
        let decision = self.guard.turn(&turn);
        if !self.rejects(decision, !turn.is_blank()) {
            self.memory.state = LoopState::Done(Some(trim(&text).to_string()));
        }
    }

    fn with_calls(&mut self, reply: &Reply) {
        let message = reply.message();
        let names: Vec<&str> = message.calls().map(|call| call.name()).collect();
        let verdict = self.validate(&names);
        let mut blocked = Default::default();
        if let Some(verdict) = verdict {
            if self.rejects(verdict.decision, !trim(&message.text()).is_empty()) {
                return;
            }
            blocked = verdict.blocked;
        }
        // A guard may take the call alone for the end of a row of mistakes.
        self.guard.turn(&Turn { calls: names, ..Turn::default() });
        self.memory.outcomes.clear();
        let mut calls = Vec::new();
        for call in message.calls() {
            let conversation = self.conversation.clone();
            let call = Call { conversation, id: self.form.id(call), ..Call::from(call) };
            let progress = match blocked.get(&call.name) {
                Some(text) => Progress::Done(CallOutcome::not_run(call, text)),
                None => match self.hooks.before(call) {
                    ControlFlow::Break(outcome) => Progress::Done(outcome),
                    ControlFlow::Continue(running) => Progress::Runs(running),
                },
            };
            if let Progress::Done(outcome) = &progress {
                self.memory.blocked.push_back(outcome.clone());
            }
            calls.push((CallId(self.memory.next_call), progress));
            self.memory.next_call += 1;
        }
        self.memory.state = LoopState::Tools(Round { calls, notes: self.not_run(reply) });
        self.end_round();
    }

    /// Returns the notes to the model about calls that did not run.
    fn not_run(&self, reply: &Reply) -> Vec<String> {
        let texts = &self.config.messages;
        // Native calls get results that say so.
        let broken = reply.message().incomplete_calls().filter(|_| !self.form.native);
        let not_run = broken.map(|call| fill(&texts.not_run, &[("tool", &call.name())]));
        let mut notes: Vec<_> = not_run.collect();
        let on_text = self.pattern.source().tables().options.limit_on == LimitOn::TextAfterTool;
        if let (Some(reason), false) = (reply.limit_reached(), on_text) {
            notes.push(fill(&texts.surplus, &[("reason", &reason)]));
        }
        notes
    }

    /// Ends the round once every call has its result: counts the results, sends them, and continues.
    pub(super) fn end_round(&mut self) {
        let LoopState::Tools(round) = &mut self.memory.state else { return };
        if !round.calls.iter().all(|(_, progress)| matches!(progress, Progress::Done(_))) {
            return;
        }
        let (calls, notes) = (std::mem::take(&mut round.calls), std::mem::take(&mut round.notes));
        let (mut question, mut answer, mut said) = (None, None, Vec::new());
        for (_, progress) in calls {
            let Progress::Done(outcome) = progress else { continue };
            let asks = self.count(&outcome);
            question = question.or(asks);
            let (name, ok) = (&outcome.call.name, !outcome.result.is_error);
            if ok && self.config.end_tool.as_ref() == Some(name) {
                answer = Some(outcome.result.text().into_owned());
            }
            said.extend(outcome.report.note.clone());
            self.memory.outcomes.push(outcome);
        }
        said.splice(..0, notes);
        self.send_results(&said);
        match (answer, question) {
            (Some(answer), _) => self.memory.state = LoopState::Done(Some(answer)),
            (None, Some(question)) => self.memory.state = LoopState::Asking(question),
            (None, None) => self.call_model(false),
        }
    }

    /// Counts the outcome of a call; validator and guard may want to ask the user.
    fn count(&mut self, outcome: &CallOutcome) -> Option<Objection> {
        let (name, ok) = (&outcome.call.name, !outcome.result.is_error);
        if let Some(validator) = &mut self.validator {
            validator.tool_result(&self.conversation, ok);
        }
        if ok && !self.memory.succeeded.contains(name) {
            self.memory.succeeded.push(name.clone());
        }
        let mistakes = self.guard.tool_result(ok);
        if !outcome.report.escalate {
            return mistakes;
        }
        let text = fill(&self.config.messages.circles, &[("tool", &name)]);
        let count = outcome.report.repeats.unwrap_or_default();
        Some(objection(Reason::Circles, count, text))
    }

    /// The results as one message for the model.
    pub(super) fn send_results(&mut self, notes: &[String]) {
        let results = self.memory.outcomes.iter().map(|outcome| outcome.result.clone());
        let results: Vec<ToolResult> = results.collect();
        match self.form.parser(self.pattern.source()) {
            Some(parser) => {
                let written = render(parser, &results);
                self.memory.conversation.user(self.form, written.into());
            }
            None => self.answer_calls(&results),
        }
        for note in notes {
            self.tell(note.as_str().into());
        }
    }

    /// Adds a user message for the model. Calls without a result get one before it.
    pub(super) fn tell(&mut self, content: Value) {
        self.answer_calls(&[]);
        self.memory.conversation.user(self.form, content);
    }

    /// Gives every native call its result, or one that says that it did not run.
    fn answer_calls(&mut self, results: &[ToolResult]) {
        let not_run = &self.config.messages.not_run;
        let not_run = |name: &str| fill(not_run, &[("tool", &name)]);
        self.memory.conversation.results(self.form, results, not_run);
    }

    /// Asks the model, unless it was asked too often.
    pub(super) fn call_model(&mut self, discard_visible_text: bool) {
        let count = self.memory.iterations;
        if count >= self.config.max_iterations.0 {
            let text = fill(&self.config.messages.iterations, &[("count", &count)]);
            let question = objection(Reason::Iterations, count, text);
            self.memory.state = LoopState::Asking(question);
            return;
        }
        self.memory.iterations += 1;
        self.reply = self.pattern.fresh();
        self.memory.state = LoopState::Model { discard_visible_text };
    }

    /// Returns the validator's verdict on an answer with these calls. Tools that have already succeeded for
    /// this request also count.
    fn validate(&mut self, calls: &[&str]) -> Option<Verdict> {
        let validator = self.validator.as_mut()?;
        let mut request = Request::new(&self.conversation, &self.memory.request);
        let before = self.memory.succeeded.iter().map(String::as_str);
        request.calls = before.chain(calls.iter().copied()).collect();
        Some(validator.validate(&request))
    }

    /// Whether the validator stops here.
    fn rejects(&mut self, decision: Decision, visible: bool) -> bool {
        match decision {
            Decision::Proceed | Decision::Accept | Decision::Block => return false,
            Decision::Retry(correction) => {
                self.tell(correction.text.into());
                self.call_model(visible);
            }
            Decision::Escalate(question) => self.memory.state = LoopState::Asking(question),
        }
        true
    }

    fn text_ends(&self) -> TextEnds {
        let ends_by_tool = self.config.end_tool.is_some();
        let suits = if ends_by_tool { TextEnds::Never } else { TextEnds::Always };
        self.config.text_ends.unwrap_or(suits)
    }

    /// Whether a reply without a call is a mistake. `is_answer`: it has a text, which was not cut off.
    fn requires_tool(&self, is_answer: bool) -> bool {
        match self.text_ends() {
            TextEnds::Always if is_answer => false,
            TextEnds::Never => true,
            _ if !self.memory.succeeded.is_empty() => false,
            _ => self.validator.as_ref().is_none_or(|validator| {
                let request = Request::new(&self.conversation, &self.memory.request);
                validator.infer(&request).requires_tool
            }),
        }
    }
}

/// Writes the results as text. A result that the options refuse reaches the model as a failure of its tool.
fn render(parser: &Parser, results: &[ToolResult]) -> String {
    let told = |result: &ToolResult| match parser.render_results(std::slice::from_ref(result)) {
        Ok(_) => result.clone(),
        Err(error) => {
            ToolResult { is_error: true, content: error.to_string().into(), ..result.clone() }
        }
    };
    let written = parser.render_results(results).or_else(|_| {
        let told: Vec<ToolResult> = results.iter().map(told).collect();
        parser.render_results_as(&told, Results::Neutralise)
    });
    written.unwrap_or_default()
}

fn objection(reason: Reason, count: usize, text: String) -> Objection {
    Objection { reason, count, text, discard_visible_text: false }
}
