//! Joined dialects, renamed dialects, and keyword lines in other words.

use std::sync::mpsc::RecvTimeoutError;

use serde_json::{Value, json};
use toolstream::check::{self, Ended};
use toolstream::{
    Dialect, Ending, Event, Param, Parser, Tool, ToolUse, options::Fences, tools::Type,
};

use crate::support::{inputs, samples, soup};

fn both(first: Dialect, second: Dialect) -> Parser {
    let path = Param::required("path").with(Type::String);
    let builder = Parser::builder(first.and(&second)).tools([
        Tool::new("read").param(path),
        Tool::new("delete_user_attribute").param(Param::required("query")),
    ]);
    builder.build().expect("two dialects")
}

fn unlimited(parser: &Parser) -> Parser {
    parser.to_builder().tool_limit(None).build().expect("the same without a limit")
}

fn starts(parser: &Parser, text: &str) -> Vec<(String, usize)> {
    let mut parser = parser.clone();
    let mut events: Vec<Event<String>> = Vec::new();
    events.extend(parser.feed(text).map(|event| event.map(String::from)));
    events.extend(parser.finish().map(|event| event.map(String::from)));
    let start = |event: Event<String>| match event {
        Event::ToolUse(ToolUse::Start { name, dialect, .. }) => Some((name, dialect)),
        _ => None,
    };
    events.into_iter().filter_map(start).collect()
}

/// A model may be told ReAct and trained on the other dialect. Its marker must not be shown, and its call must run.
#[test]
fn a_call_after_text_is_found() {
    let text = "Done. Next I'm going to delete…\n<tool_call>\n\
                {\"name\":\"delete_user_attribute\",\"arguments\":{\"query\":\"qwen\"}}\n</tool_call>";
    let parser = both(Dialect::REACT, Dialect::TOOL_CALL);
    let message = parser.parse(text);
    assert_eq!(message.text().trim_end(), "Done. Next I'm going to delete…");
    let calls: Vec<_> = message.calls().collect();
    assert_eq!(calls.len(), 1);
    assert_eq!(
        (calls[0].name(), &calls[0].input()["query"]),
        ("delete_user_attribute", &"qwen".into())
    );
    assert_eq!(message.ended(), Ending::ToolUse);
    let cuts = check::every_cut(text.len());
    check::hold(&parser, text, &cuts, Ended::Stop).expect("the laws");
    let named = Dialect::by_name("react+tool-call").expect("known names");
    assert_eq!(named, Dialect::REACT.and(Dialect::TOOL_CALL));
}

/// A shape joins any number of dialects. The calls of the third dialect are its own, and no provider's.
#[test]
fn a_shape_joins_any_number() {
    let shape = r#"{"name": "at", "call": "@call {name}: {arguments}@end"}"#;
    let shape = Dialect::from_json(shape).expect("a shape");
    let three = Dialect::HERMES.and(&shape).and(Dialect::INVOKE);
    let builder = Parser::builder(&three).tool(Tool::new("read").param(Param::required("path")));
    let parser = builder.tool_limit(None).build().expect("three dialects");
    let text = "@call read: {\"path\": \"a\"}@end\n\
                <tool_call>{\"name\": \"read\", \"arguments\": {\"path\": \"b\"}}</tool_call>\n\
                <invoke name=\"read\"><parameter name=\"path\">c</parameter></invoke>";
    check::hold(&parser, text, &check::every_cut(text.len()), Ended::Stop).expect("the laws");
    let numbers: Vec<_> = starts(&parser, text).into_iter().map(|(_, dialect)| dialect).collect();
    assert_eq!(numbers, [1, 0, 2]);
    let mut reply = parser.reply();
    reply.feed(text).for_each(drop);
    reply.finish().for_each(drop);
    let calls: Vec<_> = reply.message().calls().map(|call| call.input()["path"].clone()).collect();
    assert_eq!(calls, ["a", "b", "c"]);
    // A provider's own call would have the text of its only parameter here.
    let last = reply.message().calls().last().expect("a call");
    assert_eq!(last.raw(), None);
}

