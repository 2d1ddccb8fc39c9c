//! A value's text on its way into a JSON string, piece by piece.
//!
//! ```text
//! delta → entities decoded → ends trimmed → escaped → fragment
//! ```
//! The first two stages depend on options and dialects. They are those of `Message`, for pieces. At the end
//! of a chunk half an entity, and white space that may be the last, are kept back. At the end of the value
//! half an entity is text, and the white space is dropped.

use std::borrow::Cow;

use crate::json::coerce;
use crate::json::white::WHITE_SPACE;

/// The undecided part of an open value.
#[derive(Clone, Debug, Default)]
pub(crate) struct Text {
    /// XML entities are decoded.
    pub decode: bool,
    /// White space at the ends is left out.
    pub trim: bool,
    /// A character that is not white space was emitted.
    started: bool,
    /// The run of white space is longer than the bound, and leaves as it comes.
    spilt: bool,
    entity: String,
    white: String,
}

/// The longest entities, less their last byte: `&quot` and `&apos`.
const HALF_ENTITY: usize = 5;

const ENTITIES: [&str; 6] = ["&lt;", "&gt;", "&quot;", "&apos;", "&#39;", "&amp;"];

impl Text {
    pub fn new(decode: bool, trim: bool) -> Text {
        Text { decode, trim, ..Text::default() }
    }

    pub fn held(&self) -> usize {
        self.entity.len() + self.white.len()
    }

    /// Takes a piece and sends the decided part. It keeps back at most `most` bytes of white space.
    #[inline]
    pub fn push(&mut self, piece: &str, most: usize, send: &mut impl FnMut(&str)) {
        if !self.decode && !self.trim {
            return send(piece);
        }
        self.read(piece, most, send);
    }

    fn read(&mut self, piece: &str, most: usize, send: &mut impl FnMut(&str)) {
        if !self.decode {
            return self.trimmed(piece, most, send);
        }
        let piece = if self.entity.is_empty() {
            Cow::Borrowed(piece)
        } else {
            Cow::Owned(std::mem::take(&mut self.entity) + piece)
        };
        let (whole, half) = piece.split_at(half_entity(&piece));
        self.entity.push_str(half);
        if whole.contains('&') {
            self.trimmed(&coerce::decode_entities(whole), most, send)
        } else {
            self.trimmed(whole, most, send)
        }
    }

    /// The value is over. Returns whether white space went out that should have been trimmed.
    pub fn close(&mut self, most: usize, send: &mut impl FnMut(&str)) -> bool {
        let half = std::mem::take(&mut self.entity);
        self.trimmed(&half, most, send);
        self.spilt
    }

    fn trimmed(&mut self, piece: &str, most: usize, send: &mut impl FnMut(&str)) {
        let piece =
            if self.trim && !self.started { piece.trim_start_matches(WHITE_SPACE) } else { piece };
        let text = if self.trim { piece.trim_end_matches(WHITE_SPACE) } else { piece };
        if !text.is_empty() {
            self.flush(send);
            send(text);
            self.started = true;
            self.spilt = false;
        }
        let white = &piece[text.len()..];
        self.white.push_str(white);
        if self.spilt || self.white.len() > most {
            self.spilt |= !self.white.is_empty();
            self.flush(send);
        }
    }

    fn flush(&mut self, send: &mut impl FnMut(&str)) {
        if !self.white.is_empty() {
            send(&self.white);
            self.white.clear();
        }
    }
}

/// Returns the place of an entity that the text's end cuts; else the text's length.
fn half_entity(text: &str) -> usize {
    let at = text.rfind('&').filter(|at| text.len() - at <= HALF_ENTITY);
    let half = at.filter(|at| {
        ENTITIES
            .iter()
            .any(|entity| entity.len() > text.len() - at && entity.starts_with(&text[*at..]))
    });
    half.unwrap_or(text.len())
}

/// Returns `text` as it stands between the quotes of a JSON string: itself if nothing needs an escape, else
/// written to `into`.
pub(super) fn escaped<'t>(text: &'t str, into: &'t mut String) -> &'t str {
    let at = plain(text.as_bytes());
    if at == text.len() {
        return text;
    }
    into.clear();
    into.push_str(&text[..at]);
    escape(&text[at..], into);
    into
}

