//! A scripted model server: answers that were written down, streamed as server-sent events over a
//! real socket, in chunks of odd sizes that cut lines and characters.
//!
//! `Server::start(answers)` listens on a free port of 127.0.0.1. The first `POST`, to any path, gets the
//! first answer, and so on; after the last answer the status is 500. The server stops when it is dropped, and
//! by itself after a minute.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::io;
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use futures_util::{Stream, stream};
use http_body_util::{BodyExt, Limited, StreamBody};
use hyper::body::{Bytes, Frame, Incoming};
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::oneshot;

const LIFE: Duration = Duration::from_secs(60);
const LONGEST_REQUEST: usize = 1 << 20;
const SIZES: [usize; 7] = [1, 7, 2, 31, 3, 5, 13];

/// Scripted response.
#[derive(Clone, Debug)]
pub struct Answer {
    status: u16,
    body: Vec<u8>,
    /// The connection breaks after the body, which then has no end.
    cut: bool,
}

impl Answer {
    /// Answers with these bytes: a stream of any provider, or a broken one.
    pub fn raw(body: impl Into<Vec<u8>>) -> Answer {
        Answer { status: 200, body: body.into(), cut: false }
    }

    /// Each value as the data of one event: the stream of any provider.
    pub fn events<'e>(events: impl IntoIterator<Item = &'e Value>) -> Answer {
        let event = |event: &Value| match event["type"].as_str() {
            Some(name) => format!("event: {name}\ndata: {event}\n\n"),
            None => format!("data: {event}\n\n"),
        };
        Answer::raw(events.into_iter().map(event).collect::<String>())
    }

    /// A model's text, a piece a delta, as OpenAI's chat completions stream it.
    pub fn chat<'p>(pieces: impl IntoIterator<Item = &'p str>) -> Answer {
        Answer::chat_ending(pieces, "stop")
    }

    /// Makes an answer that the server ended: it was too long.
    pub fn too_long<'p>(pieces: impl IntoIterator<Item = &'p str>) -> Answer {
        Answer::chat_ending(pieces, "length")
    }

    fn chat_ending<'p>(pieces: impl IntoIterator<Item = &'p str>, reason: &str) -> Answer {
        let chunk = |delta: Value, reason: Option<&str>| {
            json!({"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 0,
                "model": "scripted", "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]})
        };
        let deltas = pieces.into_iter().map(|piece| chunk(json!({"content": piece}), None));
        let mut events: Vec<Value> = deltas.collect();
        events.push(chunk(json!({}), Some(reason)));
        let mut answer = Answer::events(&events);
        answer.body.extend_from_slice(b"data: [DONE]\n\n");
        answer
    }

    /// Cuts the answer after this many bytes: then the connection breaks.
    pub fn cut(mut self, bytes: usize) -> Answer {
        self.body.truncate(bytes);
        Answer { cut: true, ..self }
    }

    /// Cuts the answer behind `text`: then the connection breaks.
    pub fn cut_after(self, text: &str) -> Answer {
        let at = self.body.windows(text.len()).position(|bytes| bytes == text.as_bytes());
        let bytes = at.expect("the answer holds this text") + text.len();
        self.cut(bytes)
    }

    /// Cuts the answer behind the event that holds `text`: then the connection breaks.
    pub fn cut_after_event(self, text: &str) -> Answer {
        let body = String::from_utf8_lossy(&self.body);
        let at = body.find(text).expect("the answer holds this text");
        let bytes = at + body[at..].find("\n\n").expect("the end of an event") + 2;
        self.cut(bytes)
    }

    /// Sets another status: 429, 500, ….
    pub fn status(mut self, status: u16) -> Answer {
        self.status = status;
        self
    }

    /// Returns the body in pieces of odd sizes, and the frames behind it.
    fn frames(self) -> impl Stream<Item = io::Result<Frame<Bytes>>> + Send {
        let (mut body, mut sizes) = (Bytes::from(self.body), SIZES.into_iter().cycle());
        let mut frames = VecDeque::new();
        while !body.is_empty() {
            let size = sizes.next().unwrap_or(1).min(body.len());
            frames.push_back(Ok(Frame::data(body.split_to(size))));
        }
        frames.extend(self.cut.then(|| Err(io::Error::other("cut as the script says"))));
        stream::unfold(frames, |mut frames| async {
            // Between two pieces the first is written to the socket.
            tokio::task::yield_now().await;
            frames.pop_front().map(|frame| (frame, frames))
        })
    }
}

/// A running server.
#[derive(Debug)]
pub struct Server {
    /// `http://127.0.0.1:PORT`
    pub url: String,
    script: Arc<Mutex<Script>>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug, Default)]
struct Script {
    answers: VecDeque<Answer>,
    requests: Vec<Value>,
}

impl Server {
    /// Serves these answers, one a request, in order.
    pub fn start(answers: impl IntoIterator<Item = Answer>) -> io::Result<Server> {
        let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
        listener.set_nonblocking(true)?;
        let url = format!("http://{}", listener.local_addr()?);
        let answers = answers.into_iter().collect();
        let script = Arc::new(Mutex::new(Script { answers, requests: Vec::new() }));
        let (stop, stopped) = oneshot::channel();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let shared = Arc::clone(&script);
        let thread = std::thread::spawn(move || {
            runtime.block_on(async {
                tokio::select! {
                    _ = serve(listener, shared) => {}
                    _ = stopped => {}
                    _ = tokio::time::sleep(LIFE) => {}
                }
            });
        });
        Ok(Server { url, script, stop: Some(stop), thread: Some(thread) })
    }

    /// Returns the bodies of the requests so far; `null` for a body that is not JSON.
    pub fn requests(&self) -> Vec<Value> {
        self.script.lock().expect("no panic in the server").requests.clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop.take().map(|stop| stop.send(()));
        self.thread.take().map(JoinHandle::join);
    }
}

async fn serve(listener: std::net::TcpListener, script: Arc<Mutex<Script>>) -> io::Result<()> {
    let listener = TcpListener::from_std(listener)?;
    loop {
        let (socket, _) = listener.accept().await?;
        let script = Arc::clone(&script);
        tokio::spawn(async move {
            let service = service_fn(|request| answer(request, &script));
            let http = hyper::server::conn::http1::Builder::new();
            // A client may leave before the end, and a cut answer is an error here.
            let _ = http.serve_connection(TokioIo::new(socket), service).await;
        });
    }
}

async fn answer(
    request: Request<Incoming>,
    script: &Mutex<Script>,
) -> Result<Response<impl hyper::body::Body<Data = Bytes, Error = io::Error> + use<>>, Infallible> {
    let body = Limited::new(request.into_body(), LONGEST_REQUEST).collect().await;
    let body = body.map(|body| body.to_bytes()).unwrap_or_default();
    let answer = {
        let mut script = script.lock().expect("no panic in the server");
        script.requests.push(serde_json::from_slice(&body).unwrap_or_default());
        script.answers.pop_front()
    };
    let answer = answer.unwrap_or_else(|| Answer::raw("no answer is left").status(500));
    let status = answer.status;
    let mut response = Response::new(StreamBody::new(answer.frames()));
    *response.status_mut() = hyper::StatusCode::from_u16(status).expect("a status");
    response.headers_mut().insert("content-type", "text/event-stream".parse().expect("a value"));
    Ok(response)
}
