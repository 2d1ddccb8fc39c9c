//! Lark, as `llguidance` reads it.
//!
//! A lexer takes the longest text that fits, so a value that may hold its own closer is no token of its
//! own: with its closer and all of the marker that follows it is one, and what comes before that marker
//! must not hold a closer with what may follow one. So no such token is the beginning of another.

use super::marks::{Marks, escaped};
use super::{Call, Content, INDEX};
use crate::machine::tables::Tables;

pub(super) fn grammar(tables: &Tables, calls: &[Call]) -> String {
    let times = match tables.options.tool_limit {
        None => "*".to_string(),
        Some(1) => "?".to_string(),
        Some(most) => format!("{{0,{most}}}"),
    };
    let ways: Vec<String> = (0..calls.len()).map(|number| format!("call_{number}")).collect();
    let mut lines = vec![
        format!("start: call{times} TEXT?"),
        format!("call: {}", ways.join(" | ")),
        format!("TEXT: {}", without(&Marks::in_text(tables))),
    ];
    for (number, call) in calls.iter().enumerate() {
        let ways = call.ways(number, None, "", &mut lines);
        lines.push(format!("HEAD_{number}: TEXT {}", expression(&call.open)));
        lines.push(format!("call_{number}: HEAD_{number} ({ways})"));
        for (at, value) in call.values.iter().enumerate() {
            let name = format!("{number}_{at}");
            match &value.content {
                Content::Json(schema) => {
                    let ways = call.ways(number, Some(at), "", &mut lines);
                    lines.push(format!("value_{name}: json_{name} ({ways})"));
                    lines.push(format!("json_{name}: %json {schema}"));
                }
                Content::Text(marks) => {
                    lines.push(format!("TEXT_{name}: {}", without(marks)));
                    let ways = call.ways(number, Some(at), &format!("TEXT_{name} "), &mut lines);
                    lines.push(format!("value_{name}: {ways}"));
                }
            }
        }
    }
    lines.join("\n") + "\n"
}

impl Call {
    /// All that may come after a value (`None`: at first): the text up to the next one and that one's
    /// rule, or the end. With what must be one token with that text, such a token each.
    fn ways(
        &self,
        number: usize,
        after: Option<usize>,
        token: &str,
        lines: &mut Vec<String>,
    ) -> String {
        let close = after.map_or("", |at| &self.values[at].close);
        let from = after.map_or(0, |at| at + 1);
        let required = (from..self.values.len()).find(|at| self.values[*at].required);
        let next = from..required.map_or(self.values.len(), |at| at + 1);
        let next = next.map(|at| (&*self.values[at].open, format!(" value_{number}_{at}")));
        let end = required.is_none().then(|| (&*self.close, String::new()));
        let ways = next.chain(end).map(|(open, rule)| {
            let text = expression(&[close, open].concat());
            if token.is_empty() {
                return text + &rule;
            }
            let name = format!("VALUE_{}", lines.len());
            lines.push(format!("{name}: {token}{text}"));
            name + &rule
        });
        ways.collect::<Vec<String>>().join(" | ")
    }
}

/// Any text that does not hold one of these.
fn without(marks: &Marks) -> String {
    format!("/(?s:.*)/ & ~/(?s:.*){}(?s:.*)/", marks.expression)
}

/// A text that may hold the index of a call.
fn expression(text: &str) -> String {
    let texts: Vec<String> = text.split(INDEX).map(escaped).collect();
    if text.is_empty() { r#""""#.into() } else { format!("/{}/", texts.join("[0-9]{1,3}")) }
}
