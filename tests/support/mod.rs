//! What the test files share.
#![allow(dead_code, reason = "each test file uses a part")]

pub mod blocks;
pub mod calls;
pub mod documents;
pub mod events;
pub mod gateway;
pub mod inputs;
pub mod react_soup;
pub mod soup;
