//! An argument of a call whose arguments stand one by one.

use super::notation::{self, Part, around, literal, pattern, texts, token_head, trimmed};
use super::{Shape, Wrong};
use crate::dialect::Text;
use crate::family::Framing;
use crate::family::written;
use crate::family::written::mark::{Known, Mark, Name, Piece};
use crate::read::class::Class;

/// The ends of a line.
const LINE_BREAK: [&str; 2] = ["\n", "\r\n"];
const WHITE_SPACE: [&str; 4] = [" ", "\t", "\n", "\r"];

fn any(texts: &[&str]) -> Mark {
    vec![Piece::Any(texts.iter().map(|text| Box::from(*text)).collect())]
}

/// Whether an argument that begins so shows where the value before it ends: markers stand round its key. A tag has a
/// closer.
fn shows_next(open: &[Part]) -> bool {
    match trimmed(open) {
        [Part::Text(first), .., Part::Text(_)] => !first.starts_with('<'),
        _ => false,
    }
}

/// An argument: the parts up to its value, and its closer.
pub(super) struct Argument {
    open: Vec<Part>,
    pub close: Mark,
    /// The white space around its value that belongs to the form.
    pub framing: Framing,
    /// White space stands around its value that a model may leave out: `Message` trims both ends.
    pub trims: bool,
    /// Nothing closes its value: it ends before the next argument, or with the call.
    pub is_open: bool,
}

/// Whether this part is white space with a line break.
fn has_line_break(part: Option<&Part>) -> bool {
    matches!(part, Some(Part::White(white)) if white.contains('\n'))
}

fn is_white(part: &Part) -> bool {
    matches!(part, Part::White(_))
}

fn mistake(shape: &Shape, problem: &str) -> Wrong {
    Wrong::new("argument", format!("in `{}`: {problem}", shape.argument))
}

impl Argument {
    pub fn new(shape: &Shape) -> Result<Option<Argument>, Wrong> {
        if shape.argument.is_empty() {
            return Ok(None);
        }
        let parts = shape.parts("argument", &shape.argument, &["key", "value"])?;
        if shape.argument == "{value}" {
            let problem = "without a `{key}` in `argument` it stands between two values: `{value}`";
            return Err(Wrong::new("separator", problem));
        }
        let [open, close] = around(&parts, "value", "argument")?;
        around(&open, "key", "argument")?;
        let closes_line = close.iter().all(is_white);
        let lines = has_line_break(open.last()) && has_line_break(close.first()) && !closes_line;
        let framing = if lines { Framing::LineBreak } else { Framing::None };
        let white_inside = open.last().is_some_and(is_white);
        let trims = !lines && (white_inside || close.first().is_some_and(is_white) && !closes_line);
        let is_open = closes_line && !has_line_break(close.first());
        let framing = if is_open { Framing::White } else { framing };
        let close = if is_open {
            if !shows_next(&open) {
                return Err(mistake(
                    shape,
                    "nothing closes the value: end it with a marker or a line break, or begin the argument with a \
                     marker and end its key with another one, as in ` | {key}={value}`",
                ));
            }
            Mark::new()
        } else if closes_line {
            any(&LINE_BREAK)
        } else {
            notation::closer(&close)
        };
        let named = matches!(trimmed(&open).first(), Some(Part::Hole(_)));
        if named && !matches!(open.first(), Some(Part::White(_))) && !closes_line {
            return Err(mistake(
                shape,
                "a key that stands first must begin a line, or have white space before it",
            ));
        }
        Ok(Some(Argument { open, close, framing, trims, is_open }))
    }

    /// Whether it begins with its key.
    pub fn is_named_first(&self) -> bool {
        matches!(trimmed(&self.open).first(), Some(Part::Hole(_)))
    }

    /// Returns its opener, behind white space. `known`: the names that its key may have.
    pub fn first(&self, known: Known) -> Mark {
        pattern(&self.open, &|hole| notation::name(hole, known))
    }

    /// Returns its opener within the call. If it begins with its key, the key must be one that the call may
    /// still have: nothing else tells it from the text of a value.
    pub fn next(&self) -> Mark {
        self.first(if self.is_named_first() { Known::IfDeclared } else { Known::Any })
    }

    /// The openers of the argument in a value that nothing closes: with a declared key, or with any that looks like a key. White
    /// space behind the first marker must be there, if the shape has some: it tells the marker from a sign in the value.
    fn starts(&self) -> Vec<Mark> {
        let white = matches!(trimmed(&self.open).get(1), Some(Part::White(_)));
        let start = |known: Known| {
            let name = |hole: &str| Name { class: Class::Keyed, ..notation::name(hole, known) };
            let mut mark = pattern(&self.open, &name);
            if white {
                mark.splice(1..1, any(&WHITE_SPACE));
            }
            mark
        };
        let known = [Known::Declared, Known::Any];
        known.into_iter().filter(|_| self.is_open).map(start).collect()
    }

