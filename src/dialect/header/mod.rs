//! Calls with a header before their JSON: `kimi-k2`, `solar-open`, `plamo3`, `deepseek-v3` and
//! `deepseek-v31`. Their rules are those of [`Whole`](super::shape::calls::Whole).

mod deepseek;
mod kimi_k2;
mod plamo3;
mod solar_open;

pub(super) use deepseek::{deepseek_v3, deepseek_v31};
pub(super) use kimi_k2::kimi_k2;
pub(super) use plamo3::plamo3;
pub(super) use solar_open::solar_open;

use crate::dialect::template::{PromptForm, tools_prompt};

/// The prompt of dialects whose calls are a header and a JSON object.
const PROMPT: PromptForm = tools_prompt!(
    "To call a tool, write its name and one JSON object with its arguments, between tokens like \
     these:",
    "The arguments must fit the schema, with every required one; a tool without parameters gets \
     {}. Quotes and line breaks in strings are escaped, as JSON has it."
);
