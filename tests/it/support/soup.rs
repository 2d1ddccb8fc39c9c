//! A soup of markers, names, white space, characters and prose: text that is malicious on purpose.
//!
//! Bytes are read as choices, so the same code serves a fuzzer (which learns which bytes matter),
//! proptest and a plain seeded loop.

use super::{markers, react_soup};
use toolstream::check::Ended;
use toolstream::{
    Dialect, Param, Parser, Tool,
    options::{CallsInReasoning, Fences, LimitOn, Options, Recoveries, Start, ValueWhitespace},
    tools::Type,
};

/// A parser to build, and its input.
#[derive(Clone, Debug)]
pub struct Case {
    pub dialect: Dialect,
    pub tools: Vec<Tool>,
    pub options: Options,
    pub ended: Ended,
    pub text: String,
    pub cuts: Cuts,
}

impl Case {
    pub fn parser(&self) -> Parser {
        let builder = Parser::builder(&self.dialect).tools(self.tools.clone());
        builder.options(self.options.clone()).build().expect("the soup's tools are well named")
    }
}

/// Reads choices from a byte string. Behind its end, they are zeros.
pub struct Choices<'a>(std::slice::Iter<'a, u8>);

impl<'a> Choices<'a> {
    pub fn new(data: &'a [u8]) -> Self {
        Choices(data.iter())
    }

    pub fn are_left(&self) -> bool {
        self.0.len() > 0
    }

    pub fn below(&mut self, count: usize) -> usize {
        self.0.next().map_or(0, |byte| *byte as usize % count)
    }

    pub fn of<T: Clone>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())].clone()
    }

    pub fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 1
    }
}

pub fn tools() -> Vec<Tool> {
    vec![
        Tool::new("read").param(Param::required("path").with(Type::String)),
        Tool::new("write")
            .param(Param::required("path").with(Type::String))
            .param(Param::required("content").with(Type::String))
            .param(Param::optional("read").with(Type::String)),
        Tool::new("edits")
            .param(Param::optional("diff").with(Type::String))
            .param(Param::optional("paths").with(Type::Array)),
        Tool::new("ré.d"),
    ]
}

/// Fragments with a meaning in every dialect.
const COMMON: &[&str] = &[
    "<think>",
    "</think>",
    "<thinking>",
    "</thinking>",
    "<",
    "</",
    ">",
    " ",
    "\n",
    "\r\n",
    "\t",
    "\r",
    "a < b",
    "prose ",
    "é",
    "🦀",
    "\0",
    "``",
    "```\n",
    "\n```xml\n",
    "~~~\n",
    "`",
    "<b>",
    "</b>",
    "<b>x</b>",
    "true",
    "<<<<<<< SEARCH\n",
    "=======\n",
    ">>>>>>> REPLACE\n",
    "=",
    "\"",
    "'",
    "['",
    // Letters beyond ASCII behind signs that are read a byte at a time.
    "\"é",
    "'é",
    "'l'été'",
    "['l'été'",
    "[é",
    "]é",
    "{é",
    "}é",
    "(é",
    ")é",
    "<é",
    ">é",
    ",é",
    ":é",
    "=é",
    "\\é",
    "`é",
];

const CLINE: &[&str] = &[
    "<read>",
    "</read>",
    "<write>",
    "</write>",
    "<edits>",
    "</edits>",
    "<ré.d>",
    "</ré.d>",
    "<path>",
    "</path>",
    "<content>",
    "</content>",
    "<diff>",
    "</diff>",
    "<paths>",
    "</paths>",
    "<read ",
    "<re",
    "<function_calls>",
    "</function_calls>",
    "</pa",
    "</cont",
    "<read>\n<path>a</path>\n</read>",
    "<write><path>p</path><content>\n",
    "\n</content></write>",
    "<path>x</path>",
    "<read><path>a</read>",
    "</read>\n<write><path>b</path></write>",
    "<path>a</path>\n<read>",
    "</path> and wait</read>",
    "</function_calls>\n",
];

