//! Tools that may not be called directly.

use std::collections::HashSet;

use serde::Deserialize;

use super::call::{Call, Report};
use super::hook::{Hook, HookError, Pre, PreHook};
use crate::policy::texts::fill;
use crate::policy::validator::BLOCKED;

/// A hook that blocks calls by their exact names, case and all.
///
/// ```
/// use serde_json::json;
/// use toolstream::policy::Hooks;
/// use toolstream::policy::hooks::{BlockList, Call};
///
/// let hooks = Hooks::new().with(BlockList::new(["finalize_write"]));
/// let outcome = hooks.execute(Call::new("finalize_write", json!({})), |_| unreachable!());
/// assert_eq!(outcome.result.content, "The tool 'finalize_write' may not be called directly.");
/// ```
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BlockList {
    tools: HashSet<String>,
    message: String,
}

impl Default for BlockList {
    /// Blocks nothing.
    fn default() -> Self {
        BlockList::new([""; 0])
    }
}

impl BlockList {
    /// Blocks these.
    pub fn new(tools: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let tools = tools.into_iter().map(Into::into).collect();
        BlockList { tools, message: BLOCKED.to_string() }
    }

    /// What the model reads; `{tool}` in it is the name.
    #[must_use]
    pub fn message(mut self, text: impl Into<String>) -> Self {
        self.message = text.into();
        self
    }
}

impl PreHook for BlockList {
    fn before(&self, call: &Call, _: &mut Report) -> Result<Pre, HookError> {
        if !self.tools.contains(call.name()) {
            return Ok(Pre::Go);
        }
        Ok(Pre::Block(fill(&self.message, &[("tool", &call.name())])))
    }
}

impl From<BlockList> for Hook {
    fn from(list: BlockList) -> Self {
        Hook::pre("block_list", list)
    }
}
