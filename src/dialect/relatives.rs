//! Relatives of the `<tool_call>` dialects, which differ by their literals: `seed-oss`, `longcat`,
//! `iquest-q1`, `solar-open2`. The grammars are those of `qwen3-coder`, `hermes` and `glm`, in
//! [`super::tool_call`], with other tags.
//!
//! ```text
//! dialect      bodies       literals
//! seed-oss     functions    <seed:tool_call> <seed:think>
//! longcat      json, keyed  <longcat_tool_call> <longcat_arg_key> <longcat_arg_value> <longcat_think>
//! iquest-q1    keyed        <iquest_tool_call>
//! solar-open2  keyed        <|tool_call:start|> … <|tool_call:end|> <|think:start|> … <|think:end|>
//! ```
//!
//! * Values are verbatim, those of functions, too.
//! * Reasoning between literals of their own begins anywhere, not only at the start of a line.
//! * In `solar-open2` one literal ends the key and begins the value:
//!   `<|tool_arg:start|>` KEY `<|tool_arg:value|>` value `<|tool_arg:end|>`.

use std::borrow::Cow::Borrowed;

use super::parts::{reasoning, think};
use super::spec::{DialectSpec, Framing, Piece};
use super::template::{
    ArgumentsForm, CALL, CallForm, PARAM, ParamForm, ResultForm, StopForm, Template, results, stop,
};
use super::tool_call::{Bodies, glm_template, hermes_template, qwen3_coder_template};

const FUNCTIONS: Bodies = Bodies { functions: true, ..Bodies::NONE };
const JSON_AND_KEYED: Bodies = Bodies { json: true, keyed: true, ..Bodies::NONE };
const KEYED: Bodies = Bodies { keyed: true, ..Bodies::NONE };

/// The family's table with other literals. (Those of stop tokens and reasoning it takes as they are.)
fn renamed(base: DialectSpec, renames: &[(&str, &str)]) -> DialectSpec {
    let about = base.about.clone();
    let spec = base.renamed(base.name.clone(), renames);
    DialectSpec { about, ..spec.expect("each literal is one of the family's") }
}

/// What ends the stream after a call that needs its closer is none of the family's literals.
const INVENTED_RESULT: StopForm = stop(&[], &[Borrowed("<tool_response>")]);

/// The dialect `seed-oss`.
pub(crate) fn seed_oss() -> DialectSpec {
    let template = Template {
        result: ResultForm {
            ok: Borrowed("<seed:bos>tool\n{content}<seed:eos>"),
            error: Borrowed("<seed:bos>tool\nError: {content}<seed:eos>"),
            between: Borrowed(""),
            ..qwen3_coder_template().result
        },
        ..qwen3_coder_template()
    };
    let about =
        "<seed:tool_call><function=…><parameter=…>…</parameter></function></seed:tool_call>";
    let spec = FUNCTIONS.dialect_with(
        reasoning("<seed:think>", "</seed:think>"),
        &["<seed:eos>", "<seed:bos>"],
        DialectSpec::new("seed-oss", about, template),
    );
    let mut spec = renamed(
        spec,
        &[("<tool_call>", "<seed:tool_call>"), ("</tool_call>", "</seed:tool_call>")],
    );
    spec.values[0].framing = Framing::None;
    spec
}

/// The dialect `longcat`.
pub(crate) fn longcat() -> DialectSpec {
    let about = "<longcat_tool_call>NAME<longcat_arg_key>…</longcat_arg_key>…, or JSON";
    let template = Template {
        call: CallForm { between: Borrowed(""), ..glm_template().call },
        stop: INVENTED_RESULT,
        ..glm_template()
    };
    let spec = JSON_AND_KEYED.dialect_with(
        reasoning("<longcat_think>", "</longcat_think>"),
        &["</longcat_s>", "<longcat_user>", "<longcat_assistant>"],
        DialectSpec::new("longcat", about, template),
    );
    renamed(
        spec,
        &[
            ("tool_call>", "longcat_tool_call>"),
            ("arg_key>", "longcat_arg_key>"),
            ("arg_value>", "longcat_arg_value>"),
            ("tool_response>", "longcat_tool_response>"),
        ],
    )
}

/// Of LongCat Flash Chat.
pub(super) fn longcat_json() -> Template {
    Template {
        call: CallForm {
            open: Borrowed("<longcat_tool_call>\n{\"name\": {json_name}, \"arguments\": "),
            close: Borrowed("}\n</longcat_tool_call>"),
            ..hermes_template().call
        },
        result: results(
            "<longcat_tool_response>\n{content}\n</longcat_tool_response>",
            "<longcat_tool_response>\nError: {content}\n</longcat_tool_response>",
            "\n",
        ),
        stop: stop(&[Borrowed("</longcat_tool_call>")], &[Borrowed("<longcat_tool_response>")]),
        ..hermes_template()
    }
}

/// The dialect `iquest-q1`.
pub(crate) fn iquest_q1() -> DialectSpec {
    let template = Template {
        call: CallForm {
            open: Borrowed("<tool_call>{name}"),
            arguments: ArgumentsForm::Params(ParamForm {
                open: Borrowed("<arg_key>{key}</arg_key><arg_value>"),
                close: Borrowed("</arg_value>"),
                ..PARAM
            }),
            close: Borrowed("</tool_call>"),
            ..CALL
        },
        stop: INVENTED_RESULT,
        ..glm_template()
    };
    let about =
        "<iquest_tool_call>NAME<arg_key>…</arg_key><arg_value>…</arg_value></iquest_tool_call>";
    let spec = KEYED.dialect_with(
        think(),
        &["<|iquest_end|>", "<|im_end|>"],
        DialectSpec::new("iquest-q1", about, template),
    );
    renamed(spec, &[("tool_call>", "iquest_tool_call>")])
}

/// The dialect `solar-open2`.
pub(crate) fn solar_open2() -> DialectSpec {
    const VALUE: &str = "<|tool_arg:value|>";
    let about = "<|tool_call:start|>NAME<|tool_arg:start|>…<|tool_arg:value|>…<|tool_arg:end|>…";
    let template = Template {
        call: CallForm { between: Borrowed(""), ..glm_template().call },
        stop: INVENTED_RESULT,
        ..glm_template()
    };
    let spec = Bodies { token: true, ..KEYED }.dialect_with(
        reasoning("<|think:start|>", "<|think:end|>"),
        &["<|im:end|>", "<|im:start|>", "<|im:content|>"],
        DialectSpec::new("solar-open2", about, template),
    );
    let mut spec = renamed(
        spec,
        &[
            ("</arg_key>\n<arg_value>", VALUE),
            ("<tool_call>", "<|tool_call:start|>"),
            ("</tool_call>", "<|tool_call:end|>"),
            ("<arg_key>", "<|tool_arg:start|>"),
            ("</arg_key>", VALUE),
            ("<arg_value>", VALUE),
            ("</arg_value>", "<|tool_arg:end|>"),
        ],
    );
    // What ended the key in `glm` begins the value here: it follows the key and is read again.
    for rule in &mut spec.calls[0].rules {
        if rule.mark.len() > 1 && rule.mark.ends_with(&[Piece::from(VALUE)]) {
            rule.follow.extend(rule.mark.pop().map(|value| vec![value]));
        }
    }
    spec
}
