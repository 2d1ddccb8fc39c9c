//! Hostile input in every dialect: the held bytes do not grow with the text, the work grows only linearly, and no byte is
//! lost.
//!
//! By default the texts are short enough for every run of the tests. `HOSTILE=full cargo test --release --test it
//! hostile:: -- --nocapture` reads 1 GiB, a million levels and a million closers, and prints its measurements.
//! (`tests/it/memory.rs` says how allocations are counted.)

use std::sync::Mutex;
use std::time::Instant;

use allocation_counter::measure;
use toolstream::{Dialect, Event, Parser, Status, ToolUse, options::bounds};

use crate::support::inputs;

/// The size of a text: `full`, or long enough to show growth.
fn size(short: usize, full: usize) -> usize {
    if std::env::var("HOSTILE").is_ok_and(|how| how == "full") { full } else { short }
}

/// The chunks of a stream.
const CHUNK: usize = 4 << 10;

/// The most heap that a parser asks for while it reads any text: held bytes, buffers that grow by doubling, and the name of
/// the open call.
const OWNED: u64 = 16 << 10;

/// Slack of both bounds.
const KNOWN: u64 = 32 << 10;

/// The most heap where arguments may come before the call's name, and where an object is tried: they are held.
const ARGUMENTS: u64 = 4 * bounds::ARGUMENTS as u64;

/// The most bytes examined for each byte of a text.
const EXAMINED: usize = 26;

/// Further looks at a run of closers of parameters. The run is markup if a call's closer follows, so each look reads up to 1 KiB.
const RUN: usize = 1024 / "</parameter>".len();
const ORPHANS: &str = "orphan closers";

/// Counts of the events.
#[derive(Default)]
struct Tally {
    bytes: usize,
    starts: usize,
    ends: usize,
    complete: usize,
    longest_name: usize,
    /// Whether a name of the open call is longer than names may be.
    long: bool,
}

impl Tally {
    fn take(&mut self, event: Event<&str>) {
        self.bytes += event.slice().map_or(0, |slice| slice.len());
        let Event::ToolUse(event) = event else { return };
        match event {
            ToolUse::Start { name, .. } => {
                self.starts += 1;
                self.long = name.len() > bounds::NAME;
                self.longest_name = self.longest_name.max(name.len());
            }
            ToolUse::ParamStart { name, .. } => {
                self.long |= name.len() > bounds::NAME;
                self.longest_name = self.longest_name.max(name.len());
            }
            ToolUse::End { status, .. } => {
                self.ends += 1;
                self.complete += usize::from(status == Status::Complete);
                assert!(
                    !self.long || status != Status::Complete,
                    "a call with a name that was cut"
                );
            }
            _ => {}
        }
    }
}

/// Reads a text that comes in these pieces, in chunks of 4 KiB, and checks the bounds of every text.
fn read(what: &str, dialect: &Dialect, pieces: impl Iterator<Item = impl AsRef<str>>) -> Tally {
    let (mut parser, mut tally, mut fed) = (inputs::parser(dialect), Tally::default(), 0);
    let began = Instant::now();
    let (mut owned, mut highest) = (0, 0);
    let most = KNOWN + if tries_objects(dialect) { ARGUMENTS } else { OWNED };
    for piece in pieces {
        for chunk in inputs::pieces(piece.as_ref(), CHUNK) {
            let asked =
                measure(|| parser.feed_into(chunk, &mut |event: Event<&str>| tally.take(event)));
            // Memory that is owned after a chunk stays owned until it is freed.
            owned = (owned + asked.bytes_current).max(0);
            let peak = owned as u64 + asked.bytes_max;
            highest = highest.max(peak);
            assert!(peak <= most, "{dialect:?}, {what}: {peak} bytes after {fed}");
            fed += chunk.len();
        }
    }
    parser.finish_into(&mut |event: Event<&str>| tally.take(event));
    println!(
        "{:20} {what:32} {:9} KiB in {:?}, at most {highest} bytes",
        dialect.name(),
        fed >> 10,
        began.elapsed()
    );
    assert_eq!(tally.bytes, fed, "{dialect:?}, {what}: bytes were lost or doubled");
    assert_eq!(tally.starts, tally.ends, "{dialect:?}, {what}: a call without its end");
    // A name that is too long breaks its call. Its event has the character that was too many.
    let longest = tally.longest_name;
    assert!(
        longest <= bounds::NAME + char::MAX.len_utf8(),
        "{dialect:?}, {what}: a name of {longest}"
    );
    let examined = parser.examined();
    let most = if what == ORPHANS { EXAMINED + RUN } else { EXAMINED };
    assert!(examined <= most * fed + CHUNK, "{dialect:?}, {what}: {examined} for {fed} bytes");
    tally
}

