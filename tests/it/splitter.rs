//! [`ReasoningSplitter`] splits alike at every cut, loses no byte, and leaves the text behind the reasoning unchanged.

use toolstream::{Dialect, Parser, options::Start, reasoning::ReasoningSplitter};

use crate::support::{inputs, samples};

/// Returns the reasoning and the rest.
fn split(parser: &Parser, chunks: &[&str]) -> (String, String) {
    let mut splitter = ReasoningSplitter::new(parser);
    let (mut reasoning, mut rest) = (String::new(), String::new());
    for chunk in chunks {
        reasoning += &splitter.feed(chunk);
        if splitter.is_over() {
            rest += &splitter.take_rest();
        }
    }
    reasoning += &splitter.finish();
    assert!(splitter.is_over());
    (reasoning, rest + splitter.rest())
}

fn cuts(text: &str) -> impl Iterator<Item = [&str; 2]> {
    text.char_indices().map(|(at, _)| text.split_at(at)).map(|(before, after)| [before, after])
}

#[test]
fn every_vector_at_every_cut() {
    let mut split_off = 0;
    for dialect in Dialect::ALL {
        for sample in samples::vectors(dialect.name()).iter().step_by(inputs::every()) {
            let (parser, text) = (sample.parser(dialect), &*sample.text);
            let (reasoning, rest) = split(&parser, &[text]);
            assert!(text.ends_with(&rest), "{text:?}");
            let characters: Vec<_> = text.split_inclusive(|_| true).collect();
            assert_eq!(split(&parser, &characters), (reasoning.clone(), rest.clone()), "{text:?}");
            for cut in cuts(text).step_by(1 + text.len() / 50) {
                assert_eq!(split(&parser, &cut), (reasoning.clone(), rest.clone()), "{cut:?}");
            }
            split_off += usize::from(!reasoning.is_empty());
        }
    }
    assert!(split_off > 100 / inputs::every(), "{split_off}");
}

/// The two halves have the reasoning and the calls of the whole, at every cut.
#[test]
fn a_call_right_after_the_reasoning_is_whole() {
    let call = "<tool_call>\n{\"name\": \"f\", \"arguments\": {}}\n</tool_call>";
    for (text, start, wanted) in [
        (format!("<think>Hm.</think>{call}{call}"), Start::Text, ("Hm.", format!("{call}{call}"))),
        (format!("Hm.</think>{call}"), Start::Reasoning, ("Hm.", call.to_string())),
        (
            format!("<think>Hm.</think>\n\nOn it. {call}"),
            Start::Text,
            ("Hm.", format!("\n\nOn it. {call}")),
        ),
        // Only the call closes the reasoning.
        (format!("<think>Hm.\n{call}"), Start::Text, ("Hm.\n", call.to_string())),
        // There is no reasoning.
        (call.repeat(2), Start::Text, ("", call.repeat(2))),
        ("Hello.".to_string(), Start::Text, ("", "Hello.".to_string())),
        ("<think>Hm.".to_string(), Start::Text, ("Hm.", String::new())),
        // A second piece of reasoning belongs to the rest.
        (
            "<think>a</think>b<think>c</think>".to_string(),
            Start::Text,
            ("a", "b<think>c</think>".to_string()),
        ),
    ] {
        let parser =
            Parser::builder(Dialect::HERMES).tool_limit(None).start(start).build().unwrap();
        let wanted = (wanted.0.to_string(), wanted.1);
        for cut in cuts(&text) {
            assert_eq!(split(&parser, &cut), wanted, "{cut:?}");
        }
    }
}

/// The rest, read by its own parser, has the calls of the whole. Four texts are exceptions, because text before the reasoning
/// decides about text behind it: a transcript in a code fence, a header in which one message ends and the next begins.
#[test]
fn the_rest_has_the_calls_of_the_whole() {
    let (mut calls, mut differ) = (0, Vec::new());
    for dialect in Dialect::ALL {
        for sample in samples::vectors(dialect.name()) {
            let parser = sample.parser(dialect);
            let (_, rest) = split(&parser, &[&sample.text]);
            let second = parser.to_builder().start(Start::Text).build().unwrap();
            let read = |parser: &Parser, text: &str| -> Vec<_> {
                let message = parser.parse(text);
                message
                    .calls()
                    .map(|call| (call.name().to_string(), call.input().clone()))
                    .collect()
            };
            let wanted = read(&parser, &sample.text);
            if read(&second, &rest) != wanted {
                differ.push((dialect.name().to_string(), sample.text.clone()));
            }
            calls += wanted.len();
        }
    }
    let known = |(dialect, _): &(String, String)| ["react", "muse"].contains(&&**dialect);
    assert!(differ.len() <= 4 && differ.iter().all(known), "{differ:#?}");
    assert!(calls > 1_000, "{calls}");
}
