//! A [`Rule`] as JSON: what it does is a key of its own, `"open": {"call": 0}` or `"close": "value"`.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

use super::super::data::data;
use super::super::flags::Flags;
use super::super::spec::{Action, AtEnd, Named, Pattern, Place, Rule, Scope, What};
use crate::event::DiagnosticKind;

data! {
    /// One that does none of the five is markup, and nothing else.
    #[derive(Default)]
    struct Written {
        /// For people: what it is for follows from the rest.
        #[serde(rename = "role", skip_serializing)]
        _role: serde::de::IgnoredAny,
        mark: Pattern,
        follow: Vec<Pattern>,
        needs: Flags,
        not: Flags,
        at_end: AtEnd,
        fixed: u8,
        noise: bool,
        open: Option<Place>,
        param: Option<u8>,
        /// Where the name of `param` comes from.
        named: Option<Named>,
        close: Option<Scope>,
        orphan: Option<Scope>,
        does: Option<Does>,
        before: bool,
        then: Option<Place>,
        note: Option<DiagnosticKind>,
        sets: Flags,
        clears: Flags,
    }

    /// What needs one word.
    #[derive(PartialEq)]
    enum Does {
        Name,
        Unexpected,
        Pass,
        Reject,
        Rest,
    }
}

impl Serialize for Rule {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Written::from(self.clone()).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Rule {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Rule, D::Error> {
        Written::deserialize(deserializer)?.try_into().map_err(D::Error::custom)
    }
}

impl From<Rule> for Written {
    fn from(rule: Rule) -> Written {
        let Rule { mark, follow, needs, not, at_end, fixed, noise, action } = rule;
        let Action { what, before, note, sets, clears, then } = action;
        let mut written = Written {
            mark,
            follow,
            needs,
            not,
            at_end,
            fixed,
            noise,
            before,
            then,
            note,
            sets,
            clears,
            ..Written::default()
        };
        match what {
            What::Open(place) => written.open = Some(place),
            What::Param(kind, named) => {
                written.param = Some(kind);
                written.named = (named != Named::Captured).then_some(named);
            }
            What::Close(scope) => written.close = Some(scope),
            What::Orphan(scope) => written.orphan = Some(scope),
            What::Name => written.does = Some(Does::Name),
            What::Unexpected => written.does = Some(Does::Unexpected),
            What::Pass => written.does = Some(Does::Pass),
            What::Reject => written.does = Some(Does::Reject),
            What::Rest => written.does = Some(Does::Rest),
            What::Mark => {}
        }
        written
    }
}

impl TryFrom<Written> for Rule {
    type Error = &'static str;

    fn try_from(written: Written) -> Result<Rule, &'static str> {
        let Written { mark, follow, needs, not, at_end, fixed, noise, .. } = written;
        let Written { open, param, named, close, orphan, does, .. } = written;
        if named.is_some() && param.is_none() {
            return Err("`named` belongs beside `param`");
        }
        let what = match (open, param, close, orphan, does) {
            (None, None, None, None, None) => What::Mark,
            (Some(place), None, None, None, None) => What::Open(place),
            (None, Some(kind), None, None, None) => {
                What::Param(kind, named.unwrap_or(Named::Captured))
            }
            (None, None, Some(scope), None, None) => What::Close(scope),
            (None, None, None, Some(scope), None) => What::Orphan(scope),
            (None, None, None, None, Some(Does::Name)) => What::Name,
            (None, None, None, None, Some(Does::Unexpected)) => What::Unexpected,
            (None, None, None, None, Some(Does::Pass)) => What::Pass,
            (None, None, None, None, Some(Does::Reject)) => What::Reject,
            (None, None, None, None, Some(Does::Rest)) => What::Rest,
            _ => return Err("a rule has one of open, param, close, orphan, does"),
        };
        let Written { before, then, note, sets, clears, .. } = written;
        let action = Action { what, before, note, sets, clears, then };
        Ok(Rule { mark, follow, needs, not, at_end, fixed, noise, action })
    }
}
