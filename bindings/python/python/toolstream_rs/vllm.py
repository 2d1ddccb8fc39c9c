"""Every dialect as a tool parser and a reasoning parser of vLLM (made for its version 0.33).

A plugin, for `vllm serve`::

    --enable-auto-tool-choice
    --tool-parser-plugin toolstream_rs.vllm --tool-call-parser toolstream_hermes
    --reasoning-parser-plugin toolstream_rs.vllm --reasoning-parser toolstream_hermes

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
import threading
from collections.abc import Sequence
from typing import Any

from . import Delta, Deltas, Start, dialects
from ._serving import Answer, Call, forced_call, named, parser_of, server_module, split_of

# How many tokens at the end of a prompt are looked at for a marker.
_MARKER_TOKENS = 64


# The reasoning parser that this thread has built last. vLLM builds the two parsers of an answer one right after the other, and
# only the second gets the tools. Some dialects know a call, and with it the end of reasoning, by the tools' names.
_built = threading.local()


def _of_vllm(module: str, *names: str) -> Any:
    return server_module("toolstream_rs.vllm needs vLLM 0.33", f"vllm.{module}", *names)


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


def _id(call: Call) -> str | None:
    """The id of a call in the step in which it begins: the model's own, or one that is made up."""
    return (call.id or _ids.make_tool_call_id()) if call.name is not None else None


def _step(answer: Answer, *, reasoning: bool) -> Any:
    """A step as vLLM sends it, or None."""
    told = answer.reasoning if reasoning else ""
    if not (answer.content or told or answer.calls):
        return None
    calls = [
        _protocol.DeltaToolCall(
            index=call.index,
            id=_id(call),
            type="function" if call.name is not None else None,
            function=_protocol.DeltaFunctionCall(name=call.name, arguments=call.arguments),
        )
        for call in answer.calls
    ]
    return _protocol.DeltaMessage(content=answer.content or None, reasoning=told or None, tool_calls=calls)


def _whole(answer: Answer) -> Any:
    calls = []
    for call in answer.runnable():
        function = _protocol.FunctionCall(id=_id(call), name=call.name, arguments=call.arguments)
        calls.append(_protocol.ToolCall(id=function.id, type="function", function=function))
    return _protocol.ExtractedToolCallInformation(
        tools_called=bool(calls), tool_calls=calls, content=answer.content or None
    )


class _ToolParser:
    """A tool parser, whatever vLLM's class under it is."""

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
        self._parser = parser_of(self.dialect, self.tools)
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
        if choice != "required" and not named(choice) or not _envs.VLLM_ENFORCE_STRICT_TOOL_CALLING:
            return None
        return forced_call(self.dialect, request.tools, choice, several=request.parallel_tool_calls is not False)

    def get_remaining_unstreamed_args(self) -> str:
        return ""

    def extract_tool_calls(self, model_output: str, request: Any) -> Any:
        return _whole(Answer.of(self._parser, model_output))

    def extract_tool_calls_streaming(
        self, previous_text: str, current_text: str, delta_text: str, *tokens_and_request: Any
    ) -> Any:
        return self._step(self._deltas.feed(delta_text))

    def finish_streaming(self) -> Any:
        return self._step(self._deltas.finish())

    def _step(self, deltas: Sequence[Delta]) -> Any:
        answer = Answer()
        self._open_call = answer.add(deltas, self._open_call)
        return _step(answer, reasoning=not self.skip_reasoning_parsing)


class _ReasoningParser:
    """A reasoning parser: it splits the first reasoning off. What follows is the tool parser's, with the
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
        self._split = split_of(self.dialect, self._tools, start)

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
        """Ends of the closers of reasoning in a text."""
        markers = parser_of(self.dialect, start=Start.REASONING).explain(text)
        closers = [marker for marker in markers if not marker.refused and marker.role.startswith("closer of reasoning")]
        return [closer.at + len(closer.text.encode()) for closer in closers]

    def extract_content_ids(self, input_ids: list[int]) -> list[int]:
        return input_ids

    def has_engine_confirmed_reasoning_end(self) -> bool:
        return self._split.is_over

    def extract_reasoning_streaming(self, previous_text: str, current_text: str, delta_text: str, *tokens: Any) -> Any:
        reasoning = self._split.feed(delta_text)
        return _protocol.DeltaMessage(reasoning=reasoning) if reasoning else None

    def finish_streaming(self) -> Any:
        """Behind the reasoning, the rest for the tool parser. At the end of an answer in which no reasoning ended,
        what there still is: the tool parser gets nothing then."""
        if self._split.is_over:
            answer = Answer(content=self._split.take_rest())
        else:
            reasoning = self._split.finish()
            answer = self._later()
            answer.reasoning = reasoning + answer.reasoning
            self._split.take_rest()
        return _step(answer, reasoning=True)

    def extract_reasoning(self, model_output: str, request: Any) -> tuple[str | None, str | None]:
        self._begin(self._start)
        reasoning = self._split.feed(model_output) + self._split.finish()
        # Streamed, the tool parser tells the reasoning that comes later.
        return reasoning + self._later().reasoning or None, self._split.rest or None

    def _later(self) -> Answer:
        """The text behind the first reasoning."""
        return Answer.of(parser_of(self.dialect, self._tools), self._split.rest)


for _dialect in dialects():
    for _parser_class, _base, _manager in (
        (_ToolParser, _tools.ToolParser, _tools.ToolParserManager),
        (_ReasoningParser, _reasoning.ReasoningParser, _reasoning.ReasoningParserManager),
    ):
        _class = type(f"Toolstream{_parser_class.__name__}", (_parser_class, _base), {"dialect": _dialect})
        _manager.register_module(f"toolstream_{_dialect}", module=_class)
