//! The soup for ReAct: right and nearly right keyword lines, names, inputs, fences, reasoning blocks, and texts that models
//! invent, in lines that are cut anywhere.

use super::soup::Choices;
use toolstream::{
    Param, Tool,
    options::{CallsInReasoning, Fences, LimitOn, Options, Recoveries, Start},
    tools::Type,
};

const LEADS: &[&str] = &[
    "",
    "",
    "",
    "",
    "",
    " ",
    "\t",
    "**",
    "*",
    "_",
    "`",
    "### ",
    "> ",
    "> **_",
    "** ",
    "```",
    "# > *_`# > *_`# > *_`# > *_`# > ",
    "                                 ",
];

const WORDS: &[&str] = &[
    "Thought",
    "Thought",
    "Action",
    "Action",
    "Action",
    "Action Input",
    "Action Input",
    "Action Input",
    "Observation",
    "Question",
    "Final Answer",
    "thought",
    "ACTION",
    "action_input",
    "ActionInput",
    "Action  -_ Input",
    "Action 2",
    "Action 2 Input 3",
    "Thought 12345",
    "Thought 1 ",
    "FINAL-ANSWER",
    "Answer",
    "Actionable",
    "Thoughtful",
    "Observ",
    "Ob",
    "Action Inp",
    "Final",
];

const COLONS: &[&str] = &[
    ":", ":", ":", ":", ":", ":", ":", ": ", "\u{ff1a}", " :", "**:", ":**", " ** :", "*:", "_:",
    "`:", ":`", "_**:", ":_**", ":*", "", " ",
];

const NAMES: &[&str] = &[
    " read",
    " read",
    " clock",
    " save",
    " read_file",
    "wait",
    " `read`",
    " **clock** ",
    " \"save\"",
    " [read]",
    " clock()",
    " read (a note)",
    " clock(note) ",
    " read (a",
    " read({",
    " `save` ({\"path\": \"a\"",
    " read ({\"path\": \"]\"}) x",
    " read[",
    " read[a]",
    " save[x] ",
    " clock[]",
    " other[x]",
    " other",
    " other thing (x)",
    " read the docs",
    " None",
    " None (direct)",
    " n/a.",
    " No tool is needed",
    " no action",
    " nothings",
    " re",
    " read_f",
    " rég 🦀",
    " ()",
    " ``",
    " ",
    " read:",
    " clock ,",
    " `save`,",
    " \"clock:\"",
    " clock(),",
    " wait::",
    " clock: (a note)",
    " clock (a note):",
    " clock now",
    " clock\t",
    " clock  ",
    " other:",
];

const INPUTS: &[&str] = &[
    " {}",
    " {\"path\": \"a\"}",
    "{\"path\": \"a\", \"b\": [1, {}]} ",
    "{\"path\": \"x\nObservation: y\nThought: z\"}",
    " {'path': 'a}', `b`: \"\"\"}\"\"\"} // }",
    " {\"path\": /* } */ \"a\"}, and so on",
    " {\"path\": \"a\"}}",
    " {\"path\": \"a",
    " **{\"path\": 1}**",
    "`{}`",
    " *********{}",
    " ```json\n{\"path\": \"a\"}\n```",
    "\n```\n{}\n\n  ```  \n",
    " ```JSON5\n\n{}```",
    "\n```\nThought: inside\n```",
    " ```python\nAction: clock\n```\n",
    " ```json {} ```",
    " plain text",
    "\n  plain\n  lines ",
    " \"quoted\"",
    " \"{\\\"path\\\": 1}\"",
    " [1, 2]",
    " 42",
    " None",
    " ()",
    " a]",
    "",
];

const PIECES: &[&str] = &[
    "prose ",
    "Action: ",
    "a < b",
    "é",
    "🦀",
    "\u{ff1a}",
    "\0",
    "]",
    "]  ",
    "[",
    "{",
    "}",
    "\"",
    "'",
    "`",
    "*",
    ":",
    "<think>",
    "</think>",
    "<thinking>",
    "</thinking>",
    "</thin",
    "\n<think>",
    "</think>\n",
    "\n```\n",
    "\n```json\n",
    "\n   ```  \n",
    "\n````\n",
    "    ```\n",
    "```",
    " ",
    "\t",
    "\r",
    "\n",
    "\n\n",
    "\r\n",
    "\n \t\n",
];

/// Correct steps, so that the soup also comes after them.
const WHOLE: &[&str] = &[
    "Thought: t\n",
    "Action: read\nAction Input: {\"path\": \"a\"}\n",
    "Action: read\nAction Input: plain text\n",
    "Action: clock\n",
    "Action: other\nAction Input: x\n",
    "Action: read[a]\n",
    "Observation: o\n",
    "Question: q\n",
    "Question: q\nThought: t\n",
    "Final Answer: a\n",
    "```\nThought: t\n",
    "```\nAction: read\nAction Input: x\n```\n",
    "<think>r</think>",
    "Action: None\n",
    "Action:\nAction Input: {}\n",
    "Action:\nread\n",
    "Action: wait\nAction Input: 3\n",
    "Action: save\nAction Input: x\n",
    "Action: clock now\n",
    "Action: wait,\nAction Input: {\"seconds\": 1}\n",
    "Action: None\nAction Input:\n```json\n{\"a\": 1}\n```\n",
];

