//! Messages of two or three calls as the dialects write them, with the place of every closer. So a closer can be removed, and the
//! intended calls are known.

use std::ops::Range;

use serde_json::{Map, Value};
use toolstream::check::Ended;
use toolstream::{
    Block, Dialect, Message, Param, Tool, diagnostic::DiagnosticKind as Kind, options::Options,
    tools::Type,
};

use super::inputs::Written;
use super::soup::{self, Case, Choices};

/// A message, and its intended calls.
#[derive(Clone, Debug)]
pub struct Calls {
    /// The case has the message as its text, and no tool limit.
    pub case: Case,
    pub calls: Vec<Call>,
}

/// An intended call.
#[derive(Clone, Debug)]
pub struct Call {
    pub name: String,
    pub arguments: Map<String, Value>,
    /// The places of its closers in the text.
    pub closers: Vec<Range<usize>>,
}

pub fn tools() -> Vec<Tool> {
    let text = |name| Param::required(name).with(Type::String);
    vec![
        Tool::new("read").param(text("path")),
        Tool::new("write").param(text("path")).param(text("content")),
        Tool::new("note").param(text("title")).param(Param::optional("body").with(Type::String)),
        Tool::new("list").param(Param::optional("path").with(Type::String)),
    ]
}

/// Values that no dialect trims, and that hold no dialect's marker.
const VALUES: &[&str] =
    &["a", "src/lib.rs", "two words", "a < b && c > d", "é🦀", "x\ny", "[1]", "0"];

/// White space between two calls.
const BETWEEN: &[&str] = &["\n", "", "\n\n", " "];

/// Makes a message from a byte string, in a dialect that has a slow twin.
pub fn calls(data: &[u8]) -> Calls {
    calls_in(&soup::TWINNED, data)
}

/// Makes a message in one of these dialects.
fn calls_in(dialects: &[Dialect], data: &[u8]) -> Calls {
    let mut choices = Choices::new(data);
    let dialect = choices.of(dialects);
    written_by(dialect.clone(), choices, |writer, count| writer.message(&dialect, count))
}

/// Makes a message with a dialect's own template, even of a host's dialect.
pub fn templated(dialect: &Dialect, written: &Written, data: &[u8]) -> Calls {
    let write = |writer: &mut Writer<'_>, count| writer.as_written(written, count);
    written_by(dialect.clone(), Choices::new(data), write)
}

fn written_by(
    dialect: Dialect,
    mut choices: Choices<'_>,
    write: impl Fn(&mut Writer<'_>, usize),
) -> Calls {
    let cut_bytes = soup::cut_bytes(&mut choices);
    let ended = choices.of(&[Ended::Stop, Ended::Stop, Ended::Cut]);
    let mut writer = Writer { break_: "", choices, text: String::new(), calls: Vec::new() };
    writer.break_ = writer.choices.of(&["\n", "\n", ""]);
    let count = writer.choices.of(&[2, 2, 3]);
    write(&mut writer, count);
    let Writer { text, calls, .. } = writer;
    let mut options = Options::default();
    options.tool_limit = None;
    let cuts = soup::cuts(&cut_bytes, text.len());
    Calls { case: Case { dialect, tools: tools(), options, ended, text, cuts }, calls }
}

/// The wrapping of the calls of an `invoke` message, or of the functions of a `qwen3-coder` message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wrapper {
    Each,
    All,
    None,
}

struct Writer<'a> {
    /// The line break, or nothing, between two tags.
    break_: &'static str,
    choices: Choices<'a>,
    text: String,
    calls: Vec<Call>,
}

