from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, Literal, Protocol, TypeVar, final

from ._start import Start

_Model = TypeVar("_Model")

__version__: Final[str]

# The words that stand in events, calls and messages.

_Status = Literal["complete", "incomplete"]
_Cause = Literal["end_of_stream", "broken"]
_Hint = Literal["string", "json", "literal", "lines"]
_OpaqueOf = Literal["text", "reasoning", "call", "item"]
_Finish = Literal["tool_use", "stop", "truncated", "tool_limit_reached"]
_Reason = Literal["cut", "broken", "malformed_arguments", "missing_arguments", "type_mismatch"]
_Kind = Literal[
    "unknown_tool",
    "unknown_parameter",
    "duplicate_parameter",
    "type_mismatch",
    "repaired_json",
    "malformed_arguments",
    "missing_arguments",
    "malformed_call",
    "malformed_tag",
    "missing_opener",
    "missing_closer",
    "mismatched_closer",
    "orphan_closer",
    "stray_text",
    "suspect_marker",
    "cut_opener",
    "fabricated_result",
    "inferred_name",
    "limit_exceeded",
    "invalid_utf8",
    "fabricated_step",
    "answer_after_action",
    "no_action",
    "missing_action_name",
    "cut_stop_word",
    "ignored_input",
    "trailing_arguments",
    "arguments_mismatch",
    "refusal",
    "provider_error",
    "foreign_event",
    "cut_stream",
]

class _Record:
    """The method that all records have. It is not there at run time."""

    def to_dict(self) -> dict[str, Any]:
        """The fields as a dict, and `type` where there is one: `json.dumps` takes it."""

# Events, the most frequent first.

@final
class TextContent(_Record):
    """Text for the user."""

    type: Literal["text_content"]
    __match_args__: Final = ("text",)
    def __new__(cls, text: str) -> TextContent: ...
    def __hash__(self) -> int: ...
    @property
    def text(self) -> str:
        """A slice of the stream."""

@final
class Reasoning(_Record):
    """The model's reasoning, without its tags."""

    type: Literal["reasoning"]
    __match_args__: Final = ("text",)
    def __new__(cls, text: str) -> Reasoning: ...
    def __hash__(self) -> int: ...
    @property
    def text(self) -> str:
        """A slice of the stream."""

@final
class Markup(_Record):
    """Characters of the dialect's own grammar: never for the user."""

    type: Literal["markup"]
    __match_args__: Final = ("text",)
    def __new__(cls, text: str) -> Markup: ...
    def __hash__(self) -> int: ...
    @property
    def text(self) -> str:
        """A slice of the stream."""

@final
class ArgumentsDelta(_Record):
    """A piece of the call's arguments, as raw JSON text."""

    type: Literal["arguments_delta"]
    __match_args__: Final = ("text",)
    def __new__(cls, text: str) -> ArgumentsDelta: ...
    def __hash__(self) -> int: ...
    @property
    def text(self) -> str:
        """A slice of the stream."""

@final
class ParamDelta(_Record):
    """A piece of the open parameter's value, as the model wrote it."""

    type: Literal["param_delta"]
    __match_args__: Final = ("text",)
    def __new__(cls, text: str) -> ParamDelta: ...
    def __hash__(self) -> int: ...
    @property
    def text(self) -> str:
        """A slice of the stream."""

@final
class ParamStart(_Record):
    """A parameter begins."""

    type: Literal["param_start"]
    __match_args__: Final = ("name", "hint")
    def __new__(cls, name: str, hint: _Hint | None) -> ParamStart: ...
    def __hash__(self) -> int: ...
    @property
    def name(self) -> str:
        """The parameter's name as the model wrote it."""
    @property
    def hint(self) -> _Hint | None:
        """Its type, as the wire says it: "string", "json", "literal", "lines", or None."""

@final
class ParamEnd(_Record):
    """The open parameter ends."""

    type: Literal["param_end"]
    __match_args__: Final = ("closed",)
    def __new__(cls, closed: bool) -> ParamEnd: ...
    def __hash__(self) -> int: ...
    @property
    def closed(self) -> bool:
        """False if the stream or the call ended before the value's closer."""

@final
class ToolStart(_Record):
    """A call begins. Each is followed by one `ToolEnd`, and the events of two calls are never mixed."""

    type: Literal["tool_start"]
    __match_args__: Final = ("index", "name", "id", "at", "dialect")
    def __new__(cls, index: int, name: str, id: str | None, at: int, dialect: int) -> ToolStart: ...
    def __hash__(self) -> int: ...
    @property
    def index(self) -> int:
        """The call's number in this stream, from 0."""
    @property
    def name(self) -> str:
        """The tool's name as the model wrote it."""
    @property
    def id(self) -> str | None:
        """The wire's own id, where the dialect has one in front."""
    @property
    def at(self) -> int:
        """Start of the call's opener, in bytes of UTF-8."""
    @property
    def dialect(self) -> int:
        """The number of the parser's dialect that wrote it, from 0; 64 is a provider's own form."""

@final
class ToolId(_Record):
    """The wire's own id, where the dialect names it late."""

    type: Literal["tool_id"]
    __match_args__: Final = ("id",)
    def __new__(cls, id: str) -> ToolId: ...
    def __hash__(self) -> int: ...
    @property
    def id(self) -> str:
        """The id."""

