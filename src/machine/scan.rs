//! Where the next marker may begin: in payload, at the start of a line or of a state, and between the
//! calls of a section.

use super::call::OpenCall;
use super::first_bytes::Next;
use super::table::anchors::{self, Anchors};
use super::table::{Begins, Kid, PatternStep, Table, same_bytes};
use super::{Feed, Proof, State};
use crate::dialect::spec::{Chars, Flags, Ref};
use crate::event::DiagnosticKind;
use crate::machine::tools::Tools;
use crate::options::Fences;
use crate::sink::Sink;

/// How often sections and calls may end before the same byte. A table is checked for rules that always
/// lead back to them; whether others do depends on what stands there.
const CIRCLE: u8 = 8;
/// Of what may stand before a marker, at the start of a state, no more than this is looked past, in bytes.
const LONG_RUN: usize = 16;
/// How far it is looked ahead for a line at first, in bytes.
const LOOK_AHEAD: usize = 64;

/// How far it was looked ahead for a line in which a marker of the present state may stand.
#[derive(Clone, Copy)]
pub(super) struct LinesAhead {
    /// View offset before which none begins.
    none_before: usize,
    /// How far the next look goes.
    ahead: usize,
}

impl Default for LinesAhead {
    fn default() -> Self {
        LinesAhead { none_before: 0, ahead: LOOK_AHEAD }
    }
}

impl<S: Sink> Feed<'_, '_, S> {
    /// In payload: look for the first byte of a marker.
    pub(super) fn scan(&mut self) {
        let line = self.view.part(self.at).as_bytes();
        if !line.is_empty() && self.may_begin_line(self.at, line) {
            return self.begin(Begins::Line, self.at);
        }
        let table = self.machine.searched(self.grammar);
        let part = self.view.part(self.at);
        if let Some(anchors) = table.anchors.as_ref().filter(|_| part.len() >= anchors::LONG) {
            return self.scan_for(anchors, part);
        }
        let part = self.up_to_next_line(part);
        let found = table.find(part.as_bytes(), &self.machine.call, &self.tables.names);
        let read = found.unwrap_or(part.len());
        self.machine.examined += read;
        if let Some(word) = self.begins_with_word(&part[..read], found.is_some()) {
            return self.begin(Begins::Word, self.at + word);
        }
        match found {
            Some(_) => self.begin(Begins::Byte, self.at + read),
            None => self.at += read,
        }
    }

    /// The same in a long text, whose markers have anchors.
    fn scan_for(&mut self, anchors: &Anchors, part: &str) {
        let text = part.as_bytes();
        let table = self.machine.searched(self.grammar);
        let look = table.look(&self.machine.call, &self.tables.names);
        let counts = |begins, start: usize| match begins {
            Begins::Line => self.may_begin_line(self.at + start, &text[start..]),
            _ => look.may_begin(text, start),
        };
        let (looked, found) = anchors.find(text, counts);
        let found = found.or_else(|| anchors.half(text, counts));
        self.machine.examined += looked;
        let before = found.map_or(part, |(_, start)| &part[..start]);
        if let Some(word) = self.begins_with_word(before, found.is_some()) {
            return self.begin(Begins::Word, self.at + word);
        }
        match found {
            Some((begins, start)) => self.begin(begins, self.at + start),
            None => self.at += part.len(),
        }
    }

    /// Whether a line begins at `at` that has not been tried.
    fn is_new_line(&self, at: usize) -> bool {
        self.line_tried != Some(at) && self.is_line_start(at)
    }

    /// In payload: whether a marker may begin with this line.
    fn may_begin_line(&self, at: usize, line: &[u8]) -> bool {
        self.is_new_line(at) && self.table().line_fits(line)
    }

