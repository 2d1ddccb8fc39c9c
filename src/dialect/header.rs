//! Calls with a header before their JSON: `kimi-k2`, `solar-open`, `plamo3`, `deepseek-v3` and
//! `deepseek-v31`.
//!
//! ```text
//! section := OPEN ws ( call ws )* CLOSE
//! call    := BEGIN ws header ws object ws END
//! ```
//! A section counts if BEGIN follows, a call if its header and the object or END do. The object's brace
//! ends the call: what its own closer, its section's, or the stop token would say after it is not
//! needed. A forgotten END is `missing_closer` where another call or CLOSE shows it, a forgotten OPEN
//! `missing_opener`. A header that names no tool is markup with its object, `malformed_call`.
//!
//! # `kimi-k2`
//!
//! ```text
//! header := ID ws "<|tool_call_argument_begin|>"           ID := "functions."? NAME ( ":" digits )?
//! ```
//! All of ID is the call's id. Openers count by themselves: they are special tokens. One dialect alone
//! has this: of an ID that is all digits the tool is the one known tool whose parameters include all
//! keys of the arguments (`inferred_name`); if there is none or several, there is no call.
//!
//! # `solar-open`
//!
//! ```text
//! header := NAME? "<|tool_call:name|>" NAME "<|tool_call:args|>"          the first one is the id
//! ```
//!
//! # `plamo3`
//!
//! ```text
//! header := P(begin_tool_name) NAME P(end_tool_name) P(begin_tool_arguments)
//!           ( "<|plamo:constrain|>" "json" )? "<|plamo:msg|>"?         P(x) := "<|plamo:" x ":plamo|>"
//! ```
//! White space may stand between the tokens, and one of the two ENDs will do.
//!
//! # `deepseek-v3`, `deepseek-v31`
//!
//! ```text
//! header := NAME SEP | word SEP NAME      ( "```" letters )?, and then a fence after the object, too
//! ```

use super::build::{LETTERS, prefixed, rule};
use super::spec::{
    At, Between, BodyKind, CallKind, Chars, DialectSpec, Flags, Gives, Name, Pattern, Piece, Place,
    Rule, Run, Scope, SectionKind, Text, WS, What,
};
use super::template;
use super::xml::{ends_call, opener, prose, prose_between};
use crate::event::DiagnosticKind;
use crate::options::CallsInReasoning;
use crate::pattern;

/// The kinds, as the tables number them.
const CALLS: u8 = 0;
const AFTER_OBJECT: u8 = 1;
const ARGUMENTS: u8 = 0;
const NO_CALL: u8 = 1;

/// What may stand after an object beside white space, and means nothing.
pub(super) const GARBAGE: &[&str] = &["]", ",", ";", "```"];

/// The markers of a dialect.
struct Markers {
    /// A section.
    open: &'static [&'static str],
    close: &'static [&'static str],
    /// A call, and what ends it: one of these will do.
    begin: &'static str,
    end: &'static [&'static str],
    /// The header, from after `begin` on: one of these.
    header: Vec<Pattern>,
    /// Its last marker.
    last: &'static str,
    /// Openers count by themselves.
    tokens: bool,
    /// An object may stand in a fence.
    fenced: bool,
    /// What is markup in text. Of two that begin alike the longer one comes first.
    boundary: &'static [&'static str],
}

impl Markers {
    /// How an object begins.
    fn object(&self) -> Vec<Pattern> {
        let fenced = self.fenced.then(|| pattern!["```", LETTERS, WS, "{"]);
        [pattern!["{"]].into_iter().chain(fenced).collect()
    }

    /// What shows that a header is one.
    fn confirms(&self) -> Vec<Pattern> {
        let confirms = [self.object(), vec![pattern![self.end]]].concat();
        if self.tokens { Vec::new() } else { confirms }
    }

    /// What begins a call, whole.
    fn begins(&self) -> impl Iterator<Item = Pattern> {
        self.header.iter().map(|header| [pattern![self.begin, WS], header.clone()].concat())
    }

    fn text(&self) -> Vec<Rule> {
        let calls = if self.tokens { Vec::new() } else { vec![pattern![self.begin]] };
        let open = opener(pattern![self.open], 1, &calls).open(Place::Section(CALLS));
        // The section's opener is missing: the call is read in a section all the same.
        let bare = |mark: Pattern| {
            let bare = opener(mark, 1, &self.confirms()).not(Flags::REASONING).sets(Flags::OWED);
            bare.before().open(Place::Section(CALLS))
        };
        let mut rules = vec![open];
        if self.tokens {
            rules.push(bare(pattern![self.begin]))
        } else {
            rules.extend(self.begins().map(bare))
        }
        rules.extend([
            rule(pattern![self.close]).needs(Flags::OWED),
            rule(pattern![self.close]).does(What::Orphan(Scope::Section)),
            rule(pattern![self.end]).does(What::Orphan(Scope::Call)),
        ]);
        rules.extend(self.boundary.iter().map(|token| rule(pattern![*token])));
        rules
    }

