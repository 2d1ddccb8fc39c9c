//! The frames of an answer: server-sent events, or one object.

use serde::Serialize;
use serde_json::value::RawValue;

/// The bytes that wait to be sent, and the counts over all written frames.
#[derive(Default)]
pub(super) struct Frames {
    pub bytes: Vec<u8>,
    /// The first event was written.
    pub begun: bool,
    /// The number of the next event: Responses number theirs.
    pub number: u64,
}

impl Frames {
    /// An event with a name. The client reads the name in the data as well.
    pub fn event(&mut self, name: &str, data: &(impl Serialize + ?Sized)) {
        self.bytes.extend_from_slice(b"event: ");
        self.bytes.extend_from_slice(name.as_bytes());
        self.bytes.push(b'\n');
        self.data(data);
    }

    /// An event without a name.
    pub fn data(&mut self, data: &(impl Serialize + ?Sized)) {
        self.bytes.extend_from_slice(b"data: ");
        self.object(data);
        self.bytes.extend_from_slice(b"\n\n");
        self.number += 1;
    }

    /// A whole answer.
    pub fn object(&mut self, data: &(impl Serialize + ?Sized)) {
        let from = self.bytes.len();
        // Neither a `Vec` nor one of our types can fail.
        let written = serde_json::to_writer(&mut self.bytes, data);
        debug_assert!(written.is_ok(), "{written:?}");
        escape_line_breaks(&mut self.bytes, from);
    }
}

/// The line breaks beyond ASCII, and their escapes in JSON: server-sent events do not end a line there, but clients
/// that split lines as Unicode has them do.
const LINE_BREAKS: [(&str, &str); 3] =
    [("\u{85}", "\\u0085"), ("\u{2028}", "\\u2028"), ("\u{2029}", "\\u2029")];

/// Escapes line breaks in JSON from this byte on. They stand only in its strings.
fn escape_line_breaks(json: &mut Vec<u8>, from: usize) {
    let found = |json: &[u8]| {
        memchr::memchr2_iter(0xc2, 0xe2, json).find_map(|at| {
            let begins = |(text, _): &&(&str, &str)| json[at..].starts_with(text.as_bytes());
            LINE_BREAKS.iter().find(begins).map(|(text, escape)| (at, text.len(), *escape))
        })
    };
    let Some(first) = found(&json[from..]).map(|(at, ..)| from + at) else { return };
    let mut rest = &json.split_off(first)[..];
    while let Some((at, len, escape)) = found(rest) {
        json.extend_from_slice(&rest[..at]);
        json.extend_from_slice(escape.as_bytes());
        rest = &rest[at + len..];
    }
    json.extend_from_slice(rest);
}

/// The arguments of a call that is whole, as they were written.
pub(super) fn raw(arguments: &str) -> Box<RawValue> {
    let whole = RawValue::from_string(arguments.to_string());
    whole.unwrap_or_else(|_| RawValue::NULL.to_owned())
}
