//! The rules of a state, compiled: a tree of the steps that its markers and follow sets take.
//!
//! Rules that begin alike share their steps, literals up to the byte in which they differ, so a
//! character is looked at once for all of them. A rule is known by its number in the table, and the
//! rules that lead through a node are a set of bits: the rule that comes first wins.

use crate::dialect::spec::{
    Action, At, AtEnd, Chars, Flags, Known, Name, Of, Pattern, Piece, Place, Ref, Rule, Run, Scope,
    Text, ToolLine, Trial, What,
};
use crate::machine::anchors::{Anchors, ByteSet};
use crate::machine::call::OpenCall;
use crate::machine::keyword;
use crate::machine::names::Names;
use crate::machine::tables::Tools;

/// A set of rules, by their numbers.
pub(crate) type RuleSet = u128;

/// The most rules of one state: a bit each.
pub(crate) const RULES: usize = RuleSet::BITS as usize;

/// A parser reads one dialect or two: which one a rule, a section or a call belongs to.
pub(crate) type PartNumber = u8;

/// What counts in one state of the machine.
#[derive(Clone, Debug, Default)]
pub(crate) struct Table {
    pub rules: Vec<CompiledRule>,
    /// The first four are where markers begin ([`Begins`]): empty literals.
    pub nodes: Vec<Node>,
    /// The conditions that rules have, what they need and what may not hold, and whose they are.
    conditions: Vec<(Flags, Flags, RuleSet)>,
    /// The rules that count in Markdown code, too.
    in_code: RuleSet,
    /// The rules that count in strings.
    in_string: RuleSet,
    /// The bytes that a marker can begin with.
    pub first: Vec<u8>,
    /// The bytes that can come second, if all markers begin with the same one.
    second: Option<Box<[bool; 256]>>,
    /// The first letters of tools can come second, too.
    tool_second: bool,
    /// And those of the parameters of the open call.
    param_second: bool,
    /// For each of the markers that begin a line: the bytes that it may begin with.
    line_first: Box<[[bool; 256]]>,
    /// Those that any of them may begin with.
    line_firsts: Box<[bool]>,
    /// Where a long text is searched for something rarer than the first bytes of the markers.
    pub anchors: Option<Anchors>,
}

/// Where a marker may begin: with a literal, at the start of a line, at that of the state, after a quote.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Begins {
    #[default]
    Byte = 0,
    Line = 1,
    State = 2,
    Quote = 3,
}

/// A rule, without its patterns.
#[derive(Clone, Debug)]
pub(crate) struct CompiledRule {
    pub needs: Flags,
    pub at_end: AtEnd,
    pub noise: bool,
    pub action: Action,
    pub part: PartNumber,
    /// The entities in its names are decoded.
    pub entities: bool,
    /// It opens a call or a section, and can count with the tools that are declared only if one is.
    pub opener: Option<Opener>,
    /// An object follows it that may be no call.
    pub tries: bool,
    /// It makes a rejected opener.
    pub rejectable: bool,
}

/// Half of it at the end of the stream is a `cut_opener`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Opener {
    pub needs_tool: bool,
    pub names_tool: bool,
}

/// One step of a marker or of what follows it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Node {
    pub step: PatternStep,
    pub kids: Vec<Kid>,
    /// The rules that come true where the step is whole.
    pub accepts: RuleSet,
    /// The rules that lead through it.
    pub below: RuleSet,
    /// The rules of which it ends the part that makes a rejected opener.
    pub openers: RuleSet,
    /// The rules of which it ends the marker, if that is a value's own closer.
    pub closers: RuleSet,
    /// The rules for which it begins what is tried: the brace of an object, or the bracket before that.
    pub objects: RuleSet,
    /// The rules in whose follow set the end of the stream stands, here or further on.
    pub ends: RuleSet,
    /// The rules of which enough has been read for the end of the stream.
    pub enough: RuleSet,
    /// Something is decided as soon as the step is whole.
    pub decides: bool,
    /// A tag may begin or end in it.
    pub tag: bool,
}

/// A step that may follow.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kid {
    pub node: u16,
    begins: Beginnings,
    /// It is the name of a tool, which is told by what the tools' names begin with.
    pub names_tool: bool,
    /// It is the name of a parameter of the open call.
    pub names_param: bool,
    /// What it begins with depends on other names of the call and the tools.
    pub asks: bool,
}

