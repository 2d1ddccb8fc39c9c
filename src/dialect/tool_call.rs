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

/// A marker that is confirmed by its follow set alone.
const fn confirmed(only: Only, mark: Pattern, follow: List<Pattern>, act: Act) -> Rule {
    Rule { mark, follow, at_end: AtEnd::Rejects, fixed: 0, only, act }
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
    pattern![lit("<tool_call>"), Ws, Tool, Ws, lit("</tool_call>")],
];

const ODD: Opening = Opening { odd: Some(DiagnosticKind::MalformedTag), ..CALL };
/// In the kinds of `tool-call`.
const KEYED_CALL: Opening = Opening { kind: 1, ..CALL };

const fn doubled(follow: List<Pattern>) -> Rule {
    Rule {
        mark: OPEN,
        follow,
        at_end: AtEnd::Rejects,
        fixed: 1,
        only: Only::Anywhere,
        act: Act::Markup,
    }
}

const fn section(kind: u8, follow: List<Pattern>) -> Rule {
    let (at_end, only, act) = (AtEnd::Rejects, Only::Anywhere, Act::OpenSection(kind));
    Rule { mark: OPEN, follow, at_end, fixed: 1, only, act }
}

const BARE_FUNCTION: Rule = Rule {
    mark: pattern![lit("<function="), Ws, QuotedTool, Ws, lit(">")],
    follow: FUNCTION_BODY,
    at_end: AtEnd::ConfirmsKnown,
    fixed: 0,
    only: Only::Anywhere,
    act: Act::OpenCall(BARE),
};

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
    plain(CLOSE, Act::CloseSection),
];
const FUNCTION_SECTION: List<Rule> = rules![
    plain(FUNCTION, Act::OpenCall(CALL)),
    confirmed(Only::Anywhere, FUNCTION_OPEN, FUNCTION_BODY, Act::OpenCall(ODD)),
    confirmed(Only::Anywhere, NAMED, follow![PARAMETER], Act::OpenCall(ODD)),
    plain(CLOSE, Act::CloseSection),
];

/// Behind the object that is all of a keyed call's arguments.
const BEHIND_ARGUMENTS: SectionKind =
    SectionKind { rules: rules![plain(CLOSE, Act::CloseSection)], between: Between::Json };

const STRAY: Rule =
    plain(pattern![lit("<"), Word, lit(">")], Act::Stray(DiagnosticKind::UnknownParameter));
/// A parameter's opener, well-formed and not.
const PARAM: Pattern = pattern![lit("<parameter="), QuotedKey, lit(">")];
const PARAM_EQUALS: Pattern = pattern![lit("<parameter="), QuotedKey, lit("=")];
const PARAM_LINE: Pattern = pattern![lit("<parameter="), QuotedKey, LineBreak];
const NEXT_JSON: Rule = confirmed(Only::Anywhere, OPEN, JSON, Act::EndCall);
const NEXT_FUNCTIONS: Rule = confirmed(Only::Anywhere, OPEN, FUNCTIONS, Act::EndCall);
const IN_FUNCTION: List<Rule> = rules![
    plain(PARAM, Act::OpenParam(0)),
    plain(PARAM_EQUALS, Act::OpenOddParam(0)),
    plain(PARAM_LINE, Act::OpenOddParam(0)),
    plain(END_FUNCTION, Act::CloseCall),
    plain(CLOSE, Act::EndCall),
    plain(FUNCTION, Act::EndCall),
    NEXT_FUNCTIONS,
    STRAY,
];
const FUNCTION_VALUE: List<Rule> = rules![
    closer(
        pattern![lit("</parameter>")],
        follow![PARAM, PARAM_EQUALS, PARAM_LINE, END_FUNCTION, CLOSE]
    ),
    only(Only::CleanLine, pattern![lit("<parameter="), Fresh, lit(">")], Act::EndValue),
    recovers(Only::CleanValue, END_FUNCTION, follow![CLOSE], Act::CloseBoth),
    recovers(Only::CleanValue, CLOSE, AT_END, Act::EndBoth),
];

const IN_KEYED: List<Rule> = rules![
    plain(pattern![lit("<arg_key>"), Key, lit("</arg_key>")], Act::NameParam),
    plain(pattern![lit("<arg_value>")], Act::OpenValue(1)),
    confirmed(
        Only::NoParam,
        pattern![lit("{")],
        follow![pattern![OneOf(Cow::Borrowed("\"}"))]],
        Act::OpenArguments(0)
    ),
    plain(CLOSE, Act::CloseCall),
    opener(KEYED, 0, KEYED_BODY, Act::EndCall),
    STRAY,
];
/// The same two where a block of any kind may follow.
const IN_ANY_FUNCTION: List<Rule> = rules![
    plain(PARAM, Act::OpenParam(0)),
    plain(PARAM_EQUALS, Act::OpenOddParam(0)),
    plain(PARAM_LINE, Act::OpenOddParam(0)),
    plain(END_FUNCTION, Act::CloseCall),
    plain(CLOSE, Act::EndCall),
    plain(FUNCTION, Act::EndCall),
    NEXT_JSON,
    NEXT_FUNCTIONS,
    opener(KEYED, 0, KEYED_BODY, Act::EndCall),
    STRAY,
];
const IN_ANY_KEYED: List<Rule> = rules![
    plain(pattern![lit("<arg_key>"), Key, lit("</arg_key>")], Act::NameParam),
    plain(pattern![lit("<arg_value>")], Act::OpenValue(1)),
    confirmed(
        Only::NoParam,
        pattern![lit("{")],
        follow![pattern![OneOf(Cow::Borrowed("\"}"))]],
        Act::OpenArguments(2)
    ),
    plain(CLOSE, Act::CloseCall),
    NEXT_JSON,
    NEXT_FUNCTIONS,
    opener(KEYED, 0, KEYED_BODY, Act::EndCall),
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
};

/// The dialect `tool-call`.
pub(crate) const TOOL_CALL: DialectSpec = FAMILY;

/// The dialect `hermes`.
pub(crate) const HERMES: DialectSpec = DialectSpec {
    name: Cow::Borrowed("hermes"),
    about: Cow::Borrowed("<tool_call>{\"name\": …, \"arguments\": {…}}</tool_call>"),
    text: TEXT_JSON,
    ..FAMILY
};

/// The dialect `qwen3-coder`.
pub(crate) const QWEN3_CODER: DialectSpec = DialectSpec {
    name: Cow::Borrowed("qwen3-coder"),
    about: Cow::Borrowed(
        "<tool_call><function=…><parameter=…>…</parameter></function></tool_call>",
    ),
    text: TEXT_FUNCTIONS,
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
    sections: list![SectionKind; BEHIND_ARGUMENTS],
    calls: list![List<Rule>; IN_KEYED],
    ..FAMILY
};
