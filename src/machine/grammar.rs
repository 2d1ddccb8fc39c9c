//! A dialect, or two, compiled: a [`Table`] for each kind of each state. It depends on the dialect and
//! three options alone, so it is made once and shared by all parsers ([`Grammar::shared`]).

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::ids::PartNumber;
use super::keyword;
use super::table::{Table, Words};
use crate::dialect::spec::{
    At, Between, BodyKind, CallKind, DialectSpec, Flags, Framing, Gives, Lines, Pattern, Piece,
    Place, ProseKind, Ref, Rule, SectionKind, ValueKind, What,
};
use crate::dialect::{Dialect, TableId};
use crate::options::{CallsInReasoning, Options, ReasoningTags};

/// Text: the first kind of prose.
pub(crate) const TEXT: u8 = 0;
/// What reasoning tags open: the second one.
pub(crate) const REASONING: u8 = 1;

/// What holds at the beginning of a stream or a message, and never again in its text.
pub(crate) const BEGINNING: Flags = Flags::STREAM_START.and(Flags::MESSAGE_START);

/// Two kinds of prose are one for both dialects; what else two dialects have stands one after the
/// other.
const SHARED_PROSE: usize = 2;

/// A dialect, or two, compiled.
#[derive(Debug, Default)]
pub(crate) struct Grammar {
    pub prose: Vec<ProseTable>,
    pub sections: Vec<SectionTable>,
    pub calls: Vec<CallTable>,
    pub values: Vec<ValueTable>,
    pub bodies: Vec<BodyTable>,
    /// The words of each keyword.
    pub keywords: Vec<Vec<Box<[Box<str>]>>>,
    /// The texts that count only as special tokens.
    pub special: Vec<Box<str>>,
    pub lines: Lines,
    /// The dialect that has keywords.
    pub lines_part: Option<PartNumber>,
    /// The kind of prose that begins the stream with `implicit_thought`.
    pub thought: Option<u8>,
    parts: Vec<Offsets>,
    /// How many tables there are: each has a number.
    pub tables: usize,
    /// Of a state in which nothing counts.
    pub nothing: Table,
    /// A marker repeats the name of a call that has ended.
    pub repeats: bool,
    /// A marker begins with a word.
    pub words: bool,
    /// Reasoning tags open in the middle of a line, too.
    anywhere: bool,
}

#[derive(Debug)]
pub(crate) struct ProseTable {
    pub table: Table,
    /// The same without the rules that count at the beginning of a message alone, if there are some: what is
    /// searched for after it.
    pub later: Option<Box<Table>>,
    pub reasoning: bool,
    pub answer: bool,
}

#[derive(Debug)]
pub(crate) struct SectionTable {
    pub table: Table,
    pub between: Between,
    pub calls: bool,
    /// It has a closer.
    pub closes: bool,
    /// Which is not missed at the end of the stream.
    pub stripped: bool,
    /// What of the white space in it may be the text's that follows it.
    pub framing: Framing,
}

#[derive(Debug)]
pub(crate) struct CallTable {
    pub table: Table,
    pub between: Between,
    pub whole_at_end: bool,
}

#[derive(Debug)]
pub(crate) struct ValueTable {
    pub table: Table,
    pub framing: Framing,
    pub whole_at_end: bool,
}

#[derive(Debug)]
pub(crate) struct BodyTable {
    pub table: Table,
    pub gives: Gives,
    pub then: Option<Place>,
    pub part: PartNumber,
    /// The markers that end it before its time, and those that end the message.
    pub ends: Vec<Box<str>>,
}

/// Where the kinds of a dialect begin.
#[derive(Clone, Copy, Debug, Default)]
struct Offsets {
    prose: u8,
    section: u8,
    call: u8,
    value: u8,
    body: u8,
    keyword: u8,
}

/// What a grammar depends on.
#[derive(Clone, PartialEq)]
struct Key {
    tables: Vec<TableId>,
    calls_in_reasoning: Option<CallsInReasoning>,
    reasoning_tags: ReasoningTags,
    answer_keywords: Option<Vec<String>>,
    special_tokens: Vec<String>,
}

/// How many grammars are kept, the newest ones: more than a program has pairs of dialects and options.
const KEPT: usize = 128;

/// Those that were compiled. A host's table is not kept in here; what was compiled of one that is gone goes when the
/// next is compiled.
static KEPT_GRAMMARS: Kept = Kept(Mutex::new(Vec::new()));

struct Kept(Mutex<Vec<(Key, Arc<Grammar>)>>);

