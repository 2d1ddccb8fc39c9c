//! The addresses that clients ask.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::Response;
use axum::routing::{get, post};
use futures_util::{FutureExt, StreamExt, stream};
use serde_json::{Value, json};
use tokio::time::timeout;
use toolstream::adapt::{Calls, EventWriter, Protocol};
use toolstream::native::Provider;
use toolstream::{Event, Parser};
use tower_http::cors::{AllowHeaders, Any, CorsLayer};
use uuid::Uuid;

use crate::answer::{Answer, From, Progress};
use crate::config::{Config, Limits, Tools};
use crate::guard::Entry;
use crate::metrics::Metrics;
use crate::models::{Models, matched};
use crate::pass::Pass;
use crate::record::Record;
use crate::refusal::Refusal;
use crate::request;
use crate::upstream::Upstream;

/// The common state of all requests.
pub struct Gateway {
    pub config: Config,
    pub metrics: Arc<Metrics>,
    upstream: Arc<Upstream>,
    models: Models,
}

impl Gateway {
    /// # Errors
    /// A sentence that names the option that is wrong.
    pub fn new(config: Config) -> Result<Gateway, String> {
        let upstream = Arc::new(Upstream::new(&config)?);
        if let Some(model) = &config.model {
            matched(&config, model).map_err(|refusal| format!("--model: {}", refusal.why))?;
        }
        Ok(Gateway { config, upstream, metrics: Arc::default(), models: Models::default() })
    }
}

/// The headers of answers that a page in a browser may read.
const EXPOSED: [&str; 4] = ["request-id", "x-request-id", "x-toolstream-tokens", "retry-after"];

type Shared = State<Arc<Gateway>>;

pub fn router(gateway: Arc<Gateway>) -> axum::Router {
    let cors = gateway.config.cors.as_deref().map(|origin| {
        let allowed = origin.parse::<HeaderValue>().unwrap_or(HeaderValue::from_static("null"));
        CorsLayer::new()
            .allow_origin(allowed)
            .allow_methods(Any)
            .expose_headers(EXPOSED.map(HeaderName::from_static))
            .allow_headers(AllowHeaders::mirror_request())
    });
    let router = axum::Router::new()
        .route("/v1/chat/completions", post(chat))
        .route("/v1/responses", post(responses))
        .route("/v1/messages", post(messages))
        .route("/v1/messages/count_tokens", post(count_tokens))
        .route("/v1/models", get(models))
        .route("/health", get(async || axum::Json(json!({"status": "ok"}))))
        .route("/metrics", get(metrics))
        .fallback(nothing_here)
        .method_not_allowed_fallback(wrong_method)
        .layer(from_fn_with_state(Arc::clone(&gateway), from_a_page))
        .layer(from_fn(logged))
        .with_state(gateway);
    match cors {
        Some(cors) => router.layer(cors),
        None => router,
    }
}

/// Returns the protocol in whose words an address answers.
fn protocol_of(path: &str) -> Protocol {
    match path {
        "/v1/responses" => Protocol::OpenAiResponses,
        path if path.starts_with("/v1/messages") => Protocol::Anthropic,
        _ => Protocol::OpenAiChat,
    }
}

async fn nothing_here(request: Request) -> Response {
    let path = request.uri().path();
    let why =
        format!("there is no {path} here: ask /v1/chat/completions, /v1/responses or /v1/messages");
    Refusal::new(StatusCode::NOT_FOUND, why).response(protocol_of(path))
}

async fn wrong_method(request: Request) -> Response {
    let (path, method) = (request.uri().path(), request.method());
    let reads = matches!(path, "/v1/models" | "/health" | "/metrics");
    let allowed = if reads { "GET, HEAD, OPTIONS" } else { "POST, OPTIONS" };
    let mut response = match *method {
        Method::OPTIONS => {
            let mut response = Response::new(Body::empty());
            *response.status_mut() = StatusCode::NO_CONTENT;
            response
        }
        _ => {
            let why = format!(
                "{path} is not for {method}: use {}",
                allowed.split(',').next().unwrap_or_default()
            );
            Refusal::new(StatusCode::METHOD_NOT_ALLOWED, why).response(protocol_of(path))
        }
    };
    response.headers_mut().insert(header::ALLOW, HeaderValue::from_static(allowed));
    response
}

