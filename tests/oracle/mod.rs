//! The slow twin: a parser for whole messages in the dialects `cline`, `code-assistant` and
//! `invoke`, written from the specification and to be read beside it. It looks ahead as far as it
//! likes and is in no hurry; the streaming machine must say the same as it does.
//!
//! `grammar.rs` knows what stands at an offset, `fences.rs` what is Markdown code, and this file
//! walks through the message, a function for each place it can be in: text, reasoning, a section,
//! a call, a value.

mod fences;
mod grammar;
pub mod react;
mod tool_call;

use fences::Fences;
use grammar::{Call, Closer, Dialect, Grammar, Miss, Place, Tag};
use grammar::{any, end, is_plain_tag, is_space, literal};
use toolstream::{
    CallsInReasoning, Cause, Diagnostic, DiagnosticKind as Kind, Event, Fences as FenceOption,
    LimitOn, Options, Start, Status, Tool, ToolLimitReached, ToolUse, ValueWhitespace,
};

/// The events of a whole message, neighbouring slices of the same kind joined.
///
/// Panics only on the name of a dialect that it does not speak.
pub fn oracle(dialect: &str, tools: &[Tool], options: &Options, input: &str) -> Vec<Event<String>> {
    if ["hermes", "qwen3-coder", "glm", "tool-call"].contains(&dialect) {
        return tool_call::oracle(dialect, tools, options, input);
    }
    if dialect == "react" {
        return react::oracle(tools, options, input);
    }
    let dialect = match dialect {
        "cline" => Dialect::Cline,
        "code-assistant" => Dialect::CodeAssistant,
        "invoke" => Dialect::Invoke,
        other => panic!("the oracle does not speak {other}"),
    };
    let mut reader = Reader {
        grammar: Grammar { dialect, tools, options, input },
        events: Vec::new(),
        position: 0,
        behind_markup: 0,
        calls: 0,
        in_section: false,
        owns_section_closer: false,
        rejected: 0,
        fences: Fences::new(),
        limit_reached: false,
    };
    reader.message();
    joined(reader.events)
}

fn joined(events: Vec<Event<String>>) -> Vec<Event<String>> {
    let mut joined: Vec<Event<String>> = Vec::new();
    for event in events {
        match (joined.last_mut(), &event) {
            (Some(Event::TextContent(last)), Event::TextContent(more))
            | (Some(Event::Reasoning(last)), Event::Reasoning(more))
            | (Some(Event::Markup(last)), Event::Markup(more)) => last.push_str(more),
            _ => joined.push(event),
        }
    }
    joined
}

struct Reader<'a> {
    grammar: Grammar<'a>,
    events: Vec<Event<String>>,
    /// All bytes before it have left in a slice.
    position: usize,
    /// Where the last piece of markup ended.
    behind_markup: usize,
    /// Calls that have started.
    calls: usize,
    in_section: bool,
    /// A bare `<invoke>` came; the next section closer in text belongs to it.
    owns_section_closer: bool,
    /// Openers that turned out to be prose; each pays for one closer.
    rejected: u8,
    fences: Fences,
    /// `ToolLimitReached` went out: nothing follows.
    limit_reached: bool,
}

/// What stands at an offset between two parameters.
enum Between<'a> {
    Param(Tag<'a>),
    CallCloser(usize),
    /// The next call's opener or the section's closer: this call's closer was forgotten.
    NextMarker,
    Miss(Miss),
}

impl<'a> Reader<'a> {
    // ---- giving out events ----

    fn diagnose(&mut self, kind: Kind, at: usize) {
        self.events.push(Event::Diagnostic(Diagnostic::new(kind, at)));
    }

    fn tool_use(&mut self, event: ToolUse<String>) {
        self.events.push(Event::ToolUse(event));
    }

    /// Gives out the bytes from the position to `end`.
    fn slice(&mut self, end: usize, event: fn(String) -> Event<String>) {
        if self.position < end {
            self.events.push(event(self.grammar.input[self.position..end].to_string()));
            self.position = end;
        }
    }

