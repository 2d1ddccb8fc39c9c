//! [`Deltas`]: what a client is to be told of a message, piece by piece, whatever its protocol.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;

use serde_json::Value;

use super::fragments::{Fragments, JsonArguments};
use crate::event::{Event, ToolUse};
use crate::json::white::WHITE_SPACE;
use crate::machine::tables::Tables;
use crate::message::{Block, Ending, Message};
use crate::native;
use crate::options::bounds;
use crate::parser::Parser;
use crate::sink::Sink;

/// One thing that a client is to be told. It borrows from the event that it was made of.
///
/// ```
/// use toolstream::adapt::{Delta, Deltas};
/// use toolstream::{Dialect, Parser};
///
/// let mut parser = Parser::builder(Dialect::HERMES).build()?;
/// let mut deltas = Deltas::new(&parser);
/// let mut screen = String::new();
/// // The second chunk ends inside the opener of a call.
/// for chunk in ["I lo", "ok.\n<tool_c"] {
///     for event in parser.feed(chunk) {
///         deltas.push(event, &mut |delta| match delta {
///             Delta::Content(text) => screen.push_str(text),
///             Delta::Call { name, .. } => screen.push_str(name),
///             _ => {}
///         });
///     }
/// }
/// assert_eq!(screen, "I look.\n"); // a marker that may become one waits
/// # Ok::<(), toolstream::BuildError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Delta<'a> {
    /// Visible text, less white space that shows nothing but where something else stood.
    Content(&'a str),
    /// Reasoning, as it comes.
    Reasoning(&'a str),
    /// A call begins. All that comes up to its end is of it.
    Call {
        /// Its number in the message, from 0. Numbers of surplus calls are left out.
        index: usize,
        /// The tool, as the model names it.
        name: &'a str,
        /// The wire's own id, if one stands in front of the call and no call of this message had it before:
        /// models repeat theirs, and to a client the same id is the same call.
        id: Option<&'a str>,
    },
    /// A fragment of the open call's arguments, as JSON. Joined they are always the beginning of a valid
    /// object; all of it only if the call may run.
    Arguments(&'a str),
    /// The open call ends.
    CallEnd {
        /// Whether it is whole. If not, its arguments are no JSON.
        may_run: bool,
    },
}

/// Makes [`Delta`]s of the events of one message, of any dialect or provider: the part that the writers
/// of all protocols share, for those who speak another one.
///
/// ```
/// use toolstream::adapt::{Delta, Deltas};
/// use toolstream::{Dialect, Parser};
///
/// let mut parser = Parser::builder(Dialect::HERMES).build()?;
/// let mut deltas = Deltas::new(&parser);
///
/// let mut said = Vec::new();
/// // The first chunk ends inside the opener, the second in the arguments.
/// for chunk in ["Go:\n<tool_c", "all>{\"name\": \"list\", \"arguments\": {\"a", "ll\": 1}}</tool_call>"] {
///     for event in parser.feed(chunk) {
///         deltas.push(event, &mut |delta| said.push(format!("{delta:?}")));
///     }
/// }
/// for event in parser.finish() {
///     deltas.push(event, &mut |delta| said.push(format!("{delta:?}")));
/// }
/// assert_eq!(said, [
///     "Content(\"Go:\\n\")",
///     "Call { index: 0, name: \"list\", id: None }",
///     "Arguments(\"{\\\"a\")",
///     "Arguments(\"ll\\\":1\")",
///     "Arguments(\"}\")",
///     "CallEnd { may_run: true }",
/// ]);
/// assert!(deltas.has_calls() && !deltas.is_cut());
/// # Ok::<(), toolstream::BuildError>(())
/// ```
///
/// What becomes of arguments, white space and the tool limit is said at
/// [`DeltaWriter`](super::openai::DeltaWriter).
#[derive(Clone, Debug)]
pub struct Deltas {
    fragments: Fragments,
    said: Said,
}

impl Deltas {
    /// For the events of this parser.
    pub fn new(parser: &Parser) -> Self {
        Deltas::of(Fragments::new(Some(Arc::clone(parser.tables()))))
    }

    /// For the events of this reader of a provider's stream.
    pub fn for_reader(reader: &native::Reader) -> Self {
        Deltas::of(Fragments::new(Some(Arc::clone(reader.tables()))))
    }

    /// For events that come from neither: without schemas, all parameters are strings.
    pub fn untyped() -> Self {
        Deltas::of(Fragments::new(None))
    }

    fn of(mut fragments: Fragments) -> Self {
        fragments.json = JsonArguments::Valid;
        Deltas { fragments, said: Said::default() }
    }

    /// Sends arguments that the model wrote as JSON, or as nearly JSON, as they come: see
    /// [`DeltaWriter::verbatim_arguments`](super::openai::DeltaWriter::verbatim_arguments).
    #[must_use]
    pub fn verbatim_arguments(mut self) -> Self {
        self.fragments.json = JsonArguments::Verbatim;
        self
    }

    /// Sends all visible text as it is, also white space that nobody wants to see.
    #[must_use]
    pub fn verbatim_content(mut self) -> Self {
        self.said.content.verbatim = true;
        self
    }

    /// How many bytes of a call's arguments may be held. A call that needs more is broken. Default 1 MiB.
    #[must_use]
    pub fn hold(mut self, bytes: usize) -> Self {
        self.fragments.hold = bytes;
        self
    }

    /// Takes the next event and gives the deltas that it makes: none, one or a few.
    pub fn push<S: AsRef<str>>(&mut self, event: Event<S>, take: &mut impl FnMut(Delta<'_>)) {
        let Deltas { fragments, said } = self;
        fragments.event(event.as_str(), &mut Telling { said, take });
    }

    /// Takes a whole message, in place of its events. Of a call that may not run no arguments are told.
    pub fn push_message(&mut self, message: &Message, take: &mut impl FnMut(Delta<'_>)) {
        let mut telling = Telling { said: &mut self.said, take };
        for block in message.blocks() {
            match block {
                Block::Text(prose) => telling.event(Event::TextContent(&prose.text)),
                Block::Reasoning(prose) => telling.event(Event::Reasoning(&prose.text)),
                Block::Call(call) => {
                    telling.tool_use(start(call.index(), call.name(), call.id()));
                    let arguments = Value::Object(call.input().clone()).to_string();
                    telling.tool_use(ToolUse::ArgumentsDelta(&arguments));
                    telling.end(true);
                }
                Block::Incomplete(call) => {
                    telling.tool_use(start(call.index(), call.name(), call.id()));
                    telling.end(false);
                }
                Block::Opaque(_) => {}
            }
        }
        self.said.cut |= message.ended() == Ending::Truncated;
    }

    /// The answer is over. A call that is still open, for nobody has told its end, is broken.
    pub fn finish(&mut self, take: &mut impl FnMut(Delta<'_>)) {
        if self.said.open {
            Telling { said: &mut self.said, take }.end(false);
        }
    }

    /// The calls that must not run, by their index: those that [`Message`](crate::Message) hands out as
    /// [`Block::Incomplete`](crate::Block), and those for which more had to be held than may be. A call is
    /// among them once it has ended.
    pub fn broken(&self) -> &[usize] {
        &self.said.broken
    }

    /// Of the parser or reader whose events come.
    pub(super) fn tables(&self) -> Option<&Arc<Tables>> {
        self.fragments.tables.as_ref()
    }

    /// Whether there is a call that may run.
    pub fn has_calls(&self) -> bool {
        self.said.complete
    }

    /// Whether the answer is not whole: a call is [broken](Deltas::broken), or the stream was cut. To be
    /// asked after the events of [`Parser::finish`].
    pub fn is_cut(&self) -> bool {
        self.said.cut || !self.said.broken.is_empty()
    }
}

/// What was said so far.
#[derive(Clone, Debug, Default)]
struct Said {
    content: Content,
    /// Of the call that is open, or was last.
    index: usize,
    open: bool,
    /// The open call has said something of its arguments.
    arguments: bool,
    /// A call was complete.
    complete: bool,
    /// The stream was cut, or a call's opener was.
    cut: bool,
    broken: Vec<usize>,
    /// The ids of the calls.
    ids: HashSet<String>,
}

/// The sink after the parameters: from here on there are arguments only.
struct Telling<'d, F> {
    said: &'d mut Said,
    take: &'d mut F,
}

impl<F: FnMut(Delta<'_>)> Sink for Telling<'_, F> {
    fn event(&mut self, event: Event<&str>) {
        match event {
            Event::TextContent(text) => {
                let text = self.said.content.text(text);
                if !text.is_empty() {
                    (self.take)(Delta::Content(&text));
                }
            }
            Event::Reasoning(text) => {
                self.said.content.pause();
                if !text.is_empty() {
                    (self.take)(Delta::Reasoning(text));
                }
            }
            Event::ToolUse(tool) => self.tool_use(tool),
            Event::Diagnostic(found) => self.said.cut |= found.kind.is_cut(),
            Event::Markup(_)
            | Event::AnswerStart
            | Event::Opaque { .. }
            | Event::ToolLimitReached(_) => {}
        }
    }
}

impl<F: FnMut(Delta<'_>)> Telling<'_, F> {
    fn tool_use(&mut self, event: ToolUse<&str>) {
        match event {
            ToolUse::Start { index, name, id, .. } => {
                self.said.content.call();
                (self.said.index, self.said.open, self.said.arguments) = (index, true, false);
                let is_new = |id: &&str| !id.is_empty() && self.said.ids.insert(id.to_string());
                let id = id.filter(is_new);
                (self.take)(Delta::Call { index, name, id });
            }
            ToolUse::ArgumentsDelta(fragment) if !fragment.is_empty() => {
                self.said.arguments = true;
                (self.take)(Delta::Arguments(fragment));
            }
            ToolUse::End { status } => self.end(status.is_complete()),
            _ => {}
        }
    }

    fn end(&mut self, may_run: bool) {
        self.said.open = false;
        if may_run {
            self.said.complete = true;
        } else {
            self.said.broken.push(self.said.index);
            // No arguments at all are an empty object to many clients.
            if !self.said.arguments {
                (self.take)(Delta::Arguments("{"));
            }
        }
        (self.take)(Delta::CallEnd { may_run });
    }
}

fn start<'a>(index: usize, name: &'a str, id: Option<&'a str>) -> ToolUse<&'a str> {
    ToolUse::Start { index, name, id, at: 0, dialect: 0 }
}

/// The visible text, less white space that shows nothing but where something else stood.
#[derive(Clone, Debug)]
struct Content {
    verbatim: bool,
    /// White space that may have to go: nothing else came since the beginning, a call or reasoning.
    held: Option<String>,
    /// Something is visible.
    started: bool,
}

impl Default for Content {
    fn default() -> Self {
        Content { verbatim: false, held: Some(String::new()), started: false }
    }
}

impl Content {
    /// What is to be sent of the text.
    fn text<'t>(&mut self, text: &'t str) -> Cow<'t, str> {
        let Some(mut held) = self.held.take().filter(|_| !self.verbatim) else {
            return text.into();
        };
        let bare = text.trim_start_matches(WHITE_SPACE);
        held.push_str(&text[..text.len() - bare.len()]);
        let fits = held.len() <= bounds::WHITE_SPACE;
        if bare.is_empty() && fits {
            self.held = Some(held);
            return "".into();
        }
        if std::mem::replace(&mut self.started, true) || !fits {
            (held + bare).into()
        } else {
            bare.into()
        }
    }

    /// Reasoning comes.
    fn pause(&mut self) {
        self.held.get_or_insert_default();
    }

    /// A call comes.
    fn call(&mut self) {
        self.held = Some(String::new());
    }
}
