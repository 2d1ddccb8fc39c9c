//! [`Dialect::for_model`]: the families of models, and what each of them was trained on.

use crate::dialect::Dialect;
use crate::options::Start::{self, Reasoning, Text};
use crate::options::ValueWhitespace;

/// What is known of a model by its name.
///
/// ```
/// use toolstream::{Dialect, Parser, Start};
///
/// let model = Dialect::for_model("zai-org/GLM-5").expect("a known family");
/// assert_eq!((&model.dialect, model.start), (&Dialect::GLM, Start::Reasoning));
/// let parser = Parser::builder(&model.dialect)
///     .start(model.start)
///     .value_whitespace(model.value_whitespace)
///     .build()?;
/// # Ok::<(), toolstream::BuildError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ModelMatch {
    /// How it writes its calls.
    pub dialect: Dialect,
    /// Where its stream begins: in reasoning, where its chat template ends in the opening tag by
    /// default. For many models thinking is a switch: where the host has the rendered prompt,
    /// [`Start::of_prompt`] knows better.
    pub start: Start,
    /// Whether white space at the ends of its values belongs to them.
    pub value_whitespace: ValueWhitespace,
}

/// A family of models.
#[derive(Clone, Copy, Debug)]
pub(super) struct Family {
    /// Its names in small letters, without a hyphen between a letter and a digit; `*` for anything
    /// between. Between two names stands a blank.
    names: &'static str,
    /// Its dialect, in this build or not; `None`: one that nobody has described.
    dialect: Option<&'static str>,
    pub start: Start,
    value_whitespace: ValueWhitespace,
}

impl Family {
    /// Its dialect, if this build has it.
    pub fn known_dialect(&self) -> Option<Dialect> {
        Dialect::by_name(self.dialect?).ok()
    }

    /// How the values of its dialect stand; of another one it says nothing.
    pub fn whitespace_in(&self, dialect: &Dialect) -> ValueWhitespace {
        let own = self.known_dialect().as_ref() == Some(dialect);
        if own { self.value_whitespace } else { ValueWhitespace::Default }
    }

    const fn verbatim(self) -> Family {
        Family { value_whitespace: ValueWhitespace::Verbatim, ..self }
    }
}

const fn family(dialect: &'static str, start: Start, names: &'static str) -> Family {
    let value_whitespace = ValueWhitespace::Default;
    Family { names, dialect: Some(dialect), start, value_whitespace }
}

const fn unknown(start: Start, names: &'static str) -> Family {
    Family { dialect: None, ..family("", start, names) }
}

/// The families, by dialect. The longest name decides, so the order is for readers. Rows of dialects
/// that this build does not have keep their models from being taken for others.
const FAMILIES: &[Family] = &[
    family(
        "hermes",
        Text,
        "hermes deephermes qwen2.5 qwen3 granite4 mimo-vl reka bielik smollm3 trinity exaone4 \
         k-exaone hermes*llama3 hermes*mistral hermes*mixtral hermes*qwen deephermes*llama3 \
         deephermes*mistral qwen3*claude",
    ),
    family("hermes", Reasoning, "qwq qwen3*thinking"),
    family("qwen3-coder", Text, "qwen3-coder nanbeige k-exaone2 granite4.2*thinking"),
    family(
        "qwen3-coder",
        Reasoning,
        "qwen3.5 qwen3.6 qwen3.7 qwen3.8 nemotron3 step3.5 step3.7 step5 stepfun",
    ),
    family("qwen3-coder", Text, "mimo").verbatim(),
    family("glm", Text, "glm4.5 glm4.6 laguna-xs"),
    family("glm", Reasoning, "glm4.7 glm4.8 glm4.9 glm5 spark2.5 ling3 laguna-s"),
    family("invoke", Text, "claude"),
    family("minimax-m2", Reasoning, "minimax-m2"),
    family("minimax-m3", Text, "minimax-m3"),
    family("deepseek-v3", Text, "deepseek-v3"),
    family("deepseek-v3", Reasoning, "deepseek-r1"),
    family("deepseek-v31", Text, "deepseek-v3.1 deepseek-v3.2-exp"),
    family("deepseek-dsml", Text, "deepseek-v3.2 deepseek-v4"),
    family("kimi-k2", Text, "kimi-k2"),
    family("kimi-k3", Reasoning, "kimi-k3"),
    family("harmony", Text, "gpt-oss"),
    family("beam", Text, "beam"),
    family("inkling", Text, "inkling"),
    family("muse", Text, "muse"),
    family("mistral", Text, "mistral ministral mixtral magistral devstral codestral pixtral"),
    family("command-r", Text, "command-r7b command-a"),
    family("command-r", Reasoning, "command-a*reasoning command-a-plus"),
    family("cohere-cofl", Text, "command5"),
    family("json-array", Text, "minimax-m1 apertus jamba hunyuan-a13b internlm intern-s1"),
    family("json-array", Reasoning, "nemotron*v2"),
    family("hunyuan", Text, "hy3 hunyuan3"),
    family("hunyuan", Reasoning, "hy4 hunyuan4"),
    family("gemma4", Text, "gemma4"),
    family("functiongemma", Text, "functiongemma"),
    family("llama3-json", Text, "llama3 xlam functionary*v3.1"),
    family("pythonic", Text, "llama4 olmo3 toolace"),
    family("granite", Text, "granite3 ernie4.5"),
    family("granite", Reasoning, "ernie4.5*thinking"),
    family("lfm2", Text, "lfm2"),
    family("phi4", Text, "phi4-mini"),
    family("functionary", Text, "functionary"),
    family("minicpm5", Text, "minicpm5"),
    family("solar-open", Text, "solar-open"),
    family("solar-open2", Reasoning, "solar-open2"),
    family("gigachat3", Text, "gigachat3"),
    family("gigachat35", Reasoning, "gigachat3.5"),
    family("seed-oss", Text, "seed-oss"),
    family("dots", Text, "dots"),
    family("apriel", Text, "apriel1.5"),
    family("apriel", Reasoning, "apriel1.6"),
    family("iquest-q1", Reasoning, "iquest-q1"),
    family("k2-horizon", Reasoning, "k2-horizon"),
    family("longcat", Text, "longcat"),
    family("longcat", Reasoning, "longcat*thinking"),
    family("plamo3", Reasoning, "plamo3"),
    family("step3", Reasoning, "step3"),
    // Related to the above in name alone.
    unknown(Text, "qwen3."),
    unknown(Reasoning, "deepseek-r1-distill deepseek-r1-distill*llama3"),
];

