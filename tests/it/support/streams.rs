//! Many live streams, each at another place of its message. They are fed a token in turns, as a server does.
#![allow(dead_code, reason = "each bench uses a part")]

use std::sync::Barrier;
use std::time::Instant;

use toolstream::{Event, Parser};

/// The number of live streams, and of the threads that feed them.
pub const STREAMS: usize = 10_000;
pub const THREADS: usize = 2;

/// Bytes of a chunk: a token of ordinary text.
pub const CHUNK: usize = 4;

/// The number of chunks for each stream.
const TURNS: usize = 250;

/// A parser in the middle of its message.
pub trait Stream {
    /// Returns the number of bytes that came out, so that somebody looks at them.
    fn feed(&mut self, chunk: &str) -> usize;
    /// Ends the message, and begins the next.
    fn next_message(&mut self);
}

/// A stream of this crate. Nothing is collected, but all events are looked at.
pub struct Live<'a> {
    parser: Parser,
    fresh: &'a Parser,
}

impl<'a> Live<'a> {
    pub fn new(fresh: &'a Parser) -> Live<'a> {
        Live { parser: fresh.clone(), fresh }
    }
}

impl Stream for Live<'_> {
    fn feed(&mut self, chunk: &str) -> usize {
        let mut told = 0;
        let mut look = |event: Event<&str>| told += event.slice().map_or(0, |slice| slice.len());
        self.parser.feed_into(chunk, &mut look);
        told
    }

    fn next_message(&mut self) {
        self.parser.finish_into(&mut |_: Event<&str>| {});
        self.parser = self.fresh.clone();
    }
}

/// A message of about 1,000 bytes: a fifth is text, a tenth markup, the rest a value.
pub fn message(prose: impl Fn(usize) -> String, call: impl Fn(&str) -> String) -> String {
    let markup = call("@").len() - 1;
    prose(2 * markup) + "\n" + &call(prose(7 * markup).trim())
}

/// Feeds all streams in turns. Returns the number of chunks a second.
pub fn in_turns<S: Stream>(chunks: &[&str], fresh: &(impl Fn() -> S + Sync)) -> f64 {
    timed(|ready| {
        let mut streams: Vec<(S, usize)> = (0..STREAMS / THREADS)
            .map(|at| {
                let mut stream = fresh();
                let begun = at * 7 % chunks.len();
                chunks[..begun].iter().for_each(|chunk| _ = stream.feed(chunk));
                (stream, begun)
            })
            .collect();
        ready.wait();
        let mut told = 0;
        for _ in 0..TURNS {
            for (stream, at) in &mut streams {
                told += step(stream, at, chunks);
            }
        }
        told
    })
}

/// Feeds an equal number of chunks to one stream after the other: the speed if everything is in the cache.
pub fn one_by_one<S: Stream>(chunks: &[&str], fresh: &(impl Fn() -> S + Sync)) -> f64 {
    timed(|ready| {
        let (mut stream, mut at) = (fresh(), 0);
        ready.wait();
        (0..STREAMS / THREADS * TURNS).map(|_| step(&mut stream, &mut at, chunks)).sum()
    })
}

fn step<S: Stream>(stream: &mut S, at: &mut usize, chunks: &[&str]) -> usize {
    let told = stream.feed(chunks[*at]);
    *at += 1;
    if *at == chunks.len() {
        stream.next_message();
        *at = 0;
    }
    told
}

/// Returns the number of chunks a second of all threads together, once all are ready.
fn timed(thread: impl Fn(&Barrier) -> usize + Sync) -> f64 {
    let ready = Barrier::new(THREADS + 1);
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(|| thread(&ready))).collect();
        ready.wait();
        let begun = Instant::now();
        let told: usize = threads.into_iter().map(|thread| thread.join().expect("no panic")).sum();
        assert!(told > 0, "something came out");
        (STREAMS / THREADS * THREADS * TURNS) as f64 / begun.elapsed().as_secs_f64()
    })
}

/// Returns the bytes of memory of this process, if the system tells: now, and the most so far.
pub fn resident() -> usize {
    kib_of("VmRSS:") << 10
}

pub fn most_resident() -> usize {
    kib_of("VmHWM:") << 10
}

fn kib_of(key: &str) -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(key)).unwrap_or_default();
    line.trim().trim_end_matches(" kB").parse().unwrap_or_default()
}
