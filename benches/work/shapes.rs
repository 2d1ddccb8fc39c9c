//! The texts of `parse.rs`, each in one dialect and of any length, with the expected result.

use toolstream::{Dialect, Parser};

use super::{Entry, inputs};

/// A shape of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Text without a `<`.
    Prose,
    /// Text full of `<` that are no markers.
    Code,
    /// A call with one value of prose.
    BigValue,
    /// A call with one value of source code, full of `<`, if the dialect writes it as it is.
    CodeValue,
    /// A call with arguments of many small members, lists and numbers.
    JsonArgs,
    /// A call with one string in its arguments, every few bytes of it an escape.
    JsonEscapes,
    /// Small calls, one after the other.
    ManyCalls,
    /// Reasoning, and a short answer.
    Reasoning,
    /// The answer after its keyword, line by line: only keyword lines have one.
    ReactAnswer,
    /// Nothing but `<`.
    LessThan,
    /// Halves of a value's closer, in a value.
    HalfClosers,
    /// Line feeds in a value, any of which may be framing.
    Newlines,
    /// A call that is opened and never closed.
    OpenCall,
    /// Text in which half a call's opener stands at the end of every chunk.
    HalfMarkers,
}

impl Shape {
    pub const ALL: [Shape; 14] = [
        Shape::Prose,
        Shape::Code,
        Shape::BigValue,
        Shape::CodeValue,
        Shape::JsonArgs,
        Shape::JsonEscapes,
        Shape::ManyCalls,
        Shape::Reasoning,
        Shape::ReactAnswer,
        Shape::LessThan,
        Shape::HalfClosers,
        Shape::Newlines,
        Shape::OpenCall,
        Shape::HalfMarkers,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Shape::Prose => "prose",
            Shape::Code => "code",
            Shape::BigValue => "big-value",
            Shape::CodeValue => "code-value",
            Shape::JsonArgs => "json-args",
            Shape::JsonEscapes => "json-escapes",
            Shape::ManyCalls => "many-calls",
            Shape::Reasoning => "reasoning",
            Shape::ReactAnswer => "react-answer",
            Shape::LessThan => "less-than",
            Shape::HalfClosers => "half-closers",
            Shape::Newlines => "newlines",
            Shape::OpenCall => "open-call",
            Shape::HalfMarkers => "half-markers",
        }
    }

    /// Whether the dialect can write it.
    pub fn fits(self, dialect: &Dialect) -> bool {
        match self {
            Shape::JsonArgs | Shape::JsonEscapes => inputs::speaks_json(dialect),
            Shape::CodeValue => !inputs::speaks_json(dialect),
            Shape::ReactAnswer => *dialect == Dialect::REACT,
            _ => true,
        }
    }

    /// Whether the text depends on the chunk size.
    pub fn depends_on_chunk(self) -> bool {
        self == Shape::HalfMarkers
    }

    /// Returns about `len` bytes of it, for chunks of `chunk` bytes.
    pub fn text(self, dialect: &Dialect, len: usize, chunk: usize) -> Text {
        let value = |value: String| Text {
            message: inputs::write(dialect, &value),
            text: inputs::after_call(dialect).into(),
            values: inputs::written(dialect, &value),
            ..Text::default()
        };
        let open = |value: String| Text {
            message: inputs::open_value(dialect) + &value,
            ..Text::default()
        };
        match self {
            Shape::Prose => {
                let text = inputs::prose(len);
                let message = inputs::opening(dialect).to_string() + &text;
                Text { message, text, ..Text::default() }
            }
            Shape::Code => plain(inputs::code(len)),
            Shape::LessThan => plain("<".repeat(len)),
            Shape::HalfMarkers => plain(half_markers(dialect, len, chunk)),
            Shape::BigValue => value(inputs::prose(len)),
            Shape::CodeValue | Shape::JsonEscapes => value(inputs::code(len)),
            Shape::JsonArgs => json_args(dialect, len),
            Shape::ManyCalls => many_calls(dialect, len),
            Shape::Reasoning => {
                let reasoning = inputs::prose(len);
                let message = format!("<think>{reasoning}</think>Yes.");
                Text { message, reasoning, text: "Yes.".into(), ..Text::default() }
            }
            Shape::ReactAnswer => {
                let text = " ".to_string() + &inputs::prose(len);
                Text { message: format!("Final Answer:{text}"), text, ..Text::default() }
            }
            Shape::HalfClosers => unread(open(filled(&inputs::half_closer(dialect), len))),
            Shape::Newlines => unread(open("\n".repeat(len))),
            Shape::OpenCall => unread(open(inputs::prose(len))),
        }
    }
}

/// A message, and its expected result.
#[derive(Clone, Debug, Default)]
pub struct Text {
    pub message: String,
    pub text: String,
    pub reasoning: String,
    /// All values, or all arguments, joined.
    pub values: String,
    /// The number of calls, if there are many.
    pub calls: usize,
    /// Only the sum of all slices is known: if the stream cuts a value, the tests know which part of its end
    /// is value and which is half a marker.
    pub only_conserved: bool,
}

impl Text {
    /// Panics unless the right bytes come out of each of the entry points.
    pub fn check(&self, parser: &Parser, chunk: usize, entries: &[(&str, Entry)]) {
        let found = super::read(parser, &self.message, chunk);
        if !self.only_conserved {
            assert!(found.text == self.text, "the text is wrong");
            assert!(found.reasoning == self.reasoning, "the reasoning is wrong");
            assert!(found.values == self.values, "the values are wrong");
        }
        for (name, entry) in entries {
            let total = entry(parser, &self.message, chunk);
            assert_eq!(total, self.message.len(), "bytes in slices, through {name}");
        }
    }
}

fn plain(message: String) -> Text {
    Text { text: message.clone(), message, ..Text::default() }
}

fn unread(text: Text) -> Text {
    Text { only_conserved: true, ..text }
}

/// Repeats `unit` up to at least `len` bytes.
fn filled(unit: &str, len: usize) -> String {
    unit.repeat(len.div_ceil(unit.len()))
}

fn json_args(dialect: &Dialect, len: usize) -> Text {
    let member =
        "\"key\": {\"on\": [1, 2.5, true, null, -7], \"of\": \"some text\", \"in\": {}},\n";
    let members = filled(member, len) + "\"end\": 0";
    Text {
        message: inputs::write_members(dialect, &members),
        values: format!("{{{members}}}"),
        text: inputs::after_call(dialect).into(),
        ..Text::default()
    }
}

fn many_calls(dialect: &Dialect, len: usize) -> Text {
    let message = inputs::write(dialect, "a few words");
    let times = len.div_ceil(message.len());
    Text {
        message: message.repeat(times),
        calls: times,
        text: inputs::after_call(dialect).repeat(times),
        values: inputs::written(dialect, "a few words").repeat(times),
        ..Text::default()
    }
}

/// Ends every `chunk` bytes with as much of a call's opener as fits.
fn half_markers(dialect: &Dialect, len: usize, chunk: usize) -> String {
    let opener = inputs::opener(dialect);
    let half = &opener[..(opener.len() - 1).min(chunk.min(64) / 2)];
    let unit = "x".repeat(chunk.min(64) - half.len()) + half;
    filled(&unit, len)
}
