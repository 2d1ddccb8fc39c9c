//! `Parser`: reading.

use std::sync::Arc;

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};
use serde_json::Map;
use toolstream as ts;

use crate::config::{Ask, Config};
use crate::message::Message;
use crate::single::Single;
use crate::stream::{Input, Source, Stream, stream_methods};
use crate::text::whole;
use crate::tools::declared;
use crate::{json, value_error};

/// A streaming parser for one message of one model.
///
/// `dialect` is the name of a built-in one ("hermes"), of several ("react+tool-call"), or a shape of one's own as a
/// dict. `tools` are declarations as OpenAI, Anthropic, Gemini or MCP write them, also as the dict or the object
/// with `tools` that MCP answers. Pydantic models and dataclasses, whose fields are the arguments, are tools, too,
/// and so are functions with annotations, and tools of MCP or an SDK as objects. `limit_by` is a function that is
/// asked before each call whether it may open: it gets a `NextCall`, and what it gives is true or not. A stream ends
/// before a call that may not. (An exception in it stops the call, too.) ValueError where the configuration makes no
/// sense.
///
/// A parser reads one stream, in one thread at a time (RuntimeError otherwise). Chunks of more than 4 KiB are
/// read without the GIL. Parsers of the same configuration share their tables. A copy in the middle of a stream is
/// a snapshot; what is pickled is the configuration, so a parser that has been fed refuses (ValueError).
///
/// Options, and their defaults:
///
/// * `tool_limit` (None): the most calls of a message: the stream ends before the first one too many. None: any
///   number. (The Rust crate, and `toolstream` on the command line, have 1.)
/// * `chaining_tools` (()): the tools whose calls may follow each other in a message; a call of any other tool comes
///   alone. Empty: all may.
/// * `limit_on` ("tool_start"): the end of a message that has as many calls as it may: the next opener of a call; or
///   "text_after_tool", visible text, too.
/// * `start` ("text"): where the stream begins; "reasoning": the prompt left a reasoning block open.
/// * `calls_in_reasoning` (the dialect's): "ignore": a call in reasoning is reasoning; "extract": it ends the
///   reasoning and is a call.
/// * `reasoning_tags` ("line_start"): `<think>` opens reasoning at the start of a line; "anywhere": also within one.
/// * `fences` ("parse"): a call in Markdown code is a call; "quote": it is text.
/// * `decode_entities` (False): whether `&lt;` and its kin in values are decoded, once.
/// * `raw_params` (()): further parameters that `cline` reads as raw text.
/// * `diff_params` (the dialect's): parameters that hold search/replace blocks (`cline`: `diff`).
/// * `value_whitespace` ("default"): values lose the line breaks that belong to the markup; "verbatim": they keep
///   every byte.
/// * `text_at_calls` ("keep"): white space between text and a call is text; "trim": it is markup.
/// * `implicit_thought` (False): whether the stream begins in a thought, because the prompt ended with `Thought:`
///   (ReAct).
/// * `answer_keywords` (the dialect's): the words that begin the answer (ReAct: `Final Answer`).
/// * `special_tokens` (()): texts that count as markers only where `feed_special` brings them.
/// * `recoveries` ("lenient"): a call with a forgotten or wrong closer is complete, with a diagnostic; "strict": it
///   may not run.
/// * `required` ("report"): `Call.missing` names the required parameters that are absent; "strict": such a call may
///   not run.
/// * `explain_refused` (False): whether `Message.refused` also tells why openers of calls did not count.
/// * `repairs` ("default"): arguments that are almost JSON are repaired, with a diagnostic; "none": such a call may
///   not run.
/// * `types` ("report"): a value that does not fit its schema stays, with a diagnostic; "strict": such a call may not
///   run; "coerce": JSON texts are read as the type; "guess": values without a schema are read as JSON.
/// * `results` ("neutralise"): markers in what others wrote are broken up for the model; "refuse": ValueError;
///   "verbatim": they stay.
/// * `attachments` ("images"): the images of a history go on as such, documents are said; "all": both go on; "none":
///   neither.
/// * `unwritable_calls` ("text"): a call of a history that is no JSON is written as it stands; "note": its result
///   says so in its place.
/// * `hosted_calls` ("say"): calls that a provider ran are named in a history; "leave_out": they are not.
/// * `late_system` ("first"): a late system message of a history goes to the front; "user": it becomes the user's;
///   "keep": it stays.
#[pyclass(frozen, weakref, module = "toolstream_rs")]
pub struct Parser {
    config: Arc<Config>,
    limit_by: Option<Py<Ask>>,
    stream: Single<Stream>,
}

impl Parser {
    fn of(config: Arc<Config>, limit_by: Option<Py<Ask>>) -> Parser {
        let stream = Stream::new(Source::Text(config.parser.clone()));
        Parser { config, limit_by, stream: Single::new("Parser", stream) }
    }

    /// A parser of its configuration that has read nothing.
    pub fn unread(&self) -> &ts::Parser {
        &self.config.parser
    }

    /// The message of a whole text.
    fn read_whole(&self, text: &Bound<'_, PyAny>) -> PyResult<ts::Message> {
        let mut stream = Stream::new(Source::Text(self.config.parser.clone()));
        let input = stream.input(text)?;
        stream.read_detached(text.py(), &input, |_| {});
        stream.read(&Input::Finish, &mut |_| {});
        Ok(stream.message)
    }
}

