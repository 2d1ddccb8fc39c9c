"""A stand-in for the parts of SGLang 0.5.23 that `toolstream_rs.sglang` touches, written from their signatures, and for what
SGLang does with its two parsers between a request and an answer. `install` puts it where `import sglang` looks."""

from dataclasses import dataclass, field

from stand_in import Record, install_modules


@dataclass
class ToolCallItem(Record):
    tool_index: int
    name: str | None = None
    parameters: str = ""


@dataclass
class CallsResult(Record):
    normal_text: str = ""
    calls: list[ToolCallItem] = field(default_factory=list)


@dataclass
class ReasoningResult(Record):
    normal_text: str = ""
    reasoning_text: str = ""


class BaseFormatDetector:
    def parses_required_natively(self):
        return False


class BaseReasoningFormatDetector:
    def __init__(
        self,
        think_start_token,
        think_end_token,
        force_reasoning=False,
        stream_reasoning=True,
        continue_final_message=False,
        previous_content="",
        force_nonempty_content=False,
    ):
        self.think_start_token, self.think_end_token = think_start_token, think_end_token
        self.stream_reasoning, self._force_nonempty_content = stream_reasoning, force_nonempty_content
        self.reasoning_default = "always"


class FunctionCallParser:
    ToolCallParserEnum: dict[str, type] = {}


class ReasoningParser:
    DetectorMap: dict[str, type] = {}


TOOL_CALL_PARSER_NAMES: list[str] = []
REASONING_PARSER_NAMES: list[str] = []


class Serving:
    """Either parser or both, and their work together."""

    def __init__(self, tools, reasoning, calls, **options):
        self.tools = tools
        self.reasoning = ReasoningParser.DetectorMap[reasoning](**options) if reasoning else None
        self.calls = FunctionCallParser.ToolCallParserEnum[calls]() if calls and tools else None

    def parse(self, text):
        reasoning, calls = "", []
        if self.reasoning:
            said = self.reasoning.detect_and_parse(text)
            reasoning, text = said.reasoning_text, said.normal_text
        if self.calls and self.calls.has_tool_call(text):
            said = self.calls.detect_and_parse(text, self.tools)
            text, calls = said.normal_text, said.calls
        return reasoning, text, calls

    def stream(self, text, last):
        """A step: the reasoning, the text and the calls of it."""
        reasoning, calls = "", []
        if self.reasoning:
            said = self.reasoning.parse_streaming_increment(text)
            reasoning, text = said.reasoning_text, said.normal_text
            if last:
                said = self.reasoning.finish()
                reasoning, text = reasoning + said.reasoning_text, text + said.normal_text
        if self.calls:
            said = self.calls.parse_streaming_increment(text, self.tools)
            text, calls = said.normal_text, said.calls
            if last:
                said = self.calls.finish(self.tools)
                text, calls = text + said.normal_text, calls + said.calls
        return reasoning, text, calls


def install():
    install_modules(
        "sglang.srt",
        {
            "function_call.base_format_detector": {"BaseFormatDetector": BaseFormatDetector},
            "function_call.core_types": {"StreamingParseResult": CallsResult, "ToolCallItem": ToolCallItem},
            "function_call.function_call_parser": {"FunctionCallParser": FunctionCallParser},
            "function_call.parser_names": {"TOOL_CALL_PARSER_NAMES": TOOL_CALL_PARSER_NAMES},
            "parser.reasoning_parser": {
                "BaseReasoningFormatDetector": BaseReasoningFormatDetector,
                "ReasoningParser": ReasoningParser,
                "StreamingParseResult": ReasoningResult,
            },
            "parser.reasoning_parser_names": {"REASONING_PARSER_NAMES": REASONING_PARSER_NAMES},
        },
    )
