//! An OpenAI client of the deltas, compared with the `Message` of the events.

use serde_json::{Map, Value, json};
use toolstream::check::Ended;
use toolstream::repair::{self, Repairs};
use toolstream::{
    Dialect, Event, Message, Parser, Status, Tool, ToolUse,
    options::{Options, Required},
};

use super::delta_writer::{DeltaWriter, choice, completion};
use super::soup::{self, Case, Choices, Cuts};
use super::{answers, blocks, calls, documents};

/// Longest run of white space that a gateway holds back.
const WHITE_SPACE: usize = 256;

/// A client that joins its chunks as the official clients do.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Client {
    pub content: String,
    pub reasoning: String,
    /// Name and arguments.
    pub calls: Vec<(String, String)>,
    pub finish: Option<String>,
}

impl Client {
    /// Takes the next element of `choices`.
    pub fn take(&mut self, choice: &Value) {
        assert_eq!(self.finish, None, "nothing comes after the end");
        let delta = &choice["delta"];
        let text = |key: &str| match &delta[key] {
            Value::String(text) => {
                assert!(!text.is_empty(), "a delta says something: {delta}");
                &**text
            }
            _ => "",
        };
        self.content.push_str(text("content"));
        self.reasoning.push_str(text("reasoning_content"));
        for call in delta["tool_calls"].as_array().into_iter().flatten() {
            if let Some(name) = call["function"]["name"].as_str() {
                self.calls.push((name.to_string(), String::new()));
            }
            assert_eq!(call["index"], self.calls.len() - 1, "one call at a time: {delta}");
            let arguments = call["function"]["arguments"].as_str().expect("arguments");
            self.calls.last_mut().unwrap().1.push_str(arguments);
        }
        self.finish = choice["finish_reason"].as_str().map(String::from);
    }
}

/// Like `json.loads`, but only for an object, because arguments must be one.
pub fn loads(text: &str) -> Option<Map<String, Value>> {
    let strict = serde_json::from_str(text).ok();
    // That reader stops one level early.
    strict.or_else(|| repair::arguments(text, Repairs::None).ok().map(|read| read.object))
}

/// Whether a text exists that makes `text` a JSON object if it is appended.
pub fn begins_an_object(text: &str) -> bool {
    let (mut open, mut in_string, mut escape) = (Vec::new(), false, false);
    for byte in text.bytes() {
        match byte {
            _ if escape => escape = false,
            b'\\' if in_string => escape = true,
            b'"' => in_string = !in_string,
            _ if in_string => {}
            b'{' => open.push('}'),
            b'[' => open.push(']'),
            b'}' | b']' => drop(open.pop()),
            _ => {}
        }
    }
    let closers: String = open.into_iter().rev().collect();
    ["", "\"", "\":0", ":0", "0", "\"\":0", "{}"]
        .iter()
        .any(|middle| loads(&format!("{text}{middle}{closers}")).is_some())
}

/// Whether a closer that closes nothing stands behind the beginning of an object. No reader takes such a text for an object.
pub fn is_sealed(text: &str) -> bool {
    let before = text.strip_suffix(",]").or_else(|| text.strip_suffix(",}"));
    let begins = before.is_some_and(begins_an_object);
    begins && !begins_an_object(text) && loads(text).is_none()
}

/// The visible text of a message for a client.
fn visible(message: &Value) -> String {
    const WHITE: [char; 4] = [' ', '\t', '\r', '\n'];
    let (mut text, mut white, mut after_text) = (String::new(), String::new(), false);
    for block in blocks_of(message) {
        if block["type"] == "text" {
            white.push_str(block["text"].as_str().expect("text"));
            let run = white.len() - white.trim_start_matches(WHITE).len();
            if after_text || run < white.len() || run > WHITE_SPACE {
                let keeps = !text.is_empty() || run > WHITE_SPACE;
                text.push_str(if keeps { &white } else { &white[run..] });
                white.clear();
                after_text = true;
            }
            continue;
        }
        if block["type"] == "tool_use" {
            white.clear();
        }
        after_text &= block["type"] == "opaque";
    }
    text
}

fn blocks_of(message: &Value) -> &[Value] {
    message["content"].as_array().expect("blocks")
}

/// The calls: the name, and the input if the call may run.
fn calls_of(message: &Value) -> Vec<(&str, Option<&Value>)> {
    let calls = blocks_of(message).iter().filter(|block| block["type"] == "tool_use");
    let call = |call: &'_ Value| call["status"] == "complete";
    calls
        .map(|of| (of["name"].as_str().expect("a name"), call(of).then_some(&of["input"])))
        .collect()
}

