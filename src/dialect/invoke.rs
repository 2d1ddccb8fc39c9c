//! The dialects of invocations: `invoke`, and those that write the same with other tags: `minimax-m2`,
//! `deepseek-dsml`, `gigachat35`, `dots`, `step3`, `kimi-k3`, `minicpm5`, `minimax-m3`, `cohere-cofl`.
//!
//! ```text
//! section := OPEN ( junk call )* junk CLOSE
//! call    := "<invoke" ws "name" ws "=" ws ATTR ws "/"? ">" junk ( param junk )* "</invoke>"
//! param   := "<parameter" ws "name" ws "=" ws ATTR … ">" value "</parameter>"
//! ```
//! A section counts if `ws` and an invocation follow. One of a known tool without a section counts if a
//! parameter or its closer follows (`missing_opener`; never in reasoning).
//!
//! | dialect | what differs |
//! |---|---|
//! | `invoke` | Anthropic's section or MiniMax's; one line break off each end of a value; calls in reasoning are reasoning |
//! | `minimax-m2` | the same sections; a call ends the reasoning, as in all that follow; values verbatim |
//! | `deepseek-dsml` | `｜DSML｜`, perhaps with a blank after it, in all tags; values verbatim, of the type that `string="true"` or `"false"` says; an object may stand in place of the parameters |
//! | `step3` | `steptml:`; each call between a lead, begin, word and separator, and an end, which may be missing |
//! | `gigachat35` | `deepseek-dsml` with `GCML` |
//! | `dots` | `<dots_function_call>` is the section; or JSON objects stand in it, as in `hermes` |
//! | `kimi-k3` | `<|open|>call tool=…<|sep|>` and `<|close|>call<|sep|>`: special tokens for `<`, `</` and `>`; types; entities in attributes; an object may stand in `json`; reasoning in `think`, text in `response` |
//! | `muse` | a section is a message to a tool: headers say what a message is |
//! | `minimax-m3` | `]<]minimax[>[` before every tag; a parameter's tag is its name, and elements nest in its value |
//! | `cohere-cofl` | `cofl:`; ids; types; entities in attributes; beside parameters elements with types, which nest |
//! | `minicpm5` | `<function name=…>`, `<param name=…>`, no section; values verbatim or in CDATA |

use super::build::{one_of, prefixed, rule};
use super::spec::{
    At, AtEnd, Between, BodyKind, CallKind, Chars, DialectSpec, Flags, Framing, Gives, Known, Name,
    Pattern, Piece, Place, Ref, Rule, Run, Scope, SectionKind, ValueKind, WS, What,
};
use super::template::{self, Template};
use super::tool_call;
use super::xml::{
    call, closer, closes_both, ends_call, mismatched, opener, prose, prose_with, reasoning,
    reasoning_between, stray, suspect, value,
};
use crate::event::{DiagnosticKind, TypeHint};
use crate::options::CallsInReasoning;
use crate::pattern;

/// Spellings of one tag.
type Tags = &'static [&'static str];

/// What a dialect of the family is made of.
#[derive(Clone, Copy)]
struct Invoke {
    /// What opens and closes a section; none: there are no sections.
    open: Tags,
    close: Tags,
    /// Of which tools a call may stand without a section, if it may.
    bare: Option<Known>,
    /// What may stand round each call of a section.
    lead: Option<Lead>,
    invoke: Tags,
    end_invoke: Tags,
    param: Tags,
    end_param: Tags,
    /// What ends a tag that has attributes.
    end: &'static str,
    boundary: Tags,
    framing: Framing,
    /// Sections close with special tokens.
    tokens: bool,
    /// What the attributes of a call's and a parameter's name, and of a value's type, are called.
    attributes: [&'static str; 3],
    /// What the types say; none: there are none.
    hints: &'static [(&'static str, TypeHint)],
    /// What stands round an object in place of the parameters, if one may stand there.
    object: Option<[Tags; 2]>,
    /// A value may stand in `<![CDATA[…]]>`.
    cdata: bool,
    /// The attribute of a call's id, if it has one.
    id: Option<&'static str>,
    /// Attributes hold entities, and any characters.
    entities: bool,
    /// Parameters that are elements, in which elements may nest.
    nests: Option<Nest>,
}

/// What opens and closes an element, up to its name or its attributes.
#[derive(Clone, Copy)]
struct Nest {
    open: &'static str,
    close: &'static str,
    /// The attribute that says its type, after that of its name; none: the tag is the name.
    typed: Option<&'static str>,
}

