//! `plamo3`.
//!
//! ```text
//! header := P(begin_tool_name) NAME P(end_tool_name) P(begin_tool_arguments)
//!           ( "<|plamo:constrain|>" "json" )? "<|plamo:msg|>"?         P(x) := "<|plamo:" x ":plamo|>"
//! ```
//! White space may stand between the tokens, and one of the two ENDs will do.

use std::borrow::Cow::Borrowed;

use super::{AFTER_OBJECT, CALLS, Markers, PROMPT};
use crate::dialect::build::{prefixed, rule};
use crate::dialect::parts::{opener, prose_between};
use crate::dialect::spec::{DialectSpec, Name, Place, Scope, WS, What};
use crate::dialect::template::{CALL, CallForm, NO_STOP, Template, results};
use crate::event::DiagnosticKind;
use crate::pattern;

/// The dialect `plamo3`.
pub(in crate::dialect) fn plamo3() -> DialectSpec {
    const BEGIN_ARGUMENTS: &str = "<|plamo:begin_tool_arguments:plamo|>";
    const MESSAGE: &str = "<|plamo:msg|>";
    let name = pattern![
        "<|plamo:begin_tool_name:plamo|>",
        Name::tool(),
        "<|plamo:end_tool_name:plamo|>",
        WS,
        BEGIN_ARGUMENTS
    ];
    let constraint = pattern![WS, "<|plamo:constrain|>", "json"];
    let message = pattern![WS, MESSAGE];
    let forms = [vec![], message.clone(), constraint.clone(), [constraint, message].concat()];
    let markers = Markers {
        open: &["<|plamo:begin_tool_requests:plamo|>"],
        close: &["<|plamo:end_tool_requests:plamo|>"],
        begin: "<|plamo:begin_tool_request:plamo|>",
        end: &["<|plamo:end_tool_arguments:plamo|>", "<|plamo:end_tool_request:plamo|>"],
        header: forms.map(|form| [name.clone(), form].concat()).to_vec(),
        last: MESSAGE,
        tokens: false,
        fenced: false,
        boundary: &["<|plamo:tag|>"],
    };
    let mut spec = markers.dialect(DialectSpec::new(
        "plamo3",
        "<|plamo:begin_tool_request:plamo|> with the name and a JSON object, each in tokens of its own",
        template(),
    ));
    // The token that begins a call is missing: what stands after it shows a call by itself.
    let confirms = markers.confirms();
    for header in &markers.header {
        let section = &mut spec.sections;
        let call = opener(header.clone(), 0, &confirms).open(Place::Call(0));
        section[CALLS as usize].rules.push(call.note(DiagnosticKind::MissingOpener));
        let forgotten = super::start(header.clone()).follow(confirms.clone()).before();
        let forgotten = forgotten.note(DiagnosticKind::MissingCloser).open(Place::Section(CALLS));
        let rules = &mut section[AFTER_OBJECT as usize].rules;
        rules.insert(rules.len() - 1, forgotten);
    }
    let alone = rule(pattern!["<|plamo:begin_tool_name:plamo|>"]).noise();
    spec.sections[CALLS as usize].rules.push(alone.note(DiagnosticKind::MalformedCall));
    const OPEN: &[&str] = &["<|plamo:begin_think:plamo|>"];
    const CLOSE: &[&str] = &["<|plamo:end_think:plamo|>"];
    let mut text = markers.text();
    let follow = markers
        .header
        .iter()
        .flat_map(|header| prefixed([header.clone(), pattern![WS]].concat(), &confirms));
    text[0].follow.extend(follow);
    text.extend(markers.header.iter().map(|header| markers.bare(header.clone())));
    text.push(rule(pattern![CLOSE]).does(What::Orphan(Scope::Prose)));
    DialectSpec { prose: prose_between(text, OPEN, CLOSE), ..spec }
}

/// How it is written. What its template writes of results is not known: they are named paragraphs.
fn template() -> Template {
    Template {
        prompt: PROMPT,
        call: CallForm {
            section_open: Borrowed("<|plamo:begin_tool_requests:plamo|>"),
            open: Borrowed(
                "<|plamo:begin_tool_request:plamo|><|plamo:begin_tool_name:plamo|>{name}\
                 <|plamo:end_tool_name:plamo|><|plamo:begin_tool_arguments:plamo|>\
                 <|plamo:constrain|>json<|plamo:msg|>",
            ),
            close: Borrowed("<|plamo:end_tool_arguments:plamo|><|plamo:end_tool_request:plamo|>"),
            section_close: Borrowed("<|plamo:end_tool_requests:plamo|>"),
            ..CALL
        },
        result: results(
            "Result of {name}:\n{content}",
            "Result of {name}:\nError: {content}",
            "\n\n",
        ),
        stop: NO_STOP,
    }
}
