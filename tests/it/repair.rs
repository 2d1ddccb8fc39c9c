//! Tool arguments: the texts that are read, the repairs that they need, and the texts that are refused.

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use toolstream::repair::ArgumentsErrorKind::{
    self, Empty, Malformed, NotAnObject, TooDeep, Truncated,
};
use toolstream::repair::Repair::{self, *};
use toolstream::repair::{Arguments, Repairs, arguments};

type Error = ArgumentsErrorKind;

const ALL: [Repair; 12] = [
    Bom,
    Fence,
    DoubleEncoded,
    Comment,
    TrailingComma,
    Quotes,
    UnquotedKey,
    PythonLiteral,
    RawControl,
    BadEscape,
    LoneSurrogate,
    ExtraCloser,
];

#[track_caller]
fn reads(text: &str, object: Value, repairs: &[Repair]) {
    match arguments(text, Repairs::Default) {
        Ok(read) => {
            assert_eq!(Value::Object(read.object), object, "{text}");
            assert_eq!(read.repairs, repairs, "{text}");
        }
        Err(error) => panic!("{text}: {error}"),
    }
    // Without repairs, JSON reads equal, and anything else is refused.
    match arguments(text, Repairs::None) {
        Ok(read) => {
            assert_eq!(Value::Object(read.object), object, "{text}");
            assert!(repairs.is_empty() && read.repairs.is_empty(), "{text}");
        }
        Err(error) => {
            assert!(!repairs.is_empty(), "{text}: {error}");
            assert_eq!((error.kind, error.closed), (Malformed, Map::new()), "{text}");
        }
    }
}

#[track_caller]
fn fails(text: &str, kind: Error) -> Map<String, Value> {
    let error = arguments(text, Repairs::Default).expect_err(text);
    assert_eq!(error.kind, kind, "{text}");
    assert!(kind == Truncated || error.closed.is_empty(), "{text}");
    error.closed
}

#[track_caller]
fn cut(text: &str, closed: Value) {
    assert_eq!(Value::Object(fails(text, Truncated)), closed, "{text}");
}

// Strict JSON

