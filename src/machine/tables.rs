//! What a parser is made from: its dialect's [`Grammar`], which is shared, the host's tools, and the
//! options.

#[cfg(feature = "json")]
use std::sync::OnceLock;
use std::sync::{Arc, LazyLock};

use crate::dialect::Dialect;
use crate::dialect::check as spec_check;
use crate::dialect::spec::{DialectSpec, Framing, Piece};
#[cfg(feature = "json")]
use crate::dialect::spec::{Lines, Literals};
use crate::error::{BuildError, BuildProblem};
use crate::machine::grammar::Grammar;
use crate::machine::ids::PartNumber;
use crate::machine::known::KnownMarkers;
use crate::machine::tools::Tools;
use crate::next_call::LimitBy;
use crate::options::{CallsInReasoning, Options, ValueWhitespace, bounds};
use crate::read::machine;
use crate::tool::{Tool, Type};
#[cfg(feature = "json")]
use crate::write::Markers;

/// The empty grammar of rules, for dialects that readers read.
static NO_GRAMMAR: LazyLock<Arc<Grammar>> = LazyLock::new(Default::default);

/// Everything about a parser that does not change while it reads.
#[derive(Clone, Debug)]
pub(crate) struct Tables {
    pub dialect: Dialect,
    pub options: Options,
    pub tools: Vec<Tool>,
    pub names: Tools,
    pub diff_params: Vec<String>,
    /// Asked for each call.
    pub limit_by: Option<LimitBy>,
    /// The compiled rules, for a dialect that readers do not read.
    pub grammar: Arc<Grammar>,
    /// The grammars of the dialects, if readers read them.
    pub reads: Option<machine::Reads>,
    /// There, calls in reasoning count.
    extract: bool,
    /// Markers that any of its parsers has read.
    pub known: KnownMarkers,
    /// What is broken up in what others wrote: once it is asked for.
    #[cfg(feature = "json")]
    markers: OnceLock<Box<Markers>>,
}

impl Tables {
    pub fn new(dialect: Dialect, tools: Vec<Tool>, options: Options) -> Result<Self, BuildError> {
        let names = Tools::new(&tools);
        check(&dialect, &tools, &names, &options)?;
        let own = || dialect.specs().flat_map(|spec| spec.diff_params.iter());
        let diff_params = options
            .diff_params
            .clone()
            .unwrap_or_else(|| own().map(|name| name.to_string()).collect());
        let reads = dialect.grammars().map(machine::Reads::new);
        let grammar = match &reads {
            Some(_) => NO_GRAMMAR.clone(),
            None => Grammar::shared(&dialect, &options),
        };
        let own = dialect.spec().calls_in_reasoning;
        let reasoning = options.calls_in_reasoning.unwrap_or(own);
        Ok(Tables {
            reads,
            extract: reasoning == CallsInReasoning::Extract,
            dialect,
            options,
            tools,
            names,
            diff_params,
            limit_by: None,
            grammar,
            known: KnownMarkers::default(),
            #[cfg(feature = "json")]
            markers: OnceLock::new(),
        })
    }