/// Whether up to 64 KiB may be held.
fn tries_objects(dialect: &Dialect) -> bool {
    const ALSO: [&str; 8] =
        ["pythonic", "lfm2", "dots", "tool-call", "longcat", "k2-horizon", "hunyuan", "kimi-k2"];
    inputs::speaks_json(dialect) || ALSO.contains(&dialect.name())
}

/// Returns a head, and then a unit again and again.
fn again<'t>(head: &'t str, unit: &'t str, count: usize) -> impl Iterator<Item = String> {
    let block = (CHUNK / unit.len().max(1)).clamp(1, count.max(1));
    let blocks = (0..count.div_ceil(block)).map(move |_| unit.repeat(block));
    std::iter::once(head.to_string()).chain(blocks)
}

#[test]
fn a_gibibyte_in_constant_memory() {
    let len = size(256 << 10, 1 << 30);
    // In full, the dialects share the GiB: each reads its part, and three of them read all of it.
    let wide = [Dialect::CLINE, Dialect::HERMES, Dialect::REACT];
    for dialect in Dialect::ALL {
        let len =
            if len < 1 << 30 || wide.contains(dialect) { len } else { len / Dialect::ALL.len() };
        let texts = [
            ("prose", inputs::opening(dialect).to_string(), inputs::prose(CHUNK)),
            ("sessions", String::new(), inputs::session(dialect)),
            (
                "one value",
                inputs::open_value(dialect),
                inputs::prose(CHUNK).replace(['"', '\n'], " "),
            ),
        ];
        for (what, head, unit) in texts {
            read(what, dialect, again(&head, &unit, len / unit.len()));
        }
    }
}

#[test]
#[ignore = "slow: .ci/run runs it"]
fn nesting_a_million_deep() {
    let count = size(20_000, 1_000_000);
    for dialect in Dialect::ALL {
        let [section, call, open, _, _, _] = inputs::parts(dialect, "read_file", "path");
        let value = [&section, &call, &open].map(String::as_str).concat();
        let opener = inputs::opener(dialect);
        let bare = value.trim_end_matches(['"', '\'', '|', '<', '>']);
        for unit in ["[", "{\"a\":", "{a:", "(", "<a>", "[{\"a\":"] {
            for head in [&opener[..], &value, bare] {
                read("nesting", dialect, again(head, unit, count));
            }
            // `Message` reads the text, too, on a stack of its own size.
            let mut text = value.clone() + &unit.repeat(count);
            text.push_str(&"]}".repeat(count.min(1_000)));
            let message = inputs::parser(dialect).parse(&text);
            assert_eq!(message.calls().count(), 0, "{dialect:?}: {unit:?} is not whole");
        }
    }
}

#[test]
#[ignore = "slow: .ci/run runs it"]
fn a_million_orphan_closers() {
    let count = size(5_000, 1_000_000);
    for dialect in Dialect::ALL {
        let [_, _, _, close, call_end, end] = inputs::parts(dialect, "read_file", "path");
        for unit in [close, call_end, end, "</think>".into(), "</think>\n".into()] {
            if !unit.is_empty() {
                let tally = read(ORPHANS, dialect, again(inputs::opening(dialect), &unit, count));
                assert_eq!(tally.starts, 0, "{dialect:?}: {unit:?} is no call");
            }
        }
    }
}

