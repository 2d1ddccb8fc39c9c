//! The validator's steps.

use serde_json::{Map, Value, json};

use super::{Component, Problem, ROLE, action, bool_or, names, optional_text, text, unknown};
use crate::policy::{Decision, Inference, PolicyError, Request, Validator, Verdict};

pub(super) struct Steps {
    validator: Validator,
}

impl Steps {
    pub fn new(config: &Value) -> Result<Self, PolicyError> {
        Ok(Steps { validator: Validator::from_json(config)? })
    }
}

impl Component for Steps {
    fn step(&mut self, op: &str, step: &Value) -> Result<Value, Problem> {
        let conversation = text(step, "conversation")?;
        match op {
            "validate" => {
                let verdict = self.validator.validate(&request(step)?);
                return Ok(as_json(verdict, self.validator.count(conversation)));
            }
            "infer" => return Ok(inferred(self.validator.infer(&request(step)?)).into()),
            "tool_success" => self.validator.tool_result(conversation, true),
            "tool_failure" => self.validator.tool_result(conversation, false),
            "forget" => self.validator.forget(conversation),
            "count" => {}
            op => return Err(unknown(op)),
        }
        Ok(json!({"count": self.validator.count(conversation)}))
    }
}

fn request(step: &Value) -> Result<Request<'_>, Problem> {
    let mut request = Request::new(text(step, "conversation")?, text(step, "last_user_message")?);
    request.calls = names(step, "calls")?;
    request.active_session = bool_or(step, "active_session", false)?;
    request.requires_tool = match optional_text(step, "override")? {
        None => None,
        Some("text_ok") => Some(false),
        Some("tool_required") => Some(true),
        Some(other) => {
            let what = format!("`{other}` is no override");
            return Err(PolicyError::InvalidArgument(what).into());
        }
    };
    request.expected_tools = names(step, "expected")?;
    Ok(request)
}

fn inferred(inference: Inference) -> Map<String, Value> {
    let mut found = Map::new();
    found.insert("requires_tool".to_string(), inference.requires_tool.into());
    found.insert("expected_tools".to_string(), inference.expected_tools.into());
    found.insert("reason".to_string(), inference.reason.into());
    found
}

fn as_json(verdict: Verdict, count: usize) -> Value {
    let (valid, action) = (verdict.decision == Decision::Proceed, action(&verdict.decision));
    let mut found = inferred(verdict.inference);
    let mut put = |key: &str, value: Value| found.insert(key.to_string(), value);
    put("valid", valid.into());
    put("action", action.into());
    put("count", count.into());
    put("blocked", verdict.blocked.into_iter().collect());
    match verdict.decision {
        Decision::Retry(correction) => {
            put("message", correction.text.into());
            put("role", ROLE.into());
            put("failure", json!(correction.reason));
        }
        Decision::Escalate(question) => {
            put("options", json!(question.options()));
            put("notice", question.text.into());
            put("failure", json!(question.reason));
        }
        _ => {}
    }
    found.into()
}
