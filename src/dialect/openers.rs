//! The openers at the end of a prompt that leave the reasoning open.

use crate::options::Start;

/// The openers of reasoning of all dialects, including headers of messages.
const OPENERS: [&str; 24] = [
    "<ifm|think>",
    "<ifm|think_fast>",
    "<ifm|think_faster>",
    "<longcat_think>",
    "<mm:think>",
    "<seed:think>",
    "<think>",
    "<thinking>",
    "<|START_THINKING|>",
    "<|channel>thought",
    "<|channel|>analysis<|message|>",
    "<|content_thinking|>",
    "<|message_model|><|content_thinking|>",
    "<|open|>think<|sep|>",
    "<|plamo:begin_think:plamo|>",
    "<|start|>assistantto=developer<|message|>",
    "<|start|>assistantto=self<|message|>",
    "<|think:start|>",
    "<|think|>",
    // Apriel's opener is no token: its template writes this sentence.
    "Here are my reasoning steps:",
    "[THINK]",
    "analysis<|message|>",
    "to=developer<|message|>",
    "to=self<|message|>",
];

impl Start {
    /// Returns the state in which a stream begins whose prompt ends like this. It is reasoning if the chat
    /// template left a reasoning block open: the rendered prompt ends in `<think>`, `<|START_THINKING|>` or
    /// another opener of a dialect, and perhaps white space. The end of the prompt is enough, say its last
    /// 200 bytes.
    ///
    /// The prompt is more certain than the model's name ([`Dialect::for_model`](crate::Dialect::for_model)):
    /// the templates of many models open the reasoning only if the request asks for it.
    ///
    /// ```
    /// use toolstream::options::Start;
    ///
    /// assert_eq!(Start::of_prompt("<|im_start|>assistant\n<think>\n"), Start::Reasoning);
    /// assert_eq!(Start::of_prompt("<|im_start|>assistant\n<think>\n\n</think>\n\n"), Start::Text);
    /// ```
    pub fn of_prompt(end_of_prompt: &str) -> Start {
        let end = end_of_prompt.trim_end_matches([' ', '\t', '\r', '\n']);
        let open = ends_in_reasoning(end);
        if open || ends_in_suffixed_think(end) { Start::Reasoning } else { Start::Text }
    }
}

/// Whether a text ends in one of the openers.
fn ends_in_reasoning(text: &str) -> bool {
    OPENERS.iter().any(|opener| text.ends_with(&**opener))
}

/// Whether a prompt ends in Hunyuan's opener: `<think:opensource>`.
fn ends_in_suffixed_think(end: &str) -> bool {
    let suffix = end.strip_suffix('>').and_then(|end| end.rsplit_once("<think:"));
    suffix.is_some_and(|(_, suffix)| {
        !suffix.is_empty() && !suffix.contains([' ', '\t', '\r', '\n', '<', '>'])
    })
}

#[cfg(test)]
mod tests {
    use super::OPENERS;
    use crate::dialect::Dialect;

    #[test]
    fn a_prompt_may_end_in_each_opener() {
        for grammar in Dialect::ALL.iter().flat_map(Dialect::grammars) {
            for opener in &grammar.prose.open {
                assert!(OPENERS.contains(&&**opener), "{opener}");
            }
        }
    }
}
