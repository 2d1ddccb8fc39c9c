//! `--dialect auto`: the dialect whose grammar reads the most in a text.

use std::cmp::Reverse;

use toolstream::{
    Block, Dialect, Event, Parser, Tool, ToolUse,
    diagnostic::{Diagnostic, DiagnosticKind},
    options::{Options, Start},
};

use crate::failure::{Failure, Result};

/// The chosen dialect, and the reason.
pub struct Guess {
    pub dialect: Dialect,
    pub start: Start,
    pub why: String,
}

/// The part of a long text that each dialect tries, or a share of it if that is more: all dialects together read the
/// text about twice.
const SAMPLE: usize = 256 << 10;
const SHARE: usize = 23;

/// The dialect that finds the calls of this text. All are tried, on the first part of it and, where none
/// finds a call there, on the whole: openers alone mislead, for many dialects share theirs.
pub fn guess(text: &str, tools: &[Tool], options: &Options) -> Result<Guess> {
    let most = SAMPLE.max(text.len() / SHARE).min(text.len());
    let sample = (most..=text.len()).find_map(|end| text.get(..end)).unwrap_or(text);
    let whole = || (sample.len() < text.len()).then(|| best(text, tools, options)).flatten();
    best(sample, tools, options).or_else(whole).ok_or_else(|| nothing(tools))
}

fn best(text: &str, tools: &[Tool], options: &Options) -> Option<Guess> {
    let start = if begins_in_reasoning(text) { Start::Reasoning } else { options.start };
    let read = |dialect: &'static Dialect| {
        let builder = Parser::builder(dialect).tools(tools.to_vec()).options(options.clone());
        let parser = builder.start(start).tool_limit(None).build().ok()?;
        let reading = Reading::new(parser, text, !tools.is_empty());
        let called = reading.complete + reading.incomplete > 0;
        (called && reading.markup > 0).then_some((dialect, reading))
    };
    // If several dialects read the same: the most general one, then the one that a chat template with these
    // markers would show.
    let shown = Dialect::detect(text);
    let likely =
        |dialect: &Dialect| (*dialect != Dialect::TOOL_CALL, shown.as_ref() != Some(dialect));
    let readings = Dialect::ALL.iter().filter_map(read);
    let best = readings.min_by_key(|(dialect, reading)| (reading.rank(), likely(dialect)));
    let (dialect, reading) = best?;
    Some(Guess { dialect: dialect.clone(), start, why: reading.summary() })
}

/// Whether the prompt has opened the reasoning: its first tag is a closer.
fn begins_in_reasoning(text: &str) -> bool {
    let first = |tag: &str| text.find(tag).unwrap_or(usize::MAX);
    first("</think>") < first("<think")
}

/// The reading of the text by a dialect.
struct Reading {
    complete: usize,
    incomplete: usize,
    /// The place of the first call.
    first: usize,
    /// Calls of undeclared tools, though some tools are declared.
    unknown: usize,
    /// The bytes of its markers, without white space and the names of undeclared tools: they show how well it
    /// knows the text.
    markup: usize,
    /// The bytes left as text: markers of another dialect stay there.
    text: usize,
    diagnostics: usize,
}

impl Reading {
    fn new(mut parser: Parser, text: &str, declared: bool) -> Reading {
        let (mut message, mut markup, mut names) = (parser.message(), 0, 0);
        let mut sink = |event: Event<&str>| {
            match event {
                Event::Markup(marker) => {
                    markup += marker.bytes().filter(|byte| !byte.is_ascii_whitespace()).count();
                }
                Event::ToolUse(ToolUse::Start { name, .. }) => names += name.len(),
                _ => {}
            }
            message.push(event);
        };
        parser.feed_into(text, &mut sink);
        parser.finish_into(&mut sink);
        message.close();
        let first = |block: &Block| match block {
            Block::Call(call) => Some(call.range().start),
            Block::Incomplete(call) => Some(call.range().start),
            _ => None,
        };
        let incomplete = |block: &&Block| matches!(block, Block::Incomplete(_));
        let unknown = |reported: &&Diagnostic| reported.kind == DiagnosticKind::UnknownTool;
        let unknown = message.diagnostics().iter().filter(unknown).count();
        // The name of a declared tool is as good as a marker.
        let known = declared && unknown == 0;
        Reading {
            complete: message.calls().count(),
            incomplete: message.blocks().iter().filter(incomplete).count(),
            first: message.blocks().iter().find_map(first).unwrap_or(usize::MAX),
            unknown,
            markup: if known { markup } else { markup.saturating_sub(names) },
            text: message.text().len(),
            diagnostics: message.diagnostics().len(),
        }
    }

    /// The key by which readings are compared: the smallest is the best.
    fn rank(&self) -> impl Ord + use<> {
        let calls = (self.complete == 0, self.unknown, Reverse(self.markup));
        (calls, self.text, self.incomplete, self.diagnostics)
    }

    fn summary(&self) -> String {
        let calls = match (self.complete, self.incomplete) {
            (1, 0) => "a call".to_string(),
            (complete, 0) => format!("{complete} calls"),
            (0, _) => "a call that is not whole".to_string(),
            (complete, incomplete) => {
                format!("{complete} calls and {incomplete} that are not whole")
            }
        };
        format!("it finds {calls}, the first at byte {}", self.first)
    }
}

fn nothing(tools: &[Tool]) -> Failure {
    let untried =
        if tools.is_empty() { " (cline was not tried: it needs --tools FILE)" } else { "" };
    Failure::No(format!(
        "no dialect finds a call in this text{untried}; name one with --dialect NAME, as \
         `toolstream dialects` lists them, or with --model ID"
    ))
}
