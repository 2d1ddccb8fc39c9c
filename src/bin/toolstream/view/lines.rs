//! Events as NDJSON: the form that scripts read. Its names are fixed.

use std::io::{self, Write};

use serde_json::Value;
use toolstream::{Event, ToolUse, TypeHint};

use super::{Out, View, stdout};

pub struct Lines(Out);

impl Lines {
    pub fn new() -> Lines {
        Lines(stdout())
    }

    /// Written by hand: `type` is always in front, and no map is made for a line.
    fn line<const N: usize>(&mut self, of: &str, fields: [(&str, Value); N]) -> io::Result<()> {
        write!(self.0, "{{\"type\":\"{of}\"")?;
        for (key, value) in fields {
            write!(self.0, ",\"{key}\":{value}")?;
        }
        writeln!(self.0, "}}")
    }

    fn slice(&mut self, of: &str, text: &str) -> io::Result<()> {
        self.line(of, [("text", text.into())])
    }

    fn tool_use(&mut self, event: ToolUse<&str>) -> io::Result<()> {
        match event {
            ToolUse::Start { index, name, id, .. } => {
                let fields = [("index", index.into()), ("name", name.into()), ("id", id.into())];
                self.line("tool_start", fields)
            }
            ToolUse::Id(id) => self.line("tool_id", [("id", id.into())]),
            ToolUse::ParamStart { name, hint } => {
                let hint = hint.map(TypeHint::as_str);
                self.line("param_start", [("name", name.into()), ("hint", hint.into())])
            }
            ToolUse::ParamDelta(text) => self.slice("param_delta", text),
            ToolUse::ParamEnd { closed } => self.line("param_end", [("closed", closed.into())]),
            ToolUse::ArgumentsDelta(text) => self.slice("arguments_delta", text),
            ToolUse::End { status } => {
                let status = if status.is_complete() { "complete" } else { "incomplete" };
                self.line("tool_end", [("status", status.into())])
            }
            _ => Ok(()),
        }
    }
}

impl View for Lines {
    fn event(&mut self, event: Event<&str>) -> io::Result<()> {
        match event {
            Event::TextContent(text) => self.slice("text_content", text),
            Event::Reasoning(text) => self.slice("reasoning", text),
            Event::Markup(text) => self.slice("markup", text),
            Event::ToolUse(tool) => self.tool_use(tool),
            Event::ToolLimitReached(reached) => {
                let fields = [("at", reached.at.into()), ("limit", reached.limit.into())];
                self.line("tool_limit_reached", fields)
            }
            Event::Diagnostic(diagnostic) => {
                let kind = diagnostic.kind.as_str().into();
                self.line("diagnostic", [("kind", kind), ("at", diagnostic.at.into())])
            }
            _ => Ok(()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}
