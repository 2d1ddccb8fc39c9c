//! Names in a marker: read, looked up among those that are declared, and noted.

use super::{Around, Match, Read, Stretch};
use crate::dialect::spec::{Chars, Known, Name, Of};
use crate::json::white::WHITE_SPACE;
use crate::machine::ids::UNKNOWN;
use crate::machine::names::{self, Names};
use crate::machine::table::PatternStep;
use crate::options::bounds;

impl Match {
    pub(super) fn name(&mut self, name: &Name, next: &[u8], around: &Around<'_>) -> Read {
        let read = match (&name.quoted, self.quote, next) {
            (Some(_), 0, b"\"" | b"'") if self.read == 0 => {
                self.quote = next[0];
                return Read::More;
            }
            (_, quote, _) if quote != 0 && next == [quote] => {
                // A quote that stands after nothing quotes no name.
                if self.read == 0 { Read::Fail } else { Read::Done }
            }
            (Some(chars), 1.., _) => match self.named(name, *chars, next, around) {
                // Inside quotes only the quote may end it.
                Read::Pass => Read::Fail,
                read => read,
            },
            _ => self.named(name, name.chars, next, around),
        };
        match read {
            Read::Done | Read::Pass => {
                self.quote = 0;
                if self.capture(name, around) { read } else { Read::Fail }
            }
            read => read,
        }
    }

    /// The characters of a name without quotes that need no second look: ASCII, within its bounds.
    /// Gives how many bytes they are, and whether the character after them ends the name.
    pub(super) fn name_run(
        &mut self,
        name: &Name,
        bytes: &[u8],
        around: &Around<'_>,
    ) -> (usize, bool) {
        let may_be_quote = name.quoted.is_some() && self.read == 0;
        if self.quote != 0 || may_be_quote && matches!(bytes.first(), Some(b'"' | b'\'')) {
            return (0, false);
        }
        let mut most = bounds::NAME - (self.read as usize).min(bounds::NAME);
        if self.tag > 0 {
            most = most.min((bounds::TAG + self.tag as usize).saturating_sub(self.at as usize + 1));
        }
        let bytes = &bytes[..bytes.len().min(most)];
        let read = match around.names(name, self.tool) {
            Some(names) => {
                let range = if self.read == 0 { names.all() } else { self.range };
                let (range, read) = names.advance(range, self.read as usize, bytes);
                if name.is_fresh() && names.ids(range).all(|id| around.is_given(id)) {
                    return (0, false);
                }
                self.range = range;
                read
            }
            None => {
                let fits = |byte: &&u8| byte.is_ascii() && name.chars.fits(&[**byte]);
                bytes.iter().take_while(fits).count()
            }
        };
        (self.read, self.at) = (self.read + read as u16, self.at + read as u16);
        (read, bytes.get(read).is_some_and(u8::is_ascii))
    }

    /// A character of a name, between its quotes.
    pub(super) fn named(
        &mut self,
        name: &Name,
        chars: Chars,
        next: &[u8],
        around: &Around<'_>,
    ) -> Read {
        match around.names(name, self.tool) {
            Some(names) => self.one_of(names, name, next, around),
            None if chars.fits(next) => self.more(next, name.longest()),
            None => self.ends_name(name, around),
        }
    }

    /// A character of one of these names.
    fn one_of(&mut self, names: &Names, name: &Name, next: &[u8], around: &Around<'_>) -> Read {
        let range = if self.read == 0 { names.all() } else { self.range };
        let Some(range) = names.narrow(range, self.read as usize, next) else {
            return self.ends_name(name, around);
        };
        self.range = range;
        if name.is_fresh() && names.ids(range).all(|id| around.is_given(id)) {
            return Read::Fail;
        }
        self.more(next, bounds::NAME)
    }

    /// The same, with the name that was read up to here, if it is one.
    pub fn named_so_far(&self, name: &Name, around: &Around<'_>) -> Option<Match> {
        let mut named = *self;
        (self.is_whole(name, around) && named.capture(name, around)).then_some(named)
    }

    fn ends_name(&self, name: &Name, around: &Around<'_>) -> Read {
        if self.is_whole(name, around) { Read::Pass } else { Read::Fail }
    }

    /// Whether what was read is a name that fits here.
    pub(super) fn is_whole(&self, name: &Name, around: &Around<'_>) -> bool {
        let Some(names) = around.names(name, self.tool) else {
            return self.read > 0 || name.optional;
        };
        let may_be = |id| !(name.is_fresh() && around.is_given(id));
        self.read > 0 && names.exact(self.range, self.read as usize).is_some_and(may_be)
    }

