//! `toolstream parse --jsonl`: an answer a line in, a message a line out.
//!
//! Every core takes a block of whole lines, reads it, and waits for its turn to write. So the messages stand
//! in the order of the lines, and at most a block a core is kept.

use std::borrow::Cow;
use std::fmt;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use toolstream::check::Ended;
use toolstream::{Event, Message, Parser};

use crate::failure::{BAD_INPUT, Result, say};
use crate::input;
use crate::output::{Codes, exit_code};
use crate::progress::Progress;

/// The place of the text in a line: the keys on the way to it. A line that is a string is the text.
pub struct Field(Vec<String>);

impl Field {
    /// A key, or a JSON pointer: `/choices/0/message/content`.
    pub fn new(name: &str) -> Field {
        let decoded = |key: &str| key.replace("~1", "/").replace("~0", "~");
        Field(match name.strip_prefix('/') {
            Some(pointer) => pointer.split('/').map(decoded).collect(),
            None => vec![name.to_string()],
        })
    }
}

/// The reading of each line.
pub struct Lines<'a> {
    pub parser: &'a Parser,
    pub ended: Ended,
    pub field: &'a Field,
    /// The exit code depends on the messages.
    pub exit_status: bool,
    /// The file, if there are several.
    pub file: Option<&'a str>,
}

/// The most bytes of a read: enough to keep a core busy.
const BLOCK: usize = 256 << 10;

impl Lines<'_> {
    /// Reads a file; without one, or for `-`, stdin. Gives the exit code that its lines ask for.
    pub fn run(&self, path: &Path) -> Result<u8> {
        let from = BufReader::with_capacity(BLOCK, input::reader(path)?);
        let source = Mutex::new(Source { from, number: 0, line: 1, over: false });
        let (turn, next) = (Mutex::new(Turn::new()), Condvar::new());
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let work = || {
            let mut out = Vec::new();
            loop {
                // In a statement of its own: the lock must not be held while the block is read.
                let block = lock(&source).block();
                let Some(block) = block else { break };
                out.clear();
                let done = self.block(&block, &mut out);
                let mut turn = lock(&turn);
                while turn.number != block.number && turn.failed.is_none() {
                    turn = next.wait(turn).unwrap_or_else(PoisonError::into_inner);
                }
                if turn.failed.is_none() {
                    turn.take(&out, done, self.file);
                }
                let failed = turn.failed.is_some();
                drop(turn);
                next.notify_all();
                if failed {
                    break;
                }
            }
        };
        std::thread::scope(|scope| {
            (1..cores).for_each(|_| drop(scope.spawn(work)));
            work();
        });
        let mut turn = turn.into_inner().unwrap_or_else(PoisonError::into_inner);
        turn.progress.clear();
        match turn.failed {
            Some(error) => Err(error.into()),
            None => Ok(turn.codes.code()),
        }
    }

    /// Reads the lines of a block, and writes a line for each.
    fn block(&self, block: &Block, out: &mut Vec<u8>) -> Done {
        let mut done = Done { codes: Codes::default(), bad: Vec::new(), lines: block.lines };
        for (number, line) in (block.first..).zip(block.text.split(|byte| *byte == b'\n')) {
            if line.trim_ascii().is_empty() {
                continue;
            }
            let place = Place { file: self.file, line: number };
            match self.text(line) {
                Ok(text) => {
                    let message = self.message(&text);
                    if self.exit_status {
                        done.codes.add(exit_code(&message));
                    }
                    place.put(out, &message.to_json());
                }
                Err(error) => {
                    // The place is that in the line, which is one.
                    let reason = error.to_string().replace(" at line 1", "");
                    place.put(out, &serde_json::json!({"error": reason}));
                    done.bad.push((number, reason));
                    done.codes.add(BAD_INPUT);
                }
            }
        }
        if let Some(error) = &block.failed {
            done.bad.push((block.first + block.lines, format!("cannot be read: {error}")));
            done.codes.add(BAD_INPUT);
        }
        done
    }

    fn text<'l>(&self, line: &'l [u8]) -> serde_json::Result<Cow<'l, str>> {
        let mut json = serde_json::Deserializer::from_slice(line);
        let text = At { keys: &self.field.0, top: true }.deserialize(&mut json)?;
        json.end()?;
        let keys = || format!("no text under `{}`: use --field", self.field.0.join("/"));
        text.ok_or_else(|| serde_json::Error::custom(keys()))
    }

    fn message(&self, text: &str) -> Message {
        let (mut parser, mut message) = (self.parser.clone(), self.parser.message());
        let mut take = |event: Event<&str>| message.push(event);
        parser.feed_into(text, &mut take);
        match self.ended {
            Ended::Cut => parser.finish_cut_into(&mut take),
            _ => parser.finish_into(&mut take),
        }
        message.close();
        message
    }
}

/// The first members of a line of output.
struct Place<'a> {
    file: Option<&'a str>,
    line: usize,
}

