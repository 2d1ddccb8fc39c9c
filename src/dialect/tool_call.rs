//! The `<tool_call>` dialects: `hermes`, `qwen3-coder`, `glm`, and `tool-call`, which looks.
//!
//! ```text
//! block := "<tool_call>" ws BODY ws "</tool_call>"
//! BODY  := json | functions | keyed
//! ```
//! The opener counts if `ws` and the beginning of a body follow. A doubled opener is markup. A call
//! in reasoning ends it.
//!
//! # `hermes`
//!
//! ```text
//! json  := fence? ( object | "[" ( object ","? )* "]" ) fence? ( ws object )*    fence := "```" letters?
//! object:= {"name": N, "arguments": {…}}          see machine/json.rs
//! ```
//! Counts if `{` `ws` and one of `"` `'` `}` follow, each of `[` and a fence before it at most once.
//!
//! # `qwen3-coder`
//!
//! ```text
//! functions := function ( ws function )*
//! function  := "<function=" ws Q(NAME) ws ">" junk ( param junk )* "</function>"   Q(x) := "x" | 'x' | x
//! param     := "<parameter=" Q(KEY) ">" value "</parameter>"
//! ```
//! A `>` that is missing, a function written as `<NAME>`, and `=` or a line break for the `>` of a
//! parameter are accepted (`malformed_tag`). A value whose closer was forgotten ends before the next
//! declared parameter at a line's start, before `</function>` at the block's end, and before
//! `</tool_call>` at the stream's.
//!
//! # `glm`
//!
//! ```text
//! keyed := NAME ws ( "<arg_key>" KEY "</arg_key>" junk "<arg_value>" value "</arg_value>" ws )*
//!        | NAME ws {json object}
//! ```

use std::borrow::Cow;

use super::spec::Piece::*;
use super::spec::{
    Act, AtEnd, BARE, Between, CALL, DialectSpec, Framing, List, NameRule, Only, Opening, Pattern,
    Rule, SectionKind, ValueKind, follow, list, lit, pattern, rules, strings,
};
use super::wire;
use super::xml::{THINK_CLOSERS, THINK_OPENERS, closer, opener, plain};
use crate::event::DiagnosticKind;
use crate::options::CallsInReasoning;

/// A marker that counts by itself under a condition.
const fn only(only: Only, mark: Pattern, act: Act) -> Rule {
    Rule { mark, follow: Cow::Borrowed(&[]), at_end: AtEnd::Rejects, fixed: 0, only, act }
}

/// A marker that recovers from a forgotten closer.
const fn recovers(only: Only, mark: Pattern, follow: List<Pattern>, act: Act) -> Rule {
    Rule { mark, follow, at_end: AtEnd::Confirms, fixed: 0, only, act }
}

/// A marker that is confirmed by its follow set, or by a known tool at the end of the stream.
const fn confirmed(only: Only, mark: Pattern, follow: List<Pattern>, act: Act) -> Rule {
    Rule { mark, follow, at_end: AtEnd::ConfirmsKnown, fixed: 0, only, act }
}

const OPEN: Pattern = pattern![lit("<tool_call>")];
const CLOSE: Pattern = pattern![lit("</tool_call>")];
const RESULT: Pattern = pattern![lit("<tool_response>")];
const AT_END: List<Pattern> = follow![pattern![End]];
const BOUNDARY: List<Cow<'static, str>> = strings![
    "<|im_end|>",
    "<|endoftext|>",
    "<|observation|>",
    "<|user|>",
    "<|assistant|>",
    "<|system|>",
];

