"""Types that a checker must know. Nothing here is run: `mypy` and `pyright` read it."""

from collections.abc import AsyncIterator
from dataclasses import dataclass

from typing_extensions import assert_type

from toolstream_rs import Call, Event, IncompleteCall, Message, Opaque, Parser, Reader, Reasoning, ReasoningSplitter, Start, TextContent, ToolStart
from toolstream_rs.arrow import parse_column


def events(parser: Parser) -> str:
    said = ""
    for event in parser.feed("a") + parser.feed(b"b") + parser.finish():
        if event.type == "text_content":
            assert_type(event, TextContent)
            said += event.text
        elif isinstance(event, ToolStart):
            assert_type(event.id, str | None)
        handle(event)
    return said


def handle(event: Event) -> None:
    match event:
        case ToolStart(index, name):
            assert_type((index, name), tuple[int, str])


def configuration() -> None:
    Parser("hermes", [{"name": "list"}], tool_limit=None, fences="quote")
    Parser("hermes", start=Start.of_prompt("<think>\n"))
    Parser("hermes", start="reasoning")
    Parser("hermes", start="thought")  # type: ignore[arg-type]
    Parser("hermes", fences="never")  # type: ignore[arg-type]
    Parser("hermes", tool_limt=3)  # type: ignore[call-arg]
    Parser("hermes").feed(3)  # type: ignore[arg-type]


def columns(column: object) -> None:
    parse_column(column, "hermes", [{"name": "list"}], tool_limit=1, start=Start.REASONING)
    parse_column(column, "hermes", tool_limt=1)  # type: ignore[call-arg]
    parse_column(column, "hermes", fences="never")  # type: ignore[arg-type]


def frozen(event: TextContent) -> None:
    event.text = "other"  # type: ignore[misc]


def message(message: Message) -> None:
    assert_type(message.calls, list[Call])
    if message.finish == "tool_use":
        print(message.to_dict(), [call.parse(Read).path for call in message.calls])
    if message.finish == "tool_used":  # type: ignore[comparison-overlap]
        pass
    assert_type(message.content, list[TextContent | Reasoning | Call | IncompleteCall | Opaque])


@dataclass
class Read:
    path: str


def typos(event: Event, call: IncompleteCall) -> None:
    if event.type == "tool_end" and event.status == "compleet":  # type: ignore[comparison-overlap]
        pass
    if event.type == "diagnostic" and event.kind == "unknown_tol":  # type: ignore[comparison-overlap]
        pass
    if call.reason == "cutt":  # type: ignore[comparison-overlap]
        pass
    call.parse(Read)  # type: ignore[attr-defined]


def split(parser: Parser) -> str:
    splitter = ReasoningSplitter(parser)
    return splitter.feed("a") + splitter.feed(b"b") + splitter.feed(memoryview(b"c")) + splitter.finish()


async def streams(parser: Parser, reader: Reader, chunks: AsyncIterator[str]) -> None:
    for event in parser.stream(["a", b"b", bytearray(b"c")]):
        handle(event)
    async for event in parser.astream(chunks):
        handle(event)
    for event in reader.stream([{"choices": []}], finish=False):
        handle(event)
    for change in parser.partial_changes():
        if change.type == "partial_text":
            assert_type(change.text, str)
        else:
            assert_type(change.path, tuple[str | int, ...])
