//! The line that names a tool, and steps without one.
//!
//! ```text
//! step := "Action:" ws name-line
//! name-line := NAME [note] line-end | NAME "[" | NAME "(" blanks before "{" | "None" …
//! ```
//! A name that is not declared counts if an input follows. A step without a name is a step without a call, if an input
//! follows. If a chunk ends in the line, the line is pending, up to 256 bytes. If the stream ends there, a declared
//! name counts.

use super::line::{Found, Keyword};
use super::tool_name;
use super::{AT_BRACE, AT_BRACKET, CUT_NAME, KEYWORD, NAMED, React};
use crate::event::DiagnosticKind;
use crate::family::Look;
use crate::options::bounds;
use crate::read::act::{InText, Opener, Place, THOUGHT};
use crate::read::cursor::{Class, Cursor, More, No, Step};
use crate::read::wait::Wait;

/// The meaning of a step.
#[derive(Clone, Copy, Debug)]
enum Said<'t> {
    /// A call of a tool. `kind`: the next part.
    Call {
        name: &'t str,
        kind: u8,
    },
    NoCall,
    /// An input, but no tool.
    Missing,
}

impl React {
    /// Reads a step in text, behind its colon.
    pub(super) fn step_in_text<'t>(
        &self,
        look: &Look<'_>,
        keyword: Found<'_>,
        c: &mut Cursor<'t>,
    ) -> Step<InText<'t>> {
        Ok(match self.step(look, keyword, c)? {
            Said::Call { name, kind } => {
                let tool = look.tools.number([name, ""]);
                InText::Open(Opener::new(Place::Call(kind)).named(name, tool))
            }
            Said::NoCall => InText::NoCall(DiagnosticKind::NoAction),
            Said::Missing => InText::NoCall(DiagnosticKind::MissingActionName),
        })
    }

    /// Reads a step in reasoning: only a call counts there.
    pub(super) fn step_in_reasoning<'t>(
        &self,
        look: &Look<'_>,
        c: &mut Cursor<'t>,
    ) -> Step<InText<'t>> {
        let step = c.noise_or(KEYWORD, |c| {
            let keyword = self.keyword(look, |of| of == Keyword::Action, c)?;
            self.step_in_text(look, keyword, c)
        })?;
        match step {
            Some(act @ InText::Open(_)) => Ok(act),
            _ => c.none(),
        }
    }

    /// Reads any step, behind its colon.
    pub(super) fn any_step(
        &self,
        look: &Look<'_>,
        keyword: Found<'_>,
        c: &mut Cursor<'_>,
    ) -> Step<()> {
        self.step(look, keyword, c).map(|_| ())
    }

    fn step<'t>(&self, look: &Look<'_>, keyword: Found<'_>, c: &mut Cursor<'t>) -> Step<Said<'t>> {
        let colon = c.pos;
        keyword.close(c)?;
        let most = bounds::WHITE_SPACE - (c.pos - colon);
        let own_line = before_name(most, c)?;
        if let Some(line) = own_line {
            let mut next = *c;
            next.pos = line;
            match self.keyword(look, |_| true, &mut next) {
                Ok(_) => {
                    c.pos = line;
                    return self.missing(look, c);
                }
                Err(More) if !c.ended() => return Err(More),
                Err(_) => {}
            }
        }
        self.name_line(look, own_line.is_some(), c)
    }

    /// Reads the line with the name.
    fn name_line<'t>(&self, look: &Look<'_>, own_line: bool, c: &mut Cursor<'t>) -> Step<Said<'t>> {
        let start = c.pos;
        let mut first_bracket = true;
        loop {
            let (line, next) = (c.since(start), c.bytes().first().copied());
            let quoted = look.reasoning && look.message != THOUGHT && self.ends_reasoning(line);
            match next {
                Some(b'{') if !quoted && line.trim_end_matches([' ', '\t']).ends_with('(') => {
                    if let Some(name) = tool_name::before_brace(&look.tools.names, line) {
                        return Ok(Said::Call { name, kind: AT_BRACE });
                    }
                }
                Some(b'[') if !quoted && first_bracket => {
                    if let Some(name) = tool_name::before_bracket(&look.tools.names, line) {
                        c.pos += 1;
                        return Ok(Said::Call { name, kind: AT_BRACKET });
                    }
                }
                None if !c.ended() => {
                    let most = bounds::LINE.saturating_sub(line.len());
                    return c.wait(Wait::Run(Class::FenceLine, most as u16));
                }
                None | Some(b'\n') => {
                    return if quoted { Err(No) } else { self.whole_line(look, line, own_line, c) };
                }
                _ => {}
            }
            if line.len() >= bounds::LINE {
                return Err(No);
            }
            first_bracket &= next != Some(b'[');
            let stops = |(at, byte): &(usize, &u8)| *at > 0 && matches!(byte, b'\n' | b'{' | b'[');
            let stop = c.bytes().iter().enumerate().find(stops).map(|(at, _)| at);
            c.pos += stop.unwrap_or(c.bytes().len());
            if c.pos - start > bounds::LINE {
                return Err(No);
            }
        }
    }

    /// Behind the whole line, before its end.
    fn whole_line<'t>(
        &self,
        look: &Look<'_>,
        line: &'t str,
        own_line: bool,
        c: &mut Cursor<'t>,
    ) -> Step<Said<'t>> {
        let (tools, cut) = (&look.tools.names, c.bytes().is_empty());
        let alone = tool_name::alone(tools, line, cut);
        let says_no = alone.is_none()
            && tool_name::says_no_call(&self.t.no_call, &self.t.no_call_phrases, line);
        if cut && (alone.is_some() || says_no) {
            c.or_end(|c| c.more::<()>())?;
        }
        c.pos += usize::from(!cut);
        if let Some((name, cut)) = alone {
            return Ok(Said::Call { name, kind: if cut { CUT_NAME } else { NAMED } });
        }
        if says_no {
            return Ok(Said::NoCall);
        }
        if let Some(name) = tool_name::any(tools, line) {
            c.follow(false, |c| self.follows(look, |of| of == Keyword::Input, c))?;
            return Ok(Said::Call { name, kind: NAMED });
        }
        if own_line { Err(No) } else { self.missing(look, c) }
    }

    /// Reads an input behind a step that names no tool.
    fn missing<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<Said<'t>> {
        c.follow(false, |c| self.follows(look, |of| of == Keyword::Input, c))?;
        Ok(Said::Missing)
    }

    /// Whether a closer of reasoning stands in the line.
    fn ends_reasoning(&self, line: &str) -> bool {
        self.t.ends_reasoning.iter().any(|end| line.contains(&**end))
    }
}

/// Reads white space before a name. Returns the beginning of the name's own line, if it has one.
fn before_name(most: usize, c: &mut Cursor<'_>) -> Step<Option<usize>> {
    let start = c.pos;
    let white = c.run(Class::White, 0, most)?;
    Ok(white.rfind('\n').map(|feed| start + feed + 1))
}
