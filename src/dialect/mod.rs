//! The dialects: which grammar a model writes its calls in.

mod answer;
mod blocks;
mod bracket;
pub(crate) mod build;
mod built_in;
mod caret;
mod chars;
pub(crate) mod check;
mod circle;
mod closers;
mod data;
mod dead;
mod flags;
mod forms;
mod functionary;
mod gemma;
mod harmony;
mod header;
mod inkling;
mod invoke;
#[cfg(feature = "serde")]
mod json;
mod json_array;
mod keyed;
mod kimi_k2;
mod literals;
pub(crate) mod mistake;
mod muse;
mod openers;
mod piece;
mod prose;
mod python_tag;
mod pythonic;
mod react;
mod reads;
mod rename;
#[cfg(feature = "json")]
mod response_template;
pub(crate) mod role;
#[cfg(feature = "json")]
mod rules;
// A host's shape comes as JSON: without it nobody asks for the grammar of one.
#[cfg_attr(not(feature = "json"), allow(dead_code))]
mod shape;
pub(crate) mod spec;
pub(crate) mod template;
mod tool_call;
#[cfg(feature = "json")]
pub(crate) mod written;
mod xml;

use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;
use std::sync::{Arc, Weak};

use crate::error::UnknownName;
use built_in::{NAMES, TABLES};
use forms::{FORMS, Form};
#[cfg(feature = "json")]
pub use rules::RuleText;
pub use spec::DialectSpec;
use template::Template;

/// Which grammar the parser reads: a built-in one, or a host's own ([`Dialect::new`]).
///
/// ```
/// use toolstream::Dialect;
///
/// assert_eq!(Dialect::by_name("cline")?, Dialect::CLINE);
/// assert_eq!("Qwen3_Coder".parse::<Dialect>()?, Dialect::QWEN3_CODER);
/// let error = Dialect::by_name("klein").unwrap_err().to_string();
/// assert!(error.starts_with("unknown dialect `klein`: use one of cline, code-assistant, invoke, "));
/// # Ok::<(), toolstream::UnknownName>(())
/// ```
/// A parser may read several at once: `react+tool-call`, by name or with [`Dialect::and`]. The first gives
/// the start state and the defaults, openers are asked for in the order of the dialects, one limit counts for
/// all, and inside a call only its own dialect's markers count.
///
/// ```
/// use toolstream::Dialect;
///
/// let both = Dialect::REACT.and(Dialect::TOOL_CALL);
/// assert_eq!(Dialect::by_name("react+tool-call")?, both);
/// assert_eq!(both.to_string(), "react+tool-call");
/// # Ok::<(), toolstream::UnknownName>(())
/// ```
/// Two are equal if their tables are, in whatever [`form`](Dialect::form): a form says how calls are written, and
/// the parser reads them all. So `dialect == Dialect::GLM` holds for `glm:inline`, too.
///
/// A clone costs a count at most: a host's table is shared, and goes with the last dialect or parser that has it.
#[derive(Clone)]
pub struct Dialect {
    first: Source,
    /// Those that are joined with it.
    others: Vec<Source>,
    /// How the first is written, if not as its table says.
    form: Option<&'static Form>,
}

/// Where the spec of a dialect is.
#[derive(Clone)]
enum Source {
    /// Its place in [`TABLES`], or after those among the [`FORMS`].
    BuiltIn(usize),
    /// A host's own.
    Host(Arc<DialectSpec>),
}

/// A table, for as long as somebody has it: what was compiled of it is found by it.
#[derive(Clone)]
pub(crate) enum TableId {
    BuiltIn(usize),
    Host(Weak<DialectSpec>),
}

impl TableId {
    /// Whether nobody has the table any more, so that nobody will ask for it.
    pub(crate) fn is_gone(&self) -> bool {
        matches!(self, TableId::Host(table) if table.strong_count() == 0)
    }
}

/// No table has the place of another, not even of one that is gone: an id keeps the place.
impl PartialEq for TableId {
    fn eq(&self, other: &TableId) -> bool {
        match (self, other) {
            (TableId::BuiltIn(one), TableId::BuiltIn(other)) => one == other,
            (TableId::Host(one), TableId::Host(other)) => one.ptr_eq(other),
            _ => false,
        }
    }
}

impl Source {
    fn spec(&self) -> &DialectSpec {
        match self {
            Source::BuiltIn(number) => match number.checked_sub(TABLES.len()) {
                None => &TABLES[*number],
                Some(number) => FORMS[number].table.as_deref().unwrap_or(&TABLES[0]),
            },
            Source::Host(table) => table,
        }
    }

