//! A host's dialect as a shape: a few lines, with the recoveries of built-in dialects.

use serde_json::{Value, json};
use toolstream::check::{self, Ended, every_cut};
use toolstream::{
    Dialect, Message, Param, Parser, Tool, diagnostic::DiagnosticKind, options::Fences, tools::Type,
};

use crate::support::calls::{self, Calls, complete};
use crate::support::events;
use crate::support::inputs::{self, Written};
use crate::support::soup::{self, Choices};

/// A call of `@@call NAME@@`, a line for each argument, and `@@end@@`.
const LINES: &str = r#"{
  "name": "lines",
  "call": "@@call {name}@@\n{arguments}@@end@@",
  "argument": "{key}={value}\n",
  "result": "@@result@@\n{content}\n@@end@@"
}"#;

/// A name as an attribute, and arguments as JSON.
const JSON: &str = r#"{"name": "json", "call": "<call name=\"{name}\">{arguments}</call>"}"#;

/// A list of JSON calls in a fence.
const FENCE: &str = r#"{
  "name": "fence",
  "section": "```tool_calls\n[{calls}]\n```",
  "call": "{\"name\": {name}, \"arguments\": {arguments}}"
}"#;

/// A tag whose attributes are the arguments.
const ATTRIBUTES: &str = r#"{
  "name": "attributes",
  "call": "<use tool=\"{name}\"{arguments}/>",
  "argument": " {key}=\"{value}\""
}"#;

/// A section of calls with parameters.
const SECTION: &str = r#"{
  "name": "section",
  "section": "[tools]\n{calls}\n[/tools]",
  "call": "[tool {name}]\n{arguments}[/tool]",
  "argument": "[arg {key}]{value}[/arg]\n",
  "tokens": ["<|eot|>"]
}"#;

/// A call with parameters between special tokens.
const SPECIAL: &str = r#"{
  "name": "special",
  "call": "<|call|>{name}{arguments}<|end|>",
  "argument": "<|key|>{key}<|value|>{value}<|stop|>",
  "reasoning": "<|think|>{reasoning}<|done|>",
  "special": true
}"#;

/// A call with a second notation.
const OTHER: &str = r#"{
  "name": "other",
  "call": "<do {name}>{arguments}</do>",
  "also": [{"call": "<run {name}>{arguments}</do>", "as": "malformed_tag"}]
}"#;

/// A call that may lack its first token, or both tokens before its name.
const LOST: &str = r#"{
  "name": "lost",
  "section": "<|calls|>{calls}<|done|>",
  "call": "<|call|><|name|>{name}<|args|>{arguments}<|end|>",
  "also": [
    {"call": "<|name|>{name}<|args|>{arguments}<|end|>", "as": "missing_opener"},
    {"call": "{name}<|args|>{arguments}<|end|>", "as": "missing_opener"}
  ],
  "special": true
}"#;

/// A marker before each key, and none behind the values.
const PIPES: &str = r#"{
  "name": "pipes",
  "call": "[[call: {name}{arguments} ]]",
  "argument": " | {key}={value}"
}"#;

/// Arrows between brackets, as one model writes them.
const ARROWS: &str = r#"{
  "name": "arrows",
  "call": "[TOOL_CALL]\n{tool => \"{name}\", args => {\n{arguments}}}\n[/TOOL_CALL]",
  "argument": "--{key} \"{value}\"\n"
}"#;

pub const ALL: [&str; 50] = [
    OTHER,
    LOST,
    PIPES,
    ARROWS,
    r#"{"name": "pipes_in_sections", "section": "<calls>{calls}</calls>", "call": "({name}{arguments})", "argument": "; {key}: {value}"}"#,
    r#"{"name": "double_colons", "call": "<do:{name}>{arguments}</do:{name}>", "argument": "::{key}= {value} ", "tokens": ["<|eot|>"]}"#,
    // A second notation of arguments one by one.
    r#"{"name": "other_arguments", "call": "<do {name}>{arguments}</do>", "argument": "<a {key}>{value}</a>", "also": [{"call": "<run {name}>{arguments}</do>"}]}"#,
    LINES,
    JSON,
    FENCE,
    ATTRIBUTES,
    SECTION,
    SPECIAL,
    // Tags with attributes.
    r#"{"name": "typed", "section": "<calls>{calls}</calls>", "call": "<do id=\"{id}\" name=\"{name_attribute}\">{arguments}</do>", "argument": "<arg name=\"{key_attribute}\" type=\"{type}\">{value}</arg>", "or": [{"call": "<do name=\"{name_attribute}\">{arguments}</do>"}, {"call": "{\"name\": {name}, \"arguments\": {arguments}}"}]}"#,
    r#"{"name": "lines_or_quotes", "call": "<do name=\"{name}\">{arguments}</do>", "argument": "<arg name=\"{key}\">{value}</arg>", "or": [{"call": "<do name=\"{name}\">{arguments}</do>", "argument": "<arg name=\"{key}\">\n{value}\n</arg>"}, {"call": "<run name=\"{name}\">{arguments}</run>", "argument": "<arg name=\"{key}\"><![CDATA[{value}]]></arg>"}]}"#,
    r#"{"name": "elements", "section": "<calls>{calls}</calls>", "call": "<do name=\"{name}\">{arguments}</do>", "element": "<{key}>{value}</{key}>", "special": true}"#,
    r#"{"name": "bare_elements", "call": "<do name=\"{name}\">{arguments}</do>", "element": "<{key}>{value}</{key}>", "special": true}"#,
    r#"{"name": "plain_elements", "section": "<calls>{calls}</calls>", "call": "<do name=\"{name}\">{arguments}</do>", "element": "<{key}>{value}</{key}>"}"#,
    r#"{"name": "beside_elements", "section": "<calls>{calls}</calls>", "call": "<do name=\"{name}\">{arguments}</do>", "argument": "<arg name=\"{key}\">{value}</arg>", "element": "<{key}>{value}</{key}>"}"#,
    r#"{"name": "untyped_elements", "section": "<calls>{calls}</calls>", "call": "<do name=\"{name}\">{arguments}</do>", "argument": "<arg name=\"{key}\">{value}</arg>", "element": "<value n=\"{key}\">{value}</value>"}"#,
    r#"{"name": "alike", "call": "<do tool=\"{name}\" to=\"{id}\">{arguments}</do>", "argument": "<arg title=\"{key}\" type=\"{type}\">{value}</arg>"}"#,
    r#"{"name": "tag_round_object", "section": "<calls>{calls}</calls>", "call": "<do name=\"{name}\">{arguments}</do>", "argument": "<arg name=\"{key}\">{value}</arg>", "or": [{"call": "<do name=\"{name}\"><json>{arguments}</json></do>"}]}"#,
    r#"{"name": "tokens", "section": "<|calls|>{calls}<|done|>", "call": "<|do|> name=\"{name}\" n=\"{number}\"<|to|>{arguments}<|od|>", "argument": "<|arg|> key=\"{key}\" type=\"{type}\"<|is|>{value}<|gra|>"}"#,
    r#"{"name": "typed_elements", "call": "<do name=\"{name}\">{arguments}</do>", "element": "<value name=\"{key}\" type=\"{type}\">{value}</value>", "hints": [["str", "string"]]}"#,
    r#"{"name": "led", "section": "<|calls|>{calls}<|done|>", "call": "<|call|>function<|sep|><|do|> name=\"{name}\" n=\"{number}\"<|to|>{arguments}<|od|><|end|>", "argument": "<|arg|> key=\"{key}\"<|is|>{value}<|gra|>", "special": true}"#,
    r#"{"name": "objects", "call": "{\"name\": {name}, \"arguments\": {arguments}}", "or": [{"call": "<c>{\"name\": {name}, \"arguments\": {arguments}}</c>"}, {"call": "```json\n{\"name\": {name}, \"arguments\": {arguments}}\n```"}]}"#,
    r#"{"name": "keyed_section", "section": "<|s|>{calls}<|/s|>", "call": "<|c|>{name}<|n|>{arguments}<|/c|>", "argument": "<|k|>{key}<|/k|><|t|>{whole_type}<|/t|><|v|>{value}<|/v|>", "or": [{"call": "<|c|>{\"name\": {name}, \"arguments\": {arguments}}<|/c|>"}, {"call": "<|c|>{name}{arguments}<|/c|>"}], "special": true}"#,
    // Other notations.
    r#"{"name": "header", "section": "<|calls|>{calls}<|done|>", "sections": ["<|call|>{calls}<|done_|>"], "call": "<|begin|>{id}<|name|>{name}<|args|>{arguments}<|end|>", "special": true}"#,
    r#"{"name": "words", "section": "<|calls|>{calls}<|done|>", "call": "<|begin|>{name}<|args|>{arguments}<|end|>", "or": [{"call": "<|begin|>{word}<|args|>{name}\n```json\n{arguments}\n```<|end|>"}], "special": true}"#,
    r#"{"name": "named_by_id", "section": "<|calls|>{calls}<|done|>", "call": "<|begin|>{id}<|args|>{arguments}<|end|>", "id": "functions.{name}:{index}", "special": true}"#,
    r#"{"name": "token", "call": "<|tool|>{name}<|args|>{arguments}"}"#,
    r#"{"name": "ids", "section": "<calls>{calls}</calls>", "call": "<c id=\"{id}\" name=\"{name}\">{arguments}</c>"}"#,
    r#"{"name": "brackets", "call": "CALL {name}({arguments})"}"#,
    r#"{"name": "input", "call": "Tool: {name}\nInput: {arguments}\n"}"#,
    r#"{"name": "two", "call": "<tool>{name}</tool><args>{arguments}</args>"}"#,
    r#"{"name": "tags", "call": "<t:{name}>\n{arguments}</t:{name}>", "argument": "<p:{key}>{value}</p:{key}>\n"}"#,
    r#"{"name": "keyed", "call": "<call>{name}\n{arguments}</call>", "argument": "<k>{key}</k>\n<v>{value}</v>\n"}"#,
    r#"{"name": "functions", "section": "<do>\n{calls}\n</do>", "call": "<fn={name}>\n{arguments}</fn>", "argument": "<arg={key}>\n{value}\n</arg>\n"}"#,
    // Literals.
    r#"{"name": "literal", "call": "<|call|>call:{name}{{arguments}}<|end|>", "literals": {"quote": "<|q|>", "separator": ":", "between": ","}}"#,
    r#"{"name": "like_json", "call": "@call {name}{{arguments}}@end", "literals": {"separator": ": ", "between": ", "}}"#,
    r#"{"name": "open_literal", "call": "<|call|>call:{name}{{arguments}}", "literals": {"quote": "<|q|>", "separator": ":", "between": ","}}"#,
    r#"{"name": "open_like_json", "call": "[do] {name}{{arguments}}", "special": true, "literals": {"separator": ":", "between": ","}}"#,
    r#"{"name": "python_prefix", "call": "<run>f:{name}({arguments})</run>", "tokens": ["<eos>"], "literals": {"python": true, "separator": "=", "between": ", "}}"#,
    r#"{"name": "python_open", "call": "CALL {name}({arguments})", "literals": {"python": true, "separator": "=", "between": ", "}}"#,
    r#"{"name": "python_bare", "section": "<run>[{calls}]</run>", "sections": ["[{calls}]", "<go>[{calls}]"], "call": "{name}({arguments})", "between": ", ", "tokens": ["<eos>"], "special": true, "literals": {"python": true, "separator": "=", "between": ", "}}"#,
    r#"{"name": "python_brackets", "section": "[run][{calls}][/run]", "sections": ["<go>[{calls}]</go>"], "call": "{name}({arguments})", "between": ", ", "or": [{"call": "{\"name\": {name}, \"arguments\": {arguments}}"}], "literals": {"python": true, "separator": "=", "between": ", "}}"#,
    r#"{"name": "python", "call": "<run>{name}({arguments})</run>", "literals": {"python": true, "separator": "=", "between": ", "}}"#,
    r#"{"name": "python_list", "section": "<run>[{calls}]</run>", "call": "{name}({arguments})", "between": ", ", "or": [{"call": "{\"name\": {name}, \"arguments\": {arguments}}"}], "literals": {"python": true, "separator": "=", "between": ", "}}"#,
    r#"{"name": "python_lines", "section": "<run>\n{calls}\n</run>", "call": "{name}({arguments})", "tokens": ["<eos>"], "literals": {"python": true, "separator": "=", "between": ", "}}"#,
    r#"{"name": "braces", "call": "[[call:{name}]] {arguments}[[/call]]", "argument": "@{key}={{{value}}} "}"#,
];

