//! [`Dialect::for_model`]: the families of models, and the dialect that each was trained on.

use std::sync::LazyLock;

use crate::dialect::Dialect;
use crate::options::Options;
use crate::options::Start::{self, Reasoning, Text};
use crate::options::ValueWhitespace::{self, Verbatim};

/// Facts about a model by its name, or about a whole family of models.
///
/// ```
/// use toolstream::{Dialect, Parser, options::Start};
///
/// let model = Dialect::for_model("zai-org/GLM-5").expect("a known family");
/// assert_eq!((model.dialect.name(), model.start), ("glm", Start::Reasoning));
/// // Without line breaks between the tags, other than GLM-4.6.
/// assert_eq!(model.dialect.form(), Some("inline"));
/// let parser = Parser::builder(&model.dialect).options(model.options()).build()?;
/// # Ok::<(), toolstream::BuildError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ModelMatch {
    /// The dialect of the model's calls, in the form that it writes.
    pub dialect: Dialect,
    /// The state in which its stream begins: reasoning, if its chat template ends in the opening tag by default. Many
    /// models can switch thinking off: with the rendered prompt, [`Start::of_prompt`] knows better.
    pub start: Start,
    /// The treatment of white space at the ends of its values: for some models it belongs to the values.
    pub value_whitespace: ValueWhitespace,
    /// Its family's names, a blank between two.
    names: &'static str,
}

impl ModelMatch {
    /// Makes the facts about a model of no known family whose prompt asks for this dialect.
    pub(super) fn unknown(dialect: Dialect) -> ModelMatch {
        ModelMatch { dialect, start: Text, value_whitespace: ValueWhitespace::Default, names: "" }
    }

    /// Returns the names of the family in small letters, as [`Dialect::for_model`] looks for them in an id. `*`
    /// stands for anything.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + use<> {
        self.names.split(' ').filter(|name| !name.is_empty())
    }

    /// Returns the default options, changed by the known facts about the model.
    pub fn options(&self) -> Options {
        let (start, value_whitespace) = (self.start, self.value_whitespace);
        Options { start, value_whitespace, ..Options::default() }
    }
}

/// A family of models: its names, and its dialect.
#[derive(Clone, Copy, Debug)]
pub(super) struct ModelFamily {
    /// Its names, a blank between two; `*` for anything.
    names: &'static str,
    /// Its dialect, in the form that it writes; empty: its dialect is unknown here.
    dialect: &'static str,
    start: Start,
    value_whitespace: ValueWhitespace,
}

impl ModelFamily {
    /// Its dialect, in the form that it writes.
    fn dialect(&self) -> Option<Dialect> {
        Dialect::by_name(self.dialect).ok()
    }

    /// Returns the facts for models whose prompt asks for this dialect. For a model's own dialect, they have its form.
    pub(super) fn as_match(&self, dialect: &Dialect) -> ModelMatch {
        let own = self.dialect().filter(|own| own == dialect);
        let value_whitespace =
            if own.is_some() { self.value_whitespace } else { ValueWhitespace::Default };
        let dialect = own.filter(|_| dialect.form().is_none()).unwrap_or_else(|| dialect.clone());
        ModelMatch { dialect, start: self.start, value_whitespace, names: self.names }
    }
}

const fn family(dialect: &'static str, start: Start, names: &'static str) -> ModelFamily {
    ModelFamily { names, dialect, start, value_whitespace: ValueWhitespace::Default }
}

const fn verbatim(dialect: &'static str, start: Start, names: &'static str) -> ModelFamily {
    ModelFamily { value_whitespace: Verbatim, ..family(dialect, start, names) }
}

/// A family with a dialect that is unknown here, although its name is like another's.
const fn unknown(start: Start, names: &'static str) -> ModelFamily {
    family("", start, names)
}

