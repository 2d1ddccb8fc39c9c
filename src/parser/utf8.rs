//! Bytes to text, for streams that are cut inside a character.
//!
//! If a chunk ends inside a character, its one to three bytes are pending. If the stream ends there, they are
//! an invalid sequence. Each invalid sequence (a maximal one, as in the standard library) becomes one U+FFFD.

/// The beginning of a character whose end has not come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Partial {
    bytes: [u8; 4],
    len: u8,
}

/// A piece of the decoded bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Decoded<'c> {
    /// Text that stands in the chunk as it is.
    Text(&'c str),
    /// A character that was cut.
    Char(char),
    /// Bytes that are no UTF-8.
    Invalid,
}

impl Partial {
    /// Decodes a chunk.
    pub fn decode<'c>(&mut self, mut chunk: &'c [u8], mut out: impl FnMut(Decoded<'c>)) {
        while self.len > 0 {
            let Some((&byte, rest)) = chunk.split_first() else { return };
            match self.push(byte) {
                Ok(Some(whole)) => out(Decoded::Char(whole)),
                Ok(None) => {}
                Err(()) => {
                    out(Decoded::Invalid);
                    continue;
                }
            }
            chunk = rest;
        }
        loop {
            let error = match std::str::from_utf8(chunk) {
                Ok("") => return,
                Ok(text) => return out(Decoded::Text(text)),
                Err(error) => error,
            };
            let (valid, rest) = chunk.split_at(error.valid_up_to());
            if let (Ok(text), false) = (std::str::from_utf8(valid), valid.is_empty()) {
                out(Decoded::Text(text));
            }
            match error.error_len() {
                Some(invalid) => {
                    out(Decoded::Invalid);
                    chunk = &rest[invalid..];
                }
                None => {
                    self.bytes[..rest.len()].copy_from_slice(rest);
                    self.len = rest.len() as u8;
                    return;
                }
            }
        }
    }

    pub fn len(&self) -> usize {
        self.len as usize
    }

    /// Ends the stream, or this way of feeding it. Returns whether half a character is lost.
    pub fn take(&mut self) -> bool {
        std::mem::take(&mut self.len) > 0
    }

    /// Adds a byte to the cut character. `Err`: the character cannot continue with this byte, and the byte is left.
    fn push(&mut self, byte: u8) -> Result<Option<char>, ()> {
        let len = self.len as usize;
        self.bytes[len] = byte;
        match std::str::from_utf8(&self.bytes[..=len]) {
            Ok(text) => {
                self.len = 0;
                Ok(text.chars().next())
            }
            Err(error) if error.error_len().is_none() => {
                self.len += 1;
                Ok(None)
            }
            Err(_) => {
                self.len = 0;
                Err(())
            }
        }
    }
}
