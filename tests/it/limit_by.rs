//! The limit that asks the host: `ParserBuilder::limit_by` and `Options::chaining_tools`.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::support::{inputs, samples};
use toolstream::check::{self, Ended, every_cut, join};
use toolstream::native::{Provider, Reader};
use toolstream::{
    BuildError, Dialect, Ending, Event, Parser, Tool, ToolUse,
    calls::{CallLimit, NextCall},
    options::Options,
};

fn events(parser: &Parser, text: &str, ended: Ended) -> Vec<Event<String>> {
    let mut parser = parser.clone();
    let mut events = Vec::new();
    let mut take = |event: Event<&str>| events.push(event.map(String::from));
    parser.feed_into(text, &mut take);
    match ended {
        Ended::Cut => parser.finish_cut_into(&mut take),
        _ => parser.finish_into(&mut take),
    }
    join(events)
}

/// Stops the call behind `most` calls.
fn after(most: usize) -> impl Fn(NextCall<'_>) -> CallLimit + Copy + Send + Sync + 'static {
    move |call| if call.index == most { CallLimit::Stop } else { CallLimit::Allow }
}

/// In every vector, at every cut and with both ends, the events up to the call are those without a limit. Then the limit follows,
/// with the offset of the call's opener.
#[test]
fn the_stream_ends_before_the_stopped_call() {
    let (mut stopped, mut behind) = (0, 0);
    for dialect in Dialect::ALL {
        for sample in samples::vectors(dialect.name()).iter().step_by(inputs::every()) {
            let whole = sample.parser(dialect).to_builder().tool_limit(None).build().unwrap();
            for (most, ended) in [(0, Ended::Stop), (1, Ended::Cut), (2, Ended::Stop)] {
                let parser = whole.to_builder().limit_by(after(most)).build().unwrap();
                let mut wanted = events(&whole, &sample.text, ended);
                let starts = |event: &Event<String>| matches!(event, Event::ToolUse(ToolUse::Start { index, .. }) if *index == most);
                let Some(start) = wanted.iter().position(starts) else { continue };
                let Event::ToolUse(ToolUse::Start { at, .. }) = wanted[start] else { panic!() };
                wanted.truncate(start);
                let found = events(&parser, &sample.text, ended);
                let shown = &sample.text;
                let Some((Event::ToolLimitReached(reached), before)) = found.split_last() else {
                    panic!("{dialect} {shown:?}: {found:?}");
                };
                assert_eq!((reached.limit, reached.at), (most, at), "{dialect} {shown:?}");
                assert_eq!(before, wanted, "{dialect} {shown:?}");
                let cuts = if shown.len() < 400 { every_cut(shown.len()) } else { vec![vec![]] };
                check::hold(&parser, shown, &cuts, ended)
                    .unwrap_or_else(|broken| panic!("{dialect} {shown:?}: {broken}"));
                let said: usize = found.iter().filter_map(Event::slice).map(String::len).sum();
                behind += usize::from(said > at);
                stopped += 1;
                history_ends_before(&parser, shown, at, most);
            }
        }
    }
    // In JSON bodies, the opener had left before the limit.
    let every = inputs::every();
    assert!(stopped > 2_000 / every && behind > 300 / every, "{stopped} {behind}");
}

/// Neither the message nor the text for the history has the call.
fn history_ends_before(parser: &Parser, text: &str, at: usize, most: usize) {
    for size in [1, 7, usize::MAX] {
        let mut reply = parser.reply();
        for chunk in text.as_bytes().chunks(size) {
            reply.feed_bytes(chunk).for_each(drop);
        }
        reply.finish().for_each(drop);
        assert_eq!(reply.limit_reached().map(|reached| reached.at), Some(at));
        assert_eq!(reply.message().ended(), Ending::ToolLimitReached);
        if !text[..at].contains('\u{FFFD}') {
            assert!(text[..at].starts_with(reply.said()), "{text:?}: {:?}", reply.said());
        }
        let calls = reply.message().blocks().iter().filter(|block| {
            matches!(block, toolstream::Block::Call(_) | toolstream::Block::Incomplete(_))
        });
        assert_eq!(calls.count(), most);
    }
}

/// If a stopped call has its name late in a JSON body, only markup before the end of the name leaves, in one-byte chunks and at
/// every cut.
#[test]
fn nothing_of_a_stopped_call_leaves_but_its_opener() {
    let texts = [
        (
            Dialect::HERMES,
            "Go.\n<tool_call>\n",
            r#"{"arguments": {"secret": [1, "</tool_call>"]}, "name": "write"}"#,
            "\n</tool_call>",
        ),
        (
            Dialect::HERMES,
            "Go.\n<tool_call>\n",
            r#"{"id": "7", "name": "write", "arguments": {"secret": 1}}"#,
            "\n</tool_call> End.",
        ),
        (
            Dialect::MISTRAL,
            "Go.[TOOL_CALLS]",
            r#"[{"arguments": {"secret": 1}, "name": "write"}]"#,
            "",
        ),
        (Dialect::BARE_JSON, "", r#"{"arguments": {"secret": 1}, "name": "write"}"#, ""),
        (
            Dialect::GRANITE,
            "<|tool_call|>",
            r#"[{"name": "write", "arguments": {"secret": 1}}]"#,
            "",
        ),
        (
            Dialect::INVOKE,
            "Go.\n",
            r#"<invoke name="write"><parameter name="secret">1</parameter></invoke>"#,
            "\n",
        ),
    ];
    for (dialect, before, body, behind) in texts {
        let builder = Parser::builder(dialect.clone()).tool(Tool::new("write"));
        let parser = builder.tool_limit(None).limit_by(|_| CallLimit::Stop).build().unwrap();
        let text = [before, body, behind].concat();
        let cuts = every_cut(text.len());
        for ended in [Ended::Stop, Ended::Cut] {
            let found = check::hold(&parser, &text, &cuts, ended)
                .unwrap_or_else(|broken| panic!("{dialect} {text:?}: {broken}"));
            let Some(Event::ToolLimitReached(reached)) = found.last() else {
                panic!("{dialect} {found:?}")
            };
            let mut from = 0;
            for event in &found {
                let Some(slice) = event.slice() else { continue };
                assert!(
                    from < reached.at || matches!(event, Event::Markup(_)),
                    "{dialect} {found:?}"
                );
                from += slice.len();
                assert!(!slice.contains("secret"), "{dialect} {found:?}");
            }
            assert!(
                !found.iter().any(|event| matches!(event, Event::ToolUse(_))),
                "{dialect} {found:?}"
            );
        }
    }
}

fn call(name: &str) -> String {
    format!("<tool_call>{{\"name\": \"{name}\", \"arguments\": {{}}}}</tool_call>\n")
}

fn names(parser: &Parser, text: &str) -> Vec<String> {
    parser.parse(text).calls().map(|call| call.name().to_string()).collect()
}

#[test]
fn the_function_hears_of_each_call_once() -> Result<(), BuildError> {
    let heard = std::sync::Arc::new(Mutex::new(Vec::new()));
    let into = std::sync::Arc::clone(&heard);
    let parser = Parser::builder(Dialect::HERMES)
        .limit_by(move |call: NextCall<'_>| {
            let previous = call.previous.map(String::from);
            into.lock().unwrap().push((call.index, call.name.to_string(), previous));
            CallLimit::Allow
        })
        .build()?;
    let text = [call("a"), call("b"), call("b")].concat();
    assert_eq!(names(&parser, &text), ["a", "b", "b"]);
    let said = |index, name: &str, previous: Option<&str>| {
        (index, name.to_string(), previous.map(String::from))
    };
    let wanted = [said(0, "a", None), said(1, "b", Some("a")), said(2, "b", Some("b"))];
    assert_eq!(*heard.lock().unwrap(), wanted);
    // Another stream of the same parser starts from zero.
    names(&parser, &call("c"));
    assert_eq!(heard.lock().unwrap().last(), Some(&said(0, "c", None)));
    Ok(())
}

#[test]
fn a_number_beside_it_counts_too() -> Result<(), BuildError> {
    let text = [call("a"), call("a"), call("a"), call("a")].concat();
    let builder = || Parser::builder(Dialect::HERMES).limit_by(|_| CallLimit::Allow);
    assert_eq!(names(&builder().build()?, &text).len(), 4);
    assert_eq!(names(&builder().tool_limit(3).build()?, &text).len(), 3);
    // A parser that is built from the parser asks, too.
    assert_eq!(names(&builder().build()?.to_builder().build()?, &text).len(), 4);
    Ok(())
}

#[test]
fn chaining_tools_follow_each_other_and_no_other() -> Result<(), BuildError> {
    let options =
        Options::from_json(&serde_json::json!({"chaining_tools": ["read", "list"]})).unwrap();
    let parser = Parser::builder(Dialect::HERMES).options(options).build()?;
    assert_eq!(names(&parser, &[call("read"), call("list"), call("read")].concat()).len(), 3);
    assert_eq!(names(&parser, &[call("read"), call("write")].concat()), ["read"]);
    assert_eq!(names(&parser, &[call("write"), call("read")].concat()), ["write"]);
    assert_eq!(names(&parser, &[call("write"), call("write")].concat()), ["write"]);
    Ok(())
}

/// If names decide, no stop sequence ends the stream behind the first call, and the prompt names the tools of a chain.
#[test]
fn neither_stop_sequences_nor_the_prompt_end_a_chain() -> Result<(), BuildError> {
    let builder = || Parser::builder(Dialect::HERMES).tools(["read", "write"].map(Tool::new));
    let alone = builder().build()?;
    assert_eq!(alone.stop_sequences(), ["</tool_call>", "<tool_response>"]);
    assert!(alone.system_prompt().contains("Use one tool per message"));
    let chain = builder().chaining_tools(["read", "list"]).build()?;
    assert_eq!(chain.stop_sequences(), ["<tool_response>"]);
    let prompt = chain.system_prompt();
    assert!(!prompt.contains("Use one tool per message"), "{prompt}");
    assert!(
        prompt.contains("of these tools alone: `read`, `list`. Call any other tool alone."),
        "{prompt}"
    );
    let asks = builder().limit_by(after(3)).build()?;
    assert_eq!(asks.stop_sequences(), ["<tool_response>"]);
    assert!(!asks.system_prompt().contains("Use one tool per message"));
    let two = builder().chaining_tools(["read"]).tool_limit(2).build()?;
    assert!(two.system_prompt().contains("up to 2 tools in a message"));
    Ok(())
}

/// `sanitize` has no limit, because its text is for the user.
#[test]
fn sanitize_asks_nobody() -> Result<(), BuildError> {
    static ASKED: AtomicUsize = AtomicUsize::new(0);
    let ask = |_: NextCall<'_>| {
        ASKED.fetch_add(1, Ordering::Relaxed);
        CallLimit::Stop
    };
    let parser = Parser::builder(Dialect::HERMES).limit_by(ask).build()?;
    assert_eq!(parser.sanitize(&format!("a {} b", call("x").trim())), "a  b");
    assert_eq!(ASKED.load(Ordering::Relaxed), 0);
    Ok(())
}

