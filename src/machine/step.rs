//! The line that names a tool: who is called, if anybody.
//!
//! ```text
//! name-line := what stands behind "Action:", or, if that is blank, the next line that is not
//! name      := a declared name as it is | the same in white space, quotes, * ` and brackets,
//!              with "()" or a note in brackets behind it
//! call      := name line-end                      a declared name alone confirms itself
//!            | name "({" … | name "[" …           JSON, or text up to "]", on the same line
//!            | line line-end keyword-line(input)  any other name
//! ```
//! A pure function of the held text.

use std::borrow::Cow;

use crate::dialect::lines::{LineSpec, Role};
use crate::machine::keyword::{Found, LEAD, LineTable, is_blank, is_lead};
use crate::machine::pattern::UNKNOWN;
use crate::names::Names;
use crate::options::bounds;

const WHITE_SPACE: [char; 4] = [' ', '\t', '\r', '\n'];

/// Longest name line, in bytes.
const NAME_LINE: usize = 256;

/// What the text needs to be decided: evaluated again when one of these comes, or when it is longer
/// than `most`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Until {
    /// Any byte.
    #[default]
    Any,
    /// A byte that is no lead of a keyword line.
    Word,
    /// A line feed, or an opening bracket.
    LineEnd,
    /// A byte that is not white space.
    NonWhite,
}

/// What the step is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step<'t> {
    More(Until, usize),
    /// Nobody is called: the keyword is a word like others.
    Prose,
    /// No call, and says so; it is `len` bytes long.
    NoCall {
        len: usize,
    },
    /// An input follows, but nobody is named.
    NoName {
        len: usize,
    },
    Call {
        name: &'t str,
        tool: u16,
        len: usize,
        then: Then,
    },
}

/// What stands behind the name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Then {
    /// Perhaps a line with the input.
    Line,
    /// The stream's end, though the name may have gone on.
    Cut,
    /// The `{` of the input.
    Json,
    /// The input, up to `]`.
    Brackets,
}

/// Reads a step: `text` begins with its keyword line, whose close ends at `from`. `closers`: tags
/// that stand in no name line.
pub(crate) fn step<'t>(
    table: &LineTable,
    tools: &Names,
    closers: &[Cow<'static, str>],
    text: &'t str,
    from: usize,
    end: bool,
) -> Step<'t> {
    let start = match name_start(table, text, from, end) {
        Ok(start) => start,
        Err(step) => return step,
    };
    let feed = text[start..].find('\n').map(|len| start + len);
    let line = &text[start..feed.unwrap_or(text.len())];
    let open = feed.is_none() && !end;
    if let Some(step) = opens_on_the_line(tools, line, start, open) {
        return step;
    }
    if line.len() > NAME_LINE || closers.iter().any(|closer| line.contains(&**closer)) {
        return Step::Prose;
    }
    if open {
        return Step::More(Until::LineEnd, start + NAME_LINE);
    }
    let len = feed.map_or(text.len(), |feed| feed + 1);
    if let Some(step) = declared(tools, line, len, feed.is_none()) {
        return step;
    }
    if says_no_call(&table.spec, bare(line)) {
        return Step::NoCall { len };
    }
    match followed_by(table, text, start + line.len(), &[Role::Input], end) {
        Followed::More(until, most) => Step::More(until, most),
        Followed::Yes(next) => named(tools, line, len, next),
        Followed::No => Step::Prose,
    }
}

/// Where the name begins: behind the keyword, or on the next line that is not blank.
fn name_start<'t>(
    table: &LineTable,
    text: &str,
    from: usize,
    end: bool,
) -> Result<usize, Step<'t>> {
    let white = white_space(&text[from..]);
    let start = from + white;
    if white > bounds::WHITE_SPACE || end && start == text.len() {
        return Err(Step::Prose);
    }
    if start == text.len() {
        return Err(Step::More(Until::NonWhite, from + bounds::WHITE_SPACE));
    }
    let Some(feed) = text[from..start].rfind('\n') else { return Ok(start) };
    let line = from + feed + 1;
    match table.keyword(&text[line..], end) {
        Found::More => {
            let (until, most) = half_a_line(text, line);
            Err(Step::More(until, most))
        }
        Found::Keyword { role: Role::Input, .. } => Err(Step::NoName { len: line }),
        Found::Keyword { .. } => Err(Step::Prose),
        Found::No => Ok(start),
    }
}

/// `name({` and `name[` on the line that begins at `start`, unless the line is, or may become, a
/// declared name as it is.
fn opens_on_the_line<'t>(
    tools: &Names,
    line: &'t str,
    start: usize,
    goes_on: bool,
) -> Option<Step<'t>> {
    let open = line.find(['(', '[']).filter(|open| *open < NAME_LINE)?;
    let exact = |name: &str| {
        goes_on && name.starts_with(line) || line.trim_end_matches(WHITE_SPACE) == name
    };
    if tools.iter().any(exact) {
        return None;
    }
    let (before, behind) = line.split_at(open);
    let inside = behind[1..].trim_start_matches([' ', '\t']);
    let begins = line.len() - inside.len();
    let (len, then) = match behind.starts_with('(') {
        true if inside.starts_with('{') && begins < NAME_LINE => (begins, Then::Json),
        false if !before.ends_with([' ', '\t', '\r']) => (open + 1, Then::Brackets),
        _ => return None,
    };
    let name = bare(before);
    let tool = tools.find([name, ""])?;
    Some(Step::Call { name, tool, len: start + len, then })
}

