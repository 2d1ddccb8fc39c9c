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

use super::spec::Piece::{self, *};
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

/// A marker that recovers from a forgotten closer: what follows shows that the call is over.
const fn recovers(only: Only, mark: Pattern, follow: List<Pattern>, act: Act) -> Rule {
    Rule { mark, follow, at_end: AtEnd::ConfirmsEnd, fixed: 0, only, act }
}

/// A marker between parameters that shows that the call has ended.
const fn ends(only: Only, mark: Pattern, follow: List<Pattern>, act: Act) -> Rule {
    Rule { mark, follow, at_end: AtEnd::Rejects, fixed: 0, only, act }
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
const BOUNDARY_KEYED: List<Cow<'static, str>> = strings![
    "<|im_end|>",
    "<|endoftext|>",
    "<|observation|>",
    "<|user|>",
    "<|assistant|>",
    "<|system|>",
    "<|role_end|>",
];

const QUOTE: Piece = OneOf(Cow::Borrowed("\"'}"));
/// An object or a list of them begins.
const JSON: List<Pattern> = follow![
    pattern![lit("{"), Ws, QUOTE],
    pattern![lit("{"), Ws, CallKey, Ws, lit(":")],
    pattern![lit("["), Ws, lit("{"), Ws, QUOTE],
    pattern![lit("["), Ws, lit("{"), Ws, CallKey, Ws, lit(":")],
    pattern![lit("```"), Letters, Ws, lit("{"), Ws, QUOTE],
    pattern![lit("```"), Letters, Ws, lit("{"), Ws, CallKey, Ws, lit(":")],
    pattern![lit("```"), Letters, Ws, lit("["), Ws, lit("{"), Ws, QUOTE],
    pattern![lit("```"), Letters, Ws, lit("["), Ws, lit("{"), Ws, CallKey, Ws, lit(":")],
];
/// The same behind a second opener.
const OPEN_JSON: List<Pattern> = follow![
    pattern![lit("<tool_call>"), Ws, lit("{"), Ws, QUOTE],
    pattern![lit("<tool_call>"), Ws, lit("{"), Ws, CallKey, Ws, lit(":")],
    pattern![lit("<tool_call>"), Ws, lit("["), Ws, lit("{"), Ws, QUOTE],
    pattern![lit("<tool_call>"), Ws, lit("["), Ws, lit("{"), Ws, CallKey, Ws, lit(":")],
    pattern![lit("<tool_call>"), Ws, lit("```"), Letters, Ws, lit("{"), Ws, QUOTE],
    pattern![lit("<tool_call>"), Ws, lit("```"), Letters, Ws, lit("{"), Ws, CallKey, Ws, lit(":")],
    pattern![lit("<tool_call>"), Ws, lit("```"), Letters, Ws, lit("["), Ws, lit("{"), Ws, QUOTE],
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
        CallKey,
        Ws,
        lit(":"),
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
    ends(Only::BareCall, mark, FUNCTION_BODY, Act::EndCall)
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
    Rule {
        mark: pattern![lit(",")],
        follow: follow![
            pattern![lit("\"arguments\""), Ws, lit(":")],
            pattern![lit("\"parameters\""), Ws, lit(":")],
            pattern![lit("\"args\""), Ws, lit(":")],
            pattern![lit("\"input\""), Ws, lit(":")],
        ],
        at_end: AtEnd::ConfirmsBegun,
        fixed: 0,
        only: Only::Waiting,
        act: Act::ResumeBody,
    },
    confirmed(
        Only::Anywhere,
        pattern![lit("{")],
        follow![pattern![QUOTE], pattern![CallKey, Ws, lit(":")]],
        Act::OpenObject
    ),
    only(Only::SectionStart, pattern![lit("```"), Letters], Act::Markup),
    plain(pattern![lit("```")], Act::Markup),
    plain(CLOSE, Act::CloseSection),
];
/// `<function=NAME/>`
const WHOLE_FUNCTION: Pattern = pattern![lit("<function="), Ws, QuotedTool, lit("/>")];
const FUNCTION_SECTION: List<Rule> = rules![
    Rule {
        mark: WHOLE_FUNCTION,
        follow: follow![pattern![lit("<parameter")], END_FUNCTION],
        at_end: AtEnd::Rejects,
        fixed: 0,
        only: Only::Anywhere,
        act: Act::OpenCall(ODD),
    },
    plain(WHOLE_FUNCTION, Act::WholeCall),
    plain(FUNCTION, Act::OpenCall(CALL)),
    confirmed(Only::Anywhere, FUNCTION_OPEN, FUNCTION_BODY, Act::OpenCall(ODD)),
    confirmed(Only::Anywhere, NAMED, follow![PARAMETER], Act::OpenCall(ODD)),
    plain(CLOSE, Act::CloseSection),
];

