//! The rules of a state, compiled: a tree of the steps that its markers and follow sets take.
//!
//! Rules that begin alike share their steps, literals up to the byte in which they differ, so a
//! character is looked at once for all of them. A rule is known by its number in the table, and the
//! rules that lead through a node are a set of bits: the rule that comes first wins.

pub(super) mod anchors;
mod compile;

use crate::dialect::spec::{
    Action, AtEnd, Chars, Flags, Known, Name, Of, Ref, Run, ToolLine, Trial,
};
use crate::machine::call::OpenCall;
use crate::machine::first_bytes::{Beginnings, Next};
use crate::machine::ids::PartNumber;
use crate::machine::keyword;
use crate::machine::names::Names;
use crate::machine::tools::Tools;
use anchors::{Anchors, ByteSet};

pub(crate) use compile::Words;

/// A set of rules, by their numbers.
pub(crate) type RuleSet = u128;

/// The most rules of one state: a bit each.
pub(crate) const RULES: usize = RuleSet::BITS as usize;

/// What counts in one state of the machine.
#[derive(Clone, Debug, Default)]
pub(crate) struct Table {
    /// Which of the tables of its grammar it is.
    pub number: usize,
    pub rules: Vec<CompiledRule>,
    /// The first five are where markers begin ([`Begins`]): empty literals.
    pub nodes: Vec<Node>,
    /// The conditions that rules have, what they need and what may not hold, and whose they are.
    conditions: Vec<(Flags, Flags, RuleSet)>,
    /// The rules that count in Markdown code, too.
    in_code: RuleSet,
    /// The rules that count in strings.
    in_string: RuleSet,
    /// The bytes that a marker can begin with.
    pub first: Vec<u8>,
    /// The same, by byte, where they are more than two.
    pub many: Option<Box<ByteSet>>,
    /// The bytes that can come second, where each marker has two that are known.
    second: Option<Box<[bool; 256]>>,
    /// Those that begin markers which count at the start of a line or a block alone, if there are some.
    line_only: Option<Box<ByteSet>>,
    /// The first letters of tools can come second, too.
    tool_second: bool,
    /// And those of the parameters of the open call.
    param_second: bool,
    /// For each of the markers that begin a line: the bytes that it may begin with.
    line_first: Box<[[bool; 256]]>,
    /// Those that any of them may begin with.
    line_firsts: Box<[bool]>,
    /// Those of these markers that begin with no keyword.
    other_lines: Vec<u16>,
    /// Those that a keyword may begin with, after what may stand before it.
    letters: Option<Box<keyword::Letters>>,
    /// Where a long text is searched for something rarer than the first bytes of the markers.
    pub anchors: Option<Anchors>,
}

/// Where a marker may begin: with a literal, at the start of a line, at that of the state, after a quote,
/// with a word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Begins {
    #[default]
    Byte = 0,
    Line = 1,
    State = 2,
    Quote = 3,
    Word = 4,
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
    /// [`CALLS`](super::outcome::CALLS) or [`SECTIONS`](super::outcome::SECTIONS): what it opens or, in text,
    /// closes.
    pub kind: u8,
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
    /// A name may stand before it with which a marker begins: the text that finds that.
    pub after_word: bool,
    /// Something is decided as soon as the step is whole.
    pub decides: bool,
    /// What a literal makes of the tag that is open.
    pub tag: Tag,
    /// The kid that goes on with each ASCII character, by its place, where there are several; else
    /// [`NONE`] or [`SEVERAL`].
    ways: Option<Box<[u8; ASCII]>>,
}

/// What comes of a tag in a literal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Tag {
    /// It is as it was.
    #[default]
    Goes,
    /// Another one begins after so many bytes.
    Begins(u16),
    Ends,
}

/// How many ASCII characters there are.
const ASCII: usize = 0x80;
/// No kid goes on with a character; or more than one does.
const NONE: u8 = u8::MAX;
const SEVERAL: u8 = u8::MAX - 1;

