//! The two machines: that of readers, and that of rules, for the dialects that readers do not read yet.

use crate::event::Payload;
use crate::limit::Limit;
use crate::machine::fast_path::FastPath;
use crate::machine::tables::Tables;
use crate::parser::call_text::CallText;
use crate::parser::diff_lines::Lines;
use crate::read::plain::Plain;
use crate::sink::Sink;
use crate::{machine, read};

/// The machine of a parser.
#[derive(Clone, Debug)]
pub(super) enum Engine {
    Readers(read::machine::Machine),
    Rules(machine::Machine),
}

/// A path for the next chunk, if a look at its bytes is enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Path {
    Readers(Plain),
    Rules(FastPath),
}

impl Path {
    pub fn payload(self) -> Payload {
        match self {
            Path::Readers(plain) => plain.payload,
            Path::Rules(path) => path.payload,
        }
    }
}

/// The layers behind the machine.
pub(super) type Layers<'a, S> = Limit<'a, CallText<'a, Lines<'a, S>>>;

impl Engine {
    pub fn new(tables: &Tables) -> Engine {
        match tables.setup() {
            Some(setup) => Engine::Readers(read::machine::Machine::new(&setup)),
            None => Engine::Rules(machine::Machine::new(tables)),
        }
    }

    pub fn reset(&mut self, tables: &Tables) {
        match (self, tables.setup()) {
            (Engine::Readers(machine), Some(setup)) => machine.reset(&setup),
            (Engine::Rules(machine), _) => machine.reset(tables),
            (engine, None) => *engine = Engine::new(tables),
        }
    }

    /// Reads a chunk.
    pub fn feed<S: Sink>(&mut self, tables: &Tables, chunk: &str, out: Layers<'_, S>) {
        match (self, tables.setup()) {
            (Engine::Readers(machine), Some(setup)) => {
                machine.feed(&setup, chunk, &mut out.erased())
            }
            (Engine::Rules(machine), _) => machine.feed(tables, chunk, &mut { out }),
            (Engine::Readers(_), None) => {}
        }
    }

    /// The stream is over; `cut`: more would have come.
    pub fn finish<S: Sink>(&mut self, tables: &Tables, cut: bool, out: Layers<'_, S>) {
        match (self, tables.setup()) {
            (Engine::Readers(machine), Some(setup)) => {
                machine.finish(&setup, cut, &mut out.erased())
            }
            (Engine::Rules(machine), _) => machine.finish(tables, cut, &mut { out }),
            (Engine::Readers(_), None) => {}
        }
    }

    /// The next bytes, so many, are a special token.
    pub fn special_comes(&mut self, len: usize) {
        match self {
            Engine::Readers(machine) => machine.special_comes(len),
            Engine::Rules(machine) => machine.special_comes(len),
        }
    }

    /// A call and all round it have closed, and nothing but white space and markup has come since.
    pub fn is_after_call(&self, tables: &Tables) -> bool {
        match (self, tables.setup()) {
            (Engine::Readers(machine), Some(setup)) => machine.is_after_call(&setup),
            (Engine::Readers(_), None) => false,
            (Engine::Rules(machine), _) => machine.is_after_call(&tables.grammar),
        }
    }

    /// Stream offset after the last byte that was fed.
    pub fn read_so_far(&self) -> usize {
        match self {
            Engine::Readers(machine) => machine.read_so_far(),
            Engine::Rules(machine) => machine.read_so_far(),
        }
    }

    pub fn held(&self) -> usize {
        match self {
            Engine::Readers(machine) => machine.held(),
            Engine::Rules(machine) => machine.held(),
        }
    }

    pub fn examined(&self) -> usize {
        match self {
            Engine::Readers(machine) => machine.examined,
            Engine::Rules(machine) => machine.examined(),
        }
    }

    /// An object is held that may be a call, or arguments whose call has no name yet.
    #[cfg(feature = "json")]
    pub fn holds_json(&self) -> bool {
        match self {
            Engine::Readers(machine) => machine.holds_json(),
            Engine::Rules(machine) => machine.holds_json(),
        }
    }

    /// Returns the path for the next chunk, if a look at its bytes is enough.
    pub fn path(&self, tables: &Tables) -> Option<Path> {
        match (self, tables.setup()) {
            (Engine::Readers(machine), setup) => machine.plain(&setup?).map(Path::Readers),
            (Engine::Rules(machine), _) => machine.fast_path(tables).map(Path::Rules),
        }
    }

    /// Takes a chunk that is payload from end to end; `false` if it must be read in full.
    #[inline]
    pub fn pass(&mut self, tables: &Tables, path: Path, chunk: &str) -> bool {
        match (self, path) {
            (Engine::Readers(machine), Path::Readers(plain)) => {
                tables.setup().is_some_and(|setup| machine.pass(&setup, plain, chunk))
            }
            (Engine::Rules(machine), Path::Rules(path)) => machine.pass(tables, path, chunk),
            _ => false,
        }
    }
}
