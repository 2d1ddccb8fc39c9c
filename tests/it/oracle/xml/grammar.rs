//! Recognisers of the grammars of the three XML dialects. Each looks at one offset of the whole input and says whether a piece of
//! grammar stands there. Nothing in this file has a state.
//!
//! ```text
//! cline:          call    := "<" TOOL ">" junk ( param junk )* "</" TOOL ">"
//!                 param   := "<" P ">" value "</" P ">"
//!                 wrapper := "<function_calls>" ws    before a call's opener
//! code-assistant: call    := "<tool:" ( NAME | QUOTED ) ">" junk ( param junk )* "</tool:" NAME ">"
//!                 param   := "<param:" KEY ">" value "</param:" KEY ">"
//! invoke:         section := OPEN ( junk call )* junk CLOSE
//!                 call    := "<invoke" ws "name" ws "=" ws ATTR ws "/"? ">"  …  "</invoke>"
//!                 param   := "<parameter" ws "name" ws "=" ws ATTR … ">" value "</parameter>"
//! ```

use super::super::pieces::{Call, Miss, Proof, Seen, TAG};
use super::super::pieces::{any, any_literal, is_name, is_plain, is_space, literal, name};
use super::super::pieces::{named_tag, skip_spaces, ws};
use toolstream::{Tool, options::Options};

/// Longest text of an undeclared element, in bytes.
const WORDS: usize = 256;

/// A tag that was recognised.
#[derive(Clone, Copy, Debug)]
pub struct Tag<'a> {
    pub name: &'a str,
    pub end: usize,
    /// `/>` (only `<invoke …/>`).
    pub empty: bool,
}

/// The end of a tag.
pub fn end(tag: Result<Tag, Miss>) -> Seen {
    tag.map(|tag| tag.end)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    Cline,
    CodeAssistant,
    Invoke,
}

/// The place where a call's opener is searched. It decides what the opener needs to count.
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
    /// The parameter's own closer.
    Own,
    /// `</KEY>`, the parameter's bare name.
    Bare,
    /// The call's closer, if the parameter's was forgotten.
    Call,
}

const SECTION_OPENERS: [&str; 2] = ["<function_calls>", "<minimax:tool_call>"];
const SECTION_CLOSERS: [&str; 2] = ["</function_calls>", "</minimax:tool_call>"];
const RESULTS: &str = "<function_results>";
const WRAPPER: &str = SECTION_OPENERS[0];
const WRAPPER_CLOSER: &str = SECTION_CLOSERS[0];

/// Reads a tag with a name, `head NAME ">"`.
fn tag<'a>(
    input: &'a str,
    at: usize,
    head: &str,
    of_name: impl Fn(char) -> bool,
) -> Result<Tag<'a>, Miss> {
    let (stop, end) = named_tag(input, at, head, of_name)?;
    Ok(Tag { name: &input[at + head.len()..stop], end, empty: false })
}

/// Reads `"<tool:" NAME ">"`. The name may stand in quotes of either kind.
fn prefixed_tag(input: &str, at: usize) -> Result<Tag<'_>, Miss> {
    const HEAD: &str = "<tool:";
    let begin = literal(input, at, HEAD)?;
    let Some(quote @ ('"' | '\'')) = input[begin..].chars().next() else {
        return tag(input, at, HEAD, is_name);
    };
    let begin = begin + quote.len_utf8();
    let name = attribute(input, begin, is_name, |_| true)?;
    let end = literal(input, begin + name.len(), &format!("{quote}>"))?;
    Ok(Tag { name, end, empty: false })
}

/// Reads `head ws "name" ws "=" ws ATTR`, at most 512 bytes in all. `<invoke` goes on with `ws "/"? ">"`, and a `bare` one has no
/// `/`. `<parameter` goes on with white space and anything without `<` and line breaks, up to the first `>`. `may_be` says
/// whether a name can begin like this.
fn attribute_tag<'a>(
    input: &'a str,
    at: usize,
    head: &str,
    bare: bool,
    may_be: impl Fn(&str) -> bool,
) -> Result<Tag<'a>, Miss> {
    let mut longest = input.len().min(at + TAG);
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
            let key = attribute(input, at, |c| !is_space(c) && !"<>\"'/\\=".contains(c), may_be)?;
            (key, at + key.len())
        }
    };
    let mut empty = false;
    if head == "<invoke" {
        at = skip_spaces(input, at);
        empty = !bare && input[at..].starts_with('/');
        at += usize::from(empty);
    } else {
        at = further_attributes(input, at)?;
    }
    Ok(Tag { name: key, end: literal(input, at, ">")?, empty })
}

