//! The hooks as a host uses them. `tests/vectors/policy.jsonl` has their rules, one by one.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use toolstream::policy::{Call, Hook, Hooks, Pre, Running, Validator};
use toolstream::{Dialect, Param, Parser, Tool, render::ToolResult, tools::Type};

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

/// Hooks with one built-in hook.
fn hooks(config: Value) -> Hooks {
    Hooks::default().with(Hook::from_json(&config).unwrap())
}

/// The call as its tool gets it.
#[track_caller]
fn runs(hooks: &Hooks, name: &str, arguments: Value) -> Running {
    match hooks.before(Call::new(name, arguments)) {
        ControlFlow::Continue(running) => running,
        ControlFlow::Break(outcome) => panic!("{outcome:?}"),
    }
}

#[test]
fn the_standard_hooks() {
    let validator = Validator::from_json(&json!({"blocked_tools": ["finalize"]})).unwrap();
    let error = Hooks::standard(vec![read(), Tool::new("finalise")], &validator).unwrap_err();
    let said = "validator.blocked_tools[0]: there is no tool `finalize`, did you mean `finalise`?";
    assert_eq!(error.to_string(), said);
    let hooks = Hooks::standard(vec![read(), Tool::new("finalize")], &validator).unwrap();
    assert_eq!(run(&hooks, "read", json!({"path": "a"})), ToolResult::ok("read", "ok"));
    let blocked = run(&hooks, "finalize", json!({}));
    assert_eq!(blocked.content, "The tool 'finalize' may not be called directly.");
    let unknown = run(&hooks, "write", json!({}));
    assert_eq!(unknown.content, "Unknown tool 'write'. Available tools: read, finalize.");

    let long = hooks.execute(Call::new("read", json!({"path": "a"})), |_| {
        ToolResult::ok("", "x".repeat(20_001))
    });
    assert!(long.report.truncated);

    // The first hook counts calls that the others block.
    let hooks = hooks.with_first(Hook::from_json(&json!({"hook": "repeat_guard"})).unwrap());
    run(&hooks, "finalize", json!({}));
    let again = hooks.execute(Call::new("finalize", json!({})), |call| call.ok("ok"));
    assert_eq!((again.report.repeats, again.report.tool_ran), (Some(2), false));
}

/// A tool that was declared without a schema is checked by its parameters.
#[test]
fn declared_parameters_are_a_schema() {
    let hooks = Hooks::default().with(Hook::arg_validation(vec![read()]).unwrap());
    let result = run(&hooks, "read", json!({"line": "x", "anything": {}, "more": 1}));
    assert_eq!(
        result.content,
        "Invalid arguments for tool 'read':\n- path: is required\n- line: must be integer or null"
    );
    let running = runs(&hooks, "read", json!({"path": "", "line": "2"}));
    assert_eq!(running.call().arguments, json!({"path": "", "line": 2}));
    // White space is space, tab, CR and LF, and no other character.
    let running = runs(&hooks, "read", json!({"path": "", "line": "\t2\r\n"}));
    assert_eq!(running.call().arguments["line"], 2);
    assert!(run(&hooks, "read", json!({"path": "", "line": "\u{a0}2"})).is_error);
}

/// Numbers are compared to their last digit, and a bound includes itself. An unknown type allows any value.
#[test]
fn bounds_and_types() {
    let schema = json!({"properties": {
        "least": {"minimum": 9_007_199_254_740_993_u64},
        "most": {"maximum": 2.5},
        "file": {"type": "file"},
        "either": {"type": ["integer", "file"]},
    }});
    let tool = Tool::from_json(&json!({"name": "t", "parameters": schema})).unwrap();
    let hooks = Hooks::default().with(Hook::arg_validation(vec![tool]).unwrap());
    for (arguments, fits) in [
        (json!({"least": 9_007_199_254_740_993_u64}), true),
        (json!({"least": 9_007_199_254_740_992_u64}), false),
        (json!({"most": 2.5}), true),
        (json!({"most": 2.75}), false),
        (json!({"most": 2}), true),
        (json!({"file": 1, "either": "x"}), true),
    ] {
        assert_eq!(!run(&hooks, "t", arguments.clone()).is_error, fits, "{arguments}");
    }
}

