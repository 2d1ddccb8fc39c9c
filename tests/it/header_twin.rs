//! Twin of the dialects of calls with headers: a slow reader of whole messages, written from the specification. It looks ahead as
//! far as it likes, and has no states to carry over a cut. It says what a host gets (text, reasoning, calls), and not by which
//! events. Tested with seeded soups of markers, cut anywhere.

use toolstream::repair::{self, Repairs};
use toolstream::{Block, Dialect, Event, Param, Parser, Tool, options::bounds};

use crate::support::soup::{self, Choices};

/// Longest run of white space after a marker, and longest header, in bytes.
const WHITE_SPACE: usize = 256;
const HEADER: usize = 1024;

/// A dialect, as in its section of the specification.
struct Form {
    dialect: Dialect,
    open: &'static [&'static str],
    close: &'static [&'static str],
    begin: &'static str,
    end: &'static [&'static str],
    /// The parts of the header after `begin`, in each of its notations.
    headers: &'static [&'static [Part]],
    last: &'static str,
    tokens: bool,
    fenced: bool,
    boundary: &'static [&'static str],
    /// An invented result begins with these texts, with white space between them.
    result: &'static [&'static str],
    think: (&'static str, &'static str),
}

#[derive(Clone, Copy)]
enum Part {
    Is(&'static str),
    /// White space, possibly none.
    Space,
    Name,
    /// An id of the form `functions.NAME:0`, with the name in it.
    NameInId,
    /// An id, possibly empty.
    Id,
    /// A word without a meaning.
    Word,
}
use Part::{Id, Is, Name, NameInId, Space, Word};

/// Kinds of rejected openers.
const CALL: usize = 0;
const SECTION: usize = 1;

const ARGUMENT: &str = "<|tool_call_argument_begin|>";
/// An id with its prefix, the longest name, and the longest index of 64 bits.
const LONGEST_ID: usize = "functions.".len() + bounds::NAME + ":18446744073709551615".len();
const SEPARATOR: &str = "<｜tool▁sep｜>";
const TOOL_NAME: &str = "<|plamo:begin_tool_name:plamo|>";
const END_NAME: &str = "<|plamo:end_tool_name:plamo|>";
const ARGUMENTS: &str = "<|plamo:begin_tool_arguments:plamo|>";
const MSG: &str = "<|plamo:msg|>";
const CONSTRAIN: &str = "<|plamo:constrain|>json";

const FORMS: [Form; 4] = [
    Form {
        dialect: Dialect::KIMI_K2,
        open: &["<|tool_calls_section_begin|>", "<|tool_call_section_begin|>"],
        close: &["<|tool_calls_section_end|>", "<|tool_call_section_end|>"],
        begin: "<|tool_call_begin|>",
        end: &["<|tool_call_end|>"],
        headers: &[&[Space, NameInId, Space, Is(ARGUMENT)]],
        last: ARGUMENT,
        tokens: true,
        fenced: false,
        boundary: &["<|im_end|>", "[EOS]"],
        result: &["<|im_system|>", "tool", "<|im_middle|>"],
        think: ("<think>", "</think>"),
    },
    Form {
        dialect: Dialect::SOLAR_OPEN,
        open: &["<|tool_calls|>"],
        close: &["<|calls|>"],
        begin: "<|tool_call:begin|>",
        end: &["<|tool_call:end|>"],
        headers: &[&[
            Space,
            Id,
            Space,
            Is("<|tool_call:name|>"),
            Space,
            Name,
            Space,
            Is("<|tool_call:args|>"),
        ]],
        last: "<|tool_call:args|>",
        tokens: false,
        fenced: false,
        boundary: &["<|begin|>assistant", "<|begin|>", "<|content|>", "<|flush|>", "<|end|>"],
        result: &[],
        think: ("<|think|>", "<|end|>"),
    },
    Form {
        dialect: Dialect::PLAMO3,
        open: &["<|plamo:begin_tool_requests:plamo|>"],
        close: &["<|plamo:end_tool_requests:plamo|>"],
        begin: "<|plamo:begin_tool_request:plamo|>",
        end: &["<|plamo:end_tool_arguments:plamo|>", "<|plamo:end_tool_request:plamo|>"],
        headers: &[
            &[Space, Is(TOOL_NAME), Name, Is(END_NAME), Space, Is(ARGUMENTS)],
            &[Space, Is(TOOL_NAME), Name, Is(END_NAME), Space, Is(ARGUMENTS), Space, Is(MSG)],
            &[Space, Is(TOOL_NAME), Name, Is(END_NAME), Space, Is(ARGUMENTS), Space, Is(CONSTRAIN)],
            &[
                Space,
                Is(TOOL_NAME),
                Name,
                Is(END_NAME),
                Space,
                Is(ARGUMENTS),
                Space,
                Is(CONSTRAIN),
                Space,
                Is(MSG),
            ],
        ],
        last: MSG,
        tokens: false,
        fenced: false,
        boundary: &["<|plamo:tag|>"],
        result: &[],
        think: ("<|plamo:begin_think:plamo|>", "<|plamo:end_think:plamo|>"),
    },
    Form {
        dialect: Dialect::DEEPSEEK_V3,
        open: &["<｜tool▁calls▁begin｜>"],
        close: &["<｜tool▁calls▁end｜>"],
        begin: "<｜tool▁call▁begin｜>",
        end: &["<｜tool▁call▁end｜>"],
        headers: &[
            &[Space, Name, Space, Is(SEPARATOR)],
            &[Space, Word, Space, Is(SEPARATOR), Space, Name],
        ],
        last: SEPARATOR,
        tokens: false,
        fenced: true,
        boundary: &["<｜end▁of▁sentence｜>", "<｜User｜>", "<｜Assistant｜>"],
        result: &["<｜tool▁outputs▁begin｜>"],
        think: ("<think>", "</think>"),
    },
];

/// A call for a host: name, id, arguments as written, and whether it may run.
type Call = (String, Option<String>, Option<String>, bool);

#[derive(Debug, Default, PartialEq, Eq)]
struct Read {
    text: String,
    reasoning: String,
    calls: Vec<Call>,
}

/// The result of looking for something: its end, its absence, or the end of the message before that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Seen {
    To(usize),
    No,
    Cut,
}

