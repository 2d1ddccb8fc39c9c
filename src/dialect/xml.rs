//! The XML dialects: `cline`, `code-assistant`, `invoke`.
//!
//! It looks like XML and is none: no entities, no CDATA, no comments, attributes only where the
//! grammar shows them, names are case-sensitive. In the grammars `ws` is white space, `junk` is
//! anything that is no marker there.
//!
//! # `cline`
//!
//! Cline, Roo Code, Kilo Code and their heirs: the tags *are* the declared names.
//!
//! ```text
//! call    := "<" TOOL ">" junk ( param junk )* "</" TOOL ">"
//! param   := "<" P ">" value "</" P ">"
//! anytag  := "<" ( a name that TOOL declares | [A-Za-z0-9_.-]{1,128} ) ">"
//! wrapper := "<function_calls>" ws, before a call's opener
//! ```
//! * `<TOOL>` counts if `ws anytag` or `ws </TOOL>` follows.
//! * `</P>` of a *raw* parameter (`content`, `diff`, `arguments`, and those of `raw_params`) counts
//!   before `ws </TOOL>`, before `ws <Q>` with Q declared and not yet given, before one small
//!   undeclared element with one of these behind it, and at the end of the stream.
//! * `</P>` of any other parameter counts before `ws </TOOL>`, `ws anytag` and the end.
//! * `</TOOL>` in an open value counts at the very end of the stream, and before a confirmed opener.
//!
//! # `code-assistant`
//!
//! ```text
//! call  := "<tool:" NAME ">" junk ( param junk )* "</tool:" NAME ">"
//! param := "<param:" KEY ">" value "</param:" KEY ">"
//! ```
//!
//! # `invoke`
//!
//! Anthropic's prompt form, with MiniMax's wrapper beside the first one.
//!
//! ```text
//! section := OPEN ( junk call )* junk CLOSE
//! call    := "<invoke" ws "name" ws "=" ws ATTR ws "/"? ">" junk ( param junk )* "</invoke>"
//! param   := "<parameter" ws "name" ws "=" ws ATTR … ">" value "</parameter>"
//! ```

use std::borrow::Cow;

use super::spec::Piece::*;
use super::spec::{
    Act, AtEnd, BARE, Between, CALL, DialectSpec, Framing, List, NameRule, Only, Pattern, Rule,
    SectionKind, ValueKind, follow, list, lit, pattern, rules, strings,
};
use super::wire;
use crate::event::DiagnosticKind;
use crate::options::CallsInReasoning;

type Strings = List<Cow<'static, str>>;
pub(super) const THINK_OPENERS: Strings = strings!["<think>", "<thinking>"];
pub(super) const THINK_CLOSERS: Strings = strings!["</think>", "</thinking>"];

/// A marker that counts by itself.
pub(super) const fn plain(mark: Pattern, act: Act) -> Rule {
    Rule {
        mark,
        follow: Cow::Borrowed(&[]),
        at_end: AtEnd::Rejects,
        fixed: 0,
        only: Only::Anywhere,
        act,
    }
}

/// An opener, confirmed by the beginning of its body; `fixed` pieces of it make a rejected one.
pub(super) const fn opener(mark: Pattern, fixed: usize, follow: List<Pattern>, act: Act) -> Rule {
    Rule { mark, follow, at_end: AtEnd::ConfirmsKnown, fixed, only: Only::Anywhere, act }
}

/// A marker between parameters that shows that the call has ended.
pub(super) const fn ends_call(mark: Pattern, follow: List<Pattern>) -> Rule {
    ends_call_only(Only::Anywhere, mark, follow)
}

/// The same, where it counts only there.
const fn ends_call_only(only: Only, mark: Pattern, follow: List<Pattern>) -> Rule {
    Rule { mark, follow, at_end: AtEnd::Rejects, fixed: 0, only, act: Act::EndCall }
}

/// In a value: the opener of a parameter that is not given yet.
const fn suspect(mark: Pattern) -> Rule {
    let (only, act) = (Only::Unsuspected, Act::Suspect);
    Rule { mark, follow: Cow::Borrowed(&[]), at_end: AtEnd::Rejects, fixed: 0, only, act }
}

/// A value's closer, confirmed by its follow set or by the end of the stream.
pub(super) const fn closer(mark: Pattern, follow: List<Pattern>) -> Rule {
    Rule {
        mark,
        follow,
        at_end: AtEnd::Confirms,
        fixed: 0,
        only: Only::Anywhere,
        act: Act::CloseValue,
    }
}

/// A value's closer under another name, confirmed by its follow set alone.
pub(super) const fn mismatched(mark: Pattern, follow: List<Pattern>) -> Rule {
    let act = Act::CloseValueMismatched;
    Rule { mark, follow, at_end: AtEnd::Rejects, fixed: 0, only: Only::Anywhere, act }
}

