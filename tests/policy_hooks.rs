//! The hooks, as a host uses them. `tests/vectors/policy.jsonl` has their rules, one by one.
#![cfg(feature = "policy")]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};
use toolstream::policy::hooks::{
    ArgValidation, BlockList, Call, CallType, Hook, HookDecision, Pre, Problem, RepeatGuard,
    Schema, TraceLimits, TraceSanitization, UnknownTools,
};
use toolstream::policy::{Hooks, Validator};
use toolstream::{Dialect, Param, Parser, Tool, ToolResult, Type};

fn read() -> Tool {
    Tool::new("read")
        .param(Param::required("path").with(Type::String))
        .param(Param::optional("line").with(Type::Integer).with(Type::Null))
        .param(Param::optional("anything"))
}

/// The result of a call whose tool says `ok`.
fn run(hooks: &Hooks, name: &str, arguments: Value) -> ToolResult {
    hooks.execute(Call::new(name, arguments), |call| call.ok("ok")).result
}

#[test]
fn the_standard_hooks() {
    let validator = Validator::from_json(&json!({"blocked_tools": ["finalize"]})).unwrap();
    let hooks = Hooks::standard(vec![read()], validator.blocked_tools()).unwrap();
    let names: Vec<_> = hooks.hooks().iter().map(Hook::name).collect();
    assert_eq!(names, ["block_list", "arg_validation", "trace_sanitization"]);

    assert_eq!(run(&hooks, "read", json!({"path": "a"})), ToolResult::ok("read", "ok"));
    let blocked = run(&hooks, "finalize", json!({}));
    assert_eq!(blocked.content, "The tool 'finalize' may not be called directly.");
    let unknown = run(&hooks, "write", json!({}));
    assert_eq!(unknown.content, "Unknown tool 'write'. Available tools: read.");

    let hooks = hooks.with_first(RepeatGuard::default());
    assert_eq!(hooks.hooks()[0].name(), "repeat_guard");
}

/// A tool that was declared without a schema is checked by its parameters.
#[test]
fn declared_parameters_are_a_schema() {
    let hooks = Hooks::new().with(ArgValidation::new(vec![read()]).unwrap());
    let result = run(&hooks, "read", json!({"line": "x", "anything": {}, "more": 1}));
    assert_eq!(
        result.content,
        "Invalid arguments for tool 'read':\n- path: is required\n- line: must be integer or null"
    );
    let HookDecision::Run(running) =
        hooks.before(Call::new("read", json!({"path": "", "line": "2"})))
    else {
        panic!("it fits")
    };
    assert_eq!(running.call().arguments(), &json!({"path": "", "line": 2}));
}

#[test]
fn a_call_of_a_message() {
    let parser = Parser::builder(Dialect::CLINE).tool(read()).build().unwrap();
    let message = parser.parse("<read><path>a.rs</path><line>7</line></read>");
    let hooks = Hooks::standard(vec![read()], [""; 0]).unwrap();
    let call = Call::from(message.calls().next().unwrap());
    let outcome = hooks.execute(call, |call| call.ok(call.arguments().clone()));
    assert_eq!(outcome.result, ToolResult::ok("read", json!({"path": "a.rs", "line": 7})));
    assert!(!outcome.is_blocked());
}

#[test]
fn limits_and_their_defaults() {
    let hooks = Hooks::new().with(TraceSanitization::default());
    let result = |content: Value| {
        let outcome = hooks.execute(Call::new("t", json!({})), |call| call.ok(content));
        (outcome.result.content, outcome.report.truncated)
    };
    let text = |chars: usize| "x".repeat(chars);
    assert_eq!(result(text(20_000).into()), (text(20_000).into(), false));
    let (cut, truncated) = result(text(20_001).into());
    assert_eq!(cut, text(20_000) + " …[truncated, 1 characters left out]");
    assert!(truncated);

    assert!(!result(vec![0; 1000].into()).1);
    assert_eq!(result(vec![0; 1001].into()).0[1000], "[1 more items]");

    let nested = |levels| (0..levels).fold(json!(1), |inner, _| json!([inner]));
    assert!(!result(nested(64)).1);
    let deepest = (1..64).fold(result(nested(65)).0, |outer, _| outer[0].clone());
    assert_eq!(deepest, json!(["[truncated]"]));

    let default = TraceLimits::default;
    for wrong in [
        TraceLimits { max_chars: 0, ..default() },
        TraceLimits { max_depth: 0, ..default() },
        TraceLimits { max_items: 0, ..default() },
    ] {
        let error = TraceSanitization::new(wrong).unwrap_err();
        assert!(error.to_string().ends_with(": 0 is no limit: use 1 or more"), "{error}");
    }
}