/// The ASCII characters that a step may begin with, or pass on: a bit for each. The last word is for
/// those that are not known or beyond ASCII.
pub(crate) type Beginnings = [u64; 3];

/// The same of texts.
pub(crate) fn beginnings<'t>(texts: impl Iterator<Item = &'t str>) -> Beginnings {
    let mut begins = [0, 0, 1];
    for text in texts {
        let Next(word, bit) = Next::new(text.bytes().next());
        begins[word] |= bit;
    }
    begins
}

/// What is known of the next character: a word and a bit of [`Beginnings`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Next(usize, u64);

impl Next {
    #[inline]
    pub fn new(byte: Option<u8>) -> Next {
        match byte {
            Some(byte @ 0..0x80) => Next(usize::from(byte >> 6), 1 << (byte & 63)),
            _ => Next(2, 1),
        }
    }

    #[inline]
    pub fn is_in(self, begins: &Beginnings) -> bool {
        begins[self.0] & self.1 != 0
    }
}

/// What a [`Piece`] asks of the next characters.
// A byte says which: it is asked more than once for each step.
#[repr(u8)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum PatternStep {
    Lit(Box<str>),
    /// White space `within` a tag has the bound of the tag.
    Run {
        run: Run,
        within: bool,
    },
    Until(Box<Until>),
    Name(Name),
    Ref(Ref),
    /// A line begins here.
    LineStart,
    LineEnd,
    End,
    /// The words of a keyword, in lower case.
    Keyword(Box<[Box<str>]>),
    ToolLine(ToolLine),
    NotNext(Chars),
    Tool(Box<[Box<str>]>),
    Object(Trial),
    /// The literal that has just been read, or so many bytes at its end, came as a special token.
    Special(u16),
    /// The marker is whole: white space, and then what follows it.
    #[default]
    Follow,
}

/// Anything up to a text: `Piece::Until`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Until {
    pub to: Box<str>,
    pub unless: Box<[Box<str>]>,
    /// Those that may stand before it, where not anything may.
    pub words: Box<[Box<str>]>,
    /// It fits after so many bytes, too, if not 0.
    pub within: u16,
}

impl Until {
    /// The ASCII characters that it may begin with.
    fn begins(&self) -> u128 {
        let texts = self.words.iter().chain([&self.to]);
        let first = texts.map(|text| text.as_bytes()[0]).filter(u8::is_ascii);
        match self.words.is_empty() {
            true => u128::MAX,
            false => first.fold(Chars::WHITE.ascii(), |all, byte| all | 1 << byte),
        }
    }
}

impl Kid {
    fn new(node: u16, step: &PatternStep) -> Kid {
        let names_tool = matches!(step, PatternStep::Name(name) if is_tool(name) && !name.glued);
        let names_param = matches!(step, PatternStep::Name(name) if is_param(name));
        let asks = match step {
            _ if names_tool => false,
            PatternStep::Name(name) => !matches!(name.known, Known::Any | Known::Undeclared),
            step => {
                let refs = matches!(step, PatternStep::Ref(of) if !matches!(of, Ref::Marker | Ref::Element));
                refs || matches!(step, PatternStep::Special(_))
            }
        };
        let chars = step.begins();
        Kid { node, begins: [chars as u64, (chars >> 64) as u64, 1], names_tool, names_param, asks }
    }

    /// Whether it may begin with the next character, by the names of the tools; whatever other names are.
    #[inline]
    pub fn may_begin(&self, next: Next, tools: &Tools) -> bool {
        next.is_in(&self.begins) && (!self.names_tool || tools.names.may_begin(next))
    }
}

impl PatternStep {
    /// The ASCII characters that it may begin with, or pass on.
    fn begins(&self) -> u128 {
        match self {
            PatternStep::Lit(text) if text.as_bytes()[0].is_ascii() => 1 << text.as_bytes()[0],
            PatternStep::Run { run, .. } if run.min > 0 => run.chars.ascii(),
            PatternStep::Until(until) => until.begins(),
            PatternStep::Name(name) => match name.known {
                Known::Any | Known::Undeclared if !name.optional && name.quoted.is_none() => {
                    name.chars.ascii()
                }
                _ => u128::MAX,
            },
            _ => u128::MAX,
        }
    }
}

