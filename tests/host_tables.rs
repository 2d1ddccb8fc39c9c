//! A host's own table: what makes no sense is an error of `build`, with its place; what is left
//! fails in nothing that a model writes.
#![cfg(feature = "json")]

use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind};

use toolstream::check::laws::{self, Ended};
use toolstream::spec::{
    Act, AtEnd, Between, DialectSpec, Framing, List, Only, Opening, Pattern, Piece, Rule,
    SectionKind, ValueKind,
};
use toolstream::{
    BuildError, CallsInReasoning, DiagnosticKind, Dialect, Event, Param, Parser, Tool, ToolUse,
};

fn tools() -> Vec<Tool> {
    let param = |name| Param::optional(name);
    vec![
        Tool::new("save").param(param("path")).param(param("content")),
        Tool::new("list").param(param("é")),
    ]
}

fn build(spec: &DialectSpec) -> Result<Parser, BuildError> {
    // A dialect lives as long as the program; so do those of a test.
    let spec: &'static DialectSpec = Box::leak(Box::new(spec.clone()));
    Parser::builder(Dialect::new(spec)).tools(tools()).tool_limit(3).build()
}

fn lit(text: &str) -> Piece {
    Piece::Lit(Cow::Owned(text.to_string()))
}

/// A small generator of numbers: the same ones every time.
struct Random(u64);

impl Random {
    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % most.max(1) as u64) as usize
    }

    fn one<T: Clone>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())].clone()
    }
}

fn any_piece(random: &mut Random) -> Piece {
    let texts = ["", "<", ">", "<save>", "</", "é", "{", ",", " ", "\n", "name", "<tool_call>"];
    use Piece::*;
    match random.below(34) {
        0..=7 => lit(random.one(&texts)),
        8 => OneOf(Cow::Owned(random.one(&texts).to_string())),
        n => random.one(
            &[
                Ws,
                Name,
                ToolName,
                Word,
                Tool,
                Declared,
                Fresh,
                Undeclared,
                Same,
                Captured,
                CallName,
                ParamName,
                QuotedToolName,
                QuotedTool,
                QuotedKey,
                Key,
                LineBreak,
                Letters,
                IfKnown,
                Attr,
                ToolAttr,
                KnownToolAttr,
                Rest,
                Slash,
                Words,
                Boundary,
                CallKey,
                End,
            ][n - 9..],
        ),
    }
}

fn any_act(random: &mut Random) -> Act {
    let kind = random.below(4) as u8;
    let bare = random.below(2) == 0;
    let opening = Opening { kind, bare, odd: None };
    use Act::*;
    random.one(&[
        OpenSection(kind),
        OpenCall(opening),
        OpenObject,
        OpenArguments(kind),
        Fabricate,
        Markup,
        SpareOpener,
        Reject,
        OpenReasoning,
        CloseReasoning,
        OrphanCall,
        OrphanSection,
        OrphanReasoning,
        CloseSection,
        OpenParam(kind),
        OpenOddParam(kind),
        NameParam,
        OpenValue(kind),
        CloseCall,
        EndBody,
        ResumeBody,
        SectionGoesOn(kind),
        SectionGoesOnBefore(kind),
        WholeCall,
        BrokenKey,
        Suspect,
        EndCall,
        EndBlock,
        Stray(DiagnosticKind::StrayText),
        CloseValue,
        CloseValueMismatched,
        CloseBoth,
        EndValue,
        CloseAll,
    ])
}

fn any_only(random: &mut Random) -> Only {
    use Only::*;
    random.one(&[
        Anywhere,
        LineStart,
        StreamStart,
        CleanValue,
        CleanLine,
        BehindCall,
        CallStart,
        Named,
        InSection,
        SectionStart,
        BareCall,
        CleanInSection,
        CleanBare,
        Waiting,
        Unsuspected,
    ])
}

fn spoil_pattern(pattern: &mut Pattern, random: &mut Random) {
    let pieces = pattern.to_mut();
    let at = random.below(pieces.len() + 1);
    match random.below(4) {
        0 => pieces.insert(at, any_piece(random)),
        1 if at < pieces.len() => drop(pieces.remove(at)),
        2 if at < pieces.len() => pieces[at] = any_piece(random),
        _ => pieces.clear(),
    }
}

