"""What a type checker must know. It is not run: `mypy` reads it."""

from typing_extensions import assert_type

from toolstream_rs import Call, Event, Message, Parser, TextContent, ToolStart


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
    Parser("hermes", fences="never")  # type: ignore[arg-type]
    Parser("hermes", tool_limt=3)  # type: ignore[call-arg]
    Parser("hermes").feed(3)  # type: ignore[arg-type]


def frozen(event: TextContent) -> None:
    event.text = "other"  # type: ignore[misc]


def message(message: Message) -> None:
    assert_type(message.calls, list[Call])
    assert_type(message.finish, str)
