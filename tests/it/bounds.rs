//! A run of blanks or letters anywhere in a message, about as long as a bound of held bytes, has the same events whole, byte
//! by byte and in two.
//!
//! The machine reads a chunk in one go where no bound is near, and single characters where a bound is near. These tests
//! compare both on either side of each bound.

use toolstream::check::join;
use toolstream::{Dialect, Event, Parser, Status, ToolUse, options::bounds};

use crate::support::inputs;

/// Bounds of a name, of white space and of a line, of a tag.
const BOUNDS: [usize; 3] = [bounds::NAME, 256, 512];
/// Bytes between two places of a run.
const STEP: usize = 5;

fn events<'t>(parser: &Parser, chunks: impl Iterator<Item = &'t str>) -> Vec<Event<String>> {
    let (mut parser, mut events) = (parser.clone(), Vec::new());
    let mut take = |event: Event<&str>| events.push(event.map(String::from));
    chunks.for_each(|chunk| parser.feed_into(chunk, &mut take));
    parser.finish_into(&mut take);
    join(events)
}

/// Tests every dialect whose number modulo 4 is `rest`.
fn hold(rest: usize) {
    for dialect in Dialect::ALL.iter().skip(rest).step_by(4) {
        let parser = inputs::parser(dialect);
        let session = inputs::write(dialect, "a value");
        let places = (0..session.len()).filter(|at| session.is_char_boundary(*at));
        for (number, at) in places.enumerate().step_by(STEP * inputs::every()) {
            // The rest of the tag or the line counts, too.
            let lengths = BOUNDS.into_iter().flat_map(|bound| {
                let line = session[..at].rsplit('\n').next().map_or(0, str::len);
                let tag = session[..at].rfind('<').map_or(0, |tag| at - tag);
                [0, line, tag].map(|before| bound.saturating_sub(before))
            });
            let fill = if number / STEP % 2 == 0 { " " } else { "a" };
            for length in lengths.flat_map(|length| [length.saturating_sub(1), length, length + 1])
            {
                let (head, tail) = session.split_at(at);
                let text = format!("{head}{}{tail}", fill.repeat(length));
                let whole = events(&parser, [&*text].into_iter());
                let bytes = events(&parser, inputs::pieces(&text, 1));
                assert_eq!(whole, bytes, "{dialect}, {length} of {fill:?} at {at}: {text:?}");
                let halves = events(&parser, inputs::pieces(&text, at + length / 2));
                assert_eq!(whole, halves, "{dialect}, {length} of {fill:?} at {at}: {text:?}");
            }
        }
    }
}

#[test]
fn of_each_first_dialect() {
    hold(0);
}

#[test]
fn of_each_second_dialect() {
    hold(1);
}

#[test]
fn of_each_third_dialect() {
    hold(2);
}

#[test]
fn of_each_fourth_dialect() {
    hold(3);
}

/// The number of complete calls, in one chunk, byte by byte and in two.
fn complete(parser: &Parser, text: &str) -> usize {
    let count = |size: usize| {
        let events = events(parser, inputs::pieces(text, size));
        let ends = events.iter().filter(|event| {
            matches!(event, Event::ToolUse(ToolUse::End { status: Status::Complete, .. }))
        });
        ends.count()
    };
    let whole = count(usize::MAX);
    for size in [1, 3, text.len() / 2] {
        assert_eq!(count(size), whole, "{text:?} in chunks of {size}");
    }
    whole
}

/// A part as long as its bound counts, and with one byte more it does not.
#[test]
fn to_the_byte() {
    let tag = |before: &str, after: &str| {
        format!(
            "<function_calls>\n<invoke {before}name=\"read_file\"{after}>\n\
             <parameter name=\"path\">x</parameter>\n</invoke>\n</function_calls>"
        )
    };
    let blanks = |count: usize| " ".repeat(count);
    let own = "<invoke name=\"read_file\">".len();
    for more in [0, 1] {
        let pad = 512 - own + more;
        for before in [0, 1, pad / 2, pad - 1, pad] {
            let text = tag(&blanks(before), &blanks(pad - before));
            let parser = inputs::parser(&Dialect::INVOKE);
            assert_eq!(complete(&parser, &text), 1 - more, "{before} of {pad} before the name");
        }
        let name = "f".repeat(bounds::NAME + more);
        let text = tag("", "").replace("read_file", &name);
        let parser = Parser::builder(Dialect::INVOKE).build().expect("a parser");
        assert_eq!(complete(&parser, &text), 1 - more, "a name of {} bytes", name.len());
        let white = blanks(256 + more);
        for (dialect, text) in [
            (Dialect::CLINE, format!("<read_file>{white}<path>x</path></read_file>")),
            (
                Dialect::HERMES,
                format!("<tool_call>{white}{{\"name\": \"f\", \"arguments\": {{}}}}</tool_call>"),
            ),
        ] {
            let parser = inputs::parser(&dialect);
            assert_eq!(complete(&parser, &text), 1 - more, "{dialect}, {} blanks", white.len());
        }
    }
}
