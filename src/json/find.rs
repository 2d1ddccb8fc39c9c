//! An object in a longer text, and a value that breaks off.

use memchr::memchr2_iter;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use thiserror::Error;

use super::document::{Document, Part};
use super::grammar;
use super::repairs::{ArgumentsErrorKind, Repairs};
use super::tree::Tree;
use crate::json::white::WHITE_SPACE;
use crate::options::json::{self, JsonError};

/// Returns the value at the beginning of a text, as far as it came: closed members and items, and the beginning of
/// an open string. Half a number, word, key or escape is left out.
///
/// For text without a stream: the function reads all of the text. For chunks,
/// [`Message::partial_call`](crate::Message::partial_call) reads on and not again.
///
/// ```
/// use serde_json::json;
/// use toolstream::repair::{Repairs, partial};
///
/// let text = r#"{"path": "src/lib.rs", "edits": [{"line": 12, "text": "fn ma"#;
/// let value = partial(text, Repairs::Default)?;
/// assert_eq!(value, json!({"path": "src/lib.rs", "edits": [{"line": 12, "text": "fn ma"}]}));
/// assert_eq!(partial(r#"{"line": 12"#, Repairs::Default)?, json!({})); // perhaps 120
/// assert_eq!(partial("[1, 2]", Repairs::Default)?, json!([1, 2]));
/// # Ok::<(), toolstream::repair::ArgumentsErrorKind>(())
/// ```
///
/// # Errors
/// [`Empty`](ArgumentsErrorKind::Empty), [`TooDeep`](ArgumentsErrorKind::TooDeep) and
/// [`Malformed`](ArgumentsErrorKind::Malformed), as for [`arguments`](super::repair::arguments). Text that breaks off
/// is no error; where nothing is certain yet, the value is null.
pub fn partial(text: &str, repairs: Repairs) -> Result<Value, ArgumentsErrorKind> {
    // (A word or number that only the text's end would end does not count yet.)
    if let Some(value @ (Value::Object(_) | Value::Array(_))) = grammar::strict(text) {
        return Ok(value);
    }
    let (mut document, mut tree) = (Document::value(repairs), Tree::default());
    document.read(text, &mut |part| tree.part(part))?;
    let value = tree.put_together();
    match document.end(&mut |_| {}) {
        Ok(()) | Err(ArgumentsErrorKind::Truncated) => Ok(value.unwrap_or_default()),
        Err(kind) => Err(kind),
    }
}

/// Finds the first JSON object in a text that is a `T`. Any text may stand around it: prose, a code fence, reasoning
/// in `<think>` before it. For answers that should be data ("prose, and then JSON").
///
/// With `T = serde_json::Map<String, Value>` it finds the first object. [`repair`](crate::repair) describes objects
/// and repairs. An object that goes wrong or breaks off is skipped with its content, except for objects in its
/// strings. Linear in the text.
///
/// ```
/// use toolstream::repair::{FindError, Repairs, find_object};
///
/// #[derive(serde::Deserialize, Debug, PartialEq)]
/// struct City { name: String, people: u32 }
///
/// let text = "<think>{name} is what they want</think>For {you}:\n```json\n{'name': 'Oslo', 'people': 717710}\n```";
/// assert_eq!(find_object::<City>(text, Repairs::Default)?, City { name: "Oslo".into(), people: 717_710 });
///
/// let error = find_object::<City>(r#"Here: {"name": "Oslo", "people": "many"}"#, Repairs::Default).unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     r#"no JSON object in the text fits: people: invalid type: string "many", expected a whole number of 0 or more"#,
/// );
/// let error = find_object::<City>(r#"Here: {"name": "Os"#, Repairs::Default).unwrap_err();
/// assert!(matches!(error, FindError::Truncated));
/// # Ok::<(), FindError>(())
/// ```
///
/// # Errors
/// [`FindError`], with a text for the model.
pub fn find_object<T: DeserializeOwned>(text: &str, repairs: Repairs) -> Result<T, FindError> {
    let from = answer(text);
    match find(text, from, repairs) {
        // The supposed closer of reasoning was a text of the object.
        Err(FindError::Missing) if 0 < from && from < usize::MAX => find(text, 0, repairs),
        found => found,
    }
}

/// Error of [`find_object`]: there is no object.
///
/// ```
/// use serde_json::{Map, Value};
/// use toolstream::repair::{FindError, Repairs, find_object};
///
/// let error = |text| find_object::<Map<String, Value>>(text, Repairs::Default).unwrap_err();
/// assert!(matches!(error("I do not know."), FindError::Missing));
/// assert_eq!(error(r#"{"a": 1 "b": 2}"#).to_string(), "what begins as a JSON object in the text is not valid: byte 8");
/// ```
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FindError {
    /// The text has no object, nor the beginning of one.
    #[error("there is no JSON object in the text")]
    Missing,
    /// The text ends in the object.
    #[error("the JSON object in the text is cut off")]
    Truncated,
    /// The text that begins like an object is not one.
    #[error("what begins as a JSON object in the text is not valid: byte {at}")]
    Malformed {
        /// The byte of the text at which reading stopped.
        at: usize,
    },
    /// There are objects, but none is of the wanted type: the reason of the first one.
    #[error("no JSON object in the text fits: {0}")]
    Misfit(JsonError),
}