impl Kept {
    /// The lock guards a list alone, and no step leaves it half done.
    fn lock(&self) -> MutexGuard<'_, Vec<(Key, Arc<Grammar>)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn get(&self, dialect: &Dialect, options: &Options) -> Arc<Grammar> {
        let key = Key {
            tables: dialect.ids(),
            calls_in_reasoning: options.calls_in_reasoning,
            reasoning_tags: options.reasoning_tags,
            answer_keywords: options.answer_keywords.clone(),
            special_tokens: options.special_tokens.clone(),
        };
        if let Some((_, grammar)) = self.lock().iter().find(|(known, _)| *known == key) {
            return Arc::clone(grammar);
        }
        let grammar = Arc::new(Grammar::new(dialect, &key));
        let mut kept = self.lock();
        kept.retain(|(key, _)| !key.tables.iter().any(TableId::is_gone));
        if kept.len() == KEPT {
            kept.remove(0);
        }
        kept.push((key, Arc::clone(&grammar)));
        grammar
    }
}

impl Grammar {
    /// The grammar of a dialect with these options: compiled when it is first asked for.
    pub fn shared(dialect: &Dialect, options: &Options) -> Arc<Grammar> {
        KEPT_GRAMMARS.get(dialect, options)
    }

    fn new(dialect: &Dialect, key: &Key) -> Grammar {
        let some = key.special_tokens.iter().filter(|token| !token.is_empty());
        let special = some.map(|token| (&**token).into()).collect();
        let mut grammar = Grammar { special, ..Grammar::default() };
        grammar.nothing = Table::new(&[], grammar.words(), false);
        let specs: Vec<&DialectSpec> = dialect.specs().collect();
        grammar.repeats = specs.iter().any(|spec| has(spec, Piece::Ref(Ref::First)));
        grammar.words = specs.iter().any(|spec| has(spec, Piece::At(At::Word)));
        for (spec, part) in specs.iter().zip(0..) {
            grammar.note_offsets(dialect, spec, part, key);
        }
        for (spec, part) in specs.iter().zip(0..) {
            grammar.add(spec, part);
        }
        grammar.anywhere = key.reasoning_tags == ReasoningTags::Anywhere;
        grammar.add_prose(&specs, key);
        grammar.number_tables();
        grammar
    }

    /// Those in which markers are read. (`nothing` has none, and `later` is only searched.)
    fn number_tables(&mut self) {
        let prose = self.prose.iter_mut().map(|kind| &mut kind.table);
        let sections = self.sections.iter_mut().map(|kind| &mut kind.table);
        let calls = self.calls.iter_mut().map(|kind| &mut kind.table);
        let values = self.values.iter_mut().map(|kind| &mut kind.table);
        let bodies = self.bodies.iter_mut().map(|kind| &mut kind.table);
        let tables = prose.chain(sections).chain(calls).chain(values).chain(bodies);
        for (number, table) in tables.enumerate() {
            table.number = number;
            self.tables = number + 1;
        }
    }

    /// The value kind `raw` of a dialect, as it is numbered here. (A provider's own calls are none's.)
    pub fn value(&self, part: PartNumber, kind: u8) -> u8 {
        self.parts.get(part as usize).map_or(kind, |part| part.value + kind)
    }

    /// A place of the first dialect, as it is numbered here.
    pub fn place(&self, place: Place) -> Place {
        self.parts.first().map_or(place, |first| first.place(place))
    }

