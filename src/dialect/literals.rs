//! The literals of arguments that are not JSON.

use crate::dialect::Text;
use crate::json::syntax::Syntax;

/// The literals in which the members of an object are written: JSON with extensions. They are delivered as they are written,
/// with the hint [`TypeHint::Literal`](crate::tools::TypeHint::Literal); `Message` decodes them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Literals {
    /// Opener and closer of a string without escapes, beside quotes: `<|"|>`. Its first character occurs in it once.
    /// With such a text, a value without quotes is any text without white space, commas and brackets. If the parameter
    /// may be a string, the value is that text.
    pub quote: Text,
    /// A value that is one string in `quote` is read by the parameter's schema, as the values of tags are.
    pub by_schema: bool,
    /// Python's literals: keywords before `=`, tuples and sets, strings in three quotes of either kind.
    pub python: bool,
    /// A quote in a string may lack its backslash. The family decides which quote ends the string; any other is text of
    /// it (`repaired_json`).
    pub unescaped: bool,
}

impl Literals {
    pub fn syntax(&self) -> Syntax<'_> {
        let Literals { quote, python, unescaped, .. } = self;
        Syntax { quote, python: *python, unescaped: *unescaped, equals: false, comments: false }
    }
}
