//! The text for a reader's eyes: reasoning dim, each call as a coloured line that grows.
//!
//! ```text
//! ┊ reasoning
//! visible text
//! ▸ read_file  path: src/main.rs  ✓ may run
//! ▸ write_to_file  path: a.txt  content: one
//!   │ two
//!   ✗ may not run: cut
//! ! missing_closer at byte 71 (call 1)
//! ```
//! The message shows whether a call may run, and its diagnostics: its arguments were read.

use std::borrow::Cow;
use std::io::{self, BufWriter, StdoutLock, Write};

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};
use toolstream::{Block, Event, Message, ToolUse};

use super::{View, heading};

const PLAIN: Style = Style::new();
const DIM: Style = Style::new().dimmed();
const NAME: Style = AnsiColor::Cyan.on_default().bold();
const VALUE: Style = AnsiColor::Cyan.on_default();
const GOOD: Style = AnsiColor::Green.on_default();
const BAD: Style = AnsiColor::Red.on_default();
const NOTE: Style = AnsiColor::Yellow.on_default();

pub struct Screen<W> {
    out: W,
    message: Message,
    /// The number of diagnostics that were shown.
    shown: usize,
    at_line_start: bool,
    in_reasoning: bool,
    /// The open call has more than one line.
    tall: bool,
    /// The open call is no more than its name.
    bare: bool,
}

/// Drops the colours where `NO_COLOR` or `TERM=dumb` forbids them.
type Terminal = BufWriter<AutoStream<StdoutLock<'static>>>;

impl Screen<Terminal> {
    /// `message` is still empty.
    pub fn new(message: Message, color: ColorChoice, file: Option<&str>) -> io::Result<Self> {
        let out = BufWriter::new(AutoStream::new(io::stdout().lock(), color));
        let mut screen = Screen::on(message, out);
        if let Some(file) = file {
            write!(screen.out, "{NAME}{}{NAME:#}", heading(&harmless(file)))?;
        }
        Ok(screen)
    }
}

impl<W: Write> Screen<W> {
    fn on(message: Message, out: W) -> Self {
        let (at_line_start, in_reasoning, tall, bare) = (true, false, false, false);
        Screen { out, message, shown: 0, at_line_start, in_reasoning, tall, bare }
    }

    /// Writes text of possibly many lines, each behind the bar. The bar waits for the text of its line: a
    /// text that ends with a line break leaves no bar behind it.
    fn put(&mut self, style: Style, bar: &str, text: &str) -> io::Result<()> {
        for (number, line) in text.split('\n').enumerate() {
            if number > 0 {
                self.bar(bar.trim_end())?;
                self.break_line()?;
            }
            if !line.is_empty() {
                self.bar(bar)?;
                self.mark(style, line)?;
            }
        }
        Ok(())
    }

    fn bar(&mut self, bar: &str) -> io::Result<()> {
        if self.at_line_start && !bar.is_empty() { self.mark(DIM, bar) } else { Ok(()) }
    }

    fn mark(&mut self, style: Style, text: &str) -> io::Result<()> {
        self.at_line_start = false;
        write!(self.out, "{style}{}{style:#}", harmless(text))
    }

    fn break_line(&mut self) -> io::Result<()> {
        self.at_line_start = true;
        self.tall = true;
        writeln!(self.out)
    }

    fn end_line(&mut self) -> io::Result<()> {
        if self.at_line_start { Ok(()) } else { self.break_line() }
    }

    fn prose(&mut self, reasoning: bool, text: &str) -> io::Result<()> {
        if std::mem::replace(&mut self.in_reasoning, reasoning) != reasoning {
            self.end_line()?;
        }
        let (style, bar) = if reasoning { (DIM, "┊ ") } else { (PLAIN, "") };
        self.put(style, bar, text)
    }

    /// The next part of a call: on its line, or below a value of several lines.
    fn part(&mut self, style: Style, text: &str) -> io::Result<()> {
        if self.tall {
            self.end_line()?;
        }
        write!(self.out, "  ")?;
        self.mark(style, text)
    }

    fn tool_use(&mut self, event: ToolUse<&str>) -> io::Result<()> {
        match event {
            ToolUse::Start { name, .. } => {
                self.end_line()?;
                self.tall = false;
                self.bare = true;
                self.mark(NAME, &format!("▸ {name}"))
            }
            ToolUse::Id(id) => self.part(DIM, id),
            ToolUse::ParamStart { name, .. } => {
                self.part(DIM, &format!("{name}:"))?;
                write!(self.out, " ")
            }
            ToolUse::ParamDelta(text) => self.put(VALUE, "  │ ", text),
            ToolUse::ArgumentsDelta(text) => {
                if std::mem::take(&mut self.bare) {
                    write!(self.out, "  ")?;
                }
                self.put(VALUE, "  │ ", text)
            }
            ToolUse::End { .. } => {
                match self.message.blocks().last() {
                    Some(Block::Incomplete(call)) => {
                        let why = format!("✗ may not run: {}", call.reason());
                        self.part(BAD, &why)?;
                    }
                    _ => self.part(GOOD, "✓ may run")?,
                }
                self.break_line()?;
                self.diagnostics()
            }
            _ => Ok(()),
        }
    }

    /// Prints the diagnostics since the last call.
    fn diagnostics(&mut self) -> io::Result<()> {
        for at in self.shown..self.message.diagnostics().len() {
            let line = format!("! {}", self.message.diagnostics()[at]);
            self.mark(NOTE, &line)?;
            self.break_line()?;
        }
        self.shown = self.message.diagnostics().len();
        Ok(())
    }
}

