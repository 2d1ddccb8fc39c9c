//! `toolstream detect` and `toolstream route`.

use serde_json::{Value, json};

use super::support::*;

fn found(args: &[&str]) -> Value {
    let done = run(&[args, &["--json"]].concat(), "");
    assert_eq!(done.code, 0, "{}", done.err);
    serde_json::from_str(&done.out).unwrap()
}

#[test]
fn a_model_is_known_by_its_name() {
    let answer = found(&["detect", "--model", "zai-org/GLM-5"]);
    assert_eq!((&answer["dialect"], &answer["form"]), (&json!("glm"), &json!("inline")));
    assert_eq!(
        (&answer["start"], &answer["by"]),
        (&json!("reasoning"), &json!("the model's name"))
    );
    assert!(answer["call"].as_str().unwrap().starts_with("<tool_call>read_file<arg_key>"));
    assert_eq!(found(&["detect", "--model", "XiaomiMiMo/MiMo-V2"])["value_whitespace"], "verbatim");
    let lines = run(&["detect", "--model", "zai-org/GLM-5"], "").out;
    assert!(lines.starts_with("dialect           glm\nform              inline\n"), "{lines}");
    let lines = run(&["detect", "--model", "zai-org/GLM-4.6"], "").out;
    assert!(lines.starts_with("dialect           glm\nby "), "{lines}");
    assert!(
        lines.contains("\ncall              <tool_call>read_file\n                  <arg_key>")
    );
}

#[test]
fn a_template_counts_before_a_name_and_a_prompt_before_both() {
    let template = Temp::file("glm.jinja", "{{ '<tool_call>' }}<arg_key>{{ k }}</arg_key>");
    let answer = found(&["detect", "--template", template.path()]);
    assert_eq!((&answer["dialect"], &answer["by"]), (&json!("glm"), &json!("the chat template")));
    // The template does not show which form these models write; their name does.
    let answer = found(&["detect", "--template", template.path(), "--model", "zai-org/GLM-5"]);
    assert_eq!((&answer["dialect"], &answer["form"]), (&json!("glm"), &json!("inline")));
    let prompt = Temp::file("prompt.txt", "<|assistant|>\n<think>\n");
    let args = ["detect", "--template", template.path(), "--model", "Qwen/Qwen3-8B", "--json"];
    let done = run(&[&args[..], &["--prompt-end", prompt.path()]].concat(), "");
    let answer: Value = serde_json::from_str(&done.out).unwrap();
    assert_eq!((&answer["dialect"], &answer["start"]), (&json!("glm"), &json!("reasoning")));
    assert!(done.err.contains("the template shows glm, the name says hermes"), "{}", done.err);
    let answer = found(&["detect", "--prompt-end", prompt.path()]);
    assert_eq!(answer, json!({"start": "reasoning"}));
}

/// In JSON as Python writes it, the characters of a marker are escaped.
#[test]
fn a_template_may_stand_in_the_tokenizer_s_configuration() {
    let template = r#""{{ '<\uff5cDSML\uff5ctool_calls>' }}""#;
    for config in [
        format!("{{\"eos_token\": \"<eos>\", \"chat_template\": {template}}}"),
        format!(
            "{{\"chat_template\": [{{\"name\": \"default\", \"template\": \"none\"}}, \
                 {{\"name\": \"tool_use\", \"template\": {template}}}]}}"
        ),
    ] {
        let file = Temp::file("tokenizer_config.json", config);
        assert_eq!(found(&["detect", "--template", file.path()])["dialect"], "deepseek-dsml");
    }
}

#[test]
fn what_nobody_knows_is_told() {
    let template = Temp::file("plain.jinja", "{{ messages }}");
    for args in [
        &["--model", "acme/strange"][..],
        &["--template", template.path()],
        &["--template", template.path(), "--model", "acme/strange"],
    ] {
        let done = run(&[&["detect"], args].concat(), "");
        assert_eq!((&*done.out, done.code, done.err.lines().count()), ("", 1, 1));
        assert!(done.err.contains("dialects --verbose"), "{}", done.err);
    }
    refused(&["detect"], &["--template", "--help"]);
    refused(&["detect", "--template", "no/such"], &["cannot read no/such"]);
}

#[test]
fn a_route_says_what_decided() {
    let route = |args: &[&str]| found(&[&["route"], args].concat());
    let answer = route(&["--provider", "anthropic", "--model", "claude-sonnet-4-5"]);
    assert_eq!(answer["format"], "native");
    let answer = route(&["--provider", "ollama", "--model", "zai-org/GLM-5"]);
    assert_eq!((&answer["format"], &answer["form"]), (&json!("glm"), &json!("inline")));
    assert_eq!(answer["start"], "reasoning");
    let answer = route(&["--provider", "ollama", "--model", "acme/strange"]);
    assert_eq!(answer["format"], "react");
    assert!(answer["reason"].as_str().unwrap().contains("nothing is known"));
    let answer = route(&["--provider", "ollama", "--model", "x", "--native", "yes"]);
    assert_eq!(answer["format"], "native");
    let config = Temp::file("routes.json", r#"{"models": {"acme/*": "hermes"}}"#);
    let answer =
        route(&["--provider", "openai", "--model", "acme/strange", "--config", config.path()]);
    assert_eq!(answer["format"], "hermes");
    assert!(answer.get("form").is_none());
    assert!(answer["reason"].as_str().unwrap().contains("of the model"));
    let config = Temp::file("two-routes.json", r#"{"tool_format": "glm:inline+react"}"#);
    let answer = route(&["--provider", "p", "--model", "m", "--config", config.path()]);
    assert_eq!((&answer["format"], &answer["form"]), (&json!("glm+react"), &json!("inline")));
}

#[test]
fn a_bad_configuration_is_one_line() {
    for (text, told) in [
        ("{\"model\": {}}", "unknown field `model`"),
        ("{\"tool_format\": \"hermess\"}", "hermess"),
        ("{\"tool_format\": ", ":1:16: not valid JSON"),
    ] {
        let config = Temp::file("bad-routes.json", text);
        let args = ["route", "--provider", "p", "--model", "m", "--config", config.path()];
        refused(&args, &[told]);
    }
}
