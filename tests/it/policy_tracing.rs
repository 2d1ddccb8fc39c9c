//! Events of the guard and the validator in `tracing`.

use std::fmt::Debug;
use std::sync::{Arc, Mutex};

use serde_json::json;
use toolstream::policy::{Guard, Request, Turn, Validator};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

/// Level and fields of every event.
type Said = Vec<(Level, String)>;

#[derive(Clone, Default)]
struct Ears(Arc<Mutex<Said>>);

#[derive(Default)]
struct Fields(String);

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        if field.name() != "message" {
            self.0.push_str(&format!("{}={value:?} ", field.name()));
        }
    }
}

impl Subscriber for Ears {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut fields = Fields::default();
        event.record(&mut fields);
        self.0.lock().unwrap().push((*event.metadata().level(), fields.0.trim().to_string()));
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

fn heard(run: impl FnOnce()) -> Said {
    let ears = Ears::default();
    tracing::subscriber::with_default(ears.clone(), run);
    let said = ears.0.lock().unwrap();
    said.clone()
}

#[test]
fn the_guard_warns_and_then_calls() {
    let said = heard(|| {
        let config = json!({"mistake_limit": 2, "count_tool_errors": true});
        let mut guard = Guard::from_json(&config).unwrap();
        let mut turn = Turn::default();
        turn.text = "x";
        let mut calls = Turn::default();
        calls.calls = vec!["read"];
        guard.turn(&calls);
        guard.turn(&turn);
        guard.turn(&Turn::default());
        guard.tool_result(false);
    });
    let guard = |level, rest: &str| (level, format!("by=\"guard\" reason={rest} limit=2"));
    assert_eq!(
        said,
        [
            guard(Level::WARN, "\"no_tools_used\" count=1"),
            guard(Level::ERROR, "\"empty_response\" count=2"),
            guard(Level::ERROR, "\"tool_errors\" count=3"),
        ]
    );
}

#[test]
fn the_validator_does_so_too() {
    let said = heard(|| {
        let mut validator = Validator::from_json(&json!({"max_retries": 2})).unwrap();
        let mut request = Request::new("c", "write");
        validator.validate(&request);
        request.requires_tool = Some(true);
        validator.validate(&request);
        validator.validate(&request);
    });
    let levels: Vec<_> = said.iter().map(|(level, _)| *level).collect();
    assert_eq!(levels, [Level::WARN, Level::ERROR]);
    assert_eq!(said[0].1, "by=\"validator\" reason=\"no_tool_used\" count=1 limit=2");
}