/// Messages with headers: JSON arguments, or arguments one by one. Their headers have several tokens, one, or none.
pub const MESSAGES: [&str; 5] = [
    r#"{"name": "letters", "message": "[[from]]{header}[[body]]{body}[[end]]", "call": "[[from]]bot for={name}[[kind]]call[[body]]{arguments}[[end]]", "reasoning": "[[kind]]thought[[body]]{reasoning}[[end]]"}"#,
    r#"{"name": "plain", "message": "<|from|>{header}<|body|>{body}<|end|>", "ends": ["<|stop|>"], "call": "<|from|>to=f.{name}<|body|>{arguments}<|end|>", "argument": "<{key}>{value}</{key}>"}"#,
    r#"{"name": "plain_json", "message": "<|from|>{header}<|body|>{body}<|end|>", "ends": ["<|stop|>"], "call": "<|from|>to={name}<|body|>{arguments}<|end|>"}"#,
    r#"{"name": "types", "message": "<|from|>{header}<|body|>{body}<|end|>", "call": "<|from|>bot to={name}<|kind|>call<|as|>json<|of|>x<|body|>{arguments}<|end|>", "reasoning": "<|kind|>thought<|body|>{reasoning}<|end|>"}"#,
    r#"{"name": "in_tags", "message": "<|from|>{header}<|body|>{body}<|end|>", "call": "<|from|>bot to={name}<|kind|>call<|as|>xml<|body|>{arguments}<|end|>", "argument": "<arg name=\"{key}\">\n{value}\n</arg>\n", "reasoning": "<|kind|>thought<|body|>{reasoning}<|end|>"}"#,
];

/// Lines that begin with a prompt, as goose's models write them.
const PROMPT: &str =
    r#"{"name": "prompt", "call": "$ {value}\n", "tool": "read_file", "key": "path"}"#;

/// Fences whose info string is a tool.
const INFO: &str = r#"{"name": "info", "call": "```{name}\n{value}\n```"}"#;

/// Lines that begin with a tool.
const ARROW: &str = r#"{"name": "arrow", "call": "{name}>{value}\n"}"#;

/// Tags round a value within its lines.
const TAGGED: &str =
    r#"{"name": "tagged", "call": "<read>{value}</read>", "tool": "read_file", "key": "path"}"#;

/// Calls of one value, of the tool `read_file` among others.
/// Values in the order of their parameters.
const LIST: &str = r#"{"name": "list", "call": "<tool_call>{name}[{arguments}]", "argument": "{value}", "separator": "|"}"#;

pub const COMMANDS: [&str; 10] = [
    PROMPT,
    INFO,
    ARROW,
    TAGGED,
    r#"{"name": "tokens", "call": "RUN: {value}\n", "tool": "read_file", "key": "path", "tokens": ["<|eot|>"]}"#,
    r#"{"name": "heredoc", "call": "<<<{name}\n{value}\n>>>", "key": "path"}"#,
    r#"{"name": "fenced", "call": "```sh\n{value}\n```", "tool": "read_file", "key": "path"}"#,
    r#"{"name": "brackets", "call": "[{name}: {value}]", "tokens": ["<|eot|>"]}"#,
    LIST,
    r#"{"name": "list_of_lines", "call": "{name}::\n{arguments}\n::end", "argument": "{value}", "separator": " ;; "}"#,
];

pub fn dialect(shape: &str) -> Dialect {
    Dialect::from_json(shape).unwrap_or_else(|error| panic!("{error}\n{shape}"))
}

pub fn tools() -> Vec<Tool> {
    let two = |name: &str| {
        Tool::new(name.to_string()).param(Param::optional("path")).param(Param::optional("text"))
    };
    vec![two("read"), two("write")]
}

fn parser(shape: &str) -> Parser {
    let builder = Parser::builder(dialect(shape)).tools(tools()).tool_limit(None);
    builder.build().unwrap_or_else(|error| panic!("{error}\n{shape}"))
}

/// The message of a text, after the laws were checked at every cut.
#[track_caller]
fn parse(shape: &str, text: &str) -> Message {
    let parser = parser(shape);
    for ended in [Ended::Stop, Ended::Cut] {
        check::hold(&parser, text, &every_cut(text.len()), ended).unwrap();
    }
    parser.parse(text)
}

/// Words without their white space, which may belong to the calls or to the text between them.
fn words(text: impl AsRef<str>) -> String {
    text.as_ref().split_whitespace().collect::<Vec<_>>().join(" ")
}

#[track_caller]
fn expect(shape: &str, text: &str, calls: &[(&str, Value)], prose: &str, told: &[&str]) {
    let message = parse(shape, text);
    let found: Vec<(&str, Value)> =
        message.calls().map(|call| (call.name(), Value::from(call.input().clone()))).collect();
    let diagnostics: Vec<&str> =
        message.diagnostics().iter().map(|told| told.kind.as_str()).collect();
    assert_eq!(
        (&*found, words(message.text()), &*diagnostics),
        (calls, words(prose), told),
        "{text:?}\n{:?}",
        message.blocks()
    );
}

