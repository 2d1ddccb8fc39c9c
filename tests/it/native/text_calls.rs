//! Calls in the text of a provider's stream, read by a parser of the model's dialect.

use toolstream::{
    Dialect, Parser,
    calls::IncompleteReason,
    diagnostic::{Diagnostic, DiagnosticKind},
    options::Start,
};

use super::*;

fn parser(dialect: Dialect) -> Parser {
    Parser::builder(dialect).tools(tools()).tool_limit(None).build().expect("well named tools")
}

fn through(parser: &Parser) -> Reader {
    let reader = Reader::builder(Provider::OpenAiChat).text_calls(parser.clone());
    reader.build().expect("the same tools")
}

fn content(text: &str) -> Value {
    json!({"choices": [{"index": 0, "delta": {"content": text}}]})
}

fn thought(text: &str) -> Value {
    json!({"choices": [{"index": 0, "delta": {"reasoning_content": text}}]})
}

fn ends_with(reason: &str) -> Value {
    json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})
}

const CALL: &str = "<tool_call>{\"name\": \"save\", \"arguments\": {\"file\": \"a\"}}</tool_call>";

const TEXTS: [(Dialect, &str); 6] = [
    (
        Dialect::HERMES,
        "So:\n<tool_call>\n{\"name\": \"save\", \"arguments\": {\"file\": \"a<b\"}}\n</tool_call>\n<",
    ),
    (Dialect::HERMES, "<think>hm</think>x <tool_call>{\"name\": \"save\", \"arguments\": {\"fi"),
    (Dialect::CLINE, "a < b <save><file>x</file><body>y</body></save> and <list></list>"),
    (
        Dialect::GLM,
        "<tool_call>save\n<arg_key>file</arg_key>\n<arg_value>é</arg_value>\n</tool_call><tool_ca",
    ),
    (Dialect::REACT, "Thought: so\nAction: save\nAction Input: rm -rf /"),
    (Dialect::REACT, "Thought: so\nFinal Answer: done"),
];

/// The reader finds the parser's events in a text, in pieces of every size.
#[test]
fn the_text_is_the_parsers() {
    for (dialect, text) in TEXTS {
        for size in 1..=text.chars().count() {
            let chars: Vec<char> = text.chars().collect();
            let pieces = chars.chunks(size).map(|piece| content(&piece.iter().collect::<String>()));
            for reason in ["stop", "length"] {
                let input: Vec<Value> = pieces.clone().chain([ends_with(reason)]).collect();
                let mut reader = through(&parser(dialect.clone()));
                let found = events(&mut reader, &input);
                let mut parser = parser(dialect.clone());
                let mut wanted: Vec<_> =
                    parser.feed(text).map(|event| event.map(String::from)).collect();
                let end = if reason == "stop" { parser.finish() } else { parser.finish_cut() };
                wanted.extend(end.map(|event| event.map(String::from)));
                // The provider reports the cut even if a call's own closer came last.
                let cut = Event::Diagnostic(Diagnostic::new(
                    DiagnosticKind::CutStream,
                    parser.position(),
                ));
                if reason == "length" && !wanted.contains(&cut) {
                    wanted.push(cut);
                }
                assert_eq!(join(found), join(wanted), "{dialect} {size} {reason}");
                assert_eq!(reader.position(), parser.position(), "{dialect} {size} {reason}");
            }
        }
    }
}

fn ended(reader: &Reader, input: &[Value], cut: bool) -> (Ending, usize) {
    let mut reader = reader.clone();
    let mut collected = reader.message();
    for event in input {
        reader.feed_value(event).for_each(|event| collected.push(event));
    }
    let end = if cut { reader.finish_cut() } else { reader.finish() };
    end.for_each(|event| collected.push(event));
    collected.close();
    (collected.ended(), collected.calls().count())
}

/// Only an end that the provider calls normal confirms a call that needs the end.
#[test]
fn a_cut_runs_nothing_that_the_end_would_confirm() {
    let reader = through(&parser(Dialect::REACT));
    let text = content("Action: save\nAction Input: rm -rf /");
    let with = |reason| [text.clone(), ends_with(reason)];
    assert_eq!(ended(&reader, &with("stop"), false), (Ending::ToolUse, 1));
    assert_eq!(ended(&reader, &with("length"), false), (Ending::Truncated, 0));
    assert_eq!(ended(&reader, &with("content_filter"), false), (Ending::Truncated, 0));
    assert_eq!(ended(&reader, &with("stop"), true), (Ending::Truncated, 0));
    assert_eq!(ended(&reader, &with("stop")[..1], false), (Ending::Truncated, 0));
    let error = json!({"error": {"message": "x"}});
    assert_eq!(ended(&reader, &[text, error, ends_with("stop")], false), (Ending::Truncated, 0));
}

