//! Other forms of a dialect: what some of its models write otherwise than the others, where the parser
//! reads both. The history that goes back to a model stands in the form that it writes itself.

use std::borrow::Cow::Borrowed;
use std::sync::LazyLock;

use super::json_array::{list, object, results, stop};
use super::{
    ArgumentsForm, CALL, CallForm, DEEPSEEK_DSML, GIGACHAT3, GLM, GRANITE, HERMES, JSON_ARRAY,
    MISTRAL, PARAM, ParamForm, ResultForm, Template,
};
use crate::dialect::hunyuan::HUNYUAN;

/// One of them.
pub(crate) struct Form {
    /// The name of the dialect.
    pub dialect: &'static str,
    /// Its own name, after a colon.
    pub name: &'static str,
    pub template: LazyLock<Template>,
}

const fn form(dialect: &'static str, name: &'static str, template: fn() -> Template) -> Form {
    Form { dialect, name, template: LazyLock::new(template) }
}

/// All of them, by dialect.
pub(crate) static FORMS: [Form; 14] = [
    form("glm", "inline", glm_inline),
    form("deepseek-dsml", "v3.2", dsml_v32),
    form("deepseek-dsml", "v4.1", dsml_v41),
    form("mistral", "v3", mistral_v3),
    form("mistral", "v7", mistral_v7),
    form("mistral", "v11", mistral_v11),
    form("granite", "ernie", ernie),
    form("json-array", "lines", json_lines),
    form("json-array", "nemotron", nemotron),
    form("json-array", "internlm", internlm),
    form("json-array", "apertus", apertus),
    form("gigachat3", "role", gigachat3_role),
    form("longcat", "json", longcat_json),
    form("hunyuan", "4", hunyuan_4),
];

/// Of GLM-4.7 and later, and what copies them: no line breaks between tags.
fn glm_inline() -> Template {
    Template {
        call: CallForm {
            open: Borrowed("<tool_call>{name}"),
            arguments: ArgumentsForm::Params(ParamForm {
                open: Borrowed("<arg_key>{key}</arg_key><arg_value>"),
                close: Borrowed("</arg_value>"),
                kind: 1,
                ..PARAM
            }),
            close: Borrowed("</tool_call>"),
            ..CALL
        },
        result: results(
            "<tool_response>{content}</tool_response>",
            "<tool_response>Error: {content}</tool_response>",
            "",
        ),
        ..GLM
    }
}

/// Of DeepSeek V3.2.
fn dsml_v32() -> Template {
    Template {
        call: CallForm {
            section_open: Borrowed("<｜DSML｜function_calls>\n"),
            section_close: Borrowed("\n</｜DSML｜function_calls>"),
            ..DEEPSEEK_DSML.call
        },
        result: ResultForm {
            open: Borrowed("\n\n<function_results>"),
            ok: Borrowed("\n<result>{content}</result>"),
            error: Borrowed("\n<result>Error: {content}</result>"),
            between: Borrowed(""),
            close: Borrowed("\n</function_results>"),
        },
        stop: stop(&[Borrowed("</｜DSML｜function_calls>")], &[Borrowed("<function_results>")]),
        ..DEEPSEEK_DSML
    }
}

/// Of DeepSeek V4.1: with a blank in all tags.
fn dsml_v41() -> Template {
    Template {
        call: CallForm {
            section_open: Borrowed("<｜DSML｜ calls>\n"),
            open: Borrowed("<｜DSML｜ invoke name=\"{name}\">\n"),
            arguments: ArgumentsForm::Params(ParamForm {
                open: Borrowed("<｜DSML｜ parameter name=\"{key}\" string=\"{is_string}\">"),
                close: Borrowed("</｜DSML｜ parameter>\n"),
                ..PARAM
            }),
            close: Borrowed("</｜DSML｜ invoke>"),
            section_close: Borrowed("\n</｜DSML｜ calls>"),
            ..DEEPSEEK_DSML.call
        },
        stop: stop(&[Borrowed("</｜DSML｜ calls>")], &[Borrowed("<tool_result>")]),
        ..DEEPSEEK_DSML
    }
}

/// A list of objects with their ids.
fn with_ids() -> CallForm {
    CallForm { close: Borrowed(", \"id\": \"{id}\"}"), ..list("[TOOL_CALLS] [", "]") }
}