    fn words(&self) -> Words<'_> {
        Words { keywords: &self.keywords, special: &self.special }
    }

    fn note_offsets(&mut self, dialect: &Dialect, spec: &DialectSpec, part: PartNumber, key: &Key) {
        let before = self.parts.last().copied().unwrap_or_default();
        let other = (part > 0).then(|| dialect.spec());
        let len = |of: fn(&DialectSpec) -> usize| other.map_or(0, of) as u8;
        let offsets = Offsets {
            prose: before.prose + len(|spec| spec.prose.len().saturating_sub(SHARED_PROSE)),
            section: len(|spec| spec.sections.len()),
            call: len(|spec| spec.calls.len()),
            value: len(|spec| spec.values.len()),
            body: len(|spec| spec.bodies.len()),
            keyword: len(|spec| spec.keywords.len()),
        };
        self.parts.push(offsets);
        for keyword in &spec.keywords {
            let own = keyword.words.iter().map(|words| keyword::words(words)).collect();
            let asked = key.answer_keywords.iter().flatten();
            let asked = asked.map(|words| keyword::words(words));
            let asked: Vec<_> = asked.filter(|words| !words.is_empty()).collect();
            let replaced = keyword.answer && key.answer_keywords.is_some();
            self.keywords.push(if replaced { asked } else { own });
        }
        if !spec.keywords.is_empty() {
            self.lines = spec.lines.clone();
            self.lines_part = Some(part);
            self.thought = spec.thought.map(|thought| offsets.prose_kind(thought));
        }
    }

    /// Compiles the states of a dialect in which its own markers alone count.
    fn add(&mut self, spec: &DialectSpec, part: PartNumber) {
        let offsets = self.parts[part as usize];
        let table = |rules: &[Rule]| {
            let rules: Vec<_> = rules.iter().map(|rule| (offsets.rule(rule), part)).collect();
            Table::new(&rules, self.words(), true)
        };
        let section = |SectionKind { rules, between, calls }: &SectionKind| {
            let closes = *calls && rules.iter().any(leaves_section);
            SectionTable {
                table: table(rules),
                between: between.clone(),
                calls: *calls,
                closes,
                stripped: spec.stripped,
                framing: if *calls && !closes { Framing::White } else { Framing::None },
            }
        };
        let sections: Vec<_> = spec.sections.iter().map(section).collect();
        let call = |CallKind { rules, between, whole_at_end }: &CallKind| {
            let (between, whole_at_end) = (between.clone(), *whole_at_end);
            CallTable { table: table(rules), between, whole_at_end }
        };
        let calls: Vec<_> = spec.calls.iter().map(call).collect();
        let value = |ValueKind { rules, framing, whole_at_end }: &ValueKind| {
            let (framing, whole_at_end) = (*framing, *whole_at_end);
            ValueTable { table: table(rules), framing, whole_at_end }
        };
        let values: Vec<_> = spec.values.iter().map(value).collect();
        let body = |BodyKind { gives, rules, then }: &BodyKind| {
            let then = then.map(|place| offsets.place(place));
            let marks = rules.iter().filter(|rule| !rule.needs.has(Flags::IN_STRING));
            let marks = marks.filter_map(|rule| rule.mark.first()).flat_map(Piece::texts);
            let ends = marks.chain(&spec.boundary).filter(|end| end.len() > 1);
            let ends = ends.map(|end| end.as_ref().into()).collect();
            BodyTable { table: table(rules), gives: gives.clone(), then, part, ends }
        };
        let bodies: Vec<_> = spec.bodies.iter().map(body).collect();
        self.sections.extend(sections);
        self.calls.extend(calls);
        self.values.extend(values);
        self.bodies.extend(bodies);
    }

    /// Text and reasoning, in which the markers of both dialects count; and the other kinds of prose, in
    /// which the openers of the other dialect do, too, unless it is an answer.
    fn add_prose(&mut self, specs: &[&DialectSpec], key: &Key) {
        let text = |part: usize| self.prose_rules(specs, part, TEXT.into());
        let reasoning = |part: usize| self.prose_rules(specs, part, REASONING.into());
        let extracts = |spec: &DialectSpec| {
            key.calls_in_reasoning.unwrap_or(spec.calls_in_reasoning) == CallsInReasoning::Extract
        };
        let all = 0..specs.len();
        let texts: Vec<_> = all.clone().flat_map(text).collect();
        let in_reasoning: Vec<_> = all
            .flat_map(|part| {
                let calls = if extracts(specs[part]) { text(part) } else { Vec::new() };
                calls.into_iter().chain(reasoning(part))
            })
            .collect();
        let shared = [(texts, false), (in_reasoning, true)];
        let mut prose: Vec<ProseTable> = shared
            .into_iter()
            .map(|(rules, reasoning)| self.prose_table(&rules, reasoning, false))
            .collect();
        for (part, spec) in specs.iter().enumerate() {
            for (kind, of) in spec.prose.iter().enumerate().skip(SHARED_PROSE) {
                let ProseKind { reasoning, answer, .. } = *of;
                let mut rules = self.prose_rules(specs, part, kind);
                let others = (0..specs.len()).filter(|other| *other != part && !answer);
                rules.extend(others.flat_map(text));
                prose.push(self.prose_table(&rules, reasoning, answer));
            }
        }
        self.prose = prose;
    }

    fn prose_table(
        &self,
        rules: &[(Rule, PartNumber)],
        reasoning: bool,
        answer: bool,
    ) -> ProseTable {
        let later = |(rule, _): &&(Rule, PartNumber)| !rule.needs.has_any(BEGINNING);
        let later: Vec<_> = rules.iter().filter(later).cloned().collect();
        let later =
            (later.len() < rules.len()).then(|| Box::new(Table::new(&later, self.words(), false)));
        ProseTable { table: Table::new(rules, self.words(), false), later, reasoning, answer }
    }

    fn prose_rules(
        &self,
        specs: &[&DialectSpec],
        part: usize,
        kind: usize,
    ) -> Vec<(Rule, PartNumber)> {
        let rules = specs[part].prose.get(kind).map(|kind| &*kind.rules).unwrap_or_default();
        let own = rules.iter().map(|rule| (self.parts[part].rule(rule), part as PartNumber));
        own.map(|(rule, part)| (if self.anywhere { opens_anywhere(rule) } else { rule }, part))
            .collect()
    }
}

