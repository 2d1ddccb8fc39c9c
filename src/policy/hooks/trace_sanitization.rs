//! Results that can be stored, and are small.

use serde_json::{Map, Value};

use super::call::Report;
use super::hook::Hook;
use crate::policy::config::{AtLeastOne, fill, options};
use crate::write::ToolResult;

options!(TraceSanitization {
    max_chars: AtLeastOne = AtLeastOne(20_000),
    max_depth: AtLeastOne = AtLeastOne(64),
    max_items: AtLeastOne = AtLeastOne(1000),
    marker: String = " …[truncated, {omitted} characters left out]".to_string(),
});

impl TraceSanitization {
    pub fn hook(self) -> Hook {
        Hook::post("trace_sanitization", move |_, result, report| {
            Ok(Some(self.after(result, report)))
        })
    }

    fn after(&self, result: &ToolResult, report: &mut Report) -> ToolResult {
        let mut cutter = Cutter { limits: self, left: self.max_chars.0, cut: false };
        let content = cutter.value(&result.content, 0);
        report.truncated |= cutter.cut;
        let ToolResult { name, id, is_error, .. } = result;
        ToolResult { name: name.clone(), id: id.clone(), content, is_error: *is_error }
    }
}

struct Cutter<'a> {
    limits: &'a TraceSanitization,
    /// Characters.
    left: usize,
    cut: bool,
}

impl Cutter<'_> {
    /// A copy of a value that has `depth` containers around it.
    fn value(&mut self, value: &Value, depth: usize) -> Value {
        match value {
            Value::String(text) => self.text(text).into(),
            Value::Array(_) | Value::Object(_) if depth >= self.limits.max_depth.0 => {
                self.cut = true;
                "[truncated]".into()
            }
            Value::Array(items) => self.items(items, depth + 1),
            Value::Object(members) => {
                let member = |(key, value): (&String, &Value)| {
                    (without_nul(key), self.value(value, depth + 1))
                };
                Value::Object(members.iter().map(member).collect::<Map<_, _>>())
            }
            other => other.clone(),
        }
    }

    fn items(&mut self, items: &[Value], depth: usize) -> Value {
        let kept = items.len().min(self.limits.max_items.0);
        let mut list: Vec<_> = items[..kept].iter().map(|item| self.value(item, depth)).collect();
        if kept < items.len() {
            self.cut = true;
            list.push(format!("[{} more items]", items.len() - kept).into());
        }
        Value::Array(list)
    }

    fn text(&mut self, text: &str) -> String {
        let Some((end, _)) = text.char_indices().nth(self.left) else {
            self.left -= text.chars().count();
            return without_nul(text);
        };
        self.cut = true;
        self.left = 0;
        let (kept, omitted) = text.split_at(end);
        let marker = &self.limits.marker;
        without_nul(kept) + &fill(marker, &[("omitted", &omitted.chars().count())])
    }
}

fn without_nul(text: &str) -> String {
    text.replace('\0', "\u{fffd}")
}
