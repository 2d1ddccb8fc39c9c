//! Decisions that come late: at the end of the stream, or at a bound. Each row of the small tables is a rule of the
//! specification, read whole and byte by byte.

use serde_json::{Value, json};
use toolstream::check::{self, Ended, join};
use toolstream::{
    Dialect, Event, Parser, Status, Tool, ToolUse,
    diagnostic::{Cause, DiagnosticKind},
    options::{Options, bounds},
};

const SIZES: [usize; 2] = [usize::MAX, 1];
const CALL: &str = "{\"name\": \"ring\", \"arguments\": {}}\n";

/// A parser of the tools `ring` and `tap`, without a limit.
fn parser(dialect: &str) -> Parser {
    let properties = json!({"leaf": {"type": "string"}, "n": {"type": "integer"}});
    let parameters = json!({"type": "object", "properties": properties});
    let tools = ["ring", "tap"].map(|name| json!({"name": name, "parameters": parameters}));
    let builder = Parser::builder(Dialect::by_name(dialect).expect("a dialect"));
    let options = Options::from_json(&json!({"tool_limit": null})).expect("options");
    let tools = Tool::list_from_json(&Value::from(tools.to_vec())).expect("tools");
    builder.tools(tools).options(options).build().expect("a parser")
}

/// Events of a text in chunks of `size` bytes.
fn events(parser: &Parser, text: &str, size: usize) -> Vec<Event<String>> {
    let (mut parser, mut events) = (parser.clone(), Vec::new());
    let mut take = |event: Event<&str>| events.push(event.map(String::from));
    for chunk in text.as_bytes().chunks(size) {
        parser.feed_bytes_into(chunk, &mut take);
    }
    parser.finish_into(&mut take);
    join(events)
}

fn text(events: &[Event<String>]) -> String {
    let text = events.iter().map(|event| match event {
        Event::TextContent(text) => &**text,
        _ => "",
    });
    text.collect()
}

/// The offsets of the calls.
fn starts(events: &[Event<String>]) -> Vec<usize> {
    let start = |event: &Event<String>| match event {
        Event::ToolUse(ToolUse::Start { at, .. }) => Some(*at),
        _ => None,
    };
    events.iter().filter_map(start).collect()
}

/// The statuses of the calls.
fn ends(events: &[Event<String>]) -> Vec<Status> {
    let end = |event: &Event<String>| match event {
        Event::ToolUse(ToolUse::End { status, .. }) => Some(*status),
        _ => None,
    };
    events.iter().filter_map(end).collect()
}

/// The offset of the first diagnostic of this kind.
fn told(events: &[Event<String>], kind: DiagnosticKind) -> Option<usize> {
    events.iter().find_map(|event| match event {
        Event::Diagnostic(found) if found.kind == kind => Some(found.at),
        _ => None,
    })
}

/// Three bytes of an opener are half an opener. If an object decides, bytes before the object do not count, unless they are an
/// opener themselves.
#[test]
fn half_an_opener_at_the_end() {
    let kimi = "<|tool_calls_section_begin|><|tool_call_begin|>";
    let coder = "<tool_call>\n<function=ring>\n{\"leaf\": \"a\"}\n";
    let [kimi_3, kimi_1] = ["   rin", "   r"].map(|name| format!("{kimi}{name}"));
    let [coder_long, coder_short] = ["<function=ri", "<f"].map(|next| format!("{coder}{next}"));
    for (dialect, text, at) in [
        ("llama3-json:xlam", "```json\n{", None),
        ("llama3-json:xlam", "```json\n{\"", None),
        ("llama3-json:xlam", "```json\n{\"n", Some(0)),
        ("llama3-json:xlam", "<tool_call>", Some(0)),
        ("llama3-json:xlam", "<tool_call>{", Some(0)),
        ("llama3-json:xlam", "[TOOL_CALLS]{", Some(0)),
        ("pythonic", "<|python_start|>[", Some(0)),
        ("bare-json", "{", None),
        ("bare-json", "{\"n", Some(0)),
        ("bare-json", "<tools>", Some(0)),
        ("bare-json", "<tools>{", None),
        ("bare-json", "<tools>{\"n", Some(0)),
        // White space before the name does not count. A name of one byte is too short, so the section's opener is half of a call.
        ("kimi-k2", &kimi_3, Some(kimi.len())),
        ("kimi-k2", &kimi_1, Some(kimi_1.len())),
        // The next call, behind a call without its closer.
        ("qwen3-coder", &coder_long, Some(coder.len())),
        ("qwen3-coder", &coder_short, None),
    ] {
        for size in SIZES {
            let events = events(&parser(dialect), text, size);
            assert_eq!(told(&events, DiagnosticKind::CutOpener), at, "{dialect}: {text:?}");
        }
    }
}

