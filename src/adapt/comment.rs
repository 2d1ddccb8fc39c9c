//! A comment, gone over without being read.
//!
//! ```text
//! comment := "//" to the line end | "/*" to "*/"
//! ```
//! Chunk ends here: the state is a byte. Stream ends here: the comment did not close.

use memchr::{memchr, memchr2};

/// Where in a comment the reader is, behind its first `/`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Comment {
    /// Behind that one.
    Slash,
    Line,
    Block,
    /// Behind a `*`.
    Star,
}

pub(super) enum Said {
    /// It is over, behind so many bytes.
    Over(usize),
    NoComment,
}

impl Comment {
    /// Reads on. `None`: the comment is still open.
    pub fn read(&mut self, text: &str) -> Option<Said> {
        let bytes = text.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            match (*self, bytes[at]) {
                (Comment::Slash, b'/') => *self = Comment::Line,
                (Comment::Slash, b'*') => *self = Comment::Block,
                (Comment::Slash, _) => return Some(Said::NoComment),
                (Comment::Line, _) => {
                    let end = memchr2(b'\n', b'\r', &bytes[at..])?;
                    return Some(Said::Over(at + end));
                }
                (Comment::Star, b'/') => return Some(Said::Over(at + 1)),
                (Comment::Block | Comment::Star, _) => {
                    *self = Comment::Block;
                    at += memchr(b'*', &bytes[at..])?;
                    *self = Comment::Star;
                }
            }
            at += 1;
        }
        None
    }
}
