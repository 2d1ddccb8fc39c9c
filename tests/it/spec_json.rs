//! A table as JSON: what is written reads back equal, what is wrong is an error with its place.

use serde_json::{Value, json};
use toolstream::{Dialect, DialectSpec, JsonError};

fn table(spec: &DialectSpec) -> Value {
    serde_json::to_value(spec).unwrap()
}

#[test]
fn every_built_in_table_reads_back_equal() {
    for dialect in Dialect::ALL {
        let spec = dialect.spec();
        assert_eq!(spec.name(), dialect.name());
        assert_eq!(&DialectSpec::from_json(&spec.to_json()).unwrap(), spec, "{dialect}");
        assert_eq!(&serde_json::from_value::<DialectSpec>(table(spec)).unwrap(), spec, "{dialect}");
    }
}

/// What people read: what fits stands on one line, and a text may hold whatever JSON is written with.
#[test]
fn a_table_is_laid_out() {
    let table = json!({
        "name": "mine",
        "about": "\"{[,:]}\\\" ",
        "prose": [
            {"rules": [
                {"mark": ["<a>,\"", {"name": "tool"}], "open": {"call": 0}},
                {"mark": [{"any": ["a long text, which does not fit any line", "beside another: of that length"]}], "orphan": "call"},
            ]},
            {"reasoning": true},
        ],
        "calls": [{}],
    });
    let spec = DialectSpec::from_json(&table.to_string()).unwrap();
    let expected = r#"{
  "name": "mine",
  "about": "\"{[,:]}\\\" ",
  "prose": [
    {
      "rules": [
        {"role": "opener of a call", "mark": ["<a>,\"", {"name": "tool"}], "open": {"call": 0}},
        {
          "role": "closer of a call that nothing opened",
          "mark": [
            {"any": ["a long text, which does not fit any line", "beside another: of that length"]}
          ],
          "orphan": "call"
        }
      ]
    },
    {"reasoning": true}
  ],
  "calls": [{}]
}"#;
    assert_eq!(spec.to_json(), expected);
    for dialect in Dialect::ALL {
        let text = dialect.spec().to_json();
        let short = |line: &str| line.len() <= 100 || !line.trim_start().starts_with(['{', '[']);
        assert!(text.lines().all(short), "{dialect}");
    }
}

/// What people write by hand. What is as by default is left out, also where somebody wrote it.
#[test]
fn defaults_are_left_out() {
    let long = json!({
        "name": "mine",
        "about": "",
        "tag_names": false,
        "entry": {"prose": 0},
        "calls_in_reasoning": "ignore",
        "prose": [
            {
                "reasoning": false,
                "answer": false,
                "rules": [{
                    "mark": [
                        "[[",
                        {
                            "name": "tool", "chars": "name", "known": "any", "prefix": "",
                            "optional": false, "not": [], "entities": false
                        },
                        {"run": "white", "min": 0, "max": 256},
                        {"until": "]]", "unless": []}
                    ],
                    "follow": [],
                    "needs": [],
                    "not": [],
                    "at_end": "payload",
                    "fixed": 0,
                    "noise": false,
                    "open": {"call": 0},
                    "before": false,
                    "sets": [],
                    "clears": []
                }]
            },
            {"reasoning": true}
        ],
        "sections": [{"rules": [], "between": {"junk": "white"}, "calls": true}],
        "calls": [{
            "rules": [{"mark": ["="], "param": 0, "named": "captured"}],
            "between": {"junk": "white"},
            "whole_at_end": false
        }],
        "values": [{"rules": [], "framing": "none", "whole_at_end": false}],
        "bodies": [{"gives": {"params": {"quote": "", "by_schema": false, "python": false, "unescaped": false}}, "rules": []}],
        "boundary": [],
        "stripped": false,
        "raw_params": [],
        "diff_params": [],
        "singulars": false,
        "ids": false,
        "hints": [],
        "hints_yield": false,
        "input": "input",
        "keywords": [],
        "lines": {"no_call": [], "no_call_phrases": [], "no_input": [], "ends_block": []},
        "id": "",
        "template": {
            "prompt": {"text": "", "tool": "", "between": "", "example": "", "placeholders": {"name": "", "params": []}},
            "call": {"section_open": "", "open": "", "arguments": "json", "close": "", "between": "", "section_close": ""},
            "result": {"open": "", "ok": "", "error": "", "between": "", "close": ""},
            "stop": {"after_call": [], "invented": []}
        }
    });
    let short = json!({
        "name": "mine",
        "prose": [
            {
                "rules": [{
                    "mark": ["[[", {"name": "tool"}, {"run": "white"}, {"until": "]]"}],
                    "open": {"call": 0}
                }]
            },
            {"reasoning": true}
        ],
        "sections": [{}],
        "calls": [{"rules": [{"mark": ["="], "param": 0}]}],
        "values": [{}],
        "bodies": [{"gives": {"params": {}}}]
    });
    let spec = DialectSpec::from_json(&long.to_string()).unwrap();
    assert_eq!(table(&spec), short);
    assert_eq!(DialectSpec::from_json(&short.to_string()).unwrap(), spec);
}

