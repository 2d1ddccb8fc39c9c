//! What is to be sent: server-sent events, or one object.

use serde::Serialize;
use serde_json::value::RawValue;

/// The bytes that wait to be sent, and what is counted over all that were written.
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
        // Neither a `Vec` nor one of our types can fail.
        let written = serde_json::to_writer(&mut self.bytes, data);
        debug_assert!(written.is_ok(), "{written:?}");
    }
}

/// The arguments of a call that is whole, as they were written.
pub(super) fn raw(arguments: &str) -> Box<RawValue> {
    let whole = RawValue::from_string(arguments.to_string());
    whole.unwrap_or_else(|_| RawValue::NULL.to_owned())
}