@final
class ToolEnd(_Record):
    """The call ends."""

    type: Literal["tool_end"]
    __match_args__: Final = ("status", "cause", "at")
    def __new__(cls, status: _Status, cause: _Cause | None, at: int) -> ToolEnd: ...
    def __hash__(self) -> int: ...
    @property
    def status(self) -> _Status:
        """ "complete": its markup closed; "incomplete": it did not. Whether it may run says `Message.calls`."""
    @property
    def cause(self) -> _Cause | None:
        """Why it is incomplete: "end_of_stream", "broken", or None."""
    @property
    def at(self) -> int:
        """End of the call, in bytes of UTF-8: behind its closer, without the closer's line break."""

@final
class AnswerStart(_Record):
    """The text that follows is the answer (ReAct's `Final Answer:`)."""

    type: Literal["answer_start"]
    __match_args__: Final = ()
    def __new__(cls) -> AnswerStart: ...
    def __hash__(self) -> int: ...

@final
class Opaque(_Record):
    """A thing that a provider wants back with the next request. Only a `Reader` says it."""

    type: Literal["opaque"]
    __match_args__: Final = ("of", "json")
    def __new__(cls, of: _OpaqueOf, json: str) -> Opaque: ...
    def __hash__(self) -> int: ...
    @property
    def of(self) -> _OpaqueOf:
        """The thing that it belongs to: "text", "reasoning", "call" or "item"."""
    @property
    def json(self) -> str:
        """The thing, as the text of a JSON object."""

@final
class ToolLimitReached(_Record):
    """A surplus call begins; the last event of the stream."""

    type: Literal["tool_limit_reached"]
    __match_args__: Final = ("limit", "at")
    def __new__(cls, limit: int, at: int) -> ToolLimitReached: ...
    def __hash__(self) -> int: ...
    @property
    def limit(self) -> int:
        """How many calls one message may hold."""
    @property
    def at(self) -> int:
        """Start of the surplus, in bytes of UTF-8."""

@final
class Diagnostic(_Record):
    """Something unexpected was noticed. It never changes what another event said."""

    type: Literal["diagnostic"]
    __match_args__: Final = ("kind", "at", "call")
    def __new__(cls, kind: _Kind, at: int, call: int | None) -> Diagnostic: ...
    def __hash__(self) -> int: ...
    @property
    def kind(self) -> _Kind:
        """The kind: "unknown_tool", "missing_closer", …"""
    @property
    def at(self) -> int:
        """Place, in bytes of UTF-8."""
    @property
    def call(self) -> int | None:
        """The number of the call that it concerns, if it concerns one."""

_Bytes = bytes | bytearray | memoryview

class _Object(Protocol):
    """An object of a provider's SDK: a pydantic model."""

    def model_dump_json(self) -> str: ...

# Any of the events above. (`toolstream_rs.Event` at run time.)
_Event = (
    TextContent
    | Reasoning
    | Markup
    | ArgumentsDelta
    | ParamDelta
    | ParamStart
    | ParamEnd
    | ToolStart
    | ToolId
    | ToolEnd
    | AnswerStart
    | Opaque
    | ToolLimitReached
    | Diagnostic
)

# The changes of a call while the model writes it.

@final
class PartialValue(_Record):
    """A value of the open call's arguments that came, or that another one takes the place of."""

    type: Literal["partial_value"]
    __match_args__: Final = ("call", "path", "value")
    def __new__(cls, call: int, path: tuple[str | int, ...], value: Any) -> PartialValue: ...
    @property
    def call(self) -> int:
        """The number of the call in the message, from 0."""
    @property
    def path(self) -> tuple[str | int, ...]:
        """The keys and indices that lead to it: `("edits", 0, "text")`."""
    @property
    def value(self) -> Any:
        """The value, as much of it as came."""

@final
class PartialText(_Record):
    """A piece that a text in the open call's arguments has grown by."""

    type: Literal["partial_text"]
    __match_args__: Final = ("call", "path", "text")
    def __new__(cls, call: int, path: tuple[str | int, ...], text: str) -> PartialText: ...
    def __hash__(self) -> int: ...
    @property
    def call(self) -> int:
        """The number of the call in the message, from 0."""
    @property
    def path(self) -> tuple[str | int, ...]:
        """The keys and indices that lead to the text."""
    @property
    def text(self) -> str:
        """The piece."""

# Answers for a client.

@final
class DeltaContent(_Record):
    """Visible text, less white space that shows nothing but where a call or reasoning stood."""

    type: Literal["content"]
    __match_args__: Final = ("text",)
    def __new__(cls, text: str) -> DeltaContent: ...
    def __hash__(self) -> int: ...
    @property
    def text(self) -> str:
        """The piece."""

@final
class DeltaReasoning(_Record):
    """A piece of the reasoning."""

    type: Literal["reasoning"]
    __match_args__: Final = ("text",)
    def __new__(cls, text: str) -> DeltaReasoning: ...
    def __hash__(self) -> int: ...
    @property
    def text(self) -> str:
        """The piece."""

