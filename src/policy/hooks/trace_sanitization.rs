//! Results that can be stored, and are small.

use serde::Deserialize;
use serde_json::{Map, Value};

use super::call::{Call, Report};
use super::hook::{Hook, HookError, PostHook};
use crate::policy::config::{Result, at_least_one};
use crate::policy::texts::fill;
use crate::write::ToolResult;

/// A hook that makes a result storable (in PostgreSQL's JSONB, for example) and small. It works on
/// the value, never on its text, so that text stays text and JSON stays valid.
///
/// * U+0000 becomes U+FFFD, in strings and in keys.
/// * `max_chars` is a budget for all strings of the result in their order. The one that does not
///   fit is cut to what is left, followed by the marker; of later ones that are not empty the
///   marker alone remains. Keys cost nothing.
/// * Containers deeper than `max_depth` (the outermost is 1) become `[truncated]`.
/// * Of a list longer than `max_items` so many are kept, and then `[N more items]`.
///
/// [`Report::truncated`] says that something was cut.
///
/// ```
/// use serde_json::json;
/// use toolstream::policy::Hooks;
/// use toolstream::policy::hooks::{Call, TraceLimits, TraceSanitization};
///
/// let limits = TraceLimits { max_chars: 5, marker: "…".to_string(), ..TraceLimits::default() };
/// let hooks = Hooks::new().with(TraceSanitization::new(limits)?);
/// let outcome = hooks.execute(Call::new("read", json!({})), |call| {
///     call.ok(json!({"text": "größer\0", "more": "text", "n": 1}))
/// });
/// assert_eq!(outcome.result.content, json!({"text": "größe…", "more": "…", "n": 1}));
/// assert!(outcome.report.truncated);
/// # Ok::<(), toolstream::policy::PolicyError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct TraceSanitization(TraceLimits);

/// How large a result may be.
///
/// [`TraceSanitization`] has an example.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TraceLimits {
    /// The budget for all strings, in Unicode characters; default 20000.
    pub max_chars: usize,
    /// Levels of objects and lists; default 64.
    pub max_depth: usize,
    /// Items of one list; default 1000.
    pub max_items: usize,
    /// What stands for what was cut; `{omitted}` in it is the number of characters.
    pub marker: String,
}

impl Default for TraceLimits {
    fn default() -> Self {
        TraceLimits {
            max_chars: 20_000,
            max_depth: 64,
            max_items: 1000,
            marker: " …[truncated, {omitted} characters left out]".to_string(),
        }
    }
}

impl TraceSanitization {
    /// A hook with these limits.
    ///
    /// # Errors
    /// A limit of 0.
    pub fn new(limits: TraceLimits) -> Result<Self> {
        at_least_one("max_chars", limits.max_chars)?;
        at_least_one("max_depth", limits.max_depth)?;
        at_least_one("max_items", limits.max_items)?;
        Ok(TraceSanitization(limits))
    }

    /// Whether the value may stay as it is. Most may, and are not copied.
    fn passes(&self, value: &Value, depth: usize, left: &mut usize) -> bool {
        match value {
            Value::String(text) => match left.checked_sub(text.chars().count()) {
                Some(rest) => {
                    *left = rest;
                    !has_nul(text)
                }
                None => false,
            },
            Value::Array(items) => {
                depth < self.0.max_depth
                    && items.len() <= self.0.max_items
                    && items.iter().all(|item| self.passes(item, depth + 1, left))
            }
            Value::Object(members) => {
                let mut members = members.iter();
                depth < self.0.max_depth
                    && members
                        .all(|(key, value)| !has_nul(key) && self.passes(value, depth + 1, left))
            }
            _ => true,
        }
    }
}

impl PostHook for TraceSanitization {
    fn after(
        &self,
        _: &Call,
        result: &ToolResult,
        report: &mut Report,
    ) -> std::result::Result<Option<ToolResult>, HookError> {
        if self.passes(&result.content, 0, &mut self.0.max_chars.clone()) {
            return Ok(None);
        }
        let mut cutter = Cutter { limits: &self.0, left: self.0.max_chars, cut: false };
        let content = cutter.value(&result.content, 0);
        report.truncated |= cutter.cut;
        Ok(Some(ToolResult { content, ..result.clone() }))
    }
}

impl From<TraceSanitization> for Hook {
    fn from(sanitization: TraceSanitization) -> Self {
        Hook::post("trace_sanitization", sanitization)
    }
}

struct Cutter<'a> {
    limits: &'a TraceLimits,
    /// Characters.
    left: usize,
    cut: bool,
}

impl Cutter<'_> {
    /// A copy of a value that has `depth` containers around it.
    fn value(&mut self, value: &Value, depth: usize) -> Value {
        match value {
            Value::String(text) => self.text(text).into(),
            Value::Array(_) | Value::Object(_) if depth >= self.limits.max_depth => {
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
        let kept = items.len().min(self.limits.max_items);
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

const NUL: char = '\0';

fn has_nul(text: &str) -> bool {
    memchr::memchr(0, text.as_bytes()).is_some()
}

fn without_nul(text: &str) -> String {
    text.replace(NUL, "\u{fffd}")
}
