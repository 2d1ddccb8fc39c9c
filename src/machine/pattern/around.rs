//! What a match sees beside its own characters: the view, the open call, the tools.

use super::{Match, Stretch};
use crate::dialect::spec::{Known, Name, Of, Ref};
use crate::json::white::is_white_byte;
use crate::machine::call::OpenCall;
use crate::machine::first_bytes::Next;
use crate::machine::grammar::Grammar;
use crate::machine::ids::UNKNOWN;
use crate::machine::json::Json;
use crate::machine::names::Names;
use crate::machine::table::{PatternStep, Table};
use crate::machine::tools::Tools;
use crate::machine::view::View;
use std::cell::Cell;

/// What a match asks about the call it stands in, and about the parser.
pub(crate) struct Around<'a> {
    pub grammar: &'a Grammar,
    pub tools: &'a Tools,
    pub table: &'a Table,
    pub view: View<'a>,
    /// What is to be read next, and how many bytes after the marker's first it begins.
    pub text: &'a [u8],
    pub text_at: usize,
    /// View offset of the marker's first byte, and whether a line begins with it.
    pub start: usize,
    pub at_line_start: bool,
    /// Its names are asked for by [`Around::known`], and so is the bracket of the body: what was asked is noted.
    pub call: &'a OpenCall,
    /// Where special tokens stand in the stream.
    pub special: &'a [std::ops::Range<usize>],
    /// A back-tick in the lead of a line quotes it.
    pub quotes: bool,
    /// In a block of reasoning.
    pub in_reasoning: bool,
    /// Between calls or parameters, where not everything may stand.
    pub between: bool,
    /// Stream offset before which no object is tried: see [`super::whole`].
    pub tried: usize,
    /// The open body.
    pub json: &'a Json,
    /// How many bytes were looked at, once for each match that did.
    pub examined: Cell<usize>,
    pub asked: Cell<Asked>,
}

/// What a match asked for beside its own characters, as far as it changes from marker to marker.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Asked(u8);

impl Asked {
    const CALL: Asked = Asked(1);
    const PARAM: Asked = Asked(2);
    const NESTED: Asked = Asked(4);
    const BRACKET: Asked = Asked(8);
    const FIRST: Asked = Asked(16);
    const ELEMENT: Asked = Asked(32);
    /// Which parameters were given.
    pub const GIVEN: Asked = Asked(64);
    /// What stands elsewhere in the stream.
    pub const STREAM: Asked = Asked(128);
    const NAMES: [Asked; 6] =
        [Asked::CALL, Asked::PARAM, Asked::NESTED, Asked::BRACKET, Asked::FIRST, Asked::ELEMENT];

    pub fn has(self, other: Asked) -> bool {
        self.0 & other.0 != 0
    }

    pub fn and(self, other: Asked) -> Asked {
        Asked(self.0 | other.0)
    }
}

impl<'a> Around<'a> {
    /// The tool of the open call.
    pub fn tool(&self) -> u16 {
        self.call.tool
    }

    fn ask(&self, what: Asked) {
        self.asked.set(self.asked.get().and(what));
    }

    /// Notes that the stream decides, not the marker alone.
    pub fn ask_stream(&self) {
        self.ask(Asked::STREAM);
    }

