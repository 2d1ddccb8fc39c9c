//! [`Tables`]: a parser's dialect, the declared tools, and the options.

use crate::dialect::Dialect;
use crate::dialect::facts::Facts;
#[cfg(feature = "json")]
use crate::dialect::facts::Framing;
use crate::error::{BuildError, BuildProblem};
use crate::next_call::LimitBy;
#[cfg(feature = "json")]
use crate::options::ValueWhitespace;
use crate::options::{CallsInReasoning, Options, bounds};
#[cfg(feature = "json")]
use crate::read::ids::PartNumber;
use crate::read::machine;
use crate::read::tools::Tools;
use crate::tool::Tool;
#[cfg(feature = "json")]
use crate::write::Markers;
#[cfg(feature = "json")]
use std::sync::OnceLock;

/// Everything about a parser that does not change while it reads.
#[derive(Clone, Debug)]
pub(crate) struct Tables {
    pub dialect: Dialect,
    pub options: Options,
    pub tools: Vec<Tool>,
    pub names: Tools,
    pub diff_params: Vec<String>,
    /// The function that is asked for each call.
    pub limit_by: Option<LimitBy>,
    /// The grammars of the dialects.
    pub reads: machine::Reads,
    /// Calls in reasoning count.
    extract: bool,
    /// The markers that are broken up in foreign text, collected once they are needed.
    #[cfg(feature = "json")]
    markers: OnceLock<Box<Markers>>,
}

impl Tables {
    pub fn new(dialect: Dialect, tools: Vec<Tool>, options: Options) -> Result<Self, BuildError> {
        let names = Tools::new(&tools);
        check(&dialect, &tools, &names, &options)?;
        let own = || dialect.all_facts().flat_map(|facts| facts.diff_params.iter());
        let diff_params = options
            .diff_params
            .clone()
            .unwrap_or_else(|| own().map(|name| name.to_string()).collect());
        let reads = machine::Reads::new(dialect.grammars().cloned().collect());
        let own = dialect.facts().calls_in_reasoning;
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
            #[cfg(feature = "json")]
            markers: OnceLock::new(),
        })
    }

    /// Returns everything that the machine reads with.
    #[inline]
    pub fn setup(&self) -> machine::Setup<'_> {
        machine::Setup {
            reads: &self.reads,
            tools: &self.names,
            list: &self.tools,
            options: &self.options,
            extract: self.extract,
        }
    }

    #[cfg(feature = "json")]
    pub fn markers(&self) -> &Markers {
        let new = || Box::new(Markers::new(&self.dialect, &self.tools, &self.options));
        self.markers.get_or_init(new)
    }

    #[cfg(feature = "json")]
    /// Returns the facts of the dialect of this number.
    pub fn facts(&self, part: PartNumber) -> &Facts {
        self.dialect.part(part as usize)
    }

    #[cfg(feature = "json")]
    /// Returns the grammar of the dialect of this number. Calls of a provider's adapter have the grammar of
    /// the first.
    pub fn grammar(&self, part: PartNumber) -> &machine::Grammar {
        let grammars = &self.reads.grammars;
        grammars.get(usize::from(part)).unwrap_or(&grammars[0])
    }

    /// Returns the declared tool with this name.
    #[cfg(feature = "json")]
    pub fn tool(&self, name: &str) -> Option<&Tool> {
        self.tools.get(usize::from(self.tool_named(name)?))
    }

    /// Returns the number of the declared tool with this name.
    #[cfg(feature = "json")]
    pub fn tool_named(&self, name: &str) -> Option<u16> {
        self.names.names.find([name, ""])
    }

    #[cfg(feature = "json")]
    /// Returns the declared parameter that `name` feeds: its own name, or the singular of a list's name.
    pub fn param_number(&self, part: PartNumber, tool: u16, name: &str) -> Option<u16> {
        let names = self.names.params(tool);
        let list = |param: &u16| self.is_list(part, tool, *param);
        names.find([name, ""]).or_else(|| names.find([name, "s"]).filter(list))
    }

    #[cfg(feature = "json")]
    /// Whether a parameter may be repeated, once for each element of its list.
    pub fn is_list(&self, part: PartNumber, tool: u16, param: u16) -> bool {
        let param = self.tools.get(tool as usize).and_then(|tool| tool.params.get(param as usize));
        self.grammar(part).singulars && param.is_some_and(|param| param.is_list())
    }

    #[cfg(feature = "json")]
    /// Whether a type on the wire decides how the value of a parameter is read, although the schema comes
    /// first. It does if the schema has no types, or if it is one of several.
    pub fn leaves_to_wire(&self, tool: u16, param: Option<u16>, word: &str) -> bool {
        let tool = self.tools.get(tool as usize);
        let param = tool.zip(param).and_then(|(tool, param)| tool.params.get(param as usize));
        param.is_none_or(|param| param.leaves_to_wire(word))
    }

    /// Returns the white space of this parameter's values that belongs to the dialect.
    #[cfg(feature = "json")]
    pub fn framing(&self, part: PartNumber, param: &str) -> Framing {
        let own = self.grammar(part).raw.as_ref();
        let host = || self.options.raw_params.iter().any(|name| name == param);
        let raw = own.is_some_and(|(_, names)| names.iter().any(|name| **name == *param) || host());
        match self.options.value_whitespace {
            ValueWhitespace::Verbatim => Framing::None,
            _ => self.facts(part).framing[usize::from(raw)],
        }
    }
}

