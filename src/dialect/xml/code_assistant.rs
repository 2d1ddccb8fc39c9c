//! `code-assistant`: prefixed tags, of the tool of that name.
//!
//! ```text
//! call  := "<tool:" NAME ">" junk ( param junk )* "</tool:" NAME ">"
//! param := "<param:" KEY ">" value "</param:" KEY ">"
//! ```

use std::borrow::Cow::Borrowed;

use super::{NAMES, TOOL};
use crate::dialect::build::{prefixed, rule};
use crate::dialect::parts::{
    call, closer, closes_both, ends_call, mismatched, opener, prose, quotes_call, stray, suspect,
    value,
};
use crate::dialect::spec::{At, DialectSpec, Framing, Known, Name, Place, Ref, Scope, WS, What};
use crate::dialect::template::{
    ArgumentsForm, CallForm, LIMITS, LINES, LineBreaks, NO_STOP, PARAM, ParamForm, PromptForm,
    Template, results,
};
use crate::pattern;

/// The dialect `code-assistant`.
pub(in crate::dialect) fn code_assistant() -> DialectSpec {
    let open = pattern!["<tool:", Name::tool(), ">"];
    let param = pattern!["<param:", Name::param(), ">"];
    let close = pattern!["</tool:", Ref::Call, ">"];
    let close_any = pattern!["</tool:", Name::tool(), ">"];
    let body = [param.clone(), pattern!["</tool:", Ref::Marker, ">"]];
    let opens = prefixed(
        pattern!["<tool:", Name::tool(), ">", WS],
        &[param.clone(), pattern!["</tool:", Ref::Element, ">"]],
    );

    let text = vec![
        opener(open.clone(), 1, &body).open(Place::Call(0)),
        rule(close_any.clone()).does(What::Orphan(Scope::Call)),
    ];
    let in_call = vec![
        rule(param.clone()).param(0),
        rule(close_any.clone()).close(Scope::Call),
        ends_call(open.clone(), &body, Scope::Call),
        stray(),
    ];
    let next = [vec![pattern![At::End]], opens].concat();
    let own = pattern!["</param:", Ref::Param, ">"];
    let quoted = pattern!["<tool:", Name::tool().known(Known::Declared), ">"];
    let in_value = vec![
        closer(own.clone(), &[param.clone(), close_any, open]),
        mismatched(pattern!["</", Ref::Param, ">"], &[param, close.clone()]),
        closes_both(close.clone(), &next, Scope::Call),
        quotes_call(quoted, &body),
        suspect(own),
        suspect(close),
        suspect(pattern!["<param:", Name::param().known(Known::Fresh), ">"]),
    ];
    DialectSpec {
        prose: prose(text),
        calls: vec![call(in_call)],
        values: vec![value(Framing::LineBreak, in_value)],
        singulars: true,
        ..DialectSpec::new(
            "code-assistant",
            "prefixed tags: <tool:read_file><param:path>…</param:path></tool:read_file>",
            template(),
        )
    }
}

/// How it is written.
pub(in crate::dialect) fn template() -> Template {
    Template {
        prompt: PromptForm {
            text: Borrowed(
                "\
# Tools

You have tools to do your work with. {limit}

## How a call is written

{form}

- Instead of tool_name and the names of the parameters, write the names from the list below, \
exactly as they stand there.
- Write values as they are: no escapes, no entities. One line stands right between its tags, \
several lines stand on lines of their own. Objects are written as JSON.
- To give a list, repeat the parameter, one element each, under the singular of its name: a list \
called `names` is given as one `name` after the other.
- Give every required parameter. Leave out an optional one that you do not need.
- Between the tags of a call there is nothing but white space, and no code fence around it.

## The tools

{tools}",
            ),
            tool: Borrowed(TOOL),
            between: Borrowed("\n\n"),
            example: Borrowed("Usage:\n{call}"),
            placeholders: NAMES,
            limits: LIMITS,
        },
        call: CallForm {
            open: Borrowed("<tool:{name}>\n"),
            arguments: ArgumentsForm::Params(ParamForm {
                open: Borrowed("<param:{key}>"),
                close: Borrowed("</param:{key}>\n"),
                line_breaks: LineBreaks::WithLines,
                ..PARAM
            }),
            close: Borrowed("</tool:{name}>"),
            ..LINES
        },
        result: results(
            "{content}",
            "Tool error: {name} failed: {line} - correct the call, or the cause, and try again.",
            "\n\n",
        ),
        stop: NO_STOP,
    }
}
