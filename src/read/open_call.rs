//! The open call and its section, as the machine remembers them.

use std::hash::{DefaultHasher, Hash, Hasher};

use crate::event::TypeHint;
use crate::options::bounds;
use crate::read::ids::{PartNumber, UNKNOWN};

/// No opener of a section waits for a call.
pub(crate) const NO_OPENER: usize = usize::MAX;

/// The open call, and the open parameter in it. The buffers are kept from call to call.
#[derive(Clone, Debug, Default)]
pub(crate) struct OpenCall {
    /// The number of the next call: one more than that of the open call.
    pub count: u32,
    pub captured: Captured,
    pub tool: u16,
    /// The number of the dialect that wrote it.
    pub part: PartNumber,
    /// The kind of the call in its dialect.
    pub kind: u8,
    /// The present run of junk was reported.
    pub reported: bool,
    /// The type of the next parameter, as the tag says it.
    pub hint: Option<TypeHint>,
    /// The kind of the value in its dialect.
    pub value_kind: u8,
    /// The next byte is the first of the value: a line break there is markup.
    pub at_value_start: bool,
    /// The white space at its end is too long to be framing.
    pub long_white: bool,
    /// The number of open elements in the value.
    depth: u32,
    /// The stream ended in the tool's name.
    pub cut_name: bool,
}

/// The texts of the call in markers and bodies, each in a buffer of its own.
#[derive(Clone, Debug, Default)]
pub(crate) struct Captured {
    pub name: String,
    /// The open parameter's name, or that of the next one.
    pub param: String,
    others: Option<Box<Others>>,
}

/// Parts that few calls have, or that are needed once a parameter. They make a parser smaller.
#[derive(Clone, Debug, Default)]
struct Others {
    /// The declared parameters that were given, by number.
    given: Vec<bool>,
    /// The undeclared parameters that were given.
    hashes: Vec<u64>,
    /// The id of a call that has yet to start.
    id: String,
    /// The element that the opener captured.
    element: String,
    /// The open elements in the value: few values have any.
    nested: Option<Box<Nested>>,
    /// The name of the first of several calls, in a dialect whose lists may be repeated.
    first: String,
    /// Stream offset before which a call or a section ended last, because the text there may not stand in it,
    /// and how often this happened.
    ended: (usize, u8),
}

/// The names of the open elements in a value, one after the other, and where each begins.
#[derive(Clone, Debug, Default)]
struct Nested {
    names: String,
    starts: Vec<u16>,
}

/// The most undeclared parameters of a call that are remembered, to notice a repeated one.
const OTHERS: usize = 256;

/// The empty parts of a call that has none of them.
static NO_OTHERS: Others = Others {
    given: Vec::new(),
    hashes: Vec::new(),
    id: String::new(),
    element: String::new(),
    nested: None,
    first: String::new(),
    ended: (0, 0),
};

impl Others {
    fn reset(&mut self) {
        let Others { given, hashes, id, element, nested, first, ended } = self;
        given.clear();
        hashes.clear();
        [id, element, first].into_iter().for_each(String::clear);
        *nested = None;
        *ended = (0, 0);
    }
}

impl Captured {
    /// Clears everything, and keeps the buffers.
    pub fn reset(&mut self) {
        self.name.clear();
        self.param.clear();
        if let Some(others) = &mut self.others {
            others.reset();
        }
    }

    fn others(&self) -> &Others {
        self.others.as_deref().unwrap_or(&NO_OTHERS)
    }

    /// Returns the id of a call that has yet to start; empty if none came.
    pub fn id(&self) -> &str {
        &self.others().id
    }

    pub fn id_mut(&mut self) -> &mut String {
        &mut self.others.get_or_insert_default().id
    }

    pub fn clear_id(&mut self) {
        if let Some(others) = &mut self.others {
            others.id.clear();
        }
    }

    /// Returns the element that the opener captured.
    pub fn element(&self) -> &str {
        &self.others().element
    }

    pub fn element_mut(&mut self) -> &mut String {
        &mut self.others.get_or_insert_default().element
    }

    fn nested_mut(&mut self) -> Option<&mut Nested> {
        self.others.as_mut()?.nested.as_deref_mut()
    }

    pub fn clear_element(&mut self) {
        if let Some(others) = &mut self.others {
            others.element.clear();
        }
    }
}

impl OpenCall {
    /// The state without an open call.
    pub fn none() -> OpenCall {
        OpenCall { tool: UNKNOWN, ..OpenCall::default() }
    }

