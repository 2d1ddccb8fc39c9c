//! Draws the measurements of `peers --csv`, two pictures: the time for one message against its size, and the
//! time for one chunk against the chunk's size.
//!
//! ```sh
//! cargo run --release --manifest-path benches/peers/Cargo.toml --bin plot -- target/peers.csv benches/peers
//! ```

use std::error::Error;
use std::fs;
use std::path::Path;

use plotters::coord::ranged1d::{KeyPointHint, Ranged, ValueFormatter};
use plotters::prelude::*;

/// The drawn series, as the CSV names them: one call with one long value.
const SERIES: [&str; 2] = ["qwen3-coder", "prose-value"];

/// The parsers in the plot, and their colours: hues that also differ in lightness.
const PARSERS: [(&str, RGBColor); 3] = [
    ("toolstream", RGBColor(0, 114, 178)),
    ("dynamo-parsers-v2", RGBColor(213, 94, 0)),
    ("tool-parser", RGBColor(90, 90, 90)),
];

/// A measurement: bytes in a chunk and in the message, and seconds.
struct Row {
    chunk: f64,
    bytes: f64,
    seconds: f64,
}

/// Bytes, and seconds.
type Point = (f64, f64);

/// Picture of the plot.
struct Picture {
    file: &'static str,
    title: &'static str,
    x: &'static str,
    /// The place of a measurement in it, if it has one.
    of: fn(&Row) -> Option<Point>,
}

const PICTURES: [Picture; 2] = [
    Picture {
        file: "plot.svg",
        title: "Time to read one tool call (Qwen3-Coder, chunks of 16 bytes)",
        x: "size of the message",
        of: |row| (row.chunk == 16.0).then_some((row.bytes, row.seconds)),
    },
    Picture {
        file: "chunks.svg",
        title: "Time to read one chunk of a 64 KiB argument (Qwen3-Coder)",
        x: "size of the chunk",
        of: |row| {
            let is_64_kib = (65_536.0..66_560.0).contains(&row.bytes);
            let chunks = row.bytes / row.chunk;
            is_64_kib.then_some((row.chunk, row.seconds / chunks))
        },
    },
];

fn main() {
    if let Err(error) = plot() {
        eprintln!("{error}");
        std::process::exit(2);
    }
}

fn plot() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [from, to] = &args[..] else {
        return Err("give the CSV of `peers --csv FILE`, and the folder for the pictures".into());
    };
    let csv = fs::read_to_string(from).map_err(|error| format!("{from}: {error}"))?;
    for picture in &PICTURES {
        let lines = PARSERS.map(|(parser, colour)| (parser, colour, points(&csv, parser, picture)));
        if lines.iter().any(|(_, _, points)| points.is_empty()) {
            return Err(format!("{from} does not have all of {}", picture.file).into());
        }
        picture.draw(&lines, &Path::new(to).join(picture.file))?;
    }
    Ok(())
}

/// Returns the points of one parser, from left to right. Wrong results have none.
fn points(csv: &str, parser: &str, picture: &Picture) -> Vec<Point> {
    let [dialect, shape] = SERIES;
    let row = |line: &str| match line.split(',').collect::<Vec<_>>()[..] {
        [p, d, s, chunk, bytes, nanoseconds, "true"] if [p, d, s] == [parser, dialect, shape] => {
            let (chunk, bytes) = (chunk.parse().ok()?, bytes.parse().ok()?);
            let seconds = nanoseconds.parse::<f64>().ok()? / 1e9;
            (picture.of)(&Row { chunk, bytes, seconds })
        }
        _ => None,
    };
    let mut points: Vec<Point> = csv.lines().filter_map(row).collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    points
}

impl Picture {
    fn draw(
        &self,
        lines: &[(&str, RGBColor, Vec<Point>)],
        to: &Path,
    ) -> Result<(), Box<dyn Error>> {
        let all = || lines.iter().flat_map(|(_, _, points)| points);
        let least = |of: fn(&Point) -> f64| all().map(of).fold(f64::INFINITY, f64::min);
        let most = |of: fn(&Point) -> f64| all().map(of).fold(0.0, f64::max);
        let sizes = Powers { from: least(|p| p.0), to: most(|p| p.0), step: 4.0 };
        let times = Powers { from: least(|p| p.1) / 2.0, to: most(|p| p.1) * 2.0, step: 10.0 };

        let root = SVGBackend::new(to, (860, 480)).into_drawing_area();
        // A background of its own, for dark pages.
        root.fill(&WHITE)?;
        let mut chart = ChartBuilder::on(&root)
            .caption(self.title, ("sans-serif", 20))
            .margin(12)
            .margin_right(160)
            .x_label_area_size(48)
            .y_label_area_size(80)
            .build_cartesian_2d(sizes, times)?;
        chart
            .configure_mesh()
            .x_desc(self.x)
            .y_desc("time")
            .x_label_formatter(&|bytes| size(*bytes))
            .y_label_formatter(&|seconds| time(*seconds))
            .label_style(("sans-serif", 15))
            .axis_desc_style(("sans-serif", 16))
            .light_line_style(WHITE)
            .bold_line_style(RGBColor(225, 225, 225))
            .draw()?;
        let mut labels: Vec<f64> = Vec::new();
        for (parser, colour, points) in lines {
            chart.draw_series(LineSeries::new(points.iter().copied(), colour.stroke_width(2)))?;
            chart.draw_series(points.iter().map(|&at| Circle::new(at, 3, colour.filled())))?;
            if let Some(&last) = points.last() {
                let style = ("sans-serif", 16).into_font().color(colour);
                // If another line ends in the same place, the name stands above the other's.
                let close = labels.iter().filter(|at| (last.1 / **at).ln().abs() < 0.5).count();
                labels.push(last.1);
                let place = (10, -6 - 18 * close as i32);
                let label = EmptyElement::at(last) + Text::new(parser.to_string(), place, style);
                chart.plotting_area().draw(&label)?;
            }
        }
        root.present()?;
        Ok(())
    }
}

/// `16 B`, `64 KiB`, `1 MiB`.
fn size(bytes: f64) -> String {
    match bytes {
        b if b < 1024.0 => format!("{b:.0} B"),
        b if b < 1_048_576.0 => format!("{:.0} KiB", b / 1024.0),
        b => format!("{:.0} MiB", b / 1_048_576.0),
    }
}

/// `10 ns`, `1 µs`, `100 ms`.
fn time(seconds: f64) -> String {
    match seconds * 1.000_001 {
        s if s < 1e-6 => format!("{:.0} ns", s * 1e9),
        s if s < 1e-3 => format!("{:.0} µs", s * 1e6),
        s if s < 1.0 => format!("{:.0} ms", s * 1e3),
        s => format!("{s:.0} s"),
    }
}

/// A logarithmic axis whose marks are powers of a number: people read 1 µs, 10 µs, and 4 KiB, 16 KiB.
#[derive(Clone)]
struct Powers {
    from: f64,
    to: f64,
    step: f64,
}

impl Ranged for Powers {
    type FormatOption = plotters::coord::ranged1d::NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        let part = (value / self.from).ln() / (self.to / self.from).ln();
        limit.0 + (part * f64::from(limit.1 - limit.0)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, _: Hint) -> Vec<f64> {
        let first = self.from.log(self.step).ceil() as i32;
        let powers = (first..).map(|power| self.step.powi(power));
        powers.take_while(|value| *value <= self.to).collect()
    }

    fn range(&self) -> std::ops::Range<f64> {
        self.from..self.to
    }
}

impl ValueFormatter<f64> for Powers {}
