//! Ends of streams: by the provider's word, and by the host's.

use super::*;
use toolstream::{calls::IncompleteReason, diagnostic::DiagnosticKind};

/// Messages of a stream that ends here: one that ended by itself, and one that was cut.
fn both(provider: Provider, input: &[Value]) -> [Message; 2] {
    let custom = Tool::from_json(&json!({"name": "now", "parameters": {"type": "object"}}));
    let tools = tools().into_iter().chain(custom);
    let reader = Reader::builder(provider).tools(tools).build().expect("a reader");
    [false, true].map(|cut| {
        let (mut reader, mut message) = (reader.clone(), reader.message());
        let mut take = |event: Event<&str>| message.push(event);
        input.iter().for_each(|event| reader.feed_value_into(event, &mut take));
        match cut {
            true => reader.finish_cut_into(&mut take),
            false => reader.finish_into(&mut take),
        }
        assert_eq!(reader.finish_cut().count() + reader.finish().count(), 0, "it ends once");
        message.close();
        message
    })
}

/// The ending of a message, and for each call `None` if it may run, or the reason.
fn ended(message: &Message) -> (Ending, Vec<Option<IncompleteReason>>) {
    let of = |block: &Block| match block {
        Block::Call(_) => Some(None),
        Block::Incomplete(call) => Some(Some(call.reason())),
        _ => None,
    };
    (message.ended(), message.blocks().iter().filter_map(of).collect())
}

fn message_end() -> Value {
    json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}})
}

fn tool_block(name: &str, input: Value) -> Value {
    let block = json!({"type": "tool_use", "id": "c", "name": name, "input": input});
    json!({"type": "content_block_start", "index": 0, "content_block": block})
}

fn chat_call(name: &str, arguments: &str) -> Value {
    let function = json!({"name": name, "arguments": arguments});
    json!({"choices": [{"delta": {"tool_calls": [{"index": 0, "function": function}]}}]})
}

/// A cut is a cut, even if the provider has said that all is well.
#[test]
fn a_cut_is_a_cut_whatever_the_provider_said() {
    let whole = [named(0), entry(0, "{\"file\": 1}"), chat_end()];
    let [stop, cut] = both(Provider::OpenAiChat, &whole);
    assert_eq!(ended(&stop), (Ending::ToolUse, vec![None]));
    assert_eq!(ended(&cut), (Ending::Truncated, vec![None]), "balanced JSON is whole");
    assert_eq!((kinds(&stop), kinds(&cut)), (vec![], vec!["cut_stream"]));

    // A cut is reported once, by the provider or by the host.
    let cut_twice = [json!({"choices": [{"delta": {}, "finish_reason": "length"}]})];
    for message in both(Provider::OpenAiChat, &cut_twice) {
        assert_eq!((message.ended(), kinds(&message)), (Ending::Truncated, vec!["cut_stream"]));
    }

    let text = [json!({"choices": [{"delta": {"content": "So"}, "finish_reason": "stop"}]})];
    let [stop, cut] = both(Provider::OpenAiChat, &text);
    assert_eq!((stop.ended(), cut.ended()), (Ending::Stop, Ending::Truncated));
}

#[test]
fn an_open_body_is_incomplete_either_way() {
    let open = [named(0), entry(0, "{\"file\": 1"), chat_end()];
    for message in both(Provider::OpenAiChat, &open) {
        assert_eq!(ended(&message), (Ending::Truncated, vec![Some(IncompleteReason::Cut)]));
    }
}

/// A call without arguments may have lost them in the cut, unless its block had ended.
#[test]
fn no_arguments_are_confirmed_by_the_end_alone() {
    let missing = Some(IncompleteReason::MissingArguments);
    let open = [tool_block("list", json!({})), message_end()];
    let [stop, cut] = both(Provider::Anthropic, &open);
    assert_eq!(ended(&stop), (Ending::ToolUse, vec![None]));
    assert_eq!(ended(&cut), (Ending::Truncated, vec![missing]));
    let closed = [tool_block("list", json!({})), block_stop(0), message_end()];
    let [_, cut] = both(Provider::Anthropic, &closed);
    assert_eq!(ended(&cut), (Ending::Truncated, vec![None]));

    // `{}` is a placeholder: other arguments may follow it, unless the tool takes none.
    for (name, expected) in [("list", missing), ("save", missing), ("now", None)] {
        let [stop, cut] = both(Provider::OpenAiChat, &[chat_call(name, "{}"), chat_end()]);
        assert_eq!(ended(&stop), (Ending::ToolUse, vec![None]), "{name}");
        assert_eq!(ended(&cut), (Ending::Truncated, vec![expected]), "{name}");
    }
}

/// Anthropic's input at the start of a call counts only if no fragments follow.
#[test]
fn an_input_that_fragments_may_replace_is_confirmed_by_the_end() {
    let input = [tool_block("save", json!({"file": "a"})), message_end()];
    let [stop, cut] = both(Provider::Anthropic, &input);
    assert_eq!(ended(&stop), (Ending::ToolUse, vec![None]));
    assert_eq!(ended(&cut), (Ending::Truncated, vec![Some(IncompleteReason::MissingArguments)]));
}

