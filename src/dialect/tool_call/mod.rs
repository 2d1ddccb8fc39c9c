//! The `<tool_call>` dialects: `hermes`, `qwen3-coder`, `glm`, and `tool-call`, which looks at what
//! follows the opener and takes the right one.
//!
//! ```text
//! block := "<tool_call>" ws BODY ws "</tool_call>"        BODY := json | functions | keyed
//! ```
//! The opener counts if `ws` and the beginning of a body follow. A doubled opener is markup. A call
//! in reasoning ends it. Each kind of body stands in the file of its dialect.

mod glm;
mod hermes;
mod qwen3_coder;

pub(super) use glm::{
    Tags, argument_object, glm, glm_inline, keyed_value, keys_and_values, template as glm_template,
};
pub(super) use hermes::{
    ARGUMENT_KEYS, CALL_KEYS, hermes, json, members, object, objects, one_or_listed, plain_json,
    template as hermes_template,
};
pub(super) use qwen3_coder::{qwen3_coder, template as qwen3_coder_template};

use glm::{glued, keyed, keyed_body, keyed_boundary};
use qwen3_coder::{
    END_FUNCTION, bare_function, function, function_body, functions, named, whole_function,
    whole_functions,
};

use std::borrow::Cow::Borrowed;

use crate::dialect::build::{prefixed, rule};
use crate::dialect::parts::{Reasoning, call, ends_call, opener, prose_with, think};
use crate::dialect::spec::{
    At, AtEnd, Between, BodyKind, CallKind, Chars, DialectSpec, Flags, Gives, Known, Name, Pattern,
    Piece, Place, Rule, Scope, SectionKind, Text, ValueKind, WS, What,
};
use crate::dialect::template::{ResultForm, Template, results, stop};
use crate::event::DiagnosticKind;
use crate::options::CallsInReasoning;
use crate::pattern;

const OPEN: &str = "<tool_call>";
const CLOSE: &str = "</tool_call>";
const BOUNDARY: [&str; 6] =
    ["<|im_end|>", "<|endoftext|>", "<|observation|>", "<|user|>", "<|assistant|>", "<|system|>"];

/// Which bodies a block may have.
#[derive(Clone, Copy)]
pub(super) struct Bodies {
    pub json: bool,
    pub functions: bool,
    pub keyed: bool,
    /// Its tags are special tokens: the next one ends what is open.
    pub token: bool,
}

/// The first kind of each state: what a dialect has of further bodies is numbered after it.
const FIRST: u8 = 0;

/// The kinds, as the table of a dialect with these bodies numbers them: what it does not have has none.
impl Bodies {
    /// The section of functions.
    fn functions_at(self) -> u8 {
        u8::from(self.json)
    }

    /// What stands after an object that is all of a function's arguments.
    fn after_function(self) -> u8 {
        self.functions_at() + 1
    }

    /// The same after that of a keyed call.
    fn after_keyed(self) -> u8 {
        self.functions_at() + 2 * u8::from(self.functions)
    }

    /// A keyed call; one that is over where it begins is the last.
    pub(super) fn in_keyed(self) -> u8 {
        u8::from(self.functions)
    }

    fn in_whole(self) -> u8 {
        u8::from(self.functions) + u8::from(self.keyed)
    }

    /// The value of a key, with its opener and without.
    fn keyed_value_at(self) -> u8 {
        u8::from(self.functions)
    }

    fn bare_value_at(self) -> u8 {
        self.keyed_value_at() + 1
    }

    /// The objects that are arguments, of a function and of a keyed call.
    fn function_object(self) -> u8 {
        u8::from(self.json)
    }

    fn keyed_object(self) -> u8 {
        self.function_object() + u8::from(self.functions)
    }
}

impl Bodies {
    pub(super) const NONE: Bodies =
        Bodies { json: false, functions: false, keyed: false, token: false };

    /// After `<tool_call>` a body begins.
    fn begin(self) -> Vec<Pattern> {
        [self.parted(), self.whole()].concat()
    }

    /// What only its end shows to be one: half of it at the end of the stream is no call.
    fn whole(self) -> Vec<Pattern> {
        let functions = self.functions.then(whole_functions).into_iter().flatten();
        let glued = self.forgives().then(|| glued().concat());
        functions.chain(glued).collect()
    }

    /// A keyed body may lack openers.
    fn forgives(self) -> bool {
        self.keyed && !self.token
    }

    /// The others.
    fn parted(self) -> Vec<Pattern> {
        let parts = [(self.json, json()), (self.functions, functions()), (self.keyed, keyed())];
        parts.into_iter().filter(|(has, _)| *has).flat_map(|(_, body)| body).collect()
    }

