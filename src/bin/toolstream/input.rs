//! Model text, with the user's cuts.

use std::fs::File;
use std::io::{self, BufRead, BufReader, IsTerminal, Read};
use std::path::{Path, PathBuf};

use crate::config::unreadable;
use crate::cuts::Sizes;
use crate::failure::{Failure, Result, say};

/// Size of the next chunk.
#[derive(Clone, Debug)]
pub enum Cut {
    /// All bytes that have arrived.
    AsItArrives,
    Every(usize),
    Random(Sizes),
}

pub struct Input {
    from: BufReader<Box<dyn Read>>,
    path: PathBuf,
    cut: Cut,
}

/// The name of stdin.
pub const STDIN: &str = "stdin";
/// The most bytes of a read.
const MOST: usize = 64 * 1024;

impl Input {
    /// A file; without one, or for `-`, stdin.
    pub fn open(path: Option<&Path>, cut: Cut) -> Result<Input> {
        let path = path.unwrap_or(Path::new("-"));
        let stdin = path.as_os_str() == "-";
        let name = if stdin { PathBuf::from(STDIN) } else { path.to_path_buf() };
        let mut input = Input::new(reader(path)?, name, cut);
        // An input that cannot be read at all (a directory, for example) is no truncated stream.
        if !stdin {
            input.from.fill_buf().map_err(|error| failed(path, &error))?;
        }
        Ok(input)
    }

    /// Makes an input of bytes of this file that were read before.
    pub fn of_bytes(bytes: Vec<u8>, path: &Path, cut: Cut) -> Input {
        Input::new(Box::new(io::Cursor::new(bytes)), path.to_path_buf(), cut)
    }

    /// Returns the beginning, as much as is there; it stays there.
    pub fn beginning(&mut self) -> &[u8] {
        self.from.fill_buf().unwrap_or_default()
    }

    /// Reads the whole input.
    pub fn read_all(&mut self) -> Result<Vec<u8>> {
        let mut all = Vec::new();
        self.from.read_to_end(&mut all).map_err(|error| failed(&self.path, &error))?;
        Ok(all)
    }

    fn new(from: Box<dyn Read>, path: PathBuf, cut: Cut) -> Input {
        Input { from: BufReader::with_capacity(MOST, from), path, cut }
    }

    /// Reads the next chunk; empty at the end. After an error it holds the bytes before the error.
    pub fn next_into(&mut self, chunk: &mut Vec<u8>) -> Result<()> {
        chunk.clear();
        let size = match &mut self.cut {
            Cut::AsItArrives => None,
            Cut::Every(size) => Some(*size),
            Cut::Random(sizes) => Some(sizes.next()),
        };
        let read = match size {
            Some(size) => self.exactly(size, chunk),
            None => self.what_is_there(chunk),
        };
        read.map_err(|error| failed(&self.path, &error))
    }

    /// Waits for the whole chunk: its size must not depend on how the bytes arrive.
    fn exactly(&mut self, size: usize, chunk: &mut Vec<u8>) -> io::Result<()> {
        self.from.by_ref().take(size as u64).read_to_end(chunk).map(drop)
    }

    fn what_is_there(&mut self, chunk: &mut Vec<u8>) -> io::Result<()> {
        loop {
            match self.from.fill_buf() {
                Ok(there) => break chunk.extend_from_slice(there),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        self.from.consume(chunk.len());
        Ok(())
    }
}

/// A file; for `-` stdin.
pub fn reader(path: &Path) -> Result<Box<dyn Read + Send>> {
    if path.as_os_str() != "-" {
        let file = File::open(path).map_err(|error| failed(path, &error))?;
        return Ok(Box::new(file));
    }
    if io::stdin().is_terminal() {
        say("reading model text from the terminal; Ctrl-D ends it");
    }
    Ok(Box::new(io::stdin()))
}

fn failed(path: &Path, error: &io::Error) -> Failure {
    Failure::BadInput(unreadable(path, error))
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// Gives its text, then an error.
    struct Lost(&'static [u8]);

    impl Read for Lost {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            match self.0.read(buffer)? {
                0 => Err(io::Error::other("lost")),
                some => Ok(some),
            }
        }
    }

    /// A connection that is lost after this text.
    pub fn lost(text: &'static [u8], cut: Cut) -> Input {
        Input::new(Box::new(Lost(text)), PathBuf::from("lost"), cut)
    }

    #[test]
    fn what_came_before_an_error_is_not_lost() {
        for cut in [Cut::AsItArrives, Cut::Every(4), Cut::Every(64)] {
            let (mut input, mut read) = (lost(b"a text", cut), Vec::new());
            let mut chunk = Vec::new();
            let mut more = true;
            while more {
                more = input.next_into(&mut chunk).is_ok();
                read.extend_from_slice(&chunk);
            }
            assert_eq!(read, b"a text");
        }
    }
}
