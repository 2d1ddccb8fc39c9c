//! Lark, as `llguidance` reads it.
//!
//! A lexer takes the longest text that fits. A value that may hold its own closer is therefore one token with its
//! closer and the whole marker behind that. The text before that marker must not hold a closer with a possible
//! successor. So no such token is the beginning of another.

use super::marks::{Marks, Thought, WHITE, escaped, one_of};
use super::{Argument, Call, Content, INDEX, Message};

pub(super) fn grammar(message: &Message<'_>) -> String {
    let Message { tables, calls, thought, .. } = message;
    let more = match tables.options.tool_limit {
        None => "next* ".to_string(),
        Some(1) => String::new(),
        Some(most) => format!("next{{0,{}}} ", most - 1),
    };
    let begin = match thought {
        Some(thought) if thought.must_come => "THOUGHT ",
        Some(_) => "THOUGHT? ",
        None => "",
    };
    let rest = match (message.may_call(), message.must_call()) {
        (false, _) => "TEXT?".to_string(),
        (true, true) => format!("call {more}AFTER?"),
        (true, false) if thought.is_none() => format!("TEXT? | call {more}AFTER?"),
        (true, false) => format!("(TEXT? | call {more}AFTER?)"),
    };
    let mut lines = vec![
        format!("start: {begin}{rest}"),
        format!("TEXT: {}", without(&Marks::in_text(tables))),
    ];
    lines.extend(thought.as_ref().map(|thought| format!("THOUGHT: {}", block(thought))));
    if !message.may_call() {
        return lines.join("\n") + "\n";
    }
    lines.push(format!("AFTER: {}", without(&Marks::after(tables, &calls[0]))));
    for (rule, head, text) in [("call", "CALL", "TEXT"), ("next", "NEXT", "AFTER")] {
        let ways: Vec<String> =
            (0..calls.len()).map(|number| format!("{head}_{number} values_{number}")).collect();
        lines.push(format!("{rule}: {}", ways.join(" | ")));
        for (number, call) in calls.iter().enumerate() {
            lines.push(format!("{head}_{number}: {text} {}", expression(&call.open)));
        }
    }
    values(calls, &mut lines);
    lines.join("\n") + "\n"
}

/// Returns the grammar of the text behind the opener of these calls, up to the end of a call.
pub(super) fn behind_opener(calls: &[Call<'_>]) -> String {
    let way = |(number, call): (usize, &Call<'_>)| {
        format!("{} values_{number}", expression(call.behind_opener()))
    };
    let ways: Vec<String> = calls.iter().enumerate().map(way).collect();
    let mut lines = vec![format!("start: {}", ways.join(" | "))];
    values(calls, &mut lines);
    lines.join("\n") + "\n"
}

/// Writes the values of calls, and the closer of each call.
fn values(calls: &[Call<'_>], lines: &mut Vec<String>) {
    for (number, call) in calls.iter().enumerate() {
        let ways = call.ways(number, 0, ["", ""], lines);
        lines.push(format!("values_{number}: {ways}"));
        for (at, Argument { content, around: [_, close], .. }) in call.values.iter().enumerate() {
            let name = format!("{number}_{at}");
            let value = match content {
                Content::Json(schema) => {
                    lines.push(format!("json_{name}: %json {schema}"));
                    format!("json_{name} ({})", call.ways(number, at + 1, ["", close], lines))
                }
                Content::Text(marks) => {
                    lines.push(format!("TEXT_{name}: {}", without(marks)));
                    call.ways(number, at + 1, [&format!("TEXT_{name} "), close], lines)
                }
            };
            lines.push(format!("value_{name}: {value}"));
        }
    }
}

impl Call<'_> {
    /// Writes the continuations from this value on: the text before each further value with that value's rule, or the
    /// end. `close` closes the value before them; with `token`, that value is one token with its closer and the text.
    fn ways(
        &self,
        number: usize,
        from: usize,
        [token, close]: [&str; 2],
        lines: &mut Vec<String>,
    ) -> String {
        let required = (from..self.values.len()).find(|at| self.values[*at].required);
        let next = from..required.map_or(self.values.len(), |at| at + 1);
        let next = next.map(|at| (&*self.values[at].around[0], format!(" value_{number}_{at}")));
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

/// A block of reasoning.
fn block(thought: &Thought) -> String {
    let one_of = |texts: &[String]| one_of(texts.iter().map(|text| escaped(text)));
    let text = lacking(&one_of(&thought.excludes));
    let open = match thought.open.is_empty() {
        true => String::new(),
        false => format!("/{}/ ", one_of(&thought.open)),
    };
    format!("({open}({text}) /{}/)", one_of(&thought.close))
}

/// Writes an expression for texts without these.
fn without(marks: &Marks) -> String {
    let text = lacking(&marks.expression());
    match &*marks.first {
        "" => text,
        first => format!("{text} & ~/{WHITE}[{}](?s:.*)/", escaped(first)),
    }
}

/// Writes an expression for texts in which this expression finds nothing.
fn lacking(expression: &str) -> String {
    format!("/(?s:.*)/ & ~/(?s:.*){expression}(?s:.*)/")
}

/// A text that may hold the index of a call.
fn expression(text: &str) -> String {
    let texts: Vec<String> = text.split(INDEX).map(escaped).collect();
    if text.is_empty() { r#""""#.into() } else { format!("/{}/", texts.join("[0-9]{1,3}")) }
}
