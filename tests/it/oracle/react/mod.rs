//! The slow twin of the `react` dialect.
//!
//! `keyword.rs` recognises lines, `name.rs` reads an Action line, and `input.rs` reads a call. This file walks through the
//! message line by line, with a function for each kind of line.

pub mod input;
mod keyword;
mod name;

use super::output::Output;
use super::pieces::{reasoning_tag, skip_spaces};
use keyword::{Keyword, Lines};
use name::{Action, Names};
use toolstream::{
    Event, Tool,
    diagnostic::DiagnosticKind as Kind,
    options::{CallsInReasoning, Fences, Start},
};

/// Reads the whole message.
pub fn read<'a>(tools: &'a [Tool], out: Output<'a>) -> Output<'a> {
    let options = out.options;
    let quote = options.fences == Fences::Quote;
    let lines = Lines { input: out.input, answers: options.answer_keywords.as_deref(), quote };
    let mut reader = Reader {
        lines,
        names: Names { lines, tools },
        out,
        section: if options.implicit_thought { Section::Thought } else { Section::Text },
        unexpected_inputs: false,
        in_fence: false,
        wrapped: false,
    };
    reader.message();
    // No call has a closer.
    reader.out.after_call = false;
    reader.out
}

/// The kind of the lines that are no keyword lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Section {
    Text,
    Thought,
    Answer,
}

struct Reader<'a> {
    lines: Lines<'a>,
    names: Names<'a>,
    out: Output<'a>,
    section: Section,
    /// Whether an Action came that is not prose. Then an Action Input without a call is no prose either.
    unexpected_inputs: bool,
    /// Whether a fence that is prose is open.
    in_fence: bool,
    /// Whether a fence that is markup is open. It wraps the step.
    wrapped: bool,
}

impl<'a> Reader<'a> {
    fn message(&mut self) {
        if self.out.options.start == Start::Reasoning {
            let blanks = skip_spaces(self.lines.input, 0);
            let first = reasoning_tag(self.lines.input, "<", blanks);
            if let Some(end) = first {
                // An opening tag is redundant here.
                self.out.reasoning(blanks);
                self.out.markup(end);
            }
            self.block(first.is_none());
        }
        while self.out.rest_is_open() {
            self.line();
        }
    }

    /// Reads from here, at a line's start.
    fn line(&mut self) {
        let at = self.out.position;
        let quoted = self.is_quoted();
        if let (false, Some((tag, end))) = (quoted, self.block_opener(at)) {
            self.content(tag);
            self.out.markup(end);
            return self.block(false);
        }
        let handled = match (quoted, self.lines.keyword(at)) {
            (false, Some((keyword, end))) => self.keyword(keyword, at, end) || self.fence(at),
            (false, None) if self.out.calls > 0 && self.is_stop_word(at) => {
                self.cut(Kind::CutStopWord)
            }
            _ => self.fence(at),
        };
        if !handled {
            self.prose();
        }
    }

    /// Whether an open fence makes this text quoted.
    fn is_quoted(&self) -> bool {
        self.in_fence && (self.lines.quote || self.section == Section::Answer)
    }

    // ---- kinds of lines: each function says whether the line has its kind, and has left then ----

    /// Decides about a keyword line by its section and its keyword.
    fn keyword(&mut self, keyword: Keyword, at: usize, end: usize) -> bool {
        let followed_by = |keywords: &[Keyword]| self.lines.followed_by(at, keywords);
        let step = [Keyword::Thought, Keyword::Action];
        let after_call = self.out.calls > 0;
        match (self.section, keyword) {
            (Section::Answer, keyword) => {
                let follows = match keyword {
                    Keyword::Thought => followed_by(&[Keyword::Action]),
                    Keyword::Action => followed_by(&[Keyword::ActionInput]),
                    Keyword::Question => followed_by(&step),
                    _ => false,
                };
                follows && self.cut(Kind::FabricatedStep)
            }
            (_, Keyword::Thought) => self.begin(Section::Thought, end),
            (_, Keyword::Action) => self.action(at, end),
            (_, Keyword::ActionInput) if self.unexpected_inputs => {
                self.unexpected_input(end);
                true
            }
            (_, Keyword::ActionInput) => false,
            (_, Keyword::Observation) => after_call && self.cut(Kind::FabricatedResult),
            (_, Keyword::Answer) if after_call => self.cut(Kind::AnswerAfterAction),
            (_, Keyword::Answer) => self.begin(Section::Answer, end),
            (Section::Text, Keyword::Question) if followed_by(&step) => match after_call {
                true => self.cut(Kind::FabricatedStep),
                false => {
                    self.out.markup(self.lines.next(at));
                    true
                }
            },
            (_, Keyword::Question) => false,
        }
    }

