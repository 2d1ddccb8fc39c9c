//! How the rules of a state become a tree: each way to write a marker is put in, step by step, and what is asked of
//! the tree while a model writes is found beforehand.

use super::anchors::Anchors;
use super::{
    Begins, CompiledRule, Kid, Node, Opener, PatternStep, RuleSet, Table, Tag, Until, chars_into,
    each, is_param, is_tool,
};
use crate::dialect::spec::{
    At, AtEnd, Flags, Known, Of, Pattern, Piece, Place, Rule, Scope, Text, Trial, What,
};
use crate::machine::ids::PartNumber;
use crate::machine::keyword;
use crate::machine::outcome::{CALLS, SECTIONS};

/// How many ways there are to begin: the first nodes.
const BEGINS: usize = Begins::Word as usize + 1;

impl Table {
    /// `words`: what the options say of the texts. `bounds_count`: a marker that is too long breaks a call.
    pub fn new(rules: &[(Rule, PartNumber)], words: Words<'_>, bounds_count: bool) -> Table {
        let mut table = Table::default();
        for _ in 0..BEGINS {
            table.push(PatternStep::Lit(Box::default()));
        }
        for (number, (rule, part)) in rules.iter().enumerate() {
            let kind = opener_kind(rule, *part, rules);
            table.rules.push(CompiledRule { kind, ..CompiledRule::new(rule, *part) });
            table.add_condition(rule, number);
            table.in_code |= RuleSet::from(rule.needs.has(Flags::FENCED)) << number;
            table.in_string |= RuleSet::from(rule.needs.has(Flags::IN_STRING)) << number;
            table.find_word(number, rule);
            table.add(number, rule, words);
        }
        table.finish();
        table.anchors = Anchors::new(&table, bounds_count);
        table
    }

    fn add_condition(&mut self, rule: &Rule, number: usize) {
        let own = (rule.needs, rule.not);
        if own == (Flags::NONE, Flags::NONE) {
            return;
        }
        match self.conditions.iter_mut().find(|(needs, not, _)| (*needs, *not) == own) {
            Some((_, _, rules)) => *rules |= 1 << number,
            None => self.conditions.push((rule.needs, rule.not, 1 << number)),
        }
    }

    /// A marker that begins with a word is found by the text after the name. No rule leads through that.
    fn find_word(&mut self, number: usize, rule: &Rule) {
        if let [Piece::At(At::Word), _, Piece::Lit(text), ..] = &rule.mark[..] {
            let text = PatternStep::Lit((&**text).into());
            let node = self.insert(Begins::Byte as u16, &text, number, false);
            self.nodes[node as usize].after_word = true;
            self.nodes.iter_mut().for_each(|node| node.below &= !(1 << number));
        }
    }

    /// Adds the markers of a rule, each with all that may follow it.
    fn add(&mut self, number: usize, rule: &Rule, words: Words<'_>) {
        let (begins, read) = match rule.mark.first() {
            Some(Piece::At(At::LineStart)) => (Begins::Line, 1),
            Some(Piece::At(At::Start)) => (Begins::State, 1),
            Some(Piece::At(At::Quote)) => (Begins::Quote, 1),
            Some(Piece::At(At::Word)) => (Begins::Word, 1),
            _ => (Begins::Byte, 0),
        };
        self.note(begins as u16, number, false);
        let mark = ways(&rule.mark, words);
        let follow = rule.follow.iter().map(|element| ways(element, words)).collect();
        self.add_mark(begins as u16, read, &Added { number, rule, mark, follow });
    }

    /// Adds what comes of the marker after so many of its pieces.
    fn add_mark(&mut self, at: u16, read: usize, added: &Added<'_>) {
        let Some(ways) = added.mark.get(read) else { return self.add_follow(at, added) };
        let (number, fixed) = (added.number, added.rule.fixed as usize);
        let prefix = added.rule.at_end == AtEnd::Prefix;
        for steps in ways {
            let mut at = at;
            for step in steps {
                at = self.insert(at, step, number, prefix && read >= fixed);
                self.note_object(at, step, number);
            }
            let ends_fixed = !prefix && read + 1 == fixed;
            self.nodes[at as usize].openers |= RuleSet::from(ends_fixed) << number;
            self.add_mark(at, read + 1, added);
        }
    }

