//! A dialect, the host's tools and the options, compiled once and shared by every clone.

use crate::dialect::Dialect;
use crate::dialect::spec::{Act, DialectSpec, Framing, List, NameRule, Only, Pattern, Piece, Rule};
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
    pub spec: &'static DialectSpec,
    pub options: Options,
    pub tools: Vec<Tool>,
    pub tool_names: Names,
    /// The parameters of each tool.
    params: Vec<Names>,
    none: Names,
    pub diff_params: Vec<String>,
    pub text: StateTable,
    pub reasoning: StateTable,
    pub sections: Vec<StateTable>,
    pub calls: Vec<StateTable>,
    pub values: Vec<ValueTable>,
    /// The keyword lines.
    pub lines: Option<LineTable>,
    pub body: StateTable,
    /// Of a state in which nothing counts.
    pub nothing: StateTable,
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
    pub live: Vec<Run>,
    /// Those whose marker the head is, whole.
    pub whole: Vec<Run>,
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
        let spec = dialect.spec();
        check(spec, &tools, &options)?;
        let calls_in_reasoning = options.calls_in_reasoning.unwrap_or(spec.calls_in_reasoning);
        let verbatim = options.value_whitespace == ValueWhitespace::Verbatim;
        let mut tables = Tables {
            tool_names: Names::new(tools.iter().map(|tool| &*tool.name)),
            params: tools
                .iter()
                .map(|tool| Names::new(tool.params.iter().map(|param| &*param.name)))
                .collect(),
            none: Names::default(),
            diff_params: options
                .diff_params
                .clone()
                .unwrap_or_else(|| spec.diff_params.iter().map(|name| name.to_string()).collect()),
            text: StateTable::default(),
            reasoning: StateTable::default(),
            sections: Vec::new(),
            calls: Vec::new(),
            values: Vec::new(),
            lines: None,
            body: StateTable::default(),
            nothing: StateTable::default(),
            dialect,
            spec,
            options,
            tools,
        };
        tables.lines = spec
            .lines
            .as_ref()
            .map(|lines| LineTable::new(lines, tables.options.answer_keywords.as_deref()));
        tables.text = StateTable::new(&tables, text_rules(spec))?;
        tables.reasoning =
            StateTable::new(&tables, reasoning_rules(spec, calls_in_reasoning, &tables.options))?;
        let table = |rules: &List<Rule>| StateTable::new(&tables, rules.to_vec());
        let sections =
            spec.sections.iter().map(|kind| table(&kind.rules)).collect::<Result<_, _>>()?;
        let calls = spec.calls.iter().map(table).collect::<Result<_, _>>()?;
        let body = table(&spec.body)?;
        (tables.sections, tables.calls, tables.body) = (sections, calls, body);
        tables.values = spec
            .values
            .iter()
            .map(|kind| {
                Ok(ValueTable {
                    state: StateTable::new(&tables, kind.rules.to_vec())?,
                    line_breaks: kind.framing == Framing::LineBreak && !verbatim,
                    trimmed: kind.framing == Framing::Trimmed && !verbatim,
                })
            })
            .collect::<Result<_, BuildError>>()?;
        Ok(tables)
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
    pub fn param_number(&self, tool: u16, name: &str) -> Option<u16> {
        let names = self.param_names(tool);
        let list = |&param: &u16| self.is_list(tool, param);
        names
            .find([name, ""])
            .or_else(|| if self.spec.lists { names.find([name, "s"]).filter(list) } else { None })
    }

    /// Whether a parameter may be repeated: each time is one element of the list.
    pub fn is_list(&self, tool: u16, param: u16) -> bool {
        let param = self.tools.get(tool as usize).and_then(|tool| tool.params.get(param as usize));
        self.spec.lists && param.is_some_and(|param| param.is_list())
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
    pub fn value_kind(&self, param: &str, kind: u8) -> u8 {
        let raw = self.spec.raw_params.iter().any(|name| name == param)
            || self.options.raw_params.iter().any(|name| name == param);
        self.spec.raw.filter(|_| raw).unwrap_or(kind)
    }
}

impl StateTable {
    fn new(tables: &Tables, rules: Vec<Rule>) -> Result<Self, BuildError> {
        let mut heads: Vec<String> =
            rules.iter().flat_map(|rule| heads(&rule.mark, &tables.tool_names)).collect();
        heads.sort();
        // Behind a prefix of it, a head comes last: one of them is enough to begin both rules.
        heads.dedup_by(|longer, head| longer.starts_with(&*head));
        let begun: Vec<Begun> = heads.iter().map(|head| begin(tables, &rules, head)).collect();
        let anywhere = |run: &Run| rules[run.rule as usize].only == Only::Anywhere;
        let sure: Vec<bool> =
            begun.iter().map(|begun| begun.live.iter().chain(&begun.whole).any(anywhere)).collect();
        let scanner = Scanner::new(heads, &sure)
            .map_err(|error| BuildError::Tables { reason: error.to_string() })?;
        let live = (0..rules.len()).map(|rule| Run::new(rule, UNKNOWN)).collect();
        let fresh = Begun { live, ..Begun::default() };
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
fn begin(tables: &Tables, rules: &[Rule], head: &str) -> Begun {
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
    for rule in 0..rules.len() {
        let mut run = Run::new(rule, UNKNOWN);
        let mut step = Step::Live;
        for (at, next) in head.char_indices() {
            if step == Step::Live {
                let bytes = &head.as_bytes()[at..at + next.len_utf8()];
                step = run.step(bytes, at, &around);
            } else {
                step = Step::Dead;
            }
        }
        match step {
            Step::Live => begun.live.push(run),
            Step::Whole => begun.whole.push(run),
            Step::Dead | Step::TooLong | Step::WholeBefore => {}
        }
    }
    begun.quiet =
        begun.whole.is_empty() && begun.live.iter().all(|run| rules[run.rule as usize].fixed == 0);
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
fn reasoning_rules(spec: &DialectSpec, calls: CallsInReasoning, options: &Options) -> Vec<Rule> {
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
fn check(spec: &DialectSpec, tools: &[Tool], options: &Options) -> Result<(), BuildError> {
    if options.tool_limit == Some(0) {
        return Err(BuildError::ToolLimitZero);
    }
    check_count(tools.len())?;
    for (at, tool) in tools.iter().enumerate() {
        check_name(spec, &tool.name)?;
        if tools[..at].iter().any(|other| other.name == tool.name) {
            return Err(BuildError::DuplicateTool { name: tool.name.clone() });
        }
        check_count(tool.params.len())?;
        for (at, param) in tool.params.iter().enumerate() {
            check_name(spec, &param.name)?;
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

fn check_name(spec: &DialectSpec, name: &str) -> Result<(), BuildError> {
    if name.is_empty() {
        return Err(BuildError::EmptyName);
    }
    if name.len() > bounds::NAME {
        return Err(BuildError::NameTooLong { name: name.to_string() });
    }
    let no_tag = name.contains(['<', '>', '/']) || name.contains(char::is_whitespace);
    if spec.names == NameRule::Tag && (no_tag || is_own_tag(spec, name)) {
        let (name, dialect) = (name.to_string(), spec.name.to_string());
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
