//! Calls that name their tools before their arguments: one JSON object, or one by one.
//!
//! ```text
//! section := OPEN ws ( call ws )* CLOSE
//! call    := BEGIN … ws object ws END | BEGIN … ( argument ws )* END
//! ```
//! What may begin something (FIRST) confirms its opener, what may come after it (FOLLOW) confirms its closer. Where
//! a closer is lost, what may only stand after it ends what is open.
//!
//! The object's brace ends the call: what its own closer, its section's, or a stop token would say after it is not
//! needed. A forgotten END is `missing_closer` where another call or CLOSE shows it, a forgotten OPEN
//! `missing_opener`. In a section what begins as a call and names no tool is markup with its object,
//! `malformed_call`.

use super::argument::Argument;
use super::notation::{self, Part, around, in_tags, pattern, tags, trimmed};
use super::{Or, Shape, Wrong};
use crate::dialect::build::{LETTERS, one_of, prefixed, rule, start, until};
use crate::dialect::parts::{
    GARBAGE, closes_both, ends_both, ends_call, mismatched, opener, prose_with, quotes_call, stray,
    suspect,
};
use crate::dialect::spec::{
    At, Between, BodyKind, CallKind, Chars, DialectSpec, Flags, Gives, Known, Name, Pattern, Piece,
    Place, Ref, Rule, Scope, SectionKind, Text, ValueKind, WS, What,
};
use crate::event::DiagnosticKind;
use crate::pattern;

/// The kinds, as the tables number them. (Without a section nothing stands before what is after an object.)
pub(in crate::dialect) const CALLS: u8 = 0;
pub(in crate::dialect) const AFTER_OBJECT: u8 = 1;
const CALL: Place = Place::Call(0);
const VALUE: u8 = 0;
const ARGUMENTS: u8 = 0;
pub(in crate::dialect) const NO_CALL: u8 = 1;

const FENCE: &str = "```";

/// The markers of such calls.
pub(super) struct Calls<'a> {
    shape: &'a Shape,
    section: Option<[Pattern; 2]>,
    /// Up to the object: one of these.
    forms: Vec<Vec<Part>>,
    /// What closes a call: one of these will do. None: an object says itself where it ends.
    ends: Vec<Pattern>,
    /// An object may stand in a fence.
    fenced: bool,
    /// One by one; none: an object.
    argument: Option<Argument>,
}

