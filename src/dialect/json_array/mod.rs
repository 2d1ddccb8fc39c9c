//! JSON objects between the markers of a model family.
//!
//! ```text
//! section := OPEN ws BODY ws CLOSE?        BODY := object ( ws object )* | "[" ( object ","? )* "]"
//! object  := {"name": N, "arguments": {…}}
//! ```
//! OPEN counts if `ws` and an object, or a list with one, follow. The list, or each object by itself, ends
//! where its JSON does, so nothing is lost if a server stripped CLOSE. Without a CLOSE the white space before
//! text belongs to the text. OPEN and CLOSE of each dialect stand in `reads/`.

mod array;
mod bare;
mod lists;
mod llama3_json;
mod mistral;

pub(super) use array::{apertus, internlm, json_array, json_lines, nemotron};
pub(super) use bare::{bare_json, wrapped_json};
pub(super) use lists::{apriel, command_r, ernie, gigachat3, gigachat3_role, granite, phi4};
pub(super) use llama3_json::llama3_json;
pub(super) use mistral::{mistral, mistral_v3, mistral_v7, mistral_v11};

use crate::dialect::shape::Shape;

/// The call of most of these dialects.
const OBJECT_CALL: &str = "{\"name\": {name}, \"arguments\": {arguments}}";

/// A shape that is only written: `reads/` has the grammar. Results are messages of a role of their own.
pub(super) fn written(call: &'static str) -> Shape {
    Shape {
        call: call.into(),
        between: Some("".into()),
        result: "{content}".into(),
        ..Shape::default()
    }
}
