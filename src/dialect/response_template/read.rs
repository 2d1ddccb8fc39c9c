//! A response template as a dialect.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::field::{Field, known};
use super::mark::{first_written, mark, written};
use super::shape::{Item, Shape, shapes};
use super::{Result, problem_at};
use crate::dialect::facts::{Facts, Framing};
use crate::dialect::literals::Literals;
use crate::dialect::shape::object::{ARGUMENT_KEYS, NAME_KEYS};
use crate::dialect::template::{
    ArgumentsForm, CallForm, LineBreaks, LiteralForm, ParamForm, Template,
};
use crate::dialect::{Dialect, Text};
use crate::event::TypeHint;
use crate::family;
use crate::family::fields::chars::Chars;
use crate::family::fields::mark::{self, Mark};
use crate::family::fields::{self, Content, Fields};
use crate::options::CallsInReasoning;
use crate::options::json::JsonError;
use crate::read::machine::Grammar;
use crate::read::prose::Prose;

/// The names of the reasoning field.
const REASONING: &[&str] = &["thinking", "reasoning", "reasoning_content"];

/// The transform that makes a field a call.
struct Calls {
    /// The group of the opener that captures the tool's name.
    group: Option<String>,
    /// The object has a member for the id.
    ids: bool,
    /// The keys of name and arguments in the object.
    keys: [String; 2],
    each: bool,
}

/// The hole of a transform's text that is one hole and nothing else.
fn hole(value: &Value) -> Option<&str> {
    value.as_str()?.strip_prefix('{')?.strip_suffix('}')
}

impl Calls {
    fn read(field: &Field) -> Result<Calls> {
        let place = field.at("transform");
        let each = field.object.get("transform_each") == Some(&Value::Bool(true));
        let mut calls =
            Calls { group: None, ids: false, keys: ["name".into(), "arguments".into()], each };
        let Some(transform) = field.object.get("transform") else { return Ok(calls) };
        let call = transform.get("function").unwrap_or(transform);
        let outer = transform.as_object().filter(|_| transform.get("function").is_some());
        for (key, value) in outer.into_iter().chain(call.as_object()).flatten() {
            match (key.as_str(), hole(value)) {
                ("type", None) | ("function", _) => {}
                ("id", Some(id)) => calls.ids = each || id.starts_with("content."),
                ("name", Some(hole)) => match calls.member(hole) {
                    Some(member) => calls.keys[0] = member,
                    None => calls.group = Some(hole.into()),
                },
                ("arguments", Some("content")) if !each => calls.keys[1].clear(),
                ("arguments", Some(hole)) => match calls.member(hole) {
                    Some(member) => calls.keys[1] = member,
                    None => return problem_at(place + ".arguments", "must come from the content"),
                },
                _ => {
                    return problem_at(
                        format!("{place}.{key}"),
                        "no part of a call that is known here",
                    );
                }
            }
        }
        match (&calls.group, calls.keys[1].is_empty()) {
            (Some(_), true) | (None, false) => Ok(calls),
            _ => problem_at(
                place,
                "name and arguments come both from the content, or the name alone from the opener",
            ),
        }
    }

    /// The key of the object's member that a hole names.
    fn member(&self, hole: &str) -> Option<String> {
        let member = if self.each { Some(hole) } else { hole.strip_prefix("content.") };
        member.filter(|key| !key.contains('.')).map(String::from)
    }
}

/// A dialect under construction.
#[derive(Default)]
struct Builder {
    fields: fields::Texts,
    call: CallForm,
    /// A member of an object may hold the call's id.
    ids: bool,
    /// Values are declared as JSON.
    json: bool,
    /// White space at the ends of values that belongs to the template.
    framing: Framing,
    literals: Option<Literals>,
}

impl Builder {
    /// The openers and closers of a field.
    fn field(field: &Field) -> Result<fields::Field> {
        let (open, close, starts) = (field.openers()?, field.closers()?, field.at_start());
        Ok(fields::Field { open, close, starts })
    }