/// An object or a list of them begins.
const JSON: List<Pattern> = follow![
    pattern![lit("{"), Ws, OneOf(Cow::Borrowed("\"'}"))],
    pattern![lit("["), Ws, lit("{"), Ws, OneOf(Cow::Borrowed("\"'}"))],
    pattern![lit("```"), Letters, Ws, lit("{"), Ws, OneOf(Cow::Borrowed("\"'}"))],
    pattern![lit("```"), Letters, Ws, lit("["), Ws, lit("{"), Ws, OneOf(Cow::Borrowed("\"'}"))],
];
/// The same behind a second opener.
const OPEN_JSON: List<Pattern> = follow![
    pattern![lit("<tool_call>"), Ws, lit("{"), Ws, OneOf(Cow::Borrowed("\"'}"))],
    pattern![lit("<tool_call>"), Ws, lit("["), Ws, lit("{"), Ws, OneOf(Cow::Borrowed("\"'}"))],
    pattern![
        lit("<tool_call>"),
        Ws,
        lit("```"),
        Letters,
        Ws,
        lit("{"),
        Ws,
        OneOf(Cow::Borrowed("\"'}")),
    ],
    pattern![
        lit("<tool_call>"),
        Ws,
        lit("```"),
        Letters,
        Ws,
        lit("["),
        Ws,
        lit("{"),
        Ws,
        OneOf(Cow::Borrowed("\"'}")),
    ],
];

const FUNCTION: Pattern = pattern![lit("<function="), Ws, QuotedToolName, Ws, lit(">")];
/// A function's opener without its `>`, before what shows that it is one.
const FUNCTION_OPEN: Pattern = pattern![lit("<function="), Ws, QuotedToolName];
const END_FUNCTION: Pattern = pattern![lit("</function>")];
const PARAMETER: Pattern = pattern![lit("<parameter=")];
const FUNCTION_BODY: List<Pattern> = follow![PARAMETER, END_FUNCTION];
const NAMED: Pattern = pattern![lit("<"), Tool, lit(">")];

const FUNCTIONS: List<Pattern> = follow![
    FUNCTION,
    pattern![lit("<function="), Ws, QuotedToolName, Ws, lit("<parameter=")],
    pattern![lit("<function="), Ws, QuotedToolName, Ws, lit("</function>")],
    pattern![lit("<"), Tool, lit(">"), Ws, lit("<parameter=")],
];
const OPEN_FUNCTIONS: List<Pattern> = follow![
    pattern![lit("<tool_call>"), Ws, lit("<function="), Ws, QuotedToolName, Ws, lit(">")],
    pattern![lit("<tool_call>"), Ws, lit("<function="), Ws, QuotedToolName, Ws, lit("<parameter=")],
    pattern![lit("<tool_call>"), Ws, lit("<function="), Ws, QuotedToolName, Ws, lit("</function>")],
    pattern![lit("<tool_call>"), Ws, lit("<"), Tool, lit(">"), Ws, lit("<parameter=")],
];

const KEYED: Pattern = pattern![lit("<tool_call>"), Ws, ToolName];
const KEYED_BODY: List<Pattern> = follow![
    pattern![lit("<arg_key>")],
    pattern![IfKnown, lit("</tool_call>")],
    pattern![lit("{"), Ws, OneOf(Cow::Borrowed("\"}"))],
];
const OPEN_KEYED: List<Pattern> = follow![
    pattern![lit("<tool_call>"), Ws, ToolName, Ws, lit("<arg_key>")],
    pattern![lit("<tool_call>"), Ws, ToolName, Ws, lit("{"), Ws, OneOf(Cow::Borrowed("\"}"))],
    pattern![lit("<tool_call>"), Ws, ToolName, Ws, IfKnown, lit("</tool_call>")],
];

const ODD: Opening = Opening { odd: Some(DiagnosticKind::MalformedTag), ..CALL };
/// In the kinds of `tool-call`.
const KEYED_CALL: Opening = Opening { kind: 1, ..CALL };

/// Between the parameters of a call without a block: another such call.
const fn next_bare(mark: Pattern) -> Rule {
    let (at_end, only) = (AtEnd::ConfirmsKnown, Only::BareCall);
    Rule { mark, follow: FUNCTION_BODY, at_end, fixed: 0, only, act: Act::EndCall }
}

const fn doubled(follow: List<Pattern>) -> Rule {
    Rule {
        mark: pattern![lit("<tool_call>"), Ws],
        follow,
        at_end: AtEnd::ConfirmsKnown,
        fixed: 1,
        only: Only::Anywhere,
        act: Act::SpareOpener,
    }
}

