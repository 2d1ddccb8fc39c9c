//! Bodies for two promises to a host that runs its calls, for the machine and for its slow twin: each takes a byte string, and
//! panics if a promise is broken.
//!
//! A test or a fuzz target that includes this file has `mod oracle;` and `mod support;` beside it.
#![allow(dead_code, reason = "a fuzz target runs one of them")]

use toolstream::check::{self, Ended};
use toolstream::{Dialect, Message, Parser};

use crate::oracle;
use crate::support::calls::{self, complete};
use crate::support::events;
use crate::support::soup::Case;

/// A reader of a text for a parser: the machine, or its twin.
pub type Reads = fn(&Parser, &Case, &str, Ended) -> Message;

/// The machine as [`Reads`].
pub fn machine(parser: &Parser, case: &Case, text: &str, ended: Ended) -> Message {
    let events = check::hold(parser, text, &[], ended);
    events::message(parser, events.unwrap_or_else(|broken| panic!("{broken}, in {case:#?}")))
}

/// The twin as [`Reads`].
pub fn slow_twin(parser: &Parser, case: &Case, text: &str, ended: Ended) -> Message {
    let name = case.dialect.name();
    events::message(parser, oracle::oracle(name, &case.tools, &case.options, text, ended))
}

/// The complete calls of a beginning that was cut are the first complete calls of the whole message.
pub fn prefixes(data: &[u8], reads: Reads) {
    for case in [calls::calls(data).case, calls::damaged(data)] {
        prefixes_of(&case, reads);
    }
}

/// The complete calls of a beginning are the first of the whole message, in any dialect. Only the machine knows all dialects.
pub fn prefixes_in_any(data: &[u8]) {
    prefixes_of(&calls::damaged_in(Dialect::ALL, data), machine);
}

fn prefixes_of(case: &Case, reads: Reads) {
    let parser = case.parser();
    let whole = complete(&reads(&parser, case, &case.text, Ended::Stop));
    for (end, _) in case.text.char_indices() {
        let beginning = complete(&reads(&parser, case, &case.text[..end], Ended::Cut));
        assert!(
            whole.starts_with(&beginning),
            "{beginning:?} is complete after byte {end}, not {whole:?}, in {case:#?}"
        );
    }
}

/// Without one closer of the first call, a complete call is an intended one, or is reported as suspect. The other calls are read,
/// or something is reported.
pub fn lost_closer(data: &[u8], reads: Reads) {
    let message = calls::calls(data);
    let parser = message.case.parser();
    for which in 0..message.calls[0].closers.len() {
        let (closer, text) = message.without_closer(which);
        let found = reads(&parser, &message.case, &text, Ended::Stop);
        if let Err(what) = message.survives(closer, &found) {
            let found = found.to_json();
            panic!("{what}, in {text:?} without {closer:?}, of {message:#?}, as {found:#}");
        }
    }
}
