//! The laws of the crate, a section each. `tests/it/vectors.rs` checks split, conservation, shape and bounds over every vector at
//! every cut. Here a soup of markers meets them, and the other laws have tests of their own. docs/verification.md says how each
//! test was seen to fail.

use std::borrow::Cow;

use bytes::Bytes;
use proptest::prelude::*;
use toolstream::check::{self, Ended, join};
use toolstream::{Block, Dialect, Event, Parser, ToolUse, events::Utf8Bytes};

use crate::support::inputs;
use crate::support::soup::{self, Case};

fn case() -> impl Strategy<Value = Case> {
    proptest::collection::vec(any::<u8>(), 8..120).prop_map(|data| soup::case(&data))
}

fn parser(dialect: impl Into<Dialect>) -> Parser {
    Parser::builder(dialect).tools(soup::tools()).tool_limit(None).build().expect("a parser")
}

/// All events of the chunks, through the iterator.
fn events<'c>(
    parser: &mut Parser,
    chunks: impl IntoIterator<Item = &'c str>,
) -> Vec<Event<String>> {
    let mut events = Vec::new();
    for chunk in chunks {
        events.extend(parser.feed(chunk).map(|event| event.map(String::from)));
    }
    events.extend(parser.finish().map(|event| event.map(String::from)));
    events
}

fn text(events: &[Event<String>]) -> String {
    let text = |event: &Event<String>| match event {
        Event::TextContent(text) => Some(text.clone()),
        _ => None,
    };
    events.iter().filter_map(text).collect()
}

fn chars(text: &str) -> impl Iterator<Item = &str> {
    text.char_indices().map(|(at, next)| &text[at..at + next.len_utf8()])
}

/// Half a character before text is invalid UTF-8, whichever entry point the text takes.
#[test]
fn text_after_half_a_character() {
    let half = "é".as_bytes().split_at(1).0;
    for dialect in Dialect::ALL {
        let mut parser = parser(dialect);
        let mut found: Vec<_> = parser.feed("so").map(|event| event.map(String::from)).collect();
        for _ in 0..2 {
            found.extend(parser.feed_bytes(half).map(|event| event.map(String::from)));
            found.extend(parser.feed("so").map(|event| event.map(String::from)));
        }
        found.extend(parser.finish().map(|event| event.map(String::from)));
        assert_eq!(text(&found), "so\u{FFFD}so\u{FFFD}so", "{dialect:?}");
    }
}