/// The call's closer in an open value: it ends both, unless the value holds its own closer as
/// data (then only that one can end it).
pub(super) const fn closes_both(mark: Pattern, follow: List<Pattern>) -> Rule {
    closes_both_only(Only::CleanValue, mark, follow)
}

/// The same under a further condition.
const fn closes_both_only(only: Only, mark: Pattern, follow: List<Pattern>) -> Rule {
    Rule { mark, follow, at_end: AtEnd::ConfirmsEnd, fixed: 0, only, act: Act::CloseBoth }
}

/// The dialect `cline`.
pub(crate) const CLINE: DialectSpec = {
    const OPEN: Pattern = pattern![lit("<"), Tool, lit(">")];
    const CLOSE: Pattern = pattern![lit("</"), CallName, lit(">")];
    const PARAM: Pattern = pattern![lit("<"), Declared, lit(">")];
    const FRESH: Pattern = pattern![lit("<"), Fresh, lit(">")];
    const TAG: Pattern = pattern![lit("<"), Word, lit(">")];
    const CLOSE_VALUE: Pattern = pattern![lit("</"), ParamName, lit(">")];
    const BODY: List<Pattern> = follow![PARAM, TAG, pattern![lit("</"), Captured, lit(">")]];

    const TEXT: List<Rule> = rules![
        opener(OPEN, 3, BODY, Act::OpenCall(CALL)),
        // Attributes make it no tag of this grammar, but its closer belongs to it.
        opener(pattern![lit("<"), Tool, lit(" ")], 3, Cow::Borrowed(&[]), Act::Reject),
        opener(pattern![lit("<"), Tool, lit("\t")], 3, Cow::Borrowed(&[]), Act::Reject),
        opener(pattern![lit("<"), Tool, lit("\n")], 3, Cow::Borrowed(&[]), Act::Reject),
        opener(pattern![lit("<"), Tool, lit("\r")], 3, Cow::Borrowed(&[]), Act::Reject),
        opener(
            pattern![lit("<function_calls>"), Ws],
            1,
            follow![
                pattern![lit("<"), Tool, lit(">"), Ws, lit("<"), Declared, lit(">")],
                pattern![lit("<"), Tool, lit(">"), Ws, lit("<"), Word, lit(">")],
                pattern![lit("<"), Tool, lit(">"), Ws, lit("</"), Same, lit(">")],
            ],
            Act::Markup,
        ),
        plain(pattern![lit("</"), Tool, lit(">")], Act::OrphanCall),
        plain(pattern![lit("</function_calls>")], Act::OrphanSection),
    ];
    // Behind a call whose value lacks its closer: the end, or another call.
    const NEXT: List<Pattern> = follow![
        pattern![End],
        pattern![lit("<"), Tool, lit(">"), Ws, lit("<"), Declared, lit(">")],
        pattern![lit("<"), Tool, lit(">"), Ws, lit("<"), Word, lit(">")],
        pattern![lit("<"), Tool, lit(">"), Ws, lit("</"), Same, lit(">")],
    ];
    const CALL_RULES: List<Rule> = rules![
        plain(PARAM, Act::OpenParam(0)),
        plain(CLOSE, Act::CloseCall),
        ends_call(OPEN, BODY),
        plain(TAG, Act::Stray(DiagnosticKind::UnknownParameter)),
    ];
    const SHORT: List<Rule> = rules![
        closer(CLOSE_VALUE, follow![CLOSE, PARAM, TAG]),
        closes_both(CLOSE, NEXT),
        suspect(FRESH),
    ];
    // Behind a raw value one small element may stand that the tool does not declare.
    const RAW: List<Rule> = rules![
        closer(
            CLOSE_VALUE,
            follow![
                CLOSE,
                FRESH,
                pattern![
                    lit("<"),
                    Undeclared,
                    lit(">"),
                    Words,
                    lit("</"),
                    Same,
                    lit(">"),
                    Ws,
                    lit("</"),
                    CallName,
                    lit(">"),
                ],
                pattern![
                    lit("<"),
                    Undeclared,
                    lit(">"),
                    Words,
                    lit("</"),
                    Same,
                    lit(">"),
                    Ws,
                    lit("<"),
                    Fresh,
                    lit(">"),
                ],
            ]
        ),
        closes_both(CLOSE, NEXT),
        suspect(FRESH),
    ];
    DialectSpec {
        name: Cow::Borrowed("cline"),
        about: Cow::Borrowed("declared names as tags: <read_file><path>…</path></read_file>"),
        names: NameRule::Tag,
        reasoning_openers: THINK_OPENERS,
        reasoning_closers: THINK_CLOSERS,
        calls_in_reasoning: CallsInReasoning::Ignore,
        text: TEXT,
        sections: list![SectionKind;],
        calls: list![List<Rule>; CALL_RULES],
        body: rules![],
        raw: Some(1),
        boundary: strings![],
        values: list![
            ValueKind;
            ValueKind { rules: SHORT, framing: Framing::Trimmed },
            ValueKind { rules: RAW, framing: Framing::LineBreak },
        ],
        raw_params: strings!["content", "diff", "arguments"],
        diff_params: strings!["diff"],
        lists: false,
        lines: None,
        wire: wire::CLINE,
    }
};

