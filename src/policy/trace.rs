//! What is said through `tracing`, where the feature is on.

/// A correction went to the model.
#[cfg(feature = "tracing")]
pub(super) fn corrected(by: &'static str, reason: &'static str, count: usize, limit: usize) {
    tracing::warn!(by, reason, count, limit, "the model's turn is corrected");
}

/// The user is asked.
#[cfg(feature = "tracing")]
pub(super) fn escalated(by: &'static str, reason: &'static str, count: usize, limit: usize) {
    tracing::error!(by, reason, count, limit, "the model's turns were corrected in vain");
}

#[cfg(not(feature = "tracing"))]
pub(super) fn corrected(_: &'static str, _: &'static str, _: usize, _: usize) {}

#[cfg(not(feature = "tracing"))]
pub(super) fn escalated(_: &'static str, _: &'static str, _: usize, _: usize) {}
