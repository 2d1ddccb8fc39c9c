//! The command line, as a user and a script see it.

mod answering;
mod check;
mod choice;
mod dialects;
mod errors;
mod explain;
mod files;
mod inspect;
mod jsonl;
mod models;
mod native;
mod pages;
mod parse;
mod prompt;
mod shapes;
mod shell;
mod status;
mod support;
mod terminal;
mod write;
