//! The dialects: which grammar a model writes its calls in.

pub(crate) mod build;
mod caret;
mod chars;
pub(crate) mod check;
mod flags;
mod functionary;
mod gemma;
mod harmony;
mod header;
mod inkling;
mod invoke;
#[cfg(feature = "serde")]
mod json;
mod json_array;
mod keyed;
mod parts;
mod pythonic;
mod react;
mod relatives;
mod rename;
#[cfg(feature = "json")]
mod response_template;
pub(crate) mod spec;
pub(crate) mod template;
mod tool_call;
#[cfg(feature = "json")]
pub(crate) mod written;
mod xml;

use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};

use crate::error::UnknownName;
use crate::machine::grammar::Grammar;
pub use spec::DialectSpec;
use template::{FORMS, Form, Template};

/// Which grammar the parser reads: a built-in one, or a host's own ([`Dialect::new`]).
///
/// ```
/// use toolstream::Dialect;
///
/// assert_eq!(Dialect::by_name("cline")?, Dialect::CLINE);
/// assert_eq!("Qwen3_Coder".parse::<Dialect>()?, Dialect::QWEN3_CODER);
/// let error = Dialect::by_name("klein").unwrap_err().to_string();
/// assert!(error.starts_with("unknown dialect `klein`: use one of cline, code-assistant, invoke, "));
/// # Ok::<(), toolstream::UnknownName>(())
/// ```
/// A parser may read two at once: `react+tool-call`, by name or with [`Dialect::and`]. The first gives
/// the start state and the defaults, each opener follows its own dialect's rules, one limit counts for
/// both, and inside a call only its own dialect's markers count.
///
/// ```
/// use toolstream::Dialect;
///
/// let both = Dialect::REACT.and(Dialect::TOOL_CALL);
/// assert_eq!(Dialect::by_name("react+tool-call")?, both);
/// assert_eq!(both.to_string(), "react+tool-call");
/// # Ok::<(), toolstream::UnknownName>(())
/// ```
/// Two are equal if their tables are, in whatever [`form`](Dialect::form): a form says how calls are written, and
/// the parser reads them all. So `dialect == Dialect::GLM` holds for `glm:inline`, too.
///
/// A clone costs a count at most: a host's table is shared, and goes with the last dialect or parser that has it.
#[derive(Clone)]
pub struct Dialect {
    first: Source,
    second: Option<Source>,
    /// More than two were joined: there is no parser for that.
    more: bool,
    /// How the first is written, if not as its table says.
    form: Option<&'static Form>,
}

/// Where the spec of a dialect is.
#[derive(Clone)]
enum Source {
    /// Its place in [`TABLES`].
    BuiltIn(usize),
    Host(Arc<Host>),
}

/// A host's own table.
struct Host {
    spec: DialectSpec,
    /// No other table's, not even when this one is gone.
    number: usize,
}

/// What was compiled of it goes with it.
impl Drop for Host {
    fn drop(&mut self) {
        Grammar::forget(TableId::Host(self.number));
    }
}

/// A table, for as long as the program runs: what was compiled of it is found by it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum TableId {
    BuiltIn(usize),
    Host(usize),
}

