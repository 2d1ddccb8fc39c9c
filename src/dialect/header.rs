//! Calls with a header before their JSON: `solar-open`, `plamo3`, `deepseek-v3` and `deepseek-v31`. Their rules
//! follow from [`calls`](super::shape::calls).

use std::borrow::Cow::Borrowed;

use super::build::{prefixed, rule, start};
use super::parts::opener;
use super::shape::calls::{AFTER_OBJECT, CALLS};
use super::shape::{Or, Shape, texts};
use super::spec::{DialectSpec, Flags, Name, Piece, Place, Rule, WS, What};
use super::template::{CallForm, NO_STOP, PromptForm, stop, tools_prompt};
use crate::event::DiagnosticKind;
use crate::pattern;

/// The prompt of dialects whose calls are a header and a JSON object.
pub(super) const PROMPT: PromptForm = tools_prompt!(
    "To call a tool, write its name and one JSON object with its arguments, between tokens like \
     these:",
    "The arguments must fit the schema, with every required one; a tool without parameters gets \
     {}. Quotes and line breaks in strings are escaped, as JSON has it."
);

/// `solar-open`.
///
/// ```text
/// header := NAME? "<|tool_call:name|>" NAME "<|tool_call:args|>"          the first one is the id
/// ```
pub(in crate::dialect) fn solar_open() -> DialectSpec {
    Shape {
        name: "solar-open".into(),
        about: "<|tool_call:begin|>ID<|tool_call:name|>NAME<|tool_call:args|>{…}<|tool_call:end|>"
            .into(),
        section: "<|tool_calls|>{calls}<|calls|>".into(),
        call: "<|tool_call:begin|>{id}<|tool_call:name|>{name}<|tool_call:args|>{arguments}\
               <|tool_call:end|>"
            .into(),
        between: Some("".into()),
        id: "call{index}".into(),
        reasoning: Some("<|think|>{reasoning}<|end|>".into()),
        tokens: texts(&["<|begin|>assistant", "<|begin|>", "<|content|>", "<|flush|>", "<|end|>"]),
        special: true,
        prompt: Some(PROMPT),
        result: "<|tool_response:begin|>{id}<|tool_response:name|>{name}<|tool_response:result|>\
                 {content}<|tool_response:end|>"
            .into(),
        results: "<|begin|>tool<|tool_response|>{result}{result}<|end|>".into(),
        invented: Some("".into()),
        stop: Some(NO_STOP),
        ..Shape::default()
    }
    .built_in()
}

/// `deepseek-v3`, `deepseek-v31`: one table, two ways to write.
///
/// ```text
/// header := NAME SEP | word SEP NAME      ( "```" letters )?, and then a fence after the object, too
/// ```
fn deepseek(name: &'static str, about: &'static str) -> DialectSpec {
    let shape = Shape {
        name: name.into(),
        about: about.into(),
        section: "<｜tool▁calls▁begin｜>{calls}<｜tool▁calls▁end｜>".into(),
        call: "<｜tool▁call▁begin｜>{name}<｜tool▁sep｜>{arguments}<｜tool▁call▁end｜>".into(),
        or: vec![Or::json(
            "<｜tool▁call▁begin｜>{word}<｜tool▁sep｜>{name}\n```json\n{arguments}\n\
             ```<｜tool▁call▁end｜>",
        )],
        between: Some("".into()),
        tokens: texts(&["<｜end▁of▁sentence｜>", "<｜User｜>", "<｜Assistant｜>"]),
        special: true,
        prompt: Some(PROMPT),
        result: "<｜tool▁output▁begin｜>{content}<｜tool▁output▁end｜>".into(),
        results: "<｜tool▁outputs▁begin｜>{result}{result}<｜tool▁outputs▁end｜>".into(),
        stop: Some(stop(&[], &[Borrowed("<｜tool▁outputs▁begin｜>")])),
        ..Shape::default()
    };
    let mut spec = shape.built_in();
    // A tool of that name is called by its object alone: before a fence or nothing the word names none.
    for rule in spec.rules_mut() {
        if let Some(Piece::Name(name)) = rule.mark.get_mut(2) {
            name.not.push("function".into());
        }
    }
    let whole = pattern!["<｜tool▁call▁begin｜>", WS, Name::tool(), WS, "<｜tool▁sep｜>"];
    let confirms = [pattern!["{"]];
    let bare = opener(whole.clone(), 1, &confirms).not(Flags::REASONING).sets(Flags::OWED);
    spec.prose[0].rules.insert(1, bare.before().open(Place::Section(CALLS)));
    let call = opener(whole, 0, &confirms).open(Place::Call(0));
    spec.sections[CALLS as usize].rules.insert(0, call);
    spec
}

