//! Dialects of tags, of literals, and of elements that hold names.

use super::blocks::{COMMAND_THINKS, PARTS};
use super::{Around, TOOL_RESPONSE, texts};
use crate::dialect::literals::Literals;
use crate::event::TypeHint;
use crate::family::elements::{self, Elements};
use crate::family::head::Head;
use crate::family::literals::{self, Literal};
use crate::family::tags::brackets::{self, Brackets};
use crate::family::tags::nested::{self, Nested};
use crate::family::tags::{Element, Other, Tagged, Texts};
use crate::read::machine::Grammar;

/// A dialect of tags with attributes.
fn tagged(t: Texts, around: Around) -> Grammar {
    let entities = t.entities;
    let tagged = Tagged::new(Texts { stops: texts(&around.tokens), ..t });
    let mut grammar = Grammar::new(around.prose(), Box::new(tagged));
    grammar.entities = entities;
    grammar
}

/// A dialect of literals.
fn literal(t: literals::Texts, around: Around) -> Grammar {
    let (tags, stops) = (vec![t.head.open.clone()], texts(&around.tokens));
    let literal = Literal::new(literals::Texts { tags, stops, ..t });
    Grammar::new(around.prose(), Box::new(literal))
}

pub(in crate::dialect) fn gemma4() -> Grammar {
    let t = literals::Texts {
        head: Head { open: "<|tool_call>".into(), prefix: "call:".into() },
        close: "<tool_call|>".into(),
        literals: Literals { quote: "<|\"|>".into(), ..Literals::default() },
        doubled: Some(["<|channel>".into(), "<|channel>thought".into()]),
        ..literals::Texts::default()
    };
    let around = Around {
        reasoning: Some(["<|channel>thought", "<channel|>"]),
        tokens: vec!["<|tool_response>", "<turn|>", "<|turn>", "<end_of_turn>", "<eos>"],
        invented: vec!["<|tool_response>response:"],
        ..Around::default()
    };
    literal(t, around)
}

pub(in crate::dialect) fn functiongemma() -> Grammar {
    let t = literals::Texts {
        head: Head { open: "<start_function_call>".into(), prefix: "call:".into() },
        close: "<end_function_call>".into(),
        literals: Literals { quote: "<escape>".into(), by_schema: true, ..Literals::default() },
        ..literals::Texts::default()
    };
    let response = "<start_function_response>";
    let around = Around {
        reasoning: Some(["", ""]),
        tokens: vec![response, "<end_of_turn>", "<start_of_turn>", "<turn|>", "<eos>"],
        invented: vec!["<start_function_response>response:"],
        ..Around::default()
    };
    literal(t, around)
}

pub(in crate::dialect) fn cline() -> Grammar {
    let elements = Elements::new(elements::Texts {
        call: ["<".into(), "</".into()],
        param: ["<".into(), "</".into()],
        bare: true,
        wrapper: Some(["<function_calls>".into(), "</function_calls>".into()]),
        lines: false,
    });
    let mut grammar = Grammar::new(Around::default().prose(), Box::new(elements));
    grammar.raw = Some((elements::RAW, texts(&["content", "diff", "arguments"])));
    grammar
}

pub(in crate::dialect) fn code_assistant() -> Grammar {
    let elements = Elements::new(elements::Texts {
        call: ["<tool:".into(), "</tool:".into()],
        param: ["<param:".into(), "</param:".into()],
        bare: false,
        wrapper: None,
        lines: true,
    });
    let mut grammar = Grammar::new(Around::default().prose(), Box::new(elements));
    grammar.singulars = true;
    grammar
}

/// Tags with attributes of these names.
pub(super) fn invoke_tags(call: &str, param: &str) -> Texts {
    Texts {
        call: texts(&[&format!("<{call}")]),
        end_call: texts(&[&format!("</{call}>")]),
        param: texts(&[&format!("<{param}")]),
        end_param: texts(&[&format!("</{param}>")]),
        names: ["name", "name"].map(Box::from),
        ..Texts::default()
    }
}

