//! `gemma4` and `functiongemma`: literals between tokens.
//!
//! ```text
//! call   := OPEN ws ( "call"? ":" )? NAME ws "("? object ")"? ws CLOSE?
//! object := "{" ( key ":" value ( "," key ":" value )* )? "}"         key := word | string
//!         | "(" the same ")"
//! value  := string | object | "[" … "]" | word
//! string := QUOTE … QUOTE without escapes  |  "…"
//! ```
//! The members of the object are the parameters. An opener counts if a name and `{` or `(` follow; in an
//! open value, a string too, it ends value and call. The closer outside a string ends the object. It may be
//! missing: stop tokens are eaten by servers.

use std::borrow::Cow::Borrowed;

use super::build::{rule, start};
use super::literals::other_bracket;
use super::parts::opener;
use super::spec::{
    At, Between, BodyKind, CallKind, Chars, DialectSpec, Flags, Gives, Literals, Name, Pattern,
    Piece, Place, ProseKind, Rule, Scope, SectionKind, Text, WS, What,
};
use super::template::{
    ArgumentsForm, CALL, CallForm, LiteralForm, Template, results, stop, tools_prompt,
};
use crate::event::DiagnosticKind;
use crate::options::CallsInReasoning;
use crate::pattern;

/// What a channel begins with; a doubled one is markup.
const CHANNEL: &str = "<|channel>";

/// The tokens of one of the two.
struct Tokens {
    open: &'static str,
    close: &'static str,
    /// Opens and closes reasoning.
    think: Option<[&'static str; 2]>,
    boundary: &'static [&'static str],
    literals: Literals,
}

impl Tokens {
    fn dialect(self, spec: DialectSpec) -> DialectSpec {
        let Tokens { open, close, think, boundary, literals } = self;
        let boundary_texts = boundary;
        let boundary: Vec<Text> = boundary.iter().map(|token| (*token).into()).collect();
        let name = Name { prefix: "call:".into(), ..Name::tool() };
        let body = [pattern!["{"], pattern!["("]];
        let marks = [pattern![open, WS, ":", WS, Name::tool()], pattern![open, WS, name]];
        let mut text: Vec<Rule> =
            marks.iter().map(|mark| opener(mark.clone(), 1, &body).open(Place::Call(0))).collect();
        text.extend([
            rule(pattern![close]).not(Flags::REASONING).does(What::Orphan(Scope::Call)),
            rule(vec![Piece::Any(boundary.clone())]).not(Flags::REASONING),
        ]);
        let mut reasoning = Vec::new();
        if let Some([open, close]) = think {
            let channel = rule(pattern![CHANNEL]).follow([pattern![open]]);
            text.push(rule(pattern![open]).not(Flags::REASONING).open(Place::Prose(1)));
            text.push(channel.not(Flags::REASONING));
            text.push(rule(pattern![close]).not(Flags::REASONING).does(What::Orphan(Scope::Prose)));
            reasoning.push(rule(pattern![close]).close(Scope::Prose));
            reasoning.push(rule(pattern![open]).needs(Flags::STREAM_START));
        }
        let reasoning = ProseKind { reasoning: true, rules: reasoning, answer: false };
        let in_call = vec![
            rule(pattern!["{"]).needs(Flags::CALL_START).open(Place::Body(0)),
            rule(pattern!["(", WS, "{"]).needs(Flags::CALL_START).open(Place::Body(0)),
            rule(pattern!["("]).needs(Flags::CALL_START).open(Place::Body(0)),
        ];
        let forgotten = start(Vec::new()).noise().close(Scope::Section);
        let after = vec![
            start(pattern![close]).close(Scope::Section),
            start(pattern![")"]),
            start(pattern!["}"]).note(DiagnosticKind::RepairedJson),
            forgotten.note(DiagnosticKind::MissingCloser),
        ];
        // Values that are open end before the opener of the next call.
        let next = |mark: &Pattern| {
            let next = rule(mark.clone()).follow(body.clone()).noise().before();
            next.close(Scope::Body).sets(Flags::BROKEN).note(DiagnosticKind::MissingCloser)
        };
        let ends = [&[close], boundary_texts].concat();
        let ends = [vec![Piece::from(&ends[..])], pattern![At::End]];
        let mut in_body = vec![rule(pattern![close]).before().close(Scope::Body)];
        in_body.extend(marks.iter().map(next));
        in_body.extend(marks.iter().map(|mark| next(mark).needs(Flags::IN_STRING)));
        in_body.push(other_bracket(&["]", "}", ")"], &ends));
        let between = Between::Only(Chars::WHITE);
        DialectSpec {
            calls_in_reasoning: CallsInReasoning::Extract,
            prose: vec![ProseKind { rules: text, ..ProseKind::default() }, reasoning],
            sections: vec![SectionKind { rules: after, between, calls: false }],
            calls: vec![CallKind {
                rules: in_call,
                between: Between::Junk(Chars::WHITE),
                whole_at_end: false,
            }],
            bodies: vec![BodyKind {
                gives: Gives::Params(literals),
                rules: in_body,
                then: Some(Place::Section(0)),
            }],
            boundary,
            ..spec
        }
    }
}