/// A tool or a parameter whose name does not end: a name that is too long is no name, and nothing of it is kept.
#[test]
#[ignore = "slow: .ci/run runs it"]
fn a_name_of_ten_mebibytes() {
    let len = size(64 << 10, 10 << 20);
    for dialect in Dialect::ALL {
        for (what, tool, param) in [("a tool", "@", "path"), ("a parameter", "read_file", "@")] {
            let [section, call, open, close, call_end, end] = inputs::parts(dialect, tool, param);
            let text = [section, call, open, "v".into(), close, call_end, end].concat();
            let names = text.matches('@').count();
            for unit in ["a", "é", "a.b-c_1", "a b"] {
                // If the closers repeat the name, it comes several times.
                let name = || again("", unit, len / unit.len() / names);
                let pieces = text.split('@').enumerate().flat_map(|(number, piece)| {
                    name().take(if number == 0 { 0 } else { usize::MAX }).chain([piece.to_string()])
                });
                let tally = read(&format!("a name of {what}, {unit:?}"), dialect, pieces);
                assert!(tally.complete == 0 || tool != "@", "{dialect:?}: it ran");
            }
            let message = inputs::parser(dialect).parse(&text.replace('@', &"a".repeat(len)));
            assert!(message.calls().all(|call| call.name().len() <= bounds::NAME), "{dialect:?}");
        }
    }
}

/// A parameter that is repeated, and as many undeclared ones. The parser keeps none of them, and `Message` keeps each.
#[test]
#[ignore = "slow: .ci/run runs it"]
fn a_million_parameters() {
    let count = size(5_000, 1_000_000);
    let mut read_all = 0;
    for dialect in Dialect::ALL {
        let param = |name: &str| {
            let [_, _, open, close, _, _] = inputs::parts(dialect, "read_file", name);
            open + "v" + &close
        };
        let [section, call, _, _, call_end, end] = inputs::parts(dialect, "read_file", "path");
        let (head, tail) = (section + &call, call_end + &end);
        for others in [false, true] {
            let what = if others { "parameters of other names" } else { "one parameter" };
            let name = |number| if others { format!("p{number}") } else { "path".to_string() };
            let more = (0..count)
                .map(|number| param(&name(number)) + inputs::comma(dialect))
                .chain([param("path"), tail.clone()]);
            let pieces = [head.clone()].into_iter().chain(more.clone());
            let tally = read(what, dialect, joined(pieces));
            if !others {
                assert_eq!((tally.starts, tally.complete), (1, 1), "{dialect:?}, {what}");
            }
            let text: String = [head.clone()].into_iter().chain(more).collect();
            let began = Instant::now();
            let message = inputs::parser(dialect).parse(&text);
            let keys = message.calls().map(|call| call.input().len()).max().unwrap_or_default();
            println!("{:20} {what}: {keys} in `Message` in {:?}", dialect.name(), began.elapsed());
            // Where only declared names are parameters, other names end the call, or are text.
            match others {
                true => read_all += usize::from(keys == count + 1),
                false => assert_eq!(keys, 1, "{dialect:?}, {what}"),
            }
        }
    }
    assert!(read_all > Dialect::ALL.len() / 2, "{read_all} dialects read them all");
}

/// Joins pieces into chunks, as a network does.
fn joined(mut pieces: impl Iterator<Item = String>) -> impl Iterator<Item = String> {
    std::iter::from_fn(move || {
        let mut chunk = pieces.next()?;
        while chunk.len() < CHUNK {
            let Some(piece) = pieces.next() else { break };
            chunk.push_str(&piece);
        }
        Some(chunk)
    })
}

/// Events, with neighbours of a kind joined.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
struct Joined(Vec<(String, String)>);

impl Joined {
    fn take(&mut self, event: Event<&str>) {
        let slice = event.slice().map_or("", |slice| *slice).to_string();
        let kind = if slice.is_empty() {
            format!("{event:?}")
        } else {
            format!("{:?}", event.map(|_| ()))
        };
        match self.0.last_mut() {
            Some((last, joined)) if *last == kind && !slice.is_empty() => joined.push_str(&slice),
            _ if slice.is_empty() && kind.contains("\"\"") => {}
            _ => self.0.push((kind, slice)),
        }
    }

    fn of(parser: &Parser, bytes: &[u8], chunk: usize) -> Joined {
        let (mut parser, mut joined) = (parser.clone(), Joined::default());
        for chunk in bytes.chunks(chunk) {
            parser.feed_bytes(chunk).for_each(|event| joined.take(event));
        }
        parser.finish().for_each(|event| joined.take(event));
        joined
    }
}