#[test]
fn a_call_of_a_message() {
    let parser = Parser::builder(Dialect::CLINE).tool(read()).build().unwrap();
    let message = parser.parse("<read><path>a.rs</path><line>7</line></read>");
    let hooks = Hooks::standard(vec![read()], &Validator::default()).unwrap();
    let call = Call::from(message.calls().next().unwrap());
    let outcome = hooks.execute(call, |call| call.ok(call.arguments.clone()));
    assert_eq!(outcome.result, ToolResult::ok("read", json!({"path": "a.rs", "line": 7})));
    assert!(outcome.report.tool_ran);

    let parser = Parser::builder(Dialect::KIMI_K2).tool(read()).build().unwrap();
    let message = parser.parse(
        "<|tool_calls_section_begin|><|tool_call_begin|>functions.read:3<|tool_call_argument_begin|>\
         {\"path\": \"a\"}<|tool_call_end|><|tool_calls_section_end|>",
    );
    let call = Call::from(message.calls().next().unwrap());
    assert_eq!(call.id.as_deref(), Some("functions.read:3"));
}

#[test]
fn limits_and_their_defaults() {
    let hooks = hooks(json!({"hook": "trace_sanitization"}));
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
}

/// Characters that a database refuses are replaced: U+0000, and half a surrogate pair.
#[test]
fn results_can_be_stored() {
    let hooks = hooks(json!({"hook": "trace_sanitization"}));
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
    let hooks = hooks(json!({"hook": "repeat_guard"}));
    let call = |conversation: &str| {
        let mut call = Call::new("t", json!({"a": 1}));
        call.conversation = conversation.to_string();
        hooks.execute(call, |call| call.ok("same")).report
    };
    let reports: Vec<_> = (0..5).map(|_| call("one")).collect();
    let warned: Vec<_> = reports.iter().map(|report| report.note.is_some()).collect();
    assert_eq!(warned, [false, false, true, true, true]);
    assert!(reports[3].tool_ran && !reports[3].escalate);
    assert!(!reports[4].tool_ran && reports[4].escalate);

    // Another conversation has its own count, and so has a conversation that begins again.
    assert_eq!(call("other").repeats, Some(1));
    hooks.forget("one");
    assert_eq!(call("one").repeats, Some(1));
}

/// Numbers are equal by value, whatever their form.
#[test]
fn the_same_arguments() {
    let last = |one: Value, other: Value| {
        let hooks = hooks(json!({"hook": "repeat_guard"}));
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
    let hooks = Hooks::default()
        .with(Hook::pre("count", move |_, _| {
            counted.fetch_add(1, Ordering::Relaxed);
            Ok(Pre::Go)
        }))
        .with(Hook::pre("cache", |call, _| {
            Ok(match call.arguments["cached"] == true {
                true => Pre::Done(call.ok("from the cache")),
                false => Pre::Go,
            })
        }))
        .with(Hook::post("skills", |_, _, _| Err("broken".into())).skills(true).closed())
        .skill_tools(["skill_*"]);
    let clone = hooks.clone();
    assert_eq!(run(&hooks, "t", json!({"cached": true})), ToolResult::ok("t", "from the cache"));
    assert_eq!(run(&clone, "t", json!({})), ToolResult::ok("t", "ok"));
    assert_eq!(count.load(Ordering::Relaxed), 2);

    let outcome = hooks.execute(Call::new("skill_a", json!({})), |call| call.ok("secret"));
    assert_eq!(outcome.result.content, "The result was withheld because the hook 'skills' failed.");
    assert_eq!(outcome.report.diagnostics, ["skills: broken"]);
    assert_eq!(outcome.call.skill, Some(true));
}

/// A hook counts before and after the tool, and hears that a conversation is over.
#[test]
fn hooks_share_what_they_count() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let (before, after, over) = (Arc::clone(&seen), Arc::clone(&seen), Arc::clone(&seen));
    let before = Hook::pre("count", move |call, report| {
        before.lock().unwrap().push(format!("before {}", call.name));
        report.note = Some("noted".to_string());
        Ok(Pre::Go)
    });
    let after = Hook::post("count", move |_, result, report| {
        after.lock().unwrap().push(format!("after {} {:?}", result.content, report.note));
        Ok(None)
    });
    let forgets = before.on_forget(move |name| over.lock().unwrap().push(format!("over {name}")));
    let hooks = Hooks::default().with(forgets).with(after);
    let running = runs(&hooks, "t", json!({}));
    assert_eq!(running.report().note.as_deref(), Some("noted"));
    hooks.after(running, Ok::<_, String>(1));
    hooks.forget("one");
    assert_eq!(*seen.lock().unwrap(), ["before t", "after 1 Some(\"noted\")", "over one"]);
}

