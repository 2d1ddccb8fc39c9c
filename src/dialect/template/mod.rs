//! [`Template`]: the written form of a dialect, as data.
//!
//! The grammar describes the text of a model. The template describes the text *for* the model: the section of the
//! system prompt, a call as the model would have written it, the results of calls, and the stop sequences.
//! The structures are those that the model families were trained on; the sentences are our own.
//!
//! Every text is a *template*: `{name}` and the like are *holes*, which are filled once. The text that fills
//! a hole is not searched for holes. A name in braces that is not a hole of the template stays as it is, and so
//! do all other braces. A line of a prompt template that is one hole and is filled with nothing is left out.
//! [`Dialect::renamed`](crate::Dialect::renamed) replaces texts here, too.

mod build;

use std::borrow::Cow;
use std::ops::Range;

use super::data::data;

pub(super) use build::{CALL, LIMITS, LINES, NO_STOP, PARAM, prompt, results, stop, tools_prompt};

/// A text of a template: borrowed in a `const`, owned in a dialect of your own.
pub(crate) type Text = Cow<'static, str>;

data! {
    /// The written form of a dialect.
    #[derive(Clone, Debug, Default, PartialEq, Eq)]
    pub(crate) struct Template {
        /// The section of the system prompt.
        pub prompt: PromptForm,
        /// A call, for the history that goes back to the model.
        pub call: CallForm,
        /// The results of calls.
        pub result: ResultForm,
        /// The stop sequences.
        pub stop: StopForm,
    }

    /// A section of the system prompt.
    #[derive(Clone, Debug, Default, PartialEq, Eq)]
    pub(crate) struct PromptForm {
        /// The section. Holes: `{tools}`, `{names}` (of the tools, joined by commas), `{form}` (a call
        /// with `placeholders`), `{example}` (of one tool), `{limit}` (one of `limits`).
        pub text: Text,
        /// A tool in `{tools}`. Holes: `{name}`, `{description}`, `{parameters}` (a list in words),
        /// `{elements}` (as `<parameter>` elements), `{schema}` (JSON Schema), `{tool}` (a JSON object of
        /// name, description and schema), `{example}` (of this tool).
        pub tool: Text,
        /// Between two tools.
        pub between: Text,
        /// A worked example. Hole: `{call}`.
        pub example: Text,
        /// The names and values in `{form}`.
        pub placeholders: Placeholders,
        /// The number of calls that a message may hold, in words.
        pub limits: Limits,
    }

    /// The names and values where a form is shown.
    #[derive(Clone, Debug, Default, PartialEq, Eq)]
    pub(crate) struct Placeholders {
        /// For the tool's name.
        pub name: Text,
        /// For parameters and their values.
        pub params: Cow<'static, [(Text, Text)]>,
    }
}

/// The sentences about the number of calls.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub(crate) struct Limits {
    /// With a limit of 1.
    pub one: Text,
    /// With another limit. Hole: `{most}`.
    pub some: Text,
    /// Without a limit.
    pub any: Text,
}

