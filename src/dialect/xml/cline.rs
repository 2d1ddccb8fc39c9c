//! `cline`: Cline, Roo Code, Kilo Code and their heirs. The tags *are* the declared names.
//!
//! No shape: nothing but the declared names marks its tags, and raw values end otherwise than others.
//!
//! ```text
//! call    := "<" TOOL ">" junk ( param junk )* "</" TOOL ">"
//! param   := "<" P ">" value "</" P ">"
//! anytag  := "<" ( a name that TOOL declares | [A-Za-z0-9_.-]{1,128} ) ">"
//! wrapper := "<function_calls>" ws, before a call's opener
//! ```
//! * `<TOOL>` counts if `ws anytag` or `ws </TOOL>` follows.
//! * `</P>` of a *raw* parameter (`content`, `diff`, `arguments`, and those of `raw_params`) counts
//!   before `ws </TOOL>`, before `ws <Q>` with Q declared and not yet given, before one small
//!   undeclared element with one of these after it, and at the end of the stream.
//! * `</P>` of any other parameter counts before `ws </TOOL>`, `ws anytag` and the end.
//! * `</TOOL>` in an open value counts at the very end of the stream, and before a confirmed opener.
//! * Any other closer in a value is data, and so is a whole call: `suspect_marker`, once a call.

use std::borrow::Cow::Borrowed;

use super::in_words;
use crate::dialect::bracket::{
    call, closer, closes_both, ends_call, opener, quotes_call, stray, suspect, value,
};
use crate::dialect::build::{one_of, prefixed, rule};
use crate::dialect::prose::prose;
use crate::dialect::spec::{
    At, Chars, DialectSpec, Framing, Known, Name, Place, Ref, Rule, Run, Scope, WS, What,
};
use crate::dialect::template::{
    ArgumentsForm, CallForm, LINES, LineBreaks, NO_STOP, PARAM, ParamForm, Template, results,
};
use crate::pattern;

/// The dialect `cline`.
pub(in crate::dialect) fn cline() -> DialectSpec {
    let tool = Name::tool().known(Known::Declared);
    let open = pattern!["<", tool, ">"];
    let close = pattern!["</", Ref::Call, ">"];
    let param = pattern!["<", Name::param().known(Known::Declared), ">"];
    let fresh = pattern!["<", Name::param().known(Known::Fresh), ">"];
    let tag = pattern!["<", Name::element(), ">"];
    let close_value = pattern!["</", Ref::Param, ">"];
    let body = [param.clone(), tag.clone(), pattern!["</", Ref::Marker, ">"]];
    // A confirmed opener, as an element of a follow set.
    let opens = {
        let body = [param.clone(), tag.clone(), pattern!["</", Ref::Element, ">"]];
        prefixed(pattern!["<", tool, ">", WS], &body)
    };
    let next = [vec![pattern![At::End]], opens.clone()].concat();
    // After a raw value one small element may stand that the tool does not declare.
    let words = Run { chars: Chars::except("<"), min: 0, max: crate::bounds::WORDS as u16 };
    let undeclared = Name::element().known(Known::Undeclared);
    let element = pattern!["<", undeclared, ">", words, "</", Ref::Element, ">", WS];
    let after_element = prefixed(element, &[close.clone(), fresh.clone()]);
    let after_raw = [vec![close.clone(), fresh.clone()], after_element].concat();

    let text = vec![
        opener(open.clone(), 3, &body).open(Place::Call(0)),
        // Attributes make it no tag of this grammar, but its closer belongs to it.
        rule(pattern!["<", tool, one_of(" \t\r\n")]).fixed(3).noise().does(What::Pass),
        opener(pattern!["<function_calls>", WS], 1, &opens).noise(),
        rule(pattern!["</", tool, ">"]).does(What::Orphan(Scope::Call)),
        rule(pattern!["</function_calls>"]).does(What::Orphan(Scope::Section)),
    ];
    let in_call = vec![
        rule(param.clone()).param(0),
        rule(close.clone()).close(Scope::Call),
        ends_call(open.clone(), &body, Scope::Call),
        stray(),
    ];
    let both = closes_both(close.clone(), &next, Scope::Call);
    let quoted = quotes_call(open, &[param.clone(), pattern!["</", Ref::Marker, ">"]]);
    let data = [close_value.clone(), close.clone(), param.clone()].map(suspect);
    let ends = |own: Rule| [&[own, both.clone(), quoted.clone()], &data[..]].concat();
    let short = ends(closer(close_value.clone(), &[close, param, tag]));
    let raw = ends(closer(close_value, &after_raw));
    DialectSpec {
        tag_names: true,
        prose: prose(text),
        calls: vec![call(in_call)],
        values: vec![value(Framing::Trimmed, short), value(Framing::LineBreak, raw)],
        raw: Some(1),
        raw_params: vec!["content".into(), "diff".into(), "arguments".into()],
        diff_params: vec!["diff".into()],
        ..DialectSpec::new(
            "cline",
            "declared names as tags: <read_file><path>…</path></read_file>",
            template(),
        )
    }
}

/// How it is written.
fn template() -> Template {
    Template {
        prompt: in_words(
            "\
# Tools

You have tools to do your work with. {limit}

## How a call is written

The name of the tool is a tag, and in it each parameter is a tag of its own:

{form}

- Instead of tool_name and the names of the parameters, write the names from the list below, \
exactly as they stand there.
- Write tags without attributes, the call outside of code fences, and values as they are: no \
escapes, no entities. Lists and objects are written as JSON.
- Give every required parameter. Leave out an optional one that you do not need.
- Between the tags of a call there is nothing but white space.

## The tools

{tools}",
        ),
        call: CallForm {
            open: Borrowed("<{name}>\n"),
            arguments: ArgumentsForm::Params(ParamForm {
                open: Borrowed("<{key}>"),
                close: Borrowed("</{key}>\n"),
                line_breaks: LineBreaks::Always,
                ..PARAM
            }),
            close: Borrowed("</{name}>"),
            ..LINES
        },
        result: results(
            "[{name}] Result:\n{content}",
            "[{name}] Result: the tool failed.\n<error>\n{content}\n</error>",
            "\n\n",
        ),
        stop: NO_STOP,
    }
}
