//! Arguments that a dialect speaks as JSON, or as nearly JSON, on their way out as JSON.
//!
//! What the [document](crate::json::document) says leaves token by token, strings while they come. Only
//! numbers and words wait for their ends, and the last brace for the end of the call: whatever turns
//! out to be wrong, the text that has left is no whole object. Chunk ends here: what left stands.

use super::json_to_params::add;
use super::text::escape;
use crate::json::document::{Document, Part};
use crate::repair::{ArgumentsErrorKind, Repairs};

/// Writes the arguments of one call.
#[derive(Clone, Debug)]
pub(super) struct Valid {
    document: Document,
    writer: Writer,
}

/// What arguments say that are over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Said {
    /// An object, of which all but the last brace has left.
    Object,
    /// `null`, and nothing has left.
    Nothing,
}

#[derive(Clone, Debug, Default)]
struct Writer {
    depth: usize,
    /// A value came last: what follows is another one.
    after_value: bool,
    /// The members that must come and did not yet.
    missing: Vec<String>,
    /// The name of the member that begins, as far as it may be one of these.
    key: String,
}

impl Valid {
    /// For arguments that may need these repairs, whose words may have so many bytes, and that must have
    /// these members.
    pub fn new(repairs: Repairs, hold: usize, missing: Vec<String>) -> Valid {
        let writer = Writer { missing, ..Writer::default() };
        Valid { document: Document::arguments(repairs).hold(hold), writer }
    }

    /// Reads a piece, and appends what leaves to `out`.
    pub fn read(&mut self, piece: &str, out: &mut String) -> Result<(), ArgumentsErrorKind> {
        let Valid { document, writer } = self;
        document.read(piece, &mut |part| writer.part(part, out))
    }

    /// The arguments are over.
    pub fn end(&mut self, out: &mut String) -> Result<Said, ArgumentsErrorKind> {
        let Valid { document, writer } = self;
        match document.end(&mut |part| writer.part(part, out)) {
            Ok(()) => Ok(Said::Object),
            Err(ArgumentsErrorKind::NotAnObject) if document.is_null() => Ok(Said::Nothing),
            Err(kind) => Err(kind),
        }
    }

    pub fn is_missing_members(&self) -> bool {
        !self.writer.missing.is_empty()
    }

    pub fn held(&self) -> usize {
        self.document.held()
    }
}

impl Writer {
    fn part(&mut self, part: Part<'_>, out: &mut String) {
        match part {
            Part::Open(byte) => {
                self.begin(out);
                self.depth += 1;
                out.push(byte.into());
            }
            Part::Close(byte) => {
                self.depth -= 1;
                self.after_value = true;
                if self.depth > 0 {
                    out.push(byte.into());
                }
            }
            Part::StringStart => {
                self.begin(out);
                self.key.clear();
                out.push('"');
            }
            Part::Text(text) => {
                self.name(text);
                escape(text, out);
            }
            Part::StringEnd { key } => {
                self.after_value = !key;
                if key && self.depth == 1 {
                    self.missing.retain(|name| *name != self.key);
                }
                out.push_str(if key { "\":" } else { "\"" });
            }
            Part::Word(word) => {
                self.begin(out);
                self.after_value = true;
                out.push_str(as_json(word));
            }
        }
    }

    /// A value or a key begins.
    fn begin(&mut self, out: &mut String) {
        if std::mem::take(&mut self.after_value) {
            out.push(',');
        }
    }

    /// A piece of a string in which a name may be.
    fn name(&mut self, text: &str) {
        if self.depth == 1 && !self.missing.is_empty() {
            add(&mut self.key, text);
        }
    }
}

/// A word of JSON or Python.
fn as_json(word: &str) -> &str {
    match word {
        "True" => "true",
        "False" => "false",
        "None" => "null",
        word => word,
    }
}