/// Behind the object that is all of a function's arguments stands its closer.
macro_rules! behind_object {
    ($functions:expr) => {
        SectionKind {
            rules: rules![
                plain(END_FUNCTION, Act::SectionGoesOn($functions)),
                plain(pattern![lit("```")], Act::Markup),
                plain(CLOSE, Act::SectionGoesOnBefore($functions)),
                plain(FUNCTION, Act::SectionGoesOnBefore($functions)),
                ends(
                    Only::Anywhere,
                    FUNCTION_OPEN,
                    FUNCTION_BODY,
                    Act::SectionGoesOnBefore($functions)
                ),
                ends(
                    Only::Anywhere,
                    NAMED,
                    follow![PARAMETER],
                    Act::SectionGoesOnBefore($functions)
                ),
            ],
            between: Between::Json,
        }
    };
}

/// Behind the object that is all of a keyed call's arguments.
const BEHIND_ARGUMENTS: SectionKind = SectionKind {
    rules: rules![plain(pattern![lit("```")], Act::Markup), plain(CLOSE, Act::CloseSection)],
    between: Between::Json,
};

/// A value's closer under a condition.
const fn closer_only(only: Only, mark: Pattern, follow: List<Pattern>) -> Rule {
    Rule { mark, follow, at_end: AtEnd::Confirms, fixed: 0, only, act: Act::CloseValue }
}

const STRAY: Rule =
    plain(pattern![lit("<"), Word, lit(">")], Act::Stray(DiagnosticKind::UnknownParameter));
/// A parameter's opener, well-formed and not.
const PARAM: Pattern = pattern![lit("<parameter="), QuotedKey, lit(">")];
const PARAM_EQUALS: Pattern = pattern![lit("<parameter="), QuotedKey, lit("=")];
const PARAM_LINE: Pattern = pattern![lit("<parameter="), QuotedKey, LineBreak];
/// The form of `invoke` for a parameter's opener.
const PARAM_NAME: Pattern =
    pattern![lit("<parameter"), Ws, lit("name"), Ws, lit("="), Ws, QuotedKey, Ws, lit(">")];
const NEXT_BARE: Rule = next_bare(BARE_MARK);
const NEXT_BARE_ODD: Rule = next_bare(BARE_ODD_MARK);
const NEXT_JSON: Rule = ends(Only::Anywhere, OPEN, JSON, Act::EndBlock);
const NEXT_KEYED: Rule = ends(Only::Anywhere, KEYED, KEYED_BODY, Act::EndBlock);
const NEXT_SPARE_JSON: Rule = ends(Only::Anywhere, OPEN, OPEN_JSON, Act::EndBlock);
const NEXT_SPARE_FUNCTIONS: Rule = ends(Only::Anywhere, OPEN, OPEN_FUNCTIONS, Act::EndBlock);
const NEXT_SPARE_KEYED: Rule = ends(Only::Anywhere, OPEN, OPEN_KEYED, Act::EndBlock);
const NEXT_FUNCTIONS: Rule = ends(Only::Anywhere, OPEN, FUNCTIONS, Act::EndBlock);

/// Between the parameters of a function; the section of kind `$object` stands behind an object that is
/// all of its arguments.
macro_rules! in_function {
    ($object:expr, $($next:expr),*) => {
        rules![
            plain(PARAM, Act::OpenParam(0)),
            plain(PARAM_EQUALS, Act::OpenOddParam(0)),
            plain(PARAM_LINE, Act::OpenOddParam(0)),
            plain(PARAM_NAME, Act::OpenOddParam(0)),
            confirmed(
                Only::CallStart,
                pattern![lit("{")],
                follow![pattern![OneOf(Cow::Borrowed("\"}"))]],
                Act::OpenArguments($object)
            ),
            plain(END_FUNCTION, Act::CloseCall),
            plain(CLOSE, Act::EndCall),
            only(Only::InSection, FUNCTION, Act::EndCall),
            ends(Only::InSection, FUNCTION_OPEN, FUNCTION_BODY, Act::EndCall),
            ends(Only::InSection, NAMED, follow![PARAMETER], Act::EndCall),
            NEXT_BARE,
            NEXT_BARE_ODD,
            $($next,)*
            STRAY,
        ]
    };
}

/// Between the parameters of a keyed call; the section of kind `$object` stands behind an object that is
/// all of its arguments.
macro_rules! in_keyed {
    ($object:expr, $($next:expr),*) => {
        rules![
            plain(pattern![lit("<arg_key>"), Key, lit("</arg_key>")], Act::NameParam),
            plain(pattern![lit("<arg_key>")], Act::BrokenKey),
            only(Only::Named, pattern![lit("<arg_value>")], Act::OpenValue(1)),
            confirmed(
                Only::CallStart,
                pattern![lit("{")],
                follow![pattern![OneOf(Cow::Borrowed("\"}"))]],
                Act::OpenArguments($object)
            ),
            plain(CLOSE, Act::CloseCall),
            $($next,)*
            STRAY,
        ]
    };
}