impl Writer<'_> {
    fn put(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Writes a tag or delimiter that closes something of the last call. White space before it is not a part of the
    /// closer.
    fn close(&mut self, text: &str) {
        let tag = text.trim();
        let start = self.text.len() + text.find(tag).unwrap_or_default();
        self.put(text);
        if !tag.is_empty() {
            let closers = self.calls.last_mut().map(|call| &mut call.closers);
            closers.expect("a call").push(start..start + tag.len());
        }
    }

    fn line(&mut self) {
        self.put(self.break_);
    }

    fn message(&mut self, dialect: &Dialect, count: usize) {
        if self.choices.one_in(3) {
            self.put("Now:\n");
        }
        match dialect.name() {
            "cline" => self.each(count, |w| w.tags("<", "</")),
            "code-assistant" => self.each(count, |w| w.prefixed_tags()),
            "invoke" => self.invokes(count),
            "hermes" => self.json_blocks(count),
            "qwen3-coder" => self.functions(count, &[Wrapper::Each, Wrapper::All, Wrapper::None]),
            "glm" => self.each(count, Self::keyed),
            "react" => self.each(count, Self::step),
            "tool-call" => self.each(count, |w| match w.choices.below(3) {
                0 => w.json_blocks(1),
                // The opener of a bare function does not count in a keyed call before it.
                1 => w.functions(1, &[Wrapper::Each]),
                _ => w.keyed(),
            }),
            _ => self.as_written(Written::of(dialect), count),
        }
    }

    /// Writes calls in the dialect's own way: all in one section, or each in its own.
    fn as_written(&mut self, written: &Written, count: usize) {
        let wrapper = self.choices.of(&[Wrapper::Each, Wrapper::All]);
        let [open, .., close] = written.parts("", "");
        self.wrapped(count, wrapper, [&open, &close], |w| {
            let follows = wrapper == Wrapper::All && !w.calls.is_empty();
            w.put(if follows { &written.between } else { "" });
            let (name, params) = w.call();
            let [_, call, .., call_end, _] = written.parts(&name, "");
            w.put(&call);
            for (number, (key, value)) in params.iter().enumerate() {
                let [_, _, open, close, ..] = written.parts(&name, key);
                w.put(if number > 0 { &written.comma } else { "" });
                w.put(&open);
                w.put(&written.value(value));
                w.close(&close);
            }
            let tag = call_end.trim_start_matches(['}', ')']);
            w.close(&call_end[..call_end.len() - tag.len()]);
            w.close(tag);
        });
    }

    /// Writes calls with white space between them.
    fn each(&mut self, count: usize, call: impl Fn(&mut Self)) {
        for number in 0..count {
            if number > 0 {
                let between = self.choices.of(BETWEEN);
                self.put(between);
            }
            call(self);
        }
    }

    /// Begins a call: returns its name and its parameters.
    fn call(&mut self) -> (String, Vec<(String, String)>) {
        let (name, keys): (&str, &[&str]) = self.choices.of(&[
            ("read", &["path"]),
            ("write", &["path", "content"]),
            ("note", &["title"]),
            ("note", &["title", "body"]),
            ("list", &["path"]),
        ]);
        let params: Vec<(String, String)> =
            keys.iter().map(|key| (key.to_string(), self.choices.of(VALUES).to_string())).collect();
        let arguments = params.iter().map(|(key, value)| (key.clone(), value.clone().into()));
        let arguments = arguments.collect();
        self.calls.push(Call { name: name.to_string(), arguments, closers: Vec::new() });
        (name.to_string(), params)
    }

    fn tags(&mut self, open: &str, close: &str) {
        let (name, params) = self.call();
        self.put(&format!("{open}{name}>"));
        for (key, value) in params {
            self.line();
            self.put(&format!("{open}{key}>"));
            self.put(&value);
            self.close(&format!("{close}{key}>"));
        }
        self.line();
        self.close(&format!("{close}{name}>"));
    }

    fn prefixed_tags(&mut self) {
        let (name, params) = self.call();
        self.put(&format!("<tool:{name}>"));
        for (key, value) in params {
            self.line();
            self.put(&format!("<param:{key}>"));
            self.put(&value);
            self.close(&format!("</param:{key}>"));
        }
        self.line();
        self.close(&format!("</tool:{name}>"));
    }

    fn invokes(&mut self, count: usize) {
        let wrapper = self.choices.of(&[Wrapper::Each, Wrapper::All, Wrapper::None]);
        let (open, close) = self.choices.of(&[
            ("<function_calls>", "</function_calls>"),
            ("<minimax:tool_call>", "</minimax:tool_call>"),
        ]);
        self.wrapped(count, wrapper, [open, close], |w| {
            let (name, params) = w.call();
            w.put(&format!("<invoke name=\"{name}\">"));
            for (key, value) in params {
                w.line();
                w.put(&format!("<parameter name=\"{key}\">{value}"));
                w.close("</parameter>");
            }
            w.line();
            w.close("</invoke>");
        });
    }

    fn functions(&mut self, count: usize, wrappers: &[Wrapper]) {
        let wrapper = self.choices.of(wrappers);
        let json = wrapper != Wrapper::None && self.choices.one_in(4);
        self.wrapped(count, wrapper, ["<tool_call>", "</tool_call>"], |w| {
            let (name, params) = w.call();
            w.put(&format!("<function={name}>"));
            w.line();
            if json {
                w.object(&params);
            } else {
                for (key, value) in params {
                    w.put(&format!("<parameter={key}>"));
                    w.line();
                    w.put(&value);
                    w.line();
                    w.close("</parameter>");
                    w.line();
                }
            }
            w.close("</function>");
        });
    }

    fn wrapped(
        &mut self,
        count: usize,
        wrapper: Wrapper,
        [open, close]: [&str; 2],
        call: impl Fn(&mut Self),
    ) {
        if wrapper == Wrapper::All {
            self.put(open);
            self.line();
        }
        self.each(count, |w| {
            if wrapper == Wrapper::Each {
                w.put(open);
                w.line();
            }
            call(w);
            if wrapper == Wrapper::Each {
                w.line();
                w.close(close);
            }
        });
        if wrapper == Wrapper::All {
            self.line();
            self.close(close);
        }
    }

    fn json_blocks(&mut self, count: usize) {
        let wrapper = self.choices.of(&[Wrapper::Each, Wrapper::Each, Wrapper::All]);
        self.wrapped(count, wrapper, ["<tool_call>", "</tool_call>"], |w| {
            let (name, params) = w.call();
            // The brace may come too early.
            let brace = w.choices.of(&["", "", "", "}"]);
            w.put(&format!("{{\"name\": \"{name}\"{brace}, \"arguments\": "));
            w.object(&params);
            w.close("}");
        });
    }

    fn object(&mut self, params: &[(String, String)]) {
        self.put("{");
        for (number, (key, value)) in params.iter().enumerate() {
            self.put(if number > 0 { ", " } else { "" });
            self.put(&format!("\"{key}\": {}", Value::from(&**value)));
        }
        self.close("}");
    }

    fn keyed(&mut self) {
        let (name, params) = self.call();
        self.put(&format!("<tool_call>{name}"));
        self.line();
        if self.choices.one_in(4) {
            self.object(&params);
        } else {
            for (key, value) in params {
                self.put(&format!("<arg_key>{key}"));
                self.close("</arg_key>");
                self.line();
                self.put(&format!("<arg_value>{value}"));
                self.close("</arg_value>");
                self.line();
            }
        }
        self.close("</tool_call>");
    }

    fn step(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with('\n') {
            self.put("\n");
        }
        let (name, params) = self.call();
        // A plain input has one line here, and is not a JSON value or a number.
        let one_line = |text: &str| !text.contains(['\n', '[']);
        let plain = ["read", "list"].contains(&&*name) && one_line(&params[0].1);
        match self.choices.below(4) {
            0 if plain => self.put(&format!("Action: {name}\nAction Input: {}\n", params[0].1)),
            1 if plain => {
                self.put(&format!("Action: {name}[{}", params[0].1));
                self.close("]");
                self.put("\n");
            }
            _ => {
                self.put(&format!("Action: {name}\nAction Input: "));
                self.object(&params);
                self.put("\n");
            }
        }
    }
}

