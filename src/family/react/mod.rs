//! Lines that begin with keywords: `react`.
//!
//! ```text
//! stream  := ( text | thought | call | answer )*
//! thought := "Thought:" text
//! call    := "Action:" NAME line-end ( "Action Input:" input )? | "Action:" NAME "[" text "]" | "Action:" NAME "(" object …
//! input   := object rest-of-line | fence object fence | text, up to a line with a keyword that ends it
//! answer  := "Final Answer:" text
//! ```
//! "Observation" and "Question" belong to the program: if the model writes one behind a call, it invents the text
//! behind it. How a keyword may be written: [`line`]. The line that names a tool: [`step`] and
//! [`tool_name`](super::tool_name). The text behind a name: [`input`]. A line with a keyword that is too long is
//! text: it breaks nothing.
//!
//! | state | kinds | reader |
//! |---|---|---|
//! | text, a thought | | [`React::text_line`] |
//! | the answer | [`ANSWER`] | [`React::answer_line`] |
//! | reasoning in tags | | [`React::step_in_reasoning`] |
//! | in a call | behind the name, behind "Action Input:", behind a bracket | [`React::at_call_start`] |
//! | in a value | plain, in brackets | [`React::in_value`] |
//! | behind an object | the rest of its line | [`React::in_tail`] |
//! | an input without a call | | [`React::in_orphan`] |
//!
//! A keyword cut in two:
//!
//! ```text
//! chunk "\n**Act"            keyword: More                                 -> pending
//! chunk "ion:** read\n"      keyword: Ok, and the line names a known tool  -> Open(Call), markup
//! ```

mod input;
mod line;
mod step;
mod tool_name;

use crate::event::DiagnosticKind;
use crate::family::texts::EachText;
use crate::family::{AtEnd, BodyFacts, Family, Framing, Gives, Look, SectionFacts};
use crate::options::Options;
use crate::read::act::{
    ANSWER, Closer, InCall, InSection, InText, InValue, Opener, Place, Scope, THOUGHT,
};
use crate::read::cursor::{Cursor, Half, No, Step, Way};
use crate::read::line_starts::LineStarts;
use crate::read::machine::State;
use crate::read::scan::Scan;

use line::Keyword;

/// Kinds of calls.
const NAMED: u8 = 0;
/// The stream ended in the name, or in the keyword behind it.
const CUT_NAME: u8 = 1;
const AT_INPUT: u8 = 2;
const AT_BRACE: u8 = 3;
const AT_BRACKET: u8 = 4;

/// Kinds of values.
const PLAIN: u8 = 0;
const BRACKETED: u8 = 1;

/// Kinds of sections. A kind inside a code fence follows the same kind without one.
const TAIL: u8 = 0;
const FENCED_TAIL: u8 = 1;
const ORPHAN_TAIL: u8 = 2;
const FENCED_ORPHAN_TAIL: u8 = 3;
const ORPHAN: u8 = 4;

/// Kinds of objects. The section of the same number follows each of them.
const INPUT_OBJECT: u8 = 0;
const ORPHAN_OBJECT: u8 = 2;

/// Roles.
const KEYWORD: Way = Half::NONE.role("line with a keyword");
const FENCE: Way = Half::NONE.role("line of a code fence");
const STOP_WORD: Way = Half::NONE.role("half a stop word");
const ENDS_INPUT: Way = Half::NONE.role("end of an input");
const INPUT: Way = Half::NONE.role("opener of an input");
const OBJECT: Way = Half::NONE.role("opener of the arguments");

/// The words of a dialect of lines.
#[derive(Clone, Debug, Default)]
pub(crate) struct Texts {
    pub thought: Box<str>,
    pub action: Box<str>,
    pub input: Box<str>,
    pub observation: Box<str>,
    pub question: Box<str>,
    /// The keywords of the answer, if the options name no others.
    pub answers: Vec<Box<str>>,
    /// Texts in place of a tool's name that mean "no call": whole words, and beginnings of such a line.
    pub no_call: Vec<Box<str>>,
    pub no_call_phrases: Vec<Box<str>>,
    /// Closers of reasoning: in reasoning a line with one of them names no tool.
    pub ends_reasoning: Vec<Box<str>>,
}