#[test]
fn free_text_ends_where_somebody_says_so() {
    let item = json!({"type": "custom_tool_call", "id": "f0", "call_id": "c0", "name": "save"});
    let mut input = vec![
        json!({"type": "response.output_item.added", "output_index": 0, "item": item}),
        json!({"type": "response.custom_tool_call_input.delta", "item_id": "f0", "delta": "rm -rf /"}),
    ];
    let completed = json!({"type": "response.completed", "response": {"output": []}});
    let with = |input: &[Value]| [input, std::slice::from_ref(&completed)].concat();
    let [stop, cut] = both(Provider::OpenAiResponses, &with(&input));
    assert_eq!(ended(&stop), (Ending::ToolUse, vec![None]));
    assert_eq!(ended(&cut), (Ending::Truncated, vec![Some(IncompleteReason::Cut)]));

    input.push(json!({"type": "response.custom_tool_call_input.done", "item_id": "f0",
        "input": "rm -rf /"}));
    let [_, cut] = both(Provider::OpenAiResponses, &with(&input));
    assert_eq!(ended(&cut), (Ending::Truncated, vec![None]));
}

#[test]
fn a_call_in_pieces_that_goes_on_is_incomplete() {
    let part = |call: Value| {
        json!({"candidates": [{"content": {"parts": [{"functionCall": call}]},
            "finishReason": "STOP"}]})
    };
    let piece = json!({"jsonPath": "$.file", "stringValue": "a"});
    let open = part(json!({"name": "save", "partialArgs": [piece], "willContinue": true}));
    for message in both(Provider::Gemini, &[open]) {
        assert_eq!(ended(&message), (Ending::Truncated, vec![Some(IncompleteReason::Cut)]));
    }
    let [_, cut] = both(Provider::Gemini, &[part(json!({"name": "save", "args": {"file": "a"}}))]);
    assert_eq!(ended(&cut), (Ending::Truncated, vec![None]));
}

/// An error is an end, even if the provider then ends as if there had been none.
#[test]
fn a_call_that_was_open_at_an_error_did_not_end() {
    let error = json!({"type": "error", "error": {"type": "overloaded_error"}});
    let input = [tool_block("list", json!({})), error, message_end()];
    for (message, last) in both(Provider::Anthropic, &input).iter().zip([None, Some("cut_stream")])
    {
        let expected = vec![Some(IncompleteReason::MissingArguments)];
        assert_eq!(ended(message), (Ending::Truncated, expected));
        let expected = ["provider_error", "missing_arguments"].into_iter().chain(last);
        assert_eq!(kinds(message), expected.collect::<Vec<_>>());
    }
}

#[test]
fn a_cut_after_the_limit_changes_nothing() {
    let reader = Reader::builder(Provider::OpenAiChat).tool_limit(1).build().expect("a reader");
    let ends: [fn(&mut Reader) -> usize; 2] =
        [|reader| reader.finish().count(), |reader| reader.finish_cut().count()];
    for end in ends {
        let (mut reader, mut message) = (reader.clone(), reader.message());
        for event in [named(0), entry(0, "{\"file\": 1}"), named(1)] {
            reader.feed_value(&event).for_each(|event| message.push(event));
        }
        assert_eq!(end(&mut reader), 0);
        message.close();
        assert_eq!(ended(&message), (Ending::ToolLimitReached, vec![None]));
    }
}

/// A vector can say how its stream ends.
#[test]
fn vectors_say_how_they_end() {
    let vector = |ended: &str, finish: &str| {
        let line = json!({"id": "cut", "provider": "openai-chat", "config": {"ended": ended},
            "input": [named(0), entry(0, "{\"file\": 1}"), chat_end()], "expect": {"finish": finish}});
        Vector::from_line(&line.to_string()).expect("a vector").run(every_cut)
    };
    assert_eq!(vector("stop", "tool_use"), VectorOutcome::Passed);
    assert_eq!(vector("cut", "truncated"), VectorOutcome::Passed);
    assert!(matches!(vector("end", "truncated"), VectorOutcome::Failed(_)));
}

/// The diagnostics of a call have its index, even if they come early.
#[test]
fn diagnostics_say_which_call() {
    let arguments = |index: usize| {
        json!({"type": "response.function_call_arguments.done", "item_id": format!("f{index}"),
            "arguments": "{\"file\": 0}"})
    };
    let input = [
        item(0),
        item(1),
        item_delta(1, "{\"file\": 1}"),
        // This comes before the call's start, which waits for the end of the first call.
        arguments(1),
        item_delta(0, "{\"file\": 1}"),
        json!({"type": "response.completed", "response": {"output": []}}),
    ];
    let [message, _] = both(Provider::OpenAiResponses, &input);
    let found: Vec<_> =
        message.diagnostics().iter().map(|found| (found.kind, found.call)).collect();
    assert_eq!(found, [(DiagnosticKind::ArgumentsMismatch, Some(1))]);
    assert_eq!(ended(&message).1, [None, Some(IncompleteReason::Broken)]);
}
