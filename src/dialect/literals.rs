//! The literals of arguments that are no JSON.

use crate::dialect::Text;
use crate::json::syntax::Syntax;

/// How the members of an object of literals are written: JSON, with some more. They go out as they are written, with the hint
/// [`TypeHint::Literal`](crate::TypeHint::Literal); `Message` decodes them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Literals {
    /// Opener and closer of a string in which nothing escapes, beside quotes: `<|"|>`. Its first character does not come
    /// in it again. Where there is one, a value without quotes is any text without white space, commas and brackets, and
    /// for a parameter that may be a string it is that text.
    pub quote: Text,
    /// A string in `quote` that is the whole value is read by the parameter's schema, as the values of tags are.
    pub by_schema: bool,
    /// They are Python's: keywords before `=`, tuples and sets, strings in three quotes of either kind.
    pub python: bool,
    /// A quote in a string may lack its backslash: the family says which one ends the string, and any other is text of it
    /// (`repaired_json`).
    pub unescaped: bool,
}

impl Literals {
    pub fn syntax(&self) -> Syntax<'_> {
        let Literals { quote, python, unescaped, .. } = self;
        Syntax { quote, python: *python, unescaped: *unescaped, equals: false, comments: false }
    }
}
