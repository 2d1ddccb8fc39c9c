//! What is measured: plain text, one big value, an ordinary message, and text that is slow on
//! purpose.
#![allow(dead_code, reason = "each test and bench uses a part")]

use toolstream::{Dialect, Param, Parser, Tool};

/// A parser without a limit: a measurement has to read to the end.
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

/// `text` in pieces of `size` bytes, or of a few more where that would cut a character.
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

/// Every dialect, with what begins a text in it.
pub fn text_openings() -> impl Iterator<Item = (&'static Dialect, &'static str)> {
    Dialect::ALL.iter().map(|dialect| (dialect, opening(dialect)))
}

/// What begins a text: a stream may begin in a header.
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

/// How a dialect writes its calls: what stands before and after, with `@` for a name.
struct Written {
    section: [&'static str; 2],
    call: [&'static str; 2],
    param: [&'static str; 2],
    /// Between two parameters.
    comma: &'static str,
    /// A line break at both ends of a value, where it is no part of it.
    framing: &'static str,
    /// What of a parameter's tags is handed out with its value, at both ends: a literal is read whole.
    quotes: &'static str,
    /// The arguments are JSON.
    json: bool,
}

/// Tags with line breaks wherever they are allowed.
const TAGS: Written = Written {
    section: ["", ""],
    call: ["<@>\n", "\n</@>"],
    param: ["<@>", "</@>"],
    comma: "\n",
    framing: "\n",
    quotes: "",
    json: false,
};

/// Python calls in this section.
fn python(section: [&'static str; 2], call: [&'static str; 2]) -> Written {
    let param = ["@=\"", "\""];
    Written { section, call, param, comma: ", ", framing: "", quotes: "\"", ..TAGS }
}

/// Invocations in this section.
fn invoke(section: [&'static str; 2]) -> Written {
    Written {
        section,
        call: ["<invoke name=\"@\">\n", "\n</invoke>"],
        param: ["<parameter name=\"@\">", "</parameter>"],
        ..TAGS
    }
}

/// A call as one JSON object.
const JSON_CALL: [&str; 2] = ["{\"name\": \"@\", \"arguments\": {", "}}"];

/// Arguments as JSON objects.
fn objects(section: [&'static str; 2], call: [&'static str; 2]) -> Written {
    Written { section, call, ..OBJECT }
}

/// The members of a JSON object.
const OBJECT: Written = Written {
    section: ["", ""],
    call: ["{", "}"],
    param: ["\"@\": \"", "\""],
    comma: ", ",
    framing: "",
    quotes: "",
    json: true,
};

impl Written {
    fn of(dialect: &Dialect) -> Written {
        let block = ["<tool_call>\n", "\n</tool_call>"];
        match dialect.name() {
            "cline" => TAGS,
            "code-assistant" => Written {
                call: ["<tool:@>\n", "\n</tool:@>"],
                param: ["<param:@>", "</param:@>"],
                ..TAGS
            },
            "invoke" => invoke(["<function_calls>\n", "\n</function_calls>"]),
            "hermes" => Written {
                section: block,
                call: ["{\"name\": \"@\", \"arguments\": {", "}}"],
                ..OBJECT
            },
            "qwen3-coder" | "tool-call" => Written {
                section: block,
                call: ["<function=@>\n", "\n</function>"],
                param: ["<parameter=@>", "</parameter>"],
                ..TAGS
            },
            "glm" => Written {
                call: ["<tool_call>@\n", "\n</tool_call>"],
                param: ["<arg_key>@</arg_key>\n<arg_value>", "</arg_value>"],
                framing: "",
                ..TAGS
            },
            "react" => Written { call: ["Action: @\nAction Input: {", "}\n"], ..OBJECT },
            "kimi-k2" => Written {
                section: ["<|tool_calls_section_begin|>", "<|tool_calls_section_end|>"],
                call: [
                    "<|tool_call_begin|>functions.@:0<|tool_call_argument_begin|>{",
                    "}<|tool_call_end|>",
                ],
                ..OBJECT
            },
            "harmony" => Written {
                call: [
                    "<|start|>assistant to=functions.@<|channel|>commentary json<|message|>{",
                    "}<|call|>",
                ],
                ..OBJECT
            },
            "deepseek-v3" | "deepseek-v31" => Written {
                section: ["<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>"],
                call: ["<｜tool▁call▁begin｜>@<｜tool▁sep｜>{", "}<｜tool▁call▁end｜>"],
                ..OBJECT
            },
            "solar-open" => Written {
                section: ["<|tool_calls|>", "<|calls|>"],
                call: [
                    "<|tool_call:begin|>call0<|tool_call:name|>@<|tool_call:args|>{",
                    "}<|tool_call:end|>",
                ],
                ..OBJECT
            },
            "plamo3" => Written {
                section: [
                    "<|plamo:begin_tool_requests:plamo|>",
                    "<|plamo:end_tool_requests:plamo|>",
                ],
                call: [
                    "<|plamo:begin_tool_request:plamo|><|plamo:begin_tool_name:plamo|>@\
                     <|plamo:end_tool_name:plamo|><|plamo:begin_tool_arguments:plamo|>\
                     <|plamo:msg|>{",
                    "}<|plamo:end_tool_arguments:plamo|><|plamo:end_tool_request:plamo|>",
                ],
                ..OBJECT
            },
            "mistral" => objects(["", ""], ["[TOOL_CALLS]@[ARGS]{", "}"]),
            "bare-json" => objects(["", ""], JSON_CALL),
            "llama3-json" => objects(["", ""], ["{\"name\": \"@\", \"parameters\": {", "}}"]),
            "command-r" => objects(
                ["<|START_ACTION|>[\n", "\n]<|END_ACTION|>"],
                ["{\"tool_call_id\": \"0\", \"tool_name\": \"@\", \"parameters\": {", "}}"],
            ),
            "granite" => objects(["<|tool_call|>[", "]"], JSON_CALL),
            "phi4" => objects(["functools[", "]"], JSON_CALL),
            "json-array" | "apriel" => objects(["<tool_calls>[", "]</tool_calls>"], JSON_CALL),
            "functionary" => objects(["", "\n"], [">>>@\n{", "}"]),
            "gigachat3" => objects(["<|function_call|>", ""], JSON_CALL),
            "inkling" => objects(
                ["<|message_model|>x<|content_invoke_tool_json|>", "<|end_message|>"],
                JSON_CALL,
            ),
            "minimax-m2" => Written {
                framing: "",
                ..invoke(["<minimax:tool_call>\n", "\n</minimax:tool_call>"])
            },
            "dots" => invoke(["<dots_function_call>\n", "\n</dots_function_call>"]),
            "deepseek-dsml" => Written {
                section: ["<｜DSML｜tool_calls>\n", "\n</｜DSML｜tool_calls>"],
                call: ["<｜DSML｜invoke name=\"@\">\n", "\n</｜DSML｜invoke>"],
                param: ["<｜DSML｜parameter name=\"@\" string=\"true\">", "</｜DSML｜parameter>"],
                framing: "",
                ..TAGS
            },
            "gigachat35" => Written {
                section: ["<｜GCML｜tool_calls>\n", "\n</｜GCML｜tool_calls>"],
                call: ["<｜GCML｜invoke name=\"@\">\n", "\n</｜GCML｜invoke>"],
                param: ["<｜GCML｜parameter name=\"@\" string=\"true\">", "</｜GCML｜parameter>"],
                framing: "",
                ..TAGS
            },
            "step3" => Written {
                section: ["<｜tool_calls_begin｜>\n", "\n<｜tool_calls_end｜>"],
                call: [
                    "<｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name=\"@\">\n",
                    "\n</steptml:invoke><｜tool_call_end｜>",
                ],
                param: ["<steptml:parameter name=\"@\">", "</steptml:parameter>"],
                ..TAGS
            },
            "kimi-k3" => Written {
                section: ["<|open|>tools<|sep|>", "<|close|>tools<|sep|>"],
                call: ["<|open|>call tool=\"@\" index=\"1\"<|sep|>", "<|close|>call<|sep|>"],
                param: [
                    "<|open|>argument key=\"@\" type=\"string\"<|sep|>",
                    "<|close|>argument<|sep|>",
                ],
                framing: "",
                ..TAGS
            },
            "minicpm5" => Written {
                call: ["<function name=\"@\">", "</function>"],
                param: ["<param name=\"@\">", "</param>"],
                framing: "",
                ..TAGS
            },
            "minimax-m3" => Written {
                section: ["]<]minimax[>[<tool_call>\n", "\n]<]minimax[>[</tool_call>"],
                call: ["]<]minimax[>[<invoke name=\"@\">\n", "\n]<]minimax[>[</invoke>"],
                param: ["]<]minimax[>[<@>", "]<]minimax[>[</@>"],
                framing: "",
                ..TAGS
            },
            "cohere-cofl" => Written {
                section: ["<cofl:tool_calls>\n", "\n</cofl:tool_calls>"],
                call: ["<cofl:tool_call id=\"0\" name=\"@\">\n", "\n</cofl:tool_call>"],
                param: ["<cofl:tool_param name=\"@\" string=\"true\">", "</cofl:tool_param>"],
                framing: "",
                ..TAGS
            },
            "muse" => Written {
                section: [
                    "<|start|>assistant to=a<|message|><atem:function_calls>\n",
                    "\n</atem:function_calls><|eom|>",
                ],
                call: ["<atem:invoke name=\"@\">\n", "\n</atem:invoke>"],
                param: ["<atem:parameter name=\"@\">", "</atem:parameter>"],
                framing: "",
                ..TAGS
            },
            "beam" => Written {
                call: [
                    "<|start|>assistant to=@<|channel|>analysis <|constrain|>xml<|message|>",
                    "<|call|>",
                ],
                param: ["<rfl:parameter name=\"@\">", "</rfl:parameter>"],
                ..TAGS
            },
            "seed-oss" => Written {
                section: ["<seed:tool_call>\n", "\n</seed:tool_call>"],
                call: ["<function=@>\n", "\n</function>"],
                param: ["<parameter=@>", "</parameter>"],
                framing: "",
                ..TAGS
            },
            "longcat" => Written {
                call: ["<longcat_tool_call>@\n", "\n</longcat_tool_call>"],
                param: [
                    "<longcat_arg_key>@</longcat_arg_key>\n<longcat_arg_value>",
                    "</longcat_arg_value>",
                ],
                framing: "",
                ..TAGS
            },
            "iquest-q1" => Written {
                call: ["<iquest_tool_call>@", "</iquest_tool_call>"],
                param: ["<arg_key>@</arg_key><arg_value>", "</arg_value>"],
                comma: "",
                framing: "",
                ..TAGS
            },
            "solar-open2" => Written {
                call: ["<|tool_call:start|>@\n", "\n<|tool_call:end|>"],
                param: ["<|tool_arg:start|>@<|tool_arg:value|>", "<|tool_arg:end|>"],
                framing: "",
                ..TAGS
            },
            "hunyuan" => Written {
                section: ["<tool_calls:x>\n", "\n</tool_calls:x>"],
                call: ["<tool_call:x>@<tool_sep:x>\n", "\n</tool_call:x>"],
                param: ["<arg_key:x>@</arg_key:x>\n<arg_value:x>", "</arg_value:x>"],
                framing: "",
                ..TAGS
            },
            "k2-horizon" => Written {
                section: ["<ifm|tool_calls>", "</ifm|tool_calls>"],
                call: ["<ifm|tool_call>@", "</ifm|tool_call>"],
                param: ["<ifm|arg_key>@</ifm|arg_key><ifm|arg_value>", "</ifm|arg_value>"],
                comma: "",
                framing: "",
                ..TAGS
            },
            "code-assistant-caret" => Written {
                call: ["^^^@\n", "^^^"],
                param: ["@ ---\n", "\n--- @\n"],
                comma: "",
                framing: "",
                ..TAGS
            },
            "gemma4" => Written {
                call: ["<|tool_call>call:@{", "}<tool_call|>"],
                param: ["@:<|\"|>", "<|\"|>"],
                comma: ",",
                framing: "",
                quotes: "<|\"|>",
                ..TAGS
            },
            "functiongemma" => Written {
                call: ["<start_function_call>call:@{", "}<end_function_call>"],
                param: ["@:<escape>", "<escape>"],
                comma: ",",
                framing: "",
                quotes: "<escape>",
                ..TAGS
            },
            "pythonic" => python(["<|python_start|>", "<|python_end|>"], ["[@(", ")]"]),
            "lfm2" => python(["<|tool_call_start|>", "<|tool_call_end|>"], ["[@(", ")]"]),
            "olmo3" => python(["<function_calls>\n", "\n</function_calls>"], ["@(", ")"]),
            other => panic!("say here how {other} writes its calls"),
        }
    }

    fn call(&self, name: &str) -> [String; 2] {
        self.call.map(|tag| tag.replace('@', name))
    }

    fn param(&self, name: &str) -> [String; 2] {
        self.param.map(|tag| tag.replace('@', name))
    }

    fn value(&self, value: &str) -> String {
        match self.json || self.quotes == "\"" {
            true => value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"),
            false => value.to_string(),
        }
    }

    /// A section that is open at its first value.
    fn up_to_value(&self, param: &str) -> String {
        self.section[0].to_string() + &self.call("write_to_file")[0] + &self.param(param)[0]
    }
}

/// The file that [`write`] writes.
const PATH: &str = "src/lib.rs";

/// A message that writes a file: one call, with `content` as its value.
pub fn write(dialect: &Dialect, content: &str) -> String {
    let wire = Written::of(dialect);
    let ([section, end], [call, call_end]) = (wire.section, wire.call("write_to_file"));
    let ([path, path_end], [open, close]) = (wire.param("path"), wire.param("content"));
    let (comma, framing, content) = (wire.comma, wire.framing, wire.value(content));
    format!(
        "{section}{call}{path}{PATH}{path_end}{comma}\
         {open}{framing}{content}{framing}{close}{call_end}{end}\n"
    )
}

/// The shortest message with a call: `read_file`, of this path.
pub fn read(dialect: &Dialect, path: &str) -> String {
    call(dialect, "read_file", &[("path", path)])
}

/// A message that is a call of this tool.
pub fn call(dialect: &Dialect, tool: &str, params: &[(&str, &str)]) -> String {
    let wire = Written::of(dialect);
    let ([section, end], [call, call_end]) = (wire.section, wire.call(tool));
    let param = |(key, value): &(&str, &str)| wire.param(key).join(&wire.value(value));
    let params: Vec<String> = params.iter().map(param).collect();
    format!("{section}{call}{}{call_end}{end}", params.join(wire.comma))
}

/// What a call is written with, in order: what begins and ends a section, a call and a parameter.
pub fn parts(dialect: &Dialect, tool: &str, param: &str) -> [String; 6] {
    let wire = Written::of(dialect);
    let ([call, call_end], [open, close]) = (wire.call(tool), wire.param(param));
    let [section, end] = wire.section.map(String::from);
    [section, call, open, close, call_end, end]
}

/// What stands between two parameters.
pub fn comma(dialect: &Dialect) -> &'static str {
    Written::of(dialect).comma
}

/// A value as it stands between [`parts`].
pub fn escaped(dialect: &Dialect, value: &str) -> String {
    Written::of(dialect).value(value)
}

/// A message whose call has these members as its arguments, in a dialect that speaks JSON.
pub fn write_members(dialect: &Dialect, members: &str) -> String {
    let wire = Written::of(dialect);
    let ([section, end], [call, call_end]) = (wire.section, wire.call("write_to_file"));
    format!("{section}{call}{members}{call_end}{end}\n")
}

/// What a parser hands out of [`write`]: its values, or the JSON text of its arguments.
pub fn written(dialect: &Dialect, content: &str) -> String {
    let wire = Written::of(dialect);
    match wire.json {
        true => format!("{{\"path\": \"{PATH}\", \"content\": \"{}\"}}", wire.value(content)),
        false => [PATH, &wire.value(content)]
            .map(|value| [wire.quotes, value, wire.quotes].concat())
            .concat(),
    }
}

/// What of the line break at the end of [`write`] is text: nothing where another message, another
/// call of the section or a call at the start of a line may follow.
pub fn after_call(dialect: &Dialect) -> &'static str {
    match dialect.name() {
        "harmony" | "beam" | "functionary" => "",
        "mistral" | "llama3-json" | "bare-json" | "granite" | "phi4" | "gigachat3" => "",
        "code-assistant-caret" => "",
        _ => "\n",
    }
}

/// A message up to the first byte of a value, which nobody closes.
pub fn open_value(dialect: &Dialect) -> String {
    Written::of(dialect).up_to_value("content")
}

/// A value's closer without its last byte.
pub fn half_closer(dialect: &Dialect) -> String {
    let [_, mut close] = Written::of(dialect).param("content");
    if close.len() > 1 {
        close.pop();
    }
    close
}

/// The first tag of a call.
pub fn opener(dialect: &Dialect) -> String {
    let wire = Written::of(dialect);
    let whole = wire.section[0].to_string() + &wire.call("read_file")[0];
    let end = whole.find('>').filter(|_| whole.starts_with('<'));
    let end = end.map_or(whole.len(), |end| end + 1);
    whole[..end].to_string()
}

/// Whether the dialect's arguments are JSON.
pub fn speaks_json(dialect: &Dialect) -> bool {
    Written::of(dialect).json
}

/// Whether the name of a call may come after its arguments.
pub fn names_late(dialect: &Dialect) -> bool {
    speaks_json(dialect) && Written::of(dialect).section[0] == "<tool_call>\n"
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

/// A text that invites a parser to do too much: `head` once, then `unit` again and again.
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
    let [call, call_end] = wire.call("read_file");
    let [path, path_end] = wire.param("path");
    let [open, close] = wire.param("content");
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
