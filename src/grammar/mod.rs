//! [`Parser::grammar`]: the texts that a model may write, for constrained decoding.

mod choice;
mod lark;
mod marks;
mod opener;
mod structural_tag;

use serde_json::Value;

pub use self::choice::ToolChoice;
use self::marks::{Marks, Thought};
pub use self::opener::CallGrammar;
use self::opener::opener_len;
use crate::dialect::facts::Framing;
use crate::dialect::template::{ArgumentsForm, LineBreaks, ParamForm, call_hole, fill, param_hole};
use crate::error::{BuildError, BuildProblem};
use crate::options::Fences;
use crate::parser::Parser;
use crate::parser::tables::Tables;
use crate::tool::{Tool, Type};

/// Format of a grammar.
///
/// [`Parser::grammar`] has an example.
///
/// ```
/// use toolstream::{Dialect, Parser, Tool, grammar::Format};
///
/// let parser = Parser::builder(Dialect::HERMES).tool(Tool::new("list")).build()?;
/// assert!(parser.grammar(Format::Lark).unwrap().contains("start:"));
/// assert!(parser.grammar(Format::StructuralTag).unwrap().starts_with('{'));
/// # Ok::<(), toolstream::BuildError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// Lark with regular expressions and `%json`, as `llguidance` reads it.
    Lark,
    /// A structural tag in JSON, as `xgrammar` reads it, and vLLM and SGLang with it.
    StructuralTag,
}

impl Parser {
    /// Writes a grammar of the texts that a model may write, for a server that constrains its decoding: text, and
    /// calls of this parser's tools, as many as its limit allows. This parser reads every allowed call as complete.
    /// Parameters stand in the order of their declaration, required ones are there, and JSON fits its schema. A block
    /// of reasoning may come first, where the dialect has one; with [`Start::Reasoning`](crate::options::Start::Reasoning) the
    /// text begins in the rest of one. So a server may also constrain only the text behind the reasoning.
    ///
    /// With [`Format::Lark`] a value may hold its own closer: it ends where the text behind the closer can only
    /// follow a value. With [`Format::StructuralTag`] a value ends at its first closer and holds no other marker that
    /// could end it: that format has no more. It is for xgrammar 0.1.34 or newer.
    ///
    /// One gap is known. In dialects whose markers are special tokens, a string inside a JSON value (an array, an
    /// object) could spell the token that closes the call: a JSON schema cannot forbid it, and the parser ends the call
    /// there, incomplete. Tokenizers do not write those tokens inside strings.
    ///
    /// [`Parser::call_grammars`] has grammars that a server switches on behind the opener of a call.
    ///
    /// ```
    /// use toolstream::{Dialect, Param, Parser, Tool, grammar::Format, tools::Type};
    ///
    /// let tool = Tool::new("read").param(Param::required("path").with(Type::String));
    /// let parser = Parser::builder(Dialect::QWEN3_CODER).tool(tool).build()?;
    /// let lark = parser.grammar(Format::Lark)?;
    /// assert!(lark.starts_with("start: THOUGHT? (TEXT? | call AFTER?)\n"));
    /// let tag = parser.grammar(Format::StructuralTag)?;
    /// assert!(tag.contains(r#"{"type":"const_string","value":"<tool_call>\n<function=read>\n"}"#));
    ///
    /// let error = Parser::builder(Dialect::REACT).build()?.grammar(Format::Lark).unwrap_err();
    /// assert_eq!(error.to_string(), "react has no grammar of this format: no tool is declared");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`BuildError`] for a parser without tools or of several dialects, and with `fences = quote`, where code is
    /// text. Some dialects have no grammar: their calls are lines, have no marker of their own, or begin in
    /// headers; or their values are Python's literals, elements, written in two ways, or without a closer.
    pub fn grammar(&self, format: Format) -> Result<String, BuildError> {
        self.grammar_for(format, &ToolChoice::Auto)
    }