/// The kids of a node that may go on with the next character.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Way<'t> {
    One(&'t Kid),
    /// Any of them.
    Some(&'t [Kid]),
}

impl Tag {
    /// The last one in this text.
    pub fn of(text: &str) -> Tag {
        match text.rfind(['<', '>']) {
            None => Tag::Goes,
            Some(at) if text.as_bytes()[at] == b'<' => Tag::Begins(at as u16),
            Some(_) => Tag::Ends,
        }
    }
}

impl Node {
    /// The kids that may go on with the next character, as far as their own texts say.
    #[inline(always)]
    pub fn way(&self, next: Option<u8>) -> Way<'_> {
        match (&self.ways, next) {
            (Some(ways), Some(byte @ 0..0x80)) => match ways[byte as usize] {
                NONE => Way::Some(&[]),
                SEVERAL => Way::Some(&self.kids),
                place => Way::One(&self.kids[place as usize]),
            },
            _ => Way::Some(&self.kids),
        }
    }

    /// Finds the ways, once all kids are known.
    fn find_ways(&mut self) {
        if self.kids.len() < 2 {
            return;
        }
        let mut ways = Box::new([NONE; ASCII]);
        for (kid, place) in self.kids.iter().zip(0..SEVERAL) {
            for byte in 0..ASCII {
                if Next::new(Some(byte as u8)).is_in(&kid.begins) {
                    ways[byte] = if ways[byte] == NONE { place } else { SEVERAL };
                }
            }
        }
        self.ways = (self.kids.len() < SEVERAL as usize).then_some(ways);
    }
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
    /// This text with one character wrong.
    Near(Box<str>),
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
    /// A bit for each of those that goes on with anything up to the character that it begins with.
    pub open: u16,
    /// It fits after so many bytes, too, if not 0.
    pub within: u16,
    /// None of the texts that it may not have is decided before its end.
    pub bars: bool,
    /// The bytes with which one of the texts may end, and all beyond ASCII if one ends with such a one.
    pub ends: ByteSet,
}

impl Until {
    /// Any other bytes are read in one go, up to the most that it may have. Not where what may stand there is
    /// words, or so many bytes are enough.
    pub fn run(&self, bytes: &[u8]) -> usize {
        if !self.words.is_empty() || self.within > 0 {
            return 0;
        }
        bytes.iter().position(|byte| self.ends[*byte as usize]).unwrap_or(bytes.len())
    }

    /// Whether one of the texts that it may not have stands at its start, and that decides.
    pub fn is_barred(&self, text: &[u8]) -> bool {
        self.bars && self.unless.iter().any(|bar| text.starts_with(bar.as_bytes()))
    }

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
            // What is looked up among names that are declared may have any characters.
            PatternStep::Name(name) if !name.optional && name.quoted.is_none() => {
                match (name.of, name.known) {
                    (Of::ToolId, _) | (_, Known::Any | Known::Undeclared) => name.chars.ascii(),
                    _ => u128::MAX,
                }
            }
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

    /// What a rule needs, and what must not hold where it counts.
    pub fn condition(&self, rule: usize) -> (Flags, Flags) {
        let own = self.conditions.iter().find(|(_, _, rules)| rules >> rule & 1 != 0);
        own.map_or_else(Default::default, |(needs, not, _)| (*needs, *not))
    }

    pub fn kids(&self, begins: Begins) -> &[Kid] {
        &self.nodes[begins as usize].kids
    }

    pub fn begins_at(&self, begins: Begins) -> bool {
        self.nodes[begins as usize].below != 0
    }

    /// Whether a marker can stand in a line that begins like this: what comes after blanks is not looked at, for
    /// where something is open the line that is none ends it.
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

    /// Whether one can stand in a line of text that goes on like this.
    #[inline]
    pub fn line_fits(&self, line: &[u8]) -> bool {
        if self.accepts_lines() {
            return true;
        }
        let Some(&byte) = line.first() else { return !self.line_first.is_empty() };
        self.line_firsts.get(byte as usize) == Some(&true) && self.some_fits_line(byte, line)
    }

    fn some_fits_line(&self, byte: u8, line: &[u8]) -> bool {
        let rest = self.letters.as_ref().and_then(|letters| {
            let rest = keyword::after_lead(line)?;
            letters.fit(rest).then_some(rest)
        });
        let kids = self.kids(Begins::Line);
        let begins = |kid: usize| self.line_first[kid][byte as usize];
        let other =
            |kid: usize| begins(kid) && self.fits_line(&self.nodes[kids[kid].node as usize], line);
        let keyword = |kid: usize, rest| match &self.nodes[kids[kid].node as usize].step {
            PatternStep::Keyword(words) => keyword::may_begin(words, rest),
            _ => false,
        };
        self.other_lines.iter().any(|kid| other(*kid as usize))
            || rest.is_some_and(|rest| (0..kids.len()).any(|kid| begins(kid) && keyword(kid, rest)))
    }

