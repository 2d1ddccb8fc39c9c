"""SGLang's own parsers: `python conformance/programs/sglang_parsers.py FOLDER`.

FOLDER is SGLang's wheel, unpacked, and this needs what `bindings/python/scripts/real-sglang.py` names (no torch, no GPU).
"""

import sys
from pathlib import Path

from program import Vocabulary, as_reasons, real_server, serve, thinking

# A dialect, perhaps a form of it after a colon; SGLang's tool parser, and its reasoning parser. What is not here, none of
# SGLang's parsers is meant for.
PARSERS = {
    "beam": ("beam", "beam"),
    "command-r": ("cohere_command4", "cohere_command4"),
    "deepseek-dsml": ("deepseekv4", "deepseek-v4"),
    "deepseek-dsml:v3.2": ("deepseekv32", "deepseek-v3"),
    "deepseek-dsml:v4.1": ("deepseekv41", "deepseek-v4"),
    "deepseek-v3": ("deepseekv3", "deepseek-r1"),
    "deepseek-v31": ("deepseekv31", "deepseek-v3"),
    "dots": ("dots", "dots"),
    "gemma4": ("gemma4", "gemma4"),
    "gigachat3": ("gigachat3", None),
    "gigachat35": ("gigachat35", "gigachat35"),
    "glm": ("glm45", "glm45"),
    "glm:inline": ("glm47", "glm45"),
    "harmony": ("gpt-oss", "gpt-oss"),
    "hermes": ("hermes", "qwen3"),
    "hunyuan": ("hunyuan", "hunyuan"),
    "hunyuan:4": ("hunyuan", "hunyuan"),
    "inkling": ("inkling", "inkling"),
    "iquest-q1": ("iquest_q1", "iquest_q1"),
    "json-array:apertus": ("apertus2509", None),
    "k2-horizon": ("k2_horizon", "k2_horizon"),
    "kimi-k2": ("kimi_k2", "kimi_k2"),
    "kimi-k3": ("kimi_k3", "kimi_k3"),
    "lfm2": ("lfm2", None),
    "llama3-json": ("llama3", None),
    "minicpm5": ("minicpm5", "qwen3"),
    "minimax-m2": ("minimax-m2", "minimax"),
    "minimax-m3": ("minimax-m3", "minimax-m3"),
    "mistral": ("mistral", "mistral"),
    "mistral:v3": ("mistral", "mistral"),
    "mistral:v7": ("mistral", "mistral"),
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
        parser = FunctionCallParser([Tool.model_validate(tool) for tool in tools], calls, Vocabulary(text))
        if len(chunks) > 1:
            thought, content, found = script.streamed(parser, reasoner, chunks)
        else:
            thought, content, found = script.whole(parser, reasoner, text)
        return content, thought, found

    serve("SGLang", version(folder), PARSERS, thinking(PARSERS), read, cuts=["whole", "tokens"])


def version(folder):
    info = next(Path(folder).glob("sglang-*.dist-info"))
    return info.name.removeprefix("sglang-").removesuffix(".dist-info")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]) if len(sys.argv) == 2 else __doc__)