fn read(reader: &Reader, input: &[Value]) -> (Vec<Event<String>>, Message) {
    let mut reader = reader.clone();
    let found = events(&mut reader, input);
    check::has_shape(&found).unwrap_or_else(|what| panic!("{what}: {found:#?}"));
    let collected = message(&reader, &found);
    assert_eq!(collected.position(), reader.position());
    (found, collected)
}

/// The blocks of a message, a letter each, and the indices and names of its calls.
fn blocks(message: &Message) -> (String, Vec<(usize, String)>) {
    let letter = |block: &Block| match block {
        Block::Text(_) => 't',
        Block::Reasoning(_) => 'r',
        Block::Call(_) => 'c',
        Block::Incomplete(_) => 'i',
        _ => '?',
    };
    let call = |block: &Block| match block {
        Block::Call(call) => Some((call.index(), call.name().to_string())),
        Block::Incomplete(call) => Some((call.index(), call.name().to_string())),
        _ => None,
    };
    let blocks = message.blocks();
    (blocks.iter().map(letter).collect(), blocks.iter().filter_map(call).collect())
}

#[test]
fn both_kinds_of_calls_are_read() {
    let reader = through(&parser(Dialect::HERMES));
    let input = [
        thought("hm"),
        content("So:"),
        content(&CALL[..20]),
        content(&CALL[20..]),
        content("then"),
        named(0),
        entry(0, "{\"file\": \"b\"}"),
        content("and"),
        content(CALL),
        ends_with("tool_calls"),
    ];
    let (_, collected) = read(&reader, &input);
    let calls =
        |indices: &[usize]| indices.iter().map(|at| (*at, "save".to_string())).collect::<Vec<_>>();
    assert_eq!(blocks(&collected), ("rtctctc".to_string(), calls(&[0, 1, 2])));
    assert!(kinds(&collected).is_empty() && collected.ended() == Ending::ToolUse);
    let files: Vec<&Value> = collected.calls().map(|call| &call.input()["file"]).collect();
    assert_eq!(files, ["a", "b", "a"]);
}

/// A reply's text for the history has the calls of the text, and not the provider's own calls.
#[test]
fn what_a_reply_has_said_is_its_text() {
    let mut reply = through(&parser(Dialect::HERMES)).reply();
    let input = [
        thought("hm"),
        content("So: "),
        named(0),
        entry(0, "{\"file\": \"b\"}"),
        content(CALL),
        ends_with("tool_calls"),
    ];
    for event in input {
        reply.feed(&event.to_string()).for_each(drop);
    }
    reply.finish().for_each(drop);
    assert_eq!(reply.said(), format!("So: {CALL}"));
    assert_eq!(reply.into_message().calls().count(), 2);
}

/// Reasoning in the middle of a call waits for the call's end. The provider's own calls do not wait.
#[test]
fn nothing_stands_inside_a_call() {
    let reader = through(&parser(Dialect::HERMES));
    let (head, tail) = CALL.split_at(45);
    let input = [content(head), thought("hm"), content(tail), content("x"), ends_with("stop")];
    assert_eq!(blocks(&read(&reader, &input).1).0, "crt");
    let input = [content(head), thought("hm"), ends_with("stop")];
    let (_, collected) = read(&reader, &input);
    assert_eq!((blocks(&collected).0, collected.ended()), ("ir".to_string(), Ending::Truncated));

    // The text was cut in its middle, and so is its call.
    let input = [
        content(head),
        thought("hm"),
        named(0),
        entry(0, "{\"file\": 1}"),
        content(tail),
        ends_with("stop"),
    ];
    let (_, collected) = read(&reader, &input);
    assert_eq!(blocks(&collected).0, "irct");
    let Block::Incomplete(cut) = &collected.blocks()[0] else { panic!() };
    assert_eq!(cut.reason(), IncompleteReason::Cut);

    // Text behind a call of the provider's own waits, and is read in order.
    let text = [content(head), thought("hm"), content(tail)];
    let input = [
        &[named(0), entry(0, "{\"fi")],
        &text[..],
        &[entry(0, "le\": 1}"), content("x"), ends_with("stop")],
    ];
    assert_eq!(blocks(&read(&reader, &input.concat()).1).0, "ccrt");
    let input = [
        &[named(0), entry(0, "{\"fi")],
        &text[..2],
        &[
            named(1),
            entry(1, "{\"file\": 1}"),
            entry(0, "le\": 1}"),
            content(tail),
            ends_with("stop"),
        ],
    ];
    assert_eq!(blocks(&read(&reader, &input.concat()).1).0, "circt");
}

