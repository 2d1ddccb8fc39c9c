//! The gateway before a scripted server, over sockets of the loopback. Everything is bounded by a timeout.
#![forbid(unsafe_code)]

mod clients;
mod errors;
mod faults;
mod hostile;
mod live;
mod load;
mod passing;
mod process;
mod protocols;
mod requests;
mod stops;
mod support;
