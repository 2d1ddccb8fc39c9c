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
//!
//! Other spellings ([`Also`]) open calls where their own openers do, and say what is wrong with them. One that begins
//! with a name counts in a section alone, where nothing stands before it, and calls a declared tool.

use super::argument::Argument;
use super::grammar::{boxed, mark};
use super::notation::{self, Part, around, in_tags, tags, trimmed};
use super::{Also, OTHERWISE, Or, Shape, Wrong};
use crate::dialect::bracket::{
    between, closes_both, cuts, ends_both, ends_call, garbage, mismatched, next_param, opener,
    quotes_call, section, section_closers, stray, suspect,
};
use crate::dialect::build::{LETTERS, one_of, prefixed, rule, start, until};
use crate::dialect::check::bytes;
use crate::dialect::closers::{is_whole_tag, tag_of};
use crate::dialect::spec::{
    At, AtEnd, Between, BodyKind, CallKind, Chars, DialectSpec, Flags, Gives, Known, Name, Pattern,
    Piece, Place, Ref, Rule, Scope, SectionKind, Text, ValueKind, WS, What,
};
use crate::event::DiagnosticKind;
use crate::family::written;
use crate::options::bounds;
use crate::pattern;

/// The kinds, as the tables number them. (Without a section nothing stands before what is after an object.)
pub(in crate::dialect) const CALLS: u8 = 0;
pub(in crate::dialect) const AFTER_OBJECT: u8 = 1;
const CALL: Place = Place::Call(0);
const VALUE: u8 = 0;
const ARGUMENTS: u8 = 0;
pub(in crate::dialect) const NO_CALL: u8 = 1;

const FENCE: &str = "```";

/// What opens a call, and one of what must follow.
type Opens = (Pattern, Vec<Pattern>);

