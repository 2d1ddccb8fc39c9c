//! Markers that count anywhere: the texts of a dialect, and the turn markers of chat templates.

use std::collections::HashMap;

use super::{BREAK, Foreign};
use crate::dialect::Dialect;
use crate::dialect::template::{Template, pieces};
use crate::options::{CallsInReasoning, Fences, Options, Start};
use crate::parser::Parser;
use crate::read::machine::Grammar;
use crate::tool::Tool;

/// The markers of a dialect, and a parser that reads it.
#[derive(Clone, Debug)]
pub(crate) struct Markers {
    /// The texts that count anywhere in a text. `true`: it ends in a declared name, which must not be the
    /// beginning of a longer one.
    texts: Vec<(String, bool)>,
    /// The texts by their first two bytes.
    first: HashMap<[u8; 2], Vec<u16>>,
    /// The texts that count at the beginning of a line.
    lines: Vec<String>,
    /// A parser without a limit that begins in text. None for a dialect that needs tools and has none.
    pub(super) reader: Option<Parser>,
}

/// Turn markers of chat templates beside tokens in bars ([`token`]): a dialect does not know which of them its model
/// has.
const TURNS: [&str; 18] = [
    "<s>",
    "</s>",
    "<bos>",
    "<eos>",
    "<sop>",
    "<eop>",
    "<start_of_turn>",
    "<end_of_turn>",
    "[INST]",
    "[/INST]",
    "<<SYS>>",
    "<</SYS>>",
    "[SYSTEM_PROMPT]",
    "[/SYSTEM_PROMPT]",
    "[AVAILABLE_TOOLS]",
    "[/AVAILABLE_TOOLS]",
    "[TOOL_RESULTS]",
    "[/TOOL_RESULTS]",
];

impl Markers {
    pub fn new(dialect: &Dialect, tools: &[Tool], options: &Options) -> Markers {
        let mut all = Collected::default();
        TURNS.iter().for_each(|text| all.token(text));
        options.special_tokens.iter().for_each(|text| all.token(text));
        dialect.grammars().for_each(|grammar| all.grammar(grammar, tools));
        all.template(dialect.template());
        let words = options.answer_keywords.iter().flatten();
        all.lines.extend(words.map(|word| format!("{word}:")));
        Markers::from_collected(all, reader(dialect, tools, options))
    }

    fn from_collected(all: Collected, reader: Option<Parser>) -> Markers {
        let Collected { mut texts, mut lines } = all;
        texts.sort_unstable();
        texts.dedup();
        lines.sort_unstable();
        lines.dedup();
        let mut first: HashMap<[u8; 2], Vec<u16>> = HashMap::new();
        for (number, (text, _)) in (0..).zip(&texts) {
            if let [one, two, ..] = *text.as_bytes() {
                first.entry([one, two]).or_default().push(number);
            }
        }
        Markers { texts, first, lines, reader }
    }

    /// Returns the parser that reads a text most strictly.
    pub fn reader(&self) -> Option<&Parser> {
        self.reader.as_ref()
    }

    /// Whether a tool is declared under this name.
    pub fn declares(&self, name: &str) -> bool {
        let tools = self.reader.as_ref().map(|reader| &reader.tables().tools);
        tools.is_some_and(|tools| tools.iter().any(|tool| tool.name == name))
    }

    /// Breaks up each of these markers, unless it is only our own text.
    pub(super) fn break_texts(&self, text: Foreign, found: &mut Option<String>) -> Foreign {
        let mut breaks = Vec::new();
        let mut line_start = true;
        for (at, byte) in text.text.bytes().enumerate() {
            let rest = &text.text.as_bytes()[at..];
            for len in self.markers_at(rest, line_start) {
                if let Some(before) = text.break_in(at, at + len) {
                    breaks.push(before);
                    let marker = String::from_utf8_lossy(&rest[..len.min(rest.len())]);
                    found.get_or_insert_with(|| marker.trim_end().to_string());
                }
            }
            line_start = byte == b'\n' || (line_start && DECORATION.contains(&byte));
        }
        breaks.sort_unstable();
        breaks.dedup();
        text.with_breaks(&breaks)
    }

    /// Returns the lengths of the markers that begin here.
    fn markers_at(&self, rest: &[u8], line_start: bool) -> impl Iterator<Item = usize> {
        let two = rest.first_chunk::<2>().and_then(|two| self.first.get(two));
        let texts = two.into_iter().flatten().map(|number| &self.texts[usize::from(*number)]);
        let texts = texts.filter_map(|(text, named)| {
            let after = rest.strip_prefix(text.as_bytes())?;
            (!named || !after.first().is_some_and(in_name)).then_some(text.len())
        });
        let lines = self.lines.iter().filter(move |_| line_start);
        let lines = lines.filter_map(|line| keyword(line, rest));
        texts.chain(lines).chain(token(rest))
    }
}

