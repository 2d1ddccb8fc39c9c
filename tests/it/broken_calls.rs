//! Calls that may not run: when they leave, and how a client sees them. Tests `adapt::Broken`, `Calls` and `OnCut` at every cut,
//! in every protocol.

use crate::support::delta_writer::{DeltaWriter, choice, completion};
use serde_json::{Value, json};
use toolstream::adapt::{Broken, BrokenCall, Calls, Delta, Deltas, EventWriter, OnCut, Protocol};
use toolstream::check::{Ended, every_cut};
use toolstream::repair::Repairs;
use toolstream::sse::Decoder;
use toolstream::{
    Dialect, Event, Param, Parser, Tool, ToolUse,
    calls::IncompleteReason,
    options::{Options, Required, Types},
    tools::Type,
};

const PROTOCOLS: [Protocol; 3] =
    [Protocol::OpenAiChat, Protocol::OpenAiResponses, Protocol::Anthropic];

const GOOD: &str = "<tool_call>{\"name\": \"list\", \"arguments\": {\"all\": true}}</tool_call>";
const BAD: &str = "<tool_call>{\"name\": \"weather\", \"arguments\": {\"city\": \"Bern\", \"days\": }}</tool_call>";
/// `BAD` as text. The call is broken, and so over, in front of its closer.
const BAD_TEXT: &str =
    "<tool_call>{\"name\": \"weather\", \"arguments\": {\"city\": \"Bern\", \"days\": }}";
const SEALED: &str = "{\"city\":\"Bern\",\"days\":,]";
/// The beginning of a call.
const CUT: &str = "<tool_call>{\"name\": \"list\", \"arguments\": {\"all\": ";

fn parser() -> Parser {
    Parser::builder(Dialect::HERMES).tool_limit(None).build().expect("a parser")
}

/// A parser that refuses calls with missing arguments or values of a wrong type.
fn strict(dialect: Dialect, tool: Tool) -> Parser {
    let mut options = Options::default();
    (options.required, options.types) = (Required::Strict, Types::Strict);
    Parser::builder(dialect).tool(tool).options(options).build().expect("a parser")
}

/// Deltas of a client, equal kinds joined.
#[derive(Clone, Debug, PartialEq)]
enum Told {
    Content(String),
    Reasoning(String),
    /// Number, name and arguments.
    Call(usize, String, String),
    End(Option<IncompleteReason>),
}

fn content(text: &str) -> Told {
    Told::Content(text.into())
}

fn call(index: usize, name: &str, arguments: &str, end: Option<IncompleteReason>) -> [Told; 2] {
    [Told::Call(index, name.into(), arguments.into()), Told::End(end)]
}

fn take(told: &mut Vec<Told>, delta: Delta<'_>) {
    match (delta, told.last_mut()) {
        (Delta::Content(text), Some(Told::Content(last)))
        | (Delta::Reasoning(text), Some(Told::Reasoning(last)))
        | (Delta::Arguments(text), Some(Told::Call(_, _, last))) => last.push_str(text),
        (Delta::Content(text), _) => told.push(content(text)),
        (Delta::Reasoning(text), _) => told.push(Told::Reasoning(text.into())),
        (Delta::Call { index, name, .. }, _) => {
            told.push(Told::Call(index, name.into(), String::new()));
        }
        (Delta::CallEnd { may_run, reason }, _) => {
            assert_eq!(may_run, reason.is_none());
            told.push(Told::End(reason));
        }
        (other, _) => panic!("{other:?}"),
    }
}

fn read(
    parser: &Parser,
    mut deltas: Deltas,
    text: &str,
    cuts: &[usize],
    ended: Ended,
) -> (Vec<Told>, Deltas) {
    let (mut parser, mut told, mut from) = (parser.clone(), Vec::new(), 0);
    for to in cuts.iter().copied().chain([text.len()]) {
        let mut push = |event: Event<&str>| deltas.push(event, &mut |delta| take(&mut told, delta));
        parser.feed_bytes_into(&text.as_bytes()[from..to], &mut push);
        from = to;
    }
    let mut push = |event: Event<&str>| deltas.push(event, &mut |delta| take(&mut told, delta));
    match ended {
        Ended::Stop => parser.finish_into(&mut push),
        Ended::Cut => parser.finish_cut_into(&mut push),
    }
    deltas.finish(&mut |delta| take(&mut told, delta));
    (told, deltas)
}