    /// Writes a grammar as [`Parser::grammar`] does, for a request's `tool_choice`.
    ///
    /// ```
    /// use toolstream::{Dialect, Parser, Tool, grammar::{Format, ToolChoice}};
    ///
    /// let tools = ["read", "list"].map(Tool::new);
    /// let parser = Parser::builder(Dialect::HERMES).tools(tools).build()?;
    /// let start = |choice| -> Result<String, toolstream::BuildError> {
    ///     let lark = parser.grammar_for(Format::Lark, &choice)?;
    ///     Ok(lark.lines().next().unwrap_or_default().to_string())
    /// };
    /// assert_eq!(start(ToolChoice::Required)?, "start: THOUGHT? call AFTER?");
    /// assert_eq!(start(ToolChoice::None)?, "start: THOUGHT? TEXT?");
    /// let unknown = start(ToolChoice::Tool("write".to_string())).unwrap_err();
    /// assert_eq!(unknown.to_string(), "hermes has no grammar of this format: the tool `write`, which is \
    ///     to be called, is not declared");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`Parser::grammar`], and one for a tool that is not declared.
    pub fn grammar_for(&self, format: Format, choice: &ToolChoice) -> Result<String, BuildError> {
        let (tables, calls) = (self.tables(), self.grammar_calls(choice)?);
        let message = Message { tables, calls, choice, thought: Thought::new(tables) };
        Ok(match format {
            Format::Lark => lark::grammar(&message),
            Format::StructuralTag => structural_tag::grammar(&message),
        })
    }

    /// Returns the calls that a grammar may have: for [`ToolChoice::None`], too, since they limit the text.
    fn grammar_calls(&self, choice: &ToolChoice) -> Result<Vec<Call<'_>>, BuildError> {
        let tables = self.tables();
        let refuse = |problem: String| {
            BuildError::from(BuildProblem::NoGrammar {
                dialect: tables.dialect.to_string(),
                problem,
            })
        };
        let called = |tool: &&Tool| match choice {
            ToolChoice::Tool(name) => tool.name == *name,
            _ => true,
        };
        let calls = tables.tools.iter().filter(called).map(|tool| Call::new(tables, tool));
        let calls: Vec<Call> = calls.collect();
        if let (ToolChoice::Tool(name), [], false) = (choice, &calls[..], tables.tools.is_empty()) {
            let what = format!("the tool `{name}`, which is to be called, is not declared");
            return Err(refuse(what));
        }
        match refusal(tables, &calls) {
            Some(what) => Err(refuse(what.into())),
            None => Ok(calls),
        }
    }
}

/// Returns the reason if there is no grammar of these calls.
fn refusal(tables: &Tables, calls: &[Call<'_>]) -> Option<&'static str> {
    let grammar = tables.grammar(0);
    let in_object = |call: &Call<'_>| call.open.starts_with("{") || call.open.starts_with("[{");
    let (literals, two_ways, open) = match &tables.dialect.template().call.arguments {
        ArgumentsForm::Params(form) => {
            let two_ways = form.line.is_some() || form.quotes.is_some();
            (false, two_ways, form.close.trim_matches(' ').is_empty())
        }
        form => (*form != ArgumentsForm::Json, false, false),
    };
    let lines = !grammar.family.keywords().is_empty() || grammar.family.begins_in_header();
    let refused = [
        (calls.is_empty(), "no tool is declared"),
        (tables.dialect.second().is_some(), "several dialects are several grammars"),
        (tables.options.fences == Fences::Quote, "with `fences = quote` a call may be text"),
        (lines, "its messages are lines, or begin in headers"),
        (tables.facts(0).nests.is_some(), "its values are elements"),
        (literals, "its values are literals of its own"),
        (two_ways, "its values are written in two ways"),
        (open, "its values have no closer of their own"),
        (calls.iter().any(in_object), "its calls have no marker of their own"),
    ];
    refused.into_iter().find_map(|(is, what)| is.then_some(what))
}

/// The texts that a grammar allows.
struct Message<'a> {
    tables: &'a Tables,
    calls: Vec<Call<'a>>,
    choice: &'a ToolChoice,
    /// The reasoning that comes first.
    thought: Option<Thought>,
}

impl Message<'_> {
    /// A call must come.
    fn must_call(&self) -> bool {
        matches!(self.choice, ToolChoice::Required | ToolChoice::Tool(_))
    }

    fn may_call(&self) -> bool {
        *self.choice != ToolChoice::None
    }
}

