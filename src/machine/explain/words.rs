//! What a rule is, what it waits for and where it may stand, in words.

use super::{Match, State};
use crate::dialect::mistake;
use crate::dialect::role::{CALL, opened_body, opened_prose, opened_section};
use crate::dialect::spec::{Flags, Known, Name, Of, Place, Ref, What};
use crate::machine::grammar::Grammar;
use crate::machine::table::{CompiledRule, Node, PatternStep, RuleSet, Table};

/// So many alternatives are named.
const NAMED: usize = 6;

/// What a rule of this state is for.
pub(super) fn role(rule: &CompiledRule, state: State, grammar: &Grammar) -> String {
    let state = match state {
        State::Prose | State::Rest => mistake::State::Prose,
        State::Section => mistake::State::Section,
        State::Call => mistake::State::Call,
        State::Value => mistake::State::Value,
        State::Body => mistake::State::Body,
    };
    let opened = match rule.action.what {
        What::Open(Place::Prose(kind)) => opened_prose(grammar.prose[kind as usize].reasoning),
        What::Open(Place::Section(kind)) => opened_section(grammar.sections[kind as usize].calls),
        What::Open(Place::Body(kind)) => opened_body(Some(&grammar.bodies[kind as usize].gives)),
        _ => CALL,
    };
    rule.action.role(state, rule.needs, opened)
}

/// Why a rule does not count here, of the reasons the one that says most.
pub(super) fn place(table: &Table, rule: usize, here: Flags) -> &'static str {
    let (needs, not) = table.condition(rule);
    let missing = |flag: Flags| needs.has(flag) && !here.has(flag);
    let forbidden = |flag: Flags| not.has(flag) && here.has(flag);
    let needed = [
        (Flags::STREAM_START, "it counts at the start of the stream alone"),
        (Flags::MESSAGE_START, "it counts before all text alone"),
        (Flags::LINE_START, "it does not begin a line"),
        (Flags::BLOCK_START, "it begins no line and follows no call"),
        (Flags::AFTER_CALL, "it counts right after a call alone"),
        (Flags::CALLED, "it counts after a call alone"),
        (Flags::REASONING, "it counts in reasoning alone"),
        (Flags::THINKING, "it counts in reasoning alone"),
        (Flags::IN_STRING, "it counts in a string alone"),
        (Flags::IN_SECTION, "it counts in a section alone"),
        (Flags::SECTION_START, "it counts before the first call of a section alone"),
        (Flags::CALL_START, "it counts right after a call's opener alone"),
        (Flags::NAMED, "no name of a parameter came before it"),
        (Flags::NESTED, "it is not inside another element"),
        (Flags::OWED, "no call without its section came before it"),
    ];
    let refused = [
        (Flags::REASONING, "it stands in reasoning"),
        (Flags::THINKING, "it stands in reasoning"),
        (Flags::NESTED, "it is inside another element, or in a list"),
        (Flags::HOLDS_CLOSER, "the value holds its own closer as data"),
        (Flags::WHOLE, "it stands in an object or a list that is text"),
        (Flags::CALLED, "a call came before it"),
        (Flags::AFTER_CALL, "it follows a call"),
        (Flags::LINE_START, "it begins a line"),
        (Flags::STREAM_START, "nothing came before it"),
        (Flags::NAMED, "the name before it has no value yet"),
    ];
    if here.has(Flags::QUOTED) && !needs.has(Flags::FENCED) {
        return "it stands in Markdown code";
    }
    let needed = needed.iter().find(|(flag, _)| missing(*flag));
    let refused = || refused.iter().find(|(flag, _)| forbidden(*flag));
    needed.or_else(refused).map_or("of what came before it", |(_, why)| why)
}

