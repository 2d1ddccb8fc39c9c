//! The grammars of the built-in dialects, as data of their families ([`crate::family`]).

mod blocks;
mod tags;
mod text;
mod tokens;

use crate::family::block::Tags;
use crate::read::prose::Prose;

pub(super) use blocks::{
    apriel, command_r, gigachat3, glm, granite, hermes, iquest_q1, json_array, longcat, phi4,
    qwen3_coder, seed_oss, solar_open2, tool_call,
};
pub(super) use tags::{
    DEEPSEEK_TURNS, cline, code_assistant, cohere_cofl, dots, dsml, functiongemma, gemma4, invoke,
    kimi_k3, minicpm5, minimax_m2, minimax_m3, step3,
};
pub(super) use text::{carets, lfm2, llama3_json, olmo3, pythonic, react, tried};
pub(super) use tokens::{
    beam, deepseek_v3, functionary, harmony, hunyuan, inkling, k2_horizon, kimi_k2, mistral, muse,
    plamo3, solar_open,
};

/// The stop tokens of ChatML and its kin.
const BOUNDARY: [&str; 6] =
    ["<|im_end|>", "<|endoftext|>", "<|observation|>", "<|user|>", "<|assistant|>", "<|system|>"];

const THINK: [&str; 2] = ["<think>", "<thinking>"];

const END_THINK: [&str; 2] = ["</think>", "</thinking>"];

const TOOL_RESPONSE: &str = "<tool_response>";

/// Markers that stand in text beside calls: reasoning, stop tokens, results, markup.
#[derive(Clone, Default)]
struct Around {
    /// The texts around reasoning; empty: there is none. `None`: `<think>`, at the start of a line.
    reasoning: Option<[&'static str; 2]>,
    tokens: Vec<&'static str>,
    invented: Vec<&'static str>,
    /// Markup in text; `finals` also close reasoning.
    marks: Vec<&'static str>,
    finals: Vec<&'static str>,
}

impl Around {
    fn prose(&self) -> Prose {
        let (open, close) = match &self.reasoning {
            None => (texts(&THINK), texts(&END_THINK)),
            Some(["", _]) => (Vec::new(), Vec::new()),
            Some([open, close]) => (texts(&[open]), texts(&[close])),
        };
        Prose {
            open,
            close,
            anywhere: self.reasoning.is_some(),
            tokens: texts(&self.tokens),
            invented: texts(&self.invented),
            marks: texts(&self.marks),
            finals: texts(&self.finals),
            sealed: None,
        }
    }
}

fn texts(texts: &[&str]) -> Vec<Box<str>> {
    texts.iter().map(|text| (*text).into()).collect()
}

/// The tags of blocks of this name.
fn tags(name: &str) -> Tags {
    let [open, close] = [format!("<{name}>"), format!("</{name}>")];
    Tags { open: texts(&[&open]), close: texts(&[&close]), ..Tags::default() }
}

/// Text of models with ChatML's tokens.
fn chat_ml() -> Around {
    Around { tokens: BOUNDARY.to_vec(), invented: vec![TOOL_RESPONSE], ..Around::default() }
}
