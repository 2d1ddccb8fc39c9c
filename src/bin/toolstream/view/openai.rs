//! OpenAI's chat stream: one `choices` entry a line, arguments as fragments.

use std::io::{self, Write};

use serde_json::{Value, json};
use toolstream::Event;
use toolstream::adapt::{self, Delta};

use super::{Out, View, stdout};

pub struct Deltas {
    deltas: adapt::Deltas,
    /// The number of calls so far: for clients the place in this list counts.
    calls: usize,
    out: Out,
    file: Option<String>,
}

impl Deltas {
    pub fn new(deltas: adapt::Deltas, file: Option<&str>) -> Deltas {
        Deltas { deltas, calls: 0, out: stdout(), file: file.map(String::from) }
    }
}

impl View for Deltas {
    fn event(&mut self, event: Event<&str>) -> io::Result<()> {
        let Deltas { deltas, calls, out, file } = self;
        let mut written = Ok(());
        deltas.push(event, &mut |delta| {
            if let (Some(delta), Ok(())) = (object(delta, calls), &written) {
                written = out.json(file.as_deref(), &choice(delta, None), false);
            }
        });
        written
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    fn end(&mut self) -> io::Result<()> {
        let reason = match (self.deltas.is_cut(), self.deltas.expects_results()) {
            (true, _) => "length",
            (false, true) => "tool_calls",
            (false, false) => "stop",
        };
        self.out.json(self.file.as_deref(), &choice(json!({}), Some(reason)), false)?;
        self.flush()
    }
}

fn choice(delta: Value, finish_reason: Option<&str>) -> Value {
    json!({"index": 0, "delta": delta, "finish_reason": finish_reason})
}

fn object(delta: Delta<'_>, calls: &mut usize) -> Option<Value> {
    let call = match delta {
        Delta::Content(text) => return Some(json!({"content": text})),
        Delta::Reasoning(text) => return Some(json!({"reasoning_content": text})),
        Delta::Call { index, name, id } => {
            *calls += 1;
            let id = id.map_or_else(|| format!("call_{index}"), String::from);
            let function = json!({"name": name, "arguments": ""});
            json!({"index": *calls - 1, "id": id, "type": "function", "function": function})
        }
        Delta::Arguments(fragment) => {
            json!({"index": calls.saturating_sub(1), "function": {"arguments": fragment}})
        }
        _ => return None,
    };
    Some(json!({"tool_calls": [call]}))
}
