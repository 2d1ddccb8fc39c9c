//! A host's own table: what makes no sense is an error of `build` with its place, and with all that is
//! left the laws hold.
//!
//! The tables are those of the built-in dialects, spoilt as JSON: whatever a field may hold, some other
//! field of that name or number takes its place. The texts are what the table's own markers look like.
#![cfg(feature = "json")]

mod support;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use serde::Deserialize;
use serde_json::{Value, json};
use support::soup::{self, Choices};
use toolstream::check::{self, Ended};
use toolstream::spec::{
    At, AtEnd, Between, BodyKind, CallKind, Chars, DialectSpec, Flags, Framing, Gives, Known, Name,
    Named, Of, Pattern, Piece, Place, ProseKind, Ref, Rule, Run, Scope, SectionKind, ToolLine,
    ValueKind, WS, What, rule,
};
use toolstream::template::{CallForm, ResultForm, Template};
use toolstream::{Dialect, Event, Options, Parser, Start, ToolResult, ToolUse, pattern};

/// A number below `count`, which may be more than 256.
fn below(choices: &mut Choices<'_>, count: usize) -> usize {
    (choices.below(256) << 8 | choices.below(256)) % count.max(1)
}

fn one<T: Clone>(choices: &mut Choices<'_>, of: &[T]) -> T {
    of[below(choices, of.len())].clone()
}

/// A way into a table: keys, and `-` for any number in a list.
type Kind = String;

/// What stands at each kind of place in the built-in tables.
static DONORS: LazyLock<BTreeMap<Kind, Vec<Value>>> = LazyLock::new(|| {
    let mut donors: BTreeMap<Kind, Vec<Value>> = BTreeMap::new();
    for dialect in Dialect::ALL {
        let table = serde_json::to_value(dialect.spec()).unwrap();
        for path in paths(&table) {
            let known = donors.entry(kind(&path)).or_default();
            let part = table.pointer(&path).unwrap();
            if !known.contains(part) {
                known.push(part.clone());
            }
        }
    }
    donors
});

/// All places of a table but those that are for people and prompts.
fn paths(table: &Value) -> Vec<String> {
    fn walk(part: &Value, path: String, all: &mut Vec<String>) {
        match part {
            Value::Object(fields) => {
                fields.iter().for_each(|(key, part)| walk(part, format!("{path}/{key}"), all))
            }
            Value::Array(items) => {
                (0..).zip(items).for_each(|(at, part)| walk(part, format!("{path}/{at}"), all))
            }
            _ => {}
        }
        all.push(path);
    }
    let mut all = Vec::new();
    walk(table, String::new(), &mut all);
    let people =
        |path: &String| ["", "/name", "/about"].contains(&&**path) || path.starts_with("/template");
    all.retain(|path| !people(path));
    all
}

/// The same places of the same part have one kind: `mark/-`, `action/what`.
fn kind(path: &str) -> Kind {
    let mut keys: Vec<&str> = path.split('/').collect();
    keys.iter_mut().filter(|key| key.parse::<usize>().is_ok()).for_each(|key| *key = "-");
    keys.split_off(keys.len() - 2).join("/")
}

fn donor(kind: &str, choices: &mut Choices<'_>) -> Value {
    DONORS.get(kind).map_or(Value::Null, |known| one(choices, known))
}

/// One mistake, or what may be none.
fn spoil(table: &mut Value, choices: &mut Choices<'_>) {
    let path = one(choices, &paths(table));
    let kind = kind(&path);
    let part = table.pointer_mut(&path).expect("a path of this table");
    if choices.below(3) == 0 {
        *part = donor(&kind, choices);
        return;
    }
    match part {
        Value::Number(_) => *part = one(choices, &[0, 1, 2, 3, 99, 255, 256, 512, 65535]).into(),
        Value::Bool(set) => *set = !*set,
        Value::String(text) => {
            let texts = ["", "<", ">", "</", "é", "{", ",", " ", "\n", "<save>", "\"", "```", "["];
            *text = match choices.below(16) {
                0 => text.repeat(600 / text.len().max(1)),
                1 => text.chars().rev().collect(),
                _ => one(choices, &texts).to_string(),
            };
        }
        Value::Array(items) => {
            let at = below(choices, items.len());
            let other = donor(&(kind.rsplit('/').next().unwrap().to_string() + "/-"), choices);
            match choices.below(6) {
                0 => items.clear(),
                1 if !items.is_empty() => drop(items.remove(at)),
                2 if !items.is_empty() => items.swap(0, at),
                3 if !items.is_empty() => items.insert(0, items[at].clone()),
                _ => items.insert(at, other),
            }
        }
        Value::Object(fields) => {
            let key = fields.keys().nth(below(choices, fields.len())).cloned();
            key.map(|key| fields.remove(&key));
        }
        Value::Null => {}
    }
}

