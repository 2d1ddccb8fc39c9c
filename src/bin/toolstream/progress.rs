//! A line on stderr that shows that a long run is alive.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use crate::view::harmless;

/// Short runs stay silent.
const PATIENCE: Duration = Duration::from_secs(1);
const PACE: Duration = Duration::from_millis(100);

/// Progress on stderr; nothing unless that is a terminal.
pub struct Progress {
    terminal: bool,
    next: Instant,
    shown: bool,
}

impl Progress {
    pub fn new() -> Progress {
        let (terminal, next) = (io::stderr().is_terminal(), Instant::now() + PATIENCE);
        Progress { terminal, next, shown: false }
    }

    pub fn show(&mut self, line: impl FnOnce() -> String) {
        if self.terminal && Instant::now() >= self.next {
            self.next = Instant::now() + PACE;
            self.shown = true;
            let _ = write!(io::stderr(), "\r\x1b[K{}", harmless(&line()));
        }
    }

    /// Makes room for a line that stays.
    pub fn clear(&mut self) {
        if std::mem::take(&mut self.shown) {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}