/// A table that has this rule in text, as it is written.
fn rule(rule: &Value) -> Result<Value, JsonError> {
    let own = json!({"name": "mine", "prose": [{"rules": [rule]}, {"reasoning": true}]});
    DialectSpec::from_json(&own.to_string())
        .map(|spec| table(&spec)["prose"][0]["rules"][0].clone())
}

#[test]
fn what_is_not_as_by_default_is_kept() {
    let every = json!({
        "mark": [
            {"any": ["a", "b"]},
            {"run": "blank", "min": 1, "max": 9},
            {"until": "|", "unless": ["x"]},
            {
                "name": "param", "chars": "word", "quoted": "quoted", "known": "fresh", "prefix": "$",
                "optional": true, "not": ["y"], "entities": true
            },
            {"ref": "marker"},
            {"at": "line_end"},
            {"keyword": 3},
            {"tool_line": "paren"}
        ],
        "follow": [["c"], [{"at": "end"}]],
        "needs": ["line_start", "called"],
        "not": ["quoted"],
        "at_end": "listed",
        "fixed": 2,
        "noise": true,
        "note": "missing_closer",
        "sets": ["broken"],
        "clears": ["owed"]
    });
    assert_eq!(rule(&every).unwrap(), every);
    for does in [
        json!({"open": {"prose": 1}}),
        json!({"open": {"section": 2}}),
        json!({"open": {"call": 3}, "before": true}),
        json!({"open": {"body": 4}}),
        json!({"param": 0, "named": "remembered"}),
        json!({"param": 1, "named": "input"}),
        json!({"param": 2, "named": "only_one"}),
        json!({"close": "section", "then": {"prose": 0}}),
        json!({"orphan": "call"}),
        json!({"does": "name"}),
        json!({"does": "unexpected"}),
        json!({"does": "pass"}),
        json!({"does": "rest"}),
    ] {
        let mut marked = json!({"mark": ["x"]});
        marked.as_object_mut().unwrap().extend(does.as_object().unwrap().clone());
        assert_eq!(rule(&marked).unwrap(), marked);
    }
}

#[test]
fn classes_of_characters_have_names() {
    let name = "$+-./0123456789:@ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz";
    let word = name.replace(['$', '+', '/', ':', '@'], "");
    for (chars, expected) in [
        (json!("white"), json!("white")),
        (json!({"only": "\n\r \t"}), json!("white")),
        (json!({"only": " \t"}), json!("blank")),
        (json!({"only": ('A'..='Z').chain('a'..='z').collect::<String>()}), json!("letters")),
        (json!({"letters_and": name}), json!("name")),
        (json!({"only": word}), json!("word")),
        (json!({"except": " \t\r\n<>\"'/\\="}), json!("bare")),
        (json!({"except": "<\n"}), json!("quoted")),
        (json!({"only": "ba"}), json!({"only": "ab"})),
        (json!({"except": "\u{7f}\""}), json!({"except": "\"\u{7f}"})),
        (json!({"letters_and": format!("{name}#")}), json!({"letters_and": format!("#{name}")})),
    ] {
        let read = rule(&json!({"mark": ["x", {"run": chars}]})).unwrap();
        assert_eq!(read["mark"][1]["run"], expected);
    }
}

