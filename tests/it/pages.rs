//! The Markdown pages: a table that is made from the dialects, and figures that stand in two places.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::json;
use toolstream::{Dialect, Param, Parser, Tool};

use crate::support::expected;
use crate::support::markdown::page;

const DIALECTS: &str = "docs/dialects.md";
const BEGIN: &str = "<!-- dialects -->\n";
const END: &str = "<!-- /dialects -->";

/// `EXPECTED=write cargo test --test it pages::` writes the tables of the page anew.
#[test]
fn the_page_of_dialects_is_up_to_date() {
    let now = page(DIALECTS);
    let (before, rest) = now.split_once(BEGIN).expect("the mark before the table");
    let (_, after) = rest.split_once(END).expect("the mark after the table");
    let now = format!("{before}{BEGIN}{}{END}{after}", table());
    let (before, _) = now.split_once("<!-- calls -->\n").expect("the mark before the calls");
    expected::compare_file(DIALECTS, &format!("{before}<!-- calls -->\n{}", calls()));
}

/// The table of dialects, as `toolstream dialects --markdown` prints it.
fn table() -> String {
    let mut table = "| name | looks like | models |\n|---|---|---|\n".to_string();
    for dialect in Dialect::ALL {
        let about = dialect.about().replace('|', "\\|");
        table += &format!("| `{}` | `{about}` | {} |\n", dialect.name(), models(dialect));
    }
    table
}

fn models(dialect: &Dialect) -> String {
    let all: Vec<&str> = dialect.models().flat_map(|family| family.names()).collect();
    // A name with a star is left out if the name before the star stands there.
    let says_more = |name: &&&str| {
        let family = name.split('*').next().unwrap_or_default();
        !name.contains('*') || !all.contains(&family)
    };
    let said: Vec<String> =
        all.iter().filter(says_more).map(|name| name.replace('*', "…")).collect();
    if said.is_empty() { "any whose prompt asks for it".to_string() } else { said.join(", ") }
}

/// A call of each dialect and of each of its forms, as it is written.
fn calls() -> String {
    let mut text = String::new();
    for dialect in Dialect::ALL {
        text += &format!("\n### `{}`\n\n{}", dialect.name(), call(dialect));
        for form in dialect.forms() {
            text += &format!("\nThe form `{form}`:\n\n{}", call(&form));
        }
        let stops = dialect.stop_sequences();
        if !stops.is_empty() {
            let stops: Vec<String> = stops.iter().map(|stop| format!("`` {stop:?} ``")).collect();
            text += &format!("\nStop sequences: {}.\n", stops.join(", "));
        }
    }
    text
}

fn call(dialect: &Dialect) -> String {
    let read = Tool::new("read_file").param(Param::required("path"));
    let parser = Parser::builder(dialect.clone()).tool(read).build().expect("a parser");
    let arguments = json!({"path": "src/main.rs"});
    let call = parser.render_call("read_file", arguments.as_object().expect("an object"));
    format!("````text\n{}\n````\n", call.expect("a call").trim_end_matches('\n'))
}

/// The words of a text that are numbers: `3.28`, `15,000`.
fn numbers(text: &str) -> BTreeSet<&str> {
    let words = text.split_whitespace().map(|word| word.trim_matches(|c| "().,:;".contains(c)));
    words.filter(|word| word.starts_with(|c: char| c.is_ascii_digit())).collect()
}

/// Each row of the README's figures is a row of the linked page, with the same numbers.
#[test]
fn the_figures_of_the_readme_stand_where_it_says() {
    let readme = page("README.md");
    let (_, rest) = readme.split_once("<!-- figures -->\n").expect("the mark before the figures");
    let (rows, _) = rest.split_once("<!-- /figures -->").expect("the mark after the figures");
    let rows: Vec<&str> = rows.lines().skip(2).collect();
    assert_eq!(rows.len(), 6, "three of speed, three of correctness");
    for row in rows {
        let (_, figures) = row[1..].split_once('|').expect("a second cell");
        let (figures, link) = figures.split_once('[').expect("a link");
        let (name, link) = link.split_once("](").expect("an address");
        let (file, _) = link.split_once('#').expect("a chapter of a page");
        let is_row = |line: &&str| {
            line.strip_prefix("| ").and_then(|line| line.split_once(" |")).map(|(cell, _)| cell)
                == Some(name)
        };
        let page = page(file);
        let found: Vec<_> = page.lines().filter(is_row).collect();
        let holds = |line: &&str| numbers(figures).is_subset(&numbers(line));
        assert!(found.iter().any(holds), "{file} has no row `{name}` with{figures}");
    }
}

/// The rows of correctness state what the tests check.
#[test]
fn the_figures_of_correctness_are_those_of_the_tests() {
    let listed = page("conformance/canitoolcall.txt");
    let failing = listed.lines().filter(|line| !line.starts_with('#')).count();
    assert!(page("README.md").contains(&format!("{failing} of 469 fixtures fail")));
    assert!(page("tests/it/damage.rs").contains("texts > 15_000"), "the damaged markers");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors");
    let files = std::fs::read_dir(folder).expect("a folder").map(|file| file.expect("a file"));
    let vectors: usize = files
        .map(|file| std::fs::read_to_string(file.path()).expect("a file of lines").lines().count())
        .sum();
    assert!(vectors > 5_000, "{vectors} vectors");
}

/// The shape in the README reads a call in its notation.
#[test]
fn the_shape_of_the_readme_reads_calls() {
    let readme = page("README.md");
    let (_, rest) = readme.split_once("```json\n").expect("a shape");
    let (shape, _) = rest.split_once("```").expect("its end");
    let dialect = Dialect::from_json(shape).expect("a shape");
    let tool = Tool::new("read").param(Param::required("path"));
    let parser = Parser::builder(dialect).tool(tool).build().expect("a parser");
    let message = parser.parse("I look.\n@@call read@@\npath=a.rs\n@@end@@");
    let calls: Vec<_> = message.calls().map(|call| (call.name(), &call.input()["path"])).collect();
    assert_eq!(calls, [("read", &json!("a.rs"))]);
}

/// The table "A marker that is cut" in DESIGN.md is true.
#[test]
fn the_trace_of_the_design_is_true() {
    let mut parser = Parser::builder(Dialect::HERMES).build().expect("a parser");
    let mut feed = |chunk: &str| {
        let events: Vec<String> =
            parser.feed(chunk).take(2).map(|event| format!("{event:?}")).collect();
        (events, parser.held())
    };
    let text = |text: &str| vec![format!("TextContent({text:?})")];
    assert_eq!(feed("I look.\n<tool_c"), (text("I look.\n"), 7));
    assert_eq!(feed("al"), (vec![], 9));
    assert_eq!(feed("l>{"), (vec![], 12));
    let (events, held) = feed("\"name\": \"f\", ");
    assert_eq!((&*events[0], held), ("Markup(\"<tool_call>\")", 0));
    let told = "Use the <tool_call> tag and its </tool_call>.";
    assert_eq!(parser.parse(told).text(), told);
}
