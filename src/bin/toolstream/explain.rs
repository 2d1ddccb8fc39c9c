//! `toolstream explain`: how each part of a text was read, and why a marker did not count.

use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use anstream::AutoStream;
use toolstream::check::Ended;
use toolstream::{Block, Event, Message, Sink, ToolUse, diagnostic::Marker};

use crate::class::{BAD, Class, DIM, GOOD, NOTE};
use crate::failure::Result;
use crate::notes::{About, Note, Notes};
use crate::reading::{Reading, Ready};
use crate::view::{Color, harmless};

/// Show how each line was read, and why a text that looks like a marker does not count
///
/// The margin shows the kind of the line: text, reasoning, markup, the value of a parameter (`read_file.path`)
/// or the arguments of a call (`read_file`). Notes below a line list the markers in it that did not count, each
/// with the reason; the diagnostics; and whether a call that ended may run. All calls are read, whatever
/// their number. Offsets are bytes.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    reading: Reading,
    /// Also show the markers that count
    #[arg(long)]
    all: bool,
    /// Whether to print in colour; `auto`: on a terminal, and not if NO_COLOR is set [default: auto]
    #[arg(long, value_name = "auto|always|never", hide_possible_values = true)]
    color: Option<Color>,
    /// The model text; stdin if there is none, or for `-`
    #[arg(default_value = "-", hide_default_value = true)]
    file: PathBuf,
}

const EXAMPLES: &str = "\
Examples:
  Why did this call come out as text?
    toolstream explain --dialect hermes --tools tools.json answer.txt
  Show its markers, also those that count:
    toolstream explain --dialect hermes --tools tools.json --all answer.txt
  With a dialect of your own:
    toolstream explain --shape mine.json answer.txt";

/// The margin is no wider, in characters.
const MARGIN: usize = 28;

pub fn run(args: Args) -> Result<ExitCode> {
    let Args { reading, all, color, file } = args;
    let (Ready { mut parser, ended }, text) = reading.whole(&file)?;
    let mut record = Record::new(parser.message(), all);
    parser.feed_bytes_into(&text, &mut record);
    match ended {
        Ended::Cut => parser.finish_cut_into(&mut record),
        _ => parser.finish_into(&mut record),
    }
    let choice = color.unwrap_or(Color::Auto).choice();
    let out = io::stdout();
    let mut out = BufWriter::new(AutoStream::new(out.lock(), choice));
    record.print(&mut out)?;
    out.flush()?;
    if io::stdout().is_terminal() && !all {
        crate::failure::say("note: `--all` shows the markers that count, too");
    }
    Ok(ExitCode::SUCCESS)
}

/// A stretch of the text: its beginning, its class, and the text in the margin.
#[derive(Debug)]
struct Piece {
    at: usize,
    class: Class,
    label: String,
}

/// The events of a text.
struct Record {
    pieces: Vec<Piece>,
    notes: Notes,
    call: String,
    param: String,
}

impl Record {
    fn new(message: Message, all: bool) -> Record {
        let (call, param) = Default::default();
        Record { pieces: Vec::new(), notes: Notes::new(message, all), call, param }
    }

    /// A stretch of this class begins where the text ends.
    fn piece(&mut self, class: Class) {
        let label = match class {
            Class::Value if self.param.is_empty() => self.call.clone(),
            Class::Value => format!("{}.{}", self.call, self.param),
            _ => class.as_str().to_string(),
        };
        if self.pieces.last().is_none_or(|last| last.class != class || last.label != label) {
            self.pieces.push(Piece { at: self.notes.text.len(), class, label });
        }
    }

    fn tool_use(&mut self, event: ToolUse<&str>) {
        match event {
            ToolUse::Start { name, .. } => self.call = name.to_string(),
            ToolUse::ParamStart { name, .. } => self.param = name.to_string(),
            ToolUse::ParamEnd { .. } => self.param.clear(),
            _ => {}
        }
    }

