//! Markdown code in text, for `fences = quote`: what stands in it is text, whatever it looks like.
//!
//! ```text
//! fence  := line of blanks, then three or more back-ticks or tildes; up to a line that begins
//!           with at least as many of the same, or to the end of the stream
//! inline := a run of back-ticks; up to the next run of as many, or to the end of the line
//! ```
//! Bytes leave at once: the tracker looks on and holds nothing. Stream ends here: nothing to do.

/// Where the text stands with regard to Markdown code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fence {
    /// Only blanks since the line began.
    line_start: bool,
    /// The run of delimiters that is being read.
    run: Option<Run>,
    /// The fence that is open.
    open: Option<(u8, u16)>,
    /// The inline code that is open: how many back-ticks end it.
    inline: Option<u16>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Run {
    delimiter: u8,
    count: u16,
    leads: bool,
}

impl Default for Fence {
    fn default() -> Self {
        Fence { line_start: true, run: None, open: None, inline: None }
    }
}

impl Fence {
    pub fn read(&mut self, text: &str) {
        for &byte in text.as_bytes() {
            self.step(byte);
        }
    }

    /// Whether a marker that begins here is text. If it is, its first byte may belong to the run.
    pub fn quotes(mut self) -> bool {
        self.end_run();
        self.open.is_some() || self.inline.is_some()
    }

    fn step(&mut self, byte: u8) {
        if let Some(run) = &mut self.run {
            if run.delimiter == byte {
                run.count = run.count.saturating_add(1);
                return;
            }
            self.end_run();
        }
        match byte {
            b'`' | b'~' => {
                self.run = Some(Run { delimiter: byte, count: 1, leads: self.line_start });
                self.line_start = false;
            }
            b'\n' => {
                self.inline = None;
                self.line_start = true;
            }
            b' ' | b'\t' => {}
            _ => self.line_start = false,
        }
    }

    /// Something else than text begins.
    pub fn end_run(&mut self) {
        let Some(run) = self.run.take() else { return };
        match (self.open, self.inline) {
            (Some((delimiter, count)), _) => {
                if run.leads && run.delimiter == delimiter && run.count >= count {
                    self.open = None;
                }
            }
            (None, Some(count)) => {
                if run.delimiter == b'`' && run.count == count {
                    self.inline = None;
                }
            }
            (None, None) if run.leads && run.count >= 3 => {
                self.open = Some((run.delimiter, run.count))
            }
            (None, None) if run.delimiter == b'`' => self.inline = Some(run.count),
            (None, None) => {}
        }
    }
}