/// A provider's own calls and the calls in its text are one chain.
#[test]
fn a_provider_s_calls_are_asked_for_too() -> Result<(), BuildError> {
    let text = Parser::builder(Dialect::HERMES).chaining_tools(["read"]).build()?;
    for (name, most) in [("read", 3), ("write", 1)] {
        let mut reply =
            Reader::builder(Provider::OpenAiChat).text_calls(text.clone()).build()?.reply();
        let native = |id: &str, name: &str| {
            serde_json::json!({"choices": [{"delta": {"tool_calls": [{"index": id.len(), "id": id,
                "function": {"name": name, "arguments": "{}"}}]}}]})
        };
        let content = serde_json::json!({"choices": [{"delta": {"content": call("read")}}]});
        for event in [content, native("a", name), native("ab", "read")] {
            reply.feed(&event.to_string()).for_each(drop);
        }
        reply.feed(r#"{"choices": [{"delta": {}, "finish_reason": "tool_calls"}]}"#).for_each(drop);
        reply.finish().for_each(drop);
        assert_eq!(reply.message().calls().count(), most, "{name}: {:?}", reply.message());
    }
    let mut reply = Reader::builder(Provider::Gemini).limit_by(after(1)).build()?.reply();
    let parts = serde_json::json!([{"functionCall": {"name": "a", "args": {}}}, {"functionCall": {"name": "b", "args": {}}}]);
    reply.feed(&serde_json::json!({"candidates": [{"content": {"parts": parts}, "finishReason": "STOP"}]}).to_string()).for_each(drop);
    reply.finish().for_each(drop);
    assert_eq!(reply.message().calls().count(), 1);
    assert_eq!(reply.limit_reached().map(|reached| reached.limit), Some(1));
    Ok(())
}

/// A loop goes on with a history that ends before the stopped call, and the model hears of the limit.
#[cfg(feature = "policy")]
#[test]
fn a_loop_goes_on_before_the_stopped_call() {
    use toolstream::policy::{Step, ToolLoop};
    use toolstream::render::ToolResult;

    let parser = Parser::builder(Dialect::HERMES)
        .tools(["read", "write"].map(Tool::new))
        .chaining_tools(["read"])
        .build()
        .unwrap();
    let mut agent = ToolLoop::from_json(parser, &serde_json::json!({})).unwrap();
    agent.user("Go.");
    assert!(matches!(agent.step(), Step::CallModel { .. }));
    agent.reply().feed(&[call("read"), call("read"), call("write")].concat()).for_each(drop);
    agent.reply().finish().for_each(drop);
    let Step::RunTools(calls) = agent.step() else { panic!() };
    assert_eq!(calls.len(), 2);
    for (id, call) in calls {
        agent.tool_result(id, ToolResult::ok(call.name, "done")).unwrap();
    }
    assert!(matches!(agent.step(), Step::CallModel { .. }));
    // The prompt lists all tools, so the test begins behind it.
    let written = serde_json::to_string(&agent.messages()[1..]).unwrap();
    assert!(!written.contains("write"), "{written}");
    let said = "Tool limit reached - only 2 tools per message allowed";
    assert!(written.contains(said), "{written}");
}

/// If the very first call is stopped, the loop hears of it as of a mistake.
#[cfg(feature = "policy")]
#[test]
fn a_loop_corrects_a_first_call_that_is_stopped() {
    use toolstream::policy::{Step, ToolLoop};

    let builder = Parser::builder(Dialect::HERMES).tools(["read", "write"].map(Tool::new));
    let parser = builder.limit_by(|_| CallLimit::Stop).build().unwrap();
    let mut agent = ToolLoop::from_json(parser, &serde_json::json!({})).unwrap();
    agent.user("Go.");
    assert!(matches!(agent.step(), Step::CallModel { .. }));
    agent.reply().feed(&call("write")).for_each(drop);
    agent.reply().finish().for_each(drop);
    assert!(matches!(agent.step(), Step::CallModel { .. }));
    let written = serde_json::to_string(agent.messages()).unwrap();
    assert!(written.contains("its tool may not be called here"), "{written}");
}
