//! The dialects of invocations: `invoke`, and those that write the same with other tags.
//!
//! ```text
//! section := OPEN ( junk call )* junk CLOSE
//! call    := "<invoke" ws "name" ws "=" ws ATTR ws "/"? ">" junk ( param junk )* "</invoke>"
//! param   := "<parameter" ws "name" ws "=" ws ATTR … ">" value "</parameter>"
//! ```
//! A section counts if `ws` and an invocation follow. One of a known tool without a section counts if a
//! parameter or its closer follows (`missing_opener`; never in reasoning). A call ends the
//! reasoning, but in `invoke` and `muse`.
//!
//! Here is what a dialect of the family says of itself ([`Invoke`]); `marks.rs` makes markers of it,
//! `rules.rs` the rules of each state. The file of each dialect has what differs.

mod cohere_cofl;
mod deepseek_dsml;
mod dots;
mod kimi_k3;
mod marks;
mod minicpm5;
mod minimax_m2;
mod minimax_m3;
mod muse;
mod plain;
mod rules;
mod step3;

pub(super) use cohere_cofl::cohere_cofl;
pub(super) use deepseek_dsml::{deepseek_dsml, dsml_v32, dsml_v41, gigachat35};
pub(super) use dots::dots;
pub(super) use kimi_k3::kimi_k3;
pub(super) use minicpm5::minicpm5;
pub(super) use minimax_m2::minimax_m2;
pub(super) use minimax_m3::minimax_m3;
pub(super) use muse::muse;
pub(super) use plain::invoke;
pub(super) use step3::step3;

use crate::dialect::build::rule;
use crate::dialect::parts::{call, prose};
use crate::dialect::spec::{At, DialectSpec, Framing, Known, Scope};
use crate::dialect::template::{PromptForm, Template, prompt};
use crate::event::TypeHint;
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
    /// All tags are special tokens, or hold signs that nobody types: in a value whose closer is lost the
    /// next call's opener counts, and the tokens that end a call, which are these. (None at all: there is
    /// nothing of the kind in a value, but for what the dialect's own file adds.)
    special: Option<Tags>,
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
    /// Types may stand before names.
    types_first: bool,
    /// The attribute that may stand before a call's name, its number.
    number: Option<&'static str>,
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
    fn dialect(self, name: &'static str, about: &'static str, template: Template) -> DialectSpec {
        let mut calls = vec![call(self.in_call())];
        if self.has_sections() && self.is_xml() {
            calls.push(call(vec![rule(pattern![At::Start]).close(Scope::Call)]));
        }
        DialectSpec {
            calls_in_reasoning: CallsInReasoning::Extract,
            prose: prose(self.text()),
            sections: self.sections(),
            calls,
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

/// The tools as JSON lines between tags, then the form.
const PROMPT: PromptForm = prompt(
    "\
# Tools

You can call tools. Each line between these tags is one of them, as JSON with a JSON Schema of its \
parameters:
<tools>
{tools}
</tools>

To call a tool, write its name and a value for each parameter that you give, in this form:
{form}

Give every required parameter. Write strings as they are, without quotes and escapes; lists, \
objects, numbers and booleans as JSON.
{limit}

{example}",
);