/// Begin, a word and a separator before a call, and an end after it.
#[derive(Clone, Copy)]
struct Lead {
    begin: &'static str,
    separator: &'static str,
    end: &'static str,
}

const INVOKE: Invoke = Invoke {
    open: &["<function_calls>", "<minimax:tool_call>"],
    close: &["</function_calls>", "</minimax:tool_call>"],
    bare: Some(Known::Declared),
    lead: None,
    invoke: &["<invoke"],
    end_invoke: &["</invoke>"],
    param: &["<parameter"],
    end_param: &["</parameter>"],
    end: ">",
    boundary: &[],
    framing: Framing::LineBreak,
    tokens: false,
    attributes: ["name", "name", "string"],
    hints: &[],
    object: None,
    cdata: false,
    id: None,
    entities: false,
    nests: None,
};

const DSML: Invoke = Invoke {
    open: &[
        "<｜DSML｜function_calls>",
        "<｜DSML｜tool_calls>",
        "<｜DSML｜ calls>",
        "<｜DSML｜calls>",
        "<｜DSML｜toolcalls>",
    ],
    close: &[
        "</｜DSML｜function_calls>",
        "</｜DSML｜tool_calls>",
        "</｜DSML｜ calls>",
        "</｜DSML｜calls>",
        "</｜DSML｜toolcalls>",
    ],
    invoke: &["<｜DSML｜invoke", "<｜DSML｜ invoke"],
    end_invoke: &["</｜DSML｜invoke>", "</｜DSML｜ invoke>"],
    param: &["<｜DSML｜parameter", "<｜DSML｜ parameter"],
    end_param: &["</｜DSML｜parameter>", "</｜DSML｜ parameter>"],
    boundary: &["<｜end▁of▁sentence｜>", "<｜User｜>", "<｜Assistant｜>"],
    framing: Framing::None,
    hints: &[("true", TypeHint::String), ("false", TypeHint::Json), ("", TypeHint::Json)],
    object: Some([&[], &[]]),
    ..INVOKE
};

const STEP3: Invoke = Invoke {
    open: &["<｜tool_calls_begin｜>"],
    close: &["<｜tool_calls_end｜>"],
    lead: Some(Lead {
        begin: "<｜tool_call_begin｜>",
        separator: "<｜tool_sep｜>",
        end: "<｜tool_call_end｜>",
    }),
    invoke: &["<steptml:invoke"],
    end_invoke: &["</steptml:invoke>"],
    param: &["<steptml:parameter"],
    end_param: &["</steptml:parameter>"],
    boundary: &["<｜end▁of▁sentence｜>", "<|EOT|>"],
    tokens: true,
    ..INVOKE
};

const KIMI_K3: Invoke = Invoke {
    open: &["<|open|>tools<|sep|>"],
    close: &["<|close|>tools<|sep|>"],
    invoke: &["<|open|>call"],
    end_invoke: &["<|close|>call<|sep|>"],
    param: &["<|open|>argument"],
    end_param: &["<|close|>argument<|sep|>"],
    end: "<|sep|>",
    boundary: &["<|close|>message<|sep|>", "<|end_of_msg|>"],
    tokens: true,
    framing: Framing::None,
    attributes: ["tool", "key", "type"],
    hints: &[
        ("string", TypeHint::String),
        ("number", TypeHint::Json),
        ("boolean", TypeHint::Json),
        ("null", TypeHint::Json),
        ("object", TypeHint::Json),
        ("array", TypeHint::Json),
    ],
    object: Some([&["<|open|>json"], &["<|close|>json<|sep|>"]]),
    entities: true,
    ..INVOKE
};

const MUSE: Invoke = Invoke {
    open: &["<atem:function_calls>"],
    // The end of the message closes it, too.
    close: &["</atem:function_calls>", "<|eom|>", "<|eot|>", "<|start|>"],
    bare: None,
    invoke: &["<atem:invoke"],
    end_invoke: &["</atem:invoke>"],
    param: &["<atem:parameter"],
    end_param: &["</atem:parameter>"],
    boundary: &["<|eom|>", "<|eot|>", "<|start|>"],
    tokens: true,
    framing: Framing::None,
    ..INVOKE
};

const MINIMAX_M3: Invoke = Invoke {
    open: &["]<]minimax[>[<tool_call>"],
    close: &["]<]minimax[>[</tool_call>"],
    invoke: &["]<]minimax[>[<invoke"],
    end_invoke: &["]<]minimax[>[</invoke>"],
    param: &[],
    end_param: &[],
    framing: Framing::None,
    nests: Some(Nest { open: "]<]minimax[>[<", close: "]<]minimax[>[</", typed: None }),
    ..INVOKE
};

