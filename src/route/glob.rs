//! Names with `*` for any run of characters, whatever the case.

/// Whether the whole text is of this pattern.
pub(super) fn matches(pattern: &str, text: &str) -> bool {
    let (pattern, text) = (pattern.to_lowercase(), text.to_lowercase());
    let Some((first, rest)) = pattern.split_once('*') else { return pattern == text };
    let Some(text) = text.strip_prefix(first) else { return false };
    let (middle, last) = rest.rsplit_once('*').unwrap_or(("", rest));
    let Some(mut text) = text.strip_suffix(last) else { return false };
    middle.split('*').all(|piece| {
        let found = text.split_once(piece);
        text = found.map_or(text, |(_, behind)| behind);
        found.is_some()
    })
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn stars_stand_for_anything() {
        for (pattern, text) in [
            ("", ""),
            ("*", ""),
            ("*", "a"),
            ("**", "a"),
            ("a*", "a"),
            ("a*b", "ab"),
            ("A*b*C", "axxBxc"),
            ("*b*", "abc"),
            ("*ab*ab", "ababab"),
            ("qwen/*coder*", "Qwen/Qwen3-Coder-30B"),
        ] {
            assert!(matches(pattern, text), "{pattern} {text}");
        }
        for (pattern, text) in
            [("", "a"), ("a", "ab"), ("a*a", "a"), ("*a", "b"), ("a*b*b", "ab"), ("*ab*ab", "xab")]
        {
            assert!(!matches(pattern, text), "{pattern} {text}");
        }
    }
}
