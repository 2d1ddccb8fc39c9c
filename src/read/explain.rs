//! The diagnosis of markers, for a sink that asks: the progress of the readers, and the texts that they expected.
//!
//! The cursor notes it while it reads; nothing is read twice. Of the ways in which a marker may go on, the one that came
//! furthest is reported, and of those the first.

use std::cell::RefCell;

use crate::marker::{Marker, Refused};
use crate::read::cursor::Way;
use crate::read::feed::Feed;
use crate::read::word::behind_word;
use crate::sink::Sink;

/// The least bytes of a marker that is reported.
const SOME: usize = 4;
/// The most alternatives that are named.
const NAMED: usize = 6;

/// The progress of a way.
#[derive(Clone, Debug, Default)]
struct Far {
    /// The place where it failed, or where the text ended. `None`: nothing was expected.
    pos: Option<usize>,
    wanted: Vec<String>,
    /// The end of the marker itself, if its confirmation failed.
    mark: Option<usize>,
}

/// Notes that are taken while a marker is read.
#[derive(Debug, Default)]
pub(crate) struct Diagnosis(RefCell<Trial>);

#[derive(Debug, Default)]
struct Trial {
    now: Far,
    best: Option<(Far, &'static str)>,
    /// The role of the way that stands here.
    role: &'static str,
}

impl Diagnosis {
    /// Begins a marker.
    pub fn clear(&self) {
        *self.0.borrow_mut() = Trial::default();
    }

    /// Begins a way.
    pub fn begins(&self) {
        self.0.borrow_mut().now = Far::default();
    }

    /// Notes that a marker stands here.
    pub fn stands(&self, way: Way) {
        self.0.borrow_mut().role = way.role;
    }

    /// Notes that no marker stands here.
    pub fn fails(&self, way: Way) {
        let mut trial = self.0.borrow_mut();
        let now = std::mem::take(&mut trial.now);
        if trial.best.as_ref().is_none_or(|(best, _)| now.pos > best.pos) {
            trial.best = Some((now, way.role));
        }
    }

    /// Notes that the marker is whole. Its confirmation is read next.
    pub fn is_marked(&self, pos: usize) {
        self.0.borrow_mut().now.mark.get_or_insert(pos);
    }

    /// Notes the text that was expected here.
    pub fn wanted(&self, pos: usize, what: &str) {
        let Far { pos: far, wanted, .. } = &mut self.0.borrow_mut().now;
        if Some(pos) > *far {
            wanted.clear();
            *far = Some(pos);
        }
        if Some(pos) == *far && !wanted.iter().any(|known| known == what) {
            wanted.push(what.to_string());
        }
    }

    /// Notes that this text was expected. `come`: the part of it that stands here.
    pub fn wanted_text(&self, pos: usize, text: &[u8], come: &[u8]) {
        let text = String::from_utf8_lossy(text);
        let same = text.bytes().zip(come).take_while(|(a, b)| a == *b).count();
        let same = (0..=same).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        self.wanted(pos + same, &format!("`{}`", text[same..].escape_debug()));
    }
}

/// "`a`, `b` or the end of the stream".
fn join(all: &[String]) -> String {
    match all {
        [] => "what its dialect knows".to_string(),
        [one] => one.clone(),
        [some @ .., last] if all.len() <= NAMED => format!("{} or {last}", some.join(", ")),
        some => format!("{} or {} others", some[..NAMED - 1].join(", "), some.len() + 1 - NAMED),
    }
}

impl Feed<'_, '_> {
    /// Reports that the marker from `start` to `end` counts.
    #[inline]
    pub fn tell_accepted(&mut self, start: usize, end: usize) {
        if self.notes.diagnosis.is_some() && start < end {
            self.tell_marker(start, end, None);
        }
    }

    /// Reports a marker that is whole, but payload.
    #[inline]
    pub fn tell_data(&mut self, start: usize, end: usize) {
        if self.notes.diagnosis.is_some() {
            self.tell_marker(start, end, Some(Refused::Payload));
        }
    }

    /// Reports data that looks like a marker. If it is whole, the text that would have confirmed it says more.
    #[inline]
    pub fn tell_suspect(&mut self, start: usize, end: usize) {
        let Some(diagnosis) = &self.notes.diagnosis else { return };
        let is_whole = |best: &(Far, &'static str)| best.0.mark.is_some();
        let confirms = diagnosis.0.borrow().best.as_ref().is_some_and(is_whole);
        match confirms {
            true => self.tell_furthest(start),
            false => self.tell_data(start, end),
        }
    }

    /// Reports a marker in a place where nothing counts.
    pub fn tell_place(&mut self, start: usize, end: usize, place: &'static str) {
        if self.notes.diagnosis.is_some() && start < end {
            self.tell_marker(start, end, Some(Refused::Place(place)));
        }
    }

    fn tell_marker(&mut self, start: usize, end: usize, refused: Option<Refused>) {
        let Some(diagnosis) = &self.notes.diagnosis else { return };
        let role = diagnosis.0.borrow().role;
        if role.is_empty() {
            // White space, or a text of its own kind, is no marker.
            return;
        }
        let (at, text) = (self.offset(start), &self.text[start..end]);
        self.out.marker(&Marker { at, text, role, refused });
    }

    /// Reports that the text at `start` began like a marker, and is none.
    #[inline]
    pub fn tell_refused(&mut self, start: usize) {
        if self.notes.diagnosis.is_some() {
            self.tell_furthest(start);
        }
    }

    #[cold]
    fn tell_furthest(&mut self, start: usize) {
        let Some(diagnosis) = &self.notes.diagnosis else { return };
        let Some((far, role)) = diagnosis.0.borrow_mut().best.take() else { return };
        let pos = far.pos.unwrap_or(start).max(start);
        let end = far.mark.unwrap_or(pos).max(start);
        let text = &self.text[start..end];
        let signs = text.trim_start();
        // Words are everywhere: only the text behind a word shows that a marker was meant.
        let signs = if self.t.reads.words { behind_word(signs) } else { signs };
        if far.mark.is_none() && signs.len() < SOME {
            return;
        }
        let expected = join(&far.wanted);
        let refused = match self.text[pos..].chars().next() {
            Some(found) => Refused::Next { at: self.offset(pos), found, expected },
            None => Refused::End { expected },
        };
        let marker = Marker { at: self.offset(start), text, role, refused: Some(refused) };
        self.out.marker(&marker);
    }
}