impl<W: Write> View for Screen<W> {
    fn event(&mut self, event: Event<&str>) -> io::Result<()> {
        self.message.push(event);
        match event {
            Event::TextContent(text) => self.prose(false, text),
            Event::Reasoning(text) => self.prose(true, text),
            Event::ToolUse(tool) => self.tool_use(tool),
            Event::ToolLimitReached(reached) => {
                self.end_line()?;
                self.put(NOTE, "", &reached.to_string())
            }
            _ => Ok(()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    fn end(&mut self) -> io::Result<()> {
        self.end_line()?;
        self.message.close();
        self.diagnostics()?;
        self.flush()
    }
}

/// Model text must not drive the terminal: control characters are shown, not sent.
pub fn harmless(text: &str) -> Cow<'_, str> {
    let shown = |c: char| match c {
        '\t' => c,
        '\0'..' ' => char::from_u32(0x2400 + u32::from(c)).unwrap_or('\u{FFFD}'),
        // These reorder a line, or end it.
        '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2066}'..='\u{2069}' => {
            '\u{FFFD}'
        }
        _ if c.is_control() => '\u{FFFD}',
        _ => c,
    };
    if text.chars().any(|c| shown(c) != c) {
        text.chars().map(shown).collect::<String>().into()
    } else {
        text.into()
    }
}

/// Returns the text as [`harmless`] does, with its line breaks.
pub fn harmless_lines(text: &str) -> Cow<'_, str> {
    if text.split('\n').all(|line| matches!(harmless(line), Cow::Borrowed(_))) {
        return text.into();
    }
    let lines: Vec<Cow<'_, str>> = text.split('\n').map(harmless).collect();
    lines.join("\n").into()
}

#[cfg(test)]
mod tests {
    use toolstream::{Dialect, Parser, Tool};

    use super::*;

    /// Returns the picture of an answer on a terminal without colours; it comes in chunks of `size`.
    fn shown(text: &str, size: usize) -> String {
        let tools =
            r#"[{"name": "save", "parameters": {"properties": {"to": {}, "content": {}}}}]"#;
        let tools = Tool::list_from_json(&serde_json::from_str(tools).unwrap()).unwrap();
        let mut parser = Parser::builder(Dialect::CLINE).tools(tools).build().unwrap();
        let mut screen = Screen::on(parser.message(), anstream::StripStream::new(Vec::new()));
        for chunk in text.as_bytes().chunks(size) {
            parser.feed_bytes(chunk).try_for_each(|event| screen.event(event)).unwrap();
        }
        parser.finish().try_for_each(|event| screen.event(event)).unwrap();
        screen.end().unwrap();
        String::from_utf8(screen.out.into_inner()).unwrap()
    }

    #[test]
    fn a_short_call_is_one_line() {
        let text = "<think>Hm.</think>Now:<save><to>a</to></save>";
        let expected = "┊ Hm.\nNow:\n▸ save  to: a  ✓ may run\n";
        (1..=text.len()).for_each(|size| assert_eq!(shown(text, size), expected));
    }

    #[test]
    fn a_long_value_stands_after_a_bar() {
        let text = "<save><content>\none\n\ntwo\n</content><to>b</to>";
        let expected = "▸ save  content: one\n  │\n  │ two\n  to: b\n  ✗ may not run: cut\n";
        (1..=text.len()).for_each(|size| assert_eq!(shown(text, size), expected));
    }

    #[test]
    fn arguments_stand_apart_from_the_name() {
        let message = Parser::builder(Dialect::HERMES).build().unwrap().message();
        let mut screen = Screen::on(message, anstream::StripStream::new(Vec::new()));
        let start = ToolUse::Start { index: 0, name: "save", id: None, at: 0, dialect: 0 };
        for event in [start, ToolUse::ArgumentsDelta("{\"to\""), ToolUse::ArgumentsDelta(":1}")] {
            screen.event(Event::ToolUse(event)).unwrap();
        }
        let out = screen.out.into_inner();
        assert_eq!(String::from_utf8(out).unwrap(), "▸ save  {\"to\":1}");
    }

    #[test]
    fn what_the_message_refuses_may_not_run() {
        let mut parser = Parser::builder(Dialect::HERMES).build().unwrap();
        let mut screen = Screen::on(parser.message(), anstream::StripStream::new(Vec::new()));
        let text = "<tool_call>{\"name\": \"rm\", \"arguments\": {\"path\": oops}}</tool_call>";
        parser.feed(text).try_for_each(|event| screen.event(event)).unwrap();
        parser.finish().try_for_each(|event| screen.event(event)).unwrap();
        screen.end().unwrap();
        let shown = String::from_utf8(screen.out.into_inner()).unwrap();
        let expected = "▸ rm  {\"path\": oops}  ✗ may not run: malformed_arguments\n\
            ! malformed_arguments at byte 0 (call 0)\n";
        assert_eq!(shown, expected);
    }

    #[test]
    fn line_breaks_stay_in_plain_text() {
        assert_eq!(harmless_lines("é\n\u{1b}[2J\n"), "é\n␛[2J\n");
        assert!(matches!(harmless_lines("é\tb\n"), Cow::Borrowed(_)));
    }

    #[test]
    fn control_characters_are_shown() {
        assert_eq!(shown("a\x1b[2J\tb\u{9b}31m\r\x7f", 1), "a␛[2J\tb\u{FFFD}31m␍\u{FFFD}\n");
        assert_eq!(shown("a\u{202e}b\u{2028}c\u{2066}", 1), "a\u{FFFD}b\u{FFFD}c\u{FFFD}\n");
    }

    #[test]
    fn a_surplus_call_is_reported() {
        let call = "<save><to>a</to></save>";
        assert!(shown(&[call, call].concat(), 9).ends_with("one tool per message allowed\n"));
    }
}