/// The finish reason of a message. Only calls that the client must answer count. A stream may be cut in a call and the tool limit
/// still end the message, with the text behind that call: such an answer is cut, too.
fn reason(message: &Value) -> &'static str {
    let calls = ended_calls(message);
    let is_cut = blocks_of(message).iter().any(|block| block["reason"] == "cut");
    if is_cut || message["finish"] == "truncated" {
        "length"
    } else if calls.is_empty() {
        "stop"
    } else {
        "tool_calls"
    }
}

/// The calls that the model ended.
fn ended_calls(message: &Value) -> Vec<(&str, Option<&Value>)> {
    let calls = blocks_of(message).iter().filter(|block| block["type"] == "tool_use");
    let all = calls_of(message).into_iter().zip(calls);
    all.filter(|(_, block)| block["reason"] != "cut").map(|(call, _)| call).collect()
}

/// Checks that a client has what the message has, and cannot read a call that it must not run.
pub fn agrees(client: &Client, message: &Value) {
    let read: Vec<(&str, Option<Value>)> =
        client.calls.iter().map(|(name, text)| (&**name, loads(text).map(Value::Object))).collect();
    let read: Vec<_> = read.iter().map(|(name, input)| (*name, input.as_ref())).collect();
    assert_eq!(read, calls_of(message));
    let calls = blocks_of(message).iter().filter(|block| block["type"] == "tool_use");
    for ((_, text), call) in client.calls.iter().zip(calls) {
        let (is_sealed, begins) = (is_sealed(text), begins_an_object(text));
        // The stream may have ended in this call, too. A message does not say that of a call with refused arguments.
        // (The line break that the closer took with it does not belong to the call.)
        let [end, all] = [&call["end"], &message["position"]].map(|at| at.as_u64().unwrap_or(0));
        let at_end = message["finish"] == "truncated" && all - end <= 2;
        assert!(
            match call["reason"].as_str() {
                None | Some("cut") => begins,
                Some(_) => is_sealed || at_end && begins,
            },
            "{text}, of {message}"
        );
    }
    assert_eq!(client.content, visible(message));
    let reasoning = blocks_of(message).iter().filter(|block| block["type"] == "reasoning");
    let reasoning: String = reasoning.map(|block| block["text"].as_str().expect("text")).collect();
    assert_eq!(client.reasoning, reasoning);
    assert_eq!(client.finish.as_deref(), Some(reason(message)), "{message}");
}

/// Feeds the text to a client, in these pieces.
pub fn client(
    parser: &Parser,
    mut writer: DeltaWriter,
    text: &str,
    cuts: &Cuts,
    ended: Ended,
) -> (Client, DeltaWriter) {
    let (mut parser, mut client, mut from) = (parser.clone(), Client::default(), 0);
    for to in cuts.iter().copied().chain([text.len()]) {
        for event in parser.feed_bytes(&text.as_bytes()[from..to]) {
            writer.push(event).for_each(|delta| client.take(&choice(delta, None)));
        }
        from = to;
    }
    match ended {
        Ended::Stop => parser.finish_into(&mut writer),
        Ended::Cut => parser.finish_cut_into(&mut writer),
    }
    writer.deltas().for_each(|delta| client.take(&choice(delta, None)));
    client.take(&choice(json!({}), Some(writer.finish_reason())));
    (client, writer)
}

fn message(parser: &Parser, text: &str, ended: Ended) -> Message {
    let (mut parser, mut message) = (parser.clone(), parser.message());
    let mut take = |event: Event<&str>| message.push(event);
    parser.feed_into(text, &mut take);
    match ended {
        Ended::Stop => parser.finish_into(&mut take),
        Ended::Cut => parser.finish_cut_into(&mut take),
    }
    message.close();
    message
}

/// Checks that for any text a client has what a message has, streamed and whole, or knows that it does not.
pub fn check(parser: &Parser, text: &str, cuts: &Cuts, ended: Ended) {
    let message = message(parser, text, ended);
    let told = message.to_json();
    let broken = (0..).zip(calls_of(&told)).filter(|(_, (_, input))| input.is_none());
    let broken: Vec<usize> = broken.map(|(at, _)| at).collect();
    let new = || DeltaWriter::new(parser);
    let (whole, writer) = client(parser, new(), text, &Vec::new(), ended);
    agrees(&whole, &told);
    assert_eq!(writer.broken(), broken);
    let bytewise = (1..text.len()).collect();
    for cuts in [cuts, &bytewise] {
        assert_eq!(client(parser, new(), text, cuts, ended).0, whole, "cut at {cuts:?}");
    }
    completes(&message, &told, &whole);
    answers::check(parser, text, cuts, ended, &whole);

    let verbatim = new().verbatim_arguments().verbatim_content();
    let (verbatim, writer) = client(parser, verbatim, text, cuts, ended);
    assert_eq!((writer.broken(), &verbatim.finish), (&*broken, &whole.finish));
    assert_eq!(verbatim.content, message.text());

    let few = |writer: DeltaWriter| writer.hold(text.len() % 7);
    let (held, writer) = client(parser, few(new()), text, &Vec::new(), ended);
    assert_eq!(client(parser, few(new()), text, cuts, ended).0, held, "cut at {cuts:?}");
    for (at, (call, same)) in held.calls.iter().zip(&whole.calls).enumerate() {
        let known = writer.broken().contains(&at);
        assert!(begins_an_object(&call.1) || is_sealed(&call.1), "{}", call.1);
        assert!(if known { loads(&call.1).is_none() } else { call == same }, "{call:?}");
    }
}

