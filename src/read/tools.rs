//! The names of the declared tools and of their parameters.

use super::ids::UNKNOWN;
use super::names::Names;
use crate::tool::Tool;

/// The names of the declared tools and their parameters, for lookups.
#[derive(Clone, Debug)]
pub(crate) struct Tools {
    pub names: Names,
    /// The parameters of each tool.
    params: Vec<Names>,
    none: Names,
    /// For each tool, whether it requires nothing.
    free: Vec<bool>,
    /// For each byte, whether a tool's name begins with it.
    pub first: Box<[bool; 256]>,
}

impl Tools {
    pub fn new(tools: &[Tool]) -> Tools {
        let mut first = Box::new([false; 256]);
        for byte in tools.iter().filter_map(|tool| tool.name.as_bytes().first()) {
            first[*byte as usize] = true;
        }
        let params = |tool: &Tool| Names::new(tool.params.iter().map(|param| &*param.name));
        Tools {
            names: Names::new(tools.iter().map(|tool| &*tool.name)),
            params: tools.iter().map(params).collect(),
            none: Names::default(),
            free: tools.iter().map(Tool::requires_nothing).collect(),
            first,
        }
    }

    /// Returns the names of a tool's parameters; none for an unknown tool.
    pub fn params(&self, tool: u16) -> &Names {
        self.params.get(tool as usize).unwrap_or(&self.none)
    }

    /// Whether a call of this tool without any argument is complete.
    pub fn requires_nothing(&self, tool: u16) -> bool {
        self.free.get(tool as usize).is_some_and(|free| *free)
    }

    /// Returns the number of the tool whose name has these two halves, or [`UNKNOWN`].
    pub fn number(&self, halves: [&str; 2]) -> u16 {
        self.names.find(halves).unwrap_or(UNKNOWN)
    }
}
