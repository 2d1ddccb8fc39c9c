//! ReAct: the dialect of models without tool support of their own, lines that begin with keywords.
//!
//! ```text
//! stream  := ( text | thought | call | answer )*
//! thought := "Thought:" text
//! call    := "Action:" NAME line-end ( "Action Input:" input )? | "Action:" NAME "[" text "]" | "Action:" NAME "(" json …
//! input   := json rest-of-line | fence json fence | text, up to a keyword line that ends it
//! answer  := "Final Answer:" text
//! ```
//! What each keyword does in which section is a list of rules for that section. Observation and Question
//! belong to the host: where the model writes one, it invents. No shape: a keyword opens, and what ends a part is the
//! next one. What several parts share is a function here (`steps`, `input_ends`, `json_starts`).

use std::borrow::Cow::Borrowed;

use super::build::rule;
use super::prose::{think_in_reasoning, think_in_text};
use super::shape::texts;
use super::spec::{
    At, AtEnd, Between, BodyKind, CallKind, Chars, DialectSpec, Flags, Framing, Gives, Keyword,
    Lines, Named, Pattern, Piece, Place, ProseKind, Rule, Run, Scope, SectionKind, ToolLine,
    ValueKind, What,
};
use super::template::{CALL, CallForm, Limits, Placeholders, PromptForm, Template, results, stop};
use crate::event::DiagnosticKind;
use crate::pattern;

/// The keywords, as the tables number them.
const THOUGHT: Piece = Piece::Keyword(0);
const ACTION: Piece = Piece::Keyword(1);
const INPUT: Piece = Piece::Keyword(2);
const OBSERVATION: Piece = Piece::Keyword(3);
const QUESTION: Piece = Piece::Keyword(4);
const ANSWER: Piece = Piece::Keyword(5);

/// The kinds of prose after text and a block of reasoning.
const IN_THOUGHT: Place = Place::Prose(2);
const IN_ANSWER: Place = Place::Prose(3);
/// The rest of a line, and an input without a call.
const TAIL: Place = Place::Section(0);
const ORPHAN: Place = Place::Section(1);
const ORPHAN_TAIL: Place = Place::Section(2);
/// After a name, after "Action Input:", at the `{` of `name({`, after the `[` of `name[`.
const NAMED: Place = Place::Call(0);
const AT_INPUT: Place = Place::Call(1);
const AT_BRACE: Place = Place::Call(2);
const AT_BRACKET: Place = Place::Call(3);
const PLAIN: u8 = 0;
const BRACKETED: u8 = 1;
const JSON: Place = Place::Body(0);
const ORPHAN_JSON: Place = Place::Body(1);

/// The line begins with this keyword.
fn line(keyword: Piece) -> Pattern {
    pattern![At::LineStart, keyword]
}

/// The whole line that begins with it.
fn whole_line(keyword: Piece) -> Pattern {
    pattern![At::LineStart, keyword, run(Chars::except("\n"), LINE), At::LineEnd]
}

/// A tool is named like this.
fn action(form: ToolLine) -> Pattern {
    pattern![At::LineStart, ACTION, form]
}

/// Longest line that waits for the next one, in bytes.
const LINE: u16 = 256;
/// Longest info word of a code fence, in bytes.
const INFO: u16 = 120;
const STEP: [Piece; 2] = [THOUGHT, ACTION];
/// Round the info word of a fence.
const GAP: Run = run(Chars::BLANK, INFO);
/// What else may stand on a line that is over: after the bracket that closes, or alone.
const REST_BLANKS: Run = run(Chars::BLANK.and("\r"), LINE);

/// At most so many of these characters.
const fn run(chars: Chars, max: u16) -> Run {
    Run { chars, min: 0, max }
}

fn lines(keywords: &[Piece]) -> Vec<Pattern> {
    keywords.iter().cloned().map(line).collect()
}

