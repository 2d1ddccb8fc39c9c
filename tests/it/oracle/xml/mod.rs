//! The slow twin of the XML dialects: `cline`, `code-assistant` and `invoke`.
//!
//! `grammar.rs` recognises pieces at an offset. This file walks through the message, with a function for each place: text,
//! reasoning, a section, a call, a value.

mod grammar;

use super::output::Output;
use super::pieces::{Call, Miss, Proof};
use super::pieces::{any, skip_spaces};
use super::pieces::{is_blank, line_break_at_start, literal, next_angle, reasoning_tag};
use grammar::{Closer, Dialect, Grammar, Place, Tag, end};
use toolstream::{
    Tool, ToolUse,
    diagnostic::DiagnosticKind as Kind,
    options::{CallsInReasoning, Start, ValueWhitespace},
    tools::Type,
};

/// Reads the whole message.
pub fn read<'a>(dialect: &str, tools: &'a [Tool], out: Output<'a>) -> Output<'a> {
    let dialect = match dialect {
        "cline" => Dialect::Cline,
        "code-assistant" => Dialect::CodeAssistant,
        _ => Dialect::Invoke,
    };
    let grammar = Grammar { dialect, tools, options: out.options, input: out.input };
    let mut reader = Reader {
        grammar,
        out,
        in_section: false,
        stray_told: false,
        after_bare: None,
        after_call: None,
        rejected: [0; 2],
        thoughts: 0,
    };
    reader.message();
    reader.out
}

struct Reader<'a> {
    grammar: Grammar<'a>,
    out: Output<'a>,
    in_section: bool,
    /// Whether stray words since the last call of the section were reported.
    stray_told: bool,
    /// The end of a bare `<invoke>`. A section's closer after it belongs to it.
    after_bare: Option<usize>,
    /// The end of the last call, with ignored markup after it: its section's closer, orphan closers.
    after_call: Option<usize>,
    /// The numbers of rejected openers, of calls and of sections. Each makes one closer of its kind text.
    rejected: [u8; 2],
    /// The number of rejected openers of reasoning whose closers have not come.
    thoughts: u8,
}

/// A piece at an offset between two parameters.
enum Between<'a> {
    Param(Tag<'a>),
    CallCloser(usize),
    /// The next call's opener, or the section's closer. This call's closer was forgotten.
    NextMarker,
    Miss(Miss),
}

impl<'a> Reader<'a> {
    // ---- text and reasoning ----

    fn message(&mut self) {
        let input = self.grammar.input;
        if self.out.options.start == Start::Reasoning {
            // An opening tag is redundant here.
            self.out.reasoning(skip_spaces(input, 0));
            if let Some(end) = reasoning_tag(input, "<", self.out.position) {
                self.out.markup(end);
            }
            self.reasoning();
        }
        while self.out.rest_is_open() {
            let at = self.out.position;
            let is_marker =
                input[at..].starts_with('<') && !self.out.is_quoted() && self.marker_in_text(at);
            if !is_marker {
                self.out.text(self.out.next_char_end());
            }
        }
    }

    /// Reads the piece that begins at this `<` in text. `false`: the `<` is text.
    fn marker_in_text(&mut self, at: usize) -> bool {
        let input = self.grammar.input;
        if self.out.reasoning_may_open(at) {
            if let Some(end) = reasoning_tag(input, "<", at) {
                self.out.reasoning_opens(end);
                self.reasoning();
                return true;
            }
        } else if reasoning_tag(input, "<", at).is_some() {
            self.thoughts = self.thoughts.saturating_add(1);
        }
        if let Some(end) = reasoning_tag(input, "</", at) {
            if self.thoughts > 0 {
                self.thoughts -= 1;
                self.out.text(end);
                return true;
            }
            self.orphan(at, end);
            return true;
        }
        if self.is_after_call(at) && self.grammar.is_result(at) {
            self.out.diagnose(Kind::FabricatedResult, at);
            self.out.markup(input.len());
            return true;
        }
        match self.opener(at, Place::Text) {
            Ok(()) => return true,
            Err(_) if self.cut_behind_opener(at) => return true,
            // An opener that is cut by the end of the stream does not count, so it is text.
            Err(Miss::Cut) => {
                self.out.text(input.len());
                self.out.diagnose_cut_opener(at, None);
                return true;
            }
            Err(_) => {}
        }
        if let Ok(end) = self.grammar.closer_in_text(at) {
            self.closer_in_text(at, end);
            return true;
        }
        let kinds = [self.grammar.is_rejected_call(at), self.grammar.is_rejected_section(at)];
        for (rejected, is_rejected) in self.rejected.iter_mut().zip(kinds) {
            *rejected = rejected.saturating_add(is_rejected.into());
        }
        false
    }