/// A header that was recognised.
#[derive(Clone, Debug, Default)]
struct Header {
    end: usize,
    name: String,
    id: Option<String>,
}

fn tools() -> Vec<Tool> {
    let read = Tool::new("read").param(Param::required("path")).param(Param::optional("line"));
    vec![read, Tool::new("list"), Tool::new("find").param(Param::required("q"))]
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || "_.-/:+@$".contains(c)
}

struct Reader<'a> {
    form: &'a Form,
    tools: &'a [Tool],
    input: &'a str,
    at: usize,
    read: Read,
    /// The numbers of rejected openers in text, of calls and of sections. Each of them makes one closer of its kind text.
    rejected: [usize; 2],
    /// Whether a call has ended, with nothing but white space and closers since.
    after_call: bool,
    /// The number of rejected openers of reasoning.
    rejected_thoughts: usize,
    /// Whether the closer of a section may come, because a call began without the section's opener.
    owed: bool,
    after_markup: usize,
}

impl<'a> Reader<'a> {
    fn rest(&self, at: usize) -> &'a str {
        &self.input[at..]
    }

    fn literal(&self, at: usize, text: &str) -> Seen {
        let rest = self.rest(at);
        match rest.starts_with(text) {
            true => Seen::To(at + text.len()),
            false if text.starts_with(rest) => Seen::Cut,
            false => Seen::No,
        }
    }

    /// Reads the first of these texts that stands here.
    fn any(&self, at: usize, texts: &[&str]) -> Seen {
        let seen = texts.iter().map(|text| self.literal(at, text));
        seen.fold(Seen::No, |best, seen| match (best, seen) {
            (Seen::To(_), _) | (_, Seen::No) => best,
            _ => seen,
        })
    }

    /// Reads white space, of at most 256 bytes.
    fn space(&self, at: usize) -> Seen {
        let rest = self.rest(at);
        let end = at + rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n']).len();
        match end - at <= WHITE_SPACE {
            false => Seen::No,
            true if end == self.input.len() => Seen::Cut,
            true => Seen::To(end),
        }
    }

    fn then(seen: Seen, next: impl FnOnce(usize) -> Seen) -> Seen {
        if let Seen::To(end) = seen { next(end) } else { seen }
    }

    /// Reads a header after `begin`. If the message ends in it, the header has what is known.
    fn header(&self, at: usize, parts: &[Part]) -> (Seen, Header) {
        let mut header = Header { end: at, ..Header::default() };
        for part in parts {
            let from = header.end;
            let run = self.rest(from).find(|c| !is_name(c)).unwrap_or(self.rest(from).len());
            let word = &self.input[from..from + run];
            let open = from + run == self.input.len();
            let seen = match part {
                Is(text) => self.literal(from, text),
                Space => self.space(from),
                Id if run <= bounds::NAME => {
                    header.id = Some(word.to_string());
                    if open { Seen::Cut } else { Seen::To(from + run) }
                }
                Name | Word if (1..=bounds::NAME).contains(&run) => {
                    if let (Name, false) = (part, open) {
                        header.name = word.to_string();
                    }
                    if open { Seen::Cut } else { Seen::To(from + run) }
                }
                NameInId if run > LONGEST_ID => Seen::No,
                NameInId if open && run > 0 => Seen::Cut,
                NameInId => {
                    let name = word.strip_prefix("functions.").filter(|name| !name.is_empty());
                    let name = name.unwrap_or(word);
                    let index = name.rsplit_once(':').filter(|(_, index)| {
                        !index.is_empty() && index.bytes().all(|byte| byte.is_ascii_digit())
                    });
                    let name = index.map_or(name, |(name, _)| name);
                    let digits = name.bytes().all(|byte| byte.is_ascii_digit()) && index.is_none();
                    header.name = name.to_string();
                    header.id = Some(word.to_string());
                    let is_one = (1..=bounds::NAME).contains(&name.len()) && !digits;
                    if is_one { Seen::To(from + run) } else { Seen::No }
                }
                _ => Seen::No,
            };
            match seen {
                Seen::To(end) => header.end = end,
                seen => return (seen, header),
            }
        }
        (Seen::To(header.end), header)
    }

    /// Finds the brace of an object, after white space.
    fn object(&self, at: usize) -> Seen {
        Self::then(self.space(at), |at| {
            let fence = if self.form.fenced { self.literal(at, "```") } else { Seen::No };
            let fenced = Self::then(fence, |at| {
                let rest = self.rest(at);
                let letters = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
                Self::then(self.space(at + letters), |at| self.literal(at, "{"))
            });
            match (self.literal(at, "{"), fenced) {
                (Seen::To(end), _) | (_, Seen::To(end)) => Seen::To(end - 1),
                (Seen::Cut, _) | (_, Seen::Cut) => Seen::Cut,
                _ => Seen::No,
            }
        })
    }

    /// Reads a call's header at `begin`, with its confirmation. `Cut`: the message ends before that is decided. Then the
    /// header is given if it is whole and names a declared tool.
    fn call(&self, at: usize) -> (Seen, Option<Header>) {
        self.call_after(at + self.form.begin.len())
    }

    /// Reads a call without the token that begins it, with its confirmation. `plamo3` has such calls, and `kimi-k2` has them in a
    /// section.
    fn headless(&self, at: usize) -> (Seen, Option<Header>) {
        if self.form.tokens {
            return if self.owed { (Seen::No, None) } else { self.bare_id(at) };
        }
        let has = self.form.last == MSG && self.rest(at).starts_with(TOOL_NAME);
        if has { self.call_after(at) } else { (Seen::No, None) }
    }

    /// Reads the id of a declared tool with its index, the token behind it, and an object.
    fn bare_id(&self, at: usize) -> (Seen, Option<Header>) {
        let (seen, header) = self.header(at, &[NameInId, Is(ARGUMENT)]);
        let known = self.tools.iter().any(|tool| tool.name == header.name);
        let id = header.id.clone().unwrap_or_default();
        let indexed = !id.ends_with(&header.name);
        match seen {
            Seen::Cut if header.id.is_none() => {
                let word = self.rest(at);
                let begins = |word: &str| {
                    self.tools.iter().any(|tool| {
                        let index =
                            word.strip_prefix(&*tool.name).and_then(|rest| rest.strip_prefix(':'));
                        let digits = |index: &str| index.bytes().all(|byte| byte.is_ascii_digit());
                        tool.name.starts_with(word) || index.is_some_and(digits)
                    })
                };
                let after = word.strip_prefix("functions.");
                let may_be =
                    "functions.".starts_with(word) || begins(word) || after.is_some_and(begins);
                (if may_be { Seen::Cut } else { Seen::No }, None)
            }
            Seen::No => (Seen::No, None),
            _ if !(known && indexed) => (Seen::No, None),
            Seen::Cut => (Seen::Cut, None),
            Seen::To(end) => match self.object(end) {
                Seen::To(_) => (Seen::To(end), Some(header)),
                Seen::Cut => (Seen::Cut, Some(header)),
                Seen::No => (Seen::No, None),
            },
        }
    }

    /// Reads this text after white space of at most 128 bytes.
    fn near(&self, at: usize, text: &str) -> Seen {
        Self::then(self.space(at), |next| match next - at <= 128 {
            true => self.literal(next, text),
            false => Seen::No,
        })
    }

    /// Reads the beginning of an object at this brace that names a declared tool, with its arguments behind the name. Returns the
    /// beginning of the arguments, and the name. `Cut`: the message ends before that is known.
    fn named_inside(&self, brace: usize) -> (Seen, Option<String>) {
        let name = Self::then(self.near(brace + 1, "\"name\""), |at| self.near(at, ":"));
        let name = Self::then(name, |at| self.near(at, "\""));
        let Seen::To(from) = name else { return (name, None) };
        let of = self.tools.iter().find(|tool| {
            self.rest(from).strip_prefix(&*tool.name).is_some_and(|rest| rest.starts_with('"'))
        });
        let Some(tool) = of else { return (Seen::No, None) };
        let comma = self.near(from + tool.name.len() + 1, ",");
        let keys = ["\"arguments\"", "\"parameters\"", "\"args\"", "\"input\""];
        let key = Self::then(comma, |at| Self::then(self.space(at), |at| self.any(at, &keys)));
        (Self::then(key, |at| self.near(at, ":")), Some(tool.name.clone()))
    }

    /// Reads a call whose id names no tool, but whose object does. `None`: this is no such call. Otherwise says whether the
    /// section goes on, if the message does.
    fn foreign(&mut self, header: &Header) -> Option<Option<bool>> {
        let known = self.tools.iter().any(|tool| tool.name == header.name);
        let Seen::To(brace) = self.object(header.end) else { return None };
        if known {
            return None;
        }
        let id = header.id.clone();
        match self.named_inside(brace) {
            (Seen::To(at), Some(name)) => {
                let (end, whole) = self.json(brace);
                let value = at + self.rest(at).len() - self.rest(at).trim_start().len();
                let object = self.rest(value).starts_with('{');
                let (last, closed) = if object { self.json(value) } else { (value, None) };
                let raw = object.then(|| self.input[value..last].to_string());
                // The last brace of the outer object may be missing where a token ends the call.
                let rest = self.input[last..end.max(last)].trim_matches([' ', '\t', '\r', '\n']);
                let ends = whole == Some(true) || whole == Some(false) && rest.is_empty();
                let runs = ends && closed == Some(true);
                self.read.calls.push((name, id, raw, runs));
                self.after_json(end, whole);
                Some(whole.map(|_| self.after_object()))
            }
            (Seen::Cut, Some(name)) => {
                self.read.calls.push((name, id, None, false));
                Some(None)
            }
            _ => None,
        }
    }

    /// Reads half a header behind the token at `at`, up to the next token, of at most 128 bytes. Says whether the section goes
    /// on. `None`: the message ends undecided.
    fn half_header(&mut self, at: usize) -> Option<bool> {
        let form = self.form;
        let from = at + form.begin.len();
        let rest = self.rest(from);
        let end = from + rest.find(['{', '\r', '\n', '<', '[']).unwrap_or(rest.len());
        let tokens = [form.open, form.close, form.end, form.boundary, &[form.begin, ARGUMENT]];
        if end - from <= 128 {
            if end == self.input.len() {
                return None;
            }
            match self.any(end, &tokens.concat()) {
                Seen::To(_) => {
                    self.to(end);
                    return Some(true);
                }
                Seen::Cut => return None,
                Seen::No => {}
            }
        }
        self.to(from);
        Some(false)
    }

    /// Reads an argument token without a header, with its object. Says whether the object is whole, if there is one.
    fn stray_argument(&mut self, end: usize) -> Option<Option<bool>> {
        self.to(end);
        let Seen::To(brace) = self.object(end) else { return None };
        let (end, whole) = self.json(brace);
        self.after_json(end, whole);
        Some(whole)
    }

    fn call_after(&self, begin: usize) -> (Seen, Option<Header>) {
        let mut cut = (Seen::No, None);
        for parts in self.form.headers {
            let (seen, header) = self.header(begin, parts);
            let confirmed = Self::then(seen, |end| match self.form.tokens {
                true => Seen::To(end),
                // The word before a name may itself be the name, but only if an object stands right after it.
                false if header.name == "function" && parts.len() == 4 => {
                    match Self::then(self.space(end), |at| self.literal(at, "{")) {
                        Seen::To(_) => Seen::To(end),
                        seen => seen,
                    }
                }
                false => match (
                    self.object(end),
                    Self::then(self.space(end), |at| self.any(at, self.form.end)),
                ) {
                    (Seen::To(_), _) | (_, Seen::To(_)) => Seen::To(end),
                    (Seen::Cut, _) | (_, Seen::Cut) => Seen::Cut,
                    _ => Seen::No,
                },
            });
            match confirmed {
                Seen::To(_) => return (confirmed, Some(header)),
                Seen::Cut => {
                    let known = self.tools.iter().any(|tool| tool.name == header.name);
                    let whole = matches!(seen, Seen::To(_)) && known;
                    cut = (Seen::Cut, cut.1.or(whole.then_some(header)));
                }
                Seen::No => {}
            }
        }
        cut
    }

    fn message(mut self) -> Read {
        while self.at < self.input.len() {
            self.prose(false);
        }
        self.read
    }

    fn to(&mut self, end: usize) {
        (self.at, self.after_markup) = (end, end);
    }

    fn say(&mut self, end: usize, reasoning: bool) {
        let said = &self.input[self.at..end];
        let is_white = said.trim_matches([' ', '\t', '\r', '\n']).is_empty();
        self.owed &= is_white;
        self.after_call &= is_white;
        match reasoning {
            true => self.read.reasoning.push_str(said),
            false => self.read.text.push_str(said),
        }
        self.at = end;
    }

    fn at_line_start(&self) -> bool {
        let line = self.input[..self.at].trim_end_matches([' ', '\t']);
        self.at == self.after_markup || line.is_empty() || line.ends_with('\n')
    }

    /// Finds the end of the markup behind a section's opener that no call confirms, if the section's closer stands there or the
    /// message ends.
    fn empty(&self, open: usize) -> Option<usize> {
        let closes = Self::then(self.space(open), |at| self.any(at, self.form.close));
        if let Seen::To(end) = closes {
            return Some(end);
        }
        // At most two boundary tokens may stand before the end.
        let mut at = open;
        for _ in 0..2 {
            match Self::then(self.space(at), |at| self.any(at, self.form.boundary)) {
                Seen::To(end) => at = end,
                // At the end, half a token counts as a token.
                Seen::Cut => return Some(open),
                Seen::No => break,
            }
        }
        let rest = self.rest(at);
        let is_over =
            rest.len() <= WHITE_SPACE && rest.trim_matches([' ', '\t', '\r', '\n']).is_empty();
        is_over.then_some(open)
    }

    /// Whether an invented result begins here.
    fn is_result(&self) -> bool {
        let Some((first, parts)) = self.form.result.split_first() else { return false };
        let mut seen = self.literal(self.at, first);
        for part in parts {
            seen = Self::then(seen, |at| Self::then(self.space(at), |at| self.literal(at, part)));
        }
        self.after_call && matches!(seen, Seen::To(_))
    }

    /// Reads the calls of a section.
    fn calls(&mut self, starts: bool) {
        let before = self.read.calls.len();
        self.section(starts);
        self.after_call |= self.read.calls.len() > before;
    }

    /// Reads one marker, or one character of text or reasoning.
    fn prose(&mut self, reasoning: bool) {
        let (form, at) = (self.form, self.at);
        let next = at + self.rest(at).chars().next().map_or(0, char::len_utf8);
        if self.is_result() {
            return self.to(self.input.len());
        }
        if let Seen::To(end) = self.any(at, form.open) {
            let begins = Self::then(self.space(end), |at| self.literal(at, form.begin));
            let headless = match self.space(end) {
                Seen::To(at) => {
                    // At the end of the message, the name of a declared tool confirms the section.
                    let named = self.rest(at).strip_prefix(TOOL_NAME).unwrap_or_default();
                    let known = self.tools.iter().any(|tool| {
                        let rest = named.strip_prefix(&*tool.name);
                        rest.is_some_and(|rest| rest.starts_with('<'))
                    });
                    match self.headless(at) {
                        (Seen::To(_), _) | (_, Some(_)) => true,
                        (seen, _) => seen == Seen::Cut && known,
                    }
                }
                _ => false,
            };
            if form.tokens || headless || matches!(begins, Seen::To(_)) {
                self.owed = false;
                self.to(end);
                return self.calls(true);
            }
            if let Some(end) = self.empty(end) {
                self.owed = false;
                return self.to(end);
            }
            self.rejected[SECTION] += usize::from(!reasoning);
        }
        if let (false, Seen::To(_)) = (reasoning, self.literal(at, form.begin)) {
            if form.tokens || matches!(self.call(at), (Seen::To(_), _) | (_, Some(_))) {
                self.owed = true;
                return self.calls(false);
            }
            self.rejected[CALL] += 1;
        }
        if !reasoning && form.last == MSG && self.rest(at).starts_with(TOOL_NAME) {
            if matches!(self.headless(at), (Seen::To(_), _) | (_, Some(_))) {
                self.owed = true;
                return self.calls(false);
            }
            self.rejected[CALL] += 1;
        }
        if reasoning {
            return match self.literal(at, form.think.1) {
                Seen::To(end) => self.to(end),
                _ => self.say(next, true),
            };
        }
        if let (true, Seen::To(end)) = (form.tokens, self.literal(at, ARGUMENT)) {
            self.owed = false;
            if let Some(Some(_)) = self.stray_argument(end) {
                if let Seen::To(at) = self.skip_space() {
                    if let Seen::To(end) = self.any(at, form.end) {
                        self.to(end);
                    }
                }
            }
            return;
        }
        for (kind, closers) in [(SECTION, form.close), (CALL, form.end)] {
            if let Seen::To(end) = self.any(at, closers) {
                let owed = self.owed && kind == SECTION;
                self.owed = false;
                if owed || self.rejected[kind] == 0 {
                    return self.to(end);
                }
                self.rejected[kind] -= 1;
                return self.say(end, false);
            }
        }
        let anywhere = form.think.0 != "<think>";
        if let (Seen::To(end), true) =
            (self.literal(at, form.think.0), anywhere || self.at_line_start())
        {
            self.owed = false;
            self.to(end);
            return self.thought();
        }
        if let (Seen::To(end), false) = (self.literal(at, form.think.0), anywhere) {
            // In the middle of a line the opener is prose, and so is its closer.
            self.rejected_thoughts += 1;
            return self.say(end, false);
        }
        if let (Seen::To(end), 1..) = (self.literal(at, form.think.1), self.rejected_thoughts) {
            self.rejected_thoughts -= 1;
            return self.say(end, false);
        }
        let [boundary, end] = [form.boundary, &[form.think.1][..]].map(|of| self.any(at, of));
        match (boundary, end) {
            (Seen::To(end), _) | (_, Seen::To(end)) => {
                self.owed = false;
                self.to(end);
            }
            _ => self.say(next, false),
        }
    }

    /// Reads reasoning, up to its closer or a section.
    fn thought(&mut self) {
        while self.at < self.input.len() {
            let (before, said) = (self.at, self.read.reasoning.len());
            self.prose(true);
            if self.read.reasoning.len() == said && self.at > before {
                return;
            }
        }
    }

    /// Reads between the calls of a section. If the message ends undecided, the rest of it is markup.
    fn section(&mut self, mut starts: bool) {
        let form = self.form;
        while let Seen::To(at) = self.skip_space() {
            let begins = self.literal(at, form.begin);
            let opens = if starts { self.any(at, form.open) } else { Seen::No };
            let (ends, closes) = (self.any(at, form.end), self.any(at, form.close));
            let named = if form.last == MSG { self.literal(at, TOOL_NAME) } else { Seen::No };
            let argument = if form.tokens { self.literal(at, ARGUMENT) } else { Seen::No };
            if let Seen::To(end) = argument {
                match self.stray_argument(end) {
                    Some(None) => return,
                    Some(_) if !self.after_object() => return,
                    _ => starts = false,
                }
            } else if let (true, (Seen::To(_), Some(header))) = (form.tokens, self.headless(at)) {
                match self.whole_header(header) {
                    true => starts = false,
                    false => return,
                }
            } else if let (true, (Seen::Cut, header)) = (form.tokens, self.headless(at)) {
                let call = header.map(|header| (header.name, header.id, None, false));
                self.read.calls.extend(call);
                return self.to(self.input.len());
            } else if let Seen::To(end) = named {
                match self.headless(at) {
                    (Seen::To(_), Some(header)) => match self.whole_header(header) {
                        true => starts = false,
                        false => return,
                    },
                    (_, Some(header)) => {
                        self.read.calls.push((header.name, header.id, None, false));
                        return self.to(self.input.len());
                    }
                    (Seen::Cut, None) => return self.to(self.input.len()),
                    _ => self.to(end),
                }
            } else if let Seen::To(_) = begins {
                // Behind a call, even one without a name, another opener ends the section.
                match self.one_call(at) {
                    Some(goes_on) if goes_on => starts = false,
                    Some(_) => return,
                    None => return self.to(self.input.len()),
                }
            } else if let Seen::To(end) = closes {
                self.owed = false;
                return self.to(end);
            } else if let (Seen::To(end), _) | (_, Seen::To(end)) = (opens, ends) {
                self.to(end);
            } else if [begins, named, argument, opens, ends, closes].contains(&Seen::Cut) {
                return self.to(self.input.len());
            } else {
                return;
            }
        }
    }

    /// Reads white space of any length.
    fn skip_space(&mut self) -> Seen {
        let rest = self.rest(self.at);
        let blanks = rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n']).len();
        if blanks > 0 {
            self.to(self.at + blanks);
        }
        if self.at == self.input.len() { Seen::Cut } else { Seen::To(self.at) }
    }

    /// Reads a call, or something in its place. Says whether the section goes on. `None`: the message ends undecided.
    fn one_call(&mut self, at: usize) -> Option<bool> {
        let form = self.form;
        let (seen, header) = self.call(at);
        match (seen, header) {
            (Seen::To(_), Some(header)) => {
                let foreign = if form.tokens { self.foreign(&header) } else { None };
                return foreign.unwrap_or_else(|| Some(self.whole_header(header)));
            }
            (_, Some(header)) => {
                self.read.calls.push((header.name, header.id, None, false));
                return None;
            }
            (Seen::Cut, None) => return None,
            _ => {}
        }
        if form.tokens {
            let mut id = String::new();
            let digits = Self::then(self.space(at + form.begin.len()), |at| {
                id = self.rest(at).chars().take_while(char::is_ascii_digit).collect();
                if (1..=bounds::NAME).contains(&id.len()) {
                    Seen::To(at + id.len())
                } else {
                    Seen::No
                }
            });
            let marker = Self::then(Self::then(digits, |at| self.space(at)), |at| {
                self.literal(at, ARGUMENT)
            });
            match Self::then(marker, |at| self.object(at)) {
                Seen::To(brace) => return self.inferred(id, brace),
                Seen::Cut => return None,
                Seen::No => {}
            }
            return self.half_header(at);
        }
        // This is no call. Its header and its object are markup.
        let others = [&[form.begin], form.close].concat();
        let last = self.until(at, form.last, &[&others[..], form.end].concat());
        let object = Self::then(last, |at| self.object(at));
        let ends = form.end.iter().map(|end| self.until(at, end, &others));
        let ends: Vec<Seen> = ends.collect();
        let end =
            ends.iter().find_map(|seen| if let Seen::To(end) = seen { Some(*end) } else { None });
        if let Seen::To(brace) = object {
            let (end, whole) = self.json(brace);
            self.after_json(end, whole);
            return if whole.is_some() { Some(self.after_object()) } else { None };
        } else if let (Some(end), false) = (end, object == Seen::Cut) {
            self.to(end);
        } else if object == Seen::Cut || ends.contains(&Seen::Cut) {
            return None;
        } else {
            self.to(at + form.begin.len());
        }
        Some(true)
    }

    /// Finds the end of this text behind `begin`, within 1 KiB, if none of the others comes first.
    fn until(&self, at: usize, to: &str, unless: &[&str]) -> Seen {
        let from = at + self.form.begin.len();
        let find = |text: &str| self.rest(from).find(text).map(|at| from + at + text.len());
        let first = unless.iter().filter_map(|text| find(text)).min();
        match (find(to), first) {
            (Some(end), first) if end - at <= HEADER && first.is_none_or(|of| end < of) => {
                Seen::To(end)
            }
            (_, None) if self.input.len() - at < HEADER => Seen::Cut,
            _ => Seen::No,
        }
    }

    /// Reads the call of this header. Says whether the section goes on.
    fn whole_header(&mut self, header: Header) -> bool {
        let form = self.form;
        self.to(header.end);
        let Header { name, id, end } = header;
        let long = self.space(end) == Seen::No;
        let object = self.object(end);
        if let Seen::To(brace) = object {
            let (end, whole) = self.json(brace);
            let raw = self.input[brace..end].to_string();
            self.after_json(end, whole);
            let runs = whole == Some(true) && repair::arguments(&raw, Repairs::Default).is_ok();
            self.read.calls.push((name, id, Some(raw), runs));
            return whole.is_some() && self.after_object();
        }
        // There is no object: nothing, or words that are no arguments, up to the end of the call.
        let over = [form.close, &[form.begin], form.boundary].concat();
        let mut at = end;
        let stops = loop {
            let own = self.any(at, form.end);
            let other = self.any(at, &over);
            match (own, other) {
                (Seen::To(stop), _) => break Some((at, stop)),
                (_, Seen::To(_)) => break Some((at, at)),
                _ if at == self.input.len() => break None,
                (Seen::Cut, _) | (_, Seen::Cut) => break None,
                _ => at += self.rest(at).chars().next().map_or(1, char::len_utf8),
            }
        };
        let Some((at, stop)) = stops else {
            self.read.calls.push((name, id, None, false));
            self.to(self.input.len());
            return false;
        };
        let words = self.input[end..at].trim_matches([' ', '\t', '\r', '\n']);
        let null = words == "null" && stop > at;
        let needs = self
            .tools
            .iter()
            .any(|tool| tool.name == name && tool.params.iter().any(|param| param.required));
        let runs = (words.is_empty() || null) && !needs && !long;
        self.read.calls.push((name, id, None, runs));
        self.to(stop);
        true
    }

    /// Reads a call whose id has only digits. The keys of its object tell the tool.
    fn inferred(&mut self, id: String, brace: usize) -> Option<bool> {
        let (end, whole) = self.json(brace);
        self.after_json(end, whole);
        if whole == Some(true) {
            let raw = &self.input[brace..end];
            let tools = self.tools;
            let keys = keys(raw);
            let fits =
                |tool: &&Tool| keys.iter().all(|key| tool.params.iter().any(|of| of.name == *key));
            let runs = repair::arguments(raw, Repairs::Default).is_ok();
            let fitting: Vec<&Tool> = tools.iter().filter(fits).collect();
            if let [tool] = fitting[..] {
                self.read.calls.push((tool.name.clone(), Some(id), Some(raw.to_string()), runs));
            }
        }
        whole.map(|_| self.after_object())
    }

    /// Reads the object at this brace. Returns its end, and whether it is whole. `None`: the message ends in the object,
    /// perhaps in half a closer.
    fn json(&self, brace: usize) -> (usize, Option<bool>) {
        let closers = [self.form.end, self.form.close, &[self.form.begin]].concat();
        let (mut depth, mut string, mut escaped) = (0_i32, false, false);
        for (offset, c) in self.rest(brace).char_indices() {
            let at = brace + offset;
            match c {
                _ if std::mem::take(&mut escaped) => {}
                '\\' if string => escaped = true,
                '"' => string = !string,
                _ if string => {}
                '{' | '[' => depth += 1,
                '}' | ']' => depth -= 1,
                '<' if self.any(at, &closers) != Seen::No => {
                    let whole = matches!(self.any(at, &closers), Seen::To(_));
                    return (at, whole.then_some(false));
                }
                _ => {}
            }
            if depth == 0 {
                return (at + 1, Some(true));
            }
        }
        (self.input.len(), None)
    }

    fn after_json(&mut self, end: usize, whole: Option<bool>) {
        self.to(if whole.is_some() { end } else { self.input.len() });
    }

    /// Reads on behind an object. Says whether the section goes on.
    fn after_object(&mut self) -> bool {
        let form = self.form;
        while let Seen::To(at) = self.skip_space() {
            let garbage = self.any(at, &["]", ",", ";", "}", "```"]);
            let (ends, begins) = (self.any(at, form.end), self.literal(at, form.begin));
            let closes = self.any(at, form.close);
            if let Seen::To(end) = ends {
                self.to(end);
                return true;
            } else if let Seen::To(_) = begins {
                return true;
            } else if matches!(self.headless(at), (Seen::To(_), _)) {
                return true;
            } else if matches!(self.headless(at), (Seen::Cut, _)) {
                self.to(self.input.len());
                return false;
            } else if let Seen::To(end) = closes {
                self.owed = false;
                self.to(end);
                return false;
            } else if let Seen::To(end) = garbage {
                self.to(end);
            } else if [garbage, ends, begins, closes].contains(&Seen::Cut) {
                self.to(self.input.len());
                return false;
            } else {
                return false;
            }
        }
        false
    }
}

