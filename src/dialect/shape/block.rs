//! Shapes of the family of `<tool_call>`: blocks whose body is JSON, functions, or keys and values, or one of them.
//! Their rules are in [`crate::dialect::tool_call`].

use super::derive::owned;
use super::notation::{Part, around, closer, parts};
use super::object::Object;
use super::{Or, Shape, Wrong};
use crate::dialect::spec::DialectSpec;
use crate::dialect::tool_call::{Block, FUNCTION_CALL, FUNCTION_PARAM, Keys};

impl Shape {
    /// Its table, if it is of the family.
    ///
    /// # Errors
    /// If some of its forms are and others are not.
    pub(super) fn block(&self) -> Result<Option<DialectSpec>, Wrong> {
        if !self.section.is_empty() && self.or.is_empty() {
            return Ok(None);
        }
        let own = Or::new(self.call.clone(), self.argument.clone());
        let mut block = self.any_block();
        for (number, form) in [&own].into_iter().chain(&self.or).enumerate() {
            if !self.add(form, &mut block) {
                let Some(at) = number.checked_sub(1) else { return Ok(None) };
                let what = format!("`{}` stands in no block with the others", form.call);
                return Err(Wrong { field: format!("or[{at}].call"), what });
            }
        }
        self.of_block(&block).map(Some)
    }

    /// Whether this is one more body of the block.
    fn add(&self, form: &Or, block: &mut Block) -> bool {
        if let (Some(object), false) = (Object::of(&form.call), self.or.is_empty()) {
            let tag = |text: &str| text.trim().to_string();
            block.json = true;
            return object.check().is_ok() && same(block, tag(object.before), tag(object.after));
        }
        if let Some((open, close)) = form.call.split_once(FUNCTION_CALL) {
            block.functions = true;
            block.lines = form.argument.contains("\n{value}\n");
            let param = form.argument.replace("\n{value}\n", "{value}");
            let tags = same(block, open.trim().to_string(), close.trim().to_string());
            return param.trim_end() == FUNCTION_PARAM && tags;
        }
        match keyed(form) {
            Some(([open, close], keys)) => {
                block.keyed = Some(keys);
                same(block, open, close)
            }
            None => false,
        }
    }
}

/// Whether the block has these tags, which it gets from its first body.
fn same(block: &mut Block, open: String, close: String) -> bool {
    if block.open.is_empty() {
        (block.open, block.close) = (vec![owned(&*open)], vec![owned(&*close)]);
    }
    let tags = !open.is_empty() && !close.is_empty();
    tags && *block.open == [open] && *block.close == [close]
}

/// The opener and the tags of a call like `<call>{name}{arguments}</call>` whose arguments are like
/// `<key>{key}</key><value>{value}</value>`.
fn keyed(form: &Or) -> Option<([String; 2], Keys)> {
    let call = parts(&form.call, &["name", "arguments"]).ok()?;
    let [open, end] = around(&call, "arguments", "call").ok()?;
    let [open, after] = around(&open, "name", "call").ok()?;
    let argument = parts(&form.argument, &["key", "value"]).ok()?;
    let [before, close] = around(&argument, "value", "argument").ok()?;
    let [key, between] = around(&before, "key", "argument").ok()?;
    let texts = |parts: &[Part]| -> Option<Vec<String>> {
        let plain = parts.iter().filter_map(|part| match part {
            Part::Text(text) => Some(Some(text.clone())),
            Part::White(_) => None,
            Part::Hole(_) => Some(None),
        });
        plain.collect()
    };
    let [open, after, between, key, close, end] =
        [open, after, between, key, close, end].map(|parts| texts(&parts));
    let (open, after, between, key, close, end) = (open?, after?, between?, key?, close?, end?);
    let one = |texts: &[String]| match texts {
        [text] => Some(text.clone()),
        _ => None,
    };
    // What closes the key may open the value, too.
    let [key_close, value_open] = match &*between {
        [both] => tags(both),
        [close, open] => [close.clone(), open.clone()],
        _ => return None,
    };
    after.is_empty().then_some(())?;
    let pattern = |text: String| closer(&[Part::Text(text)]);
    let keys = Keys {
        key: [one(&key)?, key_close].map(pattern),
        value: [value_open, one(&close)?].map(pattern),
        end: pattern(one(&end)?),
    };
    Some(([one(&open)?, one(&end)?], keys))
}

/// Two tags without white space between them, or one that is both.
fn tags(both: &str) -> [String; 2] {
    match both.char_indices().skip(1).find(|(_, c)| *c == '<') {
        Some((at, _)) => [both[..at].to_string(), both[at..].to_string()],
        None => [both.to_string(), both.to_string()],
    }
}
