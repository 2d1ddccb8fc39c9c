//! Values in tags with attributes. A closer is confirmed by the text behind it. If a closer is lost, the marker that
//! ends or opens a call shows it.
//!
//! | text in a value | meaning |
//! |---|---|
//! | its closer, if a parameter, a call or a closer follows | the end of the value |
//! | a closer with the parameter's own name, or with one wrong character, confirmed | the end of the value, reported |
//! | the closer of the call, confirmed | the end of value and call |
//! | in a dialect of tokens: the opener of the next call; of an argument that the call lacks | the end of value and call; of the value |
//! | anything else that looks like one of these | data, reported once a call |

use super::{Element, Known, MARK, Tagged, Texts};
use crate::event::DiagnosticKind;
use crate::family::Look;
use crate::one_of;
use crate::options::bounds;
use crate::read::act::{Closer, InValue, Scope};
use crate::read::cursor::{Class, Cursor, Half, No, Step, Way};

const ARGUMENT: Way = MARK.role("closer of an argument");
const RENAMED: Way = MARK.role("closer of an argument under another name");
const LOST: Way = MARK.role("lost closer of an argument");
const DATA: Way = Half::NONE.role("data that looks like a marker");

/// Reader of a misspelt closer, behind its `</`.
type Misspelling<'r> = &'r dyn Fn(&mut Cursor<'_>) -> Step<()>;

/// Returns the fixed part of the tokens that a tag begins with: `<｜DSML｜` of `<｜DSML｜parameter`. Signs alone
/// give none.
fn token_head(tag: &str) -> Option<&str> {
    let word = tag.trim_end_matches(|c: char| !c.is_alphanumeric());
    let head = word.trim_end_matches(|c: char| c.is_ascii_alphanumeric() || c == '_').trim_end();
    let head = if head.contains(char::is_alphanumeric) { head } else { word };
    (!head.is_empty()).then_some(head)
}

/// Returns the fixed parts of the tags of parameters, if tags are tokens.
pub(super) fn token_heads(t: &Texts) -> Vec<Box<str>> {
    let tags = t.param.iter().chain(&t.end_param).filter(|_| t.token);
    let end = t.token_ends[0].as_deref().unwrap_or(">");
    let mut heads: Vec<Box<str>> = tags
        .filter_map(|tag| token_head(tag.strip_suffix(end).unwrap_or(tag)))
        .map(Box::from)
        .collect();
    heads.sort();
    heads.dedup();
    heads
}

/// Returns the texts before the name in a closer with the parameter's name: `</`, or the fixed part of the
/// dialect's own.
pub(super) fn named_closers(t: &Texts) -> Vec<Box<str>> {
    if !t.is_xml() {
        return Vec::new();
    }
    let own = t.end_param.iter().filter_map(|close| token_head(close));
    let own = own.filter(|head| !head.ends_with(char::is_alphanumeric));
    let mut heads: Vec<Box<str>> = std::iter::once("</").chain(own).map(Box::from).collect();
    heads.dedup();
    heads
}

impl Tagged {
    /// Reads the text that may stand behind a value.
    pub(super) fn after_value(&self, look: &Look<'_>, c: &mut Cursor<'_>) -> Step<()> {
        c.white()?;
        one_of!(c;
            |c| self.any_param(c),
            |c| self.t.any(&self.t.end_call, c),
            |c| self.closer(c),
            |c| if self.has_sections() { self.next_call(look, c) } else { self.next_bare(look, c) },
            |c| {
                self.cut_call(c)?;
                self.after_cut(c)
            },
        )
    }

    /// Reads the text that may stand behind a malformed closer.
    pub(super) fn after_malformed(&self, closers: bool, c: &mut Cursor<'_>) -> Step<()> {
        c.white()?;
        one_of!(c;
            |c| self.any_param(c),
            |c| self.t.any(&self.t.end_call, c),
            |c| if closers { self.closer(c) } else { Err(No) },
        )
    }

    /// Reads the value's own closer, with the quote before it.
    fn own_closer(&self, quoted: bool, c: &mut Cursor<'_>) -> Step<()> {
        if let (true, Some([_, close])) = (quoted, &self.t.quotes) {
            c.literal(close)?;
            c.white()?;
        }
        self.t.any(&self.t.end_param, c)
    }

    /// In a value between its tags.
    pub(super) fn in_plain<'t>(
        &self,
        look: &Look<'_>,
        quoted: bool,
        c: &mut Cursor<'t>,
    ) -> Step<InValue<'t>> {
        let own = c.way(ARGUMENT, |c| {
            self.own_closer(quoted, c)?;
            c.is_own_closer();
            c.follow(true, |c| self.after_value(look, c))
        })?;
        if own.is_some() {
            return Ok(InValue::Close(Closer::OWN));
        }
        if !quoted {
            if let Some(closer) = self.malformed_closer(look, c)? {
                return Ok(InValue::Close(closer));
            }
            if let Some(closer) = self.lost_closer(look, c)? {
                return Ok(InValue::Close(closer));
            }
        }
        self.lost(look, Some(quoted), c)
    }

    /// Reads the value's closer with another name, or misspelt.
    fn malformed_closer(&self, look: &Look<'_>, c: &mut Cursor<'_>) -> Step<Option<Closer>> {
        for head in &self.named {
            let named = c.noise_or(RENAMED, |c| {
                c.literal(head)?;
                c.literal(&look.call.captured.param)?;
                c.literal(">")?;
                c.follow(false, |c| self.after_malformed(self.t.token, c))
            })?;
            if named.is_some() {
                return Ok(Some(Closer::OWN.note(DiagnosticKind::MismatchedCloser)));
            }
        }
        if !self.t.misspelt {
            return Ok(None);
        }
        for close in &self.t.end_param {
            let Some(rest) = close.strip_prefix("</") else { continue };
            let inner = rest.strip_suffix('>').unwrap_or(rest);
            let near = |c: &mut Cursor<'_>| c.near(rest);
            let open = |c: &mut Cursor<'_>| c.literal(inner);
            let other = |c: &mut Cursor<'_>| {
                c.literal(inner)?;
                c.one_but(b"> \t\r\n")
            };
            let ways: [Misspelling<'_>; 3] = [&near, &open, &other];
            for way in ways {
                let misspelt = c.noise_or(ARGUMENT, |c| {
                    c.literal("</")?;
                    way(c)?;
                    c.follow(false, |c| self.after_malformed(false, c))
                })?;
                if misspelt.is_some() {
                    return Ok(Some(Closer::OWN.note(DiagnosticKind::MalformedTag)));
                }
            }
        }
        Ok(None)
    }

    /// Reads the closer of the call, if the value's own was forgotten: the text behind it shows that the call
    /// is over.
    pub(super) fn lost_closer(&self, look: &Look<'_>, c: &mut Cursor<'_>) -> Step<Option<Closer>> {
        if look.is.holds_closer {
            return Ok(None);
        }
        let both = c.noise_or(LOST, |c| {
            self.t.any(&self.t.end_call, c)?;
            c.follow(false, |c| self.is_over(look, c))
        })?;
        Ok(both.map(|()| Closer::BOTH))
    }

    fn is_over(&self, look: &Look<'_>, c: &mut Cursor<'_>) -> Step<()> {
        let stops = |c: &mut Cursor<'_>| c.any(&self.t.stops);
        let next = |c: &mut Cursor<'_>| one_of!(c; stops, |c| self.next_section(c));
        let ends_behind = |c: &mut Cursor<'_>, close: &dyn Fn(&mut Cursor<'_>) -> Step<()>| {
            c.or_end(|c| {
                c.white()?;
                close(c)?;
                c.at_end()
            })
        };
        let both = |c: &mut Cursor<'_>| {
            self.lead_end(c)?;
            c.white()?;
            self.t.any(&self.t.close, c)
        };
        one_of!(c;
            |c| c.at_end(),
            |c| ends_behind(c, &|c| self.lead_end(c)),
            |c| ends_behind(c, &|c| self.t.any(&self.t.close, c)),
            |c| if self.t.lead.is_some() { ends_behind(c, &both) } else { Err(No) },
            |c| {
                c.white()?;
                one_of!(c;
                    next,
                    |c| self.next(look, c),
                    |c| {
                        self.closer(c)?;
                        c.white()?;
                        one_of!(c; next, |c| self.next_bare(look, c))
                    },
                    |c| {
                        both(c)?;
                        c.white()?;
                        next(c)
                    },
                    |c| match look.is.in_section {
                        true => {
                            self.lead_end(c)?;
                            c.white()?;
                            self.next_call(look, c)
                        }
                        false => Err(No),
                    },
                )
            },
        )
    }

    /// In a value: reads markers which show that the closers of the value and of its call are lost, and data that
    /// looks like them. `own`: the value has closers of its own, in quotes or not.
    fn lost<'t>(
        &self,
        look: &Look<'_>,
        own: Option<bool>,
        c: &mut Cursor<'t>,
    ) -> Step<InValue<'t>> {
        if self.t.token {
            return self.lost_in_tokens(look, own, c);
        }
        let quotes = !look.is.doubtful
            && c.noise_or(DATA, |c| {
                self.t.open_tag(look, c, Known::Tool(&look.tools.names))?;
                c.follow(false, |c| {
                    c.white()?;
                    self.body(c)
                })
            })?
            .is_some();
        if quotes {
            return Ok(InValue::Suspect { doubtful: true });
        }
        if look.is.suspected {
            return c.none();
        }
        let params = look.tools.params(look.call.tool);
        let data = match own {
            Some(quoted) => c.noise_or(DATA, |c| self.own_closer(quoted, c))?.is_some(),
            None => false,
        };
        let data = data
            || c.noise_or(DATA, |c| self.t.any(&self.t.end_call, c))?.is_some()
            || c.noise_or(DATA, |c| {
                self.t.param_tag(c, Known::Param(params, &|_| true)).map(|_| ())
            })?
            .is_some()
            || self.quote_in_value(own, c)?;
        if data { Ok(InValue::Suspect { doubtful: false }) } else { c.none() }
    }

    /// Reads a quote in a value that has no quotes, or has two.
    fn quote_in_value(&self, own: Option<bool>, c: &mut Cursor<'_>) -> Step<bool> {
        let (Some([open, close]), Some(quoted)) = (&self.t.quotes, own) else { return Ok(false) };
        let opens = c.noise_or(DATA, |c| c.literal(open))?.is_some();
        Ok(opens || !quoted && c.noise_or(DATA, |c| c.literal(close))?.is_some())
    }

    fn lost_in_tokens<'t>(
        &self,
        look: &Look<'_>,
        own: Option<bool>,
        c: &mut Cursor<'t>,
    ) -> Step<InValue<'t>> {
        let start = *c;
        let broken = Closer { before: true, broken: true, ..Closer::BOTH };
        let known = if look.is.in_section { Known::Any } else { self.bare_tools(look) };
        let next = c.noise_or(LOST, |c| {
            self.opener(look, c, known)?;
            c.follow(false, |c| {
                c.white()?;
                self.body(c)
            })
        })?;
        if next.is_some() {
            *c = start;
            return Ok(InValue::Close(broken));
        }
        let section = self.has_sections()
            && c.noise_or(LOST, |c| {
                self.t.any(&self.t.open, c)?;
                c.follow(false, |c| {
                    c.white()?;
                    self.section_begins(c)
                })
            })?
            .is_some();
        if section {
            *c = start;
            return Ok(InValue::Close(Closer { scope: Scope::Section, ..broken }));
        }
        let params = look.tools.params(look.call.tool);
        let fresh = |param: u16| look.is_fresh(param);
        let param =
            c.noise_or(LOST, |c| self.t.param_tag(c, Known::Param(params, &fresh)).map(|_| ()))?;
        if param.is_some() {
            *c = start;
            return Ok(InValue::Close(Closer::BEFORE));
        }
        let end = c.noise_or(LOST, |c| match &self.t.lead {
            Some(_) => self.lead_end(c),
            None => self.t.any(&self.t.end_call, c),
        })?;
        if end.is_some() {
            return Ok(InValue::Close(Closer { broken: true, ..Closer::BOTH }));
        }
        if look.is.suspected {
            return c.none();
        }
        let data = c.noise_or(DATA, |c| c.any(&self.heads))?.is_some()
            || self.data_in_tokens(own, c)?
            || c.noise_or(DATA, |c| {
                self.t.param_tag(c, Known::Param(params, &|_| true)).map(|_| ())
            })?
            .is_some();
        if data { Ok(InValue::Suspect { doubtful: true }) } else { c.none() }
    }

    /// Reads closers that do not begin like the tags of parameters.
    fn data_in_tokens(&self, own: Option<bool>, c: &mut Cursor<'_>) -> Step<bool> {
        let closer = match own {
            Some(quoted) => c.noise_or(DATA, |c| self.own_closer(quoted, c))?.is_some(),
            None => false,
        };
        let lead = self.t.lead.is_some();
        Ok(closer || lead && c.noise_or(DATA, |c| self.t.any(&self.t.end_call, c))?.is_some())
    }

    /// In a value that is an element with a type: its closer counts outside all elements that nest in it, or if
    /// the call is over behind it.
    pub(super) fn in_element<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<InValue<'t>> {
        let Element { head: open, close, .. } = self.t.element.as_ref().ok_or(No)?;
        let nested = look.call.is_nested();
        let closer = |c: &mut Cursor<'_>| {
            c.literal(close)?;
            c.white()?;
            c.literal(">")
        };
        if !nested {
            let own = c.way(ARGUMENT, |c| {
                closer(c)?;
                c.is_own_closer();
                c.follow(true, |c| self.after_value(look, c))
            })?;
            if own.is_some() {
                return Ok(InValue::Close(Closer::OWN));
            }
        } else if !look.is.holds_closer {
            // The closers of elements in the value were forgotten.
            let both = c.noise_or(LOST, |c| {
                closer(c)?;
                c.white()?;
                self.t.any(&self.t.end_call, c)?;
                c.follow(false, |c| self.element_is_over(look, c))
            })?;
            if both.is_some() {
                return Ok(InValue::Close(Closer::BOTH));
            }
        }
        if let Some(closer) = self.lost_closer(look, c)? {
            return Ok(InValue::Close(closer));
        }
        let opens = c.noise_or(DATA, |c| {
            c.literal(open)?;
            c.byte_of(b" \t\r\n")?;
            c.run(Class::Rest, 0, bounds::TAG)?;
            c.literal(">")
        })?;
        if opens.is_some() {
            return Ok(InValue::Nests { name: "", suspect: false });
        }
        if nested && c.noise_or(DATA, closer)?.is_some() {
            return Ok(InValue::Unnests);
        }
        self.lost(look, None, c)
    }

    fn element_is_over(&self, look: &Look<'_>, c: &mut Cursor<'_>) -> Step<()> {
        one_of!(c; |c| c.at_end(), |c| {
            c.white()?;
            one_of!(c; |c| self.closer(c), |c| self.next_call(look, c))
        })
    }
}
