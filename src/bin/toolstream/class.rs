//! Classes of a stretch of text, by its reading, and their looks on a terminal.

use anstyle::{AnsiColor, Style};
use toolstream::{Event, ToolUse};

pub const PLAIN: Style = Style::new();
pub const DIM: Style = Style::new().dimmed();
pub const GOOD: Style = AnsiColor::Green.on_default();
pub const BAD: Style = AnsiColor::Red.on_default();
pub const NOTE: Style = AnsiColor::Yellow.on_default();
const VALUE: Style = AnsiColor::Cyan.on_default();
const MARKUP: Style = AnsiColor::Blue.on_default();

/// The class of an event that carries a slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    Text,
    Reasoning,
    Markup,
    /// A value of a parameter, or all arguments.
    Value,
}

impl Class {
    pub fn of_event<S>(event: &Event<S>) -> Option<Class> {
        match event {
            Event::TextContent(_) => Some(Class::Text),
            Event::Reasoning(_) => Some(Class::Reasoning),
            Event::Markup(_) => Some(Class::Markup),
            Event::ToolUse(ToolUse::ParamDelta(_) | ToolUse::ArgumentsDelta(_)) => {
                Some(Class::Value)
            }
            _ => None,
        }
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Class::Text => "text",
            Class::Reasoning => "reasoning",
            Class::Markup => "markup",
            Class::Value => "value",
        }
    }

    pub fn style(self) -> Style {
        match self {
            Class::Text => PLAIN,
            Class::Reasoning => DIM,
            Class::Markup => MARKUP,
            Class::Value => VALUE,
        }
    }
}
