//! [`Facts`]: a dialect without its grammar.

use super::template::Template;
use crate::dialect::Text;
use crate::dialect::literals::Literals;
use crate::options::CallsInReasoning;

/// A dialect, as the parts around the parser know it: names, the reading of values, and the written form. Its grammar
/// ([`crate::read::machine::Grammar`]) has the grammar that the parser reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Facts {
    /// The name for people, and for `Dialect::by_name`.
    pub name: Text,
    /// A line for people: an example of a call, or a description.
    pub about: Text,
    /// Names of tools and parameters are tags: they hold no `<`, `>`, `/` or white space, and are none of the dialect's
    /// own tags. Without tools there is no call, so a parser needs some
    /// ([`BuildError::needs_tools`](crate::BuildError::needs_tools)).
    pub tag_names: bool,
    /// How a call inside reasoning counts, unless an option says otherwise.
    pub calls_in_reasoning: CallsInReasoning,
    /// The parameters whose search/replace lines are delivered whole.
    pub diff_params: Vec<Text>,
    /// The parameter that a plain text input feeds.
    pub input: Text,
    /// Opener and closer of an element in a value, up to its name (`<item>`) or its attributes. `Message` reads a value of
    /// such elements as an object or a list.
    pub nests: Option<[Text; 2]>,
    /// The literals in which parameters are written, if they are not JSON.
    pub literals: Option<Literals>,
    /// In a dialect of lines: inputs that mean "no input".
    pub no_input: Option<Vec<Text>>,
    /// The white space at the ends of values that belongs to the dialect: of most parameters, and of raw
    /// ones.
    pub framing: [Framing; 2],
    /// The id that `template` writes for a call without one. Holes: `{name}` of the tool, `{index}` of the call or of its
    /// result among those that are written together.
    pub id: Text,
    /// The template of prompt, calls, results and stop sequences.
    pub template: Template,
}

/// The white space at the ends of a value that belongs to the dialect.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Framing {
    #[default]
    None,
    /// A line break at each end.
    LineBreak,
    /// All white space at both ends: `Message` trims it.
    Trimmed,
}

impl Facts {
    pub fn new(name: impl Into<Text>, about: impl Into<Text>, template: Template) -> Facts {
        Facts {
            name: name.into(),
            about: about.into(),
            tag_names: false,
            calls_in_reasoning: CallsInReasoning::Extract,
            diff_params: Vec::new(),
            input: "input".into(),
            nests: None,
            literals: None,
            no_input: None,
            framing: [Framing::None; 2],
            id: Text::Borrowed(""),
            template,
        }
    }
}
