//! The grammars of the three XML dialects, as recognisers: each looks at one offset of the whole
//! input and says whether a piece of grammar stands there. Nothing in this file has a state.

use toolstream::{Options, Param, Tool, bounds};

/// Where a recognised piece ends, or why there is none.
pub type Seen = Result<usize, Miss>;

/// Why a piece of grammar does not stand at an offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Miss {
    /// A byte rules it out.
    No,
    /// A bound of `toolstream::bounds` rules it out.
    TooLong,
    /// The stream ends before it is decided: what is there is a beginning of the piece.
    Cut,
}

/// A tag that was recognised.
#[derive(Clone, Copy, Debug)]
pub struct Tag<'a> {
    pub name: &'a str,
    pub end: usize,
    /// `/>` (only `<invoke …/>`).
    pub empty: bool,
}

/// Where a tag ends.
pub fn end(tag: Result<Tag, Miss>) -> Seen {
    tag.map(|tag| tag.end)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    Cline,
    CodeAssistant,
    Invoke,
}

/// Where a call's opener is looked for: that decides what it needs to count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Text,
    Reasoning,
    /// Inside `<function_calls>` or `<minimax:tool_call>`.
    Section,
}

/// The three kinds of closers that can end a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Closer {
    /// The parameter's own.
    Own,
    /// `</KEY>`, the parameter's bare name.
    Bare,
    /// The call's, where the parameter's was forgotten.
    Call,
}

/// What has been read of the open call.
#[derive(Debug)]
pub struct Call<'a> {
    pub name: &'a str,
    /// `None`: not declared.
    pub tool: Option<&'a Tool>,
    /// The parameters that have begun, the open one included.
    pub given: Vec<&'a str>,
    /// A bound was crossed.
    pub broken: bool,
}

impl<'a> Call<'a> {
    /// The parameters that its tool declares.
    pub fn declared(&self) -> impl Iterator<Item = &'a Param> + use<'a> {
        self.tool.into_iter().flat_map(|tool| &tool.params)
    }

    pub fn declares(&self, key: &str) -> bool {
        self.declared().any(|param| param.name == key)
    }
}

const SECTIONS: [(&str, &str); 2] =
    [("<function_calls>", "</function_calls>"), ("<minimax:tool_call>", "</minimax:tool_call>")];

pub fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\r' | '\n')
}

/// `[A-Za-z0-9_.-]`: the name of an element that nobody declared.
fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || "_.-".contains(c)
}

/// `NAME` of common.md.
pub fn is_name(c: char) -> bool {
    c.is_alphanumeric() || "_.-/:+@$".contains(c)
}

/// The first reading of a place that matches, or the best reason why none does.
pub fn any<T>(readings: impl IntoIterator<Item = Result<T, Miss>>) -> Result<T, Miss> {
    let mut best = Miss::No;
    for reading in readings {
        match reading {
            Ok(found) => return Ok(found),
            Err(miss) => best = best.max(miss),
        }
    }
    Err(best)
}

/// `text`, exactly.
pub fn literal(input: &str, at: usize, text: &str) -> Seen {
    let rest = &input[at..];
    if rest.starts_with(text) {
        Ok(at + text.len())
    } else if text.starts_with(rest) {
        Err(Miss::Cut)
    } else {
        Err(Miss::No)
    }
}

pub fn skip_spaces(input: &str, at: usize) -> usize {
    input.len() - input[at..].trim_start_matches(is_space).len()
}

/// `ws` behind a marker: at most 256 bytes.
pub fn ws(input: &str, at: usize) -> Seen {
    let end = skip_spaces(input, at);
    if end - at > bounds::WHITE_SPACE { Err(Miss::TooLong) } else { Ok(end) }
}

/// One or more characters of a name, at most 128 bytes, and what stops them: gives the end.
pub fn name(input: &str, at: usize, of_name: impl Fn(char) -> bool) -> Seen {
    let mut end = at;
    for c in input[at..].chars() {
        if !of_name(c) {
            return if end == at { Err(Miss::No) } else { Ok(end) };
        }
        end += c.len_utf8();
        if end - at > bounds::NAME {
            return Err(Miss::TooLong);
        }
    }
    Err(Miss::Cut)
}

/// `head NAME ">"`.
fn named_tag<'a>(
    input: &'a str,
    at: usize,
    head: &str,
    of_name: impl Fn(char) -> bool,
) -> Result<Tag<'a>, Miss> {
    let start = literal(input, at, head)?;
    let stop = name(input, start, of_name)?;
    let end = literal(input, stop, ">")?;
    Ok(Tag { name: &input[start..stop], end, empty: false })
}