/// The dialect `gemma4`.
pub(crate) fn gemma4() -> DialectSpec {
    let tokens = Tokens {
        open: "<|tool_call>",
        close: "<tool_call|>",
        think: Some(["<|channel>thought", "<channel|>"]),
        boundary: &["<|tool_response>", "<turn|>", "<|turn>", "<end_of_turn>", "<eos>"],
        literals: Literals { quote: "<|\"|>".into(), ..Literals::default() },
    };
    tokens.dialect(DialectSpec::new(
        "gemma4",
        "literals between tokens: <|tool_call>call:NAME{key:<|\"|>…<|\"|>}<tool_call|>",
        gemma4_template(),
    ))
}

/// The dialect `functiongemma`. Its template writes every value as a string.
pub(crate) fn functiongemma() -> DialectSpec {
    let tokens = Tokens {
        open: "<start_function_call>",
        close: "<end_function_call>",
        think: None,
        boundary: &[
            "<start_function_response>",
            "<end_of_turn>",
            "<start_of_turn>",
            "<turn|>",
            "<eos>",
        ],
        literals: Literals { quote: "<escape>".into(), by_schema: true, ..Literals::default() },
    };
    tokens.dialect(DialectSpec::new(
        "functiongemma",
        "the same with words: <start_function_call>call:NAME{key:<escape>…<escape>}",
        functiongemma_template(),
    ))
}

const FORM: LiteralForm = LiteralForm {
    quote: Borrowed("<|\"|>"),
    plain_quote: Borrowed(""),
    separator: Borrowed(":"),
    between: Borrowed(","),
    python: false,
    sorted: false,
    strings: false,
};

/// How `gemma4` is written.
fn gemma4_template() -> Template {
    Template {
        prompt: tools_prompt!(
            "To call a tool, write its name and its arguments in this form:",
            "Strings stand between two quote tokens as they are, without escapes; numbers, \
             true, false, null, lists and objects are written as they are, with keys without \
             quotes. Give every required argument."
        ),
        call: CallForm {
            open: Borrowed("<|tool_call>call:{name}{"),
            arguments: ArgumentsForm::Literals(LiteralForm { sorted: true, ..FORM }),
            close: Borrowed("}<tool_call|>"),
            ..CALL
        },
        result: results(
            "<|tool_response>response:{name}{value:<|\"|>{content}<|\"|>}<tool_response|>",
            "<|tool_response>response:{name}{value:<|\"|>Error: {content}<|\"|>}<tool_response|>",
            "",
        ),
        stop: stop(&[Borrowed("<tool_call|>")], &[Borrowed("<|tool_response>")]),
    }
}

/// How `functiongemma` is written.
fn functiongemma_template() -> Template {
    Template {
        prompt: tools_prompt!(
            "To call a tool, write its name and its arguments in this form:",
            "Every value stands between two <escape>: strings as they are, lists, objects, \
             numbers and booleans as JSON. Give every required argument."
        ),
        call: CallForm {
            open: Borrowed("<start_function_call>call:{name}{"),
            arguments: ArgumentsForm::Literals(LiteralForm {
                quote: Borrowed("<escape>"),
                strings: true,
                ..FORM
            }),
            close: Borrowed("}<end_function_call>"),
            ..CALL
        },
        result: results(
            "<start_function_response>response:{name}{value:<escape>{content}<escape>}\
             <end_function_response>",
            "<start_function_response>response:{name}{value:<escape>Error: {content}<escape>}\
             <end_function_response>",
            "",
        ),
        stop: stop(&[Borrowed("<end_function_call>")], &[Borrowed("<start_function_response>")]),
    }
}
