//! The dialects: the notations in which models write their calls.

mod any;
mod blocks;
mod built_in;
mod caret;
mod data;
pub(crate) mod facts;
mod forms;
mod functionary;
mod gemma;
mod harmony;
mod header;
#[cfg(feature = "json")]
mod host;
mod inkling;
mod invoke;
mod json_array;
mod keyed;
mod kimi_k2;
pub(crate) mod literals;
mod muse;
mod openers;
mod pythonic;
mod react;
mod reads;
mod rename;
#[cfg(feature = "json")]
mod response_template;
// Shapes come as JSON. Without that feature the grammar of a shape has no use.
#[cfg_attr(not(feature = "json"), allow(dead_code))]
mod shape;
pub(crate) mod template;
#[cfg(feature = "json")]
pub(crate) mod written;
mod xml;

use std::borrow::Cow;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;
use std::sync::Arc;

use crate::error::{BuildError, UnknownName};
use crate::read::machine::Grammar;
use built_in::BuiltIn;
use facts::Facts;
use forms::{FORMS, Form, Kind};
use template::Template;
/// A text of a dialect: borrowed in the built-in ones, owned in a dialect of your own.
pub(crate) type Text = Cow<'static, str>;

/// The notation that a parser reads: a built-in dialect, or one of your own ([`crate::shapes`]).
///
/// ```
/// use toolstream::Dialect;
///
/// assert_eq!(Dialect::by_name("cline")?, Dialect::CLINE);
/// assert_eq!("Qwen3_Coder".parse::<Dialect>()?, Dialect::QWEN3_CODER);
/// let error = Dialect::by_name("klein").unwrap_err().to_string();
/// assert!(error.starts_with("unknown dialect `klein`: use one of cline, code-assistant, invoke, "));
/// # Ok::<(), toolstream::BuildError>(())
/// ```
/// A parser may read several dialects at once: `react+tool-call`, by name or with [`Dialect::and`]. The first
/// gives the start state and the defaults. Openers are tried in the order of the dialects, one limit counts
/// for all, and inside a call only the markers of its own dialect count.
///
/// ```
/// use toolstream::Dialect;
///
/// let both = Dialect::REACT.and(Dialect::TOOL_CALL);
/// assert_eq!(Dialect::by_name("react+tool-call")?, both);
/// assert_eq!(both.to_string(), "react+tool-call");
/// # Ok::<(), toolstream::BuildError>(())
/// ```
/// Two dialects are equal if they read the same, whatever their [`form`](Dialect::form). A form says how calls are
/// written, and the parser reads all of them. So `dialect == Dialect::GLM` holds for `glm:inline`, too.
///
/// A clone is cheap: a dialect of your own is shared, and is dropped with the last clone or parser that has it.
#[derive(Clone)]
pub struct Dialect {
    first: Source,
    /// The dialects that are joined with the first.
    others: Vec<Source>,
    /// The place of the first dialect of [`Dialect::any`], if that is among them.
    any_at: Option<usize>,
    /// The form in which the first is written, if it is not the dialect's own.
    form: Option<&'static Form>,
}

/// The origin of a dialect.
#[derive(Clone)]
enum Source {
    BuiltIn(&'static BuiltIn),
    /// A dialect from a shape or a response template.
    Host(Arc<Host>),
}

/// A dialect that is not built in.
#[derive(Debug)]
pub(crate) struct Host {
    facts: Facts,
    grammar: Arc<Grammar>,
    /// The text from which both are made. Dialects with equal texts are the same.
    origin: String,
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Source::BuiltIn(built_in) => f.write_str(built_in.name),
            Source::Host(host) => f.write_str(&host.origin),
        }
    }
}

impl Source {
    fn facts(&self) -> &Facts {
        match self {
            Source::BuiltIn(built_in) => (built_in.facts)(),
            Source::Host(host) => &host.facts,
        }
    }

    fn grammar(&self) -> &Arc<Grammar> {
        match self {
            Source::BuiltIn(built_in) => (built_in.grammar)(),
            Source::Host(host) => &host.grammar,
        }
    }

    /// The name. That of a built-in dialect is known before its facts are made.
    fn name(&self) -> &str {
        match self {
            Source::BuiltIn(built_in) => built_in.name,
            Source::Host(host) => &host.facts.name,
        }
    }
}

