//! A gateway never hands out a broken call as a whole one: whatever a model writes, an OpenAI client has
//! what `Message` has, or is told that it has not.
#![cfg(feature = "json")]

mod support;

use proptest::collection::vec;
use proptest::prelude::*;
use support::{gateway, soup};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn a_client_has_what_a_message_has(data in vec(any::<u8>(), 0..96)) {
        gateway::body(&data);
    }
}

/// The fuzz target on seeded inputs, `FUZZ_ROUNDS` of them.
#[test]
fn seeded() {
    let rounds: u64 = std::env::var("FUZZ_ROUNDS").map_or(2_000, |n| n.parse().expect("a number"));
    (0..rounds).for_each(|round| {
        let data = soup::seeded(0x6A7E << 32 | round, 16 + round as usize % 48);
        gateway::body(&data);
    });
}