    /// Adds what may follow a marker that ends at this node.
    fn add_follow(&mut self, at: u16, added: &Added<'_>) {
        let Added { number, rule, ref follow, .. } = *added;
        let own =
            rule.action.what == What::Close(Scope::Value) && !rule.action.before && !rule.noise;
        let node = &mut self.nodes[at as usize];
        node.closers |= RuleSet::from(own) << number;
        node.accepts |= RuleSet::from(follow.is_empty()) << number;
        for element in follow {
            let follow = self.insert(at, &PatternStep::Follow, number, false);
            self.add_element(follow, element, number);
        }
    }

    /// Adds the rest of an element of a follow set.
    fn add_element(&mut self, at: u16, pieces: &[Ways], number: usize) {
        let [ways, rest @ ..] = pieces else {
            self.nodes[at as usize].accepts |= 1 << number;
            return;
        };
        for steps in ways {
            let mut at = at;
            for step in steps {
                at = self.insert(at, step, number, false);
                self.note_object(at, step, number);
            }
            self.add_element(at, rest, number);
        }
    }

    /// Notes the node of a bracket with which an object begins that is tried, or a list of them.
    fn note_object(&mut self, node: u16, step: &PatternStep, number: usize) {
        let bracket = matches!(step, PatternStep::Lit(text) if matches!(&**text, "{" | "["));
        let tries = self.rules[number].tries;
        self.nodes[node as usize].objects |= RuleSet::from(bracket && tries) << number;
    }

    /// The node of this step after `parent`: one that is there, or a new one.
    fn insert(&mut self, parent: u16, step: &PatternStep, rule: usize, enough: bool) -> u16 {
        let mut found = None;
        for (place, &Kid { node: kid, .. }) in self.nodes[parent as usize].kids.iter().enumerate() {
            match (&self.nodes[kid as usize].step, step) {
                (PatternStep::Lit(known), PatternStep::Lit(text)) => {
                    let same = common(known, text);
                    if same > 0 {
                        found = Some((place, kid, same, known.len()));
                        break;
                    }
                }
                (known, step) if known == step => {
                    found = Some((place, kid, 0, 0));
                    break;
                }
                _ => {}
            }
        }
        let Some((place, kid, same, len)) = found else {
            let node = self.push(step.clone());
            self.note(node, rule, enough);
            self.nodes[parent as usize].kids.push(Kid::new(node, step));
            return node;
        };
        let node = if same < len { self.split(parent, place, kid, same) } else { kid };
        self.note(node, rule, enough);
        match step {
            PatternStep::Lit(text) if same < text.len() => {
                let rest = PatternStep::Lit(text[same..].into());
                self.insert(node, &rest, rule, enough)
            }
            _ => node,
        }
    }

    fn push(&mut self, step: PatternStep) -> u16 {
        self.nodes.push(Node { step, ..Node::default() });
        (self.nodes.len() - 1) as u16
    }

    fn note(&mut self, node: u16, rule: usize, enough: bool) {
        let node = &mut self.nodes[node as usize];
        node.below |= 1 << rule;
        node.enough |= RuleSet::from(enough) << rule;
    }

    /// Splits a literal before its byte `at`: the first part takes its place, and it goes on after it.
    fn split(&mut self, parent: u16, place: usize, kid: u16, at: usize) -> u16 {
        let PatternStep::Lit(text) = self.nodes[kid as usize].step.clone() else { return kid };
        let first = self.push(PatternStep::Lit(text[..at].into()));
        let rest = PatternStep::Lit(text[at..].into());
        let after = Kid::new(kid, &rest);
        self.nodes[kid as usize].step = rest;
        let Node { below, enough, .. } = self.nodes[kid as usize];
        let node = &mut self.nodes[first as usize];
        (node.below, node.enough, node.kids) = (below, enough, vec![after]);
        self.nodes[parent as usize].kids[place].node = first;
        first
    }

