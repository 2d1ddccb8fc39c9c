//! A full turn: guard, validator with 20 patterns, and five hooks around a call of 10 KiB.
//!
//! `cargo bench --bench policy`. The goal is below 50 µs for a turn.

use std::hint::black_box;
use std::time::Duration;

use criterion::{BatchSize, Criterion};
use serde_json::{Value, json};
use toolstream::policy::{Call, Decision, Guard, Hook, Hooks, Pre, Request, Turn, Validator};
use toolstream::{Tool, render::ToolResult};

const PATTERNS: usize = 20;
const SIZE: usize = 10 * 1024;
const REQUEST: &str = "Could you please look at the report of last week, fix what the reviewers \
                       said about the second chapter, and write it to the same file again?";

fn main() {
    let mut criterion = Criterion::default()
        .configure_from_args()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1));
    let mut group = criterion.benchmark_group("policy");
    for (name, request) in [("short request", REQUEST.to_string()), ("10 KiB request", prose())] {
        let turn = Full::new(request);
        turn.check();
        let call = turn.call();
        group.bench_function(format!("a full turn, {name}"), |bencher| {
            // The call is the host's already: to copy it is not a part of the turn.
            let setup = || (call.clone(), turn.result.clone());
            let mut turn = turn.clone();
            bencher.iter_batched(
                setup,
                |(call, result)| turn.run(black_box(call), result),
                BatchSize::SmallInput,
            );
        });
    }
    group.finish();
    criterion.final_summary();
}

/// The parts of a conversation, and the model's turns in it.
#[derive(Clone)]
struct Full {
    guard: Guard,
    validator: Validator,
    hooks: Hooks,
    request: String,
    result: ToolResult,
    /// The number of the last call, so that no call is a repeat.
    number: u64,
}

impl Full {
    fn new(request: String) -> Full {
        let mut patterns: Vec<_> = (1..PATTERNS)
            .map(|n| {
                let pattern = format!(r"\bchapter {n}\b|(copy|move) .* to shelf {n}");
                json!({"pattern": pattern, "tools": ["shelve"]})
            })
            .collect();
        patterns.push(json!({
            "pattern": "write|save|create file",
            "except": "do not write",
            "tools": ["write"],
        }));
        let config = json!({"patterns": patterns, "blocked_tools": ["finalize"]});
        let validator = Validator::from_json(&config).unwrap();
        let repeats = Hook::from_json(&json!({"hook": "repeat_guard"})).unwrap();
        let audit = Hook::pre("audit", |call, _| {
            black_box(&call.name);
            Ok(Pre::Go)
        });
        let tools = vec![tool(), Tool::new("shelve"), Tool::new("finalize")];
        let hooks = Hooks::standard(tools, &validator).unwrap();
        let hooks = hooks.with_first(repeats).with(audit);
        let result = ToolResult::ok("write", json!({"written": prose()}));
        Full { guard: Guard::default(), validator, hooks, request, result, number: 0 }
    }

    fn call(&self) -> Value {
        json!({"path": "report.md", "content": prose(), "line": "12", "number": 0})
    }

    /// The tool itself takes no time.
    fn run(&mut self, mut arguments: Value, result: ToolResult) -> ToolResult {
        self.number += 1;
        arguments["number"] = self.number.into();
        let mut request = Request::new("one", &self.request);
        request.calls.push("write");
        let verdict = self.validator.validate(&request);
        let mut turn = Turn::default();
        turn.calls.push("write");
        turn.requires_tool = verdict.inference.requires_tool;
        assert!(
            self.guard.turn(&turn) == Decision::Proceed && verdict.decision == Decision::Proceed
        );
        let outcome = self.hooks.execute(Call::new("write", arguments), |_| result);
        self.guard.tool_result(!outcome.result.is_error);
        self.validator.tool_result("one", true);
        outcome.result
    }

    /// Checks the result of the timed work.
    fn check(&self) {
        let request = Request::new("one", &self.request);
        let needed = self.validator.infer(&request);
        assert!(needed.requires_tool && needed.expected_tools.contains(&"write".to_string()));
        let mut turn = self.clone();
        assert_eq!(turn.run(self.call(), self.result.clone()), self.result);
        let mut wrong = self.call();
        wrong["line"] = "x".into();
        assert!(turn.run(wrong, self.result.clone()).is_error);
        assert!(self.call()["content"].as_str().is_some_and(|text| text.len() >= SIZE));
    }
}

fn tool() -> Tool {
    Tool::from_json(&json!({"name": "write", "parameters": {
        "type": "object",
        "properties": {
            "path": {"type": "string"},
            "content": {"type": "string"},
            "line": {"type": "integer", "minimum": 1},
            "number": {"type": "integer"},
        },
        "required": ["path", "content"],
        "additionalProperties": false,
    }}))
    .unwrap()
}

/// `SIZE` bytes of text, in which a pattern matches only at the end.
fn prose() -> String {
    let sentence = "The reviewers liked the café scene; the second chapter, they said, is long. ";
    let mut text = sentence.repeat(SIZE / sentence.len() + 1);
    text.push_str("Please save it.");
    text
}
