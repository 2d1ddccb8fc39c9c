//! The rules of blocks, as those of `<tool_call>`: objects, functions, keys and values, or whichever of them follows
//! the opener. The dialects are in [`blocks`](super::blocks).
//!
//! ```text
//! block := "<tool_call>" ws BODY ws "</tool_call>"        BODY := json | functions | keyed
//! ```
//! The opener counts if `ws` and the beginning of a body follow. A doubled opener is markup. A call
//! in reasoning ends it. Each kind of body has a file of its own.

mod functions;
mod keys;
mod objects;

pub(super) use keys::{Keys, argument_object, keyed_value, keys_and_values, lost_in_tokens};
pub(super) use objects::{
    ARGUMENT_KEYS, CALL_KEYS, json, members, object, objects, one_or_listed, plain_json,
};

use functions::{
    END_FUNCTION, function, function_body, functions, misnamed, named, whole_function,
    whole_functions,
};
pub(super) use keys::stray_closer;
use keys::{glued, keyed};

use crate::dialect::bracket::{
    after_object, body, call, cuts, ends_call, opener, section, section_closers, whole_call,
};
use crate::dialect::build::{prefixed, rule};
use crate::dialect::spec::{
    At, AtEnd, BodyKind, CallKind, DialectSpec, Flags, Gives, Known, Name, Pattern, Piece, Place,
    Rule, Scope, SectionKind, Text, ValueKind, WS, What,
};
use crate::event::DiagnosticKind;
use crate::pattern;

/// A block: what opens and closes it, and which bodies it may have.
#[derive(Clone, Default)]
pub(super) struct Block {
    /// Each in these spellings.
    pub open: Vec<Text>,
    pub close: Vec<Text>,
    /// A stop token.
    pub stop: Vec<Pattern>,
    pub json: bool,
    pub functions: bool,
    /// The values of functions stand on lines of their own.
    pub lines: bool,
    pub keyed: Option<Keys>,
    /// Its tags are special tokens: the next one ends what is open.
    pub token: bool,
}

/// The first kind of each state: what a dialect has of further bodies is numbered after it.
const FIRST: u8 = 0;

/// The kinds, as the table of a dialect with these bodies numbers them: JSON comes first, then functions, then keys.
impl Block {
    /// The section of functions, of which what stands after an object comes next, and the body that is their object.
    fn functions_at(&self) -> u8 {
        u8::from(self.json)
    }

    /// A keyed call, and its value; one without its opener comes next.
    fn keyed_at(&self) -> u8 {
        u8::from(self.functions)
    }

    /// What stands after the object of a keyed call.
    fn after_keyed(&self) -> u8 {
        self.functions_at() + 2 * self.keyed_at()
    }

    /// A function that is over where it begins.
    fn in_whole(&self) -> u8 {
        self.keyed_at() + u8::from(self.keyed.is_some())
    }

    /// A function that `<NAME>` opened.
    fn in_named(&self) -> u8 {
        self.in_whole() + 1
    }

    /// The value of one of its parameters: the last kind.
    fn named_value_at(&self) -> u8 {
        self.values_before_named() as u8
    }

    fn values_before_named(&self) -> usize {
        let keyed = usize::from(self.keyed.is_some()) + usize::from(self.forgiving().is_some());
        usize::from(self.functions) + keyed
    }
}

impl Block {
    fn closer(&self) -> Option<Pattern> {
        (!self.close.is_empty()).then(|| pattern![self.close])
    }

    /// A fence of Markdown stands round it.
    fn is_fence(&self) -> bool {
        self.open.iter().chain(&self.close).any(|text| text.starts_with("```"))
    }

    /// After `<tool_call>` a body begins.
    fn begin(&self) -> Vec<Pattern> {
        [self.parted(), self.whole()].concat()
    }

    /// What only its end shows to be one: half of it at the end of the stream is no call.
    fn whole(&self) -> Vec<Pattern> {
        let functions = self.functions.then(whole_functions).into_iter().flatten();
        let glued = self.forgiving().map(|keys| glued(keys).concat());
        functions.chain(glued).collect()
    }

