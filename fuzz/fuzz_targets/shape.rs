//! `cargo +nightly fuzz run shape -- -len_control=0 -max_len=256`: see `tests/it/support/targets.rs`.
#![no_main]

#[path = "../../tests/it/support/mod.rs"]
mod support;

libfuzzer_sys::fuzz_target!(|data: &[u8]| support::targets::shape(data));