const fn section(kind: u8, follow: List<Pattern>) -> Rule {
    let (at_end, only, act) = (AtEnd::ConfirmsKnown, Only::Anywhere, Act::OpenSection(kind));
    Rule { mark: OPEN, follow, at_end, fixed: 1, only, act }
}

/// A function outside a block, of a declared tool.
const BARE_MARK: Pattern = pattern![lit("<function="), Ws, QuotedTool, Ws, lit(">")];
const BARE_ODD_MARK: Pattern = pattern![lit("<function="), Ws, QuotedTool];
const BARE_FUNCTION: Rule = opener(BARE_MARK, 0, FUNCTION_BODY, Act::OpenCall(BARE));
const BARE_ODD: Rule = opener(
    BARE_ODD_MARK,
    0,
    FUNCTION_BODY,
    Act::OpenCall(Opening { odd: Some(DiagnosticKind::MalformedTag), ..BARE }),
);

const TEXT_JSON: List<Rule> = rules![
    section(0, JSON),
    doubled(OPEN_JSON),
    plain(CLOSE, Act::OrphanSection),
    only(Only::BehindCall, RESULT, Act::Fabricate),
];
const TEXT_FUNCTIONS: List<Rule> = rules![
    section(0, FUNCTIONS),
    doubled(OPEN_FUNCTIONS),
    BARE_FUNCTION,
    BARE_ODD,
    plain(CLOSE, Act::OrphanSection),
    only(Only::BehindCall, RESULT, Act::Fabricate),
];
const TEXT_KEYED: List<Rule> = rules![
    opener(KEYED, 1, KEYED_BODY, Act::OpenCall(CALL)),
    doubled(OPEN_KEYED),
    plain(CLOSE, Act::OrphanSection),
    only(Only::BehindCall, RESULT, Act::Fabricate),
];
const TEXT_ANY: List<Rule> = rules![
    section(0, JSON),
    section(1, FUNCTIONS),
    opener(KEYED, 1, KEYED_BODY, Act::OpenCall(KEYED_CALL)),
    doubled(OPEN_JSON),
    doubled(OPEN_FUNCTIONS),
    doubled(OPEN_KEYED),
    BARE_FUNCTION,
    BARE_ODD,
    plain(CLOSE, Act::OrphanSection),
    only(Only::BehindCall, RESULT, Act::Fabricate),
];

const OBJECTS: List<Rule> = rules![
    confirmed(
        Only::Anywhere,
        pattern![lit("{")],
        follow![pattern![OneOf(Cow::Borrowed("\"'}"))]],
        Act::OpenObject
    ),
    only(Only::SectionStart, pattern![lit("```"), Letters], Act::Markup),
    plain(pattern![lit("```")], Act::Markup),
    plain(CLOSE, Act::CloseSection),
];
const FUNCTION_SECTION: List<Rule> = rules![
    plain(FUNCTION, Act::OpenCall(CALL)),
    confirmed(Only::Anywhere, FUNCTION_OPEN, FUNCTION_BODY, Act::OpenCall(ODD)),
    confirmed(Only::Anywhere, NAMED, follow![PARAMETER], Act::OpenCall(ODD)),
    plain(CLOSE, Act::CloseSection),
];

/// Behind the object that is all of a keyed call's arguments.
const BEHIND_ARGUMENTS: SectionKind = SectionKind {
    rules: rules![plain(pattern![lit("```")], Act::Markup), plain(CLOSE, Act::CloseSection)],
    between: Between::Json,
};

const STRAY: Rule =
    plain(pattern![lit("<"), Word, lit(">")], Act::Stray(DiagnosticKind::UnknownParameter));
