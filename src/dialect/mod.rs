//! The dialects: which grammar a model writes its calls in.

pub(crate) mod lines;
pub(crate) mod react;
pub(crate) mod spec;
pub(crate) mod tool_call;
pub(crate) mod xml;

use crate::error::UnknownDialect;
use spec::DialectSpec;

/// Which grammar the parser reads.
///
/// ```
/// use toolstream::Dialect;
///
/// assert_eq!(Dialect::by_name("cline")?, Dialect::CLINE);
/// assert_eq!(
///     Dialect::by_name("klein").unwrap_err().to_string(),
///     "unknown dialect `klein`: use one of cline, code-assistant, invoke, hermes, qwen3-coder, glm, \
///      tool-call, react"
/// );
/// # Ok::<(), toolstream::UnknownDialect>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Dialect {
    spec: &'static DialectSpec,
}

static CLINE: DialectSpec = xml::CLINE;
static CODE_ASSISTANT: DialectSpec = xml::CODE_ASSISTANT;
static INVOKE: DialectSpec = xml::INVOKE;
static HERMES: DialectSpec = tool_call::HERMES;
static QWEN3_CODER: DialectSpec = tool_call::QWEN3_CODER;
static GLM: DialectSpec = tool_call::GLM;
static TOOL_CALL: DialectSpec = tool_call::TOOL_CALL;
static REACT: DialectSpec = react::REACT;

impl Dialect {
    /// Declared tool and parameter names as tags. Cline, Roo Code, Kilo Code and their heirs.
    ///
    /// ```text
    /// <read_file>
    /// <path>src/main.rs</path>
    /// </read_file>
    /// ```
    pub const CLINE: Dialect = Dialect { spec: &CLINE };

    /// Prefixed tags. The tool `code-assistant`.
    ///
    /// ```text
    /// <tool:read_file>
    /// <param:path>src/main.rs</param:path>
    /// </tool:read_file>
    /// ```
    pub const CODE_ASSISTANT: Dialect = Dialect { spec: &CODE_ASSISTANT };

    /// A section of invocations. Anthropic's prompt form, MiniMax, and what copies them.
    ///
    /// ```text
    /// <function_calls>
    /// <invoke name="read_file">
    /// <parameter name="path">src/main.rs</parameter>
    /// </invoke>
    /// </function_calls>
    /// ```
    pub const INVOKE: Dialect = Dialect { spec: &INVOKE };

    /// JSON behind `<tool_call>`. Hermes, Qwen 2.5 and 3, Granite 4, and most fine-tunes.
    ///
    /// ```text
    /// <tool_call>
    /// {"name": "read_file", "arguments": {"path": "src/main.rs"}}
    /// </tool_call>
    /// ```
    pub const HERMES: Dialect = Dialect { spec: &HERMES };

    /// Functions behind `<tool_call>`. Qwen3-Coder, Qwen 3.5 and later, Nemotron 3, MiMo, Step 3.5.
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
    pub const QWEN3_CODER: Dialect = Dialect { spec: &QWEN3_CODER };

    /// Keys and values behind `<tool_call>`. GLM-4.5 to 5.x, Ling 3, Laguna, Spark.
    ///
    /// ```text
    /// <tool_call>read_file
    /// <arg_key>path</arg_key>
    /// <arg_value>src/main.rs</arg_value>
    /// </tool_call>
    /// ```
    pub const GLM: Dialect = Dialect { spec: &GLM };

    /// Whichever of the three stands behind `<tool_call>`.
    pub const TOOL_CALL: Dialect = Dialect { spec: &TOOL_CALL };

    /// Lines that begin with keywords, for any model.
    ///
    /// ```text
    /// Thought: I need the file.
    /// Action: read_file
    /// Action Input: {"path": "src/main.rs"}
    /// ```
    pub const REACT: Dialect = Dialect { spec: &REACT };

    /// Every built-in dialect.
    pub const ALL: &'static [Dialect] = &[
        Dialect::CLINE,
        Dialect::CODE_ASSISTANT,
        Dialect::INVOKE,
        Dialect::HERMES,
        Dialect::QWEN3_CODER,
        Dialect::GLM,
        Dialect::TOOL_CALL,
        Dialect::REACT,
    ];

    /// The dialect of this name.
    ///
    /// # Errors
    /// [`UnknownDialect`], which lists the names there are.
    pub fn by_name(name: &str) -> Result<Dialect, UnknownDialect> {
        Dialect::ALL.iter().copied().find(|dialect| dialect.name() == name).ok_or_else(|| {
            let known = Dialect::ALL.iter().map(|dialect| dialect.name()).collect();
            UnknownDialect { name: name.to_string(), known }
        })
    }

    /// The name, as [`Dialect::by_name`] takes it.
    pub fn name(&self) -> &'static str {
        &self.spec.name
    }

    /// One line about what it looks like.
    pub fn about(&self) -> &'static str {
        &self.spec.about
    }

    pub(crate) fn spec(&self) -> &'static DialectSpec {
        self.spec
    }
}

impl std::fmt::Debug for Dialect {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Dialect({})", self.name())
    }
}