    fn markup(&mut self, end: usize) {
        self.slice(end, Event::Markup);
        self.behind_markup = end;
    }

    /// Visible text, up to the byte that raises the limit, if `text_after_tool` is set.
    fn text(&mut self, end: usize) {
        for c in self.grammar.input[self.position..end].chars() {
            let counts = self.grammar.options.limit_on == LimitOn::TextAfterTool && !is_space(c);
            if counts && self.is_surplus(self.position) {
                return;
            }
            self.fences.text(c);
            self.slice(self.position + c.len_utf8(), Event::TextContent);
        }
    }

    /// Asks the tool limit for what begins at `at`; if that is too much, the message ends.
    fn is_surplus(&mut self, at: usize) -> bool {
        match self.grammar.options.tool_limit {
            Some(limit) if self.calls >= limit => {
                self.events.push(Event::ToolLimitReached(ToolLimitReached { limit, at }));
                self.limit_reached = true;
            }
            _ => {}
        }
        self.limit_reached
    }

    /// The end of the character at the position.
    fn next_char_end(&self) -> usize {
        let next = self.grammar.input[self.position..].chars().next();
        self.position + next.map_or(0, char::len_utf8)
    }

    fn rest_is_open(&self) -> bool {
        !self.limit_reached && self.position < self.grammar.input.len()
    }

    /// The offset of the first `<` from `at` on.
    fn next_angle(&self, at: usize) -> Option<usize> {
        self.grammar.input[at..].find('<').map(|found| at + found)
    }

    // ---- text and reasoning ----

    fn message(&mut self) {
        let input = self.grammar.input;
        if self.grammar.options.start == Start::Reasoning {
            // A tag that comes first all the same says nothing new.
            let first = input.len() - input.trim_start_matches(is_space).len();
            self.slice(first, Event::Reasoning);
            if let Some(end) = self.reasoning_tag("<", first) {
                self.markup(end);
            }
            self.reasoning();
        }
        while self.rest_is_open() {
            let at = self.position;
            if !input[at..].starts_with('<') || self.is_quoted() || !self.marker_in_text(at) {
                self.text(self.next_char_end());
            }
        }
    }

    fn is_quoted(&mut self) -> bool {
        self.grammar.options.fences == FenceOption::Quote && self.fences.quoted()
    }

    /// Deals with what begins at this `<` in text; `false`: a byte of text.
    fn marker_in_text(&mut self, at: usize) -> bool {
        if self.reasoning_may_open(at) {
            if let Some(end) = self.reasoning_tag("<", at) {
                self.markup(end);
                self.reasoning();
                return true;
            }
        }
        if let Some(end) = self.reasoning_tag("</", at) {
            self.diagnose(Kind::OrphanCloser, at);
            self.markup(end);
            return true;
        }
        match self.opener(at, Place::Text) {
            Ok(()) => return true,
            // The stream ends in an opener that does not count: text.
            Err(Miss::Cut) => {
                self.text(self.grammar.input.len());
                self.diagnose_cut_opener(at);
                return true;
            }
            Err(_) => {}
        }
        if let Ok(end) = self.grammar.closer_in_text(at) {
            if self.owns_section_closer && self.grammar.section_closer(at).is_ok() {
                self.owns_section_closer = false;
                self.markup(end);
            } else if self.rejected > 0 {
                self.rejected -= 1;
                self.text(end);
            } else {
                self.diagnose(Kind::OrphanCloser, at);
                self.markup(end);
            }
            return true;
        }
        if self.grammar.is_rejected_opener(at) {
            self.rejected = self.rejected.saturating_add(1);
        }
        false
    }

    /// At the start of a line (the stream's start is one), or right behind markup.
    fn reasoning_may_open(&self, at: usize) -> bool {
        let line = self.grammar.input[..at].trim_end_matches([' ', '\t']);
        at == self.behind_markup || line.is_empty() || line.ends_with('\n')
    }

