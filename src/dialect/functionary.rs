//! Functionary 3.2: messages with a recipient on a line of its own.
//!
//! ```text
//! stream  := header body ( ">>>" header body )*        header := ( "all" | NAME ) line-end
//! body    := text, to "all" | object, the arguments | anything else, one parameter
//! ```
//! The model's output begins inside a header. `>>>` counts at the start of a line and right after a
//! call, if a whole header follows. What is for a tool and no object is its parameter `code`, verbatim;
//! a stop token is its closer.

use super::build::rule;
use super::json_array::{PLAIN, written};
use super::spec::{
    At, AtEnd, Between, CallKind, Chars, DialectSpec, Flags, Framing, Gives, Name, Named, Pattern,
    Place, ProseKind, Rule, Run, Scope, SectionKind, ValueKind, What,
};
use super::template::{NO_STOP, Template, object};
use super::tool_call::{after_object, body};
use crate::options::CallsInReasoning;
use crate::pattern;

const NEXT: &str = ">>>";
const BOUNDARY: &str = "<|eot_id|>";

/// The kinds, as the tables number them.
const HEADER: u8 = 0;
const AFTER_OBJECT: u8 = 1;
const OBJECT: u8 = 0;
const RAW: u8 = 1;

/// A whole header after `lead`: to everybody, or to a tool.
fn headers(lead: Pattern, all: What) -> Vec<Rule> {
    let to = |recipient: Pattern| [lead.clone(), recipient, pattern![At::LineEnd]].concat();
    let tool = |follow: Pattern, kind: u8| {
        rule(to(pattern![Name::tool()])).follow([follow]).open(Place::Call(kind))
    };
    let first = Run { chars: Chars::except(" \t\r\n"), min: 1, max: 1 };
    vec![
        rule(to(pattern!["all"])).does(all),
        tool(pattern!["{"], OBJECT).at_end(AtEnd::Known),
        tool(pattern![first], RAW),
    ]
}

fn call(mark: Rule) -> CallKind {
    CallKind { rules: vec![mark], between: Between::Only(Chars::WHITE), whole_at_end: false }
}

/// The dialect `functionary`.
pub(crate) fn functionary() -> DialectSpec {
    let next = headers(pattern![NEXT], What::Mark);
    let mut text: Vec<Rule> = next.into_iter().map(|rule| rule.needs(Flags::LINE_START)).collect();
    text.push(rule(pattern![BOUNDARY]));
    let text = ProseKind { rules: text, ..ProseKind::default() };
    let header = SectionKind {
        rules: headers(pattern![At::Start], What::Open(Place::Prose(0))),
        between: Between::Only(Chars::only("")),
        calls: false,
    };
    // The next header closes the value before it, the stop token where nothing comes after it.
    let code = vec![
        rule(pattern![NEXT, Name::tool(), At::LineEnd])
            .needs(Flags::LINE_START)
            .before()
            .close(Scope::Call),
        rule(pattern![BOUNDARY])
            .follow([pattern![At::End]])
            .at_end(AtEnd::Listed)
            .close(Scope::Call),
    ];
    let spec = DialectSpec::new(
        "functionary",
        "recipients on lines of their own: >>>NAME, and the arguments as JSON",
        template(),
    );
    DialectSpec {
        entry: Place::Section(HEADER),
        calls_in_reasoning: CallsInReasoning::Extract,
        prose: vec![text, ProseKind { reasoning: true, ..ProseKind::default() }],
        sections: vec![header, after_object(Vec::new())],
        calls: vec![
            call(rule(pattern!["{"]).open(Place::Body(0))),
            call(rule(pattern![At::Start]).does(What::Param(0, Named::Input))),
        ],
        values: vec![ValueKind { rules: code, framing: Framing::None, whole_at_end: true }],
        bodies: vec![body(Gives::Arguments, Some(AFTER_OBJECT), &[])],
        boundary: vec![BOUNDARY.into()],
        input: "code".into(),
        ..spec
    }
}

/// How it is written: results are messages of the role `tool`.
fn template() -> Template {
    written(object(">>>{name}\n", ""), PLAIN, NO_STOP)
}