/// The families, by dialect. The longest name decides, so the order is for readers.
#[rustfmt::skip]
const FAMILIES: &[ModelFamily] = &[
    family("invoke", Text, "claude"),
    family("hermes", Text, "hermes deephermes qwen3 granite-4 mimo-vl reka bielik smollm3 trinity"),
    family("hermes+bare-json", Text, "qwen2.5"),
    family("bare-json", Text, "codellama starcoder2 deepseek-coder deepseek-coder-v2*lite"),
    family("hermes", Text, "exaone-4 k-exaone qwen3*claude groq*tool-use"),
    family("hermes", Text, "hermes*llama-3 hermes*mistral hermes*mixtral hermes*qwen deephermes*llama-3 deephermes*mistral"),
    family("hermes", Reasoning, "qwq qwen3*thinking"),
    family("qwen3-coder", Text, "qwen3-coder nanbeige k-exaone-2 granite-4.2 ornith"),
    family("qwen3-coder", Reasoning, "qwen3.5 qwen3.6 qwen3.7 qwen3.8 nemotron-3"),
    family("qwen3-coder", Reasoning, "qwen3.5*thinking qwen3.6*thinking qwen3.7*thinking qwen3.8*thinking"),
    family("qwen3-coder", Reasoning, "qwen3.5*claude qwen3.6*claude qwen3.7*claude qwen3.8*claude"),
    family("qwen3-coder", Reasoning, "step-3.5 step-3.7 step-5 stepfun granite-4.2*thinking"),
    verbatim("qwen3-coder", Text, "mimo-v2"),
    family("glm", Text, "glm-4.5 glm-4.6 laguna-xs hyperclovax*think-32b"),
    family("glm:inline", Reasoning, "glm-4.7 glm-4.8 glm-4.9 glm-5 spark-2.5 ling-3 laguna-s"),
    family("minimax-m2", Reasoning, "minimax-m2"),
    family("minimax-m3", Text, "minimax-m3"),
    family("deepseek-v3", Text, "deepseek-v3 deepseek-chat-v3 cogito*v2.1"),
    family("deepseek-v3", Reasoning, "deepseek-r1"),
    family("deepseek-v31", Text, "deepseek-v3.1 deepseek-chat-v3.1 deepseek-v3*terminus deepseek-v3.2-exp"),
    family("deepseek-dsml", Text, "deepseek-v4"),
    family("deepseek-dsml:v3.2", Text, "deepseek-v3.2"),
    family("deepseek-dsml:v4.1", Text, "deepseek-v4.1"),
    family("kimi-k2", Text, "kimi-k2"),
    family("kimi-k3", Reasoning, "kimi-k3"),
    family("harmony", Text, "gpt-oss llm-jp-4"),
    family("beam", Text, "beam"),
    family("inkling", Text, "inkling"),
    family("muse", Text, "muse"),
    family("mistral", Text, "mistral ministral magistral devstral"),
    family("mistral:v3", Text, "mistral-7b mistral-nemo mixtral mistral-large*2407 mistral-small*2409"),
    family("mistral:v3", Text, "ministral-8b ministral-3b ministral*2410 codestral pixtral"),
    family("mistral:v7", Text, "mistral-large*2411 pixtral-large mistral-small*2501 mistral-small-3.1 mistral-small*2503"),
    family("mistral:v11", Text, "mistral-small-3.2 mistral-small*2506 magistral*2506"),
    family("command-r", Text, "command-r7b command-a"),
    family("command-r", Reasoning, "command-a*reasoning command-a-plus"),
    family("cohere-cofl", Text, "command-5"),
    family("json-array", Text, "jamba hunyuan-a13b"),
    family("json-array:lines", Text, "minimax-m1"),
    family("json-array:nemotron", Reasoning, "nemotron-nano*v2"),
    family("json-array:nemotron", Text, "llama*nemotron-nano llama*nemotron-ultra"),
    family("json-array:nemotron", Text, "nemotron-ultra nemotron-super*v1.5"),
    family("json-array:internlm", Text, "internlm intern-s1"),
    family("json-array:apertus", Text, "apertus"),
    family("hunyuan", Text, "hy3 hunyuan-3"),
    family("hunyuan:4", Reasoning, "hy4 hunyuan-4"),
    family("gemma4", Text, "gemma-4"),
    family("functiongemma", Text, "functiongemma"),
    family("llama3-json", Text, "llama-3.1 llama-3.2 llama-3.3 llama-v3.1 llama-v3.2 llama-v3.3 functionary*v3.1"),
    family("llama3-json:xlam", Text, "xlam llama*xlam"),
    family("pythonic", Text, "llama-4 llama-v4 toolace toolace*llama watt-tool watt-tool*llama"),
    family("olmo3", Text, "olmo-3"),
    family("olmo3", Reasoning, "olmo-3*think"),
    family("granite", Text, "granite-3"),
    family("granite:ernie", Text, "ernie-4.5"),
    family("granite:ernie", Reasoning, "ernie-4.5*thinking"),
    family("lfm2", Text, "lfm2"),
    family("phi4", Text, "phi-4-mini firefunction"),
    family("functionary", Text, "functionary"),
    family("minicpm5", Text, "minicpm5"),
    family("solar-open", Text, "solar-open"),
    family("solar-open2", Reasoning, "solar-open-2"),
    family("gigachat3:role", Text, "gigachat3"),
    family("gigachat3", Text, "gigachat3.1"),
    family("gigachat35", Reasoning, "gigachat3.5"),
    family("seed-oss", Text, "seed-oss"),
    family("dots", Text, "dots"),
    family("apriel", Text, "apriel-1.5"),
    family("apriel", Reasoning, "apriel-1.6"),
    family("iquest-q1", Reasoning, "iquest-q1"),
    family("k2-horizon", Reasoning, "k2-horizon"),
    family("longcat", Text, "longcat"),
    family("longcat:json", Text, "longcat-flash-chat"),
    family("longcat", Reasoning, "longcat*thinking"),
    family("plamo3", Reasoning, "plamo-3"),
    family("step3", Reasoning, "step-3"),
    // Related to the family above only in name.
    unknown(Text, "deepseek-coder-v2"),
    unknown(Text, "qwen3. qwen3.*thinking qwen3.*claude"),
    unknown(Reasoning, "deepseek-r1*qwen3 deepseek-r1:1.5b deepseek-r1:7b deepseek-r1:8b deepseek-r1:14b deepseek-r1:32b deepseek-r1:70b"),
    unknown(Text, "mistral-7b*v0.1 mistral-7b*v0.2 nemotron-super*v1 llama*nemotron"),
];

