//! `toolstream native`: input that is not a stream of the provider is reported with a remedy. `tests/it/native` has
//! the other tests.

use super::support::*;

const CHAT: &str = "data: {\"choices\":[{\"delta\":{\"content\":\"Hi\"}}]}\n\n";
const RESPONSES: &str =
    "data: {\"type\":\"response.output_text.delta\",\"delta\":\"Hi\",\"item_id\":\"m\"}\n\n";
const ANTHROPIC: &str = "data: {\"type\":\"content_block_delta\",\"index\":0,\
    \"delta\":{\"type\":\"text_delta\",\"text\":\"Hi\"}}\n\n";
const GEMINI: &str = "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"Hi\"}]}}]}\n\n";

#[test]
fn the_wrong_provider_is_told_and_the_right_one_named() {
    let streams = [
        ("openai-chat", CHAT),
        ("openai-responses", RESPONSES),
        ("anthropic", ANTHROPIC),
        ("gemini", GEMINI),
    ];
    for (right, stream) in streams {
        for (said, _) in streams {
            let done = run(&["native", "--provider", said], stream.repeat(3));
            assert_eq!(done.code, 0);
            if said == right {
                assert_eq!(done.err, "", "{right}");
            } else {
                assert_eq!(done.err.lines().count(), 1, "{said}, {right}: {}", done.err);
                let remedy = format!("use --provider {right}\n");
                assert!(done.err.ends_with(&remedy), "{said}, {right}: {}", done.err);
            }
        }
    }
}

#[test]
fn model_text_is_told() {
    let done = run(&["native", "--provider", "anthropic"], "Hi <read_file></read_file>\n");
    assert!(done.err.contains("neither JSON nor server-sent events: 1"), "{}", done.err);
    assert!(done.err.contains("`toolstream parse`"), "{}", done.err);
    assert_eq!((done.err.lines().count(), done.code), (1, 0));
}
