//! Calls that name their tools before their arguments: a JSON object, or arguments one by one.
//!
//! ```text
//! section := OPEN ws ( call ws )* CLOSE
//! call    := BEGIN … ws object ws END | BEGIN … ( argument ws )* END
//! ```
//! An opener is confirmed by the beginning of something that may stand in it, and a closer by something that may
//! stand behind it. Where a closer is lost, something that may only stand behind it ends the open part.
//!
//! The object's brace ends the call: the call's own closer, the section's closer or a stop token is not needed. A
//! forgotten END is `missing_closer` where another call or CLOSE shows it, and a forgotten OPEN is
//! `missing_opener`. In a section a call that names no tool is markup with its object, `malformed_call`.
//!
//! Other spellings ([`Also`]) open calls in the same places, and are reported with their diagnostic. A spelling that
//! begins with a name counts only in a section and with nothing before it, and calls a declared tool.

use super::argument::Argument;
use super::grammar::boxed;
use super::notation::{
    self, Part, around, in_tags, is_tag, is_whole_tag, literal, tags, texts, trimmed,
};
use super::{Also, OTHERWISE, Or, Shape, Wrong};
use crate::dialect::Text;
use crate::event::DiagnosticKind;
use crate::family::written;
use crate::family::written::mark::{Known, Mark, Name, Of, Piece};

const FENCE: &str = "```";

/// The markers of such calls.
pub(super) struct Calls<'a> {
    shape: &'a Shape,
    section: Option<[Mark; 2]>,
    /// The headers of the forms, up to the arguments.
    forms: Vec<Vec<Part>>,
    /// The headers of other spellings, and the diagnostic of each.
    also: Vec<(Vec<Part>, Option<DiagnosticKind>)>,
    /// The words for `{word}`. A word in the place of a name names no tool.
    words: Vec<Text>,
    /// The closers of a call: any of them will do. None: the object ends by itself.
    ends: Vec<Mark>,
    /// An object may stand in a fence.
    fenced: bool,
    /// The notation of arguments one by one. None: an object.
    argument: Option<Argument>,
}

