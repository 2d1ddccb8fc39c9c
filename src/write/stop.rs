//! The stop sequences.

use crate::dialect::Dialect;
use crate::dialect::template::{StopForm, Text};
use crate::limit::most_calls;
use crate::parser::Parser;

impl Dialect {
    /// Where the provider may stop the stream, for one call per message: at most 4 texts, none of
    /// which a call needs. [`Parser::stop_sequences`] knows the limit.
    ///
    /// Take them where you cannot cancel the stream at
    /// [`ToolLimitReached`](crate::ToolLimitReached); they save what the model would write after
    /// its call. A value that quotes one is cut there, and its call comes out incomplete: leave
    /// them away where values may.
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
    /// [`Dialect::stop_sequences`] for this parser's limit: with another one than 1, and where names decide
    /// ([`chaining_tools`](crate::Options::chaining_tools), [`limit_by`](crate::ParserBuilder::limit_by)), those that end
    /// the stream after its first call are left out.
    pub fn stop_sequences(&self) -> Vec<&str> {
        let tables = self.tables();
        sequences(&tables.dialect.template().stop, most_calls(tables))
    }
}

fn sequences(form: &StopForm, limit: Option<usize>) -> Vec<&str> {
    let after_call: &[Text] = if limit == Some(1) { &form.after_call } else { &[] };
    after_call.iter().chain(&*form.invented).map(|text| &**text).collect()
}
