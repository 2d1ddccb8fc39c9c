//! A [`DialectSpec`] as JSON (feature `serde`): what is as by default is left out, a literal is a string,
//! a class of characters has the name of its constant. `tables.md` is the page on it for hosts.

#[cfg(feature = "json")]
mod layout;
#[cfg(feature = "json")]
mod named;
mod piece;
mod rule;

#[cfg(feature = "json")]
use std::sync::Arc;

use serde::de::{Deserialize, Deserializer, Error};
use serde::ser::{Serialize, Serializer};

use super::chars::Chars;
use super::flags::Flags;
#[cfg(feature = "json")]
use super::shape::{Shape, Wrong};
#[cfg(feature = "json")]
use super::spec::{DialectSpec, OwnGrammar};
#[cfg(feature = "json")]
use super::{check, dead};
#[cfg(feature = "json")]
use crate::error::BuildProblem;
use crate::event::{DiagnosticKind, TypeHint};
#[cfg(feature = "json")]
use crate::options::json::{JsonProblem, in_words};

/// How [`Chars`] are written.
#[derive(PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
enum Class {
    White,
    Blank,
    Letters,
    Name,
    Word,
    Bare,
    Quoted,
    /// These ASCII characters.
    Only(String),
    /// All but these.
    Except(String),
    /// These, and all letters and digits beyond ASCII.
    LettersAnd(String),
}

const NAMED: [(Class, Chars); 7] = [
    (Class::White, Chars::WHITE),
    (Class::Blank, Chars::BLANK),
    (Class::Letters, Chars::LETTERS),
    (Class::Name, Chars::NAME),
    (Class::Word, Chars::WORD),
    (Class::Bare, Chars::BARE),
    (Class::Quoted, Chars::QUOTED),
];

impl Serialize for Chars {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Class::from(*self).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Chars {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Chars, D::Error> {
        Class::deserialize(deserializer)?.try_into().map_err(D::Error::custom)
    }
}

impl From<Chars> for Class {
    fn from(chars: Chars) -> Class {
        if let Some((class, _)) = NAMED.into_iter().find(|(_, known)| *known == chars) {
            return class;
        }
        let (all, none): (String, String) =
            (0..0x80_u8).map(char::from).partition(|c| chars.has(*c));
        match chars.beyond() {
            (_, true) => Class::Except(none),
            (true, _) => Class::LettersAnd(all),
            _ => Class::Only(all),
        }
    }
}

impl TryFrom<Class> for Chars {
    type Error = String;

    fn try_from(class: Class) -> Result<Chars, String> {
        let list = match &class {
            Class::Only(list) | Class::Except(list) | Class::LettersAnd(list) => list,
            _ => "",
        };
        if let Some(c) = list.chars().find(|c| !c.is_ascii()) {
            return Err(format!("a class lists ASCII characters: `{c}` is none"));
        }
        Ok(match &class {
            Class::Only(list) => Chars::only(list),
            Class::Except(list) => Chars::except(list),
            Class::LettersAnd(list) => Chars::letters_and(list),
            named => {
                let found = NAMED.into_iter().find(|(class, _)| class == named);
                found.map_or(Chars::WHITE, |(_, chars)| chars)
            }
        })
    }
}

impl From<Flags> for Vec<String> {
    fn from(flags: Flags) -> Vec<String> {
        flags.names().map(str::to_ascii_lowercase).collect()
    }
}

impl TryFrom<Vec<String>> for Flags {
    type Error = String;

