//! Times that can be compared on a busy machine: all parsers take turns, so a disturbance hits all of them.

use std::hint::black_box;
use std::time::{Duration, Instant};

use crate::peers::Peer;

/// The least time of a parser's turn: short reads are repeated.
const TURN: Duration = Duration::from_millis(4);

/// The time for turns, and the least number of turns.
const BUDGET: Duration = Duration::from_millis(300);
const TURNS: usize = 3;

/// Returns the best read of each parser, in seconds: the one that was disturbed least. No further round of
/// turns begins after `most` seconds.
pub fn race(peers: &[&dyn Peer], message: &str, chunk: usize, most: f64) -> Vec<f64> {
    let begun = Instant::now();
    let mut best = vec![f64::INFINITY; peers.len()];
    for turn in 1.. {
        for (best, peer) in best.iter_mut().zip(peers) {
            *best = best.min(take_turn(*peer, message, chunk));
        }
        let elapsed = begun.elapsed();
        if (turn >= TURNS && elapsed >= BUDGET) || elapsed.as_secs_f64() >= most {
            break;
        }
    }
    best
}

/// Returns the best read of one turn.
fn take_turn(peer: &dyn Peer, message: &str, chunk: usize) -> f64 {
    let (mut spent, mut best) = (Duration::ZERO, Duration::MAX);
    while spent < TURN {
        let mut reader = peer.prepare();
        let begun = Instant::now();
        let read = black_box(reader.read(black_box(message), chunk));
        let elapsed = begun.elapsed();
        drop(read);
        spent += elapsed;
        best = best.min(elapsed);
    }
    best.as_secs_f64()
}
