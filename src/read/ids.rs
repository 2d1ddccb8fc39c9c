//! The numbers by which the machine knows what is declared.

/// A parser reads one dialect or two: which one a rule, a section or a call belongs to.
pub(crate) type PartNumber = u8;

/// No tool, or one that the host did not declare.
pub(crate) const UNKNOWN: u16 = u16::MAX;
