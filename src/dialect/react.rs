//! ReAct: the dialect of models without tool support of their own. The grammar is spec/react.md.
//!
//! ```text
//! stream  := ( text | thought | call | answer )*
//! thought := "Thought:" text
//! call    := "Action:" NAME line-end ( "Action Input:" input )? | "Action:" NAME "[" text "]" | "Action:" NAME "(" json …
//! input   := json rest-of-line | fence json fence | text, up to a keyword line that ends it
//! answer  := "Final Answer:" text
//! ```
//! What the table of sections says of each keyword, row by row of the specification, stands in
//! `RULES`. Observation and Question belong to the host: where the model writes one, it invents.

use std::borrow::Cow;

use super::lines::{After, Keyword, LineAct, LineRule, LineSection, LineSpec, Role, keyword};
use super::spec::{DialectSpec, List, NameRule, Rule, SectionKind, ValueKind, list, strings};
use super::wire;
use crate::event::DiagnosticKind;
use crate::options::CallsInReasoning;

/// In text and in a thought.
macro_rules! open_sections {
    () => {
        list![LineSection; LineSection::Text, LineSection::Thought]
    };
}

const TEXT: List<LineSection> = list![LineSection; LineSection::Text];
const ANSWER: List<LineSection> = list![LineSection; LineSection::Answer];
const PLAIN: List<LineSection> = list![LineSection; LineSection::Plain];

/// Anywhere, whatever follows.
const ALWAYS: LineRule = LineRule {
    within: open_sections!(),
    role: Role::Thought,
    after: After::Any,
    followed_by: Cow::Borrowed(&[]),
    act: LineAct::Thought,
};

const STEP: List<Role> = list![Role; Role::Thought, Role::Action];

const RULES: List<LineRule> = list![LineRule;
    ALWAYS,
    LineRule { role: Role::Action, act: LineAct::Step, ..ALWAYS },
    LineRule { role: Role::Input, after: After::Step, act: LineAct::Orphan, ..ALWAYS },
    LineRule {
        role: Role::Result,
        after: After::Call,
        act: LineAct::Cut(DiagnosticKind::FabricatedResult),
        ..ALWAYS
    },
    LineRule {
        role: Role::Answer,
        after: After::Call,
        act: LineAct::Cut(DiagnosticKind::AnswerAfterAction),
        ..ALWAYS
    },
    LineRule { role: Role::Answer, act: LineAct::Answer, ..ALWAYS },
    LineRule {
        within: TEXT,
        role: Role::Question,
        after: After::Call,
        followed_by: STEP,
        act: LineAct::Cut(DiagnosticKind::FabricatedStep),
    },
    LineRule {
        within: TEXT,
        role: Role::Question,
        followed_by: STEP,
        act: LineAct::Markup,
        ..ALWAYS
    },
    LineRule {
        within: ANSWER,
        role: Role::Thought,
        followed_by: list![Role; Role::Action],
        act: LineAct::Cut(DiagnosticKind::FabricatedStep),
        ..ALWAYS
    },
    LineRule {
        within: ANSWER,
        role: Role::Action,
        followed_by: list![Role; Role::Input],
        act: LineAct::Cut(DiagnosticKind::FabricatedStep),
        ..ALWAYS
    },
    LineRule {
        within: ANSWER,
        role: Role::Question,
        followed_by: STEP,
        act: LineAct::Cut(DiagnosticKind::FabricatedStep),
        ..ALWAYS
    },
    LineRule { within: PLAIN, role: Role::Thought, act: LineAct::End, ..ALWAYS },
    LineRule { within: PLAIN, role: Role::Action, act: LineAct::Step, ..ALWAYS },
    LineRule { within: PLAIN, role: Role::Result, act: LineAct::End, ..ALWAYS },
    LineRule { within: PLAIN, role: Role::Answer, act: LineAct::End, ..ALWAYS },
    LineRule {
        within: PLAIN,
        role: Role::Question,
        followed_by: STEP,
        act: LineAct::End,
        ..ALWAYS
    },
    LineRule {
        within: list![LineSection; LineSection::Reasoning],
        role: Role::Action,
        act: LineAct::Step,
        ..ALWAYS
    },
];

pub(crate) const LINES: LineSpec = LineSpec {
    keywords: list![Keyword;
        keyword("Thought", Role::Thought),
        keyword("Action", Role::Action),
        keyword("Action Input", Role::Input),
        keyword("Observation", Role::Result),
        keyword("Question", Role::Question),
        keyword("Final Answer", Role::Answer),
    ],
    colons: strings![":", "\u{FF1A}"],
    rules: RULES,
    no_call: strings!["None", "N/A", "null", "nothing"],
    no_call_phrases: strings!["no tool", "no action"],
    no_input: strings!["None", "N/A", "null", "no input", "no arguments", "()"],
    input: Cow::Borrowed("input"),
    json_fences: strings!["", "json", "json5", "jsonc"],
    wrapped: list![Role; Role::Thought, Role::Action, Role::Question, Role::Answer],
};

pub(crate) const REACT: DialectSpec = DialectSpec {
    name: Cow::Borrowed("react"),
    about: Cow::Borrowed("Thought, Action, Action Input and Final Answer lines, for any model"),
    names: NameRule::Free,
    reasoning_openers: strings!["<think>", "<thinking>"],
    reasoning_closers: strings!["</think>", "</thinking>"],
    calls_in_reasoning: CallsInReasoning::Ignore,
    text: list![Rule;],
    sections: list![SectionKind;],
    calls: list![List<Rule>;],
    values: list![ValueKind;],
    body: list![Rule;],
    raw: None,
    raw_params: strings![],
    boundary: strings![],
    diff_params: strings![],
    lists: false,
    lines: Some(LINES),
    wire: wire::REACT,
};
