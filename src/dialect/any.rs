//! [`Dialect::any`]: the dialects whose openers tell them apart.

use std::ops::Range;

use super::Dialect;

/// The number of dialects in [`APART`]. A program that asked the list for its length would link every dialect.
const COUNT: usize = 39;

/// The dialects of [`Dialect::any`], in the order in which their openers are asked for.
///
/// `tool-call` reads all that `hermes`, `qwen3-coder` and `glm` write, `deepseek-v3` reads `deepseek-v31`, and others here read
/// `minimax-m2`, `granite`, `apriel` and `wrapped-json`. `beam` and `muse` begin their messages with the tokens of `harmony`.
const APART: [Dialect; COUNT] = [
    Dialect::TOOL_CALL,
    Dialect::INVOKE,
    Dialect::DEEPSEEK_DSML,
    Dialect::KIMI_K2,
    Dialect::MISTRAL,
    Dialect::GEMMA4,
    Dialect::DEEPSEEK_V3,
    Dialect::MINIMAX_M3,
    Dialect::FUNCTIONARY,
    Dialect::HARMONY,
    Dialect::CLINE,
    Dialect::CODE_ASSISTANT,
    Dialect::REACT,
    Dialect::LLAMA3_JSON,
    Dialect::PYTHONIC,
    Dialect::LFM2,
    Dialect::OLMO3,
    Dialect::COMMAND_R,
    Dialect::COHERE_COFL,
    Dialect::KIMI_K3,
    Dialect::PHI4,
    Dialect::JSON_ARRAY,
    Dialect::CODE_ASSISTANT_CARET,
    Dialect::SEED_OSS,
    Dialect::LONGCAT,
    Dialect::IQUEST_Q1,
    Dialect::GIGACHAT35,
    Dialect::DOTS,
    Dialect::FUNCTIONGEMMA,
    Dialect::SOLAR_OPEN2,
    Dialect::HUNYUAN,
    Dialect::K2_HORIZON,
    Dialect::SOLAR_OPEN,
    Dialect::PLAMO3,
    Dialect::GIGACHAT3,
    Dialect::STEP3,
    Dialect::MINICPM5,
    Dialect::INKLING,
    Dialect::BARE_JSON,
];

/// The name of [`Dialect::any`], as [`Dialect::by_name`] takes it.
pub(super) const NAME: &str = "any";

impl Dialect {
    /// Returns all built-in dialects with distinct openers, joined, for text of an unknown model. By name it is `any`.
    ///
    /// Prompt, history and stop sequences are those of [`Dialect::TOOL_CALL`]. To tell the model another dialect and still read
    /// all, put that dialect first: `Dialect::REACT.and(Dialect::any())`.
    ///
    /// Declare the tools. JSON objects, Python calls and tags without a marker of their own are calls only if they name a
    /// declared tool. A name that cannot be a tag is no error here, as it is in a dialect whose tags are names.
    ///
    /// `beam` and `muse` are not read: their messages begin with the tokens of `harmony`. A message of `functionary` must have
    /// its opener. If you know the model, [`Dialect::for_model`] is the better choice: each dialect that is read takes more of
    /// what could be prose.
    ///
    /// ```
    /// use toolstream::{Dialect, Param, Parser, Tool};
    ///
    /// let tool = Tool::new("read").param(Param::required("path"));
    /// let mut parser = Parser::builder(Dialect::any()).tool(tool).tool_limit(None).build()?;
    /// let mut message = parser.message();
    /// // A marker is cut in two, and each call comes from another kind of model.
    /// for chunk in ["<tool_", "call>{\"name\": \"read\", \"arguments\": {\"path\": \"a\"}}</tool_call>\n", "[TOOL_CALLS]read[ARGS]{\"path\": \"b\"}"] {
    ///     parser.feed(chunk).for_each(|event| message.push(event));
    /// }
    /// parser.finish().for_each(|event| message.push(event));
    /// message.close();
    /// let paths: Vec<_> = message.calls().map(|call| call.input()["path"].clone()).collect();
    /// assert_eq!(paths, ["a", "b"]);
    /// # Ok::<(), toolstream::BuildError>(())
    /// ```
    pub fn any() -> Dialect {
        let [first, others @ ..] = &APART;
        let all = others.iter().fold(first.clone(), |all, other| all.and(other));
        Dialect { any_at: Some(0), ..all }
    }

    /// Returns the place of the dialects of [`Dialect::any`] among the joined ones, if they are there. Their names
    /// are not used: a program that never asks for all dialects links only its own.
    pub(super) fn any_range(&self) -> Option<Range<usize>> {
        self.any_at.map(|start| start..start + COUNT)
    }

    /// Whether [`Dialect::any`] is part of it.
    pub(crate) fn has_any(&self) -> bool {
        self.any_at.is_some()
    }
}
