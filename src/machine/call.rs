//! What the machine remembers of the open call and its section.

use std::hash::{DefaultHasher, Hash, Hasher};

use super::pattern::{Surroundings, UNKNOWN};
use super::view::View;
use crate::dialect::spec::{Opening, Rule};
use crate::tables::{PartNumber, Tables};

/// The open section, if any.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Section {
    pub open: bool,
    /// Which of the dialect's sections.
    pub kind: u8,
    /// A body has begun in it.
    pub begun: bool,
    /// The bracket round its calls has come.
    pub bracket: bool,
    /// Stream offset of its opener, until its first call has started.
    pub unused: Option<usize>,
    /// A call without a section has just ended, with nothing but white space since: the closer of a
    /// section here is its own.
    pub owed: bool,
}

/// The open call, and the open parameter in it. The buffers are kept from call to call.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    /// The number of the next call, or of the open one plus one.
    pub count: u32,
    pub name: String,
    pub tool: u16,
    /// Which of the parser's dialects wrote it.
    pub part: PartNumber,
    /// Which of the dialect's calls.
    pub kind: u8,
    /// Opened without a section.
    pub bare: bool,
    /// A bound was crossed: whatever closes it, it is incomplete.
    pub broken: bool,
    /// The present run of junk has its diagnostic.
    pub stray: bool,
    /// The declared parameters that were given, by number.
    pub given: Vec<bool>,
    /// The undeclared ones, once there are some.
    others: Option<Box<Others>>,
    /// The open parameter's name.
    pub param: String,
    /// The next parameter's name has come, its value not.
    pub named: bool,
    /// More than white space has come behind the opener.
    pub begun: bool,
    /// The value's next byte is the first of its line.
    pub line_start: bool,
    /// Which of the dialect's value kinds it is.
    pub value_kind: u8,
    /// The next byte is the first of the value, and one line break there is markup.
    pub at_value_start: bool,
    /// The value holds its own closer as data.
    pub own_closer: bool,
    /// The value holds what may have been the opener of another parameter.
    pub suspected: bool,
}

/// The undeclared parameters that were given. Few calls have some, so that a parser is smaller
/// without them.
#[derive(Clone, Debug, Default)]
struct Others {
    hashes: Vec<u64>,
}

/// How many undeclared parameters of a call are remembered, to notice a repeated one.
const OTHERS: usize = 256;

impl Default for Call {
    fn default() -> Self {
        Call {
            count: 0,
            name: String::new(),
            tool: UNKNOWN,
            part: 0,
            kind: 0,
            bare: false,
            broken: false,
            stray: false,
            given: Vec::new(),
            others: None,
            param: String::new(),
            named: false,
            begun: false,
            line_start: false,
            value_kind: 0,
            at_value_start: false,
            own_closer: false,
            suspected: false,
        }
    }
}

impl Call {
    /// A new call of a tool with `params` declared parameters; the name is written by the caller.
    pub fn open(&mut self, tool: u16, params: usize, opening: Opening) {
        self.count = self.count.wrapping_add(1);
        self.tool = tool;
        self.kind = opening.kind;
        self.bare = opening.bare;
        self.named = false;
        self.begun = false;
        self.broken = false;
        self.stray = false;
        self.given.clear();
        self.given.resize(params, false);
        if let Some(others) = &mut self.others {
            others.hashes.clear();
        }
    }

    /// What the runs of a candidate that begins at `start` ask about.
    pub fn surroundings<'a>(
        &'a self,
        tables: &'a Tables,
        rules: &'a [Rule],
        view: View<'a>,
        start: usize,
    ) -> Surroundings<'a> {
        let (call_name, param_name, given) = (&*self.name, &*self.param, &*self.given);
        Surroundings { tables, rules, view, start, call_name, param_name, given }
    }

    pub fn close(&mut self) {
        self.tool = UNKNOWN;
        self.stray = false;
    }

    /// Notes that the open parameter is given; whether it was before.
    pub fn give(&mut self, number: Option<u16>) -> bool {
        if let Some(number) = number {
            return std::mem::replace(&mut self.given[number as usize], true);
        }
        let mut hasher = DefaultHasher::new();
        self.param.hash(&mut hasher);
        let hash = hasher.finish();
        let others = &mut self.others.get_or_insert_default().hashes;
        let known = others.contains(&hash);
        if !known && others.len() < OTHERS {
            others.push(hash);
        }
        known
    }
}