/// A page in the user's browser can reach the loopback address, also under another name. It is answered only if
/// `--cors` names it.
async fn from_a_page(State(gateway): Shared, request: Request, next: Next) -> Response {
    let headers = request.headers();
    let text = |name| headers.get(name).map(|value: &HeaderValue| value.to_str().unwrap_or("?"));
    let foreign =
        text(header::ORIGIN).filter(|origin| gateway.config.cors.as_deref() != Some(*origin));
    let host = text(header::HOST).unwrap_or_default();
    let host = host
        .strip_prefix('[')
        .and_then(|host| host.split(']').next())
        .unwrap_or(host.rsplit_once(':').map_or(host, |(name, _)| name));
    let local = host.is_empty()
        || host.eq_ignore_ascii_case("localhost")
        || host.parse::<std::net::IpAddr>().is_ok();
    let why = match foreign {
        Some(origin) => {
            format!("the page {origin} may not use this gateway: start it with --cors {origin}")
        }
        None if gateway.config.listen.ip().is_loopback() && !local => {
            "this gateway is asked under a name that is not its own: use its address".to_string()
        }
        None => return next.run(request).await,
    };
    Refusal::new(StatusCode::FORBIDDEN, why).response(protocol_of(request.uri().path()))
}

/// Marks a response whose request has a line of its own in the log.
#[derive(Clone)]
struct HasEntry;

/// Writes a line for each request to another address than those of answers. So a client with a wrong address is seen, too.
async fn logged(request: Request, next: Next) -> Response {
    let route: String = request.uri().path().chars().take(200).collect();
    let (method, began) = (request.method().clone(), Instant::now());
    let mut response = next.run(request).await;
    if response.extensions().get::<HasEntry>().is_none() {
        let (id, status) = (Uuid::new_v4().simple().to_string(), response.status().as_u16());
        let ms = began.elapsed().as_millis() as u64;
        match route.as_str() {
            "/health" | "/metrics" => tracing::debug!(id, %method, route, status, ms, "request"),
            _ => tracing::info!(id, %method, route, status, ms, "request"),
        }
        if let Ok(id) = HeaderValue::from_str(&id) {
            response.headers_mut().insert(id_header(protocol_of(&route)), id);
        }
    }
    response
}

/// Returns the header that clients of this protocol report in errors.
fn id_header(protocol: Protocol) -> &'static str {
    if protocol == Protocol::Anthropic { "request-id" } else { "x-request-id" }
}

async fn chat(State(gateway): Shared, request: Request) -> Response {
    answered(&gateway, Protocol::OpenAiChat, "/v1/chat/completions", request).await
}

async fn responses(State(gateway): Shared, request: Request) -> Response {
    answered(&gateway, Protocol::OpenAiResponses, "/v1/responses", request).await
}

async fn messages(State(gateway): Shared, request: Request) -> Response {
    answered(&gateway, Protocol::Anthropic, "/v1/messages", request).await
}

async fn answered(
    gateway: &Gateway,
    protocol: Protocol,
    route: &'static str,
    request: Request,
) -> Response {
    let id = Uuid::new_v4().simple().to_string();
    let entry = Entry::begin(id.clone(), route, Arc::clone(&gateway.metrics));
    let answer = answer(gateway, protocol, entry, request).await;
    let mut response = answer.unwrap_or_else(|refusal| refusal.response(protocol));
    if let Ok(id) = HeaderValue::from_str(&id) {
        response.headers_mut().insert(id_header(protocol), id);
    }
    response.extensions_mut().insert(HasEntry);
    response
}

