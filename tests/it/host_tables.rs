//! A host's own table: what makes no sense is an error of `build` with its place, and with all that is
//! left the laws hold.
//!
//! The tables are those of the built-in dialects, spoilt as JSON: whatever a field may hold, some other
//! field of that name or number takes its place. The texts are what the table's own markers look like.

use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};
use toolstream::check::{self, Ended};
use toolstream::{
    Block, CallRef, Dialect, DialectSpec, Event, Options, Param, Parser, Tool, ToolResult, ToolUse,
};

use crate::support::host_tables::case;
use crate::support::markers::table;
use crate::support::soup;

/// A longer run: `PROPTEST_CASES=100000`.
#[test]
#[ignore = "slow: .ci/run runs it"]
fn spoilt_tables_are_refused_or_read() {
    let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    let cases = config.cases.max(400);
    let counts = std::cell::Cell::new([0; 2]);
    let result = TestRunner::new(ProptestConfig { cases, ..config }).run(
        &proptest::collection::vec(any::<u8>(), 20..300),
        |data| {
            let found = case(&data).map_err(TestCaseError::fail)?;
            let mut all = counts.get();
            all[found as usize] += 1;
            counts.set(all);
            Ok(())
        },
    );
    if let Err(error) = result {
        panic!("{error}");
    }
    let [refused, held] = counts.get();
    assert!(refused > cases / 10 && held > cases / 3, "{refused} refused, {held} held");
}

/// The place and the words of the mistake in a table.
#[track_caller]
fn mistake(of: Dialect, spoil: impl FnOnce(&mut Value)) -> (String, String) {
    let mut table = table(&of);
    spoil(&mut table);
    match Parser::builder(dialect(&table)).tools(soup::tools()).build() {
        Err(error) => {
            let place = error.place().expect("a place").to_string();
            let front = format!("the dialect `{of}` has a mistake at `{place}`: ");
            let told = error.to_string();
            (place, told.strip_prefix(&front).expect(&told).to_string())
        }
        other => {
            panic!(
                "{:?}: {:#}",
                other.map(|parser| parser.position()),
                table["prose"][0]["rules"][0]
            )
        }
    }
}

#[track_caller]
fn dialect(table: &Value) -> Dialect {
    Dialect::new(DialectSpec::from_json(&table.to_string()).unwrap())
}

/// Puts a rule first into the first kind of a state, and says where that is.
fn put(table: &mut Value, list: &str, rule: Value) -> String {
    table[list][0]["rules"].as_array_mut().unwrap().insert(0, rule);
    format!("{list}[0].rules[0]")
}