/// The family of lines.
#[derive(Debug)]
pub(crate) struct React {
    t: Texts,
    /// The keywords, and the number of the first keyword of the answer: they come last.
    keywords: Vec<(Keyword, Box<str>)>,
    answers: usize,
    /// The lines that may begin a marker: with the dialect's own keywords, and with those of the options.
    lines: [LineStarts; 2],
    nothing: Scan,
    bracket: Scan,
    /// The scans of sections, in which any line may begin a marker.
    feeds: Scan,
    ticks: Scan,
}

impl React {
    /// Builds the family of a dialect with these words.
    pub fn new(t: Texts) -> React {
        let of = |signs: &[&str]| Scan::from_texts(signs.iter().map(|sign| sign.as_bytes()));
        let own = [
            (Keyword::Thought, &t.thought),
            (Keyword::Action, &t.action),
            (Keyword::Input, &t.input),
            (Keyword::Observation, &t.observation),
            (Keyword::Question, &t.question),
        ];
        let answers = t.answers.iter().map(|words| (Keyword::Answer, words));
        let keywords = own.into_iter().chain(answers);
        let keywords = keywords.map(|(of, words)| (of, words.clone())).collect::<Vec<_>>();
        let words = keywords.iter().map(|(_, words)| &**words);
        let lines = [LineStarts::of_words(words, &line::LEADS), LineStarts::asked()];
        React {
            answers: own.len(),
            keywords,
            t,
            lines,
            nothing: Scan::default(),
            bracket: of(&["]"]),
            feeds: of(&["\n"]),
            ticks: of(&["```", "\n"]),
        }
    }

    // In text.