#[test]
fn a_mistake_has_its_place() {
    for (at, wrong, place, what) in [
        ("", json!({"nmae": 1}), "nmae", "unknown field `nmae`"),
        ("/calls/0", json!({"rulse": []}), "calls[0].rulse", "unknown field `rulse`"),
        ("/template/call", json!({"opne": ""}), "template.call.opne", "unknown field `opne`"),
        (
            "/values/0/rules/0/mark/0",
            json!(1),
            "values[0].rules[0].mark[0]",
            "a text, or an object",
        ),
        ("/values/0/rules/0/mark/0", json!({"lti": ""}), "values[0].rules[0].mark[0].lti", "`lti`"),
        (
            "/values/0/rules/0/mark/0",
            json!({}),
            "values[0].rules[0].mark[0]",
            "one of any, run, until, name, ref, at, not_next, tool, near, object, keyword, tool_line",
        ),
        (
            "/values/0/rules/0/mark/0",
            json!({"at": "start", "ref": "call"}),
            "values[0].rules[0].mark[0]",
            "one of any, run, ",
        ),
        (
            "/values/0/rules/0/mark/0",
            json!({"name": "tool", "max": 3}),
            "values[0].rules[0].mark[0]",
            "`max` does not belong beside `name`",
        ),
        (
            "/values/0/rules/0/mark/0",
            json!({"run": {"only": "é"}}),
            "values[0].rules[0].mark[0].run",
            "`é` is none",
        ),
        (
            "/prose/0/rules/0/needs",
            json!(["line_strat"]),
            "prose[0].rules[0].needs",
            "unknown flag `line_strat`: the flags are line_start, ",
        ),
        (
            "/prose/0/rules/0/note",
            json!("stray"),
            "prose[0].rules[0].note",
            "unknown diagnostic `stray`: use one of unknown_tool, ",
        ),
        ("/template/call", json!(["<x>"]), "template.call", "sequence, expected an object"),
        ("/calls/0/rules/0/param", json!(256), "calls[0].rules[0].param", "256"),
        (
            "/calls/0/rules/0",
            json!({"close": "call"}),
            "calls[0].rules[0]",
            "a rule has one of open, param, close, orphan, does",
        ),
        (
            "/values/0/rules/0",
            json!({"named": "input"}),
            "values[0].rules[0]",
            "`named` belongs beside `param`",
        ),
    ] {
        let mut table = table(Dialect::CLINE.spec());
        table["prose"][0]["rules"][0]["needs"] = json!([]);
        table["prose"][0]["rules"][0]["note"] = json!("stray_text");
        match (table.pointer_mut(at).unwrap(), wrong) {
            (Value::Object(table), Value::Object(wrong)) => table.extend(wrong),
            (table, wrong) => *table = wrong,
        }
        let error = DialectSpec::from_json(&table.to_string()).unwrap_err();
        assert_eq!(error.place(), Some(place), "{error}");
        assert!(error.to_string().contains(what), "{error}");
    }
    let list = DialectSpec::from_json(r#"["x"]"#).unwrap_err();
    assert!(list.to_string().contains("invalid type: sequence, expected an object"), "{list}");
    for text in ["{", "{} {}", "{\"name\": \"a\",}"] {
        let error = DialectSpec::from_json(text).unwrap_err();
        assert!(error.place().is_none(), "{error}");
    }
}

/// A table that has every part once.
fn every_part() -> Value {
    json!({
        "name": "mine",
        "calls_in_reasoning": "ignore",
        "prose": [{"rules": [{
            "mark": [
                {"name": "tool", "chars": "name", "known": "any"},
                {"ref": "call"},
                {"at": "start"},
                {"tool_line": "any"}
            ],
            "needs": ["called"],
            "at_end": "known",
            "open": {"call": 0}
        }]}, {}],
        "sections": [{"between": {"only": "white"}}],
        "calls": [{"rules": [{"param": 0, "named": "input"}, {"close": "call"}, {"does": "pass"}]}],
        "values": [{"framing": "none"}],
        "bodies": [{"gives": {"params": {}}}],
        "hints": [["x", "json"]],
        "keywords": [{"words": ["x"]}],
        "lines": {},
        "template": {
            "prompt": {"placeholders": {}, "limits": {}},
            "call": {"arguments": {"params": {"line_breaks": "always"}}},
            "result": {},
            "stop": {}
        }
    })
}

/// The page on tables, which is all that a host has to write one.
const PAGE: &str = include_str!("../../src/dialect/tables.md");

/// Whatever a table may hold stands on the page: what is not known is an error that lists what is.
#[test]
fn the_page_says_all() {
    assert!(DialectSpec::from_json(&every_part().to_string()).is_ok());
    let piece = |number: usize, key: &str| format!("/prose/0/rules/0/mark/{number}{key}");
    let mut told = 0;
    for at in [
        "",
        "/calls_in_reasoning",
        "/prose/0",
        "/prose/0/rules/0",
        &piece(0, ""),
        &piece(0, "/name"),
        &piece(0, "/chars"),
        &piece(0, "/known"),
        &piece(1, "/ref"),
        &piece(2, "/at"),
        &piece(3, "/tool_line"),
        "/prose/0/rules/0/needs/0",
        "/prose/0/rules/0/at_end",
        "/prose/0/rules/0/open",
        "/sections/0",
        "/sections/0/between",
        "/calls/0",
        "/calls/0/rules/0/named",
        "/calls/0/rules/1/close",
        "/calls/0/rules/2/does",
        "/values/0",
        "/values/0/framing",
        "/bodies/0",
        "/bodies/0/gives",
        "/bodies/0/gives/params",
        "/hints/0/1",
        "/keywords/0",
        "/lines",
        "/template",
        "/template/prompt",
        "/template/prompt/placeholders",
        "/template/prompt/limits",
        "/template/call",
        "/template/call/arguments",
        "/template/call/arguments/params",
        "/template/call/arguments/params/line_breaks",
        "/template/result",
        "/template/stop",
    ] {
        let mut table = every_part();
        match table.pointer_mut(at).unwrap() {
            // Of the kinds of a thing that are written as `{"kind": …}` there is one.
            Value::Object(one)
                if ["open", "between", "gives", "arguments"]
                    .iter()
                    .any(|key| at.ends_with(key)) =>
            {
                *one = serde_json::from_value(json!({"?": 0})).unwrap();
            }
            Value::Object(fields) => _ = fields.insert("?".into(), json!(0)),
            word => *word = json!("?"),
        }
        let error = DialectSpec::from_json(&table.to_string()).unwrap_err();
        assert!(error.place().is_some(), "{at}: {error}");
        let what = error.to_string();
        let (_, list) = what.split_once("`?`").expect(at);
        let list = list.split(" at line ").next().unwrap();
        let words = list.split(|c: char| !c.is_ascii_lowercase() && c != '_');
        let grammar = ["", "expected", "one", "of", "or", "the", "flags", "are", "use"];
        for word in words.filter(|word| !grammar.contains(word)) {
            let said = [
                format!("`{word}`"),
                format!("\"{word}\""),
                format!(".{word}`"),
                format!("`{word}."),
            ];
            assert!(said.iter().any(|said| PAGE.contains(said)), "{at}: `{word}` of {list}");
            told += 1;
        }
    }
    assert!(told > 200, "only {told} words were looked for");
}

/// Patterns and rules with names are put in where they are used, and a name at fault is told.
#[test]
fn names_are_put_in() {
    let with = |names: &str, rules: &str| {
        let table = format!("{{\"name\": \"x\", {names}, \"prose\": [{{\"rules\": [{rules}]}}]}}");
        DialectSpec::from_json(&table)
    };
    let plain = DialectSpec::from_json(
        r#"{"name": "x", "prose": [{"rules": [
            {"mark": ["a", "b"], "follow": [["b", "c"]], "needs": ["called", "fenced"], "orphan": "call"}
        ]}]}"#,
    );
    let names = r#""let": {"b": ["b"], "bc": [{"use": "b"}, "c"]},
        "groups": {"one": [{"mark": ["a", {"use": "b"}], "follow": [[{"use": "bc"}]], "needs": ["called"]}]}"#;
    let used = with(names, r#"{"use": "one", "needs": ["fenced"], "orphan": "call"}"#);
    assert_eq!(used.unwrap(), plain.unwrap());
    for (names, rules, told) in [
        (r#""let": {}"#, r#"{"mark": [{"use": "x"}]}"#, "let: there is no `x`"),
        (r#""let": {"x": [{"use": "x"}]}"#, r#"{"mark": [{"use": "x"}]}"#, "let: `x` leads back"),
        (r#""let": {"x": "a"}"#, r#"{"mark": [{"use": "x"}]}"#, "let: `x` must be a list"),
        (r#""groups": []"#, "", "groups: must be an object"),
        (
            r#""groups": {"a": [{"mark": ["a"]}, {"mark": ["b"]}], "b": [{"use": "a"}, {"use": "a"}, {"use": "a"}], "c": [{"use": "b"}, {"use": "b"}, {"use": "b"}, {"use": "b"}, {"use": "b"}, {"use": "b"}, {"use": "b"}, {"use": "b"}, {"use": "b"}, {"use": "b"}, {"use": "b"}, {"use": "b"}, {"use": "b"}, {"use": "b"}, {"use": "b"}, {"use": "b"}], "d": [{"use": "c"}, {"use": "c"}, {"use": "c"}, {"use": "c"}, {"use": "c"}, {"use": "c"}, {"use": "c"}, {"use": "c"}, {"use": "c"}, {"use": "c"}, {"use": "c"}, {"use": "c"}, {"use": "c"}, {"use": "c"}, {"use": "c"}, {"use": "c"}], "e": [{"use": "d"}, {"use": "d"}, {"use": "d"}, {"use": "d"}, {"use": "d"}, {"use": "d"}, {"use": "d"}, {"use": "d"}]}"#,
            r#"{"use": "e"}"#,
            "groups: they put in more than",
        ),
        (
            r#""let": {"x": ["a"]}"#,
            r#"{"mark": [{"use": "x", "min": 1}]}"#,
            "let: nothing stands beside",
        ),
    ] {
        let error = with(names, rules).unwrap_err().to_string();
        assert!(error.starts_with(told), "{error}");
    }
}