#[test]
fn after_the_end_chunks_are_ignored() {
    for (dialect, opening) in inputs::text_openings() {
        let mut parser = parser(dialect);
        let _ = parser.feed(opening);
        assert_eq!(parser.feed("so,").count(), 1, "{dialect:?}");
        assert_eq!(parser.finish().count(), 0, "{dialect:?}");
        assert_eq!(parser.feed("so,").count(), 0, "{dialect:?}");
        assert_eq!(parser.feed_bytes(b"so").count(), 0, "{dialect:?}");
        assert_eq!(parser.position(), opening.len() + 3, "{dialect:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    // Laws 1 split, 2 conservation, 3 shape, 6 bounded.
    #[test]
    fn laws_hold_for_soup(case in case()) {
        let bytewise = (1..case.text.len()).collect();
        let cuts = [vec![], bytewise, case.cuts.clone()];
        let held = check::hold(&case.parser(), &case.text, &cuts, case.ended);
        if let Err(broken) = held {
            prop_assert!(false, "{broken}");
        }
    }

    // Law 1, split: every entry point gives the same events.
    #[test]
    fn entries_agree(case in case()) {
        let expected = check::hold(&case.parser(), &case.text, &[], Ended::Stop).expect("laws");
        prop_assert_eq!(&join(events(&mut case.parser(), chars(&case.text))), &expected);

        let mut parser = case.parser();
        let mut shared: Vec<Event<Utf8Bytes>> = Vec::new();
        let mut rest = Bytes::from(case.text.clone());
        while !rest.is_empty() {
            let chunk = rest.split_to(rest.len().min(5));
            shared.extend(parser.feed_shared(&chunk));
        }
        shared.extend(parser.finish().map(|event| event.map(Utf8Bytes::from)));
        prop_assert_eq!(&join(shared), &expected);
    }

    // Law 4, append-only: the events of a beginning are the beginning of the events of the whole text.
    #[test]
    fn nothing_is_taken_back(case in case(), at in any::<prop::sample::Index>()) {
        let chars: Vec<&str> = chars(&case.text).collect();
        let at = at.index(chars.len() + 1);
        let mut parser = case.parser();
        let mut so_far = Vec::new();
        for next in &chars[..at] {
            so_far.extend(parser.feed(next).map(|event| event.map(String::from)));
        }
        let so_far = join(so_far);
        let whole = join(events(&mut case.parser(), [&*case.text]));
        for (said, of_whole) in so_far.iter().zip(&whole) {
            let begins = said.slice().zip(of_whole.slice()).is_some_and(|(a, b)| b.starts_with(&**a));
            let same_kind = std::mem::discriminant(said) == std::mem::discriminant(of_whole);
            prop_assert!(said == of_whole || begins && same_kind, "{said:?} became {of_whole:?}");
        }
        prop_assert!(so_far.len() <= whole.len());
    }

    // Law 7, infallible: any bytes are read as the text that the standard library makes of them.
    #[test]
    fn any_bytes_are_text(data in proptest::collection::vec(any::<u8>(), 0..200), cut in 1..9usize) {
        let mut parser = parser(Dialect::CLINE);
        let mut found = Vec::new();
        for chunk in data.chunks(cut) {
            found.extend(parser.feed_bytes(chunk).map(|event| event.map(String::from)));
        }
        found.extend(parser.finish().map(|event| event.map(String::from)));
        found.retain(|event| !matches!(event, Event::Diagnostic(_)));
        let lossy = String::from_utf8_lossy(&data);
        let mut expected = events(&mut self::parser(Dialect::CLINE), [&*lossy]);
        expected.retain(|event| !matches!(event, Event::Diagnostic(_)));
        prop_assert_eq!(join(found), join(expected));
    }

    // Law 8, no leak: exactly the prose between calls is text, wherever the stream ends.
    #[test]
    fn only_prose_is_text(
        pieces in proptest::collection::vec("[a-zé🦀 .\n]{0,12}", 2..5),
        dialect in prop::sample::select(AMONG_PROSE),
        lost in 0..40usize,
    ) {
        // A call that consists of lines: the line break before it is text, and its own last one is markup.
        let lines = [Dialect::REACT, Dialect::CODE_ASSISTANT_CARET].contains(&dialect);
        let feed = if lines { "\n" } else { "" };
        let mut call = feed.to_string() + &call_of(&dialect, "x < y") + feed;
        // Here prose is a message of its own.
        let opening = inputs::text_openings().find(|(of, _)| **of == dialect).map_or("", |of| of.1);
        if !opening.is_empty() {
            call = format!("<|end|>{call}{opening}");
        }
        let whole: String = opening.to_string() + &pieces.join(&call);
        let events = events(&mut parser(&dialect), chars(&whole));
        prop_assert_eq!(text(&events), pieces.join(feed));

        let cut: String = {
            let count = whole.chars().count().saturating_sub(lost);
            whole.chars().take(count).collect()
        };
        let message = parser(&dialect).parse(&cut);
        let leaked = message.text().contains('<');
        let reported = message.diagnostics().iter().any(|d| d.kind.as_str() == "cut_opener");
        // `<` with two more letters is too short for half an opener.
        let short = cut.rfind('<').is_some_and(|at| cut.len() - at < 3);
        prop_assert!(!leaked || reported || short, "{:?} leaks", message.text());
    }

    // Laws 10, values may contain markers, and 11, verbatim.
    #[test]
    fn values_come_back(data in proptest::collection::vec(any::<u8>(), 8..80)) {
        let case = soup::twinned(&data);
        // A full stop follows each closer that could end the value, so nothing there can go on. A CR would join the line break
        // after it.
        let own = [
            "</content>", "</param:content>", "</parameter>", "</invoke>", "</function>", "</arg_value>",
            "</tool_call>", "</write>", "</tool:write>", "<parameter=read>",
        ];
        let stop = |value: String, closer: &&str| value.replace(closer, &format!("{closer}."));
        let value = own.iter().fold(case.text, stop).replace("<parameter=read>", "<parameter=no>");
        let value = value.trim_end_matches('\r').to_string();
        // A second opener of a value, right behind the first, is markup.
        let value = value.replace("<arg_value>", "<arg_value.>");
        let call = call_of(&case.dialect, &value);
        let message = parser(&case.dialect).parse(&call);
        let calls: Vec<_> = message.calls().collect();
        prop_assert_eq!(calls.len(), 1, "{:?}", message.blocks());
        prop_assert_eq!(&calls[0].input()["content"], &serde_json::Value::from(value));
        prop_assert_eq!(calls[0].range(), 0..body_end(&case.dialect, &call));
    }

    // Law 12, one code path: the message of the stream is the message of the text.
    #[test]
    fn whole_is_streamed(case in case()) {
        let mut parser = case.parser();
        let mut message = parser.message();
        for next in chars(&case.text) {
            for event in parser.feed(next) {
                message.push(event);
            }
        }
        for event in parser.finish() {
            message.push(event);
        }
        message.close();
        prop_assert_eq!(message.to_json(), case.parser().parse(&case.text).to_json());
        prop_assert_eq!(message.position(), parser.position());
    }

    // Law 13, isolated: a clone is a snapshot, and `reset` equals a new parser.
    #[test]
    fn clones_are_snapshots(case in case(), at in any::<prop::sample::Index>()) {
        let chars: Vec<&str> = chars(&case.text).collect();
        let at = at.index(chars.len() + 1);
        let mut parser = case.parser();
        for next in &chars[..at] {
            let _ = parser.feed(next);
        }
        let mut snapshot = parser.clone();
        let went_on = events(&mut parser, chars[at..].iter().copied());
        prop_assert_eq!(&events(&mut snapshot, chars[at..].iter().copied()), &went_on);
        parser.reset();
        let again = events(&mut parser, chars.iter().copied());
        prop_assert_eq!(again, events(&mut case.parser(), chars));
    }
}

/// A call of `write` with this content, framed so that the content is the whole value.
fn call_of(dialect: &Dialect, content: &str) -> String {
    match dialect.name() {
        "cline" => {
            format!("<write>\n<path>p</path>\n<content>\n{content}\n</content>\n</write>")
        }
        "code-assistant" => format!(
            "<tool:write><param:path>p</param:path><param:content>\n{content}\n</param:content></tool:write>"
        ),
        "invoke" => format!(
            "<function_calls>\n<invoke name=\"write\">\n<parameter name=\"path\">p</parameter>\n\
             <parameter name=\"content\">\n{content}\n</parameter>\n</invoke>\n</function_calls>"
        ),
        "qwen3-coder" => format!(
            "<tool_call>\n<function=write>\n<parameter=path>\np\n</parameter>\n<parameter=content>\n\
             {content}\n</parameter>\n</function>\n</tool_call>"
        ),
        "glm" => format!(
            "<tool_call>write\n<arg_key>path</arg_key>\n<arg_value>p</arg_value>\n\
             <arg_key>content</arg_key>\n<arg_value>{content}</arg_value>\n</tool_call>"
        ),
        "hermes" | "tool-call" => {
            let arguments = serde_json::json!({"path": "p", "content": content});
            format!(
                "<tool_call>\n{{\"name\": \"write\", \"arguments\": {arguments}}}\n</tool_call>"
            )
        }
        "seed-oss" => format!(
            "<seed:tool_call>\n<function=write>\n<parameter=path>p</parameter>\n\
             <parameter=content>{content}</parameter>\n</function>\n</seed:tool_call>"
        ),
        "longcat" => format!(
            "<longcat_tool_call>write\n<longcat_arg_key>path</longcat_arg_key>\n\
             <longcat_arg_value>p</longcat_arg_value>\n<longcat_arg_key>content</longcat_arg_key>\n\
             <longcat_arg_value>{content}</longcat_arg_value>\n</longcat_tool_call>"
        ),
        "iquest-q1" => format!(
            "<iquest_tool_call>write<arg_key>path</arg_key><arg_value>p</arg_value>\
             <arg_key>content</arg_key><arg_value>{content}</arg_value></iquest_tool_call>"
        ),
        "solar-open2" => format!(
            "<|tool_call:start|>write\n<|tool_arg:start|>path<|tool_arg:value|>p<|tool_arg:end|>\n\
             <|tool_arg:start|>content<|tool_arg:value|>{content}<|tool_arg:end|>\n<|tool_call:end|>"
        ),
        "hunyuan" => format!(
            "<tool_calls:x>\n<tool_call:x>write<tool_sep:x>\n<arg_key:x>path</arg_key:x>\n\
             <arg_value:x>p</arg_value:x>\n<arg_key:x>content</arg_key:x>\n\
             <arg_value:x>{content}</arg_value:x>\n</tool_call:x>\n</tool_calls:x>"
        ),
        "k2-horizon" => format!(
            "<ifm|tool_calls><ifm|tool_call>write<ifm|arg_key>path</ifm|arg_key>\
             <ifm|arg_value>p</ifm|arg_value><ifm|arg_key>content</ifm|arg_key>\
             <ifm|arg_value>{content}</ifm|arg_value></ifm|tool_call></ifm|tool_calls>"
        ),
        "code-assistant-caret" => {
            format!("^^^write\npath: p\ncontent ---\n{content}\n--- content\n^^^")
        }
        "react" => {
            let arguments = serde_json::json!({"path": "p", "content": content});
            format!("Action: write\nAction Input: {arguments}")
        }
        _ => {
            let arguments = serde_json::json!({"path": "p", "content": content});
            let arguments = arguments.as_object().expect("an object");
            parser(dialect).render_call("write", arguments).expect("a call")
        }
    }
}

/// The dialects whose calls stand anywhere and end with a closer. Anything around them is text.
const AMONG_PROSE: &[Dialect] = &[
    Dialect::CLINE,
    Dialect::CODE_ASSISTANT,
    Dialect::INVOKE,
    Dialect::HERMES,
    Dialect::QWEN3_CODER,
    Dialect::GLM,
    Dialect::TOOL_CALL,
    Dialect::REACT,
    Dialect::COMMAND_R,
    Dialect::PHI4,
    Dialect::JSON_ARRAY,
    Dialect::APRIEL,
    Dialect::INKLING,
    Dialect::DEEPSEEK_DSML,
    Dialect::MINIMAX_M2,
    Dialect::GIGACHAT35,
    Dialect::DOTS,
    Dialect::STEP3,
    Dialect::KIMI_K3,
    Dialect::MINIMAX_M3,
    Dialect::COHERE_COFL,
    Dialect::MINICPM5,
    Dialect::GEMMA4,
    Dialect::LFM2,
    Dialect::FUNCTIONGEMMA,
];

/// The end of the call in it: before the closer of its section.
fn body_end(dialect: &Dialect, call: &str) -> usize {
    let sections: &[&str] = match dialect.name() {
        "glm" => &[],
        "cline" | "code-assistant" | "react" | "code-assistant-caret" => &[],
        "iquest-q1" | "longcat" | "solar-open2" => &[],
        "seed-oss" => &["\n</seed:tool_call>"],
        "hunyuan" => &["\n</tool_calls:x>"],
        "k2-horizon" => &["</ifm|tool_calls>"],
        "invoke" | "hermes" | "qwen3-coder" | "tool-call" => {
            &["\n</function_calls>", "\n</tool_call>"]
        }
        "minimax-m2" => &["\n</minimax:tool_call>"],
        "deepseek-dsml" => &["\n</｜DSML｜tool_calls>"],
        "gigachat35" => &["\n</｜GCML｜tool_calls>"],
        "dots" => &["\n</dots_function_call>"],
        "step3" => &["<｜tool_call_end｜>\n<｜tool_calls_end｜>"],
        "kimi-k3" => &["<|close|>tools<|sep|>"],
        "minicpm5" => &[],
        "minimax-m3" => &["\n]<]minimax[>[</tool_call>"],
        "cohere-cofl" => &["\n</cofl:tool_calls>"],
        "muse" => &["\n</atem:function_calls><|eot|>"],
        "gemma4" => &["<tool_call|>"],
        "pythonic" => &["]"],
        "lfm2" => &["]<|tool_call_end|>"],
        "olmo3" => &["\n</function_calls>"],
        "functiongemma" => &["<end_function_call>"],
        // The brace of the object ends the call.
        _ => return call.rfind('}').map_or(call.len(), |brace| brace + 1),
    };
    sections.iter().find_map(|closer| call.strip_suffix(closer)).unwrap_or(call).len()
}

// Law 3, shape: a cut call has another type. This test counts the calls that a host gets.
#[test]
fn a_cut_call_is_no_call() {
    // A call of Beam is whole after each of its parameters, because a stop token is its closer.
    for dialect in Dialect::ALL.iter().filter(|dialect| **dialect != Dialect::BEAM) {
        let call = call_of(dialect, "rm -rf ./build");
        let body = call.find("path").expect("a body");
        for end in (body..call.len()).filter(|end| call.is_char_boundary(*end)) {
            let message = parser(dialect).parse(&call[..end]);
            let runs = message.calls().count();
            assert_eq!(runs, usize::from(end >= body_end(dialect, &call)), "{:?}", &call[..end]);
            let blocks = message.blocks().iter();
            let calls = blocks.filter(|block| match block {
                Block::Incomplete(call) => !call.partial(),
                block => matches!(block, Block::Call(_)),
            });
            // Half the tag of the first parameter may leave the opener undecided.
            assert!(calls.count() == 1 || end < body + 10, "{:?}", &call[..end]);
        }
    }
}

/// The markers that may begin within a line of text. All but the last character of each is held there.
fn markers_in_a_line(dialect: &Dialect, opening: &str) -> Vec<String> {
    let mut parser = parser(dialect);
    let _ = parser.feed(opening);
    let _ = parser.feed("a ");
    let waits = |marker: &String| {
        let end = marker.char_indices().last().map_or(0, |(at, _)| at);
        let mut parser = parser.clone();
        let _ = parser.feed(&marker[..end]);
        parser.held() >= end
    };
    dialect.markers().into_iter().filter(waits).collect()
}

// Law 5, prompt: a byte that can be no marker leaves in its own feed.
#[test]
fn prose_is_not_held_back() {
    let prose =
        ["a, ", "< b", "<", "= c", " <d", ">", "x <thi", "é <", " Option<S", "</di", "&lt;"];
    for (dialect, opening) in inputs::text_openings() {
        let mut parser = parser(dialect);
        let _ = parser.feed(opening);
        let markers = markers_in_a_line(dialect, opening);
        let mut fed = String::new();
        for chunk in prose {
            let _ = parser.feed(chunk);
            fed.push_str(chunk);
            // Only the beginning of a marker can wait: `<`; `</`, which may become a closer; `>`.
            let mut tails = fed.char_indices().map(|(at, _)| &fed[at..]);
            let begins = |tail: &&str| markers.iter().any(|marker| marker.starts_with(*tail));
            let waits = tails.find(begins).map_or(0, str::len);
            assert_eq!(parser.held(), waits, "{dialect:?} {fed:?}");
            if chunk.ends_with("<thi") {
                // In `react`, reasoning opens only at the start of a line.
                let [open, _] = dialect.reasoning_markers();
                let opens = open.contains(&"<think>") && *dialect != Dialect::REACT;
                assert_eq!(waits > 0, opens, "{dialect:?}");
            }
        }
    }
}

#[test]
fn values_are_not_held_back() {
    let mut parser = parser(Dialect::CLINE);
    let _ = parser.feed("<write><path>p</path><content>\n");
    for (chunk, held) in [
        ("fn f() {", 0),
        ("\n", 1),
        ("}\r", 1),
        ("\n\n", 1),
        ("a</", 2),
        ("b", 0),
        ("<c", 2),
        (" ", 0),
    ] {
        let _ = parser.feed(chunk);
        assert_eq!(parser.held(), held, "after {chunk:?}");
    }
}

// Law 9: prose is safe.
#[test]
fn prose_is_safe() {
    let cline = [
        "use the `<read>` tag",
        "<read> it </read> twice",
        "<read file=\"x\"> and </read>",
        "`<read/>`, <Read>, <reader>, </reads>",
        "wrap it in <think> tags",
        "std::<function=void>(a < b, c << 2)",
        "<function_calls> are a wrapper </function_calls>",
    ];
    let code_assistant = [
        "<tool: is a prefix",
        "write <tool:read> then words </tool:read>",
        "<param:path>x</param:path>",
    ];
    let invoke = [
        "List<invoke> and <parameter name=\"x\">",
        "XAML: <invoke name=\"Refresh\"></invoke>",
        "<function_calls> words </function_calls>",
    ];
    let all = [
        (Dialect::CLINE, &cline[..]),
        (Dialect::CODE_ASSISTANT, &code_assistant[..]),
        (Dialect::INVOKE, &invoke[..]),
    ];
    for (dialect, texts) in all {
        for prose in texts {
            let parser = parser(&dialect);
            assert_eq!(parser.parse(prose).text(), *prose);
            assert!(matches!(parser.sanitize(prose), Cow::Borrowed(same) if same == *prose));
        }
    }
}

#[test]
fn sanitize_keeps_the_text_of_the_parser() {
    for seed in 0..2000 {
        let case = soup::case(&soup::seeded(seed, 60));
        let unlimited = case.parser().to_builder().tool_limit(None).build().expect("a parser");
        assert_eq!(case.parser().sanitize(&case.text), unlimited.parse(&case.text).text());
    }
}

// Law 13: isolated.
#[test]
fn everything_is_a_plain_value() {
    fn plain<T: Send + Sync + Clone + std::fmt::Debug + std::panic::UnwindSafe>() {}
    plain::<Parser>();
    plain::<toolstream::ParserBuilder>();
    plain::<Event<&str>>();
    plain::<Event<Utf8Bytes>>();
    plain::<toolstream::Message>();
    plain::<toolstream::Tool>();
    plain::<toolstream::options::Options>();
    plain::<toolstream::BuildError>();
}

/// The search/replace lines of a diff parameter arrive whole, in one slice, in chunks of every size.
#[test]
fn diff_lines_come_whole() {
    let lines = [
        "<<<<<<< SEARCH",
        "=======",
        ">>>>>>> REPLACE",
        "------- SEARCH",
        "+++++++ REPLACE",
        "===",
    ];
    let diff: String = lines.iter().map(|line| format!("  a < b\n{line}\n<div>\n")).collect();
    let input = format!("<edits><diff>\n{diff}</diff></edits>");
    for size in 1..20 {
        let mut parser = parser(Dialect::CLINE);
        let mut deltas: Vec<String> = Vec::new();
        for chunk in input.as_bytes().chunks(size) {
            deltas.extend(parser.feed_bytes(chunk).filter_map(|event| match event {
                Event::ToolUse(ToolUse::ParamDelta(delta)) => Some(delta.to_string()),
                _ => None,
            }));
        }
        assert_eq!(deltas.concat(), diff[..diff.len() - 1], "the framing line break is not in it");
        for line in lines {
            let count =
                deltas.iter().filter(|delta| delta.lines().any(|found| found == line)).count();
            assert!(count > 0, "{line:?} is cut into halves by chunks of {size}: {deltas:?}");
        }
    }
}