#[test]
fn well_formed_calls() {
    let both = [("read", json!({"path": "a"})), ("write", json!({"path": "b", "text": "x\ny"}))];
    for shape in ALL {
        let parser = parser(shape);
        let mut text = String::from("Now.\n");
        let calls: Vec<_> =
            both.iter().map(|(name, input)| (*name, input.as_object().unwrap().clone())).collect();
        for (name, input) in &calls {
            text +=
                &parser.render_call(name, input).unwrap_or_else(|error| panic!("{error}\n{shape}"));
            text += "\n";
        }
        text += "Then.";
        expect(shape, &text, &both, "Now. Then.", &[]);
    }
}

#[test]
fn lost_closers_keep_the_next_call_and_prose_stays_prose() {
    let calls = [("read", json!({"path": "a"})), ("write", json!({"path": "b"}))];
    expect(
        LINES,
        "@@call read@@\npath=a\n@@call write@@\npath=b\n@@end@@\nSo.",
        &calls,
        "So.",
        &["missing_closer"],
    );
    expect(
        JSON,
        "<call name=read>{\"path\": \"a\"}<call name=\"write\">{\"path\": \"b\"}\nSo the file is there.",
        &calls,
        "So the file is there.",
        &["missing_closer", "missing_closer"],
    );
    expect(
        FENCE,
        "```tool_calls\n[{\"name\": \"read\", \"arguments\": {\"path\": \"a\"}}, \
         {\"name\": \"write\", \"arguments\": {\"path\": \"b\"}}]\nSo.",
        &calls,
        "So.",
        &["missing_closer"],
    );
    // The next fence begins with the text that would close this one.
    expect(
        FENCE,
        "```tool_calls\n[{\"name\": \"read\", \"arguments\": {\"path\": \"a\"}}]\n\
         ```tool_calls\n[{\"name\": \"write\", \"arguments\": {\"path\": \"b\"}}]\n```\nSo.",
        &calls,
        "So.",
        &["missing_closer"],
    );
    expect(
        SPECIAL,
        "<|call|>read<|key|>path<|value|>a<|stop|><|call|>write<|key|>path<|value|>b<|stop|><|end|>So.",
        &calls,
        "So.",
        &["missing_closer"],
    );
}

#[test]
fn prose_may_speak_of_a_call() {
    for (shape, text) in [
        (LINES, "Write @@call NAME@@ and then the rest."),
        (JSON, "Write <call name=\"x\"> and then JSON."),
        (FENCE, "A fence:\n```rust\nfn main() {}\n```\nSo."),
        (ATTRIBUTES, "Write <use tool=\"x\"> and so on."),
        (SECTION, "The [tools] have a [tool x] in them."),
        (SPECIAL, "No <|call|> here, so."),
    ] {
        expect(shape, text, &[], text, &[]);
    }
}

