//! Arguments that come as JSON, or as nearly JSON, on their way out as JSON.
//!
//! The parts of the [document](crate::json::document) leave token by token, strings while they come. Only
//! numbers and words wait for their ends, and the last brace for the end of the call: whatever the mistake,
//! the text that has left is no whole object. At the end of a chunk sent text stands.

use serde_json::{Value, json};
use smallvec::SmallVec;

use super::json_to_params::add;
use super::text::escape;
use crate::event::DiagnosticKind;
use crate::json::document::{Document, Part};
use crate::json::fit;
use crate::options::Types;
use crate::repair::{ArgumentsErrorKind, Repairs};
use crate::tool::types::ValueTypes;

/// Writes the arguments of one call.
#[derive(Clone, Debug)]
pub(super) struct Valid {
    document: Document,
    writer: Writer,
    /// The bytes of a text that has to be read whole.
    hold: usize,
}

/// The verdict on arguments that are over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Said {
    /// An object. Everything but its last brace has left.
    Object,
    /// `null`, and nothing has left.
    Nothing,
}

#[derive(Clone, Debug, Default)]
struct Writer {
    depth: usize,
    /// The open brackets of the text that has left.
    open: SmallVec<[u8; 16]>,
    /// A string of the text that has left is open.
    in_string: bool,
    /// A value came last: the next one is another.
    after_value: bool,
    /// The members that must come and did not yet.
    missing: Vec<String>,
    /// The name of the member that begins, as far as it may be one of these.
    key: String,
    /// The types of the members, by their names.
    types: Vec<(String, ValueTypes)>,
    /// A name came last, of a member of the object.
    at_member: bool,
    /// A text that is read whole, since it may be a value of another type.
    whole: Option<String>,
    types_option: Types,
    repairs: Repairs,
    /// The members that are of another type.
    mistyped: Vec<String>,
}

impl Valid {
    /// Makes a reader of arguments with these repairs, with words of at most so many bytes, and with these required
    /// members.
    pub fn new(repairs: Repairs, hold: usize, missing: Vec<String>) -> Valid {
        let writer = Writer { missing, repairs, ..Writer::default() };
        Valid { document: Document::arguments(repairs).hold(hold), writer, hold }
    }

    /// Sets the types of the members.
    pub fn typed(mut self, types: Vec<(String, ValueTypes)>, types_option: Types) -> Valid {
        self.writer.types = types;
        self.writer.types_option = types_option;
        self
    }

    /// Returns the number of members of a type that their schemas do not allow.
    pub fn mismatches(&self) -> usize {
        self.writer.mistyped.len()
    }

    /// Reads a piece, and appends the text that leaves to `out`.
    pub fn read(&mut self, piece: &str, out: &mut String) -> Result<(), ArgumentsErrorKind> {
        let Valid { document, writer, hold } = self;
        document.read(piece, &mut |part| writer.part(part, out))?;
        match &writer.whole {
            Some(text) if text.len() > *hold => Err(ArgumentsErrorKind::Malformed),
            _ => Ok(()),
        }
    }

    /// The arguments are over.
    pub fn end(&mut self, out: &mut String) -> Result<Said, ArgumentsErrorKind> {
        let Valid { document, writer, .. } = self;
        match document.end(&mut |part| writer.part(part, out)) {
            Ok(()) => Ok(Said::Object),
            Err(ArgumentsErrorKind::NotAnObject) if document.is_null() => Ok(Said::Nothing),
            Err(kind) => Err(kind),
        }
    }

    /// Returns the seal behind sent arguments that must not be read: outside of strings a comma, and a bracket of
    /// the wrong kind. Readers that close open brackets give up at the bracket. Readers that leave out unreadable
    /// text at the end of a value give up because no value can begin there.
    pub fn seal(&self) -> &'static str {
        match (self.writer.open.last(), self.writer.in_string) {
            (None, _) => "{,]",
            (Some(b'{'), false) => ",]",
            (Some(b'{'), true) => "\",]",
            (Some(_), false) => ",}",
            (Some(_), true) => "\",}",
        }
    }

    pub fn is_missing_members(&self) -> bool {
        !self.writer.missing.is_empty()
    }

    pub fn held(&self) -> usize {
        self.document.held() + self.writer.whole.as_ref().map_or(0, String::len)
    }
}

