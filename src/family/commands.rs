//! Calls without keys, of shapes: one value, which is a line or everything up to a closer, or a value for each
//! declared parameter, in their order.
//!
//! ```text
//! call   := opener gap value line-break                      a line; the end of the stream will do, or a stop token
//!         | opener value closer                              a block
//!         | opener [value ( BETWEEN value )*] closer         a list: as many values as the tool has parameters
//! opener := LEAD | LEAD NAME MARK | NAME MARK                at the start of a line, perhaps with the rest of it blank
//! closer := line-break CLOSE blanks line-break | CLOSE       the last CLOSE of its line
//! ```
//! The tool must be declared; with one value, it must need no more than one text. A line is not empty. The last value
//! of a list may hold the separator. If the closer of a block is lost, the opener of the next call ends the block,
//! and the call is incomplete. If the closer is a code fence, the value may hold other fences: a line of back-ticks
//! with a word opens one, and the next line of back-ticks alone closes it.
//!
//! | state | kinds | reader |
//! |---|---|---|
//! | text | | [`Commands::in_text`] |
//! | behind an opener, between values | | [`Commands::at_call_start`] |
//! | in a value | a line, a block, one of a list | [`Commands::in_value`] |
//!
//! An opener cut in two, of `$ {value}`:
//!
//! ```text
//! chunk "$ "         something must stand on the line: More      -> pending
//! chunk "l"          the opener: Ok                              -> Open(Call(CALL)), markup
//! ```

use crate::family::written::arguments::is_last_of_line;
use crate::family::{BodyFacts, Family, Framing, Gives, Look, SectionFacts};
use crate::one_of;
use crate::options::{Options, bounds};
use crate::read::act::{Closer, InCall, InSection, InText, InValue, Opener, Place, Scope};
use crate::read::call::only_param;
use crate::read::cursor::{Class, Cursor, Half, No, Step};
use crate::read::line_starts::LineStarts;
use crate::read::machine::State;
use crate::read::scan::Scan;
use crate::tool::{Tool, Type};

/// The kind of calls.
const CALL: u8 = 0;

/// Kinds of values.
const LINE: u8 = 0;
const BLOCK: u8 = 1;
const ITEM: u8 = 2;

/// A closer that is a code fence begins with it.
const FENCE: &str = "```";

/// Roles.
const A_CALL: &str = "opener of a call";
const CLOSES: &str = "closer of a call";
const LOST: &str = "lost closer of a call";
const DATA: &str = "data that looks like a marker";

const END_CALL: Closer = Closer { scope: Scope::Call, ..Closer::OWN };

/// The markers of such calls.
#[derive(Clone, Debug, Default)]
pub(crate) struct Texts {
    /// The opener of a call: before the name of its tool, and behind it.
    pub open: [Box<str>; 2],
    /// A line break stands behind that.
    pub breaks: bool,
    /// The tool of all calls; none: the opener names it.
    pub tool: Option<Box<str>>,
    /// The argument; none: the only one that a tool requires, or has.
    pub key: Option<Box<str>>,
    /// The separator of a list's values. `None`: a call has one value.
    pub between: Option<Box<str>>,
    /// The closer of a block. `None`: the call is a line.
    pub close: Option<Box<str>>,
    /// The closer stands on a line of its own.
    pub own_line: bool,
    /// Stop tokens.
    pub stops: Vec<Box<str>>,
}

/// The family.
#[derive(Clone, Debug)]
pub(crate) struct Commands {
    t: Texts,
    text: Scan,
    value: Scan,
    /// The lines that may begin a call, and the first line of a value, which may be its closer.
    lines: [LineStarts; 2],
}