    /// What is known once all rules are in.
    fn finish(&mut self) {
        for begins in 0..BEGINS {
            self.find_ends(begins);
        }
        let starts = |kid: &Kid| match &self.nodes[kid.node as usize].step {
            PatternStep::Lit(text) => text.as_bytes().first().copied(),
            _ => None,
        };
        self.first = self.kids(Begins::Byte).iter().filter_map(starts).collect();
        self.first.sort_unstable();
        self.first.dedup();
        let mut many = Box::new([false; 256]);
        self.first.iter().for_each(|byte| many[*byte as usize] = true);
        self.many = (self.first.len() > 2).then_some(many);
        self.find_line_only();
        self.find_second();
        let first = |kid: &Kid| {
            let mut first = [false; 256];
            self.first_bytes(kid.node, &mut first);
            first
        };
        self.line_first = self.kids(Begins::Line).iter().map(first).collect();
        let any = |byte: usize| self.line_first.iter().any(|first| first[byte]);
        self.line_firsts = (0..256).map(any).collect();
        for (kid, number) in self.nodes[Begins::Line as usize].kids.iter().zip(0..) {
            match &self.nodes[kid.node as usize].step {
                PatternStep::Keyword(words) => self.letters.get_or_insert_default().add(words),
                _ => self.other_lines.push(number),
            }
        }
        for node in 0..self.nodes.len() {
            let Node { accepts, openers, closers, objects, ref kids, ref step, .. } =
                self.nodes[node];
            let tag = match step {
                PatternStep::Lit(text) => Tag::of(text),
                _ => Tag::Goes,
            };
            let special =
                |kid: &Kid| matches!(self.nodes[kid.node as usize].step, PatternStep::Special(_));
            let decides = accepts | openers | closers | objects != 0 || kids.iter().any(special);
            let decides = decides || self.nodes[node].after_word;
            (self.nodes[node].tag, self.nodes[node].decides) = (tag, decides);
            self.nodes[node].find_ways();
        }
    }

    /// The rules whose follow set names the end of the stream at this node or after it; noted for each node.
    fn find_ends(&mut self, node: usize) -> RuleSet {
        let own = &self.nodes[node];
        let mut ends = if own.step == PatternStep::End { own.below } else { 0 };
        for place in 0..own.kids.len() {
            let kid = self.nodes[node].kids[place].node;
            ends |= self.find_ends(kid as usize);
        }
        self.nodes[node].ends = ends;
        ends
    }

    /// The bytes with which no marker begins that may count in the middle of a line.
    fn find_line_only(&mut self) {
        let here = Flags::LINE_START | Flags::BLOCK_START;
        let anywhere = |rule: usize| !self.rules[rule].needs.has_any(here);
        let (mut only, mut others) = (Box::new([false; 256]), [false; 256]);
        for kid in self.kids(Begins::Byte) {
            let node = &self.nodes[kid.node as usize];
            if let PatternStep::Lit(text) = &node.step {
                let line = !node.after_word && node.below != 0 && !each(node.below).any(anywhere);
                let of = if line { &mut *only } else { &mut others };
                of[text.as_bytes()[0] as usize] = true;
            }
        }
        only.iter_mut().zip(others).for_each(|(only, other)| *only &= !other);
        self.line_only = only.contains(&true).then_some(only);
    }

    fn find_second(&mut self) {
        let mut second = Box::new([false; 256]);
        let (mut tools, mut params) = (false, false);
        for kid in self.kids(Begins::Byte) {
            let node = &self.nodes[kid.node as usize];
            let PatternStep::Lit(text) = &node.step else { return };
            match text.as_bytes() {
                [_, byte, ..] => second[*byte as usize] = true,
                _ => {
                    if node.accepts | node.openers != 0 || node.after_word {
                        return;
                    }
                    for kid in &node.kids {
                        match &self.nodes[kid.node as usize].step {
                            PatternStep::Lit(text) => second[text.as_bytes()[0] as usize] = true,
                            PatternStep::Name(name) if is_tool(name) => tools = true,
                            PatternStep::Name(name) if is_param(name) => params = true,
                            PatternStep::Name(name) if name.quoted.is_none() => {
                                chars_into(name.chars, &mut *second);
                            }
                            _ => return,
                        }
                    }
                }
            }
        }
        if !self.first.is_empty() {
            self.second = Some(second);
            (self.tool_second, self.param_second) = (tools, params);
        }
    }