/// An object that is not a call is text up to its bracket, and the text behind it counts again.
#[test]
fn an_object_behind_a_lead_is_text_up_to_its_end() {
    let bare = parser("bare-json");
    let long = vec!["1"; 300].join(", ");
    for before in 0..24 {
        let list = if before % 8 == 0 { &long } else { "" };
        for lead in ["", "<tools>", "```json\n"] {
            let object = format!("{}\n{lead}{{\"open\": [{list}]}}\n", "S".repeat(before));
            for size in [usize::MAX, 7, 1] {
                let events = events(&bare, &format!("{object}{CALL}"), size);
                assert_eq!(starts(&events), [object.len()], "{object:?} in chunks of {size}");
                assert_eq!(text(&events), object, "in chunks of {size}");
            }
        }
    }
}

/// Objects that are read far beyond their ends are not tried inside the bytes that were read, but are tried behind them.
#[test]
fn objects_are_tried_up_to_a_bound() {
    let bare = parser("bare-json");
    let open = "{\"arguments\": {\"a\": [";
    let filling = format!("{}\n", "1, ".repeat(22_500));
    for (before, end) in [(1, "\n\n"), (1, "</think>\n"), (3_000, "\n\n"), (3_000, "</think>\n")] {
        let before = "hi\n".repeat(before);
        let text = |times: usize| {
            let objects = format!("{open}{end}").repeat(times);
            format!("{before}{objects}{CALL}{filling}{CALL}")
        };
        for size in [usize::MAX, 9_000] {
            // One such object is within the bound, so the call in its bytes counts. With two objects it does not.
            for (times, calls) in [(1, 2), (2, 1)] {
                let text = text(times);
                let found = starts(&events(&bare, &text, size));
                assert_eq!(found.len(), calls, "{times} times {end:?} in chunks of {size}");
                assert_eq!(found.last(), Some(&(text.len() - CALL.len())));
            }
        }
    }
}

/// An object that waits to become a call is one of the texts that may be held for so long.
#[test]
fn the_laws_know_how_long_an_object_is_held() {
    let long = "x".repeat(2 * bounds::HELD);
    let text = format!("{{\"arguments\": {{\"leaf\": \"{long}\"}}, \"name\": \"ring\"}}");
    let cuts = (1..).map(|part| part * 500).take_while(|at| *at < text.len()).collect();
    let bare = parser("bare-json");
    check::hold(&bare, &text, &[Vec::new(), cuts], Ended::Stop).expect("the laws");
    assert_eq!(ends(&events(&bare, &text, 500)), [Status::Complete]);
}

/// Exactly the bound of bytes is held, and with one byte more nothing is.
#[test]
fn arguments_are_held_up_to_their_bound() {
    let (call, begin) = ("<tool_call>{\"arguments\": ", "{\"leaf\": \"");
    let mut hermes = parser("hermes");
    let mut quiet = |_: Event<&str>| {};
    hermes.feed_into(call, &mut quiet);
    hermes.feed_into(begin, &mut quiet);
    hermes.feed_into(&"x".repeat(bounds::ARGUMENTS - begin.len()), &mut quiet);
    assert_eq!(hermes.held(), bounds::ARGUMENTS);
    hermes.feed_into("x", &mut quiet);
    assert_eq!(hermes.held(), 0);
}

/// A parameter's name that is too long breaks its call. An id that is too long is no id.
#[test]
fn names_and_ids_have_bounds() {
    let broken = Status::Incomplete(Cause::Broken);
    for (more, status) in [(0, Status::Complete), (1, broken)] {
        let name = "a".repeat(bounds::NAME + more);
        let pythonic = Parser::builder(Dialect::PYTHONIC).build().expect("a parser");
        let events = events(&pythonic, &format!("[ring({name}=1)]"), usize::MAX);
        assert_eq!(ends(&events), [status]);
        let limit = told(&events, DiagnosticKind::LimitExceeded);
        assert_eq!(limit.is_some(), more > 0);
    }
    for (len, has) in [(0, false), (bounds::NAME, true), (bounds::NAME + 1, false)] {
        let id = "x".repeat(len);
        let text =
            format!("[TOOL_CALLS][{{\"id\": \"{id}\", \"name\": \"ring\", \"arguments\": {{}}}}]");
        let events = events(&parser("mistral"), &text, usize::MAX);
        let start = events.iter().find_map(|event| match event {
            Event::ToolUse(ToolUse::Start { id, .. }) => Some(id.clone()),
            _ => None,
        });
        assert_eq!(start, Some(has.then_some(id)), "an id of {len} bytes");
    }
}

