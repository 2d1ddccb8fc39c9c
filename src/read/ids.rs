//! The numbers by which the machine knows dialects and tools.

/// The number of a dialect among those that a parser reads: of a section, a call or a marker.
pub(crate) type PartNumber = u8;

/// No tool, or an undeclared one.
pub(crate) const UNKNOWN: u16 = u16::MAX;