const COHERE_COFL: Invoke = Invoke {
    open: &["<cofl:tool_calls>"],
    close: &["</cofl:tool_calls>"],
    invoke: &["<cofl:tool_call"],
    end_invoke: &["</cofl:tool_call>"],
    param: &["<cofl:tool_param"],
    end_param: &["</cofl:tool_param>"],
    boundary: &["<|END_OF_TURN_TOKEN|>"],
    framing: Framing::None,
    hints: &[
        ("true", TypeHint::String),
        ("false", TypeHint::Json),
        ("raw", TypeHint::String),
        ("json", TypeHint::Json),
        ("dict", TypeHint::Literal),
        ("list", TypeHint::Literal),
        ("", TypeHint::Json),
    ],
    id: Some("id"),
    entities: true,
    nests: Some(Nest { open: "<cofl:value", close: "</cofl:value", typed: Some("type") }),
    ..INVOKE
};

const MINICPM5: Invoke = Invoke {
    open: &[],
    close: &[],
    bare: Some(Known::Any),
    invoke: &["<function"],
    end_invoke: &["</function>"],
    param: &["<param"],
    end_param: &["</param>"],
    boundary: &["<|im_end|>"],
    framing: Framing::None,
    cdata: true,
    ..INVOKE
};

/// What the name of an element that is its tag may be made of.
const TAG_NAME: Chars = Chars::except("<>/ \t\r\n");

/// The kinds, as the tables number them.
const SECTION: u8 = 0;
const AFTER_OBJECT: u8 = 1;
const AFTER_BARE_OBJECT: u8 = 2;
const CALL: u8 = 0;
/// `<invoke name=N/>`: it is over where it begins.
const WHOLE: u8 = 1;
const VALUE: u8 = 0;
const CDATA: u8 = 1;
const OBJECT: u8 = 0;
const BARE_OBJECT: u8 = 1;

impl Invoke {
    fn has_sections(&self) -> bool {
        !self.open.is_empty()
    }

    /// Whether its tags look like those of XML: others are made of special tokens, strictly.
    fn is_xml(&self) -> bool {
        self.end == ">"
    }

    /// White space in a tag.
    fn gap(&self) -> Piece {
        if self.is_xml() { WS } else { Piece::Run(Run { chars: Chars::WHITE, min: 0, max: 8 }) }
    }

    /// What may stand in a tag after what is read of it.
    fn rest(&self) -> Run {
        if self.is_xml() {
            Run { chars: Chars::except("<>"), min: 0, max: crate::bounds::TAG as u16 }
        } else {
            Run { chars: Chars::except("<"), min: 0, max: 256 }
        }
    }

    /// A tag, or the rest of one, up to the value of an attribute.
    fn attribute(&self, before: Pattern, attribute: &'static str, name: Name) -> Pattern {
        let gap = self.gap();
        let name = if self.entities {
            Name { quoted: Some(Chars::except("\n")), entities: true, ..name.attribute() }
        } else {
            name.attribute()
        };
        [before, pattern![gap, attribute, gap, "=", gap, name]].concat()
    }

    /// The opener of a parameter.
    fn param(&self) -> Pattern {
        let name = self.attribute(pattern![self.param], self.attributes[1], Name::param());
        [name, pattern![self.rest(), self.end]].concat()
    }

    /// The same, with the type of its value.
    fn typed_param(&self) -> Pattern {
        let name = self.attribute(pattern![self.param], self.attributes[1], Name::param());
        let typed = self.attribute(name, self.attributes[2], Name::hint());
        [typed, pattern![self.rest(), self.end]].concat()
    }

    /// The opener of a parameter that is an element, perhaps with its type.
    fn element(&self, nest: Nest, typed: bool) -> Pattern {
        let Some(attribute) = nest.typed else {
            let tags = &["tool_call", "invoke"];
            return pattern![nest.open, Name::param().chars(TAG_NAME).not(tags), self.end];
        };
        let mut element = self.attribute(pattern![nest.open], self.attributes[1], Name::param());
        if typed {
            element = self.attribute(element, attribute, Name::hint());
        }
        [element, pattern![self.rest(), self.end]].concat()
    }

    /// The openers of parameters, whatever their types are.
    fn params(&self) -> Vec<Pattern> {
        let own = (!self.param.is_empty()).then(|| self.param());
        own.into_iter().chain(self.nests.map(|nest| self.element(nest, false))).collect()
    }