const CODE_ASSISTANT: &[&str] = &[
    "<tool:read>",
    "</tool:read>",
    "<tool:write>",
    "</tool:write>",
    "<tool:edits>",
    "</tool:edits>",
    "<tool:other>",
    "</tool:other>",
    "<param:path>",
    "</param:path>",
    "<param:content>",
    "</param:content>",
    "<param:paths>",
    "</param:paths>",
    "</path>",
    "</content>",
    "<tool:",
    "<param:",
    "</tool:",
    "</param:",
    "<tool:r",
    "<tool:\"read\">",
    "<tool:'other'>",
    "<tool:\"",
    "<tool:read>\n<param:path>a</param:path>\n</tool:read>",
    "<tool:write><param:content>\n",
    "\n</param:content></tool:write>",
    "<tool:read><param:path>a</tool:read>",
    "</tool:read>\n<tool:edits></tool:edits>",
    "</param:path>\n<tool:read>",
    "</tool:read> so.",
];

const INVOKE: &[&str] = &[
    "<function_calls>",
    "</function_calls>",
    "<minimax:tool_call>",
    "</minimax:tool_call>",
    "<invoke name=\"read\">",
    "<invoke name='write'>",
    "<invoke name=other>",
    "<invoke  name = \"read\" />",
    "</invoke>",
    "<parameter name=\"path\">",
    "<parameter name=content x=\"y\">",
    "</parameter>",
    "<parameter name=\"",
    "<invoke name",
    "<invoke",
    "</path>",
    "</content>",
    "</par",
    "</inv",
    "<function_calls>\n<invoke name=\"read\">\n<parameter name=\"path\">a</parameter>\n</invoke>\n</function_calls>",
    "<invoke name=\"read\">\n<parameter name=\"path\">",
    "<invoke name=\"read\"></invoke>",
    "<parameter name=\"path\">a</invoke>",
    "</invoke>\n</function_calls>\n",
    "</invoke>\n<invoke name=\"write\">",
    "</parameter>\n<invoke name=\"read\">",
    "</invoke> so.",
];

const HERMES: &[&str] = &[
    "<tool_call>",
    "</tool_call>",
    "<tool_response>",
    "<|im_end|>",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "'",
    "/*",
    "*/",
    "//",
    "\\",
    "```json\n",
    "{\"name\": \"read\", ",
    "\"arguments\": ",
    "\"parameters\":",
    "\"name\":",
    "\"other\"",
    "{\"function\": ",
    "\"function\": \"write\"",
    "{\"path\": \"a\"}",
    "null",
    "12",
    "\"\"\"",
    "{\"n\\u0061me\": \"r\\u00e9.d\"}",
    "\\ud83e",
    "\\u00e9",
    "</tool",
    "<tool_call>{\"name\": \"read\", \"arguments\": {\"path\": \"a\"}}</tool_call>",
    "<tool_call>\n{\"arguments\": {\"path\": \"<b>\"}, \"name\": \"write\"}\n</tool_call>",
    "<tool_call>[{\"name\": \"read\"}, {\"name\": \"other\", \"args\": 3}]</tool_call>",
    "{name: \"read\", arguments: {}}",
    "{arguments: ",
    "name:",
    "\"name\": \"read\"}, ",
    "}, \"arguments\": {\"path\": \"a\"}",
    ", \"argum",
    "} 12",
    " \"x\"",
    "{\"name\": \" read\\n\"}",
    "{\"name\": 3, ",
    "</tool_call>\n</tool_call>\n<tool_response>",
];

const QWEN3_CODER: &[&str] = &[
    "<tool_call>",
    "</tool_call>",
    "<tool_response>",
    "<|im_end|>",
    "<function=read>",
    "<function='write'>",
    "<function=other>",
    "<function=read",
    "</function>",
    "<parameter=path>",
    "<parameter=content>",
    "<parameter= \"read\">",
    "<parameter=x=",
    "</parameter>",
    "<write>",
    "\n<parameter=path>",
    "</func",
    "</par",
    "<tool_call>\n<function=read>\n<parameter=path>\na\n</parameter>\n</function>\n</tool_call>",
    "<tool_call><function=write><parameter=content>\n",
    "\n</parameter></function></tool_call>",
    "<parameter name=\"path\">",
    "<parameter name=content>",
    "<function=read/>",
    "<function=\"write\" />",
    "{\"path\": \"a\"}",
    "<tool_call><function=read>{",
    "}",
    "a<parameter=content>b",
    "</function>\n</tool_call>\n<tool_call>\n<function=write>",
    "</function>\n<function=read>",
    "</function></tool_call><|im_end|>",
    "<function=read></function>",
    "</function> so.",
    "</think>",
];