    /// Reads a line of text, or of a thought.
    fn text_line<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<InText<'t>> {
        let quoted = look.quotes && look.is.text_fence;
        if !quoted {
            if let Some(act) = c.noise_or(self.role(look, c), |c| self.keyword_line(look, c))? {
                return Ok(act);
            }
            if called(look) && c.noise_or(STOP_WORD, |c| self.half_stop_word(look, c))?.is_some() {
                return Ok(InText::Mark(Some(DiagnosticKind::CutStopWord)));
            }
        }
        match c.noise_or(FENCE, |c| self.fence_in_text(look, c))? {
            Some(act) => Ok(act),
            None => c.none(),
        }
    }

    /// Returns the role of the line that stands here, for a sink that asks for a diagnosis.
    fn role(&self, look: &Look<'_>, c: &Cursor<'_>) -> Way {
        if !c.is_explained() {
            return KEYWORD;
        }
        let found = c.ahead(|c| self.keyword(look, |of| counts_in_text(look, of), c));
        found.map_or(KEYWORD, |found| found.keyword.role())
    }

    /// Reads a line of text that begins with a keyword that counts there.
    fn keyword_line<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<InText<'t>> {
        let start = c.pos;
        let found = self.keyword(look, |keyword| counts_in_text(look, keyword), c)?;
        let open = |kind: u8, reasoning: bool| InText::Message { kind, reasoning, note: None };
        match found.keyword {
            Keyword::Action => return self.step_in_text(look, found, c),
            Keyword::Observation => return Ok(InText::Rest(DiagnosticKind::FabricatedResult)),
            Keyword::Answer if called(look) => {
                return Ok(InText::Rest(DiagnosticKind::AnswerAfterAction));
            }
            Keyword::Question => {
                line::whole(start, c)?;
                c.follow(false, |c| self.follows(look, Keyword::is_step, c))?;
                let invents = InText::Rest(DiagnosticKind::FabricatedStep);
                return Ok(if called(look) { invents } else { InText::Mark(None) });
            }
            Keyword::Thought | Keyword::Input | Keyword::Answer => {}
        }
        found.close(c)?;
        Ok(match found.keyword {
            Keyword::Thought => open(THOUGHT, true),
            Keyword::Answer => open(ANSWER, false),
            _ => InText::Open(Opener::new(Place::Section(ORPHAN))),
        })
    }

    /// Reads a line of back-ticks in text.
    fn fence_in_text<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<InText<'t>> {
        let closes = line::fence(c)?;
        if look.is.text_fence {
            return Ok(InText::Fence { opens: !closes });
        }
        if closes && look.is.wrapped {
            return Ok(InText::Wrap { opens: false });
        }
        let wraps = |of| !matches!(of, Keyword::Input | Keyword::Observation);
        let step = !look.quotes && {
            let follows = c.ahead(|c| c.noise_or(KEYWORD, |c| self.follows(look, wraps, c)));
            follows?.is_some()
        };
        Ok(if step { InText::Wrap { opens: true } } else { InText::Fence { opens: true } })
    }

    /// Reads a line of the answer: a step that the model invents behind it, or a code fence, in which keywords do not
    /// count.
    fn answer_line<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<InText<'t>> {
        let fenced = look.is.text_fence;
        if !fenced && c.noise_or(KEYWORD, |c| self.invented_step(look, c))?.is_some() {
            return Ok(InText::Rest(DiagnosticKind::FabricatedStep));
        }
        let may_close = fenced || look.is.wrapped;
        if may_close && c.noise_or(FENCE, line::closing_fence)?.is_some() {
            let of_text = InText::Fence { opens: false };
            return Ok(if fenced { of_text } else { InText::Wrap { opens: false } });
        }
        if !fenced && c.noise_or(FENCE, line::fence)?.is_some() {
            return Ok(InText::Fence { opens: true });
        }
        c.none()
    }

    /// Reads two lines with keywords, which no answer has.
    fn invented_step(&self, look: &Look<'_>, c: &mut Cursor<'_>) -> Step<()> {
        let start = c.pos;
        let steps = |of: Keyword| of.is_step() || of == Keyword::Question;
        let found = self.keyword(look, steps, c)?;
        line::whole(start, c)?;
        let next = |of: Keyword| match found.keyword {
            Keyword::Thought => of == Keyword::Action,
            Keyword::Action => of == Keyword::Input,
            _ => of.is_step(),
        };
        c.follow(false, |c| self.follows(look, next, c))
    }
}

/// Whether a call has come.
fn called(look: &Look<'_>) -> bool {
    look.call.count > 0
}

/// Whether this keyword counts in text, or in a thought.
fn counts_in_text(look: &Look<'_>, keyword: Keyword) -> bool {
    match keyword {
        Keyword::Thought | Keyword::Action | Keyword::Answer => true,
        Keyword::Input => look.is.stepped,
        Keyword::Observation => called(look),
        Keyword::Question => !look.reasoning,
    }
}