impl Dialect {
    /// The dialect that a model was trained on, by its id, and where its stream begins.
    ///
    /// An id may have whatever a registry or provider puts round the name: `Qwen/Qwen3-Coder-30B`,
    /// `openrouter/qwen/qwen3-coder:free`, `qwen3-coder:30b`. The last part between slashes that
    /// names a family counts. Case does not matter, nor does a hyphen before a number; a family's
    /// name must begin where a word begins and must not end within a number, and the longest one
    /// decides. `None`: nothing is known of this model, or its dialect is none of this build's.
    ///
    /// | dialect | families, *begin in reasoning* |
    /// |---|---|
    /// | `hermes` | Hermes, Qwen 2.5 and 3, Granite 4, MiMo-VL, Reka, Bielik, SmolLM3, Trinity, EXAONE 4, K-EXAONE; *QwQ, Qwen 3 Thinking* |
    /// | `qwen3-coder` | Qwen3-Coder, Nanbeige, K-EXAONE 2, Granite 4.2 Thinking, MiMo V2 (values verbatim); *Qwen 3.5 to 3.8, Nemotron 3, Step 3.5 and later* |
    /// | `glm` | GLM 4.5 and 4.6, Laguna XS; *GLM 4.7 and later, Spark 2.5, Ling 3, Laguna S* |
    /// | `invoke` | Claude without native tools |
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
        let dialect = family.known_dialect()?;
        let value_whitespace = family.whitespace_in(&dialect);
        Some(ModelMatch { dialect, start: family.start, value_whitespace })
    }
}

impl Dialect {
    /// The names of the model families that were trained on this dialect, as
    /// [`for_model`](Dialect::for_model) looks for them in an id: in small letters, `*` for anything
    /// between. Of two dialects the first one's. Empty for a dialect that a model writes because its
    /// prompt says so.
    ///
    /// ```
    /// use toolstream::Dialect;
    ///
    /// assert!(Dialect::GLM.models().any(|name| name == "glm4.6"));
    /// assert_eq!(Dialect::REACT.models().count(), 0);
    /// ```
    pub fn models(&self) -> impl Iterator<Item = &'static str> + use<> {
        let name = self.name().to_string();
        let of = move |family: &&Family| family.dialect == Some(&*name);
        FAMILIES.iter().filter(of).flat_map(|family| family.names.split_ascii_whitespace())
    }
}

/// The family whose name in this id is the longest; of two as long, the one that comes first in it.
/// The model's own part of the id goes before its owner's.
pub(super) fn family_of(id: &str) -> Option<Family> {
    let id = without_hyphens_before_numbers(&id.to_lowercase());
    id.rsplit('/').find_map(|part| {
        let names = FAMILIES.iter().flat_map(|of| of.names.split(' ').map(move |name| (name, of)));
        let found = names.filter_map(|(name, of)| Some((name.len(), find(name, part)?, *of)));
        let best = found.min_by_key(|(len, at, _)| (usize::MAX - len, *at));
        best.map(|(_, _, family)| family)
    })
}

/// `glm-4.7` and `glm4.7` are one name.
fn without_hyphens_before_numbers(id: &str) -> String {
    let mut chars = id.chars().peekable();
    let mut joined = String::with_capacity(id.len());
    while let Some(c) = chars.next() {
        let before = joined.ends_with(|c: char| c.is_ascii_alphabetic());
        if c != '-' || !before || !chars.peek().is_some_and(char::is_ascii_digit) {
            joined.push(c);
        }
    }
    joined
}

/// Where in the id the name stands.
fn find(name: &str, id: &str) -> Option<usize> {
    let (first, last) = name.split_once('*').unwrap_or((name, ""));
    let digit = |c: char| c.is_ascii_digit();
    let whole = |at: usize, piece: &str| {
        let (before, after) = (&id[..at], &id[at + piece.len()..]);
        let begins = !before.ends_with(char::is_alphanumeric);
        let in_number = piece.ends_with(digit) && after.starts_with(digit);
        begins && !in_number
    };
    id.match_indices(first).map(|(at, _)| at).find(|&at| {
        let after = at + first.len();
        let follows = |(from, piece): (usize, &str)| from >= after && whole(from, piece);
        whole(at, first) && (last.is_empty() || id.match_indices(last).any(follows))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A name that is written in another way would never be found.
    #[test]
    fn names_are_written_as_they_are_looked_up() {
        for name in FAMILIES.iter().flat_map(|family| family.names.split(' ')) {
            assert_eq!(without_hyphens_before_numbers(&name.to_lowercase()), name);
            assert_eq!(name.trim_matches(['*', '-']), name);
            assert!(find(name, &name.replace('*', "-")).is_some(), "{name}");
        }
    }
}
