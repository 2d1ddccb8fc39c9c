//! Tests of the interface, in one binary, because every binary links all that its tests need. A file of tests is a module;
//! `cargo test --test it laws::` runs the tests of one file.
//!
//! `json`, `policy`, `check` and `stream` are always there (`[dev-dependencies]` in `Cargo.toml`). A test that needs another
//! feature says so. Nothing here may change the process (its environment, its panic hook, a file of a fixed name), because other
//! tests run at the same time. A test that has to gets a binary of its own, a file beside this folder.

mod adapt;
mod agent;
mod agree;
mod answers;
mod any;
#[path = "support/bodies.rs"]
mod bodies;
mod bounds;
mod broken_calls;
mod call_end;
mod call_reader;
#[cfg(feature = "cli")]
mod cli;
mod clients;
#[cfg(feature = "jsonschema")]
mod conformance;
mod damage;
mod diff_lines;
mod edges;
mod examples;
mod explain;
mod fuzz_bodies;
mod fuzz_corpora;
mod gateway;
mod grammar;
mod growth;
mod header_twin;
mod hints;
mod history;
mod hostile;
mod invocations;
mod joined;
mod json_documents;
mod known_failures;
mod laws;
mod limit_by;
mod literals;
mod markdown;
mod memory;
mod message;
mod million;
mod miri;
mod namespaces;
mod native;
mod native_tool_loop;
mod neutralise;
mod objects;
mod option_setters;
mod oracle;
mod own_form;
mod pages;
mod partial;
mod policy_guard;
mod policy_hooks;
#[cfg(feature = "tracing")]
mod policy_tracing;
mod policy_validator;
mod promises;
mod prompt;
mod public_types;
mod react_twin;
mod refused;
mod remembered;
mod render;
mod repair;
mod reset;
mod response_template;
mod round_trip;
mod route;
mod serialize;
mod shapes;
mod special_tokens;
mod splitter;
mod stored_histories;
mod stream;
mod support;
mod text_at_calls;
mod tool_loop;
mod tools;
mod twin;
mod twin_vectors;
mod types;
mod undecided;
mod values;
mod vector_soup;
mod vectors;
mod written;
