//! Names with `*` for any run of characters.

/// Calls [`matches`] in any case.
pub(crate) fn matches_in_any_case(pattern: &str, text: &str) -> bool {
    matches(&pattern.to_lowercase(), &text.to_lowercase())
}

/// Whether the whole text fits this pattern.
pub(crate) fn matches(pattern: &str, text: &str) -> bool {
    let Some((first, rest)) = pattern.split_once('*') else { return pattern == text };
    let Some(text) = text.strip_prefix(first) else { return false };
    let (middle, last) = rest.rsplit_once('*').unwrap_or(("", rest));
    let Some(mut text) = text.strip_suffix(last) else { return false };
    middle.split('*').all(|piece| {
        let found = text.split_once(piece);
        text = found.map_or(text, |(_, after)| after);
        found.is_some()
    })
}

#[cfg(test)]
mod tests {
    use super::{matches, matches_in_any_case};

    #[test]
    fn stars_stand_for_anything() {
        for (pattern, text) in [
            ("", ""),
            ("*", ""),
            ("*", "a"),
            ("**", "a"),
            ("a*", "a"),
            ("a*b", "ab"),
            ("a*b*c", "axxbxc"),
            ("*b*", "abc"),
            ("*ab*ab", "ababab"),
            ("qwen/*coder*", "qwen/qwen3-coder-30b"),
            ("*ä*", "xäx"),
        ] {
            assert!(matches(pattern, text), "{pattern} {text}");
        }
        for (pattern, text) in [
            ("", "a"),
            ("a", "ab"),
            ("a*a", "a"),
            ("*a", "b"),
            ("a*b*b", "ab"),
            ("*ab*ab", "ab"),
            ("ab*bc", "abc"),
            ("A", "a"),
        ] {
            assert!(!matches(pattern, text), "{pattern} {text}");
        }
        assert!(matches_in_any_case("qwen/*Coder*", "Qwen/Qwen3-Coder-30B"));
    }
}
