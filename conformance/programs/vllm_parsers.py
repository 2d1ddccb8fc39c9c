"""vLLM's own parsers: `python conformance/programs/vllm_parsers.py FOLDER`.

FOLDER is vLLM's wheel, unpacked, and this needs what `bindings/python/scripts/real-vllm.py` names (no torch, no GPU).
The ids of tokens are those of a tokenizer that has each marker as one token.
"""

import sys
from pathlib import Path

from program import Vocabulary, as_reasons, real_server, serve, thinking

# A dialect, perhaps a form of it after a colon; vLLM's tool parser, and its reasoning parser. Where a dialect is not here, or a
# form, no parser of vLLM's is meant for it. `beam` and `harmony` need what a checkpoint brings: its template, its token ids.
PARSERS = {
    "command-r": ("cohere_command3", "cohere_command3"),
    "deepseek-dsml": ("deepseek_v4", "deepseek_v4"),
    "deepseek-dsml:v3.2": ("deepseek_v32", "deepseek_v3"),
    "deepseek-dsml:v4.1": ("deepseek_v41", "deepseek_v41"),
    "deepseek-v3": ("deepseek_v3", "deepseek_r1"),
    "deepseek-v31": ("deepseek_v31", "deepseek_v3"),
    "dots": ("dots", "qwen3"),
    "functiongemma": ("functiongemma", None),
    "gemma4": ("gemma4", "gemma4"),
    "gigachat3": ("gigachat3", None),
    "glm": ("glm45", "glm45"),
    "glm:inline": ("glm47", "glm47"),
    "granite": ("granite", "granite"),
    "granite:ernie": ("ernie45", "ernie45"),
    "hermes": ("hermes", "qwen3"),
    "hunyuan": ("hy_v3", "hy_v3"),
    "inkling": ("inkling", "inkling"),
    "json-array": ("jamba", None),
    "json-array:apertus": ("apertus", None),
    "json-array:internlm": ("internlm", None),
    "k2-horizon": ("k2_horizon", "k2_horizon"),
    "kimi-k2": ("kimi_k2", "kimi_k2"),
    "kimi-k3": ("kimi_k3", "kimi_k3"),
    "lfm2": ("lfm2", None),
    "llama3-json": ("llama3_json", None),
    "llama3-json:xlam": ("xlam", None),
    "longcat:json": ("longcat", "qwen3"),
    "minicpm5": ("minicpm5", "qwen3"),
    "minimax-m2": ("minimax_m2", "minimax_m2"),
    "minimax-m3": ("minimax_m3", "minimax_m3"),
    "mistral": ("mistral", "mistral"),
    "muse": ("muse", "muse"),
    "olmo3": ("olmo3", "olmo3"),
    "plamo3": ("plamo3", "plamo3"),
    "pythonic": ("pythonic", None),
    "qwen3-coder": ("qwen3_coder", "qwen3"),
    "seed-oss": ("seed_oss", "seed_oss"),
    "step3": ("step3", "step3"),
}


def main(folder):
    script = real_server("vllm")
    script.install(folder, "vllm", script.ABSENT)
    from vllm.entrypoints.openai.chat_completion.protocol import ChatCompletionRequest
    from vllm.parser.parser_manager import ParserManager

    def read(dialect, tools, chunks):
        calls, reasoning = PARSERS[dialect]
        text = "".join(chunks)
        tokenizer, reasons = Vocabulary(text), as_reasons(dialect, text)
        # The settings that a client gives to the model's template, and vLLM to the parser.
        settings = {"thinking": reasons, "enable_thinking": reasons}
        if dialect == "k2-horizon":
            settings["tool_call_format"] = "xml_typed" if "<ifm|arg_type>" in text else "xml"
        made = ParserManager.get_parser(
            tool_parser_name=calls,
            reasoning_parser_name=reasoning if reasons else None,
            enable_auto_tools=True,
            tokenizer=tokenizer,
        )
        asked = {"model": "m", "messages": [{"role": "user", "content": "?"}], "stream": len(chunks) > 1}
        request = ChatCompletionRequest(**asked, chat_template_kwargs=told, tools=tools or None)
        parser = made(tokenizer, request.tools, chat_template_kwargs=told)
        if len(chunks) == 1:
            ids = tokenizer.encode(text)
            thought, content, found = script.whole(parser, request, text, ids)
        else:
            encoded = [(chunk, tokenizer.encode(chunk)) for chunk in chunks]
            thought, content, found = script.streamed(parser, request, encoded)
        return content, thought, found

    serve("vLLM", version(folder), PARSERS, thinking(PARSERS), read, cuts=["whole", "tokens"])


def version(folder):
    text = (Path(folder) / "vllm/_version.py").read_text()
    return text.split("version = '", 1)[1].split("'", 1)[0]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]) if len(sys.argv) == 2 else __doc__)
