//! Draws what `peers --csv` measured: the time for one message against its size.
//!
//! ```sh
//! cargo run --release --manifest-path benches/peers/Cargo.toml --bin plot -- target/peers.csv benches/peers/plot.svg
//! ```

use std::error::Error;
use std::fs;

use plotters::prelude::*;

/// What is drawn, as the CSV calls it: one call with one long value, in chunks of a few tokens.
const SERIES: [&str; 3] = ["qwen3-coder", "prose-value", "16"];
const TITLE: &str = "Time to read one tool call (Qwen3-Coder, chunks of 16 bytes)";

/// Who is drawn, and how: hues that also differ in lightness.
const PARSERS: [(&str, RGBColor); 3] = [
    ("toolstream", RGBColor(0, 114, 178)),
    ("dynamo-parsers-v2", RGBColor(213, 94, 0)),
    ("tool-parser", RGBColor(90, 90, 90)),
];

/// Message size in KiB, and milliseconds.
type Point = (f64, f64);

fn main() {
    if let Err(error) = plot() {
        eprintln!("{error}");
        std::process::exit(2);
    }
}

fn plot() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [from, to] = &args[..] else {
        return Err("give two files: the CSV of `peers --csv FILE`, and the SVG to write".into());
    };
    let csv = fs::read_to_string(from).map_err(|error| format!("{from}: {error}"))?;
    let lines = PARSERS.map(|(parser, colour)| (parser, colour, points(&csv, parser)));
    if lines.iter().any(|(_, _, points)| points.is_empty()) {
        return Err(format!("{from} does not have all of the series {}", SERIES.join(" ")).into());
    }
    draw(&lines, to)
}

/// The points of one parser, shortest message first. Where it was wrong it has none.
fn points(csv: &str, parser: &str) -> Vec<Point> {
    let [dialect, shape, chunk] = SERIES;
    let point = |line: &str| match line.split(',').collect::<Vec<_>>()[..] {
        [p, d, s, c, bytes, nanoseconds, "true"]
            if [p, d, s, c] == [parser, dialect, shape, chunk] =>
        {
            let (bytes, nanoseconds): (f64, f64) = (bytes.parse().ok()?, nanoseconds.parse().ok()?);
            Some((bytes / 1024.0, nanoseconds / 1e6))
        }
        _ => None,
    };
    csv.lines().filter_map(point).collect()
}

fn draw(lines: &[(&str, RGBColor, Vec<Point>)], to: &str) -> Result<(), Box<dyn Error>> {
    let all = || lines.iter().flat_map(|(_, _, points)| points);
    let least = |of: fn(&Point) -> f64| all().map(of).fold(f64::INFINITY, f64::min);
    let most = |of: fn(&Point) -> f64| all().map(of).fold(0.0, f64::max);
    let sizes = least(|p| p.0).min(1.0)..most(|p| p.0) * 1.05;
    let times = least(|p| p.1) / 2.0..most(|p| p.1) * 2.0;

    let root = SVGBackend::new(to, (860, 480)).into_drawing_area();
    // A background of its own, for pages that are dark.
    root.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&root)
        .caption(TITLE, ("sans-serif", 20))
        .margin(12)
        .margin_right(160)
        .x_label_area_size(48)
        .y_label_area_size(72)
        .build_cartesian_2d(sizes.log_scale().base(2.0), times.log_scale())?;
    chart
        .configure_mesh()
        .x_desc("size of the message (KiB)")
        .y_desc("time (ms)")
        .x_labels(12)
        .x_label_formatter(&|kib| format!("{kib:.0}"))
        .y_label_formatter(&|ms| format!("{ms}"))
        .label_style(("sans-serif", 15))
        .axis_desc_style(("sans-serif", 16))
        .light_line_style(WHITE)
        .bold_line_style(RGBColor(225, 225, 225))
        .draw()?;
    for (parser, colour, points) in lines {
        chart.draw_series(LineSeries::new(points.iter().copied(), colour.stroke_width(2)))?;
        chart.draw_series(points.iter().map(|&at| Circle::new(at, 3, colour.filled())))?;
        if let Some(&last) = points.last() {
            let style = ("sans-serif", 16).into_font().color(colour);
            let label = EmptyElement::at(last) + Text::new(parser.to_string(), (10, -6), style);
            chart.plotting_area().draw(&label)?;
        }
    }
    root.present()?;
    Ok(())
}
