//! `cargo +nightly fuzz run lost_closer -- -len_control=0 -max_len=256`: see `tests/it/support/promises.rs`.
#![no_main]

#[path = "../../tests/it/oracle/mod.rs"]
mod oracle;
#[path = "../../tests/it/support/promises.rs"]
mod promises;
#[path = "../../tests/it/support/mod.rs"]
mod support;

libfuzzer_sys::fuzz_target!(|data: &[u8]| promises::lost_closer(data, promises::machine));
