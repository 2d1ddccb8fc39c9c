//! Grammars of `Parser::grammar`, run: Lark by `llguidance`, structural tags by `xgrammar`. For every dialect
//! with a grammar, two checks: the parser must read random texts that the grammar allows as complete calls,
//! and the grammar must allow calls that `render_call` writes. `cargo run --manifest-path
//! benches/guidance/Cargo.toml -- 200` draws 200 texts for each dialect; a name after it selects one dialect.
//!
//! `xgrammar` is a Python package: `TOOLSTREAM_PYTHON` names the interpreter (`python3`). If the interpreter
//! does not have it, structural tags are left out, with a message.

use std::io::Write as _;
use std::process::{Command, ExitCode, Stdio};

use llguidance::api::TopLevelGrammar;
use llguidance::{Matcher, ParserFactory};
use serde_json::{Value, json};
use toktrie::{ApproximateTokEnv, TokEnv};
use toolstream::{
    Block, Dialect, Param, Parser, Tool, grammar::{CallGrammar, Format, ToolChoice}, options::Start,
    tools::Type,
};

/// Result of a dialect's grammar.
type Said = Result<String, String>;

fn main() -> ExitCode {
    let texts = std::env::args().nth(1).map_or(100, |count| count.parse().expect("a number"));
    let only = std::env::args().nth(2);
    let chosen = |one: &&Dialect| only.as_ref().is_none_or(|name| one.name() == name);
    let env = ApproximateTokEnv::single_byte_env();
    let (mut failed, mut tags) = (0, Vec::new());
    let mut say = |name: &str, said: Said| match said {
        Ok(said) => println!("{name}: {said}"),
        Err(what) => {
            failed += 1;
            println!("{name}: FAILED: {what}");
        }
    };
    for dialect in Dialect::ALL.iter().filter(chosen) {
        for (limit, start, choice) in cases() {
            let subject = Subject::of(dialect, limit, start, choice);
            // The notation of reasoning in some dialects is not known here.
            if start == Start::Reasoning && subject.before.contains(&String::new()) {
                continue;
            }
            match subject.parser.grammar_for(Format::Lark, &subject.choice) {
                Ok(lark) => say(&subject.name, subject.lark(&lark, &env, texts)),
                Err(error) => {
                    println!("{error}");
                    break;
                }
            }
            if let Ok(tag) = subject.parser.grammar_for(Format::StructuralTag, &subject.choice) {
                tags.push((subject, tag));
            }
        }
        let subject = Subject::of(dialect, Some(1), Start::Text, ToolChoice::Auto);
        for format in [Format::Lark, Format::StructuralTag] {
            let grammars = subject.parser.call_grammars(format, &ToolChoice::Auto);
            for CallGrammar { opener, grammar, .. } in grammars.into_iter().flatten() {
                let subject =
                    Subject::of(dialect, Some(1), Start::Text, ToolChoice::Auto).behind(opener);
                match format {
                    Format::Lark => say(&subject.name, subject.lark(&grammar, &env, texts)),
                    _ => tags.push((subject, grammar)),
                }
            }
        }
    }
    match python() {
        None => println!("no Python with xgrammar here: structural tags are left out"),
        Some(python) => {
            for ((subject, _), found) in tags.iter().zip(run(&python, &tags, texts)) {
                say(&format!("{}, structural tag", subject.name), subject.tag(&found, texts));
            }
        }
    }
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// How each dialect is tried: tool limit, start, and tool choice.
fn cases() -> [(Option<usize>, Start, ToolChoice); 6] {
    [
        (Some(1), Start::Text, ToolChoice::Auto),
        (None, Start::Text, ToolChoice::Auto),
        (None, Start::Text, ToolChoice::Required),
        (None, Start::Text, ToolChoice::Tool("write".to_string())),
        (Some(1), Start::Text, ToolChoice::None),
        (Some(1), Start::Reasoning, ToolChoice::Required),
    ]
}

/// The interpreter, if it has `xgrammar`.
fn python() -> Option<String> {
    let python = std::env::var("TOOLSTREAM_PYTHON").unwrap_or_else(|_| "python3".into());
    let find = "import importlib.util as of; exit(any(of.find_spec(name) is None \
                for name in ('xgrammar', 'tvm_ffi', 'numpy', 'pydantic')))";
    let found = Command::new(&python).args(["-c", find]).stderr(Stdio::null()).status();
    found.is_ok_and(|status| status.success()).then_some(python)
}

/// Returns the verdict of `structural_tags.py` on each of these tags.
fn run(python: &str, tags: &[(Subject<'_>, String)], texts: usize) -> Vec<Value> {
    let cases = tags.iter().map(|(subject, tag)| {
        // Only Lark allows a value that holds its own closer.
        let written = subject.messages(&subject.written[1..]);
        json!({
            "tag": tag, "written": written, "broken": subject.broken(),
            "snippets": subject.snippets, "begins": subject.begins(), "texts": texts,
        })
    });
    let cases: Vec<Value> = cases.collect();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/structural_tags.py");
    let mut child = Command::new(python)
        .arg(script)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("Python");
    let mut stdin = child.stdin.take().expect("stdin");
    stdin.write_all(json!(cases).to_string().as_bytes()).expect("the cases are read");
    drop(stdin);
    let output = child.wait_with_output().expect("Python");
    assert!(output.status.success(), "{script} failed");
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// A dialect whose grammars are tried.
struct Subject<'a> {
    name: String,
    dialect: &'a Dialect,
    limit: Option<usize>,
    choice: ToolChoice,
    parser: Parser,
    /// Calls in its notation.
    written: Vec<String>,
    snippets: Vec<String>,
    /// The texts that may stand before a call, or be a whole message.
    before: Vec<String>,
    /// The grammar begins behind this opener.
    opener: String,
}

impl Subject<'_> {
    fn of(
        dialect: &Dialect,
        limit: Option<usize>,
        start: Start,
        choice: ToolChoice,
    ) -> Subject<'_> {
        let parser = parser(dialect, limit, start);
        let written = written(&parser);
        let mut snippets = snippets(&written);
        let limited = if limit.is_none() { ", no limit" } else { "" };
        let name = format!("{}{limited}, {start:?}, {choice:?}", dialect.name());
        let thought = thought(&parser, start);
        let closer = thought.as_ref().and_then(|thought| Some(thought.split_once(THOUGHT)?.1));
        snippets.extend(closer.map(String::from));
        // A message that begins in reasoning does not begin with text.
        let texts = ["", "So:\n"].iter().filter(|_| thought.is_none() || start == Start::Text);
        let thoughts =
            thought.iter().flat_map(|thought| ["", "So:\n"].map(|text| thought.clone() + text));
        let before = texts.map(|text| text.to_string()).chain(thoughts).collect();
        let opener = String::new();
        Subject { name, dialect, limit, choice, parser, written, snippets, before, opener }
    }

    /// The subject of the calls alone, from behind an opener.
    fn behind(self, opener: String) -> Self {
        Subject { name: format!("{}, behind {opener}", self.name), opener, ..self }
    }

    /// Returns the text behind the opener, for texts that begin with it.
    fn rest<'t>(
        &'t self,
        texts: impl Iterator<Item = String> + 't,
    ) -> impl Iterator<Item = String> + 't {
        texts.filter_map(|text| text.strip_prefix(&*self.opener).map(String::from))
    }

    /// Whether a message may hold a call of this tool.
    fn may_call(&self, name: &str) -> bool {
        match &self.choice {
            ToolChoice::Tool(tool) => tool == name,
            choice => *choice != ToolChoice::None,
        }
    }

    fn must_call(&self) -> bool {
        matches!(self.choice, ToolChoice::Required | ToolChoice::Tool(_))
    }

    /// Returns the messages that the grammar must allow: the allowed ones of these calls, and text alone if
    /// the choice allows it.
    fn messages(&self, calls: &[String]) -> Vec<String> {
        let calls = calls.iter().filter(|call| self.may_call(tool_of(call)));
        let calls = calls.flat_map(|call| self.before.iter().map(move |text| text.clone() + call));
        let texts = self.before.iter().filter(|_| !self.must_call()).cloned();
        self.rest(calls.chain(texts)).collect()
    }

    /// Returns the beginnings of most drawn texts.
    fn begins(&self) -> Vec<String> {
        // The longest beginning: in reasoning it is the only one.
        let before = self.before.last().cloned().unwrap_or_default();
        let calls = self.written.iter().filter(|_| self.choice != ToolChoice::None);
        let calls = calls.flat_map(|call| [call.clone(), before.clone() + call]);
        self.rest(calls.chain([before.clone() + "So it is done."])).collect()
    }

    /// Returns calls that no grammar of the tools allows: an unknown tool, a missing parameter, a wrong type.
    /// Calls that the parser reads as text are not among them.
    fn broken(&self) -> Vec<String> {
        let any = |tool: &str| {
            let tool = Tool::new(tool).param(Param::optional("path").with(Type::String));
            tool.param(Param::optional("mode").with(Type::String))
        };
        let builder = Parser::builder(self.dialect).tools([any("write"), any("wrote")]);
        let other = builder.build().expect("a parser");
        let calls = [
            ("wrote", json!({"path": "a"})),
            ("write", json!({"mode": "b"})),
            ("write", json!({"path": "a", "mode": "b"})),
        ];
        let texts = calls.iter().map(|(name, arguments)| render(&other, name, arguments));
        let broken = texts.filter(|text| self.parser.parse(text).text() != *text);
        // Text after a call that is read as another call.
        let object = json!({"name": "list", "arguments": {}});
        let further = format!("{}\n{object}", render(&self.parser, "list", &json!({})));
        let is_call = self.parser.parse(&further).calls().count() > 1;
        let broken = broken.chain(is_call.then_some(further));
        // Messages that the choice forbids: a call of another tool, and a message without a call.
        let others = self.written[1..].iter().filter(|call| !self.may_call(tool_of(call))).cloned();
        let text =
            self.before.last().map(|text| text.clone() + "Done.").filter(|_| self.must_call());
        self.rest(broken.chain(others).chain(text)).collect()
    }

    fn tag(&self, found: &Value, texts: usize) -> Said {
        for wrong in ["error", "refused", "allowed"] {
            let what = &found[wrong];
            if !what.is_null() && *what != json!([]) {
                return Err(format!("{wrong}: {what}"));
            }
        }
        let drawn = found["drawn"].as_array().expect("texts").iter();
        self.read(drawn.map(|text| text.as_str().expect("a text").to_string()), texts)
    }

    fn lark(&self, lark: &str, env: &TokEnv, texts: usize) -> Said {
        let new = matcher(lark, env)?;
        for text in self.messages(&self.written) {
            allowed(new.deep_clone(), &text).map_err(|what| format!("{what}\n{lark}"))?;
        }
        for text in self.broken() {
            if allowed(new.deep_clone(), &text).is_ok() {
                return Err(format!("{text:?} is allowed\n{lark}"));
            }
        }
        let mut random = Random(0x9E37_79B9_7F4A_7C15);
        let drawn =
            (0..texts).filter_map(|_| draw(&new, &self.begins(), &self.snippets, &mut random));
        self.read(drawn, texts)
    }

    /// Checks that all drawn texts are read back, and that there are enough of them.
    fn read(&self, drawn: impl Iterator<Item = String>, texts: usize) -> Said {
        let (mut calls, mut count) = (0, 0);
        let mut spelt = 0;
        for text in drawn {
            let text = self.opener.clone() + &text;
            match self.read_back(&text) {
                Ok(read) => (count, calls) = (count + 1, calls + read),
                Err(_) if self.spells_closer(&text) => spelt += 1,
                Err(what) => return Err(what),
            }
        }
        // The known gap of `Parser::grammar`. It is rare.
        if spelt > count {
            return Err(format!("{spelt} of {texts} texts spell a closer in JSON"));
        }
        let enough = match self.choice {
            // About half of the texts call. Few are drawn here, so chance leaves some out.
            ToolChoice::Auto => calls * 6 >= count,
            ToolChoice::None => calls == 0,
            _ => calls >= count,
        };
        if count * 2 >= texts && enough {
            Ok(format!("{count} texts with {calls} calls"))
        } else {
            Err(format!("of {texts} texts {count} came to an end, with {calls} calls"))
        }
    }

    /// Whether the closer of a call stands in the text more often than its opener, as in a string of a JSON
    /// value.
    fn spells_closer(&self, text: &str) -> bool {
        let closers = self.written[self.written.len() - 1].match_indices("</");
        let mut closers = closers.filter_map(|(at, _)| {
            let rest = &self.written[self.written.len() - 1][at..];
            rest.find('>').map(|end| rest[..=end].to_string())
        });
        closers.any(|closer| {
            text.matches(&closer).count() > text.matches(&closer.replacen("</", "<", 1)).count()
        })
    }

    /// Returns the number of calls that the parser reads. All must be complete. The text has no markers, so
    /// any text that begins like a call is a call, or stands in the value of one.
    fn read_back(&self, text: &str) -> Result<usize, String> {
        let message = self.parser.parse(text);
        let incomplete = message.blocks().iter().any(|block| matches!(block, Block::Incomplete(_)));
        let missing = message.calls().any(|call| !call.missing().is_empty());
        let begins = |call: &String| {
            let name = if call.contains("write") { "write" } else { "list" };
            call.find(name).map(|at| numberless(&call[..at + name.len() + 1]))
        };
        let mut begins: Vec<String> = self.written.iter().filter_map(begins).collect();
        begins.dedup();
        let count = begins.iter().map(|begin| numberless(text).matches(begin).count()).sum();
        let most = self.limit.map_or(count, |limit| limit.min(count));
        let calls = message.calls().count();
        if incomplete || missing || !(most.min(1)..=most).contains(&calls) {
            let calls: Vec<Value> =
                message.calls().map(|call| json!([call.name(), call.input()])).collect();
            return Err(format!("{text:?} is read as {calls:?}, {:?}", message.diagnostics()));
        }
        Ok(calls)
    }
}