/// Pieces that may stand behind a closer by mistake, or because a server cut there.
const UNEXPECTED: &[&str] = &[
    " so.",
    "\n",
    "<|im_end|>",
    "<|role_end|>",
    "<tool_response>",
    "</think>",
    "</tool_call>",
    "</function_calls>",
    "<tool_call>",
    "<function_calls>",
    "<read>",
    "<tool:read>",
    "<invoke name=\"read\">",
    "<function=read>",
    "}",
    ",",
    "\"x\"",
    "Thought: so.\n",
    "Observ",
    "<",
    "</",
];

/// Makes a message with lost or moved closers and with stray pieces between them, under any options.
pub fn damaged(data: &[u8]) -> Case {
    damaged_in(&soup::TWINNED, data)
}

/// Makes such a message in one of these dialects.
pub fn damaged_in(dialects: &[Dialect], data: &[u8]) -> Case {
    let (head, tail) = data.split_at(data.len() / 2);
    let Calls { mut case, calls } = calls_in(dialects, tail);
    let mut choices = Choices::new(head);
    case.options = soup::options(&mut choices);
    let lost = soup::lost(&mut choices);
    let closers: Vec<_> = calls.into_iter().flat_map(|call| call.closers).collect();
    // The closers are changed from the last one on, so the offsets before it stay right.
    for closer in closers.into_iter().rev() {
        match choices.below(12) {
            1 | 2 => case.text.replace_range(closer, ""),
            3 => case.text.insert_str(closer.end, choices.of(UNEXPECTED)),
            4 => case.text.insert_str(closer.start, choices.of(UNEXPECTED)),
            5 => case.text.replace_range(closer, choices.of(UNEXPECTED)),
            _ => {}
        }
    }
    for _ in 0..lost {
        case.text.pop();
    }
    case.cuts.retain(|cut| *cut < case.text.len());
    case
}

