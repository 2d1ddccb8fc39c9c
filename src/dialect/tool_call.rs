//! The `<tool_call>` dialects: `hermes`, `qwen3-coder`, `glm`, and `tool-call`, which looks at what
//! follows the opener and takes the right one.
//!
//! ```text
//! block := "<tool_call>" ws BODY ws "</tool_call>"        BODY := json | functions | keyed
//! ```
//! The opener counts if `ws` and the beginning of a body follow. A doubled opener is markup. A call
//! in reasoning ends it.
//!
//! # `hermes`
//!
//! ```text
//! json  := fence? ( object | "[" ( object ","? )* "]" ) fence? ( ws object )*    fence := "```" letters?
//! object:= {"name": N, "arguments": {…}}          see machine/json.rs
//! ```
//! Counts if `{` `ws` and one of `"` `'` `}`, or a key of the call and `:`, follow, each of `[` and a
//! fence before it at most once.
//!
//! # `qwen3-coder`
//!
//! ```text
//! functions := function ( ws function )*
//! function  := "<function=" ws Q(NAME) ws ">" ( junk ( param junk )* | object ) "</function>"
//! param     := "<parameter=" Q(KEY) ">" value "</parameter>"              Q(x) := "x" | 'x' | x
//! ```
//! A `>` that is missing, a function written as `<NAME>` or `<function=NAME/>`, `=` or a line break for
//! the `>` of a parameter, and `<parameter name=KEY>` are accepted (`malformed_tag`). A value whose
//! closer was forgotten ends before the next declared parameter at a line's start, and before the
//! closers of the function and the block, if what follows shows that the call is over.
//!
//! # `glm`
//!
//! ```text
//! keyed := NAME ws ( "<arg_key>" KEY "</arg_key>" junk "<arg_value>" value "</arg_value>" ws )*
//!        | NAME ws object
//! ```

use super::build::{LETTERS, one_of, prefixed, rule};
use super::spec::{
    At, AtEnd, Between, BodyKind, Chars, DialectSpec, Flags, Framing, Gives, Known, Name, Named,
    Pattern, Piece, Place, Rule, Run, Scope, SectionKind, Text, ValueKind, WS, What,
};
use super::template;
use super::xml::{
    Reasoning, call, closer, closes_both, ends_call, opener, prose_with, stray, suspect, think,
    value,
};
use crate::event::DiagnosticKind;
use crate::options::CallsInReasoning;
use crate::pattern;

const OPEN: &str = "<tool_call>";
const CLOSE: &str = "</tool_call>";
const FUNCTION: &str = "<function=";
const END_FUNCTION: &str = "</function>";
const PARAMETER: &str = "<parameter=";
const BOUNDARY: [&str; 6] =
    ["<|im_end|>", "<|endoftext|>", "<|observation|>", "<|user|>", "<|assistant|>", "<|system|>"];

/// The keys of a call in a JSON body.
const CALL_KEYS: &[&str] =
    &["name", "tool_name", "function", "arguments", "parameters", "args", "input"];
const LINE_BREAK: &[&str] = &["\n", "\r\n"];
/// Those that hold its arguments.
const ARGUMENT_KEYS: &[&str] = &["arguments", "parameters", "args", "input"];