#[test]
#[ignore = "slow: .ci/run runs it"]
fn every_byte_value() {
    for dialect in Dialect::ALL {
        let parser = inputs::parser(dialect);
        let call = inputs::read(dialect, "a b");
        let places = 0..=call.len();
        for place in places.step_by(size(23, 1)) {
            for byte in 0..=255u8 {
                let mut bytes = call.as_bytes().to_vec();
                bytes.insert(place, byte);
                let whole = Joined::of(&parser, &bytes, usize::MAX);
                assert_eq!(
                    Joined::of(&parser, &bytes, 1),
                    whole,
                    "{dialect:?}: {byte:#x} at {place}"
                );
                let slices: String = whole.0.iter().map(|(_, slice)| &**slice).collect();
                assert_eq!(
                    slices,
                    String::from_utf8_lossy(&bytes),
                    "{dialect:?}: {byte:#x} at {place}"
                );
            }
        }
    }
}

/// Parsers move from thread to thread, and each gets a random piece at a time.
#[test]
fn ten_thousand_parsers_on_eight_threads() {
    struct Stream {
        parser: Parser,
        text: String,
        fed: usize,
        joined: Joined,
    }
    let count = size(1_000, 10_000);
    let stream = |number: usize| {
        let dialect = &Dialect::ALL[number % Dialect::ALL.len()];
        let text =
            format!("{}{}", inputs::read(dialect, &format!("n{number}")), inputs::session(dialect));
        Stream { parser: inputs::parser(dialect), text, fed: 0, joined: Joined::default() }
    };
    let streams: Vec<Mutex<Stream>> = (0..count).map(|number| Mutex::new(stream(number))).collect();
    std::thread::scope(|scope| {
        for thread in 0..8_u64 {
            let streams = &streams;
            scope.spawn(move || {
                let mut seed = thread + 1;
                let mut random = |below: usize| {
                    seed = seed
                        .wrapping_mul(6_364_136_223_846_793_005)
                        .wrapping_add(1_442_695_040_888_963_407);
                    (seed >> 33) as usize % below
                };
                // Random streams first, then whatever is left.
                let some: Vec<usize> = (0..count * 4).map(|_| random(count)).collect();
                let left = (0..count).flat_map(|number| std::iter::repeat_n(number, 1_000));
                for number in some.into_iter().chain(left) {
                    let mut stream = streams[number].lock().expect("no thread panics");
                    let Stream { parser, text, fed, joined } = &mut *stream;
                    if *fed < text.len() {
                        let end = (*fed + 1 + random(900)).min(text.len());
                        let chunk = &text.as_bytes()[*fed..end];
                        parser.feed_bytes(chunk).for_each(|event| joined.take(event));
                        *fed = end;
                    }
                }
            });
        }
    });
    for stream in streams {
        let Stream { mut parser, text, fed, mut joined } =
            stream.into_inner().expect("no thread panics");
        assert_eq!(fed, text.len());
        parser.finish().for_each(|event| joined.take(event));
        parser.reset();
        assert_eq!(joined, Joined::of(&parser, text.as_bytes(), usize::MAX));
    }
}

/// Arguments before their call's name, to the byte: with as many as are held the call runs, and with one more there is no call,
/// in one chunk and in small ones.
#[test]
fn arguments_before_their_name() {
    for more in [0, 1] {
        let (head, tail) = ("{\"a\": \"", "\"}, \"name\": \"read_file\"");
        let value = "x".repeat(bounds::ARGUMENTS + more - head.len() - tail.len());
        let text = format!("<tool_call>{{\"arguments\": {head}{value}{tail}}}</tool_call>");
        for size in [7, 4096, text.len() - 60, usize::MAX] {
            let mut parser = inputs::parser(&Dialect::HERMES);
            let mut complete = 0;
            for piece in inputs::pieces(&text, size) {
                parser.feed_into(piece, &mut |event: Event<&str>| {
                    let ended = matches!(
                        event,
                        Event::ToolUse(ToolUse::End { status: Status::Complete, .. })
                    );
                    complete += usize::from(ended);
                });
            }
            assert_eq!(complete, 1 - more, "{more} more, in chunks of {size}");
        }
    }
}
