//! What a long text is searched for where the first bytes of the markers are many, or common.
//!
//! A byte that the text is full of stops a search again and again. So what a marker begins with is found by
//! an *anchor*: a byte that all of the markers have, or else the rarest that each has. `]<]minimax[>[<` and
//! `<think>` have one in common; `function call<|role_sep|>` is no longer looked at wherever there is an `f`,
//! nor `^^^` wherever a line begins. What stands before an anchor may vary ([`Gap`]): `functools`, white
//! space, `[`.
//!
//! At an anchor it is looked back to where the marker would begin ([`Head`]). Text ends before an anchor has
//! come: [`Anchors::half`] says where the marker would begin then, and it is held.

use super::{Begins, Node, PatternStep, Table};
use crate::dialect::spec::Chars;
use crate::options::bounds;

/// A shorter text is searched for first bytes, which needs no preparation; in bytes.
pub(crate) const LONG: usize = 32;
/// How many anchors are searched for in one pass at most.
const MOST: usize = 3;

/// What finds the markers of a table.
#[derive(Clone, Debug)]
pub(crate) struct Anchors {
    bytes: Vec<u8>,
    heads: Vec<Head>,
}

/// What a marker begins with, up to its first anchor.
#[derive(Clone, Debug, Default, PartialEq)]
struct Head {
    begins: Begins,
    /// What comes before the gap; nothing without one.
    text: Vec<u8>,
    gap: Option<Box<Gap>>,
    /// Its last byte is the anchor.
    end: Vec<u8>,
}

/// Bytes of a class, at most so many.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Gap {
    bytes: ByteSet,
    most: usize,
}

pub(crate) type ByteSet = [bool; 256];

impl Anchors {
    /// Nothing where first bytes serve as well, or where it takes more than heads to find a marker.
    /// `bounds_count`: here it means something if a marker is too long, and so all of them are to be read.
    pub fn new(table: &Table, bounds_count: bool) -> Option<Anchors> {
        if table.accepts_lines() {
            return None;
        }
        let mut heads = Vec::new();
        for begins in [Begins::Byte, Begins::Line] {
            for node in table.after(begins) {
                let head = Head { begins, ..Head::default() };
                head.follow(table, node, bounds_count, &mut heads);
            }
        }
        let bytes = anchors(&heads);
        let heads = heads.into_iter().map(|head| head.up_to(&bytes)).collect::<Option<_>>()?;
        let heads = joined(heads);
        let pays = |head: &Head| head.end.len() > 1 || head.gap.is_some() || head.is_line();
        if !heads.iter().any(pays) || heads.iter().any(|head| head.may_hide_one_of(&heads)) {
            return None;
        }
        (bytes.len() <= MOST).then_some(Anchors { bytes, heads })
    }

    /// Where the first marker may begin whose anchor stands in the text, and why; also how far was looked
    /// for it. `counts` says whether a marker can begin there.
    pub fn find(
        &self,
        text: &[u8],
        counts: impl Fn(Begins, usize) -> bool,
    ) -> (usize, Option<(Begins, usize)>) {
        let mut read = 0;
        while let Some(offset) = next(&self.bytes, &text[read..]) {
            read += offset + 1;
            let found = self.ending(&text[..read], &counts);
            if found.is_some() {
                return (read, found);
            }
        }
        (text.len(), None)
    }

    /// Where a marker may begin whose anchor is the last byte.
    fn ending(
        &self,
        text: &[u8],
        counts: impl Fn(Begins, usize) -> bool,
    ) -> Option<(Begins, usize)> {
        let heads = self.heads.iter().filter(|head| head.end.last() == text.last());
        let starts = heads.filter_map(|head| Some((head.begins, head.before(text)?)));
        first(starts.filter(|&(begins, start)| counts(begins, start)))
    }

    /// Where the text ends in what a marker begins with, before its anchor has come.
    pub fn half(
        &self,
        text: &[u8],
        counts: impl Fn(Begins, usize) -> bool,
    ) -> Option<(Begins, usize)> {
        let starts = self.heads.iter().flat_map(|head| {
            let starts = head.halves(text).filter(|start| *start < text.len());
            starts.map(|start| (head.begins, start))
        });
        first(starts.filter(|&(begins, start)| counts(begins, start)))
    }
}

/// The one that begins first; of those that begin in one place the line, after which the byte is tried.
fn first(starts: impl Iterator<Item = (Begins, usize)>) -> Option<(Begins, usize)> {
    starts.min_by_key(|(begins, start)| (*start, *begins == Begins::Byte))
}