fn spoil_rules(rules: &mut List<Rule>, others: &[Rule], random: &mut Random) {
    let rules = rules.to_mut();
    let at = random.below(rules.len());
    if rules.is_empty() || random.below(4) == 0 {
        return rules.insert(at, random.one(others));
    }
    let rule = &mut rules[at];
    match random.below(9) {
        0 | 1 => rule.act = any_act(random),
        2 | 3 => spoil_pattern(&mut rule.mark, random),
        4 if !rule.follow.is_empty() => {
            let at = random.below(rule.follow.len());
            spoil_pattern(&mut rule.follow.to_mut()[at], random);
        }
        5 => rule.follow = Cow::Borrowed(&[]),
        6 => rule.only = any_only(random),
        7 => {
            use AtEnd::*;
            rule.at_end =
                random.one(&[Rejects, Confirms, ConfirmsEnd, ConfirmsBegun, ConfirmsKnown]);
        }
        8 => rule.fixed = random.below(12),
        _ => drop(rules.remove(at)),
    }
}

/// All rules of a table.
fn all_rules(spec: &DialectSpec) -> Vec<Rule> {
    let mut all = spec.text.to_vec();
    spec.sections.iter().for_each(|kind| all.extend(kind.rules.iter().cloned()));
    spec.calls.iter().for_each(|rules| all.extend(rules.iter().cloned()));
    spec.values.iter().for_each(|kind| all.extend(kind.rules.iter().cloned()));
    all.extend(spec.body.iter().cloned());
    all
}

fn spoil(spec: &mut DialectSpec, random: &mut Random) {
    let others = all_rules(spec);
    let (sections, calls, values) = (spec.sections.len(), spec.calls.len(), spec.values.len());
    match random.below(12) {
        0..=2 => spoil_rules(&mut spec.text, &others, random),
        3 | 4 if sections > 0 => {
            let kind = &mut spec.sections.to_mut()[random.below(sections)];
            spoil_rules(&mut kind.rules, &others, random);
            kind.between =
                random.one(&[kind.between, Between::Junk, Between::White, Between::Json]);
        }
        5 | 6 if calls > 0 => {
            spoil_rules(&mut spec.calls.to_mut()[random.below(calls)], &others, random);
        }
        7 | 8 if values > 0 => {
            let kind = &mut spec.values.to_mut()[random.below(values)];
            spoil_rules(&mut kind.rules, &others, random);
            kind.framing =
                random.one(&[kind.framing, Framing::LineBreak, Framing::None, Framing::Trimmed]);
        }
        9 => spoil_rules(&mut spec.body, &others, random),
        10 => spec.raw = Some(random.below(4) as u8),
        11 => spec.calls_in_reasoning = CallsInReasoning::Extract,
        _ => spec.boundary.to_mut().push(Cow::Borrowed(random.one(&["", "<|x|>", "é", "<"]))),
    }
}

/// Texts of the table's own literals, and what stands between them.
fn soup(spec: &DialectSpec, random: &mut Random) -> String {
    let rules = all_rules(spec);
    let patterns = rules.iter().flat_map(|rule| rule.follow.iter().chain([&rule.mark]));
    let mut words: Vec<String> = patterns
        .flat_map(|pattern| pattern.iter())
        .filter_map(|piece| match piece {
            Piece::Lit(text) => Some(text.to_string()),
            _ => None,
        })
        .collect();
    let others = [
        "save",
        "list",
        "path",
        "content",
        "é",
        "x",
        " ",
        "\n",
        "\"",
        "'",
        ">",
        "{}",
        "{\"name\": \"save\", \"arguments\": {\"path\": 1}}",
        "<think>",
        "</think>",
        ":",
        ",",
        "/",
    ];
    words.extend(others.map(String::from));
    (0..random.below(24)).map(|_| random.one(&words)).collect()
}

