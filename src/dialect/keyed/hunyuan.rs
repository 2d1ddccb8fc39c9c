//! `hunyuan`.
//!
//! ```text
//! KEYS := "<tool_sep>"? ws ( PAIR ws )* | object
//! PAIR := "<arg_key>" KEY "</arg_key>" ws "<arg_value>" value "</arg_value>"
//! ```
//! `<tool_sep>` is of Hunyuan 3 alone; it confirms a call of any name. All tags have the suffix of the
//! checkpoint, or none: `<tool_call:opensource>`. The opener of a call names the suffix for all of the
//! call: tags with another one are data.

use std::borrow::Cow::Borrowed;

use super::{Form, body, ends_bare, ends_block, section};
use crate::dialect::build::{one_of, rule};
use crate::dialect::parts::{call, prose_with, reasoning_between, think};
use crate::dialect::spec::{Chars, DialectSpec, Flags, Gives, Name, Pattern, Piece, Place, Ref};
use crate::dialect::template::{
    ArgumentsForm, CallForm, LINES, PARAM, ParamForm, ResultForm, Template, stop,
};
use crate::dialect::tool_call::{Tags, after_object, glm_template};
use crate::options::CallsInReasoning;
use crate::pattern;

/// Without a suffix, and with one.
fn forms() -> [Form; 2] {
    let tags = |suffix: Pattern| Tags { prefix: "", suffix };
    let forms = [
        Form::new(0, Tags::default(), Tags::default()),
        Form::new(1, tags(pattern![suffix()]), tags(pattern![Ref::Element])),
    ];
    forms.map(|form| Form { keys: &["arg_key", "tool_sep"], object: true, ..form })
}

/// The suffix of a tag, without its colon: anything but white space, `<` and `>`. Its models write at most
/// 64 bytes; the bound is that of a name, 128.
fn suffix() -> Name {
    Name::element().chars(Chars::except(" \t\r\n<>"))
}

/// The same in a stop token, where a bar ends it: beyond ASCII letters and digits alone.
fn token_suffix() -> Name {
    Name::element().chars(Chars::NAME.and("!\"#%&'()*,;=?[\\]^`{|}~"))
}

/// The dialect `hunyuan`.
pub(in crate::dialect) fn hunyuan() -> DialectSpec {
    let forms = forms();
    let token = |name: &str, tags: &Tags| match &*tags.suffix {
        [] => pattern![format!("<｜hy_{name}｜>")],
        [Piece::Name(_)] => pattern![format!("<｜hy_{name}:"), token_suffix(), "｜>"],
        suffix => [pattern![format!("<｜hy_{name}:")], suffix.to_vec(), pattern!["｜>"]].concat(),
    };
    let tokens = |tags: &Tags| ["eos", "User", "Assistant"].map(|name| token(name, tags));
    let mut text = Vec::new();
    let (mut sections, mut bodies) = (vec![section(Vec::new())], Vec::new());
    let (mut calls, mut values) = (Vec::new(), Vec::new());
    for form in &forms {
        text.extend(form.text(&["tool_responses", "tool_response"].map(|of| form.opens.open(of))));
        text.extend(tokens(&form.opens).map(rule));
        sections[0].rules.extend(form.section());
        // After an object that is all of the arguments the block goes on.
        let then = sections.len() as u8;
        sections.extend([ends_block(&form.own), ends_bare(&form.own)].map(after_object));
        let object = |of: u8| rule(pattern!["{"]).needs(Flags::CALL_START).open(Place::Body(of));
        let object = |of: u8| object(of).follow([pattern![one_of("\"}")]]);
        let number = bodies.len() as u8;
        let more = vec![
            rule(form.own.open("tool_sep")).needs(Flags::CALL_START),
            object(number).needs(Flags::IN_SECTION),
            object(number + 1).not(Flags::IN_SECTION),
        ];
        bodies.extend([then, then + 1].map(|then| body(&form.own, Gives::Arguments, Some(then))));
        calls.push(call(form.call(more)));
        values.push(form.value(&tokens(&form.own)));
    }
    let [in_text, in_reasoning] =
        reasoning_between(pattern!["<think:", suffix(), ">"], pattern!["</think:", suffix(), ">"]);
    let [plain_in_text, plain_in_reasoning] = think();
    let reasoning =
        [[plain_in_text, in_text].concat(), [plain_in_reasoning, in_reasoning].concat()];
    DialectSpec {
        calls_in_reasoning: CallsInReasoning::Extract,
        prose: prose_with(text, reasoning),
        sections,
        calls,
        values,
        bodies,
        boundary: ["eos", "User", "Assistant"].map(|of| format!("<｜hy_{of}｜>").into()).to_vec(),
        ..DialectSpec::new(
            "hunyuan",
            "a section of <tool_call:S>NAME<tool_sep:S><arg_key:S>…</arg_key:S>…</tool_call:S>",
            template(),
        )
    }
}

/// How it is written. The suffix is that of the open weights of Hunyuan 3: a rename of `:opensource`
/// gives another one.
fn template() -> Template {
    Template {
        call: CallForm {
            section_open: Borrowed("<tool_calls:opensource>\n"),
            open: Borrowed("<tool_call:opensource>{name}<tool_sep:opensource>\n"),
            arguments: ArgumentsForm::Params(ParamForm {
                open: Borrowed(
                    "<arg_key:opensource>{key}</arg_key:opensource>\n<arg_value:opensource>",
                ),
                close: Borrowed("</arg_value:opensource>\n"),
                kind: 1,
                ..PARAM
            }),
            close: Borrowed("</tool_call:opensource>"),
            section_close: Borrowed("\n</tool_calls:opensource>"),
            ..LINES
        },
        result: ResultForm {
            open: Borrowed("<tool_responses:opensource>\n"),
            ok: Borrowed("<tool_response:opensource>\n{content}\n</tool_response:opensource>\n"),
            error: Borrowed(
                "<tool_response:opensource>\nError: {content}\n</tool_response:opensource>\n",
            ),
            between: Borrowed(""),
            close: Borrowed("</tool_responses:opensource>"),
        },
        stop: stop(
            &[Borrowed("</tool_calls:opensource>")],
            &[Borrowed("<tool_responses:opensource>")],
        ),
        ..glm_template()
    }
}

/// Of Hunyuan 4: nothing between the name and the keys.
pub(in crate::dialect) fn hunyuan_4() -> Template {
    Template {
        call: CallForm { open: Borrowed("<tool_call:opensource>{name}\n"), ..template().call },
        ..template()
    }
}
