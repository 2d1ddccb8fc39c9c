//! A [`Rule`] as JSON: what it does is a key of its own, `"open": {"call": 0}` or `"close": "value"`.

use super::super::flags::Flags;
use super::super::piece::is_default;
use super::super::spec::{Action, AtEnd, Named, Pattern, Place, Rule, Scope, What};
use crate::event::DiagnosticKind;

/// One that does none of the five is markup, and nothing else.
#[derive(Default, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(in super::super) struct Written {
    /// For people: what it is for follows from the rest.
    #[serde(rename = "role", skip_serializing)]
    _role: serde::de::IgnoredAny,
    mark: Pattern,
    #[serde(skip_serializing_if = "is_default")]
    follow: Vec<Pattern>,
    #[serde(skip_serializing_if = "is_default")]
    needs: Flags,
    #[serde(skip_serializing_if = "is_default")]
    not: Flags,
    #[serde(skip_serializing_if = "is_default")]
    at_end: AtEnd,
    #[serde(skip_serializing_if = "is_default")]
    fixed: u8,
    #[serde(skip_serializing_if = "is_default")]
    noise: bool,
    #[serde(skip_serializing_if = "is_default")]
    open: Option<Place>,
    #[serde(skip_serializing_if = "is_default")]
    param: Option<u8>,
    /// Where the name of `param` comes from.
    #[serde(skip_serializing_if = "is_default")]
    named: Option<Named>,
    #[serde(skip_serializing_if = "is_default")]
    close: Option<Scope>,
    #[serde(skip_serializing_if = "is_default")]
    orphan: Option<Scope>,
    #[serde(skip_serializing_if = "is_default")]
    does: Option<Does>,
    #[serde(skip_serializing_if = "is_default")]
    before: bool,
    #[serde(skip_serializing_if = "is_default")]
    then: Option<Place>,
    #[serde(skip_serializing_if = "is_default")]
    note: Option<DiagnosticKind>,
    #[serde(skip_serializing_if = "is_default")]
    sets: Flags,
    #[serde(skip_serializing_if = "is_default")]
    clears: Flags,
}

/// What needs one word.
#[derive(PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
enum Does {
    Name,
    Unexpected,
    Pass,
    Reject,
    Rest,
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