/// Reads the text between a parameter's name and its `>`: nothing, or white space and then anything but `<`, `>` and line
/// breaks. Returns the offset of the `>`.
fn further_attributes(input: &str, at: usize) -> Seen {
    let rest = skip_spaces(input, at);
    let stop = input[rest..].find(['<', '>', '\n', '\r']).map(|stop| rest + stop);
    match input[rest..].chars().next() {
        None => Err(Miss::Cut),
        Some('>') => Ok(rest),
        Some(_) if rest == at => Err(Miss::No),
        Some(_) => stop.ok_or(Miss::Cut),
    }
}

/// Reads an attribute's text. `may_be` must accept the part that has come.
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

/// The input, with the host's tools and options.
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

    fn tool(&self, name: &str) -> Option<&'a Tool> {
        self.tools.iter().find(|tool| tool.name == name)
    }

    // ---- openers ----

    /// Reads a call's opener that counts here. In a section an `<invoke name=…>` needs nothing behind it. `<TOOL>`, `<tool:NAME>`
    /// and a bare `<invoke name=…>` need the beginning of a body behind them. `Err(Cut)`: the stream ends before an opener could
    /// count.
    pub fn call_opener(&self, at: usize, place: Place) -> Result<Tag<'a>, Miss> {
        let tag = self.unconfirmed(at, place)?;
        if place == Place::Section {
            return Ok(tag);
        }
        self.body_begins(tag.end, &Call::new(tag.name, self.tool(tag.name))).map(|_| tag)
    }

    /// Reads a call's opener that only the end of the stream leaves unconfirmed. A known name is enough there.
    pub fn opener_at_end(&self, at: usize, place: Place) -> Option<Tag<'a>> {
        let is_cut = self.call_opener(at, place).err() == Some(Miss::Cut);
        let tag = self.unconfirmed(at, place).ok().filter(|tag| self.tool(tag.name).is_some());
        tag.filter(|_| is_cut)
    }

    /// Reads only the tag of a call that could count in this place.
    fn unconfirmed(&self, at: usize, place: Place) -> Result<Tag<'a>, Miss> {
        match (self.dialect, place) {
            (Dialect::Invoke, Place::Reasoning) => Err(Miss::No),
            (Dialect::Invoke, Place::Text) => self.bare_tag(at),
            _ => self.call_tag(at),
        }
    }

    fn call_tag(&self, at: usize) -> Result<Tag<'a>, Miss> {
        match self.dialect {
            Dialect::Cline => self.one_of(at, self.tools.iter().map(|tool| &*tool.name)),
            Dialect::CodeAssistant => prefixed_tag(self.input, at),
            Dialect::Invoke => attribute_tag(self.input, at, "<invoke", false, |_| true),
        }
    }

    /// invoke: reads the tag of a declared tool. Without declared tools, no bare call can begin.
    fn bare_tag(&self, at: usize) -> Result<Tag<'a>, Miss> {
        let known = |name: &str| self.tools.iter().any(|tool| tool.name.starts_with(name));
        let tag = attribute_tag(self.input, at, "<invoke", true, known);
        let counts = match tag {
            Ok(tag) => self.tool(tag.name).is_some(),
            Err(_) => !self.tools.is_empty(),
        };
        if counts { tag } else { Err(Miss::No) }
    }

    /// cline: reads `<` one of `names` `>`.
    fn one_of<'n>(&self, at: usize, names: impl Iterator<Item = &'n str>) -> Result<Tag<'n>, Miss> {
        any(names.map(|name| {
            let end = self.literal(at, &format!("<{name}>"))?;
            Ok(Tag { name, end, empty: false })
        }))
    }

    /// Reads the confirmation of a call's opener: a parameter (cline: any tag) or the call's closer.
    fn body_begins(&self, at: usize, call: &Call<'a>) -> Seen {
        let at = ws(self.input, at)?;
        let first = match self.dialect {
            Dialect::Cline => self.any_tag(at, call),
            _ => self.param_opener(at, call),
        };
        any([end(first), self.literal(at, &self.closer(Closer::Call, call, ""))])
    }

    /// Reads `"<" ( a name that the tool declares | [A-Za-z0-9_.-]{1,128} ) ">"`.
    fn any_tag(&self, at: usize, call: &Call<'a>) -> Result<Tag<'a>, Miss> {
        let declared = self.one_of(at, call.declared().map(|param| &*param.name));
        any([declared, tag(self.input, at, "<", is_plain)])
    }

    /// invoke: reads a section's opener, confirmed by `ws "<invoke"`. Returns the end of its tag.
    pub fn section_opener(&self, at: usize) -> Seen {
        if self.dialect != Dialect::Invoke {
            return Err(Miss::No);
        }
        let end = any_literal(self.input, at, &SECTION_OPENERS)?;
        self.literal(ws(self.input, end)?, "<invoke").map(|_| end)
    }

    /// invoke: reads either section's closer.
    pub fn section_closer(&self, at: usize) -> Seen {
        match self.dialect {
            Dialect::Invoke => any_literal(self.input, at, &SECTION_CLOSERS),
            _ => Err(Miss::No),
        }
    }

    /// cline: reads `<function_calls> ws` before a call's opener that counts. Returns the offset of that opener.
    pub fn wrapper(&self, at: usize, place: Place) -> Option<usize> {
        let end = self.literal(at, WRAPPER).ok().filter(|_| self.dialect == Dialect::Cline)?;
        let opener = ws(self.input, end).ok()?;
        let counts = self.call_opener(opener, place).is_ok();
        (counts || self.opener_at_end(opener, place).is_some()).then_some(opener)
    }

    /// Whether the fixed part of a section's opener stands here. (Called where no opener counts.)
    pub fn is_rejected_section(&self, at: usize) -> bool {
        let rest = &self.input[at..];
        match self.dialect {
            Dialect::Cline => rest.starts_with(WRAPPER),
            Dialect::CodeAssistant => false,
            Dialect::Invoke => SECTION_OPENERS.iter().any(|opener| rest.starts_with(opener)),
        }
    }

    /// Whether a section's closer stands here in text.
    pub fn closes_section(&self, at: usize) -> bool {
        let wrapper = self.dialect == Dialect::Cline && self.literal(at, WRAPPER_CLOSER).is_ok();
        wrapper || self.section_closer(at).is_ok()
    }

    /// Whether the fixed part of a call's opener stands here. (Called where no opener counts.)
    pub fn is_rejected_call(&self, at: usize) -> bool {
        let rest = &self.input[at..];
        match self.dialect {
            Dialect::Cline => {
                let is_opener = |tool: &Tool| {
                    let after = rest[1..].strip_prefix(&tool.name);
                    after.is_some_and(|rest| rest.starts_with(|c| c == '>' || is_space(c)))
                };
                self.tools.iter().any(is_opener)
            }
            Dialect::CodeAssistant => rest.starts_with("<tool:"),
            Dialect::Invoke => {
                let invoke = rest.strip_prefix("<invoke").unwrap_or("");
                invoke.trim_start_matches(is_space).starts_with("name")
            }
        }
    }

    /// Reads a closer of a call or of a section in text.
    pub fn closer_in_text(&self, at: usize) -> Seen {
        match self.dialect {
            Dialect::Cline => {
                let tools = self.tools.iter().map(|tool| format!("</{}>", tool.name));
                any(tools.chain([WRAPPER_CLOSER.to_string()]).map(|text| self.literal(at, &text)))
            }
            Dialect::CodeAssistant => self.named_call_closer(at),
            Dialect::Invoke => any([self.literal(at, "</invoke>"), self.section_closer(at)]),
        }
    }

    /// invoke: whether an invented result begins here.
    pub fn is_result(&self, at: usize) -> bool {
        self.dialect == Dialect::Invoke && self.literal(at, RESULTS).is_ok()
    }

    /// invoke: reads a section's whole opener that has only white space behind it.
    pub fn section_opener_at_end(&self, at: usize) -> Seen {
        if self.dialect != Dialect::Invoke {
            return Err(Miss::No);
        }
        let end = any_literal(self.input, at, &SECTION_OPENERS)?;
        if ws(self.input, end)? == self.input.len() { Ok(end) } else { Err(Miss::No) }
    }

    /// invoke: reads a closer of a call or of a parameter that closes nothing in a section.
    pub fn stray_closer(&self, at: usize) -> Seen {
        any_literal(self.input, at, &["</parameter>", "</invoke>"])
    }

    // ---- between parameters ----

    /// Reads a parameter's opener: `<P>` with a declared P, `<param:KEY>`, or `<parameter name=KEY …>`.
    pub fn param_opener(&self, at: usize, call: &Call<'a>) -> Result<Tag<'a>, Miss> {
        match self.dialect {
            Dialect::Cline => self.one_of(at, call.declared().map(|param| &*param.name)),
            Dialect::CodeAssistant => tag(self.input, at, "<param:", is_name),
            Dialect::Invoke => attribute_tag(self.input, at, "<parameter", false, |_| true),
        }
    }

    /// Reads the call's closer between parameters. code-assistant accepts one with another name, too.
    pub fn call_closer(&self, at: usize, call: &Call) -> Seen {
        match self.dialect {
            Dialect::CodeAssistant => self.named_call_closer(at),
            _ => self.literal(at, &self.closer(Closer::Call, call, "")),
        }
    }

    /// code-assistant: reads `</tool:NAME>`.
    fn named_call_closer(&self, at: usize) -> Seen {
        end(tag(self.input, at, "</tool:", is_name))
    }

    // ---- values ----

    /// cline: whether the parameter is read as raw text.
    pub fn is_raw(&self, key: &str) -> bool {
        ["content", "diff", "arguments"].contains(&key)
            || self.options.raw_params.iter().any(|raw| raw == key)
    }

    /// Returns the text of a closer.
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

    /// Whether the grammar can go on at `at`, right after a closer. Only then the closer ends the value.
    pub fn can_go_on(
        &self,
        at: usize,
        closer: Closer,
        place: Place,
        call: &Call<'a>,
        key: &str,
    ) -> Result<Proof, Miss> {
        let next = ws(self.input, at)?;
        let param = end(self.param_opener(next, call));
        let call_opener = end(self.call_tag(next));
        let call_closer = self.literal(next, &self.closer(Closer::Call, call, ""));
        Proof::of(match (closer, self.dialect) {
            (Closer::Own, Dialect::Cline) if self.is_raw(key) => {
                let after_element = || {
                    let end = self.undeclared_element(next, call)?;
                    self.raw_goes_on(ws(self.input, end)?, call)
                };
                any([self.raw_goes_on(next, call), after_element()])
            }
            (Closer::Own, Dialect::Cline) => any([end(self.any_tag(next, call)), call_closer]),
            (Closer::Own, Dialect::CodeAssistant) => {
                any([param, self.named_call_closer(next), call_opener])
            }
            (Closer::Own, Dialect::Invoke) => {
                any([param, call_closer, self.section_closer(next), call_opener])
            }
            // The end of the stream proves nothing here.
            (Closer::Bare, _) => return any([param, call_closer]).map(|_| Proof::Text),
            (Closer::Call, _) => return self.ends_message(next, place),
        })
    }

    /// cline: reads the call's closer, or the opener of a declared parameter that was not yet given.
    fn raw_goes_on(&self, at: usize, call: &Call<'a>) -> Seen {
        let names = call.declared().map(|param| &*param.name);
        let open = names.filter(|name| call.lacks(name));
        let call_closer = self.literal(at, &self.closer(Closer::Call, call, ""));
        any([end(self.one_of(at, open)), call_closer])
    }

    /// cline: reads `<U> text </U>` with an undeclared U and at most 256 bytes of text without `<`.
    fn undeclared_element(&self, at: usize, call: &Call) -> Seen {
        let tag = tag(self.input, at, "<", is_plain)?;
        if call.declares(tag.name) {
            return Err(Miss::No);
        }
        let rest = &self.input[tag.end..];
        let words = rest.find('<').unwrap_or(rest.len());
        if words > WORDS {
            return Err(Miss::No);
        }
        self.literal(tag.end + words, &format!("</{}>", tag.name))
    }

    /// Reads the text that must stand after a call's closer that also ends its value (common.md 2.4), from its first character
    /// that is not white space on.
    fn ends_message(&self, at: usize, place: Place) -> Result<Proof, Miss> {
        if at == self.input.len() {
            return Ok(Proof::End);
        }
        match self.section_closer(at) {
            // The section's closer belongs to the tail. The text behind it is visible.
            Ok(end) => match ws(self.input, end)? {
                next if next == self.input.len() => Ok(Proof::End),
                next => self.another_call(next, Place::Text),
            },
            Err(Miss::Cut) => Ok(Proof::End),
            Err(_) => self.another_call(at, place),
        }
    }

    /// Reads a confirmed opener of a call or section.
    fn another_call(&self, at: usize, place: Place) -> Result<Proof, Miss> {
        let found = any([end(self.call_opener(at, place)), self.section_opener(at)]);
        found.map(|_| Proof::Text)
    }

    /// Whether the opener of a declared tool's call stands here, confirmed by a parameter's opener or its own closer.
    pub fn quotes_call(&self, at: usize) -> bool {
        let tag = match self.dialect {
            Dialect::Invoke => self.bare_tag(at),
            _ => self.call_tag(at),
        };
        let Ok(tag) = tag else { return false };
        let call = Call::new(tag.name, self.tool(tag.name));
        let begins = |at| {
            let closer = self.literal(at, &self.closer(Closer::Call, &call, ""));
            self.param_opener(at, &call).is_ok() || closer.is_ok()
        };
        call.tool.is_some() && ws(self.input, tag.end).is_ok_and(begins)
    }

    /// Whether a well-formed opener of a declared parameter stands here, given or not.
    pub fn is_suspect(&self, at: usize, call: &Call<'a>) -> bool {
        self.param_opener(at, call).is_ok_and(|tag| call.declares(tag.name))
    }
}