/// Calls of one value, and calls whose values nothing closes, beside tags, beside lines with keywords, and beside carets.
#[test]
fn commands_stand_beside_others() {
    let arguments = json!({"path": "a"});
    let arguments = arguments.as_object().expect("an object");
    let tools = || [Tool::new("read").param(Param::required("path").with(Type::String))];
    let shapes = [
        r#"{"name": "prompt", "call": "$ {value}\n", "tool": "read", "key": "path"}"#,
        r#"{"name": "info", "call": "```{name}\n{value}\n```"}"#,
        r#"{"name": "arrow", "call": "{name}>{value}\n"}"#,
        r#"{"name": "pipes", "call": "[[call: {name}{arguments} ]]", "argument": " | {key}={value}"}"#,
        r#"{"name": "list", "call": "<list>{name}[{arguments}]", "argument": "{value}", "separator": "|"}"#,
    ];
    for shape in shapes.map(|shape| Dialect::from_json(shape).expect("a shape")) {
        for other in
            [Dialect::HERMES, Dialect::REACT, Dialect::CLINE, Dialect::CODE_ASSISTANT_CARET]
        {
            for both in [other.clone().and(&shape), shape.clone().and(&other)] {
                let build =
                    |dialect: &Dialect| Parser::builder(dialect).tools(tools()).tool_limit(None);
                let parser = build(&both).build().expect("two dialects");
                let call = |dialect: &Dialect| {
                    let own = build(dialect).build().expect("a dialect");
                    own.render_call("read", arguments).expect("a call")
                };
                // In a step of ReAct nothing else counts up to its end.
                let calls = [call(&shape), call(&other)].map(|call| call.trim_end().to_string());
                let text = format!("So $ 5, a>b.\n{}\nAnd\n{}\n", calls[0], calls[1]);
                check::hold(&parser, &text, &check::every_cut(text.len()), Ended::Stop)
                    .unwrap_or_else(|broken| panic!("{both}: {broken}"));
                let message = parser.parse(&text);
                let read = message.calls().map(|call| call.input()["path"].clone());
                let read: Vec<_> = read.collect();
                // A fence is text of ReAct, where that is asked first.
                let fenced = both.to_string() == "react+info";
                assert_eq!(read, ["a", "a"][usize::from(fenced)..], "{both}: {text:?}");
                assert!(message.text().starts_with("So $ 5, a>b.\n"), "{both}: {}", message.text());
            }
        }
    }
}

/// A closer is the call's if it is the last one on its line: where the stream is cut before that line ends, neither that
/// call runs nor what stands behind it.
#[test]
fn nothing_runs_behind_a_call_that_is_not_whole() {
    let hermes = "<tool_call>{\"name\": \"read\", \"arguments\": {\"path\": \"b\"}}</tool_call>";
    for (shape, call, whole) in [
        (
            r#"{"name": "pipes", "call": "[[call: {name}{arguments} ]]", "argument": " | {key}={value}"}"#,
            "[[call: read | path=a ]]",
            &["a", "b"][..],
        ),
        (
            r#"{"name": "tag", "call": "<run {name}>{value}</run>"}"#,
            "<run read>a</run>",
            &["a", "b"],
        ),
        // Nothing is given that the tool requires.
        (
            r#"{"name": "list", "call": "<list>{name}[{arguments}]", "argument": "{value}", "separator": "|"}"#,
            "<list>read[]",
            &["b"],
        ),
    ] {
        let shape = Dialect::from_json(shape).expect("a shape");
        let parser = unlimited(&both(shape, Dialect::HERMES));
        let text = format!("{call} {hermes}");
        let run = |text: &str, ended| {
            let events = check::hold(&parser, text, &check::every_cut(text.len()), ended);
            let mut message = parser.message();
            events.expect("the laws").into_iter().for_each(|event| message.push(event));
            message.close();
            message.calls().map(|call| call.input()["path"].clone()).collect::<Vec<_>>()
        };
        assert_eq!(run(&text, Ended::Stop), whole);
        assert_eq!(run(&text, Ended::Cut), Vec::<Value>::new());
        assert_eq!(run(&(text + "\n"), Ended::Cut), whole);
    }
}

