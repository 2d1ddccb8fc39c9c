//! The dialect of a model: by its name, by its chat template, and by a configuration.

mod detect;
mod models;
pub(crate) mod parsers;
mod router;

pub use models::ModelMatch;
pub use router::{Route, Router, ToolFormat};