/// The keys of an object, which have no escapes.
fn keys(raw: &str) -> Vec<&str> {
    let (mut keys, mut depth, mut rest) = (Vec::new(), 0, raw);
    while let Some(at) = rest.find(['"', '{', '[', '}', ']']) {
        let (sign, after) = rest[at..].split_at(1);
        rest = after;
        match sign {
            "{" | "[" => depth += 1,
            "}" | "]" => depth -= 1,
            _ => {
                let quote = after.match_indices('"').map(|(end, _)| end);
                let end = quote.clone().find(|end| !after[..*end].ends_with('\\'));
                let end = end.unwrap_or(after.len());
                rest = after.get(end + 1..).unwrap_or_default();
                if depth == 1 && rest.trim_start().starts_with(':') {
                    keys.push(&after[..end]);
                }
            }
        }
    }
    keys
}

fn slow(form: &Form, tools: &[Tool], input: &str) -> Read {
    let (read, at) = (Read::default(), 0);
    let (rejected, rejected_thoughts, after_markup) = ([0; 2], 0, usize::MAX);
    let (owed, after_call) = (false, false);
    Reader {
        form,
        tools,
        input,
        at,
        read,
        rejected,
        after_call,
        rejected_thoughts,
        owed,
        after_markup,
    }
    .message()
}

