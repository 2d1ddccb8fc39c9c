//! The goals of the design: 64 KiB argument in 16-byte chunks, same run, at least 20 times
//! dynamo-parsers-v2 and 100 times tool-parser.

use crate::series::{Outcome, Series};
use crate::table::times;

const SIZE: usize = 64 << 10;
const CHUNK: usize = 16;

/// The goal of the slowest row against each rival.
const GOALS: [(&str, f64); 2] = [("dynamo-parsers-v2", 20.0), ("tool-parser", 100.0)];

/// A ratio, and its row.
pub struct Ratio {
    rival: &'static str,
    row: String,
    times: f64,
}

/// Returns the ratios of a series to the goals. Rows with a wrong rival have none.
pub fn ratios(series: &Series) -> Vec<Ratio> {
    let [ours, _, rivals @ ..] = &series.lanes[..] else { return Vec::new() };
    if series.chunk != CHUNK || !series.shape.is_argument() {
        return Vec::new();
    }
    let ratio = |(rival, own, theirs): (&'static str, f64, f64)| Ratio {
        rival,
        row: format!("{} {}", series.dialect.name(), series.shape.name()),
        times: theirs / own,
    };
    let at = |lane: &crate::series::Lane| {
        lane.at(SIZE).filter(|point| point.outcome == Outcome::Right).map(|point| point.seconds)
    };
    rivals
        .iter()
        .filter_map(|rival| Some((rival.peer.name(), at(ours)?, at(rival)?)))
        .map(ratio)
        .collect()
}

/// Prints a line for each goal: the worst row decides.
pub fn print(ratios: &[Ratio]) {
    println!("\nGoals, for an argument of 64 KiB in chunks of 16 bytes:");
    for (rival, goal) in GOALS {
        let mut rows: Vec<&Ratio> = ratios.iter().filter(|ratio| ratio.rival == rival).collect();
        rows.sort_by(|a, b| a.times.total_cmp(&b.times));
        let verdict = match rows.first() {
            None => "not measured".to_string(),
            Some(worst) => {
                let rows = rows.iter().map(|row| format!("{} in {}", times(row.times), row.row));
                let rows: Vec<String> = rows.collect();
                let verdict = if worst.times >= goal { "ok" } else { "MISSED" };
                format!("{verdict} ({})", rows.join(", "))
            }
        };
        println!("at least {goal:>3} times {rival:<17} {verdict}");
    }
}
