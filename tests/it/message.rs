//! `Message` while its stream is running, and behind its end.

use toolstream::{
    Block, Dialect, Ending, Event, Message, Param, Parser, Status, Tool, ToolUse,
    calls::IncompleteReason,
    diagnostic::{Diagnostic, DiagnosticKind, OpaqueOf},
    options::{Options, Types},
    tools::Type,
};

fn parser() -> Parser {
    let read = Tool::new("read").param(Param::required("path"));
    Parser::builder(Dialect::CLINE).tool(read).build().expect("a well named tool")
}

/// The text of the last block, and whether more may come.
fn last(message: &Message) -> (&str, bool) {
    match message.blocks().last() {
        Some(Block::Text(prose) | Block::Reasoning(prose)) => (&prose.text, prose.partial),
        other => panic!("no text: {other:?}"),
    }
}

fn feed(parser: &mut Parser, message: &mut Message, text: &str) {
    parser.feed(text).for_each(|event| message.push(event));
}

#[test]
fn text_is_partial_until_something_else_comes() {
    let (mut parser, mut message) = (parser(), parser().message());
    feed(&mut parser, &mut message, "I ");
    assert_eq!(last(&message), ("I ", true));
    // Markup ends the text. Text behind the markup continues it.
    feed(&mut parser, &mut message, "look</read>");
    assert_eq!(last(&message), ("I look", false));
    feed(&mut parser, &mut message, " at it");
    assert_eq!(last(&message), ("I look at it", true));
    assert_eq!(message.blocks().len(), 1);
    feed(&mut parser, &mut message, "\n<think>hm");
    assert_eq!(last(&message), ("hm", true));
    assert!(matches!(&message.blocks()[0], Block::Text(text) if !text.partial));
    parser.finish().for_each(|event| message.push(event));
    message.close();
    assert_eq!(last(&message), ("hm", false));
}

#[test]
fn an_open_call_has_no_input_yet() {
    let (mut parser, mut message) = (parser(), parser().message());
    feed(&mut parser, &mut message, "<read><path>a.rs</path>");
    let [Block::Incomplete(call)] = message.blocks() else { panic!("{:?}", message.blocks()) };
    assert!(call.partial() && call.input().is_empty());
    assert_eq!(call.reason(), IncompleteReason::Cut);
    feed(&mut parser, &mut message, "</read>");
    let [Block::Call(call)] = message.blocks() else { panic!("{:?}", message.blocks()) };
    assert_eq!(call.input()["path"], "a.rs");
}

/// A stream that was dropped without its end leaves a cut call, and nothing partial.
#[test]
fn a_message_that_is_closed_early_has_nothing_partial() {
    let (mut parser, mut message) = (parser(), parser().message());
    feed(&mut parser, &mut message, "<read><path>a.rs</path><path>b");
    message.close();
    let [Block::Incomplete(call)] = message.blocks() else { panic!("{:?}", message.blocks()) };
    assert!(!call.partial());
    assert_eq!(call.reason(), IncompleteReason::Cut);
    assert_eq!((call.input()["path"].as_str(), call.range().end), (Some("a.rs"), 30));
    assert_eq!(message.ended(), Ending::Truncated);
    let before = message.clone();
    message.close();
    assert_eq!(message, before);
}

#[test]
fn a_diagnostic_says_what_and_where() {
    let message = parser().parse("</read><read><path>a</path>b</read>");
    let said: Vec<String> = message.diagnostics().iter().map(ToString::to_string).collect();
    assert_eq!(said[0], "orphan_closer at byte 0");
}

