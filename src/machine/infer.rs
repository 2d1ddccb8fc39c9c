//! The tool of a call that no text names: the one whose parameters include all keys of its arguments.

use crate::json::unescape::Unescape;
use crate::machine::tools::Tools;

/// The one known tool whose parameters include all keys of this object; nothing if there is none, or
/// several.
pub(super) fn tool(tools: &Tools, object: &str) -> Option<u16> {
    let keys = keys(object);
    let fits = |tool: &u16| {
        let params = tools.params(*tool);
        keys.iter().all(|key| params.find([key, ""]).is_some())
    };
    let mut fitting = tools.names.ids(tools.names.all()).filter(fits);
    fitting.next().filter(|_| fitting.next().is_none())
}

/// The keys of a JSON object. One that is no string in double quotes is an empty one here, so that it
/// fits no tool.
fn keys(object: &str) -> Vec<String> {
    let (mut depth, mut keys, mut last) = (0_usize, Vec::new(), None);
    let mut rest = object;
    while let Some(at) = rest.find(['"', '{', '[', '}', ']', ':', ',']) {
        let (byte, after) = (rest.as_bytes()[at], &rest[at + 1..]);
        rest = after;
        match byte {
            b'"' => {
                let end = string_end(after);
                last = Some(decoded(&after[..end]));
                rest = after.get(end + 1..).unwrap_or_default();
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            b':' if depth == 1 => keys.push(last.take().unwrap_or_default()),
            _ => last = None,
        }
    }
    keys
}

/// Where the string's closing quote stands.
fn string_end(text: &str) -> usize {
    let mut escaped = None;
    for at in memchr::memchr2_iter(b'"', b'\\', text.as_bytes()) {
        if escaped.take() == Some(at) {
            continue;
        }
        if text.as_bytes()[at] == b'"' {
            return at;
        }
        escaped = Some(at + 1);
    }
    text.len()
}

fn decoded(text: &str) -> String {
    let (mut decoded, mut unescape) = (String::new(), Unescape::default());
    let mut add = |piece: &str| decoded.push_str(piece);
    unescape.read(text, b'"', &mut add);
    unescape.end(&mut add);
    decoded
}