/// White space at the end of a key is no part of it.
#[test]
fn a_key_ends_before_white_space() {
    for key in ["n", "n ", "\"n\"", "\"n \"", "'n\\t'", "<|\"|>n <|\"|>"] {
        let text = format!("<|tool_call>call:ring{{{key}: 1}}<tool_call|>");
        for size in SIZES {
            let events = events(&parser("gemma4"), &text, size);
            let named = events.iter().filter_map(|event| match event {
                Event::ToolUse(ToolUse::ParamStart { name, .. }) => Some(&**name),
                _ => None,
            });
            assert_eq!(
                (named.collect(), ends(&events)),
                (vec!["n"], vec![Status::Complete]),
                "{key:?}"
            );
            assert_eq!(told(&events, DiagnosticKind::UnknownParameter), None, "{key:?}");
        }
    }
}

/// Blank lines may stand between a tool and its input. A line with too many blanks is no blank line.
#[test]
fn blank_lines_before_an_input() {
    let react = parser("react");
    for (blanks, has_input) in [(0, true), (255, true), (256, true), (257, false)] {
        let text = format!("Action: ring\n{}\nAction Input: x\n", " ".repeat(blanks));
        for size in SIZES {
            let events = events(&react, &text, size);
            let param = |event: &Event<String>| {
                matches!(event, Event::ToolUse(ToolUse::ParamDelta(_) | ToolUse::ArgumentsDelta(_)))
            };
            assert_eq!(events.iter().any(param), has_input, "{blanks} blanks in chunks of {size}");
        }
    }
    // The last line here has no line end.
    for size in SIZES {
        let events = events(&react, "Action: ring\n \t \r", size);
        assert_eq!((text(&events), ends(&events)), (String::new(), vec![Status::Complete]));
    }
}

/// Decoration before a keyword is no half of it, but a letter is.
#[test]
fn half_a_keyword_behind_a_call() {
    let (complete, cut) = (Status::Complete, Status::Incomplete(Cause::EndOfStream));
    for (line, status, left) in
        [("**", complete, "**"), ("> ", complete, "> "), ("**A", cut, ""), ("Act", cut, "")]
    {
        for size in SIZES {
            let events = events(&parser("react"), &format!("Action: ring\n{line}"), size);
            assert_eq!((ends(&events), &*text(&events)), (vec![status], left), "{line:?}");
        }
    }
}

/// The answer starts behind its keyword, even if the closing decoration has not come.
#[test]
fn an_answer_of_nothing_starts() {
    for (answer, left) in [
        ("Final Answer:", ""),
        ("**Final Answer:", ""),
        ("**Final Answer:*", "*"),
        ("**Final Answer:**", ""),
    ] {
        for size in SIZES {
            let events = events(&parser("react"), answer, size);
            let starts = events.iter().filter(|event| **event == Event::AnswerStart).count();
            assert_eq!((starts, &*text(&events)), (1, left), "{answer:?}");
        }
    }
}

/// Too many blanks before a keyword are not held.
#[test]
fn long_leads_are_not_held() {
    for size in [1, 5, 40] {
        let mut react = parser("react");
        for _ in 0..40 / size {
            react.feed_into(&" ".repeat(size), &mut |_: Event<&str>| {});
        }
        assert_eq!(react.held(), 0, "in chunks of {size}");
    }
}

/// A list that repeats the calls behind them is markup. It must begin with the first of them, and its strings end like theirs.
#[test]
fn a_list_that_is_said_again() {
    let first = "<|tool_call_start|>[ring(n=1), tap(n=2)]<|tool_call_end|>";
    for (again, left) in [
        ("[ring(n=1), tap(n=2)]", "\nhi"),
        ("[tap(n=2)]", "[tap(n=2)]\nhi"),
        // Behind a quote that is data, a name that is not a parameter of the tool is data, too, as in the call itself.
        ("[ring(leaf=\"a\" b\", x='c \" leaf=\"d\")]", "\nhi"),
    ] {
        for size in SIZES {
            let events = events(&parser("lfm2"), &format!("{first}{again}\nhi"), size);
            assert_eq!((starts(&events).len(), &*text(&events)), (2, left), "{again:?}");
        }
    }
}
