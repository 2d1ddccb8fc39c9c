//! The laws and the vectors, as code for everybody: the tests, the fuzzer, the command `toolstream check`, and a
//! program that checks the effect of an upgrade. The vectors need the feature `check`.
//!
//! # The laws for any parser and any text
//!
//! * **Split**: for every cut the events are equal once neighbouring slices are joined.
//! * **Conservation**: the slices tile the input up to [`Parser::position`](crate::Parser::position).
//! * **Shape**: every call that starts ends once, its parameters too; the limit is the last event.
//! * **Bounded**: at most [`bounds::HELD`](crate::options::bounds::HELD) bytes are held, and at most
//!   [`bounds::ARGUMENTS`](crate::options::bounds::ARGUMENTS) of arguments that wait for their name.
//!
//! ```
//! use toolstream::check::{self, Ended};
//! use toolstream::{Dialect, Parser, Tool};
//!
//! let parser = Parser::builder(Dialect::CLINE).tool(Tool::new("list")).build()?;
//! let text = "Now: <list></list> and done";
//! check::hold(&parser, text, &check::every_cut(text.len()), Ended::Stop)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#[cfg(feature = "check")]
mod expect;
mod laws;
#[cfg(feature = "check")]
mod native;
#[cfg(all(feature = "check", feature = "policy"))]
mod policy;
#[cfg(feature = "check")]
mod steps;
#[cfg(feature = "check")]
mod vectors;

pub use laws::{Broken, Ended, every_cut, has_shape, hold, join};
#[cfg(feature = "check")]
pub use vectors::{Vector, VectorOutcome};