fn fast(parser: &Parser, chunks: &[&str]) -> Read {
    let mut parser = parser.clone();
    let mut message = parser.message();
    for chunk in chunks {
        parser.feed_into(chunk, &mut |event: Event<&str>| message.push(event));
    }
    parser.finish_into(&mut |event: Event<&str>| message.push(event));
    message.close();
    let mut calls = Vec::new();
    for block in message.blocks() {
        let owned = |text: Option<&str>| text.map(String::from);
        match block {
            Block::Call(call) => {
                calls.push((call.name().to_string(), owned(call.id()), owned(call.raw()), true));
            }
            Block::Incomplete(call) => {
                calls.push((call.name().to_string(), owned(call.id()), owned(call.raw()), false));
            }
            _ => {}
        }
    }
    Read { text: message.text(), reasoning: message.reasoning(), calls }
}

const COMMON: &[&str] = &[
    "{}",
    "{\"path\": \"a\"}",
    "{\"path\": \"} <b> {\", \"line\": [1, {\"x\": \"\\\"\"}]}",
    "{\"q\": \"é\"}",
    "{\"path\": \"a\"",
    "{\"line\": 1}",
    "read",
    "list",
    "functions.read:0",
    "functions.:1",
    "list:2",
    "7",
    "other",
    "my tool",
    " ",
    "\n",
    "null",
    "So. ",
    "a < b",
    "é🦀",
    "}",
    ";",
    "\n<think>",
    "</think>",
    "<",
];

