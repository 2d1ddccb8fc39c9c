//! The binary: reads its options, serves, and stops when it is told to.
#![forbid(unsafe_code)]

use std::io::IsTerminal;
use std::process::ExitCode;
use std::sync::Arc;

use clap::Parser;
use tokio::net::TcpListener;
use toolstream_gateway::config::{Config, LogFormat, Options};
use toolstream_gateway::{demo, routes::Gateway, serve};
use tracing_subscriber::EnvFilter;

#[tokio::main]
async fn main() -> ExitCode {
    match run(Options::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("error: {why}");
            ExitCode::FAILURE
        }
    }
}

async fn run(options: Options) -> Result<(), String> {
    if options.demo {
        return demo::run(&mut std::io::stdout()).await;
    }
    let config = Config::from_options(options)?;
    log_as(config.log_format);
    let listener = TcpListener::bind(config.listen).await.map_err(|error| {
        format!("cannot listen on {}: {error}; choose another with --listen", config.listen)
    })?;
    let address = listener.local_addr().map_err(|error| error.to_string())?;
    // Without user, password and query, in which a key may stand.
    let upstream = config.upstream.origin().ascii_serialization() + config.upstream.path();
    tracing::info!(%address, upstream, "listening");
    if !address.ip().is_loopback() {
        tracing::warn!(%address, "whoever reaches this address can use the model: there are no keys here");
    }
    serve::serve(listener, Arc::new(Gateway::new(config)?), serve::told_to_stop()).await;
    Ok(())
}

fn log_as(format: LogFormat) {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info"));
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    let log = log.with_ansi(std::io::stderr().is_terminal());
    match format {
        LogFormat::Json => log.json().flatten_event(true).init(),
        LogFormat::Text => log.init(),
    }
}
