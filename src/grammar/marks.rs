//! The texts that a text or a value must not hold. The parser itself finds them.
//!
//! A parser in text, or in the value of an argument, gets each text that a marker may be made of ([`Probe`]). Either it
//! emits all of it as payload, or the text is the beginning of a marker. If a text must follow for the marker to count, its
//! first characters are found in the same way. The answers are approximations from above: a larger set is no mistake, and a
//! lexer stays small.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::Call;
use crate::event::{Event, ToolUse};
use crate::options::Start;
use crate::parser::Parser;
use crate::parser::tables::Tables;
use crate::tool::Tool;

/// White space of any length. In a value too much of it breaks a call, but counting it would take too many
/// states.
pub(super) const WHITE: &str = r"[ \t\r\n]*";
const TOO_MUCH: &str = r"[ \t\r\n]{4}";

/// A character that is in no marker.
const PLAIN: &str = "\u{1}";

/// The texts for any name (a letter and a digit) and for any other text (the last one).
const ANY: [&str; 3] = ["z", "0", PLAIN];

/// The number of examined characters of the text behind a marker.
const HEAD: usize = 8;

/// The markers that a text must not hold: all markers of text, or all that end a value.
pub(super) struct Marks {
    /// The markers up to the text that shows them.
    pub begins: Vec<String>,
    /// The markers as regular expressions.
    ends: Vec<String>,
    /// The characters that must not begin a text, after white space.
    pub first: String,
}

impl Marks {
    pub fn in_text(tables: &Tables) -> Marks {
        let marks = Probe::in_text(tables).map(|probe| probe.marks()).unwrap_or_default();
        let mut begins: Vec<String> = marks.iter().flat_map(Asked::all).map(String::from).collect();
        // Behind a call it may begin an invented result.
        let invented = tables.reads.grammars.iter();
        begins.extend(invented.flat_map(|of| &of.prose.invented).map(|text| text.to_string()));
        let begins = beginnings(begins);
        let ends = begins.iter().map(|text| escaped(text)).collect();
        Marks { begins, ends, first: String::new() }
    }

    /// Returns the markers that end a value of `param` behind the text `before`, which opens the call and the argument.
    pub fn in_value(tables: &Tables, tool: &Tool, param: &str, before: &str) -> Marks {
        let Some(probe) = Probe::in_value(tables, tool, param, before) else {
            return Marks { begins: Vec::new(), ends: Vec::new(), first: String::new() };
        };
        let marks = probe.marks();
        let ends = marks.iter().filter_map(|of| probe.end(of, &marks)).collect();
        let begins = marks.iter().flat_map(Asked::all).map(String::from).collect();
        Marks { begins: beginnings(begins), ends, first: String::new() }
    }

    /// Returns the markers of text after a call. If nothing has closed its section, the markers of a section count
    /// there, above all another call.
    pub fn after(tables: &Tables, call: &Call<'_>) -> Marks {
        let object = if call.is_json() { "{}" } else { "" };
        let whole = [&*call.open, object, &call.close].concat();
        let [text, after] = ["x", &whole].map(|before| Probe::new(tables, Vec::new(), before));
        let first = text.zip(after).map(|(text, after)| {
            let takes = |probe: &Probe, c: &char| probe.takes(c.encode_utf8(&mut [0; 4]));
            ('!'..='~').filter(|c| takes(&after, c) && !takes(&text, c)).collect()
        });
        Marks { first: first.unwrap_or_default(), ..Marks::in_text(tables) }
    }

    /// Returns the markers as a regular expression.
    pub fn expression(&self) -> String {
        one_of(self.ends.iter().cloned())
    }
}

/// Parsers that have read the text before a text or a value, and the texts to ask them for.
struct Probe {
    parsers: Vec<Parser>,
    texts: Vec<Asked>,
}

/// A text to ask the parsers for. A text with a name stands for the texts with all names that a parser treats alike.
#[derive(Clone)]
struct Asked {
    text: String,
    others: Vec<String>,
}

impl Asked {
    /// Returns the text and the texts that it stands for.
    fn all(&self) -> impl Iterator<Item = &str> {
        [&self.text].into_iter().chain(&self.others).map(|text| &**text)
    }

    /// Whether `other` begins with this text and has a form for each of its names.
    fn is_continued_by(&self, other: &Asked) -> bool {
        other.text.len() > self.text.len()
            && other.text.starts_with(&self.text)
            && other.others.len() >= self.others.len()
    }
}

impl Probe {
    fn new(tables: &Tables, texts: Vec<Asked>, before: &str) -> Option<Probe> {
        let mut parser = tables.markers().reader()?.clone();
        let _ = parser.feed(before);
        Some(Probe { parsers: vec![parser], texts })
    }

    /// Makes a probe of text: at the start of the message, in a line, and at the start of a line.
    fn in_text(tables: &Tables) -> Option<Probe> {
        let mut texts = Texts::new(tables);
        texts.names(tables.tools.iter().map(|tool| &*tool.name));
        let probe = Probe::new(tables, texts.all, "")?;
        let mut parsers = probe.parsers;
        for before in ["x", "x\n"] {
            let mut parser = parsers[0].clone();
            let _ = parser.feed(before);
            parsers.push(parser);
        }
        Some(Probe { parsers, ..probe })
    }

