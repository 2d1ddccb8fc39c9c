//! The dialects that are read by readers of markers ([`crate::family`]), as data. All others are read by rules.

mod blocks;
mod tags;
mod text;
mod tokens;

use std::sync::{Arc, LazyLock};

use crate::dialect::{Dialect, Source};
use crate::family::block::Tags;
use crate::read::machine::Grammar;
use crate::read::prose::Prose;

use blocks::{
    apriel, command_r, gigachat3, glm, granite, hermes, iquest_q1, json_array, longcat, phi4,
    qwen3_coder, seed_oss, solar_open2, tool_call,
};
use tags::{
    DEEPSEEK_TURNS, cline, code_assistant, cohere_cofl, dots, dsml, functiongemma, gemma4, invoke,
    kimi_k3, minicpm5, minimax_m2, minimax_m3, step3,
};
use text::{carets, lfm2, llama3_json, olmo3, pythonic, react, tried};
use tokens::{
    beam, deepseek_v3, functionary, harmony, hunyuan, inkling, k2_horizon, kimi_k2, mistral, muse,
    plamo3, solar_open,
};

/// The stop tokens of ChatML and its kin.
const BOUNDARY: [&str; 6] =
    ["<|im_end|>", "<|endoftext|>", "<|observation|>", "<|user|>", "<|assistant|>", "<|system|>"];

const THINK: [&str; 2] = ["<think>", "<thinking>"];

const END_THINK: [&str; 2] = ["</think>", "</thinking>"];

const TOOL_RESPONSE: &str = "<tool_response>";

/// The grammars of the dialects, each built once a process.
static ALL: [(&str, LazyLock<Arc<Grammar>>); 49] = [
    ("muse", LazyLock::new(|| Arc::new(muse()))),
    ("hunyuan", LazyLock::new(|| Arc::new(hunyuan()))),
    ("k2-horizon", LazyLock::new(|| Arc::new(k2_horizon()))),
    ("inkling", LazyLock::new(|| Arc::new(inkling()))),
    ("kimi-k3", LazyLock::new(|| Arc::new(kimi_k3()))),
    ("minimax-m3", LazyLock::new(|| Arc::new(minimax_m3()))),
    ("gemma4", LazyLock::new(|| Arc::new(gemma4()))),
    ("functiongemma", LazyLock::new(|| Arc::new(functiongemma()))),
    ("code-assistant", LazyLock::new(|| Arc::new(code_assistant()))),
    ("code-assistant-caret", LazyLock::new(|| Arc::new(carets()))),
    ("cline", LazyLock::new(|| Arc::new(cline()))),
    ("hermes", LazyLock::new(|| Arc::new(hermes()))),
    ("qwen3-coder", LazyLock::new(|| Arc::new(qwen3_coder()))),
    ("glm", LazyLock::new(|| Arc::new(glm()))),
    ("tool-call", LazyLock::new(|| Arc::new(tool_call()))),
    ("seed-oss", LazyLock::new(|| Arc::new(seed_oss()))),
    ("longcat", LazyLock::new(|| Arc::new(longcat()))),
    ("iquest-q1", LazyLock::new(|| Arc::new(iquest_q1()))),
    ("solar-open2", LazyLock::new(|| Arc::new(solar_open2()))),
    ("granite", LazyLock::new(|| Arc::new(granite()))),
    ("phi4", LazyLock::new(|| Arc::new(phi4()))),
    ("apriel", LazyLock::new(|| Arc::new(apriel()))),
    ("command-r", LazyLock::new(|| Arc::new(command_r()))),
    ("gigachat3", LazyLock::new(|| Arc::new(gigachat3()))),
    ("invoke", LazyLock::new(|| Arc::new(invoke()))),
    ("minimax-m2", LazyLock::new(|| Arc::new(minimax_m2()))),
    ("minicpm5", LazyLock::new(|| Arc::new(minicpm5()))),
    ("step3", LazyLock::new(|| Arc::new(step3()))),
    ("dots", LazyLock::new(|| Arc::new(dots()))),
    ("deepseek-dsml", LazyLock::new(|| Arc::new(dsml("DSML", &DEEPSEEK_TURNS)))),
    ("gigachat35", LazyLock::new(|| Arc::new(dsml("GCML", &["<|message_sep|>", "</s>"])))),
    ("cohere-cofl", LazyLock::new(|| Arc::new(cohere_cofl()))),
    ("deepseek-v3", LazyLock::new(|| Arc::new(deepseek_v3()))),
    ("deepseek-v31", LazyLock::new(|| Arc::new(deepseek_v3()))),
    ("solar-open", LazyLock::new(|| Arc::new(solar_open()))),
    ("plamo3", LazyLock::new(|| Arc::new(plamo3()))),
    ("kimi-k2", LazyLock::new(|| Arc::new(kimi_k2()))),
    ("json-array", LazyLock::new(|| Arc::new(json_array()))),
    ("pythonic", LazyLock::new(|| Arc::new(pythonic()))),
    ("lfm2", LazyLock::new(|| Arc::new(lfm2()))),
    ("olmo3", LazyLock::new(|| Arc::new(olmo3()))),
    ("functionary", LazyLock::new(|| Arc::new(functionary()))),
    ("bare-json", LazyLock::new(|| Arc::new(tried(false)))),
    ("wrapped-json", LazyLock::new(|| Arc::new(tried(true)))),
    ("llama3-json", LazyLock::new(|| Arc::new(llama3_json()))),
    ("mistral", LazyLock::new(|| Arc::new(mistral()))),
    ("react", LazyLock::new(|| Arc::new(react()))),
    ("harmony", LazyLock::new(|| Arc::new(harmony()))),
    ("beam", LazyLock::new(|| Arc::new(beam()))),
];

impl Dialect {
    /// The grammars of the dialects in it, if all are read by readers.
    pub(crate) fn grammars(&self) -> Option<Vec<Arc<Grammar>>> {
        self.sources().map(Source::grammar).collect()
    }
}

impl Source {
    /// Its grammar, if it is read by readers.
    fn grammar(&self) -> Option<Arc<Grammar>> {
        match self {
            Source::BuiltIn(_) => named(self.name()),
            Source::Host(spec) => spec.grammar.0.clone(),
        }
    }
}

/// The grammar of the built-in dialect of this name.
fn named(name: &str) -> Option<Arc<Grammar>> {
    let found = ALL.iter().find(|(known, _)| *known == name);
    found.map(|(_, grammar)| Arc::clone(grammar))
}

/// Markers that stand in text beside calls: reasoning, stop tokens, results, markup.
#[derive(Clone, Default)]
struct Around {
    /// Round reasoning; empty texts: there is none. `None`: `<think>`, at the start of a line.
    reasoning: Option<[&'static str; 2]>,
    tokens: Vec<&'static str>,
    invented: Vec<&'static str>,
    /// Markup in text; the last ones also close reasoning.
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