/// Bytes that may stand before a keyword on its line, or around it.
const DECORATION: &[u8] = b" \t\r>*_`#";

fn in_name(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_-.".contains(byte)
}

/// Returns the length of a keyword here. Case does not count, and neither do the characters between its words
/// and before its colon.
fn keyword(line: &str, text: &[u8]) -> Option<usize> {
    let (word, colon) = line.strip_suffix(':').map_or((line, false), |word| (word, true));
    let mut at = 0;
    for byte in word.bytes() {
        if byte == b' ' {
            at += text[at..].iter().take_while(|byte| b" \t_-".contains(byte)).count();
        } else if text.get(at)?.eq_ignore_ascii_case(&byte) {
            at += 1;
        } else {
            return None;
        }
    }
    if !colon {
        return Some(at);
    }
    at += text[at..].iter().take_while(|byte| DECORATION.contains(byte)).count();
    let colons = [":", "\u{FF1A}"];
    colons
        .iter()
        .find_map(|colon| text[at..].starts_with(colon.as_bytes()).then_some(at + colon.len()))
}

/// Returns the length of a text that looks like a special token: `<|im_end|>`, `<tool_call|>`, `<｜User｜>`. A
/// token that was broken up does not.
fn token(text: &[u8]) -> Option<usize> {
    const LONGEST: usize = 96;
    let inner = text.strip_prefix(b"<")?;
    let end = inner.iter().take(LONGEST).position(|byte| b"<> \t\r\n".contains(byte))?;
    let bars = ["|", "\u{FF5C}"].map(str::as_bytes);
    let inner = inner[end..].starts_with(b">").then_some(&inner[..end])?;
    let broken = memchr::memmem::find(inner, BREAK.encode_utf8(&mut [0; 4]).as_bytes()).is_some();
    let in_bars = !broken
        && bars.iter().any(|bar| {
            let more = inner.len() > bar.len();
            more && (inner.starts_with(bar) || inner.ends_with(bar))
        });
    in_bars.then_some(end + 2)
}

/// Makes the parser that reads a text most strictly: without a limit, and with every option that makes
/// markers count.
fn reader(dialect: &Dialect, tools: &[Tool], options: &Options) -> Option<Parser> {
    let options = Options {
        tool_limit: None,
        start: Start::Text,
        calls_in_reasoning: Some(CallsInReasoning::Extract),
        fences: Fences::Parse,
        special_tokens: Vec::new(),
        implicit_thought: false,
        ..options.clone()
    };
    let build = |tools: &[Tool]| {
        let builder = Parser::builder(dialect).tools(tools.to_vec()).options(options.clone());
        builder.build().ok()
    };
    build(tools).or_else(|| build(&[]))
}

#[derive(Default)]
struct Collected {
    texts: Vec<(String, bool)>,
    lines: Vec<String>,
}

impl Collected {
    fn grammar(&mut self, grammar: &Grammar, tools: &[Tool]) {
        grammar.prose.tokens.iter().for_each(|text| self.token(text));
        grammar.texts(&mut |text| self.tokens_in(text));
        let words = grammar.family.keywords().into_iter();
        self.lines.extend(words.map(|word| format!("{word}:")));
        for text in grammar.family.before_names() {
            self.texts.extend(tools.iter().map(|tool| (format!("{text}{}", tool.name), true)));
        }
    }

    fn template(&mut self, template: &Template) {
        template.clone().templates(|text| {
            pieces(text).for_each(|(piece, _)| self.tokens_in(piece));
        });
        let Template { call, result, stop, .. } = template;
        let of_results = pieces(&result.open).chain(pieces(&result.ok)).map(|piece| (piece, false));
        let of_errors = pieces(&result.error).map(|piece| (piece, true));
        let of_calls =
            pieces(&call.section_open).chain(pieces(&call.open)).map(|piece| (piece, false));
        let mut begins_line = true;
        for ((piece, hole), error) in of_results.chain(of_errors).chain(of_calls) {
            // An error with the tool's name has a frame of its own.
            let hole = hole.filter(|hole| !error || *hole != "content");
            self.lines_in(piece, hole.is_some(), begins_line, error);
            begins_line = hole.is_none() || piece.ends_with('\n');
        }
        let stops = stop.after_call.iter().chain(&*stop.invented);
        stops.for_each(|text| self.lines_in(text, false, true, false));
    }

