"""Every dialect as a tool parser and a reasoning parser of vLLM (made for its version 0.33).

A plugin, for `vllm serve`::

    --enable-auto-tool-choice
    --tool-parser-plugin toolstream.vllm --tool-call-parser toolstream_hermes
    --reasoning-parser-plugin toolstream.vllm --reasoning-parser toolstream_hermes

Behind `toolstream_` stands the name of the dialect. Streamed and whole answers say the same, for every cut; ids that
the model writes in front of its calls are kept. Where a tool must be called, vLLM gets a grammar, if the dialect has one.

What cannot be had:

* gpt-oss: vLLM always takes its own parser for it.
* An end for want of room: vLLM does not tell a parser why the answer ended, so a call that `max_tokens` cut off has been
  streamed as far as it came. A whole answer leaves such a call out.
* The reasoning with only one of the two: without `--reasoning-parser` it is left out, and without a tool parser
  all that follows the first reasoning goes out as it was written.
* What stands before the reasoning and tells what follows it: a transcript of `react` in a code fence, a header of `muse` in
  which one message ends and the next begins.
* An id that stands behind its call: the call has been streamed by then, under another.
* A call that is forced, where the dialect has no grammar for it (`Parser.grammar`), where reasoning ends without a closer,
  or with `VLLM_ENFORCE_STRICT_TOOL_CALLING=0`: `tool_choice` asks for no more than "auto" then.
"""

from __future__ import annotations

import importlib
import json
import sys
import threading
from collections.abc import Sequence
from typing import Any

from . import (
    Delta,
    Deltas,
    Diagnostic,
    Event,
    Markup,
    Parser,
    Reasoning,
    Start,
    TextContent,
    char_offset,
    dialects,
    table,
)

# How many tokens at the end of a prompt are looked at for a marker.
_MARKER_TOKENS = 64


# The reasoning parser that this thread has built last. vLLM builds the two of an answer one right after the other, and tells
# the tools to the second only; some dialects tell a call by them, and so where reasoning ends.
_built = threading.local()


def _of_vllm(module: str, *names: str) -> Any:
    """The module, if it has these names."""
    try:
        found = importlib.import_module(f"vllm.{module}")
        for name in names:
            getattr(found, name)
        return found
    except (ImportError, AttributeError) as error:
        said = f"toolstream.vllm needs vLLM 0.33, or one with the same interfaces: {error}"
        print(said, file=sys.stderr)
        # A ModuleNotFoundError of a plugin vLLM would take for another thing, and go on without it.
        raise ImportError(said) from None


_envs = _of_vllm("envs", "VLLM_ENFORCE_STRICT_TOOL_CALLING")
_ids = _of_vllm("renderers.chat_utils", "make_tool_call_id")
_params = _of_vllm("sampling_params", "StructuredOutputsParams")
_protocol = _of_vllm(
    "entrypoints.generate.base.protocol",
    "DeltaFunctionCall",
    "DeltaMessage",
    "DeltaToolCall",
    "ExtractedToolCallInformation",
    "FunctionCall",
    "ToolCall",
)
_reasoning = _of_vllm("reasoning.abs_reasoning_parsers", "ReasoningParser", "ReasoningParserManager")
_tools = _of_vllm("tool_parsers.abstract_tool_parser", "ToolParser", "ToolParserManager")


def _parser(dialect: str, tools: Sequence[Any] | None = None, **options: Any) -> Parser:
    declared: list[Any] = [tool.model_dump() for tool in tools or ()]
    if not declared and table(dialect).get("tag_names"):
        # The names of the tools are what tells its calls; vLLM builds a parser without any when it starts.
        declared = [{"name": "-"}]
    return Parser(dialect, declared or None, tool_limit=None, **options)


class _Answer:
    """An answer, or one step of it, put together from what a client is to be told."""

    def __init__(self) -> None:
        self.content = self.reasoning = ""
        # Per call: its index, its name and id in the step in which it begins, and arguments.
        self.calls: list[dict[str, Any]] = []
        self.broken: list[int] = []

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
                    given = delta.id or _ids.make_tool_call_id()
                    self.calls.append({"index": delta.index, "name": delta.name, "id": given, "arguments": ""})
                case "arguments":
                    if not self.calls or self.calls[-1]["index"] != open_call:
                        self.calls.append({"index": open_call, "name": None, "id": None, "arguments": ""})
                    self.calls[-1]["arguments"] += delta.text
                case "call_end":
                    if not delta.may_run:
                        self.broken.append(open_call)
        return open_call

    def step(self, *, reasoning: bool) -> Any:
        """What vLLM sends of a step, or None."""
        told = self.reasoning if reasoning else ""
        if not (self.content or told or self.calls):
            return None
        calls = [
            _protocol.DeltaToolCall(
                index=call["index"],
                id=call["id"],
                type="function" if call["id"] else None,
                function=_protocol.DeltaFunctionCall(name=call["name"], arguments=call["arguments"]),
            )
            for call in self.calls
        ]
        return _protocol.DeltaMessage(content=self.content or None, reasoning=told or None, tool_calls=calls)

    def whole(self) -> Any:
        calls = [
            _protocol.ToolCall(
                id=call["id"],
                type="function",
                function=_protocol.FunctionCall(id=call["id"], name=call["name"], arguments=call["arguments"]),
            )
            for call in self.calls
            if call["index"] not in self.broken
        ]
        return _protocol.ExtractedToolCallInformation(
            tools_called=bool(calls), tool_calls=calls, content=self.content or None
        )


