//! Why there is no answer, in the words of the client's protocol.

use std::borrow::Cow;

use axum::body::Body;
use axum::http::{HeaderValue, Response, StatusCode, header};
use serde_json::{Value, json};
use toolstream::adapt::Protocol;

/// Words of servers about a prompt that does not fit, in small letters.
const TOO_LONG: [&str; 9] = [
    "context length",
    "context_length",
    "context size",
    "context window",
    "context_size",
    "prompt is too long",
    "maximum model length",
    "reduce the length of the messages",
    "`inputs` tokens + `max_new_tokens` must be",
];

/// OpenAI's code for a prompt that does not fit.
const TOO_LONG_CODE: &str = "context_length_exceeded";

/// Codes and types of errors about a prompt that does not fit: OpenAI's, and llama.cpp's.
const TOO_LONG_CODES: [&str; 2] = [TOO_LONG_CODE, "exceed_context_size_error"];

/// The longest code of a server that goes on to the client, in bytes.
const LONGEST_CODE: usize = 64;

/// Overloaded: a status that Anthropic alone has.
const OVERLOADED: u16 = 529;

/// The reason why there is no answer.
#[derive(Clone, Debug)]
pub struct Refusal {
    pub status: StatusCode,
    pub why: String,
    /// A word that clients know.
    pub code: Option<Cow<'static, str>>,
    pub retry_after: Option<HeaderValue>,
}

impl Refusal {
    pub fn new(status: StatusCode, why: impl ToString) -> Refusal {
        Refusal { status, why: why.to_string(), code: None, retry_after: None }
    }

    pub fn bad_request(why: impl ToString) -> Refusal {
        Refusal::new(StatusCode::BAD_REQUEST, why)
    }

    pub fn bad_gateway(why: impl ToString) -> Refusal {
        Refusal::new(StatusCode::BAD_GATEWAY, why)
    }

    #[must_use]
    pub fn code(self, code: &'static str) -> Refusal {
        Refusal { code: Some(Cow::Borrowed(code)), ..self }
    }

    /// Whether the prompt does not fit into the model's context.
    pub fn is_too_long(&self) -> bool {
        self.code.as_deref() == Some(TOO_LONG_CODE)
    }

