//! The decision of your program about a call that is about to open, by a function or a list of names. `limit.rs`
//! asks.

use std::fmt;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

/// Call that is about to open, for [`ParserBuilder::limit_by`](crate::ParserBuilder::limit_by).
///
/// ```
/// use toolstream::calls::{CallLimit, NextCall};
///
/// // Calls that only read may follow each other; a call that writes comes alone.
/// fn reads_alone(call: NextCall<'_>) -> CallLimit {
///     let reads = |name: &str| name.starts_with("read_");
///     match call.previous {
///         Some(previous) if !reads(previous) || !reads(call.name) => CallLimit::Stop,
///         _ => CallLimit::Allow,
///     }
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NextCall<'a> {
    /// The call's number in the message, from 0.
    pub index: usize,
    /// The tool's name, as the model wrote it.
    pub name: &'a str,
    /// The name of the call before it in the message.
    pub previous: Option<&'a str>,
}

/// Decision whether a call may open ([`ParserBuilder::limit_by`](crate::ParserBuilder::limit_by)).
///
/// [`NextCall`] has an example.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CallLimit {
    /// The call opens.
    Allow,
    /// The call does not open, and the stream ends before it, with [`ToolLimitReached`](crate::ToolLimitReached).
    Stop,
}

type Ask = dyn Fn(NextCall<'_>) -> CallLimit + Send + Sync;

/// The function of your program that is asked for each call.
///
/// A panic in it leaves the parser unchanged: the function is asked before anything changes.
pub(crate) struct LimitBy(AssertUnwindSafe<Arc<Ask>>);

impl LimitBy {
    pub fn new(ask: impl Fn(NextCall<'_>) -> CallLimit + Send + Sync + 'static) -> LimitBy {
        LimitBy(AssertUnwindSafe(Arc::new(ask)))
    }

    pub fn ask(&self, call: NextCall<'_>) -> CallLimit {
        (self.0)(call)
    }
}

impl Clone for LimitBy {
    fn clone(&self) -> Self {
        LimitBy(AssertUnwindSafe(Arc::clone(&self.0)))
    }
}

impl fmt::Debug for LimitBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LimitBy")
    }
}

/// Whether a call is the first one, or it and the one before it may chain.
pub(crate) fn may_chain(chaining: &[String], call: NextCall<'_>) -> bool {
    let chains = |name: &str| chaining.iter().any(|known| known == name);
    chaining.is_empty() || call.index == 0 || call.previous.is_some_and(chains) && chains(call.name)
}