fn next(bytes: &[u8], text: &[u8]) -> Option<usize> {
    match *bytes {
        [] => None,
        [a] => memchr::memchr(a, text),
        [a, b] => memchr::memchr2(a, b, text),
        [a, b, c, ..] => memchr::memchr3(a, b, c, text),
    }
}

impl Head {
    /// Notes the heads of all markers that begin with this one and go on with a node: as much of them as
    /// is known beforehand, but where they part no more than it takes to have an anchor.
    fn follow(mut self, table: &Table, node: &Node, bounds_count: bool, heads: &mut Vec<Head>) {
        let gap = |chars, most| Gap { bytes: super::bytes_of(chars), most };
        let known = match &node.step {
            PatternStep::Lit(text) => {
                self.end.extend(text.bytes());
                true
            }
            _ if bounds_count && !table.is_noise(node) => false,
            PatternStep::Run { run, .. } => self.add(gap(run.chars, run.max.into())),
            PatternStep::Follow => self.add(gap(Chars::WHITE, bounds::WHITE_SPACE)),
            _ => false,
        };
        let enough = node.kids.len() > 1 && rarest(self.bytes()).is_some();
        if !known || node.decides || node.kids.is_empty() || enough {
            return heads.push(self);
        }
        for kid in &node.kids {
            let kid = &table.nodes[kid.node as usize];
            self.clone().follow(table, kid, bounds_count, heads);
        }
    }

    /// A gap comes next. There can be one, of other bytes than what stands before it.
    fn add(&mut self, gap: Gap) -> bool {
        let fits = self.gap.is_none() && !self.end.last().is_some_and(|byte| gap.has(*byte));
        let begins = self.is_line() || !self.end.is_empty();
        if fits && begins {
            (self.text, self.gap) = (std::mem::take(&mut self.end), Some(Box::new(gap)));
        }
        fits && begins
    }

    fn is_line(&self) -> bool {
        self.begins == Begins::Line
    }

    /// All that is known of it.
    fn bytes(&self) -> impl Iterator<Item = u8> {
        self.text.iter().chain(&self.end).copied()
    }

    /// The same up to the first anchor, if it has one.
    fn up_to(mut self, anchors: &[u8]) -> Option<Head> {
        let anchor = |text: &[u8]| text.iter().position(|byte| anchors.contains(byte));
        if let Some(at) = anchor(&self.text) {
            self.text.truncate(at + 1);
            return Some(Head { begins: self.begins, end: self.text, ..Head::default() });
        }
        let at = anchor(&self.end)?;
        self.end.truncate(at + 1);
        Some(self)
    }

    /// Whether the anchor of another marker may stand in the gap, which would then be taken up first though
    /// it begins later; or its own, and it would be looked back over the same bytes again and again. Markers
    /// that begin with the same line are taken up together.
    fn may_hide_one_of(&self, heads: &[Head]) -> bool {
        let Some(gap) = &self.gap else { return false };
        let breaks = self.is_line() && (gap.has(b'\n') || self.text.contains(&b'\n'));
        breaks
            || heads.iter().any(|other| {
                let apart = !(self.is_line() && other.is_line()) || self.end == other.end;
                apart && other.end.last().is_some_and(|anchor| gap.has(*anchor))
            })
    }

    /// Where it begins if the text ends with its anchor.
    fn before(&self, text: &[u8]) -> Option<usize> {
        let text = before(text, &self.end)?;
        match &self.gap {
            None => Some(text.len()),
            Some(gap) => self.before_gap(gap, text),
        }
    }

    /// The same if it ends with the gap.
    fn before_gap(&self, gap: &Gap, text: &[u8]) -> Option<usize> {
        before(gap.before(text), &self.text).map(<[u8]>::len)
    }

    /// Where it begins if the text ends with some of it.
    fn halves(&self, text: &[u8]) -> impl Iterator<Item = usize> {
        let half = |half: &[u8]| before(text, half);
        let begun = if self.gap.is_some() { &self.text } else { &self.end };
        let begun = (1..begun.len()).filter_map(move |len| half(&begun[..len]).map(<[u8]>::len));
        let after_gap = self.gap.iter().flat_map(move |gap| {
            let ends = (0..self.end.len()).filter_map(move |len| half(&self.end[..len]));
            ends.filter_map(|text| self.before_gap(gap, text))
        });
        begun.chain(after_gap)
    }
}

/// What stands before the end of a text. (By the byte: a call of `memcmp` takes longer.)
fn before<'t>(text: &'t [u8], end: &[u8]) -> Option<&'t [u8]> {
    let (before, last) = text.split_at_checked(text.len().checked_sub(end.len())?)?;
    let same = last.iter().zip(end).all(|(one, other)| one == other);
    same.then_some(before)
}