    /// Adds a text that is a marker by itself.
    fn token(&mut self, text: &str) {
        let text = text.trim();
        if text.chars().count() > 1 {
            self.texts.push((text.to_string(), false));
        }
    }

    /// Adds the markers in a text: texts in angles or in brackets with a letter.
    fn tokens_in(&mut self, text: &str) {
        for line in text.lines().map(str::trim) {
            if line.starts_with(['<', '[', ']', '|']) {
                self.word(line);
            }
            for (at, open) in line.match_indices(['<', '[']) {
                let rest = &line[at..];
                let close = if open == "<" { '>' } else { ']' };
                self.word(&rest[..rest.find(close).map_or(rest.len(), |end| end + 1)]);
            }
        }
    }

    fn word(&mut self, text: &str) {
        if text.len() > 2 && text.contains(char::is_alphabetic) {
            self.texts.push((text.to_string(), false));
        }
    }

    /// Adds the lines of a text that introduce something: `Observation:`, `Result of`.
    fn lines_in(&mut self, text: &str, before_hole: bool, begins_line: bool, named: bool) {
        let count = text.lines().count();
        for (at, line) in text.lines().enumerate().filter(|(at, _)| *at > 0 || begins_line) {
            let line = line.trim();
            let says = (before_hole && at + 1 == count) || (!named && line.ends_with(':'));
            let begins = line.starts_with(|first: char| first.is_alphabetic() || first == '#');
            if says && begins && line.len() > 3 {
                self.lines.push(line.to_string());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keywords_of_lines() {
        for (line, text, len) in [
            ("Action Input:", "action_input :x", Some(14)),
            ("Action Input:", "ActionInput:", Some(12)),
            ("Action Input:", "Action - Input**:", Some(17)),
            ("Action Input:", "Action Input\u{FF1A}", Some(15)),
            ("Action Input:", "Action Input", None),
            ("Action Input:", "Action Inputs:", None),
            ("Action Input:", "Action", None),
            ("Action", "ACTION", Some(6)),
            ("Action", "Acti", None),
            (":", "**:", Some(3)),
        ] {
            assert_eq!(keyword(line, text.as_bytes()), len, "{line} {text}");
        }
    }

    /// Short texts are no markers, and a line with a keyword decides by itself.
    #[test]
    fn what_is_collected() {
        let collected = |collect: &dyn Fn(&mut Collected)| {
            let mut all = Collected::default();
            collect(&mut all);
            all.texts.into_iter().map(|(text, _)| text).chain(all.lines).collect::<Vec<_>>()
        };
        assert_eq!(
            collected(&|all| ["a", "ab", " c "].iter().for_each(|text| all.token(text))),
            ["ab"]
        );
        assert_eq!(
            collected(&|all| ["<a", "<a>", "<1>"].iter().for_each(|text| all.word(text))),
            ["<a>"]
        );
        let text = "First:\nabc\nab:\nabc:\n#Last";
        for (before_hole, begins_line, named, lines) in [
            (false, true, false, &["First:", "abc:"][..]),
            (false, false, false, &["abc:"]),
            (true, false, false, &["abc:", "#Last"]),
            (true, true, true, &["#Last"]),
            (false, true, true, &[]),
        ] {
            let found = collected(&|all| all.lines_in(text, before_hole, begins_line, named));
            assert_eq!(found, lines, "{before_hole} {begins_line} {named}");
        }
        let tools = [Tool::new("read me")];
        let markers = Markers::new(&Dialect::HERMES, &tools, &Options::default());
        assert!(markers.declares("read me") && !markers.declares("read"));
    }

    #[test]
    fn special_tokens() {
        for (text, len) in [
            ("<|im_end|>x", Some(10)),
            ("<tool_call|>", Some(12)),
            ("<|tool_call>", Some(12)),
            ("<\u{FF5C}User\u{FF5C}>", Some(12)),
            ("<||>", Some(4)),
            ("<|>", None),
            ("<\u{FF5C}>", None),
            ("<a|b>", None),
            ("<|a b|>", None),
            ("<|\u{241B}im_end|>", None),
            ("|im_end|>", None),
            ("<|im_end|", None),
        ] {
            assert_eq!(token(text.as_bytes()), len, "{text}");
        }
        let long = |count: usize| format!("<|{}|>", "a".repeat(count));
        assert_eq!(token(long(93).as_bytes()), Some(97));
        assert_eq!(token(long(94).as_bytes()), None);
    }
}
