//! The [`Reply`] of a provider's stream.

#[cfg(feature = "policy")]
use std::sync::Arc;

use super::{Envelope, Reader};
use crate::event::ToolLimitReached;
use crate::message::reply::{Keeps, NativeReader, Noted, Reply};
#[cfg(feature = "policy")]
use crate::parser::Parser;
#[cfg(feature = "policy")]
use crate::parser::tables::Tables;
use crate::parser::tape::{Both, Events};
#[cfg(feature = "policy")]
use crate::provider::Provider;

impl Reader {
    /// Returns an empty reply, with a fresh reader of this kind.
    #[must_use]
    pub fn reply(&self) -> Reply {
        let mut reader = self.clone();
        reader.reset();
        let keeps = if reader.text_parser().is_some() { Keeps::TextCalls } else { Keeps::Text };
        Reply::native(reader.message(), keeps, Box::new(reader))
    }
}

/// Makes a reply, as [`Reader::reply`] does.
impl From<Reader> for Reply {
    fn from(reader: Reader) -> Self {
        reader.reply()
    }
}

impl NativeReader for Reader {
    fn feed(&mut self, data: &[u8]) -> Events<'_> {
        Reader::feed(self, data)
    }

    fn finish(&mut self, cut: bool) -> Events<'_> {
        match cut {
            true => self.finish_cut(),
            false => Reader::finish(self),
        }
    }

    fn feed_both(&mut self, data: &[u8], noted: &mut Noted) -> Events<'_> {
        self.core.feed_bytes(data, &mut Both { tape: self.tape.record(""), sink: noted });
        self.tape.play("")
    }

    fn finish_both(&mut self, cut: bool, noted: &mut Noted) -> Events<'_> {
        self.core.finish(cut, &mut Both { tape: self.tape.record(""), sink: noted });
        self.tape.play("")
    }

    fn limit_reached(&self) -> Result<(), ToolLimitReached> {
        Reader::limit_reached(self)
    }

    fn envelope(&self) -> &Envelope {
        Reader::envelope(self)
    }

    fn boxed(&self) -> Box<dyn NativeReader> {
        Box::new(self.clone())
    }

    #[cfg(feature = "policy")]
    fn reply(&self) -> Reply {
        Reader::reply(self)
    }

    #[cfg(feature = "policy")]
    fn tables(&self) -> &Arc<Tables> {
        Reader::tables(self)
    }

    #[cfg(feature = "policy")]
    fn provider(&self) -> Provider {
        Reader::provider(self)
    }

    #[cfg(feature = "policy")]
    fn text_parser(&self) -> Option<&Parser> {
        Reader::text_parser(self)
    }
}