    /// Before the first call, and between two.
    fn calls(&self) -> SectionKind {
        let confirms = self.confirms();
        let call = |mark: Pattern| opener(mark, 0, &confirms).open(Place::Call(0));
        let mut rules: Vec<Rule> = self.begins().map(call).collect();
        // What names no tool.
        let malformed = |mark: Pattern| {
            let malformed = rule(mark).clears(Flags::SECTION_START);
            malformed.note(DiagnosticKind::MalformedCall)
        };
        let others = [&[self.begin], self.close].concat();
        let last = until(self.last, &[&others[..], self.end].concat());
        let nameless = prefixed(pattern![self.begin, last, WS], &self.object());
        rules.extend(nameless.into_iter().map(|mark| malformed(mark).open(Place::Body(NO_CALL))));
        let ends = self.end.iter().map(|end| pattern![self.begin, until(end, &others)]);
        rules.extend(ends.map(malformed));
        rules.push(malformed(pattern![self.begin]).noise());
        rules.extend([
            rule(pattern![self.end]),
            rule(pattern![self.open]).needs(Flags::SECTION_START),
            rule(pattern![self.close]).clears(Flags::OWED).close(Scope::Section),
        ]);
        SectionKind { rules, between: Between::Only(Chars::WHITE), calls: true }
    }

    fn after_object(&self) -> SectionKind {
        let forgotten = |rule: Rule| rule.note(DiagnosticKind::MissingCloser);
        let rules = vec![
            start(pattern![self.end]).open(Place::Section(CALLS)),
            start(pattern![GARBAGE]),
            start(pattern!["}"]).note(DiagnosticKind::RepairedJson),
            forgotten(start(pattern![self.begin])).before().open(Place::Section(CALLS)),
            forgotten(start(pattern![self.close])).clears(Flags::OWED).close(Scope::Section),
            forgotten(start(Vec::new())).noise().close(Scope::Section),
        ];
        SectionKind { rules, between: Between::Only(Chars::WHITE), calls: false }
    }

    /// After the header.
    fn call(&self) -> CallKind {
        let over = [self.close, &[self.begin], self.boundary].concat();
        let object = prefixed(pattern![WS], &self.object());
        let object = object.into_iter().map(|mark| start(mark).open(Place::Body(ARGUMENTS)));
        let mut rules: Vec<Rule> = object.collect();
        rules.push(start(pattern![WS, "null"]).follow([pattern![self.end]]));
        rules.push(rule(pattern![self.end]).close(Scope::Call));
        rules.extend(over.iter().map(|token| ends_call(pattern![*token], &[], Scope::Call)));
        CallKind { rules, between: Between::Junk(Chars::WHITE), whole_at_end: false }
    }

    fn body(&self, gives: Gives) -> BodyKind {
        let cut = [self.end, self.close, &[self.begin]].concat();
        let rules = vec![rule(pattern![&cut[..]]).before().close(Scope::Body)];
        BodyKind { gives, rules, then: Some(Place::Section(AFTER_OBJECT)) }
    }

    /// With reasoning in `<think>`.
    fn dialect(&self, spec: DialectSpec) -> DialectSpec {
        DialectSpec {
            calls_in_reasoning: CallsInReasoning::Extract,
            stripped: true,
            prose: prose(self.text()),
            sections: vec![self.calls(), self.after_object()],
            calls: vec![self.call()],
            bodies: vec![self.body(Gives::Arguments), self.body(Gives::Nothing)],
            boundary: self.boundary.iter().map(|token| (*token).into()).collect(),
            ..spec
        }
    }
}

/// At the start of a state.
pub(super) fn start(mark: Pattern) -> Rule {
    rule([pattern![At::Start], mark].concat())
}

/// Anything up to a text.
pub(super) fn until(to: &'static str, unless: &[&'static str]) -> Piece {
    Piece::Until { to: to.into(), unless: unless.iter().map(|text| Text::from(*text)).collect() }
}

