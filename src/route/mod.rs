//! Which grammar for which model: by its name, by its chat template, and by what the host wants.

mod detect;
mod glob;
mod models;
mod router;

pub use models::ModelMatch;
pub use router::{
    FormatChoice, NativeTools, Reason, Route, Router, RouterConfig, ToolFormat, UnknownFormat,
};

use crate::dialect::Dialect;

/// The first of these dialects that this build knows.
fn first_known(names: &[&str]) -> Option<Dialect> {
    names.iter().find_map(|name| Dialect::by_name(name).ok())
}
