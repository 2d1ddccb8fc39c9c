//! Shapes of the family of `<tool_call>`: blocks whose body is JSON, functions, keys and values, or one of several.

use super::argument::Tagged;
use super::derive::owned;
use super::grammar::boxed;
use super::notation::{Part, single_text, solid};
use super::object::Object;
use super::{Or, Shape, Wrong};
use crate::dialect::Text;
use crate::family::block::{Keys, Tags};

/// A function in its block, and one of its parameters, whose value may stand on lines of its own.
const FUNCTION_CALL: &str = "<function={name}>\n{arguments}</function>";
const FUNCTION_PARAM: &str = "<parameter={key}>{value}</parameter>";

impl Shape {
    /// Returns the texts of its block, if its calls stand in one.
    pub(super) fn tool_block(&self) -> Result<Option<Tags>, Wrong> {
        if self.wrapped || !self.section.is_empty() && self.or.is_empty() {
            return Ok(None);
        }
        let own = Or::new(self.call.clone(), self.argument.clone());
        let mut block = self.any_block();
        for (number, form) in [&own].into_iter().chain(&self.or).enumerate() {
            if !self.add(form, &mut block) {
                let Some(at) = number.checked_sub(1) else { return Ok(None) };
                return Err(form.mistake(at, "is not in one block with the others"));
            }
        }
        Ok(Some(block))
    }

    /// Adds this form as a body of the block. False if it is not a body of this block.
    fn add(&self, form: &Or, block: &mut Tags) -> bool {
        if let (Some(object), false) = (Object::parse(&form.call), self.or.is_empty()) {
            block.json = true;
            let tags = [object.before, object.after].map(|text| owned(text.trim()));
            return object.check().is_ok() && has_tags(block, tags);
        }
        if let Some((open, close)) = form.call.split_once(FUNCTION_CALL) {
            block.functions = true;
            block.lines = form.argument.contains("\n{value}\n");
            let param = form.argument.replace("\n{value}\n", "{value}");
            let tags = has_tags(block, [open, close].map(|text| owned(text.trim())));
            return param.trim_end() == FUNCTION_PARAM && tags;
        }
        match keyed(form) {
            Some((tags, keys)) => {
                block.keyed = Some(keys);
                has_tags(block, tags)
            }
            None => false,
        }
    }
}

/// Whether the block has these tags. A block without tags gets them.
fn has_tags(block: &mut Tags, tags: [Text; 2]) -> bool {
    let [open, close] = tags.each_ref().map(boxed);
    if block.open.is_empty() {
        block.open = vec![open.clone()];
        block.close = vec![close.clone()];
    }
    let tags = !open.is_empty() && !close.is_empty();
    tags && *block.open == [open] && *block.close == [close]
}

/// Returns the tags and the keys of a call like `<call>{name}{arguments}</call>` whose arguments are like
/// `<key>{key}</key><value>{value}</value>`.
fn keyed(form: &Or) -> Option<([Text; 2], Keys)> {
    let call = solid(&form.call, &["name", "arguments"])?;
    let [open, Part::Hole(name), Part::Hole(_), end] = &*call else { return None };
    let [open, end] = [single_text(open)?, single_text(end).filter(|_| name == "name")?];
    let Tagged { key, hint: None, value } = Tagged::parse(&form.argument)? else { return None };
    let texts = |texts: [Text; 2]| texts.each_ref().map(boxed);
    Some(([open, end], Keys { key: texts(key), value: texts(value) }))
}