    /// The setup of readers, for a dialect that they read.
    #[inline]
    pub fn setup(&self) -> Option<machine::Setup<'_>> {
        self.reads.as_ref().map(|reads| machine::Setup {
            reads,
            tools: &self.names,
            list: &self.tools,
            options: &self.options,
            extract: self.extract,
        })
    }

    #[cfg(feature = "json")]
    pub fn markers(&self) -> &Markers {
        let new = || Box::new(Markers::new(&self.dialect, &self.tools, &self.options));
        self.markers.get_or_init(new)
    }

    /// The dialect of this number.
    pub fn spec(&self, part: PartNumber) -> &DialectSpec {
        self.dialect.part(part as usize)
    }

    /// How a dialect writes its parameters, if it does so as literals.
    #[cfg(feature = "json")]
    pub fn literals(&self, part: PartNumber) -> Option<&Literals> {
        self.spec(part).bodies.iter().find_map(|body| body.gives.literals())
    }

    /// What a dialect of lines tolerates, if this one is.
    #[cfg(feature = "json")]
    pub fn lines(&self, part: PartNumber) -> Option<&Lines> {
        let spec = self.spec(part);
        spec.has_lines().then_some(&spec.lines)
    }

    /// The declared tool of this name.
    #[cfg(feature = "json")]
    pub fn tool(&self, name: &str) -> Option<&Tool> {
        self.tools.get(usize::from(self.tool_named(name)?))
    }

    /// Its number.
    #[cfg(feature = "json")]
    pub fn tool_named(&self, name: &str) -> Option<u16> {
        self.names.names.find([name, ""])
    }

    /// The declared parameter that `name` feeds: its own, or the list that it is the singular of.
    pub fn param_number(&self, part: PartNumber, tool: u16, name: &str) -> Option<u16> {
        let names = self.names.params(tool);
        let list = |param: &u16| self.is_list(part, tool, *param);
        names.find([name, ""]).or_else(|| names.find([name, "s"]).filter(list))
    }

    /// Whether a parameter may be repeated: each time is one element of the list.
    pub fn is_list(&self, part: PartNumber, tool: u16, param: u16) -> bool {
        let param = self.tools.get(tool as usize).and_then(|tool| tool.params.get(param as usize));
        self.spec(part).singulars && param.is_some_and(|param| param.is_list())
    }

    /// Whether the schema of a parameter is there and allows neither an object nor a list.
    pub fn is_scalar(&self, part: PartNumber, tool: u16, param: &str) -> bool {
        let number = self.param_number(part, tool, param);
        let tool = self.tools.get(tool as usize);
        let param = tool.zip(number).and_then(|(tool, number)| tool.params.get(number as usize));
        let nests = |of: &Type| matches!(of, Type::Object | Type::Array);
        param.is_some_and(|param| !param.types.is_empty() && !param.types.iter().any(nests))
    }

    /// Whether a type on the wire, of this name, decides how the value of a parameter is read, where the
    /// schema comes first: it has no types, or several, and this is one of them.
    pub fn leaves_to_wire(&self, tool: u16, param: Option<u16>, word: &str) -> bool {
        let tool = self.tools.get(tool as usize);
        let param = tool.zip(param).and_then(|(tool, param)| tool.params.get(param as usize));
        param.is_none_or(|param| param.leaves_to_wire(word))
    }

    /// The parameter that a plain text input feeds: the only one that the tool requires, or, if it
    /// requires none, its only one.
    pub fn plain_param(&self, part: PartNumber, tool: u16) -> Option<&str> {
        let Some(tool) = self.tools.get(tool as usize) else {
            return Some(&self.spec(part).input.0);
        };
        let mut required = tool.params.iter().filter(|param| param.required);
        let one = match (required.next(), required.next(), &*tool.params) {
            (Some(one), None, _) | (None, _, [one]) => Some(one),
            _ => None,
        };
        one.map(|param| &*param.name)
    }

    /// Which of the dialect's values the parameter is, if it is raw whatever its opener says.
    pub fn raw_kind(&self, part: PartNumber, param: &str) -> Option<u8> {
        let spec = self.spec(part);
        let raw = spec.raw_params.iter().any(|name| name == param)
            || self.options.raw_params.iter().any(|name| name == param);
        spec.raw.filter(|_| raw)
    }

    /// The white space of a value that is the dialect's own, by the kind of the value in its dialect.
    #[cfg(feature = "json")]
    pub fn framing(&self, part: PartNumber, kind: u8) -> Framing {
        let framing = self.spec(part).values.get(usize::from(kind)).map(|of| of.framing);
        self.framing_of(framing.unwrap_or(Framing::None))
    }

    /// The same for the rules' machine, which numbers the kinds of both dialects.
    pub fn framing_by_rules(&self, kind: u8) -> Framing {
        let framing = self.grammar.values.get(usize::from(kind)).map(|of| of.framing);
        self.framing_of(framing.unwrap_or(Framing::None))
    }

    fn framing_of(&self, framing: Framing) -> Framing {
        let verbatim =
            self.options.value_whitespace == ValueWhitespace::Verbatim && framing != Framing::White;
        if verbatim { Framing::None } else { framing }
    }
}

/// Whether the configuration makes sense.
fn check(
    dialect: &Dialect,
    tools: &[Tool],
    names: &Tools,
    options: &Options,
) -> Result<(), BuildProblem> {
    if dialect.is_too_many() {
        return Err(BuildProblem::TooManyDialects { dialect: dialect.to_string() });
    }
    dialect.host_specs().try_for_each(spec_check::check)?;
    spec_check::answer_keywords(options.answer_keywords.as_deref().unwrap_or_default())?;
    if options.tool_limit == Some(0) {
        return Err(BuildProblem::ToolLimitZero);
    }
    check_count(tools.len())?;
    if let Some(name) = names.names.duplicate() {
        return Err(BuildProblem::DuplicateTool { name: name.to_string() });
    }
    let tags: Vec<&DialectSpec> = dialect.specs().filter(|spec| spec.tag_names).collect();
    if let (true, Some(spec)) = (tools.is_empty(), tags.first()) {
        return Err(BuildProblem::NeedsTools { dialect: spec.name.to_string() });
    }
    for (tool, number) in tools.iter().zip(0..) {
        check_name(dialect, &tool.name)?;
        check_count(tool.params.len())?;
        if let Some(name) = names.params(number).duplicate() {
            let (tool, name) = (tool.name.clone(), name.to_string());
            return Err(BuildProblem::DuplicateParameter { tool, name });
        }
        tool.params.iter().try_for_each(|param| check_name(dialect, &param.name))?;
    }
    Ok(())
}

fn check_count(count: usize) -> Result<(), BuildProblem> {
    if count < u16::MAX as usize { Ok(()) } else { Err(BuildProblem::TooMany { count }) }
}

fn check_name(dialect: &Dialect, name: &str) -> Result<(), BuildProblem> {
    if name.is_empty() {
        return Err(BuildProblem::EmptyName);
    }
    if name.len() > bounds::NAME {
        return Err(BuildProblem::NameTooLong { name: name.to_string() });
    }
    // The rule is that of the dialect whose names are tags; the tags in the way may be the other's.
    let Some(tags) = dialect.specs().find(|spec| spec.tag_names) else {
        return Ok(());
    };
    let no_tag = name.contains(['<', '>', '/', ' ', '\t', '\r', '\n']);
    if no_tag || dialect.specs().any(|spec| is_own_tag(spec, name)) {
        let (name, dialect) = (name.to_string(), tags.name.to_string());
        return Err(BuildProblem::BadName { name, dialect });
    }
    Ok(())
}

/// Whether the dialect has a tag of this name in its text.
fn is_own_tag(spec: &DialectSpec, name: &str) -> bool {
    let tag = |text: &str| {
        let inside = text.strip_prefix('<').and_then(|text| text.strip_suffix('>'));
        inside.is_some_and(|inside| inside.strip_prefix('/').unwrap_or(inside) == name)
    };
    let rules = spec.prose.iter().flat_map(|kind| &kind.rules);
    rules.flat_map(|rule| &rule.mark).flat_map(Piece::texts).any(|text| tag(text))
}
