//! Helpers of the test files.
#![allow(dead_code, reason = "each test file uses a part")]

pub mod answers;
pub mod blocks;
pub mod calls;
pub mod delta_writer;
pub mod documents;
pub mod events;
pub mod expected;
pub mod gateway;
pub mod inputs;
#[cfg(feature = "policy")]
pub mod loops;
pub mod markdown;
pub mod markers;
pub mod partial;
pub mod react_soup;
pub mod samples;
pub mod soup;
pub mod targets;

use toolstream::Dialect;

/// The dialects that have a slow twin.
pub const WITH_TWIN: &[Dialect] = &[
    Dialect::CLINE,
    Dialect::CODE_ASSISTANT,
    Dialect::INVOKE,
    Dialect::HERMES,
    Dialect::QWEN3_CODER,
    Dialect::GLM,
    Dialect::TOOL_CALL,
    Dialect::REACT,
];