/// Deltas of the text, the same at every cut.
fn told(
    parser: &Parser,
    how: impl Fn(Deltas) -> Deltas,
    text: &str,
    ended: Ended,
) -> (Vec<Told>, Deltas) {
    let (whole, deltas) = read(parser, how(Deltas::new(parser)), text, &[], ended);
    for cuts in every_cut(text.len()) {
        let (cut, same) = read(parser, how(Deltas::new(parser)), text, &cuts, ended);
        assert_eq!(cut, whole, "{text:?} cut at {cuts:?}");
        assert_eq!(
            (same.broken(), same.broken_calls(), same.is_cut(), same.expects_results()),
            (deltas.broken(), deltas.broken_calls(), deltas.is_cut(), deltas.expects_results())
        );
    }
    (whole, deltas)
}

const MALFORMED: Option<IncompleteReason> = Some(IncompleteReason::MalformedArguments);

#[test]
fn a_broken_call_is_a_call_its_text_or_nothing() {
    let text = format!("Go.\n\n{BAD}\n\nSo.");
    for (broken, expected, answers) in [
        (
            Broken::Call,
            [
                &[content("Go.\n\n")],
                &call(0, "weather", SEALED, MALFORMED)[..],
                &[content("\n\nSo.")],
            ]
            .concat(),
            true,
        ),
        (Broken::Text, vec![content(&format!("Go.\n\n{BAD_TEXT}\n\nSo."))], false),
        (Broken::Hide, vec![content("Go.\n\n\n\nSo.")], false),
    ] {
        let (told, deltas) = told(&parser(), |of| of.broken_as(broken), &text, Ended::Stop);
        assert_eq!(told, expected);
        assert_eq!((deltas.broken(), deltas.is_cut()), (&[0][..], false));
        assert_eq!((deltas.has_calls(), deltas.expects_results()), (false, answers));
        let [BrokenCall { index: 0, name, reason, .. }] = deltas.broken_calls() else { panic!() };
        assert_eq!((&**name, Some(*reason)), ("weather", MALFORMED));
    }
}

/// White space in front of a call that is shown as text is text, too.
#[test]
fn the_text_of_a_call_stands_where_it_stood() {
    for (text, expected) in [
        (format!("{GOOD}\n\n{BAD} end"), vec![content(&format!("{BAD_TEXT} end"))]),
        (format!("a{GOOD}\n \n{BAD}"), vec![content("a"), content(&format!("\n \n{BAD_TEXT}"))]),
        (format!("<think>b</think>\n{BAD}"), vec![Told::Reasoning("b".into()), content(BAD_TEXT)]),
    ] {
        let (mut told, _) = told(&parser(), |of| of.broken_as(Broken::Text), &text, Ended::Stop);
        told.retain(|told| !matches!(told, Told::Call(..) | Told::End(_)));
        assert_eq!(told, expected, "{text:?}");
    }
}

/// In dialects of tags, the text of a call has the bytes in front of its name and behind its last value.
#[test]
fn the_text_is_what_the_model_wrote() {
    let glm = "<tool_call>list\n<arg_key>a</arg_key><arg_value>1</arg_value></tool_call>";
    let required = Tool::new("list").param(Param::required("all"));
    let parser = strict(Dialect::GLM, required);
    let (told, deltas) = told(&parser, |of| of.broken_as(Broken::Text), glm, Ended::Stop);
    assert_eq!(told, [content(glm)]);
    assert_eq!(deltas.broken_calls()[0].reason, IncompleteReason::MissingArguments);
}

#[test]
fn nothing_of_a_call_leaves_before_it_may_run() {
    let whole = |of: Deltas| of.calls(Calls::WhenWhole);
    let text = format!("Go. {GOOD}{BAD}{CUT}");
    let good = call(0, "list", "{\"all\":true}", None);
    let bad = call(1, "weather", SEALED, MALFORMED);
    let (told, deltas) = told(&parser(), whole, &text, Ended::Stop);
    assert_eq!(told, [&[content("Go. ")], &good[..], &bad].concat());
    assert_eq!((deltas.broken(), deltas.is_cut()), (&[1, 2][..], true));

    // At each byte, exactly the calls that are over have been told.
    let (mut parser, mut deltas, mut calls) = (parser(), whole(Deltas::new(&parser())), 0);
    let mut over = 0;
    for byte in text.as_bytes().chunks(1) {
        parser.feed_bytes_into(byte, &mut |event: Event<&str>| {
            over += usize::from(matches!(event, Event::ToolUse(ToolUse::End { .. })));
            deltas.push(event, &mut |delta| {
                calls += usize::from(matches!(delta, Delta::Call { .. }))
            });
        });
        assert_eq!(calls, over);
    }
    assert_eq!(calls, 2);
}

