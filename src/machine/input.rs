//! Where the input of a call is JSON, and what frames it.
//!
//! ```text
//! json-input := up to 8 of * `, "{" …  |  "```" info? line-end white-space "{" …      the rest is plain text
//! ```
//! A pure function of the held text, from its first byte that is not white space.

use super::keyword::{FenceLine, fence_line};
use super::step::white_space;
use crate::dialect::lines::LineSpec;
use crate::options::bounds;

/// Most signs round a JSON input.
const SIGNS: usize = 8;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Input {
    More,
    /// `{` stands behind `framing` bytes.
    Json {
        framing: usize,
        fenced: bool,
    },
    Plain,
}

/// What the input at the beginning of `text` is. `end`: nothing follows the text.
pub(crate) fn input(spec: &LineSpec, text: &str, end: bool) -> Input {
    let signs = text.bytes().take(SIGNS).take_while(|byte| matches!(byte, b'*' | b'`')).count();
    match text.as_bytes().get(signs) {
        Some(b'{') => return Input::Json { framing: signs, fenced: false },
        None if !end => return Input::More,
        _ => {}
    }
    match fence_line(text, end) {
        FenceLine::No => Input::Plain,
        FenceLine::More if signs == 3 && may_be_json(spec, &text[signs..]) => Input::More,
        FenceLine::More => Input::Plain,
        FenceLine::Fence { len, .. } => behind_fence(spec, text, signs, len, end),
    }
}

fn behind_fence(spec: &LineSpec, text: &str, signs: usize, len: usize, end: bool) -> Input {
    let info = text[signs..len].trim_matches([' ', '\t', '\r', '\n']);
    let white = white_space(&text[len..]);
    let framing = len + white;
    let json = spec.json_fences.iter().any(|json| json.eq_ignore_ascii_case(info));
    if signs != 3 || !json || white > bounds::WHITE_SPACE {
        return Input::Plain;
    }
    match text.as_bytes().get(framing) {
        Some(b'{') => Input::Json { framing, fenced: true },
        None if !end => Input::More,
        _ => Input::Plain,
    }
}

/// Whether the info word can still become one of JSON.
fn may_be_json(spec: &LineSpec, info: &str) -> bool {
    let info = info.trim_matches([' ', '\t', '\r']);
    let begins =
        |json: &str| json.get(..info.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(info));
    spec.json_fences.iter().any(|json| begins(json))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::react::LINES;

    #[test]
    fn what_is_json() {
        let json = |framing, fenced| Input::Json { framing, fenced };
        let cases = [
            ("{", json(0, false)),
            ("**{\"a\"", json(2, false)),
            ("````````{", json(8, false)),
            ("`````````{", Input::Plain),
            ("```json\n {", json(9, true)),
            ("```JSON5\r\n{", json(10, true)),
            ("```\n{", json(4, true)),
            ("```js", Input::More),
            ("```python", Input::Plain),
            ("```json\n", Input::More),
            ("```json\n[", Input::Plain),
            ("``", Input::More),
            ("[1]", Input::Plain),
            ("**bold**", Input::Plain),
        ];
        for (text, expected) in cases {
            assert_eq!(input(&LINES, text, false), expected, "{text}");
        }
        assert_eq!(input(&LINES, "```json", true), Input::Plain);
    }
}