impl Writer {
    fn part(&mut self, part: Part<'_>, out: &mut String) {
        match part {
            Part::Open(byte) => {
                self.member(&if byte == b'{' { json!({}) } else { json!([]) });
                self.begin(out);
                self.depth += 1;
                self.open.push(byte);
                out.push(byte.into());
            }
            Part::Close(byte) => {
                self.depth -= 1;
                self.after_value = true;
                if self.depth > 0 {
                    self.open.pop();
                    out.push(byte.into());
                }
            }
            Part::StringStart => {
                let fits = self.member(&"".into());
                self.begin(out);
                self.whole = (!fits && self.types_option == Types::Coerce).then(String::new);
                if self.whole.is_none() {
                    self.key.clear();
                    self.in_string = true;
                    out.push('"');
                }
            }
            Part::Text(text) => match &mut self.whole {
                Some(whole) => whole.push_str(text),
                None => {
                    self.name(text);
                    escape(text, out);
                }
            },
            Part::StringEnd { key } => {
                self.after_value = !key;
                if let Some(text) = self.whole.take() {
                    return self.coerced(text, out);
                }
                self.in_string = false;
                if key && self.depth == 1 {
                    self.missing.retain(|name| *name != self.key);
                    self.at_member = true;
                }
                out.push_str(if key { "\":" } else { "\"" });
            }
            Part::Word(word) => {
                self.member(&serde_json::from_str(as_json(word)).unwrap_or_default());
                self.begin(out);
                self.after_value = true;
                out.push_str(as_json(word));
            }
        }
    }

    /// Takes the beginning of a value or of a key. Returns whether a member's value has a type of its schema.
    fn member(&mut self, value: &Value) -> bool {
        if !std::mem::take(&mut self.at_member) {
            return true;
        }
        // The last one of a name counts.
        self.mistyped.retain(|name| *name != self.key);
        let types = self.types.iter().find(|(name, _)| *name == self.key);
        let fits = types.is_none_or(|(_, types)| fit::fits(value, types));
        if !fits {
            self.mistyped.push(self.key.clone());
        }
        fits
    }

    /// Takes a whole text of the wrong type: it may be a value of the right one.
    fn coerced(&mut self, text: String, out: &mut String) {
        let types = self.types.iter().find(|(name, _)| *name == self.key);
        let Some((_, types)) = types else { return };
        let (value, problem) = fit::member(text.into(), types, self.types_option, self.repairs);
        if problem != Some(DiagnosticKind::TypeMismatch) {
            self.mistyped.pop();
        }
        out.push_str(&value.to_string());
    }

    /// A value or a key begins.
    fn begin(&mut self, out: &mut String) {
        if std::mem::take(&mut self.after_value) {
            out.push(',');
        }
    }

    /// A piece of a string in which a name may be.
    fn name(&mut self, text: &str) {
        if self.depth == 1 && !(self.missing.is_empty() && self.types.is_empty()) {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn of_integers(hold: usize) -> Valid {
        let types = ["n", "m"].map(|name| {
            (name.to_string(), ValueTypes::from_schema(&json!({"type": "integer"}), &json!({})))
        });
        Valid::new(Repairs::None, hold, Vec::new()).typed(types.into(), Types::Coerce)
    }

    /// A text of the wrong type may be a value of the right one: it waits for its end, to the byte.
    #[test]
    fn a_text_that_may_be_a_number_is_held() {
        let (mut valid, mut out) = (of_integers(4), String::new());
        assert_eq!(valid.read("{\"n\": \"1234", &mut out), Ok(()));
        assert_eq!((&*out, valid.held(), valid.mismatches()), ("{\"n\":", 4, 1));
        assert_eq!(valid.clone().read("5", &mut out), Err(ArgumentsErrorKind::Malformed));
        assert_eq!(valid.read("\"", &mut out), Ok(()));
        assert_eq!(valid.mismatches(), 0);
        assert_eq!(valid.read(", \"m\": \"x\", \"o\": {\"n\": \"7\"}}", &mut out), Ok(()));
        assert_eq!(out, "{\"n\":1234,\"m\":\"x\",\"o\":{\"n\":\"7\"}");
        assert_eq!((valid.held(), valid.mismatches()), (0, 1));
        assert!(matches!(valid.end(&mut out), Ok(Said::Object)));
    }
}
