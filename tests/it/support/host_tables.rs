//! Tables of the built-in dialects, spoilt as JSON: whatever a field may hold, some other field of that name or
//! number takes its place. The texts are what the table's own markers look like.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::{Value, json};
use toolstream::check::{self, Ended};
use toolstream::{Dialect, DialectSpec, Fences, Options, Parser, Start};

use super::markers::{self, list, table};
use super::soup::{self, Choices};

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
        let table = table(dialect);
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

/// The same places of the same part have one kind: `mark/-`, `open/call`.
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
    table: &'a Value,
    choices: &'a mut Choices<'c>,
    text: String,
    /// The rules of the state that the last one led to.
    rules: &'a [Value],
    /// Those of the open call.
    call: &'a [Value],
    /// The names that came last: of a call, of a parameter, of anything.
    names: [String; 3],
}

/// The rules of a kind of a state.
fn rules<'a>(table: &'a Value, kinds: &str, number: &Value) -> &'a [Value] {
    let number = number.as_u64().and_then(|number| usize::try_from(number).ok());
    number.map_or(&[], |number| list(&table[kinds][number]["rules"]))
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
                self.pattern(&rule["mark"]);
                let follow = list(&rule["follow"]);
                if !follow.is_empty() && self.choices.one_in(4) {
                    let element = below(self.choices, follow.len());
                    self.pattern(&follow[element]);
                }
                self.go_on(rule);
            }
            let between = self.choices.of(BETWEEN);
            self.text.push_str(between);
        }
        // A stream may end anywhere, best of all inside a marker.
        let lost = self.choices.below(6);
        (0..lost).for_each(|_| _ = self.text.pop());
        self.text
    }

    fn any_rules(&mut self) -> &'a [Value] {
        let kind = Value::from(self.choices.below(4));
        let kinds = ["prose", "sections", "calls", "values", "bodies"][self.choices.below(5)];
        rules(self.table, kinds, &kind)
    }

    fn go_on(&mut self, rule: &Value) {
        let table = self.table;
        let (open, close) = (&rule["open"], &rule["close"]);
        if let Some(call) = open.get("call") {
            self.call = rules(table, "calls", call);
            self.rules = self.call;
        } else if let Some(prose) = open.get("prose") {
            self.rules = rules(table, "prose", prose);
        } else if let Some(section) = open.get("section") {
            self.rules = rules(table, "sections", section);
        } else if let Some(body) = open.get("body") {
            self.rules = rules(table, "bodies", body);
        } else if let Some(value) = rule.get("param") {
            self.rules = rules(table, "values", value);
        } else if close == "value" {
            self.rules = self.call;
        } else if !close.is_null() {
            self.rules = rules(table, "prose", &json!(0));
        }
    }

    /// What a pattern may look like.
    fn pattern(&mut self, pattern: &Value) {
        const NAMES: &[&str] = &["read", "write", "path", "content", "ré.d", "x"];
        for piece in list(pattern) {
            match markers::kind(piece) {
                "text" | "any" => {
                    let text = one(self.choices, &markers::texts(piece));
                    self.text.push_str(text);
                }
                "run" => self.run(piece),
                "until" => {
                    let to = piece["until"].as_str().unwrap();
                    self.text.push_str(&format!("x{to}"));
                }
                "name" => self.name(piece),
                "ref" => {
                    let last = match piece["ref"].as_str() {
                        Some("call") => 0,
                        Some("param") => 1,
                        _ => 2,
                    };
                    let last = self.names[last].clone();
                    let other = self.choices.one_in(8);
                    self.text.push_str(if other { self.choices.of(NAMES) } else { &last });
                }
                "object" => {
                    let objects = [
                        "{\"name\": \"read\", \"arguments\": {\"path\": \"x\"}}",
                        "[{\"tool\": \"ré.d\"}]",
                        "{\"name\": \"read\", \"version\": 1}",
                        "{\"arguments\": {}, \"na",
                    ];
                    self.text.push_str(self.choices.of(&objects));
                }
                "not_next" | "tool" => {}
                "keyword" => {
                    let number = piece["keyword"].as_u64().unwrap() as usize;
                    let words = list(&self.table["keywords"][number]["words"]);
                    let around = self.choices.of(&["", "", "**", "_", "# ", " "]);
                    let words = one(self.choices, words);
                    let words = words.as_str().unwrap();
                    self.text.push_str(&format!("{around}{words}{around}:{around}"));
                }
                "tool_line" => {
                    let lines =
                        [" read", "read(", "read[", "None", "x y", "\n\nwrite", "", "`read`"];
                    self.text.push_str(self.choices.of(&lines));
                }
                _ => self.text.push('\n'),
            }
        }
    }

    fn run(&mut self, run: &Value) {
        let fits = (0..0x80_u8).map(char::from).filter(|c| markers::has(&run["run"], *c));
        let fits: Vec<char> = fits.collect();
        let [min, max] = [("min", 0), ("max", 256)]
            .map(|(key, default)| run[key].as_u64().map_or(default, |count| count as usize));
        // Now and then as many as may be, or one more.
        let most = max + self.choices.below(2);
        let some = self.choices.below(3);
        let count = if self.choices.below(64) == 63 { most } else { some };
        for _ in 0..count.max(min) {
            let at = self.choices.below(128) % fits.len().max(1);
            self.text.extend(fits.get(at));
        }
    }

    fn name(&mut self, name: &Value) {
        let quotes: &[&str] = if name.get("quoted").is_some() { &["\"", "'", ""] } else { &[""] };
        let quote = self.choices.of(quotes);
        let long = "n".repeat(126 + self.choices.below(4));
        let whose = name["name"].as_str().unwrap();
        let names = match whose {
            "tool" | "tool_id" => &["read", "write", "ré.d", "x"],
            "param" => &["path", "content", "x", "read"],
            _ => &["read", "write", "path", "content"],
        };
        let rare = self.choices.below(64) == 63;
        let of = if rare { &*long } else { self.choices.of(names) };
        match whose {
            "tool" | "tool_id" => self.names[0] = of.into(),
            "param" => self.names[1] = of.into(),
            _ => {}
        }
        self.names[2] = of.into();
        let prefix = name["prefix"].as_str().unwrap_or_default();
        self.text.push_str(&format!("{quote}{prefix}{of}{quote}"));
    }
}

