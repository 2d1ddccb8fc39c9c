//! `ToolUse::End` has the end of its call, and `range` uses it.

use crate::support::samples;
use toolstream::{Block, Dialect, Event, Param, Parser, Tool, ToolUse};

fn ends(parser: &Parser, text: &str, size: usize) -> Vec<usize> {
    let mut parser = parser.clone();
    let mut ends = Vec::new();
    let mut take = |event: Event<&str>| {
        if let Event::ToolUse(ToolUse::End { at, .. }) = event {
            ends.push(at);
        }
    };
    for chunk in text.as_bytes().chunks(size) {
        parser.feed_bytes_into(chunk, &mut take);
    }
    parser.finish_into(&mut take);
    ends
}

#[test]
fn a_closer_s_line_break_is_none_of_the_call_s() {
    let tool = Tool::new("read").param(Param::required("path"));
    let builder = Parser::builder(Dialect::CODE_ASSISTANT_CARET).tool(tool.clone());
    let parser = builder.tool_limit(None).build().unwrap();
    for line in ["\n", "\r\n"] {
        let call = format!("^^^read{line}path: a.rs{line}^^^");
        let text = format!("Go.{line}{call}{line}Done.");
        let message = parser.parse(&text);
        let [call_read] = message.calls().collect::<Vec<_>>()[..] else { panic!("{message:?}") };
        assert_eq!(&text[call_read.range()], call);
        for size in [1, 2, 3, 100] {
            assert_eq!(ends(&parser, &text, size), [call_read.range().end], "{line:?} {size}");
        }
    }
    // A call that was cut has no closer, and ends where the stream ends.
    let cut = "^^^read\npath: a.rs\n";
    let message = parser.parse(cut);
    assert_eq!(message.blocks().iter().find_map(range), Some(0..cut.len()));
    let parser = Parser::builder(Dialect::CLINE).tool(tool).build().unwrap();
    let text = "Go. <read><path>a</path></read>\n";
    assert_eq!(ends(&parser, text, 1), [text.trim_end().len()]);
}

/// A string that is not an argument is markup of its call. The opener of the next call ends both, and the line break
/// before it is none of the call's. (Found by fuzzing.)
#[test]
fn a_line_break_behind_a_string_is_none_of_the_call_s() {
    let tool = Tool::new("read").param(Param::required("path"));
    let builder = Parser::builder(Dialect::FUNCTIONGEMMA).tool(tool).tool_limit(None);
    let parser = builder.build().unwrap();
    for line in ["\n", "\r\n"] {
        let call = "<start_function_call>e{:<escape>a";
        let text = format!("{call}{line}<start_function_call>read{{");
        for size in [1, 2, 3, 100] {
            assert_eq!(ends(&parser, &text, size), [call.len(), text.len()], "{line:?} {size}");
        }
    }
}

/// In every vector, at every chunk size, calls end in order and behind their arguments. The message has the same ends.
#[test]
fn every_vector() {
    for dialect in Dialect::ALL {
        for sample in samples::vectors(dialect.name()) {
            let (parser, text) = (sample.parser(dialect), &sample.text);
            let whole = ends(&parser, text, usize::MAX);
            for size in [1, 2, 5] {
                assert_eq!(ends(&parser, text, size), whole, "{dialect} {text:?}");
            }
            let ranges = parser.parse(text).blocks().iter().filter_map(range).collect::<Vec<_>>();
            assert_eq!(ranges.iter().map(|range| range.end).collect::<Vec<_>>(), whole);
            assert!(ranges.is_sorted_by_key(|range| range.start), "{dialect} {text:?}");
            for range in ranges {
                assert!(text.get(range).is_some_and(|call| !call.is_empty()), "{dialect} {text:?}");
            }
        }
    }
}

fn range(block: &Block) -> Option<std::ops::Range<usize>> {
    match block {
        Block::Call(call) => Some(call.range()),
        Block::Incomplete(call) => Some(call.range()),
        _ => None,
    }
}
