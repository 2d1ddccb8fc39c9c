//! A dialect as a response template.

use serde_json::{Map, Value, json};

use super::{Result, problem_at};
use crate::dialect::Dialect;
use crate::dialect::facts::Framing;
use crate::dialect::template::{ArgumentsForm, ParamForm};
use crate::dialect::written::{WHITE, Written, around};
use crate::read::machine::Grammar;

/// The characters of a name.
const NAME: &str = r"[\w.\-/:+@$]+";

/// A text of the written form as a regular expression: any white space for white space, and an expression for
/// each hole.
fn expression(text: &str, hole: impl Fn(&str) -> Option<String>) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let named = rest.strip_prefix('{').and_then(|rest| rest.split_once('}'));
        if let Some((found, after)) = named.and_then(|(name, rest)| Some((hole(name)?, rest))) {
            out += &found;
            rest = after;
        } else if WHITE.contains(&first) {
            out += r"\s*";
            rest = rest.trim_start_matches(WHITE);
        } else {
            if first.is_ascii_punctuation()
                && !matches!(first, '<' | '>' | '/' | '_' | ':' | '=' | '"')
            {
                out.push('\\');
            }
            out.push(first);
            rest = &rest[first.len_utf8()..];
        }
    }
    out
}

/// A text as an expression, without white space at its ends.
fn trimmed(text: &str, hole: impl Fn(&str) -> Option<String>) -> String {
    expression(text.trim_matches(WHITE), hole)
}

fn plain(text: &str) -> String {
    trimmed(text, |_| None)
}