#[test]
fn a_mistake_in_a_rule_has_its_place() {
    let marked = |mark: Value| json!({"mark": mark});
    let many = |count: usize| json!({"mark": vec!["x"; count]});
    let long = |len: usize| "y".repeat(len);
    let run =
        |min: u16, max: u16| json!({"mark": ["x", {"run": "letters", "min": min, "max": max}]});
    let any = |texts: Value| json!({"mark": ["x", {"any": texts}]});
    let known = json!({"name": "tool", "known": "declared"});
    let letters = json!({"run": "letters", "min": 1, "max": 9});
    let run_512 = json!({"run": "letters", "max": 512});
    let (tool, key) = (json!(["<", {"name": "tool"}]), json!(["<", {"name": "param"}]));
    for (list, rule, part, what) in [
        // Markers that have no beginning, or no end.
        ("prose", json!({}), ".mark", "empty"),
        ("prose", marked(json!([""])), ".mark[0]", "empty"),
        ("prose", marked(json!(["x", ""])), ".mark[1]", "empty"),
        ("prose", any(json!([])), ".mark[1]", "no texts"),
        ("prose", any(json!(["a", ""])), ".mark[1]", "empty"),
        ("prose", any(json!(["a", "b", "a"])), ".mark[1]", "twice"),
        ("prose", run(2, 1), ".mark[1]", "no length"),
        // A run takes all that it can, so a letter never comes after it; a digit may.
        (
            "prose",
            json!({"mark": ["<", letters, "end"]}),
            ".mark[1]",
            "of `end`, which therefore never",
        ),
        (
            "prose",
            json!({"mark": ["<", letters, {"any": ["end", "x"]}]}),
            ".mark[1]",
            "never comes after",
        ),
        ("prose", run(0, 0), ".mark[1]", "no length"),
        ("prose", run(0, 513), ".mark[1]", "513 are too many"),
        // What takes the beginning of what follows it.
        ("prose", marked(json!(["x", {"run": "letters", "max": 9}, "yz"])), ".mark[1]", "of `yz`"),
        (
            "prose",
            marked(json!(["x", {"name": "tool"}, {"any": ["a", "b"]}])),
            ".mark[1]",
            "leave that character out",
        ),
        ("prose", marked(json!(["x", {"until": ""}])), ".mark[1]", "empty"),
        ("prose", marked(json!([{"name": "tool"}])), ".mark", "begin with"),
        ("sections", marked(json!([{"run": "white"}, "x"])), ".mark", "begin with"),
        ("values", json!({"mark": [{"ref": "param"}], "does": "pass"}), ".mark", "begin with"),
        ("prose", marked(json!(["x", {"at": "line_start"}])), ".mark[1]", "first piece"),
        ("prose", marked(json!(["x", {"at": "start"}])), ".mark[1]", "first piece"),
        ("prose", marked(json!(["x", {"at": "end"}])), ".mark[1]", "last piece"),
        // A word is a name that must be declared, and a text finds it: in text.
        ("prose", marked(json!(["x", {"at": "word"}, known, "@@"])), ".mark[1]", "first piece"),
        ("prose", marked(json!([{"at": "word"}, {"name": "tool"}, "@@"])), ".mark[0]", "declared"),
        ("prose", marked(json!([{"at": "word"}, known])), ".mark[0]", "and a text"),
        ("sections", marked(json!([{"at": "word"}, known, "@@"])), ".mark[0]", "in text"),
        (
            "prose",
            json!({"mark": ["x"], "follow": [[{"at": "end"}, "x"]]}),
            ".follow[0][0]",
            "last piece",
        ),
        (
            "prose",
            json!({"mark": ["x"], "follow": [["x"], [{"at": "start"}]]}),
            ".follow[1][0]",
            "first piece",
        ),
        ("prose", json!({"mark": ["x"], "follow": [["x"], []]}), ".follow[1]", "empty"),
        ("prose", marked(json!(["x", {"keyword": 0}])), ".mark[1]", "start of a line"),
        ("prose", marked(json!([{"at": "line_start"}, {"keyword": 9}])), ".mark[1]", "no number 9"),
        ("prose", marked(json!(["x", {"tool_line": "any"}])), ".mark[1]", "after a keyword"),
        // Those that are too long.
        ("prose", marked(json!([long(513)])), ".mark[0]", "513 are too many"),
        ("prose", many(41), ".mark", "41 are too many"),
        ("prose", marked(json!(["x", run_512, run_512, run_512, run_512])), ".mark", "2049 bytes"),
        (
            "prose",
            json!({"mark": ["x"], "follow": [[{"until": "y"}, long(512), long(512)]]}),
            ".follow[0]",
            "",
        ),
        (
            "prose",
            json!({"mark": ["x"], "follow": vec![["x"]; 256]}),
            ".follow",
            "256 are too many",
        ),
        ("prose", json!({"mark": ["x"], "fixed": 2}), ".fixed", "2 are too many"),
        // Kinds that are not there.
        ("prose", json!({"mark": ["x"], "open": {"prose": 9}}), ".open", "`prose` has no number 9"),
        (
            "prose",
            json!({"mark": ["x"], "open": {"section": 9}}),
            ".open",
            "`sections` has no number 9",
        ),
        ("prose", json!({"mark": tool, "open": {"call": 9}}), ".open", "`calls` has no number 9"),
        (
            "sections",
            json!({"mark": ["{"], "open": {"body": 9}}),
            ".open",
            "`bodies` has no number 9",
        ),
        ("calls", json!({"mark": key, "param": 9}), ".param", "`values` has no number 9"),
        (
            "calls",
            json!({"mark": ["x"], "close": "call", "then": {"section": 9}}),
            ".then",
            "`sections` has no number 9",
        ),
        // Actions that do not belong where they stand.
        ("prose", json!({"mark": ["x"], "close": "call"}), ".close", "no rule of `prose`"),
        ("prose", json!({"mark": ["x"], "does": "unexpected"}), ".does", "no rule of `prose`"),
        ("prose", json!({"mark": ["{"], "open": {"body": 0}}), ".open", "no rule of `prose`"),
        ("calls", json!({"mark": ["x"], "does": "rest"}), ".does", "no rule of `calls`"),
        ("sections", json!({"mark": ["x"], "close": "body"}), ".close", "no rule of `sections`"),
        ("calls", json!({"mark": ["x"], "does": "pass"}), ".does", "no rule of `calls`"),
        ("calls", json!({"mark": ["x"], "orphan": "call"}), ".orphan", "no rule of `calls`"),
        ("values", marked(json!(["x"])), "", "a rule of `values` must do something"),
        ("values", json!({"mark": tool, "open": {"call": 0}}), ".open", "no rule of `values`"),
        ("bodies", marked(json!(["x"])), "", "a rule of `bodies` must do something"),
        ("prose", json!({"mark": ["x"], "before": true}), ".before", "only what opens or closes"),
        ("prose", json!({"mark": ["x"], "then": {"prose": 0}}), ".then", "only a rule that closes"),
        (
            "calls",
            json!({"mark": ["x"], "close": "call", "then": {"call": 0}}),
            ".then",
            "only prose",
        ),
        // And those that lack what they need.
        ("prose", json!({"mark": ["x"], "open": {"call": 0}}), ".open", "name a tool"),
        ("calls", json!({"mark": ["x"], "param": 0}), ".param", "names no parameter"),
        (
            "calls",
            json!({"mark": ["x"], "param": 0, "named": "remembered"}),
            ".param",
            "the flag `named`",
        ),
        (
            "calls",
            json!({
                "mark": ["x", {"name": "hint"}],
                "needs": ["named"],
                "param": 0,
                "named": "remembered"
            }),
            ".param",
            "the type is for a rule that does `name`",
        ),
        ("calls", json!({"mark": ["x"], "does": "name"}), ".does", "names nothing"),
        ("sections", json!({"mark": ["x"], "open": {"body": 0}}), ".open", "end with `{`"),
        (
            "sections",
            json!({"mark": ["x{"], "at_end": "prefix", "open": {"body": 0}}),
            ".open",
            "half a marker",
        ),
    ] {
        let mut place = String::new();
        let found = mistake(Dialect::TOOL_CALL, |table| place = put(table, list, rule) + part);
        assert_eq!(found.0, place, "{}", found.1);
        assert!(found.1.contains(what), "{place}: {}", found.1);
    }
}

/// Pieces that mean something in some places of a pattern alone, and names that must be as their places ask.
#[test]
fn a_piece_stands_where_it_means_something() {
    let follow = |element: Value| json!({"mark": ["x"], "follow": [element]});
    let marked = |mark: Value| json!({"mark": mark});
    let known = || json!({"name": "tool", "known": "declared"});
    let word = |key: &str, value: Value| {
        let mut name = known();
        name[key] = value;
        json!({"mark": [{"at": "word"}, name, "@@"]})
    };
    let tool = json!({"tool": ["a"]});
    for (rule, part, what) in [
        (marked(json!(["x", {"at": "quote"}])), ".mark[1]", "all of a marker"),
        (marked(json!([{"at": "quote"}, "x"])), ".mark[0]", "all of a marker"),
        (follow(json!([{"at": "quote"}])), ".follow[0][0]", "all of a marker"),
        (follow(json!([{"not_next": "white"}, "x"])), ".follow[0][0]", "cannot be the first"),
        (follow(json!(["y", tool])), ".follow[0][1]", "in a marker, after its first piece"),
        (marked(json!([tool, "x"])), ".mark[0]", "in a marker, after its first piece"),
        (
            follow(json!([{"at": "word"}, known(), "@@"])),
            ".follow[0][0]",
            "first piece of a marker",
        ),
        (word("quoted", json!("quoted")), ".mark[0]", "declared tool and a text"),
        (word("prefix", json!("p")), ".mark[0]", "declared tool and a text"),
        (word("entities", json!(true)), ".mark[0]", "declared tool and a text"),
        (word("glued", json!(true)), ".mark[0]", "declared tool and a text"),
        (marked(json!(["x", {"name": "tool", "glued": true}])), ".mark[1]", "`glued` is declared"),
        (marked(json!([{"at": "line_start"}, {"keyword": 0}])), ".mark[1]", "no number 0"),
    ] {
        let mut place = String::new();
        let found = mistake(Dialect::TOOL_CALL, |table| place = put(table, "prose", rule) + part);
        assert_eq!(found.0, place, "{}", found.1);
        assert!(found.1.contains(what), "{place}: {}", found.1);
    }
}

