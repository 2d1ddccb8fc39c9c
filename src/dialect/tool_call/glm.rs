//! `glm`: keys and values.
//!
//! ```text
//! keyed := NAME ws ( "<arg_key>" KEY "</arg_key>" junk "<arg_value>" value "</arg_value>" ws )*
//!        | NAME ws object
//! ```
//! Models forget openers under load. Where the tags are no special tokens, a declared key is one without its
//! opener (`NAME ws KEY ws "</arg_key>"`, and nothing may stand between the names), the second of two openers is
//! the key's, and a value begins without its own one where its closer is the first tag that comes.

use std::borrow::Cow::Borrowed;

use super::qwen3_coder::{bare_function, bare_functions, function_body};
use super::{BOUNDARY, Bodies, CLOSE, OPEN, RESPONSE, RESULT};
use crate::dialect::build::{one_of, prefixed, rule};
use crate::dialect::parts::{
    closer, closes_both, end_token, ends_both, quotes_call, stray, suspect, value,
};
use crate::dialect::spec::{
    At, Chars, DialectSpec, Flags, Framing, Known, Name, Named, Pattern, Piece, Place, Rule, Run,
    Scope, Text, ValueKind, WS, What,
};
use crate::dialect::template::{
    ArgumentsForm, CALL, CallForm, LINES, LineBreaks, PARAM, ParamForm, Placeholders, PromptForm,
    Template, prompt, results, stop,
};
use crate::event::DiagnosticKind;
use crate::pattern;

/// How the tags of a keyed call are written.
#[derive(Clone, Default)]
pub(in crate::dialect) struct Tags {
    /// Before their names.
    pub prefix: &'static str,
    /// After their names and a colon, if there is one.
    pub suffix: Pattern,
}

impl Tags {
    pub fn open(&self, name: &str) -> Pattern {
        self.tag("<", name)
    }

    pub fn close(&self, name: &str) -> Pattern {
        self.tag("</", name)
    }

    fn tag(&self, begin: &str, name: &str) -> Pattern {
        let begin = format!("{begin}{}{name}", self.prefix);
        match &*self.suffix {
            [] => pattern![begin + ">"],
            suffix => [pattern![begin + ":"], suffix.to_vec(), pattern![">"]].concat(),
        }
    }
}

/// An object that is all of the arguments begins.
pub(in crate::dialect) fn argument_object() -> Pattern {
    pattern!["{", WS, one_of("\"}")]
}

/// After a tool's name its keys, or an object, begin.
pub(super) fn keyed_body() -> [Pattern; 2] {
    [Tags::default().open("arg_key"), argument_object()]
}

const LINE_BREAK: &[&str] = &["\n", "\r\n"];
/// How far the closer of a value without its opener is looked for, in bytes.
const FORGOTTEN: u16 = 256;

/// A keyed call begins with a key without its opener: both names are declared.
pub(super) fn glued() -> [Pattern; 2] {
    let key = pattern![WS, Name::param().known(Known::Declared), WS];
    let key = [key, Tags::default().close("arg_key")].concat();
    [pattern![Name::tool().known(Known::Declared).glued()], key]
}

/// A keyed call begins. One without arguments must be of a known tool, if there are some.
pub(super) fn keyed() -> Vec<Pattern> {
    let any = prefixed(pattern![Name::tool(), WS], &keyed_body());
    let none = pattern![Name::tool().known(Known::IfDeclared), WS, CLOSE];
    [any, vec![none]].concat()
}

impl Bodies {
    pub(super) fn keyed_rules(self) -> Vec<Rule> {
        let object = rule(pattern!["{"]).follow([pattern![one_of("\"}")]]);
        let rules = vec![
            object.needs(Flags::CALL_START).open(Place::Body(self.keyed_object())),
            rule(pattern![CLOSE]).close(Scope::Call),
        ];
        let value = self.keyed_value_at();
        let keys = if self.forgives() {
            let forgotten = forgotten_openers(self.bare_value_at());
            [forgotten, no_keys_and_values(&Tags::default(), value)].concat()
        } else {
            keys_and_values(&Tags::default(), value)
        };
        [keys, rules, self.next_blocks(), vec![stray()]].concat()
    }

