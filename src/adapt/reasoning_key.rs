//! [`ReasoningKey`]: the name of an answer's reasoning in chat completions.

use serde_json::Value;

/// The names under which reasoning is sent. OpenAI's own protocol has no such name.
///
/// ```
/// use toolstream::adapt::{EventWriter, Protocol, ReasoningKey};
/// use toolstream::{Dialect, Event, Parser, Sink};
///
/// let parser = Parser::builder(Dialect::HERMES).build()?;
/// let writer = EventWriter::new(Protocol::OpenAiChat, &parser, "chatcmpl-1", "local");
/// let mut writer = writer.reasoning_key(ReasoningKey::Both);
/// writer.event(Event::Reasoning("Hm."));
/// let sent = String::from_utf8(writer.take())?;
/// assert!(sent.contains(r#""reasoning_content":"Hm.","reasoning":"Hm.""#), "{sent}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ReasoningKey {
    /// `reasoning_content`, the name of DeepSeek and most clients.
    #[default]
    Content,
    /// `reasoning`, the name of vLLM and OpenRouter.
    Reasoning,
    /// Both names, for unknown clients.
    Both,
    /// No name: the reasoning is not sent.
    None,
}

impl ReasoningKey {
    pub(super) fn keys(self) -> &'static [&'static str] {
        match self {
            ReasoningKey::Content => &["reasoning_content"],
            ReasoningKey::Reasoning => &["reasoning"],
            ReasoningKey::Both => &["reasoning_content", "reasoning"],
            ReasoningKey::None => &[],
        }
    }

    /// Adds the reasoning, if there is some.
    pub(crate) fn put(self, object: &mut Value, reasoning: &str) {
        for key in self.keys().iter().filter(|_| !reasoning.is_empty()) {
            object[*key] = reasoning.into();
        }
    }
}
