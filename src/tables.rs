//! A dialect, the host's tools and the options, compiled once and shared by every clone.

use crate::dialect::Dialect;
use crate::dialect::check as spec_check;
use crate::dialect::spec::{
    Act, Between, DialectSpec, Framing, List, NameRule, Only, Opening, Pattern, Piece, Rule,
};
use crate::error::BuildError;
use crate::machine::keyword::LineTable;
use crate::machine::pattern::{Run, Step, Surroundings, UNKNOWN};
use crate::machine::scan::Scanner;
use crate::machine::view::View;
use crate::names::Names;
use crate::options::{CallsInReasoning, Options, Start, ValueWhitespace, bounds};
use crate::tool::Tool;

/// Everything about a parser that does not change while it reads.
#[derive(Clone, Debug)]
pub(crate) struct Tables {
    pub dialect: Dialect,
    pub options: Options,
    pub tools: Vec<Tool>,
    pub tool_names: Names,
    /// The parameters of each tool.
    params: Vec<Names>,
    none: Names,
    /// The boundary tokens of each dialect.
    pub boundaries: Vec<Names>,
    /// The keys of a call in a JSON body.
    pub call_keys: Names,
    pub diff_params: Vec<String>,
    pub text: StateTable,
    pub reasoning: StateTable,
    /// Those of all dialects, one after the other; so are `calls` and `values`.
    pub sections: Vec<SectionTable>,
    pub calls: Vec<StateTable>,
    pub values: Vec<ValueTable>,
    /// What ends a JSON body before its time, by dialect.
    pub bodies: Vec<StateTable>,
    /// Where the tables of each dialect begin.
    parts: Vec<Part>,
    /// The keyword lines.
    pub lines: Option<LineTable>,
    /// Of a state in which nothing counts.
    pub nothing: StateTable,
}

/// A parser reads one dialect or two: which one a rule, a section or a call belongs to.
pub(crate) type PartNumber = u8;

/// Where the tables of a dialect begin.
#[derive(Clone, Copy, Debug, Default)]
struct Part {
    section: u8,
    call: u8,
    value: u8,
}

/// What counts in a section, and what may stand between its calls.
#[derive(Clone, Debug)]
pub(crate) struct SectionTable {
    pub state: StateTable,
    pub between: Between,
    pub part: PartNumber,
}

/// What counts in one state of the machine.
#[derive(Clone, Debug, Default)]
pub(crate) struct StateTable {
    pub rules: Vec<Rule>,
    pub scanner: Scanner,
    /// Behind each head: the rules that it may begin, read as far as the head goes.
    pub begun: Vec<Begun>,
    /// All rules, before their first byte.
    pub fresh: Begun,
}

/// The rules that a head may begin.
#[derive(Clone, Debug, Default)]
pub(crate) struct Begun {
    /// In the order of the table; the head may be the whole marker.
    pub runs: Vec<Run>,
    /// Nothing has to be remembered of them if the next character rules all of them out.
    pub quiet: bool,
}

/// What counts in a value, and what of its white space is framing.
#[derive(Clone, Debug)]
pub(crate) struct ValueTable {
    pub state: StateTable,
    /// One line break at each end is markup.
    pub line_breaks: bool,
    /// `Message` trims both ends.
    #[cfg_attr(not(feature = "json"), expect(dead_code, reason = "only `Message` asks"))]
    pub trimmed: bool,
}

impl Tables {
    pub fn new(dialect: Dialect, tools: Vec<Tool>, options: Options) -> Result<Self, BuildError> {
        check(&dialect, &tools, &options)?;
        let own = || dialect.specs().flat_map(|spec| spec.diff_params.iter());
        let mut tables = Tables {
            tool_names: Names::new(tools.iter().map(|tool| &*tool.name)),
            params: tools
                .iter()
                .map(|tool| Names::new(tool.params.iter().map(|param| &*param.name)))
                .collect(),
            none: Names::default(),
            boundaries: dialect
                .specs()
                .map(|spec| Names::new(spec.boundary.iter().map(|token| &**token)))
                .collect(),
            call_keys: Names::new(crate::machine::json::keys()),
            diff_params: options
                .diff_params
                .clone()
                .unwrap_or_else(|| own().map(|name| name.to_string()).collect()),
            text: StateTable::default(),
            reasoning: StateTable::default(),
            sections: Vec::new(),
            calls: Vec::new(),
            values: Vec::new(),
            bodies: Vec::new(),
            parts: Vec::new(),
            lines: None,
            nothing: StateTable::default(),
            dialect,
            options,
            tools,
        };
        for (spec, number) in dialect.specs().zip(0..) {
            tables.add(spec, number)?;
        }
        tables.text = tables.joined(text_rules)?;
        let options = tables.options.clone();
        tables.reasoning = tables.joined(|spec| reasoning_rules(spec, &options))?;
        Ok(tables)
    }

