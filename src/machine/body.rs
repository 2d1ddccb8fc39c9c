//! JSON bodies in the stream: what [`super::json`] finds becomes events; and what may stand between
//! two bodies of a section.
//!
//! ```text
//! section := ( white space | "[" | "]" | "," | ";" | "}" | fence | body )*      fence := "```" letters?
//! ```
//! Chunk ends here: everything leaves, but for arguments whose call has no name yet. Stream ends
//! here: an open body is open, and the call in it incomplete.

use super::call::Section;
use super::json::{Json, Stop};
use super::{Feed, Line, State};
use crate::dialect::spec::{Between, CALL, Opening};
use crate::event::{DiagnosticKind, Event, Status, ToolUse};
use crate::options::bounds;
use crate::sink::Sink;

/// The open JSON body.
#[derive(Clone, Debug, Default)]
pub(crate) struct Body {
    pub json: Json,
    /// Stream offset of its `{`.
    at: usize,
    /// Its call has started.
    started: bool,
    /// Bytes of the arguments that are held, once they are whole; they begin what is held.
    arguments: u32,
    /// The arguments came before the name and are held.
    pub holds: bool,
    /// It is all arguments: the call goes on behind it.
    bare: bool,
    /// It stands on a line, which goes on behind it.
    line: bool,
    /// Its brace has come, but its arguments may stand behind that: its call has not ended.
    pub waits: bool,
    /// What was noticed in the body has been reported: junk, repairs.
    reported: [bool; 2],
}

impl Body {
    pub fn is_line(&self) -> bool {
        self.line
    }

    /// What goes by is arguments of the call.
    pub fn gives_arguments(&self) -> bool {
        self.started && self.json.in_arguments()
    }

    /// It belongs to no call.
    pub fn is_orphan(&self) -> bool {
        self.line && !self.started
    }
}

impl<S: Sink> Feed<'_, '_, S> {
    pub fn open_object(&mut self, start: usize) {
        if self.may_open(start) {
            let at = self.view.base + start;
            self.machine.body = Body { json: Json::call(), at, ..Body::default() };
            self.machine.section.begun = true;
            self.enter(State::Body);
        }
    }

    pub fn open_arguments(&mut self, behind: u8) {
        let section = self.machine.section;
        self.machine.section = Section { open: true, kind: behind, begun: true, ..section };
        let json = Json::bare_arguments();
        self.machine.body = Body { json, started: true, bare: true, ..Body::default() };
        self.enter(State::Body);
    }

    /// The JSON input on a line, of a call or of none.
    pub fn open_line_json(&mut self, started: bool) {
        let json = Json::bare_arguments();
        self.machine.body = Body { json, started, bare: true, line: true, ..Body::default() };
        self.enter(State::Body);
    }

    /// In a body: read to the next thing that matters.
    pub fn body(&mut self) {
        let part = self.view.part(self.at);
        let machine = &mut *self.machine;
        let name = if machine.body.bare { &mut machine.call.param } else { &mut machine.call.name };
        let (read, stop) = machine.body.json.read(part, name);
        machine.examined += read;
        self.at += read;
        match stop {
            Stop::End => {}
            Stop::Angle => self.angle(),
            Stop::Name => self.body_name(),
            Stop::Arguments => self.arguments_begin(),
            Stop::ArgumentsEnd => self.arguments_end(),
            Stop::Duplicate => {
                self.leave_body();
                self.diagnose(DiagnosticKind::DuplicateParameter, self.at);
            }
            Stop::Noticed => {
                self.leave_body();
                self.report();
            }
            Stop::Body => {
                self.leave_body();
                self.report();
                let body = &mut self.machine.body;
                body.waits = body.started && !body.bare && body.json.lacks_arguments();
                match body.waits {
                    true => self.enter(State::Section),
                    false => self.body_ends(Status::Complete),
                }
            }
        }
    }

    /// What was noticed between the members, once its call has started.
    fn report(&mut self) {
        let body = &mut self.machine.body;
        if !body.started || body.bare {
            return;
        }
        let [junk, repaired] =
            std::mem::replace(&mut body.reported, [body.json.junk, body.json.repaired]);
        let (is_junk, is_repaired) = (body.json.junk && !junk, body.json.repaired && !repaired);
        self.machine.call.broken |= is_junk;
        if is_repaired {
            self.diagnose(DiagnosticKind::RepairedJson, self.at);
        }
        if is_junk {
            self.diagnose(DiagnosticKind::MalformedArguments, self.at);
        }
    }

    /// What stands behind the brace is no more of the object: the call ended with it.
    pub fn end_waiting(&mut self, status: Status) {
        if std::mem::take(&mut self.machine.body.waits) {
            self.end_call(status);
        }
    }

    /// Before a comma and the arguments that belong to the object before it.
    pub fn resume_body(&mut self, comma: usize) {
        self.machine.body.waits = false;
        self.machine.body.json.go_on();
        self.markup(comma + 1);
        self.at = self.from;
        self.report();
        self.enter(State::Body);
    }

    /// A `<` outside a string: the section's closer, perhaps.
    fn angle(&mut self) {
        self.leave_body();
        // On a line only the braces end it.
        if self.machine.body.line {
            self.machine.body.json.passed = true;
            return;
        }
        self.begin_any();
    }

