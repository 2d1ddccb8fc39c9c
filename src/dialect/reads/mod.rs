//! The dialects that are read by readers of markers ([`crate::family`]), as data. All others are read by rules.

mod blocks;
mod tags;
mod text;
mod tokens;

use std::sync::LazyLock;

use crate::dialect::{Dialect, Source};
use crate::family::block::Tags;
use crate::read::machine::{Grammar, GrammarRef};
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
static ALL: [(&str, LazyLock<Grammar>); 49] = [
    ("muse", LazyLock::new(muse)),
    ("hunyuan", LazyLock::new(hunyuan)),
    ("k2-horizon", LazyLock::new(k2_horizon)),
    ("inkling", LazyLock::new(inkling)),
    ("kimi-k3", LazyLock::new(kimi_k3)),
    ("minimax-m3", LazyLock::new(minimax_m3)),
    ("gemma4", LazyLock::new(gemma4)),
    ("functiongemma", LazyLock::new(functiongemma)),
    ("code-assistant", LazyLock::new(code_assistant)),
    ("code-assistant-caret", LazyLock::new(carets)),
    ("cline", LazyLock::new(cline)),
    ("hermes", LazyLock::new(hermes)),
    ("qwen3-coder", LazyLock::new(qwen3_coder)),
    ("glm", LazyLock::new(glm)),
    ("tool-call", LazyLock::new(tool_call)),
    ("seed-oss", LazyLock::new(seed_oss)),
    ("longcat", LazyLock::new(longcat)),
    ("iquest-q1", LazyLock::new(iquest_q1)),
    ("solar-open2", LazyLock::new(solar_open2)),
    ("granite", LazyLock::new(granite)),
    ("phi4", LazyLock::new(phi4)),
    ("apriel", LazyLock::new(apriel)),
    ("command-r", LazyLock::new(command_r)),
    ("gigachat3", LazyLock::new(gigachat3)),
    ("invoke", LazyLock::new(invoke)),
    ("minimax-m2", LazyLock::new(minimax_m2)),
    ("minicpm5", LazyLock::new(minicpm5)),
    ("step3", LazyLock::new(step3)),
    ("dots", LazyLock::new(dots)),
    ("deepseek-dsml", LazyLock::new(|| dsml("DSML", &DEEPSEEK_TURNS))),
    ("gigachat35", LazyLock::new(|| dsml("GCML", &["<|message_sep|>", "</s>"]))),
    ("cohere-cofl", LazyLock::new(cohere_cofl)),
    ("deepseek-v3", LazyLock::new(deepseek_v3)),
    ("deepseek-v31", LazyLock::new(deepseek_v3)),
    ("solar-open", LazyLock::new(solar_open)),
    ("plamo3", LazyLock::new(plamo3)),
    ("kimi-k2", LazyLock::new(kimi_k2)),
    ("json-array", LazyLock::new(json_array)),
    ("pythonic", LazyLock::new(pythonic)),
    ("lfm2", LazyLock::new(lfm2)),
    ("olmo3", LazyLock::new(olmo3)),
    ("functionary", LazyLock::new(functionary)),
    ("bare-json", LazyLock::new(|| tried(false))),
    ("wrapped-json", LazyLock::new(|| tried(true))),
    ("llama3-json", LazyLock::new(llama3_json)),
    ("mistral", LazyLock::new(mistral)),
    ("react", LazyLock::new(react)),
    ("harmony", LazyLock::new(harmony)),
    ("beam", LazyLock::new(beam)),
];

impl Dialect {
    /// The grammars of the dialects in it, if all are read by readers.
    pub(crate) fn grammars(&self) -> Option<Vec<GrammarRef>> {
        self.sources().map(Source::grammar).collect()
    }
}

impl Source {
    /// Its grammar, if it is read by readers.
    fn grammar(&self) -> Option<GrammarRef> {
        match self {
            Source::BuiltIn(_) => named(self.name()).map(GrammarRef::BuiltIn),
            Source::Host(spec) => spec.grammar.0.clone(),
        }
    }
}

/// The grammar of the built-in dialect of this name.
fn named(name: &str) -> Option<&'static Grammar> {
    let found = ALL.iter().find(|(known, _)| *known == name);
    found.map(|(_, grammar)| &**grammar)
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