    /// Compiles the states of a dialect in which its own markers alone count.
    fn add(&mut self, spec: &DialectSpec, number: PartNumber) -> Result<(), BuildError> {
        let len = |of: usize| u8::try_from(of).map_err(|_| BuildError::TooMany { count: of });
        let part = Part {
            section: len(self.sections.len())?,
            call: len(self.calls.len())?,
            value: len(self.values.len())?,
        };
        self.parts.push(part);
        let verbatim = self.options.value_whitespace == ValueWhitespace::Verbatim;
        for kind in spec.sections.iter() {
            let state = self.state(&kind.rules, part)?;
            self.sections.push(SectionTable { state, between: kind.between, part: number });
        }
        for rules in spec.calls.iter() {
            self.calls.push(self.state(rules, part)?);
        }
        for kind in spec.values.iter() {
            self.values.push(ValueTable {
                state: self.state(&kind.rules, part)?,
                line_breaks: kind.framing == Framing::LineBreak && !verbatim,
                trimmed: kind.framing == Framing::Trimmed && !verbatim,
            });
        }
        self.bodies.push(self.state(&spec.body, part)?);
        if let Some(lines) = &spec.lines {
            self.lines = Some(LineTable::new(lines, &self.options, number));
        }
        Ok(())
    }

    fn state(&self, rules: &[Rule], part: Part) -> Result<StateTable, BuildError> {
        let rules: Vec<Rule> = rules.iter().map(|rule| part.shifted(rule)).collect();
        let first = rules.len();
        StateTable::new(self, rules, first)
    }

    /// A state in which the rules of all dialects count.
    fn joined(&self, rules: impl Fn(&DialectSpec) -> Vec<Rule>) -> Result<StateTable, BuildError> {
        let of_part = |(spec, part): (&DialectSpec, &Part)| {
            rules(spec).iter().map(|rule| part.shifted(rule)).collect::<Vec<_>>()
        };
        let lists: Vec<Vec<Rule>> = self.dialect.specs().zip(&self.parts).map(of_part).collect();
        let first = lists.first().map_or(0, Vec::len);
        StateTable::new(self, lists.concat(), first)
    }

    /// The first of a dialect's kinds of values.
    #[cfg(feature = "json")]
    pub fn first_value(&self, part: PartNumber) -> u8 {
        self.parts[part as usize].value
    }

    /// The dialect of this number.
    pub fn spec(&self, part: PartNumber) -> &DialectSpec {
        self.dialect.part(part as usize)
    }

    /// The names of a tool's parameters; none for an unknown tool.
    pub fn param_names(&self, tool: u16) -> &Names {
        self.params.get(tool as usize).unwrap_or(&self.none)
    }

    /// The number of the tool whose name's two halves these are, or [`UNKNOWN`].
    pub fn tool_number(&self, halves: [&str; 2]) -> u16 {
        self.tool_names.find(halves).unwrap_or(UNKNOWN)
    }

    /// The declared parameter that `name` feeds: its own, or the list that it is the singular of.
    pub fn param_number(&self, part: PartNumber, tool: u16, name: &str) -> Option<u16> {
        let names = self.param_names(tool);
        let list = |param: &u16| self.is_list(part, tool, *param);
        names.find([name, ""]).or_else(|| names.find([name, "s"]).filter(list))
    }

    /// Whether a parameter may be repeated: each time is one element of the list.
    pub fn is_list(&self, part: PartNumber, tool: u16, param: u16) -> bool {
        let param = self.tools.get(tool as usize).and_then(|tool| tool.params.get(param as usize));
        self.spec(part).lists && param.is_some_and(|param| param.is_list())
    }

