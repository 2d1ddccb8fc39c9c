//! A response template as a [`DialectSpec`].

use serde_json::{Map, Value};

use super::field::{Field, known};
use super::mark::{first_written, mark, written};
use super::shape::{Item, Shape, shapes};
use super::{Result, wrong};
use crate::dialect::bracket::{body, call, closer, opener, value};
use crate::dialect::build::rule;
use crate::dialect::spec::{
    At, Between, CallKind, Chars, DialectSpec, Flags, Framing, Gives, Literals, Name, Pattern,
    Piece, Place, Rule, Run, Scope, SectionKind, Text, ValueKind, What,
};
use crate::dialect::template::{
    ArgumentsForm, CallForm, LineBreaks, LiteralForm, ParamForm, Template,
};
use crate::dialect::tool_call::{ARGUMENT_KEYS, CALL_KEYS, members, objects, plain_json};
use crate::event::TypeHint;
use crate::options::json::JsonError;
use crate::pattern;

/// The reasoning field has one of these names.
const REASONING: &[&str] = &["thinking", "reasoning", "reasoning_content"];

/// What makes a call of a region.
struct Calls {
    /// The group of the opener that is the tool's name.
    group: Option<String>,
    /// The id is written in the object.
    ids: bool,
    /// The keys of name and arguments in the object, where they stand in it.
    keys: [String; 2],
    each: bool,
}

/// The hole of a transform that is nothing else.
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
                    None => return wrong(place + ".arguments", "must come from the content"),
                },
                _ => {
                    return wrong(format!("{place}.{key}"), "no part of a call that is known here");
                }
            }
        }
        match (&calls.group, calls.keys[1].is_empty()) {
            (Some(_), true) | (None, false) => Ok(calls),
            _ => wrong(
                place,
                "name and arguments come both from the content, or the name alone from the opener",
            ),
        }
    }

    /// The key of the content that a hole names.
    fn member(&self, hole: &str) -> Option<String> {
        let member = if self.each { Some(hole) } else { hole.strip_prefix("content.") };
        member.filter(|key| !key.contains('.')).map(String::from)
    }
}

/// The table as it grows.
struct Builder {
    spec: DialectSpec,
    /// Rules of the openers of all fields.
    openers: Vec<Rule>,
    /// Where the fields stand: in text, if a field is all that is in no other one.
    home: Place,
}

impl Builder {
    /// The rules that end a field.
    fn ends(&self, closers: &[Pattern], scope: Scope) -> Vec<Rule> {
        let then = Some(self.home).filter(|home| *home != Place::Prose(0));
        let ends = |mark: &Pattern| {
            let mut ends = rule(mark.clone()).close(scope);
            ends.action.then = then;
            ends
        };
        closers.iter().map(ends).collect()
    }

    /// What opens a field.
    fn opens(&mut self, field: &Field, opens: impl Fn(Pattern) -> Rule) -> Result {
        self.openers.extend(field.openers()?.into_iter().map(opens));
        Ok(())
    }

    /// What opens a call, if one of these follows; the next kind of calls is its.
    fn opens_call(&mut self, field: &Field, follow: &[Pattern]) -> Result {
        let place = Place::Call(self.spec.calls.len() as u8);
        self.opens(field, |mark| opener(mark, 1, follow).open(place))
    }

