//! An event of a protocol with holes in it. Most events are alike except for a few bytes, and the text around
//! these is written once an answer.
//!
//! The form of an event is not repeated here: the event is written for values that occur nowhere else, and cut
//! at these.

use serde::Serialize;

use super::frames::Frames;
use super::{Head, Item, Kind, Place, State, Wire};

/// Texts and numbers that no answer has: a piece of an item, the name and id of a call, the number of an item
/// and of an event.
const PIECE: &str = "\u{0}piece\u{0}";
const NAME: &str = "\u{0}name\u{0}";
const ID: &str = "\u{0}id\u{0}";
const ITEM: usize = 4_123_456_789;
const EVENT: u64 = 4_987_654_321;

/// The step of an item: one for which its protocol has an event, or a few.
#[derive(Clone, Copy, Debug)]
pub(super) enum Does {
    Begin,
    GoOn,
    /// Whole, with a text.
    End,
}

/// The frame of an item of one kind at one step.
#[derive(Debug)]
pub(super) struct Template {
    /// The bytes before each hole.
    parts: Vec<(Box<[u8]>, Hole)>,
    end: Box<[u8]>,
    /// The number of events in it.
    events: u64,
}

#[derive(Clone, Copy, Debug)]
enum Hole {
    Piece,
    Name,
    Id,
    Item,
    /// The event's number, as the difference from the first event's number.
    Event(u64),
}

impl Template {
    /// Makes a template for items like this one. `None` if the head of the answer has a value of the holes.
    pub fn find(does: Does, wire: &Wire, head: &Head, kind: &Kind) -> Option<Template> {
        let kind = match kind {
            Kind::Text => Kind::Text,
            Kind::Reasoning => Kind::Reasoning,
            Kind::Call { free_text, .. } => {
                let (name, id) = (NAME.to_string(), ID.to_string());
                let (namespace, free_text) = (None, *free_text);
                Kind::Call { number: ITEM, name, namespace, id, free_text }
            }
        };
        let holes = [
            (quoted(PIECE), Hole::Piece),
            (quoted(NAME), Hole::Name),
            (quoted(ID), Hole::Id),
            (quoted(&ITEM), Hole::Item),
            (quoted(&EVENT), Hole::Event(0)),
            (quoted(&(EVENT + 1)), Hole::Event(1)),
            (quoted(&(EVENT + 2)), Hole::Event(2)),
        ];
        let has = |text: &str| holes.iter().any(|(value, _)| quoted(text).contains(&**value));
        if has(&head.id) || has(&head.model) || has(&head.created.to_string()) {
            return None;
        }
        let (text, state) =
            if matches!(does, Does::End) { (PIECE, State::Whole) } else { ("", State::Open) };
        let item = Item { kind, text: text.to_string(), state };
        let mut frames = Frames { number: EVENT, ..Frames::default() };
        does.write(wire, &Place { head, item: &item, number: ITEM }, PIECE, &mut frames);
        let written = String::from_utf8(frames.bytes).ok()?;
        let (mut parts, mut rest) = (Vec::new(), &*written);
        let next = |rest: &str| {
            let found =
                |(value, hole): &(String, Hole)| Some((rest.find(&**value)?, value.len(), *hole));
            holes.iter().filter_map(found).min_by_key(|(at, ..)| *at)
        };
        while let Some((at, len, hole)) = next(rest) {
            parts.push((rest.as_bytes()[..at].into(), hole));
            rest = &rest[at + len..];
        }
        let events = frames.number - EVENT;
        (events <= 3).then(|| Template { parts, end: rest.as_bytes().into(), events })
    }

    /// Writes the events of this item: with this piece, if it continues, and with its text, if it ends.
    pub fn write(&self, item: &Item, number: usize, piece: &str, frames: &mut Frames) {
        let (name, id) = match &item.kind {
            Kind::Call { name, id, .. } => (&**name, &**id),
            Kind::Text | Kind::Reasoning => ("", ""),
        };
        for (before, hole) in &self.parts {
            frames.bytes.extend_from_slice(before);
            match hole {
                Hole::Piece => frames.object(piece),
                Hole::Name => frames.object(name),
                Hole::Id => frames.object(id),
                Hole::Item => frames.object(&number),
                Hole::Event(further) => frames.object(&(frames.number + further)),
            }
        }
        frames.bytes.extend_from_slice(&self.end);
        frames.number += self.events;
    }
}

