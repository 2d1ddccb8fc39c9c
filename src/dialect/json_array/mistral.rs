//! `mistral`: OPEN is `[TOOL_CALLS]`, there is no CLOSE.
//!
//! ```text
//! call := "[TOOL_CALLS]" ws NAME ws ( "[CALL_ID]" ws ID ws )? ( "[ARGS]" ws )? object
//!       | NAME "[TOOL_CALLS]" ws ( "[ARGS]" ws )? object
//! ```
//! Both count. The second is a mistake, and counts where NAME is declared and a word of its own. Reasoning stands in `<think>` or
//! `[THINK]`.

use std::borrow::Cow::Borrowed;

use super::written;
use crate::dialect::facts::Facts;
use crate::dialect::shape::Shape;
use crate::dialect::template::{Template, stop};

/// The dialect `mistral`.
pub(in crate::dialect) fn mistral() -> Facts {
    let about = "[TOOL_CALLS]NAME[ARGS]{…}, or [TOOL_CALLS] and a list of JSON calls";
    let facts = Facts::new("mistral", about, form().template());
    // Nine letters and digits.
    Facts { id: "toolcall{index}".into(), ..facts }
}

/// The written form, as in the templates from v13 on, without ids.
fn form() -> Shape {
    Shape {
        result: "[TOOL_RESULTS]{content}[/TOOL_RESULTS]".into(),
        results: "{result}{result}".into(),
        stop: Some(stop(&[], &[Borrowed("[TOOL_RESULTS]")])),
        ..written("[TOOL_CALLS]{name}[ARGS]{arguments}")
    }
}

/// A list of objects with their ids.
fn with_ids() -> Shape {
    Shape {
        section: "[TOOL_CALLS] [{calls}]".into(),
        call: "{\"name\": {name}, \"arguments\": {arguments}, \"id\": \"{id}\"}".into(),
        between: None,
        ..form()
    }
}

/// The form of Mistral's models until 2024.
pub(in crate::dialect) fn mistral_v3() -> Template {
    const RESULT: &str =
        "[TOOL_RESULTS] {\"content\": {json}, \"call_id\": \"{id}\"}[/TOOL_RESULTS]";
    Shape { result: RESULT.into(), ..with_ids() }.template()
}

/// Results with the ids of their calls.
const BY_ID: &str = "[TOOL_RESULTS]{id}[TOOL_CONTENT]{content}[/TOOL_RESULTS]";

/// The form of Mistral's models until early in 2025.
pub(in crate::dialect) fn mistral_v7() -> Template {
    Shape { result: BY_ID.into(), ..with_ids() }.template()
}

/// The form of Mistral's models until the middle of 2025.
pub(in crate::dialect) fn mistral_v11() -> Template {
    let call = "[TOOL_CALLS]{name}[CALL_ID]{id}[ARGS]{arguments}".into();
    Shape { call, result: BY_ID.into(), ..form() }.template()
}