    fn invoke(&self, known: Known, end: Pattern) -> Vec<Pattern> {
        let name = || Name::tool().known(known);
        let [called, ..] = self.attributes;
        let plain = self.attribute(pattern![self.invoke], called, name());
        let mut invokes = vec![[&*plain, &*end].concat()];
        if let Some(id) = self.id {
            let first = self.attribute(pattern![self.invoke], id, Name::id());
            invokes.push([self.attribute(first, called, name()), end.clone()].concat());
            invokes.push([self.attribute(plain, id, Name::id()), end].concat());
        }
        invokes
    }

    /// What ends the tag of a call.
    fn call_end(&self) -> Pattern {
        if self.is_xml() { pattern![WS, ">"] } else { pattern![self.rest(), self.end] }
    }

    /// An object in place of the parameters, up to its brace.
    fn object(&self) -> Option<Pattern> {
        self.object.map(|[open, _]| match open {
            [] => pattern!["{"],
            open => pattern![open, self.rest(), self.end, WS, "{"],
        })
    }

    /// The lead, if the dialect has one, before each of these.
    fn led(&self, calls: &[Pattern]) -> Vec<Pattern> {
        self.lead.map_or(Vec::new(), |lead| prefixed(lead.opener(), calls))
    }

    /// The openers of a call in a section: of one that is over at once, and of others.
    fn calls(&self) -> [Vec<Pattern>; 2] {
        let with_lead = |end: Pattern| {
            let call = self.invoke(Known::Any, end);
            let led = self.led(&call);
            [call, led].concat()
        };
        let whole = self.is_xml().then(|| with_lead(pattern![WS, "/", ">"]));
        [whole.unwrap_or_default(), with_lead(self.call_end())]
    }

    /// The openers of a call without a section: with a lead, of any tool.
    fn bare(&self) -> Vec<Pattern> {
        let Some(known) = self.bare else { return Vec::new() };
        let end = self.call_end();
        let led = self.led(&self.invoke(Known::Any, end.clone()));
        [self.invoke(known, end), led].concat()
    }

    /// What shows that an opener without a section is one.
    fn body(&self) -> Vec<Pattern> {
        let whole = self.has_sections() && self.is_xml();
        let params = if whole { self.params() } else { vec![pattern![self.param]] };
        let object = self.object.map(|[open, _]| match open {
            [] => pattern!["{", WS, one_of("\"}")],
            open => pattern![open],
        });
        params.into_iter().chain([pattern![self.end_invoke]]).chain(object).collect()
    }

    /// The same openers, confirmed.
    fn bare_opens(&self) -> Vec<Pattern> {
        let before = |bare: &Pattern| prefixed([&**bare, &[WS]].concat(), &self.body());
        self.bare().iter().flat_map(before).collect()
    }

    /// What shows that a section's opener is one.
    fn section_begins(&self) -> Vec<Pattern> {
        let lead = self.lead.map(|lead| lead.opener());
        [pattern![self.invoke]].into_iter().chain(lead).collect()
    }

    /// Openers of sections, confirmed.
    fn section_opens(&self) -> Vec<Pattern> {
        if self.has_sections() {
            prefixed(pattern![self.open, WS], &self.section_begins())
        } else {
            Vec::new()
        }
    }

    /// What closes a section, or a call of it with a lead: the tail of a call.
    fn closers(&self) -> Vec<Pattern> {
        let mut closers = Vec::new();
        if let Some(Lead { end, .. }) = self.lead {
            closers.extend([pattern![end], pattern![end, WS, self.close]]);
        }
        if self.has_sections() {
            closers.push(pattern![self.close]);
        }
        closers
    }

    fn text(&self) -> Vec<Rule> {
        let mut rules = Vec::new();
        if self.has_sections() {
            let section = opener(pattern![self.open], 1, &self.section_begins());
            rules.push(section.open(Place::Section(SECTION)));
        }
        for bare in self.bare() {
            let led = self.lead.is_some_and(|lead| bare[0] == lead.begin.into());
            let fixed = if led { 1 } else { 3 };
            let bare = opener(bare, fixed, &self.body()).open(Place::Call(CALL));
            rules.push(if self.has_sections() {
                bare.not(Flags::REASONING).sets(Flags::OWED)
            } else {
                bare
            });
        }
        rules.push(rule(pattern![self.end_invoke]).does(What::Orphan(Scope::Call)));
        if let Some(Lead { end, .. }) = self.lead {
            rules.push(rule(pattern![end]).needs(Flags::OWED).sets(Flags::OWED));
            rules.push(rule(pattern![end]).does(What::Orphan(Scope::Section)));
        }
        if self.has_sections() {
            rules.push(rule(pattern![self.close]).needs(Flags::OWED));
            rules.push(rule(pattern![self.close]).does(What::Orphan(Scope::Section)));
        }
        if !self.boundary.is_empty() {
            rules.push(rule(pattern![self.boundary]));
        }
        rules
    }