/// Words that show a fine-tune, a distillation or a model of another kind. Such a model does not write the dialect
/// of its base, however long the base's name in its own is.
const NO_BASE: &[ModelFamily] = &[
    unknown(Reasoning, "deepseek-r1*distill"),
    unknown(Text, "distill tulu dolphin openhermes hermes-2.5 nous-hermes embed rerank guard"),
];

/// The names in the compared form, the longest first.
static NAMES: LazyLock<Vec<(String, &ModelFamily)>> = LazyLock::new(|| {
    let name = |family| move |name| (as_compared(name), family);
    let mut names: Vec<_> =
        FAMILIES.iter().flat_map(|of| of.names.split(' ').map(name(of))).collect();
    names.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
    names
});

impl Dialect {
    /// Returns the dialect that a model was trained on, by its id, and the state in which its stream begins.
    ///
    /// An id may have anything that a registry or provider puts around the name: `Qwen/Qwen3-Coder-30B`,
    /// `openrouter/qwen/qwen3-coder:free`, `qwen3-coder:30b`. The last part between slashes that names a family
    /// counts. Case does not matter, nor does whether `-`, `_`, a blank or nothing stands before a number; a
    /// version's point may be a `p`, `_` or `-` (`llama-v3p1`, `llama3-3-70b`). A family's name must begin where a
    /// word begins and must not end within a number; the longest one decides. A fine-tune or a distillation that says
    /// so in its name (`dolphin`, `tulu`, `…distill…`) does not belong to its base's family. `None`: the model is
    /// unknown; the result is never a guess. Your own knowledge goes first:
    /// [`Router::models`](crate::model::Router::models).
    ///
    /// | dialect, and its form | begins in | names |
    /// |---|---|---|
    /// | `invoke` | text | claude |
    /// | `hermes+bare-json` | text | qwen2.5 |
    /// | `bare-json` | text | codellama, starcoder2, deepseek-coder, deepseek-coder-v2…lite |
    /// | `hermes` | text | hermes, deephermes, qwen3, granite-4, mimo-vl, reka, bielik, smollm3, trinity |
    /// | `hermes` | text | exaone-4, k-exaone, qwen3…claude, groq…tool-use |
    /// | `hermes` | text | hermes…llama-3, hermes…mistral, hermes…mixtral, hermes…qwen, deephermes…llama-3, deephermes…mistral |
    /// | `hermes` | reasoning | qwq, qwen3…thinking |
    /// | `qwen3-coder` | text | qwen3-coder, nanbeige, k-exaone-2, granite-4.2, ornith |
    /// | `qwen3-coder` | reasoning | qwen3.5, qwen3.6, qwen3.7, qwen3.8, nemotron-3 |
    /// | `qwen3-coder` | reasoning | qwen3.5…thinking, qwen3.6…thinking, qwen3.7…thinking, qwen3.8…thinking |
    /// | `qwen3-coder` | reasoning | qwen3.5…claude, qwen3.6…claude, qwen3.7…claude, qwen3.8…claude |
    /// | `qwen3-coder` | reasoning | step-3.5, step-3.7, step-5, stepfun, granite-4.2…thinking |
    /// | `qwen3-coder` | text | mimo-v2 (values verbatim) |
    /// | `glm` | text | glm-4.5, glm-4.6, laguna-xs, hyperclovax…think-32b |
    /// | `glm:inline` | reasoning | glm-4.7, glm-4.8, glm-4.9, glm-5, spark-2.5, ling-3, laguna-s |
    /// | `minimax-m2` | reasoning | minimax-m2 |
    /// | `minimax-m3` | text | minimax-m3 |
    /// | `deepseek-v3` | text | deepseek-v3, deepseek-chat-v3, cogito…v2.1 |
    /// | `deepseek-v3` | reasoning | deepseek-r1 |
    /// | `deepseek-v31` | text | deepseek-v3.1, deepseek-chat-v3.1, deepseek-v3…terminus, deepseek-v3.2-exp |
    /// | `deepseek-dsml` | text | deepseek-v4 |
    /// | `deepseek-dsml:v3.2` | text | deepseek-v3.2 |
    /// | `deepseek-dsml:v4.1` | text | deepseek-v4.1 |
    /// | `kimi-k2` | text | kimi-k2 |
    /// | `kimi-k3` | reasoning | kimi-k3 |
    /// | `harmony` | text | gpt-oss, llm-jp-4 |
    /// | `beam` | text | beam |
    /// | `inkling` | text | inkling |
    /// | `muse` | text | muse |
    /// | `mistral` | text | mistral, ministral, magistral, devstral |
    /// | `mistral:v3` | text | mistral-7b, mistral-nemo, mixtral, mistral-large…2407, mistral-small…2409 |
    /// | `mistral:v3` | text | ministral-8b, ministral-3b, ministral…2410, codestral, pixtral |
    /// | `mistral:v7` | text | mistral-large…2411, pixtral-large, mistral-small…2501, mistral-small-3.1, mistral-small…2503 |
    /// | `mistral:v11` | text | mistral-small-3.2, mistral-small…2506, magistral…2506 |
    /// | `command-r` | text | command-r7b, command-a |
    /// | `command-r` | reasoning | command-a…reasoning, command-a-plus |
    /// | `cohere-cofl` | text | command-5 |
    /// | `json-array` | text | jamba, hunyuan-a13b |
    /// | `json-array:lines` | text | minimax-m1 |
    /// | `json-array:nemotron` | reasoning | nemotron-nano…v2 |
    /// | `json-array:nemotron` | text | llama…nemotron-nano, llama…nemotron-ultra |
    /// | `json-array:nemotron` | text | nemotron-ultra, nemotron-super…v1.5 |
    /// | `json-array:internlm` | text | internlm, intern-s1 |
    /// | `json-array:apertus` | text | apertus |
    /// | `hunyuan` | text | hy3, hunyuan-3 |
    /// | `hunyuan:4` | reasoning | hy4, hunyuan-4 |
    /// | `gemma4` | text | gemma-4 |
    /// | `functiongemma` | text | functiongemma |
    /// | `llama3-json` | text | llama-3.1, llama-3.2, llama-3.3, llama-v3.1, llama-v3.2, llama-v3.3, functionary…v3.1 |
    /// | `llama3-json:xlam` | text | xlam, llama…xlam |
    /// | `pythonic` | text | llama-4, llama-v4, toolace, toolace…llama, watt-tool, watt-tool…llama |
    /// | `olmo3` | text | olmo-3 |
    /// | `olmo3` | reasoning | olmo-3…think |
    /// | `granite` | text | granite-3 |
    /// | `granite:ernie` | text | ernie-4.5 |
    /// | `granite:ernie` | reasoning | ernie-4.5…thinking |
    /// | `lfm2` | text | lfm2 |
    /// | `phi4` | text | phi-4-mini, firefunction |
    /// | `functionary` | text | functionary |
    /// | `minicpm5` | text | minicpm5 |
    /// | `solar-open` | text | solar-open |
    /// | `solar-open2` | reasoning | solar-open-2 |
    /// | `gigachat3:role` | text | gigachat3 |
    /// | `gigachat3` | text | gigachat3.1 |
    /// | `gigachat35` | reasoning | gigachat3.5 |
    /// | `seed-oss` | text | seed-oss |
    /// | `dots` | text | dots |
    /// | `apriel` | text | apriel-1.5 |
    /// | `apriel` | reasoning | apriel-1.6 |
    /// | `iquest-q1` | reasoning | iquest-q1 |
    /// | `k2-horizon` | reasoning | k2-horizon |
    /// | `longcat` | text | longcat |
    /// | `longcat:json` | text | longcat-flash-chat |
    /// | `longcat` | reasoning | longcat…thinking |
    /// | `plamo3` | reasoning | plamo-3 |
    /// | `step3` | reasoning | step-3 |
    ///
    /// ```
    /// use toolstream::{Dialect, options::Start};
    ///
    /// let model = Dialect::for_model("Qwen/Qwen3-Coder-30B-A3B").expect("a known family");
    /// assert_eq!((model.dialect, model.start), (Dialect::QWEN3_CODER, Start::Text));
    /// assert_eq!(Dialect::for_model("my-own-model"), None);
    /// ```
    pub fn for_model(id: &str) -> Option<ModelMatch> {
        let family = family_of(id)?;
        Some(family.as_match(&family.dialect()?))
    }

