//! The vectors as samples, and soup of them.

use serde_json::{Value, json};
use toolstream::{
    Dialect, Parser, Tool,
    options::{CallsInReasoning, Fences, Options, Recoveries, Start},
};

use super::soup::{self, Choices};

/// A text with its tools and options.
pub struct Sample {
    pub text: String,
    pub tools: Vec<Tool>,
    pub options: Options,
}

impl Sample {
    pub fn parser(&self, dialect: &Dialect) -> Parser {
        let builder = Parser::builder(dialect).tools(self.tools.clone());
        builder.options(self.options.clone()).build().expect("a dialect that can be read")
    }
}

/// The vectors of a dialect.
pub fn vectors(name: &str) -> Vec<Sample> {
    let path = format!("{}/tests/vectors/{name}.jsonl", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    text.lines().filter_map(sample).collect()
}

fn sample(line: &str) -> Option<Sample> {
    let vector: Value = serde_json::from_str(line).expect("a vector");
    let text = vector["input"].as_str()?.to_string();
    let tools = Tool::list_from_json(vector.get("tools").unwrap_or(&json!([]))).ok()?;
    let mut config = vector.get("config").cloned().unwrap_or(json!({}));
    config.as_object_mut()?.remove("ended");
    Some(Sample { text, tools, options: Options::from_json(&config).ok()? })
}

/// Cuts vectors at brackets, quotes and line ends, and joins them with parts left out.
pub fn soup(vectors: &[Sample], seed: u64) -> Sample {
    let data = soup::seeded(seed, 200);
    let mut choices = Choices::new(&data);
    let pick = |choices: &mut Choices<'_>| {
        &vectors[(choices.below(256) << 8 | choices.below(256)) % vectors.len()]
    };
    let first = pick(&mut choices);
    let mut options = first.options.clone();
    options.tool_limit = choices.of(&[None, None, Some(1)]);
    // Some samples get other options than their vector.
    if choices.one_in(4) {
        options.start = choices.of(&[Start::Text, Start::Reasoning]);
        let of = [CallsInReasoning::Extract, CallsInReasoning::Ignore];
        options.calls_in_reasoning = choices.of(&[None, Some(of[0]), Some(of[1])]);
        options.fences = choices.of(&[Fences::Parse, Fences::Quote]);
        options.recoveries = choices.of(&[Recoveries::Lenient, Recoveries::Strict]);
    }
    let mut text = String::new();
    for part in 0..=choices.below(3) {
        let from = if part == 0 { first } else { pick(&mut choices) };
        for piece in from.text.split_inclusive(['<', '>', '{', '}', '[', '|', '"', '`', '\n']) {
            if !choices.one_in(9) && text.len() < 400 {
                text.push_str(piece);
            }
        }
    }
    Sample { text, tools: first.tools.clone(), options }
}
