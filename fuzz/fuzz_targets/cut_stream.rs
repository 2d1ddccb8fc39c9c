//! `cargo +nightly fuzz run cut_stream -- -len_control=0 -max_len=256`: see `tests/support/promises.rs`.
#![no_main]

#[path = "../../tests/oracle/mod.rs"]
mod oracle;
#[path = "../../tests/support/promises.rs"]
mod promises;
#[path = "../../tests/support/mod.rs"]
mod support;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    promises::prefixes(data, promises::machine);
    promises::prefixes_in_any(data);
});
