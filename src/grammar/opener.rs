//! [`Parser::call_grammars`]: the texts behind the opener of a call.

use super::{Call, Format, ToolChoice, lark, structural_tag};
use crate::error::BuildError;
use crate::parser::Parser;

/// Grammar of the text behind an opener of calls.
///
/// [`Parser::call_grammars`] has an example.
///
/// ```
/// use toolstream::{Dialect, Parser, Tool, grammar::{Format, ToolChoice}};
///
/// let parser = Parser::builder(Dialect::MISTRAL).tool(Tool::new("list")).build()?;
/// let grammars = parser.call_grammars(Format::StructuralTag, &ToolChoice::Auto)?;
/// assert_eq!((&*grammars[0].opener, &grammars[0].tools[..]), ("[TOOL_CALLS]", &["list".to_string()][..]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CallGrammar {
    /// The marker that switches the grammar on; the grammar has no part of it.
    pub opener: String,
    /// The tools whose calls begin with it, in the order of their declaration.
    pub tools: Vec<String>,
    /// The grammar of the text behind the opener, up to the end of one call.
    pub grammar: String,
}

impl Parser {
    /// Writes grammars that begin behind the opener of a call and end with the call. They are for a server that does
    /// not constrain the model until a marker switches a grammar on, as mistral.rs and vLLM do.
    ///
    /// Most dialects open all calls in one way, and have one grammar. Where the opener names the tool, each
    /// tool has its own. With [`ToolChoice::Tool`] there is the grammar of that tool alone, and with
    /// [`ToolChoice::None`] there is none.
    ///
    /// An opener and a text of its grammar are a call that this parser reads as complete. The server decides about
    /// the text behind a call: it may be text or one more opener.
    ///
    /// ```
    /// use toolstream::{Dialect, Param, Parser, Tool, grammar::{Format, ToolChoice}, tools::Type};
    ///
    /// let read = Tool::new("read").param(Param::required("path").with(Type::String));
    /// let build = |dialect| Parser::builder(dialect).tools([read.clone(), Tool::new("list")]).build();
    /// let grammars = build(Dialect::HERMES)?.call_grammars(Format::Lark, &ToolChoice::Auto)?;
    /// let [calls] = &grammars[..] else { panic!("one opener") };
    /// assert_eq!((&*calls.opener, &calls.tools[..]), ("<tool_call>", &["read".into(), "list".into()][..]));
    /// assert!(calls.grammar.starts_with(r#"start: /\n\{"name": "read", "arguments": / values_0 | "#));
    ///
    /// let grammars = build(Dialect::CLINE)?.call_grammars(Format::Lark, &ToolChoice::Auto)?;
    /// assert_eq!(grammars.iter().map(|of| &*of.opener).collect::<Vec<_>>(), ["<read>", "<list>"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`Parser::grammar_for`].
    pub fn call_grammars(
        &self,
        format: Format,
        choice: &ToolChoice,
    ) -> Result<Vec<CallGrammar>, BuildError> {
        let calls = self.grammar_calls(choice)?;
        if *choice == ToolChoice::None {
            return Ok(Vec::new());
        }
        let mut groups: Vec<(String, Vec<Call<'_>>)> = Vec::new();
        for call in calls {
            let opener = call.opener().trim_start();
            match groups.iter_mut().find(|(known, _)| known == opener) {
                Some((_, calls)) => calls.push(call),
                None => groups.push((opener.to_string(), vec![call])),
            }
        }
        let grammars = groups.into_iter().map(|(opener, calls)| CallGrammar {
            opener,
            tools: calls.iter().map(|call| call.tool.to_string()).collect(),
            grammar: match format {
                Format::Lark => lark::behind_opener(&calls),
                Format::StructuralTag => structural_tag::behind_opener(&calls),
            },
        });
        Ok(grammars.collect())
    }
}

/// Returns the length of the opener in the text before the values: up to the end of the first tag or token, or all of
/// it.
pub(super) fn opener_len(template: &str) -> usize {
    template.find('>').or_else(|| template.find(']')).map_or(template.len(), |at| at + 1)
}
