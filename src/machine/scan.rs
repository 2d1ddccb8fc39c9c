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
    /// By state: how many bytes of a head have been read.
    depths: Vec<u16>,
    /// By state: whether a head that begins like this counts wherever it stands.
    sure: Vec<bool>,
    start: StateID,
    /// The bytes a head can begin with.
    first: Vec<u8>,
    /// If all heads begin with the same byte and have a second one: the state behind both, by the
    /// second byte. Most `<` in prose and code are answered by one look at it.
    second: Option<Box<[StateID]>>,
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
    /// `sure` says of each whether it counts wherever it stands.
    pub fn new(heads: Vec<String>, sure: &[bool]) -> Result<Self, aho_corasick::BuildError> {
        let mut scanner = Scanner { heads, ..Scanner::default() };
        if scanner.heads.is_empty() {
            return Ok(scanner);
        }
        let nfa = NFA::builder().prefilter(false).build(&scanner.heads)?;
        if let Ok(start) = nfa.start_state(Anchored::No) {
            scanner.start = start;
        }
        for (head, sure) in scanner.heads.iter().zip(sure) {
            let mut state = scanner.start;
            for (depth, &byte) in (1..).zip(head.as_bytes()) {
                state = nfa.next_state(Anchored::No, state, byte);
                let index = state.as_usize();
                if scanner.depths.len() <= index {
                    scanner.depths.resize(index + 1, 0);
                    scanner.sure.resize(index + 1, false);
                }
                scanner.depths[index] = depth;
                scanner.sure[index] |= sure;
            }
        }
        scanner.first = scanner.heads.iter().map(|head| head.as_bytes()[0]).collect();
        scanner.first.dedup();
        if let ([first], true) = (&*scanner.first, scanner.heads.iter().all(|head| head.len() > 1))
        {
            let behind = nfa.next_state(Anchored::No, scanner.start, *first);
            let second = (0..=u8::MAX).map(|byte| nfa.next_state(Anchored::No, behind, byte));
            scanner.second = Some(second.collect());
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

    pub fn start(&self) -> ScanState {
        ScanState(self.start)
    }

    /// How many bytes of a head the text read so far ends with.
    #[inline]
    pub fn depth(&self, state: ScanState) -> usize {
        if state.0 == self.start { 0 } else { self.depths[state.0.as_usize()] as usize }
    }

    /// Whether what has been read of a head counts wherever it stands.
    #[inline]
    pub fn is_sure(&self, state: ScanState) -> bool {
        self.sure[state.0.as_usize()]
    }

    /// The bytes that a head can begin with.
    pub fn first(&self) -> &[u8] {
        &self.first
    }

    /// Whether no head begins in `text`.
    #[inline]
    pub fn is_plain(&self, text: &[u8]) -> bool {
        if let (&[first], Some(second)) = (&*self.first, &self.second) {
            let rules_out = |&byte: &u8| second[byte as usize] == self.start;
            let mut signs = memchr::memchr_iter(first, text);
            if signs.all(|at| text.get(at + 1).is_some_and(rules_out)) {
                return true;
            }
        }
        let mut state = self.start();
        self.find(&mut state, text).is_none() && state == self.start()
    }

    /// Reads on from `state` and stops behind the first whole head.
    #[inline]
    pub fn find(&self, state: &mut ScanState, text: &[u8]) -> Option<Head> {
        let nfa = self.automaton.as_ref()?;
        let mut at = 0;
        while at < text.len() {
            if state.0 == self.start {
                let (begun, read) = self.skip(nfa, &text[at..])?;
                state.0 = begun;
                at += read;
            } else {
                state.0 = nfa.next_state(Anchored::No, state.0, text[at]);
                at += 1;
            }
            if nfa.is_special(state.0) && nfa.is_match(state.0) {
                let index = nfa.match_pattern(state.0, 0).as_usize();
                return Some(Head { index, end: at });
            }
        }
        None
    }

    /// From the start state: the state behind the next bytes that can begin a head, and how many
    /// bytes that took.
    #[inline]
    fn skip(&self, nfa: &NFA, text: &[u8]) -> Option<(StateID, usize)> {
        if let (&[first], Some(second)) = (&*self.first, &self.second) {
            for at in memchr::memchr_iter(first, text) {
                let state = match text.get(at + 1) {
                    Some(&byte) => second[byte as usize],
                    None => return Some((nfa.next_state(Anchored::No, self.start, first), at + 1)),
                };
                if state != self.start {
                    return Some((state, at + 2));
                }
            }
            return None;
        }
        let at = match *self.first.as_slice() {
            [a] => memchr::memchr(a, text),
            [a, b] => memchr::memchr2(a, b, text),
            [a, b, c] => memchr::memchr3(a, b, c, text),
            _ => text.iter().position(|byte| self.first.contains(byte)),
        }?;
        Some((nfa.next_state(Anchored::No, self.start, text[at]), at + 1))
    }
}
