//! The guard's steps.

use serde_json::{Value, json};

use super::{Component, Problem, ROLE, action, bool_or, code, names, optional_text, text, unknown};
use crate::policy::{Choice, Decision, Guard, Objection, PolicyError, Turn};

pub(super) struct Steps {
    config: Value,
    guard: Guard,
    /// The snapshot, as text: a stored state must be read back.
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
            Err(error) => json!({"error": code(&error), "count": self.guard.count()}),
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
            "suspend" => self.guard.set_suspended(true),
            "resume" => self.guard.set_suspended(false),
            "snapshot" => self.snapshot = Some(self.guard.snapshot().to_string()),
            "restore" => self.restore()?,
            op => return Err(unknown(op)),
        }
        Ok(self.count())
    }
}

fn turn(step: &Value) -> Result<Turn<'_>, Problem> {
    Ok(Turn {
        calls: names(step, "calls")?,
        incomplete: names(step, "incomplete")?,
        text: text(step, "text")?,
        truncated: bool_or(step, "truncated", false)?,
        final_answer: bool_or(step, "final_answer", false)?,
        requires_tool: bool_or(step, "requires_tool", true)?,
        model: optional_text(step, "model")?,
        detail: optional_text(step, "detail")?.map(Into::into),
        refused: None,
    })
}

fn decided(decision: &Decision, count: usize) -> Value {
    match decision {
        Decision::Retry(correction) => json!({
            "action": "retry",
            "count": correction.count,
            "reason": correction.reason,
            "role": ROLE,
            "message": correction.text,
            "discard_visible_text": correction.discard_visible_text,
        }),
        Decision::Escalate(question) => escalated(question),
        kept => json!({"action": action(kept), "count": count, "discard_visible_text": false}),
    }
}

fn escalated(question: &Objection) -> Value {
    json!({
        "action": "escalate",
        "count": question.count,
        "reason": question.reason,
        "notice": question.text,
        "options": question.options(),
    })
}
