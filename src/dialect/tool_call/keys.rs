//! Keys and values, as in `glm`.
//!
//! ```text
//! keyed := NAME ws ( "<arg_key>" KEY "</arg_key>" junk "<arg_value>" value "</arg_value>" ws )*
//!        | NAME ws object
//! ```
//! Models forget openers under load. Where the tags are no special tokens, a declared key is one without its
//! opener (`NAME ws KEY ws "</arg_key>"`, and nothing may stand between the names), the second of two openers is
//! the key's, and a value begins without its own one where its closer is the first tag that comes.

use super::Block;
use super::functions::{bare_functions, function, function_body};
use crate::dialect::bracket::{
    closer, closes_both, cut_closer, cut_closers, end_token, ends_both, mismatched, next_param,
    quotes_call, stray, suspect, suspect_tokens, value,
};
use crate::dialect::build::{one_of, prefixed, rule};
use crate::dialect::spec::{
    At, Chars, Flags, Framing, Known, LINE_BREAK, Name, Named, Pattern, Piece, Place, Ref, Rule,
    Run, Scope, ValueKind, WS, What,
};
use crate::event::DiagnosticKind;
use crate::pattern;

/// An object that is all of the arguments begins.
pub(in crate::dialect) fn argument_object() -> Pattern {
    pattern!["{", WS, one_of("\"}")]
}

/// The tags of a keyed call: round a key, round its value, and after the call.
#[derive(Clone, Default)]
pub(in crate::dialect) struct Keys {
    pub key: [Pattern; 2],
    pub value: [Pattern; 2],
    pub end: Pattern,
}

impl Keys {
    /// After a tool's name they, or an object, begin.
    pub(super) fn body(&self) -> [Pattern; 2] {
        [self.key[0].clone(), argument_object()]
    }

    /// A marker up to what closes a key. Where that opens the value, too, it is read again.
    fn key(&self, mark: Pattern) -> Rule {
        let [_, close] = &self.key;
        if *close == self.value[0] {
            rule(mark).follow([close.clone()])
        } else {
            rule([mark, close.clone()].concat())
        }
    }
}

/// How far the closer of a value without its opener is looked for, in bytes.
const FORGOTTEN: u16 = 256;

/// A keyed call begins with a key without its opener: both names are declared.
pub(super) fn glued(keys: &Keys) -> [Pattern; 2] {
    let key = pattern![WS, Name::param().known(Known::Declared), WS];
    let key = [key, keys.key[1].clone()].concat();
    [pattern![Name::tool().known(Known::Declared).glued()], key]
}

/// A keyed call begins. One without arguments must be of a known tool, if there are some.
pub(super) fn keyed(keys: &Keys) -> Vec<Pattern> {
    let any = prefixed(pattern![Name::tool(), WS], &keys.body());
    let none = [pattern![Name::tool().known(Known::IfDeclared), WS], keys.end.clone()].concat();
    let stray = [stray_closer(keys), vec![WS], keys.end.clone()].concat();
    [any, vec![none, stray]].concat()
}

/// A call without arguments, of a declared tool, that closes a value which never opened: `NAME</arg_value>`.
pub(in crate::dialect) fn stray_closer(keys: &Keys) -> Pattern {
    [pattern![Name::tool().known(Known::Declared), WS], keys.value[1].clone()].concat()
}

impl Block {
    pub(super) fn keyed_rules(&self, keys: &Keys) -> Vec<Rule> {
        let object = rule(pattern!["{"]).follow([pattern![one_of("\"}")]]);
        let rules = vec![
            object
                .needs(Flags::CALL_START)
                .open(Place::Body(self.functions_at() + self.keyed_at())),
            rule(keys.end.clone()).close(Scope::Call),
        ];
        let cut = self.cut_closers().map(|cut| cut_closer(cut, &self.over()));
        let rules = rules.into_iter().chain(cut).collect();
        let value = self.keyed_at();
        let own = if self.token {
            keys_and_values(keys, value)
        } else {
            let forgotten = forgotten_openers(keys, self.keyed_at() + 1);
            [forgotten, no_keys_and_values(keys, value)].concat()
        };
        [own, rules, self.next_blocks(), vec![stray()]].concat()
    }

