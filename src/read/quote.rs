//! Quotes in strings that may lack their backslashes.
//!
//! The family decides whether a quote ends its string, or the object. Otherwise it is text of the string. At the end of a
//! chunk the text behind the quote is pending. At the end of the stream a quote with nothing behind it is text.

use crate::family::AfterQuote;
use crate::read::cursor::More;
use crate::read::feed::{Feed, Flow, Proof};

impl Feed<'_, '_> {
    /// Decides about a quote in a string that may be text of it.
    pub fn after_quote(&mut self) -> Flow {
        let start = self.at;
        let mut c = self.cursor();
        let found = self.grammar().family.after_quote(&self.look(), self.m.body.kind, &mut c);
        self.m.examined += c.pos - start;
        match found {
            Err(More) if !self.ended() => return self.wait(),
            Err(_) => {
                self.tell_refused(start);
                self.quote_is_text();
            }
            Ok(AfterQuote::Body) => self.end_body(start, None, true),
            Ok(AfterQuote::String) => {
                self.m.body.unproven = self.proof() == Proof::CutEnd;
                let m = &mut *self.m;
                if let Some(stop) = m.body.json.string_ends_here(&mut m.call.captured) {
                    return self.stopped(stop);
                }
            }
        }
        Flow::Go
    }

    pub fn quote_is_text(&mut self) {
        let next = self.byte(self.at);
        self.m.body.json.string_goes_on(next);
        self.report_body();
    }
}
