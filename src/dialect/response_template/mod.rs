//! `response_template` (version 1): the output grammar of a checkpoint as data, as `transformers` reads
//! it from `tokenizer_config.json`. It says for each field of the message what opens it, what closes it,
//! and how its content is written: [`Dialect::from_response_template`](crate::Dialect::from_response_template) and back,
//! [`Dialect::to_response_template`](crate::Dialect::to_response_template).

mod field;
mod mark;
mod read;
mod shape;
mod write;

use crate::options::json::{JsonError, JsonProblem};

type Result<T = ()> = std::result::Result<T, JsonError>;

fn wrong<T>(place: impl Into<String>, what: impl Into<String>) -> Result<T> {
    Err(JsonProblem::Spec { place: place.into(), what: what.into() }.into())
}
