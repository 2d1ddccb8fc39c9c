//! Reasons why calls of a message may not run, and openers that did not count: `Message::refused`, `Message::correction`,
//! `IncompleteCall::broken_by`.

use std::ops::Range;

use crate::support::{inputs, samples};
use toolstream::{
    Block, Dialect, Message, Param, Parser, Tool,
    calls::RefusedCall,
    diagnostic::DiagnosticKind,
    options::{CallsInReasoning, Fences, Recoveries, Required, Types},
    tools::Type,
};

fn read_tool() -> Tool {
    Tool::new("read_file")
        .param(Param::required("path"))
        .param(Param::optional("line").with(Type::Integer))
}

fn parser(dialect: Dialect) -> Parser {
    let builder = Parser::builder(dialect).tool(read_tool()).explain_refused(true);
    builder
        .recoveries(Recoveries::Strict)
        .types(Types::Strict)
        .required(Required::Strict)
        .build()
        .unwrap()
}

/// The first refused call of a text, equal whole and byte by byte.
fn why(dialect: Dialect, text: &str) -> RefusedCall {
    let parser = parser(dialect);
    let refused = parser.parse(text).refused();
    let mut reply = parser.reply();
    for chunk in text.as_bytes().chunks(1) {
        reply.feed_bytes(chunk).for_each(drop);
    }
    reply.finish().for_each(drop);
    assert_eq!(reply.message().refused(), refused, "{text}");
    refused.into_iter().next().unwrap_or_else(|| panic!("nothing is refused in {text}"))
}

