//! The dialects: which grammar a model writes its calls in.

mod build;
mod chars;
pub(crate) mod check;
mod flags;
pub(crate) mod header;
pub(crate) mod react;
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
/// assert_eq!(
///     Dialect::by_name("klein").unwrap_err().to_string(),
///     "unknown dialect `klein`: use one of cline, code-assistant, invoke, hermes, qwen3-coder, glm, \
///      tool-call, react, kimi-k2"
/// );
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

static CLINE: LazyLock<DialectSpec> = LazyLock::new(xml::cline);
static CODE_ASSISTANT: LazyLock<DialectSpec> = LazyLock::new(xml::code_assistant);
static INVOKE: LazyLock<DialectSpec> = LazyLock::new(xml::invoke);
static HERMES: LazyLock<DialectSpec> = LazyLock::new(tool_call::hermes);
static QWEN3_CODER: LazyLock<DialectSpec> = LazyLock::new(tool_call::qwen3_coder);
static GLM: LazyLock<DialectSpec> = LazyLock::new(tool_call::glm);
static TOOL_CALL: LazyLock<DialectSpec> = LazyLock::new(tool_call::tool_call);
static REACT: LazyLock<DialectSpec> = LazyLock::new(react::react);
static KIMI_K2: LazyLock<DialectSpec> = LazyLock::new(header::kimi_k2);

impl Source {
    fn spec(self) -> &'static DialectSpec {
        match self {
            Source::BuiltIn(spec) => spec,
            Source::Host(spec) => spec,
        }
    }
}

impl Dialect {
    /// Declared tool and parameter names as tags. Cline, Roo Code, Kilo Code and their heirs.
    ///
    /// ```text
    /// <read_file>
    /// <path>src/main.rs</path>
    /// </read_file>
    /// ```
    pub const CLINE: Dialect = Dialect::built_in(&CLINE);

    /// Prefixed tags. The tool `code-assistant`.
    ///
    /// ```text
    /// <tool:read_file>
    /// <param:path>src/main.rs</param:path>
    /// </tool:read_file>
    /// ```
    pub const CODE_ASSISTANT: Dialect = Dialect::built_in(&CODE_ASSISTANT);

    /// A section of invocations. Anthropic's prompt form, MiniMax, and what copies them.
    ///
    /// ```text
    /// <function_calls>
    /// <invoke name="read_file">
    /// <parameter name="path">src/main.rs</parameter>
    /// </invoke>
    /// </function_calls>
    /// ```
    pub const INVOKE: Dialect = Dialect::built_in(&INVOKE);

    /// JSON behind `<tool_call>`. Hermes, Qwen 2.5 and 3, Granite 4, and most fine-tunes.
    ///
    /// ```text
    /// <tool_call>
    /// {"name": "read_file", "arguments": {"path": "src/main.rs"}}
    /// </tool_call>
    /// ```
    pub const HERMES: Dialect = Dialect::built_in(&HERMES);

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
    pub const QWEN3_CODER: Dialect = Dialect::built_in(&QWEN3_CODER);

    /// Keys and values behind `<tool_call>`. GLM-4.5 to 5.x, Ling 3, Laguna, Spark 2.5.
    ///
    /// ```text
    /// <tool_call>read_file
    /// <arg_key>path</arg_key>
    /// <arg_value>src/main.rs</arg_value>
    /// </tool_call>
    /// ```
    pub const GLM: Dialect = Dialect::built_in(&GLM);

    /// Whichever of the three stands behind `<tool_call>`.
    pub const TOOL_CALL: Dialect = Dialect::built_in(&TOOL_CALL);

    /// Lines that begin with keywords, for any model.
    ///
    /// ```text
    /// Thought: I need the file.
    /// Action: read_file
    /// Action Input: {"path": "src/main.rs"}
    /// ```
    pub const REACT: Dialect = Dialect::built_in(&REACT);

    /// Calls with a header that names the tool and the call. Kimi K2 to K2.6.
    ///
    /// ```text
    /// <|tool_calls_section_begin|><|tool_call_begin|>functions.read_file:0<|tool_call_argument_begin|>
    /// {"path": "src/main.rs"}<|tool_call_end|><|tool_calls_section_end|>
    /// ```
    pub const KIMI_K2: Dialect = Dialect::built_in(&KIMI_K2);

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
        Dialect::KIMI_K2,
    ];

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
        self.second.is_some() == other.second.is_some() && self.specs().zip(other.specs()).all(same)
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