/// Arguments begin with a brace, in a dialect that quotes its strings with a token, too.
#[test]
fn arguments_begin_with_a_brace() {
    let open = json!({"mark": ["x"], "open": {"body": 0}});
    let found = mistake(Dialect::GEMMA4, |table| _ = put(table, "calls", open));
    assert_eq!(found, ("calls[0].rules[0].open".into(), "its marker must end with `{`".into()));
}

/// What a pattern may hold is counted piece by piece, and each of its tags has a bound of its own.
#[test]
fn the_bytes_of_a_pattern_are_counted() {
    let run = |len: u16| json!({"run": "letters", "max": len});
    let tags = json!({"mark": ["<a", run(512), "><b", run(512), "><c", run(512), "><d", run(512)]});
    let found = mistake(Dialect::TOOL_CALL, |table| _ = put(table, "prose", tags));
    assert_eq!(found.1, "it may have 2050 bytes: at most 2000 are held");
    // A keyword's line: 128 bytes of a word, 256 of a line, and white space.
    let line = |len: u16| {
        let after = [json!("x"), run(512), run(512), run(len)];
        json!({
            "mark": [{"at": "line_start"}, {"keyword": 0}, {"tool_line": "any"}],
            "follow": [after],
            "orphan": "call",
        })
    };
    let found = mistake(Dialect::REACT, |table| _ = put(table, "prose", line(512)));
    assert_eq!(found.1, "it may have 2433 bytes: at most 2000 are held");
}

/// The rules in words: what must stand shows, white space as a blank of its own, and what may be missing does not.
#[test]
fn rules_in_words_show_what_must_stand() {
    let mut table = table(&Dialect::TOOL_CALL);
    let run = |of: &str, min: u8| json!({"run": of, "min": min, "max": 9});
    let mark = json!(["<a", run("white", 1), "b", run("letters", 1), run("white", 0), "=>"]);
    put(&mut table, "prose", json!({"mark": mark, "orphan": "call"}));
    assert_eq!(dialect(&table).spec().rules()[0].mark, "<a   b … =>");
}

/// A run of one length ends by itself: what begins like it may come after it.
#[test]
fn a_run_of_one_length_ends_by_itself() {
    let mut table = table(&Dialect::TOOL_CALL);
    let two = json!({"run": "letters", "min": 2, "max": 2});
    put(&mut table, "prose", json!({"mark": ["@", two, "yz"], "orphan": "call"}));
    let parser = Parser::builder(dialect(&table)).build().unwrap();
    let message = parser.parse("@abyz");
    assert_eq!(message.text(), "");
}

/// Words before a text: each whole, `word=` with a name after it; the text right behind `<`, behind a word if no letter
/// begins it.
#[test]
fn words_before_a_text() {
    let counts = |text: &str, words: &[&str], to: &str| {
        let mut table = table(&Dialect::TOOL_CALL);
        let until = json!({"until": to, "words": words});
        put(&mut table, "prose", json!({"mark": ["@<", until], "orphan": "call"}));
        let parser = Parser::builder(dialect(&table)).build().unwrap();
        check::hold(&parser, text, &check::every_cut(text.len()), Ended::Stop).unwrap();
        parser.parse(text).text().is_empty()
    };
    let words = ["ab", "xyz", "a=", "b=\"q\""];
    for (text, counted) in [
        ("@<>", true),
        ("@<ab>", true),
        ("@<ab xyz>", true),
        ("@<xy >", false),
        ("@<xy>", false),
        ("@<xyzab>", false),
        ("@<a=name>", true),
        ("@<a=name ab>", true),
        ("@<b=\"q\">", true),
        ("@<b=\"q\" a=z>", true),
        ("@<b=x>", false),
    ] {
        assert_eq!(counts(text, &words, ">"), counted, "{text}");
    }
    for (text, counted) in [("@<end", true), ("@<ab end", true), ("@<abend", false)] {
        assert_eq!(counts(text, &["ab"], "end"), counted, "{text}");
    }
}

/// What must begin a line behind a marker.
#[test]
fn a_line_begins_behind_a_marker() {
    let mut table = table(&Dialect::TOOL_CALL);
    let rule = json!({"mark": ["@@"], "follow": [[{"at": "line_start"}, "x"]], "orphan": "call"});
    put(&mut table, "prose", rule);
    let parser = Parser::builder(dialect(&table)).build().unwrap();
    for (text, left) in [("@@\nx", "\nx"), ("@@ \n x", " \n x"), ("@@x", "@@x"), ("@@ x", "@@ x")] {
        check::hold(&parser, text, &check::every_cut(text.len()), Ended::Stop).unwrap();
        assert_eq!(parser.parse(text).text(), left, "{text:?}");
    }
}

/// A word begins with a letter or `_`, and an id of a declared tool may stand behind a text.
#[test]
fn names_in_markers() {
    let parser = |mark: Value, names: [&str; 2]| {
        let open = json!({"mark": mark, "follow": [["{"]], "open": {"call": 0}});
        let dialect = dialect(&json!({
            "name": "at",
            "prose": [{"rules": [open]}, {"reasoning": true}],
            "calls": [{"rules": [{"mark": ["{"], "open": {"body": 0}}]}],
            "bodies": [{"gives": "arguments"}],
        }));
        let tools = names.map(toolstream::Tool::new);
        Parser::builder(&dialect).tools(tools).tool_limit(None).build().unwrap()
    };
    let known = json!({"name": "tool", "known": "declared", "word": true});
    let word = json!([{"at": "word"}, known, "@"]);
    let id = json!(["@@", {"name": "tool_id", "known": "declared"}]);
    for (mark, names, text, calls) in [
        (&word, ["9x", "_x"], "a 9x@{} _x@{}", &["_x"][..]),
        (&id, ["read", "list"], "a @@read:0{} @@rea:0{} @@list:12{}", &["read", "list"]),
    ] {
        let parser = parser(mark.clone(), names);
        check::hold(&parser, text, &check::every_cut(text.len()), Ended::Stop).unwrap();
        let message = parser.parse(text);
        let called: Vec<&str> = message.calls().map(|call| call.name()).collect();
        assert_eq!(called, calls, "{text}");
    }
}