fn parser(dialect: &Dialect, limit: Option<usize>, start: Start) -> Parser {
    let write = Tool::new("write")
        .param(Param::required("path").with(Type::String))
        .param(Param::optional("mode").with(Type::Integer))
        .param(Param::optional("text").with(Type::String))
        .param(Param::optional("tags").with(Type::Array));
    let builder = Parser::builder(dialect).tool(write).tool(Tool::new("list"));
    builder.tool_limit(limit).start(start).build().expect("a parser")
}

const THOUGHT: &str = "A <b> \"}.";

/// Returns a block of reasoning in the dialect's notation, or the rest of one, if it has any.
fn thought(parser: &Parser, start: Start) -> Option<String> {
    let tags = [
        ("<think>", "</think>"),
        ("<mm:think>", "</mm:think>"),
        ("<seed:think>", "</seed:think>"),
        ("<|START_THINKING|>", "<|END_THINKING|>"),
        ("[THINK]", "[/THINK]"),
        ("<longcat_think>", "</longcat_think>"),
        ("<|inner_prefix|>", "<|inner_suffix|>"),
    ];
    let written = |(open, close): &(&str, &str)| match start {
        Start::Reasoning => format!("{THOUGHT}{close}"),
        _ => format!("{open}{THOUGHT}{close}"),
    };
    let read = |text: &String| parser.parse(text).reasoning() == THOUGHT;
    tags.iter().map(written).find(read)
}