/// The rules of a set, in order.
pub(crate) fn each(mut set: RuleSet) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let next = (set != 0).then(|| set.trailing_zeros() as usize)?;
        set &= set - 1;
        Some(next)
    })
}

/// The rules before this one.
pub(crate) fn before(rule: usize) -> RuleSet {
    (1 << rule) - 1
}

impl Table {
    /// `words`: what the options say of the texts. `bounds_count`: a marker that is too long breaks a call.
    pub fn new(rules: &[(Rule, PartNumber)], words: Words<'_>, bounds_count: bool) -> Table {
        let mut table = Table::default();
        for _ in [Begins::Byte, Begins::Line, Begins::State, Begins::Quote] {
            table.push(PatternStep::Lit(Box::default()));
        }
        for (number, (rule, part)) in rules.iter().enumerate() {
            table.rules.push(CompiledRule::new(rule, *part));
            table.add_condition(rule, number);
            table.in_code |= RuleSet::from(rule.needs.has(Flags::FENCED)) << number;
            table.in_string |= RuleSet::from(rule.needs.has(Flags::IN_STRING)) << number;
            for mark in steps(&rule.mark, words) {
                table.add(number, rule, &mark, words);
            }
        }
        table.finish();
        table.anchors = Anchors::new(&table, bounds_count);
        table
    }