    /// A value whose opener is missing. Another tag than its own closer shows that it was none, but a key
    /// without a value.
    pub(super) fn bare_value(self) -> ValueKind {
        let tags = Tags::default();
        let none = |mark: Pattern| {
            let none = rule(mark).before().close(Scope::Value).sets(Flags::BROKEN);
            none.note(DiagnosticKind::MalformedTag)
        };
        let close = tags.close("arg_value");
        let own = own_closer(&tags, &[pattern![OPEN]]);
        let fresh = self.closer_before_key(&tags);
        let next = [self.begin(), self.blocks()].concat();
        let rules = vec![
            own,
            fresh,
            none(tags.open("arg_value")),
            none(tags.open("arg_key")),
            none(pattern![CLOSE]),
            none(pattern![OPEN]).follow(next).noise(),
            suspect(close),
        ];
        value(Framing::None, rules)
    }

    pub(super) fn keyed_value(self, boundary: &[Text]) -> ValueKind {
        let mut over = self.over(boundary);
        if self.functions {
            over.extend(bare_functions());
        }
        let tags = Tags::default();
        let mut data = vec![suspect(tags.close("arg_value")), suspect(pattern![CLOSE])];
        data.push(suspect(fresh_key(&tags)));
        let lost = if self.token {
            let next = [self.begin(), self.blocks()].concat();
            let end = end_token(pattern![CLOSE], Scope::Call);
            vec![ends_both(pattern![OPEN], &next, Scope::Section), end]
        } else {
            [self.quoted(), data].concat()
        };
        let mut value = keyed_value(&tags, &[pattern![OPEN]], &over, lost);
        if self.forgives() {
            value.rules.insert(1, self.closer_before_key(&tags));
        }
        value
    }

    /// A value's own closer before a key that the call lacks, which lacks its opener.
    fn closer_before_key(self, tags: &Tags) -> Rule {
        let fresh = pattern![Name::param().known(Known::Fresh), WS];
        let fresh = [fresh, tags.close("arg_key")].concat();
        closer(tags.close("arg_value"), &[fresh]).then(Place::Call(self.in_keyed()))
    }

    /// In a value: the opener of a call of a declared tool.
    pub(super) fn quoted(self) -> Vec<Rule> {
        let mut rules = Vec::new();
        if self.keyed {
            let open = pattern![OPEN, WS, Name::tool().known(Known::Declared)];
            rules.push(quotes_call(open, &[&keyed_body()[..], &[pattern![CLOSE]]].concat()));
        }
        if self.functions {
            let body = [&function_body()[..], &[argument_object()]].concat();
            rules.push(quotes_call(bare_function()[0].clone(), &body));
        }
        rules
    }
}

/// The keys of a call, each with its value, which is of this kind.
pub(in crate::dialect) fn keys_and_values(tags: &Tags, value: u8) -> Vec<Rule> {
    let key = pattern![Name::param().chars(Chars::except("<"))];
    let key = [tags.open("arg_key"), key, tags.close("arg_key")].concat();
    [vec![rule(key).does(What::Name)], no_keys_and_values(tags, value)].concat()
}

/// What is no key but waits for its value all the same, so that what is quoted in that does not count; and the
/// value.
fn no_keys_and_values(tags: &Tags, value: u8) -> Vec<Rule> {
    let text = Run { chars: Chars::except("<"), min: 0, max: crate::bounds::NAME as u16 };
    let text = pattern![text];
    let (open, close) = (tags.open("arg_key"), tags.close("arg_key"));
    let broken = |mark: Pattern| {
        let broken = rule(mark).does(What::Name).sets(Flags::BROKEN);
        broken.note(DiagnosticKind::MalformedTag)
    };
    vec![
        broken([open.clone(), text.clone(), close].concat()),
        broken([open.clone(), text].concat()).noise(),
        broken(open).noise(),
        rule(tags.open("arg_value"))
            .needs(Flags::NAMED)
            .does(What::Param(value, Named::Remembered)),
    ]
}