async fn answer(
    gateway: &Gateway,
    protocol: Protocol,
    mut entry: Entry,
    request: Request,
) -> Result<Response, Refusal> {
    let config = &gateway.config;
    let begun = begin(gateway, protocol, &mut entry, request).await;
    let (asked, name, record) = begun.inspect_err(|refusal| entry.refused(refusal))?;
    let prefix = match protocol {
        Protocol::OpenAiResponses => "resp_",
        Protocol::Anthropic => "msg_",
        _ => "chatcmpl-",
    };
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let writer =
        EventWriter::for_reader(protocol, &asked.reader, &format!("{prefix}{}", entry.id), &name);
    // Anthropic's clients read half an object as far as it goes: they get whole ones.
    let calls = match protocol {
        Protocol::Anthropic => Calls::WhenWhole,
        _ => Calls::AsTheyCome,
    };
    let mut writer = writer.calls(calls).created(now.as_secs()).whole(!asked.stream);
    let content_type = writer.content_type();
    let pass = asked.passes.then(|| {
        writer.push(Event::TextContent(""));
        Pass::new(asked.stream, asked.usage, writer.take())
    });
    let (upstream, body) = (Arc::clone(&gateway.upstream), asked.body);
    let limits = match body["stream"] == true {
        true => config.limits,
        false => config.limits.of_one_piece(),
    };
    let mut from = async move { upstream.chat(&body).await }.boxed();
    // The server's refusal is the answer's status, if it comes before the first sign of life for the client.
    let from = match timeout(limits.ping, &mut from).await {
        Ok(Ok(response)) => From::Asked(async { Ok(response) }.boxed()),
        // Codex compacts its history only if it reads this in the stream of an answer.
        Ok(Err(refusal))
            if refusal.is_too_long() && asked.stream && protocol == Protocol::OpenAiResponses =>
        {
            From::Asked(async { Err(refusal) }.boxed())
        }
        Ok(Err(refusal)) => {
            entry.failed(&refusal);
            return Err(refusal);
        }
        Err(_) => From::Asked(from),
    };
    let answer = Answer {
        protocol,
        pass,
        from,
        reader: asked.reader,
        writer,
        choice: asked.choice,
        usage: asked.usage,
        limits,
        entry,
        record,
        stream: Progress::begin(&limits),
    };
    let body = match asked.stream {
        true => Body::from_stream(stream::unfold(answer, async |mut answer| {
            let piece = answer.next().await?;
            Some((Ok::<_, Infallible>(piece), answer))
        })),
        false => Body::from(answer.whole().await?),
    };
    Ok(response(content_type, body))
}

fn response(content_type: &'static str, body: Body) -> Response {
    let mut response = Response::new(body);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    // A proxy in front must not wait for more.
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    response
}

/// Reads a request; the model that the client named comes with it.
async fn begin(
    gateway: &Gateway,
    protocol: Protocol,
    entry: &mut Entry,
    request: Request,
) -> Result<(request::Asked, String, Record), Refusal> {
    let config = &gateway.config;
    let request = json_of(request, &config.limits).await?;
    let name = request["model"].as_str().unwrap_or_default().to_string();
    let model = gateway.models.chosen(config, &gateway.upstream, &name).await;
    entry.model = model.chars().take(200).collect();
    let told = matched(config, &model)?;
    entry.dialect = told.dialect.to_string();
    let asked = request::read(protocol, &request, &model, &told, config)?;
    entry.left_out.clone_from(&asked.left_out);
    let record = Record::begin(config.record.as_deref(), &entry.id, &request);
    Ok((asked, name, record))
}

async fn json_of(request: Request, limits: &Limits) -> Result<Value, Refusal> {
    let most = limits.request;
    let too_long = || {
        let why = format!("the request is longer than {} MiB; see --max-request", most >> 20);
        Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, why)
    };
    let length = request.headers().get(header::CONTENT_LENGTH);
    let length = length.and_then(|length| length.to_str().ok()?.parse::<usize>().ok());
    if length.is_some_and(|length| length > most) {
        if !request.headers().contains_key(header::EXPECT) {
            let _ = timeout(limits.sending.min(DRAINING), body_of(request.into_body(), most)).await;
        }
        return Err(too_long());
    }
    let came = timeout(limits.sending, body_of(request.into_body(), most)).await;
    let body = came.map_err(|_| {
        let why = "the request did not come in time: send it again; see --request-timeout";
        Refusal::new(StatusCode::REQUEST_TIMEOUT, why)
    })?;
    let body =
        body.map_err(|error| Refusal::bad_request(format!("the request cannot be read: {error}")))?;
    serde_json::from_slice(&body.ok_or_else(too_long)?)
        .map_err(|error| Refusal::bad_request(format!("the request must be JSON: {error}")))
}

/// The longest time for which the rest of a request that is too long is read.
const DRAINING: Duration = Duration::from_secs(5);

/// Reads a body of at most `most` bytes. Of a longer body, which is `None`, up to twice as many bytes are read: a client that
/// is still sending would see a broken connection in place of the answer.
async fn body_of(body: Body, most: usize) -> Result<Option<Vec<u8>>, axum::Error> {
    let (mut chunks, mut bytes, mut length) = (body.into_data_stream(), Vec::new(), 0);
    while let Some(chunk) = chunks.next().await {
        let chunk = chunk?;
        length += chunk.len();
        match length <= most {
            true => bytes.extend_from_slice(&chunk),
            false => bytes = Vec::new(),
        }
        if length > 2 * most {
            break;
        }
    }
    Ok((length <= most).then_some(bytes))
}