    /// The rules that count where this holds.
    pub fn counting(&self, here: Flags) -> RuleSet {
        let mut counts = match self.rules.len() {
            RULES => RuleSet::MAX,
            some => before(some),
        };
        if here.has(Flags::QUOTED) {
            counts &= self.in_code;
        }
        if here.has(Flags::IN_STRING) {
            counts &= self.in_string;
        }
        for (needs, not, rules) in &self.conditions {
            if !here.has(*needs) || here.has_any(*not) {
                counts &= !rules;
            }
        }
        counts
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

    pub fn kids(&self, begins: Begins) -> &[Kid] {
        &self.nodes[begins as usize].kids
    }

    pub fn begins_at(&self, begins: Begins) -> bool {
        self.nodes[begins as usize].below != 0
    }

    /// Whether a marker can stand in a line that begins like this.
    #[inline]
    pub fn line_counts(&self, line: &[u8]) -> bool {
        if self.accepts_lines() {
            return true;
        }
        let Some(&byte) = line.first() else { return !self.line_first.is_empty() };
        let mut kids = self.line_first.iter().enumerate();
        self.line_firsts.get(byte as usize) == Some(&true)
            && kids.any(|(kid, first)| first[byte as usize] && self.may_begin_line(kid, line))
    }

    /// The same of the one marker, or those that begin alike, of this number among the kids.
    pub fn may_begin_line(&self, kid: usize, line: &[u8]) -> bool {
        let Some(&byte) = line.first() else { return true };
        let kid_node = || &self.nodes[self.kids(Begins::Line)[kid].node as usize];
        self.line_first[kid][byte as usize]
            && match &kid_node().step {
                PatternStep::Keyword(words) if byte.is_ascii_alphabetic() => {
                    keyword::may_begin(words, line)
                }
                _ => true,
            }
    }

    /// The steps that markers begin with.
    pub fn after(&self, begins: Begins) -> impl Iterator<Item = &Node> {
        self.kids(begins).iter().map(|kid| &self.nodes[kid.node as usize])
    }

    /// Whether the start of a line is all that a rule asks for.
    pub fn accepts_lines(&self) -> bool {
        self.nodes[Begins::Line as usize].accepts != 0
    }

    /// Whether no rule that leads through a node is missed if it is too long.
    pub fn is_noise(&self, node: &Node) -> bool {
        each(node.below).all(|rule| self.rules[rule].noise)
    }

    /// How far the next byte is at which a marker can begin.
    #[inline]
    pub fn find(&self, text: &[u8], call: &OpenCall, tools: &Tools) -> Option<usize> {
        let counts = |at: &usize| !self.rules_out(&text[*at..], call, tools);
        match *self.first.as_slice() {
            [] => None,
            [first] => match &self.second {
                None => memchr::memchr_iter(first, text).find(counts),
                Some(second) => {
                    let params = tools.params(call.tool);
                    let tools = if self.tool_second { &tools.first } else { second };
                    let param = |byte| self.param_second && is_first(byte, params);
                    let may_be =
                        |byte: &u8| second[*byte as usize] || tools[*byte as usize] || param(*byte);
                    let begins = |at: &usize| text.get(at + 1).is_none_or(may_be);
                    memchr::memchr_iter(first, text).find(|at| begins(at) && counts(at))
                }
            },
            // For a few bytes a loop is faster than a call.
            [a, b] if text.len() < 16 => {
                (0..text.len()).find(|at| (text[*at] == a || text[*at] == b) && counts(at))
            }
            [a, b] => memchr::memchr2_iter(a, b, text).find(counts),
            [a, b, c] => memchr::memchr3_iter(a, b, c, text).find(counts),
            _ => (0..text.len()).find(|at| self.first.contains(&text[*at]) && counts(at)),
        }
    }

    /// Adds a marker of the rule, with all that may follow it.
    fn add(&mut self, number: usize, rule: &Rule, mark: &[(PatternStep, usize)], words: Words<'_>) {
        let (begins, mark) = match (rule.mark.first(), mark) {
            (Some(Piece::At(At::LineStart)), [_, rest @ ..]) => (Begins::Line, rest),
            (Some(Piece::At(At::Start)), [_, rest @ ..]) => (Begins::State, rest),
            (Some(Piece::At(At::Quote)), [_, rest @ ..]) => (Begins::Quote, rest),
            _ => (Begins::Byte, mark),
        };
        let rejectable = rule.at_end != AtEnd::Prefix && rule.fixed > 0;
        let mut at = begins as u16;
        self.note(at, number, false);
        for (place, (step, piece)) in mark.iter().enumerate() {
            let enough = rule.at_end == AtEnd::Prefix && *piece >= rule.fixed as usize;
            at = self.insert(at, step, number, enough);
            let last = mark.get(place + 1).is_none_or(|(_, next)| next != piece);
            let ends_fixed = rejectable && last && *piece + 1 == rule.fixed as usize;
            self.nodes[at as usize].openers |= RuleSet::from(ends_fixed) << number;
            self.note_object(at, step, number);
        }
        let own =
            rule.action.what == What::Close(Scope::Value) && !rule.action.before && !rule.noise;
        let node = &mut self.nodes[at as usize];
        node.closers |= RuleSet::from(own) << number;
        node.accepts |= RuleSet::from(rule.follow.is_empty()) << number;
        for element in &rule.follow {
            let follow = self.insert(at, &PatternStep::Follow, number, false);
            for element in steps(element, words) {
                let mut at = follow;
                for (step, _) in &element {
                    at = self.insert(at, step, number, false);
                    self.note_object(at, step, number);
                }
                self.nodes[at as usize].accepts |= 1 << number;
            }
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
        for node in (0..self.nodes.len()).rev() {
            self.nodes[node].ends = self.ends(node);
        }
        let starts = |kid: &Kid| match &self.nodes[kid.node as usize].step {
            PatternStep::Lit(text) => text.as_bytes().first().copied(),
            _ => None,
        };
        self.first = self.kids(Begins::Byte).iter().filter_map(starts).collect();
        self.first.sort_unstable();
        self.first.dedup();
        self.find_second();
        let first = |kid: &Kid| {
            let mut first = [false; 256];
            self.first_bytes(kid.node, &mut first);
            first
        };
        self.line_first = self.kids(Begins::Line).iter().map(first).collect();
        let any = |byte: usize| self.line_first.iter().any(|first| first[byte]);
        self.line_firsts = (0..256).map(any).collect();
        for node in 0..self.nodes.len() {
            let Node { accepts, openers, closers, objects, ref kids, ref step, .. } =
                self.nodes[node];
            let tag = !matches!(step, PatternStep::Lit(text) if !text.contains(['<', '>']));
            let special =
                |kid: &Kid| matches!(self.nodes[kid.node as usize].step, PatternStep::Special(_));
            let decides = accepts | openers | closers | objects != 0 || kids.iter().any(special);
            (self.nodes[node].tag, self.nodes[node].decides) = (tag, decides);
        }
    }

    /// The rules whose follow set names the end of the stream at this node or after it.
    fn ends(&self, node: usize) -> RuleSet {
        let node = &self.nodes[node];
        let own = if node.step == PatternStep::End { node.below } else { 0 };
        node.kids.iter().fold(own, |ends, kid| ends | self.ends(kid.node as usize))
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
                    if node.accepts | node.openers != 0 {
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
        if self.first.len() == 1 {
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

/// The name of a declared tool, without quotes.
fn is_tool(name: &Name) -> bool {
    let plain = name.quoted.is_none() && !name.entities && !name.optional;
    name.of == Of::Tool && name.known == Known::Declared && plain
}

/// Whether a name begins with this byte.
// Out of line: it is asked in values alone.
#[inline(never)]
fn is_first(byte: u8, names: &Names) -> bool {
    names.may_begin(Next::new(Some(byte)))
}

/// The name of a parameter of the open call, likewise.
fn is_param(name: &Name) -> bool {
    let plain = name.quoted.is_none() && name.prefix.is_empty() && !name.optional;
    name.of == Of::Param && matches!(name.known, Known::Declared | Known::Fresh) && plain
}

/// What the options say of the texts of a table.
#[derive(Clone, Copy)]
pub(crate) struct Words<'a> {
    /// The words of each keyword.
    pub keywords: &'a [Vec<Box<[Box<str>]>>],
    /// The texts that count only as special tokens.
    pub special: &'a [Box<str>],
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
        }
    }
}

/// The steps of a pattern, each with the number of its piece: one list for each way that its
/// alternatives can be chosen.
fn steps(pattern: &Pattern, words: Words<'_>) -> Vec<Vec<(PatternStep, usize)>> {
    let mut lists: Vec<Vec<(PatternStep, usize)>> = vec![Vec::new()];
    for (number, piece) in pattern.iter().enumerate() {
        let opens = |piece: &Piece| match piece {
            Piece::Lit(text) => text.starts_with('<'),
            Piece::Any(texts) => texts.iter().all(|text| text.starts_with('<')),
            _ => false,
        };
        let within = pattern.get(number + 1).is_some_and(|next| !opens(next));
        let ways = ways(piece, within, words);
        let with = |list: Vec<(PatternStep, usize)>| {
            let with = |steps: &Vec<PatternStep>| {
                let steps = steps.iter().map(|step| (step.clone(), number));
                list.iter().cloned().chain(steps).collect()
            };
            ways.iter().map(with).collect::<Vec<_>>()
        };
        lists = lists.into_iter().flat_map(with).collect();
    }
    lists
}

/// The steps of a piece, for each of its alternatives.
fn ways(piece: &Piece, within: bool, words: Words<'_>) -> Vec<Vec<PatternStep>> {
    vec![vec![match piece {
        Piece::Lit(text) => return vec![literal(text, words.special)],
        Piece::Any(texts) => {
            return texts.iter().map(|text| literal(text, words.special)).collect();
        }
        Piece::Run(run) => PatternStep::Run { run: run.clone(), within },
        Piece::Until { to, unless, words, within } => {
            let texts = |texts: &[Text]| texts.iter().map(|text| (&**text).into()).collect();
            let (unless, words) = (texts(unless), texts(words));
            PatternStep::Until(Box::new(Until {
                to: (&**to).into(),
                unless,
                words,
                within: *within,
            }))
        }
        Piece::Name(name) => PatternStep::Name(name.clone()),
        Piece::Ref(of) => PatternStep::Ref(*of),
        Piece::At(At::LineStart | At::Start | At::Quote) => PatternStep::LineStart,
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

/// How many bytes two texts begin with alike. Most texts of a marker are so short that a loop is faster
/// than a call.
#[inline]
pub(super) fn same_bytes(one: &[u8], other: &[u8]) -> usize {
    one.iter().zip(other).take_while(|(one, other)| one == other).count()
}

/// How many bytes two texts begin with alike, up to a character's end.
fn common(one: &str, other: &str) -> usize {
    let same = one.chars().zip(other.chars()).take_while(|(one, other)| one == other);
    same.map(|(c, _)| c.len_utf8()).sum()
}

/// The bytes of the characters of a class, and perhaps of others beyond ASCII.
pub(super) fn bytes_of(chars: Chars) -> ByteSet {
    let mut bytes = [false; 256];
    chars_into(chars, &mut bytes);
    bytes
}

/// Adds the bytes that a character of the class can begin with.
fn chars_into(chars: Chars, bytes: &mut [bool]) {
    for byte in 0..=u8::MAX {
        bytes[byte as usize] |= match byte {
            0..0x80 => chars.has(char::from(byte)),
            // Beyond ASCII the class is asked when the whole character is there.
            _ => chars.has('é') || chars.has('…'),
        };
    }
}
