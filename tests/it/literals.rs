//! Dialects whose parameters are literals: their events, and the JSON that adapters write.

use serde_json::{Value, json};
use toolstream::adapt::ParamsToJson;
use toolstream::{
    Dialect, Event, Param, Parser, Tool, ToolUse,
    tools::{Type, TypeHint},
};

fn parser(dialect: Dialect) -> Parser {
    let tool = Tool::new("write")
        .param(Param::optional("path").with(Type::String))
        .param(Param::optional("mode").with(Type::Integer))
        .param(Param::optional("tags").with(Type::Array));
    Parser::builder(dialect).tool(tool).tool_limit(None).build().expect("a well named tool")
}

/// The slices of a kind, joined. They are compared at every cut of the text into two.
fn slices(dialect: Dialect, text: &str, of: fn(&Event<&str>) -> Option<String>) -> String {
    let mut seen: Option<String> = None;
    for at in (0..=text.len()).filter(|at| text.is_char_boundary(*at)) {
        let mut parser = parser(dialect.clone());
        let mut out = String::new();
        let mut take = |event: Event<&str>| out.extend(of(&event));
        parser.feed_into(&text[..at], &mut take);
        parser.feed_into(&text[at..], &mut take);
        parser.finish_into(&mut take);
        assert_eq!(seen.get_or_insert_with(|| out.clone()), &out, "cut at {at}");
    }
    seen.unwrap_or_default()
}

fn values(event: &Event<&str>) -> Option<String> {
    match event {
        Event::ToolUse(ToolUse::ParamStart { hint, .. }) => {
            assert_eq!(*hint, Some(TypeHint::Literal));
            None
        }
        Event::ToolUse(ToolUse::ParamDelta(text)) => Some(text.to_string()),
        Event::ToolUse(ToolUse::ParamEnd { closed }) => Some(format!("|{closed}|")),
        _ => None,
    }
}

#[test]
fn values_go_out_as_they_are_written() {
    for (dialect, text, expected) in [
        (
            Dialect::GEMMA4,
            "<|tool_call>call:write{path: <|\"|>a, }<|\"|> ,tags:[1, {a:x}] , mode:12}",
            "<|\"|>a, }<|\"|>|true|[1, {a:x}]|true|12|true|",
        ),
        (Dialect::PYTHONIC, "[write(path = 'it's' , mode=-1)]", "'it's'|true|-1|true|"),
        // Half of the quote that would close the string is no part of the value.
        (Dialect::GEMMA4, "<|tool_call>call:write{path:<|\"|>a<|", "<|\"|>a|false|"),
        (
            Dialect::FUNCTIONGEMMA,
            "<start_function_call>call:write{path:<escape>a<esc",
            "<escape>a|false|",
        ),
        // Nothing behind the quote confirms that it ends its string.
        (Dialect::LFM2, "<|tool_call_start|>[write(path='a'", "'a'|false|"),
        (Dialect::LFM2, "<|tool_call_start|>[write(path='a", "'a|false|"),
    ] {
        assert_eq!(slices(dialect, text, values), expected, "{text}");
    }
}

#[test]
fn a_long_key_breaks_its_call() {
    let text = format!("<|tool_call>call:write{{{}:1,mode:2}}<tool_call|>", "k".repeat(200));
    let message = parser(Dialect::GEMMA4).parse(&text);
    assert_eq!(message.calls().count(), 0);
    let kinds: Vec<_> = message.diagnostics().iter().map(|found| found.kind.as_str()).collect();
    assert!(kinds.contains(&"limit_exceeded"), "{kinds:?}");
}

/// The adapter writes the arguments that `Message` reads.
#[test]
fn as_json_while_it_comes() {
    for (dialect, text, expected) in [
        (
            Dialect::GEMMA4,
            "<|tool_call>call:write{mode:7,path:02139,tags:[a,<|\"|>b\"\n<|\"|>]}<tool_call|>",
            json!({"mode": 7, "path": "02139", "tags": ["a", "b\"\n"]}),
        ),
        (
            Dialect::FUNCTIONGEMMA,
            "<start_function_call>call:write{mode:<escape>7<escape>,path:<escape>7<escape>}",
            json!({"mode": 7, "path": "7"}),
        ),
        (
            Dialect::PYTHONIC,
            "[write(mode=None, path='it\\'s', tags=(True, {1}))]",
            json!({"mode": null, "path": "it's", "tags": [true, [1]]}),
        ),
    ] {
        let message = parser(dialect.clone()).parse(text);
        let call = message.calls().next().expect("a call");
        assert_eq!(Value::Object(call.input().clone()), expected, "{text}");
        for size in [1, 3, text.len()] {
            let mut parser = parser(dialect.clone());
            let mut written = String::new();
            let mut adapter = ParamsToJson::new(&parser, |event: Event<&str>| {
                if let Event::ToolUse(ToolUse::ArgumentsDelta(text)) = event {
                    written.push_str(text);
                }
            });
            for piece in text.as_bytes().chunks(size) {
                let piece = std::str::from_utf8(piece).expect("ASCII");
                parser.feed_into(piece, &mut |event: Event<&str>| adapter.push(event));
            }
            parser.finish_into(&mut |event: Event<&str>| adapter.push(event));
            drop(adapter);
            assert_eq!(written.parse::<Value>().expect("JSON"), expected, "{text} by {size}");
        }
    }
}

/// A text with the plain quote is written in the other quotes.
#[test]
fn a_plain_quote_in_a_text() {
    let parser = parser(Dialect::LFM2);
    for (text, written) in [("plain", "'plain'"), ("it's", "\"it's\""), ("a\\b", "\"a\\\\b\"")] {
        let arguments = json!({"path": text});
        let call = parser.render_call("write", arguments.as_object().unwrap()).unwrap();
        assert_eq!(call, format!("<|tool_call_start|>[write(path={written})]<|tool_call_end|>"));
    }
    // A text next to it keeps plain quotes.
    let arguments = json!({"path": ["plain", "it's"]});
    let call = parser.render_call("write", arguments.as_object().unwrap()).unwrap();
    assert_eq!(call, "<|tool_call_start|>[write(path=['plain', \"it's\"])]<|tool_call_end|>");
}
