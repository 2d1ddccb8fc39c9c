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

use crate::dialect::lines::{LineSpec, Role};
use crate::machine::keyword::{Found, LEAD, LineTable, is_blank, is_lead};
use crate::machine::pattern::UNKNOWN;
use crate::names::Names;
use crate::options::bounds;

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

/// Reads a step: `text` begins with its keyword line, whose close ends at `from`.
pub(crate) fn step<'t>(
    table: &LineTable,
    tools: &Names,
    text: &'t str,
    from: usize,
    end: bool,
) -> Step<'t> {
    let start = match name_start(table, text, from, end) {
        Ok(start) => start,
        Err(step) => return step,
    };
    let rest = &text[start..];
    let line = rest.find('\n');
    if let Some(step) = opens_on_the_line(tools, text, start, &rest[..line.unwrap_or(rest.len())]) {
        return step;
    }
    let Some(len) = line.or((end || rest.len() > NAME_LINE).then_some(rest.len())) else {
        return Step::More(Until::LineEnd, start + NAME_LINE);
    };
    if len > NAME_LINE {
        return Step::Prose;
    }
    let behind = start + line.map_or(len, |line| line + 1);
    let name = &rest[..len];
    if let Some((name, tool)) = declared(tools, name) {
        let longer = |other: &str| other.len() > name.len() && other.starts_with(name);
        let cut = line.is_none() && tools.iter().any(longer);
        let then = if cut { Then::Cut } else { Then::Line };
        return Step::Call { name, tool, len: behind, then };
    }
    if says_no_call(&table.spec, name) {
        return Step::NoCall { len: behind };
    }
    match followed_by(table, text, behind, &[Role::Input], end) {
        Followed::More(until, most) => Step::More(until, most),
        Followed::Yes => named(tools, name, behind),
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

/// `name({` and `name[`, unless a longer name is declared that goes on like this.
fn opens_on_the_line<'t>(
    tools: &Names,
    text: &'t str,
    start: usize,
    line: &'t str,
) -> Option<Step<'t>> {
    let bracket = line.find(['(', '['])?;
    let (before, behind) = line.split_at(bracket);
    let may_go_on = |name: &str| line.starts_with(name) || name.starts_with(line);
    if tools.iter().any(|name| name.len() > bracket && may_go_on(name)) {
        return None;
    }
    let (name, len, then) = match behind.as_bytes() {
        [b'[', ..] if bracket > 0 => (before, bracket + 1, Then::Brackets),
        [b'(', b'{', ..] => (before.trim_end_matches([' ', '\t']), bracket + 1, Then::Json),
        _ => return None,
    };
    let tool = tools.find([name, ""])?;
    Some(Step::Call { name: &text[start..start + name.len()], tool, len: start + len, then })
}

/// The declared tool that the line names, as written in it.
fn declared<'t>(tools: &Names, line: &'t str) -> Option<(&'t str, u16)> {
    let known = |name: &'t str| tools.find([name, ""]).map(|tool| (name, tool));
    let line = line.trim();
    let noted = || known(bare(without_note(bare(line))?));
    known(line)
        .or_else(|| known(bare(line)))
        .or_else(|| known(bare(without_note(line)?)))
        .or_else(noted)
}

/// Without what may stand around a name.
fn bare(name: &str) -> &str {
    let mut name = name;
    loop {
        let before = name.len();
        name = name.trim_matches(|c: char| c.is_ascii_whitespace() || "\"'*`".contains(c));
        name = name.strip_suffix("()").unwrap_or(name);
        for (open, close) in [('(', ')'), ('[', ']'), ('{', '}'), ('<', '>')] {
            name =
                name.strip_prefix(open).and_then(|name| name.strip_suffix(close)).unwrap_or(name);
        }
        if name.len() == before {
            return name;
        }
    }
}

/// `name (a note)`: the name.
fn without_note(name: &str) -> Option<&str> {
    let close = name.chars().next_back()?;
    let open = match close {
        ')' => '(',
        ']' => '[',
        _ => return None,
    };
    let (name, _) = name.split_once(open)?;
    name.ends_with([' ', '\t', '*', '`', '"', '\'']).then_some(name)
}

fn says_no_call(spec: &LineSpec, line: &str) -> bool {
    let line = bare(line);
    let word = line.split([' ', '\t']).next().unwrap_or_default();
    let word = word.trim_end_matches(|c: char| c.is_ascii_punctuation());
    let begins = |phrase: &str| {
        line.get(..phrase.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(phrase))
    };
    spec.no_call.iter().any(|no| no.eq_ignore_ascii_case(word))
        || spec.no_call_phrases.iter().any(|phrase| begins(phrase))
}

/// A name that the input behind it confirms.
fn named<'t>(tools: &Names, line: &'t str, len: usize) -> Step<'t> {
    let whole = bare(line);
    let word = whole.split([' ', '\t']).next().unwrap_or_default();
    if let Some(tool) = tools.find([word, ""]) {
        return Step::Call { name: word, tool, len, then: Then::Line };
    }
    let name = match whole.find(['(', '[']) {
        Some(at) if at > 0 => bare(&whole[..at]),
        _ => whole,
    };
    let tool = tools.find([name, ""]).unwrap_or(UNKNOWN);
    match name.len() {
        0 => Step::NoName { len },
        1..=bounds::NAME => Step::Call { name, tool, len, then: Then::Line },
        _ => Step::Prose,
    }
}

/// Whether the next line that is not blank begins with a keyword.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Followed {
    No,
    Yes,
    More(Until, usize),
}

/// Whether the next line from `from` on that is not blank begins with one of these keywords.
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
        Found::Keyword { role, .. } if roles.contains(&role) => Followed::Yes,
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
        Some(feed) if feed <= NAME_LINE => followed_by(table, text, feed + 1, roles, end),
        None if !end && text.len() <= NAME_LINE => Followed::More(Until::LineEnd, NAME_LINE),
        _ => Followed::No,
    }
}

/// How many bytes of white space `text` begins with.
pub(crate) fn white_space(text: &str) -> usize {
    text.bytes().take_while(|byte| is_blank(*byte) || matches!(byte, b'\n' | b'\r')).count()
}