/// A parameter's opener, well-formed and not.
const PARAM: Pattern = pattern![lit("<parameter="), QuotedKey, lit(">")];
const PARAM_EQUALS: Pattern = pattern![lit("<parameter="), QuotedKey, lit("=")];
const PARAM_LINE: Pattern = pattern![lit("<parameter="), QuotedKey, LineBreak];
const NEXT_BARE: Rule = next_bare(BARE_MARK);
const NEXT_BARE_ODD: Rule = next_bare(BARE_ODD_MARK);
const NEXT_JSON: Rule = confirmed(Only::Anywhere, OPEN, JSON, Act::EndBlock);
const NEXT_SPARE_JSON: Rule = confirmed(Only::Anywhere, OPEN, OPEN_JSON, Act::EndBlock);
const NEXT_SPARE_FUNCTIONS: Rule = confirmed(Only::Anywhere, OPEN, OPEN_FUNCTIONS, Act::EndBlock);
const NEXT_SPARE_KEYED: Rule = confirmed(Only::Anywhere, OPEN, OPEN_KEYED, Act::EndBlock);
const NEXT_FUNCTIONS: Rule = confirmed(Only::Anywhere, OPEN, FUNCTIONS, Act::EndBlock);
const IN_FUNCTION: List<Rule> = rules![
    plain(PARAM, Act::OpenParam(0)),
    plain(PARAM_EQUALS, Act::OpenOddParam(0)),
    plain(PARAM_LINE, Act::OpenOddParam(0)),
    plain(END_FUNCTION, Act::CloseCall),
    plain(CLOSE, Act::EndCall),
    only(Only::InSection, FUNCTION, Act::EndCall),
    confirmed(Only::InSection, FUNCTION_OPEN, FUNCTION_BODY, Act::EndCall),
    confirmed(Only::InSection, NAMED, follow![PARAMETER], Act::EndCall),
    NEXT_BARE,
    NEXT_BARE_ODD,
    NEXT_FUNCTIONS,
    NEXT_SPARE_FUNCTIONS,
    STRAY,
];
const FUNCTION_VALUE: List<Rule> = rules![
    closer(
        pattern![lit("</parameter>")],
        follow![PARAM, PARAM_EQUALS, PARAM_LINE, END_FUNCTION, CLOSE]
    ),
    only(Only::CleanLine, pattern![lit("<parameter="), Fresh, lit(">")], Act::EndValue),
    only(Only::CleanLine, pattern![lit("<parameter=\""), Fresh, lit("\">")], Act::EndValue),
    only(Only::CleanLine, pattern![lit("<parameter='"), Fresh, lit("'>")], Act::EndValue),
    recovers(Only::CleanValue, END_FUNCTION, follow![CLOSE], Act::CloseBoth),
    recovers(Only::CleanValue, CLOSE, AT_END, Act::CloseAll),
];

const IN_KEYED: List<Rule> = rules![
    plain(pattern![lit("<arg_key>"), Key, lit("</arg_key>")], Act::NameParam),
    only(Only::Named, pattern![lit("<arg_value>")], Act::OpenValue(1)),
    confirmed(
        Only::CallStart,
        pattern![lit("{")],
        follow![pattern![OneOf(Cow::Borrowed("\"}"))]],
        Act::OpenArguments(0)
    ),
    plain(CLOSE, Act::CloseCall),
    opener(KEYED, 0, KEYED_BODY, Act::EndBlock),
    NEXT_SPARE_KEYED,
    STRAY,
];
/// The same two where a block of any kind may follow.
const IN_ANY_FUNCTION: List<Rule> = rules![
    plain(PARAM, Act::OpenParam(0)),
    plain(PARAM_EQUALS, Act::OpenOddParam(0)),
    plain(PARAM_LINE, Act::OpenOddParam(0)),
    plain(END_FUNCTION, Act::CloseCall),
    plain(CLOSE, Act::EndCall),
    only(Only::InSection, FUNCTION, Act::EndCall),
    confirmed(Only::InSection, FUNCTION_OPEN, FUNCTION_BODY, Act::EndCall),
    confirmed(Only::InSection, NAMED, follow![PARAMETER], Act::EndCall),
    NEXT_BARE,
    NEXT_BARE_ODD,
    NEXT_JSON,
    NEXT_FUNCTIONS,
    opener(KEYED, 0, KEYED_BODY, Act::EndBlock),
    NEXT_SPARE_JSON,
    NEXT_SPARE_FUNCTIONS,
    NEXT_SPARE_KEYED,
    STRAY,
];
const IN_ANY_KEYED: List<Rule> = rules![
    plain(pattern![lit("<arg_key>"), Key, lit("</arg_key>")], Act::NameParam),
    only(Only::Named, pattern![lit("<arg_value>")], Act::OpenValue(1)),
    confirmed(
        Only::CallStart,
        pattern![lit("{")],
        follow![pattern![OneOf(Cow::Borrowed("\"}"))]],
        Act::OpenArguments(2)
    ),
    plain(CLOSE, Act::CloseCall),
    NEXT_JSON,
    NEXT_FUNCTIONS,
    opener(KEYED, 0, KEYED_BODY, Act::EndBlock),
    NEXT_SPARE_JSON,
    NEXT_SPARE_FUNCTIONS,
    NEXT_SPARE_KEYED,
    STRAY,
];
const KEYED_VALUE: List<Rule> = rules![
    closer(pattern![lit("</arg_value>")], follow![pattern![lit("<arg_key>")], CLOSE, OPEN]),
    recovers(Only::CleanValue, CLOSE, AT_END, Act::CloseBoth),
];
const CUT_BODY: List<Rule> = rules![plain(CLOSE, Act::EndBody)];