/// Claude Code asks for it often. The server counts, or the number is an estimate, which a header says.
async fn count_tokens(State(gateway): Shared, request: Request) -> Response {
    match counted(&gateway, request).await {
        Ok((tokens, how)) => {
            let body = json!({"input_tokens": tokens}).to_string();
            let mut response = response("application/json", body.into());
            response.headers_mut().insert("x-toolstream-tokens", HeaderValue::from_static(how));
            response
        }
        Err(refusal) => refusal.response(Protocol::Anthropic),
    }
}

async fn counted(gateway: &Gateway, request: Request) -> Result<(u64, &'static str), Refusal> {
    let config = &gateway.config;
    let request = json_of(request, &config.limits).await?;
    let name = request["model"].as_str().unwrap_or_default();
    let model = gateway.models.chosen(config, &gateway.upstream, name).await;
    let told = matched(config, &model)?;
    let (tools, _) = request::tools_of(&request)?;
    let parser = Parser::builder(told.dialect)
        .tools(tools.iter().cloned())
        .build()
        .map_err(Refusal::bad_request)?;
    let messages = request::messages(Protocol::Anthropic, &request, &parser, config.tools)?;
    let (mut text, images) = text_of(&messages);
    let mut asked = json!({"model": model, "messages": messages});
    if config.tools != Tools::Prompt {
        asked["tools"] = tools.iter().map(|tool| tool.to_request(Provider::OpenAiChat)).collect();
        text.push_str(&asked["tools"].to_string());
    }
    // vLLM takes messages, llama.cpp a text. Each counts no tokens of a form that it does not know.
    for (asked, images) in [(asked, 0), (json!({"content": text}), images)] {
        if let Some(tokens) = gateway.upstream.count(&asked).await.filter(|tokens| *tokens > 0) {
            return Ok((tokens + images, "counted"));
        }
    }
    // Four bytes a token, and a few for the turns.
    Ok((text.len() as u64 / 4 + 4 * messages.len() as u64 + images, "estimate"))
}

/// Tokens of an image, about as many as vision models take. The size of the file does not show their number.
const IMAGE: u64 = 1_000;

/// Returns the text of messages, their calls included, and the tokens of their images.
fn text_of(messages: &[Value]) -> (String, u64) {
    let (mut text, mut images) = (String::new(), 0);
    for message in messages {
        match &message["content"] {
            Value::String(content) => text.push_str(content),
            Value::Array(parts) => {
                for part in parts {
                    match part["text"].as_str() {
                        Some(words) => text.push_str(words),
                        None => images += IMAGE,
                    }
                }
            }
            _ => {}
        }
        if message["tool_calls"].is_array() {
            text.push_str(&message["tool_calls"].to_string());
        }
    }
    (text, images)
}

/// OpenAI's list, with the `models` that Codex looks for; Anthropic's for its clients.
async fn models(State(gateway): Shared, headers: HeaderMap) -> Response {
    let of_anthropic = headers.contains_key("anthropic-version");
    let mut ids = match &gateway.config.model {
        Some(model) => vec![model.clone()],
        None => gateway.models.listed(&gateway.upstream).await,
    };
    if ids.is_empty() {
        let why = "the model's server lists no models: start the gateway with --model NAME, or look whether the server runs";
        let protocol = if of_anthropic { Protocol::Anthropic } else { Protocol::OpenAiChat };
        return Refusal::bad_gateway(why).response(protocol);
    }
    ids.sort_unstable();
    let body = if of_anthropic {
        let model = |id: &String| json!({"type": "model", "id": id, "display_name": id, "created_at": "1970-01-01T00:00:00Z"});
        let list: Vec<Value> = ids.iter().map(model).collect();
        json!({"data": list, "has_more": false, "first_id": ids.first(), "last_id": ids.last()})
    } else {
        let model = |id: &String| json!({"id": id, "object": "model", "created": 0, "owned_by": "toolstream-gateway"});
        let list: Vec<Value> = ids.iter().map(model).collect();
        json!({"object": "list", "data": list, "models": []})
    };
    response("application/json", body.to_string().into())
}

async fn metrics(State(gateway): Shared) -> Response {
    response("text/plain; version=0.0.4", gateway.metrics.text().into())
}
