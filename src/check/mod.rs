//! The laws and the vectors, as code that anybody can run: the tests, the fuzzer, the command
//! `toolstream check`, and a host that wants to know what an upgrade changes.

pub mod laws;
mod native;
#[cfg(feature = "policy")]
mod policy;
mod steps;
pub mod vectors;
