//! The facts about a request: a line in the log when it is over, in whatever way; and the counters.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Instant;

use toolstream::adapt::BrokenCall;

use crate::metrics::{Metrics, add};
use crate::refusal::Refusal;

/// A request. Its line is written when it is dropped.
pub struct Entry {
    pub id: String,
    pub route: &'static str,
    pub model: String,
    pub dialect: String,
    /// Tools that no one runs here.
    pub left_out: Vec<String>,
    /// Input and output.
    pub tokens: Option<(u64, u64)>,
    /// The names of the calls, broken ones too.
    pub called: Vec<String>,
    /// Calls of a client that wanted none.
    pub unwanted: u64,
    broken: Vec<String>,
    began: Instant,
    first: Option<Instant>,
    end: End,
    metrics: Arc<Metrics>,
}

enum End {
    /// Nothing else was noted before it was dropped.
    ClientLeft,
    Reason(&'static str),
    Failed(u16, String),
    Refused(u16, String),
}

impl Entry {
    pub fn begin(id: String, route: &'static str, metrics: Arc<Metrics>) -> Entry {
        add(&metrics.requests, 1);
        add(&metrics.active, 1);
        Entry {
            id,
            route,
            model: String::new(),
            dialect: String::new(),
            left_out: Vec::new(),
            tokens: None,
            called: Vec::new(),
            unwanted: 0,
            broken: Vec::new(),
            began: Instant::now(),
            first: None,
            end: End::ClientLeft,
            metrics,
        }
    }

    /// The model's server sent something.
    pub fn heard(&mut self) {
        self.first.get_or_insert_with(Instant::now);
    }

    pub fn ended(&mut self, reason: &'static str, broken: &[BrokenCall]) {
        let in_words = |call: &BrokenCall| {
            let told = serde_json::to_value(call).unwrap_or_default();
            format!("{}: {}", call.name, told["reason"].as_str().unwrap_or_default())
        };
        self.broken = broken.iter().map(in_words).collect();
        self.end = End::Reason(reason);
    }

    pub fn failed(&mut self, refusal: &Refusal) {
        self.end = End::Failed(refusal.status.as_u16(), refusal.why.clone());
    }

    pub fn refused(&mut self, refusal: &Refusal) {
        self.end = End::Refused(refusal.status.as_u16(), refusal.why.clone());
    }

    fn count(&self) {
        let metrics = &self.metrics;
        metrics.active.fetch_sub(1, Relaxed);
        let ended = match self.end {
            End::ClientLeft => &metrics.left,
            End::Reason(_) => &metrics.answered,
            End::Failed(..) => &metrics.failed,
            End::Refused(..) => &metrics.refused,
        };
        add(ended, 1);
        let broken = self.broken.len() as u64;
        add(&metrics.calls, (self.called.len() as u64).saturating_sub(broken));
        add(&metrics.broken_calls, broken);
        let (input, output) = self.tokens.unwrap_or_default();
        add(&metrics.input_tokens, input);
        add(&metrics.output_tokens, output);
    }
}

impl Drop for Entry {
    fn drop(&mut self) {
        self.count();
        let (end, status, why) = match &self.end {
            End::ClientLeft => ("client_left", 499, ""),
            End::Reason(reason) => (*reason, 200, ""),
            End::Failed(status, why) => ("failed", *status, &**why),
            End::Refused(status, why) => ("refused", *status, &**why),
        };
        let (input, output) = self.tokens.unwrap_or_default();
        tracing::info!(
            id = self.id,
            route = self.route,
            model = self.model,
            dialect = self.dialect,
            status,
            end,
            why,
            input,
            output,
            calls = self.called.join(", "),
            broken = self.broken.join(", "),
            unwanted = self.unwanted,
            left_out = self.left_out.join(", "),
            first_ms = self.first.map(|first| (first - self.began).as_millis() as u64),
            ms = self.began.elapsed().as_millis() as u64,
            "request"
        );
    }
}
