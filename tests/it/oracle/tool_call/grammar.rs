//! Recognisers of the grammars of the `<tool_call>` dialects. Each looks at one offset of the whole input and says whether a
//! piece of grammar stands there. Nothing in this file has a state.
//!
//! ```text
//! block     := "<tool_call>" ws BODY ws "</tool_call>"
//! BODY      := json | functions | keyed
//! json      := fence? ( object | "[" ( object ","? )* "]" ) fence? ( ws object )*
//! functions := function ( ws function )*
//! function  := "<function=" ws Q(NAME) ws ">" ( junk ( param junk )* | ws object ws ) "</function>"
//!            | "<" NAME ">" ( junk param )* junk ( "</" NAME ">" | "</function>" )
//! param     := "<parameter=" Q(KEY) ">" value "</parameter>"
//! keyed     := NAME ws ( key junk "<arg_value>"? value "</arg_value>" ws )*  |  NAME ws object
//! key       := "<arg_key>" ( ws "<arg_key>" )? KEY "</arg_key>"  |  KEY ws "</arg_key>"
//! Q(x)      := '"' x '"' | "'" x "'" | x
//! fence     := "```" letters?
//! ```

use super::super::pieces::{Call, Miss, Proof, Seen, TAG};
use super::super::pieces::{
    any, any_literal, is_name, is_space, line_break_at_start, literal, name, skip_spaces, ws,
};
use super::json::{ARGUMENTS, NAMES};
use toolstream::{Param, Tool, options::bounds};

pub const OPENER: &str = "<tool_call>";
pub const CLOSER: &str = "</tool_call>";
pub const RESULT: &str = "<tool_response>";
pub const FUNCTION_CLOSER: &str = "</function>";
pub const KEY: &str = "<arg_key>";

const FUNCTION: &str = "<function=";
const PARAMETER: &str = "<parameter=";
const NAMED_PARAMETER: &str = "<parameter name=";
const PARAMETER_CLOSER: &str = "</parameter>";
const KEY_CLOSER: &str = "</arg_key>";
const VALUE: &str = "<arg_value>";
const VALUE_CLOSER: &str = "</arg_value>";
/// Closers of parameters, and closers that forms of other dialects have in their place.
const SISTERS: [&str; 4] = [VALUE_CLOSER, "</invoke>", FUNCTION_CLOSER, PARAMETER_CLOSER];
const PARAMETER_CLOSERS: [&str; 3] = [PARAMETER_CLOSER, FUNCTION_CLOSER, VALUE_CLOSER];
/// Longest run of closers in text, in bytes.
const RUN: usize = 1024;
/// The fewest bytes of the name in a call's closer that is cut short.
const CUT_SHORT: usize = 4;
/// The number of bytes behind a key in which tags are searched.
const FORGOTTEN: usize = 256;

/// Stop tokens that a server may leave in the text.
const BOUNDARIES: [&str; 6] =
    ["<|im_end|>", "<|endoftext|>", "<|observation|>", "<|user|>", "<|assistant|>", "<|system|>"];
/// Another stop token, for dialects with keyed bodies.
const KEYED_BOUNDARY: &str = "<|role_end|>";
/// Further stop tokens, for dialects with only keyed bodies: the end of a turn of Spark and of Laguna.
const GLM_BOUNDARIES: [&str; 2] = ["<｜end▁of▁sentence｜>", "</assistant>"];
const ROLE: &str = "<|im_start|>";

/// A recognised piece with a name: a parameter's tag, a key, a bare name.
#[derive(Clone, Copy, Debug)]
pub struct Tag<'a> {
    pub name: &'a str,
    pub end: usize,
    /// Whether it deviates from the grammar.
    pub malformed: bool,
}

/// A function's tag.
#[derive(Clone, Copy, Debug)]
pub struct Function<'a> {
    pub tag: Tag<'a>,
    pub at: usize,
    /// The confirmation of the tag.
    pub proof: Proof,
    /// Set for `<function=NAME/>`: the proof that nothing more belongs to it.
    pub is_whole: Option<Proof>,
    /// Whether the tag is `<NAME>`, so that `</NAME>` closes it, too.
    pub by_name: bool,
}