/// An opener of reasoning counts in the middle of a line, too.
fn opens_anywhere(mut rule: Rule) -> Rule {
    let opens = rule.action.what == What::Open(Place::Prose(REASONING));
    let tag = rule.mark.iter().flat_map(Piece::texts).any(|text| text == "<think>");
    if opens && tag {
        rule.needs = rule.needs.without(Flags::LINE_START);
    }
    rule
}

/// Whether this stands in a marker of text or reasoning.
fn has(spec: &DialectSpec, piece: Piece) -> bool {
    let rules = spec.prose.iter().flat_map(|kind| &kind.rules);
    rules.flat_map(|rule| &rule.mark).any(|other| *other == piece)
}

/// A closer of the section, or what leads to one.
fn leaves_section(rule: &Rule) -> bool {
    let leaves = matches!(rule.action.what, What::Close(_) | What::Open(Place::Section(_)));
    leaves && !rule.noise
}

impl Offsets {
    /// The rule with the numbers that its kinds have among those of both dialects.
    fn rule(&self, rule: &Rule) -> Rule {
        let mut rule = rule.clone();
        rule.action.what = match rule.action.what {
            What::Open(place) => What::Open(self.place(place)),
            What::Param(kind, named) => What::Param(self.value + kind, named),
            what => what,
        };
        rule.action.then = rule.action.then.map(|place| self.place(place));
        let pattern = |pattern: &mut Pattern| {
            for piece in pattern {
                if let Piece::Keyword(number) = piece {
                    *number += self.keyword;
                }
            }
        };
        pattern(&mut rule.mark);
        rule.follow.iter_mut().for_each(pattern);
        rule
    }

    fn place(&self, place: Place) -> Place {
        match place {
            Place::Prose(kind) => Place::Prose(self.prose_kind(kind)),
            Place::Section(kind) => Place::Section(self.section + kind),
            Place::Call(kind) => Place::Call(self.call + kind),
            Place::Body(kind) => Place::Body(self.body + kind),
        }
    }

    fn prose_kind(&self, kind: u8) -> u8 {
        if (kind as usize) < SHARED_PROSE { kind } else { kind + self.prose }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Twice the same: it was kept. Never that of another dialect, table or option.
    #[test]
    fn a_grammar_is_compiled_once() {
        let own = || Dialect::new(Dialect::CLINE.spec().clone());
        let (one, other, third) = (own(), own(), own());
        let dialects = [
            Dialect::CLINE,
            Dialect::CLINE.and(Dialect::GLM),
            Dialect::GLM.and(Dialect::CLINE),
            one.clone(),
            one.clone().and(Dialect::GLM),
            Dialect::GLM.and(one.clone()),
            one.clone().and(other.clone()),
            one.clone().and(third),
            other.clone().and(one),
            other,
        ];
        let extract = CallsInReasoning::Extract;
        let options = [None, Some(extract)]
            .map(|calls_in_reasoning| Options { calls_in_reasoning, ..Options::default() });
        let kept = Kept(Mutex::default());
        let all = || -> Vec<Arc<Grammar>> {
            let pairs = options.iter().flat_map(|with| dialects.iter().map(move |of| (of, with)));
            pairs.map(|(of, with)| kept.get(of, with)).collect()
        };
        let first = all();
        for (number, again) in all().into_iter().enumerate() {
            let same = first.iter().position(|known| Arc::ptr_eq(known, &again));
            assert_eq!(same, Some(number));
        }
    }

    /// A host that makes ever new options or tables does not fill the memory.
    #[test]
    fn only_the_newest_are_kept() {
        let kept = Kept(Mutex::default());
        let options = |number: usize| Options {
            answer_keywords: Some(vec![format!("Answer {number}")]),
            ..Options::default()
        };
        let get = |number| kept.get(&Dialect::REACT, &options(number));
        let first = Arc::downgrade(&get(0));
        (1..KEPT).for_each(|number| drop(get(number)));
        assert!(first.upgrade().is_some());
        get(KEPT);
        assert!(first.upgrade().is_none());
    }

    #[test]
    fn what_was_compiled_of_a_table_that_is_gone_goes_with_the_next() {
        let host = Dialect::new(Dialect::CLINE.spec().clone());
        let both = Dialect::GLM.and(host.clone());
        let grammars = [&host, &both].map(|of| Grammar::shared(of, &Options::default()));
        let left = grammars.map(|grammar| Arc::downgrade(&grammar));
        assert!(left.iter().all(|grammar| grammar.upgrade().is_some()));
        drop((host, both));
        Grammar::shared(&Dialect::new(Dialect::GLM.spec().clone()), &Options::default());
        assert!(left.iter().all(|grammar| grammar.upgrade().is_none()));
    }
}
