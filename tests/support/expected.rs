//! Texts that are compared with a file, to the byte: what came out before, and was read by somebody.

/// Compares a text with `tests/expected/NAME`. `EXPECTED=write` in the environment writes the file anew; what has
/// changed is to be read then.
pub fn compare(name: &str, now: &str) {
    let path = format!("{}/tests/expected/{name}", env!("CARGO_MANIFEST_DIR"));
    if std::env::var("EXPECTED").is_ok_and(|how| how == "write") {
        std::fs::write(&path, now).unwrap_or_else(|error| panic!("{path}: {error}"));
    }
    let known = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    for (number, (now, known)) in now.lines().zip(known.lines()).enumerate() {
        assert_eq!(now, known, "line {} of {path} (EXPECTED=write)", number + 1);
    }
    assert_eq!(now, known, "{path} (EXPECTED=write)");
}
