//! Texts for measurements: plain text, one big value, an ordinary message, and text that is slow on purpose.
#![allow(dead_code, reason = "each test and bench uses a part")]

use std::sync::LazyLock;

use serde_json::Value;
use toolstream::{Dialect, Param, Parser, Tool};

/// A parser without a limit, because a measurement must read to the end.
pub fn parser(dialect: &Dialect) -> Parser {
    let builder = Parser::builder(dialect).tool_limit(None).tools([
        Tool::new("read_file").param(Param::required("path")),
        Tool::new("write_to_file")
            .param(Param::required("path"))
            .param(Param::required("content"))
            .param(Param::optional("diff")),
    ]);
    builder.build().expect("well named tools")
}

/// The step of long tests, which read only every ninth text. `TEST_EVERY` in the environment is another step, and is 2 in the
/// last step of `.ci/run`.
pub fn every() -> usize {
    let every = std::env::var("TEST_EVERY").ok().and_then(|every| every.parse().ok());
    every.filter(|every| *every > 0).unwrap_or(9)
}

/// `text` in pieces of `size` bytes, or of a few more if a cut would split a character.
pub fn pieces(text: &str, size: usize) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let boundary = |at: &usize| rest.is_char_boundary(*at);
        let cut = (size..rest.len()).find(boundary).unwrap_or(rest.len());
        let (piece, after) = rest.split_at(cut);
        rest = after;
        (!piece.is_empty()).then_some(piece)
    })
}

/// Every dialect, with the opening of a text in it.
pub fn text_openings() -> impl Iterator<Item = (&'static Dialect, &'static str)> {
    Dialect::ALL.iter().map(|dialect| (dialect, opening(dialect)))
}

/// The opening of a text, if a stream begins in a header.
pub fn opening(dialect: &Dialect) -> &'static str {
    match dialect.name() {
        "functionary" => "all\n",
        "harmony" | "beam" => "<|channel|>final<|message|>",
        _ => "",
    }
}

/// Prose of `len` bytes without any `<`.
pub fn prose(len: usize) -> String {
    filled(
        "The parser reads what the model writes, a few characters at a time, and says what it \
         is as soon as it can be said. Most of it is prose like this: words, commas, a number \
         such as 1,024 - and at times a list.\n\n1. First, look at the failing test.\n\
         2. Then ask why it failed & what the author meant (\"it works here\" is no answer).\n",
        len,
    )
}

/// Source code of `len` bytes, full of `<` that are no markers.
pub fn code(len: usize) -> String {
    filled(
        "fn merge<T: Ord>(left: Vec<T>, right: Vec<T>) -> Vec<T> {\n    \
             let mut out: Vec<Option<T>> = Vec::with_capacity(left.len());\n    \
             for at in 0..n { if at < mid && left[at] <= right[at] { x <<= 1; } }\n}\n\
         std::map<int, std::vector<T>> seen; std::cout << \"a < b\" << std::endl;\n\
         <div class=\"row\"><span>{items.map(x => <Item key={x.id} />)}</span></div>\n",
        len,
    )
}

/// `unit`, again and again, cut at `len` bytes.
fn filled(unit: &str, len: usize) -> String {
    let mut text = unit.repeat(len / unit.len() + 1);
    text.truncate(len);
    text
}

/// A name that is not a dialect's marker.
const NAME: &str = "\u{1}";

/// The texts of a dialect around a call and its parts, with [`NAME`] in them, from the dialect's own template.
pub struct Written {
    section: [String; 2],
    call: [String; 2],
    param: [String; 2],
    /// Between two parameters.
    pub comma: String,
    /// Between two calls of a section.
    pub between: String,
    /// A line break at both ends of a value, if it is not a part of the value.
    framing: &'static str,
    /// The quotes that belong to a value's slices, at both ends, because a literal is read whole.
    quotes: String,
    /// Whether the arguments are JSON.
    pub json: bool,
}

