//! The compared parsers. Each has the same two steps: get ready, read a message.

pub mod dynamo;
pub mod ours;
pub mod tool_parser;

use serde_json::Value;

/// Parser, set up for a dialect and its tools.
pub trait Peer {
    /// Its name in the table and the plot.
    fn name(&self) -> &'static str;

    /// Makes a fresh parser for one message. This is never timed: tables, schemas and regexes cost nothing.
    fn prepare(&self) -> Box<dyn Reader>;

    /// Whether its readers return the result.
    fn collects(&self) -> bool {
        true
    }
}

/// A fresh parser. One reader reads one message. Only this is timed.
pub trait Reader {
    /// Feeds the message in chunks of so many bytes, ends the stream, and returns the result.
    fn read(&mut self, message: &str, chunk: usize) -> Result<Message, String>;
}

/// The result of a message, owned: the same for every parser.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Message {
    pub text: String,
    pub calls: Vec<Call>,
}

/// A call with its arguments as JSON text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Call {
    pub name: String,
    pub arguments: String,
}

impl Message {
    /// Returns the call of this number, which may be new.
    fn call(&mut self, index: usize) -> &mut Call {
        if self.calls.len() <= index {
            self.calls.resize_with(index + 1, Call::default);
        }
        &mut self.calls[index]
    }

    /// Returns the first difference between `self` and `expected`, in a few words.
    pub fn differs_from(&self, expected: &Message) -> Option<String> {
        let (got, want) = (self.calls.len(), expected.calls.len());
        if got != want {
            return Some(format!("{got} calls of {want}"));
        }
        for (at, (got, want)) in self.calls.iter().zip(&expected.calls).enumerate() {
            if got.name != want.name {
                return Some(format!("call {at} is named {:?}", got.name));
            }
            let Ok(arguments) = serde_json::from_str::<Value>(&got.arguments) else {
                return Some(format!("the arguments of call {at} are no JSON"));
            };
            if serde_json::from_str(&want.arguments).ok() != Some(arguments) {
                return Some(format!("the arguments of call {at} are others"));
            }
        }
        let (got, want) = (&self.text, &expected.text);
        match (got == want, got.trim() == want.trim()) {
            (true, _) => None,
            (false, true) => Some("white space of the text".to_string()),
            (false, false) => Some(format!("{} bytes of text, not {}", got.len(), want.len())),
        }
    }
}
