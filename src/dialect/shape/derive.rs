//! The rules that follow from a shape.
//!
//! What may begin something (FIRST) confirms its opener, what may come after it (FOLLOW) confirms its closer. Where
//! a closer is lost, what may only stand after it ends what is open.

use super::notation::{self, Part, around, parts, pattern, tags, trimmed};
use super::object::Object;
use super::{Or, Shape, Wrong};
use crate::dialect::build::{prefixed, rule};
use crate::dialect::parts::{
    Reasoning, closer, closes_both, ends_both, ends_call, opener, prose_with, quotes_call,
    reasoning_between, suspect, think,
};
use crate::dialect::spec::{
    At, Between, CallKind, Chars, DialectSpec, Flags, Framing, Known, Pattern, Piece, Place, Rule,
    Scope, SectionKind, Text, ValueKind, WS, What,
};
use crate::dialect::tool_call::Block;
use crate::event::DiagnosticKind;
use crate::pattern;

/// The kinds of calls that name their tools, as the tables number them: with a section that is the first one.
const SECTION: Place = Place::Section(0);
const CALL: Place = Place::Call(0);
const VALUE: u8 = 0;
const LINE_BREAK: &[&str] = &["\n", "\r\n"];

impl Shape {
    /// The parts of a text of this field.
    pub(super) fn parts(
        &self,
        field: &str,
        text: &str,
        holes: &[&str],
    ) -> Result<Vec<Part>, Wrong> {
        parts(text, holes).map_err(|what| Wrong::new(field, format!("in `{text}`: {what}")))
    }

    /// What stands round the calls of a section, if there are some.
    pub(super) fn round_calls(&self) -> Result<Option<[Vec<Part>; 2]>, Wrong> {
        if self.section.is_empty() {
            return Ok(None);
        }
        let parts = self.parts("section", &self.section, &["calls"])?;
        around(&parts, "calls", "section").map(Some)
    }

    /// What opens and closes reasoning. A closer that is a stop token, too, is that in text.
    pub(super) fn reasoning(&self) -> Result<Reasoning, Wrong> {
        if self.reasoning.is_empty() {
            return Ok(think());
        }
        let parts = self.parts("reasoning", &self.reasoning, &["reasoning"])?;
        let [open, close] = around(&parts, "reasoning", "reasoning")?;
        let [open, close] = [("reasoning", open), ("reasoning", close)].map(literals);
        let close = close?;
        let is_token = self.tokens().contains(&close);
        let [mut in_text, in_reasoning] = reasoning_between(open?, close);
        in_text.truncate(if is_token { 1 } else { 2 });
        Ok([in_text, in_reasoning])
    }

    /// What a model that invents results begins them with.
    pub(super) fn invented(&self) -> Option<String> {
        if !self.invented.is_empty() {
            return Some(self.invented.to_string());
        }
        let holes = ["content", "name", "name_attribute", "id", "index", "number", "line", "json"];
        match parts(&self.result, &holes).unwrap_or_default().into_iter().next() {
            Some(Part::Text(text)) => Some(text),
            _ => None,
        }
    }

    /// What counts in text beside calls: results that are invented, and tokens.
    pub(super) fn others(&self) -> Vec<Rule> {
        let mut rules = Vec::new();
        if let Some(result) = self.invented() {
            let invented = rule(pattern![result]).needs(Flags::AFTER_CALL).does(What::Rest);
            rules.push(invented.note(DiagnosticKind::FabricatedResult));
        }
        rules.extend(self.tokens().into_iter().map(rule));
        rules
    }

    /// The stop tokens. Of two that begin alike the longer one comes first.
    pub(super) fn tokens(&self) -> Vec<Pattern> {
        self.tokens.iter().map(|token| pattern![token]).collect()
    }

