//! Failures of other parsers, as their public threads report them, with the right reading: the table of
//! `docs/known-failures.md`. Each text is read at every cut.

use serde_json::{Value, json};
use toolstream::check::{Ended, every_cut, hold};
use toolstream::{Dialect, Param, Parser, Tool, options::Options, tools::Type};

struct Known {
    /// The failure in the words of the page.
    what: &'static str,
    threads: &'static str,
    dialect: &'static str,
    /// A text like the output in the thread.
    input: &'static str,
    calls: &'static [(&'static str, &'static str)],
    text: &'static str,
}

const KNOWN: &[Known] = &[
    Known {
        what: "a quote in a Python string cuts the argument, and half a file is written",
        threads: "llama.cpp#26658",
        dialect: "lfm2",
        input: "<|tool_call_start|>[run(code='a = f('x')\nb = 2')]<|tool_call_end|>",
        calls: &[("run", r#"{"code": "a = f('x')\nb = 2"}"#)],
        text: "",
    },
    Known {
        what: "GLM leaves out `<arg_value>`, and the call is lost",
        threads: "vLLM#49248, #49249, #51364",
        dialect: "glm",
        input: "<tool_call>look_up<arg_key>word</arg_key>oak</arg_value></tool_call>",
        calls: &[("look_up", r#"{"word": "oak"}"#)],
        text: "",
    },
    Known {
        what: "GLM says `<arg_key>` twice",
        threads: "vLLM#54971",
        dialect: "glm",
        input: "<tool_call>look_up<arg_key><arg_key>word</arg_key><arg_value>oak</arg_value></tool_call>",
        calls: &[("look_up", r#"{"word": "oak"}"#)],
        text: "",
    },
    Known {
        what: "a call without its `<tool_call>` is shown to the user",
        threads: "ollama#16686, #18530, omlx#844",
        dialect: "qwen3-coder",
        input: "I look.\n<function=look_up>\n<parameter=word>\noak\n</parameter>\n</function>\n</tool_call>",
        calls: &[("look_up", r#"{"word": "oak"}"#)],
        text: "I look.",
    },
    Known {
        what: "Qwen2.5-Coder answers with bare JSON",
        threads: "ollama#11662, omlx#2565",
        dialect: "hermes+bare-json",
        input: "I look.\n```json\n{\"name\": \"look_up\", \"arguments\": {\"word\": \"oak\"}}\n```",
        calls: &[("look_up", r#"{"word": "oak"}"#)],
        text: "I look.",
    },
    Known {
        what: "a JSON answer with a `name` is run as a call",
        threads: "Rapid-MLX#703",
        dialect: "llama3-json",
        input: "{\"name\": \"Alice\", \"age\": 30}",
        calls: &[],
        text: "{\"name\": \"Alice\", \"age\": 30}",
    },
    Known {
        what: "a list of Python calls after text is shown to the user",
        threads: "vLLM#22917",
        dialect: "pythonic",
        input: "I have to look first.\n\n[look_up(word=\"oak\")]",
        calls: &[("look_up", r#"{"word": "oak"}"#)],
        text: "I have to look first.",
    },
    Known {
        what: "Llama 4 writes JSON where its parser reads Python",
        threads: "vLLM#46863, #16214",
        dialect: "pythonic",
        input: "{\"type\": \"function\", \"name\": \"look_up\", \"parameters\": {\"word\": \"oak\"}}",
        calls: &[("look_up", r#"{"word": "oak"}"#)],
        text: "",
    },
    Known {
        what: "Olmo 3 writes calls by the line, which no parser of lists reads",
        threads: "vLLM#26126, #26143",
        dialect: "olmo3",
        input: "<function_calls>\nlook_up(word='oak')\n</function_calls>",
        calls: &[("look_up", r#"{"word": "oak"}"#)],
        text: "",
    },
    Known {
        what: "the closers of a value and of its call are forgotten: the next call becomes data",
        threads: "sglang#40236",
        dialect: "deepseek-dsml",
        input: "<｜DSML｜tool_calls>\n<｜DSML｜invoke name=\"run\">\n<｜DSML｜parameter name=\"code\" \
                string=\"true\">ls\n<｜DSML｜invoke name=\"look_up\">\n<｜DSML｜parameter name=\"word\" \
                string=\"true\">oak</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜tool_calls>",
        calls: &[("look_up", r#"{"word": "oak"}"#)],
        text: "",
    },
    Known {
        what: "Kimi writes blanks between its tokens",
        threads: "vLLM#31207",
        dialect: "kimi-k2",
        input: "<|tool_calls_section_begin|> <|tool_call_begin|> functions.look_up:0 \
                <|tool_call_argument_begin|> {\"word\": \"oak\"} <|tool_call_end|> \
                <|tool_calls_section_end|>",
        calls: &[("look_up", r#"{"word": "oak"}"#)],
        text: "",
    },
    Known {
        what: "MiniMax M3 writes M2's form",
        threads: "oh-my-pi#2759",
        dialect: "minimax-m3",
        input: "<minimax:tool_call>\n<invoke name=\"look_up\">\n<parameter name=\"word\">oak</parameter>\n\
                </invoke>\n</minimax:tool_call>",
        calls: &[("look_up", r#"{"word": "oak"}"#)],
        text: "",
    },
    Known {
        what: "Devstral writes the tool's name before `[TOOL_CALLS]`",
        threads: "mlx-lm#1307",
        dialect: "mistral",
        input: "look_up[TOOL_CALLS]{\"word\": \"oak\"}",
        calls: &[("look_up", r#"{"word": "oak"}"#)],
        text: "",
    },
];

fn parser(dialect: &str) -> Parser {
    let dialect: Dialect = dialect.parse().unwrap();
    let mut options = Options::default();
    options.tool_limit = None;
    let text = |name| Param::required(name).with(Type::String);
    let tools = [Tool::new("look_up").param(text("word")), Tool::new("run").param(text("code"))];
    Parser::builder(dialect).tools(tools).options(options).build().unwrap()
}

#[test]
fn each_is_read() {
    for known in KNOWN {
        let parser = parser(known.dialect);
        let message = parser.parse(known.input);
        let calls: Vec<(&str, Value)> =
            message.calls().map(|call| (call.name(), json!(call.input()))).collect();
        let expected: Vec<(&str, Value)> = known
            .calls
            .iter()
            .map(|(name, input)| (*name, serde_json::from_str(input).unwrap()))
            .collect();
        assert_eq!(calls, expected, "{}", known.what);
        assert_eq!(message.text().trim(), known.text, "{}", known.what);
        let cuts: Vec<_> = every_cut(known.input.len())
            .into_iter()
            .filter(|cuts| cuts.iter().all(|at| known.input.is_char_boundary(*at)))
            .collect();
        for ended in [Ended::Stop, Ended::Cut] {
            hold(&parser, known.input, &cuts, ended).unwrap_or_else(|broken| panic!("{broken}"));
        }
    }
}

/// The table of the page, between its two marks.
#[test]
fn the_page_says_so() {
    let mut table = String::from("| what goes wrong | threads | dialect |\n|---|---|---|\n");
    for Known { what, threads, dialect, .. } in KNOWN {
        table.push_str(&format!("| {what} | {threads} | `{dialect}` |\n"));
    }
    let page = include_str!("../../docs/known-failures.md");
    let (_, rest) = page.split_once("<!-- known failures -->\n").expect("the table's mark");
    let (written, _) = rest.split_once("<!-- /known failures -->").expect("its end");
    assert_eq!(written, table, "this belongs there:\n{table}");
}
