//! The tool in a line of a ReAct step: pure functions of at most 256 bytes.
//!
//! ```text
//! name := a declared name as it is | the same in white space, quotes, * ` and brackets, with "()", a colon or a comma
//!         behind it | the same with a note in brackets behind it
//! ```

use crate::json::white::WHITE_SPACE;
use crate::read::names::Names;

/// Returns the tool of `name({`. The `{` is the next character.
pub(crate) fn before_brace<'t>(tools: &Names, line: &'t str) -> Option<&'t str> {
    let (before, inside) = line.split_once('(')?;
    let blank = inside.trim_matches([' ', '\t']).is_empty();
    let opens = blank && !before.contains('[') && !may_become_a_name(tools, line, "{");
    declared(tools, bare(before)).filter(|_| opens)
}

/// Returns the tool of `name[`. The `[` is the next character.
pub(crate) fn before_bracket<'t>(tools: &Names, line: &'t str) -> Option<&'t str> {
    let opens = !line.contains(['(', '[']) && !line.ends_with(WHITE_SPACE);
    let opens = opens && !may_become_a_name(tools, line, "[");
    declared(tools, bare(line)).filter(|_| opens)
}

/// Whether the line with this next character begins a declared name.
fn may_become_a_name(tools: &Names, line: &str, next: &str) -> bool {
    let begins = |name: &str| name.strip_prefix(line).is_some_and(|rest| rest.starts_with(next));
    tools.iter().any(begins)
}

/// Returns the declared tool that the line names, perhaps with a note after it, and whether the name may go on. `end`: the
/// stream ends with the line.
pub(crate) fn alone<'t>(tools: &Names, line: &'t str, end: bool) -> Option<(&'t str, bool)> {
    let written = line.trim_end_matches(WHITE_SPACE);
    if let Some(name) = declared(tools, declared_name(tools, written)) {
        let at = written.len() - name.len();
        let cut = end && written.ends_with(name) && may_go_on(tools, &line[at..]);
        return Some((name, cut));
    }
    let (head, note) = written.split_once('(')?;
    let closed = note.ends_with(')');
    let cut = end && !note.contains(')');
    if !closed && !cut {
        return None;
    }
    Some((declared(tools, bare(head))?, cut))
}

/// Whether a declared name begins with this one and the blanks after it. Any blank counts as a blank of the
/// name.
fn may_go_on(tools: &Names, name: &str) -> bool {
    let same = |(one, other): (u8, u8)| one == other || is_blank(one) && is_blank(other);
    let begins =
        |other: &str| other.len() > name.len() && name.bytes().zip(other.bytes()).all(same);
    tools.iter().any(begins)
}

/// Returns any name: the first word if it is declared, else the text before a bracket, else the whole line.
pub(crate) fn any<'t>(tools: &Names, line: &'t str) -> Option<&'t str> {
    let whole = bare(line);
    let word = declared_name(tools, whole.split([' ', '\t', '\r']).next().unwrap_or(whole));
    if let Some(named) = declared(tools, word) {
        return Some(named);
    }
    let head = whole.find(['(', '[']).map(|open| bare(&whole[..open])).unwrap_or_default();
    let name = if head.is_empty() { whole } else { head };
    (!name.is_empty()).then_some(name)
}

fn declared<'t>(tools: &Names, name: &'t str) -> Option<&'t str> {
    tools.find([name, ""]).map(|_| name)
}

/// Returns the declared name in a text: as it is, without the signs around it, or also without a colon or
/// comma behind it.
fn declared_name<'t>(tools: &Names, written: &'t str) -> &'t str {
    let known = |name: &&str| tools.find([name, ""]).is_some();
    let whole = bare(written);
    let short = whole.strip_suffix([':', ',']).map(bare);
    [Some(written), Some(whole), short].into_iter().flatten().find(known).unwrap_or(whole)
}

/// Returns a name without the signs around it.
pub(crate) fn bare(name: &str) -> &str {
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

/// Whether the line means "no call": it is one of these words, or begins with one of these phrases.
pub(crate) fn says_no_call<T: AsRef<str>>(words: &[T], phrases: &[T], line: &str) -> bool {
    let line = bare(line);
    let of_word = |c: char| c.is_alphanumeric() || "/_-".contains(c);
    let word = line.find(|c| !of_word(c)).map_or(line, |end| &line[..end]);
    let begins = |phrase: &str| {
        line.get(..phrase.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(phrase))
    };
    words.iter().any(|no| no.as_ref().eq_ignore_ascii_case(word))
        || phrases.iter().any(|phrase| begins(phrase.as_ref()))
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [&str; 9] =
        ["read", "read file", "look", "look({z", "c", "c[d", "zoom", "z_z", "z z z"];

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
            assert_eq!(before_brace(&names, line), brace, "{line} {{");
            assert_eq!(before_bracket(&names, line), bracket, "{line} [");
        }
    }

    /// A name alone on its line, or with a note. The line ends it, or the stream.
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
            // A blank in one name is no letter of another.
            ("z_z", Some(("z_z", false)), Some(("z_z", false))),
        ] {
            assert_eq!(alone(&names, line, false), by_line, "{line}");
            assert_eq!(alone(&names, line, true), by_stream, "{line}, and no more");
        }
    }
}