/// A logged message reads back equal, with every kind of block and every ending.
#[test]
fn messages_are_read_back() {
    let hermes = |body: &str| format!("<tool_call>{body}</tool_call>");
    let call = "<read><path>a<b</path></read>";
    let react = "Thought: x\nAction: read\nAction Input: a\n";
    for (dialect, text, ended) in [
        (Dialect::CLINE, format!("<think>hm</think>I look. {call}"), Ending::ToolUse),
        (Dialect::CLINE, call.repeat(2), Ending::ToolLimitReached),
        (Dialect::CLINE, format!("{call}<read><pa"), Ending::ToolLimitReached),
        (Dialect::CLINE, "<read><path>a".to_string(), Ending::Truncated),
        (Dialect::CLINE, "<read></read>".to_string(), Ending::Stop),
        (Dialect::CLINE, String::new(), Ending::Stop),
        (Dialect::HERMES, hermes(r#"{"name": "read", "arguments": {'path': 1}}"#), Ending::ToolUse),
        (
            Dialect::HERMES,
            hermes("{\"name\": \"read\", \"arguments\": {\n\"path\" 1}}"),
            Ending::Stop,
        ),
        (Dialect::REACT, react.to_string(), Ending::ToolUse),
        (Dialect::REACT, "Final Answer: yes".to_string(), Ending::Stop),
        (Dialect::REACT.and(Dialect::HERMES), hermes(r#"{"name": "read"}"#), Ending::Stop),
    ] {
        let read = Tool::new("read").param(Param::required("path"));
        let parser = Parser::builder(dialect).tool(read).build().unwrap();
        let message = parser.parse(&text);
        assert_eq!(message.ended(), ended, "{text}");
        let log = serde_json::to_string(&message).unwrap();
        let mut back: Message = serde_json::from_str(&log).unwrap();
        assert_eq!(back, message, "{text}");
        assert_eq!(serde_json::to_string(&back).unwrap(), log);
        back.push(Event::TextContent("more"));
        assert_eq!(back, message, "it takes no more events");
    }
    // A message in mid-stream reads back, too.
    let (mut parser, mut message) = (parser(), parser().message());
    for (chunk, ended) in [("I look. ", Ending::Stop), ("<read><path>a", Ending::Truncated)] {
        feed(&mut parser, &mut message, chunk);
        assert_eq!(message.ended(), ended, "nobody has ended it");
        let back: Message = serde_json::from_value(serde_json::json!(message)).unwrap();
        assert_eq!(back, message);
    }
    let other = parser.parse("I look. ");
    assert_ne!(other, parser.parse("I look."));
    assert_ne!(other, message);
}

/// An error in the arguments has its line and column.
#[test]
fn problems_have_a_place() {
    for (arguments, line, column) in [
        ("{\"path\" 1}", 1, 9),
        ("{\"größe\": 1,\n \"path\" 1}", 2, 9),
        ("{\"path\": oops}", 1, 10),
        ("{\"a\": 1,\n\"b\": 2,\n\"path\" 1}", 3, 8),
    ] {
        let text =
            format!("<tool_call>{{\"name\": \"read\", \"arguments\": {arguments}}}</tool_call>");
        let parser = Parser::builder(Dialect::HERMES).build().unwrap();
        let message = parser.parse(&text);
        let Block::Incomplete(call) = &message.blocks()[0] else { panic!("{message:?}") };
        assert_eq!(call.reason(), IncompleteReason::MalformedArguments);
        let problem = call.problem().unwrap();
        assert_eq!((problem.line, problem.column), (line, column), "{arguments}");
        assert!(problem.to_string().contains("not valid JSON"), "{problem}");
    }
    let cut = parser().parse("<read><path>a");
    let Block::Incomplete(call) = &cut.blocks()[0] else { panic!() };
    assert_eq!(call.problem(), None);
}

/// A reply agrees with a parser and a message in chunks of every size, and knows the text for the history.
#[test]
fn replies_feed_parser_and_message() {
    let read = Tool::new("read").param(Param::required("path"));
    let call = "Hö <read><path>a</path></read>";
    let react = "Thought: x\nAction: read\nAction Input: {\"path\": \"a\"}\n";
    for (dialect, text, said, over) in [
        (Dialect::CLINE, format!("{call} So"), "Hö <read><path>a</path></read> So", false),
        (Dialect::CLINE, call.repeat(2), "Hö <read><path>a</path></read>Hö ", true),
        (Dialect::REACT, format!("{react}Observation: made up"), react, true),
    ] {
        let parser = Parser::builder(dialect).tool(read.clone()).build().unwrap();
        for size in 1..text.len() {
            let mut reply = parser.reply();
            for chunk in text.as_bytes().chunks(size) {
                reply.feed_bytes(chunk).for_each(drop);
            }
            assert_eq!(reply.is_over(), over, "{text}");
            let mut cut = reply.clone();
            reply.finish().for_each(drop);
            assert_eq!(reply.said(), said);
            assert_eq!(*reply.message(), parser.parse(&text));
            assert_eq!(reply.into_message(), parser.parse(&text));
            cut.finish_cut().for_each(drop);
            let ended = cut.into_message().ended();
            assert_eq!(ended == Ending::Truncated, !over, "{text}: {ended:?}");
        }
    }
}

/// A mistake of the model does not end its reply. A reply that was not finished is a cut one.
#[test]
fn replies_go_on_after_a_mistake() {
    let mut reply = parser().reply();
    reply.feed("<read><path>a</path><path>b</path></read>.").for_each(drop);
    assert!(!reply.message().diagnostics().is_empty());
    assert!(!reply.is_over());
    assert_eq!(reply.said(), "<read><path>a</path><path>b</path></read>.");
    let mut reply = parser().reply();
    reply.feed("<read><path>a").for_each(drop);
    let message = reply.into_message();
    assert_eq!(message.ended(), Ending::Truncated);
    assert!(matches!(message.blocks(), [Block::Incomplete(_)]), "{message:?}");
    // Bytes that waited for more come with the end.
    let mut reply = parser().reply();
    reply.feed("Look: <rea").for_each(drop);
    let message = reply.into_message();
    assert_eq!((message.text(), message.ended()), ("Look: <rea".to_string(), Ending::Truncated));
    assert_eq!(last(&message), ("Look: <rea", false));
}

#[test]
fn arguments_as_a_type() {
    let message = parser().parse("<read><path>a</path></read>");
    let call = message.calls().next().unwrap();
    let path = |arguments: std::collections::BTreeMap<String, String>| arguments["path"].clone();
    assert_eq!(path(call.parse().unwrap()), "a");
    let error = call.parse::<std::collections::BTreeMap<String, u32>>().unwrap_err().to_string();
    assert!(
        error.starts_with("path: invalid type: string \"a\", expected a whole number of 0 or more"),
        "{error}"
    );
    let error = call.parse::<Vec<u32>>().unwrap_err().to_string();
    assert!(error.starts_with("arguments: invalid type: map"), "{error}");
    assert_eq!(call.clone().into_input()["path"], "a");
}

#[test]
fn closures_need_no_types() {
    let (mut parser, mut text) = (parser(), String::new());
    parser.feed_with("Hello <re", |event| {
        if let Event::TextContent(piece) = event {
            text += piece;
        }
    });
    assert_eq!(text, "Hello ");
    let (mut whole, mut cut) = (Vec::new(), Vec::new());
    parser.clone().finish().for_each(|event| whole.push(event.map(String::from)));
    parser.clone().finish_cut().for_each(|event| cut.push(event.map(String::from)));
    let owned = |event: Event<&str>| event.map(String::from);
    assert_eq!(whole, parser.clone().finish().map(owned).collect::<Vec<_>>());
    assert_eq!(cut, parser.finish_cut().map(owned).collect::<Vec<_>>());
    assert_ne!(whole, cut);
}

/// An object that names no tool is no call, and its id does not become the next call's.
#[test]
fn an_id_without_a_name_is_not_the_next_calls() {
    let parser = Parser::builder(Dialect::COMMAND_R).tool(Tool::new("ping")).build();
    let text = r#"<|START_ACTION|>[{"tool_call_id": "0", "parameters": {}}, {"tool_name": "ping", "parameters": {}}]<|END_ACTION|>"#;
    let mut reply = parser.expect("a parser").reply();
    reply.feed(text).for_each(drop);
    reply.finish();
    let calls: Vec<_> = reply.message().calls().map(|call| (call.name(), call.id())).collect();
    assert_eq!(calls, [("ping", None)]);
}

/// A wrong type breaks only its own call, and other diagnostics break none.
#[test]
fn types_are_asked_of_each_call() {
    let tool = Tool::new("f").param(Param::required("n").with(Type::Integer));
    let mut options = Options::default();
    (options.types, options.tool_limit) = (Types::Strict, None);
    let parser = Parser::builder(Dialect::HERMES).tool(tool).options(options).build().unwrap();
    let call = |arguments: &str| {
        format!("<tool_call>{{\"name\": \"f\", \"arguments\": {arguments}}}</tool_call>")
    };
    // The third call is repaired, and a diagnostic says so.
    let wrong = parser.parse(&(call("{\"n\": \"x\"}") + &call("{\"n\": 1}") + &call("{'n': 1,}")));
    let may_run = |block: &Block| matches!(block, Block::Call(_));
    let calls: Vec<bool> = wrong.blocks().iter().map(may_run).collect();
    assert_eq!((calls, wrong.diagnostics().len()), (vec![false, true, true], 2), "{wrong:?}");
}

/// Messages are equal if they say the same in every respect.
#[test]
fn messages_are_compared() {
    let of = |events: &[Event<&str>]| {
        let mut message = parser().message();
        events.iter().for_each(|event| message.push(*event));
        message
    };
    let text = Event::TextContent("a");
    let found = |at| Event::Diagnostic(Diagnostic::new(DiagnosticKind::StrayText, at));
    let all = [
        of(&[]),
        of(&[text]),
        of(&[text, Event::Markup("b")]),
        of(&[text, Event::Markup("b"), found(0)]),
        of(&[text, Event::Markup("b"), found(1)]),
        of(&[text, Event::AnswerStart]),
        of(&[text, text]),
    ];
    for (number, one) in all.iter().enumerate() {
        for (other, another) in all.iter().enumerate() {
            assert_eq!(one == another, number == other, "{one:?} {another:?}");
        }
    }
}

/// JSON that a provider wants back with a call belongs to the open call, and to no other.
#[test]
fn what_belongs_to_a_call() {
    let start = |index| ToolUse::Start { index, name: "read", id: None, at: 0, dialect: 0 };
    let opaque = |json| Event::Opaque { of: OpaqueOf::Call, json };
    let mut message = parser().message();
    let arguments = ToolUse::ArgumentsDelta("{\"path\": \"a\"}");
    message.push(Event::ToolUse(start(0)));
    message.push(Event::ToolUse(arguments));
    message.push(opaque("{\"own\": 1}"));
    message.push(Event::<&str>::ToolUse(ToolUse::End { status: Status::Complete, at: 0 }));
    message.push(opaque("{\"own\": 2}"));
    let kept: Vec<_> = message.calls().map(|call| call.opaque().cloned()).collect();
    assert_eq!(kept, [Some(serde_json::json!({"own": 1}))]);
}