    /// Reads a closer of a call or of a section: that of a bare call, that of a rejected opener, or an orphan.
    fn closer_in_text(&mut self, at: usize, end: usize) {
        let closes_section = self.grammar.closes_section(at);
        let rejected = &mut self.rejected[usize::from(closes_section)];
        let bare = self.after_bare.filter(|bare| is_blank(&self.grammar.input[*bare..at]));
        if bare.is_some() && closes_section {
            self.after_bare = None;
            self.nothing(at, end);
        } else if *rejected > 0 {
            *rejected -= 1;
            self.out.text(end);
        } else {
            self.orphan(at, end);
        }
    }

    fn orphan(&mut self, at: usize, end: usize) {
        self.out.diagnose(Kind::OrphanCloser, at);
        self.nothing(at, end);
    }

    /// Writes markup in text that is ignored between a call and an invented result.
    fn nothing(&mut self, at: usize, end: usize) {
        let follows = self.is_after_call(at);
        self.out.markup(end);
        if follows {
            self.after_call = Some(end);
        }
    }

    /// Whether nothing stands between a call and `at`.
    fn is_after_call(&self, at: usize) -> bool {
        self.after_call.is_some_and(|end| is_blank(&self.grammar.input[end..at]))
    }

    /// Whether the stream was cut behind a section's whole opener, which is markup then.
    fn cut_behind_opener(&mut self, at: usize) -> bool {
        let end = self.grammar.section_opener_at_end(at).ok().filter(|_| self.out.is_cut());
        if let Some(end) = end {
            self.out.diagnose(Kind::CutOpener, at);
            self.out.markup(end);
        }
        end.is_some()
    }

    /// Reads reasoning up to a closer, or to a call if calls count in reasoning.
    fn reasoning(&mut self) {
        let input = self.grammar.input;
        let extract = self.out.options.calls_in_reasoning == Some(CallsInReasoning::Extract);
        while self.out.rest_is_open() {
            let at = self.out.position;
            if let Some(end) = reasoning_tag(input, "</", at) {
                self.out.markup(end);
                return;
            }
            match if extract { self.opener(at, Place::Reasoning) } else { Err(Miss::No) } {
                Ok(()) => return,
                Err(_) if extract && self.cut_behind_opener(at) => {}
                Err(Miss::Cut) => {
                    self.out.reasoning(input.len());
                    self.out.diagnose_cut_opener(at, None);
                }
                Err(_) => self.out.reasoning(self.out.next_char_end()),
            }
        }
    }

    /// Reads the opener of a call or of a section and everything that belongs to it, if an opener counts here. `Err(Cut)`: the
    /// stream ends inside one.
    fn opener(&mut self, at: usize, place: Place) -> Result<(), Miss> {
        match self.grammar.section_opener(at) {
            Ok(end) => {
                if !self.out.is_surplus(at) {
                    self.section(end);
                }
                return Ok(());
            }
            Err(Miss::Cut) => return Err(Miss::Cut),
            Err(_) => {}
        }
        let at = self.grammar.wrapper(at, place).unwrap_or(at);
        let confirmed = self.grammar.call_opener(at, place);
        let tag = confirmed.or_else(|miss| self.grammar.opener_at_end(at, place).ok_or(miss))?;
        self.out.markup(at);
        if !self.out.is_surplus(at) {
            self.call(tag, at);
        }
        Ok(())
    }

    // ---- invoke: a section ----