    /// The name is whole: the call starts, if it is one.
    fn body_name(&mut self) {
        let held = self.machine.body.holds;
        let long = held && self.at - self.from > bounds::ARGUMENTS;
        let name = &mut self.machine.call.name;
        name.truncate(name.trim_end_matches([' ', '\t', '\r', '\n']).len());
        if name.is_empty() || name.len() > bounds::NAME || long {
            self.machine.body.json.refuse_name();
            self.machine.body.holds = false;
            return self.leave_body();
        }
        let tool = self.tables.tool_number([name, ""]);
        let opener = self.machine.body.at;
        if !held {
            self.leave_body();
        }
        let opening = Opening { kind: self.machine.call.kind, ..CALL };
        let part = self.machine.body_part(self.tables);
        self.start_call(tool, opening, part, opener);
        self.machine.body.started = true;
        self.report();
        if held {
            self.machine.body.holds = false;
            let end = self.from + self.machine.body.arguments as usize;
            for slice in self.view.slices(self.from, end) {
                if !slice.is_empty() {
                    self.out.event(Event::ToolUse(ToolUse::ArgumentsDelta(slice)));
                }
            }
            self.from = end;
            self.markup(self.at);
        }
    }

    /// Before the first byte of the arguments.
    fn arguments_begin(&mut self) {
        let body = &mut self.machine.body;
        let nameless = !(body.started || body.bare || body.json.has_no_name());
        // What stands before them is markup, whatever comes.
        self.markup(self.at);
        self.machine.body.holds = nameless;
    }

    fn arguments_end(&mut self) {
        self.machine.line = Line::Middle;
        let len = self.at - self.from;
        if self.machine.body.holds {
            self.machine.body.arguments = u32::try_from(len).unwrap_or(u32::MAX);
        } else if self.machine.body.started {
            self.argument_slices();
        }
        if self.machine.body.bare {
            self.body_ends(Status::Complete);
        }
    }

    fn argument_slices(&mut self) {
        for slice in self.view.slices(self.from, self.at) {
            if !slice.is_empty() {
                self.out.event(Event::ToolUse(ToolUse::ArgumentsDelta(slice)));
            }
        }
        self.from = self.at;
    }

    /// What was read leaves, unless it is held.
    fn leave_body(&mut self) {
        if !self.machine.body.holds {
            self.payload(self.at);
        }
    }

    pub fn body_slice(&mut self, slice: &str) {
        if self.machine.body.gives_arguments() {
            return self.out.event(Event::ToolUse(ToolUse::ArgumentsDelta(slice)));
        }
        self.machine.line = Line::Markup;
        self.out.event(Event::Markup(slice));
    }

    /// The chunk ends in a body.
    pub fn release_body(&mut self) {
        if self.machine.body.holds && self.at - self.from > bounds::ARGUMENTS {
            self.machine.body.json.refuse_name();
            self.machine.body.holds = false;
        }
        self.leave_body();
    }

    /// The section's closer stands in the body: the body ends before it.
    pub fn end_body(&mut self, start: usize) {
        self.at = start;
        self.machine.body.json.cut();
        self.report();
        let body = &self.machine.body;
        let balanced = body.json.is_between_members();
        if body.started && balanced && !body.json.repaired {
            self.diagnose(DiagnosticKind::RepairedJson, start);
        } else {
            self.machine.call.broken |= body.started && !balanced;
        }
        self.body_ends(Status::Complete);
    }

    /// The body is over, and all of it that can has left.
    fn body_ends(&mut self, status: Status) {
        if self.machine.body.line {
            self.payload(self.at);
            let call = self.machine.body.started;
            if call {
                self.end_call(status);
            }
            return self.behind_json(call);
        }
        if self.machine.body.started {
            return self.end_call(status);
        }
        self.machine.body.holds = false;
        self.markup(self.at);
        self.diagnose(DiagnosticKind::MalformedCall, self.at);
        self.machine.behind_call = false;
        self.enter(State::Section);
    }

    /// The stream ends in a body.
    pub fn cut_body(&mut self) -> bool {
        self.machine.body.holds = false;
        self.payload(self.view.len());
        self.machine.body.started
    }

    pub fn is_between(&self) -> bool {
        self.machine.state == State::Section && self.between_kind() != Between::Junk
    }

    fn between_kind(&self) -> Between {
        self.tables.sections[self.machine.section.kind as usize].between
    }

    /// Between two calls of a section in which not everything may stand.
    pub fn between(&mut self) {
        let json = self.between_kind() == Between::Json;
        let part = self.view.part(self.at);
        for (offset, byte) in part.bytes().enumerate() {
            let at = self.at + offset;
            let white = matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
            if self.machine.body.waits && !white {
                self.at = at;
                self.payload(at);
                return match byte {
                    b',' => self.begin_any(),
                    _ => self.end_waiting(Status::Complete),
                };
            }
            let section = &mut self.machine.section;
            let fits = match byte {
                b'{' if json => false,
                b'[' if json => !section.begun && !section.bracket,
                b']' | b',' | b';' | b'}' => json,
                _ => white,
            };
            section.bracket |= byte == b'[' && fits;
            if byte == b'}' && fits {
                self.payload(at);
                self.diagnose(DiagnosticKind::RepairedJson, at);
            }
            if !fits {
                self.at = at;
                self.payload(at);
                return match byte {
                    b'<' | b'{' | b'`' => self.begin_any(),
                    _ => self.end_section(),
                };
            }
        }
        self.at += part.len();
    }

    /// Something stands here that no section of this kind can hold: it ends before it.
    pub fn end_section(&mut self) {
        self.diagnose(DiagnosticKind::MissingCloser, self.from);
        self.machine.section.open = false;
        self.machine.section.unused = None;
        self.enter(State::Text);
    }
}
