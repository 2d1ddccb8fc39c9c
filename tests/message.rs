//! What a `Message` says while its stream is running.
#![cfg(feature = "json")]

use toolstream::{Block, Dialect, IncompleteReason, Message, Param, Parser, Tool};

fn parser() -> Parser {
    let read = Tool::new("read").param(Param::required("path"));
    Parser::builder(Dialect::CLINE).tool(read).build().expect("a well named tool")
}

/// The last block's text, and whether more may come.
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
    // Markup ends it, text after the markup goes on with it.
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
