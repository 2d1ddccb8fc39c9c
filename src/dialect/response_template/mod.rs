//! `response_template` (version 1): the output grammar of a checkpoint as data, as `transformers` reads it from
//! `tokenizer_config.json`. For each field of the message it gives the opener, the closer and the notation of the
//! content: [`Dialect::from_response_template`](crate::Dialect::from_response_template) and back,
//! [`Dialect::to_response_template`](crate::Dialect::to_response_template).

mod field;
mod mark;
mod read;
mod shape;
mod write;

use crate::options::json::{JsonError, JsonProblem};

type Result<T = ()> = std::result::Result<T, JsonError>;

fn problem_at<T>(place: impl Into<String>, problem: impl Into<String>) -> Result<T> {
    Err(JsonProblem::Spec { place: place.into(), problem: problem.into() }.into())
}