/// Writes texts that the rules of a table know, from state to state as they lead.
struct Writer<'a, 'c> {
    spec: &'a DialectSpec,
    choices: &'a mut Choices<'c>,
    text: String,
    /// The rules of the state that the last one led to.
    rules: &'a [Rule],
    /// Those of the open call.
    call: &'a [Rule],
    /// The names that came last: of a call, of a parameter, of anything.
    names: [String; 3],
}

impl<'a> Writer<'a, '_> {
    /// A text of the table's own markers, with what follows them and what may stand between.
    fn write(mut self) -> String {
        const BETWEEN: &[&str] = &[
            "",
            "",
            "",
            "",
            " ",
            "\n",
            "\r\n",
            "x",
            "é",
            "\"",
            "<",
            ">",
            "{",
            "}",
            "[",
            "]",
            ",",
            ":",
            "/",
            "{}",
            "```\n",
            "{\"name\": \"read\", \"arguments\": {\"path\": 1}}",
            "<think>",
            "</think>",
            "{\"path\": \"a\"}",
            "\"arguments\": {}}",
        ];
        while self.choices.are_left() && self.text.len() < 300 {
            let rules = if self.choices.below(4) == 0 { self.any_rules() } else { self.rules };
            if !rules.is_empty() {
                let rule = &rules[below(self.choices, rules.len())];
                self.pattern(&rule.mark);
                if !rule.follow.is_empty() && self.choices.one_in(4) {
                    let element = below(self.choices, rule.follow.len());
                    self.pattern(&rule.follow[element]);
                }
                self.go_on(rule.action.what);
            }
            let between = self.choices.of(BETWEEN);
            self.text.push_str(between);
        }
        // A stream may end anywhere, best of all inside a marker.
        let lost = self.choices.below(6);
        (0..lost).for_each(|_| _ = self.text.pop());
        self.text
    }

    fn any_rules(&mut self) -> &'a [Rule] {
        let kind = self.choices.below(4);
        match self.choices.below(5) {
            0 => self.spec.prose.get(kind).map_or(&[], |kind| &kind.rules),
            1 => self.spec.sections.get(kind).map_or(&[], |kind| &kind.rules),
            2 => self.spec.calls.get(kind).map_or(&[], |kind| &kind.rules),
            3 => self.spec.values.get(kind).map_or(&[], |kind| &kind.rules),
            _ => self.spec.bodies.get(kind).map_or(&[], |kind| &kind.rules),
        }
    }

    fn go_on(&mut self, what: What) {
        let DialectSpec { prose, sections, calls, values, bodies, .. } = self.spec;
        let rules = match what {
            What::Open(Place::Prose(kind)) => prose.get(kind as usize).map(|kind| &kind.rules),
            What::Open(Place::Section(kind)) => sections.get(kind as usize).map(|kind| &kind.rules),
            What::Open(Place::Call(kind)) => {
                self.call = calls.get(kind as usize).map_or(&[], |kind| &kind.rules);
                return self.rules = self.call;
            }
            What::Open(Place::Body(kind)) => bodies.get(kind as usize).map(|kind| &kind.rules),
            What::Param(kind, _) => values.get(kind as usize).map(|kind| &kind.rules),
            What::Close(Scope::Value) => return self.rules = self.call,
            What::Close(_) => prose.first().map(|kind| &kind.rules),
            _ => return,
        };
        self.rules = rules.map_or(&[], |rules| rules);
    }

    /// What a pattern may look like.
    fn pattern(&mut self, pattern: &[Piece]) {
        const NAMES: &[&str] = &["read", "write", "path", "content", "ré.d", "x"];
        for piece in pattern {
            match piece {
                Piece::Lit(lit) => self.text.push_str(lit),
                Piece::Any(lits) => self.text.push_str(&one(self.choices, lits)),
                Piece::Run(run) => {
                    let fits = (0..0x80_u8).map(char::from).filter(|c| run.chars.has(*c));
                    let fits: Vec<char> = fits.collect();
                    // Now and then as many as may be, or one more.
                    let most = usize::from(run.max) + self.choices.below(2);
                    let some = self.choices.below(3);
                    let count = if self.choices.below(64) == 63 { most } else { some };
                    for _ in 0..count.max(run.min.into()) {
                        let at = self.choices.below(128) % fits.len().max(1);
                        self.text.extend(fits.get(at));
                    }
                }
                Piece::Until { to, .. } => self.text.push_str(&format!("x{to}")),
                Piece::Name(name) => {
                    let quotes: &[&str] =
                        if name.quoted.is_some() { &["\"", "'", ""] } else { &[""] };
                    let quote = self.choices.of(quotes);
                    let long = "n".repeat(126 + self.choices.below(4));
                    let names = match name.of {
                        Of::Tool | Of::ToolId => &["read", "write", "ré.d", "x"],
                        Of::Param => &["path", "content", "x", "read"],
                        _ => &NAMES[..4],
                    };
                    let rare = self.choices.below(64) == 63;
                    let of = if rare { &*long } else { self.choices.of(names) };
                    match name.of {
                        Of::Tool | Of::ToolId => self.names[0] = of.into(),
                        Of::Param => self.names[1] = of.into(),
                        _ => {}
                    }
                    self.names[2] = of.into();
                    self.text.push_str(&format!("{quote}{}{of}{quote}", name.prefix));
                }
                Piece::Ref(of) => {
                    let last = match of {
                        Ref::Call => 0,
                        Ref::Param => 1,
                        _ => 2,
                    };
                    let last = self.names[last].clone();
                    let other = self.choices.one_in(8);
                    self.text.push_str(if other { self.choices.of(NAMES) } else { &last });
                }
                Piece::Keyword(number) => {
                    let words = &self.spec.keywords[usize::from(*number)].words;
                    let around = self.choices.of(&["", "", "**", "_", "# ", " "]);
                    let words = one(self.choices, words);
                    self.text.push_str(&format!("{around}{words}{around}:{around}"));
                }
                Piece::ToolLine(_) => {
                    let lines =
                        [" read", "read(", "read[", "None", "x y", "\n\nwrite", "", "`read`"];
                    self.text.push_str(self.choices.of(&lines));
                }
                _ => self.text.push('\n'),
            }
        }
    }
}

