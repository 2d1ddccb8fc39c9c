//! White space as the specification has it: these four characters, never Unicode's.

pub(crate) const WHITE_SPACE: [char; 4] = [' ', '\t', '\r', '\n'];

/// `text` without white space around it.
#[cfg(feature = "json")]
pub(crate) fn trim(text: &str) -> &str {
    text.trim_matches(WHITE_SPACE)
}

pub(crate) fn is_white(c: char) -> bool {
    WHITE_SPACE.contains(&c)
}