impl Commands {
    /// Builds the family of a dialect with these markers.
    pub fn new(t: Texts) -> Commands {
        let firsts = |text: &str| text.bytes().take(1).collect::<Vec<u8>>();
        let calls = match firsts(&t.open[0]) {
            // Any line may begin with a name.
            none if none.is_empty() => LineStarts::any(),
            first => LineStarts::from_firsts(&first),
        };
        let close = t.close.as_deref().unwrap_or_default();
        let on_line = |text: &str| ["\n", "\r\n"].map(|end| [end, text].concat());
        let value = match (&t.close, t.own_line) {
            (None, _) => {
                Scan::from_texts(["\n"].into_iter().chain(t.stops.iter().map(|stop| &**stop)))
            }
            (Some(_), true) => {
                Scan::from_texts(on_line(close)).and(&Scan::from_texts(on_line(&t.open[0])))
            }
            (Some(_), false) => {
                Scan::from_texts([close]).and(&Scan::from_texts(on_line(&t.open[0])))
            }
        };
        let value =
            value.and(&Scan::from_texts(t.between.iter().map(|between| between.as_bytes())));
        let closes = LineStarts::from_firsts(&firsts(close)).at_start_only();
        Commands { text: Scan::default(), value, lines: [calls, closes], t }
    }

    /// The kind of all values.
    fn kind(&self) -> u8 {
        match (&self.t.between, &self.t.close) {
            (Some(_), _) => ITEM,
            (None, Some(_)) => BLOCK,
            (None, None) => LINE,
        }
    }

    /// A value may hold code fences of its own.
    fn nests(&self) -> bool {
        self.t.own_line && self.t.close.as_deref().is_some_and(|close| close.starts_with(FENCE))
    }

    /// Whether a tool may be called: if calls have one value, one that needs no more than one text.
    fn takes(&self, look: &Look<'_>, tool: u16) -> bool {
        let Some(tool) = look.list.get(usize::from(tool)) else { return false };
        let key = match self.t.key.as_deref() {
            _ if self.kind() == ITEM => return true,
            // Of a tool without a schema nothing is known.
            Some(_) if tool.params.is_empty() => return true,
            None => only_param(Some(tool)),
            key => key,
        };
        key.is_some_and(|key| is_enough(tool, key))
    }

    /// The opener of a call: the name of its tool, if it stands there, and its number.
    fn opener<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<(&'t str, u16)> {
        let [lead, mark] = &self.t.open;
        c.literal(lead)?;
        let called = match &self.t.tool {
            Some(name) => ("", look.tools.number([name, ""])),
            None => c.known(&look.tools.names, false, None)?,
        };
        if !self.takes(look, called.1) {
            return Err(No);
        }
        c.literal(mark)?;
        if self.t.breaks {
            c.line_end()?;
        }
        if self.kind() == ITEM && look.tools.params(called.1).is_empty() {
            c.follow(false, |c| c.literal(self.t.close.as_deref().ok_or(No)?))?;
        }
        if self.kind() == LINE {
            c.up_to(bounds::WHITE_SPACE, Class::Gap)?;
            c.follow(false, |c| c.one_but(b"\r\n"))?;
        }
        Ok(called)
    }

    /// The end of a line, or a stop token at its end, which is read again.
    fn ends_line(&self, c: &mut Cursor<'_>) -> Step<Option<Closer>> {
        if c.way(Half::NONE.role(CLOSES), |c| c.literal("\n"))?.is_some() {
            return Ok(Some(END_CALL));
        }
        let stop = c.way(Half::NONE.role(CLOSES), |c| {
            c.any(&self.t.stops)?;
            c.follow(true, |c| one_of!(c; |c| c.at_end(), |c| c.line_end()))
        })?;
        Ok(stop.map(|()| Closer { before: true, ..END_CALL }))
    }

    /// Reads the separator of two values of a list.
    fn between(&self, c: &mut Cursor<'_>) -> Step<()> {
        c.literal(self.t.between.as_deref().ok_or(No)?)
    }

    /// The end of a value that is not the last one.
    fn ends_item(&self, look: &Look<'_>, c: &mut Cursor<'_>) -> Step<Option<Closer>> {
        let params = look.tools.params(look.call.tool).all();
        if !(params.lo..params.hi).any(|number| look.is_fresh(number)) {
            return Ok(None);
        }
        let between = c.way(Half::MARK.role("end of an argument"), |c| self.between(c))?;
        Ok(between.map(|()| Closer { then: Some(CALL), ..Closer::OWN }))
    }

