//! Lines between carets: `code-assistant-caret`.
//!
//! ```text
//! call  := "^^^" NAME eol ( param | other )* "^^^" eol               eol := blanks, line break or the end of the stream
//! param := KEY ":" line eol
//!        | KEY ":" "[" eol ( element eol )* "]" eol
//!        | KEY "---" eol raw line-break "---" KEY eol
//! ```
//! Every marker begins a line; blanks may stand before it, but not before those of calls. A name is letters, digits and
//! `_`, or any declared name. The closer of a list or of a raw value counts if a parameter, the closer of the call,
//! another call or the end of the stream follows. `^^^` in a raw value is always data.
//!
//! | state | kinds | reader |
//! |---|---|---|
//! | text | | [`Carets::in_text`] |
//! | between parameters | | [`Carets::in_call`] |
//! | in a value | a line, a list, raw | [`Carets::in_value`] |
//!
//! An opener cut in two:
//!
//! ```text
//! chunk "^^^read_"      the name: More                  -> pending
//! chunk "file\n"        the name and the line: Ok       -> Open(Call(CALL)), markup
//! ```

use crate::event::DiagnosticKind;
use crate::family::{BodyFacts, Family, Framing, Gives, Look, SectionFacts};
use crate::one_of;
use crate::options::{Options, bounds};
use crate::read::act::{CALLS, Closer, InCall, InSection, InText, InValue, Opener, Place, Scope};
use crate::read::cursor::{Class, Cursor, Half, More, No, Step};
use crate::read::line_starts::LineStarts;
use crate::read::machine::State;
use crate::read::scan::Scan;

const CARETS: &str = "^^^";
const DASHES: &str = "---";
/// The word for a list, behind its key.
pub(crate) const LIST_OPENS: &str = "[";

/// The most blanks at the start of a line, and between its parts.
const BLANKS: usize = 32;

/// The kind of calls.
const CALL: u8 = 0;

/// Kinds of values.
const LINE: u8 = 0;
const LIST: u8 = 1;
const RAW: u8 = 2;

const WHOLE: Half = Half::MARK.and(Half::WHOLE);

/// Roles.
const A_CALL: &str = "opener of a call";
const A_PARAM: &str = "opener of an argument";
const CLOSES: &str = "closer of an argument";

/// The family of carets.
#[derive(Debug)]
pub(crate) struct Carets {
    text: Scan,
    line: Scan,
    raw: Scan,
    nothing: Scan,
    /// The lines that may begin a marker: in a call, in a list, in a raw value (at its beginning; later a line break begins
    /// it).
    lines: [LineStarts; 3],
}

/// A tool, as a line names it.
#[derive(Clone, Copy, Debug)]
struct Called<'t> {
    name: &'t str,
    tool: u16,
}

/// Reads blanks, perhaps none.
fn blanks(c: &mut Cursor<'_>) -> Step<()> {
    c.up_to(BLANKS, Class::Gap)
}

/// Reads characters of a class, perhaps none. The end of the stream may come instead of the text behind them.
fn run_or_end(class: Class, most: usize, c: &mut Cursor<'_>) -> Step<()> {
    let read = c.ahead(|c| c.up_to(most, class));
    if read == Err(More) && c.ended() {
        c.or_end(|c| c.up_to(most, class))?;
        c.pos += c.bytes().len();
        return Ok(());
    }
    c.up_to(most, class)
}

/// Reads the end of a line, or of the stream.
fn line_end(c: &mut Cursor<'_>) -> Step<()> {
    run_or_end(Class::Blank, bounds::WHITE_SPACE, c)?;
    match c.bytes().is_empty() && c.ended() {
        true => c.or_end(|c| c.more()),
        false => c.literal("\n"),
    }
}

/// Reads the name of a parameter at the start of a line.
fn key<'t>(c: &mut Cursor<'t>) -> Step<&'t str> {
    blanks(c)?;
    c.name(Class::LineKey, false)
}

/// Reads the beginning of a list: its key, and its bracket. (More than one bracket also begins one, though it
/// is no list of lines.)
fn list<'t>(c: &mut Cursor<'t>) -> Step<(&'t str, &'t str)> {
    let name = key(c)?;
    blanks(c)?;
    c.literal(":")?;
    blanks(c)?;
    let bracket = c.name(Class::Bracket, false)?;
    line_end(c)?;
    Ok((name, bracket))
}