const IN_FUNCTION: List<Rule> = in_function!(1, NEXT_FUNCTIONS, NEXT_SPARE_FUNCTIONS);
const IN_KEYED: List<Rule> = in_keyed!(0, NEXT_KEYED, NEXT_SPARE_KEYED);
/// The same two where a block of any kind may follow.
const IN_ANY_FUNCTION: List<Rule> = in_function!(
    3,
    NEXT_JSON,
    NEXT_FUNCTIONS,
    NEXT_KEYED,
    NEXT_SPARE_JSON,
    NEXT_SPARE_FUNCTIONS,
    NEXT_SPARE_KEYED
);
const IN_ANY_KEYED: List<Rule> = in_keyed!(
    2,
    NEXT_JSON,
    NEXT_FUNCTIONS,
    NEXT_KEYED,
    NEXT_SPARE_JSON,
    NEXT_SPARE_FUNCTIONS,
    NEXT_SPARE_KEYED
);

/// A block of functions begins, or one of objects, or a keyed call: from `$before` on.
macro_rules! next_functions {
    ($($before:expr),*) => { follow![
        pattern![$($before,)* lit("<tool_call>"), Ws, lit("<function="), Ws, QuotedToolName, Ws, lit(">")],
        pattern![$($before,)* lit("<tool_call>"), Ws, lit("<function="), Ws, QuotedToolName, Ws, lit("<parameter=")],
        pattern![$($before,)* lit("<tool_call>"), Ws, lit("<function="), Ws, QuotedToolName, Ws, lit("</function>")],
        pattern![$($before,)* lit("<tool_call>"), Ws, lit("<"), Tool, lit(">"), Ws, lit("<parameter=")],
    ] };
}
macro_rules! next_json {
    ($($before:expr),*) => { follow![
        pattern![$($before,)* lit("<tool_call>"), Ws, lit("{"), Ws, QUOTE],
        pattern![$($before,)* lit("<tool_call>"), Ws, lit("{"), Ws, CallKey, Ws, lit(":")],
        pattern![$($before,)* lit("<tool_call>"), Ws, lit("["), Ws, lit("{"), Ws, QUOTE],
        pattern![$($before,)* lit("<tool_call>"), Ws, lit("["), Ws, lit("{"), Ws, CallKey, Ws, lit(":")],
        pattern![$($before,)* lit("<tool_call>"), Ws, lit("```"), Letters, Ws, lit("{"), Ws, QUOTE],
        pattern![$($before,)* lit("<tool_call>"), Ws, lit("```"), Letters, Ws, lit("["), Ws, lit("{"), Ws, QUOTE],
    ] };
}
macro_rules! next_keyed {
    ($($before:expr),*) => { follow![
        pattern![$($before,)* lit("<tool_call>"), Ws, ToolName, Ws, lit("<arg_key>")],
        pattern![$($before,)* lit("<tool_call>"), Ws, ToolName, Ws, lit("{"), Ws, OneOf(Cow::Borrowed("\"}"))],
        pattern![$($before,)* lit("<tool_call>"), Ws, ToolName, Ws, IfKnown, lit("</tool_call>")],
    ] };
}
/// The call is over: the stream is, or a token says so.
const OVER: List<Pattern> = follow![pattern![End], pattern![Boundary]];
const CLOSE_OVER: List<Pattern> =
    follow![pattern![lit("</tool_call>"), Ws, End], pattern![lit("</tool_call>"), Ws, Boundary]];
const BARE_FOLLOWS: List<Pattern> = follow![
    pattern![lit("<function="), Ws, QuotedTool, Ws, lit(">"), Ws, lit("<parameter=")],
    pattern![lit("<function="), Ws, QuotedTool, Ws, lit(">"), Ws, lit("</function>")],
    pattern![lit("<function="), Ws, QuotedTool, Ws, lit("<parameter=")],
    pattern![lit("<function="), Ws, QuotedTool, Ws, lit("</function>")],
];
const CLOSE_BARE_FOLLOWS: List<Pattern> = follow![
    pattern![CLOSER, Ws, lit("<function="), Ws, QuotedTool, Ws, lit(">"), Ws, lit("<parameter=")],
    pattern![CLOSER, Ws, lit("<function="), Ws, QuotedTool, Ws, lit(">"), Ws, lit("</function>")],
    pattern![CLOSER, Ws, lit("<function="), Ws, QuotedTool, Ws, lit("<parameter=")],
    pattern![CLOSER, Ws, lit("<function="), Ws, QuotedTool, Ws, lit("</function>")],
];
const CLOSER: Piece = lit("</tool_call>");
const END_VALUE: Pattern = pattern![lit("</parameter>")];