    fn prose(&mut self, field: &Field, kind: u8) -> Result {
        field.text()?;
        let closers = field.closers()?;
        match &field.open {
            None => {
                let literal = |closer: &Pattern| match closer.as_slice() {
                    [Piece::Lit(text)] => Some(text.clone()),
                    _ => None,
                };
                self.spec.boundary = closers.iter().filter_map(literal).collect();
                self.openers
                    .extend(closers.into_iter().map(|mark| rule(mark).not(Flags::REASONING)));
            }
            Some(_) => {
                let place = Place::Prose(kind);
                self.opens(field, |mark| rule(mark).not(Flags::REASONING).open(place))?;
                let mut rules = self.ends(&closers, Scope::Prose);
                if kind == 1 {
                    // The prompt may have opened it: its opener in front of it, and its closer in text.
                    let again = field.openers()?.into_iter();
                    rules.extend(again.map(|mark| rule(mark).needs(Flags::STREAM_START)));
                    if self.home == Place::Prose(0) {
                        let orphan = |mark| {
                            rule(mark).not(Flags::REASONING).does(What::Orphan(Scope::Prose))
                        };
                        self.openers.extend(closers.into_iter().map(orphan));
                    }
                }
                self.spec.prose[kind as usize].rules.extend(rules);
            }
        }
        if field.at_start() {
            self.spec.entry = Place::Prose(kind);
        }
        Ok(())
    }

    fn calls(&mut self, field: &Field) -> Result {
        let calls = Calls::read(field)?;
        if field.at_start() || field.open.is_none() {
            return wrong(field.at("open"), "calls have an opener of their own");
        }
        let shapes = field.open.as_deref().unwrap_or_default();
        if let Some(group) = &calls.group {
            let has = |way: &Shape| {
                way.iter().any(|item| matches!(item, Item::Named(name, _) if name == group))
            };
            if !shapes.iter().all(has) {
                return wrong(field.at("open_pattern"), format!("it has no group `{group}`"));
            }
        }
        let form = &mut self.spec.template.call;
        form.open = first_written(shapes).into();
        form.close = first_written(&field.close).into();
        match (field.content()?, &calls.group) {
            ("json", None) => self.objects(field, &calls),
            ("json", Some(_)) => self.arguments(field),
            ("xml-inline", Some(_)) => self.tags(field),
            ("kv-lines", Some(_)) => self.lines(field),
            ("xml-inline" | "kv-lines", None) => {
                wrong(field.at("transform"), "the opener must name the tool")
            }
            (other, _) => {
                let what = format!("`{other}`: a call is `json`, `xml-inline` or `kv-lines`");
                wrong(field.at("content"), what)
            }
        }
    }

    /// Objects that are calls.
    fn objects(&mut self, field: &Field, calls: &Calls) -> Result {
        let plain = |args: &Value| args.as_object().is_some_and(Map::is_empty);
        if !field.object.get("content_args").is_none_or(plain) {
            let what = "an object that is a call is plain JSON: leave this out";
            return wrong(field.at("content_args"), what);
        }
        let names = &CALL_KEYS[..CALL_KEYS.len() - ARGUMENT_KEYS.len()];
        let [name, object] = &calls.keys;
        if !names.contains(&&**name) || !ARGUMENT_KEYS.contains(&&**object) {
            let what = format!(
                "an object that is a call has its name under {} and its arguments under {}",
                names.join(", "),
                ARGUMENT_KEYS.join(", ")
            );
            return wrong(field.at("transform"), what);
        }
        let closers = field.closers()?;
        let kind = self.spec.bodies.len() as u8;
        let section = self.spec.sections.len() as u8;
        let place = Place::Section(section);
        self.opens(field, |mark| opener(mark, 1, &plain_json()).open(place))?;
        let mut between = objects(kind, &members(), None);
        between.rules.extend(self.ends(&closers, Scope::Section));
        self.spec.sections.push(between);
        let then = (self.home != Place::Prose(0)).then_some(section);
        self.spec.bodies.push(body(Gives::Call, then, closers));
        self.spec.ids = calls.ids;
        let form = &mut self.spec.template.call;
        let [before, after] = if calls.each { ["[", "]"] } else { ["", ""] };
        form.open =
            format!("{}{before}{{\"{name}\": {{json_name}}, \"{object}\": ", form.open).into();
        form.close = format!("}}{after}{}", form.close).into();
        Ok(())
    }

