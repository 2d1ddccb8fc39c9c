//! Keys and names in the usual form: whole, in double quotes, without an escape. They are read in one go. Any
//! other string, or one that is cut, is read token by token. The result is the same.

use super::words::{add, add_to_key};
use super::{Expect, FieldState, Json, Meaning, Stop};
use crate::json::lexer::{Token, plain_string};
use crate::read::open_call::Captured;

impl Json {
    /// Reads a key or a name in the usual form. Returns the number of its bytes, and the stop.
    #[inline]
    pub(super) fn plain(
        &mut self,
        text: &str,
        captured: &mut Captured,
    ) -> Option<(usize, Option<Stop>)> {
        let named = || self.name == FieldState::Missing;
        let kept = match (self.expect, self.meaning) {
            (Expect::Key, _) => true,
            (Expect::Value, Meaning::Name | Meaning::Function) => named(),
            _ => false,
        };
        if !kept || self.params || !self.at_level() {
            return None;
        }
        let inner = plain_string(&mut self.lexer, text)?;
        self.begins_string(b'"');
        self.token_begins(Token::StringStart(b'"'), captured);
        match self.expect {
            Expect::Key => {
                self.key.push(inner);
                if !self.others && !self.only_keys {
                    add_to_key(&mut captured.param, inner);
                }
            }
            _ => add(&mut captured.name, inner),
        }
        Some((inner.len() + 2, self.text_ends()))
    }
}