/// The declared tool that the line names, perhaps with a note behind it.
fn declared<'t>(tools: &Names, line: &'t str, len: usize, cut: bool) -> Option<Step<'t>> {
    let written = line.trim_end_matches(WHITE_SPACE);
    let call = |name: &'t str, then| {
        let tool = tools.find([name, ""])?;
        Some(Step::Call { name, tool, len, then })
    };
    let name = declared_name(tools, written);
    // The name with the blanks behind it may go on: any blank may stand for the name's own.
    let longer = |other: &str| {
        let same = |(one, other): (u8, u8)| one == other || is_blank(one) && is_blank(other);
        let from = line.len() - (line.len() - written.len()) - name.len();
        other.len() > line.len() - from && line[from..].bytes().zip(other.bytes()).all(same)
    };
    let goes_on = cut && written.ends_with(name) && tools.iter().any(longer);
    let noted = || {
        let (head, note) = written.split_once('(')?;
        let then = match note.contains(')') {
            true if note.ends_with(')') => Then::Line,
            false if cut => Then::Cut,
            _ => return None,
        };
        call(bare(head), then)
    };
    call(name, if goes_on { Then::Cut } else { Then::Line }).or_else(noted)
}

/// The name of a tool in what is written: as it is, without what may stand around it, or without a
/// colon or comma behind that.
fn declared_name<'t>(tools: &Names, written: &'t str) -> &'t str {
    let declared = |name: &&str| tools.find([name, ""]).is_some();
    let whole = bare(written);
    let short = || whole.strip_suffix([':', ',']).map(bare);
    Some(written)
        .filter(declared)
        .or(Some(whole).filter(declared))
        .or_else(|| short().filter(declared))
        .unwrap_or(whole)
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

fn says_no_call(spec: &LineSpec, line: &str) -> bool {
    let of_word = |c: char| c.is_alphanumeric() || "/_-".contains(c);
    let word = line.find(|c| !of_word(c)).map_or(line, |end| &line[..end]);
    let begins = |phrase: &str| {
        line.get(..phrase.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(phrase))
    };
    spec.no_call.iter().any(|no| no.eq_ignore_ascii_case(word))
        || spec.no_call_phrases.iter().any(|phrase| begins(phrase))
}

/// A name that the input behind it, on the line that begins at `next`, confirms.
fn named<'t>(tools: &Names, line: &'t str, len: usize, next: usize) -> Step<'t> {
    let whole = bare(line);
    let word = declared_name(tools, whole.split([' ', '\t', '\r']).next().unwrap_or(whole));
    if let Some(tool) = tools.find([word, ""]) {
        return Step::Call { name: word, tool, len, then: Then::Line };
    }
    let head = whole.find(['(', '[']).map(|open| bare(&whole[..open])).unwrap_or_default();
    let name = if head.is_empty() { whole } else { head };
    let tool = tools.find([name, ""]).unwrap_or(UNKNOWN);
    match name.is_empty() {
        true => Step::NoName { len: next },
        false => Step::Call { name, tool, len, then: Then::Line },
    }
}

/// Whether the next line that is not blank begins with a keyword.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Followed {
    No,
    /// On the line that begins here.
    Yes(usize),
    More(Until, usize),
}

/// Whether the next line that is not blank begins with one of these keywords; the present one ends
/// at `from`, before its line break.
pub(crate) fn followed_by(
    table: &LineTable,
    text: &str,
    from: usize,
    roles: &[Role],
    end: bool,
) -> Followed {
    let white = white_space(&text[from..]);
    let line = from + text[from..from + white].rfind('\n').map_or(0, |feed| feed + 1);
    if white > bounds::WHITE_SPACE {
        return Followed::No;
    }
    if from + white == text.len() {
        let more = Followed::More(Until::NonWhite, from + bounds::WHITE_SPACE);
        return if end { Followed::No } else { more };
    }
    match table.keyword(&text[line..], end) {
        Found::More => {
            let (until, most) = half_a_line(text, line);
            Followed::More(until, most)
        }
        Found::Keyword { role, .. } if roles.contains(&role) => Followed::Yes(line),
        _ => Followed::No,
    }
}

/// What decides the half keyword line from `line` on: while there is only its lead, a word.
pub(crate) fn half_a_line(text: &str, line: usize) -> (Until, usize) {
    match text[line..].bytes().all(is_lead) {
        true => (Until::Word, line + LEAD),
        false => (Until::Any, 0),
    }
}

/// The same for the line that begins `text`: the one behind it counts.
pub(crate) fn line_followed_by(
    table: &LineTable,
    text: &str,
    roles: &[Role],
    end: bool,
) -> Followed {
    match text.find('\n') {
        Some(feed) if feed <= NAME_LINE => followed_by(table, text, feed, roles, end),
        None if !end && text.len() <= NAME_LINE => Followed::More(Until::LineEnd, NAME_LINE),
        _ => Followed::No,
    }
}

/// How many bytes of white space `text` begins with.
pub(crate) fn white_space(text: &str) -> usize {
    text.bytes().take_while(|byte| is_blank(*byte) || matches!(byte, b'\n' | b'\r')).count()
}