/// Arguments as text are read, from a provider or from a hook. They can have a type of the host's.
#[test]
fn arguments_as_text_and_as_types() {
    let hooks = Hooks::default();
    let running = runs(&hooks, "t", "{'line': 7,}".into());
    #[derive(serde::Deserialize)]
    struct Input {
        line: u32,
    }
    assert_eq!(running.call().parse::<Input>().unwrap().line, 7);
    let error = Call::new("t", json!({"line": "x"})).parse::<Input>().err().unwrap();
    assert!(error.to_string().starts_with("line: invalid type: string"), "{error}");
    let broken = run(&hooks, "t", "{'line'".into());
    assert!(broken.is_error && broken.text().contains("could not be read: truncated"));
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
    let list = Hooks::from_json(&json!([[{"hook": "repeat_guard"}]])).unwrap_err();
    assert!(list.to_string().starts_with("config: invalid type: sequence, expected an object"));
    let twice = Hook::arg_validation(vec![read(), read()]).unwrap_err();
    assert_eq!(twice.to_string(), "tools: `read` is declared twice");
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
        (json!({"hook": "repeat_guard", "warn_at": 1}), "config.hooks[1].warn_at: 1 and 5 do not"),
        (json!({"hook": "repeat_guard", "stop_at": 3}), "config.hooks[1].warn_at: 3 and 3 do not"),
        (
            json!({"hook": "trace_sanitization", "max_chars": 0}),
            "config.hooks[1].max_chars: 0 is no limit: use 1 or more",
        ),
        (json!({"hook": "trace_sanitization", "max_depth": 0}), "config.hooks[1].max_depth: 0 is"),
        (json!({"hook": "trace_sanitization", "max_items": 0}), "config.hooks[1].max_items: 0 is"),
        (json!({"hook": "arg_validation", "tools": [{"name": 5}]}), "config.hooks[1].tools: "),
        (
            json!({"hook": "arg_validation", "tools": [{"name": "t"}, {"name": "t"}]}),
            "config.hooks[1].tools: `t` is declared twice",
        ),
    ] {
        let config = json!({"hooks": [{"hook": "block_list"}, hook]});
        let error = Hooks::from_json(&config).unwrap_err().to_string();
        assert!(error.starts_with(said), "{hook}: {error}");
        // The hook has the same error alone.
        let said = said.replace("config.hooks[1]", "config");
        let error = Hook::from_json(&config["hooks"][1]).unwrap_err().to_string();
        assert!(error.starts_with(&said), "{error}");
    }
    let own = Hooks::from_json_with(&json!({"hooks": [{"hook": "cache"}]}), |name, _| {
        (name == "cache").then(|| Ok(Hook::pre(name, |call, _| Ok(Pre::Done(call.ok("cached"))))))
    });
    assert_eq!(run(&own.unwrap(), "t", json!({})).content, "cached");
}

#[test]
fn another_checker() {
    let will_not_do = |_: &Value| Ok(|_: &Value| vec!["arguments: will not do".to_string()]);
    let own = Hook::checked_by(vec![read()], will_not_do).unwrap();
    let hooks = Hooks::default().with(own);
    assert_eq!(
        run(&hooks, "read", json!({})).content,
        "Invalid arguments for tool 'read':\n- arguments: will not do"
    );
    assert!(run(&hooks, "other", json!({})).is_error);

    // Undeclared tools run if the hook does not see them.
    let own = Hook::checked_by(vec![read()], will_not_do).unwrap().tools(["read"]);
    let hooks = Hooks::default().with(own);
    assert_eq!(run(&hooks, "other", json!({})), ToolResult::ok("other", "ok"));
    assert!(run(&hooks, "read", json!({})).is_error);

    let refused =
        Hook::checked_by(vec![read()], |_| Err::<fn(&Value) -> Vec<String>, _>("no".to_string()));
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
    let hooks = Hooks::default().with(Hook::json_schema(vec![tool]).unwrap());
    let running = runs(&hooks, "t", json!({"name": "abc", "n": "5"}));
    assert_eq!(running.call().arguments["n"], 5);

    let wrong = run(&hooks, "t", json!({"name": "ABCD", "pos": {"tags": [true, "secret"]}}));
    let text = wrong.content.as_str().unwrap();
    assert!(text.starts_with("Invalid arguments for tool 't':\n- "), "{text}");
    assert_eq!(text.matches("\n- name: ").count(), 2, "{text}");
    assert_eq!(text.matches("\n- pos.tags[1]: ").count(), 1, "{text}");
    assert!(!text.contains("secret"), "{text}");

    let missing = run(&hooks, "t", json!({}));
    assert!(missing.content.as_str().unwrap().contains("\n- arguments: \"name\" is a required"));

    let bad = Tool::from_json(&json!({"name": "t", "parameters": {"type": "text"}})).unwrap();
    let error = Hook::json_schema(vec![bad]).unwrap_err();
    assert!(error.to_string().starts_with("tools: the schema of `t`: "), "{error}");
}
