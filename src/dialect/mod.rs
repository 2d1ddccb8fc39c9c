//! The dialects: which grammar a model writes its calls in.

mod build;
mod chars;
pub(crate) mod check;
mod flags;
pub(crate) mod harmony;
pub(crate) mod header;
pub(crate) mod invoke;
pub(crate) mod react;
mod rename;
pub mod spec;
pub(crate) mod tool_call;
pub mod wire;
pub(crate) mod xml;

use std::sync::LazyLock;

use crate::error::UnknownDialect;
use spec::DialectSpec;

/// Which grammar the parser reads.
///
/// ```
/// use toolstream::Dialect;
///
/// assert_eq!(Dialect::by_name("cline")?, Dialect::CLINE);
/// let error = Dialect::by_name("klein").unwrap_err().to_string();
/// assert!(error.starts_with("unknown dialect `klein`: use one of cline, code-assistant, invoke, "));
/// # Ok::<(), toolstream::UnknownDialect>(())
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
/// # Ok::<(), toolstream::UnknownDialect>(())
/// ```
#[derive(Clone, Copy)]
pub struct Dialect {
    first: Source,
    second: Option<Source>,
    /// More than two were joined: there is no parser for that.
    more: bool,
}

/// Where the spec of a dialect is.
#[derive(Clone, Copy)]
enum Source {
    BuiltIn(&'static LazyLock<DialectSpec>),
    Host(&'static DialectSpec),
}

/// The built-in dialects, in the order of [`Dialect::ALL`]: a constant, its docs, and the function that
/// makes its table (once a process, when it is asked for first).
macro_rules! built_in {
    ($($(#[$doc:meta])* $name:ident = $table:path;)*) => {
        impl Dialect {
            $(
                $(#[$doc])*
                pub const $name: Dialect = {
                    static TABLE: LazyLock<DialectSpec> = LazyLock::new($table);
                    Dialect::built_in(&TABLE)
                };
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

    /// JSON behind `<tool_call>`. Hermes, Qwen 2.5 and 3, Granite 4, and most fine-tunes.
    ///
    /// ```text
    /// <tool_call>
    /// {"name": "read_file", "arguments": {"path": "src/main.rs"}}
    /// </tool_call>
    /// ```
    HERMES = tool_call::hermes;

    /// Functions behind `<tool_call>`. Qwen3-Coder, Qwen 3.5 to 3.8, Nemotron 3, MiMo V2, Step 3.5.
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

    /// Keys and values behind `<tool_call>`. GLM-4.5 to 5.x, Ling 3, Laguna, Spark 2.5.
    ///
    /// ```text
    /// <tool_call>read_file
    /// <arg_key>path</arg_key>
    /// <arg_value>src/main.rs</arg_value>
    /// </tool_call>
    /// ```
    GLM = tool_call::glm;

    /// Whichever of the three stands behind `<tool_call>`.
    TOOL_CALL = tool_call::tool_call;

    /// Lines that begin with keywords, for any model.
    ///
    /// ```text
    /// Thought: I need the file.
    /// Action: read_file
    /// Action Input: {"path": "src/main.rs"}
    /// ```
    REACT = react::react;

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

    /// Special tokens for the brackets of tags, and types. Kimi K3.
    ///
    /// ```text
    /// <|open|>tools<|sep|><|open|>call tool="read_file" index="1"<|sep|>
    /// <|open|>argument key="path" type="string"<|sep|>src/main.rs<|close|>argument<|sep|>
    /// <|close|>call<|sep|><|close|>tools<|sep|>
    /// ```
    KIMI_K3 = invoke::kimi_k3;

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
}

impl Source {
    fn spec(self) -> &'static DialectSpec {
        match self {
            Source::BuiltIn(spec) => spec,
            Source::Host(spec) => spec,
        }
    }
}

impl Dialect {
    /// A dialect of the host's own. It lives as long as the program, like the built-in ones: build it
    /// once, in a `static`, a `LazyLock` or with `Box::leak`. [`crate::spec`] has an example.
    pub const fn new(spec: &'static DialectSpec) -> Dialect {
        Dialect { first: Source::Host(spec), second: None, more: false }
    }

    const fn built_in(spec: &'static LazyLock<DialectSpec>) -> Dialect {
        Dialect { first: Source::BuiltIn(spec), second: None, more: false }
    }

    /// This dialect and another, read at once. Two are the most that a parser reads: one of three
    /// cannot be built ([`BuildError::TooManyDialects`](crate::BuildError::TooManyDialects)).
    ///
    /// ```
    /// use toolstream::{BuildError, Dialect, Parser};
    ///
    /// let three = Dialect::REACT.and(Dialect::HERMES).and(Dialect::CLINE);
    /// let error = Parser::builder(three).build().unwrap_err();
    /// assert!(matches!(error, BuildError::TooManyDialects { .. }));
    /// ```
    #[must_use]
    pub const fn and(self, other: Dialect) -> Dialect {
        match (self.second, other.second) {
            (None, None) => Dialect { second: Some(other.first), ..self },
            (None, Some(_)) => Dialect { second: Some(other.first), more: true, ..self },
            (Some(_), _) => Dialect { more: true, ..self },
        }
    }

    /// The dialect of this name, or the two of names joined by `+`.
    ///
    /// # Errors
    /// [`UnknownDialect`], which lists the names there are, for a name that is none of them and for
    /// more than two.
    pub fn by_name(name: &str) -> Result<Dialect, UnknownDialect> {
        let unknown = |name: &str| {
            let known = Dialect::ALL.iter().map(|dialect| dialect.name()).collect();
            UnknownDialect { name: name.to_string(), known }
        };
        let one = |name: &str| {
            let found = Dialect::ALL.iter().copied().find(|known| known.name() == name);
            found.ok_or_else(|| unknown(name))
        };
        match name.split_once('+') {
            None => one(name),
            Some((_, rest)) if rest.contains('+') => Err(unknown(name)),
            Some((first, second)) => Ok(one(first)?.and(one(second)?)),
        }
    }

    /// The name, as [`Dialect::by_name`] takes it; of two, the first one's. `to_string` has both.
    pub fn name(&self) -> &'static str {
        &self.spec().name
    }

    /// One line about what it looks like; of two, the first one's.
    pub fn about(&self) -> &'static str {
        &self.spec().about
    }

    /// What it is made of; of two, the first one.
    pub fn spec(&self) -> &'static DialectSpec {
        self.first.spec()
    }

    /// The second of two.
    pub fn second(&self) -> Option<Dialect> {
        self.second.map(|first| Dialect { first, second: None, more: false })
    }

    pub(crate) fn specs(&self) -> impl Iterator<Item = &'static DialectSpec> + use<> {
        std::iter::once(self.first).chain(self.second).map(Source::spec)
    }

    pub(crate) fn is_too_many(&self) -> bool {
        self.more
    }

    pub(crate) fn part(&self, number: usize) -> &'static DialectSpec {
        self.second.filter(|_| number > 0).unwrap_or(self.first).spec()
    }
}

impl PartialEq for Dialect {
    fn eq(&self, other: &Dialect) -> bool {
        let same = |(one, other): (&DialectSpec, &DialectSpec)| std::ptr::eq(one, other);
        let shape = |dialect: &Dialect| (dialect.second.is_some(), dialect.more);
        shape(self) == shape(other) && self.specs().zip(other.specs()).all(same)
    }
}

impl Eq for Dialect {}

impl std::fmt::Display for Dialect {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())?;
        self.second.map_or(Ok(()), |second| write!(f, "+{}", second.spec().name))?;
        if self.more { f.write_str("+…") } else { Ok(()) }
    }
}

impl std::fmt::Debug for Dialect {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Dialect({self})")
    }
}
