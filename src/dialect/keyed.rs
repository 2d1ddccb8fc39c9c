//! Keyed calls in a section: `hunyuan` and `k2-horizon`. Their rules follow from [`keyed`](super::shape::keyed), those of
//! keys and values are those of `glm`.

use super::blocks::glm_prompt;
use super::build::rule;
use super::closers::stray;
use super::prose::reasoning_between;
use super::shape::keyed::{Form, Keyed, tag};
use super::shape::{Or, Shape, texts};
use super::spec::{Chars, DialectSpec, Name, Pattern, Piece, Ref, Run, Scope, Text, What};
use super::template::{ArgumentsForm, Template};
use crate::pattern;

/// `k2-horizon`.
///
/// ```text
/// KEYS := ( "<arg_key>" KEY "</arg_key>" TYPE? "<arg_value>" value "</arg_value>" )*
/// TYPE := "<arg_type>" NAME ( "[" … )? "</arg_type>"
/// call := … | "<tool_call>" json "</tool_call>"
/// ```
/// All its tags begin with `ifm|`. A type on the wire decides where the schema leaves a choice.
pub(in crate::dialect) fn k2_horizon() -> DialectSpec {
    const OPEN: &[&str] = &["<ifm|think>", "<ifm|think_fast>", "<ifm|think_faster>"];
    const CLOSE: &[&str] = &["</ifm|think>", "</ifm|think_fast>", "</ifm|think_faster>"];
    let shape = Shape {
        name: "k2-horizon".into(),
        about:
            "a section of <ifm|tool_call>NAME<ifm|arg_key>…</ifm|arg_key><ifm|arg_value>…, or JSON"
                .into(),
        section: "<ifm|tool_calls>{calls}</ifm|tool_calls>".into(),
        call: "<ifm|tool_call>{name}{arguments}</ifm|tool_call>".into(),
        argument: "<ifm|arg_key>{key}</ifm|arg_key><ifm|arg_type>{whole_type}</ifm|arg_type>\
                   <ifm|arg_value>{value}</ifm|arg_value>"
            .into(),
        or: vec![Or::json(
            "<ifm|tool_call>{\"name\": {name}, \"arguments\": {arguments}}</ifm|tool_call>",
        )],
        between: Some("".into()),
        reasoning: Some("".into()),
        tokens: texts(&["<|im_end|>"]),
        special: true,
        also_rules: vec![stray(pattern![&["</ifm|arg_key>", "</ifm|arg_type>"][..]])],
        prompt: Some(glm_prompt()),
        result: "<tool_response>\n{content}\n</tool_response>".into(),
        ..Shape::default()
    };
    shape.built_in().with_reasoning(reasoning_between(pattern![OPEN], pattern![CLOSE]))
}

/// What `hunyuan` writes with such a suffix in its tags.
fn hunyuan_shape(suffix: &str) -> Shape {
    let suffixed = |text: &str| Text::Owned(text.replace('>', &format!("{suffix}>")));
    Shape {
        name: "hunyuan".into(),
        about: "a section of <tool_call:S>NAME<tool_sep:S><arg_key:S>…</arg_key:S>…</tool_call:S>"
            .into(),
        section: suffixed("<tool_calls>\n{calls}\n</tool_calls>"),
        call: suffixed("<tool_call>{name}<tool_sep>\n{arguments}</tool_call>"),
        argument: suffixed("<arg_key>{key}</arg_key>\n<arg_value>{value}</arg_value>\n"),
        or: vec![Or::json(suffixed("<tool_call>{name}{arguments}</tool_call>"))],
        tokens: TOKENS.map(|of| format!("<｜hy_{of}｜>").into()).to_vec(),
        special: true,
        prompt: Some(glm_prompt()),
        result: suffixed("<tool_response>\n{content}\n</tool_response>\n"),
        results: suffixed("<tool_responses>\n{result}{result}</tool_responses>"),
        ..Shape::default()
    }
}

/// The stop tokens.
const TOKENS: [&str; 3] = ["eos", "User", "Assistant"];
/// What a suffix is made of, less its colon.
const SUFFIX: Chars = Chars::except(" \t\r\n<>");
/// The same in a stop token, where a bar ends it: beyond ASCII letters and digits alone.
const TOKEN_SUFFIX: Chars = Chars::NAME.and("!\"#%&'()*,;=?[\\]^`{|}~");

