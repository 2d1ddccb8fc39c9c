//! tool-parser: the streaming interface of its README, on a parser from its registry.

use std::pin::pin;
use std::task::{Context, Poll, Waker};

use openai_protocol::common::Tool;
use tool_parser::types::ToolCallItem;
use tool_parser::{ParserFactory, ToolParser as Parser};

use super::{Message, Peer, Reader};
use crate::inputs::pieces;

pub struct ToolParser {
    factory: ParserFactory,
    format: &'static str,
    tools: Vec<Tool>,
}

struct Fresh {
    parser: Box<dyn Parser>,
    tools: Vec<Tool>,
}

impl ToolParser {
    pub fn new(format: &'static str, tools: &str) -> ToolParser {
        let tools = serde_json::from_str(tools).expect("a list of tools");
        ToolParser { factory: ParserFactory::new(), format, tools }
    }
}

impl Peer for ToolParser {
    fn name(&self) -> &'static str {
        "tool-parser"
    }

    fn prepare(&self) -> Box<dyn Reader> {
        let parser = self.factory.registry().create_parser(self.format).expect("a known format");
        Box::new(Fresh { parser, tools: self.tools.clone() })
    }
}

impl Reader for Fresh {
    fn read(&mut self, message: &str, chunk: usize) -> Result<Message, String> {
        // The futures of these parsers never wait: one poll of the whole message is the cheapest
        // way to run them.
        let mut reading = pin!(self.stream(message, chunk));
        match reading.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(out) => out,
            Poll::Pending => panic!("a parser does not wait"),
        }
    }
}

impl Fresh {
    async fn stream(&mut self, message: &str, chunk: usize) -> Result<Message, String> {
        let mut out = Message::default();
        for piece in pieces(message, chunk) {
            let result = self.parser.parse_incremental(piece, &self.tools).await;
            let result = result.map_err(|error| error.to_string())?;
            out.text.push_str(&result.normal_text);
            take(result.calls, &mut out);
        }
        take(self.parser.get_unstreamed_tool_args().unwrap_or_default(), &mut out);
        out.text.push_str(&self.parser.take_unstreamed_normal_text());
        Ok(out)
    }
}

fn take(items: Vec<ToolCallItem>, out: &mut Message) {
    for item in items {
        let call = out.call(item.tool_index);
        call.arguments.push_str(&item.parameters);
        if let Some(name) = item.name {
            call.name = name;
        }
    }
}