    /// `<think>` or `<thinking>`; with `</`, either closer.
    fn reasoning_tag(&self, head: &str, at: usize) -> Option<usize> {
        ["think>", "thinking>"]
            .iter()
            .find_map(|tag| literal(self.grammar.input, at, &format!("{head}{tag}")).ok())
    }

    /// Up to a closer, or to a call where calls count in reasoning.
    fn reasoning(&mut self) {
        let extract = self.grammar.options.calls_in_reasoning == Some(CallsInReasoning::Extract);
        while self.rest_is_open() {
            let at = self.position;
            if let Some(end) = self.reasoning_tag("</", at) {
                self.markup(end);
                return;
            }
            match if extract { self.opener(at, Place::Reasoning) } else { Err(Miss::No) } {
                Ok(()) => return,
                Err(Miss::Cut) => {
                    self.slice(self.grammar.input.len(), Event::Reasoning);
                    self.diagnose_cut_opener(at);
                }
                Err(_) => self.slice(self.next_char_end(), Event::Reasoning),
            }
        }
    }

    /// The opener of a call or of a section, and all that belongs to it, if one counts here.
    /// `Err(Cut)`: the stream ends inside one.
    fn opener(&mut self, at: usize, place: Place) -> Result<(), Miss> {
        match self.grammar.section_opener(at) {
            Ok(end) => {
                if !self.is_surplus(at) {
                    self.section(end);
                }
                return Ok(());
            }
            Err(Miss::Cut) => return Err(Miss::Cut),
            Err(_) => {}
        }
        let at = self.grammar.wrapper(at, place).unwrap_or(at);
        let tag = self.grammar.call_opener(at, place)?;
        self.markup(at);
        if !self.is_surplus(at) {
            if self.grammar.dialect == Dialect::Invoke {
                self.diagnose(Kind::MissingOpener, at);
                self.owns_section_closer = true;
            }
            self.call(tag, at);
        }
        Ok(())
    }

    /// At least three bytes of an opener are needed to call the stream cut.
    fn diagnose_cut_opener(&mut self, at: usize) {
        if !self.limit_reached && self.grammar.input.len() - at >= 3 {
            self.diagnose(Kind::CutOpener, at);
        }
    }

    // ---- invoke: a section ----

    /// `OPEN ( junk call )* junk CLOSE`; the position is at OPEN, which ends at `end`.
    fn section(&mut self, end: usize) {
        let grammar = self.grammar;
        let opener = self.position;
        let calls_before = self.calls;
        self.markup(end);
        self.in_section = true;
        let mut from = end;
        let mut half_opener = 0;
        while let Some(at) = self.next_angle(from) {
            from = at + 1;
            match (grammar.section_closer(at), grammar.call_opener(at, Place::Section)) {
                (Ok(end), _) => {
                    self.junk_in_section(at);
                    self.markup(end);
                    self.in_section = false;
                    return;
                }
                (_, Ok(tag)) => {
                    self.junk_in_section(at);
                    let is_first = self.calls == calls_before;
                    if !is_first && self.is_surplus(at) {
                        return;
                    }
                    if !self.call(tag, if is_first { opener } else { at }) {
                        return;
                    }
                    from = self.position;
                }
                (_, Err(Miss::Cut)) => {
                    self.junk_in_section(at);
                    half_opener = grammar.input.len() - at;
                    self.markup(grammar.input.len());
                    break;
                }
                (Err(Miss::Cut), _) => {
                    self.junk_in_section(at);
                    self.markup(grammar.input.len());
                    break;
                }
                _ => {}
            }
        }
        // The stream ended between two calls.
        self.junk_in_section(grammar.input.len());
        if self.calls == calls_before || half_opener >= 3 {
            self.diagnose(Kind::CutOpener, self.position - half_opener);
        } else {
            self.diagnose(Kind::MissingCloser, self.position);
        }
    }