fn soup(spec: &DialectSpec, choices: &mut Choices<'_>) -> String {
    let (names, text) = (Default::default(), String::new());
    let rules = &spec.prose[0].rules;
    Writer { spec, choices, text, rules, call: &[], names }.write()
}

fn options(choices: &mut Choices<'_>) -> Options {
    let mut options = Options::default();
    options.tool_limit = choices.of(&[None, Some(1), Some(3)]);
    options.quote_fences = choices.of(&[false, false, true]);
    options.start = choices.of(&[Start::Text, Start::Reasoning]);
    options.implicit_thought = choices.one_in(4);
    options
}

/// What became of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Case {
    Refused,
    Held,
}

fn case(data: &[u8]) -> Result<Case, String> {
    let mut choices = Choices::new(data);
    let first = choices.of(Dialect::ALL);
    let mut table = serde_json::to_value(first.spec()).unwrap();
    let mut spec = first.spec().clone();
    for _ in 0..=choices.below(4) {
        let mut spoilt = table.clone();
        spoil(&mut spoilt, &mut choices);
        // What is no table is another test's.
        if let Ok(read) = DialectSpec::deserialize(&spoilt) {
            (table, spec) = (spoilt, read);
        }
    }
    let (options, ended) = (options(&mut choices), choices.of(&[Ended::Stop, Ended::Cut]));
    let own = Dialect::new(spec.clone());
    let dialect = match choices.below(4) {
        0 => own.and(choices.of(Dialect::ALL)),
        1 => choices.of(Dialect::ALL).and(own),
        _ => own,
    };
    let built = Parser::builder(dialect).tools(soup::tools()).options(options).build();
    let parser = match built {
        Ok(parser) => parser,
        Err(error) => {
            return match error.place() {
                Some(place) if has_place(&table, place) => Ok(Case::Refused),
                // A tag of the dialect that is the name of a tool.
                None if error.to_string().contains("cannot be a tag of") => Ok(Case::Refused),
                _ => Err(error.to_string()),
            };
        }
    };
    let text = soup(&spec, &mut choices);
    match check::hold(&parser, &text, &check::every_cut(text.len()), ended) {
        Ok(_) => Ok(Case::Held),
        Err(broken) => Err(format!("{broken}\n{text:?}\n{table}")),
    }
}