    /// What opens and what closes a section, in any of its spellings.
    pub(super) fn section_marks(&self) -> Result<Option<[Pattern; 2]>, Wrong> {
        let Some([open, close]) = self.round_calls()? else { return Ok(None) };
        if self.sections.is_empty() {
            return Ok(Some([literals(("section", open))?, literals(("section", close))?]));
        }
        let (mut opens, mut closes) = (tags(&open), tags(&close));
        for (at, other) in self.sections.iter().enumerate() {
            let field = format!("sections[{at}]");
            let parts = self.parts(&field, other, &["calls"])?;
            let [open, close] = around(&parts, "calls", &field)?;
            opens = opens.zip(tags(&open)).map(|(opens, open)| [opens, open].concat());
            closes = closes.zip(tags(&close)).map(|(closes, close)| [closes, close].concat());
        }
        let count = self.sections.len() + 1;
        let texts = |texts: Option<Vec<Text>>| texts.filter(|texts| texts.len() == count);
        match texts(opens).zip(texts(closes)) {
            Some((opens, closes)) => Ok(Some([opens, closes].map(|texts| vec![Piece::Any(texts)]))),
            None => {
                Err(Wrong::new("sections", "each has one text before its hole, and one after it"))
            }
        }
    }

    /// The forms of a call beside its own, and where they stand.
    pub(super) fn others_of_call(&self) -> impl Iterator<Item = (String, &Or)> {
        self.or.iter().enumerate().map(|(at, form)| (format!("or[{at}].call"), form))
    }

    /// Whether the id of a call says which tool it calls.
    pub(super) fn names_by_id(&self) -> bool {
        self.call.contains("{id}") && !self.call.contains("{name}")
    }

    /// JSON objects that name their tools, one after the other or in a list.
    pub(super) fn of_objects(&self, object: &Object<'_>) -> Result<DialectSpec, Wrong> {
        object.check()?;
        let (field, round) = match self.round_calls()? {
            None => {
                let round = [("call", object.before), ("call", object.after)];
                let [open, close] = round.map(|(field, text)| self.parts(field, text, &[]));
                ("call", [open?, close?])
            }
            Some(round) => {
                let own = [object.before, object.after].concat();
                if !own.trim().is_empty() {
                    let what = format!("with a `section` nothing stands round the object: `{own}`");
                    return Err(Wrong::new("call", what));
                }
                ("section", round)
            }
        };
        let [open, close] = round.map(|parts| notation::text(&parts));
        // A list is read where objects are.
        let open = open.trim().trim_end_matches('[').trim_end();
        let close = close.trim().trim_start_matches(']').trim_start();
        if open.is_empty() {
            let what = "nothing stands before the object: any JSON would be a call";
            return Err(Wrong::new(field, what));
        }
        let block =
            Block { open: owned(open), close: owned(close), json: true, ..self.any_block() };
        let spec = DialectSpec::new(self.name.clone(), self.about.clone(), self.written()?);
        Ok(block.dialect(self.reasoning()?, &self.tokens, spec))
    }

    /// A block, of which nothing is known yet but what all blocks of the shape have.
    pub(super) fn any_block(&self) -> Block {
        let result = self.invented().unwrap_or_default().into();
        Block { token: self.special, result, ..Block::default() }
    }

    /// Calls with a name, and arguments one by one.
    pub(super) fn of_calls(&self) -> Result<DialectSpec, Wrong> {
        if !self.or.is_empty() {
            let what = format!("`{}` has no other forms: it stands in no block", self.call);
            return Err(Wrong::new("or", what));
        }
        let calls = Calls::of(self)?;
        let mut text = calls.text();
        text.extend(self.others());
        Ok(DialectSpec {
            prose: prose_with(text, self.reasoning()?),
            sections: calls.section().into_iter().collect(),
            calls: vec![calls.call()],
            values: vec![calls.value()],
            ..DialectSpec::new(self.name.clone(), self.about.clone(), self.written()?)
        })
    }
}

