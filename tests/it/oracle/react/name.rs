//! The Action line: whether it is a call, and of which tool.
//!
//! ```text
//! name-line := the rest of the Action line, or, if that is blank, the next line that is not blank
//!              and no keyword line; from its first character on at most 256 bytes
//! ```

use super::super::pieces::{is_space, skip_spaces};
use super::keyword::{HELD, Keyword, Lines};
use toolstream::Tool;

/// The meaning of an Action line.
#[derive(Debug, PartialEq, Eq)]
pub enum Action {
    Call(Call),
    /// The line says that there is no action. Everything up to here is markup.
    None(usize),
    /// An Action Input line begins at `line`, with no name before it. Everything up to `end` is markup.
    Nameless {
        end: usize,
        line: usize,
    },
    Prose,
}

#[derive(Debug, PartialEq, Eq)]
pub struct Call {
    pub name: String,
    pub form: Form,
}

/// The text behind the name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// The end of the line. The next line begins here.
    Line(usize),
    /// The end of the stream, where the name may go on.
    Cut,
    /// `({`: the brace stands here.
    Json(usize),
    /// `[`: the input begins here.
    Paper(usize),
}

#[derive(Clone, Copy, Debug)]
pub struct Names<'a> {
    pub lines: Lines<'a>,
    pub tools: &'a [Tool],
}

impl<'a> Names<'a> {
    pub fn tool(&self, name: &str) -> Option<&'a Tool> {
        self.tools.iter().find(|tool| tool.name == name)
    }

    /// Reads the Action line whose keyword ends at `after`. If a reasoning block ends in the middle of the name line, the line
    /// is no name.
    pub fn action(&self, after: usize, in_block: bool) -> Action {
        let Lines { input, .. } = self.lines;
        let at = skip_spaces(input, after);
        if at == input.len() || at - after > HELD {
            return Action::Prose;
        }
        let line = self.lines.start(at, after);
        if line != after {
            match self.lines.keyword(line) {
                Some((Keyword::ActionInput, _)) => return Action::Nameless { end: line, line },
                Some(_) => return Action::Prose,
                None => {}
            }
        }
        let end = self.lines.end(at);
        let text = &input[at..end];
        let written = text.trim_end_matches(is_space);
        let call = |name: &str, form| Action::Call(Call { name: name.to_string(), form });
        let whole = Form::Line(self.lines.next(at));

        let exact = text.len() <= HELD && self.tool(written).is_some();
        if let (false, Some((name, form))) = (exact, self.opens_input(text, at)) {
            return call(&name, form);
        }
        let ends_block = text.contains("</think>") || text.contains("</thinking>");
        if text.len() > HELD || in_block && ends_block {
            return Action::Prose;
        }

        // Case 1: a declared tool, perhaps with a note after it.
        let name = if exact { written.to_string() } else { self.clean(written) };
        let head = written.split_once('(').map(|(head, _)| clean(head)).unwrap_or_default();
        let is_cut = end == input.len();
        if self.tool(&name).is_some() {
            let goes_on = is_cut && self.may_go_on(text, &name);
            return call(&name, if goes_on { Form::Cut } else { whole });
        }
        if self.tool(&head).is_some() && written.ends_with(')') {
            return call(&head, whole);
        }
        if self.tool(&head).is_some() && is_cut && !written.contains(')') {
            return call(&head, Form::Cut);
        }
        // Case 3: there is no action.
        if says_none(&name) {
            return Action::None(self.lines.next(at));
        }
        // Cases 4 to 6: the next line decides.
        if !self.lines.followed_by(at, &[Keyword::ActionInput]) {
            return Action::Prose;
        }
        if name.is_empty() && line != after {
            return Action::Prose;
        }
        if name.is_empty() {
            let next = skip_spaces(input, end);
            let line = self.lines.start(next, end);
            return Action::Nameless { end: self.lines.next(at), line };
        }
        call(&self.undeclared(&name), whole)
    }

    /// Whether the Action line whose keyword ends at `after` has no line end. Then only the end of the stream completes the name.
    pub fn is_open(&self, after: usize) -> bool {
        let at = skip_spaces(self.lines.input, after);
        self.lines.end(at) == self.lines.input.len()
    }

    /// Whether a line that ends in this name and its blanks, as written, is the beginning of another declared name. Space and
    /// tab are equal there.
    fn may_go_on(&self, text: &str, name: &str) -> bool {
        let begun = text.find(name).map_or("", |from| &text[from..]).replace('\t', " ");
        let mut others = self.tools.iter().filter(|tool| tool.name != name);
        others.any(|tool| tool.name.replace('\t', " ").starts_with(&begun))
    }

    /// Returns the name without the signs around it. One `:` or `,` behind it is removed, too, if that leaves a declared name.
    fn clean(&self, text: &str) -> String {
        let name = clean(text);
        let shorter = name.strip_suffix([':', ',']).map(clean);
        let counts = |shorter: &String| self.tool(&name).is_none() && self.tool(shorter).is_some();
        shorter.filter(counts).unwrap_or(name)
    }

    /// Case 2: `name({`, `name ({` and `name[` of a declared tool.
    fn opens_input(&self, text: &str, at: usize) -> Option<(String, Form)> {
        let open = text.find(['(', '['])?;
        let (head, rest) = text.split_at(open);
        let name = clean(head);
        self.tool(&name)?;
        let inside = rest[1..].trim_start_matches([' ', '\t']);
        let begins = text.len() - inside.len();
        let form = match rest.starts_with('(') {
            true if inside.starts_with('{') && begins < HELD => Form::Json(at + begins),
            false if !head.ends_with(is_space) && open < HELD => Form::Paper(at + open + 1),
            _ => return None,
        };
        Some((name, form))
    }

    /// Returns the name in a line that is not a declared name as a whole.
    fn undeclared(&self, line: &str) -> String {
        let first = self.clean(line.split(is_space).next().unwrap_or(line));
        let head = line.find(['(', '[']).map(|open| clean(&line[..open])).unwrap_or_default();
        match (self.tool(&first), &*head) {
            (Some(_), _) => first,
            (None, "") => line.to_string(),
            (None, _) => head,
        }
    }
}

/// Returns the name without white space, quotes, stars and back-ticks around it, without brackets around the whole, and without
/// `()` behind it.
fn clean(text: &str) -> String {
    let around = |c: char| is_space(c) || "\"'*`".contains(c);
    let mut name = text;
    loop {
        let before = name;
        name = name.trim_matches(around);
        for (open, close) in [('(', ')'), ('[', ']')] {
            let inside = name.strip_prefix(open).and_then(|rest| rest.strip_suffix(close));
            name = inside.filter(|inside| !inside.contains([open, close])).unwrap_or(name);
        }
        name = name.strip_suffix("()").unwrap_or(name);
        if name == before {
            return name.to_string();
        }
    }
}

/// Whether the line says `None`, `N/A`, `null` or `nothing`, perhaps with more words, "no tool…" or "no action…".
fn says_none(line: &str) -> bool {
    let line = line.to_ascii_lowercase();
    let of_word = |c: char| c.is_alphanumeric() || "/_-".contains(c);
    let first = line.find(|c| !of_word(c)).map_or(&*line, |end| &line[..end]);
    ["none", "n/a", "null", "nothing"].contains(&first)
        || line.starts_with("no tool")
        || line.starts_with("no action")
}
