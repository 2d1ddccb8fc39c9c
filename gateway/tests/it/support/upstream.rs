//! The model's server: each request gets the next answer of the script.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, LazyLock, Mutex};
use std::time::{Duration, Instant};

use axum::Json;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::Response;
use axum::routing::{get, post};
use futures_util::stream;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::time::sleep;

/// An answer.
#[derive(Clone)]
pub struct Reply {
    pub status: u16,
    pub headers: Vec<(&'static str, String)>,
    pub body: Vec<u8>,
    /// Before its head.
    pub head: Duration,
    /// Bytes at once, and the time before each piece.
    pub piece: usize,
    pub pause: Duration,
    pub end: End,
}

#[derive(Clone, Copy, PartialEq)]
pub enum End {
    /// The body ends as HTTP has it.
    Whole,
    /// The connection breaks behind so many bytes.
    Cut(usize),
    /// Nothing more comes behind so many bytes.
    Stall(usize),
}

impl Reply {
    pub fn sse(body: impl Into<Vec<u8>>) -> Reply {
        let headers = vec![("content-type", "text/event-stream".to_string())];
        let (head, pause) = Default::default();
        Reply {
            status: 200,
            headers,
            body: body.into(),
            head,
            piece: usize::MAX,
            pause,
            end: End::Whole,
        }
    }

    pub fn status(status: u16, body: impl Into<Vec<u8>>) -> Reply {
        let headers = vec![("content-type", "application/json".to_string())];
        Reply { status, headers, ..Reply::sse(body) }
    }

    #[must_use]
    pub fn header(mut self, name: &'static str, value: &str) -> Reply {
        self.headers.push((name, value.to_string()));
        self
    }

    #[must_use]
    pub fn head_after(self, head: Duration) -> Reply {
        Reply { head, ..self }
    }

    #[must_use]
    pub fn in_pieces(self, piece: usize, pause: Duration) -> Reply {
        Reply { piece, pause, ..self }
    }

    #[must_use]
    pub fn cut(self, bytes: usize) -> Reply {
        Reply { end: End::Cut(bytes), ..self }
    }

    #[must_use]
    pub fn stall(self, bytes: usize) -> Reply {
        Reply { end: End::Stall(bytes), ..self }
    }
}

/// A chunk of a chat.
pub fn chunk(text: &str) -> Value {
    json!({"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": null}]})
}