    /// Returns the families of models that write this dialect, in any form.
    ///
    /// ```
    /// use toolstream::{Dialect, options::Start};
    ///
    /// let thinks = Dialect::GLM.models().find(|family| family.start == Start::Reasoning);
    /// let family = thinks.expect("GLM 4.7 and later");
    /// assert_eq!(family.names().next(), Some("glm-4.7"));
    /// assert_eq!(family.dialect.to_string(), "glm:inline");
    /// ```
    pub fn models(&self) -> impl Iterator<Item = ModelMatch> {
        let own = move |family: &ModelFamily| family.dialect().filter(|of| of == self);
        FAMILIES.iter().filter_map(move |family| Some(family.as_match(&own(family)?)))
    }
}

/// Returns the family with the longest name in this id; if two are equally long, the one that comes first.
/// The model's own part of the id counts before its owner's.
pub(super) fn family_of(id: &str) -> Option<&'static ModelFamily> {
    let id = as_compared(id);
    id.rsplit('/').find_map(|part| no_base(part).or_else(|| longest_of(part)))
}

/// Returns the family of a model that names itself a member of no family.
fn no_base(part: &str) -> Option<&'static ModelFamily> {
    NO_BASE.iter().find(|family| family.names.split(' ').any(|name| holds(part, name)))
}