/// Sections of these names.
pub(super) fn sections(names: &[&str]) -> [Vec<Box<str>>; 2] {
    ["<", "</"].map(|open| names.iter().map(|name| format!("{open}{name}>").into()).collect())
}

pub(in crate::dialect) fn invoke() -> Grammar {
    let [open, close] = sections(&["function_calls", "minimax:tool_call"]);
    let t = Texts { open, close, lines: true, ..invoke_tags("invoke", "parameter") };
    tagged(t, Around { invented: vec!["<function_results>"], ..Around::default() })
}

pub(in crate::dialect) fn kimi_k3() -> Grammar {
    let around = Around {
        reasoning: Some(["", ""]),
        tokens: vec!["<|end_of_msg|>", "<|im_end|>", "[EOS]"],
        ..Around::default()
    };
    let stops = ["<|close|>message<|sep|>"].iter().chain(&around.tokens).copied();
    let brackets = Brackets::new(brackets::Texts {
        open: "<|open|>".into(),
        close: "<|close|>".into(),
        sep: "<|sep|>".into(),
        stops: stops.map(Box::from).collect(),
    });
    let mut grammar = Grammar::new(around.prose(), Box::new(brackets));
    grammar.entities = true;
    let json = ["number", "boolean", "null", "object", "array"].map(|of| (of, TypeHint::Json));
    grammar.hints = hints(&[&[("string", TypeHint::String)], &json[..]].concat());
    grammar
}

pub(in crate::dialect) fn minimax_m3() -> Grammar {
    let sign = "]<]minimax[>[";
    let around = Around {
        reasoning: Some(["<mm:think>", "</mm:think>"]),
        tokens: vec!["[e~[", "]~b]", "]~!b["],
        invented: vec!["<response>"],
        ..Around::default()
    };
    let own = Texts {
        open: texts(&[&format!("{sign}<tool_call>")]),
        close: texts(&[&format!("{sign}</tool_call>")]),
        call: texts(&[&format!("{sign}<invoke")]),
        end_call: texts(&[&format!("{sign}</invoke>")]),
        names: ["name", "name"].map(Box::from),
        stops: texts(&around.tokens),
        ..Texts::default()
    };
    let [open, close] = sections(&["minimax:tool_call"]);
    let stops = texts(&around.tokens);
    let plain = Texts { open, close, stops, ..invoke_tags("invoke", "parameter") };
    let element = [format!("{sign}<").into(), format!("{sign}</").into()];
    let t = nested::Texts {
        own: Texts { token: true, ..own },
        element: nested::Tags { texts: element, reserved: texts(&["tool_call", "invoke"]) },
        plain: Some(plain),
    };
    Grammar::new(around.prose(), Box::new(Nested::new(t)))
}

pub(in crate::dialect) fn minimax_m2() -> Grammar {
    let [open, close] = sections(&["minimax:tool_call", "function_calls"]);
    let around = Around {
        tokens: vec!["[e~[", "]~b]", "]~!b["],
        invented: vec!["<response>"],
        ..Around::default()
    };
    tagged(Texts { open, close, ..invoke_tags("invoke", "parameter") }, around)
}

pub(in crate::dialect) fn minicpm5() -> Grammar {
    let quotes = Some(["<![CDATA[".into(), "]]>".into()]);
    let around =
        Around { tokens: vec!["<|im_end|>"], invented: vec![TOOL_RESPONSE], ..Around::default() };
    tagged(Texts { quotes, ..invoke_tags("function", "param") }, around)
}

