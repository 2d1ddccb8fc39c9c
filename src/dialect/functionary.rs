//! Functionary 3.2: messages with a recipient on a line of its own.
//!
//! ```text
//! stream  := ( ">>>"? header body | text ) ( ">>>" header body )*
//! header  := ( "all" | NAME ) line-break
//! body    := text, to "all" | object, the arguments | anything else, one parameter
//! ```
//! The model's output begins inside a header. Where it does not, all is text from its first byte: a first
//! line that is neither `all` nor a declared name is a header only if the next one begins with `{`. After
//! that `>>>` and a whole header count at the start of a line and right after a call, and to `all` or to
//! a declared tool in the middle of a line, too. What is for a tool and no object is its parameter
//! `code`, verbatim; a stop token is its closer. No shape: a header is a line that only its name shows to be one.

use super::bracket::{after_object, body, strict_call};
use super::build::{one, rule};
use super::json_array::written;
use super::spec::{
    At, AtEnd, Between, Chars, DialectSpec, Flags, Framing, Gives, Input, Known, Name, Named,
    Pattern, Place, ProseKind, Rule, Run, Scope, SectionKind, ValueKind, What,
};
use super::template::Template;
use crate::event::DiagnosticKind;
use crate::options::CallsInReasoning;
use crate::pattern;

const NEXT: &str = ">>>";
const BOUNDARY: &str = "<|eot_id|>";

/// The kinds, as the tables number them.
const TEXT: Place = Place::Prose(0);
/// Before the first header, and text where there is none.
const FIRST: Place = Place::Prose(2);
const AFTER_OBJECT: u8 = 0;
/// A first line that names no declared tool, with an object after it.
const UNKNOWN: Place = Place::Section(1);
const OBJECT: u8 = 0;
const RAW: u8 = 1;

/// Perhaps the first half of a line break.
const CR: Run = Run { chars: Chars::only("\r"), min: 0, max: 1 };

/// A header after `lead`. It holds no blanks.
fn header(lead: Pattern, recipient: Pattern) -> Pattern {
    [lead, recipient, pattern![CR, "\n"]].concat()
}

fn declared() -> Name {
    Name::tool().known(Known::Declared)
}

/// A header that names a tool, as a call of it: with an object, or with anything else.
fn calls(mark: Pattern) -> [Rule; 2] {
    let first = one(Chars::NO_WHITE);
    let call =
        |follow: Pattern, kind: u8| rule(mark.clone()).follow([follow]).open(Place::Call(kind));
    [call(pattern!["{"], OBJECT).at_end(AtEnd::Known), call(pattern![first], RAW)]
}

/// The headers in text, and what ends its last message.
fn in_text() -> Vec<Rule> {
    let next = |recipient: Pattern| header(pattern![NEXT], recipient);
    let at_line = calls(next(pattern![Name::tool()])).map(|rule| rule.needs(Flags::LINE_START));
    let mut rules = vec![rule(next(pattern!["all"]))];
    rules.extend(calls(next(pattern![declared()])));
    rules.extend(at_line);
    rules.push(rule(pattern![BOUNDARY]));
    rules
}

/// The same where the stream begins, and what its first line may be.
fn at_first() -> Vec<Rule> {
    let leads = [pattern![At::Start], pattern![At::Start, NEXT]];
    let mut rules = Vec::new();
    for lead in leads.clone() {
        rules.push(rule(header(lead.clone(), pattern!["all"])).open(TEXT));
        rules.extend(calls(header(lead.clone(), pattern![declared()])));
        // An object begins the very next line: the section reads the header once more.
        let unknown = [lead, pattern![Name::tool(), CR, "\n{"]].concat();
        rules.push(rule(unknown).noise().before().open(UNKNOWN));
    }
    for lead in leads {
        // The stream ends in the name of a tool: that is text, but the host is told.
        let pieces = lead.len() as u8;
        let cut = rule(header(lead, pattern![declared()])).at_end(AtEnd::Prefix).fixed(pieces);
        rules.push(cut.noise().does(What::Pass).note(DiagnosticKind::CutOpener));
    }
    // A line that is no header here is none in the text that follows from here on.
    rules.push(rule(pattern![At::Start, NEXT]).does(What::Pass));
    rules
}

/// The dialect `functionary`.
pub(crate) fn functionary() -> DialectSpec {
    let prose = |rules: Vec<Rule>| ProseKind { rules, ..ProseKind::default() };
    let unknown = [pattern![At::Start], pattern![At::Start, NEXT]].map(|lead| {
        let [object, _] = calls(header(lead, pattern![Name::tool()]));
        object
    });
    let unknown = SectionKind { rules: unknown.into(), between: Between::default(), calls: false };
    // The next header closes the value before it, the stop token where nothing comes after it.
    let next =
        |recipient: Pattern| rule(header(pattern![NEXT], recipient)).before().close(Scope::Call);
    let code = vec![
        next(pattern!["all"]),
        next(pattern![declared()]),
        next(pattern![Name::tool()]).needs(Flags::LINE_START),
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
        entry: FIRST,
        calls_in_reasoning: CallsInReasoning::Extract,
        prose: vec![
            prose(in_text()),
            ProseKind { reasoning: true, ..ProseKind::default() },
            prose([at_first(), in_text()].concat()),
        ],
        sections: vec![after_object(Vec::new()), unknown],
        calls: vec![
            strict_call(vec![rule(pattern!["{"]).open(Place::Body(0))]),
            strict_call(vec![rule(pattern![At::Start]).does(What::Param(0, Named::Input))]),
        ],
        values: vec![ValueKind { rules: code, framing: Framing::None, whole_at_end: true }],
        bodies: vec![body(Gives::Arguments, Some(AFTER_OBJECT), None)],
        boundary: vec![BOUNDARY.into()],
        input: Input("code".into()),
        ..spec
    }
}

/// How it is written: results are messages of the role `tool`.
fn template() -> Template {
    written(">>>{name}\n{arguments}").template()
}
