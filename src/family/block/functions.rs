//! Functions, as in `qwen3-coder`.
//!
//! ```text
//! functions := function ( ws function )*
//! function  := "<function=" ws Q(NAME) ws ">" ( junk ( param junk )* | object ) "</function>"
//! param     := "<parameter=" Q(KEY) ">" value "</parameter>"              Q(x) := "x" | 'x' | x
//! ```
//! A missing `>`, a function written as `<NAME>`, `<parameter=NAME>` or `<function=NAME/>`, `=` or a line break for the
//! `>` of a parameter, and `<parameter name=KEY>` are accepted (`malformed_tag`).

use super::objects::behind_object;
use super::{
    A_CALL, ARGUMENT, Block, FUNCTION, FUNCTIONS, LOST, LOST_ARGUMENT, MARK, NAMED, WHOLE, keyed,
};
use crate::event::DiagnosticKind;
use crate::family::Look;
use crate::one_of;
use crate::options::bounds;
use crate::read::act::{Closer, InCall, InSection, InValue, Opener, Place, Scope};
use crate::read::cursor::{Class, Cursor, Half, More, No, Step, WHITE, Way};
use crate::read::ids::UNKNOWN;

const OPEN: &str = "<function=";
/// The texts of functions.
pub(super) const TEXTS: [&str; 5] =
    [OPEN, END_FUNCTION, PARAMETER, END_PARAMETER, "<parameter name="];
pub(super) const END_FUNCTION: &str = "</function>";
const PARAMETER: &str = "<parameter=";
const END_PARAMETER: &str = "</parameter>";
const QUOTES: Way = Half::NONE.role("data that looks like a call");
const MALFORMED: DiagnosticKind = DiagnosticKind::MalformedTag;

/// Reads a function's opener up to its name.
fn head<'t>(look: &Look<'_>, c: &mut Cursor<'t>) -> Step<(&'t str, u16)> {
    c.literal(OPEN)?;
    c.white()?;
    let name = c.name(Class::Name, true)?;
    Ok((name, look.tools.number([name, ""])))
}

/// Reads the head of a function whose tool is declared.
fn known_head<'t>(look: &Look<'_>, c: &mut Cursor<'t>) -> Step<(&'t str, u16)> {
    c.literal(OPEN)?;
    c.white()?;
    c.known(&look.tools.names, true, None)
}

/// Reads the end of a function's tag.
fn tag_end(c: &mut Cursor<'_>) -> Step<()> {
    c.white()?;
    c.literal(">")
}

/// Reads the beginning of a function's body, which confirms its opener.
fn body(c: &mut Cursor<'_>) -> Step<()> {
    // The tag has no end, so the bound of white space counts and not that of tags.
    c.run(Class::White, 0, bounds::WHITE_SPACE)?;
    c.any(&[PARAMETER, END_FUNCTION])
}

/// Reads `<function=NAME/>` of a declared tool.
fn whole<'t>(look: &Look<'_>, c: &mut Cursor<'t>) -> Step<(&'t str, u16)> {
    let named = known_head(look, c)?;
    c.white()?;
    c.literal("/>")?;
    Ok(named)
}

/// Reads `<NAME>` of a declared tool in place of a function's opener.
fn named<'t>(look: &Look<'_>, c: &mut Cursor<'t>) -> Step<(&'t str, u16)> {
    c.literal("<")?;
    let named = c.known(&look.tools.names, false, None)?;
    c.literal(">")?;
    Ok(named)
}

/// Reads `<parameter=NAME>` of a declared tool in place of a function's opener.
fn misnamed<'t>(look: &Look<'_>, c: &mut Cursor<'t>) -> Step<(&'t str, u16)> {
    c.literal(PARAMETER)?;
    c.white()?;
    let named = c.known(&look.tools.names, true, None)?;
    tag_end(c)?;
    Ok(named)
}

