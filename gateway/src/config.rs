//! The options: on the command line, and all of them in a TOML file, too.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Parser, ValueEnum};
use reqwest::Url;
use serde::Deserialize;
use serde_json::{Map, Value};
use toolstream::Dialect;

const EXAMPLES: &str = "\
Examples:
  A server with Qwen3, for Codex:
    toolstream-gateway --upstream http://127.0.0.1:8080/v1 --model qwen3-30b-a3b
    codex -c model_provider=local -c 'model_providers.local={name=\"local\", base_url=\"http://127.0.0.1:8787/v1\", wire_api=\"responses\"}'

  The same server, for Claude Code:
    toolstream-gateway --upstream http://127.0.0.1:8080/v1 --model qwen3-30b-a3b
    ANTHROPIC_BASE_URL=http://127.0.0.1:8787 ANTHROPIC_AUTH_TOKEN=none claude

  A hosted endpoint with a key and a model of an unknown name, for opencode (whose opencode.json names
  http://127.0.0.1:8787/v1 as `baseURL` of an @ai-sdk/openai-compatible provider):
    toolstream-gateway --upstream https://models.example.com/v1 --api-key-env MODELS_KEY --dialect hermes";

/// Puts OpenAI's chat completions and Responses and Anthropic's Messages, with tools, before a server whose model writes
/// its tool calls as text.
#[derive(Clone, Debug, Default, Deserialize, Parser)]
#[command(version, after_help = EXAMPLES)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Options {
    /// The server's address, up to and with `/v1`
    #[arg(long, value_name = "URL")]
    pub upstream: Option<String>,
    /// Address to listen on [default: 127.0.0.1:8787]
    #[arg(long, value_name = "ADDRESS")]
    pub listen: Option<SocketAddr>,
    /// The model that every request is for, whatever name it says; its name tells the dialect
    #[arg(long, value_name = "NAME")]
    pub model: Option<String>,
    /// How the model writes its calls: a dialect's name, several joined by `+`, or `any`: by the model's name. A
    /// model of no known family is told ReAct, and calls of every dialect are read
    #[arg(long, value_name = "NAME")]
    pub dialect: Option<String>,
    /// The answer's text begins in the model's reasoning, without its opening tag: the server neither splits it off nor
    /// sends the tag
    #[arg(long)]
    pub reasoning_first: bool,
    /// The environment variable that holds the server's API key
    #[arg(long, value_name = "VARIABLE")]
    pub api_key_env: Option<String>,
    /// A TOML file with these options; the command line goes first
    #[arg(long, value_name = "FILE")]
    #[serde(skip)]
    pub config: Option<PathBuf>,
    /// Writer of the tools for the model [default: prompt]
    #[arg(long, value_name = "WHO")]
    pub tools: Option<Tools>,
    /// Whether a grammar keeps the model to `tool_choice` [default: none]
    #[arg(long, value_name = "SERVER")]
    pub grammar: Option<Grammar>,
    /// The most tokens of an answer: a request for more is lowered to it. Claude Code asks for 32,000
    #[arg(long, value_name = "NUMBER")]
    pub max_tokens: Option<u64>,
    /// Fields of every request to the server, as a JSON object: `{"skip_special_tokens": false}`. `null` leaves a field out
    #[arg(long, value_name = "JSON")]
    pub body: Option<String>,
    /// How the log is written [default: text]
    #[arg(long, value_name = "FORMAT")]
    pub log_format: Option<LogFormat>,
    /// Writes each request and the model's answer to this directory
    #[arg(long, value_name = "DIR")]
    pub record: Option<PathBuf>,
    /// The web page that may use the gateway from a browser: `http://localhost:3000`
    #[arg(long, value_name = "ORIGIN")]
    pub cors: Option<String>,
    /// The longest request, in MiB [default: 32]
    #[arg(long, value_name = "MIB")]
    pub max_request: Option<usize>,
    /// The longest answer of the model, in MiB [default: 64]
    #[arg(long, value_name = "MIB")]
    pub max_answer: Option<usize>,
    /// The most connections at once; more wait [default: 1024]
    #[arg(long, value_name = "NUMBER")]
    pub max_connections: Option<usize>,
    /// Seconds that a client has to send the head of a request, and as many for its body [default: 60]
    #[arg(long, value_name = "SECONDS")]
    pub request_timeout: Option<f64>,
    /// Seconds to connect to the server [default: 10]
    #[arg(long, value_name = "SECONDS")]
    pub connect_timeout: Option<f64>,
    /// Seconds until the first byte of a streamed answer: the model reads the prompt [default: 600]
    #[arg(long, value_name = "SECONDS")]
    pub first_byte_timeout: Option<f64>,
    /// Seconds without a byte, after the first [default: 120]
    #[arg(long, value_name = "SECONDS")]
    pub idle_timeout: Option<f64>,
    /// Seconds until all of an answer has come [default: 3600]
    #[arg(long, value_name = "SECONDS")]
    pub answer_timeout: Option<f64>,
    /// Seconds that a client may leave its answer unread before it is dropped [default: 120]
    #[arg(long, value_name = "SECONDS")]
    pub client_timeout: Option<f64>,
    /// Seconds without an event after which a client is told that the answer goes on [default: 5]
    #[arg(long, value_name = "SECONDS")]
    pub ping_interval: Option<f64>,
    /// Seconds that answers have to end once the gateway is told to stop [default: 20]
    #[arg(long, value_name = "SECONDS")]
    pub shutdown_timeout: Option<f64>,
    /// Shows the gateway at work before a scripted model, and ends
    #[arg(long)]
    #[serde(skip)]
    pub demo: bool,
}

