//! Calls that are JSON objects: the meaning of members, and the objects of a text that are tried as calls.

use std::fmt::Write as _;

use toolstream::check::join;
use toolstream::{Dialect, Event, Param, Parser, Status, Tool, ToolUse, options::bounds};

use crate::support::inputs;

/// Output for a text in chunks of `size` bytes, in short notation and without markup: text in brackets, name and id of a call,
/// its arguments and its end, and each diagnostic.
fn told(parser: &Parser, text: &str, size: usize) -> String {
    let (mut parser, mut events) = (parser.clone(), Vec::new());
    let mut take = |event: Event<&str>| events.push(event.map(String::from));
    inputs::pieces(text, size).for_each(|piece| parser.feed_into(piece, &mut take));
    parser.finish_into(&mut take);
    let mut out = String::new();
    for event in join(events) {
        let written = match event {
            Event::TextContent(text) => write!(out, "[{text}]"),
            Event::ToolUse(ToolUse::Start { name, id, .. }) => {
                write!(out, "{name}{}", id.map_or(String::new(), |id| format!("#{id}")))
            }
            Event::ToolUse(ToolUse::ArgumentsDelta(slice)) => write!(out, "{slice}"),
            Event::ToolUse(ToolUse::End { status: Status::Complete, .. }) => write!(out, "."),
            Event::ToolUse(ToolUse::End { .. }) => write!(out, " incomplete."),
            Event::Diagnostic(diagnostic) => write!(out, " {:?} ", diagnostic.kind),
            _ => Ok(()),
        };
        written.expect("a string takes all");
    }
    out
}

fn parser(dialect: &Dialect, tools: impl IntoIterator<Item = Tool>) -> Parser {
    Parser::builder(dialect).tool_limit(None).tools(tools).build().expect("well named tools")
}

/// Compares the output whole, byte by byte, and in chunks of 7 bytes.
fn assert_told(parser: &Parser, text: &str, expected: &str) {
    for size in [1, 7, usize::MAX] {
        assert_eq!(told(parser, text, size), expected, "{text:?} in chunks of {size}");
    }
}

