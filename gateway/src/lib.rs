//! A gateway: OpenAI's chat completions and Responses and Anthropic's Messages, with tools, before a server whose model
//! writes its tool calls as text. The binary is `toolstream-gateway`; its README says how to run it.
#![forbid(unsafe_code)]

pub mod answer;
pub mod config;
pub mod demo;
pub mod fields;
pub mod guard;
pub mod metrics;
pub mod models;
pub mod pass;
pub mod record;
pub mod refusal;
pub mod request;
pub mod routes;
pub mod serve;
pub mod upstream;