impl Written {
    /// Returns the texts of a dialect of this build, and for joined dialects those of the first.
    pub fn of(dialect: &Dialect) -> &'static Written {
        static ALL: LazyLock<Vec<Written>> =
            LazyLock::new(|| Dialect::ALL.iter().map(Written::by_template).collect());
        let place = Dialect::ALL.iter().position(|known| known.name() == dialect.name());
        &ALL[place.expect("a dialect of this build")]
    }

    pub fn by_template(dialect: &Dialect) -> Written {
        let table = dialect.written_form();
        let call = &table["template"]["call"];
        let text = |of: &Value, key: &str| {
            let id = table["id"].as_str().unwrap_or("0");
            filled_in(&of[key].as_str().unwrap_or_default().replace("{id}", id))
        };
        let [open, close] = ["open", "close"].map(|key| text(call, key));
        let json = Written {
            section: ["section_open", "section_close"].map(|key| text(call, key)),
            call: [open.clone() + "{", "}".to_string() + &close],
            param: [format!("\"{NAME}\": \""), "\"".to_string()],
            comma: ", ".to_string(),
            between: text(call, "between"),
            framing: "",
            quotes: String::new(),
            json: true,
        };
        let arguments = &call["arguments"];
        if let Some(literals) = arguments.get("literals") {
            let quotes = literals["quote"].as_str().unwrap_or("\"").to_string();
            let param = [format!("{NAME}{}{quotes}", text(literals, "separator")), quotes.clone()];
            let (call, comma) = ([open, close], text(literals, "between"));
            return Written { call, param, comma, quotes, json: false, ..json };
        }
        let Some(params) = arguments.get("params") else { return json };
        // White space behind a parameter stands between two parameters, and before the call's closer.
        let param_close = text(params, "close");
        let tag = param_close.trim_end();
        let comma = &param_close[tag.len()..];
        let framed = table["framed"] == true;
        Written {
            call: [open, comma.to_string() + &close],
            param: [text(params, "open"), tag.to_string()],
            comma: comma.to_string(),
            framing: if framed { "\n" } else { "" },
            json: false,
            ..json
        }
    }

    /// The texts around a section, a call and a parameter, in order ([`parts`]).
    pub fn parts(&self, tool: &str, param: &str) -> [String; 6] {
        let [section, end] = self.section.each_ref().map(|text| text.replace(NAME, tool));
        let [call, call_end] = self.call.each_ref().map(|text| text.replace(NAME, tool));
        let [open, close] = self.param.each_ref().map(|text| text.replace(NAME, param));
        [section, call, open, close, call_end, end]
    }

    pub fn value(&self, value: &str) -> String {
        match self.json || self.quotes == "\"" {
            true => value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"),
            false => value.to_string(),
        }
    }

    /// Whether this closes a value of JSON, a literal, or their frame, and is no tag.
    pub fn is_literal(&self, closer: &str) -> bool {
        let quoted = self.json || !self.quotes.is_empty();
        quoted && (closer == self.param[1] || closer.trim_matches(['}', ')']).is_empty())
    }

    /// A section that is open at its first value.
    fn up_to_value(&self, param: &str) -> String {
        self.parts("write_to_file", param)[..3].concat()
    }
}

/// A text of a template, with [`NAME`] for the name of its call or parameter.
fn filled_in(template: &str) -> String {
    let quoted = format!("\"{NAME}\"");
    let holes = [
        ("{json_name}", &*quoted),
        ("{name}", NAME),
        ("{name_attribute}", NAME),
        ("{key}", NAME),
        ("{key_attribute}", NAME),
        ("{type}", "string"),
        ("{whole_type}", "string"),
        ("{is_string}", "true"),
        ("{index}", "0"),
        ("{number}", "1"),
    ];
    let text =
        holes.iter().fold(template.to_string(), |text, (hole, with)| text.replace(hole, with));
    let mut names =
        text.split('{').skip(1).filter_map(|rest| rest.split_once('}')).map(|(name, _)| name);
    let is_name = |name: &&str| {
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
    };
    let hole = names.find(is_name);
    assert!(hole.is_none(), "fill this hole, too: {hole:?}");
    text
}

/// The file that [`write`] writes.
const PATH: &str = "src/lib.rs";

/// A message that writes a file: one call, with `content` as its value.
pub fn write(dialect: &Dialect, content: &str) -> String {
    let wire = Written::of(dialect);
    let [section, call, open, close, call_end, end] = wire.parts("write_to_file", "content");
    let [_, _, path, path_end, _, _] = wire.parts("write_to_file", "path");
    let (comma, framing, content) = (&wire.comma, wire.framing, wire.value(content));
    format!(
        "{section}{call}{path}{PATH}{path_end}{comma}\
         {open}{framing}{content}{framing}{close}{call_end}{end}\n"
    )
}

/// The shortest message with a call: `read_file`, of this path.
pub fn read(dialect: &Dialect, path: &str) -> String {
    call(dialect, "read_file", &[("path", path)])
}

/// A message with only a call of this tool.
pub fn call(dialect: &Dialect, tool: &str, params: &[(&str, &str)]) -> String {
    let wire = Written::of(dialect);
    let [section, call, _, _, call_end, end] = wire.parts(tool, "");
    let param = |(key, value): &(&str, &str)| {
        let [_, _, open, close, _, _] = wire.parts(tool, key);
        open + &wire.value(value) + &close
    };
    let params: Vec<String> = params.iter().map(param).collect();
    format!("{section}{call}{}{call_end}{end}", params.join(&wire.comma))
}