    /// Reads `OPEN ( junk call )* junk CLOSE`. The position is at OPEN, which ends at `end`.
    fn section(&mut self, end: usize) {
        let grammar = self.grammar;
        let opener = self.out.position;
        let calls_before = self.out.calls;
        self.out.markup(end);
        (self.in_section, self.stray_told) = (true, false);
        let mut from = end;
        let mut half_opener = 0;
        while let Some(at) = next_angle(grammar.input, from) {
            from = at + 1;
            match (grammar.section_closer(at), grammar.call_opener(at, Place::Section)) {
                (Ok(end), _) => {
                    let follows = self.is_after_call(at);
                    self.junk_in_section(at);
                    self.out.markup(end);
                    self.in_section = false;
                    self.after_call = self.after_call.map(|call| if follows { end } else { call });
                    return;
                }
                _ if grammar.stray_closer(at).is_ok() => {
                    self.junk_in_section(at);
                    let end = grammar.stray_closer(at).unwrap_or(at);
                    self.orphan(at, end);
                    from = end;
                }
                (_, Ok(tag)) => {
                    self.junk_in_section(at);
                    let is_first = self.out.calls == calls_before;
                    if !is_first && self.out.is_surplus(at) {
                        return;
                    }
                    if !self.call(tag, if is_first { opener } else { at }) {
                        return;
                    }
                    (from, self.stray_told) = (self.out.position, false);
                }
                (_, Err(Miss::Cut)) => {
                    self.junk_in_section(at);
                    half_opener = grammar.input.len() - at;
                    self.out.markup(grammar.input.len());
                    break;
                }
                (closer, _) if [closer, grammar.stray_closer(at)].contains(&Err(Miss::Cut)) => {
                    self.junk_in_section(at);
                    self.out.markup(grammar.input.len());
                    break;
                }
                _ => {}
            }
        }
        // The stream ended between two calls.
        self.junk_in_section(grammar.input.len());
        if self.out.calls == calls_before || half_opener >= 3 {
            self.out.diagnose(Kind::CutOpener, self.out.position - half_opener);
        } else {
            self.out.diagnose(Kind::MissingCloser, self.out.position);
        }
    }

    fn junk_in_section(&mut self, end: usize) {
        let is_told = self.stray_told;
        if !is_told && !is_blank(&self.grammar.input[self.out.position..end]) {
            self.stray_told = true;
            self.out.diagnose(Kind::StrayText, self.out.position);
        }
        self.out.markup(end);
    }

    // ---- a call ----

    /// Reads a call from its opener, which stands at the position, to its end. `start` is the offset for `Start`. `false`: the
    /// stream ended inside.
    fn call(&mut self, opener: Tag<'a>, start: usize) -> bool {
        let is_bare = self.grammar.dialect == Dialect::Invoke && !self.in_section;
        let mut call = self.out.start_call(opener.name, self.grammar.tools, start);
        if is_bare {
            self.out.recover(&mut call, Kind::MissingOpener, start);
        }
        self.out.markup(opener.end);
        let whole = if opener.empty { Some(Proof::Text) } else { self.body(&mut call) };
        match whole {
            Some(proof) => {
                self.out.end_call(&call, proof);
                self.after_call = Some(self.out.position);
            }
            None => {
                self.out.junk_in_call(self.grammar.input.len());
                self.out.end_cut();
            }
        }
        if is_bare {
            self.after_bare = Some(self.out.position);
        }
        whole.is_some()
    }

    /// Reads the parameters, and the junk between them, up to the call's end. `None`: the stream ended before it.
    fn body(&mut self, call: &mut Call<'a>) -> Option<Proof> {
        let grammar = self.grammar;
        let mut from = self.out.position;
        while let Some(at) = next_angle(grammar.input, from) {
            from = at + 1;
            let found = self.between_params(at, call);
            if !matches!(found, Between::Miss(Miss::No | Miss::TooLong)) {
                self.out.junk_in_call(at);
            }
            match found {
                Between::Param(tag) => {
                    self.param_start(tag, call);
                    match self.value(tag.name, call)? {
                        (Closer::Call, proof) => return Some(proof),
                        (Closer::Own | Closer::Bare, _) => from = self.out.position,
                    }
                }
                Between::CallCloser(end) => {
                    if grammar.input[at..end] != grammar.closer(Closer::Call, call, "") {
                        self.out.recover(call, Kind::MismatchedCloser, at);
                    }
                    self.out.markup(end);
                    return Some(Proof::Text);
                }
                Between::NextMarker => {
                    self.out.recover(call, Kind::MissingCloser, at);
                    return Some(Proof::Text);
                }
                Between::Miss(Miss::Cut) => {
                    self.out.markup(grammar.input.len());
                    return None;
                }
                Between::Miss(Miss::TooLong) => {
                    self.out.break_call(call, Kind::LimitExceeded, at);
                }
                Between::Miss(Miss::No) => {}
            }
        }
        None
    }