data! {
    /// How calls are written.
    #[derive(Clone, Debug, Default, PartialEq, Eq)]
    pub(crate) struct CallForm {
        /// Before the first call of a message: the opener of its section.
        pub section_open: Text,
        /// Before the arguments. Holes: `{name}`; `{json_name}`, the name as a JSON string; `{id}`; `{index}`
        /// of the call in its message, from 0, and `{number}`, from 1; and `{name_attribute}`, with `&quot;`
        /// and `&amp;` for the characters that an attribute cannot hold.
        pub open: Text,
        /// The arguments.
        pub arguments: ArgumentsForm,
        /// After the arguments. Holes as in `open`.
        pub close: Text,
        /// Between two calls of a message.
        pub between: Text,
        /// After the last call of a message: the closer of its section.
        pub section_close: Text,
        /// Between the content of a message and its first call. Empty: a line break.
        pub after_text: Text,
    }

    /// How the arguments of a call are written.
    #[derive(Clone, Debug, Default, PartialEq, Eq)]
    pub(crate) enum ArgumentsForm {
        /// A JSON object on one line.
        #[default]
        Json,
        /// Each by itself: strings raw, everything else as JSON.
        Params(ParamForm),
        /// Key by key, as literals.
        Literals(LiteralForm),
    }

    /// How the members of a body of literals are written.
    #[derive(Clone, Debug, Default, PartialEq, Eq)]
    pub(crate) struct LiteralForm {
        /// The text that opens and closes a string without escapes; empty: strings are JSON strings.
        pub quote: Text,
        /// The quote of JSON strings that hold neither it nor a backslash, if it is not a double quote.
        pub plain_quote: Text,
        /// Between a key and its value.
        pub separator: Text,
        /// Between two members.
        pub between: Text,
        /// Writes `True`, `False` and `None`, and keys of objects as strings. Otherwise keys stand without
        /// quotes where they can.
        pub python: bool,
        /// Members are written in the order of their keys.
        pub sorted: bool,
        /// Writes each value as a string: a value that is not a string, as JSON.
        pub strings: bool,
    }

    /// How a parameter is written.
    #[derive(Clone, Debug, Default, PartialEq, Eq)]
    pub(crate) struct ParamForm {
        /// Before the value. Holes: `{key}`, `{key_attribute}`, `{type}` (of the value, as in JSON Schema,
        /// but `number` for whole numbers), `{whole_type}` (with `integer`) and `{is_string}` (`true` or
        /// `false`).
        pub open: Text,
        /// After the value. Holes as in `open`.
        pub close: Text,
        /// The text between two values that stand without keys, in the order of their declaration. Empty: they have keys.
        pub between: Text,
        /// Before and after a value of one line that is not empty and has no blanks at its ends, if such a
        /// value has a form of its own. Hole: `{key}`.
        pub line: Option<[Text; 2]>,
        /// Before a list of such lines, after each of its elements, and after the last one, if a list has a form of
        /// its own. Hole of the first: `{key}`.
        pub list: Option<[Text; 3]>,
        /// The values that stand on lines of their own, in kinds whose line breaks are framing.
        pub line_breaks: LineBreaks,
        /// The texts around a value that holds `<`, `&` or a line break.
        pub quotes: Option<(Text, Text)>,
        /// Parameters are written in the order of their names.
        pub sorted: bool,
        /// The name of a list's members, if lists and objects are written member by member, each between
        /// `open` and `close` again; empty: they are written as JSON.
        pub items: Text,
    }

    /// The values that get a line break at both ends.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub(crate) enum LineBreaks {
        /// All values.
        #[default]
        Always,
        /// Values that hold a line break.
        WithLines,
        /// Values that begin or end with a line break.
        AtEnds,
    }

    /// The written form of results. Holes of `ok` and `error`: `{name}` and `{name_attribute}` of the tool, `{id}` of the call,
    /// `{index}` of the result, from 0, and `{number}`, from 1, `{content}`, `{line}`, the content on one line, and `{json}`, the
    /// content as a JSON string.
    #[derive(Clone, Debug, Default, PartialEq, Eq)]
    pub(crate) struct ResultForm {
        /// Before the first result.
        pub open: Text,
        /// The result of a tool.
        pub ok: Text,
        /// The result of a tool that failed.
        pub error: Text,
        /// Between two results.
        pub between: Text,
        /// After the last result.
        pub close: Text,
    }

    /// The stop sequences: where a provider may stop the stream. At most 4 in all, and none that a call
    /// needs.
    #[derive(Clone, Debug, Default, PartialEq, Eq)]
    pub(crate) struct StopForm {
        /// Texts that end the stream after its first call: useful only with a limit of 1.
        pub after_call: Cow<'static, [Text]>,
        /// Texts that a model writes where it begins to invent.
        pub invented: Cow<'static, [Text]>,
    }
}

#[cfg(feature = "json")]
impl CallForm {
    /// Whether calls are written with their ids.
    pub(crate) fn has_id(&self) -> bool {
        [&self.open, &self.close].iter().any(|template| template.contains("{id}"))
    }
}

/// Fills the holes of a template. `hole` knows the names; an unknown name stays.
#[cfg(feature = "json")]
pub(crate) fn fill<'a>(template: &str, hole: impl Fn(&str) -> Option<Cow<'a, str>>) -> String {
    let mut filled = String::new();
    fill_parts(template, hole, |part| match part {
        Part::Text(text) => filled.push_str(text),
        Part::Hole(text) => filled.push_str(&text),
    });
    filled
}