#[test]
fn either_opener_ends_a_thought() {
    let parser = both(Dialect::REACT, Dialect::TOOL_CALL);
    let call = "<tool_call>{\"name\": \"read\", \"arguments\": {\"path\": \"a\"}}</tool_call>";
    let message = parser.parse(&format!("Thought: look\n{call}"));
    assert_eq!((message.reasoning().trim(), message.calls().count()), ("look", 1));
    let prose = parser.parse("Thought: use the <tool_call> tag\nAction: read\nAction Input: a");
    assert_eq!(prose.reasoning(), " use the <tool_call> tag\n");
    assert_eq!(prose.calls().count(), 1);
}

/// Dialects with more kinds of prose than text and reasoning, behind another such dialect: each reads its own vectors as it does
/// behind a dialect with these two kinds.
#[test]
fn each_has_its_own_kinds_of_prose() {
    let (harmony, functionary, muse) = (Dialect::HARMONY, Dialect::FUNCTIONARY, Dialect::MUSE);
    for (first, second) in [
        (&harmony, &functionary),
        (&muse, &functionary),
        (&functionary, &muse),
        (&functionary, &harmony),
    ] {
        let (mut same, mut others) = (0, Vec::new());
        for sample in samples::vectors(second.name()) {
            let read = |first: &Dialect| {
                let parser = sample.parser(&first.clone().and(second));
                check::hold(&parser, &sample.text, &[Vec::new()], Ended::Stop).expect("the laws")
            };
            match read(first) == read(&Dialect::HERMES) {
                true => same += 1,
                false => others.push(sample.text),
            }
        }
        // The dialect with two kinds knows this tag, too, so texts with it may differ.
        assert!(
            others.iter().all(|text| text.contains("<think>")),
            "{first}+{second}: {others:#?}"
        );
        assert!(same > 60, "{first}+{second}: {same}");
    }
}

/// All dialects of a list are read at once: a call of each, written as its own dialect writes it, between text.
#[test]
fn any_number_is_read_at_once() {
    let lists: [&[Dialect]; 4] = [
        &[Dialect::HERMES, Dialect::BARE_JSON, Dialect::INVOKE],
        &[Dialect::REACT, Dialect::TOOL_CALL, Dialect::MISTRAL, Dialect::PYTHONIC],
        &[
            Dialect::CLINE,
            Dialect::GLM,
            Dialect::KIMI_K2,
            Dialect::DEEPSEEK_V3,
            Dialect::MINIMAX_M3,
            Dialect::GEMMA4,
            Dialect::CODE_ASSISTANT_CARET,
            Dialect::WRAPPED_JSON,
        ],
        &[Dialect::LFM2, Dialect::JSON_ARRAY, Dialect::PHI4, Dialect::COHERE_COFL],
    ];
    let arguments = json!({"path": "a b.é"});
    for list in lists {
        let all = list.iter().cloned().reduce(|all, other| all.and(other)).expect("some");
        assert_eq!(all.parts().collect::<Vec<_>>(), list);
        let tools = || [Tool::new("read").param(Param::required("path").with(Type::String))];
        let build = |dialect: &Dialect| {
            let builder = Parser::builder(dialect).tools(tools()).tool_limit(None);
            builder.build().expect("built-in dialects")
        };
        let parser = build(&all);
        for (number, own) in list.iter().enumerate() {
            let call = build(own).render_call("read", arguments.as_object().expect("an object"));
            let text = format!("Ein é.\n{}", call.expect("a call"));
            assert_eq!(starts(&parser, &text), [("read".to_string(), number)], "{all}: {text}");
            let message = parser.parse(&text);
            let call = message.calls().next().expect("a call");
            assert_eq!(call.input()["path"], "a b.é", "{all}: {text}");
            let cuts = check::every_cut(text.len());
            check::hold(&parser, &text, &cuts, Ended::Stop).expect("the laws");
        }
    }
}

