//! The conversation as a chat API takes it.

use serde::{Deserialize, Serialize};

use crate::json::white::trim;

/// A message of the conversation. As JSON `{"role": "user", "content": "…"}`, which chat APIs take
/// as it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ChatMessage {
    /// Who says it.
    pub role: Role,
    /// What is said: prose, and calls and results as the dialect writes them.
    pub content: String,
}

impl ChatMessage {
    /// A message, for [`ToolLoop::edit_history`](super::ToolLoop::edit_history).
    pub fn new(role: Role, content: impl Into<String>) -> ChatMessage {
        ChatMessage { role, content: content.into() }
    }
}

/// Who says a message.
///
/// Of a [`ChatMessage`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Role {
    /// `system`: the first message.
    System,
    /// `user`: the user, the tools and the corrections.
    User,
    /// `assistant`: the model.
    Assistant,
}

/// A conversation in which user and model take turns, since many chat templates demand that.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct ChatHistory(Vec<ChatMessage>);

impl ChatHistory {
    /// With this system prompt in place of any that is in `messages`.
    pub fn new(system: Option<&str>, mut messages: Vec<ChatMessage>) -> ChatHistory {
        messages.retain(|message| message.role != Role::System);
        let system = system.filter(|text| !trim(text).is_empty());
        let prompt = |text: &str| ChatMessage::new(Role::System, text);
        messages.splice(..0, system.map(prompt));
        ChatHistory(messages)
    }

    pub fn messages(&self) -> &[ChatMessage] {
        &self.0
    }

    pub fn system(&self) -> Option<&str> {
        let first = self.0.first().filter(|first| first.role == Role::System);
        first.map(|first| &*first.content)
    }

    /// One more message. A blank one is none, and one of the same role as the last goes on there.
    pub fn say(&mut self, role: Role, content: String) {
        if trim(&content).is_empty() {
            return;
        }
        match self.0.last_mut().filter(|last| last.role == role) {
            Some(last) => {
                last.content.push_str("\n\n");
                last.content.push_str(&content);
            }
            None => self.0.push(ChatMessage::new(role, content)),
        }
    }

    /// Whether the model spoke last.
    pub fn model_was_last(&self) -> bool {
        self.0.last().is_some_and(|last| last.role == Role::Assistant)
    }
}
