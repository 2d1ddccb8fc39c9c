//! The model's server: the requests to it, and their time limits.

use std::error::Error;
use std::net::IpAddr;
use std::time::Duration;

use axum::http::{HeaderValue, StatusCode, header};
use reqwest::{Client, Method, RequestBuilder, Response, Url, redirect};
use serde_json::Value;
use tokio::time::timeout;

use crate::config::{Config, Limits};
use crate::refusal::Refusal;

/// The most bytes that are read of an error page.
const LONGEST_ERROR: usize = 64 << 10;
/// The most bytes of a list of models, or of a count of tokens.
const LONGEST_WORD: usize = 16 << 20;

/// Time after which an idle connection is used no more. Python's servers close theirs after five seconds: a request on such
/// a connection would be lost.
const POOLED: Duration = Duration::from_secs(4);

/// The model's server. Dropping a result of these functions ends its request, finished or not.
pub struct Upstream {
    client: Client,
    url: Url,
    key: Option<HeaderValue>,
    limits: Limits,
}

impl Upstream {
    /// # Errors
    /// A sentence, for a key that no header can carry.
    pub fn new(config: &Config) -> Result<Upstream, String> {
        // A server that redirects does not choose where requests and keys go.
        let mut client = Client::builder()
            .connect_timeout(config.limits.connect)
            .pool_idle_timeout(POOLED)
            .redirect(redirect::Policy::none())
            .tcp_nodelay(true);
        if is_loopback(&config.upstream) {
            // A proxy of the environment must not see the prompts of a local server.
            client = client.no_proxy();
        }
        let client = client.build().map_err(|error| error.to_string())?;
        let key = config.key.as_ref().map(|key| HeaderValue::from_str(&format!("Bearer {key}")));
        let mut key =
            key.transpose().map_err(|_| "the API key has characters that no header can carry")?;
        if let Some(key) = &mut key {
            key.set_sensitive(true);
        }
        Ok(Upstream { client, url: config.upstream.clone(), key, limits: config.limits })
    }

    /// Requests an answer. It has begun when this returns.
    ///
    /// # Errors
    /// The server's answer in place of the model's.
    pub async fn chat(&self, request: &Value) -> Result<Response, Refusal> {
        let asked = self.at(Method::POST, "/chat/completions").json(request).send();
        // The first byte of an answer in one piece comes with its last.
        let (patience, refusal) = match request["stream"] == true {
            true => (self.limits.first_byte, late("the prompt", "--first-byte-timeout")),
            false => (self.limits.whole, late("in full", "--answer-timeout")),
        };
        let answered = timeout(patience, asked).await.map_err(|_| refusal)?;
        let response = answered.map_err(|error| unreachable_because(&error))?;
        if response.status() == StatusCode::OK {
            return Ok(response);
        }
        let retry_after = response.headers().get(header::RETRY_AFTER).cloned();
        let status = response.status().as_u16();
        let body = bytes_of(response, LONGEST_ERROR).await.unwrap_or_default();
        Err(Refusal::of_upstream(status, &body, retry_after))
    }

    /// Returns the ids of its models.
    ///
    /// # Errors
    /// If the request fails, or there is no list.
    pub async fn models(&self) -> Result<Vec<String>, Refusal> {
        let list = self.json(self.at(Method::GET, "/models")).await?;
        let list = list["data"].as_array().or_else(|| list["models"].as_array());
        let list =
            list.ok_or_else(|| Refusal::bad_gateway("the model's server lists no models"))?;
        let id = |model: &Value| {
            let id = [&model["id"], &model["name"], model].into_iter().find_map(Value::as_str);
            id.map(str::to_string)
        };
        Ok(list.iter().filter_map(id).collect())
    }

    /// Counts tokens with `POST /tokenize`, which stands beside `/v1`: the answer is a number, or a list of
    /// tokens.
    pub async fn count(&self, request: &Value) -> Option<u64> {
        let mut url = self.url.clone();
        let path = format!("{}/tokenize", url.path().trim_end_matches("/v1").trim_end_matches('/'));
        url.set_path(&path);
        let request = self.with_key(self.client.post(url).json(request));
        let told = self.json(request).await.ok()?;
        told["count"].as_u64().or_else(|| told["tokens"].as_array().map(|list| list.len() as u64))
    }

    async fn json(&self, request: RequestBuilder) -> Result<Value, Refusal> {
        let asked = async {
            let response = request.send().await.map_err(|error| unreachable_because(&error))?;
            let (status, retry_after) =
                (response.status(), response.headers().get(header::RETRY_AFTER).cloned());
            let body = bytes_of(response, LONGEST_WORD).await.unwrap_or_default();
            if status != StatusCode::OK {
                return Err(Refusal::of_upstream(status.as_u16(), &body, retry_after));
            }
            serde_json::from_slice(&body).map_err(|_| {
                Refusal::bad_gateway("the model's server answered with what is no JSON")
            })
        };
        timeout(self.limits.connect, asked)
            .await
            .unwrap_or_else(|_| Err(late("this question", "--connect-timeout")))
    }

    fn at(&self, method: Method, path: &str) -> RequestBuilder {
        let mut url = self.url.clone();
        url.set_path(&format!("{}{path}", self.url.path().trim_end_matches('/')));
        self.with_key(self.client.request(method, url))
    }

    fn with_key(&self, request: RequestBuilder) -> RequestBuilder {
        match &self.key {
            Some(key) => request.header(header::AUTHORIZATION, key),
            None => request,
        }
    }
}

fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// The server did not speak in time.
pub fn late(what: &str, option: &str) -> Refusal {
    let why = format!("the model's server did not answer {what} in time; see {option}");
    Refusal::new(StatusCode::GATEWAY_TIMEOUT, why)
}

/// Without the address: a client need not know it.
fn unreachable_because(error: &reqwest::Error) -> Refusal {
    if error.is_timeout() {
        return Refusal::new(
            StatusCode::GATEWAY_TIMEOUT,
            "the model's server could not be reached in time; see --connect-timeout",
        );
    }
    let mut deepest: &dyn Error = error;
    while let Some(source) = deepest.source() {
        deepest = source;
    }
    Refusal::bad_gateway(format!("the model's server cannot be reached: {deepest}"))
}

async fn bytes_of(mut response: Response, most: usize) -> reqwest::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    while let Some(chunk) = response.chunk().await? {
        bytes.extend_from_slice(&chunk[..chunk.len().min(most - bytes.len())]);
        if bytes.len() == most {
            break;
        }
    }
    Ok(bytes)
}