    fn try_from(names: Vec<String>) -> Result<Flags, String> {
        let flag = |name: &String| {
            let all = || Flags::ALL.iter().copied();
            let known = all().find(|(known, _)| known.to_ascii_lowercase() == *name);
            known.map(|(_, flag)| flag).ok_or_else(|| {
                let all: Vec<String> = all().map(|(known, _)| known.to_ascii_lowercase()).collect();
                format!("unknown flag `{name}`: the flags are {}", all.join(", "))
            })
        };
        names.iter().try_fold(Flags::NONE, |flags, name| Ok(flags | flag(name)?))
    }
}

/// One of those that have names.
fn named<'de, D: Deserializer<'de>, T: Copy>(
    from: D,
    what: &str,
    all: &[T],
    name: fn(T) -> &'static str,
) -> Result<T, D::Error> {
    let text = String::deserialize(from)?;
    let found = all.iter().copied().find(|known| name(*known) == text);
    found.ok_or_else(|| {
        let all: Vec<&str> = all.iter().map(|known| name(*known)).collect();
        D::Error::custom(format_args!("unknown {what} `{text}`: use one of {}", all.join(", ")))
    })
}

impl<'de> Deserialize<'de> for DiagnosticKind {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<DiagnosticKind, D::Error> {
        named(from, "diagnostic", DiagnosticKind::ALL, DiagnosticKind::as_str)
    }
}

impl<'de> Deserialize<'de> for TypeHint {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<TypeHint, D::Error> {
        named(from, "type", TypeHint::ALL, TypeHint::as_str)
    }
}

/// Reads JSON, and says where it is wrong.
#[cfg(feature = "json")]
fn read<'de, T: Deserialize<'de>>(text: &'de str) -> Result<T, JsonProblem> {
    let mut reader = serde_json::Deserializer::from_str(text);
    let read = serde_path_to_error::deserialize(&mut reader).map_err(|error| {
        let place = error.path().to_string();
        match error.into_inner() {
            error if error.is_data() => JsonProblem::Spec { place, what: in_words(&error) },
            error => JsonProblem::Syntax(error),
        }
    })?;
    reader.end()?;
    Ok(read)
}

/// Whether the table that follows from a shape can be read. The mistake is told in the texts of the shape,
/// since its author never wrote the table.
#[cfg(feature = "json")]
fn readable(shape: &Shape, spec: &DialectSpec) -> Result<(), JsonProblem> {
    let Err(BuildProblem::Spec { what, .. }) = check::check(spec) else { return Ok(()) };
    let Shape { call, argument, .. } = shape;
    let (place, texts) = match argument.is_empty() {
        true => ("call", format!("`{call}`")),
        false => ("argument", format!("`{argument}` in `{call}`")),
    };
    let what = format!(
        "{texts} cannot be read: {what}. Choose markers of which none can be taken for what stands before \
         it, or write the dialect as a table"
    );
    Err(JsonProblem::Spec { place: place.into(), what })
}

#[cfg(feature = "json")]
impl DialectSpec {
    /// Reads a shape or a table from JSON: [the page on tables](crate::tables) says what they hold. What has a key
    /// `call` is a shape.
    ///
    /// ```
    /// use toolstream::DialectSpec;
    ///
    /// let error = DialectSpec::from_json(r#"{"name": "mine", "calls": [{"rulse": []}]}"#).unwrap_err();
    /// assert!(error.to_string().starts_with("calls[0].rulse: unknown field `rulse`, expected "));
    /// ```
    ///
    /// # Errors
    /// [`JsonError`](crate::JsonError) with the place of what is wrong. Whether its rules can be read is
    /// checked when a parser is built ([`BuildError::place`](crate::BuildError::place)).
    pub fn from_json(text: &str) -> Result<DialectSpec, crate::JsonError> {
        /// A shape says what a call looks like; a table has no such key.
        #[derive(serde::Deserialize)]
        struct Head {
            call: Option<serde::de::IgnoredAny>,
            #[serde(rename = "let")]
            patterns: Option<serde::de::IgnoredAny>,
            groups: Option<serde::de::IgnoredAny>,
        }

        // (A list would be read as the keys in their order.)
        let head = match serde_json::from_str(text) {
            Ok(head) => Some(head).filter(|_| text.trim_start().starts_with('{')),
            // A key that stands twice, or something else than an object, is reported with its place below.
            Err(error) if error.is_data() => None,
            Err(error) => return Err(error.into()),
        };
        let has_names = |head: &Head| head.patterns.is_some() || head.groups.is_some();
        match head {
            Some(Head { call: Some(_), .. }) => {}
            Some(head) if has_names(&head) => {
                let wrong =
                    |(place, what): (&str, String)| JsonProblem::Spec { place: place.into(), what };
                let table = named::put_in(read(text)?).map_err(wrong)?;
                return Ok(read(&table.to_string())?);
            }
            _ => return Ok(read(text)?),
        }
        let shape = read::<Shape>(text)?;
        let wrong = |Wrong { field, what }| JsonProblem::Spec { place: field, what };
        let spec = shape.spec().map_err(wrong)?;
        readable(&shape, &spec)?;
        let grammar = OwnGrammar(shape.grammar().map_err(wrong)?.map(Arc::new));
        Ok(DialectSpec { grammar, ..spec })
    }

    /// The table as JSON, for people to read and to change: what fits stands on one line, and what is as by
    /// default is left out. Each rule says its role in words, which are not read:
    /// [`DialectSpec::from_json`] reads the rest back equal.
    ///
    /// ```
    /// use toolstream::{Dialect, DialectSpec};
    ///
    /// let table = Dialect::GLM.spec().to_json();
    /// assert!(table.starts_with("{\n  \"name\": \"glm\",\n"));
    /// assert_eq!(DialectSpec::from_json(&table)?, *Dialect::GLM.spec());
    /// # Ok::<(), toolstream::JsonError>(())
    /// ```
    pub fn to_json(&self) -> String {
        // All keys are texts, and nothing in a table is no JSON.
        let mut table = serde_json::to_value(self).unwrap_or_default();
        for (state, kind, rules) in dead::kinds(self) {
            let written = table[state.list()][kind].get_mut("rules");
            let written = written.and_then(|rules| rules.as_array_mut()).into_iter().flatten();
            for (written, rule) in written.zip(rules) {
                let role = ("role".to_string(), self.role(state, rule).into());
                let keys = written.as_object_mut().map(std::mem::take).into_iter().flatten();
                *written = [role].into_iter().chain(keys).collect();
            }
        }
        layout::laid_out(&table.to_string())
    }
}