pub fn soup(table: &Value, choices: &mut Choices<'_>) -> String {
    let (names, text) = (Default::default(), String::new());
    let rules = rules(table, "prose", &json!(0));
    Writer { table, choices, text, rules, call: &[], names }.write()
}

fn options(choices: &mut Choices<'_>) -> Options {
    let mut options = Options::default();
    options.tool_limit = choices.of(&[None, Some(1), Some(3)]);
    options.fences = choices.of(&[Fences::Parse, Fences::Parse, Fences::Quote]);
    options.start = choices.of(&[Start::Text, Start::Reasoning]);
    options.implicit_thought = choices.one_in(4);
    options
}

/// What became of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Case {
    Refused,
    Held,
}

pub fn case(data: &[u8]) -> Result<Case, String> {
    let mut choices = Choices::new(data);
    let first = choices.of(Dialect::ALL);
    let mut table = table(&first);
    let mut spec = first.spec().clone();
    for _ in 0..=choices.below(4) {
        let mut spoilt = table.clone();
        spoil(&mut spoilt, &mut choices);
        // What is no table is another test's.
        if let Ok(read) = DialectSpec::deserialize(&spoilt) {
            // What is as by default is left out again.
            (table, spec) = (serde_json::to_value(&read).unwrap(), read);
        }
    }
    let (options, ended) = (options(&mut choices), choices.of(&[Ended::Stop, Ended::Cut]));
    let own = Dialect::new(spec);
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
    let text = soup(&table, &mut choices);
    match check::hold(&parser, &text, &check::every_cut(text.len()), ended) {
        Ok(_) => Ok(Case::Held),
        Err(broken) => Err(format!("{broken}\n{text:?}\n{table}")),
    }
}

/// Whether a mistake's place is one of the table: `values[0].rules[2].mark`.
pub fn has_place(table: &Value, place: &str) -> bool {
    // An empty name is left out of the JSON.
    if place == "name" {
        return true;
    }
    let pointer = "/".to_string() + &place.replace('[', "/").replace(']', "").replace('.', "/");
    let (parent, last) = pointer.rsplit_once('/').unwrap_or_default();
    // A field that is as by default is left out.
    let field = || table.pointer(parent).is_some_and(Value::is_object) && !last.is_empty();
    table.pointer(&pointer).is_some() || field() && DONORS.contains_key(&kind(&pointer))
}