/// Whether a mistake's place is one of the table: `values[0].rules[2].mark`.
fn has_place(table: &Value, place: &str) -> bool {
    let pointer = "/".to_string() + &place.replace('[', "/").replace(']', "").replace('.', "/");
    let (parent, last) = pointer.rsplit_once('/').unwrap_or_default();
    // A field that is as by default is left out.
    let field = || table.pointer(parent).is_some_and(Value::is_object) && !last.is_empty();
    table.pointer(&pointer).is_some() || field() && DONORS.contains_key(&kind(&pointer))
}

/// A longer run: `PROPTEST_CASES=100000`.
#[test]
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
fn mistake(of: Dialect, spoil: impl FnOnce(&mut DialectSpec)) -> (String, String) {
    let mut spec = of.spec().clone();
    spoil(&mut spec);
    match Parser::builder(Dialect::new(spec.clone())).tools(soup::tools()).build() {
        Err(error) => {
            let place = error.place().expect("a place").to_string();
            let front = format!("the dialect `{of}` has a mistake at `{place}`: ");
            let told = error.to_string();
            (place, told.strip_prefix(&front).expect(&told).to_string())
        }
        other => {
            panic!("{:?}: {:#?}", other.map(|parser| parser.position()), spec.prose[0].rules[0])
        }
    }
}

/// Puts a rule first into the first kind of a state, and says where that is.
fn put(spec: &mut DialectSpec, list: &str, rule: Rule) -> String {
    let rules = match list {
        "prose" => &mut spec.prose[0].rules,
        "sections" => &mut spec.sections[0].rules,
        "calls" => &mut spec.calls[0].rules,
        "values" => &mut spec.values[0].rules,
        _ => &mut spec.bodies[0].rules,
    };
    rules.insert(0, rule);
    format!("{list}[0].rules[0]")
}

