//! Lines between carets: `code-assistant-caret`, a prompt format of the tool `code-assistant`.
//!
//! ```text
//! call  := "^^^" NAME eol ( param | other )* "^^^" eol               eol := blanks, line break
//! param := KEY ":" line eol
//!        | KEY ":" "[" eol ( element eol )* "]" eol
//!        | KEY "---" eol raw line-break "---" KEY eol
//! NAME  := a declared name | ASCII letters, digits and "_"           KEY := no blank, no colon
//! ```
//! No shape: the same signs open and close, and three kinds of lines are arguments.
//!
//! * Every one of them begins a line; the openers and closers of calls do so without blanks.
//! * Blanks round a KEY and round a line are no value. Blank lines in a list are no elements.
//! * What closes a list or a raw value is confirmed by a parameter, the closer of the call or the end.
//! * Exception to the recovery of forgotten closers: `^^^` in a raw value is data, whatever follows it.

use std::borrow::Cow::Borrowed;

use super::bracket::{call, closer, closes_both, ends_call, opener, value};
use super::build::rule;
use super::prose::prose;
use super::spec::{
    At, Chars, DialectSpec, Framing, Known, LINE_BREAK, Name, Pattern, Place, Ref, Rule, Run,
    Scope, What,
};
use super::template::{ArgumentsForm, CallForm, LINES, PARAM, ParamForm, PromptForm, Template};
use super::xml::code_assistant_template;
use crate::event::TypeHint;
use crate::options::CallsInReasoning;
use crate::pattern;

const CARETS: &str = "^^^";
const DASHES: &str = "---";
/// The kinds of values.
const LINE: u8 = 0;
const LIST: u8 = 1;
const RAW: u8 = 2;

/// Blanks, at least so many.
fn blanks(min: u16) -> Run {
    Run { chars: Chars::BLANK, min, max: 32 }
}

/// A line begins with the name of a parameter.
fn key() -> Pattern {
    let name = Name::param().chars(Chars::except(" \t\r\n:^\"'`<>()[]{},;"));
    pattern![At::LineStart, blanks(0), name]
}

/// What opens a parameter: a list, a raw value, or one of a line.
fn params() -> [Pattern; 3] {
    let list =
        pattern![blanks(0), ":", blanks(0), Name::hint().chars(Chars::only("[")), At::LineEnd];
    let raw = pattern![blanks(1), DASHES, At::LineEnd];
    let line = pattern![blanks(0), ":", Run { max: crate::bounds::LINE as u16, ..blanks(0) }];
    [list, raw, line].map(|rest| [key(), rest].concat())
}

/// ASCII letters, digits and `_`.
fn name_chars() -> Chars {
    Chars::LETTERS.and("0123456789_")
}

/// What opens a call: a name of this grammar, or any that is declared.
fn opens() -> [Pattern; 2] {
    let names = [Name::tool().chars(name_chars()), Name::tool().known(Known::Declared)];
    names.map(|name| pattern![At::LineStart, CARETS, name, At::LineEnd])
}

/// What closes one.
fn closes() -> Pattern {
    pattern![At::LineStart, CARETS, At::LineEnd]
}

fn in_call() -> Vec<Rule> {
    let [list, raw, line] = params();
    let mut rules = vec![rule(list).param(LIST), rule(raw).param(RAW), rule(line).param(LINE)];
    rules.push(rule(closes()).close(Scope::Call));
    rules.extend(opens().map(|open| ends_call(open, &[], Scope::Call)));
    rules
}

/// The dialect `code-assistant-caret`.
pub(crate) fn caret() -> DialectSpec {
    let mut text = opens().map(|open| opener(open, 2, &[]).open(Place::Call(0))).to_vec();
    // After something else on its line it is text, and so is its closer.
    let midway = opens().map(|open| rule(open[1..].to_vec()).fixed(3).does(What::Pass));
    text.extend(midway);
    text.push(rule(closes()).does(What::Orphan(Scope::Call)));
    let follow = [&params()[..], &[closes()], &opens()].concat();
    let over = [&[pattern![At::End]][..], &opens()].concat();
    let list = vec![
        closer(pattern![At::LineStart, blanks(0), "]", At::LineEnd], &follow),
        closes_both(closes(), &over, Scope::Call),
    ];
    // The line break before the closer is none of the value's.
    let end = pattern![DASHES, blanks(1), Ref::Param, At::LineEnd];
    let raw = [pattern![At::Start], pattern![LINE_BREAK]]
        .map(|begin| closer([begin, end.clone()].concat(), &follow));
    DialectSpec {
        calls_in_reasoning: CallsInReasoning::Extract,
        prose: prose(text),
        calls: vec![call(in_call())],
        values: vec![
            value(Framing::White, vec![rule(pattern!["\n"]).close(Scope::Value)]),
            value(Framing::None, list),
            value(Framing::None, raw.to_vec()),
        ],
        hints: vec![("[".into(), TypeHint::Lines)],
        ..DialectSpec::new(
            "code-assistant-caret",
            "lines between carets: ^^^read_file, path: …, content --- … --- content, ^^^",
            template(),
        )
    }
}

/// How it is written.
fn template() -> Template {
    Template {
        prompt: PromptForm {
            text: Borrowed(
                "\
# Tools

You have tools to do your work with. {limit}

## How a call is written

Three carets and the name of the tool begin a call, three carets end it. Each has a line of its own:

{form}

- Instead of tool_name and the names of the parameters, write the names from the list below, \
exactly as they stand there.
- A value of one line stands after its name and a colon. Several lines stand on lines of their \
own, as they are, after the name and three dashes; three dashes and the name end them.
- A list is written with `[` after the colon, one element on each line, and `]` on a line of its own. \
Objects are written as JSON on one line.
- Give every required parameter. Leave out an optional one that you do not need.
- Nothing else stands between the carets, and no code fence around them.

## The tools

{tools}",
            ),
            ..code_assistant_template().prompt
        },
        call: CallForm {
            open: Borrowed("^^^{name}\n"),
            arguments: ArgumentsForm::Params(ParamForm {
                open: Borrowed("{key} ---\n"),
                close: Borrowed("\n--- {key}\n"),
                line: Some([Borrowed("{key}: "), Borrowed("\n")]),
                list: Some([Borrowed("{key}: [\n"), Borrowed("\n"), Borrowed("]\n")]),
                kind: RAW,
                ..PARAM
            }),
            close: Borrowed("^^^"),
            ..LINES
        },
        ..code_assistant_template()
    }
}