    /// How much of `part` may be scanned before a line must be looked at, or lines be looked for again.
    #[inline]
    fn up_to_next_line<'v>(&mut self, part: &'v str) -> &'v str {
        let table = self.table();
        if !table.begins_at(Begins::Line) {
            return part;
        }
        if self.lines.none_before <= self.at {
            self.look_for_line(part);
        }
        &part[..part.len().min(self.lines.none_before - self.at)]
    }

    /// Looks for the next line in which a marker may stand. What is looked at and not read before the
    /// state changes is looked at again: so the first look goes a little ahead, and each that finds none is followed
    /// by one twice as far.
    fn look_for_line(&mut self, part: &str) {
        let table = self.table();
        let ends = self.lines.ahead.min(part.len())..=part.len();
        let end = ends.into_iter().find(|end| part.is_char_boundary(*end));
        let ahead = &part.as_bytes()[..end.unwrap_or(part.len())];
        let counts =
            |feed: usize| table.line_fits(&part.as_bytes()[feed + 1..]).then_some(feed + 1);
        let line = memchr::memchr_iter(b'\n', ahead).find_map(counts);
        if line.is_none() {
            self.lines.ahead *= 2;
        }
        let free = line.unwrap_or(ahead.len());
        self.machine.examined += free;
        self.lines.none_before = self.at + free;
    }

    /// At the start of a state: white space that may stand there leaves, and then the rules that begin
    /// there are taken up.
    pub(super) fn state_start(&mut self) {
        let line = self.view.part(self.at).as_bytes();
        if !line.is_empty() && self.is_new_line(self.at) && self.table().line_counts(line) {
            return self.begin(Begins::Line, self.at);
        }
        if let Some(chars) = self.between_chars() {
            let part = self.view.part(self.at);
            let fits = |byte: &u8| Chars::WHITE.fits(&[*byte]) && chars.fits(&[*byte]);
            // A line at a time, and no further: a marker may begin at the next.
            let white = match part.bytes().position(|byte| byte == b'\n' || !fits(&byte)) {
                Some(end) if fits(&part.as_bytes()[end]) => end + 1,
                Some(end) => end,
                None => part.len(),
            };
            if white > 0 {
                self.machine.examined += white;
                self.at += white;
                return self.framed_payload(self.at);
            }
        }
        self.machine.at_start = false;
        // What a special token stands for may be a text that counts only so.
        let asks = self.machine.special.is_some() || self.out.wants_markers();
        let text = self.view.part(self.at).as_bytes();
        if asks || self.table().may_begin_state(text, &self.machine.call, &self.tables.names) {
            return self.begin(Begins::State, self.at);
        }
        #[cfg(test)]
        self.assert_no_start();
        self.emit_before(self.at);
    }

    /// What may stand between calls or parameters, if not everything may.
    pub(super) fn between_chars(&self) -> Option<Chars> {
        self.machine.between_chars(self.grammar)
    }

    /// Between calls or parameters, where not everything may stand.
    pub(super) fn between(&mut self) {
        let Some(chars) = self.between_chars() else { return };
        let part = self.view.part(self.at);
        let (table, waiting) = (self.table(), self.machine.flags.has(Flags::WAITING));
        let lines = table.begins_at(Begins::Line);
        for (offset, byte) in part.bytes().enumerate() {
            let at = self.at + offset;
            let white = Chars::WHITE.fits(&[byte]);
            let may_begin = table.first.contains(&byte);
            if lines
                && (table.line_counts(&part.as_bytes()[offset..]) || byte == b'\r')
                && self.is_new_line(at)
            {
                return self.begin(Begins::Line, at);
            }
            if may_begin {
                return self.begin(Begins::Byte, at);
            }
            if waiting && !white || !chars.fits(&[byte]) {
                self.at = at;
                self.framed_payload(at);
                return self.end_between(Proof::Text);
            }
        }
        self.machine.examined += part.len();
        self.at += part.len();
    }

    /// Something stands here that may not: the call that waits for its arguments has ended, or the
    /// section or the call ends before it.
    pub(super) fn end_between(&mut self, proof: Proof) {
        if self.machine.flags.has(Flags::WAITING) {
            self.at = self.from;
            return self.end_waiting(proof);
        }
        if self.machine.call.ends_before(self.view.base + self.at) > CIRCLE {
            // It stands here after all.
            let first = self.view.part(self.at).chars().next();
            self.at += first.map_or(1, char::len_utf8);
            return;
        }
        match self.machine.state {
            State::Call => self.end_call(proof),
            _ => {
                if self.grammar.sections[self.machine.section as usize].closes {
                    self.diagnose(DiagnosticKind::MissingCloser, self.from);
                }
                self.close_section(proof);
            }
        }
    }

    /// Whether what stands here is Markdown code that quotes.
    pub(super) fn is_quoted(&self) -> bool {
        if self.tables.options.fences == Fences::Parse || self.machine.prose == super::REASONING {
            return false;
        }
        match self.grammar.lines_part {
            Some(_) => self.machine.flags.has(Flags::FENCED),
            None => self.machine.fence.quotes(),
        }
    }
}