/// What is read as a key or a value though it lacks its opener, or has one too many. (One line break behind
/// a key is no part of the value: it belongs to the key's closer.)
fn forgotten_openers(bare_value: u8) -> Vec<Rule> {
    let tags = Tags::default();
    let (open, close) = (tags.open("arg_key"), tags.close("arg_key"));
    let malformed = |rule: Rule| rule.note(DiagnosticKind::MalformedTag);
    let named = |mark: Pattern| rule([mark, close.clone()].concat()).does(What::Name);
    let any = Name::param().chars(Chars::except("<"));
    let fresh = Name::param().known(Known::Fresh);
    let again = rule([pattern![At::Start, WS], close.clone()].concat()).needs(Flags::NAMED);
    let keys = [
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
    let others = ["<arg_value>", "<arg_key>", CLOSE].map(Borrowed).to_vec();
    let to = Borrowed("</arg_value>");
    let value = Piece::Until { to, unless: others, words: Vec::new(), within: FORGOTTEN };
    let value = rule(pattern![At::Start, value]).needs(Flags::NAMED).before();
    let value = malformed(value.does(What::Param(bare_value, Named::Remembered)));
    keys.iter().flat_map(with_line).chain([value]).collect()
}

/// A value's own closer, before what `follow` names, a key, or the call's closer.
fn own_closer(tags: &Tags, follow: &[Pattern]) -> Rule {
    let (key, call) = (tags.open("arg_key"), tags.close("tool_call"));
    closer(tags.close("arg_value"), &[&[key, call], follow].concat())
}

/// The key of a parameter that the call lacks.
fn fresh_key(tags: &Tags) -> Pattern {
    let fresh = pattern![WS, Name::param().known(Known::Fresh), WS];
    [tags.open("arg_key"), fresh, tags.close("arg_key")].concat()
}

/// The value of a key. `follow`: what may stand after its closer beside a key and the call's closer;
/// `over`: what shows, after the closer of the call, that the call is over; `lost`: the rules for what is
/// in the value where both closers are lost, or data that looks like it.
pub(in crate::dialect) fn keyed_value(
    tags: &Tags,
    follow: &[Pattern],
    over: &[Pattern],
    lost: Vec<Rule>,
) -> ValueKind {
    let own = own_closer(tags, follow);
    let tail = closes_both(tags.close("tool_call"), over, Scope::Call);
    value(Framing::None, [vec![own, tail], lost].concat())
}

/// The dialect `glm`.
pub(in crate::dialect) fn glm() -> DialectSpec {
    let bodies = Bodies { keyed: true, ..Bodies::NONE };
    bodies.dialect(
        &keyed_boundary(),
        DialectSpec::new(
            "glm",
            "<tool_call>NAME<arg_key>…</arg_key><arg_value>…</arg_value></tool_call>",
            template(),
        ),
    )
}

pub(super) fn keyed_boundary() -> Vec<&'static str> {
    [&BOUNDARY[..], &["<|role_end|>"]].concat()
}

/// How it is written.
pub(in crate::dialect) fn template() -> Template {
    Template {
        prompt: PromptForm {
            text: Borrowed(
                "\
# Tools

You can call tools. Each line between these tags is one of them, as JSON with a JSON Schema of its \
parameters:
<tools>
{tools}
</tools>

To call a tool, write its name, and then a key and a value for each argument, in this form:
{form}

Give every required argument. Write strings as they are, without quotes and escapes; lists, \
objects, numbers and booleans as JSON.
{limit}

{example}",
            ),
            placeholders: Placeholders {
                name: Borrowed("tool_name"),
                params: Borrowed(&[
                    (Borrowed("key_1"), Borrowed("value 1")),
                    (Borrowed("key_2"), Borrowed("value 2")),
                ]),
            },
            ..prompt("")
        },
        call: CallForm {
            open: Borrowed("<tool_call>{name}\n"),
            arguments: ArgumentsForm::Params(ParamForm {
                open: Borrowed("<arg_key>{key}</arg_key>\n<arg_value>"),
                close: Borrowed("</arg_value>\n"),
                line_breaks: LineBreaks::Always,
                ..PARAM
            }),
            close: Borrowed("</tool_call>"),
            ..LINES
        },
        result: RESULT,
        // Not the closer of the call: the call needs it.
        stop: stop(&[], &[Borrowed("<|observation|>"), RESPONSE]),
    }
}

/// Of GLM-4.7 and later, and what copies them: no line breaks between tags.
pub(in crate::dialect) fn glm_inline() -> Template {
    Template {
        call: CallForm {
            open: Borrowed("<tool_call>{name}"),
            arguments: ArgumentsForm::Params(ParamForm {
                open: Borrowed("<arg_key>{key}</arg_key><arg_value>"),
                close: Borrowed("</arg_value>"),
                ..PARAM
            }),
            close: Borrowed("</tool_call>"),
            ..CALL
        },
        result: results(
            "<tool_response>{content}</tool_response>",
            "<tool_response>Error: {content}</tool_response>",
            "",
        ),
        ..template()
    }
}