    /// The parameter that a plain text input feeds: the only one that the tool requires, or, if it
    /// requires none, its only one.
    pub fn plain_param(&self, tool: u16) -> Option<&str> {
        let Some(tool) = self.tools.get(tool as usize) else {
            return self.lines.as_ref().map(|lines| &*lines.spec.input);
        };
        let mut required = tool.params.iter().filter(|param| param.required);
        let one = match (required.next(), required.next(), &*tool.params) {
            (Some(one), None, _) | (None, _, [one]) => Some(one),
            _ => None,
        };
        one.map(|param| &*param.name)
    }

    /// Which of `values` the parameter is, if its opener says `kind`.
    pub fn value_kind(&self, part: PartNumber, param: &str, kind: u8) -> u8 {
        let spec = self.spec(part);
        let raw = spec.raw_params.iter().any(|name| name == param)
            || self.options.raw_params.iter().any(|name| name == param);
        let first = self.parts[part as usize].value;
        spec.raw.filter(|_| raw).map_or(kind, |raw| first + raw)
    }
}

impl Part {
    /// The rule with the numbers that its kinds have in the joined tables.
    fn shifted(&self, rule: &Rule) -> Rule {
        let act = match rule.act {
            Act::OpenSection(kind) => Act::OpenSection(self.section + kind),
            Act::OpenArguments(kind) => Act::OpenArguments(self.section + kind),
            Act::SectionGoesOn(kind) => Act::SectionGoesOn(self.section + kind),
            Act::SectionGoesOnBefore(kind) => Act::SectionGoesOnBefore(self.section + kind),
            Act::OpenCall(opening) => {
                Act::OpenCall(Opening { kind: self.call + opening.kind, ..opening })
            }
            Act::OpenParam(kind) => Act::OpenParam(self.value + kind),
            Act::OpenOddParam(kind) => Act::OpenOddParam(self.value + kind),
            Act::OpenValue(kind) => Act::OpenValue(self.value + kind),
            act => act,
        };
        Rule { act, ..rule.clone() }
    }
}

impl StateTable {
    /// The first `first` rules are the first dialect's, the others the second's.
    fn new(tables: &Tables, rules: Vec<Rule>, first: usize) -> Result<Self, BuildError> {
        let mut heads: Vec<String> =
            rules.iter().flat_map(|rule| heads(&rule.mark, &tables.tool_names)).collect();
        heads.sort();
        // Behind a prefix of it, a head comes last: one of them is enough to begin both rules.
        heads.dedup_by(|longer, head| longer.starts_with(&*head));
        let part = |rule: usize| PartNumber::from(rule >= first);
        let fresh = |rule: usize| Run::new(rule, part(rule));
        let begun: Vec<Begun> =
            heads.iter().map(|head| begin(tables, &rules, head, fresh)).collect();
        let anywhere = |run: &Run| rules[run.rule as usize].only == Only::Anywhere;
        let sure: Vec<bool> = begun.iter().map(|begun| begun.runs.iter().any(anywhere)).collect();
        let scanner = Scanner::new(heads, &sure)
            .map_err(|error| BuildError::Tables { reason: error.to_string() })?;
        let fresh = Begun { runs: (0..rules.len()).map(fresh).collect(), quiet: false };
        Ok(StateTable { rules, scanner, begun, fresh })
    }
}

/// The texts that a marker can begin with: its pieces up to the first that is not known yet.
fn heads(mark: &Pattern, tools: &Names) -> Vec<String> {
    let mut heads = vec![String::new()];
    for piece in mark.iter() {
        match piece {
            Piece::Lit(text) => heads.iter_mut().for_each(|head| head.push_str(text)),
            Piece::Tool => {
                let with = |head: String| tools.iter().map(move |name| head.clone() + name);
                heads = heads.into_iter().flat_map(with).collect();
            }
            _ => break,
        }
    }
    heads
}

/// Reads a head with every rule of the state.
fn begin(tables: &Tables, rules: &[Rule], head: &str, fresh: impl Fn(usize) -> Run) -> Begun {
    let around = Surroundings {
        tables,
        rules,
        view: View { held: "", chunk: head, base: 0 },
        start: 0,
        call_name: "",
        param_name: "",
        given: &[],
    };
    let mut begun = Begun::default();
    for number in 0..rules.len() {
        let mut run = fresh(number);
        let (read, step) = run.read(head, 0, &around);
        if step == Step::Live || step == Step::Whole && read == head.len() {
            begun.runs.push(run);
        }
    }
    let plain = |run: &Run| !run.is_whole(&rules[run.rule as usize]);
    begun.quiet = begun.runs.iter().all(|run| plain(run) && rules[run.rule as usize].fixed == 0);
    begun
}

