//! Texts that can be replaced, with placeholders.

use std::borrow::Cow;
use std::fmt::{Display, Write};

use super::config::{PolicyError, Result};

/// Texts by name: the defaults, or what the host has put in their place.
#[derive(Clone, Debug)]
pub(super) struct Texts(Vec<(&'static str, Cow<'static, str>)>);

impl Texts {
    pub fn new(defaults: &[(&'static str, &'static str)]) -> Self {
        Texts(defaults.iter().map(|(name, text)| (*name, Cow::Borrowed(*text))).collect())
    }

    /// Puts texts in place of the defaults of the same names.
    pub fn replace(&mut self, texts: Vec<(String, String)>) -> Result<()> {
        for (name, text) in texts {
            match self.0.iter_mut().find(|(known, _)| *known == name) {
                Some((_, place)) => *place = Cow::Owned(text),
                None => {
                    let known = self.0.iter().map(|(known, _)| *known).collect();
                    return Err(PolicyError::UnknownText { name, known });
                }
            }
        }
        Ok(())
    }

    /// The text of this name with these values in it.
    pub fn fill(&self, name: &str, values: &[(&str, &dyn Display)]) -> String {
        let text = self.0.iter().find(|(known, _)| *known == name);
        text.map(|(_, text)| fill(text, values)).unwrap_or_default()
    }
}

/// Puts the values in place of `{name}`, once.
pub(super) fn fill(text: &str, values: &[(&str, &dyn Display)]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('{') {
        let (before, brace) = rest.split_at(at);
        out.push_str(before);
        let known = values.iter().find_map(|(name, value)| {
            let behind = brace[1..].strip_prefix(name)?.strip_prefix('}')?;
            Some((value, behind))
        });
        rest = match known {
            Some((value, behind)) => {
                // A String takes everything.
                let _ = write!(out, "{value}");
                behind
            }
            None => {
                out.push('{');
                &brace[1..]
            }
        };
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::fill;

    #[test]
    fn what_is_known_is_replaced_once() {
        let filled = |text| fill(text, &[("a", &"{b}"), ("b", &2), ("ab", &"x")]);
        assert_eq!(filled("{a} {b} {ab}"), "{b} 2 x");
        assert_eq!(filled("{c} { a } {} {a {{b}} }{"), "{c} { a } {} {a {2} }{");
        assert_eq!(filled("{A}"), "{A}");
        assert_eq!(filled(""), "");
    }
}
