//! Keyed calls in a section: `hunyuan` and `k2-horizon`. The rules of a call, its keys and its values
//! are those of `glm`, in [`super::tool_call`].
//!
//! ```text
//! section := "<tool_calls>" ws ( call ws )* "</tool_calls>"
//! call    := "<tool_call>" ws NAME ws KEYS "</tool_call>"
//! ```
//! A section counts if `<tool_call` follows, a call as in `glm`, in a section or without one, which is
//! not reported. What is no call ends a section. The section's closer ends a call whose own is missing.

mod hunyuan;
mod k2_horizon;

pub(super) use hunyuan::{hunyuan, hunyuan_4};
pub(super) use k2_horizon::k2_horizon;

use super::tool_call::{Tags, argument_object, keyed_value, keys_and_values, next_ends};
use crate::dialect::build::{prefixed, rule};
use crate::dialect::parts::{closes_both, end_token, ends_both, ends_call, opener, stray};
use crate::dialect::spec::{
    At, Between, BodyKind, Chars, Flags, Gives, Known, Name, Pattern, Place, Rule, Scope,
    SectionKind, ValueKind, WS, What,
};
use crate::event::DiagnosticKind;
use crate::pattern;

/// The section: what is open in a section that calls stand in.
const OUTER: u8 = 0;

/// One way to write the tags of a call.
struct Form {
    /// In a marker that opens something: the suffix is captured.
    opens: Tags,
    /// In what belongs to the open call.
    own: Tags,
    /// How many pieces a tag has.
    pieces: u8,
    /// The tags, one of which confirms a call of any tool after its name.
    keys: &'static [&'static str],
    /// An object may stand there, too.
    object: bool,
    /// What may stand in place of a name and its keys.
    json: Vec<Pattern>,
    /// The kind of the call, and of its values.
    kind: u8,
}

impl Form {
    pub(super) fn new(kind: u8, opens: Tags, own: Tags) -> Form {
        let (pieces, keys) = (opens.open("").len() as u8, &["arg_key"]);
        Form { opens, own, pieces, keys, object: false, json: Vec::new(), kind }
    }

    /// What confirms a call after the name of any tool.
    fn after_name(&self, tags: &Tags) -> Vec<Pattern> {
        let object = self.object.then(argument_object);
        self.keys.iter().map(|name| tags.open(name)).chain(object).collect()
    }

    /// A call begins. (After a name the suffix is not asked for: what was captured last is the name.)
    pub(super) fn begin(&self) -> Vec<Pattern> {
        let any = prefixed(pattern![Name::tool(), WS], &self.after_name(&self.opens));
        let known = Name::tool().known(Known::IfDeclared);
        let none = [pattern![known, WS], self.opens.close("tool_call")];
        [any, vec![none.concat()], self.json.clone()].concat()
    }

    /// One begins in a tag of its own.
    fn blocks(&self) -> Vec<Pattern> {
        prefixed([self.own.open("tool_call"), pattern![WS]].concat(), &self.begin())
    }

    /// After a call, what shows that it is over: its section's closer may stand first.
    fn over(&self, boundary: &[Pattern]) -> Vec<Pattern> {
        let section = [self.own.open("tool_calls"), pattern![WS, self.first()]].concat();
        let over = [vec![pattern![At::End], section], boundary.to_vec(), self.blocks()].concat();
        let closed = prefixed([self.own.close("tool_calls"), pattern![WS]].concat(), &over);
        [over, closed].concat()
    }

    /// The opener of a call as far as all forms have it.
    fn first(&self) -> String {
        format!("<{}tool_call", self.own.prefix)
    }

    /// The openers of calls. Without arguments they are of such tools.
    fn calls(&self, none: Known) -> Vec<Rule> {
        let open = |name: Name, follow: &[Pattern]| {
            let mark = [self.opens.open("tool_call"), pattern![WS, name]].concat();
            opener(mark, self.pieces, follow).open(Place::Call(self.kind))
        };
        vec![
            open(Name::tool(), &self.after_name(&self.own)),
            open(Name::tool().known(none), &[self.own.close("tool_call")]),
        ]
    }

