//! The stream adapters have the events of the other entry points, errors at their place, and an end.

use std::collections::VecDeque;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use futures_core::stream::{FusedStream, Stream};
use serde_json::{Value, json};
use toolstream::native::{Provider, Reader};
use toolstream::sse::Decoder;
use toolstream::stream::EventStream;
use toolstream::{
    Dialect, Ending, Event, Param, Parser, Tool, ToolUse, diagnostic::DiagnosticKind,
    events::Utf8Bytes,
};

const TEXT: &str = "Zoë: 1 < 2.\n<read_file><path>src/é.rs</path></read_file>";
const SECOND: &str = "<read_file><path>b</path></read_file>";

fn parser() -> Parser {
    let tool = Tool::new("read_file").param(Param::required("path"));
    Parser::builder(Dialect::CLINE).tool(tool).build().unwrap()
}

/// A step of a test's stream.
#[derive(Clone)]
enum Step<B> {
    Chunk(B),
    Error(&'static str),
    Wait,
}

/// A stream that plays steps. Polling it after its end is an error, as with many streams.
struct Steps<B> {
    steps: VecDeque<Step<B>>,
    ended: bool,
}

fn steps<B>(steps: impl IntoIterator<Item = Step<B>>) -> Steps<B> {
    Steps { steps: steps.into_iter().collect(), ended: false }
}

fn chunks<B>(chunks: impl IntoIterator<Item = B>) -> Steps<B> {
    steps(chunks.into_iter().map(Step::Chunk))
}

impl<B: Unpin> Stream for Steps<B> {
    type Item = Result<B, &'static str>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        assert!(!self.ended, "polled after its end");
        match self.steps.pop_front() {
            Some(Step::Chunk(chunk)) => Poll::Ready(Some(Ok(chunk))),
            Some(Step::Error(error)) => Poll::Ready(Some(Err(error))),
            Some(Step::Wait) => {
                cx.waker().wake_by_ref();
                Poll::Pending
            }
            None => {
                self.ended = true;
                Poll::Ready(None)
            }
        }
    }
}

/// All items, and the number of times that the stream had to wait.
fn play<S: Stream>(stream: S) -> (Vec<S::Item>, usize) {
    let (mut stream, mut items, mut waits) = (Box::pin(stream), Vec::new(), 0);
    let mut cx = Context::from_waker(Waker::noop());
    loop {
        match stream.as_mut().poll_next(&mut cx) {
            Poll::Ready(Some(item)) => items.push(item),
            Poll::Pending => waits += 1,
            Poll::Ready(None) => break,
        }
    }
    assert!(matches!(stream.as_mut().poll_next(&mut cx), Poll::Ready(None)), "fused");
    (items, waits)
}

fn said<E: std::fmt::Debug>(items: Vec<Result<Event<Utf8Bytes>, E>>) -> Vec<Event<String>> {
    items.into_iter().map(|item| item.unwrap().map(|text| text.to_string())).collect()
}

/// The events of the iterator for these chunks.
fn iterated<B: AsRef<[u8]>>(chunks: &[B]) -> Vec<Event<String>> {
    let (mut parser, mut events) = (parser(), Vec::new());
    for chunk in chunks {
        events.extend(parser.feed_bytes(chunk.as_ref()).map(|event| event.map(String::from)));
    }
    events.extend(parser.finish().map(|event| event.map(String::from)));
    events
}

#[test]
fn the_same_as_the_iterator_for_every_chunk_size() {
    let cut = &TEXT[..TEXT.len() - 4]; // with something left for `finish` to say
    for text in [TEXT, cut, &format!("{TEXT}{SECOND}"), ""] {
        for size in 1..=text.len().max(1) {
            let pieces: Vec<Bytes> =
                text.as_bytes().chunks(size).map(Bytes::copy_from_slice).collect();
            let (items, _) = play(parser().stream(chunks(pieces.clone())));
            assert_eq!(said(items), iterated(&pieces), "chunks of {size}");
        }
    }
}