impl Gap {
    fn has(&self, byte: u8) -> bool {
        self.bytes[byte as usize]
    }

    /// What stands before it where it ends the text; if that is longer, another of its bytes.
    fn before<'t>(&self, text: &'t [u8]) -> &'t [u8] {
        let least = text.len().saturating_sub(self.most);
        let mut end = text.len();
        while end > least && self.has(text[end - 1]) {
            end -= 1;
        }
        &text[..end]
    }
}

/// Each once. Those that differ by their gaps are one.
fn joined(heads: Vec<Head>) -> Vec<Head> {
    let mut joined: Vec<Head> = Vec::new();
    for head in heads {
        let same = |other: &&mut Head| {
            let gaps = other.gap.is_some() == head.gap.is_some();
            gaps && (other.begins, &other.text, &other.end) == (head.begins, &head.text, &head.end)
        };
        match joined.iter_mut().find(same) {
            None => joined.push(head),
            Some(other) => {
                if let (Some(gap), Some(more)) = (&mut other.gap, head.gap) {
                    gap.most = gap.most.max(more.most);
                    for byte in 0..gap.bytes.len() {
                        gap.bytes[byte] |= more.bytes[byte];
                    }
                }
            }
        }
    }
    joined
}

/// A byte that all of the heads have, if one is rare enough; else the rarest of each.
fn anchors(heads: &[Head]) -> Vec<u8> {
    let everywhere = |byte: &u8| heads.iter().all(|head| head.bytes().any(|other| other == *byte));
    let common = heads.first().and_then(|head| rarest(head.bytes().filter(everywhere)));
    let mut bytes: Vec<u8> = match common {
        Some(byte) => vec![byte],
        None => heads.iter().filter_map(|head| rarest(head.bytes())).collect(),
    };
    bytes.sort_unstable();
    bytes.dedup();
    bytes
}

fn rarest(bytes: impl Iterator<Item = u8>) -> Option<u8> {
    bytes.filter(|byte| commonness(*byte) < COMMON).min_by_key(|byte| commonness(*byte))
}

/// Text is full of such bytes.
const COMMON: u8 = 4;