/// What could have come where a match of these rules ended; without one, at their beginning.
pub(super) fn expected(last: Option<Match>, table: &Table, rules: RuleSet) -> String {
    let mut all = Vec::new();
    if let Some(last) = last {
        let node = &table.nodes[last.node as usize];
        let (goes_on, may_end) = goes_on(&node.step, last.read as usize);
        all.extend(goes_on);
        if may_end {
            after(node, table, rules, last.in_follow(), &mut all);
        }
    }
    let mut seen = Vec::new();
    all.retain(|one| {
        !seen.contains(one) && {
            seen.push(one.clone());
            true
        }
    });
    join(&all)
}

/// What may stand after a step.
fn after(node: &Node, table: &Table, rules: RuleSet, follows: bool, all: &mut Vec<String>) {
    for kid in &node.kids {
        let node = &table.nodes[kid.node as usize];
        if node.below & rules == 0 {
            continue;
        }
        let follows = follows || node.step == PatternStep::Follow;
        let (goes_on, may_end) = goes_on(&node.step, 0);
        all.extend(goes_on);
        if may_end {
            after(node, table, rules, follows, all);
        }
    }
    if follows && node.ends & rules != 0 && !all.iter().any(|one| one == END) {
        all.push(END.to_string());
    }
}

const END: &str = "the end of the stream";

/// How a step of which so much was read goes on, and whether it may end there.
fn goes_on(step: &PatternStep, read: usize) -> (Option<String>, bool) {
    let some = |text: &str| (Some(text.to_string()), false);
    match step {
        PatternStep::Lit(text) if text.get(read..).is_some_and(|rest| !rest.is_empty()) => {
            (Some(quoted(&text[read..])), false)
        }
        PatternStep::Run { run, .. } if read < run.min as usize => {
            let white = run.chars.has(' ') && !run.chars.has('a');
            some(if white { "white space" } else { "more of its own characters" })
        }
        PatternStep::Until(until) => (Some(format!("{} soon", quoted(&until.to))), false),
        PatternStep::Near(text) => {
            (Some(format!("{} with one character wrong", quoted(text))), false)
        }
        PatternStep::Name(name) => (Some(name_of(name).to_string()), read > 0 || name.optional),
        PatternStep::Ref(of) => some(match of {
            Ref::Call => "the name of the call once more",
            Ref::Param => "the name of the parameter once more",
            Ref::Bracket => "the closing bracket",
            _ => "the same name once more",
        }),
        PatternStep::LineStart | PatternStep::LineEnd => some("a line break"),
        PatternStep::End => some(END),
        PatternStep::Keyword(words) => (Some(format!("{}:", words.join(" "))), false),
        PatternStep::ToolLine(_) => some("a line that names a tool"),
        PatternStep::NotNext(_) => some("another character"),
        PatternStep::Tool(names) => {
            (Some(format!("a declared tool {}", names.join(" or "))), false)
        }
        PatternStep::Object(_) => some("the rest of an object that is a call"),
        PatternStep::Special(_) => some("a special token of the model"),
        PatternStep::Lit(_) | PatternStep::Run { .. } | PatternStep::Follow => (None, true),
    }
}

fn name_of(name: &Name) -> &'static str {
    match (name.of, name.known) {
        (Of::Tool | Of::ToolId, Known::Any | Known::Undeclared) => "the name of a tool",
        (Of::Tool | Of::ToolId, _) => "the name of a declared tool",
        (Of::Param, Known::Any | Known::Undeclared) => "the name of a parameter",
        (Of::Param, _) => "the name of a parameter of the tool, not given yet",
        (Of::Id, _) => "an id",
        (Of::Hint, _) => "a type",
        (Of::Element, _) => "the name of an element",
    }
}

fn quoted(text: &str) -> String {
    format!("`{}`", text.escape_debug())
}

/// "`a`, `b` or the end of the stream".
fn join(all: &[String]) -> String {
    match all {
        [] => "what its rule knows".to_string(),
        [one] => one.clone(),
        [some @ .., last] if all.len() <= NAMED => format!("{} or {last}", some.join(", ")),
        some => format!("{} or {} others", some[..NAMED - 1].join(", "), some.len() + 1 - NAMED),
    }
}