    fn section(&self) -> Vec<Rule> {
        let [whole, open] = self.calls();
        let calls = |marks: Vec<Pattern>, kind| {
            marks.into_iter().map(move |mark| rule(mark).open(Place::Call(kind)))
        };
        let mut rules: Vec<Rule> = calls(whole, WHOLE).chain(calls(open, CALL)).collect();
        if let Some(lead) = self.lead {
            rules.extend([lead.opener(), pattern![lead.end]].map(rule));
        }
        rules.push(rule(pattern![self.close]).close(Scope::Section));
        rules
    }

    fn in_call(&self) -> Vec<Rule> {
        let mut rules = Vec::new();
        let own = !self.param.is_empty();
        if own && !self.hints.is_empty() {
            rules.push(rule(self.typed_param()).param(VALUE));
        }
        if self.cdata {
            let mark = [self.param(), pattern![WS, "<![CDATA["]].concat();
            rules.push(rule(mark).noise().param(CDATA));
        }
        if own {
            rules.push(rule(self.param()).param(VALUE));
        }
        if let Some(nest) = self.nests {
            let typed = nest.typed.map(|_| self.element(nest, true));
            let openers = typed.into_iter().chain([self.element(nest, false)]);
            rules.extend(openers.map(|mark| rule(mark).param(u8::from(own))));
        }
        if let Some(object) = self.object() {
            let object = rule(object).follow([pattern![one_of("\"}")]]);
            let object = object.needs(Flags::CALL_START);
            let in_section = object.clone().needs(Flags::IN_SECTION);
            rules.push(in_section.open(Place::Body(OBJECT)));
            rules.push(object.open(Place::Body(BARE_OBJECT)));
        }
        rules.push(rule(pattern![self.end_invoke]).close(Scope::Call));
        let ends = |mark: Pattern, follow: &[Pattern]| ends_call(mark, follow, Scope::Call);
        for next in self.calls().concat() {
            rules.push(ends(next, &[]).needs(Flags::IN_SECTION));
        }
        for bare in self.bare() {
            rules.push(ends(bare, &self.body()).not(Flags::IN_SECTION));
        }
        rules.extend(self.closers().into_iter().map(|close| ends(close, &[])));
        rules.push(if self.is_xml() {
            stray()
        } else {
            let tag = pattern!["<|open|>", Name::element(), self.rest(), self.end];
            rule(tag).noise().does(What::Unexpected).note(DiagnosticKind::UnknownParameter)
        });
        rules
    }

    /// What may follow a value's closer.
    fn value_ends(&self) -> Vec<Pattern> {
        let own = [self.params(), vec![pattern![self.end_invoke]]].concat();
        let calls = if self.has_sections() { self.calls().concat() } else { self.bare_opens() };
        [own, self.closers(), calls].concat()
    }

    /// The closer of the call, where the value's own was forgotten.
    fn tails(&self) -> Vec<Rule> {
        let both = |follow: &[Pattern]| closes_both(pattern![self.end_invoke], follow, Scope::Call);
        let tokens = (!self.boundary.is_empty()).then(|| pattern![self.boundary]);
        let over = [vec![pattern![At::End]], tokens.into_iter().collect()].concat();
        let (bare, sections) = (self.bare_opens(), self.section_opens());
        let mut rules = vec![both(&over)];
        for close in self.closers() {
            // After two closers all that can follow a call without a section would be too long to hold.
            let bare = if close.len() == 1 { &*bare } else { &[] };
            let after = [&*over, &*sections, bare].concat();
            rules.push(both(&prefixed([close, vec![WS]].concat(), &after)));
        }
        if let Some(Lead { end, .. }) = self.lead {
            let next = prefixed(pattern![end, WS], &self.calls().concat());
            rules.push(both(&next).needs(Flags::IN_SECTION));
        }
        rules.extend([
            both(&self.calls().concat()).needs(Flags::IN_SECTION),
            both(&bare).not(Flags::IN_SECTION),
            both(&sections),
        ]);
        rules.retain(|rule| !rule.follow.is_empty());
        rules
    }

