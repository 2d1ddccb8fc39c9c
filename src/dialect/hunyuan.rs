//! Keyed calls in a section: `hunyuan` and `k2-horizon`. The rules of a call, its keys and its values
//! are those of `glm`, in [`super::tool_call`].
//!
//! ```text
//! section := "<tool_calls>" ws ( call ws )* "</tool_calls>"
//! call    := "<tool_call>" ws NAME ws KEYS "</tool_call>"
//! ```
//! A section counts if `<tool_call` follows, a call as in `glm`, in a section or without one, which is
//! not reported. What is no call ends a section. The section's closer ends a call whose own is missing.
//!
//! # `hunyuan`
//!
//! ```text
//! KEYS := "<tool_sep>"? ws ( PAIR ws )* | object
//! PAIR := "<arg_key>" KEY "</arg_key>" ws "<arg_value>" value "</arg_value>"
//! ```
//! `<tool_sep>` is of Hunyuan 3 alone; it confirms a call of any name. All tags have the suffix of the
//! checkpoint, or none: `<tool_call:opensource>`. The opener of a call names the suffix for all of the
//! call: tags with another one are data.
//!
//! # `k2-horizon`
//!
//! ```text
//! KEYS := ( "<arg_key>" KEY "</arg_key>" TYPE? "<arg_value>" value "</arg_value>" )*
//! TYPE := "<arg_type>" NAME ( "[" … )? "</arg_type>"
//! call := … | "<tool_call>" json "</tool_call>"
//! ```
//! All its tags begin with `ifm|`. A type on the wire decides where the schema leaves a choice.

use std::borrow::Cow::Borrowed;

use super::build::{one_of, prefixed, rule};
use super::spec::{
    At, AtEnd, Between, BodyKind, Chars, DialectSpec, Flags, Gives, Known, Name, Pattern, Piece,
    Place, Ref, Rule, Run, Scope, SectionKind, Text, ValueKind, WS, What,
};
use super::template::{self, ArgumentsForm, CallForm, ParamForm, ResultForm, StopForm, Template};
use super::tool_call::{
    self, Tags, after_object, argument_object, json, keyed_value, keys_and_values, members,
};
use super::xml::{call, ends_call, opener, prose_with, reasoning_between, stray, think};
use crate::event::{DiagnosticKind, TypeHint};
use crate::options::CallsInReasoning;
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
    fn new(kind: u8, opens: Tags, own: Tags) -> Form {
        let (pieces, keys) = (opens.open("").len() as u8, &["arg_key"]);
        Form { opens, own, pieces, keys, object: false, json: Vec::new(), kind }
    }

    /// Of `hunyuan`: without a suffix, and with one.
    fn hunyuan() -> [Form; 2] {
        let tags = |suffix: Pattern| Tags { prefix: "", suffix };
        let forms = [
            Form::new(0, Tags::default(), Tags::default()),
            Form::new(1, tags(pattern![suffix()]), tags(pattern![Ref::Element])),
        ];
        forms.map(|form| Form { keys: &["arg_key", "tool_sep"], object: true, ..form })
    }

    /// Of `k2-horizon`.
    fn k2_horizon() -> Form {
        let tags = Tags { prefix: "ifm|", suffix: Pattern::new() };
        Form { json: json(), ..Form::new(0, tags.clone(), tags) }
    }

    /// What confirms a call after the name of any tool.
    fn after_name(&self, tags: &Tags) -> Vec<Pattern> {
        let object = self.object.then(argument_object);
        self.keys.iter().map(|name| tags.open(name)).chain(object).collect()
    }

    /// A call begins. (After a name the suffix is not asked for: what was captured last is the name.)
    fn begin(&self) -> Vec<Pattern> {
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

    /// The openers of calls, wherever they stand.
    fn calls(&self) -> Vec<Rule> {
        let open = |name: Name, follow: &[Pattern]| {
            let mark = [self.opens.open("tool_call"), pattern![WS, name]].concat();
            opener(mark, self.pieces, follow).open(Place::Call(self.kind))
        };
        let known = Name::tool().known(Known::IfDeclared);
        vec![
            open(Name::tool(), &self.after_name(&self.own)),
            open(known, &[self.own.close("tool_call")]),
        ]
    }

    /// In text: `results` are what a model must not write itself.
    fn text(&self, results: &[Pattern]) -> Vec<Rule> {
        let section = opener(self.opens.open("tool_calls"), self.pieces, &[pattern![self.first()]]);
        let doubled = [self.opens.open("tool_call"), pattern![WS]].concat();
        let orphan = |tag: &str| rule(self.opens.close(tag)).does(What::Orphan(Scope::Section));
        let invented = |result: &Pattern| {
            let invented = rule(result.clone()).needs(Flags::AFTER_CALL).does(What::Rest);
            invented.note(DiagnosticKind::FabricatedResult)
        };
        let mut rules = vec![section.open(Place::Section(OUTER))];
        rules.extend(self.calls());
        rules.push(opener(doubled, self.pieces, &self.blocks()));
        rules.extend(["tool_call", "tool_calls"].map(orphan));
        rules.extend(results.iter().map(invented));
        rules
    }

    /// In the section.
    fn section(&self) -> Vec<Rule> {
        let close = rule(self.opens.close("tool_calls")).close(Scope::Section);
        [self.calls(), vec![close]].concat()
    }

    fn call(&self, more: Vec<Rule>) -> Vec<Rule> {
        let next = [self.begin(), self.blocks()].concat();
        let rules = vec![
            rule(self.own.close("tool_call")).close(Scope::Call),
            ends_call(self.own.open("tool_call"), &next, Scope::Call),
            ends_call(self.own.close("tool_calls"), &[], Scope::Call),
            stray(),
        ];
        [keys_and_values(&self.own, self.kind), more, rules].concat()
    }

    fn value(&self, boundary: &[Pattern]) -> ValueKind {
        let open = self.own.open("tool_call");
        keyed_value(&self.own, &[open, self.own.close("tool_calls")], &self.over(boundary))
    }
}