    /// Reads the error that the model's server answered with.
    pub fn of_upstream(status: u16, body: &[u8], retry_after: Option<HeaderValue>) -> Refusal {
        let json: Value = serde_json::from_slice(body).unwrap_or_default();
        let said = [&json["error"]["message"], &json["message"], &json["error"], &json["detail"]];
        let said = said.into_iter().find_map(Value::as_str).map(str::to_string);
        let said = said.unwrap_or_else(|| {
            String::from_utf8_lossy(body).trim().chars().take(500).collect::<String>()
        });
        let why = match said.is_empty() {
            true => format!("the model's server answered with the status {status}"),
            false => said,
        };
        // A redirect would be a server of somebody else's choice.
        let status = if status < 400 { 502 } else { status };
        let status = StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_GATEWAY);
        let words = [&json["error"]["code"], &json["error"]["type"], &json["code"], &json["type"]];
        let words = words.into_iter().filter_map(Value::as_str);
        let code = json["error"]["code"].as_str().filter(|code| code.len() <= LONGEST_CODE);
        let code = code.map(|code| Cow::Owned(code.to_string()));
        Refusal { retry_after, code, ..Refusal::new(status, why) }.or_too_long(words)
    }

    /// An error that came within an answer.
    pub fn in_answer(error: &toolstream::native::ProviderError) -> Refusal {
        let words = [&error.code, &error.kind].into_iter().flatten();
        let status = words.clone().find_map(|word| word.parse().ok().filter(is_an_error));
        let status =
            status.or_else(|| words.clone().find_map(|word| status_of(word))).unwrap_or(502);
        let status = StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_GATEWAY);
        let why = error.message.clone().unwrap_or_else(|| match &error.raw {
            Value::Null => "the model's server broke its answer off with an error".to_string(),
            raw => format!("the model's server sent what is no answer: {raw}"),
        });
        Refusal::new(status, why).or_too_long(words.map(String::as_str))
    }

    /// Recognises a prompt that does not fit, by the server's codes or by its words.
    fn or_too_long<'w>(self, mut codes: impl Iterator<Item = &'w str>) -> Refusal {
        let small = self.why.to_lowercase();
        // Some servers report it as their own error.
        let may = matches!(self.status.as_u16(), 400 | 413 | 422 | 500 | 502);
        // vLLM names the context length, too, where only the answer may be too long: a shorter prompt would not help.
        let of_answer = small.contains("max_tokens") && small.contains("is too large");
        let says = !of_answer && TOO_LONG.iter().any(|words| small.contains(words));
        match may && (says || codes.any(|code| TOO_LONG_CODES.contains(&code))) {
            true => Refusal { status: StatusCode::BAD_REQUEST, ..self }.code(TOO_LONG_CODE),
            false => self,
        }
    }

    /// The status as this protocol has it.
    fn status(&self, protocol: Protocol) -> StatusCode {
        let status = match (protocol, self.status.as_u16()) {
            (Protocol::Anthropic, 503) => OVERLOADED,
            (Protocol::OpenAiChat | Protocol::OpenAiResponses, OVERLOADED) => 503,
            (_, status) => status,
        };
        StatusCode::from_u16(status).unwrap_or(self.status)
    }

    /// The kind, the code and the sentence, in the words of this protocol.
    pub fn words(&self, protocol: Protocol) -> (&'static str, Option<&str>, Cow<'_, str>) {
        let status = self.status(protocol).as_u16();
        if protocol == Protocol::Anthropic {
            // Claude Code compacts when it reads these words.
            let why = match self.is_too_long() {
                true => Cow::Owned(format!("prompt is too long: {}", self.why)),
                false => Cow::Borrowed(&*self.why),
            };
            return (anthropic_kind(status), None, why);
        }
        let code = self.code.as_deref().or(match status {
            401 => Some("invalid_api_key"),
            429 => Some("rate_limit_exceeded"),
            _ => None,
        });
        (openai_kind(status), code, Cow::Borrowed(&self.why))
    }

    /// The body of the answer.
    pub fn body(&self, protocol: Protocol) -> Value {
        let (kind, code, why) = self.words(protocol);
        if protocol != Protocol::Anthropic {
            return json!({"error": {"message": why, "type": kind, "param": null, "code": code}});
        }
        let mut error = json!({"type": kind, "message": why});
        if let Some(code) = self.code.as_deref().filter(|code| *code != TOO_LONG_CODE) {
            error["details"] = json!({"error_code": code});
        }
        json!({"type": "error", "error": error})
    }

    pub fn response(&self, protocol: Protocol) -> Response<Body> {
        let mut response = Response::new(Body::from(self.body(protocol).to_string()));
        *response.status_mut() = self.status(protocol);
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if let Some(seconds) = &self.retry_after {
            headers.insert(header::RETRY_AFTER, seconds.clone());
        }
        response
    }
}

fn is_an_error(status: &u16) -> bool {
    (400..600).contains(status)
}

/// The status that an error in an answer would have had at its beginning, by the word for its kind.
fn status_of(word: &str) -> Option<u16> {
    Some(match word.to_ascii_lowercase().as_str() {
        "rate_limit_error" | "rate_limit_exceeded" | "resource_exhausted" => 429,
        "overloaded_error" | "overloaded" | "unavailable" | "service_unavailable" => 503,
        "timeout" | "timeout_error" | "deadline_exceeded" => 504,
        "context_length_exceeded" | "invalid_request_error" | "badrequesterror" => 400,
        _ => return None,
    })
}

fn anthropic_kind(status: u16) -> &'static str {
    match status {
        401 => "authentication_error",
        403 => "permission_error",
        404 => "not_found_error",
        413 => "request_too_large",
        429 => "rate_limit_error",
        504 => "timeout_error",
        OVERLOADED => "overloaded_error",
        400..=499 => "invalid_request_error",
        _ => "api_error",
    }
}

fn openai_kind(status: u16) -> &'static str {
    match status {
        401 => "authentication_error",
        403 => "permission_error",
        429 => "rate_limit_error",
        400..=499 => "invalid_request_error",
        _ => "server_error",
    }
}
