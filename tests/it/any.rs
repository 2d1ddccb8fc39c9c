//! `Dialect::any`: text of a model that nobody knows.

use serde_json::json;
use toolstream::check::{self, Ended};
use toolstream::{Dialect, Message, Param, Parser, Tool, tools::Type};

use crate::support::{inputs, samples};

fn parser(dialect: &Dialect) -> Parser {
    let tool = Tool::new("read_file").param(Param::required("path").with(Type::String));
    let builder = Parser::builder(dialect).tool(tool).tool_limit(None);
    builder.build().expect("a dialect that can be read")
}

fn calls(message: &Message) -> Vec<(String, String)> {
    let written = |input: &serde_json::Map<String, _>| json!(input).to_string();
    message.calls().map(|call| (call.name().to_string(), written(call.input()))).collect()
}

/// The dialects whose messages begin with the tokens of `harmony`.
const LIKE_HARMONY: [Dialect; 2] = [Dialect::BEAM, Dialect::MUSE];

/// A call of each dialect, behind a sentence, at every cut.
#[test]
fn a_call_of_every_dialect_is_read() {
    let any = parser(&Dialect::any());
    let arguments = json!({"path": "src/é.rs"});
    for dialect in Dialect::ALL.iter().filter(|dialect| !LIKE_HARMONY.contains(dialect)) {
        let call = parser(dialect).render_call("read_file", arguments.as_object().unwrap());
        let text = format!("Voilà.\n\n{}", call.expect("a call"));
        let found = calls(&any.parse(&text));
        assert_eq!(found, [("read_file".to_string(), arguments.to_string())], "{dialect}: {text}");
        for ended in [Ended::Stop, Ended::Cut] {
            let held = check::hold(&any, &text, &check::every_cut(text.len()), ended);
            held.unwrap_or_else(|broken| panic!("{dialect}: {broken}"));
        }
    }
}

/// The calls of each dialect's vectors are those that it reads alone, but for a few texts.
#[test]
fn vectors_are_read_as_their_own_dialect_reads_them() {
    let any = Dialect::any();
    for dialect in Dialect::ALL.iter().filter(|dialect| !LIKE_HARMONY.contains(dialect)) {
        let (mut all, mut same) = (0, 0);
        for sample in samples::vectors(dialect.name()) {
            let declared = |name: &str| sample.tools.iter().any(|tool| tool.name == name);
            let own = calls(&sample.parser(dialect).parse(&sample.text));
            if own.is_empty() || !own.iter().all(|(name, _)| declared(name)) {
                continue;
            }
            all += 1;
            same += usize::from(own == calls(&sample.parser(&any).parse(&sample.text)));
        }
        // Most vectors of `functionary` begin behind an opener that the prompt has written.
        let least = if *dialect == Dialect::FUNCTIONARY { all / 4 } else { all * 9 / 10 };
        assert!(
            all > 15 && same >= least,
            "{dialect}: {all} vectors have only whole calls of declared tools (16 are needed), and `any` reads {same} of \
             them alike: is the dialect in APART of src/dialect/any.rs?"
        );
    }
}

/// The laws, over the vectors of all dialects and soup of them.
#[test]
fn laws_hold_for_any() {
    let any = Dialect::any();
    let vectors: Vec<_> =
        Dialect::ALL.iter().flat_map(|dialect| samples::vectors(dialect.name())).collect();
    let soup: Vec<_> = (0..200).map(|seed| samples::soup(&vectors, seed)).collect();
    for sample in vectors.iter().step_by(8 * inputs::every()).chain(&soup) {
        let len = sample.text.len();
        let cuts = [vec![], (1..len).collect(), vec![len / 3, len / 2]];
        let inside =
            |cuts: Vec<usize>| cuts.into_iter().filter(|at| (1..len).contains(at)).collect();
        let cuts: Vec<Vec<usize>> = cuts.into_iter().map(inside).collect();
        for ended in [Ended::Stop, Ended::Cut] {
            let held = check::hold(&sample.parser(&any), &sample.text, &cuts, ended);
            held.unwrap_or_else(|broken| panic!("{:?} ({ended:?}): {broken}", sample.text));
        }
    }
}

/// Prose, code and objects that name no declared tool are text.
#[test]
fn what_names_no_tool_is_text() {
    let any = parser(&Dialect::any());
    for text in [
        "Answer: 42. Use `<tool_call>` or [TOOL_CALLS], as in <function=void> and List<invoke>.",
        "Action: go\nObservation: it went.",
        "{\"name\": \"package\", \"version\": \"1.0.0\"}",
        "[1, 2]\n[\"é\"]",
        "[f(x=1), g(y='read_file')]",
        "fn a<b>() -> c { d[0] << e; let f = g::<h>(); } // {}, <|, [[, ]]",
        "| a | b |\n|---|---|\n| <b>é</b> | {x} |",
        "I call read_file(path=1), or call:read_file{path:1}.",
    ] {
        let message = any.parse(text);
        assert_eq!((message.text(), message.blocks().len()), (text.to_string(), 1), "{text}");
    }
}

/// A host does not choose the dialects one by one, so no name of a tool is an error, and no tool is needed.
#[test]
fn every_tool_has_a_name_that_can_be_read() {
    let names = ["think", "mcp/srv:do+it@v1.2$x_-é", "a b", "<x>", "invoke", "tool_call", "/p"];
    let tools = names.map(|name| Tool::new(name).param(Param::required("a>b")));
    let builder = Parser::builder(Dialect::any()).tools(tools).tool_limit(None);
    let parser = builder.build().expect("names that some dialect can write");
    for name in names {
        let call = format!("<tool_call>{{\"name\": \"{name}\", \"arguments\": {{}}}}</tool_call>");
        let text = format!("<think>hm</think>\n{call}\n<{name}>\n<a>b</a></{name}>");
        assert_eq!(calls(&parser.parse(&text)), [(name.to_string(), "{}".to_string())], "{text}");
        let cuts = check::every_cut(text.len());
        check::hold(&parser, &text, &cuts, Ended::Stop).expect("the laws");
    }
    assert!(Parser::builder(Dialect::any()).build().is_ok());
    let cline = Parser::builder(Dialect::CLINE).tool(Tool::new("a b")).build();
    assert!(cline.unwrap_err().to_string().contains("`a b`"));
}

/// The name says all of them in one word, alone and joined.
#[test]
fn the_name_is_any() {
    assert_eq!(Dialect::any().to_string(), "any");
    assert_eq!(Dialect::by_name("Any").expect("a name"), Dialect::any());
    let told = Dialect::REACT.and(Dialect::any()).and(Dialect::BEAM);
    assert_eq!(told.to_string(), "react+any+beam");
    assert_eq!(Dialect::by_name("react+any+beam").expect("names"), told);
    let inline = Dialect::by_name("glm:inline+any").expect("a form, and all");
    assert_eq!(inline.to_string(), "glm:inline+any");
    assert!(Dialect::by_name("any:inline").is_err());
    assert!(parser(&told).system_prompt().contains("Action Input"));
}