/// A code fence line that opens, perhaps with an info word.
fn opening_fence(at: At) -> Pattern {
    let word = run(Chars::except("`< \t\r\n"), INFO);
    pattern![at, run(Chars::BLANK, 3), "```", GAP, word, At::LineEnd]
}

/// One that closes.
fn closing_fence() -> Pattern {
    pattern![At::LineStart, run(Chars::BLANK, 3), "```", GAP, At::LineEnd]
}

/// A call, or an action that says that there is none.
fn steps() -> Vec<Rule> {
    let input = || [line(INPUT)];
    let no_call =
        |mark: Pattern| rule(mark).not(Flags::REASONING).sets(Flags::STEPPED).open(Place::Prose(0));
    // A call's input has fences of its own.
    let call = |line: ToolLine, kind: Place| rule(action(line)).clears(Flags::FENCED).open(kind);
    vec![
        call(ToolLine::Paren, AT_BRACE),
        call(ToolLine::Bracket, AT_BRACKET),
        call(ToolLine::Alone, NAMED),
        no_call(action(ToolLine::NoCall)).note(DiagnosticKind::NoAction),
        rule(action(ToolLine::NoCall)).needs(Flags::REASONING).does(What::Pass),
        call(ToolLine::Any, NAMED).follow(input()),
        no_call(action(ToolLine::Missing)).follow(input()).note(DiagnosticKind::MissingActionName),
    ]
}

/// The model invents from here on.
fn cut(mark: Pattern, follow: &[Piece], note: DiagnosticKind) -> Rule {
    rule(mark).follow(lines(follow)).does(What::Rest).note(note)
}

/// What the keywords do in text and in a thought.
fn open_sections() -> Vec<Rule> {
    let wraps = [THOUGHT, ACTION, QUESTION, ANSWER];
    let result = DiagnosticKind::FabricatedResult;
    let mut rules = vec![rule(line(THOUGHT)).open(IN_THOUGHT)];
    rules.extend(steps());
    rules.extend([
        rule(line(INPUT)).needs(Flags::STEPPED).open(ORPHAN),
        cut(line(OBSERVATION), &[], result).needs(Flags::CALLED),
        rule(line(OBSERVATION))
            .needs(Flags::CALLED)
            .at_end(AtEnd::Prefix)
            .fixed(1)
            .note(DiagnosticKind::CutStopWord),
        cut(line(ANSWER), &[], DiagnosticKind::AnswerAfterAction).needs(Flags::CALLED),
        rule(line(ANSWER)).open(IN_ANSWER),
        rule(closing_fence()).needs(Flags::FENCED).clears(Flags::FENCED).does(What::Pass),
        rule(opening_fence(At::LineStart)).needs(Flags::FENCED).does(What::Pass),
        rule(closing_fence()).needs(Flags::WRAPPED).clears(Flags::WRAPPED).noise(),
        rule(opening_fence(At::LineStart))
            .not(Flags::FENCES_QUOTE)
            .follow(lines(&wraps))
            .sets(Flags::WRAPPED)
            .noise(),
        rule(opening_fence(At::LineStart)).sets(Flags::FENCED).does(What::Pass),
    ]);
    rules
}

/// In text the model may repeat the question, or invent the next one.
fn text() -> Vec<Rule> {
    let question = whole_line(QUESTION);
    let invented = DiagnosticKind::FabricatedStep;
    let questions = vec![
        cut(question.clone(), &STEP, invented).needs(Flags::CALLED),
        rule(question).follow(lines(&STEP)).noise(),
    ];
    [questions, open_sections(), think_in_text()].concat()
}

