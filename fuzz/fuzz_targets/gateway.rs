//! `cargo +nightly fuzz run gateway -- -len_control=0 -max_len=256`: see `tests/it/support/bodies.rs`.
#![no_main]

#[path = "../../tests/it/support/bodies.rs"]
mod bodies;
#[path = "../../tests/it/oracle/mod.rs"]
mod oracle;
#[path = "../../tests/it/support/mod.rs"]
mod support;

libfuzzer_sys::fuzz_target!(|data: &[u8]| bodies::gateway(data));
