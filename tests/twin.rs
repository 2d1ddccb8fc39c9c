//! The machine against its slow twin: the same events, whatever the text.
#![cfg(feature = "json")]

#[path = "support/bodies.rs"]
mod bodies;
mod oracle;
mod support;

use support::soup;

#[test]
fn agrees_on_soup() {
    let rounds: u64 = std::env::var("TWIN_ROUNDS").map_or(4_000, |n| n.parse().expect("a number"));
    for seed in 0..rounds {
        bodies::twin(&soup::seeded(seed, 12 + seed as usize % 80));
    }
}