#[test]
fn a_mistake_in_a_rule_has_its_place() {
    let x = || pattern!["x"];
    let (tool, key) = (pattern!["<", Name::tool()], pattern!["<", Name::param()]);
    let many = |count: usize| vec![Piece::from("x"); count];
    let long = |len: usize| Piece::from("y".repeat(len));
    let any =
        |texts: &[&'static str]| Piece::Any(texts.iter().map(|text| (*text).into()).collect());
    let run = |min, max| Run::new(Chars::LETTERS, min, max);
    let until = |to: &'static str| Piece::Until { to: to.into(), unless: Vec::new() };
    let (ws, end) = (WS, At::End);
    for (list, rule, part, what) in [
        // Markers that have no beginning, or no end.
        ("prose", rule(vec![]), ".mark", "empty"),
        ("prose", rule(pattern![""]), ".mark[0]", "empty"),
        ("prose", rule(pattern!["x", ""]), ".mark[1]", "empty"),
        ("prose", rule(pattern!["x", any(&[])]), ".mark[1]", "no texts"),
        ("prose", rule(pattern!["x", any(&["a", ""])]), ".mark[1]", "empty"),
        ("prose", rule(pattern!["x", any(&["a", "b", "a"])]), ".mark[1]", "twice"),
        ("prose", rule(pattern!["x", run(2, 1)]), ".mark[1]", "no length"),
        ("prose", rule(pattern!["x", run(0, 0)]), ".mark[1]", "no length"),
        ("prose", rule(pattern!["x", run(0, 513)]), ".mark[1]", "513 are too many"),
        ("prose", rule(pattern!["x", until("")]), ".mark[1]", "empty"),
        ("prose", rule(pattern![Name::tool()]), ".mark", "begin with"),
        ("sections", rule(pattern![ws, "x"]), ".mark", "begin with"),
        ("values", rule(pattern![Ref::Param]).does(What::Pass), ".mark", "begin with"),
        ("prose", rule(pattern!["x", At::LineStart]), ".mark[1]", "first piece"),
        ("prose", rule(pattern!["x", At::Start]), ".mark[1]", "first piece"),
        ("prose", rule(pattern!["x", end]), ".mark[1]", "last piece"),
        ("prose", rule(x()).follow([pattern![end, "x"]]), ".follow[0][0]", "last piece"),
        ("prose", rule(x()).follow([x(), pattern![At::Start]]), ".follow[1][0]", "first piece"),
        ("prose", rule(x()).follow([x(), vec![]]), ".follow[1]", "empty"),
        ("prose", rule(pattern!["x", Piece::Keyword(0)]), ".mark[1]", "start of a line"),
        ("prose", rule(pattern![At::LineStart, Piece::Keyword(9)]), ".mark[1]", "no number 9"),
        ("prose", rule(pattern!["x", ToolLine::Any]), ".mark[1]", "behind a keyword"),
        // Those that are too long.
        ("prose", rule(pattern![long(513)]), ".mark[0]", "513 are too many"),
        ("prose", rule(many(33)), ".mark", "33 are too many"),
        (
            "prose",
            rule(pattern!["x", run(0, 512), run(0, 512), run(0, 512), run(0, 512)]),
            ".mark",
            "2049 bytes",
        ),
        ("prose", rule(x()).follow([pattern![until("y"), long(512), long(512)]]), ".follow[0]", ""),
        ("prose", rule(x()).follow(vec![x(); 256]), ".follow", "256 are too many"),
        ("prose", rule(x()).fixed(2), ".fixed", "2 are too many"),
        // Kinds that are not there.
        ("prose", rule(x()).open(Place::Prose(9)), ".action", "`prose` has no number 9"),
        ("prose", rule(x()).open(Place::Section(9)), ".action", "`sections` has no number 9"),
        ("prose", rule(tool.clone()).open(Place::Call(9)), ".action", "`calls` has no number 9"),
        (
            "sections",
            rule(pattern!["{"]).open(Place::Body(9)),
            ".action",
            "`bodies` has no number 9",
        ),
        ("calls", rule(key).param(9), ".action", "`values` has no number 9"),
        (
            "calls",
            rule(x()).close(Scope::Call).then(Place::Section(9)),
            ".action.then",
            "`sections` has no number 9",
        ),
        // Actions that do not belong where they stand.
        ("prose", rule(x()).close(Scope::Call), ".action", "does not belong here"),
        ("prose", rule(x()).does(What::Unexpected), ".action", "does not belong here"),
        ("prose", rule(pattern!["{"]).open(Place::Body(0)), ".action", "does not belong here"),
        ("sections", rule(x()).does(What::Rest), ".action", "does not belong here"),
        ("sections", rule(x()).close(Scope::Body), ".action", "does not belong here"),
        ("calls", rule(x()).does(What::Pass), ".action", "does not belong here"),
        ("calls", rule(x()).does(What::Orphan(Scope::Call)), ".action", "does not belong here"),
        ("values", rule(x()), ".action", "`Mark` does not belong here"),
        ("values", rule(tool).open(Place::Call(0)), ".action", "does not belong here"),
        ("bodies", rule(x()), ".action", "`Mark` does not belong here"),
        ("prose", rule(x()).before(), ".action", "`Mark` cannot come before"),
        ("prose", rule(x()).then(Place::Prose(0)), ".action", "only a rule that closes"),
        ("calls", rule(x()).close(Scope::Call).then(Place::Call(0)), ".action.then", "only prose"),
        // And those that lack what they need.
        ("prose", rule(x()).open(Place::Call(0)), ".action", "name a tool"),
        ("calls", rule(x()).param(0), ".action", "names no parameter"),
        ("calls", rule(x()).does(What::Param(0, Named::Remembered)), ".action", "Flags::NAMED"),
        ("calls", rule(x()).does(What::Name), ".action", "names nothing"),
        ("sections", rule(x()).open(Place::Body(0)), ".action", "end with `{`"),
        (
            "sections",
            rule(pattern!["x{"]).at_end(AtEnd::Prefix).open(Place::Body(0)),
            ".action",
            "half a marker",
        ),
    ] {
        let mut place = String::new();
        let found = mistake(Dialect::TOOL_CALL, |spec| place = put(spec, list, rule) + part);
        assert_eq!(found.0, place, "{}", found.1);
        assert!(found.1.contains(what), "{place}: {}", found.1);
    }
}

#[test]
fn a_mistake_beside_the_rules_has_its_place() {
    for (spoil, place, what) in [
        ((|spec| spec.raw = Some(9)) as fn(&mut DialectSpec), "raw", "no number 9"),
        (|spec| spec.entry = Place::Section(9), "entry", "no number 9"),
        (|spec| spec.entry = Place::Call(0), "entry", "begins in prose"),
        (|spec| spec.thought = Some(9), "thought", "no number 9"),
        (|spec| spec.boundary = vec!["y".into(), "".into()], "boundary[1]", "empty"),
        (|spec| spec.prose.truncate(1), "prose", "two kinds"),
        (|spec| spec.values = vec![spec.values[0].clone(); 101], "values", "101 are too many"),
        (|spec| spec.bodies[0].then = Some(Place::Call(0)), "bodies[0].then", "only prose"),
        (|spec| spec.keywords[1].words.clear(), "keywords[1].words", "none"),
        (|spec| spec.keywords[1].words[0] = " ".into(), "keywords[1].words[0]", "empty"),
        (
            |spec| spec.keywords[1].words = vec!["y".into(); 33],
            "keywords[1].words",
            "33 are too many",
        ),
        (
            |spec| spec.keywords[1].words[0] = "y ".repeat(9).into(),
            "keywords[1].words[0]",
            "9 are too many",
        ),
    ] {
        let found = mistake(Dialect::REACT, spoil);
        assert_eq!(found.0, place, "{}", found.1);
        assert!(found.1.contains(what), "{place}: {}", found.1);
    }
    let nameless = Parser::builder(Dialect::new(DialectSpec::default())).build().unwrap_err();
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
    let many = |count: usize| -> Vec<Rule> {
        let close = |number| rule(pattern![format!("<x{number}>")]).close(Scope::Call);
        (0..count).map(close).collect()
    };
    let mut spec = Dialect::CLINE.spec().clone();
    spec.calls[0].rules = many(62);
    let mut parser = Parser::builder(Dialect::new(spec)).tools(soup::tools()).build().unwrap();
    let ends = |event: &Event<&str>| matches!(event, Event::ToolUse(ToolUse::End { .. }));
    assert_eq!(parser.feed("<read><path>a</path></read>").filter(ends).count(), 0);
    assert_eq!(parser.feed("<x61>").filter(ends).count(), 1, "the last one counts");
    let found = mistake(Dialect::CLINE, |spec| spec.calls[0].rules = many(63));
    assert_eq!(found.0, "calls[0].rules");

    // Alternatives multiply.
    let ways = |pieces: usize| {
        let two =
            |number| Piece::Any(vec![format!("a{number}").into(), format!("b{number}").into()]);
        rule((0..pieces).map(two).collect()).close(Scope::Call)
    };
    for (pieces, count, place) in [(9, 1, "calls[0].rules[0].mark"), (8, 5, "calls[0].rules")] {
        let rules = vec![ways(pieces); count];
        let found = mistake(Dialect::CLINE, |spec| spec.calls[0].rules = rules);
        assert_eq!(found.0, place, "{}", found.1);
    }
}

#[test]
fn rules_that_take_no_byte_lead_nowhere_twice() {
    let lead = |mark: Pattern, what: What| {
        mistake(Dialect::TOOL_CALL, |spec| {
            put(spec, "prose", rule(mark).does(what));
        })
    };
    let blanks = Run::new(Chars::BLANK, 0, 8);
    let what = "rules that act before their markers lead back here in a circle";
    for (mark, action) in [
        (pattern![At::LineStart], What::Mark),
        (pattern![At::Start, blanks], What::Orphan(Scope::Call)),
        (pattern![At::LineStart, Ref::Call], What::Pass),
        (pattern![At::Start], What::Open(Place::Prose(0))),
    ] {
        assert_eq!(lead(mark, action), ("prose[0].rules".into(), what.into()));
    }
    // What stands in a section that only takes white space ends it, and is read again: this rule leads
    // back to the section, and nobody can tell from the table that it will.
    let mut spec = Dialect::TOOL_CALL.spec().clone();
    spec.sections[0].between = Between::Only(Chars::WHITE);
    let back = rule(pattern!["@"]).before().close(Scope::Prose).then(Place::Section(0));
    put(&mut spec, "prose", back);
    let parser = Parser::builder(Dialect::new(spec)).tools(soup::tools()).build().unwrap();
    for text in ["@", "a@b@", "@@ @\n@"] {
        check::hold(&parser, text, &check::every_cut(text.len()), Ended::Stop).unwrap();
    }
}

/// A second dialect is checked as the first is, and named.
#[test]
fn the_mistake_names_its_dialect() {
    let mut spec = Dialect::GLM.spec().clone();
    (spec.name, spec.raw) = ("mine".into(), Some(9));
    let error = Parser::builder(Dialect::REACT.and(Dialect::new(spec))).build().unwrap_err();
    assert_eq!(
        error.to_string(),
        "the dialect `mine` has a mistake at `raw`: `values` has no number 9, only 2"
    );
}

/// Every type of a table can be made in another crate, and goes on to be when it has more fields.
/// `[[calls]]`, in it `NAME {JSON}` or `NAME: text` a line, `[[/calls]]`; `note:` lines are reasoning.
#[test]
fn a_table_of_ones_own() {
    let name =
        |end: &'static str| pattern![At::LineStart, Name::tool().known(Known::Declared), end];
    let close = pattern!["[[/calls]]"];
    let mut spec = DialectSpec::new("lines", "a call a line", Template::default());
    let note = rule(pattern![At::LineStart, "note:"]).open(Place::Prose(1));
    let open = rule(pattern!["[[calls]]"]).needs(Flags::LINE_START).open(Place::Section(0));
    spec.prose = vec![
        ProseKind::text(vec![open, note]),
        ProseKind::reasoning(vec![rule(pattern!["\n"]).close(Scope::Prose)]),
    ];
    spec.sections = vec![SectionKind::new(vec![
        rule(name(" ")).open(Place::Call(0)),
        rule(name(": ")).open(Place::Call(1)),
        rule(close.clone()).close(Scope::Section),
    ])];
    let json = rule(pattern![At::Start, "{"]).open(Place::Body(0));
    let text = rule(pattern![At::Start]).does(What::Param(0, Named::OnlyOne));
    spec.calls = vec![CallKind::new(vec![json]), CallKind::new(vec![text])];
    spec.bodies = vec![BodyKind::new(Gives::Arguments)];
    let end = rule(pattern!["\n"]).close(Scope::Call);
    spec.values = vec![ValueKind::new(Framing::None, vec![end])];
    spec.template.call = CallForm::default();
    (spec.template.call.open, spec.template.call.close) =
        ("[[calls]]\n{name} ".into(), "\n[[/calls]]".into());
    spec.template.result = ResultForm::default();
    spec.template.result.ok = "{name} gave: {content}".into();

    let dialect = Dialect::new(spec);
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
