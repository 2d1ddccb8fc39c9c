//! What a prompt that leaves the reasoning open ends in: whatever opens reasoning in one of the tables.

use std::sync::LazyLock;

use super::Dialect;
use super::spec::{DialectSpec, Piece, Place, Rule, Run, What};
use crate::options::Start;

/// Apriel's is no token: its template writes this sentence.
const SENTENCE: &str = "Here are my reasoning steps:";

static OPENERS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let tables = Dialect::ALL.iter().flat_map(|dialect| of_table(dialect.spec()));
    let mut all: Vec<String> = tables.chain([SENTENCE.to_string()]).collect();
    all.sort_unstable();
    all.dedup();
    all
});

impl Start {
    /// Where a stream begins whose prompt ends like this: in reasoning if the chat template has left a
    /// reasoning block open, that is, if the rendered prompt ends in `<think>`, `<|START_THINKING|>` or
    /// what else opens reasoning in one of the dialects, with white space after it or without. The end
    /// of the prompt is enough, say its last 200 bytes.
    ///
    /// It knows better than the model's name ([`Dialect::for_model`]): the
    /// templates of many models open the reasoning or not, as the request asks for.
    ///
    /// ```
    /// use toolstream::Start;
    ///
    /// assert_eq!(Start::of_prompt("<|im_start|>assistant\n<think>\n"), Start::Reasoning);
    /// assert_eq!(Start::of_prompt("<|im_start|>assistant\n<think>\n\n</think>\n\n"), Start::Text);
    /// ```
    pub fn of_prompt(end_of_prompt: &str) -> Start {
        let end = end_of_prompt.trim_end_matches([' ', '\t', '\r', '\n']);
        let open = ends_in_reasoning(end);
        if open || ends_in_suffixed_think(end) { Start::Reasoning } else { Start::Text }
    }
}

/// Whether a text ends in one of them.
fn ends_in_reasoning(text: &str) -> bool {
    OPENERS.iter().any(|opener| text.ends_with(&**opener))
}

/// Whether a prompt ends in Hunyuan's opener: `<think:opensource>`.
fn ends_in_suffixed_think(end: &str) -> bool {
    let suffix = end.strip_suffix('>').and_then(|end| end.rsplit_once("<think:"));
    suffix.is_some_and(|(_, suffix)| {
        !suffix.is_empty() && !suffix.contains([' ', '\t', '\r', '\n', '<', '>'])
    })
}

fn of_table(spec: &DialectSpec) -> Vec<String> {
    let reasons = |rule: &&Rule| match rule.action.what {
        What::Open(Place::Prose(kind)) => {
            spec.prose.get(kind as usize).is_some_and(|prose| prose.reasoning)
        }
        _ => false,
    };
    let prose = spec.prose.iter().flat_map(|kind| &kind.rules);
    let rules = prose.chain(spec.sections.iter().flat_map(|kind| &kind.rules));
    // No prompt is written with a mistake.
    let rules = rules.filter(|rule| rule.action.note.is_none());
    let texts = rules.filter(reasons).flat_map(|rule| texts(&rule.mark));
    texts.filter(|text| !text.is_empty()).collect()
}

/// The shortest texts that a marker may be; none if it holds a name.
fn texts(mark: &[Piece]) -> Vec<String> {
    let longer = |texts: Vec<String>, piece: &Piece| {
        let more = match piece {
            Piece::Lit(_) | Piece::Any(_) => piece.texts(),
            Piece::Until { to, .. } => std::slice::from_ref(to),
            Piece::Run(Run { min: 0, .. }) | Piece::At(_) | Piece::NotNext(_) => {
                return Some(texts);
            }
            _ => return None,
        };
        let with = |text: &String| more.iter().map(|more| format!("{text}{more}")).collect();
        Some(texts.iter().flat_map::<Vec<String>, _>(with).collect())
    };
    mark.iter().try_fold(vec![String::new()], longer).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    /// All of them, in order: what a prompt may end in.
    #[test]
    fn what_opens_reasoning() {
        let all = [
            "<ifm|think>",
            "<ifm|think_fast>",
            "<ifm|think_faster>",
            "<longcat_think>",
            "<mm:think>",
            "<seed:think>",
            "<think>",
            "<thinking>",
            "<|START_THINKING|>",
            "<|channel>thought",
            "<|channel|>analysis<|message|>",
            "<|content_thinking|>",
            "<|message_model|><|content_thinking|>",
            "<|open|>think<|sep|>",
            "<|plamo:begin_think:plamo|>",
            "<|start|>assistantto=developer<|message|>",
            "<|start|>assistantto=self<|message|>",
            "<|think:start|>",
            "<|think|>",
            "Here are my reasoning steps:",
            "[THINK]",
            "analysis<|message|>",
            "to=developer<|message|>",
            "to=self<|message|>",
        ];
        assert_eq!(*super::OPENERS, all);
    }
}
