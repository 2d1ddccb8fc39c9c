//! The guard's steps.

use serde_json::{Value, json};

use super::{Component, Problem, bool_or, names, optional_text, text, unknown};
use crate::policy::guard::Turn;
use crate::policy::{Choice, Correction, Decision, Guard, PolicyError, Question};

pub(super) struct Steps {
    config: Value,
    guard: Guard,
    /// As text: what was stored must be read back.
    snapshot: Option<String>,
}

impl Steps {
    pub fn new(config: &Value) -> Result<Self, PolicyError> {
        let guard = Guard::from_json(config)?;
        Ok(Steps { config: config.clone(), guard, snapshot: None })
    }

    fn count(&self) -> Value {
        json!({"count": self.guard.count()})
    }

    fn choice(&mut self, choice: &str) -> Value {
        let choice = choice.parse::<Choice>();
        match choice.and_then(|choice| self.guard.choice(choice)) {
            Ok(()) => self.count(),
            Err(error) => json!({"error": error.code(), "count": self.guard.count()}),
        }
    }

    fn restore(&mut self) -> Result<(), Problem> {
        let missing = || Problem::Vector("there is no snapshot to restore".to_string());
        let snapshot = self.snapshot.as_ref().ok_or_else(missing)?;
        let snapshot = serde_json::from_str(snapshot);
        let snapshot: Value = snapshot.map_err(|error| Problem::Vector(error.to_string()))?;
        self.guard = Guard::from_json(&self.config)?;
        Ok(self.guard.restore(&snapshot)?)
    }
}

impl Component for Steps {
    fn step(&mut self, op: &str, step: &Value) -> Result<Value, Problem> {
        match op {
            "turn" => {
                let decision = self.guard.turn(&turn(step)?);
                return Ok(decided(&decision, self.guard.count()));
            }
            "tool_result" => {
                return Ok(match self.guard.tool_result(bool_or(step, "ok", false)?) {
                    Some(question) => escalated(&question),
                    None => json!({"action": "none", "count": self.guard.count()}),
                });
            }
            "choice" => return Ok(self.choice(text(step, "choice")?)),
            "reset" => self.guard.reset(),
            "suspend" => self.guard.suspend(),
            "resume" => self.guard.resume(),
            "snapshot" => self.snapshot = Some(self.guard.snapshot().to_string()),
            "restore" => self.restore()?,
            op => return Err(unknown(op)),
        }
        Ok(self.count())
    }
}

fn turn(step: &Value) -> Result<Turn<'_>, Problem> {
    let mut turn = Turn::calls(names(step, "calls")?);
    turn.incomplete = names(step, "incomplete")?;
    turn.text = text(step, "text")?;
    turn.truncated = bool_or(step, "truncated", false)?;
    turn.final_answer = bool_or(step, "final_answer", false)?;
    turn.requires_tool = bool_or(step, "requires_tool", true)?;
    turn.model = optional_text(step, "model")?;
    turn.detail = optional_text(step, "detail")?.map(Into::into);
    Ok(turn)
}

fn decided(decision: &Decision, count: usize) -> Value {
    match decision {
        Decision::Retry(correction) => json!({
            "action": "retry",
            "count": correction.count,
            "reason": correction.reason.as_str(),
            "role": Correction::ROLE,
            "message": correction.message,
            "discard_visible_text": correction.discard_visible_text,
        }),
        Decision::Escalate(question) => escalated(question),
        kept => json!({"action": kept.as_str(), "count": count, "discard_visible_text": false}),
    }
}

fn escalated(question: &Question) -> Value {
    json!({
        "action": "escalate",
        "count": question.count,
        "reason": question.reason.as_str(),
        "notice": question.notice,
        "options": question.options().iter().map(|choice| choice.as_str()).collect::<Vec<_>>(),
    })
}
