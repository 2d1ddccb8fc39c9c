//! The dialects of invocations: `invoke`, and relatives with other tags. A call ends the reasoning, except in `invoke`.

use std::borrow::Cow::Borrowed;

use super::facts::Facts;
use super::shape::{ONE_BY_ONE, Or, Shape};
use super::template::{Placeholders, PromptForm, Template, prompt, tools_prompt};
use crate::dialect::Text;
use crate::options::CallsInReasoning;

/// A call, and a parameter.
const CALL: &str = "<invoke name=\"{name}\">\n{arguments}</invoke>";
const PARAM: &str = "<parameter name=\"{key}\">{value}</parameter>\n";

/// A call whose values stand on lines of their own.
fn lines() -> Or {
    Or::new(CALL, "<parameter name=\"{key}\">\n{value}\n</parameter>")
}

/// A prompt that begins with the form of a call. `values`: its sentences about values, in the middle.
fn form_first(values: &str, tool: &'static str) -> PromptForm {
    const TEXT: &str = "\
You have tools in this conversation. You call one by writing a block like this:

{form}

$TOOL_NAME stands for the name of a tool and $PARAMETER_NAME for the name of one of its \
parameters, with its value as $PARAMETER_VALUE; a call has one such line for each parameter that \
you give. {values} Give every required parameter.

{limit}

These are the tools, each with the JSON Schema of its parameters:
<functions>
{tools}
</functions>

{example}";
    PromptForm {
        text: Text::Owned(TEXT.replace("{values}", values)),
        tool: Borrowed(tool),
        placeholders: Placeholders {
            name: Borrowed("$TOOL_NAME"),
            params: Borrowed(&[(Borrowed("$PARAMETER_NAME"), Borrowed("$PARAMETER_VALUE"))]),
        },
        ..prompt("")
    }
}

/// `invoke`: Anthropic's section or MiniMax's. A line break at each end of a value belongs to the dialect.
/// Calls in reasoning are reasoning.
pub(in crate::dialect) fn invoke() -> Facts {
    Shape {
        name: "invoke".into(),
        about: "a section of <invoke name=\"…\"><parameter name=\"…\">…</parameter></invoke>"
            .into(),
        section: "<function_calls>\n{calls}\n</function_calls>".into(),
        call: CALL.into(),
        argument: PARAM.into(),
        or: vec![lines()],
        calls_in_reasoning: Some(CallsInReasoning::Ignore),
        prompt: Some(form_first(
            "Write strings as they are, without escapes, and lists and objects as JSON.",
            "<function>{tool}</function>",
        )),
        result:
            "<result>\n<tool_name>{name}</tool_name>\n<stdout>\n{content}\n</stdout>\n</result>\n"
                .into(),
        error: "<error>\n{content}\n</error>\n".into(),
        results: "<function_results>\n{result}{result}</function_results>".into(),
        invented: Some("".into()),
        ..Shape::default()
    }
    .facts()
}

/// `minimax-m2`: the sections of `invoke`, written as MiniMax's. Values are verbatim.
fn minimax() -> Shape {
    Shape {
        name: "minimax-m2".into(),
        about: "<minimax:tool_call>, a section of <invoke name=\"…\">, values verbatim".into(),
        section: "<minimax:tool_call>\n{calls}\n</minimax:tool_call>".into(),
        call: CALL.into(),
        argument: PARAM.into(),
        prompt: Some(PromptForm { tool: Borrowed("<tool>{tool}</tool>"), ..ONE_BY_ONE }),
        result: "<response>{content}</response>".into(),
        invented: Some("".into()),
        ..Shape::default()
    }
}

/// The dialect `minimax-m2`.
pub(in crate::dialect) fn minimax_m2() -> Facts {
    minimax().facts()
}

/// `minimax-m3`: `]<]minimax[>[` before every tag. The tag of a parameter is its name, and elements nest in
/// its value. The form of `minimax-m2` is read, too.
pub(in crate::dialect) fn minimax_m3() -> Facts {
    Shape {
        name: "minimax-m3".into(),
        about: "]<]minimax[>[<tool_call>, parameters as elements, which nest".into(),
        section: "]<]minimax[>[<tool_call>\n{calls}]<]minimax[>[</tool_call>".into(),
        call: "]<]minimax[>[<invoke name=\"{name}\">{arguments}]<]minimax[>[</invoke>\n".into(),
        argument: "".into(),
        element: "]<]minimax[>[<{key}>{value}]<]minimax[>[</{key}>".into(),
        between: Some("".into()),
        ..minimax()
    }
    .facts()
}

