//! Server-sent events, as the providers stream their answers: bytes in, the data of each event out.
//!
//! ```text
//! line := "data:" " "? text    a line of the present event's data
//!       | ""                   the present event is over
//!       | {…} or […]           an event of its own: one JSON value a line, as some servers stream, or
//!                              over several lines, as responses are that are not streamed
//!       | anything else        says nothing (`event:`, `id:`, `retry:`, comments)
//! ```
//! Lines end with LF, CRLF or CR, and a byte order mark may stand in front. The last event counts even if its
//! end is missing ([`Decoder::finish`]; the reader of the data sees whether it is whole), unless the response
//! was cut there ([`Decoder::finish_cut`]).
//!
//! ```
//! use toolstream::sse::Decoder;
//!
//! let (mut decoder, mut events) = (Decoder::default(), Vec::new());
//! // The second chunk ends inside a character.
//! for chunk in [&b"event: delta\nda"[..], b"ta: {\"text\": \"\xc3", b"\xa9\"}\n\nda", b"ta: [DONE]"] {
//!     decoder.feed(chunk, |data| events.push(data.to_vec()));
//! }
//! decoder.finish(|data| events.push(data.to_vec()));
//! assert_eq!(events, ["{\"text\": \"é\"}".as_bytes(), b"[DONE]"]);
//! ```
//!
//! The data goes to `native::Reader::feed` as it is, also for a text dialect. The module is written by hand: crates
//! that decode server-sent events wrap asynchronous streams.

use memchr::memchr2;

/// The most bytes of a line, and of an event's data, that are kept: 64 MiB. A longer one is truncated there, and is
/// then no JSON.
const LONGEST: usize = 64 << 20;

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// Decoder of one response. Cuts may lie anywhere; an event leaves with the chunk that ends it.
///
/// A decoder holds the event that is being read, at most 128 MiB, and never fails on the bytes of a server.
///
/// ```
/// use toolstream::sse::Decoder;
///
/// let mut decoder = Decoder::default();
/// let mut seen = Vec::new();
/// for chunk in [&b"data: {\"a\""[..], b": 1}\n\nda"] {
///     decoder.feed(chunk, |data| seen.push(data.to_vec()));
/// }
/// assert_eq!(seen, [b"{\"a\": 1}"]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Decoder {
    line: Vec<u8>,
    data: Option<Vec<u8>>,
    /// A JSON value that continues in the next line.
    json: Option<(Vec<u8>, Depth)>,
    /// A CR ended the last line: an LF behind it belongs to it.
    after_cr: bool,
    /// A line has ended.
    started: bool,
    strange: usize,
}

impl Decoder {
    /// Reads a chunk, cut anywhere, and passes on the data of each event that ends in it.
    pub fn feed(&mut self, mut chunk: &[u8], mut event: impl FnMut(&[u8])) {
        while let Some((first, rest)) = chunk.split_first() {
            if std::mem::take(&mut self.after_cr) && *first == b'\n' {
                chunk = rest;
                continue;
            }
            let Some(end) = memchr2(b'\n', b'\r', chunk) else {
                return keep(&mut self.line, chunk);
            };
            keep(&mut self.line, &chunk[..end]);
            self.after_cr = chunk[end] == b'\r';
            chunk = &chunk[end + 1..];
            self.end_line(&mut event);
        }
    }

    /// Ends the response; its last event may lack its end.
    pub fn finish(&mut self, mut event: impl FnMut(&[u8])) {
        self.end_line(&mut event);
        self.end_event(&mut event);
    }

    /// Ends a response that was cut: an event without its end is dropped.
    pub fn finish_cut(&mut self) {
        self.line.clear();
        self.data = None;
        self.json = None;
    }

    /// Returns the number of lines that are neither JSON nor server-sent events: lines of an error page, for example.
    pub fn strange(&self) -> usize {
        self.strange
    }

    fn end_line(&mut self, event: &mut impl FnMut(&[u8])) {
        let mut buffer = std::mem::take(&mut self.line);
        let mut line = &*buffer;
        if !std::mem::replace(&mut self.started, true) {
            line = line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line);
        }
        if self.json.is_some() && !line.is_empty() && !is_field(line) {
            self.resume(line, event);
        } else if line.is_empty() {
            self.end_event(event);
        } else if matches!(line.trim_ascii_start().first(), Some(b'{' | b'[')) {
            self.end_event(event);
            self.json = Some((Vec::new(), Depth::default()));
            self.resume(line, event);
        } else if let Some(text) = field(line, b"data") {
            match &mut self.data {
                Some(data) => {
                    keep(data, b"\n");
                    keep(data, text);
                }
                None => self.data = Some(text.to_vec()),
            }
        } else {
            let blank = line.trim_ascii().is_empty();
            self.strange += usize::from(!is_field(line) && !blank);
        }
        buffer.clear();
        self.line = buffer;
    }

    /// Reads a line of a JSON value. If the line ends in a string, the value is broken: no more of it can
    /// come.
    fn resume(&mut self, line: &[u8], event: &mut impl FnMut(&[u8])) {
        let Some((text, depth)) = &mut self.json else { return };
        if !text.is_empty() {
            keep(text, b"\n");
        }
        keep(text, line);
        if !depth.goes_on(line) {
            self.end_event(event);
        }
    }

    fn end_event(&mut self, event: &mut impl FnMut(&[u8])) {
        if let Some((text, _)) = self.json.take() {
            event(&text);
        }
        if let Some(data) = self.data.take() {
            event(&data);
        }
    }
}

/// The depth of a JSON value in brackets.
#[derive(Clone, Debug, Default)]
struct Depth(usize);

