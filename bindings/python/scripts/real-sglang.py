"""The plugin in SGLang's own classes: prints what each parser makes of one answer, over many cuts at token borders.

    python bindings/python/scripts/real-sglang.py FOLDER

FOLDER is SGLang's wheel, unpacked (`pip download --no-deps sglang==0.5.23`, `unzip`): neither torch nor a GPU is needed, for what
SGLang's parsers import and do not use is replaced by a stand-in. Beside toolstream they need what `real-vllm.py` names, and
orjson and requests.
"""

import sys

from real_servers import HEAD, TOOLS, answers, every_dialect, every_vector, install, report

# Modules that SGLang's parsers import and never use.
ABSENT = (
    "torch triton zmq cv2 blake3 diskcache compressed_tensors uvloop einops depyf setproctitle ijson cbor2 lark gguf "
    "outlines_core llguidance opentelemetry aiohttp watchfiles scipy numba pythonjsonlogger sgl_kernel IPython "
    "sglang.srt.distributed sglang.srt.utils.common"
)
# Ours beside theirs: tool parser, reasoning parser.
PAIRS = [
    ("hermes", "hermes", "qwen3"),
    ("hermes", "qwen25", "qwen3"),
    ("qwen3-coder", "qwen3_coder", "qwen3"),
    ("kimi-k2", "kimi_k2", "kimi_k2"),
    ("glm", "glm45", "glm45"),
]


def streamed(parser, reasoner, chunks):
    """Returns the answers of the two parsers (of reasoning there may be none) to a stream of texts."""
    thought, content, found = "", "", {}
    for number, chunk in enumerate(chunks):
        last = number == len(chunks) - 1
        more, text = reasoner.parse_stream_chunk(chunk) if reasoner else ("", chunk)
        if last and reasoner:
            end, rest = reasoner.parse_stream_end()
            more, text = (more or "") + (end or ""), (text or "") + (rest or "")
        thought += more or ""
        said, items = parser.parse_stream_chunk(text or "")
        if last:
            rest, ended = parser.parse_stream_end()
            said, items = (said or "") + rest, [*items, *ended]
        content += said or ""
        for item in items:
            call = found.setdefault(item.tool_index, ["", ""])
            call[0] += item.name or ""
            call[1] += item.parameters or ""
    return thought, content, list(found.values())


def whole(parser, reasoner, text):
    """Returns their answers to a whole text."""
    thought, text = reasoner.parse_non_stream(text) if reasoner else ("", text)
    items = []
    if parser.has_tool_call(text or ""):
        text, items = parser.parse_non_stream(text)
    return thought or "", text or "", [[item.name, item.parameters] for item in items]


def main(folder):
    install(folder, "sglang", ABSENT)
    from sglang.srt.entrypoints.openai.protocol import Tool
    from sglang.srt.function_call.function_call_parser import FunctionCallParser
    from sglang.srt.parser.reasoning_parser import ReasoningParser
    from sglang.srt.plugins import load_plugins

    import toolstream_rs

    load_plugins()
    declared = lambda tools: [Tool.model_validate(tool) for tool in tools]  # noqa: E731
    tools = declared(TOOLS)

    forced = 0
    for name in toolstream_rs.dialects():
        parser = FunctionCallParser(tools, f"toolstream_{name}")
        ReasoningParser(f"toolstream_{name}")
        given = parser.get_structure_constraint("required")
        kind, asked = given if given else (None, None)
        forced += kind == "structural_tag" and bool(asked.model_dump(by_alias=True))
    print(f"{len(toolstream_rs.dialects())} dialects construct. A call can be forced in {forced} of them by a grammar of their own.\n")

    def reads(calls, reasoning, tools=tools):
        """How these two parsers read a stream, and a whole text."""
        fresh = lambda: (FunctionCallParser(tools, calls), ReasoningParser(reasoning))  # noqa: E731
        return (
            lambda chunks: streamed(*fresh(), ["".join(chunk) for chunk in chunks]),
            lambda text: whole(*fresh(), text),
        )

    def ours(name, tools=tools):
        return reads(f"toolstream_{name}", f"toolstream_{name}", tools)

    every_dialect(lambda name: ours(name)[0], lambda name: ours(name)[1])
    every_vector(lambda name, given: ours(name, declared(given)))

    print(HEAD)
    for dialect, calls, reasoning in PAIRS:
        for kind, text, wanted in answers(dialect):
            report(f"`{dialect}`, {kind}: toolstream", *ours(dialect), text, wanted)
            report(f"`{calls}` and `{reasoning}` of SGLang", *reads(calls, reasoning), text, wanted)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]) if len(sys.argv) == 2 else __doc__)