/// How common a byte is in text and in source code, roughly.
fn commonness(byte: u8) -> u8 {
    match byte {
        b'a'..=b'z' | b' ' | 0x80.. => COMMON,
        b'\t' | b'\n' | b'\r' => 3,
        b'A'..=b'Z' | b'0'..=b'9' | b'.' | b',' | b'-' | b'\'' | b'"' | b':' | b'(' | b')' => 2,
        // Nearly all dialects have markers with `<`: where it is searched for, it costs no more.
        b'<' | b'~' | b'^' | b'|' | b'@' | b'$' | b'%' | b'\\' => 0,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use crate::machine::grammar::Grammar;
    use crate::{Dialect, Event, Options, Param, Parser, Tool};

    fn parser(dialect: &Dialect) -> Parser {
        let tool = Tool::new("read_file").param(Param::required("path"));
        Parser::builder(dialect).tools([tool]).build().unwrap()
    }

    /// The anchors of the table of text.
    fn of_text(dialect: &Dialect) -> Option<Vec<u8>> {
        let grammar = Grammar::shared(dialect, &Options::default());
        Some(grammar.prose[0].table.anchors.clone()?.bytes)
    }

    #[test]
    fn the_rarest_bytes_are_chosen() {
        for (dialect, anchors) in [
            (Dialect::GIGACHAT3, &b"<"[..]),
            (Dialect::FUNCTIONARY, b">"),
            (Dialect::PHI4, b"<["),
            (Dialect::CODE_ASSISTANT_CARET, b"<^"),
            (Dialect::MINIMAX_M2, b"<~"),
            (Dialect::PHI4.and(Dialect::GIGACHAT3), b"<["),
        ] {
            assert_eq!(of_text(&dialect), Some(anchors.into()), "{dialect:?}");
        }
        // One first byte serves; two that have nothing in common are searched for; of a keyword
        // line no byte is rare.
        for dialect in [Dialect::HERMES, Dialect::MISTRAL, Dialect::REACT] {
            assert_eq!(of_text(&dialect), None, "{dialect:?}");
        }
    }

    /// What comes out of the text in chunks that end at `cuts`: slices of one kind joined.
    fn read(dialect: &Dialect, text: &str, cuts: &[usize]) -> Vec<String> {
        let (mut parser, mut events) = (parser(dialect), Vec::<(String, String)>::new());
        let mut take = |event: Event<&str>| {
            let kind = match event.slice() {
                Some(slice) => format!("{event:?}").replace(&format!("{slice:?}"), ""),
                None => format!("{event:?}"),
            };
            let slice = event.slice().map_or("", |slice| *slice);
            match events.last_mut() {
                Some((last, joined)) if *last == kind => joined.push_str(slice),
                _ => events.push((kind, slice.to_string())),
            }
        };
        let mut from = 0;
        for &cut in cuts.iter().chain([&text.len()]) {
            parser.feed_into(&text[from..cut], &mut take);
            from = cut;
        }
        parser.finish_into(&mut take);
        events.into_iter().map(|(kind, slice)| kind + &slice).collect()
    }

    /// Byte by byte the first bytes are searched for; in one or two chunks the anchors are.
    #[test]
    fn wherever_a_literal_is_cut() {
        let call = "[{\"name\": \"read_file\", \"arguments\": {\"path\": \"a\"}}]";
        let react = "a: b\nAction\n  ```\nx\n```\n> **Action**:\nof: Action: read_file\n**Action: \n \
            ``` Thought: of\n`` `\n `Thought`\u{FF1A} of\n```\nAction: read_file\nAction Input: {\"path\": \"a\"}\n```\n";
        let action = "Action: read_file\nAction Input: {\"path\": \"a\"}\n";
        let caret = "^^^read_file\npath ---\nof one\n-- path\n--- other\r\n--- path\n^^^\n";
        for (dialect, text) in [
            (
                Dialect::MINIMAX_M3,
                "]<]]<]minimax[>]<]minimax[>[<tool_call>\n]<]minimax[>[<invoke name=\"read_file\">".into(),
            ),
            (
                Dialect::GIGACHAT3,
                "of <functiofunction call<function call<|role_sep|>\n{\"name\": \"read_file\", \"arguments\": {}}".into(),
            ),
            (Dialect::FUNCTIONARY, "all\na <|eot<|eot_id|>>>read_file\n{\"path\": 1}".into()),
            (
                Dialect::PHI4,
                format!("functofunctools <think>functools</think>[ functools [functools \n {call}"),
            ),
            (Dialect::REACT, react.into()),
            (Dialect::REACT, format!("{action}Action: None\n{}\nAction Input: of\n", "it fits, ".repeat(6))),
            (
                Dialect::PHI4.and(Dialect::GIGACHAT3),
                format!("function callfunctools{call} function call<|role_sep|>"),
            ),
            (Dialect::CODE_ASSISTANT_CARET, format!("a ^^^read_file\n ^^^\n^^ \n{caret}\n{caret}")),
        ] {
            let words = "of course, if it fits ";
            let text: String = format!("{text} {}\n{}{text} {}", words.repeat(3), "x\n", words.repeat(2));
            let all: Vec<usize> = (1..text.len()).filter(|at| text.is_char_boundary(*at)).collect();
            let expected = read(&dialect, &text, &all);
            assert!(expected.iter().any(|event| event.contains("read_file")), "{expected:?}");
            assert_eq!(read(&dialect, &text, &[]), expected, "{dialect:?}");
            for cut in all {
                assert_eq!(read(&dialect, &text, &[cut]), expected, "{dialect:?} cut at {cut}");
            }
        }
    }

    /// The same of texts put together at random from what keyword lines, fences and `functools` are made of.
    #[test]
    fn whatever_stands_before_an_anchor() {
        let pieces = "Action|action input|Thought|Final Answer|Observation|Question|:|:|\u{FF1A}|\u{41A}|\n|\n|\r\n| |   \
            |\t|**|`|```|```\n|> |# |_|1|read_file|{\"path\": \"a\"}|[|]|functools|func|<think>|</think>|<|this: and";
        let pieces: Vec<&str> = pieces.split('|').collect();
        let words = "of what it reads, word after word, to its end";
        let mut seed = 1_u64;
        let mut random = |below: usize| {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) as usize % below
        };
        let dialects = [Dialect::REACT, Dialect::PHI4, Dialect::REACT.and(Dialect::PHI4)];
        for round in 0..ROUNDS {
            let dialect = &dialects[round % dialects.len()];
            let mut piece = || match random(6) {
                0 => format!("{words}\n"),
                1 => words.to_string(),
                _ => pieces[random(pieces.len())].to_string(),
            };
            let text: String = (0..20).map(|_| piece()).collect();
            let all: Vec<usize> = (1..text.len()).filter(|at| text.is_char_boundary(*at)).collect();
            let expected = read(dialect, &text, &all);
            assert_eq!(read(dialect, &text, &[]), expected, "{dialect:?}: {text:?}");
            let cut = all[random(all.len())];
            assert_eq!(
                read(dialect, &text, &[cut]),
                expected,
                "{dialect:?}: {text:?} cut at {cut}"
            );
        }
    }

    /// Of random texts.
    const ROUNDS: usize = 600;
}