const VALUES: List<ValueKind> = list![
    ValueKind;
    ValueKind { rules: FUNCTION_VALUE, framing: Framing::LineBreak },
    ValueKind { rules: KEYED_VALUE, framing: Framing::None },
];

/// What the four have in common.
const FAMILY: DialectSpec = DialectSpec {
    name: Cow::Borrowed("tool-call"),
    about: Cow::Borrowed("<tool_call> and whichever of the three bodies follows"),
    names: NameRule::Free,
    reasoning_openers: THINK_OPENERS,
    reasoning_closers: THINK_CLOSERS,
    calls_in_reasoning: CallsInReasoning::Extract,
    text: TEXT_ANY,
    sections: list![
        SectionKind;
        SectionKind { rules: OBJECTS, between: Between::Json },
        SectionKind { rules: FUNCTION_SECTION, between: Between::White },
        BEHIND_ARGUMENTS,
    ],
    calls: list![List<Rule>; IN_ANY_FUNCTION, IN_ANY_KEYED],
    values: VALUES,
    body: CUT_BODY,
    raw: None,
    raw_params: strings![],
    boundary: BOUNDARY,
    diff_params: strings![],
    lists: false,
    lines: None,
    wire: wire::TOOL_CALL,
};

/// The dialect `tool-call`.
pub(crate) const TOOL_CALL: DialectSpec = FAMILY;

/// The dialect `hermes`.
pub(crate) const HERMES: DialectSpec = DialectSpec {
    name: Cow::Borrowed("hermes"),
    about: Cow::Borrowed("<tool_call>{\"name\": …, \"arguments\": {…}}</tool_call>"),
    text: TEXT_JSON,
    wire: wire::HERMES,
    ..FAMILY
};

/// The dialect `qwen3-coder`.
pub(crate) const QWEN3_CODER: DialectSpec = DialectSpec {
    name: Cow::Borrowed("qwen3-coder"),
    about: Cow::Borrowed(
        "<tool_call><function=…><parameter=…>…</parameter></function></tool_call>",
    ),
    text: TEXT_FUNCTIONS,
    wire: wire::QWEN3_CODER,
    sections: list![
        SectionKind;
        SectionKind { rules: FUNCTION_SECTION, between: Between::White },
    ],
    calls: list![List<Rule>; IN_FUNCTION],
    ..FAMILY
};

/// The dialect `glm`.
pub(crate) const GLM: DialectSpec = DialectSpec {
    name: Cow::Borrowed("glm"),
    about: Cow::Borrowed("<tool_call>NAME<arg_key>…</arg_key><arg_value>…</arg_value></tool_call>"),
    text: TEXT_KEYED,
    wire: wire::GLM,
    sections: list![SectionKind; BEHIND_ARGUMENTS],
    calls: list![List<Rule>; IN_KEYED],
    ..FAMILY
};