    /// Makes a probe of this parameter's value: at its start, and inside.
    fn in_value(tables: &Tables, tool: &Tool, param: &str, before: &str) -> Option<Probe> {
        let mut texts = Texts::new(tables);
        texts.before_names.extend(["<", "</", ""].map(String::from));
        // A prefix of tags, as in `<param:path>`.
        let prefixes = texts.all.iter().filter(|of| of.text.ends_with(':'));
        texts.before_names.extend(prefixes.map(|of| of.text.clone()));
        let params = tool.params.iter().map(|param| &*param.name);
        texts.names([param].into_iter());
        texts.names(params.filter(|name| *name != param));
        let tools = tables.tools.iter().map(|tool| &*tool.name);
        texts.names([&*tool.name].into_iter());
        texts.names(tools.filter(|name| *name != tool.name));
        let probe = Probe::new(tables, texts.all, before)?;
        let mut inside = probe.parsers[0].clone();
        let _ = inside.feed("x");
        Some(Probe { parsers: [&probe.parsers[..], &[inside]].concat(), ..probe })
    }

    /// Whether any of the parsers reads a part of this text as more than payload, or keeps it pending.
    fn takes(&self, text: &str) -> bool {
        self.parsers.iter().any(|parser| payload_bytes(parser, text) < text.len())
    }

    /// Returns the beginnings of markers. Texts of one or two bytes are in too many other texts.
    fn marks(&self) -> Vec<Asked> {
        let marks = self.texts.iter().filter(|of| of.text.len() > 2 && self.takes(&of.text));
        let mut marks: Vec<Asked> = marks.cloned().collect();
        marks.sort_by(|left, right| left.text.cmp(&right.text));
        marks.dedup_by(|left, right| left.text == right.text && left.others == right.others);
        marks
    }

    /// Returns an expression of this marker and, unless it counts by itself, of the text that must follow it. `None`:
    /// other `marks`, which go on with it, cover it.
    fn end(&self, asked: &Asked, marks: &[Asked]) -> Option<String> {
        let mark = &*asked.text;
        let counts = |after: &str| {
            self.parsers
                .iter()
                .any(|parser| payload_bytes(parser, &[mark, after].concat()) < mark.len())
        };
        let begin = match &asked.others[..] {
            [] => escaped(mark),
            _ => one_of(asked.all().map(escaped)),
        };
        if counts(PLAIN) {
            return Some(begin);
        }
        let longer = marks.iter().filter(|other| asked.is_continued_by(other));
        let longer: Vec<&str> = longer.map(|other| &*other.text).collect();
        let mut heads = self.heads(counts);
        heads.retain(|head| !head.is_covered(mark, &longer));
        (!heads.is_empty()).then(|| format!("{begin}{WHITE}{}", Head::any_of(&heads)))
    }

    /// Returns the beginnings of all texts that may follow, up to the character behind which any text may
    /// follow.
    fn heads(&self, counts: impl Fn(&str) -> bool) -> BTreeSet<Head> {
        let open = |text: &str| ANY.iter().any(|next| counts(&format!("{text}{next}")));
        let mut asked: HashMap<&str, (bool, bool)> = HashMap::new();
        let mut heads = BTreeSet::new();
        for of in self.texts.iter().filter(|of| of.text.len() > 2 && counts(&of.text)) {
            let mut head = |end: usize| {
                let text = &of.text[..end];
                *asked.entry(text).or_insert_with(|| {
                    let open = open(text);
                    (open, open && !counts(&format!("{text}/{}", ANY[0])))
                })
            };
            let ends = of.text.char_indices().map(|(at, c)| at + c.len_utf8()).take(HEAD);
            let ends: Vec<usize> = ends.collect();
            let any = ends.iter().find(|end| {
                let (open, no_slash) = head(**end);
                open && !(no_slash && of.text[**end..].starts_with('/'))
            });
            let Some(end) = any.or(ends.last()) else { continue };
            let (open, no_slash) = head(*end);
            // The other texts differ from this one only in the name: their beginnings are as long.
            let texts = of.all().map(|text| text.get(..*end).unwrap_or(text).to_string());
            heads.extend(texts.map(|text| Head { text, open, no_slash }));
        }
        // The first characters of unknown texts.
        let known: HashSet<_> = heads.iter().filter_map(|head| head.text.chars().next()).collect();
        let others = ('!'..='~').filter(|first| !known.contains(first)).map(String::from);
        let others: Vec<String> = others.filter(|first| counts(first)).collect();
        heads.extend(others.into_iter().map(|text| Head { text, open: true, no_slash: false }));
        heads
    }
}

/// The beginning of a text that may follow a marker.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Head {
    text: String,
    /// Any text may follow.
    open: bool,
    /// Without a slash: only known closers count.
    no_slash: bool,
}

