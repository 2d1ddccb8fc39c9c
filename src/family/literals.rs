//! Calls whose arguments are literals between tokens: `<|tool_call>call:read{path:<|"|>a<|"|>}<tool_call|>`.
//!
//! ```text
//! call      := head ws arguments CLOSE?                                      see `head.rs`
//! arguments := "{" … "}"  |  "(" ws "{" … "}" ")"  |  "(" … ")"          read by `Json`, as literals
//! ```
//! Only surplus brackets may come between the arguments and CLOSE; any other text shows that CLOSE is missing.
//! Without tokens around strings the arguments stand only in braces. If a bracket of another kind closes the
//! arguments, CLOSE, a stop token or the end of the stream must follow.
//!
//! | state | kinds | reader |
//! |---|---|---|
//! | text | | [`Literal::in_text`] |
//! | behind the name | | [`Literal::in_call`] |
//! | in the arguments | | [`Literal::in_body`] |
//! | behind them | | [`Literal::in_section`] |
//!
//! An opener cut in two, in `gemma4`:
//!
//! ```text
//! chunk "<|tool_call>call:re"     the token: Ok; the name: More                -> pending
//! chunk "ad{"                     the name: Ok, and `{` confirms it            -> Open(Call(CALL)), markup
//! ```

use crate::dialect::literals::Literals;
use crate::event::DiagnosticKind;
use crate::family::head::{Called, Head};
use crate::family::texts::EachText;
use crate::family::{BodyFacts, Family, Gives, InBody, Look, SectionFacts};
use crate::one_of;
use crate::read::act::{CALLS, InCall, InSection, InText, Opener, Place};
use crate::read::cursor::{Cursor, Half, No, Step};
use crate::read::ids::UNKNOWN;
use crate::read::prose::cut_opener;
use crate::read::scan::Scan;

/// The kind of calls, of their arguments, and of the section behind them.
const CALL: u8 = 0;
const ARGUMENTS: u8 = 0;
const AFTER: u8 = 0;

const OPENER: Half = Half::OPENER;
const WHOLE: Half = Half::MARK.and(Half::WHOLE);

/// Roles.
const A_CALL: &str = "opener of a call";
const END_CALL: &str = "closer of a call";
const ENDS: &str = "end of the arguments before their own";

/// The texts of a dialect of literals.
#[derive(Clone, Debug, Default)]
pub(crate) struct Texts {
    pub head: Head,
    /// Closer of a call; empty: calls have none.
    pub close: Box<str>,
    pub literals: Literals,
    /// The opener, if it is a tag or a token: alone at the end of the stream it is a cut opener.
    pub tags: Vec<Box<str>>,
    /// People may type the opener: it is a cut opener only if the stream was cut.
    pub typed: bool,
    /// Stop tokens: behind one of them a call is over.
    pub stops: Vec<Box<str>>,
    /// A token that means nothing before the text that begins with it.
    pub doubled: Option<[Box<str>; 2]>,
}

/// The family of literals.
#[derive(Debug)]
pub(crate) struct Literal {
    t: Texts,
    /// The closer, if there is one.
    closes: Vec<Box<str>>,
    text: Scan,
    call: Scan,
    /// The markers that end a value without quotes.
    ends: Vec<Box<str>>,
}

impl Literal {
    /// Builds the family of a dialect with these texts.
    pub fn new(t: Texts) -> Literal {
        let doubled = t.doubled.iter().map(|[token, _]| &**token);
        let closes: Vec<_> =
            Some(t.close.clone()).filter(|close| !close.is_empty()).into_iter().collect();
        let own = closes.iter().chain([&t.head.open]);
        let text = Scan::from_texts(own.clone().map(|text| &**text).chain(doubled));
        let ends = own.chain(&t.stops).cloned().collect();
        Literal { t, closes, text, call: Scan::from_texts(["{", "("]), ends }
    }

    fn call_in_text<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<Option<InText<'t>>> {
        if c.ahead(|c| c.literal(&self.t.head.open)) == Ok(()) {
            c.may_be_rejected(CALLS);
        }
        for before in self.t.head.ways() {
            let called = c.way(OPENER.role(A_CALL), |c| {
                let called = self.t.head.any(look, *before, c)?;
                c.follow(called.tool != UNKNOWN, self.begins())?;
                Ok(called)
            })?;
            if let Some(Called { name, tool }) = called {
                let opener = Opener::new(Place::Call(CALL)).named(name, tool);
                return Ok(Some(InText::Open(opener)));
            }
        }
        Ok(None)
    }

    /// Returns the reader of the confirmation. Tokens around strings show the arguments: with them either
    /// bracket will do.
    fn begins(&self) -> fn(&mut Cursor<'_>) -> Step<()> {
        if self.t.literals.quote.is_empty() { brace_begins } else { arguments_begin }
    }
}

/// Reads the bracket that confirms the name of a call.
fn arguments_begin(c: &mut Cursor<'_>) -> Step<()> {
    c.white()?;
    c.byte_of(b"{(").map(|_| ())
}