    /// A block begins.
    fn blocks(self) -> Vec<Pattern> {
        prefixed(pattern![OPEN, WS], &self.begin())
    }

    /// What shows, after the closer of a call, that it is over.
    fn over(self, boundary: &[Text]) -> Vec<Pattern> {
        let tokens = Piece::Any(boundary.to_vec());
        [vec![pattern![At::End], vec![tokens]], self.blocks()].concat()
    }

    fn text(self) -> Vec<Rule> {
        let mut rules = Vec::new();
        if self.json {
            rules.push(opener(pattern![OPEN], 1, &json()).open(Place::Section(FIRST)));
        }
        if self.functions {
            let place = Place::Section(self.functions_at());
            rules.push(opener(pattern![OPEN], 1, &functions()).open(place));
            let whole = opener(pattern![OPEN], 1, &whole_functions()).at_end(AtEnd::Payload);
            rules.push(whole.open(place));
        }
        if self.keyed {
            let (any, known) = (Name::tool(), Name::tool().known(Known::IfDeclared));
            let open = |name: Name, follow: &[Pattern]| {
                opener(pattern![OPEN, WS, name], 1, follow).open(Place::Call(self.in_keyed()))
            };
            rules.push(open(any, &keyed_body()));
            rules.push(open(known, &[pattern![CLOSE]]));
            if self.forgives() {
                let [name, key] = glued();
                let mark = [pattern![OPEN, WS], name].concat();
                let glued = opener(mark, 1, &[key]).at_end(AtEnd::Payload);
                rules.push(glued.open(Place::Call(self.in_keyed())));
            }
        }
        let doubled = |follow: &[Pattern]| {
            opener(pattern![OPEN, WS], 1, &prefixed(pattern![OPEN, WS], follow))
        };
        rules.push(doubled(&self.parted()));
        if !self.whole().is_empty() {
            rules.push(doubled(&self.whole()).at_end(AtEnd::Payload));
        }
        if self.functions {
            let bare = |mark: Pattern| {
                let bare = opener(mark, 0, &function_body()).not(Flags::REASONING);
                bare.sets(Flags::OWED).open(Place::Call(FIRST))
            };
            let [whole, open] = bare_function();
            rules.push(bare(whole));
            rules.push(bare(open).note(DiagnosticKind::MalformedTag));
        }
        rules.push(rule(pattern![CLOSE]).needs(Flags::OWED));
        rules.push(rule(pattern![CLOSE]).does(What::Orphan(Scope::Section)));
        let invented = rule(pattern!["<tool_response>"]).needs(Flags::AFTER_CALL).does(What::Rest);
        rules.push(invented.note(DiagnosticKind::FabricatedResult));
        rules
    }

    /// Between parameters: the block has ended before the next one.
    fn next_blocks(self) -> Vec<Rule> {
        let mut openers = self.begin();
        openers.extend(self.blocks());
        vec![ends_call(pattern![OPEN], &openers, Scope::Section)]
    }