@final
class DeltaCall(_Record):
    """A call begins. All that comes up to its end is of it."""

    type: Literal["call"]
    __match_args__: Final = ("index", "name", "id",)
    def __new__(cls, index: int, name: str, id: str | None) -> DeltaCall: ...
    def __hash__(self) -> int: ...
    @property
    def index(self) -> int:
        """Its number in the message, from 0."""
    @property
    def name(self) -> str:
        """The tool, as the model names it."""
    @property
    def id(self) -> str | None:
        """The wire's own id, if one stands in front of the call."""

@final
class DeltaArguments(_Record):
    """A fragment of the open call's arguments, as JSON. Joined they are an object if the call may run, and never read
    as one if it may not."""

    type: Literal["arguments"]
    __match_args__: Final = ("text",)
    def __new__(cls, text: str) -> DeltaArguments: ...
    def __hash__(self) -> int: ...
    @property
    def text(self) -> str:
        """The fragment."""

@final
class DeltaCallEnd(_Record):
    """The open call ends."""

    type: Literal["call_end"]
    __match_args__: Final = ("may_run", "reason")
    def __new__(cls, may_run: bool, reason: _Reason | None) -> DeltaCallEnd: ...
    def __hash__(self) -> int: ...
    @property
    def may_run(self) -> bool:
        """Whether it is whole. If not, its arguments are no JSON."""
    @property
    def reason(self) -> _Reason | None:
        """Why it may not run, as `IncompleteCall.reason` says it; None: it may."""

_Delta = DeltaContent | DeltaReasoning | DeltaCall | DeltaArguments | DeltaCallEnd

class _AnyCall(_Record):
    """The attributes that both kinds of calls have. It is not there at run time."""

    @property
    def input(self) -> dict[str, Any]:
        """`arguments` under its other name."""

    @property
    def name(self) -> str:
        """The tool's name."""
    @property
    def id(self) -> str | None:
        """The wire's own id, where the dialect has one."""
    @property
    def index(self) -> int:
        """Its number in the message, from 0."""
    @property
    def raw(self) -> str | None:
        """The arguments as the model wrote them, where the dialect speaks JSON."""
    @property
    def start(self) -> int:
        """Start in the stream, in bytes of UTF-8."""
    @property
    def end(self) -> int:
        """End in the stream."""

@final
class Call(_AnyCall):
    """A call that may run: its markup closed and its arguments were read. Only a `Message` has them."""

    __match_args__: Final = ("name", "arguments", "id", "index", "raw", "start", "end", "missing")
    def __new__(
        cls,
        name: str,
        arguments: dict[str, Any],
        id: str | None,
        index: int,
        raw: str | None,
        start: int,
        end: int,
        missing: tuple[str, ...],
    ) -> Call: ...
    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments, typed by the tool's schema."""
    @property
    def missing(self) -> tuple[str, ...]:
        """The parameters that its tool requires and that it does not have."""
    def parse(self, model: type[_Model]) -> _Model:
        """The arguments as an object of this class: a pydantic model, which checks them, or a dataclass, whose fields
        they become. ValueError for arguments that do not fit."""

@final
class IncompleteCall(_AnyCall):
    """A call that may not run: still open, cut off, broken, or without the arguments that it needs."""

    __match_args__: Final = ("name", "arguments", "id", "index", "raw", "start", "end", "reason", "problem", "broken_by")
    def __new__(
        cls,
        name: str,
        arguments: dict[str, Any],
        id: str | None,
        index: int,
        raw: str | None,
        start: int,
        end: int,
        reason: _Reason,
        problem: str | None,
        broken_by: _Kind | None,
    ) -> IncompleteCall: ...
    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments that were closed."""
    @property
    def reason(self) -> _Reason:
        """Why: "cut", "broken", "malformed_arguments", "missing_arguments", "type_mismatch"."""
    @property
    def problem(self) -> str | None:
        """The mistake in the arguments, and its place, if they cannot be read."""
    @property
    def broken_by(self) -> _Kind | None:
        """The diagnostic for which it may not run ("missing_closer"), or None."""

@final
class RefusedCall(_Record):
    """A call that may not run, or an opener of a declared tool that did not count."""

    __match_args__: Final = ("start", "end", "name", "index", "why")
    def __new__(cls, start: int, end: int, name: str | None, index: int | None, why: str) -> RefusedCall: ...
    def __hash__(self) -> int: ...
    @property
    def start(self) -> int:
        """Start in the stream, in bytes of UTF-8."""
    @property
    def end(self) -> int:
        """End in the stream."""
    @property
    def name(self) -> str | None:
        """The tool's name, if it is known."""
    @property
    def index(self) -> int | None:
        """The number of the incomplete call in the message, if one began."""
    @property
    def why(self) -> str:
        """The reason, without a full stop: "`</parameter>` is missing before `</invoke>`"."""

@final
class NextCall(_Record):
    """A call that is about to open: what `limit_by` is asked about."""

    __match_args__: Final = ("index", "name", "previous")
    def __new__(cls, index: int, name: str, previous: str | None) -> NextCall: ...
    def __hash__(self) -> int: ...
    @property
    def index(self) -> int:
        """Its number in the message, from 0."""
    @property
    def name(self) -> str:
        """The tool's name, as the model wrote it."""
    @property
    def previous(self) -> str | None:
        """The name of the call before it, or None."""