impl Depth {
    /// Reads a line, and returns whether the value may continue behind it.
    fn goes_on(&mut self, line: &[u8]) -> bool {
        let (mut in_string, mut escaped) = (false, false);
        for byte in line {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = in_string,
                b'"' => in_string = !in_string,
                b'{' | b'[' if !in_string => self.0 += 1,
                b'}' | b']' if !in_string => self.0 = self.0.saturating_sub(1),
                _ => {}
            }
        }
        self.0 > 0 && !in_string
    }
}

/// Whether the line is one of a server-sent event.
fn is_field(line: &[u8]) -> bool {
    ["data", "event", "id", "retry", ""].iter().any(|name| field(line, name.as_bytes()).is_some())
}

fn keep(buffer: &mut Vec<u8>, text: &[u8]) {
    let room = LONGEST - buffer.len();
    buffer.extend_from_slice(&text[..text.len().min(room)]);
}

/// Returns the value of the line's field, if it has this name. One blank in front belongs to the frame.
fn field<'l>(line: &'l [u8], name: &[u8]) -> Option<&'l [u8]> {
    match line.strip_prefix(name)? {
        [] if !name.is_empty() => Some(&[]),
        [b':', b' ', value @ ..] | [b':', value @ ..] => Some(value),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The events of a capture, the same for every cut into two and for single bytes.
    fn events(text: &str) -> Vec<String> {
        let read = |chunks: &[&[u8]]| {
            let (mut decoder, mut events) = (Decoder::default(), Vec::new());
            let mut take = |data: &[u8]| events.push(String::from_utf8(data.to_vec()).unwrap());
            chunks.iter().for_each(|chunk| decoder.feed(chunk, &mut take));
            decoder.finish(&mut take);
            events
        };
        let bytes = text.as_bytes();
        let whole = read(&[bytes]);
        assert_eq!(read(&bytes.chunks(1).collect::<Vec<_>>()), whole);
        for at in 0..bytes.len() {
            assert_eq!(read(&[&bytes[..at], &bytes[at..]]), whole, "cut at {at}");
        }
        whole
    }

    #[test]
    fn one_json_value_a_line() {
        assert_eq!(
            events("{\"a\": 1}\n\r\n {\"b\": 2}\r\n[DONE]"),
            ["{\"a\": 1}", " {\"b\": 2}", "[DONE]"]
        );
    }

    #[test]
    fn one_json_value_over_several_lines() {
        let text = "{\n  \"a\": [\n    \"}\\\"\",\n 1]\r\n}\n[{\"b\": 1}\n,\n{\"c\": 2}]\ndata: d";
        assert_eq!(
            events(text),
            ["{\n  \"a\": [\n    \"}\\\"\",\n 1]\n}", "[{\"b\": 1}\n,\n{\"c\": 2}]", "d"]
        );
    }

    /// A broken value swallows nothing of the text behind it.
    #[test]
    fn a_json_value_that_is_broken_ends() {
        assert_eq!(events("{\"a\n{\"b\": 1}"), ["{\"a", "{\"b\": 1}"]);
        assert_eq!(events("{\"a\": [\ndata: b\n\n{}"), ["{\"a\": [", "b", "{}"]);
        assert_eq!(events("{\"a\": [\n\n{}"), ["{\"a\": [", "{}"]);
        assert_eq!(events("[{}"), ["[{}"]);
    }

    #[test]
    fn server_sent_events() {
        let text = "\u{feff}event: x\r\ndata: {\"a\":\r\ndata:  1}\r\nid: 7\r\n\r\n: ping\r\n\r\n\
                    data:{\"b\":2}\rdata\r\rdata: [DONE]\n";
        assert_eq!(events(text), ["{\"a\":\n 1}", "{\"b\":2}\n", "[DONE]"]);
    }

    #[test]
    fn nothing() {
        assert_eq!(events("\u{feff}"), [""; 0]);
        assert_eq!(events("\r\n\n\r"), [""; 0]);
    }

    /// A byte order mark counts only in front of everything.
    #[test]
    fn a_byte_order_mark_counts_once() {
        let mut decoder = Decoder::default();
        let mut events = Vec::new();
        let text = "\u{feff}data: a\n\n\u{feff}data: b\n\ndata: \u{feff}c\n\n";
        decoder.feed(text.as_bytes(), |data| events.push(data.to_vec()));
        assert_eq!(events, ["a".as_bytes(), "\u{feff}c".as_bytes()]);
        assert_eq!(decoder.strange(), 1);
    }

    #[test]
    fn half_an_event_that_was_cut_is_dropped() {
        for text in
            ["data: a\n\ndata: b", "data: a\n\ndata: b\n", "data: a\n\n{\"b\"", "data: a\n\n{\n"]
        {
            let (mut decoder, mut events) = (Decoder::default(), Vec::new());
            decoder.feed(text.as_bytes(), |data| events.push(data.to_vec()));
            decoder.finish_cut();
            decoder.finish(|data| events.push(data.to_vec()));
            assert_eq!(events, [b"a"], "{text}");
        }
    }

    #[test]
    fn strange_lines_are_counted() {
        let mut decoder = Decoder::default();
        decoder.feed(b"HTTP/1.1 200 OK\nevent: x\n:\n \nretry\n", |_| {});
        assert_eq!(decoder.strange(), 1);
    }

    #[test]
    fn what_is_too_long_is_cut() {
        let (mut decoder, mut sizes) = (Decoder::default(), Vec::new());
        let mebibyte = vec![b'x'; 1 << 20];
        for line in ["data:", "\ndata:"] {
            decoder.feed(line.as_bytes(), |_| {});
            (0..40).for_each(|_| decoder.feed(&mebibyte, |_| {}));
        }
        decoder.feed(b"\n\ndata: next\n\n", |data| sizes.push(data.len()));
        assert_eq!(sizes, [LONGEST, 4]);
    }
}