/// The suffix of a tag.
fn suffix() -> Name {
    Name::element().chars(SUFFIX)
}

/// A tag whose suffix has more than 64 bytes, up to there: it is none.
fn too_long() -> Pattern {
    let tags = [
        "tool_calls",
        "tool_call",
        "think",
        "tool_responses",
        "tool_response",
        "arg_key",
        "arg_value",
    ];
    let tags = tags.map(|tag| [format!("<{tag}:"), format!("</{tag}:")]).concat();
    longer(tags, SUFFIX)
}

/// A name has a bound of 128 bytes; this is asked first.
fn longer(begin: Vec<String>, suffix: Chars) -> Pattern {
    let begin = Piece::Any(begin.into_iter().map(Text::Owned).collect());
    vec![begin, Piece::Run(Run { chars: suffix, min: 65, max: 65 })]
}

/// `hunyuan`.
///
/// ```text
/// KEYS := "<tool_sep>"? ws ( PAIR ws )* | object
/// PAIR := "<arg_key>" KEY "</arg_key>" ws "<arg_value>" value "</arg_value>"
/// ```
/// `<tool_sep>` is of Hunyuan 3 alone; it confirms a call of any name. All tags have the suffix of the
/// checkpoint, or none: `<tool_call:opensource>`. The opener of a call names the suffix for all of the
/// call: tags with another one are data. It has at most 64 bytes.
pub(in crate::dialect) fn hunyuan() -> DialectSpec {
    let mut shape = hunyuan_shape("");
    let token = |name: &str, suffix: Piece| pattern![format!("<｜hy_{name}:"), suffix, "｜>"];
    let tokens = |suffix: Piece| TOKENS.map(|name| token(name, suffix.clone())).to_vec();
    let results = |suffix: &Pattern| {
        ["<tool_responses>", "<tool_response>"].map(|text| tag(text, suffix)).to_vec()
    };
    let too_long_token =
        longer(TOKENS.map(|token| format!("<｜hy_{token}:")).to_vec(), TOKEN_SUFFIX);
    shape.also_rules =
        [too_long(), too_long_token].map(|mark| rule(mark).does(What::Pass)).to_vec();
    const CLOSERS: &[&str] = &["</arg_value:", "</arg_key:"];
    shape
        .also_rules
        .extend([stray(pattern![CLOSERS, suffix(), ">"]), stray(pattern!["</arg_key>"])]);
    let forms = |keyed: &Keyed<'_>| {
        let plain = keyed.form();
        let opens = pattern![suffix()];
        let suffixed = Form {
            results: results(&opens),
            opens,
            own: pattern![Ref::Element],
            tokens: [
                tokens(Name::element().chars(TOKEN_SUFFIX).into()),
                tokens(Ref::Element.into()),
            ],
        };
        vec![Form { results: results(&plain.opens), ..plain }, suffixed]
    };
    let mut spec = shape.built_in_with(forms);
    spec.sections[0].rules.insert(0, rule(too_long()).before().close(Scope::Section));
    spec = spec.with_reasoning(reasoning_between(
        pattern!["<think:", suffix(), ">"],
        pattern!["</think:", suffix(), ">"],
    ));
    spec.prose[1].rules.insert(0, rule(too_long()).does(What::Pass));
    DialectSpec { template: hunyuan_3(), ..spec }
}

/// The suffix is that of the open weights of Hunyuan 3: a rename of `:opensource` gives another one.
fn hunyuan_3() -> Template {
    suffixed(hunyuan_shape(":opensource"))
}

/// Of Hunyuan 4: nothing between the name and the keys.
pub(in crate::dialect) fn hunyuan_4() -> Template {
    let call = "<tool_call:opensource>{name}\n{arguments}</tool_call:opensource>".into();
    suffixed(Shape { call, ..hunyuan_shape(":opensource") })
}

/// What it writes is read with its suffix.
fn suffixed(shape: Shape) -> Template {
    let mut template = shape.template();
    if let ArgumentsForm::Params(param) = &mut template.call.arguments {
        param.kind = 1;
    }
    template
}
