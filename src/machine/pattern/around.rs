//! What a match sees beside its own characters: the view, the open call, the tools.

use super::{Match, Stretch};
use crate::dialect::spec::{Known, Name, Of, Ref};
use crate::json::white::is_white_byte;
use crate::machine::call::OpenCall;
use crate::machine::json::Json;
use crate::machine::names::Names;
use crate::machine::table::{Next, PatternStep, Table};
use crate::machine::tables::{Grammar, Tools, UNKNOWN};
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
    /// View offset of the marker's first byte.
    pub start: usize,
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
}

impl<'a> Around<'a> {
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
            (PatternStep::Ref(Ref::Call), Some(byte)) => begins(&self.call.name, byte),
            (PatternStep::Ref(Ref::Param), Some(byte)) => begins(&self.call.param, byte),
            (PatternStep::Ref(Ref::Nested), Some(byte)) => begins(self.call.nested(), byte),
            (PatternStep::Ref(Ref::Bracket), Some(byte)) => begins(self.bracket(), byte),
            (PatternStep::Ref(Ref::First), Some(byte)) => begins(self.call.first(), byte),
            (PatternStep::Name(name), Some(byte)) => {
                let quote = name.quoted.is_some() && matches!(byte, b'"' | b'\'');
                let any = quote || name.optional;
                let next = Next::new(Some(byte));
                any || self.names(name, one.tool).is_none_or(|names| names.may_begin(next))
            }
            _ => true,
        }
    }

    /// What closes the innermost bracket of the open body.
    pub fn bracket(&self) -> &'static str {
        self.json.closing()
    }

    /// A match has looked at so many bytes.
    #[inline]
    pub fn examine(&self, bytes: usize) {
        self.examined.set(self.examined.get() + bytes);
    }

    /// Whether the declared parameter of this number was given.
    pub(super) fn is_given(&self, id: u16) -> bool {
        self.call.is_given(id)
    }

    /// Whether the `len` bytes before `end` came as one special token.
    pub fn is_special(&self, len: u16, end: u16) -> bool {
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

    pub(super) fn byte_before(&self, at: u16) -> Option<u8> {
        (self.start + at as usize).checked_sub(1).and_then(|at| self.view.byte(at))
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
