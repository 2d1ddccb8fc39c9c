from typing import Any, Final, Literal, Mapping, Sequence, final

# Events, the most frequent first.

@final
class TextContent:
    """Text for the user."""

    type: Literal["text_content"]
    __match_args__: Final = ("text",)
    def __new__(cls, text: str) -> TextContent: ...
    def __hash__(self) -> int: ...
    @property
    def text(self) -> str:
        """A slice of the stream."""

@final
class Reasoning:
    """The model's reasoning, without its tags."""

    type: Literal["reasoning"]
    __match_args__: Final = ("text",)
    def __new__(cls, text: str) -> Reasoning: ...
    def __hash__(self) -> int: ...
    @property
    def text(self) -> str:
        """A slice of the stream."""

@final
class Markup:
    """Characters of the dialect's own grammar: never for the user."""

    type: Literal["markup"]
    __match_args__: Final = ("text",)
    def __new__(cls, text: str) -> Markup: ...
    def __hash__(self) -> int: ...
    @property
    def text(self) -> str:
        """A slice of the stream."""

@final
class ArgumentsDelta:
    """A piece of the call's arguments, as raw JSON text."""

    type: Literal["arguments_delta"]
    __match_args__: Final = ("text",)
    def __new__(cls, text: str) -> ArgumentsDelta: ...
    def __hash__(self) -> int: ...
    @property
    def text(self) -> str:
        """A slice of the stream."""

@final
class ParamDelta:
    """A piece of the open parameter's value, as the model wrote it."""

    type: Literal["param_delta"]
    __match_args__: Final = ("text",)
    def __new__(cls, text: str) -> ParamDelta: ...
    def __hash__(self) -> int: ...
    @property
    def text(self) -> str:
        """A slice of the stream."""

@final
class ParamStart:
    """A parameter begins."""

    type: Literal["param_start"]
    __match_args__: Final = ("name", "hint")
    def __new__(cls, name: str, hint: str | None) -> ParamStart: ...
    def __hash__(self) -> int: ...
    @property
    def name(self) -> str:
        """The parameter's name as the model wrote it."""
    @property
    def hint(self) -> str | None:
        """What the wire says of its type: "string", "json", "literal", "lines", or None."""

@final
class ParamEnd:
    """The open parameter ends."""

    type: Literal["param_end"]
    __match_args__: Final = ("closed",)
    def __new__(cls, closed: bool) -> ParamEnd: ...
    def __hash__(self) -> int: ...
    @property
    def closed(self) -> bool:
        """False if the stream or the call ended before the value's closer."""

@final
class ToolStart:
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
        """Where the call's opener begins, in bytes of UTF-8."""
    @property
    def dialect(self) -> int:
        """Which of the parser's dialects wrote it: 0, or 1 for the second of two; 2 is a provider's own form."""

@final
class ToolId:
    """The wire's own id, where the dialect names it late."""

    type: Literal["tool_id"]
    __match_args__: Final = ("id",)
    def __new__(cls, id: str) -> ToolId: ...
    def __hash__(self) -> int: ...
    @property
    def id(self) -> str:
        """The id."""

@final
class ToolEnd:
    """The call ends."""

    type: Literal["tool_end"]
    __match_args__: Final = ("status", "cause")
    def __new__(cls, status: str, cause: str | None) -> ToolEnd: ...
    def __hash__(self) -> int: ...
    @property
    def status(self) -> str:
        """ "complete": its markup closed; "incomplete": it did not. Whether it may run says `Message.calls`."""
    @property
    def cause(self) -> str | None:
        """Why it is incomplete: "end_of_stream", "broken", or None."""

@final
class AnswerStart:
    """The text that follows is the answer (ReAct's `Final Answer:`)."""

    type: Literal["answer_start"]
    __match_args__: Final = ()
    def __new__(cls) -> AnswerStart: ...
    def __hash__(self) -> int: ...

@final
class Opaque:
    """What a provider wants back with the next request. Only a `Reader` says it."""

    type: Literal["opaque"]
    __match_args__: Final = ("of", "json")
    def __new__(cls, of: str, json: str) -> Opaque: ...
    def __hash__(self) -> int: ...
    @property
    def of(self) -> str:
        """What it belongs to: "text", "reasoning", "call" or "item"."""
    @property
    def json(self) -> str:
        """It, as the text of a JSON object."""

@final
class ToolLimitReached:
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
        """Where the surplus begins, in bytes of UTF-8."""

@final
class Diagnostic:
    """Something unexpected was noticed. It never changes what another event said."""

    type: Literal["diagnostic"]
    __match_args__: Final = ("kind", "at", "call")
    def __new__(cls, kind: str, at: int, call: int | None) -> Diagnostic: ...
    def __hash__(self) -> int: ...
    @property
    def kind(self) -> str:
        """What: "unknown_tool", "missing_closer", …"""
    @property
    def at(self) -> int:
        """Where, in bytes of UTF-8."""
    @property
    def call(self) -> int | None:
        """The number of the call that it concerns, if it concerns one."""

# What is one of the above. (`toolstream.Event` at run time.)
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

@final
class Call:
    """A call that may run: its markup closed and its arguments were read. Only a `Message` has them."""

    __match_args__: Final = ("name", "input", "id", "index", "raw", "start", "end", "missing")
    def __new__(
        cls,
        name: str,
        input: dict[str, Any],
        id: str | None,
        index: int,
        raw: str | None,
        start: int,
        end: int,
        missing: tuple[str, ...],
    ) -> Call: ...
    @property
    def name(self) -> str:
        """The tool's name."""
    @property
    def input(self) -> dict[str, Any]:
        """The arguments, typed by the tool's schema."""
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
        """Where it begins in the stream, in bytes of UTF-8."""
    @property
    def end(self) -> int:
        """Where it ends."""
    @property
    def missing(self) -> tuple[str, ...]:
        """The parameters that its tool requires and that it does not have."""

