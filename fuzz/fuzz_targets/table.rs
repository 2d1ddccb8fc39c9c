//! `cargo +nightly fuzz run table -- -len_control=0 -max_len=256`: see `tests/it/support/host_tables.rs`.
#![no_main]

#[path = "../../tests/it/support/mod.rs"]
mod support;

libfuzzer_sys::fuzz_target!(|data: &[u8]| support::targets::table(data));
