"""SGLang's own parsers: `python conformance/programs/sglang_parsers.py FOLDER`.

FOLDER is SGLang's wheel, unpacked, and this needs what `bindings/python/scripts/real-sglang.py` names (no torch, no GPU).
"""

import importlib.util
import sys
from pathlib import Path

from program import as_reasons, serve

SCRIPTS = Path(__file__).parents[2] / "bindings/python/scripts"
sys.path.insert(0, str(SCRIPTS))
from real_servers import install  # noqa: E402

# A dialect, SGLang's tool parser, its reasoning parser.
PARSERS = {
    "beam": ("beam", "beam"),
    "cohere-cofl": ("cohere_command4", "cohere_command4"),
    "deepseek-dsml": ("deepseekv4", "deepseek-v4"),
    "deepseek-v3": ("deepseekv3", "deepseek-r1"),
    "deepseek-v31": ("deepseekv31", "deepseek-v3"),
    "dots": ("dots", "dots"),
    "gemma4": ("gemma4", "gemma4"),
    "gigachat3": ("gigachat3", None),
    "gigachat35": ("gigachat35", "gigachat35"),
    "glm": ("glm45", "glm45"),
    "harmony": ("gpt-oss", "gpt-oss"),
    "hermes": ("hermes", "qwen3"),
    "hunyuan": ("hunyuan", "hunyuan"),
    "inkling": ("inkling", "inkling"),
    "iquest-q1": ("iquest_q1", "iquest_q1"),
    "k2-horizon": ("k2_horizon", "k2_horizon"),
    "kimi-k2": ("kimi_k2", "kimi_k2"),
    "kimi-k3": ("kimi_k3", "kimi_k3"),
    "lfm2": ("lfm2", None),
    "llama3-json": ("llama3", None),
    "minicpm5": ("minicpm5", "qwen3"),
    "minimax-m2": ("minimax-m2", "minimax"),
    "minimax-m3": ("minimax-m3", "minimax-m3"),
    "mistral": ("mistral", "mistral"),
    "muse": ("muse", "muse"),
    "pythonic": ("pythonic", None),
    "qwen3-coder": ("qwen3_coder", "qwen3"),
    "step3": ("step3", "step3"),
}


def main(folder):
    spec = importlib.util.spec_from_file_location("real_sglang", SCRIPTS / "real-sglang.py")
    sys.modules.setdefault("toolstream", type(sys)("toolstream"))  # that script's own; its parts here do not use it
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    install(folder, "sglang", script.ABSENT)
    from sglang.srt.entrypoints.openai.protocol import Tool
    from sglang.srt.function_call.function_call_parser import FunctionCallParser
    from sglang.srt.parser.reasoning_parser import ReasoningParser

    def read(dialect, tools, chunks):
        calls, reasoning = PARSERS[dialect]
        text = "".join(chunks)
        reasoner = ReasoningParser(reasoning) if reasoning and as_reasons(dialect, text) else None
        parser = FunctionCallParser([Tool.model_validate(tool) for tool in tools], calls)
        if len(chunks) > 1:
            return streamed(parser, reasoner, chunks)
        thought, text = reasoner.parse_non_stream(text) if reasoner else ("", text)
        items = []
        if parser.has_tool_call(text or ""):
            text, items = parser.parse_non_stream(text)
        return text, thought, [[item.name, item.parameters] for item in items]

    serve("SGLang", version(folder), PARSERS, True, read, cuts=["whole", "tokens"])


def streamed(parser, reasoner, chunks):
    content, thought, found = "", "", {}
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
    return content, thought, list(found.values())


def version(folder):
    info = next(Path(folder).glob("sglang-*.dist-info"))
    return info.name.removeprefix("sglang-").removesuffix(".dist-info")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]) if len(sys.argv) == 2 else __doc__)