    /// Openers of parameters that the call lacks.
    fn suspects(&self) -> [Rule; 2] {
        let fresh = Name::param().known(Known::Fresh);
        let fresh = self.attribute(pattern![self.param], self.attributes[1], fresh);
        let rest = pattern![one_of(" \t\r\n/"), self.rest(), self.end];
        [pattern![self.end], rest].map(|end| suspect([&*fresh, &*end].concat()))
    }

    /// A value that is an element: its closer counts outside all elements that nest in it, but also
    /// where the call is over after it.
    fn element_value(&self, nest: Nest) -> ValueKind {
        let name = || Name::element().chars(TAG_NAME);
        let [open, close, own] = match nest.typed {
            None => [
                pattern![nest.open, name(), self.end],
                pattern![nest.close, name(), self.end],
                pattern![nest.close, Ref::Param, self.end],
            ],
            Some(_) => {
                let open = pattern![nest.open, one_of(" \t\r\n"), self.rest(), self.end];
                let close = pattern![nest.close, WS, self.end];
                [open, close.clone(), close]
            }
        };
        let over = [vec![pattern![At::End]], self.closers(), self.calls().concat()].concat();
        let over = prefixed(pattern![self.end_invoke, WS], &over);
        let forgotten = mismatched(own.clone(), &over).note(DiagnosticKind::MissingCloser);
        let nested = |mark: Pattern| rule(mark).noise().does(What::Pass);
        let mut rules = vec![
            closer(own, &self.value_ends()).not(Flags::NESTED),
            forgotten.at_end(AtEnd::Listed).needs(Flags::NESTED),
        ];
        rules.extend(self.tails());
        rules.extend([
            nested(open).sets(Flags::NESTED),
            nested(close).needs(Flags::NESTED).clears(Flags::NESTED),
        ]);
        if !self.param.is_empty() {
            rules.extend(self.suspects());
        }
        value(self.framing, rules)
    }

    fn values(&self) -> Vec<ValueKind> {
        let mut values = if self.param.is_empty() { Vec::new() } else { self.own_values() };
        values.extend(self.nests.map(|nest| self.element_value(nest)));
        values
    }

    fn own_values(&self) -> Vec<ValueKind> {
        let ends = self.value_ends();
        let mut own = vec![closer(pattern![self.end_param], &ends)];
        if self.is_xml() {
            let ends = [self.params(), vec![pattern![self.end_invoke]]].concat();
            own.push(mismatched(pattern!["</", Ref::Param, ">"], &ends));
        }
        let plain = [own, self.tails(), self.suspects().to_vec()].concat();
        let mut values = vec![value(self.framing, plain)];
        if self.cdata {
            let own = closer(pattern!["]]>", WS, self.end_param], &ends);
            let rules = [vec![own], self.suspects().to_vec()].concat();
            values.push(value(Framing::None, rules));
        }
        values
    }

    /// An object that is all of a call's arguments: its own closer, or that of the call or the section,
    /// ends it early.
    fn objects(&self, close: Tags) -> Vec<BodyKind> {
        let close = [close, self.end_invoke, self.close].concat();
        let close = Piece::Any(close.into_iter().map(Into::into).collect());
        let rules = vec![rule(vec![close]).before().close(Scope::Body)];
        let body = |then| BodyKind {
            gives: Gives::Arguments,
            rules: rules.clone(),
            then: Some(Place::Section(then)),
        };
        vec![body(AFTER_OBJECT), body(AFTER_BARE_OBJECT)]
    }

    /// After such an object its call's closer stands, or was forgotten.
    fn after_object(&self, close: Tags, bare: bool) -> SectionKind {
        let goes_on = |rule: Rule| {
            if bare {
                rule.close(Scope::Section).sets(Flags::OWED)
            } else {
                rule.open(Place::Section(SECTION))
            }
        };
        let forgotten = |mark: Pattern, follow: &[Pattern]| {
            let next = rule(mark).follow(follow.to_vec()).before();
            goes_on(next).note(DiagnosticKind::MissingCloser)
        };
        let mut rules = vec![
            goes_on(rule(pattern![self.end_invoke])),
            rule(pattern!["```"]),
            rule(pattern!["}"]).note(DiagnosticKind::RepairedJson),
            forgotten(pattern![self.close], &[]),
        ];
        if !close.is_empty() {
            rules.push(rule(pattern![close]));
        }
        rules.extend(if bare {
            self.bare().into_iter().map(|mark| forgotten(mark, &self.body())).collect()
        } else {
            self.calls().concat().into_iter().map(|mark| forgotten(mark, &[])).collect::<Vec<_>>()
        });
        SectionKind { rules, between: Between::Only(Chars::WHITE.and("],;")), calls: true }
    }