const GLM: &[&str] = &[
    "<tool_call>",
    "</tool_call>",
    "<tool_response>",
    "<|observation|>",
    "<tool_call>read",
    "<tool_call>write\n",
    "<tool_call>other",
    "<arg_key>",
    "</arg_key>",
    "<arg_value>",
    "</arg_value>",
    "<arg_key>path</arg_key>",
    "<arg_key>content</arg_key><arg_value>",
    "<arg_key></arg_key>",
    "{\"path\": \"a\"}",
    "{",
    "}",
    "</arg",
    "read",
    "<tool_call>read\n<arg_key>path</arg_key>\n<arg_value>a</arg_value>\n</tool_call>",
    "<|role_end|>",
    "<arg_key>path<arg_value>",
    "<arg_key> </arg_key>",
    "a<arg_key>content</arg_key>b",
    "<arg_value>a</tool_call>",
    "<tool_call>readpath</arg_key>",
    "\ncontent</arg_key>",
    "path </arg_key>\n",
    "<arg_key>path</arg_key>\na</arg_value>",
    "<arg_key><arg_key>content</arg_key>",
    "</tool_call>\n<tool_call>write<arg_key>",
    "</tool_call> so.",
];

/// All three bodies behind one opener.
const TOOL_CALL: &[&str] = &[
    "<tool_call>",
    "</tool_call>",
    "<tool_call>\n{\"name\": \"read\"}",
    "{\"name\": \"write\", \"arguments\": {}}",
    "<function=read>",
    "<function=other>",
    "</function>",
    "<parameter=path>",
    "</parameter>",
    "<tool_call>read",
    "<arg_key>path</arg_key>",
    "<arg_value>",
    "</arg_value>",
    "{",
    "}",
    "\"",
    "<tool_response>",
    "<|user|>",
    "<tool_call><function=write><parameter=content>",
    "</parameter></function></tool_call>",
    "<write>",
    "<|role_end|>",
    "<function=read/>",
    "<function=read>{\"path\": ",
    "{name: \"read\"}, \"arguments\": ",
    "<arg_key>path<arg_value>",
    "</tool_call>\n<tool_call>\n<function=write>",
    "</tool_call>\n<tool_call>read</tool_call>",
    "<parameter name=path>",
];

/// The dialects of the slow twins in `oracle`.
pub const TWINNED: [Dialect; 8] = [
    Dialect::CLINE,
    Dialect::CODE_ASSISTANT,
    Dialect::INVOKE,
    Dialect::HERMES,
    Dialect::QWEN3_CODER,
    Dialect::GLM,
    Dialect::TOOL_CALL,
    Dialect::REACT,
];

/// Reads a text behind a line of JSON that has its dialect and its tools. Corpora of real texts have this form (see
/// `tests/it/fuzz_corpora.rs`). `None`: the byte string has another form.
pub fn raw(data: &[u8]) -> Option<Case> {
    let end = data
        .starts_with(b"{\"dialect\"")
        .then(|| data.iter().position(|byte| *byte == b'\n'))??;
    let head: serde_json::Value = serde_json::from_slice(&data[..end]).ok()?;
    let dialect = Dialect::by_name(head["dialect"].as_str()?).ok()?;
    let tools = Tool::list_from_json(&head["tools"]).ok()?;
    let (mut options, ended) = (Options::default(), Ended::Stop);
    options.tool_limit = None;
    Parser::builder(&dialect).tools(tools.clone()).build().ok()?;
    let text = String::from_utf8_lossy(&data[end + 1..]).into_owned();
    let cuts = cuts(&[64, 131, 200], text.len());
    Some(Case { dialect, tools, options, ended, text, cuts })
}

/// Makes a case from a byte string, in any dialect.
pub fn case(data: &[u8]) -> Case {
    let mut choices = Choices::new(data);
    match choices.one_in(4) {
        true => twinned_case(choices),
        false => {
            let (dialect, own) = &markers::all()[choices.below(Dialect::ALL.len())];
            case_of(dialect.clone(), choices, |choices| {
                // Some dialects have more pieces than a byte can count.
                let which = choices.below(256) << 8 | choices.below(256);
                own[which % own.len()].clone()
            })
        }
    }
}

/// Makes a case in a dialect that has a slow twin, from pieces that were chosen by hand.
pub fn twinned(data: &[u8]) -> Case {
    twinned_case(Choices::new(data))
}