/// Nothing that is left of a table fails, hangs or breaks the shape of the events. (How the table's
/// markers hold one another is not judged, so where they are cut may matter: no law of split here.)
#[test]
fn spoilt_tables_are_refused_or_read() {
    let mut random = Random(0x5eed);
    let (mut refused, mut read) = (0, 0);
    for case in 0..3000 {
        let mut spec = random.one(&Dialect::ALL[..7]).spec().clone();
        (0..=random.below(4)).for_each(|_| spoil(&mut spec, &mut random));
        let texts: Vec<String> = (0..6).map(|_| soup(&spec, &mut random)).collect();
        let built =
            catch_unwind(|| build(&spec)).unwrap_or_else(|_| panic!("case {case}: {spec:?}"));
        let parser = match built {
            Ok(parser) => parser,
            Err(error) => {
                assert!(matches!(error, BuildError::Spec { .. }), "{error}");
                refused += 1;
                continue;
            }
        };
        read += 1;
        for (text, ended) in texts.iter().zip([Ended::Stop, Ended::Cut].into_iter().cycle()) {
            for cuts in laws::every_cut(text.len()) {
                let read = || laws::hold_ended(&parser, text, std::slice::from_ref(&cuts), ended);
                let held = catch_unwind(AssertUnwindSafe(read));
                assert!(
                    matches!(held, Ok(Ok(_))),
                    "case {case}: {held:?} for {text:?} of {spec:?}"
                );
            }
        }
    }
    assert!(refused > 500 && read > 500, "{refused} refused, {read} read");
}

fn rule(mark: &[Piece], act: Act) -> Rule {
    Rule { mark: Cow::Owned(mark.to_vec()), ..Rule::plain(act) }
}

/// The place and the words of the mistake in a table.
#[track_caller]
fn mistake(of: Dialect, spoil: impl FnOnce(&mut DialectSpec)) -> (String, String) {
    let mut spec = of.spec().clone();
    spoil(&mut spec);
    match build(&spec) {
        Err(BuildError::Spec { dialect, place, what }) => {
            assert_eq!(dialect, of.name());
            (place, what)
        }
        other => panic!("{other:?}"),
    }
}

/// Puts a rule into the first list of a state, and says where that is.
fn put(spec: &mut DialectSpec, list: &str, rule: Rule) -> String {
    let (rules, place) = match list {
        "text" => (&mut spec.text, "text[0]"),
        "section" => (&mut spec.sections.to_mut()[0].rules, "sections[0].rules[0]"),
        "call" => (&mut spec.calls.to_mut()[0], "calls[0][0]"),
        "value" => (&mut spec.values.to_mut()[0].rules, "values[0].rules[0]"),
        _ => (&mut spec.body, "body[0]"),
    };
    rules.to_mut()[0] = rule;
    place.to_string()
}

