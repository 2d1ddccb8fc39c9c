//! JSON as models write it that follow no form: `bare-json`, and `wrapped-json`, which knows no object by itself.
//!
//! ```text
//! calls := OBJECT … in a lead, or without one         see dialect/answer.rs
//!        | TAG ws NAME ws object ws CLOSER? | "```tool" NAME line-end object ws "```"?      of a declared tool
//!        | "{" … "tool_calls" ":" "[" OBJECT ( "," OBJECT )* "]" … "}"      at the message's start, bare-json alone
//! ```
//! A name before its object is confirmed by that object's first quote, or by its end. The last line is a message in
//! OpenAI's form. What is said in it beside its calls is markup, and told: it is a JSON string, no text as it stands.
//! Members before its calls are few and short: they are held until the first call has shown what they belong to.

use super::OBJECT_CALL;
use crate::dialect::answer::WORD;
use crate::dialect::bracket::{PUNCTUATION, body, braces, opener, strict_call};
use crate::dialect::build::{one_of, rule};
use crate::dialect::closers::{runs_of_closers, with_cut_openers};
use crate::dialect::shape::{Or, Shape, texts};
use crate::dialect::spec::{
    At, Between, CallKind, Chars, DialectSpec, Flags, Gives, Known, Name, Pattern, Piece, Place,
    Rule, Run, Scope, SectionKind, Trial, WS,
};
use crate::dialect::template::tools_prompt;
use crate::dialect::tool_call::one_or_listed;
use crate::event::DiagnosticKind;
use crate::options::CallsInReasoning;
use crate::pattern;

/// The wrappers of objects.
const ROUND: &[[&str; 2]] = &[
    ["<tool_call>", "</tool_call>"],
    ["<tools>", "</tools>"],
    ["<tool>", "</tool>"],
    ["<function_call>", "</function_call>"],
    ["<tool_use>", "</tool_use>"],
    ["<toolcall>", "</toolcall>"],
    ["<tool-call>", "</tool-call>"],
    ["[TOOL_REQUEST]", "[END_TOOL_REQUEST]"],
    ["[TOOL_CALL]", "[/TOOL_CALL]"],
    ["[TOOL_CALLS]", "[/TOOL_CALLS]"],
    ["<|plugin|>", "<|endofblock|>"],
];

/// `bare-json`: an object of a declared tool is a call, bare, in a fence or in tags.
pub(in crate::dialect) fn bare_json() -> DialectSpec {
    let shape = Shape {
        name: "bare-json".into(),
        about: "{\"name\": …, \"arguments\": {…}} of a declared tool, bare, in a fence or in tags"
            .into(),
        call: OBJECT_CALL.into(),
        or: [round(0), vec![fence("json")]].concat(),
        prompt: Some(tools_prompt!(
            "To call a tool, write one JSON object on a line of its own, with its name and its arguments and \
             nothing round it:",
            "The arguments are one JSON object that fits the schema, with every required one in it; of a tool \
             without parameters it is {}. In its strings, quotes and line breaks are escaped."
        )),
        ..shape()
    };
    with_cut_openers(with_messages(with_named(shape.built_in())), false)
}

/// `wrapped-json`: the same with something round each object, so that no example is a call.
pub(in crate::dialect) fn wrapped_json() -> DialectSpec {
    let [open, close] = ROUND[0];
    let shape = Shape {
        name: "wrapped-json".into(),
        about: "<tool_call>{\"name\": …, \"arguments\": {…}}</tool_call> of a declared tool, also in other tags"
            .into(),
        call: format!("{open}\n{OBJECT_CALL}\n{close}").into(),
        or: [round(1), vec![fence("tool_call")]].concat(),
        wrapped: true,
        ..shape()
    };
    with_cut_openers(with_named(shape.built_in()), false)
}

fn shape() -> Shape {
    Shape {
        tokens: texts(&["<|im_end|>", "<|endoftext|>", "<|end|>", "<|eot_id|>", "<end_of_turn>"]),
        calls_in_reasoning: Some(CallsInReasoning::Ignore),
        result: "Result of {name}:\n{content}".into(),
        invented: Some("".into()),
        also_rules: ROUND.iter().map(|[_, end]| runs_of_closers(&(*end).into(), false)).collect(),
        ..Shape::default()
    }
}

/// An object in each of these but the first ones.
fn round(skipped: usize) -> Vec<Or> {
    let rest = ROUND.iter().skip(skipped);
    rest.map(|[open, close]| Or::json(format!("{open}{OBJECT_CALL}{close}"))).collect()
}

fn fence(word: &str) -> Or {
    Or::json(format!("```{word}\n{OBJECT_CALL}\n```"))
}

