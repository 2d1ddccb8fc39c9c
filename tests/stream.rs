//! The stream adapters: the same events as the other doors, errors in their place, and an end.

use std::collections::VecDeque;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use futures_core::stream::{FusedStream, Stream};
use serde_json::{Value, json};
use toolstream::native::{Provider, Reader};
use toolstream::sse::Decoder;
use toolstream::stream::EventStream;
use toolstream::{Dialect, Event, Finish, Param, Parser, Tool, ToolUse, Utf8Bytes};

const TEXT: &str = "Zoë: 1 < 2.\n<read_file><path>src/é.rs</path></read_file>";
const SECOND: &str = "<read_file><path>b</path></read_file>";

fn parser() -> Parser {
    let tool = Tool::new("read_file").param(Param::required("path"));
    Parser::builder(Dialect::CLINE).tool(tool).build().unwrap()
}

/// What a test's stream does when it is asked.
#[derive(Clone)]
enum Step<B> {
    Chunk(B),
    Error(&'static str),
    Wait,
}

/// A stream that plays steps; polling it behind its end is an error, as with many streams.
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
        assert!(!self.ended, "polled behind its end");
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

/// All items, and how often the stream had to wait.
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

/// What the iterator says of the same chunks.
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
fn an_error_passes_through_in_its_place_and_ends_nothing() {
    let (first, second) = TEXT.split_at(TEXT.len() - 9);
    let source = steps([
        Step::Chunk(first),
        Step::Wait,
        Step::Error("hiccup"),
        Step::Chunk(second),
        Step::Wait,
    ]);
    let (items, waits) = play(parser().stream(source));
    assert_eq!(waits, 2);
    let place = items.iter().position(|item| item == &Err("hiccup")).expect("the error");
    let first_alone = {
        let mut parser = parser();
        parser.feed(first).count()
    };
    assert_eq!(place, first_alone);
    let events = items.into_iter().filter(|item| item.is_ok()).collect();
    assert_eq!(said(events), iterated(&[first, second]));
}

#[test]
fn an_error_at_the_end_leaves_an_incomplete_call() {
    let text = "<read_file><path>a";
    let (items, _) = play(parser().stream(steps([Step::Chunk(text), Step::Error("reset")])));
    let mut message = parser().message();
    let errors = items.iter().filter(|item| item.is_err()).count();
    items.into_iter().flatten().for_each(|event| message.push(event));
    message.close();
    assert_eq!((errors, message.finish(), message.calls().count()), (1, Finish::Truncated, 0));
}

#[test]
fn the_limit_ends_the_stream_and_drops_the_chunks() {
    struct Dropped(std::rc::Rc<std::cell::Cell<bool>>, Steps<String>);
    impl Drop for Dropped {
        fn drop(&mut self) {
            self.0.set(true);
        }
    }
    impl Stream for Dropped {
        type Item = Result<String, &'static str>;
        fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
            Pin::new(&mut self.1).poll_next(cx)
        }
    }
    let dropped = std::rc::Rc::new(std::cell::Cell::new(false));
    let endless = (0..1000).map(|_| format!("{SECOND} and "));
    let mut stream = Box::pin(parser().stream(Dropped(dropped.clone(), chunks(endless))));
    let mut cx = Context::from_waker(Waker::noop());
    let mut last = None;
    while let Poll::Ready(Some(item)) = stream.as_mut().poll_next(&mut cx) {
        last = Some(item.unwrap());
    }
    assert!(matches!(last, Some(Event::ToolLimitReached(_))), "{last:?}");
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
        assert_eq!(message.finish(), Finish::ToolUse);
    }
}

#[test]
fn a_stream_of_a_stream_that_cannot_be_moved() {
    // Not `Unpin`: the adapter must not ask for it.
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
