//! Dialects of plain text: Python's calls, objects that may be the answer, lines.

use super::tags::sections;
use super::{Around, END_THINK, texts};
use crate::event::TypeHint;
use crate::family::carets::{self, Carets};
use crate::family::python::{self, Form, Python};
use crate::family::react::{self, React};
use crate::family::tried::{self, Tried};
use crate::read::machine::Grammar;

pub(in crate::dialect) fn carets() -> Grammar {
    let mut grammar = Grammar::new(Around::default().prose(), Box::new(Carets::new()));
    grammar.lines = true;
    grammar.hints = vec![(carets::LIST_OPENS.into(), TypeHint::Lines)];
    grammar
}

/// Objects that may be calls, and may be the answer. `wrapped`: something stands around each of them.
pub(in crate::dialect) fn tried(wrapped: bool) -> Grammar {
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

pub(in crate::dialect) fn react() -> Grammar {
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
    grammar.lines = true;
    grammar.steps = true;
    grammar
}

/// A dialect of Python's calls.
fn python_calls(t: python::Texts, around: Around) -> Grammar {
    let (tags, stops) = (t.open.clone(), texts(&around.tokens));
    let python = Python::new(python::Texts { tags, stops, ..t });
    Grammar::new(around.prose(), Box::new(python))
}

pub(in crate::dialect) fn pythonic() -> Grammar {
    let t = python::Texts {
        form: Form::Alone,
        tries: true,
        open: texts(&["<|python_start|>"]),
        close: texts(&["<|python_end|>"]),
        tag: Some("<|python_tag|>".into()),
        ..python::Texts::default()
    };
    let tokens =
        ["<|eot|>", "<|eot_id|>", "<|eom_id|>", "<|eom|>", "<|end_of_text|>", "<|im_end|>"];
    python_calls(t, Around { tokens: tokens.to_vec(), ..Around::default() })
}

/// The grammar of `llama3-json`. `xlam`: a message may begin with reasoning, and its objects may stand in a
/// fence, in tags, or behind a word.
pub(in crate::dialect) fn llama3_json(xlam: bool) -> Grammar {
    let t = python::Texts {
        form: Form::Objects,
        tries: true,
        tag: Some("<|python_tag|>".into()),
        function: Some(["<function=".into(), "</function>".into()]),
        leads: xlam.then(|| python::Leads {
            tags: ["<tool_call>".into(), "</tool_call>".into()],
            word: "[TOOL_CALLS]".into(),
        }),
        ..python::Texts::default()
    };
    let around = Around {
        reasoning: (!xlam).then_some(["", ""]),
        tokens: vec!["<|eot_id|>", "<|eom_id|>", "<|end_of_text|>", "<|eot|>"],
        ..Around::default()
    };
    python_calls(t, around)
}

pub(in crate::dialect) fn lfm2() -> Grammar {
    let t = python::Texts {
        form: Form::Between,
        empty: true,
        open: texts(&["<|tool_call_start|>"]),
        close: texts(&["<|tool_call_end|>"]),
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

pub(in crate::dialect) fn olmo3() -> Grammar {
    let t = python::Texts {
        form: Form::Lines,
        typed: true,
        open: texts(&["<function_calls>"]),
        close: texts(&["</function_calls>"]),
        ..python::Texts::default()
    };
    let around = Around {
        tokens: vec!["<|im_end|>", "<|endoftext|>"],
        invented: vec!["<|im_start|>environment"],
        ..Around::default()
    };
    python_calls(t, around)
}