/// Placeholder for the index of a call: it is known when the call is written.
const INDEX: &str = "{index}";

/// The writing of a call of one tool. JSON arguments are one value without an opener and a closer.
struct Call<'a> {
    tool: &'a str,
    /// The texts before the values, and after them; [`INDEX`] in it is any number.
    open: String,
    /// The length of the opener in it.
    opener: usize,
    close: String,
    values: Vec<Argument>,
}

/// An argument, where it may stand: one after the other, the optional ones perhaps not.
struct Argument {
    content: Content,
    /// The texts before it, and after it.
    around: [String; 2],
    required: bool,
}

enum Content {
    /// A schema.
    Json(Value),
    /// Text that holds none of these.
    Text(Marks),
}

impl<'a> Call<'a> {
    fn new(tables: &'a Tables, tool: &'a Tool) -> Call<'a> {
        let form = &tables.dialect.template().call;
        let id = fill(&tables.facts(0).id, |hole| (hole == "name").then_some((&*tool.name).into()));
        let filled = |text: &str| fill(text, call_hole(&tool.name, &id, [INDEX, INDEX]));
        let open = [&*form.section_open, &form.open].concat();
        let values = match &form.arguments {
            ArgumentsForm::Params(form) => {
                let open = filled(&open).replace(INDEX, "0");
                let argument = |at| Argument::new(tables, form, tool, at, &open);
                (0..tool.params.len()).map(argument).collect()
            }
            _ => vec![Argument {
                content: Content::Json(tool.json_schema().into_owned()),
                around: Default::default(),
                required: true,
            }],
        };
        let (opener, behind) = open.split_at(opener_len(&open));
        let opener = filled(opener);
        Call {
            tool: &tool.name,
            opener: opener.len(),
            open: opener + &filled(behind),
            close: filled([&*form.close, &form.section_close].concat().trim_end()),
            values,
        }
    }

    /// Its arguments are one JSON object.
    fn is_json(&self) -> bool {
        matches!(&self.values[..], [Argument { around: [open, close], .. }] if open.is_empty() && close.is_empty())
    }

    fn opener(&self) -> &str {
        &self.open[..self.opener]
    }

    fn behind_opener(&self) -> &str {
        &self.open[self.opener..]
    }
}

impl Argument {
    /// An argument behind `call`, the text that opens its call.
    fn new(tables: &Tables, form: &ParamForm, tool: &Tool, at: usize, call: &str) -> Argument {
        let param = &tool.params[at];
        let own = param.types.first().filter(|_| !param.types.contains(&Type::String));
        let of = own.map_or("string", |of| of.as_str());
        let framed = tables.framing(0, &param.name) == Framing::LineBreak
            && form.line_breaks == LineBreaks::Always
            // A text has its line breaks in the text.
            && of != "string";
        let line_break = if framed { "\n" } else { "" };
        let filled = |text: &str| fill(text, param_hole(&param.name, of));
        let around =
            [filled(&form.open) + line_break, line_break.to_string() + &filled(&form.close)];
        let content = match own {
            Some(_) => Content::Json(tool.param_schema(at)),
            None => {
                let before = [call, &around[0]].concat();
                Content::Text(Marks::in_value(tables, tool, &param.name, &before))
            }
        };
        Argument { content, around, required: param.required }
    }
}