/// The dialect `code-assistant`.
pub(crate) const CODE_ASSISTANT: DialectSpec = {
    const OPEN: Pattern = pattern![lit("<tool:"), ToolName, lit(">")];
    const PARAM: Pattern = pattern![lit("<param:"), Name, lit(">")];
    const CLOSE: Pattern = pattern![lit("</tool:"), CallName, lit(">")];
    const CLOSE_ANY: Pattern = pattern![lit("</tool:"), Name, lit(">")];
    const BODY: List<Pattern> = follow![PARAM, pattern![lit("</tool:"), Captured, lit(">")]];

    const TEXT: List<Rule> =
        rules![opener(OPEN, 1, BODY, Act::OpenCall(CALL)), plain(CLOSE_ANY, Act::OrphanCall)];
    const CALL_RULES: List<Rule> = rules![
        plain(PARAM, Act::OpenParam(0)),
        plain(CLOSE_ANY, Act::CloseCall),
        ends_call(OPEN, BODY),
        plain(pattern![lit("<"), Word, lit(">")], Act::Stray(DiagnosticKind::UnknownParameter)),
    ];
    const VALUE: List<Rule> = rules![
        closer(
            pattern![lit("</param:"), ParamName, lit(">")],
            follow![PARAM, CLOSE_ANY, pattern![lit("<tool:"), Name, lit(">")]]
        ),
        mismatched(pattern![lit("</"), ParamName, lit(">")], follow![PARAM, CLOSE]),
        closes_both(
            CLOSE,
            follow![
                pattern![End],
                pattern![lit("<tool:"), Name, lit(">"), Ws, lit("<param:"), Name, lit(">")],
                pattern![lit("<tool:"), Name, lit(">"), Ws, lit("</tool:"), Same, lit(">")],
            ]
        ),
        suspect(pattern![lit("<param:"), Fresh, lit(">")]),
    ];
    DialectSpec {
        name: Cow::Borrowed("code-assistant"),
        about: Cow::Borrowed(
            "prefixed tags: <tool:read_file><param:path>…</param:path></tool:read_file>",
        ),
        names: NameRule::Free,
        reasoning_openers: THINK_OPENERS,
        reasoning_closers: THINK_CLOSERS,
        calls_in_reasoning: CallsInReasoning::Ignore,
        text: TEXT,
        sections: list![SectionKind;],
        calls: list![List<Rule>; CALL_RULES],
        body: rules![],
        raw: None,
        boundary: strings![],
        values: list![ValueKind; ValueKind { rules: VALUE, framing: Framing::LineBreak }],
        raw_params: strings![],
        diff_params: strings![],
        lists: true,
        lines: None,
        wire: wire::CODE_ASSISTANT,
    }
};

/// A call without a section begins, behind `$before`.
macro_rules! next {
    ($($before:expr),*) => { follow![
        pattern![
            $($before,)* lit("<invoke"), Ws, lit("name"), Ws, lit("="), Ws, KnownToolAttr, Ws,
            lit(">"), Ws, lit("<parameter"), Ws, lit("name"), Ws, lit("="), Ws, Attr, Rest, lit(">"),
        ],
        pattern![
            $($before,)* lit("<invoke"), Ws, lit("name"), Ws, lit("="), Ws, KnownToolAttr, Ws,
            lit(">"), Ws, lit("</invoke>"),
        ],
    ] };
}
/// A section begins, behind `$before`.
macro_rules! next_sections {
    ($($before:expr),*) => { follow![
        pattern![$($before,)* lit("<function_calls>"), Ws, lit("<invoke")],
        pattern![$($before,)* lit("<minimax:tool_call>"), Ws, lit("<invoke")],
    ] };
}

