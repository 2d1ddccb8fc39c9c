//! What a long text is searched for where the first bytes of the markers are many, or common.
//!
//! A pass for one byte takes half the instructions of one for two, and a byte that the text is full of
//! stops it again and again. So each literal that a marker begins with is found by an *anchor*: a byte
//! that all of them have, or else the rarest that it has. `]<]minimax[>[<` and `<think>` have one in
//! common; `function call<|role_sep|>` is no longer looked at wherever there is an `f`, nor `^^^` wherever
//! a line begins. A literal of letters alone (`functools`) has no anchor and is searched for itself.
//!
//! Text ends in a literal before its anchor: [`Anchors::half`] says where it begins, and it is held.

use memchr::memmem::Finder;

use super::table::{Begins, Kid, Table};

/// A shorter text is searched for first bytes, which needs no preparation; in bytes.
pub(super) const LONG: usize = 32;

/// What finds the markers of a table.
#[derive(Clone, Debug)]
pub(crate) struct Anchors {
    /// Three at most.
    bytes: Vec<u8>,
    /// Those that begin furthest before their anchor come first.
    literals: Vec<Literal>,
    /// The literal without an anchor.
    word: Option<Box<Finder<'static>>>,
    /// The most bytes of a literal that may stand before its anchor has come.
    most: usize,
}

/// What a marker begins with, up to its first anchor.
#[derive(Clone, Debug)]
struct Literal {
    text: Vec<u8>,
    begins: Begins,
}

impl Anchors {
    /// Nothing where first bytes serve as well, or where it takes more than literals to find a marker.
    pub fn new(table: &Table) -> Option<Anchors> {
        let of = |begins| {
            let text = move |kid: &Kid| table.prefix(kid.node).into_bytes();
            table.kids(begins).iter().map(move |kid| Literal { text: text(kid), begins })
        };
        let mut literals: Vec<Literal> = of(Begins::Line).chain(of(Begins::Byte)).collect();
        let lines = literals.iter().any(|one| one.begins == Begins::Line);
        let no_literal = literals.iter().any(|one| one.text.is_empty());
        if no_literal || table.nodes[Begins::Line as usize].accepts != 0 {
            return None;
        }
        let bytes = anchors(&literals);
        let anchor = |one: &Literal| one.text.iter().position(|byte| bytes.contains(byte));
        let words: Vec<Literal> =
            literals.iter().filter(|one| anchor(one).is_none()).cloned().collect();
        literals.retain_mut(|one| {
            let anchor = anchor(one);
            one.text.truncate(anchor.map_or(0, |anchor| anchor + 1));
            anchor.is_some()
        });
        literals.sort_by_key(|one| std::cmp::Reverse(one.text.len()));
        let word = match &*words {
            [] => None,
            // Lines and words are noted in the same place, and only one can be.
            [word] if !lines => Some(Box::new(Finder::new(&word.text).into_owned())),
            _ => return None,
        };
        let before = literals.first().map_or(0, |one| one.text.len() - 1);
        let most = word.iter().map(|word| word.needle().len()).fold(before, usize::max);
        let pays = (most > 0 || lines) && bytes.len() <= 3;
        pays.then_some(Anchors { bytes, literals, word, most })
    }

    pub fn has_word(&self) -> bool {
        self.word.is_some()
    }

    /// Where the word stands next.
    pub fn word(&self, text: &[u8]) -> Option<usize> {
        self.word.as_ref()?.find(text)
    }

    /// Where the first marker may begin before `end`, and why. `counts` says whether one can that begins
    /// with the right bytes.
    pub fn find(
        &self,
        text: &[u8],
        end: usize,
        counts: impl Fn(Begins, usize) -> bool,
    ) -> Option<(Begins, usize)> {
        let text = &text[..text.len().min(end + self.most)];
        let mut read = 0;
        while let Some(offset) = self.next(&text[read..]) {
            read += offset + 1;
            let start = |one: &Literal| {
                let start = read.checked_sub(one.text.len())?;
                (start < end && text[start..read] == *one.text).then_some((one.begins, start))
            };
            let mut starts = self.literals.iter().filter_map(start);
            let found = starts.find(|&(begins, start)| counts(begins, start));
            if found.is_some() {
                return found;
            }
        }
        None
    }

    #[inline]
    fn next(&self, text: &[u8]) -> Option<usize> {
        match *self.bytes {
            [] => None,
            [a] => memchr::memchr(a, text),
            [a, b] => memchr::memchr2(a, b, text),
            [a, b, c, ..] => memchr::memchr3(a, b, c, text),
        }
    }

