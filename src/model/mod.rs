//! Which grammar for which model: by its name, by its chat template, and by what the host wants.

mod detect;
mod models;
pub(crate) mod parsers;
mod router;

pub use models::ModelMatch;
pub use router::{Route, Router, ToolFormat};