    /// A value whose opener is missing. Another tag than its own closer shows that it was none, but a key
    /// without a value.
    pub(super) fn bare_value(&self, keys: &Keys) -> ValueKind {
        let none = |mark: Pattern| {
            let none = rule(mark).before().close(Scope::Value).sets(Flags::BROKEN);
            none.note(DiagnosticKind::MalformedTag)
        };
        let close = keys.value[1].clone();
        let own = own_closer(keys, &self.after_value());
        let fresh = self.closer_before_key(keys);
        let next = [self.begin(), self.blocks()].concat();
        let rules = vec![
            own,
            fresh,
            none(keys.value[0].clone()),
            none(keys.key[0].clone()),
            none(keys.end.clone()),
            none(pattern![self.open]).follow(next).noise(),
            suspect(close),
        ];
        value(Framing::None, rules)
    }

    pub(super) fn keyed_value(&self, keys: &Keys) -> ValueKind {
        let mut over = self.over();
        if self.functions {
            over.extend(bare_functions());
        }
        let lost = if self.token {
            let next = [self.begin(), self.blocks()].concat();
            let both = ends_both(pattern![self.open], &next, Scope::Section);
            [vec![both], lost_in_tokens(keys, None)].concat()
        } else {
            let ends = [keys.value[1].clone(), keys.end.clone(), key_of(keys, Known::Declared)];
            let own_name = mismatched(
                pattern!["</", Ref::Param, ">"],
                &[keys.key[0].clone(), keys.end.clone()],
            );
            let before_key = self.closer_before_key(keys);
            [vec![own_name, before_key], self.quoted(), ends.map(suspect).to_vec()].concat()
        };
        keyed_value(keys, &self.after_value(), &over, lost)
    }

    /// The confirmation of a value's closer beside a key and the closer of the call: the next block, or the closer of the
    /// call cut short.
    fn after_value(&self) -> Vec<Pattern> {
        let cut =
            self.cut_closers().map(|cut| prefixed([cut, vec![WS]].concat(), &self.after_cut()));
        [vec![pattern![self.open]], cut.unwrap_or_default()].concat()
    }

    /// The follow set of a closer that is cut short: the end, or the next block's opener alone, for it would be too
    /// long to hold with what confirms it.
    pub(super) fn after_cut(&self) -> Vec<Pattern> {
        [vec![pattern![At::End], pattern![self.open]], self.stop.clone()].concat()
    }

    /// Closers of a keyed call that are cut short, where its tags are no special tokens.
    pub(super) fn cut_closers(&self) -> Option<Pattern> {
        self.forgiving().and_then(|_| cut_closers(&self.close))
    }

    /// A value's own closer before a key that the call lacks, which lacks its opener.
    fn closer_before_key(&self, keys: &Keys) -> Rule {
        let fresh = pattern![Name::param().known(Known::Fresh), WS];
        let fresh = [fresh, keys.key[1].clone()].concat();
        closer(keys.value[1].clone(), &[fresh]).then(Place::Call(self.keyed_at()))
    }

    /// In a value: the opener of a call of a declared tool.
    pub(super) fn quoted(&self) -> Vec<Rule> {
        let mut rules = Vec::new();
        if let Some(keys) = &self.keyed {
            let open = pattern![self.open, WS, Name::tool().known(Known::Declared)];
            let follow = [&keys.body()[..], std::slice::from_ref(&keys.end)].concat();
            rules.push(quotes_call(open, &follow));
        }
        if self.functions {
            let body = [&function_body()[..], &[argument_object()]].concat();
            rules.push(quotes_call(function(Known::Declared)[0].clone(), &body));
        }
        rules
    }
}

/// The keys of a call, each with its value, which is of this kind.
pub(in crate::dialect) fn keys_and_values(keys: &Keys, value: u8) -> Vec<Rule> {
    let key = pattern![Name::param().chars(Chars::except("<"))];
    let key = keys.key([keys.key[0].clone(), key].concat());
    [vec![key.does(What::Name)], no_keys_and_values(keys, value)].concat()
}

/// What is no key but waits for its value all the same, so that what is quoted in that does not count; and the
/// value.
fn no_keys_and_values(keys: &Keys, value: u8) -> Vec<Rule> {
    let text = Run { chars: Chars::except("<"), min: 0, max: crate::bounds::NAME as u16 };
    let text = [keys.key[0].clone(), pattern![text]].concat();
    let broken = |rule: Rule| {
        let broken = rule.does(What::Name).sets(Flags::BROKEN);
        broken.note(DiagnosticKind::MalformedTag)
    };
    let opens =
        |mark: Pattern| rule(mark).needs(Flags::NAMED).does(What::Param(value, Named::Remembered));
    let doubled = [keys.value[0].clone(), keys.value[0].clone()].concat();
    vec![
        broken(keys.key(text.clone())),
        broken(rule(text)).noise(),
        broken(rule(keys.key[0].clone())).noise(),
        opens(doubled).noise().note(DiagnosticKind::MalformedTag),
        opens(keys.value[0].clone()),
    ]
}

