//! What a prompt that leaves the reasoning open ends in: whatever opens reasoning in one of the tables.

use std::sync::LazyLock;

use super::Dialect;
use super::spec::{DialectSpec, Piece, Place, Rule, Run, What};

/// Apriel's is no token: its template writes this sentence.
const SENTENCE: &str = "Here are my reasoning steps:";

static OPENERS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let tables = Dialect::ALL.iter().flat_map(|dialect| of_table(dialect.spec()));
    let mut all: Vec<String> = tables.chain([SENTENCE.to_string()]).collect();
    all.sort_unstable();
    all.dedup();
    all
});

/// Whether a text ends in one of them.
pub(crate) fn ends_in_reasoning(text: &str) -> bool {
    OPENERS.iter().any(|opener| text.ends_with(&**opener))
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
    let texts = rules.filter(reasons).flat_map(|rule| texts(&rule.mark));
    texts.filter(|text| !text.is_empty()).collect()
}

/// The shortest texts that a marker may be; none if it holds a name.
fn texts(mark: &[Piece]) -> Vec<String> {
    let longer = |texts: Vec<String>, piece: &Piece| {
        let more = match piece {
            Piece::Lit(_) | Piece::Any(_) => piece.texts(),
            Piece::Until { to, .. } => std::slice::from_ref(to),
            Piece::Run(Run { min: 0, .. }) | Piece::At(_) => return Some(texts),
            _ => return None,
        };
        let with = |text: &String| more.iter().map(|more| format!("{text}{more}")).collect();
        Some(texts.iter().flat_map::<Vec<String>, _>(with).collect())
    };
    mark.iter().try_fold(vec![String::new()], longer).unwrap_or_default()
}
