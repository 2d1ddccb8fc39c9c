//! The terminal: a recording a step at a time, by keys; into a pipe, a line for each stretch of the text.

use std::io::{self, IsTerminal, Write};

use anstyle::Style;
use crossterm::event::{Event as Input, KeyCode, KeyEventKind, KeyModifiers, read};
use crossterm::{cursor, execute, queue, terminal};
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use super::record::{Recording, Run};
use crate::class::{Class, DIM, NOTE, PLAIN};
use crate::failure::Result;
use crate::view::harmless;

const HELD: Style = Style::new().invert();
/// The rows below the text: a line, the state, the last event, two rows of a note, the keys.
const BELOW: usize = 6;
const KEYS: &str =
    "← → step · PgUp PgDn ten · Home End · n p next and previous note · c chunk size · q quit";

/// Shows a recording on a terminal until a key ends it; prints it into a pipe.
pub fn show(recording: &Recording) -> Result<()> {
    if !io::stdout().is_terminal() {
        return Ok(print(recording, &mut io::stdout().lock())?);
    }
    let mut out = io::stdout();
    terminal::enable_raw_mode()?;
    let shown = execute!(out, terminal::EnterAlternateScreen, cursor::Hide);
    let done = shown.and_then(|()| keys(recording, &mut out));
    // Whatever failed, the terminal is put back.
    let hidden = execute!(out, cursor::Show, terminal::LeaveAlternateScreen);
    terminal::disable_raw_mode()?;
    Ok(done.and(hidden)?)
}

/// Prints a line for each stretch: its first byte, its class, the chunks for which its first byte was pending,
/// and its text.
fn print(recording: &Recording, out: &mut impl Write) -> io::Result<()> {
    let run = &recording.runs[0];
    writeln!(
        out,
        "{} · {} · chunks of {}",
        harmless(&recording.file),
        recording.dialect,
        size(run)
    )?;
    let mut notes = recording.notes.iter().peekable();
    for event in &recording.events {
        let Some(class) = Class::of_event(&event.event) else { continue };
        let (came, left) = (run.came(event.from), run.left_with(event.from, recording.text.len()));
        let held = if left > came { format!("held {}", left - came) } else { String::new() };
        let text = recording.text[event.from..event.to].escape_debug().to_string();
        writeln!(out, "{:>8}  {:<9}  {held:<9}  {}", event.from, class.as_str(), harmless(&text))?;
        while let Some(note) = notes.next_if(|note| note.at < event.to) {
            writeln!(out, "{:>8}  {}", "", harmless(&note.says))?;
        }
    }
    notes.try_for_each(|note| writeln!(out, "{:>8}  {}", "", harmless(&note.says)))?;
    if recording.more_notes > 0 {
        writeln!(out, "{:>8}  notes left out: {}", "", recording.more_notes)?;
    }
    Ok(())
}

fn size(run: &Run) -> String {
    match run.size {
        None => "the whole text".to_string(),
        Some(1) => "1 byte".to_string(),
        Some(size) => format!("{size} bytes"),
    }
}

/// The view: a run, and its progress.
#[derive(Clone, Copy, Default)]
struct State {
    run: usize,
    step: usize,
    /// The note that was gone to.
    note: Option<usize>,
}

fn keys(recording: &Recording, out: &mut impl Write) -> io::Result<()> {
    let mut state = State::default();
    loop {
        let (columns, rows) = terminal::size()?;
        draw(out, &frame(recording, state, columns.into(), rows.into()))?;
        // Any other input, a new size of the window for example, leads to a new drawing.
        let Input::Key(key) = read()? else { continue };
        if key.kind == KeyEventKind::Release {
            continue;
        }
        let ends = key.modifiers.contains(KeyModifiers::CONTROL) && key.code == KeyCode::Char('c');
        if ends || matches!(key.code, KeyCode::Char('q') | KeyCode::Esc) {
            return Ok(());
        }
        state = after(recording, state, key.code);
    }
}