/// Which bodies a block may have.
#[derive(Clone, Copy)]
pub(super) struct Bodies {
    pub json: bool,
    pub functions: bool,
    pub keyed: bool,
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
const CALL_BODY: u8 = 0;
const FUNCTION_OBJECT: u8 = 1;
const KEYED_OBJECT: u8 = 2;

/// What stands after the brace of an object that is a call.
pub(super) fn members() -> [Pattern; 2] {
    [pattern![one_of("\"'}")], pattern![CALL_KEYS, WS, ":"]]
}

/// Such an object begins.
pub(super) fn object() -> Vec<Pattern> {
    prefixed(pattern!["{", WS], &members())
}

/// An object or a list of them begins.
pub(super) fn plain_json() -> Vec<Pattern> {
    [object(), prefixed(pattern!["[", WS], &object())].concat()
}

/// The same, perhaps in a fence.
pub(super) fn json() -> Vec<Pattern> {
    let plain = plain_json();
    let fenced = prefixed(pattern!["```", LETTERS, WS], &plain);
    [plain, fenced].concat()
}

/// A function's opener, of any tool, and without its `>`.
fn function() -> [Pattern; 2] {
    let name = Name::tool().maybe_quoted();
    [pattern![FUNCTION, WS, name, WS, ">"], pattern![FUNCTION, WS, name]]
}

/// The same of a declared tool: a function without a block.
fn bare_function() -> [Pattern; 2] {
    let name = Name::tool().maybe_quoted().known(Known::Declared);
    [pattern![FUNCTION, WS, name, WS, ">"], pattern![FUNCTION, WS, name]]
}

/// What shows that a function's opener is one.
fn function_body() -> [Pattern; 2] {
    [pattern![PARAMETER], pattern![END_FUNCTION]]
}

/// A declared tool in place of `<function=`.
fn named() -> Pattern {
    pattern!["<", Name::tool().known(Known::Declared), ">"]
}

/// `<function=NAME/>`.
fn whole_function() -> Pattern {
    pattern![FUNCTION, WS, Name::tool().maybe_quoted().known(Known::Declared), WS, "/>"]
}

/// A function begins.
fn functions() -> Vec<Pattern> {
    let [whole, open] = function();
    let open = prefixed([open, vec![WS]].concat(), &function_body());
    let named = [named(), pattern![WS, PARAMETER]].concat();
    [vec![whole], open, vec![named]].concat()
}

/// A function without a block begins.
fn bare_functions() -> Vec<Pattern> {
    let [whole, open] = bare_function();
    let whole = prefixed([whole, vec![WS]].concat(), &function_body());
    let open = prefixed([open, vec![WS]].concat(), &function_body());
    [whole, open].concat()
}

/// How the tags of a keyed call are written.
#[derive(Clone, Default)]
pub(super) struct Tags {
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
pub(super) fn argument_object() -> Pattern {
    pattern!["{", WS, one_of("\"}")]
}

/// After a tool's name its keys, or an object, begin.
fn keyed_body() -> [Pattern; 2] {
    [Tags::default().open("arg_key"), argument_object()]
}

/// A keyed call begins. One without arguments must be of a known tool, if there are some.
fn keyed() -> Vec<Pattern> {
    let any = prefixed(pattern![Name::tool(), WS], &keyed_body());
    let none = pattern![Name::tool().known(Known::IfDeclared), WS, CLOSE];
    [any, vec![none]].concat()
}

/// A parameter's opener, well-formed.
fn parameter() -> Pattern {
    pattern![PARAMETER, key(Known::Any), ">"]
}

/// The forms that pass for one.
fn malformed_parameters() -> [Pattern; 3] {
    let key = key(Known::Any);
    [
        pattern![PARAMETER, key, "="],
        pattern![PARAMETER, key, LINE_BREAK],
        pattern!["<parameter name=", key, ">"],
    ]
}

fn key(known: Known) -> Name {
    Name::param().chars(Chars::except("<>=\"'\n\r")).maybe_quoted().known(known)
}

impl Bodies {
    /// After `<tool_call>` a body begins.
    fn begin(self) -> Vec<Pattern> {
        let functions = [functions(), vec![whole_function()]].concat();
        let parts = [(self.json, json()), (self.functions, functions), (self.keyed, keyed())];
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
            let whole = opener(pattern![OPEN], 1, &[whole_function()]).at_end(AtEnd::Payload);
            rules.push(whole.open(place));
        }
        if self.keyed {
            let (any, known) = (Name::tool(), Name::tool().known(Known::IfDeclared));
            let open = |name: Name, follow: &[Pattern]| {
                opener(pattern![OPEN, WS, name], 1, follow).open(Place::Call(IN_KEYED))
            };
            rules.push(open(any, &keyed_body()));
            rules.push(open(known, &[pattern![CLOSE]]));
        }
        rules.push(opener(pattern![OPEN, WS], 1, &self.blocks()));
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

    fn in_function(self) -> Vec<Rule> {
        let malformed = malformed_parameters()
            .map(|mark| rule(mark).param(FUNCTION_VALUE).note(DiagnosticKind::MalformedTag));
        let [whole, open] = function();
        let ends = |mark: Pattern, follow: &[Pattern]| ends_call(mark, follow, Scope::Call);
        let [bare, bare_open] = bare_function();
        let body = function_body();
        let object = rule(pattern!["{"]).follow([pattern![one_of("\"}")]]);
        let rules = vec![
            object.needs(Flags::CALL_START).open(Place::Body(FUNCTION_OBJECT)),
            rule(pattern![END_FUNCTION]).close(Scope::Call),
            ends(pattern![CLOSE], &[]),
            ends(whole, &[]).needs(Flags::IN_SECTION),
            ends(whole_function(), &[]).needs(Flags::IN_SECTION),
            ends(open, &body).needs(Flags::IN_SECTION),
            ends(named(), &body[..1]).needs(Flags::IN_SECTION),
            ends(bare, &body).not(Flags::IN_SECTION),
            ends(bare_open, &body).not(Flags::IN_SECTION),
        ];
        let param = vec![rule(parameter()).param(FUNCTION_VALUE)];
        [param, malformed.to_vec(), rules, self.next_blocks(), vec![stray()]].concat()
    }