/// What a database refuses is gone: no U+0000 anywhere, and no half of a surrogate pair.
#[test]
fn results_can_be_stored() {
    let hooks = Hooks::new().with(TraceSanitization::default());
    let raw = r#"{"a\u0000": ["\ud83d", "\udc00\ud800", {"\ud83dk": "\u0000"}], "b": "\ud83d\ude00 \\u0000"}"#;
    let result =
        hooks.execute(Call::new("t", json!({})), |_| ToolResult::from_json("t", raw)).result;
    let stored = result.content.to_string();
    assert!(!stored.contains('\0') && !stored.contains("\\ud"));
    assert_eq!(result.content["b"], "😀 \\u0000");
    assert_eq!(result.content["a\u{fffd}"][1], "\u{fffd}\u{fffd}");
}

#[test]
fn repeats_and_their_defaults() {
    let hooks = Hooks::new().with(RepeatGuard::default());
    let call = |conversation: &str| {
        let call = Call::new("t", json!({"a": 1})).in_conversation(conversation);
        hooks.execute(call, |call| call.ok("same")).report
    };
    let reports: Vec<_> = (0..5).map(|_| call("one")).collect();
    let warned: Vec<_> = reports.iter().map(|report| report.warn).collect();
    assert_eq!(warned, [false, false, true, true, true]);
    assert!(reports[3].tool_ran && !reports[3].escalate);
    assert!(!reports[4].tool_ran && reports[4].escalate);

    // Another conversation counts for itself; so does one that begins again.
    assert_eq!(call("other").repeats, Some(1));
    hooks.forget("one");
    assert_eq!(call("one").repeats, Some(1));

    for (warn_at, stop_at) in [(1, 5), (3, 3), (4, 3)] {
        let wrong = RepeatGuard::new(warn_at, stop_at).unwrap_err();
        let text = format!("warn_at: {warn_at} and {stop_at} do not fit: 2 <= warn_at < stop_at");
        assert_eq!(wrong.to_string(), text);
    }
}

/// Numbers are equal by value, whatever their form.
#[test]
fn the_same_arguments() {
    let last = |one: Value, other: Value| {
        let hooks = Hooks::new().with(RepeatGuard::default());
        run(&hooks, "t", one);
        let call = Call::new("t", other);
        hooks.execute(call, |call| call.ok("ok")).report.repeats
    };
    let max = u64::MAX;
    for (one, other, repeats) in [
        (json!({"a": 1, "b": 2}), json!({"b": 2.0, "a": 1}), 2),
        (json!({"a": 0.0}), json!({"a": -0.0}), 2),
        (json!({"a": max}), json!({"a": max - 1}), 1),
        (json!({"a": 1e300}), json!({"a": 2e300}), 1),
        (json!({"a": 1.5}), json!({"a": 1.5}), 2),
        (json!({"a": "1"}), json!({"a": 1}), 1),
        (json!({"a": [1, 2]}), json!({"a": [2, 1]}), 1),
        (json!({"a": 1, "b": 2}), json!({"a": 2, "b": 1}), 1),
        (json!({"a": null}), json!({}), 1),
    ] {
        let what = format!("{one} and {other}");
        assert_eq!(last(one, other), Some(repeats), "{what}");
    }
}

#[test]
fn closures_count_and_answer() {
    let count = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&count);
    let hooks = Hooks::new()
        .with(Hook::pre("count", move |_: &Call| {
            counted.fetch_add(1, Ordering::Relaxed);
            Ok(Pre::Go)
        }))
        .with(Hook::pre("cache", |call: &Call| {
            Ok(match call.arguments()["cached"] == true {
                true => Pre::Answer("from the cache".into()),
                false => Pre::Go,
            })
        }))
        .with(
            Hook::post("skills", |_: &Call, _: &ToolResult| Err("broken".into()))
                .on(CallType::Skill)
                .closed(),
        )
        .skill_tools(["skill_*"]);
    let clone = hooks.clone();
    assert_eq!(run(&hooks, "t", json!({"cached": true})), ToolResult::ok("t", "from the cache"));
    assert_eq!(run(&clone, "t", json!({})), ToolResult::ok("t", "ok"));
    assert_eq!(count.load(Ordering::Relaxed), 2);

    let outcome = hooks.execute(Call::new("skill_a", json!({})), |call| call.ok("secret"));
    assert_eq!(outcome.result.content, "The result was withheld because the hook 'skills' failed.");
    assert_eq!(outcome.report.diagnostics, ["skills: broken"]);
    assert_eq!(outcome.call.call_type(), CallType::Skill);
}

