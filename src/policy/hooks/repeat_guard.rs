//! The same call again and again.

use std::sync::{Mutex, PoisonError};

use super::call::{Call, Report};
use super::hook::{Hook, HookError, PostHook, Pre, PreHook};
use crate::json::equal::hash;
use crate::policy::config::{PolicyError, Result};
use crate::policy::recent::Recent;
use crate::write::ToolResult;

/// A hook that notices the same call in a row: the same name and equal arguments, whatever the
/// order of their keys. At the third it warns and has a note for the model, at the fifth it stops
/// the call and asks for the user. If the tool's result differs from its last one, the count begins
/// again: to poll is fine.
///
/// Register it first ([`Hooks::with_first`](super::Hooks::with_first)), so that it sees what the
/// model and the tool have said. It counts for each
/// [conversation](Call::in_conversation), for the 1024 that called last; when the user has chosen
/// to go on, [`Hooks::forget`](super::Hooks::forget) lets the call run again.
///
/// ```
/// use serde_json::json;
/// use toolstream::policy::Hooks;
/// use toolstream::policy::hooks::{Call, RepeatGuard};
///
/// let hooks = Hooks::new().with(RepeatGuard::new(2, 3)?);
/// let read = || hooks.execute(Call::new("read", json!({})), |call| call.ok("")).report;
/// assert!(!read().warn);
/// assert!(read().note.unwrap().starts_with("Identical call number 2"));
/// assert!(read().escalate);
/// # Ok::<(), toolstream::policy::PolicyError>(())
/// ```
#[derive(Debug)]
pub struct RepeatGuard {
    warn_at: usize,
    stop_at: usize,
    last: Mutex<Recent<Last>>,
}

/// The last call of a conversation. Of what may be long only the hash is kept; should two hashes
/// ever be equal by chance, a call is counted once too often.
#[derive(Clone, Debug, Default)]
struct Last {
    call: u64,
    repeats: usize,
    result: Option<u64>,
}

impl RepeatGuard {
    /// Warns at `warn_at` calls in a row and stops at `stop_at`.
    ///
    /// # Errors
    /// [`PolicyError::Config`] unless `2 <= warn_at < stop_at`.
    pub fn new(warn_at: usize, stop_at: usize) -> Result<Self> {
        if warn_at < 2 || stop_at <= warn_at {
            let what = format!("{warn_at} and {stop_at} do not fit: 2 <= warn_at < stop_at");
            return Err(PolicyError::config("warn_at", what));
        }
        Ok(RepeatGuard { warn_at, stop_at, last: Mutex::default() })
    }

    pub(super) const WARN_AT: usize = 3;
    pub(super) const STOP_AT: usize = 5;

    /// How often the call was made in a row, this time included.
    fn count(&self, call: &Call) -> usize {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let last = last.get_or_insert(call.conversation(), Last::default());
        let hash = hash((call.name(), call.arguments()));
        if last.repeats == 0 || last.call != hash {
            *last = Last { call: hash, repeats: 0, result: None };
        }
        last.repeats = last.repeats.saturating_add(1);
        last.repeats
    }
}

impl Default for RepeatGuard {
    /// Warns at 3, stops at 5.
    fn default() -> Self {
        let (warn_at, stop_at) = (RepeatGuard::WARN_AT, RepeatGuard::STOP_AT);
        RepeatGuard { warn_at, stop_at, last: Mutex::default() }
    }
}

impl PreHook for RepeatGuard {
    fn before(&self, call: &Call, report: &mut Report) -> std::result::Result<Pre, HookError> {
        let (count, name) = (self.count(call), call.name());
        report.repeats = Some(count);
        if count >= self.warn_at {
            report.warn = true;
            report.note = Some(format!(
                "Identical call number {count} of '{name}' in a row: try something else."
            ));
        }
        if count < self.stop_at {
            return Ok(Pre::Go);
        }
        report.escalate = true;
        Ok(Pre::Block(format!(
            "The call of '{name}' was stopped: it was made {count} times in a row and the result \
             did not change."
        )))
    }

    fn forget(&self, conversation: &str) {
        self.last.lock().unwrap_or_else(PoisonError::into_inner).remove(conversation);
    }
}

impl PostHook for RepeatGuard {
    fn after(
        &self,
        call: &Call,
        result: &ToolResult,
        report: &mut Report,
    ) -> std::result::Result<Option<ToolResult>, HookError> {
        if !report.tool_ran {
            return Ok(None);
        }
        let hash = hash((result.is_error, &result.content));
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(last) = last.get(call.conversation()) {
            if last.result.replace(hash).is_some_and(|before| before != hash) {
                last.repeats = 1;
            }
        }
        Ok(None)
    }
}

impl From<RepeatGuard> for Hook {
    fn from(guard: RepeatGuard) -> Self {
        Hook::both("repeat_guard", guard)
    }
}
