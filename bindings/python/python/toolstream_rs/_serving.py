"""The code that `toolstream_rs.vllm` and `toolstream_rs.sglang` share: answers as servers want them, and the reasoning split off."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from . import Delta, Deltas, Parser, ReasoningSplitter, Start


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
    options = {"tool_limit": None, **options}
    try:
        return Parser(dialect, declared or None, **options)
    except ValueError:
        if declared:
            raise
        # The names of the tools are what tells its calls; servers build a parser without any when they start.
        return Parser(dialect, [{"name": "-"}], **options)


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


def split_of(dialect: str, tools: Sequence[Any], start: Start) -> ReasoningSplitter:
    """Splits the first reasoning of an answer off. What follows it is for a tool parser."""
    return ReasoningSplitter(parser_of(dialect, tools, start=start))