/// The markers of such calls.
pub(super) struct Calls<'a> {
    shape: &'a Shape,
    section: Option<[Pattern; 2]>,
    /// Up to the object: one of these.
    forms: Vec<Vec<Part>>,
    /// The same in other spellings, and what is told of a call that is written so.
    also: Vec<(Vec<Part>, Option<DiagnosticKind>)>,
    /// What stands for `{word}`: in the place of a name it names none.
    words: Vec<Text>,
    /// A header is so long that with white space round names it would be more than is held.
    tight: bool,
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
        let (open, close) = shape.form("call", &own.call, false)?;
        let mut forms = vec![open];
        for (at, form) in shape.or.iter().enumerate() {
            let (open, end) = shape.form(&format!("or[{at}].call"), &form.call, false)?;
            if close != end || first(&forms[0]) != first(&open) || !form.argument.is_empty() {
                return Err(form.wrong(at, OTHERWISE));
            }
            forms.push(open);
        }
        let mut also = Vec::new();
        for (at, Also { call, told }) in shape.also.iter().enumerate() {
            let field = format!("also[{at}].call");
            let (open, end) = shape.form(&field, call, section.is_some())?;
            if close != end {
                return Err(Wrong::new(&field, format!("`{call}` ends otherwise than `call`")));
            }
            also.push((open, *told));
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
        let words = shape.or.iter().map(|or| or.word.clone()).filter(|word| !word.is_empty());
        let words = words.collect();
        let fenced = fences || !shape.special;
        let calls =
            Calls { shape, section, forms, also, words, tight: false, ends, fenced, argument };
        let tight = calls.is_too_long();
        Ok(Calls { tight, ..calls })
    }

    /// Whether a header is more than is held, with what confirms it, or where both confirm a closer before them.
    fn is_too_long(&self) -> bool {
        let too_long = |mark: usize, follow: &Pattern| {
            mark + bounds::WHITE_SPACE + longest(follow) > bounds::HELD
        };
        let closer = self.argument.as_ref().map(|argument| {
            let [argument, call] = [&argument.close, &self.ends.concat()].map(longest);
            argument.max(call)
        });
        self.opens(Known::Any).into_iter().chain(self.also_opens()).any(|(head, first)| {
            let len = longest(&head);
            let in_value =
                |closer| begins((head, first.clone())).iter().any(|next| too_long(closer, next));
            first.iter().any(|first| too_long(len, first)) || closer.is_some_and(in_value)
        })
    }

    /// How each form opens a call of such a tool.
    fn heads(&self, known: Known) -> impl Iterator<Item = Pattern> {
        self.forms.iter().map(move |form| self.head(form, known))
    }

    /// Where a name stands first, or the header is long, white space round names is as it is written.
    fn head(&self, form: &[Part], known: Known) -> Pattern {
        let id = &self.shape.id;
        let prefix = id.split("{name}").next().filter(|_| self.shape.names_by_id());
        let is_word = |part: &Part| matches!(part, Part::Hole(hole) if hole == notation::WORD);
        let words = if form.iter().any(is_word) { &[][..] } else { &self.words };
        let name = |hole: &str| match (hole, prefix) {
            ("id", Some(prefix)) => Name::tool_id().prefix(prefix.to_string()).known(known),
            // A token stands where the id would have begun.
            ("id", None) if self.shape.special => Name::id().optional(),
            ("name", _) if self.shape.special => Name::tool().known(known),
            _ => notation::name(hole, known),
        };
        let name = |hole: &str| match hole {
            "name" => Name { not: words.to_vec(), ..name(hole) },
            _ => name(hole),
        };
        notation::spaced(form, !self.tight && !is_named_first(form), &name)
    }

    /// Other spellings that begin with a text, or with a name; what confirms them, and what is told.
    fn also(&self, named_first: bool) -> Vec<(Opens, Option<DiagnosticKind>)> {
        let known = if named_first { Known::Declared } else { Known::Any };
        let mut first = self.first();
        if self.shape.special && !named_first {
            first.extend(self.ends.clone());
        }
        let also = self.also.iter().filter(|(form, _)| is_named_first(form) == named_first);
        also.map(|(form, told)| ((self.head(form, known), first.clone()), *told)).collect()
    }

    /// Those that begin with a text, whatever is told.
    fn also_opens(&self) -> impl Iterator<Item = Opens> {
        self.also(false).into_iter().map(|(opens, _)| opens)
    }

    /// All of them in a section, as rules that still do nothing. A name may be a word of what is read as a section
    /// only because of a call in it: there it opens none.
    fn also_in_section(&self, at_start: bool) -> Vec<Rule> {
        let texts = self.also(false).into_iter().map(|also| (also, at_start, Flags::NONE));
        let names = self.also(true).into_iter().map(|also| (also, true, Flags::OWED));
        let each = texts.chain(names).map(|(((head, first), told), at_start, not)| {
            let rule = if at_start { start(head) } else { rule(head) };
            noted(rule.follow(first).not(not), told)
        });
        each.collect()
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
    fn opens(&self, known: Known) -> Vec<Opens> {
        self.opens_as(known, Ref::Marker)
    }

    fn opens_as(&self, known: Known, name: Ref) -> Vec<Opens> {
        let heads = self.heads(known);
        let ends = self.ends_as(name);
        let like_words = self.called_like_words(known).into_iter();
        if self.shape.special || self.ends_by_name() {
            let first = [self.first(), ends].concat();
            return like_words.chain(heads.map(|head| (head, first.clone()))).collect();
        }
        let of_known = if known == Known::Any { Known::IfDeclared } else { known };
        let none = self.heads(of_known).map(|head| (head, ends.clone()));
        let none = none.filter(|_| !self.ends.is_empty());
        like_words.chain(heads.map(|head| (head, self.first()))).chain(none).collect()
    }

    /// A tool whose name is a word that may stand in the name's place: an object right after it shows that it is one.
    fn called_like_words(&self, known: Known) -> Option<Opens> {
        let head = self.heads(known).next().filter(|_| !self.words.is_empty())?;
        let any = |piece| match piece {
            Piece::Name(name) => Piece::Name(Name { not: Vec::new(), ..name }),
            piece => piece,
        };
        Some((head.into_iter().map(any).collect(), vec![pattern!["{"]]))
    }

    fn text(&self) -> Vec<Rule> {
        let mut rules = Vec::new();
        if let Some([open, close]) = &self.section {
            let mut first = vec![pattern![self.begin()]];
            first.extend(self.also_opens().flat_map(begins));
            rules.push(opener(open.clone(), 1, &first).open(Place::Section(CALLS)));
            // Its opener is missing: the call is read in a section all the same. Tags must name a tool that is
            // declared.
            let known = if self.shape.special { Known::Any } else { Known::Declared };
            let bare = |(head, first): Opens| {
                let bare = opener(head, 1, &first).not(Flags::REASONING).sets(Flags::OWED);
                bare.before().open(Place::Section(CALLS))
            };
            rules.extend(self.opens(known).into_iter().map(bare));
            rules.extend(self.also_opens().map(bare));
            rules.extend(section_closers(close));
        } else {
            let opens = self.opens(Known::Any).into_iter();
            rules.extend(opens.map(|(head, first)| opener(head, 1, &first).open(CALL)));
            let also = self.also(false).into_iter();
            let open =
                |((head, first), told): (Opens, _)| noted(opener(head, 1, &first).open(CALL), told);
            rules.extend(also.map(open));
        }
        let orphan = |end: &Pattern| rule(end.clone()).does(What::Orphan(Scope::Call));
        rules.extend(self.ends_as(Name::tool()).iter().map(orphan));
        rules.extend(self.shape.others(self.shape.tokens()));
        rules
    }

    /// Before the first call, and between two.
    fn calls(&self, [open, close]: &[Pattern; 2]) -> SectionKind {
        let call = |(head, first): Opens| opener(head, 0, &first).open(CALL);
        let mut rules: Vec<Rule> = self.opens(Known::Any).into_iter().map(call).collect();
        let also = self.also_in_section(false).into_iter();
        rules.extend(also.map(|rule| rule.at_end(AtEnd::Known).open(CALL)));
        rules.extend(self.malformed(close));
        rules.extend(self.ends.iter().cloned().map(rule));
        rules.push(rule(open.clone()).needs(Flags::SECTION_START));
        rules.push(rule(close.clone()).clears(Flags::OWED).close(Scope::Section));
        section(rules)
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
        let mut begins = vec![begin];
        begins.extend(self.also_opens().filter_map(|(head, _)| texts(&head).into_iter().next()));
        begins.dedup();
        rules.extend(begins.into_iter().map(|begin| malformed(pattern![begin]).noise()));
        rules
    }

    /// What ends a call whose own closer is lost: the next call, the section's closer, and in tags a token.
    fn over(&self) -> Vec<Opens> {
        let mut over = Vec::new();
        over.extend(self.section.iter().map(|[_, close]| (close.clone(), Vec::new())));
        if self.shape.special {
            over.push((pattern![self.begin()], Vec::new()));
            return over;
        }
        over.extend(self.opens(Known::Any));
        over.extend(self.also_opens());
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
        let next = self.opens_as(Known::Any, Ref::Element).into_iter().chain(self.also_opens());
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
            let both = |(open, first): Opens| ends_both(open, &first, Scope::Call);
            rules.extend(self.opens(Known::Any).into_iter().map(both));
            let tagged = !argument.is_named_first();
            rules.extend(tagged.then(|| next_param(argument.first(Known::Fresh))));
            rules.extend(argument.suspects());
        } else {
            let quoted = self.opens(Known::Declared).into_iter();
            rules.extend(quoted.map(|(open, first)| quotes_call(open, &first)));
            let shown = argument.shows().then_some(own);
            rules.extend(shown.into_iter().chain([close.clone()]).map(suspect));
            if !argument.is_named_first() {
                rules.push(suspect(argument.first(Known::Declared)));
            }
        }
        ValueKind { rules, framing: argument.framing, whole_at_end: false }
    }

    /// What ends a call ends its object before its time.
    fn body(&self, gives: Gives) -> BodyKind {
        let cut = |(mark, follow): Opens| cuts(mark, &follow);
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
        rules.extend(garbage());
        let next = match self.shape.special {
            true => vec![(pattern![self.begin()], Vec::new())],
            false => self.opens(Known::Any),
        };
        for (mark, follow) in next {
            rules.push(forgotten(goes_on(start(mark).follow(follow).before())));
        }
        let also = self.also_in_section(true).into_iter();
        rules.extend(also.map(|rule| forgotten(goes_on(rule.before()))));
        if let Some([_, close]) = &self.section {
            let close = start(close.clone()).clears(Flags::OWED).close(Scope::Section);
            rules.push(forgotten(close));
        }
        rules.push(forgotten(start(Vec::new()).noise().close(Scope::Section)));
        between(rules)
    }

    /// Returns the markers of the shape for readers.
    pub fn texts(&self) -> written::Texts {
        let heads = |known: Known| self.heads(known).map(|head| mark(&head)).collect::<Vec<_>>();
        let also = |named_first: bool| {
            let also = self.also(named_first).into_iter();
            also.map(|((head, _), told)| (mark(&head), told)).collect()
        };
        let like_words = self.called_like_words(Known::Any);
        let section = self.section.as_ref().map(|section| section.each_ref().map(mark));
        let opens: Vec<Pattern> = match &self.section {
            Some([open, _]) => vec![open.clone()],
            None => self.heads(Known::Any).chain(self.also_opens().map(|(head, _)| head)).collect(),
        };
        let mut tags: Vec<Pattern> = Vec::new();
        for opener in opens {
            let tag = tag_of(&opener);
            let stop =
                tag.len() == 1 && tag[0].texts().iter().all(|of| self.shape.tokens.contains(of));
            if !tag.is_empty() && !stop && !tags.contains(&tag) {
                tags.push(tag);
            }
        }
        let argument = self.argument.as_ref();
        let close = argument.and_then(|argument| match &*argument.close {
            [Piece::Lit(text)] if is_whole_tag(text) => Some(boxed(text)),
            _ => None,
        });
        written::Texts {
            section,
            heads: heads(Known::Any),
            declared: heads(Known::Declared),
            if_declared: heads(Known::IfDeclared),
            like_words: like_words.map(|(head, _)| mark(&head)),
            also: also(false),
            also_named: also(true),
            ends: self.ends.iter().map(mark).collect(),
            fenced: self.fenced,
            argument: argument.map(|argument| argument.texts(self.is_xml(), self.shape.special)),
            special: self.shape.special,
            tags: tags.iter().map(mark).collect(),
            stray: close.into_iter().collect(),
            stops: self.shape.tokens.iter().map(boxed).collect(),
        }
    }

    pub fn dialect(&self) -> Result<DialectSpec, Wrong> {
        let section = self.section.as_ref();
        let bodies = [Some(Gives::Arguments), section.map(|_| Gives::Nothing)];
        let bodies = bodies.into_iter().flatten().filter(|_| self.argument.is_none());
        let after_object = self.argument.is_none().then(|| self.after_object());
        let sections = section.map(|section| self.calls(section)).into_iter();
        Ok(DialectSpec {
            stripped: self.shape.special && section.is_some(),
            sections: sections.chain(after_object).collect(),
            calls: vec![self.call()],
            values: self.argument.iter().map(|argument| self.value(argument)).collect(),
            bodies: bodies.map(|gives| self.body(gives)).collect(),
            ..self.shape.table(self.text())?
        })
    }
}

impl Shape {
    /// What stands before the arguments of such a call, without a fence, and after them. It may begin with a name
    /// where one is read.
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

/// The most bytes of a header, a closer, or what confirms one.
fn longest(mark: &Pattern) -> usize {
    let len = |piece: &Piece| match piece {
        Piece::Lit(text) => text.len(),
        Piece::Run(run) => run.max.into(),
        Piece::Name(name) => name.longest(),
        Piece::Ref(_) => bounds::NAME,
        _ => 0,
    };
    bytes(mark.iter().map(|piece| (piece, len(piece))))
}

fn noted(rule: Rule, told: Option<DiagnosticKind>) -> Rule {
    match told {
        Some(told) => rule.note(told),
        None => rule,
    }
}

/// What opens, and then what confirms it.
fn begins((head, first): Opens) -> Vec<Pattern> {
    prefixed([head, vec![WS]].concat(), &first)
}

/// The texts of a marker.
fn texts(mark: &Pattern) -> Vec<Text> {
    mark.iter().flat_map(Piece::texts).cloned().collect()
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