/// At the end of the stream a marker lacks what must come of a run.
#[test]
fn the_end_is_no_run() {
    let mut table = table(&Dialect::TOOL_CALL);
    let [white, letters] =
        [("white", 0), ("letters", 1)].map(|(run, min)| json!({"run": run, "min": min, "max": 9}));
    put(&mut table, "prose", json!({"mark": ["@@", white, letters], "orphan": "call"}));
    let parser = Parser::builder(dialect(&table)).build().unwrap();
    for (text, left) in [("@@", "@@"), ("@@  ", "@@  "), ("@@  a", ""), ("@@a", ""), ("@@ a ", " ")]
    {
        check::hold(&parser, text, &check::every_cut(text.len()), Ended::Stop).unwrap();
        assert_eq!(parser.parse(text).text(), left, "{text:?}");
    }
}

/// The call that a prompt shows, of the names that the table has for it.
#[test]
fn a_prompt_shows_a_call() {
    for (placeholders, shown) in [
        (json!({"name": "my_tool"}), r#"{"name": "my_tool", "arguments": {}}"#),
        (json!({"params": [["k", "v"]]}), r#"{"name": "tool_name", "arguments": {"k": "v"}}"#),
        (json!({}), r#"{"name": "tool_name", "arguments": {"parameter_name": "value"}}"#),
    ] {
        let mut table = table(&Dialect::HERMES);
        table["template"]["prompt"]["placeholders"] = placeholders;
        let parser = Parser::builder(dialect(&table)).tools(soup::tools()).build().unwrap();
        let prompt = parser.system_prompt();
        assert!(prompt.contains(shown), "{shown}: {prompt}");
    }
}

/// The number of a call and of a result, from 0 and from 1.
#[test]
fn calls_and_results_are_numbered() {
    let mut table = table(&Dialect::HERMES);
    table["template"]["call"]["open"] =
        json!("<tool_call>\n{\"id\": \"{index}/{number}\", \"name\": {json_name}, \"arguments\": ");
    table["template"]["result"]["ok"] = json!("{index}/{number} {content}");
    let dialect = dialect(&table);
    let parser = Parser::builder(&dialect).tools(soup::tools()).tool_limit(None).build().unwrap();
    let arguments = json!({"path": "x"});
    let call = CallRef::new("read", arguments.as_object().unwrap());
    let calls = parser.render_calls(&[call, call]).unwrap();
    for number in ["\"0/1\"", "\"1/2\""] {
        assert!(calls.contains(number), "{calls}");
    }
    let results = [ToolResult::ok("read", "a"), ToolResult::ok("read", "b")];
    let results = dialect.render_results(&results);
    for number in ["0/1 a", "1/2 b"] {
        assert!(results.contains(number), "{results}");
    }
}

#[test]
fn a_mistake_beside_the_rules_has_its_place() {
    for (pointer, wrong, place, what) in [
        ("/raw", json!(9), "raw", "no number 9"),
        ("/entry", json!({"section": 9}), "entry", "no number 9"),
        ("/entry", json!({"call": 0}), "entry", "begins in prose"),
        ("/thought", json!(9), "thought", "no number 9"),
        ("/boundary", json!(["y", ""]), "boundary[1]", "empty"),
        ("/nests", json!(["[", "[/"]), "nests", "elements are tags"),
        ("/nests", json!(["[", "</"]), "nests", "elements are tags"),
        ("/nests", json!(["<", "[/"]), "nests", "elements are tags"),
        ("/prose", json!([{}]), "prose", "two kinds"),
        ("/values", json!(vec![json!({}); 101]), "values", "101 are too many"),
        ("/bodies/0/then", json!({"call": 0}), "bodies[0].then", "only prose"),
        ("/keywords/1/words", json!([]), "keywords[1].words", "none"),
        ("/keywords/1/words/0", json!(" "), "keywords[1].words[0]", "empty"),
        ("/keywords/1/words", json!(vec!["y"; 33]), "keywords[1].words", "33 are too many"),
        ("/keywords/1/words/0", json!("y ".repeat(9)), "keywords[1].words[0]", "9 are too many"),
    ] {
        let found = mistake(Dialect::REACT, |table| {
            let (parent, key) = pointer.rsplit_once('/').unwrap();
            match table.pointer_mut(parent).unwrap() {
                Value::Array(items) => items[key.parse::<usize>().unwrap()] = wrong,
                table => table[key] = wrong,
            }
        });
        assert_eq!(found.0, place, "{}", found.1);
        assert!(found.1.contains(what), "{place}: {}", found.1);
    }
    let nameless = Parser::builder(dialect(&json!({}))).build().unwrap_err();
    assert_eq!(nameless.to_string(), "the dialect `` has a mistake at `name`: it is empty");
}

/// A host's keywords have the bounds of a table's.
#[test]
fn answer_keywords_have_bounds() {
    let build = |keywords: Vec<String>| {
        let mut options = Options::default();
        options.answer_keywords = Some(keywords);
        Parser::builder(Dialect::REACT).options(options).build().map(drop)
    };
    let refused = |keywords: Vec<String>| build(keywords).unwrap_err().to_string();
    let number = |number| format!("Answer {number}");
    assert_eq!(build((0..32).map(number).chain([" ".into()]).collect()), Ok(()));
    for (keywords, expected) in [
        ((0..33).map(number).collect(), "`Answer 32` cannot be read: 33 are too many"),
        (vec!["a ".repeat(9)], "cannot be read: 9 are too many"),
        (vec!["a".repeat(129)], "cannot be read: 129 are too many"),
    ] {
        let error = refused(keywords);
        assert!(error.contains(expected), "{error}");
    }
}

/// As many rules as there may be count, and no more are taken: their numbers are bits.
#[test]
fn too_many_rules_are_told() {
    let many = |count: usize| -> Value {
        (0..count)
            .map(|number| json!({"mark": [format!("<x{number}>")], "close": "call"}))
            .collect()
    };
    let mut spec = table(&Dialect::CLINE);
    // Only the value that the table itself names is left: no rule opens one.
    let raw = spec["raw"].as_u64().unwrap() as usize;
    let raw = spec["values"][raw].take();
    (spec["values"], spec["raw"]) = (json!([raw]), json!(0));
    spec["calls"][0]["rules"] = many(62);
    let mut parser = Parser::builder(dialect(&spec)).tools(soup::tools()).build().unwrap();
    let ends = |event: &Event<&str>| matches!(event, Event::ToolUse(ToolUse::End { .. }));
    assert_eq!(parser.feed("<read><path>a</path></read>").filter(ends).count(), 0);
    assert_eq!(parser.feed("<x61>").filter(ends).count(), 1, "the last one counts");
    let found = mistake(Dialect::CLINE, |spec| spec["calls"][0]["rules"] = many(63));
    assert_eq!(found.0, "calls[0].rules");

    // Alternatives multiply.
    let ways = |pieces: usize| {
        let two = |number| json!({"any": [format!("a{number}"), format!("b{number}")]});
        json!({"mark": (0..pieces).map(two).collect::<Value>(), "close": "call"})
    };
    // Those of what follows, too: each of 16 with each of 16, two pieces in each of 60.
    let any: Vec<String> = (b'a'..=b'p').map(|letter| char::from(letter).to_string()).collect();
    let follow = vec![json!(["y", {"any": any}]); 60];
    let rule = json!({"mark": ["x", {"any": any}], "follow": follow, "close": "call"});
    let found = mistake(Dialect::CLINE, |spec| spec["calls"][0]["rules"] = json!([rule]));
    let what = "with all their alternatives they have 30752 pieces: there may be 16384";
    assert_eq!(found, ("calls[0].rules".into(), what.into()));
    for (pieces, count, place) in [(9, 1, "calls[0].rules[0].mark"), (8, 9, "calls[0].rules")] {
        let rules = vec![ways(pieces); count];
        let found = mistake(Dialect::CLINE, |spec| spec["calls"][0]["rules"] = json!(rules));
        assert_eq!(found.0, place, "{}", found.1);
    }
}

#[test]
fn rules_that_take_no_byte_lead_nowhere_twice() {
    let what = "rules that act before their markers lead back here in a circle";
    let blanks = json!({"run": "blank", "max": 8});
    for rule in [
        json!({"mark": [{"at": "line_start"}]}),
        json!({"mark": [{"at": "start"}, blanks], "orphan": "call"}),
        json!({"mark": [{"at": "line_start"}, {"ref": "call"}], "does": "pass"}),
        json!({"mark": [{"at": "start"}], "open": {"prose": 0}}),
        json!({"mark": [{"at": "line_start"}, {"name": "tool", "optional": true}]}),
        json!({"mark": [{"at": "line_start"}, {"not_next": "white"}]}),
        json!({"mark": [{"at": "line_start"}, {"tool": ["a"]}]}),
    ] {
        let found = mistake(Dialect::TOOL_CALL, |spec| _ = put(spec, "prose", rule));
        assert_eq!(found, ("prose[0].rules".into(), what.into()));
    }
    // What stands in a section that only takes white space ends it, and is read again: this rule leads
    // back to the section, and nobody can tell from the table that it will.
    let mut spec = table(&Dialect::TOOL_CALL);
    spec["sections"][0]["between"] = json!({"only": "white"});
    let back = json!({"mark": ["@"], "before": true, "close": "prose", "then": {"section": 0}});
    put(&mut spec, "prose", back);
    let parser = Parser::builder(dialect(&spec)).tools(soup::tools()).build().unwrap();
    for text in ["@", "a@b@", "@@ @\n@"] {
        check::hold(&parser, text, &check::every_cut(text.len()), Ended::Stop).unwrap();
    }
}

/// What can never count is a mistake: nobody means it, and it costs time where a parser is built.
#[test]
fn what_never_counts_is_told() {
    let list = |table: &mut Value, list: &str, kind: Value| {
        table.as_object_mut().unwrap().entry(list).or_insert(json!([]));
        let kinds = table[list].as_array_mut().unwrap();
        kinds.push(kind);
        format!("{list}[{}]", kinds.len() - 1)
    };
    for kind in ["prose", "sections", "calls", "values", "bodies"] {
        let mut place = String::new();
        let body = if kind == "bodies" { json!({"gives": "call"}) } else { json!({}) };
        let found = mistake(Dialect::QWEN3_CODER, |table| place = list(table, kind, body));
        assert_eq!(found, (place, "nothing opens it: no rule leads here".into()));
    }

    // What a body says comes after it is opened, too, if the body is.
    let after_body = |table: &mut Value, body: usize| {
        let section = list(table, "sections", json!({}));
        let number: u8 = section["sections[".len()..section.len() - 1].parse().unwrap();
        table["bodies"][body]["then"] = json!({"section": number});
        section
    };
    let mut opened = table(&Dialect::HERMES);
    after_body(&mut opened, 0);
    assert_eq!(Parser::builder(dialect(&opened)).build().map(drop), Ok(()));
    let mut place = String::new();
    let found = mistake(Dialect::HERMES, |table| {
        assert_eq!(list(table, "bodies", json!({"gives": "call"})), "bodies[1]");
        place = after_body(table, 1);
    });
    assert_eq!(found, (place, "nothing opens it: no rule leads here".into()));

    let rules = |first: Value, second: Value| {
        let found = |table: &mut Value| {
            let (first, second) = (first.clone(), second.clone());
            put(table, "prose", second);
            put(table, "prose", first);
        };
        let mut table = table(&Dialect::HERMES);
        found(&mut table);
        Parser::builder(dialect(&table)).build().map(drop).map_err(|error| error.to_string())
    };
    let any = json!({"mark": [{"any": ["@a", "@b"]}]});
    let follow = |all: &[&str]| json!({"mark": ["@"], "follow": [all]});
    let digits = json!({"run": {"only": "0123456789"}, "max": 9});
    for (first, second) in [
        (json!({"mark": ["@"]}), json!({"mark": ["@"]})),
        (json!({"mark": ["@"]}), json!({"mark": ["@@"], "orphan": "call"})),
        (json!({"mark": ["@"]}), json!({"mark": ["@", {"name": "tool"}], "follow": [["x"]]})),
        (any.clone(), json!({"mark": ["@a"], "needs": ["line_start"]})),
        (follow(&["x"]), follow(&["xy"])),
        (json!({"mark": ["@", digits, "x"]}), json!({"mark": ["@", digits, "xy"]})),
    ] {
        let error = rules(first.clone(), second.clone()).unwrap_err();
        let what =
            "at `prose[0].rules[1]`: it never counts: whatever it fits, `rules[0]` fits first";
        assert!(error.contains(what), "{first} {second}: {error}");
    }
    for (first, second) in [
        (json!({"mark": ["@@"]}), json!({"mark": ["@"]})),
        (json!({"mark": ["@a"]}), any),
        (follow(&["xy"]), follow(&["x"])),
        (follow(&["x"]), json!({"mark": ["@"]})),
        (json!({"mark": ["@"], "needs": ["line_start"]}), json!({"mark": ["@"]})),
        (json!({"mark": ["@"], "not": ["reasoning"]}), json!({"mark": ["@"]})),
        // Half of it may mean something at the end of the stream.
        (json!({"mark": ["@"]}), json!({"mark": ["@@"], "at_end": "prefix", "fixed": 1})),
        (json!({"mark": ["@"]}), json!({"mark": ["@@"], "at_end": "prefix"})),
    ] {
        assert_eq!(rules(first.clone(), second.clone()), Ok(()), "{first} {second}");
    }
}

/// A second dialect is checked as the first is, and named.
#[test]
fn the_mistake_names_its_dialect() {
    let mut spec = table(&Dialect::GLM);
    (spec["name"], spec["raw"]) = (json!("mine"), json!(9));
    let error = Parser::builder(Dialect::REACT.and(dialect(&spec))).build().unwrap_err();
    assert_eq!(
        error.to_string(),
        "the dialect `mine` has a mistake at `raw`: `values` has no number 9, only 2"
    );
}

/// `[[calls]]`, in it `NAME {JSON}` or `NAME: text` a line, `[[/calls]]`; `note:` lines are reasoning.
#[test]
fn a_table_of_ones_own() {
    let name =
        |end: &str| json!([{"at": "line_start"}, {"name": "tool", "known": "declared"}, end]);
    let dialect = dialect(&json!({
        "name": "lines",
        "about": "a call a line",
        "prose": [
            {"rules": [
                {"mark": ["[[calls]]"], "needs": ["line_start"], "open": {"section": 0}},
                {"mark": [{"at": "line_start"}, "note:"], "open": {"prose": 1}},
            ]},
            {"reasoning": true, "rules": [{"mark": ["\n"], "close": "prose"}]},
        ],
        "sections": [{"rules": [
            {"mark": name(" "), "open": {"call": 0}},
            {"mark": name(": "), "open": {"call": 1}},
            {"mark": ["[[/calls]]"], "close": "section"},
        ]}],
        "calls": [
            {"rules": [{"mark": [{"at": "start"}, "{"], "open": {"body": 0}}]},
            {"rules": [{"mark": [{"at": "start"}], "param": 0, "named": "only_one"}]},
        ],
        "bodies": [{"gives": "arguments"}],
        "values": [{"rules": [{"mark": ["\n"], "close": "call"}]}],
        "template": {
            "call": {"open": "[[calls]]\n{name} ", "close": "\n[[/calls]]"},
            "result": {"ok": "{name} gave: {content}"},
        },
    }));
    let parser = Parser::builder(&dialect).tools(soup::tools()).tool_limit(None).build().unwrap();
    let text = "Now:\nnote: both\n[[calls]]\nread: a b\nwrite {\"path\": \"c\"}\n[[/calls]]\n!";
    check::hold(&parser, text, &check::every_cut(text.len()), Ended::Stop).unwrap();
    let message = parser.parse(text);
    let calls: Vec<_> = message.calls().map(|call| (call.name(), &call.input()["path"])).collect();
    assert_eq!(calls, [("read", &json!("a b")), ("write", &json!("c"))]);
    assert_eq!(message.text(), "Now:\n\n!");

    let arguments = json!({"path": "x"});
    let call = parser.render_call("read", arguments.as_object().unwrap()).unwrap();
    assert_eq!(call, "[[calls]]\nread {\"path\": \"x\"}\n[[/calls]]");
    let result = ToolResult::ok("read", "x");
    assert_eq!(dialect.render_results(&[result]), "read gave: x");
}

/// `NAME@{JSON}` is a call, and so is `@NAME{JSON}`; in prose either is text.
#[test]
fn a_call_that_begins_with_its_name() {
    let known = json!({"name": "tool", "known": "declared"});
    let opens = |mark: Value| json!({"mark": mark, "follow": [["{"]], "open": {"call": 0}});
    let dialect = dialect(&json!({
        "name": "at",
        "prose": [
            {"rules": [opens(json!(["@", known])), opens(json!([{"at": "word"}, known, "@"]))]},
            {"reasoning": true},
        ],
        "calls": [{"rules": [{"mark": ["{"], "open": {"body": 0}}]}],
        "bodies": [{"gives": "arguments"}],
    }));
    let parser = Parser::builder(&dialect).tools(soup::tools()).tool_limit(None).build().unwrap();
    let text = "To read@home, or re, reread@{} a.read@{} \u{e9}read@{} @read. read@{\"path\": \"a\"} \
        @write{\"path\": \"b\"}read@ {\"path\": \"c\"}, r\u{e9}.d@{}read";
    check::hold(&parser, text, &check::every_cut(text.len()), Ended::Stop).unwrap();
    let message = parser.parse(text);
    let calls = message.calls().map(|call| format!("{} {}", call.name(), json!(call.input())));
    let expected = ["read {'path':'a'}", "write {'path':'b'}", "read {'path':'c'}", "r\u{e9}.d {}"];
    assert_eq!(calls.collect::<Vec<_>>(), expected.map(|call| call.replace('\'', "\"")));
    let prose = "To read@home, or re, reread@{} a.read@{} \u{e9}read@{} @read.  , read";
    assert_eq!(message.text(), prose);
}

/// A section of lines in which another marker stands, too: it counts where a line's marker could have begun.
#[test]
fn a_line_that_calls_nobody_may_hold_another_marker() {
    let line = |rest: Value| {
        let mut mark = vec![json!({"at": "line_start"})];
        mark.extend(rest.as_array().unwrap().iter().cloned());
        json!(mark)
    };
    let known = json!({"name": "tool", "known": "declared"});
    let blanks = json!({"run": "blank", "max": 9});
    let dialect = dialect(&json!({
        "name": "lines",
        "prose": [{"rules": [{"mark": ["[["], "open": {"section": 0}}]}, {"reasoning": true}],
        "sections": [{
            "between": {"only": "white"},
            "rules": [
                {"mark": line(json!([blanks, "[x", known, ":"])), "open": {"call": 0}},
                {"mark": ["[[end]]"], "close": "section"},
            ],
        }],
        "calls": [{"rules": [{"mark": ["{"], "open": {"body": 0}}]}],
        "bodies": [{"gives": "arguments"}],
    }));
    let parser = Parser::builder(&dialect).tools(soup::tools()).tool_limit(None).build().unwrap();
    let blank = " ".repeat(100);
    for (text, left) in [
        ("[[\n[xread:{}\n[[end]]b", "b"),
        ("[[[[end]]b", "b"),
        ("[[\n[[end]]b", "b"),
        ("[[\n[[en]]b", "en]]b"),
        ("[[\n  [[end]]b", "b"),
        ("[[\n            [[end]]b", "b"),
        ("[[\n  [y\n[[end]]b", "[y\nend]]b"),
        ("[[\n  b", "  b"),
        ("[[\n            \n\n", ""),
        ("[[\n            b", "            b"),
        (&format!("[[\n[xread:{{}}\n\n\n{blank}\n{blank}"), ""),
    ] {
        check::hold(&parser, text, &check::every_cut(text.len()), Ended::Stop).unwrap();
        assert_eq!(parser.parse(text).text(), left, "{text:?}");
    }
}

/// The arguments of each call of a text, or that it is not whole; the laws hold at every cut.
#[track_caller]
fn calls(dialect: &Dialect, tools: Vec<Tool>, text: &str) -> Vec<String> {
    let parser = Parser::builder(dialect).tools(tools).tool_limit(None).build().unwrap();
    check::hold(&parser, text, &check::every_cut(text.len()), Ended::Stop).unwrap();
    let shown = |block: &Block| match block {
        Block::Call(call) => Some(format!("{} {}", call.name(), json!(call.input()))),
        Block::Incomplete(call) => Some(format!("{} is not whole", call.name())),
        _ => None,
    };
    parser.parse(text).blocks().iter().filter_map(shown).collect()
}

fn tool(name: &str, param: &str) -> Tool {
    Tool::new(name).param(Param::optional(param))
}

/// `[[NAME]]<PARAM>value</>[[/]]`, of letters.
fn brackets() -> Value {
    json!({
        "name": "brackets",
        "prose": [
            {"rules": [{"mark": ["[[", {"name": "tool", "chars": "letters"}, "]]"], "open": {"call": 0}}]},
            {"reasoning": true},
        ],
        "calls": [{"rules": [
            {"mark": ["<", {"name": "param", "chars": "letters"}, ">"], "param": 0, "named": "captured"},
            {"mark": ["[[/]]"], "close": "call"},
        ]}],
        "values": [{"rules": [{"mark": ["</>"], "close": "value"}]}],
    })
}

/// An opener that captures no element leaves none of the call before.
#[test]
fn an_element_is_that_of_its_own_call() {
    let mut table = brackets();
    let element =
        json!(["<a:", {"name": "tool", "chars": "letters"}, " ", {"name": "element"}, ">"]);
    put(&mut table, "prose", json!({"mark": element, "open": {"call": 0}}));
    put(&mut table, "calls", json!({"mark": ["[/", {"ref": "element"}, "]"], "close": "call"}));
    let tools = vec![tool("read", "x"), tool("list", "x")];
    let called = calls(&dialect(&table), tools, "<a:read y>[/y][[list]]<x>1</>[/y][/]!");
    assert_eq!(called, ["read {}", "list {\"x\":\"1\"}"]);
    let text = "<a:read y>[/y][[list]][/y]<x>1</>[/]";
    let called = calls(&dialect(&table), vec![tool("list", "x")], text);
    assert_eq!(called[1..], ["list {\"x\":\"1\"}"], "an empty name closes, not the one before");
}

/// White space that is too long to be framing stays so behind what is reported of it.
#[test]
fn a_long_run_of_white_space_is_no_framing_however_it_is_read() {
    let mut table = brackets();
    table["values"][0]["framing"] = json!("white");
    put(&mut table, "values", json!({"mark": ["\t"], "does": "pass", "note": "malformed_tag"}));
    let long = " ".repeat(300);
    for (white, left) in [(" \t \t ", ""), (&*format!("{long}\t \t "), &*format!("{long}\t \t "))] {
        let text = format!("[[read]]<x>y{white}</>[[/]]");
        let value = format!("read {}", json!({"x": format!("y{left}")}));
        assert_eq!(calls(&dialect(&table), vec![tool("read", "x")], &text), [value]);
    }
}

/// Names of tools, as a table asks for them: ids, entities, prefixes, quotes.
#[test]
fn names_are_looked_up_as_the_table_says() {
    let known = |name: Value| {
        let mut table = brackets();
        table["prose"][0]["rules"][0]["mark"][1] = name;
        table["calls"][0]["rules"][0]["mark"][1]["known"] = json!("declared");
        dialect(&table)
    };
    let id = known(json!({"name": "tool_id", "known": "if_declared"}));
    let text = "[[read:1]][[/]][[other:2]][[/]]";
    assert_eq!(calls(&id, vec![tool("read", "x")], text), ["read {}"]);
    assert_eq!(calls(&id, vec![], text), ["read {}", "other {}"]);

    // What is no entity to the table is no other tool's name.
    let [two, one] = ["a&b", "c"].map(|name| tool(name, "x"));
    let text = "[[a&amp;b]]<x>1</>[[/]]";
    let plain = known(json!({"name": "tool", "chars": {"except": "]"}}));
    assert_eq!(calls(&plain, vec![two.clone(), one.clone()], text), ["a&amp;b is not whole"]);
    let decoded = known(json!({"name": "tool", "chars": {"except": "]"}, "entities": true}));
    assert_eq!(calls(&decoded, vec![two, one], text), ["a&b {\"x\":\"1\"}"]);

    // The prefix is no part of the name, though a tool has a name with it.
    let prefix = known(json!({"name": "tool", "known": "declared", "prefix": "f."}));
    let tools = vec![tool("f.read", "x"), tool("read", "y")];
    let text = "[[f.read]]<x>1</><y>2</>[[/]]";
    assert_eq!(calls(&prefix, tools, text), ["read {\"y\":\"2\"}"]);

    // A quote in the middle of a name opens none.
    let quoted = known(json!({"name": "tool", "quoted": "name"}));
    let text = "[[r\u{e9}\"d\"]] [[\"r\u{e9}d\"]]<x>1</>[[/]]";
    assert_eq!(calls(&quoted, vec![tool("r\u{e9}d", "x")], text), ["r\u{e9}d {\"x\":\"1\"}"]);
}

/// Where a prefix of a marker is enough, so is one before a name of which nothing has come.
#[test]
fn the_stream_may_end_before_a_name() {
    let mut table = brackets();
    let mark = json!(["{{", {"name": "tool"}, "}}"]);
    let closer = json!({"mark": mark, "at_end": "prefix", "fixed": 1, "orphan": "call"});
    put(&mut table, "prose", closer);
    let parser = Parser::builder(dialect(&table)).build().unwrap();
    for (text, left) in [("a {{", "a "), ("a {{r", "a "), ("a {", "a {"), ("a {{ ", "a {{ ")] {
        check::hold(&parser, text, &check::every_cut(text.len()), Ended::Stop).unwrap();
        assert_eq!(parser.parse(text).text(), left);
    }
}

/// A value may hold its own closer, whichever rule that is: what asks for it is told.
#[test]
fn a_value_that_holds_its_closer_is_noticed() {
    let mut table = brackets();
    table["values"][0]["rules"] = json!([
        {"mark": ["#"], "does": "pass"},
        {"mark": ["$"], "not": ["holds_closer"], "close": "call"},
        {"mark": ["</>"], "follow": [["[[/]]"]], "close": "value"},
    ]);
    let dialect = dialect(&table);
    let called = |text| calls(&dialect, vec![tool("read", "x")], text);
    assert_eq!(called("[[read]]<x>a</>b$c</>[[/]]"), ["read {\"x\":\"a</>b$c\"}"]);
    assert_eq!(called("[[read]]<x>ab$"), ["read {\"x\":\"ab\"}"]);
}

/// A marker that is longer than its bound breaks the value it stands in, though its rarest sign comes last.
#[test]
fn a_run_that_is_too_long_breaks_its_call() {
    let mut table = brackets();
    let end = json!({"mark": ["(", {"run": "white"}, "/v>"], "close": "value"});
    table["values"][0]["rules"] = json!([end]);
    for (blanks, expected) in [(256, "read {\"x\":\"y\"}"), (257, "read is not whole")] {
        let text = format!("[[read]]<x>y({}/v>[[/]]", " ".repeat(blanks));
        assert_eq!(calls(&dialect(&table), vec![tool("read", "x")], &text), [expected]);
    }
}

/// What may stand between lines that call somebody: blank lines, also at the end of the stream, and other markers
/// where no line's may begin.
#[test]
fn blank_lines_stand_between_lines() {
    let mut table = brackets();
    table["prose"][0]["rules"] = json!([{"mark": ["[["], "open": {"section": 0}}]);
    let named = json!([{"at": "line_start"}, {"name": "tool", "known": "declared"}, ":"]);
    let section = |line: Value| {
        let named = json!({"mark": named, "open": {"call": 0}});
        json!({"between": {"only": "white"}, "rules": [named, line]})
    };
    let indented = json!([{"at": "line_start"}, {"run": "blank", "max": 9}, "x"]);
    let [blank, longest] = [100, 256].map(|blanks| " ".repeat(blanks));
    for (line, text, left) in [
        (json!({"mark": indented}), format!("[[\n{longest}\nread:[[/]]"), ""),
        (json!({"mark": indented}), format!("[[\n{blank}\nread:[[/]]\n\n\n{blank}\n{blank}"), ""),
        (json!({"mark": ["]]"], "close": "section"}), "[[\nread:[[/]]\n  ]]a".into(), "a"),
        (json!({"mark": ["]]"], "close": "section"}), "[[\nread:[[/]]\n  a".into(), "a"),
    ] {
        table["sections"] = json!([section(line)]);
        let dialect = dialect(&table);
        assert_eq!(calls(&dialect, vec![tool("read", "x")], &text), ["read {}"]);
        let parser = Parser::builder(&dialect).tool(tool("read", "x")).build().unwrap();
        assert_eq!(parser.parse(&text).text(), left, "{text:?}");
    }
}

/// A call that begins with a line of its own, and one that does not: what stood before it has left.
#[test]
fn what_follows_nothing_may_begin_a_line() {
    let mut table = brackets();
    let ends = json!({"any": ["]]", "]>\n"]});
    table["prose"][0]["rules"][0]["mark"][2] = ends;
    let line = json!([[{"at": "line_start"}, "!"]]);
    let start = json!({"mark": [{"at": "start"}], "follow": line, "param": 0, "named": "only_one"});
    put(&mut table, "calls", start);
    let dialect = dialect(&table);
    for before in ["", " "] {
        let text = [before, "[[read]>\n!a</>[[/]]", "[[read]]!b[[/]]"].concat().repeat(5);
        let called = calls(&dialect, vec![tool("read", "x")], &text);
        assert_eq!(called, ["read {\"x\":\"!a\"}", "read is not whole"].repeat(5));
    }
}

/// The text before which a name is looked for leaves at once where no name stands before it.
#[test]
fn a_text_behind_no_name_does_not_wait() {
    let known = json!({"name": "tool", "known": "declared"});
    let mark = json!([{"at": "word"}, known, "@@"]);
    let mut table = brackets();
    put(&mut table, "prose", json!({"mark": mark, "follow": [["{"]], "open": {"call": 0}}));
    put(&mut table, "prose", json!({"mark": ["<<<"], "needs": ["called"]}));
    put(&mut table, "calls", json!({"mark": ["{"], "open": {"body": 0}}));
    table["bodies"] = json!([{"gives": "arguments"}]);
    let tools = vec![tool("read", "x")];
    let mut parser = Parser::builder(dialect(&table)).tools(tools).build().unwrap();
    for sign in ["a", " ", "@", "@", "<", "<", "b"] {
        let text: Vec<_> = parser.feed(sign).collect();
        assert_eq!(text, [Event::TextContent(sign)]);
    }
    let starts = |event: Event<&str>| matches!(event, Event::ToolUse(ToolUse::Start { .. }));
    assert!(parser.feed("c read@@{}").any(starts));
}
