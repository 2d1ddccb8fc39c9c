//! Counters, as Prometheus reads them.

use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Metrics of the whole process.
#[derive(Default)]
pub struct Metrics {
    pub requests: AtomicU64,
    pub active: AtomicU64,
    pub answered: AtomicU64,
    pub refused: AtomicU64,
    pub failed: AtomicU64,
    pub left: AtomicU64,
    pub calls: AtomicU64,
    pub broken_calls: AtomicU64,
    pub input_tokens: AtomicU64,
    pub output_tokens: AtomicU64,
}

impl Metrics {
    pub fn text(&self) -> String {
        let rows = [
            ("requests_total", "counter", "Requests for an answer.", &self.requests),
            ("requests_active", "gauge", "Requests that are being answered.", &self.active),
            ("answers_total", "counter", "Answers that came to their end.", &self.answered),
            (
                "refused_total",
                "counter",
                "Requests that were refused before the model was asked.",
                &self.refused,
            ),
            (
                "failed_total",
                "counter",
                "Answers that an error of the model's server ended.",
                &self.failed,
            ),
            ("client_left_total", "counter", "Answers whose client left.", &self.left),
            ("calls_total", "counter", "Tool calls that may run.", &self.calls),
            (
                "broken_calls_total",
                "counter",
                "Tool calls that the model wrote wrong.",
                &self.broken_calls,
            ),
            (
                "input_tokens_total",
                "counter",
                "Tokens that the model read, as its server says.",
                &self.input_tokens,
            ),
            (
                "output_tokens_total",
                "counter",
                "Tokens that the model wrote, as its server says.",
                &self.output_tokens,
            ),
        ];
        let mut text = String::new();
        for (name, kind, help, value) in rows {
            let value = value.load(Relaxed);
            let _ = write!(
                text,
                "# HELP toolstream_gateway_{name} {help}\n# TYPE toolstream_gateway_{name} {kind}\n\
                 toolstream_gateway_{name} {value}\n"
            );
        }
        text
    }
}

pub fn add(counter: &AtomicU64, number: u64) {
    counter.fetch_add(number, Relaxed);
}
