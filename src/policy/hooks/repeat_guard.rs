//! Repeated equal calls.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::call::{Call, Report};
use super::hook::{Hook, Pre};
use crate::json::equal::hash;
use crate::policy::config::{Result, invalid, options};
use crate::policy::recent::Recent;
use crate::write::ToolResult;

options!(RepeatConfig { warn_at: usize = 3, stop_at: usize = 5 });

pub(super) struct RepeatGuard {
    config: RepeatConfig,
    last: Mutex<Recent<Last>>,
}

/// The last call of a conversation. Of long parts only the hash is kept. If two hashes are equal by chance, a
/// call is counted once too often.
#[derive(Clone, Debug, Default)]
struct Last {
    call: u64,
    repeats: usize,
    result: Option<u64>,
}

impl RepeatGuard {
    /// Makes a guard. `place`: the place of the options, for errors.
    pub fn new(config: RepeatConfig, place: &str) -> Result<Self> {
        let RepeatConfig { warn_at, stop_at } = config;
        if warn_at < 2 || stop_at <= warn_at {
            let what = format!("{warn_at} and {stop_at} do not fit: 2 <= warn_at < stop_at");
            return Err(invalid(format!("{place}.warn_at"), what));
        }
        Ok(RepeatGuard { config, last: Mutex::default() })
    }

    pub fn hook(self) -> Hook {
        let guard = Arc::new(self);
        let (before, after) = (Arc::clone(&guard), Arc::clone(&guard));
        let mut hook =
            Hook::pre("repeat_guard", move |call, report| Ok(before.before(call, report)))
                .on_forget(move |conversation| guard.last().remove(conversation));
        hook.post = Some(Arc::new(move |call, result, report| {
            after.after(call, result, report);
            Ok(None)
        }));
        hook
    }

    fn last(&self) -> MutexGuard<'_, Recent<Last>> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts the call, and returns the number of equal calls in a row, this one included.
    fn count(&self, call: &Call) -> usize {
        let mut last = self.last();
        let last = last.get_or_insert(&call.conversation, Last::default());
        let hash = hash((&call.name, &call.arguments));
        if last.repeats == 0 || last.call != hash {
            *last = Last { call: hash, repeats: 0, result: None };
        }
        last.repeats = last.repeats.saturating_add(1);
        last.repeats
    }

    fn before(&self, call: &Call, report: &mut Report) -> Pre {
        let (count, name) = (self.count(call), &call.name);
        report.repeats = Some(count);
        if count >= self.config.warn_at {
            report.note = Some(format!(
                "Identical call number {count} of '{name}' in a row: try something else."
            ));
        }
        if count < self.config.stop_at {
            return Pre::Go;
        }
        report.escalate = true;
        Pre::Done(call.error(format!(
            "The call of '{name}' was stopped: it was made {count} times in a row and the result \
             did not change."
        )))
    }

    fn after(&self, call: &Call, result: &ToolResult, report: &Report) {
        if !report.tool_ran {
            return;
        }
        let hash = hash((result.is_error, &result.content));
        if let Some(last) = self.last().get(&call.conversation) {
            if last.result.replace(hash).is_some_and(|before| before != hash) {
                last.repeats = 1;
            }
        }
    }
}