#[test]
fn a_mistake_in_a_rule_has_its_place() {
    use Act::*;
    let opening = |kind| OpenCall(Opening { kind, bare: false, odd: None });
    let (none, x) = ([], [lit("x")]);
    let (tool, name) = ([lit("<"), Piece::Tool], [lit("<"), Piece::Name]);
    let long = [lit(&"y".repeat(300)), lit(&"y".repeat(213))];
    let follow = vec![vec![lit("x")].into(), Pattern::default()];
    for (list, rule, part, what) in [
        // Markers that have no beginning, or an end that nobody knows.
        ("text", rule(&none, Markup), ".mark", "empty"),
        ("text", rule(&[lit("")], Markup), ".mark[0]", "empty"),
        ("text", rule(&[lit("x"), lit("")], Markup), ".mark[1]", "empty"),
        ("text", rule(&[Piece::Name], Markup), ".mark", "begin with"),
        ("section", rule(&[Piece::Ws, lit("x")], Markup), ".mark", "begin with"),
        ("value", rule(&[Piece::Word], CloseValue), ".mark", "begin with"),
        ("text", rule(&[lit("x"), Piece::Rest], Markup), ".mark[1]", "no end"),
        ("text", rule(&[lit("<x>"), Piece::Rest], Markup), ".mark[1]", "no end"),
        ("text", rule(&long, Markup), ".mark", "513 bytes"),
        ("text", rule(&vec![lit("x"); 33], Markup), ".mark", "33 of them"),
        ("text", Rule { follow: follow.into(), ..rule(&x, Markup) }, ".follow[1]", "empty"),
        ("text", Rule { fixed: 2, ..rule(&x, Markup) }, ".fixed", "may be 1"),
        // Kinds that are not there.
        ("text", rule(&x, OpenSection(99)), ".act", "`sections` has no number 99"),
        ("text", rule(&tool, opening(99)), ".act", "`calls` has no number 99"),
        ("section", rule(&tool, opening(99)), ".act", "`calls` has no number 99"),
        ("section", rule(&x, SectionGoesOn(99)), ".act", "`sections` has no number 99"),
        ("section", rule(&x, SectionGoesOnBefore(99)), ".act", "`sections` has no number 99"),
        ("call", rule(&x, OpenArguments(99)), ".act", "`sections` has no number 99"),
        ("call", rule(&name, OpenParam(99)), ".act", "`values` has no number 99"),
        ("call", rule(&name, OpenOddParam(99)), ".act", "`values` has no number 99"),
        ("call", rule(&x, OpenValue(99)), ".act", "`values` has no number 99"),
        // Actions that do not belong where they stand.
        ("text", rule(&x, CloseCall), ".act", "`CloseCall` does not belong here"),
        ("text", rule(&x, CloseValue), ".act", "`CloseValue` does not belong here"),
        ("text", rule(&x, CloseReasoning), ".act", "`CloseReasoning` does not belong here"),
        ("section", rule(&x, EndBody), ".act", "`EndBody` does not belong here"),
        ("call", rule(&tool, opening(0)), ".act", "does not belong here"),
        ("value", rule(&tool, opening(0)), ".act", "does not belong here"),
        ("value", rule(&x, Markup), ".act", "`Markup` does not belong here"),
        ("body", rule(&x, Markup), ".act", "`Markup` does not belong here"),
        // And those that lack what they need.
        ("text", rule(&x, opening(0)), ".act", "names no tool"),
        ("call", rule(&x, OpenParam(0)), ".act", "names no parameter"),
        ("call", rule(&x, OpenValue(0)), ".act", "`Only::Named`"),
        ("section", rule(&[lit(",")], ResumeBody), ".act", "`Only::Waiting`"),
        ("section", rule(&x, SectionGoesOnBefore(0)), ".act", "does the same"),
        ("value", rule(&[lit("é")], Suspect), ".act", "ASCII"),
    ] {
        let mut place = String::new();
        let found = mistake(Dialect::TOOL_CALL, |spec| place = put(spec, list, rule) + part);
        assert_eq!(found.0, place, "{}", found.1);
        assert!(found.1.contains(what), "{place}: {}", found.1);
    }
}

#[test]
fn a_mistake_beside_the_rules_has_its_place() {
    let place = |spoil: fn(&mut DialectSpec)| mistake(Dialect::TOOL_CALL, spoil).0;
    assert_eq!(place(|spec| spec.raw = Some(99)), "raw");
    assert_eq!(
        place(|spec| spec.reasoning_openers = vec!["".into()].into()),
        "reasoning_openers[0]"
    );
    assert_eq!(
        place(|spec| spec.reasoning_closers = vec!["y".into(), "".into()].into()),
        "reasoning_closers[1]"
    );
    assert_eq!(place(|spec| spec.boundary = vec!["y".repeat(513).into()].into()), "boundary[0]");
}