    fn prose(&mut self, field: &Field, thinks: bool) -> Result {
        field.text()?;
        let of = Self::field(field)?;
        match (&field.open, thinks) {
            (None, _) => self.fields.text = Some(of.close),
            (Some(_), true) => self.fields.thinks = Some(of),
            (Some(_), false) => self.fields.content = Some(of),
        }
        Ok(())
    }

    fn calls(&mut self, field: &Field) -> Result {
        let calls = Calls::read(field)?;
        // Without an opener all text would be calls.
        if field.at_start() || field.open.is_none() {
            return problem_at(field.at("open"), "calls have an opener of their own");
        }
        let shapes = field.open.as_deref().unwrap_or_default();
        if let Some(group) = &calls.group {
            let has = |way: &Shape| {
                way.iter().any(|item| matches!(item, Item::Named(name, _) if name == group))
            };
            if !shapes.iter().all(has) {
                return problem_at(field.at("open_pattern"), format!("it has no group `{group}`"));
            }
        }
        let form = &mut self.call;
        form.open = first_written(shapes).into();
        form.close = first_written(&field.close).into();
        match (field.content()?, &calls.group) {
            ("json", None) => self.objects(field, &calls),
            ("json", Some(_)) => self.arguments(field),
            ("xml-inline", Some(_)) => self.tags(field),
            ("kv-lines", Some(_)) => self.lines(field),
            ("xml-inline" | "kv-lines", None) => {
                problem_at(field.at("transform"), "the opener must name the tool")
            }
            (other, _) => {
                let what = format!("`{other}`: a call is `json`, `xml-inline` or `kv-lines`");
                problem_at(field.at("content"), what)
            }
        }
    }

    /// Objects that are calls.
    fn objects(&mut self, field: &Field, calls: &Calls) -> Result {
        let plain = |args: &Value| args.as_object().is_some_and(Map::is_empty);
        if !field.object.get("content_args").is_none_or(plain) {
            let what = "an object that is a call is plain JSON: omit this key";
            return problem_at(field.at("content_args"), what);
        }
        let [name, object] = &calls.keys;
        if !NAME_KEYS.contains(&&**name) || !ARGUMENT_KEYS.contains(&&**object) {
            let what = format!(
                "an object that is a call has its name under {} and its arguments under {}",
                NAME_KEYS.join(", "),
                ARGUMENT_KEYS.join(", ")
            );
            return problem_at(field.at("transform"), what);
        }
        self.fields.calls = Some((Self::field(field)?, Content::Calls));
        self.ids = calls.ids;
        let form = &mut self.call;
        let [before, after] = if calls.each { ["[", "]"] } else { ["", ""] };
        form.open =
            format!("{}{before}{{\"{name}\": {{json_name}}, \"{object}\": ", form.open).into();
        form.close = format!("}}{after}{}", form.close).into();
        Ok(())
    }

    /// An object with all arguments of a call.
    fn arguments(&mut self, field: &Field) -> Result {
        let literals = literals(field)?;
        self.fields.calls = Some((Self::field(field)?, Content::Arguments(literals.clone())));
        self.literals = literals.clone();
        if let Some(literals) = literals {
            let form = LiteralForm {
                quote: literals.quote,
                separator: ":".into(),
                between: ",".into(),
                ..LiteralForm::default()
            };
            let call = &mut self.call;
            call.arguments = ArgumentsForm::Literals(form);
            call.open = format!("{}{{", call.open).into();
            call.close = format!("}}{}", call.close).into();
        }
        Ok(())
    }

