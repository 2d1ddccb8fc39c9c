//! The grammars of the `<tool_call>` dialects, as recognisers: each looks at one offset of the
//! whole input and says whether a piece of grammar stands there. Nothing in this file has a state.
//!
//! ```text
//! block     := "<tool_call>" ws BODY ws "</tool_call>"
//! BODY      := json | functions | keyed
//! json      := fence? ( object | "[" ( object ","? )* "]" ) fence? ( ws object )*
//! functions := function ( ws function )*
//! function  := "<function=" ws Q(NAME) ws ">" junk ( param junk )* "</function>"
//! param     := "<parameter=" Q(KEY) ">" value "</parameter>"
//! keyed     := NAME ws ( key junk "<arg_value>" value "</arg_value>" ws )*  |  NAME ws object
//! key       := "<arg_key>" KEY "</arg_key>"
//! Q(x)      := '"' x '"' | "'" x "'" | x
//! fence     := "```" letters?
//! ```

use super::super::grammar::{Call, Miss, Seen};
use super::super::grammar::{any, is_name, is_space, literal, name, skip_spaces, ws};
use toolstream::{Tool, bounds};

pub const OPENER: &str = "<tool_call>";
pub const CLOSER: &str = "</tool_call>";
pub const RESULT: &str = "<tool_response>";

const FUNCTION: &str = "<function=";
const FUNCTION_CLOSER: &str = "</function>";
const PARAMETER: &str = "<parameter=";
const PARAMETER_CLOSER: &str = "</parameter>";
const KEY: &str = "<arg_key>";
const KEY_CLOSER: &str = "</arg_key>";
const VALUE: &str = "<arg_value>";
const VALUE_CLOSER: &str = "</arg_value>";

/// What a server may leave in the text: stop tokens.
const BOUNDARIES: [&str; 6] =
    ["<|im_end|>", "<|endoftext|>", "<|observation|>", "<|user|>", "<|assistant|>", "<|system|>"];

/// Something with a name that was recognised: a function's or a parameter's tag, a key, a bare
/// name.
#[derive(Clone, Copy, Debug)]
pub struct Tag<'a> {
    pub name: &'a str,
    pub at: usize,
    pub end: usize,
    /// It is not quite as it should be.
    pub malformed: bool,
}

/// What stands behind a block's opener.
#[derive(Clone, Copy, Debug)]
pub enum Body<'a> {
    /// The first object begins here.
    Json(usize),
    Functions(Tag<'a>),
    Keyed(Tag<'a>),
}

/// A block's opener that counts.
#[derive(Clone, Copy, Debug)]
pub struct Block<'a> {
    /// Of a doubled opener: where the second one begins.
    pub at: usize,
    pub body: Body<'a>,
}

/// The two bodies that have parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Functions,
    Keyed,
}

/// What can end a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Closer {
    /// The value's own closer.
    Own,
    /// functions: the next parameter, behind a line break.
    Next,
    /// functions: `</function>`.
    Function,
    /// `</tool_call>`.
    Block,
}

#[derive(Clone, Copy, Debug)]
pub struct Grammar<'a> {
    pub json: bool,
    pub functions: bool,
    pub keyed: bool,
    pub tools: &'a [Tool],
    pub input: &'a str,
}

impl<'a> Grammar<'a> {
    pub fn literal(&self, at: usize, text: &str) -> Seen {
        literal(self.input, at, text)
    }

    fn ws(&self, at: usize) -> Seen {
        ws(self.input, at)
    }

    fn any_literal(&self, at: usize, texts: &[&str]) -> Seen {
        any(texts.iter().map(|text| self.literal(at, text)))
    }