/// The dialect `kimi-k2`.
pub(crate) fn kimi_k2() -> DialectSpec {
    const ARGUMENT: &str = "<|tool_call_argument_begin|>";
    let markers = Markers {
        open: &["<|tool_calls_section_begin|>", "<|tool_call_section_begin|>"],
        close: &["<|tool_calls_section_end|>", "<|tool_call_section_end|>"],
        begin: "<|tool_call_begin|>",
        end: &["<|tool_call_end|>"],
        header: vec![pattern![Name::tool_id().prefix("functions."), WS, ARGUMENT]],
        last: ARGUMENT,
        tokens: true,
        fenced: false,
        boundary: &["<|im_end|>"],
    };
    let mut spec = markers.dialect(DialectSpec {
        id: "functions.{name}:{index}".into(),
        ..DialectSpec::new(
            "kimi-k2",
            "<|tool_call_begin|>functions.NAME:0<|tool_call_argument_begin|>{…}<|tool_call_end|>",
            template::KIMI_K2,
        )
    });
    let number = Name::id().chars(Chars::only("0123456789"));
    let inferred = pattern![markers.begin, WS, number, WS, ARGUMENT, WS, "{"];
    spec.sections[CALLS as usize].rules.insert(1, rule(inferred).open(Place::Body(ARGUMENTS)));
    spec
}

/// The dialect `solar-open`.
pub(crate) fn solar_open() -> DialectSpec {
    const NAME: &str = "<|tool_call:name|>";
    const ARGUMENTS: &str = "<|tool_call:args|>";
    let markers = Markers {
        open: &["<|tool_calls|>"],
        close: &["<|calls|>"],
        begin: "<|tool_call:begin|>",
        end: &["<|tool_call:end|>"],
        header: vec![pattern![Name::id().optional(), WS, NAME, WS, Name::tool(), WS, ARGUMENTS]],
        last: ARGUMENTS,
        tokens: false,
        fenced: false,
        boundary: &["<|begin|>assistant", "<|begin|>", "<|content|>", "<|flush|>", "<|end|>"],
    };
    let spec = markers.dialect(DialectSpec {
        id: "call{index}".into(),
        ..DialectSpec::new(
            "solar-open",
            "<|tool_call:begin|>ID<|tool_call:name|>NAME<|tool_call:args|>{…}<|tool_call:end|>",
            template::SOLAR_OPEN,
        )
    });
    let prose = prose_between(markers.text(), &["<|think|>"], &["<|end|>"]);
    DialectSpec { prose, ..spec }
}

/// The dialect `plamo3`.
pub(crate) fn plamo3() -> DialectSpec {
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
    let spec = markers.dialect(DialectSpec::new(
        "plamo3",
        "<|plamo:begin_tool_request:plamo|> with the name and a JSON object, each in tokens of its own",
        template::PLAMO3,
    ));
    const OPEN: &[&str] = &["<|plamo:begin_think:plamo|>"];
    const CLOSE: &[&str] = &["<|plamo:end_think:plamo|>"];
    let mut text = markers.text();
    text.push(rule(pattern![CLOSE]).does(What::Orphan(Scope::Prose)));
    DialectSpec { prose: prose_between(text, OPEN, CLOSE), ..spec }
}

/// The dialects `deepseek-v3` and `deepseek-v31`.
fn deepseek(spec: DialectSpec) -> DialectSpec {
    const SEPARATOR: &str = "<｜tool▁sep｜>";
    let word = Run { chars: Chars::NAME, min: 1, max: crate::bounds::NAME as u16 };
    let markers = Markers {
        open: &["<｜tool▁calls▁begin｜>"],
        close: &["<｜tool▁calls▁end｜>"],
        begin: "<｜tool▁call▁begin｜>",
        end: &["<｜tool▁call▁end｜>"],
        header: vec![
            pattern![Name::tool(), WS, SEPARATOR],
            pattern![word, WS, SEPARATOR, WS, Name::tool()],
        ],
        last: SEPARATOR,
        tokens: false,
        fenced: true,
        boundary: &["<｜end▁of▁sentence｜>", "<｜User｜>", "<｜Assistant｜>"],
    };
    markers.dialect(spec)
}

/// The dialect `deepseek-v3`.
pub(crate) fn deepseek_v3() -> DialectSpec {
    deepseek(DialectSpec::new(
        "deepseek-v3",
        "<｜tool▁call▁begin｜>function<｜tool▁sep｜>NAME and a fenced JSON object",
        template::DEEPSEEK_V3,
    ))
}

/// The dialect `deepseek-v31`.
pub(crate) fn deepseek_v31() -> DialectSpec {
    deepseek(DialectSpec::new(
        "deepseek-v31",
        "<｜tool▁call▁begin｜>NAME<｜tool▁sep｜>{…}<｜tool▁call▁end｜>",
        template::DEEPSEEK_V31,
    ))
}