    /// Parameters in tags.
    fn tags(&mut self, field: &Field) -> Result {
        let place = field.at("content_args.tag_pattern");
        let args = field.args(&["tag_pattern", "value_parser", "merge_duplicates"])?;
        let Some(Value::String(tag)) = args.and_then(|args| args.get("tag_pattern")) else {
            return problem_at(place, "a text with the groups `key` and `value`");
        };
        if args.and_then(|args| args.get("merge_duplicates")) == Some(&Value::Bool(true)) {
            let what = "if a key comes twice, its last value counts";
            return problem_at(field.at("content_args.merge_duplicates"), what);
        }
        let ways = shapes(tag).or_else(|what| problem_at(&*place, what))?;
        let mut framing = Framing::None;
        let mut tags: Vec<[Shape; 2]> = Vec::new();
        for way in ways {
            let value = |item: &Item| matches!(item, Item::Named(name, _) if name == "value");
            let Some(at) = way.iter().position(value) else {
                return problem_at(place, "it has no group `value`");
            };
            if way[at] != Item::Named("value".into(), Item::Until.into()) {
                return problem_at(place, "the group `value` is `.*?`");
            }
            let (before, after) = (&way[..at], &way[at + 1..]);
            let white = |item: Option<&Item>| item.filter(|item| item.is_white()).cloned();
            let frame = [white(before.last()), white(after.first())];
            let before = &before[..before.len() - usize::from(frame[0].is_some())];
            let after = &after[usize::from(frame[1].is_some())..];
            let line = |item: &Item| matches!(item, Item::Run { max: Some(1), .. });
            framing = if frame == [None, None] {
                Framing::None
            } else if frame.iter().flatten().all(line) {
                Framing::LineBreak
            } else {
                Framing::Trimmed
            };
            tags.push([before.to_vec(), after.to_vec()]);
        }
        framing = self.value_parser(field, args, framing)?;
        let marks = |part: usize| {
            let all = tags.iter().map(|tag| mark(&tag[part], &place));
            all.collect::<Result<Vec<Mark>>>()
        };
        let (open, close) = (marks(0)?, marks(1)?);
        let content = Content::Tags { open, close, framing: framed(framing) };
        self.fields.calls = Some((Self::field(field)?, content));
        self.framing = framing;
        let [open, close] = tags[0].each_ref().map(|shape| written(shape).into());
        let line_breaks = LineBreaks::AtEnds;
        self.call.arguments =
            ArgumentsForm::Params(ParamForm { open, close, line_breaks, ..ParamForm::default() });
        Ok(())
    }

    /// Reads the parser of a value, beside the framing of its tag.
    fn value_parser(
        &mut self,
        field: &Field,
        args: Option<&Map<String, Value>>,
        framing: Framing,
    ) -> Result<Framing> {
        let Some(parser) = args.and_then(|args| args.get("value_parser")) else {
            return Ok(framing);
        };
        let arg = |key: &str| parser.get("args").and_then(|args| args.get(key));
        match parser.get("name").and_then(Value::as_str) {
            Some("text") if arg("strip") == Some(&Value::Bool(false)) => Ok(framing),
            // The schema says which values are JSON.
            Some("json") if arg("allow_non_json") == Some(&Value::Bool(true)) => {
                Ok(Framing::Trimmed)
            }
            Some("text") => Ok(Framing::Trimmed),
            Some("json") => {
                self.json = true;
                Ok(framing)
            }
            _ => problem_at(field.at("content_args.value_parser"), "a value is `text` or `json`"),
        }
    }