    /// The closer of a call that has no value.
    fn closes_nothing(&self, look: &Look<'_>, c: &mut Cursor<'_>) -> Step<()> {
        c.literal(self.t.close.as_deref().ok_or(No)?)?;
        match look.tools.params(look.call.tool).is_empty() {
            true => Ok(()),
            false => c.follow(!c.cut(), |c| self.is_last_of_line(look, c)),
        }
    }

    /// The end of a block.
    fn ends_block(&self, look: &Look<'_>, c: &mut Cursor<'_>) -> Step<Option<Closer>> {
        let own = c.way(Half::MARK.role(CLOSES), |c| {
            self.closer(look, c)?;
            c.is_own_closer();
            c.follow(!c.cut(), |c| match self.t.own_line {
                true => self.closes_line(c),
                false => self.is_last_of_line(look, c),
            })
        })?;
        if own.is_some() {
            return Ok(Some(END_CALL));
        }
        // Of a code fence the next opener is one in the value.
        let lost = !self.nests()
            && c.noise_or(Half::MARK.and(Half::OPENER).role(LOST), |c| {
                c.line_break()?;
                self.opener(look, c)
            })?
            .is_some();
        Ok(lost.then_some(Closer { scope: Scope::Call, broken: true, ..Closer::BEFORE }))
    }

    /// The text of the closer, where it may stand.
    fn closer(&self, look: &Look<'_>, c: &mut Cursor<'_>) -> Step<()> {
        self.begin_line(look, c)?;
        c.literal(self.t.close.as_deref().ok_or(No)?)
    }

    /// The line break before a closer that has a line of its own. The first line of a value has none.
    fn begin_line(&self, look: &Look<'_>, c: &mut Cursor<'_>) -> Step<()> {
        let first = look.value_start && self.t.breaks;
        if !self.t.own_line || first && !matches!(c.peek()?, b'\n' | b'\r') {
            return Ok(());
        }
        c.line_break()
    }

    /// Nothing but blanks and a stop token stands behind a closer on its line.
    fn closes_line(&self, c: &mut Cursor<'_>) -> Step<()> {
        c.up_to(bounds::WHITE_SPACE, Class::Blank)?;
        one_of!(c; |c| c.literal("\n"), |c| c.any(&self.t.stops))
    }

    /// No other closer stands behind one on its line.
    fn is_last_of_line(&self, look: &Look<'_>, c: &mut Cursor<'_>) -> Step<()> {
        is_last_of_line(c, |c| self.closer(look, c), |_| Err(No))
    }

    /// A line that opens or closes a code fence in a value; whether it opens one.
    fn inner_fence(&self, look: &Look<'_>, c: &mut Cursor<'_>) -> Step<bool> {
        self.closer(look, c)?;
        if look.is.text_fence {
            c.follow(false, |c| self.closes_line(c))?;
            return Ok(false);
        }
        c.follow(false, |c| {
            c.up_to(bounds::WHITE_SPACE, Class::Gap)?;
            c.one_but(b"\r\n`")?;
            // Code in a line is none.
            let start = c.pos;
            while c.pos - start < bounds::LINE && c.peek()? != b'\n' {
                c.one_but(b"`")?;
            }
            Ok(())
        })?;
        Ok(true)
    }
}

/// Whether this is a text, and the tool requires nothing else.
fn is_enough(tool: &Tool, key: &str) -> bool {
    let is_text =
        |types: &[Type]| types.is_empty() || types.iter().any(|of| matches!(of, Type::String));
    let mut others = tool.params.iter().filter(|param| param.name != key);
    tool.params.iter().any(|param| param.name == key && is_text(&param.types))
        && !others.any(|param| param.required)
}

