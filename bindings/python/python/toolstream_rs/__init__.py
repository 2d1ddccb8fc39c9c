"""Streaming parser of the tool calls that language models write.

Text goes in as it comes, and visible text, reasoning and tool calls come out as typed events, the same for every
way the stream is cut::

    from toolstream_rs import Parser

    parser = Parser("hermes", tools)
    for event in parser.stream(chunks):
        if event.type == "text_content":
            print(event.text, end="")
    for call in parser.message.calls:
        print(call.name, call.arguments)
"""

from ._start import Start
from ._toolstream import (
    AnswerStart,
    ArgumentsDelta,
    Call,
    DeltaArguments,
    DeltaCall,
    DeltaCallEnd,
    DeltaContent,
    DeltaReasoning,
    Deltas,
    Diagnostic,
    EventWriter,
    IncompleteCall,
    Marker,
    Markup,
    Message,
    ModelMatch,
    NextCall,
    Opaque,
    ParamDelta,
    ParamEnd,
    ParamStart,
    Parser,
    PartialText,
    PartialValue,
    Reader,
    Reasoning,
    ReasoningSplitter,
    RefusedCall,
    TextContent,
    ToolEnd,
    ToolId,
    ToolLimitReached,
    ToolStart,
    __version__,
    char_offset,
    detect,
    dialects,
    for_model,
    markers,
    reasoning_markers,
    restore,
    split_tools,
)

Event = (
    TextContent
    | Reasoning
    | Markup
    | ToolStart
    | ToolId
    | ParamStart
    | ParamDelta
    | ParamEnd
    | ArgumentsDelta
    | ToolEnd
    | AnswerStart
    | Opaque
    | ToolLimitReached
    | Diagnostic
)
"""A thing that happened in a stream. Each kind is told by its class, or by its attribute `type`."""

Delta = DeltaContent | DeltaReasoning | DeltaCall | DeltaArguments | DeltaCallEnd
"""A thing that a client is to be told. Each kind is told by its class, or by its attribute `type`."""

__all__ = [
    "AnswerStart",
    "ArgumentsDelta",
    "Call",
    "Delta",
    "DeltaArguments",
    "DeltaCall",
    "DeltaCallEnd",
    "DeltaContent",
    "DeltaReasoning",
    "Deltas",
    "Diagnostic",
    "Event",
    "EventWriter",
    "IncompleteCall",
    "Marker",
    "Markup",
    "Message",
    "ModelMatch",
    "NextCall",
    "Opaque",
    "ParamDelta",
    "ParamEnd",
    "ParamStart",
    "Parser",
    "PartialText",
    "PartialValue",
    "Reader",
    "ReasoningSplitter",
    "RefusedCall",
    "Reasoning",
    "Start",
    "TextContent",
    "ToolEnd",
    "ToolId",
    "ToolLimitReached",
    "ToolStart",
    "__version__",
    "char_offset",
    "detect",
    "dialects",
    "for_model",
    "markers",
    "reasoning_markers",
    "restore",
    "split_tools",
]