/// What is read as a key or a value though it lacks its opener, or has one too many. (One line break behind
/// a key is no part of the value: it belongs to the key's closer.)
fn forgotten_openers(keys: &Keys, bare_value: u8) -> Vec<Rule> {
    let [open, close] = keys.key.clone();
    let open_of_key = open.clone();
    let malformed = |rule: Rule| rule.note(DiagnosticKind::MalformedTag);
    let named = |mark: Pattern| rule([mark, close.clone()].concat()).does(What::Name);
    let any = Name::param().chars(Chars::except("<"));
    let fresh = Name::param().known(Known::Fresh);
    let again = rule([pattern![At::Start, WS], close.clone()].concat()).needs(Flags::NAMED);
    let rules = [
        malformed(named([open.clone(), vec![WS], open.clone(), pattern![any]].concat())),
        named([open, pattern![any]].concat()),
        malformed(named(pattern![At::Start, WS, fresh, WS])).not(Flags::NAMED).noise(),
        again.does(What::Unexpected).noise(),
    ];
    let with_line = |rule: &Rule| {
        let mut with_line = rule.clone();
        with_line.mark.push(LINE_BREAK.into());
        [with_line, rule.clone()]
    };
    let others = [&keys.value[0], &open_of_key, &keys.end];
    let others = others.into_iter().flatten().flat_map(Piece::texts).cloned().collect();
    let to = keys.value[1].iter().flat_map(Piece::texts).next().cloned().unwrap_or_default();
    let value = Piece::Until { to, unless: others, words: Vec::new(), within: FORGOTTEN };
    let value = rule(pattern![At::Start, value]).needs(Flags::NAMED).before();
    let value = malformed(value.does(What::Param(bare_value, Named::Remembered)));
    rules.iter().flat_map(with_line).chain([value]).collect()
}

/// A value's own closer, before what `follow` names, a key, or the call's closer.
fn own_closer(keys: &Keys, follow: &[Pattern]) -> Rule {
    let next = [keys.key[0].clone(), keys.end.clone()];
    closer(keys.value[1].clone(), &[&next, follow].concat())
}

/// A key of the tool.
fn key_of(keys: &Keys, known: Known) -> Pattern {
    let [open, close] = keys.key.clone();
    [open, pattern![WS, Name::param().known(known), WS], close].concat()
}

/// A key of the tool up to its value. `hint`: a type that may stand between the two.
fn whole_keys(keys: &Keys, known: Known, hint: Option<&Pattern>) -> Vec<Pattern> {
    let key = key_of(keys, known);
    if keys.key[1] == keys.value[0] {
        return vec![key];
    }
    let value = [vec![WS], keys.value[0].clone()].concat();
    let typed = hint.map(|hint| [&*key, &[WS], hint, &value].concat());
    [Some([key, value.clone()].concat()), typed].into_iter().flatten().collect()
}

/// Where tags are special tokens: the rules of a value whose closer is lost, and of data that looks like tokens.
pub(in crate::dialect) fn lost_in_tokens(keys: &Keys, hint: Option<&Pattern>) -> Vec<Rule> {
    let next = whole_keys(keys, Known::Fresh, hint).into_iter().map(next_param);
    let end = end_token(keys.end.clone(), Scope::Call);
    let declared = whole_keys(keys, Known::Declared, hint);
    let tags = keys.key.iter().chain(&keys.value).filter_map(|tag| tag.first()?.texts().first());
    let data = [vec![keys.value[1].clone()], declared].concat();
    next.chain([end]).chain(suspect_tokens(tags.map(|tag| &**tag), data)).collect()
}

/// The value of a key. `follow`: what may stand after its closer beside a key and the call's closer;
/// `over`: what shows, after the closer of the call, that the call is over; `lost`: the rules for what is
/// in the value where both closers are lost, or data that looks like it.
pub(in crate::dialect) fn keyed_value(
    keys: &Keys,
    follow: &[Pattern],
    over: &[Pattern],
    lost: Vec<Rule>,
) -> ValueKind {
    let own = own_closer(keys, follow);
    let tail = closes_both(keys.end.clone(), over, Scope::Call);
    value(Framing::Recovered, [vec![own, tail], lost].concat())
}
