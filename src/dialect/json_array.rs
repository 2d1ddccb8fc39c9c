//! JSON objects between the markers of a model family: `mistral`, `command-r`, `granite`, `phi4`,
//! `json-array`, `gigachat3`, `llama3-json`, `apriel`.
//!
//! ```text
//! section := OPEN ws BODY ws CLOSE?        BODY := object ( ws object )* | "[" ( object ","? )* "]"
//! object  := {"name": N, "arguments": {…}}                                 see machine/json.rs
//! ```
//! OPEN counts if `ws` and an object, or a list with one, follow. The list, or each object by itself,
//! ends where its JSON does, so a CLOSE that a server stripped is not missed.
//!
//! | | OPEN | CLOSE |
//! |---|---|---|
//! | `command-r` | `<\|START_ACTION\|>` | `<\|END_ACTION\|>` |
//! | `granite` | `<tool_call>` `<\|tool_call\|>` | `</tool_call>` |
//! | `phi4` | `functools` before `[`, `<\|tool_call\|>` | `<\|/tool_call\|>` |
//! | `json-array` | `<TOOLCALL>` `<tool_calls>` `<\|action_start\|> ?<\|plugin\|>` `<\|tools_prefix\|>` | the same, with `/`, `end`, `suffix` |
//! | `apriel` | `<tool_calls>` | `</tool_calls>` |
//! | `gigachat3` | `function call<\|role_sep\|>` `<\|function_call\|>` before an object | |
//! | `mistral` | `[TOOL_CALLS]` | |
//! | `llama3-json` | the start of the message, `<\|python_tag\|>` there | |
//!
//! What is more:
//! * `granite`: the body may stand in a fence.
//! * `json-array`: after `<|tools_prefix|>` (Apertus) an object's one key is the tool's name, its value
//!   the arguments: `[{"N": {…}}]`.
//! * `mistral`: `[TOOL_CALLS] NAME ([CALL_ID] ID)? [ARGS]? {…}`, too.
//! * `llama3-json`: an object counts if its first key is `"name"` with a string, or one of `"type"` `"id"`
//!   `"parameters"` `"arguments"` `"function"`; any other is the answer. `<function=N>{…}</function>`
//!   counts anywhere.

use super::build::{one_of, prefixed, rule};
use super::spec::{
    At, Between, CallKind, Chars, DialectSpec, Flags, Gives, Name, Pattern, Place, Rule, Run,
    Scope, SectionKind, WS, What,
};
use super::template;
use super::tool_call::{after_object, body, json, members, object, objects, plain_json};
use super::xml::{Reasoning, opener, prose_with, reasoning, think};
use crate::options::CallsInReasoning;
use crate::pattern;

/// The kinds, as the tables number them: those of headers and objects of arguments are opened by some
/// dialects alone.
const OBJECTS: u8 = 0;
const AFTER_ARGUMENTS: u8 = 1;
const BY_NAME: u8 = 2;
const CALL_BODY: u8 = 0;
const ARGUMENTS: u8 = 1;
const NAMED_ARGUMENTS: u8 = 2;
const HEADER: u8 = 0;
const NAMED: u8 = 1;

/// What a dialect of the family is made of.
#[derive(Default)]
struct Arrays {
    /// What opens a section: the first piece of one is enough for a rejected opener.
    open: Vec<Pattern>,
    /// What follows it.
    begin: Vec<Pattern>,
    close: &'static [&'static str],
    /// What closes a call that named its tool before its object.
    end_call: &'static [&'static str],
    /// What shows that an object is a call.
    members: Vec<Pattern>,
    /// What else counts in text.
    more: Vec<Rule>,
    boundary: &'static [&'static str],
    reasoning: Reasoning,
}

impl Arrays {
    fn new(open: Vec<Pattern>, close: &'static [&'static str]) -> Arrays {
        let (begin, members) = (plain_json(), members().to_vec());
        Arrays { open, begin, close, members, ..Arrays::default() }
    }

    fn dialect(self, spec: DialectSpec) -> DialectSpec {
        let Arrays { open, begin, close, end_call, members, more, boundary, reasoning } = self;
        let opens = |mark: Pattern| opener(mark, 1, &begin).open(Place::Section(OBJECTS));
        let mut text: Vec<Rule> = open.into_iter().map(opens).chain(more).collect();
        let orphan = || rule(pattern![close]).does(What::Orphan(Scope::Section));
        text.extend((!close.is_empty()).then(orphan));
        text.extend((!boundary.is_empty()).then(|| rule(pattern![boundary])));
        let end_call_rules = (!end_call.is_empty()).then(|| end_section(end_call));
        DialectSpec {
            calls_in_reasoning: CallsInReasoning::Extract,
            prose: prose_with(text, reasoning),
            sections: vec![
                objects(CALL_BODY, &members, close),
                after_object(end_call_rules.into_iter().collect()),
            ],
            calls: vec![header(ARGUMENTS)],
            bodies: vec![
                body(Gives::Call, None, close),
                body(Gives::Arguments, Some(AFTER_ARGUMENTS), end_call),
            ],
            boundary: boundary.iter().map(|token| (*token).into()).collect(),
            ..spec
        }
    }
}