/// Reads as much of a function in a block as confirms the marker before it. `known`: at the end of the stream the name
/// of a declared tool is enough.
pub(super) fn begins(look: &Look<'_>, c: &mut Cursor<'_>, known: bool) -> Step<()> {
    if c.bytes().get(1).is_some_and(|byte| *byte == b'f') {
        let own = c.ahead(|c| own_begins(look, c, known));
        if own != Err(No) {
            return own;
        }
    }
    one_of!(c;
        |c| own_begins(look, c, known),
        |c| {
            c.literal("<")?;
            c.known(&look.tools.names, false, None)?;
            end_of(known, c, |c| {
                c.literal(">")?;
                c.white()?;
                c.literal(PARAMETER)
            })
        },
        |c| {
            c.literal(PARAMETER)?;
            c.white()?;
            c.known(&look.tools.names, true, None)?;
            // Of a wrong tag the name alone is not enough.
            tag_end(c)?;
            end_of(known, c, body)
        },
    )
}

/// Reads the beginning of a function with a tag of its own, in any of its forms.
fn own_begins(look: &Look<'_>, c: &mut Cursor<'_>, known: bool) -> Step<()> {
    let (name, tool) = head(look, c)?;
    // The slash of `<function=NAME/>` is no part of the name.
    let whole =
        name.ends_with('/') && look.tools.names.find([name.trim_end_matches('/'), ""]).is_some();
    let start = c.pos;
    let next = c.white().and_then(|()| c.peek());
    let near = c.pos - start <= bounds::WHITE_SPACE && c.rest().len() <= bounds::WHITE_SPACE;
    let known = known && tool != UNKNOWN && !whole;
    match next {
        Err(stuck) => end_of(known && near, c, |_| Err(stuck)),
        Ok(b'>') => c.literal(">"),
        // Half a `/>` is no body.
        Ok(b'/') if tool != UNKNOWN => c.literal("/>"),
        Ok(_) if c.pos - start > bounds::WHITE_SPACE => Err(No),
        Ok(_) => end_of(known, c, |c| c.any(&[PARAMETER, END_FUNCTION])),
    }
}

/// Reads the rest of a confirmation. `or_end`: the end of the stream completes it.
pub(crate) fn end_of(
    or_end: bool,
    c: &mut Cursor<'_>,
    read: impl FnOnce(&mut Cursor<'_>) -> Step<()>,
) -> Step<()> {
    if or_end { c.or_end(read) } else { read(c) }
}

/// Reads as much of a function without a block as confirms the marker before it.
pub(super) fn bare(look: &Look<'_>, c: &mut Cursor<'_>) -> Step<()> {
    known_head(look, c)?;
    one_of!(c;
        |c| {
            tag_end(c)?;
            body(c)
        },
        body,
    )
}

/// Reads the opener of a function without a block.
pub(super) fn bare_opener<'t>(look: &Look<'_>, c: &mut Cursor<'t>) -> Step<Opener<'t>> {
    let opener = Opener { owed: true, ..Opener::new(Place::Call(FUNCTION)) };
    let closed = |c: &mut Cursor<'t>| {
        let (name, tool) = known_head(look, c)?;
        tag_end(c)?;
        c.follow(true, body)?;
        Ok(opener.named(name, tool))
    };
    c.either(closed, |c| {
        let (name, tool) = known_head(look, c)?;
        c.follow(true, body)?;
        Ok(opener.named(name, tool).note(MALFORMED))
    })
}

/// A key of a parameter, in quotes or not.
fn key<'t>(c: &mut Cursor<'t>) -> Step<&'t str> {
    c.name(Class::Key, true)
}

/// Reads a parameter's opener, well-formed or in an accepted form.
fn param<'t>(c: &mut Cursor<'t>) -> Step<(&'t str, bool)> {
    let own = |c: &mut Cursor<'t>| {
        c.literal(PARAMETER)?;
        let name = key(c)?;
        match c.peek()? {
            b'>' => c.literal(">").map(|()| (name, false)),
            b'=' => c.literal("=").map(|()| (name, true)),
            _ => c.line_break().map(|()| (name, true)),
        }
    };
    c.either(own, |c| {
        c.literal("<parameter name=")?;
        let name = key(c)?;
        c.literal(">")?;
        Ok((name, true))
    })
}