impl Head {
    /// Whether an expression of one of these longer markers covers `mark` with this text behind it.
    fn is_covered(&self, mark: &str, longer: &[&str]) -> bool {
        let text = [mark, &*self.text].concat();
        longer
            .iter()
            .any(|longer| text.starts_with(longer) || (!self.open && longer.starts_with(&text)))
    }

    fn expression(&self) -> String {
        escaped(&self.text) + if self.no_slash { r"[^\/]" } else { "" }
    }

    /// Returns an expression of any of these, or of too much white space. Single characters are one class.
    fn any_of(heads: &BTreeSet<Head>) -> String {
        let is_one = |head: &&Head| head.text.chars().count() == 1 && !head.no_slash;
        let (one, more): (Vec<&Head>, Vec<&Head>) = heads.iter().partition(is_one);
        let class: String = one.iter().map(|head| &*head.text).collect();
        let class = (!one.is_empty()).then(|| format!("[{}]", escaped(&class)));
        let more = more.iter().map(|head| head.expression());
        one_of(more.chain(class).chain([TOO_MUCH.into()]))
    }
}

/// Returns how many bytes of this text a parser emits as payload.
fn payload_bytes(parser: &Parser, text: &str) -> usize {
    let payload = |event: Event<&str>| match event {
        Event::TextContent(text) | Event::Reasoning(text) => text.len(),
        Event::ToolUse(ToolUse::ParamDelta(text)) => text.len(),
        _ => 0,
    };
    parser.clone().feed(text).map(payload).sum()
}

/// The texts that the markers of a dialect may be made of.
struct Texts {
    all: Vec<Asked>,
    /// The texts before names.
    before_names: Vec<String>,
}

impl Texts {
    fn new(tables: &Tables) -> Texts {
        let mut all: Vec<String> = Vec::new();
        let mut before_names = Vec::new();
        for grammar in &tables.reads.grammars {
            grammar.texts(&mut |text| all.push(text.to_string()));
            before_names.extend(grammar.words.then(String::new));
            before_names.extend(grammar.family.before_names().iter().map(|text| text.to_string()));
        }
        // The name alone shows a tag, and the first text shows a token.
        let head = |text: &String| {
            let end = text.find([' ', '>']).filter(|_| text.starts_with(['<', '[']))?;
            Some(text[..=end].trim_end().to_string())
        };
        let heads: Vec<String> = all.iter().filter_map(head).collect();
        let asked = |text| Asked { text, others: Vec::new() };
        Texts { all: all.into_iter().chain(heads).map(asked).collect(), before_names }
    }

    /// Adds the openers with these names. A parser treats the names alike.
    fn names<'n>(&mut self, names: impl Iterator<Item = &'n str>) {
        let names: Vec<&str> = names.collect();
        let Some((name, others)) = names.split_first() else { return };
        for before in &self.before_names {
            self.all.extend(["", ">"].map(|after| {
                let with = |name: &str| format!("{before}{name}{after}");
                Asked { text: with(name), others: others.iter().map(|name| with(name)).collect() }
            }));
        }
    }
}

/// Reasoning at the beginning of a message.
pub(super) struct Thought {
    /// The message begins in it.
    pub must_come: bool,
    /// The texts that open and close it. Without openers, the message begins inside.
    pub open: Vec<String>,
    pub close: Vec<String>,
    /// The texts that it must not hold: its closers, and the markers of text.
    pub excludes: Vec<String>,
}

impl Thought {
    pub fn new(tables: &Tables) -> Option<Thought> {
        let [open, close] = tables.grammar(0).reasoning();
        let texts = |texts: &[Box<str>]| texts.iter().map(|text| text.to_string()).collect();
        let close: Vec<String> = texts(close);
        let must_come = tables.options.start == Start::Reasoning;
        let open: Vec<String> = if must_come { Vec::new() } else { texts(open) };
        if close.is_empty() || (open.is_empty() && !must_come) {
            return None;
        }
        let excludes = beginnings([Marks::in_text(tables).begins, close.clone()].concat());
        Some(Thought { must_come, open, close, excludes })
    }
}

/// Joins these expressions, each written once: lexers have bounds.
pub(super) fn one_of(ways: impl Iterator<Item = String>) -> String {
    let mut known = HashSet::new();
    let ways = ways.filter(|way| known.insert(way.clone()));
    format!("(?:{})", Vec::from_iter(ways).join("|"))
}

/// A text as an expression of itself.
pub(super) fn escaped(text: &str) -> String {
    let one = |c: char| match c {
        '\n' => r"\n".into(),
        c if c.is_ascii_control() => format!(r"\x{:02x}", u32::from(c)),
        c if r"\.+*?()|[]{}^$#&-~/".contains(c) => format!(r"\{c}"),
        c => c.to_string(),
    };
    text.chars().map(one).collect()
}

/// Sorts the texts, and drops those that begin with another one.
fn beginnings(mut texts: Vec<String>) -> Vec<String> {
    texts.sort();
    texts.dedup_by(|longer, text| longer.starts_with(&**text));
    texts
}