/// `minicpm5`: `<function name=…>`, `<param name=…>`, no section. Values are verbatim or in CDATA.
pub(in crate::dialect) fn minicpm5() -> Facts {
    const CALL: &str = "<function name=\"{name}\">{arguments}</function>";
    Shape {
        name: "minicpm5".into(),
        about: "<function name=\"…\"><param name=\"…\">…</param></function>".into(),
        call: CALL.into(),
        argument: "<param name=\"{key}\">{value}</param>".into(),
        or: vec![Or::new(CALL, "<param name=\"{key}\"><![CDATA[{value}]]></param>")],
        result: "<tool_response>\n{content}\n</tool_response>".into(),
        ..Shape::default()
    }
    .facts()
}

/// `step3`: `steptml:` in the tags. Each call stands between a lead (begin, word and separator) and an end,
/// which may be missing.
pub(in crate::dialect) fn step3() -> Facts {
    const CALL: &str = "<｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name=\"{name}\">\n\
                        {arguments}</steptml:invoke><｜tool_call_end｜>";
    Shape {
        name: "step3".into(),
        about: "<｜tool_calls_begin｜>, a section of <steptml:invoke name=\"…\">".into(),
        section: "<｜tool_calls_begin｜>\n{calls}\n<｜tool_calls_end｜>".into(),
        call: CALL.into(),
        argument: "<steptml:parameter name=\"{key}\">{value}</steptml:parameter>\n".into(),
        or: vec![Or::new(
            CALL,
            "<steptml:parameter name=\"{key}\">\n{value}\n</steptml:parameter>",
        )],
        result: "<｜tool_output_begin｜>{content}<｜tool_output_end｜>\n".into(),
        results: "<｜tool_outputs_begin｜>\n{result}{result}<｜tool_outputs_end｜>".into(),
        ..Shape::default()
    }
    .facts()
}

/// `dots`: the section is `<dots_function_call>`. JSON objects may stand in it, as in `hermes`.
pub(in crate::dialect) fn dots() -> Facts {
    Shape {
        name: "dots".into(),
        about: "<dots_function_call>, a section of <invoke name=\"…\"> or of JSON objects".into(),
        section: "<dots_function_call>\n{calls}\n</dots_function_call>".into(),
        call: CALL.into(),
        argument: PARAM.into(),
        or: vec![lines(), Or::json("{\"name\": {name}, \"arguments\": {arguments}}")],
        result: "<dots_function_response>\n{content}\n</dots_function_response>".into(),
        ..Shape::default()
    }
    .facts()
}

const DSML_CALL: &str = "<｜DSML｜invoke name=\"{name}\">\n{arguments}</｜DSML｜invoke>";
const DSML_PARAM: &str =
    "<｜DSML｜parameter name=\"{key}\" string=\"{is_string}\">{value}</｜DSML｜parameter>\n";

/// `deepseek-dsml`: `｜DSML｜`, perhaps with a blank after it, in all tags. Values are verbatim;
/// `string="true"` or `"false"` gives their type. An object may stand in place of the parameters.
fn dsml() -> Shape {
    Shape {
        name: "deepseek-dsml".into(),
        about: "<｜DSML｜tool_calls>, a section of <｜DSML｜invoke name=\"…\">, with types".into(),
        section: "<｜DSML｜tool_calls>\n{calls}\n</｜DSML｜tool_calls>".into(),
        call: DSML_CALL.into(),
        argument: DSML_PARAM.into(),
        prompt: Some(form_first(
            "With string=\"true\" the value is a text as it is, without quotes and escapes; for lists, \
             objects, numbers and booleans write string=\"false\" and the value as JSON.",
            "{tool}",
        )),
        result: "<tool_result>{content}</tool_result>".into(),
        ..Shape::default()
    }
}

/// The dialect `deepseek-dsml`.
pub(in crate::dialect) fn deepseek_dsml() -> Facts {
    dsml().facts()
}

/// The dialect `gigachat35`: `deepseek-dsml` with `GCML` and other stop tokens.
pub(in crate::dialect) fn gigachat35() -> Facts {
    let renamed = |text: Text| Text::Owned(text.replace("DSML", "GCML"));
    let Shape { section, call, argument, .. } = dsml();
    Shape {
        name: "gigachat35".into(),
        about: "<｜GCML｜tool_calls>, as DeepSeek's, with tags of its own".into(),
        section: renamed(section),
        call: renamed(call),
        argument: renamed(argument),
        ..dsml()
    }
    .facts()
}