/// `head ws "name" ws "=" ws ATTR`, then `ws "/"? ">"` for `<invoke`, and for `<parameter`
/// anything up to the first `>` that holds no `<`. At most 512 bytes in all. A `bare` one has no
/// `/`; `may_be` says whether a name can begin like this.
fn attribute_tag<'a>(
    input: &'a str,
    at: usize,
    head: &str,
    bare: bool,
    may_be: impl Fn(&str) -> bool,
) -> Result<Tag<'a>, Miss> {
    let mut longest = input.len().min(at + bounds::TAG);
    while !input.is_char_boundary(longest) {
        longest -= 1;
    }
    match attribute_tag_in(&input[..longest], at, head, bare, may_be) {
        Err(Miss::Cut) if longest < input.len() => Err(Miss::TooLong),
        tag => tag,
    }
}

fn attribute_tag_in<'a>(
    input: &'a str,
    at: usize,
    head: &str,
    bare: bool,
    may_be: impl Fn(&str) -> bool,
) -> Result<Tag<'a>, Miss> {
    let mut at = literal(input, at, head)?;
    at = literal(input, skip_spaces(input, at), "name")?;
    at = literal(input, skip_spaces(input, at), "=")?;
    at = skip_spaces(input, at);
    let (key, mut at) = match input[at..].chars().next().ok_or(Miss::Cut)? {
        quote @ ('"' | '\'') => {
            let key = attribute(input, at + 1, |c| c != quote && c != '<' && c != '\n', may_be)?;
            (key, literal(input, at + 1 + key.len(), &quote.to_string())?)
        }
        _ => {
            let key = attribute(input, at, |c| !is_space(c) && !"<>\"'/".contains(c), may_be)?;
            (key, at + key.len())
        }
    };
    let mut empty = false;
    if head == "<invoke" {
        at = skip_spaces(input, at);
        empty = !bare && input[at..].starts_with('/');
        at += usize::from(empty);
    } else {
        at += input[at..].find(['<', '>']).ok_or(Miss::Cut)?;
    }
    Ok(Tag { name: key, end: literal(input, at, ">")?, empty })
}

/// An attribute's text, which must be the beginning of what it may be as far as it goes.
fn attribute(
    input: &str,
    at: usize,
    of_name: impl Fn(char) -> bool,
    may_be: impl Fn(&str) -> bool,
) -> Result<&str, Miss> {
    let all = &input[at..];
    let text = all.find(|c| !of_name(c)).map_or(all, |stop| &all[..stop]);
    let stop = if may_be(text) { name(input, at, of_name)? } else { return Err(Miss::No) };
    Ok(&input[at..stop])
}

/// Whether a whole tag `<[A-Za-z0-9_.-]{1,128}>` stands here.
pub fn is_plain_tag(input: &str, at: usize) -> bool {
    named_tag(input, at, "<", is_plain).is_ok()
}

/// The input and what the host said of it.
#[derive(Clone, Copy, Debug)]
pub struct Grammar<'a> {
    pub dialect: Dialect,
    pub tools: &'a [Tool],
    pub options: &'a Options,
    pub input: &'a str,
}

impl<'a> Grammar<'a> {
    fn literal(&self, at: usize, text: &str) -> Seen {
        literal(self.input, at, text)
    }