/// Objects that have a name of their own.
const FOREIGN: &[&str] = &[
    "{\"name\": \"read\", \"arguments\": {\"path\": \"a\"}}",
    "{ \"name\" : \"list\",\n\"input\": {}, \"x\": 1}",
    "{\"name\": \"other\", \"arguments\": {}}",
    "{\"name\": \"find\", \"q\": 1}",
];

fn message(form: &Form, choices: &mut Choices<'_>) -> String {
    let mut markers = vec![form.begin, form.begin, form.last, form.think.0, form.think.1];
    for of in [form.open, form.close, form.end, form.boundary] {
        markers.extend(of);
    }
    let mut text = String::new();
    while choices.are_left() {
        match choices.below(16) {
            0..=3 => text.push_str(choices.of(&markers)),
            4..=6 => text.push_str(choices.of(COMMON)),
            7..=13 => {
                // A call that is nearly right.
                if choices.below(3) == 0 {
                    text.push_str(choices.of(form.open));
                }
                if choices.below(12) > 0 {
                    text.push_str(form.begin);
                }
                for part in choices.of(form.headers) {
                    let lost = choices.below(24) == 23;
                    match part {
                        _ if lost => {}
                        Is(marker) => text.push_str(marker),
                        Space => text.push_str(choices.of(&["", "", "", " ", "\n"])),
                        Name => text.push_str(choices.of(&["read", "list", "other", "a b"])),
                        NameInId => text.push_str(choices.of(&COMMON[6..14])),
                        Id => text.push_str(choices.of(&["c0", "", "c 0"])),
                        Word => text.push_str("function"),
                    }
                }
                if form.fenced && choices.below(2) == 1 {
                    text.push_str("\n```json\n{\"path\": \"a\"}\n```");
                } else if form.tokens && choices.below(4) == 3 {
                    text.push_str(choices.of(FOREIGN));
                } else {
                    text.push_str(choices.of(&COMMON[..8]));
                }
                text.push_str(choices.of(&["", " ", "\n"]));
                let ends = if choices.below(4) == 3 { &[] } else { form.end };
                ends.iter().for_each(|end| text.push_str(end));
                if choices.below(3) == 0 {
                    text.push_str(choices.of(form.close));
                }
            }
            _ => soup::long(choices, &mut text),
        }
    }
    for _ in 0..soup::lost(choices) {
        text.pop();
    }
    text
}