#[test]
fn other_spellings_are_read_and_told() {
    let calls = [("read", json!({"path": "a"})), ("write", json!({"path": "b"}))];
    let [a, b] = [r#"{"path": "a"}"#, r#"{"path": "b"}"#];
    expect(OTHER, &format!("<run read>{a}</do>So."), &calls[..1], "So.", &["malformed_tag"]);
    expect(
        OTHER,
        &format!("<do read>{a}<run write>{b}</do>So."),
        &calls,
        "So.",
        &["missing_closer", "malformed_tag"],
    );
    expect(OTHER, "Write <run x> and so on.", &[], "Write <run x> and so on.", &[]);
    expect(
        LOST,
        &format!("<|calls|><|name|>read<|args|>{a}<|end|>write<|args|>{b}<|end|><|done|>So."),
        &calls,
        "So.",
        &["missing_opener", "missing_opener"],
    );
    // In text, a name is a word.
    let prose = format!("So read<|args|>{a}");
    expect(LOST, &prose, &[], &prose, &[]);
    let written = parser(LOST).render_call("read", calls[0].1.as_object().unwrap()).unwrap();
    assert!(written.starts_with("<|calls|><|call|>"), "{written}");
}

/// A value that nothing closes ends where only what comes after it can stand.
#[test]
fn what_follows_a_value_may_close_it() {
    let read = |input: Value| [("read", input)];
    for (text, input, prose, told) in [
        ("[[call: read | path=a | text=b ]]", json!({"path": "a", "text": "b"}), "", &[][..]),
        (
            "[[call: read |path=a|text=b]]So.",
            json!({"path": "a|text=b"}),
            "So.",
            &["suspect_marker"],
        ),
        (
            "[[call: read\n| path=a\n| text=b\n]]\nSo.",
            json!({"path": "a", "text": "b"}),
            "So.",
            &[],
        ),
        // What is no key with its sign, or has no white space, is data.
        ("[[call: read | path=a | b c|d=1 |text ]]", json!({"path": "a | b c|d=1 |text"}), "", &[]),
        // A key that nobody declared ends a value as well, and is told.
        (
            "[[call: read | path=a | mode=b ]]",
            json!({"path": "a", "mode": "b"}),
            "",
            &["unknown_parameter"],
        ),
        ("[[call: read | path=a | path=b ]]", json!({"path": "b"}), "", &["duplicate_parameter"]),
        // The last closer of a line is the call's.
        (
            "[[call: read | path=if [[ -f a ]]; then b ]] So [1].",
            json!({"path": "if [[ -f a ]]; then b"}),
            "So [1].",
            &["suspect_marker"],
        ),
        (
            "[[call: read | path=é🦀 | text=日 本 ]]ü",
            json!({"path": "é🦀", "text": "日 本"}),
            "ü",
            &[],
        ),
        ("[[call: read | path= | text=]]", json!({"path": "", "text": ""}), "", &[]),
        ("[[call: read ]]So.", json!({}), "So.", &[]),
    ] {
        expect(PIPES, text, &read(input), prose, told);
    }
    let two = [("read", json!({"path": "a"})), ("write", json!({"path": "b"}))];
    let text = "[[call: read | path=a ]] and [[call: write | path=b ]]";
    expect(PIPES, text, &two, "and", &[]);
    for text in ["Write [[call: NAME | and so ]] there.", "a | b=c ]"] {
        expect(PIPES, text, &[], text, &[]);
    }
    // A declared key may hold white space.
    let tool = Tool::new("read").param(Param::optional("a b")).param(Param::optional("path"));
    let builder = Parser::builder(dialect(PIPES)).tool(tool);
    let message = builder.build().expect("a parser").parse("[[call: read | path=a | a b=c ]]");
    let call = message.calls().next().expect("a call");
    assert_eq!(Value::from(call.input().clone()), json!({"path": "a", "a b": "c"}));
}

/// If the closer of its call is lost, the next call ends the value, and its own end is unknown.
#[test]
fn a_value_that_nothing_closes_is_not_whole() {
    let write = [("write", json!({"path": "b"}))];
    for text in [
        "[[call: read | path=a\n[[call: write | path=b ]]",
        "[[call: read | path=a [[call: write | path=b ]]",
    ] {
        expect(PIPES, text, &write, "", &["missing_closer"]);
    }
    // A call of a tool that is not declared is data.
    let data = "Use [[call: x | y=1";
    expect(
        PIPES,
        &format!("[[call: write | text={data} ]]"),
        &[("write", json!({"text": "Use [[call: x", "y": "1"}))],
        "",
        &["unknown_parameter"],
    );
    let section = ALL[4];
    let lost = "<calls>(read; path: a</calls>So.";
    expect(section, lost, &[], "So.", &["missing_closer"]);
    let parser = parser(PIPES);
    let whole = "[[call: read | path=a | text=b ]] So.\n";
    for (end, _) in whole.char_indices() {
        for ended in [Ended::Stop, Ended::Cut] {
            let events = check::hold(&parser, &whole[..end], &[], ended).unwrap();
            let runs = complete(&events::message(&parser, events)).len();
            // That the closer was the last one of its line is not known before the line ends.
            let closed = end >= whole.find("]]").unwrap() + 2;
            assert_eq!(runs, usize::from(closed && ended == Ended::Stop), "{end} {ended:?}");
        }
    }
}

/// A value that would end early, or late, is not written.
#[test]
fn what_an_open_value_cannot_hold_is_refused() {
    let parser = parser(PIPES);
    for value in ["a | b=c", "a ", "a ]]\nb", "[[call: read | path=a"] {
        let input = json!({ "path": value });
        let error = parser.render_call("read", input.as_object().unwrap()).unwrap_err();
        assert!(error.to_string().contains("would read back"), "{error}");
    }
    let tool = Tool::new("read").param(Param::optional("path"));
    let parser = Parser::builder(dialect(PIPES)).tool(tool).build().unwrap();
    let error = parser.grammar(toolstream::grammar::Format::Lark).unwrap_err();
    assert!(error.to_string().ends_with("its values have no closer of their own"), "{error}");
}

/// The tools of calls of one value: two that are such, and some that need more, less, or something else.
fn commands(shape: &str) -> Parser {
    let text = |name: &str| Param::required(name.to_string()).with(Type::String);
    let builder = Parser::builder(dialect(shape)).tool_limit(None).tools([
        Tool::new("read_file").param(text("path")),
        Tool::new("sh").param(Param::required("script")).param(Param::optional("path")),
        Tool::new("wc").param(Param::optional("path").with(Type::String)),
        Tool::new("two").param(text("path")).param(text("text")),
        Tool::new("any").param(Param::optional("path")).param(Param::optional("text")),
        Tool::new("count").param(Param::required("path").with(Type::Integer)),
        Tool::new("none"),
    ]);
    builder.build().expect("a parser")
}

/// Calls that run, calls that do not, and the text beside them.
#[track_caller]
fn commanded(shape: &str, text: &str, calls: &[(&str, &str)], prose: &str, told: &[&str]) {
    let parser = commands(shape);
    for ended in [Ended::Stop, Ended::Cut] {
        check::hold(&parser, text, &every_cut(text.len()), ended).unwrap();
    }
    let message = parser.parse(text);
    let found: Vec<(&str, &str)> = message
        .calls()
        .map(|call| (call.name(), call.input().values().next().unwrap().as_str().unwrap()))
        .collect();
    let diagnostics: Vec<&str> =
        message.diagnostics().iter().map(|told| told.kind.as_str()).collect();
    let blocks = message.blocks();
    assert_eq!(
        (&*found, message.text(), &*diagnostics),
        (calls, prose.into(), told),
        "{text:?}\n{blocks:?}"
    );
}

#[test]
fn a_line_may_be_a_call() {
    let read = |path| ("read_file", path);
    let two = [read("a b"), read("é 日🦀")];
    commanded(PROMPT, "Now.\n$ a b\r\nSo.\n$  é 日🦀 \n", &two, "Now.\nSo.\n", &[]);
    commanded(PROMPT, "<think>x</think>$ a", &[read("a")], "", &[]);
    commanded(ARROW, "sh>a\n\nwc> b>c", &[("sh", "a"), ("wc", "b>c")], "\n", &[]);
    commanded(COMMANDS[4], "RUN: a<|eot|>", &[read("a")], "", &[]);
    commanded(COMMANDS[4], "RUN: a<|eot|>b\n", &[read("a<|eot|>b")], "", &[]);
    for (shape, text) in [
        (PROMPT, "It costs $ 5.\n $ 5\n$5\n$ \n$  \n\n$"),
        (ARROW, "a>b\n sh>a\nx sh>a\nshell>a\nsh >a\nsh>\nsh> \nSh>a\n"),
        // Tools that need more than a text, or something else.
        (ARROW, "two>a\nany>a\ncount>1\nnone>a\n"),
    ] {
        commanded(shape, text, &[], text, &[]);
    }
}

#[test]
fn a_block_may_be_a_call() {
    let (sh, wc) = (("sh", "a\n\n  é🦀"), ("wc", "b"));
    commanded(INFO, "So:\n```sh\na\n\n  é🦀\n```\n```wc \r\nb\r\n```", &[sh, wc], "So:\n\n", &[]);
    commanded(INFO, "```sh\n```\n", &[("sh", "")], "\n", &[]);
    // Fences in the value, and code in its lines.
    let nested = "a\n```rs\nb\n```\nc ``` d\n ```\ne";
    commanded(
        INFO,
        &format!("```sh\n{nested}\n```So\n```\n```"),
        &[("sh", &*format!("{nested}\n```So\n```"))],
        "",
        &[],
    );
    commanded(INFO, "```sh\n```a``` b\n```\n", &[("sh", "```a``` b")], "\n", &["suspect_marker"]);
    for text in [
        "```rust\nfn\n```\n```\nx\n```\n",
        "```two\na\n```\n```count\n1\n```\n```none\na\n```",
        "```shell\na\n```\n ```sh\na\n```\n``` sh\na\n```\n```sh x\na\n```\n````sh\na\n````",
    ] {
        commanded(INFO, text, &[], text, &[]);
    }
    // The argument is named, and some tools need another one.
    let two = "<<<two\na\n>>>\n<<<sh\na\n>>>\n";
    commanded(COMMANDS[5], two, &[], two, &[]);
    commanded(TAGGED, "<read>a</read> So.", &[("read_file", "a")], " So.", &[]);
    commanded(
        TAGGED,
        "<read>a</read>b</read>",
        &[("read_file", "a</read>b")],
        "",
        &["suspect_marker"],
    );
    commanded(TAGGED, "A <read>a</read>", &[], "A <read>a</read>", &[]);
    commanded(COMMANDS[7], "[wc: a]\n[rw: a]", &[("wc", "a")], "\n[rw: a]", &[]);
}

/// A call that nothing closes does not run. It costs the next call only where that may stand in it.
#[test]
fn a_call_of_one_value_is_whole_or_does_not_run() {
    let both = "```sh\na\n```wc\nb\n```\n";
    commanded(INFO, both, &[], "", &[]);
    let heredoc = COMMANDS[5];
    commanded(
        heredoc,
        "<<<wc\na\n<<<wc\nb\n>>>\nSo.",
        &[("wc", "b")],
        "\n\nSo.",
        &["missing_closer"],
    );
    commanded(TAGGED, "<read>a\n<read>b</read>", &[("read_file", "b")], "\n", &["missing_closer"]);
    for (shape, text, closed) in [
        (PROMPT, "$ a b\nSo.", 6),
        (ARROW, "wc>a\nSo.", 5),
        (INFO, "```wc\na\n```\nSo.", 12),
        (TAGGED, "<read>a</read> So.\nSo.", 19),
        (COMMANDS[4], "RUN: a<|eot|>\nSo.", 14),
    ] {
        let parser = commands(shape);
        for (end, _) in text.char_indices().skip(1) {
            let events = check::hold(&parser, &text[..end], &[], Ended::Cut).unwrap();
            let message = events::message(&parser, events);
            assert_eq!(message.calls().count(), usize::from(end >= closed), "{:?}", &text[..end]);
        }
    }
    // What the model itself has ended is whole.
    for text in ["$ a", "$ a ", "$ a\r"] {
        commanded(PROMPT, text, &[("read_file", "a")], "", &[]);
    }
    commanded(INFO, "```wc\na\n``", &[], "", &[]);
}

#[test]
fn calls_of_one_value_come_back() {
    for shape in COMMANDS {
        let parser = inputs::parser(&dialect(shape));
        let write = |input: &Value| parser.render_call("read_file", input.as_object().unwrap());
        let text =
            write(&json!({"path": "é b"})).unwrap_or_else(|error| panic!("{error}\n{shape}"));
        let message = parser.parse(&format!("Now.\n{text}\nThen."));
        assert_eq!(message.calls().next().unwrap().input()["path"], "é b", "{shape}");
        let prompt = parser.system_prompt();
        let example = text.trim_end().replace("é b", "path here");
        assert!(prompt.ends_with(&example), "{shape}: {prompt}");
        // Other tools, arguments that are not there, and more of them.
        for input in [json!({}), json!({"path": "a", "text": "b"})] {
            assert!(write(&input).is_err(), "{shape}: {input}");
        }
        assert!(parser.grammar(toolstream::grammar::Format::Lark).is_err());
        assert!(parser.dialect().to_response_template("").is_err());
    }
    let refused = |shape: &str, tool: &str, key: &str, value: &str| {
        let input = json!({ key: value });
        let error = commands(shape).render_call(tool, input.as_object().unwrap()).unwrap_err();
        assert!(error.to_string().contains("read back"), "{error}");
    };
    for value in ["a\nb", " a", "a ", ""] {
        refused(PROMPT, "read_file", "path", value);
        refused(ARROW, "wc", "path", value);
    }
    refused(PROMPT, "wc", "path", "a");
    refused(ARROW, "two", "path", "a");
    refused(INFO, "wc", "path", "a\n```\nb");
    refused(INFO, "wc", "path", "a\n```b");
    refused(TAGGED, "read_file", "path", "a</read>\nb");
}

/// Without the tool there is no call, and where code is text a call in it is none.
#[test]
fn a_call_of_one_value_needs_its_tool() {
    for (shape, text) in
        [(PROMPT, "$ a\n"), (ARROW, "read_file>a\n"), (INFO, "```read_file\na\n```\n")]
    {
        let other = Tool::new("other").param(Param::required("path"));
        for builder in
            [Parser::builder(dialect(shape)), Parser::builder(dialect(shape)).tool(other)]
        {
            let parser = builder.build().expect("a parser");
            assert_eq!(parser.parse(text).text(), text, "{shape}");
        }
    }
    let text = "```\n$ a\n```\n";
    assert_eq!(commands(PROMPT).parse(text).calls().count(), 1);
    let quoting = commands(PROMPT).to_builder().fences(Fences::Quote).build().expect("a parser");
    assert_eq!(quoting.parse(text).text(), text);
    // A tool whose schema is not known may have the argument.
    let tool = Tool::new("read_file");
    let parser = Parser::builder(dialect(PROMPT)).tool(tool).build().expect("a parser");
    assert_eq!(parser.parse("$ a").calls().next().expect("a call").input()["path"], "a");
}

/// The values of a call whose tool says which arguments they are.
#[test]
fn values_may_stand_in_the_order_of_their_parameters() {
    let two = |name: &str| {
        let text = |name: &str| Param::required(name.to_string()).with(Type::String);
        let number = Param::optional("times").with(Type::Integer);
        Tool::new(name.to_string()).param(text("path")).param(text("text")).param(number)
    };
    let builder = Parser::builder(dialect(LIST)).tool_limit(None);
    let parser = builder.tools([two("put"), two("add"), Tool::new("date")]).build().unwrap();
    let expect = |text: &str, calls: &[(&str, Value)], prose: &str, told: &[&str]| {
        for ended in [Ended::Stop, Ended::Cut] {
            check::hold(&parser, text, &every_cut(text.len()), ended).unwrap();
        }
        let message = parser.parse(text);
        let found: Vec<(&str, Value)> =
            message.calls().map(|call| (call.name(), Value::from(call.input().clone()))).collect();
        let diagnostics: Vec<&str> =
            message.diagnostics().iter().map(|told| told.kind.as_str()).collect();
        assert_eq!(
            (&*found, message.text(), &*diagnostics),
            (calls, prose.into(), told),
            "{text:?}"
        );
    };
    let put = |input: Value| ("put", input);
    let all = put(json!({"path": "é a", "text": "日\nb", "times": 2}));
    expect("So.\n<tool_call>put[é a| 日\nb |2] So.", &[all], "So.\n So.", &[]);
    let date = ("date", json!({}));
    expect("<tool_call>date[]\n<tool_call>date[] [x]", &[date.clone(), date], "\n [x]", &[]);
    expect(
        "<tool_call>put[a[0]|]",
        &[put(json!({"path": "a[0]", "text": ""}))],
        "",
        &["suspect_marker"],
    );
    // One value too many is not lost in silence.
    let many = [put(json!({"path": "a", "text": "b", "times": "1|2"}))];
    expect("<tool_call>put[a|b|1|2]", &many, "", &["suspect_marker", "type_mismatch"]);
    let lost = "<tool_call>put[a|b\n<tool_call>add[c|d]";
    expect(lost, &[("add", json!({"path": "c", "text": "d"}))], "\n", &["missing_closer"]);
    for text in [
        "<tool_call>other[a|b]",
        "A <tool_call>put[a|b]",
        "<tool_call>date[1]",
        "<tool_call>put{a}",
    ] {
        expect(text, &[], text, &[]);
    }
    // What is required and not there is told.
    assert_eq!(parser.parse("<tool_call>put[]").calls().count(), 0);
    let message = parser.parse("<tool_call>put[a]");
    assert_eq!(message.calls().next().expect("a call").missing(), ["text"]);
    let whole = "<tool_call>put[a|b]\n";
    for (end, _) in whole.char_indices() {
        let events = check::hold(&parser, &whole[..end], &[], Ended::Cut).unwrap();
        assert_eq!(events::message(&parser, events).calls().count(), 0, "{end}");
    }
    let write = |input: Value| parser.render_call("put", input.as_object().unwrap());
    let text = write(json!({"times": 3, "text": "b", "path": "a"})).unwrap();
    assert_eq!(text, "<tool_call>put[a|b|3]");
    for input in [
        json!({"path": "a|b", "text": "c"}),
        json!({"text": "c"}),
        json!({"path": "", "text": "a]\nb"}),
    ] {
        assert!(write(input.clone()).is_err(), "{input}");
    }
    let prompt = parser.system_prompt();
    assert!(prompt.ends_with("<tool_call>put[path here|text here]"), "{prompt}");
}

#[test]
fn arrows_stand_on_one_line_or_on_many() {
    let calls =
        [("read", json!({"path": "v", "text": "a \"b\" c"})), ("write", json!({"path": "b"}))];
    for first in [
        "[TOOL_CALL]{tool => \"read\", args => { --path \"v\" --text \"a \"b\" c\" }}[/TOOL_CALL]",
        "[TOOL_CALL]\n{tool => \"read\", args => {\n  --path \"v\"\n  --text \"a \"b\" c\"\n}}\n[/TOOL_CALL]",
    ] {
        let text = format!(
            "So.\n{first}\n[TOOL_CALL]{{tool => \"write\", args => {{ --path \"b\" }}}}[/TOOL_CALL]"
        );
        expect(ARROWS, &text, &calls, "So.", &[]);
    }
}

/// Shapes that nearly fit a family are read in their own notation.
#[test]
fn what_is_nearly_of_a_family_is_read_as_written() {
    let calls = [("read", json!({"path": "a"}))];
    for (shape, text, told) in [
        // Functions whose parameters have tags of their own.
        (
            r#"{"name": "arg", "call": "<tool_call>\n<function={name}>\n{arguments}</function>\n</tool_call>", "argument": "<arg={key}>\n{value}\n</arg>\n"}"#,
            "<tool_call>\n<function=read>\n<arg=path>\na\n</arg>\n</function>\n</tool_call>",
            &[][..],
        ),
        // The end is that of a fence, but the beginning is a tag.
        (
            r#"{"name": "half", "call": "{\"name\": {name}, \"arguments\": {arguments}}", "or": [{"call": "<x>{\"name\": {name}, \"arguments\": {arguments}}```"}]}"#,
            "<x>{\"name\": \"read\", \"arguments\": {\"path\": \"a\"}}```",
            &[],
        ),
        // Keys and values stand in tokens, but the section does not. A call without its section is reported.
        (
            r#"{"name": "outer", "section": "[s]{calls}[/s]", "call": "<|c|>{name}{arguments}<|/c|>", "argument": "<|k|>{key}<|/k|><|v|>{value}<|/v|>", "special": true}"#,
            "<|c|>read<|k|>path<|/k|><|v|>a<|/v|><|/c|>",
            &["missing_opener", "missing_closer"],
        ),
    ] {
        expect(shape, &format!("{text}So."), &calls, "So.", told);
    }
}

/// A line break closes the value and also stands before it. Both are written.
#[test]
fn a_value_that_a_line_break_closes_has_its_line() {
    const BREAKS: &str = r#"{
      "name": "breaks",
      "call": "@@call {name}@@\n{arguments}@@end@@",
      "argument": "{key}:\n{value}\n"
    }"#;
    let calls = [("read", json!({"path": "a"}))];
    let text = parser(BREAKS).render_call("read", calls[0].1.as_object().unwrap()).unwrap();
    assert_eq!(text, "@@call read@@\npath:\na\n@@end@@");
    expect(BREAKS, &format!("{text}So."), &calls, "So.", &[]);
}