    fn function_value(self, boundary: &[Text]) -> ValueKind {
        let end = pattern!["</parameter>"];
        let [whole, _] = function();
        let parameters = [vec![parameter()], malformed_parameters().to_vec()].concat();
        let follow = [parameters, vec![pattern![END_FUNCTION], pattern![CLOSE]], self.blocks()];
        let line = |key: Pattern| {
            let next = rule([pattern![PARAMETER], key].concat()).needs(Flags::LINE_START).noise();
            next.not(Flags::HOLDS_CLOSER)
                .before()
                .close(Scope::Value)
                .note(DiagnosticKind::MissingCloser)
        };
        let fresh = Name::param().known(Known::Fresh);
        let keys = [pattern![fresh, ">"], pattern!["\"", fresh, "\">"], pattern!["'", fresh, "'>"]];
        let both = |follow: &[Pattern]| closes_both(pattern![END_FUNCTION], follow, Scope::Call);
        let over = self.over(boundary);
        let more = [over.clone(), bare_functions()].concat();
        let mut rules = vec![
            closer(end.clone(), &follow.concat()),
            closer(end.clone(), std::slice::from_ref(&whole)).needs(Flags::IN_SECTION),
            closer(end, &bare_functions()).not(Flags::IN_SECTION),
        ];
        rules.extend(keys.clone().map(line));
        rules.extend([
            both(&over),
            both(&[whole]).needs(Flags::IN_SECTION),
            both(&bare_functions()).not(Flags::IN_SECTION),
            both(&prefixed(pattern![CLOSE, WS], &more)),
            closes_both(pattern![CLOSE], &[pattern![At::End]], Scope::Section),
        ]);
        rules.extend(keys.map(|key| {
            let key = key.into_iter().flat_map(|piece| match piece {
                Piece::Name(_) => vec![WS, piece, WS],
                _ => vec![piece],
            });
            suspect(pattern![PARAMETER].into_iter().chain(key).collect())
        }));
        value(Framing::LineBreak, rules)
    }

    fn in_keyed(self) -> Vec<Rule> {
        let object = rule(pattern!["{"]).follow([pattern![one_of("\"}")]]);
        let rules = vec![
            object.needs(Flags::CALL_START).open(Place::Body(KEYED_OBJECT)),
            rule(pattern![CLOSE]).close(Scope::Call),
        ];
        let keys = keys_and_values(&Tags::default(), KEYED_VALUE);
        [keys, rules, self.next_blocks(), vec![stray()]].concat()
    }

