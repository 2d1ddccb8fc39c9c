//! A table as JSON: what is written reads back equal, what is wrong is an error with its place.
#![cfg(feature = "json")]

use serde_json::{Value, json};
use toolstream::spec::{
    CallKind, Chars, DialectSpec, Flags, Framing, Name, Place, Scope, ValueKind, WS, rule,
};
use toolstream::{Dialect, pattern};

#[test]
fn every_built_in_table_reads_back_equal() {
    for dialect in Dialect::ALL {
        let text = serde_json::to_string(dialect.spec()).unwrap();
        assert_eq!(&DialectSpec::from_json(&text).unwrap(), dialect.spec(), "{dialect}");
    }
}

/// What people write by hand. What is as by default is left out.
#[test]
fn a_table_is_readable() {
    let mut spec = DialectSpec::new("mine", "brackets", Default::default());
    let tool = Name::tool();
    let key = Name::param().chars(Chars::except("=\n")).prefix("$");
    spec.prose[0].rules = vec![
        rule(pattern!["[[", tool, "]]"])
            .follow([pattern![WS, "@"]])
            .needs(Flags::LINE_START)
            .open(Place::Call(0)),
    ];
    spec.calls = vec![CallKind::new(vec![rule(pattern!["@", key, "="]).param(0)])];
    let close = rule(pattern![&["\n", "]]"][..]]).close(Scope::Value);
    spec.values = vec![ValueKind::new(Framing::LineBreak, vec![close])];
    spec.template.call.open = "[[{name}]]".into();
    let expected = json!({
        "name": "mine",
        "about": "brackets",
        "prose": [
            {
                "rules": [{
                    "mark": ["[[", {"name": {"of": "tool"}}, "]]"],
                    "follow": [[{"run": {"chars": "white"}}, "@"]],
                    "needs": ["line_start"],
                    "action": {"what": {"open": {"call": 0}}}
                }]
            },
            {"reasoning": true}
        ],
        "calls": [{
            "rules": [{
                "mark": [
                    "@",
                    {"name": {"of": "param", "chars": {"except": "\n="}, "prefix": "$"}},
                    "="
                ],
                "action": {"what": {"param": [0, "captured"]}}
            }]
        }],
        "values": [{
            "rules": [{"mark": [{"any": ["\n", "]]"]}], "action": {"what": {"close": "value"}}}],
            "framing": "line_break"
        }],
        "template": {"call": {"open": "[[{name}]]"}}
    });
    assert_eq!(serde_json::to_value(&spec).unwrap(), expected);
    assert_eq!(DialectSpec::from_json(&expected.to_string()).unwrap(), spec);
}

#[test]
fn classes_of_characters_have_names() {
    for (chars, expected) in [
        (Chars::WHITE, json!("white")),
        (Chars::BLANK, json!("blank")),
        (Chars::LETTERS, json!("letters")),
        (Chars::NAME, json!("name")),
        (Chars::WORD, json!("word")),
        (Chars::BARE, json!("bare")),
        (Chars::QUOTED, json!("quoted")),
        (Chars::only("ba"), json!({"only": "ab"})),
        (Chars::except("\"\u{7f}"), json!({"except": "\"\u{7f}"})),
        (Chars::NAME.and("#"), json!({"letters_and": format!("#{}", ascii(Chars::NAME))})),
    ] {
        assert_eq!(serde_json::to_value(chars).unwrap(), sorted(expected.clone()));
        assert_eq!(serde_json::from_value::<Chars>(expected).unwrap(), chars);
    }
}

fn ascii(chars: Chars) -> String {
    (0..0x80_u8).map(char::from).filter(|c| chars.has(*c)).collect()
}

/// A class is written in the order of ASCII.
fn sorted(mut class: Value) -> Value {
    for list in class.as_object_mut().into_iter().flatten() {
        let mut chars: Vec<char> = list.1.as_str().unwrap().chars().collect();
        chars.sort_unstable();
        *list.1 = chars.into_iter().collect::<String>().into();
    }
    class
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
            json!({"run": {"chars": {"only": "é"}}}),
            "values[0].rules[0].mark[0].run.chars",
            "`é` is none",
        ),
        (
            "/prose/0/rules/0/needs",
            json!(["line_strat"]),
            "prose[0].rules[0].needs",
            "unknown flag `line_strat`: the flags are line_start, ",
        ),
        (
            "/prose/0/rules/0/action/note",
            json!("stray"),
            "prose[0].rules[0].action.note",
            "unknown diagnostic `stray`: use one of unknown_tool, ",
        ),
        (
            "/calls/0/rules/0/action/what",
            json!({"param": [256, "input"]}),
            "calls[0].rules[0].action.what.param[0]",
            "256",
        ),
    ] {
        let mut table = serde_json::to_value(Dialect::CLINE.spec()).unwrap();
        table["prose"][0]["rules"][0]["needs"] = json!([]);
        table["prose"][0]["rules"][0]["action"]["note"] = json!("stray_text");
        match (table.pointer_mut(at).unwrap(), wrong) {
            (Value::Object(table), Value::Object(wrong)) => table.extend(wrong),
            (table, wrong) => *table = wrong,
        }
        let error = DialectSpec::from_json(&table.to_string()).unwrap_err();
        assert_eq!(error.place(), Some(place), "{error}");
        assert!(error.to_string().contains(what), "{error}");
    }
    for text in ["{", "{} {}", "{\"name\": \"a\",}"] {
        let error = DialectSpec::from_json(text).unwrap_err();
        assert!(error.place().is_none(), "{error}");
    }
}
