//! The fuzz targets' bodies on seeded inputs, for those who have no nightly toolchain.
//!
//! `cargo +nightly fuzz run laws` and `… twin` go on from here (see `fuzz/`).
#![cfg(feature = "json")]

#[path = "support/bodies.rs"]
mod bodies;
mod oracle;
mod support;

use support::soup;

/// Short inputs: many of them find more than long ones, and a debug build is slow.
fn inputs() -> impl Iterator<Item = Vec<u8>> {
    let rounds: u64 = std::env::var("FUZZ_ROUNDS").map_or(10_000, |n| n.parse().expect("a number"));
    // Other seeds than those of `twin.rs`.
    (0..rounds).map(|round| soup::seeded(0xF022 << 32 | round, 9 + round as usize % 32))
}

#[test]
fn laws_hold() {
    inputs().for_each(|data| bodies::laws(&data));
}

#[test]
fn twins_agree() {
    inputs().for_each(|data| bodies::twin(&data));
}