/// Nothing follows the answer, and in a fence no keyword counts.
fn answer() -> Vec<Rule> {
    let invented = DiagnosticKind::FabricatedStep;
    let steps = [
        cut(whole_line(THOUGHT), &[ACTION], invented),
        cut(whole_line(ACTION), &[INPUT], invented),
        cut(whole_line(QUESTION), &STEP, invented),
    ];
    let steps = steps.map(|rule| rule.not(Flags::FENCED));
    let fences = [
        rule(closing_fence()).needs(Flags::FENCED).clears(Flags::FENCED).does(What::Pass),
        rule(closing_fence()).needs(Flags::WRAPPED).clears(Flags::WRAPPED).noise(),
        rule(opening_fence(At::LineStart)).not(Flags::FENCED).sets(Flags::FENCED).does(What::Pass),
    ];
    [&steps[..], &fences].concat()
}

/// What ends a plain input: the call ends before it.
fn ends_input(rule: Rule) -> Rule {
    rule.not(Flags::FENCED).before().close(Scope::Call)
}

fn input_ends() -> Vec<Rule> {
    let mut rules: Vec<Rule> = steps();
    for rule in &mut rules {
        rule.action.note = None;
        (rule.action.sets, rule.action.clears) = (Flags::NONE, Flags::NONE);
    }
    rules.extend([THOUGHT, OBSERVATION, ANSWER].map(|keyword| rule(line(keyword))));
    rules.extend([
        rule(whole_line(QUESTION)).follow(lines(&STEP)),
        rule(line(OBSERVATION)).at_end(AtEnd::Prefix).fixed(1),
        // The fence that wraps the step.
        rule(closing_fence()).needs(Flags::WRAPPED),
    ]);
    rules.into_iter().map(ends_input).collect()
}

/// A plain input: fences in it are part of it, but for the one that closes the step.
fn plain() -> Vec<Rule> {
    let fences = [
        rule(closing_fence()).needs(Flags::FENCED).clears(Flags::FENCED).does(What::Pass),
        rule(opening_fence(At::LineStart)).not(Flags::FENCED).sets(Flags::FENCED).does(What::Pass),
    ];
    [input_ends(), fences.to_vec()].concat()
}

/// The input of `name[`: up to a bracket at the end of a line.
fn bracketed() -> Vec<Rule> {
    let close = rule(pattern!["]", REST_BLANKS, At::LineEnd]).close(Scope::Call);
    std::iter::once(close).chain(bracket_is_missing()).collect()
}

fn at_bracket() -> Vec<Rule> {
    let close = rule(pattern![At::Start, "]", REST_BLANKS, At::LineEnd]).close(Scope::Call);
    let begins = rule(pattern![At::Start]).does(What::Param(BRACKETED, Named::OnlyOne));
    bracket_is_missing().chain([close, begins]).collect()
}

fn bracket_is_missing() -> impl Iterator<Item = Rule> {
    let ends = input_ends().into_iter().filter(|rule| rule.at_end != AtEnd::Prefix);
    ends.map(|rule| rule.sets(Flags::BROKEN))
}

/// What may stand round a JSON input: stars and back-ticks, or a code fence.
fn json_starts(at: At) -> Vec<Rule> {
    let (white, blanks) = (run(Chars::WHITE, LINE), run(Chars::BLANK, LINE));
    let signs = run(Chars::only("*`"), 8);
    let info: &[&str] =
        &["json5", "jsonc", "json", "JSON5", "JSONC", "JSON", "Json", "Json5", "Jsonc"];
    let fenced = [
        rule(pattern![at, blanks, "```", GAP, At::LineEnd, white, "{"]),
        rule(pattern![at, blanks, "```", GAP, info, At::LineEnd, white, "{"]),
    ];
    let fenced = fenced.map(|rule| rule.sets(Flags::BODY_FENCED));
    [vec![rule(pattern![at, blanks, signs, "{"])], fenced.to_vec()].concat()
}

/// An input without a call: JSON, or the rest of its line.
fn orphan() -> Vec<Rule> {
    let json = [At::Start, At::LineStart].into_iter().flat_map(json_starts);
    let json = json.map(|rule| rule.open(ORPHAN_JSON));
    let others = [
        rule(pattern![At::Start]).open(ORPHAN_TAIL),
        rule(pattern![At::LineStart, REST_BLANKS, At::LineEnd]),
        rule(pattern![At::LineStart]).before().close(Scope::Section),
    ];
    json.chain(others).collect()
}

