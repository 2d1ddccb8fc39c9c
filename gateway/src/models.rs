//! The model of a request, and the dialect of its calls.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use toolstream::{
    Dialect,
    model::{ModelMatch, Router, ToolFormat},
    options::Start,
};

use crate::config::{Config, Told};
use crate::refusal::Refusal;
use crate::upstream::Upstream;

/// The time for which the server's list of models is not requested again.
const FRESH: Duration = Duration::from_secs(60);
/// The time for which a missing list is not requested again: the server may be starting.
const ABSENT: Duration = Duration::from_secs(2);

/// The server's models, as it last listed them.
#[derive(Default)]
pub struct Models(Mutex<Option<Known>>);

struct Known {
    ids: Vec<String>,
    until: Instant,
}

impl Models {
    /// Returns the ids of its models; empty for a server without a list. A caller does not wait for another caller's
    /// request: an outdated list serves it meanwhile.
    pub async fn listed(&self, upstream: &Upstream) -> Vec<String> {
        if let Some(ids) = self.fresh() {
            return ids;
        }
        let ids = upstream.models().await.unwrap_or_else(|refusal| {
            tracing::warn!(why = refusal.why, "the model's server lists no models");
            self.known().as_ref().map(|known| known.ids.clone()).unwrap_or_default()
        });
        let until = Instant::now() + if ids.is_empty() { ABSENT } else { FRESH };
        *self.known() = Some(Known { ids: ids.clone(), until });
        ids
    }

    /// Returns the known list, unless the caller should request another.
    fn fresh(&self) -> Option<Vec<String>> {
        let mut known = self.known();
        let known = known.as_mut()?;
        let now = Instant::now();
        if known.until <= now {
            known.until = now + ABSENT;
            return None;
        }
        Some(known.ids.clone())
    }

    fn known(&self) -> MutexGuard<'_, Option<Known>> {
        // Nothing can fail while it is locked.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the model for the server: `--model`; the request's, if the server has it; or the server's only one.
    pub async fn chosen(&self, config: &Config, upstream: &Upstream, asked: &str) -> String {
        if let Some(model) = &config.model {
            return model.clone();
        }
        let listed = self.listed(upstream).await;
        match &listed[..] {
            [only] => only.clone(),
            _ => asked.to_string(),
        }
    }
}

/// Returns the dialect of this model.
///
/// # Errors
/// If neither its name nor the options give one.
pub fn matched(config: &Config, model: &str) -> Result<ModelMatch, Refusal> {
    let mut told = dialect_of(config, model)?;
    // Most servers send the reasoning apart, so the closer of reasoning never comes.
    told.start = if config.reasoning_first { Start::Reasoning } else { Start::Text };
    Ok(told)
}

fn dialect_of(config: &Config, model: &str) -> Result<ModelMatch, Refusal> {
    let known = Dialect::for_model(model);
    match (&config.told, known) {
        // Known facts about the model beside its dialect hold only for its own dialect.
        (Told::As(dialect), Some(known)) if known.dialect == *dialect => Ok(known),
        (Told::As(dialect), _) => Ok(as_told(model, dialect)),
        (Told::ByName | Told::Any, Some(known)) => Ok(known),
        // The model is told ReAct, and whatever it writes is read.
        (Told::Any, None) => Ok(as_told(model, &Dialect::REACT.and(Dialect::any()))),
        (Told::ByName, None) => Err(Refusal::bad_request(format!(
            "the name of the model `{model}` does not tell how it writes tool calls: start the gateway with --model NAME \
             or --dialect NAME (hermes, react, …)"
        ))),
    }
}

fn as_told(model: &str, dialect: &Dialect) -> ModelMatch {
    let router = Router { tool_format: ToolFormat::Text(dialect.clone()), ..Router::default() };
    router.route("", model, None).text.expect("a format of text is text")
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use tokio::net::TcpListener;

    use super::*;
    use crate::config::Options;

    /// A server that takes the question and never answers.
    #[tokio::test]
    async fn an_old_list_serves_while_another_is_asked_for() {
        let server = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/v1", server.local_addr().unwrap());
        let line = ["gateway", "--upstream", &url, "--connect-timeout", "0.5"];
        let config = Config::from_options(Options::parse_from(line)).unwrap();
        let (upstream, models) = (Upstream::new(&config).unwrap(), Models::default());
        // A caller does not wait for another caller's request.
        let began = Instant::now();
        let (none, too) = tokio::join!(models.listed(&upstream), models.listed(&upstream));
        assert!(none.is_empty() && too.is_empty());
        assert!(began.elapsed() < Duration::from_millis(900), "{:?}", began.elapsed());
        let old = vec!["a-model".to_string()];
        *models.known() = Some(Known { ids: old.clone(), until: Instant::now() });
        let mut asks = std::pin::pin!(models.listed(&upstream));
        let waits = tokio::time::timeout(Duration::from_millis(50), &mut asks).await;
        assert!(waits.is_err(), "it asks");
        let began = Instant::now();
        assert_eq!(models.listed(&upstream).await, old);
        assert!(began.elapsed() < Duration::from_millis(50), "{:?}", began.elapsed());
        assert_eq!(asks.await, old, "the server has not answered: the old list stays");
    }
}