    fn place(&self) -> Place {
        if self.in_section { Place::Section } else { Place::Text }
    }

    fn between_params(&self, at: usize, call: &Call<'a>) -> Between<'a> {
        let grammar = self.grammar;
        let next = [end(grammar.call_opener(at, self.place())), grammar.section_closer(at)];
        match (grammar.param_opener(at, call), grammar.call_closer(at, call), any(next)) {
            (Ok(tag), _, _) => Between::Param(tag),
            (_, Ok(end), _) => Between::CallCloser(end),
            (_, _, Ok(_)) => Between::NextMarker,
            (Err(one), Err(two), Err(three)) => Between::Miss(one.max(two).max(three)),
        }
    }

    // ---- a parameter ----

    fn param_start(&mut self, tag: Tag<'a>, call: &mut Call<'a>) {
        let key = tag.name;
        let is_element = self.is_element(key, call);
        if call.tool.is_some() && !call.declares(key) && !is_element {
            self.out.diagnose(Kind::UnknownParameter, self.out.position);
        }
        if call.given.contains(&key) && !is_element {
            self.out.diagnose(Kind::DuplicateParameter, self.out.position);
        }
        call.given.push(key);
        if is_element {
            // The list that has this element is given, too.
            let fed = call.declared().find(|param| param.name.strip_suffix('s') == Some(key));
            call.given.extend(fed.map(|param| &*param.name));
        }
        self.out.tool_use(ToolUse::ParamStart { name: key.to_string(), hint: None });
        self.out.markup(tag.end);
    }

    /// code-assistant: whether this is a parameter that may be repeated, such as `paths`, or its singular `path`, if that is not
    /// declared itself.
    fn is_element(&self, key: &str, call: &Call) -> bool {
        let fed = if call.declares(key) { key.to_string() } else { format!("{key}s") };
        self.grammar.dialect == Dialect::CodeAssistant
            && call.declared().any(|param| param.name == fed && param.types.contains(&Type::Array))
    }

    /// Reads the value behind the parameter's tag, and its closer. Returns the closer with its proof. `None`: the stream ended
    /// before a closer.
    fn value(&mut self, key: &str, call: &mut Call<'a>) -> Option<(Closer, Proof)> {
        let grammar = self.grammar;
        let input = grammar.input;
        let framed = self.out.options.value_whitespace == ValueWhitespace::Default
            && (grammar.dialect != Dialect::Cline || grammar.is_raw(key));
        let value = self.out.position;
        self.out.markup(value + if framed { line_break_at_start(&input[value..]) } else { 0 });

        let mut holds_own_closer = false;
        let mut from = self.out.position;
        while let Some(at) = next_angle(input, from) {
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
                        self.out.value_end(at, input.len(), framed, false);
                        return None;
                    }
                    Err(_) => continue,
                };
                match grammar.can_go_on(end, closer, self.place(), call, key) {
                    Ok(proof) => {
                        match closer {
                            Closer::Own => {}
                            Closer::Bare => self.out.recover(call, Kind::MismatchedCloser, at),
                            Closer::Call => self.out.recover(call, Kind::MissingCloser, at),
                        }
                        let closed = closer == Closer::Own || self.out.proves(proof);
                        self.out.value_end(at, end, framed, closed);
                        return Some((closer, proof));
                    }
                    Err(miss) => {
                        // A closer that only recovers from a mistake breaks no call.
                        too_long |= miss == Miss::TooLong && closer == Closer::Own;
                        holds_own_closer |= closer == Closer::Own;
                    }
                }
            }
            if too_long {
                self.out.break_call(call, Kind::LimitExceeded, at);
            }
            let is_closer = |closer| literal(input, at, &grammar.closer(closer, call, key)).is_ok();
            let is_suspect = [Closer::Own, Closer::Call].into_iter().any(is_closer);
            let quotes_call = grammar.quotes_call(at);
            call.recovered |= quotes_call;
            if is_suspect || quotes_call || grammar.is_suspect(at, call) {
                self.out.suspect(call, at);
            }
        }
        self.out.value_end(input.len(), input.len(), false, false);
        None
    }
}