/// The built-in dialects, in the order of [`Dialect::ALL`]: a constant, its docs, and the function that
/// makes its table (once a process, when it is asked for first).
macro_rules! built_in {
    ($($(#[$doc:meta])* $name:ident = $table:path;)*) => {
        static TABLES: [LazyLock<DialectSpec>; Dialect::ALL.len()] =
            [$(LazyLock::new($table)),*];

        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        enum BuiltIn { $($name),* }

        impl Dialect {
            $(
                $(#[$doc])*
                pub const $name: Dialect = Dialect::built_in(BuiltIn::$name as usize);
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
    CLINE = xml::cline;

    /// Prefixed tags. The tool `code-assistant`.
    ///
    /// ```text
    /// <tool:read_file>
    /// <param:path>src/main.rs</param:path>
    /// </tool:read_file>
    /// ```
    CODE_ASSISTANT = xml::code_assistant;

    /// A section of invocations. Anthropic's prompt form, MiniMax, and what copies them.
    ///
    /// ```text
    /// <function_calls>
    /// <invoke name="read_file">
    /// <parameter name="path">src/main.rs</parameter>
    /// </invoke>
    /// </function_calls>
    /// ```
    INVOKE = invoke::invoke;

    /// JSON after `<tool_call>`. Hermes, Qwen 2.5 and 3, Granite 4, and most fine-tunes.
    ///
    /// ```text
    /// <tool_call>
    /// {"name": "read_file", "arguments": {"path": "src/main.rs"}}
    /// </tool_call>
    /// ```
    HERMES = tool_call::hermes;

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
    QWEN3_CODER = tool_call::qwen3_coder;

    /// Keys and values after `<tool_call>`. GLM-4.5 to 5.x, Ling 3, Laguna, Spark 2.5.
    ///
    /// ```text
    /// <tool_call>read_file
    /// <arg_key>path</arg_key>
    /// <arg_value>src/main.rs</arg_value>
    /// </tool_call>
    /// ```
    GLM = tool_call::glm;

    /// Whichever of the three stands after `<tool_call>`.
    TOOL_CALL = tool_call::tool_call;

    /// Lines that begin with keywords, for any model.
    ///
    /// ```text
    /// Thought: I need the file.
    /// Action: read_file
    /// Action Input: {"path": "src/main.rs"}
    /// ```
    REACT = react::react;

    /// [`Dialect::INVOKE`] with tags of its own, and with types. DeepSeek V3.2 and V4.
    ///
    /// ```text
    /// <｜DSML｜tool_calls>
    /// <｜DSML｜invoke name="read_file">
    /// <｜DSML｜parameter name="path" string="true">src/main.rs</｜DSML｜parameter>
    /// </｜DSML｜invoke>
    /// </｜DSML｜tool_calls>
    /// ```
    DEEPSEEK_DSML = invoke::deepseek_dsml;

    /// [`Dialect::INVOKE`] with values verbatim; a call ends the reasoning. MiniMax M2 to M2.7.
    ///
    /// ```text
    /// <minimax:tool_call>
    /// <invoke name="read_file">
    /// <parameter name="path">src/main.rs</parameter>
    /// </invoke>
    /// </minimax:tool_call>
    /// ```
    MINIMAX_M2 = invoke::minimax_m2;

    /// Calls with a header that names the tool and the call. Kimi K2 to K2.6.
    ///
    /// ```text
    /// <|tool_calls_section_begin|><|tool_call_begin|>functions.read_file:0<|tool_call_argument_begin|>
    /// {"path": "src/main.rs"}<|tool_call_end|><|tool_calls_section_end|>
    /// ```
    KIMI_K2 = header::kimi_k2;

    /// Messages whose headers name a channel and a recipient. gpt-oss.
    ///
    /// ```text
    /// <|channel|>analysis<|message|>I need the file.<|end|>
    /// <|start|>assistant to=functions.read_file<|channel|>commentary json<|message|>
    /// {"path": "src/main.rs"}<|call|>
    /// ```
    HARMONY = harmony::harmony;

    /// A tool's name and its JSON arguments after a token, or a list of JSON calls. Mistral from v3 on.
    ///
    /// ```text
    /// [TOOL_CALLS]read_file[ARGS]{"path": "src/main.rs"}
    /// ```
    MISTRAL = json_array::mistral;

    /// Literals between tokens. Gemma 4.
    ///
    /// ```text
    /// <|tool_call>call:read_file{path:<|"|>src/main.rs<|"|>}<tool_call|>
    /// ```
    GEMMA4 = gemma::gemma4;

    /// Calls with a header and a fenced object. DeepSeek V3 and R1. It reads what
    /// [`DEEPSEEK_V31`](Dialect::DEEPSEEK_V31) reads, and writes its own.
    ///
    /// ````text
    /// <｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>read_file
    /// ```json
    /// {"path": "src/main.rs"}
    /// ```<｜tool▁call▁end｜><｜tool▁calls▁end｜>
    /// ````
    DEEPSEEK_V3 = header::deepseek_v3;

    /// Calls with a header. DeepSeek V3.1 and V3.2-Exp.
    ///
    /// ```text
    /// <｜tool▁calls▁begin｜><｜tool▁call▁begin｜>read_file<｜tool▁sep｜>
    /// {"path": "src/main.rs"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>
    /// ```
    DEEPSEEK_V31 = header::deepseek_v31;

    /// Parameters as elements, in which elements may nest. MiniMax M3.
    ///
    /// ```text
    /// ]<]minimax[>[<tool_call>
    /// ]<]minimax[>[<invoke name="read_file">]<]minimax[>[<path>src/main.rs]<]minimax[>[</path>]<]minimax[>[</invoke>
    /// ]<]minimax[>[</tool_call>
    /// ```
    MINIMAX_M3 = invoke::minimax_m3;

    /// The whole message is a call, as JSON. Llama 3.x, many fine-tunes, xLAM.
    ///
    /// ```text
    /// {"name": "read_file", "parameters": {"path": "src/main.rs"}}
    /// ```
    LLAMA3_JSON = json_array::llama3_json;

    /// A list of Python calls. Llama 4, Olmo 3.
    ///
    /// ```text
    /// [read_file(path="src/main.rs")]
    /// ```
    PYTHONIC = pythonic::pythonic;

    /// The same between tokens. LFM2.
    ///
    /// ```text
    /// <|tool_call_start|>[read_file(path='src/main.rs')]<|tool_call_end|>
    /// ```
    LFM2 = pythonic::lfm2;

    /// A list of JSON calls with ids. Command R7B to A+.
    ///
    /// ```text
    /// <|START_ACTION|>[
    ///     {"tool_call_id": "0", "tool_name": "read_file", "parameters": {"path": "src/main.rs"}}
    /// ]<|END_ACTION|>
    /// ```
    COMMAND_R = json_array::command_r;

    /// [`Dialect::INVOKE`] with tags of its own, with ids and types. Command 5.
    ///
    /// ```text
    /// <cofl:tool_calls>
    /// <cofl:tool_call id="0" name="read_file">
    /// <cofl:tool_param name="path" string="true">src/main.rs</cofl:tool_param>
    /// </cofl:tool_call>
    /// </cofl:tool_calls>
    /// ```
    COHERE_COFL = invoke::cohere_cofl;

    /// Special tokens for the brackets of tags, and types. Kimi K3.
    ///
    /// ```text
    /// <|open|>tools<|sep|><|open|>call tool="read_file" index="1"<|sep|>
    /// <|open|>argument key="path" type="string"<|sep|>src/main.rs<|close|>argument<|sep|>
    /// <|close|>call<|sep|><|close|>tools<|sep|>
    /// ```
    KIMI_K3 = invoke::kimi_k3;

    /// JSON calls after a token, without a closer. Granite 3, ERNIE 4.5.
    ///
    /// ```text
    /// <|tool_call|>[{"name": "read_file", "arguments": {"path": "src/main.rs"}}]
    /// ```
    GRANITE = json_array::granite;

    /// A list of JSON calls after a word, or between tokens. Phi-4-mini.
    ///
    /// ```text
    /// functools[{"name": "read_file", "arguments": {"path": "src/main.rs"}}]
    /// ```
    PHI4 = json_array::phi4;

    /// A list of JSON calls between tags. Nemotron v2, Jamba, Hunyuan-A13B, MiniMax M1, InternLM, Apertus.
    ///
    /// ```text
    /// <tool_calls>[{"name": "read_file", "arguments": {"path": "src/main.rs"}}]</tool_calls>
    /// ```
    JSON_ARRAY = json_array::json_array;

    /// Recipients on lines of their own: `all` for text, or a tool. Functionary 3.2.
    ///
    /// ```text
    /// >>>read_file
    /// {"path": "src/main.rs"}
    /// ```
    FUNCTIONARY = functionary::functionary;

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
    CODE_ASSISTANT_CARET = caret::caret;

    /// Functions after `<seed:tool_call>`. Seed-OSS.
    ///
    /// ```text
    /// <seed:tool_call>
    /// <function=read_file>
    /// <parameter=path>src/main.rs</parameter>
    /// </function>
    /// </seed:tool_call>
    /// ```
    SEED_OSS = relatives::seed_oss;

    /// JSON, or keys and values, after `<longcat_tool_call>`. LongCat.
    ///
    /// ```text
    /// <longcat_tool_call>read_file
    /// <longcat_arg_key>path</longcat_arg_key>
    /// <longcat_arg_value>src/main.rs</longcat_arg_value>
    /// </longcat_tool_call>
    /// ```
    LONGCAT = relatives::longcat;

    /// Keys and values after `<iquest_tool_call>`. IQuest Q1.
    ///
    /// ```text
    /// <iquest_tool_call>ls<arg_key>path</arg_key><arg_value>src</arg_value></iquest_tool_call>
    /// ```
    IQUEST_Q1 = relatives::iquest_q1;

    /// [`Dialect::DEEPSEEK_DSML`] with `GCML` for `DSML`. GigaChat 3.5.
    GIGACHAT35 = invoke::gigachat35;

    /// [`Dialect::INVOKE`] in a section of its own, in which JSON objects may stand, too. dots.
    ///
    /// ```text
    /// <dots_function_call>
    /// <invoke name="read_file">
    /// <parameter name="path">src/main.rs</parameter>
    /// </invoke>
    /// </dots_function_call>
    /// ```
    DOTS = invoke::dots;

    /// As `gemma4`, with other tokens. FunctionGemma.
    ///
    /// ```text
    /// <start_function_call>call:read_file{path:<escape>src/main.rs<escape>}<end_function_call>
    /// ```
    FUNCTIONGEMMA = gemma::functiongemma;

    /// A list of JSON calls between tags, after a final response. Apriel 1.5 and 1.6.
    ///
    /// ```text
    /// <tool_calls>[{"name": "read_file", "arguments": {"path": "src/main.rs"}}]</tool_calls>
    /// ```
    APRIEL = json_array::apriel;

    /// Keys and values between tokens. Solar Open 2.
    ///
    /// ```text
    /// <|tool_call:start|>read_file
    /// <|tool_arg:start|>path<|tool_arg:value|>src/main.rs<|tool_arg:end|>
    /// <|tool_call:end|>
    /// ```
    SOLAR_OPEN2 = relatives::solar_open2;

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
    HUNYUAN = keyed::hunyuan;

    /// A section of keyed calls, perhaps with types, or of JSON. K2 Horizon.
    ///
    /// ```text
    /// <ifm|tool_calls><ifm|tool_call>ls<ifm|arg_key>path</ifm|arg_key><ifm|arg_value>src</ifm|arg_value>
    /// </ifm|tool_call></ifm|tool_calls>
    /// ```
    K2_HORIZON = keyed::k2_horizon;

    /// Calls with an id and a name in their headers. Solar Open.
    ///
    /// ```text
    /// <|tool_calls|><|tool_call:begin|>call0<|tool_call:name|>read_file<|tool_call:args|>
    /// {"path": "src/main.rs"}<|tool_call:end|><|calls|>
    /// ```
    SOLAR_OPEN = header::solar_open;

    /// Requests with a name and arguments, each between tokens of its own. PLaMo 3.
    ///
    /// ```text
    /// <|plamo:begin_tool_requests:plamo|><|plamo:begin_tool_request:plamo|>
    /// <|plamo:begin_tool_name:plamo|>read_file<|plamo:end_tool_name:plamo|>
    /// <|plamo:begin_tool_arguments:plamo|><|plamo:msg|>{"path": "src/main.rs"}
    /// <|plamo:end_tool_arguments:plamo|><|plamo:end_tool_request:plamo|>
    /// <|plamo:end_tool_requests:plamo|>
    /// ```
    PLAMO3 = header::plamo3;

    /// A JSON call after a token. GigaChat 3 and 3.1.
    ///
    /// ```text
    /// <|function_call|>{"name": "read_file", "arguments": {"path": "src/main.rs"}}
    /// ```
    GIGACHAT3 = json_array::gigachat3;

    /// [`Dialect::INVOKE`] with tags of its own, and special tokens round each call. Step 3.
    ///
    /// ```text
    /// <｜tool_calls_begin｜>
    /// <｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="read_file">
    /// <steptml:parameter name="path">src/main.rs</steptml:parameter>
    /// </steptml:invoke><｜tool_call_end｜>
    /// <｜tool_calls_end｜>
    /// ```
    STEP3 = invoke::step3;

    /// Functions and parameters that are named by attributes, without a section. MiniCPM 5.
    ///
    /// ```text
    /// <function name="read_file"><param name="path">src/main.rs</param></function>
    /// ```
    MINICPM5 = invoke::minicpm5;

    /// Messages with headers, invocations in those to a tool. Muse Glimmer, Spark.
    ///
    /// ```text
    /// <|start|>assistant to=read_file<|message|><atem:function_calls>
    /// <atem:invoke name="read_file">
    /// <atem:parameter name="path">src/main.rs</atem:parameter>
    /// </atem:invoke>
    /// </atem:function_calls><|eom|>
    /// ```
    MUSE = invoke::muse;

    /// The messages of [`Dialect::HARMONY`], in them parameters as elements. Beam.
    ///
    /// ```text
    /// <|start|>assistant to=read_file<|channel|>analysis <|constrain|>xml<|message|>
    /// <rfl:parameter name="path">
    /// src/main.rs
    /// </rfl:parameter><|call|>
    /// ```
    BEAM = harmony::beam;

    /// Messages with headers, one for each call. Inkling.
    ///
    /// ```text
    /// <|message_model|>read_file<|content_invoke_tool_json|>
    /// {"name": "read_file", "args": {"path": "src/main.rs"}}<|end_message|>
    /// ```
    INKLING = inkling::inkling;
}

impl Source {
    fn spec(&self) -> &DialectSpec {
        match self {
            Source::BuiltIn(number) => &TABLES[*number],
            Source::Host(host) => &host.spec,
        }
    }

    fn id(&self) -> TableId {
        match self {
            Source::BuiltIn(number) => TableId::BuiltIn(*number),
            Source::Host(host) => TableId::Host(host.number),
        }
    }
}

impl Dialect {
    /// A dialect of the host's own. It is checked when a parser is built
    /// ([`BuildError::place`](crate::BuildError::place)), and compiled once for all its clones: build it
    /// once and clone it. [`crate::tables`] has an example.
    pub fn new(spec: DialectSpec) -> Dialect {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let host = Host { spec, number };
        Dialect { first: Source::Host(Arc::new(host)), second: None, more: false, form: None }
    }

    const fn built_in(number: usize) -> Dialect {
        Dialect { first: Source::BuiltIn(number), second: None, more: false, form: None }
    }

    /// This dialect and another, read at once. Two are the most that a parser reads: one of three
    /// cannot be built.
    ///
    /// Any two dialects can be joined, and the calls of both are read. There is one exception: the
    /// messages of `harmony`, `beam` and `muse` begin with the same tokens, so `harmony` and `beam`
    /// read those of the others as their own.
    ///
    /// ```
    /// use toolstream::{Dialect, Parser};
    ///
    /// let three = Dialect::REACT.and(Dialect::HERMES).and(Dialect::CLINE);
    /// let error = Parser::builder(three).build().unwrap_err();
    /// assert!(error.to_string().ends_with("react+hermes+… are too many"));
    /// ```
    #[must_use]
    pub fn and(&self, other: impl Into<Dialect>) -> Dialect {
        let other = other.into();
        let more = self.more || self.second.is_some() || other.second.is_some();
        let second = self.second.clone().or(Some(other.first));
        Dialect { second, more, ..self.clone() }
    }

    /// The built-in dialect of this name, or the two of names joined by `+`. Case does not matter, and
    /// `_` is as good as `-`. After a colon may stand one of its [`forms`](Dialect::forms):
    /// `glm:inline`.
    ///
    /// # Errors
    /// [`UnknownName`], which lists the names there are, for a name that is none of them and for
    /// more than two.
    pub fn by_name(name: &str) -> Result<Dialect, UnknownName> {
        let unknown = |name: &str| {
            let known = Dialect::ALL.iter().map(|dialect| dialect.name()).collect();
            UnknownName { name: name.to_string(), kind: "dialect", others: "", known }
        };
        let one = |name: &str| {
            let small = name.to_ascii_lowercase().replace('_', "-");
            let (base, form) =
                small.split_once(':').map_or((&*small, None), |(base, form)| (base, Some(form)));
            let found = Dialect::ALL.iter().find(|known| known.name() == base);
            let found = found.and_then(|found| match form {
                None => Some(found.clone()),
                Some(form) => found.forms().find(|known| known.form() == Some(form)),
            });
            found.ok_or_else(|| unknown(name))
        };
        match name.split_once('+') {
            None => one(name),
            Some((_, rest)) if rest.contains('+') => Err(unknown(name)),
            Some((first, second)) => Ok(one(first)?.and(one(second)?)),
        }
    }

    /// The name, as [`Dialect::by_name`] takes it; of two, the first one's. `to_string` has both.
    pub fn name(&self) -> &str {
        &self.spec().name
    }

    /// One line about what it looks like; of two, the first one's.
    pub fn about(&self) -> &str {
        &self.spec().about
    }

    /// The dialect in each of its other forms. Some models of a family write their calls otherwise than
    /// the rest: the parser reads both, but a history that stands in a form which the model never wrote
    /// costs its prefix cache. [`Dialect::for_model`] knows which model writes which.
    ///
    /// ```
    /// use toolstream::{Dialect, ToolResult};
    ///
    /// let forms: Vec<String> = Dialect::GLM.forms().map(|form| form.to_string()).collect();
    /// assert_eq!(forms, ["glm:inline"]);
    /// let results = [ToolResult::ok("list", "a.rs")];
    /// let inline = Dialect::by_name("glm:inline")?;
    /// assert_eq!(inline.render_results(&results), "<tool_response>a.rs</tool_response>");
    /// assert_eq!(Dialect::GLM.render_results(&results), "<tool_response>\na.rs\n</tool_response>");
    /// # Ok::<(), toolstream::UnknownName>(())
    /// ```
    pub fn forms(&self) -> impl Iterator<Item = Dialect> {
        let built_in = matches!(self.first, Source::BuiltIn(_));
        let forms = FORMS.iter().filter(move |form| built_in && form.dialect == self.name());
        forms.map(|form| Dialect { form: Some(form), ..self.clone() })
    }

    /// The name of its form, if it is one of its [`forms`](Dialect::forms). `==` does not look at it.
    pub fn form(&self) -> Option<&'static str> {
        self.form.map(|form| form.name)
    }

    /// How it is written, in its form; of two, the first one.
    pub(crate) fn template(&self) -> &Template {
        self.form.map_or(&self.spec().template, |form| &form.template)
    }

    /// What it is made of; of two, the first one.
    pub fn spec(&self) -> &DialectSpec {
        self.first.spec()
    }

    /// The second of two.
    pub fn second(&self) -> Option<Dialect> {
        self.second.clone().map(|first| Dialect { first, second: None, more: false, form: None })
    }

    fn sources(&self) -> impl Iterator<Item = &Source> {
        std::iter::once(&self.first).chain(&self.second)
    }

    pub(crate) fn specs(&self) -> impl Iterator<Item = &DialectSpec> {
        self.sources().map(Source::spec)
    }

    pub(crate) fn ids(&self) -> Vec<TableId> {
        self.sources().map(Source::id).collect()
    }

    pub(crate) fn is_too_many(&self) -> bool {
        self.more
    }

    pub(crate) fn part(&self, number: usize) -> &DialectSpec {
        self.second.as_ref().filter(|_| number > 0).unwrap_or(&self.first).spec()
    }
}

impl PartialEq for Source {
    fn eq(&self, other: &Source) -> bool {
        match (self, other) {
            (Source::BuiltIn(one), Source::BuiltIn(other)) => one == other,
            (Source::Host(one), Source::Host(other)) if Arc::ptr_eq(one, other) => true,
            _ => self.spec() == other.spec(),
        }
    }
}

/// What is read counts, not how it is written: see [`Dialect`].
impl PartialEq for Dialect {
    fn eq(&self, other: &Dialect) -> bool {
        (&self.first, &self.second, self.more) == (&other.first, &other.second, other.more)
    }
}

impl Eq for Dialect {}

/// By the names: equal tables have the same.
impl Hash for Dialect {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.specs().for_each(|spec| spec.name.hash(state));
    }
}

/// [`Dialect::by_name`].
impl FromStr for Dialect {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Dialect, UnknownName> {
        Dialect::by_name(name)
    }
}

/// A clone: [`Parser::builder`](crate::Parser::builder) takes either.
impl From<&Dialect> for Dialect {
    fn from(dialect: &Dialect) -> Dialect {
        dialect.clone()
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        self.form().map_or(Ok(()), |form| write!(f, ":{form}"))?;
        self.second.as_ref().map_or(Ok(()), |second| write!(f, "+{}", second.spec().name))?;
        if self.more { f.write_str("+…") } else { Ok(()) }
    }
}

impl fmt::Debug for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Dialect({self})")
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Weak;

    use super::*;
    use crate::{Parser, Tool};

    fn host(name: &'static str) -> (Dialect, Weak<Host>) {
        let dialect = Dialect::new(DialectSpec { name: name.into(), ..xml::code_assistant() });
        let Source::Host(table) = &dialect.first else { panic!("a host's own") };
        let table = Arc::downgrade(table);
        (dialect, table)
    }

    #[test]
    fn a_hosts_table_goes_with_the_last_that_has_it() {
        let ((one, one_left), (other, other_left)) = (host("one"), host("other"));
        let parsers: Vec<Parser> = [
            one.clone(),
            one.clone().and(Dialect::HERMES),
            Dialect::HERMES.and(one.clone()),
            one.clone().and(other.clone()),
            other.clone().and(one.clone()),
        ]
        .map(|dialect| Parser::builder(dialect).tool(Tool::new("list")).build().expect("a parser"))
        .into();
        drop((one, other));
        assert!(one_left.upgrade().is_some() && other_left.upgrade().is_some());
        drop(parsers);
        assert!(one_left.upgrade().is_none() && other_left.upgrade().is_none());
    }

    #[test]
    fn equal_tables_are_equal_dialects() {
        let dialect = |name: &str| {
            let name = name.to_string().into();
            Dialect::new(DialectSpec { name, ..xml::cline() })
        };
        assert_eq!(dialect("cline"), Dialect::CLINE);
        assert_ne!(dialect("clime"), Dialect::CLINE);
        assert_eq!(dialect("a").and(Dialect::GLM), dialect("a").and(Dialect::GLM));
        assert_ne!(dialect("a").and(Dialect::GLM), dialect("a").and(dialect("a")));
        let three = Dialect::GLM.and(Dialect::REACT).and(Dialect::HERMES);
        assert_ne!(three, Dialect::GLM.and(Dialect::REACT));
        // What changes in a dialect is what is compiled of it, which its hash does not look at.
        #[allow(clippy::mutable_key_type)]
        let all: std::collections::HashSet<Dialect> = Dialect::ALL.iter().cloned().collect();
        assert_eq!(all.len(), Dialect::ALL.len());
        assert!(all.contains(&dialect("cline")));
    }

    #[test]
    fn a_form_is_the_same_dialect() {
        let inline = Dialect::by_name("glm:inline").expect("a form");
        assert_eq!((inline.form(), Dialect::GLM.form()), (Some("inline"), None));
        assert_eq!(inline, Dialect::GLM);
        assert_eq!(Dialect::for_model("glm-4.7").expect("a family").dialect, Dialect::GLM);
        assert_ne!(inline, Dialect::LONGCAT);
        assert_ne!(inline, Dialect::GLM.and(Dialect::REACT));
        #[allow(clippy::mutable_key_type)]
        let both = std::collections::HashSet::from([inline, Dialect::GLM]);
        assert_eq!(both.len(), 1);
    }
}