/// Checks that an answer that is not streamed says the same.
fn completes(message: &Message, told: &Value, client: &Client) {
    let answer = completion(message);
    let said = &answer["message"];
    let calls = said["tool_calls"].as_array().cloned().unwrap_or_default();
    let read = |call: &Value| {
        let function = &call["function"];
        let arguments = loads(function["arguments"].as_str().expect("arguments"));
        (function["name"].as_str().expect("a name").to_string(), arguments.map(Value::from))
    };
    let ended = ended_calls(told).into_iter();
    let ended: Vec<_> = ended.map(|(name, input)| (name.to_string(), input.cloned())).collect();
    assert_eq!(calls.iter().map(read).collect::<Vec<_>>(), ended);
    assert_eq!(said["content"].as_str().unwrap_or_default(), client.content);
    assert_eq!(said["reasoning_content"].as_str().unwrap_or_default(), client.reasoning);
    assert_eq!(answer["finish_reason"].as_str(), client.finish.as_deref());
}

/// Checks arguments from elsewhere: they are read as a repair reads them, or are broken.
fn check_arguments(text: &str, cuts: &Cuts) {
    let said = |cuts: &Cuts| {
        let (mut writer, mut out, mut from) = (DeltaWriter::untyped(), String::new(), 0);
        let mut push = |tool| {
            for delta in writer.push(Event::ToolUse(tool)) {
                let arguments = &delta["tool_calls"][0]["function"]["arguments"];
                out.push_str(arguments.as_str().expect("arguments"));
            }
        };
        push(ToolUse::Start { index: 0, name: "f", id: None, at: 0, dialect: 0 });
        for to in cuts.iter().copied().chain([text.len()]).filter(|to| text.is_char_boundary(*to)) {
            push(ToolUse::ArgumentsDelta(&text[from..to]));
            from = to;
        }
        push(ToolUse::End { status: Status::Complete, at: 0 });
        (out, writer.broken().is_empty())
    };
    let (out, whole) = said(&Vec::new());
    let expected = match text.trim_matches([' ', '\t', '\r', '\n']) {
        "null" => Some(Map::new()),
        _ => repair::arguments(text, Repairs::Default).ok().map(|read| read.object),
    };
    assert_eq!(loads(&out), expected, "{out}, of {text:?}");
    assert_eq!(whole, expected.is_some(), "{text:?}");
    assert!(if whole { begins_an_object(&out) } else { is_sealed(&out) }, "{out}, of {text:?}");
    assert_eq!(said(cuts), (out.clone(), whole), "{text:?} cut at {cuts:?}");
    assert_eq!(said(&(1..text.len()).collect()), (out, whole), "{text:?} bytewise");
}

/// Runs [`check`] on texts made from a byte string: soup of every dialect, messages that are nearly right, and arguments that are
/// nearly JSON.
pub fn body(data: &[u8]) {
    let (form, data) = data.split_first().map_or((0, data), |(form, data)| (form % 8, data));
    let case = match form {
        0 | 1 => soup::case(data),
        2 => blocks::case(data),
        3 => calls::damaged(data),
        4 => {
            let document = documents::document(data);
            let case = documents_case(document);
            check_arguments(&case.1, &Vec::new());
            case.0
        }
        _ => {
            let (case, arguments, cuts) = arguments_case(data);
            check_arguments(&arguments, &cuts);
            case
        }
    };
    check(&case.parser(), &case.text, &case.cuts, case.ended);
}

fn documents_case(document: documents::Document) -> (Case, String) {
    let documents::Document { dialect, text, cuts, json, .. } = document;
    let (options, ended) = (Options::default(), Ended::Stop);
    (Case { dialect, tools: vec![Tool::new(documents::NAME)], options, ended, text, cuts }, json)
}