pub(in crate::dialect) fn step3() -> Grammar {
    let lead = ["<｜tool_call_begin｜>", "<｜tool_sep｜>", "<｜tool_call_end｜>"];
    let t = Texts {
        open: texts(&["<｜tool_calls_begin｜>"]),
        close: texts(&["<｜tool_calls_end｜>"]),
        lead: Some(lead.map(Box::from)),
        lines: true,
        token: true,
        stripped: true,
        ..invoke_tags("steptml:invoke", "steptml:parameter")
    };
    let around = Around {
        tokens: vec!["<｜end▁of▁sentence｜>", "<|EOT|>", "<｜tool_sep｜>"],
        invented: vec!["<｜tool_outputs_begin｜>"],
        ..Around::default()
    };
    tagged(t, around)
}

pub(in crate::dialect) fn dots() -> Grammar {
    let [open, close] = sections(&["dots_function_call"]);
    let tags = invoke_tags("invoke", "parameter");
    let around = Around {
        tokens: vec!["<|endofassistant|>", "<|im_end|>"],
        invented: vec!["<dots_function_response>"],
        ..Around::default()
    };
    tagged(Texts { open, close, objects: true, lines: true, ..tags }, around)
}

pub(in crate::dialect) const DEEPSEEK_TURNS: [&str; 3] =
    ["<｜end▁of▁sentence｜>", "<｜User｜>", "<｜Assistant｜>"];

/// The grammar of `deepseek-dsml` and `gigachat35`. `word` stands in all tags, perhaps with a blank behind
/// it.
pub(in crate::dialect) fn dsml(word: &str, tokens: &[&'static str]) -> Grammar {
    let names = ["tool_calls", "function_calls", " calls", "calls", "toolcalls"];
    let names = names.map(|name| format!("｜{word}｜{name}"));
    let [open, close] = sections(&names.each_ref().map(String::as_str));
    let [plain, blank] = ["", " "].map(|gap| {
        invoke_tags(&format!("｜{word}｜{gap}invoke"), &format!("｜{word}｜{gap}parameter"))
    });
    let t = Texts {
        open,
        close,
        call: [plain.call, blank.call].concat(),
        end_call: [plain.end_call, blank.end_call].concat(),
        param: [plain.param, blank.param].concat(),
        end_param: [plain.end_param, blank.end_param].concat(),
        names: plain.names,
        typed: Some("string".into()),
        object: Some(Default::default()),
        token: true,
        misspelt: true,
        ..Texts::default()
    };
    let around =
        Around { tokens: tokens.to_vec(), invented: vec!["<tool_result>"], ..Around::default() };
    let mut grammar = tagged(t, around);
    grammar.hints = hints(&[("true", TypeHint::String), ("", TypeHint::Json)]);
    grammar
}

pub(super) fn hints(hints: &[(&str, TypeHint)]) -> Vec<(Box<str>, TypeHint)> {
    hints.iter().map(|(text, hint)| ((*text).into(), *hint)).collect()
}

pub(in crate::dialect) fn cohere_cofl() -> Grammar {
    let [open, close] = sections(&["cofl:tool_calls"]);
    let element = Element {
        head: "<cofl:value".into(),
        close: "</cofl:value".into(),
        name: "name".into(),
        typed: Some("type".into()),
    };
    let t = Texts {
        open,
        close,
        typed: Some("string".into()),
        element: Some(element),
        others: vec![Other::Id("id".into())],
        entities: true,
        ..invoke_tags("cofl:tool_call", "cofl:tool_param")
    };
    let around = Around {
        reasoning: Some(COMMAND_THINKS),
        tokens: vec!["<|END_OF_TURN_TOKEN|>"],
        invented: vec!["<cofl:tool_results>"],
        marks: PARTS.to_vec(),
        ..Around::default()
    };
    let mut grammar = tagged(t, around);
    grammar.hints = hints(&[
        ("true", TypeHint::String),
        ("raw", TypeHint::String),
        ("dict", TypeHint::Literal),
        ("list", TypeHint::Literal),
        ("", TypeHint::Json),
    ]);
    grammar
}
