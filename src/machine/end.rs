//! The end of the stream: what is held is decided, what is open ends.
//!
//! | it ends in | then |
//! |---|---|
//! | a marker that the end confirms | the marker acts, and reading goes on behind it |
//! | half a marker, in text or reasoning | payload; `cut_opener` if it is the beginning of a call |
//! | half a marker, in a section, a call or a value | markup |
//! | a value or a call | the call is incomplete |
//! | a section | its closer is missing; if no call got a name in it: `cut_opener` |

use super::{Feed, State};
use crate::dialect::spec::{Act, Piece, Rule};
use crate::event::{Cause, DiagnosticKind, Status};
use crate::sink::Sink;
use crate::tables::Tables;

/// How many bytes of a call's opener make a cut one.
const CUT_OPENER: usize = 3;

/// A marker that the end of the stream leaves undecided.
struct Pending {
    /// View offset of its first byte.
    start: usize,
    /// It leaves as markup: half a marker where payload is not for the user.
    markup: bool,
    /// It may be the opener of a call or of a section.
    opener: bool,
}

/// Whether it opens a call or a section, if it can count with the tools that are declared.
fn opens(rule: &Rule, tables: &Tables) -> bool {
    let known = |piece: &Piece| matches!(piece, Piece::QuotedTool | Piece::KnownToolAttr);
    match rule.act {
        Act::OpenSection(_) | Act::SpareOpener => true,
        Act::OpenCall(_) => !tables.tools.is_empty() || !rule.mark.iter().any(known),
        _ => false,
    }
}

impl<S: Sink> Feed<'_, '_, S> {
    /// Everything has been read. `true` if something was decided and there is more to read.
    pub fn settle(&mut self) -> bool {
        if self.out.raised() {
            return false;
        }
        if self.machine.lines.open {
            self.line();
            return true;
        }
        let Some(pending) = self.pending() else {
            self.close();
            return false;
        };
        if self.machine.candidate.active {
            let rules = &self.machine.table(self.tables).rules;
            if let Some(run) = self.machine.candidate.at_end(rules, self.cut) {
                self.accept(run);
                return true;
            }
        }
        let end = self.view.len();
        if pending.markup {
            self.machine.candidate.active = false;
            self.payload(pending.start - self.line_break_before(pending.start));
            self.markup(end);
            self.resume(end);
        } else if self.machine.candidate.active {
            self.reject();
        } else {
            self.resume(end);
        }
        if pending.opener && end - pending.start >= CUT_OPENER {
            self.payload(self.at);
            self.cut_opener(pending.start);
        }
        true
    }

    /// What is undecided.
    fn pending(&mut self) -> Option<Pending> {
        let state = self.machine.state;
        let table = self.machine.table(self.tables);
        let candidate = &self.machine.candidate;
        let is_stray = |act| matches!(act, Act::Stray(_));
        let is_text =
            matches!(state, State::Text | State::Reasoning | State::Thought | State::Answer);
        if candidate.active {
            let mut open = candidate.open(&table.rules);
            let markup = open
                .any(|(act, whole)| !(is_text || is_stray(act) || whole && state == State::Value));
            let opener = candidate.open_rules(&table.rules).any(|rule| opens(rule, self.tables));
            return Some(Pending { start: candidate.start, markup, opener });
        }
        let depth = table.scanner.depth(self.machine.scan);
        if depth == 0 {
            return None;
        }
        let start = self.view.len() - depth;
        let here = self.here(start);
        let mut begun = self.begun(start).filter(|rule| here.counts(rule)).map(|rule| rule.act);
        let markup = !is_text && begun.any(|act| !is_stray(act));
        let opener = self.begun(start).any(|rule| opens(rule, self.tables));
        Some(Pending { start, markup, opener })
    }

    fn cut_opener(&mut self, start: usize) {
        if !std::mem::replace(&mut self.machine.cut, true) {
            self.diagnose(DiagnosticKind::CutOpener, start);
        }
    }

    /// Nothing is undecided: what is open ends here.
    fn close(&mut self) {
        let end = self.view.len();
        if self.machine.state == State::Plain || self.machine.state.is_between_lines() {
            return self.close_lines();
        }
        self.payload(end);
        let cut = Status::Incomplete(Cause::EndOfStream);
        match self.machine.state {
            State::Body if self.machine.body.is_orphan() => {
                self.markup(end);
            }
            State::Text | State::Reasoning | State::Thought | State::Answer | State::Invented => {}
            State::Body => match self.cut_body() {
                true => self.end_call(cut),
                false if self.machine.body.json.has_no_name() => {
                    self.diagnose(DiagnosticKind::MalformedCall, end);
                    self.cut_opener(end);
                }
                false => self.cut_opener(end),
            },
            State::Section if self.machine.body.waits => {
                self.end_waiting(if self.cut { cut } else { Status::Complete });
                self.close();
            }
            State::Section
                if self.machine.section.unused.is_some() && !self.machine.section.begun =>
            {
                self.cut_opener(end);
            }
            State::Section if self.machine.cut => {}
            State::Section => self.diagnose(DiagnosticKind::MissingCloser, end),
            State::Call => self.end_call(cut),
            State::Name | State::Input | State::Orphan | State::Plain | State::Tail => {}
            State::Value => {
                self.end_value(false);
                self.end_call(cut);
            }
        }
    }
}