    /// The name. That of a built-in dialect is known before its table is made.
    fn name(&self) -> &str {
        match self {
            Source::BuiltIn(number) if *number < NAMES.len() => NAMES[*number],
            _ => &self.spec().name,
        }
    }

    fn id(&self) -> TableId {
        match self {
            Source::BuiltIn(number) => TableId::BuiltIn(*number),
            Source::Host(table) => TableId::Host(Arc::downgrade(table)),
        }
    }
}

impl Dialect {
    /// A dialect of the host's own. It is checked when a parser is built
    /// ([`BuildError::place`](crate::BuildError::place)), and compiled once for all its clones: build it
    /// once and clone it. [`crate::tables`] has an example.
    pub fn new(spec: DialectSpec) -> Dialect {
        Dialect::of(Source::Host(Arc::new(spec)))
    }

    const fn built_in(number: usize) -> Dialect {
        Dialect::of(Source::BuiltIn(number))
    }

    const fn of(first: Source) -> Dialect {
        Dialect { first, others: Vec::new(), form: None }
    }

    /// This dialect and another, read at once.
    ///
    /// Any built-in dialects can be joined, and the calls of all are read, with three exceptions. A message of
    /// `functionary`, `harmony` or `beam` begins with its header alone; beside a dialect before it, it must have its
    /// opener. `harmony`, `beam` and `muse` begin their messages with the same tokens, so `harmony` and `beam`
    /// read those of the others as their own. And in the answer of `react` an object of `bare-json` is text.
    ///
    /// A host's table of rules, a response template, and a [form](Dialect::forms) that is read otherwise can be joined
    /// with one other.
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
        both.others.extend(other.sources().cloned());
        both
    }

    /// The built-in dialect of this name, or those of names joined by `+`. Case does not matter, and
    /// `_` is as good as `-`. After a colon may stand one of its [`forms`](Dialect::forms):
    /// `glm:inline`.
    ///
    /// # Errors
    /// [`UnknownName`], which lists the names there are, for a name that is none of them.
    pub fn by_name(name: &str) -> Result<Dialect, UnknownName> {
        let unknown = |name: &str| {
            let known = Dialect::ALL.iter().map(|dialect| dialect.name()).collect();
            UnknownName { name: name.to_string(), kind: "dialect", others: "", known }
        };
        let one = |name: &str| {
            let small = name.to_ascii_lowercase().replace('_', "-");
            let (base, form) =
                small.split_once(':').map_or((&*small, None), |(base, form)| (base, Some(form)));
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

    /// The name, as [`Dialect::by_name`] takes it; of several, the first one's. `to_string` has all.
    pub fn name(&self) -> &str {
        self.first.name()
    }

    /// One line about what it looks like; of several, the first one's.
    pub fn about(&self) -> &str {
        &self.spec().about
    }

    /// The dialect in each of its other forms. Some models of a family write their calls otherwise than
    /// the rest: the parser reads both, but a history that stands in a form which the model never wrote
    /// costs its prefix cache. [`Dialect::for_model`] knows which model writes which.
    ///
    /// A few forms are also *read* otherwise: `llama3-json:xlam` has more openers than `llama3-json`, where these
    /// are text. Such a form is a dialect by itself (`==` tells it from the other), with all of this as its
    /// [`name`](Dialect::name).
    ///
    /// ```
    /// use toolstream::{Dialect, ToolResult};
    ///
    /// let forms: Vec<String> = Dialect::GLM.forms().map(|form| form.to_string()).collect();
    /// assert_eq!(forms, ["glm:inline"]);
    /// let results = [ToolResult::ok("list", "a.rs")];
    /// let inline = Dialect::by_name("glm:inline")?;
    /// assert_eq!(inline.render_results(&results), "<tool_response>a.rs</tool_response>");
    /// assert_eq!(Dialect::GLM.render_results(&results), "<tool_response>\na.rs\n</tool_response>");
    /// # Ok::<(), toolstream::UnknownName>(())
    /// ```
    pub fn forms(&self) -> impl Iterator<Item = Dialect> {
        let built_in = matches!(self.first, Source::BuiltIn(_));
        let forms = FORMS.iter().zip(TABLES.len()..);
        let forms = forms.filter(move |(form, _)| built_in && form.dialect == self.name());
        forms.map(|(form, number)| {
            let (first, form) = match &form.table {
                None => (self.first.clone(), Some(form)),
                Some(_) => (Source::BuiltIn(number), None),
            };
            Dialect { first, form, ..self.clone() }
        })
    }

    /// The name of its form, if it is one of its [`forms`](Dialect::forms). `==` does not look at it.
    pub fn form(&self) -> Option<&'static str> {
        let reads = || match self.first {
            Source::BuiltIn(number) => Some(&FORMS[number.checked_sub(TABLES.len())?]),
            Source::Host(_) => None,
        };
        self.form.or_else(reads).map(|form| form.name)
    }

    /// How it is written, in its form; of several, the first one.
    pub(crate) fn template(&self) -> &Template {
        self.form.map_or(&self.spec().template, |form| &form.template)
    }

    /// What it is made of; of several, the first one.
    pub fn spec(&self) -> &DialectSpec {
        self.first.spec()
    }

    /// The dialects that are joined in it, in order: itself, if it is one alone.
    ///
    /// ```
    /// use toolstream::Dialect;
    ///
    /// let parts: Vec<_> = Dialect::by_name("react+hermes")?.parts().collect();
    /// assert_eq!(parts, [Dialect::REACT, Dialect::HERMES]);
    /// # Ok::<(), toolstream::UnknownName>(())
    /// ```
    pub fn parts(&self) -> impl Iterator<Item = Dialect> {
        let form = |number| if number == 0 { self.form } else { None };
        let part = move |(number, source): (usize, &Source)| Dialect {
            form: form(number),
            ..Dialect::of(source.clone())
        };
        self.sources().enumerate().map(part)
    }

    /// The second of several.
    pub fn second(&self) -> Option<Dialect> {
        self.parts().nth(1)
    }

    fn sources(&self) -> impl Iterator<Item = &Source> {
        std::iter::once(&self.first).chain(&self.others)
    }

    pub(crate) fn specs(&self) -> impl Iterator<Item = &DialectSpec> {
        self.sources().map(Source::spec)
    }

    /// Those that a host wrote. Ours need no check when a parser is built: a test checks them.
    pub(crate) fn host_specs(&self) -> impl Iterator<Item = &DialectSpec> {
        self.sources().filter(|source| matches!(source, Source::Host(_))).map(Source::spec)
    }

    pub(crate) fn ids(&self) -> Vec<TableId> {
        self.sources().map(Source::id).collect()
    }

    /// Whether these are more than a parser reads at once.
    pub(crate) fn is_too_many(&self) -> bool {
        let most = if self.grammars().is_some() { MOST } else { 2 };
        self.others.len() >= most
    }

    pub(crate) fn part(&self, number: usize) -> &DialectSpec {
        self.sources().nth(number).unwrap_or(&self.first).spec()
    }
}