@final
class Message:
    """A message: what came of a stream, or has come so far.

    `json` and `to_dict` say all of it; `Message.from_json` reads it back. Two are equal if they say the same.
    """

    @property
    def text(self) -> str:
        """The visible text, joined."""
    @property
    def reasoning(self) -> str:
        """The reasoning, joined."""
    @property
    def calls(self) -> list[Call]:
        """The calls that may run, in order."""
    @property
    def incomplete_calls(self) -> list[IncompleteCall]:
        """The calls that may not run, in order."""
    @property
    def refused(self) -> list[RefusedCall]:
        """Why calls may not run, in the order of the stream. With the option `explain_refused` also openers of
        declared tools that did not count, and which marker stood where another one is missing."""
    def correction(self) -> str | None:
        """The text that tells the model what was wrong with its calls; None if nothing was."""
    @property
    def finish(self) -> _Finish:
        """How it ended: "tool_use", "stop", "truncated" or "tool_limit_reached"."""
    @property
    def diagnostics(self) -> list[Diagnostic]:
        """The things that were noticed, by the parser and in the arguments."""
    @property
    def position(self) -> int:
        """How many bytes of the stream are in it."""
    @property
    def answered(self) -> bool:
        """Whether the dialect's answer marker began the answer (ReAct's `Final Answer:`)."""
    @property
    def content(self) -> list[TextContent | Reasoning | Call | IncompleteCall | Opaque]:
        """The blocks in order: `TextContent`, `Reasoning`, `Call`, `IncompleteCall`, and `Opaque` for what only the
        provider reads."""
    def json(self) -> str:
        """All of it as JSON text: the blocks in order (`content`), `finish`, `diagnostics`, `position`. Other threads
        run meanwhile."""
    def to_dict(self) -> dict[str, Any]:
        """All of it as a dict, with the keys of `json`: `json.dumps` takes it."""
    def to_json(self) -> dict[str, Any]:
        """`to_dict` under its other name."""
    @staticmethod
    def from_json(message: str | Mapping[str, Any]) -> Message:
        """A message of which `json` or `to_dict` says this. ValueError if it is none."""
    def to_request(self, provider: _Provider) -> Any:
        """The assistant's turn for the next request, with what the provider wants back: an element of `messages`
        ("openai-chat", "anthropic") or of `contents` ("gemini"), the items of `input` ("openai-responses")."""

class _Tools(Protocol):
    """An answer of MCP's as an object."""

    @property
    def tools(self) -> Sequence[Any]: ...

