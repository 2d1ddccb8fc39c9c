//! `kimi-k3`: special tokens for `<`, `</` and `>`.
//!
//! ```text
//! call  := "<|open|>call" ws "tool" ws "=" ws ATTR … "<|sep|>" ( param* | json ) "<|close|>call<|sep|>"
//! param := "<|open|>argument" ws "key" ws "=" ws ATTR ( ws "type" ws "=" ws ATTR )? … "<|sep|>" value
//!          "<|close|>argument<|sep|>"
//! json  := "<|open|>json" … "<|sep|>" ws object "<|close|>json<|sep|>"
//! ```
//! Types; entities in attributes, which may stand in another order. Reasoning is in `think`, text in `response`.

use std::borrow::Cow::Borrowed;

use super::{Invoke, PROMPT, plain};
use crate::dialect::build::{prefixed, rule};
use crate::dialect::parts::{prose_with, reasoning_between};
use crate::dialect::spec::{Chars, DialectSpec, Framing, Pattern, Piece, Rule, Run, Text};
use crate::dialect::template::{CALL, CallForm, Template, params, results, stop};
use crate::event::TypeHint;
use crate::pattern;

const TAGS: Invoke = Invoke {
    open: &["<|open|>tools<|sep|>"],
    close: &["<|close|>tools<|sep|>"],
    invoke: &["<|open|>call"],
    end_invoke: &["<|close|>call<|sep|>"],
    param: &["<|open|>argument"],
    end_param: &["<|close|>argument<|sep|>"],
    end: "<|sep|>",
    boundary: &["<|close|>message<|sep|>", "<|end_of_msg|>", "<|im_end|>", "[EOS]"],
    tokens: true,
    framing: Framing::None,
    attributes: ["tool", "key", "type"],
    hints: &[
        ("string", TypeHint::String),
        ("number", TypeHint::Json),
        ("boolean", TypeHint::Json),
        ("null", TypeHint::Json),
        ("object", TypeHint::Json),
        ("array", TypeHint::Json),
    ],
    object: Some([&["<|open|>json"], &["<|close|>json<|sep|>"]]),
    types_first: true,
    number: Some("index"),
    entities: true,
    special: Some(&["<|close|>call<|sep|>"]),
    ..plain::TAGS
};

/// The dialect `kimi-k3`.
pub(in crate::dialect) fn kimi_k3() -> DialectSpec {
    let about = "<|open|>call tool=\"…\"<|sep|>, arguments with types, all in special tokens";
    let rest = Run { chars: Chars::except("<"), min: 0, max: 256 };
    let mut text = TAGS.text();
    for tag in ["<|open|>response", "<|open|>message"] {
        text.push(rule(pattern![tag, rest, "<|sep|>"]));
    }
    text.push(rule(pattern!["<|close|>response<|sep|>"]));
    let think = pattern!["<|open|>think", rest, "<|sep|>"];
    let reasoning = reasoning_between(think, pattern!["<|close|>think<|sep|>"]);
    let spec = TAGS.dialect("kimi-k3", about, template());
    let mut spec = DialectSpec { prose: prose_with(text, reasoning), ..spec };
    for rules in spec.rule_lists_mut() {
        *rules = std::mem::take(rules).into_iter().flat_map(with_gaps).collect();
    }
    spec
}

/// The rule with white space allowed round the words between its tokens: a rule for each of the texts of
/// which its marker is one.
fn with_gaps(rule: Rule) -> Vec<Rule> {
    let follow: Vec<Pattern> = rule.follow.iter().flat_map(|element| gaps(element).0).collect();
    let before = rule.mark.len().min(rule.fixed.into());
    let (marks, added) = gaps(&rule.mark);
    let (_, fixed) = gaps(&rule.mark[..before]);
    debug_assert!(added >= fixed, "what is fixed is a part of the marker");
    let marked =
        |mark| Rule { mark, follow: follow.clone(), fixed: rule.fixed + fixed, ..rule.clone() };
    marks.into_iter().map(marked).collect()
}

/// What a pattern becomes, one for each of its texts, and how many pieces come with it.
fn gaps(pattern: &[Piece]) -> (Vec<Pattern>, u8) {
    let mut patterns = vec![Pattern::new()];
    let mut added = 0;
    for piece in pattern {
        let texts: Vec<Pattern> = match piece {
            Piece::Lit(text) => vec![gaps_in(text)],
            Piece::Any(texts) => texts.iter().map(gaps_in).collect(),
            other => vec![vec![other.clone()]],
        };
        added += texts.iter().map(|text| text.len() - 1).max().unwrap_or_default() as u8;
        let with = |before: &Pattern| prefixed(before.clone(), &texts);
        patterns = patterns.iter().flat_map(with).collect();
    }
    (patterns, added)
}

/// The word of a tag between its tokens.
fn gaps_in(text: &Text) -> Pattern {
    let gap = || Piece::Run(Run { chars: Chars::WHITE, min: 0, max: 8 });
    for token in ["<|open|>", "<|close|>"] {
        let Some(word) = text.strip_prefix(token).filter(|word| !word.is_empty()) else { continue };
        let opens = pattern![token, gap()];
        return match word.strip_suffix("<|sep|>") {
            Some(word) => [opens, pattern![word.to_owned(), gap(), "<|sep|>"]].concat(),
            None => [opens, pattern![word.to_owned()]].concat(),
        };
    }
    vec![Piece::Lit(text.clone())]
}

/// How it is written.
fn template() -> Template {
    Template {
        prompt: PROMPT,
        call: CallForm {
            section_open: Borrowed("<|open|>tools<|sep|>"),
            open: Borrowed("<|open|>call tool=\"{name_attribute}\" index=\"{number}\"<|sep|>"),
            arguments: params(
                "<|open|>argument key=\"{key_attribute}\" type=\"{type}\"<|sep|>",
                "<|close|>argument<|sep|>",
            ),
            close: Borrowed("<|close|>call<|sep|>"),
            section_close: Borrowed("<|close|>tools<|sep|>"),
            ..CALL
        },
        result: results(
            "<|open|>message role=\"tool\" tool=\"{name_attribute}\" index=\"{number}\"<|sep|>\
             {content}<|close|>message<|sep|><|end_of_msg|>",
            "<|open|>message role=\"tool\" tool=\"{name_attribute}\" index=\"{number}\"<|sep|>\
             Error: {content}<|close|>message<|sep|><|end_of_msg|>",
            "",
        ),
        stop: stop(&[Borrowed("<|close|>tools<|sep|>")], &[]),
    }
}