    /// Parameters on lines of their own.
    fn lines(&mut self, field: &Field) -> Result {
        let args = field.args(&["line_sep", "kv_sep", "value_parser", "strip"])?;
        let text = |key: &str, default: &str| match args.and_then(|args| args.get(key)) {
            None => Ok(default.to_string()),
            Some(Value::String(text)) if !text.is_empty() => Ok(text.clone()),
            Some(_) => {
                problem_at(field.at("content_args") + "." + key, "must be a text that is not empty")
            }
        };
        let (line, separator) = (text("line_sep", "\n")?, text("kv_sep", ":")?);
        let strip = args.and_then(|args| args.get("strip")) != Some(&Value::Bool(false));
        let framing = if strip { Framing::Trimmed } else { Framing::None };
        let framing = self.value_parser(field, args, framing)?;
        let of = Self::field(field)?;
        // A key holds none of the bytes that begin the text behind it, or the closer.
        let first = |text: &str| text.chars().next();
        let closes = of.close.iter().filter_map(|mark| match mark.first() {
            Some(mark::Piece::Text(text)) => first(text),
            _ => None,
        });
        let ends: String =
            [&line, &separator].iter().filter_map(|text| first(text)).chain(closes).collect();
        let Some(chars) = ends.is_ascii().then(|| Chars::except(&(ends + "\r\n \t"))) else {
            return problem_at(
                field.at("content_args"),
                "separators and closers begin with ASCII characters",
            );
        };
        let blanks = mark::Piece::Run {
            chars: Chars::only(" \t"),
            min: 0,
            max: crate::options::bounds::WHITE_SPACE as u16,
        };
        let text = |text: &str| mark::Piece::Text(text.into());
        let name = mark::Piece::Name(mark::Of::Param, chars);
        let first = vec![blanks.clone(), name, blanks, text(&separator)];
        let next = [&[text(&line)], &*first].concat();
        let content =
            Content::Lines { first, next, end: line.as_str().into(), framing: framed(framing) };
        self.fields.calls = Some((of, content));
        self.framing = framing;
        let open = format!("{line}{{key}}{separator}{}", if strip { " " } else { "" });
        let param = ParamForm { open: open.into(), ..ParamForm::default() };
        let call = &mut self.call;
        call.arguments = ArgumentsForm::Params(param);
        call.close = format!("{line}{}", call.close).into();
        Ok(())
    }
}

/// Returns the white space that the reader takes off a value. `Message` trims the rest.
fn framed(framing: Framing) -> family::Framing {
    match framing {
        Framing::LineBreak => family::Framing::LineBreak,
        _ => family::Framing::None,
    }
}

/// The literals in which an object is written, if it is not plain JSON.
fn literals(field: &Field) -> Result<Option<Literals>> {
    let Some(args) = field.args(&["unquoted_keys", "string_delims", "allow_non_json"])? else {
        return Ok(None);
    };
    if args.get("allow_non_json") == Some(&Value::Bool(true)) {
        return problem_at(field.at("content_args.allow_non_json"), "arguments are an object");
    }
    let place = field.at("content_args.string_delims");
    let pairs = match args.get("string_delims") {
        None => &[][..],
        Some(Value::Array(pairs)) => pairs,
        Some(_) => return problem_at(place, "must be a list of pairs"),
    };
    let quote: Text = match pairs {
        [] => "".into(),
        [Value::Array(pair)] => match pair.as_slice() {
            [Value::String(open), Value::String(close)] if open == close => open.clone().into(),
            _ => return problem_at(place, "a string is closed by the text that opened it"),
        },
        _ => return problem_at(place, "one pair"),
    };
    let unquoted = args.get("unquoted_keys") == Some(&Value::Bool(true));
    Ok((unquoted || !quote.is_empty()).then(|| Literals { quote, ..Literals::default() }))
}

