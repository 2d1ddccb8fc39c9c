//! Keys and values, as in `glm`.
//!
//! ```text
//! keyed := NAME ws ( KEY0 key KEY1 junk VALUE0 value VALUE1 ws )*  |  NAME ws object
//! ```
//! Models forget openers under load. Where the tags are no special tokens, three mistakes are repaired. A declared key
//! may lack its opener (`NAME ws key ws KEY1`, with nothing between the names). Of two openers the second is the key's.
//! A value may lack its opener if its closer is the first tag that comes.

use super::functions::{bare, end_of, own_name};
use super::objects::behind_object;
use super::{A_CALL, ARGUMENT, BARE, Block, KEYED, LOST_ARGUMENT, MARK, WHOLE};
use crate::event::DiagnosticKind;
use crate::family::Look;
use crate::one_of;
use crate::options::bounds;
use crate::read::act::{Closer, InCall, InSection, InValue, Opener, Place, Scope};
use crate::read::cursor::{Class, Cursor, Half, More, No, Step, Way};
use crate::read::ids::UNKNOWN;

const MALFORMED: DiagnosticKind = DiagnosticKind::MalformedTag;
const NAME: &str = "name of an argument";
const VALUE: &str = "opener of an argument";
const DATA: Way = Half::NONE.role("data that looks like a marker");
/// The bytes in which the closer of a value without its opener must come.
const FORGOTTEN: usize = 256;
/// The least bytes of a closer's name in one that is cut short.
const CUT: usize = 4;

/// The tags around a key, and around its value. The closer of the key may be the opener of the value.
#[derive(Clone, Debug, Default)]
pub(crate) struct Keys {
    pub key: [Box<str>; 2],
    pub value: [Box<str>; 2],
}

/// Reads the text behind the brace of an object with all arguments.
pub(super) fn object_begins(c: &mut Cursor<'_>) -> Step<()> {
    c.white()?;
    c.byte_of(b"\"}").map(|_| ())
}

fn object(c: &mut Cursor<'_>) -> Step<()> {
    c.literal("{")?;
    object_begins(c)
}

impl Block {
    /// Returns the keys of the dialect, if their openers may be missing.
    pub(super) fn forgiving(&self) -> Option<&Keys> {
        self.t.keyed.as_ref().filter(|_| !self.t.token)
    }

    /// Reads the beginning of a keyed body. `known`: at the end of the stream the name of a declared tool is
    /// enough.
    pub(super) fn keyed_begins(
        &self,
        look: &Look<'_>,
        c: &mut Cursor<'_>,
        known: bool,
    ) -> Step<()> {
        let Some(keys) = &self.t.keyed else { return Err(No) };
        one_of!(c;
            |c| {
                let name = c.name(Class::Name, false)?;
                let tool = look.tools.number([name, ""]);
                let none = tool != UNKNOWN || look.tools.names.is_empty();
                end_of(known && tool != UNKNOWN, c, |c| {
                    c.white()?;
                    one_of!(c; |c| c.literal(&keys.key[0]), object, |c| match none {
                        true => c.any(&self.t.close),
                        false => Err(No),
                    })
                })
            },
            |c| {
                c.known(&look.tools.names, false, None)?;
                end_of(known, c, |c| {
                    c.white()?;
                    c.literal(&keys.value[1])?;
                    c.white()?;
                    one_of!(c; |c| c.any(&self.t.close), |c| c.any(&self.t.open))
                })
            },
            |c| self.glued(look, c).map(|_| ()),
        )
    }

