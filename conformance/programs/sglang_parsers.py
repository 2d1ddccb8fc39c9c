"""SGLang's own parsers: `python conformance/programs/sglang_parsers.py FOLDER`.

FOLDER is SGLang's wheel, unpacked, and this needs what `bindings/python/scripts/real-sglang.py` names (no torch, no GPU).
"""

import sys
from pathlib import Path

from program import as_reasons, real_server, serve

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
    script = real_server("sglang")
    script.install(folder, "sglang", script.ABSENT)
    from sglang.srt.entrypoints.openai.protocol import Tool
    from sglang.srt.function_call.function_call_parser import FunctionCallParser
    from sglang.srt.parser.reasoning_parser import ReasoningParser

    def read(dialect, tools, chunks):
        calls, reasoning = PARSERS[dialect]
        text = "".join(chunks)
        reasoner = ReasoningParser(reasoning) if reasoning and as_reasons(dialect, text) else None
        parser = FunctionCallParser([Tool.model_validate(tool) for tool in tools], calls)
        if len(chunks) > 1:
            thought, content, found = script.streamed(parser, reasoner, chunks)
        else:
            thought, content, found = script.whole(parser, reasoner, text)
        return content, thought, found

    serve("SGLang", version(folder), PARSERS, True, read, cuts=["whole", "tokens"])


def version(folder):
    info = next(Path(folder).glob("sglang-*.dist-info"))
    return info.name.removeprefix("sglang-").removesuffix(".dist-info")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]) if len(sys.argv) == 2 else __doc__)
