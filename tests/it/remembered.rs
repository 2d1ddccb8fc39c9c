//! Memory of a call's parameters: those that were given, and those before which the strings of a repeated call end.

use toolstream::{Dialect, Event, Param, Parser, Tool, diagnostic::DiagnosticKind};

fn events(parser: &Parser, text: &str) -> Vec<Event<String>> {
    let (mut parser, mut events) = (parser.clone(), Vec::new());
    let mut take = |event: Event<&str>| events.push(event.map(String::from));
    parser.feed_into(text, &mut take);
    parser.finish_into(&mut take);
    events
}

/// The parser remembers 256 parameters of an undeclared tool. It reports a repetition of one of them, and no other.
#[test]
fn repeated_parameters_are_reported_up_to_a_bound() {
    let parser = Parser::builder(Dialect::QWEN3_CODER).tool_limit(None).build().expect("a parser");
    for (count, again, reported) in
        [(2, 0, 1), (256, 0, 1), (256, 255, 1), (257, 256, 0), (300, 255, 1), (300, 256, 0)]
    {
        let param = |number| format!("<parameter=p{number}>\n1\n</parameter>\n");
        let params: String = (0..count).chain([again]).map(param).collect();
        let text = format!("<tool_call>\n<function=f>\n{params}</function>\n</tool_call>");
        let events = events(&parser, &text);
        let kinds = events.iter().filter_map(|event| match event {
            Event::Diagnostic(found) => Some(found.kind),
            _ => None,
        });
        let found = kinds.filter(|kind| *kind == DiagnosticKind::DuplicateParameter).count();
        assert_eq!(found, reported, "{again} after {count}");
    }
}

/// A call that `lfm2` repeats behind its calls is no call, but its strings end as in a call: before the next parameter that the
/// tool declares and the call has not given.
#[test]
fn a_call_said_again_is_read_by_its_own_parameters() {
    // The quote behind `t` is data. From there on, only a declared keyword ends the string.
    let again = "<|tool_call_start|>[f(a='x')]<|tool_call_end|>[f(a='x'), g(b='t' u', a=2)]";
    for (params, after) in [(&["b", "a"][..], " end"), (&["b"], "")] {
        let g = params.iter().fold(Tool::new("g"), |tool, name| tool.param(Param::optional(*name)));
        let tools = [Tool::new("f").param(Param::optional("a")), g];
        let parser = Parser::builder(Dialect::LFM2).tool_limit(None).tools(tools).build();
        let events = events(&parser.expect("well named tools"), &format!("{again} end"));
        let text = events.iter().filter_map(|event| match event {
            Event::TextContent(text) => Some(&**text),
            _ => None,
        });
        assert_eq!(text.collect::<String>(), after, "{params:?}");
    }
}