/// The state that a key leads to.
fn after(recording: &Recording, mut state: State, key: KeyCode) -> State {
    let run = &recording.runs[state.run];
    let last = run.chunks + 1;
    match key {
        KeyCode::Right | KeyCode::Char('l' | ' ') => state.step = (state.step + 1).min(last),
        KeyCode::Left | KeyCode::Char('h') => state.step = state.step.saturating_sub(1),
        KeyCode::PageDown => state.step = (state.step + 10).min(last),
        KeyCode::PageUp => state.step = state.step.saturating_sub(10),
        KeyCode::Home => state.step = 0,
        KeyCode::End => state.step = last,
        KeyCode::Char('c') => {
            // The same part of the text has come as before.
            let fed = run.fed(state.step, recording.text.len());
            let over = state.step == last;
            state.run = (state.run + 1) % recording.runs.len();
            let run = &recording.runs[state.run];
            state.step = match fed {
                _ if over => run.chunks + 1,
                0 => 0,
                fed => run.came(fed - 1),
            };
        }
        KeyCode::Char(to @ ('n' | 'p')) if !recording.notes.is_empty() => {
            let count = recording.notes.len();
            let next = match (state.note, to) {
                (None, _) => 0,
                (Some(at), 'n') => (at + 1) % count,
                (Some(at), _) => (at + count - 1) % count,
            };
            state.note = Some(next);
            state.step = run.left_with(recording.notes[next].at, recording.text.len());
        }
        _ => {}
    }
    state
}

/// A line of the screen: stretches, each in its style.
type Line = Vec<(Style, String)>;

fn draw(out: &mut impl Write, frame: &[Line]) -> io::Result<()> {
    queue!(out, terminal::BeginSynchronizedUpdate)?;
    for (row, line) in frame.iter().enumerate() {
        // Cleared before: behind a full line the cursor stands on its last character.
        queue!(out, cursor::MoveTo(0, row as u16))?;
        queue!(out, terminal::Clear(terminal::ClearType::CurrentLine))?;
        for (style, text) in line {
            write!(out, "{style}{text}{style:#}")?;
        }
    }
    queue!(out, terminal::EndSynchronizedUpdate)?;
    out.flush()
}

/// Draws the screen: the last part of the text that fits, and the rows below.
fn frame(recording: &Recording, state: State, columns: usize, rows: usize) -> Vec<Line> {
    let run = &recording.runs[state.run];
    let text = &recording.text;
    let (fed, left) = (run.fed(state.step, text.len()), run.left_at(state.step, text.len()));
    let height = rows.saturating_sub(BELOW);
    let lines = wrap(text, columns.max(2));
    let newest = lines.partition_point(|from| *from < fed).saturating_sub(1);
    let first = (newest + 1).saturating_sub(height * 3 / 4);
    let mut frame: Vec<Line> = Vec::new();
    for at in first..first + height {
        let Some(from) = lines.get(at) else {
            frame.push(Line::new());
            continue;
        };
        let to = lines.get(at + 1).copied().unwrap_or(text.len());
        frame.push(styled(recording, *from, to, left, fed));
    }
    let over = if state.step > run.chunks { "the stream is over" } else { "" };
    let says = format!(
        "chunks of {} · {} of {} · {fed} bytes came · {} held {over}",
        size(run),
        state.step.min(run.chunks),
        run.chunks,
        fed - left
    );
    let emitted = recording.events[run.emitted_at(state.step)].iter().filter_map(|event| {
        let event = serde_json::to_value(&event.event).ok()?;
        event["type"].as_str().map(String::from)
    });
    let note = state.note.map_or("", |at| &recording.notes[at].says);
    let second = wrap(note, columns.max(2)).get(1).map_or("", |at| &note[*at..]);
    let below = [
        (DIM, "─".repeat(columns)),
        (PLAIN, says),
        (PLAIN, emitted.collect::<Vec<_>>().join(", ")),
        (NOTE, note.into()),
        (NOTE, second.into()),
    ];
    for (style, text) in below.into_iter().chain([(DIM, KEYS.to_string())]) {
        frame.push(vec![(style, fitted(&harmless(&text), columns))]);
    }
    frame.truncate(rows);
    frame
}

/// A row's text, by its classes.
fn styled(recording: &Recording, from: usize, to: usize, left: usize, fed: usize) -> Line {
    let first = recording.events.partition_point(|event| event.to <= from);
    let mut line = Line::new();
    let stretches = recording.events[first..].iter().take_while(|event| event.from < to);
    for (event, class) in
        stretches.filter_map(|event| Some((event, Class::of_event(&event.event)?)))
    {
        let (begin, end) = (event.from.max(from), event.to.min(to));
        // Parts that left, that are pending, that are to come: a character belongs to the first part that has
        // all of it.
        let mut at = begin;
        for (border, style) in [(left, class.style()), (fed, HELD), (end, DIM)] {
            let mut border = border.clamp(at, end);
            while !recording.text.is_char_boundary(border) {
                border -= 1;
            }
            let text = recording.text[at..border].trim_end_matches(['\n', '\r']);
            if !text.is_empty() {
                line.push((style, shown(text)));
            }
            at = border;
        }
    }
    line
}