fn at_input() -> Vec<Rule> {
    // At the start of a line it comes before the fence that ends the step.
    let json = [At::LineStart, At::Start].into_iter().flat_map(json_starts);
    let json = json.map(|rule| rule.open(JSON));
    // A fence after the keyword begins in the middle of a line.
    let plain = [
        rule(opening_fence(At::Start))
            .not(Flags::LINE_START)
            .before()
            .sets(Flags::FENCED)
            .does(What::Param(PLAIN, Named::OnlyOne)),
        rule(pattern![At::Start]).does(What::Param(PLAIN, Named::OnlyOne)),
    ];
    json.chain(input_ends()).chain(plain).collect()
}

/// The rest of the line after JSON, and the line that closes the fence round it.
fn tail() -> Vec<Rule> {
    let white = run(Chars::WHITE, LINE);
    let closer = rule(pattern![At::LineStart, white, "```", GAP, At::LineEnd]);
    let fenced = |rule: Rule| rule.needs(Flags::BODY_FENCED).clears(Flags::BODY_FENCED);
    vec![
        fenced(closer).close(Scope::Section),
        fenced(rule(pattern!["```"])),
        rule(pattern![At::LineStart]).clears(Flags::BODY_FENCED).before().close(Scope::Section),
    ]
}

fn section(between: Between, rules: Vec<Rule>) -> SectionKind {
    SectionKind { rules, between, calls: false }
}

fn call(rules: Vec<Rule>, whole_at_end: bool) -> CallKind {
    CallKind { rules, between: Between::Only(Chars::WHITE), whole_at_end }
}

fn value(rules: Vec<Rule>, whole_at_end: bool) -> ValueKind {
    ValueKind { rules, framing: Framing::White, whole_at_end }
}

/// The dialect `react`.
pub(crate) fn react() -> DialectSpec {
    let body = |gives: Gives, then: Place| BodyKind { gives, rules: Vec::new(), then: Some(then) };
    let kind = |reasoning: bool, rules: Vec<Rule>| ProseKind { reasoning, answer: false, rules };
    // In a block of reasoning actions count, and those where the host wants it.
    let mut text = text();
    for rule in text.iter_mut().filter(|rule| !rule.needs.has(Flags::REASONING)) {
        if !matches!(rule.action.what, What::Open(Place::Call(_))) {
            rule.not = rule.not | Flags::REASONING;
        }
    }
    let thought = [open_sections(), think_in_text()].concat();
    let named = vec![rule(line(INPUT)).open(AT_INPUT)];
    let mut spec = DialectSpec {
        prose: vec![
            kind(false, text),
            kind(true, think_in_reasoning()),
            kind(true, thought),
            ProseKind { reasoning: false, answer: true, rules: answer() },
        ],
        sections: vec![
            section(Between::Junk(Chars::WHITE.and("}]),;*_`")), tail()),
            section(Between::Only(Chars::WHITE), orphan()),
            section(Between::Junk(Chars::except("")), tail()),
        ],
        calls: vec![
            call(named, true),
            call(at_input(), true),
            call(vec![rule(pattern![At::Start, "{"]).open(JSON)], false),
            call(at_bracket(), false),
        ],
        values: vec![value(plain(), true), value(bracketed(), false)],
        bodies: vec![body(Gives::Arguments, TAIL), body(Gives::Nothing, ORPHAN_TAIL)],
        keywords: ["Thought", "Action", "Action Input", "Observation", "Question", "Final Answer"]
            .map(|words| Keyword { words: texts(&[words]), answer: words == "Final Answer" })
            .to_vec(),
        thought: Some(2),
        lines: Lines {
            no_call: texts(&["None", "N/A", "null", "nothing"]),
            no_call_phrases: texts(&["no tool", "no action"]),
            no_input: texts(&["None", "N/A", "null", "no input", "no arguments", "()"]),
            ends_block: texts(&["</think>", "</thinking>"]),
        },
        ..DialectSpec::new(
            "react",
            "Thought, Action, Action Input and Final Answer lines, for any model",
            template(),
        )
    };
    // Lines that are too long are prose: they break nothing.
    spec.rules_mut().for_each(|rule| rule.noise = true);
    spec
}