impl<'a> Calls<'a> {
    pub fn from_shape(shape: &'a Shape) -> Result<Calls<'a>, Wrong> {
        let wrong =
            |field: &str, what: &str| Err(Wrong::new(field, format!("{what}: `{}`", shape.call)));
        let section = shape.section_marks()?;
        let argument = Argument::new(shape)?;
        if shape.names_by_id() && !shape.id.contains("{name}") {
            return wrong("id", "without a `{name}` in `call` it must have one");
        }
        if argument.is_some() && !shape.or.is_empty() {
            return wrong("or", "other forms need a block around the call");
        }
        let own = Or::json(shape.call.clone());
        let (open, close) = shape.form("call", &own.call, false)?;
        let mut forms = vec![open];
        for (at, form) in shape.or.iter().enumerate() {
            let (open, end) = shape.form(&format!("or[{at}].call"), &form.call, false)?;
            if close != end || first(&forms[0]) != first(&open) || !form.argument.is_empty() {
                return Err(form.mistake(at, OTHERWISE));
            }
            forms.push(open);
        }
        let mut also = Vec::new();
        for (at, Also { call, reported }) in shape.also.iter().enumerate() {
            let field = format!("also[{at}].call");
            let (open, end) = shape.form(&field, call, section.is_some())?;
            if close != end {
                return Err(Wrong::new(&field, format!("`{call}` must end as `call` does")));
            }
            also.push((open, *reported));
        }
        // In a section more closers are markup. Elsewhere they would belong to nothing.
        let each = tags(&close).filter(|_| section.is_some() && argument.is_none());
        let whole = || [notation::closer(&close)].into_iter().filter(|end| !end.is_empty());
        let ends: Vec<Mark> = match each {
            Some(tags) => tags.iter().map(|tag| literal(tag)).collect(),
            None => whole().collect(),
        };
        if argument.is_some() && ends.is_empty() {
            return wrong("call", "a marker must stand after the arguments");
        }
        let fences = shape.or.iter().chain([&own]).any(|form| form.call.contains(FENCE));
        let words = shape.or.iter().map(|or| or.word.clone()).filter(|word| !word.is_empty());
        let words = words.collect();
        let fenced = fences || !shape.special;
        Ok(Calls { shape, section, forms, also, words, ends, fenced, argument })
    }

    /// Returns the header of each form, for such tools.
    fn heads(&self, known: Known) -> impl Iterator<Item = Mark> {
        self.forms.iter().map(move |form| self.head(form, known))
    }

    /// Returns a header as a marker. If a name stands first, white space around names is read only as it is
    /// written.
    fn head(&self, form: &[Part], known: Known) -> Mark {
        let id = &self.shape.id;
        let prefix = id.split("{name}").next().filter(|_| self.shape.names_by_id());
        let is_word = |part: &Part| matches!(part, Part::Hole(hole) if hole == notation::WORD);
        let words = if form.iter().any(is_word) { &[][..] } else { &self.words };
        let name_of_hole = |hole: &str| match hole {
            "name" => Name {
                not: words.iter().map(boxed).collect(),
                ..self.name_of_hole(hole, prefix, known)
            },
            _ => self.name_of_hole(hole, prefix, known),
        };
        notation::spaced(form, !is_named_first(form), &name_of_hole)
    }

    /// Returns the kind of name for a hole. `prefix`: the text before the tool in an id that names it.
    fn name_of_hole(&self, hole: &str, prefix: Option<&str>, known: Known) -> Name {
        match (hole, prefix) {
            ("id", Some(prefix)) => Name { known, prefix: prefix.into(), ..Name::new(Of::ToolId) },
            // A token may stand where the id would begin.
            ("id", None) if self.shape.special => Name { optional: true, ..Name::new(Of::Id) },
            ("name", _) if self.shape.special => Name { known, ..Name::new(Of::Tool) },
            _ => notation::name(hole, known),
        }
    }

    /// Returns the other spellings that begin with a text, or with a name, and the diagnostic of each.
    fn other_spellings(&self, named_first: bool) -> Vec<(Mark, Option<DiagnosticKind>)> {
        let known = if named_first { Known::Declared } else { Known::Any };
        let also = self.also.iter().filter(|(form, _)| is_named_first(form) == named_first);
        also.map(|(form, reported)| (self.head(form, known), *reported)).collect()
    }

    /// Returns the first text of a call.
    fn begin(&self) -> Box<str> {
        let head = self.heads(Known::Any).next();
        head.and_then(|head| texts(&head).into_iter().next()).unwrap_or_default()
    }

    /// Whether calls and arguments are tags like those of XML: the text between arguments is junk.
    fn is_xml(&self) -> bool {
        let tag = self.argument.as_ref().is_some_and(Argument::is_tag);
        tag && self.begin().starts_with('<') && !self.shape.special
    }

    /// Returns the header of a tool whose name is a word that may stand in place of a name.
    fn called_like_words(&self, known: Known) -> Option<Mark> {
        let head = self.heads(known).next().filter(|_| !self.words.is_empty())?;
        let any = |piece| match piece {
            Piece::Name(name) => Piece::Name(Name { not: Vec::new(), ..name }),
            piece => piece,
        };
        Some(head.into_iter().map(any).collect())
    }

    /// Returns the tags that begin a call, or a section.
    fn tags(&self) -> Vec<Mark> {
        let opens: Vec<Mark> = match &self.section {
            Some([open, _]) => vec![open.clone()],
            None => {
                let also = self.other_spellings(false).into_iter().map(|(head, _)| head);
                self.heads(Known::Any).chain(also).collect()
            }
        };
        let tokens: Vec<Box<str>> = self.shape.tokens.iter().map(boxed).collect();
        let mut tags: Vec<Mark> = Vec::new();
        for opener in opens {
            let tag = tag_of(&opener);
            let stop = tag.len() == 1 && texts(&tag).iter().all(|of| tokens.contains(of));
            if !tag.is_empty() && !stop && !tags.contains(&tag) {
                tags.push(tag);
            }
        }
        tags
    }

    /// Returns the markers of the shape for readers.
    pub fn texts(&self) -> written::Texts {
        let heads = |known: Known| self.heads(known).collect::<Vec<_>>();
        let argument = self.argument.as_ref();
        let close = argument.and_then(|argument| match &*argument.close {
            [Piece::Text(text)] if is_whole_tag(text) => Some(text.clone()),
            _ => None,
        });
        written::Texts {
            section: self.section.clone(),
            heads: heads(Known::Any),
            declared: heads(Known::Declared),
            if_declared: heads(Known::IfDeclared),
            like_words: self.called_like_words(Known::Any),
            also: self.other_spellings(false),
            also_named: self.other_spellings(true),
            ends: self.ends.clone(),
            fenced: self.fenced,
            argument: argument.map(|argument| argument.texts(self.is_xml(), self.shape.special)),
            special: self.shape.special,
            tags: self.tags(),
            stray: close.into_iter().collect(),
            stops: self.shape.tokens.iter().map(boxed).collect(),
        }
    }
}

/// Returns the tag that a marker begins with, if there is one: up to the last text that ends a tag.
fn tag_of(mark: &Mark) -> Mark {
    let ends = |piece: &Piece| {
        let texts = texts(&vec![piece.clone()]);
        !texts.is_empty() && texts.iter().all(|text| text.ends_with(['>', ']']))
    };
    let is_own = |piece: &Piece| {
        matches!(piece, Piece::Text(_) | Piece::Any(_) | Piece::White | Piece::Word)
    };
    let has_text = |piece: &Piece| matches!(piece, Piece::Text(_) | Piece::Any(_));
    let own = mark.iter().take_while(|piece| is_own(piece)).count();
    // Only white space may stand behind it.
    let last = mark[..own].iter().rposition(has_text).map_or(0, |at| at + 1);
    match mark[..last].last().filter(|piece| ends(piece)) {
        Some(_) if texts(&mark[..1].to_vec()).iter().any(|text| is_tag(text)) => {
            mark[..last].to_vec()
        }
        _ => Mark::new(),
    }
}

impl Shape {
    /// Returns the parts before the arguments of such a call, without a fence, and those after them. `named`: a
    /// form may begin with a name.
    fn form(&self, field: &str, call: &str, named: bool) -> Result<(Vec<Part>, Vec<Part>), Wrong> {
        let holes = ["name", "arguments", "id", notation::WORD];
        let parts = self.parts(field, call, &holes)?;
        let [open, close] = around(&parts, "arguments", field)?;
        if !self.names_by_id() {
            around(&open, "name", field)?;
        }
        let open = unfenced(&open);
        let marks = |part: Option<&Part>| matches!(part, Some(Part::Text(_)));
        if !(marks(trimmed(open).first()) || named && marks(trimmed(open).last())) {
            let what = format!("a marker must stand before the name: `{call}`");
            return Err(Wrong::new(field, what));
        }
        Ok((open.to_vec(), unfenced_end(&close)))
    }
}

fn is_named_first(form: &[Part]) -> bool {
    matches!(trimmed(form).first(), Some(Part::Hole(_)))
}

/// The first text of a form.
fn first(form: &[Part]) -> Option<Text> {
    tags(trimmed(form).get(..1)?)?.into_iter().next()
}

fn is_fence(part: &Part) -> bool {
    matches!(part, Part::Text(text) if text.starts_with(FENCE))
}

/// Returns the parts before the fence that an object may stand in.
fn unfenced(open: &[Part]) -> &[Part] {
    match trimmed(open) {
        [before @ .., fence] if before.len() > 1 && is_fence(fence) => trimmed(before),
        open => open,
    }
}

fn unfenced_end(close: &[Part]) -> Vec<Part> {
    let close = in_tags(trimmed(close));
    match &*close {
        [fence, after @ ..] if !after.is_empty() && is_fence(fence) => trimmed(after).to_vec(),
        _ => close,
    }
}