fn twinned_case(mut choices: Choices<'_>) -> Case {
    let own: [(Dialect, &[&str]); 8] = [
        (Dialect::CLINE, CLINE),
        (Dialect::CODE_ASSISTANT, CODE_ASSISTANT),
        (Dialect::INVOKE, INVOKE),
        (Dialect::HERMES, HERMES),
        (Dialect::QWEN3_CODER, QWEN3_CODER),
        (Dialect::GLM, GLM),
        (Dialect::TOOL_CALL, TOOL_CALL),
        // The pieces of ReAct are lines, and `react_soup` has them.
        (Dialect::REACT, &[]),
    ];
    let (dialect, own) = choices.of(&own);
    match dialect == Dialect::REACT {
        true => react(dialect, &mut choices),
        false => case_of(dialect, choices, |choices| choices.of(own).to_string()),
    }
}

fn case_of(
    dialect: Dialect,
    mut choices: Choices<'_>,
    own: impl Fn(&mut Choices<'_>) -> String,
) -> Case {
    let options = options(&mut choices);
    let ended = ended(&mut choices);
    let cut_bytes = cut_bytes(&mut choices);
    let lost = lost(&mut choices);
    let mut text = String::new();
    while choices.are_left() {
        match choices.below(16) {
            0..=8 => text.push_str(&own(&mut choices)),
            9..=14 => text.push_str(choices.of(COMMON)),
            _ => long(&mut choices, &mut text),
        }
    }
    // A stream may end anywhere, preferably inside a marker.
    for _ in 0..lost {
        text.pop();
    }
    let cuts = cuts(&cut_bytes, text.len());
    Case { dialect, tools: tools(), options, ended, text, cuts }
}

fn react(dialect: Dialect, choices: &mut Choices<'_>) -> Case {
    let ended = ended(choices);
    let cut_bytes = cut_bytes(choices);
    let (tools, options, text) = react_soup::case(choices);
    let cuts = cuts(&cut_bytes, text.len());
    Case { dialect, tools, options, ended, text, cuts }
}

/// Chooses the end of the stream.
pub fn ended(choices: &mut Choices<'_>) -> Ended {
    choices.of(&[Ended::Stop, Ended::Stop, Ended::Cut])
}

/// Chooses the cuts, in 256ths of the text.
pub fn cut_bytes(choices: &mut Choices<'_>) -> Vec<usize> {
    (0..choices.below(6)).map(|_| choices.below(256)).collect()
}

/// Chooses the number of characters that the text loses at its end.
pub fn lost(choices: &mut Choices<'_>) -> usize {
    choices.of(&[0, 0, 0, 1, 2, 3, 5, 7, 11, 14])
}

/// Writes a run that may cross a bound.
pub fn long(choices: &mut Choices<'_>, text: &mut String) {
    let of = choices.of(&[" ", "\n", "x", "_", "é"]);
    let count = choices.of(&[2, 120, 127, 128, 129, 255, 256, 257, 500, 512]);
    text.push_str(&of.repeat(count / of.len()));
}

pub fn options(choices: &mut Choices<'_>) -> Options {
    let mut options = Options::default();
    options.tool_limit = choices.of(&[None, None, Some(1), Some(2)]);
    options.limit_on =
        choices.of(&[LimitOn::ToolStart, LimitOn::ToolStart, LimitOn::TextAfterTool]);
    options.start = choices.of(&[Start::Text, Start::Text, Start::Text, Start::Reasoning]);
    options.calls_in_reasoning =
        choices.of(&[None, Some(CallsInReasoning::Extract), Some(CallsInReasoning::Ignore)]);
    options.fences = choices.of(&[Fences::Parse, Fences::Parse, Fences::Quote]);
    options.value_whitespace = choices.of(&[
        ValueWhitespace::Default,
        ValueWhitespace::Default,
        ValueWhitespace::Verbatim,
    ]);
    options.recoveries =
        choices.of(&[Recoveries::Lenient, Recoveries::Lenient, Recoveries::Strict]);
    options
}

/// The offsets at which a text is cut.
pub type Cuts = Vec<usize>;

/// Returns the cuts of a text of `len` bytes.
pub fn cuts(bytes: &[usize], len: usize) -> Cuts {
    let mut cuts: Cuts = bytes.iter().map(|byte| byte * len / 256).filter(|at| *at > 0).collect();
    cuts.sort_unstable();
    cuts.dedup();
    cuts
}

/// Makes a byte string from a seed (xorshift), for plain loops.
pub fn seeded(seed: u64, len: usize) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u8
    };
    (0..len).map(|_| next()).collect()
}
