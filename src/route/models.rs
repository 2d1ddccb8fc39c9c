//! [`Dialect::for_model`]: the families of models, and what each of them was trained on.

use super::first_known;
use crate::dialect::Dialect;
use crate::options::Start::{self, Reasoning, Text};

/// What is known of a model by its name.
///
/// ```
/// use toolstream::{Dialect, Parser, Start};
///
/// let model = Dialect::for_model("zai-org/GLM-5").expect("a known family");
/// assert_eq!((model.dialect, model.start), (Dialect::GLM, Start::Reasoning));
/// let parser = Parser::builder(model.dialect).start(model.start).build()?;
/// # Ok::<(), toolstream::BuildError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ModelMatch {
    /// How it writes its calls.
    pub dialect: Dialect,
    /// Where its stream begins: in reasoning, where its chat template ends in the opening tag.
    pub start: Start,
}

/// A family of models.
#[derive(Clone, Copy, Debug)]
pub(super) struct Family {
    /// Its name in small letters; `*` for anything between.
    name: &'static str,
    /// Its dialect, and which one else reads what it writes. Those that this build does not know
    /// are left out; of a family without one, nothing is known to work.
    dialects: &'static [&'static str],
    pub start: Start,
}

const fn family(name: &'static str, dialects: &'static [&'static str], start: Start) -> Family {
    Family { name, dialects, start }
}

const HERMES: &[&str] = &["hermes"];
const QWEN3_CODER: &[&str] = &["qwen3-coder"];
const GLM: &[&str] = &["glm"];
const DSML: &[&str] = &["deepseek-dsml"];
const DEEPSEEK_V3: &[&str] = &["deepseek-v3"];
const DEEPSEEK_V31: &[&str] = &["deepseek-v31"];
const MISTRAL: &[&str] = &["mistral"];
const LLAMA3: &[&str] = &["llama3-json"];
const PYTHONIC: &[&str] = &["pythonic"];
const COMMAND_R: &[&str] = &["command-r"];
const JSON_ARRAY: &[&str] = &["json-array"];
const NONE: &[&str] = &[];

/// The families. The longest name that a model's id holds decides, so the order is for readers.
const FAMILIES: &[Family] = &[
    // Hermes, also where the base model's name stands behind it.
    family("hermes", HERMES, Text),
    family("hermes*llama-3", HERMES, Text),
    family("hermes*mistral", HERMES, Text),
    family("hermes*mixtral", HERMES, Text),
    family("hermes*qwen", HERMES, Text),
    family("deephermes", HERMES, Text),
    family("deephermes*llama-3", HERMES, Text),
    family("deephermes*mistral", HERMES, Text),
    // Qwen: 2.5 and 3 write JSON, the coders and all from 3.5 on write functions.
    family("qwen2.5", HERMES, Text),
    family("qwen-2.5", HERMES, Text),
    family("qwen3", HERMES, Text),
    family("qwen-3", HERMES, Text),
    family("qwen3*thinking", HERMES, Reasoning),
    family("qwen3*claude", HERMES, Text),
    family("qwq", HERMES, Reasoning),
    family("qwen3-coder", QWEN3_CODER, Text),
    family("qwen-3-coder", QWEN3_CODER, Text),
    family("qwen3.", QWEN3_CODER, Reasoning),
    family("qwen-3.", QWEN3_CODER, Reasoning),
    // Others that write functions.
    family("nemotron-3", QWEN3_CODER, Text),
    family("nemotron3", QWEN3_CODER, Text),
    family("mimo", QWEN3_CODER, Text),
    family("step-3.5", QWEN3_CODER, Text),
    family("step3.5", QWEN3_CODER, Text),
    // Granite.
    family("granite-3", &["granite"], Text),
    family("granite3", &["granite"], Text),
    family("granite-4", HERMES, Text),
    family("granite4", HERMES, Text),
    family("granite-4.2*thinking", QWEN3_CODER, Text),
    // GLM, and those that write as it does.
    family("glm-4.5", GLM, Text),
    family("glm-4.6", GLM, Text),
    family("glm-4.7", GLM, Text),
    family("glm-4.8", GLM, Text),
    family("glm-4.9", GLM, Text),
    family("glm-5", GLM, Reasoning),
    family("glm4.5", GLM, Text),
    family("glm4.6", GLM, Text),
    family("glm4.7", GLM, Text),
    family("glm5", GLM, Reasoning),
    family("ling-3", GLM, Text),
    family("laguna", GLM, Text),
    family("spark", GLM, Text),
    family("codex-spark", NONE, Text),
    family("muse-spark", NONE, Text),
    // Sections of invocations.
    family("claude", &["invoke"], Text),
    family("minimax-m2", &["minimax-m2", "invoke"], Reasoning),
    family("minimax-m3", &["minimax-m3"], Text),
    family("deepseek-v3.2", DSML, Text),
    family("deepseek-v3.2-exp", DEEPSEEK_V31, Text),
    family("deepseek-v4", DSML, Reasoning),
    // Special tokens.
    family("deepseek-v3", DEEPSEEK_V3, Text),
    family("deepseek-v3.1", DEEPSEEK_V31, Text),
    family("deepseek-r1", DEEPSEEK_V3, Reasoning),
    family("deepseek-r1-distill", NONE, Reasoning),
    family("deepseek-r1-distill*llama-3", NONE, Reasoning),
    family("kimi-k2", &["kimi-k2"], Text),
    family("kimi-k2*thinking", &["kimi-k2"], Reasoning),
    family("kimi-k3", &["kimi-k3"], Reasoning),
    family("gpt-oss", &["harmony"], Text),
    family("mistral", MISTRAL, Text),
    family("ministral", MISTRAL, Text),
    family("mixtral", MISTRAL, Text),
    family("magistral", MISTRAL, Text),
    family("devstral", MISTRAL, Text),
    family("codestral", MISTRAL, Text),
    family("pixtral", MISTRAL, Text),
    family("gemma-4", &["gemma4"], Text),
    family("gemma4", &["gemma4"], Text),
    family("command-r7b", COMMAND_R, Text),
    family("command-a", COMMAND_R, Text),
    family("command-5", &["cohere-cofl"], Text),
    family("lfm2", &["lfm2"], Text),
    // JSON and Python without tags.
    family("llama-3", LLAMA3, Text),
    family("llama3", LLAMA3, Text),
    family("llama-4", PYTHONIC, Text),
    family("llama4", PYTHONIC, Text),
    family("olmo-3", PYTHONIC, Text),
    family("phi-4-mini", &["phi4"], Text),
    family("phi4-mini", &["phi4"], Text),
    family("nemotron*v2", JSON_ARRAY, Text),
    family("jamba", JSON_ARRAY, Text),
    family("apertus", JSON_ARRAY, Text),
    family("functionary", &["functionary"], Text),
];

impl Dialect {
    /// The dialect that a model was trained on, by its id, and where its stream begins.
    ///
    /// An id may have whatever a registry or provider puts round the name: `Qwen/Qwen3-Coder-30B`,
    /// `openrouter/qwen/qwen3-coder:free`, `qwen3-coder:30b`. Case does not matter, a family's name
    /// must begin where a word begins and must not end within a number, and the longest one
    /// decides. `None`: nothing is known of this model, or its dialect is none of this build's.
    ///
    /// | dialect | families |
    /// |---|---|
    /// | `hermes` | Hermes, Qwen 2.5 and 3, QwQ, Granite 4 |
    /// | `qwen3-coder` | Qwen3-Coder, Qwen 3.5 and later (begins in reasoning), Nemotron 3, MiMo, Step 3.5 |
    /// | `glm` | GLM 4.5 to 5.x (from 5 on it begins in reasoning), Ling 3, Laguna, Spark |
    /// | `invoke` | Claude without native tools, MiniMax M2 (begins in reasoning) |
    ///
    /// ```
    /// use toolstream::{Dialect, Start};
    ///
    /// let model = Dialect::for_model("Qwen/Qwen3-Coder-30B-A3B").expect("a known family");
    /// assert_eq!((model.dialect, model.start), (Dialect::QWEN3_CODER, Start::Text));
    /// assert_eq!(Dialect::for_model("my-own-model"), None);
    /// ```
    pub fn for_model(id: &str) -> Option<ModelMatch> {
        let family = family_of(id)?;
        Some(ModelMatch { dialect: first_known(family.dialects)?, start: family.start })
    }
}

/// The family whose name in this id is the longest; of two as long, the one that comes first in it.
pub(super) fn family_of(id: &str) -> Option<Family> {
    let id = id.to_lowercase();
    let found = |family: &Family| Some((family.name.len(), find(family.name, &id)?, *family));
    let best = FAMILIES.iter().filter_map(found).min_by_key(|(len, at, _)| (usize::MAX - len, *at));
    best.map(|(_, _, family)| family)
}

/// Where in the id the name stands.
fn find(name: &str, id: &str) -> Option<usize> {
    let (first, last) = name.split_once('*').unwrap_or((name, ""));
    let whole = |at: usize, piece: &str| {
        let (before, behind) = (&id[..at], &id[at + piece.len()..]);
        let begins = !before.ends_with(char::is_alphanumeric);
        let in_number = piece.ends_with(digit) && behind.starts_with(digit);
        begins && !in_number
    };
    id.match_indices(first).map(|(at, _)| at).find(|&at| {
        let behind = at + first.len();
        let follows = |(from, piece): (usize, &str)| from >= behind && whole(from, piece);
        whole(at, first) && (last.is_empty() || id.match_indices(last).any(follows))
    })
}

fn digit(sign: char) -> bool {
    sign.is_ascii_digit()
}