/// The laws hold for three joined dialects, over the vectors of each and soup of all.
#[test]
fn three_hold_the_laws() {
    let lists = ["hermes+bare-json+invoke", "react+functionary+muse", "minimax-m2+lfm2+mistral"];
    for name in lists {
        let all = Dialect::by_name(name).expect("known names");
        let vectors: Vec<_> = all.parts().flat_map(|part| samples::vectors(part.name())).collect();
        let soup: Vec<_> = (0..60).map(|seed| samples::soup(&vectors, seed)).collect();
        for sample in vectors.iter().step_by(inputs::every()).chain(&soup) {
            let cuts = check::every_cut(sample.text.len());
            for ended in [Ended::Stop, Ended::Cut] {
                let held = check::hold(&sample.parser(&all), &sample.text, &cuts, ended);
                held.unwrap_or_else(|broken| panic!("{name}: {broken}"));
            }
        }
    }
}

/// Any two dialects come to an end, in whatever order. `harmony` and `beam` once took a text from each other forever, so this
/// waits for another thread and gives up.
#[test]
fn every_pair_reads_on() {
    let (done, ended) = std::sync::mpsc::channel();
    let pairs = std::thread::spawn(move || {
        read_every_pair(|pair| done.send(pair.to_string()).expect("somebody waits"));
    });
    let mut last = String::from("none");
    loop {
        match ended.recv_timeout(std::time::Duration::from_secs(60)) {
            Ok(pair) => last = pair,
            Err(RecvTimeoutError::Timeout) => panic!("the pair behind {last} never ends"),
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    pairs.join().expect("the laws");
}

/// Reads two texts with each pair of dialects, and with all dialects at once; `read` is called behind each.
fn read_every_pair(read: impl Fn(&Dialect)) {
    let call = "Hm.\n<|start|>assistant<|channel|>final<|message|>é<|end|>\nThought: a\n>>>read\n{\"path\": 1}";
    for first in Dialect::ALL {
        for second in Dialect::ALL {
            let parser = both(first.clone(), second.clone());
            for text in ["a", call] {
                let cuts = [vec![], (1..text.len()).collect()];
                let held = check::hold(&parser, text, &cuts, Ended::Stop);
                held.unwrap_or_else(|broken| panic!("{first}+{second}: {broken}"));
            }
            read(&first.and(second));
        }
    }
    for all in [Dialect::ALL.to_vec(), Dialect::ALL.iter().rev().cloned().collect()] {
        let all = all.into_iter().reduce(|all, other| all.and(other)).expect("some");
        let parser = both(all.clone(), Dialect::BEAM);
        check::hold(&parser, call, &[Vec::new()], Ended::Stop).expect("the laws");
        read(&all);
    }
}

/// Keyword lines of two kinds at once.
#[test]
fn each_has_its_own_keywords() {
    let words = ["Thought", "Action", "Observation", "Question", "Final Answer"];
    let own = words.map(|word| format!("My {word}"));
    let renames: Vec<(&str, &str)> = words.into_iter().zip(own.iter().map(|own| &**own)).collect();
    let mine = Dialect::REACT.renamed("mine", &renames).expect("its keywords");
    let parser = both(Dialect::REACT, mine);
    for (text, dialect) in [
        ("Action: read\nAction Input: {\"path\": \"a\"}\n", 0),
        ("My Action: read\nMy Action Input: {\"path\": \"a\"}\n", 1),
    ] {
        assert_eq!(starts(&parser, text), [("read".to_string(), dialect)], "{text}");
        let call = parser.parse(text);
        assert_eq!(call.calls().next().expect("a call").input()["path"], "a", "{text}");
    }
}

/// A call of one dialect, written in a plain value of the other, is part of that value.
#[test]
fn in_a_call_only_its_own_markers_count() {
    let parser = both(Dialect::REACT, Dialect::TOOL_CALL);
    let call = "<tool_call>{\"name\": \"read\", \"arguments\": {}}</tool_call>";
    let message = parser.parse(&format!("Action: read\nAction Input: {call}"));
    assert_eq!(message.calls().next().expect("a call").input()["path"], call);
    let json = "{\"path\": </tool_call> 1}";
    let message = parser.parse(&format!("Action: read\nAction Input: {json}"));
    let raw = message.blocks().iter().find_map(|block| match block {
        toolstream::Block::Incomplete(call) => call.raw().map(String::from),
        _ => None,
    });
    assert_eq!(raw.as_deref(), Some(json));
    let lines = "<tool_call>\n<function=read>\n<parameter=path>\nAction: read\nAction Input: b\n\
                 </parameter>\n</function>\n</tool_call>";
    let message = parser.parse(lines);
    let path = &message.calls().next().expect("a call").input()["path"];
    assert_eq!(path, "Action: read\nAction Input: b");
}

#[test]
fn one_limit_counts_for_both() {
    let cline = "<read><path> a </path></read>";
    let other = "<tool_call><function=read><parameter=path> a </parameter></function></tool_call>";
    let parser = both(Dialect::CLINE, Dialect::TOOL_CALL);
    let text = format!("{cline}\n{other}");
    let message = parser.parse(&text);
    assert_eq!((message.ended(), message.calls().count()), (Ending::ToolLimitReached, 1));
    assert_eq!(message.position(), cline.len() + 1);
    // Each value is read as in the dialect of its call.
    let message = unlimited(&parser).parse(&text);
    let paths: Vec<_> = message.calls().map(|call| call.input()["path"].clone()).collect();
    assert_eq!(paths, ["a", " a "]);
    let starts = starts(&unlimited(&parser), &text);
    assert_eq!(starts, [("read".to_string(), 0), ("read".to_string(), 1)]);
}

/// The laws hold over soup of both dialects, one after the other.
#[test]
fn laws_hold_for_two() {
    let pairs = [
        ("react", "tool-call"),
        ("cline", "tool-call"),
        ("code-assistant", "hermes"),
        ("glm", "react"),
    ];
    for seed in 0..6_000 / inputs::every() as u64 {
        let (one, other) =
            (soup::case(&soup::seeded(seed, 40)), soup::case(&soup::seeded(!seed, 40)));
        let (first, second) = pairs[seed as usize % pairs.len()];
        let [first, second] = [first, second].map(|name| Dialect::by_name(name).expect("a name"));
        let tools = soup::case(&soup::seeded(seed, 1)).tools;
        let text = one.text + if seed % 3 == 0 { "\n" } else { "" } + &other.text;
        let builder = Parser::builder(first.and(&second)).tools(tools).options(one.options);
        let parser = builder.build().expect("two dialects");
        let len = text.len();
        let cuts = [vec![], (1..len).collect(), vec![len / 3, len / 2]];
        let cuts: Vec<_> = cuts
            .into_iter()
            .map(|cut| cut.into_iter().filter(|at| (1..len).contains(at)).collect())
            .collect();
        if let Err(broken) = check::hold(&parser, &text, &cuts, Ended::Stop) {
            panic!("seed {seed}, {}: {broken}", first.and(second));
        }
    }
}

/// In a text without the second dialect's markers, the first dialect reads as it does alone.
#[test]
fn the_second_changes_nothing_elsewhere() {
    let mut compared = 0;
    for seed in 0..20_000_u64 {
        let case = soup::case(&soup::seeded(seed, 50));
        let second = match case.dialect.name() {
            "cline" | "react" => Dialect::TOOL_CALL,
            _ => continue,
        };
        let foreign = ["tool_", "<f", "<to", "<|", "<"];
        let strange = if case.dialect == Dialect::REACT { &foreign[..] } else { &foreign[..4] };
        if strange.iter().any(|marker| case.text.contains(marker)) {
            continue;
        }
        let alone = case.parser();
        let builder = Parser::builder(case.dialect.and(second)).tools(case.tools);
        let two = builder.options(case.options).build().expect("two dialects");
        assert_eq!(
            two.parse(&case.text).to_json(),
            alone.parse(&case.text).to_json(),
            "{seed}: {}",
            case.text
        );
        compared += 1;
    }
    assert!(compared > 300, "only {compared} texts were compared");
}

fn reader(dialect: Dialect) -> Parser {
    let read = Tool::new("read").param(Param::required("path"));
    Parser::builder(dialect).tool(read).build().expect("a renamed dialect")
}

/// Relatives that differ only in their texts are `hermes`, renamed.
#[test]
fn relatives_are_renamed() {
    let call = "{\"name\": \"read\", \"arguments\": {\"path\": \"a\"}}";
    let renames: [(&[(&str, &str)], String); 2] = [
        (
            &[("tool_call>", "longcat_tool_call>")],
            format!("<longcat_tool_call>{call}</longcat_tool_call>"),
        ),
        (
            &[("tool_call>", "seed:tool_call>"), ("think>", "seed:think>")],
            format!("<seed:think>hm</seed:think><seed:tool_call>\n{call}\n</seed:tool_call>"),
        ),
    ];
    for (renames, text) in renames {
        let relative = Dialect::HERMES.renamed("relative", renames).expect("its texts");
        assert_eq!((relative.name(), &*relative.to_string()), ("relative", "relative"));
        let parser = reader(relative);
        let message = parser.parse(&format!("Now: <tool_call>\n{text}"));
        assert_eq!(message.text(), "Now: <tool_call>\n");
        assert_eq!(message.calls().next().expect("a call").input()["path"], "a");
        check::hold(&parser, &text, &check::every_cut(text.len()), Ended::Stop).expect("the laws");
        let arguments = message.calls().next().expect("a call").input().clone();
        let written = parser.render_call("read", &arguments).expect("a call that can be written");
        assert!(written.contains(renames[0].1), "{written}");
        assert!(parser.stop_sequences()[0].contains(renames[0].1));
    }
}

/// A rename reaches every text of the grammar, and of the written form.
#[test]
fn a_rename_reaches_every_literal() {
    for (base, from) in [
        (Dialect::CLINE, "think>"),
        (Dialect::CLINE, "error>"),
        (Dialect::CLINE, "content"),
        (Dialect::CODE_ASSISTANT, "tool:"),
        (Dialect::CODE_ASSISTANT, "param:"),
        (Dialect::INVOKE, "function_calls>"),
        (Dialect::INVOKE, "/parameter>"),
        (Dialect::HERMES, "tool_call>"),
        (Dialect::HERMES, "<|im_end|>"),
        (Dialect::GLM, "arg_value>"),
        (Dialect::TOOL_CALL, "tool_response>"),
        (Dialect::REACT, "Observation"),
        (Dialect::REACT, "nothing"),
        (Dialect::REACT, "no tool"),
        (Dialect::REACT, "N/A"),
    ] {
        let other = base.renamed("other", &[(from, "ж")]).expect("a text");
        let said = |dialect: &Dialect| {
            let mut form = dialect.written_form();
            // The names of holes and the words of sentences stay.
            if from.chars().all(char::is_lowercase) {
                form["template"] = Value::Null;
            }
            format!("{form} {:?}", dialect.markers())
        };
        let holes = |dialect: &Dialect| {
            dialect.written_form()["template"]["result"].to_string().matches("{content}").count()
        };
        assert_eq!(holes(&other), holes(&base));
        assert!(!said(&other).replace("{content}", "").contains(from), "{base}: {from}");
    }
}

/// The quotes of strings are renamed for reading and for writing.
#[test]
fn quotes_of_strings_are_renamed() {
    let parser = reader(Dialect::FUNCTIONGEMMA.renamed("mine", &[("<escape>", "<q>")]).unwrap());
    let message = parser.parse("<start_function_call>call:read{path:<q>a}b<q>}<end_function_call>");
    let call = message.calls().next().expect("a call");
    assert_eq!(call.input()["path"], "a}b");
    assert!(parser.render_call("read", call.input()).unwrap().contains("<q>a}b<q>"));
}

/// A word that is also part of a sentence is renamed only in markers.
#[test]
fn sentences_keep_their_words() {
    let base = Dialect::GLM;
    let mine = base.renamed("mine", &[("value", "val")]).expect("texts");
    let prompt = |dialect: &Dialect| dialect.written_form()["template"]["prompt"].clone();
    assert_eq!(prompt(&mine), prompt(&base));
    let parser = reader(mine);
    let text = "<tool_call>read\n<arg_key>path</arg_key>\n<arg_val>a</arg_val>\n</tool_call>";
    let message = parser.parse(text);
    let call = message.calls().next().expect("a call");
    assert_eq!(call.input()["path"], "a");
    assert_eq!(parser.render_call("read", call.input()).expect("a call"), text);
    assert!(parser.system_prompt().contains("a key and a value for each argument"));
}

#[test]
fn a_rename_that_finds_nothing_is_an_error() {
    let told = |base: Dialect, renames: &[(&str, &str)]| {
        base.renamed("mine", renames).unwrap_err().to_string()
    };
    assert_eq!(
        told(Dialect::GLM, &[("arg_key>", "k>"), ("arg_key>", "q>")]),
        "the dialect `mine` has a mistake at `renames[1]`: `glm` holds no `arg_key>`"
    );
    assert_eq!(
        told(Dialect::GLM, &[("", "k>")]),
        "the dialect `mine` has a mistake at `renames[0]`: `glm` holds no ``"
    );
    assert_eq!(
        told(Dialect::QWEN3_CODER, &[("function", "fn")]),
        "the dialect `mine` has a mistake at `renames[0]`: `function` is a fixed part of the grammar of `qwen3-coder`"
    );
    assert_eq!(
        told(Dialect::GLM, &[("<tool_call>", "")]),
        "the dialect `mine` has a mistake at `renames[0]`: `<tool_call>` is all of a marker, and nothing would be left of it"
    );
}

/// Qwen's first function calls, and the steps of DB-GPT and of lagent, are ReAct in other words.
#[test]
fn another_family_of_lines_is_a_renamed_dialect() {
    const QWEN: &[(&str, &str)] = &[
        ("Action Input", "✿ARGS✿"),
        ("Action", "✿FUNCTION✿"),
        ("Observation", "✿RESULT✿"),
        ("Final Answer", "✿RETURN✿"),
    ];
    const DB_GPT: &[(&str, &str)] = &[("Thought", "Phase")];
    const LAGENT: &[(&str, &str)] = &[("Observation", "Response"), ("Final Answer", "Ending")];
    let cases = [
        (
            QWEN,
            "Sure.\n✿FUNCTION✿: read\n✿ARGS✿: {\"path\": \"a\"}\n✿RESULT✿: no\n✿RETURN✿: x",
            "Sure.\n",
            "",
        ),
        (
            DB_GPT,
            "Phase: plan\nPhase: b\nAction: read\nAction Input: a\nObservation: no",
            "",
            " plan\n b\n",
        ),
        (
            LAGENT,
            "Thought: b\nAction: read\nAction Input: \"a\"\nResponse: no\nFinish: x",
            "",
            " b\n",
        ),
    ];
    for (renames, text, shown, thought) in cases {
        let parser = reader(Dialect::REACT.renamed("words", renames).expect("its keywords"));
        let message = parser.parse(text);
        assert_eq!((&*message.text(), &*message.reasoning()), (shown, thought), "{text}");
        assert_eq!(message.calls().next().expect("a call").input()["path"], "a", "{text}");
        assert!(
            message.diagnostics().iter().any(|found| found.kind.as_str() == "fabricated_result")
        );
        check::hold(&parser, text, &check::every_cut(text.len()), Ended::Stop).expect("the laws");
        let prompt = parser.system_prompt();
        for (from, to) in renames {
            assert!(prompt.contains(to) && !prompt.contains(from), "{to} for {from}: {prompt}");
        }
    }
}

#[test]
fn names_of_several() {
    let (one, two, three) = (Dialect::REACT, Dialect::HERMES, Dialect::CLINE);
    let all = one.and(&two).and(&three);
    assert_eq!(Dialect::by_name("react+hermes+cline").expect("known names"), all);
    assert_eq!(one.and(two.and(&three)), all);
    assert_ne!(all, one.and(&two));
    assert_ne!(all, one.and(&three));
    let told = |name: &str| Dialect::by_name(name).unwrap_err().to_string();
    assert!(told("react+x+y").starts_with("unknown dialect `x`"), "{}", told("react+x+y"));
    assert!(told("++").starts_with("unknown dialect ``"), "{}", told("++"));
}

/// The error names the dialect that cannot have the name.
#[test]
fn a_bad_name_is_told_by_the_dialect_of_the_rule() {
    let refused = |dialect: Dialect, name: &str| {
        let built = Parser::builder(dialect).tool(Tool::new(name)).build();
        let told = built.unwrap_err().to_string();
        let (_, rest) = told.split_once("cannot be a tag of ").expect(&told);
        rest.split(':').next().unwrap_or_default().to_string()
    };
    assert_eq!(refused(Dialect::REACT.and(Dialect::CLINE), "a b"), "cline");
    assert_eq!(refused(Dialect::CLINE.and(Dialect::REACT), "a b"), "cline");
    // The tag is the other dialect's, but `cline` is the dialect that makes tags of names.
    let both = Dialect::TOOL_CALL.and(Dialect::CLINE);
    assert_eq!(refused(both, "tool_response"), "cline");
    assert!(Parser::builder(Dialect::TOOL_CALL).tool(Tool::new("a b")).build().is_ok());
}

/// A stream begins as the first dialect's streams do, whichever dialect is joined to it.
#[test]
fn the_first_header_is_the_first_dialects() {
    for (first, text) in
        [(Dialect::FUNCTIONARY, "all\nHi."), (Dialect::HARMONY, "<|channel|>final<|message|>Hi.")]
    {
        for second in [Dialect::REACT, Dialect::HERMES, Dialect::MUSE] {
            let message = both(first.clone(), second.clone()).parse(text);
            assert_eq!(message.text(), "Hi.", "{first}+{second}");
        }
    }
    let message = both(Dialect::REACT, Dialect::FUNCTIONARY).parse("all\nHi.");
    assert_eq!(message.text(), "all\nHi.");
}

/// Next to a dialect of lines, which knows code fences by itself, the other dialect takes code for text, too.
#[test]
fn code_that_quotes_is_text_to_all() {
    let call = "<tool_call>{\"name\": \"read\", \"arguments\": {\"path\": \"a\"}}</tool_call>";
    let parser = both(Dialect::REACT, Dialect::HERMES).to_builder().fences(Fences::Quote);
    let parser = parser.build().expect("two dialects");
    let text = format!("So é:\n```\n{call}\nAction: read\n```\n");
    assert_eq!(parser.parse(&text).calls().count(), 0);
    assert_eq!(parser.parse(&format!("{text}{call}")).calls().count(), 1);
    let cuts = check::every_cut(text.len());
    check::hold(&parser, &text, &cuts, Ended::Stop).expect("the laws");
}