#[test]
fn the_closer_that_is_missing_is_named_with_what_stands_there() {
    let found =
        why(Dialect::INVOKE, r#"<invoke name="read_file"><parameter name="path">a</invoke>"#);
    assert_eq!(found.why, "`</parameter>` is missing before `</invoke>`");
    assert_eq!(
        (found.name.as_deref(), found.index, found.range),
        (Some("read_file"), Some(0), 0..58)
    );
    let found = why(
        Dialect::QWEN3_CODER,
        "<tool_call>\n<function=read_file>\n<parameter=path>\na\n</function>\n</tool_call>",
    );
    assert_eq!(found.why, "`</parameter>` is missing before `</function>`");
    let found = why(Dialect::CLINE, "<read_file>\n<path>a</read_file>");
    assert_eq!(found.why, "`</path>` is missing before `</read_file>`");
}

/// A model that repeats an opener fills no memory with reasons.
#[test]
fn a_hundred_openers_are_enough() {
    let parser = parser(Dialect::CLINE);
    for (openers, kept) in [(99, 99), (100, 100), (101, 100), (1_000, 100)] {
        let refused = parser.parse(&"<read_file> a\n".repeat(openers)).refused();
        assert_eq!(refused.len(), kept, "{openers}");
        assert_eq!(refused[0].range, 0..11);
    }
}

#[test]
fn each_reason_has_its_words() {
    let call = |arguments: &str| {
        format!(r#"<tool_call>{{"name": "read_file", "arguments": {arguments}}}</tool_call>"#)
    };
    let said = |arguments: &str| why(Dialect::HERMES, &call(arguments)).why;
    assert_eq!(said("{}"), "it lacks the required argument `path`");
    assert_eq!(
        said(r#"{"path": "a", "line": "x"}"#),
        "`line` must be of the type integer and is a value of the type string"
    );
    assert!(
        said(r#"{"path" "a"}"#).starts_with("its arguments are not valid JSON (line 1, column ")
    );
    let cut = why(Dialect::CLINE, "<read_file><path>src/ma");
    assert_eq!(cut.why, "the reply ends before its `</path>`");
    let nameless = why(Dialect::HERMES, "<tool_call>{\"arguments\": {}}</tool_call>");
    assert_eq!((nameless.name, nameless.index), (None, None));
}

#[test]
fn an_opener_that_names_a_declared_tool_is_refused_in_words() {
    let found = why(Dialect::CODE_ASSISTANT, "I try.\n<tool:read_file> src/main.rs and so on");
    assert_eq!((found.name.as_deref(), found.index), (Some("read_file"), None));
    assert_eq!(found.range.start, 7);
    assert!(found.why.starts_with("behind `<tool:read_file>` comes `s` and not "), "{}", found.why);
    let found = why(Dialect::QWEN3_CODER, "<tool_call>\n<function=read_file>\nsrc/main.rs\n");
    assert_eq!(found.name.as_deref(), Some("read_file"));
}

/// The first sentence of a reply, before its calls.
const PROSE: &str = "I try.\n";

/// All that is refused in a text behind some prose.
fn all(dialect: &Dialect, text: &str) -> (usize, Vec<RefusedCall>) {
    let before = format!("{}{PROSE}", inputs::opening(dialect));
    let text = format!("{before}{text}");
    why(dialect.clone(), &text);
    (before.len(), parser(dialect.clone()).parse(&text).refused())
}

/// The range, the name, the index and the sentence.
fn data(found: &RefusedCall) -> (Range<usize>, Option<&str>, Option<usize>, &str) {
    (found.range.clone(), found.name.as_deref(), found.index, &found.why)
}

/// A broken opener of a declared tool: its dialect, what stands before and behind it, and the end of the sentence.
#[test]
fn each_dialects_broken_opener_has_its_place_and_its_sentence() {
    let rows = [
        ("cline", "", "<read_file>", " src/main.rs", "comes `s` and not `</` or `<`"),
        (
            "code-assistant",
            "",
            "<tool:read_file>",
            " src/main.rs",
            "comes `s` and not `</tool:` or `<param:`",
        ),
        (
            "invoke",
            "",
            "<invoke name=\"read_file\">",
            "src/main.rs",
            "comes `s` and not `<parameter` or `</invoke>`",
        ),
        (
            "qwen3-coder",
            "<tool_call>\n",
            "<function=read_file",
            " src/main.rs",
            "comes `s` and not `>`, `<parameter=` or `</function>`",
        ),
        (
            "glm",
            "",
            "<tool_call>read_file",
            "\n src/main.rs",
            "comes `s` and not `<arg_key>`, `{`, `</tool_call>` or `</`",
        ),
        (
            "deepseek-dsml",
            "",
            "<｜DSML｜invoke name=\"read_file\">",
            "src/main.rs",
            "comes `s` and not `<｜DSML｜parameter`, `<｜DSML｜ parameter`, `</｜DSML｜invoke>`, `</｜DSML｜ invoke>` or `{`",
        ),
        (
            "minimax-m2",
            "",
            "<invoke name=\"read_file\">",
            "src/main.rs",
            "comes `s` and not `<parameter` or `</invoke>`",
        ),
        ("mistral", "", "[TOOL_CALLS]read_file", "[ARGS] src/main.rs", "comes `s` and not `{`"),
        (
            "gemma4",
            "",
            "<|tool_call>call:read_file",
            " src/main.rs",
            "comes `s` and not `{` or `(`",
        ),
        (
            "minimax-m3",
            "",
            "]<]minimax[>[<invoke name=\"read_file\">",
            "src/main.rs",
            "comes `s` and not `]<]minimax[>[<` or `]<]minimax[>[</invoke>`",
        ),
        ("pythonic", "", "[read_file", " src/main.rs", "comes `s` and not `(`"),
        ("lfm2", "", "<|tool_call_start|>[read_file", " src/main.rs", "comes `s` and not `(`"),
        (
            "cohere-cofl",
            "",
            "<cofl:tool_call id=\"0\" name=\"read_file\">",
            "src/main.rs",
            "comes `s` and not `<cofl:tool_param`, `<cofl:value` or `</cofl:tool_call>`",
        ),
        (
            "kimi-k3",
            "",
            "<|open|>call tool=\"read_file\" index=\"1\"<|sep|>",
            "src/main.rs",
            "comes `s` and not `<|open|>` or `<|close|>`",
        ),
        (
            "code-assistant-caret",
            "",
            "^^^read_file ",
            "src/main.rs and so on",
            "comes `s` and not `\\n`",
        ),
        (
            "seed-oss",
            "<seed:tool_call>\n",
            "<function=read_file",
            " src/main.rs",
            "comes `s` and not `>`, `<parameter=` or `</function>`",
        ),
        (
            "longcat",
            "",
            "<longcat_tool_call>read_file",
            "\n src/main.rs",
            "comes `s` and not `<longcat_arg_key>`, `{`, `</longcat_tool_call>` or `</`",
        ),
        (
            "iquest-q1",
            "",
            "<iquest_tool_call>read_file",
            " src/main.rs",
            "comes `s` and not `<arg_key>`, `{`, `</iquest_tool_call>` or `</`",
        ),
        (
            "gigachat35",
            "",
            "<｜GCML｜invoke name=\"read_file\">",
            "src/main.rs",
            "comes `s` and not `<｜GCML｜parameter`, `<｜GCML｜ parameter`, `</｜GCML｜invoke>`, `</｜GCML｜ invoke>` or `{`",
        ),
        (
            "dots",
            "",
            "<invoke name=\"read_file\">",
            "src/main.rs",
            "comes `s` and not `<parameter` or `</invoke>`",
        ),
        (
            "functiongemma",
            "",
            "<start_function_call>call:read_file",
            " src/main.rs",
            "comes `s` and not `{` or `(`",
        ),
        (
            "solar-open2",
            "",
            "<|tool_call:start|>read_file",
            "\n src/main.rs",
            "comes `s` and not `<|tool_arg:start|>`, `{` or `<|tool_call:end|>`",
        ),
        (
            "hunyuan",
            "<tool_calls:opensource>\n",
            "<tool_call:opensource>read_file",
            "? No.",
            "comes `?` and not `<arg_key`, `<tool_sep`, `{` or `</tool_call`",
        ),
        (
            "k2-horizon",
            "",
            "<ifm|tool_call>read_file",
            " src/main.rs",
            "comes `s` and not `<ifm|arg_key>` or `</ifm|tool_call>`",
        ),
        (
            "step3",
            "",
            "<｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name=\"read_file\">",
            "src/main.rs",
            "comes `s` and not `<steptml:parameter` or `</steptml:invoke>`",
        ),
        (
            "minicpm5",
            "",
            "<function name=\"read_file\">",
            "src/main.rs",
            "comes `s` and not `<param` or `</function>`",
        ),
        (
            "deepseek-v3",
            "",
            "<｜tool▁call▁begin｜>function<｜tool▁sep｜>read_file",
            "\n`` and so on",
            "comes ` ` and not ```",
        ),
        (
            "deepseek-v31",
            "",
            "<｜tool▁call▁begin｜>read_file ",
            "and so on",
            "comes `a` and not `<｜tool▁sep｜>`",
        ),
        ("functionary", "", ">>>read_file", " and so on", "comes ` ` and not `\\n` or `\\r\\n`"),
        (
            "solar-open",
            "",
            "<|tool_call:begin|>call0<|tool_call:name|>read_file ",
            "and so on",
            "comes `a` and not `<|tool_call:args|>`",
        ),
        (
            "plamo3",
            "",
            "<|plamo:begin_tool_request:plamo|><|plamo:begin_tool_name:plamo|>read_file",
            " and so on",
            "comes ` ` and not `<|plamo:end_tool_name:plamo|>`",
        ),
        (
            "muse",
            "<|start|>assistant to=read_file<|message|><atem:function_calls>\n",
            "<atem:invoke name=\"read_file\" ",
            "and so on",
            "comes `a` and not `>`",
        ),
        (
            "inkling",
            "",
            "<|message_model|>read_file<",
            " and so on",
            "comes ` ` and not `|content_invoke_tool_json|>`",
        ),
    ];
    let mut wrong = Vec::new();
    for (name, before, opener, behind, says) in rows {
        let dialect = Dialect::by_name(name).unwrap();
        let (at, refused) = all(&dialect, &[before, opener, behind].concat());
        let at = at + before.len();
        // What is cut at the end of the text has no name.
        let named = refused.iter().filter(|found| found.name.is_some());
        let found: Vec<_> = named.map(data).collect();
        let why = format!("behind `{}` {says}", opener.trim_end());
        if found != [(at..at + opener.len(), Some("read_file"), None, &*why)] {
            wrong.push(format!("{name}: {found:?}"));
        }
    }

    // A line of ReAct is an opener as a whole. In the other dialects here a broken opener is not told from one that names no tool.
    let nameless = [
        (
            "react",
            "Action: read_file? No.\n",
            0..23,
            Some("read_file"),
            "the reply ends behind `Action: read_file? No.`, before white space",
        ),
        (
            "kimi-k2",
            "<|tool_calls_section_begin|><|tool_call_begin|>functions.read_file? No.\n",
            47..47,
            None,
            "the call was not well formed, or names no tool",
        ),
        (
            "harmony",
            "<|start|>assistant to=functions.read_file and so on",
            0..0,
            None,
            "the reply ends inside of a call's opener",
        ),
        (
            "beam",
            "<|start|>assistant to=read_file and so on",
            0..0,
            None,
            "the reply ends inside of a call's opener",
        ),
    ];
    for (name, text, range, tool, says) in &nameless {
        let dialect = Dialect::by_name(name).unwrap();
        let (at, refused) = all(&dialect, text);
        let found: Vec<_> = refused.iter().map(data).collect();
        if found != [(at + range.start..at + range.end, *tool, None, *says)] {
            wrong.push(format!("{name}: {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));

    // In all others the name stands in the body.
    let told = rows.iter().map(|row| row.0).chain(nameless.iter().map(|row| row.0));
    let told: Vec<&str> = told.collect();
    let others = Dialect::ALL.iter().map(Dialect::name).filter(|name| !told.contains(name));
    assert_eq!(
        others.collect::<Vec<_>>(),
        [
            "hermes",
            "tool-call",
            "llama3-json",
            "olmo3",
            "command-r",
            "granite",
            "phi4",
            "json-array",
            "apriel",
            "gigachat3",
            "bare-json",
            "wrapped-json",
        ]
    );
}

/// Openers of other tools are not refused, and neither are openers that the host takes for text.
#[test]
fn prose_is_not_refused() {
    for text in [
        "Use `<tool_call>` before each call.",
        "<tool:write_file> is another tool's.",
        "std::<function=void> in C++",
        "<think>I could call <tool:read_file> now.</think>Done.",
    ] {
        for dialect in
            [Dialect::CODE_ASSISTANT, Dialect::QWEN3_CODER, Dialect::HERMES, Dialect::CLINE]
        {
            let message = parser(dialect.clone()).parse(text);
            assert_eq!(message.refused(), [], "{dialect}: {text}");
            assert_eq!(message.correction(), None);
        }
    }
}

/// Markers in code and in reasoning are text by the host's choice, so no call was meant.
#[test]
fn what_the_host_takes_for_text_is_not_refused() {
    for dialect in [Dialect::CODE_ASSISTANT, Dialect::QWEN3_CODER] {
        let arguments = serde_json::Map::from_iter([("path".into(), "a.rs".into())]);
        let call = parser(dialect.clone()).render_call("read_file", &arguments).unwrap();
        let call = call.trim();
        let quotes = parser(dialect.clone()).to_builder().fences(Fences::Quote).build().unwrap();
        // Inline code ends with its line.
        let line = call.replace('\n', "");
        for text in [format!("Like this:\n```\n{call}\n```\n"), format!("Write `{line}` so.")] {
            let message = quotes.parse(&text);
            assert_eq!(
                (message.has_calls(), message.refused()),
                (false, vec![]),
                "{dialect}: {text}"
            );
        }
        let ignores = parser(dialect.clone()).to_builder();
        let ignores = ignores.calls_in_reasoning(CallsInReasoning::Ignore).build().unwrap();
        let message = ignores.parse(&format!("<think>\n{call}\n</think>Done."));
        assert_eq!((message.has_calls(), message.refused()), (false, vec![]), "{dialect}");
    }
}

#[test]
fn nobody_is_told_who_does_not_ask() {
    let quiet = Parser::builder(Dialect::CODE_ASSISTANT).tool(read_tool()).build().unwrap();
    let text = "<tool:read_file> src/main.rs";
    assert_eq!(quiet.parse(text).refused(), []);
    assert_eq!(parser(Dialect::CODE_ASSISTANT).parse(text).refused().len(), 1);
}

#[test]
fn the_diagnostic_that_broke_a_call_is_known() {
    let broken_by = |message: &Message| match message.blocks() {
        [.., Block::Incomplete(call)] => call.broken_by().map(|found| found.kind),
        other => panic!("{other:?}"),
    };
    let parser = parser(Dialect::INVOKE);
    // A parameter is given twice, which breaks nothing, before the missing closer.
    let path = r#"<parameter name="path">a</parameter>"#;
    let text = format!(
        "<function_calls><invoke name=\"read_file\">{path}{path}<parameter name=\"line\">1</invoke>"
    );
    let message = parser.parse(&text);
    assert_eq!(message.diagnostics()[0].kind, DiagnosticKind::DuplicateParameter);
    assert_eq!(broken_by(&message), Some(DiagnosticKind::MissingCloser));
    // A message from a log has the reason, too.
    let stored = serde_json::to_string(&message).unwrap();
    let read: Message = serde_json::from_str(&stored).unwrap();
    assert_eq!(read, message);
    assert_eq!(broken_by(&read), Some(DiagnosticKind::MissingCloser));
    let cut = parser.parse("<invoke name=\"read_file\"><parameter name=\"path\">a");
    assert_eq!(broken_by(&cut), None);
}

#[test]
fn a_correction_says_all_that_was_wrong() {
    let builder = Parser::builder(Dialect::HERMES)
        .tool(read_tool())
        .tool_limit(None)
        .required(Required::Strict);
    let parser = builder.explain_refused(true).build().unwrap();
    let call = |arguments| {
        format!("<tool_call>{{\"name\": \"read_file\", \"arguments\": {arguments}}}</tool_call>\n")
    };
    let message = parser.parse(&[call("{}"), call("{\"path\" 1}")].concat());
    let said = message.correction().unwrap();
    assert!(said.starts_with(
        "Your last reply contained a tool call that could not be read: `read_file`: it lacks the required \
         argument `path`; `read_file`: its arguments are not valid JSON (line 1, column "
    ), "{said}");
    let cut = parser
        .parse("<tool_call>{\"name\": \"read_file\", \"arguments\": {\"pa")
        .correction()
        .unwrap();
    assert!(cut.starts_with("Your last reply was cut off inside the call of 'read_file'"), "{cut}");
    assert_eq!(parser.parse(&call("{\"path\": \"a\"}")).correction(), None);
}

/// A guard corrects a rejected opener if a tool was needed. Otherwise it takes the opener for prose.
#[cfg(feature = "policy")]
#[test]
fn the_guard_says_which_opener_did_not_count() {
    use toolstream::policy::{Decision, Guard, Turn};

    let message = parser(Dialect::CODE_ASSISTANT).parse("<tool:read_file> src/main.rs");
    let mut turn = Turn::from(&message);
    let Decision::Retry(correction) = Guard::default().turn(&turn) else { panic!() };
    assert!(
        correction.text.contains("could not be read: `read_file`: behind `<tool:read_file>`"),
        "{}",
        correction.text
    );
    turn.requires_tool = false;
    assert_eq!(Guard::default().turn(&turn), Decision::Accept);
}

/// In every vector, asking for refusals changes no message, and no cut changes them.
#[test]
fn to_ask_changes_no_message() {
    let mut told = 0;
    for dialect in Dialect::ALL {
        for sample in samples::vectors(dialect.name()).iter().step_by(inputs::every()) {
            let parser = sample.parser(dialect);
            let asks = parser.to_builder().explain_refused(true).build().unwrap();
            let message = asks.parse(&sample.text);
            assert_eq!(message, parser.parse(&sample.text), "{dialect}: {:?}", sample.text);
            for size in [1, 3, 16] {
                let mut reply = asks.reply();
                for chunk in sample.text.as_bytes().chunks(size) {
                    reply.feed_bytes(chunk).for_each(drop);
                }
                reply.finish().for_each(drop);
                assert_eq!(reply.message(), &message, "{dialect} {size}: {:?}", sample.text);
                assert_eq!(
                    reply.message().refused(),
                    message.refused(),
                    "{dialect} {size}: {:?}",
                    sample.text
                );
            }
            told += message.refused().len();
            let marks = message.refused().into_iter().map(|refused| refused.range);
            assert!(marks.into_iter().all(|range| sample.text.get(range).is_some()));
            assert_eq!(
                message.to_json()["content"],
                parser.parse(&sample.text).to_json()["content"]
            );
        }
    }
    assert!(told > 500 / inputs::every(), "{told}");
}