/// A text in which nothing moves the cursor.
fn shown(text: &str) -> String {
    harmless(&text.replace('\t', "→ ")).into_owned()
}

/// Returns the beginnings of the rows of a text with so many columns.
fn wrap(text: &str, columns: usize) -> Vec<usize> {
    let (mut rows, mut column) = (vec![0], 0);
    for (at, grapheme) in text.grapheme_indices(true) {
        if matches!(grapheme, "\n" | "\r\n") {
            rows.push(at + grapheme.len());
            column = 0;
            continue;
        }
        let width = shown(grapheme).width();
        if column + width > columns && column > 0 {
            rows.push(at);
            column = 0;
        }
        column += width;
    }
    rows
}

/// Returns the part of a text that fits into so many columns.
fn fitted(text: &str, columns: usize) -> String {
    let mut width = 0;
    let fits = |grapheme: &&str| {
        width += grapheme.width();
        width <= columns
    };
    text.graphemes(true).take_while(fits).collect()
}

#[cfg(test)]
mod tests {
    use toolstream::check::Ended;
    use toolstream::{Dialect, Parser};

    use super::*;
    use crate::reading::Ready;

    const TEXT: &str = "漢字と👩‍👩‍👧 e\u{301}\t\u{1b}[2J\u{202e}x\r\n<tool_call>\n{\"name\": \"f\", \
        \"arguments\": {\"x\": \"漢字漢字漢字\"}}\n</tool_call> and <tool";

    fn recording() -> Recording {
        let parser = Parser::builder(Dialect::HERMES).tool_limit(None).build().unwrap();
        let ready = Ready { parser, ended: Ended::Stop };
        Recording::read("a".to_string(), &ready, TEXT.as_bytes(), &[Some(7), Some(1), None])
    }

    fn joined(line: &Line) -> String {
        line.iter().map(|(_, text)| &**text).collect()
    }

    /// Whatever is wide, joined or hidden: no line is wider than the screen, and none drives it.
    #[test]
    fn no_line_is_too_wide_at_any_step() {
        let recording = recording();
        for columns in 2..40 {
            for run in 0..recording.runs.len() {
                for step in 0..=recording.runs[run].chunks + 1 {
                    let state = State { run, step, note: Some(0) };
                    let frame = frame(&recording, state, columns, 30);
                    assert_eq!(frame.len(), 30);
                    for line in frame.iter().map(joined) {
                        assert!(line.width() <= columns, "{columns}: {line:?}");
                        assert!(!line.contains(['\u{1b}', '\u{202e}', '\t', '\n']), "{line:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn notes_that_are_left_out_are_counted() {
        let printed = |more_notes| {
            let (mut recording, mut out) = (recording(), Vec::new());
            recording.more_notes = more_notes;
            print(&recording, &mut out).unwrap();
            String::from_utf8(out).unwrap()
        };
        assert!(!printed(0).contains("left out"), "{}", printed(0));
        assert!(printed(3).ends_with("  notes left out: 3\n"), "{}", printed(3));
    }

    /// A grapheme is never torn by the end of a row.
    #[test]
    fn rows_begin_at_graphemes() {
        let borders: Vec<usize> = TEXT.grapheme_indices(true).map(|(at, _)| at).collect();
        for columns in 2..20 {
            let rows = wrap(TEXT, columns);
            assert!(rows.windows(2).all(|two| two[0] < two[1]), "{rows:?}");
            assert!(rows.iter().all(|at| *at == TEXT.len() || borders.contains(at)), "{rows:?}");
        }
    }

    #[test]
    fn keys_step_and_show_what_is_held() {
        let recording = recording();
        let begins = TEXT.find("<tool_call>").unwrap();
        let mut state = after(&recording, State::default(), KeyCode::Char('c'));
        for _ in 0..begins + 5 {
            state = after(&recording, state, KeyCode::Right);
        }
        let frame = frame(&recording, state, 80, 30);
        let held: Vec<&str> = frame
            .iter()
            .flatten()
            .filter(|(style, _)| *style == HELD)
            .map(|(_, text)| &**text)
            .collect();
        assert_eq!(held, ["<tool"]);
        let says = joined(&frame[25]);
        assert_eq!(
            says,
            format!(
                "chunks of 1 byte · {0} of {1} · {0} bytes came · 5 held ",
                begins + 5,
                TEXT.len()
            )
        );
        state = after(&recording, state, KeyCode::Char('n'));
        assert_eq!((state.note, state.step), (Some(0), recording.notes[0].at + 1));
        state = after(&recording, state, KeyCode::End);
        assert_eq!(after(&recording, state, KeyCode::Right).step, TEXT.len() + 1);
    }
}