/// Returns the tool of a written call.
fn tool_of(call: &str) -> &'static str {
    if call.contains("write") { "write" } else { "list" }
}

/// Numbers that look random (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, count: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % count as u64) as usize
    }
}

fn matcher(lark: &str, env: &TokEnv) -> Result<Matcher, String> {
    let mut factory = ParserFactory::new_simple(env).map_err(|error| error.to_string())?;
    factory.quiet();
    let mut matcher = Matcher::new(factory.create_parser(TopLevelGrammar::from_lark(lark.into())));
    match matcher.get_error() {
        Some(error) => Err(format!("{error}\n{lark}")),
        None => {
            matcher.compute_mask().map_err(|error| error.to_string())?;
            Ok(matcher)
        }
    }
}

/// Checks that the grammar allows a text, and that it may end there.
fn allowed(mut matcher: Matcher, text: &str) -> Result<(), String> {
    let bytes: Vec<u32> = text.bytes().map(u32::from).collect();
    let taken = matcher.try_consume_tokens(&bytes).map_err(|error| error.to_string())?;
    let whole = matcher.is_accepting().map_err(|error| error.to_string())?;
    if taken == bytes.len() && whole {
        return Ok(());
    }
    Err(format!("{text:?} is refused at byte {taken}"))
}

/// Returns calls in the dialect's notation. The grammar must allow them. The first one holds closers.
fn written(parser: &Parser) -> Vec<String> {
    let arguments = [
        ("write", json!({"path": "</parameter> </path> </param:path> </arg_value> \"}"})),
        ("write", json!({"path": "src/a <b> é.rs", "mode": 7})),
        ("write", json!({"path": "", "text": "fn main() {\n    \"x\";\n}", "tags": ["a", 1]})),
        ("list", json!({})),
    ];
    arguments.iter().map(|(name, arguments)| render(parser, name, arguments)).collect()
}