/// Reads the opener of a parameter of the open call that fits. White space may stand around its name.
fn declared_param(
    look: &Look<'_>,
    c: &mut Cursor<'_>,
    white: bool,
    fits: impl Fn(u16) -> bool,
) -> Step<()> {
    let params = look.tools.params(look.call.tool);
    c.literal(PARAMETER)?;
    let quote = c.peek()?;
    let quoted = matches!(quote, b'"' | b'\'');
    c.pos += usize::from(quoted);
    if white {
        c.white()?;
    }
    c.known(params, false, Some(&fits))?;
    if white {
        c.white()?;
    }
    match quote {
        b'"' => c.literal("\">"),
        b'\'' => c.literal("'>"),
        _ => c.literal(">"),
    }
}

impl Block {
    /// Between functions.
    pub(super) fn among_functions<'t>(
        &self,
        look: &Look<'_>,
        c: &mut Cursor<'t>,
    ) -> Step<Option<InSection<'t>>> {
        let open = |kind: u8, (name, tool): (&'t str, u16)| {
            InSection::Open(Opener::new(Place::Call(kind)).named(name, tool))
        };
        let malformed = |kind: u8, (name, tool): (&'t str, u16)| {
            InSection::Open(Opener::new(Place::Call(kind)).named(name, tool).note(MALFORMED))
        };
        if c.bytes().first() != Some(&b'<') {
            return Ok(None);
        }
        // The usual form.
        let plain = c.ahead(|c| {
            let found = head(look, c)?;
            c.literal(">").map(|()| (found, *c))
        });
        match plain {
            Ok((found, end)) if !found.0.ends_with('/') => {
                *c = end;
                return Ok(Some(open(FUNCTION, found)));
            }
            // At the end of the stream one of the accepted forms below may still read this.
            Err(More) if !c.ended() => return Err(More),
            _ => {}
        }
        // `<function=NAME/>`, though parameters follow.
        let half = WHOLE.and(Half::OPENER).role(A_CALL);
        let with_params = c.way(half, |c| {
            let found = whole(look, c)?;
            let begun = !c.rest().trim_start_matches(WHITE).is_empty();
            c.follow(begun, |c| {
                c.white()?;
                c.any(&["<parameter", END_FUNCTION])
            })?;
            Ok(found)
        })?;
        if let Some(found) = with_params {
            return Ok(Some(malformed(FUNCTION, found)));
        }
        // Only now: with parameters behind it, the slash of the same tag is a mistake.
        if let Some((name, tool)) = c.way(half, |c| whole(look, c))? {
            let opener = Opener::new(Place::Call(FUNCTION)).named(name, tool).note(MALFORMED);
            return Ok(Some(InSection::Open(Opener { whole: true, ..opener })));
        }
        let tag = |c: &mut Cursor<'t>| {
            let found = head(look, c)?;
            tag_end(c)?;
            Ok(found)
        };
        if let Some(found) = c.way(half, tag)? {
            return Ok(Some(open(FUNCTION, found)));
        }
        if let Some(found) = c.way(half, |c| open_function(look, c))? {
            return Ok(Some(malformed(FUNCTION, found)));
        }
        if let Some(found) = c.way(half, |c| named_function(look, c))? {
            return Ok(Some(malformed(NAMED, found)));
        }
        if let Some(found) = c.way(half, |c| misnamed_function(look, c))? {
            return Ok(Some(malformed(FUNCTION, found)));
        }
        let close = c.way(WHOLE, |c| c.any(&self.t.close))?;
        Ok(close.map(|()| InSection::Close(None)))
    }

    /// Behind an object with all arguments of a function.
    pub(super) fn behind_function_object<'t>(
        &self,
        look: &Look<'_>,
        c: &mut Cursor<'t>,
    ) -> Step<Option<InSection<'t>>> {
        if let Some(found) = behind_object(c)? {
            return Ok(Some(found));
        }
        let section = Opener::new(Place::Section(FUNCTIONS));
        if c.way(WHOLE.role("closer of a call"), |c| c.literal(END_FUNCTION))?.is_some() {
            return Ok(Some(InSection::Open(section)));
        }
        let start = *c;
        let half = WHOLE.and(Half::OPENER).role(LOST);
        let tag = |c: &mut Cursor<'t>| {
            head(look, c)?;
            tag_end(c)
        };
        let forgotten = c.way(WHOLE, |c| c.any(&self.t.close))?.is_some()
            || c.way(half, tag)?.is_some()
            || c.way(half, |c| whole(look, c))?.is_some()
            || c.way(half, |c| open_function(look, c))?.is_some()
            || c.way(half, |c| named_function(look, c))?.is_some()
            || c.way(half, |c| misnamed_function(look, c))?.is_some();
        if !forgotten {
            return Ok(None);
        }
        *c = start;
        let opener = Opener { before: true, ..section.note(DiagnosticKind::MissingCloser) };
        Ok(Some(InSection::Open(opener)))
    }

    /// Between the parameters of a function. `kind`: `<NAME>` opened it, or its own tag.
    pub(super) fn between_function_params<'t>(
        &self,
        look: &Look<'_>,
        kind: u8,
        c: &mut Cursor<'t>,
    ) -> Step<Option<InCall<'t>>> {
        match c.bytes().first() {
            Some(b'{') if look.is.call_start => {
                let object = c.way(WHOLE, |c| {
                    c.literal("{")?;
                    c.follow(false, keyed::object_begins)
                })?;
                return Ok(object.map(|()| InCall::Object(FUNCTION)));
            }
            Some(b'<') => {}
            _ => return Ok(None),
        }
        if let Some((name, malformed)) = c.way(WHOLE.role("opener of an argument"), param)? {
            let note = malformed.then_some(MALFORMED);
            return Ok(Some(InCall::Param { kind, name, hint: None, note }));
        }
        let close = InCall::Close { scope: Scope::Call, note: None, before: false };
        if c.way(WHOLE.role("closer of a call"), |c| c.literal(END_FUNCTION))?.is_some() {
            return Ok(Some(close));
        }
        let ends = c.way(WHOLE, |c| c.any(&self.t.close))?.is_some()
            || self.next_function(look, c)?.is_some();
        if ends {
            let note = Some(DiagnosticKind::MissingCloser);
            return Ok(Some(InCall::Close { scope: Scope::Call, note, before: true }));
        }
        let named = kind == NAMED && c.way(WHOLE, |c| named_end(look, c))?.is_some();
        Ok(named.then_some(close))
    }

    /// Reads the beginning of the next function between parameters.
    fn next_function(&self, look: &Look<'_>, c: &mut Cursor<'_>) -> Step<Option<()>> {
        let in_section = look.is.in_section;
        let tag = |c: &mut Cursor<'_>| match in_section {
            true => {
                head(look, c)?;
                tag_end(c)
            }
            // Without a section around it, the tag of an unknown tool is more likely junk than a call.
            false => {
                known_head(look, c)?;
                tag_end(c)?;
                c.follow(false, body)
            }
        };
        if c.way(WHOLE, tag)?.is_some() {
            return Ok(Some(()));
        }
        let open = |c: &mut Cursor<'_>| {
            if in_section {
                head(look, c)?
            } else {
                known_head(look, c)?
            };
            c.follow(false, body)
        };
        if in_section && c.way(WHOLE, |c| whole(look, c))?.is_some()
            || c.way(WHOLE, open)?.is_some()
        {
            return Ok(Some(()));
        }
        if !in_section {
            return Ok(None);
        }
        let named = |c: &mut Cursor<'_>| {
            named(look, c)?;
            c.follow(false, |c| {
                c.white()?;
                c.literal(PARAMETER)
            })
        };
        let misnamed = |c: &mut Cursor<'_>| {
            misnamed(look, c)?;
            c.follow(false, body)
        };
        let begins = c.way(WHOLE, named)?.is_some() || c.way(WHOLE, misnamed)?.is_some();
        Ok(begins.then_some(()))
    }

    /// In the value of a function's parameter.
    pub(super) fn in_function_value<'t>(
        &self,
        look: &Look<'_>,
        kind: u8,
        c: &mut Cursor<'t>,
    ) -> Step<InValue<'t>> {
        match c.bytes().get(1) {
            Some(b'/') => self.closer_in_function_value(look, kind, c),
            Some(_) => self.opener_in_function_value(look, c),
            None if c.ended() => {
                c.way(MARK, |c| c.more::<()>())?;
                c.none()
            }
            None => c.more(),
        }
    }

    fn closer_in_function_value<'t>(
        &self,
        look: &Look<'_>,
        kind: u8,
        c: &mut Cursor<'t>,
    ) -> Step<InValue<'t>> {
        // Most closing tags of a value are those of its own markup.
        let third = c.bytes().get(2).copied();
        let names = [&look.call.captured.param, &look.call.captured.name];
        let of_name = |byte: u8| names.iter().any(|name| name.as_bytes().first() == Some(&byte));
        let of_close =
            |byte: u8| self.t.close.iter().any(|tag| tag.as_bytes().get(2) == Some(&byte));
        if third.is_some_and(|byte| !(b"pf".contains(&byte) || of_name(byte) || of_close(byte))) {
            return c.none();
        }
        let own = c.way(MARK.role(ARGUMENT), |c| {
            c.literal(END_PARAMETER)?;
            c.is_own_closer();
            c.follow(true, |c| self.after_value(look, kind, c))
        })?;
        if own.is_some() {
            return Ok(InValue::Close(Closer::OWN));
        }
        let mismatched =
            c.noise_or(MARK.role("closer of an argument under another name"), |c| {
                own_name(look, c)?;
                c.follow(false, |c| {
                    c.white()?;
                    one_of!(c; |c| param(c).map(|_| ()), |c| self.function_end(look, kind, c), |c| {
                        c.any(&self.t.close)
                    })
                })
            })?;
        if mismatched.is_some() {
            return Ok(InValue::Close(Closer::OWN.note(DiagnosticKind::MismatchedCloser)));
        }
        if !look.is.holds_closer {
            let over = c.noise_or(MARK.role(LOST_ARGUMENT), |c| {
                let start = c.pos;
                self.function_end(look, kind, c)?;
                let own = c.since(start).ends_with(END_FUNCTION);
                c.follow(false, |c| self.function_is_over(look, own, c))
            })?;
            if over.is_some() {
                return Ok(InValue::Close(Closer::BOTH));
            }
            let block = c.noise_or(MARK.role(LOST_ARGUMENT), |c| {
                c.any(&self.t.close)?;
                c.follow(false, |c| c.at_end())
            })?;
            if block.is_some() {
                return Ok(InValue::Close(Closer { scope: Scope::Section, ..Closer::BOTH }));
            }
        }
        if !look.is.suspected {
            let suspect = c.noise_or(Half::NONE.role("data that looks like a marker"), |c| {
                one_of!(c; |c| c.literal(END_PARAMETER), |c| self.function_end(look, kind, c))?;
                match c.ahead(|c| c.literal(END_PARAMETER)) {
                    Ok(()) => c.literal(END_PARAMETER),
                    _ => self.function_end(look, kind, c),
                }
            })?;
            if suspect.is_some() {
                return Ok(InValue::Suspect { doubtful: false });
            }
        }
        c.none()
    }

    /// Reads the closer of the open function.
    fn function_end(&self, look: &Look<'_>, kind: u8, c: &mut Cursor<'_>) -> Step<()> {
        match c.ahead(|c| c.literal(END_FUNCTION)) {
            Err(No) if kind == NAMED => named_end(look, c),
            _ => c.literal(END_FUNCTION),
        }
    }

    /// Reads the tag that confirms the closer of a value.
    fn after_value(&self, look: &Look<'_>, kind: u8, c: &mut Cursor<'_>) -> Step<()> {
        c.white()?;
        one_of!(c;
            |c| param(c).map(|_| ()),
            |c| self.function_end(look, kind, c),
            |c| c.any(&self.t.close),
            |c| self.block(look, c),
            |c| match look.is.in_section {
                true => {
                    head(look, c)?;
                    one_of!(c; tag_end, body)
                }
                false => bare(look, c),
            },
        )
    }

    /// Reads the text behind a function's closer that confirms it. `own`: the closer has no name. Behind a closer
    /// with a name, the closer of the block too would exceed the pending bytes.
    fn function_is_over(&self, look: &Look<'_>, own: bool, c: &mut Cursor<'_>) -> Step<()> {
        one_of!(c;
            |c| self.over(look, c),
            |c| {
                c.white()?;
                match look.is.in_section {
                    true => {
                        head(look, c)?;
                        one_of!(c; tag_end, body)
                    }
                    false => bare(look, c),
                }
            },
            |c| if own { self.block_is_over(look, c) } else { Err(No) },
        )
    }

    /// Reads the text that confirms the closer of a function, also behind the closer of the block.
    fn block_is_over(&self, look: &Look<'_>, c: &mut Cursor<'_>) -> Step<()> {
        one_of!(c;
            |c| c.or_end(|c| {
                c.white()?;
                c.any(&self.t.close)?;
                c.at_end()
            }),
            |c| {
                c.white()?;
                c.any(&self.t.close)?;
                one_of!(c; |c| self.over(look, c), |c| {
                    c.white()?;
                    bare(look, c)
                })
            },
        )
    }

    fn opener_in_function_value<'t>(
        &self,
        look: &Look<'_>,
        c: &mut Cursor<'t>,
    ) -> Step<InValue<'t>> {
        if look.line_start && !look.is.holds_closer {
            let next = c.noise_or(MARK.role(LOST_ARGUMENT), |c| {
                declared_param(look, c, false, |param| look.is_fresh(param))
            })?;
            if next.is_some() {
                return Ok(InValue::Close(Closer::BEFORE));
            }
        }
        if let Some(quotes) = self.quoted_call(look, c)? {
            return Ok(quotes);
        }
        if !look.is.suspected {
            let suspect = c.noise_or(Half::NONE.role("data that looks like a marker"), |c| {
                declared_param(look, c, true, |_| true)
            })?;
            if suspect.is_some() {
                return Ok(InValue::Suspect { doubtful: false });
            }
        }
        c.none()
    }

    /// In a value: the opener of a call of a declared tool.
    pub(super) fn quoted_call<'t>(
        &self,
        look: &Look<'_>,
        c: &mut Cursor<'t>,
    ) -> Step<Option<InValue<'t>>> {
        if look.is.doubtful {
            return Ok(None);
        }
        if self.t.keyed.is_some() {
            let keyed = c.noise_or(QUOTES, |c| self.quoted_keyed(look, c))?;
            if keyed.is_some() {
                return Ok(Some(InValue::Suspect { doubtful: true }));
            }
        }
        if self.t.functions {
            let function = c.noise_or(QUOTES, |c| {
                known_head(look, c)?;
                tag_end(c)?;
                c.follow(false, |c| {
                    one_of!(c; body, |c| {
                        c.white()?;
                        c.literal("{")?;
                        keyed::object_begins(c)
                    })
                })
            })?;
            if function.is_some() {
                return Ok(Some(InValue::Suspect { doubtful: true }));
            }
        }
        Ok(None)
    }
}

