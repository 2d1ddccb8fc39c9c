//! One argument of a call, where they stand one by one.

use super::grammar::mark;
use super::notation::{self, Part, around, pattern, trimmed};
use super::{Shape, Wrong};
use crate::dialect::bracket::{closer, suspect_tokens, token_head};
use crate::dialect::spec::{Framing, Known, LINE_BREAK, Pattern, Piece, Ref, Rule, Text, WS};
use crate::family;
use crate::family::written::{self, mark::Mark};
use crate::pattern;

/// One argument: the parts up to its value, and what closes it.
pub(super) struct Argument {
    open: Vec<Part>,
    pub close: Pattern,
    /// What of the white space round its value is the form's own.
    pub framing: Framing,
}

impl Argument {
    pub fn of(shape: &Shape) -> Result<Option<Argument>, Wrong> {
        if shape.argument.is_empty() {
            return Ok(None);
        }
        let wrong = |what: String| Wrong::new("argument", what);
        let parts = shape.parts("argument", &shape.argument, &["key", "value"])?;
        let [open, close] = around(&parts, "value", "argument")?;
        around(&open, "key", "argument")?;
        let is_line = |part: Option<&Part>| match part {
            Some(Part::White(white)) => white.contains('\n'),
            _ => false,
        };
        let closes_line = close.iter().all(|part| matches!(part, Part::White(_)));
        let lines = is_line(open.last()) && is_line(close.first()) && !closes_line;
        let is_white = |part: Option<&Part>| matches!(part, Some(Part::White(_)));
        let framing = match is_white(open.last()) || is_white(close.first()) && !closes_line {
            _ if lines => Framing::LineBreak,
            true => Framing::Trimmed,
            false => Framing::None,
        };
        let close = if closes_line {
            if !is_line(close.first()) {
                let what = "nothing closes the value: end it with a marker or a line break";
                return Err(wrong(format!("in `{}`: {what}", shape.argument)));
            }
            pattern![LINE_BREAK]
        } else {
            notation::closer(&close)
        };
        let named = matches!(trimmed(&open).first(), Some(Part::Hole(_)));
        if named && !matches!(open.first(), Some(Part::White(_))) && !closes_line {
            let what = "a key that stands first must begin a line, or have white space before it";
            return Err(wrong(format!("in `{}`: {what}", shape.argument)));
        }
        Ok(Some(Argument { open, close, framing }))
    }

    /// Its key is the first thing of it.
    pub fn is_named_first(&self) -> bool {
        matches!(trimmed(&self.open).first(), Some(Part::Hole(_)))
    }

    /// What opens it, after white space, where its key is such.
    pub fn first(&self, known: Known) -> Pattern {
        pattern(&self.open, &|hole| notation::name(hole, known))
    }

    /// The same within the call. Where a key comes first, only one that the call may still have is told from the
    /// text of a value.
    pub fn next(&self) -> Pattern {
        self.first(if self.is_named_first() { Known::IfDeclared } else { Known::Any })
    }

    /// The same as a marker, which does not begin with a name: white space stands before it.
    pub fn mark(&self) -> Pattern {
        let white = if self.closes_line() { LINE_BREAK } else { &[" ", "\t", "\n", "\r"] };
        match self.is_named_first() {
            true => [pattern![white, WS], self.next()].concat(),
            false => self.next(),
        }
    }

    /// A line break closes the value, if one does that comes before the next argument or the call's closer. It
    /// is read again: it may stand before a key.
    pub fn closes_line(&self) -> bool {
        self.close == pattern![LINE_BREAK]
    }

    pub fn closer(&self, follow: &[Pattern]) -> Rule {
        let closer = closer(self.close.clone(), follow);
        if self.closes_line() { closer.before() } else { closer }
    }

    /// Closers with the argument's own name, where the own one is a tag: `</KEY>`, also with what the own one begins
    /// with.
    pub fn own_names(&self) -> Vec<Pattern> {
        let [Piece::Lit(close)] = &*self.close else { return Vec::new() };
        if !close.starts_with("</") {
            return Vec::new();
        }
        let head = token_head(close).filter(|head| !head.ends_with(char::is_alphanumeric));
        let heads = [Some("</".to_string()), head];
        heads.into_iter().flatten().map(|head| pattern![head, Ref::Param, ">"]).collect()
    }

    /// Data in a value that looks like a marker, where arguments are special tokens: its closer, the opener of a
    /// declared argument, and whatever begins like the two.
    pub fn suspects(&self) -> Vec<Rule> {
        if self.is_named_first() || !self.shows() {
            return Vec::new();
        }
        let open = self.first(Known::Declared);
        let first =
            [&open, &self.close].map(|mark| mark.first().and_then(|piece| piece.texts().first()));
        let tags: Vec<Text> = first.into_iter().flatten().cloned().collect();
        suspect_tokens(tags.iter().map(|tag| &**tag), [self.close.clone(), open])
    }

    /// Returns the markers of an argument for readers. `is_xml`: calls are tags; `special`: they are special tokens.
    pub fn texts(&self, is_xml: bool, special: bool) -> written::Argument {
        let opener = |known: Known| match self.is_named_first() {
            true => Vec::new(),
            false => mark(&self.first(known)),
        };
        let suspects = match special {
            true => self.suspects().iter().map(|rule| mark(&rule.mark)).collect(),
            false => {
                let close = self.shows().then(|| mark(&self.close));
                close.into_iter().chain(Some(opener(Known::Declared))).collect()
            }
        };
        let suspects: Vec<Mark> = suspects;
        written::Argument {
            any: mark(&self.first(Known::Any)),
            opener: mark(&self.mark()),
            next: mark(&self.next()),
            declared: opener(Known::Declared),
            fresh: if special { opener(Known::Fresh) } else { Vec::new() },
            close: mark(&self.close),
            closes_line: self.closes_line(),
            is_xml: is_xml && self.close != pattern!["</", Ref::Param, ">"],
            framing: match self.framing {
                Framing::LineBreak => family::Framing::LineBreak,
                _ => family::Framing::None,
            },
            suspects: suspects.into_iter().filter(|mark| !mark.is_empty()).collect(),
        }
    }

    /// It is a tag.
    pub fn is_tag(&self) -> bool {
        matches!(trimmed(&self.open).first(), Some(Part::Text(text)) if text.starts_with('<'))
    }

    /// Its closer is more than white space or a quote: in a value it shows that something may be lost.
    pub fn shows(&self) -> bool {
        matches!(self.close.first(), Some(Piece::Lit(text)) if text.len() > 1)
    }
}

/// An argument as `<key>{key}</key><value>{value}</value>`, perhaps with its type between the two: what stands round
/// each. What closes the key may open the value, too.
pub(super) struct Tagged {
    pub key: [Text; 2],
    pub hint: Option<[Text; 2]>,
    pub value: [Text; 2],
}

impl Tagged {
    pub fn of(argument: &str) -> Option<Tagged> {
        let parts = notation::solid(argument, &["key", "type", "whole_type", "value"])?;
        let is = |part: &Part, name: &str| matches!(part, Part::Hole(hole) if hole == name);
        let both = |open: &Part, close: &Part| Some([notation::one(open)?, notation::one(close)?]);
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
