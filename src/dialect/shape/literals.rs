//! Calls whose arguments are literals: `call:NAME{key: …}`, or Python's, alone, in a list, or a line each.
//!
//! ```text
//! call   := OPEN ws PREFIX? NAME ws ( "{" … "}" | "(" … ")" ) ws CLOSE?
//! list   := OPEN ws "[" ws NAME ws "(" … ")" ( ws "," ws NAME ws "(" … ")" )* ws "]" ws CLOSE
//! lines  := OPEN ( line-start NAME ws "(" … ")" )* CLOSE
//! ```
//! An opener counts if a name and its bracket follow. A list without an OPEN stands at the start of the message if no
//! tools are declared; otherwise it begins a line and calls a declared tool. In an open value, even in a string, the next
//! OPEN ends the value and the call. `family/python/strings.rs` says where a Python string ends.

use super::derive::{add, owned};
use super::grammar::boxed;
use super::notation::{Part, around, is_whole_tag, text, trimmed};
use super::{Shape, Wrong};
use crate::dialect::Text;
use crate::dialect::literals::Literals;
use crate::dialect::template::LiteralForm;

use crate::family::Family;
use crate::family::head::Head;
use crate::family::literals::{self, Literal};
use crate::family::python::{self, Python};

/// The parts of a shape of literals.
pub(super) struct LiteralCalls<'a> {
    shape: &'a Shape,
    literals: Literals,
    /// The openers of a call, a list or lines, in each spelling, and the closers.
    opens: Vec<Text>,
    closes: Vec<Text>,
    /// A list may stand without an opener.
    bare: bool,
    /// The text before a name. It may be missing.
    prefix: Text,
}

impl<'a> LiteralCalls<'a> {
    pub fn from_shape(shape: &'a Shape, form: &LiteralForm) -> Result<LiteralCalls<'a>, Wrong> {
        let wrong = |what: &str| Wrong::new("call", format!("in `{}`: {what}", shape.call));
        if form.separator.trim().is_empty() || !shape.argument.is_empty() {
            let what = "a `separator` stands between key and value, and there is no `argument`";
            return Err(Wrong::new("literals", what));
        }
        let parts = shape.parts("call", &shape.call, &["name", "arguments"])?;
        let [open, close] = around(&parts, "arguments", "call")?;
        let [head, bracket] = around(&open, "name", "call")?;
        let plain = |parts: &[Part]| text(trimmed(parts));
        let own = match &*plain(&bracket) {
            "{" => '}',
            "(" => ')',
            _ => return Err(wrong("literals stand in `{` or `(`, right after the name")),
        };
        let close = plain(&close);
        let close = close.strip_prefix(own).ok_or_else(|| wrong("its bracket must close"))?.trim();
        let head = plain(&head);
        let mut calls = LiteralCalls {
            shape,
            literals: Literals {
                quote: form.quote.clone(),
                by_schema: form.strings,
                python: form.python,
                unescaped: form.python,
            },
            opens: Vec::new(),
            closes: Vec::new(),
            bare: false,
            prefix: "".into(),
        };
        if shape.section.is_empty() {
            let token = head.rfind(['>', ']', '}', ')']).map_or(head.len(), |at| at + 1);
            if head.is_empty() {
                return Err(wrong("a marker must stand before the name"));
            }
            add(&mut calls.opens, &head[..token]);
            add(&mut calls.closes, close);
            calls.prefix = owned(&head[token..]);
            return Ok(calls);
        }
        if !(head.is_empty() && close.is_empty() && form.python) {
            return Err(wrong("with a `section` a call is Python's, without text around it"));
        }
        let is_list = calls.is_list();
        for [open, close] in shape.all_sections()? {
            let inner = (open.strip_suffix('['), close.strip_prefix(']'));
            let [open, close] = match inner {
                (Some(open), Some(close)) if is_list => [open.trim(), close.trim()],
                (None, None) if !is_list && !open.is_empty() => [&*open, &*close],
                _ => {
                    let what =
                        "calls stand in a list in each of them, or have a line each after a marker";
                    return Err(Wrong::new("section", format!("`{open}{{calls}}{close}`: {what}")));
                }
            };
            calls.bare |= open.is_empty();
            add(&mut calls.opens, open);
            add(&mut calls.closes, close);
        }
        Ok(calls)
    }

    /// Whether calls stand in brackets, with commas between them.
    fn is_list(&self) -> bool {
        let before = self.shape.section.split("{calls}").next().unwrap_or_default();
        before.trim_end().ends_with('[')
    }

    fn is_quoted(&self) -> bool {
        !self.literals.quote.is_empty()
    }

    /// Returns the family that reads such calls.
    pub fn family(&self) -> Box<dyn Family> {
        let boxed = |texts: &[Text]| texts.iter().map(boxed).collect::<Vec<_>>();
        let [open, close] = [&self.opens, &self.closes].map(|texts| boxed(texts));
        let tags = self.opens.iter().filter(|open| is_whole_tag(open)).cloned().collect::<Vec<_>>();
        let (tags, stops) = (boxed(&tags), boxed(&self.shape.tokens));
        let (alone, prefix) = (self.shape.section.is_empty(), Box::from(&*self.prefix));
        let typed = !self.shape.special && !self.is_quoted();
        let form = match (alone, self.bare) {
            (true, _) => python::Form::One,
            (_, true) => python::Form::Alone,
            _ if self.is_list() => python::Form::Between,
            _ => python::Form::Lines,
        };
        if alone && !self.literals.python {
            let [open, close] = [open, close].map(|texts| texts.into_iter().next());
            return Box::new(Literal::new(literals::Texts {
                head: Head { open: open.unwrap_or_default(), prefix },
                close: close.unwrap_or_default(),
                literals: self.literals.clone(),
                tags,
                typed,
                stops,
                doubled: None,
            }));
        }
        Box::new(Python::new(python::Texts {
            form,
            open,
            close,
            prefix,
            tags,
            stops,
            typed,
            empty: self.shape.special && form == python::Form::Between,
            ..python::Texts::default()
        }))
    }
}