fn end_section(close: &[&'static str]) -> Rule {
    rule(pattern![close]).close(Scope::Section)
}

/// Tokens that are markup in text.
fn markup(tokens: &'static [&'static str]) -> Rule {
    rule(pattern![tokens])
}

/// Between a tool's name and its arguments, an object that is a body of this kind.
fn header(kind: u8) -> CallKind {
    let rules = vec![
        rule(pattern![CALL_ID, WS, Name::id()]),
        rule(pattern![ARGS]),
        rule(pattern!["{"]).open(Place::Body(kind)),
        rule(pattern!["null"]).close(Scope::Call),
    ];
    CallKind { rules, between: Between::Only(Chars::WHITE), whole_at_end: false }
}

const CALL_ID: &str = "[CALL_ID]";
const ARGS: &str = "[ARGS]";

/// The dialect `mistral`.
pub(crate) fn mistral() -> DialectSpec {
    const OPEN: &str = "[TOOL_CALLS]";
    let id = pattern![CALL_ID, WS, Name::id(), WS];
    let object = [pattern!["{"], pattern![ARGS, WS, "{"]];
    let follow = [object.to_vec(), prefixed(id, &object)].concat();
    let named = opener(pattern![OPEN, WS, Name::tool()], 0, &follow).open(Place::Call(HEADER));
    let [think_in_text, think_in_reasoning] = think();
    let [in_text, in_reasoning] = reasoning("[THINK]", "[/THINK]");
    let arrays = Arrays {
        more: vec![named],
        boundary: &["</s>"],
        reasoning: [[think_in_text, in_text].concat(), [think_in_reasoning, in_reasoning].concat()],
        ..Arrays::new(vec![pattern![OPEN]], &[])
    };
    let about = "[TOOL_CALLS]NAME[ARGS]{…}, or [TOOL_CALLS] and a list of JSON calls";
    let spec = DialectSpec::new("mistral", about, template::MISTRAL);
    // Ids are nine letters and digits.
    DialectSpec { ids: true, id: "toolcall{index}".into(), ..arrays.dialect(spec) }
}

/// The dialect `llama3-json`.
pub(crate) fn llama3_json() -> DialectSpec {
    let keys: &[&str] = &["\"type\"", "\"id\"", "\"parameters\"", "\"arguments\"", "\"function\""];
    let members = [pattern!["\"name\"", WS, ":", WS, "\""], pattern![keys, WS, ":"]];
    let object = prefixed(pattern!["{", WS], &members);
    let begin = [prefixed(pattern!["[", WS], &object), object].concat();
    let first = |mark: Pattern| {
        opener(mark, 0, &begin).needs(Flags::STREAM_START).open(Place::Section(OBJECTS))
    };
    let function = pattern!["<function=", WS, Name::tool(), WS, ">"];
    let more = vec![
        first(pattern![At::Start, WS]),
        first(pattern![At::Start, WS, "<|python_tag|>"]),
        opener(function, 0, &[pattern!["{", WS, one_of("\"}")]]).open(Place::Call(HEADER)),
    ];
    let arrays = Arrays {
        members: members.to_vec(),
        more,
        end_call: &["</function>"],
        boundary: &["<|eot_id|>", "<|eom_id|>"],
        ..Arrays::default()
    };
    let about = "the whole message is {\"name\": …, \"parameters\": {…}}";
    arrays.dialect(DialectSpec::new("llama3-json", about, template::LLAMA3_JSON))
}

/// The dialect `command-r`.
pub(crate) fn command_r() -> DialectSpec {
    let tokens: &[&str] =
        &["<|START_RESPONSE|>", "<|END_RESPONSE|>", "<|START_TEXT|>", "<|END_TEXT|>"];
    let arrays = Arrays {
        more: vec![markup(tokens)],
        boundary: &["<|END_OF_TURN_TOKEN|>"],
        reasoning: reasoning("<|START_THINKING|>", "<|END_THINKING|>"),
        ..Arrays::new(vec![pattern!["<|START_ACTION|>"]], &["<|END_ACTION|>"])
    };
    let about = "<|START_ACTION|>[{\"tool_call_id\": …, \"tool_name\": …, \"parameters\": {…}}]";
    let spec = DialectSpec::new("command-r", about, template::COMMAND_R);
    DialectSpec { ids: true, id: "{index}".into(), stripped: true, ..arrays.dialect(spec) }
}