/// Whether the pieces of a name stand in the id, in this order.
fn holds(part: &str, name: &str) -> bool {
    let mut rest = part;
    as_compared(name).split('*').all(|piece| match rest.split_once(piece) {
        Some((_, after)) => {
            rest = after;
            true
        }
        None => false,
    })
}

fn longest_of(part: &str) -> Option<&'static ModelFamily> {
    best_of(part).into_iter().min_by_key(|(at, _)| *at).map(|(_, family)| family)
}

/// Returns the places of the longest names in a part of an id; several, if they are equally long.
fn best_of(part: &str) -> Vec<(usize, &'static ModelFamily)> {
    let found = NAMES.iter().filter_map(|(name, of)| Some((name.len(), find(name, part)?, *of)));
    let mut found = found.peekable();
    let longest = found.peek().map_or(0, |(len, ..)| *len);
    found.take_while(|(len, ..)| *len == longest).map(|(_, at, of)| (at, of)).collect()
}

/// Returns an id or a name in the form for comparisons: `GLM_4.7`, `glm 4p7`, `glm4-7` and `glm-4.7` are
/// equal.
///
/// The form has small letters, and `-` between words. Between two digits `p` and `_` become the point of a version, and so does `-`
/// if neither a digit nor a letter follows the second: `llama-3-3-70b` is version 3.3, but `llama-3-8b` is version 3. None of them
/// becomes a point before a number that has a point: `qwen3-0.6b` is version 3. Nothing stands between a word and its number.
fn as_compared(id: &str) -> String {
    let id: Vec<char> = id.to_lowercase().chars().collect();
    let digit = |at: Option<usize>| {
        at.and_then(|at| id.get(at)).is_some_and(|of: &char| of.is_ascii_digit())
    };
    let mut compared = String::with_capacity(id.len());
    for (at, &c) in id.iter().enumerate() {
        let between_digits = digit(at.checked_sub(1)) && digit(Some(at + 1));
        let ends = !id.get(at + 2).is_some_and(|of| of.is_alphanumeric());
        // The number has a point of its own: it is a size, as in `qwen3-0.6b`.
        let size = id.get(at + 2) == Some(&'.') && digit(Some(at + 3));
        let between_digits = between_digits && !size;
        match c {
            'p' | '_' if between_digits => compared.push('.'),
            '-' if between_digits && ends => compared.push('.'),
            '-' | '_' | ' ' => {
                let after_word = compared.ends_with(|of: char| of.is_ascii_alphabetic());
                if !(after_word && digit(Some(at + 1))) {
                    compared.push('-');
                }
            }
            c => compared.push(c),
        }
    }
    compared
}