/// Some servers leave an opener in the text. Nobody may see it.
#[test]
fn an_opener_before_a_call_of_the_providers_own_is_markup() {
    let reader = through(&parser(Dialect::HERMES));
    let input = [
        content("So: <tool_call>\n"),
        named(0),
        entry(0, "{\"file\": 1}"),
        ends_with("tool_calls"),
    ];
    let (_, collected) = read(&reader, &input);
    assert_eq!((blocks(&collected).0, collected.ended()), ("tc".to_string(), Ending::ToolUse));
    assert_eq!(collected.text(), "So: \n");
}

#[test]
fn one_limit_counts_for_both() {
    let one = parser(Dialect::HERMES).to_builder().tool_limit(1).build().unwrap();
    let own = [named(0), entry(0, "{\"file\": 1}")];
    let text = [content(CALL)];
    for input in
        [[&own[..], &text].concat(), [&text[..], &own].concat(), [&text[..], &text].concat()]
    {
        let input = [&input[..], &[content("x"), ends_with("stop")]].concat();
        let (found, collected) = read(&through(&one), &input);
        assert_eq!(
            (collected.ended(), blocks(&collected).0.as_str()),
            (Ending::ToolLimitReached, "c")
        );
        let Some(Event::ToolLimitReached(limit)) = found.last() else { panic!("{found:?}") };
        assert_eq!((limit.at, limit.limit), (collected.position(), 1));
    }
    // The reader's own limit wins over the parser's.
    let reader =
        Reader::builder(Provider::OpenAiChat).text_calls(one).tool_limit(2).build().unwrap();
    let input = [&text[..], &own, &text, &[ends_with("stop")]].concat();
    assert_eq!(blocks(&read(&reader, &input).1).0, "cc");
}

/// Held text leaves before the limit, and nothing is kept after it.
#[test]
fn the_limit_is_the_end() {
    let one = parser(Dialect::HERMES).to_builder().tool_limit(1).build().unwrap();
    let mut reader = through(&one);
    let own = |at| [named(at), entry(at, "{\"file\": 1}")];
    let input = [&own(0)[..], &[content("a <")], &own(1)].concat();
    let (found, collected) = read(&reader, &input);
    assert_eq!(collected.text(), "a <");
    assert!(matches!(found.last(), Some(Event::ToolLimitReached(_))), "{found:?}");

    let input = [&[content(CALL), content(CALL), named(0), entry(0, "{")][..], &own(1)].concat();
    for event in &input {
        reader.feed_value(event);
    }
    assert_eq!((reader.limit_reached().is_err(), reader.held()), (true, 0));

    // Calls that wait count, too.
    let two = Reader::builder(Provider::OpenAiChat).tools(tools()).tool_limit(2).build().unwrap();
    let input =
        [&[named(0), entry(0, "{")][..], &own(1), &own(2), &[entry(0, "\"file\": 1}")]].concat();
    assert_eq!(
        blocks(&read(&two, &input).1),
        ("cc".to_string(), vec![(0, "save".into()), (1, "save".into())])
    );
}

/// The answer begins only once.
#[test]
fn an_answer_around_a_call_of_the_providers_own() {
    let reader = through(&parser(Dialect::REACT));
    let answer = content("Final Answer: a\n");
    let input = [answer.clone(), named(0), entry(0, "{\"file\": 1}"), answer, ends_with("stop")];
    let (found, _) = read(&reader, &input);
    assert_eq!(found.iter().filter(|event| **event == Event::AnswerStart).count(), 1);
}

/// An item that the provider keeps for itself waits, like reasoning.
#[test]
fn an_item_of_the_providers_own_waits_for_the_call() {
    let (head, tail) = CALL.split_at(45);
    let text = |text| json!({"type": "text", "text": text});
    let input = json!({"type": "message", "stop_reason": "end_turn",
        "content": [text(head), {"type": "redacted_thinking", "data": "r"}, text(tail)]});
    let reader =
        Reader::builder(Provider::Anthropic).text_calls(parser(Dialect::HERMES)).build().unwrap();
    assert_eq!(blocks(&read(&reader, &[input]).1).0, "c?");
}

#[test]
fn repairs_are_the_readers_to_refuse() {
    use toolstream::repair::Repairs;

    let call =
        content("<tool_call>{\"name\": \"save\", \"arguments\": {\"file\": 'a',}}</tool_call>");
    let with = |repairs| {
        let reader = Reader::builder(Provider::OpenAiChat)
            .text_calls(parser(Dialect::HERMES))
            .repairs(repairs);
        blocks(&read(&reader.build().unwrap(), &[call.clone(), ends_with("stop")]).1).0
    };
    assert_eq!((with(Repairs::Default), with(Repairs::None)), ("c".to_string(), "i".to_string()));
}

