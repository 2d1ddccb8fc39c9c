//! dynamo-parsers-v2: the unified parser of its README, made by its factory for each message.

use dynamo_parsers_v2::{
    Tool, UnifiedParser, UnifiedParserEvent, UnifiedParserInit, UnifiedParserOutput,
    create_unified_parser_for_family,
};
use serde_json::Value;

use super::{Message, Peer, Reader};
use crate::inputs::pieces;

pub struct Dynamo {
    family: &'static str,
    tools: Vec<Tool>,
}

struct Fresh(Box<dyn UnifiedParser>);

impl Dynamo {
    pub fn new(family: &'static str, tools: &str) -> Dynamo {
        let tools: Vec<Value> = serde_json::from_str(tools).expect("a list of tools");
        let tool = |tool: &Value| Tool {
            name: tool["function"]["name"].as_str().expect("a name").to_string(),
            description: None,
            parameters: tool["function"]["parameters"].clone(),
            strict: None,
        };
        Dynamo { family, tools: tools.iter().map(tool).collect() }
    }
}

impl Peer for Dynamo {
    fn name(&self) -> &'static str {
        "dynamo-parsers-v2"
    }

    fn prepare(&self) -> Box<dyn Reader> {
        let mut parser =
            create_unified_parser_for_family(self.family, &self.tools).expect("a known family");
        parser.initialize_request(UnifiedParserInit::default()).expect("the defaults");
        Box::new(Fresh(parser))
    }
}

impl Reader for Fresh {
    fn read(&mut self, message: &str, chunk: usize) -> Result<Message, String> {
        let mut out = Message::default();
        // One buffer, emptied after every chunk: that is cheaper than a new one each time, and
        // cheaper than one that keeps the whole stream.
        let mut output = UnifiedParserOutput::default();
        for piece in pieces(message, chunk) {
            self.0.parse_into(piece, &mut output).map_err(|error| error.to_string())?;
            take(&mut output, &mut out);
        }
        take(&mut self.0.finish().map_err(|error| error.to_string())?, &mut out);
        Ok(out)
    }
}

fn take(output: &mut UnifiedParserOutput, out: &mut Message) {
    for event in output.events.drain(..) {
        match event {
            UnifiedParserEvent::Text(text) => out.text.push_str(&text),
            UnifiedParserEvent::ToolCall(delta) => {
                let call = out.call(delta.tool_index);
                call.arguments.push_str(&delta.arguments);
                if let Some(name) = delta.name {
                    call.name = name;
                }
            }
            _ => {}
        }
    }
}