    /// The keys of a keyed body, if it may lack openers.
    fn forgiving(&self) -> Option<&Keys> {
        self.keyed.as_ref().filter(|_| !self.token)
    }

    /// The others.
    fn parted(&self) -> Vec<Pattern> {
        let mut parts = Vec::new();
        parts.extend(self.json.then(json));
        parts.extend(self.functions.then(functions));
        parts.extend(self.keyed.as_ref().map(keyed));
        parts.concat()
    }

    /// A block begins.
    fn blocks(&self) -> Vec<Pattern> {
        prefixed(pattern![self.open, WS], &self.begin())
    }

    /// What shows, after the closer of a call, that it is over.
    fn over(&self) -> Vec<Pattern> {
        [vec![pattern![At::End]], self.stop.clone(), self.blocks()].concat()
    }

    /// What counts in text, but for results and stop tokens.
    pub(super) fn text(&self) -> Vec<Rule> {
        let mut rules = Vec::new();
        if self.json {
            rules.push(opener(pattern![self.open], 1, &json()).open(Place::Section(FIRST)));
        }
        if self.functions {
            let place = Place::Section(self.functions_at());
            rules.push(opener(pattern![self.open], 1, &functions()).open(place));
            let whole = opener(pattern![self.open], 1, &whole_functions()).at_end(AtEnd::Payload);
            rules.push(whole.open(place));
        }
        if let Some(keys) = &self.keyed {
            let (any, known) = (Name::tool(), Name::tool().known(Known::IfDeclared));
            let open = |name: Name, follow: &[Pattern]| {
                opener(pattern![self.open, WS, name], 1, follow).open(Place::Call(self.keyed_at()))
            };
            rules.push(open(any, &keys.body()));
            let after = self.after_cut();
            let cut = |cut: Pattern| prefixed([cut, vec![WS]].concat(), &after);
            let cut = self.cut_closers().map(cut);
            let none = [vec![pattern![self.close]], cut.unwrap_or_default()].concat();
            rules.push(open(known, &none));
            let stray = [pattern![self.open, WS], stray_closer(keys)].concat();
            let stray = opener(stray, 1, &[pattern![self.close], pattern![self.open]]);
            let stray = stray.note(DiagnosticKind::MalformedTag);
            rules.push(stray.open(Place::Call(self.keyed_at())));
            // Half of that closer at the end of the stream: the name is whole all the same.
            let half = [keys.value[1].clone(), pattern![WS, self.close]].concat();
            rules.push(open(Name::tool().known(Known::Declared), &[half]));
            if !self.token {
                let [name, key] = glued(keys);
                let mark = [pattern![self.open, WS], name].concat();
                let glued = opener(mark, 1, &[key]).at_end(AtEnd::Payload);
                rules.push(glued.open(Place::Call(self.keyed_at())));
            }
        }
        let doubled = |follow: &[Pattern]| {
            opener(pattern![self.open, WS], 1, &prefixed(pattern![self.open, WS], follow))
        };
        // (Of several spellings each before each would be too many.)
        if self.open.len() == 1 {
            rules.push(doubled(&self.parted()));
        }
        if !self.whole().is_empty() {
            rules.push(doubled(&self.whole()).at_end(AtEnd::Payload));
        }
        if self.functions {
            let bare = |mark: Pattern| {
                let bare = opener(mark, 0, &function_body()).not(Flags::REASONING);
                bare.sets(Flags::OWED).open(Place::Call(FIRST))
            };
            let [whole, open] = function(Known::Declared);
            rules.push(bare(whole));
            rules.push(bare(open).note(DiagnosticKind::MalformedTag));
        }
        // What closes a fence closes nothing where none is open.
        if let Some(close) = self.closer().filter(|_| !self.is_fence()) {
            rules.extend(section_closers(&close));
        }
        rules
    }

