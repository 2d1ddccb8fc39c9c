//! Times that can be compared on a machine that does other things too: all parsers take turns, so
//! that whatever disturbs one disturbs the others.

use std::hint::black_box;
use std::time::{Duration, Instant};

use crate::peers::Peer;

/// How long a parser's turn lasts at least: short reads are repeated.
const TURN: Duration = Duration::from_millis(4);

/// Turns are taken for this long, and at least so many.
const BUDGET: Duration = Duration::from_millis(300);
const TURNS: usize = 3;

/// The best read of each parser, in seconds: the one that was disturbed least. No further round of
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

/// The best read of one turn.
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