#[test]
fn text_of_every_kind_goes_in() {
    let expected = iterated(&[TEXT]);
    assert_eq!(said(play(parser().stream(chunks([TEXT]))).0), expected);
    assert_eq!(said(play(parser().stream(chunks([TEXT.to_string()]))).0), expected);
    assert_eq!(said(play(parser().stream(chunks([TEXT.as_bytes().to_vec()]))).0), expected);
}

#[test]
fn slices_are_shares_of_the_chunk() {
    let chunk = Bytes::from_static(b"a long piece of prose");
    let (items, _) = play(parser().stream(chunks([chunk.clone()])));
    let Some(Ok(Event::TextContent(text))) = items.into_iter().next() else { panic!("no text") };
    assert_eq!(text.into_bytes().as_ptr(), chunk.as_ptr());
}

#[test]
fn an_error_passes_through_in_its_place_and_cuts_the_stream() {
    let (first, second) = TEXT.split_at(TEXT.len() - 9);
    let source = steps([
        Step::Chunk(first),
        Step::Wait,
        Step::Error("reset"),
        // Nothing behind a gap is read, so no call is put together across it.
        Step::Chunk(second),
    ]);
    let (items, waits) = play(parser().stream(source));
    assert_eq!(waits, 1);
    let mut cut = parser();
    let before: Vec<_> = cut.feed(first).map(|event| event.map(String::from)).collect();
    let after: Vec<_> = cut.finish_cut().map(|event| event.map(String::from)).collect();
    assert_eq!(items[before.len()], Err("reset"));
    let mut events = said(items.into_iter().filter(Result::is_ok).collect());
    assert_eq!(events.split_off(before.len()), after);
    assert_eq!(events, before);
}

/// The ending, the diagnostics, and the number of calls that may run.
fn ended(source: Steps<&'static str>) -> (Ending, Vec<DiagnosticKind>, usize) {
    let mut message = parser().message();
    play(parser().stream(source)).0.into_iter().flatten().for_each(|event| message.push(event));
    message.close();
    let kinds = message.diagnostics().iter().map(|diagnostic| diagnostic.kind).collect();
    (message.ended(), kinds, message.calls().count())
}

#[test]
fn only_the_chunks_own_end_is_the_models() {
    let cut = vec![DiagnosticKind::CutStream];
    let error = Step::Error("reset");
    assert_eq!(ended(steps([Step::Chunk(TEXT)])), (Ending::ToolUse, vec![], 1));
    assert_eq!(
        ended(steps([Step::Chunk(TEXT), error.clone()])),
        (Ending::ToolUse, vec![], 1),
        "the call had closed before: nothing is lacking"
    );
    assert_eq!(
        ended(steps([Step::Chunk(TEXT), Step::Chunk(" And"), error.clone()])),
        (Ending::Truncated, cut.clone(), 1)
    );
    assert_eq!(
        ended(steps([Step::Chunk("<read_file><path>a"), error.clone()])),
        (Ending::Truncated, cut.clone(), 0)
    );
    assert_eq!(ended(steps([error])), (Ending::Truncated, cut, 0));
}

#[test]
fn a_provider_that_ended_over_a_connection_that_broke() {
    let call = json!({"index": 0, "function": {"name": "read_file"}});
    let events = [
        json!({"choices": [{"delta": {"tool_calls": [call]}}]}).to_string(),
        json!({"choices": [{"delta": {}, "finish_reason": "tool_calls"}]}).to_string(),
    ];
    let finish = |error: Option<&'static str>| {
        let reader = Reader::builder(Provider::OpenAiChat).build().unwrap();
        let mut message = reader.message();
        let chunks = events.iter().cloned().map(Step::Chunk);
        let source = steps(chunks.chain(error.map(Step::Error)));
        play(reader.stream(source)).0.into_iter().flatten().for_each(|event| message.push(event));
        message.close();
        (message.ended(), message.calls().count())
    };
    assert_eq!(finish(None), (Ending::ToolUse, 1));
    assert_eq!(finish(Some("reset")), (Ending::Truncated, 0));
}