    pub fn tool(&self, name: &str) -> Option<&'a Tool> {
        self.tools.iter().find(|tool| tool.name == name)
    }

    // ---- openers ----

    /// A call's opener that counts here. `Err(Cut)`: the stream ends before one could count.
    ///
    /// `<TOOL>`, `<tool:NAME>` and a bare `<invoke name=…>` must be confirmed by the beginning of
    /// a body; where the stream ends before that is decided, a known name is enough. In a section
    /// an `<invoke name=…>` needs nothing behind it.
    pub fn call_opener(&self, at: usize, place: Place) -> Result<Tag<'a>, Miss> {
        if self.dialect == Dialect::Invoke && place == Place::Reasoning {
            return Err(Miss::No);
        }
        let bare = self.dialect == Dialect::Invoke && place != Place::Section;
        let tag = if bare { self.bare_tag(at)? } else { self.call_tag(at)? };
        if place == Place::Section {
            return Ok(tag);
        }
        let tool = self.tool(tag.name);
        if self.dialect == Dialect::Invoke && (tool.is_none() || tag.empty) {
            return Err(Miss::No);
        }
        let call = Call { name: tag.name, tool, given: Vec::new(), broken: false };
        match self.body_begins(tag.end, &call) {
            Ok(_) => Ok(tag),
            Err(Miss::Cut) if tool.is_some() => Ok(tag),
            Err(miss) => Err(miss),
        }
    }

    fn call_tag(&self, at: usize) -> Result<Tag<'a>, Miss> {
        match self.dialect {
            Dialect::Cline => self.one_of(at, self.tools.iter().map(|tool| &tool.name)),
            Dialect::CodeAssistant => named_tag(self.input, at, "<tool:", is_name),
            Dialect::Invoke => attribute_tag(self.input, at, "<invoke", false, |_| true),
        }
    }

    /// invoke: the same, of a declared tool.
    fn bare_tag(&self, at: usize) -> Result<Tag<'a>, Miss> {
        let known = |name: &str| self.tools.iter().any(|tool| tool.name.starts_with(name));
        attribute_tag(self.input, at, "<invoke", true, known)
    }

    /// cline: `<` one of `names` `>`.
    fn one_of(&self, at: usize, names: impl Iterator<Item = &'a String>) -> Result<Tag<'a>, Miss> {
        any(names.map(|name| {
            let end = self.literal(at, &format!("<{name}>"))?;
            Ok(Tag { name, end, empty: false })
        }))
    }

    /// What confirms a call's opener: a parameter (cline: any tag) or the call's closer.
    fn body_begins(&self, at: usize, call: &Call<'a>) -> Seen {
        let at = ws(self.input, at)?;
        let first = match self.dialect {
            Dialect::Cline => self.any_tag(at, call),
            _ => self.param_opener(at, call),
        };
        any([end(first), self.literal(at, &self.closer(Closer::Call, call, ""))])
    }

    /// `"<" ( a name that the tool declares | [A-Za-z0-9_.-]{1,128} ) ">"`
    fn any_tag(&self, at: usize, call: &Call<'a>) -> Result<Tag<'a>, Miss> {
        let declared = self.one_of(at, call.declared().map(|param| &param.name));
        any([declared, named_tag(self.input, at, "<", is_plain)])
    }

    /// invoke: a section's opener, confirmed by `ws "<invoke"`; gives the end of its tag.
    pub fn section_opener(&self, at: usize) -> Seen {
        if self.dialect != Dialect::Invoke {
            return Err(Miss::No);
        }
        let end = any(SECTIONS.map(|(opener, _)| self.literal(at, opener)))?;
        self.literal(ws(self.input, end)?, "<invoke").map(|_| end)
    }

    /// invoke: either section's closer.
    pub fn section_closer(&self, at: usize) -> Seen {
        if self.dialect != Dialect::Invoke {
            return Err(Miss::No);
        }
        any(SECTIONS.map(|(_, closer)| self.literal(at, closer)))
    }

    /// cline: `<function_calls> ws` before a call's opener that counts; gives that opener's offset.
    pub fn wrapper(&self, at: usize, place: Place) -> Seen {
        if self.dialect != Dialect::Cline {
            return Err(Miss::No);
        }
        let opener = ws(self.input, self.literal(at, SECTIONS[0].0)?)?;
        self.call_opener(opener, place).map(|_| opener)
    }

    /// Whether the fixed part of an opener stands here. (Asked where no opener counts.)
    pub fn is_rejected_opener(&self, at: usize) -> bool {
        let rest = &self.input[at..];
        match self.dialect {
            Dialect::Cline => {
                let is_opener = |tool: &Tool| {
                    let behind = rest[1..].strip_prefix(&tool.name);
                    behind.is_some_and(|rest| rest.starts_with(|c| c == '>' || is_space(c)))
                };
                rest.starts_with(SECTIONS[0].0) || self.tools.iter().any(is_opener)
            }
            Dialect::CodeAssistant => rest.starts_with("<tool:"),
            Dialect::Invoke => {
                let invoke = rest.strip_prefix("<invoke").unwrap_or("");
                SECTIONS.iter().any(|(opener, _)| rest.starts_with(opener))
                    || invoke.trim_start_matches(is_space).starts_with("name")
            }
        }
    }

    /// A closer of a call or of a section, as text knows it.
    pub fn closer_in_text(&self, at: usize) -> Seen {
        match self.dialect {
            Dialect::Cline => {
                let tools = self.tools.iter().map(|tool| format!("</{}>", tool.name));
                any(tools.chain([SECTIONS[0].1.to_string()]).map(|text| self.literal(at, &text)))
            }
            Dialect::CodeAssistant => self.named_call_closer(at),
            Dialect::Invoke => any([self.literal(at, "</invoke>"), self.section_closer(at)]),
        }
    }

    // ---- between parameters ----

    /// A parameter's opener: `<P>` with P declared, `<param:KEY>`, `<parameter name=KEY …>`.
    pub fn param_opener(&self, at: usize, call: &Call<'a>) -> Result<Tag<'a>, Miss> {
        match self.dialect {
            Dialect::Cline => self.one_of(at, call.declared().map(|param| &param.name)),
            Dialect::CodeAssistant => named_tag(self.input, at, "<param:", is_name),
            Dialect::Invoke => attribute_tag(self.input, at, "<parameter", false, |_| true),
        }
    }

    /// The call's closer between parameters; code-assistant takes one with another name, too.
    pub fn call_closer(&self, at: usize, call: &Call) -> Seen {
        match self.dialect {
            Dialect::CodeAssistant => self.named_call_closer(at),
            _ => self.literal(at, &self.closer(Closer::Call, call, "")),
        }
    }

    /// code-assistant: `</tool:NAME>`.
    fn named_call_closer(&self, at: usize) -> Seen {
        end(named_tag(self.input, at, "</tool:", is_name))
    }

    // ---- values ----

    /// cline: whether the parameter is read as raw text.
    pub fn is_raw(&self, key: &str) -> bool {
        ["content", "diff", "arguments"].contains(&key)
            || self.options.raw_params.iter().any(|raw| raw == key)
    }

    /// The text of a closer.
    pub fn closer(&self, closer: Closer, call: &Call, key: &str) -> String {
        match (closer, self.dialect) {
            (Closer::Own, Dialect::CodeAssistant) => format!("</param:{key}>"),
            (Closer::Own, Dialect::Invoke) => "</parameter>".to_string(),
            (Closer::Own, Dialect::Cline) | (Closer::Bare, _) => format!("</{key}>"),
            (Closer::Call, Dialect::Cline) => format!("</{}>", call.name),
            (Closer::Call, Dialect::CodeAssistant) => format!("</tool:{}>", call.name),
            (Closer::Call, Dialect::Invoke) => "</invoke>".to_string(),
        }
    }

    /// Whether the grammar can go on at `at`, right behind a closer: only then it ends the value.
    /// Where the end of the stream confirms the closer, also in the middle of what would confirm
    /// it, that is an `Ok`.
    pub fn can_go_on(&self, at: usize, closer: Closer, call: &Call<'a>, key: &str) -> Seen {
        let next = ws(self.input, at)?;
        let param = end(self.param_opener(next, call));
        let call_opener = end(self.call_tag(next));
        let call_closer = self.literal(next, &self.closer(Closer::Call, call, ""));
        let seen = match (closer, self.dialect) {
            (Closer::Own, Dialect::Cline) if self.is_raw(key) => {
                let behind_element = || {
                    let end = self.undeclared_element(next, call)?;
                    self.raw_goes_on(ws(self.input, end)?, call)
                };
                any([self.raw_goes_on(next, call), behind_element()])
            }
            (Closer::Own, Dialect::Cline) => any([end(self.any_tag(next, call)), call_closer]),
            (Closer::Own, Dialect::CodeAssistant) => {
                any([param, self.named_call_closer(next), call_opener])
            }
            (Closer::Own, Dialect::Invoke) => {
                any([param, call_closer, self.section_closer(next), call_opener])
            }
            // The end of the stream proves nothing here.
            (Closer::Bare, _) => return any([param, call_closer]),
            (Closer::Call, _) if next == self.input.len() => Ok(next),
            (Closer::Call, _) => self.section_closer(next),
        };
        if seen == Err(Miss::Cut) { Ok(self.input.len()) } else { seen }
    }

    /// cline: the call's closer, or the opener of a declared parameter that was not yet given.
    fn raw_goes_on(&self, at: usize, call: &Call<'a>) -> Seen {
        let names = call.declared().map(|param| &param.name);
        let open = names.filter(|name| !call.given.contains(&name.as_str()));
        let call_closer = self.literal(at, &self.closer(Closer::Call, call, ""));
        any([end(self.one_of(at, open)), call_closer])
    }

    /// cline: `<U> text </U>` with U not declared and at most 256 bytes of text without `<`.
    fn undeclared_element(&self, at: usize, call: &Call) -> Seen {
        let tag = named_tag(self.input, at, "<", is_plain)?;
        if call.declares(tag.name) {
            return Err(Miss::No);
        }
        let rest = &self.input[tag.end..];
        let words = rest.find('<').unwrap_or(rest.len());
        if words > bounds::WORDS {
            return Err(Miss::No);
        }
        self.literal(tag.end + words, &format!("</{}>", tag.name))
    }
}
