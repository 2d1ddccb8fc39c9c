"""The plugin in vLLM's own classes: prints what each parser makes of one answer, over many cuts at token borders.

    python bindings/python/scripts/real-vllm.py FOLDER

FOLDER is vLLM's wheel, unpacked (`pip download --no-deps vllm==0.33.0`, `unzip`): neither torch nor a GPU is needed, for what
vLLM's parsers import and do not use is replaced by a stand-in. Beside toolstream they do need fastapi, jsonschema,
mistral-common, msgspec, openai, openai-harmony, partial-json-parser, prometheus-client, psutil, py-cpuinfo, pydantic-settings, regex,
transformers, xgrammar and some smaller ones, which their absence names.
"""

import sys

from real_servers import HEAD, TOOLS, Tokenizer, answers, chunks_of, every_dialect, every_vector, install, report

# Modules that vLLM's parsers import and never use.
ABSENT = (
    "torch triton zmq cv2 blake3 diskcache compressed_tensors uvloop einops depyf setproctitle ijson cbor2 lark gguf "
    "lmformatenforcer outlines_core llguidance opentelemetry mcp aiohttp watchfiles scipy numba pythonjsonlogger "
    "prometheus_fastapi_instrumentator model_hosting_container_standards vllm._C vllm.distributed "
    "vllm.model_executor vllm.platforms vllm.config.quantization vllm.triton_utils"
)
# Ours beside theirs: tool parser, reasoning parser.
PAIRS = [
    ("hermes", "hermes", "qwen3"),
    ("qwen3-coder", "qwen3_coder", "qwen3"),
    ("kimi-k2", "kimi_k2", "kimi_k2"),
    ("glm", "glm45", "glm45"),
]


def streamed(parser, request, chunks):
    """Returns a parser's answers to a stream: `chunks` are texts and the ids of their tokens."""
    content, reasoning, calls = "", "", {}
    for number, (chunk, ids) in enumerate(chunks):
        said = parser.parse_delta(chunk, ids, request, prompt_token_ids=[], finished=number == len(chunks) - 1)
        if said is None:
            continue
        content += said.content or ""
        reasoning += said.reasoning or ""
        for call in said.tool_calls or []:
            known = calls.setdefault(call.index, ["", ""])
            if call.function:
                known[0] += call.function.name or ""
                known[1] += call.function.arguments or ""
    return reasoning, content, list(calls.values())


def whole(parser, request, text, ids):
    """Returns its answer to a whole text."""
    reasoning, content, calls = parser.parse(text, request, enable_auto_tools=True, model_output_token_ids=ids)
    return reasoning or "", content or "", [[call.name, call.arguments] for call in calls or []]


def encoded(chunk):
    """A chunk of tokens as its text and their ids."""
    return "".join(chunk), [number for token in chunk for number in Tokenizer().encode(token)]


def main(folder):
    install(folder, "vllm", ABSENT)
    from vllm.entrypoints.openai.chat_completion.protocol import ChatCompletionRequest
    from vllm.parser.parser_manager import ParserManager
    from vllm.reasoning.abs_reasoning_parsers import ReasoningParserManager
    from vllm.tool_parsers.abstract_tool_parser import ToolParserManager

    import toolstream_rs

    ToolParserManager.import_tool_parser("toolstream_rs.vllm")
    ReasoningParserManager.import_reasoning_parser("toolstream_rs.vllm")

    def parser(tools, reasoning):
        return ParserManager.get_parser(
            tool_parser_name=tools, reasoning_parser_name=reasoning, enable_auto_tools=True, tokenizer=Tokenizer()
        )

    request = ChatCompletionRequest(model="m", messages=[{"role": "user", "content": "?"}], tools=TOOLS, stream=True)
    for name in toolstream_rs.dialects():
        parser(f"toolstream_{name}", f"toolstream_{name}")
    print(f"{len(toolstream_rs.dialects())} dialects construct at vLLM's start.\n")

    forced = 0
    for name in toolstream_rs.dialects():
        asked = request.model_copy(update={"tool_choice": "required", "structured_outputs": None})
        made = parser(f"toolstream_{name}", f"toolstream_{name}")(Tokenizer(), asked.tools)
        forced += made.adjust_request(asked).structured_outputs is not None
    print(f"A call can be forced in {forced} of them: xgrammar's `StructuralTag` takes their grammars.\n")

    def reads(made, request=request):
        """How this parser reads a stream, and a whole text."""
        fresh = lambda: made(Tokenizer(), request.tools)  # noqa: E731
        at_once = lambda text: encoded([token for chunk in chunks_of(text, 4, 1) for token in chunk])  # noqa: E731
        return (
            lambda chunks: streamed(fresh(), request, [encoded(chunk) for chunk in chunks]),
            lambda text: whole(fresh(), request, *at_once(text)),
        )

    def ours(name):
        return parser(f"toolstream_{name}", f"toolstream_{name}")

    every_dialect(lambda name: reads(ours(name))[0], lambda name: reads(ours(name))[1])

    def asking(tools):
        return ChatCompletionRequest(model="m", messages=[{"role": "user", "content": "?"}], tools=tools or None, stream=True)

    every_vector(lambda name, tools: reads(ours(name), asking(tools)))

    print(HEAD)
    for dialect, tools, reasoning in PAIRS:
        for kind, text, wanted in answers(dialect):
            report(f"`{dialect}`, {kind}: toolstream", *reads(ours(dialect)), text, wanted)
            report(f"`{tools}` and `{reasoning}` of vLLM", *reads(parser(tools, reasoning)), text, wanted)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]) if len(sys.argv) == 2 else __doc__)