    fn junk_in_section(&mut self, end: usize) {
        let junk = &self.grammar.input[self.position..end];
        if !junk.trim_matches(is_space).is_empty() {
            self.diagnose(Kind::StrayText, self.position);
        }
        self.markup(end);
    }

    // ---- a call ----

    /// From the call's opener, where the position is, to its end; `start` is what `Start` calls
    /// the beginning. `false`: the stream ended inside.
    fn call(&mut self, opener: Tag<'a>, start: usize) -> bool {
        let grammar = self.grammar;
        let name = opener.name;
        let tool = grammar.tool(name);
        if tool.is_none() && !grammar.tools.is_empty() {
            self.diagnose(Kind::UnknownTool, self.position);
        }
        self.tool_use(ToolUse::Start {
            index: self.calls,
            name: name.to_string(),
            id: None,
            at: start,
            dialect: 0,
        });
        self.calls += 1;
        self.markup(opener.end);
        let mut call = Call { name, tool, given: Vec::new(), broken: false };
        if opener.empty {
            return self.end_call(&call);
        }

        let mut from = self.position;
        while let Some(at) = self.next_angle(from) {
            from = at + 1;
            let found = self.between_params(at, &call);
            if !matches!(found, Between::Miss(Miss::No | Miss::TooLong)) {
                self.junk_in_call(at);
            }
            match found {
                Between::Param(tag) => {
                    self.param_start(tag, &mut call);
                    match self.value(tag.name, &mut call) {
                        Some(Closer::Call) => return self.end_call(&call),
                        Some(_) => from = self.position,
                        None => return self.cut_call(),
                    }
                }
                Between::CallCloser(end) => {
                    if grammar.input[at..end] != grammar.closer(Closer::Call, &call, "") {
                        self.diagnose(Kind::MismatchedCloser, at);
                    }
                    self.markup(end);
                    return self.end_call(&call);
                }
                Between::NextMarker => {
                    self.diagnose(Kind::MissingCloser, at);
                    return self.end_call(&call);
                }
                Between::Miss(Miss::Cut) => {
                    self.markup(grammar.input.len());
                    break;
                }
                Between::Miss(Miss::TooLong) => self.break_call(&mut call, at),
                Between::Miss(Miss::No) => {}
            }
        }
        self.junk_in_call(grammar.input.len());
        self.cut_call()
    }