@final
class IncompleteCall:
    """A call that may not run: still open, cut off, broken, or without the arguments that it needs."""

    __match_args__: Final = ("name", "input", "id", "index", "raw", "start", "end", "reason", "problem")
    def __new__(
        cls,
        name: str,
        input: dict[str, Any],
        id: str | None,
        index: int,
        raw: str | None,
        start: int,
        end: int,
        reason: str,
        problem: str | None,
    ) -> IncompleteCall: ...
    @property
    def name(self) -> str:
        """The tool's name."""
    @property
    def input(self) -> dict[str, Any]:
        """The arguments that were closed."""
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
        """Where it begins in the stream, in bytes of UTF-8."""
    @property
    def end(self) -> int:
        """Where it ends."""
    @property
    def reason(self) -> str:
        """Why: "cut", "broken", "malformed_arguments", "missing_arguments", "type_mismatch"."""
    @property
    def problem(self) -> str | None:
        """What is wrong with the arguments, and where, if they cannot be read."""

@final
class Message:
    """A message: what came of a stream, or has come so far.

    `json` and `to_json` say all of it; `Message.from_json` reads it back. Two are equal if they say the same.
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
    def finish(self) -> str:
        """How it ended: "tool_use", "stop", "truncated" or "tool_limit_reached"."""
    @property
    def diagnostics(self) -> list[Diagnostic]:
        """What was noticed, by the parser and in the arguments."""
    @property
    def position(self) -> int:
        """How many bytes of the stream are in it."""
    @property
    def answered(self) -> bool:
        """Whether the dialect's answer marker began the answer (ReAct's `Final Answer:`)."""
    def json(self) -> str:
        """All of it as JSON text: the blocks in order (`content`), `finish`, `diagnostics`, `position`."""
    def to_json(self) -> dict[str, Any]:
        """The same as a dict."""
    @staticmethod
    def from_json(message: str | Mapping[str, Any]) -> Message:
        """A message of which `json` or `to_json` says this. ValueError if it is none."""
    def to_request(self, provider: str) -> Any:
        """The assistant's turn for the next request, with what the provider wants back: an element of `messages`
        ("openai-chat", "anthropic") or of `contents` ("gemini"), the items of `input` ("openai-responses")."""

@final
class Parser:
    """A streaming parser for one message of one model.

    `dialect` is the name of a built-in one ("hermes"), of two ("react+tool-call"), or a table or a shape of one's
    own as a dict. `tools` are declarations as OpenAI, Anthropic, Gemini or MCP write them. The options are those
    of the crate, under the names that they have in JSON: `Parser("hermes", tools, tool_limit=None)`.
    ValueError where the configuration makes no sense.

    One parser reads one stream, in one thread at a time (RuntimeError otherwise). Chunks of more than 4 KiB are
    read without the GIL. Parsers of the same configuration share their tables. A copy in the middle of a stream is
    a snapshot; what is pickled is the configuration, so a parser that has been fed refuses (ValueError).
    """

    def __new__(
        cls,
        dialect: str | dict[str, Any],
        tools: Sequence[Any] | None = None,
        *,
        tool_limit: int | None = 1,
        limit_on: Literal["tool_start", "text_after_tool"] = ...,
        start: str = ...,
        calls_in_reasoning: Literal["ignore", "extract"] = ...,
        fences: Literal["parse", "quote"] = ...,
        decode_entities: bool = ...,
        raw_params: Sequence[str] = ...,
        diff_params: Sequence[str] = ...,
        value_whitespace: Literal["default", "verbatim"] = ...,
        implicit_thought: bool = ...,
        answer_keywords: Sequence[str] = ...,
        special_tokens: Sequence[str] = ...,
        recoveries: Literal["lenient", "strict"] = ...,
        required: Literal["report", "strict"] = ...,
        repairs: Literal["default", "none"] = ...,
        types: Literal["report", "strict", "coerce"] = ...,
    ) -> Parser: ...
    def feed(self, chunk: str | bytes) -> list[_Event]:
        """Reads a chunk and gives its events. After `finish` chunks are ignored.

        A chunk may end anywhere, also in a character: bytes in the middle of UTF-8, a `str` in the middle of a
        surrogate pair."""
    def feed_special(self, token: str) -> list[_Event]:
        """Reads one special token of the model's tokenizer, whole. With the option `special_tokens` a marker
        counts only where its token came through here."""
    def finish(self) -> list[_Event]:
        """The model ended its message: gives the last events."""
    def finish_cut(self) -> list[_Event]:
        """The stream was cut (connection lost, finish reason "length"): gives the last events. Nothing that only
        the end of the stream would confirm is complete then."""
    @property
    def message(self) -> Message:
        """The message so far: a copy, so ask once it is finished."""
    def partial_input(self) -> dict[str, Any] | None:
        """The arguments of the open call so far, typed by the tool's schema; None between calls."""
    def parse(self, text: str | bytes) -> Message:
        """The message of a whole text, whatever this parser has read."""
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

def dialects() -> list[str]:
    """The names of the built-in dialects."""

def table(name: str) -> dict[str, Any]:
    """The table of a built-in dialect: what a dialect of one's own may begin with. ValueError for a name that is
    none."""

def char_offset(text: str, at: int) -> int:
    """The index in `text` of the character that begins at this byte: offsets of the parser (`at`, `start`, `end`,
    `position`) count the bytes of UTF-8, Python the code points. `text` is all that was fed, joined. ValueError
    for an offset inside of a character or behind the end."""
