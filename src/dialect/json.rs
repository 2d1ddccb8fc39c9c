//! A [`DialectSpec`] as JSON (feature `serde`): what is as by default is left out, a literal is a string,
//! a class of characters has the name of its constant.

use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use serde::ser::{Serialize, Serializer};

use super::chars::Chars;
use super::flags::Flags;
use super::spec::{DialectSpec, Piece, Text};
use crate::event::{DiagnosticKind, TypeHint};
use crate::options::bounds;

pub(super) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

pub(super) fn white_bound() -> u16 {
    bounds::WHITE_SPACE as u16
}

pub(super) fn is_white_bound(max: &u16) -> bool {
    *max == white_bound()
}

pub(super) fn name_chars() -> Chars {
    Chars::NAME
}

pub(super) fn is_name_chars(chars: &Chars) -> bool {
    *chars == name_chars()
}

pub(super) fn is_input(input: &Text) -> bool {
    *input == DialectSpec::default().input
}

impl Serialize for Piece {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Piece::Lit(text) => to.serialize_str(text),
            piece => Piece::serialize(piece, to),
        }
    }
}

impl<'de> Deserialize<'de> for Piece {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Piece, D::Error> {
        struct Pieces;

        impl<'de> Visitor<'de> for Pieces {
            type Value = Piece;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text, or an object of one piece")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Piece, E> {
                Ok(Piece::Lit(text.to_string().into()))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Piece, A::Error> {
                Piece::deserialize(MapAccessDeserializer::new(map))
            }
        }

        from.deserialize_any(Pieces)
    }
}

/// How [`Chars`] are written.
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Class {
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
            Class::White => Chars::WHITE,
            Class::Blank => Chars::BLANK,
            Class::Letters => Chars::LETTERS,
            Class::Name => Chars::NAME,
            Class::Word => Chars::WORD,
            Class::Bare => Chars::BARE,
            Class::Quoted => Chars::QUOTED,
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

#[cfg(feature = "json")]
impl DialectSpec {
    /// Reads a table from JSON, as `serde_json` writes one. What is left out is as in
    /// [`DialectSpec::default`].
    ///
    /// ```
    /// use toolstream::spec::DialectSpec;
    ///
    /// let error = DialectSpec::from_json(r#"{"name": "mine", "calls": [{"rulse": []}]}"#).unwrap_err();
    /// assert!(error.to_string().starts_with("calls[0].rulse: unknown field `rulse`, expected "));
    /// ```
    ///
    /// # Errors
    /// [`JsonError`](crate::JsonError) with the place of what is wrong.
    pub fn from_json(text: &str) -> Result<DialectSpec, crate::JsonError> {
        use crate::options::json::JsonProblem;

        let mut reader = serde_json::Deserializer::from_str(text);
        let spec = serde_path_to_error::deserialize(&mut reader).map_err(|error| {
            let place = error.path().to_string();
            match error.into_inner() {
                error if error.is_data() => JsonProblem::Spec { place, what: error.to_string() },
                error => JsonProblem::Syntax(error),
            }
        })?;
        reader.end()?;
        Ok(spec)
    }
}