/// A stream of a chat, with these texts.
pub fn chat<'t>(texts: impl IntoIterator<Item = &'t str>) -> Reply {
    let mut events: Vec<Value> = texts.into_iter().map(chunk).collect();
    events.push(json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}));
    events.push(json!({"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 5}}));
    let mut body: String = events.iter().map(|event| format!("data: {event}\n\n")).collect();
    body.push_str("data: [DONE]\n\n");
    Reply::sse(body)
}

/// Answers requests beyond the script.
pub type Model = fn(&Value) -> Reply;

/// Answers a request to `/tokenize`.
pub type Tokenizer = fn(&Value) -> (u16, Value);

#[derive(Default)]
struct Shared {
    script: Mutex<VecDeque<Reply>>,
    model: Option<Model>,
    asked: Mutex<Vec<Value>>,
    keys: Mutex<Vec<Option<String>>>,
    tokenizer: Mutex<Option<Tokenizer>>,
    counted: Mutex<Vec<Value>>,
    /// Its list of models; `None`: it has none.
    models: Mutex<Option<Value>>,
    open: AtomicUsize,
    sent: AtomicUsize,
}

#[derive(Clone)]
pub struct Upstream {
    pub url: String,
    shared: Arc<Shared>,
}

impl Upstream {
    pub async fn new(script: impl IntoIterator<Item = Reply>) -> Upstream {
        let script = Mutex::new(script.into_iter().collect());
        Upstream::of(Shared { script, ..Shared::default() }).await
    }

    /// A server whose answers depend on the request.
    pub async fn by(model: Model) -> Upstream {
        Upstream::of(Shared { model: Some(model), ..Shared::default() }).await
    }

    async fn of(shared: Shared) -> Upstream {
        let shared = Arc::new(shared);
        let list = json!({"object": "list", "data": [{"id": "qwen3-8b"}]});
        *shared.models.lock().expect("a list") = Some(list);
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}/v1", listener.local_addr().expect("an address"));
        let router = axum::Router::new()
            .route("/v1/chat/completions", post(answer))
            .route("/tokenize", post(tokenize))
            .route("/v1/models", get(models))
            .layer(axum::extract::DefaultBodyLimit::disable())
            .with_state(Arc::clone(&shared));
        tokio::spawn(async move { axum::serve(listener, router).await });
        Upstream { url, shared }
    }

    /// The requests that came.
    pub fn asked(&self) -> Vec<Value> {
        self.shared.asked.lock().expect("a list").clone()
    }

    pub fn tokenizes(&self, tokenizer: Tokenizer) {
        *self.shared.tokenizer.lock().expect("a tokenizer") = Some(tokenizer);
    }

    /// From now on it lists these models, or has no list.
    pub fn lists(&self, models: Option<Value>) {
        *self.shared.models.lock().expect("a list") = models;
    }

    /// The requests to `/tokenize`.
    pub fn counted(&self) -> Vec<Value> {
        self.shared.counted.lock().expect("a list").clone()
    }

    pub fn keys(&self) -> Vec<Option<String>> {
        self.shared.keys.lock().expect("a list").clone()
    }

    /// Returns the number of open requests.
    pub fn open(&self) -> usize {
        self.shared.open.load(SeqCst)
    }

    /// How many bytes have left.
    pub fn sent(&self) -> usize {
        self.shared.sent.load(SeqCst)
    }
}

/// Counts a request, until it is answered or dropped.
struct Open(Arc<Shared>);

impl Drop for Open {
    fn drop(&mut self) {
        self.0.open.fetch_sub(1, SeqCst);
    }
}

async fn models(State(shared): State<Arc<Shared>>) -> (StatusCode, Json<Value>) {
    match shared.models.lock().expect("a list").clone() {
        Some(models) => (StatusCode::OK, Json(models)),
        None => (StatusCode::NOT_FOUND, Json(json!({"detail": "Not Found"}))),
    }
}

async fn tokenize(
    State(shared): State<Arc<Shared>>,
    Json(request): Json<Value>,
) -> (StatusCode, Json<Value>) {
    shared.counted.lock().expect("a list").push(request.clone());
    let tokenizer = *shared.tokenizer.lock().expect("a tokenizer");
    let nothing = (404, json!({"error": "there is no /tokenize here"}));
    let (status, body) = tokenizer.map_or(nothing, |tokenizer| tokenizer(&request));
    (StatusCode::from_u16(status).expect("a status"), Json(body))
}

async fn answer(
    State(shared): State<Arc<Shared>>,
    headers: axum::http::HeaderMap,
    Json(request): Json<Value>,
) -> Response {
    shared.open.fetch_add(1, SeqCst);
    let open = Open(Arc::clone(&shared));
    shared.asked.lock().expect("a list").push(request.clone());
    let key = headers.get("authorization").map(|key| key.to_str().expect("a text").to_string());
    shared.keys.lock().expect("a list").push(key);
    let reply = shared.script.lock().expect("a script").pop_front();
    let reply = reply.or_else(|| Some(shared.model?(&request)));
    let reply = reply.unwrap_or_else(|| Reply::status(500, "the script is over"));
    sleep(reply.head).await;
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::from_u16(reply.status).expect("a status");
    for (name, value) in &reply.headers {
        let value = HeaderValue::from_str(value).expect("a value");
        response.headers_mut().insert(HeaderName::from_static(name), value);
    }
    *response.body_mut() = body(reply, open);
    response
}

fn body(reply: Reply, open: Open) -> Body {
    Body::from_stream(stream::unfold((reply, open, 0), async |(reply, open, at)| {
        let most = match reply.end {
            End::Whole => reply.body.len(),
            End::Cut(bytes) | End::Stall(bytes) => bytes.min(reply.body.len()),
        };
        if at == most {
            match reply.end {
                End::Whole => return None,
                // Bytes before it leave first.
                End::Cut(_) => {
                    sleep(Duration::from_millis(1)).await;
                    return Some((Err(std::io::Error::other("cut")), (reply, open, at)));
                }
                End::Stall(_) => std::future::pending::<Infallible>().await,
            };
        }
        if !reply.pause.is_zero() {
            sleep(reply.pause).await;
        }
        let piece = &reply.body[at..most];
        let mut piece = piece[..piece.len().min(reply.piece)].to_vec();
        stamp(&mut piece);
        let piece = Bytes::from(piece);
        open.0.sent.fetch_add(piece.len(), SeqCst);
        let at = at + piece.len();
        Some((Ok(piece), (reply, open, at)))
    }))
}

/// Stands in a text for the time at which it leaves.
pub const STAMP: &str = "@00000000000000@";

/// Microseconds in this process.
pub fn now() -> u64 {
    static BEGAN: LazyLock<Instant> = LazyLock::new(Instant::now);
    u64::try_from(BEGAN.elapsed().as_micros()).expect("not so long")
}

fn stamp(piece: &mut [u8]) {
    if let Some(at) = piece.windows(STAMP.len()).position(|bytes| bytes == STAMP.as_bytes()) {
        piece[at..at + STAMP.len()].copy_from_slice(format!("@{:014}@", now()).as_bytes());
    }
}

/// How long the texts in these bytes have been on their way.
pub fn ages(bytes: &[u8]) -> Vec<Duration> {
    let stamps = bytes.windows(STAMP.len()).filter_map(|bytes| {
        let digits = bytes.strip_prefix(b"@")?.strip_suffix(b"@")?;
        std::str::from_utf8(digits).ok()?.parse::<u64>().ok()
    });
    stamps.map(|sent| Duration::from_micros(now().saturating_sub(sent))).collect()
}