#[test]
fn json_is_taken_as_it_is() {
    reads("{}", json!({}), &[]);
    reads(" \t\r\n{ } \n", json!({}), &[]);
    reads(
        r#"{"a": {"b": [1, {"c": null}, []], "d": {}}, "e": [true, false]}"#,
        json!({"a": {"b": [1, {"c": null}, []], "d": {}}, "e": [true, false]}),
        &[],
    );
    reads(r#"{"a": 1, "b": 2, "a": 3}"#, json!({"a": 3, "b": 2}), &[]);
    reads(r#"{"": "", "True": "None"}"#, json!({"": "", "True": "None"}), &[]);
    reads("{\"s\": \"\u{7f}\u{2028}\u{feff}\"}", json!({"s": "\u{7f}\u{2028}\u{feff}"}), &[]);
}

#[test]
fn strings_are_never_looked_into() {
    for content in [
        "-- c // d /* e */ # f",
        "{'a': True,}}",
        "```json",
        "' ` \u{201c}x\u{201d} NaN undefined",
        "[1,,2",
        "{\\\"a\\\": 1}",
    ] {
        let text = format!("{{\"{content}\": \"{content}\"}}");
        let content = content.replace('\\', "");
        reads(&text, json!({ &content: &content }), &[]);
    }
}

#[test]
fn escapes() {
    reads(
        r#"{"s": "\"\\\/\b\f\n\r\t\u00e9\u00E9\ud83d\ude00\u0000"}"#,
        json!({"s": "\"\\/\u{8}\u{c}\n\r\téé😀\0"}),
        &[],
    );
    // A valid escape in a path is an escape.
    reads(r#"{"p": "C:\new"}"#, json!({"p": "C:\new"}), &[]);
}

#[test]
fn numbers() {
    let numbers = r#"[0, -0, -9223372036854775808, 9223372036854775807, 18446744073709551615,
                      1.5, -1.25e-3, 1E+2, 1e308, 5e-324, 0e99999, 18446744073709551616]"#;
    let text = format!("{{\"n\": {numbers}}}");
    reads(&text, json!({"n": serde_json::from_str::<Value>(numbers).unwrap()}), &[]);
    // The lenient reader reads equal numbers.
    let read = arguments(&format!("{text}}}"), Repairs::Default).unwrap();
    assert_eq!(read.object, arguments(&text, Repairs::Default).unwrap().object);
    assert_eq!(read.object["n"][2].as_i64(), Some(i64::MIN));
    assert_eq!(read.object["n"][4].as_u64(), Some(u64::MAX));
}

#[test]
fn depth_128_is_the_last_level() {
    let nested =
        |levels: usize| format!("{{\"a\":{}{}}}", "[".repeat(levels - 1), "]".repeat(levels - 1));
    // serde_json alone reads 127 levels. One level more costs no repair here.
    for (levels, strict) in [(2, true), (127, true), (128, false)] {
        assert_eq!(serde_json::from_str::<Value>(&nested(levels)).is_ok(), strict);
        for repairs in [Repairs::Default, Repairs::None] {
            let read = arguments(&nested(levels), repairs).unwrap();
            assert!(read.repairs.is_empty());
            let mut innermost = &read.object["a"];
            for _ in 2..levels {
                innermost = &innermost[0];
            }
            assert_eq!(innermost, &json!([]));
        }
    }
    for levels in [129, 130, 100_000] {
        assert!(fails(&nested(levels), TooDeep).is_empty());
        assert_eq!(arguments(&nested(levels), Repairs::None).unwrap_err().kind, TooDeep);
    }
    fails(&"[".repeat(129), TooDeep);
    fails(&"{\"a\":".repeat(128), Truncated);
    // Siblings are not levels, and neither are brackets in a string.
    let wide = format!("{{\"a\": [{}1,]}}", "[[]],".repeat(1000));
    assert_eq!(arguments(&wide, Repairs::Default).unwrap().repairs, [TrailingComma]);
    let encoded = serde_json::to_string(&nested(128)).unwrap();
    assert_eq!(arguments(&encoded, Repairs::Default).unwrap().repairs, [DoubleEncoded]);
}

// The repairs

#[test]
fn bom() {
    reads("\u{feff}{\"a\": 1}", json!({"a": 1}), &[Bom]);
    reads("\u{feff} \n{\"a\": 1}", json!({"a": 1}), &[Bom]);
    fails("\u{feff}\u{feff}{\"a\": 1}", Malformed);
    fails(" \u{feff}{\"a\": 1}", Malformed);
    fails("{\u{feff}\"a\": 1}", Malformed);
    fails("{\"a\": 1}\u{feff}", Malformed);
}

#[test]
fn fence() {
    let object = json!({"a": 1});
    for text in [
        "```json\n{\"a\": 1}\n```",
        "```\n{\"a\": 1}\n```\n",
        "\n```JSON5\r\n{\"a\": 1}\r\n```",
        "``` json \n{\"a\": 1}\n```",
        "~~~ json\n{\"a\": 1}\n~~~",
        "````c++\n{\"a\": 1}\n````",
        "```{\"a\": 1}```",
        "```json{\"a\": 1}```",
        "```json\n{\"a\": 1}\n``",
        "```json\n{\"a\": 1}\n",
        "```{\"a\": 1}",
    ] {
        reads(text, object.clone(), &[Fence]);
    }
    reads("\u{feff}```\n{\"a\": 1} }\n```", object, &[Bom, Fence, ExtraCloser]);
    reads("```\n// c\n{\"a\": \"```\"}\n```", json!({"a": "```"}), &[Fence, Comment]);

    fails("{\"a\": 1}\n```", Malformed);
    fails("```json\n{\"a\": 1}\n``` done", Malformed);
    fails("```json\n{\"a\": 1}\n~~~", Malformed);
    fails("```\n{\"a\": 1}\n```\n```\n{\"b\": 1}\n```", Malformed);
    fails("```json title=x\n{\"a\": 1}\n```", Malformed);
    fails("```json\n```", Malformed);
    fails("Here:\n```json\n{\"a\": 1}\n```", Malformed);
    cut("```json", json!({}));
    cut("```json\n{\"a\": 1, \"b\": \"", json!({"a": 1}));
    // A model that closes the fence has not been cut, so a closer is missing.
    fails("```json\n{\"a\": \"x\"\n```", Malformed);
}

#[test]
fn double_encoded() {
    reads(r#""{\"city\": \"Oslo\"}""#, json!({"city": "Oslo"}), &[DoubleEncoded]);
    reads(r#" "{}" "#, json!({}), &[DoubleEncoded]);
    reads(
        r#""```\n{'re': '\\d', on: True}\n```""#,
        json!({"re": "\\d", "on": true}),
        &[Fence, DoubleEncoded, Quotes, UnquotedKey, PythonLiteral, BadEscape],
    );
    reads("\"{\n\\\"a\\\": 1}\"", json!({"a": 1}), &[DoubleEncoded, RawControl]);
    reads(r#"/* c */ "{}"}"#, json!({}), &[DoubleEncoded, Comment, ExtraCloser]);
    reads("```\n\"{}\"\n```", json!({}), &[Fence, DoubleEncoded]);
    // A member that is a string stays a string.
    reads(r#"{"a": "{\"b\": 1}"}"#, json!({"a": "{\"b\": 1}"}), &[]);
    reads(r#"{"a": "{\"b\": 1}",}"#, json!({"a": "{\"b\": 1}"}), &[TrailingComma]);

    let twice = serde_json::to_string(r#""{}""#).unwrap();
    for text in [
        twice.as_str(),
        r#""just text""#,
        r#""""#,
        r#""[1]""#,
        r#""{\"a\": 1""#,
        r#""{\"a\": 1} {\"b\": 2}""#,
        // JSON strings have double quotes.
        r#"'{"a": 1}'"#,
        r#"`{"a": 1}`"#,
        r#""""{"a": 1}""""#,
    ] {
        fails(text, NotAnObject);
    }
    fails(r#""{}" "{}""#, Malformed);
    fails(r#""x"}"#, Malformed);
    cut(r#""{\"a\": 1}"#, json!({}));
}

#[test]
fn comment() {
    reads("{\"a\": 1 /* one } */, \"b\": 2} // end", json!({"a": 1, "b": 2}), &[Comment]);
    reads("// to the line end\n{\"a\": 1}", json!({"a": 1}), &[Comment]);
    reads("// to the line end\r{\"a\": 1}", json!({"a": 1}), &[Comment]);
    reads("/**//***/{/**/\"a\"/**/:/**/1/**/}/**/", json!({"a": 1}), &[Comment]);
    reads("{//\n}", json!({}), &[Comment]);
    reads("{\"a\": [ // c\n 1, // d\n ] }", json!({"a": [1]}), &[Comment, TrailingComma]);

    fails("{\"a\": 1 / 2}", Malformed);
    fails("{\"a\": /* /* */ */ 1}", Malformed);
    fails("{\"a\": # c\n 1}", Malformed);
    fails("{\"a\": 1} # c", Malformed);
    cut("{\"a\": 1 // }", json!({"a": 1}));
    cut("{\"a\": 1/* }", json!({"a": 1}));
    cut("{\"a\": 1/", json!({"a": 1}));
    cut("/*/", json!({}));
    cut("{\"a\": 1} /* c", json!({"a": 1}));
    cut("// only this", json!({}));
}

#[test]
fn trailing_comma() {
    reads("{\"a\": 1,}", json!({"a": 1}), &[TrailingComma]);
    reads("{\"a\": [1, [2 , ] , ]\n,\n}", json!({"a": [1, [2]]}), &[TrailingComma]);
    reads("{\"a\": 1, \"a\": 2,}", json!({"a": 2}), &[TrailingComma]);

    for text in
        ["{,}", "{\"a\": [,]}", "{\"a\": 1,,}", "{\"a\": [1,,]}", "{,\"a\": 1}", "{\"a\": 1},"]
    {
        fails(text, Malformed);
    }
}

#[test]
fn quotes() {
    reads(r#"{'a': 'say "b"', "c": 'it\'s'}"#, json!({"a": "say \"b\"", "c": "it's"}), &[Quotes]);
    reads(r#"{`a`: `b\`c"'`}"#, json!({"a": "b`c\"'"}), &[Quotes]);
    reads(r#"{"""a""": """b "c" ""d\"""" }"#, json!({"a": "b \"c\" \"\"d\""}), &[Quotes]);
    reads(r#"{'': ``, "b": """"""}"#, json!({"": "", "b": ""}), &[Quotes]);
    reads(r#"{'a': '\u00e9\n\"\\'}"#, json!({"a": "é\n\"\\"}), &[Quotes]);
    reads("{\"a\": \"\"\"x\n\ty\"\"\"}", json!({"a": "x\n\ty"}), &[Quotes, RawControl]);
    // The escape of another kind of quote is a bad escape.
    reads(r#"{`a`: `\'`, "b": "\`"}"#, json!({"a": "'", "b": "\\`"}), &[Quotes, BadEscape]);

    fails(r#"{'a": 1}"#, Truncated);
    fails(r#"{"a": 'it's'}"#, Malformed);
    fails(r#"{"a": """x""""}"#, Malformed);
    fails("{''a'': 1}", Malformed);
}

#[test]
fn unquoted_key() {
    reads(
        "{path: 1, $x: {_y-2 : 3}, été: 4, True: 5}",
        json!({"path": 1, "$x": {"_y-2": 3}, "été": 4, "True": 5}),
        &[UnquotedKey],
    );
    reads("{a/**/:1}", json!({"a": 1}), &[Comment, UnquotedKey]);

    for text in ["{1: 2}", "{-a: 2}", "{a b: 2}", "{a.b: 2}", "{a}", "{a, b}", "{a = 1}", "{: 1}"] {
        fails(text, Malformed);
    }
}

#[test]
fn python_literal() {
    reads("{\"a\": [True, False, None]}", json!({"a": [true, false, null]}), &[PythonLiteral]);

    for word in ["TRUE", "Null", "Nil", "none", "Truex", "nullx", "true1", "Trues", "yes"] {
        fails(&format!("{{\"a\": {word}}}"), Malformed);
    }
}

#[test]
fn raw_control() {
    reads("{\"a\tb\": \"c\nd\r\ne\0\u{1f}\"}", json!({"a\tb": "c\nd\r\ne\0\u{1f}"}), &[RawControl]);
    reads("{\"a\": \"\u{1f}\"}", json!({"a": "\u{1f}"}), &[RawControl]);
    fails("{\"a\":\u{b}1}", Malformed);
}

#[test]
fn bad_escape() {
    reads(
        r#"{"p": "C:\Projects\app", "r": "\d+\."}"#,
        json!({"p": r"C:\Projects\app", "r": r"\d+\."}),
        &[BadEscape],
    );
    reads(r#"{"s": "it\'s"}"#, json!({"s": "it's"}), &[BadEscape]);
    reads(
        r#"{"s": "\u12", "t": "\u+123", "u": "\user\x41\é"}"#,
        json!({"s": r"\u12", "t": r"\u+123", "u": r"\user\x41\é"}),
        &[BadEscape],
    );
    reads(r#"{"s": "\\d\q\"\\"}"#, json!({"s": "\\d\\q\"\\"}), &[BadEscape]);
    reads("{\"s\": \"a\\\nb\"}", json!({"s": "a\\\nb"}), &[RawControl, BadEscape]);
}

#[test]
fn lone_surrogate() {
    for (content, read) in [
        (r"a\ud800b\udc00c", "a\u{fffd}b\u{fffd}c"),
        (r"\ud83d\ud83d\ude00", "\u{fffd}😀"),
        (r"\ud83d\u0041\ud83d\n\ude00", "\u{fffd}A\u{fffd}\n\u{fffd}"),
        (r"\ude00\ud83d", "\u{fffd}\u{fffd}"),
        (r"\ude00\ude00", "\u{fffd}\u{fffd}"),
    ] {
        reads(&format!(r#"{{"s": "{content}"}}"#), json!({ "s": read }), &[LoneSurrogate]);
        reads(&format!(r#"{{"{content}": 1}}"#), json!({ read: 1 }), &[LoneSurrogate]);
    }
    reads(r#"{"s": "\ud83d\ude0"}"#, json!({"s": "\u{fffd}\\ude0"}), &[BadEscape, LoneSurrogate]);
}

#[test]
fn extra_closer() {
    for closer in ["}", "]", " ]", "\n}\n"] {
        reads(&format!("{{\"a\": [1]}}{closer}"), json!({"a": [1]}), &[ExtraCloser]);
    }
    reads("{} /* c */ } // d", json!({}), &[Comment, ExtraCloser]);

    for text in
        ["{}}}", "{}}]", "{}},", "{\"a\": [1]]}", "{\"a\": [1}}", "{\"a\": 1]", "}", "]{}", "12}"]
    {
        fails(text, Malformed);
    }
}

#[test]
fn all_repairs_at_once_are_named_in_order() {
    let inner = "```\n{'a': True, b: [1,], /* c */ \"d\": \"\\d\t\\ud800\"}}\n```";
    let text = format!("\u{feff}{}", serde_json::to_string(inner).unwrap());
    reads(&text, json!({"a": true, "b": [1], "d": "\\d\t\u{fffd}"}), &ALL);
}

// The errors

#[test]
fn empty() {
    for text in ["", " ", "\n\t \r\n"] {
        fails(text, Empty);
        assert_eq!(arguments(text, Repairs::None).unwrap_err().kind, Empty);
    }
    // Other blanks are no white space.
    for text in ["\u{a0}", "\u{3000}\n", "\u{b}"] {
        fails(text, Malformed);
    }
    fails("\u{feff}\n", Empty);
}

#[test]
fn truncated() {
    for (text, closed) in [
        (r#"{"#, json!({})),
        (r#"{"pa"#, json!({})),
        (r#"{"path""#, json!({})),
        (r#"{"path": "src/ma"#, json!({})),
        (r#"{"path": "src/\"#, json!({})),
        (r#"{"s": "x\u00"#, json!({})),
        (r#"{"s": "x\ud83d\ude"#, json!({})),
        (r#"{"a": [1, {"b": "c"#, json!({})),
        (r#"{"a": [1, {"b": "c"}"#, json!({})),
        (r#"{"q": "a", "n": [1"#, json!({"q": "a"})),
        (r#"{"q": "a", "n": [[{"m": [1"#, json!({"q": "a"})),
        (r#"{"a": [1, {"b": "c"}]"#, json!({"a": [1, {"b": "c"}]})),
        (r#"{"a": "x""#, json!({"a": "x"})),
        (r#"{"a": "x", "#, json!({"a": "x"})),
        (r#"{"a": {}, "b":"#, json!({"a": {}})),
        // Numbers and words need a delimiter.
        (r#"{"a": 1, "n": 12"#, json!({"a": 1})),
        (r#"{"a": 1, "n": 12 "#, json!({"a": 1, "n": 12})),
        (r#"{"a": 1, "n": 12,"#, json!({"a": 1, "n": 12})),
        (r#"{"a": 1, "n": -"#, json!({"a": 1})),
        (r#"{"a": 1, "n": 1."#, json!({"a": 1})),
        (r#"{"a": 1, "n": 1e+"#, json!({"a": 1})),
        (r#"{"a": null, "b": tru"#, json!({"a": null})),
        (r#"{"a": null, "b": true"#, json!({"a": null})),
        (r#"{"a": null, "b": true "#, json!({"a": null, "b": true})),
        // Two quotes may be the beginning of three.
        (r#"{"a": 1, "b": """#, json!({"a": 1})),
        (r#"{"a": 1, "b": "" "#, json!({"a": 1, "b": ""})),
        // The last value of a key wins, and it has begun.
        (r#"{"a": 1, "b": 2, "a": "x"#, json!({"b": 2})),
        (r#"{"a": 1, "b": 2, "a""#, json!({"b": 2})),
        // No open string is closed here either.
        (r#"{'cmd': 'rm -rf ./build"#, json!({})),
        (r#"{cmd: `ls`, 'b': Tru"#, json!({"cmd": "ls"})),
        (r#"{"a": True, b"#, json!({"a": true})),
        (r#"{"doc": """x"""#, json!({})),
        // A text that is not an object has no members.
        (r#"[1, {"a": 1}"#, json!({})),
        (r#"[{"a": 1}, "#, json!({})),
        (r#"[{"a": 1, "#, json!({})),
        (r#""te"#, json!({})),
        (r#"tru"#, json!({})),
        (r#"-"#, json!({})),
    ] {
        cut(text, closed);
    }
}

#[test]
fn truncated_without_repairs() {
    let error = |text: &str| arguments(text, Repairs::None).unwrap_err();
    let cut = error(r#"{"a": 1, "b": """#);
    assert_eq!((cut.kind, Value::Object(cut.closed)), (Truncated, json!({"a": 1, "b": ""})));
    for content in [r"x\u00", r"\ud83d", r"\ud83d\", r"\ud83d\u", r"\ud83d\ude0", r"\"] {
        let text = format!(r#"{{"s": "{content}"#);
        assert_eq!(error(&text).kind, Truncated, "{text}");
    }
    for text in
        ["{'a': 1", "{a", "{\"a\": T", "{\"a\": \"\n", "{\"a\": \"\\d", "{\"a\": 1 //", "```"]
    {
        assert_eq!(error(text).kind, Malformed, "{text}");
    }
}

#[test]
fn not_an_object() {
    for text in ["[]", "[{\"a\": 1}]", "\"text\"", "12", "-0.5", "null", "true", " false "] {
        fails(text, NotAnObject);
        assert_eq!(arguments(text, Repairs::None).unwrap_err().kind, NotAnObject, "{text}");
    }
    // The result is equal if a repair was needed to see this.
    for text in ["[1,]", "'text'", "None", "[1]]", "```\n12\n```"] {
        fails(text, NotAnObject);
        assert_eq!(arguments(text, Repairs::None).unwrap_err().kind, Malformed, "{text}");
    }
}

#[test]
fn never() {
    for text in [
        // missing commas
        r#"{"a": 1 "b": 2}"#,
        r#"{"a": [1 2]}"#,
        "{\"a\": 1\n\"b\": 2}",
        // missing colons and values
        r#"{"a" 1}"#,
        r#"{"a":, "b": 1}"#,
        r#"{"a":}"#,
        // quotes inside a string
        r#"{"cmd": "echo "hello" && ls"}"#,
        r#"{"a": "x"y"}"#,
        // typographic quotes
        "{\u{201c}city\u{201d}: \u{201c}Oslo\u{201d}}",
        "{\"city\": \u{2018}Oslo\u{2019}}",
        // bare words
        r#"{"city": Oslo}"#,
        r#"{"a": true false}"#,
        // numbers that JSON does not have
        r#"{"a": NaN}"#,
        r#"{"a": Infinity}"#,
        r#"{"a": -Infinity}"#,
        r#"{"a": undefined}"#,
        r#"{"a": 0x1F}"#,
        r#"{"a": +1}"#,
        r#"{"a": .5}"#,
        r#"{"a": 5.}"#,
        r#"{"a": 01}"#,
        r#"{"a": -01}"#,
        r#"{"a": 1_000}"#,
        r#"{"a": 1e}"#,
        r#"{"a": 1e999}"#,
        r#"{"a": -1e999}"#,
        r#"{"a": 10n}"#,
        // other comments
        "{\"a\": 1} # end",
        "# c\n{\"a\": 1}",
        "{\"a\": 1 -- c\n}",
        // text around the object
        r#"Sure: {"a": 1}"#,
        r#"{"a": 1} is it"#,
        r#"{"a": 1};"#,
        r#"arguments = {"a": 1}"#,
        r#"({"a": 1})"#,
        // one of several
        r#"{"a": 1}{"a": 1}"#,
        r#"{"a": 1}, {"b": 2}"#,
        "{\"a\": 1}\n{\"b\": 2}",
        // a lost beginning
        r#"port": "Oslo"}"#,
        r#""port": "Oslo"}"#,
        // not strings, not pairs
        r#"{"a": r"x"}"#,
        r#"{"a": "x" + "y"}"#,
        r#"{"a": (1, 2)}"#,
        r#"{"a"; 1}"#,
        r#"{"a" => 1}"#,
        "{\"a\":\u{a0}1}",
        // a closer in the wrong place
        r#"{"a": [1}"#,
    ] {
        fails(text, Malformed);
        assert_eq!(arguments(text, Repairs::None).unwrap_err().kind, Malformed, "{text}");
    }
    // missing closers
    for text in [r#"{"a": 1"#, r#"{"a": [1"#, r#"{"a": "x"#, r#"{"a": {"b": 1}"#] {
        fails(text, Truncated);
    }
}

#[test]
fn the_first_fault_decides() {
    fails(&format!("{{\"a\": {} ?", "[".repeat(200)), TooDeep);
    fails(&format!("{{? \"a\": {}", "[".repeat(200)), Malformed);
    fails("{\"a\": NaN, \"b\": \"", Malformed);
    fails("[1] [2", Malformed);
}

#[test]
fn errors_are_errors() {
    fn check(error: &(dyn std::error::Error + Send + Sync)) -> String {
        assert!(error.source().is_none());
        error.to_string()
    }
    let mut said = std::collections::HashSet::new();
    let deep = "[".repeat(200);
    for (text, name) in [
        ("", "Empty"),
        ("{", "Truncated"),
        ("[]", "NotAnObject"),
        (deep.as_str(), "TooDeep"),
        ("?", "Malformed"),
    ] {
        let error = arguments(text, Repairs::default()).unwrap_err();
        assert_eq!(format!("{:?}", error.kind), name);
        assert_eq!(check(&error), error.kind.to_string());
        assert!(said.insert(error.to_string()), "each has its own message");
    }
}

#[test]
fn repairs_have_names_and_an_order() {
    assert_eq!(
        ALL.map(|repair| repair.to_string()).join(" "),
        "bom fence double_encoded comment trailing_comma quotes unquoted_key python_literal \
         raw_control bad_escape lone_surrogate extra_closer"
    );
    assert!(ALL.is_sorted());
}

/// A reader that goes back over its input would not finish these texts.
#[test]
fn hostile_text_is_read_in_linear_time() {
    const SIZE: usize = 1 << 18;
    for (head, unit, tail, ok) in [
        ("{'a': \"", "\\ud800", "\"}", true),
        ("{'a': \"", "\\u", "\"}", true),
        ("{'a': \"", "\\", "\"}", true),
        ("{'a': \"\"\"", "\"\"\\\"", "\"\"\"}", true),
        ("{'a': \"", "\n", "\"}", true),
        ("{'a': [", "\"\",", "]}", true),
        ("{'a': ", "1", "}", false),
        ("{'a': 0.", "1", "}", true),
        ("{", "/**/", "}", true),
        ("{", "//\n", "}", true),
        ("", "/*/", "", false),
        ("{'a': 1", " ", "}", true),
        ("{", "a:1,", "}", true),
        ("{a", "-", ": 1}", true),
        ("", "`", "{}", true),
        ("", "[", "", false),
        ("\"", "{", "\"", false),
        ("\"{'a': '", "\\\\u", "'}\"", true),
        ("{}", "}", "", false),
    ] {
        let text = format!("{head}{}{tail}", unit.repeat(SIZE / unit.len()));
        assert_eq!(arguments(&text, Repairs::Default).is_ok(), ok, "{head} {unit} {tail}");
    }
}

// The properties

fn any_name() -> BoxedStrategy<String> {
    "[a-zA-Z_$é][a-z0-9_$-]{0,6}".boxed()
}

fn any_text() -> BoxedStrategy<String> {
    let tricky = "[\"'`\\\\/,:{}\\[\\]nud\n\t\u{fffd}é😀]{0,12}";
    prop_oneof!["[ -~]{0,12}", tricky, any::<String>()].boxed()
}

fn any_object(key: BoxedStrategy<String>) -> impl Strategy<Value = Map<String, Value>> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any_text().prop_map(Value::from),
    ];
    let inner_key = key.clone();
    let value = leaf.prop_recursive(5, 32, 5, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::btree_map(inner_key.clone(), inner, 0..5)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    });
    prop::collection::btree_map(key, value, 0..6).prop_map(|members| members.into_iter().collect())
}

/// An object as JSON text, in one line or in many.
fn any_json() -> impl Strategy<Value = String> {
    (any_object(any_text()), any::<bool>()).prop_map(|(object, pretty)| {
        let write = if pretty { serde_json::to_string_pretty } else { serde_json::to_string };
        write(&object).unwrap()
    })
}

fn strict(text: &str) -> Option<Map<String, Value>> {
    serde_json::from_str(text).ok()
}

/// A writer of JSON that makes one kind of mistake wherever it can.
struct Writer {
    damage: Repair,
    out: String,
}

impl Writer {
    fn text(object: &Map<String, Value>, damage: Repair) -> String {
        let mut writer = Writer { damage, out: String::new() };
        writer.object(object);
        let text = writer.out;
        match damage {
            Bom => format!("\u{feff}{text}"),
            Fence => format!("```json\n{text}\n```"),
            DoubleEncoded => serde_json::to_string(&text).unwrap(),
            ExtraCloser => text + "}",
            _ => text,
        }
    }

    fn token(&mut self, token: &str) {
        if self.damage == Comment {
            self.out += if self.out.len() % 2 == 0 { "/* \" } */" } else { " // ' ]\n" };
        }
        self.out += token;
    }

    fn value(&mut self, value: &Value) {
        let python = self.damage == PythonLiteral;
        match value {
            Value::Null if python => self.token("None"),
            Value::Bool(true) if python => self.token("True"),
            Value::Bool(false) if python => self.token("False"),
            Value::String(text) => self.string(text),
            Value::Array(items) => {
                self.token("[");
                for (i, item) in items.iter().enumerate() {
                    self.comma(i);
                    self.value(item);
                }
                self.close(items.len(), "]");
            }
            Value::Object(members) => self.object(members),
            plain => self.token(&plain.to_string()),
        }
    }

    fn object(&mut self, members: &Map<String, Value>) {
        self.token("{");
        for (i, (key, value)) in members.iter().enumerate() {
            self.comma(i);
            if self.damage == UnquotedKey {
                self.token(key)
            } else {
                self.string(key)
            }
            self.token(":");
            self.value(value);
        }
        self.close(members.len(), "}");
    }

    fn comma(&mut self, before: usize) {
        if before > 0 {
            self.token(",");
        }
    }

    fn close(&mut self, before: usize, closer: &str) {
        if self.damage == TrailingComma {
            self.comma(before);
        }
        self.token(closer);
    }

    fn string(&mut self, text: &str) {
        let quote = match self.damage {
            Quotes => ["'", "`", "\"\"\""][text.len() % 3],
            _ => "\"",
        };
        self.token(quote);
        let unknown = |next: &char| next.is_ascii_alphanumeric() && !"bfnrtu".contains(*next);
        let mut chars = text.chars().peekable();
        while let Some(c) = chars.next() {
            let next_is_unknown = chars.peek().is_some_and(unknown);
            match c {
                '\'' if self.damage == BadEscape => self.out += "\\'",
                '\\' if self.damage == BadEscape && next_is_unknown => self.out.push(c),
                '\u{fffd}' if self.damage == LoneSurrogate => self.out += "\\ud800",
                c if c < ' ' && self.damage == RawControl => self.out.push(c),
                c if quote.starts_with(c) => self.out.extend(['\\', c]),
                '"' => self.out.push(c),
                c => {
                    let json = serde_json::to_string(&c).unwrap();
                    self.out += &json[1..json.len() - 1];
                }
            }
        }
        self.out += quote;
    }
}

/// Both readers agree on which texts are JSON, and on their values. The lenient reader names the repairs of any other text
/// that it reads.
fn agree(text: &str) -> Result<(), TestCaseError> {
    let expected = strict(text);
    let read = arguments(text, Repairs::None).ok();
    prop_assert_eq!(read.map(|read| read.object), expected.clone(), "{}", text);
    match (arguments(text, Repairs::Default), expected) {
        (Ok(read), Some(object)) => {
            prop_assert_eq!(read, Arguments { object, repairs: vec![] }, "{}", text);
        }
        (Ok(read), None) => prop_assert!(!read.repairs.is_empty(), "{}", text),
        (Err(_), expected) => prop_assert_eq!(expected, None, "{}", text),
    }
    Ok(())
}

#[rustfmt::skip]
const TOKENS: &[&str] = &[
    "{", "}", "[", "]", ":", ",", "{", "}", ":", ",", "{\"a\":", "\"a\":", "\"a\"", "\"", "\"\"\"",
    "'", "'a'", "`", "```", "\\", "\\u", "\\ud83d", "\\ude00", "d800", "/", "//", "/*", "*/", "*",
    "-", "+", "0", "12", ".", "e", "true", "null", "True", "None", "a", " ", "\n", "\u{feff}", "é",
];

#[rustfmt::skip]
const PATCHES: &[&str] =
    &["", "\"", "\\", ",", "}", "]", "0", "-", ".", "e", "\n", "u", "/", "'", "é"];

proptest! {
    // Each case tries every prefix.
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_known_damage_is_repaired_and_named(
        mut object in any_object(any_name()),
        damage in prop::sample::select(&ALL[..]),
    ) {
        // Every kind of damage finds something to damage here.
        object.insert("damage".into(), json!([null, true, "it's \\d\n\u{fffd}", []]));
        let whole = strict(&serde_json::to_string(&object).unwrap()).unwrap();
        let text = Writer::text(&object, damage);
        prop_assert_eq!(strict(&text), None, "{}", &text);
        let repaired = Arguments { object: whole.clone(), repairs: vec![damage] };
        prop_assert_eq!(arguments(&text, Repairs::Default), Ok(repaired), "{}", &text);
        prop_assert_eq!(arguments(&text, Repairs::None).unwrap_err().kind, Malformed);

        // No prefix is read as another object, and closed members keep their values.
        for (end, _) in text.char_indices() {
            let prefix = &text[..end];
            match arguments(prefix, Repairs::Default) {
                Ok(read) => prop_assert_eq!(&read.object, &whole, "{}", prefix),
                Err(error) => {
                    for (key, value) in &error.closed {
                        prop_assert_eq!(whole.get(key), Some(value), "{}", prefix);
                    }
                }
            }
        }
    }

    #[test]
    fn every_proper_prefix_is_truncated(text in any_json()) {
        let whole = strict(&text).unwrap();
        for (end, _) in text.char_indices() {
            for repairs in [Repairs::Default, Repairs::None] {
                let prefix = &text[..end];
                let error = arguments(prefix, repairs).unwrap_err();
                prop_assert_eq!(error.kind, if end == 0 { Empty } else { Truncated }, "{}", prefix);
                for (key, value) in &error.closed {
                    prop_assert_eq!(whole.get(key), Some(value), "{}", prefix);
                }
            }
        }
        // Behind the last member only the brace is missing.
        let body = format!("{} ", &text[..text.len() - 1]);
        prop_assert_eq!(arguments(&body, Repairs::Default).unwrap_err().closed, whole);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1024))]

    #[test]
    fn every_json_object_reads_equal_without_repairs(text in any_json()) {
        let expected = Arguments { object: strict(&text).unwrap(), repairs: vec![] };
        for repairs in [Repairs::Default, Repairs::None] {
            prop_assert_eq!(arguments(&text, repairs), Ok(expected.clone()));
        }
    }

    #[test]
    fn a_character_put_in_or_lost_is_judged_as_strictly(
        text in any_json(),
        at in any::<prop::sample::Index>(),
        patch in prop::sample::select(PATCHES),
    ) {
        let (at, c) = text.char_indices().nth(at.index(text.chars().count())).unwrap();
        let (before, after) = text.split_at(at);
        agree(&format!("{before}{patch}{after}"))?;
        agree(&format!("{before}{patch}{}", &after[c.len_utf8()..]))?;
    }

    #[test]
    fn whatever_strict_json_accepts_is_accepted_equal(
        tokens in prop::collection::vec(prop::sample::select(TOKENS), 0..14),
    ) {
        agree(&tokens.concat())?;
    }
}