    /// Whether what stands here may be a step and what follows it, as far as keywords, literals and what may stand
    /// before them say.
    fn fits_line(&self, node: &Node, line: &[u8]) -> bool {
        match &node.step {
            PatternStep::Keyword(words) => {
                keyword::after_lead(line).is_some_and(|rest| keyword::may_begin(words, rest))
            }
            PatternStep::Lit(text) => {
                let same = same_bytes(text.as_bytes(), line);
                same == text.len() || same == line.len()
            }
            PatternStep::Run { run, .. } => {
                let ascii = run.chars.ascii();
                let is_in = |byte: &&u8| byte.is_ascii() && ascii >> **byte & 1 != 0;
                let len = line.iter().take(run.max as usize + 1).take_while(is_in).count();
                let rest = &line[len..];
                let kid = |kid: &Kid| self.fits_line(&self.nodes[kid.node as usize], rest);
                let fits = len <= run.max as usize || run.chars == Chars::WHITE;
                let open = rest.first().is_none_or(|byte| !byte.is_ascii()) || node.accepts != 0;
                fits && (open || node.kids.iter().any(kid))
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
        let look = self.look(call, tools);
        self.find_first(text, |at| look.may_begin(text, at))
    }

    /// What is asked where a first byte of a marker was found, in this call.
    #[inline(always)]
    pub fn look<'t>(&'t self, call: &'t OpenCall, tools: &'t Tools) -> Look<'t> {
        let second = self.second.as_deref().unwrap_or(&ANY);
        let tool = if self.tool_second { &tools.first } else { second };
        let params = self.param_second.then(|| tools.params(call.tool));
        Look { table: self, second, tool, params, call, tools }
    }

    /// How far the first byte of a marker is that counts.
    #[inline(always)]
    fn find_first(&self, text: &[u8], counts: impl Fn(usize) -> bool) -> Option<usize> {
        let counts = |at: &usize| counts(*at);
        match *self.first.as_slice() {
            [] => None,
            [first] => memchr::memchr_iter(first, text).find(counts),
            // For a few bytes a loop is faster than a call.
            [a, b] if text.len() < 16 => {
                (0..text.len()).find(|at| (text[*at] == a || text[*at] == b) && counts(at))
            }
            [a, b] => memchr::memchr2_iter(a, b, text).find(counts),
            [a, b, c] => memchr::memchr3_iter(a, b, c, text).find(counts),
            _ => match &self.many {
                Some(many) => (0..text.len()).find(|at| many[text[*at] as usize] && counts(at)),
                None => None,
            },
        }
    }
}

/// Where a marker may begin: the bytes that can come second in it, and what else rules it out.
pub(crate) struct Look<'t> {
    table: &'t Table,
    second: &'t ByteSet,
    /// Those of tools, or the same again.
    tool: &'t ByteSet,
    params: Option<&'t Names>,
    call: &'t OpenCall,
    tools: &'t Tools,
}

/// All bytes.
const ANY: ByteSet = [true; 256];

impl Look<'_> {
    /// Whether a marker may begin in the text with the first byte that stands at `at`; all before it is payload.
    #[inline(always)]
    pub fn may_begin(&self, text: &[u8], at: usize) -> bool {
        let second = text.get(at + 1).is_none_or(|&byte| {
            self.second[byte as usize]
                || self.tool[byte as usize]
                || self.params.is_some_and(|params| is_first(byte, params))
        });
        second && self.goes_on(text, at)
    }

    /// The same, if the second byte may stand there.
    // Out of line: most bytes that are found go no further.
    #[inline(never)]
    fn goes_on(&self, text: &[u8], at: usize) -> bool {
        let in_line = |only: &ByteSet| only[text[at] as usize] && is_in_line(&text[..at]);
        !self.table.line_only.as_deref().is_some_and(in_line)
            && !self.table.rules_out(&text[at..], self.call, self.tools)
    }
}

/// Whether more than blanks stand between the start of a line and the end of the text, all of it payload.
fn is_in_line(text: &[u8]) -> bool {
    let last = text.iter().rfind(|byte| !matches!(byte, b' ' | b'\t'));
    last.is_some_and(|byte| *byte != b'\n')
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

/// How many bytes two texts begin with alike. Most texts of a marker are so short that a loop is faster
/// than a call.
#[inline]
pub(super) fn same_bytes(one: &[u8], other: &[u8]) -> usize {
    one.iter().zip(other).take_while(|(one, other)| one == other).count()
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
            // Beyond ASCII the class is asked when the whole character is there: if it has any, it has letters.
            _ => chars.has('é'),
        };
    }
}