impl Table {
    /// Whether a marker may begin at the start of the state, if this comes next.
    pub(super) fn may_begin_state(&self, text: &[u8], call: &OpenCall, tools: &Tools) -> bool {
        let node = &self.nodes[Begins::State as usize];
        let next = Next::new(text.first().copied());
        let fits = |kid: &Kid| match self.nodes[kid.node as usize].step {
            // Most likely it is that: it is found among the known markers, and not compared here.
            PatternStep::Lit(_) => kid.may_begin(next, tools),
            _ => self.may_stand(kid, text, (call, tools)),
        };
        node.decides || node.accepts != 0 || node.kids.iter().any(fits)
    }

    /// Whether a step and what follows it may stand here, as far as names, literals, and what may stand before them
    /// say. If not, nothing is noticed of it either.
    fn may_stand(&self, kid: &Kid, text: &[u8], (call, tools): (&OpenCall, &Tools)) -> bool {
        let (next, node) = (Next::new(text.first().copied()), &self.nodes[kid.node as usize]);
        if !kid.may_begin(next, tools) || kid.names_param && no_param(next, call, tools) {
            return false;
        }
        match &node.step {
            PatternStep::Lit(known) => {
                let same = same_bytes(known.as_bytes(), text);
                same == known.len() || same == text.len()
            }
            PatternStep::Until(until) => !until.is_barred(text),
            PatternStep::Run { run, .. } if run.min == 0 => {
                let ascii = run.chars.ascii();
                let is_in = |byte: &&u8| byte.is_ascii() && ascii >> **byte & 1 != 0;
                let len = text.iter().take(LONG_RUN).take_while(is_in).count();
                let notes = node.accepts | node.openers | node.closers != 0;
                let open = text.get(len).is_none_or(|byte| !byte.is_ascii());
                let mut kids = node.kids.iter();
                notes
                    || open
                    || len >= LONG_RUN.min(run.max.into())
                    || kids.any(|kid| self.may_stand(kid, &text[len..], (call, tools)))
            }
            _ => true,
        }
    }

    /// A look at the next bytes: most tags in a text are no marker, most in a value are not its own.
    /// Whether no marker of this table can begin like this, be it that none of its literals can, nor a
    /// tool, nor the names of the open call.
    #[inline]
    pub(super) fn rules_out(&self, text: &[u8], call: &OpenCall, tools: &Tools) -> bool {
        let (mut kids, mut rest) = (self.kids(Begins::Byte), text);
        loop {
            let mut next = None;
            let begins = Next::new(rest.first().copied());
            for kid in kids.iter().filter(|kid| kid.may_begin(begins, tools)) {
                let node = &self.nodes[kid.node as usize];
                let known = match &node.step {
                    PatternStep::Lit(known) => known.as_bytes(),
                    PatternStep::Name(_) if kid.names_tool => {
                        let names = &tools.names;
                        let (range, read) = names.advance(names.all(), 0, rest);
                        let ends = rest.get(read).is_none_or(|byte| !byte.is_ascii());
                        if ends || names.exact(range, read).is_some() {
                            return false;
                        }
                        continue;
                    }
                    PatternStep::Ref(Ref::Call) if !call.captured.name.is_empty() => {
                        call.captured.name.as_bytes()
                    }
                    PatternStep::Ref(Ref::Param) if !call.captured.param.is_empty() => {
                        call.captured.param.as_bytes()
                    }
                    _ if kid.names_param && no_param(begins, call, tools) => continue,
                    _ => return false,
                };
                // After two bytes one more tells most of them.
                if rest.len() + 2 <= text.len() {
                    if rest.is_empty() || known.first() == rest.first() {
                        return false;
                    }
                    continue;
                }
                let same = same_bytes(known, rest);
                if same == known.len() {
                    // Two names may begin alike.
                    if node.decides || next.is_some() {
                        return false;
                    }
                    next = Some((&node.kids, &rest[same..]));
                } else if same == rest.len() {
                    return false;
                }
            }
            match next {
                Some((more, after)) => (kids, rest) = (more, after),
                None => return true,
            }
        }
    }
}

/// Whether no parameter of the open call begins like this.
// Out of line: it is asked in values alone.
#[inline(never)]
fn no_param(begins: Next, call: &OpenCall, tools: &Tools) -> bool {
    !tools.params(call.tool).may_begin(begins)
}
