//! The tool of a call without a name: the one whose parameters include all keys of its arguments.

use crate::json::lexer::{Lexer, Token};
use crate::json::syntax::JSON;
use crate::json::unescape::Unescape;
use crate::read::tools::Tools;

/// Returns the one known tool whose parameters include all keys of this object; nothing if there is none, or
/// several.
pub(crate) fn tool(tools: &Tools, object: &str) -> Option<u16> {
    let keys = keys(object);
    let fits = |tool: &u16| {
        let params = tools.params(*tool);
        keys.iter().all(|key| params.find([key, ""]).is_some())
    };
    let mut fitting = tools.names.ids(tools.names.all()).filter(fits);
    fitting.next().filter(|_| fitting.next().is_none())
}

/// Returns the keys of a JSON object. A key that is not a string is an empty one here, so that it fits no tool.
fn keys(object: &str) -> Vec<String> {
    let (mut lexer, mut depth, mut keys) = (Lexer::default(), 0_usize, Vec::new());
    let (mut last, mut quote, mut unescape) = (String::new(), 0, Unescape::default());
    let mut rest = object;
    while !rest.is_empty() {
        let (len, token) = lexer.next_of(rest, JSON);
        rest = &rest[len..];
        match token {
            Token::StringStart(opened) => (quote, unescape) = (opened, Unescape::default()),
            Token::Text(piece) if depth == 1 => {
                unescape.read(piece, quote, &mut |text| last.push_str(text));
            }
            Token::StringEnd => unescape.end(&mut |text| last.push_str(text)),
            Token::Open(_) => depth += 1,
            Token::Close(_) => depth = depth.saturating_sub(1),
            Token::Colon if depth == 1 => keys.push(std::mem::take(&mut last)),
            Token::Comma => last.clear(),
            _ => {}
        }
    }
    keys
}

#[cfg(test)]
mod tests {
    use super::keys;

    #[test]
    fn keys_are_those_of_the_object_itself() {
        for (object, expected) in [
            (r#"{"a": {"b": 1}, "\u0063d": ["e", {"f": 2}]}"#, &["a", "cd"][..]),
            (r#"{'a': 'it"s', "b": 1}"#, &["a", "b"]),
            (r#"{/* "x": */ "a": ": \" {", }"#, &["a"]),
            (r#"{a: 1, "b": 2}"#, &["", "b"]),
            // Half a pair of surrogates, which only the string's end decides.
            (r#"{"a\ud83d": {"b\ud83d": 1}, "c": 2}"#, &["a\u{FFFD}", "c"]),
            ("{}", &[]),
        ] {
            assert_eq!(keys(object), expected, "{object}");
        }
    }
}
