//! A call that is a JSON object, with the tool's name in it: `{"name": {name}, "arguments": {arguments}}`.

use super::Wrong;

/// The keys of a call's name in its object, and those of its arguments.
pub(in crate::dialect) const NAME_KEYS: &[&str] = &["name", "tool_name", "function"];
pub(in crate::dialect) const ARGUMENT_KEYS: &[&str] = &["arguments", "parameters", "args", "input"];

/// An object and the texts around it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Object<'a> {
    pub before: &'a str,
    pub object: &'a str,
    pub after: &'a str,
}

const NAME: &str = "{name}";
const ARGUMENTS: &str = "{arguments}";

impl<'a> Object<'a> {
    /// Returns the object of a call, if it has one: a brace before a quote stands before the name.
    pub fn parse(call: &'a str) -> Option<Object<'a>> {
        let (name, arguments) = (call.find(NAME)?, call.find(ARGUMENTS)?);
        let begins = |at: &usize| call[at + 1..].trim_start().starts_with('"');
        let mut braces = call[..name.min(arguments)].match_indices('{').map(|(at, _)| at);
        let begin = braces.find(begins)?;
        // The braces of holes come in pairs, too.
        let mut depth = 0;
        let end = call[begin..].char_indices().find_map(|(at, c)| {
            depth += match c {
                '{' => 1,
                '}' => -1,
                _ => 0,
            };
            (c == '}' && depth == 0).then_some(begin + at + 1)
        })?;
        let object = &call[begin..end];
        Some(Object { before: &call[..begin], object, after: &call[end..] })
    }

    /// Checks that the keys of name and arguments are keys that a reader knows.
    ///
    /// # Errors
    /// A key that no reader knows.
    pub fn check(&self) -> Result<(), Wrong> {
        for (hole, known) in [(NAME, NAME_KEYS), (ARGUMENTS, ARGUMENT_KEYS)] {
            let before = self.object.split(hole).next().unwrap_or_default();
            let before = before.trim_end_matches('"').trim_end().trim_end_matches(':').trim_end();
            let key = before.strip_suffix('"').and_then(|before| before.rsplit('"').next());
            let fits = key.is_some_and(|key| known.contains(&key));
            if !fits {
                let known = known.join("`, `");
                let what = format!(
                    "the key before `{hole}` in `{}` is not read: use one of `{known}`",
                    self.object
                );
                return Err(Wrong::new("call", what));
            }
        }
        Ok(())
    }
}
