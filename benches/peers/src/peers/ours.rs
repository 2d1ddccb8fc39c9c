//! toolstream: `feed_into` a sink. The parser is a clone of a prepared one.

use toolstream::adapt::ParamsToJson;
use toolstream::{Dialect, Event, Parser, Tool, ToolUse};

use super::{Call, Message, Peer, Reader};
use crate::inputs::pieces;

/// Collects text, names and arguments. Parameters become JSON on the way, as the rivals return them.
pub struct Collecting(Parser);

/// Only looks at every event: the cost of the parser without a `String`.
pub struct Looking(Parser);

impl Collecting {
    pub fn new(dialect: &Dialect, tools: &str) -> Collecting {
        Collecting(parser(dialect, tools))
    }
}

impl Looking {
    pub fn new(dialect: &Dialect, tools: &str) -> Looking {
        Looking(parser(dialect, tools))
    }
}

/// A parser without a limit on calls: the rivals have none.
fn parser(dialect: &Dialect, tools: &str) -> Parser {
    let tools =
        Tool::list_from_json(&serde_json::from_str(tools).expect("JSON")).expect("a list of tools");
    Parser::builder(dialect).tool_limit(None).tools(tools).build().expect("well named tools")
}

impl Peer for Collecting {
    fn name(&self) -> &'static str {
        "toolstream"
    }

    fn prepare(&self) -> Box<dyn Reader> {
        Box::new(Collecting(self.0.clone()))
    }
}

impl Reader for Collecting {
    fn read(&mut self, message: &str, chunk: usize) -> Result<Message, String> {
        let mut out = Message::default();
        let take = |event: Event<&str>| match event {
            Event::TextContent(text) => out.text.push_str(text),
            Event::ToolUse(ToolUse::Start { name, .. }) => {
                out.calls.push(Call { name: name.to_string(), arguments: String::new() });
            }
            Event::ToolUse(ToolUse::ArgumentsDelta(json)) => {
                out.calls.last_mut().expect("a call has started").arguments.push_str(json);
            }
            _ => {}
        };
        let mut json = ParamsToJson::new(&self.0, take);
        for piece in pieces(message, chunk) {
            self.0.feed_into(piece, &mut json);
        }
        self.0.finish_into(&mut json);
        Ok(out)
    }
}

impl Peer for Looking {
    fn name(&self) -> &'static str {
        "toolstream (events only)"
    }

    fn prepare(&self) -> Box<dyn Reader> {
        Box::new(Looking(self.0.clone()))
    }

    fn collects(&self) -> bool {
        false
    }
}

impl Reader for Looking {
    fn read(&mut self, message: &str, chunk: usize) -> Result<Message, String> {
        let mut total = 0;
        let mut look = |event: Event<&str>| total += event.slice().map_or(0, |slice| slice.len());
        for piece in pieces(message, chunk) {
            self.0.feed_into(piece, &mut look);
        }
        self.0.finish_into(&mut look);
        assert_eq!(total, message.len(), "the slices are the message");
        Ok(Message::default())
    }
}
