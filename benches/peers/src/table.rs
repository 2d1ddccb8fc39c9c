//! The output: the table for people, the CSV for the plot.

use std::io::{self, Write};

use crate::series::{Outcome, Point, Series, chunk_name};

/// Prints the names of the parsers, and the table's head.
pub fn head() {
    let who = ["toolstream", "dynamo-parsers-v2", "tool-parser"];
    println!("{}\n", who.map(|name| format!("{name} {}", version(name))).join(", "));
    println!(
        "{:<11} {:<11} {:>5} {:>8}  {:>10} {:>11}  {:<17} {:>9} {:>7}  {:>6} {:>6}",
        "dialect",
        "shape",
        "chunk",
        "size",
        "toolstream",
        "events only",
        "rival",
        "its time",
        "faster",
        "growth",
        "its",
    );
}

/// Prints a line for each rival and each of these sizes, with the growth per doubling since the size before.
pub fn rows(series: &Series, sizes: &[usize]) {
    let [ours, events, rivals @ ..] = &series.lanes[..] else { return };
    for rival in rivals {
        for (at, &size) in sizes.iter().enumerate() {
            let (Some(own), Some(bare), Some(theirs)) =
                (ours.at(size), events.at(size), rival.at(size))
            else {
                continue;
            };
            let before = if at == 0 { size } else { sizes[at - 1] };
            let growth =
                |growth: Option<f64>| growth.map_or("-".to_string(), |x| format!("{x:.2}"));
            let (its_time, faster) = match theirs.outcome {
                Outcome::LeftOut => ("-".to_string(), "-".to_string()),
                // Other work has a time, but no ratio.
                Outcome::Differs(_) => (time(theirs.seconds), "-".to_string()),
                Outcome::Right => (time(theirs.seconds), times(theirs.seconds / own.seconds)),
            };
            let row = format!(
                "{:<11} {:<11} {:>5} {:>8}  {:>10} {:>11}  {:<17} {:>9} {:>7}  {:>6} {:>6}  {}",
                series.dialect.name(),
                series.shape.name(),
                chunk_name(series.chunk),
                kib(size),
                time(own.seconds),
                time(bare.seconds),
                rival.peer.name(),
                its_time,
                faster,
                growth(ours.growth(before, size)),
                growth(rival.growth(before, size)),
                remark(theirs),
            );
            println!("{}", row.trim_end());
        }
    }
}

fn remark(point: &Point) -> String {
    match &point.outcome {
        Outcome::Right => String::new(),
        Outcome::Differs(how) => format!("differs: {how}"),
        Outcome::LeftOut => format!("left out: would take {}", time(point.seconds)),
    }
}

/// Returns the linked version of a package.
fn version(package: &str) -> &'static str {
    let lock = include_str!("../Cargo.lock");
    let behind =
        lock.split_once(&format!("name = \"{package}\"\nversion = \"")).map(|(_, rest)| rest);
    behind.and_then(|rest| rest.split('"').next()).unwrap_or("?")
}

/// A size in KiB or MiB.
pub fn kib(size: usize) -> String {
    if size < 1 << 20 { format!("{} KiB", size >> 10) } else { format!("{} MiB", size >> 20) }
}

/// A time in three digits.
pub fn time(seconds: f64) -> String {
    let (value, unit) = match seconds {
        s if s < 1e-3 => (s * 1e6, "µs"),
        s if s < 1.0 => (s * 1e3, "ms"),
        s => (s, "s"),
    };
    format!("{} {unit}", times(value))
}

/// A number in three digits, or more where it is large.
pub fn times(value: f64) -> String {
    match value {
        x if x < 10.0 => format!("{x:.2}"),
        x if x < 100.0 => format!("{x:.1}"),
        x => format!("{x:.0}"),
    }
}

/// The first line of the CSV.
pub const CSV_HEAD: &str = "parser,dialect,shape,chunk,bytes,nanoseconds,right";

/// Writes all measurements of a series.
pub fn csv(series: &Series, out: &mut impl Write) -> io::Result<()> {
    let (dialect, shape) = (series.dialect.name(), series.shape.name());
    for lane in &series.lanes {
        let measured = lane.points.iter().filter(|point| point.outcome != Outcome::LeftOut);
        for Point { bytes, seconds, outcome, .. } in measured {
            let (parser, chunk) = (lane.peer.name(), chunk_name(series.chunk));
            let right = *outcome == Outcome::Right;
            writeln!(
                out,
                "{parser},{dialect},{shape},{chunk},{bytes},{:.0},{right}",
                seconds * 1e9
            )?;
        }
    }
    Ok(())
}