/// Most keywords of the answer, and most words of one.
const KEYWORDS: usize = 32;
const WORDS: usize = 8;

/// Checks that the configuration makes sense.
fn check(
    dialect: &Dialect,
    tools: &[Tool],
    names: &Tools,
    options: &Options,
) -> Result<(), BuildProblem> {
    if dialect.is_too_many() {
        return Err(BuildProblem::TooManyDialects { dialect: dialect.to_string() });
    }
    answer_keywords(options.answer_keywords.as_deref().unwrap_or_default())?;
    if options.tool_limit == Some(0) {
        return Err(BuildProblem::ToolLimitZero);
    }
    check_count(tools.len())?;
    if let Some(name) = names.names.duplicate() {
        return Err(BuildProblem::DuplicateTool { name: name.to_string() });
    }
    // Of `Dialect::any` nobody asks for one dialect: a name that it cannot write is read in the others.
    let tags = dialect.all_facts().find(|facts| facts.tag_names).filter(|_| !dialect.has_any());
    if let (true, Some(facts)) = (tools.is_empty(), tags) {
        return Err(BuildProblem::NeedsTools { dialect: facts.name.to_string() });
    }
    for (tool, number) in tools.iter().zip(0..) {
        check_name(dialect, tags, &tool.name)?;
        check_count(tool.params.len())?;
        if let Some(name) = names.params(number).duplicate() {
            let (tool, name) = (tool.name.clone(), name.to_string());
            return Err(BuildProblem::DuplicateParameter { tool, name });
        }
        tool.params.iter().try_for_each(|param| check_name(dialect, tags, &param.name))?;
    }
    Ok(())
}

/// Checks that these may be keywords: few, and short.
fn answer_keywords(keywords: &[String]) -> Result<(), BuildProblem> {
    let some = keywords.iter().filter(|keyword| !keyword.trim_ascii().is_empty());
    for (number, keyword) in some.enumerate() {
        let words: Vec<&str> = keyword.split_ascii_whitespace().collect();
        let longest = words.iter().map(|word| word.len()).max().unwrap_or_default();
        let counts = [(number + 1, KEYWORDS), (longest, bounds::NAME), (words.len(), WORDS)];
        if let Some((count, most)) = counts.into_iter().find(|(count, most)| count > most) {
            let problem = format!("{count} are too many: there may be {most}");
            return Err(BuildProblem::AnswerKeyword { keyword: keyword.clone(), problem });
        }
    }
    Ok(())
}

fn check_count(count: usize) -> Result<(), BuildProblem> {
    if count < u16::MAX as usize { Ok(()) } else { Err(BuildProblem::TooMany { count }) }
}

fn check_name(dialect: &Dialect, tags: Option<&Facts>, name: &str) -> Result<(), BuildProblem> {
    if name.is_empty() {
        return Err(BuildProblem::EmptyName);
    }
    if name.len() > bounds::NAME {
        return Err(BuildProblem::NameTooLong { name: name.to_string() });
    }
    // Only a dialect whose names are tags forbids names. The tags in the way may be another dialect's.
    let Some(tags) = tags else { return Ok(()) };
    let no_tag = name.contains(['<', '>', '/', ' ', '\t', '\r', '\n']);
    if no_tag || dialect.grammars().any(|grammar| grammar.has_tag(name)) {
        let (name, dialect) = (name.to_string(), tags.name.to_string());
        return Err(BuildProblem::BadName { name, dialect });
    }
    Ok(())
}