impl Dialect {
    /// Reads the output grammar that a checkpoint ships as data: the `response_template` (version 1) of its
    /// `tokenizer_config.json`. The dialect is named `response-template`; give it a name of its own if you
    /// use two. The written form has the calls alone, no prompt and no results.
    ///
    /// The template is read as everything in this crate, so it can do better than the template's own reader.
    /// A value that holds its own closer goes on, JSON ends where JSON ends, and an opener without a call
    /// behind it is text. Values get their types from the tools' schemas. Text in no field is markup, unless
    /// one field (`content`) has no opener. `start_anchor`, `defaults`, `repeats`, `join` and `optional` say
    /// nothing about the text of a message, and are ignored.
    ///
    /// ```
    /// use toolstream::{Dialect, Parser};
    ///
    /// let template = r#"{
    ///     "start_anchor": "<bot>",
    ///     "fields": {
    ///         "thinking": {"open": "<think>", "close": "</think>"},
    ///         "content": {"close": "<eot>"},
    ///         "tool_calls": {
    ///             "open_pattern": "<run (?P<name>[\\w.]+)>", "close": "</run>", "repeats": true,
    ///             "content": "json",
    ///             "transform": {"type": "function", "function": {"name": "{name}", "arguments": "{content}"}}
    ///         }
    ///     }
    /// }"#;
    /// let dialect = Dialect::from_response_template(template)?;
    /// let parser = Parser::builder(&dialect).build()?;
    ///
    /// let message = parser.parse("<think>Hm.</think>So: <run ls>{\"dir\": \"</run>\"}</run><eot>");
    /// let call = message.calls().next().unwrap();
    /// assert_eq!((call.name(), &call.input()["dir"]), ("ls", &"</run>".into()));
    /// assert_eq!(message.text(), "So: ");
    ///
    /// let error = Dialect::from_response_template(&template.replace("[\\\\w.]+", ".*")).unwrap_err();
    /// assert!(error.to_string().starts_with("fields.tool_calls.open_pattern: a `.*` that is not lazy"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`JsonError`] for text that is not JSON, or with the field that cannot be expressed:
    /// * a regular expression beyond literals, classes, optional parts, lazy `.*?` before a text and named
    ///   groups;
    /// * a field other than `content`, `tool_calls` and `thinking` (or `reasoning`, `reasoning_content`);
    /// * a transform that does not make a call.
    pub fn from_response_template(text: &str) -> std::result::Result<Dialect, JsonError> {
        let template: Value = serde_json::from_str(text)?;
        let Some(template) = template.as_object() else {
            return problem_at("response_template", "must be an object");
        };
        known(
            template,
            "",
            &["version", "defaults", "fields", "start_anchor", "start_anchor_pattern"],
        )?;
        if template.get("version").is_some_and(|version| *version != 1) {
            return problem_at("version", "1 is the version that is known here");
        }
        let Some(Value::Object(fields)) = template.get("fields") else {
            return problem_at("fields", "must be an object");
        };
        let fields = fields.iter().map(|(name, field)| Ok((name, Field::read(name, field)?)));
        let fields = fields.collect::<Result<Vec<(&String, Field)>>>()?;
        let implicit =
            |(name, field): &&(&String, Field)| *name != "content" && field.open.is_none();
        if let Some((_, field)) = fields.iter().find(implicit) {
            return problem_at(field.at("open"), "only `content` may lack one");
        }
        let mut builder = Builder::default();
        for (name, field) in &fields {
            match name.as_str() {
                "content" => builder.prose(field, false)?,
                "tool_calls" => builder.calls(field)?,
                name if REASONING.contains(&name) => builder.prose(field, true)?,
                _ => {
                    let what = format!(
                        "no part of a message: use content, tool_calls, {}",
                        REASONING.join(", ")
                    );
                    return problem_at(&*field.place, what);
                }
            }
        }
        Ok(builder.finish(text))
    }
}

impl Builder {
    fn finish(self, origin: &str) -> Dialect {
        let Builder { fields, call, ids, json, framing, literals } = self;
        let id = if call.open.contains("{id}") { "call{index}" } else { "" };
        let mut grammar = Grammar::new(Prose::default(), Box::new(Fields::new(fields)));
        grammar.ids = ids;
        grammar.hints = json.then(|| ("".into(), TypeHint::Json)).into_iter().collect();
        let template = Template { call, ..Template::default() };
        let facts = Facts {
            calls_in_reasoning: CallsInReasoning::Ignore,
            framing: [framing; 2],
            literals,
            id: id.into(),
            ..Facts::new("response-template", "read from a response_template", template)
        };
        Dialect::of_host(facts, Arc::new(grammar), origin.to_string())
    }
}
