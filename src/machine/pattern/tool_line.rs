//! The line of a ReAct step that names a tool: who is called, if anybody.
//!
//! ```text
//! name-line := what stands after "Action:", or, if that is blank, the next line that is not
//! name      := a declared name as it is | the same in white space, quotes, * ` and brackets, with "()", a
//!              colon or a comma after it | the same with a note in brackets after it
//! ```
//! The line is gathered while it comes ([`take`]); what it says is one pure function of at most 256
//! bytes for each [`ToolLine`].

use super::{Around, Match, Read, Stretch};
use crate::dialect::spec::{Lines, ToolLine};
use crate::json::white::{WHITE_SPACE, is_white_byte};
use crate::machine::keyword::{self, KeywordState, is_blank};
use crate::machine::names::Names;
use crate::options::bounds;

/// Longest name line, in bytes.
const NAME_LINE: usize = 256;

/// A tool that the line names.
struct Named<'t> {
    name: &'t str,
    /// It may have gone on, had the stream.
    cut: bool,
}

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
    let named = match form {
        ToolLine::Paren => before_brace(tools, line),
        ToolLine::Bracket => before_bracket(tools, line),
        ToolLine::Alone => alone(tools, line, end),
        ToolLine::NoCall => return says_no_call(lines, bare(line)),
        ToolLine::Any => any(tools, line),
        ToolLine::Missing => return bare(line).is_empty(),
    };
    let Some(Named { name, cut }) = named else { return false };
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

/// `name({`: the `{` is the next character.
fn before_brace<'t>(tools: &Names, line: &'t str) -> Option<Named<'t>> {
    let (before, inside) = line.split_once('(')?;
    let blank = inside.trim_matches([' ', '\t']).is_empty();
    let opens = blank && !before.contains('[') && !may_become_a_name(tools, line, "{");
    declared(tools, bare(before)).filter(|_| opens)
}

/// `name[`: the `[` is the next character.
fn before_bracket<'t>(tools: &Names, line: &'t str) -> Option<Named<'t>> {
    let opens = !line.contains(['(', '[']) && !line.ends_with(WHITE_SPACE);
    let opens = opens && !may_become_a_name(tools, line, "[");
    declared(tools, bare(line)).filter(|_| opens)
}

/// Whether the line with this character is the beginning of a declared name.
fn may_become_a_name(tools: &Names, line: &str, next: &str) -> bool {
    let begins = |name: &str| name.strip_prefix(line).is_some_and(|rest| rest.starts_with(next));
    tools.iter().any(begins)
}

/// The declared tool that the line names, perhaps with a note after it.
fn alone<'t>(tools: &Names, line: &'t str, end: bool) -> Option<Named<'t>> {
    let written = line.trim_end_matches(WHITE_SPACE);
    if let Some(named) = declared(tools, declared_name(tools, written)) {
        let at = written.len() - named.name.len();
        let cut = end && written.ends_with(named.name) && may_go_on(tools, &line[at..]);
        return Some(Named { cut, ..named });
    }
    let (head, note) = written.split_once('(')?;
    let closed = note.ends_with(')');
    let cut = end && !note.contains(')');
    if !closed && !cut {
        return None;
    }
    Some(Named { cut, ..declared(tools, bare(head))? })
}

/// Whether a declared name begins with this one and the blanks after it; any blank may stand for the
/// name's own.
fn may_go_on(tools: &Names, name: &str) -> bool {
    let same = |(one, other): (u8, u8)| one == other || is_blank(one) && is_blank(other);
    let begins =
        |other: &str| other.len() > name.len() && name.bytes().zip(other.bytes()).all(same);
    tools.iter().any(begins)
}

/// Any name: its first word if that is declared, else what stands before a bracket, else all of it.
fn any<'t>(tools: &Names, line: &'t str) -> Option<Named<'t>> {
    let whole = bare(line);
    let word = declared_name(tools, whole.split([' ', '\t', '\r']).next().unwrap_or(whole));
    if let Some(named) = declared(tools, word) {
        return Some(named);
    }
    let head = whole.find(['(', '[']).map(|open| bare(&whole[..open])).unwrap_or_default();
    let name = if head.is_empty() { whole } else { head };
    (!name.is_empty()).then_some(Named { name, cut: false })
}

