//! Names with `*`, which stands for any characters, none too.

/// Whether all of `name` is what `pattern` says.
pub(super) fn matches(pattern: &str, name: &str) -> bool {
    let Some((head, rest)) = pattern.split_once('*') else { return pattern == name };
    let Some(mut name) = name.strip_prefix(head) else { return false };
    let (middle, tail) = rest.rsplit_once('*').unwrap_or(("", rest));
    // The first place for each part leaves the most for the others.
    for part in middle.split('*').filter(|part| !part.is_empty()) {
        let Some(at) = name.find(part) else { return false };
        name = &name[at + part.len()..];
    }
    name.ends_with(tail)
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn stars() {
        for (pattern, name, fits) in [
            ("a", "a", true),
            ("a", "ab", false),
            ("*", "", true),
            ("a*", "a", true),
            ("a*", "ba", false),
            ("*a", "ba", true),
            ("*a", "ab", false),
            ("a*c", "abc", true),
            ("ab*bc", "abc", false),
            ("a*b*c", "a-b-b-c", true),
            ("a*b*c", "a-c", false),
            ("*b*", "abc", true),
            ("a**c", "ac", true),
            ("*ä*", "xäx", true),
            ("*ab*ab", "ab", false),
            ("", "a", false),
        ] {
            assert_eq!(matches(pattern, name), fits, "{pattern} on {name}");
        }
    }
}