impl Does {
    /// Writes the step as the protocol has it.
    pub fn write(self, wire: &Wire, place: &Place<'_>, piece: &str, frames: &mut Frames) {
        match self {
            Does::Begin => (wire.open)(place, frames),
            Does::GoOn => (wire.write_piece)(place, piece, frames),
            Does::End => (wire.close)(place, frames),
        }
    }
}

/// Writes a value in the form that it has in an event.
fn quoted(value: &(impl Serialize + ?Sized)) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::super::Protocol;
    use super::*;
    use crate::adapt::ReasoningKey;

    fn head(id: &str, reasoning: ReasoningKey) -> Head {
        let (model, broken) = ("m\"\u{0}".into(), Vec::new());
        Head { id: id.into(), model, created: 7, reasoning, usage: None, broken }
    }

    const DOES: [Does; 3] = [Does::Begin, Does::GoOn, Does::End];
    const PROTOCOLS: [Protocol; 3] =
        [Protocol::OpenAiChat, Protocol::OpenAiResponses, Protocol::Anthropic];

    /// A template writes the same as the protocol.
    #[test]
    fn a_template_writes_what_the_protocol_does() {
        let call = |number, free_text| Kind::Call {
            number,
            name: "n\"".into(),
            namespace: None,
            id: "i\n".into(),
            free_text,
        };
        for (protocol, does) in PROTOCOLS.iter().flat_map(|of| DOES.map(|does| (*of, does))) {
            let head = head("piece 0", ReasoningKey::Both);
            let kinds =
                [(0, Kind::Text), (3, Kind::Reasoning), (12, call(12, false)), (4, call(4, true))];
            for (number, kind) in kinds {
                let template =
                    Template::find(does, protocol.wire(), &head, &kind).expect("a template");
                let whole = matches!(does, Does::End);
                let state = if whole { State::Whole } else { State::Open };
                let mut item = Item { kind, text: String::new(), state };
                for piece in
                    ["", "a", "\"{\\\n", "Zo\u{eb}\u{2028}\u{0}", PIECE, NAME, "4123456789"]
                {
                    // Text and reasoning are sent once there is some.
                    let prose = matches!(item.kind, Kind::Text | Kind::Reasoning);
                    if prose && whole && piece.is_empty() {
                        continue;
                    }
                    if whole {
                        item.text = piece.into();
                    }
                    let [mut own, mut made] =
                        [(); 2].map(|()| Frames { number: 41, ..Frames::default() });
                    let place = Place { head: &head, item: &item, number };
                    does.write(protocol.wire(), &place, piece, &mut own);
                    template.write(&item, number, piece, &mut made);
                    let text = |frames: &Frames| String::from_utf8(frames.bytes.clone()).unwrap();
                    let [own, made] = [own, made].map(|frames| (text(&frames), frames.number));
                    assert_eq!(made, own, "{protocol:?} {does:?}");
                }
            }
        }
    }

    #[test]
    fn an_answer_that_has_a_holes_value_gets_none() {
        for (protocol, does) in PROTOCOLS.iter().flat_map(|of| DOES.map(|does| (*of, does))) {
            let of = |head: &Head| Template::find(does, protocol.wire(), head, &Kind::Text);
            for id in [PIECE, NAME, ID, "resp_4123456789", "4987654321", "4987654322"] {
                assert!(of(&head(id, ReasoningKey::Content)).is_none(), "{protocol:?}");
            }
            let late = Head { created: ITEM as u64, ..head("a", ReasoningKey::Content) };
            assert!(of(&late).is_none());
            assert!(of(&head("a", ReasoningKey::Content)).is_some());
        }
    }
}
