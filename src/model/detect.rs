//! [`Dialect::detect`]: the grammar that a chat template shows.

use crate::dialect::Dialect;

/// The texts that a template must hold, and the dialect that it teaches, in this build or not. The first hit decides:
/// a template of a dialect that is not in this build never counts for a later row.
const MARKERS: &[(&[&str], &str)] = &[
    (&["｜DSML｜"], "deepseek-dsml"),
    (&["｜GCML｜"], "gigachat35"),
    (&["]<]minimax[>["], "minimax-m3"),
    (&["<minimax:tool_call>"], "minimax-m2"),
    (&["<|tool_calls_section_begin|>"], "kimi-k2"),
    (&["<|open|>", "<|sep|>"], "kimi-k3"),
    (&["<|tool_call:begin|>"], "solar-open"),
    (&["<|tool_call:start|>"], "solar-open2"),
    (&["<atem:"], "muse"),
    (&["<rfl:parameter"], "beam"),
    (&["<|content_invoke_tool_json|>"], "inkling"),
    (&["<|plamo:"], "plamo3"),
    (&["<|channel|>"], "harmony"),
    (&["<|channel>"], "gemma4"),
    (&["<|tool_call>"], "gemma4"),
    (&["<start_function_call>"], "functiongemma"),
    (&["<function name=", "<param name="], "minicpm5"),
    (&["<｜hy_"], "hunyuan"),
    (&["<ifm|"], "k2-horizon"),
    (&["<longcat_tool_call>"], "longcat"),
    (&["<iquest_tool_call>"], "iquest-q1"),
    (&["<seed:tool_call>"], "seed-oss"),
    (&["steptml:"], "step3"),
    (&["<dots_function_call>"], "dots"),
    (&["<arg_key>"], "glm"),
    (&["<function=", "<parameter="], "qwen3-coder"),
    (&["<|tool_call_start|>"], "lfm2"),
    (&["<|tool_list_start|>"], "lfm2"),
    (&["<cofl:tool_calls>"], "cohere-cofl"),
    (&["<|START_ACTION|>"], "command-r"),
    (&["[TOOL_CALLS]"], "mistral"),
    // V3 writes these around a call: its type and a fence. Most templates join the type from a variable.
    (&["<｜tool▁calls▁begin｜>", "function<｜tool▁sep｜>"], "deepseek-v3"),
    (&["<｜tool▁calls▁begin｜>", "```json"], "deepseek-v3"),
    (&["<｜tool▁calls▁begin｜>"], "deepseek-v31"),
    (&["functools["], "phi4"),
    (&["<TOOLCALL>"], "json-array"),
    (&["<|tools_prefix|>"], "json-array"),
    (&["<|action_start|>"], "json-array"),
    (&["<tool_calls>", "[BEGIN FINAL RESPONSE]"], "apriel"),
    (&["<tool_calls>"], "json-array"),
    (&["<|tool_call|>"], "granite"),
    (&["<|function_call|>"], "gigachat3"),
    (&["function call", "<|role_sep|>"], "gigachat3"),
    (&[">>>"], "functionary"),
    (&["[func_name1("], "pythonic"),
    (&["<|python_tag|>"], "llama3-json"),
    (&["\"parameters\": dictionary"], "llama3-json"),
    (&["<tool_call>"], "hermes"),
    (&["<function_calls>", "<invoke name="], "invoke"),
    (&["<function_calls>", "environment"], "olmo3"),
];

impl Dialect {
    /// Returns the dialect that a model's chat template (the Jinja text that comes with its weights) shows by
    /// its markers, the most specific first. `None`: it has none of the markers, or those of a dialect that
    /// is not in this build.
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
        let (_, dialect) = MARKERS.iter().find(|(markers, _)| shows(markers))?;
        Dialect::by_name(dialect).ok()
    }
}
