"""A stand-in for the parts of vLLM 0.33 that `toolstream_rs.vllm` touches, written from their signatures, and for what vLLM
does with its two parsers between a request and an answer. `install` puts it where `import vllm` looks."""

import itertools
from dataclasses import dataclass, field
from typing import Any

from stand_in import Record, Tool, install_modules


@dataclass
class FunctionCall(Record):
    name: str
    arguments: str
    id: str | None = None


@dataclass
class ToolCall(Record):
    id: str
    type: str
    function: FunctionCall


@dataclass
class DeltaFunctionCall(Record):
    name: str | None = None
    arguments: str | None = None


@dataclass
class DeltaToolCall(Record):
    index: int
    id: str | None = None
    type: str | None = None
    function: DeltaFunctionCall | None = None


@dataclass
class DeltaMessage(Record):
    content: str | None = None
    reasoning: str | None = None
    tool_calls: list[DeltaToolCall] = field(default_factory=list)


@dataclass
class ExtractedToolCallInformation(Record):
    tools_called: bool
    tool_calls: list[ToolCall]
    content: str | None = None


@dataclass
class StructuredOutputsParams(Record):
    structural_tag: str


@dataclass
class Request:
    tools: list[Tool] | None = None
    tool_choice: Any = "auto"
    parallel_tool_calls: bool = True
    skip_special_tokens: bool = True
    structured_outputs: StructuredOutputsParams | None = None
    response_format: Any = None


class ToolParser:
    def __init__(self, tokenizer, tools=None):
        self.model_tokenizer = tokenizer
        self.tools = tools or []


class ReasoningParser:
    def __init__(self, tokenizer, *args, **kwargs):
        self.model_tokenizer = tokenizer


class ToolParserManager:
    registered: dict[str, type] = {}

    @classmethod
    def register_module(cls, name=None, force=True, module=None):
        cls.registered[name] = module


class ReasoningParserManager(ToolParserManager):
    registered: dict[str, type] = {}


class Tokenizer:
    """A token is a character."""

    def decode(self, ids):
        return "".join(map(chr, ids))


class Delegating:
    """Either parser or both, and their work together."""

    def __init__(self, tools, reasoning, tool_parser):
        tokenizer = Tokenizer()
        self.reasoning = reasoning and reasoning(tokenizer, model_config=None)
        self.tools = tool_parser and tool_parser(tokenizer, tools)
        assert all(parser.engine_based_streaming for parser in (self.reasoning, self.tools) if parser)
        if self.tools and not self.reasoning:
            self.tools.skip_reasoning_parsing = True
        self.begun = self.over = False

    def parse(self, text, request, prompt):
        reasoning, content = None, text
        if self.reasoning:
            self.reasoning.set_prompt_token_ids(prompt)
            reasoning, content = self.reasoning.extract_reasoning(text, request)
        if not self.tools:
            return reasoning, content, []
        found = self.tools.extract_tool_calls(content or "", request=request)
        return reasoning, found.content, [(call.id, call.function) for call in found.tool_calls]

    def parse_delta(self, text, request, prompt, finished):
        if not self.begun:
            self.begun = True
            if self.reasoning:
                self.reasoning.set_prompt_token_ids(prompt)
            self.over = not self.reasoning or self.reasoning.is_reasoning_end(prompt)
        said, passed = DeltaMessage(), False
        if not self.over:
            delta = self.reasoning.extract_reasoning_streaming("", text, text, [], [], [])
            add(said, delta)
            if self.reasoning.has_engine_confirmed_reasoning_end():
                self.over = passed = True
                rest = self.reasoning.finish_streaming()
                text = rest and rest.content or ""
                if not self.tools:
                    said.content = text or None
        if self.over and self.tools:
            add(said, self.tools.extract_tool_calls_streaming("", text, text, [], [], [], request))
        elif self.over and not passed:
            said.content = text
        if finished:
            if self.reasoning and not self.over:
                add(said, self.reasoning.finish_streaming())
            if self.tools:
                assert self.tools.get_remaining_unstreamed_args() == ""
                add(said, self.tools.finish_streaming())
        return said


def add(said, delta):
    if delta:
        said.content = (said.content or "") + (delta.content or "") or None
        said.reasoning = (said.reasoning or "") + (delta.reasoning or "") or None
        said.tool_calls = said.tool_calls + delta.tool_calls


def install():
    numbers = itertools.count()
    parts = {
        "envs": {"VLLM_ENFORCE_STRICT_TOOL_CALLING": True},
        "renderers.chat_utils": {"make_tool_call_id": lambda: f"made-up-{next(numbers)}"},
        "sampling_params": {"StructuredOutputsParams": StructuredOutputsParams},
        "entrypoints.generate.base.protocol": {
            made.__name__: made
            for made in (
                DeltaFunctionCall,
                DeltaMessage,
                DeltaToolCall,
                ExtractedToolCallInformation,
                FunctionCall,
                ToolCall,
            )
        },
        "reasoning.abs_reasoning_parsers": {
            "ReasoningParser": ReasoningParser,
            "ReasoningParserManager": ReasoningParserManager,
        },
        "tool_parsers.abstract_tool_parser": {"ToolParser": ToolParser, "ToolParserManager": ToolParserManager},
    }
    install_modules("vllm", parts)