/// Pieces of arguments.
const PIECES: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"",
    "'",
    "`",
    "\"\"\"",
    "\"a\":",
    "\"path\": ",
    "limit: ",
    "'all' :",
    "\"a b\"",
    "'it\\'s'",
    "1",
    "-0.50",
    "12345678901234567890123",
    "1e999",
    "true",
    "True",
    "None",
    "null",
    "oops",
    " ",
    "\n",
    "// c\n",
    "/* \" */",
    "/",
    "\\",
    "\\n",
    "\\\"",
    "\\u00e9",
    "\\ud83e",
    "\\udd80",
    "\\q",
    "\t",
    "é",
    "🦀",
    "\u{feff}",
    "```",
    "```json\n",
    "\n```",
    "~~~",
    "{}",
    "{\"path\": \"a\"}",
    "\"{\\\"path\\\": \\\"a\\\"}\"",
    "{'path': [None, {\"b\": 'c',},],}",
];

const MEMBERS: &[&str] = &[
    "\"path\": \"a\\tb\"",
    "'path': 'é'",
    "path: `x`",
    "\"limit\": 3",
    "limit: -1.50",
    "\"all\": True",
    "all: None",
    "\"list\": [1, 'two', {three: 3,},]",
    "\"d\\u0065ep\": {\"a\": {\"b\": [[], {}]}}",
    "\"path\": \"\"\"say \"hi\" \"\"\"",
    "\"a\": oops",
    "\"a\": \"raw\nbreak \\q \\ud83e\"",
];

/// Arguments of nearly any kind. Some of them are put into a string once more.
fn arguments(choices: &mut Choices<'_>) -> String {
    let mut text = String::new();
    if choices.one_in(2) {
        while choices.are_left() {
            text.push_str(choices.of(PIECES));
        }
        return text;
    }
    let [before, after] = [0; 2]
        .map(|_| choices.of(&["", "", "", " ", "```json\n", "\n```", "\u{feff}", "}", "~~~~"]));
    let encoded = choices.one_in(4);
    for _ in 0..choices.below(6) {
        text.push_str(if text.is_empty() { "{" } else { "," });
        text.push_str(choices.of(MEMBERS));
        if choices.one_in(8) {
            text.push_str(choices.of(PIECES));
        }
    }
    text.push_str(if text.is_empty() { "{}" } else { "}" });
    let text = if encoded { Value::from(text).to_string() } else { text };
    format!("{before}{text}{after}")
}

fn arguments_case(data: &[u8]) -> (Case, String, Cuts) {
    let mut choices = Choices::new(data);
    let react = Dialect::by_name("react").expect("it is there");
    let kimi = Dialect::by_name("kimi-k2").unwrap_or(Dialect::HERMES);
    let (form, ended) = (choices.below(6), soup::ended(&mut choices));
    let mut options = Options::default();
    options.tool_limit = None;
    options.repairs = choices.of(&[Repairs::Default, Repairs::Default, Repairs::None]);
    options.required = choices.of(&[Required::Report, Required::Strict]);
    let cut_bytes = soup::cut_bytes(&mut choices);
    let arguments = arguments(&mut choices);
    let (dialect, text) = match form {
        0 => (react, format!("Thought: so\nAction: find\nAction Input: {arguments}\n")),
        1 => (react, format!("Action: find\nAction Input: {arguments}\nObservation: none")),
        2 => (Dialect::GLM, format!("<tool_call>find\n{arguments}</tool_call>")),
        3 => (kimi, kimi_call(&arguments)),
        4 => (
            Dialect::HERMES,
            format!("<tool_call>{{\"arguments\": {arguments}, \"name\": \"find\"}}"),
        ),
        _ => (
            Dialect::HERMES,
            format!(
                "I look.\n<tool_call>{{\"name\": \"find\", \"arguments\": {arguments}}}</tool_call>\n"
            ),
        ),
    };
    let schema = json!({"name": "find", "parameters": {"type": "object", "required": ["path"],
        "properties": {"path": {"type": "string"}, "limit": {"type": "integer"},
            "all": {"type": ["boolean", "null"]}, "list": {"type": "array"}}}});
    let tools = vec![Tool::from_json(&schema).expect("a tool")];
    let cuts = soup::cuts(&cut_bytes, text.len());
    let own_cuts = soup::cuts(&cut_bytes, arguments.len());
    (Case { dialect, tools, options, ended, text, cuts }, arguments, own_cuts)
}

fn kimi_call(arguments: &str) -> String {
    let call = format!("functions.find:0<|tool_call_argument_begin|>{arguments}<|tool_call_end|>");
    format!("<|tool_calls_section_begin|><|tool_call_begin|>{call}<|tool_calls_section_end|>")
}