/// The dialect `granite`.
pub(crate) fn granite() -> DialectSpec {
    let arrays = Arrays {
        begin: json(),
        more: vec![markup(&["<response>", "</response>"])],
        reasoning: think(),
        ..Arrays::new(vec![pattern!["<|tool_call|>"], pattern!["<tool_call>"]], &["</tool_call>"])
    };
    let about = "<|tool_call|>[{\"name\": …, \"arguments\": {…}}]";
    let spec = DialectSpec::new("granite", about, template::GRANITE);
    DialectSpec { stripped: true, ..arrays.dialect(spec) }
}

/// The dialect `phi4`.
pub(crate) fn phi4() -> DialectSpec {
    let list = prefixed(pattern!["[", WS], &object());
    let word = opener(pattern!["functools"], 0, &list).open(Place::Section(OBJECTS));
    let arrays = Arrays {
        more: vec![word],
        reasoning: think(),
        ..Arrays::new(vec![pattern!["<|tool_call|>"]], &["<|/tool_call|>"])
    };
    let about = "functools[{\"name\": …, \"arguments\": {…}}]";
    let spec = DialectSpec::new("phi4", about, template::PHI4);
    DialectSpec { stripped: true, ..arrays.dialect(spec) }
}

/// An object whose one key is a tool's name, up to its value.
fn by_name() -> Pattern {
    let name = Name::tool().chars(Chars::except("\"\\"));
    pattern!["{", WS, "\"", name, "\"", WS, ":"]
}

/// The dialect `json-array`.
pub(crate) fn json_array() -> DialectSpec {
    const CLOSE: &[&str] = &["</TOOLCALL>", "</tool_calls>", "<|action_end|>", "<|tools_suffix|>"];
    const BOUNDARY: &[&str] = &["<SPECIAL_12>", "<end_of_sentence>", "<|im_end|>"];
    let blank = Run { chars: Chars::only(" "), min: 0, max: 1 };
    let open = vec![
        pattern!["<TOOLCALL>"],
        pattern!["<tool_calls>"],
        pattern!["<|action_start|>", blank, "<|plugin|>"],
    ];
    let list = prefixed(pattern!["[", WS], &[by_name()]);
    let named = opener(pattern!["<|tools_prefix|>"], 1, &list).open(Place::Section(BY_NAME));
    let arrays = Arrays {
        more: vec![named],
        boundary: BOUNDARY,
        reasoning: think(),
        ..Arrays::new(open, CLOSE)
    };
    let about = "<tool_calls>[{\"name\": …, \"arguments\": {…}}]</tool_calls>, and its kin";
    let mut spec = arrays.dialect(DialectSpec::new("json-array", about, template::JSON_ARRAY));
    let value = [pattern!["{"], pattern!["null"]];
    let rules = vec![
        opener(by_name(), 0, &value).open(Place::Call(NAMED)),
        rule(pattern!["["]).needs(Flags::SECTION_START).not(Flags::BRACKET).sets(Flags::BRACKET),
        rule(pattern!["}"]),
        end_section(CLOSE),
    ];
    let between = Between::Only(Chars::WHITE.and("],"));
    spec.sections.push(SectionKind { rules, between, calls: true });
    spec.calls.push(header(NAMED_ARGUMENTS));
    spec.bodies.push(body(Gives::Arguments, Some(BY_NAME), CLOSE));
    spec
}

/// The dialect `gigachat3`.
pub(crate) fn gigachat3() -> DialectSpec {
    let open = vec![pattern!["function call<|role_sep|>"], pattern!["<|function_call|>"]];
    let arrays = Arrays {
        begin: object(),
        boundary: &["<|message_sep|>", "</s>"],
        ..Arrays::new(open, &[])
    };
    let about = "<|function_call|>{\"name\": …, \"arguments\": {…}}";
    arrays.dialect(DialectSpec::new("gigachat3", about, template::GIGACHAT3))
}

/// The dialect `apriel`.
pub(crate) fn apriel() -> DialectSpec {
    const FINAL: &str = "[BEGIN FINAL RESPONSE]";
    let [mut in_text, mut in_reasoning] = think();
    in_text.push(rule(pattern![FINAL]));
    in_reasoning.push(rule(pattern![FINAL]).close(Scope::Prose));
    let arrays = Arrays {
        boundary: &["[END FINAL RESPONSE]", "<|end|>", "<|begin_assistant|>", "<|assistant|>"],
        reasoning: [in_text, in_reasoning],
        ..Arrays::new(vec![pattern!["<tool_calls>"]], &["</tool_calls>"])
    };
    let about =
        "<tool_calls>[{\"name\": …, \"arguments\": {…}}]</tool_calls>, after a final response";
    arrays.dialect(DialectSpec::new("apriel", about, template::APRIEL))
}