    /// Whether enough of a step is there for the end of the stream: of a keyword, and of a name that is
    /// looked up, three letters or the whole.
    pub fn has_letters(&self, step: &PatternStep, around: &Around<'_>) -> bool {
        match step {
            PatternStep::Keyword(_) => self.keyword.letters() >= 3,
            PatternStep::Name(name) if around.names(name, self.tool).is_some() => {
                self.read >= 3 || self.is_whole(name, around)
            }
            _ => true,
        }
    }

    /// Notes the name that has just ended; whether it is one.
    pub(super) fn capture(&mut self, name: &Name, around: &Around<'_>) -> bool {
        let stretch = Stretch { at: self.at - self.read, len: self.read };
        let excluded = name.not.iter().any(|not| around.is(stretch, not));
        if excluded
            || name.word && !around.begins_word(stretch)
            || !name.optional && around.is_blank(stretch)
        {
            return false;
        }
        if name.of == Of::Element && !self.in_follow() {
            self.extra = stretch;
        }
        match name.of {
            Of::Id => self.id = stretch,
            Of::Hint => self.extra = stretch,
            Of::Element if name.known == Known::Undeclared => {
                self.element = stretch;
                let declared = around.tools.params(self.tool);
                return !declared.iter().any(|known| around.is(stretch, known));
            }
            Of::Element => self.element = stretch,
            Of::Param if self.in_follow() => {}
            Of::Param => self.name = stretch,
            Of::Tool => return self.capture_tool(name, stretch, around),
            Of::ToolId => {
                self.id = stretch;
                return self.capture_tool(name, stretch, around);
            }
        }
        true
    }

    /// Notes the tool whose name has just ended; whether it may be named here.
    fn capture_tool(&mut self, name: &Name, captured: Stretch, around: &Around<'_>) -> bool {
        let mut room: Option<[u8; bounds::HEADER]> = None;
        let text = around.view.stretch(around.start + captured.at as usize, &mut room);
        let text = text.get(..captured.len as usize).unwrap_or_default();
        let tool = tool_name(name, text);
        if tool.is_empty() || tool.len() > bounds::NAME {
            return false;
        }
        if (name.of, name.known) == (Of::ToolId, Known::Declared) && text.ends_with(tool) {
            // Its index shows that it is an id.
            return false;
        }
        let offset = tool.as_ptr() as usize - text.as_ptr() as usize;
        let stretch = Stretch { at: captured.at + offset as u16, len: tool.len() as u16 };
        let same = tool.len() == captured.len as usize;
        let known = around.names(name, self.tool).filter(|_| same);
        self.tool = if let Some(known) = known {
            // It was looked up while it came.
            known.exact(self.range, captured.len as usize).unwrap_or(UNKNOWN)
        } else if name.entities && tool.contains('&') {
            let mut tool = tool.to_string();
            names::decode(&mut tool);
            around.tools.number([&tool, ""])
        } else {
            around.tools.number([tool, ""])
        };
        if self.in_follow() {
            self.element = stretch;
        } else {
            self.name = stretch;
        }
        let known = self.tool != UNKNOWN;
        match name.known {
            Known::Declared => known,
            Known::IfDeclared => known || around.tools.names.is_empty(),
            Known::Undeclared => !known && !around.tools.names.is_empty(),
            _ => true,
        }
    }

    /// Whether what has come of an id may become one of a declared tool, if it must.
    pub(super) fn may_be_id(&self, name: &Name, around: &Around<'_>) -> bool {
        if (name.of, name.known) != (Of::ToolId, Known::Declared) {
            return true;
        }
        let mut room: Option<[u8; bounds::HEADER]> = None;
        let text = around.view.stretch(around.start + (self.at - self.read) as usize, &mut room);
        let text = text.get(..self.read as usize).unwrap_or_default();
        let names = &around.tools.names;
        let may_be = |tool: &str| {
            let index = tool
                .rsplit_once(':')
                .filter(|(_, index)| index.bytes().all(|byte| byte.is_ascii_digit()));
            names.narrow(names.all(), 0, tool.as_bytes()).is_some()
                || index.is_some_and(|(tool, _)| names.find([tool, ""]).is_some())
        };
        let after = text.strip_prefix(&*name.prefix);
        name.prefix.starts_with(text) || may_be(text) || after.is_some_and(may_be)
    }
}

/// The tool's name in what was captured: without white space around it, its prefix and, of an id, its
/// index. Digits alone are none.
fn tool_name<'t>(name: &Name, captured: &'t str) -> &'t str {
    let all = captured.trim_matches(WHITE_SPACE);
    let after = all.strip_prefix(&*name.prefix).filter(|rest| !rest.is_empty());
    let tool = after.unwrap_or(all);
    if name.of != Of::ToolId {
        return tool;
    }
    let before = tool.trim_end_matches(|c: char| c.is_ascii_digit());
    match before.strip_suffix(':') {
        _ if before.is_empty() => "",
        Some(before) if before.len() + 1 < tool.len() => before,
        _ => tool,
    }
}
