//! The built-in dialects: the list of their constants, and where the facts and the grammar of each are made.

use std::sync::{Arc, LazyLock};

use super::Dialect;
use super::facts::Facts;
use super::{
    blocks, caret, functionary, gemma, harmony, header, inkling, invoke, json_array, keyed,
    kimi_k2, muse, pythonic, react, reads, xml,
};
use crate::read::machine::Grammar;

/// A built-in dialect. Its facts and its grammar are made once a process, when they are first needed. A program that
/// names one dialect links no other.
pub(crate) struct BuiltIn {
    pub name: &'static str,
    pub facts: fn() -> &'static Facts,
    pub grammar: fn() -> &'static Arc<Grammar>,
}

/// A [`BuiltIn`], of its name and the functions that make its facts and its grammar.
macro_rules! dialect {
    ($called:expr, $facts:expr, $grammar:expr) => {
        $crate::dialect::built_in::BuiltIn {
            name: $called,
            facts: || {
                static FACTS: LazyLock<Facts> = LazyLock::new($facts);
                &FACTS
            },
            grammar: || {
                static GRAMMAR: LazyLock<Arc<Grammar>> = LazyLock::new(|| Arc::new(($grammar)()));
                &GRAMMAR
            },
        }
    };
}

pub(super) use dialect;