fn render(parser: &Parser, name: &str, arguments: &Value) -> String {
    let call = parser.render_call(name, arguments.as_object().expect("an object"));
    call.expect("a call").trim_end().to_string()
}

/// Returns the tried texts: the markers of the calls, one by one and with all text behind them, and more.
fn snippets(written: &[String]) -> Vec<String> {
    let mut all: Vec<String> = [
        "a", " ", "\n", "é", "1", "\"", "}", "]", "{", "[", "<", "</", "So: ", "true", ", ", ": ",
        "\\n",
    ]
    .map(String::from)
    .to_vec();
    for text in written {
        let starts =
            |(at, c): &(usize, char)| *at == 0 || matches!(c, '<' | '[' | '{' | ']' | '\n' | '"');
        let starts: Vec<usize> = text.char_indices().filter(starts).map(|(at, _)| at).collect();
        for (number, start) in starts.iter().enumerate() {
            let end = starts.get(number + 1).copied().unwrap_or(text.len());
            all.extend([text[*start..end].to_string(), text[*start..].trim_end().to_string()]);
        }
    }
    all
}

/// Draws a text that the grammar allows, if it comes to an end.
fn draw(
    new: &Matcher,
    written: &[String],
    snippets: &[String],
    random: &mut Random,
) -> Option<String> {
    let mut matcher = new.deep_clone();
    let mut text = String::new();
    let least = random.below(300);
    // Most begin with a part of a call.
    let call = &written[random.below(written.len())];
    let mut part = random.below(call.len() * 4 / 3).min(call.trim_end().len());
    while !call.is_char_boundary(part) {
        part -= 1;
    }
    text += take(&mut matcher, &call[..part])?;
    for _ in 0..600 {
        if text.len() >= least && matcher.is_accepting().ok()? {
            break;
        }
        let taken = take(&mut matcher, &snippets[random.below(snippets.len())])?;
        text += taken;
        if taken.is_empty() {
            // Within a marker no snippet goes on, but the rest of a call may.
            let call = &written[random.below(written.len())];
            let mut at = random.below(call.len());
            while !call.is_char_boundary(at) {
                at -= 1;
            }
            text += take(&mut matcher, &call[at..])?;
        }
    }
    let whole = matcher.is_accepting().ok()?;
    whole.then_some(text)
}

/// Takes as much of the text as is allowed, in whole characters: no snippet goes on with half a character.
fn take<'t>(matcher: &mut Matcher, text: &'t str) -> Option<&'t str> {
    let bytes: Vec<u32> = text.bytes().map(u32::from).collect();
    let mut taken = matcher.try_consume_tokens(&bytes).ok()?;
    while !text.is_char_boundary(taken) {
        matcher.rollback(1).ok()?;
        taken -= 1;
    }
    Some(&text[..taken])
}

/// Removes digits: a call may have another number than the compared one.
fn numberless(text: &str) -> String {
    text.chars().filter(|c| !c.is_ascii_digit()).collect()
}