/// Of Mistral's models until 2024.
fn mistral_v3() -> Template {
    Template {
        call: with_ids(),
        result: results(
            "[TOOL_RESULTS] {\"content\": {json}, \"call_id\": \"{id}\"}[/TOOL_RESULTS]",
            "[TOOL_RESULTS] {\"content\": {json}, \"call_id\": \"{id}\"}[/TOOL_RESULTS]",
            "",
        ),
        ..MISTRAL
    }
}

/// Results with the ids of their calls.
fn results_by_id() -> ResultForm {
    results(
        "[TOOL_RESULTS]{id}[TOOL_CONTENT]{content}[/TOOL_RESULTS]",
        "[TOOL_RESULTS]{id}[TOOL_CONTENT]Error: {content}[/TOOL_RESULTS]",
        "",
    )
}

/// Of Mistral's models until early in 2025.
fn mistral_v7() -> Template {
    Template { call: with_ids(), result: results_by_id(), ..MISTRAL }
}

/// Of Mistral's models until the middle of 2025.
fn mistral_v11() -> Template {
    Template {
        call: object("[TOOL_CALLS]{name}[CALL_ID]{id}[ARGS]", ""),
        result: results_by_id(),
        ..MISTRAL
    }
}

/// Of ERNIE 4.5.
fn ernie() -> Template {
    Template { call: HERMES.call, ..GRANITE }
}

/// Of MiniMax M1: one object a line.
fn json_lines() -> Template {
    Template {
        call: CallForm { between: Borrowed("\n"), ..list("<tool_calls>\n", "\n</tool_calls>") },
        ..JSON_ARRAY
    }
}

/// Of Nemotron v2.
fn nemotron() -> Template {
    Template {
        call: list("<TOOLCALL>[", "]</TOOLCALL>"),
        result: ResultForm {
            open: Borrowed("<TOOL_RESPONSE>["),
            close: Borrowed("]</TOOL_RESPONSE>"),
            ..results("{content}", "Error: {content}", ", ")
        },
        stop: stop(&[Borrowed("</TOOLCALL>")], &[Borrowed("<TOOL_RESPONSE>")]),
        ..JSON_ARRAY
    }
}

/// Of InternLM and Intern-S1: one call.
fn internlm() -> Template {
    Template {
        call: object(
            "<|action_start|><|plugin|>\n{\"name\": {json_name}, \"parameters\": ",
            "}<|action_end|>",
        ),
        stop: stop(&[Borrowed("<|action_end|>")], &[]),
        ..JSON_ARRAY
    }
}

/// Of Apertus: the key of an object is the name.
fn apertus() -> Template {
    Template {
        call: CallForm {
            open: Borrowed("{{json_name}: "),
            ..list("<|tools_prefix|>[", "]<|tools_suffix|>")
        },
        result: ResultForm {
            open: Borrowed("["),
            close: Borrowed("]"),
            ..results("{content}", "Error: {content}", ", ")
        },
        stop: stop(&[Borrowed("<|tools_suffix|>")], &[]),
        ..JSON_ARRAY
    }
}

/// Of GigaChat 3: a call is a message of a role of its own.
fn gigachat3_role() -> Template {
    Template {
        call: object("function call<|role_sep|>\n{\"name\": {json_name}, \"arguments\": ", "}"),
        ..GIGACHAT3
    }
}

/// Of LongCat Flash Chat.
fn longcat_json() -> Template {
    Template {
        call: CallForm {
            open: Borrowed("<longcat_tool_call>\n{\"name\": {json_name}, \"arguments\": "),
            close: Borrowed("}\n</longcat_tool_call>"),
            ..HERMES.call
        },
        result: results(
            "<longcat_tool_response>\n{content}\n</longcat_tool_response>",
            "<longcat_tool_response>\nError: {content}\n</longcat_tool_response>",
            "\n",
        ),
        stop: stop(&[Borrowed("</longcat_tool_call>")], &[Borrowed("<longcat_tool_response>")]),
        ..HERMES
    }
}

/// Of Hunyuan 4: nothing between the name and the keys.
fn hunyuan_4() -> Template {
    Template {
        call: CallForm { open: Borrowed("<tool_call:opensource>{name}\n"), ..HUNYUAN.call },
        ..HUNYUAN
    }
}