#[test]
fn a_message_that_was_cut_has_no_call_that_may_run() {
    let refuse = |of: Deltas| of.on_cut(OnCut::RefuseAll);
    let good = |index| call(index, "list", "{\"all\":true}", None);
    let bad = call(1, "weather", SEALED, MALFORMED);
    let text = format!("Go. {GOOD} And {BAD}<think>Hm.</think>{GOOD} So.");
    // A message that was not cut is told in its order.
    let expected = [
        &[content("Go. ")],
        &good(0)[..],
        &[content(" And ")],
        &bad,
        &[Told::Reasoning("Hm.".into())],
        &good(2),
        &[content(" So.")],
    ];
    let (all, deltas) = told(&parser(), refuse, &text, Ended::Stop);
    assert_eq!(all, expected.concat());
    assert_eq!((deltas.broken(), deltas.has_calls()), (&[1][..], true));

    for (text, ended) in [(text.clone(), Ended::Cut), (format!("{text}{CUT}"), Ended::Stop)] {
        let (cut, deltas) = told(&parser(), refuse, &text, ended);
        let expected = [
            &[content("Go. "), content(" And ")],
            &bad[..],
            &[Told::Reasoning("Hm.".into()), content(" So.")],
        ];
        let mut joined: Vec<Told> = Vec::new();
        for told in expected.concat() {
            match (told, joined.last_mut()) {
                (Told::Content(text), Some(Told::Content(last))) => last.push_str(&text),
                (told, _) => joined.push(told),
            }
        }
        assert_eq!(cut, joined, "{text}");
        assert!(deltas.is_cut() && !deltas.has_calls());
        assert_eq!(deltas.broken()[..3], [0, 1, 2]);
        assert_eq!(deltas.broken_calls().len(), 1);
        // Refused calls as text.
        let (texts, _) = told(&parser(), |of| refuse(of).broken_as(Broken::Text), &text, ended);
        let shown = format!("{texts:?}").replace("\\\\", "\\");
        assert_eq!(
            shown.matches("<tool_call>").count(),
            text.matches("<tool_call>").count(),
            "{shown}"
        );
    }
}

/// A client never has to hold more than the host allows, and no byte of the text is lost.
#[test]
fn what_waits_is_bounded() {
    let long = format!(
        "<tool_call>{{\"name\": \"f\", \"arguments\": {{\"a\": \"{}\"}}}}</tool_call>",
        "é".repeat(60)
    );
    let text = format!("Go. {long} So.");
    for broken in [Broken::Call, Broken::Text, Broken::Hide] {
        let how = |of: Deltas| of.hold(100).calls(Calls::WhenWhole).broken_as(broken);
        let (told, deltas) = told(&parser(), how, &text, Ended::Stop);
        let (told, expected) = (
            format!("{told:?}"),
            match broken {
                Broken::Call => "Go. {,] So.",
                Broken::Text => "Go. TEXT So.",
                _ => "Go. So.",
            },
        );
        for piece in expected.split(' ') {
            let piece = piece.replace("TEXT", &long[20..long.len() - 15].replace('"', "\\\""));
            assert!(told.contains(&piece), "{told}: {piece}");
        }
        assert_eq!(deltas.broken_calls()[0].reason, IncompleteReason::Broken);
    }
    // The text of a call that becomes too long leaves before the call is over.
    let (mut parser, mut told) = (parser(), Vec::new());
    let mut deltas = Deltas::new(&parser).hold(100).broken_as(Broken::Text);
    let mut push = |event: Event<&str>| deltas.push(event, &mut |delta| take(&mut told, delta));
    parser.feed_into(&text[..119], &mut push);
    assert_eq!(told, [content(&text[..119])]);
}

