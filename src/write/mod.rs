//! Text for the model: calls as it would have written them, and the results of calls.
//!
//! The forms are data beside the grammar of each dialect. The writers are here.

#[cfg(feature = "json")]
mod call;
#[cfg(feature = "json")]
mod error;
#[cfg(feature = "json")]
mod fill;
#[cfg(feature = "json")]
mod history;
#[cfg(feature = "json")]
mod json;
#[cfg(feature = "json")]
mod literal;
#[cfg(feature = "json")]
mod neutral;
#[cfg(feature = "json")]
mod parts;
#[cfg(feature = "json")]
mod past;
#[cfg(feature = "json")]
pub(crate) mod prompt;
#[cfg(feature = "json")]
mod protocols;
#[cfg(feature = "json")]
mod result;
mod stop;
#[cfg(feature = "json")]
mod structured;

#[cfg(feature = "json")]
pub use error::RenderError;
#[cfg(feature = "json")]
pub use fill::CallRef;
#[cfg(feature = "json")]
pub(crate) use fill::{Lists, write_calls};
#[cfg(feature = "json")]
pub(crate) use json::{write_json, write_object};
#[cfg(feature = "json")]
pub(crate) use neutral::Markers;
#[cfg(feature = "json")]
pub use neutral::restore;
#[cfg(feature = "json")]
pub use result::ToolResult;