    /// A dialect of the family with these bodies.
    fn dialect(self, boundary: &[&'static str], spec: DialectSpec) -> DialectSpec {
        self.dialect_with(think(), boundary, spec)
    }

    /// The same with reasoning of its own.
    pub(super) fn dialect_with(
        self,
        reasoning: Reasoning,
        boundary: &[&'static str],
        spec: DialectSpec,
    ) -> DialectSpec {
        let boundary: Vec<Text> = boundary.iter().map(|token| (*token).into()).collect();
        let mut text = self.text();
        text.push(rule(vec![Piece::Any(boundary.clone())]));
        DialectSpec {
            calls_in_reasoning: CallsInReasoning::Extract,
            prose: prose_with(text, reasoning),
            sections: self.sections(),
            calls: self.calls(),
            values: self.values(&boundary),
            bodies: self.bodies(),
            boundary,
            ..spec
        }
    }
}

/// White space and what may stand between JSON objects.
pub(super) const PUNCTUATION: Between = Between::Only(Chars::WHITE.and("],;"));

fn section(between: Between, rules: Vec<Rule>) -> SectionKind {
    SectionKind { rules, between, calls: true }
}

fn fence() -> Rule {
    rule(pattern!["```"])
}

pub(super) fn brace() -> Rule {
    rule(pattern!["}"]).note(DiagnosticKind::RepairedJson)
}

/// After an object that is all of a call's arguments: brackets and fences of nobody, and these rules.
pub(super) fn after_object(rules: Vec<Rule>) -> SectionKind {
    section(PUNCTUATION, [vec![fence(), brace()], rules].concat())
}

impl Bodies {
    fn sections(self) -> Vec<SectionKind> {
        let close = || rule(pattern![CLOSE]).close(Scope::Section);
        let mut sections = Vec::new();
        if self.json {
            sections.push(objects(FIRST, &members(), &[CLOSE]));
        }
        if self.functions {
            let [function, after] = self.function_sections(close());
            sections.extend([section(Between::Only(Chars::WHITE), function), after_object(after)]);
        }
        if self.keyed {
            sections.push(after_object(vec![close()]));
        }
        sections
    }

    /// Between functions, and after an object that is all of one's arguments.
    fn function_sections(self, close: Rule) -> [Vec<Rule>; 2] {
        let [whole, open] = function();
        let malformed = |rule: Rule| rule.note(DiagnosticKind::MalformedTag);
        let opens = |mark: Pattern, follow: &[Pattern]| {
            rule(mark).follow(follow.to_vec()).at_end(AtEnd::Known).open(Place::Call(FIRST))
        };
        let body = function_body();
        let functions = vec![
            malformed(
                opens(whole_function(), &[pattern!["<parameter"], pattern![END_FUNCTION]])
                    .at_end(AtEnd::Prefix)
                    .fixed(5),
            ),
            malformed(rule(whole_function()).open(Place::Call(self.in_whole()))),
            rule(whole.clone()).open(Place::Call(FIRST)),
            malformed(opens(open.clone(), &body)),
            malformed(opens(named(), &body[..1])),
            close,
        ];
        // After an object that is all of a function's arguments stands its closer.
        let place = Place::Section(self.functions_at());
        let forgotten = |mark: Pattern, follow: &[Pattern]| {
            let next = rule(mark).follow(follow.to_vec()).at_end(AtEnd::Known).before();
            next.open(place).note(DiagnosticKind::MissingCloser)
        };
        let after = vec![
            rule(pattern![END_FUNCTION]).open(place),
            forgotten(pattern![CLOSE], &[]),
            forgotten(whole, &[]),
            forgotten(whole_function(), &[]),
            forgotten(open, &body),
            forgotten(named(), &body[..1]),
        ];
        [functions, after]
    }

    fn calls(self) -> Vec<CallKind> {
        let mut calls = Vec::new();
        calls.extend(self.functions.then(|| call(self.function_rules())));
        calls.extend(self.keyed.then(|| call(self.keyed_rules())));
        let whole = || call(vec![rule(pattern![At::Start]).close(Scope::Call)]);
        calls.extend(self.functions.then(whole));
        calls
    }

    fn values(self, boundary: &[Text]) -> Vec<ValueKind> {
        let mut values = Vec::new();
        values.extend(self.functions.then(|| self.function_value(boundary)));
        values.extend(self.keyed.then(|| self.keyed_value(boundary)));
        values.extend(self.forgives().then(|| self.bare_value()));
        values
    }

    fn bodies(self) -> Vec<BodyKind> {
        let mut bodies = Vec::new();
        if self.json {
            bodies.push(body(Gives::Call, None, &[CLOSE]));
        }
        if self.functions {
            let close = &[CLOSE, END_FUNCTION];
            bodies.push(body(Gives::Arguments, Some(self.after_function()), close));
        }
        if self.keyed {
            bodies.push(body(Gives::Arguments, Some(self.after_keyed()), &[CLOSE]));
        }
        bodies
    }
}

/// A body, which `close` end before their time; after one that is all arguments stands section `then`.
pub(super) fn body(gives: Gives, then: Option<u8>, close: &[&'static str]) -> BodyKind {
    let cut = (!close.is_empty()).then(|| rule(pattern![close]).before().close(Scope::Body));
    BodyKind { gives, rules: cut.into_iter().collect(), then: then.map(Place::Section) }
}

/// Where openers are special tokens: outside a string the next call's, confirmed, ends an object.
pub(super) fn next_ends(mark: Pattern, follow: &[Pattern]) -> Rule {
    rule(mark).follow(follow.to_vec()).before().close(Scope::Body)
}

/// The dialect `tool-call`.
pub(crate) fn tool_call() -> DialectSpec {
    let bodies = Bodies { json: true, functions: true, keyed: true, token: false };
    bodies.dialect(
        &keyed_boundary(),
        DialectSpec::new(
            "tool-call",
            "<tool_call> and whichever of the three bodies follows",
            template(),
        ),
    )
}

/// How it is written: as `hermes`, but the body may be one that needs the closer.
fn template() -> Template {
    Template { stop: stop(&[], &[RESPONSE]), ..hermes_template() }
}

/// How the results of all of them are written.
const RESULT: ResultForm = results(
    "<tool_response>\n{content}\n</tool_response>",
    "<tool_response>\nError: {content}\n</tool_response>",
    "\n",
);

const RESPONSE: Text = Borrowed("<tool_response>");
