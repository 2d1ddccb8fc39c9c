//! Calls without keys: one value, a line or a block, or a value for each parameter.
//!
//! ```text
//! call   := before [NAME behind] VALUE after
//! VALUE  := "{value}" | "{arguments}"           the second: values and separators
//! before := … line-break?                       the value begins on the next line
//! after  := line-break? CLOSE? line-break?      the closer has a line of its own, or the value is a line
//! ```

use super::grammar::boxed;
use super::notation::{around, text};
use super::{Shape, Wrong};
use crate::dialect::Text;
use crate::family::commands::Texts;

const NAME: &str = "{name}";
const VALUE: &str = "{value}";
const ARGUMENTS: &str = "{arguments}";

impl Shape {
    /// Whether its calls have no keys.
    pub(super) fn is_command(&self) -> bool {
        self.is_list() || self.call.contains(VALUE) && !self.call.contains(ARGUMENTS)
    }

    /// Whether its calls have a value for each parameter.
    fn is_list(&self) -> bool {
        !self.separator.is_empty()
    }

    /// The markers of such calls.
    ///
    /// # Errors
    /// For a text that no reader could find in a message, and for a field that such calls do not have.
    pub(super) fn command(&self) -> Result<Texts, Wrong> {
        self.check_command()?;
        let wrong = |what: &str| Wrong::new("call", format!("in `{}`: {what}", self.call));
        let [before, after] = self.round_value();
        let (open, breaks) = match before.strip_suffix('\n') {
            Some(open) => (open, true),
            None => (before, false),
        };
        let (lead, mark) = open.split_once(NAME).unwrap_or((open, ""));
        let is_sign = |c: char| !c.is_alphanumeric() && !c.is_whitespace();
        if open.contains('\n') || open.trim_start() != open {
            return Err(wrong(
                "a call begins a line, with a marker or a name, and has its value on that or on the next",
            ));
        }
        if !open.replace(NAME, "").contains(is_sign) {
            return Err(wrong("a sign must stand before the value: any line would be a call"));
        }
        if self.tool.is_empty() && mark.is_empty() && !breaks {
            return Err(wrong("something must stand between name and value"));
        }
        let close = after.trim();
        if close.is_empty() && (breaks || self.is_list() || !after.contains('\n')) {
            return Err(wrong(
                "nothing closes the value: end it with a marker or, if it is one line, a line break",
            ));
        }
        if close.contains('\n') {
            return Err(wrong("the closer of the value must be on one line"));
        }
        let some = |text: &Text| Some(boxed(text)).filter(|text| !text.is_empty());
        Ok(Texts {
            open: [lead, mark].map(Box::from),
            breaks,
            tool: some(&self.tool),
            key: some(&self.key),
            between: some(&self.separator.trim().to_string().into()),
            close: (!close.is_empty()).then(|| close.into()),
            own_line: !close.is_empty() && after.starts_with('\n'),
            stops: self.tokens.iter().map(boxed).collect(),
        })
    }

    /// The texts before and after the value of such a call.
    pub(super) fn round_value(&self) -> [&str; 2] {
        let values = if self.is_list() { ARGUMENTS } else { VALUE };
        self.call.split_once(values).map_or(["", ""], |(before, after)| [before, after])
    }

    /// Checks the place of each hole, and refuses fields that such calls do not have.
    fn check_command(&self) -> Result<(), Wrong> {
        let values = if self.is_list() { "arguments" } else { "value" };
        let parts = self.parts("call", &self.call, &["name", values])?;
        let [before, after] = around(&parts, values, "call")?;
        let named = self.call.contains(NAME);
        if named {
            around(&before, "name", "call")?;
            self.parts("call", &text(&after), &[])?;
        }
        let wrong =
            |field: &str, what: &str| Err(Wrong::new(field, format!("{what}: `{}`", self.call)));
        match (named, self.tool.is_empty(), self.key.is_empty()) {
            (true, false, _) => return wrong("tool", "the call names its tool"),
            (false, true, _) => {
                return wrong("tool", "without a `{name}` in `call` it says which tool that calls");
            }
            (false, _, true) => {
                let what = "without a `{name}` in `call` it must name the argument of the value";
                return wrong("key", what);
            }
            _ => {}
        }
        if self.is_list() && (self.argument != VALUE || self.separator.trim().is_empty()) {
            let what =
                format!("it stands between values without keys, where `argument` is `{VALUE}`");
            return wrong("separator", &what);
        }
        if self.is_list() && !(named && self.key.is_empty()) {
            return wrong("call", "the tool that is named says which argument each value is");
        }
        let others = [
            ("section", !self.section.is_empty()),
            ("sections", !self.sections.is_empty()),
            ("argument", !self.is_list() && !self.argument.is_empty()),
            ("literals", self.literals.is_some()),
            ("element", !self.element.is_empty()),
            ("or", !self.or.is_empty()),
            ("also", !self.also.is_empty()),
            ("message", !self.message.is_empty()),
            ("special", self.special),
        ];
        match others.iter().find(|(_, is_set)| *is_set) {
            Some((field, _)) => wrong(field, "a call without keys has none"),
            None => Ok(()),
        }
    }

    /// A tool that the shape can call, and its arguments: one that it needs, and others.
    pub(in crate::dialect) fn sample(&self) -> (&str, Vec<&str>) {
        match self.is_command() && !self.is_list() {
            true => {
                let name = if self.tool.is_empty() { "a_tool" } else { &*self.tool };
                (name, vec![if self.key.is_empty() { "one" } else { &*self.key }])
            }
            false => ("a_tool", vec!["one", "two"]),
        }
    }
}