/// The texts around a section, a call and a parameter: three openers, then the closers.
pub fn parts(dialect: &Dialect, tool: &str, param: &str) -> [String; 6] {
    Written::of(dialect).parts(tool, param)
}

/// The text between two parameters.
pub fn comma(dialect: &Dialect) -> &'static str {
    &Written::of(dialect).comma
}

/// A message whose call has these members as its arguments, in a dialect that speaks JSON.
pub fn write_members(dialect: &Dialect, members: &str) -> String {
    let [section, call, _, _, call_end, end] = parts(dialect, "write_to_file", "");
    format!("{section}{call}{members}{call_end}{end}\n")
}

/// The slices of [`write`] from a parser: its values, or the JSON text of its arguments.
pub fn written(dialect: &Dialect, content: &str) -> String {
    let wire = Written::of(dialect);
    match wire.json {
        true => format!("{{\"path\": \"{PATH}\", \"content\": \"{}\"}}", wire.value(content)),
        false => [PATH, &wire.value(content)]
            .map(|value| [&wire.quotes, value, &wire.quotes].concat())
            .concat(),
    }
}

/// The text of the line break at the end of [`write`]. It is empty if another message, another call of the section or a call at
/// the start of a line may follow.
pub fn after_call(dialect: &Dialect) -> &'static str {
    match dialect.name() {
        "harmony" | "beam" | "functionary" => "",
        "mistral" | "llama3-json" | "bare-json" | "granite" | "gigachat3" | "pythonic" => "",
        "code-assistant-caret" => "",
        _ => "\n",
    }
}

/// A message up to the first byte of a value, without a closer.
pub fn open_value(dialect: &Dialect) -> String {
    Written::of(dialect).up_to_value("content")
}

/// A value's closer without its last byte.
pub fn half_closer(dialect: &Dialect) -> String {
    let [_, _, _, mut close, _, _] = parts(dialect, "read_file", "content");
    if close.len() > 1 {
        close.pop();
    }
    close
}

/// The first tag of a call.
pub fn opener(dialect: &Dialect) -> String {
    let whole = parts(dialect, "read_file", "")[..2].concat();
    let end = whole.find('>').filter(|_| whole.starts_with('<'));
    let end = end.map_or(whole.len(), |end| end + 1);
    whole[..end].to_string()
}

/// Whether the dialect's arguments are JSON.
pub fn speaks_json(dialect: &Dialect) -> bool {
    Written::of(dialect).json
}

/// An ordinary message: reasoning, prose, code that looks like markers, and calls.
pub fn session(dialect: &Dialect) -> String {
    let call =
        write(dialect, &(prose(900) + "</content> </param:content> </parameters>" + &code(600)));
    let reasoning = "<think>\nIs a < b here? Let me see: </thin\n</think>\n";
    format!(
        "{reasoning}{}\n{call}{}\n`<read_file>` it is: </thinker>\n{call}",
        prose(300),
        code(300)
    )
}

/// A text that invites a parser to work too much: `head` once, then `unit` again and again.
#[derive(Clone, Debug)]
pub struct Hostile {
    pub name: &'static str,
    head: String,
    unit: String,
}

impl Hostile {
    /// At least `len` bytes of it, in whole units.
    pub fn text(&self, len: usize) -> String {
        self.head.clone() + &self.unit.repeat(len.div_ceil(self.unit.len()))
    }
}