class _ToolParser:
    """What a tool parser does, whatever vLLM's class under it is."""

    dialect: str
    tools: Sequence[Any]
    # vLLM then gives each step its own text only, and says when the answer is over.
    engine_based_streaming = True
    # A call that is forced is written as the dialect writes it, not as bare JSON.
    supports_required_and_named = False
    # vLLM sets it where there is no reasoning parser.
    skip_reasoning_parsing = False

    def __init__(self, tokenizer: Any, tools: Sequence[Any] | None = None) -> None:
        init: Any = super().__init__
        init(tokenizer, tools)
        self._parser = _parser(self.dialect, self.tools)
        reasoning = vars(_built).pop("reasoning", None)
        if reasoning is not None and (reasoning.dialect, reasoning.model_tokenizer) == (self.dialect, tokenizer):
            reasoning.use_tools(self.tools)
        self._deltas = Deltas(self._parser)
        self._open_call = -1

    def adjust_request(self, request: Any) -> Any:
        # The markers of most dialects are special tokens: without them nothing can be told apart.
        request.skip_special_tokens = False
        if (tag := self.get_structural_tag(request)) is not None:
            request.structured_outputs = _params.StructuredOutputsParams(structural_tag=json.dumps(tag.model_dump()))
            if hasattr(request, "response_format"):
                request.response_format = None
            else:
                request.text = None
        return request

    def get_structural_tag(self, request: Any, **_: Any) -> Any:
        """The grammar of an answer with a call of the tool that must be called, or of any if any must; None if none
        must, or the dialect has no grammar."""
        choice = request.tool_choice
        name = getattr(getattr(choice, "function", choice), "name", None)
        tools = [tool for tool in request.tools or () if name in (None, getattr(tool, "function", tool).name)]
        if not tools or name is None and choice != "required" or not _envs.VLLM_ENFORCE_STRICT_TOOL_CALLING:
            return None
        try:
            tag = json.loads(_parser(self.dialect, tools).grammar("structural_tag"))
        except ValueError:
            return None
        # Perhaps reasoning, text, and then any number of calls.
        calls = tag["format"]["elements"][-1]
        calls["min"] = 1
        if name is not None or request.parallel_tool_calls is False:
            calls["max"] = 1
        return importlib.import_module("xgrammar").StructuralTag.model_validate(tag)

    def get_remaining_unstreamed_args(self) -> str:
        return ""

    def extract_tool_calls(self, model_output: str, request: Any) -> Any:
        deltas, answer = Deltas(self._parser), _Answer()
        answer.add(deltas.feed(model_output) + deltas.finish())
        return answer.whole()

    def extract_tool_calls_streaming(
        self, previous_text: str, current_text: str, delta_text: str, *tokens_and_request: Any
    ) -> Any:
        return self._step(self._deltas.feed(delta_text))

    def finish_streaming(self) -> Any:
        return self._step(self._deltas.finish())

    def _step(self, deltas: Sequence[Delta]) -> Any:
        answer = _Answer()
        self._open_call = answer.add(deltas, self._open_call)
        return answer.step(reasoning=not self.skip_reasoning_parsing)


