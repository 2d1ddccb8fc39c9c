//! Shapes as markers, and as texts for error messages and prompts.

use super::shape::{Item, Shape};
use super::{Result, problem_at};
use crate::family::fields::chars::Chars;
use crate::family::fields::mark::{Mark, Of, Piece};

/// A shape as a marker.
pub(super) fn mark(shape: &[Item], place: &str) -> Result<Mark> {
    if !matches!(shape.first(), Some(Item::Lit(text)) if !text.is_empty()) {
        return problem_at(place, "a marker begins with a text of its own");
    }
    pieces(shape, place)
}

fn pieces(shape: &[Item], place: &str) -> Result<Mark> {
    let mut mark = Mark::new();
    let mut items = shape.iter().peekable();
    while let Some(item) = items.next() {
        let next = items.peek().copied();
        if let (Some(chars), Some(Item::Lit(next))) = (class_of(item), next) {
            let same = next.chars().next().filter(|c| chars.has(*c));
            if let Some(c) = same.filter(|_| !item.is_white()) {
                let what = format!("the end of a run is ambiguous: `{c}` belongs to it, too");
                return problem_at(place, what);
            }
        }
        let piece = match (item, next) {
            (Item::Lit(text), _) => Piece::Text(text.as_str().into()),
            (item, _) if item.is_white() => Piece::White,
            (Item::Run { chars, min, max }, _) => {
                let max = max.unwrap_or(crate::options::bounds::NAME as u16);
                Piece::Run { chars: *chars, min: *min, max }
            }
            (Item::Until, Some(Item::Lit(to))) => {
                items.next();
                Piece::Until(to.as_str().into())
            }
            (Item::Named(name, item), next) => captured(name, item, next, place)?,
            (Item::Start | Item::End | Item::Until, _) => {
                return problem_at(
                    place,
                    "the start or the end within a marker, or `.*?` before no text",
                );
            }
        };
        mark.push(piece);
    }
    Ok(mark)
}

fn class_of(item: &Item) -> Option<Chars> {
    match item {
        Item::Run { chars, .. } => Some(*chars),
        Item::Named(_, item) => class_of(item),
        _ => None,
    }
}

/// Returns the piece that a group captures: a parameter's name, the call's id, or the tool's name.
fn captured(group: &str, item: &Item, next: Option<&Item>, place: &str) -> Result<Piece> {
    let of = match group {
        "key" => Of::Param,
        "id" | "call_id" | "tool_call_id" => Of::Id,
        _ => Of::Tool,
    };
    match (item, next) {
        (Item::Run { chars, .. }, _) => Ok(Piece::Name(of, *chars)),
        (_, Some(Item::Lit(text))) => {
            let end: String = text.chars().take(1).filter(char::is_ascii).collect();
            Ok(Piece::Name(of, Chars::except(&(end + "\r\n"))))
        }
        _ => problem_at(place, format!("the group `{group}` has no end of its own")),
    }
}

/// Returns the text of a shape, as it is written.
pub(super) fn written(shape: &[Item]) -> String {
    let text = |item: &Item| match item {
        Item::Lit(text) => text.clone(),
        Item::Named(group, _) if group == "key" => "{key}".into(),
        Item::Named(group, _) if group.contains("id") => "{id}".into(),
        Item::Named(..) => "{name}".into(),
        _ => String::new(),
    };
    shape.iter().map(text).collect()
}

pub(super) fn first_written(shapes: &[Shape]) -> String {
    let ways = shapes.iter().filter(|way| !matches!(&way[..], [Item::Start | Item::End]));
    ways.map(|way| written(way)).next().unwrap_or_default()
}
