//! P1, the scan: find the first marker's *head* (its literal beginning) in plain text.
//!
//! While nothing of a head has been seen, `memchr` jumps to the next byte a head can begin with.
//! From there an Aho-Corasick automaton reads on. Its state is all that has to survive a cut: the
//! *depth* of the state (the length of the longest head prefix that the text ends with) is the
//! number of bytes to hold back. The crate keeps depths to itself, so every head is walked once
//! from the start state, and the depths are noted in a table.
//!
//! Chunk ends here: the last `depth` bytes are held, all before them leave. Stream ends here: the
//! held bytes are half a marker, and the state's own rule says what becomes of them.

use std::ops::Range;

use aho_corasick::Anchored;
use aho_corasick::automaton::{Automaton, StateID};
use aho_corasick::nfa::contiguous::NFA;

/// The heads that count in one state of the machine.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scanner {
    /// `None` if nothing counts here.
    automaton: Option<NFA>,
    heads: Vec<String>,
    depths: Vec<u16>,
    start: StateID,
    /// The bytes a head can begin with: one to three, else `memchr` cannot help.
    first: Vec<u8>,
    /// Whether a byte may stand behind the first one: most `<` in prose and code end here.
    second: Second,
}

#[derive(Clone, Debug)]
struct Second([bool; 256]);

impl Default for Second {
    fn default() -> Self {
        Second([false; 256])
    }
}

/// How far the scan has come; lives in the machine, survives the cut.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ScanState(StateID);

/// A head that was found, and the offset behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    pub index: usize,
    pub end: usize,
}

impl Scanner {
    /// The heads are sorted; none is empty, or the beginning of another.
    pub fn new(heads: Vec<String>) -> Result<Self, aho_corasick::BuildError> {
        let mut scanner = Scanner { heads, ..Scanner::default() };
        if scanner.heads.is_empty() {
            return Ok(scanner);
        }
        let nfa = NFA::builder().prefilter(false).build(&scanner.heads)?;
        if let Ok(start) = nfa.start_state(Anchored::No) {
            scanner.start = start;
        }
        for head in &scanner.heads {
            let bytes = head.as_bytes();
            if !scanner.first.contains(&bytes[0]) {
                scanner.first.push(bytes[0]);
            }
            // A head of one byte has no second: every byte may stand there.
            match bytes.get(1) {
                Some(&byte) => scanner.second.0[byte as usize] = true,
                None => scanner.second.0 = [true; 256],
            }
            let mut state = scanner.start;
            for (depth, &byte) in (1..).zip(bytes) {
                state = nfa.next_state(Anchored::No, state, byte);
                if scanner.depths.len() <= state.as_usize() {
                    scanner.depths.resize(state.as_usize() + 1, 0);
                }
                scanner.depths[state.as_usize()] = depth;
            }
        }
        // The first byte of a head may stand second, too: `<<think>`.
        for &byte in &scanner.first {
            scanner.second.0[byte as usize] = true;
        }
        scanner.automaton = Some(nfa);
        Ok(scanner)
    }

    pub fn head(&self, index: usize) -> &str {
        &self.heads[index]
    }

    /// The heads that begin with the text whose two halves these are, by index.
    pub fn beginning_with(&self, [first, second]: [&str; 2]) -> Range<usize> {
        let bytes = || first.bytes().chain(second.bytes());
        let from = self.heads.partition_point(|head| head.bytes().lt(bytes()));
        let begins =
            |head: &&String| head.strip_prefix(first).is_some_and(|rest| rest.starts_with(second));
        from..from + self.heads[from..].iter().take_while(begins).count()
    }

    pub fn heads(&self) -> impl Iterator<Item = &str> {
        self.heads.iter().map(String::as_str)
    }

    pub fn start(&self) -> ScanState {
        ScanState(self.start)
    }

    /// How many bytes of a head the text read so far ends with.
    #[inline]
    pub fn depth(&self, state: ScanState) -> usize {
        if state.0 == self.start { 0 } else { self.depths[state.0.as_usize()] as usize }
    }

    /// Reads on from `state` and stops behind the first whole head.
    #[inline]
    pub fn find(&self, state: &mut ScanState, text: &[u8]) -> Option<Head> {
        let nfa = self.automaton.as_ref()?;
        let mut at = 0;
        while at < text.len() {
            if state.0 == self.start {
                at += self.skip(&text[at..])?;
            }
            state.0 = nfa.next_state(Anchored::No, state.0, text[at]);
            at += 1;
            if nfa.is_special(state.0) && nfa.is_match(state.0) {
                let index = nfa.match_pattern(state.0, 0).as_usize();
                return Some(Head { index, end: at });
            }
        }
        None
    }

    /// The distance to the next byte that a head can begin with and, if the byte behind it is
    /// there, that can go on as one.
    #[inline]
    fn skip(&self, text: &[u8]) -> Option<usize> {
        let may_begin = |at: &usize| match text.get(at + 1) {
            Some(&byte) => self.second.0[byte as usize],
            None => true,
        };
        match *self.first.as_slice() {
            [a] => memchr::memchr_iter(a, text).find(may_begin),
            [a, b] => memchr::memchr2_iter(a, b, text).find(may_begin),
            [a, b, c] => memchr::memchr3_iter(a, b, c, text).find(may_begin),
            _ => text.iter().position(|byte| self.first.contains(byte)),
        }
    }
}
