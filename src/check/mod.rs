//! The laws and the vectors, as code that anybody can run: the tests, the fuzzer, the command
//! `toolstream check`, and a host that wants to know what an upgrade changes. The vectors need the feature `check`.

pub mod laws;
#[cfg(feature = "check")]
mod native;
#[cfg(all(feature = "check", feature = "policy"))]
mod policy;
#[cfg(feature = "check")]
mod steps;
#[cfg(feature = "check")]
pub mod vectors;