fn open_function<'t>(look: &Look<'_>, c: &mut Cursor<'t>) -> Step<(&'t str, u16)> {
    let found = head(look, c)?;
    c.follow(found.1 != UNKNOWN, body)?;
    Ok(found)
}

fn named_function<'t>(look: &Look<'_>, c: &mut Cursor<'t>) -> Step<(&'t str, u16)> {
    let found = named(look, c)?;
    c.follow(true, |c| {
        c.white()?;
        c.literal(PARAMETER)
    })?;
    Ok(found)
}

fn misnamed_function<'t>(look: &Look<'_>, c: &mut Cursor<'t>) -> Step<(&'t str, u16)> {
    let found = misnamed(look, c)?;
    c.follow(true, body)?;
    Ok(found)
}

/// `</NAME>`, of a function that `<NAME>` opened.
fn named_end(look: &Look<'_>, c: &mut Cursor<'_>) -> Step<()> {
    c.literal("</")?;
    c.literal(&look.call.captured.name)?;
    c.literal(">")
}

/// `</PARAM>`: the open parameter's own name as a closer.
pub(super) fn own_name(look: &Look<'_>, c: &mut Cursor<'_>) -> Step<()> {
    c.literal("</")?;
    c.literal(&look.call.captured.param)?;
    c.literal(">")
}