/// Reads the brace that confirms the name of a call, if no other bracket may.
fn brace_begins(c: &mut Cursor<'_>) -> Step<()> {
    c.white()?;
    c.literal("{")
}

impl Family for Literal {
    fn in_text<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<InText<'t>> {
        if let (false, Some([token, text])) = (look.reasoning, &self.t.doubled) {
            let doubled = c.way(OPENER.role("opener of reasoning, written twice"), |c| {
                c.literal(token)?;
                c.follow(false, |c| {
                    c.white()?;
                    c.literal(text)
                })
            })?;
            if doubled.is_some() {
                return Ok(InText::Mark(None));
            }
        }
        if let Some(found) = self.call_in_text(look, c)? {
            return Ok(found);
        }
        let orphan = Half::NONE.role("closer of a call that nothing opened");
        let closes = !look.reasoning && !self.t.close.is_empty();
        if closes && c.way(orphan, |c| c.literal(&self.t.close))?.is_some() {
            return Ok(InText::Orphan(CALLS));
        }
        c.none()
    }

    fn late_in_text<'t>(&self, _: &Look<'_>, c: &mut Cursor<'t>) -> Step<Option<InText<'t>>> {
        let cut = c.noise_or(OPENER.role("half an opener at the end"), |c| {
            c.any(&self.t.tags)?;
            cut_opener(c, !self.t.typed, &self.t.stops)
        })?;
        Ok(cut.map(|()| InText::Mark(Some(DiagnosticKind::CutOpener))))
    }

    fn in_section<'t>(&self, _: &Look<'_>, _: u8, c: &mut Cursor<'t>) -> Step<InSection<'t>> {
        let closes = !self.t.close.is_empty();
        if closes && c.way(WHOLE.role(END_CALL), |c| c.literal(&self.t.close))?.is_some() {
            return Ok(InSection::Close(None));
        }
        if c.way(WHOLE.role("bracket round the arguments"), |c| c.literal(")"))?.is_some() {
            return Ok(InSection::Mark(None));
        }
        if c.way(WHOLE.role("bracket too many"), |c| c.literal("}"))?.is_some() {
            return Ok(InSection::Mark(Some(DiagnosticKind::RepairedJson)));
        }
        match c.noise_or(WHOLE.role("lost closer of a call"), |_| Ok(()))? {
            Some(()) => Ok(InSection::Close(closes.then_some(DiagnosticKind::MissingCloser))),
            None => c.none(),
        }
    }

    fn in_call<'t>(&self, look: &Look<'_>, _: u8, c: &mut Cursor<'t>) -> Step<InCall<'t>> {
        if !look.is.call_start {
            return Err(No);
        }
        let way = WHOLE.role("bracket of the arguments");
        let either = !self.t.literals.quote.is_empty();
        let begins = c.way(way, |c| c.literal("{"))?.is_some()
            || either
                && c.way(way, |c| {
                    c.literal("(")?;
                    c.white()?;
                    c.literal("{")
                })?
                .is_some()
            || either && c.way(way, |c| c.literal("("))?.is_some();
        if begins { Ok(InCall::Object(ARGUMENTS)) } else { c.none() }
    }

    fn in_body(&self, look: &Look<'_>, _: u8, c: &mut Cursor<'_>) -> Step<InBody> {
        let in_string = look.json.in_string();
        let closes = !in_string && !self.t.close.is_empty();
        if closes && c.way(WHOLE.role(ENDS), |c| c.literal(&self.t.close))?.is_some() {
            return Ok(InBody::before(None));
        }
        if self.t.head.next(look, WHOLE.role(ENDS), self.begins(), c)? {
            let note = Some(DiagnosticKind::MissingCloser);
            return Ok(InBody::Before { note, broken: true });
        }
        if in_string || look.json.is_nested() {
            return c.none();
        }
        let bracket = c.way(WHOLE.role("bracket of another kind"), |c| {
            c.byte_of(b"]})")?;
            c.follow(true, |c| {
                one_of!(c; |c| c.at_end(), |c| {
                    c.white()?;
                    one_of!(c; |c| c.any(&self.closes), |c| c.any(&self.t.stops))
                })
            })
        })?;
        if bracket.is_some() { Ok(InBody::Bracket) } else { c.none() }
    }

    fn text_scan(&self) -> &Scan {
        &self.text
    }

    fn call_scan(&self, _: u8) -> &Scan {
        &self.call
    }

    fn section(&self, _: u8) -> SectionFacts {
        SectionFacts { calls: false, ..SectionFacts::CALLS }
    }

    fn body(&self, _: u8) -> BodyFacts {
        BodyFacts { gives: Gives::Params, then: Some(AFTER), stop: b'<' }
    }

    fn literals(&self, _: u8) -> Option<&Literals> {
        Some(&self.t.literals)
    }

    fn ends_of_bare(&self, _: u8) -> &[Box<str>] {
        &self.ends
    }

    fn is_stripped(&self) -> bool {
        true
    }

    fn renamed(&self, rename: &mut dyn FnMut(&mut Box<str>)) -> Option<Box<dyn Family>> {
        let mut t = self.t.clone();
        t.each_text(rename);
        Some(Box::new(Literal::new(t)))
    }
}