impl Family for React {
    fn in_text<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<InText<'t>> {
        if !look.line_start {
            return Err(No);
        }
        match (look.message, look.reasoning) {
            (ANSWER, false) => self.answer_line(look, c),
            (THOUGHT, true) | (_, false) => self.text_line(look, c),
            (_, true) => self.step_in_reasoning(look, c),
        }
    }

    fn in_section<'t>(&self, look: &Look<'_>, kind: u8, c: &mut Cursor<'t>) -> Step<InSection<'t>> {
        if kind == ORPHAN { self.in_orphan(look, c) } else { self.in_tail(look, kind, c) }
    }

    fn in_call<'t>(&self, _: &Look<'_>, _: u8, _: &mut Cursor<'t>) -> Step<InCall<'t>> {
        Err(No)
    }

    fn at_call_start<'t>(&self, look: &Look<'_>, kind: u8, c: &mut Cursor<'t>) -> Step<InCall<'t>> {
        match kind {
            AT_INPUT => self.at_input(look, c),
            AT_BRACKET => self.at_bracket(look, c),
            AT_BRACE => match c.noise_or(OBJECT, |c| c.literal("{"))? {
                Some(()) => Ok(InCall::Object(INPUT_OBJECT)),
                None => c.none(),
            },
            _ => self.behind_name(look, c),
        }
    }

    fn in_value<'t>(&self, look: &Look<'_>, kind: u8, c: &mut Cursor<'t>) -> Step<InValue<'t>> {
        let call = Closer { scope: Scope::Call, ..Closer::OWN };
        let bracketed = kind == BRACKETED;
        if bracketed && c.noise_or(ENDS_INPUT, input::bracket)?.is_some() {
            return Ok(InValue::Close(call));
        }
        if !look.line_start {
            return c.none();
        }
        if !look.is.text_fence && self.ends_here(look, bracketed, c)? {
            return Ok(InValue::Close(Closer { before: true, broken: bracketed, ..call }));
        }
        let fenced = look.is.text_fence;
        let fence = match bracketed {
            true => None,
            false if fenced => c.noise_or(FENCE, line::closing_fence)?,
            false => c.noise_or(FENCE, |c| line::fence(c).map(|_| ()))?,
        };
        fence.map_or_else(|| c.none(), |()| Ok(InValue::Fence { opens: !fenced }))
    }

    fn lines(&self, options: &Options, _: State, _: u8) -> Option<&LineStarts> {
        let [own, asked] = &self.lines;
        Some(if options.answer_keywords.is_none() { own } else { asked })
    }

    fn begins_line(&self, options: &Options, line: &[u8]) -> bool {
        self.may_begin_line(options, line)
    }

    fn asks_before(&self) -> bool {
        true
    }

    fn may_begin(&self, look: &Look<'_>, byte: u8) -> bool {
        byte != b'<' || look.reasoning || look.message != ANSWER
    }

    fn text_scan(&self) -> &Scan {
        &self.nothing
    }

    fn call_scan(&self, kind: u8) -> &Scan {
        if matches!(kind, FENCED_TAIL | FENCED_ORPHAN_TAIL) { &self.ticks } else { &self.feeds }
    }

    fn value_scan(&self, kind: u8) -> &Scan {
        if kind == BRACKETED { &self.bracket } else { &self.nothing }
    }

    fn section(&self, kind: u8) -> SectionFacts {
        let facts = SectionFacts { closes: false, calls: false, ..SectionFacts::CALLS };
        match kind {
            ORPHAN => SectionFacts { white: false, ..facts },
            TAIL | FENCED_TAIL => {
                SectionFacts { between: b"}]),;*_`", junk: true, lines: true, ..facts }
            }
            _ => SectionFacts { junk: true, quiet: true, lines: true, ..facts },
        }
    }

    fn is_whole_at_end(&self, kind: u8) -> bool {
        kind == PLAIN
    }

    fn call_at_end(&self, kind: u8) -> AtEnd {
        match kind {
            NAMED | AT_INPUT => AtEnd::Whole,
            CUT_NAME => AtEnd::Half,
            _ => AtEnd::Cut,
        }
    }

    fn framing(&self, _: u8) -> Framing {
        Framing::White
    }

    fn body(&self, kind: u8) -> BodyFacts {
        let gives = if kind < ORPHAN_OBJECT { Gives::Arguments } else { Gives::Nothing };
        BodyFacts { gives, then: Some(kind), stop: b'<' }
    }

    fn keywords(&self) -> Vec<&str> {
        self.keywords.iter().map(|(_, word)| &**word).collect()
    }

    fn renamed(&self, rename: &mut dyn FnMut(&mut Box<str>)) -> Option<Box<dyn Family>> {
        let mut t = self.t.clone();
        t.each_text(rename);
        Some(Box::new(React::new(t)))
    }
}