impl Dialect {
    /// Makes a dialect that is not built in.
    pub(crate) fn of_host(facts: Facts, grammar: Arc<Grammar>, origin: String) -> Dialect {
        Dialect::from_source(Source::Host(Arc::new(Host { facts, grammar, origin })))
    }

    const fn built_in(built_in: &'static BuiltIn) -> Dialect {
        Dialect::from_source(Source::BuiltIn(built_in))
    }

    const fn from_source(first: Source) -> Dialect {
        Dialect { first, others: Vec::new(), any_at: None, form: None }
    }

    /// Joins this dialect with another: the parser reads both at once.
    ///
    /// Any built-in dialects can be joined, and the calls of all are read, with three exceptions. A message of
    /// `functionary`, `harmony` or `beam` may begin with its header alone; behind another dialect it needs its
    /// opener. `harmony`, `beam` and `muse` begin their messages with the same tokens, so `harmony` and `beam` read
    /// those of the others as their own. And in the answer of `react` an object of `bare-json` is text.
    ///
    /// A dialect of your own ([`Dialect::from_json`]) joins like any other.
    ///
    /// ```
    /// use toolstream::{Dialect, Parser};
    ///
    /// let three = Dialect::REACT.and(Dialect::HERMES).and(Dialect::CLINE);
    /// assert_eq!(three, Dialect::by_name("react+hermes+cline")?);
    /// let mut parser = Parser::builder(three).tool(toolstream::Tool::new("list")).build()?;
    /// let message = parser.parse("<list></list>");
    /// assert_eq!(message.calls().next().expect("a call").name(), "list");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn and(&self, other: impl Into<Dialect>) -> Dialect {
        let other = other.into();
        let mut both = self.clone();
        let behind = 1 + self.others.len();
        both.any_at = self.any_at.or(other.any_at.map(|at| behind + at));
        both.others.extend(other.sources().cloned());
        both
    }

    /// Returns the built-in dialect of this name, or the dialects of several names joined by `+`; `any` is [`Dialect::any`]. Case
    /// does not matter, and `_` counts as `-`. A colon and one of the [`forms`](Dialect::forms) may follow a name:
    /// `glm:inline`.
    ///
    /// # Errors
    /// [`BuildError`] for a name that does not exist. The error lists the names that do.
    pub fn by_name(name: &str) -> Result<Dialect, BuildError> {
        let unknown = |name: &str| -> BuildError {
            let known =
                Dialect::ALL.iter().map(|dialect| dialect.name()).chain([any::NAME]).collect();
            UnknownName::new("dialect", name, known).or_hint(hint(name)).into()
        };
        let one = |name: &str| {
            let small = name.to_ascii_lowercase().replace('_', "-");
            let (base, form) =
                small.split_once(':').map_or((&*small, None), |(base, form)| (base, Some(form)));
            if (base, form) == (any::NAME, None) {
                return Ok(Dialect::any());
            }
            let found = Dialect::ALL.iter().find(|known| known.name() == base);
            let found = found.and_then(|found| match form {
                None => Some(found.clone()),
                Some(form) => found.forms().find(|known| known.form() == Some(form)),
            });
            found.ok_or_else(|| unknown(name))
        };
        let mut names = name.split('+');
        let first = one(names.next().unwrap_or_default())?;
        names.try_fold(first, |all, name| Ok(all.and(one(name)?)))
    }

    /// Returns the name, as [`Dialect::by_name`] takes it; for joined dialects, the name of the first.
    /// `to_string` has all.
    pub fn name(&self) -> &str {
        self.first.name()
    }

    /// Returns a line that shows how the dialect looks; for joined dialects, the line of the first.
    pub fn about(&self) -> &str {
        &self.facts().about
    }

    /// Returns the dialect in each of its other forms. Some models of a family write their calls differently
    /// from the rest. The parser reads all forms, but a history in a form that the model never wrote costs
    /// its prefix cache. [`Dialect::for_model`] knows which model writes which form.
    ///
    /// A few forms are also *read* differently: `llama3-json:xlam` has more openers than `llama3-json`, where
    /// these are text. Such a form is a dialect by itself: it is not equal (`==`) to the other, and its
    /// [`name`](Dialect::name) is `llama3-json:xlam`.
    ///
    /// ```
    /// use toolstream::{Dialect, render::ToolResult};
    ///
    /// let forms: Vec<String> = Dialect::GLM.forms().map(|form| form.to_string()).collect();
    /// assert_eq!(forms, ["glm:inline"]);
    /// let results = [ToolResult::ok("list", "a.rs")];
    /// let inline = Dialect::by_name("glm:inline")?;
    /// assert_eq!(inline.render_results(&results), "<tool_response>a.rs</tool_response>");
    /// assert_eq!(Dialect::GLM.render_results(&results), "<tool_response>\na.rs\n</tool_response>");
    /// # Ok::<(), toolstream::BuildError>(())
    /// ```
    pub fn forms(&self) -> impl Iterator<Item = Dialect> {
        let built_in = matches!(self.first, Source::BuiltIn(_));
        let forms = FORMS.iter().filter(move |form| built_in && form.dialect == self.name());
        forms.map(|form| {
            let (first, form) = match &form.kind {
                Kind::Written(_) => (self.first.clone(), Some(form)),
                Kind::Reads(built_in) => (Source::BuiltIn(built_in), None),
            };
            Dialect { first, form, ..self.clone() }
        })
    }

    /// Returns the name of its form, if it is one of its [`forms`](Dialect::forms). `==` compares only what
    /// is read.
    pub fn form(&self) -> Option<&'static str> {
        let reads = || match self.first {
            Source::BuiltIn(built_in) => built_in.name.split_once(':').map(|(_, form)| form),
            Source::Host(_) => None,
        };
        self.form.map(|form| form.name).or_else(reads)
    }

    /// Returns the texts of its markers, for people; for joined dialects, those of the first. Markers that any dialect may
    /// have are left out: stop tokens that were declared to the parser, and code fences. Names of tools and arguments stand
    /// between the texts.
    ///
    /// ```
    /// use toolstream::Dialect;
    ///
    /// let markers = Dialect::HERMES.markers();
    /// assert!(["<tool_call>", "</tool_call>", "<think>"].iter().all(|text| markers.contains(&text.to_string())));
    /// ```
    pub fn markers(&self) -> Vec<String> {
        let mut markers: Vec<String> = Vec::new();
        self.first.grammar().texts(&mut |text| markers.push(text.to_string()));
        let keywords = self.first.grammar().family.keywords();
        markers.extend(keywords.iter().map(|word| format!("{word}:")));
        markers.retain(|text| text.len() > 1);
        markers.sort_unstable();
        markers.dedup();
        markers
    }

    /// Returns the texts that open and close reasoning: any closer closes any opener. For joined dialects, those of the
    /// first. Both lists are empty if headers of messages mark the reasoning.
    ///
    /// ```
    /// use toolstream::Dialect;
    ///
    /// let dialect = Dialect::SEED_OSS;
    /// let [open, close] = dialect.reasoning_markers();
    /// assert_eq!((open, close), (vec!["<seed:think>"], vec!["</seed:think>"]));
    /// ```
    pub fn reasoning_markers(&self) -> [Vec<&str>; 2] {
        let grammar = self.first.grammar();
        let mut texts = grammar.reasoning().map(|texts| texts.iter().map(|text| &**text).collect());
        // Reasoning in which no call counts has an opener of its own. Its closer is also among the others.
        if let Some([open, _]) = &grammar.prose.sealed {
            let texts: &mut Vec<&str> = &mut texts[0];
            texts.push(open);
        }
        texts
    }

    /// Returns the written form as JSON, for tests. It is not part of the public interface.
    #[doc(hidden)]
    #[cfg(feature = "json")]
    pub fn written_form(&self) -> serde_json::Value {
        let facts = self.facts();
        serde_json::json!({
            "id": facts.id,
            "framed": facts.framing.contains(&facts::Framing::LineBreak),
            "template": self.template(),
        })
    }

    /// Whether the model writes ids for its calls. If not, `toolstream` numbers them.
    ///
    /// ```
    /// use toolstream::Dialect;
    ///
    /// assert!(Dialect::KIMI_K2.has_ids() && !Dialect::HERMES.has_ids());
    /// ```
    pub fn has_ids(&self) -> bool {
        let call = &self.template().call;
        self.first.grammar().ids
            || [&call.open, &call.close].iter().any(|text| text.contains("{id}"))
    }

    /// Returns the template of written calls, in the dialect's form; for joined dialects, that of the first.
    pub(crate) fn template(&self) -> &Template {
        let form = self.form.and_then(Form::template);
        form.unwrap_or(&self.facts().template)
    }

    /// Returns the facts; for joined dialects, those of the first.
    pub(crate) fn facts(&self) -> &Facts {
        self.first.facts()
    }

    /// Returns the dialects that are joined in this one, in order. A dialect that is not joined is its own
    /// only part.
    ///
    /// ```
    /// use toolstream::Dialect;
    ///
    /// let parts: Vec<_> = Dialect::by_name("react+hermes")?.parts().collect();
    /// assert_eq!(parts, [Dialect::REACT, Dialect::HERMES]);
    /// # Ok::<(), toolstream::BuildError>(())
    /// ```
    pub fn parts(&self) -> impl Iterator<Item = Dialect> {
        let form = |number| if number == 0 { self.form } else { None };
        let part = move |(number, source): (usize, &Source)| Dialect {
            form: form(number),
            ..Dialect::from_source(source.clone())
        };
        self.sources().enumerate().map(part)
    }

    /// Returns the second of joined dialects.
    pub fn second(&self) -> Option<Dialect> {
        self.parts().nth(1)
    }

    fn sources(&self) -> impl Iterator<Item = &Source> {
        std::iter::once(&self.first).chain(&self.others)
    }

    /// Returns the facts of all joined dialects.
    pub(crate) fn all_facts(&self) -> impl Iterator<Item = &Facts> {
        self.sources().map(Source::facts)
    }

    /// Returns the grammars of all joined dialects.
    pub(crate) fn grammars(&self) -> impl Iterator<Item = &Arc<Grammar>> {
        self.sources().map(Source::grammar)
    }

    /// Whether more dialects are joined than a parser reads.
    pub(crate) fn is_too_many(&self) -> bool {
        self.others.len() >= MOST
    }

    /// Returns the facts of the dialect with this number.
    #[cfg(feature = "json")]
    pub(crate) fn part(&self, number: usize) -> &Facts {
        self.sources().nth(number).unwrap_or(&self.first).facts()
    }
}