/// The text behind a block's opener.
#[derive(Clone, Copy, Debug)]
pub enum Body<'a> {
    /// The first object begins here.
    Json(usize),
    Functions(Function<'a>),
    Keyed(Tag<'a>),
}

/// A block's opener that counts.
#[derive(Clone, Copy, Debug)]
pub struct Block<'a> {
    /// The offset of the opener, for a doubled one that of the second.
    pub at: usize,
    pub body: Body<'a>,
    pub proof: Proof,
}

/// The closer of a keyed call.
#[derive(Clone, Copy, Debug)]
pub struct CallCloser {
    pub end: usize,
    /// Whether its name is cut short.
    pub is_short: bool,
    pub proof: Proof,
}

/// The bodies that have parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Functions of a block.
    Functions,
    /// A function without a block.
    BareFunction,
    Keyed,
}

/// A closer that can end a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Closer {
    /// The value's own closer.
    Own,
    /// The parameter's own name, `</KEY>`.
    Named,
    /// functions: the next parameter, after a line break.
    Next,
    /// functions: `</function>`.
    Function,
    /// `</tool_call>`.
    Block,
}

impl Closer {
    pub const ALL: [Closer; 5] =
        [Closer::Own, Closer::Named, Closer::Next, Closer::Function, Closer::Block];

