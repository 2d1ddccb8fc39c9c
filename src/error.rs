//! Mistakes in a configuration. Model text is never a mistake.

use thiserror::Error;

use crate::options::bounds;

/// Error of a parser, a dialect or a grammar that cannot be built: a sentence with the remedy.
///
/// Facts that a program may need have methods; the rest is in the sentence. The mistake is in the configuration, the
/// tools, or a name: model text never causes one.
///
/// ```
/// use toolstream::{Dialect, Parser};
///
/// let error = Parser::builder(Dialect::HERMES).tool_limit(0).build().unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "a tool limit of 0 allows no call at all: use 1 or more, or no limit",
/// );
/// // A gateway that has read the tools of a request: without any, this dialect has no calls.
/// assert!(Parser::builder(Dialect::CLINE).build().unwrap_err().needs_tools());
///
/// let error = Dialect::by_name("hermse").unwrap_err();
/// let told = error.to_string();
/// assert!(told.starts_with("unknown dialect `hermse`, did you mean `hermes`? Use one of cline, "));
/// assert_eq!(error.unknown_name(), Some("hermse"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(transparent)]
pub struct BuildError(#[from] pub(crate) BuildProblem);

impl BuildError {
    /// Whether the only mistake is that no tool was declared, for a dialect that knows a call by a declared name
    /// alone (`cline`).
    pub fn needs_tools(&self) -> bool {
        matches!(self.0, BuildProblem::NeedsTools { .. })
    }

    /// Returns the place of the mistake in the renames of a dialect: `renames[0]`.
    pub fn place(&self) -> Option<&str> {
        match &self.0 {
            BuildProblem::Spec { place, .. } => Some(place),
            _ => None,
        }
    }

    /// Returns the unknown name of a dialect, a provider, a tool format or an option; of dialects joined by `+`, the
    /// unknown one.
    pub fn unknown_name(&self) -> Option<&str> {
        match &self.0 {
            BuildProblem::UnknownName(unknown) => Some(&unknown.name),
            _ => None,
        }
    }

    /// Returns a suggestion in place of the unknown name: the nearest name, or the dialect that a parser of another
    /// program reads or a model writes under that name.
    pub fn hint(&self) -> Option<String> {
        match &self.0 {
            BuildProblem::UnknownName(unknown) => unknown.hint.clone(),
            _ => None,
        }
    }

    /// An unknown dialect, where the name of another tool format would do, too.
    pub(crate) fn of_tool_format(mut self) -> BuildError {
        if let BuildProblem::UnknownName(unknown) = &mut self.0 {
            *unknown = UnknownName {
                others: "auto, native, or ",
                ..UnknownName::new("tool format", &unknown.name, std::mem::take(&mut unknown.known))
            };
        }
        self
    }
}

impl From<UnknownName> for BuildError {
    fn from(unknown: UnknownName) -> BuildError {
        BuildProblem::UnknownName(unknown).into()
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(crate) enum BuildProblem {
    /// A limit of 0 forbids every call.
    #[error("a tool limit of 0 allows no call at all: use 1 or more, or no limit")]
    ToolLimitZero,
    /// A tool or a parameter without a name.
    #[error("a tool or one of its parameters has no name: give it one")]
    EmptyName,
    /// A name that the parser could never read.
    #[error("the name `{name}` is longer than {} bytes: shorten it", bounds::NAME)]
    NameTooLong {
        /// The name.
        name: String,
    },
    /// A name that the dialect's grammar cannot hold.
    #[error(
        "the name `{name}` cannot be a tag of {dialect}: use no `<`, `>`, `/` or white space, and \
         no tag that the parser's dialects have themselves"
    )]
    BadName {
        /// The name.
        name: String,
        /// The dialect whose names are tags, without the others.
        dialect: String,
    },
    /// No tool is declared, but the dialect knows a call only by a declared tool's name (`tag_names`).
    #[error(
        "no tool is declared, and {dialect} knows a call only by a declared name: declare the tools \
         that the model was told about"
    )]
    NeedsTools {
        /// The dialect whose names are tags, without the others.
        dialect: String,
    },
    /// More dialects than a parser reads.
    #[error("{dialect} are too many: a parser reads 64 dialects at once")]
    TooManyDialects {
        /// The names of all dialects.
        dialect: String,
    },
    /// Two tools of one name.
    #[error("the tool `{name}` is declared twice: declare it once")]
    DuplicateTool {
        /// The name.
        name: String,
    },
    /// Two parameters of one name in one tool.
    #[error("the tool `{tool}` declares the parameter `{name}` twice: declare it once")]
    DuplicateParameter {
        /// The tool.
        tool: String,
        /// The parameter's name.
        name: String,
    },
    /// More tools or parameters than a parser can number.
    #[error("{count} tools or parameters are too many: declare at most {}", u16::MAX - 1)]
    TooMany {
        /// Their number.
        count: usize,
    },
    /// A rename that finds nothing, or that would spoil a marker.
    #[error("the dialect `{dialect}` has a mistake at `{place}`: {problem}")]
    Spec {
        /// The dialect's name.
        dialect: String,
        /// The rename: `renames[0]`.
        place: String,
        /// The mistake.
        problem: String,
    },
    /// An entry of [`Options::answer_keywords`](crate::options::Options::answer_keywords) that could not be read.
    #[error("the answer keyword `{keyword}` cannot be read: {problem}")]
    AnswerKeyword {
        /// The keyword.
        keyword: String,
        /// The mistake: too many words, a word that is too long, too many keywords before it.
        problem: String,
    },
    /// A parser that has no grammar for constrained decoding.
    #[cfg(feature = "json")]
    #[error("{dialect} has no grammar of this format: {problem}")]
    NoGrammar {
        /// The names of all dialects.
        dialect: String,
        /// The reason.
        problem: String,
    },
    /// A name that does not exist.
    #[error("{}", .0.sentence())]
    UnknownName(UnknownName),
}

