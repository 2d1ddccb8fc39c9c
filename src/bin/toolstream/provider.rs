//! The provider of a stream, by its events: each provider's reader knows its own.

use toolstream::native::{Provider, Reader};
use toolstream::sse::Decoder;
use toolstream::{Event, diagnostic::DiagnosticKind};

/// Returns the provider of this event.
pub fn of_event(data: &[u8]) -> Option<Provider> {
    Provider::ALL.iter().copied().find(|provider| read(*provider, data).is_some())
}

/// Returns the provider of a capture that begins like this: the owner of the first event with a content. (An
/// object that is not an event may look like one without content.)
pub fn of_capture(beginning: &[u8]) -> Option<Provider> {
    let mut first: Option<Vec<u8>> = None;
    let mut keep = |data: &[u8]| {
        first.get_or_insert_with(|| data.to_vec());
    };
    let mut decoder = Decoder::default();
    decoder.feed(beginning, &mut keep);
    decoder.finish(&mut keep);
    let first = first?;
    Provider::ALL.iter().copied().find(|provider| {
        read(*provider, &first).is_some_and(|(reader, said)| {
            said || reader.envelope().id.is_some() || reader.envelope().model.is_some()
        })
    })
}

/// Returns the reader after this event, and whether the event had a content; `None` if it is not its
/// provider's.
fn read(provider: Provider, data: &[u8]) -> Option<(Reader, bool)> {
    let value: serde_json::Value = serde_json::from_slice(data).ok()?;
    let mut reader = Reader::builder(provider).build().ok()?;
    let (mut own, mut said) = (value.is_object() || value.is_array(), false);
    for event in reader.feed_value(&value) {
        match event {
            Event::Diagnostic(reported) => own &= reported.kind != DiagnosticKind::ForeignEvent,
            _ => said = true,
        }
    }
    own.then_some((reader, said))
}
