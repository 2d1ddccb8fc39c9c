"""What `toolstream.vllm` and `toolstream.sglang` share: answers as servers want them, and the reasoning split off."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from . import Delta, Deltas, Diagnostic, Event, Markup, Parser, Reasoning, Start, TextContent, char_offset, table


def server_module(needs: str, module: str, *names: str) -> Any:
    """A module of the server's, if it has these names. `needs` begins the sentence that says what is missing."""
    try:
        found = importlib.import_module(module)
        for name in names:
            getattr(found, name)
        return found
    except (ImportError, AttributeError) as error:
        said = f"{needs}, or one with the same interfaces: {error}"
        print(said, file=sys.stderr)
        # A ModuleNotFoundError of a plugin vLLM would take for another thing, and go on without it.
        raise ImportError(said) from None


def parser_of(dialect: str, tools: Sequence[Any] | None = None, **options: Any) -> Parser:
    """A parser with the tools of a request, of any number of calls unless `tool_limit` says otherwise."""
    declared: list[Any] = [tool.model_dump() for tool in tools or ()]
    if not declared and table(dialect).get("tag_names"):
        # The names of the tools are what tells its calls; servers build a parser without any when they start.
        declared = [{"name": "-"}]
    return Parser(dialect, declared or None, **{"tool_limit": None, **options})


def named(choice: Any) -> str | None:
    """The name of the tool that a request's `tool_choice` names."""
    return getattr(getattr(choice, "function", choice), "name", None)


def forced_call(dialect: str, tools: Sequence[Any] | None, choice: Any, *, several: bool) -> Any:
    """The grammar of answers that keep this `tool_choice`, with `several` calls or one, as xgrammar has it; None where the
    dialect has no grammar."""
    name = named(choice)
    parser = parser_of(dialect, tools, tool_limit=None if several and name is None else 1)
    try:
        tag = parser.grammar("structural_tag", {"type": "tool", "name": name} if name else choice)
    except ValueError:
        return None
    return importlib.import_module("xgrammar").StructuralTag.model_validate(json.loads(tag))


@dataclass
class Call:
    """A call, or what a step says of one. Name and id stand in the step in which it begins."""

    index: int
    name: str | None = None
    # The model's own.
    id: str | None = None
    arguments: str = ""


@dataclass
class Answer:
    """An answer, or one step of it, put together from what a client is to be told."""

    content: str = ""
    reasoning: str = ""
    calls: list[Call] = field(default_factory=list)
    # The indices of calls that may not run.
    broken: list[int] = field(default_factory=list)

    @staticmethod
    def of(parser: Parser, text: str) -> Answer:
        """A whole answer, whatever the parser has read."""
        deltas, answer = Deltas(parser), Answer()
        answer.add(deltas.feed(text) + deltas.finish())
        return answer

    def add(self, deltas: Sequence[Delta], open_call: int = -1) -> int:
        """Adds them, and gives the call that is open behind them. `open_call` is the one before."""
        for delta in deltas:
            match delta.type:
                case "content":
                    self.content += delta.text
                case "reasoning":
                    self.reasoning += delta.text
                case "call":
                    open_call = delta.index
                    self.calls.append(Call(delta.index, delta.name, delta.id))
                case "arguments":
                    if not self.calls or self.calls[-1].index != open_call:
                        self.calls.append(Call(open_call))
                    self.calls[-1].arguments += delta.text
                case "call_end":
                    if not delta.may_run:
                        self.broken.append(open_call)
        return open_call

    def runnable(self) -> list[Call]:
        return [call for call in self.calls if call.index not in self.broken]


class Split:
    """Splits the first reasoning of an answer off. What follows it is `rest`, as it was written: for a tool parser."""

    def __init__(self, dialect: str, tools: Sequence[Any], start: Start) -> None:
        self._dialect, self._tools = dialect, tools
        self._parser = parser_of(dialect, tools, start=start)
        # The first reasoning is over, or there is none.
        self.over = False
        # What came behind the last reasoning. Until it is `over`, markup of the reasoning may stand before the rest.
        self.rest = ""
        # Of that, the parser has told so much, as markup or as white space.
        self._told = 0
        self._inside = start is Start.REASONING

    def feed(self, chunk: str) -> str:
        """The reasoning in a chunk. All that comes once it is over is of the rest."""
        self.rest += chunk
        return "" if self.over else self._read(self._parser.feed(chunk))

    def finish(self) -> str:
        """The reasoning that the end of the answer shows."""
        if self.over:
            return ""
        reasoning = self._read(self._parser.finish())
        if not self.over:
            self._end()
        return reasoning

    def take_rest(self) -> str:
        rest, self.rest = self.rest, ""
        return rest

    def _read(self, events: Sequence[Event]) -> str:
        reasoning = ""
        for event in events:
            if isinstance(event, Reasoning):
                reasoning += event.text
                self.rest = self.rest[self._told + len(event.text) :]
                self._told, self._inside = 0, True
            elif isinstance(event, Markup) or isinstance(event, TextContent) and event.text.isspace():
                self._told += len(event.text)
            elif not isinstance(event, Diagnostic):
                self._end()
                break
        return reasoning

    def _end(self) -> None:
        """The reasoning is over: its markup is taken off the rest. What other markup follows is of what comes then."""
        self.over = True
        start = Start.REASONING if self._inside else Start.TEXT
        end = 0
        for marker in parser_of(self._dialect, self._tools, start=start).explain(self.rest):
            marker_end = char_offset(self.rest, marker.at + len(marker.text.encode()))
            if not marker.refused and "reasoning" in marker.role and marker_end <= self._told:
                end = marker_end
        self.rest = self.rest[end:]