/// Outside of a section, half of a call's closer closes nothing.
#[test]
fn half_a_closer_is_text() {
    const TWO: &str = r#"{"name": "x", "call": "<call><fn {name}>{arguments}</fn></call>"}"#;
    let calls = [("read", json!({"path": "a"}))];
    expect(TWO, "<call><fn read>{\"path\": \"a\"}</fn></call>So.", &calls, "So.", &[]);
    expect(TWO, "So </call> there.", &[], "So </call> there.", &[]);
}

/// Behind a name that stands first, a fence is the marker, and not a fence around the object.
#[test]
fn a_fence_may_be_the_marker_after_a_name() {
    const FENCED: &str = r#"{
      "name": "fenced",
      "section": "<|calls|>{calls}<|done|>",
      "call": "<|call|>{name}<|args|>{arguments}<|end|>",
      "also": [{"call": "{name}```json\n{arguments}\n```<|end|>", "as": "missing_opener"}],
      "special": true
    }"#;
    let calls = [("read", json!({"path": "a"})), ("write", json!({"path": "b"}))];
    let text = "<|calls|><|call|>read<|args|>{\"path\": \"a\"}<|end|>\
                write```json\n{\"path\": \"b\"}\n```<|end|><|done|>So.";
    expect(FENCED, text, &calls, "So.", &["missing_opener"]);
}

