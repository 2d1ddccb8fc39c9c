//! A setter on [`ParserBuilder`] for each option, by the name of its key.

use super::ParserBuilder;
use crate::options::{
    CallsInReasoning, Fences, LimitOn, ReasoningTags, Recoveries, Required, Start, TextAtCalls,
    ValueWhitespace,
};

/// Setters of options that are one value.
macro_rules! setters {
    ($($(#[$about:meta])* $option:ident: $type:ty;)*) => {
        impl ParserBuilder {
            $($(#[$about])* pub fn $option(mut self, $option: $type) -> Self {
                self.options.$option = $option.into();
                self
            })*
        }
    };
}

/// Setters of options that are a list of names.
macro_rules! name_setters {
    ($($(#[$about:meta])* $option:ident;)*) => {
        impl ParserBuilder {
            $($(#[$about])* pub fn $option(
                mut self,
                names: impl IntoIterator<Item = impl Into<String>>,
            ) -> Self {
                let names: Vec<String> = names.into_iter().map(Into::into).collect();
                self.options.$option = names.into();
                self
            })*
        }
    };
}

setters! {
    /// Sets the number of calls that one message may hold; `None`: any number. Default: 1.
    tool_limit: impl Into<Option<usize>>;
    /// Sets the event that raises [`ToolLimitReached`](crate::ToolLimitReached). Default: [`LimitOn::ToolStart`].
    limit_on: LimitOn;
    /// Sets where the stream begins. Default [`Start::Text`].
    start: Start;
    /// Sets whether a call inside reasoning counts. Default: that of the dialect.
    calls_in_reasoning: CallsInReasoning;
    /// Sets where `<think>` opens reasoning. Default [`ReasoningTags::LineStart`].
    reasoning_tags: ReasoningTags;
    /// Sets whether a marker in Markdown code counts. Default [`Fences::Parse`].
    fences: Fences;
    /// Sets whether `Message` decodes the five XML entities in values. Default: it does not.
    decode_entities: bool;
    /// Sets whether values keep the white space at their ends. Default [`ValueWhitespace::Default`].
    value_whitespace: ValueWhitespace;
    /// Sets whether white space of text next to calls is kept. Default [`TextAtCalls::Keep`].
    ///
    /// ```
    /// use toolstream::{Dialect, Event, Parser, options::TextAtCalls};
    ///
    /// let mut parser = Parser::builder(Dialect::HERMES).text_at_calls(TextAtCalls::Trim).build()?;
    /// let mut text = String::new();
    /// let mut take = |event: Event<&str>| if let Event::TextContent(piece) = event { text.push_str(piece) };
    /// for chunk in ["I look. \n", "\n<tool_call>{\"name\": \"list\", \"arguments\": {}}</tool_call>\n"] {
    ///     parser.feed(chunk).for_each(&mut take);
    /// }
    /// parser.finish().for_each(&mut take);
    /// assert_eq!(text, "I look.");
    /// # Ok::<(), toolstream::BuildError>(())
    /// ```
    text_at_calls: TextAtCalls;
    /// Sets whether the stream begins in a thought (ReAct). Default: it does not.
    implicit_thought: bool;
    /// Sets whether a call that needed a recovery may run. Default [`Recoveries::Lenient`].
    recoveries: Recoveries;
    /// Sets whether a call that lacks a required argument may run. Default [`Required::Report`].
    required: Required;
    /// Sets whether `Message` collects why markers did not count, for `Message::refused`. Default: it does not.
    explain_refused: bool;
}

#[cfg(feature = "json")]
setters! {
    /// Sets the treatment of a value of a type that its schema does not allow. Default:
    /// [`Types::Report`](crate::options::Types::Report).
    types: crate::options::Types;
    /// Sets whether `Message` repairs JSON that is not quite JSON. Default: it does, and reports it.
    repairs: crate::repair::Repairs;
    /// Sets the treatment of markers in foreign text that is written for the model. Default:
    /// [`Results::Neutralise`](crate::options::Results).
    results: crate::options::Results;
    /// Sets which images and documents of a history go on as such. Default
    /// [`Attachments::Images`](crate::options::Attachments).
    attachments: crate::options::Attachments;
    /// Sets the notation of a history's call that the dialect cannot write. Default
    /// [`UnwritableCalls::Text`](crate::options::UnwritableCalls).
    unwritable_calls: crate::options::UnwritableCalls;
    /// Sets the notation of a history's hosted calls, which a provider or a client ran by itself. Default
    /// [`HostedCalls::Say`](crate::options::HostedCalls).
    hosted_calls: crate::options::HostedCalls;
    /// Sets the place of a history's late system message. Default [`LateSystem::First`](crate::options::LateSystem).
    late_system: crate::options::LateSystem;
}

name_setters! {
    /// Sets the parameters that `cline` reads as raw, beside its own three.
    raw_params;
    /// Sets the parameters that hold search/replace blocks. Default: the dialect's own.
    diff_params;
    /// Sets the keywords that begin the answer (ReAct). Default: the dialect's own.
    answer_keywords;
    /// Sets the texts of the tokenizer's special tokens, for a program that feeds them by
    /// [`Parser::feed_special`](crate::Parser::feed_special).
    special_tokens;
    /// Sets the tools whose calls may follow each other in one message; a call of any other tool comes alone. A
    /// [`tool_limit`](ParserBuilder::tool_limit) beside it counts, too, except the default of 1.
    /// [`limit_by`](ParserBuilder::limit_by) asks a function.
    ///
    /// ```
    /// use toolstream::{Dialect, Parser};
    ///
    /// let parser = Parser::builder(Dialect::HERMES).chaining_tools(["read", "list"]).build()?;
    /// # #[cfg(feature = "json")] {
    /// let call = |name: &str| format!(r#"<tool_call>{{"name": "{name}", "arguments": {{}}}}</tool_call>"#);
    /// assert_eq!(parser.parse(&[call("read"), call("list"), call("write")].concat()).calls().count(), 2);
    /// assert_eq!(parser.parse(&[call("write"), call("read")].concat()).calls().count(), 1);
    /// # }
    /// # Ok::<(), toolstream::BuildError>(())
    /// ```
    chaining_tools;
}