impl Place<'_> {
    fn put(&self, out: &mut Vec<u8>, object: &serde_json::Value) {
        let file = self.file.map(|file| format!("\"file\":{},", serde_json::Value::from(file)));
        let _ = write!(out, "{{{}\"line\":{},", file.unwrap_or_default(), self.line);
        let begin = out.len();
        // Nothing of it can fail: it goes to memory.
        let _ = serde_json::to_writer(&mut *out, object);
        // Its own brace.
        out.remove(begin);
        out.push(b'\n');
    }
}

/// The output of a block.
struct Done {
    codes: Codes,
    /// The lines that are no answer, and why.
    bad: Vec<(usize, String)>,
    lines: usize,
}

/// A block of whole lines.
struct Block {
    number: usize,
    /// The number of its first line, from 1.
    first: usize,
    lines: usize,
    text: Vec<u8>,
    /// The input behind the block could not be read.
    failed: Option<io::Error>,
}

struct Source {
    from: BufReader<Box<dyn Read + Send>>,
    number: usize,
    line: usize,
    over: bool,
}

impl Source {
    /// Returns the bytes that are there, up to the end of a line.
    fn block(&mut self) -> Option<Block> {
        if self.over {
            return None;
        }
        let (mut text, mut failed) = (Vec::new(), None);
        let there = match self.from.fill_buf() {
            Ok(there) => there.len(),
            Err(error) => {
                failed = Some(error);
                0
            }
        };
        text.extend_from_slice(&self.from.buffer()[..there]);
        self.from.consume(there);
        if there > 0 && !text.ends_with(b"\n") {
            failed = self.from.read_until(b'\n', &mut text).err();
        }
        self.over = there == 0 || failed.is_some();
        if text.is_empty() && failed.is_none() {
            return None;
        }
        let lines = line_ends(&text) + usize::from(!text.ends_with(b"\n") && !text.is_empty());
        let block = Block { number: self.number, first: self.line, lines, text, failed };
        self.number += 1;
        self.line += lines;
        Some(block)
    }
}

fn line_ends(text: &[u8]) -> usize {
    text.iter().filter(|byte| **byte == b'\n').count()
}

/// The turn to write, and the written messages.
struct Turn {
    number: usize,
    out: io::Stdout,
    codes: Codes,
    failed: Option<io::Error>,
    progress: Progress,
    lines: usize,
}

impl Turn {
    fn new() -> Turn {
        let (out, progress) = (io::stdout(), Progress::new());
        Turn { number: 0, out, codes: Codes::default(), failed: None, progress, lines: 0 }
    }

    fn take(&mut self, text: &[u8], done: Done, file: Option<&str>) {
        self.number += 1;
        self.lines += done.lines;
        self.failed = self.out.write_all(text).and_then(|()| self.out.flush()).err();
        self.codes.add(done.codes.code());
        let lines = self.lines;
        let of_file = file.map(|file| format!("{file}: ")).unwrap_or_default();
        self.progress.show(|| format!("{of_file}{lines} lines"));
        for (line, what) in done.bad {
            self.progress.clear();
            say(&format!("{of_file}line {line}: {what}"));
        }
    }
}

fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Finds the text in a line, and reads nothing else.
#[derive(Clone, Copy)]
struct At<'k> {
    keys: &'k [String],
    top: bool,
}

impl<'de> DeserializeSeed<'de> for At<'_> {
    type Value = Option<Cow<'de, str>>;

    fn deserialize<D: Deserializer<'de>>(
        self,
        json: D,
    ) -> std::result::Result<Self::Value, D::Error> {
        json.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for At<'_> {
    type Value = Option<Cow<'de, str>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.keys {
            [key, ..] => write!(f, "a text, or an object with `{key}`"),
            [] => write!(f, "a text"),
        }
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> std::result::Result<Self::Value, E> {
        Ok((self.top || self.keys.is_empty()).then_some(Cow::Borrowed(text)))
    }

    fn visit_str<E: Error>(self, text: &str) -> std::result::Result<Self::Value, E> {
        Ok((self.top || self.keys.is_empty()).then(|| Cow::Owned(text.to_string())))
    }

    /// Servers send this for an answer without text.
    fn visit_unit<E: Error>(self) -> std::result::Result<Self::Value, E> {
        Ok(self.keys.is_empty().then_some(Cow::Borrowed("")))
    }

    fn visit_map<A: MapAccess<'de>>(
        self,
        mut map: A,
    ) -> std::result::Result<Self::Value, A::Error> {
        let mut found = None;
        while let Some(key) = map.next_key::<Cow<'de, str>>()? {
            match self.keys {
                [wanted, keys @ ..] if *key == **wanted => {
                    found = map.next_value_seed(At { keys, top: false })?;
                }
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(found)
    }

    fn visit_seq<A: SeqAccess<'de>>(
        self,
        mut list: A,
    ) -> std::result::Result<Self::Value, A::Error> {
        let (wanted, keys) = match self.keys {
            [wanted, keys @ ..] => (wanted.parse().ok(), keys),
            [] => (None, self.keys),
        };
        let (mut found, mut at) = (None, 0);
        loop {
            let more = if wanted == Some(at) {
                list.next_element_seed(At { keys, top: false })?.map(|text| found = text).is_some()
            } else {
                list.next_element::<IgnoredAny>()?.is_some()
            };
            if !more {
                return Ok(found);
            }
            at += 1;
        }
    }
}
