//! The bodies of the fuzz targets on seeded inputs, for people without a nightly toolchain.
//!
//! `cargo +nightly fuzz run laws`, `… twin` and so on take more inputs (see `fuzz/`). `gateway.rs` runs the body of `gateway`,
//! and `promises.rs` those of `cut_stream` and `lost_closer`.

use crate::bodies;
use crate::support::{self, soup, targets};

/// Inputs of `shortest` to twice as many bytes: `FUZZ_ROUNDS` of the shortest (default 100), and fewer of longer ones. Many
/// short inputs find more than a few long ones, and a debug build is slow.
fn inputs(shortest: usize) -> impl Iterator<Item = Vec<u8>> {
    let rounds: u64 = std::env::var("FUZZ_ROUNDS").map_or(100, |n| n.parse().expect("a number"));
    // Other seeds than those of `twin.rs`.
    let seed = move |round| 0xF022 << 32 | (shortest as u64) << 24 | round;
    (0..rounds * SHORTEST as u64 / shortest as u64)
        .map(move |round| soup::seeded(seed(round), shortest + round as usize % (shortest + 1)))
}

/// Enough for a soup; calls and blocks take more.
const SHORTEST: usize = 16;
const CALLS: usize = 24;
const BLOCKS: usize = 48;

#[test]
fn laws_hold() {
    inputs(SHORTEST).for_each(|data| bodies::laws(&data));
}

#[test]
fn twins_agree() {
    inputs(SHORTEST).for_each(|data| bodies::twin(&data));
}

#[test]
fn tool_call_twins_agree() {
    inputs(BLOCKS).for_each(|data| bodies::tool_call(&data));
}

#[test]
fn json_is_read_as_it_is() {
    inputs(BLOCKS).for_each(|data| bodies::json(&data));
}

#[test]
fn damaged_calls_twins_agree() {
    inputs(CALLS).for_each(|data| bodies::damaged_calls(&data));
}

/// Fewer inputs, for bodies that read each case at every cut, or several times.
fn some_inputs(shortest: usize) -> impl Iterator<Item = Vec<u8>> {
    inputs(shortest).step_by(4)
}

#[test]
fn calls_come_back() {
    inputs(CALLS).for_each(|data| targets::round_trip(&data));
}

#[test]
fn a_providers_bytes_may_be_cut() {
    some_inputs(CALLS).for_each(|data| targets::native(&data));
}

#[test]
fn deltas_are_the_message() {
    inputs(CALLS).for_each(|data| targets::deltas(&data));
}

#[test]
fn shapes_are_refused_or_read() {
    some_inputs(BLOCKS).for_each(|data| targets::shape(&data));
}

#[test]
fn looks_are_beginnings() {
    inputs(CALLS).for_each(|data| targets::partial_values(&data));
}

#[cfg(feature = "policy")]
#[test]
fn a_stored_loop_goes_on() {
    inputs(BLOCKS).for_each(|data| support::loops::policy(&data));
}