    /// The bytes that this step and, if it may be nothing, those after it can begin with.
    fn first_bytes(&self, node: u16, first: &mut [bool]) {
        let node = &self.nodes[node as usize];
        let may_be_nothing = match &node.step {
            PatternStep::Lit(text) => {
                first[text.as_bytes()[0] as usize] = true;
                false
            }
            PatternStep::Run { run, .. } => {
                chars_into(run.chars, first);
                run.min == 0
            }
            PatternStep::Name(name) => {
                chars_into(name.chars, first);
                false
            }
            PatternStep::Keyword(words) => {
                keyword::first_bytes(words, first);
                false
            }
            _ => {
                first.fill(true);
                false
            }
        };
        if may_be_nothing {
            node.kids.iter().for_each(|kid| self.first_bytes(kid.node, first));
        }
    }
}

/// What the options say of the texts of a table.
#[derive(Clone, Copy)]
pub(crate) struct Words<'a> {
    /// The words of each keyword.
    pub keywords: &'a [Vec<Box<[Box<str>]>>],
    /// The texts that count only as special tokens.
    pub special: &'a [Box<str>],
}

/// The kind of an opener or of a closer in text, where the dialect has closers of both kinds there: a
/// rejected opener is paid for by a closer of its own kind.
fn opener_kind(rule: &Rule, part: PartNumber, rules: &[(Rule, PartNumber)]) -> u8 {
    let of_section = |scope: Scope| matches!(scope, Scope::Section);
    let orphans = rules.iter().filter(|(_, of)| *of == part).filter_map(|(rule, _)| orphan(rule));
    let (sections, calls): (Vec<Scope>, Vec<Scope>) = orphans.partition(|scope| of_section(*scope));
    let is_section = match rule.action.what {
        // A call without a section is read in one all the same, from its own opener on.
        What::Open(Place::Section(_)) => !rule.action.before,
        // A wrapper in which nothing but calls stands.
        What::Mark => rule.fixed > 0,
        _ => orphan(rule).is_some_and(of_section),
    };
    if is_section && !sections.is_empty() && !calls.is_empty() { SECTIONS } else { CALLS }
}

fn orphan(rule: &Rule) -> Option<Scope> {
    match rule.action.what {
        What::Orphan(Scope::Value | Scope::Prose) => None,
        What::Orphan(scope) => Some(scope),
        _ => None,
    }
}

impl CompiledRule {
    fn new(rule: &Rule, part: PartNumber) -> CompiledRule {
        let Rule { needs, at_end, noise, .. } = *rule;
        let (action, has_follow) = (rule.action, !rule.follow.is_empty());
        let opens = match action.what {
            What::Open(Place::Section(_) | Place::Call(_) | Place::Body(_)) => true,
            What::Mark => has_follow,
            _ => false,
        };
        let tool = |piece: &Piece| matches!(piece, Piece::Name(name) if name.of == Of::Tool && name.known == Known::Declared);
        let by_keys = |piece: &Piece| *piece == Piece::Object(Trial::Keys);
        let declared = |piece: &Piece| tool(piece) || matches!(piece, Piece::Tool(_));
        let needs_tool =
            rule.mark.iter().any(declared) || rule.follow.iter().flatten().any(by_keys);
        let name = |piece: &Piece| matches!(piece, Piece::Name(name) if matches!(name.of, Of::Tool | Of::ToolId));
        let names_tool = rule.mark.iter().any(name);
        let opener = (opens && !noise).then_some(Opener { needs_tool, names_tool });
        let entities =
            rule.mark.iter().any(|piece| matches!(piece, Piece::Name(name) if name.entities));
        let tries = rule.follow.iter().flatten().any(|piece| matches!(piece, Piece::Object(_)));
        CompiledRule {
            needs,
            at_end,
            noise,
            action,
            part,
            entities,
            opener,
            tries,
            rejectable: rule.fixed > 0,
            kind: CALLS,
        }
    }
}

/// A rule that is added, with the ways to write its marker and each element of its follow set.
struct Added<'r> {
    number: usize,
    rule: &'r Rule,
    mark: Vec<Ways>,
    follow: Vec<Vec<Ways>>,
}

/// The steps of a piece, for each of its alternatives.
type Ways = Vec<Vec<PatternStep>>;