/// The suffix of a tag, without its colon: anything but white space, `<` and `>`.
fn suffix() -> Name {
    Name::element().chars(Chars::except(" \t\r\n<>"))
}

/// The same in a stop token, where a bar ends it: beyond ASCII letters and digits alone.
fn token_suffix() -> Name {
    Name::element().chars(Chars::NAME.and("!\"#%&'()*,;=?[\\]^`{|}~"))
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

fn body(tags: &Tags, gives: Gives, then: Option<u8>) -> BodyKind {
    let cut = rule(tags.close("tool_call")).before().close(Scope::Body);
    BodyKind { gives, rules: vec![cut], then: then.map(Place::Section) }
}

/// The dialect `hunyuan`.
pub(crate) fn hunyuan() -> DialectSpec {
    let forms = Form::hunyuan();
    let token = |name: &str, tags: &Tags| match &*tags.suffix {
        [] => pattern![format!("<｜hy_{name}｜>")],
        [Piece::Name(_)] => pattern![format!("<｜hy_{name}:"), token_suffix(), "｜>"],
        suffix => [pattern![format!("<｜hy_{name}:")], suffix.to_vec(), pattern!["｜>"]].concat(),
    };
    let tokens = |tags: &Tags| ["eos", "User", "Assistant"].map(|name| token(name, tags));
    let mut text = Vec::new();
    let (mut sections, mut bodies) = (vec![section(Vec::new())], Vec::new());
    let (mut calls, mut values) = (Vec::new(), Vec::new());
    for form in &forms {
        text.extend(form.text(&["tool_responses", "tool_response"].map(|of| form.opens.open(of))));
        text.extend(tokens(&form.opens).map(rule));
        sections[0].rules.extend(form.section());
        // After an object that is all of the arguments the block goes on.
        let then = sections.len() as u8;
        sections.extend([ends_block(&form.own), ends_bare(&form.own)].map(after_object));
        let object = |of: u8| rule(pattern!["{"]).needs(Flags::CALL_START).open(Place::Body(of));
        let object = |of: u8| object(of).follow([pattern![one_of("\"}")]]);
        let number = bodies.len() as u8;
        let more = vec![
            rule(form.own.open("tool_sep")).needs(Flags::CALL_START),
            object(number).needs(Flags::IN_SECTION),
            object(number + 1).not(Flags::IN_SECTION),
        ];
        bodies.extend([then, then + 1].map(|then| body(&form.own, Gives::Arguments, Some(then))));
        calls.push(call(form.call(more)));
        values.push(form.value(&tokens(&form.own)));
    }
    let [in_text, in_reasoning] =
        reasoning_between(pattern!["<think:", suffix(), ">"], pattern!["</think:", suffix(), ">"]);
    let [plain_in_text, plain_in_reasoning] = think();
    let reasoning =
        [[plain_in_text, in_text].concat(), [plain_in_reasoning, in_reasoning].concat()];
    DialectSpec {
        calls_in_reasoning: CallsInReasoning::Extract,
        prose: prose_with(text, reasoning),
        sections,
        calls,
        values,
        bodies,
        boundary: ["eos", "User", "Assistant"].map(|of| format!("<｜hy_{of}｜>").into()).to_vec(),
        ..DialectSpec::new(
            "hunyuan",
            "a section of <tool_call:S>NAME<tool_sep:S><arg_key:S>…</arg_key:S>…</tool_call:S>",
            HUNYUAN,
        )
    }
}

/// The dialect `k2-horizon`.
pub(crate) fn k2_horizon() -> DialectSpec {
    const OPEN: &[&str] = &["<ifm|think>", "<ifm|think_fast>", "<ifm|think_faster>"];
    const CLOSE: &[&str] = &["</ifm|think>", "</ifm|think_fast>", "</ifm|think_faster>"];
    const BOUNDARY: &str = "<|im_end|>";
    /// JSON objects: in the section, and without one.
    const OBJECTS: u8 = 1;
    const BARE_OBJECTS: u8 = 2;
    let form = Form::k2_horizon();
    let tag = || form.own.open("tool_call");
    let mut text = vec![opener(tag(), 1, &json()).open(Place::Section(BARE_OBJECTS))];
    text.extend(form.text(&[pattern!["<tool_response>"]]));
    text.push(rule(pattern![BOUNDARY]));
    let block = rule(tag()).follow(json()).at_end(AtEnd::Known).clears(Flags::BRACKET);
    let block = block.sets(Flags::SECTION_START).open(Place::Section(OBJECTS));
    let next = rule(tag()).follow(form.begin()).before().open(Place::Section(OUTER));
    let next = next.note(DiagnosticKind::MissingCloser);
    let objects = |rules: Vec<Rule>| {
        let mut objects = tool_call::objects(0, &members(), &[]);
        objects.rules.extend(rules);
        objects
    };
    let hint = |end: Pattern| {
        let mark = [form.own.open("arg_type"), pattern![WS, Name::hint(), WS], end].concat();
        rule(mark).needs(Flags::NAMED).does(What::Name)
    };
    let rest = Run { chars: Chars::except("<"), min: 0, max: crate::bounds::NAME as u16 };
    let end = form.own.close("arg_type");
    let more = vec![hint(end.clone()), hint([pattern!["[", rest], end].concat())];
    DialectSpec {
        calls_in_reasoning: CallsInReasoning::Extract,
        prose: prose_with(text, reasoning_between(pattern![OPEN], pattern![CLOSE])),
        sections: vec![
            section([vec![block], form.section()].concat()),
            objects([ends_block(&form.own), vec![next]].concat()),
            objects(ends_bare(&form.own)),
        ],
        calls: vec![call(form.call(more))],
        values: vec![form.value(&[pattern![BOUNDARY]])],
        bodies: vec![body(&form.own, Gives::Call, None)],
        boundary: vec![BOUNDARY.into()],
        hints: types(),
        hints_yield: true,
        ..DialectSpec::new(
            "k2-horizon",
            "a section of <ifm|tool_call>NAME<ifm|arg_key>…</ifm|arg_key><ifm|arg_value>…, or JSON",
            k2_horizon_template(),
        )
    }
}

/// The types that a value may have on the wire.
fn types() -> Vec<(Text, TypeHint)> {
    let json = ["integer", "number", "boolean", "null", "object", "array"];
    let json = json.map(|name| (name.into(), TypeHint::Json));
    [vec![("string".into(), TypeHint::String)], json.to_vec()].concat()
}

/// The suffix is that of the open weights of Hunyuan 3: a rename of `:opensource` gives another one.
pub(super) const HUNYUAN: Template = Template {
    call: CallForm {
        section_open: Borrowed("<tool_calls:opensource>\n"),
        open: Borrowed("<tool_call:opensource>{name}<tool_sep:opensource>\n"),
        arguments: ArgumentsForm::Params(ParamForm {
            open: Borrowed(
                "<arg_key:opensource>{key}</arg_key:opensource>\n<arg_value:opensource>",
            ),
            close: Borrowed("</arg_value:opensource>\n"),
            kind: 1,
            ..template::PARAM
        }),
        close: Borrowed("</tool_call:opensource>"),
        section_close: Borrowed("\n</tool_calls:opensource>"),
        ..template::LINES
    },
    result: ResultForm {
        open: Borrowed("<tool_responses:opensource>\n"),
        ok: Borrowed("<tool_response:opensource>\n{content}\n</tool_response:opensource>\n"),
        error: Borrowed(
            "<tool_response:opensource>\nError: {content}\n</tool_response:opensource>\n",
        ),
        between: Borrowed(""),
        close: Borrowed("</tool_responses:opensource>"),
    },
    stop: StopForm {
        after_call: Borrowed(&[Borrowed("</tool_calls:opensource>")]),
        invented: Borrowed(&[Borrowed("<tool_responses:opensource>")]),
    },
    ..template::GLM
};

fn k2_horizon_template() -> Template {
    Template {
        call: CallForm {
            section_open: Borrowed("<ifm|tool_calls>"),
            open: Borrowed("<ifm|tool_call>{name}"),
            arguments: ArgumentsForm::Params(ParamForm {
                open: Borrowed(
                    "<ifm|arg_key>{key}</ifm|arg_key><ifm|arg_type>{whole_type}</ifm|arg_type>\
                     <ifm|arg_value>",
                ),
                close: Borrowed("</ifm|arg_value>"),
                ..template::PARAM
            }),
            close: Borrowed("</ifm|tool_call>"),
            section_close: Borrowed("</ifm|tool_calls>"),
            ..template::CALL
        },
        stop: StopForm {
            after_call: Borrowed(&[Borrowed("</ifm|tool_calls>")]),
            invented: Borrowed(&[Borrowed("<tool_response>")]),
        },
        ..template::GLM
    }
}
