//! Python's texts as UTF-8. A `str` may hold halves of surrogate pairs (`json.loads` makes them from `"\ud83d"`),
//! which UTF-8 cannot. Two halves in a row are a character, also over a chunk's end. A half alone is read like a byte
//! that is no UTF-8: as U+FFFD, with a diagnostic.

use std::borrow::Cow;

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyMemoryView, PyString};

/// A byte that is never part of UTF-8: it stands for half a pair.
const NO_UTF8: u8 = 0xFF;

/// A chunk of a stream.
pub enum Chunk<'a> {
    Text(&'a str),
    Bytes(Cow<'a, [u8]>),
}

impl Chunk<'_> {
    pub fn len(&self) -> usize {
        match self {
            Chunk::Text(text) => text.len(),
            Chunk::Bytes(bytes) => bytes.len(),
        }
    }
}

/// The first half of a pair that ended a chunk.
#[derive(Clone, Default)]
pub struct Half(Option<u32>);

impl Half {
    /// Makes a chunk for the parser, beginning with the pending half. A half at its end becomes pending.
    pub fn chunk<'a>(&mut self, object: &'a Bound<'_, PyAny>) -> PyResult<Chunk<'a>> {
        if let Ok(text) = object.cast::<PyString>() {
            return self.text(text);
        }
        let bytes: Cow<'a, [u8]> = match object.cast::<PyBytes>() {
            Ok(bytes) => bytes.as_bytes().into(),
            Err(_) => buffer(object)?.into(),
        };
        Ok(Chunk::Bytes(match self.end() {
            None => bytes,
            Some(half) => [&[half], &*bytes].concat().into(),
        }))
    }

    /// Returns the byte for the pending half, if no other half can follow.
    pub fn end(&mut self) -> Option<u8> {
        self.0.take().map(|_| NO_UTF8)
    }

    fn text<'a>(&mut self, text: &'a Bound<'_, PyString>) -> PyResult<Chunk<'a>> {
        if let (None, Ok(text)) = (self.0, text.to_str()) {
            return Ok(Chunk::Text(text));
        }
        let mut bytes = Vec::new();
        for point in code_points(text)? {
            self.push(point, &mut bytes);
        }
        Ok(Chunk::Bytes(bytes.into()))
    }

    fn push(&mut self, point: u32, bytes: &mut Vec<u8>) {
        if let Some(character) = self.0.and_then(|high| pair(high, point)) {
            self.0 = None;
            bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
            return;
        }
        bytes.extend(self.end());
        match char::from_u32(point) {
            Some(character) => {
                bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
            }
            None if is_high(point) => self.0 = Some(point),
            None => bytes.push(NO_UTF8),
        }
    }
}

/// The bytes of a `bytearray`, a `memoryview`, or whatever else has a buffer.
fn buffer(object: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    let Ok(view) = PyMemoryView::from(object) else {
        let what = crate::json::kind(object)?;
        let said = format!("a chunk is a str, bytes or an object with a buffer, not {what}");
        return Err(PyTypeError::new_err(said));
    };
    // The stable interface of Python 3.10 has no other way to them.
    Ok(view.call_method0("tobytes")?.cast::<PyBytes>()?.as_bytes().to_vec())
}

fn is_high(point: u32) -> bool {
    (0xD800..0xDC00).contains(&point)
}

fn pair(high: u32, low: u32) -> Option<char> {
    let is_low = (0xDC00..0xE000).contains(&low);
    is_low.then(|| char::from_u32(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00))).flatten()
}

/// The code points of a text, halves of pairs too.
fn code_points(text: &Bound<'_, PyString>) -> PyResult<Vec<u32>> {
    let bytes = text.call_method1("encode", ("utf-32-le", "surrogatepass"))?;
    let bytes = bytes.cast::<PyBytes>()?.as_bytes();
    Ok(bytes
        .chunks_exact(4)
        .map(|point| u32::from_le_bytes([point[0], point[1], point[2], point[3]]))
        .collect())
}

/// A whole text that is no part of a stream.
pub fn whole<'a>(text: &'a Bound<'_, PyString>) -> PyResult<Cow<'a, str>> {
    if let Ok(text) = text.to_str() {
        return Ok(text.into());
    }
    let (mut half, mut bytes) = (Half::default(), Vec::new());
    for point in code_points(text)? {
        half.push(point, &mut bytes);
    }
    bytes.extend(half.end());
    Ok(String::from_utf8_lossy(&bytes).into_owned().into())
}

/// The index in `text` of the character that begins at this byte: offsets of the parser (`at`, `start`, `end`,
/// `position`) count the bytes of UTF-8, Python the code points. `text` is all that was fed, joined.
///
/// ValueError for an offset inside of a character or behind the end.
#[pyfunction]
pub fn char_offset(text: &Bound<'_, PyString>, at: usize) -> PyResult<usize> {
    let error = || PyValueError::new_err(format!("no character of the text begins at byte {at}"));
    if let Ok(text) = text.to_str() {
        return text.get(..at).map(|before| before.chars().count()).ok_or_else(error);
    }
    let points = code_points(text)?;
    let (mut index, mut byte) = (0, 0);
    while byte < at && index < points.len() {
        let next = points.get(index + 1).copied().unwrap_or_default();
        let is_pair = is_high(points[index]) && pair(points[index], next).is_some();
        let one = char::from_u32(points[index]).unwrap_or(char::REPLACEMENT_CHARACTER);
        byte += if is_pair { 4 } else { one.len_utf8() };
        index += if is_pair { 2 } else { 1 };
    }
    if byte == at { Ok(index) } else { Err(error()) }
}
