//! Texts that are compared with a file, to the byte: an earlier output that somebody has read.
#![allow(dead_code, reason = "each test file uses a part")]

/// Whether `EXPECTED=write` asks to write the files anew. Read the changes before you commit them.
pub fn writes() -> bool {
    std::env::var("EXPECTED").is_ok_and(|how| how == "write")
}

/// Compares a text with `tests/expected/NAME`, or writes it.
pub fn compare(name: &str, now: &str) {
    compare_file(&format!("tests/expected/{name}"), now);
}

/// Compares a text with a file of the checkout, or writes it.
pub fn compare_file(name: &str, now: &str) {
    let path = format!("{}/{name}", env!("CARGO_MANIFEST_DIR"));
    if writes() {
        std::fs::write(&path, now).unwrap_or_else(|error| panic!("{path}: {error}"));
    }
    let known = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    for (number, (now, known)) in now.lines().zip(known.lines()).enumerate() {
        assert_eq!(now, known, "line {} of {path} (EXPECTED=write)", number + 1);
    }
    assert_eq!(now, known, "{path} (EXPECTED=write)");
}