/// The arguments of a broken call are read by no client, not even by a lenient reader that closes open brackets or leaves
/// out what it cannot read.
#[test]
fn no_kind_reader_reads_a_broken_call() {
    let tool = Tool::new("f").param(Param::required("n").with(Type::Integer));
    let json = |arguments: &str| {
        format!("<tool_call>{{\"name\": \"f\", \"arguments\": {arguments}}}</tool_call>")
    };
    let mut options = Options::default();
    options.repairs = Repairs::None;
    let none = Parser::builder(Dialect::HERMES).options(options).build().expect("a parser");
    let texts = [
        (strict(Dialect::HERMES, tool.clone()), json("{\"n\": \"x\"}")),
        (parser(), json("{\"a\": {\"b\": [1, {\"c\": \"d\"} e")),
        (none.clone(), json("{\"a\": [\"it\n\"]}")),
        (none.clone(), json("{\"a\": {\"k\n\": 1}}")),
        (none, json("{\"a\n\": 1}")),
        (parser(), json("{\"a\": 1, oops}")),
        (parser(), json("7")),
        (strict(Dialect::CLINE, tool), "<f><n>x</n></f>".to_string()),
    ];
    for (parser, text) in texts {
        let (told, deltas) = told(&parser, |of| of, &text, Ended::Stop);
        let [Told::Call(_, _, arguments), Told::End(Some(_))] = &*told else { panic!("{told:?}") };
        assert!(!deltas.is_cut() && deltas.expects_results(), "{text}");
        // A reader that closes open brackets stops at a closer that does not match.
        assert!(closes_nothing(arguments), "{arguments}, of {text}");
        assert!(serde_json::from_str::<Value>(arguments).is_err(), "{arguments}, of {text}");
    }
}

/// Whether a bracket outside of strings closes a bracket of the other kind, or none.
fn closes_nothing(text: &str) -> bool {
    let (mut open, mut in_string, mut escape) = (Vec::new(), false, false);
    for byte in text.bytes() {
        match byte {
            _ if escape => escape = false,
            b'\\' if in_string => escape = true,
            b'"' => in_string = !in_string,
            _ if in_string => {}
            b'{' | b'[' => open.push(byte + 2),
            b'}' | b']' if open.pop() != Some(byte) => return true,
            _ => {}
        }
    }
    false
}

// In the protocols.

fn answer(
    protocol: Protocol,
    how: impl Fn(EventWriter) -> EventWriter,
    whole: bool,
    text: &str,
    ended: Ended,
) -> (Vec<Value>, &'static str) {
    let mut parser = parser();
    let mut writer = how(EventWriter::new(protocol, &parser, "a1", "m").whole(whole));
    for chunk in text.as_bytes().chunks(100) {
        parser.feed_bytes_into(chunk, &mut writer);
    }
    match ended {
        Ended::Stop => parser.finish_into(&mut writer),
        Ended::Cut => parser.finish_cut_into(&mut writer),
    }
    writer.finish();
    let (sent, mut events, mut decoder) = (writer.take(), Vec::new(), Decoder::default());
    if whole {
        return (vec![serde_json::from_slice(&sent).expect("an object")], writer.stop_reason());
    }
    decoder.feed(&sent, |data| events.extend(serde_json::from_slice::<Value>(data).ok()));
    (events, writer.stop_reason())
}

fn find<'v>(events: &'v [Value], place: &str) -> Vec<&'v Value> {
    events
        .iter()
        .filter_map(|event| event.pointer(place))
        .filter(|value| !value.is_null())
        .collect()
}

/// The finish reason says what the model did, and the reason of the broken call stands beside it.
#[test]
fn every_protocol_says_why() {
    let broken = json!([{"index": 0, "name": "weather", "reason": "malformed_arguments"}]);
    let words = [
        (Broken::Call, ["tool_calls", "completed", "tool_use"]),
        (Broken::Text, ["stop", "completed", "end_turn"]),
        (Broken::Hide, ["stop", "completed", "end_turn"]),
    ];
    for (as_what, words) in words {
        for (protocol, word) in PROTOCOLS.into_iter().zip(words) {
            for whole in [false, true] {
                let how = |of: EventWriter| of.broken_as(as_what);
                let (events, reason) = answer(protocol, how, whole, BAD, Ended::Stop);
                let (reasons, place) = match (protocol, whole) {
                    (Protocol::OpenAiChat, _) => {
                        ("/choices/0/finish_reason", "/choices/0/broken_calls")
                    }
                    (Protocol::OpenAiResponses, true) => ("/status", "/broken_calls"),
                    (Protocol::OpenAiResponses, false) => {
                        ("/response/status", "/response/broken_calls")
                    }
                    (_, true) => ("/stop_reason", "/broken_calls"),
                    (_, false) => ("/delta/stop_reason", "/broken_calls"),
                };
                assert_eq!((reason, find(&events, reasons).last()), (word, Some(&&json!(word))));
                assert_eq!(find(&events, place), [&broken], "{protocol:?} {whole}");
                let said = format!("{events:?}");
                assert_eq!(said.contains("<tool_call>"), as_what == Broken::Text, "{said}");
                assert_eq!(said.contains("days"), as_what != Broken::Hide, "{said}");
            }
            let (events, _) = answer(protocol, |of| of, false, GOOD, Ended::Stop);
            assert!(!format!("{events:?}").contains("broken_calls"));
        }
    }
}