    fn begin(&mut self, section: Section, keyword_end: usize) -> bool {
        self.out.markup(keyword_end);
        if section == Section::Answer {
            self.out.events.push(Event::AnswerStart);
        }
        self.section = section;
        // The text behind the keyword begins no line.
        if self.out.rest_is_open() {
            self.prose();
        }
        true
    }

    /// Ends the message here: nothing after it counts.
    fn cut(&mut self, kind: Kind) -> bool {
        self.out.diagnose(kind, self.out.position);
        self.out.markup(self.lines.input.len());
        true
    }

    fn action(&mut self, at: usize, end: usize) -> bool {
        match self.names.action(end, false) {
            Action::Prose => return false,
            Action::Call(call) => {
                if !self.out.is_surplus(at) {
                    self.call(call);
                }
            }
            Action::None(end) => {
                self.out.diagnose(Kind::NoAction, at);
                self.out.markup(end);
            }
            Action::Nameless { end, line } => {
                self.out.diagnose(Kind::MissingActionName, at);
                self.out.markup(end);
                self.out.text(line);
                let (_, end) = self.lines.keyword(line).expect("an Action Input line");
                self.unexpected_input(end);
            }
        }
        self.section = Section::Text;
        self.unexpected_inputs = true;
        true
    }

    /// A fence line that opens or closes the wrapping of the step is markup. Any other is prose, and changes the meaning of the
    /// lines behind it.
    fn fence(&mut self, at: usize) -> bool {
        let Some(fence) = self.lines.fence(at) else { return false };
        let bare = fence.info.is_empty();
        let step = [Keyword::Thought, Keyword::Action, Keyword::Question, Keyword::Answer];
        if self.in_fence {
            self.in_fence = !bare;
            return false;
        }
        if self.wrapped && bare {
            self.wrapped = false;
        } else if self.section != Section::Answer
            && !self.lines.quote
            && self.lines.next_begins(at, &step)
        {
            self.wrapped = true;
        } else {
            self.in_fence = true;
            return false;
        }
        self.out.markup(fence.end);
        true
    }

    /// Reads a line of the section. An orphan closer in it is markup, and text behind the closer begins a line.
    fn prose(&mut self) {
        let end = self.lines.next(self.out.position);
        let counts = self.section != Section::Answer && !self.is_quoted();
        match self.block_closer(end).filter(|_| counts) {
            None => self.content(end),
            Some((tag, after)) => {
                self.content(tag);
                if !self.out.limit_reached {
                    self.out.diagnose(Kind::OrphanCloser, tag);
                    self.out.markup(after);
                }
            }
        }
    }

    fn content(&mut self, end: usize) {
        match self.section {
            Section::Thought => self.out.reasoning(end),
            Section::Text | Section::Answer => self.out.text(end),
        }
    }

    // ---- reasoning blocks ----

    /// Finds an opening tag after blanks, in text or in a thought. Returns its beginning and its end.
    fn block_opener(&self, line: usize) -> Option<(usize, usize)> {
        let input = self.lines.input;
        let at = input.len() - input[line..].trim_start_matches([' ', '\t']).len();
        let end = reasoning_tag(input, "<", at)?;
        if self.section == Section::Answer { None } else { Some((at, end)) }
    }

    /// The first closer between the position and `end`.
    fn block_closer(&self, end: usize) -> Option<(usize, usize)> {
        let input = self.lines.input;
        let here = &input[self.out.position..end];
        let mut angles = here.match_indices("</").map(|(at, _)| self.out.position + at);
        angles.find_map(|at| Some((at, reasoning_tag(input, "</", at)?)))
    }

    /// Reads reasoning up to a closer, or to a call if calls count in reasoning. The position may be at a line's start.
    fn block(&mut self, mut begins_line: bool) {
        let extract = self.out.options.calls_in_reasoning == Some(CallsInReasoning::Extract);
        while self.out.rest_is_open() {
            let at = self.out.position;
            if extract && begins_line && self.call_in_block(at) {
                self.section = Section::Text;
                self.unexpected_inputs = true;
                return;
            }
            let end = self.lines.next(at);
            if let Some((tag, after)) = self.block_closer(end) {
                self.out.reasoning(tag);
                self.out.markup(after);
                return;
            }
            self.out.reasoning(end);
            begins_line = true;
        }
    }

    /// Reads a call at this line of a block. No other keyword counts there.
    fn call_in_block(&mut self, at: usize) -> bool {
        let Some((Keyword::Action, end)) = self.lines.keyword(at) else { return false };
        let Action::Call(call) = self.names.action(end, true) else { return false };
        if !self.out.is_surplus(at) {
            self.call(call);
        }
        true
    }
}
