//! [`Dialect::detect`]: the grammar that a chat template shows.

use super::first_known;
use crate::dialect::Dialect;

/// What a template must hold, and which dialects read what it teaches. The first hit decides.
const MARKERS: &[(&[&str], &[&str])] = &[
    (&["<｜DSML｜"], &["deepseek-dsml"]),
    (&["]<]minimax[>["], &["minimax-m3"]),
    (&["<minimax:tool_call>"], &["minimax-m2", "invoke"]),
    (&["<|tool_calls_section_begin|>"], &["kimi-k2"]),
    (&["<|open|>", "<|sep|>"], &["kimi-k3"]),
    (&["<|channel|>"], &["harmony"]),
    (&["<|channel>"], &["gemma4"]),
    (&["<arg_key>"], &["glm"]),
    (&["<function=", "<parameter="], &["qwen3-coder"]),
    (&["<|tool_call_start|>"], &["lfm2"]),
    (&["<cofl:tool_calls>"], &["cohere-cofl"]),
    (&["<|START_ACTION|>"], &["command-r"]),
    (&["[TOOL_CALLS]"], &["mistral"]),
    (&["<｜tool▁calls▁begin｜>"], &["deepseek-v3"]),
    (&["functools["], &["phi4"]),
    (&["<TOOLCALL>"], &["json-array"]),
    (&["<|tools_prefix|>"], &["json-array"]),
    (&[">>>"], &["functionary"]),
    (&["<|python_tag|>"], &["llama3-json"]),
    (&["<tool_call>"], &["hermes"]),
    (&["<function_calls>", "<invoke name="], &["invoke"]),
];

impl Dialect {
    /// The dialect that a model's chat template (the Jinja text that comes with its weights) shows,
    /// by the markers in it, the most specific first. `None`: none of the markers, or those of a
    /// dialect that is none of this build's.
    ///
    /// ```
    /// use toolstream::Dialect;
    ///
    /// let template = "{{ '<tool_call>' + call.name }}<arg_key>{{ key }}</arg_key>";
    /// assert_eq!(Dialect::detect(template), Some(Dialect::GLM));
    /// assert_eq!(Dialect::detect("{{ messages }}"), None);
    /// ```
    pub fn detect(chat_template: &str) -> Option<Dialect> {
        let shows = |markers: &[&str]| markers.iter().all(|marker| chat_template.contains(marker));
        let (_, dialects) = MARKERS.iter().find(|(markers, _)| shows(markers))?;
        first_known(dialects)
    }
}