/// The form of DeepSeek V3.2.
pub(in crate::dialect) fn dsml_v32() -> Template {
    Shape {
        section: "<｜DSML｜function_calls>\n{calls}\n</｜DSML｜function_calls>".into(),
        result: "\n<result>{content}</result>".into(),
        results: "\n\n<function_results>{result}{result}\n</function_results>".into(),
        ..dsml()
    }
    .template()
}

/// The form of DeepSeek V4.1: a blank in all tags.
pub(in crate::dialect) fn dsml_v41() -> Template {
    let blank = |text: &str| Text::Owned(text.replace("｜DSML｜", "｜DSML｜ "));
    Shape {
        section: "<｜DSML｜ calls>\n{calls}\n</｜DSML｜ calls>".into(),
        call: blank(DSML_CALL),
        argument: blank(DSML_PARAM),
        ..dsml()
    }
    .template()
}

const COFL_RESULT: &str = "<cofl:tool_result id=\"{id}\" is_error=\"{is_error}\">\
     <cofl:tool_result_item index=\"0\">{content}</cofl:tool_result_item></cofl:tool_result>\n";

/// `cohere-cofl`: `cofl:` in the tags, with ids, types, and entities in attributes. Beside parameters there
/// are elements with types, which nest.
pub(in crate::dialect) fn cohere_cofl() -> Facts {
    Shape {
        name: "cohere-cofl".into(),
        about: "<cofl:tool_calls>, parameters with types, or elements with types, which nest"
            .into(),
        section: "<cofl:tool_calls>\n{calls}\n</cofl:tool_calls>".into(),
        call: "<cofl:tool_call id=\"{id}\" name=\"{name_attribute}\">{arguments}</cofl:tool_call>"
            .into(),
        argument: "<cofl:tool_param name=\"{key_attribute}\" string=\"{is_string}\">{value}\
                   </cofl:tool_param>"
            .into(),
        element: "<cofl:value name=\"{key_attribute}\" type=\"{type}\">{value}</cofl:value>".into(),
        id: "{index}".into(),
        prompt: Some(tools_prompt!(
            "To call a tool, write its name and a parameter element for each value that you \
             give, in this form:",
            "With string=\"true\" the value is a text as it is, without quotes and escapes; for \
             lists, objects, numbers and booleans write string=\"false\" and the value as JSON. \
             Give every required parameter, and number the calls by their ids, from 0."
        )),
        result: COFL_RESULT.replace("{is_error}", "false").into(),
        error: COFL_RESULT.replace("{is_error}", "true").into(),
        results: "<cofl:tool_results>\n{result}{result}</cofl:tool_results>".into(),
        ..Shape::default()
    }
    .facts()
}

/// `kimi-k3`: special tokens for `<`, `</` and `>`.
///
/// ```text
/// call  := "<|open|>call" ws "tool" ws "=" ws ATTR … "<|sep|>" ( param* | json ) "<|close|>call<|sep|>"
/// param := "<|open|>argument" ws "key" ws "=" ws ATTR ( ws "type" ws "=" ws ATTR )? … "<|sep|>" value
///          "<|close|>argument<|sep|>"
/// json  := "<|open|>json" … "<|sep|>" ws object "<|close|>json<|sep|>"
/// ```
/// Values have types. Attributes have entities and may stand in another order. Reasoning is in `think`, text in
/// `response`.
pub(in crate::dialect) fn kimi_k3() -> Facts {
    Shape {
        name: "kimi-k3".into(),
        about: "<|open|>call tool=\"…\"<|sep|>, arguments with types, all in special tokens".into(),
        section: "<|open|>tools<|sep|>{calls}<|close|>tools<|sep|>".into(),
        call: "<|open|>call tool=\"{name_attribute}\" index=\"{number}\"<|sep|>{arguments}\
               <|close|>call<|sep|>"
            .into(),
        argument: "<|open|>argument key=\"{key_attribute}\" type=\"{type}\"<|sep|>{value}\
                   <|close|>argument<|sep|>"
            .into(),
        between: Some("".into()),
        result: "<|open|>message role=\"tool\" tool=\"{name_attribute}\" index=\"{number}\"<|sep|>\
                 {content}<|close|>message<|sep|><|end_of_msg|>"
            .into(),
        results: "{result}{result}".into(),
        invented: Some("".into()),
        ..Shape::default()
    }
    .facts()
}
