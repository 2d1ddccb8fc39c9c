//! What stands behind `<|python_tag|>`, in `llama3-json` and `pythonic`.
//!
//! ```text
//! tagged := TAG ws ( object | "[" object … | NAME ".call(" arguments ")" | code )
//! ```
//! Objects are calls of any name, arguments are those of [`super::pythonic`]. Code is anything else: the raw
//! parameter `code` of the first of the tools for it that is declared, up to a boundary token, the next TAG
//! or the end. Where none is declared, TAG is markup and the rest is text.

use super::bracket::{opener, strict_call};
use super::build::{one, rule};
use super::literals::{self, Lists};
use super::shape::texts;
use super::spec::{
    At, BodyKind, CallKind, Chars, Flags, Framing, Gives, Known, Named, Piece, Place, Rule, Scope,
    ValueKind, WS, What,
};
use super::tool_call::plain_json;
use crate::pattern;

const TAG: &str = "<|python_tag|>";
/// The tools that run code.
const CODE: [&str; 3] = ["code_interpreter", "python", "ipython"];
const DOT_CALL: &str = ".call(";

/// Where a dialect has its kinds: two calls, a value and a body.
pub(super) struct PythonTag {
    pub boundary: &'static [&'static str],
    /// The section of JSON objects.
    pub objects: Place,
    pub call: u8,
    pub value: u8,
    pub body: u8,
}

impl PythonTag {
    /// What ends code.
    fn ends(&self) -> [&'static [&'static str]; 2] {
        [self.boundary, &[TAG]]
    }

    /// The rules of text.
    pub fn text(&self) -> Vec<Rule> {
        // No attribute of what an expression before it gives.
        let no_dots = literals::name(Known::Any).chars(literals::KEYWORD);
        let built_in = pattern![TAG, WS, no_dots, Piece::NotNext(Chars::WHITE)];
        let code = pattern![TAG, WS, Piece::Tool(CODE.map(Into::into).to_vec())];
        let some = one(Chars::NO_WHITE);
        let nothing = self.ends().map(|ends| pattern![ends]);
        vec![
            opener(pattern![TAG], 1, &plain_json()).open(self.objects),
            opener(built_in, 1, &[pattern![DOT_CALL]]).open(Place::Call(self.call)),
            rule(pattern![TAG]).follow(nothing),
            rule(code).follow([pattern![some]]).open(Place::Call(self.call + 1)),
            rule(pattern![TAG]),
        ]
    }

    pub fn calls(&self) -> [CallKind; 2] {
        let arguments = rule(pattern![DOT_CALL]).needs(Flags::CALL_START);
        let code = rule(pattern![At::Start]).does(What::Param(self.value, Named::Input));
        [vec![arguments.open(Place::Body(self.body))], vec![code]].map(strict_call)
    }

    /// The code.
    pub fn value(&self) -> ValueKind {
        let rules = vec![
            rule(pattern![self.boundary]).close(Scope::Call),
            rule(pattern![TAG]).before().close(Scope::Call),
        ];
        ValueKind { rules, framing: Framing::None, whole_at_end: true }
    }

    pub fn body(&self, literals: super::spec::Literals) -> BodyKind {
        let boundary = texts(&self.ends().concat());
        let call = Lists { close: &[], boundary: &boundary, bracket: false, alone: true };
        BodyKind { gives: Gives::Params(literals), rules: call.rules(), then: None }
    }
}