    /// Returns its opener as a marker. A marker does not begin with a name: white space stands before it.
    pub fn mark(&self) -> Mark {
        let white = if self.closes_line() { &LINE_BREAK[..] } else { &WHITE_SPACE };
        match self.is_named_first() {
            true => [any(white), vec![Piece::White], self.next()].concat(),
            false => self.next(),
        }
    }

    /// Whether a line break closes the value, if it comes before the next argument or the call's closer. The
    /// line break is read again: it may stand before a key.
    pub fn closes_line(&self) -> bool {
        self.close == any(&LINE_BREAK)
    }

    /// Returns closers with the argument's name, if its own closer is a tag: `</KEY>`, also with the beginning of
    /// the own closer.
    pub fn own_names(&self) -> Vec<Mark> {
        let [Piece::Text(close)] = &*self.close else { return Vec::new() };
        if !close.starts_with("</") {
            return Vec::new();
        }
        let head = token_head(close).filter(|head| !head.ends_with(char::is_alphanumeric));
        let heads = [Some("</".to_string()), head];
        let named = |head: String| {
            vec![Piece::Text(head.into()), Piece::SameParam, Piece::Text(">".into())]
        };
        heads.into_iter().flatten().map(named).collect()
    }

    /// Returns markers that are data in a value but look suspect, where arguments are special tokens: the
    /// closer, the opener of a declared argument, and texts that begin like them.
    fn suspect_tokens(&self) -> Vec<Mark> {
        if self.is_named_first() || !self.shows() {
            return Vec::new();
        }
        let open = self.first(Known::Declared);
        let marks = [self.close.clone(), open];
        let tags = marks.iter().filter_map(|mark| texts(&mark[..1].to_vec()).into_iter().next());
        let mut heads: Vec<String> = tags.filter_map(|tag| token_head(&tag)).collect();
        heads.sort();
        heads.dedup();
        let begun = |mark: &Mark| {
            let first = texts(&mark[..1].to_vec());
            let is_begun = |text: &str| heads.iter().any(|head| text.starts_with(&**head));
            !first.is_empty() && first.iter().all(|text| is_begun(text))
        };
        let others: Vec<Mark> = marks.iter().filter(|mark| !begun(mark)).cloned().collect();
        heads.iter().map(|head| literal(head)).chain(others).collect()
    }

    /// Returns the markers of an argument for readers. `is_xml`: calls are tags; `special`: they are special tokens.
    pub fn texts(&self, is_xml: bool, special: bool) -> written::Argument {
        let opener = |known: Known| match self.is_named_first() {
            true => Vec::new(),
            false => self.first(known),
        };
        let suspects: Vec<Mark> = match special {
            true => self.suspect_tokens(),
            false => {
                let close = self.shows().then(|| self.close.clone());
                close.into_iter().chain(Some(opener(Known::Declared))).collect()
            }
        };
        let by_name = [Piece::Text("</".into()), Piece::SameParam, Piece::Text(">".into())];
        written::Argument {
            any: self.first(Known::Any),
            opener: self.mark(),
            next: self.next(),
            declared: opener(Known::Declared),
            starts: self.starts(),
            fresh: if special { opener(Known::Fresh) } else { Vec::new() },
            close: self.close.clone(),
            closes_line: self.closes_line(),
            is_xml: is_xml && *self.close != by_name,
            framing: self.framing,
            suspects: suspects.into_iter().filter(|mark| !mark.is_empty()).collect(),
        }
    }

    /// Whether it begins with a tag.
    pub fn is_tag(&self) -> bool {
        matches!(trimmed(&self.open).first(), Some(Part::Text(text)) if text.starts_with('<'))
    }

    /// Whether its closer is more than white space or a quote: in a value it shows that something may be
    /// lost.
    pub fn shows(&self) -> bool {
        matches!(self.close.first(), Some(Piece::Text(text)) if text.len() > 1)
    }
}

/// An argument as `<key>{key}</key><value>{value}</value>`, perhaps with its type between the two: the tags around
/// each. The closer of the key may be the opener of the value, too.
pub(super) struct Tagged {
    pub key: [Text; 2],
    pub hint: Option<[Text; 2]>,
    pub value: [Text; 2],
}

impl Tagged {
    pub fn parse(argument: &str) -> Option<Tagged> {
        let parts = notation::solid(argument, &["key", "type", "whole_type", "value"])?;
        let is = |part: &Part, name: &str| matches!(part, Part::Hole(hole) if hole == name);
        let both = |open: &Part, close: &Part| {
            Some([notation::single_text(open)?, notation::single_text(close)?])
        };
        let (key, hint, value) = match &*parts {
            [a, key, b, value, c] => ([a, key, b], None, [b, value, c]),
            [a, key, b, c, value, d] => ([a, key, b], None, [c, value, d]),
            [a, key, b, c, _, d, e, value, f] => ([a, key, b], both(c, d), [e, value, f]),
            _ => return None,
        };
        let tagged = || {
            let value_tags = both(value[0], value[2])?;
            Some(Tagged { key: both(key[0], key[2])?, hint, value: value_tags })
        };
        (is(key[1], "key") && is(value[1], "value")).then(tagged).flatten()
    }
}
