//! `muse`: a section is a message to a tool.
//!
//! ```text
//! message := ( "<|start|>" ws "assistant" )? ( ws "to=" ws RECIPIENT )? ws "<|message|>" BODY END
//! END     := "<|eom|>" | "<|eot|>"
//! ```
//! RECIPIENT says what the message is: `self` and `developer` make it reasoning, `user`, `commentary`
//! or none text, and any other a section of `invoke` with `atem:` in its tags.

use std::borrow::Cow::Borrowed;

use super::{Invoke, PROMPT, SECTION, WHOLE, plain};
use crate::dialect::build::rule;
use crate::dialect::parts::prose_with;
use crate::dialect::spec::{
    At, Between, Chars, DialectSpec, Flags, Framing, Name, Pattern, Piece, Place, Scope,
    SectionKind, WS,
};
use crate::dialect::template::{CALL, CallForm, Template, params, results, stop};
use crate::event::DiagnosticKind;
use crate::options::CallsInReasoning;
use crate::pattern;

const TAGS: Invoke = Invoke {
    open: &["<atem:function_calls>"],
    // The end of the message closes it, too.
    close: &["</atem:function_calls>", "<|eom|>", "<|eot|>", "<|start|>"],
    bare: None,
    invoke: &["<atem:invoke"],
    end_invoke: &["</atem:invoke>"],
    param: &["<atem:parameter"],
    end_param: &["</atem:parameter>"],
    boundary: &["<|eom|>", "<|eot|>", "<|start|>"],
    tokens: true,
    framing: Framing::None,
    ..plain::TAGS
};

/// The dialect `muse`.
pub(in crate::dialect) fn muse() -> DialectSpec {
    let about = "messages with headers; in those to a tool <atem:invoke name=\"…\">";
    let to = |recipient: Piece| pattern![WS, "to=", WS, recipient, WS, "<|message|>"];
    let any: Piece = Name::element().chars(Chars::NAME).into();
    let reasoning = to((&["self", "developer"][..]).into());
    let text = [to((&["user", "commentary"][..]).into()), pattern![WS, "<|message|>"]];
    let start = pattern!["<|start|>", WS, "assistant"];
    let headers = |before: Pattern| {
        let header = |tail: &Pattern| rule([&*before, tail].concat());
        vec![
            header(&reasoning).open(Place::Prose(1)),
            header(&text[0]).open(Place::Prose(0)),
            header(&text[1]).open(Place::Prose(0)),
            header(&to(any.clone())).open(Place::Section(SECTION)),
        ]
    };
    let end = rule(pattern![&["<|eom|>", "<|eot|>"][..]]);
    let close = end.clone().close(Scope::Prose);
    let text = [headers(pattern![At::Start]), headers(start.clone()), vec![close.clone()]].concat();
    let reasoning = [headers(start.clone()), vec![close]].concat();

    let [whole, open] = TAGS.calls().map(|mut marks| marks.remove(0));
    let ends = [end, rule(start).before()].map(|end| end.close(Scope::Section));
    let none =
        ends.clone().map(|end| end.needs(Flags::SECTION_START).note(DiagnosticKind::MalformedCall));
    let rules = vec![
        rule(whole).open(Place::Call(WHOLE)),
        rule(open).open(Place::Call(super::CALL)),
        rule(pattern![&["<atem:function_calls>", "</atem:function_calls>"][..]]),
    ];
    let rules = [rules, none.to_vec(), ends.to_vec()].concat();
    let spec = TAGS.dialect("muse", about, template());
    let between = Between::Junk(Chars::WHITE);
    DialectSpec {
        // Headers say what is reasoning: what a call in it would be is no question.
        calls_in_reasoning: CallsInReasoning::Ignore,
        prose: prose_with(text, [Vec::new(), reasoning]),
        sections: vec![SectionKind { rules, between, calls: true }],
        ..spec
    }
}

/// How it is written.
fn template() -> Template {
    Template {
        prompt: PROMPT,
        call: CallForm {
            open: Borrowed(
                "<|start|>assistant to={name}<|message|><atem:function_calls>\n\
                 <atem:invoke name=\"{name}\">\n",
            ),
            arguments: params("<atem:parameter name=\"{key}\">", "</atem:parameter>\n"),
            close: Borrowed("</atem:invoke>\n</atem:function_calls>"),
            between: Borrowed("<|eom|>"),
            section_close: Borrowed("<|eot|>"),
            ..CALL
        },
        result: results(
            "<|start|>tool {name}<|message|><tool_output name=\"{name}\">\n{content}\n</tool_output>\
             <|eot|>",
            "<|start|>tool {name}<|message|><tool_output name=\"{name}\">\nError: {content}\n\
             </tool_output><|eot|>",
            "",
        ),
        stop: stop(&[Borrowed("</atem:function_calls>")], &[Borrowed("<|start|>tool")]),
    }
}