/// The dialect `invoke`.
pub(crate) const INVOKE: DialectSpec = {
    const INVOKE: Pattern =
        pattern![lit("<invoke"), Ws, lit("name"), Ws, lit("="), Ws, ToolAttr, Ws, Slash, lit(">")];
    const BARE_INVOKE: Pattern =
        pattern![lit("<invoke"), Ws, lit("name"), Ws, lit("="), Ws, KnownToolAttr, Ws, lit(">")];
    const PARAM: Pattern =
        pattern![lit("<parameter"), Ws, lit("name"), Ws, lit("="), Ws, Attr, Rest, lit(">")];
    const END_INVOKE: Pattern = pattern![lit("</invoke>")];
    const CLOSE: Pattern = pattern![lit("</function_calls>")];
    const CLOSE_MINIMAX: Pattern = pattern![lit("</minimax:tool_call>")];
    const BODY: List<Pattern> = follow![PARAM, END_INVOKE];
    const BEGINS: List<Pattern> = follow![pattern![lit("<invoke")]];

    const TEXT: List<Rule> = rules![
        opener(pattern![lit("<function_calls>")], 1, BEGINS, Act::OpenSection(0)),
        opener(pattern![lit("<minimax:tool_call>")], 1, BEGINS, Act::OpenSection(0)),
        opener(BARE_INVOKE, 3, BODY, Act::OpenCall(BARE)),
        plain(END_INVOKE, Act::OrphanCall),
        plain(CLOSE, Act::OrphanSection),
        plain(CLOSE_MINIMAX, Act::OrphanSection),
    ];
    const SECTION: List<Rule> = rules![
        plain(INVOKE, Act::OpenCall(CALL)),
        plain(CLOSE, Act::CloseSection),
        plain(CLOSE_MINIMAX, Act::CloseSection),
    ];
    const NO_FOLLOW: List<Pattern> = Cow::Borrowed(&[]);
    const CALL_RULES: List<Rule> = rules![
        plain(PARAM, Act::OpenParam(0)),
        plain(END_INVOKE, Act::CloseCall),
        ends_call_only(Only::InSection, INVOKE, NO_FOLLOW),
        ends_call_only(Only::BareCall, BARE_INVOKE, BODY),
        ends_call(CLOSE, NO_FOLLOW),
        ends_call(CLOSE_MINIMAX, NO_FOLLOW),
        plain(pattern![lit("<"), Word, lit(">")], Act::Stray(DiagnosticKind::UnknownParameter)),
    ];
    const VALUE: List<Rule> = rules![
        closer(
            pattern![lit("</parameter>")],
            follow![PARAM, END_INVOKE, CLOSE, CLOSE_MINIMAX, INVOKE]
        ),
        mismatched(pattern![lit("</"), ParamName, lit(">")], follow![PARAM, END_INVOKE]),
        closes_both(
            END_INVOKE,
            follow![
                pattern![End],
                pattern![lit("</function_calls>"), Ws, End],
                pattern![lit("</minimax:tool_call>"), Ws, End],
            ]
        ),
        closes_both_only(Only::CleanInSection, END_INVOKE, follow![INVOKE]),
        closes_both_only(Only::CleanBare, END_INVOKE, next!()),
        closes_both(END_INVOKE, next_sections!()),
        closes_both(END_INVOKE, next!(lit("</function_calls>"), Ws)),
        closes_both(END_INVOKE, next!(lit("</minimax:tool_call>"), Ws)),
        closes_both(END_INVOKE, next_sections!(lit("</function_calls>"), Ws)),
        closes_both(END_INVOKE, next_sections!(lit("</minimax:tool_call>"), Ws)),
        suspect(pattern![
            lit("<parameter"),
            Ws,
            lit("name"),
            Ws,
            lit("="),
            Ws,
            lit("\""),
            Fresh,
            lit("\""),
            Rest,
            lit(">"),
        ]),
        suspect(pattern![
            lit("<parameter"),
            Ws,
            lit("name"),
            Ws,
            lit("="),
            Ws,
            lit("'"),
            Fresh,
            lit("'"),
            Rest,
            lit(">"),
        ]),
        suspect(pattern![lit("<parameter"), Ws, lit("name"), Ws, lit("="), Ws, Fresh, lit(">")]),
        suspect(pattern![
            lit("<parameter"),
            Ws,
            lit("name"),
            Ws,
            lit("="),
            Ws,
            Fresh,
            OneOf(Cow::Borrowed(" \t\r\n/")),
            Rest,
            lit(">"),
        ]),
    ];
    DialectSpec {
        name: Cow::Borrowed("invoke"),
        about: Cow::Borrowed(
            "a section of <invoke name=\"…\"><parameter name=\"…\">…</parameter></invoke>",
        ),
        names: NameRule::Free,
        reasoning_openers: THINK_OPENERS,
        reasoning_closers: THINK_CLOSERS,
        calls_in_reasoning: CallsInReasoning::Ignore,
        text: TEXT,
        sections: list![SectionKind; SectionKind { rules: SECTION, between: Between::Junk }],
        calls: list![List<Rule>; CALL_RULES],
        body: rules![],
        raw: None,
        boundary: strings![],
        values: list![ValueKind; ValueKind { rules: VALUE, framing: Framing::LineBreak }],
        raw_params: strings![],
        diff_params: strings![],
        lists: false,
        lines: None,
        wire: wire::INVOKE,
    }
};