class _ReasoningParser:
    """What a reasoning parser does: it splits the first reasoning off. What follows is the tool parser's, with the
    reasoning in it."""

    dialect: str
    engine_based_streaming = True

    def __init__(self, tokenizer: Any, *args: Any, **kwargs: Any) -> None:
        init: Any = super().__init__
        init(tokenizer, *args, **kwargs)
        self._decode: Any = tokenizer.decode
        self._tools: Sequence[Any] = ()
        self._begin(Start.TEXT)
        _built.reasoning = self

    def use_tools(self, tools: Sequence[Any]) -> None:
        """The tools of the answer, before any of it is read."""
        self._tools = tools
        self._begin(self._start)

    def _begin(self, start: Start) -> None:
        self._start = start
        self._parser = _parser(self.dialect, self._tools, start=start)
        # What came behind the last reasoning. The parser has told `_read` of it, as markup or as white space.
        self._tail, self._read, self._inside = "", 0, start is Start.REASONING
        # Whether the first reasoning is over, or there is none. Then `_tail` is the rest, as it was written.
        self._over = False

    def adjust_request(self, request: Any) -> Any:
        request.skip_special_tokens = False
        return request

    def set_prompt_token_ids(self, prompt_token_ids: Sequence[int]) -> None:
        self._begin(Start.of_prompt(self._decode(list(prompt_token_ids)[-_MARKER_TOKENS:])))

    def is_reasoning_end(self, input_ids: Sequence[int]) -> bool:
        """Whether the last token closes reasoning."""
        text = self._decode(list(input_ids)[-_MARKER_TOKENS:]).rstrip()
        return len(text.encode()) in self._closers(text)

    def is_reasoning_end_streaming(self, input_ids: Sequence[int], delta_ids: Sequence[int]) -> bool:
        """Whether reasoning is closed in `delta_ids`, the last of `input_ids`."""
        new = len(list(delta_ids))
        ids = list(input_ids)[-_MARKER_TOKENS - new :]
        before, after = self._decode(ids[: len(ids) - new]), self._decode(ids)
        return len(self._closers(after)) > len(self._closers(before))

    def _closers(self, text: str) -> list[int]:
        """Where closers of reasoning end in a text."""
        markers = _parser(self.dialect, start=Start.REASONING).explain(text)
        closers = [marker for marker in markers if not marker.refused and marker.role.startswith("closer of reasoning")]
        return [closer.at + len(closer.text.encode()) for closer in closers]

    def extract_content_ids(self, input_ids: list[int]) -> list[int]:
        return input_ids

    def has_engine_confirmed_reasoning_end(self) -> bool:
        return self._over

    def extract_reasoning_streaming(self, previous_text: str, current_text: str, delta_text: str, *tokens: Any) -> Any:
        reasoning = self._split(delta_text, self._parser.feed(delta_text))
        return _protocol.DeltaMessage(reasoning=reasoning) if reasoning else None

    def finish_streaming(self) -> Any:
        """Behind the reasoning, the rest for the tool parser. At the end of an answer in which no reasoning ended,
        what there still is: the tool parser gets nothing then."""
        answer = _Answer()
        if self._over:
            answer.content = self._tail
        else:
            reasoning = self._split("", self._parser.finish())
            deltas = Deltas(_parser(self.dialect, self._tools))
            answer.add(deltas.feed(self._tail) + deltas.finish())
            answer.reasoning = reasoning + answer.reasoning
        self._tail = ""
        return answer.step(reasoning=True)

    def extract_reasoning(self, model_output: str, request: Any) -> tuple[str | None, str | None]:
        self._begin(self._start)
        reasoning = self._split(model_output, self._parser.feed(model_output))
        if not self._over:
            reasoning += self._split("", self._parser.finish())
        # Streamed, the tool parser tells the reasoning that comes later.
        later, deltas = _Answer(), Deltas(_parser(self.dialect, self._tools))
        later.add(deltas.feed(self._tail) + deltas.finish())
        return reasoning + later.reasoning or None, self._tail or None

    def _split(self, chunk: str, events: Sequence[Event]) -> str:
        """The reasoning in the events of a chunk, up to where it is over."""
        self._tail += chunk
        reasoning = ""
        for event in events:
            if isinstance(event, Reasoning):
                reasoning += event.text
                self._tail = self._tail[self._read + len(event.text) :]
                self._read, self._inside = 0, True
            elif isinstance(event, Markup) or isinstance(event, TextContent) and event.text.isspace():
                self._read += len(event.text)
            elif not isinstance(event, Diagnostic):
                self._over = True
                self._tail = self._tail[self._reasoning_end() :]
                break
        return reasoning

    def _reasoning_end(self) -> int:
        """Where in `_tail` the markup of reasoning ends. What other markup follows is of what comes then."""
        start = Start.REASONING if self._inside else Start.TEXT
        end = 0
        for marker in _parser(self.dialect, self._tools, start=start).explain(self._tail):
            marker_end = marker.at + len(marker.text.encode())
            if not marker.refused and "reasoning" in marker.role and char_offset(self._tail, marker_end) <= self._read:
                end = char_offset(self._tail, marker_end)
        return end


for _dialect in dialects():
    for _parser_class, _base, _manager in (
        (_ToolParser, _tools.ToolParser, _tools.ToolParserManager),
        (_ReasoningParser, _reasoning.ReasoningParser, _reasoning.ReasoningParserManager),
    ):
        _class = type(f"Toolstream{_parser_class.__name__}", (_parser_class, _base), {"dialect": _dialect})
        _manager.register_module(f"toolstream_{_dialect}", module=_class)