/// The marker that parts without names are.
fn literals((field, parts): (&str, Vec<Part>)) -> Result<Pattern, Wrong> {
    let pattern = notation::closer(&parts);
    if pattern.is_empty() {
        return Err(Wrong::new(field, "nothing stands on one side of its hole"));
    }
    Ok(pattern)
}

/// The markers of calls that name their tools.
struct Calls<'a> {
    shape: &'a Shape,
    section: Option<[Pattern; 2]>,
    open: Vec<Part>,
    close: Pattern,
    argument: Argument,
}

/// One argument: the parts up to its value, and what closes it.
struct Argument {
    open: Vec<Part>,
    close: Pattern,
    /// Its value stands on lines of its own.
    lines: bool,
}

impl Argument {
    fn of(shape: &Shape) -> Result<Argument, Wrong> {
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
        Ok(Argument { open, close, lines })
    }

    /// Its key is the first thing of it.
    fn is_named_first(&self) -> bool {
        matches!(trimmed(&self.open).first(), Some(Part::Hole(_)))
    }

    /// What opens it, after white space, where its key is such.
    fn first(&self, known: Known) -> Pattern {
        pattern(&self.open, &|hole| notation::name(hole, known))
    }

    /// The same within the call. Where a key comes first, only one that the call may still have is told from the
    /// text of a value.
    fn next(&self) -> Pattern {
        self.first(if self.is_named_first() { Known::IfDeclared } else { Known::Any })
    }

    /// The same as a marker, which does not begin with a name: white space stands before it.
    fn mark(&self) -> Pattern {
        let white = if self.closes_line() { LINE_BREAK } else { &[" ", "\t", "\n", "\r"] };
        match self.is_named_first() {
            true => [pattern![white, WS], self.next()].concat(),
            false => self.next(),
        }
    }

    /// A line break closes the value, if one does that comes before the next argument or the call's closer. It
    /// is read again: it may stand before a key.
    fn closes_line(&self) -> bool {
        self.close == pattern![LINE_BREAK]
    }

    fn closer(&self, follow: &[Pattern]) -> Rule {
        let closer = closer(self.close.clone(), follow);
        if self.closes_line() { closer.before() } else { closer }
    }

    /// Its closer is more than white space or a quote: in a value it shows that something may be lost.
    fn shows(&self) -> bool {
        matches!(self.close.first(), Some(Piece::Lit(text)) if text.len() > 1)
    }
}

