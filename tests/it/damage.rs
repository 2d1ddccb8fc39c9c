//! Two calls in each dialect and each of its forms, with one marker damaged: deleted, misspelt, written twice, or cut short.
//! If a call is complete after that and differs from the intended one, a diagnostic reports it. That holds for a message that
//! the model ended, and for a stream that was cut.

use serde_json::{Map, Value, json};
use toolstream::check::Ended;
use toolstream::{Dialect, Event, Parser, Sink, Tool, diagnostic::Marker, render::CallRef};

/// Tools with arguments of several types, and two without a required one.
fn tools() -> Vec<Tool> {
    let tools = json!([
        {"name": "forecast", "parameters": {"type": "object", "properties": {
            "city": {"type": "string"}, "days": {"type": "integer"}, "where": {"type": "string"}
        }, "required": ["city"]}},
        {"name": "write_file", "parameters": {"type": "object", "properties": {
            "path": {"type": "string"}, "content": {"type": "string"}, "mode": {"type": "string"}
        }, "required": ["path", "content"]}},
        {"name": "status", "parameters": {"type": "object", "properties": {}}},
        {"name": "flags", "parameters": {"type": "object", "properties": {
            "deep": {"type": "boolean"}, "ratio": {"type": "number"}
        }}}
    ]);
    let tools = tools.as_array().expect("a list").iter();
    tools.map(|tool| Tool::from_json(tool).expect("a tool")).collect()
}

type Calls = Vec<(&'static str, Map<String, Value>)>;

/// Pairs of calls.
fn pairs() -> Vec<Calls> {
    let object = |value: Value| value.as_object().expect("an object").clone();
    let forecast = ("forecast", object(json!({"city": "Ósló", "days": 3})));
    let write = ("write_file", object(json!({"path": "a.rs", "content": "one\n  two é\n"})));
    let status = ("status", Map::new());
    let flags = ("flags", object(json!({"deep": true, "ratio": 1.5})));
    vec![
        vec![forecast.clone(), write.clone()],
        vec![write.clone(), forecast.clone()],
        vec![status.clone(), forecast],
        vec![flags, status],
    ]
}

fn parser(dialect: &Dialect) -> Parser {
    let parser = Parser::builder(dialect.clone()).tools(tools()).tool_limit(None);
    parser.build().expect("a parser")
}

/// The markers that count, and the bytes that are markup.
#[derive(Default)]
struct Told {
    at: usize,
    is_markup: Vec<bool>,
    markers: Vec<(usize, usize)>,
}

impl Sink for Told {
    fn event(&mut self, event: Event<&str>) {
        if let Some(&slice) = event.slice() {
            let markup = matches!(event, Event::Markup(_));
            self.is_markup.extend(std::iter::repeat_n(markup, slice.len()));
            self.at += slice.len();
        }
    }

    fn wants_markers(&self) -> bool {
        true
    }

    fn marker(&mut self, marker: &Marker<'_>) {
        if marker.refused.is_none() {
            self.markers.push((marker.at, marker.at + marker.text.len()));
        }
    }
}

/// Byte offsets of the markers in a text. Markup without a marker, such as the keys of a JSON object, is divided at white
/// space.
fn markers(parser: &Parser, text: &str) -> Vec<(usize, usize)> {
    let (mut parser, mut told) = (parser.clone(), Told::default());
    parser.feed_into(text, &mut told);
    parser.finish_into(&mut told);
    let Told { mut markers, is_markup, .. } = told;
    markers.retain(|(start, end)| !text[*start..*end].trim().is_empty());
    for (start, end) in &mut markers {
        let marker = &text[*start..*end];
        *end -= marker.len() - marker.trim_end().len();
        *start += marker.len() - marker.trim_start().len();
    }
    let is_told: Vec<bool> = (0..text.len())
        .map(|at| markers.iter().any(|(start, end)| (*start..*end).contains(&at)))
        .collect();
    let mut open: Option<usize> = None;
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        let is_part = !c.is_whitespace() && is_markup[at] && !is_told[at];
        match open {
            Some(start) if !is_part => {
                markers.push((start, at));
                open = None;
            }
            None if is_part => open = Some(at),
            _ => {}
        }
    }
    markers
}