/// The dialect's rules for text, and the reasoning tags.
fn text_rules(spec: &DialectSpec) -> Vec<Rule> {
    let mut rules = spec.text.to_vec();
    rules.extend(tags(&spec.reasoning_openers, Only::LineStart, Act::OpenReasoning));
    rules.extend(tags(&spec.reasoning_closers, Only::Anywhere, Act::OrphanReasoning));
    rules.extend(tags(&spec.boundary, Only::Anywhere, Act::Markup));
    rules
}

/// The reasoning closers and, where calls count in reasoning, the openers of calls (but not those
/// that recover a missing section).
fn reasoning_rules(spec: &DialectSpec, options: &Options) -> Vec<Rule> {
    let calls = options.calls_in_reasoning.unwrap_or(spec.calls_in_reasoning);
    let mut rules: Vec<Rule> = Vec::new();
    if calls == CallsInReasoning::Extract {
        let counts = |rule: &&Rule| match rule.act {
            Act::OpenSection(_) | Act::SpareOpener => true,
            Act::OpenCall(opening) => !opening.bare,
            act => act == Act::Markup && !rule.follow.is_empty(),
        };
        rules.extend(spec.text.iter().filter(counts).cloned());
    }
    rules.extend(tags(&spec.reasoning_closers, Only::Anywhere, Act::CloseReasoning));
    if options.start == Start::Reasoning {
        rules.extend(tags(&spec.reasoning_openers, Only::StreamStart, Act::Markup));
    }
    rules
}

/// Tags that count by themselves.
fn tags(
    literals: &List<std::borrow::Cow<'static, str>>,
    only: Only,
    act: Act,
) -> impl Iterator<Item = Rule> {
    literals.iter().map(move |literal| Rule {
        mark: vec![Piece::Lit(literal.clone())].into(),
        only,
        ..Rule::plain(act)
    })
}

/// Whether the configuration makes sense.
fn check(dialect: &Dialect, tools: &[Tool], options: &Options) -> Result<(), BuildError> {
    if dialect.is_too_many() {
        return Err(BuildError::TooManyDialects { dialect: dialect.to_string() });
    }
    dialect.specs().try_for_each(spec_check::check)?;
    if options.tool_limit == Some(0) {
        return Err(BuildError::ToolLimitZero);
    }
    check_count(tools.len())?;
    for (at, tool) in tools.iter().enumerate() {
        check_name(dialect, &tool.name)?;
        if tools[..at].iter().any(|other| other.name == tool.name) {
            return Err(BuildError::DuplicateTool { name: tool.name.clone() });
        }
        check_count(tool.params.len())?;
        for (at, param) in tool.params.iter().enumerate() {
            check_name(dialect, &param.name)?;
            if tool.params[..at].iter().any(|other| other.name == param.name) {
                let (tool, name) = (tool.name.clone(), param.name.clone());
                return Err(BuildError::DuplicateParameter { tool, name });
            }
        }
    }
    Ok(())
}

fn check_count(count: usize) -> Result<(), BuildError> {
    if count < u16::MAX as usize { Ok(()) } else { Err(BuildError::TooMany { count }) }
}

fn check_name(dialect: &Dialect, name: &str) -> Result<(), BuildError> {
    if name.is_empty() {
        return Err(BuildError::EmptyName);
    }
    if name.len() > bounds::NAME {
        return Err(BuildError::NameTooLong { name: name.to_string() });
    }
    // The rule is that of the dialect whose names are tags; the tags in the way may be the other's.
    let Some(tags) = dialect.specs().find(|spec| spec.names == NameRule::Tag) else {
        return Ok(());
    };
    let no_tag = name.contains(['<', '>', '/']) || name.contains(char::is_whitespace);
    if no_tag || dialect.specs().any(|spec| is_own_tag(spec, name)) {
        let (name, dialect) = (name.to_string(), tags.name.to_string());
        return Err(BuildError::BadName { name, dialect });
    }
    Ok(())
}

/// Whether `<name>` is a tag of the dialect itself.
fn is_own_tag(spec: &DialectSpec, name: &str) -> bool {
    let tag = format!("<{name}>");
    let literal = |rule: &Rule| matches!(&*rule.mark, [Piece::Lit(text)] if **text == tag);
    spec.text.iter().any(literal) || spec.reasoning_openers.iter().any(|opener| **opener == tag)
}