/// A whole answer and a stream show the broken call where the protocol has a place for it.
#[test]
fn where_a_broken_call_stands() {
    let wrapped = json!({"INVALID_JSON": SEALED});
    for calls in [Calls::AsTheyCome, Calls::WhenWhole] {
        let how = |of: EventWriter| of.calls(calls);
        let of = |protocol, whole| answer(protocol, how, whole, BAD, Ended::Stop).0;
        let chat = of(Protocol::OpenAiChat, true);
        let place = "/choices/0/message/tool_calls/0/function/arguments";
        assert_eq!(find(&chat, place), [SEALED]);
        let chat = of(Protocol::OpenAiChat, false);
        let pieces = find(&chat, "/choices/0/delta/tool_calls/0/function/arguments");
        assert_eq!(pieces.iter().filter_map(|piece| piece.as_str()).collect::<String>(), SEALED);

        let done = json!({"type": "function_call", "id": "fc_a1_0", "status": "completed",
            "arguments": SEALED, "call_id": "call_a1_0", "name": "weather"});
        assert_eq!(find(&of(Protocol::OpenAiResponses, true), "/output/0"), [&done]);
        let responses = of(Protocol::OpenAiResponses, false);
        assert_eq!(find(&responses, "/response/output/0"), [&done]);
        assert_eq!(find(&responses, "/item").last(), Some(&&done));
        assert_eq!(find(&responses, "/arguments"), [SEALED]);

        assert_eq!(find(&of(Protocol::Anthropic, true), "/content/0/input"), [&wrapped]);
        let messages = of(Protocol::Anthropic, false);
        let pieces = find(&messages, "/delta/partial_json");
        let input: String = pieces.iter().filter_map(|piece| piece.as_str()).collect();
        match calls {
            Calls::AsTheyCome => assert_eq!(input, SEALED),
            _ => assert_eq!(serde_json::from_str::<Value>(&input).ok(), Some(wrapped.clone())),
        }
    }
}

/// In no protocol does a call of a cut answer run: no whole call, and no call that is cut.
#[test]
fn no_call_of_an_answer_that_was_cut() {
    for (protocol, word) in PROTOCOLS.into_iter().zip(["length", "incomplete", "max_tokens"]) {
        for whole in [false, true] {
            for (text, ended) in
                [(format!("Go. {GOOD} And"), Ended::Cut), (format!("Go. {GOOD}{CUT}"), Ended::Stop)]
            {
                let refuse = |of: EventWriter| of.on_cut(OnCut::RefuseAll);
                let (events, reason) = answer(protocol, refuse, whole, &text, ended);
                let said = format!("{events:?}");
                assert!(said.contains("Go. ") && !said.contains("list"), "{said}");
                assert_eq!(reason, word);
                let (events, _) = answer(protocol, |of| of, whole, &text, ended);
                assert!(format!("{events:?}").contains("list"), "{events:?}");
            }
            let wait = |of: EventWriter| of.calls(Calls::WhenWhole);
            let (events, reason) = answer(protocol, wait, whole, CUT, Ended::Stop);
            assert_eq!(
                (format!("{events:?}").contains("list"), reason),
                (false, word),
                "{protocol:?}"
            );
        }
    }
}

/// Any text may run in a custom tool. So a broken call of such a tool shows only that it exists.
#[test]
fn free_text_of_a_broken_call() {
    let tool = Tool::from_json(&json!({"type": "custom", "name": "weather"})).unwrap();
    let mut parser = Parser::builder(Dialect::HERMES).tool(tool).build().unwrap();
    for whole in [false, true] {
        parser.reset();
        let mut writer =
            EventWriter::new(Protocol::OpenAiResponses, &parser, "a1", "m").whole(whole);
        parser.feed_into(BAD, &mut writer);
        parser.finish_into(&mut writer);
        writer.finish();
        let sent = String::from_utf8(writer.take()).unwrap();
        let item = "{\"type\":\"custom_tool_call\",\"id\":\"ctc_a1_0\",\"status\":\"incomplete\",\"input\":\"\",";
        assert!(sent.contains(item) && !sent.contains("days"), "{sent}");
        assert_eq!(writer.stop_reason(), "completed");
    }
}