    /// Prints the lines of the text, each with its margin and its notes.
    fn print(mut self, out: &mut impl Write) -> io::Result<()> {
        let text = &self.notes.text;
        self.notes.list.sort_by_key(|note| note.at);
        let labels = self.pieces.iter().map(|piece| piece.label.chars().count());
        let width = labels.max().unwrap_or(0).min(MARGIN);
        let (mut at, mut notes) = (0, self.notes.list.iter().peekable());
        for line in text.split_inclusive('\n') {
            let end = at + line.len();
            let label = harmless(self.label(at, end));
            let label: String = label.chars().take(MARGIN).collect();
            write!(out, "{DIM}{label:>width$} │{DIM:#} ")?;
            self.print_line(out, at, at + line.trim_end_matches(['\r', '\n']).len())?;
            let last = end == text.len();
            while let Some(note) = notes.next_if(|note| note.at < end || last) {
                write!(out, "{DIM}{:>width$} │{DIM:#}   ", "")?;
                print_note(out, note)?;
            }
            at = end;
        }
        notes.try_for_each(|note| print_note(out, note))?;
        if self.is_all_markup() {
            let says = "! all of it is markup: no text, no reasoning and no call came of it".into();
            print_note(out, &Note { at: text.len(), about: About::Diagnostic, says })?;
        }
        Ok(())
    }

    /// Whether the text is more than white space, and no text, reasoning or call came of it.
    fn is_all_markup(&self) -> bool {
        let is_blank = |block: &Block| match block {
            Block::Text(prose) => prose.text.trim().is_empty(),
            _ => false,
        };
        !self.notes.text.trim().is_empty() && self.notes.message.blocks().iter().all(is_blank)
    }

    /// The pieces of a stretch of the text, each with its place in the stretch.
    fn pieces_in(&self, from: usize, to: usize) -> impl Iterator<Item = (usize, usize, &Piece)> {
        let first = self.pieces.partition_point(|piece| piece.at <= from).saturating_sub(1);
        let ends =
            self.pieces[first..].iter().skip(1).map(|next| next.at).chain([self.notes.text.len()]);
        let pieces = self.pieces[first..].iter().zip(ends);
        let pieces = pieces.map(move |(piece, end)| (piece.at.max(from), end.min(to), piece));
        pieces.take_while(move |(at, ..)| *at < to)
    }

    /// Returns the label of a line: that of the first part that is more than markup and white space, if there is one.
    fn label(&self, from: usize, to: usize) -> &str {
        let says = |(at, end, piece): &(usize, usize, &Piece)| {
            piece.class != Class::Markup && !self.notes.text[*at..*end].trim().is_empty()
        };
        let piece = self.pieces_in(from, to).find(says);
        let piece = piece.or_else(|| self.pieces_in(from, to).next());
        piece.map_or("", |(.., piece)| &piece.label)
    }

    fn print_line(&self, out: &mut impl Write, from: usize, to: usize) -> io::Result<()> {
        for (at, end, piece) in self.pieces_in(from, to) {
            let style = piece.class.style();
            write!(out, "{style}{}{style:#}", harmless(&self.notes.text[at..end]))?;
        }
        writeln!(out)
    }
}

fn print_note(out: &mut impl Write, note: &Note) -> io::Result<()> {
    let style = match note.about {
        About::Call => GOOD,
        About::BadCall => BAD,
        About::Diagnostic | About::Refused => NOTE,
        About::Marker => DIM,
    };
    writeln!(out, "{style}{}{style:#}", harmless(&note.says))
}

impl Sink for Record {
    fn event(&mut self, event: Event<&str>) {
        if let Some(class) = Class::of_event(&event) {
            self.piece(class);
        }
        if let Event::ToolUse(event) = event {
            self.tool_use(event);
        }
        self.notes.event(event);
    }

    fn wants_markers(&self) -> bool {
        true
    }

    fn marker(&mut self, marker: &Marker<'_>) {
        self.notes.marker(marker);
    }
}

#[cfg(test)]
mod tests {
    use toolstream::{Dialect, Parser};

    use super::*;

    /// Pieces tile the text of every line.
    #[test]
    fn pieces_of_a_line_tile_it() {
        let mut parser = Parser::builder(Dialect::HERMES).build().unwrap();
        let mut record = Record::new(parser.message(), true);
        let text =
            "a <tool_call>\n{\"name\": \"f\", \"arguments\": {\n\"x\": 1}}\n</tool_call> b\n\nc";
        parser.feed_into(text, &mut record);
        parser.finish_into(&mut record);
        assert_eq!(record.notes.text, text);
        for from in 0..text.len() {
            for to in from..=text.len() {
                let of: Vec<_> = record.pieces_in(from, to).collect();
                let joined: String = of.iter().map(|(at, end, _)| &text[*at..*end]).collect();
                assert_eq!(joined, text[from..to], "{from}..{to}");
            }
        }
    }
}
