//! The stop sequences.

use crate::dialect::Dialect;
use crate::dialect::template::{StopForm, Text};
use crate::limit::most_calls;
use crate::parser::Parser;

impl Dialect {
    /// Returns the texts at which the provider may stop the stream, for one call per message: at most 4 texts.
    /// A call needs none of them. [`Parser::stop_sequences`] knows the limit.
    ///
    /// Use them where you cannot cancel the stream at [`ToolLimitReached`](crate::ToolLimitReached): they save the
    /// model's text behind its call. A value that quotes a stop sequence is cut there, and its call is incomplete.
    /// Leave them out where values may quote them.
    ///
    /// ```
    /// use toolstream::Dialect;
    ///
    /// assert_eq!(Dialect::HERMES.stop_sequences(), ["</tool_call>", "<tool_response>"]);
    /// assert!(Dialect::CLINE.stop_sequences().is_empty(), "a call needs all that it has");
    /// ```
    pub fn stop_sequences(&self) -> Vec<&str> {
        sequences(&self.template().stop, Some(1))
    }
}

impl Parser {
    /// Returns the [`Dialect::stop_sequences`] for this parser's limit. With another limit than 1, and where names
    /// decide ([`chaining_tools`](crate::options::Options::chaining_tools), [`limit_by`](crate::ParserBuilder::limit_by)),
    /// those that end the stream after its first call are left out.
    pub fn stop_sequences(&self) -> Vec<&str> {
        let tables = self.tables();
        sequences(&tables.dialect.template().stop, most_calls(tables))
    }
}

fn sequences(form: &StopForm, limit: Option<usize>) -> Vec<&str> {
    let after_call: &[Text] = if limit == Some(1) { &form.after_call } else { &[] };
    after_call.iter().chain(&*form.invented).map(|text| &**text).collect()
}