    /// Whether it ends only the value.
    pub fn is_of_value(self) -> bool {
        matches!(self, Closer::Own | Closer::Named)
    }
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
        any_literal(self.input, at, texts)
    }

    fn knows(&self, name: &str) -> bool {
        self.tools.iter().any(|tool| tool.name == name)
    }

    pub fn boundary(&self, at: usize) -> Seen {
        let keyed = if self.keyed { self.literal(at, KEYED_BOUNDARY) } else { Err(Miss::No) };
        let glm = match self.is_glm() {
            true => self.any_literal(at, &GLM_BOUNDARIES),
            false => Err(Miss::No),
        };
        any([self.any_literal(at, &BOUNDARIES), keyed, glm])
    }

    fn is_glm(&self) -> bool {
        self.keyed && !self.functions
    }

    /// Whether an invented result begins here. The header of its role may stand before it, except in `glm`, whose roles are
    /// boundary tokens.
    pub fn result(&self, at: usize) -> bool {
        let behind_role = || {
            let role = self.literal(at, ROLE).ok().filter(|_| !self.is_glm())?;
            let word = name(self.input, role, |c| c.is_ascii_alphabetic()).ok()?;
            let line = line_break_at_start(&self.input[word..]);
            self.literal(self.ws(word + line).ok()?, RESULT).ok().filter(|_| line > 0)
        };
        self.literal(at, RESULT).is_ok() || behind_role().is_some()
    }

    /// Reads a block's whole opener behind which the stream ends, with only white space and at most two boundary tokens between.
    /// (The last token may be a half.) For more of them a parser would wait without a bound.
    pub fn opener_at_end(&self, at: usize) -> Seen {
        let end = self.literal(at, OPENER)?;
        let mut next = self.ws(end)?;
        let mut left = 2;
        while let (Ok(after), 1..) = (self.boundary(next), left) {
            next = self.ws(after)?;
            left -= 1;
        }
        let is_half = left > 0 && self.boundary(next) == Err(Miss::Cut);
        if next == self.input.len() || is_half { Ok(end) } else { Err(Miss::No) }
    }

    // ---- closers that are out of place ----

    /// Reads closers of parameters in text, with white space between, before a block's closer. Returns the offset of the block's
    /// closer.
    pub fn closers_in_text(&self, at: usize) -> Seen {
        if self.is_glm() {
            return Err(Miss::No);
        }
        let mut next = self.any_literal(at, &PARAMETER_CLOSERS)?;
        loop {
            next = skip_spaces(self.input, next);
            match self.any_literal(next, &PARAMETER_CLOSERS) {
                Ok(end) => next = end,
                Err(_) => break,
            }
        }
        self.literal(next, CLOSER)?;
        if next - at > RUN { Err(Miss::TooLong) } else { Ok(next) }
    }

    /// Reads a closer of this dialect that closes nothing, between a body and the block's closer.
    pub fn stray_closer(&self, at: usize) -> Seen {
        let functions = self.functions.then_some([PARAMETER_CLOSER, FUNCTION_CLOSER]);
        let keyed = self.keyed.then_some(VALUE_CLOSER);
        any(functions.into_iter().flatten().chain(keyed).map(|text| self.literal(at, text)))
    }

    /// Reads a closer of another form between a JSON body and the block's closer, or before the stream's end.
    pub fn sister_closer(&self, at: usize) -> Seen {
        let end = self.any_literal(at, &SISTERS)?;
        let next = self.ws(end)?;
        match any([self.any_literal(next, &SISTERS), self.literal(next, CLOSER)]) {
            Err(Miss::No) => Err(Miss::No),
            _ => Ok(end),
        }
    }

    // ---- openers ----

    /// Reads a block's opener that counts, single or doubled. If the stream ends before that is decided, a whole known name is
    /// enough. Otherwise the answer is `Err(Cut)`.
    pub fn block(&self, at: usize) -> Result<Block<'a>, Miss> {
        let after = self.literal(at, OPENER)?;
        let doubled = || self.single_block(self.ws(after)?);
        any([self.single_block(at), doubled()])
    }

    fn single_block(&self, at: usize) -> Result<Block<'a>, Miss> {
        let (body, proof) = self.body(self.literal(at, OPENER)?)?;
        Ok(Block { at, body, proof })
    }

    fn body(&self, at: usize) -> Result<(Body<'a>, Proof), Miss> {
        let at = self.ws(at)?;
        let no = Err(Miss::No);
        let function = |found: Function<'a>| (Body::Functions(found), found.proof);
        any([
            if self.json {
                self.first_object(at).map(|at| (Body::Json(at), Proof::Text))
            } else {
                no
            },
            if self.functions { self.function_in_block(at).map(function) } else { no },
            if self.keyed {
                let glued = self.glued(at).map(|tag| (tag, Proof::Text));
                any([self.keyed(at), glued]).map(|(tag, proof)| (Body::Keyed(tag), proof))
            } else {
                no
            },
        ])
    }

    /// Reads `fence? ws ( "[" ws )?` before an object. Returns the object's offset.
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

    /// Reads the beginning of a call's object: `"{" ws`, and then `"`, `'`, `}`, or one of the call's own keys without quotes and
    /// `ws ":"`. Returns the offset of the brace.
    pub fn object(&self, at: usize) -> Seen {
        let inside = self.ws(self.literal(at, "{")?)?;
        let quoted = self.any_literal(inside, &["\"", "'", "}"]);
        let keys = NAMES.iter().chain(&ARGUMENTS).chain(&["function"]);
        let unquoted = keys.map(|key| self.literal(self.ws(self.literal(inside, key)?)?, ":"));
        any([quoted, any(unquoted)]).map(|_| at)
    }

    /// Reads the beginning of an object of arguments after a name: `ws "{" ws`, and then `"` or `}`. Returns the offset of the
    /// brace.
    pub fn arguments(&self, at: usize) -> Seen {
        let brace = skip_spaces(self.input, at);
        let inside = self.ws(self.literal(brace, "{")?)?;
        self.any_literal(inside, &["\"", "}"]).map(|_| brace)
    }

    /// Reads the opener of a function in a block: the tag of any tool, or `<NAME>` of a known tool before `ws "<parameter="`.
    pub fn function_in_block(&self, at: usize) -> Result<Function<'a>, Miss> {
        let passes = any(self.tools.iter().map(|tool| {
            let end = self.literal(at, &format!("<{}>", tool.name))?;
            let proof = Proof::of(self.literal(self.ws(end)?, PARAMETER))?;
            let tag = Tag { name: &tool.name, end, malformed: true };
            Ok(Function { tag, at, proof, is_whole: None, by_name: true })
        }));
        let functions = [self.empty_function(at), self.function(at, |_| true)];
        any(functions.into_iter().chain([passes, self.function_as_parameter(at)]))
    }

    /// Reads `<parameter=NAME>` of a known tool in the place of a function's opener, before `ws` and `<parameter=` or
    /// `</function>`.
    fn function_as_parameter(&self, at: usize) -> Result<Function<'a>, Miss> {
        let start = self.in_tag(at, Ok(skip_spaces(self.input, self.literal(at, PARAMETER)?)))?;
        let may_be = |name: &str| self.tools.iter().any(|tool| tool.name.starts_with(name));
        let (name, stop) = self.quoted(start, is_name, may_be)?;
        let close = self.literal(skip_spaces(self.input, stop), ">");
        let end = self.in_tag(at, close)?;
        if !self.knows(name) {
            return Err(Miss::No);
        }
        let follows = self.any_literal(self.ws(end)?, &[PARAMETER, FUNCTION_CLOSER]);
        let tag = Tag { name, end, malformed: true };
        Ok(Function { tag, at, proof: Proof::of(follows)?, is_whole: None, by_name: false })
    }

    /// Reads the opener of a function without a block: the tag of a known tool before `ws` and `<parameter=` or `</function>`.
    pub fn bare_function(&self, at: usize) -> Result<Function<'a>, Miss> {
        // Without declared tools, no bare function can begin.
        if !self.functions || self.tools.is_empty() {
            return Err(Miss::No);
        }
        let may_be = |name: &str| self.tools.iter().any(|tool| tool.name.starts_with(name));
        let (name, stop) = self.function_name(at, may_be)?;
        if stop < self.input.len() && !self.knows(name) {
            return Err(Miss::No);
        }
        let found = self.function(at, may_be)?;
        if !self.knows(found.tag.name) {
            return Err(Miss::No);
        }
        if found.proof == Proof::End {
            return Ok(found);
        }
        let follows = self.any_literal(self.ws(found.tag.end)?, &[PARAMETER, FUNCTION_CLOSER]);
        match Proof::of(follows)? {
            Proof::Text => Ok(found),
            Proof::End => Ok(Function { proof: Proof::End, ..found }),
        }
    }

    /// Reads a function's tag. Its `>` may be missing before `ws` and `<parameter=` or `</function>`. If the stream ends before
    /// that is decided, a whole known name is enough.
    fn function(&self, at: usize, may_be: impl Fn(&str) -> bool) -> Result<Function<'a>, Miss> {
        let (name, stop) = self.function_name(at, may_be)?;
        let after = skip_spaces(self.input, stop);
        let whole = self.in_tag(at, self.literal(after, ">"));
        let open = || {
            let next = self.ws(stop)?;
            self.any_literal(next, &[PARAMETER, FUNCTION_CLOSER]).map(|_| next)
        };
        let found = |end, malformed, proof| {
            let tag = Tag { name, end, malformed };
            Ok(Function { tag, at, proof, is_whole: None, by_name: false })
        };
        match (whole, open()) {
            (Ok(end), _) => found(end, false, Proof::Text),
            (_, Ok(_)) => found(stop, true, Proof::Text),
            // This is undecided, but the `>` is missing if something else has begun.
            (one, two) if [one, two].contains(&Err(Miss::Cut)) => {
                match self.knows(name) && self.ws(stop).is_ok() {
                    true => found(stop, after < self.input.len(), Proof::End),
                    false => Err(Miss::Cut),
                }
            }
            (one, two) => Err(any([one, two]).err().unwrap_or(Miss::No)),
        }
    }

    /// Reads `<function=NAME/>` of a known NAME. It is a whole call if neither `<parameter` nor `</function>` follows, nor their
    /// beginning at the end of the stream. Otherwise it counts as `<function=NAME>`.
    fn empty_function(&self, at: usize) -> Result<Function<'a>, Miss> {
        let (mut name, stop) = self.function_name(at, |_| true)?;
        let mut slash = skip_spaces(self.input, stop);
        // A slash may be part of a name, but not this slash.
        if let (false, Some(known)) = (self.knows(name), name.strip_suffix('/')) {
            if self.input[..stop].ends_with(name) {
                (name, slash) = (known, stop - 1);
            }
        }
        let tag = if self.knows(name) { self.literal(slash, "/>") } else { Err(Miss::No) };
        let end = self.in_tag(at, tag)?;
        let next = skip_spaces(self.input, end);
        let follows = ["<parameter", FUNCTION_CLOSER];
        let is_whole = match self.ws(end).and_then(|at| self.any_literal(at, &follows)) {
            Ok(_) => None,
            Err(Miss::Cut) if next < self.input.len() => None,
            Err(Miss::Cut) => Some(Proof::End),
            Err(_) => Some(Proof::Text),
        };
        let tag = Tag { name, end, malformed: true };
        Ok(Function { tag, at, proof: Proof::Text, is_whole, by_name: false })
    }

    /// Reads `"<function=" ws Q(NAME)`. Returns the name, and the end of the piece.
    fn function_name(
        &self,
        at: usize,
        may_be: impl Fn(&str) -> bool,
    ) -> Result<(&'a str, usize), Miss> {
        let start = self.in_tag(at, Ok(skip_spaces(self.input, self.literal(at, FUNCTION)?)))?;
        let quoted = self.quoted(start, is_name, may_be);
        let (name, stop) = quoted.map_err(|miss| self.in_tag(at, Err(miss)).unwrap_err())?;
        self.in_tag(at, Ok(stop)).map(|stop| (name, stop))
    }

    /// Returns the answer for a tag that begins at `at`, or `TooLong` if the tag is too long by then.
    fn in_tag(&self, at: usize, seen: Seen) -> Seen {
        match seen {
            Ok(end) if end - at > TAG => Err(Miss::TooLong),
            Err(Miss::Cut) if self.input.len() - at > TAG => Err(Miss::TooLong),
            seen => seen,
        }
    }

    /// Reads `Q(x)`. Returns x, and the end of the piece. `may_be` says whether x can begin like this.
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

    /// Reads the name of a keyed body, and its confirmation.
    fn keyed(&self, at: usize) -> Result<(Tag<'a>, Proof), Miss> {
        let end = name(self.input, at, is_name)?;
        let tag = Tag { name: &self.input[at..end], end, malformed: false };
        let next = self.ws(end)?;
        let known = self.knows(tag.name);
        let counts_alone = known || self.tools.is_empty();
        let without = if counts_alone { self.call_closer(next) } else { Err(Miss::No) };
        let never_opened = if known { self.never_opened(next) } else { Err(Miss::No) };
        let text = |seen: Seen| seen.map(|_| Proof::Text);
        let follows = any([
            text(self.literal(next, KEY)),
            without.map(|closer| closer.proof),
            text(self.arguments(end)),
            text(never_opened),
        ]);
        match follows {
            Ok(proof) => Ok((tag, proof)),
            Err(Miss::Cut) if known => Ok((tag, Proof::End)),
            Err(miss) => Err(miss),
        }
    }

    /// Reads `</arg_value>` behind the name of a call without arguments. It closes a value that never opened, if `ws` and the
    /// call's closer or the opener of the next block follow, whatever stands behind that: a chain of such calls has no bound.
    /// Returns its end.
    fn never_opened(&self, at: usize) -> Seen {
        let end = self.value_closer(at)?;
        let next = self.ws(end)?;
        any([self.literal(next, CLOSER), self.literal(next, OPENER)]).map(|_| end)
    }

    pub fn value_closer(&self, at: usize) -> Seen {
        self.literal(at, VALUE_CLOSER)
    }

    /// Reads the closer of a keyed call, or one that is cut short, `</tool>` to `</tool_cal>`. Behind a short one, after `ws`,
    /// the opener of the next block, a boundary token, or the end of the stream must stand.
    pub fn call_closer(&self, at: usize) -> Result<CallCloser, Miss> {
        let whole = self.literal(at, CLOSER);
        let is_short = whole == Err(Miss::No);
        let short = || self.short_closer(at);
        match whole {
            Ok(end) => Ok(CallCloser { end, is_short, proof: Proof::Text }),
            Err(Miss::No) => short().map(|(end, proof)| CallCloser { end, is_short, proof }),
            Err(miss) => Err(miss),
        }
    }

    fn short_closer(&self, at: usize) -> Result<(usize, Proof), Miss> {
        let name = "tool_call";
        let short = (CUT_SHORT..name.len()).map(|len| format!("</{}>", &name[..len]));
        let end = any(short.map(|text| self.literal(at, &text)))?;
        let next = self.ws(end)?;
        let proof = match next == self.input.len() {
            true => Proof::End,
            false => any([self.boundary(next), self.literal(next, OPENER)]).map(|_| Proof::Text)?,
        };
        Ok((end, proof))
    }

    /// Reads the name of a keyed body whose first key lacks its opener: the longest tool's name that one of its keys follows,
    /// with its closer.
    fn glued(&self, at: usize) -> Result<Tag<'a>, Miss> {
        let mut tools: Vec<&'a Tool> = self.tools.iter().collect();
        tools.sort_by_key(|tool| std::cmp::Reverse(tool.name.len()));
        any(tools.into_iter().map(|tool| {
            let end = self.literal(at, &tool.name)?;
            any(tool.params.iter().map(|param| self.closed_key(end, &param.name)))?;
            Ok(Tag { name: &tool.name, end, malformed: false })
        }))
    }

    /// Reads `ws KEY ws "</arg_key>"`.
    fn closed_key(&self, at: usize, key: &str) -> Seen {
        let end = self.literal(self.ws(at)?, key)?;
        self.literal(self.ws(end)?, KEY_CLOSER)
    }

    // ---- inside a call ----

    /// Accepts the opener of a function or a block inside another call only if the text behind it proves it.
    fn proven<T>(found: Result<(T, Proof), Miss>) -> Result<T, Miss> {
        match found? {
            (found, Proof::Text) => Ok(found),
            (_, Proof::End) => Err(Miss::Cut),
        }
    }

    /// Reads the opener of the next function.
    pub fn next_function(&self, form: Form, at: usize) -> Seen {
        let found = match form {
            Form::Functions => self.function_in_block(at),
            Form::BareFunction => self.bare_function(at),
            Form::Keyed => Err(Miss::No),
        };
        Self::proven(found.map(|found| (found.tag.end, found.proof)))
    }

    /// Reads the opener of the next function where a value may end. In a block only the form's own tag counts there.
    fn next_function_after_value(&self, form: Form, at: usize) -> Seen {
        match form {
            Form::Functions => {
                let found = self.function(at, |_| true)?;
                Self::proven(Ok((found.tag.end, found.proof)))
            }
            Form::BareFunction | Form::Keyed => self.next_function(form, at),
        }
    }

    /// Reads the opener of the next block.
    pub fn next_block(&self, at: usize) -> Seen {
        Self::proven(self.block(at).map(|block| (block.at, block.proof)))
    }

    /// Reads `<parameter=KEY>`, also with `=` or a line break in place of `>`, or `<parameter name=KEY>`.
    pub fn param(&self, at: usize) -> Result<Tag<'a>, Miss> {
        let own = |malformed_ends: &[&str]| {
            let start = self.literal(at, PARAMETER)?;
            let (key, stop) = self.quoted(start, is_key, |_| true)?;
            let whole = self.literal(stop, ">").map(|end| (end, false));
            let malformed = self.any_literal(stop, malformed_ends).map(|end| (end, true));
            any([whole, malformed]).map(|end| (key, end))
        };
        let named = || {
            let start = self.literal(at, NAMED_PARAMETER)?;
            let (key, stop) = self.quoted(start, is_key, |_| true)?;
            Ok((key, (self.literal(stop, ">")?, true)))
        };
        let (key, (end, malformed)) = any([own(&["=", "\n", "\r\n"]), named()])?;
        let name = key.trim_matches(is_space);
        if name.is_empty() { Err(Miss::No) } else { Ok(Tag { name, end, malformed }) }
    }

    pub fn function_closer(&self, at: usize, call: &Call<'a>) -> Seen {
        let by_name = match call.by_name {
            true => self.literal(at, &format!("</{}>", call.name)),
            false => Err(Miss::No),
        };
        any([self.literal(at, FUNCTION_CLOSER), by_name])
    }

    /// Reads `<arg_key>KEY</arg_key>`. Without a KEY or its closer it is malformed, and has no name. With a doubled opener it is
    /// malformed, too.
    pub fn key(&self, at: usize) -> Result<Tag<'a>, Miss> {
        let start = self.literal(at, KEY)?;
        let doubled = || {
            let second = self.literal(self.ws(start)?, KEY)?;
            let blank = skip_spaces(self.input, second);
            // Without a KEY the opener is not doubled, whatever follows.
            if self.input[blank..].starts_with('<') {
                return Err(Miss::No);
            }
            self.single_key(second)
        };
        match doubled() {
            Ok(tag) if !tag.malformed => Ok(Tag { malformed: true, ..tag }),
            Err(miss @ (Miss::Cut | Miss::TooLong)) => Err(miss),
            _ => self.single_key(start),
        }
    }

    /// Reads a key behind its opener.
    fn single_key(&self, start: usize) -> Result<Tag<'a>, Miss> {
        let stop = match self.input[start..].starts_with('<') {
            true => start,
            false => name(self.input, start, |c| c != '<')?,
        };
        let (name, end) = match self.literal(stop, KEY_CLOSER) {
            Ok(end) => (self.input[start..stop].trim_matches(is_space), end),
            Err(Miss::Cut) => return Err(Miss::Cut),
            Err(_) => ("", stop),
        };
        Ok(Tag { name, end, malformed: name.is_empty() })
    }

    /// Reads a key without its opener, of a parameter that the call lacks.
    pub fn bare_key(&self, at: usize, call: &Call<'a>) -> Result<Tag<'a>, Miss> {
        let open = call.declared().filter(|param| call.lacks(&param.name));
        any(open.map(|param| {
            let end = self.closed_key(at, &param.name)?;
            Ok(Tag { name: &param.name, end, malformed: true })
        }))
    }

    pub fn value(&self, at: usize) -> Seen {
        self.literal(at, VALUE)
    }

    /// Returns the beginning of a value without its opener, behind a key that ends at `at`. Within 256 bytes, the value's
    /// closer must be the first of these tags, or none of them stands there.
    pub fn bare_value(&self, at: usize, framed: bool) -> Option<usize> {
        let line = |at: usize| at + line_break_at_start(&self.input[at..]);
        let mut at = if framed { line(at) } else { at };
        while let Ok(end) = self.ws(at).and_then(|at| self.literal(at, KEY_CLOSER)) {
            at = line(end);
        }
        let rest = &self.input.as_bytes()[at..];
        let near = &rest[..rest.len().min(FORGOTTEN)];
        let find = |tag: &'static str| {
            let at = near.windows(tag.len()).position(|here| here == tag.as_bytes())?;
            Some((at, tag))
        };
        let first = [VALUE_CLOSER, VALUE, KEY, CLOSER].into_iter().filter_map(find).min();
        let begins = first.is_none_or(|(_, tag)| tag == VALUE_CLOSER);
        (begins && !rest.is_empty()).then_some(at)
    }

    /// Reads a tag that shows that this is no value without an opener. An opener that nothing confirms is data.
    pub fn no_value(&self, at: usize) -> Seen {
        let block = self.next_block(at);
        let block =
            if self.literal(at, OPENER).is_ok() { block.map_err(|_| Miss::No) } else { block };
        any([self.any_literal(at, &[VALUE, KEY, CLOSER]), block])
    }

    // ---- values ----

    /// Reads a closer. Returns its end. The next parameter, as a closer, has no bytes that belong to the value.
    pub fn closer(&self, form: Form, closer: Closer, at: usize, call: &Call<'a>) -> Seen {
        match (closer, form) {
            (Closer::Block, _) => self.literal(at, CLOSER),
            (Closer::Own, Form::Keyed) => self.value_closer(at),
            (Closer::Named, _) => match call.given.last() {
                Some(key) if !key.is_empty() => self.literal(at, &format!("</{key}>")),
                _ => Err(Miss::No),
            },
            (_, Form::Keyed) => Err(Miss::No),
            (Closer::Own, _) => self.literal(at, PARAMETER_CLOSER),
            (Closer::Function, _) => self.function_closer(at, call),
            (Closer::Next, _) if self.input[..at].ends_with('\n') => {
                let key = self.literal(at, PARAMETER)?;
                if ["", "\"", "'"].contains(&&self.input[key..]) {
                    return Err(Miss::Cut);
                }
                let open = call.declared().filter(|param| call.lacks(&param.name));
                any(open.flat_map(|param| ["", "\"", "'"].map(|quote| (&param.name, quote))).map(
                    |(name, quote)| {
                        let tag = format!("{PARAMETER}{quote}{name}{quote}>");
                        self.literal(at, &tag).map(|_| at)
                    },
                ))
            }
            (Closer::Next, _) => Err(Miss::No),
        }
    }

    /// Whether the opener of a declared tool's call stands here, confirmed by a parameter's opener, its closer, or an object.
    pub fn quotes_call(&self, at: usize) -> bool {
        let keyed = || {
            let name_at = self.ws(self.literal(at, OPENER).ok()?).ok()?;
            let stop = name(self.input, name_at, is_name).ok()?;
            Some((&self.input[name_at..stop], stop, [KEY, CLOSER]))
        };
        let function = || {
            let found = self.function(at, |_| true).ok().filter(|found| !found.tag.malformed)?;
            let end = found.tag.end;
            let whole = self.input[..end].ends_with('>');
            whole.then_some((found.tag.name, end, [PARAMETER, FUNCTION_CLOSER]))
        };
        let found = self.keyed.then(keyed).flatten();
        let found = found.or_else(|| self.functions.then(function).flatten());
        found.is_some_and(|(name, end, body)| {
            let next = self.ws(end);
            let confirmed = next.and_then(|next| self.any_literal(next, &body)).is_ok();
            self.knows(name) && (confirmed || next.is_ok() && self.arguments(end).is_ok())
        })
    }

    /// Whether a well-formed opener of a declared parameter stands here, given or not.
    pub fn is_suspect(&self, form: Form, at: usize, call: &Call<'a>) -> bool {
        let (opener, ends): (_, &[(&str, &str)]) = match form {
            Form::Keyed => (KEY, &[("", KEY_CLOSER)]),
            _ => (PARAMETER, &[("", ">"), ("\"", "\">"), ("'", "'>")]),
        };
        let is = |param: &Param, (quote, end): (&str, &str)| {
            let name = self.ws(self.literal(self.literal(at, opener)?, quote)?)?;
            self.literal(self.ws(self.literal(name, &param.name)?)?, end)
        };
        call.declared().any(|param| ends.iter().any(|end| is(param, *end).is_ok()))
    }

    /// Whether the grammar can go on at `at`, right after a closer. Only then the closer ends the value.
    pub fn can_go_on(
        &self,
        form: Form,
        closer: Closer,
        at: usize,
        call: &Call<'a>,
    ) -> Result<Proof, Miss> {
        if closer == Closer::Next {
            return Ok(Proof::Text);
        }
        let next = self.ws(at)?;
        let end = self.input.len();
        match (closer, form) {
            (Closer::Own, Form::Keyed) => Proof::of(any([
                self.any_literal(next, &[KEY, OPENER]),
                self.call_closer(next).map(|closer| closer.end),
                self.bare_key(at, call).map(|tag| tag.end),
            ])),
            // The end of the stream proves nothing here.
            (Closer::Named, Form::Keyed) => {
                self.any_literal(next, &[KEY, CLOSER]).map(|_| Proof::Text)
            }
            (Closer::Named, _) => any([
                self.param(next).map(|tag| tag.end),
                self.function_closer(next, call),
                self.literal(next, CLOSER),
            ])
            .map(|_| Proof::Text),
            (Closer::Own, _) => Proof::of(any([
                self.param(next).map(|tag| tag.end),
                self.function_closer(next, call),
                self.literal(next, CLOSER),
                self.next_function_after_value(form, next),
                self.block_after_value(next),
            ])),
            (Closer::Function, _) => match self.literal(next, CLOSER) {
                Ok(after) => self.ends_message(self.ws(after)?, Form::BareFunction),
                Err(Miss::Cut) => Ok(Proof::End),
                Err(_) => self.ends_message(next, form),
            },
            (Closer::Block, Form::Keyed) => self.ends_message(next, Form::BareFunction),
            (Closer::Block, _) if next == end => Ok(Proof::End),
            (Closer::Block | Closer::Next, _) => Err(Miss::No),
        }
    }

    /// Reads the opener of a block where a value may end. A doubled opener does not count there.
    fn block_after_value(&self, at: usize) -> Seen {
        Self::proven(self.single_block(at).map(|block| (block.at, block.proof)))
    }

    /// Reads the text that must stand after a call's closer that also ends its value (common.md 2.4). `form` says which
    /// functions may begin there: those of the block, or bare ones.
    fn ends_message(&self, at: usize, form: Form) -> Result<Proof, Miss> {
        if at == self.input.len() {
            return Ok(Proof::End);
        }
        let found = [
            self.boundary(at),
            self.next_function_after_value(form, at),
            self.block_after_value(at),
        ];
        match any(found) {
            Ok(_) => Ok(Proof::Text),
            Err(miss) => Err(miss),
        }
    }
}

/// A character of a parameter's KEY.
fn is_key(c: char) -> bool {
    !"<>=\"'\n".contains(c)
}
