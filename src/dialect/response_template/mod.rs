//! `response_template` (version 1): the output grammar of a checkpoint as data, as `transformers` reads
//! it from `tokenizer_config.json`. It says for each field of the message what opens it, what closes it,
//! and how its content is written: [`DialectSpec::from_response_template`] and back,
//! [`DialectSpec::to_response_template`].
//!
//! [`DialectSpec::from_response_template`]: super::spec::DialectSpec::from_response_template
//! [`DialectSpec::to_response_template`]: super::spec::DialectSpec::to_response_template

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
