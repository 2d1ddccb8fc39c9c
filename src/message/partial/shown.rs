//! The part of a value that may be seen before the value is over: the part that its finished form certainly
//! has.

use crate::adapt::text::Text;
use crate::dialect;
use crate::event::TypeHint;
use crate::json::document::Document;
use crate::json::literal::OpenString;
use crate::json::white::{WHITE_SPACE, trim};
use crate::message::partial::open_json::OpenJson;
use crate::message::read_as::start;
use crate::message::{ArgumentsReader, RawParam, ReadAs};
use crate::tool::types::ValueTypes;
use crate::tool::{Tool, Type};

/// The visible part of the open value.
#[derive(Clone, Debug, Default)]
pub(super) enum Shown {
    /// Too little came to know.
    #[default]
    Unknown,
    /// The value is visible when it is over.
    Whole,
    /// The text is visible as far as it came.
    Text(Text),
    /// A string in a dialect's own literals.
    Literal(OpenString),
    Json(Box<OpenJson>),
}

impl Shown {
    /// Decides the visible part of this parameter's value, by the text so far.
    pub fn new(param: &RawParam, reader: ArgumentsReader<'_>) -> Shown {
        let RawParam { name, value, hint, .. } = param;
        if reader.types(name).texts.is_some() {
            return Shown::Whole;
        }
        let Some(kind) = ReadAs::of_value(name, *hint, Some(reader)) else {
            return Shown::text(param, reader);
        };
        let bare = start(value).trim_start_matches(WHITE_SPACE);
        let nests = reader.tables.facts(reader.part).nests.as_ref();
        match (bare.chars().next(), kind) {
            (None, _) => Shown::Unknown,
            (Some(first), _) if nests.is_some_and(|[open, _]| open.starts_with(first)) => {
                Shown::Whole
            }
            (Some(first), ReadAs::Piece(list)) => {
                // It may be the only piece, or the first of several: its elements are those of the list.
                let either = reader.pieces_add(&list, true) && reader.pieces_add(&list, false);
                if first == '[' && either { Shown::json(param, reader) } else { Shown::Whole }
            }
            (Some(_), ReadAs::Json) => Shown::hinted(param, bare, reader),
            (Some(first), kind @ (ReadAs::Typed(_) | ReadAs::Nested(_))) => {
                Shown::typed(param, first, kind, reader)
            }
            _ => Shown::Whole,
        }
    }

    /// Shows the plain input of a call in a dialect of lines.
    pub fn of_plain(
        param: &RawParam,
        types: &ValueTypes,
        no_input: &[dialect::Text],
        reader: ArgumentsReader<'_>,
    ) -> Shown {
        let text = trim(start(&param.value));
        let optional = reader.tool().is_some_and(Tool::requires_nothing);
        let no_tool_takes_it = reader.tool().is_some_and(|tool| tool.params.is_empty());
        let begins =
            |word: &str| word.get(..text.len()).is_some_and(|word| word.eq_ignore_ascii_case(text));
        let may_be_none = optional && no_input.iter().any(|word| begins(word));
        if text.is_empty() || may_be_none {
            return Shown::Unknown;
        }
        let is_text = types.is_text() && types.texts.is_none() && !text.starts_with(['"', '\'']);
        if is_text && !no_tool_takes_it {
            Shown::Text(Text::new(false, true))
        } else {
            Shown::Whole
        }
    }

    /// Returns the visible part of a value that is JSON by its wire, or a literal of the dialect.
    fn hinted(param: &RawParam, bare: &str, reader: ArgumentsReader<'_>) -> Shown {
        if param.hint == Some(TypeHint::Json) {
            // The text behind a number or a word may make it a text: `12}`, `true]`.
            let is_long = bare.starts_with(['{', '[', '"', '\'', '`']);
            return if is_long { Shown::json(param, reader) } else { Shown::Whole };
        }
        let Some(literals) = &reader.tables.facts(reader.part).literals else {
            return Shown::Whole;
        };
        let types = reader.types(&param.name);
        let own = !literals.quote.is_empty();
        // More of the dialect's own quote may have to come.
        if own && literals.quote.starts_with(bare) && *literals.quote != *bare {
            return Shown::Unknown;
        }
        let by_schema = own && literals.by_schema && bare.starts_with(&*literals.quote);
        if OpenString::begins(bare, literals.syntax()) && (!by_schema || types.is_text()) {
            Shown::Literal(OpenString::default())
        } else {
            Shown::Whole
        }
    }

    /// A value that is read by its schema.
    fn typed(param: &RawParam, first: char, kind: ReadAs, reader: ArgumentsReader<'_>) -> Shown {
        let (ReadAs::Typed(types) | ReadAs::Nested(types)) = kind else { return Shown::Whole };
        if types.is_text() {
            return Shown::text(param, reader);
        }
        let opens =
            first == '{' && types.has(Type::Object) || first == '[' && types.has(Type::Array);
        if opens && !types.has(Type::String) {
            return Shown::json(param, reader);
        }
        let may_be_text = types.has_any_text();
        if ReadAs::Typed(types).is_text("", &param.value, usize::MAX) {
            Shown::text(param, reader)
        } else if !opens && may_be_text {
            Shown::Unknown
        } else {
            Shown::Whole
        }
    }

    fn text(param: &RawParam, reader: ArgumentsReader<'_>) -> Shown {
        Shown::Text(reader.open_text(&param.name, param.hint))
    }

    fn json(param: &RawParam, reader: ArgumentsReader<'_>) -> Shown {
        let options = &reader.tables.options;
        if options.decode_entities && param.hint.is_none() {
            return Shown::Whole;
        }
        Shown::Json(Box::new(OpenJson::new(Document::value(options.repairs))))
    }
}