#[pymethods]
impl Parser {
    #[new]
    #[pyo3(signature = (dialect, tools = None, *, limit_by = None, **options))]
    fn new(
        dialect: &Bound<'_, PyAny>,
        tools: Option<&Bound<'_, PyAny>>,
        limit_by: Option<Bound<'_, PyAny>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Parser> {
        if !dialect.is_instance_of::<PyString>() && !dialect.is_instance_of::<PyDict>() {
            let what = json::kind(dialect)?;
            let said = format!("dialect must be a name or a dict, not {what}");
            return Err(PyTypeError::new_err(said));
        }
        let dialect = json::from_python(dialect)?;
        let tools = declared(tools)?;
        let options = options.map_or(Ok(Map::new()), json::from_dict)?;
        let limit_by = Ask::of(limit_by)?;
        let config = match &limit_by {
            Some(ask) => Config::limited(dialect, tools, options, ask),
            None => Config::of(dialect, tools, options),
        };
        Ok(Parser::of(config?, limit_by.map(Bound::unbind)))
    }

    /// Reads a chunk and gives its events: a `str`, `bytes`, or another object with a buffer. RuntimeError after `finish`.
    ///
    /// A chunk may end anywhere, also in a character: bytes in the middle of UTF-8, a `str` in the middle of a
    /// surrogate pair.
    fn feed<'py>(&self, chunk: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
        let mut stream = self.stream.take()?;
        let input = stream.input(chunk)?;
        stream.events(chunk.py(), &input)
    }

    /// Reads one special token of the model's tokenizer, whole. With the option `special_tokens` a marker counts
    /// only where its token came through here.
    fn feed_special<'py>(&self, py: Python<'py>, token: &str) -> PyResult<Bound<'py, PyList>> {
        let mut stream = self.stream.take()?;
        let input = stream.special(token)?;
        stream.events(py, &input)
    }

    /// The message of a whole text, whatever this parser has read.
    fn parse(&self, text: &Bound<'_, PyAny>) -> PyResult<Message> {
        self.read_whole(text).map(Message::from)
    }

    /// The messages of many whole texts, as JSON, without the GIL from the first to the last.
    fn parse_json_batch(
        &self,
        py: Python<'_>,
        texts: Vec<Bound<'_, PyString>>,
    ) -> PyResult<Vec<String>> {
        let texts = texts.iter().map(whole).collect::<PyResult<Vec<_>>>()?;
        let parser = self.unread();
        let write = |text| serde_json::to_string(&parser.parse(text)).map_err(value_error);
        py.detach(|| texts.iter().map(|text| write(text)).collect())
    }

    /// A parser of the same configuration that has read nothing.
    pub(crate) fn fresh(&self, py: Python<'_>) -> Parser {
        Parser::of(Arc::clone(&self.config), self.limit_by.as_ref().map(|ask| ask.clone_ref(py)))
    }

    /// How many bytes of the stream have left in events.
    #[getter]
    fn position(&self) -> PyResult<usize> {
        Ok(self.stream.take()?.source.position())
    }

    /// How many bytes are held because they may yet be part of a marker.
    #[getter]
    fn held(&self) -> PyResult<usize> {
        Ok(self.stream.take()?.source.held())
    }

    /// The dialect, as it was given.
    #[getter]
    fn dialect<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        json::to_python(py, &self.config.dialect)
    }

    /// The tools, as they were given.
    #[getter]
    fn tools<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        json::to_python(py, &self.config.tools)
    }

    /// The options that were given.
    #[getter]
    fn options<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        json::to_dict(py, &self.config.options)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let names = self.unread().tools().iter().map(|tool| &tool.name);
        let mut text =
            format!("<Parser {} {}", self.unread().dialect(), PyList::new(py, names)?.repr()?);
        for (key, value) in self.options(py)? {
            text += &format!(" {key}={}", value.repr()?);
        }
        Ok(text + ">")
    }

    fn __copy__(&self, py: Python<'_>) -> PyResult<Parser> {
        let stream = Single::new("Parser", self.stream.take()?.clone());
        Ok(Parser { stream, ..self.fresh(py) })
    }

    fn __deepcopy__(&self, memo: &Bound<'_, PyAny>) -> PyResult<Parser> {
        self.__copy__(memo.py())
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.limit_by)
    }

    /// The arguments of which `pickle` makes another one.
    #[allow(clippy::type_complexity)]
    fn __getnewargs_ex__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<((Bound<'py, PyAny>, Bound<'py, PyAny>), Bound<'py, PyDict>)> {
        if self.stream.take()?.begun {
            return Err(PyValueError::new_err(
                "a parser that has been fed cannot be pickled: pickle one that is `fresh()`",
            ));
        }
        let options = self.options(py)?;
        if let Some(ask) = &self.limit_by {
            options.set_item("limit_by", ask.get().function())?;
        }
        Ok(((self.dialect(py)?, self.tools(py)?), options))
    }
}

stream_methods! {
    Parser {
        /// The model ended its message: gives the last events.
        finish,
        /// The stream was cut (connection lost, finish reason "length"): gives the last events. Nothing that only the
        /// end of the stream would confirm is complete then.
        finish_cut,
    }
}