    /// The text that a step repeats, which the open call or the open body knows.
    pub fn known(&self, of: Ref) -> &'a str {
        let asked = match of {
            Ref::Call => Asked::CALL,
            Ref::Param => Asked::PARAM,
            Ref::Nested => Asked::NESTED,
            Ref::Bracket => Asked::BRACKET,
            Ref::First => Asked::FIRST,
            Ref::Element | Ref::Marker => Asked::ELEMENT,
        };
        self.ask(asked);
        self.name(asked)
    }

    fn name(&self, asked: Asked) -> &'a str {
        match asked {
            Asked::CALL => &self.call.captured.name,
            Asked::PARAM => &self.call.captured.param,
            Asked::NESTED => self.call.nested(),
            Asked::BRACKET => self.json.closing(),
            Asked::FIRST => self.call.first(),
            _ => self.call.captured.element(),
        }
    }

    /// Those of the names that were asked for, each with what ends it.
    pub fn names_of(&self, asked: Asked) -> impl Iterator<Item = &'a str> {
        let names = Asked::NAMES.into_iter().filter(move |name| asked.has(*name));
        names.flat_map(|name| [self.name(name), "\0"])
    }

    /// By number: whether each declared parameter of the open call was given.
    pub fn given(&self) -> &'a [bool] {
        self.call.given()
    }

    /// The names that fit, where not all do. `tool`: whose parameters count.
    pub(super) fn names(&self, name: &Name, tool: u16) -> Option<&'a Names> {
        match (name.of, name.known) {
            (_, Known::Any | Known::Undeclared) => None,
            // It is known when it is decoded.
            (Of::Tool, _) if name.entities => None,
            (Of::Tool, Known::IfDeclared) if self.tools.names.is_empty() => None,
            (Of::Param, Known::IfDeclared) if tool == UNKNOWN => None,
            // It has more than the name.
            (Of::ToolId, _) => None,
            (Of::Tool, _) => Some(&self.tools.names),
            _ => Some(self.tools.params(tool)),
        }
    }

    /// What is to be read after the first bytes of the marker.
    pub fn ahead(&self, at: u16) -> &'a [u8] {
        &self.text[at as usize - self.text_at..]
    }

    /// Whether a step may come after what was read, if the next byte is this one, by the names that it
    /// stands for. A look back for a special token takes none.
    #[inline(never)]
    pub fn may_follow(&self, kid: u16, one: &Match, next: Option<u8>) -> bool {
        let begins = |name: &str, byte| name.bytes().next().is_none_or(|first| first == byte);
        match (&self.table.nodes[kid as usize].step, next) {
            (PatternStep::Special(len), _) => self.is_special(*len, one.at),
            (PatternStep::Ref(of), Some(byte)) => begins(self.known(*of), byte),
            (PatternStep::Name(name), Some(byte)) => {
                let quote = name.quoted.is_some() && matches!(byte, b'"' | b'\'');
                let any = quote || name.optional;
                let next = Next::new(Some(byte));
                any || self.names(name, one.tool).is_none_or(|names| names.may_begin(next))
            }
            _ => true,
        }
    }

    /// A match has looked at so many bytes.
    #[inline]
    pub fn examine(&self, bytes: usize) {
        self.examined.set(self.examined.get() + bytes);
    }

    /// Whether the declared parameter of this number was given.
    pub(super) fn is_given(&self, id: u16) -> bool {
        self.ask(Asked::GIVEN);
        self.call.is_given(id)
    }

    /// Whether the `len` bytes before `end` came as one special token.
    pub fn is_special(&self, len: u16, end: u16) -> bool {
        self.ask_stream();
        let end = self.view.base + self.start + end as usize;
        self.special.contains(&(end - len as usize..end))
    }

    /// Whether a text that ends at `end` came as a special token, if it ends with one.
    pub(super) fn is_as_it_came(&self, text: &str, end: u16) -> bool {
        let mut ends = self.grammar.special.iter().filter(|token| text.ends_with(&***token));
        ends.all(|token| self.is_special(token.len() as u16, end))
    }

    pub fn slices(&self, name: Stretch) -> [&'a str; 2] {
        let from = self.start + name.at as usize;
        self.view.slices(from, from + name.len as usize)
    }

    pub fn byte(&self, at: u16) -> Option<u8> {
        self.view.byte(self.start + at as usize)
    }

    /// Whether a line begins after so many bytes of the marker. What stands before it is not its own, and may have
    /// left.
    pub(super) fn is_line_start(&self, at: u16) -> bool {
        match at.checked_sub(1) {
            Some(before) => self.byte(before) == Some(b'\n'),
            None => {
                self.ask_stream();
                self.at_line_start
            }
        }
    }

    /// Whether a letter or `_` comes first.
    pub(super) fn begins_word(&self, name: Stretch) -> bool {
        let first = self.slices(name).into_iter().find_map(|part| part.chars().next());
        first.is_some_and(|first| first.is_alphabetic() || first == '_')
    }

    pub(super) fn is_blank(&self, name: Stretch) -> bool {
        self.slices(name).iter().all(|part| part.bytes().all(is_white_byte))
    }

    pub(super) fn is(&self, name: Stretch, known: &str) -> bool {
        let [head, tail] = self.slices(name);
        known.strip_prefix(head) == Some(tail)
    }
}