    /// In text: `results` are what a model must not write itself.
    pub(super) fn text(&self, results: &[Pattern]) -> Vec<Rule> {
        let section = opener(self.opens.open("tool_calls"), self.pieces, &[pattern![self.first()]]);
        let doubled = [self.opens.open("tool_call"), pattern![WS]].concat();
        let orphan = |tag: &str| rule(self.opens.close(tag)).does(What::Orphan(Scope::Section));
        let invented = |result: &Pattern| {
            let invented = rule(result.clone()).needs(Flags::AFTER_CALL).does(What::Rest);
            invented.note(DiagnosticKind::FabricatedResult)
        };
        let mut rules = vec![section.open(Place::Section(OUTER))];
        rules.extend(self.calls(Known::IfDeclared));
        rules.push(opener(doubled, self.pieces, &self.blocks()));
        rules.extend(["tool_call", "tool_calls"].map(orphan));
        rules.extend(results.iter().map(invented));
        rules
    }

    /// In the section.
    pub(super) fn section(&self) -> Vec<Rule> {
        let close = rule(self.opens.close("tool_calls")).close(Scope::Section);
        [self.calls(Known::Any), vec![close]].concat()
    }

    pub(super) fn call(&self, more: Vec<Rule>) -> Vec<Rule> {
        let next = [self.begin(), self.blocks()].concat();
        let none = [pattern![Name::tool(), WS], self.own.close("tool_call")].concat();
        let ends = |next: &[Pattern]| ends_call(self.own.open("tool_call"), next, Scope::Call);
        let rules = vec![
            rule(self.own.close("tool_call")).close(Scope::Call),
            ends(&next),
            ends(&[none]).needs(Flags::IN_SECTION),
            ends_call(self.own.close("tool_calls"), &[], Scope::Call),
            stray(),
        ];
        [keys_and_values(&self.own.keys(), self.kind), more, rules].concat()
    }

    pub(super) fn value(&self, boundary: &[Pattern]) -> ValueKind {
        let open = self.own.open("tool_call");
        let end = self.own.close("tool_call");
        let next = [self.begin(), self.blocks()].concat();
        let none = [pattern![Name::tool(), WS], end.clone()].concat();
        let lost = vec![
            // In a section a call without arguments may be of any tool.
            closes_both(
                end.clone(),
                &prefixed([open.clone(), vec![WS]].concat(), std::slice::from_ref(&none)),
                Scope::Call,
            )
            .needs(Flags::IN_SECTION),
            ends_both(open.clone(), &next, Scope::Call),
            ends_both(open.clone(), &[none], Scope::Call).needs(Flags::IN_SECTION),
            ends_both(self.own.open("tool_calls"), &[pattern![self.first()]], Scope::Section),
            end_token(end, Scope::Call),
        ];
        let follow = [open, self.own.close("tool_calls")];
        keyed_value(&self.own.keys(), &follow, &self.over(boundary), lost)
    }
}

fn section(rules: Vec<Rule>) -> SectionKind {
    SectionKind { rules, between: Between::Only(Chars::WHITE), calls: true }
}

/// What ends a block in the section, after its body: its own closer, or that of the section.
fn ends_block(tags: &Tags) -> Vec<Rule> {
    let close = rule(tags.close("tool_calls")).close(Scope::Section);
    vec![
        rule(tags.close("tool_call")).open(Place::Section(OUTER)),
        close.note(DiagnosticKind::MissingCloser),
    ]
}

/// What ends one without a section.
fn ends_bare(tags: &Tags) -> Vec<Rule> {
    vec![rule(tags.close("tool_call")).close(Scope::Section)]
}

fn body(form: &Form, gives: Gives, then: Option<u8>) -> BodyKind {
    let cut = rule(form.own.close("tool_call")).before().close(Scope::Body);
    let next = next_ends(form.own.open("tool_call"), &form.begin());
    BodyKind { gives, rules: vec![cut, next], then: then.map(Place::Section) }
}