fn declared<'t>(tools: &Names, name: &'t str) -> Option<Named<'t>> {
    tools.find([name, ""]).map(|_| Named { name, cut: false })
}

/// The name of a tool in what is written: as it is, without what may stand around it, or without a
/// colon or comma after that.
fn declared_name<'t>(tools: &Names, written: &'t str) -> &'t str {
    let known = |name: &&str| tools.find([name, ""]).is_some();
    let whole = bare(written);
    let short = whole.strip_suffix([':', ',']).map(bare);
    [Some(written), Some(whole), short].into_iter().flatten().find(known).unwrap_or(whole)
}

/// Without what may stand around a name.
fn bare(name: &str) -> &str {
    let mut name = name;
    loop {
        let before = name.len();
        name = name.trim_matches(|c: char| " \t\r\n\"'*`".contains(c));
        for (open, close) in [('(', ')'), ('[', ']')] {
            let inside = name.strip_prefix(open).and_then(|name| name.strip_suffix(close));
            name = inside.filter(|name| !name.contains([open, close])).unwrap_or(name);
        }
        name = name.strip_suffix("()").unwrap_or(name);
        if name.len() == before {
            return name;
        }
    }
}

fn says_no_call(lines: &Lines, line: &str) -> bool {
    let of_word = |c: char| c.is_alphanumeric() || "/_-".contains(c);
    let word = line.find(|c| !of_word(c)).map_or(line, |end| &line[..end]);
    let begins = |phrase: &str| {
        line.get(..phrase.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(phrase))
    };
    lines.no_call.iter().any(|no| no.eq_ignore_ascii_case(word))
        || lines.no_call_phrases.iter().any(|phrase| begins(phrase))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [&str; 9] =
        ["read", "read file", "look", "look({z", "c", "c[d", "zoom", "z_z", "z z z"];

    /// What is named, and whether it may have gone on.
    fn said<'t>(named: Option<Named<'t>>) -> Option<(&'t str, bool)> {
        named.map(|Named { name, cut }| (name, cut))
    }

    #[test]
    fn before_brackets() {
        let names = Names::new(NAMES.into_iter());
        for (line, brace, bracket) in [
            ("read(", Some("read"), None),
            ("*read* ( \t", Some("read"), None),
            ("read(x", None, None),
            ("look(", None, None),
            ("[read(", None, None),
            ("other(", None, None),
            ("read", None, Some("read")),
            ("**read**", None, Some("read")),
            ("read ", None, None),
            ("[read", None, None),
            ("c", None, None),
            ("other", None, None),
        ] {
            let named = |found: Option<Named<'_>>| found.map(|named| named.name.to_string());
            assert_eq!(named(before_brace(&names, line)).as_deref(), brace, "{line} {{");
            assert_eq!(named(before_bracket(&names, line)).as_deref(), bracket, "{line} [");
        }
    }

    /// A name alone on its line, or with a note: ended by the line, and by the stream.
    #[test]
    fn names_alone() {
        let names = Names::new(NAMES.into_iter());
        for (line, by_line, by_stream) in [
            ("zoom", Some(("zoom", false)), Some(("zoom", false))),
            ("zoom \t", Some(("zoom", false)), Some(("zoom", false))),
            ("read", Some(("read", false)), Some(("read", true))),
            ("read ", Some(("read", false)), Some(("read", true))),
            ("read\t", Some(("read", false)), Some(("read", true))),
            ("read file", Some(("read file", false)), Some(("read file", false))),
            ("*read*", Some(("read", false)), Some(("read", false))),
            ("zoom (a note)", Some(("zoom", false)), Some(("zoom", false))),
            ("zoom (a note) ", Some(("zoom", false)), Some(("zoom", false))),
            ("zoom (a note", None, Some(("zoom", true))),
            ("zoom (a) note", None, None),
            ("other (a note)", None, None),
            ("other", None, None),
            ("rea", None, None),
            // A blank of one name is no letter of another.
            ("z_z", Some(("z_z", false)), Some(("z_z", false))),
        ] {
            assert_eq!(said(alone(&names, line, false)), by_line, "{line}");
            assert_eq!(said(alone(&names, line, true)), by_stream, "{line}, and no more");
        }
    }
}