/// The writer of the model's tools, calls and results.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Tools {
    /// The gateway writes them into the prompt, as the dialect has them.
    #[default]
    Prompt,
    /// The server's chat template does: `tools` and `tool_choice` go on.
    Template,
    /// Like `template`, with `tool_choice: "none"`, for a vLLM without a parser of calls, which refuses `auto`.
    TemplateUnread,
}

/// The server that the request's grammar is written for.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Grammar {
    /// `tool_choice` is said in the prompt, and checked in the answer.
    #[default]
    None,
    /// vLLM's `structured_outputs`, as a structural tag.
    Vllm,
    /// llama.cpp's `grammar`, in a server that was built with llguidance.
    LlamaCpp,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum LogFormat {
    Json,
    #[default]
    Text,
}

/// How the model writes its calls.
#[derive(Clone, Debug)]
pub enum Told {
    /// In this dialect.
    As(Dialect),
    /// In the dialect of the model's name.
    ByName,
    /// In the dialect of the model's name, or else in ReAct.
    Any,
}

/// The options, read and complete.
#[derive(Clone)]
pub struct Config {
    pub upstream: Url,
    pub listen: SocketAddr,
    pub model: Option<String>,
    pub told: Told,
    pub reasoning_first: bool,
    /// Never logged: this type has no `Debug`.
    pub key: Option<String>,
    pub tools: Tools,
    pub grammar: Grammar,
    pub max_tokens: Option<u64>,
    /// Fields of every request to the server; a `null` leaves a field out.
    pub body: Map<String, Value>,
    pub log_format: LogFormat,
    pub record: Option<PathBuf>,
    pub cors: Option<String>,
    pub limits: Limits,
}

#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub request: usize,
    pub answer: usize,
    pub connections: usize,
    pub sending: Duration,
    pub connect: Duration,
    pub first_byte: Duration,
    pub idle: Duration,
    pub whole: Duration,
    pub client: Duration,
    pub ping: Duration,
    pub shutdown: Duration,
}

impl Limits {
    /// Returns the limits of an answer in one piece: only the time for all of it counts.
    #[must_use]
    pub fn of_one_piece(self) -> Limits {
        Limits { first_byte: self.whole, idle: self.whole, ..self }
    }
}

impl Config {
    /// Reads the file of `--config`, and checks all options.
    ///
    /// # Errors
    /// A sentence that names the wrong option.
    pub fn from_options(mut options: Options) -> Result<Config, String> {
        if let Some(path) = options.config.take() {
            let at = path.display();
            let text = std::fs::read_to_string(&path)
                .map_err(|error| format!("cannot read {at}: {error}; --config names it"))?;
            options = options.or(toml::from_str(&text).map_err(|error| format!("{at}: {error}"))?);
        }
        let upstream = options.upstream.as_deref().ok_or(
            "there is no server to ask: name it with --upstream http://127.0.0.1:8080/v1, or try --demo",
        )?;
        let told = match options.dialect.as_deref() {
            None => Told::ByName,
            Some("any") => Told::Any,
            Some(name) => {
                Told::As(Dialect::by_name(name).map_err(|error| format!("--dialect: {error}"))?)
            }
        };
        if options.tools == Some(Tools::Template)
            && options.grammar.is_some_and(|grammar| grammar != Grammar::None)
        {
            let why = "--grammar has no effect with --tools template, whose server sees to `tool_choice`: leave one out";
            return Err(why.to_string());
        }
        Ok(Config {
            upstream: url(upstream)?,
            listen: options.listen.unwrap_or(SocketAddr::from(([127, 0, 0, 1], 8787))),
            key: options.api_key_env.as_deref().map(key).transpose()?,
            limits: options.limits()?,
            model: options.model,
            told,
            reasoning_first: options.reasoning_first,
            tools: options.tools.unwrap_or_default(),
            grammar: options.grammar.unwrap_or_default(),
            max_tokens: options.max_tokens,
            body: options.body.as_deref().map_or_else(|| Ok(Map::new()), body_fields)?,
            log_format: options.log_format.unwrap_or_default(),
            record: options.record,
            cors: options.cors.map(origin).transpose()?,
        })
    }
}

