//! The line of a ReAct step that names a tool: who is called, if anybody.
//!
//! ```text
//! name-line := the text behind "Action:", or, if that is blank, the next line that is not
//! ```
//! The line is gathered while it comes ([`take`]); the tool that it names is read by [`tool_name`], with a function for each
//! [`ToolLine`].

use super::{Around, Match, Read, Stretch};
use crate::dialect::spec::ToolLine;
use crate::json::white::is_white_byte;
use crate::machine::keyword::{self, KeywordState};
use crate::machine::tool_name;
use crate::options::bounds;

/// Longest name line, in bytes.
const NAME_LINE: usize = 256;

/// Takes the next character of a line that may name a tool like this. In `element` the match keeps
/// where the line's first word begins, and as its length where the line itself does.
pub(crate) fn take(found: &mut Match, form: ToolLine, next: &[u8], around: &Around<'_>) -> Read {
    if found.element.at == 0 {
        if let Some(read) = before_name(found, next, around) {
            return read;
        }
    }
    let decided = match (form, next) {
        (ToolLine::Missing, _) if !found.element.is_empty() => return no_name(found),
        (ToolLine::Alone | ToolLine::NoCall | ToolLine::Any | ToolLine::Missing, b"\n") => {
            Read::Done
        }
        (_, b"\n") => return Read::Fail,
        (ToolLine::Paren, b"{") => Read::Pass,
        (ToolLine::Bracket, b"[") => Read::Done,
        _ if (found.at - found.element.at) as usize + next.len() > NAME_LINE => return Read::Fail,
        _ => return found.more(next, usize::MAX),
    };
    if names(found, form, false, around) { decided } else { goes_on(found, form, next) }
}

/// After the colon: what closes its decoration, white space, and the first word, at which it stops.
fn before_name(found: &mut Match, next: &[u8], around: &Around<'_>) -> Option<Read> {
    let close = found.open_decoration();
    let closing = found.read < close.len;
    if closing && around.byte(close.at + close.len - 1 - found.read) == Some(next[0]) {
        return Some(found.more(next, usize::MAX));
    }
    // What looked like the close was none.
    let read = if closing { found.read } else { 0 };
    found.keyword.closed = true;
    if read == 0 && is_white_byte(next[0]) {
        if next == b"\n" {
            found.element.len = found.at + 1;
        }
        return Some(match found.more(next, bounds::WHITE_SPACE) {
            Read::TooLong => Read::Fail,
            read => read,
        });
    }
    found.element.at = found.at - read;
    None
}

/// The keyword's line is blank: the marker ends before the next line, which may be a keyword's.
fn no_name(found: &mut Match) -> Read {
    let line = found.element.len;
    found.mark = Some(line);
    found.line = true;
    found.keyword = KeywordState::after((found.element.at - line).min(u8::MAX.into()) as u8);
    found.element = Stretch::default();
    Read::Pass
}

/// A bracket that names no tool is a character of the line.
fn goes_on(found: &mut Match, form: ToolLine, next: &[u8]) -> Read {
    match form {
        ToolLine::Paren | ToolLine::Bracket => found.more(next, usize::MAX),
        _ => Read::Fail,
    }
}

/// Whether the stream's end, in place of that of the line, makes the match whole.
pub(crate) fn at_end(found: &mut Match, form: ToolLine, around: &Around<'_>) -> bool {
    let has_word = found.element.at > 0;
    has_word
        && matches!(form, ToolLine::Alone | ToolLine::NoCall)
        && names(found, form, true, around)
}

/// Whether the line that was gathered names a tool like this; `end`: the stream ends with it.
fn names(found: &mut Match, form: ToolLine, end: bool, around: &Around<'_>) -> bool {
    let from = around.start + found.element.at as usize;
    let len = (found.at - found.element.at) as usize;
    let mut room: Option<[u8; NAME_LINE + 4]> = None;
    let text = around.view.stretch(from, &mut room);
    let Some(line) = text.get(..len) else { return false };
    let (tools, lines) = (&around.tools.names, &around.grammar.lines);
    let quoted = around.in_reasoning && lines.ends_block.iter().any(|end| line.contains(&**end));
    if quoted || is_keyword_line(found, around) {
        return false;
    }
    let whole = |name| (name, false);
    let named = match form {
        ToolLine::Paren => tool_name::before_brace(tools, line).map(whole),
        ToolLine::Bracket => tool_name::before_bracket(tools, line).map(whole),
        ToolLine::Alone => tool_name::alone(tools, line, end),
        ToolLine::NoCall => {
            return tool_name::says_no_call(&lines.no_call, &lines.no_call_phrases, line);
        }
        ToolLine::Any => tool_name::any(tools, line).map(whole),
        ToolLine::Missing => return tool_name::bare(line).is_empty(),
    };
    let Some((name, cut)) = named else { return false };
    let offset = name.as_ptr() as usize - line.as_ptr() as usize;
    found.name = Stretch { at: found.element.at + offset as u16, len: name.len() as u16 };
    found.tool = around.tools.number([name, ""]);
    (found.cut_name, found.element) = (cut, Stretch::default());
    true
}

/// Whether the line that is to name the tool, if it is one of its own, begins with a keyword.
fn is_keyword_line(found: &Match, around: &Around<'_>) -> bool {
    let line = found.element.len;
    let mut room: Option<[u8; NAME_LINE + 64]> = None;
    line > 0 && {
        let text = around.view.stretch(around.start + line as usize, &mut room);
        let lead = &text[..text.find(char::is_alphanumeric).unwrap_or(text.len())];
        let quoted = around.quotes && lead.contains('`');
        !quoted && keyword::begins_line(text, around.grammar.keywords.iter().flatten())
    }
}