/// How it is written.
fn template() -> Template {
    Template {
        prompt: PromptForm {
            text: Borrowed(
                "\
You have tools to work with. They are listed here, one a paragraph:

{tools}

Work in steps. A step that uses a tool is written like this:

Thought: why this step is needed
{form}

Then stop and wait. The next message brings what the tool gave, after the word Observation; \
think about it, and write the next step.

{example}

When you need no more tools, end like this:

Thought: I have what I need
Final Answer: the complete answer for the user

Rules:
- {limit}
- Write nothing after the Action Input.
- Never write an Observation yourself: you do not know it before it comes.
- These tools exist, and no others: {names}.
- Action Input is one valid JSON object that fits the schema of the tool, {} if the tool has no \
parameters.",
            ),
            tool: Borrowed("{name}\n{description}\nParameters (JSON Schema): {schema}"),
            between: Borrowed("\n\n"),
            example: Borrowed("For example:\n{call}"),
            placeholders: Placeholders {
                name: Borrowed("the name of one tool, exactly as listed"),
                params: Borrowed(&[(Borrowed("parameter"), Borrowed("value"))]),
            },
            limits: Limits {
                one: Borrowed("One tool per reply: each reply holds one Action at most."),
                some: Borrowed(
                    "At most {most} Actions in a reply, each with its own Action Input.",
                ),
                any: Borrowed("A reply may hold several Actions, each with its own Action Input."),
            },
        },
        call: CallForm {
            open: Borrowed("Action: {name}\nAction Input: "),
            close: Borrowed("\n"),
            ..CALL
        },
        result: results("Observation: {content}\n", "Observation: ERROR: {content}\n", ""),
        stop: stop(&[], &[Borrowed("\nObservation:"), Borrowed("\nObservation")]),
    }
}

#[cfg(all(test, feature = "json"))]
mod tests {
    use super::template;
    use crate::dialect::template::{ArgumentsForm, fill};

    fn filled(template: &str) -> String {
        fill(template, |hole| match hole {
            "name" => Some("search".into()),
            "content" => Some("two\nlines".into()),
            _ => None,
        })
    }

    #[test]
    fn calls_and_results_are_lines() {
        let react = template();
        let call = &react.call;
        assert_eq!(filled(&call.open), "Action: search\nAction Input: ");
        assert_eq!((&call.arguments, &*call.close), (&ArgumentsForm::Json, "\n"));
        assert_eq!(filled(&react.result.ok), "Observation: two\nlines\n");
        assert_eq!(filled(&react.result.error), "Observation: ERROR: two\nlines\n");
        assert_eq!(*react.stop.invented, ["\nObservation:", "\nObservation"]);
    }

    #[test]
    fn the_prompt_says_it_all_in_order() {
        let react = template();
        let prompt = &*react.prompt.text;
        let parts = [
            "{tools}",
            "Thought: why this step is needed\n{form}\n",
            "Then stop and wait",
            "Observation",
            "Thought: I have what I need\nFinal Answer: the complete answer for the user\n",
            "{limit}",
            "nothing after the Action Input",
            "Never write an Observation",
            "{names}",
            "one valid JSON object",
            "{} if the tool has no parameters",
        ];
        let mut at = 0;
        for part in parts {
            let found = prompt[at..].find(part);
            at += found.unwrap_or_else(|| panic!("{part} after {}", &prompt[..at])) + part.len();
        }
        assert!(react.prompt.limits.one.contains("One tool per reply"));
        assert!(react.prompt.tool.contains("{schema}"));
    }
}