impl<'a> Calls<'a> {
    pub fn of(shape: &'a Shape) -> Result<Calls<'a>, Wrong> {
        let wrong =
            |field: &str, what: &str| Err(Wrong::new(field, format!("{what}: `{}`", shape.call)));
        let section = shape.section_marks()?;
        let argument = Argument::of(shape)?;
        if shape.names_by_id() && !shape.id.contains("{name}") {
            return wrong("id", "without a `{name}` in `call` it must have one");
        }
        if argument.is_some() && !shape.or.is_empty() {
            return wrong("or", "it has no other forms, for it stands in no block");
        }
        let own = Or::json(shape.call.clone());
        let (open, close) = shape.form("call", &own)?;
        let mut forms = vec![open];
        for (at, form) in shape.or.iter().enumerate() {
            let field = format!("or[{at}].call");
            let (open, end) = shape.form(&field, form)?;
            if close != end || first(&forms[0]) != first(&open) || !form.argument.is_empty() {
                let what = format!("`{}` begins or ends otherwise than `call`", form.call);
                return Err(Wrong::new(&field, what));
            }
            forms.push(open);
        }
        // In a section more closers are markup; elsewhere each would be nobody's.
        let each = tags(&close).filter(|_| section.is_some() && argument.is_none());
        let whole = || [notation::closer(&close)].into_iter().filter(|end| !end.is_empty());
        let ends: Vec<Pattern> = match each {
            Some(tags) => tags.into_iter().map(|tag| pattern![tag]).collect(),
            None => whole().collect(),
        };
        if argument.is_some() && ends.is_empty() {
            return wrong("call", "a marker must stand after the arguments");
        }
        let fences = shape.or.iter().chain([&own]).any(|form| form.call.contains(FENCE));
        Ok(Calls { shape, section, forms, ends, fenced: fences || !shape.special, argument })
    }

    /// How each form opens a call of such a tool.
    fn heads(&self, known: Known) -> impl Iterator<Item = Pattern> {
        let id = &self.shape.id;
        let prefix = id.split("{name}").next().filter(|_| self.shape.names_by_id());
        let name = move |hole: &str| match (hole, prefix) {
            ("id", Some(prefix)) => Name::tool_id().prefix(prefix.to_string()).known(known),
            // A token stands where the id would have begun.
            ("id", None) if self.shape.special => Name::id().optional(),
            ("name", _) if self.shape.special => Name::tool().known(known),
            _ => notation::name(hole, known),
        };
        self.forms.iter().map(move |form| pattern(form, &name))
    }

    /// The first text of a call, and the last one before its object.
    fn ends_of_head(&self) -> [Text; 2] {
        let texts = self.heads(Known::Any).next().map_or(Vec::new(), |head| texts(&head));
        [texts.first(), texts.last()].map(|text| text.cloned().unwrap_or_default())
    }

    fn begin(&self) -> Text {
        let [begin, _] = self.ends_of_head();
        begin
    }

    /// Up to the brace of an object.
    fn braces(&self) -> Vec<Pattern> {
        let fenced = self.fenced.then(|| pattern![FENCE, LETTERS, WS, "{"]);
        [pattern!["{"]].into_iter().chain(fenced).collect()
    }

    /// How an object begins. Special tokens show by themselves that it is one.
    fn object(&self) -> Vec<Pattern> {
        let begins = if self.shape.special { Pattern::new() } else { pattern![WS, one_of("\"}")] };
        self.braces().into_iter().map(|brace| [brace, begins.clone()].concat()).collect()
    }

    /// What closes a call; the name in it, if there is one, is this.
    fn ends_as(&self, name: impl Into<Piece>) -> Vec<Pattern> {
        let name = name.into();
        let named = |piece: &Piece| match piece {
            Piece::Ref(Ref::Call) => name.clone(),
            piece => piece.clone(),
        };
        self.ends.iter().map(|end| end.iter().map(named).collect()).collect()
    }

    fn ends_by_name(&self) -> bool {
        self.ends.iter().flatten().any(|piece| matches!(piece, Piece::Ref(_)))
    }

    /// Calls and arguments are tags, as those of XML: what stands between arguments is junk.
    fn is_xml(&self) -> bool {
        let tag = self.argument.as_ref().is_some_and(Argument::is_tag);
        tag && self.begin().starts_with('<') && !self.shape.special
    }

    /// What a call has in it first.
    fn first(&self) -> Vec<Pattern> {
        match &self.argument {
            Some(argument) => vec![argument.first(Known::Any)],
            None => self.object(),
        }
    }

    /// The openers of calls, with what confirms each. Between tags nothing but the closer follows only where the tool
    /// is known, if some are, or is named again.
    fn opens(&self, known: Known) -> Vec<(Pattern, Vec<Pattern>)> {
        self.opens_as(known, Ref::Marker)
    }

    fn opens_as(&self, known: Known, name: Ref) -> Vec<(Pattern, Vec<Pattern>)> {
        let heads = self.heads(known);
        let ends = self.ends_as(name);
        if self.shape.special || self.ends_by_name() {
            let first = [self.first(), ends].concat();
            return heads.map(|head| (head, first.clone())).collect();
        }
        let of_known = if known == Known::Any { Known::IfDeclared } else { known };
        let none = self.heads(of_known).map(|head| (head, ends.clone()));
        let none = none.filter(|_| !self.ends.is_empty());
        heads.map(|head| (head, self.first())).chain(none).collect()
    }

    fn text(&self) -> Vec<Rule> {
        let mut rules = Vec::new();
        if let Some([open, close]) = &self.section {
            rules.push(
                opener(open.clone(), 1, &[pattern![self.begin()]]).open(Place::Section(CALLS)),
            );
            // Its opener is missing: the call is read in a section all the same. Tags must name a tool that is
            // declared.
            let known = if self.shape.special { Known::Any } else { Known::Declared };
            let bare = |(head, first): (Pattern, Vec<Pattern>)| {
                let bare = opener(head, 1, &first).not(Flags::REASONING).sets(Flags::OWED);
                bare.before().open(Place::Section(CALLS))
            };
            rules.extend(self.opens(known).into_iter().map(bare));
            rules.push(rule(close.clone()).needs(Flags::OWED));
            rules.push(rule(close.clone()).does(What::Orphan(Scope::Section)));
        } else {
            let opens = self.opens(Known::Any).into_iter();
            rules.extend(opens.map(|(head, first)| opener(head, 1, &first).open(CALL)));
        }
        let orphan = |end: &Pattern| rule(end.clone()).does(What::Orphan(Scope::Call));
        rules.extend(self.ends_as(Name::tool()).iter().map(orphan));
        rules.extend(self.shape.others());
        rules
    }

    /// Before the first call, and between two.
    fn calls(&self, [open, close]: &[Pattern; 2]) -> SectionKind {
        let call = |(head, first): (Pattern, Vec<Pattern>)| opener(head, 0, &first).open(CALL);
        let mut rules: Vec<Rule> = self.opens(Known::Any).into_iter().map(call).collect();
        rules.extend(self.malformed(close));
        rules.extend(self.ends.iter().cloned().map(rule));
        rules.push(rule(open.clone()).needs(Flags::SECTION_START));
        rules.push(rule(close.clone()).clears(Flags::OWED).close(Scope::Section));
        SectionKind { rules, between: Between::Only(Chars::WHITE), calls: true }
    }

    /// What begins as a call and names no tool: up to its object and with it, up to its closer, or nothing more.
    fn malformed(&self, close: &Pattern) -> Vec<Rule> {
        let malformed = |mark: Pattern| {
            let malformed = rule(mark).clears(Flags::SECTION_START);
            malformed.note(DiagnosticKind::MalformedCall)
        };
        let [begin, last] = self.ends_of_head();
        let others = [vec![begin.clone()], texts(close)].concat();
        let ends: Vec<Text> = self.ends.iter().flat_map(texts).collect();
        let mut rules = Vec::new();
        if last != begin && self.argument.is_none() {
            let last = until(last, &[&*others, &*ends].concat());
            let nameless = prefixed(pattern![begin, last, WS], &self.braces());
            let object = |mark: Pattern| malformed(mark).open(Place::Body(NO_CALL));
            rules.extend(nameless.into_iter().map(object));
        }
        let ends = ends.iter().filter(|_| self.ends.iter().all(|end| end.len() == 1));
        rules.extend(ends.map(|end| malformed(pattern![begin, until(end.clone(), &others)])));
        rules.push(malformed(pattern![begin]).noise());
        rules
    }

    /// What ends a call whose own closer is lost: the next call, the section's closer, and in tags a token.
    fn over(&self) -> Vec<(Pattern, Vec<Pattern>)> {
        let mut over = Vec::new();
        over.extend(self.section.iter().map(|[_, close]| (close.clone(), Vec::new())));
        if self.shape.special {
            over.push((pattern![self.begin()], Vec::new()));
            return over;
        }
        over.extend(self.opens(Known::Any));
        over.extend(
            self.section.iter().map(|[open, _]| (open.clone(), vec![pattern![self.begin()]])),
        );
        over.extend(self.shape.tokens().into_iter().map(|token| (token, Vec::new())));
        over
    }

    /// After the header.
    fn call(&self) -> CallKind {
        let mut rules = match &self.argument {
            Some(argument) => vec![rule(argument.mark()).param(VALUE)],
            None => {
                let object = prefixed(pattern![WS], &self.braces()).into_iter();
                object.map(|mark| start(mark).open(Place::Body(ARGUMENTS))).collect()
            }
        };
        let ends = self.ends_as(Name::tool()).into_iter();
        rules.extend(ends.map(|end| rule(end).close(Scope::Call)));
        let tokens = self.shape.tokens().into_iter().map(|token| (token, Vec::new()));
        let over = self.over().into_iter().chain(tokens.filter(|_| self.shape.special));
        rules.extend(over.map(|(mark, follow)| ends_call(mark, &follow, Scope::Call)));
        let between = match &self.argument {
            Some(_) if !self.is_xml() => Between::Only(Chars::WHITE),
            _ => Between::Junk(Chars::WHITE),
        };
        rules.extend(self.is_xml().then(stray));
        CallKind { rules, between, whole_at_end: false }
    }

    fn value(&self, argument: &Argument) -> ValueKind {
        let own = argument.close.clone();
        let close = self.ends.concat();
        let section = self.section.iter().map(|[_, close]| close.clone());
        let begins =
            |(head, first): (Pattern, Vec<Pattern>)| prefixed([head, vec![WS]].concat(), &first);
        let next = self.opens_as(Known::Any, Ref::Element).into_iter();
        let next: Vec<Pattern> = next.flat_map(begins).collect();
        let any_end = self.ends_as(Name::tool()).concat();
        // Tags that close by name show by themselves that they open.
        let heads =
            if self.ends_by_name() { self.heads(Known::Any).collect() } else { next.clone() };
        let follow = [vec![argument.next(), any_end], section.clone().collect(), heads].concat();
        // After the call's closer the call is over.
        let over = [vec![pattern![At::End]], self.shape.tokens()].concat();
        let over = [over, section.collect(), next].concat();
        let mut rules = vec![argument.closer(&follow)];
        let plain = pattern!["</", Ref::Param, ">"];
        if self.is_xml() && own != plain {
            rules.push(mismatched(plain, &[argument.next(), close.clone()]));
        }
        rules.push(closes_both(close.clone(), &over, Scope::Call));
        if self.shape.special {
            let both =
                |(open, first): (Pattern, Vec<Pattern>)| ends_both(open, &first, Scope::Call);
            rules.extend(self.opens(Known::Any).into_iter().map(both));
        } else {
            let quoted = self.opens(Known::Declared).into_iter();
            rules.extend(quoted.map(|(open, first)| quotes_call(open, &first)));
            let shown = argument.shows().then_some(own);
            rules.extend(shown.into_iter().chain([close.clone()]).map(suspect));
            if !argument.is_named_first() {
                rules.push(suspect(argument.first(Known::Fresh)));
            }
        }
        ValueKind { rules, framing: argument.framing, whole_at_end: false }
    }

    /// What ends a call ends its object before its time.
    fn body(&self, gives: Gives) -> BodyKind {
        let cut = |(mark, follow): (Pattern, Vec<Pattern>)| {
            rule(mark).follow(follow).before().close(Scope::Body)
        };
        let own = self.ends.iter().map(|end| (end.clone(), Vec::new()));
        let rules = own.chain(self.over()).map(cut).collect();
        let after = if self.section.is_some() { AFTER_OBJECT } else { CALLS };
        BodyKind { gives, rules, then: Some(Place::Section(after)) }
    }

    /// After an object stands its call's closer, or it was forgotten: what stands there instead is read again.
    fn after_object(&self) -> SectionKind {
        let goes_on = |rule: Rule| match self.section {
            Some(_) => rule.open(Place::Section(CALLS)),
            None => rule.close(Scope::Section),
        };
        let forgotten = |rule: Rule| match &*self.ends {
            [] => rule,
            _ => rule.note(DiagnosticKind::MissingCloser),
        };
        let mut rules: Vec<Rule> =
            self.ends.iter().map(|end| goes_on(start(end.clone()))).collect();
        rules.push(start(pattern![GARBAGE]));
        rules.push(start(pattern!["}"]).note(DiagnosticKind::RepairedJson));
        let next = match self.shape.special {
            true => vec![(pattern![self.begin()], Vec::new())],
            false => self.opens(Known::Any),
        };
        for (mark, follow) in next {
            rules.push(forgotten(goes_on(start(mark).follow(follow).before())));
        }
        if let Some([_, close]) = &self.section {
            let close = start(close.clone()).clears(Flags::OWED).close(Scope::Section);
            rules.push(forgotten(close));
        }
        rules.push(forgotten(start(Vec::new()).noise().close(Scope::Section)));
        SectionKind { rules, between: Between::Only(Chars::WHITE), calls: false }
    }

    pub fn dialect(&self) -> Result<DialectSpec, Wrong> {
        let Shape { name, about, special, .. } = self.shape;
        let section = self.section.as_ref();
        let bodies = [Some(Gives::Arguments), section.map(|_| Gives::Nothing)];
        let bodies = bodies.into_iter().flatten().filter(|_| self.argument.is_none());
        let after_object = self.argument.is_none().then(|| self.after_object());
        let sections = section.map(|section| self.calls(section)).into_iter();
        Ok(DialectSpec {
            stripped: *special && section.is_some(),
            prose: prose_with(self.text(), self.shape.reasoning()?),
            sections: sections.chain(after_object).collect(),
            calls: vec![self.call()],
            values: self.argument.iter().map(|argument| self.value(argument)).collect(),
            bodies: bodies.map(|gives| self.body(gives)).collect(),
            ..DialectSpec::new(name.clone(), about.clone(), self.shape.written()?)
        })
    }
}

impl Shape {
    /// What stands before the arguments of such a call, without a fence, and after them.
    fn form(&self, field: &str, form: &Or) -> Result<(Vec<Part>, Vec<Part>), Wrong> {
        let holes = ["name", "arguments", "id", notation::WORD];
        let parts = self.parts(field, &form.call, &holes)?;
        let [open, close] = around(&parts, "arguments", field)?;
        if !self.names_by_id() {
            around(&open, "name", field)?;
        }
        let open = unfenced(&open);
        if !matches!(trimmed(open).first(), Some(Part::Text(_))) {
            let what = format!("a marker must stand before the name: `{}`", form.call);
            return Err(Wrong::new(field, what));
        }
        Ok((open.to_vec(), unfenced_end(&close)))
    }
}

/// The first text of a form.
fn first(form: &[Part]) -> Option<Text> {
    tags(trimmed(form).get(..1)?)?.into_iter().next()
}

/// The texts of a marker.
fn texts(mark: &Pattern) -> Vec<Text> {
    let texts = mark.iter().flat_map(|piece| match piece {
        Piece::Lit(text) => vec![text.clone()],
        Piece::Any(texts) => texts.clone(),
        _ => Vec::new(),
    });
    texts.collect()
}

fn is_fence(part: &Part) -> bool {
    matches!(part, Part::Text(text) if text.starts_with(FENCE))
}

/// Without the fence that an object may stand in: what opens it, and what closes it.
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
