//! How a value has to be read before it can leave: by its parameter's schema and wire type.

use crate::event::TypeHint;
use crate::json::white::trim;
use crate::message::ArgumentsReader;
use crate::options::bounds;
use crate::tool::Type;
use crate::tool::types::ValueTypes;

/// The reading of a value that cannot leave while it comes.
#[derive(Clone, Debug)]
pub(crate) enum ReadAs {
    /// A value of the schema's types.
    Typed(ValueTypes),
    /// A value of these types, perhaps of nested elements.
    Nested(ValueTypes),
    /// A piece of the list of this name: others may follow.
    Piece(String),
    /// JSON, or near enough for a repair.
    Json,
    /// Lines, each an element of a list.
    Lines,
    /// Perhaps all arguments of the call, if no other parameter comes.
    All,
    /// The plain text input of a call: its one parameter, or, without a name, all its arguments.
    Plain,
}

impl ReadAs {
    /// `None`: the value is its text and can leave while it comes.
    pub fn new(
        name: &str,
        hint: Option<TypeHint>,
        reader: Option<ArgumentsReader<'_>>,
    ) -> Option<ReadAs> {
        if reader.as_ref().is_some_and(|reader| reader.may_hold_all(name, hint)) {
            return Some(ReadAs::All);
        }
        ReadAs::of_value(name, hint, reader)
    }

    /// The reading of a parameter that does not hold all arguments.
    pub fn of_value(
        name: &str,
        hint: Option<TypeHint>,
        reader: Option<ArgumentsReader<'_>>,
    ) -> Option<ReadAs> {
        let types = reader.as_ref().map(|reader| reader.types(name)).unwrap_or_default();
        let list = reader.as_ref().and_then(|reader| reader.list_of_types(name, hint, &types));
        if let Some(list) = list {
            return Some(ReadAs::Piece(list.to_string()));
        }
        match hint {
            Some(TypeHint::String) => return None,
            Some(TypeHint::Json | TypeHint::Literal) => return Some(ReadAs::Json),
            Some(TypeHint::Lines) => return Some(ReadAs::Lines),
            None => {}
        }
        if reader?.may_nest(&types) {
            return Some(ReadAs::Nested(types));
        }
        (!types.is_text()).then_some(ReadAs::Typed(types))
    }

    /// Whether the first bytes of a value show that it is its text. Most parameters that may be null are
    /// strings, and a file should not wait for its end because of that. (The rows of
    /// [`coerce`](crate::json::coerce::coerce) above "string, too".)
    pub fn is_text(&self, held: &str, piece: &str, room: usize) -> bool {
        let ReadAs::Typed(types) = self else { return false };
        let looked_at = START.min(room);
        if held.len() >= looked_at || !types.has_any_text() {
            return false;
        }
        let start = held.to_string() + prefix(piece, looked_at - held.len());
        let bare = trim(&start);
        let open = match bare.as_bytes().first() {
            None => true,
            Some(b'{') => types.has(Type::Object),
            Some(b'[') => types.has(Type::Array),
            Some(_) => types.has(Type::Null) && "null".starts_with(bare),
        };
        !open
    }
}

/// The bytes of a value that are looked at in advance: white space, mostly. A constant, so that a value that comes
/// byte by byte takes constant work.
const START: usize = bounds::WHITE_SPACE;

/// Returns the beginning of a value that is looked at in advance.
pub(super) fn start(value: &str) -> &str {
    prefix(value, START)
}

/// Returns the first `most` bytes, without those of a cut character.
fn prefix(text: &str, most: usize) -> &str {
    let mut end = most.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}
