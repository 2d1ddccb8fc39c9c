//! `solar-open`.
//!
//! ```text
//! header := NAME? "<|tool_call:name|>" NAME "<|tool_call:args|>"          the first one is the id
//! ```

use super::PROMPT;
use crate::dialect::shape::{Shape, texts};
use crate::dialect::spec::DialectSpec;
use crate::dialect::template::NO_STOP;

/// The dialect `solar-open`.
pub(in crate::dialect) fn solar_open() -> DialectSpec {
    let shape = Shape {
        name: "solar-open".into(),
        about: "<|tool_call:begin|>ID<|tool_call:name|>NAME<|tool_call:args|>{…}<|tool_call:end|>"
            .into(),
        section: "<|tool_calls|>{calls}<|calls|>".into(),
        call: "<|tool_call:begin|>{id}<|tool_call:name|>{name}<|tool_call:args|>{arguments}\
               <|tool_call:end|>"
            .into(),
        between: Some("".into()),
        id: "call{index}".into(),
        reasoning: Some("<|think|>{reasoning}<|end|>".into()),
        tokens: texts(&["<|begin|>assistant", "<|begin|>", "<|content|>", "<|flush|>", "<|end|>"]),
        special: true,
        prompt: Some(PROMPT),
        result: "<|tool_response:begin|>{id}<|tool_response:name|>{name}<|tool_response:result|>\
                 {content}<|tool_response:end|>"
            .into(),
        results: "<|begin|>tool<|tool_response|>{result}{result}<|end|>".into(),
        invented: Some("".into()),
        stop: Some(NO_STOP),
        ..Shape::default()
    };
    shape.built_in()
}
