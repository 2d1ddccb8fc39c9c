//! A small HTTP server: JSON in, an answer in pieces out.

use std::convert::Infallible;
use std::error::Error;
use std::future::Future;
use std::io;

use futures_util::stream;
use http_body_util::{BodyExt, Limited, StreamBody};
use hyper::body::{Bytes, Frame, Incoming};
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::mpsc;

const LONGEST_REQUEST: usize = 16 << 20;

/// An answer: its content type, and its pieces as they come.
pub struct Reply {
    pub content_type: &'static str,
    pub pieces: mpsc::Receiver<Bytes>,
}

impl Reply {
    /// Makes a whole reply.
    pub fn json(answer: &Value) -> Reply {
        let (sender, pieces) = mpsc::channel(1);
        let _ = sender.try_send(answer.to_string().into());
        Reply { content_type: "application/json", pieces }
    }
}

/// The reason why there is no answer, with its status.
pub struct Refusal {
    status: StatusCode,
    why: String,
    /// A word that clients know.
    code: Option<&'static str>,
}

impl Refusal {
    pub fn new(status: StatusCode, why: impl ToString) -> Refusal {
        Refusal { status, why: why.to_string(), code: None }
    }

    #[must_use]
    pub fn code(self, code: &'static str) -> Refusal {
        Refusal { code: Some(code), ..self }
    }
}

/// By default any error is the request's fault.
impl<E: Error> From<E> for Refusal {
    fn from(error: E) -> Refusal {
        Refusal::new(StatusCode::BAD_REQUEST, error)
    }
}

/// Gives every request, with its path, to `answer`, until the listener fails.
///
/// # Errors
/// The listener's.
pub async fn serve<F: Future<Output = Result<Reply, Refusal>> + Send>(
    listener: TcpListener,
    answer: impl Fn(String, Value) -> F + Clone + Send + Sync + 'static,
) -> io::Result<Infallible> {
    loop {
        let (socket, _) = listener.accept().await?;
        let answer = answer.clone();
        tokio::spawn(async move {
            let service = service_fn(|request: Request<Incoming>| async {
                let path = request.uri().path().to_string();
                let reply = match json_of(request).await {
                    Ok(request) => answer(path, request).await,
                    Err(refusal) => Err(refusal),
                };
                Ok::<_, Infallible>(response(reply))
            });
            // A client may leave before the end.
            let http = hyper::server::conn::http1::Builder::new();
            let _ = http.serve_connection(TokioIo::new(socket), service).await;
        });
    }
}

async fn json_of(request: Request<Incoming>) -> Result<Value, Refusal> {
    let body = Limited::new(request.into_body(), LONGEST_REQUEST).collect().await;
    let body = body.map_err(|error| Refusal::new(StatusCode::BAD_REQUEST, error))?;
    Ok(serde_json::from_slice(&body.to_bytes())?)
}

/// Returns the refusal in the form that all three protocols have.
fn refusal(Refusal { why, code, .. }: &Refusal) -> Value {
    let mut error = json!({"type": "invalid_request_error", "message": why});
    if let Some(code) = code {
        error["code"] = (*code).into();
        error["details"] = json!({"error_code": code});
    }
    json!({"type": "error", "error": error})
}

fn response(
    reply: Result<Reply, Refusal>,
) -> Response<impl hyper::body::Body<Data = Bytes, Error = Infallible>> {
    let (status, reply) = match reply {
        Ok(reply) => (StatusCode::OK, reply),
        Err(refused) => (refused.status, Reply::json(&refusal(&refused))),
    };
    let pieces = stream::unfold(reply.pieces, |mut pieces| async {
        let piece = pieces.recv().await?;
        Some((Ok(Frame::data(piece)), pieces))
    });
    let mut response = Response::new(StreamBody::new(pieces));
    *response.status_mut() = status;
    let content_type = reply.content_type.parse().expect("a content type");
    response.headers_mut().insert("content-type", content_type);
    response
}