impl Calls {
    /// Returns a closer of the first call, and the message without it.
    pub fn without_closer(&self, which: usize) -> (&str, String) {
        let text = &self.case.text;
        let lost = self.calls[0].closers[which].clone();
        (&text[lost.clone()], text[..lost.start].to_string() + &text[lost.end..])
    }

    /// Whether the specification takes the rest for a single call. A raw value of `cline` may hold a whole call, so no opener
    /// behind it shows that its own call's closer was forgotten.
    pub fn is_undecidable(&self, closer: &str) -> bool {
        let Call { name, arguments, .. } = &self.calls[0];
        self.case.dialect == Dialect::CLINE
            && closer == format!("</{name}>")
            && arguments.contains_key("content")
    }

    /// Whether a message without one closer of the first call is still safe. A complete call must be an intended one, or be
    /// reported as suspect. The other calls must be read, or something must be reported.
    pub fn survives(&self, closer: &str, found: &Message) -> Result<(), String> {
        if self.is_undecidable(closer) {
            return Ok(());
        }
        let has = |kind, call| found.diagnostics().iter().any(|d| d.kind == kind && d.call == call);
        let meant = self.meant();
        for call in found.calls() {
            let is_meant = meant.iter().any(|(name, arguments)| {
                name == call.name() && are_but_for_blanks(call.input(), arguments)
            });
            if !is_meant && !has(Kind::SuspectMarker, Some(call.index())) {
                return Err(format!("{:?} of {:?} runs", call.input(), call.name()));
            }
        }
        let read = complete(found);
        let others_read = meant[1..].iter().all(|call| read.contains(call));
        let incomplete = found.blocks().iter().any(|block| matches!(block, Block::Incomplete(_)));
        let reported = incomplete || !found.diagnostics().is_empty();
        if others_read || reported { Ok(()) } else { Err("a call is swallowed".to_string()) }
    }

    /// Names and arguments.
    pub fn meant(&self) -> Vec<(String, Map<String, Value>)> {
        self.calls.iter().map(|call| (call.name.clone(), call.arguments.clone())).collect()
    }
}

/// The calls that may run: names and arguments.
pub fn complete(message: &Message) -> Vec<(String, Map<String, Value>)> {
    message.calls().map(|call| (call.name().to_string(), call.input().clone())).collect()
}

/// Whether the arguments are equal, except for white space before the tag that ends a value. It may have stood behind the lost
/// closer.
fn are_but_for_blanks(found: &Map<String, Value>, meant: &Map<String, Value>) -> bool {
    let text =
        |value: &Value| value.as_str().map(|text| text.trim_end_matches(['\n', ' ']).to_string());
    let same = |(key, value)| meant.get(key).is_some_and(|meant| text(value) == text(meant));
    found.len() == meant.len() && found.iter().all(same)
}