/// The first argument may stand on the line of the name, and a key may begin like the closer of the call: without tools, any word
/// is a key.
#[test]
fn a_call_ends_with_the_stream() {
    const ONE_LINE: &str = r#"{
      "name": "one_line",
      "call": "@@call {name}@@ {arguments}@@end@@",
      "argument": "{key}={value}\n"
    }"#;
    let calls = [("read", json!({"path": "a", "text": "b"}))];
    let text = "@@call read@@ path=a\ntext=b\n@@end@@";
    expect(ONE_LINE, text, &calls, "", &[]);
    let parser = Parser::builder(dialect(ONE_LINE)).build().expect("a parser");
    for ended in [Ended::Stop, Ended::Cut] {
        check::hold(&parser, text, &every_cut(text.len()), ended).unwrap();
    }
    assert_eq!(complete(&parser.parse(text)).len(), 1);
    // A call without its closer does not run.
    let lost = "@@call read@@ path=a\n";
    for ended in [Ended::Stop, Ended::Cut] {
        let events = check::hold(&parser, lost, &every_cut(lost.len()), ended).unwrap();
        assert_eq!(complete(&events::message(&parser, events)), []);
    }
}

/// A quote that opens before a name must close behind it. Any other sign in its place makes no call.
#[test]
fn a_quoted_name_ends_with_its_quote() {
    let text = r#"<call name="read<>{"path": "a"}</call>So."#;
    expect(JSON, text, &[], text, &[]);
}

