//! Whose stream it is, by its events: each provider's reader knows its own.

use toolstream::native::{Provider, Reader};
use toolstream::sse::Decoder;
use toolstream::{DiagnosticKind, Event};

/// The one provider whose event this is.
pub fn of_event(data: &[u8]) -> Option<Provider> {
    only(|provider| read(provider, data).is_some())
}

/// The provider of a capture that begins like this: whose event the first one is, and says something
/// to. (An object that is no event may look like one that says nothing.)
pub fn of_capture(beginning: &[u8]) -> Option<Provider> {
    let mut first: Option<Vec<u8>> = None;
    let mut keep = |data: &[u8]| {
        first.get_or_insert_with(|| data.to_vec());
    };
    let mut decoder = Decoder::default();
    decoder.feed(beginning, &mut keep);
    decoder.finish(&mut keep);
    let first = first?;
    only(|provider| {
        read(provider, &first).is_some_and(|(reader, said)| {
            said || reader.envelope().id.is_some() || reader.envelope().model.is_some()
        })
    })
}

fn only(owns: impl Fn(Provider) -> bool) -> Option<Provider> {
    let mut own = Provider::ALL.iter().copied().filter(|provider| owns(*provider));
    let first = own.next()?;
    // What several know (an error, say) tells nothing.
    own.next().is_none().then_some(first)
}

/// The reader after this event, and whether it said something; `None` if it is not its provider's.
fn read(provider: Provider, data: &[u8]) -> Option<(Reader, bool)> {
    let value: serde_json::Value = serde_json::from_slice(data).ok()?;
    let mut reader = Reader::builder(provider).build().ok()?;
    let (mut own, mut said) = (value.is_object() || value.is_array(), false);
    for event in reader.feed_value(&value) {
        match event {
            Event::Diagnostic(told) => own &= told.kind != DiagnosticKind::ForeignEvent,
            _ => said = true,
        }
    }
    own.then_some((reader, said))
}