    /// Reads the opener of a keyed call, behind the opener of its block.
    pub(super) fn keyed_opener<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<Opener<'t>> {
        let Some(keys) = &self.t.keyed else { return Err(No) };
        let opener = Opener::new(Place::Call(KEYED));
        let named = |c: &mut Cursor<'t>| {
            let name = c.name(Class::Name, false)?;
            let tool = look.tools.number([name, ""]);
            let none = tool != UNKNOWN || look.tools.names.is_empty();
            c.follow(tool != UNKNOWN, |c| {
                c.white()?;
                one_of!(c; |c| c.literal(&keys.key[0]), object, |c| match none {
                    true => one_of!(c; |c| c.any(&self.t.close), |c| {
                        self.cut_closer(c)?;
                        self.after_cut(c)
                    }),
                    false => Err(No),
                })
            })?;
            Ok(opener.named(name, tool))
        };
        // The well-formed opener wins over every repair below.
        if let Some(opener) = c.way(super::OPENER.role(A_CALL), named)? {
            return Ok(opener);
        }
        let stray = |c: &mut Cursor<'t>| {
            let (name, tool) = c.known(&look.tools.names, false, None)?;
            c.white()?;
            c.literal(&keys.value[1])?;
            c.follow(true, |c| {
                c.white()?;
                one_of!(c; |c| c.any(&self.t.close), |c| c.any(&self.t.open))
            })?;
            Ok(opener.named(name, tool).note(MALFORMED))
        };
        if let Some(opener) = c.way(super::OPENER.role(A_CALL), stray)? {
            return Ok(opener);
        }
        // Half of that closer at the end of the stream: the name is whole.
        let half = |c: &mut Cursor<'t>| {
            let (name, tool) = c.known(&look.tools.names, false, None)?;
            c.follow(true, |c| {
                c.white()?;
                c.literal(&keys.value[1])?;
                c.white()?;
                c.any(&self.t.close)
            })?;
            Ok(opener.named(name, tool))
        };
        if let Some(opener) = c.way(super::OPENER.role(A_CALL), half)? {
            return Ok(opener);
        }
        match c.way(super::OPENER.role(A_CALL), |c| self.glued(look, c))? {
            Some((name, tool)) => Ok(opener.named(name, tool)),
            None => c.none(),
        }
    }

    /// Reads a declared tool, and right behind it a declared key without its opener.
    fn glued<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<(&'t str, u16)> {
        let keys = self.forgiving().ok_or(No)?;
        let (start, mut stuck) = (*c, No);
        let names = &look.tools.names;
        if names.along(c.rest(), None).0 == c.rest().len() && names.has_beginning(c.rest()) {
            stuck = More;
        }
        // Several declared names may begin here (`read`, `read_file`): the key behind the name decides.
        for (name, tool) in names.all_in(start.rest()) {
            let end = start.pos + name.len();
            let key = start.ahead(|c| {
                c.pos = end;
                c.follow(false, |c| {
                    c.white()?;
                    c.known(look.tools.params(tool), false, None)?;
                    c.white()?;
                    c.literal(&keys.key[1])
                })
            });
            match key {
                Ok(()) => {
                    c.pos = end;
                    return Ok((c.since(start.pos), tool));
                }
                Err(More) => stuck = More,
                Err(No) => {}
            }
        }
        if stuck == More { c.more() } else { Err(No) }
    }

    /// Reads a closer of a keyed call that is cut short.
    fn cut_closer(&self, c: &mut Cursor<'_>) -> Step<()> {
        self.forgiving().ok_or(No)?;
        let close = self.t.close.first().ok_or(No)?;
        let inner = close.strip_prefix("</").and_then(|rest| rest.strip_suffix('>')).ok_or(No)?;
        c.literal("</")?;
        let come = c.rest();
        let same = come.bytes().zip(inner.bytes()).take_while(|(a, b)| a == b).count();
        if same == come.len() && same < inner.len() {
            return c.more();
        }
        if !(CUT..inner.len()).contains(&same) {
            return Err(No);
        }
        c.pos += same;
        c.literal(">")
    }

    /// Reads the text that confirms a cut call: the end of the stream, the opener of the next block, or a stop token.
    fn after_cut(&self, c: &mut Cursor<'_>) -> Step<()> {
        one_of!(c; |c| c.at_end(), |c| {
            c.white()?;
            one_of!(c; |c| c.any(&self.t.open), |c| c.any(&self.t.stops))
        })
    }

    /// Reads the opener of a keyed call of a declared tool, in a value.
    pub(super) fn quoted_keyed(&self, look: &Look<'_>, c: &mut Cursor<'_>) -> Step<()> {
        let keys = self.t.keyed.as_ref().ok_or(No)?;
        c.any(&self.t.open)?;
        c.white()?;
        c.known(&look.tools.names, false, None)?;
        c.follow(false, |c| {
            c.white()?;
            one_of!(c; |c| c.literal(&keys.key[0]), object, |c| c.any(&self.t.close))
        })
    }

    /// Behind an object with all arguments of a keyed call.
    pub(super) fn behind_keyed_object<'t>(
        &self,
        c: &mut Cursor<'t>,
    ) -> Step<Option<InSection<'t>>> {
        if let Some(found) = behind_object(c)? {
            return Ok(Some(found));
        }
        let close = c.way(WHOLE, |c| c.any(&self.t.close))?;
        Ok(close.map(|()| InSection::Close(None)))
    }

    // Between keys.

    pub(super) fn between_keys<'t>(
        &self,
        look: &Look<'_>,
        c: &mut Cursor<'t>,
    ) -> Step<Option<InCall<'t>>> {
        let Some(keys) = &self.t.keyed else { return Ok(None) };
        if self.forgiving().is_some() {
            if let Some(found) = self.forgotten_openers(keys, c)? {
                return Ok(Some(found));
            }
        } else if let Some(name) = c.way(WHOLE.role(NAME), |c| self.key(keys, c))? {
            return Ok(Some(InCall::Key { name, hint: None, note: None, broken: false }));
        }
        match c.bytes().first() {
            Some(b'{') if look.is.call_start => {
                let object = c.way(WHOLE, |c| {
                    c.literal("{")?;
                    c.follow(false, object_begins)
                })?;
                return Ok(object.map(|()| InCall::Object(KEYED)));
            }
            Some(b'<') => {}
            _ => return Ok(None),
        }
        if let Some(found) = self.no_key(look, keys, c)? {
            return Ok(Some(found));
        }
        if c.way(WHOLE, |c| c.any(&self.t.close))?.is_some() {
            return Ok(Some(InCall::Close { scope: Scope::Call, note: None, before: false }));
        }
        let cut = c.noise_or(WHOLE, |c| {
            self.cut_closer(c)?;
            c.follow(false, |c| self.after_cut(c))
        })?;
        let note = Some(MALFORMED);
        Ok(cut.map(|()| InCall::Close { scope: Scope::Call, note, before: false }))
    }

    /// Reads a key between its tags. If one text ends the key and begins the value, the value's opener is
    /// left.
    fn key<'t>(&self, keys: &Keys, c: &mut Cursor<'t>) -> Step<&'t str> {
        c.literal(&keys.key[0])?;
        let name = c.name(Class::NoTag, false)?;
        self.key_ends(keys, c)?;
        Ok(name)
    }

    fn key_ends(&self, keys: &Keys, c: &mut Cursor<'_>) -> Step<()> {
        match keys.key[1] == keys.value[0] {
            true => c.follow(false, |c| c.literal(&keys.key[1])),
            false => c.literal(&keys.key[1]),
        }
    }

    /// Reads a malformed key, or the opener of a value. The key is no key, but it waits for its value, so that quotes
    /// in the value do not count.
    fn no_key<'t>(
        &self,
        look: &Look<'_>,
        keys: &Keys,
        c: &mut Cursor<'t>,
    ) -> Step<Option<InCall<'t>>> {
        let none = InCall::Key { name: "", hint: None, note: Some(MALFORMED), broken: true };
        let text = |c: &mut Cursor<'t>| {
            c.literal(&keys.key[0])?;
            c.run(Class::NoTag, 0, bounds::NAME).map(|_| ())
        };
        let closed = c.way(WHOLE, |c| {
            text(c)?;
            self.key_ends(keys, c)
        })?;
        if closed.is_some()
            || c.noise_or(WHOLE, text)?.is_some()
            || c.noise_or(WHOLE, |c| c.literal(&keys.key[0]))?.is_some()
        {
            return Ok(Some(none));
        }
        // A value without a key before it belongs to no argument.
        if !look.is.named {
            return Ok(None);
        }
        let doubled = c.noise_or(WHOLE, |c| {
            c.literal(&keys.value[0])?;
            c.literal(&keys.value[0])
        })?;
        let note = doubled.map(|()| MALFORMED);
        let opens =
            note.is_some() || c.way(WHOLE.role(VALUE), |c| c.literal(&keys.value[0]))?.is_some();
        Ok(opens.then_some(InCall::Value { kind: KEYED, note, before: false }))
    }

    /// Reads a key or a value without its opener, or with one too many. A line break behind a key is no part
    /// of the value.
    fn forgotten_openers<'t>(&self, keys: &Keys, c: &mut Cursor<'t>) -> Step<Option<InCall<'t>>> {
        let found = |name: &'t str, note| InCall::Key { name, hint: None, note, broken: false };
        let doubled = |c: &mut Cursor<'t>| {
            c.literal(&keys.key[0])?;
            c.white()?;
            self.key(keys, c)
        };
        if let Some(name) = c.way(WHOLE.role(NAME), |c| with_line_break(c, doubled))? {
            return Ok(Some(found(name, Some(MALFORMED))));
        }
        if let Some(name) =
            c.way(WHOLE.role(NAME), |c| with_line_break(c, |c| self.key(keys, c)))?
        {
            return Ok(Some(found(name, None)));
        }
        Ok(None)
    }

    /// Reads a key or a value without its opener, right behind the opener of the call or behind a key.
    pub(super) fn lost_opener<'t>(
        &self,
        look: &Look<'_>,
        keys: &Keys,
        c: &mut Cursor<'t>,
    ) -> Step<InCall<'t>> {
        let found = |name: &'t str, note| InCall::Key { name, hint: None, note, broken: false };
        if !look.is.named {
            let bare = |c: &mut Cursor<'t>| {
                c.white()?;
                let params = look.tools.params(look.call.tool);
                let (name, _) = c.known(params, false, Some(&|param| look.is_fresh(param)))?;
                c.white()?;
                c.literal(&keys.key[1])?;
                Ok(name)
            };
            let name = c.noise_or(WHOLE.role(NAME), |c| with_line_break(c, bare))?;
            return match name {
                Some(name) => Ok(found(name, Some(MALFORMED))),
                None => c.none(),
            };
        }
        let again = |c: &mut Cursor<'t>| {
            c.white()?;
            c.literal(&keys.key[1])
        };
        if c.noise(|c| with_line_break(c, again))?.is_some() {
            return Ok(InCall::Stray(DiagnosticKind::StrayText));
        }
        match c.way(WHOLE.role(VALUE), |c| c.ahead(|c| self.bare_value(keys, c)))? {
            Some(()) => Ok(InCall::Value { kind: BARE, note: Some(MALFORMED), before: true }),
            None => c.none(),
        }
    }

    /// Reads the beginning of a value without its opener: its closer is the first tag of the call that comes,
    /// or none comes soon.
    fn bare_value(&self, keys: &Keys, c: &mut Cursor<'_>) -> Step<()> {
        // Most values have their opener.
        if !c.ended() {
            match c.ahead(|c| c.literal(&keys.value[0])) {
                Err(No) => {}
                Ok(()) => return Err(No),
                Err(More) => return Err(More),
            }
        }
        let others = [&*keys.value[0], &*keys.key[0]];
        let others = others.into_iter().chain(self.t.close.iter().map(|close| &**close));
        let rest = c.rest();
        let near = &rest.as_bytes()[..rest.len().min(FORGOTTEN)];
        let end_of = |text: &str| {
            let mut all = memchr::memmem::find_iter(near, text.as_bytes());
            let counts = |at: &usize| c.is_as_it_came(text.as_bytes(), c.pos + at);
            all.find(counts).map(|at| at + text.len())
        };
        let own = end_of(&keys.value[1]);
        let other = others.filter_map(end_of).min();
        match (own, other) {
            (Some(own), Some(other)) if own > other => Err(No),
            (None, Some(_)) => Err(No),
            (Some(_), _) => Ok(()),
            // So much text without any tag can only be a value: keys and their tags are shorter.
            (None, None) if rest.len() >= FORGOTTEN => Ok(()),
            (None, None) if c.ended() => Ok(()),
            (None, None) => c.more(),
        }
    }

    // In values.

    pub(super) fn in_keyed_value<'t>(
        &self,
        look: &Look<'_>,
        c: &mut Cursor<'t>,
    ) -> Step<InValue<'t>> {
        let Some(keys) = &self.t.keyed else { return Err(No) };
        if c.way(MARK.role(ARGUMENT), |c| self.own_closer(look, keys, c))?.is_some() {
            return Ok(InValue::Close(Closer::OWN));
        }
        if !look.is.holds_closer {
            let both = c.noise_or(MARK.role(LOST_ARGUMENT), |c| {
                c.any(&self.t.close)?;
                c.follow(false, |c| {
                    one_of!(c; |c| self.over(look, c), |c| {
                        c.white()?;
                        if self.t.functions { bare(look, c) } else { Err(No) }
                    })
                })
            })?;
            if both.is_some() {
                return Ok(InValue::Close(Closer::BOTH));
            }
        }
        match self.t.token {
            true => self.lost_in_tokens(look, keys, c),
            false => self.lost_in_tags(look, keys, c),
        }
    }

    /// Reads the value's own closer, and the text behind it that confirms it.
    fn own_closer(&self, look: &Look<'_>, keys: &Keys, c: &mut Cursor<'_>) -> Step<()> {
        let _ = look;
        c.literal(&keys.value[1])?;
        c.is_own_closer();
        c.follow(true, |c| {
            c.white()?;
            one_of!(c;
                |c| c.literal(&keys.key[0]),
                |c| c.any(&self.t.close),
                |c| c.any(&self.t.open),
                |c| {
                    self.cut_closer(c)?;
                    self.after_cut(c)
                },
            )
        })
    }

    /// Reads the closer of a value before a key that the call lacks, and that lacks its opener.
    fn closer_before_key(&self, look: &Look<'_>, keys: &Keys, c: &mut Cursor<'_>) -> Step<()> {
        c.literal(&keys.value[1])?;
        c.is_own_closer();
        c.follow(true, |c| {
            c.white()?;
            let params = look.tools.params(look.call.tool);
            c.known(params, false, Some(&|param| look.is_fresh(param)))?;
            c.white()?;
            c.literal(&keys.key[1])
        })
    }

    /// Reads a key of the tool that fits, between its tags.
    fn key_that(
        &self,
        look: &Look<'_>,
        keys: &Keys,
        c: &mut Cursor<'_>,
        fits: impl Fn(u16) -> bool,
    ) -> Step<()> {
        c.literal(&keys.key[0])?;
        c.white()?;
        c.known(look.tools.params(look.call.tool), false, Some(&fits))?;
        c.white()?;
        c.literal(&keys.key[1])
    }

    fn lost_in_tags<'t>(
        &self,
        look: &Look<'_>,
        keys: &Keys,
        c: &mut Cursor<'t>,
    ) -> Step<InValue<'t>> {
        let own_name = c.noise_or(MARK.role("closer of an argument under another name"), |c| {
            own_name(look, c)?;
            c.follow(false, |c| {
                c.white()?;
                one_of!(c; |c| c.literal(&keys.key[0]), |c| c.any(&self.t.close))
            })
        })?;
        if own_name.is_some() {
            return Ok(InValue::Close(Closer::OWN.note(DiagnosticKind::MismatchedCloser)));
        }
        if c.way(MARK.role(ARGUMENT), |c| self.closer_before_key(look, keys, c))?.is_some() {
            return Ok(InValue::Close(Closer { then: Some(KEYED), ..Closer::OWN }));
        }
        if let Some(quotes) = self.quoted_call(look, c)? {
            return Ok(quotes);
        }
        if !look.is.suspected {
            let suspect = c.noise_or(DATA, |c| c.literal(&keys.value[1]))?.is_some()
                || c.noise_or(DATA, |c| c.any(&self.t.close))?.is_some()
                || c.noise_or(DATA, |c| self.key_that(look, keys, c, |_| true))?.is_some();
            if suspect {
                return Ok(InValue::Suspect { doubtful: false });
            }
        }
        c.none()
    }

    /// In a dialect of special tokens: a value whose closer is lost, and data that looks like tokens.
    fn lost_in_tokens<'t>(
        &self,
        look: &Look<'_>,
        keys: &Keys,
        c: &mut Cursor<'t>,
    ) -> Step<InValue<'t>> {
        let start = *c;
        let both = c.noise_or(MARK.role(LOST_ARGUMENT), |c| {
            c.any(&self.t.open)?;
            c.follow(false, |c| {
                c.white()?;
                one_of!(c; |c| self.body_begins(look, c, false), |c| self.block(look, c))
            })
        })?;
        if both.is_some() {
            *c = start;
            let broken =
                Closer { scope: Scope::Section, before: true, broken: true, ..Closer::BOTH };
            return Ok(InValue::Close(broken));
        }
        let next = c.noise_or(MARK.role(LOST_ARGUMENT), |c| {
            // Only a key that the call still lacks: a repeated one is more likely a quotation in the value.
            self.key_that(look, keys, c, |param| look.is_fresh(param))?;
            if keys.key[1] == keys.value[0] {
                return Ok(());
            }
            c.white()?;
            c.literal(&keys.value[0])
        })?;
        if next.is_some() {
            *c = start;
            return Ok(InValue::Close(Closer::BEFORE));
        }
        if c.noise_or(MARK, |c| c.any(&self.t.close))?.is_some() {
            return Ok(InValue::Close(Closer { broken: true, ..Closer::BOTH }));
        }
        if !look.is.suspected && c.noise_or(DATA, |c| c.any(&self.heads))?.is_some() {
            return Ok(InValue::Suspect { doubtful: true });
        }
        c.none()
    }

    /// In a value without its opener: a tag other than its closer shows that it was a key without a value.
    pub(super) fn in_bare_value<'t>(
        &self,
        look: &Look<'_>,
        c: &mut Cursor<'t>,
    ) -> Step<InValue<'t>> {
        let Some(keys) = &self.t.keyed else { return Err(No) };
        if c.way(MARK.role(ARGUMENT), |c| self.own_closer(look, keys, c))?.is_some() {
            return Ok(InValue::Close(Closer::OWN));
        }
        if c.way(MARK.role(ARGUMENT), |c| self.closer_before_key(look, keys, c))?.is_some() {
            return Ok(InValue::Close(Closer { then: Some(KEYED), ..Closer::OWN }));
        }
        let start = *c;
        let none = c.way(MARK, |c| c.literal(&keys.value[0]))?.is_some()
            || c.way(MARK, |c| c.literal(&keys.key[0]))?.is_some()
            || c.way(MARK, |c| c.any(&self.t.close))?.is_some()
            || c.noise_or(MARK, |c| {
                c.any(&self.t.open)?;
                c.follow(false, |c| {
                    c.white()?;
                    one_of!(c; |c| self.body_begins(look, c, false), |c| self.block(look, c))
                })
            })?
            .is_some();
        if none {
            *c = start;
            let none = Closer { broken: true, ..Closer::BEFORE };
            return Ok(InValue::Close(none.note(MALFORMED)));
        }
        let suspect =
            !look.is.suspected && c.noise_or(DATA, |c| c.literal(&keys.value[1]))?.is_some();
        if suspect { Ok(InValue::Suspect { doubtful: false }) } else { c.none() }
    }
}

/// Reads a marker, and the line break behind it, if there is one.
fn with_line_break<'t, T>(
    c: &mut Cursor<'t>,
    read: impl FnOnce(&mut Cursor<'t>) -> Step<T>,
) -> Step<T> {
    let found = read(c)?;
    c.maybe_line_break()?;
    Ok(found)
}