/// The prompt explains quote tokens, if the dialect has some.
#[test]
fn quote_tokens_are_told_where_there_are_some() {
    for (quote, told) in [(r#""quote": "<|q|>", "#, true), ("", false)] {
        let shape = format!(
            r#"{{"name": "x", "call": "@call {{name}}{{{{arguments}}}}@end", "literals": {{{quote}"separator": ":", "between": ","}}}}"#
        );
        let prompt = parser(&shape).system_prompt();
        assert_eq!(prompt.contains("between two quote tokens"), told, "{prompt}");
    }
}

#[test]
fn messages_follow_each_other() {
    let both = [("read", json!({"path": "a"})), ("write", json!({"path": "b", "text": "x\ny"}))];
    for shape in MESSAGES {
        let parser = parser(shape);
        let mut calls = both.iter().map(|(name, input)| {
            parser
                .render_call(name, input.as_object().unwrap())
                .unwrap_or_else(|error| panic!("{error}"))
        });
        let [first, second] = [calls.next().unwrap(), calls.next().unwrap()];
        expect(shape, &(first.clone() + &second), &both, "", &[]);
        // The end of the first message is lost, but a JSON object has an end of its own.
        let end = if shape == MESSAGES[0] { "[[end]]" } else { "<|end|>" };
        let told: &[&str] = if shape.contains("\"argument\"") { &["missing_closer"] } else { &[] };
        let lost = first.strip_suffix(end).expect("its end");
        expect(shape, &format!("{lost}{second}"), &both, "", told);
    }
    expect(MESSAGES[0], "[[kind]]thought[[body]]a[[end]][[from]]bot[[body]]b", &[], "b", &[]);
    expect(MESSAGES[0], "What [[body]] is.", &[], "What [[body]] is.", &[]);
}

#[test]
fn laws_hold_over_soup() {
    for shape in ALL.into_iter().chain(MESSAGES).chain(INVENTED) {
        let parser = parser(shape);
        let calls = ["read", "write"].map(|name| {
            let input = json!({"path": "a", "text": "b \"c\" <d>"});
            parser.render_call(name, input.as_object().unwrap()).unwrap_or_default()
        });
        hold_over_soup(shape, &parser, &calls);
    }
    for shape in COMMANDS {
        let parser = inputs::parser(&dialect(shape));
        let calls = ["a", "b <c>\n```x"].map(|path| {
            let input = json!({ "path": path });
            parser.render_call("read_file", input.as_object().unwrap()).unwrap_or_default()
        });
        hold_over_soup(shape, &parser, &calls);
    }
}

/// Texts of what these calls are made of.
fn hold_over_soup(shape: &str, parser: &Parser, calls: &[String]) {
    let mut pieces: Vec<String> = calls
        .iter()
        .flat_map(|call| {
            call.split_inclusive([
                '<', '>', '{', '}', '[', ']', '@', '|', '"', '=', '\n', '`', ' ', '$',
            ])
        })
        .map(String::from)
        .collect();
    pieces.extend(calls.iter().cloned());
    pieces.extend(["prose ", "\n", " ", "é", "```", "<think>", "</think>"].map(String::from));
    for seed in 0..300 {
        let data = soup::seeded(seed, 40);
        let mut choices = Choices::new(&data);
        let ended = choices.of(&[Ended::Stop, Ended::Cut]);
        let mut text = String::new();
        while choices.are_left() {
            text += &choices.of(&pieces);
        }
        let cuts = [vec![], (1..text.len()).collect(), (1..text.len()).step_by(5).collect()];
        if let Err(broken) = check::hold(parser, &text, &cuts, ended) {
            panic!("seed {seed}: {broken}\n{shape}\n{text:?}");
        }
    }
}

/// Two or three calls, and the model forgot one closer of the first: no unintended call runs. If the closer is a tag, the calls
/// behind it are read, and prose behind them stays prose. A cut stream runs only calls of the whole.
#[test]
fn lost_closers_cost_nothing_else_over_soup() {
    let mut lost = 0;
    for shape in ALL.into_iter().chain(MESSAGES).chain(INVENTED).chain(COMMANDS) {
        let dialect = dialect(shape);
        let written = Written::by_template(&dialect);
        let builder = Parser::builder(&dialect).tools(calls::tools()).tool_limit(None);
        let parser = builder.build().unwrap_or_else(|error| panic!("{error}\n{shape}"));
        // A string of Python may go on to any later quote, so an unescaped quote in it does not end it.
        let python = shape.contains("\"python\": true");
        // Between tokens and in elements, the opener of the next value is data, and is not reported.
        let silent = shape.contains("\"special\": true") || shape.contains("\"element\"");
        for seed in (0..20).step_by(inputs::every()) {
            let made = calls::templated(&dialect, &written, &soup::seeded(seed, 40));
            // Not every form can have white space everywhere, or hold each value.
            if complete(&parser.parse(&made.case.text)) != made.meant() {
                continue;
            }
            for which in 0..made.calls[0].closers.len() {
                let (closer, text) = made.without_closer(which);
                let quote = closer == "\"" && !written.json;
                let keys = &mut made.calls[0].arguments.keys();
                let value = keys.any(|key| written.parts("", key)[3] == closer);
                let told = !(python || quote || silent && value);
                // The next fence may stand in the value of one that is open.
                let tag = !python && !written.is_literal(closer) && closer != "```";
                if let Err(what) = lost_closer(&parser, &made, which, told, tag) {
                    panic!("{what}: seed {seed}, without {closer:?}: {text:?}\n{shape}");
                }
                lost += usize::from(tag);
            }
        }
    }
    assert!(lost > 500 / inputs::every(), "only {lost} tags");
}

/// Checks a message without this closer. `told`: an unintended call does not run, or is suspect. `tag`: nothing else is lost.
fn lost_closer(
    parser: &Parser,
    made: &Calls,
    which: usize,
    told: bool,
    tag: bool,
) -> Result<(), String> {
    let (closer, text) = made.without_closer(which);
    let text = text + "\nSo.";
    let found = parser.parse(&text);
    if told {
        made.survives(closer, &found)?;
    }
    if tag {
        let whole = parser.parse(&(made.case.text.clone() + "\nSo."));
        let prose = |message: &Message| message.text().trim_end().ends_with("So.");
        if !complete(&found).ends_with(&made.meant()[1..]) {
            return Err("the next call is lost".to_string());
        }
        if prose(&whole) && !prose(&found) {
            return Err("prose is lost".to_string());
        }
    }
    for (end, _) in text.char_indices() {
        let events = check::hold(parser, &text[..end], &[], Ended::Cut);
        let events = events.map_err(|broken| broken.to_string())?;
        if !complete(&found).starts_with(&complete(&events::message(parser, events))) {
            return Err(format!("more is complete when it is cut at {end}"));
        }
    }
    Ok(())
}

#[test]
fn a_mistake_names_its_field_and_quotes_the_text() {
    for (shape, place, what) in [
        (r#"{"name": "x", "call": "<c {nmae}>{arguments}</c>"}"#, "call", "`{nmae}` is not a hole"),
        (r#"{"name": "x", "call": "<c {name}></c>"}"#, "call", "`{arguments}` must be in"),
        (
            r#"{"name": "x", "call": "<c>{\"name\": {name}, \"arguments\": {arguments}}</c>", "also": [{"call": "<d {name}>{arguments}</c>"}]}"#,
            "also",
            "other spellings need calls that",
        ),
        (
            r#"{"name": "x", "call": "<c {name}>{arguments}</c>", "also": [{"call": "<d {name}>{arguments}</d>"}]}"#,
            "also[0].call",
            "must end as `call` does",
        ),
        (
            r#"{"name": "x", "call": "<c {name}>{arguments}</c>", "also": [{"call": "{name}>{arguments}</c>"}]}"#,
            "also[0].call",
            "a marker must stand before the name",
        ),
        (r#"{"name": "x", "call": "{name} {arguments}"}"#, "call", "a marker must stand before"),
        (
            r#"{"name": "x", "call": "{\"name\": {name}, \"arguments\": {arguments}} end"}"#,
            "call",
            "a text must stand before the object",
        ),
        (
            r#"{"name": "x", "call": "<c>{\"tool\": {name}, \"arguments\": {arguments}}</c>"}"#,
            "call",
            "the key before `{name}`",
        ),
        (
            r#"{"name": "x", "call": "<c {name}>{arguments}", "argument": "<a {key}>{value}</a>"}"#,
            "call",
            "after the arguments",
        ),
        (
            r#"{"name": "x", "call": "<c {name}>{arguments}</c>", "argument": "<a {key}>{value}"}"#,
            "argument",
            "nothing closes the value",
        ),
        (
            r#"{"name": "x", "call": "<c {name}>{arguments}</c>", "argument": "-{key} {value}"}"#,
            "argument",
            "as in ` | {key}={value}`",
        ),
        (
            r#"{"name": "x", "call": "<c {id}>{arguments}</c>"}"#,
            "id",
            "without a `{name}` in `call`",
        ),
        (
            r#"{"name": "x", "call": "<c n=\"{name}\">{arguments}</c>", "argument": "<a k=\"{key}\" t=\"{typ}\">{value}</a>"}"#,
            "argument",
            "`{typ}` is not a hole",
        ),
        (
            r#"{"name": "x", "call": "<c n=\"{name}\">{arguments}</c>", "argument": "<a k=\"{key}\">{value}</a>", "or": [{"call": "@{name} {arguments}"}]}"#,
            "or[0].call",
            "must begin and end as `call` does",
        ),
        (
            r#"{"name": "x", "call": "<c {name}>{arguments}</c>", "element": "<{key}>{value}</{key}>"}"#,
            "element",
            "must have an attribute `{name}`",
        ),
        (
            r#"{"name": "x", "call": "<c n=\"{name}\">{arguments}</c>", "element": "{key}={value}"}"#,
            "element",
            "it must be an element",
        ),
        (
            r#"{"name": "x", "call": "<c n=\"{name}\">{arguments}</c>", "element": "<{key}>{value}=</{key}>"}"#,
            "element",
            "it must be an element",
        ),
        (
            r#"{"name": "x", "call": "<c {name}>{arguments}</c>", "or": [{"call": "<d {name}>{arguments}</c>"}]}"#,
            "or[0].call",
            "must begin and end as `call` does",
        ),
        (
            r#"{"name": "x", "call": "<c>{name}: {arguments}</c>", "literals": {"separator": "="}}"#,
            "call",
            "literals stand in `{` or `(`",
        ),
        (
            r#"{"name": "x", "call": "<c>{name}({arguments})</c>", "literals": {}}"#,
            "literals",
            "a `separator` stands between",
        ),
        (
            r#"{"name": "x", "call": "<c to={name}>{arguments}</c>", "message": "<c{header}>{body}</c>"}"#,
            "message",
            "its tokens begin and end",
        ),
        (
            r#"{"name": "x", "call": "[m]{name}[b]{arguments}[e]", "message": "[m]{header}[b]{body}[e]"}"#,
            "call",
            "a sign like `=` stands before the name",
        ),
        (
            r#"{"name": "x", "call": "<c {name}>{arguments}</c>", "section": "<s>"}"#,
            "section",
            "`{calls}` must be in `<s>`",
        ),
        (
            r#"{"name": "x", "call": "<c>{name}{arguments}</c>", "argument": "<k>{type}</k><v>{value}</v>"}"#,
            "argument",
            "`{type}` is not a hole",
        ),
        (
            r#"{"name": "x", "call": "<|from to={name}<|body|>{arguments}<|end|>", "message": "<|from{header}<|body|>{body}<|end|>"}"#,
            "message",
            "its tokens begin and end",
        ),
        (
            r#"{"name": "x", "call": "from|>to={name}<|body|>{arguments}<|end|>", "message": "from|>{header}<|body|>{body}<|end|>"}"#,
            "message",
            "its tokens begin and end",
        ),
        (
            r#"{"name": "x", "call": "{name}({arguments})", "section": "<s>\n{calls}\n</s>", "sections": ["<r>[{calls}]</r>"], "literals": {"python": true, "separator": "="}}"#,
            "section",
            "`<r>[{calls}]</r>`: calls stand in a list in each of them, or",
        ),
        (
            r#"{"name": "x", "call": "{\"name\": {name}, \"arguments\": {arguments}}", "or": [{"call": "{\"name\": {name}, \"arguments\": {arguments}}\n```"}]}"#,
            "or[0].call",
            "no text may stand around",
        ),
        (
            r#"{"name": "x", "call": "$ {value}\n", "key": "a"}"#,
            "tool",
            "`call` it says which tool that calls: `$ {value}",
        ),
        (
            r#"{"name": "x", "call": "$ {value}\n", "tool": "a"}"#,
            "key",
            "it must name the argument of the value: `$ {value}",
        ),
        (
            r#"{"name": "x", "call": "{name}>{value}\n", "tool": "a"}"#,
            "tool",
            "the call names its tool: `{name}>",
        ),
        (
            r#"{"name": "x", "call": "<c {name}>{arguments}</c>", "key": "a"}"#,
            "key",
            "and no other: `<c {name}>",
        ),
        (
            r#"{"name": "x", "call": "{name}>{value}\n", "section": "<s>{calls}</s>"}"#,
            "section",
            "has none: `{name}>",
        ),
        (
            r#"{"name": "x", "call": "{name}>{value}\n", "special": true}"#,
            "special",
            "has none: `{name}>",
        ),
        (r#"{"name": "x", "call": "{name}>{vale}\n{value}"}"#, "call", "`{vale}` is not a hole"),
        (r#"{"name": "x", "call": "{name}>{value}{value}\n"}"#, "call", "`{value}` must be in"),
        (
            r#"{"name": "x", "call": "<c {name}>{arguments}</c>", "argument": "{value}"}"#,
            "separator",
            "stands between two values",
        ),
        (
            r#"{"name": "x", "call": "<c {name}>{arguments}</c>", "separator": "|"}"#,
            "separator",
            "where `argument` is `{value}`: `<c {name}>",
        ),
        (
            r#"{"name": "x", "call": "<c {name}>{arguments}</c>", "argument": "{value}", "separator": " "}"#,
            "separator",
            "where `argument` is",
        ),
        (
            r#"{"name": "x", "call": "<c>{arguments}</c>", "argument": "{value}", "separator": "|", "tool": "a", "key": "b"}"#,
            "call",
            "the tool that is named says",
        ),
        (
            r#"{"name": "x", "call": "{name}>{arguments}\n", "argument": "{value}", "separator": "|"}"#,
            "call",
            "nothing closes the value",
        ),
        (r#"{"name": "x", "call": "{name}>{name}{value}\n"}"#, "call", "`{name}` must be in"),
        (r#"{"name": "x", "call": "<c>{value}</{name}>"}"#, "call", "`{name}` must be in"),
        (
            r#"{"name": "x", "call": "{name} {value}\n"}"#,
            "call",
            "`{name} {value}\n`: a sign must stand before the value",
        ),
        (r#"{"name": "x", "call": "${name}{value}\n"}"#, "call", "something must stand between"),
        (r#"{"name": "x", "call": " {name}>{value}\n"}"#, "call", "a call begins a line"),
        (r#"{"name": "x", "call": "%\n{name}>{value}\n"}"#, "call", "a call begins a line"),
        (r#"{"name": "x", "call": "{name}>{value} "}"#, "call", "nothing closes the value"),
        (r#"{"name": "x", "call": "{name}>\n{value}\n"}"#, "call", "nothing closes the value"),
        (r#"{"name": "x", "call": "{name}>{value}\n<\n>"}"#, "call", "must be on one line"),
        (
            r#"{"name": "x", "call": "<c {name}>{arguments}</c>", "close": ""}"#,
            "close",
            "unknown field `close`",
        ),
    ] {
        let error = Dialect::from_json(shape).unwrap_err();
        assert_eq!(error.place(), Some(place), "{error}");
        assert!(error.to_string().contains(what), "{error}");
    }
}

/// A typing error in the JSON of a shape is reported as one, at any place.
#[test]
fn a_shape_that_is_no_json_is_told_so() {
    for shape in [
        r#"{"name": "x", "call": "<c {name}>{arguments}</c>",}"#,
        r#"{"name": "x", "call": "<c {name}>{arguments}</c>" "argument": "é"}"#,
        r#"{"name": "x", "call": "<c {name}>{arguments}</c>""#,
    ] {
        let error = Dialect::from_json(shape).unwrap_err();
        assert_eq!(error.place(), None, "{error}");
        assert!(error.to_string().starts_with("not valid JSON: "), "{error}");
    }
}

/// If both tags of elements begin with a character of several bytes, it is skipped whole.
#[test]
fn elements_may_begin_with_any_character() {
    let shape = r#"{"name": "x", "call": "<c n=\"{name}\">{arguments}</c>", "element": "é<{key}>{value}é</{key}>"}"#;
    let dialect = Dialect::from_json(shape).expect("a shape");
    let parser = Parser::builder(&dialect).build().expect("a parser");
    for text in
        ["<c n=\"save\">é<path>é<é</path></c>", "<c n=\"save\">é<é<é<</c>", "<c n=\"save\">é</c>"]
    {
        for ended in [Ended::Stop, Ended::Cut] {
            check::hold(&parser, text, &every_cut(text.len()), ended).unwrap();
        }
    }
    let message = parser.parse("<c n=\"save\">é<path>x < é y é</path></c>");
    let call = message.calls().next().expect("a call");
    assert_eq!(Value::from(call.input().clone()), json!({"path": "x < é y "}));
}

#[test]
fn a_shape_of_which_no_parser_can_be_built_is_refused() {
    let shape =
        r#"{"name": "x", "call": "[[call: {name} {arguments}]]", "argument": "| {key}={value} |"}"#;
    let error = Dialect::from_json(shape).unwrap_err();
    assert_eq!(error.place(), Some("argument"), "{error}");
    let error = error.to_string();
    assert!(error.contains("`| {key}={value} |` in `[[call: {name} {arguments}]]`"), "{error}");
    assert!(!error.contains("rules["), "{error}");
}

/// Invented dialects, one of each kind, written with the page alone.
const INVENTED: [&str; 4] = [
    r#"{
          "name": "tickets",
          "section": "((orders\n{calls}\norders))",
          "call": "((order {name}\n{arguments}order))",
          "argument": "~ {key}: {value} ~\n"
        }"#,
    r#"{
          "name": "radio",
          "call": "<!--radio to=\"{name}\"-->{arguments}<!--over-->",
          "result": "<!--heard-->{content}<!--over-->",
          "reasoning": "<!--mute-->{reasoning}<!--unmute-->"
        }"#,
    r#"{
          "name": "parcels",
          "message": "<<to>>{header}<<in>>{body}<<out>>",
          "call": "<<to>>me for={name}<<in>>{arguments}<<out>>",
          "argument": "<{key}>{value}</{key}>"
        }"#,
    r#"{
          "name": "snake",
          "section": "<snake>\n{calls}\n</snake>",
          "call": "{name}({arguments})",
          "literals": {"python": true, "separator": "=", "between": ", "}
        }"#,
];

/// The page for hosts names every key.
#[test]
fn the_page_says_all_keys() {
    const PAGE: &str = include_str!("../../src/dialect/shapes.md");
    let error = Dialect::from_json(r#"{"call": "", "?": 0}"#).unwrap_err().to_string();
    let (_, keys) = error.split_once("expected one of ").expect(&error);
    let keys: Vec<&str> = keys.split('`').skip(1).step_by(2).collect();
    assert_eq!(keys.len(), 29, "{keys:?}");
    let (_, page) = PAGE.split_once("| key of a shape |").expect("the keys of a shape");
    let (page, _) = page.split_once("\n\n").expect("its end");
    for key in keys {
        assert!(page.contains(&format!("`{key}`")), "{key}");
    }
}

/// Any shape of a host is refused with the name of its field, or becomes a dialect that obeys the laws.
#[test]
fn any_texts_are_refused_or_read() {
    let pieces = [
        "{name}",
        "{arguments}",
        "{key}",
        "{value}",
        "{calls}",
        "{id}",
        "{content}",
        "{x}",
        "\"",
        "<",
        ">",
        "</",
        "｜",
        " ",
        "\n",
        "{",
        "}",
        "[",
        "]",
        "x",
        "é",
        "=",
        "```",
        "@",
        "{\"name\": ",
        ", \"arguments\": ",
        "<function={name}>{arguments}</function>",
        "<k>{key}</k>",
        "<v>{value}</v>",
        "<call>{name}",
        "{arguments}</call>",
        "<p {key}>{value}</p>",
    ];
    let mut built = 0;
    for seed in 0..2000 {
        let data = soup::seeded(seed, 60);
        let mut choices = Choices::new(&data);
        let mut text = || {
            let count = choices.below(6);
            (0..count).map(|_| choices.of(&pieces)).collect::<String>()
        };
        let (mut call, mut argument, mut section, result) = (text(), text(), text(), text());
        if seed % 8 != 0 {
            // A missing or surplus hole is a mistake in most texts.
            let plain = |text: String| text.replace(['{', '}'], "");
            call =
                format!("<c{}{{name}}{}{{arguments}}{}", plain(text()), plain(text()), plain(call));
            argument = match seed % 4 {
                0 => String::new(),
                _ => {
                    format!("{}{{key}}{}{{value}}{}", plain(text()), plain(text()), plain(argument))
                }
            };
            section = match seed % 3 {
                0 => format!("<s{}{{calls}}{}>", plain(text()), plain(section)),
                _ => String::new(),
            };
        }
        let or: Vec<Value> = match seed % 16 {
            0 => vec![json!({"call": text(), "argument": text()})],
            _ => Vec::new(),
        };
        let also: Vec<Value> = match call.split_once("{arguments}") {
            Some((_, end)) if seed % 5 == 0 => {
                vec![json!({"call": format!("{}{{name}}{}{{arguments}}{end}", text(), text())})]
            }
            _ => Vec::new(),
        };
        let shape = json!({
            "name": "any", "call": call, "argument": argument, "section": section,
            "result": result, "or": or, "also": also, "special": seed % 3 == 0,
        });
        let Ok(spec) = Dialect::from_json(&shape.to_string()) else { continue };
        let builder = Parser::builder(spec).tools(tools()).tool_limit(None);
        let Ok(parser) = builder.build() else { continue };
        built += 1;
        let input = json!({"path": "a", "text": "b"});
        let call = parser.render_call("read", input.as_object().unwrap()).unwrap_or_default();
        let text = format!("So {call} and {call}");
        let cuts = [vec![], (1..text.len()).collect()];
        if let Err(broken) = check::hold(&parser, &text, &cuts, Ended::Stop) {
            panic!("seed {seed}: {broken}\n{shape}\n{text:?}");
        }
    }
    assert!(built > 50, "only {built}");
}

/// A value's closer counts if the call's closer follows it, even if the same text may be a key that is too long, however much of
/// the key has come. The length is reported once, where a key may stand. (Found by fuzzing.)
#[test]
fn a_closer_counts_before_a_key_that_is_too_long() {
    let shape = json!({
        "name": "lines",
        "call": "@@call {name}@@\n{arguments}@@end@@",
        "argument": "{key}={value}\n",
    });
    let spec = Dialect::from_json(&shape.to_string()).unwrap();
    let parser = Parser::builder(spec).build().unwrap();
    for letters in [116, 120, 300] {
        let text = format!("@@call x@@\npath=a\n@@end@@@@call{}", "n".repeat(letters));
        check::hold(&parser, &text, &every_cut(text.len()), Ended::Stop).unwrap();
        let message = parser.parse(&text);
        let told = message.diagnostics().iter();
        let places = told.filter(|found| found.kind == DiagnosticKind::LimitExceeded);
        assert_eq!(places.map(|found| found.at).collect::<Vec<_>>(), [17]);
    }
}

/// A stop token counts anywhere in text, even if it begins like a call that counts only at the start of a line. (Found by
/// fuzzing.)
#[test]
fn a_stop_token_may_begin_like_a_call() {
    let call = "{\"name\": {name}, \"arguments\": {arguments}}";
    for token in ["{end}", "`end`"] {
        let shape = json!({"name": "objects", "call": call, "tokens": [token]}).to_string();
        for text in [format!("So.{token}{token}"), format!("{token}So.{token}")] {
            expect(&shape, &text, &[], "So.", &[]);
        }
    }
}

/// Held bytes are bounded, and so is a marker.
#[test]
fn a_long_marker_is_refused() {
    let shape = |len: usize| {
        let call = format!("<|{}|>{{name}}<|b|>{{arguments}}<|!|>", "x".repeat(len));
        json!({"name": "x", "call": call, "special": true}).to_string()
    };
    assert!(Dialect::from_json(&shape(450)).is_ok());
    let error = Dialect::from_json(&shape(500)).unwrap_err().to_string();
    assert_eq!(error, "call: it has 531 bytes, and 512 are the most");
}
