//! `hunyuan`.
//!
//! ```text
//! KEYS := "<tool_sep>"? ws ( PAIR ws )* | object
//! PAIR := "<arg_key>" KEY "</arg_key>" ws "<arg_value>" value "</arg_value>"
//! ```
//! `<tool_sep>` is of Hunyuan 3 alone; it confirms a call of any name. All tags have the suffix of the
//! checkpoint, or none: `<tool_call:opensource>`. The opener of a call names the suffix for all of the
//! call: tags with another one are data. It has at most 64 bytes.

use std::borrow::Cow::Borrowed;

use super::{Form, body, ends_bare, ends_block, section};
use crate::dialect::build::{one_of, rule};
use crate::dialect::parts::{call, prose_with, reasoning_between, think};
use crate::dialect::spec::{
    Chars, DialectSpec, Flags, Gives, Name, Pattern, Piece, Place, Ref, Run, Scope, Text, What,
};
use crate::dialect::template::{
    ArgumentsForm, CallForm, LINES, PARAM, ParamForm, ResultForm, Template, stop,
};
use crate::dialect::tool_call::{Tags, after_object, glm};
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

/// The stop tokens.
const TOKENS: [&str; 3] = ["eos", "User", "Assistant"];
/// What a suffix is made of, less its colon.
const SUFFIX: Chars = Chars::except(" \t\r\n<>");
/// The same in a stop token, where a bar ends it: beyond ASCII letters and digits alone.
const TOKEN_SUFFIX: Chars = Chars::NAME.and("!\"#%&'()*,;=?[\\]^`{|}~");

/// The suffix of a tag.
fn suffix() -> Name {
    Name::element().chars(SUFFIX)
}

/// A tag whose suffix has more than 64 bytes, up to there: it is none.
fn too_long() -> Pattern {
    let tags = ["tool_calls", "tool_call", "think", "tool_responses", "tool_response"];
    let tags = tags.map(|tag| [format!("<{tag}:"), format!("</{tag}:")]).concat();
    longer(tags, SUFFIX)
}

/// The same for a stop token.
fn too_long_token() -> Pattern {
    longer(TOKENS.map(|token| format!("<｜hy_{token}:")).to_vec(), TOKEN_SUFFIX)
}

/// A name has a bound of 128 bytes; this is asked first.
fn longer(begin: Vec<String>, suffix: Chars) -> Pattern {
    let begin = Piece::Any(begin.into_iter().map(Text::Owned).collect());
    vec![begin, Piece::Run(Run { chars: suffix, min: 65, max: 65 })]
}

/// The dialect `hunyuan`.
pub(in crate::dialect) fn hunyuan() -> DialectSpec {
    let forms = forms();
    let token = |name: &str, tags: &Tags| match &*tags.suffix {
        [] => pattern![format!("<｜hy_{name}｜>")],
        [Piece::Name(_)] => {
            pattern![format!("<｜hy_{name}:"), Name::element().chars(TOKEN_SUFFIX), "｜>"]
        }
        suffix => [pattern![format!("<｜hy_{name}:")], suffix.to_vec(), pattern!["｜>"]].concat(),
    };
    let tokens = |tags: &Tags| TOKENS.map(|name| token(name, tags));
    let too_long_in_text = [too_long(), too_long_token()];
    let mut text = too_long_in_text.map(|mark| rule(mark).does(What::Pass)).to_vec();
    let ends = rule(too_long()).before().close(Scope::Section);
    let (mut sections, mut bodies) = (vec![section(vec![ends])], Vec::new());
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
        bodies.extend([then, then + 1].map(|then| body(form, Gives::Arguments, Some(then))));
        calls.push(call(form.call(more)));
        values.push(form.value(&tokens(&form.own)));
    }
    let [in_text, in_reasoning] =
        reasoning_between(pattern!["<think:", suffix(), ">"], pattern!["</think:", suffix(), ">"]);
    let [plain_in_text, plain_in_reasoning] = think();
    let passes = vec![rule(too_long()).does(What::Pass)];
    let reasoning =
        [[plain_in_text, in_text].concat(), [passes, plain_in_reasoning, in_reasoning].concat()];
    DialectSpec {
        calls_in_reasoning: CallsInReasoning::Extract,
        prose: prose_with(text, reasoning),
        sections,
        calls,
        values,
        bodies,
        boundary: TOKENS.map(|of| format!("<｜hy_{of}｜>").into()).to_vec(),
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
        ..glm().template
    }
}

/// Of Hunyuan 4: nothing between the name and the keys.
pub(in crate::dialect) fn hunyuan_4() -> Template {
    Template {
        call: CallForm { open: Borrowed("<tool_call:opensource>{name}\n"), ..template().call },
        ..template()
    }
}
