//! Tools that may not be called directly.

use std::collections::HashSet;

use super::call::{Call, Report};
use super::hook::{Hook, HookError, Pre, PreHook};
use crate::policy::texts;
use crate::policy::validator::BLOCKED;

/// A hook that blocks calls by their exact names, case and all.
///
/// ```
/// use serde_json::json;
/// use toolstream::policy::Hooks;
/// use toolstream::policy::hooks::{BlockList, Call, ToolResult};
///
/// let hooks = Hooks::new().with(BlockList::new(["finalize_write"]));
/// let outcome = hooks.execute(Call::new("finalize_write", json!({})), |_| unreachable!());
/// assert_eq!(
///     outcome.result,
///     ToolResult::error("The tool 'finalize_write' may not be called directly."),
/// );
/// ```
#[derive(Clone, Debug)]
pub struct BlockList {
    tools: HashSet<String>,
    message: String,
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
        Ok(match self.tools.contains(call.name()) {
            true => Pre::Block(texts::fill(&self.message, &[("tool", &call.name())])),
            false => Pre::Go,
        })
    }
}

impl From<BlockList> for Hook {
    fn from(list: BlockList) -> Self {
        Hook::pre("block_list", list)
    }
}