    /// An object that is all of a call's arguments.
    fn arguments(&mut self, field: &Field) -> Result {
        let literals = literals(field)?;
        let closers = field.closers()?;
        self.opens_call(field, &[pattern!["{"]])?;
        let object = Place::Body(self.spec.bodies.len() as u8);
        let mut rules = vec![rule(pattern!["{"]).needs(Flags::CALL_START).open(object)];
        rules.extend(self.ends(&closers, Scope::Call));
        self.spec.calls.push(call(rules));
        let ends = self.ends(&closers, Scope::Section);
        let gives = literals.clone().map_or(Gives::Arguments, Gives::Params);
        self.spec.bodies.push(body(gives, Some(self.spec.sections.len() as u8), closers));
        let between = Between::Only(Chars::WHITE);
        self.spec.sections.push(SectionKind { rules: ends, between, calls: false });
        if let Some(literals) = literals {
            let form = LiteralForm {
                quote: literals.quote,
                separator: ":".into(),
                between: ",".into(),
                ..LiteralForm::default()
            };
            let call = &mut self.spec.template.call;
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
            return wrong(place, "a text with the groups `key` and `value`");
        };
        if args.and_then(|args| args.get("merge_duplicates")) == Some(&Value::Bool(true)) {
            let what = "of a key that comes twice the last value counts";
            return wrong(field.at("content_args.merge_duplicates"), what);
        }
        let ways = shapes(tag).or_else(|what| wrong(&*place, what))?;
        let mut framing = Framing::None;
        let mut tags: Vec<[Shape; 2]> = Vec::new();
        for way in ways {
            let value = |item: &Item| matches!(item, Item::Named(name, _) if name == "value");
            let Some(at) = way.iter().position(value) else {
                return wrong(place, "it has no group `value`");
            };
            if way[at] != Item::Named("value".into(), Item::Until.into()) {
                return wrong(place, "the group `value` is `.*?`");
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
            all.collect::<Result<Vec<Pattern>>>()
        };
        let (params, ends, closers) = (marks(0)?, marks(1)?, field.closers()?);
        // What else may stand between two tags the template does not say: a closing tag may.
        let closing = pattern!["</", Name::element(), ">"];
        let kind = self.spec.values.len() as u8;
        let next = [params.clone(), closers.clone(), vec![closing.clone()]].concat();
        self.opens_call(field, &next)?;
        let mut in_call: Vec<Rule> =
            params.iter().map(|mark| rule(mark.clone()).param(kind)).collect();
        in_call.extend(self.ends(&closers, Scope::Call));
        in_call.push(rule(closing).noise());
        let whole_at_end = closers.is_empty();
        self.spec.calls.push(CallKind { whole_at_end, ..call(in_call) });
        let rules = ends.into_iter().map(|mark| closer(mark, &next)).collect();
        self.spec.values.push(value(framing, rules));
        let [open, close] = tags[0].each_ref().map(|shape| written(shape).into());
        let line_breaks = LineBreaks::AtEnds;
        self.spec.template.call.arguments =
            ArgumentsForm::Params(ParamForm { open, close, line_breaks, ..ParamForm::default() });
        Ok(())
    }

    /// What is done with a value, beside what its tag says.
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
            // What is JSON the schema says.
            Some("json") if arg("allow_non_json") == Some(&Value::Bool(true)) => {
                Ok(Framing::Trimmed)
            }
            Some("text") => Ok(Framing::Trimmed),
            Some("json") => {
                self.spec.hints = vec![("".into(), TypeHint::Json)];
                Ok(framing)
            }
            _ => wrong(field.at("content_args.value_parser"), "a value is `text` or `json`"),
        }
    }

    /// A parameter a line.
    fn lines(&mut self, field: &Field) -> Result {
        let args = field.args(&["line_sep", "kv_sep", "value_parser", "strip"])?;
        let text = |key: &str, default: &str| match args.and_then(|args| args.get(key)) {
            None => Ok(default.to_string()),
            Some(Value::String(text)) if !text.is_empty() => Ok(text.clone()),
            Some(_) => {
                wrong(field.at("content_args") + "." + key, "must be a text that is not empty")
            }
        };
        let (line, separator) = (text("line_sep", "\n")?, text("kv_sep", ":")?);
        let strip = args.and_then(|args| args.get("strip")) != Some(&Value::Bool(false));
        let framing = if strip { Framing::Trimmed } else { Framing::None };
        let framing = self.value_parser(field, args, framing)?;
        let closers = field.closers()?;
        // A key holds nothing that what follows it, or the closer, begins with.
        let first = |text: &str| text.chars().next();
        let closes = closers.iter().filter_map(|mark| match mark.first() {
            Some(Piece::Lit(text)) => first(text),
            _ => None,
        });
        let ends: String =
            [&line, &separator].iter().filter_map(|text| first(text)).chain(closes).collect();
        let Some(chars) = ends.is_ascii().then(|| Chars::except(&(ends + "\r\n \t"))) else {
            return wrong(
                field.at("content_args"),
                "separators and closers begin with ASCII characters",
            );
        };
        let blanks = Run::new(Chars::BLANK, 0, crate::bounds::WHITE_SPACE as u16);
        let key = pattern![blanks, Name::param().chars(chars), blanks, separator.clone()];
        let marks =
            [[pattern![At::Start], key.clone()].concat(), [pattern![line.clone()], key].concat()];
        let (kind, number) = (self.spec.values.len() as u8, self.spec.calls.len() as u8);
        self.opens(field, |mark| rule(mark).open(Place::Call(number)))?;
        let mut in_call: Vec<Rule> = marks.map(|mark| rule(mark).param(kind)).to_vec();
        in_call.extend(self.ends(&closers, Scope::Call));
        let whole_at_end = closers.is_empty();
        self.spec.calls.push(CallKind { whole_at_end, ..call(in_call) });
        let ends = closers.into_iter().chain([pattern![line.clone()]]);
        let rules = ends.map(|mark| rule(mark).before().close(Scope::Value)).collect();
        self.spec.values.push(ValueKind { whole_at_end, ..value(framing, rules) });
        let open = format!("{line}{{key}}{separator}{}", if strip { " " } else { "" });
        let param = ParamForm { open: open.into(), ..ParamForm::default() };
        let call = &mut self.spec.template.call;
        call.arguments = ArgumentsForm::Params(param);
        call.close = format!("{line}{}", call.close).into();
        Ok(())
    }
}