/// A marker in each of its damaged forms.
fn damaged(marker: &str) -> Vec<String> {
    let chars: Vec<char> = marker.chars().collect();
    let text = |chars: &[char]| chars.iter().collect::<String>();
    let middle = chars.len() / 2;
    let mut other = chars.clone();
    other[middle] = if other[middle] == 'x' { 'é' } else { 'x' };
    let mut forms = vec![
        String::new(),
        text(&other),
        text(&[&chars[..middle], &chars[middle + 1..]].concat()),
        marker.repeat(2),
        text(&chars[..chars.len() - 1]),
        text(&chars[..middle]),
        text(&chars[1..]),
    ];
    forms.sort();
    forms.dedup();
    forms
}

/// Returns a wrong call that is not reported: it runs, was not meant, and no diagnostic tells of it.
fn silent(parser: &Parser, text: &str, ended: Ended, meant: &Calls) -> Option<String> {
    let mut parser = parser.clone();
    let mut message = parser.message();
    parser.feed_into(text, &mut message);
    match ended {
        Ended::Stop => parser.finish_into(&mut message),
        Ended::Cut => parser.finish_cut_into(&mut message),
    }
    if !message.diagnostics().is_empty() {
        return None;
    }
    let calls = message.calls().map(|call| (call.name(), call.input()));
    let is_meant = |(name, input): &(&str, &Map<String, Value>)| {
        meant.iter().any(|(of, arguments)| of == name && arguments == *input)
    };
    let mut wrong = calls.filter(|call| !is_meant(call));
    wrong.next().map(|(name, input)| format!("{name} {}", Value::from(input.clone())))
}

/// Whether the grammar takes a damaged marker for plain text. In ReAct a misspelt keyword is prose, so a tool without required
/// arguments is called without any, and an input that is not JSON is a text. The value of a line may begin with a
/// name and a colon. Where `{NAME: {…}}` is a call, its last brace may be missing, so a name that is written twice is
/// also the name of an argument.
fn is_plain(dialect: &Dialect, what: &str) -> bool {
    match &*dialect.to_string() {
        "react" => {
            what == "flags {}" || what.starts_with("forecast {\"city\":") && what.contains("days")
        }
        "json-array:apertus" => {
            let (name, input) = what.split_once(' ').expect("a name and arguments");
            input.starts_with(&format!("{{\"{name}\":"))
        }
        "code-assistant-caret" => {
            ["\"city\":\"city: ", "\"path\":\"path: "].iter().any(|twice| what.contains(twice))
        }
        _ => false,
    }
}

#[test]
fn no_damaged_marker_makes_a_wrong_call_in_silence() {
    let (mut texts, mut wrong) = (0, Vec::new());
    let all = Dialect::ALL.iter().flat_map(|of| std::iter::once(of.clone()).chain(of.forms()));
    for dialect in &all.collect::<Vec<_>>() {
        let parser = parser(dialect);
        for meant in pairs() {
            let calls: Vec<_> = meant.iter().map(|(name, of)| CallRef::new(name, of)).collect();
            let Ok(text) = parser.render_calls(&calls) else { continue };
            assert_eq!(silent(&parser, &text, Ended::Stop, &meant), None, "{dialect}: {text}");
            for (start, end) in markers(&parser, &text) {
                for form in damaged(&text[start..end]) {
                    let damaged = [&text[..start], &form, &text[end..]].concat();
                    texts += 1;
                    let what = [Ended::Stop, Ended::Cut]
                        .into_iter()
                        .find_map(|ended| silent(&parser, &damaged, ended, &meant))
                        .filter(|what| !is_plain(dialect, what));
                    wrong.extend(what.map(|what| format!("{dialect}: {damaged:?}: {what}")));
                }
            }
        }
    }
    assert!(texts > 15_000, "{texts} texts");
    assert!(wrong.is_empty(), "{} of {texts}:\n{}", wrong.len(), wrong.join("\n"));
}