    pub fn tool(&self, name: &str) -> Option<&'a Tool> {
        self.tools.iter().find(|tool| tool.name == name)
    }

    pub fn boundary(&self, at: usize) -> Seen {
        self.any_literal(at, &BOUNDARIES)
    }

    /// Whether there is nothing but white space and boundary tokens.
    pub fn is_empty_but_for_boundaries(&self, from: usize, to: usize) -> bool {
        let mut at = from;
        while at < to {
            match self.boundary(at) {
                Ok(end) => at = end,
                _ if self.input[at..].starts_with(is_space) => at += 1,
                _ => return false,
            }
        }
        at == to
    }

    // ---- openers ----

    /// A block's opener that counts, or a doubled one. Where the stream ends before that is
    /// decided, a known name that is whole is enough; otherwise `Err(Cut)`.
    pub fn block(&self, at: usize) -> Result<Block<'a>, Miss> {
        let behind = self.literal(at, OPENER)?;
        let single = self.body(behind).map(|body| Block { at, body });
        let doubled = || {
            let second = self.ws(behind)?;
            let body = self.body(self.literal(second, OPENER)?)?;
            Ok(Block { at: second, body })
        };
        any([single, doubled()])
    }

    fn body(&self, at: usize) -> Result<Body<'a>, Miss> {
        let at = self.ws(at)?;
        let no = Err(Miss::No);
        any([
            if self.json { self.first_object(at).map(Body::Json) } else { no },
            if self.functions { self.function_in_block(at).map(Body::Functions) } else { no },
            if self.keyed { self.keyed(at).map(Body::Keyed) } else { no },
        ])
    }

    /// `fence? ws ( "[" ws )?`, then an object, whose offset it gives.
    fn first_object(&self, at: usize) -> Seen {
        let at = match self.literal(at, "```") {
            Ok(letters) => {
                let rest =
                    self.input[letters..].trim_start_matches(|c: char| c.is_ascii_alphabetic());
                let end = self.input.len() - rest.len();
                if end - letters > bounds::NAME {
                    return Err(Miss::TooLong);
                }
                self.ws(end)?
            }
            Err(Miss::Cut) => return Err(Miss::Cut),
            Err(_) => at,
        };
        let in_list = || self.object(self.ws(self.literal(at, "[")?)?);
        any([self.object(at), in_list()])
    }

    /// `"{" ws` and `"`, `'` or `}`; gives the offset of the brace.
    pub fn object(&self, at: usize) -> Seen {
        let inside = self.ws(self.literal(at, "{")?)?;
        self.any_literal(inside, &["\"", "'", "}"]).map(|_| at)
    }

    /// A function's tag in a block: of any tool, or `<NAME>` for it, of a known one before
    /// `ws "<parameter="`.
    pub fn function_in_block(&self, at: usize) -> Result<Tag<'a>, Miss> {
        let passes = any(self.tools.iter().map(|tool| {
            let end = self.literal(at, &format!("<{}>", tool.name))?;
            match self.literal(self.ws(end)?, PARAMETER) {
                Ok(_) | Err(Miss::Cut) => Ok(Tag { name: &tool.name, at, end, malformed: true }),
                Err(miss) => Err(miss),
            }
        }));
        any([self.function(at, |_| true), passes])
    }

    /// A function's tag without a block: of a known tool, and before `ws` and `<parameter=` or
    /// `</function>`.
    pub fn bare_function(&self, at: usize) -> Result<Tag<'a>, Miss> {
        if !self.functions {
            return Err(Miss::No);
        }
        // Nothing speaks against a name that has not begun.
        let may_be = |name: &str| {
            name.is_empty() || self.tools.iter().any(|tool| tool.name.starts_with(name))
        };
        let tag = self.function(at, may_be)?;
        if self.tool(tag.name).is_none() {
            return Err(Miss::No);
        }
        match self.any_literal(self.ws(tag.end)?, &[PARAMETER, FUNCTION_CLOSER]) {
            Ok(_) | Err(Miss::Cut) => Ok(tag),
            Err(miss) => Err(miss),
        }
    }

    /// A function's tag. Its `>` may be missing before `ws` and `<parameter=` or `</function>`;
    /// where the stream ends before that is decided, a known name must be whole.
    fn function(&self, at: usize, may_be: impl Fn(&str) -> bool) -> Result<Tag<'a>, Miss> {
        let start = skip_spaces(self.input, self.literal(at, FUNCTION)?);
        let (name, stop) = self.quoted(start, is_name, may_be)?;
        let behind = skip_spaces(self.input, stop);
        let whole = self.literal(behind, ">");
        let open = || {
            let next = self.ws(stop)?;
            self.any_literal(next, &[PARAMETER, FUNCTION_CLOSER]).map(|_| next)
        };
        let tag = |end, malformed| Ok(Tag { name, at, end, malformed });
        match (whole, open()) {
            (Ok(end), _) if end - at > bounds::TAG => Err(Miss::TooLong),
            (Ok(end), _) => tag(end, false),
            (_, Ok(_)) => tag(stop, true),
            // Undecided, but without its `>` if something else has begun.
            (one, two) => match any([one, two]) {
                Err(Miss::Cut) if self.tool(name).is_some() => tag(stop, behind < self.input.len()),
                seen => Err(seen.err().unwrap_or(Miss::No)),
            },
        }
    }

    /// `Q(x)`: gives x and the end of it all. `may_be` says whether x can begin like this.
    fn quoted(
        &self,
        at: usize,
        of_name: impl Fn(char) -> bool + Copy,
        may_be: impl Fn(&str) -> bool,
    ) -> Result<(&'a str, usize), Miss> {
        let quote = self.input[at..].chars().next().ok_or(Miss::Cut)?;
        let start = if "\"'".contains(quote) { at + 1 } else { at };
        let rest = &self.input[start..];
        let text = rest.find(|c| !of_name(c)).map_or(rest, |stop| &rest[..stop]);
        if !may_be(text) {
            return Err(Miss::No);
        }
        let stop = name(self.input, start, of_name)?;
        let end = if start == at { stop } else { self.literal(stop, &quote.to_string())? };
        Ok((text, end))
    }

    /// The name of a keyed body, and behind it what makes it one.
    fn keyed(&self, at: usize) -> Result<Tag<'a>, Miss> {
        let end = name(self.input, at, is_name)?;
        let name = &self.input[at..end];
        let tag = Tag { name, at, end, malformed: false };
        let next = self.ws(end)?;
        let known = self.tool(name).is_some();
        let without =
            if known || self.tools.is_empty() { self.literal(next, CLOSER) } else { Err(Miss::No) };
        let object = || {
            let inside = self.ws(self.literal(next, "{")?)?;
            self.any_literal(inside, &["\"", "}"])
        };
        match any([self.literal(next, KEY), without, object()]) {
            Ok(_) => Ok(tag),
            Err(Miss::Cut) if known => Ok(tag),
            Err(miss) => Err(miss),
        }
    }

    // ---- inside a call ----

    /// `<parameter=KEY>`; `=` or a line break may stand in place of `>`.
    pub fn param(&self, at: usize) -> Result<Tag<'a>, Miss> {
        let start = self.literal(at, PARAMETER)?;
        let of_key = |c| !"<>=\"'\n".contains(c);
        let (key, stop) = self.quoted(start, of_key, |_| true)?;
        let end = self.any_literal(stop, &[">", "=", "\n", "\r\n"])?;
        let name = key.trim_matches(is_space);
        let malformed = !self.input[stop..].starts_with('>');
        if name.is_empty() { Err(Miss::No) } else { Ok(Tag { name, at, end, malformed }) }
    }

    pub fn function_closer(&self, at: usize) -> Seen {
        self.literal(at, FUNCTION_CLOSER)
    }

    /// `<arg_key>KEY</arg_key>`; the key may be empty.
    pub fn key(&self, at: usize) -> Result<Tag<'a>, Miss> {
        let start = self.literal(at, KEY)?;
        let stop = match self.input[start..].starts_with('<') {
            true => start,
            false => name(self.input, start, |c| c != '<')?,
        };
        let end = self.literal(stop, KEY_CLOSER)?;
        let name = self.input[start..stop].trim_matches(is_space);
        Ok(Tag { name, at, end, malformed: name.is_empty() })
    }

    pub fn value(&self, at: usize) -> Seen {
        self.literal(at, VALUE)
    }

    // ---- values ----

    /// The text of a closer, for a value whose tag ends at `tag_end`. Gives its end; of the next
    /// parameter nothing belongs to the value.
    pub fn closer(
        &self,
        form: Form,
        closer: Closer,
        at: usize,
        call: &Call<'a>,
        tag_end: usize,
    ) -> Seen {
        match (closer, form) {
            (Closer::Own, Form::Functions) => self.literal(at, PARAMETER_CLOSER),
            (Closer::Own, Form::Keyed) => self.literal(at, VALUE_CLOSER),
            (Closer::Function, Form::Functions) => self.function_closer(at),
            (Closer::Block, _) => self.literal(at, CLOSER),
            (Closer::Next, Form::Functions) if self.input[tag_end..at].ends_with('\n') => {
                let names = call.declared().map(|param| &param.name);
                let open = names.filter(|name| !call.given.contains(&name.as_str()));
                any(open.flat_map(|name| ["", "\"", "'"].map(|quote| (name, quote))).map(
                    |(name, quote)| {
                        let tag = format!("{PARAMETER}{quote}{name}{quote}>");
                        self.literal(at, &tag).map(|_| at)
                    },
                ))
            }
            (Closer::Next | Closer::Function, _) => Err(Miss::No),
        }
    }

    /// Whether the grammar can go on at `at`, right behind a closer: only then it ends the value.
    /// Where the end of the stream confirms the closer, also in the middle of what would confirm
    /// it, that is an `Ok`.
    pub fn can_go_on(&self, form: Form, closer: Closer, at: usize) -> Seen {
        let next = self.ws(at);
        let seen = match (closer, form) {
            (Closer::Own, Form::Functions) => {
                let next = next?;
                let param = self.param(next).map(|tag| tag.end);
                any([param, self.any_literal(next, &[FUNCTION_CLOSER, CLOSER])])
            }
            (Closer::Own, Form::Keyed) => self.any_literal(next?, &[KEY, CLOSER, OPENER]),
            (Closer::Next, _) => Ok(at),
            (Closer::Function, _) => self.literal(next?, CLOSER),
            (Closer::Block, _) if next == Ok(self.input.len()) => Ok(at),
            (Closer::Block, _) => Err(Miss::No),
        };
        if seen == Err(Miss::Cut) { Ok(self.input.len()) } else { seen }
    }
}