#[test]
fn too_many_rules_and_kinds_are_told() {
    let many = |count: usize, act: Act| -> List<Rule> {
        (0..count).map(|number| rule(&[lit(&format!("<x{number}>"))], act)).collect()
    };
    let calls = |count| {
        let rules = many(count, Act::CloseCall);
        move |spec: &mut DialectSpec| spec.calls.to_mut()[0] = rules
    };
    assert_eq!(mistake(Dialect::CLINE, calls(256)).0, "calls[0]");
    let mut spec = Dialect::CLINE.spec().clone();
    calls(255)(&mut spec);
    let ends = |event: &Event<&str>| matches!(event, Event::ToolUse(ToolUse::End { .. }));
    let mut parser = build(&spec).unwrap();
    assert_eq!(parser.feed("<list><é>1</é><x254>").filter(ends).count(), 1, "the last one counts");

    // Text is shared with another dialect, and with the tags that count in it.
    let text = |count| {
        let rules = many(count, Act::Markup);
        move |spec: &mut DialectSpec| spec.text = rules
    };
    assert_eq!(mistake(Dialect::CLINE, text(124)).0, "text");
    let mut spec = Dialect::CLINE.spec().clone();
    text(123)(&mut spec);
    let spec: &'static DialectSpec = Box::leak(Box::new(spec));
    let both = Dialect::new(spec).and(Dialect::new(spec));
    assert!(Parser::builder(both).build().is_ok());

    let follow = |spec: &mut DialectSpec| {
        spec.text.to_mut()[0].follow = vec![vec![lit("x")].into(); 256].into();
    };
    assert_eq!(mistake(Dialect::CLINE, follow).0, "text[0].follow");
    let kinds = |spec: &mut DialectSpec| {
        let kind = spec.values[0].clone();
        spec.values = vec![kind; 101].into();
    };
    assert_eq!(mistake(Dialect::CLINE, kinds).0, "values");
}

/// A second dialect is checked as the first is, and named.
#[test]
fn the_mistake_names_its_dialect() {
    let mut spec = Dialect::GLM.spec().clone();
    (spec.name, spec.raw) = ("mine".into(), Some(9));
    let mine = Dialect::new(Box::leak(Box::new(spec)));
    let error = Parser::builder(Dialect::REACT.and(mine)).build().unwrap_err();
    assert_eq!(
        error.to_string(),
        "the dialect `mine` has a mistake at `raw`: `values` has no number 9, only 2"
    );
}

/// `[[call:NAME]] @KEY={{value}} … [[/call]]`: none of the built-in markers.
#[test]
fn a_table_of_ones_own() {
    let text: List<Rule> = vec![
        Rule {
            follow: vec![vec![lit("[[/call]]")].into(), vec![lit("@")].into()].into(),
            at_end: AtEnd::ConfirmsKnown,
            fixed: 1,
            ..rule(
                &[lit("[[call:"), Piece::ToolName, lit("]]")],
                Act::OpenCall(Opening { kind: 0, bare: false, odd: None }),
            )
        },
        rule(&[lit("[[/call]]")], Act::OrphanCall),
    ]
    .into();
    let call: List<Rule> = vec![
        rule(&[lit("@"), Piece::Declared, lit("={{")], Act::OpenParam(0)),
        rule(&[lit("[[/call]]")], Act::CloseCall),
    ]
    .into();
    let value = Rule {
        follow: vec![vec![lit("@")].into(), vec![lit("[[/call]]")].into()].into(),
        at_end: AtEnd::Confirms,
        ..rule(&[lit("}}")], Act::CloseValue)
    };
    let spec = DialectSpec {
        name: "brackets".into(),
        text,
        calls: vec![call].into(),
        values: vec![ValueKind { rules: vec![value].into(), framing: Framing::None }].into(),
        sections: Vec::<SectionKind>::new().into(),
        raw: None,
        boundary: vec!["[[stop]]".into()].into(),
        ..Dialect::CODE_ASSISTANT.spec().clone()
    };
    let parser = build(&spec).unwrap();
    let text =
        "Now: [[call:save]] @path={{a}}} [[/call]]Say [[call:save]] to save [[/call]][[stop]]";
    let message = parser.parse(text);
    let paths: Vec<_> = message.calls().map(|call| &call.input()["path"]).collect();
    assert_eq!(paths, ["a}"]);
    assert_eq!(message.text(), "Now: Say [[call:save]] to save [[/call]]");
    laws::hold(&parser, text, &laws::every_cut(text.len())).unwrap();
}
