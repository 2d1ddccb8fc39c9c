//! [`Parser::grammar`]: what a model may write, for constrained decoding.

mod expression;
mod lark;
mod structural_tag;

use thiserror::Error;

use crate::dialect::spec::Place;
use crate::dialect::template::{ArgumentsForm, ParamForm};
use crate::dialect::written::{Written, around};
use crate::parser::Parser;
use crate::tool::{Tool, Type};

/// How a grammar is written.
///
/// [`Parser::grammar`] has an example.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// Lark with regular expressions and `%json`, as `llguidance` reads it.
    Lark,
    /// A structural tag in JSON, as `xgrammar` reads it, and vLLM and SGLang with it.
    StructuralTag,
}

/// Why there is no grammar.
///
/// [`Parser::grammar`] has an example.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{dialect} has no grammar of this format: {what}")]
pub struct GrammarError {
    /// The name of the dialect, or of both.
    pub dialect: String,
    /// Why.
    pub what: String,
}

/// What a grammar is made of.
struct Source<'a> {
    parser: &'a Parser,
    written: Written<'a>,
}

/// A call's arguments.
enum Arguments<'a> {
    Json,
    Params(&'a ParamForm),
}

impl Parser {
    /// A grammar of what a model may write, for a server that constrains its decoding: text, and calls
    /// of this parser's tools, as many as its limit allows. What it allows this parser reads as complete
    /// calls. Parameters stand in the order of their declaration, required ones are there, JSON fits its
    /// schema, and reasoning is not in it: servers constrain what comes after it.
    ///
    /// With [`Format::Lark`] a value may hold its own closer: it ends where what follows can only follow
    /// a value. With [`Format::StructuralTag`] a value ends at its first closer, for that format knows no
    /// more.
    ///
    /// ```
    /// use toolstream::{Dialect, Format, Param, Parser, Tool, Type};
    ///
    /// let tool = Tool::new("read").param(Param::required("path").with(Type::String));
    /// let parser = Parser::builder(Dialect::QWEN3_CODER).tool(tool).build()?;
    /// let lark = parser.grammar(Format::Lark)?;
    /// assert!(lark.starts_with("start: call? TEXT?\n"));
    /// let tag = parser.grammar(Format::StructuralTag)?;
    /// assert!(tag.contains(r#""begin":"<tool_call>\n<function=read>\n""#));
    ///
    /// let error = Parser::builder(Dialect::REACT).build()?.grammar(Format::Lark).unwrap_err();
    /// assert_eq!(error.to_string(), "react has no grammar of this format: no tool is declared");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`GrammarError`] for a parser without tools or of two dialects, and for a dialect whose calls are
    /// lines, have no marker of their own, begin in headers, or have values that are Python's literals,
    /// elements, or written in two ways; with `fences = quote`, where code is text.
    pub fn grammar(&self, format: Format) -> Result<String, GrammarError> {
        let spec = self.tables().spec(0);
        let texts = around(spec);
        let written = Written::of(spec, &texts);
        let source = Source { parser: self, written };
        let refuse = |what: &str| {
            let dialect = self.tables().dialect.to_string();
            GrammarError { dialect, what: what.into() }
        };
        let arguments = source.arguments().map_err(refuse)?;
        match format {
            Format::Lark => Ok(lark::grammar(&source, &arguments)),
            Format::StructuralTag => structural_tag::grammar(&source, &arguments).map_err(refuse),
        }
    }
}

impl<'a> Source<'a> {
    fn arguments(&self) -> Result<Arguments<'a>, &'static str> {
        let tables = self.parser.tables();
        let spec = tables.spec(0);
        if self.tools().is_empty() {
            return Err("no tool is declared");
        }
        if tables.dialect.second().is_some() {
            return Err("two dialects are two grammars");
        }
        if tables.options.quote_fences {
            return Err("with `fences = quote` a call may be text");
        }
        if !spec.keywords.is_empty() || !matches!(spec.entry, Place::Prose(_)) {
            return Err("its messages are lines, or begin in headers");
        }
        if self.written.object.is_some() && self.written.section[0].is_empty() {
            return Err("its calls have no marker of their own");
        }
        if spec.nests.is_some() {
            return Err("its values are elements");
        }
        match self.written.arguments {
            ArgumentsForm::Json => Ok(Arguments::Json),
            ArgumentsForm::Literals(_) => Err("its values are literals of its own"),
            ArgumentsForm::Params(form) if form.line.is_some() || form.quotes.is_some() => {
                Err("its values are written in two ways")
            }
            ArgumentsForm::Params(form) => Ok(Arguments::Params(form)),
        }
    }

    fn tools(&self) -> &'a [Tool] {
        &self.parser.tables().tools
    }

    /// What stands before the arguments of a call, and after them.
    fn around(&self) -> [String; 2] {
        around(self.parser.tables().spec(0))
    }

    /// Which parameter may come after this one (`None`: at first): those up to a required one, and
    /// whether the call may end.
    fn next(tool: &Tool, after: Option<usize>) -> (std::ops::Range<usize>, bool) {
        let from = after.map_or(0, |at| at + 1);
        let required = (from..tool.params.len()).find(|at| tool.params[*at].required);
        (from..required.map_or(tool.params.len(), |at| at + 1), required.is_none())
    }
}

/// Whether the value of a parameter is text as it stands. Without a type it is.
fn is_text(types: &[Type]) -> bool {
    types.is_empty() || types.contains(&Type::String)
}

/// The schema of one parameter.
fn param_schema(tool: &Tool, at: usize) -> serde_json::Value {
    let param = &tool.params[at];
    let root = tool.json_schema();
    let mut schema = root.pointer("/properties").and_then(|all| all.get(&param.name)).cloned();
    let definitions = root.get("$defs").map(|found| ("$defs", found));
    let definitions =
        definitions.or_else(|| root.get("definitions").map(|found| ("definitions", found)));
    if let (Some(serde_json::Value::Object(schema)), Some((key, found))) =
        (&mut schema, definitions)
    {
        schema.insert(key.into(), found.clone());
    }
    schema.unwrap_or_else(|| serde_json::json!({"type": param.types.iter().map(|of| of.as_str()).collect::<Vec<_>>()}))
}
