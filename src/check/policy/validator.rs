//! The validator's steps.

use serde_json::{Map, Value, json};

use super::{Component, Problem, bool_or, names, optional_text, text, unknown};
use crate::policy::validator::{Inference, Request, Validator, Verdict};
use crate::policy::{Correction, Decision, PolicyError};

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
            "validate" => return Ok(as_json(self.validator.validate(&request(step)?))),
            "infer" => return Ok(inferred(self.validator.infer(&request(step)?)).into()),
            "tool_success" => self.validator.tool_success(conversation),
            "tool_failure" => self.validator.tool_failure(conversation),
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
    request.override_with = optional_text(step, "override")?.map(str::parse).transpose()?;
    request.expected = names(step, "expected")?;
    Ok(request)
}

fn inferred(inference: Inference) -> Map<String, Value> {
    let mut found = Map::new();
    found.insert("requires_tool".to_string(), inference.requires_tool.into());
    found.insert("expected_tools".to_string(), inference.expected_tools.into());
    found.insert("reason".to_string(), inference.reason.as_str().into());
    found
}

fn as_json(verdict: Verdict) -> Value {
    let (valid, action) = (verdict.is_valid(), verdict.decision.as_str());
    let mut found = inferred(verdict.inference);
    let mut put = |key: &str, value: Value| found.insert(key.to_string(), value);
    put("valid", valid.into());
    put("action", action.into());
    put("count", verdict.count.into());
    put("blocked", verdict.blocked.into_iter().collect());
    match verdict.decision {
        Decision::Retry(correction) => {
            put("message", correction.message.into());
            put("role", Correction::ROLE.into());
            put("failure", correction.reason.as_str().into());
        }
        Decision::Escalate(question) => {
            let options: Value = question.options().iter().map(|choice| choice.as_str()).collect();
            put("notice", question.notice.into());
            put("options", options);
            put("failure", question.reason.as_str().into());
        }
        _ => {}
    }
    found.into()
}