/// Reads the beginning of a raw value.
fn raw<'t>(c: &mut Cursor<'t>) -> Step<&'t str> {
    let name = key(c)?;
    c.byte_of(b" \t")?;
    c.up_to(BLANKS - 1, Class::Gap)?;
    c.literal(DASHES)?;
    line_end(c)?;
    Ok(name)
}

/// Reads the beginning of a value of one line.
fn line<'t>(c: &mut Cursor<'t>) -> Step<&'t str> {
    let name = key(c)?;
    blanks(c)?;
    c.literal(":")?;
    run_or_end(Class::Gap, bounds::LINE, c)?;
    Ok(name)
}

/// Reads the closer of a call.
fn closes(c: &mut Cursor<'_>) -> Step<()> {
    c.literal(CARETS)?;
    line_end(c)
}

impl Carets {
    pub fn new() -> Carets {
        let raw = ["\n", "\r\n"].map(|line_break| [line_break, DASHES].concat());
        Carets {
            text: Scan::from_texts([CARETS]),
            line: Scan::from_texts(["\n"]),
            raw: Scan::from_texts(raw),
            nothing: Scan::default(),
            lines: [
                LineStarts::any(),
                LineStarts::from_firsts(b" \t]^"),
                LineStarts::from_firsts(b"-").at_start_only(),
            ],
        }
    }

    /// Reads the opener of a call.
    fn opener<'t>(&self, look: &Look<'_>, declared: bool, c: &mut Cursor<'t>) -> Step<Called<'t>> {
        let called = self.called(look, declared, c)?;
        line_end(c)?;
        Ok(called)
    }

    /// Reads the carets and the name of a call. `declared`: only a declared tool counts, whatever its name is
    /// made of.
    fn called<'t>(&self, look: &Look<'_>, declared: bool, c: &mut Cursor<'t>) -> Step<Called<'t>> {
        c.literal(CARETS)?;
        let (name, tool) = match declared {
            true => c.known(&look.tools.names, false, None)?,
            false => {
                let name = c.name(Class::Ident, false)?;
                (name, look.tools.number([name, ""]))
            }
        };
        Ok(Called { name, tool })
    }

    /// Reads another call, which confirms a closer.
    fn next_call(&self, look: &Look<'_>, c: &mut Cursor<'_>) -> Step<()> {
        let next = |declared: bool, c: &mut Cursor<'_>| {
            self.called(look, declared, c)?;
            // In a confirmation, the end of the stream is no end of a line.
            c.line_end()
        };
        one_of!(c; |c| next(false, c), |c| next(true, c))
    }

    /// Reads the line that confirms the closer of a list or of a raw value. Blanks may stand before it.
    fn confirms(&self, look: &Look<'_>, c: &mut Cursor<'_>) -> Step<()> {
        c.white()?;
        one_of!(c;
            |c| list(c).map(|_| ()),
            |c| raw(c).map(|_| ()),
            |c| line(c).map(|_| ()),
            closes,
            |c| self.next_call(look, c),
        )
    }

    fn in_list(&self, look: &Look<'_>, c: &mut Cursor<'_>) -> Step<Option<Closer>> {
        let own = c.way(Half::NONE.role(CLOSES), |c| {
            blanks(c)?;
            c.literal("]")?;
            line_end(c)?;
            c.is_own_closer();
            c.follow(true, |c| self.confirms(look, c))
        })?;
        if own.is_some() {
            return Ok(Some(Closer::OWN));
        }
        if look.is.holds_closer {
            return Ok(None);
        }
        let both = c.noise_or(Half::NONE.role("lost closer of an argument"), |c| {
            closes(c)?;
            c.follow(false, |c| {
                one_of!(c; |c| c.at_end(), |c| {
                    c.white()?;
                    self.next_call(look, c)
                })
            })
        })?;
        Ok(both.map(|()| Closer::BOTH))
    }

    fn in_raw(&self, look: &Look<'_>, c: &mut Cursor<'_>) -> Step<Option<Closer>> {
        let own = c.way(Half::MARK.role(CLOSES), |c| {
            if !look.value_start || c.peek()? != b'-' {
                c.line_break()?;
            }
            c.literal(DASHES)?;
            c.byte_of(b" \t")?;
            c.up_to(BLANKS - 1, Class::Gap)?;
            c.literal(&look.call.captured.param)?;
            line_end(c)?;
            c.is_own_closer();
            c.follow(true, |c| self.confirms(look, c))
        })?;
        Ok(own.map(|()| Closer::OWN))
    }
}