/// Those of each piece of a pattern.
fn ways(pattern: &Pattern, words: Words<'_>) -> Vec<Ways> {
    let opens = |piece: &Piece| match piece {
        Piece::Lit(text) => text.starts_with('<'),
        Piece::Any(texts) => texts.iter().all(|text| text.starts_with('<')),
        _ => false,
    };
    let within = |at: usize| pattern.get(at + 1).is_some_and(|next| !opens(next));
    let pieces = pattern.iter().enumerate();
    pieces.map(|(at, piece)| ways_of(piece, within(at), words)).collect()
}

fn ways_of(piece: &Piece, within: bool, words: Words<'_>) -> Ways {
    vec![vec![match piece {
        Piece::Lit(text) => return vec![literal(text, words.special)],
        Piece::Any(texts) => {
            return texts.iter().map(|text| literal(text, words.special)).collect();
        }
        Piece::Run(run) => PatternStep::Run { run: run.clone(), within },
        Piece::Until { to, unless, words: before, within } => {
            let texts = |texts: &[Text]| texts.iter().map(|text| (&**text).into()).collect();
            let mut ends = [false; 256];
            for text in unless.iter().chain([to]) {
                match text.as_bytes().last() {
                    Some(&byte @ 0..0x80) => ends[byte as usize] = true,
                    _ => ends[0x80..].fill(true),
                }
            }
            let sooner = |len: usize| (1..len).contains(&usize::from(*within));
            // A text that may be a special token bars nothing where it stands as text.
            let token = |bar: &Text| words.special.iter().any(|token| bar.ends_with(&**token));
            let bar = |bar: &Text| !bar.contains(&**to) && !sooner(bar.len()) && !token(bar);
            let bars = unless.iter().all(bar);
            let word = |text: &Text| text.strip_suffix('…').unwrap_or(text).into();
            let words: Box<[Box<str>]> = before.iter().map(word).collect();
            let is_open = |(bit, text): (usize, &Text)| u16::from(text.ends_with('…')) << bit;
            let open = before.iter().enumerate().map(is_open).sum();
            let (to, unless, within) = ((&**to).into(), texts(unless), *within);
            PatternStep::Until(Box::new(Until { to, unless, words, open, within, bars, ends }))
        }
        Piece::Near(text) => PatternStep::Near((&**text).into()),
        Piece::Name(name) => PatternStep::Name(name.clone()),
        Piece::Ref(of) => PatternStep::Ref(*of),
        Piece::At(At::LineStart | At::Start | At::Quote | At::Word) => PatternStep::LineStart,
        Piece::At(At::LineEnd) => PatternStep::LineEnd,
        Piece::At(At::End) => PatternStep::End,
        Piece::Keyword(number) => {
            let words = words.keywords[*number as usize].iter().cloned();
            return words.map(|words| vec![PatternStep::Keyword(words)]).collect();
        }
        Piece::ToolLine(line) => PatternStep::ToolLine(*line),
        Piece::NotNext(chars) => PatternStep::NotNext(*chars),
        Piece::Tool(names) => {
            PatternStep::Tool(names.iter().map(|name| (&**name).into()).collect())
        }
        Piece::Object(trial) => PatternStep::Object(*trial),
    }]]
}

/// A text, with a look back after each special token in it.
fn literal(text: &str, special: &[Box<str>]) -> Vec<PatternStep> {
    let (mut steps, mut from) = (Vec::new(), 0);
    for at in 1..=text.len() {
        let ends = |token: &&str| {
            text[from..].is_char_boundary(at - from) && text[from..at].ends_with(*token)
        };
        let special = special.iter().map(|token| &**token);
        if let Some(token) = special.filter(ends).max_by_key(|token| token.len()) {
            steps.extend([
                PatternStep::Lit(text[from..at].into()),
                PatternStep::Special(token.len() as u16),
            ]);
            from = at;
        }
    }
    if from < text.len() {
        steps.push(PatternStep::Lit(text[from..].into()));
    }
    steps
}

/// How many bytes two texts begin with alike, up to a character's end.
fn common(one: &str, other: &str) -> usize {
    let same = one.chars().zip(other.chars()).take_while(|(one, other)| one == other);
    same.map(|(c, _)| c.len_utf8()).sum()
}