/// The first value of a kind counts, if it has the right type. A key that has a meaning elsewhere, or deeper inside, is a member
/// like any other.
#[test]
fn members_of_a_call() {
    let hermes = parser(&Dialect::HERMES, [Tool::new("f")]);
    for (members, expected) in [
        (r#""function": 5, "name": "f", "arguments": {}"#, "f{}."),
        (r#""function": [{"name": "g"}], "name": "f", "arguments": {}"#, "f{}."),
        (r#""function": {"function": {}, "name": "f", "arguments": {}}"#, "f{}."),
        (r#""function": {"function": {"name": "g"}, "name": "f", "arguments": {}}"#, "f{}."),
        (r#""tool": "g", "name": "f", "arguments": {}"#, "f{}."),
        (r#""type": "g", "name": "f", "arguments": {}"#, "f{}."),
        (r#""type": 5, "name": "f", "arguments": {}"#, "f{}."),
        (r#""name": 5, "arguments": {}"#, " MalformedCall "),
        // A word that is not a key is ignored, and a key without quotes may follow it.
        (r#""name": "f", 5 arguments: {}"#, "f MalformedArguments  RepairedJson {} incomplete."),
    ] {
        assert_told(&hermes, &format!("<tool_call>{{{members}}}</tool_call>"), expected);
    }
    let mistral = parser(&Dialect::MISTRAL, [Tool::new("f")]);
    for (id, expected) in [
        (r#""id": "a", "id": "b""#, "f#a{}."),
        (r#""id": 5"#, "f{}."),
        (r#""id": 5, "id": "b""#, "f#b{}."),
        (r#""id": ["a"]"#, "f{}."),
    ] {
        let text = format!(r#"[TOOL_CALLS][{{{id}, "name": "f", "arguments": {{}}}}]"#);
        assert_told(&mistral, &text, expected);
    }
}

/// An object that may be the answer is a call if all keys up to the arguments are those of a call. Arguments that begin like a
/// declaration of parameters are a call's only if the tool has a parameter `type`.
#[test]
fn objects_that_are_calls_by_their_keys() {
    let tools = || [Tool::new("f"), Tool::new("typed").param(Param::required("type"))];
    let parser = parser(&Dialect::BARE_JSON, tools());
    for (text, call) in [
        (r#"{"name": "f", "arguments": {}}"#, Some("f{}.")),
        (r#"{"function": "f", "arguments": {}}"#, Some("f{}.")),
        (r#"{"function": 5, "name": "f", "arguments": {}}"#, None),
        (r#"{"function": [], "name": "f", "arguments": {}}"#, None),
        (
            r#"{"name": "typed", "arguments": {"type": "object"}}"#,
            Some(r#"typed{"type": "object"}."#),
        ),
        (
            r#"{"arguments": {"type": "object"}, "name": "typed"}"#,
            Some(r#"typed{"type": "object"}."#),
        ),
        (r#"{"name": "f", "arguments": {"type": "object"}}"#, None),
        (r#"{"arguments": {"type": "object"}, "name": "f"}"#, None),
        (r#"{"arguments": {"type": "object"}}"#, None),
        (r#"{"arguments": {"type": "object"}, "a": 1}"#, None),
        (r#"{"arguments": {}, "type": "function"}"#, None),
        (r#"{"arguments": {}} and more"#, None),
        (r#"{"name": "f", "arguments": [1]}"#, None),
        (r#"{"type": "function"}"#, None),
    ] {
        let all = format!("[{text}]");
        assert_told(&parser, text, call.unwrap_or(&all));
    }
    // An ended object that is not a call does not hold the text behind it.
    let (text, call) = (r#"{"arguments": {}}"#, r#"{"name": "f", "arguments": {}}"#);
    let both = format!("{text}\n\n{call}");
    assert_told(&parser, &both, &format!("[{text}\n\n]f{{}}."));
}

/// An empty name, or a name that is too long, names no call, and its object is text.
#[test]
fn names_of_objects_that_are_tried() {
    let (longest, longer) = ("x".repeat(bounds::NAME), "x".repeat(bounds::NAME + 1));
    let call = |name: &str| format!(r#"{{"name": "{name}", "parameters": {{}}}}"#);
    let text = |name: &str| format!("[{}]", call(name));
    let run = format!("{longest}{{}}.");
    for (name, declared, expected) in [
        (&*longest, None, &run),
        (&longest, Some(&*longest), &run),
        (&longer, None, &text(&longer)),
        (&longer, Some(&longest), &text(&longer)),
        ("", None, &text("")),
        ("", Some("f"), &text("")),
    ] {
        let parser = parser(&Dialect::LLAMA3_JSON, declared.map(Tool::new));
        assert_told(&parser, &call(name), expected);
    }
}

/// An object is a call if the bytes that can be held show it, in chunks of any size.
#[test]
fn an_object_is_read_up_to_a_bound() {
    let parser = parser(&Dialect::LLAMA3_JSON, [Tool::new("f")]);
    let (head, named, tail) = (r#"{"a": ""#, r#"", "name": "f""#, r#", "parameters": {}}"#);
    let most = 1 + bounds::ARGUMENTS - head.len() - named.len();
    let run = || "f{}.".to_string();
    let long = "x".repeat(bounds::ARGUMENTS);
    for (value, after, is_call) in [
        ("x".repeat(most), "", true),
        ("x".repeat(most + 1), "", false),
        // The bound is in the middle of a character.
        ("x".repeat(most + named.len() - 1) + "é", "", false),
        ("x".repeat(2 * bounds::ARGUMENTS), "", false),
        ("x".into(), &*long, true),
    ] {
        let (call, size) = (format!("{head}{value}{named}{tail}"), head.len() + value.len());
        let after_text = if after.is_empty() { String::new() } else { format!("[{after}]") };
        let expected = if is_call { run() + &after_text } else { format!("[{call}{after}]") };
        for size in [1000, size, usize::MAX] {
            let told = told(&parser, &format!("{call}{after}"), size);
            assert!(told == expected, "{} bytes in chunks of {size}", value.len());
        }
    }
}

/// Bytes that rejected objects read beyond their ends are counted. Above a bound, no object is tried that begins in such bytes.
/// An object that begins behind them is tried.
#[test]
fn objects_that_begin_in_what_was_read() {
    let parser = parser(&Dialect::BARE_JSON, [Tool::new("f")]);
    let call = r#"{"name": "f", "arguments": {}}"#;
    let far = "x".repeat(bounds::ARGUMENTS);
    for (one, other, is_tried) in [
        // The quotes of both are open. Each is read up to the bound, and is text up to the empty line.
        ("{'", "{`", false),
        ("```json\n{'", "```json\n{`", false),
        // A single object stays below the bound.
        ("{'", "x", true),
        // A name of a wrong type is seen at once.
        (r#"{"name": 5, '"#, r#"{"name": 5, `"#, true),
    ] {
        let before = format!("{one}\n\n{other}\n\n");
        let first =
            if is_tried { format!("[{before}]f{{}}.[") } else { format!("[{before}{call}") };
        let expected = format!("{first}\n\n{far}\n\n]f{{}}.");
        for size in [1000, usize::MAX] {
            let told = told(&parser, &format!("{before}{call}\n\n{far}\n\n{call}"), size);
            assert!(
                told == expected,
                "{one:?} and {other:?} in chunks of {size}: {:?}",
                &told[..60]
            );
        }
    }
}

/// A tool's name before the token is a whole word, in any letters.
#[test]
fn a_name_before_the_token_is_a_word() {
    let parser = parser(&Dialect::MISTRAL, [Tool::new("aé")]);
    let call = r#"[TOOL_CALLS]{"q": 1}"#;
    for (before, expected) in [
        ("aé", r#"aé MalformedTag {"q": 1}."#),
        ("x aé", r#"[x ]aé MalformedTag {"q": 1}."#),
        ("xaé", "[xaé] MalformedCall "),
        ("éaé", "[éaé] MalformedCall "),
    ] {
        assert_told(&parser, &format!("{before}{call}"), expected);
    }
}