/// Offsets count from the beginning of the whole message.
#[test]
fn offsets_count_all_slices() {
    let reader = through(&parser(Dialect::HERMES));
    let unknown = CALL.replace("save", "sing");
    let input = [
        thought("12345"),
        content("abc"),
        content(&unknown),
        thought("67"),
        content(CALL),
        ends_with("stop"),
    ];
    let (_, collected) = read(&reader, &input);
    let alone = parser(Dialect::HERMES).parse(CALL).calls().next().expect("a call").range();
    let first = alone.start + 8..alone.end + 8;
    let moved = 8 + CALL.len() + 2;
    let ranges: Vec<_> = collected.calls().map(|call| call.range()).collect();
    assert_eq!(ranges, [first.clone(), alone.start + moved..alone.end + moved]);
    // Behind a call of the provider's own, another parser reads the text, and its offsets are moved.
    let own = [named(0), entry(0, "{\"file\": 1}")];
    let input = [&[content("abc")][..], &own, &[content(CALL), ends_with("stop")]].concat();
    let moved = 3 + "{\"file\": 1}".len();
    let (_, other) = read(&reader, &input);
    let last = other.calls().last().map(|call| call.range());
    assert_eq!(last, Some(alone.start + moved..alone.end + moved));

    let about = |found: &toolstream::diagnostic::Diagnostic| {
        (found.kind, found.call, first.contains(&found.at))
    };
    let found: Vec<_> = collected.diagnostics().iter().map(about).collect();
    assert_eq!(found, [(DiagnosticKind::UnknownTool, Some(0), true)]);
}

/// The prompt opens the reasoning only once in a message.
#[test]
fn the_start_counts_once() {
    let start = parser(Dialect::HERMES).to_builder().start(Start::Reasoning).build().unwrap();
    let mut reader = through(&start);
    let input = [
        content("hm</think>a"),
        named(0),
        entry(0, "{\"file\": 1}"),
        content("b"),
        ends_with("stop"),
    ];
    let (_, collected) = read(&reader, &input);
    assert_eq!((collected.reasoning(), collected.text()), ("hm".to_string(), "ab".to_string()));
    events(&mut reader, &input);
    reader.reset();
    assert_eq!(read(&reader, &input).1.reasoning(), "hm");
}

#[test]
fn what_waits_for_a_call_in_the_text_is_bounded() {
    let reader =
        Reader::builder(Provider::OpenAiChat).text_calls(parser(Dialect::HERMES)).hold(100);
    let mut reader = reader.build().unwrap();
    let input: Vec<Value> =
        std::iter::once(content(&CALL[..45])).chain((0..50).map(|_| thought("hm hm hm"))).collect();
    for event in &input {
        reader.feed_value(event);
        assert!(reader.held() <= 100 + 8, "{}", reader.held());
    }
    reader.reset();
    let (_, collected) = read(&reader, &input);
    assert_eq!(blocks(&collected).0, "ir");
    assert_eq!(
        (kinds(&collected)[0], collected.diagnostics()[0].call),
        ("limit_exceeded", Some(0))
    );
}

/// Half a marker is held, and items beside a call wait up to the bound. Offsets are those of the stream, even behind a call of
/// the provider's own.
#[test]
fn what_of_a_text_waits() {
    let mut reader = through(&parser(Dialect::HERMES));
    reader.feed_value(&content("ab <tool_c"));
    assert_eq!(reader.held(), 7);
    reader.reset();

    let reader = Reader::builder(Provider::OpenAiChat).text_calls(parser(Dialect::HERMES)).hold(16);
    let mut reader = reader.build().unwrap();
    let open = &CALL[..45];
    for (input, whole) in [
        (vec![content(open), thought(&"h".repeat(8)), thought(&"m".repeat(8))], true),
        (vec![content(open), thought(&"h".repeat(8)), thought(&"m".repeat(9))], false),
    ] {
        let input = [input, vec![content(&CALL[45..]), ends_with("stop")]].concat();
        let (_, collected) = read(&reader, &input);
        assert_eq!(collected.calls().count() == 1, whole, "{collected:?}");
        reader.reset();
    }

    let reader = through(&parser(Dialect::HERMES));
    let input = [
        content("Hello. "),
        json!({"choices": [{"delta": {"tool_calls": [{"index": 0, "id": "c",
            "function": {"name": "list", "arguments": "{}"}}]}}]}),
        content(
            "And <tool_call>{\"name\": \"nope\", \"arguments\": {\"file\": \"a\",}}</tool_call>",
        ),
        ends_with("tool_calls"),
    ];
    let (_, collected) = read(&reader, &input);
    let places: Vec<_> =
        collected.diagnostics().iter().map(|found| (found.kind, found.at)).collect();
    assert_eq!(places, [(DiagnosticKind::UnknownTool, 24), (DiagnosticKind::RepairedJson, 13)]);
}

