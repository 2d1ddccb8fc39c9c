//! Many live streams: each is somewhere else in its message, and they are fed a token in turns, as a server does it.
#![allow(dead_code, reason = "each bench uses a part")]

use std::sync::Barrier;
use std::time::Instant;

use toolstream::{Event, Parser};

/// Live streams, and threads that feed them.
pub const STREAMS: usize = 10_000;
pub const THREADS: usize = 2;

/// Bytes in a chunk: a token of ordinary text.
pub const CHUNK: usize = 4;

/// How often each stream gets a chunk.
const TURNS: usize = 250;

/// A parser in the middle of its message.
pub trait Stream {
    /// Gives how much came out, so that somebody looks at it.
    fn feed(&mut self, chunk: &str) -> usize;
    /// The message ends; the next one begins.
    fn next_message(&mut self);
}

/// A stream of ours. Nothing is collected: what comes out is looked at.
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

/// Feeds all of them in turns. How many chunks a second.
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

/// The same number of chunks, but one stream after the other: what it costs when everything is in the cache.
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

/// Chunks a second, of all threads together, once all are ready.
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

/// Bytes of memory of this process, where the system says so: now, and the most so far.
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