/// The expressions for the holes of a parameter. `again`: its key must be the same.
fn param_hole(again: bool) -> impl Fn(&str) -> Option<String> {
    move |hole| match hole {
        "key" | "key_attribute" if again => Some("(?P=key)".into()),
        "key" | "key_attribute" => Some(r#"(?P<key>[^<>"'\n]+?)"#.into()),
        "type" | "whole_type" | "is_string" => Some("[^\"<]*".into()),
        _ => None,
    }
}

/// The opener of a call: its expression, and whether it captures the call's id.
fn call_opener(dialect: &Dialect, written: &Written) -> (String, bool) {
    let name = format!("(?P<name>{NAME})");
    let own = |hole: &str| match hole {
        "name" => Some(name.clone()),
        "index" | "number" => Some(r"\d+".into()),
        _ => None,
    };
    let id = if written.call[0].contains("{name}") {
        r"(?P<id>[\w\-]*)".to_string()
    } else {
        format!("(?P<id>{})", expression(&dialect.facts().id, own))
    };
    let hole = |hole: &str| match hole {
        "name_attribute" => Some(name.clone()),
        "id" => Some(id.clone()),
        _ => own(hole),
    };
    let open = trimmed(written.call[0], hole);
    let section = match written.section[0] {
        "" => String::new(),
        // White space between two calls of a section is nobody's text.
        section => format!(r"(?:{})?\s*", plain(section)),
    };
    (section + &open, written.call[0].contains("{id}"))
}

fn call_closer(written: &Written) -> String {
    let again = |hole: &str| match hole {
        "name" | "name_attribute" => Some(NAME.into()),
        "id" => Some(r"[\w\-]*".into()),
        "index" | "number" => Some(r"\d+".into()),
        _ => None,
    };
    trimmed(written.call[1], again)
}

/// Parameters in tags.
fn tag_pattern(dialect: &Dialect, form: &ParamForm) -> String {
    let open = trimmed(&form.open, param_hole(false));
    let close = trimmed(&form.close, param_hole(true));
    let value = match dialect.facts().framing[0] {
        Framing::LineBreak => r"(?:\r?\n)?(?P<value>.*?)(?:\r?\n)?",
        Framing::Trimmed => r"\s*(?P<value>.*?)\s*",
        Framing::None => "(?P<value>.*?)",
    };
    let (before, after) = match &form.quotes {
        Some((open, close)) => (format!("(?:{})?", plain(open)), format!("(?:{})?", plain(close))),
        None => Default::default(),
    };
    // A value ends where the next value, or the end, follows.
    let next = trimmed(&form.open, |hole| param_hole(false)(hole).map(|_| "[^<>]*".into()));
    format!(r"{open}{before}{value}{after}{close}(?=\s*(?:{next}|\Z))")
}

/// Plain text, in any number of parts.
fn text_field() -> Value {
    json!({"content_args": {"strip": false}, "repeats": true, "join": ""})
}

impl Dialect {
    /// Returns the dialect as a `response_template` (version 1), for `tokenizer_config.json`: `transformers`
    /// then reads the model's output. `start_anchor` is the text that the chat template writes before an
    /// answer, say `<|im_start|>assistant
    /// `. The template reads calls as the dialect writes them, with any white space between markers; it
    /// cannot express the recoveries. The fields are `thinking`, `content` and `tool_calls`. Names, arguments
    /// and, where an opener has one, ids come from the calls. Types of tag values come from the tools that
    /// `transformers` is given. Text comes in pieces that `transformers` joins (`join`, since release 5.16).
    ///
    /// ```
    /// use toolstream::Dialect;
    ///
    /// let template = Dialect::HERMES.to_response_template("<|im_start|>assistant\n")?;
    /// assert_eq!(template["fields"]["tool_calls"]["open_pattern"], r"<tool_call>\s*(?=\{)");
    ///
    /// let error = Dialect::REACT.to_response_template("").unwrap_err();
    /// assert!(error.to_string().starts_with("keywords: "));
    /// # Ok::<(), toolstream::JsonError>(())
    /// ```
    ///
    /// # Errors
    /// [`JsonError`](crate::JsonError) with the part of the dialect that a template cannot express: lines and
    /// keywords, names that are tags, messages in headers, calls without a marker, Python's literals, values of
    /// elements, or a value that is written in two ways.
    pub fn to_response_template(&self, start_anchor: &str) -> Result<Value> {
        self.expressible()?;
        let texts = around(self);
        let written = Written::new(self, &texts);
        let mut fields = Map::new();
        if let Some(thinking) = self.thinking_field() {
            fields.insert("thinking".into(), thinking);
        }
        fields.insert("tool_calls".into(), self.calls_field(&written)?);
        // The section's closer stands in the text after its last call. An optional part at the end of a
        // call's closer would come too late if the text comes in pieces.
        let section = match (&written.object, written.section[1]) {
            (Some(_), _) | (_, "") => None,
            (None, closer) => Some(format!(r"\s*{}", plain(closer))),
        };
        let prose = &self.first_grammar().prose;
        let around = prose.tokens.iter().chain(&prose.marks).chain(&prose.finals);
        // In messages with headers, each of their ends.
        let ends = self.first_grammar().family.reasoning().map_or(&[][..], |[_, ends]| ends);
        let tokens = around.chain(ends).map(|text| plain(text)).chain(section);
        let mut content = text_field();
        let tokens = tokens.collect::<Vec<String>>().join("|");
        if !tokens.is_empty() {
            content["close_pattern"] = tokens.into();
        }
        fields.insert("content".into(), content);
        Ok(json!({
            "version": 1,
            "defaults": {"role": "assistant"},
            "start_anchor": start_anchor,
            "fields": fields,
        }))
    }

    fn first_grammar(&self) -> &Grammar {
        self.first.grammar()
    }

    fn thinking_field(&self) -> Option<Value> {
        let [open, close] = self.first_grammar().reasoning();
        if open.is_empty() || close.is_empty() {
            return None;
        }
        let mut field = text_field();
        field["open"] = json!(open);
        let close: Vec<&Box<str>> =
            close.iter().chain(&self.first_grammar().prose.finals).collect();
        field["close"] = json!(close);
        Some(field)
    }

    fn expressible(&self) -> Result {
        let grammar = self.first_grammar();
        if grammar.lines {
            return problem_at("keywords", "lines and their keywords cannot be expressed");
        }
        if self.facts().tag_names {
            return problem_at(
                "tag_names",
                "a call known by a declared name alone cannot be expressed",
            );
        }
        if grammar.family.begins_in_header() {
            return problem_at("entry", "messages that begin in a header cannot be expressed");
        }
        if grammar.family.speaks_in_parts() {
            return problem_at("entry", "messages whose parts have openers cannot be expressed");
        }
        match self.facts().nests {
            Some(_) => problem_at("nests", "values of elements cannot be expressed"),
            None => Ok(()),
        }
    }

    fn calls_field(&self, written: &Written) -> Result<Value> {
        let call = |name: &str, arguments: &str| json!({"type": "function", "function": {"name": name, "arguments": arguments}});
        let mut field = json!({"repeats": true});
        if let Some(object) = &written.object {
            if written.section[0].is_empty() {
                return problem_at(
                    "template.call.open",
                    "calls without a marker of their own cannot be expressed",
                );
            }
            let begin = if object.list { r"\[" } else { r"\{" };
            let name = |hole: &str| (hole == "name").then(|| NAME.to_string());
            let open = trimmed(written.section[0], name);
            field["close_pattern"] = match written.section[1] {
                "" => self.next_ends(&open),
                close => plain(close),
            }
            .into();
            field["open_pattern"] = format!(r"{open}\s*(?={begin})").into();
            field["content"] = "json".into();
            let [name, arguments] = &object.keys;
            let of = if object.list { "" } else { "content." };
            field["transform"] = call(&format!("{{{of}{name}}}"), &format!("{{{of}{arguments}}}"));
            if object.list {
                field["transform_each"] = true.into();
                field["repeats"] = false.into();
            }
            return Ok(field);
        }
        let name = ["{name}", "{name_attribute}", "{id}"];
        if !name.iter().any(|hole| written.call[0].contains(hole)) {
            return problem_at(
                "template.call.open",
                "calls whose name is not in their opener cannot be expressed",
            );
        }
        let braced = |mut written: Written| -> Option<[String; 2]> {
            let open = written.call[0].trim_end_matches(WHITE).strip_suffix('{')?;
            let close = written.call[1].trim_start_matches(WHITE).strip_prefix('}')?;
            written.call = [open, close];
            Some([call_opener(self, &written).0, call_closer(&written)])
        };
        let (open, has_id) = call_opener(self, written);
        let mut anchors = [open, call_closer(written)];
        field["transform"] = call("{name}", "{content}");
        if has_id {
            field["transform"]["id"] = "{id}".into();
        }
        match written.arguments {
            ArgumentsForm::Json => field["content"] = "json".into(),
            ArgumentsForm::Literals(form) if form.python => {
                return problem_at(
                    "template.call.arguments",
                    "Python's literals cannot be expressed",
                );
            }
            ArgumentsForm::Literals(form) => {
                let Some(inner) = braced(Written::new(self, &around(self))) else {
                    return problem_at(
                        "template.call.open",
                        "it does not end with the object's brace",
                    );
                };
                anchors = inner;
                field["content"] = "json".into();
                let pair = [&form.quote, &form.quote];
                field["content_args"] = json!({"unquoted_keys": true, "string_delims": [pair]});
            }
            ArgumentsForm::Params(form) if form.line.is_some() => {
                return problem_at(
                    "template.call.arguments",
                    "a value written in two ways cannot be expressed",
                );
            }
            ArgumentsForm::Params(form) => {
                field["content"] = "xml-inline".into();
                field["content_args"] = json!({"tag_pattern": tag_pattern(self, form)});
            }
        }
        let [open, close] = anchors;
        let close = match (&*close, written.section[0]) {
            ("", "") => self.next_ends(&open),
            ("", section) => self.next_ends(&plain(section)),
            _ => close,
        };
        field["open_pattern"] = open.into();
        field["close_pattern"] = close.into();
        Ok(field)
    }

    /// Without a closer, the next call or a stop token ends a call. The groups of the next call lose their
    /// names: a name that a closer captures would count before the opener's.
    fn next_ends(&self, next: &str) -> String {
        let next = next.replace("(?P<name>", "(?:").replace("(?P<id>", "(?:");
        let tokens = self.first_grammar().prose.tokens.iter().map(|token| plain(token));
        tokens.fold(format!("(?={next})"), |all, token| all + "|" + &token)
    }
}