/// With calls that name their tools before their arguments: `<function>NAME{…}</function>`, or in a fence.
fn with_named(mut spec: DialectSpec) -> DialectSpec {
    const BLANKS: Piece = Piece::Run(Run { chars: Chars::BLANK, min: 1, max: 32 });
    const CLOSES: &[&str] = &["</function>", "</tool>"];
    let name = || Name::tool().known(Known::Declared);
    let opens = [
        opener(pattern![&["<function>", "<tool>"][..], WS, name()], 0, &[]).not(Flags::WHOLE),
        opener(pattern!["```tool", BLANKS, name(), At::LineEnd], 0, &[])
            .needs(Flags::BLOCK_START)
            .not(Flags::FENCES_QUOTE),
    ];
    let closes: [Pattern; 2] = [pattern![CLOSES], pattern!["```", Piece::NotNext(WORD.and("`"))]];
    let mut text = Vec::new();
    for (opens, close) in opens.into_iter().zip(closes) {
        let [call, object, after] =
            [spec.calls.len(), spec.bodies.len(), spec.sections.len()].map(|count| count as u8);
        let opens = opens.follow([pattern!["{", WS, one_of("\"}")]]).not(Flags::THINKING);
        text.push(opens.open(Place::Call(call)));
        spec.calls.push(before_object(object));
        spec.bodies.push(body(Gives::Arguments, Some(after), [pattern![close[0]]]));
        let close = rule(close).noise().close(Scope::Section);
        let rules = [vec![close], braces().to_vec()].concat();
        spec.sections.push(SectionKind { rules, between: PUNCTUATION, calls: true });
    }
    // A fence of a call is none of the text.
    spec.prose[0].rules.splice(0..0, text);
    spec
}

/// Between a tool's name and its arguments, an object that is a body of this kind.
fn before_object(kind: u8) -> CallKind {
    strict_call(vec![rule(pattern!["{"]).open(Place::Body(kind))])
}

/// With a message in OpenAI's form, at the start of this one.
fn with_messages(mut spec: DialectSpec) -> DialectSpec {
    const SPACE: Piece = Piece::Run(Run { chars: Chars::WHITE, min: 0, max: 32 });
    const SAID: Piece = Piece::Run(Run { chars: Chars::except("\""), min: 1, max: 512 });
    let member = |key: &'static str, value: Pattern| {
        [pattern![key, SPACE, ":", SPACE], value, pattern![SPACE, ",", SPACE]].concat()
    };
    let roles = [Pattern::new(), member("\"role\"", pattern!["\"assistant\""])];
    let nothing = member("\"content\"", pattern![&["null", "\"\""][..]]);
    let content = member("\"content\"", pattern!["\"", SAID, "\""]);
    let contents = [(Pattern::new(), false), (nothing, false), (content, true)];
    let calls = pattern!["\"tool_calls\"", SPACE, ":", SPACE, "["];
    let [list, rest] = [0, 1].map(|further| spec.sections.len() as u8 + further);
    for role in &roles {
        for (content, is_said) in &contents {
            let mark = [pattern!["{", SPACE], role.clone(), content.clone(), calls.clone()];
            let opens = opener(mark.concat(), 0, &[pattern!["{", Trial::Keys]]);
            let opens = opens.needs(Flags::MESSAGE_START).not(Flags::THINKING | Flags::WHOLE);
            let opens = if *is_said { opens.note(DiagnosticKind::StrayText) } else { opens };
            spec.prose[0].rules.push(opens.open(Place::Section(list)));
        }
    }
    spec.sections.extend([listed(rest), beside_calls()]);
    spec
}

/// The list of calls in such a message. Section `rest` comes after it if the message goes on.
fn listed(rest: u8) -> SectionKind {
    const BARE: u8 = 0;
    let first = rule(pattern!["{"]).needs(Flags::SECTION_START).open(Place::Body(BARE));
    let [late, further, ..] = one_or_listed(BARE, &[pattern![Trial::Keys]]);
    let ends = rule(pattern!["]", WS, "}"]).noise().close(Scope::Section);
    let goes_on = rule(pattern!["]", WS, ",", WS, "\""]).noise().open(Place::Section(rest));
    let [brace, first_brace] = braces().map(|brace| brace.not(Flags::WAITING));
    let rules = vec![first, late, further, ends, goes_on, brace, first_brace];
    SectionKind { rules, between: PUNCTUATION, calls: true }
}

/// Behind the first quote of the members that follow the list, up to the brace that closes the message. A string in
/// which braces stand is read as a whole.
fn beside_calls() -> SectionKind {
    let text = Piece::Run(Run { chars: Chars::except("\""), min: 0, max: 512 });
    let nothing = rule(pattern![":", WS, &["null", "\"\""][..]]);
    let said = rule(pattern![":", WS, "\"", text, "\""]).note(DiagnosticKind::StrayText);
    let ends = rule(pattern!["}"]).close(Scope::Section);
    let rules = [nothing, said, ends].map(Rule::noise).to_vec();
    SectionKind { rules, between: Between::Junk(Chars::except("}")), calls: false }
}
