//! Dialects of plain text: Python's calls, objects that may be the answer, lines.

use super::tags::sections;
use super::{Around, END_THINK, texts};
use crate::event::TypeHint;
use crate::family::carets::{self, Carets};
use crate::family::python::{self, Form, Python};
use crate::family::react::{self, React};
use crate::family::tried::{self, Tried};
use crate::read::machine::Grammar;

pub(super) fn carets() -> Grammar {
    let mut grammar = Grammar::new(Around::default().prose(), Box::new(Carets::new()));
    grammar.lines = true;
    grammar.hints = vec![(carets::LIST_OPENS.into(), TypeHint::Lines)];
    grammar
}

/// Objects that may be calls, and may be the answer. `wrapped`: something stands round each of them.
pub(super) fn tried(wrapped: bool) -> Grammar {
    let names =
        ["tool_call", "tools", "tool", "function_call", "tool_use", "toolcall", "tool-call"];
    let mut tags = sections(&names);
    tags[0].push("<|plugin|>".into());
    tags[1].push("<|endofblock|>".into());
    let brackets = [
        texts(&["[TOOL_REQUEST]", "[TOOL_CALL]", "[TOOL_CALLS]"]),
        texts(&["[END_TOOL_REQUEST]", "[/TOOL_CALL]", "[/TOOL_CALLS]"]),
    ];
    let around = Around {
        tokens: vec!["<|im_end|>", "<|endoftext|>", "<|end|>", "<|eot_id|>", "<end_of_turn>"],
        ..Around::default()
    };
    let groups = vec![tags, brackets];
    let stops = texts(&around.tokens);
    let tried = Tried::new(tried::Texts { groups, wrapped, stops, ..tried::Texts::default() });
    Grammar::new(around.prose(), Box::new(tried))
}

pub(super) fn react() -> Grammar {
    let words = react::Texts {
        thought: "Thought".into(),
        action: "Action".into(),
        input: "Action Input".into(),
        observation: "Observation".into(),
        question: "Question".into(),
        answers: texts(&["Final Answer"]),
        no_call: texts(&["None", "N/A", "null", "nothing"]),
        no_call_phrases: texts(&["no tool", "no action"]),
        ends_reasoning: texts(&END_THINK),
    };
    let mut grammar = Grammar::new(Around::default().prose(), Box::new(React::new(words)));
    (grammar.lines, grammar.steps) = (true, true);
    grammar
}

/// A dialect of Python's calls.
fn python_calls(t: python::Texts, around: Around) -> Grammar {
    let python = Python::new(python::Texts { stops: texts(&around.tokens), ..t });
    Grammar::new(around.prose(), Box::new(python))
}

pub(super) fn pythonic() -> Grammar {
    let t = python::Texts {
        form: Form::Alone,
        open: "<|python_start|>".into(),
        close: "<|python_end|>".into(),
        tag: Some("<|python_tag|>".into()),
        ..python::Texts::default()
    };
    let tokens =
        ["<|eot|>", "<|eot_id|>", "<|eom_id|>", "<|eom|>", "<|end_of_text|>", "<|im_end|>"];
    python_calls(t, Around { tokens: tokens.to_vec(), ..Around::default() })
}

pub(super) fn llama3_json() -> Grammar {
    let t = python::Texts {
        form: Form::Objects,
        tag: Some("<|python_tag|>".into()),
        function: Some(["<function=".into(), "</function>".into()]),
        ..python::Texts::default()
    };
    let around = Around {
        reasoning: Some(["", ""]),
        tokens: vec!["<|eot_id|>", "<|eom_id|>", "<|end_of_text|>", "<|eot|>"],
        ..Around::default()
    };
    python_calls(t, around)
}

pub(super) fn lfm2() -> Grammar {
    let t = python::Texts {
        form: Form::Between,
        open: "<|tool_call_start|>".into(),
        close: "<|tool_call_end|>".into(),
        ..python::Texts::default()
    };
    let around = Around {
        tokens: vec!["<|im_end|>"],
        invented: vec!["<|tool_response_start|>"],
        ..Around::default()
    };
    let mut grammar = python_calls(t, around);
    grammar.repeats = true;
    grammar
}

pub(super) fn olmo3() -> Grammar {
    let t = python::Texts {
        form: Form::Lines,
        open: "<function_calls>".into(),
        close: "</function_calls>".into(),
        ..python::Texts::default()
    };
    let around = Around {
        tokens: vec!["<|im_end|>", "<|endoftext|>"],
        invented: vec!["<|im_start|>environment"],
        ..Around::default()
    };
    python_calls(t, around)
}