    fn sections(&self) -> Vec<SectionKind> {
        let mut sections = Vec::new();
        if self.has_sections() {
            let (rules, between) = (self.section(), Between::Junk(Chars::WHITE));
            sections.push(SectionKind { rules, between, calls: true });
        }
        if let Some([_, close]) = self.object {
            sections.extend([false, true].map(|bare| self.after_object(close, bare)));
        }
        sections
    }

    fn dialect(self, name: &'static str, about: &'static str, template: Template) -> DialectSpec {
        let whole: CallKind = call(vec![rule(pattern![At::Start]).close(Scope::Call)]);
        DialectSpec {
            calls_in_reasoning: CallsInReasoning::Extract,
            prose: prose(self.text()),
            sections: self.sections(),
            calls: vec![call(self.in_call()), whole],
            values: self.values(),
            bodies: self.object.map_or(Vec::new(), |[_, close]| self.objects(close)),
            stripped: self.tokens,
            boundary: self.boundary.iter().map(|token| (*token).into()).collect(),
            nests: self.nests.map(|nest| (nest.open.into(), nest.close.into())),
            hints: self.hints.iter().map(|(text, hint)| ((*text).into(), *hint)).collect(),
            ..DialectSpec::new(name, about, template)
        }
    }
}

impl Lead {
    fn opener(self) -> Pattern {
        let word = Run { chars: Chars::LETTERS.and("_"), min: 1, max: 64 };
        pattern![self.begin, word, self.separator]
    }
}

/// The dialect `invoke`.
pub(crate) fn invoke() -> DialectSpec {
    let about = "a section of <invoke name=\"…\"><parameter name=\"…\">…</parameter></invoke>";
    let spec = INVOKE.dialect("invoke", about, template::INVOKE);
    DialectSpec { calls_in_reasoning: CallsInReasoning::Ignore, ..spec }
}

/// The dialect `minimax-m2`.
pub(crate) fn minimax_m2() -> DialectSpec {
    let minimax = Invoke { boundary: &["[e~["], framing: Framing::None, ..INVOKE };
    let about = "<minimax:tool_call>, a section of <invoke name=\"…\">, values verbatim";
    minimax.dialect("minimax-m2", about, template::MINIMAX)
}

/// The dialect `deepseek-dsml`.
pub(crate) fn deepseek_dsml() -> DialectSpec {
    let about = "<｜DSML｜tool_calls>, a section of <｜DSML｜invoke name=\"…\">, with types";
    DSML.dialect("deepseek-dsml", about, template::DEEPSEEK_DSML)
}

/// The dialect `gigachat35`.
pub(crate) fn gigachat35() -> DialectSpec {
    let base = Invoke { boundary: &["<|message_sep|>", "</s>"], ..DSML };
    let about = "<｜DSML｜tool_calls>, as DeepSeek's, with tags of its own";
    let base = base.dialect("deepseek-dsml", about, template::DEEPSEEK_DSML);
    base.relative("gigachat35", &[("DSML", "GCML")])
}

/// The dialect `dots`.
pub(crate) fn dots() -> DialectSpec {
    const OPEN: &str = "<dots_function_call>";
    let dots = Invoke {
        open: &[OPEN],
        close: &["</dots_function_call>"],
        boundary: &["<|endofassistant|>", "<|im_end|>"],
        ..INVOKE
    };
    let about = "<dots_function_call>, a section of <invoke name=\"…\"> or of JSON objects";
    let mut spec = dots.dialect("dots", about, template::DOTS);
    let objects = opener(pattern![OPEN], 1, &tool_call::json());
    spec.prose[0].rules.insert(1, objects.open(Place::Section(spec.sections.len() as u8)));
    spec.sections.push(tool_call::objects(OBJECT, &tool_call::members(), dots.close));
    spec.bodies.push(tool_call::body(Gives::Call, None, dots.close));
    spec
}

/// The dialect `step3`.
pub(crate) fn step3() -> DialectSpec {
    let about = "<｜tool_calls_begin｜>, a section of <steptml:invoke name=\"…\">";
    STEP3.dialect("step3", about, template::STEP3)
}