/// The hostile texts, written for one dialect.
pub fn hostile(dialect: &Dialect) -> Vec<Hostile> {
    let wire = Written::of(dialect);
    let [_, call, path, path_end, call_end, _] = wire.parts("read_file", "path");
    let [_, _, open, close, _, _] = wire.parts("read_file", "content");
    let blanks = " ".repeat(256);
    let words = "word ".repeat(51);
    let endless = |name, head: String, unit: &str| Hostile { name, head, unit: unit.into() };
    let text = |name, unit: String| Hostile { name, head: String::new(), unit };
    let value = |name, unit| Hostile { name, head: wire.up_to_value("content"), unit };
    let between = wire.up_to_value("path") + "a" + &path_end;
    let call_body = |name, unit: String| Hostile { name, head: between.clone(), unit };
    vec![
        text("less-than signs", "<".into()),
        text("half markers, every 4 bytes", "abc<".into()),
        text("half markers, every 16 bytes", "x".repeat(9) + &opener(dialect)[..7]),
        text("many calls", write(dialect, "a")),
        text("halves of <think>", "<think".into()),
        text("reasoning blocks", "\n<think>\n</think>".into()),
        text("call openers", call.clone()),
        text("call openers and blanks", call.clone() + &blanks[..255] + "x"),
        text("call openers and parameters", call.clone() + &path),
        text("call closers", call_end.clone()),
        text("tool tags without an end", "<tool:".into()),
        text("tool tags that end late", format!("<tool:{}", "n".repeat(127))),
        text("section openers", "<function_calls>".into()),
        text("section openers and blanks", "<function_calls>".to_string() + &blanks),
        text("tags that end late", format!("<invoke name=\"x\" {}", "y=1 ".repeat(125))),
        text("empty calls", call.clone() + &call_end),
        value("closers in a value", close.clone()),
        value("half closers in a value", half_closer(dialect)),
        value("closers and blanks in a value", close.clone() + &blanks),
        value("closers and blanks and a word", close.clone() + &blanks[..255] + "x"),
        value("closers and an element", format!("{close}<x>{words}</x>{blanks}")),
        value("closers and half an element", format!("{close}<x>{words}</")),
        value("closers and openers", close.clone() + &open),
        value("call closers in a value", call_end.clone()),
        value("parameter openers in a value", "<parameter name=\"".into()),
        value("line feeds in a value", "\n".into()),
        value("carriage returns in a value", "\r".into()),
        value("line breaks in a value", "\r\n".into()),
        Hostile {
            name: "search lines",
            head: wire.up_to_value("diff"),
            unit: "<<<<<<< SEARCH\n".into(),
        },
        Hostile {
            name: "half search lines",
            head: wire.up_to_value("diff"),
            unit: "\n<<<<<<< SEA".into(),
        },
        endless("an endless name", "<tool:".into(), "n"),
        endless("an endless tag", between.clone() + "<parameter name=\"x\"", " y=1"),
        endless("blanks after an opener", call.clone(), " "),
        endless("blanks after a closer", wire.up_to_value("content") + &close, " "),
        endless("words after a closer", wire.up_to_value("content") + &close + "<x>", "word "),
        endless("a string that never ends", wire.up_to_value("content") + "\\", "\\\""),
        text("blocks", "<tool_call>".into()),
        text("blocks and half a body", "<tool_call>\n<function=".into()),
        text("blocks and braces", "<tool_call>{".into()),
        text("blocks and names", "<tool_call>name\n".into()),
        text("blocks and blanks", "<tool_call>".to_string() + &blanks),
        text("results", "<tool_call>{}</tool_call>\n<tool_response>".into()),
        text("boundary tokens", "<|im_end|>".into()),
        value("quotes in a value", "\"".into()),
        value("members in a value", "\", \"a\": \"b".into()),
        value("brackets after a value", "\", [[".into()),
        value("blocks in a value", "</tool_call><tool_call>".into()),
        text("line feeds", "\n".into()),
        text("lines that begin like keywords", "A\n".into()),
        text("halves of keywords", "Action Inp\n".into()),
        text("keyword lines", "Action:\n".into()),
        text("leads", "> **_ ".repeat(5) + "\n"),
        text("leads and halves of keywords", "> **_ ".repeat(5) + "Action                :**_\n"),
        text("actions and names", format!("Action: {}\n", "name ".repeat(50))),
        text("actions and blanks", format!("Action: read\n{blanks}\n")),
        text("questions", format!("Question: {}\n", "why ".repeat(60))),
        text("questions and blanks", "Question: why\n".to_string() + &"\n".repeat(255)),
        text("fences", "```json\n".into()),
        text("inputs", "Action Input: {}\n".into()),
        text("steps", "Action: read_file\nAction Input: a\n".into()),
        endless("an endless info word", "```".into(), "x"),
        endless("an endless name on a line", "Action: ".into(), "n"),
        endless("an endless half keyword", "Action".into(), " "),
        endless("an answer", "Final Answer: ".into(), "```\nThought: x\n"),
        endless("a thought", "Thought: ".into(), "\nObserv"),
        endless("plain input", "Action: read_file\nAction Input: ".into(), "\n Observ"),
        endless("white space in plain input", "Action: read_file\nAction Input: a".into(), "\n"),
        endless("brackets in plain input", "Action: read_file[".into(), "]  "),
        endless(
            "an invented result",
            "Action: read_file\nAction Input: {}\nObservation: ".into(),
            "\nThought: x",
        ),
        call_body("words between parameters", "words ".into()),
        call_body("tags between parameters", "<b></b>".into()),
        call_body("the same parameter", path + "a" + &path_end),
    ]
}