@final
class Parser:
    """A streaming parser for one message of one model.

    `dialect` is the name of a built-in one ("hermes"), of several ("react+tool-call"), or a shape of one's
    own as a dict. `tools` are declarations as OpenAI, Anthropic, Gemini or MCP write them, also as the dict or the
    object with `tools` that MCP answers. Pydantic models and dataclasses, whose fields are the arguments, are tools,
    too, and so are functions with annotations, and tools of MCP or an SDK as objects. `limit_by` is a function that is
    asked before each call whether it may open: it gets a `NextCall`, and what it gives is true or not. A stream ends
    before a call that may not. (An exception in it stops the call, too.)
    ValueError where the configuration makes no sense.

    A parser reads one stream, in one thread at a time (RuntimeError otherwise). Chunks of more than 4 KiB are
    read without the GIL. Parsers of the same configuration share their tables. A copy in the middle of a stream is
    a snapshot; what is pickled is the configuration, so a parser that has been fed refuses (ValueError).

    Options, and their defaults:

    * `tool_limit` (None): the most calls of a message: the stream ends before the first one too many. None: any
      number. (The Rust crate, and `toolstream` on the command line, have 1.)
    * `chaining_tools` (()): the tools whose calls may follow each other in a message; a call of any other tool comes
      alone. Empty: all may.
    * `limit_on` ("tool_start"): the end of a message that has as many calls as it may: the next opener of a call; or
      "text_after_tool", visible text, too.
    * `start` ("text"): where the stream begins; "reasoning": the prompt left a reasoning block open.
    * `calls_in_reasoning` (the dialect's): "ignore": a call in reasoning is reasoning; "extract": it ends the
      reasoning and is a call.
    * `reasoning_tags` ("line_start"): `<think>` opens reasoning at the start of a line; "anywhere": also within one.
    * `fences` ("parse"): a call in Markdown code is a call; "quote": it is text.
    * `decode_entities` (False): whether `&lt;` and its kin in values are decoded, once.
    * `raw_params` (()): further parameters that `cline` reads as raw text.
    * `diff_params` (the dialect's): parameters that hold search/replace blocks (`cline`: `diff`).
    * `value_whitespace` ("default"): values lose the line breaks that belong to the markup; "verbatim": they keep
      every byte.
    * `text_at_calls` ("keep"): white space between text and a call is text; "trim": it is markup.
    * `implicit_thought` (False): whether the stream begins in a thought, because the prompt ended with `Thought:`
      (ReAct).
    * `answer_keywords` (the dialect's): the words that begin the answer (ReAct: `Final Answer`).
    * `special_tokens` (()): texts that count as markers only where `feed_special` brings them.
    * `recoveries` ("lenient"): a call with a forgotten or wrong closer is complete, with a diagnostic; "strict": it
      may not run.
    * `required` ("report"): `Call.missing` names the required parameters that are absent; "strict": such a call may
      not run.
    * `explain_refused` (False): whether `Message.refused` also tells why openers of calls did not count.
    * `repairs` ("default"): arguments that are almost JSON are repaired, with a diagnostic; "none": such a call may
      not run.
    * `types` ("report"): a value that does not fit its schema stays, with a diagnostic; "strict": such a call may not
      run; "coerce": JSON texts are read as the type; "guess": values without a schema are read as JSON.
    * `results` ("neutralise"): markers in what others wrote are broken up for the model; "refuse": ValueError;
      "verbatim": they stay.
    * `attachments` ("images"): the images of a history go on as such, documents are said; "all": both go on; "none":
      neither.
    * `unwritable_calls` ("text"): a call of a history that is no JSON is written as it stands; "note": its result
      says so in its place.
    * `hosted_calls` ("say"): calls that a provider ran are named in a history; "leave_out": they are not.
    * `late_system` ("first"): a late system message of a history goes to the front; "user": it becomes the user's;
      "keep": it stays.
    """

    def __new__(
        cls,
        dialect: str | dict[str, Any],
        tools: Sequence[Any] | Mapping[str, Any] | _Tools | None = None,
        *,
        limit_by: Callable[[NextCall], object] | None = None,
        tool_limit: int | None = None,
        chaining_tools: Sequence[str] = (),
        limit_on: Literal["tool_start", "text_after_tool"] = "tool_start",
        start: Literal["text", "reasoning"] | Start = "text",
        calls_in_reasoning: Literal["ignore", "extract"] = ...,
        reasoning_tags: Literal["line_start", "anywhere"] = "line_start",
        fences: Literal["parse", "quote"] = "parse",
        decode_entities: bool = False,
        raw_params: Sequence[str] = (),
        diff_params: Sequence[str] = ...,
        value_whitespace: Literal["default", "verbatim"] = "default",
        text_at_calls: Literal["keep", "trim"] = "keep",
        implicit_thought: bool = False,
        answer_keywords: Sequence[str] = ...,
        special_tokens: Sequence[str] = (),
        recoveries: Literal["lenient", "strict"] = "lenient",
        required: Literal["report", "strict"] = "report",
        explain_refused: bool = False,
        repairs: Literal["default", "none"] = "default",
        results: Literal["neutralise", "refuse", "verbatim"] = "neutralise",
        attachments: Literal["images", "all", "none"] = "images",
        unwritable_calls: Literal["text", "note"] = "text",
        hosted_calls: Literal["say", "leave_out"] = "say",
        late_system: Literal["first", "user", "keep"] = "first",
        types: Literal["report", "strict", "coerce", "guess"] = "report",
    ) -> Parser: ...
    def feed(self, chunk: str | _Bytes) -> list[_Event]:
        """Reads a chunk and gives its events: a `str`, `bytes`, or another object with a buffer. RuntimeError after
        `finish`.

        A chunk may end anywhere, also in a character: bytes in the middle of UTF-8, a `str` in the middle of a
        surrogate pair."""
    def feed_special(self, token: str) -> list[_Event]:
        """Reads one special token of the model's tokenizer, whole. With the option `special_tokens` a marker
        counts only where its token came through here."""
    def stream(self, chunks: Iterable[str | _Bytes], *, finish: bool = True) -> Iterator[_Event]:
        """The events of a whole stream while it comes: `for event in parser.stream(chunks)`. It feeds each chunk and
        finishes. With `finish=False` the end is left to you (`finish_cut` for one that was cut), as it is when
        `chunks` raises."""
    def astream(self, chunks: AsyncIterable[str | _Bytes], *, finish: bool = True) -> AsyncIterator[_Event]:
        """`stream` for chunks that come asynchronously: `async for event in parser.astream(chunks)`."""
    def finish(self) -> list[_Event]:
        """The model ended its message: gives the last events."""
    def finish_cut(self) -> list[_Event]:
        """The stream was cut (connection lost, finish reason "length"): gives the last events. Nothing that only
        the end of the stream would confirm is complete then."""
    @property
    def message(self) -> Message:
        """The message so far: a copy, so ask once it is finished."""
    def partial_input(self) -> dict[str, Any] | None:
        """The arguments of the open call so far, typed by the tool's schema; None between calls. Each time it is a new
        dict, which costs what is there: who looks after each chunk of a long call asks for `partial_changes`."""
    def partial_changes(self) -> list[PartialValue | PartialText]:
        """The changes of the open call's arguments since this was last asked: they cost what has come. A
        `PartialValue` puts a value at its path, the first one of a call all arguments at the path `()`; a
        `PartialText` is what a text at its path has grown by. Empty between calls: the end of the last value is in
        the finished call alone."""
    def parse(self, text: str | _Bytes) -> Message:
        """The message of a whole text, whatever this parser has read."""
    def parse_json_batch(self, texts: list[str]) -> list[str]:
        """The messages of many whole texts, as JSON, without the GIL from the first to the last."""
    def explain(self, text: str) -> list[Marker]:
        """The markers of a whole text, and what began like one, each with why it did not count: for the question
        why a call came out as text."""
    def render_call(self, name: str, arguments: dict[str, Any]) -> str:
        """A call as the model would have written it. It is read back before it is handed out: ValueError for one
        that the dialect cannot carry."""
    def render_results(
        self, results: list[dict[str, Any]], *, markers: Literal["neutralise", "refuse", "verbatim"] | None = None
    ) -> str:
        """The user message that brings the model the results of its calls, in the order of the calls. Each is a
        dict with `name` and `content`, perhaps with the call's `id`, and with `is_error` for what went wrong.
        `markers` says what becomes of the dialect's markers in them, in place of the option `results`:
        "neutralise", "refuse" (ValueError) or "verbatim"."""
    def render_history(
        self, messages: Sequence[Any], *, markers: Literal["neutralise", "refuse", "verbatim"] | None = None
    ) -> list[dict[str, Any]]:
        """A client's history as the messages of an OpenAI chat, with calls and results as text. It takes the
        messages of a chat, those of Anthropic's Messages, or the input items of OpenAI's Responses, with whatever
        an agent stored in them (the options `attachments`, `unwritable_calls`, `hosted_calls` and `late_system` say
        what becomes of it). A message is a dict or an object of an SDK's, as it came. ValueError, with the place, for
        one that is neither. `markers` as in `render_results`, for results and for what users say."""
    def render_chat(
        self,
        messages: Sequence[Any],
        *,
        system: str | list[Any] | None = None,
        markers: Literal["neutralise", "refuse", "verbatim"] | None = None,
    ) -> list[dict[str, Any]]:
        """The messages of a request: the prompt that tells the tools (`system_prompt`), `system` (Anthropic's
        `system`, the `instructions` of Responses: a str or a list of texts), and the messages as `render_history`
        writes them. All that the system says is one message."""
    def neutralise(self, text: str) -> str:
        """A text that somebody else wrote, for the model: the dialect's markers and special tokens in it are broken
        up by one "␛" behind their first character. `restore` gives the text back."""
    def system_prompt(self) -> str:
        """The section of the system prompt that tells the model these tools and how to call them; empty without
        tools."""
    def stop_sequences(self) -> list[str]:
        """The texts at which a server should stop: a model that goes on would invent a result."""
    def grammar(
        self, format: Literal["lark", "structural_tag"], tool_choice: str | dict[str, Any] | None = None
    ) -> str:
        """A grammar of what the model may write, for constrained decoding: "lark" (`llguidance`) or
        "structural_tag" (`xgrammar`, and vLLM and SGLang with it). `tool_choice` is that of a request, as OpenAI or
        Anthropic writes it: "required" or a named tool make a call certain, "none" allows none; as many calls are
        allowed as `tool_limit` says. ValueError for a dialect that has no grammar, and for a named tool that is not
        declared."""
    def call_grammars(
        self, format: Literal["lark", "structural_tag"], tool_choice: str | dict[str, Any] | None = None
    ) -> list[dict[str, Any]]:
        """Grammars that begin behind the opener of a call and end with it, for a server that switches a grammar on
        at a marker: dicts of `opener`, `tools` (the names of those whose calls begin with it) and `grammar`.
        `format` and `tool_choice` as `grammar` takes them."""
    def fresh(self) -> Parser:
        """A parser of the same configuration that has read nothing."""
    @property
    def position(self) -> int:
        """How many bytes of the stream have left in events."""
    @property
    def held(self) -> int:
        """How many bytes are held because they may yet be part of a marker."""
    @property
    def dialect(self) -> str | dict[str, Any]:
        """The dialect, as it was given."""
    @property
    def tools(self) -> list[Any]:
        """The tools, as they were given."""
    @property
    def options(self) -> dict[str, Any]:
        """The options that were given."""
    def __copy__(self) -> Parser: ...
    def __deepcopy__(self, memo: Any) -> Parser: ...
    def __getnewargs_ex__(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments of which `pickle` makes another one."""

_Provider = Literal["openai-chat", "openai-responses", "anthropic", "gemini"]

@final
class Reader:
    """Reads the stream of one message of a provider's: "openai-chat", "openai-responses", "anthropic", "gemini".

    `text_calls` is a parser for the answer's text, for a server that leaves the calls in it; then its tools and
    options count for all. `limit_by` as a parser has it. Options: `tool_limit` (None unless said), `chaining_tools`, `types`,
    `required`, `repairs`, as a parser has them. ValueError where the configuration makes no sense. What is pickled is
    the configuration, so a reader that has been fed refuses (ValueError).
    """

    def __new__(
        cls,
        provider: _Provider,
        tools: Sequence[Any] | Mapping[str, Any] | _Tools | None = None,
        *,
        text_calls: Parser | None = None,
        limit_by: Callable[[NextCall], object] | None = None,
        tool_limit: int | None = None,
        chaining_tools: Sequence[str] = (),
        types: Literal["report", "strict", "coerce", "guess"] = "report",
        required: Literal["report", "strict"] = "report",
        repairs: Literal["default", "none"] = "default",
    ) -> Reader: ...
    def feed(self, event: str | _Bytes | dict[str, Any] | _Object) -> list[_Event]:
        """Reads one event of the provider's and gives what it says: JSON text (the data of a server-sent event), a
        dict, or an object of the provider's SDK. RuntimeError after `finish`; ValueError for a line that still has its
        `data:`, and for a first event that is no JSON."""
    def fresh(self) -> Reader:
        """A reader of the same configuration that has read nothing."""
    def stream(self, chunks: Iterable[str | _Bytes | dict[str, Any] | _Object], *, finish: bool = True) -> Iterator[_Event]:
        """The events of a whole stream while it comes: `for event in parser.stream(chunks)`. It feeds each chunk and
        finishes. With `finish=False` the end is left to you (`finish_cut` for one that was cut), as it is when
        `chunks` raises."""
    def astream(self, chunks: AsyncIterable[str | _Bytes | dict[str, Any] | _Object], *, finish: bool = True) -> AsyncIterator[_Event]:
        """`stream` for chunks that come asynchronously: `async for event in parser.astream(chunks)`."""
    def finish(self) -> list[_Event]:
        """The stream is over: gives the last events. The provider's own word decides whether it came whole."""
    def finish_cut(self) -> list[_Event]:
        """The stream was cut, whatever the provider said: gives the last events."""
    @property
    def message(self) -> Message:
        """The message so far: a copy, so ask once it is finished."""
    def partial_input(self) -> dict[str, Any] | None:
        """The arguments of the open call so far, typed by the tool's schema; None between calls. Each time it is a new
        dict, which costs what is there: who looks after each chunk of a long call asks for `partial_changes`."""
    def partial_changes(self) -> list[PartialValue | PartialText]:
        """The changes of the open call's arguments since this was last asked: they cost what has come. A
        `PartialValue` puts a value at its path, the first one of a call all arguments at the path `()`; a
        `PartialText` is what a text at its path has grown by. Empty between calls: the end of the last value is in
        the finished call alone."""
    @property
    def envelope(self) -> dict[str, Any]:
        """The provider's own words on its answer: id, model, stop reason, usage, error."""
    def __getnewargs_ex__(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments of which `pickle` makes another one."""

@final
class Deltas:
    """Pieces for a client, whatever its protocol: text, reasoning, and calls
    whose arguments are valid JSON as they come.

    `broken` says how a call reaches the client that the model ended and that may not run: "call" (its arguments are
    no JSON), "text" or "hide". `calls` says when a call leaves: "as_they_come" or "when_whole" (once it may run).
    `on_cut` says whether whole calls of a message that was cut may run: "keep" or "refuse_all".

    The stream is one of its own, read by the configuration of the parser or reader.
    """

    def __new__(
        cls,
        source: Parser | Reader,
        *,
        broken: Literal["call", "text", "hide"] = "call",
        calls: Literal["as_they_come", "when_whole"] = "as_they_come",
        on_cut: Literal["keep", "refuse_all"] = "keep",
    ) -> Deltas: ...
    def feed(self, chunk: str | _Bytes | dict[str, Any] | _Object) -> list[_Delta]:
        """Reads a chunk, or a provider's event, and gives what it makes."""
    def feed_special(self, token: str) -> list[_Delta]:
        """Reads one special token of the model's tokenizer, whole."""
    def finish(self) -> list[_Delta]:
        """The model ended its message: gives the last deltas."""
    def finish_cut(self) -> list[_Delta]:
        """The stream was cut: gives the last deltas."""
    @property
    def message(self) -> Message:
        """The message so far: a copy, so ask once it is finished."""
    @property
    def broken_calls(self) -> list[dict[str, Any]]:
        """The calls that the model ended and that may not run: dicts of `index`, `name` and `reason`."""
    @property
    def broken(self) -> list[int]:
        """The calls that must not run, by their index, as far as they have ended."""
    @property
    def has_calls(self) -> bool:
        """Whether there is a call that may run."""
    @property
    def is_cut(self) -> bool:
        """Whether the answer is not whole. To be asked once it is finished."""

@final
class EventWriter:
    """Writes an answer for a client in its protocol: "openai-chat", "openai-responses" or "anthropic", as
    server-sent events, or with `whole` as one JSON object. `id` and `model` are the answer's, `created` its time in
    seconds since 1970. `reasoning` says under which names it goes out in a chat: "reasoning_content", "reasoning",
    "both", "none". `broken`, `calls` and `on_cut` as `Deltas` has them.

    The stream is one of its own, read by the configuration of the parser or reader.
    """

    def __new__(
        cls,
        protocol: Literal["openai-chat", "openai-responses", "anthropic"],
        source: Parser | Reader,
        id: str,
        model: str,
        *,
        whole: bool = False,
        created: int = 0,
        reasoning: Literal["reasoning_content", "reasoning", "both", "none"] = "reasoning_content",
        broken: Literal["call", "text", "hide"] = "call",
        calls: Literal["as_they_come", "when_whole"] = "as_they_come",
        on_cut: Literal["keep", "refuse_all"] = "keep",
    ) -> EventWriter: ...
    def feed(self, chunk: str | _Bytes | dict[str, Any] | _Object) -> bytes:
        """Reads a chunk, or a provider's event, and gives the bytes to send: whole events, or none."""
    def feed_special(self, token: str) -> bytes:
        """Reads one special token of the model's tokenizer, whole."""
    def usage(self, input: int, output: int) -> None:
        """How many tokens were read and written, as far as it is known."""
    def finish(self) -> bytes:
        """The model ended its message: gives the last bytes."""
    def finish_cut(self) -> bytes:
        """The stream was cut: gives the last bytes."""
    def fail(self, what: str) -> bytes:
        """Ends the answer with an error of the server's, as the protocol says it: gives the last bytes."""
    @property
    def message(self) -> Message:
        """The message so far: a copy, so ask once it is finished."""
    @property
    def content_type(self) -> str:
        """The `content-type` of the answer."""
    @property
    def stop_reason(self) -> str:
        """How the answer ended, in the protocol's words, once it has."""
    @property
    def broken_calls(self) -> list[dict[str, Any]]:
        """The calls that the model ended and that may not run: dicts of `index`, `name` and `reason`."""
    @property
    def broken(self) -> list[int]:
        """The calls that must not run, by their index, as far as they have ended."""
    @property
    def made_up_ids(self) -> list[int]:
        """The calls whose ids the wire did not name, by their index."""

@final
class Marker(_Record):
    """Something in a text that is a marker of the dialect, or began like one."""

    __match_args__: Final = ("at", "text", "role", "refused")
    def __new__(cls, at: int, text: str, role: str, refused: str | None) -> Marker: ...
    def __hash__(self) -> int: ...
    @property
    def at(self) -> int:
        """Start, in bytes of UTF-8."""
    @property
    def text(self) -> str:
        """The marker; of one that is not whole, as much of it as came."""
    @property
    def role(self) -> str:
        """The role: "opener of a call", "closer of an argument", …"""
    @property
    def refused(self) -> str | None:
        """Why it does not count and is payload; None: it counts."""

@final
class ModelMatch(_Record):
    """A model's dialect, by its name: `Parser(found.dialect, tools, **found.options)`."""

    __match_args__: Final = ("dialect", "options", "names")
    def __new__(cls, dialect: str, options: dict[str, Any], names: tuple[str, ...]) -> ModelMatch: ...
    @property
    def dialect(self) -> str:
        """How it writes its calls."""
    @property
    def options(self) -> dict[str, Any]:
        """Options for it: where its stream begins, and whether white space in values is its own."""
    @property
    def names(self) -> tuple[str, ...]:
        """The names of its family, as they are looked for in an id; `*` stands for anything."""

def for_model(id: str) -> ModelMatch | None:
    """The dialect of the model of this id ("Qwen/Qwen3-8B"), and its options; None for one that is in no family."""

def detect(chat_template: str) -> str | None:
    """The dialect that a chat template asks its model for; None if it is none that is known."""

def start_of_prompt(end_of_prompt: str) -> Literal["text", "reasoning"]:
    """Start of a stream whose rendered prompt ends like this: "reasoning" if the chat template left a reasoning
    block open, else "text"."""

def dialects() -> list[str]:
    """The names of the built-in dialects."""

def split_tools(tools: Sequence[Any] | Mapping[str, Any] | _Tools | None) -> tuple[list[Any], list[str]]:
    """The tools of a client's request that a parser takes, namespaces among them, and the types of those that are left out
    because a provider runs them: `[{"type": "web_search"}]` gives `([], ["web_search"])`."""

def markers(name: str) -> list[str]:
    """The texts of a built-in dialect's markers. Names of tools and arguments stand between them. ValueError for a name that
    is none."""

def reasoning_markers(name: str) -> tuple[list[str], list[str]]:
    """The texts that open reasoning in a built-in dialect, and those that close it. ValueError for a name that is none."""

@final
class ReasoningSplitter:
    """Splits the first reasoning of an answer off: up to its end it gives the reasoning, and all that follows as it was
    written, with its markup, for another parser.

    `parser` says how the answer is read; it is not fed. The markup of that reasoning is in neither half. An answer
    without reasoning is all rest. The result is the same for every cut."""

    def __new__(cls, parser: Parser) -> ReasoningSplitter: ...
    def feed(self, chunk: str | _Bytes) -> str:
        """Takes a chunk, and gives the reasoning in it. All that comes once it is over is of the rest."""
    def finish(self) -> str:
        """The answer is over: gives the reasoning that its end shows."""
    @property
    def is_over(self) -> bool:
        """Whether the reasoning is over, or there is none."""
    @property
    def rest(self) -> str:
        """The text behind the reasoning, as far as it came and was not taken; once the reasoning is over."""
    def take_rest(self) -> str:
        """`rest`, taken out."""

def restore(text: str) -> str:
    """Gives back a text that `Parser.neutralise` or `render_results` changed, or a piece of one."""
def char_offset(text: str, at: int) -> int:
    """The index in `text` of the character that begins at this byte: offsets of the parser (`at`, `start`, `end`,
    `position`) count the bytes of UTF-8, Python the code points. `text` is all that was fed, joined. ValueError
    for an offset inside of a character or behind the end."""