/// How the literals of an object are written, if it is not plain JSON.
fn literals(field: &Field) -> Result<Option<Literals>> {
    let Some(args) = field.args(&["unquoted_keys", "string_delims", "allow_non_json"])? else {
        return Ok(None);
    };
    if args.get("allow_non_json") == Some(&Value::Bool(true)) {
        return wrong(field.at("content_args.allow_non_json"), "arguments are an object");
    }
    let place = field.at("content_args.string_delims");
    let pairs = match args.get("string_delims") {
        None => &[][..],
        Some(Value::Array(pairs)) => pairs,
        Some(_) => return wrong(place, "must be a list of pairs"),
    };
    let quote: Text = match pairs {
        [] => "".into(),
        [Value::Array(pair)] => match pair.as_slice() {
            [Value::String(open), Value::String(close)] if open == close => open.clone().into(),
            _ => return wrong(place, "what closes a string is what opened it"),
        },
        _ => return wrong(place, "one pair"),
    };
    let unquoted = args.get("unquoted_keys") == Some(&Value::Bool(true));
    Ok((unquoted || !quote.is_empty()).then(|| Literals { quote, ..Literals::default() }))
}

impl DialectSpec {
    /// Reads the output grammar that a checkpoint ships as data: the `response_template` (version 1) of
    /// its `tokenizer_config.json`. The dialect is named `response-template`; give it a name of its own
    /// where two are in use. `template` has the form of calls alone, no prompt and no results.
    ///
    /// What the template says is read as everywhere in this crate, so where its own reader would go
    /// wrong this one need not: a value that holds its own closer goes on, JSON ends where JSON ends,
    /// and an opener that no call follows is text. Values get their types from the tools' schemas. What
    /// is in no field is markup, unless one field (`content`) has no opener. `start_anchor`, `defaults`,
    /// `repeats`, `join` and `optional` say nothing about the text of a message, and are ignored.
    ///
    /// ```
    /// use toolstream::DialectSpec;
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
    /// let dialect = Dialect::new(DialectSpec::from_response_template(template)?);
    /// let parser = Parser::builder(&dialect).build()?;
    ///
    /// let message = parser.parse("<think>Hm.</think>So: <run ls>{\"dir\": \"</run>\"}</run><eot>");
    /// let call = message.calls().next().unwrap();
    /// assert_eq!((call.name(), &call.input()["dir"]), ("ls", &"</run>".into()));
    /// assert_eq!(message.text(), "So: ");
    ///
    /// let error = DialectSpec::from_response_template(&template.replace("[\\\\w.]+", ".*")).unwrap_err();
    /// assert!(error.to_string().starts_with("fields.tool_calls.open_pattern: a `.*` that is not lazy"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`JsonError`] for what is no JSON, or with the field that cannot be
    /// expressed: a regular expression beyond literals, classes, optional parts, lazy `.*?` before a
    /// text and named groups; another field than `content`, `tool_calls` and `thinking` (or `reasoning`,
    /// `reasoning_content`); a transform that makes something else than a call.
    pub fn from_response_template(text: &str) -> std::result::Result<DialectSpec, JsonError> {
        let template: Value = serde_json::from_str(text)?;
        let Some(template) = template.as_object() else {
            return wrong("response_template", "must be an object");
        };
        known(
            template,
            "",
            &["version", "defaults", "fields", "start_anchor", "start_anchor_pattern"],
        )?;
        if template.get("version").is_some_and(|version| *version != 1) {
            return wrong("version", "1 is the version that is known here");
        }
        let Some(Value::Object(fields)) = template.get("fields") else {
            return wrong("fields", "must be an object");
        };
        let fields = fields.iter().map(|(name, field)| Ok((name, Field::read(name, field)?)));
        let fields = fields.collect::<Result<Vec<(&String, Field)>>>()?;
        let implicit = fields.iter().find(|(_, field)| field.open.is_none());
        let home = match implicit {
            Some((name, _)) if *name == "content" => Place::Prose(0),
            Some((_, field)) => return wrong(field.at("open"), "only `content` may lack one"),
            None => Place::Section(0),
        };
        let about = "read from a response_template";
        let mut builder = Builder {
            spec: DialectSpec::new("response-template", about, Template::default()),
            openers: Vec::new(),
            home,
        };
        builder.spec.entry = home;
        builder.spec.stripped = true;
        if home != Place::Prose(0) {
            builder
                .spec
                .sections
                .push(SectionKind { calls: false, ..SectionKind::new(Vec::new()) });
        }
        for (name, field) in &fields {
            match name.as_str() {
                "content" => builder.prose(field, 0)?,
                "tool_calls" => builder.calls(field)?,
                name if REASONING.contains(&name) => builder.prose(field, 1)?,
                _ => {
                    let what = format!(
                        "no part of a message: use content, tool_calls, {}",
                        REASONING.join(", ")
                    );
                    return wrong(&*field.place, what);
                }
            }
        }
        Ok(builder.finish())
    }
}

impl Builder {
    fn finish(self) -> DialectSpec {
        let Builder { mut spec, openers, home } = self;
        let CallForm { open, .. } = &spec.template.call;
        spec.id = if open.contains("{id}") { "call{index}".into() } else { "".into() };
        match home {
            Place::Section(section) => {
                let in_section = |mut rule: Rule| {
                    rule.not = Flags::NONE;
                    match rule.action.what {
                        What::Open(Place::Section(_)) => rule.sets(Flags::SECTION_START),
                        _ => rule,
                    }
                };
                spec.sections[section as usize].rules =
                    openers.into_iter().map(in_section).collect();
            }
            _ => spec.prose[0].rules = openers,
        }
        spec
    }
}
