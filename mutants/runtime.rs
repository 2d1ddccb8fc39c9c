//! The question whether a mutant runs, for the copy of the library that holds all mutants.

use std::fs::File;
use std::io::Write;
use std::ops::{Neg, Not};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

/// The environment has not been read yet.
const UNKNOWN: u32 = u32::MAX;
/// No mutant runs: reached mutants are written down.
const WATCH: u32 = u32::MAX - 1;
const NONE: u32 = u32::MAX - 2;

static RUNS: AtomicU32 = AtomicU32::new(UNKNOWN);
static REACHED: [AtomicBool; COUNT] = [const { AtomicBool::new(false) }; COUNT];
static LIST: OnceLock<File> = OnceLock::new();

/// Whether this mutant is the one that runs.
#[inline]
pub(crate) fn is(mutant: u32) -> bool {
    let runs = RUNS.load(Ordering::Relaxed);
    runs == mutant || (runs >= WATCH && otherwise(mutant, runs))
}

#[cold]
fn otherwise(mutant: u32, mut runs: u32) -> bool {
    if runs == UNKNOWN {
        let number = std::env::var("TOOLSTREAM_MUTANT").ok().and_then(|number| number.parse().ok());
        let watch = std::env::var_os("TOOLSTREAM_REACHED").map(|path| {
            let file = File::options().create(true).append(true).open(path);
            let _ = LIST.set(file.expect("a file to write to"));
            WATCH
        });
        runs = watch.or(number).unwrap_or(NONE);
        RUNS.store(runs, Ordering::Relaxed);
    }
    if runs == WATCH && !REACHED[mutant as usize].swap(true, Ordering::Relaxed) {
        let mut list = LIST.get().expect("set above");
        // Without an allocation: some tests count them.
        let mut line = [0; 16];
        let mut rest = &mut line[..];
        let _ = writeln!(rest, "{mutant}");
        let left = rest.len();
        let _ = list.write_all(&line[..line.len() - left]);
    }
    runs == mutant
}

/// `!value`, or without the `!`.
#[inline]
pub(crate) fn not<T: Not<Output = T>>(mutant: u32, value: T) -> T {
    if is(mutant) { value } else { !value }
}

/// `-value`, or without the `-`.
#[inline]
#[allow(dead_code)]
pub(crate) fn neg<T: Neg<Output = T>>(mutant: u32, value: T) -> T {
    if is(mutant) { value } else { -value }
}
