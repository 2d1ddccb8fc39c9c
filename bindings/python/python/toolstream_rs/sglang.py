"""Every dialect as a tool parser and a reasoning parser of SGLang (made for its version 0.5.23).

A plugin: where the package is installed, SGLang finds it, and these names::

    --tool-call-parser toolstream_hermes --reasoning-parser toolstream_hermes

Behind `toolstream_` stands the name of the dialect. Streamed and whole answers say the same, for every cut. Where a tool
must be called, SGLang gets a grammar, if the dialect has one; else it asks for bare JSON and reads that itself.

What cannot be had:

* The ids that a model writes: SGLang gives each call one of its own.
* An end for want of room: SGLang does not tell a parser why the answer ended. A call that `max_tokens` cut off has been
  streamed as far as it came, and the finish reason is not "tool_calls". A whole answer leaves such a call out.
* The reasoning behind the first block of it: SGLang has no place for it, and it is left out. So is all reasoning without
  `--reasoning-parser`.
* Markers that are special tokens, in a request without tools: SGLang leaves them out of the text then, but for some
  parsers of its own. `skip_special_tokens=False` in the request keeps them.
* The tools of a request, for the reasoning parser: a dialect that tells its calls by the tools' names (`cline`) does not
  end reasoning that no closer ends by a call.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from . import Delta, Deltas, Parser, ReasoningSplitter, Start, dialects, reasoning_markers
from ._serving import Answer, forced_call, parser_of, server_module, split_of


def _of_sglang(module: str, *names: str) -> Any:
    return server_module("toolstream_rs.sglang needs SGLang 0.5.23", f"sglang.srt.{module}", *names)


_base = _of_sglang("function_call.base_format_detector", "BaseFormatDetector")
_types = _of_sglang("function_call.core_types", "StreamingParseResult", "ToolCallItem")
_calls = _of_sglang("function_call.function_call_parser", "FunctionCallParser")
_call_names = _of_sglang("function_call.parser_names", "TOOL_CALL_PARSER_NAMES")
_reasoning = _of_sglang(
    "parser.reasoning_parser", "BaseReasoningFormatDetector", "ReasoningParser", "StreamingParseResult"
)
_reasoning_names = _of_sglang("parser.reasoning_parser_names", "REASONING_PARSER_NAMES")


@cache
def _has_grammar(dialect: str) -> bool:
    try:
        Parser(dialect, [{"name": "-"}]).grammar("structural_tag")
    except ValueError:
        return False
    return True


class _ToolDetector:
    """A detector of calls, whatever SGLang's class under it is. Its tools come with each text."""

    dialect: str
    # State of the streamed answer.
    _deltas: Deltas | None = None
    _open_call = -1
    # The calls that may not run: SGLang then does not say that the answer ended for its calls.
    incomplete_tool_call_indices: frozenset[int] = frozenset()

    def has_tool_call(self, text: str) -> bool:
        """Whether a text is to be read. Without the tools nobody knows whether it holds a call; but none is written without
        one of these characters."""
        return not set("<[{(:^\n").isdisjoint(text)

    def detect_and_parse(self, text: str, tools: Sequence[Any]) -> Any:
        answer = Answer.of(parser_of(self.dialect, tools), text)
        answer.calls = answer.runnable()
        return _result(answer)

    def parse_streaming_increment(self, new_text: str, tools: Sequence[Any]) -> Any:
        return self._step(self._streamed(tools).feed(new_text))

    def finish(self, tools: Sequence[Any]) -> Any:
        return self._step(self._streamed(tools).finish())

    def supports_structural_tag(self) -> bool:
        return _has_grammar(self.dialect)

    def get_structural_tag(
        self,
        tools: Sequence[Any] | None = None,
        tool_choice: Any = "auto",
        thinking_mode: bool = False,
        parallel_tool_calls: bool = True,
    ) -> Any:
        """The grammar for a choice. Reasoning may come first in it, whether or not SGLang reads it before."""
        return forced_call(self.dialect, tools, tool_choice, several=parallel_tool_calls is not False)

    def structure_info(self) -> Any:
        raise NotImplementedError("SGLang asks for it where `get_structural_tag` gives nothing, and here it does")

    def _streamed(self, tools: Sequence[Any]) -> Deltas:
        if self._deltas is None:
            self._deltas = Deltas(parser_of(self.dialect, tools))
        return self._deltas

    def _step(self, deltas: Sequence[Delta]) -> Any:
        answer = Answer()
        self._open_call = answer.add(deltas, self._open_call)
        self.incomplete_tool_call_indices = self.incomplete_tool_call_indices.union(answer.broken)
        return _result(answer)


