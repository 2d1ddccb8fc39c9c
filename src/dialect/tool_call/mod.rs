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
    ARGUMENT_KEYS, hermes, json, members, object, objects, one_or_listed, plain_json,
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
    At, AtEnd, Between, BodyKind, Chars, DialectSpec, Flags, Gives, Known, Name, Pattern, Piece,
    Place, Rule, Scope, SectionKind, Text, WS, What,
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

/// The kinds, as the tables number them: sections, calls and values of bodies that a dialect does not
/// have are never opened.
const OBJECTS: u8 = 0;
const FUNCTIONS: u8 = 1;
const AFTER_FUNCTION_OBJECT: u8 = 2;
const AFTER_KEYED_OBJECT: u8 = 3;
const IN_FUNCTION: u8 = 0;
pub(super) const IN_KEYED: u8 = 1;
const WHOLE: u8 = 2;
pub(super) const FUNCTION_VALUE: u8 = 0;
pub(super) const KEYED_VALUE: u8 = 1;
const BARE_VALUE: u8 = 2;
const CALL_BODY: u8 = 0;
const FUNCTION_OBJECT: u8 = 1;
const KEYED_OBJECT: u8 = 2;

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
            rules.push(opener(pattern![OPEN], 1, &json()).open(Place::Section(OBJECTS)));
        }
        if self.functions {
            let place = Place::Section(FUNCTIONS);
            rules.push(opener(pattern![OPEN], 1, &functions()).open(place));
            let whole = opener(pattern![OPEN], 1, &whole_functions()).at_end(AtEnd::Payload);
            rules.push(whole.open(place));
        }
        if self.keyed {
            let (any, known) = (Name::tool(), Name::tool().known(Known::IfDeclared));
            let open = |name: Name, follow: &[Pattern]| {
                opener(pattern![OPEN, WS, name], 1, follow).open(Place::Call(IN_KEYED))
            };
            rules.push(open(any, &keyed_body()));
            rules.push(open(known, &[pattern![CLOSE]]));
            if self.forgives() {
                let [name, key] = glued();
                let mark = [pattern![OPEN, WS], name].concat();
                let glued = opener(mark, 1, &[key]).at_end(AtEnd::Payload);
                rules.push(glued.open(Place::Call(IN_KEYED)));
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
                bare.sets(Flags::OWED).open(Place::Call(IN_FUNCTION))
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
        let whole = vec![rule(pattern![At::Start]).close(Scope::Call)];
        let mut values = vec![self.function_value(&boundary), self.keyed_value(&boundary)];
        values.extend(self.forgives().then(|| self.bare_value()));
        DialectSpec {
            calls_in_reasoning: CallsInReasoning::Extract,
            prose: prose_with(text, reasoning),
            sections: sections(),
            calls: vec![call(self.in_function()), call(self.in_keyed()), call(whole)],
            values,
            bodies: bodies(),
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

fn sections() -> Vec<SectionKind> {
    let close = || rule(pattern![CLOSE]).close(Scope::Section);
    let [whole, open] = function();
    let malformed = |rule: Rule| rule.note(DiagnosticKind::MalformedTag);
    let opens = |mark: Pattern, follow: &[Pattern]| {
        rule(mark).follow(follow.to_vec()).at_end(AtEnd::Known).open(Place::Call(IN_FUNCTION))
    };
    let body = function_body();
    let functions = vec![
        malformed(
            opens(whole_function(), &[pattern!["<parameter"], pattern![END_FUNCTION]])
                .at_end(AtEnd::Prefix)
                .fixed(5),
        ),
        malformed(rule(whole_function()).open(Place::Call(WHOLE))),
        rule(whole.clone()).open(Place::Call(IN_FUNCTION)),
        malformed(opens(open.clone(), &body)),
        malformed(opens(named(), &body[..1])),
        close(),
    ];
    // After an object that is all of a function's arguments stands its closer.
    let forgotten = |mark: Pattern, follow: &[Pattern]| {
        let next = rule(mark).follow(follow.to_vec()).at_end(AtEnd::Known).before();
        let next = next.open(Place::Section(FUNCTIONS));
        next.note(DiagnosticKind::MissingCloser)
    };
    let after_function = vec![
        rule(pattern![END_FUNCTION]).open(Place::Section(FUNCTIONS)),
        forgotten(pattern![CLOSE], &[]),
        forgotten(whole, &[]),
        forgotten(whole_function(), &[]),
        forgotten(open, &body),
        forgotten(named(), &body[..1]),
    ];
    vec![
        objects(CALL_BODY, &members(), &[CLOSE]),
        section(Between::Only(Chars::WHITE), functions),
        after_object(after_function),
        after_object(vec![close()]),
    ]
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

fn bodies() -> Vec<BodyKind> {
    vec![
        body(Gives::Call, None, &[CLOSE]),
        body(Gives::Arguments, Some(AFTER_FUNCTION_OBJECT), &[CLOSE, END_FUNCTION]),
        body(Gives::Arguments, Some(AFTER_KEYED_OBJECT), &[CLOSE]),
    ]
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