/// Ends of a stream.
const ENDS: &[&str] = &[
    "Obs",
    "Observation",
    "**Observ",
    "Ob",
    "Action: read",
    "Action: read_fi",
    "Action: `read",
    "Action: clock",
    "Action: read (",
    "Action: clock\nA",
    "Action: clock\n\nAction 1 Inp",
    "Action: clock\n**",
    "Action: other\nAction Input",
    "Action:",
    "Action: None",
    "Action: read\nAction Input: {\"path\": \"a\"",
    "Action: read\nAction Input: ```json\n",
    "Action: read\nAction Input: x\nObservat",
    "Action: read\nAction Input:\nObserv",
    "Action: read[a",
    "Action: read[a]\nObservation",
    "Action: clock\nQuestion: q",
    "Final Answer",
    "Thought",
    "Action: wait",
    "Action: clock ",
    "Action: clock\t",
    "Action: `clock` ",
    "Action: clock now",
    "Action: clock:",
    "Action: clock\n",
    "Action: clock\n**",
    "Action: read\nAction Input:",
    "Action: other\nAction Input:\n ",
    "Action: wait\nAction Input: ",
    "Action: read\nAction Input: x\nAction: clock",
    "Action: read\nAction Input: x\nAction: None",
    "Action: read\nAction Input: x\nAction: read[",
    "Action: clock\nAction Input:\nThought: x",
    "```\nAction: read\nAction Input: x\n```",
];

/// Makes tools, options and a text from the rest of the choices.
pub fn case(choices: &mut Choices<'_>) -> (Vec<Tool>, Options, String) {
    let (tools, options) = (tools(choices), options(choices));
    let lost = choices.of(&[0, 0, 0, 0, 0, 0, 1, 2, 3, 5, 7, 11]);
    let mut text = String::new();
    let end = choices.of(&[false, false, true]).then(|| choices.of(ENDS));
    while choices.are_left() {
        piece(choices, &mut text);
    }
    if let Some(end) = end {
        text.push('\n');
        text.push_str(end);
    }
    // A stream may end anywhere, preferably inside a keyword or a name.
    for _ in 0..lost {
        text.pop();
    }
    (tools, options, text)
}

fn tools(choices: &mut Choices<'_>) -> Vec<Tool> {
    let number = Param::optional("seconds").with(Type::Integer);
    let mut all = vec![
        Tool::new("read").param(Param::required("path").with(Type::String)),
        Tool::new("read_file")
            .param(Param::required("path").with(Type::String))
            .param(number.clone()),
        Tool::new("clock"),
        Tool::new("wait").param(number),
        Tool::new("save").param(Param::required("path")).param(Param::required("b")),
        Tool::new("clock now"),
        Tool::new("None"),
    ];
    all.truncate(choices.of(&[5, 5, 6, 6, 6, 7, 1, 0]));
    all
}

fn options(choices: &mut Choices<'_>) -> Options {
    let mut options = Options::default();
    options.tool_limit = choices.of(&[None, None, None, Some(1), Some(1), Some(2)]);
    options.limit_on =
        choices.of(&[LimitOn::ToolStart, LimitOn::ToolStart, LimitOn::TextAfterTool]);
    options.start = choices.of(&[Start::Text, Start::Text, Start::Text, Start::Reasoning]);
    options.calls_in_reasoning =
        choices.of(&[None, Some(CallsInReasoning::Ignore), Some(CallsInReasoning::Extract)]);
    options.fences = choices.of(&[Fences::Parse, Fences::Parse, Fences::Quote]);
    options.implicit_thought = choices.of(&[false, false, false, true]);
    options.recoveries = choices.of(&[Recoveries::Lenient, Recoveries::Strict]);
    if choices.of(&[false, false, true]) {
        options.answer_keywords = Some(vec!["Final Answer".into(), "Answer".into()]);
    }
    options
}

/// Writes the next piece of text.
fn piece(choices: &mut Choices<'_>, text: &mut String) {
    match choices.below(16) {
        0..=3 => line(choices, text, WORDS),
        4..=5 => line(choices, text, &["Action"]),
        6..=7 => line(choices, text, &["Action Input"]),
        8..=10 => text.push_str(choices.of(WHOLE)),
        11..=14 => text.push_str(choices.of(PIECES)),
        _ => long(choices, text),
    }
}

fn line(choices: &mut Choices<'_>, text: &mut String, words: &[&str]) {
    let breaks = choices.of(&["", "", "", "", "\n", "\r\n", "\n\n", "x"]);
    // The line mostly begins at the start of a line.
    if !text.is_empty() && !text.ends_with(['\n', '>']) {
        text.push_str(choices.of(&["\n", "\n", "\n", "\r\n", "\n \n", ""]));
    }
    let word = choices.of(words);
    text.push_str(choices.of(LEADS));
    text.push_str(word);
    text.push_str(choices.of(COLONS));
    match word.len() {
        6 | 8 => text.push_str(choices.of(NAMES)),
        _ => text.push_str(choices.of(INPUTS)),
    }
    text.push_str(breaks);
}

/// Writes a run that may cross a bound.
fn long(choices: &mut Choices<'_>, text: &mut String) {
    let of = choices.of(&[" ", " ", "\n", "\r\n", "x", "`", "*"]);
    let count = choices.of(&[3, 8, 9, 15, 16, 17, 31, 32, 33, 120, 128, 254, 255, 256, 257, 300]);
    text.push_str(&of.repeat(count));
}