impl Family for Carets {
    fn in_text<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<InText<'t>> {
        let line = look.line_start;
        if line && c.ahead(|c| c.literal(CARETS)) == Ok(()) {
            c.may_be_rejected(CALLS);
        }
        if !line && look.reasoning {
            return Err(No);
        }
        let half = if line { Half::OPENER } else { Half::NONE };
        for declared in [false, true] {
            let Some(called) = c.way(half.role(A_CALL), |c| self.opener(look, declared, c))? else {
                continue;
            };
            if line {
                let opener = Opener::new(Place::Call(CALL)).named(called.name, called.tool);
                return Ok(InText::Open(opener));
            }
            // Behind other text on its line it is text, and so is its closer.
            c.may_be_rejected(CALLS);
            return Ok(InText::Data(None));
        }
        let orphan = Half::NONE.role("closer of a call that nothing opened");
        match line && !look.reasoning && c.way(orphan, closes)?.is_some() {
            true => Ok(InText::Orphan(CALLS)),
            false => c.none(),
        }
    }

    fn in_section<'t>(&self, _: &Look<'_>, _: u8, _: &mut Cursor<'t>) -> Step<InSection<'t>> {
        Err(No)
    }

    fn in_call<'t>(&self, look: &Look<'_>, _: u8, c: &mut Cursor<'t>) -> Step<InCall<'t>> {
        let way = WHOLE.role(A_PARAM);
        let param = |kind, name, hint| Ok(InCall::Param { kind, name, hint, note: None });
        if let Some((name, bracket)) = c.way(way, list)? {
            return param(LIST, name, Some(bracket));
        }
        if let Some(name) = c.way(way, raw)? {
            return param(RAW, name, None);
        }
        if let Some(name) = c.way(way, line)? {
            return param(LINE, name, None);
        }
        let close = |note, before| InCall::Close { scope: Scope::Call, note, before };
        if c.way(WHOLE.role("closer of a call"), closes)?.is_some() {
            return Ok(close(None, false));
        }
        for declared in [false, true] {
            let lost = WHOLE.role("lost closer of a call");
            if c.way(lost, |c| self.opener(look, declared, c))?.is_some() {
                return Ok(close(Some(DiagnosticKind::MissingCloser), true));
            }
        }
        c.none()
    }

    fn in_value<'t>(&self, look: &Look<'_>, kind: u8, c: &mut Cursor<'t>) -> Step<InValue<'t>> {
        let closer = match kind {
            LINE => c.way(Half::MARK.role(CLOSES), |c| c.literal("\n"))?.map(|()| Closer::OWN),
            LIST => self.in_list(look, c)?,
            _ => self.in_raw(look, c)?,
        };
        closer.map_or_else(|| c.none(), |closer| Ok(InValue::Close(closer)))
    }

    fn lines(&self, _: &Options, state: State, kind: u8) -> Option<&LineStarts> {
        let [call, list, raw] = &self.lines;
        match (state, kind) {
            (State::Call, _) => Some(call),
            (State::Value, LIST) => Some(list),
            (State::Value, RAW) => Some(raw),
            _ => None,
        }
    }

    fn text_scan(&self) -> &Scan {
        &self.text
    }

    fn call_scan(&self, _: u8) -> &Scan {
        &self.nothing
    }

    fn value_scan(&self, kind: u8) -> &Scan {
        match kind {
            LINE => &self.line,
            RAW => &self.raw,
            _ => &self.nothing,
        }
    }

    fn section(&self, _: u8) -> SectionFacts {
        SectionFacts::CALLS
    }

    fn framing(&self, kind: u8) -> Framing {
        if kind == LINE { Framing::White } else { Framing::None }
    }

    fn body(&self, _: u8) -> BodyFacts {
        BodyFacts { gives: Gives::Nothing, then: None, stop: 0 }
    }

    fn own_texts(&self, each: &mut dyn FnMut(&str)) {
        [CARETS, DASHES].into_iter().for_each(each);
    }

    fn before_names(&self) -> Vec<&str> {
        vec![CARETS]
    }
}