#[test]
fn half_an_event_of_a_response_that_broke_off_is_dropped() {
    let body = b"data: one\n\ndata: tw".as_slice();
    let read = |error: Option<&'static str>| {
        let source = steps([Step::Chunk(body)].into_iter().chain(error.map(Step::Error)));
        let (items, _) = play(Decoder::default().stream(source));
        items.into_iter().flatten().collect::<Vec<_>>()
    };
    assert_eq!(read(None), ["one", "tw"]);
    assert_eq!(read(Some("reset")), ["one"]);
}

#[test]
fn the_limit_ends_the_stream_and_drops_the_chunks() {
    /// Chunks of a connection that stays open: nothing follows them, not even an end.
    struct Open(std::rc::Rc<std::cell::Cell<bool>>, VecDeque<&'static str>);
    impl Drop for Open {
        fn drop(&mut self) {
            self.0.set(true);
        }
    }
    impl Stream for Open {
        type Item = Result<&'static str, &'static str>;
        fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Self::Item>> {
            self.1.pop_front().map_or(Poll::Pending, |chunk| Poll::Ready(Some(Ok(chunk))))
        }
    }
    let dropped = std::rc::Rc::new(std::cell::Cell::new(false));
    let source = Open(dropped.clone(), [SECOND, " and ", SECOND].into());
    let mut stream = Box::pin(parser().stream(source));
    let mut cx = Context::from_waker(Waker::noop());
    let mut last = None;
    let end = loop {
        match stream.as_mut().poll_next(&mut cx) {
            Poll::Ready(Some(item)) => last = Some(item.unwrap()),
            end => break end,
        }
    };
    assert!(matches!(last, Some(Event::ToolLimitReached(_))), "{last:?}");
    assert!(matches!(end, Poll::Ready(None)), "it waits for more");
    assert!(dropped.get(), "the chunks are still there");
    assert!(stream.is_terminated());
    assert!(stream.machine().limit_reached().is_err());
}

#[test]
fn a_provider_over_server_sent_events() {
    let deltas = [
        json!({"choices": [{"delta": {"content": "Zoë."}}]}),
        json!({"choices": [{"delta": {"tool_calls": [{"index": 0, "id": "c1",
            "function": {"name": "read_file", "arguments": "{\"path\": \"é"}}]}}]}),
        json!({"choices": [{"delta": {"tool_calls": [{"index": 0,
            "function": {"arguments": ".rs\"}"}}]}}]}),
        json!({"choices": [{"delta": {}, "finish_reason": "tool_calls"}]}),
    ];
    let body: String = deltas.iter().map(|delta: &Value| format!("data: {delta}\n\n")).collect();
    let body = body + "data: [DONE]\n\n";
    let reader = Reader::builder(Provider::OpenAiChat).build().unwrap();
    for size in 1..=body.len() {
        let body: Vec<Vec<u8>> = body.as_bytes().chunks(size).map(<[u8]>::to_vec).collect();
        let events = reader.clone().stream(Decoder::default().stream(chunks(body)));
        let mut message = reader.message();
        play(events).0.into_iter().for_each(|event| message.push(event.unwrap()));
        message.close();
        let call = message.calls().next().expect("a call");
        assert_eq!((message.text(), &call.input()["path"]), ("Zoë.".into(), &json!("é.rs")));
        assert_eq!(message.ended(), Ending::ToolUse);
    }
}

#[test]
fn a_stream_of_a_stream_that_cannot_be_moved() {
    // This stream is not `Unpin`, and the adapter must not require it.
    let source = futures_util::stream::unfold(Some(TEXT), |text| async move {
        std::future::ready(()).await;
        text.map(|text| (Ok::<_, ()>(text), None))
    });
    assert_eq!(said(play(parser().stream(source)).0), iterated(&[TEXT]));
}

#[test]
fn streams_cross_threads() {
    fn is_send<T: Send>(_: &T) {}
    let stream: EventStream<_, Parser> =
        parser().stream(futures_util::stream::iter([Ok::<_, ()>(TEXT)]));
    is_send(&stream);
    let events = std::thread::spawn(|| said(play(stream).0)).join().unwrap();
    assert!(events.contains(&Event::ToolUse(ToolUse::ParamDelta("src/é.rs".into()))));
}
