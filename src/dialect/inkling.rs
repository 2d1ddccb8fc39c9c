//! Inkling: an envelope of messages, each with its kind.
//!
//! ```text
//! message := ( "<|message_model|>" AUTHOR )? KIND body ( "<|end_message|>" | "<|content_model_end_sampling|>" )?
//! call    := "<|content_invoke_tool_json|>" ws object        {"name": N, "args": {…}}, see machine/json.rs
//! ```
//! KIND says what the body is: reasoning, text, or a call, if an object follows. AUTHOR is markup; at the
//! start of the stream a name stands for all before KIND. In reasoning an end, a call and a header with
//! `<|message_model|>` count. A header that the stream cuts is markup. No shape: a token for each kind of message stands in
//! place of a header's words.

use super::bracket::{body, cuts, opener};
use super::build::rule;
use super::json_array::written;
use super::prose::prose_with;
use super::spec::{
    At, AtEnd, Chars, DialectSpec, Flags, Gives, Pattern, Place, Rule, Run, Scope, WS, What,
};
use super::template::Template;
use super::tool_call::objects;
use crate::event::DiagnosticKind;
use crate::options::CallsInReasoning;
use crate::options::bounds;
use crate::pattern;

const MODEL: &str = "<|message_model|>";
const THINKING: &str = "<|content_thinking|>";
const CALL: &str = "<|content_invoke_tool_json|>";
const END: &[&str] = &["<|end_message|>", "<|content_model_end_sampling|>"];

/// Any kind: what is neither reasoning nor a call is text, be it words, an image or a sound.
fn text() -> Pattern {
    let word = Chars::only("abcdefghijklmnopqrstuvwxyz0123456789_");
    pattern!["<|content_", Run { chars: word, min: 1, max: 64 }, "|>"]
}

/// The forms of a header with this kind: with an author, and without; with a name at the start.
fn headers(kind: Pattern) -> [Pattern; 3] {
    let name = Run { chars: Chars::NAME, min: 1, max: bounds::NAME as u16 };
    [[author(), kind.clone()].concat(), kind.clone(), [pattern![At::Start, name], kind].concat()]
}

fn author() -> Pattern {
    let author = Run { chars: Chars::except("<\r\n"), min: 0, max: bounds::NAME as u16 };
    pattern![MODEL, author]
}

/// The rule for each form of a header. A name alone is no half header.
fn each(kind: Pattern, of: impl Fn(Pattern) -> Rule) -> [Rule; 3] {
    let [author, bare, name] = headers(kind);
    [of(author), of(bare), of(name).needs(Flags::STREAM_START).noise()]
}

/// What is half a header at the end of the stream. The rules of whole ones stand before these.
fn cut() -> [Rule; 2] {
    [pattern![CALL, WS, "{"], text()].map(|rest| {
        let cut = rule([author(), rest].concat()).at_end(AtEnd::Prefix).fixed(1);
        cut.note(DiagnosticKind::CutOpener)
    })
}

/// The dialect `inkling`.
pub(crate) fn inkling() -> DialectSpec {
    let call = |mark: Pattern| opener(mark, 0, &[pattern!["{"]]).open(Place::Section(0));
    // A call that no object follows is none, and no kind of text either.
    let no_call = |mark: Pattern| rule(mark).noise().does(What::Pass);
    let mut in_text = each(pattern![CALL], call).to_vec();
    in_text.extend(each(pattern![THINKING], |mark| rule(mark).open(Place::Prose(1))));
    in_text.push(rule(pattern![END]));
    let [cut_call, cut_text] = cut();
    in_text.push(cut_call.clone());
    in_text.extend(each(pattern![CALL], no_call));
    in_text.extend(each(text(), rule));
    in_text.push(cut_text.clone());
    let [goes_on, _, _] = headers(pattern![THINKING]);
    let [ends, _, _] = headers(text());
    let reasoning = vec![
        rule(pattern![END]).close(Scope::Prose),
        rule(goes_on),
        // Where calls in reasoning are no calls, the header of one is reasoning and not cut.
        no_call([author(), pattern![CALL, WS, "{"]].concat()),
        cut_call,
        no_call([author(), pattern![CALL]].concat()),
        rule(ends).close(Scope::Prose),
        rule(pattern![THINKING]).needs(Flags::STREAM_START),
        cut_text,
    ];
    let mut object = body(Gives::Call, None, [pattern![END]]);
    let [author, bare, _] = headers(pattern![CALL]);
    object.rules.extend([author, bare].map(|mark| cuts(mark, &[pattern!["{"]])));
    let spec = DialectSpec::new(
        "inkling",
        "<|message_model|>NAME<|content_invoke_tool_json|>{\"name\": …, \"args\": {…}}",
        template(),
    );
    DialectSpec {
        calls_in_reasoning: CallsInReasoning::Extract,
        stripped: true,
        prose: prose_with(in_text, [Vec::new(), reasoning]),
        sections: vec![objects(0, &[], Some(pattern![END]))],
        bodies: vec![object],
        boundary: END.iter().map(|token| (*token).into()).collect(),
        ..spec
    }
}

/// How it is written: results are messages of the role `tool`.
fn template() -> Template {
    let call = "<|message_model|>{name}<|content_invoke_tool_json|>{\"name\": {json_name}, \"args\": {arguments}}\
                <|end_message|>";
    written(call).template()
}
