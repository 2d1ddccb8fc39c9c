//! What is gone over without being read: arrays, objects and comments.
//!
//! ```text
//! nested  := "{" or "[", up to where its depth is 0 again, whichever closer comes
//! comment := "//" to the line end | "/*" to "*/"
//! ```
//! A bracket in a string or in a comment does not count. Chunk ends here: the state is a few bytes.
//! Stream ends here: the value did not close.

use memchr::{memchr, memchr2};

use super::quoted::Quoted;

/// An array or an object, of which only the end is looked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Nested {
    depth: usize,
    string: Option<Quoted>,
    comment: Option<Comment>,
}

impl Nested {
    /// Reads on. Returns where the value ends, if it does.
    pub fn read(&mut self, text: &str) -> Option<usize> {
        let mut at = 0;
        while at < text.len() {
            at += self.step(&text[at..]);
            if self.depth == 0 {
                return Some(at);
            }
        }
        None
    }

    fn step(&mut self, rest: &str) -> usize {
        if let Some(quoted) = &mut self.string {
            let over = quoted.read(rest, &mut |_| {});
            self.string = self.string.filter(|_| over.is_none());
            return over.unwrap_or(rest.len());
        }
        if let Some(comment) = &mut self.comment {
            let said = comment.read(rest);
            self.comment = self.comment.filter(|_| said.is_none());
            return match said {
                Some(Said::Over(read)) => read,
                Some(Said::NoComment) => 0,
                None => rest.len(),
            };
        }
        let Some(at) = rest.bytes().position(is_structural) else { return rest.len() };
        match rest.as_bytes()[at] {
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => self.depth -= 1,
            b'/' => self.comment = Some(Comment::Slash),
            sign => self.string = Some(Quoted::open(sign)),
        }
        at + 1
    }
}

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

fn is_structural(byte: u8) -> bool {
    matches!(byte, b'{' | b'[' | b'}' | b']' | b'/') || Quoted::opens(byte)
}