/// Returns the place of a name in an id.
fn find(name: &str, id: &str) -> Option<usize> {
    let (first, last) = name.split_once('*').unwrap_or((name, ""));
    let digit = |c: char| c.is_ascii_digit();
    let whole = |at: usize, piece: &str| {
        let (before, after) = (&id[..at], &id[at + piece.len()..]);
        // The hyphen before a number was removed.
        let begins = if piece.starts_with(digit) {
            !before.ends_with(digit)
        } else {
            !before.ends_with(char::is_alphanumeric)
        };
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

    /// Every dialect and every form of a family exists.
    #[test]
    fn dialects_of_families_are_there() {
        for family in FAMILIES.iter().filter(|family| !family.dialect.is_empty()) {
            assert!(family.dialect().is_some(), "{family:?}");
        }
    }

    #[test]
    fn a_name_belongs_to_one_family_and_is_found() {
        for (number, (name, family)) in NAMES.iter().enumerate() {
            assert_eq!(*name, name.to_lowercase());
            let id = name.replace('*', "-8b-");
            assert_eq!(best_of(&id).len(), 1, "{name}");
            assert!(std::ptr::eq(family_of(&id).expect(name), *family), "{name}");
            let again = NAMES[number + 1..].iter().find(|(other, _)| name == other);
            assert!(again.is_none(), "{name} is the name of two families");
        }
    }

    #[test]
    fn the_docs_list_every_family() {
        for family in FAMILIES.iter().filter(|family| !family.dialect.is_empty()) {
            let start = if family.start == Reasoning { "reasoning" } else { "text" };
            let names = family.names.replace(' ', ", ").replace('*', "…");
            let values =
                if family.value_whitespace == Verbatim { " (values verbatim)" } else { "" };
            let row = format!("    /// | `{}` | {start} | {names}{values} |\n", family.dialect);
            assert!(include_str!("models.rs").contains(&row), "{row}");
        }
    }

    #[test]
    fn ids_are_compared_by_what_they_say() {
        for (id, compared) in [
            ("GLM_4.7", "glm4.7"),
            ("glm 4p7", "glm4.7"),
            ("glm-4-7", "glm4.7"),
            ("glm-4_air", "glm4-air"),
            ("llama-3-3-70b", "llama3.3-70b"),
            ("llama-3-8b", "llama3-8b"),
            ("Qwen3-0.6B", "qwen3-0.6b"),
            ("qwen3_1.7b", "qwen3-1.7b"),
            ("glm-4-7.gguf", "glm4.7.gguf"),
        ] {
            assert_eq!(as_compared(id), compared, "{id}");
        }
        // The text behind the gap of a name must come after the text before it.
        assert_eq!((find("glm*v", "glm4.5-v"), find("glm*v", "v-glm4.5")), (Some(0), None));
        assert_eq!(find("glm*v", "glm4.5-av"), None);
    }

    /// A size belongs to no version, in any notation.
    #[test]
    fn sizes_are_no_versions() {
        let sizes = ["0.6", "1.7", "4", "8", "14", "32", "30b-a3", "235b-a22"];
        for (name, dialect) in
            [("Qwen/Qwen3", "hermes"), ("ibm-granite/granite-4.2", "qwen3-coder")]
        {
            for size in sizes {
                for between in ["-", ":"] {
                    let id = format!("{name}{between}{size}b");
                    let model = Dialect::for_model(&id);
                    assert_eq!(model.expect(&id).dialect.name(), dialect, "{id}");
                }
            }
        }
    }

    /// The family of a name is the same for every size, unless the size has a family of its own.
    #[test]
    fn sizes_change_no_family() {
        let sizes = ["0.5b", "0.6B", "1.7b", "7.5b", "8B", "30b-a3b", "235B-A22B"];
        for (name, family) in NAMES.iter().filter(|(name, _)| !name.contains('*')) {
            // A name with a size of its own, or one that the text behind it decides.
            if family.dialect.is_empty() || name.contains(':') {
                continue;
            }
            for size in sizes {
                let id = format!("org/{name}-{size}");
                if NAMES.iter().any(|(other, _)| {
                    other.len() > name.len() && find(other, &as_compared(&id)).is_some()
                }) {
                    continue;
                }
                let found = family_of(&id).map(|family| family.dialect);
                assert_eq!(found, Some(family.dialect), "{id}");
            }
        }
    }

    /// An id with two equally long names would be a tie: no model may be in two families.
    #[test]
    fn no_model_is_in_two_families() {
        let ids =
            include_str!("../../tests/models.txt").lines().flat_map(|line| line.split(' ').skip(2));
        for id in ids {
            let id = as_compared(id);
            let best = id.rsplit('/').map(best_of).find(|best| !best.is_empty());
            assert!(best.is_none_or(|best| best.len() == 1), "{id}");
        }
    }
}