impl Family for Commands {
    fn in_text<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<InText<'t>> {
        if !look.line_start {
            return Err(No);
        }
        // A word at the end of a text, or signs alone, need be no opener.
        let shows = self.t.open[0].contains(char::is_alphabetic);
        let half = if shows { Half::OPENER } else { Half::NONE };
        match c.way(half.role(A_CALL), |c| self.opener(look, c))? {
            Some((name, tool)) => {
                Ok(InText::Open(Opener::new(Place::Call(CALL)).named(name, tool)))
            }
            None => c.none(),
        }
    }

    fn in_section<'t>(&self, _: &Look<'_>, _: u8, _: &mut Cursor<'t>) -> Step<InSection<'t>> {
        Err(No)
    }

    fn in_call<'t>(&self, _: &Look<'_>, _: u8, _: &mut Cursor<'t>) -> Step<InCall<'t>> {
        Err(No)
    }

    fn at_call_start<'t>(&self, look: &Look<'_>, _: u8, c: &mut Cursor<'t>) -> Step<InCall<'t>> {
        if self.kind() != ITEM {
            return Ok(InCall::Input { kind: self.kind(), fenced: false });
        }
        let nothing = look.is.call_start
            && c.way(Half::MARK.and(Half::WHOLE).role(CLOSES), |c| self.closes_nothing(look, c))?
                .is_some();
        match nothing {
            true => Ok(InCall::Close { scope: Scope::Call, note: None, before: false }),
            false => Ok(InCall::Next { kind: ITEM }),
        }
    }

    fn in_value<'t>(&self, look: &Look<'_>, kind: u8, c: &mut Cursor<'t>) -> Step<InValue<'t>> {
        let fence = Half::NONE.role("code fence in a value");
        if self.nests() {
            if let Some(opens) = c.way(fence, |c| self.inner_fence(look, c))? {
                return Ok(InValue::Fence { opens });
            }
            if look.is.text_fence {
                return c.none();
            }
        }
        let closer = match kind {
            LINE => self.ends_line(c)?,
            _ => match self.ends_item(look, c)? {
                None => self.ends_block(look, c)?,
                closer => closer,
            },
        };
        if let Some(closer) = closer {
            return Ok(InValue::Close(closer));
        }
        let suspect = kind != LINE
            && !look.is.suspected
            && c.noise_or(
                Half::NONE.role(DATA),
                |c| one_of!(c; |c| self.between(c), |c| self.closer(look, c)),
            )?
            .is_some();
        if suspect { Ok(InValue::Suspect { doubtful: false }) } else { c.none() }
    }

    fn lines(&self, _: &Options, state: State, _: u8) -> Option<&LineStarts> {
        let [calls, closes] = &self.lines;
        match state {
            State::Text | State::Reasoning => Some(calls),
            State::Value if self.t.own_line && self.t.breaks => Some(closes),
            _ => None,
        }
    }

    fn text_scan(&self) -> &Scan {
        &self.text
    }

    fn call_scan(&self, _: u8) -> &Scan {
        &self.text
    }

    fn value_scan(&self, _: u8) -> &Scan {
        &self.value
    }

    fn section(&self, _: u8) -> SectionFacts {
        SectionFacts::CALLS
    }

    fn is_whole_at_end(&self, kind: u8) -> bool {
        kind == LINE
    }

    fn framing(&self, kind: u8) -> Framing {
        if kind == BLOCK { Framing::None } else { Framing::White }
    }

    fn body(&self, _: u8) -> BodyFacts {
        BodyFacts { gives: Gives::Nothing, then: None, stop: 0 }
    }

    fn only_key(&self) -> Option<&str> {
        self.t.key.as_deref()
    }

    fn renamed(&self, rename: &mut dyn FnMut(&mut Box<str>)) -> Option<Box<dyn Family>> {
        let mut t = self.t.clone();
        // An opener of a name alone has no text before it.
        let texts = t.open.iter_mut().chain(&mut t.between).chain(&mut t.close).chain(&mut t.stops);
        texts.filter(|text| !text.is_empty()).for_each(rename);
        Some(Box::new(Commands::new(t)))
    }
}