/// Clients put the calls of a chat into a list, so the numbers of the calls that are sent have no gaps.
#[test]
fn calls_that_are_left_out_leave_no_gap() {
    let text = format!("{BAD}{GOOD}");
    let mut parser = parser();
    let mut writer = DeltaWriter::new(&parser).broken_as(Broken::Hide);
    parser.feed_into(&text, &mut writer);
    parser.finish_into(&mut writer);
    let deltas: Vec<Value> = writer.deltas().collect();
    assert_eq!(find(&deltas, "/tool_calls/0/index"), [0, 0]);
    assert_eq!(find(&deltas, "/tool_calls/0/id"), ["call_1"]);
    assert_eq!((writer.finish_reason(), writer.broken_calls().len()), ("tool_calls", 1));
    let (events, _) =
        answer(Protocol::OpenAiChat, |of| of.broken_as(Broken::Hide), false, &text, Ended::Stop);
    assert_eq!(find(&events, "/choices/0/delta/tool_calls/0/index"), [0, 0]);
}

/// The deltas of a chat can wait for the end, too.
#[test]
fn deltas_that_wait() {
    for (ended, calls, reason) in [(Ended::Stop, 1, "tool_calls"), (Ended::Cut, 0, "length")] {
        let mut parser = parser();
        let mut writer = DeltaWriter::new(&parser).on_cut(OnCut::RefuseAll);
        parser.feed_into(&format!("{GOOD} And"), &mut writer);
        match ended {
            Ended::Stop => parser.finish_into(&mut writer),
            Ended::Cut => parser.finish_cut_into(&mut writer),
        }
        assert_eq!(writer.deltas().count(), 0, "{ended:?}");
        let deltas: Vec<Value> = writer.finish().collect();
        assert_eq!(find(&deltas, "/tool_calls/0/id").len(), calls);
        assert_eq!(choice(json!({}), Some(writer.finish_reason()))["finish_reason"], reason);
        assert_eq!(writer.finish().count(), 0);
    }
}

/// Arguments in the model's own notation are sealed, too.
#[test]
fn verbatim_arguments_of_a_broken_call() {
    let mut parser = strict(Dialect::HERMES, Tool::new("list").param(Param::required("path")));
    let mut writer = DeltaWriter::new(&parser).verbatim_arguments();
    parser.feed_into(GOOD, &mut writer);
    parser.finish_into(&mut writer);
    let deltas: Vec<Value> = writer.deltas().collect();
    let sent = find(&deltas, "/tool_calls/0/function/arguments");
    assert_eq!(
        sent.iter().filter_map(|piece| piece.as_str()).collect::<String>(),
        "{\"all\": true},]"
    );
}

/// A whole message is written like its events, except for the arguments of a broken call.
#[test]
fn of_a_whole_message() {
    let text = format!("Go. {GOOD}{BAD}");
    let message = parser().parse(&text);
    let told = completion(&message);
    assert_eq!(told["finish_reason"], "tool_calls");
    assert_eq!(
        told["message"]["tool_calls"][1]["function"],
        json!({"name": "weather", "arguments": "{,]"})
    );
    assert_eq!(told["broken_calls"][0]["reason"], "malformed_arguments");

    let (mut deltas, mut said) = (Deltas::untyped().broken_as(Broken::Text), Vec::new());
    deltas.push_message(&message, &mut |delta| take(&mut said, delta));
    let raw = "{\"city\": \"Bern\", \"days\": }";
    assert_eq!(
        said,
        [&[content("Go. ")], &call(0, "list", "{\"all\":true}", None)[..], &[content(raw)]]
            .concat()
    );

    let cut = parser().parse(&format!("{GOOD}{CUT}"));
    let (mut deltas, mut said) = (Deltas::untyped().on_cut(OnCut::RefuseAll), Vec::new());
    deltas.push_message(&cut, &mut |delta| take(&mut said, delta));
    assert_eq!((said, deltas.broken()), (vec![], &[0, 1][..]));
}