/// The dialect `deepseek-v3`.
pub(in crate::dialect) fn deepseek_v3() -> DialectSpec {
    let about = "<｜tool▁call▁begin｜>function<｜tool▁sep｜>NAME and a fenced JSON object";
    let mut spec = deepseek("deepseek-v3", about);
    spec.template.call = CallForm {
        open: Borrowed("<｜tool▁call▁begin｜>function<｜tool▁sep｜>{name}\n```json\n"),
        close: Borrowed("\n```<｜tool▁call▁end｜>"),
        between: Borrowed("\n"),
        ..spec.template.call
    };
    spec
}

/// The dialect `deepseek-v31`.
pub(in crate::dialect) fn deepseek_v31() -> DialectSpec {
    deepseek("deepseek-v31", "<｜tool▁call▁begin｜>NAME<｜tool▁sep｜>{…}<｜tool▁call▁end｜>")
}

/// `plamo3`.
///
/// ```text
/// header := P(begin_tool_name) NAME P(end_tool_name) P(begin_tool_arguments)
///           ( "<|plamo:constrain|>" "json" )? "<|plamo:msg|>"?         P(x) := "<|plamo:" x ":plamo|>"
/// ```
/// White space may stand between the tokens, and one of the two ENDs will do.
pub(in crate::dialect) fn plamo3() -> DialectSpec {
    let call = |rest: &str| {
        format!(
            "<|plamo:begin_tool_request:plamo|><|plamo:begin_tool_name:plamo|>{{name}}\
             <|plamo:end_tool_name:plamo|><|plamo:begin_tool_arguments:plamo|>{rest}{{arguments}}\
             <|plamo:end_tool_arguments:plamo|><|plamo:end_tool_request:plamo|>"
        )
    };
    let shape = Shape {
        name: "plamo3".into(),
        about:
            "<|plamo:begin_tool_request:plamo|> with the name and a JSON object, each in tokens \
                of its own"
                .into(),
        section: "<|plamo:begin_tool_requests:plamo|>{calls}<|plamo:end_tool_requests:plamo|>"
            .into(),
        call: call("<|plamo:constrain|>json<|plamo:msg|>").into(),
        or: ["", "<|plamo:msg|>", "<|plamo:constrain|>json"]
            .map(|rest| Or::json(call(rest)))
            .into(),
        between: Some("".into()),
        reasoning: Some("<|plamo:begin_think:plamo|>{reasoning}<|plamo:end_think:plamo|>".into()),
        tokens: texts(&["<|plamo:tag|>"]),
        special: true,
        prompt: Some(PROMPT),
        // What its template writes of results is not known: they are named paragraphs.
        result: "Result of {name}:\n{content}".into(),
        results: "{result}\n\n{result}".into(),
        invented: Some("".into()),
        stop: Some(NO_STOP),
        ..Shape::default()
    };
    let mut spec = shape.built_in();
    // White space round a name would make the longest header more than is held.
    for rule in spec.rules_mut() {
        let name = rule.mark.iter().position(|piece| matches!(piece, Piece::Name(_)));
        if let Some(at) = name {
            rule.mark.splice(at - 1..at + 2, [rule.mark[at].clone()]);
        }
    }
    without_begin(&mut spec);
    spec
}

/// The token that begins a call is missing: what stands after it shows a call by itself.
fn without_begin(spec: &mut DialectSpec) {
    let [calls, after] = [CALLS, AFTER_OBJECT].map(usize::from);
    let alone = |rule: &Rule, what: What| {
        let rest = || Rule { mark: rule.mark[2..].to_vec(), ..rule.clone() };
        (rule.action.what == what).then(rest)
    };
    let text = &mut spec.prose[0].rules;
    let bare: Vec<Rule> = text[1..]
        .iter()
        .filter_map(|rule| alone(rule, What::Open(Place::Section(CALLS))))
        .collect();
    let headers = &spec.sections[calls].rules;
    let headers: Vec<Rule> =
        headers.iter().filter_map(|rule| alone(rule, What::Open(Place::Call(0)))).collect();
    text.extend(bare);
    for header in headers {
        let begins = prefixed([header.mark.clone(), pattern![WS]].concat(), &header.follow);
        text[0].follow.extend(begins);
        let next = start(header.mark.clone()).follow(header.follow.clone()).before();
        let next = next.open(Place::Section(CALLS)).note(DiagnosticKind::MissingCloser);
        let rules = &mut spec.sections[after].rules;
        rules.insert(rules.len() - 1, next);
        spec.sections[calls].rules.push(header.note(DiagnosticKind::MissingOpener));
    }
    let name = rule(pattern!["<|plamo:begin_tool_name:plamo|>"]).noise();
    spec.sections[calls].rules.push(name.note(DiagnosticKind::MalformedCall));
}