    fn between_params(&self, at: usize, call: &Call<'a>) -> Between<'a> {
        let grammar = self.grammar;
        let place = if self.in_section { Place::Section } else { Place::Text };
        let next = [end(grammar.call_opener(at, place)), grammar.section_closer(at)];
        match (grammar.param_opener(at, call), grammar.call_closer(at, call), any(next)) {
            (Ok(tag), _, _) => Between::Param(tag),
            (_, Ok(end), _) => Between::CallCloser(end),
            (_, _, Ok(_)) => Between::NextMarker,
            (Err(one), Err(two), Err(three)) => Between::Miss(one.max(two).max(three)),
        }
    }

    /// What stands between two markers of a call and is neither: markup.
    fn junk_in_call(&mut self, end: usize) {
        let junk = &self.grammar.input[self.position..end];
        let first = end - junk.trim_start_matches(is_space).len();
        if first < end {
            let kind = if is_plain_tag(&self.grammar.input[..end], first) {
                Kind::UnknownParameter
            } else {
                Kind::StrayText
            };
            self.diagnose(kind, first);
        }
        self.markup(end);
    }

    fn end_call(&mut self, call: &Call) -> bool {
        let status = if call.broken { Status::Incomplete(Cause::Broken) } else { Status::Complete };
        self.tool_use(ToolUse::End { status });
        true
    }

    fn cut_call(&mut self) -> bool {
        self.tool_use(ToolUse::End { status: Status::Incomplete(Cause::EndOfStream) });
        false
    }

    fn break_call(&mut self, call: &mut Call, at: usize) {
        call.broken = true;
        self.diagnose(Kind::LimitExceeded, at);
    }

    // ---- a parameter ----

    fn param_start(&mut self, tag: Tag<'a>, call: &mut Call<'a>) {
        let key = tag.name;
        let is_list = self.is_list(key, call);
        if call.tool.is_some() && !call.declares(key) && !is_list {
            self.diagnose(Kind::UnknownParameter, self.position);
        }
        if call.given.contains(&key) && !is_list {
            self.diagnose(Kind::DuplicateParameter, self.position);
        }
        call.given.push(key);
        self.tool_use(ToolUse::ParamStart { name: key.to_string(), hint: None });
        self.markup(tag.end);
    }

    /// code-assistant: a parameter that may be repeated, `paths`, or its singular, `path`, where
    /// that is not declared itself.
    fn is_list(&self, key: &str, call: &Call) -> bool {
        let fed = if call.declares(key) { key.to_string() } else { format!("{key}s") };
        self.grammar.dialect == Dialect::CodeAssistant
            && call.declared().any(|param| param.name == fed && param.is_list())
    }

    /// The value of the parameter whose tag has just left, and its closer. Says which closer it
    /// was; `None`: the stream ended before one.
    fn value(&mut self, key: &str, call: &mut Call<'a>) -> Option<Closer> {
        let grammar = self.grammar;
        let input = grammar.input;
        let framed = grammar.options.value_whitespace == ValueWhitespace::Default
            && (grammar.dialect != Dialect::Cline || grammar.is_raw(key));
        let rest = &input[self.position..];
        let breaks = ["\r\n", "\n"].into_iter().filter(|text| framed && rest.starts_with(text));
        self.markup(self.position + breaks.map(str::len).max().unwrap_or(0));

        let mut holds_own_closer = false;
        let mut from = self.position;
        while let Some(at) = self.next_angle(from) {
            from = at + 1;
            let mut too_long = false;
            for closer in [Closer::Own, Closer::Bare, Closer::Call] {
                let legal = match closer {
                    Closer::Own => true,
                    Closer::Bare => grammar.dialect != Dialect::Cline,
                    Closer::Call => !holds_own_closer,
                };
                if !legal {
                    continue;
                }
                let end = match literal(input, at, &grammar.closer(closer, call, key)) {
                    Ok(end) => end,
                    Err(Miss::Cut) => {
                        self.value_end(at, input.len(), framed, false);
                        return None;
                    }
                    Err(_) => continue,
                };
                match grammar.can_go_on(end, closer, call, key) {
                    Ok(_) => {
                        match closer {
                            Closer::Own => {}
                            Closer::Bare => self.diagnose(Kind::MismatchedCloser, at),
                            Closer::Call => self.diagnose(Kind::MissingCloser, at),
                        }
                        self.value_end(at, end, framed, true);
                        return Some(closer);
                    }
                    Err(miss) => {
                        // A closer that only recovers from a mistake breaks nothing.
                        too_long |= miss == Miss::TooLong && closer == Closer::Own;
                        holds_own_closer |= closer == Closer::Own;
                    }
                }
            }
            if too_long {
                self.break_call(call, at);
            }
        }
        self.value_end(input.len(), input.len(), false, false);
        None
    }

    /// The value ends before the closer that stands at `closer..end` (half of one, if not
    /// `closed`). If the value is framed, the line break before the closer is not its own.
    fn value_end(&mut self, closer: usize, end: usize, framed: bool, closed: bool) {
        let value = &self.grammar.input[self.position..closer];
        let breaks = ["\r\n", "\n"].into_iter().filter(|text| framed && value.ends_with(text));
        let line_break = breaks.map(str::len).max().unwrap_or(0);
        self.slice(closer - line_break, |value| Event::ToolUse(ToolUse::ParamDelta(value)));
        self.markup(end);
        self.tool_use(ToolUse::ParamEnd { closed });
    }
}