/// Appends `text` with the escapes that JSON demands, and no others.
pub(super) fn escape(text: &str, into: &mut String) {
    let mut rest = text;
    loop {
        let at = plain(rest.as_bytes());
        into.push_str(&rest[..at]);
        let Some(&byte) = rest.as_bytes().get(at) else { return };
        match byte {
            b'\n' => into.push_str("\\n"),
            b'\r' => into.push_str("\\r"),
            b'\t' => into.push_str("\\t"),
            byte @ (b'"' | b'\\') => into.extend(['\\', byte.into()]),
            control => into.push_str(&format!("\\u{control:04x}")),
        }
        rest = &rest[at + 1..];
    }
}

/// Returns the number of bytes before the first that needs an escape.
fn plain(bytes: &[u8]) -> usize {
    const BLOCK: usize = 16;
    // By the block, and without a way out of it, so that its bytes can be looked at all at once.
    let is_plain = |block: &&[u8]| {
        block.iter().fold(0, |some, &byte| some | u8::from(needs_escape(byte))) == 0
    };
    let blocks = BLOCK * bytes.chunks_exact(BLOCK).take_while(is_plain).count();
    let rest = &bytes[blocks..];
    blocks + rest.iter().position(|&byte| needs_escape(byte)).unwrap_or(rest.len())
}

fn needs_escape(byte: u8) -> bool {
    (byte < b' ') | (byte == b'"') | (byte == b'\\')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::white::trim;

    /// Returns the text of the pieces, and whether white space spilt.
    fn read(text: Text, pieces: &[&str], most: usize) -> (String, bool) {
        let (mut text, mut out) = (text, String::new());
        for piece in pieces {
            text.push(piece, most, &mut |piece| out.push_str(piece));
            assert!(text.held() <= most + HALF_ENTITY);
        }
        let spilt = text.close(most, &mut |piece| out.push_str(piece));
        (out, spilt)
    }

    fn every_cut(value: &str, decode: bool, trim: bool, most: usize, expected: (&str, bool)) {
        let chars: Vec<String> = value.chars().map(String::from).collect();
        let bytewise: Vec<&str> = chars.iter().map(|piece| &**piece).collect();
        let cuts = value.char_indices().map(|(at, _)| vec![&value[..at], &value[at..]]);
        for pieces in cuts.chain([bytewise]) {
            let (out, spilt) = read(Text::new(decode, trim), &pieces, most);
            assert_eq!((&*out, spilt), expected, "{pieces:?}");
        }
    }

    #[test]
    fn stages_do_not_depend_on_the_cut() {
        let value = " \n \u{a0}a &lt;b&amp;lt; &amp &quo é\u{2003}&gt ;\u{3000} \t ";
        let decoded = coerce::decode_entities(value);
        every_cut(value, false, false, 9, (value, false));
        every_cut(value, true, false, 9, (&decoded, false));
        every_cut(value, false, true, 9, (trim(value), false));
        every_cut(value, true, true, 9, (trim(&decoded), false));
        assert!(trim(&decoded).starts_with('\u{a0}') && trim(&decoded).ends_with('\u{3000}'));
        every_cut(" \n ", true, true, 9, ("", false));
        every_cut("a&lt", true, true, 9, ("a&lt", false));
    }

    #[test]
    fn half_entities() {
        for (text, half) in [
            ("a &", "&"),
            ("a &am", "&am"),
            ("a &amp", "&amp"),
            ("a &amp;", ""),
            ("a &ax", ""),
            ("&am b", ""),
            ("&am&lt", "&lt"),
            ("", ""),
        ] {
            assert_eq!(&text[half_entity(text)..], half, "{text:?}");
        }
    }

    #[test]
    fn too_much_white_space_goes_out() {
        every_cut("a     b", false, true, 2, ("a     b", false));
        every_cut("a     b  ", false, true, 2, ("a     b", false));
        every_cut("a     ", false, true, 2, ("a     ", true));
        every_cut("      a", false, true, 2, ("a", false));
    }

    #[test]
    fn escapes_are_those_of_json() {
        let all: String = (0..0x80u8).map(char::from).chain("é🦀\u{2028}".chars()).collect();
        let mut scratch = String::new();
        let json = format!("\"{}\"", escaped(&all, &mut scratch));
        assert_eq!(serde_json::from_str::<String>(&json).unwrap(), all);
        assert_eq!(escaped("plain é", &mut scratch), "plain é");
    }
}