    fn keyed_value(self, boundary: &[Text]) -> ValueKind {
        let mut over = self.over(boundary);
        if self.functions {
            over.extend(bare_functions());
        }
        keyed_value(&Tags::default(), &[pattern![OPEN]], &over)
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
        DialectSpec {
            calls_in_reasoning: CallsInReasoning::Extract,
            prose: prose_with(text, reasoning),
            sections: sections(),
            calls: vec![call(self.in_function()), call(self.in_keyed()), call(whole)],
            values: vec![self.function_value(&boundary), self.keyed_value(&boundary)],
            bodies: bodies(),
            boundary,
            ..spec
        }
    }
}

/// The keys of a call, each with its value, which is of this kind.
pub(super) fn keys_and_values(tags: &Tags, value: u8) -> Vec<Rule> {
    let key = pattern![Name::param().chars(Chars::except("<"))];
    // A key that is none waits for its value all the same: what is quoted in that does not count.
    let text = Run { chars: Chars::except("<"), min: 0, max: crate::bounds::NAME as u16 };
    let text = pattern![text];
    let (open, close) = (tags.open("arg_key"), tags.close("arg_key"));
    let broken = |mark: Pattern| {
        let broken = rule(mark).does(What::Name).sets(Flags::BROKEN);
        broken.note(DiagnosticKind::MalformedTag)
    };
    vec![
        rule([open.clone(), key, close.clone()].concat()).does(What::Name),
        broken([open.clone(), text.clone(), close].concat()),
        broken([open.clone(), text].concat()).noise(),
        broken(open).noise(),
        rule(tags.open("arg_value"))
            .needs(Flags::NAMED)
            .does(What::Param(value, Named::Remembered)),
    ]
}

/// The value of a key. `follow`: what may stand after its closer beside a key and the call's closer;
/// `over`: what shows, after the closer of the call, that the call is over.
pub(super) fn keyed_value(tags: &Tags, follow: &[Pattern], over: &[Pattern]) -> ValueKind {
    let (key, call) = (tags.open("arg_key"), tags.close("tool_call"));
    let follow = [&[key.clone(), call.clone()], follow].concat();
    let fresh = pattern![WS, Name::param().known(Known::Fresh), WS];
    let rules = vec![
        closer(tags.close("arg_value"), &follow),
        closes_both(call, over, Scope::Call),
        suspect([key, fresh, tags.close("arg_key")].concat()),
    ];
    value(Framing::None, rules)
}

/// White space and what may stand between JSON objects.
const PUNCTUATION: Between = Between::Only(Chars::WHITE.and("],;"));

fn section(between: Between, rules: Vec<Rule>) -> SectionKind {
    SectionKind { rules, between, calls: true }
}

fn fence() -> Rule {
    rule(pattern!["```"])
}

fn brace() -> Rule {
    rule(pattern!["}"]).note(DiagnosticKind::RepairedJson)
}

/// JSON objects that are calls, as bodies of this kind: one after the other, or in a list. `members`
/// show that an object is one; `close` are the section's closers.
pub(super) fn objects(kind: u8, members: &[Pattern], close: &[&'static str]) -> SectionKind {
    let quoted =
        |key| ["\"", "'", "`", "\"\"\""].map(|quote| format!("{quote}{key}{quote}").into());
    let late = Piece::Any(ARGUMENT_KEYS.iter().flat_map(quoted).collect());
    let mut rules = vec![
        // The object before the comma has not closed: its arguments follow.
        rule(pattern![",", WS, late, WS, ":"])
            .needs(Flags::WAITING)
            .fixed(2)
            .at_end(AtEnd::Prefix)
            .open(Place::Body(kind)),
        rule(pattern!["{"])
            .not(Flags::WAITING)
            .follow(members.to_vec())
            .at_end(AtEnd::Known)
            .open(Place::Body(kind)),
        rule(pattern!["["])
            .needs(Flags::SECTION_START)
            .not(Flags::BRACKET | Flags::WAITING)
            .sets(Flags::BRACKET),
        brace().not(Flags::WAITING),
        rule(pattern!["```", LETTERS]).needs(Flags::SECTION_START),
        fence().not(Flags::WAITING),
    ];
    if !close.is_empty() {
        rules.push(rule(pattern![close]).close(Scope::Section));
    }
    section(PUNCTUATION, rules)
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

fn bodies() -> Vec<BodyKind> {
    let body = |gives: Gives, then: Option<u8>| body(gives, then, &[CLOSE]);
    vec![
        body(Gives::Call, None),
        body(Gives::Arguments, Some(AFTER_FUNCTION_OBJECT)),
        body(Gives::Arguments, Some(AFTER_KEYED_OBJECT)),
    ]
}

/// The dialect `tool-call`.
pub(crate) fn tool_call() -> DialectSpec {
    let bodies = Bodies { json: true, functions: true, keyed: true };
    bodies.dialect(
        &keyed_boundary(),
        DialectSpec::new(
            "tool-call",
            "<tool_call> and whichever of the three bodies follows",
            template::TOOL_CALL,
        ),
    )
}

/// The dialect `hermes`.
pub(crate) fn hermes() -> DialectSpec {
    let bodies = Bodies { json: true, functions: false, keyed: false };
    bodies.dialect(
        &BOUNDARY,
        DialectSpec::new(
            "hermes",
            "<tool_call>{\"name\": …, \"arguments\": {…}}</tool_call>",
            template::HERMES,
        ),
    )
}

/// The dialect `qwen3-coder`.
pub(crate) fn qwen3_coder() -> DialectSpec {
    let bodies = Bodies { json: false, functions: true, keyed: false };
    bodies.dialect(
        &BOUNDARY,
        DialectSpec::new(
            "qwen3-coder",
            "<tool_call><function=…><parameter=…>…</parameter></function></tool_call>",
            template::QWEN3_CODER,
        ),
    )
}

/// The dialect `glm`.
pub(crate) fn glm() -> DialectSpec {
    let bodies = Bodies { json: false, functions: false, keyed: true };
    bodies.dialect(
        &keyed_boundary(),
        DialectSpec::new(
            "glm",
            "<tool_call>NAME<arg_key>…</arg_key><arg_value>…</arg_value></tool_call>",
            template::GLM,
        ),
    )
}

fn keyed_boundary() -> Vec<&'static str> {
    [&BOUNDARY[..], &["<|role_end|>"]].concat()
}
