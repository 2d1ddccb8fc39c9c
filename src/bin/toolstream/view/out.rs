//! Standard output. On a terminal no text of a model drives it: control characters are shown, not sent.

use std::fmt::Write as _;
use std::io::{self, BufWriter, IsTerminal, StdoutLock, Write};

use serde::Serialize;
use serde_json::Value;

use super::screen::{harmless, harmless_lines};

/// A buffered output that knows whether it is a terminal. Whole texts are written to it, never a part of a character.
pub struct Out<W: Write = StdoutLock<'static>> {
    out: BufWriter<W>,
    terminal: bool,
}

/// Returns the standard output.
pub fn stdout() -> Out {
    Out::on(io::stdout().lock(), io::stdout().is_terminal())
}

impl<W: Write> Out<W> {
    pub fn on(out: W, terminal: bool) -> Out<W> {
        Out { out: BufWriter::new(out), terminal }
    }

    /// Writes a JSON object on a line, or on several for people, with its `file` before its other members.
    pub fn json(
        &mut self,
        file: Option<&str>,
        object: &impl Serialize,
        pretty: bool,
    ) -> io::Result<()> {
        let json = if pretty {
            serde_json::to_string_pretty(object)
        } else {
            serde_json::to_string(object)
        }?;
        let json = match (file.map(Value::from), json.strip_prefix('{')) {
            (Some(file), Some(members)) => {
                let (gap, space) = if pretty { ("\n  ", " ") } else { ("", "") };
                format!("{{{gap}\"file\":{space}{file},{members}")
            }
            _ => json,
        };
        // Escaped, so that it stays the same JSON.
        let json = if self.terminal { escaped(&json) } else { json };
        writeln!(self, "{json}")
    }
}

impl<W: Write> Write for Out<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !self.terminal {
            return self.out.write(bytes);
        }
        self.out.write_all(harmless_lines(&String::from_utf8_lossy(bytes)).as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Escapes the characters of a JSON text that could drive a terminal. They stand in its strings alone.
fn escaped(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for c in json.chars() {
        let mut encoded = [0; 4];
        let shown = harmless(c.encode_utf8(&mut encoded));
        match c == '\n' || shown.starts_with(c) {
            true => text.push(c),
            false => write!(text, "\\u{:04x}", u32::from(c)).expect("a string takes all"),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const HOSTILE: &str = "é\u{1b}]52;c;aGk=\u{7}\u{9b}2J\u{202e}\u{7f}\nend";

    fn written(
        terminal: bool,
        write: impl FnOnce(&mut Out<&mut Vec<u8>>) -> io::Result<()>,
    ) -> String {
        let mut bytes = Vec::new();
        let mut out = Out::on(&mut bytes, terminal);
        write(&mut out).and_then(|()| out.flush()).unwrap();
        drop(out);
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn a_terminal_is_shown_what_would_drive_it() {
        let plain = |out: &mut Out<&mut Vec<u8>>| write!(out, "{HOSTILE}");
        assert_eq!(written(false, plain), HOSTILE);
        assert_eq!(written(true, plain), "é␛]52;c;aGk=␇\u{fffd}2J\u{fffd}\u{fffd}\nend");
    }

    #[test]
    fn json_for_a_terminal_is_the_same_json() {
        let object = json!({"text": HOSTILE});
        for (file, pretty) in [(None, false), (Some("a.txt"), true), (Some("\u{9b}"), false)] {
            let [piped, shown] = [false, true]
                .map(|terminal| written(terminal, |out| out.json(file, &object, pretty)));
            assert!(
                shown.chars().all(|c| c == '\n' || c == 'é' || c.is_ascii() && !c.is_control()),
                "{shown:?}"
            );
            let [piped, shown] =
                [piped, shown].map(|text| serde_json::from_str::<Value>(&text).unwrap());
            assert_eq!(piped, shown);
            assert_eq!(shown["text"], HOSTILE);
        }
    }
}