/// The most dialects that a parser reads at once. The error says the number, too.
pub(crate) const MOST: usize = 64;

impl PartialEq for Source {
    fn eq(&self, other: &Source) -> bool {
        match (self, other) {
            (Source::BuiltIn(one), Source::BuiltIn(other)) => one == other,
            (Source::Host(one), Source::Host(other)) if Arc::ptr_eq(one, other) => true,
            _ => self.spec() == other.spec(),
        }
    }
}

/// What is read counts, not how it is written: see [`Dialect`].
impl PartialEq for Dialect {
    fn eq(&self, other: &Dialect) -> bool {
        (&self.first, &self.others) == (&other.first, &other.others)
    }
}

impl Eq for Dialect {}

/// By the names: equal tables have the same.
impl Hash for Dialect {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.sources().for_each(|source| source.name().hash(state));
    }
}

/// [`Dialect::by_name`].
impl FromStr for Dialect {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Dialect, UnknownName> {
        Dialect::by_name(name)
    }
}

/// A clone: [`Parser::builder`](crate::Parser::builder) takes either.
impl From<&Dialect> for Dialect {
    fn from(dialect: &Dialect) -> Dialect {
        dialect.clone()
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        self.form.map_or(Ok(()), |form| write!(f, ":{}", form.name))?;
        self.others.iter().try_for_each(|other| write!(f, "+{}", other.name()))
    }
}