/// An unknown name: of a dialect, a provider, a tool format or a choice. The sentence lists the known names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct UnknownName {
    name: String,
    /// The kind of name that was asked for.
    kind: &'static str,
    /// The other possible names.
    others: &'static str,
    known: Vec<&'static str>,
    /// Found with the error: to show one must not link every dialect.
    hint: Option<String>,
}

impl UnknownName {
    /// Makes the error of a name of this kind, with the nearest of the known names as its hint.
    pub fn new(kind: &'static str, name: &str, known: Vec<&'static str>) -> UnknownName {
        let hint = nearest(name, &known).map(|known| format!("did you mean `{known}`?"));
        UnknownName { name: name.to_string(), kind, others: "", known, hint }
    }

    /// Puts a better hint in place of the nearest name, if there is one.
    pub fn or_hint(self, hint: Option<String>) -> UnknownName {
        UnknownName { hint: hint.or(self.hint), ..self }
    }

    fn sentence(&self) -> String {
        let UnknownName { name, kind, others, known, hint } = self;
        let known = known.join(", ");
        match hint {
            None => format!("unknown {kind} `{name}`: use {others}one of {known}"),
            Some(hint) if hint.ends_with('?') => {
                format!("unknown {kind} `{name}`, {hint} Use {others}one of {known}")
            }
            Some(hint) => format!("unknown {kind} `{name}`, {hint}: use {others}one of {known}"),
        }
    }
}

/// Returns the known name at a distance of a few typing errors.
fn nearest(name: &str, known: &[&'static str]) -> Option<&'static str> {
    let name = name.to_lowercase();
    let near = known.iter().map(|known| (slips(&name, known), *known));
    let near = near.filter(|(slips, known)| slips * 3 <= name.len().max(known.len()));
    near.min_by_key(|(slips, _)| *slips).map(|(_, known)| known)
}

/// Returns the number of characters to change, remove, insert, or swap with the next one.
fn slips(one: &str, other: &str) -> usize {
    let [one, other] = [one, other].map(|text| text.chars().take(64).collect::<Vec<char>>());
    let mut rows = vec![vec![0; other.len() + 1]; one.len() + 1];
    for i in 0..=one.len() {
        for j in 0..=other.len() {
            rows[i][j] = if i == 0 || j == 0 {
                i + j
            } else {
                let same = usize::from(one[i - 1] != other[j - 1]);
                let least =
                    (rows[i - 1][j] + 1).min(rows[i][j - 1] + 1).min(rows[i - 1][j - 1] + same);
                let swapped =
                    i > 1 && j > 1 && one[i - 1] == other[j - 2] && one[i - 2] == other[j - 1];
                if swapped { least.min(rows[i - 2][j - 2] + 1) } else { least }
            };
        }
    }
    rows[one.len()][other.len()]
}