def _result(answer: Answer) -> Any:
    items = [
        _types.ToolCallItem(tool_index=call.index, name=call.name, parameters=call.arguments) for call in answer.calls
    ]
    return _types.StreamingParseResult(normal_text=answer.content, calls=items)


class _ReasoningDetector:
    """A detector of reasoning: it splits the first reasoning off. What follows is the tool parser's."""

    dialect: str
    # Wishes of the request, as SGLang's class has them.
    stream_reasoning: bool
    _force_nonempty_content: bool

    def __init__(self, stream_reasoning: bool = True, force_reasoning: bool = False, **options: Any) -> None:
        init: Any = super().__init__
        opener, closer = _markers(self.dialect)
        init(opener, closer, stream_reasoning=stream_reasoning, force_reasoning=force_reasoning, **options)
        # Default where SGLang cannot tell by the chat template whether the prompt opens reasoning: it does not.
        self.reasoning_default = None
        self._start = Start.REASONING if force_reasoning else Start.TEXT
        # The client's part of the answer, if the model goes on with it.
        self._begun = options.get("previous_content") or ""
        self._split = self._begin()
        # Reasoning that waits for its end, because it is not to be streamed; and what has been told of it.
        self._held = self._told = ""

    def _begin(self) -> ReasoningSplitter:
        split = split_of(self.dialect, (), self._start)
        split.feed(self._begun)
        if split.is_over:
            split.take_rest()
        return split

    def detect_and_parse(self, text: str) -> Any:
        split = self._begin()
        reasoning = split.feed(text) + split.finish()
        if self._force_nonempty_content and not split.rest:
            return _reasoning.StreamingParseResult(reasoning, split.rest)
        return _reasoning.StreamingParseResult(split.rest, reasoning)

    def parse_streaming_increment(self, new_text: str) -> Any:
        return self._said(self._split.feed(new_text))

    def finish(self) -> Any:
        cut = not self._split.is_over
        said = self._said(self._split.finish())
        if cut and self._force_nonempty_content and not said.normal_text:
            # Streamed reasoning is returned once more, as by SGLang's own parsers.
            said.normal_text, said.reasoning_text = self._told, ""
        return said

    def get_think_end_token_ids(self, tokenizer: Any) -> list[int]:
        """The closer that lets a grammar begin. Without one it holds from the start, and reasoning may come first in it."""
        _, closer = _markers(self.dialect)
        return list(tokenizer.encode(closer, add_special_tokens=False)) if closer else []

    def _said(self, reasoning: str) -> Any:
        over = self._split.is_over
        if not self.stream_reasoning:
            reasoning = self._held + reasoning
            self._held, reasoning = ("", reasoning) if over else (reasoning, "")
        if self._force_nonempty_content:
            self._told += reasoning
        return _reasoning.StreamingParseResult(self._split.take_rest() if over else "", reasoning)


@cache
def _markers(dialect: str) -> tuple[str, str]:
    """The opener and the closer of reasoning, where a dialect has them as plain texts; else nothing."""
    openers, closers = reasoning_markers(dialect)
    if not openers or not closers:
        return "", ""
    # A dialect's own markers, before those that it shares with most.
    common_openers, common_closers = reasoning_markers("hermes")
    opener = next((text for text in openers if text not in common_openers), openers[0])
    closer = next((text for text in closers if text not in common_closers), closers[0])
    return opener, closer


def register() -> None:
    """Makes the parsers known to SGLang, which calls this when it starts (entry point `sglang.srt.plugins`)."""
    for dialect in dialects():
        name = f"toolstream_{dialect}"
        for detector, base, known, names in (
            (
                _ToolDetector,
                _base.BaseFormatDetector,
                _calls.FunctionCallParser.ToolCallParserEnum,
                _call_names.TOOL_CALL_PARSER_NAMES,
            ),
            (
                _ReasoningDetector,
                _reasoning.BaseReasoningFormatDetector,
                _reasoning.ReasoningParser.DetectorMap,
                _reasoning_names.REASONING_PARSER_NAMES,
            ),
        ):
            if name not in known:
                known[name] = type(f"Toolstream{detector.__name__}", (detector, base), {"dialect": dialect})
                names.append(name)