/// In the value of a function's parameter; `$next`: lists of what may follow a forgotten closer.
macro_rules! function_value {
    ($($next:expr),*; $($behind:expr),*) => {
        rules![
            closer(
                END_VALUE,
                follow![PARAM, PARAM_EQUALS, PARAM_LINE, PARAM_NAME, END_FUNCTION, CLOSE]
            ),
            closer_only(Only::InSection, END_VALUE, follow![FUNCTION]),
            closer_only(Only::BareCall, END_VALUE, BARE_FOLLOWS),
            $(closer(END_VALUE, $next),)*
            only(Only::CleanLine, pattern![lit("<parameter="), Fresh, lit(">")], Act::EndValue),
            only(Only::CleanLine, pattern![lit("<parameter=\""), Fresh, lit("\">")], Act::EndValue),
            only(Only::CleanLine, pattern![lit("<parameter='"), Fresh, lit("'>")], Act::EndValue),
            recovers(Only::CleanValue, END_FUNCTION, OVER, Act::CloseBoth),
            recovers(Only::CleanValue, END_FUNCTION, CLOSE_OVER, Act::CloseBoth),
            recovers(Only::CleanInSection, END_FUNCTION, follow![FUNCTION], Act::CloseBoth),
            recovers(Only::CleanBare, END_FUNCTION, BARE_FOLLOWS, Act::CloseBoth),
            recovers(Only::CleanValue, END_FUNCTION, CLOSE_BARE_FOLLOWS, Act::CloseBoth),
            $(recovers(Only::CleanValue, END_FUNCTION, $next, Act::CloseBoth),)*
            $(recovers(Only::CleanValue, END_FUNCTION, $behind, Act::CloseBoth),)*
            recovers(Only::CleanValue, CLOSE, AT_END, Act::CloseAll),
            only(Only::Unsuspected, pattern![lit("<parameter="), Fresh, lit(">")], Act::Suspect),
            only(Only::Unsuspected, pattern![lit("<parameter=\""), Fresh, lit("\">")], Act::Suspect),
            only(Only::Unsuspected, pattern![lit("<parameter='"), Fresh, lit("'>")], Act::Suspect),
        ]
    };
}

/// In the value of a keyed call; `$next`: lists of what may follow a forgotten closer.
macro_rules! keyed_value {
    ($($next:expr),*) => {
        rules![
            closer(pattern![lit("</arg_value>")], follow![pattern![lit("<arg_key>")], CLOSE, OPEN]),
            recovers(Only::CleanValue, CLOSE, OVER, Act::CloseBoth),
            $(recovers(Only::CleanValue, CLOSE, $next, Act::CloseBoth),)*
            only(
                Only::Unsuspected,
                pattern![lit("<arg_key>"), Fresh, lit("</arg_key>")],
                Act::Suspect
            ),
        ]
    };
}

const FUNCTION_VALUE: List<Rule> =
    function_value!(next_functions!(); next_functions!(lit("</tool_call>"), Ws));
const ANY_FUNCTION_VALUE: List<Rule> = function_value!(
    next_functions!(), next_json!(), next_keyed!();
    next_functions!(lit("</tool_call>"), Ws),
    next_json!(lit("</tool_call>"), Ws),
    next_keyed!(lit("</tool_call>"), Ws)
);
const KEYED_VALUE: List<Rule> = keyed_value!(next_keyed!());
const ANY_KEYED_VALUE: List<Rule> =
    keyed_value!(next_keyed!(), next_functions!(), next_json!(), BARE_FOLLOWS);
const CUT_BODY: List<Rule> = rules![plain(CLOSE, Act::EndBody)];

const VALUES: List<ValueKind> = list![
    ValueKind;
    ValueKind { rules: FUNCTION_VALUE, framing: Framing::LineBreak },
    ValueKind { rules: KEYED_VALUE, framing: Framing::None },
];
const ANY_VALUES: List<ValueKind> = list![
    ValueKind;
    ValueKind { rules: ANY_FUNCTION_VALUE, framing: Framing::LineBreak },
    ValueKind { rules: ANY_KEYED_VALUE, framing: Framing::None },
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
        behind_object!(1),
    ],
    calls: list![List<Rule>; IN_ANY_FUNCTION, IN_ANY_KEYED],
    values: ANY_VALUES,
    body: CUT_BODY,
    raw: None,
    raw_params: strings![],
    boundary: BOUNDARY_KEYED,
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
    values: VALUES,
    boundary: BOUNDARY,
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
        behind_object!(0),
    ],
    calls: list![List<Rule>; IN_FUNCTION],
    values: VALUES,
    boundary: BOUNDARY,
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
    values: VALUES,
    ..FAMILY
};
