//! The answers that the scripted server gives to the examples: recorded, then made shorter.

use serde_json::{Value, json};

use super::Answer;

/// Cline's dialect over chat completions: a call that was cut off because it was too long, a call
/// with a surplus one after it, an answer.
pub fn text() -> Vec<Answer> {
    vec![
        Answer::too_long(["I count: is 1 <", " 2?\n<word_", "count>\n<text>Zoë i"]),
        Answer::chat([
            "Again.\n<word_co",
            "unt>\n<text>Zoë is here</te",
            "xt>\n</word_count>\n",
            SURPLUS,
        ]),
        Answer::chat(["Zoë, the", "re are ", "3 words."]),
    ]
}

const SURPLUS: &str = "<word_count>\n<text>never</text>\n</word_count>";

/// ReAct over chat completions: an answer that only promises, a call, an answer, a last word.
pub fn agent() -> Vec<Answer> {
    let input = "{\"name\": \"list.txt\", \"content\": \"bread\\nlead\"}";
    vec![
        Answer::chat(["Thought: A list.\nFinal Ans", "wer: I will write it."]),
        Answer::chat(["Thought: Now.\nAction: write", "_file\nAction Input: ", input, "\n"]),
        Answer::chat(["Thought: Done.\nFinal Answer: It is in li", "st.txt."]),
        Answer::chat(["Final Answer: Any", " time."]),
    ]
}

/// Hermes' dialect over chat completions: a call that needs a repair, and the same once more.
pub fn hermes() -> Vec<Answer> {
    let pieces = [
        "<think>\nHm.</think>\n\nI co",
        "unt.\n<tool_",
        "call>\n{\"name\": \"word_count\", \"arguments\": {'te",
        "xt': \"Zoë is here\",}}\n</tool_call>\n",
    ];
    vec![Answer::chat(pieces), Answer::chat(pieces)]
}

/// Anthropic's Messages: two calls in one message, an answer.
pub fn anthropic() -> Vec<Answer> {
    let calls = [
        json!({"type": "message_start", "message": {"role": "assistant", "content": []}}),
        json!({"type": "content_block_start", "index": 0,
            "content_block": {"type": "text", "text": ""}}),
        delta(0, json!({"type": "text_delta", "text": "Both, Zoë."})),
        json!({"type": "content_block_stop", "index": 0}),
        call(1, "toolu_1"),
        delta(1, json!({"type": "input_json_delta", "partial_json": "{\"text\": \"Zoë "})),
        json!({"type": "ping"}),
        delta(1, json!({"type": "input_json_delta", "partial_json": "is here\"}"})),
        json!({"type": "content_block_stop", "index": 1}),
        call(2, "toolu_2"),
        delta(2, json!({"type": "input_json_delta", "partial_json": "{\"text\": \"two words\"}"})),
        json!({"type": "content_block_stop", "index": 2}),
        json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}}),
        json!({"type": "message_stop"}),
    ];
    let answer = [
        json!({"type": "content_block_start", "index": 0,
            "content_block": {"type": "text", "text": "3 and"}}),
        delta(0, json!({"type": "text_delta", "text": " 2 words."})),
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}}),
        json!({"type": "message_stop"}),
    ];
    vec![Answer::events(&calls), Answer::events(&answer)]
}

fn delta(index: usize, delta: Value) -> Value {
    json!({"type": "content_block_delta", "index": index, "delta": delta})
}

fn call(index: usize, id: &str) -> Value {
    json!({"type": "content_block_start", "index": index,
        "content_block": {"type": "tool_use", "id": id, "name": "word_count", "input": {}}})
}
