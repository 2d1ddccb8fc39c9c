//! A small HTTP client: one `POST`, whose answer is read while it comes. No TLS: for a server on
//! this machine (llama.cpp, vLLM, Ollama, a gateway) or the scripted one.

use std::error::Error;

use http_body_util::{BodyDataStream, BodyExt};
use hyper::body::Incoming;
use hyper::{Request, Uri};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpStream;

/// The body of the answer, as a stream of chunks. Dropping it closes the connection.
pub type Body = BodyDataStream<Incoming>;

/// Sends `request` to `base_url` + `path`.
///
/// # Errors
/// If there is no server, or its answer has no success status: then with the text of the answer.
pub async fn post(base_url: &str, path: &str, request: &Value) -> Result<Body, Box<dyn Error>> {
    let url: Uri = format!("{}{path}", base_url.trim_end_matches('/')).parse()?;
    let (Some("http"), Some(host)) = (url.scheme_str(), url.host()) else {
        return Err(format!("`{base_url}` is no base URL: use http://HOST:PORT").into());
    };
    let socket = TcpStream::connect((host, url.port_u16().unwrap_or(80))).await?;
    let (mut sender, connection) =
        hyper::client::conn::http1::handshake(TokioIo::new(socket)).await?;
    tokio::spawn(connection);
    let request = Request::post(url.path())
        .header("host", url.authority().map_or(host, |authority| authority.as_str()))
        .header("content-type", "application/json")
        .header("anthropic-version", "2023-06-01") // the others ignore it
        .body(request.to_string())?;
    let response = sender.send_request(request).await?;
    let status = response.status();
    if !status.is_success() {
        let words = response.into_body().collect().await?.to_bytes();
        return Err(format!("{status}: {}", String::from_utf8_lossy(&words)).into());
    }
    Ok(response.into_body().into_data_stream())
}

/// Chunk of OpenAI's chat stream.
#[derive(Default)]
pub struct Chunk {
    pub text: String,
    /// How the model ended its message, once it did. `length`: it did not, the server did.
    pub finish_reason: Option<String>,
}

/// Reads a chunk. `[DONE]`, and data that is not a chunk, are empty.
pub fn chunk(data: &[u8]) -> Chunk {
    let chunk: Value = serde_json::from_slice(data).unwrap_or_default();
    let choice = &chunk["choices"][0];
    let text = |value: &Value| value.as_str().map(String::from);
    Chunk {
        text: text(&choice["delta"]["content"]).unwrap_or_default(),
        finish_reason: text(&choice["finish_reason"]),
    }
}