    /// Resets to [`OpenCall::none`], and keeps the buffers.
    pub fn reset(&mut self) {
        let OpenCall { mut captured, .. } = std::mem::replace(self, OpenCall::none());
        captured.reset();
        self.captured = captured;
    }

    /// Opens a call of a tool with `params` declared parameters. The caller writes the name.
    pub fn open(&mut self, tool: u16, params: usize, part: PartNumber) {
        self.count = self.count.wrapping_add(1);
        self.tool = tool;
        self.part = part;
        self.reported = false;
        self.cut_name = false;
        self.hint = None;
        if params > 0 {
            self.captured.others.get_or_insert_default();
        }
        if let Some(others) = &mut self.captured.others {
            others.hashes.clear();
            others.given.clear();
            others.given.resize(params, false);
        }
    }

    /// Notes the parameters of a tool, without a call of it.
    pub fn skip(&mut self, tool: u16, params: usize, part: PartNumber) {
        let count = self.count;
        self.open(tool, params, part);
        self.count = count;
    }

    /// Whether elements are open in the value.
    pub fn is_nested(&self) -> bool {
        self.depth > 0
    }

    /// Returns the name of the innermost element, if it was captured.
    pub fn nested(&self) -> &str {
        let nested = self.captured.others().nested.as_ref();
        nested.and_then(|of| of.names.get(*of.starts.last()? as usize..)).unwrap_or_default()
    }

    /// Closes all elements of the value.
    pub fn nothing_nested(&mut self) {
        self.depth = 0;
        if let Some(Nested { names, starts }) = self.captured.nested_mut() {
            names.clear();
            starts.clear();
        }
    }

    /// Opens an element of the value; `false` if it is one name too many.
    pub fn nest(&mut self, name: &str) -> bool {
        self.depth = self.depth.saturating_add(1);
        if name.is_empty() {
            return true;
        }
        let nested = self.captured.others.get_or_insert_default().nested.get_or_insert_default();
        let Nested { names, starts } = &mut **nested;
        let fits = starts.len() < bounds::DEPTH;
        if fits {
            starts.push(names.len() as u16);
            names.push_str(name);
        }
        fits
    }

    /// Closes the innermost element of the value.
    pub fn unnest(&mut self) {
        self.depth = self.depth.saturating_sub(1);
        if let Some(Nested { names, starts }) = self.captured.nested_mut() {
            names.truncate(starts.pop().map_or(0, usize::from));
        }
    }

    /// Returns the name of the first of the last calls that were opened together.
    pub fn first(&self) -> &str {
        &self.captured.others().first
    }

    /// Notes that the open call is the first of them.
    pub fn is_first(&mut self) {
        let name = &self.captured.name;
        self.captured.others.get_or_insert_default().first.clone_from(name);
    }

    /// Notes that the call or its section ends before this stream offset. Returns how often this happened.
    pub fn ends_before(&mut self, at: usize) -> u8 {
        let ended = &mut self.captured.others.get_or_insert_default().ended;
        *ended = if ended.0 == at { (at, ended.1.saturating_add(1)) } else { (at, 1) };
        ended.1
    }

    pub fn close(&mut self) {
        self.tool = UNKNOWN;
        self.reported = false;
    }

    /// Whether the declared parameter of this number was given.
    pub fn is_given(&self, number: u16) -> bool {
        self.given().get(number as usize).is_some_and(|given| *given)
    }

    /// Returns for each declared parameter whether it was given.
    pub fn given(&self) -> &[bool] {
        &self.captured.others().given
    }

    /// Notes that the open parameter is given. Returns whether it was given before.
    pub fn give(&mut self, number: Option<u16>) -> bool {
        let others = self.captured.others.get_or_insert_default();
        if let Some(number) = number {
            return std::mem::replace(&mut others.given[number as usize], true);
        }
        let mut hasher = DefaultHasher::new();
        self.captured.param.hash(&mut hasher);
        let hash = hasher.finish();
        let known = others.hashes.contains(&hash);
        if !known && others.hashes.len() < OTHERS {
            others.hashes.push(hash);
        }
        known
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The names of elements come and go with them. Each value begins without any, and may have as many.
    #[test]
    fn elements_nest() {
        let mut call = OpenCall::none();
        assert!(call.nest("a") && call.nest("") && call.nest("bc"));
        assert_eq!(call.nested(), "bc");
        call.unnest();
        assert_eq!(call.nested(), "a");
        for _ in 0..2 {
            call.nothing_nested();
            assert_eq!((call.nested(), call.is_nested()), ("", false));
            assert!((0..bounds::DEPTH).all(|_| call.nest("d")) && !call.nest("d"));
        }
    }
}