/// The most dialects that a parser reads at once. The error message has the number, too.
pub(crate) const MOST: usize = 64;

impl PartialEq for Source {
    fn eq(&self, other: &Source) -> bool {
        match (self, other) {
            (Source::BuiltIn(one), Source::BuiltIn(other)) => one.name == other.name,
            (Source::Host(one), Source::Host(other)) => {
                Arc::ptr_eq(one, other) || one.origin == other.origin && one.facts == other.facts
            }
            _ => false,
        }
    }
}

/// Compares the grammars, not the written forms: see [`Dialect`].
impl PartialEq for Dialect {
    fn eq(&self, other: &Dialect) -> bool {
        (&self.first, &self.others) == (&other.first, &other.others)
    }
}

impl Eq for Dialect {}

/// Hashes the names: equal dialects have equal names.
impl Hash for Dialect {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.sources().for_each(|source| source.name().hash(state));
    }
}

/// Calls [`Dialect::by_name`].
impl FromStr for Dialect {
    type Err = BuildError;

    fn from_str(name: &str) -> Result<Dialect, BuildError> {
        Dialect::by_name(name)
    }
}

/// Clones the dialect, so that [`Parser::builder`](crate::Parser::builder) takes both.
impl From<&Dialect> for Dialect {
    fn from(dialect: &Dialect) -> Dialect {
        dialect.clone()
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut names: Vec<&str> = self.sources().map(Source::name).collect();
        let any = self.any_range();
        let form = self.form.filter(|_| any.as_ref().is_none_or(|any| any.start > 0));
        let first = form.map(|form| format!("{}:{}", names[0], form.name));
        names[0] = first.as_deref().unwrap_or(names[0]);
        if let Some(any) = any {
            names.splice(any, [any::NAME]);
        }
        f.write_str(&names.join("+"))
    }
}

impl fmt::Debug for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Dialect({self})")
    }
}

/// Returns a hint for an unknown name: the dialect that a parser of another program reads, or a model writes, under that
/// name.
fn hint(name: &str) -> Option<String> {
    if let Some(dialect) = crate::model::parsers::read_by(name) {
        return Some(format!("a parser of that name reads `{dialect}`"));
    }
    let dialect = Dialect::for_model(name)?.dialect;
    Some(format!("a model, which writes `{dialect}` (`Dialect::for_model` says that)"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_that_of_the_facts() {
        for dialect in Dialect::ALL {
            assert_eq!(dialect.name(), dialect.facts().name);
        }
    }
}