impl Options {
    /// Fills each option that is not set with that of the file.
    fn or(self, file: Options) -> Options {
        Options {
            upstream: self.upstream.or(file.upstream),
            listen: self.listen.or(file.listen),
            model: self.model.or(file.model),
            dialect: self.dialect.or(file.dialect),
            reasoning_first: self.reasoning_first || file.reasoning_first,
            api_key_env: self.api_key_env.or(file.api_key_env),
            config: None,
            tools: self.tools.or(file.tools),
            grammar: self.grammar.or(file.grammar),
            max_tokens: self.max_tokens.or(file.max_tokens),
            body: self.body.or(file.body),
            log_format: self.log_format.or(file.log_format),
            record: self.record.or(file.record),
            cors: self.cors.or(file.cors),
            max_request: self.max_request.or(file.max_request),
            max_answer: self.max_answer.or(file.max_answer),
            max_connections: self.max_connections.or(file.max_connections),
            request_timeout: self.request_timeout.or(file.request_timeout),
            connect_timeout: self.connect_timeout.or(file.connect_timeout),
            first_byte_timeout: self.first_byte_timeout.or(file.first_byte_timeout),
            idle_timeout: self.idle_timeout.or(file.idle_timeout),
            answer_timeout: self.answer_timeout.or(file.answer_timeout),
            client_timeout: self.client_timeout.or(file.client_timeout),
            ping_interval: self.ping_interval.or(file.ping_interval),
            shutdown_timeout: self.shutdown_timeout.or(file.shutdown_timeout),
            demo: self.demo,
        }
    }

    fn limits(&self) -> Result<Limits, String> {
        let time = |name: &str, said: Option<f64>, default: f64| {
            let seconds = said.unwrap_or(default);
            Duration::try_from_secs_f64(seconds)
                .ok()
                .filter(|time| !time.is_zero())
                .ok_or_else(|| format!("{name} must be seconds above 0, not {seconds}"))
        };
        let positive = |name: &str, said: Option<usize>, default: usize| match said {
            Some(0) => Err(format!("{name} must be above 0")),
            said => Ok(said.unwrap_or(default)),
        };
        Ok(Limits {
            request: positive("max-request", self.max_request, 32)? << 20,
            answer: positive("max-answer", self.max_answer, 64)? << 20,
            connections: positive("max-connections", self.max_connections, 1024)?,
            sending: time("request-timeout", self.request_timeout, 60.0)?,
            connect: time("connect-timeout", self.connect_timeout, 10.0)?,
            first_byte: time("first-byte-timeout", self.first_byte_timeout, 600.0)?,
            idle: time("idle-timeout", self.idle_timeout, 120.0)?,
            whole: time("answer-timeout", self.answer_timeout, 3600.0)?,
            client: time("client-timeout", self.client_timeout, 120.0)?,
            ping: time("ping-interval", self.ping_interval, 5.0)?,
            shutdown: time("shutdown-timeout", self.shutdown_timeout, 20.0)?,
        })
    }
}

/// Without a path it is that of OpenAI's protocol.
fn url(text: &str) -> Result<Url, String> {
    let wrong =
        || format!("--upstream must be an address such as http://127.0.0.1:8080/v1, not {text}");
    let mut url = Url::parse(text).map_err(|_| wrong())?;
    if !matches!(url.scheme(), "http" | "https") || url.host().is_none() {
        return Err(wrong());
    }
    let path = url.path().trim_end_matches('/').to_string();
    url.set_path(if path.is_empty() { "/v1" } else { &path });
    Ok(url)
}

