//! `plamo3`.
//!
//! ```text
//! header := P(begin_tool_name) NAME P(end_tool_name) P(begin_tool_arguments)
//!           ( "<|plamo:constrain|>" "json" )? "<|plamo:msg|>"?         P(x) := "<|plamo:" x ":plamo|>"
//! ```
//! White space may stand between the tokens, and one of the two ENDs will do.

use super::PROMPT;
use crate::dialect::build::{prefixed, rule, start};
use crate::dialect::shape::calls::{AFTER_OBJECT, CALLS};
use crate::dialect::shape::{Or, Shape, texts};
use crate::dialect::spec::{DialectSpec, Piece, Place, Rule, WS, What};
use crate::dialect::template::NO_STOP;
use crate::event::DiagnosticKind;
use crate::pattern;

/// The dialect `plamo3`.
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