#[test]
fn results_of_tools() {
    let failed: Result<Value, std::fmt::Error> = Err(std::fmt::Error);
    assert_eq!(ToolResult::from(failed), ToolResult::error("", std::fmt::Error.to_string()));
    let read: Result<&str, std::fmt::Error> = Ok("text");
    assert_eq!(ToolResult::from(read), ToolResult::ok("", "text"));
}

#[test]
fn what_cannot_be_built() {
    let twice = ArgValidation::new(vec![read(), read()]).unwrap_err();
    assert!(twice.to_string().contains("`read` is declared twice"));
    for (hook, said) in [
        (
            json!({"hook": "cache"}),
            "config.hooks[1].hook: there is no hook `cache`, expected one of `block_list`, ",
        ),
        (json!({}), "config.hooks[1].hook: invalid type: null, expected a string"),
        (json!({"hook": "block_list", "tools": "x"}), "config.hooks[1].tools: invalid type"),
        (json!({"hook": "block_list", "tols": []}), "config.hooks[1].tols: unknown field `tols`"),
        (json!({"hook": "arg_validation", "unknown": "x"}), "config.hooks[1].unknown: unknown var"),
        (json!({"hook": "trace_sanitization", "marker": 1}), "config.hooks[1].marker: invalid"),
        (json!({"hook": "repeat_guard", "warn_at": "x"}), "config.hooks[1].warn_at: invalid"),
    ] {
        let config = json!({"hooks": [{"hook": "block_list"}, hook]});
        let error = Hooks::from_json(&config).unwrap_err().to_string();
        assert!(error.starts_with(said), "{hook}: {error}");
    }
    let own = Hooks::from_json_with(&json!({"hooks": [{"hook": "cache"}]}), |name, _| {
        (name == "cache").then(|| Ok(BlockList::new(["x"]).into()))
    });
    assert_eq!(own.unwrap().hooks().len(), 1);
}

/// A checker of the host's own.
#[derive(Debug)]
struct Nothing;

impl Schema for Nothing {
    fn problems(&self, _: &Value) -> Vec<Problem> {
        vec![Problem::new("", "will not do")]
    }
}

#[test]
fn another_checker() {
    let own = ArgValidation::checked_by(vec![read()], |_| Ok(Arc::new(Nothing))).unwrap();
    let hooks = Hooks::new().with(own.unknown(UnknownTools::Allow));
    assert_eq!(
        run(&hooks, "read", json!({})).content,
        "Invalid arguments for tool 'read':\n- arguments: will not do"
    );
    assert_eq!(run(&hooks, "other", json!({})), ToolResult::ok("other", "ok"));

    let refused = ArgValidation::checked_by(vec![read()], |_| Err("no".to_string()));
    assert!(refused.unwrap_err().to_string().contains("the schema of `read`: no"));
}

#[cfg(feature = "jsonschema")]
#[test]
fn all_of_json_schema() {
    let tool = Tool::from_json(&json!({"name": "t", "parameters": {
        "type": "object",
        "properties": {
            "name": {"type": "string", "pattern": "^[a-z]+$", "maxLength": 3},
            "pos": {"type": "object", "properties": {"tags": {"$ref": "#/$defs/tags"}}},
            "n": {"type": "integer"},
        },
        "required": ["name"],
        "$defs": {"tags": {"type": "array", "items": {"type": "boolean"}}},
    }}))
    .unwrap();
    let hooks = Hooks::new().with(ArgValidation::json_schema(vec![tool]).unwrap());
    let step = hooks.before(Call::new("t", json!({"name": "abc", "n": "5"})));
    let HookDecision::Run(running) = step else { panic!("it fits") };
    assert_eq!(running.call().arguments()["n"], 5);

    let wrong = run(&hooks, "t", json!({"name": "ABCD", "pos": {"tags": [true, "secret"]}}));
    let text = wrong.content.as_str().unwrap();
    assert!(text.starts_with("Invalid arguments for tool 't':\n- "), "{text}");
    assert_eq!(text.matches("\n- name: ").count(), 2, "{text}");
    assert_eq!(text.matches("\n- pos.tags[1]: ").count(), 1, "{text}");
    assert!(!text.contains("secret"), "{text}");

    let missing = run(&hooks, "t", json!({}));
    assert!(missing.content.as_str().unwrap().contains("\n- arguments: \"name\" is a required"));

    let bad = Tool::from_json(&json!({"name": "t", "parameters": {"type": "text"}})).unwrap();
    assert!(ArgValidation::json_schema(vec![bad]).is_err());
}