/// The dialect `minicpm5`.
pub(crate) fn minicpm5() -> DialectSpec {
    let about = "<function name=\"…\"><param name=\"…\">…</param></function>";
    MINICPM5.dialect("minicpm5", about, template::MINICPM5)
}

/// The dialect `kimi-k3`.
pub(crate) fn kimi_k3() -> DialectSpec {
    let about = "<|open|>call tool=\"…\"<|sep|>, arguments with types, all in special tokens";
    let rest = KIMI_K3.rest();
    let mut text = KIMI_K3.text();
    for tag in ["<|open|>response", "<|open|>message"] {
        text.push(rule(pattern![tag, rest, "<|sep|>"]));
    }
    text.push(rule(pattern!["<|close|>response<|sep|>"]));
    let think = pattern!["<|open|>think", rest, "<|sep|>"];
    let reasoning = reasoning_between(think, pattern!["<|close|>think<|sep|>"]);
    let spec = KIMI_K3.dialect("kimi-k3", about, template::KIMI_K3);
    DialectSpec { prose: prose_with(text, reasoning), ..spec }
}

/// The dialect `minimax-m3`.
pub(crate) fn minimax_m3() -> DialectSpec {
    let about = "]<]minimax[>[<tool_call>, parameters as elements, which nest";
    let spec = MINIMAX_M3.dialect("minimax-m3", about, template::MINIMAX_M3);
    let text = prose_with(MINIMAX_M3.text(), reasoning("<mm:think>", "</mm:think>"));
    DialectSpec { prose: text, ..spec }
}

/// The dialect `cohere-cofl`.
pub(crate) fn cohere_cofl() -> DialectSpec {
    let about = "<cofl:tool_calls>, parameters with types, or elements with types, which nest";
    let mut text = COHERE_COFL.text();
    text.push(rule(pattern![
        &["<|START_RESPONSE|>", "<|END_RESPONSE|>", "<|START_TEXT|>", "<|END_TEXT|>"][..]
    ]));
    let spec = COHERE_COFL.dialect("cohere-cofl", about, template::COHERE_COFL);
    let reasoning = reasoning("<|START_THINKING|>", "<|END_THINKING|>");
    DialectSpec { prose: prose_with(text, reasoning), id: "{index}".into(), ..spec }
}

/// The dialect `muse`.
pub(crate) fn muse() -> DialectSpec {
    let about = "messages with headers; in those to a tool <atem:invoke name=\"…\">";
    let to = |recipient: Piece| pattern![WS, "to=", WS, recipient, WS, "<|message|>"];
    let any: Piece = Name::element().chars(Chars::NAME).into();
    let reasoning = to((&["self", "developer"][..]).into());
    let text = [to((&["user", "commentary"][..]).into()), pattern![WS, "<|message|>"]];
    let start = pattern!["<|start|>", WS, "assistant"];
    let headers = |before: Pattern| {
        let header = |tail: &Pattern| rule([&*before, tail].concat());
        vec![
            header(&reasoning).open(Place::Prose(1)),
            header(&text[0]).open(Place::Prose(0)),
            header(&text[1]).open(Place::Prose(0)),
            header(&to(any.clone())).open(Place::Section(SECTION)),
        ]
    };
    let end = rule(pattern![&["<|eom|>", "<|eot|>"][..]]);
    let close = end.clone().close(Scope::Prose);
    let text = [headers(pattern![At::Start]), headers(start.clone()), vec![close.clone()]].concat();
    let reasoning = [headers(start.clone()), vec![close]].concat();

    let [whole, open] = MUSE.calls().map(|mut marks| marks.remove(0));
    let ends = [end, rule(start).before()].map(|end| end.close(Scope::Section));
    let none =
        ends.clone().map(|end| end.needs(Flags::SECTION_START).note(DiagnosticKind::MalformedCall));
    let rules = vec![
        rule(whole).open(Place::Call(WHOLE)),
        rule(open).open(Place::Call(CALL)),
        rule(pattern![&["<atem:function_calls>", "</atem:function_calls>"][..]]),
    ];
    let rules = [rules, none.to_vec(), ends.to_vec()].concat();
    let spec = MUSE.dialect("muse", about, template::MUSE);
    let between = Between::Junk(Chars::WHITE);
    DialectSpec {
        // Headers say what is reasoning: what a call in it would be is no question.
        calls_in_reasoning: CallsInReasoning::Ignore,
        prose: prose_with(text, [Vec::new(), reasoning]),
        sections: vec![SectionKind { rules, between, calls: true }],
        ..spec
    }
}