/// A part of a template that is filled.
#[cfg(feature = "json")]
pub(crate) enum Part<'t, T> {
    /// A text of the template.
    Text(&'t str),
    /// The filling of a hole.
    Hole(T),
}

/// Fills the holes of a template, part by part.
#[cfg(feature = "json")]
pub(crate) fn fill_parts<'t, T>(
    template: &'t str,
    hole: impl Fn(&str) -> Option<T>,
    mut each: impl FnMut(Part<'t, T>),
) {
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        each(Part::Text(before));
        let named = after.split_once('}');
        rest = match named.and_then(|(name, rest)| Some((hole(name)?, rest))) {
            Some((filled, after_hole)) => {
                each(Part::Hole(filled));
                after_hole
            }
            None => {
                each(Part::Text("{"));
                after
            }
        };
    }
    each(Part::Text(rest));
}

/// Returns the name of the hole that a text begins with.
pub(super) fn named_hole(text: &str) -> Option<&str> {
    let (name, _) = text.strip_prefix('{')?.split_once('}')?;
    let letters = name.chars().all(|c| c.is_ascii_lowercase() || c == '_');
    (letters && !name.is_empty()).then_some(name)
}

/// Returns the place of a template's first hole, or its end. A hole is letters and `_` in braces.
pub(super) fn hole(template: &str) -> Range<usize> {
    let mut holes = template.match_indices('{').filter_map(|(start, _)| {
        let name = named_hole(&template[start..])?;
        Some(start..start + name.len() + 2)
    });
    holes.next().unwrap_or(template.len()..template.len())
}

/// Returns the texts of a template, each with the name of the hole behind it, if there is one.
#[cfg(feature = "json")]
pub(crate) fn pieces(template: &str) -> impl Iterator<Item = (&str, Option<&str>)> {
    let mut rest = Some(template);
    std::iter::from_fn(move || {
        let text = rest?;
        let hole = hole(text);
        let name = text.get(hole.start + 1..hole.end.max(1) - 1).filter(|_| !hole.is_empty());
        rest = name.map(|_| &text[hole.end..]);
        Some((&text[..hole.start], name))
    })
}

/// The holes of a call: its tool's name, its id, and its index from 0 and from 1.
#[cfg(feature = "json")]
pub(crate) fn call_hole<'a>(
    name: &'a str,
    id: &'a str,
    [index, number]: [&'a str; 2],
) -> impl Fn(&str) -> Option<Cow<'a, str>> {
    move |hole| match hole {
        "name" => Some(name.into()),
        "name_attribute" => Some(attribute(name)),
        "json_name" => Some(serde_json::Value::from(name).to_string().into()),
        "id" => Some(id.into()),
        "index" => Some(index.into()),
        "number" => Some(number.into()),
        _ => None,
    }
}

/// The holes of a parameter: its name, and the type of its value (`integer` for whole numbers).
#[cfg(feature = "json")]
pub(crate) fn param_hole<'a>(
    key: &'a str,
    whole_type: &'a str,
) -> impl Fn(&str) -> Option<Cow<'a, str>> {
    move |hole| match hole {
        "key" => Some(key.into()),
        "key_attribute" => Some(attribute(key)),
        "type" if whole_type == "integer" => Some("number".into()),
        "type" | "whole_type" => Some(whole_type.into()),
        "is_string" => Some((whole_type == "string").to_string().into()),
        _ => None,
    }
}

/// Returns a text as the value of an attribute.
#[cfg(feature = "json")]
pub(crate) fn attribute(text: &str) -> Cow<'_, str> {
    if text.contains(['&', '"']) {
        text.replace('&', "&amp;").replace('"', "&quot;").into()
    } else {
        text.into()
    }
}

/// Returns the usual sentences.
impl Default for Limits {
    fn default() -> Limits {
        LIMITS
    }
}

#[cfg(all(test, feature = "json"))]
mod tests {
    use std::borrow::Cow::Borrowed;

    use super::*;

    #[test]
    fn holes_are_filled_once() {
        let hole = |name: &str| match name {
            "name" => Some(Borrowed("{key}")),
            "key" => Some(Borrowed("K")),
            _ => None,
        };
        assert_eq!(
            fill("{\"name\": {name}, {x} {key}} { {}{", hole),
            "{\"name\": {key}, {x} K} { {}{"
        );
    }
}
