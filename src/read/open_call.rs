//! What the machine remembers of the open call and its section.

use std::hash::{DefaultHasher, Hash, Hasher};

use crate::event::TypeHint;
use crate::options::bounds;
use crate::read::ids::{PartNumber, UNKNOWN};

/// No section's opener waits for a call.
pub(crate) const NO_OPENER: usize = usize::MAX;

/// The open call, and the open parameter in it. The buffers are kept from call to call.
#[derive(Clone, Debug, Default)]
pub(crate) struct OpenCall {
    /// The number of the next call, or of the open one plus one.
    pub count: u32,
    pub captured: Captured,
    pub tool: u16,
    /// Which of the parser's dialects wrote it.
    pub part: PartNumber,
    /// Which of the dialect's calls.
    pub kind: u8,
    /// The present run of junk has its diagnostic.
    pub reported: bool,
    /// What the wire says of the next parameter's type.
    pub hint: Option<TypeHint>,
    /// Which of the dialect's value kinds it is.
    pub value_kind: u8,
    /// The next byte is the first of the value, and one line break there is markup.
    pub at_value_start: bool,
    /// The run of white space at its end is too long to be framing.
    pub long_white: bool,
    /// How many elements are open in the value.
    depth: u32,
    /// The tool's name was the last thing in the stream.
    pub cut_name: bool,
}

/// What markers and bodies said of the call, each in a buffer of its own.
#[derive(Clone, Debug, Default)]
pub(crate) struct Captured {
    pub name: String,
    /// The open parameter's name, or that of the next one.
    pub param: String,
    others: Option<Box<Others>>,
}

/// What few calls have, and what is asked for once a parameter: a parser is smaller without it.
#[derive(Clone, Debug, Default)]
struct Others {
    /// The declared parameters that were given, by number.
    given: Vec<bool>,
    /// The undeclared parameters that were given.
    hashes: Vec<u64>,
    /// The id that came for a call that has yet to start.
    id: String,
    /// What the opener captured as an element.
    element: String,
    /// The elements that are open in the value: few values have some.
    nested: Option<Box<Nested>>,
    /// The name of the first call that was opened in prose, where the table repeats it.
    first: String,
    /// Stream offset before which a call or a section ended last, because something stood there that may
    /// not, and how often one did.
    ended: (usize, u8),
}

/// The names of the elements that are open in a value, one after the other, and where each begins.
#[derive(Clone, Debug, Default)]
struct Nested {
    names: String,
    starts: Vec<u16>,
}

/// How many undeclared parameters of a call are remembered, to notice a repeated one.
const OTHERS: usize = 256;

/// Of a call that has none of these.
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
    /// Nothing, with the buffers.
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

    /// The id that came for a call that has yet to start; empty: none did.
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

    /// What the opener captured as an element.
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
    /// No call is open.
    pub fn none() -> OpenCall {
        OpenCall { tool: UNKNOWN, ..OpenCall::default() }
    }

    /// As [`OpenCall::none`], with its buffers.
    pub fn reset(&mut self) {
        let OpenCall { mut captured, .. } = std::mem::replace(self, OpenCall::none());
        captured.reset();
        self.captured = captured;
    }

    /// A new call of a tool with `params` declared parameters; the name is written by the caller.
    pub fn open(&mut self, tool: u16, params: usize, part: PartNumber) {
        self.count = self.count.wrapping_add(1);
        (self.tool, self.part) = (tool, part);
        (self.reported, self.cut_name, self.hint) = (false, false, None);
        if params > 0 {
            self.captured.others.get_or_insert_default();
        }
        if let Some(others) = &mut self.captured.others {
            others.hashes.clear();
            others.given.clear();
            others.given.resize(params, false);
        }
    }

    /// The parameters of a tool are noted, but no call of it begins.
    pub fn skip(&mut self, tool: u16, params: usize, part: PartNumber) {
        let count = self.count;
        self.open(tool, params, part);
        self.count = count;
    }

    /// Elements are open in the value.
    pub fn is_nested(&self) -> bool {
        self.depth > 0
    }

    /// The name of the innermost of them, if it was captured.
    pub fn nested(&self) -> &str {
        let nested = self.captured.others().nested.as_ref();
        nested.and_then(|of| of.names.get(*of.starts.last()? as usize..)).unwrap_or_default()
    }

    /// No element is open in the value.
    pub fn nothing_nested(&mut self) {
        self.depth = 0;
        if let Some(Nested { names, starts }) = self.captured.nested_mut() {
            names.clear();
            starts.clear();
        }
    }

    /// An element of the value begins; `false` if its name is one too many.
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

    /// The innermost element of the value ends.
    pub fn unnest(&mut self) {
        self.depth = self.depth.saturating_sub(1);
        if let Some(Nested { names, starts }) = self.captured.nested_mut() {
            names.truncate(starts.pop().map_or(0, usize::from));
        }
    }

    /// The name of the first of the calls that were opened together last.
    pub fn first(&self) -> &str {
        &self.captured.others().first
    }

    /// Its name is that of the open call.
    pub fn is_first(&mut self) {
        let name = &self.captured.name;
        self.captured.others.get_or_insert_default().first.clone_from(name);
    }

    /// Notes that the call or its section ends before what stands at this stream offset; how often
    /// that was so.
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

    /// The same of all of them, by number.
    pub fn given(&self) -> &[bool] {
        &self.captured.others().given
    }

    /// Notes that the open parameter is given; whether it was before.
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

    /// The names of elements come and go with them; each value begins with none, and may have as many.
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