    /// Between parameters: the block has ended before the next one.
    fn next_blocks(&self) -> Vec<Rule> {
        let mut openers = self.begin();
        openers.extend(self.blocks());
        vec![ends_call(pattern![self.open], &openers, Scope::Section)]
    }

    /// A table with the states of such blocks.
    pub(super) fn states(&self, table: DialectSpec) -> DialectSpec {
        DialectSpec {
            sections: self.sections(),
            calls: self.calls(),
            values: self.values(),
            bodies: self.bodies(),
            ..table
        }
    }
}

impl Block {
    fn sections(&self) -> Vec<SectionKind> {
        let close = || rule(pattern![self.close]).close(Scope::Section);
        let mut sections = Vec::new();
        if self.json {
            let mut objects = objects(FIRST, &members(), self.closer());
            if self.is_fence() {
                // The fence is not one that may stand round the objects beside.
                let fence = Piece::from("```");
                let closes = |rule: &Rule| rule.action.what == What::Close(Scope::Section);
                objects.rules.retain(|rule| closes(rule) || rule.mark.first() != Some(&fence));
                // What opens the next block begins with what closes this one.
                objects.rules.splice(..0, self.next_blocks());
            }
            sections.push(objects);
        }
        if self.functions {
            let [function, after] = self.function_sections(close());
            sections.extend([section(function), after_object(after)]);
        }
        if self.keyed.is_some() {
            sections.push(after_object(vec![close()]));
        }
        sections
    }

    /// Between functions, and after an object that is all of one's arguments.
    fn function_sections(&self, close: Rule) -> [Vec<Rule>; 2] {
        let [whole, open] = function(Known::Any);
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
            malformed(opens(named(), &body[..1])).open(Place::Call(self.in_named())),
            malformed(opens(misnamed(), &body)),
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
            forgotten(pattern![self.close], &[]),
            forgotten(whole, &[]),
            forgotten(whole_function(), &[]),
            forgotten(open, &body),
            forgotten(named(), &body[..1]),
            forgotten(misnamed(), &body),
        ];
        [functions, after]
    }

    fn calls(&self) -> Vec<CallKind> {
        let mut calls = Vec::new();
        calls.extend(self.functions.then(|| call(self.function_rules(false))));
        calls.extend(self.keyed.as_ref().map(|keys| call(self.keyed_rules(keys))));
        if self.functions {
            calls.extend([whole_call(), call(self.function_rules(true))]);
        }
        calls
    }

    fn values(&self) -> Vec<ValueKind> {
        let mut values = Vec::new();
        values.extend(self.functions.then(|| self.function_value(false)));
        values.extend(self.keyed.as_ref().map(|keys| self.keyed_value(keys)));
        values.extend(self.forgiving().map(|keys| self.bare_value(keys)));
        values.extend(self.functions.then(|| self.function_value(true)));
        values
    }

    /// The confirmed opener of more objects ends one. Where nothing closes them, nobody else says it.
    fn next_object(&self) -> Rule {
        let next = cuts(pattern![self.open], &json());
        if self.close.is_empty() { next.note(DiagnosticKind::MissingCloser) } else { next }
    }

    fn bodies(&self) -> Vec<BodyKind> {
        let mut bodies = Vec::new();
        if self.json {
            let mut object = body(Gives::Call, None, self.closer());
            object.rules.extend(self.token.then(|| self.next_object()));
            bodies.push(object);
        }
        if self.functions {
            let close = Piece::Any([&*self.close, &[END_FUNCTION.into()]].concat());
            let after = Some(self.functions_at() + 1);
            bodies.push(body(Gives::Arguments, after, Some(vec![close])));
        }
        if self.keyed.is_some() {
            bodies.push(body(Gives::Arguments, Some(self.after_keyed()), self.closer()));
        }
        bodies
    }
}

/// A function in its block, and one of its parameters, whose value may stand on lines of its own.
pub(super) const FUNCTION_CALL: &str = "<function={name}>\n{arguments}</function>";
pub(super) const FUNCTION_PARAM: &str = "<parameter={key}>{value}</parameter>";