/// The end of the last whole character up to this byte.
fn boundary(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

#[test]
fn agrees_with_a_slow_reading() {
    let rounds: u64 = std::env::var("TWIN_ROUNDS").map_or(20, |n| n.parse().expect("a number"));
    for form in &FORMS {
        let parser = Parser::builder(&form.dialect).tools(tools()).tool_limit(None).build();
        let parser = parser.expect("a parser");
        for seed in 0..rounds {
            let data = soup::seeded(seed, 6 + seed as usize % 60);
            let mut text = message(form, &mut Choices::new(&data));
            if seed % 3 == 0 {
                text.truncate(boundary(&text, seed as usize % 300));
            }
            let expected = slow(form, &tools(), &text);
            let chars: Vec<&str> = text.split_inclusive(|_: char| true).collect();
            let halves = text.split_at(boundary(&text, text.len() / 2));
            for chunks in [vec![&*text], chars, vec![halves.0, halves.1]] {
                let found = fast(&parser, &chunks);
                assert_eq!(found, expected, "{:?} {seed}: {text:?}", form.dialect);
            }
        }
    }
}

/// The beginning of a call is held up to the bounds of its parts. An id that is too long is no id, and a call needs the end of
/// its header within 1 KiB of its marker. Anything longer has left as text when the message ends.
#[test]
fn agrees_at_the_bounds() {
    for form in &FORMS {
        let parser = Parser::builder(&form.dialect).tools(tools()).tool_limit(None).build();
        let parser = parser.expect("a parser");
        let half = if form.tokens { LONGEST_ID + 1 } else { HEADER - form.begin.len() };
        let most = HEADER - form.begin.len();
        let lengths = [bounds::NAME, LONGEST_ID, most].into_iter().flat_map(|at| at - 2..at + 3);
        for (length, fill) in lengths.flat_map(|length| ["x", "7"].map(|fill| (length, fill))) {
            let long = fill.repeat(length);
            for end in ["", form.last, "<|tool_call_argument_begin|>{}"] {
                let text = format!("{}{}{long}{end}", form.open[0], form.begin);
                let chars: Vec<&str> = text.split_inclusive(|_: char| true).collect();
                let expected = slow(form, &tools(), &text);
                for chunks in [vec![&*text], chars] {
                    let found = fast(&parser, &chunks);
                    assert_eq!(found, expected, "{:?} {length}: {text:?}", form.dialect);
                }
            }
            // At the bound itself, the rest becomes text.
            let cut = format!("{}{}{long}", form.open[0], form.begin);
            let text = if length < half { "" } else { &long };
            assert_eq!(fast(&parser, &[&cut]).text, text, "{:?} {length}", form.dialect);
        }
    }
}

/// The twin reads the vectors of these dialects like the machine, if they set no other option than the tool limit.
#[test]
fn agrees_on_the_vectors() {
    for form in &FORMS {
        let name = form.dialect.name();
        let path = format!("{}/tests/vectors/{name}.jsonl", env!("CARGO_MANIFEST_DIR"));
        let lines = std::fs::read_to_string(path).expect("a vector file");
        let mut compared = 0;
        let mut wrong = Vec::new();
        for line in lines.lines() {
            let vector: serde_json::Value = serde_json::from_str(line).expect("a vector");
            let unlimited = serde_json::json!({"tool_limit": null});
            if vector["config"] != unlimited || vector["dialect"] != name {
                continue;
            }
            let tools = Tool::list_from_json(&vector["tools"]).expect("tools");
            let input = vector["input"].as_str().expect("an input");
            let builder = Parser::builder(&form.dialect).tools(tools.clone());
            let parser = builder.tool_limit(None).build().expect("a parser");
            let (expected, found) = (slow(form, &tools, input), fast(&parser, &[input]));
            compared += 1;
            if found != expected {
                wrong.push(format!("{}: {found:?}\nthe twin: {expected:?}", vector["id"]));
            }
        }
        assert!(compared >= 8, "{name}: only {compared} vectors");
        assert!(wrong.is_empty(), "{name}: {} of {compared}\n{}", wrong.len(), wrong.join("\n"));
    }
}
