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
    pub fn messages(&self) -> &[ChatMessage] {
        &self.0
    }

    /// Changes all but the system prompt; one that is put there is left out.
    pub fn edit(&mut self, edit: impl FnOnce(&mut Vec<ChatMessage>)) {
        let of_system = |message: &ChatMessage| message.role == Role::System;
        let mut said = self.0.split_off(usize::from(self.0.first().is_some_and(of_system)));
        edit(&mut said);
        self.0.extend(said.into_iter().filter(|message| !of_system(message)));
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