impl fmt::Debug for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Dialect({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Parser, Tool};

    fn host(name: &'static str) -> (Dialect, Weak<DialectSpec>) {
        let dialect = Dialect::new(DialectSpec { name: name.into(), ..xml::code_assistant() });
        let Source::Host(table) = &dialect.first else { panic!("a host's own") };
        let table = Arc::downgrade(table);
        (dialect, table)
    }

    #[test]
    fn a_name_is_that_of_the_table() {
        for dialect in Dialect::ALL {
            assert_eq!(dialect.name(), dialect.spec().name);
        }
    }

    #[test]
    fn compared_by_what_they_read() {
        let hash = |dialect: &Dialect| {
            let mut hasher = std::hash::DefaultHasher::new();
            dialect.hash(&mut hasher);
            hasher.finish()
        };
        let ([(one, _), (same, _)], (other, _)) = (["mine", "mine"].map(host), host("other"));
        let both = Dialect::CLINE.and(Dialect::GLM);
        let equal = [
            (Dialect::by_name("cline").unwrap(), Dialect::CLINE),
            (one.clone(), one.clone()),
            (one.clone(), same),
            (Dialect::CLINE.and(Dialect::GLM), both.clone()),
        ];
        for (one, other) in equal {
            assert_eq!((&one, hash(&one)), (&other, hash(&other)));
        }
        let different = [
            (Dialect::CLINE, Dialect::GLM),
            (one.clone(), other),
            (one, Dialect::CODE_ASSISTANT),
            (both.clone(), Dialect::CLINE),
            (both.clone(), Dialect::GLM.and(Dialect::CLINE)),
            (both.clone(), Dialect::CLINE.and(Dialect::HERMES)),
        ];
        for (one, other) in different {
            assert_ne!(one, other);
            assert_ne!(hash(&one), hash(&other), "{one:?} {other:?}");
        }
        assert_eq!(format!("{both:?}"), "Dialect(cline+glm)");
        assert_eq!([0, 1].map(|number| &*both.part(number).name), ["cline", "glm"]);
        assert_eq!(Dialect::CLINE.part(1).name, "cline");
        // A form of another table is a dialect by itself, without a form of its own.
        let forms: Vec<String> =
            Dialect::LLAMA3_JSON.forms().map(|form| form.to_string()).collect();
        assert!(forms.iter().all(|form| form.starts_with("llama3-json:")), "{forms:?}");
    }

    #[test]
    fn a_hosts_table_goes_with_the_last_that_has_it() {
        let ((one, one_left), (other, other_left)) = (host("one"), host("other"));
        let parsers: Vec<Parser> = [
            one.clone(),
            one.clone().and(Dialect::HERMES),
            Dialect::HERMES.and(one.clone()),
            one.clone().and(other.clone()),
            other.clone().and(one.clone()),
        ]
        .map(|dialect| Parser::builder(dialect).tool(Tool::new("list")).build().expect("a parser"))
        .into();
        drop((one, other));
        assert!(one_left.upgrade().is_some() && other_left.upgrade().is_some());
        drop(parsers);
        assert!(one_left.upgrade().is_none() && other_left.upgrade().is_none());
    }

    #[test]
    fn equal_tables_are_equal_dialects() {
        let dialect = |name: &str| {
            let name = name.to_string().into();
            Dialect::new(DialectSpec { name, ..xml::cline() })
        };
        assert_eq!(dialect("cline"), Dialect::CLINE);
        assert_ne!(dialect("clime"), Dialect::CLINE);
        assert_eq!(dialect("a").and(Dialect::GLM), dialect("a").and(Dialect::GLM));
        assert_ne!(dialect("a").and(Dialect::GLM), dialect("a").and(dialect("a")));
        let three = Dialect::GLM.and(Dialect::REACT).and(Dialect::HERMES);
        assert_ne!(three, Dialect::GLM.and(Dialect::REACT));
        // What changes in a dialect is what is compiled of it, which its hash does not look at.
        #[allow(clippy::mutable_key_type)]
        let all: std::collections::HashSet<Dialect> = Dialect::ALL.iter().cloned().collect();
        assert_eq!(all.len(), Dialect::ALL.len());
        assert!(all.contains(&dialect("cline")));
    }

    #[test]
    fn a_form_is_the_same_dialect() {
        let inline = Dialect::by_name("glm:inline").expect("a form");
        assert_eq!((inline.form(), Dialect::GLM.form()), (Some("inline"), None));
        assert_eq!(inline, Dialect::GLM);
        assert_eq!(Dialect::for_model("glm-4.7").expect("a family").dialect, Dialect::GLM);
        assert_ne!(inline, Dialect::LONGCAT);
        assert_ne!(inline, Dialect::GLM.and(Dialect::REACT));
        #[allow(clippy::mutable_key_type)]
        let both = std::collections::HashSet::from([inline, Dialect::GLM]);
        assert_eq!(both.len(), 1);
    }
}