    /// Where the text ends in a literal of which the anchor has not come.
    pub fn half(
        &self,
        text: &[u8],
        counts: impl Fn(Begins, usize) -> bool,
    ) -> Option<(Begins, usize)> {
        let word = self.word.as_ref().map(|word| (Begins::Byte, word.needle()));
        (text.len().saturating_sub(self.most)..text.len()).find_map(|start| {
            let literals = self.literals.iter();
            let literals = literals.map(|one| (one.begins, &one.text[..one.text.len() - 1]));
            let mut halves =
                literals.chain(word).filter(|(_, half)| half.starts_with(&text[start..]));
            halves.find(|&(begins, _)| counts(begins, start)).map(|(begins, _)| (begins, start))
        })
    }
}

/// A byte that all of the literals have, if one is rare enough; else the rarest of each.
fn anchors(literals: &[Literal]) -> Vec<u8> {
    let rarest = |text: &[u8], of: &dyn Fn(u8) -> bool| {
        let fit = text.iter().copied().filter(|byte| commonness(*byte) < COMMON && of(*byte));
        fit.min_by_key(|byte| commonness(*byte))
    };
    let everywhere = |byte: u8| literals.iter().all(|one| one.text.contains(&byte));
    let common = literals.first().and_then(|one| rarest(&one.text, &everywhere));
    let mut bytes: Vec<u8> = match common {
        Some(byte) => vec![byte],
        None => literals.iter().filter_map(|one| rarest(&one.text, &|_| true)).collect(),
    };
    bytes.sort_unstable();
    bytes.dedup();
    bytes
}

/// Text is full of such bytes.
const COMMON: u8 = 3;

/// How common a byte is in text, roughly.
fn commonness(byte: u8) -> u8 {
    match byte {
        b'a'..=b'z' | b' ' | 0x80.. => COMMON,
        b'\t' | b'\n' | b'\r' => 2,
        b'A'..=b'Z' | b'0'..=b'9' | b'.' | b',' | b'-' | b'\'' | b'"' | b':' | b'(' | b')' => 1,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Dialect, Event, Param, Parser, Tool};

    fn parser(dialect: &Dialect) -> Parser {
        let tool = Tool::new("read_file").param(Param::required("path"));
        Parser::builder(dialect).tools([tool]).build().unwrap()
    }

    /// The bytes and the word of the table of text.
    fn of_text(dialect: &Dialect) -> Option<(String, String)> {
        let parser = parser(dialect);
        let Anchors { bytes, word, .. } = parser.tables().grammar.prose[0].table.anchors.clone()?;
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        Some((text(&bytes), word.map_or(String::new(), |word| text(word.needle()))))
    }

    #[test]
    fn the_rarest_bytes_are_chosen() {
        for (dialect, bytes, word) in [
            (Dialect::MINIMAX_M3, "<", ""),
            (Dialect::GIGACHAT3, "<", ""),
            (Dialect::FUNCTIONARY, ">", ""),
            (Dialect::PHI4, "<", "functools"),
            (Dialect::CODE_ASSISTANT_CARET, "<^", ""),
            (Dialect::PHI4.and(Dialect::GIGACHAT3), "<", "funct"),
        ] {
            assert_eq!(of_text(&dialect), Some((bytes.into(), word.into())), "{dialect:?}");
        }
        // One first byte serves; two that have nothing in common are searched for; keywords are no literals.
        for dialect in [Dialect::HERMES, Dialect::MISTRAL, Dialect::REACT] {
            assert_eq!(of_text(&dialect), None, "{dialect:?}");
        }
    }

    /// A literal that begins before a word counts, though its anchor comes later; one after it does not.
    #[test]
    fn the_first_to_begin() {
        let literal = |text: &str| Literal { text: text.into(), begins: Begins::Byte };
        let anchors = Anchors {
            bytes: b"<".to_vec(),
            literals: vec![literal("abc<"), literal("<")],
            word: None,
            most: 3,
        };
        let find = |text: &str, end| anchors.find(text.as_bytes(), end, |_, _| true);
        assert_eq!(find("xabc<", 2), Some((Begins::Byte, 1)));
        assert_eq!(find("xab <", 2), None);
        assert_eq!(find("xabc<", 1), None);
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
            (Dialect::PHI4, format!("functofunctools <think>functools</think> functools{call}")),
            (
                Dialect::PHI4.and(Dialect::GIGACHAT3),
                format!("function callfunctools{call} function call<|role_sep|>"),
            ),
            (Dialect::CODE_ASSISTANT_CARET, format!("a ^^^read_file\n ^^^\n^^ \n{caret}\n{caret}")),
        ] {
            let words = "of course, if it fits ";
            let text: String = format!("{text} {}\n{}{text} {}", words.repeat(3), "x\n", words.repeat(2));
            let all: Vec<usize> = (1..text.len()).collect();
            let expected = read(&dialect, &text, &all);
            assert!(expected.iter().any(|event| event.contains("read_file")), "{expected:?}");
            assert_eq!(read(&dialect, &text, &[]), expected, "{dialect:?}");
            for cut in all {
                assert_eq!(read(&dialect, &text, &[cut]), expected, "{dialect:?} cut at {cut}");
            }
        }
    }
}