/// The average number of times that a byte may be read before the text of a failed object is skipped.
const READS: usize = 8;

/// Returns the beginning of the answer: behind the reasoning, if there is any.
fn answer(text: &str) -> usize {
    let ends = ["</think>", "</thinking>"];
    let end = ends.iter().filter_map(|end| text.find(end).map(|at| at + end.len())).min();
    let text = text.trim_start_matches(WHITE_SPACE);
    let is_open = text.starts_with("<think>") || text.starts_with("<thinking>");
    end.unwrap_or(if is_open { usize::MAX } else { 0 })
}

fn find<T: DeserializeOwned>(text: &str, from: usize, repairs: Repairs) -> Result<T, FindError> {
    let (mut at, mut budget) = (from, READS * text.len());
    let (mut misfit, mut malformed, mut truncated) = (None, None, false);
    while let Some(start) = text.get(at..).and_then(|rest| rest.find('{')).map(|next| at + next) {
        let attempt = Attempt::read(&text[start..], repairs);
        budget = budget.saturating_sub(attempt.read);
        at = start + attempt.read.max(1);
        match attempt.end {
            End::Object(object) => match json::parse(&object) {
                Ok(found) => return Ok(found),
                Err(error) => misfit = misfit.or(Some(error)),
            },
            End::Broken => {
                malformed = malformed.max(Some((attempt.read, at)));
                at = attempt.in_text.filter(|_| budget > 0).map_or(at, |inside| start + inside);
            }
            End::Truncated => {
                truncated = true;
                at = attempt.in_text.filter(|_| budget > 0).map_or(at, |inside| start + inside);
            }
        }
    }
    Err(match (misfit, truncated, malformed) {
        (Some(error), ..) => FindError::Misfit(error),
        (None, true, _) => FindError::Truncated,
        (None, false, Some((_, at))) => FindError::Malformed { at },
        (None, false, None) => FindError::Missing,
    })
}

/// An attempt at a text that begins with `{`.
struct Attempt {
    end: End,
    /// The bytes that were read.
    read: usize,
    /// The first brace in a string of it: if the text is no object, one may begin there.
    in_text: Option<usize>,
}

enum End {
    Object(Map<String, Value>),
    Broken,
    Truncated,
}

impl Attempt {
    fn read(text: &str, repairs: Repairs) -> Attempt {
        let (mut document, mut tree) = (Document::value(repairs), Tree::default());
        let (mut in_string, mut in_text, mut read) = (false, None, 0);
        let braces = memchr2_iter(b'{', b'}', text.as_bytes()).chain([text.len()]);
        for brace in braces.skip(1) {
            // A closing brace may be the object's last byte, an opening one may stand in a string.
            let closes = text.as_bytes().get(brace) == Some(&b'}');
            let piece = &text[read..brace + usize::from(closes)];
            let came = document.read(piece, &mut |part| {
                match part {
                    Part::StringStart => in_string = true,
                    Part::StringEnd { .. } => in_string = false,
                    _ => {}
                }
                tree.part(part);
            });
            if came.is_err() {
                let read = document.position().max(1);
                return Attempt { end: End::Broken, read, in_text };
            }
            read += piece.len();
            if let Some(Value::Object(object)) = tree.take_value() {
                return Attempt { end: End::Object(object), read, in_text };
            }
            if in_string && !closes && brace < text.len() && in_text.is_none() {
                in_text = Some(brace);
            }
        }
        Attempt { end: End::Truncated, read, in_text }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// Each brace begins an object that breaks off, or goes wrong, at the end of the text, and has the next brace in a
    /// text of it. When so many have been read, no more of them are.
    #[test]
    fn what_goes_wrong_again_and_again_is_skipped_with_its_texts() {
        let find = |braces: usize, end: &str| {
            let text = "{a:\"".to_string() + &", k:{a:\"".repeat(braces) + end;
            find_object::<Value>(&text, Repairs::Default)
        };
        assert!(matches!(find(4, "{z:1}"), Ok(found) if found == json!({"z": 1})));
        assert!(matches!(find(100, "{z:1}"), Err(FindError::Truncated)));
        assert!(matches!(find(4, "{z:1}\" ]"), Ok(found) if found == json!({"z": 1})));
        assert!(matches!(find(100, "{z:1}\" ]"), Err(FindError::Malformed { .. })));
    }
}