/// Reads the fields of `--body`.
fn body_fields(text: &str) -> Result<Map<String, Value>, String> {
    let fields: Map<String, Value> = serde_json::from_str(text).map_err(|error| {
        format!("--body must be a JSON object, such as {{\"skip_special_tokens\": false}}: {error}")
    })?;
    // The gateway reads the answer by these.
    match ["model", "messages", "stream", "tools"]
        .into_iter()
        .find(|name| fields.contains_key(*name))
    {
        Some(name) => {
            Err(format!("--body may not set `{name}`, which each request has: leave it out"))
        }
        None => Ok(fields),
    }
}

/// Checks an origin: browsers send it in this form alone.
fn origin(text: String) -> Result<String, String> {
    match Url::parse(&text).is_ok_and(|url| url.origin().ascii_serialization() == text) {
        true => Ok(text),
        false => Err(format!(
            "--cors must be an origin such as http://localhost:3000, without a path, not {text}"
        )),
    }
}

fn key(variable: &str) -> Result<String, String> {
    let key = std::env::var(variable).ok().filter(|key| !key.trim().is_empty());
    key.map(|key| key.trim().to_string()).ok_or_else(|| {
        format!("the environment variable {variable}, which --api-key-env names, is not set")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each option of the command line, but for `--config` and `--demo`, with a value.
    fn values() -> Vec<(String, String)> {
        use clap::CommandFactory;
        let command = Options::command();
        let names = command.get_arguments().filter_map(|option| option.get_long());
        let names = names.filter(|name| !["config", "demo"].contains(name));
        let value = |name: &str| match name {
            "upstream" => "\"http://127.0.0.1:1/v1\"",
            "listen" => "\"127.0.0.1:1\"",
            "reasoning-first" => "true",
            "tools" => "\"template-unread\"",
            "grammar" => "\"vllm\"",
            "log-format" => "\"json\"",
            "body" => "'{\"seed\": 1}'",
            "cors" => "\"http://localhost:3000\"",
            name if name.ends_with("timeout") || name.ends_with("interval") => "1.5",
            name if name.starts_with("max-") => "7",
            _ => "\"x\"",
        };
        names.map(|name| (name.to_string(), value(name).to_string())).collect()
    }

    /// Each option is a key of the file, and the command line goes first.
    #[test]
    fn a_file_has_all_options() {
        let file: String =
            values().iter().map(|(name, value)| format!("{name} = {value}\n")).collect();
        let read = || toml::from_str::<Options>(&file).expect("a file of the gateway");
        let set = format!("{:?}", Options::default().or(read()));
        // `config` is none of the file's.
        assert_eq!(set.matches("None").count(), 1, "{set}");
        assert!(set.contains("reasoning_first: true") && set.contains("127.0.0.1:1"), "{set}");
        let of_line = ["gateway", "--model", "mine", "--max-tokens", "9", "--idle-timeout", "3"];
        let options = Options::parse_from(of_line).or(read());
        assert_eq!((options.model.as_deref(), options.max_tokens), (Some("mine"), Some(9)));
        assert_eq!((options.idle_timeout, options.first_byte_timeout), (Some(3.0), Some(1.5)));
    }

    #[test]
    fn the_address_is_a_loopback_unless_told() {
        let line = ["gateway", "--upstream", "http://127.0.0.1:1"];
        let config = Config::from_options(Options::parse_from(line)).expect("options");
        assert_eq!(config.listen.to_string(), "127.0.0.1:8787");
        assert_eq!(config.upstream.as_str(), "http://127.0.0.1:1/v1");
    }

    /// The blocks of this kind in the README.
    fn blocks(kind: &str) -> impl Iterator<Item = &'static str> {
        let begin = format!("```{kind}\n");
        let readme = include_str!("../README.md");
        let parts: Vec<&str> = readme.split(&*begin).skip(1).collect();
        parts.into_iter().map(|rest| rest.split("```").next().unwrap_or_default())
    }

    #[test]
    fn the_files_of_the_readme_can_be_read() {
        let files: Vec<&str> = blocks("toml").collect();
        assert_eq!(files.len(), 2, "one of Codex, one of the gateway");
        let codex: toml::Table = toml::from_str(files[0]).expect("a file of Codex");
        assert_eq!(codex["model_providers"]["local"]["wire_api"].as_str(), Some("responses"));
        let options: Options = toml::from_str(files[1]).expect("a file of the gateway");
        assert_eq!(options.model.as_deref(), Some("qwen3-8b"));
        for file in blocks("json") {
            serde_json::from_str::<serde_json::Value>(file).expect("a file of opencode");
        }
    }
}
