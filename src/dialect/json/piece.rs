//! A [`Piece`] as JSON: a text is a string, any other piece an object. One of its keys says what it is,
//! the others belong to that: `{"name": "tool", "known": "declared"}`.

use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use serde::ser::{Serialize, Serializer};

use super::super::chars::Chars;
use super::super::spec::{At, Known, Name, Of, Piece, Ref, Run, Text, ToolLine, Trial};
use crate::options::bounds;

/// The most bytes of a run that names none.
const MAX: u16 = bounds::WHITE_SPACE as u16;

/// The keys that say what a piece is, and those that may stand beside each.
const KINDS: [(&str, &[&str]); 12] = [
    ("any", &[]),
    ("run", &["min", "max"]),
    ("until", &["unless", "words", "within"]),
    (
        "name",
        &["chars", "quoted", "known", "prefix", "optional", "not", "entities", "word", "glued"],
    ),
    ("ref", &[]),
    ("at", &[]),
    ("not_next", &[]),
    ("tool", &[]),
    ("near", &[]),
    ("object", &[]),
    ("keyword", &[]),
    ("tool_line", &[]),
];

macro_rules! keys {
    ($($key:ident: $type:ty,)*) => {
        /// All keys that a piece may have. What is as by default is left out.
        #[derive(Default, serde::Serialize, serde::Deserialize)]
        #[serde(default, deny_unknown_fields)]
        struct Keys {
            $(#[serde(skip_serializing_if = "Option::is_none")] $key: Option<$type>,)*
        }

        impl Keys {
            fn given(&self) -> Vec<&'static str> {
                let keys = [$((stringify!($key).trim_start_matches("r#"), self.$key.is_some())),*];
                keys.into_iter().filter(|(_, given)| *given).map(|(key, _)| key).collect()
            }
        }
    };
}

keys! {
    any: Vec<Text>,
    run: Chars,
    min: u16,
    max: u16,
    until: Text,
    unless: Vec<Text>,
    words: Vec<Text>,
    within: u16,
    name: Of,
    chars: Chars,
    quoted: Chars,
    known: Known,
    prefix: Text,
    optional: bool,
    not: Vec<Text>,
    entities: bool,
    word: bool,
    glued: bool,
    r#ref: Ref,
    at: At,
    not_next: Chars,
    tool: Vec<Text>,
    near: Text,
    object: Trial,
    keyword: u8,
    tool_line: ToolLine,
}

impl Keys {
    /// # Errors
    /// Where the keys are not those of one piece.
    fn check(&self) -> Result<(), String> {
        let given = self.given();
        let mut kinds = KINDS.iter().filter(|(kind, _)| given.contains(kind));
        let (Some((kind, beside)), None) = (kinds.next(), kinds.next()) else {
            let kinds = KINDS.map(|(kind, _)| kind).join(", ");
            return Err(format!("a piece that is no text has one of {kinds}"));
        };
        match given.iter().find(|key| *key != kind && !beside.contains(key)) {
            Some(key) => Err(format!("`{key}` does not belong beside `{kind}`")),
            None => Ok(()),
        }
    }
}

impl TryFrom<Keys> for Piece {
    type Error = String;

    fn try_from(keys: Keys) -> Result<Piece, String> {
        keys.check()?;
        let piece = match keys {
            Keys { any: Some(texts), .. } => Piece::Any(texts),
            Keys { run: Some(chars), min, max, .. } => {
                Piece::Run(Run { chars, min: min.unwrap_or(0), max: max.unwrap_or(MAX) })
            }
            Keys { until: Some(to), unless, words, within, .. } => {
                let (unless, words) = (unless.unwrap_or_default(), words.unwrap_or_default());
                Piece::Until { to, unless, words, within: within.unwrap_or_default() }
            }
            Keys { name: Some(of), .. } => Piece::Name(Name {
                of,
                chars: keys.chars.unwrap_or(Chars::NAME),
                quoted: keys.quoted,
                known: keys.known.unwrap_or_default(),
                prefix: keys.prefix.unwrap_or_default(),
                optional: keys.optional.unwrap_or_default(),
                not: keys.not.unwrap_or_default(),
                entities: keys.entities.unwrap_or_default(),
                word: keys.word.unwrap_or_default(),
                glued: keys.glued.unwrap_or_default(),
            }),
            Keys { near: Some(text), .. } => Piece::Near(text),
            Keys { r#ref: Some(of), .. } => Piece::Ref(of),
            Keys { at: Some(at), .. } => Piece::At(at),
            Keys { not_next: Some(chars), .. } => Piece::NotNext(chars),
            Keys { tool: Some(names), .. } => Piece::Tool(names),
            Keys { object: Some(trial), .. } => Piece::Object(trial),
            Keys { keyword: Some(number), .. } => Piece::Keyword(number),
            Keys { tool_line: Some(line), .. } => Piece::ToolLine(line),
            _ => return Err("it has no keys".into()),
        };
        Ok(piece)
    }
}

/// What is not as by default.
fn other<T: PartialEq>(value: T, default: T) -> Option<T> {
    (value != default).then_some(value)
}

impl From<Piece> for Keys {
    fn from(piece: Piece) -> Keys {
        let none = Keys::default();
        match piece {
            Piece::Lit(text) => Piece::Any(vec![text]).into(),
            Piece::Any(texts) => Keys { any: Some(texts), ..none },
            Piece::Run(Run { chars, min, max }) => {
                Keys { run: Some(chars), min: other(min, 0), max: other(max, MAX), ..none }
            }
            Piece::Until { to, unless, words, within } => {
                let [unless, words] = [unless, words].map(|texts| other(texts, Vec::new()));
                Keys { until: Some(to), unless, words, within: other(within, 0), ..none }
            }
            Piece::Name(Name {
                of,
                chars,
                quoted,
                known,
                prefix,
                optional,
                not,
                entities,
                word,
                glued,
            }) => Keys {
                name: Some(of),
                chars: other(chars, Chars::NAME),
                quoted,
                known: other(known, Known::Any),
                prefix: other(prefix, Text::Borrowed("")),
                optional: other(optional, false),
                not: other(not, Vec::new()),
                entities: other(entities, false),
                word: other(word, false),
                glued: other(glued, false),
                ..none
            },
            Piece::Near(text) => Keys { near: Some(text), ..none },
            Piece::Ref(of) => Keys { r#ref: Some(of), ..none },
            Piece::At(at) => Keys { at: Some(at), ..none },
            Piece::NotNext(chars) => Keys { not_next: Some(chars), ..none },
            Piece::Tool(names) => Keys { tool: Some(names), ..none },
            Piece::Object(trial) => Keys { object: Some(trial), ..none },
            Piece::Keyword(number) => Keys { keyword: Some(number), ..none },
            Piece::ToolLine(line) => Keys { tool_line: Some(line), ..none },
        }
    }
}

impl Serialize for Piece {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Piece::Lit(text) => to.serialize_str(text),
            piece => Keys::from(piece.clone()).serialize(to),
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
                let keys = Keys::deserialize(MapAccessDeserializer::new(map))?;
                keys.try_into().map_err(Error::custom)
            }
        }

        from.deserialize_any(Pieces)
    }
}
