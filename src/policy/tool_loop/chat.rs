//! The conversation as a chat API takes it.

use serde::{Deserialize, Serialize};

/// A message of the conversation. As JSON `{"role": "user", "content": "…"}`, which chat APIs take
/// as it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChatMessage {
    /// Who says it.
    pub role: Role,
    /// What is said: prose, and calls and results as the dialect writes them.
    pub content: String,
}

/// Who says a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// `system`: the first message.
    System,
    /// `user`: the user, the tools and the corrections.
    User,
    /// `assistant`: the model.
    Assistant,
}

/// A conversation in which user and model take turns, since many chat templates demand that.
#[derive(Clone, Debug, Default)]
pub(super) struct History(Vec<ChatMessage>);

impl History {
    pub fn new(system: String) -> History {
        let mut history = History::default();
        history.say(Role::System, system);
        history
    }

    pub fn messages(&self) -> &[ChatMessage] {
        &self.0
    }

    /// One more message. A blank one is none, and one of the same role as the last goes on there.
    pub fn say(&mut self, role: Role, content: String) {
        if content.trim().is_empty() {
            return;
        }
        match self.0.last_mut().filter(|last| last.role == role) {
            Some(last) => {
                last.content.push_str("\n\n");
                last.content.push_str(&content);
            }
            None => self.0.push(ChatMessage { role, content }),
        }
    }

    /// Whether the model spoke last.
    pub fn model_was_last(&self) -> bool {
        self.0.last().is_some_and(|last| last.role == Role::Assistant)
    }
}