impl<'a> Calls<'a> {
    fn of(shape: &'a Shape) -> Result<Calls<'a>, Wrong> {
        let section = shape.section_marks()?;
        let parts = shape.parts("call", &shape.call, &["name", "arguments", "id"])?;
        let [open, close] = around(&parts, "arguments", "call")?;
        around(&open, "name", "call")?;
        if !matches!(trimmed(&open).first(), Some(Part::Text(_))) {
            let what = format!("a marker must stand before the name: `{}`", shape.call);
            return Err(Wrong::new("call", what));
        }
        let close = notation::closer(&close);
        let argument = Argument::of(shape)?;
        if close.is_empty() {
            let what = format!("a marker must stand after the arguments: `{}`", shape.call);
            return Err(Wrong::new("call", what));
        }
        Ok(Calls { shape, section, open, close, argument })
    }

    /// What opens a call of such a tool.
    fn open(&self, known: Known) -> Pattern {
        pattern(&self.open, &|hole| notation::name(hole, known))
    }

    /// What a call has in it first.
    fn first(&self) -> Vec<Pattern> {
        vec![self.argument.first(Known::Any)]
    }

    /// The openers of calls, with what confirms each: nothing but the closer follows only where the tool is
    /// known, if some are.
    fn opens(&self, known: Known) -> Vec<(Pattern, Vec<Pattern>)> {
        let none = if known == Known::Any { Known::IfDeclared } else { known };
        vec![(self.open(known), self.first()), (self.open(none), vec![self.close.clone()])]
    }

    /// Whole calls begin like this.
    fn begins(&self) -> Vec<Pattern> {
        let before =
            |(open, first): (Pattern, Vec<Pattern>)| prefixed([open, vec![WS]].concat(), &first);
        self.opens(Known::Any).into_iter().flat_map(before).collect()
    }

    fn text(&self) -> Vec<Rule> {
        let mut rules = Vec::new();
        // Without its section a call is one of a tool that is declared.
        let (known, owed) = match &self.section {
            None => (Known::Any, Flags::NONE),
            Some(_) => (Known::Declared, Flags::OWED),
        };
        if let Some([open, _]) = &self.section {
            rules.push(opener(open.clone(), 1, &self.begins()).open(SECTION));
        }
        for (open, first) in self.opens(known) {
            rules.push(opener(open, 1, &first).open(CALL).sets(owed));
        }
        rules.push(rule(self.close.clone()).does(What::Orphan(Scope::Call)));
        if let Some([_, close]) = &self.section {
            rules.push(rule(close.clone()).needs(Flags::OWED));
            rules.push(rule(close.clone()).does(What::Orphan(Scope::Section)));
        }
        rules
    }

    /// Between calls. What is no call ends the section.
    fn section(&self) -> Option<SectionKind> {
        let [_, close] = self.section.as_ref()?;
        let opens = self.opens(Known::Any).into_iter();
        let mut rules: Vec<Rule> =
            opens.map(|(open, first)| opener(open, 0, &first).open(CALL)).collect();
        rules.push(rule(close.clone()).close(Scope::Section));
        Some(SectionKind { rules, between: Between::Only(Chars::WHITE), calls: true })
    }

    /// What ends a call whose own closer is lost: the next call, the section's closer, a token.
    fn ends(&self) -> Vec<(Pattern, Vec<Pattern>)> {
        let mut ends = self.opens(Known::Any);
        if let Some([open, close]) = &self.section {
            ends.push((close.clone(), Vec::new()));
            ends.push((open.clone(), self.begins()));
        }
        ends.extend(self.shape.tokens().into_iter().map(|token| (token, Vec::new())));
        ends
    }

    fn call(&self) -> CallKind {
        let mut rules = vec![rule(self.argument.mark()).param(VALUE)];
        rules.push(rule(self.close.clone()).close(Scope::Call));
        let ends = self.ends().into_iter();
        rules.extend(ends.map(|(mark, follow)| ends_call(mark, &follow, Scope::Call)));
        CallKind { rules, between: Between::Only(Chars::WHITE), whole_at_end: false }
    }

    fn value(&self) -> ValueKind {
        let argument = &self.argument;
        let own = argument.close.clone();
        let section = self.section.iter().map(|[_, close]| close.clone());
        let next = self.begins();
        let follow =
            [vec![argument.next(), self.close.clone()], section.clone().collect(), next.clone()]
                .concat();
        // After the call's closer the call is over.
        let over = [vec![pattern![At::End]], self.shape.tokens()].concat();
        let over = [over, section.collect(), next].concat();
        let mut rules = vec![argument.closer(&follow)];
        rules.push(closes_both(self.close.clone(), &over, Scope::Call));
        if self.shape.special {
            let both =
                |(open, first): (Pattern, Vec<Pattern>)| ends_both(open, &first, Scope::Call);
            rules.extend(self.opens(Known::Any).into_iter().map(both));
        } else {
            let quoted = self.opens(Known::Declared).into_iter();
            rules.extend(quoted.map(|(open, first)| quotes_call(open, &first)));
            let shown = argument.shows().then_some(own);
            rules.extend(shown.into_iter().chain([self.close.clone()]).map(suspect));
            if !argument.is_named_first() {
                rules.push(suspect(argument.first(Known::Fresh)));
            }
        }
        let framing = if argument.lines { Framing::LineBreak } else { Framing::None };
        ValueKind { rules, framing, whole_at_end: false }
    }
}

/// Texts as they are in the template of a shape.
pub(super) fn owned(text: impl Into<String>) -> Text {
    Text::Owned(text.into())
}
