//! Common parts of the three programs: the scripted server of the other examples, its answers, and the tool.

#[path = "../../support/mod.rs"]
mod support;

use serde_json::{Value, json};

pub use support::{Answer, Endpoint, word_count};

/// Question of the user.
pub const QUESTION: &str = "How many words has \"Zoë is here\"?";

/// Returns the script: an answer with a call in the dialect `hermes`, and an answer in words.
pub fn script() -> Vec<Answer> {
    let call = [
        "I count.\n<tool_",
        "call>\n{\"name\": \"word_count\", \"argu",
        "ments\": {\"text\": \"Zoë is here\"}}\n</tool_call>",
    ];
    vec![Answer::chat(call), Answer::chat(["Zoë, the", "re are ", "3 words."])]
}

/// Returns the JSON Schema of the tool's arguments.
pub fn parameters() -> Value {
    let text = json!({"type": "string"});
    json!({"type": "object", "properties": {"text": text}, "required": ["text"]})
}