/// The built-in dialects, in the order of [`Dialect::ALL`]: a constant, its docs, and the functions that make its facts and
/// its grammar.
macro_rules! built_in {
    ($($(#[$doc:meta])* $name:ident = $called:literal, $facts:expr, $grammar:expr;)*) => {
        impl Dialect {
            $(
                $(#[$doc])*
                pub const $name: Dialect = Dialect::built_in(&dialect!($called, $facts, $grammar));
            )*

            /// Every built-in dialect.
            pub const ALL: &'static [Dialect] = &[$(Dialect::$name),*];
        }
    };
}

built_in! {
    /// Declared tool and parameter names as tags. Cline, Roo Code, Kilo Code and their heirs.
    ///
    /// ```text
    /// <read_file>
    /// <path>src/main.rs</path>
    /// </read_file>
    /// ```
    CLINE = "cline", xml::cline, reads::cline;

    /// Prefixed tags. The tool `code-assistant`.
    ///
    /// ```text
    /// <tool:read_file>
    /// <param:path>src/main.rs</param:path>
    /// </tool:read_file>
    /// ```
    CODE_ASSISTANT = "code-assistant", xml::code_assistant, reads::code_assistant;

    /// A section of invocations. Anthropic's prompt form, MiniMax, and their imitations.
    ///
    /// ```text
    /// <function_calls>
    /// <invoke name="read_file">
    /// <parameter name="path">src/main.rs</parameter>
    /// </invoke>
    /// </function_calls>
    /// ```
    INVOKE = "invoke", invoke::invoke, reads::invoke;

    /// JSON after `<tool_call>`. Hermes, Qwen 2.5 and 3, Granite 4, and most fine-tunes.
    ///
    /// ```text
    /// <tool_call>
    /// {"name": "read_file", "arguments": {"path": "src/main.rs"}}
    /// </tool_call>
    /// ```
    HERMES = "hermes", blocks::hermes, reads::hermes;

    /// Functions after `<tool_call>`. Qwen3-Coder, Qwen 3.5 to 3.8, Nemotron 3, MiMo V2, Step 3.5.
    ///
    /// ```text
    /// <tool_call>
    /// <function=read_file>
    /// <parameter=path>
    /// src/main.rs
    /// </parameter>
    /// </function>
    /// </tool_call>
    /// ```
    QWEN3_CODER = "qwen3-coder", blocks::qwen3_coder, reads::qwen3_coder;

    /// Keys and values after `<tool_call>`. GLM-4.5 to 5.x, Ling 3, Laguna, Spark 2.5.
    ///
    /// ```text
    /// <tool_call>read_file
    /// <arg_key>path</arg_key>
    /// <arg_value>src/main.rs</arg_value>
    /// </tool_call>
    /// ```
    GLM = "glm", blocks::glm, reads::glm;

    /// Whichever of the three stands after `<tool_call>`.
    TOOL_CALL = "tool-call", blocks::tool_call, reads::tool_call;

    /// Lines that begin with keywords, for any model.
    ///
    /// ```text
    /// Thought: I need the file.
    /// Action: read_file
    /// Action Input: {"path": "src/main.rs"}
    /// ```
    REACT = "react", react::react, reads::react;

    /// [`Dialect::INVOKE`] with tags of its own, and with types. DeepSeek V3.2 and V4.
    ///
    /// ```text
    /// <｜DSML｜tool_calls>
    /// <｜DSML｜invoke name="read_file">
    /// <｜DSML｜parameter name="path" string="true">src/main.rs</｜DSML｜parameter>
    /// </｜DSML｜invoke>
    /// </｜DSML｜tool_calls>
    /// ```
    DEEPSEEK_DSML = "deepseek-dsml", invoke::deepseek_dsml, || reads::dsml("DSML", &reads::DEEPSEEK_TURNS);

    /// [`Dialect::INVOKE`] with values verbatim; a call ends the reasoning. MiniMax M2 to M2.7.
    ///
    /// ```text
    /// <minimax:tool_call>
    /// <invoke name="read_file">
    /// <parameter name="path">src/main.rs</parameter>
    /// </invoke>
    /// </minimax:tool_call>
    /// ```
    MINIMAX_M2 = "minimax-m2", invoke::minimax_m2, reads::minimax_m2;

    /// Calls with a header that names the tool and the call. Kimi K2 to K2.6.
    ///
    /// ```text
    /// <|tool_calls_section_begin|><|tool_call_begin|>functions.read_file:0<|tool_call_argument_begin|>
    /// {"path": "src/main.rs"}<|tool_call_end|><|tool_calls_section_end|>
    /// ```
    KIMI_K2 = "kimi-k2", kimi_k2::kimi_k2, reads::kimi_k2;

    /// Messages whose headers name a channel and a recipient. gpt-oss.
    ///
    /// ```text
    /// <|channel|>analysis<|message|>I need the file.<|end|>
    /// <|start|>assistant to=functions.read_file<|channel|>commentary json<|message|>
    /// {"path": "src/main.rs"}<|call|>
    /// ```
    HARMONY = "harmony", harmony::harmony, || reads::harmony(false);

    /// A tool's name and its JSON arguments after a token, or a list of JSON calls. Mistral from v3 on.
    ///
    /// ```text
    /// [TOOL_CALLS]read_file[ARGS]{"path": "src/main.rs"}
    /// ```
    MISTRAL = "mistral", json_array::mistral, reads::mistral;

    /// Literals between tokens. Gemma 4.
    ///
    /// ```text
    /// <|tool_call>call:read_file{path:<|"|>src/main.rs<|"|>}<tool_call|>
    /// ```
    GEMMA4 = "gemma4", gemma::gemma4, reads::gemma4;

    /// Calls with a header and a fenced object. DeepSeek V3 and R1. It reads what
    /// [`DEEPSEEK_V31`](Dialect::DEEPSEEK_V31) reads, and writes its own.
    ///
    /// ````text
    /// <｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>read_file
    /// ```json
    /// {"path": "src/main.rs"}
    /// ```<｜tool▁call▁end｜><｜tool▁calls▁end｜>
    /// ````
    DEEPSEEK_V3 = "deepseek-v3", header::deepseek_v3, reads::deepseek_v3;

    /// Calls with a header. DeepSeek V3.1 and V3.2-Exp.
    ///
    /// ```text
    /// <｜tool▁calls▁begin｜><｜tool▁call▁begin｜>read_file<｜tool▁sep｜>
    /// {"path": "src/main.rs"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>
    /// ```
    DEEPSEEK_V31 = "deepseek-v31", header::deepseek_v31, reads::deepseek_v3;

    /// Parameters as elements, in which elements may nest. MiniMax M3.
    ///
    /// ```text
    /// ]<]minimax[>[<tool_call>
    /// ]<]minimax[>[<invoke name="read_file">]<]minimax[>[<path>src/main.rs]<]minimax[>[</path>]<]minimax[>[</invoke>
    /// ]<]minimax[>[</tool_call>
    /// ```
    MINIMAX_M3 = "minimax-m3", invoke::minimax_m3, reads::minimax_m3;

    /// The whole message is a call, as JSON. Llama 3.x, many fine-tunes, xLAM.
    ///
    /// ```text
    /// {"name": "read_file", "parameters": {"path": "src/main.rs"}}
    /// ```
    LLAMA3_JSON = "llama3-json", json_array::llama3_json, || reads::llama3_json(false);

    /// A list of Python calls. Llama 4.
    ///
    /// ```text
    /// [read_file(path="src/main.rs")]
    /// ```
    PYTHONIC = "pythonic", pythonic::pythonic, reads::pythonic;

    /// A list of Python calls between tokens. LFM2.
    ///
    /// ```text
    /// <|tool_call_start|>[read_file(path='src/main.rs')]<|tool_call_end|>
    /// ```
    LFM2 = "lfm2", pythonic::lfm2, reads::lfm2;

    /// A Python call a line, between tags. Olmo 3.
    ///
    /// ```text
    /// <function_calls>
    /// read_file(path="src/main.rs")
    /// </function_calls>
    /// ```
    OLMO3 = "olmo3", pythonic::olmo3, reads::olmo3;

    /// A list of JSON calls with ids. Command R7B to A+.
    ///
    /// ```text
    /// <|START_ACTION|>[
    ///     {"tool_call_id": "0", "tool_name": "read_file", "parameters": {"path": "src/main.rs"}}
    /// ]<|END_ACTION|>
    /// ```
    COMMAND_R = "command-r", json_array::command_r, reads::command_r;

    /// [`Dialect::INVOKE`] with tags of its own, with ids and types. Command 5.
    ///
    /// ```text
    /// <cofl:tool_calls>
    /// <cofl:tool_call id="0" name="read_file">
    /// <cofl:tool_param name="path" string="true">src/main.rs</cofl:tool_param>
    /// </cofl:tool_call>
    /// </cofl:tool_calls>
    /// ```
    COHERE_COFL = "cohere-cofl", invoke::cohere_cofl, reads::cohere_cofl;

    /// Special tokens for the brackets of tags, and types. Kimi K3.
    ///
    /// ```text
    /// <|open|>tools<|sep|><|open|>call tool="read_file" index="1"<|sep|>
    /// <|open|>argument key="path" type="string"<|sep|>src/main.rs<|close|>argument<|sep|>
    /// <|close|>call<|sep|><|close|>tools<|sep|>
    /// ```
    KIMI_K3 = "kimi-k3", invoke::kimi_k3, reads::kimi_k3;

    /// JSON calls after a token, without a closer. Granite 3, ERNIE 4.5.
    ///
    /// ```text
    /// <|tool_call|>[{"name": "read_file", "arguments": {"path": "src/main.rs"}}]
    /// ```
    GRANITE = "granite", json_array::granite, reads::granite;

    /// A list of JSON calls after a word, or between tokens. Phi-4-mini.
    ///
    /// ```text
    /// functools[{"name": "read_file", "arguments": {"path": "src/main.rs"}}]
    /// ```
    PHI4 = "phi4", json_array::phi4, || reads::phi4(false);

    /// A list of JSON calls between tags. Nemotron v2, Jamba, Hunyuan-A13B, MiniMax M1, InternLM, Apertus.
    ///
    /// ```text
    /// <tool_calls>[{"name": "read_file", "arguments": {"path": "src/main.rs"}}]</tool_calls>
    /// ```
    JSON_ARRAY = "json-array", json_array::json_array, reads::json_array;

    /// Recipients on lines of their own: `all` for text, or a tool. Functionary 3.2.
    ///
    /// ```text
    /// >>>read_file
    /// {"path": "src/main.rs"}
    /// ```
    FUNCTIONARY = "functionary", functionary::functionary, reads::functionary;

    /// Lines between carets. The tool `code-assistant`.
    ///
    /// ```text
    /// ^^^write_file
    /// path: src/main.rs
    /// content ---
    /// fn main() {}
    /// --- content
    /// ^^^
    /// ```
    CODE_ASSISTANT_CARET = "code-assistant-caret", caret::caret, reads::carets;

    /// Functions after `<seed:tool_call>`. Seed-OSS.
    ///
    /// ```text
    /// <seed:tool_call>
    /// <function=read_file>
    /// <parameter=path>src/main.rs</parameter>
    /// </function>
    /// </seed:tool_call>
    /// ```
    SEED_OSS = "seed-oss", blocks::seed_oss, reads::seed_oss;

    /// JSON, or keys and values, after `<longcat_tool_call>`. LongCat.
    ///
    /// ```text
    /// <longcat_tool_call>read_file
    /// <longcat_arg_key>path</longcat_arg_key>
    /// <longcat_arg_value>src/main.rs</longcat_arg_value>
    /// </longcat_tool_call>
    /// ```
    LONGCAT = "longcat", blocks::longcat, reads::longcat;

    /// Keys and values after `<iquest_tool_call>`. IQuest Q1.
    ///
    /// ```text
    /// <iquest_tool_call>ls<arg_key>path</arg_key><arg_value>src</arg_value></iquest_tool_call>
    /// ```
    IQUEST_Q1 = "iquest-q1", blocks::iquest_q1, reads::iquest_q1;

    /// [`Dialect::DEEPSEEK_DSML`] with `GCML` for `DSML`. GigaChat 3.5.
    GIGACHAT35 = "gigachat35", invoke::gigachat35, || reads::dsml("GCML", &["<|message_sep|>", "</s>"]);

    /// [`Dialect::INVOKE`] in a section of its own, in which JSON objects may stand, too. dots.
    ///
    /// ```text
    /// <dots_function_call>
    /// <invoke name="read_file">
    /// <parameter name="path">src/main.rs</parameter>
    /// </invoke>
    /// </dots_function_call>
    /// ```
    DOTS = "dots", invoke::dots, reads::dots;

    /// The literals of `gemma4` with other tokens. FunctionGemma.
    ///
    /// ```text
    /// <start_function_call>call:read_file{path:<escape>src/main.rs<escape>}<end_function_call>
    /// ```
    FUNCTIONGEMMA = "functiongemma", gemma::functiongemma, reads::functiongemma;

    /// A list of JSON calls between tags, after a final response. Apriel 1.5 and 1.6.
    ///
    /// ```text
    /// <tool_calls>[{"name": "read_file", "arguments": {"path": "src/main.rs"}}]</tool_calls>
    /// ```
    APRIEL = "apriel", json_array::apriel, reads::apriel;

    /// Keys and values between tokens. Solar Open 2.
    ///
    /// ```text
    /// <|tool_call:start|>read_file
    /// <|tool_arg:start|>path<|tool_arg:value|>src/main.rs<|tool_arg:end|>
    /// <|tool_call:end|>
    /// ```
    SOLAR_OPEN2 = "solar-open2", blocks::solar_open2, reads::solar_open2;

    /// A section of keyed calls, whose tags all have the checkpoint's suffix. Hunyuan 3 and 4.
    ///
    /// ```text
    /// <tool_calls:opensource>
    /// <tool_call:opensource>read_file<tool_sep:opensource>
    /// <arg_key:opensource>path</arg_key:opensource>
    /// <arg_value:opensource>src/main.rs</arg_value:opensource>
    /// </tool_call:opensource>
    /// </tool_calls:opensource>
    /// ```
    HUNYUAN = "hunyuan", keyed::hunyuan, reads::hunyuan;

    /// A section of keyed calls, perhaps with types, or of JSON. K2 Horizon.
    ///
    /// ```text
    /// <ifm|tool_calls><ifm|tool_call>ls<ifm|arg_key>path</ifm|arg_key><ifm|arg_value>src</ifm|arg_value>
    /// </ifm|tool_call></ifm|tool_calls>
    /// ```
    K2_HORIZON = "k2-horizon", keyed::k2_horizon, reads::k2_horizon;

    /// Calls with an id and a name in their headers. Solar Open.
    ///
    /// ```text
    /// <|tool_calls|><|tool_call:begin|>call0<|tool_call:name|>read_file<|tool_call:args|>
    /// {"path": "src/main.rs"}<|tool_call:end|><|calls|>
    /// ```
    SOLAR_OPEN = "solar-open", header::solar_open, reads::solar_open;

    /// Requests with a name and arguments, each between tokens of its own. PLaMo 3.
    ///
    /// ```text
    /// <|plamo:begin_tool_requests:plamo|><|plamo:begin_tool_request:plamo|>
    /// <|plamo:begin_tool_name:plamo|>read_file<|plamo:end_tool_name:plamo|>
    /// <|plamo:begin_tool_arguments:plamo|><|plamo:msg|>{"path": "src/main.rs"}
    /// <|plamo:end_tool_arguments:plamo|><|plamo:end_tool_request:plamo|>
    /// <|plamo:end_tool_requests:plamo|>
    /// ```
    PLAMO3 = "plamo3", header::plamo3, reads::plamo3;

    /// A JSON call after a token. GigaChat 3 and 3.1.
    ///
    /// ```text
    /// <|function_call|>{"name": "read_file", "arguments": {"path": "src/main.rs"}}
    /// ```
    GIGACHAT3 = "gigachat3", json_array::gigachat3, reads::gigachat3;

    /// [`Dialect::INVOKE`] with tags of its own, and special tokens round each call. Step 3.
    ///
    /// ```text
    /// <｜tool_calls_begin｜>
    /// <｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="read_file">
    /// <steptml:parameter name="path">src/main.rs</steptml:parameter>
    /// </steptml:invoke><｜tool_call_end｜>
    /// <｜tool_calls_end｜>
    /// ```
    STEP3 = "step3", invoke::step3, reads::step3;

    /// Functions and parameters that are named by attributes, without a section. MiniCPM 5.
    ///
    /// ```text
    /// <function name="read_file"><param name="path">src/main.rs</param></function>
    /// ```
    MINICPM5 = "minicpm5", invoke::minicpm5, reads::minicpm5;

    /// Messages with headers, invocations in those to a tool. Muse Glimmer, Spark.
    ///
    /// ```text
    /// <|start|>assistant to=read_file<|message|><atem:function_calls>
    /// <atem:invoke name="read_file">
    /// <atem:parameter name="path">src/main.rs</atem:parameter>
    /// </atem:invoke>
    /// </atem:function_calls><|eom|>
    /// ```
    MUSE = "muse", muse::muse, reads::muse;

    /// The messages of [`Dialect::HARMONY`], in them parameters as elements. Beam.
    ///
    /// ```text
    /// <|start|>assistant to=read_file<|channel|>analysis <|constrain|>xml<|message|>
    /// <rfl:parameter name="path">
    /// src/main.rs
    /// </rfl:parameter><|call|>
    /// ```
    BEAM = "beam", harmony::beam, reads::beam;

    /// Messages with headers, one for each call. Inkling.
    ///
    /// ```text
    /// <|message_model|>read_file<|content_invoke_tool_json|>
    /// {"name": "read_file", "args": {"path": "src/main.rs"}}<|end_message|>
    /// ```
    INKLING = "inkling", inkling::inkling, reads::inkling;

    /// A JSON object that calls a declared tool, and has nothing but a call's keys: bare, in a code fence or
    /// in tags. Models that follow no form; beside [`Dialect::HERMES`] Qwen 2.5 and its coders.
    ///
    /// Without a declared tool there is no call, and everything is text. This is no error as with
    /// [`Dialect::CLINE`]: a model of this dialect may also answer a chat without tools.
    ///
    /// ```text
    /// {"name": "read_file", "arguments": {"path": "src/main.rs"}}
    /// ```
    BARE_JSON = "bare-json", json_array::bare_json, || reads::tried(false);

    /// The calls of [`Dialect::BARE_JSON`] with something around them: tags, brackets, or a code fence whose word is
    /// not `json`. A bare object is text, so that no example runs.
    ///
    /// ```text
    /// <tool_call>
    /// {"name": "read_file", "arguments": {"path": "src/main.rs"}}
    /// </tool_call>
    /// ```
    WRAPPED_JSON = "wrapped-json", json_array::wrapped_json, || reads::tried(true);
}
