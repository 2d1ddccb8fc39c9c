//! `cargo +nightly fuzz run twin -- -len_control=0 -max_len=256`: see `tests/support/bodies.rs`.
#![no_main]

#[path = "../../tests/support/bodies.rs"]
mod bodies;
#[path = "../../tests/oracle/mod.rs"]
mod oracle;
#[path = "../../tests/support/mod.rs"]
mod support;

libfuzzer_sys::fuzz_target!(|data: &[u8]| bodies::twin(data));