/// The text of every provider is read.
#[test]
fn every_providers_text_is_read() {
    let stream = |provider| match provider {
        Provider::OpenAiChat => vec![content(CALL), ends_with("stop")],
        Provider::OpenAiResponses => {
            let message = json!({"type": "message", "id": "m", "content": []});
            vec![
                json!({"type": "response.output_text.delta", "item_id": "m", "delta": CALL}),
                json!({"type": "response.output_item.done", "item": message}),
                json!({"type": "response.completed", "response": {"output": []}}),
            ]
        }
        Provider::Anthropic => vec![
            json!({"type": "message", "content": [{"type": "text", "text": CALL}], "stop_reason": "end_turn"}),
        ],
        _ => vec![json!({"candidates": [{"finishReason": "STOP",
            "content": {"parts": [{"text": CALL, "thoughtSignature": "s"}]}}]})],
    };
    for provider in Provider::ALL {
        let reader =
            Reader::builder(*provider).text_calls(parser(Dialect::HERMES)).build().unwrap();
        // A signature that belongs to the whole text is attached to no part of it.
        assert_eq!(blocks(&read(&reader, &stream(*provider)).1).0, "c", "{provider}");
    }
}

#[test]
fn tools_are_those_of_both_builders() {
    let one = Parser::builder(Dialect::HERMES).tool(Tool::new("one")).build().unwrap();
    let builder = Reader::builder(Provider::OpenAiChat).tool(Tool::new("two"));
    let reader = builder.clone().text_calls(one.clone()).build().unwrap();
    let call = |name: &str| {
        content(&format!("<tool_call>{{\"name\": \"{name}\", \"arguments\": {{}}}}</tool_call>"))
    };
    for (name, told) in [("one", 0), ("two", 0), ("three", 1)] {
        assert_eq!(kinds(&read(&reader, &[call(name), ends_with("stop")]).1).len(), told, "{name}");
    }
    let error = builder.tool(Tool::new("one")).text_calls(one).build().unwrap_err();
    assert!(error.to_string().starts_with("the tool `one` is declared twice"), "{error}");
}

const PIECES: &[&str] = &[
    "So",
    " <",
    "<tool_call>",
    "{\"name\": \"save\", \"arguments\": {",
    "\"file\": \"",
    "x",
    "\"}}",
    "</tool_call>",
    "\n",
    "<think>",
    "</think>",
];

fn piece() -> impl Strategy<Value = Value> {
    prop_oneof![
        6 => proptest::sample::select(PIECES).prop_map(content),
        1 => Just(content(CALL)),
        2 => Just(thought("hm")),
        1 => (0..3usize).prop_map(named),
        2 => (0..3usize).prop_map(|at| entry(at, "{\"file\": ")),
        2 => (0..3usize).prop_map(|at| entry(at, "1}")),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    /// In any mixture the shape holds, no text and no reasoning is lost, and a clone is a snapshot.
    #[test]
    fn soup(pieces in proptest::collection::vec(piece(), 0..24), limit in proptest::option::of(1..3usize)) {
        let parser = parser(Dialect::HERMES).to_builder().tool_limit(limit).build().unwrap();
        let reader = through(&parser);
        let (found, _) = read(&reader, &pieces);
        if limit.is_none() {
            let of = |key: &str| -> usize {
                pieces.iter().filter_map(|piece| piece["choices"][0]["delta"][key].as_str()).map(str::len).sum()
            };
            let mut own = false;
            let mut others = 0;
            for event in &found {
                match event {
                    Event::ToolUse(ToolUse::Start { dialect, .. }) => own = *dialect == 64,
                    Event::ToolUse(ToolUse::End { .. }) => own = false,
                    _ if own => {}
                    _ => others += event.slice().map_or(0, String::len),
                }
            }
            prop_assert_eq!(others, of("content") + of("reasoning_content"));
        }
        let (before, after) = pieces.split_at(pieces.len() / 2);
        let mut reader = reader;
        for event in before {
            reader.feed_value(event);
        }
        let mut snapshot = reader.clone();
        prop_assert_eq!(events(&mut reader, after), events(&mut snapshot, after));
    }
}
