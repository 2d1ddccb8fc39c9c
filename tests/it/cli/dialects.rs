//! `toolstream dialects`.

use serde_json::Value;
use toolstream::Dialect;

use super::support::*;

#[test]
fn every_dialect_is_listed() {
    let done = run(&["dialects"], "");
    let names: Vec<&str> =
        done.out.lines().map(|line| line.split_whitespace().next().unwrap()).collect();
    let all: Vec<&str> = toolstream::Dialect::ALL.iter().map(|dialect| dialect.name()).collect();
    assert_eq!((names, done.code), (all, 0));
}

#[test]
fn json_and_verbose_say_the_facts() {
    let all: Vec<Value> = serde_json::from_str(&run(&["dialects", "--json"], "").out).unwrap();
    assert_eq!(all.len(), Dialect::ALL.len());
    let text = run(&["dialects", "--verbose"], "").out;
    for (dialect, about) in Dialect::ALL.iter().zip(&all) {
        assert_eq!(
            (&about["name"], &about["about"]),
            (&dialect.name().into(), &dialect.about().into())
        );
        for key in ["opener", "body"] {
            assert_ne!(about[key], "", "{about:#}");
        }
        assert_eq!(about["stop_sequences"], Value::from(dialect.stop_sequences()));
        let models: Vec<&str> = dialect.models().flat_map(|family| family.names()).collect();
        assert_eq!(about["models"], Value::from(models));
        assert_eq!(about["forms"].as_array().unwrap().len(), dialect.forms().count());
        assert!(about["call"].as_str().unwrap().contains("read_file"), "{about:#}");
        assert!(
            text.contains(&format!("\n{}: {}\n  models ", dialect.name(), dialect.about()))
                || text.starts_with(&format!("{}: ", dialect.name()))
        );
    }
    let of = |name: &str| all.iter().find(|about| about["name"] == name).unwrap();
    assert_eq!(
        (&of("hermes")["opener"], &of("hermes")["body"]),
        (&"<tool_call>".into(), &"JSON".into())
    );
    assert_eq!(
        (&of("cline")["body"], &of("gemma4")["body"]),
        (&"parameters".into(), &"literals".into())
    );
    assert_eq!(of("seed-oss")["reasoning"], Value::from(vec!["<seed:think>"]));
    assert_eq!((&of("kimi-k2")["ids"], &of("mistral")["ids"]), (&true.into(), &true.into()));
    assert_eq!((&of("cline")["ids"], &of("cline")["needs_tools"]), (&false.into(), &true.into()));
    assert_eq!(of("harmony")["opener"], "<|start|>assistant to=functions.NAME");
    for line in [
        "  models     gpt-oss, llm-jp-4\n",
        "  stop       \"\\nObservation:\"",
        "\n             {\"name\": ",
    ] {
        assert!(text.contains(line), "no {line:?} in {text}");
    }
}

/// The page is written anew by `EXPECTED=write cargo test --test it pages::`.
#[test]
fn the_table_of_the_page_is_what_the_command_prints() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/dialects.md");
    let page = std::fs::read_to_string(page).unwrap();
    let (_, rest) = page.split_once("<!-- dialects -->\n").expect("the mark before the table");
    let (table, _) = rest.split_once("<!-- /dialects -->").expect("the mark after the table");
    assert_eq!(table, run(&["dialects", "--markdown"], "").out);
}
